"""Which rulesets of chess can be said to UCI engines; imports no kernel, so that files are checked without a compiler.

Limits: too few pieces to mate is not said. Engines play on in such positions, and the workbench ends the games.
Fairy-Stockfish counts a pawn's step sideways as no progress for the limit of plies, and promotions always as progress.

Source: F. Fichter, Fairy-Stockfish, ``variants.ini``: the list of keys.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from workbench.games import betza
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
LOSE_ALL = {
    "king": "-",
    "commoner": "k",
    "promotionPieceTypes": "kqrbn",
    "extinctionValue": "win",
    "extinctionPieceTypes": "*",
}
"""A king that is a piece as any other, and who has no piece left has won."""
DOUBLE_STEPS = {
    "from-start": {},
    "second-and-third": {"doubleStepRegionWhite": "*2 *3", "doubleStepRegionBlack": "*7 *6"},
    "anywhere": {
        "doubleStepRegionWhite": "*1 *2 *3 *4 *5 *6 *7 *8",
        "doubleStepRegionBlack": "*1 *2 *3 *4 *5 *6 *7 *8",
    },
    "never": {"doubleStep": "false"},
}
BASES = {"none": "chess", "back": "pawnback", "sideways": "pawnsideways"}
"""By further steps of pawns: the variant of Fairy-Stockfish that has them."""

PIECES = {"knight": "n", "bishop": "b", "rook": "r", "queen": "q", "king": "k"}
"""What Fairy-Stockfish calls the pieces that may move by Betza's notation, and their letters."""


def uci_variant(settings: Mapping[str, Setting]) -> UciVariant | str:
    """The variant for the settings of every toggle; a sentence that says why, where there is none."""
    if settings["turns"] != "single":
        return f"UCI has one ply a turn, and here turns is {settings['turns']}"
    limit = int(settings["move_limit"])
    if limit % 2:
        return f"UCI counts moves of both players, and here move_limit is an odd number of plies ({limit})"
    if settings["castling"] == "after-move-10":
        return "UCI has no words for castling: after-move-10"
    if settings["self_capture"] != "none":
        return f"UCI has no words for self_capture: {settings['self_capture']}"
    base = BASES[str(settings["pawn_extra"])]
    if base != "chess" and (settings["pawn_double_step"] != "from-start" or settings["king"] != "checkmate"):
        return (
            f"UCI has no words for pawn_extra: {settings['pawn_extra']} with other pawns or kings than those of chess"
        )
    for kind in PIECES:
        for part in betza.parts(str(settings[f"{kind}_moves"])):
            if (part.letter in "DAHCLZJG" and part.leaps != 1) or any(len(way) > 2 for way in part.directions):
                return f"UCI has no words for {part.text} in {kind}_moves: {settings[f'{kind}_moves']}"
    keys: dict[str, object] = {**DOUBLE_STEPS[str(settings["pawn_double_step"])]}
    defaults = DECLARATION.defaults()
    if settings["castling"] == "never":
        keys["castling"] = "false"
    if settings["capture"] == "obligatory":
        keys["mustCapture"] = "true"
    if settings["king"] == "ordinary":
        keys |= LOSE_ALL
    if settings["king"] == "capture":
        keys |= KINGS_ARE_TAKEN
    keys |= _pieces(settings, keys)
    if settings["stalemate"] != defaults["stalemate"]:
        keys["stalemateValue"] = settings["stalemate"]
    if settings["repetition"] != defaults["repetition"]:
        keys["nFoldRule"] = settings["repetition"]
    if limit != defaults["move_limit"]:
        keys["nMoveRule"] = limit // 2
    drawn = str(settings["start_position"])
    begins = "startpos" if drawn == defaults["start_position"] else " ".join(("fen", drawn, "- 0 1"))
    if not keys:
        return UciVariant(base, start=begins)
    lines = "".join(f"{name} = {value}\n" for name, value in keys.items())
    name = f"workbench-{hashlib.sha256((lines if base == 'chess' else base + lines).encode()).hexdigest()[:8]}"
    return UciVariant(name, f"[{name}:{base}]\n{lines}", begins)


def _pieces(settings: Mapping[str, Setting], keys: Mapping[str, object]) -> dict[str, object]:
    """The keys for pieces that move otherwise than in chess; ``keys`` say already what becomes of kings and pawns."""
    said: dict[str, object] = {}
    for number, (kind, letter) in enumerate(PIECES.items(), start=1):
        moves = str(settings[f"{kind}_moves"])
        if betza.rays(moves) == betza.rays(str(DECLARATION.toggle(f"{kind}_moves").default)):
            continue
        if kind == "king" and "king" not in keys:
            said["king"] = f"k:{moves}"
        else:
            said |= {"commoner" if kind == "king" else kind: "-", f"customPiece{number}": f"{letter}:{moves}"}
        if kind == "rook" and settings["castling"] != "never":
            said["castlingRookPieces"] = letter
        said["promotionPieceTypes"] = keys.get("promotionPieceTypes", "qrbn")
    return said
