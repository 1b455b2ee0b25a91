"""Whether the machine code of a game is there already, or a command takes longer the first time."""

from __future__ import annotations

from collections.abc import Iterable

from workbench import games
from workbench.engine import jit


def must_compile(functions: Iterable[str], families: Iterable[str]) -> bool:
    """Whether a compiled function, such as ``trials._play_block``, lacks machine code on disk for one of the families.

    If no family is named, whether it has none for any.
    """
    return jit.must_compile(functions, [games.folder(family) / "kernel.py" for family in dict.fromkeys(families)])
