"""Games solved exactly: values, the true result of random play, and what is kept of it for players and reports.

A ruleset is solved if its reachable states fit into memory. `solve` lists them, values them backwards from the finished
ones (retrograde analysis: K. Thompson, "Retrograde analysis of certain endgames", ICCA Journal 9, 1986), and follows
the distribution over states of a game in which every legal move is equally likely (an absorbing Markov chain:
J. G. Kemeny and J. L. Snell, "Finite Markov Chains", 1960).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.files import output
from workbench.files.project import Project
from workbench.files.yamlfile import InputError, Problem
from workbench.games.declaration import Declaration
from workbench.questions.rulesets import Ruleset

if TYPE_CHECKING:
    from workbench.engine.players import Player
    from workbench.games.game_state import GameState
    from workbench.questions.agents import AgentSpec

MAX_STATES = 2_000_000
"""States that are listed before `solve` gives up, if nobody says otherwise."""
FOLLOWED = 600
"""Plies for which random play is followed one by one."""
PRECISION = 1e-9
"""Share of the games still going on after so many plies that may be missing from the result."""
ALIVE = 1e-17
"""Random play is followed until so small a share of the games goes on: less than a float shows of the rest."""
FILE = "solutions.json"
_CHUNK = 100_000


@dataclass(frozen=True)
class Exact:
    """What is known exactly of a ruleset."""

    ruleset: str
    fingerprint: str
    value: str
    """Who wins with best play: first or second; draw, if neither can force a win."""
    plies: int | None
    """To the end with best play: the winner hurries, the loser delays; None for a draw."""
    positions: int
    """Reachable positions, as the rule about repetition tells them apart (board and side to move)."""
    states: int
    """Reachable states: positions with all else that the future depends on."""
    transitions: int
    terminals: Mapping[str, int]
    """Finished states by termination."""
    random: Mapping[str, float]
    """Uniformly random play: the probabilities of ``first``, ``second``, ``draw``, and the mean number of ``plies``;
    with ``unfinished``, the share of games without an end, if not all end."""

    def as_json(self) -> dict[str, Any]:
        """Plain data, as ``workbench solve --json`` prints it."""
        as_data = {name: getattr(self, name) for name in ("value", "plies", "positions", "states", "transitions")}
        return as_data | {"terminals": dict(self.terminals), "random": dict(self.random)}

    @property
    def first_score(self) -> float:
        """The first seat's exact expected score in random play."""
        return self.random["first"] + self.random["draw"] / 2


@dataclass(frozen=True)
class Solution:
    """A solved ruleset: what is known, and a value for every state."""

    exact: Exact
    states: Any
    """int64, states x words, in the order they were found; the start is the first."""
    words: Any
    """uint64, sorted: the states' hashes."""
    values: Any
    """int32, one for each of ``words``: `workbench.engine.solver.LONGEST` less the plies to the first seat's forced
    win, the negative of that for the second seat, 0 for a draw."""
    lengths: Any
    """float64: the probability that a random game ends after so many plies, at most `FOLLOWED`: plies x (first, second,
    draw)."""


def solve(
    ruleset: Ruleset, max_states: int = MAX_STATES, progress: Callable[[int, int], None] = lambda done, reached: None
) -> Solution:
    """Solves a ruleset from its start; ``progress`` hears how many states have been looked at and found.

    Raises:
        InputError: more than ``max_states`` states can be reached, or the rules look at the history of a game.
    """
    from workbench.console import stoppable
    from workbench.engine import contract, solver
    from workbench.engine.trials import rules_of
    from workbench.games.results import RESULTS, all_endings

    rules = rules_of(ruleset.game, ruleset.codes())
    if contract.counts_positions(rules):
        reason = "a position that occurs again can end the game, so its history would belong to every state"
        raise _refusal(ruleset, reason, "set repetition to off")
    size, width = int(contract.state_size(rules)), int(contract.max_moves(rules))
    most = max_states + width
    room = min(1 << 14, most)
    graph = _Graph(room + width, size, min(8 * room, 1 << 30) + width)
    contract.start(rules, graph.states[0])
    counters = np.array([1, 0, 0], np.int64)
    moves, after = np.zeros(width, np.int32), np.zeros(size, np.int64)
    graph.index(counters)
    while counters[solver.EXPANDED] < counters[solver.FOUND]:
        if counters[solver.FOUND] > max_states:
            reason = f"more than {max_states:,} states can be reached ({counters[solver.EXPANDED]:,} looked at so far)"
            raise _refusal(ruleset, reason, "--max-states raises the limit")
        graph.make_room(counters, width, most)
        with stoppable():
            solver.expand(
                rules, graph.states, graph.table, graph.first_edge, graph.targets, graph.results, graph.terminations,
                graph.seats, graph.keys, counters, moves, after, int(counters[solver.EXPANDED]) + _CHUNK,
            )  # fmt: skip
        progress(int(counters[solver.EXPANDED]), int(counters[solver.FOUND]))
    n, edges = int(counters[solver.FOUND]), int(counters[solver.EDGES])
    first_edge, targets = graph.first_edge[: n + 1], graph.targets[:edges]
    results, seats = graph.results[:n], graph.seats[:n]
    values = _values(first_edge, targets, results, seats)
    lengths, random = _random_play(first_edge, targets, results)
    endings = all_endings(_declaration(ruleset))
    codes, counts = np.unique(graph.terminations[:n][results != contract.ONGOING], return_counts=True)
    value = int(values[0])
    exact = Exact(
        ruleset.name,
        ruleset.fingerprint,
        value=RESULTS[contract.FIRST if value > 0 else contract.SECOND if value < 0 else contract.DRAW],
        plies=solver.LONGEST - abs(value) if value else None,
        positions=len(np.unique(graph.keys[:n])),
        states=n,
        transitions=edges,
        terminals={endings[int(code)].name: int(count) for code, count in zip(codes, counts, strict=True)},
        random=random,
    )
    words = np.zeros(n, np.uint64)
    solver.hash_states(graph.states[:n], words)
    order = np.argsort(words)
    words = words[order]
    assert (words[1:] != words[:-1]).all(), "two states have one hash"
    return Solution(exact, graph.states[:n], words, values[order], lengths)


class _Graph:
    """The arrays that `workbench.engine.solver.expand` fills, with room for more."""

    def __init__(self, room: int, size: int, edges: int) -> None:
        self.states = np.zeros((room, size), np.int64)
        self.first_edge = np.zeros(room + 1, np.int64)
        self.targets = np.zeros(edges, np.int32)
        self.results = np.zeros(room, np.int8)
        self.terminations = np.zeros(room, np.int8)
        self.seats = np.zeros(room, np.int8)
        self.keys = np.zeros(room, np.uint64)

    def index(self, counters: Any) -> None:
        """Makes a hash table of all states found, at most half full."""
        from workbench.engine import solver

        self.table = np.zeros(1 << (2 * len(self.states) - 1).bit_length(), np.int32)
        solver.index(self.states, self.table, counters)

    def make_room(self, counters: Any, width: int, most: int) -> None:
        """Doubles what may overflow at the next state."""
        from workbench.engine import solver

        if counters[solver.EDGES] + width > len(self.targets):
            self.targets = _longer(self.targets, 2 * len(self.targets))
        if counters[solver.FOUND] + width > len(self.states):
            room = min(2 * len(self.states), most + width)
            for name in ("states", "results", "terminations", "seats", "keys"):
                setattr(self, name, _longer(getattr(self, name), room))
            self.first_edge = _longer(self.first_edge, room + 1)
            self.index(counters)


def _longer(array: Any, length: int) -> Any:
    longer = np.zeros((length, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


def _values(first_edge: Any, targets: Any, results: Any, seats: Any) -> Any:
    """The value of every state, by retrograde analysis."""
    from workbench.engine import solver

    n = len(results)
    left = np.diff(first_edge).astype(np.int32)
    order = np.argsort(targets, kind="stable")
    sources = np.repeat(np.arange(n, dtype=np.int32), left)[order]
    begins = np.concatenate([[0], np.cumsum(np.bincount(targets, minlength=n))]).astype(np.int64)
    values, queue = np.zeros(n, np.int32), np.zeros(n, np.int32)
    solver.retrograde(begins, sources, results, seats, left, values, queue)
    return values


def _random_play(first_edge: Any, targets: Any, results: Any) -> tuple[Any, dict[str, float]]:
    """How random play ends: by plies (rows) and result, and in sum; games that never end are ``unfinished``.

    The distribution over states is pushed on ply by ply: every number is a sum of positive terms. What still goes on
    after `FOLLOWED` plies is settled at once, by the expected number of visits to each state.
    """
    from scipy.sparse import csr_array, eye_array
    from scipy.sparse.linalg import bicgstab

    n = len(results)
    degree = np.diff(first_edge)
    chances = np.repeat(1.0 / np.maximum(degree, 1), degree)
    # Transposed: column i holds where state i goes.
    step = csr_array((chances, targets, first_edge), shape=(n, n)).T.tocsr()
    ends = [np.flatnonzero(results == code) for code in (1, 2, 3)]
    going = np.flatnonzero(results == 0)
    now = np.zeros(n)
    now[0] = 1.0
    rows = [[float(now[end].sum()) for end in ends]]
    alive = float(now[going].sum())
    while alive > ALIVE and len(rows) <= FOLLOWED:
        now = step @ now
        rows.append([float(now[end].sum()) for end in ends])
        alive = float(now[going].sum())
    lengths = np.array(rows)
    first, second, draw = (float(share) for share in lengths.sum(axis=0))
    random = {"first": first, "second": second, "draw": draw}
    random["plies"] = float(lengths.sum(axis=1) @ np.arange(len(lengths)))
    if alive > ALIVE:
        left = np.zeros(n)
        left[going] = now[going]
        system = (eye_array(n) - step).tocsr()
        visits, _ = bicgstab(system, left, rtol=1e-12, atol=0.0, maxiter=2_000)
        if not np.abs(system @ visits - left).sum() < PRECISION * alive:
            return lengths, random | {"unfinished": alive}
        for name, end in zip(("first", "second", "draw"), ends, strict=True):
            random[name] += float(visits[end].sum())
        random["plies"] += (len(rows) - 1) * alive + float(visits[going].sum())
    return lengths, random


def _refusal(ruleset: Ruleset, reason: str, hint: str) -> InputError:
    return InputError([Problem("", None, None, f"{ruleset.name} cannot be solved: {reason}", hint)])


def _declaration(ruleset: Ruleset) -> Declaration:
    from workbench import games

    return games.declaration(ruleset.game)


def told(exact: Exact, ruleset: Ruleset) -> Iterator[str]:
    """What is known, in lines for a terminal."""
    seats = dict(zip(("first", "second"), _declaration(ruleset).seats, strict=True))
    yield f"{ruleset.name}: {ruleset.title}"
    if exact.value in seats:
        yield f"With best play {seats[exact.value]} wins, in {exact.plies} plies."
    else:
        yield "With best play neither side can force a win: a draw."
    yield f"{exact.positions:,} positions, {exact.states:,} states, {exact.transitions:,} transitions"
    for name, count in exact.terminals.items():
        yield f"  {count:,} states are finished: {name}"
    yield "If both play at random, each legal move equally likely:"
    for seat, name in seats.items():
        yield f"  {name} wins with probability {exact.random[seat]:.12f}"
    yield f"  a draw has probability {exact.random['draw']:.12f}"
    if "unfinished" in exact.random:
        yield f"  the game has not ended after {FOLLOWED:,} plies: {exact.random['unfinished']:.12f}"
    yield f"  a game takes {exact.random['plies']:.12f} plies on average"


# What is kept


def path(ruleset: Ruleset, project: Project) -> Path:
    """Where the values of a ruleset's states are kept."""
    return project.reports / "solutions" / f"{ruleset.name.replace('/', '-')}-{ruleset.fingerprint}.npz"


def save(solution: Solution, ruleset: Ruleset, project: Project) -> list[Path]:
    """Keeps the values for the agent `optimal`, and what is known exactly for reports; returns the files."""
    file = path(ruleset, project)
    book = file.with_name(FILE)
    before = [FILE, *(one.name for one in file.parent.glob("*.npz"))] if _read(book) else None
    output.claim(file.parent, [file.name, FILE], before)
    with output.writing(file) as stream:
        np.savez(stream, words=solution.words, values=solution.values)
    entries = {exact.fingerprint: exact for exact in _read(book)} | {ruleset.fingerprint: solution.exact}
    listed = [
        {"ruleset": exact.ruleset, "fingerprint": exact.fingerprint} | exact.as_json()
        for exact in sorted(entries.values(), key=lambda exact: exact.ruleset)
    ]
    output.write(book, (json.dumps(listed, indent=1) + "\n").encode())
    return [file, book]


def known(project: Project) -> dict[str, Exact]:
    """What is known exactly, by fingerprint: what came with the rulesets, and what was solved and saved here."""
    exact_values = [*_read(project.rulesets / FILE), *_read(project.reports / "solutions" / FILE)]
    return {exact.fingerprint: exact for exact in exact_values}


def _read(book: Path) -> list[Exact]:
    if not book.is_file():
        return []
    try:
        return [Exact(**entry) for entry in json.loads(book.read_text(encoding="utf-8"))]
    except (ValueError, TypeError) as error:
        raise InputError([Problem(str(book), None, None, f"expected a list of solutions ({error})")]) from None


def player(agent: AgentSpec, ruleset: Ruleset, project: Project | None = None) -> Player:
    """The agent as the engine reads it, with the solution that the agent `optimal` needs.

    Raises:
        InputError: the ruleset has not been solved.
    """
    from workbench.files import project as projects

    plain = agent.player(_declaration(ruleset))
    if agent.kind != "optimal":
        return plain
    file = path(ruleset, project or projects.find())
    if not file.is_file():
        reason = f"the agent optimal needs the solution of {ruleset.name}"
        raise InputError([Problem("", None, None, reason, f"workbench solve {ruleset.name} --save")])
    return plain._replace(solution=str(file))


def moves_with_values(game_state: GameState, solution: tuple[Any, Any]) -> list[tuple[str, int]]:
    """The legal moves of a position with the value of the state after each, best first for the player to move.

    Values count as in `Solution.values`, from the state after the move.
    """
    from workbench.engine import contract, solver

    valued_moves = []
    for move in game_state.legal():
        text = game_state.format(move)
        game_state.push(move)
        word = np.zeros(1, np.uint64)
        solver.hash_states(game_state.state[np.newaxis], word)
        valued_moves.append((text, int(solver.look_up(*solution, word[0]))))
        game_state.undo()
    sign = 1 if int(contract.seat(game_state.rules, game_state.state)) == 0 else -1
    return sorted(valued_moves, key=lambda item: -sign * item[1])


def in_words(value: int, seats: tuple[str, str], played: int = 0) -> str:
    """A value in words; ``played`` plies are added to those that are left."""
    from workbench.engine import solver

    if value == 0:
        return "draw"
    return f"{seats[0 if value > 0 else 1]} wins in {solver.LONGEST - abs(value) + played}"


def for_play(ruleset: Ruleset, project: Project) -> tuple[Any, Any]:
    """The saved solution of a ruleset, or else one that is made now.

    Raises:
        InputError: the ruleset cannot be solved in a short time.
    """
    from workbench.engine.agents import load_solution

    file = path(ruleset, project)
    if file.is_file():
        return load_solution(str(file))
    solution = solve(ruleset)
    return solution.words, solution.values
