"""Trying rules out in the studio: from a choice on the page to a verdict, stopped, killed and continued."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import yaml
from playwright.sync_api import Browser, Page, expect

from tests.studio import COMMAND, ROOT, opened, own_project, page_of, until
from workbench.files.project import Project
from workbench.language import verbatim
from workbench.questions import experiment as experiments
from workbench.questions import rulesets
from workbench.report.reading import read_report_trials, read_run_provenance
from workbench.run import runner
from workbench.run.guards import is_folder_in_use
from workbench.run.status import FolderState, folder_status
from workbench.statistics import AnalysisPlan
from workbench.studio import findings
from workbench.studio.drafts import Desk
from workbench.studio.jobs import Job, Queue
from workbench.studio.shelf import Entry, Shelf
from workbench.studio.try_page import _FolderFindings, _TryPage
from workbench.studio.tryout import ANALYSES, LEAST, MOST, Tryout, make_tryout
from workbench.studio.unsaved import Unsaved
from workbench.studio.visitor import Visitor
from workbench.studio.words import WORDS

PHONE = {"width": 390, "height": 844}
LONG = {"games": 40_000, "looks": 1, "block": 20}
"""Changes to an experiment that keep it busy for a while."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    own_project(tmp_path, "star")
    return Project(tmp_path)


def of_file(project: Project, name: str, base: str) -> Tryout:
    draft = Desk(project, Unsaved(project)).draft(name, "file")
    return make_tryout(draft, draft.read(), base)


def written(tried: Tryout, changes: dict[str, Any]) -> Path:
    """The experiment's file, but for some changes."""
    said = yaml.safe_load(tried.experiment_text(240, 10)) | changes
    tried.path.write_text(yaml.safe_dump(said))
    return tried.path


def state(page: Page, name: str) -> None:
    expect(page.locator(f".run[data-state={name}]")).to_be_visible()


@pytest.mark.thorough
@pytest.mark.browser
def test_the_way_from_a_choice_to_a_verdict(chromium: Browser, project: Project) -> None:
    with opened(project.root) as studio, page_of(chromium, studio, "/rules/star/four-pieces") as page:
        page.click("header a[href^='/try/']")
        expect(page.locator(".trial .wrong")).to_have_text(
            "These are the rules of star/four-pieces. Change something first."
        )
        expect(page.locator("[data-do=start]")).to_have_count(0)
        page.goto(f"{studio.root}/rules/star/four-pieces")
        page.locator("#toggle-stuck .option", has=page.locator("b", has_text=re.compile("^draw$"))).click()
        expect(page.locator(".chip")).to_have_count(1)
        page.click("header a[href^='/try/']")
        page.click("[data-do=start]")
        expect(page.locator(".pairings figure")).not_to_have_count(0)
        page.close()

    # Nothing is lost with the page and the studio; what was begun is an ordinary experiment.
    [path] = project.experiments.glob("try-star-four-pieces-*.yaml")
    [tried] = (project.rulesets / "star" / "tried").glob("*.yaml")
    loaded = experiments.load_experiment(path, project)
    assert [one.name for one in loaded.rulesets] == ["star/four-pieces", f"star/tried/{tried.stem}"]
    assert dict(loaded.rulesets[1].settings)["stuck"] == "draw"
    assert tried.stem.endswith(loaded.rulesets[1].fingerprint[:8])
    assert f"star/tried/{tried.stem}" not in rulesets.ruleset_names(project)
    assert (loaded.until, loaded.looks) == ("decided", ANALYSES)
    folder = project.reports / path.stem
    assert folder_status(folder, loaded).games
    runner.run_experiment(loaded, folder)

    with opened(project.root) as studio, page_of(chromium, studio, "/rules/star/four-pieces", locale="ja-JP") as page:
        page.locator("#toggle-stuck .option", has=page.locator("b", has_text=re.compile("^draw$"))).click()
        expect(page.locator(".chip")).to_have_count(1)
        page.click("header a[href^='/try/']")
        state(page, "done")
        # Who has no move draws now, and this was mostly how the first player won.
        deeper = page.locator("[data-pairing=alphabeta-2]")
        expect(deeper).to_have_attribute("data-verdict", "fairer")
        expect(deeper).to_contain_text("four-piecesより公平")
        expect(deeper.locator("tbody tr").first).to_contain_text("増える")
        expect(page.locator(".examples > ol > li")).to_have_count(3)
        page.locator(".examples [data-do=game]").nth(1).press("Enter")
        expect(page.locator("[data-part=picker]")).to_have_value("1")
        page.click("[data-part=first]")
        expect(page.locator(".replay .pieces use")).to_have_count(1)  # the star, where games begin
        page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        expect(page.locator(".how code")).to_have_text(f"workbench run {path.stem}")


@pytest.mark.thorough
@pytest.mark.browser
def test_a_killed_studio_leaves_no_orphan_and_what_it_left_is_continued(chromium: Browser, project: Project) -> None:
    tried = of_file(project, "star/stuck-draws", "star/default")
    path = written(tried, LONG | {"agents": ["alphabeta-30k"], "games": 120, "block": 2})
    address = "/try/file/star/stuck-draws"
    with opened(project.root) as studio, page_of(chromium, studio, address) as page:
        page.click("[data-do=start]")
        expect(page.locator(".figures")).to_contain_text("games/s")
        page.click("[data-do=stop]")
        state(page, "stopped")
        kept = folder_status(tried.folder).games
        assert 0 < kept < 240
        page.click("[data-do=start]")
        until(lambda: folder_status(tried.folder).games > kept)
        studio.process.kill()
        studio.process.wait(30)
    until(lambda: not is_folder_in_use(tried.folder))
    left = folder_status(tried.folder)
    assert left.state is FolderState.STOPPED and kept < left.games < 240
    with opened(project.root) as studio, page_of(chromium, studio, address) as page:
        state(page, "stopped")
        page.click("[data-do=start]")
        state(page, "done")
    loaded = experiments.load_experiment(path, project)
    runner.run_experiment(loaded, project.root / "alone")
    names = ["trials.parquet", "traces.parquet"]
    assert [(tried.folder / name).read_bytes() for name in names] == [
        (project.root / "alone" / name).read_bytes() for name in names
    ]


@pytest.mark.thorough
@pytest.mark.browser
def test_a_run_in_a_terminal_is_seen_and_the_end_of_the_studio_stops_its_own(
    chromium: Browser, project: Project
) -> None:
    tried = of_file(project, "star/stuck-draws", "star/default")
    path, address = written(tried, LONG), "/try/file/star/stuck-draws"
    with opened(project.root) as studio, page_of(chromium, studio, address, viewport=PHONE) as page:
        expect(page.locator("[data-do=start]")).to_be_visible()
        with subprocess.Popen(
            [sys.executable, "-c", COMMAND, "run", str(path), "--workers", "1"],
            cwd=project.root,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as terminal:
            state(page, "elsewhere")
            expect(page.locator("[data-do]:not([data-do=against])")).to_have_count(0)
            expect(page.locator(".phase")).to_have_text(WORDS["state_elsewhere"])
            expect(page.locator(".figures")).to_contain_text("of at most 160,000 games")
            terminal.send_signal(signal.SIGTERM)
        state(page, "stopped")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.locator("[data-do=start]").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".figures")).to_contain_text("games/s")
        before = folder_status(tried.folder).games
        assert studio.end() == 130
    assert not is_folder_in_use(tried.folder)
    after = folder_status(tried.folder, experiments.load_experiment(path, project))
    assert after.state is FolderState.STOPPED and after.games >= before


def test_what_is_tried_has_one_name_for_the_same_rules(project: Project) -> None:
    desk = Desk(project, Unsaved(project))
    saved = of_file(project, "star/stuck-draws", "star/default")
    assert (saved.text, saved.own.name) == ("", "star/stuck-draws")
    draft = desk.draft("star/default", "new")
    draft.set_toggle("stuck", "draw")
    first = make_tryout(draft, draft.read(), "star/default")
    assert first.differs and first.own.fingerprint == saved.own.fingerprint
    draft.set_title("Another <b>title</b>", False)
    again = make_tryout(draft, draft.read(), "star/default")
    assert again.path == first.path and again.ruleset_path == first.ruleset_path
    again.write_rules()
    again.write(0.04)
    kept = again.ruleset_path.read_text()
    assert "$schema=../../ruleset.schema.json" in kept
    draft.set_title("Yet another", False)
    third = make_tryout(draft, draft.read(), "star/default")
    third.write_rules()
    third.write(4e9)
    assert third.ruleset_path.read_text() == kept, "it stays as it was tried"
    loaded = experiments.load_experiment(third.path, project)
    assert loaded.title.startswith("Tried out: Another <b>title</b> – against")
    assert loaded.games % ANALYSES == 0 and ANALYSES * LEAST <= loaded.games <= ANALYSES * MOST
    draft.set_toggle("stuck", "loss")
    assert not make_tryout(draft, draft.read(), "star/default").differs
    draft.set_toggle("stuck", "draw")
    draft.set_toggle("pieces", 4)
    assert make_tryout(draft, draft.read(), "star/default").path != first.path
    assert make_tryout(draft, draft.read(), "star/four-pieces").path != first.path


def test_no_two_of_the_games_are_shown_for_the_same_reason(project: Project) -> None:
    tried = of_file(project, "star/stuck-draws", "star/default")
    loaded = experiments.load_experiment(written(tried, {"agents": ["greedy"], "games": 30, "looks": 1}), project)
    runner.run_experiment(loaded, tried.folder, workers=1)
    provenance = read_run_provenance(tried.folder)
    plan = AnalysisPlan.from_provenance(provenance)
    trials = read_report_trials(tried.folder, provenance, plan.pairings)[0].frame()
    before = trials[trials["ruleset"] == plan.baseline]
    # Rules that change nothing leave the lengths of the games to tell them apart.
    same = pd.concat([before, before.assign(ruleset=plan.proposals[0])], ignore_index=True)
    for several in (trials, same):
        rows = findings._illustrative_games(several, plan)
        assert len(rows) == len(set(rows.values())) == 3
    length = {reason: same["plies"][row] for row, reason in rows.items()}
    assert length["The shortest game"] == before["plies"].min()
    assert length["The shortest game"] <= length["A game of typical length"] <= before["plies"].max()


def test_nothing_is_written_through_a_link_out_of_the_project(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (project.rulesets / "star" / "tried").symlink_to(outside)
    draft = Desk(project, Unsaved(project)).draft("star/default", "new")
    draft.set_toggle("stuck", "draw")
    with pytest.raises(Exception, match="expected a place inside the project folder"):
        make_tryout(draft, draft.read(), "star/default").write_rules()
    assert not list(outside.iterdir())


@pytest.mark.parametrize(
    ("language", "figures"),
    [
        ("en", ["236 of at most 2,400 games", "3.4 games/s", "at most 11 min left"]),
        ("ja", ["最大2,400局中236局", "毎秒3.4局", "残り最大11分"]),
    ],
)
def test_the_pages_of_a_run_tell_one_pace_and_one_time(project: Project, language: str, figures: list[str]) -> None:
    tried = of_file(project, "star/stuck-draws", "star/default")
    path = written(tried, {"games": 600})
    queue: Any = Queue(project)
    job = Job(
        path,
        experiments.load_experiment(path, project),
        tried.folder,
        FolderState.RUNNING,
        "playing",
        games=236,
        pace=3.4,
    )
    queue._jobs[tried.folder] = job
    # In a thread of its own: a browser of other tests may have left its loop in this one.
    with ThreadPoolExecutor(1) as thread:
        now = thread.submit(asyncio.run, queue.folder_status(tried.folder)).result()
    visitor = Visitor(language, "auto")
    unused: Any = None
    shelf = Shelf(project, queue, unused)
    shelf.entries[path.stem] = Entry(path.stem, verbatim("x"), True, now)
    listed = shelf.entry(path.stem, visitor)
    trial: Any = SimpleNamespace(visitor=visitor, trying=SimpleNamespace(shelf=shelf))
    assert listed is not None
    for view in (listed, _TryPage._progress(trial, tried, now, _FolderFindings())):
        assert [view[key] for key in ("games", "pace", "left")] == figures
