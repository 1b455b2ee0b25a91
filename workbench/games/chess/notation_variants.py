"""The names of variants of chess in PGN's tag ``Variant``, as Lichess and python-chess write them; loads no kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import COMMON, Setting, equal_settings

STANDARD, CHESS960 = "Standard", "Chess960"
_HORDE = "rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq"
VARIANTS: Mapping[str, Mapping[str, Setting]] = {
    STANDARD: {},
    "Antichess": {
        "goal": "lose-all", "capture": "obligatory", "king": "ordinary", "castling": "never", "stalemate": "win",
    },
    "Atomic": {"blast": "around"},
    "Crazyhouse": {"drops": "captured"},
    "Horde": {"extinction": "PNBRQ", "pawn_double_step": "first-and-second", "start_position": _HORDE},
    "King of the Hill": {"flag": "Kk d4 e4 d5 e5"},
    "Racing Kings": {
        "flag": "Kk *8", "flag_when": "end-of-round", "giving_check": "forbidden", "castling": "never",
    },
    "Three-check": {"checks_to_win": 3},
}  # fmt: skip
"""What differs from chess, draws and the start left aside."""
_SPELLINGS = {
    STANDARD: "standard chess classical normal fromposition",
    CHESS960: "chess960 fischerandom fischerrandom",
    "Antichess": "antichess anti",
    "Atomic": "atomic atom atomicchess",
    "Crazyhouse": "crazyhouse house zh",
    "Horde": "horde hordechess",
    "King of the Hill": "kingofthehill koth",
    "Racing Kings": "racingkings racing race",
    "Three-check": "threecheck threecheckchess 3check",
}
"""How tags write each name, of which only letters and digits count."""
_LEFT_ASIDE = {"repetition", "move_limit", "insufficient_material", "start_position", *(one.name for one in COMMON)}


def variant(settings: Mapping[str, Setting]) -> str:
    """The name of the variant that some rules play; "" where others have no name for them."""
    for name, differs in VARIANTS.items():
        wanted = DECLARATION.defaults() | dict(differs)
        if all(equal_settings(settings[each], value) for each, value in wanted.items() if each not in _LEFT_ASIDE):
            return name if settings["start_position"] == "array" else _from(name, settings)
    return ""


def _from(name: str, settings: Mapping[str, Setting]) -> str:
    """The name where games begin elsewhere: castling of kings and rooks on other squares makes it Chess960."""
    placement, _, castling = str(settings["start_position"]).split()
    rows = [re.sub("[0-9]", lambda gap: "." * int(gap[0]), row) for row in placement.split("/")]
    if {len(rows), *map(len, rows)} != {8}:
        return ""
    for right in castling.replace("-", ""):
        row, x = rows[-right.isupper()], {"K": 7, "Q": 0}.get(right.upper(), "ABCDEFGH".find(right.upper()))
        if x not in (0, 7) or row[x].upper() + row[4].upper() != "RK":
            return CHESS960 if name == STANDARD else ""
    return name


def named(tag: str) -> str:
    """The name of the variant that a tag spells, as `variant` has it; "" if it is none of them."""
    plain = re.sub("[^a-z0-9]", "", tag.casefold())
    return next((name for name, spellings in _SPELLINGS.items() if plain in spellings.split()), "")
