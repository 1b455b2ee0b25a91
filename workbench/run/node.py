"""What a worker of a cluster does: it shows what it would play with, makes machine code ready, and answers calls.

All that a call needs travels with it: rules, weights, lines and seeds as numbers, and what lies in a file with the
driver as the file's content. So a worker needs the installed package and nothing else of the driver's machine.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.util
import os
import pickle
import platform
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import workbench
from workbench.language import tr
from workbench.run.sources import engine_digests

fcntl: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None
"""Locks of files; there are none on Windows."""

Notify = Callable[..., object]
"""Sends a notice to the driver before the answer is there: ``notify(topic, text)``."""

STARTED, COMPILING, PROGRESS = "begun", "compiles", "share"
"""Topics: that a worker is at a call, the node whose machine code is made, and the share of a call that is done.
"""


class Preparation(NamedTuple):
    """Machine code that a call needs."""

    functions: tuple[str, ...]
    """The compiled functions, by whose machine code one sees whether it is there."""
    family: str
    make: Callable[..., object]
    """Compiles them."""
    arguments: tuple[Any, ...]

    def is_missing(self) -> bool:
        """Whether there is no such machine code on disk."""
        from workbench.games.machine_code import must_compile

        return must_compile(self.functions, [self.family])


class Call(NamedTuple):
    """A function to be called on a worker."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    versions: Mapping[str, str]
    """What the worker must play with; see `engine_versions`."""
    preparations: tuple[Preparation, ...] = ()
    files: tuple[str, ...] = ()
    """Files of the driver whose content comes with the call. A path among the arguments becomes that of a copy here."""
    reports_progress: bool = False
    """Whether the function is also given ``on_progress``, by name, for the share of it that is done."""


class Answer(NamedTuple):
    """What came of a call."""

    node: str
    """The name of the machine."""
    value: Any = None
    differences: tuple[str, ...] = ()
    """Why nothing was called: what this worker would play with, and the driver does not."""


PROGRAMS = ("workbench", "Numba")


def engine_versions(families: Iterable[str]) -> dict[str, str]:
    """The versions that decide which games this process plays: workbench, Numba, a digest of each family's sources."""
    programs = dict(zip(PROGRAMS, (workbench.__version__, metadata.version("numba")), strict=True))
    return programs | engine_digests(sorted(families))


@functools.cache
def _cached_differences(wanted: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    found = engine_versions(name for name, _ in wanted if name not in PROGRAMS)
    return tuple(
        (
            tr("{name}: {found} there, {value} here", name=name, found=found[name], value=value)
            if name in PROGRAMS
            else tr("engine of {name}: {found} there, {value} here", name=name, found=found[name], value=value)
        )
        for name, value in wanted
        if found[name] != value
    )


def version_differences(wanted: Mapping[str, str]) -> tuple[str, ...]:
    """The differences between this process's versions and the wanted ones, a line each; empty if it may play."""
    return _cached_differences(tuple(sorted(wanted.items())))


def answer_call(call: Call, contents: Sequence[bytes] = (), notify: Notify = lambda topic, text: None) -> Answer:
    """Checks this process, makes its machine code ready, and calls the function."""
    node = platform.node()
    if found := version_differences(call.versions):
        return Answer(node, differences=found)
    for preparation in call.preparations:
        ensure_compiled(preparation, functools.partial(notify, COMPILING, node))
    arguments = call.arguments
    if call.files:
        copies = {path: _store_copy(content) for path, content in zip(call.files, contents, strict=True)}
        arguments = _replace_paths(arguments, copies)
    if call.reports_progress:
        return Answer(node, call.function(*arguments, on_progress=lambda share: notify(PROGRESS, f"{share:.4f}")))
    return Answer(node, call.function(*arguments))


def call_timed(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """The seconds that a call takes, and its value."""
    begin = time.perf_counter()
    value = function(*arguments)
    return time.perf_counter() - begin, value


def answer_dask(call: bytes, topic: str, key: str, *contents: bytes) -> tuple[str, Answer]:
    """The address of a Dask worker, and its answer to a pickled `Call`; its notices go to the ``topic``."""
    import distributed

    worker = distributed.get_worker()

    def notify(what: str, text: str = "") -> None:
        worker.log_event(topic, {"key": key, "what": what, "text": text, "worker": worker.address})

    notify(STARTED)
    return worker.address, answer_call(pickle.loads(call), contents, notify)


# Machine code

_COMPILED: set[tuple[str, tuple[str, ...]]] = set()
_COMPILING = threading.Lock()


def ensure_compiled(preparation: Preparation, notify: Callable[[], object]) -> None:
    """Compiles what is missing of some machine code; calls ``notify`` before it does so.

    Of the processes of a node that share their cache folder one makes it, and the others wait.
    """
    key = preparation.family, preparation.functions
    with _COMPILING:
        if key in _COMPILED:
            return
        from workbench.engine import jit

        if preparation.is_missing():
            with _node_lock(jit.CACHE):
                if preparation.is_missing():
                    notify()
                preparation.make(*preparation.arguments)
        else:
            preparation.make(*preparation.arguments)
        _COMPILED.add(key)


@contextlib.contextmanager
def _node_lock(folder: Path | None) -> Iterator[None]:
    """Keeps other processes of this node out; none where there are no locks, or no folder that they share."""
    with contextlib.ExitStack() as stack:
        if fcntl is not None and folder is not None:
            with contextlib.suppress(OSError):
                lock = stack.enter_context((folder / f"compiling-{platform.node()}.lock").open("wb"))
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# Files

_COPYING = threading.Lock()


@functools.cache
def _copy_folder() -> Path:
    import atexit
    import shutil

    folder = tempfile.mkdtemp(prefix="workbench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _store_copy(content: bytes) -> str:
    """The path of a file of this process that holds the content."""
    with _COPYING:
        path = _copy_folder() / hashlib.sha256(content).hexdigest()
        if not path.exists():
            new = path.with_suffix(f".{os.getpid()}")
            new.write_bytes(content)
            new.replace(path)
        return str(path)


def _replace_paths(value: Any, copies: Mapping[str, str]) -> Any:
    """A value whose tuples name copies in the place of files."""
    if isinstance(value, str):
        return copies.get(value, value)
    if isinstance(value, tuple):
        items = [_replace_paths(item, copies) for item in value]
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    return value
