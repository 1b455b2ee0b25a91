"""The rule workbench: compares proposals for the rules of a board game by playing them.

Data flow:

1. ``rulesets/*.yaml`` -> `workbench.rules.rulesets` -> one small tuple of integers per variant;
2. ``experiments/*.yaml`` -> `workbench.experiments.experiment` -> cells (ruleset x pairing) -> blocks of games;
3. `workbench.runs` -> `workbench.engine` and `workbench.games` (compiled) -> records in `workbench.records`;
4. ``reports/<experiment>/trials`` -> `workbench.statistics` -> tables and verdicts;
5. `workbench.report` -> what a designer reads.

For programs and notebooks, ``import workbench as wb`` provides the names in `__all__`. They are stable; all else in
the package may change with any version. Each is imported on first use, which keeps the import itself fast.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.addons.engines.import_rules import read_variants
    from workbench.addons.handicap.even import EvenGame, handicap
    from workbench.addons.people.importing import read_games
    from workbench.api import plot
    from workbench.api.experiments import load, run
    from workbench.api.games import Game, Outcome, PlayedGame, play
    from workbench.api.results import (
        compare,
        even_openings,
        measure,
        moves,
        remove_measure,
        replay,
        summary,
        write_report,
    )
    from workbench.api.rulesets import Ruleset, ruleset, rulesets
    from workbench.base.errors import InputError, Problem, WorkbenchError
    from workbench.positions.game_state import IllegalMove
    from workbench.runs.executor import Stopped
    from workbench.runs.progress import Progress

__version__ = "1.0.0"

__all__ = [
    "EvenGame",
    "Game",
    "IllegalMove",
    "InputError",
    "Outcome",
    "PlayedGame",
    "Problem",
    "Progress",
    "Ruleset",
    "Stopped",
    "WorkbenchError",
    "__version__",
    "compare",
    "even_openings",
    "handicap",
    "load",
    "measure",
    "moves",
    "play",
    "plot",
    "read_games",
    "read_variants",
    "remove_measure",
    "replay",
    "ruleset",
    "rulesets",
    "run",
    "summary",
    "write_report",
]

_HOMES = {
    "EvenGame": "addons.handicap.even",
    "Game": "api.games",
    "IllegalMove": "positions.game_state",
    "InputError": "base.errors",
    "Outcome": "api.games",
    "PlayedGame": "api.games",
    "Problem": "base.errors",
    "Progress": "runs.progress",
    "Ruleset": "api.rulesets",
    "Stopped": "runs.executor",
    "WorkbenchError": "base.errors",
    "compare": "api.results",
    "even_openings": "api.results",
    "handicap": "addons.handicap.even",
    "load": "api.experiments",
    "measure": "api.results",
    "moves": "api.results",
    "play": "api.games",
    "read_games": "addons.people.importing",
    "read_variants": "addons.engines.import_rules",
    "remove_measure": "api.results",
    "replay": "api.results",
    "ruleset": "api.rulesets",
    "rulesets": "api.rulesets",
    "run": "api.experiments",
    "summary": "api.results",
    "write_report": "api.results",
}
"""The module that defines each name, relative to the package."""


class _Workbench(ModuleType):
    """The type of this package, which can be pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Functions defined in notebooks are sent to workers together with the objects that they refer to.
        return importlib.import_module, (__name__,)


sys.modules[__name__].__class__ = _Workbench


if not TYPE_CHECKING:  # type checkers would accept every name in a module with this function

    def __getattr__(name: str) -> Any:
        if name == "plot":
            return importlib.import_module(f"{__name__}.api.plot")
        if name not in _HOMES:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        if isinstance(value, type):
            # The source may not be installed.
            with contextlib.suppress(OSError):
                _document_fields(value)
        globals()[name] = value
        return value

    def _document_fields(cls: type) -> None:
        """Add a class's fields to its docstring, because `help` does not show the strings below them."""
        import ast
        import inspect
        import itertools
        import textwrap

        (class_definition,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
        fields = [
            f"    {node.target.id}: {' '.join(next_node.value.value.split())}"
            for node, next_node in itertools.pairwise(class_definition.body)
            if isinstance(node, ast.AnnAssign) and isinstance(next_node, ast.Expr)
        ]
        if fields:
            cls.__doc__ = "\n".join([inspect.cleandoc(cls.__doc__ or ""), "", "Fields:", *fields])


def __dir__() -> list[str]:
    return [*__all__]
