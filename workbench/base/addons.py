"""Add-ons: how they are found, and what the core may ask them.

An add-on is a folder of `workbench.addons`. Its ``__init__`` says in a line what it is for, and implements some of the
functions of `Hooks`, each marked with `offers`; they import what they need when they are called.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import Any

import pluggy

offers = pluggy.HookimplMarker("workbench")
_asked = pluggy.HookspecMarker("workbench")


class Hooks:
    """Functions that an add-on may offer; all of them are called, or the first that answers (``firstresult``)."""

    @_asked
    def add_commands(self) -> None:
        """Imports the modules that add commands to `workbench.cli.app.app`."""

    @_asked(firstresult=True)
    def programs(self) -> Any:
        """The `players.external.Programs`, by which programs play."""

    @_asked(firstresult=True)
    def solve_states(self, ruleset: Any, project: Any) -> Any:
        """Solves a ruleset, and saves the solution in a project, if there is one; a `players.solutions.Book`."""


@functools.cache
def addons() -> Any:
    """The functions that the add-ons offer: ``addons().add_commands()`` calls this one of each."""
    manager = pluggy.PluginManager("workbench")
    manager.add_hookspecs(Hooks)
    package = importlib.import_module("workbench.addons")
    # What is registered last is called first.
    for module in reversed([*pkgutil.iter_modules(package.__path__)]):
        manager.register(importlib.import_module(f"{package.__name__}.{module.name}"))
    return manager.hook
