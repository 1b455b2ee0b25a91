"""The rule workbench: compares proposals for the rules of a board game by playing them.

The way of the data:

1. ``rulesets/*.yaml`` -> `workbench.rules.rulesets` -> one small tuple of integers per variant;
2. ``experiments/*.yaml`` -> `workbench.experiments.experiment` -> cells (ruleset x pairing) -> blocks of games;
3. `workbench.runs` -> `workbench.engine` and `workbench.games` (compiled) -> records in `workbench.records`;
4. ``reports/<experiment>/trials`` -> `workbench.statistics` -> tables and verdicts;
5. `workbench.report` -> what a designer reads.

For programs and notebooks, ``import workbench as wb`` gives the names of `__all__`. They are stable; all else in the
package may change with any version. Each is imported when it is first asked for, so that the import itself is quick.
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
    from workbench.runs.progress import Progress, Stopped

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
    "Stopped": "runs.progress",
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
"""Where a name comes from."""


class _Workbench(ModuleType):
    """This package."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Functions of notebooks that are sent to workers take along what they name.
        return importlib.import_module, (__name__,)


sys.modules[__name__].__class__ = _Workbench


if not TYPE_CHECKING:  # to type checkers, a module with such a function has every name

    def __getattr__(name: str) -> Any:
        if name == "plot":
            return importlib.import_module(f"{__name__}.api.plot")
        if name not in _HOMES:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        if isinstance(found, type):
            # An installation may have no source.
            with contextlib.suppress(OSError):
                _document_fields(found)
        globals()[name] = found
        return found

    def _document_fields(kind: type) -> None:
        """Add the fields of a class to its docstring, as `help` shows nothing of what stands beneath them."""
        import ast
        import inspect
        import itertools
        import textwrap

        (defined,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
        fields = [
            f"    {one.target.id}: {' '.join(next_one.value.value.split())}"
            for one, next_one in itertools.pairwise(defined.body)
            if isinstance(one, ast.AnnAssign) and isinstance(next_one, ast.Expr)
        ]
        if fields:
            kind.__doc__ = "\n".join([inspect.cleandoc(kind.__doc__ or ""), "", "Fields:", *fields])


def __dir__() -> list[str]:
    return [*__all__]
