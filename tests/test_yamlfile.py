"""YAML files: their values and places, where they are looked for, and that each is read once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import InputError
from workbench.files import project, yamlfile
from workbench.files.project import Project
from workbench.questions import experiment, rulebook, rulesets, workspace

SHIPPED = Project(Path(__file__).parent.parent)


def test_scalars_are_those_of_yaml_1_2() -> None:
    content = (
        "a: [off, on, yes, no, true, false, null, ~, 12, -3, 007, 0x1F, 1_000, 12:30, 2007-09-09, 1.5, 1e3, .inf, '5']"
    )
    node = yamlfile.parse_yaml(content, "x")
    assert node.plain()["a"] == [
        "off", "on", "yes", "no", True, False, None, None, 12, -3, "007", "0x1F", "1_000", "12:30", "2007-09-09", 1.5,
        1000.0, ".inf", "5",
    ]  # fmt: skip
    assert node.descendant("a", 10).text == "007"
    assert node.descendant("a", 14).text == "2007-09-09"


def test_nodes_know_their_places() -> None:
    node = yamlfile.parse_yaml("a:\n  - b: 1\n    c:\n      - 2\nd: &x {e: 3}\nf: *x\n", "x")
    assert [
        (n.key, n.line)
        for n in (node.descendant("a", 0, "b"), node.descendant("a", 0, "c", 0), node.descendant("f", "e"))
    ] == [
        ("a[0].b", 2),
        ("a[0].c[0]", 4),
        ("f.e", 6),
    ]
    assert node.descendant("a", 7).key == "a"
    assert node.descendant("d", "no", "e").key == "d"


@settings(deadline=None)
@given(st.text(st.sampled_from("ab:-?[]{},&*!|>'\"%@` \t\n#~\\U0<")) | st.text())
def test_any_text_is_a_tree_or_an_input_error(content: str) -> None:
    try:
        root = yamlfile.parse_yaml(content, "x")
    except InputError as error:
        assert error.problems
    else:
        assert isinstance(root.value, dict)


# Projects


def test_project_is_the_nearest_folder_with_rulesets(tmp_path: Path) -> None:
    (tmp_path / "rulesets" / "chatra").mkdir(parents=True)
    (tmp_path / "a" / "b").mkdir(parents=True)
    for start in (tmp_path, tmp_path / "a" / "b", tmp_path / "rulesets" / "chatra"):
        assert project.find_project(start) == Project(tmp_path)
    assert project.find_project(tmp_path).reports == tmp_path / "reports"


def test_without_a_project_the_shipped_files_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = project.find_project()
    assert shipped.shipped
    assert "chatra/C+D" in rulesets.ruleset_names()
    assert shipped.reports == Path.cwd() / "reports"


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
    """The YAML files that are opened, each as often as it is."""
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
        lambda: rulesets.load_ruleset("chatra/A+C+E", SHIPPED),
        lambda: experiment.load_experiment(SHIPPED.experiments / "chatra-proposals.yaml", SHIPPED),
        lambda: experiment.load_experiment(SHIPPED.experiments / "rengo-armies.yaml", SHIPPED),
        lambda: workspace.check_files([], SHIPPED),
        yamlfile.snapshot()(
            lambda: list(rulebook.describe_ruleset(rulesets.load_ruleset("chatra/A+C+E", SHIPPED), SHIPPED))
        ),
    ],
    ids=["load_all", "load", "experiment", "armies", "check", "show"],
)
def test_each_file_is_opened_once(work: Callable[[], object], opened: list[str]) -> None:
    work()
    assert opened and len(opened) == len(set(opened))


def test_a_file_that_changes_is_read_again(tmp_path: Path, opened: list[str]) -> None:
    """Even where neither its size nor, on a coarse clock, its date tells."""
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
