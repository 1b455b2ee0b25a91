"""The project's searches for rulesets, how far each is, and what is known of their rulesets so far."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from workbench.files.names import CONFIRMED, SEARCHES
from workbench.files.project import Project
from workbench.questions import rule_search
from workbench.run.status import FolderState
from workbench.studio import report_files, search_folders
from workbench.studio.experiment_view import games_progress_text
from workbench.studio.gate import REPORTS
from workbench.studio.search_folders import Overview, SearchEntry
from workbench.studio.searches import is_shipped_search
from workbench.studio.shelf import STATES, button_action, job_view
from workbench.studio.visitor import Visitor
from workbench.studio.watching import Watched
from workbench.studio.words import WORDS
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    from workbench.studio.jobs import Job, Queue

STAGES: Mapping[str, str] = {
    "sieve": "stage_sieve",
    "first sample": "stage_sample",
    "rounds": "stage_rounds",
    "race": "stage_race",
    "confirmation": "stage_confirmation",
}
"""The stages of `workbench.run.rule_search.STAGES`, and their words here."""


@dataclass(frozen=True)
class KnownRulesets:
    """What was known of the rulesets of a search, and when that was written."""

    written: tuple[float, float]
    overview: Overview | None


class SearchShelf(Watched):
    """What is known of the searches of a project, as far as somebody has looked."""

    def __init__(self, project: Project, queue: Queue, workers: Workers) -> None:
        super().__init__()
        self.project, self.queue, self.workers = project, queue, workers
        self.entries: dict[str, SearchEntry] = {}
        self._overviews: dict[str, KnownRulesets] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._active: set[str] = set()
        """What waited or ran when the queue was last heard."""
        queue.listeners.append(self._on_queue_change)

    async def _refresh(self) -> None:
        entries = {one.name: one for one in await self.workers.reading.run(search_folders.list_searches, self.project)}
        changed, self.entries = entries != self.entries, entries
        if changed or not self.looked:
            self.looked = True
            self._changed()

    async def refresh_overview(self, name: str) -> None:
        """Reads what is known of the rulesets of a search, if that was written anew."""
        entry = self.entries.get(name)
        if entry is None or not entry.estimated:
            return
        written, known = (entry.estimated, entry.touched), self._overviews.get(name)
        if known is None or known.written != written:
            overview = await self.workers.reading.run(search_folders.read_overview, self.project, name)
            self._overviews[name] = KnownRulesets(written, overview)
            self._changed()

    def overview(self, name: str) -> Overview | None:
        """What is known of the rulesets of a search, as far as it was read."""
        known = self._overviews.get(name)
        return known.overview if known else None

    async def play(self, name: str, language: str) -> None:
        """Puts a search into the queue; its pictures are drawn in a language.

        Raises:
            InputError: there is no such search, or its file has problems.
        """
        self.queue.add(rule_search.find_search(name, self.project), language)

    def stop(self, name: str) -> None:
        """Takes a search out of the queue, or stops it; what is finished stays."""
        self.queue.stop(self.project.reports / SEARCHES / name)

    def job(self, name: str) -> Job | None:
        """The last job of a search in this studio."""
        return self.queue.job(self.project.reports / SEARCHES / name)

    def has_begun(self, name: str) -> bool:
        """Whether games of it were played, or it waits for that."""
        job = self.job(name)
        return (job is not None and job.active) or (self.project.reports / SEARCHES / name).is_dir()

    def _on_queue_change(self) -> None:
        """Hears of a change in the queue: the folder of a search that has ended is looked at."""
        running = [self.queue.running] if self.queue.running else []
        active = {job.name for job in (*running, *self.queue.waiting) if job.search}
        ended, self._active = self._active - active, active
        self._changed()
        if ended:
            task = asyncio.create_task(self._refresh_again())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def rows(self, visitor: Visitor) -> list[dict[str, Any]]:
        """All searches as plain data in a language, those that were touched last first."""
        return [self.view(one, visitor) for one in sorted(self.entries.values(), key=lambda one: -one.touched)]

    def entry(self, name: str, visitor: Visitor) -> dict[str, Any] | None:
        """One of them; None if nobody has looked at it, unless the queue knows it."""
        job, entry = self.job(name), self.entries.get(name)
        if entry is None and job is not None and job.active:
            entry = SearchEntry(name, job.heading, True, FolderState.NOT_BEGUN)
        return self.view(entry, visitor) if entry else None

    def view(self, entry: SearchEntry, visitor: Visitor) -> dict[str, Any]:
        """A search and what is known of its run, as plain data in a language."""
        job, state, games, total = self.job(entry.name), entry.state, entry.games, entry.total
        if job is not None and job.active:
            state, games, total = job.state, max(job.games, games), job.total or total
        percent = min(100, int(100 * games / total)) if total else 0
        folder, finalists = f"{SEARCHES}/{entry.name}", CONFIRMED.format(name=entry.name)
        report = f"/report/{quote(folder)}" if entry.page else ""
        address = f"/search/{quote(entry.name, safe='')}" if entry.file else report
        runs = job is not None and job.active
        stage = STAGES.get(job.stage, "") if job and state is FolderState.RUNNING else ""
        done = state is FolderState.DONE
        return {
            "name": entry.name,
            "title": visitor.translate(entry.title),
            "url": address,
            "report": report,
            "page": f"{REPORTS}{quote(folder)}/{report_files.PAGE}?{entry.page:.0f}" if entry.page and done else "",
            "finalists_report": f"/report/{quote(finalists)}" if entry.confirmed else "",
            "finalists_games": f"/replay/{quote(finalists)}" if entry.confirmed else "",
            "estimated": bool(entry.estimated),
            "touched": entry.touched,
            "shipped": entry.file and is_shipped_search(entry.name),
            "answer": visitor.translate(entry.answer) if done else "",
            "leaders": [] if done else [visitor.translate(one) for one in entry.leaders],
            "state": str(state.value),
            "told": visitor.translate(WORDS[STATES[state]].format(percent=percent)),
            "percent": 100 if done else percent,
            "games": visitor.translate(games_progress_text(state, games, total, False)),
            "can": "stop" if runs else button_action(state) if entry.file and not entry.problems else "",
            "wrong": [visitor.translate(problem.text) for problem in entry.problems],
            "damaged": [visitor.translate(entry.damaged)] if entry.damaged else [],
            "note": "" if entry.file else visitor.translate(WORDS["no_search_file"]),
            "stage": visitor.translate(WORDS[stage]) if stage else "",
            **job_view(self.queue, job, visitor),
        }
