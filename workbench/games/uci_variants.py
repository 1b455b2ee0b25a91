"""What a family says of a ruleset to programs that play by the Universal Chess Interface (UCI)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench import games
from workbench.games.declaration import Setting


@dataclass(frozen=True)
class UciVariant:
    """A ruleset in the words of UCI engines; its moves are written by the family's ``notation.uci``."""

    name: str
    """The variant, as the engine's option ``UCI_Variant`` calls it; ``chess`` is known to every engine."""
    ini: str = ""
    """How ``variants.ini`` of Fairy-Stockfish says it; empty for a variant that engines know by its name."""
    start: str = "startpos"
    """Where games begin, in the words of the command ``position``."""


def uci_variant(family: str, settings: Mapping[str, Setting]) -> UciVariant | str:
    """A ruleset, by the settings of all toggles of its family, for UCI engines; or a sentence that says why not.

    A family that engines may play has a module ``uci`` with ``uci_variant(settings)``, which loads no kernel.
    """
    try:
        said = games.module(family, "uci").uci_variant(settings)
    except ModuleNotFoundError as missing:
        if missing.name != f"{games.__name__}.{family}.uci":
            raise
        return f"UCI has no words for {family}"
    assert isinstance(said, UciVariant | str)
    return said
