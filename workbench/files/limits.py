"""What the system lets the process have: standard streams (a shell may have closed them), open files, memory."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
from typing import Any

from workbench.errors import WorkbenchError
from workbench.language import tr

resource: Any = importlib.import_module("resource") if importlib.util.find_spec("resource") else None
"""Limits of the process; there are none on Windows."""

STREAMS = ("stdin", "stdout", "stderr")


class TooFewFiles(WorkbenchError):
    """The system does not let the process open as many files as it needs."""

    def __init__(self, needed: int, allowed: int, what: str) -> None:
        """Says what needs them."""
        super().__init__(
            tr(
                "{what} needs {needed:,} open files, and the system allows {allowed:,}: raise the limit (ulimit -n).",
                what=what,
                needed=needed,
                allowed=allowed,
            )
        )


class TooLittleMemory(WorkbenchError):
    """The system does not let the process have as many addresses as it needs."""

    def __init__(self, needed: int, allowed: int, what: str) -> None:
        """Says what needs them."""
        super().__init__(
            tr(
                "{what} needs {needed:,} MiB of address space, and the system allows {allowed:,} MiB: "
                "raise the limit (ulimit -v).",
                what=what,
                needed=needed >> 20,
                allowed=allowed >> 20,
            )
        )


def open_standard_streams() -> list[str]:
    """Redirects closed standard streams to the null device, so that no other file gets their number; returns which."""
    closed = [name for name in STREAMS if getattr(sys, name) is None]
    for name in closed:
        stream = open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8")  # noqa: SIM115 (open till the end)
        if stream.fileno() == STREAMS.index(name):
            os.set_inheritable(stream.fileno(), True)
        setattr(sys, name, stream)
    return closed


def discard_unwritten() -> None:
    """Discards buffered text that stdout or stderr cannot write (full disk, no reader): Python complains at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)


def require_open_files(needed: int, what: str) -> None:
    """Ensures that the process may open so many files; raises the limit if the system allows it.

    Raises:
        TooFewFiles: it does not. ``what`` needs the files.
    """
    _require("RLIMIT_NOFILE", needed, what, TooFewFiles)


def require_address_space(needed: int, what: str) -> None:
    """Ensures that the process has so many bytes of address space; raises the limit if the system allows it.

    Asked before libraries in machine code are loaded: with too few, some of them neither start nor give up.

    Raises:
        TooLittleMemory: the system allows fewer. ``what`` needs them.
    """
    _require("RLIMIT_AS", needed, what, TooLittleMemory)


def _require(limit: str, needed: int, what: str, refusal: type[TooFewFiles] | type[TooLittleMemory]) -> None:
    if resource is None:
        return
    number = getattr(resource, limit)
    soft, hard = resource.getrlimit(number)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    try:
        resource.setrlimit(number, (needed, hard))
    except (OSError, ValueError):
        raise refusal(needed, soft, what) from None
