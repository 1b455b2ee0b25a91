"""Where calls are made: in processes of this machine (loky), or by the workers of a Dask cluster (``--on``).

An `Executor` submits single calls; `Executor.as_completed` is what does not depend on where they are made. Few calls
are under way at a time, whatever their number, so the driver holds few arguments and results. What is under way when a
worker dies is begun anew; what was under way at two deaths is made alone, and named if a worker dies of that, too.
"""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import importlib.util
import itertools
import logging
import os
import pickle
import queue
import re
import signal
import time
import uuid
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from workbench.base.console import handle_signals, require_open_files
from workbench.base.errors import InputError, WorkbenchError, expected, input_error
from workbench.base.language import join, quoted, tr
from workbench.runs.worker import Call, Refusal, answer, begin_worker, engine_versions

Item = TypeVar("Item")
Say = Callable[[str], object]

ALONE, MAX_DEATHS = 2, 3
"""Deaths after which a call is made alone, and is given up."""
TOLD = 3
"""Calls that are named when a worker dies, at most."""
CALLS_PER_WORKER = 2
"""Calls that are handed out at a time, for each worker: the next one is there when one ends."""
MIN_CALLS_IN_FLIGHT = 4
"""Also while a cluster has no worker: those that grow by themselves do so for calls that wait."""
POLL_SECONDS = 1.0
"""Seconds between two looks at the cluster while nothing happens, and between two counts of its workers."""
PATIENCE = 3.0
"""Seconds without a worker after which the user is told that it is waited for."""
CONNECT_TIMEOUT = 10.0
"""Seconds that a scheduler has to answer."""
IDLE_SECONDS = 300
"""Seconds after which a process of this machine ends that has nothing to do."""
DEADLY = tr(
    "Workers died again and again while they were at {title}, alone, too. Usual causes: the machine ran out of memory "
    "(fewer workers need less), or something killed the process."
)
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
"""Each process has one core."""
OPEN_FILES, OPEN_FILES_OF_WORKER = 64, 8
"""Files that the parent process opens at a time, for itself and for each worker, and some to spare."""


class ExecutorLost(WorkbenchError):
    """Calls cannot be made: the cluster is gone, or workers died of one again and again; the text says why."""


@dataclass(eq=False)
class _Attempt(Generic[Item]):
    """A call that is under way, or is to be made again."""

    item: Item
    call: Call
    deaths: int = 0


class Executor:
    """Processes of this machine; if there is work for one alone, it is done in this process."""

    remote = False
    """True if the workers may be other machines, which have machine code of their own."""
    deaths = 1
    """The number of deaths that a lost call counts for."""

    def __init__(self, workers: int | None = None) -> None:
        """Have so many workers, or one for each core."""
        self._workers = self._busy = workers or os.cpu_count() or 1
        self._pool: Any = None
        self._losses = 0

    def size(self) -> int:
        """Return how many calls are made at a time, at present."""
        return self._workers

    def as_completed(
        self, items: Iterable[Item], call: Callable[[Item], Call], say: Say = lambda line: None
    ) -> Generator[tuple[Item, Any]]:
        """Yield each item with the value of its call, in the order in which these end; closing it gives up the rest.

        The ``call`` of an item is made up when it is needed. ``say`` tells the user of workers that died.

        Raises:
            ExecutorLost: the cluster is gone, or workers died of a call again and again.
        """
        items = list(items)
        # A worker without a call would only take time and memory to start.
        self._busy = min(self._workers, len(items))
        if self._busy <= 1 and not self.remote:
            for item in items:
                function, arguments, *_ = call(item)
                yield item, function(*arguments)
            return
        attempts = (_Attempt(item, call(item)) for item in items)
        again: collections.deque[_Attempt[Item]] = collections.deque()
        in_flight: dict[_Attempt[Item], Any] = {}
        ended: queue.SimpleQueue[_Attempt[Item]] = queue.SimpleQueue()
        try:
            while True:
                alone = any(each.deaths >= ALONE for each in (*in_flight, *again))
                while len(in_flight) < (1 if alone else self._ahead()):
                    attempt = again.popleft() if again else next(attempts, None)
                    if attempt is None:
                        break
                    future = in_flight[attempt] = self.submit(attempt.call)
                    future.add_done_callback(lambda _, attempt=attempt: ended.put(attempt))
                if not in_flight:
                    return
                try:
                    attempt = ended.get(timeout=POLL_SECONDS)
                except queue.Empty:
                    self._check(say)
                    continue
                if attempt not in in_flight:  # lost with another one
                    continue
                if lost := self._lost(attempt, in_flight):
                    for each in lost:
                        del in_flight[each]
                        each.deaths += self.deaths
                        if each.deaths >= MAX_DEATHS:
                            raise ExecutorLost(DEADLY.format(title=each.call.title))
                    again.extend(lost)
                    self._recover([each.call.title for each in lost], say)
                    continue
                value = self._result(in_flight.pop(attempt))
                if isinstance(value, Refusal):
                    self._refuse(value, say)
                    again.append(attempt)
                else:
                    yield attempt.item, value
        finally:
            if in_flight:
                self._cancel([*in_flight.values()])

    def submit(self, call: Call) -> Any:
        """Begin a call in one of the processes, which stay for the calls to come; returns its future."""
        from joblib.externals.loky.process_executor import BrokenProcessPool

        while True:
            pool = self._processes()
            with contextlib.suppress(BrokenProcessPool):
                if pool is not self._pool:
                    what = tr("a run with {workers} workers", workers=self._busy)
                    require_open_files(OPEN_FILES + OPEN_FILES_OF_WORKER * self._busy, what)
                    # One that has grown much while it compiled is replaced by another one, if psutil is installed.
                    warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
                    with handle_signals(signal.SIG_IGN, signal.SIGINT):
                        pool.submit(os.getpid)  # starts the processes
                    self._pool = pool
                return pool.submit(call.function, *call.arguments)

    def restart(self) -> None:
        """End all processes; the next call has new ones."""
        self._processes(reuse=False, kill_workers=True)

    def _processes(self, **options: bool) -> Any:
        from joblib.externals.loky import get_reusable_executor

        return get_reusable_executor(
            self._busy, timeout=IDLE_SECONDS, initializer=begin_worker, initargs=(os.getpid(),), env=ONE_THREAD,
            **options,
        )  # fmt: skip

    def _ahead(self) -> int:
        return CALLS_PER_WORKER * self._busy

    def _lost(self, ended: _Attempt[Item], in_flight: Mapping[_Attempt[Item], Any]) -> list[_Attempt[Item]]:
        """Return the calls that were lost as a worker died; none if the one that has ended was not."""
        from joblib.externals.loky.process_executor import BrokenProcessPool

        if not isinstance(in_flight[ended].exception(), BrokenProcessPool):
            return []
        # With a process all calls are lost that have not ended.
        done = concurrent.futures.wait(in_flight.values(), timeout=POLL_SECONDS).done
        broken = {future for future in done if isinstance(future.exception(), BrokenProcessPool)}
        return [each for each, future in in_flight.items() if future in broken]

    def _recover(self, titles: list[str], say: Say) -> None:
        """Tell the user of calls that are begun anew, and goes on with fewer processes."""
        told = join(", ", [*titles[:TOLD], *(["…"] if titles[TOLD:] else [])])
        say(tr("A worker died; what it was at is begun anew ({titles})", titles=told))
        self._losses += 1
        if self._losses >= ALONE and self._busy > 2:
            self._workers = self._busy = max(2, self._busy // 2)
            say(tr("Going on with {workers} workers, which need less memory.", workers=self._workers))

    def _result(self, future: Any) -> Any:
        return future.result()

    def _check(self, say: Say) -> None:
        """Look after the workers while nothing ends."""

    def _refuse(self, refusal: Refusal, say: Say) -> None:
        """Give a worker that would play other games no calls from now on."""

    def _cancel(self, futures: list[Any]) -> None:
        """Give up calls that are under way."""
        self.restart()


class DaskExecutor(Executor):
    """Workers of a Dask scheduler, which repeats the calls of those that died a few times before it gives one up."""

    remote = True
    deaths = ALONE

    def __init__(self, client: Any, name: str) -> None:
        """Have the workers of a client; ``name`` is what the user calls the cluster."""
        super().__init__()
        self.client, self.name = client, name
        self._run = uuid.uuid4().hex[:12]
        self._numbers = itertools.count()
        self._threads: dict[str, int] = {}
        self._refused: set[str] = set()
        self._files: dict[str, Any] = {}
        self._counted, self._seen = -1e9, time.monotonic()
        self._said: set[str] = set()

    def size(self) -> int:
        """Return the number of threads of all workers that play."""
        now = time.monotonic()
        if now - self._counted > POLL_SECONDS:
            with self._scheduler_errors():
                self._threads = self.client.nthreads()
            self._counted = now
        if size := sum(self._threads[worker] for worker in self._allowed()):
            self._seen = now
        return size

    def _allowed(self) -> list[str]:
        return [worker for worker in self._threads if worker not in self._refused]

    def submit(self, call: Call) -> Any:
        """Begin a call on one of the workers."""
        contents = [self._upload(path) for path in call.files]
        with self._scheduler_errors():
            return self.client.submit(
                # As bytes, so that Dask looks for nothing in it.
                answer, pickle.dumps(call._replace(title="")), engine_versions(call.families), *contents,
                key=f"workbench-{self._run}-{next(self._numbers)}", pure=False,
                workers=self._allowed() if self._refused else None,
            )  # fmt: skip

    def _upload(self, path: str) -> Any:
        """Return the content of a file, uploaded once for all calls."""
        if path not in self._files:
            while not self.size():
                time.sleep(POLL_SECONDS)
            with self._scheduler_errors():
                self._files[path] = self.client.scatter(Path(path).read_bytes(), broadcast=True)
        return self._files[path]

    def _ahead(self) -> int:
        return max(CALLS_PER_WORKER * self.size(), MIN_CALLS_IN_FLIGHT)

    def _lost(self, ended: _Attempt[Item], in_flight: Mapping[_Attempt[Item], Any]) -> list[_Attempt[Item]]:
        from distributed.scheduler import KilledWorker

        future = in_flight[ended]
        return [ended] if future.status == "error" and isinstance(future.exception(), KilledWorker) else []

    def _result(self, future: Any) -> Any:
        if future.status == "error":
            error = future.exception()
            if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "workbench":
                lacks = tr("A worker of {name} lacks the workbench of this version ({error}): install it there.")
                raise ExecutorLost(lacks.format(name=self.name, error=error)) from error
            raise error
        with self._scheduler_errors():
            if future.status != "finished":
                raise OSError(future.status)
            return future.result()

    def _check(self, say: Say) -> None:
        if self.client.status != "running":
            raise self._scheduler_lost()
        if not self.size() and time.monotonic() - self._seen > PATIENCE:
            waiting = tr("Waiting for workers of {cluster}: there are none at present.", cluster=self.name)
            self._say_new(waiting, say)

    def _refuse(self, refusal: Refusal, say: Say) -> None:
        self._refused.add(refusal.worker)
        told = ", ".join(refusal.differences)
        if not self.size():
            raise ExecutorLost(
                tr(
                    "The workers on {node} would play other games than this program ({told}). Install there "
                    "what is installed here.",
                    node=refusal.node,
                    told=told,
                )
            )
        left_out = tr("The worker {worker} on {node} is left out: it would play other games ({told}).")
        self._say_new(left_out.format(worker=refusal.worker, node=refusal.node, told=told), say)

    def _say_new(self, line: str, say: Say) -> None:
        if line not in self._said:
            self._said.add(line)
            say(line)

    def _cancel(self, futures: list[Any]) -> None:
        # A worker still finishes what it is at.
        with contextlib.suppress(Exception):
            if self.client.status == "running":
                self.client.cancel(futures, force=True)

    @contextlib.contextmanager
    def _scheduler_errors(self) -> Iterator[None]:
        """Raise `ExecutorLost` where the scheduler does not answer."""
        from distributed.client import FutureCancelledError

        try:
            yield
        except (OSError, FutureCancelledError, RuntimeError) as error:
            raise self._scheduler_lost() from error

    def _scheduler_lost(self) -> ExecutorLost:
        return ExecutorLost(
            tr(
                "The scheduler of {value} is gone, or no longer knows this run. The same command goes on without --on, "
                "too.",
                value=self.name,
            )
        )


# Addresses

EXPECTED_ADDRESS = tr("a Dask cluster: dask:local, dask:tcp://HOST:PORT, or dask:FILE.json (of a scheduler)")
_CLUSTER = re.compile(r"dask:(local|(tcp|tls|ws|wss)://[^\s/]+:[0-9]{1,5}|.*\.json)")


def _on_error(what: str, hint: str = "", option: str = "--on") -> InputError:
    return input_error(what, hint, key=option)


def parse_cluster_address(text: str) -> str:
    """Return the address in a text such as ``dask:tcp://host:8786``; ``local`` is a cluster started for the run.

    Raises:
        InputError: it names no cluster, or Dask is not installed.
    """
    match = _CLUSTER.fullmatch(text.strip())
    if match is None:
        raise _on_error(expected(EXPECTED_ADDRESS, quoted(text)), _address_hint(text))
    if importlib.util.find_spec("distributed") is None:
        hint = tr("to install it: pip install 'rule-workbench[dask]'")
        raise _on_error(tr("Dask is not installed here"), hint)
    return match[1]


def _address_hint(text: str) -> str:
    if re.fullmatch(r"(dask:)?(//)?[\w.-]+:[0-9]{1,5}", text):
        return tr("did you mean dask:tcp://{text}?", text=text.removeprefix("dask:").lstrip("/"))
    if re.match(r"(tcp|tls)://", text):
        return tr("did you mean dask:{text}?", text=text)
    return tr("did you mean dask:local?") if text in ("dask", "dask:", "dask:auto") else ""


@contextlib.contextmanager
def open_executor(on: str | None, workers: int | None = None) -> Iterator[Executor]:
    """Yield the executor of a cluster that a text names, as long as it is needed; without a text, of this machine.

    ``workers`` are the processes of this machine, or of a cluster that is started for the run.

    Raises:
        InputError: the text names no cluster, nobody answers there, or ``workers`` are asked of a cluster that has its
            own.
    """
    if not on:
        yield Executor(workers)
        return
    address, name = parse_cluster_address(on), on.strip()
    if workers and address != "local":
        what = tr("no number of workers beside the cluster {name}", name=name)
        raise _on_error(expected(what, workers), tr("the cluster has its own"), "--workers")
    import distributed

    # The run says itself what its user should know; these log, with tracebacks, that a scheduler is gone.
    for logger in [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado"))]:
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    where: dict[str, Any] = {"address": address}
    with contextlib.ExitStack() as stack:
        if address == "local":
            with handle_signals(signal.SIG_IGN, signal.SIGINT):
                where["address"] = distributed.LocalCluster(
                    n_workers=workers or os.cpu_count() or 1, threads_per_worker=1, dashboard_address=":0",
                    silence_logs=logging.CRITICAL,
                )  # fmt: skip
            stack.callback(where["address"].close)
        elif address.endswith(".json"):
            if not Path(address).is_file():
                raise _on_error(tr("there is no file {address}", address=address), tr("dask scheduler writes it"))
            where = {"scheduler_file": address}
        try:
            client = distributed.Client(**where, timeout=CONNECT_TIMEOUT, set_as_default=False)
        except (OSError, ValueError) as error:
            message = tr("no Dask scheduler answers at {address} ({name})", address=address, name=type(error).__name__)
            raise _on_error(message, tr("dask scheduler starts one")) from None
        stack.callback(client.close)
        try:
            yield DaskExecutor(client, name)
        finally:
            with handle_signals(signal.SIG_IGN, signal.SIGINT), contextlib.suppress(Exception):
                stack.close()
