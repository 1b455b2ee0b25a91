"""The value of each legal move of a position: exact if the ruleset is solved, otherwise estimated by a search."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from workbench import games
from workbench.base import project as projects
from workbench.base.errors import WorkbenchError
from workbench.base.project import Project
from workbench.engine import contract, solver
from workbench.engine.agents import FUNCTIONS, prepare_workspace, weight_rows  # noqa: TID251
from workbench.engine.players import PRINCIPAL, SEARCHES
from workbench.engine.trials import CLOSED, OFFERED
from workbench.players import agents, library
from workbench.players.agent_kinds import LEARNED, SEEDS, TRAINED
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState
from workbench.rules.rulesets import Ruleset

FUNCTION = SEARCHES[PRINCIPAL].function
"""The compiled search function for positions without an exact value."""
BUDGET = "10k"
"""Positions searched for each move."""
MOST_PLIES = 2000
SOLVED_AT_ONCE = 600_000
"""The maximum number of states of a ruleset that is solved on demand, within seconds."""


class Worth(NamedTuple):
    """The value of a move for its player."""

    move: int
    text: str
    score: float
    """The expected score: 1 for a certain win, ½ for a draw."""
    exact: bool
    """True for a known value, False for an estimate."""
    plies: int | None = None
    """Plies to the end with best play, including this move; None without a known forced end."""


def solvable(ruleset: Ruleset, project: Project) -> bool:
    """Return whether a ruleset's solution exists, or can be computed within seconds."""
    if library.solution_path(ruleset, project).is_file():
        return True
    for source in (project, projects.shipped_project()):
        exact = library.load_exact_results(source).get(ruleset.unswapped.fingerprint)
        if exact is not None and exact.states <= SOLVED_AT_ONCE:
            return True
    return False


def trainings(ruleset: Ruleset, project: Project) -> Iterator[str]:
    """Yield labels, such as ``net-1``, of the learned evaluations of a ruleset, accepted nets first."""
    for evaluation in reversed(TRAINED):
        for seed in SEEDS:
            with contextlib.suppress(WorkbenchError):
                learned = library.find_learned(project, ruleset, seed, evaluation=evaluation)
                if learned is not None and (learned.accepted or evaluation == LEARNED):
                    yield f"{evaluation}-{seed}"


class Standing(NamedTuple):
    """The evaluation of a game."""

    share: float
    """The first seat's expected score: 1 for a certain win."""
    exact: bool
    """True for a known value, False for an estimate."""


class Search:
    """A player that evaluates single positions of a ruleset, independently of earlier ones."""

    def __init__(self, spec: AgentSpec, ruleset: Ruleset, project: Project | None = None) -> None:
        rules = ruleset.rules()
        self._player = library.engine_player(spec, ruleset, project)
        self._memory = prepare_workspace(rules, MOST_PLIES, self._player)
        self._weights = weight_rows(rules, self._memory, self._player)[0]

    def analyse(self, game_state: GameState) -> tuple[int, float]:
        """Return the ply chosen in an unfinished game, and the first seat's expected score (0 to 1) after it."""
        rules, memory, agent = game_state.rules, self._memory, self._player.agent
        memory.searches[:] = 0  # forget other positions, as at the start of a game
        memory.states[0][:] = game_state.state
        n = contract.legal_moves(rules, game_state.state, memory.moves[0])
        move = FUNCTIONS[agent.kind](rules, agent, self._weights, memory, np.uint64(1), np.ones(1, np.uint64), n)
        score = (1 + float(memory.score[0])) / 2
        return (contract.SWAP, 1 - score) if game_state.swap == OFFERED and score > 0.5 else (int(move), score)


class Judge:
    """Evaluates moves under a ruleset."""

    def __init__(self, ruleset: Ruleset, project: Project) -> None:
        """Load the solution if there is one; otherwise choose the agent that searches."""
        self.ruleset = ruleset
        self.solution = library.load_or_solve(ruleset, project) if solvable(ruleset, project) else None
        label = "-".join([f"alphabeta-{BUDGET}", *itertools.islice(trainings(ruleset, project), 1)])
        self._seen: dict[bytes, int] = {}
        self.spec: AgentSpec = agents.agent_from_text(label, [games.declaration(ruleset.game)]).judge()
        self.project = project

    @functools.cached_property
    def _search(self) -> Search:
        """The search for positions without a known value."""
        return Search(self.spec, self.ruleset, self.project)

    @property
    def name(self) -> str:
        """The name of the judge: ``optimal``, or the agent that searches."""
        return "optimal" if self.solution is not None else self.spec.label

    def worths(self, game_state: GameState, moves: Iterable[int]) -> list[Worth]:
        """Return the values of some legal moves; the position is unchanged afterwards."""
        side = game_state.side
        # A player who swaps has the first side from then on.
        return [self._worth(game_state, move, 0 if move == contract.SWAP else side) for move in moves]

    def best(self, game_state: GameState) -> Worth | None:
        """Return the best legal move by the solution or by one search, or None if there is no legal move."""
        moves = game_state.legal()
        if self.solution is None and moves:
            moves = [self._search.analyse(game_state)[0]]
        return max(self.worths(game_state, moves), key=_sort_key, default=None)

    def standing(self, game_state: GameState) -> Standing:
        """Return the evaluation of a game's current position."""
        result, _ = game_state.outcome()
        if result != contract.ONGOING:
            return Standing(_points(result, 0), True)
        value = self._value(game_state)
        if value is not None:
            return Standing(0.5 if value == 0 else float(value > 0), True)
        return Standing(self._search.analyse(game_state)[1], False)

    def _worth(self, game_state: GameState, move: int, seat: int) -> Worth:
        text = game_state.format(move)
        game_state.push(move)
        try:
            result, _ = game_state.outcome()
            if result != contract.ONGOING:
                return Worth(move, text, _points(result, seat), True, 1)
            if (value := self._value(game_state)) is not None:
                winner = contract.DRAW if value == 0 else contract.FIRST if value > 0 else contract.SECOND
                return Worth(move, text, _points(winner, seat), True, _plies(value))
            first = self._search.analyse(game_state)[1]
            return Worth(move, text, first if seat == 0 else 1 - first, False)
        finally:
            game_state.undo()

    def _value(self, game_state: GameState) -> int | None:
        """Return the solution's value of the position for the owner of the first side; None if it has none."""
        if self.solution is None:
            return None
        if game_state.swap != CLOSED and int(game_state.rules.swap) - game_state.plies <= 2:
            return library.players_value(game_state, self.solution, self._seen)
        value = library.state_value(game_state, self.solution)
        return library.draw_value(game_state.rules) if value == 0 else value


def _sort_key(worth: Worth) -> tuple[float, bool, int]:
    """Return the sort key of moves: known wins before estimates, quick wins and slow losses first."""
    plies, won = worth.plies or 0, worth.score > 0.5
    return worth.score, worth.exact == won, -plies if won else plies


def _points(result: int, seat: int) -> float:
    return 0.5 if result == contract.DRAW else float((result == contract.FIRST) == (seat == 0))


def _plies(value: int) -> int | None:
    plies = int(solver.LONGEST) - abs(value) + 1
    return plies if plies < solver.LONGEST else None
