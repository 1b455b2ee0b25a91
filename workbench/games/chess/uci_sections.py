"""Sections of ``variants.ini``, and all keys of the variant that each of them is.

Source: F. Fichter, Fairy-Stockfish, ``variants.ini``: keys, their defaults, and what is inherited.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from workbench.base.errors import expected
from workbench.base.language import OR, join_list, quoted, tr

PIECES = {
    "pawn": "fmWfceF", "knight": "N", "bishop": "B", "rook": "R", "queen": "Q", "fers": "F", "alfil": "A",
    "fersAlfil": "FA", "silver": "FfW", "aiwok": "RNF", "bers": "RF", "archbishop": "BN", "chancellor": "RN",
    "amazon": "QN", "knibis": "mNcB", "biskni": "mBcN", "kniroo": "mNcR", "rookni": "mRcN", "shogiPawn": "fW",
    "lance": "fR", "shogiKnight": "fN", "gold": "WfF", "dragonHorse": "BW", "clobber": "cW", "breakthrough": "fmWfF",
    "immobile": "", "cannon": "mRcpR", "janggiCannon": "pR", "soldier": "fsW", "horse": "nN", "elephant": "nA",
    "janggiElephant": "nZ", "banner": "RcpRnN", "wazir": "W", "commoner": "K", "centaur": "KN",
    **{f"customPiece{number}": "" for number in range(1, 26)}, "king": "K",
}  # fmt: skip
"""Kinds of pieces and how they move."""
COLOURS = ("White", "Black")
ANY = "*"
"""All kinds of pieces, or all files or ranks."""
_ALL = " ".join(f"*{rank}" for rank in range(1, 11))
KINDS = {
    "promotionPawnTypes": "pawn", "promotionPieceTypes": "", "enPassantTypes": "pawn", "nMoveRuleTypes": "pawn",
    "castlingKingPiece": "king", "castlingRookPieces": "rook", "flagPiece": ANY,
}  # fmt: skip
REGIONS = {
    "promotionRegion": ("*8", "*1"), "doubleStepRegion": ("*2", "*7"), "tripleStepRegion": ("", ""),
    "enPassantRegion": (_ALL, _ALL), "dropRegion": (_ALL, _ALL), "flagRegion": ("", ""), "wallingRegion": (_ALL, _ALL),
}  # fmt: skip
"""Keys of both colours, or of each, that list kinds of pieces, and squares; with their defaults."""
BOTH = (
    *("extinctionPieceTypes", "mustDropType", "dropNoDoubled", "blastImmuneTypes", "mutuallyImmuneTypes"),
    *("petrifyOnCaptureTypes", "connectPieceTypes"),
)
"""Keys that list kinds of pieces of both colours; none if nothing is said."""
_SWITCHED_OFF = """chess960 twoBoards sittuyinPromotion piecePromotionOnCapture mandatoryPiecePromotion pieceDemotion
blastOnCapture petrifyBlastPieces castlingDroppedPiece oppositeCastling mustCapture mustDrop pieceDrops dropLoop
capturesToHand firstRankPawnDrops promotionZonePawnDrops sittuyinRookDrop dropOppositeColoredBishop dropPromoted
immobilityIllegal gating wallOrMove seirawanGating cambodianMoves pass passWhite passBlack passOnStalemate
passOnStalemateWhite passOnStalemateBlack makpongRule flyingGeneral nFoldValueAbsolute perpetualCheckIllegal
moveRepetitionIllegal stalematePieceCount shogiPawnDropMateIllegal shatarMateRule bikjangRule extinctionClaim
extinctionPseudoRoyal dupleCheck flagPieceBlockedWin flagMove flagPieceSafe checkCounting adjudicateFullBoard freeDrops
dropOnTop"""
_SWITCHED_ON = """doubleStep castling checking dropChecks mandatoryPawnPromotion connectHorizontal connectVertical
connectDiagonal"""
_NONE = """extinctionValue materialCounting countingRule chasingRule enclosingDrop enclosingDropStart flipEnclosedPieces
wallingRule diagonalLines castlingWins connectRegion1White connectRegion1Black connectRegion2White connectRegion2Black
promotionLimit promotedPieceType castlingRookKingsideFile"""
WORDS = {
    **dict.fromkeys(_SWITCHED_OFF.split(), "false"), **dict.fromkeys(_SWITCHED_ON.split(), "true"),
    **dict.fromkeys(_NONE.split(), "none"),
    "extinctionPieceCount": "0", "extinctionOpponentPieceCount": "0", "connectN": "0", "connectNxN": "0",
    "collinearN": "0", "castlingRank": "1", "soldierPromotionRank": "1", "flagPieceCount": "1",
    "dropNoDoubledCount": "1", "nMoveRule": "50", "nFoldRule": "3", "maxRank": "8", "maxFile": "8",
    "nFoldValue": "draw", "stalemateValue": "draw", "checkmateValue": "loss", "connectValue": "win",
    "castlingKingsideFile": "g", "castlingQueensideFile": "c", "castlingKingFile": "e",
    "castlingRookQueensideFile": "a",
    "startFen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
}  # fmt: skip
"""All other keys that say something of the rules, and their defaults."""
OFF = ("false", "none", "0", "-", "")
NO_RULES = ("variantTemplate", "pieceToCharTable", "pocketSize", "pieceValueMg", "pieceValueEg", "nnueAlias")
"""Keys of what programs show, and of what their players think of pieces."""
OLDER = {
    "whiteFlag": "flagRegionWhite", "blackFlag": "flagRegionBlack", "whiteDropRegion": "dropRegionWhite",
    "blackDropRegion": "dropRegionBlack", "castlingRookPiece": "castlingRookPieces",
}  # fmt: skip
"""Keys by earlier names."""
RANKS = {"promotionRank": "promotionRegion", "doubleStepRank": "doubleStepRegion"}
"""Earlier keys that say by a rank what is said by squares today."""
_SQUARES = re.compile(r"([a-l*][0-9]{1,2}|[a-l]\*|-)( +([a-l*][0-9]{1,2}|[a-l]\*))* *|", re.IGNORECASE)
_MOVES = re.compile("([a-z]*[WFDNAHLCJZGKRBQ]([0-9]|(?<=N)N|(?<=W)W|(?<=F)F)?)*")
_SWITCH, _RESULTS = ("true", "false"), ("win", "loss", "draw", "none")

Squares = frozenset[tuple[int, int]]


@dataclass
class Section:
    """A section as it is written."""

    name: str
    base: str
    line: int
    keys: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Each key with its value and its line."""
    wrong: list[int] = field(default_factory=list)
    """The lines that are neither its head nor keys."""


def sections(text: str) -> Iterator[Section]:
    """Yield the sections of a text; one whose head cannot be read, and what stands before the first, have no name."""
    section = Section("", "", 0)
    for number, line in enumerate(map(str.strip, text.removeprefix("\ufeff").splitlines()), start=1):
        key, equals, value = map(str.strip, line.partition("="))
        if line.startswith("["):
            if section.line or section.wrong:
                yield section
            match = re.match(r"\[ *([^\]: ][^\]:]*)(?::([^\]]*))?\]", line)
            section = Section(match[1].strip(), (match[2] or "").strip(), number) if match else Section("", "", number)
            section.wrong += [] if match else [number]
        elif line and line[0] not in "#;":
            if key and equals and section.line:
                section.keys[key] = value, number
            else:
                section.wrong.append(number)
    if section.line or section.wrong:
        yield section


class Unread(Exception):
    """A key that cannot be read; ``names`` are those that may have been meant."""

    def __init__(self, key: str, what: str, found: str, names: tuple[str, ...] = ()) -> None:
        super().__init__(expected(what, quoted(found)))
        self.key, self.names = key, names


@functools.cache
def squares_of(text: str) -> Squares:
    """Return the squares of words such as ``d4``, ``*8`` and ``a*``, as file and rank from 0."""
    return frozenset(
        (x, y)
        for word in text.lower().split()
        if word != "-"
        for x in (range(12) if word[0] == ANY else [ord(word[0]) - 97])
        for y in (range(10) if word[1:] == ANY else [int(word[1:]) - 1])
    )


@dataclass(frozen=True)
class Variant:
    """All keys of a section, and of those that it inherits from."""

    pieces: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Kind -> its letter, and how it moves in Betza's notation."""
    words: dict[str, str] = field(default_factory=lambda: dict(WORDS))
    kinds: dict[str, frozenset[str]] = field(
        default_factory=lambda: {
            f"{key}{colour}": frozenset({kind} - {""}) for key, kind in KINDS.items() for colour in COLOURS
        } | dict.fromkeys(BOTH, frozenset())
    )  # fmt: skip
    regions: dict[str, Squares] = field(
        default_factory=lambda: {
            f"{key}{colour}": squares_of(each)
            for key, texts in REGIONS.items() for colour, each in zip(COLOURS, texts, strict=True)
        }
    )  # fmt: skip
    written: dict[str, str] = field(default_factory=dict)
    """Kind or key -> the key by which its section says so; empty for what is inherited."""

    def of(self, section: Section) -> Variant:
        """What inherits from this one and has the keys of a section.

        Raises:
            Unread: a key is unknown, or its value is.
        """
        after = replace(self, pieces={**self.pieces}, words={**self.words}, kinds={**self.kinds},
                        regions={**self.regions}, written={})  # fmt: skip
        keys = {key: value for key, (value, _) in section.keys.items() if key not in NO_RULES}
        for kind in (kind for kind in PIECES if kind in keys):
            after._set_piece(kind, keys.pop(kind))
        # What stands for several keys comes before these.
        for key in sorted(keys, key=lambda key: (key != "maxRank", key != "pawnTypes", key.endswith(COLOURS))):
            after._set(OLDER.get(key, key), keys[key], key)
        return after

    def _set_piece(self, kind: str, value: str) -> None:
        letter, _, moves = value.partition(":")
        if not re.fullmatch("[A-Za-z]|-", letter) or (kind.startswith("custom") and letter != "-" and not moves):
            raise Unread(kind, tr("a letter, with moves such as a:NC, or -"), value)
        if not _MOVES.fullmatch(moves):
            raise Unread(kind, tr("Betza notation, such as NC or BfW"), moves)
        for gone in [kind, *(each for each, (own, _) in self.pieces.items() if own == letter.lower())]:
            self.pieces.pop(gone, None)
            for colour in COLOURS:
                self.kinds[f"promotionPieceTypes{colour}"] -= {gone}
        self.written[kind] = kind
        if letter != "-":
            self.pieces[kind] = letter.lower(), moves or PIECES[kind]
        if "e" in moves:
            for colour in COLOURS:
                self.kinds[f"enPassantTypes{colour}"] |= {kind}

    def _set(self, key: str, value: str, written: str) -> None:
        parts: list[str] = []
        if key == "pawnTypes":
            parts = ["promotionPawnTypes", "enPassantTypes", "nMoveRuleTypes"]
        elif key in REGIONS or key in KINDS:
            parts = [f"{key}{colour}" for colour in COLOURS]
        for part in parts:
            self._set(part, value, written)
        if key in RANKS and value.isdecimal():
            top = int(self.words["maxRank"])
            ranks = range(int(value), top + 1) if key == "promotionRank" else range(2, int(value) + 1)
            for colour in COLOURS:
                own = [rank if colour == "White" else top + 1 - rank for rank in ranks]
                self._set(f"{RANKS[key]}{colour}", " ".join(f"*{rank}" for rank in own), written)
        elif key in self.kinds:
            letters = {own: kind for kind, (own, _) in self.pieces.items()} | {ANY: ANY}
            signs = value.lower().replace(" ", "").removesuffix("-")
            if unknown := next((sign for sign in signs if sign not in letters), ""):
                raise Unread(written, tr("letters of pieces ({letters})", letters="".join(letters)), unknown)
            self.kinds[key] = frozenset(letters[sign] for sign in signs)
        elif key in self.regions or key.startswith("mobilityRegion"):
            if not _SQUARES.fullmatch(value):
                raise Unread(written, tr("squares such as d4 *8 a*, or -"), value)
            self.regions[key] = squares_of(value)
        elif key in WORDS:
            self.words[key] = self._word(key, value)
        elif not parts:
            names = (*PIECES, *WORDS, *self.kinds, *self.regions, *KINDS, *REGIONS, *NO_RULES, "pawnTypes")
            raise Unread(written, tr("a key of Fairy-Stockfish"), written, names)
        self.written[key] = written

    def _word(self, key: str, value: str) -> str:
        usual = WORDS[key]
        allowed = _RESULTS if key.endswith("Value") else _SWITCH if usual in _SWITCH else ()
        if allowed and value not in allowed:
            raise Unread(key, join_list(allowed, OR), value)
        if key.endswith("File") and re.fullmatch("[a-lA-L]|[1-9][0-9]?", value):
            number = int(value) if value.isdecimal() else ord(value.lower()) - 96
            return str(number) if key == "maxFile" else chr(96 + number)
        if usual.isdecimal() and not value.isdecimal():
            raise Unread(key, tr("a number"), value)
        return value
