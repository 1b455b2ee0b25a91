"""The worker's side of calls: playing blocks of games, compiling, and checking versions on a cluster.

Workers start fast because they import only this module, the compiled engine and the notation of their games. Calls
carry rules, weights, lines and seeds as numbers and files by content, so a worker of a cluster needs nothing but the
installed package.
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
"""File locks; None on Windows."""

WATCH_SECONDS = 2.0
"""Seconds between checks of the parent process."""


class Preparation(NamedTuple):
    """Machine code that a call needs."""

    functions: tuple[str, ...]
    """The compiled functions whose code in the cache shows that the preparation is done."""
    family: str
    make: Callable[..., object]
    """Compiles them."""
    arguments: tuple[Any, ...]

    def is_missing(self) -> bool:
        """Return whether the code is missing from the cache on disk."""
        from workbench.games.processes import must_compile

        return must_compile(self.functions, [self.family])


class Call(NamedTuple):
    """A function call for a worker."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    title: str
    """The name of the call in messages."""
    families: tuple[str, ...] = ()
    """The games whose engines must equal the driver's."""
    preparations: tuple[Preparation, ...] = ()
    files: tuple[str, ...] = ()
    """Paths among the arguments, whose contents are sent to the workers of a cluster."""


PlayBlock = Callable[[BlockArguments], Mapping[str, Any]]
"""The engine's ``run_block``."""
OpeningTexts = Callable[[str, Any, Any], list[str]]
"""``opening_texts(game, codes, openings)``; see `workbench.positions.game_state`."""


class Tracing(NamedTuple):
    """The function and limits with which the first games of a block are traced."""

    trace: Callable[..., list[Any]]
    """``traces(game, codes, first, second, moves)``; see `workbench.positions.game_state`."""
    games: int
    plies: int
    """The most plies of a game to trace."""


def call_timed(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the duration of a call in seconds, and its value."""
    start = time.perf_counter()
    value = function(*arguments)
    return time.perf_counter() - start, value


def play_block(
    play: PlayBlock, opening_texts: OpeningTexts, block: BlockArguments, tracing: Tracing | None = None,
    keep_moves: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Return the engine's arrays for a block, with each game's opening as text.

    ``tracing`` adds ``traces``, and ``keep_moves`` adds all ``moves``. Workers format text and traces because that
    takes as long as a quick game.
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
    """Format the move codes of each row for the records; rows are padded with -1."""
    return [" ".join(str(move) for move in line if move >= 0) for line in moves.tolist()]


def begin_worker(parent: int) -> None:
    """Set up this worker process so that it ends soon after its ``parent``, even while it runs compiled code."""
    # Ctrl-C reaches every process of the terminal, but only the parent handles it. Workers that loky starts later do
    # not inherit this.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(20_000, 20)  # garbage collection would take a tenth of the compile time
    threading.Thread(target=_exit_after, args=(parent,), name="watch", daemon=True).start()


def _exit_after(parent: int) -> None:
    # The system gives orphans another parent.
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(1)


def engine_digests(families: Iterable[str]) -> dict[str, str]:
    """Return a digest (16 hex digits) of the sources that determine each family's records.

    The sources are the engine and the family's declaration, kernels and notation. The versions of Python and of
    libraries do not affect the games. The digest of an unknown family is ``none``.
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
    digest = hashlib.sha256()
    for name, source in sorted(sources.items(), key=lambda item: PurePosixPath(item[0])):
        # Checkouts on Windows have different line endings.
        content = source.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


# Workers of a cluster

PROGRAMS = ("workbench", "Numba")


class Refusal(NamedTuple):
    """The reply of a worker with a different engine."""

    worker: str
    """Its address."""
    node: str
    """Its host name."""
    differences: tuple[str, ...]


def engine_versions(families: Iterable[str]) -> dict[str, str]:
    """Return the versions of workbench and Numba, and the digests of the families' sources."""
    programs = dict(zip(PROGRAMS, (workbench.__version__, metadata.version("numba")), strict=True))
    return programs | engine_digests(sorted(families))


def version_differences(required: Mapping[str, str]) -> tuple[str, ...]:
    """Return the differences between this process's versions and the ``required`` ones."""
    actual = engine_versions(name for name in required if name not in PROGRAMS)
    program, engine = tr("{name}: {found} there, {value} here"), tr("engine of {name}: {found} there, {value} here")
    return tuple(
        (program if name in PROGRAMS else engine).format(name=name, found=actual[name], value=value)
        for name, value in sorted(required.items())
        if actual[name] != value
    )


def answer(call: bytes, versions: Mapping[str, str], *contents: bytes) -> Any:
    """Execute a pickled call on a worker of a Dask cluster, or return a `Refusal` if its versions differ."""
    if differences := version_differences(versions):
        from distributed import get_worker

        return Refusal(get_worker().address, platform.node(), differences)
    loaded: Call = pickle.loads(call)
    for preparation in loaded.preparations:
        ensure_compiled(preparation)
    copies = {path: _store_copy(content) for path, content in zip(loaded.files, contents, strict=True)}
    return loaded.function(*_replace_paths(loaded.arguments, copies))


_COMPILING, _COMPILED = threading.Lock(), set[tuple[str, tuple[str, ...]]]()


def ensure_compiled(preparation: Preparation) -> None:
    """Compile missing machine code; on each node, only one process at a time compiles."""
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
    """Lock out other processes of this node while the context is active, if locks are supported."""
    with contextlib.ExitStack() as stack:
        if fcntl is not None and folder is not None:
            with contextlib.suppress(OSError):
                lock = stack.enter_context((folder / f"compiling-{platform.node()}.lock").open("wb"))
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@functools.cache
def _copy_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="workbench-")


def _store_copy(content: bytes) -> str:
    """Write the content to a temporary file of this process, and return its path."""
    with _COMPILING:
        path = Path(_copy_folder().name) / hashlib.sha256(content).hexdigest()
        if not path.exists():
            path.write_bytes(content)
        return str(path)


def _replace_paths(value: Any, copies: Mapping[str, str]) -> Any:
    """Replace paths in nested tuples with the paths of their copies."""
    if isinstance(value, str):
        return copies.get(value, value)
    if isinstance(value, tuple):
        items = [_replace_paths(item, copies) for item in value]
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    return value
