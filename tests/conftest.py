"""What all tests share: the processes of a whole test run compile the families of games between them, each one once."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from workbench import games
from workbench.engine import jit, trials
from workbench.questions import rulesets

TESTS = Path(__file__).resolve().parent


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compiles what has no machine code yet, in a run of all tests; otherwise each process would compile everything."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker or jit.CACHE is None or TESTS not in {Path(word).resolve() for word in session.config.args}:
        return
    families = games.names()
    waiting = []
    # Every other process begins at the other end, and leaves to others what they have begun.
    for name in families if int(worker.removeprefix("gw")) % 2 == 0 else reversed(families):
        if not compiled(name, fcntl.LOCK_EX | fcntl.LOCK_NB):
            waiting.append(name)
    for name in waiting:
        compiled(name, fcntl.LOCK_EX)


def compiled(family: str, lock: int) -> bool:
    """Whether a family has machine code now; False if another process is at it, unless the lock waits."""
    assert jit.CACHE is not None
    with open(jit.CACHE / f"{family}.lock", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, lock)
        except BlockingIOError:
            return False
        if jit.must_compile("_play_block", family):
            first = next(name for name in rulesets.names() if name.startswith(f"{family}/"))
            trials.warm_up(family, rulesets.load(first).codes())
    return True
