"""The experiments and searches of a project with their progress, and the runs of this studio.

A worker process reads those parts of files that lists need; the queue reports local runs. Pages that show runs are
notified of changes.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from workbench.base.errors import InputError, Problem, display_path, system_reason
from workbench.base.language import join, tr
from workbench.base.project import CONFIRMED, SEARCHES, Project
from workbench.base.yamlfile import snapshot
from workbench.experiments import experiment as experiments
from workbench.experiments.experiment import Experiment
from workbench.games.results import BY_POINTS
from workbench.records import provenance, records
from workbench.runs.progress import FolderState, FolderStatus, folder_status
from workbench.studio import opponents, report_files
from workbench.studio.asks import (
    SUFFIXES,
    level_of,
    page_address,
    present_title,
    question_of,
    starts_programs,
    write_partial_report,
)
from workbench.studio.auth import REPORTS
from workbench.studio.documents import change_stamp, is_shipped
from workbench.studio.interim_report import CellResults, live_results
from workbench.studio.jobs import Job, outlook
from workbench.studio.report_files import changed_at, read_titles
from workbench.studio.visitor import View, Visitor
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    from workbench.studio.jobs import Queue

REFRESH_SECONDS = 3.0
"""Seconds between scans of the folders while a page shows them."""
CHUNK = 6
"""The number of files read at once, which lets pages fill gradually."""
MAX_CACHED = 700
"""The number of files cached by the reading worker."""
BUSY = (FolderState.QUEUED, FolderState.RUNNING, FolderState.ELSEWHERE)
"""States in which a report would soon be outdated."""
STATES = {
    FolderState.NOT_BEGUN: tr("not begun"),
    FolderState.QUEUED: tr("waiting"),
    FolderState.RUNNING: tr("running, {percent} %"),
    FolderState.ELSEWHERE: tr("running elsewhere"),
    FolderState.STOPPED: tr("{percent} % played"),
    FolderState.DONE: tr("done"),
    FolderState.DAMAGED: tr("damaged"),
}
MOST_PAIRS = 3
"""The most pairs of players whose results are shown side by side."""
BUTTONS = {FolderState.NOT_BEGUN: "play", FolderState.STOPPED: "continue", FolderState.DAMAGED: "mend"}
DIFFERING = tr(
    "The rules or the question have changed since its games were played: save it under another name, or ask again."
)
PHASES = {
    "starting": tr("starting…"), "training": tr("players are learning…"), "compiling": tr("compiling machine code…"),
    "playing": tr("playing"), "reporting": tr("writing the report…"), "done": tr("writing the report…"),
    "stopping": tr("stopping…"),
}  # fmt: skip


@dataclass(frozen=True)
class Run:
    """An experiment, a search, or a folder of games that has no file."""

    name: str
    title: str
    file: bool
    status: FolderStatus
    page: float = 0.0
    """The Unix time of the report; 0 if there is none."""
    played: float = 0.0
    """The Unix time of the last games."""
    touched: float = 0.0
    """The Unix time of the last change to the file or games."""
    problems: tuple[Problem, ...] = ()
    programs: bool = False
    """True if the run starts external programs."""
    answer: str = ""
    """The report's answer as a sentence."""
    address: str = ""
    """The address of a question's page; "" for other runs."""


class Runs:
    """The scanned runs of one kind; pages that show them are notified of changes."""

    area: str
    """The address of pages, before the name; `listing` is the project folder of the files."""
    listing: str
    under: str
    """The subfolder that contains the report folders."""
    mark: str
    """A file that identifies report folders with games; "" for the folder itself."""
    gone: str
    """The note on a folder that has no file."""
    run_type: type[Run] = Run
    list_names: Callable[[Project], list[str]]
    load: Callable[[Project, Sequence[str]], Sequence[Run]]
    find: Callable[[str, Project], Path]

    def __init__(self, project: Project, queue: Queue, workers: Workers) -> None:
        self.project, self.queue, self.workers = project, queue, workers
        self.entries: dict[str, Run] = {}
        self.scanned = False
        """True after the first complete scan."""
        self._listeners: list[Callable[[], None]] = []
        self._scan_task: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._active: set[str] = set()
        """The runs that were active at the queue's last change."""
        queue.listeners.append(self._on_queue_change)

    def watch(self, client: Any, listener: Callable[[], None]) -> None:
        """Call the listener after each change until the client's page is closed."""
        self._listeners.append(listener)
        client.on_delete(lambda: self._listeners.remove(listener))

    async def refresh(self) -> None:
        """Scan all runs, or wait for the scan in progress."""
        if self._scan_task is None or self._scan_task.done():
            self._scan_task = asyncio.create_task(self._scan())
        await asyncio.shield(self._scan_task)

    async def _scan(self) -> None:
        names = await self.workers.reading.run(self.list_names, self.project)
        changed = bool(self.entries.keys() - set(names))
        for start in range(0, len(names), CHUNK):
            for run in await self.workers.reading.run(self.load, self.project, names[start : start + CHUNK]):
                changed |= self.entries.get(run.name) != run
                self.entries[run.name] = run
            if not self.scanned:
                self.notify()
        self.entries = {name: self.entries[name] for name in names if name in self.entries}
        if await self._scan_extras() or changed or not self.scanned:
            self.scanned = True
            self.notify()

    async def _scan_extras(self) -> bool:
        """Scan data that only this kind of run has; return True if it changed."""
        return False

    async def scan_run(self, name: str) -> None:
        """Scan a run unless it was scanned before."""
        if name not in self.entries:
            [self.entries[name]] = await self.workers.reading.run(self.load, self.project, [name])
            self.notify()

    async def _scan_again(self) -> None:
        """Start another scan, because a scan in progress may have read a folder too early."""
        if self._scan_task is not None and not self._scan_task.done():
            await asyncio.shield(self._scan_task)
        await self.refresh()

    def notify(self) -> None:
        """Tell all pages that something has changed."""
        for listener in list(self._listeners):
            listener()

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_queue_change(self) -> None:
        """Scan the folders of runs that have just finished."""
        folders = [job.folder for job in self.queue.active]
        active = {folder.name for folder in folders if folder == self.folder(folder.name)}
        ended, self._active = self._active - active, active
        self.notify()
        for name in ended:
            self._keep(self._after_run(name, self.job(name)))

    async def _after_run(self, name: str, job: Job | None) -> None:
        await self._scan_again()

    async def play(self, name: str, language: str) -> None:
        """Queue a run; its charts are drawn in the language.

        Raises:
            InputError: the file does not exist or has problems.
        """
        self.queue.add(self.find(name, self.project), language)

    def stop(self, name: str) -> None:
        """Remove a run from the queue or stop it; finished games remain."""
        self.queue.stop(self.folder(name))

    def move(self, name: str, place: int) -> None:
        """Move a waiting run to another position."""
        self.queue.move(self.folder(name), place)

    def folder(self, name: str) -> Path:
        """Return a run's report folder."""
        return self.project.reports / self.under / name

    def job(self, name: str) -> Job | None:
        """Return a run's latest job in this studio."""
        return self.queue.job(self.folder(name))

    def related(self, name: str) -> list[Job]:
        """Return a run's latest job, with those that give the same answer."""
        return [job for job in [self.job(name)] if job is not None]

    def is_active(self, name: str) -> bool:
        """Return True if a run waits or is in progress in this studio."""
        job = self.job(name)
        return job is not None and job.active

    def rows(self, visitor: Visitor) -> list[View]:
        """Return all runs as plain data in the visitor's language."""
        return [self.entry_view(run, visitor) for run in self.entries.values()]

    def entry(self, name: str, visitor: Visitor) -> View | None:
        """Return a run as plain data, or None if it was neither scanned nor queued."""
        job, run = self.job(name), self.entries.get(name)
        if run is None and job is not None and job.active:
            run = self.run_type(name, job.heading, True, FolderStatus(FolderState.NOT_BEGUN, total=job.total))
        return self.entry_view(run, visitor) if run else None

    def entry_view(self, run: Run, visitor: Visitor) -> View:
        """Return a run with its progress as plain data in the visitor's language."""
        job, status, active = self.job(run.name), run.status, self.is_active(run.name)
        state, games, total, at_most = status.state, status.games, status.total, status.at_most
        if job is not None and active:
            state, total, at_most = job.state, job.total or total, job.at_most
            games = max(job.games, games if state is FolderState.QUEUED or not job.games else 0)
        percent = min(100, int(100 * games / total)) if total else 0
        left, phase = "", ""
        if job is not None and active:
            expected, left = outlook(self.related(run.name))
            if state is FolderState.RUNNING:
                # Time passes while players learn, too.
                percent = expected if left or not games else percent
                phase = PHASES.get(job.phase, PHASES["playing"])
                if job.phase == "training" and job.learned[1] > 1:
                    number, all_ = job.learned
                    phase = tr("players are learning: {n} of {all}", n=min(number + 1, all_), all=all_)
        elif job is not None and job.state is FolderState.STOPPED and state is FolderState.NOT_BEGUN:
            state = FolderState.STOPPED
        said = tr("at most {total} games") if at_most else tr("{total} games")
        if games:
            said = tr("{games} games") if at_most or games >= total else tr("{games} of {total} games")
        ended = state in (FolderState.DONE, FolderState.STOPPED)
        differs = status.differs and ended
        needs_permission = run.programs and not self.queue.programs
        playable = run.file and not (run.problems or needs_permission or differs)
        address = quote(f"{self.under}/{run.name}".removeprefix("/"))
        report = f"/report/{address}" if run.page else ""
        page = f"{REPORTS}{address}/{report_files.PAGE}?{run.page:.0f}"
        view = {
            "name": run.name,
            "title": run.title,
            "url": run.address or f"/{self.area}/{quote(run.name, safe='')}" if run.file else report,
            "report": report,
            "page": page if run.page and state not in BUSY else "",
            "touched": run.touched,
            "shipped": run.file and is_shipped(self.listing, run.name),
            "answer": run.answer if ended else "",
            "state": str(state.value),
            "told": STATES[state].format(percent=percent),
            "percent": 100 if state is FolderState.DONE else percent,
            "games": said.format(games=f"{games:,}", total=f"{total:,}") if games or total else "",
            "can": "stop" if active else BUTTONS.get(state, "") if playable else "",
            "wrong": [problem.text for problem in run.problems],
            "damaged": list(status.damaged) if state is FolderState.DAMAGED else [],
            "note": DIFFERING if differs else "" if run.file else self.gone,
            "programs": needs_permission,
            "bars": [],
            "phase": phase,
            "trouble": job.trouble if job and not active else "",
            "notes": job.notes if job else [],
            "stopping": job is not None and active and job.phase == "stopping",
            "left": left,
            "place": self.queue.waiting.index(job) + 1 if job in self.queue.waiting else 0,
        }
        return visitor.localize(view)


class ExperimentRuns(Runs):
    """The scanned experiments of a project."""

    area, listing, under, mark = "report", "experiments", "", provenance.FILE
    gone = tr("Its experiment file is missing: the report can be read, but not run again.")
    find = staticmethod(experiments.find_experiment)

    def __init__(self, project: Project, queue: Queue, workers: Workers) -> None:
        super().__init__(project, queue, workers)
        self.list_names, self.load = list_names, load_entries
        self.results: dict[str, list[CellResults]] = {}
        """The results of the running experiment by name."""

    async def _scan_extras(self) -> bool:
        running, results = self.queue.running, {}
        if running is not None and running.games and running.kind is None:
            results[running.folder.name] = await self.workers.reading.run(live_results, running.folder)
        changed, self.results = self.results != results, results
        return changed

    def related(self, name: str) -> list[Job]:
        """Return the latest jobs of all levels of a question."""
        names = [question_of(name) + suffix for suffix in SUFFIXES] if level_of(name) is not None else [name]
        return [job for job in map(self.job, names) if job is not None]

    async def write_report(self, name: str, language: str) -> None:
        """Write the report on an inactive experiment in a language."""
        if not self.is_active(name):
            await self.workers.planning.run(write_partial_report, self.folder(name), language)
        await self._scan_again()

    def rewrite(self, names: Sequence[str], language: str) -> None:
        """Rewrite the reports on experiments whose rules have another title now."""
        for name in names:
            self._keep(self._rewrite(name, language))

    async def _rewrite(self, name: str, language: str) -> None:
        await self.scan_run(name)
        if self.entries[name].page:
            await self.write_report(name, language)

    def _on_queue_change(self) -> None:
        """Read the first results at once."""
        super()._on_queue_change()
        running = self.queue.running
        if running is not None and running.games and running.folder.name not in self.results:
            self._keep(self.refresh())

    async def _after_run(self, name: str, job: Job | None) -> None:
        if job is not None and job.state is FolderState.STOPPED and job.games and not job.trouble:
            await self.write_report(name, job.language)
        else:
            await self._scan_again()

    def entry_view(self, run: Run, visitor: Visitor) -> View:
        """Return an experiment with its progress as plain data in the visitor's language."""
        job = self.job(run.name)
        titles = {ruleset.name: ruleset.heading for ruleset in job.rulesets} if job else {}
        bars = average_bars(self.results.get(run.name, ()), titles)
        return super().entry_view(run, visitor) | visitor.localize({"bars": bars})


def average_bars(cells: Sequence[CellResults], titles: Mapping[str, str]) -> list[View]:
    """Return bars of results, the strongest players first, or the averages of many players."""
    pairs = list(dict.fromkeys((cell.first, cell.second) for cell in cells))
    cells = sorted(cells, key=lambda cell: -pairs.index((cell.first, cell.second)))
    if len(pairs) <= MOST_PAIRS:
        names = {pair: opponents.pair_name(*pair) for pair in pairs}
        names |= {pair: tr("{players} (weaker, for comparison)", players=names[pair]) for pair in pairs[:-1]}
        return [_bar(cell.ruleset, names[cell.first, cell.second], [cell.counts], titles) for cell in cells]
    rulesets = dict.fromkeys(cell.ruleset for cell in cells)
    counts = {name: [cell.counts for cell in cells if cell.ruleset == name] for name in rulesets}
    return [_bar(name, tr("strong players (average)"), counts[name], titles) for name in rulesets]


def _bar(ruleset: str, players: str, counts: Sequence[Sequence[int]], titles: Mapping[str, str]) -> View:
    shares = [
        100 * sum(column) / len(counts) for column in zip(*([n / sum(row) for n in row] for row in counts), strict=True)
    ]
    text = tr("first {first} %, drawn {draw} %, second {second} %")
    if any(row[-1] for row in counts):
        text = tr("first {first} %, drawn {draw} %, second {second} %, stopped {unfinished} %")
    return {
        "ruleset": titles.get(ruleset) or ruleset,
        "players": players,
        "shares": shares,
        "games": tr("{games} games", games=f"{sum(map(sum, counts)):,}"),
        "told": text.format(**dict(zip(BY_POINTS, (f"{share:.0f}" for share in shares), strict=True))),
    }


def list_names(project: Project) -> list[str]:
    """Return the names of all experiments, followed by the names of report folders that have no experiment."""
    names = {path.stem for path in project.experiments.glob("*.yaml")}
    folders = set()
    with contextlib.suppress(OSError):
        for entry in os.scandir(project.reports):
            if entry.is_dir(follow_symlinks=False) and _is_experiment_folder(project, Path(entry.path)):
                folders.add(entry.name)
    return [*sorted(names, key=lambda name: (is_shipped("experiments", name), name)), *sorted(folders - names)]


def _is_experiment_folder(project: Project, folder: Path) -> bool:
    search = folder.name.removesuffix(CONFIRMED.format(name=""))
    confirms_search = search != folder.name and (project.reports / SEARCHES / search).is_dir()
    return (folder / provenance.FILE).is_file() and not confirms_search


@snapshot()
def load_entries(project: Project, names: Sequence[str]) -> list[Run]:
    """Return experiments with their progress."""
    stamp = change_stamp(project.rulesets.rglob("*.yaml"))
    return [_load_entry(project, name, stamp) for name in names]


def _load_entry(project: Project, name: str, stamp: tuple[int, ...]) -> Run:
    path, folder = project.experiments / f"{name}.yaml", project.reports / name
    loaded, problems, title = load_file(experiments.load_experiment, path, project, stamp)
    played = max(changed_at(folder / name) for name in (provenance.FILE, records.TRIALS))
    page = report_files.resolve_address(project, f"{name}/{report_files.PAGE}")
    file = path.is_file() or path.is_symlink()
    if loaded is not None:
        title = present_title(loaded, title or name, project)
    return Run(
        name=name, title=(title if file else report_files.folder_title(folder)) or name, file=file,
        status=_read_status(folder, loaded), page=changed_at(page) if page else 0.0,
        played=played, touched=max(played, changed_at(path)),
        problems=problems, programs=loaded is not None and starts_programs(loaded),
        answer=report_files.read_answer(folder, changed_at(page)) if page else "",
        address=page_address(loaded, project) if loaded is not None else "",
    )  # fmt: skip


def _read_status(folder: Path, loaded: Experiment | None) -> FolderStatus:
    if folder.is_symlink():
        link = tr("{folder} is a link; the workbench does not write through links", folder=display_path(folder))
        return FolderStatus(FolderState.DAMAGED, damaged=(link,))
    if loaded is not None and not folder.is_dir():
        # Trained weights take a while to read and matter only if there are games.
        return FolderStatus(FolderState.NOT_BEGUN, total=len(loaded.cells()) * loaded.games, at_most=loaded.sequential)
    try:
        return folder_status(folder, loaded)
    except InputError:
        # The experiment's players are not trained yet.
        return folder_status(folder)
    except OSError as error:
        return FolderStatus(FolderState.DAMAGED, damaged=(join(": ", (display_path(folder), system_reason(error))),))


def load_file(
    load: Callable[[Path, Project], Any], path: Path, project: Project, stamp: tuple[int, ...]
) -> tuple[Any, tuple[Problem, ...], str | None]:
    """Return a file's content (None if it cannot be loaded), problems and title.

    ``stamp`` must change when rulesets change.
    """
    if not (path.is_file() or path.is_symlink()):
        return None, (), None
    return _load_file(load, path, project, (*change_stamp([path]), *stamp))


@functools.lru_cache(maxsize=MAX_CACHED)
def _load_file(
    load: Callable[[Path, Project], Any], path: Path, project: Project, stamp: tuple[int, ...]
) -> tuple[Any, tuple[Problem, ...], str | None]:
    title = read_titles(path)
    try:
        return load(path, project), (), title
    except InputError as error:
        return None, tuple(error.problems), title
