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
from workbench.run.cluster import ClusterLost, Died, Done, Event, Failed, Told
from workbench.run.guards import ignoring
from workbench.run.node import Call

CONNECTING = 10.0
"""Seconds that the scheduler has to answer."""
COUNTED = 10.0
"""Seconds after which workers are counted again, though none has come or gone as far as the driver was told."""
LOUD = ("distributed", "tornado")
"""Libraries that log, with tracebacks, that a scheduler is gone."""
GATHERED = 64
"""Results that are fetched at a time, at most: the driver holds no more of them."""


def connect(address: str, name: str, workers: int | None) -> DaskCluster:
    """The cluster of a scheduler, by its address or its file; ``local``: one of so many processes, on this machine.

    Raises:
        InputError: no scheduler answers.
    """
    # The run says itself what its user should know. Some loggers within a library have levels of their own.
    for logger in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in LOUD]:
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    with contextlib.ExitStack() as stack:
        if address == "local":
            with ignoring(signal.SIGINT):
                local = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=workers or os.cpu_count() or 1,
                        threads_per_worker=1,
                        dashboard_address=":0",
                        silence_logs=logging.CRITICAL,
                    )
                )
            stack.callback(_end, local)
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
            client = distributed.Client(**where, timeout=CONNECTING, set_as_default=False)
        except (OSError, ValueError) as error:
            message = tr("no Dask scheduler answers at {address} ({name})", address=address, name=type(error).__name__)
            raise InputError([Problem("", None, "--on", message, tr("dask scheduler starts one"))]) from None
        stack.enter_context(client)
        return DaskCluster(client, name, stack.pop_all())


def _end(local: Any) -> None:
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
        self._flying: dict[str, tuple[int, Any, bytes, Sequence[Any]]] = {}
        """Key -> the call's number, its future, the call itself and its contents."""
        self._at: dict[str, str] = {}
        """Key -> the worker that is at it."""
        self._threads: dict[str, int] = {}
        self._counted = -COUNTED
        self._excluded: set[str] = set()
        # What the scheduler tells of workers that come and go, and what workers tell of their calls.
        client.subscribe_topic("all", lambda event: self._inbox.put(dict(event[1])))
        client.subscribe_topic(self._topic, lambda event: self._inbox.put(dict(event[1])))

    def size(self) -> int:
        """The threads of all workers that play."""
        if time.monotonic() - self._counted > COUNTED:
            with self._answering():
                self._threads = self.client.nthreads()
            self._counted = time.monotonic()
        return sum(count for worker, count in self._threads.items() if worker not in self._excluded)

    def share(self, content: bytes) -> Any:
        """A future of the content, which every worker then has."""
        while not self.size():
            time.sleep(1.0)
            self._counted = -COUNTED
        with self._answering():
            return self.client.scatter(content, broadcast=True, hash=False)

    def submit(self, number: int, call: Call, contents: Sequence[Any]) -> None:
        """Hands out a call."""
        # As bytes, so that Dask looks for nothing in it.
        self._submit(number, pickle.dumps(call), contents)

    def _submit(self, number: int, call: bytes, contents: Sequence[Any]) -> None:
        key = next(self._keys)
        allowed = [worker for worker in self._threads if worker not in self._excluded] if self._excluded else None
        with self._answering():
            future = self.client.submit(
                node.answer_dask, call, self._topic, key, *contents, key=key, pure=False, workers=allowed
            )
        self._flying[key] = number, future, call, contents
        future.add_done_callback(self._inbox.put)

    def events(self, seconds: float) -> list[Event]:
        """What has happened."""
        events: list[Event] = []
        ended: list[Any] = []
        for item in self._news(seconds):
            if not isinstance(item, dict):
                if item.key in self._flying:
                    ended.append(item)
            elif item.get("action") in ("add-worker", "remove-worker"):
                self._counted = -COUNTED
                if item["action"] == "remove-worker":
                    events += self._died(item["worker"], bool(item.get("expected")))
            elif item.get("key") in self._flying:
                number = self._flying[item["key"]][0]
                if item["what"] == node.BEGUN:
                    self._at[item["key"]] = item["worker"]
                else:
                    events.append(Told(number, item["what"], item["text"]))
        return events + self._ended(ended)

    def _news(self, seconds: float) -> list[Any]:
        """What the inbox holds, once there is something."""
        items: list[Any] = []
        with contextlib.suppress(queue.Empty):
            items.append(self._inbox.get(timeout=seconds))
            while len(items) < GATHERED:
                items.append(self._inbox.get_nowait())
        return items

    def _died(self, worker: str, expected: bool) -> Iterator[Event]:
        """The call at which a worker was that is gone, unless it said that it would go; the scheduler repeats it."""
        for key in [key for key, at in self._at.items() if at == worker]:
            del self._at[key]
            number, future, *_ = self._flying[key]
            if not expected and not future.done():
                yield Died(number, again=False)

    def _ended(self, futures: Sequence[Any]) -> list[Event]:
        events: list[Event] = []
        finished = [future for future in futures if future.status == "finished"]
        for future in futures:
            if future.status == "error":
                number, _, call, contents = self._flying.pop(future.key)
                began = self._at.pop(future.key, None)
                error = future.exception()
                if not isinstance(error, KilledWorker):
                    events.append(Failed(number, _in_words(error, self.name)))
                elif began is None:
                    # Four workers died that had it, and it may be the one at which they were.
                    events.append(Died(number, again=True))
                else:
                    self._submit(number, call, contents)
            elif future.status != "finished":
                self._lost()
        if finished:
            with self._answering():
                values = self.client.gather(finished)
            for future, (worker, value) in zip(finished, values, strict=True):
                number, *_ = self._flying.pop(future.key)
                self._at.pop(future.key, None)
                events.append(Done(number, value, worker))
        elif self.client.status != "running":
            self._lost()
        return events

    def exclude(self, worker: str) -> bool:
        """Gives a worker no calls from now on; False if none is left."""
        self._excluded.add(worker)
        return self.size() > 0

    def drop(self) -> None:
        """Gives up all calls that are under way; a worker ends the one at which it is, for nobody."""
        futures = [future for _, future, *_ in self._flying.values()]
        self._flying.clear()
        self._at.clear()
        if futures and self.client.status == "running":
            with contextlib.suppress(Exception):
                self.client.cancel(futures, force=True)

    def close(self) -> None:
        """Leaves the cluster."""
        with ignoring(signal.SIGINT), contextlib.suppress(Exception):
            if self.client.status == "running":
                for topic in ("all", self._topic):
                    self.client.unsubscribe_topic(topic)
            self._stack.close()

    @contextlib.contextmanager
    def _answering(self) -> Iterator[None]:
        """Says in words that the scheduler does not answer."""
        try:
            yield
        except (OSError, distributed.client.FutureCancelledError, RuntimeError) as error:
            raise self._gone() from error

    def _lost(self) -> None:
        raise self._gone()

    def _gone(self) -> ClusterLost:
        return ClusterLost(tr("The scheduler of {value} is gone, or no longer knows this run.", value=self.name))


def _in_words(error: BaseException, name: str) -> BaseException:
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
