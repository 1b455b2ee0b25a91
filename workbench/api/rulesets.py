"""Rulesets by name, and conversion of arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from workbench import games as families
from workbench.base import errors
from workbench.base.errors import InputError, WorkbenchError, abbreviated, expected, hide_internal_frames, input_error
from workbench.base.language import quoted, tr
from workbench.base.project import find_project
from workbench.base.yamlfile import node_from_value
from workbench.players import agents
from workbench.players.agent_kinds import PYTHON, PythonClass
from workbench.players.agents import AgentSpec
from workbench.rules.rulesets import Ruleset, load_ruleset, ruleset_names

__all__ = ["Ruleset", "ruleset", "rulesets"]


@hide_internal_frames
def ruleset(name: str | Path) -> Ruleset:
    """Return a ruleset, given its name or its YAML file.

    Names refer to the project folder around the current folder, or else to the shipped rulesets.

    Examples:
        >>> ruleset("star/default").settings["pieces"]
        3
        >>> ruleset("star/default").derive(pieces=2).name
        'star/default pieces=2'

    Args:
        name: such as ``chatra/C``, or the path of a file.

    Raises:
        InputError: the ruleset does not exist, or its file is invalid; lists all problems with their lines.
    """
    return to_ruleset(name)


@hide_internal_frames
def rulesets(game: str = "") -> list[str]:
    """Return the names of the available rulesets, sorted.

    Examples:
        >>> rulesets("star")[:3]
        ['star/4x4', 'star/4x4-no-foul', 'star/5x5']

    Args:
        game: the game; by default all games.

    Raises:
        InputError: the game does not exist.
    """
    if game in (reasons := families.refused()):
        raise input_error(reasons[game], key="game")
    if game and game not in families.names():
        hint = errors.guess(game, families.names(), tr("there are {names}"))
        raise input_error(expected(tr("a game"), quoted(game)), hint, key="game")
    return [name for name in ruleset_names() if not game or name.startswith(f"{game}/")]


Agent = str | Mapping[str, object] | type
"""A player as described in experiment files, ``"alphabeta-2"`` or ``{"greedy": {"epsilon": 0.1}}``, or a class of the
program with ``choose(position) -> move`` if nothing is recorded."""


def changed_game_error(seed: object) -> WorkbenchError:
    """Return the error for a recorded game that this engine no longer reproduces from its seed."""
    message = tr(
        "The game with seed {seed} has changed: it was played by another version of the engine, or its players "
        "have been retrained."
    )
    return WorkbenchError(message.format(seed=seed))


def to_ruleset(value: str | Path | Ruleset) -> Ruleset:
    """Return a ruleset, given as an object, a name or a file; raise `InputError` if it is missing or invalid."""
    if isinstance(value, Ruleset):
        return value
    if not isinstance(value, str | Path):
        raise input_error(expected(tr("a ruleset or its name"), abbreviated(repr(value))), key="ruleset")
    return load_ruleset(value, find_project())


def to_agent(value: Agent, ruleset: Ruleset, key: str) -> AgentSpec:
    """Return a player for a ruleset's game; raise `InputError` with all problems."""
    declarations, project = [families.declaration(ruleset.game)], find_project()
    if isinstance(value, type) and callable(getattr(value, "choose", None)):
        return AgentSpec(PYTHON, outside=PythonClass(value.__module__, value.__name__, (), "", live=value))
    try:
        if isinstance(value, str):
            return agents.agent_from_text(value, declarations, key, project)
        problems: list[errors.Problem] = []
        node = node_from_value(value, key, problems)
        spec = agents.read_agent(node, problems, project) if not problems else None
        if spec is not None:
            agents.check_agent_features(spec, node, declarations, problems)
    except InputError as error:
        raise InputError(replace(problem, line=None) for problem in error.problems) from None
    if problems or spec is None:
        raise InputError(replace(problem, line=None) for problem in problems)
    return spec


def to_whole_number(value: object, key: str, low: int, high: int) -> int:
    """Return a whole number within limits; raise `InputError` for anything else."""
    number = value.__index__() if hasattr(value, "__index__") and not isinstance(value, bool) else None
    if not isinstance(number, int) or not low <= number <= high:
        expected_range = tr("{kind} from {low} to {high}", kind=tr("a whole number"), low=f"{low:,}", high=f"{high:,}")
        raise input_error(expected(expected_range, abbreviated(repr(value))), key=key)
    return number
