"""Game families, one folder each, found by name.

A family's folder contains ``rules.py`` (its `Declaration`, as ``DECLARATION``), ``kernel.py`` (the compiled rules) and
``notation.py`` (moves and boards as text). Wherever the folder is, the family is the package
``workbench.games.<name>``: in this package, in an installed package or in the user's project (`workbench.games.added`).
Other modules access families by name through this one.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from workbench.games.declaration import Declaration

_PREFIX = f"{__name__}."


def names() -> list[str]:
    """Return the names of all playable families in alphabetical order."""
    from workbench.games import added

    return sorted({*shipped(), *(name for name, game in added.families().items() if not added.load_problem(game))})


@functools.cache
def shipped() -> frozenset[str]:
    """Return the names of the families that ship with the workbench."""
    return frozenset(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def refused() -> dict[str, str]:
    """Return, for each family that cannot be played, the reason as a sentence."""
    from workbench.games import added

    reasons = {name: added.load_problem(game) for name, game in added.families().items() if name not in shipped()}
    return {name: reason for name, reason in reasons.items() if reason}


def declaration(family: str) -> Declaration:
    """Return a family's declaration without starting a compiler.

    Raises:
        KeyError: there is no such family, or it cannot be played.
    """
    if family not in shipped() and family not in names():
        raise KeyError(family)
    declared = module(family, "rules").DECLARATION
    assert isinstance(declared, Declaration)
    return declared


def module(family: str, name: str) -> ModuleType:
    """Import a module of a family.

    Raises:
        ModuleNotFoundError: the family has no such module.
        RefusedGame: the family's code is not allowed to run.
    """
    return importlib.import_module(f"{_PREFIX}{family}.{name}")


def kernel(family: str) -> ModuleType:
    """Import a family's compiled rules; also imports Numba."""
    return module(family, "kernel")


def notation(family: str) -> ModuleType:
    """Import a family's notation; also imports its kernel."""
    return module(family, "notation")


def folder(family: str) -> Path:
    """Return a family's folder."""
    if family in shipped():
        return Path(__path__[0]) / family
    from workbench.games import added

    return added.families()[family].folder


class _AddedFamilyFinder:
    """An import finder for families outside this package."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(_PREFIX):
            return None
        family, _, submodule = name.removeprefix(_PREFIX).partition(".")
        if family in shipped():
            return None
        from workbench.games import added

        return added.spec(family, submodule)


# Remove the finder of a previously imported copy of this module.
sys.meta_path[:] = [f for f in sys.meta_path if getattr(f, "__module__", "") != __name__]
sys.meta_path.append(_AddedFamilyFinder)
