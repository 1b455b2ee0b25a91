"""Star solved by the twin alone: every state that can be reached, who wins, and what random play comes to.

It shares nothing with the solver of the engine. A state is a `Position` of the twin: the board, the side to move and
what both players saw at the start of their previous turns.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.games.star import twin

DRAW = 2
"""Besides the sides `twin.FIRST` and `twin.SECOND`, what a state may be worth."""


@dataclass(frozen=True)
class Graph:
    """The reachable states, numbered from the start in the order of a breadth-first search."""

    states: list[twin.Position]
    successors: list[list[int]]
    endings: dict[int, tuple[str, str]]
    """Result and termination of the states in which the game is over."""

    def transitions(self) -> int:
        """The number of legal actions in all states together."""
        return sum(map(len, self.successors))

    def count(self, key: Callable[[twin.Position], Hashable], termination: str | None = None) -> int:
        """How many states differ by this key: all of them, or those that end the game in this way."""
        if termination is None:
            return len({key(state) for state in self.states})
        return len({key(self.states[here]) for here, ending in self.endings.items() if ending[1] == termination})


def board(state: twin.Position) -> Hashable:
    """What lies where."""
    return state.pieces, state.star


def position(state: twin.Position) -> Hashable:
    """The board and the side to move."""
    return state.pieces, state.star, state.to_move


def state_without_past_at_its_end(state: twin.Position) -> Hashable:
    """The state, in which a surrounded star makes all that was seen before it irrelevant."""
    over = any(twin.surrounds(state, side) for side in (twin.FIRST, twin.SECOND))
    return position(state), None if over else state.seen


def state_with_last_actions(state: twin.Position) -> Hashable:
    """The position and, for each player, what would undo that player's last action.

    Nothing undoes a placement; a move is undone by the pieces as they stood before, a jump by the star's old place.
    """
    undoing: list[Hashable] = []
    for side in (twin.FIRST, twin.SECOND):
        seen = state.seen[side]
        if seen is None or len(seen[0]) < len(state.pieces[side]):
            undoing.append(None)
        elif seen[0] == state.pieces[side]:
            undoing.append(seen[1])
        else:
            undoing.append(seen[0])
    return position(state), tuple(undoing)


def enumerate_states(settings: twin.Settings) -> Graph:
    """The graph of all that can be reached from the start."""
    states = [twin.start(settings)]
    numbers = {states[0]: 0}
    successors: list[list[int]] = []
    endings: dict[int, tuple[str, str]] = {}
    for here, state in enumerate(states):
        result, termination = twin.outcome(settings, state)
        reached = []
        if termination:
            endings[here] = (result, termination)
        else:
            for after in twin.continuations(settings, state).values():
                reached.append(numbers.setdefault(after, len(states)))
                if reached[-1] == len(states):
                    states.append(after)
        successors.append(reached)
    return Graph(states, successors, endings)


def solve(graph: Graph) -> tuple[list[int], list[int]]:
    """What each state is worth with best play, and in how many plies; 0 plies where neither side can force a win.

    A winner hurries and a loser delays. States are settled in the order of their plies to the end: a state is won as
    soon as one successor is, and lost when the last of its successors is.
    """
    predecessors: list[list[int]] = [[] for _ in graph.states]
    for here, reached in enumerate(graph.successors):
        for after in reached:
            predecessors[after].append(here)
    values = [DRAW] * len(graph.states)
    plies = [0] * len(graph.states)
    unsettled = [len(reached) for reached in graph.successors]
    settled = []
    for here, (result, _) in graph.endings.items():
        if result != "draw":
            values[here] = twin.SEATS.index(result)
            settled.append(here)
    for after in settled:
        for here in predecessors[after]:
            if values[here] != DRAW:
                continue
            unsettled[here] -= 1
            if values[after] == graph.states[here].to_move or unsettled[here] == 0:
                values[here] = values[after]
                plies[here] = plies[after] + 1
                settled.append(here)
    return values, plies


def random_play(graph: Graph) -> dict[str, float]:
    """Chances of "first", "second" and "draw" and the mean number of "plies" if both players choose at random.

    The chances of the states are carried on ply by ply, until less than 1e-17 of all games would still go on.
    """
    counts = np.array([len(reached) for reached in graph.successors])
    source = np.repeat(np.arange(len(counts)), counts)
    target = np.array([after for reached in graph.successors for after in reached])
    share = 1 / counts[source]
    over = {
        result: np.array([here for here, ending in graph.endings.items() if ending[0] == result], dtype=int)
        for result in ("first", "second", "draw")
    }
    chances: NDArray[Any] = np.zeros(len(counts))
    chances[0] = 1
    expected = {result: float(chances[states].sum()) for result, states in over.items()}
    expected["plies"] = 0.0
    going = 1 - sum(expected.values())
    while going > 1e-17:
        expected["plies"] += going
        chances = np.bincount(target, chances[source] * share, minlength=len(counts))
        for result, states in over.items():
            expected[result] += float(chances[states].sum())
        going = float(chances[counts > 0].sum())
    return expected
