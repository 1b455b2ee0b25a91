"""Where games are played, as the command line says it with ``--on``: this machine, or a cluster of Dask or Ray."""

from __future__ import annotations

import contextlib
import importlib.util
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workbench.errors import InputError, Problem
from workbench.run.cluster import Cluster

EXPECTED = "dask:local, dask:tcp://HOST:PORT, dask:FILE.json (of a scheduler), ray:auto, ray:local or ray:HOST:PORT"
_DASK = re.compile(r"(tcp|tls|ws|wss)://[^\s/]+:[0-9]{1,5}")
_RAY = re.compile(r"(ray://)?[^\s/]+:[0-9]{1,5}")


@dataclass(frozen=True)
class Place:
    """A cluster, as the user names it."""

    kind: str
    """``dask`` or ``ray``."""
    address: str
    """``local`` is a cluster that is started for the run, on this machine."""

    @property
    def local(self) -> bool:
        """Whether it is started for the run."""
        return self.address == "local"

    def __str__(self) -> str:
        return f"{self.kind}:{self.address}"


def place(text: str) -> Place:
    """The place that a text names.

    Raises:
        InputError: it names none, or what it is reached with is not installed.
    """
    kind, _, address = text.strip().partition(":")
    known = {
        "dask": address == "local" or bool(_DASK.fullmatch(address)) or address.endswith(".json"),
        "ray": address in ("auto", "local") or bool(_RAY.fullmatch(address)),
    }
    if not known.get(kind):
        raise InputError([Problem("", None, "--on", f"expected {EXPECTED}, found '{text}'", _hint(text))])
    package = importlib.util.find_spec("distributed") if kind == "dask" else importlib.util.find_spec("ray")
    if package is None:
        message = f"{kind} is not installed here"
        raise InputError([Problem("", None, "--on", message, f"to install it: pip install 'rule-workbench[{kind}]'")])
    return Place(kind, address)


def _hint(text: str) -> str:
    if re.fullmatch(r"(dask:)?(//)?[\w.-]+:[0-9]{1,5}", text):
        return f"did you mean dask:tcp://{text.removeprefix('dask:').lstrip('/')}?"
    if re.match(r"(tcp|tls)://", text):
        return f"did you mean dask:{text}?"
    return "did you mean dask:local?" if text in ("dask", "dask:", "dask:auto") else ""


@contextlib.contextmanager
def cluster(
    text: str | None, workers: int | None = None, say: Callable[[str], object] = lambda line: None
) -> Iterator[Cluster | None]:
    """The cluster that a text names, as long as it is needed; None for no text: this machine.

    ``workers`` are the processes of one that is started for the run.

    Raises:
        InputError: the text names no cluster, nobody answers there, or ``workers`` are asked of a cluster that has its
            own.
    """
    if not text:
        yield None
        return
    where = place(text)
    if workers and not where.local:
        message = f"expected no number of workers with --on {where}, found {workers}"
        raise InputError([Problem("", None, "--workers", message, "the cluster has its own")])
    if where.kind == "dask":
        from workbench.run import cluster_dask

        found: Cluster = cluster_dask.connect(where.address, str(where), workers)
    else:
        from workbench.run import cluster_ray

        found = cluster_ray.connect(where.address, str(where), workers)
    try:
        yield found
    finally:
        found.close()
