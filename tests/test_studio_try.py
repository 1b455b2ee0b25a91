"""Trying rules out in the studio: from a choice on the page to a verdict; stopped, killed, continued, gone on from."""

from __future__ import annotations

import asyncio
import os
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from playwright.sync_api import Browser, Page, expect

from tests.patience import PATIENCE
from tests.report_folders import run, stop_after
from tests.studio import opened, own_project, page_of, run_apart, store_of, unfold, until
from workbench import report
from workbench.base.language import in_all, untranslated
from workbench.base.project import Project
from workbench.experiments import experiment as experiments
from workbench.report.labels import ruleset_labels
from workbench.rules import rulesets
from workbench.runs import planning, progress, runner
from workbench.runs.progress import FolderState, FolderStatus, folder_status, is_folder_in_use
from workbench.studio import interim_report
from workbench.studio.documents.rulesets import DraftStore
from workbench.studio.jobs import Queue
from workbench.studio.pages.trial import TryPages, experiment_address, sizes_view, trial_view
from workbench.studio.report_files import SUGGESTS_STRONG, next_steps
from workbench.studio.runs import ExperimentRuns, Run
from workbench.studio.tryouts import ANALYSES, LEAST, MOST, Tryout, make_tryout, measure_game_seconds
from workbench.studio.visitor import Visitor

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    own_project(tmp_path, "star")
    return Project(tmp_path)


def of_file(project: Project, name: str, base: str) -> Tryout:
    draft = store_of(project).draft(name, "file")
    return make_tryout(draft, draft.read(), base)


def written(tried: Tryout, changes: dict[str, Any]) -> tuple[Path, Path]:
    said = yaml.safe_load(tried.experiment_text(240, 10)) | changes
    tried.path.write_text(yaml.safe_dump(said))
    return tried.path, tried.project.reports / tried.path.stem


def state(page: Page, name: str, patience: float = PATIENCE) -> None:
    expect(page.locator(f".now[data-state={name}]")).to_be_visible(timeout=1000 * patience)


def choose_draws(page: Page) -> None:
    """Lets who has no move draw, and goes on to where that is tried out."""
    unfold(page)
    page.locator("#toggle-stuck .option", has=page.locator("code", has_text=re.compile("^draw$"))).click()
    expect(page.locator(".chip")).to_have_count(1)
    page.click("header a[href^='/try/']")


@pytest.mark.thorough
def test_the_way_from_a_choice_to_a_verdict(chromium: Browser, project: Project) -> None:
    with opened(project.root) as studio, page_of(chromium, studio, "/rules/star/four-pieces") as page:
        page.click("header a[href^='/try/']")
        expect(page.locator("[data-do=change]")).to_have_attribute("href", "/rules/star/four-pieces")
        expect(page.locator(".trial .wrong, [data-do=start]")).to_have_count(0)
        page.goto(f"{studio.root}/rules/star/four-pieces")
        choose_draws(page)
        page.click("[data-do=start]")
        expect(page.get_by_role("timer")).to_contain_text("The first result is due")
        expect(page.locator(".findings figure")).not_to_have_count(0)
        expect(page.get_by_role("timer")).to_have_count(0)
        expect(page.locator(".findings")).to_contain_text("“A player who has no legal action draws”")
        page.close()

    # Nothing is lost with the page and the studio; what was begun is an ordinary experiment.
    [path] = project.experiments.glob("try-star-four-pieces-*.yaml")
    [tried] = (project.rulesets / "star" / "tried").glob("*.yaml")
    loaded = experiments.load_experiment(path, project)
    assert [one.name for one in loaded.rulesets] == ["star/four-pieces", f"star/tried/{tried.stem}"]
    assert dict(loaded.rulesets[1].settings)["stuck"] == "draw"
    assert f"star/tried/{tried.stem}" not in rulesets.ruleset_names(project)
    assert (loaded.until, loaded.looks) == ("decided", ANALYSES)
    folder = project.reports / path.stem
    assert folder_status(folder, loaded).games
    until(lambda: not is_folder_in_use(folder))
    runner.run_experiment(loaded, folder)
    # Who has no move draws now, and this was mostly how the first player won.
    found = interim_report.interim_markup(folder)
    assert "“A player who has no legal action draws”: fairer than four-pieces (sure for these players)." in found
    assert "tried/" not in found
    report.write_report(folder)

    with opened(project.root) as studio, page_of(chromium, studio, "/rules/star/four-pieces", locale="ja-JP") as page:
        choose_draws(page)
        page.wait_for_url(f"**/experiment/{path.stem}?of=new*")
        state(page, "done")
        change = "「行動できないプレイヤーがいれば引き分け」"
        expect(page.locator(".now .report-view #answer")).to_contain_text(change)
        expect(page.locator(".chosen-ones")).to_contain_text(change)
        page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.reload()
        page.select_option("[data-do=against]", "star/default")
        page.wait_for_url("**/try/new/star/four-pieces?against=star%2Fdefault")
        expect(page.locator("[data-do=start]")).to_be_enabled()
        page.click(".kind a")
        page.wait_for_url("**/rules/star/four-pieces")


@pytest.mark.parametrize("until", [None, "decided"])
def test_what_games_say_so_far_is_no_verdict_before_its_time(project: Project, until: str | None) -> None:
    changes = {"agents": ["greedy"], "games": 40, "block": 10, "until": until, "looks": 2 if until else None}
    tried = of_file(project, "star/stuck-draws", "star/default")
    path, folder = written(tried, changes)
    if not until:
        path.write_text(re.sub(r"(?m)^(until|looks): null\n", "", path.read_text()))
    assert interim_report.interim_markup(folder) == ""
    what = experiments.load_experiment(path, project)
    with suppress(progress.RunInterrupted):
        # Then every cell has some games, but not all.
        run(what, folder, on_progress=stop_after(20))
    found = interim_report.interim_markup(folder)
    assert "Playing. No verdict yet." in found
    assert ("are still playing; the next interim analysis follows after 20 games" in found) == bool(until)
    assert found.count("<figure>") == found.count("<figcaption") == 2, "signs are explained beside the chart"
    assert ">0 %<" in found and ">100 %<" in found, "the axis stands still"
    assert "Easy (greedy)" in found


def test_what_is_tried_has_one_name_for_the_same_rules(project: Project) -> None:
    store = store_of(project)
    saved = of_file(project, "star/stuck-draws", "star/default")
    assert (saved.text, saved.own.name) == ("", "star/stuck-draws")
    draft = store.draft("star/default", "new")
    draft.set_toggle("stuck", "draw")
    first = make_tryout(draft, draft.read(), "star/default")
    assert first.differs and first.own.fingerprint == saved.own.fingerprint
    draft.set_title("Another <b>title</b>", False)
    again = make_tryout(draft, draft.read(), "star/default")
    assert again.path == first.path and again.ruleset_path == first.ruleset_path
    again.write_rules()
    again.write(0.04)
    kept = again.ruleset_path.read_text()
    draft.set_title("Yet another", False)
    third = make_tryout(draft, draft.read(), "star/default")
    third.write_rules()
    third.write(4e9)
    assert third.ruleset_path.read_text() == kept, "it stays as it was tried"
    loaded = experiments.load_experiment(third.path, project)
    assert list(ruleset_labels(loaded.rulesets).values()) == ["default", "“A player who has no legal action draws”"]
    assert loaded.games % ANALYSES == 0 and ANALYSES * LEAST <= loaded.games <= ANALYSES * MOST
    draft.set_toggle("stuck", "loss")
    assert not make_tryout(draft, draft.read(), "star/default").differs
    draft.set_toggle("stuck", "draw")
    draft.set_toggle("pieces", 4)
    chosen = make_tryout(draft, draft.read(), "star/default")
    assert first.path not in (chosen.path, make_tryout(draft, draft.read(), "star/four-pieces").path)
    chosen.write_rules()
    chosen.write(0.04, 120, "ja")
    loaded = experiments.load_experiment(chosen.path, project)
    assert (loaded.games, loaded.looks) == (120, 120 // LEAST)


def test_the_page_of_an_experiment_leads_back_to_the_rules(project: Project) -> None:
    (project.rulesets / "star" / "a+b.yaml").write_text(
        "game: star\nextends: default\ntitle: x\nrules:\n  stuck: draw\n"
    )
    address = experiment_address(of_file(project, "star/a+b", "star/default"), "file/star/a+b")
    store = store_of(project)
    [of] = parse_qs(urlsplit(address).query)["of"]
    view = trial_view(store, of, {"baseline": "star/5x5"}, Visitor("en", "auto"))
    assert view is not None
    assert (view["of"], view["back"], view["base"]) == ("file/star/a%2Bb", "/edit/star/a%2Bb", "star/5x5")
    assert trial_view(store, "nothing/star/default", {}, Visitor("en", "auto")) is None


def test_the_pilot_of_a_page_is_the_one_of_its_start_unless_it_failed(project: Project) -> None:
    asked = []

    async def measure(task: object, *about: object) -> float:
        asked.append(about)
        if len(asked) == 1:
            raise OSError("disk full")
        return 0.25

    async def refuse(*_: object) -> bool:
        return False

    async def visit() -> None:
        workers: Any = SimpleNamespace(strong=SimpleNamespace(run=measure), planning=SimpleNamespace(run=refuse))
        pages = TryPages(store_of(project), workers, None)  # type: ignore[arg-type]
        tried = of_file(project, "star/5x5", "star/default")
        await asyncio.wait([pages._pilot(tried).seconds])
        opened = pages._pilot(tried)
        await asyncio.wait([opened.seconds])
        started = pages._pilot(tried)
        assert started is opened and await started.seconds == 0.25

    run_apart(visit())
    assert len(asked) == 2


def test_the_pilot_plays_rules_that_have_no_file_yet(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = store_of(project).draft("star/default", "new")
    draft.set_toggle("stuck", "draw")
    tried = make_tryout(draft, draft.read(), "star/default")
    assert tried.text and not tried.written
    played = []

    def plan(experiment: Any, *_: object, **__: object) -> Any:
        played.extend(experiment.cells())
        return SimpleNamespace(paces=[SimpleNamespace(seconds=0.5), SimpleNamespace(seconds=0.25)])

    monkeypatch.setattr(planning, "plan_experiment", plan)
    seconds = measure_game_seconds(tried.path, project, tried.pilot_text, tried.own)
    assert seconds == 1.5 and {cell.ruleset.name for cell in played} == {"star/default", tried.own.name}
    assert not tried.path.exists() and not tried.ruleset_path.exists()


def test_nothing_is_written_through_a_link_out_of_the_project(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (project.rulesets / "star" / "tried").symlink_to(outside)
    draft = store_of(project).draft("star/default", "new")
    draft.set_toggle("stuck", "draw")
    with pytest.raises(Exception, match="expected a file in the project folder"):
        make_tryout(draft, draft.read(), "star/default").write_rules()
    assert not list(outside.iterdir())


def test_a_try_out_says_how_many_games_and_how_long() -> None:
    measured = [size["told"] for size in sizes_view(os.cpu_count() or 1, Visitor("en", "auto"))]
    assert measured[:2] == ["at most 1,920 games, at most 8 min", "at most 480 games, at most 2 min"]
    assert sizes_view(None, Visitor("ja", "auto"))[0]["told"] == "このコンピューターに合った数"


def test_what_was_just_begun_is_shown_before_any_folder_was_looked_at(project: Project) -> None:
    path, folder = written(of_file(project, "star/stuck-draws", "star/default"), {"games": 600})
    queue = Queue(project)
    begun = queue._load(path, folder, "en")
    queue._jobs[folder] = replace(begun, state=FolderState.RUNNING, phase="compiling", compiles=True)
    unused: Any = None
    shelf = ExperimentRuns(project, queue, unused)
    assert shelf.has_begun(path.stem) and not shelf.has_begun("nothing")
    view = shelf.entry(path.stem, Visitor("en", "auto"))
    assert view is not None and shelf.entry("nothing", Visitor("en", "auto")) is None
    assert [view[key] for key in ("state", "phase", "games")] == [
        "running", "compiling machine code…", "at most 2,400 games",
    ]  # fmt: skip


def test_a_run_tells_one_pace_and_one_time_and_none_when_it_does_not_play(project: Project) -> None:
    figures = ["236 games, at most 2,164 more", "3.4 games/s", "at most 11 min left"]
    path, folder = written(of_file(project, "star/stuck-draws", "star/default"), {"games": 600})
    queue = Queue(project)
    begun = queue._load(path, folder, "en")
    job = queue._jobs[folder] = replace(begun, state=FolderState.RUNNING, games=236, pace=3.4, left=636.5)
    unused: Any = None
    shelf = ExperimentRuns(project, queue, unused)
    # The folder may be read as a finished one while its report is written.
    now = FolderStatus(FolderState.DONE, 236, 236)
    for job.phase, told in (("playing", figures), ("reporting", [figures[0], "", ""])):
        view = shelf.entry_view(Run(path.stem, untranslated("x"), True, now), Visitor("en", "auto"))
        assert [view[key] for key in ("games", "pace", "left")] == told


# Where readers go on


def tried_out(store: DraftStore) -> Tryout:
    draft = store.draft("star/default", "new")
    draft.set_toggle("stuck", "draw")
    draft.set_toggle("repetition", 4)
    tried = make_tryout(draft, draft.read(), "star/default")
    tried.write_rules()
    tried.write(0.1)
    return tried


def test_a_report_leads_to_playing_saving_more_games_and_strong_players(project: Project) -> None:
    store = store_of(project)
    tried = tried_out(store)
    name, visitor = tried.path.stem, Visitor("en", "auto")
    ways = {way["does"]: way["url"] for way in next_steps(project, name, visitor)}
    rules = f"/tried/rules/{tried.own.name}#save"
    assert ways == {"play": f"/tried/play/{tried.own.name}", "save": rules, "games": f"/experiment/{name}#games"}
    (project.reports / name).mkdir(parents=True)
    (project.reports / name / "report.html").write_bytes(SUGGESTS_STRONG)
    assert {way["does"] for way in next_steps(project, name, visitor)} == {*ways, "strong"}
    draft = store.draft(store.tryout_page(tried.own.name), "new")
    store.save(draft, "mine", replace=False)
    assert "save" not in {way["does"] for way in next_steps(project, name, visitor)}
    assert next_steps(project, "nothing", visitor) == []


def test_rules_that_were_tried_out_are_gone_on_with_where_they_came_from(project: Project) -> None:
    store = store_of(project)
    tried = tried_out(store)
    assert store.tryout_page(tried.own.name) == "star/default"
    changed = store.draft("star/default", "new")
    changed.set_toggle("swap", "after-first")
    page = store.tryout_page(tried.own.name)
    assert page == "star/default~2", "another draft stays as it is"
    ruleset = store.draft(page, "new").read().ruleset
    assert ruleset is not None and ruleset.fingerprint == tried.own.fingerprint
    assert store.tryout_page(tried.own.name) == page


def test_rules_that_were_saved_since_are_called_by_their_title(project: Project) -> None:
    store = store_of(project)
    tried = tried_out(store)
    asked = experiments.load_experiment(tried.path, project)
    assert "mine" not in str(ruleset_labels(rulesets.with_saved_titles(asked.rulesets, project))[tried.own.name])
    draft = store.draft("star/default", "new")
    draft.set_title("Draw when stuck", japanese=False)
    draft.set_title("手詰まりは引き分け", japanese=True)
    store.save(draft, "mine", replace=False)
    called = rulesets.with_saved_titles(asked.rulesets, project)
    assert called[0] is asked.rulesets[0], "only those that were tried out are called anew"
    assert in_all(ruleset_labels(called)[tried.own.name]) == ("Draw when stuck", "手詰まりは引き分け")
