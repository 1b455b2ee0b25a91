"""Players see every end of a game: they take a win in one and avoid a loss in one, whatever rule brings it.

What ends a game is found here by listing all moves (`outcome`), not by the function that the players ask (`terminal`).
A ruleset's endings are met in games, or in positions of `BY_HAND`, or the ruleset rules them out (`RULED_OUT`).
"""

from __future__ import annotations

import collections
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from workbench import games, rulesets, session
from workbench.agents import AgentSpec
from workbench.engine import contract, jit, trials
from workbench.engine.advice import best_move
from workbench.games.declaration import Setting
from workbench.session import IllegalMove, Session

pytestmark = pytest.mark.skipif(jit.DISABLED, reason="thousands of moves")

PLAYERS = {
    "greedy": AgentSpec.of("greedy"),
    "greedy without noise": AgentSpec.of("greedy", temperature=0.0),
    "alphabeta-1": AgentSpec.of("alphabeta", depth=1),
    "mcts": AgentSpec.of("mcts", simulations=10),
}
REPETITION = "repetition"
MOST_PLIES = 300


@dataclass(frozen=True)
class Line:
    """A game in play: its states from the first on, and its moves."""

    family: str
    codes: trials.Codes
    states: tuple[Any, ...]
    played: tuple[int, ...] = ()

    @functools.cached_property
    def rules(self) -> Any:
        return trials.rules_of(self.family, self.codes)

    @functools.cached_property
    def legal(self) -> list[int]:
        moves = np.zeros(int(contract.max_moves(self.rules)), np.int32)
        return [int(move) for move in moves[: contract.legal_moves(self.rules, self.states[-1], moves)]]

    @property
    def seat(self) -> int:
        return int(contract.seat(self.rules, self.states[-1]))

    def after(self, move: int) -> Line:
        state = self.states[-1].copy()
        contract.play(self.rules, state, move)
        return Line(self.family, self.codes, (*self.states, state), (*self.played, move))

    @functools.cached_property
    def end(self) -> tuple[int, str]:
        """Result and name of the ending; "" while the game goes on."""
        rules, state = self.rules, self.states[-1]
        result, why = contract.outcome(rules, state, len(self.legal))
        if result == contract.ONGOING and contract.counts_positions(rules):
            now = contract.key(rules, state)
            count = sum(contract.key(rules, other) == now for other in self.states)
            result, why = contract.repetition(rules, state, count)
        if result == contract.ONGOING:
            return result, ""
        return int(result), session.terminations(games.declaration(self.family))[int(why)].name

    @functools.cached_property
    def ends(self) -> dict[int, tuple[int, str]]:
        """What each legal move brings about."""
        return {move: self.after(move).end for move in self.legal}

    def value(self, move: int, weights: Mapping[int, float]) -> float:
        """A move's value for its mover, as a player sees it who looks one ply ahead."""
        sign = 1 if self.seat == 0 else -1
        result, why = self.ends[move]
        if why:
            return sign * {contract.FIRST: math.inf, contract.SECOND: -math.inf, contract.DRAW: 0.0}[result]
        out = np.zeros(int(contract.feature_count(self.rules)))
        contract.features(self.rules, self.after(move).states[-1], out)
        return sign * sum(weight * out[i] for i, weight in weights.items())

    def choice(self, player: AgentSpec, seed: int = 1) -> int:
        numbers = player.numbers(games.declaration(self.family))
        return best_move(self.family, self.codes, numbers, seed, self.played, self.states[0])


def tells(line: Line, ending: str) -> bool:
    """Whether one move brings this ending, and another something else."""
    results = {result for result, _ in line.ends.values()}
    return len(results) > 1 and ending in {why for _, why in line.ends.values()}


def judge(line: Line) -> None:
    """Every player takes a win in one, and avoids a loss in one; greedy takes the best of all moves."""
    mine, theirs = contract.FIRST + line.seat, contract.SECOND - line.seat
    wins = {move for move, (result, _) in line.ends.items() if result == mine}
    losses = {move for move, (result, _) in line.ends.items() if result == theirs}
    for name, player in PLAYERS.items():
        move = line.choice(player)
        if wins:
            assert move in wins, name
        elif len(losses) < len(line.ends):
            assert move not in losses, name
    weights = {i: feature.weight for i, feature in enumerate(games.declaration(line.family).features)}
    values = {move: line.value(move, weights) for move in line.legal}
    assert values[line.choice(PLAYERS["greedy without noise"])] >= max(values.values()) - 1e-9


def codes_of(name: str) -> trials.Codes:
    return tuple(rulesets.load(name).codes().values())


def met(name: str, player: str, count: int) -> Iterator[Line]:
    """Where games of equal players stood one ply before their end: some of each ending, the shortest first."""
    family, codes = name.partition("/")[0], codes_of(name)
    numbers = AgentSpec.of(player).numbers(games.declaration(family))
    seeds = np.arange(count, dtype=np.uint64)
    found = trials.run_block(family, codes, numbers, numbers, seeds, MOST_PLIES, keep=MOST_PLIES)
    start = Session(family, codes).state
    for ending in sorted(set(found["termination"]) - {contract.CAP}):
        shortest = sorted((found["plies"][game], game) for game in np.flatnonzero(found["termination"] == ending))
        for plies, game in shortest[:2]:
            yield continued(Line(family, codes, (start,)), found["opening"][game, : plies - 1])


def continued(line: Line, moves: Any) -> Line:
    states = list(line.states)
    for move in moves:
        state = states[-1].copy()
        contract.play(line.rules, state, int(move))
        states.append(state)
    return Line(line.family, line.codes, tuple(states), (*line.played, *(int(move) for move in moves)))


# --- Positions set up by hand -----------------------------------------------------------------------------------------

Board = Callable[[int], str]


@dataclass(frozen=True)
class Position:
    """A position that stands before an ending under some rulesets; where it cannot be set up it says nothing."""

    ending: str
    setup: Mapping[str, Any] | Callable[[Mapping[str, Setting]], Mapping[str, Any]] | None
    cycle: tuple[str, ...] = field(default=())
    """Moves that are repeated until the ending is one ply away; "*": any four that lead back."""


RUNS = ("1/1", "2/1", "2/2", "3/1", "3/2", "3/3")


def chess(ending: str, fen: str) -> list[Position]:
    """A FEN at every place in the runs; its clock stands one ply before the limit."""

    def setup(run: str) -> Callable[[Mapping[str, Setting]], Mapping[str, Any]]:
        def written(settings: Mapping[str, Setting]) -> Mapping[str, Any]:
            clock = int(settings["move_limit"]) - 1 if ending == "move-limit" else 0
            return {"fen": f"{fen} - - {clock} 90"} | ({"run": run} if settings["turns"] != "single" else {})

        return written

    return [Position(ending, setup(run)) for run in RUNS]


def draughts(settings: Mapping[str, Setting]) -> Mapping[str, Any]:
    """A king of each side in opposite corners."""
    rules = trials.rules_of("draughts", rulesets.codes_of("draughts", settings))
    squares, royal = list(games.notation("draughts").names(rules).values()), "R" if rules.royal else "K"
    return {"fen": f"W:W{royal}{squares[-1]}:B{royal}{squares[0]}"}


def rengo(*units: tuple[str, int, int], to_move: str = "first", **setup: Any) -> Callable[..., Mapping[str, Any]]:
    """Units on columns and rows; numbers below 0 count from the far edge."""

    def written(settings: Mapping[str, Setting]) -> Mapping[str, Any]:
        n = int(games.declaration("rengo").toggle("board").code(settings["board"]))
        rows = [["."] * n for _ in range(n)]
        for unit, x, y in units:
            rows[y][x] = unit
        return {"board": "/".join("".join(row) for row in rows), "to_move": to_move, **setup}

    return written


BY_HAND: dict[str, list[Position]] = {
    "chatra": [
        Position(
            "stuck",
            {"black": ["d2", "a3"], "white": [], "black_object": "i9", "white_object": "a1", "to_move": "first",
             "hands": [5, 0]},
        ),
        Position(
            REPETITION,
            {"black": [], "white": [], "black_object": "a1", "white_object": "i9", "to_move": "first", "hands": [5, 5]},
            ("Oa2", "Oi8", "Oa1", "Oi9"),
        ),
    ],
    "chess": [
        *chess("mate", "7k/8/5KQ1/8/8/8/8/8 w"),
        *chess("stalemate", "k7/8/PK6/8/8/8/8/8 w"),
        *chess("stalemate", "4k3/8/8/8/p7/Pp1p4/RP1P4/KRB1n3 b"),
        *chess("king-captured", "4k3/8/8/8/8/8/8/K3R3 w"),
        *chess("move-limit", "7k/8/8/8/8/8/R6P/K7 w"),
        *chess("insufficient-material", "8/8/8/4k3/8/8/1r6/K6B w"),
        Position(REPETITION, None, ("g1f3", "g8f6", "f3g1", "f6g8")),
    ],
    "draughts": [Position(REPETITION, draughts, ("*",))],
    "rengo": [
        Position("mate", rengo(("玉'", 0, 0), ("飛", -1, 1), ("飛", -2, 2), ("君", -1, -1))),
        Position("five", rengo(*(("珠", x, 0) for x in range(4)), ("玉'", 0, -1), ("玉", -1, -1),
                               hands={"first": {"珠": 1}})),
        Position("bikjang", rengo(("楚'", 4, 0), ("金'", 0, 0), ("楚", 4, -1), to_move="second")),
        Position("count", rengo(("玉'", 0, 0), ("玉", -1, -1), ("碁", -2, -2), passes=1)),
        Position("no-move", rengo(("玉'", 0, 0), ("飛", -1, 1), ("飛", 2, -1), ("玉", -1, -1))),
        Position("perpetual-check", rengo(("飛", 4, 4), ("玉", 6, 4), ("俥", 0, 7), ("玉'", 5, 7), to_move="second"),
                 ("f8-f7", "a8-a7", "f7-f8", "a7-a8")),
        Position(REPETITION, rengo(("王'", 0, 0), ("玉", -1, -1)), ("*",)),
    ],
    "star": [],
}  # fmt: skip


def four_that_lead_back(line: Line) -> tuple[int, ...]:
    """Two moves of each side after which the position is the same again."""
    key = contract.key(line.rules, line.states[-1])
    for a in line.legal:
        for b in line.after(a).legal:
            there = line.after(a).after(b)
            for c in there.legal:
                for d in there.after(c).legal:
                    if contract.key(line.rules, there.after(c).after(d).states[-1]) == key:
                        return a, b, c, d
    return ()


def by_hand(name: str) -> Iterator[tuple[str, Line]]:
    """The positions that can be set up under a ruleset, each with the ending that it stands before."""
    family = name.partition("/")[0]
    ruleset = rulesets.load(name)
    for position in BY_HAND[family]:
        setup = position.setup(ruleset.settings) if callable(position.setup) else position.setup
        try:
            game = Session(family, codes_of(name), setup)
        except IllegalMove:
            continue
        line = Line(family, game.codes, (game.state,))
        if not position.cycle:
            yield position.ending, line
            continue
        cycle: list[int] = []
        if position.cycle == ("*",):
            cycle = list(four_that_lead_back(line))
        else:
            for move in position.cycle:
                cycle.append(int(game.notation.parse_move(game.rules, game.state, move)))
                game.push(cycle[-1])
        for ply in range(40):
            move = cycle[ply % len(cycle)]
            if move not in line.ends or line.ends[move][1]:
                break
            line = line.after(move)
        yield position.ending, line


# --- What a ruleset rules out -----------------------------------------------------------------------------------------

RULED_OUT: dict[tuple[str, str], tuple[Callable[[Mapping[str, Setting]], bool], str]] = {}
"""Endings that cannot be met one ply ahead with a choice, under rulesets of which this holds; and why."""


def ruled_out(name: str) -> set[str]:
    settings, family = rulesets.load(name).settings, name.partition("/")[0]
    return {ending for (game, ending), (holds, _) in RULED_OUT.items() if game == family and holds(settings)}


def endings(name: str) -> set[str]:
    family = name.partition("/")[0]
    found = {ending.name for ending in games.declaration(family).terminations.values()}
    rules = trials.rules_of(family, codes_of(name))
    return found | ({REPETITION} if contract.counts_positions(rules) else set())


def lines(name: str, count: int) -> Iterator[tuple[set[str], Line]]:
    """Positions one ply before an end, with the endings that each tells of."""
    for player, share in (("random", count), ("greedy", count // 4)):
        for line in met(name, player, share):
            found = {why for _, why in line.ends.values() if why}
            yield {ending for ending in found if tells(line, ending)}, line
    for ending, line in by_hand(name):
        if tells(line, ending):
            yield {ending}, line


@pytest.mark.parametrize("name", rulesets.names())
def test_players_see_every_ending(name: str) -> None:
    seen: collections.Counter[str] = collections.Counter()
    for told, line in lines(name, 24):
        seen.update(told)
        judge(line)
    assert set(seen) == endings(name) - ruled_out(name)
