"""Commands as a user types them: help, lists, rulesets in words, and those that check files and write them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import EXPERIMENT, MATE, ROOT, as_json, call, printed, refused
from workbench.base import project
from workbench.base.errors import InputError, Problem
from workbench.experiments import experiment, workspace
from workbench.rules import rulesets

pytestmark = pytest.mark.usefixtures("in_the_checkout")
UNLISTED = sum(len(list((ROOT / "rulesets").glob(f"*/{folder}/*.yaml"))) for folder in ("armies", "solved"))
UNLISTED += len(list((ROOT / "searches").glob("*.yaml")))
"""Files that toggles of the mixed game name, solved rulesets, which lists leave out, and searches."""


def test_check_finds_all_shipped_files_fine_and_compiles_nothing(tmp_path: Path) -> None:
    where = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "workbench", "check"]
    done = subprocess.run(command, cwd=ROOT, env=where, capture_output=True, text=True, encoding="utf-8", check=True)
    count = len(rulesets.ruleset_names()) + len(experiment.experiment_names()) + UNLISTED
    assert done.stdout == f"{count} files are valid.\n"
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.thorough
def test_check_prints_every_problem_of_every_file_once(own: Path) -> None:
    bad = own / "rulesets/chatra/bad.yaml"
    bad.write_text("game: chatra\ntitle: bad\nrules:\n  opening: objects-frist\n  sise: 12\n", encoding="utf-8")
    child = own / "rulesets/chatra/child.yaml"
    child.write_text("game: chatra\ntitle: child\nextends: bad\n", encoding="utf-8")
    (own / "experiments/bad.yaml").write_text(EXPERIMENT.replace("games: 3", "games: none"), encoding="utf-8")
    (own / "rulesets/chatra/ignored.yml").write_text("game: chatra\n", encoding="utf-8")
    result = call("check")
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        "rulesets/chatra/ignored.yml", "rulesets/chatra/bad.yaml:4", "rulesets/chatra/bad.yaml:5",
        "experiments/bad.yaml:5",
    ]  # fmt: skip
    fine = len(rulesets.ruleset_names()) - 2 + len(experiment.experiment_names()) - 1 + UNLISTED
    assert result.stdout == f"4 problems; {fine} other files are valid.\n"
    assert call("check", "chatra/bad", "chatra/A").output.splitlines()[-1] == "2 problems; 1 other file is valid."


def test_check_tells_rulesets_and_experiments_outside_of_a_project_apart(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("game: chatra\ntitle: one\nextends: A\n", encoding="utf-8")
    (tmp_path / "two.yaml").write_text(EXPERIMENT, encoding="utf-8")
    assert printed("check", str(tmp_path)) == "2 files are valid.\n"
    assert printed("check", "chatra/A", "quickstart", str(tmp_path / "one.yaml")) == "3 files are valid.\n"


def test_schema_prints_what_the_files_hold() -> None:
    for kind, schema in workspace.schemas(project.Project(ROOT)).items():
        assert as_json("schema", kind) == schema
    assert set(as_json("schema")) == set(workspace.SCHEMAS)


def test_init_fills_in_what_is_missing_and_overwrites_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    assert "workbench run quickstart" in printed("init", str(path))
    for name in [*rulesets.ruleset_names(), "../experiments/quickstart"]:
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
    assert "found one with other files" in refused("init", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


def test_new_writes_a_ruleset_that_is_its_parent_until_it_is_changed(own: Path) -> None:
    assert "workbench check chatra/free" in printed("new", "free", "--from", "chatra/C+D", "--title", 'Say "yes": 自由')
    path = own / "rulesets/chatra/free.yaml"
    made = rulesets.load_ruleset("chatra/free")
    assert (made.title, made.parents) == ('Say "yes": 自由', ("chatra/C+D",))
    assert made.fingerprint == rulesets.load_ruleset("chatra/C+D").fingerprint
    text = path.read_text(encoding="utf-8")
    assert "the file already exists" in refused("new", "chatra/free", "--from", "chatra/A")
    assert path.read_text(encoding="utf-8") == text


def test_new_writes_a_ruleset_with_the_toggles_that_are_set(own: Path) -> None:
    printed("new", "mine", "--from", "chatra/C", "--set", "stuck=loss", "--set", "subjects = 9")
    made = rulesets.load_ruleset("chatra/mine")
    assert (made.parents, made.own) == (("chatra/C",), {"stuck": "loss", "subjects": 9})
    for words, said in (
        ("--from chatra/C --set stuk=loss", "--set stuk: expected a toggle of chatra, found the unknown key 'stuk'"),
        ("--from chatra/C --set stuck=lost", "--set stuck: expected draw or loss, found 'lost' (did you mean 'loss'?)"),
        ("--from chatra/C --set stuck", "expected TOGGLE=VALUE, found 'stuck' (such as stuck=loss)"),
        ("--from chatra/C --set stuck=loss --set stuck=draw", "expected each toggle once, found stuck again"),
        ("--from chess/orthodox --set king=capture", "write insufficient_material: play-on"),
        ("--experiment --set stuck=loss", "experiments have no toggles"),
        ("--experiment --from quikstart", "did you mean 'quickstart'?"),
        ("", "--from"),
    ):
        assert said in refused("new", "x", *words.split())
    assert not list(own.rglob("x.yaml"))


@pytest.mark.parametrize(
    "start", ["quickstart", "chatra/C", "draughts-toggles", "chatra-styles", "chatra/2008-02", "chess/no-castling"]
)
def test_new_writes_an_experiment_with_every_key_to_be_filled_in(own: Path, start: str) -> None:
    said = printed("new", "mine", "--experiment", "--from", start, "--title", 'Does "it" help?')
    assert "workbench run mine" in said
    path = own / "experiments/mine.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=experiment.schema.json\n")
    made = experiment.load_experiment(path)
    assert made.title == 'Does "it" help?'
    if "/" not in start:
        like = experiment.load_experiment(experiment.find_experiment(start))
        assert [cell.digest for cell in made.cells()] == [cell.digest for cell in like.cells()]
        assert (made.games, made.until, made.targets) == (like.games, like.until, like.targets)
    else:
        assert made.rulesets[-1].name == start
        assert made.baseline == {"chatra/C": "chatra/2007-09", "chess/no-castling": "chess/orthodox"}.get(start, start)
    for key in experiment.KEYS:
        assert f"\n{key}: " in text or f"\n# {key}: " in text
    # Examples are of the game that the experiment is about.
    assert made.rulesets[0].game == "chatra" or "chatra" not in text
    for key in ("measures", "targets", "margin", "title_ja", "baseline", "published"):
        path.write_text(text.replace(f"\n# {key}: ", f"\n{key}: "), encoding="utf-8")
        experiment.load_experiment(path)


def test_outside_of_a_project_nothing_is_written_beside_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "workbench init" in refused("new", "x", "--from", "chatra/A")
    assert "workbench init" in refused("schema", "--write")


def test_a_few_problems_of_many_are_told() -> None:
    error = InputError(Problem("x.yaml", line, None, "wrong") for line in range(1, 19_001))
    lines = str(error).splitlines()
    assert len(lines) == 101 and lines[-1] == "... and 18,900 more problems"


# Help, lists, rulesets in words


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rules", "chatr"], "did you mean 'chatra'?"),
        (["show", "nowhere.yaml"], "nowhere.yaml: there is no such file"),
        (["check", "quikstart"], "did you mean 'quickstart'?"),
        (["report", "reports/nothing-here"], "there is no such report folder"),
        (["moves", "chatra/9x9", "--moves", "a1 e5"], "ply 2, e5: The opening requires the object now"),
        (["moves", "chatra/9x9", "--moves", MATE + " a1"], "the game is over"),
        (["play", "chatra/9x9", "--first", "gredy"], "did you mean 'greedy'?"),
        (["play", "chatra/9x9", "--first", "human", "--json"], "a human plays one game"),
        (["play", "chatra/9x9", "--legal"], "only with --json"),
        (["play", "chatra/9x9", "--seed", "-1"], "--seed"),
        (["perft", "chatra/9x9", "0"], "DEPTH"),
        (["bench", "chatra/9x9", "--agents", "alphabet"], "did you mean 'alphabeta'?"),
        (["bench", "--vs", "gnuchess"], "--vs: "),
        (["signature", "--check", "no-such-file"], "no-such-file: there is no such file"),
        (["schema", "rulesset"], "rulesset"),
        (["idea", " "], "TEXT: expected an idea in a few words, found none"),
        (["idea", "no castling" * 40], "TEXT: expected at most 300 characters, found 440"),
        (["idea", "no castling", "--base", "chess/orthodx"], "did you mean 'chess/orthodox'?"),
        (["list", "ches"], "there is no game 'ches' (did you mean 'chess'?)"),
        (["show", "chess"], "did you mean 'chess/orthodox'?"),
        (["ladder", "chss/nothing-of-that-name"], "did you mean 'chess/orthodox'?"),
        (["show", "draughts10"], "did you mean 'rengo/draughts10'?"),
    ],
)
def test_what_a_user_gets_wrong_is_told_in_a_line(words: list[str], said: str) -> None:
    assert said in refused(*words)


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
    assert all(line in text for line in ("  * subject-first:", "    objects-first:", "  * 2 to 20 (default 5):"))


def test_show_tells_settings_rules_and_differences() -> None:
    text, output = printed("show", "chatra/C+D"), as_json("show", "chatra/C+D", "--json")
    for words in ("  * opening: objects-first", "    size: 12", rulesets.load_ruleset("chatra/C+D").fingerprint):
        assert words in text
    assert "Differences from chatra/C\n  object_area: away-from-centre (there: outside-centre)" in text
    assert output["settings"]["opening"] == "objects-first"
    assert output["differs_from_parents"]["chatra/C"] == {"object_area": ["outside-centre", "away-from-centre"]}
    assert output["differs_from_default"]["opening"] == ["subject-first", "objects-first"]
    differing = printed("diff", "chatra/2007-09", "chatra/2008-02")
    assert "limits_end" in differing and "opening" not in differing
    assert "the same rules" in printed("diff", "chatra/A", "chatra/A")


def test_a_list_names_rulesets_experiments_and_searches_with_their_titles() -> None:
    lines = printed("list").splitlines()
    heads = [line for line in lines if not line.startswith(" ")]
    assert heads == ["Rulesets:", "Experiments:", "Searches:"]
    for name, title in (("chatra/C\\+D", "C \\+ D: objects first"), ("quickstart", "."), ("fair-chatra", ".")):
        assert any(re.match(f"  {name} +{title}", line) for line in lines), name
    assert "チェス（通常のルール）" in printed("list", "chess", "--lang", "ja")


def test_a_list_of_a_game_has_what_is_about_it_also_as_json() -> None:
    everything, star = as_json("list", "--json"), as_json("list", "star", "--json")
    assert [one["name"] for one in everything["rulesets"]] == rulesets.ruleset_names()
    assert all(one["name"].startswith("star/") for one in star["rulesets"]) and star["searches"] == []
    assert {"pie", "star"} <= {one["name"] for one in star["experiments"]}
    pie = next(one for one in star["rulesets"] if one["name"] == "star/pie")
    assert pie == {
        "name": "star/pie", "title": "The star game with the pie rule", "title_ja": "★のゲーム・パイルール",
        "games": ["star"], "file": "rulesets/star/pie.yaml",
    }  # fmt: skip
    assert all(one["title"] for files in everything.values() for one in files)


def test_a_list_also_has_files_that_are_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, text in (("rulesets/star", "game: [\n"), ("experiments", "title: [1]\n"), ("searches", "- x\n")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "mine.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert printed("list").count("(no title)") == 2
    assert as_json("list", "--json")["rulesets"][0]["title"] is None


def test_a_project_without_rulesets_of_a_game_is_searched_and_listed_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rulesets" / "star").mkdir(parents=True)
    (tmp_path / "rulesets" / "star" / "mine.yaml").write_text("game: star\ntitle: Mine\n", encoding="utf-8")
    (tmp_path / "experiments").mkdir()
    monkeypatch.chdir(tmp_path)
    assert printed("idea", "no foul").startswith("star/mine: Mine\n  foul: Foul\n")
    assert "found 'chess'" in refused("idea", "no castling", "--base", "chess")
    assert printed("list", "chess") == "This project has no such files.\n"


def test_an_idea_lists_the_nearest_toggles_with_their_other_values_and_the_nearest_rulesets() -> None:
    text = printed("idea", "no castling", "--base", "chess")
    assert text.startswith("chess/orthodox: Orthodox chess\n\ncastling: When kings may castle\n  Now: A king")
    assert "\n  castling: never\n" in text
    assert "castling: standard" not in text, "what it says now"
    assert "\n  chess/no-castling: Chess: No castling\n" in text
    assert text.endswith("workbench new my-idea --from chess/orthodox --set TOGGLE=VALUE\n")


def test_what_an_idea_lists_can_be_tried_by_the_command_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "rulesets" / "star", tmp_path / "rulesets" / "star")
    (tmp_path / "experiments").mkdir()
    monkeypatch.chdir(tmp_path)
    text = printed("idea", "反則なし", "--base", "star")
    assert re.findall(r"(?m)^  foul: (\S+)$", text) == ["shape", "own-pieces", "off"]
    command = text.splitlines()[-1].partition(": ")[2]
    printed(*command.replace("TOGGLE=VALUE", "foul=shape").replace("my-idea", "mine").split()[1:])
    assert rulesets.load_ruleset("star/mine").own == {"foul": "shape"}


@pytest.mark.parametrize("base", [(), ("--base", "star")])
def test_where_no_words_are_alike_an_idea_says_so_and_nothing_else(base: tuple[str, ...]) -> None:
    lines = printed("idea", "zebra xylophone", *base).splitlines()
    assert "  No rule of The star game uses similar words." in lines
    assert not any("--base" in line or "workbench new" in line or "Now:" in line for line in lines)
