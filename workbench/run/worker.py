"""What runs in a worker process: one block of games with its texts, and a watch over the process itself.

Workers import this module, the compiled engine and the notation of their games, nothing else of the workbench: that
keeps their start fast.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

fcntl: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None
"""Locks of files; there are none on Windows."""

HEARTBEAT_SECONDS = 2.0
"""Seconds from one look at the parent process, and one sign of life, to the next."""


PlayBlock = Callable[..., Mapping[str, Any]]
"""The engine's ``run_block``; see `workbench.run.pool.block_arguments` for what it is called with."""
MAX_PLIES_INDEX, KEEP_INDEX = 5, 6
"""Which of these arguments say how many plies a game has at most, and how many moves of each are kept."""
OpeningTexts = Callable[[str, Any, Any], list[str]]
"""``opening_texts(game, codes, openings)``; see `workbench.games.openings`."""


class Tracing(NamedTuple):
    """How the first games of a block are traced."""

    trace: Callable[..., list[Any]]
    """``traces(game, codes, first, second, moves)``; see `workbench.games.traces`."""
    games: int
    plies: int
    """Plies of a game that are traced at most."""


def play_block(
    number: int,
    play: PlayBlock,
    opening_texts: OpeningTexts,
    arguments: tuple[Any, ...],
    tracing: Tracing | None = None,
    keep_moves: bool = False,
) -> tuple[int, float, dict[str, Any]]:
    """The block's number, the seconds it took and the engine's arrays, with text for the first moves of each game.

    With ``tracing`` there are ``traces``, too, and with ``keep_moves`` all ``moves``. Text and traces are made here
    because they take as long as a quick game: one parent could not make them for many workers.
    """
    begin = time.perf_counter()
    keep = arguments[KEEP_INDEX]
    longest = max(keep, tracing.plies if tracing else 0, arguments[MAX_PLIES_INDEX] if keep_moves else 0)
    arguments = (*arguments[:KEEP_INDEX], longest, *arguments[KEEP_INDEX + 1 :])
    arrays = dict(play(*arguments))
    game, codes, first, second = arguments[:4]
    moves = arrays["opening"]
    arrays["opening"] = opening_texts(game, codes, moves[:, :keep])
    if keep_moves:
        arrays["moves"] = format_codes(moves)
    if tracing:
        arrays["traces"] = tracing.trace(game, codes, first, second, moves[: tracing.games, : tracing.plies])
    return number, time.perf_counter() - begin, arrays


def format_codes(moves: Any) -> list[str]:
    """The move codes of each game, as records keep them; ``moves`` has a line for each, filled with -1."""
    return [" ".join(str(move) for move in line if move >= 0) for line in moves.tolist()]


def start_worker(parent: int, beats: str) -> None:
    """Prepares a worker process: it ends soon after the process ``parent`` has died, and gives signs of life.

    A sign of life is the time of change of a file in the folder ``beats`` (none if that is empty) which is named after
    the process and locked as long as the process lives. A thread of its own does both; it runs during compiled code,
    too, which does not hold the interpreter's lock.
    """
    # Ctrl-C reaches every process of the terminal; the parent alone decides what becomes of the blocks in flight.
    # Workers that loky starts later than the first ones have not inherited this.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_beat_until_orphaned, args=(parent, beats), name="watch", daemon=True).start()


def _beat_until_orphaned(parent: int, beats: str) -> None:
    path = Path(beats) / str(os.getpid())
    beating = bool(beats) and fcntl is not None
    with contextlib.ExitStack() as stack:
        if beating:
            with contextlib.suppress(OSError):
                fcntl.flock(stack.enter_context(path.open("wb")), fcntl.LOCK_EX)
        # An orphan gets another parent at once.
        while os.getppid() == parent:
            if beating:
                with contextlib.suppress(OSError):
                    os.utime(path)
            time.sleep(HEARTBEAT_SECONDS)
        if beating:
            # The last orphan removes what the parent would have removed.
            with contextlib.suppress(OSError):
                path.unlink()
                path.parent.rmdir()
        os._exit(1)


def worker_silences(beats: Path, seen: dict[int, tuple[int, float]], now: float) -> dict[int, float]:
    """For each worker that lives, the seconds since its last sign of life; files of dead ones are removed.

    ``seen`` is what the calls before saw, and is kept up to date: process -> (time of change of its file, ``now`` of
    the first call that saw it so).
    """
    silences: dict[int, float] = {}
    if fcntl is None:
        return silences
    for path in beats.iterdir():
        with contextlib.suppress(OSError, ValueError):
            process, changed = int(path.name), path.stat().st_mtime_ns
            with path.open("rb") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except OSError:  # it holds its lock: it lives
                    if seen.get(process, (0, 0.0))[0] != changed:
                        seen[process] = changed, now
                    silences[process] = now - seen[process][1]
                else:
                    if seen.pop(process, None):  # not one that is about to take its lock
                        path.unlink()
    return silences
