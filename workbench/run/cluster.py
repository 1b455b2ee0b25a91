"""Calls on the workers of a cluster, see `workbench.run.places`.

A `Cluster` hands single calls out and says what became of them; `results` is what does not depend on the cluster. At
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
AHEAD = 2
"""Calls that are handed out at a time, for each worker: the next one is there when one ends."""
FEWEST_AHEAD = 4
"""Also while there is no worker: clusters that grow by themselves do so for calls that wait."""
WAIT = 1.0
"""Seconds between two looks at the cluster while nothing happens."""
PATIENCE = 3.0
"""Seconds without a worker after which the user is told that it is waited for."""


class ClusterLost(WorkbenchError):
    """The cluster is gone, or cannot play; the text says why. What is on disk is not touched."""


class Died(NamedTuple):
    """A worker died while it was at a call."""

    number: int
    again: bool
    """Whether it must be submitted anew; otherwise the cluster itself has seen to that."""


class Failed(NamedTuple):
    """A call raised."""

    number: int
    error: BaseException


class Done(NamedTuple):
    """A call was answered."""

    number: int
    answer: Answer
    worker: str
    """As the cluster calls it."""


class Told(NamedTuple):
    """A worker told something before the answer is there; see `node.Tell`."""

    number: int
    what: str
    text: str


Event = Died | Failed | Done | Told


class Cluster(Protocol):
    """Workers somewhere, and what becomes of the calls that they are given."""

    name: str
    """As the user wrote it."""

    def size(self) -> int:
        """How many calls are played at a time, at present; 0: there is no worker.

        Raises:
            ClusterLost: nobody answers.
        """

    def share(self, content: bytes) -> Any:
        """What stands for content that many calls need; it is sent to each worker once."""

    def submit(self, number: int, call: Call, contents: Sequence[Any]) -> None:
        """Hands out a call; ``contents`` are what `share` gave for its files."""

    def events(self, seconds: float) -> list[Event]:
        """What has happened, as soon as something has, or nothing after so many seconds.

        Raises:
            ClusterLost: nobody answers.
        """

    def exclude(self, worker: str) -> bool:
        """Gives a worker no calls from now on; False if none is left."""

    def drop(self) -> None:
        """Gives up all calls that are under way."""

    def close(self) -> None:
        """Leaves the cluster; one that was started for this run ends."""


@dataclass(frozen=True)
class Work:
    """A call and what it is for."""

    item: Any
    call: Call


def results(
    cluster: Cluster,
    calls: Iterator[Work],
    say: Callable[[str], object],
    gives_up: Callable[[Any], Exception],
    title: Callable[[Any], str],
    told: Callable[[Any, str], object] = lambda item, share: None,
) -> Generator[tuple[Any, Any]]:
    """The item and the value of each call, in the order in which they are answered; closing it gives up the rest.

    ``calls`` is asked for the next one when it is needed. ``say`` tells the user of workers that died, or cannot play,
    and ``told`` is given the share of a call that is done, where calls tell it.

    Raises:
        ClusterLost: the cluster is gone, or none of its workers plays the games that this program would play.
        Exception: what a call raised; or what ``gives_up`` says of an item that killed `MAX_DEATHS` workers.
    """
    sharing = _Sharing(cluster, say, gives_up, title, told)
    try:
        yield from sharing.results(calls)
    finally:
        cluster.drop()


class _Sharing:
    """One call of `results`."""

    def __init__(
        self,
        cluster: Cluster,
        say: Callable[[str], object],
        gives_up: Callable[[Any], Exception],
        title: Callable[[Any], str],
        told: Callable[[Any, str], object],
    ) -> None:
        self.cluster, self.say, self.gives_up, self.title, self.told = cluster, say, gives_up, title, told
        self.flying: dict[int, Work] = {}
        self.deaths: collections.Counter[int] = collections.Counter()
        self.shared: dict[str, Any] = {}
        self.said: set[str] = set()
        self.alone_since: float | None = None

    def results(self, calls: Iterator[Work]) -> Generator[tuple[Any, Any]]:
        number = 0
        while True:
            size = self._size()
            while len(self.flying) < max(AHEAD * size, FEWEST_AHEAD):
                work = next(calls, None)
                if work is None:
                    break
                self.flying[number] = work
                self._submit(number)
                number += 1
            if not self.flying:
                return
            events = self.cluster.events(WAIT)
            self._tell_deaths([event for event in events if isinstance(event, Died)])
            for event in events:
                work = self.flying.get(event.number)
                if work is None:
                    continue
                match event:
                    case Failed(error=error):
                        raise error
                    case Done(answer=answer, worker=worker) if answer.differences:
                        self._leave_out(answer, worker)
                        self._submit(event.number)
                    case Done(answer=answer):
                        del self.flying[event.number]
                        yield work.item, answer.value
                    case Told(what=node.SHARE, text=share):
                        self.told(work.item, share)
                    case Told(what=node.COMPILES, text=where):
                        self._say_once(
                            tr("Preparing the games on {where} (takes a while after an installation)", where=where)
                        )

    def _size(self) -> int:
        size = self.cluster.size()
        if size:
            self.alone_since = None
            return size
        now = time.monotonic()
        if self.alone_since is None:
            self.alone_since = now
        if now - self.alone_since > PATIENCE:
            self._say_once(
                tr("Waiting for workers of {cluster}: there are none at present.", cluster=self.cluster.name)
            )
        return 0

    def _submit(self, number: int) -> None:
        call = self.flying[number].call
        for path in call.files:
            if path not in self.shared:
                with open(path, "rb") as file:
                    self.shared[path] = self.cluster.share(file.read())
        self.cluster.submit(number, call, [self.shared[path] for path in call.files])

    def _tell_deaths(self, deaths: Sequence[Died]) -> None:
        """Counts workers that died, and has their calls played again."""
        mourned = [each for each in deaths if each.number in self.flying]
        for each in mourned:
            self.deaths[each.number] += 1
            if self.deaths[each.number] >= MAX_DEATHS:
                raise self.gives_up(self.flying[each.number].item)
            if each.again:
                self._submit(each.number)
        if mourned:
            titles = ", ".join(dict.fromkeys(self.title(self.flying[each.number].item) for each in mourned))
            self.say(tr("A worker died; what it was at is begun anew ({titles})", titles=titles))

    def _leave_out(self, answer: Answer, worker: str) -> None:
        """Leaves out a worker that would play other games."""
        told = ", ".join(answer.differences)
        if not self.cluster.exclude(worker):
            raise ClusterLost(
                tr(
                    "The workers on {node} would play other games than this program ({told}). Install there "
                    "what is installed here.",
                    node=answer.node,
                    told=told,
                )
            )
        self._say_once(
            tr(
                "The worker {worker} on {node} is left out: it would play other games ({told}).",
                worker=worker,
                node=answer.node,
                told=told,
            )
        )

    def _say_once(self, line: str) -> None:
        if line not in self.said:
            self.said.add(line)
            self.say(line)
