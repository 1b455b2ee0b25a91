"""Where games are played, as the command line says it with ``--on``: this machine, or a Dask cluster."""

from __future__ import annotations

import contextlib
import importlib.util
import re
from collections.abc import Callable, Iterator

from workbench.errors import InputError, Problem
from workbench.language import tr
from workbench.run.cluster import Cluster

EXPECTED_ADDRESS = tr("a Dask cluster: dask:local, dask:tcp://HOST:PORT, or dask:FILE.json (of a scheduler)")
_CLUSTER = re.compile(r"dask:(local|(tcp|tls|ws|wss)://[^\s/]+:[0-9]{1,5}|.*\.json)")


def parse_cluster_address(text: str) -> str:
    """The address in a text such as ``dask:tcp://host:8786``; ``local`` is a cluster that is started for the run.

    Raises:
        InputError: it names no cluster, or Dask is not installed.
    """
    match = _CLUSTER.fullmatch(text.strip())
    if match is None:
        what = tr("expected {expected}, found '{text}'")
        raise InputError(
            [Problem("", None, "--on", what.format(expected=EXPECTED_ADDRESS, text=text), _address_hint(text))]
        )
    if importlib.util.find_spec("distributed") is None:
        hint = tr("to install it: pip install 'rule-workbench[dask]'")
        raise InputError([Problem("", None, "--on", tr("Dask is not installed here"), hint)])
    return match[1]


def _address_hint(text: str) -> str:
    if re.fullmatch(r"(dask:)?(//)?[\w.-]+:[0-9]{1,5}", text):
        return tr("did you mean dask:tcp://{text}?", text=text.removeprefix("dask:").lstrip("/"))
    if re.match(r"(tcp|tls)://", text):
        return tr("did you mean dask:{text}?", text=text)
    return tr("did you mean dask:local?") if text in ("dask", "dask:", "dask:auto") else ""


@contextlib.contextmanager
def open_cluster(
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
    where, name = parse_cluster_address(text), text.strip()
    if workers and where != "local":
        message = tr(
            "expected no number of workers beside the cluster {name}, found {workers}", name=name, workers=workers
        )
        raise InputError([Problem("", None, "--workers", message, tr("the cluster has its own"))])
    from workbench.run import cluster_dask

    found: Cluster = cluster_dask.connect_dask(where, name, workers)
    try:
        yield found
    finally:
        found.close()
