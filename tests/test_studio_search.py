"""The studio's pages of searches for rulesets: the form that writes their files, the run, and what was found."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.addons.search.found_search import FINALISTS, write_found
from tests.patience import PATIENCE
from tests.studio import ROOT, opened, own_project, page_of, run_apart, show_yaml, store_of
from workbench.addons.search import progress
from workbench.addons.search import question as rule_search
from workbench.addons.search import run as runs
from workbench.addons.search.document import SearchDocument, new_search, search_view
from workbench.addons.search.progress import STAGES
from workbench.base.errors import InputError
from workbench.base.language import translated
from workbench.base.project import Project
from workbench.runs.progress import FolderState
from workbench.studio.documents import NameTaken
from workbench.studio.jobs import Queue
from workbench.studio.runs import load_runs
from workbench.studio.visitor import Visitor

ENGLISH = Visitor("en", "auto")
FILE = """\
title: A question
base: star/default   # as it is played
space:
  stuck: [loss, draw]   # both would do
targets: {first_score: [0.45, 0.55]}  # even
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(own_project(tmp_path, "star", "draughts"))


def document_of(project: Project, text: str = FILE) -> SearchDocument:
    return SearchDocument(text, project=project, name="question", new=False)


@pytest.mark.parametrize(
    ("do", "before", "after"),
    [
        (lambda one: one.vary("size", {"size": 3}), "would do\n", "would do\n  size: {from: 3, to: 5}\n"),
        (lambda one: one.vary("foul", {"foul": "off"}), "do\n", "do\n  foul: [no-undo, shape, own-pieces, off]\n"),
        (lambda one: one.choose("stuck", "loss", False), "[loss, draw]", "[draw]"),
        (lambda one: one.set_goal("first_score", "[0.47, 0.53]"), "[0.45, 0.55]", "[0.47, 0.53]"),
        (lambda one: one.set_goal("plies", "[40, 80]"), "0.55]}", "0.55], plies: [40, 80]}"),
        (lambda one: one.set_goal("plies", "[1, 2]"), "", ""),
        (lambda one: one.set_hours(8), "# even\n", "# even\nbudget: {hours: 8}\n"),
    ],
)  # fmt: skip
def test_what_is_chosen_is_written_as_a_person_would(
    project: Project, do: Callable[[SearchDocument], None], before: str, after: str
) -> None:
    document = document_of(project)
    do(document)
    assert document.text == FILE.replace(before, after, 1)


def test_what_is_chosen_can_be_taken_back_one_by_one(project: Project) -> None:
    document = document_of(project)
    document.vary("size", {"size": 3})
    document.set_range("size", {"from": 4, "to": 5})
    assert "size: {from: 4, to: 5}" in document.text
    document.set_goal("draw_rate", '"<0.15"')
    assert document.read().search
    document.vary("size", {"size": 3})
    document.set_goal("draw_rate", "")
    assert document.text == FILE
    document.set_base("draughts/english")
    assert document.read().mapping("space") == {} and "# as it is played" in document.text


def test_goals_are_words_and_a_target_of_the_file_stays_one(project: Project) -> None:
    store = store_of(project)
    text = FILE.replace("[0.45, 0.55]", "[0.4, 0.5]") + "finalists: 99\n"
    view = search_view(document_of(project, text), store, ENGLISH)
    assert [problem["key"] for problem in view["problems"]] == ["finalists"]
    fairness, draws, _ = view["goals"]
    assert fairness["chosen"] == "[0.4, 0.5]" and "as in the file: [0.4, 0.5]" in str(fairness["options"])
    assert draws["chosen"] == "" and len(draws["options"]) == 4
    with pytest.raises(InputError):
        document_of(project, "a: [\n").set_hours(2)


def test_a_new_search_is_not_wrong_before_anything_is_chosen(project: Project) -> None:
    store = store_of(project)
    document = new_search(store, "star/default", "ja", is_fresh=False)
    view = search_view(document, store, ENGLISH)
    assert view["begins"] and not view["problems"]
    document.vary("stuck", {"stuck": "loss"})
    view = search_view(document, store, ENGLISH)
    assert not view["begins"] and not view["problems"] and view["proposed"]["name"] == "star-default-stuck"
    [stuck] = view["varied"]
    assert [(one["text"], one["chosen"], one["base"]) for one in stuck["values"]] == [
        ("loss", True, True), ("draw", True, False),
    ]  # fmt: skip
    assert store.save(document, "fair-star", replace=False) == "fair-star"
    assert rule_search.search_names(project) == ["fair-star"]
    assert not new_search(store, "star/default", "en", is_fresh=False).dirty, "what was saved is new no more"
    other = new_search(store, "star/default", "en", is_fresh=True)
    other.vary("stuck", {"stuck": "loss"})
    with pytest.raises(NameTaken):
        store.save(other, "fair-star", replace=False)


def test_rulesets_are_counted_without_a_game_and_what_is_refused_is_said(project: Project) -> None:
    text = "title: x\nbase: draughts/english\nspace: {size: [6, 8], stuck: [loss, draw]}\nnever: [{stuck: draw}]\n"
    text += 'targets: {draw_rate: "<0.3"}\n'
    told = progress.describe_text(project.searches / "x.yaml", project, text)
    lines = [translated(line, "en") for line in told["lines"]]
    assert lines[0] == "4 combinations: 1 different rulesets." and any("size=6" in line for line in lines)
    assert not told["differs"] and not told["problems"]
    told = progress.describe_text(project.searches / "x.yaml", project, text.replace("[6, 8]", "[6]"))
    assert [problem.key for problem in told["problems"]] == ["space"]


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
    assert overview["rows"][3]["values"]["draw_rate"].startswith("0.0"), "no model says less than nothing"
    look = progress.read_ruleset(project, "found", overview["rows"][1]["place"])
    assert look is not None and look.settings == {"stuck": "draw", "size": 4}
    assert progress.read_ruleset(project, "found", 99) is None
    # The file may have changed since.
    path = project.searches / "found.yaml"
    path.write_text(path.read_text().replace("[loss, draw]", "[loss]"))
    look = progress.read_ruleset(project, "found", overview["rows"][1]["place"])
    assert look is not None and look.settings is None and translated(look.view["title"], "ja") == FINALISTS[1]
    told = progress.describe_text(path, project, path.read_text())
    assert told["differs"]
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
    assert translated(first.title(first.read()), "en").startswith("Board size: 4")


def test_the_queue_knows_searches_by_their_folder_and_takes_them_up_again(project: Project) -> None:
    write_found(project, "found", finished=False)
    saved: list[tuple[str, ...]] = []

    async def whole() -> None:
        queue = Queue(project, save=saved.append)
        queue.resume(["searches/found", "searches/gone"])
        job = queue.running
        assert job is not None and (job.name, job.address) == ("searches/found", "/search/found")
        await queue.close()

    run_apart(whole())
    assert saved == [("searches/found",), ()]


def test_every_stage_of_a_search_has_its_words() -> None:
    assert set(STAGES) == set(runs.STAGES)


@pytest.mark.thorough
def test_a_search_is_made_run_and_its_finalists_are_saved(chromium: Browser, tmp_path: Path) -> None:
    project = own_project(tmp_path, "star")
    with opened(project) as studio, page_of(chromium, studio, "/answers") as page:
        page.set_default_timeout(3 * PATIENCE * 1000)
        page.click(".answers details.more summary")
        page.click("text=Look for other proposals")
        page.select_option("[data-do=base]", "star/default")
        for toggle in ("stuck", "size", "pieces"):
            page.check(f"[data-toggle={toggle}]")
            page.wait_for_selector(f"[data-factor={toggle}]")
        page.fill("[data-factor=size] [data-do=to]", "4")
        page.fill("[data-factor=pieces] [data-do=to]", "3")
        page.keyboard.press("Tab")
        expect(page.locator(".counted")).to_contain_text("combinations")
        show_yaml(page)
        expect(page.locator("#yaml")).to_have_value(re.compile(r"\n  size: \{from: 3, to: 4\}\n"))
        page.select_option("[data-goal=plies]", "[20, 40]")
        expect(page.locator("#yaml")).to_have_value(re.compile(r"plies: \[20, 40\]"))
        text = page.input_value("#yaml").replace("hours: 1", "games: 600").replace("lines: 400", "lines: 20")
        text = text.replace("quick: [greedy]", "quick: [greedy], strong: [alphabeta-2]").replace("ists: 4", "ists: 2")
        page.fill("#yaml", text)
        expect(page.locator("[data-hours=games]")).to_be_checked()
        page.click("[data-do=save-run]")
        page.fill("#save-name", "fair-star")
        page.click("[data-do=save-now]")
        page.wait_for_url("**/search/fair-star*")
        page.wait_for_selector(".now .state.done")
        page.wait_for_selector(".found tr.finalist")
        expect(page.locator(".report-view .lead")).to_be_visible()
        assert (project / "reports" / "fair-star.confirmed" / "report.html").is_file()
        page.locator(".found tr:not(.finalist) [data-do=look]").first.press("Enter")
        page.wait_for_selector(".look")
        page.click("[data-do=unlook]")
        page.locator(".found [data-do=propose]").first.click()
        page.wait_for_selector("dialog[open]")
        page.fill("#save-title", "Found")
        page.click("[data-do=save-now]")
        page.wait_for_url("**/edit/star/*")
        name = page.url.partition("/edit/")[2].partition("?")[0]
        assert (project / "rulesets" / f"{name}.yaml").is_file()
    shutil.rmtree(project)
