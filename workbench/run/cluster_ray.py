"""Calls on the workers of a Ray cluster. A call whose worker dies comes back as such, and is handed out anew."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import time
from collections.abc import Iterator, Sequence
from typing import Any

import ray

from workbench.errors import InputError, Problem
from workbench.run import node
from workbench.run.cluster import ClusterLost, Died, Done, Event, Failed
from workbench.run.node import Call

GATHERED = 64
"""Results that are fetched at a time, at most: the driver holds no more of them."""
COUNTED = 10.0
"""Seconds after which the processors are counted again."""


def connect(address: str, name: str, workers: int | None) -> RayCluster:
    """The cluster of an address, or the one that is found (``auto``); ``local``: one of so many processes, here.

    Raises:
        InputError: no cluster answers.
    """
    # The run says itself what its user should know.
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL, "configure_logging": False}
    if address == "local":
        options |= {"num_cpus": workers or os.cpu_count() or 1, "include_dashboard": False}
    try:
        ray.init(address="local" if address == "local" else address, **options)
    except (ConnectionError, RuntimeError, ValueError) as error:
        message = f"no Ray cluster answers at {address} ({type(error).__name__})"
        raise InputError([Problem("", None, "--on", message, "ray start --head starts one")]) from None
    return RayCluster(name)


class RayCluster:
    """Processors of a Ray cluster; a call takes one."""

    def __init__(self, name: str) -> None:
        self.name = name
        # The cluster is not to repeat a call by itself: which call killed a worker is known here alone.
        self._answer = ray.remote(num_cpus=1, max_retries=0)(node.answer_ray)
        self._flying: dict[Any, int] = {}
        self._processors = 0
        self._counted = -COUNTED

    def size(self) -> int:
        """The processors of all nodes."""
        if time.monotonic() - self._counted > COUNTED:
            with self._answering():
                self._processors = int(ray.cluster_resources().get("CPU", 0))
            self._counted = time.monotonic()
        return self._processors

    def share(self, content: bytes) -> Any:
        """A reference to the content in Ray's store."""
        with self._answering():
            return ray.put(content)

    def submit(self, number: int, call: Call, contents: Sequence[Any]) -> None:
        """Hands out a call."""
        with self._answering():
            self._flying[self._answer.remote(pickle.dumps(call), *contents)] = number

    def events(self, seconds: float) -> list[Event]:
        """What has happened."""
        with self._answering():
            ended, _ = ray.wait([*self._flying], num_returns=1, timeout=seconds)
            if ended:
                ended, _ = ray.wait([*self._flying], num_returns=min(GATHERED, len(self._flying)), timeout=0)
        return [self._event(reference) for reference in ended]

    def _event(self, reference: Any) -> Event:
        number = self._flying.pop(reference)
        try:
            answer = ray.get(reference)
        except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError,
                ray.exceptions.ObjectLostError):  # fmt: skip
            return Died(number, again=True)
        except ray.exceptions.RayTaskError as error:
            return Failed(number, error.cause or error)
        except ray.exceptions.RayError as error:
            raise self._gone() from error
        return Done(number, answer, answer.node)

    def exclude(self, worker: str) -> bool:
        """Ray chooses the workers itself: none can be left out."""
        return False

    def drop(self) -> None:
        """Gives up all calls that are under way."""
        with contextlib.suppress(Exception):
            for reference in self._flying:
                ray.cancel(reference, force=True)
        self._flying.clear()

    def close(self) -> None:
        """Leaves the cluster."""
        with contextlib.suppress(Exception):
            ray.shutdown()

    @contextlib.contextmanager
    def _answering(self) -> Iterator[None]:
        """Says in words that the cluster does not answer."""
        try:
            yield
        except (ConnectionError, ray.exceptions.RaySystemError, ray.exceptions.RpcError) as error:
            raise self._gone() from error

    def _gone(self) -> ClusterLost:
        return ClusterLost(f"The cluster {self.name} is gone, or no longer knows this run.")
