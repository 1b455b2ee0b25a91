"""Exact solutions: the values of all reachable states, and the exact result of random play.

A ruleset can be solved if its reachable states fit into memory. `solve_ruleset` lists the states, values them by
retrograde analysis (K. Thompson, "Retrograde analysis of certain endgames", ICCA Journal 9, 1986), and propagates the
distribution over states in random play (an absorbing Markov chain: J. G. Kemeny and J. L. Snell, "Finite Markov
Chains", 1960). `StateGraph` stores each state's packed bytes, number of moves and value, a hash table of the states,
and the target state of each transition. Transitions that do not fit into memory are regenerated in every pass, which
is much slower.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from workbench import games
from workbench.base import output
from workbench.base.errors import InputError, WorkbenchError, input_error
from workbench.base.language import tr
from workbench.base.project import Project
from workbench.engine import contract, solver
from workbench.games.results import RESULTS, all_endings
from workbench.players.library import (
    SOLUTIONS_FILE,
    Book,
    ExactResult,
    players_value,
    read_exact_results,
    solution_path,
)
from workbench.positions.game_state import GameState, apply_ply
from workbench.rules.rulesets import Ruleset

GIB = 1 << 30
MAX_STATES = 2_000_000
DEFAULT_MEMORY = 16 * GIB


@dataclass(frozen=True)
class Solution:
    """A ruleset's exact result with the value of every state."""

    exact: ExactResult
    rules: Any
    packed: Any
    """uint8: packed states in the order of discovery, starting with the initial state."""
    layout: Any
    """The packing layout for families that do not define one; see `workbench.engine.solver`."""
    ends: Any
    """int16: values of the states; see `workbench.engine.solver`."""
    lengths: Any
    """float64: probabilities of random play's results, plies x (first, second, draw); None if not computed."""

    @functools.cached_property
    def book(self) -> Book:
        """The hashes and values of all states."""
        hashes = np.zeros(len(self.packed), np.uint64)
        buffer = np.zeros(int(contract.packed_bytes(self.rules)), np.uint8)
        state = np.zeros(int(contract.state_size(self.rules)), np.int64)
        solver.hash_stored(self.rules, self.layout, self.packed, state, buffer, hashes)
        order = np.argsort(hashes)
        hashes = hashes[order]
        if (hashes[1:] == hashes[:-1]).any():
            raise WorkbenchError(
                tr(
                    "two states of {ruleset} have the same hash, so its solution cannot be saved",
                    ruleset=self.exact.ruleset,
                )
            )
        ends = self.ends[order].astype(np.int32)
        values = np.sign(ends) * (solver.LONGEST + 1) - ends
        values[(ends == 0) | (ends == solver.DRAWN)] = 0
        return hashes, values

    @functools.cached_property
    def states(self) -> Any:
        """The unpacked states, int64, states x words."""
        states = np.zeros((len(self.packed), int(contract.state_size(self.rules))), np.int64)
        solver.get_states(self.rules, self.layout, self.packed, states)
        return states


def solve_ruleset(
    ruleset: Ruleset, max_states: int = MAX_STATES, progress: Callable[[SolutionStep], None] = lambda step: None, *,
    memory: int = DEFAULT_MEMORY, random: bool = True,
) -> Solution:  # fmt: skip
    """Solve a ruleset from its initial state.

    A rule that makes repetition a draw is ignored because a forced win needs no repetition. Random play is not computed
    under such a rule, on which it depends, under rules with swaps, or if ``random`` is false. Under rules with swaps,
    the result refers to players and the values of states to sides.

    Raises:
        InputError: more than ``max_states`` states are reachable, they do not fit into ``memory`` bytes, or repetition
            can win or lose.
    """
    rules = ruleset.rules()
    repeats = bool(contract.counts_positions(rules))
    if repeats and not contract.repetition_draws(rules):
        reason = tr("repeating a position can lose the game, so every state would have to include its history")
        hint = tr(
            "choose rules under which repetition is a draw or does not end the game; see the kernel's repetition_draws"
        )
        raise unsolvable(ruleset, reason, hint)
    graph = StateGraph(rules, max_states, memory, progress)
    try:
        graph.list_states()
    except TooLarge as limit:
        counts = tr("{found:,} states were found, {expanded:,} of which were expanded")
        counts = counts.format(found=limit.found, expanded=limit.expanded)
        if limit.memory:
            reason = tr("more than {in_gib} of memory is needed; {found}", in_gib=format_gib(memory), found=counts)
            hint = tr("--memory raises the limit; a smaller board or fewer men reduce the number of states")
        else:
            reason = tr("more than {max_states:,} states are reachable; {found}", max_states=max_states, found=counts)
            hint = tr("--max-states raises the limit; a smaller board or fewer men reduce the number of states")
        raise unsolvable(ruleset, reason, hint) from None
    lengths, random_results = graph.random_play() if random and not repeats else (None, None)
    graph.value_states()
    endings = all_endings(games.declaration(ruleset.game))
    value = int(graph.values[0])
    is_draw = value in (0, solver.DRAWN)
    # Endless repetition is a draw, which the rules may count as a win for a side.
    draw_result = int(rules.draw_value) if repeats else contract.DRAW
    exact = ExactResult(
        ruleset.name, ruleset.fingerprint,
        value=RESULTS[draw_result if is_draw else contract.FIRST if value > 0 else contract.SECOND],
        plies=None if is_draw else abs(value) - 1, positions=graph.count_positions(), states=graph.found,
        transitions=graph.transitions,
        terminals={endings[code].name: number for code, number in enumerate(graph.endings.tolist()) if number},
        random=random_results,
    )  # fmt: skip
    solution = Solution(exact, rules, graph.states, graph.layout, graph.values, lengths)
    if not ruleset.swap_ply:
        return solution
    value = players_value(GameState(ruleset.game, ruleset.codes()), solution.book, {})
    plies = solver.LONGEST - abs(value) if abs(value) > solver.LONGEST // 2 else None
    winner = RESULTS[contract.DRAW if value == 0 else contract.FIRST if value > 0 else contract.SECOND]
    return replace(solution, exact=replace(exact, value=winner, plies=plies, random=None))


def unsolvable(ruleset: Ruleset, reason: str, hint: str) -> InputError:
    """Return the error for a ruleset that cannot be solved, with a hint."""
    return input_error(tr("{ruleset} cannot be solved: {reason}", ruleset=ruleset.name, reason=reason), hint)


def save_solution(solution: Solution, ruleset: Ruleset, project: Project) -> list[Path]:
    """Save the values for the agent `optimal` and the exact result for reports; return the files."""
    file = solution_path(ruleset, project)
    index = file.with_name(SOLUTIONS_FILE)
    files = [path.name for path in file.parent.glob("*.npz")]
    existing = [SOLUTIONS_FILE, *files] if read_exact_results(index) else None
    output.claim_folder(file.parent, [file.name, SOLUTIONS_FILE], existing)
    with output.atomic_write(file) as stream:
        hashes, values = solution.book
        np.savez(stream, words=hashes, values=values)
    entries = {exact.fingerprint: exact for exact in read_exact_results(index)} | {ruleset.fingerprint: solution.exact}
    content = [
        {"ruleset": exact.ruleset, "fingerprint": exact.fingerprint} | exact.as_json()
        for exact in sorted(entries.values(), key=lambda exact: exact.ruleset)
    ]
    output.write_file(index, (json.dumps(content, indent=1) + "\n").encode())
    return [file, index]


MOST_MEMORY = GIB
ROUND = 50_000
"""The number of positions between progress reports."""
PLIES = 128
"""The initial limit of the search depth."""
PLACE = 20


@dataclass(frozen=True)
class Proof:
    """A ruleset's result with best play."""

    value: str
    """``first``, ``second`` or ``draw``."""
    looked_at: int
    """The number of positions searched, including repetitions."""


def prove_value(ruleset: Ruleset, memory: int, progress: Callable[[SolutionStep], None] = lambda step: None) -> Proof:
    """Prove a ruleset's result with best play, using a table of at most ``memory`` bytes."""
    if ruleset.swap_ply:
        hint = tr("use the rules without the swap: with it, the second player can always at least draw")
        raise unsolvable(ruleset, tr("the players may swap sides"), hint)
    looked_at = 0
    for seat, value in enumerate(("first", "second")):
        wins, searched = _prove_win(ruleset, seat, memory, progress, looked_at)
        looked_at += searched
        if wins:
            return Proof(value, looked_at)
    return Proof("draw", looked_at)


def _prove_win(
    ruleset: Ruleset, seat: int, memory: int, progress: Callable[[SolutionStep], None], searched_before: int
) -> tuple[bool, int]:
    rules, seats = ruleset.rules(), games.declaration(ruleset.game).seats
    width = int(contract.max_moves(rules))
    places = 1 << max(10, (memory // PLACE).bit_length() - 1)
    words, table = np.zeros(places, np.uint64), np.zeros((places, 3), np.uint32)
    packed, buffer = np.zeros(int(contract.packed_bytes(rules)), np.uint8), np.zeros(width, np.int32)
    search, plies, searched_states = np.zeros(4, np.int64), PLIES, 0
    while True:
        states = np.zeros((plies, int(contract.state_size(rules))), np.int64)
        moves, children = np.zeros((plies, width), np.int32), np.zeros((plies, width), np.uint64)
        numbers, hashes = np.zeros((plies, width, 2), np.int64), np.zeros(plies, np.uint64)
        path = np.zeros((plies, 5), np.int64)
        contract.start(rules, states[0])
        solver.begin(rules, states, hashes, path, packed, search)
        while search[solver.END] == solver.SEARCHING:
            limit = int(search[solver.SEARCHED]) + ROUND
            solver.prove(
                rules, seat, False, states, moves, children, numbers, hashes, path, words, table, packed, buffer,
                search, limit,
            )  # fmt: skip
            # Entries are distributed evenly, which makes a part representative of the table.
            filled = float(np.mean(words[: 1 << 12] != 0))
            detail = tr("can {seat} win? table {filled:.0%} full", seat=seats[seat], filled=filled)
            searched = searched_before + searched_states + int(search[solver.SEARCHED])
            progress(SolutionStep("proof", searched, detail, None, int(places * PLACE * filled)))
        searched_states += int(search[solver.SEARCHED])
        if search[solver.END] != solver.TOO_DEEP:
            break
        plies *= 2  # the next attempt is short, thanks to the table
    if search[solver.END] == solver.RECURS:
        reason = tr("positions can repeat")
        raise unsolvable(ruleset, reason, tr("solve these rules without --forward"))
    return bool(search[solver.END] == solver.PROVED), searched_states


MAX_RANDOM_PLIES = 600
"""The number of plies for which random play is computed ply by ply."""
PRECISION = 1e-9
"""Maximum relative error for the games that continue after these plies."""
ALIVE = 1e-17
"""Random play ends at this share of unfinished games, which is below the precision of a float."""
_EXPAND_BATCH, _SETTLE_BATCH = 20_000, 4_000_000
"""States per call of compiled code, few enough for a quick response to Ctrl-C."""
_CHUNK = 1 << 22
_SAMPLE_SIZE = 3_000
"""Number of states from random games for the estimate of memory."""
_MAX_INDEX = (1 << 32) - 2
_EXTRA_BYTES = 16
"""Additional bytes per state after listing, for random play or for counting positions."""


@dataclass(frozen=True)
class SolutionStep:
    """The progress of a solution."""

    stage: str
    """``states``, ``values``, ``random``, ``positions`` or ``proof``."""
    states: int
    detail: str
    share: float | None
    """The finished share of the stage; None if unknown."""
    memory: int


@dataclass(frozen=True)
class MemoryEstimate:
    """A solution's memory, estimated from random games."""

    packed: int
    """The bytes of a packed state."""
    moves: float

    @property
    def bytes_per_state(self) -> float:
        """The bytes per state, including its transitions."""
        return self.bytes_without_transitions + 4 * self.moves

    @property
    def bytes_without_transitions(self) -> float:
        """The bytes per state if transitions are regenerated in every pass."""
        # A hash table is between a third and two thirds full, which takes 9 bytes per state at 4 bytes per entry.
        return self.packed + 4 + 9 + _EXTRA_BYTES


class TooLarge(Exception):
    """Raised if the limit of states or memory is exceeded."""

    def __init__(self, found: int, expanded: int, memory: bool) -> None:
        super().__init__()
        self.found, self.expanded, self.memory = found, expanded, memory


def format_gib(memory: float) -> str:
    """Format a number of bytes as GiB or MiB."""
    return f"{memory / GIB:.1f} GiB" if memory >= GIB / 10 else f"{memory / (1 << 20):.1f} MiB"


def available_memory() -> int:
    """Return the available memory in bytes, or 16 GiB if unknown."""
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
    """Return an estimate of the memory per state, and a layout that fits the states in random games.

    The layout is empty if the family packs its states itself.
    """
    moves = np.zeros(int(contract.max_moves(rules)), np.int32)
    state = np.zeros(int(contract.state_size(rules)), np.int64)
    rng = np.random.default_rng(1)
    contract.start(rules, state)
    total = plies = 0
    states = np.zeros((_SAMPLE_SIZE, len(state)), np.int64)
    for number in range(_SAMPLE_SIZE):
        states[number] = state
        n = int(contract.legal_moves(rules, state, moves))
        plies += 1
        if int(contract.outcome(rules, state, n)[0]) != contract.ONGOING or plies > 200:
            contract.start(rules, state)
            plies = 0
            continue
        total += n
        apply_ply(rules, state, int(moves[rng.integers(n)]))
    if contract.has_packing(rules):
        return MemoryEstimate(int(contract.packed_bytes(rules)), total / _SAMPLE_SIZE), np.zeros((0, 3), np.int64)
    layout = fit_layout(states)
    return MemoryEstimate(packed_bytes(layout), total / _SAMPLE_SIZE), layout


class StateGraph:
    """The reachable states in the order of discovery.

    ``states`` are packed (uint8, one row each); for ``layout``, ``degrees`` and ``values`` see
    `workbench.engine.solver`.
    """

    def __init__(
        self, rules: Any, max_states: int, memory: int, progress: Callable[[SolutionStep], None] = lambda step: None
    ) -> None:
        self.rules, self.memory, self.progress = rules, memory, progress
        self.found = 0
        self.max_states = min(max_states, _MAX_INDEX)
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
        """The range of states and the targets of each chunk; None if transitions are regenerated in every pass."""
        contract.start(rules, self.state)
        solver.put_state(rules, self.layout, self.state, self.states[0])
        self.found = 1
        self._make_table(1 << 12)

    def _allocate(self) -> Any:
        """Return an array for the maximum number of states; unused pages take no memory."""
        count = max(self.found, min(self.max_states, self.memory // (self.packed_bytes + 4)))
        return np.zeros((count + 2 * self.width, self.packed_bytes), np.uint8)

    def _widen_layout(self) -> None:
        """Repack all states in a layout that also fits the state in ``after``."""
        wider = widen_layout(self.layout, self.after)
        self.packed_bytes = packed_bytes(wider)
        packed, self.states, self.packed = self.states, self._allocate(), np.zeros(self.packed_bytes, np.uint8)
        solver.repack(self.rules, self.layout, packed, wider, self.states, self.found, self.state)
        self.layout = wider
        self._make_table(len(self.table))

    def _make_table(self, minimum: int) -> None:
        """Build a hash table of all states with at least ``minimum`` entries that is less than two thirds full."""
        self.table: Any = np.zeros(0, np.uint32)
        size = minimum
        while 2 * (size // 3) <= self.found + self.width:
            size *= 2
        self.table = np.zeros(size, np.uint32)
        solver.index(self.states, self.table, self.found)

    def memory_used(self, later: bool = False) -> int:
        """Return the graph's bytes, now or (if ``later``) after all states are listed."""
        targets = sum(int(array.nbytes) for _, _, array in self.targets or ())
        return self.found * (self.packed_bytes + 4 + (_EXTRA_BYTES if later else 0)) + int(self.table.nbytes) + targets

    def report_progress(self, stage: str, detail: str, share: float | None = None) -> None:
        """Report progress."""
        self.progress(SolutionStep(stage, self.found, detail, share, self.memory_used()))

    def list_states(self) -> None:
        """Find all states and transitions, or raise `TooLarge` if they exceed the limit or the memory."""
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
                self.endings, self.moves, self.state, self.after, self.packed, expanded + _EXPAND_BATCH,
            )  # fmt: skip
            if counters[solver.MISFITS]:
                counters[solver.MISFITS] = 0
                self.found = int(counters[solver.FOUND])
                self._widen_layout()
            self.report_progress("states", tr("{count:,} expanded", count=int(counters[solver.EXPANDED])))
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
        """Free the memory of the transitions, or raise `TooLarge` if that is not enough."""
        if (
            self.targets is None
            or self.found * (self.packed_bytes + 4 + _EXTRA_BYTES) + self.table.nbytes > self.memory
        ):
            raise TooLarge(self.found, expanded, memory=True)
        self.targets = None

    def transition_chunks(self) -> Iterator[tuple[int, int, Any]]:
        """Yield transitions in chunks: first state, end of the range, and the target of each move."""
        if self.targets is not None:
            yield from self.targets
            return
        buffer, low = self._chunk(), 0
        while low < self.found:
            high = solver.regenerate(
                self.rules, self.layout, self.states, self.table, self.degrees, buffer, low,
                min(low + _SETTLE_BATCH, self.found), self.moves, self.state, self.after, self.packed,
            )  # fmt: skip
            yield low, high, buffer
            low = high

    def value_states(self) -> None:
        """Value all states backwards from the finished ones, one ply of best play per pass."""
        unfinished = int(np.count_nonzero(self.degrees))
        valued, ply, settled = 0, 1, 1
        while settled and valued < unfinished and ply < solver.MOST_PLIES:
            settled = 0
            for low, high, targets in self.transition_chunks():
                settled += solver.settle(self.degrees, self.values, targets, low, high, ply)
                text = tr("ply {known}: {valued:,} of {going_on:,} won or lost")
                detail = text.format(known=ply, valued=valued + settled, going_on=unfinished)
                self.report_progress("values", detail, high / self.found)
            valued += settled
            ply += 1

    def random_step(self, distribution: Any) -> Any:
        """Return the distribution over states after one more random move."""
        next_distribution = np.zeros(self.found)
        for low, high, targets in self.transition_chunks():
            solver.spread(self.degrees, targets, low, high, distribution, next_distribution)
        return next_distribution

    def random_play(self) -> tuple[Any, dict[str, float]]:
        """Return the results of random play by ply (rows), and their sums; endless games are ``unfinished``.

        The distribution over states is propagated ply by ply, adding only positive terms. Games that continue after
        `MAX_RANDOM_PLIES` plies are resolved by the expected number of visits to each state.
        """
        distribution, sums = np.zeros(self.found), np.zeros(4)
        distribution[0] = 1.0
        rows = []
        alive = 1.0
        while True:
            solver.tally(self.degrees, self.values, distribution, sums)
            rows.append(sums[:3].copy())
            alive = float(sums[3])
            share = min(1.0, max(len(rows) / MAX_RANDOM_PLIES, np.log(max(alive, ALIVE)) / np.log(ALIVE)))
            detail = tr("ply {count}: {alive:.1e} of the games continue", count=len(rows) - 1, alive=alive)
            self.report_progress("random", detail, share)
            if alive <= ALIVE or len(rows) > MAX_RANDOM_PLIES:
                break
            distribution = self.random_step(distribution)
        lengths = np.array(rows)
        first, second, draw = (float(part) for part in lengths.sum(axis=0))
        random = {"first": first, "second": second, "draw": draw}
        random["plies"] = float(lengths.sum(axis=1) @ np.arange(len(lengths)))
        if alive <= ALIVE:
            return lengths, random
        visits = self._expected_visits(distribution, alive)
        if visits is None:
            return lengths, random | {"unfinished": alive}
        solver.tally(self.degrees, self.values, visits, sums)
        for name, part in zip(("first", "second", "draw"), sums[:3], strict=True):
            random[name] += float(part)
        random["plies"] += (len(rows) - 1) * alive + float(sums[3])
        return lengths, random

    def _expected_visits(self, distribution: Any, alive: float) -> Any:
        """Return the expected visits to each state from a distribution, or None if they do not converge."""
        from scipy.sparse.linalg import LinearOperator, bicgstab

        source = np.where(self.degrees > 0, distribution, 0.0)
        system = LinearOperator((self.found, self.found), matvec=lambda x: np.ravel(x) - self.random_step(np.ravel(x)))
        visits, _ = bicgstab(
            system, source, rtol=1e-12, atol=0.0, maxiter=2_000,
            callback=lambda _: self.report_progress("random", tr("resolving the remaining games")),
        )  # fmt: skip
        return visits if np.abs(system @ visits - source).sum() < PRECISION * alive else None

    def count_positions(self) -> int:
        """Count the distinct positions under the repetition rule; the transitions and the table are freed."""
        self.targets, self.table = None, np.zeros(0, np.uint32)
        keys = np.zeros(self.found, np.uint64)
        for low in range(0, self.found, _SETTLE_BATCH):
            high = min(low + _SETTLE_BATCH, self.found)
            solver.fill_keys(self.rules, self.layout, self.states, low, high, self.state, keys)
            detail = tr("{high:,} of {found:,}", high=high, found=self.found)
            self.report_progress("positions", detail, high / self.found)
        keys.sort()
        return 1 + int(np.count_nonzero(keys[1:] != keys[:-1]))


_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_MAX_BITS = 62
"""Maximum number of bits of a packed word; wider words are stored unpacked."""


def fit_layout(states: Any) -> Any:
    """Return the layout (int64, words x 3; see `workbench.engine.solver`) that fits ``states``, one state per row."""
    first = states[0]
    layout = np.stack([first, first, np.zeros_like(first)], axis=1)
    for state in (states.min(axis=0), states.max(axis=0)):
        layout = widen_layout(layout, state)
    return layout


def widen_layout(layout: Any, state: Any) -> Any:
    """Return a layout extended to fit another state."""
    rows = zip(layout.tolist(), state.tolist(), strict=True)
    return np.array([_widen_range(low, high, bits, word) for (low, high, bits), word in rows], np.int64)


def packed_bytes(layout: Any) -> int:
    """Return the number of bytes of a packed state."""
    return int(layout[:, 2].sum() + 7) // 8


def _widen_range(low: int, high: int, bits: int, value: int) -> tuple[int, int, int]:
    """Return a word's limits and bits, extended to include another value."""
    while not low <= value <= high:
        bits += 1
        if value > high:
            high = low + (1 << bits) - 1
        else:
            low = high - (1 << bits) + 1
        if bits > _MAX_BITS or low < _LEAST or high > _MOST:
            return _LEAST, _MOST, 64
    return low, high, bits
