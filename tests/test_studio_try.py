"""Asking about a proposal in the studio: from a choice on the page to an answer; killed, continued, at each level."""

from __future__ import annotations

import asyncio
import re
import signal
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from playwright.sync_api import Browser, Page, expect
from starlette.datastructures import QueryParams

from tests.report_folders import run
from tests.studio import WorkersHere, opened, own_project, page_of, run_apart, store_of, unfold
from workbench.base.language import in_all, untranslated
from workbench.base.project import Project
from workbench.experiments import experiment as experiments
from workbench.experiments.experiment import strong_players
from workbench.report.labels import ruleset_labels
from workbench.rules import rulesets
from workbench.runs import planning
from workbench.runs.progress import FolderState, FolderStatus, folder_status
from workbench.studio import asks
from workbench.studio.asks import ANALYSES, LEAST, MOST, OVERNIGHT, QUICK, STRONG, Estimate, Question
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.jobs import Job, Queue
from workbench.studio.pages.ask import Asking, AskPages, Choice
from workbench.studio.report_files import describe
from workbench.studio.runs import Run, Runs, average_bars
from workbench.studio.visitor import Visitor

PHONE = {"width": 390, "height": 844}
ENGLISH = Visitor("en", "auto")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    own_project(tmp_path, "star")
    return Project(tmp_path)


def asked(store: DraftStore, name: str, base: str, kind: str = "file", *others: str) -> Question:
    query = QueryParams([("against", base), *(("with", other) for other in others)])
    return Choice.of(store, kind, name, query).question()


def written(question: Question, level: int = QUICK, **changes: Any) -> tuple[Path, Path]:
    """The file of a level with few games, and the folder of its report."""
    question.write_rules()
    said = yaml.safe_load(question.text(QUICK, 240)) | {"agents": ["greedy"], "games": 20, "block": 5} | changes
    path = question.path(level)
    path.write_text(yaml.safe_dump({key: value for key, value in said.items() if value is not None}))
    return path, question.project.reports / path.stem


def choose_draws(page: Page) -> None:
    """Lets who has no move draw, and goes on to where that is asked about."""
    unfold(page)
    page.locator("#toggle-stuck .option", has=page.locator("code", has_text=re.compile("^draw$"))).click()
    expect(page.locator(".chip")).to_have_count(1)
    page.click("header nav a[href^='/ask/']")


@pytest.mark.thorough
def test_the_way_from_a_choice_to_the_answer_of_strong_players(chromium: Browser, project: Project) -> None:
    with opened(project.root) as studio, page_of(chromium, studio, "/ask/new/star/four-pieces", quiet=True) as page:
        expect(page.locator("[name=against]")).to_have_value("star/default")
        expect(page.locator("[name=against] [value='star/four-pieces']")).to_have_count(0)
        page.goto(f"{studio.root}/rules/star/four-pieces")
        choose_draws(page)
        expect(page.locator(".level")).to_have_count(3)
        question = asked(store_of(project), "star/four-pieces", "star/four-pieces", "new")
        for level in (QUICK, STRONG):
            written(question, level, until=None, looks=None, games=200 if level else 40)
        page.check("[data-level='1'] input")
        page.click("[data-do=start]")
        expect(page.locator(".now")).to_be_visible()
        studio.end(signal.SIGKILL)
    # Nothing is lost with the page and the studio: both levels are played by the next one.
    address = "/ask/new/star/four-pieces"
    with opened(project.root) as studio, page_of(chromium, studio, address, locale="ja-JP") as page:
        expect(page.locator(".onway p.figures")).to_have_count(2)
        expect(page.locator("[name=against]")).to_have_value("star/four-pieces")
        expect(page.locator(".onway")).to_contain_text("先手勝率")
        expect(page.locator(".now")).to_have_count(0)
        expect(page.locator("[data-level='2'] input")).to_be_checked()
        page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert not re.search("-[0-9a-f]{8}|tried/", page.inner_text("#main"))
        page.select_option("select[name=with]", "star/4x4")
        page.wait_for_url("**/ask/new/star/four-pieces?against=star%2Ffour-pieces&with=star%2F4x4**")
        expect(page.locator(".chip")).to_have_count(1)
        expect(page.locator("[data-do=start]")).to_be_enabled()
    loaded = experiments.load_experiment(question.path(STRONG), project)
    assert dict(loaded.rulesets[1].settings)["stuck"] == "draw"
    assert loaded.rulesets[1].name not in rulesets.ruleset_names(project)
    assert [folder_status(project.reports / path.stem).games for path in question.paths] == [80, 400, 0]


def test_a_question_has_one_name_for_the_same_rules(project: Project) -> None:
    store = store_of(project)
    saved = asked(store, "star/stuck-draws", "star/default")
    assert (saved.proposals[0].text, saved.rulesets[1].name) == ("", "star/stuck-draws")
    draft = store.draft("star/default", "new")
    draft.set_toggle("stuck", "draw")
    first = asked(store, "star/default", "star/default", "new")
    assert first.rulesets[1].fingerprint == saved.rulesets[1].fingerprint
    assert first.paths == saved.paths, "what was asked about a draft is found after it was saved"
    draft.entitle("Another <b>title</b>", "en")
    again = asked(store, "star/default", "star/default", "new")
    assert again.paths == first.paths and again.rulesets[1].name == first.rulesets[1].name
    again.write_rules()
    again.write(QUICK, asks.quick_games(0.04))
    file = project.rulesets / f"{again.rulesets[1].name}.yaml"
    kept = file.read_text()
    draft.entitle("Yet another", "en")
    third = asked(store, "star/default", "star/default", "new")
    third.write_rules()
    third.write(QUICK, asks.quick_games(4e9))
    assert file.read_text() == kept, "it stays as it was asked"
    loaded = experiments.load_experiment(third.path(QUICK), project)
    assert loaded.games % ANALYSES == 0 and ANALYSES * LEAST <= loaded.games <= ANALYSES * MOST
    draft.set_toggle("stuck", "loss")
    assert "star/default" not in Choice.of(store, "new", "star/default", QueryParams()).titles, "no opponent"
    draft.set_toggle("stuck", "draw")
    draft.set_toggle("pieces", 4)
    more = asked(store, "star/default", "star/default", "new", "star/4x4", "star/4x4", "star/nothing")
    assert first.path(QUICK) not in more.paths and len(more.rulesets) == 3


def test_the_best_known_question_about_rules_is_opened_again(project: Project) -> None:
    store = store_of(project)
    draft = store.draft("star/stuck-draws", "file")
    weak, strong = (asked(store, draft.name, "star/default", "file", *others) for others in (["star/4x4"], []))
    for question in (strong, weak):
        store.record(draft, "asked", question.address)
    assert Choice.of(store, "file", draft.name, QueryParams()).others == ["star/4x4"], "it was just asked"
    for question, level in ((weak, QUICK), (strong, STRONG)):
        page = project.reports / question.path(level).stem / "report.html"
        page.parent.mkdir(parents=True)
        page.touch()
    assert Choice.of(store, "file", draft.name, QueryParams()).others == []


def test_what_is_wished_is_asked_and_found_again(project: Project) -> None:
    query = "against=star%2Fdefault&measure=plies&games=60&plies=2&players=random&players=greedy"
    question = Choice.of(store_of(project), "file", "star/stuck-draws", QueryParams(f"{query}&with=")).question()
    for level in (QUICK, STRONG):
        question.write(level, 60)
        loaded = experiments.load_experiment(question.path(level), project)
        assert (loaded.question, loaded.games, loaded.sequential) == ("plies", 60, False)
        assert asks.page_address(loaded, project) == f"/ask/file/star/stuck-draws?{query}" == question.address
    assert len(loaded.pairings) == len(strong_players()) and "mean length" in loaded.title
    odd = Choice.of(store_of(project), "file", "star/stuck-draws", QueryParams("measure=x&games=-1&plies=99&players=x"))
    assert odd.wishes.changed == {}


def test_a_night_goes_on_with_the_games_of_the_strong_players(project: Project) -> None:
    question = asked(store_of(project), "star/stuck-draws", "star/default")
    path, folder = written(question, STRONG, until=None, looks=None)
    run(experiments.load_experiment(path, project), folder)
    longer, night = written(question, OVERNIGHT, until=None, looks=None, games=40)
    asks.begin_night(night)
    loaded = experiments.load_experiment(longer, project)
    assert folder_status(night, loaded) == FolderStatus(FolderState.STOPPED, 40, 80)
    run(loaded, night)
    asks.begin_night(night)
    assert folder_status(night, loaded).state is FolderState.DONE
    assert Estimate(60.0, 0.001).night_games > Estimate(60.0, 10.0).night_games == 2850
    assert Estimate(60.0, 1e6).night_games == 300, "at least twice as many"
    strong = yaml.safe_load(question.text(STRONG, 150))
    assert yaml.safe_load(question.text(OVERNIGHT, 600)) == strong | {
        "games": 600, "title": strong["title"].replace("Strong players", "Overnight"),
        "title_ja": strong["title_ja"].replace("強いプレイヤー", "ひと晩"),
    }  # fmt: skip


def test_the_pilot_of_a_page_is_the_one_of_its_start_unless_it_failed(project: Project) -> None:
    measured = []

    async def measure(task: object, *about: object) -> tuple[int, float]:
        measured.append(about)
        if len(measured) == 1:
            raise OSError("disk full")
        return 40, 0.25

    async def estimate(task: object, *about: object) -> Estimate:
        return Estimate(10.0, 0.1)

    async def visit() -> None:
        workers: Any = SimpleNamespace(strong=SimpleNamespace(run=measure), planning=SimpleNamespace(run=estimate))
        studio: Any = SimpleNamespace(
            store=store_of(project), workers=workers, runs=Runs(project, Queue(project), workers)
        )
        pages = AskPages(studio)
        question = asked(store_of(project), "star/5x5", "star/default")
        await asyncio.wait([pages.asking(question).quick])
        opened = pages.asking(question)
        assert await opened.quick == (40, 0.25) and pages.asking(question) is opened

    run_apart(visit())
    assert len(measured) == 2


def test_the_pilot_plays_rules_that_have_no_file_yet(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_of(project)
    store.draft("star/default", "new").set_toggle("stuck", "draw")
    question = asked(store, "star/default", "star/default", "new")
    played = []

    def plan(experiment: Any, *_: object, **__: object) -> Any:
        played.extend(experiment.cells())
        return SimpleNamespace(paces=[SimpleNamespace(seconds=0.5), SimpleNamespace(seconds=0.25)])

    monkeypatch.setattr(planning, "plan_experiment", plan)
    games, seconds = asks.design_quick(question)
    assert 40 <= games < 200 and seconds < 90, "about a minute"
    assert {cell.ruleset.name for cell in played} == {ruleset.name for ruleset in question.rulesets}
    assert not question.path(QUICK).exists() and not (project.rulesets / "star" / "tried").exists()


def test_nothing_is_written_through_a_link_out_of_the_project(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (project.rulesets / "star" / "tried").symlink_to(outside)
    store = store_of(project)
    store.draft("star/default", "new").set_toggle("stuck", "draw")
    with pytest.raises(Exception, match="expected a file in the project folder"):
        asked(store, "star/default", "star/default", "new").write_rules()
    assert not list(outside.iterdir())


def test_the_bar_moves_while_players_learn_and_the_time_left_never_grows(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    question = asked(store_of(project), "star/stuck-draws", "star/default")
    path, _ = written(question, STRONG)
    queue = Queue(project)
    unused: Any = WorkersHere()
    runs = Runs(project, queue, unused)
    job = queue._jobs[path.stem] = replace(queue._load(path.stem, "en"), state=FolderState.RUNNING, begun=now[0])
    told = []
    for seconds, message in (
        (0, {"phase": "training", "left": 700.0, "later": 100.0}), (300, {}), (600, {}), (100, {}),
        (0, {"phase": "playing", "games": 4, "left": None}), (10, {"games": 8, "left": 300.0}), (250, {}),
    ):  # fmt: skip
        now[0] += seconds
        queue._read_message(job, message)
        view = runs.entry_view(Run(path.stem, untranslated("x"), status=FolderStatus(FolderState.STOPPED)), ENGLISH)
        told.append((view["percent"], job.time_left))
    assert told == [(1, 700), (43, 400), (89, 100), (90, 100), (90, 100), (90, 90), (99, 0)]
    assert view["left"] == "Taking longer than expected" and view["phase"] == "playing"


def test_all_levels_have_one_time(project: Project) -> None:
    question = asked(store_of(project), "star/stuck-draws", "star/default")

    async def visit() -> None:
        workers: Any = WorkersHere()
        queue = Queue(project)
        queue.running = Job("other", "")
        studio: Any = SimpleNamespace(workers=workers, runs=Runs(project, queue, workers))
        asking: Any = object.__new__(Asking)
        asking.question, asking.runs, asking.workers = question, studio.runs, workers
        asking.quick = asyncio.ensure_future(asyncio.sleep(0, (480, 60.0)))
        asking.estimating = asyncio.ensure_future(asyncio.sleep(0))
        asking.names, asking.estimate = [path.stem for path in question.paths], None
        asking.seconds = [60.0, 600.0, 14_400.0]
        await asking.start(OVERNIGHT, "en")
        assert [job.name for job in queue.waiting] == asking.names, "in order, and kept by the queue"
        assert sum(job.time_left or 0 for job in queue.waiting) == 15_060
        asking.stop()
        assert not queue.waiting

    run_apart(visit())


def test_strong_players_have_one_bar_for_each_ruleset() -> None:
    pairs = [(f"player-{n}", f"player-{n}") for n in range(16)]
    results: dict[tuple[str, ...], tuple[int, ...]] = {
        (name, *pair): (6, 0, 4, 0) for pair in pairs for name in ("a", "b")
    }
    bars = average_bars(results, {"a": "Rules A", "b": "b"}, pairs)
    assert [(bar["ruleset"], bar["told"]) for bar in bars] == [
        ("Rules A", "first 60 %, drawn 0 %, second 40 %"), ("b", "first 60 %, drawn 0 %, second 40 %"),
    ]  # fmt: skip
    few = [str(bar["players"]) for bar in average_bars(results, {"a": "a", "b": "b"}, pairs[:2])]
    assert few == ["player-1"] * 2 + ["player-0 (weaker, for comparison)"] * 2, "the strongest come first"


def test_what_was_just_begun_is_shown_before_any_folder_was_looked_at(project: Project) -> None:
    path, _ = written(asked(store_of(project), "star/stuck-draws", "star/default"), games=600)
    queue = Queue(project)
    queue._jobs[path.stem] = replace(queue._load(path.stem, "en"), state=FolderState.RUNNING, phase="compiling")
    unused: Any = None
    shelf = Runs(project, queue, unused)
    view = shelf.entry(path.stem, ENGLISH)
    assert view is not None and shelf.entry("nothing", ENGLISH) is None
    assert [view[key] for key in ("state", "phase", "games")] == [
        "running", "compiling machine code…", "0 of at most 1,200 games",
    ]  # fmt: skip


# Where readers go on


def tried_out(store: DraftStore) -> tuple[Path, rulesets.Ruleset]:
    """The file of a question, and the proposal that has no name yet."""
    draft = store.draft("star/default", "new")
    draft.set_toggle("stuck", "draw")
    draft.set_toggle("repetition", 4)
    question = asked(store, "star/default", "star/default", "new")
    question.write_rules()
    question.write(QUICK, 480)
    return question.path(QUICK), question.rulesets[1]


def test_a_report_leads_to_its_rules_and_its_question(project: Project) -> None:
    path, tried = tried_out(store_of(project))
    links = [link["url"] for link in describe(project, path.stem)["steps"]]
    assert links == [f"/tried/rules/{tried.name}", f"/tried/ask/{tried.name}?against=star%2Fdefault"]
    assert describe(project, "nothing")["steps"] == []


def test_rules_that_were_tried_out_are_gone_on_with_where_they_came_from(project: Project) -> None:
    store = store_of(project)
    tried = tried_out(store)[1]
    assert store.asked_page(tried.name) == ("new", "star/default")
    changed = store.draft("star/default", "new")
    changed.set_toggle("swap", "after-first")
    page = store.asked_page(tried.name)
    assert page == ("new", "star/default~2"), "another draft stays as it is"
    ruleset = store.draft(page[1], "new").read().ruleset
    assert ruleset is not None and ruleset.fingerprint == tried.fingerprint
    assert store.asked_page(tried.name) == page


def test_rules_that_were_saved_since_are_called_by_their_title(project: Project) -> None:
    store = store_of(project)
    path, tried = tried_out(store)
    asked = experiments.load_experiment(path, project)
    assert "mine" not in str(ruleset_labels(rulesets.with_saved_titles(asked.rulesets, project))[tried.name])
    draft = store.draft("star/default", "new")
    draft.entitle("Draw when stuck", "en")
    draft.write(f"{draft.text}\ntitle_ja: 手詰まりは引き分け\n")
    store.save(draft, "mine", replace=False)
    called = rulesets.with_saved_titles(asked.rulesets, project)
    assert called[0] is asked.rulesets[0], "only those that were tried out are called anew"
    assert in_all(ruleset_labels(called)[tried.name]) == ("Draw when stuck", "手詰まりは引き分け")
