"""Solved rulesets: their exact values as files keep them, and play by these; the add-on ``solver`` makes them."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workbench import games
from workbench.base import output
from workbench.base import project as projects
from workbench.base.addons import addons
from workbench.base.errors import display_path, expected, input_error
from workbench.base.language import tr
from workbench.base.project import SOLUTIONS, Project
from workbench.engine import contract, solver
from workbench.engine.agents import load_solution
from workbench.engine.players import Player
from workbench.engine.trials import OFFERED
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState
from workbench.rules.rulesets import Ruleset

SOLUTIONS_FILE = "solutions.json"
Book = tuple[Any, Any]
"""The hashes of all states of a ruleset (uint64, sorted), and their values (int32).

A value is `workbench.engine.solver.LONGEST` less the plies to the first seat's forced win, the negative of that for the
second seat, 0 for a draw.
"""


@dataclass(frozen=True)
class ExactResult:
    """The exact result of a ruleset."""

    ruleset: str
    fingerprint: str
    value: str
    """The winner with best play: first or second; draw, if neither can force a win."""
    plies: int | None
    """To the end with best play: the winner hurries, the loser delays; None for a draw, even if it counts as a win."""
    positions: int
    """Reachable positions, as the rule about repetition tells them apart (board and side to move)."""
    states: int
    """Reachable states: positions with all else that the future depends on."""
    transitions: int
    terminals: Mapping[str, int]
    """Finished states by termination."""
    random: Mapping[str, float] | None
    """Uniformly random play: the probabilities of ``first``, ``second``, ``draw``, and the mean number of ``plies``;
    with ``unfinished``, the share of games without an end, if not all end. None where it was not followed."""

    def as_json(self) -> dict[str, Any]:
        """Plain data, as ``workbench solve --json`` prints it."""
        as_data = {name: getattr(self, name) for name in ("value", "plies", "positions", "states", "transitions")}
        return as_data | {"terminals": dict(self.terminals), "random": dict(self.random) if self.random else None}

    @property
    def first_score(self) -> float | None:
        """The first seat's exact expected score in random play, if that is known."""
        return self.random["first"] + self.random["draw"] / 2 if self.random else None


def state_value(game_state: GameState, book: Book) -> int | None:
    """Return the value of a state for the sides; None for a state that no game reaches."""
    words, values = book
    packed, word = np.zeros((1, contract.packed_bytes(game_state.rules)), np.uint8), np.zeros(1, np.uint64)
    contract.pack(game_state.rules, game_state.state, packed[0])
    solver.hash_states(packed, word)
    place = int(np.searchsorted(words, word[0]))
    return int(values[place]) if place < len(words) and words[place] == word[0] else None


def value_of_draws(rules: Any) -> int:
    """Return the value of a draw: ±1, a win of no known length, where endless games count as won."""
    won = {contract.FIRST: 1, contract.SECOND: -1}
    return won.get(int(rules.draw_value), 0) if contract.counts_positions(rules) else 0


def players_value(game_state: GameState, book: Book, seen: dict[bytes, int]) -> int:
    """Return the value of a position for the players while the sides may be swapped.

    ``book`` has the values for the sides; ``seen`` remembers answers between calls.
    """
    key = game_state.plies.to_bytes(2, "big") + game_state.state.tobytes()
    if key in seen:
        return seen[key]
    result, _ = game_state.outcome()
    if result != contract.ONGOING:
        value = {contract.FIRST: solver.LONGEST, contract.SECOND: -solver.LONGEST}.get(result, 0)
    elif game_state.swap == OFFERED:
        value = state_value(game_state, book) or value_of_draws(game_state.rules)
        # The swap is a ply; the second player takes what is better.
        value = min(value, _a_ply_earlier(-value))
    else:
        values = []
        for move in game_state.legal():
            game_state.push(move)
            values.append(_a_ply_earlier(players_value(game_state, book, seen)))
            game_state.undo()
        value = max(values) if game_state.side == 0 else min(values)
    seen[key] = value
    return value


def _a_ply_earlier(value: int) -> int:
    """Return the value before the ply that led to this one; a win without a known length stays one."""
    return value - (value > 1) + (value < -1)


def moves_with_values(game_state: GameState, book: Book) -> list[tuple[str, int]]:
    """Return the legal moves of a position with the value of the state after each, best first for the player."""
    sign = 1 if game_state.side == 0 else -1
    valued_moves = []
    for move in game_state.legal():
        text = game_state.format(move)
        game_state.push(move)
        value = state_value(game_state, book) or 0
        game_state.undo()
        # Who swaps has the first side from then on.
        valued_moves.append((text, value, value if move == contract.SWAP else sign * value))
    return [(text, value) for text, value, _ in sorted(valued_moves, key=lambda item: -item[2])]


def describe_value(value: int, seats: tuple[str, str], played: int = 0) -> str:
    """Return a value in words; ``played`` plies are added to those that are left."""
    if value == 0:
        return tr("draw")
    winner, plies = seats[0 if value > 0 else 1], solver.LONGEST - abs(value) + played
    return tr("{winner} wins in {plies}", winner=winner, plies=plies)


def solution_path(ruleset: Ruleset, project: Project) -> Path:
    """Return the file of the values of a ruleset's states."""
    name = f"{ruleset.name.replace('/', '-')}-{ruleset.unswapped.fingerprint}.states.npz"
    return project.reports / SOLUTIONS / name


def load_exact_results(project: Project) -> dict[str, ExactResult]:
    """Return the exact results by fingerprint, those that came with the rulesets and those that were solved here."""
    files = (project.rulesets / SOLUTIONS_FILE, project.reports / SOLUTIONS / SOLUTIONS_FILE)
    return {exact.fingerprint: exact for file in files for exact in read_exact_results(file)}


def read_exact_results(file: Path) -> list[ExactResult]:
    """Return the exact results of a file; none if there is no such file."""
    if not file.is_file():
        return []
    try:
        return [ExactResult(**entry) for entry in json.loads(file.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise input_error(expected(tr("a list of solutions"), str(error)), file=str(file)) from None


def solved_player(agent: AgentSpec, ruleset: Ruleset, project: Project | None = None) -> Player:
    """Return the agent as the engine reads it, with the solution that it needs if it plays by that."""
    plain = agent.player(games.declaration(ruleset.game))
    if not agent.declared.solved:
        return plain
    file = solution_path(ruleset, project or projects.find_project())
    if not file.is_file():
        reason = tr("the agent {kind} needs the solution of {ruleset}", kind=agent.kind, ruleset=ruleset.name)
        raise input_error(reason, f"workbench solve {ruleset.name} --save")
    load_state_values(file, ruleset)
    return plain._replace(solution=str(file))


def load_state_values(file: Path, ruleset: Ruleset) -> Book:
    """Return the hashes and values of a saved solution, which this process reads once."""
    try:
        words, values = load_solution(str(output.require_regular_file(file)))
        if words.dtype != np.uint64 or values.dtype != np.int32 or words.ndim != 1 or words.shape != values.shape:
            raise ValueError(tr("other columns than those of a solution"))
    except (OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, NotImplementedError, RuntimeError,
            zipfile.BadZipFile, zlib.error) as error:  # fmt: skip
        reason = expected(tr("what {command} writes", command="workbench solve"), f"{type(error).__name__}: {error}")
        hint = tr("delete it, then: workbench solve {ruleset} --save", ruleset=ruleset.name)
        raise input_error(reason, hint, file=display_path(file)) from None
    return words, values


def load_or_solve(ruleset: Ruleset, project: Project, save: bool = False) -> Book:
    """Load the saved solution of a ruleset; else solve it now, and ``save`` the solution."""
    file = solution_path(ruleset, project)
    if file.is_file():
        return load_state_values(file, ruleset)
    book: Book = addons().solve_states(ruleset=ruleset, project=project if save else None)
    return book
