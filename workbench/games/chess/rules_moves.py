"""What chess may change of its moves: promotion, drops, exploding captures, checks that are forbidden, pieces lost."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from workbench.base.language import AND, OR, join, join_list, tr, trc
from workbench.games.chess.rules_endings import PARTON, pieces_in_words
from workbench.games.declaration import Blank, Conflict, NoEffect, Setting, Toggle, Value
from workbench.games.drawings import DrawingError, Text

GRAND = tr("C. Freeling, Grand Chess, 1984, MindSports")
LOS_ALAMOS = tr("P. Stein, S. Ulam, Experiments in Chess on Electronic Computing Machines, 1957: Los Alamos chess")
CRAZYHOUSE = tr("Crazyhouse, Free Internet Chess Server, 1995; lichess.org, variants; P. Benko, Pre-Chess, 1978")
ATOMIC = tr("Atomic chess, German Internet Chess Server, 1995; lichess.org, variants")
HORDE = tr("Lord Dunsany, Dunsany's Chess, 1942; Horde, lichess.org; R. W. Schmittberger, Extinction Chess, 1985")


class Extinction(NamedTuple):
    """Pieces of one colour that are too few."""

    letters: str
    """Their kinds, as in FEN."""
    number: int
    """So many, or fewer, are too few."""


def extinctions(text: str) -> list[Extinction]:
    """What the text of the toggle `extinction` says."""
    matches = (re.fullmatch("([PNBRQKpnbrqk]+)([0-9]*)", word) for word in text.split())
    return [Extinction(match[1], int(match[2] or 0)) for match in matches if match]


@dataclass(frozen=True)
class Extinct(Text):
    """Pieces of which a colour may not have too few, such as ``PNBRQ`` or ``K1 k1``."""

    form: str = r"([PNBRQK]{1,6}|[pnbrqk]{1,6})[0-9]?( ([PNBRQK]{1,6}|[pnbrqk]{1,6})[0-9]?)*"
    what: str = tr("pieces of one colour such as PNBRQ, with a number such as K1, and others behind a space")
    pattern: str = "^[PNBRQKpnbrqk]+[0-9]?( [PNBRQKpnbrqk0-9 ]+)?$"

    def sentence(self, setting: Setting) -> str:
        """Return the rule book's sentence, with the pieces in words."""
        if not self.is_drawn(setting) or not re.fullmatch(self.form, str(setting)):
            return super().sentence(setting)
        parts = [
            tr("{pieces}: {n} or fewer", pieces=pieces_in_words(one.letters, AND), n=one.number)
            if one.number
            else tr("{pieces}: none", pieces=pieces_in_words(one.letters, AND))
            for one in extinctions(str(setting))
        ]
        listing = join(trc("goals", "; "), parts)
        return tr(
            "The game ends when a colour has too few of some of its pieces, on the board and in hand: {pieces}.",
            pieces=listing,
        )


@dataclass(frozen=True)
class Promotions(Text):
    """What pawns become, such as ``RBN``."""

    form: str = "[NBRQK]{1,5}"
    what: str = tr("letters of pieces such as RBN")
    pattern: str = "^[NBRQK]+$"

    def understand(self, text: str) -> None:
        """See whether each piece is there once.

        Raises:
            DrawingError: one is there twice.
        """
        if len(set(text)) < len(text):
            raise DrawingError(tr("each letter once"), f"'{text}'")

    def sentence(self, setting: Setting) -> str:
        """Return the rule book's sentence, with the pieces in words."""
        if not self.is_drawn(setting):
            return super().sentence(setting)
        names = [name for letter, name in _PROMOTED.items() if letter in str(setting)]
        return tr("A pawn that is promoted becomes a {pieces}.", pieces=join_list(names, OR))


_PROMOTED = {"N": tr("knight"), "B": tr("bishop"), "R": tr("rook"), "Q": tr("queen"), "K": tr("king")}

MOVES = (
    Promotions(
        name="promotion_to",
        title=tr("What a pawn becomes"),
        source=LOS_ALAMOS,
        default="usual",
        values=(
            Value(
                "usual",
                tr("A pawn becomes a queen, rook, bishop or knight; a king, too, where that is a piece as any other."),
                label=tr("the usual promotions"),
            ),
        ),
        drawn=tr("A pawn that is promoted becomes one of these pieces."),
    ),
    Toggle(
        name="promotion_rank",
        title=tr("Where a pawn becomes another piece"),
        source=GRAND,
        default="last",
        values=(
            Value("last", tr("A pawn becomes another piece on its last rank."), label=tr("promotion on the last rank")),
            Value(
                "seventh",
                tr("A pawn becomes another piece as soon as it reaches its last rank but one."),
                label=tr("promotion on the last rank but one"),
            ),
        ),
    ),
    Toggle(
        name="promotion_limit",
        title=tr("How many pieces pawns can become"),
        source=GRAND,
        default="none",
        values=(
            Blank("none", tr("Pawns become pieces without limit."), label=tr("promotion without limit")),
            Value(
                "captured",
                tr(
                    "A pawn only becomes a piece of which its colour has fewer than at the start; where there is none, "
                    "it may not move to its last rank."
                ),
                label=tr("promotion to captured pieces"),
            ),
        ),
    ),
    Toggle(
        name="drops",
        title=tr("Pieces in hand"),
        source=CRAZYHOUSE,
        default="none",
        values=(
            Blank("none", tr("Captured pieces leave the game."), label=tr("no drops")),
            Value(
                "captured",
                tr(
                    "A captured piece changes its colour and goes to the hand of who captured it; instead of moving, a "
                    "player may drop one on an empty square, a pawn neither on the first nor on the last rank. Pieces "
                    "that were pawns go to the hand as pawns."
                ),
                label=tr("captured pieces may be dropped"),
            ),
            Value(
                "captured-as-they-are",
                tr(
                    "A captured piece changes its colour and goes to the hand of who captured it, what pawns have "
                    "become too; instead of moving, a player may drop one on an empty square, a pawn neither on the "
                    "first nor on the last rank."
                ),
                label=tr("captured pieces may be dropped, promoted ones as they are"),
            ),
            Value(
                "placement",
                tr(
                    "At the start the pieces of both first ranks lie in hand, pawns aside. Until all of them are "
                    "placed, a player places one on an empty square of the own first rank instead of moving, bishops "
                    "in turn on squares of unlike colours. King and rook may castle if they are placed where they "
                    "castle from."
                ),
                label=tr("pieces are placed before the game"),
            ),
        ),
    ),
    Toggle(
        name="blast",
        title=tr("Captures that explode"),
        source=ATOMIC,
        default="none",
        values=(
            Blank("none", tr("A capture takes one piece."), label=tr("captures do not explode")),
            Value(
                "around",
                tr(
                    "A capture takes the captured piece, the capturing one and all around but pawns. No ply may blow "
                    "up the own king, so kings do not capture, and kings that touch give no check; whose king is blown "
                    "up loses, even if it gave check."
                ),
                label=tr("captures explode"),
            ),
        ),
    ),
    Toggle(
        name="giving_check",
        title=tr("Giving check"),
        source=PARTON,
        default="allowed",
        has_no_effect_when=(
            NoEffect(
                {"king": ("capture", "ordinary")},
                tr("where there is no check none can be forbidden: write giving_check: allowed or king: checkmate"),
            ),
        ),
        values=(
            Blank("allowed", tr("A ply may give check."), label=tr("check may be given")),
            Value("forbidden", tr("A ply that gives check is not legal."), label=tr("no check may be given")),
        ),
    ),
    Extinct(
        name="extinction",
        title=tr("Pieces that may not be lost"),
        source=HORDE,
        default="none",
        values=(Blank("none", tr("Pieces other than the king may all be lost."), label=tr("no extinction")),),
        drawn=tr("The game ends when a colour has too few of these pieces."),
    ),
    Toggle(
        name="extinction_result",
        title=tr("What it means to have too few pieces"),
        source=HORDE,
        default="loss",
        has_no_effect_when=(
            NoEffect(
                {"extinction": ("none",)},
                tr("extinction_result would do nothing: it needs extinction, such as PNBRQ or K1 k1"),
            ),
        ),
        values=(
            Value("loss", tr("Who has too few of them loses."), label=tr("extinction loses")),
            Value("win", tr("Who has too few of them wins."), label=tr("extinction wins")),
        ),
    ),
)

OTHER_TURNS = ("triple", "balanced", "progressive")
"""Turns in which players move enemy pieces."""
OWN_TURNS = ("double", "double-balanced", "progressive-own")
OF_ENEMY_PIECES = tr(
    "the rules of turns in which players move enemy pieces say nothing of this: write turns: single, or leave it out"
)
DROPPED = ("captured", "captured-as-they-are")
IN_HAND = (*DROPPED, "placement")
_CHANGED = {
    "promotion_rank": ("seventh",),
    "promotion_limit": ("captured",),
    "drops": IN_HAND,
    "blast": ("around",),
    "giving_check": ("forbidden",),
}
_NO_RULE = tr("no rule says how these two go together: leave one of them out")
CONFLICTS = (
    *(Conflict({"turns": OTHER_TURNS, toggle: values}, OF_ENEMY_PIECES) for toggle, values in _CHANGED.items()),
    *(
        Conflict({toggle: values, other: others}, _NO_RULE)
        for toggle, values, other, others in (
            ("drops", IN_HAND, "blast", ("around",)),
            ("drops", IN_HAND, "promotion_limit", ("captured",)),
            ("drops", IN_HAND, "goal", ("lose-all",)),
            ("drops", IN_HAND, "bare_king", ("loses", "loses-unless-bared")),
            ("drops", IN_HAND, "self_capture", ("any-but-king",)),
            ("drops", ("placement",), "king", ("capture", "ordinary")),
            ("drops", ("placement",), "castling", ("after-move-10",)),
            ("blast", ("around",), "self_capture", ("any-but-king",)),
            ("blast", ("around",), "king", ("capture", "ordinary")),
            ("turns", OWN_TURNS, "castling", ("after-move-10",)),
        )
    ),
)
WITHOUT_MATE = {"drops": DROPPED, "blast": ("around",)}
"""Rules under which the pieces that are too few in chess may mate."""
