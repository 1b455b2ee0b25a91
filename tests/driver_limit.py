"""How many blocks a second one driver can hand out and write: ``python -m tests.driver_limit [WORKERS …]``.

The workers of the cluster return at once: two processes with as many threads as there are to be workers. What counts is
the processor time that a block takes of the driver and of the scheduler, since the machine has few cores for all of
them.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tests import fake_engine
from workbench.files import project
from workbench.questions import experiment
from workbench.run import cutting, places, runner

ROOT = Path(__file__).resolve().parent.parent
PROCESSES = 2
SIZES = ((20, 200), (2_000, 40))
TEXT = """\
title: The limit of a driver
rulesets: [chatra/2007-09, chatra/C]
agents: [greedy, alphabeta-2]
games: {games}
"""


@contextlib.contextmanager
def cluster(workers: int, folder: Path) -> Iterator[tuple[Path, psutil.Process]]:
    """The file of a scheduler with so many workers, and its process."""
    file = folder / f"scheduler-{workers}.json"
    each = workers // PROCESSES
    commands = (
        ["dask_scheduler", "--port", "0", "--no-dashboard"],
        ["dask_worker", "--nworkers", f"{PROCESSES}", "--nthreads", f"{each}", "--no-dashboard"],
    )
    with contextlib.ExitStack() as stack:
        started = []
        for name, *words in commands:
            command = [sys.executable, "-m", f"distributed.cli.{name}", "--scheduler-file", str(file), *words]
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=ROOT)
            stack.callback(process.wait)
            stack.callback(process.terminate)
            started.append(process)
            while not file.exists():
                time.sleep(0.1)
        yield file, psutil.Process(started[0].pid)


def main() -> None:
    """Prints a line of JSON for each number of workers and each size of blocks."""
    where = project.Project(ROOT)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for workers in [int(word) for word in sys.argv[1:]] or [2, 100, 1000]:
            with cluster(workers, folder) as (file, scheduler), places.open_cluster(f"dask:{file}") as found:
                assert found
                while found.size() < workers:
                    time.sleep(0.1)
                    found._counted = -1e9  # type: ignore[attr-defined]
                for size, blocks in SIZES:
                    cutting.MAX_BLOCK_GAMES = size
                    path = folder / f"limit-{workers}-{size}.yaml"
                    path.write_text(TEXT.format(games=size * blocks // 4), encoding="utf-8")
                    what = experiment.load_experiment(path, where)
                    seen: list[tuple[float, float, float]] = []

                    def look(progress: object, seen: list[tuple[float, float, float]] = seen) -> None:
                        of_scheduler = sum(scheduler.cpu_times()[:2])
                        seen.append((time.perf_counter(), time.process_time(), of_scheduler))

                    runner.run_experiment(
                        what, folder / what.name, cluster=found, play=fake_engine.play,
                        opening_texts=fake_engine.opening_texts, on_progress=look,
                    )  # fmt: skip
                    count = len(seen) - 1
                    wall, driver, of_scheduler = (b - a for a, b in zip(seen[0], seen[-1], strict=True))
                    print(json.dumps({
                        "workers": workers, "games a block": size, "blocks": count,
                        "blocks/s here": round(count / wall), "load": round(os.getloadavg()[0], 1),
                        "driver ms a block": round(1000 * driver / count, 2),
                        "scheduler ms a block": round(1000 * of_scheduler / count, 2),
                        "memory of the driver MB": psutil.Process().memory_info().rss >> 20,
                    }), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
