"""Rulesets of chess as UCI variants and back; imports no kernel, so that files are checked without a compiler.

`translate` defines the mapping. `find_settings` inverts it: toggle by toggle, it looks for settings whose translation
has the same normal form as a section of ``variants.ini``; remaining differences cannot be expressed. The normal form
(`normal`) is equal for equal rules however they are written, and omits keys that have no effect.

Source: F. Fichter, Fairy-Stockfish, ``variants.ini``: keys, their defaults and inheritance.

Limits: insufficient material is not expressed: engines play on in such positions, and the workbench ends the games.
Fairy-Stockfish counts a pawn's step sideways as no progress for the move limit, and promotions always as progress.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from workbench.base.errors import error_text, expected
from workbench.base.language import OR, join_list, quoted, tr
from workbench.games.chess import betza, drawings
from workbench.games.chess.betza import Moves
from workbench.games.chess.rules import DECLARATION
from workbench.games.chess.rules_moves import extinctions, goals
from workbench.games.declaration import Setting
from workbench.games.drawings import Drawing, DrawingError
from workbench.games.uci_variants import Inexpressible, UciSettings, UciVariant, uci_variant

ARRAY = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq"
COMMONER = {"king": "-", "commoner": "k", "castlingKingPiece": "k"}
"""The keys for a non-royal king."""
LOST_WITH_IT = {"extinctionValue": "loss", "extinctionPieceTypes": "k"}
"""The keys for a king whose capture loses the game."""
KEYS: Mapping[str, Mapping[Setting, Mapping[str, str]]] = {
    "turns": {"single": {}},
    "pawn_double_step": {
        "from-start": {},
        "second-and-third": {"doubleStepRegionWhite": "*2 *3", "doubleStepRegionBlack": "*7 *6"},
        "anywhere": dict.fromkeys(("doubleStepRegionWhite", "doubleStepRegionBlack"), "*1 *2 *3 *4 *5 *6 *7 *8"),
        "never": {"doubleStep": "false"},
        "first-and-second": {
            "doubleStepRegionWhite": "*1 *2", "doubleStepRegionBlack": "*8 *7", "enPassantRegion": "*3 *6",
        },
    },
    "promotion_rank": {"last": {}, "seventh": {"promotionRegionWhite": "*7 *8", "promotionRegionBlack": "*2 *1"}},
    "drops": {
        "none": {},
        "captured": {"pieceDrops": "true", "capturesToHand": "true"},
        "captured-as-they-are": {"pieceDrops": "true", "capturesToHand": "true", "dropLoop": "true"},
        "placement": {
            "pieceDrops": "true", "mustDrop": "true", "dropRegionWhite": "*1", "dropRegionBlack": "*8",
            "dropOppositeColoredBishop": "true", "castlingDroppedPiece": "true",
        },
    },
    "giving_check": {"allowed": {}, "forbidden": {"checking": "false"}},
    "castling": {"standard": {}, "never": {"castling": "false"}},
    "self_capture": {"none": {}},
    "capture": {"optional": {}, "obligatory": {"mustCapture": "true"}},
    "king": {
        "checkmate": {}, "capture": COMMONER | LOST_WITH_IT, "ordinary": COMMONER | {"promotionPieceTypes": "kqrbn"},
    },
    "goal": {"king": {}, "lose-all": {"extinctionValue": "win", "extinctionPieceTypes": "*"}},
    "blast": {
        "none": {},
        "around": COMMONER | LOST_WITH_IT | {"extinctionPseudoRoyal": "true", "blastOnCapture": "true"},
    },
    # The workbench ends such games, whereas engines play on.
    "insufficient_material": {"draw": {}, "play-on": {}},
}  # fmt: skip
"""The keys of ``variants.ini`` for each value of a toggle."""
BEROLINA = {"pawn": "-", "customPiece6": "p:mfFcfeWimfnA"} | dict.fromkeys(
    ("pawnTypes", "promotionPawnTypes", "enPassantTypes", "nMoveRuleTypes"), "p"
)
UNLESS_BARED = {"extinctionClaim": "true", "extinctionOpponentPieceCount": "2"}
BASES = {"none": "chess", "back": "pawnback", "sideways": "pawnsideways"}
"""Fairy-Stockfish's variant for each setting of `pawn_extra`."""

SLOTS = {"knight": "n", "bishop": "b", "rook": "r", "queen": "q", "king": "k"}
"""Fairy-Stockfish's names and letters of the pieces whose moves can be given in Betza's notation."""


def translate(settings: UciSettings) -> UciVariant:
    """Return the UCI variant of a ruleset.

    Raises:
        Inexpressible: UCI or Fairy-Stockfish lacks the rules.
    """
    keys: dict[str, object] = {}
    for name, translations in KEYS.items():
        new_keys = settings.translate(name, translations)
        if any(keys.get(key, value) != value for key, value in new_keys.items()):
            raise Inexpressible(tr("UCI cannot express two rules about lost pieces"))
        keys |= new_keys
    extra = settings.translate("pawn_extra", {extra_step: extra_step for extra_step in BASES})
    if extra != "none" and ("king" in keys or any(key.startswith("doubleStep") for key in keys)):
        message = tr(
            "UCI cannot express pawn_extra: {extra} with pawns or kings other than those of chess", extra=extra
        )
        raise Inexpressible(message)
    base = BASES[extra]
    if letters := settings.translate("promotion_to", {"usual": ""}, str):
        keys["promotionPieceTypes"] = letters.lower()
    keys |= _piece_keys(settings, keys)
    if settings.translate("pawn_moves", {"fmWfcF": False}, _is_berolina):
        keys |= BEROLINA
    keys |= _ending_keys(settings, keys)
    keys |= _board_keys(settings, keys)
    keys |= settings.translate("stalemate", {"draw": {}, **{end: {"stalemateValue": end} for end in ("loss", "win")}})
    keys |= settings.translate("repetition", {3: {}, 0: {"nFoldRule": 0}}, lambda times: {"nFoldRule": times})
    keys |= settings.translate("move_limit", {100: {}, 0: {"nMoveRule": 0}}, _move_limit_keys)
    keys |= settings.translate(
        "draw_value", {0.5: {}, 0: {"materialCounting": "blackdrawodds"}, 1: {"materialCounting": "whitedrawodds"}}
    )
    checks = settings.translate("checks_to_win", {0: 0}, int)
    if checks:
        keys["checkCounting"] = "true"
    counters = f"- {checks}+{checks} 0 1" if checks else "- 0 1"
    array = f"fen {ARRAY} {counters}" if checks else "startpos"
    start = settings.translate("start_position", {"array": array}, lambda fen: " ".join(("fen", fen, counters)))
    if keys.get("mustDrop") == "true":
        board, colour, castling = str(settings.translate("start_position", {"array": ARRAY}, str)).split()
        start = f"fen {_with_hands(board)} {colour} - {counters}"
        if castling == "-":
            keys |= {"castling": "false"}
        elif len(castling) < 4:
            raise Inexpressible(tr("UCI cannot express castling with only some rooks if pieces are placed"))
    if not keys:
        return UciVariant(base, start=start)
    lines = "".join(f"{name} = {value}\n" for name, value in keys.items())
    name = f"workbench-{hashlib.sha256((lines if base == 'chess' else base + lines).encode()).hexdigest()[:8]}"
    return UciVariant(name, f"[{name}:{base}]\n{lines}", start)


def _is_berolina(moves: str) -> bool:
    """Return True for Berolina pawns, or raise Inexpressible for other pawns."""
    if any(betza.rays(notation) != betza.rays("fmFfcW") for notation in betza.by_colour(moves)):
        raise Inexpressible(tr("UCI cannot express pawn_moves: {moves}", moves=moves))
    return True


def _board_keys(settings: UciSettings, keys: Mapping[str, object]) -> dict[str, object]:
    """Return the keys for the board size and promotion limits."""
    start = str(settings.translate("start_position", {"array": f"{ARRAY}"}, str))
    placement, _, castling = start.split()
    limited = settings.translate("promotion_limit", {"none": False, "captured": True})
    board_keys: dict[str, object] = {}
    if limited:
        counts = [{letter: placement.count(case(letter)) for letter in "nbrq"} for case in (str.upper, str.lower)]
        if counts[0] != counts[1] or 0 in counts[0].values():  # Fairy-Stockfish interprets 0 as no limit
            raise Inexpressible(tr("UCI cannot express promotion_limit with these starting pieces"))
        board_keys["promotionLimit"] = " ".join(f"{letter}:{count}" for letter, count in counts[0].items())
    pieces, files, ranks = drawings.parse_placement(placement)
    homes = drawings.castling_homes(pieces, castling, {"castling": "standard"})
    if any(home != (4, (7, 0)[right & 1]) for right, home in homes.items()):
        raise Inexpressible(tr("UCI cannot express castling from squares other than those of chess"))
    if (files, ranks) == (8, 8):
        return board_keys
    if keys.get("flagPiece") == "p" or any(key.startswith(("doubleStepRegion", "promotionRegion")) for key in keys):
        raise Inexpressible(tr("UCI cannot express a small board with pawns other than those of chess"))
    return board_keys | {
        "maxFile": files, "maxRank": ranks, "promotionRegionWhite": f"*{ranks}", "promotionRegionBlack": "*1",
        "doubleStepRegionWhite": "*2", "doubleStepRegionBlack": f"*{ranks - 1}",
    } | ({"dropRegionBlack": f"*{ranks}"} if "dropRegionBlack" in keys else {})  # fmt: skip


def _with_hands(board: str) -> str:
    """Return a FEN board with the pieces on the first ranks, except pawns, moved into the hands."""
    rows = board.split("/")
    hand = "".join(sorted(re.sub("[a-z0-9P]", "", rows[-1])) + sorted(re.sub("[A-Z0-9p]", "", rows[0])))
    rows[0], rows[-1] = re.sub("[a-oq-z]", "1", rows[0]), re.sub("[A-OQ-Z]", "1", rows[-1])
    joined = [re.sub("[0-9]+", lambda gap: str(sum(map(int, gap[0]))), row) for row in rows]
    return f"{'/'.join(joined)}[{hand}]"


def _extinction_keys(text: str) -> dict[str, object]:
    """Return the keys for extinction: of the same single kinds for both colours, or of a whole army without a king."""
    kinds = [{rule.letters for rule in extinctions(text) if rule.letters.isupper() == white} for white in (True, False)]
    numbers = {rule.number for rule in extinctions(text)}
    both_colours = kinds[0] == {letters.upper() for letters in kinds[1]} and len(numbers) == 1
    if both_colours and all(len(letters) == 1 for letters in kinds[0]):
        return {"extinctionPieceTypes": "".join(sorted(kinds[1])), "extinctionPieceCount": numbers.pop()}
    # The king is the last piece of the other colour, which is therefore never extinct.
    only_army = min(kinds[0] | kinds[1]) if [len(letters) for letters in kinds] in ([0, 1], [1, 0]) else ""
    if numbers == {0} and set("pnbrq") <= set(only_army.lower()):
        return {"extinctionPieceTypes": "*"}
    raise Inexpressible(tr("UCI cannot express extinction: {text}", text=text))


def _ending_keys(settings: UciSettings, keys: Mapping[str, object]) -> dict[str, object]:
    """Return the keys for winning squares, bare kings and extinction."""
    ending_keys: dict[str, object] = settings.translate("flag", {"none": {}}, _flag_keys)
    if keys.keys() & ending_keys.keys():
        raise Inexpressible(tr("UCI cannot express pawns that win where others are promoted"))
    ending_keys |= settings.translate("flag_when", {"at-once": {}, "end-of-round": {"flagMove": "true"}})
    bare = {"extinctionValue": "loss", "extinctionPieceTypes": "*", "extinctionPieceCount": "1"}
    bared = settings.translate("bare_king", {"plays-on": {}, "loses": bare, "loses-unless-bared": bare | UNLESS_BARED})
    extinct: dict[str, object] = settings.translate("extinction", {"none": {}}, _extinction_keys)
    if extinct:
        extinct |= {"extinctionValue": settings.translate("extinction_result", {"loss": "loss", "win": "win"})}
    if (bool(bared) + bool(extinct) + ("extinctionValue" in keys)) > 1:
        raise Inexpressible(tr("UCI cannot express two rules about lost pieces"))
    return ending_keys | bared | extinct


def _flag_keys(text: str) -> dict[str, object]:
    """Return the keys for winning squares, which only a single kind of piece may have."""
    regions: dict[str, str] = {}
    kinds: set[str] = set()
    for goal in goals(text):
        for side in ("White", "Black"):
            letters = {letter for letter in goal.letters if letter.isupper() == (side == "White")}
            kinds |= {letter.lower() for letter in letters}
            if letters:
                regions[f"flagRegion{side}"] = " ".join([*regions.get(f"flagRegion{side}", "").split(), *goal.places])
    if len(kinds) > 1:
        raise Inexpressible(tr("UCI cannot express flag: {text}: it allows only one kind of piece", text=text))
    if kinds == {"p"}:  # pawns do not promote on winning squares
        winning = {(letter, square) for goal in goals(text) for letter in goal.letters for square in goal.squares()}
        for side, letter, y in (("White", "P", 7), ("Black", "p", 0)):
            remaining = [f"{file}{y + 1}" for x, file in enumerate("abcdefgh") if (letter, (x, y)) not in winning]
            regions |= {f"promotionRegion{side}": " ".join(remaining) or "-"} if len(remaining) < 8 else {}
    return {"flagPiece": kinds.pop(), **regions}


def _move_limit_keys(plies: int) -> dict[str, int]:
    """Return the keys for the move limit, which UCI counts in full moves."""
    if plies % 2:
        raise Inexpressible(tr("UCI cannot express a move_limit of an odd number of plies ({plies})", plies=plies))
    return {"nMoveRule": plies // 2}


def _piece_keys(settings: UciSettings, keys: Mapping[str, object]) -> dict[str, object]:
    """Return the keys for pieces with non-standard moves; ``keys`` has those for kings and pawns."""
    piece_keys: dict[str, object] = {}
    for number, (kind, letter) in enumerate(SLOTS.items(), start=1):
        toggle = DECLARATION.toggle(f"{kind}_moves")
        moves = settings.translate(toggle.name, {toggle.default: str(toggle.default)}, str)
        if len(set(betza.by_colour(moves))) > 1:
            raise Inexpressible(tr("UCI cannot express {toggle}: {moves}", toggle=toggle.name, moves=moves))
        for part in betza.parts(moves):
            if (part.letter in "DAHCLZJG" and part.leaps != 1) or any(len(d) > 2 for d in part.directions):
                fields = {"part": part.text, "toggle": toggle.name, "moves": moves}
                raise Inexpressible(tr("UCI cannot express {part} in {toggle}: {moves}", **fields))
        if betza.rays(moves) == betza.rays(str(toggle.default)):
            continue
        if kind == "king" and "king" not in keys:
            piece_keys["king"] = f"k:{moves}"
        else:
            piece_keys |= {"commoner" if kind == "king" else kind: "-", f"customPiece{number}": f"{letter}:{moves}"}
        if kind == "rook" and "castling" not in keys:
            piece_keys["castlingRookPieces"] = letter
        piece_keys["promotionPieceTypes"] = keys.get("promotionPieceTypes", "qrbn")
    return piece_keys


PIECES = {
    "pawn": "fmWfceF", "knight": "N", "bishop": "B", "rook": "R", "queen": "Q", "fers": "F", "alfil": "A",
    "fersAlfil": "FA", "silver": "FfW", "aiwok": "RNF", "bers": "RF", "archbishop": "BN", "chancellor": "RN",
    "amazon": "QN", "knibis": "mNcB", "biskni": "mBcN", "kniroo": "mNcR", "rookni": "mRcN", "shogiPawn": "fW",
    "lance": "fR", "shogiKnight": "fN", "gold": "WfF", "dragonHorse": "BW", "clobber": "cW", "breakthrough": "fmWfF",
    "immobile": "", "cannon": "mRcpR", "janggiCannon": "pR", "soldier": "fsW", "horse": "nN", "elephant": "nA",
    "janggiElephant": "nZ", "banner": "RcpRnN", "wazir": "W", "commoner": "K", "centaur": "KN",
    **{f"customPiece{number}": "" for number in range(1, 26)}, "king": "K",
}  # fmt: skip
"""The moves of each kind of piece in Betza's notation."""
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
"""Keys that list kinds of pieces or squares, for both colours or for each colour, with their defaults."""
BOTH = (
    *("extinctionPieceTypes", "mustDropType", "dropNoDoubled", "blastImmuneTypes", "mutuallyImmuneTypes"),
    *("petrifyOnCaptureTypes", "connectPieceTypes"),
)
"""Keys that list kinds of pieces of both colours, which are empty by default."""
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
"""All other keys that affect the rules, and their defaults."""
OFF = ("false", "none", "0", "-", "")
NO_RULES = ("variantTemplate", "pieceToCharTable", "pocketSize", "pieceValueMg", "pieceValueEg", "nnueAlias")
"""Keys for display and evaluation, which do not affect the rules."""
OLDER = {
    "whiteFlag": "flagRegionWhite", "blackFlag": "flagRegionBlack", "whiteDropRegion": "dropRegionWhite",
    "blackDropRegion": "dropRegionBlack", "castlingRookPiece": "castlingRookPieces",
}  # fmt: skip
"""The current name of each renamed key."""
RANKS = {"promotionRank": "promotionRegion", "doubleStepRank": "doubleStepRegion"}
"""The keys that have replaced earlier keys with a rank by squares."""
_SQUARES = re.compile(r"([a-l*][0-9]{1,2}|[a-l]\*|-)( +([a-l*][0-9]{1,2}|[a-l]\*))* *|", re.IGNORECASE)
_MOVES = re.compile("([a-z]*[WFDNAHLCJZGKRBQ]([0-9]|(?<=N)N|(?<=W)W|(?<=F)F)?)*")
_SWITCH, _RESULTS = ("true", "false"), ("win", "loss", "draw", "none")

Squares = frozenset[tuple[int, int]]


@dataclass
class Section:
    """A section as written in a file."""

    name: str
    base: str
    line: int
    keys: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Each key with its value and its line."""
    invalid_lines: list[int] = field(default_factory=list)
    """The numbers of lines that are neither the header nor keys."""


def sections(text: str) -> Iterator[Section]:
    """Yield the sections of a text; sections without a readable header have no name."""
    section = Section("", "", 0)
    for number, line in enumerate(map(str.strip, text.removeprefix("\ufeff").splitlines()), start=1):
        key, equals, value = map(str.strip, line.partition("="))
        if line.startswith("["):
            if section.line or section.invalid_lines:
                yield section
            match = re.match(r"\[ *([^\]: ][^\]:]*)(?::([^\]]*))?\]", line)
            section = Section(match[1].strip(), (match[2] or "").strip(), number) if match else Section("", "", number)
            section.invalid_lines += [] if match else [number]
        elif line and line[0] not in "#;":
            if key and equals and section.line:
                section.keys[key] = value, number
            else:
                section.invalid_lines.append(number)
    if section.line or section.invalid_lines:
        yield section


class Unread(Exception):
    """Raised if a key cannot be read; ``names`` are the possible keys."""

    def __init__(self, key: str, expectation: str, found: str, names: tuple[str, ...] = ()) -> None:
        super().__init__(expected(expectation, quoted(found)))
        self.key, self.names = key, names


@functools.cache
def parse_squares(text: str) -> Squares:
    """Return the squares in a text such as ``d4 *8 a*``, as (file, rank) from 0."""
    return frozenset(
        (x, y)
        for word in text.lower().split()
        if word != "-"
        for x in (range(12) if word[0] == ANY else [ord(word[0]) - 97])
        for y in (range(10) if word[1:] == ANY else [int(word[1:]) - 1])
    )


@dataclass(frozen=True)
class Variant:
    """All keys of a section, including inherited keys."""

    pieces: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The letter and moves, in Betza's notation, of each kind."""
    words: dict[str, str] = field(default_factory=lambda: dict(WORDS))
    kinds: dict[str, frozenset[str]] = field(
        default_factory=lambda: {
            f"{key}{colour}": frozenset({kind} - {""}) for key, kind in KINDS.items() for colour in COLOURS
        } | dict.fromkeys(BOTH, frozenset())
    )  # fmt: skip
    regions: dict[str, Squares] = field(
        default_factory=lambda: {
            f"{key}{colour}": parse_squares(squares)
            for key, texts in REGIONS.items() for colour, squares in zip(COLOURS, texts, strict=True)
        }
    )  # fmt: skip
    written: dict[str, str] = field(default_factory=dict)
    """The section's key that set each kind or key, omitting inherited values."""

    def extended(self, section: Section) -> Variant:
        """Return a section's variant, which inherits from this one.

        Raises:
            Unread: a key or its value is unknown.
        """
        variant = replace(self, pieces={**self.pieces}, words={**self.words}, kinds={**self.kinds},
                        regions={**self.regions}, written={})  # fmt: skip
        keys = {key: value for key, (value, _) in section.keys.items() if key not in NO_RULES}
        for kind in (kind for kind in PIECES if kind in keys):
            variant._set_piece(kind, keys.pop(kind))
        # Keys that set several other keys come first.
        for key in sorted(keys, key=lambda key: (key != "maxRank", key != "pawnTypes", key.endswith(COLOURS))):
            variant._set(OLDER.get(key, key), keys[key], key)
        return variant

    def _set_piece(self, kind: str, value: str) -> None:
        letter, _, moves = value.partition(":")
        if not re.fullmatch("[A-Za-z]|-", letter) or (kind.startswith("custom") and letter != "-" and not moves):
            raise Unread(kind, tr("a letter, with moves such as a:NC, or -"), value)
        if not _MOVES.fullmatch(moves):
            raise Unread(kind, tr("Betza notation, such as NC or BfW"), moves)
        for old in [kind, *(k for k, (used, _) in self.pieces.items() if used == letter.lower())]:
            self.pieces.pop(old, None)
            for colour in COLOURS:
                self.kinds[f"promotionPieceTypes{colour}"] -= {old}
        self.written[kind] = kind
        if letter != "-":
            self.pieces[kind] = letter.lower(), moves or PIECES[kind]
        if "e" in moves:
            for colour in COLOURS:
                self.kinds[f"enPassantTypes{colour}"] |= {kind}

    def _set(self, key: str, value: str, original_key: str) -> None:
        parts: list[str] = []
        if key == "pawnTypes":
            parts = ["promotionPawnTypes", "enPassantTypes", "nMoveRuleTypes"]
        elif key in REGIONS or key in KINDS:
            parts = [f"{key}{colour}" for colour in COLOURS]
        for part in parts:
            self._set(part, value, original_key)
        if key in RANKS and value.isdecimal():
            top = int(self.words["maxRank"])
            ranks = range(int(value), top + 1) if key == "promotionRank" else range(2, int(value) + 1)
            for colour in COLOURS:
                own = [rank if colour == "White" else top + 1 - rank for rank in ranks]
                self._set(f"{RANKS[key]}{colour}", " ".join(f"*{rank}" for rank in own), original_key)
        elif key in self.kinds:
            letters = {own: kind for kind, (own, _) in self.pieces.items()} | {ANY: ANY}
            signs = value.lower().replace(" ", "").removesuffix("-")
            if unknown := next((sign for sign in signs if sign not in letters), ""):
                raise Unread(original_key, tr("piece letters ({letters})", letters="".join(letters)), unknown)
            self.kinds[key] = frozenset(letters[sign] for sign in signs)
        elif key in self.regions or key.startswith("mobilityRegion"):
            if not _SQUARES.fullmatch(value):
                raise Unread(original_key, tr("squares such as d4 *8 a*, or -"), value)
            self.regions[key] = parse_squares(value)
        elif key in WORDS:
            self.words[key] = self._read_word(key, value)
        elif not parts:
            names = (*PIECES, *WORDS, *self.kinds, *self.regions, *KINDS, *REGIONS, *NO_RULES, "pawnTypes")
            raise Unread(original_key, tr("a Fairy-Stockfish key"), original_key, names)
        self.written[key] = original_key

    def _read_word(self, key: str, value: str) -> str:
        default = WORDS[key]
        allowed = _RESULTS if key.endswith("Value") else _SWITCH if default in _SWITCH else ()
        if allowed and value not in allowed:
            raise Unread(key, join_list(allowed, OR), value)
        if key.endswith("File") and re.fullmatch("[a-lA-L]|[1-9][0-9]?", value):
            number = int(value) if value.isdecimal() else ord(value.lower()) - 96
            return str(number) if key == "maxFile" else chr(96 + number)
        if default.isdecimal() and not value.isdecimal():
            raise Unread(key, tr("a number"), value)
        return value


Settings = Mapping[str, Setting]
Letters = tuple[dict[str, str], dict[str, str]]
"""The letters of the kinds of pieces, by colour."""
CASES = (str.upper, str.lower)
NEED = {
    "drop": ("pieceDrops",), "firstRankPawnDrops": ("pieceDrops",), "promotionZonePawnDrops": ("pieceDrops",),
    "extinction": ("extinctionValue",), "nFoldValue": ("nFoldRule",), "wallingR": ("wallingRule",),
    "connect": ("connectN", "connectNxN", "collinearN"),
}  # fmt: skip
"""Prefixes of keys that only have an effect if one of the other keys is on."""
APART = ("startFen", "maxFile", "maxRank", "castling", "doubleStep", "promotionLimit", "checkCounting", "chess960")
"""Keys that have another representation in the normal form."""


class Rule(NamedTuple):
    """A variant's rule, as a comparable value and the key that sets it."""

    value: object
    key: str


@functools.cache
def built_in() -> dict[str, Variant]:
    """Return Fairy-Stockfish's named variants that are close to rulesets of chess."""
    variants = {"": Variant()}
    for section in sections((Path(__file__).parent / "variants.ini").read_text("utf-8")):
        variants[section.name] = variants[section.base].extended(section)
    return variants


class Start:
    """A variant's start position, and the kinds of pieces in its games."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        words = [*variant.words["startFen"].split(), "", "", ""]
        placement, _, hand = words[0].partition("[")
        self.colour, self.hand = words[1], hand.rstrip("]").replace("-", "")
        self.rows = [re.sub("[0-9]+", lambda gap: "." * int(gap[0]), row) for row in placement.split("/")]
        self.files, self.ranks = len(max(self.rows, key=len)), len(self.rows)
        self.checks = next((word for word in words if re.fullmatch(r"[0-9]\+[0-9]", word)), "1+1")
        self.kind_of_letter = {letter: kind for kind, (letter, _) in variant.pieces.items()}
        self.castling = "".join(filter(self._may_castle, words[2] if words[2].isalpha() else ""))
        drops = variant.words["pieceDrops"] == "true"
        self.kinds: list[list[str]] = []
        """The kinds of each colour, the most common first."""
        self.pawns: list[set[str]] = []
        self.rearmost: list[int] = []
        """The rank of each colour's rearmost pawn, from its own side."""
        for colour, (name, case) in enumerate(zip(COLOURS, CASES, strict=True)):
            signs = [sign for sign in "".join(self.rows) + self.hand if sign.isalpha() and case(sign) == sign]
            kinds = [self.kind(sign) for sign in sorted(signs, key=lambda sign: -signs.count(sign))]
            pawns = set(kinds) & variant.kinds[f"promotionPawnTypes{name}"]
            if pawns:
                kinds += sorted(variant.kinds[f"promotionPieceTypes{name}"] & set(variant.pieces))
            self.kinds.append(list(dict.fromkeys(kinds)))
            self.pawns.append(pawns)
            rows = self.rows if colour else self.rows[::-1]
            pawn_rows = [y for y, row in enumerate(rows) if any(self.kind(s) in pawns and case(s) == s for s in row)]
            self.rearmost.append(min([*pawn_rows, *([1] if drops else [])], default=0))
        if drops and variant.words["capturesToHand"] == "true":
            self.kinds = [list(dict.fromkeys(self.kinds[side] + self.kinds[1 - side])) for side in (0, 1)]

    def kind(self, sign: str) -> str:
        """Return the kind of piece for a letter, or the letter itself if there is none."""
        return self.kind_of_letter.get(sign.lower(), sign)

    def problem(self) -> str:
        """Return the reason why no game of chess can start from this position, or ""."""
        signs = {sign.lower() for sign in "".join(self.rows) + self.hand if sign.isalpha()}
        if unnamed := "".join(sorted(signs - set(self.kind_of_letter))):
            return tr("its starting position has pieces that it does not name: {letters}", letters=unnamed)
        try:
            drawings.parse_placement(re.sub("[A-Za-z]", "K", "/".join(self.rows)))
        except DrawingError as error:
            return error_text(error)
        return ""

    def _may_castle(self, right: str) -> bool:
        """Return whether the king and rook of a castling right are in place and allowed to castle."""
        words, kinds, name = self.variant.words, self.variant.kinds, COLOURS[right.islower()]
        if words["castling"] == "false":
            return False
        if words["chess960"] == "true" or (self.files, self.ranks) != (8, 8):
            return True
        row = self.rows[0 if right.islower() else -1]
        king, rook = row["abcdefgh".find(words["castlingKingFile"])], row[-1 if right in "Kk" else 0]
        kings, rooks = kinds[f"castlingKingPiece{name}"], kinds[f"castlingRookPieces{name}"]
        return self.kind(king) in kings and self.kind(rook) in rooks

    def renamed(self, letters: Letters) -> str:
        """Return the board in FEN notation, with the given letters."""

        def rename(sign: str) -> str:
            colour = sign.islower()
            return CASES[colour](letters[colour].get(self.kind(sign), sign)) if sign.isalpha() else sign

        return "/".join("".join(map(rename, row)) for row in self.rows)

    def double_steps(self, colour: int) -> set[tuple[int, int]]:
        """Return the squares from which a colour's pawns can make a double step."""
        if self.variant.words["doubleStep"] == "false" or not self.pawns[colour]:
            return set()
        return {
            (x, y)
            for x, y in self.variant.regions[f"doubleStepRegion{COLOURS[colour]}"]
            if x < self.files and self.rearmost[colour] <= (self.ranks - 1 - y if colour else y) < self.ranks - 2
        }


def normal(variant: Variant, letters: Letters) -> dict[str, Rule]:
    """Return a variant's rules in a normal form, in which equal rules have equal values."""
    start, words = Start(variant), variant.words
    inside = {(x, y) for x in range(start.files) for y in range(start.ranks)}
    rules: dict[str, Rule] = {}

    def put(name: str, value: object, key: str = "") -> None:
        rules[name] = Rule(value, key or name)

    put("startFen", (start.renamed(letters), start.colour, "".join(sorted(start.hand))))
    put("castling", start.castling)
    if (str(start.files), str(start.ranks)) != (words["maxFile"], words["maxRank"]):
        put("maxFile", (words["maxFile"], words["maxRank"]))
    if words["checkCounting"] == "true":
        put("checkCounting", start.checks)
    for colour, name in enumerate(COLOURS):
        own, pawns, steps = letters[colour], start.pawns[colour], start.double_steps(colour)

        def area(key: str, name: str = name) -> set[tuple[int, int]]:
            return {*variant.regions.get(f"{key}{name}", ())} & inside

        def signs(key: str, name: str = name, own: Mapping[str, str] = own) -> set[str]:
            return {own.get(kind, kind) for kind in variant.kinds[f"{key}{name}"]}

        for kind in (kind for kind in start.kinds[colour] if kind in variant.pieces):
            moves = variant.pieces[kind][1]
            piece_moves = _pawn_moves(moves, bool(steps)) if kind in pawns else _comparable_rays(moves)
            put(f"piece {own.get(kind, kind)} {name}", (piece_moves, kind == "king"), kind)
            region = f"{kind[0].upper()}{kind[1:]}"
            if squares := {*variant.regions.get(f"mobilityRegion{name}{region}", ())} & inside:
                put(f"region {own.get(kind, kind)} {name}", squares, f"mobilityRegion{name}{region}")
        if pawns:
            put(f"promotionPieceTypes{name}", signs("promotionPieceTypes"))
            put(f"promotionRegion{name}", area("promotionRegion"))
            put(f"doubleStepRegion{name}", steps)
            put(f"tripleStepRegion{name}", area("tripleStepRegion"))
            jumped = {y + (1 if colour else -1) for _, y in start.double_steps(1 - colour)}
            passing = {(x, y) for x, y in area("enPassantRegion") if y in jumped}
            put(f"enPassantRegion{name}", passing if pawns & variant.kinds[f"enPassantTypes{name}"] else set())
            progress = variant.kinds[f"nMoveRuleTypes{name}"] & {*start.kinds[colour]}
            put(f"nMoveRuleTypes{name}", progress and words["nMoveRule"] != "0" and {own.get(one) for one in progress})
            limits = (entry.split(":") for entry in words["promotionLimit"].lower().split() if ":" in entry)
            put(f"promotionLimit{name}", {(own.get(start.kind(sign)), n) for sign, n in limits}, "promotionLimit")
        if any(CASES[colour](right) == right for right in start.castling):
            put(f"castlingKingPiece{name}", signs("castlingKingPiece"))
            put(f"castlingRookPieces{name}", signs("castlingRookPieces"))
        if goal := area("flagRegion"):
            put(f"flagRegion{name}", goal)
            put(f"flagPiece{name}", signs("flagPiece"))
        if words["extinctionValue"] not in OFF:
            put(f"extinctionPieceTypes{name}", signs("extinctionPieceTypes", ""), "extinctionPieceTypes")
        if words["pieceDrops"] == "true":
            put(f"dropRegion{name}", area("dropRegion"))
    for key in ("mustDropType", "blastImmuneTypes", "mutuallyImmuneTypes", "petrifyOnCaptureTypes", "dropNoDoubled"):
        put(key, variant.kinds[key])
    flags = any(key.startswith("flagRegion") for key in rules)
    for key, value in words.items():
        unused = any(
            key.startswith(prefix) and all(words[need] in OFF for need in needs) for prefix, needs in NEED.items()
        )
        unused |= (key.startswith("castling") and not start.castling) or (key.startswith("flag") and not flags)
        if key not in APART and not unused and value != WORDS[key] and not {value, WORDS[key]} <= {*OFF}:
            put(key, value)
    return {name: rule for name, rule in rules.items() if rule.value}


def _comparable_rays(moves: str) -> object:
    """Return the rays of a piece, or the text itself if it cannot be read."""
    try:
        return betza.rays(workbench_betza(moves))
    except DrawingError:
        return moves


def workbench_betza(moves: str) -> str:
    """Convert Fairy-Stockfish's Betza notation, in which fN has two steep leaps, to that of the workbench."""
    return re.sub("(?<![a-z])([fblr])(?=[mc]*[NCZLJ])", r"\1\1", moves)


def _pawn_moves(moves: str, has_double_steps: bool) -> object:
    """Return a pawn's permanent moves, and its initial moves if it has double steps."""
    parts = re.findall("[a-z]*[A-Z][0-9A-Z]?", moves + "ifmnD" * (moves == PIECES["pawn"]))
    initial = {"".join(sorted(part)) for part in parts if "i" in part and has_double_steps}
    return _comparable_rays("".join(part for part in parts if "i" not in part).replace("e", "")), initial


def assign_letters(variant: Variant) -> Letters:
    """Return the letters of the kinds of pieces by colour, using at most five besides the pawns'.

    A kind that both colours have gets one letter. The other kinds share letters in pairs, the most common kinds first.
    """
    start = Start(variant)
    letters: Letters = ({}, {})
    kinds = [[kind for kind in start.kinds[side] if kind not in start.pawns[side]] for side in (0, 1)]
    for side in (0, 1):
        letters[side].update(dict.fromkeys(start.pawns[side], "p"))
    unshared = [[kind for kind in kinds[side] if kind not in kinds[1 - side]] for side in (0, 1)]
    pairs: list[tuple[str, ...]] = [(kind, kind) for kind in kinds[0] if kind in kinds[1]]
    pairs += itertools.zip_longest(*unshared, fillvalue="")
    rooks = {kind for name in COLOURS for kind in variant.kinds[f"castlingRookPieces{name}"] if start.castling}
    free = [*SLOTS.values()]
    preferences: tuple[Callable[[str], str], ...] = (
        lambda kind: "k" if kind == "king" else "r" if kind in rooks else "",
        lambda kind: variant.pieces.get(kind, " ")[0],
        lambda kind: free[0] if free else "",
    )
    for preference in preferences:
        for pair in list(pairs):
            if letter := next((own for own in map(preference, filter(None, pair)) if own in free), ""):
                free.remove(letter)
                pairs.remove(pair)
                for side, kind in enumerate(pair):
                    letters[side].update({kind: letter} if kind else {})
    return letters


def _expressed(settings: Settings) -> dict[str, Rule] | None:
    """Return the normal form of settings, or None if UCI cannot express them."""
    colours = []
    for side in (0, 1):
        own = {name: betza.by_colour(str(setting))[side] if isinstance(DECLARATION.toggle(name), Moves) else setting
               for name, setting in settings.items()}  # fmt: skip
        try:
            expressed = uci_variant(DECLARATION.name, own)
        except DrawingError:
            return None
        if not isinstance(expressed, UciVariant):
            return None
        colours.append(_section_rules(expressed.section))
    return {name: rule for side, rules in enumerate(colours) for name, rule in rules.items()
            if name.endswith("Black") == bool(side)}  # fmt: skip


@functools.lru_cache(128)
def _section_rules(text: str) -> dict[str, Rule]:
    section = next(sections(text))
    variant = built_in()[section.base].extended(section)
    own = {kind: letter for kind, (letter, _) in variant.pieces.items()}
    return normal(variant, (own, own))


def built_in_names(section: str) -> tuple[str, ...]:
    """Return the names of Fairy-Stockfish's variants that equal this section, including the pieces' letters."""
    return tuple(name for name in built_in() if name and _section_rules(f"[known:{name}]") == _section_rules(section))


def _candidates(variant: Variant, letters: Letters) -> dict[str, list[Setting]]:
    """Return the candidate settings of each toggle: its named values and the variant's texts and numbers."""
    start, words = Start(variant), variant.words
    pieces = re.sub(r"\.+", lambda gap: str(len(gap[0])), start.renamed(letters))
    candidates: dict[str, list[Setting]] = {
        "start_position": [f"{pieces} {start.colour or 'w'} {start.castling or '-'}"],
        "pawn_moves": ["fmFfcW"],
        "checks_to_win": [int(start.checks[0])],
        "repetition": [int(words["nFoldRule"])],
        "move_limit": [2 * int(words["nMoveRule"])],
    }
    for name, slot in SLOTS.items():
        moves = [workbench_betza(variant.pieces[kind][1]) if kind in variant.pieces else "" for own in letters
                for kind in [next((kind for kind, letter in own.items() if letter == slot), "")]]  # fmt: skip
        candidates[f"{name}_moves"] = ["/".join(dict.fromkeys(filter(None, moves)))]
    promoted = [{own.get(kind, "") for kind in variant.kinds[f"promotionPieceTypes{name}"]}
                for name, own in zip(COLOURS, letters, strict=True)]  # fmt: skip
    candidates["promotion_to"] = ["".join(sorted(entry, key="qrbnk".find)).upper() for entry in promoted]
    goals = []
    for colour, name in enumerate(COLOURS):
        area = [(x, y) for x, y in sorted(variant.regions[f"flagRegion{name}"]) if x < start.files and y < start.ranks]
        rows = sorted({y for _, y in area if all((x, y) in area for x in range(start.files))})
        places = [f"*{y + 1}" for y in rows] + [f"{'abcdefgh'[x]}{y + 1}" for x, y in area if y not in rows]
        signs = CASES[colour]("".join(letters[colour].get(kind, "") for kind in variant.kinds[f"flagPiece{name}"]))
        goals += [" ".join([signs, *places])] if places else []
    candidates["flag"] = ["; ".join(goals)]
    extinct = sorted((letters[0].get(kind, "") for kind in variant.kinds["extinctionPieceTypes"]), key="kqrbnp".find)
    number = words["extinctionPieceCount"].replace("0", "")
    candidates["extinction"] = [
        " ".join(f"{case(entry)}{number}" for case in CASES for entry in extinct),
        # A colour that has a king loses it last.
        *sorted(("PNBRQ", "pnbrq"), key=lambda entry: "king" in start.kinds[entry.islower()]),
    ]
    named = {toggle.name: [value.name for value in toggle.values] for toggle in DECLARATION.toggles}
    proposed = {
        name: [*filter(functools.partial(_allows, name), values), *named[name]] for name, values in candidates.items()
    }
    return proposed | {name: values for name, values in named.items() if name not in candidates}


def _allows(name: str, setting: Setting) -> bool:
    toggle = DECLARATION.toggle(name)
    try:
        if isinstance(toggle, Drawing) and toggle.is_drawn(setting) and toggle.allows(setting):
            toggle.validate(str(setting))
    except DrawingError:
        return False
    return toggle.allows(setting)


def find_settings(variant: Variant) -> tuple[list[dict[str, Setting]], dict[str, Rule]]:
    """Return the settings closest to a variant, omitting defaults, and the rules that they do not express.

    There may be several equivalent settings, some of which may be incompatible with others.
    """
    letters, defaults = assign_letters(variant), DECLARATION.defaults()
    rules, proposals = normal(variant, letters), _candidates(variant, letters)

    def unexpressed(settings: Settings) -> dict[str, Rule]:
        """Return the rules that settings do not express, or a thousand placeholders if UCI cannot express them."""
        expressed, none = _expressed(settings), Rule("", "")
        if expressed is None:
            return dict.fromkeys(map(str, range(1000)), none)
        names = [name for name in {**rules, **expressed} if rules.get(name, none)[0] != expressed.get(name, none)[0]]
        return {name: rules.get(name) or Rule("", expressed[name].key) for name in names}

    def weight(settings: Settings) -> int:
        """Return the number of unexpressed rules, counting piece moves twice."""
        names = unexpressed(settings)
        return len(names) + sum(name.startswith("piece") for name in names)

    settings: dict[str, Setting] = defaults
    for king in proposals.pop("king"):
        if weight(settings):
            settings = min(settings, _nearest({**defaults, "king": king}, proposals, weight), key=weight)
    for name, default in defaults.items():
        if variant.words["castling"] == "false" and name == "castling":
            default = "never"
        if weight({**settings, name: default}) <= weight(settings):
            settings[name] = default
    rule_changes = ({"king": "ordinary"}, {"castling": "never"}, {"insufficient_material": "play-on"})
    others = itertools.product(*(({}, change) for change in rule_changes))
    options = [{**settings, **king, **castling, **material} for king, castling, material in others]
    equal = [option for option in options if weight(option) == weight(settings)]
    changes = [{name: value for name, value in option.items() if value != defaults[name]} for option in equal]
    return changes, unexpressed(settings)


def _nearest(
    settings: Settings, proposals: Mapping[str, list[Setting]], weight: Callable[[Settings], int]
) -> dict[str, Setting]:
    """Improve settings greedily, changing a single toggle while this leaves fewer rules unexpressed."""
    nearest, best, previous = dict(settings), weight(settings), -1
    exclusive = {name: DECLARATION.toggle(name).default for name in ("goal", "extinction", "bare_king", "blast")}
    while best and best != previous:
        previous = best
        for name, values in proposals.items():
            for value, others in itertools.product(values, ({}, exclusive) if name in exclusive else ({},)):
                changed = {**nearest, **others, name: value}
                if (score := weight(changed)) < best:
                    nearest, best = changed, score
    return nearest
