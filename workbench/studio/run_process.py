"""The process that plays the games of one file for the studio.

`jobs.Queue` starts it with the path and kind of the file, the cluster ("" for this machine), and ``programs`` if
external players are allowed. It reports its progress in lines of JSON on standard output, with fields of a `jobs.Job`.
At the end of its standard input it stops as on Ctrl-C, and the file can be continued later. The studio closes the input
to stop it; the input also closes if the studio is killed.
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
from workbench.base.errors import INTERRUPTED, WorkbenchError, error_text, reword_errors
from workbench.base.language import preferred, speaking
from workbench.base.project import find_project
from workbench.experiments.experiment import load_experiment
from workbench.games import processes
from workbench.runs import runner, training
from workbench.runs.executor import open_executor
from workbench.studio.asks import SPARE_SECONDS, begin_night, expected_seconds, starts_programs

REPORT_SECONDS = 0.15
"""Minimum number of seconds between progress lines."""
PATIENCE = 15.0
"""Seconds after a stop request until the process exits in the middle of a block, which is replayed later."""


class _Reporter:
    """A writer of lines for the studio that ignores a closed output."""

    def __init__(self) -> None:
        # Redirect standard output to standard error because libraries may print.
        self.output = os.dup(1)
        os.dup2(2, 1)
        self.sent = 0.0
        self.unsent: dict[str, Any] = {}
        self.later = 0.0
        """Expected seconds after training."""

    def __call__(self, **fields: Any) -> None:
        fields, self.unsent = self.unsent | fields, {}
        with contextlib.suppress(OSError):
            os.write(self.output, (json.dumps(fields) + "\n").encode())

    def progress(self, at_once: bool = False, **fields: Any) -> None:
        """Report played games, at most once in `REPORT_SECONDS` unless ``at_once``; later fields join the next line."""
        self.unsent = {"phase": "playing", **fields}
        if at_once or time.monotonic() - self.sent >= REPORT_SECONDS:
            self.sent = time.monotonic()
            self()

    def preparing(self, executor: Any, functions: Iterable[str], families: Iterable[str]) -> None:
        """Report the start of a run, and whether it compiles before the first game."""
        compiles = not executor.remote and processes.games_must_compile(functions, families)
        self(phase="compiling" if compiles else "starting")

    def training(self, finished: int, total: int, time_left: float | None) -> None:
        """Report the time left of training runs."""
        left = None if time_left is None else time_left + self.later
        self(phase="training", later=self.later, left=left, learned=(finished, total))


def main() -> None:
    """Play the games of the file on the command line and write the report."""
    reporter = _Reporter()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=_stop_with_input, daemon=True).start()
    path, kind, on, programs = sys.argv[1:]
    try:
        with reword_errors(), open_executor(on) as executor:
            if not addons().play_file(kind=kind, path=Path(path), executor=executor, tell=reporter):
                _run_experiment(Path(path), bool(programs), executor, reporter)
            reporter(phase="done")
    except WorkbenchError as error:
        stopped = error.exit_code == INTERRUPTED
        reporter(trouble="" if stopped else error_text(error), stopped=stopped)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        reporter(trouble="", stopped=True)
        sys.exit(INTERRUPTED)


def _run_experiment(path: Path, programs: bool, executor: Any, reporter: _Reporter) -> None:
    project = find_project()
    experiment = load_experiment(path, project)
    folder = project.reports / experiment.name
    begin_night(folder)
    if training_runs := training.missing_trainings(training.experiment_trainings(experiment), project):
        reporter(phase="training")
        if programs or not starts_programs(experiment):
            learning, game = expected_seconds(experiment)
            reporter.later = game * experiment.games
            reporter.training(0, len(training_runs), learning)
        training.ensure_trained(
            training_runs, project, say=lambda line: None, command=f"workbench run {experiment.path}",
            executor=executor, on_progress=reporter.training,
        )  # fmt: skip
    reporter.preparing(executor, (player.function for player in experiment.players), experiment.families())

    def on_progress(played: Any) -> None:
        reporter.progress(
            games=played.done, total=played.most, left=None if played.left is None else played.left + SPARE_SECONDS
        )

    outcome = runner.run_experiment(
        experiment, folder, allow_programs=programs, on_progress=on_progress, executor=executor
    )
    reporter(phase="reporting", games=outcome.total, notes=list(outcome.notes))
    with speaking(preferred(os.environ)):
        report.write_report(folder)


def _stop_with_input() -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 1024):
            pass
    if os.name == "posix":
        # The main thread may be waiting for its workers.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    else:
        import _thread

        _thread.interrupt_main()
    time.sleep(PATIENCE)
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
