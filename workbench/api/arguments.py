"""What callers say: names, numbers and agents, as what they stand for or as an error in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from workbench import games
from workbench.errors import InputError, Problem, WorkbenchError, abbreviated, input_error
from workbench.files import project as projects
from workbench.files.yamlfile import node_of_value
from workbench.language import tr
from workbench.questions import agents, rulesets
from workbench.questions.agent_kinds import PYTHON, PythonClass
from workbench.questions.agents import AgentSpec
from workbench.questions.rulesets import Ruleset

Agent = str | Mapping[str, object] | type
"""A player as files of experiments describe it, ``"alphabeta-2"`` or ``{"greedy": {"epsilon": 0.1}}``; or a class of
this program with ``choose(position) -> move``, where nothing is recorded."""


def argument_error(where: str, message: str, hint: str = "") -> InputError:
    """The error of one thing that was said."""
    return input_error(message, hint, key=where)


def other_game_now(seed: object) -> WorkbenchError:
    """Return the error of a recorded game that this engine no longer plays from its seed."""
    what = tr(
        "The game of seed {seed} comes out otherwise now: it was played by another version of the engine, or by "
        "players that have learned since."
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
        raise argument_error(
            "ruleset",
            tr("expected a ruleset or the name of one, found {abbreviated}", abbreviated=abbreviated(repr(value))),
        )
    return rulesets.load_ruleset(value, projects.find_project())


def to_agent(value: Agent, ruleset: Ruleset, where: str) -> AgentSpec:
    """A player of a ruleset's game.

    Raises:
        InputError: there is no such agent or option; all problems.
    """
    families, project = [games.declaration(ruleset.game)], projects.find_project()
    if isinstance(value, type) and callable(getattr(value, "choose", None)):
        return AgentSpec(PYTHON, outside=PythonClass(value.__module__, value.__name__, (), "", live=value))
    try:
        if isinstance(value, str):
            return agents.agent_from_text(value, families, where, project)
        problems: list[Problem] = []
        node = node_of_value(value, where, problems)
        spec = agents.read_agent(node, problems, project) if not problems else None
        if spec is not None:
            agents.check_agent_features(spec, node, families, problems)
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
        found = abbreviated(repr(value))
        raise argument_error(
            where,
            tr("expected a whole number from {low:,} to {high:,}, found {found}", low=low, high=high, found=found),
        )
    return number
