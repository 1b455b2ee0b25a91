"""Add-ons: how they are found, and what the core may ask them.

An add-on is a folder of `workbench.addons`. Its ``__init__`` says in a line what it is for, and implements some of the
functions of `Hooks`, each marked with `offers`; they import what they need when they are called.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from workbench.base.keys import Key
    from workbench.base.project import Project

offers = pluggy.HookimplMarker("workbench")
_asked = pluggy.HookspecMarker("workbench")
_first = functools.partial(_asked, firstresult=True)


@dataclass(frozen=True)
class FileKind:
    """A kind of YAML file that users write into a folder of their project."""

    name: str
    """In one word, such as ``search``."""
    folder: str
    """The name of the folder, such as ``searches``."""
    heading: str
    """Stands above these files in a list."""
    schema_title: str
    keys: Mapping[str, Key]
    load: Callable[[Path, Project], Any]
    """Reads and checks a file; raises `InputError`."""

    @property
    def schema(self) -> str:
        """The path of its JSON Schema within a project."""
        return f"{self.folder}/{self.name}.schema.json"


class Hooks:
    """Functions that an add-on may offer; all of them are called, or the first that answers (``firstresult``)."""

    @_asked
    def add_commands(self) -> None:
        """Import the modules that add commands to `workbench.cli.app.app`."""

    @_asked
    def file_kinds(self) -> FileKind:  # type: ignore[empty-body]
        """Return a kind of file that users write."""

    @_first
    def play_file(self, kind: str, path: Path, executor: Any, tell: Any) -> bool | None:
        """Play the games of a file of this `FileKind`, and say so to the studio; None if it is another add-on's."""

    @_asked
    def studio_page(self) -> Any:
        """Return the module of a page of the studio; see `workbench.studio.pages`."""

    @_first
    def write_page(self, folder: Path, language: str | None) -> bool | None:
        """Write the page of a folder that the add-on made, and print what it says; None if it made another one."""

    @_first
    def suggest_changes(self, ruleset: Any, measure: str, more: bool) -> list[str] | None:
        """Return which changes of a `Ruleset` bring more, or less, of a measure by kept games, in sentences."""

    @_first
    def explain_change(
        self, was: Any, now: Any, player: Any, games: int, seed: int, max_plies: int
    ) -> list[str] | None:
        """Return where in a game the change from one `Ruleset` to another acts, by games of a player, in sentences."""

    @_first
    def name_variant(self, ruleset: Any) -> Any:
        """Return the tags by which files of games, PGN or PDN, name the variant of a `Ruleset`."""

    @_asked
    def report_section(self, trials: Any, provenance: Mapping[str, Any], analysis: Any, names: Any) -> Any:
        """Return a `Section` of the report on an experiment, behind the answer; None if there is nothing to say."""

    @_first
    def replay_moves(self, rules: Any, lines: Any) -> Any:
        """Return the hash of each list of moves, as records have it; 0 where a move is not legal."""

    @_first
    def programs(self) -> Any:
        """Return the `players.external.Programs` by which programs play."""

    @_first
    def solve_states(self, ruleset: Any, project: Any) -> Any:
        """Solve a ruleset, and save the solution in a project, if there is one; return a `players.library.Book`."""


@functools.cache
def addons() -> Any:
    """Return the functions that the add-ons offer: ``addons().add_commands()`` calls this one of each."""
    manager = pluggy.PluginManager("workbench")
    manager.add_hookspecs(Hooks)
    package = importlib.import_module("workbench.addons")
    # What is registered last is called first.
    for module in reversed([*pkgutil.iter_modules(package.__path__)]):
        manager.register(importlib.import_module(f"{package.__name__}.{module.name}"))
    return manager.hook
