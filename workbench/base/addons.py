"""Discovery of add-ons, and the hooks through which the core calls them.

An add-on is a folder of `workbench.addons`. The first line of its ``__init__`` states its purpose; the module
implements some functions of `Hooks`, each marked with `offers` and importing what it needs when called.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from workbench.base.keys import Key
    from workbench.base.project import Project

offers = pluggy.HookimplMarker("workbench")
_hook = pluggy.HookspecMarker("workbench")
_first = functools.partial(_hook, firstresult=True)


@dataclass(frozen=True)
class FileKind:
    """A kind of YAML file that users write in a folder of their project."""

    name: str
    """A single word, such as ``search``."""
    folder: str
    """The folder within a project, such as ``searches``."""
    heading: str
    """The heading above these files in a list."""
    schema_title: str
    keys: Mapping[str, Key]
    load: Callable[[Path, Project], Any]
    """Reads and validates a file; raises `InputError`."""
    status: Callable[[Path], Any] | None = None
    """Returns the `workbench.runs.progress.FolderStatus` of an add-on's report folder."""
    stages: Mapping[str, str] = field(default_factory=dict)
    """The stages that a run reports, in words."""

    @property
    def schema(self) -> str:
        """The path of its JSON Schema within a project."""
        return f"{self.folder}/{self.name}.schema.json"


class Hooks:
    """Functions that an add-on may implement; all are called, or those up to the first result (``firstresult``)."""

    @_hook
    def add_commands(self) -> None:
        """Import the modules that add commands to `workbench.cli.application.app`."""

    @_hook
    def file_kinds(self) -> FileKind:  # type: ignore[empty-body]
        """Return a kind of file that users write."""

    @_first
    def play_file(self, kind: str, path: Path, executor: Any, tell: Any) -> bool | None:
        """Play the games of a file of this kind, reporting progress; return None if another add-on has the kind."""

    @_hook
    def studio_page(self) -> Any:
        """Return the module of a studio page; see `workbench.studio.pages`."""

    @_first
    def write_page(self, folder: Path, language: str | None) -> bool | None:
        """Write the page of the add-on's folder and print its text; return None for another add-on's folder."""

    @_first
    def similar_toggles(self, game: str, text: str) -> list[str] | None:
        """Return the names of a game's toggles whose words resemble a text, most similar first."""

    @_first
    def suggest_changes(self, ruleset: Any, measure: str, more: bool) -> list[str] | None:
        """Return sentences, based on saved games, about changes to a `Ruleset` that affect a measure."""

    @_first
    def fulfil_wish(self, ruleset: Any, wish: Any) -> Mapping[str, Any] | None:
        """Return how a `Ruleset` fulfils a `Wish` in saved games, and the changes that do.

        ``now`` is a sentence, ``moot`` is true if it leaves nothing to wish for, ``settled`` are all goals that are
        reached. ``changes`` are the best pairs of a toggle and a setting, and ``notes`` tell of all measured pairs; ""
        tells that one does nothing for the wish.
        """

    @_first
    def explain_change(
        self, before: Any, after: Any, player: Any, games: int, seed: int, max_plies: int
    ) -> list[str] | None:
        """Return sentences on the part of a player's games in which a change from one `Ruleset` to another matters."""

    @_first
    def name_variant(self, ruleset: Any) -> Any:
        """Return the PGN or PDN tags that name the variant of a `Ruleset`."""

    @_hook
    def report_section(self, trials: Any, provenance: Mapping[str, Any], analysis: Any, names: Any) -> Any:
        """Return a `Section` for an experiment's report, placed after the answer; None if there is nothing to show."""

    @_first
    def replay_moves(self, rules: Any, lines: Any) -> Any:
        """Return the hash of each list of moves, as stored in records; 0 for a list with an illegal move."""

    @_first
    def programs(self) -> Any:
        """Return the `players.external.Programs` that run external programs."""

    @_first
    def solve_states(self, ruleset: Any, project: Any) -> Any:
        """Solve a ruleset, save the solution in the project if given, and return a `players.library.Book`."""


@functools.cache
def addons() -> Any:
    """Return the hooks of all add-ons: ``addons().add_commands()`` calls every implementation."""
    manager = pluggy.PluginManager("workbench")
    manager.add_hookspecs(Hooks)
    package = importlib.import_module("workbench.addons")
    # Pluggy calls the hooks registered last first.
    for module in reversed([*pkgutil.iter_modules(package.__path__)]):
        manager.register(importlib.import_module(f"{package.__name__}.{module.name}"))
    return manager.hook
