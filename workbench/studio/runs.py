"""The list of runs and reports of a project, with the progress of the runs of this studio.

A worker process reads those parts of files that the list needs; the queue reports local runs. Pages that show runs are
notified of changes.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from workbench.base.errors import InputError, Problem, display_path, system_reason
from workbench.base.language import join, tr
from workbench.base.project import SEARCH, Project, shipped_project
from workbench.base.yamlfile import snapshot
from workbench.experiments.workspace import EXPERIMENT, KINDS
from workbench.games.results import BY_POINTS
from workbench.records import provenance, records
from workbench.runs.progress import FolderState, FolderStatus, folder_status
from workbench.studio import opponents
from workbench.studio.asks import SUFFIXES, level_of, question_of, starts_programs, write_partial_report
from workbench.studio.documents import change_stamp
from workbench.studio.interim_report import live_results
from workbench.studio.jobs import Job, file_of, outlook, title_and_address
from workbench.studio.report_files import PAGE, Scores, changed_at, list_reports, page_address, read_head, read_scores
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
MOST_NOTES = 6
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
PROGRAMS = tr(
    "It starts external programs, which can be allowed only in the terminal (workbench studio --allow-programs)."
)
PHASES = {
    "starting": tr("starting…"), "training": tr("players are learning…"), "compiling": tr("compiling machine code…"),
    "playing": tr("playing"), "reporting": tr("writing the report…"), "done": tr("writing the report…"),
    "stopping": tr("stopping…"),
}  # fmt: skip


class Run(NamedTuple):
    """An experiment or an add-on's file with its run and answer, or a report without a file."""

    name: str
    """The path of its folder within the folder of reports."""
    title: str
    answer: str = ""
    """The report's answer as a sentence."""
    status: FolderStatus = FolderStatus(FolderState.DONE)
    page: str = ""
    """The address of the stored report; "" if there is none."""
    touched: float = 0.0
    """The Unix time of the last change to the file or games."""
    address: str = ""
    """The address of the file's page; "" without a file."""
    problems: tuple[Problem, ...] = ()
    programs: bool = False
    """True if the run starts external programs."""
    scores: Scores = Scores()


class Runs:
    """The scanned runs; pages that show them are notified of changes."""

    def __init__(self, project: Project, queue: Queue, workers: Workers) -> None:
        self.project, self.queue, self.workers = project, queue, workers
        self.entries: dict[str, Run] = {}
        self.scanned = False
        """True after the first complete scan."""
        self.results: dict[str, dict[tuple[str, ...], tuple[int, ...]]] = {}
        """The results of the running experiment by name."""
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

    async def begin(self) -> None:
        """List the reports with their titles and answers, which takes no time."""
        for run in () if self.scanned else await asyncio.to_thread(list_answers, self.project):
            self.entries.setdefault(run.name, run)

    async def refresh(self) -> None:
        """Scan all runs, or wait for the scan in progress."""
        if self._scan_task is None or self._scan_task.done():
            self._scan_task = asyncio.create_task(self._scan())
        await asyncio.shield(self._scan_task)

    async def _scan(self) -> None:
        read, counted = self.workers.reading.run, self._counted()
        names = await read(list_names, self.project)
        for start in range(0, len(names), CHUNK):
            self.entries |= await read(load_runs, self.project, names[start : start + CHUNK])
            if not self.scanned:
                self.notify()
        self.entries = {name: self.entries[name] for name in names}
        self.results = {counted: await read(live_results, self.project.reports / counted)} if counted else {}
        self.scanned = True
        self.notify()

    async def scan_run(self, name: str) -> None:
        """Scan a run unless it was scanned before."""
        if name not in self.entries:
            self.entries |= await self.workers.reading.run(load_runs, self.project, [name])
            self.notify()

    async def _scan_again(self) -> None:
        """Start another scan, because a scan in progress may have read a folder too early."""
        if self._scan_task is not None and not self._scan_task.done():
            await asyncio.shield(self._scan_task)
        await self.refresh()

    def notify(self) -> None:
        """Tell all pages that something may have changed."""
        for listener in list(self._listeners):
            listener()

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_queue_change(self) -> None:
        """Scan the folders of runs that have just finished, and read the first results at once."""
        active = {job.name for job in self.queue.active}
        ended, self._active = self._active - active, active
        self.notify()
        for name in ended:
            self._keep(self._after_run(name))
        if self._counted() not in ("", *self.results):
            self._keep(self.refresh())

    def _counted(self) -> str:
        """Return the name of the running experiment if it has games, else ""."""
        job = self.queue.running
        return job.name if job is not None and job.games and "/" not in job.name else ""

    async def _after_run(self, name: str) -> None:
        job = self.queue.job(name)
        if job is not None and job.state is FolderState.STOPPED and job.games and not job.trouble and "/" not in name:
            await self.write_report(name, job.language)
        else:
            await self._scan_again()

    async def write_report(self, name: str, language: str) -> None:
        """Write the report on an inactive experiment in a language."""
        job = self.queue.job(name)
        if job is None or not job.active:
            await self.workers.planning.run(write_partial_report, self.project.reports / name, language)
        await self._scan_again()

    def rewrite(self, names: Sequence[str], language: str) -> None:
        """Rewrite the reports on experiments whose rules have another title now."""
        for name in names:
            if page_address(self.project, name):
                self._keep(self.write_report(name, language))

    def rows(self, visitor: Visitor) -> list[View]:
        """Return active runs and all answers as plain data; a question is listed with its strongest answer."""
        views = [self.entry_view(run, visitor) for run in self.entries.values()]
        active = [view for view in views if view["can"] == "stop"]
        ended = [view for view in views if view["can"] != "stop"]
        ended.sort(key=lambda view: (view["page"] != "", view["percent"] > 0, level_of(view["name"]) or 0))
        return active + list({question_of(view["name"]): view for view in ended}.values())

    def entry(self, name: str, visitor: Visitor) -> View | None:
        """Return a run as plain data, or None if it was neither scanned nor queued."""
        job, run = self.queue.job(name), self.entries.get(name)
        if run is None and job is not None and job.active:
            run = Run(name, job.heading, status=FolderStatus(FolderState.NOT_BEGUN), address=job.address)
        return self.entry_view(run, visitor) if run else None

    def entry_view(self, run: Run, visitor: Visitor) -> View:
        """Return a run with its progress as plain data in the visitor's language."""
        job, status = self.queue.job(run.name), run.status
        active = job is not None and job.active
        state, games, total = status.state, status.games, status.total
        left, phase, notes = "", "", [problem.text for problem in run.problems]
        if job is not None and active:
            state, total = job.state, job.total or total
            games = max(job.games, games if state is FolderState.QUEUED or not job.games else 0)
        percent = min(100, int(100 * games / total)) if total else 0
        if job is not None and active:
            levels = self._levels(run.name)
            ahead = itertools.takewhile(lambda other: other not in levels, self.queue.active)
            expected, left = outlook([*ahead, *levels])
            if state is FolderState.RUNNING:
                # Time passes while players learn, too.
                percent = expected if left or not games else percent
                phase = PHASES.get(job.phase, PHASES["playing"])
                if job.phase == "playing":
                    phase = file_of(run.name, self.project)[0].stages.get(job.stage, phase)
                if job.phase == "training" and job.learned[1] > 1:
                    number, all_ = job.learned
                    phase = tr("players are learning: {n} of {all}", n=min(number + 1, all_), all=all_)
        elif job is not None and job.state is FolderState.STOPPED and state is FolderState.NOT_BEGUN:
            state = FolderState.STOPPED
        said = tr("{games} games") if state is FolderState.DONE else tr("{games} of at most {total} games")
        ended = state in (FolderState.DONE, FolderState.STOPPED)
        needs_permission = run.programs and not self.queue.programs
        notes += [DIFFERING] if status.differs and ended else [PROGRAMS] if needs_permission else []
        playable = run.address and not notes
        notes += [*status.damaged, *(job.notes if job else [])]
        view = {
            "name": run.name,
            "title": run.title,
            "url": run.address,
            "page": run.page if not active else "",
            "touched": run.touched,
            "shipped": run.address != "" and file_of(run.name, shipped_project())[1].is_file(),
            "answer": run.answer if ended else "",
            "players": [opponents.display_name(player) for player in run.scores.players],
            "scores": list(run.scores.bars),
            "state": str(state.value),
            "told": tr("needs repair") if run.problems else STATES[state].format(percent=percent),
            "percent": 100 if state is FolderState.DONE else percent,
            "games": said.format(games=f"{games:,}", total=f"{total:,}") if games or total else "",
            "can": "stop" if active else BUTTONS.get(state, "") if playable else "",
            "bars": average_bars(self.results.get(run.name, {}), job.titles, job.pairings) if job else [],
            "phase": phase,
            "notes": notes[:MOST_NOTES],
            "trouble": job.trouble if job and not active else "",
            "stopping": job is not None and active and job.phase == "stopping",
            "left": left,
            "place": self.queue.waiting.index(job) + 1 if job in self.queue.waiting else 0,
        }
        return visitor.localize(view)

    def _levels(self, name: str) -> list[Job]:
        """Return the latest jobs of all levels of a question, or that of another run."""
        names = [question_of(name) + suffix for suffix in SUFFIXES] if level_of(name) is not None else [name]
        return [job for job in map(self.queue.job, names) if job is not None]


def average_bars(
    results: Mapping[tuple[str, ...], Sequence[int]], titles: Mapping[str, str], pairings: Sequence[tuple[str, str]]
) -> list[View]:
    """Return bars of results, the strongest players first, or the averages of many players."""
    pairs = [pair for pair in reversed(pairings) if pair in {cell[1:] for cell in results}]
    bars = []
    for pair in pairs if len(pairs) <= MOST_PAIRS else ():
        players = join(" – ", map(opponents.display_name, dict.fromkeys(pair)))
        told = players if pair == pairs[0] else tr("{players} (weaker, for comparison)", players=players)
        bars += [_bar(titles[name], told, [results[name, *pair]]) for name in titles if (name, *pair) in results]
    for name, title in () if bars else titles.items():
        if counts := [row for cell, row in results.items() if cell[0] == name]:
            bars.append(_bar(title, tr("strong players (average)"), counts))
    return bars


def _bar(ruleset: str, players: str, counts: Sequence[Sequence[int]]) -> View:
    shares = [
        100 * sum(column) / len(counts) for column in zip(*([n / sum(row) for n in row] for row in counts), strict=True)
    ]
    text = tr("first {first} %, drawn {draw} %, second {second} %")
    if any(row[-1] for row in counts):
        text = tr("first {first} %, drawn {draw} %, second {second} %, stopped {unfinished} %")
    return {
        "ruleset": ruleset,
        "players": players,
        "shares": shares,
        "games": tr("{games} games", games=f"{sum(map(sum, counts)):,}"),
        "told": text.format(**dict(zip(BY_POINTS, (f"{share:.0f}" for share in shares), strict=True))),
    }


def list_answers(project: Project) -> list[Run]:
    """Return all reports with their titles and answers, latest first, but not the states of their runs."""
    return [
        Run(name, *read_head(project, name), page=page_address(project, name), touched=time)
        for name, time in list_reports(project).items()
    ]


def list_names(project: Project) -> list[str]:
    """Return the names of all runs: those of files and of folders with a report."""
    names = dict.fromkeys(list_reports(project))
    for kind in KINDS.values():
        under = "" if kind is EXPERIMENT else f"{kind.folder}/"
        names |= dict.fromkeys(f"{under}{path.stem}" for path in sorted((project.root / kind.folder).glob("*.yaml")))
    return list(names)


@snapshot()
def load_runs(project: Project, names: Sequence[str]) -> dict[str, Run]:
    """Return runs with their progress by name."""
    stamp = change_stamp(project.rulesets.rglob("*.yaml"))
    return {name: _load_run(project, name, stamp) for name in names}


def _load_run(project: Project, name: str, stamp: tuple[int, ...]) -> Run:
    (kind, path), folder = file_of(name, project), project.reports / name
    page = page_address(project, name)
    run = Run(name, *read_head(project, name), page=page, scores=read_scores(folder) if page else Scores())
    touched = max(map(changed_at, (path, *(folder / file for file in (provenance.FILE, records.TRIALS, SEARCH)))))
    if not (path.is_file() or path.is_symlink()):
        return run._replace(touched=touched or changed_at(folder / PAGE))
    loaded, problems = _load_file(kind.load, path, project, (*change_stamp([path]), *stamp))
    address = f"/report/{quote(name)}"
    title = run.title
    if loaded is not None:
        title, address = title_and_address(kind, loaded, project)
    return run._replace(
        title=title or name, touched=touched, address=address, problems=problems,
        status=kind.status(folder) if kind.status else _read_status(folder, loaded),
        programs=kind is EXPERIMENT and loaded is not None and starts_programs(loaded),
    )  # fmt: skip


def _read_status(folder: Path, loaded: Any) -> FolderStatus:
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


@functools.lru_cache(maxsize=MAX_CACHED)
def _load_file(
    load: Callable[[Path, Project], Any], path: Path, project: Project, stamp: tuple[int, ...]
) -> tuple[Any, tuple[Problem, ...]]:
    """Return a file's content, None if it cannot be loaded, and its problems; ``stamp`` changes with rulesets."""
    try:
        return load(path, project), ()
    except InputError as error:
        return None, tuple(error.problems)
