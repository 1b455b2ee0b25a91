"""What pieces are called that boards show by signs, for readers who do not see the board."""

from __future__ import annotations

from collections.abc import Mapping

from workbench import games
from workbench.language import looked_up, tr

SIGNS: Mapping[str, tuple[str, str]] = {
    "chatra": ("●★", "○☆"),
    "chess": ("♙♘♗♖♕♔", "♟♞♝♜♛♚"),
    "draughts": ("○◎☆", "●◉★"),
    "star": ("○", "●"),
}
"""By family the signs of each side, as its declaration lists the units."""
COLOURS = (tr("White"), tr("Black"))
"""The sides of draughts, where rules say which of them begins."""


def piece_title(game: str, sign: str) -> str:
    """A piece such as "White pawn" by its sign, which has an apostrophe where the board says whose it is.

    What stands for nobody and has no other name is called by its sign, and nothing by nothing.
    """
    family = games.declaration(game)
    if not sign:
        return ""
    for seat, signs in enumerate(SIGNS.get(game, ())):
        if sign in signs:
            unit = family.units[signs.index(sign)]
            side = COLOURS[seat] if game == "draughts" else family.seats[seat]
            return tr("{side} {piece}", side=side, piece=unit.title or looked_up(unit.name))
    if game == "rengo":
        return tr("{side} {piece}", side=family.seats[sign.endswith("'")], piece=sign.removesuffix("'"))
    return tr("star") if (game, sign) == ("star", "★") else sign
