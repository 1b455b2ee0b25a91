"""Calls on the workers of a cluster, see `workbench.run.places`.

A `Cluster` hands single calls out and says what became of them; `run_calls` is what does not depend on the cluster. At
most two calls for each worker are under way, whose results stay with the workers until they are asked for: so the
driver holds a few of them at a time, however many workers there are.
"""

from __future__ import annotations

import collections
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from workbench.errors import WorkbenchError
from workbench.language import tr
from workbench.run import node
from workbench.run.node import Answer, Call

MAX_DEATHS = 2
"""Workers that may die over one call before it is given up."""
CALLS_PER_WORKER = 2
"""Calls that are handed out at a time, for each worker: the next one is there when one ends."""
MIN_CALLS_IN_FLIGHT = 4
"""Also while there is no worker: clusters that grow by themselves do so for calls that wait."""
POLL_SECONDS = 1.0
"""Seconds between two looks at the cluster while nothing happens."""
PATIENCE = 3.0
"""Seconds without a worker after which the user is told that it is waited for."""


class ClusterLost(WorkbenchError):
    """The cluster is gone, or cannot play; the text says why. What is on disk is not touched."""


class WorkerLost(NamedTuple):
    """A worker died while it was at a call."""

    number: int
    resubmit: bool
    """Whether the caller must submit the call again; otherwise the cluster has done so."""


class CallFailed(NamedTuple):
    """A call raised."""

    number: int
    error: BaseException


class CallDone(NamedTuple):
    """A call was answered."""

    number: int
    answer: Answer
    worker: str
    """As the cluster calls it."""


class WorkerNotice(NamedTuple):
    """What a worker reports before its answer is there; see `node.Notify`."""

    number: int
    topic: str
    text: str


Event = WorkerLost | CallFailed | CallDone | WorkerNotice


class Cluster(Protocol):
    """Remote workers: takes calls, and reports as events what became of them."""

    name: str
    """As the user wrote it."""

    def size(self) -> int:
        """How many calls are played at a time, at present; 0: there is no worker.

        Raises:
            ClusterLost: nobody answers.
        """

    def upload(self, content: bytes) -> Any:
        """Uploads content that many calls need, once per worker; returns a handle for `submit`."""

    def submit(self, number: int, call: Call, contents: Sequence[Any]) -> None:
        """Hands out a call; ``contents`` are the handles that `upload` returned for its files."""

    def wait_for_events(self, seconds: float) -> list[Event]:
        """The events since the last call: waits for one, but no longer than so many seconds.

        Raises:
            ClusterLost: nobody answers.
        """

    def exclude(self, worker: str) -> bool:
        """Gives a worker no calls from now on; False if none is left."""

    def cancel_calls(self) -> None:
        """Cancels all calls that are under way."""

    def close(self) -> None:
        """Disconnects from the cluster, and shuts it down if it was started for this run."""


@dataclass(frozen=True)
class Work:
    """A call and what it is for."""

    item: Any
    call: Call


def run_calls(
    cluster: Cluster,
    calls: Iterator[Work],
    say: Callable[[str], object],
    death_error: Callable[[Any], Exception],
    title: Callable[[Any], str],
    on_progress: Callable[[Any, str], object] = lambda item, share: None,
) -> Generator[tuple[Any, Any]]:
    """The item and the value of each call, in the order in which they are answered; closing it gives up the rest.

    ``calls`` is asked for the next one when it is needed. ``say`` tells the user of workers that died, or cannot play,
    and ``on_progress`` is given the share of a call that is done, where calls report it.

    Raises:
        ClusterLost: the cluster is gone, or none of its workers plays the games that this program would play.
        Exception: what a call raised; or what ``death_error`` makes of an item that killed `MAX_DEATHS` workers.
    """
    dispatcher = _Dispatcher(cluster, say, death_error, title, on_progress)
    try:
        yield from dispatcher.run(calls)
    finally:
        cluster.cancel_calls()


class _Dispatcher:
    """One call of `run_calls`."""

    def __init__(
        self,
        cluster: Cluster,
        say: Callable[[str], object],
        death_error: Callable[[Any], Exception],
        title: Callable[[Any], str],
        on_progress: Callable[[Any, str], object],
    ) -> None:
        self.cluster, self.say, self.death_error, self.title, self.on_progress = (
            cluster,
            say,
            death_error,
            title,
            on_progress,
        )
        self.in_flight: dict[int, Work] = {}
        self.deaths: collections.Counter[int] = collections.Counter()
        self.uploads: dict[str, Any] = {}
        self.notices: set[str] = set()
        self.no_workers_since: float | None = None

    def run(self, calls: Iterator[Work]) -> Generator[tuple[Any, Any]]:
        number = 0
        while True:
            size = self._size()
            while len(self.in_flight) < max(CALLS_PER_WORKER * size, MIN_CALLS_IN_FLIGHT):
                work = next(calls, None)
                if work is None:
                    break
                self.in_flight[number] = work
                self._submit(number)
                number += 1
            if not self.in_flight:
                return
            events = self.cluster.wait_for_events(POLL_SECONDS)
            self._handle_deaths([event for event in events if isinstance(event, WorkerLost)])
            for event in events:
                work = self.in_flight.get(event.number)
                if work is None:
                    continue
                match event:
                    case CallFailed(error=error):
                        raise error
                    case CallDone(answer=answer, worker=worker) if answer.differences:
                        self._exclude_worker(answer, worker)
                        self._submit(event.number)
                    case CallDone(answer=answer):
                        del self.in_flight[event.number]
                        yield work.item, answer.value
                    case WorkerNotice(topic=node.PROGRESS, text=share):
                        self.on_progress(work.item, share)
                    case WorkerNotice(topic=node.COMPILING, text=where):
                        self._say_new(
                            tr("Preparing the games on {where} (takes a while after an installation)", where=where)
                        )

    def _size(self) -> int:
        size = self.cluster.size()
        if size:
            self.no_workers_since = None
            return size
        now = time.monotonic()
        if self.no_workers_since is None:
            self.no_workers_since = now
        if now - self.no_workers_since > PATIENCE:
            self._say_new(tr("Waiting for workers of {cluster}: there are none at present.", cluster=self.cluster.name))
        return 0

    def _submit(self, number: int) -> None:
        call = self.in_flight[number].call
        for path in call.files:
            if path not in self.uploads:
                with open(path, "rb") as file:
                    self.uploads[path] = self.cluster.upload(file.read())
        self.cluster.submit(number, call, [self.uploads[path] for path in call.files])

    def _handle_deaths(self, deaths: Sequence[WorkerLost]) -> None:
        """Counts workers that died, and submits their calls again."""
        lost = [death for death in deaths if death.number in self.in_flight]
        for death in lost:
            self.deaths[death.number] += 1
            if self.deaths[death.number] >= MAX_DEATHS:
                raise self.death_error(self.in_flight[death.number].item)
            if death.resubmit:
                self._submit(death.number)
        if lost:
            titles = ", ".join(dict.fromkeys(self.title(self.in_flight[death.number].item) for death in lost))
            self.say(tr("A worker died; what it was at is begun anew ({titles})", titles=titles))

    def _exclude_worker(self, answer: Answer, worker: str) -> None:
        """Excludes a worker whose versions would play other games."""
        differences = ", ".join(answer.differences)
        if not self.cluster.exclude(worker):
            raise ClusterLost(
                tr(
                    "The workers on {node} would play other games than this program ({told}). Install there "
                    "what is installed here.",
                    node=answer.node,
                    told=differences,
                )
            )
        self._say_new(
            tr(
                "The worker {worker} on {node} is left out: it would play other games ({told}).",
                worker=worker,
                node=answer.node,
                told=differences,
            )
        )

    def _say_new(self, line: str) -> None:
        if line not in self.notices:
            self.notices.add(line)
            self.say(line)
