"""Every view of the studio by axe-core: nothing that keeps somebody from using it, in both languages and colours.

None is wider than its window, either.

A view is an entry of `VIEWS`: its address, and what is done there before it is looked at.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from starlette.datastructures import QueryParams

from tests.addons.search.found_search import write_found
from tests.studio import ROOT, Studio, new_game, opened, own_project, page_of, show_yaml, store_of, unfold
from workbench import report
from workbench.base.project import Project
from workbench.experiments import experiment as experiments
from workbench.runs import runner
from workbench.studio.asks import ANALYSES, QUICK
from workbench.studio.pages.ask import Choice

GRAVE = ("serious", "critical")
WINDOWS: Mapping[str, dict[str, Any]] = {
    "store-light-en": {"locale": "en-US", "color_scheme": "light"},
    "store-dark-ja": {"locale": "ja-JP", "color_scheme": "dark"},
    "phone-dark-en": {"locale": "en-US", "color_scheme": "dark", "viewport": {"width": 390, "height": 844}},
    "phone-light-ja": {"locale": "ja-JP", "color_scheme": "light", "viewport": {"width": 390, "height": 844}},
}
"""Any two of size, colours and language meet in one of them."""


def with_mistakes(page: Page) -> None:
    unfold(page)
    page.locator("#toggle-foul .option").nth(1).click()
    page.wait_for_selector(".chip")
    show_yaml(page)
    page.fill("#yaml", "game: star\nextends: default\nrules:\n  size: 77\n")
    page.wait_for_selector(".verdict.wrong")


def with_the_dialog(page: Page) -> None:
    page.click("[data-do=save]")
    page.wait_for_selector("dialog[open]")


def with_a_drawing(page: Page) -> None:
    unfold(page)
    page.locator("[data-board=object_area], [data-draw=object_area]").last.click()
    page.click("#toggle-object_area .painted [data-cell=e5]")
    page.wait_for_selector(".chip")
    page.click("[data-draw=start_position]")
    page.click("#toggle-start_position [data-brush=B]")


def with_a_hint(page: Page) -> None:
    page.wait_for_selector(".stage svg.board")
    page.select_option("[data-seat='1']", "human")
    new_game(page)
    page.wait_for_function("!document.querySelector('.side .moves li')")
    page.click("[data-cell=b1]")
    page.wait_for_selector(".side .moves li")
    page.click("[data-do=hint]")
    page.wait_for_selector("p.hinted b")
    page.evaluate("for (const each of document.querySelectorAll('.setup')) each.open = true")


def with_an_earlier_position(page: Page) -> None:
    page.wait_for_selector(".stage svg.board")
    page.select_option("[data-seat='1']", "human")
    for n, cell in enumerate(("b1", "e5"), start=1):
        if page.locator(".side .moves li").count() < n:
            page.click(f"[data-cell={cell}]")
        page.wait_for_function(f"document.querySelectorAll('.side .moves li').length >= {n}")
    page.click("[data-ply='1']")
    page.wait_for_selector("[data-do=continue]")
    page.click("[data-do=new]")


def while_painting(page: Page) -> None:
    page.wait_for_selector(".stage svg.board")
    page.click("[data-do=paint]")
    page.click("[data-paint=none]")
    page.wait_for_function("document.querySelector('.counted').textContent !== ''")


def with_answers(page: Page) -> None:
    page.wait_for_selector("[data-report=again] .scores")
    page.wait_for_selector("#main > [role=status]", state="detached")
    for name in ("small", "other"):
        if page.locator(f"[data-report={name}] [data-do=play]").count():
            page.click(f"[data-report={name}] [data-do=play]")


def with_rows(page: Page) -> None:
    page.wait_for_selector(".compare tbody tr")
    page.check("[data-do=all]")


def with_both_games(page: Page) -> None:
    page.click(".which summary")
    page.select_option("[data-do=acts]", "chatra/C")
    page.wait_for_selector(".pair .replay")


def with_findings(page: Page) -> None:
    page.wait_for_selector("button[data-do=play], [data-do=stop], .report-view .lead")
    if page.locator("button[data-do=play]").count():
        page.click("button[data-do=play]")
    page.wait_for_selector(".bars, .report-view .lead")


def with_its_rules(page: Page) -> None:
    page.click(".searching summary")
    page.wait_for_selector(".counted p")


def with_a_look(page: Page) -> None:
    page.locator(".found [data-do=look]").first.click()


class View(NamedTuple):
    address: str
    prepare: Callable[[Page], object] = lambda page: None


def shows(selector: str) -> Callable[[Page], object]:
    return lambda page: page.wait_for_selector(selector)


VIEWS: Mapping[str, View] = {
    "front": View("/"),
    "rules": View("/rules/chatra/2007-09"),
    "file": View("/rules/rengo/go9"),
    "history": View("/history/new/star/default"),
    "mistakes": View("/rules/star/default", with_mistakes),
    "drawing": View("/rules/chatra/9x9", with_a_drawing),
    "saving": View("/rules/star/4x4", with_the_dialog),
    "idea": View("/?game=chatra&idea=no+offside", shows(".near, .nothing")),
    "idea without words": View("/?game=chess&idea=zebra", shows(".near, .nothing")),
    "book": View("/book/file/chatra/A+C", shows(".handout figure svg")),
    "play": View("/play/file/star/default", with_a_hint),
    "earlier": View("/play/file/star/5x5", with_an_earlier_position),
    "painting": View("/play/file/chess/orthodox", while_painting),
    "answers": View("/answers", with_answers),
    "report": View("/report/sample", shows(".report-view .lead")),
    "rulesets compared": View("/compare?report=sample&report=again", with_rows),
    "where it acts": View("/report/sample?games", with_both_games),
    "to be asked": View("/ask/file/star/own-pieces?with=star/4x4&measure=plies", shows("[data-do=start]")),
    "asked": View("/ask/file/star/stuck-draws?against=star/default", shows(".report-view .lead")),
    "run": View("/report/small", with_findings),
    "new search": View("/new-search?base=star/default", with_its_rules),
    "search": View("/report/searches/found", with_a_look),
    "missing": View("/rules/chess/nothing-of-that-name"),
}


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    project = own_project(tmp_path_factory.mktemp("mine"), "star", "chess", "chatra", "rengo")
    for name in ("sample", "again"):
        shutil.copytree(ROOT / "tests" / "data" / "sample", project / "reports" / name)
    for name in ("small", "other"):
        text = "title: A question\nrulesets: [star/4x4, star/5x5]\nagents: [random]\ngames: 100000\n"
        (project / "experiments" / f"{name}.yaml").write_text(text)
    question = Choice.of(
        store_of(Project(project)), "file", "star/stuck-draws", QueryParams("against=star/default")
    ).question()
    question.write(QUICK, ANALYSES * 4)
    folder = project / "reports" / question.path(QUICK).stem
    runner.run_experiment(experiments.load_experiment(question.path(QUICK), Project(project)), folder, workers=1)
    report.write_report(folder)
    write_found(Project(project), "found")
    with opened(project) as studio:
        yield studio


def findings(page: Page) -> list[str]:
    answer = Axe().run(page, options={"resultTypes": ["violations"]}).response
    return [
        f"{found['impact']} {found['id']}: {found['help']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for found in answer["violations"]
        if found["impact"] in GRAVE
        for node in found["nodes"][:5]
    ]


def one_window_each() -> Iterator[Any]:
    """Yield every view with one of the windows before a change lands, and with the other three at night."""
    for number, view in enumerate(VIEWS):
        turn = number % len(WINDOWS)
        first, *others = (*list(WINDOWS)[turn:], *list(WINDOWS)[:turn])
        yield pytest.param(view, (first,), marks=pytest.mark.thorough)
        yield pytest.param(view, tuple(others), marks=pytest.mark.nightly)


@pytest.mark.parametrize(("view", "windows"), list(one_window_each()))
def test_nothing_keeps_anybody_from_using_a_view(
    chromium: Browser, studio: Studio, view: str, windows: tuple[str, ...]
) -> None:
    found = {}
    for window in windows:
        with page_of(chromium, studio, VIEWS[view].address, view == "missing", **WINDOWS[window]) as page:
            page.wait_for_selector("#main")
            VIEWS[view].prepare(page)
            # Colours on their way to others would be measured on the way.
            page.add_style_tag(content="* { animation: none !important; transition: none !important; }")
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            two_rows = page.evaluate("document.querySelector('.top').offsetHeight") > 60
            wrong = [f"{wide} pixels wider than the window"] * (wide > 0) + ["the header has two rows"] * two_rows
            if wrong := findings(page) + wrong:
                found[window] = wrong
    assert not found, "\n".join(f"{window}\n  {line}" for window, lines in found.items() for line in lines)


@pytest.mark.thorough
def test_what_is_wrong_would_be_found(chromium: Browser, studio: Studio) -> None:
    with page_of(chromium, studio, "/") as page:
        page.wait_for_selector("#main")
        page.evaluate("document.querySelector('#main').insertAdjacentHTML('beforeend', '<button></button>')")
        assert any(line.startswith("critical button-name") for line in findings(page))
