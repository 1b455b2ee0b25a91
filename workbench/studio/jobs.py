"""The queue of experiments and other files whose games this studio plays: one at a time, each in a process of its own.

``queue.add(file)`` puts a file last, and that is also how one that was stopped is continued;
``queue.stop(folder)`` takes it out or stops it as Ctrl-C would; ``queue.job(folder)`` says how far it is. Who shows any
of it appends a function without arguments to ``queue.listeners``: it is called in the server's loop after each change,
a few times a second at most. ``queue.resume(names)`` takes up what a studio that was killed had still to play.

The process is `workbench.studio.run_process`: it does ``workbench run FILE``, or what an add-on does with its files,
and the folder is that of any other run. So a crash could lose nothing but the order of what waits, and that is saved at
each change. The process lives no longer than the studio: its standard input ends with it, and then it stops as with
Ctrl-C.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import workbench
from workbench.base.addons import FileKind, addons
from workbench.base.errors import InputError, text_of
from workbench.base.language import SOURCE, VARIABLES, preferred, tr
from workbench.base.project import Project
from workbench.experiments import experiment as experiments
from workbench.rules.rulesets import Ruleset
from workbench.runs.storage import FolderState

MAX_LINE = 2**22
MAX_TAIL = 2_000
"""Characters of what a process printed before it died that a page shows."""
END_SECONDS = 20.0
"""Seconds that the process has to stop; then it is killed, and the blocks in flight are played again some day."""
REPORTED = {"games", "total", "pace", "left", "stage", "trained", "training_left", "written", "trouble"}
"""Fields of a job that its process reports as they are."""


@dataclass(eq=False)
class Job:
    """An experiment, or the file of an add-on, that waits for its turn, is played or has ended in this studio."""

    path: Path
    """Its file."""
    folder: Path
    heading: str
    """Its title in both languages, as it was when it was put into the queue; so are the next ones."""
    rulesets: tuple[Ruleset, ...] = ()
    """The rulesets of an experiment."""
    at_most: bool = False
    """True if fewer games than the total may do."""
    kind: FileKind | None = None
    """The kind of its file; None for an experiment."""
    state: FolderState = FolderState.QUEUED
    """`FolderState.QUEUED`, `FolderState.RUNNING`, and then `FolderState.STOPPED` or `FolderState.DONE`."""
    phase: str = "starting"
    """While it runs: ``starting``, ``training``, ``compiling``, ``playing``, ``reporting``, ``stopping``."""
    games: int = 0
    """On disk."""
    total: int = 0
    """Games in the end, should no further cell end early; 0: not known yet."""
    stage: str = ""
    """The stage of a run that has several."""
    pace: float = 0.0
    """Games a second, of all processes together; 0: not known yet. See `workbench.runs.progress`."""
    left: float | None = None
    """Seconds up to the last game, should no further cell end early; None: not known yet."""
    begun: float = 0.0
    """When its process was started, or its players had learned, by `time.monotonic`."""
    compiles: bool = False
    """True if machine code is made before the first game."""
    trained: tuple[int, int] = (0, 0)
    """The numbers of trainings that are done, and of all."""
    training_left: float | None = None
    """Seconds up to the last training; None: not known yet."""
    written: float = 0.0
    """The share of its report that is written."""
    trouble: str = ""
    """Why it ended before its end, in English; empty if it was asked to."""
    notes: list[str] = field(default_factory=list)
    """Remarks of the run, such as damaged files that it played again; in English."""
    language: str = SOURCE
    """The language of the charts."""

    @property
    def name(self) -> str:
        """The name by which the next studio resumes it."""
        return f"{self.kind.folder}/{self.path.stem}" if self.kind else self.path.stem

    @property
    def address(self) -> str:
        """The address of its page."""
        return f"/{self.kind.name if self.kind else 'experiment'}/{quote(self.path.stem, safe='')}"

    @property
    def active(self) -> bool:
        """True if it waits or runs."""
        return self.state in (FolderState.QUEUED, FolderState.RUNNING)


class Queue:
    """The running and waiting jobs of a project; used in the server's loop alone."""

    def __init__(
        self,
        project: Project,
        programs: bool = False,
        on: str = "",
        save: Callable[[tuple[str, ...]], object] = lambda names: None,
    ) -> None:
        """``programs``: whoever opened the studio allows it to start what experiments name as players from outside.

        ``on``: the cluster that plays; see `workbench.runs.executor`. ``save`` is called with the names of what is
        still to be played whenever these change, the one that runs first.
        """
        self.project = project
        self.programs = programs
        self.on = on
        self.listeners: list[Callable[[], None]] = []
        self._save = save
        self._saved: tuple[str, ...] = ()
        self._jobs: dict[Path, Job] = {}
        """The last job of each folder."""
        self._waiting: list[Job] = []
        self._running: Job | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._asked_to_stop = False
        """True if the running process has reported that it was asked to stop."""
        self._closed = False

    @property
    def running(self) -> Job | None:
        """The job whose games are played."""
        return self._running

    @property
    def waiting(self) -> tuple[Job, ...]:
        """The waiting jobs, the next one first."""
        return tuple(self._waiting)

    def folder(self, path: Path) -> Path:
        """Return the folder of the games of a file."""
        kind = self._kind(path)
        return self.project.reports / (kind.folder if kind else "") / path.stem

    def _kind(self, path: Path) -> FileKind | None:
        at = os.path.abspath(path.parent)
        kinds = (kind for kind in addons().file_kinds() if os.path.abspath(self.project.root / kind.folder) == at)
        return next(kinds, None)

    def job(self, folder: Path) -> Job | None:
        """Return the last job of a folder in this studio."""
        return self._jobs.get(folder)

    def add(self, path: Path, language: str = SOURCE) -> Job:
        """Append a file, to begin or to continue it; one that waits or runs already stays where it is."""
        folder = self.folder(path)
        job = self._jobs.get(folder)
        if job is not None and job.active and job.phase != "stopping":
            return job
        self.project.require_place(path)
        job = self._jobs[folder] = self._load(path, folder, language)
        self._waiting.append(job)
        self._next()
        self._changed()
        return job

    def _load(self, path: Path, folder: Path, language: str) -> Job:
        if kind := self._kind(path):
            return Job(path, folder, kind.load(path, self.project).heading, kind=kind, language=language)
        loaded = experiments.load_experiment(path, self.project)
        total = len(loaded.cells()) * loaded.games
        return Job(path, folder, loaded.heading, loaded.rulesets, loaded.sequential, total=total, language=language)

    def resume(self, names: Sequence[str]) -> None:
        """Put jobs of these names into the queue again, except those whose files are gone or wrong by now.

        Charts have the language of the environment.
        """
        for name in names:
            with contextlib.suppress(InputError):
                folder, _, own = name.rpartition("/")
                path = (
                    self.project.root / folder / f"{own}.yaml"
                    if folder
                    else experiments.find_experiment(own, self.project)
                )
                self.add(path, preferred(os.environ))

    def stop(self, folder: Path) -> None:
        """Take a job out of the queue, or stop it as Ctrl-C would: finished blocks stay."""
        for job in [job for job in self._waiting if job.folder == folder]:
            self._waiting.remove(job)
            job.state = FolderState.STOPPED
        if self._running is not None and self._running.folder == folder:
            self._running.phase = "stopping"
            self._end_input()
        self._changed()

    def move(self, folder: Path, place: int) -> None:
        """Move a waiting job to another place; 0 is the next one."""
        for job in [job for job in self._waiting if job.folder == folder]:
            self._waiting.remove(job)
            self._waiting.insert(max(place, 0), job)
        self._changed()

    async def close(self) -> None:
        """Stop the running job, forget the others, and return when the process has ended; no listener is called."""
        self._closed = True
        self.listeners.clear()
        self._waiting.clear()
        self._save(())
        if self._running is not None:
            self._running.phase = "stopping"
        self._end_input()
        if self._task is not None:
            try:
                await asyncio.wait_for(asyncio.shield(self._task), END_SECONDS)
            except TimeoutError:
                if self._process is not None:
                    self._process.kill()
                await self._task

    # One after the other

    def _next(self) -> None:
        if self._running is None and self._waiting and not self._closed:
            self._running = self._waiting.pop(0)
            self._running.state, self._running.begun = FolderState.RUNNING, time.monotonic()
            self._asked_to_stop = False
            self._task = asyncio.create_task(self._play(self._running))

    async def _play(self, job: Job) -> None:
        try:
            code, last_words = await self._watch_process(job)
        except OSError as error:
            code, last_words = 1, text_of(error)
        if code and not job.trouble and not self._asked_to_stop and job.phase != "stopping":
            killed = tr("Its process was killed (signal {code}): for want of memory, perhaps.", code=-code)
            job.trouble = killed if code < 0 else last_words or tr("Its process ended with {code}.", code=code)
        job.state = FolderState.STOPPED if code else FolderState.DONE
        self._running = self._process = None
        self._next()
        self._changed()

    async def _watch_process(self, job: Job) -> tuple[int, str]:
        """Run the process of a job and read its messages; return its exit code, and its last output to stderr."""
        root = Path.cwd() if self.project.shipped else self.project.root
        package = str(Path(workbench.__file__).resolve().parents[1])
        paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "workbench.studio.run_process", os.path.abspath(job.path)),
            *([f"--kind={job.kind.name}"] if job.kind else []),
            *(["--allow-programs"] if self.programs else []),
            *([f"--on={self.on}"] if self.on else []),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=MAX_LINE,
            cwd=root,
            # Not safe would be the project's folder among those that modules are imported from.
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1", VARIABLES[0]: job.language},
            # Ctrl-C in the terminal reaches the studio alone, which then stops its process.
            start_new_session=True,
        )
        assert process.stdout is not None and process.stderr is not None
        if self._closed or job.phase == "stopping":
            self._end_input()
        printed = asyncio.create_task(_tail(process.stderr))
        async for line in process.stdout:
            self._read_message(job, json.loads(line))
        code = await process.wait()
        return code, await printed

    def _read_message(self, job: Job, message: dict[str, Any]) -> None:
        phase = message.pop("phase", job.phase)
        if job.phase != "stopping":
            if job.phase == "training" != phase:
                job.begun = time.monotonic()
            job.phase = phase
            job.compiles |= phase == "compiling"
        self._asked_to_stop |= message.pop("stopped", False)
        job.notes += message.pop("notes", [])
        for name in REPORTED & message.keys():
            setattr(job, name, message[name])
        self._changed()

    def _end_input(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def _changed(self) -> None:
        names = tuple(job.name for job in (*filter(None, [self._running]), *self._waiting))
        if names != self._saved and not self._closed:
            self._saved = names
            self._save(names)
        for listener in list(self.listeners):
            listener()


async def _tail(stream: asyncio.StreamReader) -> str:
    kept = b""
    while chunk := await stream.read(2**16):
        kept = (kept + chunk)[-4 * MAX_TAIL :]
    return kept.decode(errors="replace")[-MAX_TAIL:].strip()
