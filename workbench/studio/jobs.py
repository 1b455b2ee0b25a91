"""The queue of experiments and other files that this studio plays, one at a time and each in a separate process.

Jobs have the names of their report folders. ``queue.add(name)`` appends a file, which may be new or stopped;
``queue.stop(name)`` removes it or stops it as on Ctrl-C; ``queue.job(name)`` returns its progress. Functions in
``queue.listeners`` are called in the server's loop after each change, at most a few times per second.
``queue.resume(names)`` restores the jobs of a killed studio.

The process is `workbench.studio.run_process`, which does the work of ``workbench run FILE`` or of an add-on's command.
A crash could lose only the order of the queue, which is therefore saved after each change. The process stops as on
Ctrl-C when its standard input closes, which happens if the studio ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import workbench
from workbench.base.addons import FileKind
from workbench.base.errors import InputError, error_text
from workbench.base.language import SOURCE, VARIABLES, preferred, tr, untranslated
from workbench.base.project import Project
from workbench.experiments.workspace import EXPERIMENT, KINDS
from workbench.rules.rulesets import with_saved_titles
from workbench.runs.executor import format_duration
from workbench.runs.progress import FolderState
from workbench.studio.asks import page_address, present_title

MAX_LINE = 2**22
MAX_TAIL = 2_000
"""Maximum number of characters shown from a dead process's output."""
USUAL_SECONDS = 1800.0
"""The duration of a job of which nothing is known yet."""
END_SECONDS = 20.0
"""Seconds until a stopping process is killed, whose unfinished blocks are replayed later."""
REPORTED = {"games", "total", "later", "stage", "learned", "trouble"}
"""Fields of a job that are set to the values reported by its process."""


@dataclass(eq=False)
class Job:
    """An experiment or an add-on's file that is queued, in progress or ended."""

    name: str
    """The name of its report folder."""
    heading: str
    """The bilingual title; this and the next fields are those at the time of queueing."""
    address: str = ""
    """The address of the job's page."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """The titles of the rulesets."""
    pairings: Sequence[tuple[str, str]] = ()
    """The players of an experiment, the strongest last."""
    state: FolderState = FolderState.QUEUED
    """Queued, running, stopped or done."""
    phase: str = "starting"
    """While running: ``starting``, ``training``, ``compiling``, ``playing``, ``reporting`` or ``stopping``."""
    games: int = 0
    """The number of saved games."""
    total: int = 0
    """The number of games if no further cell ends early; 0 if unknown."""
    stage: str = ""
    left: float | None = None
    """Seconds that the job takes, as expected before it starts; None if unknown."""
    due: float = math.inf
    """The earliest expected time of the end; infinite if unknown."""
    later: float = 0.0
    """Seconds that follow the present phase."""
    learned: tuple[int, int] = (0, 0)
    """The finished and all training runs."""
    begun: float = 0.0
    """The monotonic time when the process started."""
    ended: float = 0.0
    trouble: str = ""
    """The reason for a failure, in English; empty if the user stopped the run."""
    notes: list[str] = field(default_factory=list)
    """Notes on the run in English, such as repaired files."""
    language: str = SOURCE
    """The language of the charts."""

    @property
    def elapsed(self) -> float:
        """Seconds since the process started, or its duration."""
        return (self.ended or time.monotonic()) - self.begun if self.begun else 0.0

    @property
    def time_left(self) -> float | None:
        """Seconds until the end, which count down while the job runs; None if unknown."""
        # A phase that takes longer than expected does not use up the time of the next ones.
        return self.left if self.due == math.inf else max(self.due - time.monotonic(), self.later)

    @property
    def late(self) -> bool:
        """True if the present phase takes longer than expected."""
        return self.due - time.monotonic() < self.later

    def expect(self, left: float | None) -> None:
        """Expect the end in so many seconds, unless it is expected earlier."""
        self.due = min(self.due, time.monotonic() + left) if left is not None else self.due

    @property
    def active(self) -> bool:
        """True if the job waits or runs."""
        return self.state in (FolderState.QUEUED, FolderState.RUNNING)


def file_of(name: str, project: Project) -> tuple[FileKind, Path]:
    """Return the kind and the path of the file whose results are in a report folder; the file need not exist."""
    kind = next((kind for kind in KINDS.values() if name.startswith(f"{kind.folder}/")), EXPERIMENT)
    return kind, project.root / kind.folder / f"{name.removeprefix(f'{kind.folder}/')}.yaml"


def title_and_address(kind: FileKind, loaded: Any, project: Project) -> tuple[str, str]:
    """Return the title of a file's content, and the address of its page."""
    if kind is EXPERIMENT:
        return present_title(loaded, loaded.heading, project), page_address(loaded, project)
    return loaded.heading, f"/report/{kind.folder}/{quote(loaded.name)}"


class Queue:
    """The running and waiting jobs of a project; use it only in the server's loop."""

    def __init__(
        self, project: Project, programs: bool = False, on: str = "",
        save: Callable[[tuple[str, ...]], object] = lambda names: None,
    ) -> None:  # fmt: skip
        """Create an empty queue.

        ``programs`` allows external players, ``on`` is the cluster that plays (see `workbench.runs.executor`), and
        ``save`` receives the names of the active jobs after each change, the running job first.
        """
        self.project, self.programs, self.on = project, programs, on
        self.listeners: list[Callable[[], None]] = []
        self.running: Job | None = None
        self.waiting: list[Job] = []
        self._save = save
        self._saved: tuple[str, ...] = ()
        self._jobs: dict[str, Job] = {}
        """The latest jobs by name."""
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop_confirmed = False
        """True if the running process has confirmed a stop request."""
        self._closed = False

    @property
    def active(self) -> list[Job]:
        """The running job and the waiting jobs."""
        return [*([self.running] if self.running else []), *self.waiting]

    def job(self, name: str) -> Job | None:
        """Return the latest job of a report folder in this studio."""
        return self._jobs.get(name)

    def add(self, name: str, language: str = SOURCE, left: float | None = None) -> Job:
        """Append a file to start or continue it, which takes ``left`` seconds; an active job keeps its position.

        Raises:
            InputError: the file does not exist or has problems.
        """
        job = self._jobs.get(name)
        if job is not None and job.active and job.phase != "stopping":
            return job
        job = self._jobs[name] = self._load(name, language)
        job.left = left
        self.waiting.append(job)
        self._next()
        self._changed()
        return job

    def _load(self, name: str, language: str) -> Job:
        kind, path = file_of(name, self.project)
        self.project.require_place(path)
        loaded = kind.load(path, self.project)
        job = Job(name, *title_and_address(kind, loaded, self.project), language=language)
        if kind is EXPERIMENT:
            job.titles = {item.name: item.heading for item in with_saved_titles(loaded.rulesets, self.project)}
            job.pairings = [(first.label, second.label) for first, second in loaded.pairings]
            job.total = len(loaded.cells()) * loaded.games
        return job

    def resume(self, names: Sequence[str]) -> None:
        """Queue the named jobs whose files are valid; charts use the environment's language."""
        for name in names:
            with contextlib.suppress(InputError):
                self.add(name, preferred(os.environ))

    def stop(self, name: str) -> None:
        """Remove a job from the queue, or stop it as on Ctrl-C, which keeps finished blocks."""
        job = self.job(name)
        if job in self.waiting:
            self.waiting.remove(job)
            job.state = FolderState.STOPPED
        elif job is not None and job is self.running:
            job.phase = "stopping"
            self._end_input()
        self._changed()

    async def close(self) -> None:
        """Stop the running job, forget the others, and wait for the process to end; listeners are not called."""
        self._closed = True
        self.listeners.clear()
        self.waiting.clear()
        self._save(())
        if self.running is not None:
            self.running.phase = "stopping"
        self._end_input()
        if self._task is not None:
            try:
                await asyncio.wait_for(asyncio.shield(self._task), END_SECONDS)
            except TimeoutError:
                if self._process is not None:
                    self._process.kill()
                await self._task

    def _next(self) -> None:
        if self.running is None and self.waiting and not self._closed:
            self.running = self.waiting.pop(0)
            self.running.state, self.running.begun = FolderState.RUNNING, time.monotonic()
            self.running.expect(self.running.left)
            self._stop_confirmed = False
            self._task = asyncio.create_task(self._play(self.running))

    async def _play(self, job: Job) -> None:
        try:
            code, output = await self._watch_process(job)
        except OSError as error:
            code, output = 1, error_text(error)
        if code and not job.trouble and not self._stop_confirmed and job.phase != "stopping":
            killed = tr("Its process was killed (signal {code}), perhaps due to lack of memory.", code=-code)
            job.trouble = killed if code < 0 else output or tr("Its process ended with exit code {code}.", code=code)
        job.state, job.ended = FolderState.STOPPED if code else FolderState.DONE, time.monotonic()
        self.running = self._process = None
        self._next()
        self._changed()

    async def _watch_process(self, job: Job) -> tuple[int, str]:
        """Run a job's process and read its messages; return its exit code and the end of its error output."""
        root = Path.cwd() if self.project.shipped else self.project.root
        package = str(Path(workbench.__file__).resolve().parents[1])
        paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
        kind, path = file_of(job.name, self.project)
        self._process = process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "workbench.studio.run_process", os.path.abspath(path)),
            *(kind.name, self.on, "programs" if self.programs else ""),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=MAX_LINE,
            cwd=root,
            # The project folder must not be on the import path.
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1", VARIABLES[0]: job.language},
            # Ctrl-C in the terminal reaches only the studio, which then stops its process.
            start_new_session=True,
        )
        assert process.stdout is not None and process.stderr is not None
        if self._closed or job.phase == "stopping":
            self._end_input()
        errors = asyncio.create_task(_tail(process.stderr))
        async for line in process.stdout:
            self._read_message(job, json.loads(line))
        return await process.wait(), await errors

    def _read_message(self, job: Job, message: dict[str, Any]) -> None:
        phase = message.pop("phase", job.phase)
        if job.phase == "training" != phase and job.later:
            job.due, job.later = time.monotonic() + job.later, 0.0
        if job.phase != "stopping":
            job.phase = phase
        self._stop_confirmed |= message.pop("stopped", False)
        job.notes += message.pop("notes", [])
        if (left := message.pop("left", None)) is not None:
            job.expect(left)
            job.later = 0.0
        for name in REPORTED & message.keys():
            if message[name] is not None:
                setattr(job, name, message[name])
        self._changed()

    def _end_input(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def _changed(self) -> None:
        names = tuple(job.name for job in self.active)
        if names != self._saved and not self._closed:
            self._saved = names
            self._save(names)
        for listener in list(self.listeners):
            listener()


def outlook(jobs: Sequence[Job]) -> tuple[int, str]:
    """Return the progress of jobs that follow each other, in percent, and when they are expected to end; "" if unknown.

    All pages tell this time.
    """
    elapsed, times = sum(job.elapsed for job in jobs), [job.time_left for job in jobs if job.active]
    known = [time for time in times if time is not None]
    left = sum(known)
    # The bar moves while nothing is known, too.
    percent = 1 + 98 * elapsed / max(elapsed + left + USUAL_SECONDS * (len(times) - len(known)), 1e-6)
    text = tr("Answer in about {time}") if len(known) == len(times) else tr("First answer in about {time}")
    text = text.format(time=rough_time(left)) if known else untranslated("")
    late = any(job.active and job.late for job in jobs)
    return int(percent), tr("Taking longer than expected") if late else text


def rough_time(seconds: float) -> str:
    """Return a duration in ten seconds, in minutes, or from two hours on in hours."""
    if seconds >= 7200:
        return tr("{n} h", n=round(seconds / 3600))
    return format_duration(max(round(seconds / 60) * 60 or math.ceil(seconds / 10) * 10, 10))


async def _tail(stream: asyncio.StreamReader) -> str:
    tail = b""
    while chunk := await stream.read(2**16):
        tail = (tail + chunk)[-4 * MAX_TAIL :]
    return tail.decode(errors="replace")[-MAX_TAIL:].strip()
