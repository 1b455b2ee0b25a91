"""The experiments and searches of a project with their progress, and what this studio plays of them.

Files are read in a process beside the server, and only as far as lists need them; the queue knows what runs here. Pages
that show any of it are told when something changes.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from workbench.base.errors import InputError, Problem, display_path, input_error, reason_of
from workbench.base.language import join, tr
from workbench.base.project import CONFIRMED, SEARCHES, Project
from workbench.base.yamlfile import snapshot
from workbench.experiments import experiment as experiments
from workbench.experiments.experiment import Experiment
from workbench.games.results import BY_POINTS
from workbench.records import provenance, records
from workbench.report.labels import ruleset_labels
from workbench.rules import rulesets
from workbench.runs.storage import FolderState, FolderStatus, folder_status
from workbench.studio import interim_report, opponents, report_files
from workbench.studio.auth import REPORTS
from workbench.studio.documents import is_shipped
from workbench.studio.interim_report import CellResults, live_results
from workbench.studio.report_files import change_stamp, changed_at, read_titles
from workbench.studio.tryouts import starts_programs, write_partial_report
from workbench.studio.visitor import View, Visitor
from workbench.studio.workers import Workers

if TYPE_CHECKING:
    from workbench.studio.jobs import Job, Queue

CHUNK = 6
"""Files that are read together: pages fill as they come."""
MAX_CACHED = 700
"""Files that the process keeps in memory as they were read."""
BUSY = (FolderState.QUEUED, FolderState.RUNNING, FolderState.ELSEWHERE)
"""States in which a report would be of fewer games than are, or will soon be, there."""
FIRST_RESULT_SECONDS = {False: 10.0, True: 30.0}
"""Seconds after which rules that are tried out have their first interval, without and with machine code to be made."""
REST = 4.0
"""How many times as long as it took to find out what games say nobody finds it out again: others are to be played."""
DIFFERS = tr(
    "The rules or the question were changed since its games were played: save it under another name, or try the "
    "change out again."
)
NO_FILE = tr("Its experiment file is gone: it can be read, but not run again.")
STATES = {
    FolderState.NOT_BEGUN: tr("not begun"),
    FolderState.QUEUED: tr("waiting"),
    FolderState.RUNNING: tr("running, {percent} %"),
    FolderState.ELSEWHERE: tr("running elsewhere"),
    FolderState.STOPPED: tr("{percent} % played"),
    FolderState.DONE: tr("done"),
    FolderState.DAMAGED: tr("damaged"),
}
BUTTONS = {FolderState.NOT_BEGUN: "play", FolderState.STOPPED: "continue", FolderState.DAMAGED: "mend"}
"""What a button does with a run."""
PHASES = {
    "starting": tr("starting…"),
    "training": tr("players are learning…"),
    "compiling": tr("machine code is being made…"),
    "playing": tr("playing"),
    "reporting": tr("writing the report…"),
    "stopping": tr("stopping…"),
}


@dataclass(frozen=True)
class Run:
    """An experiment or a search, or a folder of games whose file is gone."""

    name: str
    title: str
    file: bool
    """True if there is a file."""
    status: FolderStatus
    page: float = 0.0
    """When its report was written, in seconds since 1970; 0 if there is none."""
    played: float = 0.0
    """When its games were written last."""
    touched: float = 0.0
    """When its file, or the folder of its games, was written last."""
    problems: tuple[Problem, ...] = ()
    """The faults of the file."""
    programs: bool = False
    """True if it starts programs from outside."""
    answer: str = ""
    """The answer of its report in a sentence."""


@dataclass
class InterimResults:
    """The results of a run that is still played."""

    markup: str = ""
    """`interim_report.interim_markup`."""
    games: int = 0
    busy: bool = False
    due: float = 0.0
    """When they may be computed again."""


class Runs:
    """The runs of one kind that a project has, as far as somebody has looked; pages that show them hear of changes."""

    area: str
    """The address of a page, before the name; `listing` is that of the list, and the project's folder of the files."""
    listing: str
    under: str
    """The folder of the report folders, in that of all reports."""
    mark: str
    """An entry of a report folder as soon as games were played; "" for the folder itself."""
    gone: str
    """Said of a folder whose file is gone."""
    run_type: type[Run] = Run
    list_names: Callable[[Project], list[str]]
    load: Callable[[Project, Sequence[str]], Sequence[Run]]
    find: Callable[[str, Project], Path]

    def __init__(self, project: Project, queue: Queue, workers: Workers) -> None:
        self.project, self.queue, self.workers = project, queue, workers
        self.entries: dict[str, Run] = {}
        self.looked = False
        """True after everything has been looked at once."""
        self._listeners: list[Callable[[], None]] = []
        self._looking: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._active: set[str] = set()
        """The runs that waited or ran when the queue was last heard."""
        queue.listeners.append(self._on_queue_change)

    def watch(self, client: Any, listener: Callable[[], None]) -> None:
        """Call the listener after each change, until the page of a client is closed."""
        self._listeners.append(listener)
        client.on_delete(lambda: self._listeners.remove(listener))

    async def refresh(self) -> None:
        """Look at everything anew; who asks meanwhile waits for the same look."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._refresh())
        await asyncio.shield(self._looking)

    async def _refresh(self) -> None:
        names = await self.workers.reading.run(self.list_names, self.project)
        changed = bool(self.entries.keys() - set(names))
        for start in range(0, len(names), CHUNK):
            for run in await self.workers.reading.run(self.load, self.project, names[start : start + CHUNK]):
                changed |= self.entries.get(run.name) != run
                self.entries[run.name] = run
            if not self.looked:
                self._changed()
        self.entries = {name: self.entries[name] for name in names if name in self.entries}
        if await self._refresh_more() or changed or not self.looked:
            self.looked = True
            self._changed()

    async def _refresh_more(self) -> bool:
        """Look at what only this kind has; True if that is news."""
        return False

    async def look_at(self, name: str) -> None:
        """Look at one of them, if nobody has yet."""
        if name not in self.entries:
            [self.entries[name]] = await self.workers.reading.run(self.load, self.project, [name])
            self._changed()

    async def _refresh_again(self) -> None:
        """Look at everything once more: a look under way may have seen a folder before its end."""
        if self._looking is not None and not self._looking.done():
            await asyncio.shield(self._looking)
        await self.refresh()

    def _changed(self) -> None:
        for listener in list(self._listeners):
            listener()

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_queue_change(self) -> None:
        """Look at the folder of a run that has ended."""
        running = [self.queue.running] if self.queue.running else []
        folders = [job.folder for job in (*running, *self.queue.waiting)]
        active = {folder.name for folder in folders if folder == self.folder(folder.name)}
        ended, self._active = self._active - active, active
        self._changed()
        for name in ended:
            self._keep(self._after_run(name, self.job(name)))

    async def _after_run(self, name: str, job: Job | None) -> None:
        await self._refresh_again()

    async def play(self, name: str, language: str) -> None:
        """Put one into the queue; its charts are drawn in a language.

        Raises:
            InputError: there is none of this name, or its file has problems.
        """
        self.queue.add(self.find(name, self.project), language)

    def stop(self, name: str) -> None:
        """Take one out of the queue, or stop it; finished games stay."""
        self.queue.stop(self.folder(name))

    def move(self, name: str, place: int) -> None:
        """Give one that waits another place."""
        self.queue.move(self.folder(name), place)

    def folder(self, name: str) -> Path:
        """Return the report folder."""
        return self.project.reports / self.under / name

    def job(self, name: str) -> Job | None:
        """Return the last job of one of them in this studio."""
        return self.queue.job(self.folder(name))

    def runs(self, name: str) -> bool:
        """True if one of them is played, or waits for that."""
        job = self.job(name)
        return job is not None and job.active

    def has_begun(self, name: str) -> bool:
        """True if games of it were played, or it waits for that."""
        return self.runs(name) or (self.folder(name) / self.mark).exists()

    def rows(self, visitor: Visitor) -> list[View]:
        """All of them as plain data in a language."""
        return [self.entry_view(run, visitor) for run in self.entries.values()]

    def entry(self, name: str, visitor: Visitor) -> View | None:
        """One of them; None if nobody has looked at it, unless the queue knows it."""
        job, run = self.job(name), self.entries.get(name)
        if run is None and job is not None and job.active:
            run = self.run_type(name, job.heading, True, FolderStatus(FolderState.NOT_BEGUN, total=job.total))
        return self.entry_view(run, visitor) if run else None

    def entry_view(self, run: Run, visitor: Visitor) -> View:
        """Return a run with its progress, as plain data in a language."""
        say = visitor.translate
        job, now, active = self.job(run.name), run.status, self.runs(run.name)
        state, games, total, at_most = now.state, now.games, now.total, now.at_most
        if job is not None and active:
            state, total, at_most = job.state, job.total or total, job.at_most
            games = max(job.games, games if state is FolderState.QUEUED or not job.games else 0)
        done = state is FolderState.DONE
        percent = min(100, int(100 * games / total)) if total else 0
        differs = now.differs and state in (FolderState.DONE, FolderState.STOPPED)
        refused = run.programs and not self.queue.programs
        playable = run.file and not (run.problems or refused or differs)
        at = f"{self.under}/{run.name}".removeprefix("/")
        report = f"/report/{quote(at)}" if run.page else ""
        return {
            "name": run.name,
            "title": say(run.title),
            "url": f"/{self.area}/{quote(run.name, safe='')}" if run.file else report,
            "report": report,
            "page": f"{REPORTS}{quote(at)}/{report_files.PAGE}?{run.page:.0f}"
            if run.page and state not in BUSY
            else "",
            "touched": run.touched,
            "shipped": run.file and is_shipped(self.listing, run.name),
            "answer": say(run.answer) if state in (FolderState.DONE, FolderState.STOPPED) else "",
            "state": str(state.value),
            "told": say(STATES[state].format(percent=percent)),
            "percent": 100 if done else percent,
            "games": say(games_progress_text(state, games, total, at_most)),
            "can": "stop" if active else BUTTONS.get(state, "") if playable else "",
            "wrong": [say(problem.text) for problem in run.problems],
            "damaged": [say(line) for line in now.damaged] if state is FolderState.DAMAGED else [],
            "note": say(DIFFERS if differs else "" if run.file else self.gone),
            "programs": refused,
            "results": [],
            **self._job_view(job, visitor),
        }

    def _job_view(self, job: Job | None, visitor: Visitor) -> View:
        """Return the phase and pace of a job, its place among those that wait, and its trouble."""
        if job is None:
            return {"phase": "", "pace": "", "left": "", "trouble": "", "notes": [], "place": 0, "stopping": False}
        running = job.state is FolderState.RUNNING
        return {
            "phase": visitor.translate(_phase_text(job, visitor)) if running else "",
            **pace_view(job, visitor),
            "trouble": "" if job.active else visitor.translate(job.trouble),
            "notes": [visitor.translate(note) for note in job.notes],
            "place": self.queue.waiting.index(job) + 1 if job in self.queue.waiting else 0,
            "stopping": running and job.phase == "stopping",
        }


class ExperimentRuns(Runs):
    """The experiments of a project, as far as somebody has looked."""

    area, listing, under, mark, gone = "experiment", "experiments", "", provenance.FILE, NO_FILE
    find = staticmethod(experiments.find_experiment)

    def __init__(self, project: Project, queue: Queue, workers: Workers) -> None:
        super().__init__(project, queue, workers)
        self.list_names, self.load = list_names, load_entries
        self.results: dict[str, list[CellResults]] = {}
        """The results of the games that are played here."""
        self.interim: dict[str, InterimResults] = {}
        """The results so far of all that runs, or ran, in this studio."""
        self._writing: set[str] = set()
        """Experiments whose report is being written."""
        self._troubles: dict[str, str] = {}
        """Why a report could not be written, in English."""

    async def _refresh_more(self) -> bool:
        running = self.queue.running
        folders = [running.folder] if running is not None and running.games and running.kind is None else []
        results = {folder.name: await self.workers.reading.run(live_results, folder) for folder in folders}
        news, self.results = results != self.results, results
        return news

    async def play(self, name: str, language: str) -> None:
        """Put an experiment into the queue; its charts are drawn in a language.

        Raises:
            InputError: there is no such experiment, or its file has problems, or it starts programs from outside.
        """
        path = experiments.find_experiment(name, self.project)
        loaded = await asyncio.to_thread(experiments.load_experiment, path, self.project)
        if starts_programs(loaded) and not self.queue.programs:
            message = tr("starts programs from outside, which only the terminal may allow")
            raise input_error(message, "workbench studio --allow-programs", file=display_path(path))
        self.queue.add(path, language)

    async def write_report(self, name: str, language: str) -> None:
        """Write the report of an experiment's games so far, in a language; a run writes its own at its end."""
        if name not in self.entries or name in self._writing or self.runs(name):
            return
        self._writing.add(name)
        self._troubles.pop(name, None)
        self._changed()
        try:
            trouble = await self.workers.planning.run(write_partial_report, self.folder(name), language)
        finally:
            self._writing.discard(name)
        if trouble:
            self._troubles[name] = trouble
        await self._refresh_again()
        self._changed()

    def rename_tried(self, saved: str, language: str) -> None:
        """Write the reports anew that name rules by their changes which were saved as a ruleset now."""
        with contextlib.suppress(InputError, OSError), snapshot():
            fingerprint = rulesets.load_ruleset(saved, self.project).fingerprint
            tried = [name for name in rulesets.tried_ruleset_names(self.project) if name.endswith(fingerprint[:8])]
            for path in self.project.experiments.glob("*.yaml"):
                if any(name in path.read_text(encoding="utf-8", errors="replace") for name in tried):
                    self._keep(self._write_again(path.stem, language))

    async def _write_again(self, name: str, language: str) -> None:
        await self.look_at(name)
        if self.entries[name].page:
            await self.write_report(name, language)

    async def _after_run(self, name: str, job: Job | None) -> None:
        if job is not None and job.state is FolderState.STOPPED and job.games and not job.trouble:
            await self.write_report(name, job.language)
        else:
            await self._refresh_again()

    def update_interim(self, name: str) -> None:
        """Compute the results so far of a run, if there are new games and the last time is not too recent.

        Who shows them asks after each change, and is told when they are there.
        """
        run, job = self.entries.get(name), self.job(name)
        if job is not None and job.state is FolderState.RUNNING:
            games = job.games
        elif run is not None and run.status.state is FolderState.ELSEWHERE:
            games = run.status.games
        else:
            return
        found = self.interim.setdefault(name, InterimResults())
        if games != found.games and not found.busy and time.monotonic() >= found.due:
            found.busy = True
            self._keep(self._find(name, found, games))

    async def _find(self, name: str, found: InterimResults, games: int) -> None:
        begun = time.monotonic()
        try:
            markup = await self.workers.planning.run(interim_report.interim_markup, self.folder(name))
        finally:
            found.busy, found.due = False, time.monotonic() + REST * (time.monotonic() - begun)
        found.games, found.markup = games, markup or found.markup
        self._changed()

    def entry_view(self, run: Run, visitor: Visitor) -> View:
        """Return an experiment with its progress, as plain data in a language."""
        view, job, writing = super().entry_view(run, visitor), self.job(run.name), run.name in self._writing
        state = FolderState(view["state"])
        busy = state in BUSY or writing
        labels = ruleset_labels(job.rulesets) if job else {}
        labels = {name: visitor.translate(label) for name, label in labels.items()}
        # The results so far of a run that is done wait for its report, which may decide more.
        found = self.interim.get(run.name) if busy and state is not FolderState.DONE else None
        view |= {
            "page": "" if writing else view["page"],
            "so_far": state is FolderState.STOPPED and not run.status.damaged and not busy and run.page < run.played,
            "writing": writing,
            "results": [_result_view(one, labels, visitor) for one in self.results.get(run.name, ())],
            "interim": found.markup if found else "",
            "first_in": None,
        }
        begun = job is not None and job.state is FolderState.RUNNING and job.phase not in ("stopping", "training")
        if job is not None and begun and not view["interim"]:
            view["first_in"] = round(max(0.0, job.begun + FIRST_RESULT_SECONDS[job.compiles] - time.monotonic()))
        if run.name in self._troubles:
            view["trouble"] = visitor.translate(self._troubles[run.name])
        return view


def _phase_text(job: Job, visitor: Visitor) -> str:
    if job.phase == "training" and job.trained[1]:
        done, needed = job.trained
        if job.training_left is None:
            return tr("players are learning ({n} of {total} done)…", n=done, total=needed)
        left = format_time_span(job.training_left, visitor)
        return tr("players are learning ({n} of {total} done), about {time} left", n=done, total=needed, time=left)
    if job.phase == "reporting" and job.written:
        return tr("writing the report… {percent} %", percent=round(100 * job.written))
    return PHASES.get(job.phase, PHASES["playing"])


def _result_view(cell: CellResults, labels: Mapping[str, str], visitor: Visitor) -> dict[str, Any]:
    games = sum(cell.counts)
    shares = [100 * count / games for count in cell.counts]
    words = dict(zip(BY_POINTS, (f"{share:.0f}" for share in shares), strict=True))
    told = tr("first {first} %, drawn {draw} %, second {second} %")
    if cell.counts[-1]:
        told = tr("first {first} %, drawn {draw} %, second {second} %, stopped {unfinished} %")
    return {
        "ruleset": labels.get(cell.ruleset, cell.ruleset),
        "players": visitor.translate(opponents.pair_name(cell.first, cell.second)),
        "shares": shares,
        "games": visitor.translate(tr("{games} games", games=f"{games:,}")),
        "told": visitor.translate(told.format(**words)),
    }


def list_names(project: Project) -> list[str]:
    """Return the names of all experiments and of the folders that runs wrote, by name; experiments first."""
    names = {path.stem for path in project.experiments.glob("*.yaml")}
    folders = set()
    with contextlib.suppress(OSError):
        for one in os.scandir(project.reports):
            if one.is_dir(follow_symlinks=False) and _holds_own_games(project, Path(one.path)):
                folders.add(one.name)
    return [*sorted(names, key=lambda name: (is_shipped("experiments", name), name)), *sorted(folders - names)]


def _holds_own_games(project: Project, folder: Path) -> bool:
    """Return whether games lie in a folder that stands in no list but that of experiments."""
    searched = folder.name.removesuffix(CONFIRMED.format(name=""))
    of_search = searched != folder.name and (project.reports / SEARCHES / searched).is_dir()
    return (folder / provenance.FILE).is_file() and not of_search


@snapshot()
def load_entries(project: Project, names: Sequence[str]) -> list[Run]:
    """Some experiments with their progress."""
    stamp = change_stamp(project.rulesets.rglob("*.yaml"))
    return [_load_entry(project, name, stamp) for name in names]


def _load_entry(project: Project, name: str, stamp: tuple[int, ...]) -> Run:
    path, folder = project.experiments / f"{name}.yaml", project.reports / name
    loaded, problems, title = load_file(experiments.load_experiment, path, project, stamp)
    times = [changed_at(folder / each) for each in (provenance.FILE, records.TRIALS)]
    page = report_files.resolve_address(project, f"{name}/{report_files.PAGE}")
    file = path.is_file() or path.is_symlink()
    return Run(
        name=name,
        title=(title if file else report_files.folder_title(folder)) or name,
        file=file,
        status=_read_status(folder, loaded),
        page=changed_at(page) if page else 0.0,
        played=max(times),
        touched=max(*times, changed_at(path)),
        problems=problems,
        programs=loaded is not None and starts_programs(loaded),
        answer=report_files.read_answer(folder, changed_at(page)) if page else "",
    )


def _read_status(folder: Path, loaded: Experiment | None) -> FolderStatus:
    if folder.is_symlink():
        link = tr("{folder} is a link, and the workbench writes through none", folder=display_path(folder))
        return FolderStatus(FolderState.DAMAGED, damaged=(link,))
    if loaded is not None and not folder.is_dir():
        # What its players have learned matters to games that are there, and takes a while to be read.
        return FolderStatus(FolderState.NOT_BEGUN, total=len(loaded.cells()) * loaded.games, at_most=loaded.sequential)
    try:
        return folder_status(folder, loaded)
    except InputError:
        # Its players have not learned yet what they are to play by.
        return folder_status(folder)
    except OSError as error:
        return FolderStatus(FolderState.DAMAGED, damaged=(join(": ", (display_path(folder), reason_of(error))),))


def load_file(
    load: Callable[[Path, Project], Any], path: Path, project: Project, stamp: tuple[int, ...]
) -> tuple[Any, tuple[Problem, ...], str | None]:
    """Return the content of a file (None if it cannot be loaded), its faults, and its title.

    ``stamp``: changes when a ruleset does.
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


def games_progress_text(state: FolderState, games: int, total: int, at_most: bool) -> str:
    """How many games of how many are played; ``at_most``: cells may end earlier."""
    if state is FolderState.NOT_BEGUN or not games:
        asked = tr("at most {total} games") if at_most else tr("{total} games")
        return asked.format(total=f"{total:,}") if total else ""
    if state is FolderState.DONE or not total:
        return tr("{games} games", games=f"{games:,}")
    if at_most:
        return tr("{games} games, at most {rest} more", games=f"{games:,}", rest=f"{max(0, total - games):,}")
    return tr("{games} of {total} games", games=f"{games:,}", total=f"{total:,}")


def pace_view(job: Job, visitor: Visitor) -> View:
    """How fast the games of a run go, and how long the others take at that pace; empty while that is not known."""
    if job.state is not FolderState.RUNNING or job.phase != "playing" or job.left is None:
        return {"pace": "", "left": ""}
    number = f"{job.pace:,.0f}" if job.pace >= 10 else f"{job.pace:.2g}"
    left = tr("at most {time} left") if job.at_most else tr("{time} left")
    return {
        "pace": visitor.translate(tr("{n} games/s", n=number)),
        "left": visitor.translate(left.format(time=format_time_span(job.left, visitor))),
    }


def format_time_span(seconds: float, visitor: Visitor) -> str:
    """Return a time in words, to two places."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return visitor.translate(tr("{n} s", n=round(seconds)))
    if minutes < 100:
        return visitor.translate(tr("{n} min", n=minutes))
    return visitor.translate(tr("{hours} h {minutes} min", hours=f"{minutes // 60:,}", minutes=minutes % 60))
