"""Files that people write: names that some system cannot hold, or that are taken; and YAML, each file read once."""

from __future__ import annotations

import ntpath
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workbench as wb
from tests.command_line import ROOT, refused
from tests.studio import store_of
from workbench.base import project, yamlfile
from workbench.base.errors import InputError
from workbench.base.project import RESERVED_FOLDERS, Project, experiment_name_problem, name_problem
from workbench.experiments import experiment, workspace
from workbench.players import library
from workbench.records.provenance import ladder_folder
from workbench.rules import rulebook, rulesets

TEXT = "title: A test\nrulesets: [star/default]\nagents: [random]\ngames: 3\nseed: 5\n"
DEVICES = ("CON", "nul", "Com1", "COM¹", "lpt9", "aux", "PRN", "con.x", "CONIN$")
SIGNS = ("a:b", "a<b", 'a"b', "a|b", "what?", "a*", "a\tb", "a\\b", "a/b")
ENDS = ("trail.", "trail ", " lead", ".hidden")
GOOD = ("console", "COM10", "com", "null", "x.con", "C+D", "ガ", "改正案 第2版", "1.10", "007")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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
    for words in ([name], [f"star/{name}"], [name, "--experiment"]):
        assert f"found '{name}'" in refused("new", *words, "--from", "star/default")
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


@pytest.mark.parametrize("name", ["CON", "trail."])
def test_the_studio_saves_nothing_under_it(name: str, own: Path) -> None:
    before, store = sorted(own.rglob("*")), store_of(Project(own))
    with pytest.raises(InputError, match=f"found '{name}'"):
        store.save(store.draft("star/default", "new"), name, replace=True)
    assert sorted(own.rglob("*")) == before


@pytest.mark.parametrize("name", [*RESERVED_FOLDERS, "Players", "test.games-20"])
def test_a_folder_of_reports_that_is_no_experiments_is_no_name_of_one(name: str, own: Path) -> None:
    assert "expected a name not used by" in refused("new", name, "--experiment", "--from", "test")
    file = Path(f"experiments/{name}.yaml")
    file.write_text(TEXT)
    for words in (["check", str(file)], ["check", name], ["check"], ["run", name]):
        said = " ".join(refused(*words).split())
        assert re.search(rf"experiments/{name}.yaml:1: expected a name not used by .*'{name}' \(rename the file", said)
    with pytest.raises(InputError, match=f"name: expected a name not used by .*, found '{name}'"):
        wb.run(name, rulesets=["star/default"], agents=["random"], games=1)
    assert not (own / "reports").exists()


def test_what_the_workbench_keeps_among_the_reports_is_in_such_folders(own: Path) -> None:
    project, ruleset = Project(own), rulesets.load_ruleset("star/default")
    kept = (
        ladder_folder(project.reports, ruleset.name, "0"),
        library.trained_folder(project, "star"),
        library.solution_path(ruleset, project),
        project.reports / experiment.quick_look(experiment.load_experiment("experiments/test.yaml"), 20).name,
    )
    for path in kept:
        name = path.relative_to(project.reports).parts[0]
        assert "expected a name not used by" in experiment_name_problem(name), path


# YAML


SHIPPED = Project(Path(__file__).parent.parent)


def test_scalars_are_those_of_yaml_1_2() -> None:
    texts = ["off", "on", "yes", "no", "007", "0x1F", "1_000", "12:30", "2007-09-09", ".inf"]
    node = yamlfile.parse_yaml(f"a: [true, false, null, ~, 12, -3, 1.5, 1e3, '5', {', '.join(texts)}]", "x")
    assert node.plain()["a"] == [True, False, None, None, 12, -3, 1.5, 1000.0, "5", *texts]


def test_nodes_know_their_places() -> None:
    node = yamlfile.parse_yaml("a:\n  - b: 1\n    c:\n      - 2\nd: &x {e: 3}\nf: *x\n", "x")
    found = (node.descendant("a", 0, "b"), node.descendant("a", 0, "c", 0), node.descendant("f", "e"))
    assert [(each.key, each.line) for each in found] == [("a[0].b", 2), ("a[0].c[0]", 4), ("f.e", 6)]
    assert (node.descendant("a", 7).key, node.descendant("d", "no", "e").key) == ("a", "d")


@settings(deadline=None)
@given(st.text(st.sampled_from("ab:-?[]{},&*!|>'\"%@` \t\n#~\\U0<")) | st.text())
def test_any_text_is_a_tree_or_an_input_error(content: str) -> None:
    try:
        root = yamlfile.parse_yaml(content, "x")
    except InputError as error:
        assert error.problems
    else:
        assert isinstance(root.value, dict)


def test_project_is_the_nearest_folder_with_rulesets_or_the_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert project.find_project().shipped and project.find_project().reports == tmp_path / "reports"
    for folder in ("a/b", "rulesets/chatra"):
        (tmp_path / folder).mkdir(parents=True)
    assert [project.find_project(tmp_path / start) for start in (".", "a/b", "rulesets")] == [Project(tmp_path)] * 3


def test_inside_follows_links(tmp_path: Path) -> None:
    here = Project(tmp_path / "p")
    here.rulesets.mkdir(parents=True)
    (here.root / "out").symlink_to(tmp_path)
    assert here.contains(here.rulesets / "x.yaml")
    assert not here.contains(here.root / "out" / "x.yaml")
    assert not here.contains(here.root / ".." / "x.yaml")


# Each file is read once


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    paths: list[str] = []
    original = yamlfile.read_small_file

    def counting(path: Any, what: str) -> bytes:
        paths.append(str(path))
        return original(path, what)

    monkeypatch.setattr(yamlfile, "read_small_file", counting)
    return paths


@pytest.mark.parametrize(
    "work",
    [
        lambda: rulesets.load_all_rulesets(SHIPPED),
        lambda: experiment.load_experiment(SHIPPED.experiments / "chatra-proposals.yaml", SHIPPED),
        lambda: experiment.load_experiment(SHIPPED.experiments / "rengo-armies.yaml", SHIPPED),
        lambda: workspace.check_files([], SHIPPED),
        yamlfile.snapshot()(
            lambda: list(rulebook.describe_ruleset(rulesets.load_ruleset("chatra/A+C+E", SHIPPED), SHIPPED))
        ),
    ],
    ids=["load_all", "experiment", "armies", "check", "show"],
)
def test_each_file_is_opened_once(work: Callable[[], object], opened: list[str]) -> None:
    work()
    assert opened and len(opened) == len(set(opened))


def test_a_file_that_changes_is_read_again(tmp_path: Path, opened: list[str]) -> None:
    path = tmp_path / "mine.yaml"

    def write(value: str) -> None:
        path.write_text(f"game: chatra\ntitle: mine\nrules: {{stuck: {value}}}\n", encoding="utf-8")

    def stuck() -> object:
        return rulesets.load_ruleset(path, SHIPPED).settings["stuck"]

    for value in ("loss", "draw", "loss"):
        write(value)
        assert stuck() == value
    assert len(opened) == 3
    with yamlfile.snapshot():
        assert stuck() == "loss"
        write("draw")
        assert stuck() == "loss"
    assert stuck() == "draw"


def test_a_broken_file_is_told_alike_however_often_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("game: chatra\ntitle: mine\ntitle: again\nrules: {stuck: los}\n", encoding="utf-8")

    def told() -> list[str]:
        with pytest.raises(InputError) as caught:
            rulesets.load_ruleset(path, SHIPPED)
        return [str(problem) for problem in caught.value.problems]

    with yamlfile.snapshot():
        first, second = told(), told()
    assert first == second == told() and len(first) == 2
