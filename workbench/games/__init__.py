"""The game families: one folder each, found by name; there is no list to keep.

A family's folder holds ``rules.py`` (its `Declaration`, as ``DECLARATION``), ``kernel.py`` (the compiled rules) and
``notation.py`` (moves and boards as text).
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from workbench.games.declaration import Declaration


def names() -> list[str]:
    """The families that exist, in alphabetical order."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


def declaration(family: str) -> Declaration:
    """The declaration of a family; starts no compiler.

    Raises:
        KeyError: there is no such family.
    """
    if family not in names():
        raise KeyError(family)
    declared = importlib.import_module(f"workbench.games.{family}.rules").DECLARATION
    assert isinstance(declared, Declaration)
    return declared


def kernel(family: str) -> ModuleType:
    """The compiled rules of a family (imports Numba)."""
    return importlib.import_module(f"workbench.games.{family}.kernel")


def notation(family: str) -> ModuleType:
    """How a family writes moves and boards (imports its kernel)."""
    return importlib.import_module(f"workbench.games.{family}.notation")
