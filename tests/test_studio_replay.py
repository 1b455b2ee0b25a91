"""Games that were played, over the page of their report: the same board as in reports, for all games of the records."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.studio import ROOT, Studio, opened, own_project, page_of
from workbench import report
from workbench.base.project import Project
from workbench.experiments import experiment
from workbench.runs import runner
from workbench.studio import report_files
from workbench.studio.game_tasks import game_number

TEXT = """\
title: <img src=x onerror=alert(1)> & games
title_ja: 棋譜の<b>試験</b>
rulesets: [star/5x5, chatra/9x9]
agents: [random, greedy]
games: 12
max_plies: 60
seed: 3
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, no_charts_in_module: None) -> Path:
    project = own_project(tmp_path_factory.mktemp("mine"), "star", "chatra")
    (project / "experiments" / "looks.yaml").write_text(TEXT, encoding="utf-8")
    runner.run_experiment(
        experiment.load_experiment(project / "experiments" / "looks.yaml"), project / "reports" / "looks", workers=1
    )
    report.write_report(project / "reports" / "looks")
    (project / "reports" / "empty").mkdir()
    shutil.copytree(ROOT / "tests" / "data" / "sample", project / "reports" / "sample")
    outside = tmp_path_factory.mktemp("elsewhere") / "secret"
    shutil.copytree(project / "reports" / "looks", outside)
    (project / "reports" / "secret").symlink_to(outside)
    return project


@pytest.fixture(scope="module")
def studio(project: Path) -> Iterator[Studio]:
    with opened(project) as studio:
        yield studio


def plies(page: Page) -> Any:
    return page.locator("[data-part=ply]")


@pytest.mark.thorough
def test_games_open_over_a_report_and_back_closes_them(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/report/looks") as page:
        expect(page.locator("h1")).to_have_text("<img src=x onerror=alert(1)> & games", use_inner_text=True)
        page.click("[data-do=games]")
        page.click("dialog [data-part=next]")
        expect(plies(page)).to_have_text(re.compile("^1 / "))
        page.go_back()
        expect(page.locator("dialog.looking")).to_be_hidden()
        page.wait_for_url("**/report/looks")


@pytest.mark.thorough
def test_any_game_is_shown_as_in_the_records_and_worked_as_in_reports(
    chromium: Browser, studio: Studio, project: Path
) -> None:
    with page_of(chromium, studio, "/report/looks?games") as page:
        page.wait_for_selector("#viewer")
        page.click(".which summary")
        page.select_option("[data-do=cell]", label="Current rules on 9×9 squares: greedy")
        page.fill("[data-do=number]", "7")
        page.click("[data-do=show]")
        trials = pd.read_parquet(project / "reports" / "looks" / "trials")
        mirror = (trials["ruleset"] == "chatra/9x9") & (trials["first"] == "greedy") & (trials["second"] == "greedy")
        (kept,) = trials[mirror & (trials["game"] == 6)].to_dict("records")
        expect(page.locator("[data-part=about]")).to_contain_text("game 7 of 12: chosen by number.")
        expect(plies(page)).to_have_text(f"0 / {kept['plies']}")
        expect(page.locator("h2#games-heading")).to_have_text("Game: Current rules on 9×9 squares, for beginners")
        assert page.locator(".moves button").all_inner_texts()[:6] == kept["opening"].split()
        page.focus("#viewer")
        page.keyboard.press("ArrowRight")
        expect(plies(page)).to_have_text(f"1 / {kept['plies']}")
        expect(page.locator(".curve")).to_be_visible()
        page.select_option("[data-do=cell]", label="5×5 cells, four pieces each: random")
        page.click("[data-do=show]")
        expect(page.locator("[data-part=about]")).to_contain_text("5×5 cells, four pieces each, random, game 7 of 12")
        expect(page.locator(".curve")).to_be_hidden()


@pytest.mark.thorough
def test_a_link_leads_to_the_game_and_another_choice_leaves_it(chromium: Browser, studio: Studio) -> None:
    fragment = "#game=star/5x5/greedy/greedy/5&ply=3"
    with page_of(chromium, studio, f"/report/looks{fragment}") as page:
        expect(page.locator("[data-part=about]")).to_contain_text("5×5 cells, four pieces each, greedy, game 5 of 12")
        expect(plies(page)).to_have_text(re.compile(r"^3 / "))
        page.click(".which summary")
        example = page.locator("[data-do=example] option").nth(1)
        page.select_option("[data-do=example]", example.get_attribute("value") or "")
        expect(page.locator("[data-part=about]")).not_to_contain_text("game 5 of 12")
        assert "/5" not in page.evaluate("location.hash")


def test_only_games_of_a_report_are_replayed(project: Path) -> None:
    assert report_files.folder_with_games(Project(project), "looks")
    for name in ("secret", "empty", "nothing", "..", "%2e%2e"):
        assert report_files.folder_with_games(Project(project), name) is None
    cells = [{"ruleset": "star/5x5", "first": "random", "second": "random", "count": 12}]
    for number in ("", "0", "13", "1e3", "\uff19", "12"):
        game = game_number(cells, f"star/5x5/random/random/{number}")
        assert game == (("star/5x5", "random", "random", 12) if number == "12" else None)
    assert game_number(cells, "../1") is None


def test_a_rule_is_seen_to_act_in_two_games_side_by_side(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/report/sample#game=pair/chatra/C/now&ply=1") as page:
        expect(page.locator(".pair .replay")).to_have_count(2)
        expect(page.locator("dialog p[role=status]")).to_have_text(
            re.compile(r"Move 1: \w+ under Rules of September 2007, O\w+ under C; ")
        )
        expect(page.locator("dialog.looking")).to_contain_text("Black places the first object")
        moves = page.locator(".pair [data-part=move]")
        was, now = moves.all_inner_texts()
        assert now.startswith("O") and not was.startswith("O")
        page.locator(".pair [data-part=next]").last.click()
        expect(page.locator(".pair [data-part=ply]").first).to_have_text(re.compile("^2 / "))
        page.click(".which summary")
        page.select_option("[data-do=acts]", "chatra/2008-02")
        expect(page.locator("dialog p[role=status]")).to_have_text(re.compile("under Rules of February 2008"))
        page.select_option("[data-do=acts]", "")
        expect(page.locator("dialog .replay")).to_have_count(1)
