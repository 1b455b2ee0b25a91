"""The process that plays the games of one file for the studio: ``workbench run``, say, told to a program.

It is started as ``python -m workbench.studio.run_process FILE [--kind=KIND] [--allow-programs]`` by
`workbench.studio.jobs`. What happens it tells
as lines of JSON on its standard output, as `jobs` reads them. It stops as with Ctrl-C, so that
the same file can be continued, when its standard input ends: that is how the studio stops it, and what happens when
the studio is killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from workbench.base.errors import INTERRUPTED, WorkbenchError, compiler_in_words, text_of
from workbench.base.language import preferred, speaking

REPORT_SECONDS = 0.15
"""Seconds between two lines about the progress."""
PATIENCE = 15.0
"""Seconds that a stop may take before the process ends in the middle of a block, which is then played again."""


class _Reporter:
    """Writes lines for the studio; a studio that is gone misses nothing."""

    def __init__(self) -> None:
        # What libraries print goes to where errors go.
        self.place = os.dup(1)
        os.dup2(2, 1)
        self.told = 0.0

    def __call__(self, **content: Any) -> None:
        with contextlib.suppress(OSError):
            os.write(self.place, (json.dumps(content) + "\n").encode())

    def progress(
        self, games: int, most: int, pace: float, left: float | None, *, last: bool = False, **more: Any
    ) -> None:
        """Tell how many games are on disk: not for every block, where these are quick."""
        now = time.monotonic()
        if last or now - self.told >= REPORT_SECONDS:
            self.told = now
            self(phase="playing", games=games, most=most, pace=pace, left=left, **more)

    def training(self, done: int, needed: int, left: float | None) -> None:
        """Tells how far players have learned."""
        self(phase="training", trained=[done, needed], training_left=left)


def main() -> None:
    """Plays the games of the file that the command line names, and writes the report."""
    tell = _Reporter()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=_stop_with_input, name="until the studio ends", daemon=True).start()
    try:
        words = sys.argv[2:]
        on, kind = (
            next((word.removeprefix(name) for word in words if word.startswith(name)), "")
            for name in ("--on=", "--kind=")
        )
        from workbench.runs.executor import open_executor

        with compiler_in_words(), open_executor(on) as executor:
            if kind:
                from workbench.base.addons import addons

                addons().play_file(kind=kind, path=Path(sys.argv[1]), executor=executor, tell=tell)
            else:
                _run_experiment(sys.argv[1], "--allow-programs" in words, executor, tell)
    except WorkbenchError as error:
        stopped = error.exit_code == INTERRUPTED
        tell(trouble="" if stopped else text_of(error), stopped=stopped)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        tell(trouble="", stopped=True)
        sys.exit(INTERRUPTED)


def _run_experiment(word: str, programs: bool, executor: Any, tell: _Reporter) -> None:
    tell(phase="starting")
    from workbench.base import project
    from workbench.experiments import experiment as experiments
    from workbench.runs import runner, training

    where = project.find_project()
    path = Path(word)
    experiment = experiments.load_experiment(path, where)
    trainings = training.experiment_trainings(experiment)
    if trainings:
        tell(phase="training")
        command = f"workbench run {experiment.path}"
        training.ensure_trained(
            trainings, where, say=lambda line: None, command=command, executor=executor, on_progress=tell.training
        )
    from workbench.games import processes

    compiles = not executor.remote and processes.games_must_compile(
        (player.function for player in experiment.players), experiment.families()
    )
    tell(phase="compiling" if compiles else "starting")
    folder = where.reports / experiment.name
    played: list[Any] = []

    def on_progress(progress: Any) -> None:
        played[:] = [progress.done, progress.most, progress.pace, progress.left]
        tell.progress(*played)

    outcome = runner.run_experiment(
        experiment, folder, allow_programs=programs, on_progress=on_progress, executor=executor
    )
    if played:
        tell.progress(*played, last=True)
    tell(phase="reporting", games=outcome.total, notes=list(outcome.notes))
    from workbench import report

    with speaking(preferred(os.environ)):
        report.write_report(folder, on_progress=lambda share: tell(phase="reporting", written=share))
    tell(phase="done")


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
