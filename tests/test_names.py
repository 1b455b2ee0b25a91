"""What people give names to becomes a file or a folder: names that some system cannot hold, or that are taken."""

from __future__ import annotations

import ntpath
import shutil
import sys
from pathlib import Path

import pytest

import workbench as wb
from tests.command_line import ROOT, printed, refused
from workbench.errors import InputError
from workbench.exact import solutions
from workbench.files.project import RESERVED_FOLDERS, Project, experiment_name_problem, name_problem
from workbench.games import added
from workbench.learning import library
from workbench.questions import experiment, rulesets
from workbench.store import kept_files
from workbench.studio import drafts
from workbench.studio.drafts import Desk, Unsaved
from workbench.studio.experiments import ExperimentSheets

TEXT = "title: A test\nrulesets: [star/default]\nagents: [random]\ngames: 3\nseed: 5\n"
DEVICES = ("CON", "nul", "Com1", "COM¹", "lpt9", "aux", "PRN", "con.x", "CONIN$")
SIGNS = ("a:b", "a<b", 'a"b', "a|b", "what?", "a*", "a\tb", "a\\b", "a/b")
ENDS = ("trail.", "trail ", " lead", ".hidden")
GOOD = ("console", "COM10", "com", "null", "x.con", "C+D", "ガ", "改正案 第2版", "1.10", "007")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder that is quickly checked."""
    for name in ("rulesets/star/default.yaml", "rulesets/rengo/armies/chess-cavalry.yaml"):
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "test.yaml").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", [*DEVICES, *SIGNS, *ENDS, ""])
def test_some_system_cannot_hold_it(name: str) -> None:
    assert f"found '{name}'" in name_problem(name)


@pytest.mark.parametrize("name", GOOD)
def test_every_system_can_hold_it(name: str) -> None:
    assert not name_problem(name) and not experiment_name_problem(name)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="Python knows what Windows reserves since 3.13")
@pytest.mark.parametrize("name", [*DEVICES, *SIGNS[1:-2], "trail.", "trail ", *GOOD])
def test_python_says_the_same_of_windows(name: str) -> None:
    assert bool(name_problem(name)) == ntpath.isreserved(name)  # type: ignore[attr-defined,unused-ignore]


@pytest.mark.parametrize("name", ["CON", "nul", "COM1", "con.x", "COM¹", "trail."])
def test_no_new_file_has_it(name: str, own: Path) -> None:
    before = sorted(own.rglob("*"))
    assert f"found '{name}'" in refused("new", name, "--from", "star/default")
    assert f"found '{name}'" in refused("new", f"star/{name}", "--from", "star/default")
    assert f"found '{name}'" in refused("new", name, "--experiment", "--from", "star/default")
    assert sorted(own.rglob("*")) == before


@pytest.mark.parametrize("name", ["CON", "trail.", "a:b", "a\\b"])
def test_a_file_that_has_it_is_named_with_what_to_do(name: str, own: Path) -> None:
    for file, content in (
        (f"rulesets/star/{name}.yaml", "game: star\ntitle: Mine\n"),
        (f"experiments/{name}.yaml", TEXT),
        (f"rulesets/rengo/armies/{name}.yaml", (own / "rulesets/rengo/armies/chess-cavalry.yaml").read_text()),
    ):
        Path(file).write_text(content)
        for words in ([file], []):
            said = " ".join(refused("check", *words).split())
            assert f"{file}:" in said and f"found '{name}'" in said and "rename the file" in said, words
        Path(file).unlink()
    elsewhere = Path(f"{name}.yaml")
    elsewhere.write_text("game: star\ntitle: Mine\n")
    assert f"found '{name}'" in refused("show", str(elsewhere))


def test_no_game_has_it(own: Path) -> None:
    (own / "games" / "nul").mkdir(parents=True)
    (own / "games" / "nul" / "rules.py").write_text("")
    assert "games/nul: expected a name that a file can have" in added.families()["nul"].refused


@pytest.mark.parametrize("name", ["CON", "trail."])
def test_the_studio_saves_nothing_under_it(name: str, own: Path) -> None:
    before = sorted(own.rglob("*"))
    draft = Desk(Project(own), Unsaved(Project(own))).draft("star/default", "new")
    with pytest.raises(InputError, match=f"found '{name}'"):
        drafts.save_ruleset(draft, name, replace=True)
    sheets = ExperimentSheets(Project(own), Unsaved(Project(own)))
    with pytest.raises(InputError, match=f"found '{name}'"):
        sheets.save(sheets.new_sheet(["star/default"]), name, replace=True)
    assert sorted(own.rglob("*")) == before


def test_rules_are_not_saved_under_the_name_of_what_they_extend(own: Path) -> None:
    draft = Desk(Project(own), Unsaved(Project(own))).draft("star/default", "new")
    with pytest.raises(InputError, match="under the name of rules that they extend"):
        drafts.save_ruleset(draft, "default", replace=True)


@pytest.mark.parametrize("name", [*RESERVED_FOLDERS, "Players", "test.games-20"])
def test_a_folder_of_reports_that_is_no_experiments_is_no_name_of_one(name: str, own: Path) -> None:
    assert f"expected another name than '{name}'" in refused("new", name, "--experiment", "--from", "test")
    file = Path(f"experiments/{name}.yaml")
    file.write_text(TEXT)
    for words in (["check", str(file)], ["check", name], ["check"], ["run", name]):
        said = " ".join(refused(*words).split())
        assert f"experiments/{name}.yaml:1: expected another name than '{name}'" in said and "rename the file" in said
    with pytest.raises(InputError, match=f"name: expected another name than '{name}'"):
        wb.run(name, rulesets=["star/default"], agents=["random"], games=1)
    assert not (own / "reports").exists()
    # they are kept from experiments alone
    shutil.copy("rulesets/star/default.yaml", f"rulesets/star/{name}.yaml")
    assert "fine" in printed("check", f"rulesets/star/{name}.yaml")


def test_what_the_workbench_keeps_among_the_reports_is_in_such_folders(own: Path) -> None:
    project, ruleset = Project(own), rulesets.load_ruleset("star/default")
    kept = (
        kept_files.ladder_folder(project.reports, ruleset.name, "0"),
        library.trained_folder(project, "star"),
        solutions.solution_path(ruleset, project),
        project.reports / experiment.quick_look(experiment.load_experiment("experiments/test.yaml"), 20).name,
    )
    for path in kept:
        name = path.relative_to(project.reports).parts[0]
        assert "expected another name" in experiment_name_problem(name), path
