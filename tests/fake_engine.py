"""An engine without a game: results are made from the seeds alone. Worker processes import this module by its name.

As a program it runs an experiment, so that tests can stop it from outside:
``python -m tests.fake_engine EXPERIMENT FOLDER WORKERS SECONDS_PER_BLOCK``.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.engine.players import BlockArguments
from workbench.games import declaration

if TYPE_CHECKING:
    from workbench.experiments.experiment import Experiment


def play(
    block: BlockArguments, delay: float = 0.0, deadly: tuple[Any, int] | None = None,
    lean: Mapping[tuple[int | tuple[int, ...], ...], float] | None = None,
) -> dict[str, np.ndarray[Any, Any]]:  # fmt: skip
    """Arrays such as the engine's.

    In the game ``deadly`` (`deadly_game`) its process is killed.
    With ``lean`` all games are won, by the first seat with the chance that it gives for the ruleset's codes.
    """
    game, codes, first, second, seeds, max_plies, keep, *_ = block
    time.sleep(delay)
    if deadly is not None and deadly[0] == tuple(codes.values()) and np.uint64(deadly[1]) in seeds:
        os.kill(os.getpid(), signal.SIGKILL)
    mixed = seeds ^ np.uint64(abs(hash((tuple(codes.values()), first, second))) % 1000)
    result = (mixed % np.uint64(4)).astype(np.int8)
    plies = (mixed % np.uint64(max_plies)).astype(np.int32)
    if lean is not None:
        result = np.where(mix(seeds) / 2**64 < lean[tuple(codes.values())], 1, 2).astype(np.int8)
    events = len(declaration(game).events)
    return {
        "result": result, "termination": np.where(result == 0, 1, 8).astype(np.int8), "plies": plies, "turns": plies,
        "legal_moves": plies / 3, "game_hash": mixed,
        "events": (mixed[:, None] % np.arange(2, 2 + events, dtype=np.uint64)).astype(np.int32),
        "opening": np.where(np.arange(keep) < plies[:, None], (mixed[:, None] % np.uint64(9)), -1).astype(np.int32),
    }  # fmt: skip


def deadly_game(what: Experiment, cell: int, game: int) -> tuple[Any, int]:
    """Return what tells a game of a cell from all others: the codes of its ruleset, and its seed."""
    of_cell = what.cells()[cell]
    return tuple(of_cell.ruleset.codes().values()), int(what.seeds(of_cell, game, game + 1)[0])


def mix(seeds: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Other numbers than the seeds, spread evenly."""
    z = (seeds ^ (seeds >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    mixed: np.ndarray[Any, Any] = z ^ (z >> np.uint64(29))
    return mixed


def opening_texts(game: str, codes: Mapping[str, Any], openings: np.ndarray[Any, Any]) -> list[str]:
    """Each move as its number."""
    return [" ".join(f"m{move}" for move in line if move >= 0) for line in openings]


def main() -> int:
    """Runs an experiment; 3 and the reason if it was stopped."""
    import functools

    from tests import fake_engine  # not __main__, which workers cannot import
    from workbench.base import project
    from workbench.base.errors import WorkbenchError
    from workbench.experiments import experiment
    from workbench.runs import runner

    path, folder, workers, seconds = sys.argv[1:]
    try:
        runner.run_experiment(experiment.load_experiment(path, project.Project(Path(path).parent.parent)), Path(folder),
                              workers=int(workers), play=functools.partial(fake_engine.play, delay=float(seconds)),
                              opening_texts=fake_engine.opening_texts)  # fmt: skip
    except WorkbenchError as stopped:
        print(stopped, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    # A test run in the background hands down an ignored Ctrl-C; a terminal does not.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
