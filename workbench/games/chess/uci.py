"""Which rulesets of chess can be said to UCI engines; imports no kernel, so that files are checked without a compiler.

Limits: too few pieces to mate is not said. Engines play on in such positions, and the workbench ends the games.

Source: F. Fichter, Fairy-Stockfish, ``variants.ini``: the list of keys.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.games.uci_variants import UciVariant

KINGS_ARE_TAKEN = {
    "king": "-",
    "commoner": "k",
    "castlingKingPiece": "k",
    "extinctionValue": "loss",
    "extinctionPieceTypes": "k",
}
"""A king that is a piece as any other, but that who has lost it has lost."""


def uci_variant(settings: Mapping[str, Setting]) -> UciVariant | str:
    """The variant for the settings of every toggle; a sentence that says why, where there is none."""
    if settings["turns"] != "single":
        return f"UCI has one ply a turn, and here turns is {settings['turns']}"
    limit = int(settings["move_limit"])
    if limit % 2:
        return f"UCI counts moves of both players, and here move_limit is an odd number of plies ({limit})"
    keys: dict[str, object] = {}
    defaults = DECLARATION.defaults()
    if settings["king"] == "capture":
        keys |= KINGS_ARE_TAKEN
    if settings["stalemate"] != defaults["stalemate"]:
        keys["stalemateValue"] = settings["stalemate"]
    if settings["repetition"] != defaults["repetition"]:
        keys["nFoldRule"] = settings["repetition"]
    if limit != defaults["move_limit"]:
        keys["nMoveRule"] = limit // 2
    if not keys:
        return UciVariant("chess")
    lines = "".join(f"{name} = {value}\n" for name, value in keys.items())
    name = f"workbench-{hashlib.sha256(lines.encode()).hexdigest()[:8]}"
    return UciVariant(name, f"[{name}:chess]\n{lines}")
