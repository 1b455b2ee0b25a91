"""Calls on the workers of a Dask cluster. The scheduler repeats those of a worker that is gone."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import pickle
import queue
import signal
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import distributed
from distributed.scheduler import KilledWorker

from workbench.errors import InputError, Problem
from workbench.language import tr
from workbench.run import node
from workbench.run.cluster import CallDone, CallFailed, ClusterLost, Event, WorkerLost, WorkerNotice
from workbench.run.guards import ignore_signals
from workbench.run.node import Call

CONNECT_TIMEOUT = 10.0
"""Seconds that the scheduler has to answer."""
RECOUNT_SECONDS = 10.0
"""Seconds after which workers are counted again, though none has come or gone as far as the driver was told."""
NOISY_LOGGERS = ("distributed", "tornado")
"""Libraries that log, with tracebacks, that a scheduler is gone."""
MAX_GATHERED = 64
"""Results that are fetched at a time, at most: the driver holds no more of them."""


def connect_dask(address: str, name: str, workers: int | None) -> DaskCluster:
    """The cluster of a scheduler, by its address or its file; ``local``: one of so many processes, on this machine.

    Raises:
        InputError: no scheduler answers.
    """
    # The run says itself what its user should know. Some loggers within a library have levels of their own.
    for logger in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in NOISY_LOGGERS]:
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    with contextlib.ExitStack() as stack:
        if address == "local":
            with ignore_signals(signal.SIGINT):
                local = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=workers or os.cpu_count() or 1,
                        threads_per_worker=1,
                        dashboard_address=":0",
                        silence_logs=logging.CRITICAL,
                    )
                )
            stack.callback(_kill_local_workers, local)
            where: dict[str, Any] = {"address": local}
        elif address.endswith(".json"):
            if not Path(address).is_file():
                raise InputError(
                    [
                        Problem(
                            "",
                            None,
                            "--on",
                            tr("there is no file {address}", address=address),
                            tr("dask scheduler writes it"),
                        )
                    ]
                )
            where = {"scheduler_file": address}
        else:
            where = {"address": address}
        try:
            client = distributed.Client(**where, timeout=CONNECT_TIMEOUT, set_as_default=False)
        except (OSError, ValueError) as error:
            message = tr("no Dask scheduler answers at {address} ({name})", address=address, name=type(error).__name__)
            raise InputError([Problem("", None, "--on", message, tr("dask scheduler starts one"))]) from None
        stack.enter_context(client)
        return DaskCluster(client, name, stack.pop_all())


def _kill_local_workers(local: Any) -> None:
    """Ends the processes of a local cluster, which would first play what they are at to its end."""
    for nanny in local.workers.values():
        nanny.auto_restart = False
        with contextlib.suppress(OSError, TypeError):
            os.kill(nanny.pid, signal.SIGKILL)


class DaskCluster:
    """Workers of a Dask scheduler."""

    def __init__(self, client: Any, name: str, stack: contextlib.ExitStack) -> None:
        self.client, self.name, self._stack = client, name, stack
        self._topic = f"workbench-{uuid.uuid4().hex[:12]}"
        self._keys = (f"{self._topic}-{number}" for number in itertools.count())
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        """Futures that have ended, and dictionaries: what workers tell, and which workers come and go."""
        self._in_flight: dict[str, tuple[int, Any, bytes, Sequence[Any]]] = {}
        """Key -> the call's number, its future, the call itself and its contents."""
        self._worker_of: dict[str, str] = {}
        """Key -> the worker that is at it."""
        self._left: set[str] = set()
        """Keys of calls that are done, and whose worker has died: either after that, or before another one did them."""
        self._threads: dict[str, int] = {}
        self._counted = -RECOUNT_SECONDS
        self._excluded: set[str] = set()
        # What the scheduler tells of workers that come and go, and what workers tell of their calls.
        client.subscribe_topic("all", lambda event: self._inbox.put(dict(event[1])))
        client.subscribe_topic(self._topic, lambda event: self._inbox.put(dict(event[1])))

    def size(self) -> int:
        """The threads of all workers that play."""
        if time.monotonic() - self._counted > RECOUNT_SECONDS:
            with self._scheduler_errors():
                self._threads = self.client.nthreads()
            self._counted = time.monotonic()
        return sum(count for worker, count in self._threads.items() if worker not in self._excluded)

    def upload(self, content: bytes) -> Any:
        """Uploads content to every worker; returns its future."""
        while not self.size():
            time.sleep(1.0)
            self._counted = -RECOUNT_SECONDS
        with self._scheduler_errors():
            return self.client.scatter(content, broadcast=True, hash=False)

    def submit(self, number: int, call: Call, contents: Sequence[Any]) -> None:
        """Hands out a call."""
        # As bytes, so that Dask looks for nothing in it.
        self._submit(number, pickle.dumps(call), contents)

    def _submit(self, number: int, call: bytes, contents: Sequence[Any]) -> None:
        key = next(self._keys)
        allowed = [worker for worker in self._threads if worker not in self._excluded] if self._excluded else None
        with self._scheduler_errors():
            future = self.client.submit(
                node.answer_dask, call, self._topic, key, *contents, key=key, pure=False, workers=allowed
            )
        self._in_flight[key] = number, future, call, contents
        future.add_done_callback(self._inbox.put)

    def wait_for_events(self, seconds: float) -> list[Event]:
        """The events since the last call."""
        events: list[Event] = []
        ended: list[Any] = []
        for item in self._read_inbox(seconds):
            if not isinstance(item, dict):
                if item.key in self._in_flight:
                    ended.append(item)
            elif item.get("action") in ("add-worker", "remove-worker"):
                self._counted = -RECOUNT_SECONDS
                if item["action"] == "remove-worker":
                    events += self._death_events(item["worker"], bool(item.get("expected")))
            elif item.get("key") in self._in_flight:
                number = self._in_flight[item["key"]][0]
                if item["what"] == node.STARTED:
                    self._worker_of[item["key"]] = item["worker"]
                    if item["key"] in self._left:
                        self._left.remove(item["key"])
                        events.append(WorkerLost(number, resubmit=False))
                else:
                    events.append(WorkerNotice(number, item["what"], item["text"]))
        return events + self._result_events(ended)

    def _read_inbox(self, seconds: float) -> list[Any]:
        """What the inbox holds, once there is something."""
        items: list[Any] = []
        with contextlib.suppress(queue.Empty):
            items.append(self._inbox.get(timeout=seconds))
            while len(items) < MAX_GATHERED:
                items.append(self._inbox.get_nowait())
        return items

    def _death_events(self, worker: str, expected: bool) -> Iterator[Event]:
        """The call at which a worker was that is gone, unless it said that it would go; the scheduler repeats it."""
        for key in [key for key, busy in self._worker_of.items() if busy == worker]:
            del self._worker_of[key]
            number, future, *_ = self._in_flight[key]
            if not expected and future.done():
                self._left.add(key)
            elif not expected:
                yield WorkerLost(number, resubmit=False)

    def _result_events(self, futures: Sequence[Any]) -> list[Event]:
        events: list[Event] = []
        finished = [future for future in futures if future.status == "finished"]
        for future in futures:
            if future.status == "error":
                number, _, call, contents = self._in_flight.pop(future.key)
                began = self._worker_of.pop(future.key, None)
                error = future.exception()
                if not isinstance(error, KilledWorker):
                    events.append(CallFailed(number, _readable_error(error, self.name)))
                elif began is None:
                    # Four workers died that had it, and it may be the one at which they were.
                    events.append(WorkerLost(number, resubmit=True))
                else:
                    self._submit(number, call, contents)
            elif future.status != "finished":
                raise self._cluster_lost()
        if finished:
            with self._scheduler_errors():
                values = self.client.gather(finished)
            for future, (worker, value) in zip(finished, values, strict=True):
                number, *_ = self._in_flight.pop(future.key)
                self._worker_of.pop(future.key, None)
                events.append(CallDone(number, value, worker))
        elif self.client.status != "running":
            raise self._cluster_lost()
        return events

    def exclude(self, worker: str) -> bool:
        """Gives a worker no calls from now on; False if none is left."""
        self._excluded.add(worker)
        return self.size() > 0

    def cancel_calls(self) -> None:
        """Cancels all calls that are under way; a worker still finishes the one that it is running."""
        futures = [future for _, future, *_ in self._in_flight.values()]
        self._in_flight.clear()
        self._worker_of.clear()
        if futures and self.client.status == "running":
            with contextlib.suppress(Exception):
                self.client.cancel(futures, force=True)

    def close(self) -> None:
        """Disconnects from the cluster."""
        with ignore_signals(signal.SIGINT), contextlib.suppress(Exception):
            if self.client.status == "running":
                for topic in ("all", self._topic):
                    self.client.unsubscribe_topic(topic)
            self._stack.close()

    @contextlib.contextmanager
    def _scheduler_errors(self) -> Iterator[None]:
        """Raises `ClusterLost` where the scheduler does not answer."""
        try:
            yield
        except (OSError, distributed.client.FutureCancelledError, RuntimeError) as error:
            raise self._cluster_lost() from error

    def _cluster_lost(self) -> ClusterLost:
        return ClusterLost(tr("The scheduler of {value} is gone, or no longer knows this run.", value=self.name))


def _readable_error(error: BaseException, name: str) -> BaseException:
    """The error of a call; one that says that a worker lacks the workbench says so."""
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "workbench":
        return ClusterLost(
            tr(
                "A worker of {name} lacks the workbench of this version ({error}): install it there.",
                name=name,
                error=error,
            )
        )
    return error
