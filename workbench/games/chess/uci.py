"""Which rulesets of chess can be said to UCI engines; imports no kernel, so that files are checked without a compiler.

Limits: too few pieces to mate is not said. Engines play on in such positions, and the workbench ends the games.
Fairy-Stockfish counts a pawn's step sideways as no progress for the limit of plies, and promotions always as progress.

Source: F. Fichter, Fairy-Stockfish, ``variants.ini``: the list of keys.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from workbench.base.language import tr
from workbench.games import betza
from workbench.games.chess import drawings
from workbench.games.chess.rules import DECLARATION
from workbench.games.chess.rules_endings import goals
from workbench.games.chess.rules_moves import extinctions
from workbench.games.declaration import Setting
from workbench.games.uci_variants import UciVariant, Untaken, Untold

ARRAY = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq"
COMMONER = {"king": "-", "commoner": "k", "castlingKingPiece": "k"}
"""The keys for a king that is a piece as any other."""
LOST_WITH_IT = {"extinctionValue": "loss", "extinctionPieceTypes": "k"}
"""Who has lost it has lost."""
KEYS: Mapping[str, Mapping[Setting, Mapping[str, str]]] = {
    "turns": {"single": {}},
    "pawn_double_step": {
        "from-start": {},
        "second-and-third": {"doubleStepRegionWhite": "*2 *3", "doubleStepRegionBlack": "*7 *6"},
        "anywhere": dict.fromkeys(("doubleStepRegionWhite", "doubleStepRegionBlack"), "*1 *2 *3 *4 *5 *6 *7 *8"),
        "never": {"doubleStep": "false"},
        "first-and-second": {
            "doubleStepRegionWhite": "*1 *2",
            "doubleStepRegionBlack": "*8 *7",
            "enPassantRegion": "*3 *6",
        },
    },
    "promotion_rank": {"last": {}, "seventh": {"promotionRegionWhite": "*7 *8", "promotionRegionBlack": "*2 *1"}},
    "drops": {
        "none": {},
        "captured": {"pieceDrops": "true", "capturesToHand": "true"},
        "captured-as-they-are": {"pieceDrops": "true", "capturesToHand": "true", "dropLoop": "true"},
        "placement": {
            "pieceDrops": "true",
            "mustDrop": "true",
            "dropRegionWhite": "*1",
            "dropRegionBlack": "*8",
            "dropOppositeColoredBishop": "true",
            "castlingDroppedPiece": "true",
        },
    },
    "giving_check": {"allowed": {}, "forbidden": {"checking": "false"}},
    "castling": {"standard": {}, "never": {"castling": "false"}},
    "self_capture": {"none": {}},
    "capture": {"optional": {}, "obligatory": {"mustCapture": "true"}},
    "king": {
        "checkmate": {},
        "capture": COMMONER | LOST_WITH_IT,
        "ordinary": COMMONER | {"promotionPieceTypes": "kqrbn"},
    },
    "goal": {"king": {}, "lose-all": {"extinctionValue": "win", "extinctionPieceTypes": "*"}},
    "blast": {
        "none": {},
        "around": COMMONER | LOST_WITH_IT | {"extinctionPseudoRoyal": "true", "blastOnCapture": "true"},
    },
    # The workbench ends such games, and engines play on.
    "insufficient_material": {"draw": {}, "play-on": {}},
}
"""What the keys of ``variants.ini`` say of the values of a toggle."""
BEROLINA = {"pawn": "-", "customPiece6": "p:mfFcfeWimfnA"} | dict.fromkeys(
    ("pawnTypes", "promotionPawnTypes", "enPassantTypes", "nMoveRuleTypes"), "p"
)
UNLESS_BARED = {"extinctionClaim": "true", "extinctionOpponentPieceCount": "2"}
BASES = {"none": "chess", "back": "pawnback", "sideways": "pawnsideways"}
"""By further steps of pawns: the variant of Fairy-Stockfish that has them."""

PIECES = {"knight": "n", "bishop": "b", "rook": "r", "queen": "q", "king": "k"}
"""What Fairy-Stockfish calls the pieces that may move by Betza's notation, and their letters."""


def uci_variant(untaken: Untaken) -> UciVariant:
    """Return the variant for the settings of a ruleset.

    Raises:
        Untold: UCI, or Fairy-Stockfish, has no words for one.
    """
    keys: dict[str, object] = {}
    for name, known in KEYS.items():
        more = untaken.words(name, known)
        if any(keys.get(key, value) != value for key, value in more.items()):
            raise Untold(tr("UCI has no words for two rules about pieces that are lost"))
        keys |= more
    extra = untaken.words("pawn_extra", {each: each for each in BASES})
    if extra != "none" and ("king" in keys or any(key.startswith("doubleStep") for key in keys)):
        said = tr("UCI has no words for pawn_extra: {extra} with other pawns or kings than those of chess", extra=extra)
        raise Untold(said)
    base = BASES[extra]
    if letters := untaken.words("promotion_to", {"usual": ""}, str):
        keys["promotionPieceTypes"] = letters.lower()
    keys |= _pieces(untaken, keys)
    if untaken.words("pawn_moves", {"fmWfcF": False}, _berolina):
        keys |= BEROLINA
    keys |= _endings(untaken, keys)
    keys |= _board(untaken, keys)
    keys |= untaken.words("stalemate", {"draw": {}, **{end: {"stalemateValue": end} for end in ("loss", "win")}})
    keys |= untaken.words("repetition", {3: {}, 0: {"nFoldRule": 0}}, lambda times: {"nFoldRule": times})
    keys |= untaken.words("move_limit", {100: {}, 0: {"nMoveRule": 0}}, _moves)
    keys |= untaken.words(
        "draw_value", {0.5: {}, 0: {"materialCounting": "blackdrawodds"}, 1: {"materialCounting": "whitedrawodds"}}
    )
    checks = untaken.words("checks_to_win", {0: 0}, int)
    if checks:
        keys["checkCounting"] = "true"
    counted = f"- {checks}+{checks} 0 1" if checks else "- 0 1"
    array = f"fen {ARRAY} {counted}" if checks else "startpos"
    start = untaken.words("start_position", {"array": array}, lambda drawn: " ".join(("fen", drawn, counted)))
    if keys.get("mustDrop") == "true":
        board, colour, castling = str(untaken.words("start_position", {"array": ARRAY}, str)).split()
        start = f"fen {_taken_up(board)} {colour} - {counted}"
        if castling == "-":
            keys |= {"castling": "false"}
        elif len(castling) < 4:
            raise Untold(tr("UCI has no words for castling of some rooks alone where pieces are placed"))
    if not keys:
        return UciVariant(base, start=start)
    lines = "".join(f"{name} = {value}\n" for name, value in keys.items())
    name = f"workbench-{hashlib.sha256((lines if base == 'chess' else base + lines).encode()).hexdigest()[:8]}"
    return UciVariant(name, f"[{name}:{base}]\n{lines}", start)


def _berolina(moves: str) -> bool:
    """Return whether these are the pawns of Berolina chess, the only other ones that can be said.

    Raises:
        Untold: they are not.
    """
    if any(betza.rays(each) != betza.rays("fmFfcW") for each in betza.of_colours(moves)):
        raise Untold(tr("UCI has no words for pawn_moves: {moves}", moves=moves))
    return True


def _board(untaken: Untaken, keys: Mapping[str, object]) -> dict[str, object]:
    """Return the keys for the size of the board, and for what pawns can become."""
    start = str(untaken.words("start_position", {"array": f"{ARRAY}"}, str))
    placement, _, castling = start.split()
    limited = untaken.words("promotion_limit", {"none": False, "captured": True})
    said: dict[str, object] = {}
    if limited:
        counts = [{letter: placement.count(of(letter)) for letter in "nbrq"} for of in (str.upper, str.lower)]
        if counts[0] != counts[1] or 0 in counts[0].values():  # Fairy-Stockfish takes 0 for no limit
            raise Untold(tr("UCI has no words for promotion_limit where the colours begin with other pieces"))
        said["promotionLimit"] = " ".join(f"{letter}:{count}" for letter, count in counts[0].items())
    pieces, files, ranks = drawings.pieces_of(placement)
    homes = drawings.castling_homes(pieces, castling, {"castling": "standard"})
    if any(home != (4, (7, 0)[right & 1]) for right, home in homes.items()):
        raise Untold(tr("UCI has no words for castling from other squares than those of chess"))
    if (files, ranks) == (8, 8):
        return said
    if keys.get("flagPiece") == "p" or any(key.startswith(("doubleStepRegion", "promotionRegion")) for key in keys):
        raise Untold(tr("UCI has no words for a small board with other pawns than those of chess"))
    return said | {
        "maxFile": files,
        "maxRank": ranks,
        "promotionRegionWhite": f"*{ranks}",
        "promotionRegionBlack": "*1",
        "doubleStepRegionWhite": "*2",
        "doubleStepRegionBlack": f"*{ranks - 1}",
        **({"dropRegionBlack": f"*{ranks}"} if "dropRegionBlack" in keys else {}),
    }


def _taken_up(board: str) -> str:
    """Return the board of a FEN with the pieces of the first ranks in hand, pawns aside."""
    rows = board.split("/")
    hand = "".join(sorted(re.sub("[a-z0-9P]", "", rows[-1])) + sorted(re.sub("[A-Z0-9p]", "", rows[0])))
    rows[0], rows[-1] = re.sub("[a-oq-z]", "1", rows[0]), re.sub("[A-OQ-Z]", "1", rows[-1])
    joined = [re.sub("[0-9]+", lambda gap: str(sum(map(int, gap[0]))), row) for row in rows]
    return f"{'/'.join(joined)}[{hand}]"


def _extinction(text: str) -> dict[str, object]:
    """The keys for pieces that may not be lost: single kinds of both colours, or all of a colour without a king."""
    kinds = [{one.letters for one in extinctions(text) if one.letters.isupper() == white} for white in (True, False)]
    numbers = {one.number for one in extinctions(text)}
    alike = kinds[0] == {each.upper() for each in kinds[1]} and len(numbers) == 1
    if alike and all(len(each) == 1 for each in kinds[0]):
        return {"extinctionPieceTypes": "".join(sorted(kinds[1])), "extinctionPieceCount": numbers.pop()}
    # The other colour loses its king last.
    alone = min(kinds[0] | kinds[1]) if [len(each) for each in kinds] in ([0, 1], [1, 0]) else ""
    if numbers == {0} and set("pnbrq") <= set(alone.lower()):
        return {"extinctionPieceTypes": "*"}
    raise Untold(tr("UCI has no words for extinction: {text}", text=text))


def _endings(untaken: Untaken, keys: Mapping[str, object]) -> dict[str, object]:
    """Return the keys for squares that win, and for bare kings."""
    said: dict[str, object] = untaken.words("flag", {"none": {}}, _flag)
    if keys.keys() & said.keys():
        raise Untold(tr("UCI has no words for pawns that win where others become pieces"))
    said |= untaken.words("flag_when", {"at-once": {}, "end-of-round": {"flagMove": "true"}})
    bare = {"extinctionValue": "loss", "extinctionPieceTypes": "*", "extinctionPieceCount": "1"}
    bared = untaken.words("bare_king", {"plays-on": {}, "loses": bare, "loses-unless-bared": bare | UNLESS_BARED})
    lost: dict[str, object] = untaken.words("extinction", {"none": {}}, _extinction)
    if lost:
        lost |= {"extinctionValue": untaken.words("extinction_result", {"loss": "loss", "win": "win"})}
    if (bool(bared) + bool(lost) + ("extinctionValue" in keys)) > 1:
        raise Untold(tr("UCI has no words for two rules about pieces that are lost"))
    return said | bared | lost


def _flag(text: str) -> dict[str, object]:
    """Return the keys for squares that win: of one kind of piece, the same for both colours."""
    regions: dict[str, str] = {}
    kinds: set[str] = set()
    for goal in goals(text):
        for side in ("White", "Black"):
            own = {letter for letter in goal.letters if letter.isupper() == (side == "White")}
            kinds |= {letter.lower() for letter in own}
            if own:
                regions[f"flagRegion{side}"] = " ".join([*regions.get(f"flagRegion{side}", "").split(), *goal.places])
    if len(kinds) > 1:
        raise Untold(tr("UCI has no words for flag: {text}: it has one kind of piece at most", text=text))
    if kinds == {"p"}:  # which stay pawns there
        won = {(letter, square) for goal in goals(text) for letter in goal.letters for square in goal.squares()}
        for side, letter, y in (("White", "P", 7), ("Black", "p", 0)):
            left = [f"{file}{y + 1}" for x, file in enumerate("abcdefgh") if (letter, (x, y)) not in won]
            regions |= {f"promotionRegion{side}": " ".join(left) or "-"} if len(left) < 8 else {}
    return {"flagPiece": kinds.pop(), **regions}


def _moves(plies: int) -> dict[str, int]:
    """Return the limit of plies, in moves of both players."""
    if plies % 2:
        said = tr(
            "UCI counts moves of both players, and here move_limit is an odd number of plies ({plies})", plies=plies
        )
        raise Untold(said)
    return {"nMoveRule": plies // 2}


def _pieces(untaken: Untaken, keys: Mapping[str, object]) -> dict[str, object]:
    """The keys for pieces that move otherwise than in chess; ``keys`` say already what becomes of kings and pawns."""
    said: dict[str, object] = {}
    for number, (kind, letter) in enumerate(PIECES.items(), start=1):
        toggle = DECLARATION.toggle(f"{kind}_moves")
        moves = untaken.words(toggle.name, {toggle.default: str(toggle.default)}, str)
        if len(set(betza.of_colours(moves))) > 1:
            raise Untold(tr("UCI has no words for {toggle}: {moves}", toggle=toggle.name, moves=moves))
        for part in betza.parts(moves):
            if (part.letter in "DAHCLZJG" and part.leaps != 1) or any(len(way) > 2 for way in part.directions):
                named = {"part": part.text, "toggle": toggle.name, "moves": moves}
                raise Untold(tr("UCI has no words for {part} in {toggle}: {moves}", **named))
        if betza.rays(moves) == betza.rays(str(toggle.default)):
            continue
        if kind == "king" and "king" not in keys:
            said["king"] = f"k:{moves}"
        else:
            said |= {"commoner" if kind == "king" else kind: "-", f"customPiece{number}": f"{letter}:{moves}"}
        if kind == "rook" and "castling" not in keys:
            said["castlingRookPieces"] = letter
        said["promotionPieceTypes"] = keys.get("promotionPieceTypes", "qrbn")
    return said
