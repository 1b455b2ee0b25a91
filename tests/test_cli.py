"""Every command, as a user types it: what it prints, the JSON that other programs rely on, and how it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from workbench.cli import app
from workbench.engine import trials
from workbench.engine.players import nobody
from workbench.files import project
from workbench.files.yamlfile import InputError, Problem
from workbench.questions import experiment, rulesets, workspace
from workbench.store import records

ROOT = Path(__file__).resolve().parent.parent
ARMIES = len(list((ROOT / "rulesets/rengo/armies").glob("*.yaml")))
"""Files that toggles of the mixed game name."""
SMALL = "chatra/9x9"
MATE = "i1 Oc9 Oc7 b3 a9 a7 a9-b9 Od9 f9 b3-c4 b9-c8"
"""A game on 9×9 squares that Black wins by mate."""
EXPERIMENT = """\
title: A test of the command line
rulesets: [chatra/9x9]
agents: [random]
pairings: [[random, greedy]]
games: 3
max_plies: 40
seed: 5
"""


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder made by ``init``, with the command line in it."""
    path = tmp_path / "mine"
    assert call("init", str(path)).exit_code == 0
    monkeypatch.chdir(path)
    return path


def call(*words: str, given: str = "") -> Result:
    return CliRunner().invoke(app, list(words), input=given)


def printed(*words: str) -> str:
    result = call(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def as_json(*words: str) -> Any:
    return json.loads(printed(*words))


def refused(*words: str, given: str = "") -> str:
    """What stderr says about a command that must end with exit code 2 and without a traceback."""
    result = call(*words, given=given)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return result.stderr


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, workbench.cli; print(' '.join(sys.modules))"
    completed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    heavy = {"numpy", "pandas", "numba", "rich", "matplotlib", "pyarrow", "yaml", "joblib"}
    assert heavy & set(completed.stdout.split()) == set()


def test_the_module_runs_as_the_command_does() -> None:
    completed = subprocess.run(
        [sys.executable, "-m", "workbench", "rules", "chatar"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (completed.returncode, completed.stdout) == (2, "")
    assert completed.stderr == "there is no game 'chatar' (did you mean 'chatra'?)\n"


def test_version() -> None:
    assert printed("--version").startswith("workbench 0.")


# Rulesets in words


def test_rules_lists_every_toggle_with_every_value_and_stars_the_default() -> None:
    from workbench.games.chatra.rules import DECLARATION

    text = printed("rules", "chatra")
    words = " ".join(text.split())
    for toggle in DECLARATION.toggles:
        assert f"{toggle.name}: {toggle.title}" in text
        assert words.count(toggle.source) >= 1
        for value in toggle.values:
            assert value.sentence in words
    assert "  * subject-first:" in text
    assert "    objects-first:" in text
    assert "  * 2 to 20 (default 5):" in text


def test_show_tells_settings_rules_and_differences() -> None:
    text = printed("show", "chatra/C+D")
    assert "  * opening: objects-first" in text
    assert "    size: 12" in text
    assert "What differs from chatra/C\n  object_area: away-from-centre (there: outside-centre)" in text
    assert rulesets.load("chatra/C+D").fingerprint in text


def test_show_as_json() -> None:
    output = as_json("show", "chatra/C+D", "--json")
    assert output["settings"]["opening"] == "objects-first"
    assert output["differs_from_parents"]["chatra/C"] == {"object_area": ["outside-centre", "away-from-centre"]}
    assert output["differs_from_default"]["opening"] == ["subject-first", "objects-first"]
    assert output["fingerprint"] == rulesets.load("chatra/C+D").fingerprint


def test_diff_names_only_what_differs() -> None:
    text = printed("diff", "chatra/2007-09", "chatra/2008-02")
    assert "limits_end" in text
    assert "opening" not in text
    assert "the same rules" in printed("diff", "chatra/A", "chatra/A")


def test_bench_against_python_chess_prints_the_ratio() -> None:
    versus = as_json("bench", "--vs", "chess", "--seconds", "0.05", "--json")["versus"]
    assert [row["work"] for row in versus] == ["random plies", "perft nodes"]
    for row in versus:
        assert row["ratio"] == pytest.approx(row["workbench"] / row["other"], rel=0.1)
        assert row["ratio"] > 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rules", "chatr"], "did you mean 'chatra'?"),
        (["show", "chatra/2008-03"], "did you mean 'chatra/2008-0"),
        (["diff", "chatra/A", "chatra/D+C"], "did you mean 'chatra/C+D'?"),
        (["show", "nowhere.yaml"], "nowhere.yaml: there is no such file"),
        (["check", "quikstart"], "did you mean 'quickstart'?"),
        (["run", "quikstart"], "did you mean 'quickstart'?"),
        (["report", "reports/nothing-here"], "there is no such report folder"),
        (["moves", "chatra/9x9", "--moves", "a1 e5"], "ply 2, e5: The opening asks for the object now"),
        (["moves", "chatra/9x9", "--moves", "a1 zz"], "ply 2, zz: 'zz' is not a move"),
        (["moves", "chatra/9x9", "--moves", MATE + " a1"], "the game is over"),
        (["play", "chatra/9x9", "--first", "gredy"], "did you mean 'greedy'?"),
        (["play", "chatra/9x9", "--second", "alphabeta:dept=2"], "did you mean 'depth'?"),
        (["play", "chatra/9x9", "--first", "human", "--json"], "a human plays one game"),
        (["play", "chatra/9x9", "--legal"], "with --json only"),
        (["play", "chatra/9x9", "--seed", "-1"], "--seed"),
        (["perft", "chatra/9x9", "0"], "DEPTH"),
        (["bench", "chatra/9x9", "--agents", "alphabet"], "did you mean 'alphabeta'?"),
        (["bench", "--vs", "gnuchess"], "--vs: "),
        (["signature", "--check", "no-such-file"], "no-such-file: there is no such file"),
        (["schema", "rulesset"], "rulesset"),
        (["new", "x", "--from", "chatra/AA"], "chatra/A"),
    ],
)
def test_what_a_user_gets_wrong_is_told_in_a_line(words: list[str], said: str) -> None:
    assert said in refused(*words)


# Files


def test_check_finds_all_shipped_files_fine() -> None:
    count = len(rulesets.names()) + len(experiment.names()) + ARMIES
    assert printed("check") == f"{count} files are fine.\n"


def test_check_prints_every_problem_of_every_file_once(own: Path) -> None:
    bad = own / "rulesets/chatra/bad.yaml"
    bad.write_text("game: chatra\ntitle: bad\nrules:\n  opening: objects-frist\n  sise: 12\n", encoding="utf-8")
    child = own / "rulesets/chatra/child.yaml"
    child.write_text("game: chatra\ntitle: child\nextends: bad\n", encoding="utf-8")
    (own / "experiments/bad.yaml").write_text(EXPERIMENT.replace("games: 3", "games: none"), encoding="utf-8")
    (own / "rulesets/chatra/ignored.yml").write_text("game: chatra\n", encoding="utf-8")
    lines = refused("check").splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        "rulesets/chatra/ignored.yml",
        "rulesets/chatra/bad.yaml:4",
        "rulesets/chatra/bad.yaml:5",
        "experiments/bad.yaml:5",
    ]
    assert (
        call("check").stdout == f"{len(rulesets.names()) - 2 + len(experiment.names()) - 1 + ARMIES} files are fine.\n"
    )


def test_check_tells_rulesets_and_experiments_outside_of_a_project_apart(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("game: chatra\ntitle: one\nextends: A\n", encoding="utf-8")
    (tmp_path / "two.yaml").write_text(EXPERIMENT, encoding="utf-8")
    assert printed("check", str(tmp_path)) == "2 files are fine.\n"
    assert printed("check", "chatra/A", "quickstart", str(tmp_path / "one.yaml")) == "3 files are fine.\n"


def test_schema_prints_what_the_files_hold() -> None:
    for kind, schema in workspace.schemas(project.Project(ROOT)).items():
        assert as_json("schema", kind) == schema
    assert set(as_json("schema")) == set(workspace.SCHEMAS)


def test_schema_write_makes_the_files_again(own: Path) -> None:
    (own / workspace.SCHEMAS["ruleset"]).unlink()
    assert printed("schema", "--write") == "".join(f"wrote {path}\n" for path in workspace.SCHEMAS.values())
    assert (own / workspace.SCHEMAS["ruleset"]).read_bytes() == (ROOT / workspace.SCHEMAS["ruleset"]).read_bytes()


def test_init_fills_in_what_is_missing_and_overwrites_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    assert "workbench run quickstart" in printed("init", str(path))
    for name in [*rulesets.names(), "../experiments/quickstart"]:
        assert (path / f"rulesets/{name}.yaml").read_bytes() == (ROOT / f"rulesets/{name}.yaml").read_bytes()
    (path / "rulesets/chatra/A.yaml").unlink()
    assert printed("init", str(path)).startswith("wrote 1 files")
    (path / "rulesets/chatra/A.yaml").unlink()
    (path / "rulesets/chatra/B.yaml").write_text("mine", encoding="utf-8")
    assert "B.yaml" in refused("init", str(path))
    assert not (path / "rulesets/chatra/A.yaml").exists()
    assert (path / "rulesets/chatra/B.yaml").read_text(encoding="utf-8") == "mine"


def test_init_refuses_a_folder_of_other_things(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").touch()
    assert "found one that holds other things" in refused("init", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]
    assert "found a file" in refused("init", str(tmp_path / "letters.txt"))


def test_new_writes_a_ruleset_that_is_its_parent_until_it_is_changed(own: Path) -> None:
    assert "workbench check chatra/free" in printed("new", "free", "--from", "chatra/C+D", "--title", 'Say "yes": 自由')
    path = own / "rulesets/chatra/free.yaml"
    made = rulesets.load("chatra/free")
    assert (made.title, made.parents) == ('Say "yes": 自由', ("chatra/C+D",))
    assert made.fingerprint == rulesets.load("chatra/C+D").fingerprint
    text = path.read_text(encoding="utf-8")
    for toggle, setting in made.settings.items():
        line = f"{toggle}: {str(setting).lower() if isinstance(setting, bool) else setting}\n"
        assert f"  # {line}" in text
        text = text.replace(f"  # {line}", f"  {line}")
    path.write_text(text, encoding="utf-8")
    assert rulesets.load("chatra/free").own == made.settings
    assert "there is such a file already" in refused("new", "chatra/free", "--from", "chatra/A")
    assert path.read_text(encoding="utf-8") == text
    assert [one.name for one in path.parent.iterdir() if one.name.startswith(".")] == []


def test_new_writes_a_ruleset_with_the_toggles_that_are_set(own: Path) -> None:
    printed("new", "mine", "--from", "chatra/C", "--set", "stuck=loss", "--set", "subjects = 9")
    made = rulesets.load("chatra/mine")
    assert (made.parents, made.own) == (("chatra/C",), {"stuck": "loss", "subjects": 9})
    said = refused("new", "x", "--from", "chatra/C", "--set", "stuk=loss", "--set", "stuck=lost", "--set", "stuck")
    for line in (
        "--set stuk: expected a toggle of chatra, found the unknown key 'stuk' (did you mean 'stuck'?)",
        "--set stuck: expected draw or loss, found 'lost' (did you mean 'loss'?)",
        "expected TOGGLE=VALUE, found 'stuck' (such as stuck=loss)",
    ):
        assert line in said
    twice = refused("new", "x", "--from", "chatra/C", "--set", "stuck=loss", "--set", "stuck=draw")
    assert "expected each toggle once, found stuck again" in twice
    together = refused("new", "x", "--from", "chess/orthodox", "--set", "king=capture")
    assert "write insufficient_material: play-on" in together
    assert "an experiment has no toggles" in refused("new", "x", "--experiment", "--set", "stuck=loss")
    assert not list(own.rglob("x.yaml"))


@pytest.mark.parametrize("start", ["quickstart", "chatra/C", "draughts-toggles", "chatra-styles", "chatra/2008-02"])
def test_new_writes_an_experiment_with_every_key_to_be_filled_in(own: Path, start: str) -> None:
    said = printed("new", "mine", "--experiment", "--from", start, "--title", 'Does "it" help?')
    assert "workbench run mine" in said
    path = own / "experiments/mine.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=experiment.schema.json\n")
    made = experiment.load(path)
    assert made.title == 'Does "it" help?'
    if "/" not in start:
        like = experiment.load(experiment.path_of(start))
        assert [cell.digest for cell in made.cells()] == [cell.digest for cell in like.cells()]
        assert (made.games, made.until, made.targets) == (like.games, like.until, like.targets)
    else:
        assert made.rulesets[-1].name == start
        assert made.baseline == ("chatra/2007-09" if start == "chatra/C" else start)
    for key in experiment.KEYS:
        assert f"\n{key}: " in text or f"\n# {key}: " in text
    for key in ("measures", "targets", "margin", "block", "max_plies", "title_ja"):
        path.write_text(text.replace(f"\n# {key}: ", f"\n{key}: "), encoding="utf-8")
        experiment.load(path)
    path.write_text("mine", encoding="utf-8")
    assert "there is such a file already" in refused("new", "mine", "--experiment", "--from", start)
    assert path.read_text(encoding="utf-8") == "mine"


def test_new_experiment_refuses_what_it_cannot_start_from(own: Path) -> None:
    assert "did you mean 'quickstart'?" in refused("new", "mine", "--experiment", "--from", "quikstart")
    assert "NAME" in refused("new", "../mine", "--experiment")
    assert not (own / "experiments/mine.yaml").exists()
    assert "--from" in refused("new", "mine")
    assert "wrote experiments/mine.yaml" in printed("new", "mine", "--experiment")


@pytest.mark.parametrize("name", ["../x", "x.yaml", ".hidden", "", "a b", "chess/x", "x\n"])
def test_new_refuses_names_that_are_none(own: Path, name: str) -> None:
    before = sorted(own.rglob("*"))
    assert "NAME" in refused("new", name, "--from", "chatra/A")
    assert sorted(own.rglob("*")) == before


def test_outside_of_a_project_nothing_is_written_beside_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "workbench init" in refused("new", "x", "--from", "chatra/A")
    assert "workbench init" in refused("schema", "--write")


# Positions


def test_the_shape_of_moves() -> None:
    output = as_json("moves", SMALL, "--json")
    assert list(output) == ["ruleset", "ply", "seat", "moves", "result", "termination"]
    assert (output["ruleset"], output["ply"], output["seat"]) == (SMALL, 0, "first")
    assert (output["result"], output["termination"]) == (None, None)
    assert len(output["moves"]) == 72
    second = as_json("moves", SMALL, "--moves", output["moves"][0], "--json")
    assert (second["ply"], second["seat"]) == (1, "second")


def test_moves_of_a_finished_game() -> None:
    output = as_json("moves", SMALL, "--moves", MATE, "--json")
    assert output == {
        "ruleset": SMALL,
        "ply": 11,
        "seat": "second",
        "moves": [],
        "result": "first",
        "termination": "mate",
    }
    assert "first (mate)" in printed("moves", SMALL, "--moves", MATE)


def test_moves_for_people_shows_the_board() -> None:
    text = printed("moves", SMALL, "--moves", "a1 Oh8")
    assert "1 │ ●  :" in text
    assert "8 │ :  :  :  ·  ·  ·  : [☆] : │ 8" in text
    assert "Black (first) has 62 legal moves at ply 3." in text


def test_the_shape_of_perft() -> None:
    output = as_json("perft", SMALL, "2", "--json")
    assert output == {"ruleset": SMALL, "counts": [72, 4672]}
    divided = as_json("perft", SMALL, "2", "--divide", "--json")
    assert sum(divided["divide"].values()) == 4672
    assert as_json("perft", SMALL, "1", "--moves", "a1", "--json")["counts"] == [divided["divide"]["a1"]]
    assert as_json("perft", SMALL, "2", "--moves", MATE, "--json")["counts"] == [0, 0]
    assert printed("perft", SMALL, "2") == "1 72\n2 4672\n"


# Games


def games(*words: str) -> list[Any]:
    return [json.loads(line) for line in printed("play", SMALL, *words, "--json").splitlines()]


def test_the_shape_of_play() -> None:
    played = games("--first", "random", "--second", "greedy", "--games", "3", "--seed", "8", "--max-plies", "60")
    assert [(game["game"], game["seed"]) for game in played] == [(0, 8), (1, 9), (2, 10)]
    for game in played:
        assert list(game) == ["game", "seed", "moves", "result", "termination", "plies"]
        assert game["plies"] == len(game["moves"])
        assert (game["result"] == "unfinished") == (game["termination"] == "cap")


def test_every_game_of_a_series_can_be_played_alone() -> None:
    both = ("--first", "greedy", "--second", "random", "--max-plies", "50")
    series = games(*both, "--games", "4", "--seed", str(2**64 - 2))
    assert [game["seed"] for game in series] == [2**64 - 2, 2**64 - 1, 0, 1]
    for game in series:
        alone = games(*both, "--seed", str(game["seed"]))[0]
        assert alone == game | {"game": 0}


def test_legal_moves_of_play_are_those_of_moves() -> None:
    game = games("--first", "random", "--second", "random", "--legal", "--max-plies", "12")[0]
    assert len(game["legal"]) == game["plies"] == 12
    for ply, (move, legal) in enumerate(zip(game["moves"], game["legal"], strict=True)):
        assert move in legal
        if ply in (0, 3, 11):
            played = " ".join(game["moves"][:ply])
            assert as_json("moves", SMALL, "--moves", played, "--json")["moves"] == legal


def test_play_for_people_prints_a_line_a_game_and_the_last_board() -> None:
    words = ("play", SMALL, "--first", "random", "--second", "random", "--max-plies", "5")
    text = printed(*words)
    assert text.startswith("game 0 (seed 0): unfinished (cap), 5 plies: ")
    assert "└───" in text
    assert len(printed(*words, "--games", "3").splitlines()) == 3


def test_play_plays_the_games_of_an_experiment(tmp_path: Path) -> None:
    path = tmp_path / "tiny.yaml"
    path.write_text(EXPERIMENT, encoding="utf-8")
    out = tmp_path / "out"
    text = printed("run", str(path), "--out", str(out), "--workers", "1")
    assert "2 cells, 3 games each: 6 games" in text
    assert "Played 6 games." in text
    for name in (
        "report.html",
        "report.md",
        "summary.csv",
        "first_score.png",
        "first_score.svg",
        "lengths.png",
        "lengths.svg",
    ):
        assert f"{name}\n" in text
        assert (out / name).stat().st_size > 0
    trial = records.read(out / records_name()).iloc[4]
    assert (trial["first"], trial["second"]) == ("random", "greedy")
    words = ("--first", trial["first"], "--second", trial["second"], "--seed", str(int(trial["seed"])))
    game = games(*words, "--max-plies", "40")[0]
    assert (game["result"], game["termination"], game["plies"]) == (
        trial["result"],
        trial["termination"],
        trial["plies"],
    )
    assert " ".join(game["moves"][: records.OPENING_PLIES]) == trial["opening"]
    # The same command again plays nothing; records are only deleted by those who mean it.
    assert "nothing to do" in printed("run", str(path), "--out", str(out))
    assert "--yes" in refused("run", str(path), "--out", str(out), "--fresh")
    assert (out / records_name()).exists()
    path.write_text(EXPERIMENT.replace("seed: 5", "seed: 6"), encoding="utf-8")
    assert "seed: was 5, is now 6" in refused("run", str(path), "--out", str(out))
    assert "A test of the command line" in printed("report", str(out))


def test_a_quick_look_leaves_the_real_run_alone_and_says_what_it_is(own: Path, no_charts: None) -> None:
    (own / "experiments/tiny.yaml").write_text(EXPERIMENT, encoding="utf-8")
    said = printed("run", "tiny", "--games", "2", "--workers", "1")
    assert "A quick look: 2 games a cell instead of the 3 of the file" in said
    assert "A quick look: the experiment itself asks for 3 games" in " ".join(said.split())
    folder_of = own / "reports/tiny.games-2"
    assert len(records.read(folder_of / records_name())) == 4
    assert not (own / "reports/tiny").exists()
    provenance = json.loads((folder_of / "provenance.json").read_text(encoding="utf-8"))
    assert (provenance["experiment"]["games"], provenance["experiment"]["quick_look"]) == (2, 3)
    assert "--games 2" in provenance["command"]
    page = (folder_of / "report.html").read_text(encoding="utf-8")
    assert "A quick look: the experiment itself asks for 3 games" in page and "試し見" in page
    assert "A quick look" in printed("report", "tiny.games-2")
    assert "nothing to do" in printed("run", "tiny", "--games", "2", "--workers", "1")
    assert "--games" in refused("run", "tiny", "--games", "0")


FACTORIAL = """\
title: Long names
vary: {base: chatra/9x9, middle_piece: [no-links, no-links-on-that-line], enemy_object_cuts: [true, false]}
agents: [random]
games: 2
max_plies: 8
"""


@pytest.mark.parametrize("columns", [None, "60"])
def test_pipes_lose_nothing_of_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_charts: None, columns: str | None
) -> None:
    monkeypatch.delenv("COLUMNS")
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    (tmp_path / "long.yaml").write_text(FACTORIAL, encoding="utf-8")
    text = printed("run", str(tmp_path / "long.yaml"), "--out", str(tmp_path / "out"), "--workers", "1")
    lines = [line for line in text.splitlines() if "no game finished" in line or ("%" in line and "(" in line)]
    assert any(line.rstrip().endswith("100 %") for line in lines)
    name = "middle_piece=no-links-on-that-line + enemy_object_cuts=false"
    assert any(line.startswith(name) and "100 %" in line for line in text.splitlines()) == (columns is None)


def records_name() -> str:
    from workbench.run import storage

    return storage.TRIALS


# Speed and behaviour


def test_the_shape_of_bench() -> None:
    output = as_json("bench", SMALL, "--agents", "random mcts:simulations=2", "--seconds", "0.01", "--json")
    assert set(output) == {"machine", "seconds", "speeds"}
    random, mcts = output["speeds"]
    assert (random["ruleset"], random["agent"], mcts["agent"]) == (SMALL, "random", "mcts-2")
    assert random["plies_per_second"] > random["games_per_second"] > 0
    assert (random["nodes_per_second"], random["simulations_per_second"]) == (None, None)
    assert mcts["simulations_per_second"] > 0
    assert "random" in printed("bench", SMALL, "--agents", "random", "--seconds", "0.01")


def test_bench_measures_the_default_of_every_game() -> None:
    from workbench.games import declaration, names
    from workbench.run import bench

    defaults = bench.defaults(project.find())
    assert [ruleset.game for ruleset in defaults] == names()
    for ruleset in defaults:
        assert ruleset.settings == declaration(ruleset.game).defaults()


def test_a_signature_is_stable_and_tells_rules_apart() -> None:
    from workbench.run.bench import SIGNED, signature

    some = [rulesets.load(name) for name in ("chatra/9x9", "chatra/limited-7")]
    lines = list(signature(some))
    assert len(lines) == 2 * len(SIGNED)
    assert lines == list(signature(some))
    assert len({line.split()[2] for line in lines}) == len(lines)


def test_signature_compares_with_a_file(own: Path) -> None:
    for path in [*own.rglob("*.yaml")]:
        path.unlink()
    (own / "rulesets/chatra/9x9.yaml").write_text("game: chatra\ntitle: t\nrules: {size: 9}\n", encoding="utf-8")
    lines = printed("signature")
    file = own / "signature.txt"
    file.write_text(lines, encoding="utf-8")
    assert printed("signature", "--check", str(file)) == f"All {len(lines.splitlines())} lines are as in {file}.\n"
    first, *others = lines.splitlines()
    file.write_text("\n".join([first[:-1] + "!", *others]), encoding="utf-8")
    result = call("signature", "--check", str(file))
    assert (result.exit_code, result.stdout) == (1, f"- {first[:-1]}!\n+ {first}\n")


LARGE = ("rengo/go13", "rengo/go19", "rengo/renju15")
"""Rulesets whose games of players that look at every move take nine tenths of the time of the whole signature."""


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_behaviour_is_as_signed(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behaviour changed if this fails: rules, agents, weights or random numbers.

    If that is wanted, write the file again with ``workbench signature > tests/signature.txt`` in the same commit, say
    why in its message, and tell in CHANGELOG.md whose results are touched.
    """
    from workbench.run import bench

    signed = (ROOT / "tests/signature.txt").read_text(encoding="utf-8").splitlines()
    if whole:
        lines = printed("signature").splitlines()
    else:
        lines = list(bench.signature(rulesets.load(name) for name in rulesets.names() if name not in LARGE))
        monkeypatch.setattr(bench, "SIGNED", bench.SIGNED[:1])
        lines += bench.signature(rulesets.load(name) for name in LARGE)
        by_others = tuple(f"{name} {agent} " for name in LARGE for agent in ("greedy", "alphabeta-1"))
        signed = [line for line in signed if not line.startswith(by_others)]
    changed = sorted(set(lines) ^ set(signed))
    assert not changed, "behaviour changed; to update: workbench signature > tests/signature.txt"


def test_the_engine_keeps_whole_games_for_play() -> None:
    random = nobody(99)
    codes = rulesets.load(SMALL).codes()
    arrays = trials.run_block("chatra", codes, random, random, np.array([3], np.uint64), 30, keep=30)
    assert (arrays["opening"][0] >= 0).sum() == arrays["plies"][0]


def test_a_position_is_typed_as_the_game_writes_it() -> None:
    kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    assert printed("perft", "chess/orthodox", "2", "--position", kiwipete) == "1 48\n2 2039\n"
    seats = [
        json.loads(printed("moves", "chess/007", "--position", kiwipete, "--run", place, "--json"))["seat"]
        for place in ("3/1", "3/2")
    ]
    assert seats == ["first", "second"], "the colour to move is White's: ply 1 of White's run, ply 2 of Black's"
    assert json.loads(printed("moves", "star/default", "--position", "★□○/●○○/●□●", "--json"))["moves"]
    rows = printed("moves", "star/default", "--position", "{board: ★□○/●○○/●□●, to_move: second}", "--json")
    assert json.loads(rows)["seat"] == "second"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chess/007", "--position", "nonsense"), "the position cannot be set up: FEN"),
        (("chess/007", "--position", "{fen"), "--position:1: is not YAML"),
        (("chess/007", "--position", "{run: 3/2}"), "fen: expected text, found nothing"),
        (("star/default", "--position", "{board: 1}"), "board: expected rows of ★ □ ○ ● with / between, found 1"),
        (("star/default", "--position", "{bord: ★□○/●○○/●□●}"), "found the unknown key 'bord' (did you mean 'board'?)"),
        (("star/default", "--position", "{board: ★□○/●○○/●□●, to_move: third}"), "expected first or second"),
        (("chess/007", "--position", "8/8/8/8/8/8/8/K1k5 w - - 99999999999999999999 1"), "at most five digits"),
        (("chess/007", "--position", "٨/8/8/8/8/8/8/K1k5 w"), "'٨' in rank 8 is no piece"),
        (("draughts/english", "--position", "{fen: 'B:W31:B1', quiet: -1}"), "quiet: expected a whole number from 0"),
        (
            (
                "chatra/9x9",
                "--position",
                "{black: [z9], white: [], black_object: a1, white_object: i9, to_move: first}",
            ),
            "each a square of the 9×9 board",
        ),
        (
            (
                "chatra/9x9",
                "--position",
                "{black: [a1], white: [], black_object: a1, white_object: i9, to_move: first}",
            ),
            "two pieces stand on a1",
        ),
        (
            ("rengo/go9", "--position", "{board: ........., to_move: first, hands: {first: {玉: 1}}}"),
            "hands: expected some of first, second",
        ),
        (
            (
                "star/default",
                "--position",
                "{a: &a [1, 1], b: &b [*a, *a, *a, *a, *a, *a, *a], c: &c "
                + "[*b, *b, *b], d: "
                + "[" * 30
                + "]" * 30
                + "}",
            ),
            "24 levels",
        ),
        (("star/default", "--position", "{" * 3000), "expected at most 24 levels"),
        (("star/default", "--position", "★" * 5000), "expected at most 4,000 characters, found 5,000"),
        (("chatra/A", "--position", "f9"), "expected YAML in braces"),
        (("chess/007", "--run", "3/2"), "a place in a run needs a --position"),
    ],
)
def test_a_wrong_position_is_refused(arguments: tuple[str, ...], message: str) -> None:
    result = call("moves", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())


def test_games_are_exported_in_the_format_of_the_game(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    assert "wrote 2 games as PGN" in printed("play", "chess/007", "--games", "2", "--export", str(file))
    text = file.read_text(encoding="utf-8")
    assert text.count('[White "greedy (White)"]') == 2 and "{W} 1." in text
    again = call("play", "chess/007", "--export", str(file))
    assert again.exit_code == 2 and "exists already" in again.output
    draughts = tmp_path / "games.pdn"
    printed("play", "draughts/english", "--second", "random", "--export", str(draughts))
    assert '[White "random (' in draughts.read_text(encoding="utf-8")
    nowhere = call("play", "chess/007", "--games", "10000000", "--export", str(tmp_path / "no" / "x.pgn"))
    assert nowhere.exit_code == 2 and "there is no folder" in nowhere.output
    refused = call("play", "star/default", "--export", str(tmp_path / "x"))
    assert refused.exit_code == 2 and "no format" in refused.output


def test_a_few_problems_of_many_are_told() -> None:
    error = InputError(Problem("x.yaml", line, None, "wrong") for line in range(1, 19_001))
    lines = str(error).splitlines()
    assert len(lines) == 101 and lines[-1] == "... and 18,900 more problems"
    assert len(error.problems) == 19_000


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf" * 2, b"title: x\n\xef\xbb\xbf", b"title: \xef\xbb\xbfx\n"])
def test_a_second_byte_order_mark_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.yaml").write_bytes(content + b"game: star\n")
    result = call("show", str(tmp_path / "x.yaml"))
    assert result.exit_code == 2 and "expected at most one byte order mark (U+FEFF)" in result.stderr
    (tmp_path / "x.yaml").write_bytes(b"\xef\xbb\xbfgame: star\ntitle: x\n")
    assert call("show", str(tmp_path / "x.yaml")).exit_code == 0


def test_a_folder_with_far_too_many_files_is_not_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "MOST_ENTRIES", 20)
    for i in range(21):
        (tmp_path / f"{i}.txt").touch()
    result = call("check", str(tmp_path))
    assert result.exit_code == 2 and "found one with more than 20 files (name a smaller folder, or" in result.stderr
    (tmp_path / "0.txt").unlink()
    assert "there are no YAML files in this folder" in call("check", str(tmp_path)).stderr
    monkeypatch.setattr(workspace, "MOST_YAML", 2)
    for i in range(1, 4):
        (tmp_path / f"{i}.txt").rename(tmp_path / f"{i}.yaml")
    assert "found one with more than 2 YAML files" in call("check", str(tmp_path)).stderr


def test_a_report_folder_with_pipes_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "provenance.json")
    os.mkfifo(tmp_path / "trials.parquet")
    result = call("report", str(tmp_path))
    assert result.exit_code == 2 and "expected a file, found a folder, a pipe or a device" in result.stderr
    with pytest.raises(records.Unavailable, match="found a folder, a pipe or a device"):
        records.check(tmp_path / "trials.parquet")


def test_pipes_and_devices_are_refused_instead_of_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.yaml")
    for words in (("show", str(tmp_path / "x.yaml")), ("check", str(tmp_path)), ("signature", "--check", "/dev/zero")):
        result = call(*words)
        assert result.exit_code == 2 and "expected a file, found a pipe, a socket or a device" in result.stderr
