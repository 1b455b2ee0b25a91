"""Whether the machine code of a game is there already, or a command takes longer the first time."""

from __future__ import annotations

from collections.abc import Iterable

from workbench import games
from workbench.engine import jit


def must_compile(functions: Iterable[str], families: Iterable[str]) -> bool:
    """Whether a compiled function, such as ``trials._play_block``, lacks machine code on disk for one of the families.

    If no family is named, whether it has none for any. The empty name, of players without machine code, counts for
    nothing.
    """
    return jit.must_compile(
        {*functions} - {""}, [games.folder(family) / "kernel.py" for family in dict.fromkeys(families)]
    )


def games_must_compile(searches: Iterable[str], families: Iterable[str]) -> bool:
    """Whether machine code is still to be made before games under rules of these families, whose players search so."""
    return must_compile(["trials._play_block", *searches], families)
