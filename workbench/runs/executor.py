"""Execution of calls in processes of this machine (loky), or by the workers of a Dask cluster (``--on``).

Only a few calls are in flight at a time, so the driver holds few arguments and results. Calls that are lost when a
worker dies are retried; after a second death a call runs alone, and after a third it is reported.
"""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import functools
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
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from workbench.base.console import handle_signals, require_open_files
from workbench.base.errors import FAILED, WorkbenchError, expected, input_error
from workbench.base.language import join, quoted, tr, translated
from workbench.runs.worker import Call, Refusal, answer, begin_worker, engine_versions

if TYPE_CHECKING:
    from rich.console import Console

Item = TypeVar("Item")
Say = Callable[[str], object]

ALONE, MAX_DEATHS = 2, 3
"""Worker deaths after which a call runs alone, and after which it is given up."""
MOST_TITLES = 3
"""The most lost calls that a message names."""
CALLS_PER_WORKER = 2
"""Calls in flight per worker, so that the next one is ready when one ends."""
MIN_CALLS_IN_FLIGHT = 4
"""Calls in flight even without a worker, since adaptive clusters grow for waiting calls."""
POLL_SECONDS = 1.0
"""Seconds between checks of the cluster while nothing happens, and between counts of its workers."""
PATIENCE = 3.0
"""Seconds without a worker after which the user is informed."""
CONNECT_TIMEOUT = 10.0
"""Seconds for a scheduler to respond."""
IDLE_SECONDS = 300
"""Seconds after which an idle process of this machine ends."""
DEADLY = tr(
    "Workers repeatedly died during {title}, even when it ran alone. Usual causes: the machine ran out of "
    "memory (fewer workers need less), or something killed the process."
)
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
"""The environment of processes, each of which uses one core."""
OPEN_FILES, OPEN_FILES_OF_WORKER = 64, 8
"""Open files of the parent process, for itself and per worker, with a margin."""


class Stopped(WorkbenchError):
    """A run that ended early; the text tells the user why and what to do."""

    exit_code = FAILED


class ExecutorLost(WorkbenchError):
    """Calls cannot be executed: the cluster is gone, or workers died repeatedly during one."""


def format_duration(seconds: float) -> str:
    """Format a duration with a precision of about two digits."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return tr("{n} s", n=round(seconds))
    if minutes < 100:
        return tr("{n} min", n=minutes)
    return tr("{hours} h {minutes} min", hours=f"{minutes // 60:,}", minutes=minutes % 60)


@contextlib.contextmanager
def terminal_bar(console: Console | None, total: float, counts: str, *fields: str) -> Iterator[Callable[..., None]]:
    """Show a progress bar if ``console`` is a terminal; yield a function that updates ``completed`` and ``fields``.

    ``counts`` is the template of the counts, with fields of rich's ``task``.
    """
    if console is None or not console.is_terminal:
        yield lambda **values: None
        return
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    texts = ("{task.percentage:>3.0f}%", translated(counts), *(f"{{task.fields[{name}]}}" for name in fields))
    with Bar(BarColumn(), *map(TextColumn, texts), console=console, transient=True) as bar:
        blank: dict[str, Any] = dict.fromkeys(fields, "")
        task = bar.add_task("", total=total, **blank)

        def update(**values: Any) -> None:
            bar.update(task, **values | {name: translated(values[name]) for name in fields})

        yield update


@dataclass(eq=False)
class _Attempt(Generic[Item]):
    """A call that is in flight or will be retried."""

    item: Item
    call: Call
    deaths: int = 0


class Executor:
    """Executes calls in processes of this machine, or in this process if one suffices."""

    remote = False
    """True if workers may be other machines, which compile their own code."""
    deaths = 1
    """The number of worker deaths that a lost call counts as."""

    def __init__(self, workers: int | None = None) -> None:
        """Use a number of workers, by default one per core."""
        self._workers = self._busy = workers or os.cpu_count() or 1
        self._pool: Any = None
        self._losses = 0

    def size(self) -> int:
        """Return the current number of parallel calls."""
        return self._workers

    def as_completed(
        self, items: Iterable[Item], call: Callable[[Item], Call], say: Say = lambda line: None
    ) -> Generator[tuple[Item, Any]]:
        """Yield each item with the value of its call, in order of completion; closing the generator cancels the rest.

        ``call`` is evaluated lazily. ``say`` receives messages about dead workers.

        Raises:
            ExecutorLost: the cluster is gone, or workers died repeatedly during a call.
        """
        items = list(items)
        # Idle workers would cost time and memory to start.
        self._busy = min(self._workers, len(items))
        if self._busy <= 1 and not self.remote:
            for item in items:
                function, arguments, *_ = call(item)
                yield item, function(*arguments)
            return
        attempts = (_Attempt(item, call(item)) for item in items)
        retries: collections.deque[_Attempt[Item]] = collections.deque()
        in_flight: dict[_Attempt[Item], Any] = {}
        ended: queue.SimpleQueue[_Attempt[Item]] = queue.SimpleQueue()
        try:
            while True:
                runs_alone = any(attempt.deaths >= ALONE for attempt in (*in_flight, *retries))
                while len(in_flight) < (1 if runs_alone else self._max_in_flight()):
                    attempt = retries.popleft() if retries else next(attempts, None)
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
                if attempt not in in_flight:  # already recorded as lost
                    continue
                if lost := self._lost(attempt, in_flight):
                    for lost_attempt in lost:
                        del in_flight[lost_attempt]
                        lost_attempt.deaths += self.deaths
                        if lost_attempt.deaths >= MAX_DEATHS:
                            raise ExecutorLost(DEADLY.format(title=lost_attempt.call.title))
                    retries.extend(lost)
                    self._recover([lost_attempt.call.title for lost_attempt in lost], say)
                    continue
                value = self._result(in_flight.pop(attempt))
                if isinstance(value, Refusal):
                    self._refuse(value, say)
                    retries.append(attempt)
                else:
                    yield attempt.item, value
        finally:
            if in_flight:
                self._cancel([*in_flight.values()])

    def submit(self, call: Call) -> Any:
        """Submit a call to the processes, which are reused, and return its future."""
        from joblib.externals.loky.process_executor import BrokenProcessPool

        while True:
            pool = self._processes()
            with contextlib.suppress(BrokenProcessPool):
                if pool is not self._pool:
                    run_title = tr("a run with {workers} workers", workers=self._busy)
                    require_open_files(OPEN_FILES + OPEN_FILES_OF_WORKER * self._busy, run_title)
                    # With psutil, loky replaces processes whose memory grew while compiling.
                    warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
                    with handle_signals(signal.SIG_IGN, signal.SIGINT):
                        pool.submit(os.getpid)  # start the processes
                    self._pool = pool
                return pool.submit(call.function, *call.arguments)

    def restart(self) -> None:
        """End all processes; the next call starts new ones."""
        self._processes(reuse=False, kill_workers=True)

    def _processes(self, **options: bool) -> Any:
        from joblib.externals.loky import get_reusable_executor

        return get_reusable_executor(
            self._busy, timeout=IDLE_SECONDS, initializer=begin_worker, initargs=(os.getpid(),), env=ONE_THREAD,
            **options,
        )  # fmt: skip

    def _max_in_flight(self) -> int:
        return CALLS_PER_WORKER * self._busy

    def _lost(self, ended: _Attempt[Item], in_flight: Mapping[_Attempt[Item], Any]) -> list[_Attempt[Item]]:
        """Return the calls lost to a dead worker if ``ended`` is one of them, else an empty list."""
        from joblib.externals.loky.process_executor import BrokenProcessPool

        if not isinstance(in_flight[ended].exception(), BrokenProcessPool):
            return []
        # A dead process takes all unfinished calls with it.
        finished = concurrent.futures.wait(in_flight.values(), timeout=POLL_SECONDS).done
        broken = {future for future in finished if isinstance(future.exception(), BrokenProcessPool)}
        return [attempt for attempt, future in in_flight.items() if future in broken]

    def _recover(self, titles: list[str], say: Say) -> None:
        """Report the calls that will be retried, and reduce the number of processes after repeated losses."""
        named_titles = join(", ", [*titles[:MOST_TITLES], *(["…"] if titles[MOST_TITLES:] else [])])
        say(tr("A worker died; restarting its work ({titles})", titles=named_titles))
        self._losses += 1
        if self._losses >= ALONE and self._busy > 2:
            self._workers = self._busy = max(2, self._busy // 2)
            say(tr("Continuing with {workers} workers, which need less memory.", workers=self._workers))

    def _result(self, future: Any) -> Any:
        return future.result()

    def _check(self, say: Say) -> None:
        """Check the workers when no call has ended for a while."""

    def _refuse(self, refusal: Refusal, say: Say) -> None:
        """Exclude a worker with a different engine."""

    def _cancel(self, futures: list[Any]) -> None:
        self.restart()


class DaskExecutor(Executor):
    """Executes calls on a Dask cluster, whose scheduler retries lost calls a few times itself."""

    remote = True
    deaths = ALONE

    def __init__(self, client: Any, name: str) -> None:
        """Use the workers of a client; ``name`` is the cluster's name as given by the user."""
        super().__init__()
        self.client, self.name = client, name
        self._run = uuid.uuid4().hex[:12]
        self._numbers = itertools.count()
        self._threads: dict[str, int] = {}
        self._refused: set[str] = set()
        self._files: dict[str, Any] = {}
        self._last_count, self._last_worker = -1e9, time.monotonic()
        self._messages: set[str] = set()

    def size(self) -> int:
        """Return the number of threads of all usable workers."""
        now = time.monotonic()
        if now - self._last_count > POLL_SECONDS:
            with self._scheduler_errors():
                self._threads = self.client.nthreads()
            self._last_count = now
        if size := sum(self._threads[worker] for worker in self._allowed()):
            self._last_worker = now
        return size

    def _allowed(self) -> list[str]:
        return [worker for worker in self._threads if worker not in self._refused]

    def submit(self, call: Call) -> Any:
        """Submit a call to the workers, and return its future."""
        contents = [self._upload(path) for path in call.files]
        with self._scheduler_errors():
            return self.client.submit(
                # As bytes, which Dask does not inspect.
                answer, pickle.dumps(call._replace(title="")), engine_versions(call.families), *contents,
                key=f"workbench-{self._run}-{next(self._numbers)}", pure=False,
                workers=self._allowed() if self._refused else None,
            )  # fmt: skip

    def _upload(self, path: str) -> Any:
        """Return a future for the content of a file, which is uploaded once for all calls."""
        if path not in self._files:
            while not self.size():
                time.sleep(POLL_SECONDS)
            with self._scheduler_errors():
                self._files[path] = self.client.scatter(Path(path).read_bytes(), broadcast=True)
        return self._files[path]

    def _max_in_flight(self) -> int:
        return max(CALLS_PER_WORKER * self.size(), MIN_CALLS_IN_FLIGHT)

    def _lost(self, ended: _Attempt[Item], in_flight: Mapping[_Attempt[Item], Any]) -> list[_Attempt[Item]]:
        from distributed.scheduler import KilledWorker

        future = in_flight[ended]
        return [ended] if future.status == "error" and isinstance(future.exception(), KilledWorker) else []

    def _result(self, future: Any) -> Any:
        if future.status == "error":
            error = future.exception()
            if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "workbench":
                message = tr(
                    "A worker of {name} does not have this version of the workbench ({error}): install it there."
                )
                raise ExecutorLost(message.format(name=self.name, error=error)) from error
            raise error
        with self._scheduler_errors():
            if future.status != "finished":
                raise OSError(future.status)
            return future.result()

    def _check(self, say: Say) -> None:
        if self.client.status != "running":
            raise self._scheduler_lost()
        if not self.size() and time.monotonic() - self._last_worker > PATIENCE:
            self._say_once(tr("Waiting for workers of {cluster}: none are available.", cluster=self.name), say)

    def _refuse(self, refusal: Refusal, say: Say) -> None:
        self._refused.add(refusal.worker)
        fields = {"worker": refusal.worker, "node": refusal.node, "differences": ", ".join(refusal.differences)}
        if not self.size():
            text = tr(
                "The workers on {node} would not play the same games as this program ({differences}). Install "
                "the same versions there."
            )
            raise ExecutorLost(text.format(**fields))
        text = tr("The worker {worker} on {node} is excluded because it would play different games ({differences}).")
        self._say_once(text.format(**fields), say)

    def _say_once(self, line: str, say: Say) -> None:
        if line not in self._messages:
            self._messages.add(line)
            say(line)

    def _cancel(self, futures: list[Any]) -> None:
        # Workers finish their current call.
        with contextlib.suppress(Exception):
            if self.client.status == "running":
                self.client.cancel(futures, force=True)

    @contextlib.contextmanager
    def _scheduler_errors(self) -> Iterator[None]:
        """Raise `ExecutorLost` if the scheduler does not respond."""
        from distributed.client import FutureCancelledError

        try:
            yield
        except (OSError, FutureCancelledError, RuntimeError) as error:
            raise self._scheduler_lost() from error

    def _scheduler_lost(self) -> ExecutorLost:
        text = tr(
            "The scheduler of {name} is gone or has lost this run. The same command without --on also continues it."
        )
        return ExecutorLost(text.format(name=self.name))


EXPECTED_ADDRESS = tr("a Dask cluster: dask:local, dask:tcp://HOST:PORT, or dask:FILE.json (written by a scheduler)")
_CLUSTER = re.compile(r"dask:(local|(tcp|tls|ws|wss)://[^\s/]+:[0-9]{1,5}|.*\.json)")
_on_error = functools.partial(input_error, key="--on")


def parse_cluster_address(text: str) -> str:
    """Return the address in, for example, ``dask:tcp://host:8786``; raise `InputError` without a valid one or Dask."""
    match = _CLUSTER.fullmatch(text.strip())
    if match is None:
        hint = tr("did you mean dask:local?") if text in ("dask", "dask:", "dask:auto") else ""
        if re.fullmatch(r"(dask:)?(//)?[\w.-]+:[0-9]{1,5}", text):
            hint = tr("did you mean dask:tcp://{text}?", text=text.removeprefix("dask:").lstrip("/"))
        elif re.match(r"(tcp|tls)://", text):
            hint = tr("did you mean dask:{text}?", text=text)
        raise _on_error(expected(EXPECTED_ADDRESS, quoted(text)), hint)
    if importlib.util.find_spec("distributed") is None:
        hint = tr("to install it: pip install 'rule-workbench[dask]'")
        raise _on_error(tr("Dask is not installed here"), hint)
    return match[1]


@contextlib.contextmanager
def open_executor(on: str | None, workers: int | None = None) -> Iterator[Executor]:
    """Yield the executor for the cluster ``on`` or this machine, and close it when the context ends.

    ``workers`` is the number of processes of this machine or of a local cluster.

    Raises:
        InputError: ``on`` is not a cluster, does not respond, or is an existing cluster and ``workers`` is set.
    """
    if not on:
        yield Executor(workers)
        return
    address, name = parse_cluster_address(on), on.strip()
    if workers and address != "local":
        expectation = tr("no number of workers for the cluster {name}", name=name)
        raise input_error(expected(expectation, workers), tr("the cluster has its own"), key="--workers")
    import distributed

    # These loggers show tracebacks when a scheduler is gone, which the run reports itself.
    for logger in [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado"))]:
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    connection: dict[str, Any] = {"address": address}
    with contextlib.ExitStack() as stack:
        if address == "local":
            with handle_signals(signal.SIG_IGN, signal.SIGINT):
                connection["address"] = distributed.LocalCluster(
                    n_workers=workers or os.cpu_count() or 1, threads_per_worker=1, dashboard_address=":0",
                    silence_logs=logging.CRITICAL,
                )  # fmt: skip
            stack.callback(connection["address"].close)
        elif address.endswith(".json"):
            if not Path(address).is_file():
                raise _on_error(tr("there is no file {address}", address=address), tr("'dask scheduler' writes it"))
            connection = {"scheduler_file": address}
        try:
            client = distributed.Client(**connection, timeout=CONNECT_TIMEOUT, set_as_default=False)
        except (OSError, ValueError) as error:
            message = tr("no Dask scheduler responds at {address} ({name})", address=address, name=type(error).__name__)
            raise _on_error(message, tr("'dask scheduler' starts one")) from None
        stack.callback(client.close)
        try:
            yield DaskExecutor(client, name)
        finally:
            with handle_signals(signal.SIG_IGN, signal.SIGINT), contextlib.suppress(Exception):
                stack.close()
