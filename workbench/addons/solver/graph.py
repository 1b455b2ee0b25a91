"""The graph of all states of a game that can be reached, in as little memory as may be, and what follows from it.

For each state the bytes that the family packs it into, the number of its moves and its value are kept, a hash table of
the states, and for each transition the number of the state that it leads to. Where the transitions do not fit into
memory they are left out and made again from the states in every pass, which takes far longer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.base.language import tr
from workbench.engine import contract, solver
from workbench.positions.game_state import apply_ply

GIB = 1 << 30
FOLLOWED = 600
"""Plies for which random play is followed one by one."""
PRECISION = 1e-9
"""Share of the games still going on after so many plies that may be missing from the result."""
ALIVE = 1e-17
"""Random play is followed until so small a share of the games goes on: less than a float shows of the rest."""
_EXPANDED, _SETTLED = 20_000, 4_000_000
"""States that are looked at in one call of compiled code, so that Ctrl-C is heard soon."""
_CHUNK = 1 << 22
"""Transitions that are kept in one array."""
_SAMPLED = 3_000
"""States of random games from which the memory is estimated."""
_LARGEST = (1 << 32) - 2
"""States that can be numbered."""
_LATER = 16
"""Bytes a state that are needed after the states are listed: to follow random play, or to tell positions apart."""


@dataclass(frozen=True)
class SolutionStep:
    """The progress of a solution."""

    stage: str
    """``states``, ``values``, ``random``, ``positions`` or ``proof``."""
    states: int
    """States that have been found."""
    detail: str
    share: float | None
    """The finished share of the stage, if known."""
    memory: int
    """Bytes in use for the graph."""


@dataclass(frozen=True)
class MemoryEstimate:
    """The memory that a solution takes, estimated from random games."""

    packed: int
    """Bytes of a packed state."""
    moves: float
    """Moves of a state."""

    @property
    def bytes_per_state(self) -> float:
        """Bytes that a state takes on average, with its transitions."""
        return self.bytes_without_transitions + 4 * self.moves

    @property
    def bytes_without_transitions(self) -> float:
        """Bytes that a state takes where transitions are made again in every pass."""
        # A hash table is between a third and two thirds full: 9 bytes a state on average, at 4 a place.
        return self.packed + 4 + 9 + _LATER


class TooLarge(Exception):
    """The limit of states or of memory would be passed."""

    def __init__(self, found: int, expanded: int, memory: bool) -> None:
        super().__init__()
        self.found, self.expanded, self.memory = found, expanded, memory


def format_gib(memory: float) -> str:
    """Return bytes in words."""
    return f"{memory / GIB:.1f} GiB" if memory >= GIB / 10 else f"{memory / (1 << 20):.1f} MiB"


def available_memory() -> int:
    """Return the free memory in bytes, 16 GiB if unknown."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            entries = dict(line.split(":", 1) for line in file)
        return int(entries["MemAvailable"].split()[0]) << 10
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 16 * GIB


def sample_states(rules: Any) -> tuple[MemoryEstimate, Any]:
    """Estimate the memory of states, and the layout in which states of random games fit.

    The layout has no rows where the family has a packing of its own.
    """
    moves = np.zeros(int(contract.max_moves(rules)), np.int32)
    state = np.zeros(int(contract.state_size(rules)), np.int64)
    chance = np.random.default_rng(1)
    contract.start(rules, state)
    total = plies = 0
    states = np.zeros((_SAMPLED, len(state)), np.int64)
    for number in range(_SAMPLED):
        states[number] = state
        n = int(contract.legal_moves(rules, state, moves))
        plies += 1
        if int(contract.outcome(rules, state, n)[0]) != contract.ONGOING or plies > 200:
            contract.start(rules, state)
            plies = 0
            continue
        total += n
        apply_ply(rules, state, int(moves[chance.integers(n)]))
    if contract.has_packing(rules):
        return MemoryEstimate(int(contract.packed_bytes(rules)), total / _SAMPLED), np.zeros((0, 3), np.int64)
    layout = fit_layout(states)
    return MemoryEstimate(packed_bytes(layout), total / _SAMPLED), layout


class StateGraph:
    """The states that can be reached from the start, in the order in which they are found.

    ``states`` holds them packed (uint8, a row each); for ``layout``, ``degrees`` and ``values`` see
    `workbench.engine.solver`.
    """

    def __init__(
        self, rules: Any, max_states: int, memory: int, progress: Callable[[SolutionStep], None] = lambda step: None
    ) -> None:
        self.rules, self.memory, self.progress = rules, memory, progress
        self.found = 0
        self.max_states = min(max_states, _LARGEST)
        self.width = int(contract.max_moves(rules))
        expected, self.layout = sample_states(rules)
        self.packed_bytes = expected.packed
        self.states: Any = self._allocate()
        self.degrees: Any = np.zeros(len(self.states), np.uint16)
        self.values: Any = np.zeros(len(self.states), np.int16)
        self.state = np.zeros(int(contract.state_size(rules)), np.int64)
        self.after = np.zeros_like(self.state)
        self.moves = np.zeros(self.width, np.int32)
        self.packed = np.zeros(self.packed_bytes, np.uint8)
        self.endings = np.zeros(solver.TERMINATIONS, np.int64)
        self.transitions = 0
        self.targets: list[tuple[int, int, Any]] | None = []
        """First state, last state but one, and the array of each chunk; None: they are made again in every pass."""
        contract.start(rules, self.state)
        solver.put_state(rules, self.layout, self.state, self.states[0])
        self.found = 1
        self._make_table(1 << 12)

    def _allocate(self) -> Any:
        """Return room for as many states as there may be; pages that are never written take no memory."""
        most = max(self.found, min(self.max_states, self.memory // (self.packed_bytes + 4)))
        return np.zeros((most + 2 * self.width, self.packed_bytes), np.uint8)

    def _widen_layout(self) -> None:
        """Pack all states anew in a layout that has room for the state in ``after``."""
        wider = widen_layout(self.layout, self.after)
        self.packed_bytes = packed_bytes(wider)
        packed, self.states, self.packed = self.states, self._allocate(), np.zeros(self.packed_bytes, np.uint8)
        solver.repack(self.rules, self.layout, packed, wider, self.states, self.found, self.state)
        self.layout = wider
        self._make_table(len(self.table))

    def _make_table(self, least: int) -> None:
        """Make a hash table of all states found, with at least so many places, less than two thirds full."""
        self.table: Any = np.zeros(0, np.uint32)
        places = least
        while 2 * (places // 3) <= self.found + self.width:
            places *= 2
        self.table = np.zeros(places, np.uint32)
        solver.index(self.states, self.table, self.found)

    def memory_used(self, later: bool = False) -> int:
        """Return the bytes of the graph, now or ``later``, once all states are listed."""
        kept = sum(int(array.nbytes) for _, _, array in self.targets or ())
        return self.found * (self.packed_bytes + 4 + (_LATER if later else 0)) + int(self.table.nbytes) + kept

    def report_progress(self, stage: str, detail: str, share: float | None = None) -> None:
        """Reports the progress."""
        self.progress(SolutionStep(stage, self.found, detail, share, self.memory_used()))

    def list_states(self) -> None:
        """Find all states and transitions.

        Raises:
            TooLarge: there are more states than were allowed, or more than the memory holds.
        """
        counters = np.zeros(4, np.int64)
        counters[solver.FOUND] = 1
        low, chunk = 0, self._chunk()
        while counters[solver.EXPANDED] < counters[solver.FOUND]:
            self.found = int(counters[solver.FOUND])
            expanded = int(counters[solver.EXPANDED])
            if self.found > self.max_states:
                raise TooLarge(self.found, expanded, memory=False)
            if self.found + self.width >= 2 * (len(self.table) // 3):
                if self.memory_used(later=True) + len(self.table) * 4 > self.memory:
                    self._drop_transitions(expanded)
                    if self.memory_used(later=True) + len(self.table) * 4 > self.memory:
                        raise TooLarge(self.found, expanded, memory=True)
                self._make_table(2 * len(self.table))
            if self.memory_used(later=True) > self.memory:
                self._drop_transitions(expanded)
            if self.targets is None:
                chunk = np.zeros(0, np.uint32)
            elif counters[solver.EDGES] + self.width > len(chunk):
                self.targets.append((low, expanded, chunk[: counters[solver.EDGES]]))
                self.transitions += int(counters[solver.EDGES])
                counters[solver.EDGES] = 0
                low, chunk = expanded, self._chunk()
            solver.expand(
                self.rules, self.layout, self.states, self.table, self.degrees, self.values, chunk, counters,
                self.endings, self.moves, self.state, self.after, self.packed, expanded + _EXPANDED,
            )  # fmt: skip
            if counters[solver.MISFITS]:
                counters[solver.MISFITS] = 0
                self.found = int(counters[solver.FOUND])
                self._widen_layout()
            self.report_progress("states", tr("{count:,} looked at", count=int(counters[solver.EXPANDED])))
        self.found = int(counters[solver.FOUND])
        if self.found > self.max_states:
            raise TooLarge(self.found, self.found, memory=False)
        self.transitions += int(counters[solver.EDGES])
        if self.targets is not None:
            self.targets.append((low, self.found, chunk[: counters[solver.EDGES]]))
        self.states, self.degrees = self.states[: self.found], self.degrees[: self.found]
        self.values = self.values[: self.found]

    def _chunk(self) -> Any:
        return np.empty(max(_CHUNK, 4 * self.width), np.uint32)

    def _drop_transitions(self, expanded: int) -> None:
        """Frees the memory of the transitions.

        Raises:
            TooLarge: this was done before, and the memory is full again.
        """
        if self.targets is None or self.found * (self.packed_bytes + 4 + _LATER) + self.table.nbytes > self.memory:
            raise TooLarge(self.found, expanded, memory=True)
        self.targets = None

    def transition_chunks(self) -> Iterator[tuple[int, int, Any]]:
        """Yield the transitions: first state, last state but one, and where their moves lead."""
        if self.targets is not None:
            yield from self.targets
            return
        buffer, low = self._chunk(), 0
        while low < self.found:
            high = solver.regenerate(
                self.rules, self.layout, self.states, self.table, self.degrees, buffer, low,
                min(low + _SETTLED, self.found), self.moves, self.state, self.after, self.packed,
            )  # fmt: skip
            yield low, high, buffer
            low = high

    def value_states(self) -> None:
        """Values every state backwards from the finished ones, a ply of best play in each pass."""
        going_on = int(np.count_nonzero(self.degrees))
        valued, known, settled = 0, 1, 1
        while settled and valued < going_on and known < solver.MOST_PLIES:
            settled = 0
            for low, high, targets in self.transition_chunks():
                settled += solver.settle(self.degrees, self.values, targets, low, high, known)
                text = tr("ply {known}: {valued:,} of {going_on:,} won or lost")
                detail = text.format(known=known, valued=valued + settled, going_on=going_on)
                self.report_progress("values", detail, high / self.found)
            valued += settled
            known += 1

    def random_step(self, now: Any) -> Any:
        """Return a distribution over states after another random move."""
        after = np.zeros(self.found)
        for low, high, targets in self.transition_chunks():
            solver.spread(self.degrees, targets, low, high, now, after)
        return after

    def random_play(self) -> tuple[Any, dict[str, float]]:
        """Return how random play ends, by plies (rows) and result, and in sum; endless games are ``unfinished``.

        The distribution over states is pushed on ply by ply: every number is a sum of positive terms. What still goes
        on after `FOLLOWED` plies is settled at once, by the expected number of visits to each state.
        """
        now, sums = np.zeros(self.found), np.zeros(4)
        now[0] = 1.0
        rows = []
        alive = 1.0
        while True:
            solver.tally(self.degrees, self.values, now, sums)
            rows.append(sums[:3].copy())
            alive = float(sums[3])
            share = min(1.0, max(len(rows) / FOLLOWED, np.log(max(alive, ALIVE)) / np.log(ALIVE)))
            detail = tr("ply {count}: {alive:.1e} of the games go on", count=len(rows) - 1, alive=alive)
            self.report_progress("random", detail, share)
            if alive <= ALIVE or len(rows) > FOLLOWED:
                break
            now = self.random_step(now)
        lengths = np.array(rows)
        first, second, draw = (float(part) for part in lengths.sum(axis=0))
        random = {"first": first, "second": second, "draw": draw}
        random["plies"] = float(lengths.sum(axis=1) @ np.arange(len(lengths)))
        if alive <= ALIVE:
            return lengths, random
        visits = self._expected_visits(now, alive)
        if visits is None:
            return lengths, random | {"unfinished": alive}
        solver.tally(self.degrees, self.values, visits, sums)
        for name, part in zip(("first", "second", "draw"), sums[:3], strict=True):
            random[name] += float(part)
        random["plies"] += (len(rows) - 1) * alive + float(sums[3])
        return lengths, random

    def _expected_visits(self, now: Any, alive: float) -> Any:
        """Return the expected visits to each state from a distribution on; None if they do not converge."""
        from scipy.sparse.linalg import LinearOperator, bicgstab

        left = np.where(self.degrees > 0, now, 0.0)
        system = LinearOperator((self.found, self.found), matvec=lambda x: np.ravel(x) - self.random_step(np.ravel(x)))
        visits, _ = bicgstab(
            system, left, rtol=1e-12, atol=0.0, maxiter=2_000,
            callback=lambda _: self.report_progress("random", tr("settling the games that go on")),
        )  # fmt: skip
        return visits if np.abs(system @ visits - left).sum() < PRECISION * alive else None

    def count_positions(self) -> int:
        """The number of positions, as the rule about repetition tells them apart; frees the transitions and table."""
        self.targets, self.table = None, np.zeros(0, np.uint32)
        keys = np.zeros(self.found, np.uint64)
        for low in range(0, self.found, _SETTLED):
            high = min(low + _SETTLED, self.found)
            solver.fill_keys(self.rules, self.layout, self.states, low, high, self.state, keys)
            detail = tr("{high:,} of {found:,}", high=high, found=self.found)
            self.report_progress("positions", detail, high / self.found)
        keys.sort()
        return 1 + int(np.count_nonzero(keys[1:] != keys[:-1]))


_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_WIDEST = 62
"""Bits of a word that is kept within limits; one that needs more is kept as it is."""


def fit_layout(states: Any) -> Any:
    """Return the layout (int64, words x 3; see `workbench.engine.solver`) in which some states fit, a row each."""
    first = states[0]
    layout = np.stack([first, first, np.zeros_like(first)], axis=1)
    for state in (states.min(axis=0), states.max(axis=0)):
        layout = widen_layout(layout, state)
    return layout


def widen_layout(layout: Any, state: Any) -> Any:
    """Return the layout with room for another state."""
    lines = zip(layout.tolist(), state.tolist(), strict=True)
    return np.array([_widen_range(low, high, bits, word) for (low, high, bits), word in lines], np.int64)


def packed_bytes(layout: Any) -> int:
    """Return the bytes of a state."""
    return int(layout[:, 2].sum() + 7) // 8


def _widen_range(low: int, high: int, bits: int, word: int) -> tuple[int, int, int]:
    """Return the limits and bits of a word with room for another value; the room grows towards it."""
    while not low <= word <= high:
        bits += 1
        if word > high:
            high = low + (1 << bits) - 1
        else:
            low = high - (1 << bits) + 1
        if bits > _WIDEST or low < _LEAST or high > _MOST:
            return _LEAST, _MOST, 64
    return low, high, bits
