"""Rulesets by name, and what they may become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from workbench import games as families
from workbench.addons.engines import import_rules as variant_files
from workbench.base.errors import (
    InputError,
    Problem,
    WorkbenchError,
    abbreviated,
    guess,
    hide_internal_frames,
    input_error,
)
from workbench.base.language import tr
from workbench.base.project import find_project
from workbench.base.yamlfile import node_of_value
from workbench.players import agents
from workbench.players.agent_kinds import PYTHON, PythonClass
from workbench.players.agents import AgentSpec
from workbench.rules.rulesets import Ruleset, load_ruleset, ruleset_names

__all__ = ["Ruleset", "read_variants", "ruleset", "rulesets"]


@hide_internal_frames
def ruleset(name: str | Path) -> Ruleset:
    """The ruleset of a name, or of a YAML file.

    Names are those of the project folder around the current one, or else of the rulesets that come with the workbench.

    Examples:
        >>> ruleset("star/default").settings["pieces"]
        3
        >>> ruleset("star/default").derive(pieces=2).name
        'star/default pieces=2'

    Args:
        name: such as ``chatra/C``, or the path of a file.

    Raises:
        InputError: there is no such ruleset, or its file is wrong; all problems, with their lines.
    """
    return to_ruleset(name)


@hide_internal_frames
def rulesets(game: str = "") -> list[str]:
    """The names of the rulesets that there are, sorted.

    Examples:
        >>> rulesets("star")[:3]
        ['star/4x4', 'star/4x4-no-foul', 'star/5x5']

    Args:
        game: only those of this game; all, if left out.

    Raises:
        InputError: there is no such game.
    """
    if game in (reasons := families.refused()):
        raise input_error(reasons[game], key="game")
    if game and game not in families.names():
        hint = guess(game, families.names(), tr("there are {names}"))
        raise input_error(tr("expected a game, found '{game}'", game=game), hint, key="game")
    return [name for name in ruleset_names() if not game or name.startswith(f"{game}/")]


@hide_internal_frames
def read_variants(file: str | Path, unsaid: Callable[[Problem], object] | None = None) -> dict[str, Ruleset]:
    """The rulesets of chess that the sections of a ``variants.ini`` of Fairy-Stockfish say, by the sections' names.

    A section becomes a ruleset if all of it can be said: then both play by the same rules. Nothing is written;
    ``workbench import-rules`` writes the files.

    Examples:
        Those that can be said, and why not the others::

            variants = wb.read_variants("variants.ini", unsaid=print)
            wb.play(variants["coffeehouse"], games=100)

    Args:
        file: the file.
        unsaid: is told of each key that no ruleset of chess says; its section is left out.

    Raises:
        InputError: the file cannot be read; or, without ``unsaid``, a section cannot be said, with all such keys.
    """
    imported, problems = variant_files.read_variants(file)
    if problems and unsaid is None:
        raise InputError(problems)
    for problem in problems:
        assert unsaid is not None
        unsaid(problem)
    return {name: each.ruleset for name, each in imported.items()}


Agent = str | Mapping[str, object] | type
"""A player as files of experiments describe it, ``"alphabeta-2"`` or ``{"greedy": {"epsilon": 0.1}}``; or a class of
this program with ``choose(position) -> move``, where nothing is recorded."""


def other_game_now(seed: object) -> WorkbenchError:
    """Return the error of a recorded game that this engine no longer plays from its seed."""
    what = tr(
        "The game of seed {seed} is a different one now: it was played by another version of "
        "the engine, or by players that have been trained since."
    )
    return WorkbenchError(what.format(seed=seed))


def to_ruleset(value: str | Path | Ruleset) -> Ruleset:
    """A ruleset, or the one of a name or a file.

    Raises:
        InputError: there is no such ruleset, or its file is wrong.
    """
    if isinstance(value, Ruleset):
        return value
    if not isinstance(value, str | Path):
        raise input_error(
            tr("expected a ruleset or the name of one, found {value}", value=abbreviated(repr(value))), key="ruleset"
        )
    return load_ruleset(value, find_project())


def to_agent(value: Agent, ruleset: Ruleset, where: str) -> AgentSpec:
    """A player of a ruleset's game.

    Raises:
        InputError: there is no such agent or option; all problems.
    """
    declared, project = [families.declaration(ruleset.game)], find_project()
    if isinstance(value, type) and callable(getattr(value, "choose", None)):
        return AgentSpec(PYTHON, outside=PythonClass(value.__module__, value.__name__, (), "", live=value))
    try:
        if isinstance(value, str):
            return agents.agent_from_text(value, declared, where, project)
        problems: list[Problem] = []
        node = node_of_value(value, where, problems)
        spec = agents.read_agent(node, problems, project) if not problems else None
        if spec is not None:
            agents.check_agent_features(spec, node, declared, problems)
    except InputError as error:
        raise InputError(replace(problem, line=None) for problem in error.problems) from None
    if problems or spec is None:
        raise InputError(replace(problem, line=None) for problem in problems)
    return spec


def to_whole_number(value: object, where: str, low: int, high: int) -> int:
    """A whole number within limits.

    Raises:
        InputError: it is none.
    """
    number = value.__index__() if hasattr(value, "__index__") and not isinstance(value, bool) else None
    if not isinstance(number, int) or not low <= number <= high:
        message = tr("expected a whole number from {low:,} to {high:,}, found {found}")
        raise input_error(message.format(low=low, high=high, found=abbreviated(repr(value))), key=where)
    return number
