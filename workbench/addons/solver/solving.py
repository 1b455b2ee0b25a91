"""Games solved exactly: the values of all states, and the true result of random play.

A ruleset is solved if its reachable states fit into memory. `solve_ruleset` lists them, values them backwards from the
finished ones (retrograde analysis: K. Thompson, "Retrograde analysis of certain endgames", ICCA Journal 9, 1986), and
follows the distribution over states of a game in which every legal move is equally likely (an absorbing Markov chain:
J. G. Kemeny and J. L. Snell, "Finite Markov Chains", 1960).
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from workbench import games
from workbench.addons.solver.graph import GIB, SolutionStep, StateGraph, TooLarge, format_gib
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
from workbench.positions.game_state import GameState
from workbench.rules.rulesets import Ruleset

MAX_STATES = 2_000_000
"""The default limit of states."""
DEFAULT_MEMORY = 16 * GIB
"""The default limit of memory, in bytes."""


@dataclass(frozen=True)
class Solution:
    """A solved ruleset: its exact result, and a value for every state."""

    exact: ExactResult
    rules: Any
    packed: Any
    """uint8: the states as the solver packed them, in the order in which they were found; the start is the first."""
    layout: Any
    """The layout in which they are packed, if the family has none; see `workbench.engine.solver`."""
    ends: Any
    """int16: their values; see `workbench.engine.solver`."""
    lengths: Any
    """float64: the probability that a random game ends after so many plies, at most `graph.FOLLOWED`: plies x (first,
    second, draw); None where random play was not followed."""

    @functools.cached_property
    def book(self) -> Book:
        """The hashes of all states, and their values, as players read them."""
        words = np.zeros(len(self.packed), np.uint64)
        room = np.zeros(int(contract.packed_bytes(self.rules)), np.uint8)
        state = np.zeros(int(contract.state_size(self.rules)), np.int64)
        solver.hash_stored(self.rules, self.layout, self.packed, state, room, words)
        order = np.argsort(words)
        words = words[order]
        if (words[1:] == words[:-1]).any():
            raise WorkbenchError(
                tr("two states of {ruleset} have one hash, so its solution cannot be kept", ruleset=self.exact.ruleset)
            )
        ends = self.ends[order].astype(np.int32)
        values = np.sign(ends) * (solver.LONGEST + 1) - ends
        values[(ends == 0) | (ends == solver.DRAWN)] = 0
        return words, values

    @functools.cached_property
    def states(self) -> Any:
        """The states as the engine plays them: int64, states x words."""
        states = np.zeros((len(self.packed), int(contract.state_size(self.rules))), np.int64)
        solver.get_states(self.rules, self.layout, self.packed, states)
        return states


def solve_ruleset(
    ruleset: Ruleset,
    max_states: int = MAX_STATES,
    progress: Callable[[SolutionStep], None] = lambda step: None,
    *,
    memory: int = DEFAULT_MEMORY,
    random: bool = True,
) -> Solution:
    """Solve a ruleset from its start.

    A rule by which a repeated position is a draw is left aside: who can force a win can do so without repeating a
    position, and who cannot does not win by repeating, unless draws count as won. Random play, which does depend on the
    rule, is not followed then, nor if ``random`` is false, nor where sides may be swapped. With a swap the result is
    for the players, and the values of states are for the sides.

    Raises:
        InputError: more than ``max_states`` states can be reached, they do not fit into ``memory`` bytes, or a
            repetition can be lost or won.
    """
    rules = ruleset.rules()
    repeats = bool(contract.counts_positions(rules))
    if repeats and not contract.repetition_draws(rules):
        reason = tr("a position that occurs again can be lost, so its history would belong to every state")
        hint = tr("choose rules under which it is a draw, or ends no game; a kernel says so by repetition_draws")
        raise unsolvable(ruleset, reason, hint)
    graph = StateGraph(rules, max_states, memory, progress)
    try:
        graph.list_states()
    except TooLarge as limit:
        found = tr("{found:,} states were found, and {expanded:,} of them looked at")
        found = found.format(found=limit.found, expanded=limit.expanded)
        if limit.memory:
            reason = tr("more than {in_gib} of memory would be needed; {found}", in_gib=format_gib(memory), found=found)
            hint = tr("--memory raises the limit; a smaller board or fewer men make fewer states")
        else:
            reason = tr("more than {max_states:,} states can be reached; {found}", max_states=max_states, found=found)
            hint = tr("--max-states raises the limit; a smaller board or fewer men make fewer states")
        raise unsolvable(ruleset, reason, hint) from None
    lengths, of_random = graph.random_play() if random and not repeats else (None, None)
    graph.value_states()
    endings = all_endings(games.declaration(ruleset.game))
    value = int(graph.values[0])
    drawn = value in (0, solver.DRAWN)
    # Positions that are repeated without end are draws, which the rules may count as won by one side.
    counted = int(rules.draw_value) if repeats else contract.DRAW
    exact = ExactResult(
        ruleset.name,
        ruleset.fingerprint,
        value=RESULTS[counted if drawn else contract.FIRST if value > 0 else contract.SECOND],
        plies=None if drawn else abs(value) - 1,
        positions=graph.count_positions(),
        states=graph.found,
        transitions=graph.transitions,
        terminals={endings[code].name: number for code, number in enumerate(graph.endings.tolist()) if number},
        random=of_random,
    )
    solution = Solution(exact, rules, graph.states, graph.layout, graph.values, lengths)
    if not ruleset.swap_ply:
        return solution
    value = players_value(GameState(ruleset.game, ruleset.codes()), solution.book, {})
    plies = solver.LONGEST - abs(value) if abs(value) > solver.LONGEST // 2 else None
    winner = RESULTS[contract.DRAW if value == 0 else contract.FIRST if value > 0 else contract.SECOND]
    return replace(solution, exact=replace(exact, value=winner, plies=plies, random=None))


def unsolvable(ruleset: Ruleset, reason: str, hint: str) -> InputError:
    """Return the error of a ruleset that cannot be solved, with what to do instead."""
    return input_error(tr("{ruleset} cannot be solved: {reason}", ruleset=ruleset.name, reason=reason), hint)


def save_solution(solution: Solution, ruleset: Ruleset, project: Project) -> list[Path]:
    """Save the values for the agent `optimal` and the exact result for reports; returns the files."""
    file = solution_path(ruleset, project)
    book = file.with_name(SOLUTIONS_FILE)
    before = [SOLUTIONS_FILE, *(one.name for one in file.parent.glob("*.npz"))] if read_exact_results(book) else None
    output.claim_folder(file.parent, [file.name, SOLUTIONS_FILE], before)
    with output.atomic_write(file) as stream:
        words, values = solution.book
        np.savez(stream, words=words, values=values)
    entries = {exact.fingerprint: exact for exact in read_exact_results(book)} | {ruleset.fingerprint: solution.exact}
    listed = [
        {"ruleset": exact.ruleset, "fingerprint": exact.fingerprint} | exact.as_json()
        for exact in sorted(entries.values(), key=lambda exact: exact.ruleset)
    ]
    output.write_file(book, (json.dumps(listed, indent=1) + "\n").encode())
    return [file, book]


MOST_MEMORY = GIB
"""The default size of the table, in bytes."""
ROUND = 50_000
"""Positions between two reports of progress."""
PLIES = 128
"""Plies that a search has room for at first."""
PLACE = 20
"""Bytes of a place in the table."""


@dataclass(frozen=True)
class Proof:
    """Who wins a ruleset with best play."""

    value: str
    """``first``, ``second`` or ``draw``."""
    looked_at: int
    """Positions that both searches looked at, some of them more than once."""


def prove_value(ruleset: Ruleset, memory: int, progress: Callable[[SolutionStep], None] = lambda step: None) -> Proof:
    """Proves who wins a ruleset with best play; ``memory`` is what the table may take, in bytes.

    Raises:
        InputError: a position can come again in a game, or the players may swap sides.
    """
    if ruleset.swap_ply:
        hint = tr("prove the rules without the swap: with it the second player does no worse than draw")
        raise unsolvable(ruleset, tr("the players may swap sides"), hint)
    looked_at = 0
    for seat, value in enumerate(("first", "second")):
        wins, more = _wins(ruleset, seat, memory, progress, looked_at)
        looked_at += more
        if wins:
            return Proof(value, looked_at)
    return Proof("draw", looked_at)


def _wins(
    ruleset: Ruleset, seat: int, memory: int, progress: Callable[[SolutionStep], None], before: int
) -> tuple[bool, int]:
    rules, seats = ruleset.rules(), games.declaration(ruleset.game).seats
    width = int(contract.max_moves(rules))
    places = 1 << max(10, (memory // PLACE).bit_length() - 1)
    words, table = np.zeros(places, np.uint64), np.zeros((places, 3), np.uint32)
    packed, room = np.zeros(int(contract.packed_bytes(rules)), np.uint8), np.zeros(width, np.int32)
    search, plies, looked_at = np.zeros(4, np.int64), PLIES, 0
    while True:
        states = np.zeros((plies, int(contract.state_size(rules))), np.int64)
        moves, children = np.zeros((plies, width), np.int32), np.zeros((plies, width), np.uint64)
        numbers, hashes = np.zeros((plies, width, 2), np.int64), np.zeros(plies, np.uint64)
        path = np.zeros((plies, 5), np.int64)
        contract.start(rules, states[0])
        solver.begin(rules, states, hashes, path, packed, search)
        while search[solver.END] == solver.SEARCHING:
            until = int(search[solver.SEARCHED]) + ROUND
            solver.prove(
                rules, seat, False, states, moves, children, numbers, hashes, path, words, table, packed, room, search,
                until,
            )  # fmt: skip
            # The table is filled evenly: a part of it tells how full it is.
            filled = float(np.mean(words[: 1 << 12] != 0))
            detail = tr("can {seat} win? table {filled:.0%} full", seat=seats[seat], filled=filled)
            here = before + looked_at + int(search[solver.SEARCHED])
            progress(SolutionStep("proof", here, detail, None, int(places * PLACE * filled)))
        looked_at += int(search[solver.SEARCHED])
        if search[solver.END] != solver.TOO_DEEP:
            break
        plies *= 2  # what the table holds by now makes the next attempt short
    if search[solver.END] == solver.RECURS:
        reason = tr("a position can come again in a game")
        raise unsolvable(ruleset, reason, tr("without --forward such rules can be solved"))
    return bool(search[solver.END] == solver.PROVED), looked_at
