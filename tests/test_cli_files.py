"""The commands that look at files and write them: check, schema, init, new."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import EXPERIMENT, ROOT, as_json, call, printed, refused
from workbench.errors import InputError, Problem
from workbench.files import project
from workbench.questions import experiment, ruleset_files, rulesets, workspace

pytestmark = pytest.mark.usefixtures("in_the_checkout")
UNLISTED = sum(len(list((ROOT / "rulesets").glob(f"*/{folder}/*.yaml"))) for folder in ("armies", "solved"))
UNLISTED += len(list((ROOT / "searches").glob("*.yaml")))
"""Files that toggles of the mixed game name, solved rulesets, which lists leave out, and searches."""


def test_check_finds_all_shipped_files_fine_and_compiles_nothing(tmp_path: Path) -> None:
    where = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "workbench", "check"]
    done = subprocess.run(command, cwd=ROOT, env=where, capture_output=True, text=True, encoding="utf-8", check=True)
    count = len(rulesets.ruleset_names()) + len(experiment.experiment_names()) + UNLISTED
    assert done.stdout == f"{count} files are fine.\n"
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
        "rulesets/chatra/ignored.yml",
        "rulesets/chatra/bad.yaml:4",
        "rulesets/chatra/bad.yaml:5",
        "experiments/bad.yaml:5",
    ]
    fine = len(rulesets.ruleset_names()) - 2 + len(experiment.experiment_names()) - 1 + UNLISTED
    assert result.stdout == f"4 problems; {fine} other files are fine.\n"
    assert call("check", "chatra/bad").stdout == "2 problems.\n"
    assert call("check", "chatra/bad", "chatra/A").output.splitlines()[-1] == "2 problems; 1 other file is fine."
    assert call("check", "no-such-thing").stdout == "1 problem.\n"


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
    assert "found one that holds other things" in refused("init", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]
    assert "found a file" in refused("init", str(tmp_path / "letters.txt"))


def test_new_writes_a_ruleset_that_is_its_parent_until_it_is_changed(own: Path) -> None:
    assert "workbench check chatra/free" in printed("new", "free", "--from", "chatra/C+D", "--title", 'Say "yes": 自由')
    path = own / "rulesets/chatra/free.yaml"
    made = rulesets.load_ruleset("chatra/free")
    assert (made.title, made.parents) == ('Say "yes": 自由', ("chatra/C+D",))
    assert made.fingerprint == rulesets.load_ruleset("chatra/C+D").fingerprint
    text = path.read_text(encoding="utf-8")
    for toggle, setting in made.settings.items():
        line = f"{toggle}: {str(setting).lower() if isinstance(setting, bool) else setting}\n"
        assert f"  # {line}" in text
        text = text.replace(f"  # {line}", f"  {line}")
    path.write_text(text, encoding="utf-8")
    assert rulesets.load_ruleset("chatra/free").own == made.settings
    assert "there is such a file already" in refused("new", "chatra/free", "--from", "chatra/A")
    assert path.read_text(encoding="utf-8") == text
    assert [one.name for one in path.parent.iterdir() if one.name.startswith(".")] == []


def test_new_writes_a_ruleset_with_the_toggles_that_are_set(own: Path) -> None:
    printed("new", "mine", "--from", "chatra/C", "--set", "stuck=loss", "--set", "subjects = 9")
    made = rulesets.load_ruleset("chatra/mine")
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
    for key in ("measures", "targets", "margin", "block", "max_plies", "title_ja", "baseline", "published"):
        path.write_text(text.replace(f"\n# {key}: ", f"\n{key}: "), encoding="utf-8")
        experiment.load_experiment(path)
    path.write_text("mine", encoding="utf-8")
    assert "there is such a file already" in refused("new", "mine", "--experiment", "--from", start)
    assert path.read_text(encoding="utf-8") == "mine"


def test_new_experiment_refuses_what_it_cannot_start_from(own: Path) -> None:
    assert "did you mean 'quickstart'?" in refused("new", "mine", "--experiment", "--from", "quikstart")
    assert "expected a name of letters" in refused("new", "../mine", "--experiment")
    assert not (own / "experiments/mine.yaml").exists()
    assert "--from" in refused("new", "mine")
    assert "wrote experiments/mine.yaml" in printed("new", "mine", "--experiment")


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
    assert len(error.problems) == 19_000


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("experiments/x.yaml", "title: t\nagents: [random]\ngames: 1\nrulesets: [{names}]\n"),
        ("rulesets/star/x.yaml", "title: t\ngame: star\nextends: [{names}]\n"),
    ],
)
def test_of_thousands_of_unknown_names_few_are_compared_with_the_known_ones(
    own: Path, monkeypatch: pytest.MonkeyPatch, path: str, text: str
) -> None:
    compared: list[str] = []
    plain = ruleset_files._near_ruleset

    def near(name: str, *known: Any) -> str:
        compared.append(name)
        return plain(name, *known)

    monkeypatch.setattr(ruleset_files, "_near_ruleset", near)
    names = ", ".join(f"star/defalt{number}" for number in range(19_000))
    (own / path).write_text(text.format(names=names), encoding="utf-8")
    result = call("check", path)
    assert result.exit_code == 2 and "19000 problems" in result.output
    assert "did you mean" in result.stderr and 0 < len(compared) <= ruleset_files.MOST_HINTS


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
    result = call("report", str(tmp_path))
    assert result.exit_code == 2 and "expected a file, found a folder, a pipe or a device" in result.stderr


def test_pipes_and_devices_are_refused_instead_of_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.yaml")
    for words in (("show", str(tmp_path / "x.yaml")), ("check", str(tmp_path)), ("signature", "--check", "/dev/zero")):
        result = call(*words)
        assert result.exit_code == 2 and "expected a file, found a pipe, a socket or a device" in result.stderr
