"""Players from outside in the studio: those that experiment files name, if who opens it allows that; no others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.studio import ROOT, more_players, new_game, opened, own_project, page_of
from tests.test_outside import program
from workbench.errors import WorkbenchError
from workbench.files.project import Project
from workbench.questions import rulesets
from workbench.studio import experiments, opponents
from workbench.studio.words import WORDS
from workbench.studio.workers import state_after

FIRST = """\
from pathlib import Path

Path(__file__).with_name("started").touch()


class First:
    def choose(self, position):
        return position.legal()[0]
"""
NAMES = ["python:First", "uci:random-1"]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A project with a class and an engine that experiments name."""
    own_project(tmp_path, "star", "chess")
    for folder in ("players", "engines"):
        (tmp_path / folder).mkdir()
    (tmp_path / "players" / "simple.py").write_text(FIRST)
    program(tmp_path / "engines" / "random", (ROOT / "tests" / "uci_engine.py").read_text(encoding="utf-8"))
    first, engine_one = {"python": "players.simple:First"}, {"uci": {"command": "engines/random", "nodes": 1}}
    for name, ruleset, agents in (
        ("stars", "star/4x4", ["random", first]),
        ("kings", "chess/orthodox", [first, engine_one]),
        ("broken", "chess/nothing", [{"uci": {"command": "sh", "nodes": 1}}]),
    ):  # fmt: skip
        said = {"title": "Who?", "rulesets": [ruleset], "agents": agents, "games": 3, "max_plies": 30}
        (tmp_path / "experiments" / f"{name}.yaml").write_text(json.dumps(said))
    yield Project(tmp_path)
    opponents.end_programs()


def began(project: Project) -> bool:
    return (project.root / "players" / "started").exists()


def players(page: Page) -> list[str]:
    return [str(text) for text in page.locator("[data-seat='1'] option").all_inner_texts()]


def test_those_of_a_family_sit_down_by_kind_and_label(project: Project) -> None:
    star, chess = (rulesets.load_ruleset(name, project) for name in ("star/5x5", "chess/orthodox"))
    assert list(opponents.outsiders_by_name(star, project)) == NAMES[:1]
    assert list(opponents.outsiders_by_name(chess, project)) == NAMES
    assert dict(opponents.list_opponents(chess, project, True)[1])[WORDS["outside"]] == NAMES
    assert WORDS["outside"] not in dict(opponents.list_opponents(chess, project, False)[1])
    assert not began(project), "nothing is started to know this"


@pytest.mark.thorough
def test_an_engine_answers_from_the_start_and_says_where_it_cannot(project: Project) -> None:
    chess = rulesets.load_ruleset("chess/orthodox", project)
    move = opponents.outsider_reply(chess, "", (), "uci:random-1", 0, 1, project)
    assert move in state_after(chess, "", ()).legal()
    assert (
        opponents.outsider_reply(chess, "", (move,), "uci:random-1", 0, 1, project)
        in state_after(chess, "", (move,)).legal()
    )
    start = "7k/8/8/8/8/1Q6/8/K7 w - - 0 1"
    assert (
        opponents.outsider_reply(chess, start, (), "python:First", 0, 1, project)
        == state_after(chess, start, ()).legal()[0]
    )
    with pytest.raises(WorkbenchError, match="plays from the start of a game only"):
        opponents.outsider_reply(chess, start, (), "uci:random-1", 0, 1, project)
    for other in ("uci:sh-1", "python:players.simple:First"):
        with pytest.raises(WorkbenchError, match="no experiment of the project names"):
            opponents.outsider_reply(chess, "", (), other, 0, 1, project)


def test_nobody_types_a_program(project: Project) -> None:
    star = rulesets.load_ruleset("star/4x4", project)
    for typed in ("python:players.simple:First", " uci:sh,nodes=1"):
        with pytest.raises(WorkbenchError, match="a page starts no program"):
            opponents.canonical_player(star, typed, project)
    for text in ('{python: "players.simple:First"}', "{uci: {command: sh, nodes: 1}}"):
        said = f"title: x\nrulesets: [chess/orthodox]\nagents: [{text}]\ngames: 2\n"
        with pytest.raises(WorkbenchError, match="only the terminal may allow"):
            experiments.plan_costs(project.experiments / "typed.yaml", project, said, False)
    assert not began(project)


@pytest.mark.thorough
def test_without_leave_nothing_is_started(chromium: Browser, project: Project) -> None:
    with opened(project.root) as studio:
        with page_of(chromium, studio, "/play/file/star/default") as page:
            page.wait_for_selector(".stage svg.board")
            expect(page.locator("[data-seat='1'] option[value='optimal']")).to_have_count(1)
            more_players(page)
            assert not [name for name in players(page) if name.startswith(("uci:", "python:"))]
            page.select_option("[data-seat='1']", "?")
            page.fill("[name=player]", "python:players.simple:First")
            page.click("[data-do=sit]")
            expect(page.locator(".why")).to_contain_text("a page starts no program")
        with page_of(chromium, studio, "/experiment/stars") as page:
            expect(page.locator("[data-do=foretell]")).to_be_disabled()
            expect(page.locator("[data-do=play]")).to_have_count(0)
            # What the page does not offer its server does not do either.
            page.locator("[data-do=foretell]").evaluate("button => { button.disabled = false; button.click(); }")
            expect(page.locator(".cost")).to_contain_text("only the terminal may allow")
        with page_of(chromium, studio, "/experiments") as page:
            row = page.locator("[data-experiment=stars]")
            expect(row).to_contain_text("workbench studio --allow-programs")
            expect(row.locator("[data-do=play]")).to_have_count(0)
    assert not began(project)


@pytest.mark.slow
def test_with_leave_they_play_at_the_table_and_in_experiments(chromium: Browser, project: Project) -> None:
    with opened(project.root, "--allow-programs") as studio:
        with page_of(chromium, studio, "/play/new/star/5x5") as page:
            page.wait_for_selector(".stage svg.board")
            more_players(page)
            expect(page.locator("[data-seat='1'] optgroup[label^='From outside'] option")).to_have_text(
                ["python:First"]
            )
            page.select_option("[data-seat='1']", "python:First")
            page.click("[data-cell=c3]")
            expect(page.locator(".side .moves li")).to_have_text(["c3", re.compile(".")])
            (project.root / "players" / "simple.py").write_text("class First:\n    choose = None\n")
            new_game(page)
            page.click("[data-cell=c3]")
            expect(page.locator(".why")).to_contain_text("expected a class First with a method choose")
        (project.root / "players" / "simple.py").write_text(FIRST)
        with page_of(chromium, studio, "/experiments") as page:
            page.click("[data-experiment=stars] [data-do=play]")
            expect(page.locator("[data-experiment=stars] .state")).to_have_text("done")
