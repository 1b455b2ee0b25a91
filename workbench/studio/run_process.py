"""The process that plays the games of one file for the studio: ``workbench run``, say, told to a program.

It is started as ``python -m workbench.studio.run_process FILE [--kind=KIND] [--allow-programs]`` by `jobs.Queue`, and
reports its progress in lines of JSON on its standard output, with fields of a `jobs.Job`. It stops as with Ctrl-C, so
that the same file can be continued, when its standard input ends: the studio stops it so, and so it stops when the
studio is killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workbench import report
from workbench.base.addons import addons
from workbench.base.errors import INTERRUPTED, WorkbenchError, compiler_in_words, text_of
from workbench.base.language import preferred, speaking
from workbench.base.project import find_project
from workbench.experiments.experiment import load_experiment
from workbench.games import processes
from workbench.runs import runner, training
from workbench.runs.executor import open_executor

REPORT_SECONDS = 0.15
"""Seconds between two lines about the progress."""
PATIENCE = 15.0
"""Seconds that a stop may take before the process ends in the middle of a block, which is then played again."""


class _Reporter:
    """Writes lines for the studio; a studio that is gone misses nothing."""

    def __init__(self) -> None:
        # Libraries print to where errors go.
        self.output = os.dup(1)
        os.dup2(2, 1)
        self.sent = 0.0
        self.held: dict[str, Any] = {}

    def __call__(self, **fields: Any) -> None:
        fields = self.held | fields
        self.held = {}
        with contextlib.suppress(OSError):
            os.write(self.output, (json.dumps(fields) + "\n").encode())

    def progress(self, at_once: bool = False, **fields: Any) -> None:
        """Write how many games are played; soon after another such line only together with the next one."""
        self.held = {"phase": "playing", **fields}
        if at_once or time.monotonic() - self.sent >= REPORT_SECONDS:
            self.sent = time.monotonic()
            self()

    def preparing(self, executor: Any, functions: Iterable[str], families: Iterable[str]) -> None:
        """Write whether machine code is made before the first game."""
        compiles = not executor.remote and processes.games_must_compile(functions, families)
        self(phase="compiling" if compiles else "starting")

    def training(self, done: int, needed: int, left: float | None) -> None:
        """Write how many trainings are done."""
        self(phase="training", trained=[done, needed], training_left=left)

    def writing(self, share: float) -> None:
        """Write which share of the report is written."""
        self(phase="reporting", written=share)


def main() -> None:
    """Play the games of the file that the command line names, and write the report."""
    tell = _Reporter()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=_stop_with_input, name="until the studio ends", daemon=True).start()
    path, *options = sys.argv[1:]
    on, kind = (
        next((word.removeprefix(name) for word in options if word.startswith(name)), "")
        for name in ("--on=", "--kind=")
    )
    try:
        with compiler_in_words(), open_executor(on) as executor:
            if kind:
                addons().play_file(kind=kind, path=Path(path), executor=executor, tell=tell)
            else:
                _run_experiment(Path(path), "--allow-programs" in options, executor, tell)
            tell(phase="done")
    except WorkbenchError as error:
        stopped = error.exit_code == INTERRUPTED
        tell(trouble="" if stopped else text_of(error), stopped=stopped)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        tell(trouble="", stopped=True)
        sys.exit(INTERRUPTED)


def _run_experiment(path: Path, programs: bool, executor: Any, tell: _Reporter) -> None:
    project = find_project()
    experiment = load_experiment(path, project)
    command = f"workbench run {experiment.path}"
    if trainings := training.experiment_trainings(experiment):
        tell(phase="training")
        training.ensure_trained(
            trainings, project, say=lambda line: None, command=command, executor=executor, on_progress=tell.training
        )
    tell.preparing(executor, (player.function for player in experiment.players), experiment.families())
    folder = project.reports / experiment.name

    def on_progress(played: Any) -> None:
        tell.progress(games=played.done, total=played.most, pace=played.pace, left=played.left)

    outcome = runner.run_experiment(
        experiment, folder, allow_programs=programs, on_progress=on_progress, executor=executor
    )
    tell(phase="reporting", games=outcome.total, notes=list(outcome.notes))
    with speaking(preferred(os.environ)):
        report.write_report(folder, on_progress=tell.writing)


def _stop_with_input() -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 1024):
            pass
    if os.name == "posix":
        # To the main thread, which may wait for its workers.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    else:
        import _thread

        _thread.interrupt_main()
    time.sleep(PATIENCE)
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
