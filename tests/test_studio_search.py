"""The studio's pages of searches for rulesets: the form that writes their files, the run, and what was found."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, expect

from tests.addons.search.found_search import FINALISTS, TEXT, write_found
from tests.patience import PATIENCE
from tests.studio import ROOT, WorkersHere, opened, own_project, page_of, run_apart, store_of
from workbench import games
from workbench.addons.search import progress
from workbench.addons.search import question as rule_search
from workbench.addons.search import run as runs
from workbench.addons.search import statistics as model
from workbench.addons.search.page import SearchQuestion, variable
from workbench.addons.search.question import STAGES
from workbench.base.errors import InputError
from workbench.base.language import translated
from workbench.base.project import Project
from workbench.rules.rulesets import load_ruleset
from workbench.runs.progress import FolderState
from workbench.studio.jobs import Queue
from workbench.studio.runs import Runs, load_runs
from workbench.studio.visitor import Visitor


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(own_project(tmp_path, "star", "draughts"))


def asked(project: Project, query: str) -> SearchQuestion:
    return SearchQuestion.of(query, store_of(project))


def test_a_form_becomes_a_file_that_the_same_question_finds_again(project: Project) -> None:
    query = (
        "base=star%2Fdefault&first_score=%5B0.45%2C+0.55%5D&draw_rate=&plies=%5B1%2C+2%5D&hours=8&vary=stuck&vary=size"
    )
    question = asked(project, query)
    question.write()
    search = rule_search.load_search(question.path, project)
    assert search.base.name == "star/default" and search.budget["hours"] == 8
    assert {factor.name: [level.name for level in factor.levels] for factor in search.factors} == {
        "size": ["3", "4", "5"], "stuck": ["loss", "draw"],
    }  # fmt: skip
    assert [*search.targets] == ["first_score"], "a target that the form does not offer is none"
    assert translated(search.heading, "en").endswith(": fairly even (45–55 %)")
    path = question.path
    path.write_text(path.read_text() + "# mine\n")
    again = asked(project, query)
    again.write()
    assert again.name == question.name and path.read_text().endswith("# mine\n")
    assert asked(project, query.replace("hours=8", "hours=9")).name != question.name


@pytest.mark.parametrize(
    ("change", "key"), [("vary=", "space"), ("hours=1.2.3", "budget.hours"), ("first_score=no", "targets")]
)
def test_what_a_form_lacks_is_told(project: Project, change: str, key: str) -> None:
    query = {"base": "star/default", "vary": "stuck", "first_score": "[0.47, 0.53]", "hours": "1"}
    name, _, value = change.partition("=")
    question = asked(project, urlencode(query | {name: value}))
    with pytest.raises(InputError) as raised:
        progress.describe_text(question.path, project, question.text)
    assert key in str(raised.value)


def test_every_rule_of_every_game_can_vary(project: Project) -> None:
    store = store_of(Project(ROOT))
    for base in ("chatra/2008-02", "chess/orthodox", "draughts/english", "rengo/go9", "star/default"):
        settings = load_ruleset(base, store.project)
        query = urlencode({"base": base, "vary": [*variable(store, settings)], "plies": "[20, 40]", "hours": 1}, True)
        question = SearchQuestion.of(query, store)
        search = rule_search.load_search(question.path, store.project, question.text)
        assert None not in search.base_point(), "the base is in the space"


def test_rulesets_are_counted_without_a_game_and_what_is_refused_is_said(project: Project) -> None:
    text = "title: x\nbase: draughts/english\nspace: {size: [6, 8], stuck: [loss, draw]}\nnever: [{stuck: draw}]\n"
    text += 'targets: {draw_rate: "<0.3"}\n'
    lines = [translated(line, "en") for line in progress.describe_text(project.searches / "x.yaml", project, text)]
    assert lines[0] == "4 combinations: 1 different rulesets." and any("size=6" in line for line in lines)


def test_rulesets_are_known_by_what_their_names_change(project: Project) -> None:
    search = rule_search.load_search(ROOT / "searches" / "fair-chatra.yaml", Project(ROOT))
    candidates = rule_search.list_candidates(search)
    for place, ruleset in enumerate(candidates.rulesets):
        assert rule_search.parse_changes(search, ruleset.name) == candidates.changes(search, place)
    for name in (*(f"2008-02 {rest}" for rest in ("stuck=win", "stuck=loss, opening=objects-first", "")), "C"):
        assert rule_search.parse_changes(search, f"chatra/{name}") is None


def test_what_was_found_is_told_in_words(project: Project) -> None:
    folder = write_found(project, "found")
    run = load_runs(project, ["searches/found"])["searches/found"]
    assert (run.status.state, run.status.games, run.status.total) == (FolderState.DONE, 1000, 1000)
    overview = progress.read_overview(project, "found")
    assert overview is not None and [row["number"] for row in overview["rows"][:4]] == [1, 2, 3, 0]
    assert len(overview["rows"]) == 8
    assert overview["rows"][3]["values"][1].startswith("0.0"), "no model says less than nothing"
    assert overview["rows"][1]["settings"] == {"stuck": "draw", "size": 4}
    assert [change["title"] for change in overview["rows"][1]["changes"]] == [
        toggle.title for toggle in games.declaration("star").toggles if toggle.name in ("stuck", "size")
    ]
    # The file may have changed since.
    path = project.searches / "found.yaml"
    path.write_text(path.read_text().replace("[loss, draw]", "[loss]"))
    overview = progress.read_overview(project, "found")
    assert overview is not None and overview["rows"][1]["settings"] is None
    assert translated(overview["rows"][1]["title"], "ja") == FINALISTS[1]
    (folder / "search.json").write_text("{")
    run = load_runs(project, ["searches/found"])["searches/found"]
    assert run.status.state is FolderState.DAMAGED and "search.json" in run.status.damaged[0]


def test_a_ruleset_that_was_found_is_one_draft_however_often_it_is_opened(project: Project) -> None:
    store = store_of(project)
    first = store.draft_with("star/default", {"stuck": "draw", "size": 4})
    assert first.read().settings["size"] == 4 and first.read().ruleset is not None
    other = store.draft_with("star/default", {"size": 5})
    assert other is not first and other.page == "star/default~2"
    assert store.draft_with("star/default", {"stuck": "draw", "size": 4}) is first
    assert translated(first.title(first.read()), "en").startswith("Board size 4")


def test_the_queue_knows_searches_by_their_folder_and_takes_them_up_again(project: Project) -> None:
    write_found(project, "found", finished=False)
    saved: list[tuple[str, ...]] = []

    async def whole() -> None:
        queue = Queue(project, save=saved.append)
        queue.resume(["searches/found", "searches/gone"])
        job = queue.running
        assert job is not None and (job.name, job.address) == ("searches/found", "/report/searches/found")
        job.phase, job.stage = "playing", "race"
        view = Runs(project, queue, WorkersHere()).entry(job.name, Visitor("en", "auto"))  # type: ignore[arg-type]
        assert view is not None and view["phase"] == STAGES["race"]
        await queue.close()

    run_apart(whole())
    assert saved == [("searches/found",), ()]


def test_every_stage_of_a_search_has_its_words() -> None:
    assert set(STAGES) == {model.SIEVE, model.SAMPLE, model.ROUNDS, model.RACING, runs.CONFIRMATION}


@pytest.mark.thorough
def test_a_search_is_asked_for_and_stopped(chromium: Browser, tmp_path: Path) -> None:
    project = own_project(tmp_path, "star", "draughts")
    with opened(project) as studio, page_of(chromium, studio, "/answers") as page:
        page.click("text=Look for other proposals")
        expect(page.locator(".counted")).to_contain_text("rulesets")
        for base in ("draughts/english", "star/4x4"):
            page.select_option("[name=base]", base)
            page.wait_for_url(f"**base={base.replace('/', '%2F')}*")
            expect(page.locator("[name=vary]:checked")).not_to_have_count(0)
        page.select_option("[name=plies]", "[20, 40]")
        page.click(".searching summary")
        page.uncheck("[value=size]")
        page.wait_for_url(re.compile("base=star%2F4x4.*plies=%5B20"))
        page.reload()
        expect(page.locator("[name=plies]")).to_have_value("[20, 40]")
        page.click(".searching summary")
        expect(page.locator("[value=size]")).not_to_be_checked()
        page.click("[data-do=start]")
        page.wait_for_url("**/report/searches/star-4x4-*")
        page.click("[data-do=stop]")
        expect(page.locator("[data-do=play]")).to_have_text("Continue")
        [path] = (project / "searches").glob("*.yaml")
        assert page.url.endswith(path.stem)


@pytest.mark.thorough
def test_a_search_is_run_and_a_finalist_is_saved(chromium: Browser, tmp_path: Path) -> None:
    project = own_project(tmp_path, "star")
    (project / "searches").mkdir()
    text = TEXT.replace("quick: [greedy], strong: [greedy]", "quick: [greedy], strong: [alphabeta-2]")
    (project / "searches" / "fair-star.yaml").write_text(text.replace("games: 1000", "games: 600"))
    with opened(project) as studio, page_of(chromium, studio, "/report/searches/fair-star") as page:
        page.set_default_timeout(3 * PATIENCE * 1000)
        page.click("[data-do=play]")
        page.wait_for_selector(".found tr.finalist")
        expect(page.locator(".report-view .lead")).to_be_visible()
        assert (project / "reports" / "fair-star.confirmed" / "report.html").is_file()
        row = page.locator(".found tr:has([data-do=propose])").first
        row.locator("summary").press("Enter")
        row.locator("[data-do=propose]").click()
        page.wait_for_selector("dialog[open]")
        page.fill("#save-title", "Found")
        page.click("[data-do=save-now]")
        page.wait_for_url("**/edit/star/*")
        name = page.url.partition("/edit/")[2].partition("?")[0]
        assert (project / "rulesets" / f"{name}.yaml").is_file()
    shutil.rmtree(project)
