"""The process that plays one experiment or search for the studio: ``workbench run`` and ``search``, told to a program.

It is started as ``python -m workbench.studio.run_process FILE [--search] [--allow-programs]`` by
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

    def progress(self, progress: Any, last: bool = False) -> None:
        """Tells how far the run is: not for every block, where these are quick."""
        now = time.monotonic()
        if last or now - self.told >= REPORT_SECONDS:
            self.told = now
            self(phase="playing", games=progress.done, most=progress.most, pace=progress.pace, left=progress.left)

    def training(self, done: int, needed: int, left: float | None) -> None:
        """Tells how far players have learned."""
        self(phase="training", trained=[done, needed], training_left=left)

    def search_progress(self, clock: _SearchClock, status: Any, last: bool) -> None:
        """Tells how far a search is."""
        now, pace = time.monotonic(), clock.pace(status.games)
        if last or now - self.told >= REPORT_SECONDS:
            self.told = now
            left = (status.total - status.games) / pace if pace else None
            self(phase="playing", stage=status.stage, games=status.games, most=status.total, pace=pace, left=left)


def main() -> None:
    """Plays the games of the file that the command line names, and writes the report."""
    tell = _Reporter()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=_stop_with_input, name="until the studio ends", daemon=True).start()
    try:
        words = sys.argv[2:]
        on = next((word.removeprefix("--on=") for word in words if word.startswith("--on=")), "")
        from workbench.runs.executor import open_executor

        with compiler_in_words(), open_executor(on) as executor:
            if "--search" in words:
                _run_search(Path(sys.argv[1]), executor, tell)
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
        played[:] = [progress]
        tell.progress(progress)

    outcome = runner.run_experiment(
        experiment, folder, allow_programs=programs, on_progress=on_progress, executor=executor
    )
    for progress in played:
        tell.progress(progress, last=True)
    tell(phase="reporting", games=outcome.total, notes=list(outcome.notes))
    from workbench import report

    with speaking(preferred(os.environ)):
        report.write_report(folder, on_progress=lambda share: tell(phase="reporting", written=share))
    tell(phase="done")


def _run_search(path: Path, executor: Any, tell: _Reporter) -> None:
    tell(phase="starting")
    from workbench.addons.search import question as searches
    from workbench.addons.search import run as runs
    from workbench.addons.search.question import kept_search, search_folder
    from workbench.base import project
    from workbench.games import processes

    where = project.find_project()
    search = searches.load_search(path, where)
    folder = search_folder(where, search.name)
    functions = (player.function for player in runs.all_players(search))
    compiles = not executor.remote and processes.games_must_compile(functions, [search.base.game])
    tell(phase="compiling" if compiles else "starting")
    command = f"workbench search {search.path}"
    begun = runs.begin_search(search, where, executor=executor, command=command)
    clock = _SearchClock(kept_search(folder).get("played", 0))
    last = runs.Status("", 0, 0)

    def on_progress(status: Any) -> None:
        nonlocal last
        tell.search_progress(clock, status, last=status.stage != last.stage or status.leaders != last.leaders)
        last = status

    begun.on_training = tell.training
    begun.play_rounds(on_progress)
    tell(phase="starting", stage=runs.CONFIRMATION)
    _, confirmed = begun.confirm(on_progress)
    tell(phase="reporting", games=last.total)
    from workbench.addons.search import report as pages
    from workbench.report import writing

    with speaking(preferred(os.environ)):
        pages.write_search(folder, kept_search(folder), search.base, *begun.estimates())
        writing.write_report(confirmed, on_progress=lambda share: tell(phase="reporting", written=share))
    tell(phase="done")


class _SearchClock:
    """How fast the games of a search go, by those that this process has played."""

    def __init__(self, kept: int) -> None:
        """``kept``: games that were on disk before."""
        self.kept, self.begin = kept, 0.0

    def pace(self, games: int) -> float:
        """Games a second up to now, when so many are on disk; 0 while nobody knows."""
        now = time.monotonic()
        if games <= self.kept or not self.begin:
            self.begin = now
            self.kept = max(self.kept, games)
            return 0.0
        return (games - self.kept) / max(now - self.begin, 1e-9)


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
