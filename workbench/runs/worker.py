"""Calls made in a worker, a process of this machine or of a Dask cluster, and blocks of games with their texts.

Workers import this module, the compiled engine and the notation of their games, nothing else of the workbench: that
keeps their start fast. All that a call needs travels with it: rules, weights, lines and seeds as numbers, and files by
their content. So a worker of a cluster needs the installed package and nothing else of the driver's machine.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import importlib
import importlib.util
import os
import pickle
import platform
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import workbench
from workbench import games
from workbench.base.language import tr
from workbench.engine.players import BlockArguments

fcntl: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None
"""Locks of files; there are none on Windows."""

WATCH_SECONDS = 2.0
"""Seconds from one look at the parent process to the next."""


class Preparation(NamedTuple):
    """Machine code that a call needs."""

    functions: tuple[str, ...]
    """The compiled functions, by whose machine code one sees whether it is there."""
    family: str
    make: Callable[..., object]
    """Compiles them."""
    arguments: tuple[Any, ...]

    def is_missing(self) -> bool:
        """Return whether there is no such machine code on disk."""
        from workbench.games.processes import must_compile

        return must_compile(self.functions, [self.family])


class Call(NamedTuple):
    """A function to be called by a worker."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    title: str
    """The name that the user knows it by."""
    families: tuple[str, ...] = ()
    """The games whose engines must be the driver's."""
    preparations: tuple[Preparation, ...] = ()
    files: tuple[str, ...] = ()
    """Files of the driver that are named among the arguments: on a cluster their content travels with the call."""


# Blocks of games

PlayBlock = Callable[[BlockArguments], Mapping[str, Any]]
"""The engine's ``run_block``."""
OpeningTexts = Callable[[str, Any, Any], list[str]]
"""``opening_texts(game, codes, openings)``; see `workbench.positions.playing`."""


class Tracing(NamedTuple):
    """The function and limits with which the first games of a block are traced."""

    trace: Callable[..., list[Any]]
    """``traces(game, codes, first, second, moves)``; see `workbench.positions.playing`."""
    games: int
    plies: int
    """Plies of a game that are traced at most."""


def call_timed(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the seconds that a call takes, and its value."""
    begin = time.perf_counter()
    value = function(*arguments)
    return time.perf_counter() - begin, value


def play_block(
    play: PlayBlock,
    opening_texts: OpeningTexts,
    block: BlockArguments,
    tracing: Tracing | None = None,
    keep_moves: bool = False,
) -> dict[str, Any]:
    """Return the engine's arrays for a block, with text for the first moves of each game.

    With ``tracing`` there are ``traces``, too, and with ``keep_moves`` all ``moves``. Text and traces are made here
    because they take as long as a quick game: one parent could not make them for many workers.
    """
    longest = max(block.keep, tracing.plies if tracing else 0, block.max_plies if keep_moves else 0)
    arrays = dict(play(block._replace(keep=longest)))
    game, codes, first, second = block[:4]
    moves = arrays["opening"]
    arrays["opening"] = opening_texts(game, codes, moves[:, : block.keep])
    if keep_moves:
        arrays["moves"] = format_codes(moves)
    if tracing:
        arrays["traces"] = tracing.trace(game, codes, first, second, moves[: tracing.games, : tracing.plies])
    return arrays


def format_codes(moves: Any) -> list[str]:
    """Return the move codes of each game, as records keep them; ``moves`` has a line for each, filled with -1."""
    return [" ".join(str(move) for move in line if move >= 0) for line in moves.tolist()]


# Processes of this machine


def begin_worker(parent: int) -> None:
    """Prepare a process of this machine: it ends soon after the process ``parent`` has died.

    The thread that sees to this runs during compiled code, too, which does not hold the interpreter's lock.
    """
    # Ctrl-C reaches every process of the terminal; the parent alone decides what becomes of the blocks in flight.
    # Workers that loky starts later than the first ones have not inherited this.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(20_000, 20)  # collecting would take a tenth of the time to compile
    threading.Thread(target=_end_with, args=(parent,), name="watch", daemon=True).start()


def _end_with(parent: int) -> None:
    # An orphan gets another parent at once.
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(1)


# Which engine plays


def engine_digests(families: Iterable[str]) -> dict[str, str]:
    """For each game family, a digest of the sources that decide what is in its records: 16 hex digits.

    These are the engine, and the declaration, the kernels and the notation of the family. The versions of Python and of
    libraries are no part of it: the same sources play the same games under all of them. Nor is where a family lies.
    A family that is not here has the digest ``none``.
    """
    return {family: _engine_digest(family) for family in families}


@functools.cache
def _engine_digest(family: str) -> str:
    package = Path(workbench.__file__).resolve().parent
    try:
        folder = games.folder(family)
    except KeyError:
        return "none"
    engine = [*package.glob("engine/**/*.py"), package / "games" / "declaration.py"]
    sources = {source.relative_to(package).as_posix(): source for source in engine}
    for names in ("rules*.py", "kernel*.py", "notation*.py"):
        sources |= {f"games/{family}/{source.name}": source for source in folder.glob(names)}
    hashed = hashlib.sha256()
    for name, source in sorted(sources.items(), key=lambda one: PurePosixPath(one[0])):
        # A checkout on Windows has other line ends.
        content = source.read_bytes().replace(b"\r\n", b"\n")
        hashed.update(f"{name} {len(content)}\n".encode() + content)
    return hashed.hexdigest()[:16]


# Workers of a cluster

PROGRAMS = ("workbench", "Numba")


class Refusal(NamedTuple):
    """The answer of a worker that would play other games than the driver."""

    worker: str
    """Its address."""
    node: str
    """The name of its machine."""
    differences: tuple[str, ...]


def engine_versions(families: Iterable[str]) -> dict[str, str]:
    """Return what decides which games this process plays: workbench, Numba, a digest of each family's sources."""
    programs = dict(zip(PROGRAMS, (workbench.__version__, metadata.version("numba")), strict=True))
    return programs | engine_digests(sorted(families))


def version_differences(wanted: Mapping[str, str]) -> tuple[str, ...]:
    """Return the differences between this process's versions and the wanted ones; none if it may play."""
    found = engine_versions(name for name in wanted if name not in PROGRAMS)
    return tuple(
        (
            tr("{name}: {found} there, {value} here", name=name, found=found[name], value=value)
            if name in PROGRAMS
            else tr("engine of {name}: {found} there, {value} here", name=name, found=found[name], value=value)
        )
        for name, value in sorted(wanted.items())
        if found[name] != value
    )


def answer(call: bytes, versions: Mapping[str, str], *contents: bytes) -> Any:
    """Make a pickled call on a worker of a Dask cluster, with the contents of its files; or returns a `Refusal`."""
    if differences := version_differences(versions):
        from distributed import get_worker

        return Refusal(get_worker().address, platform.node(), differences)
    made: Call = pickle.loads(call)
    for preparation in made.preparations:
        ensure_compiled(preparation)
    copies = {path: _store_copy(content) for path, content in zip(made.files, contents, strict=True)}
    return made.function(*_replace_paths(made.arguments, copies))


_COMPILING, _COMPILED = threading.Lock(), set[tuple[str, tuple[str, ...]]]()


def ensure_compiled(preparation: Preparation) -> None:
    """Compile what is missing of some machine code: one process of a node that share a cache folder, not all."""
    key = preparation.family, preparation.functions
    with _COMPILING:
        if key in _COMPILED:
            return
        from workbench.engine import jit

        with _node_lock(jit.CACHE) if preparation.is_missing() else contextlib.nullcontext():
            preparation.make(*preparation.arguments)
        _COMPILED.add(key)


@contextlib.contextmanager
def _node_lock(folder: Path | None) -> Iterator[None]:
    """Keep other processes of this node out; none where there are no locks, or no folder that they share."""
    with contextlib.ExitStack() as stack:
        if fcntl is not None and folder is not None:
            with contextlib.suppress(OSError):
                lock = stack.enter_context((folder / f"compiling-{platform.node()}.lock").open("wb"))
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@functools.cache
def _copies() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="workbench-")


def _store_copy(content: bytes) -> str:
    """Return the path of a file of this process that holds the content."""
    with _COMPILING:
        path = Path(_copies().name) / hashlib.sha256(content).hexdigest()
        if not path.exists():
            path.write_bytes(content)
        return str(path)


def _replace_paths(value: Any, copies: Mapping[str, str]) -> Any:
    """Return a value whose tuples name copies in the place of files."""
    if isinstance(value, str):
        return copies.get(value, value)
    if isinstance(value, tuple):
        items = [_replace_paths(item, copies) for item in value]
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    return value
