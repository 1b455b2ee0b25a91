"""Toggles of chess variants: promotion, drops, exploding captures, checks, and further goals and endings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from workbench.base.language import AND, OR, join, join_list, sentences, tr, trc, untranslated
from workbench.games.declaration import Blank, Conflict, NoEffect, Setting, Span, Toggle, Value
from workbench.games.drawings import DrawingError, Text

LETTERS = "PNBRQK"
COLOURS = (tr("White"), tr("Black"))
PIECES = (tr("pawn"), tr("knight"), tr("bishop"), tr("rook"), tr("queen"), tr("king"))

PARTON = tr("V. R. Parton, Racing Kings, 1961, The Chess Variant Pages")
HILL = tr("King of the Hill, lichess.org, 2014; {parton}", parton=PARTON)
THREE_CHECKS = tr("D. Pritchard, The Classified Encyclopedia of Chess Variants, 2007: Three-check chess")
SHATRANJ = tr("H. J. R. Murray, A History of Chess, 1913: the rules of shatranj")


class Goal(NamedTuple):
    """Pieces that win on some squares."""

    letters: str
    """FEN letters: upper case for White's kinds, lower case for Black's."""
    places: tuple[str, ...]
    """Squares such as d4, a rank as ``*8``, a file as ``d*``."""

    def squares(self) -> Iterator[tuple[int, int]]:
        """Yield the file and rank of each square, from 0."""
        for place in self.places:
            files = range(8) if place[0] == "*" else ["abcdefgh".index(place[0])]
            ranks = range(8) if place[1] == "*" else [int(place[1]) - 1]
            yield from ((x, y) for x in files for y in ranks)


def goals(text: str) -> list[Goal]:
    """Return the goals in a setting of the toggle `flag`."""
    return [Goal(words[0], tuple(words[1:])) for words in (part.split() for part in text.split(";"))]


def pieces_in_words(letters: str, conjunction: str = OR) -> str:
    """Return a list such as ``white king or black king``, omitting the colour if both are included."""
    names = []
    for letter, name in zip(LETTERS, PIECES, strict=True):
        sides = [colour for colour, sign in enumerate((letter, letter.lower())) if sign in letters]
        if len(sides) == 2:
            names.append(name)
        elif sides:
            names.append((tr("white {piece}"), tr("black {piece}"))[sides[0]].format(piece=name))
    return join_list(names, conjunction)


@dataclass(frozen=True)
class Flag(Text):
    """Pieces and their winning squares, such as ``Kk d4 e4 d5 e5``."""

    form: str = r"[PNBRQKpnbrqk]{1,12}( ([a-h*][1-8]|[a-h]\*))+(; ?[PNBRQKpnbrqk]{1,12}( ([a-h*][1-8]|[a-h]\*))+)*"
    what: str = tr("pieces and squares such as Kk d4 e4 d5 e5, or K *8; k *1")
    pattern: str = r"^[PNBRQKpnbrqk]+ [a-h1-8*; PNBRQKpnbrqk]+$"
    pictured: bool = True

    def sentence(self, setting: Setting) -> str:
        """Return the rule book's sentence, with pieces and squares in words."""
        if not self.is_drawn(setting) or not re.fullmatch(self.form, str(setting)):
            return super().sentence(setting)
        parts = [
            tr("a {pieces} on {squares}", pieces=pieces_in_words(goal.letters), squares=_places_in_words(goal.places))
            for goal in goals(str(setting))
        ]
        listing = join(trc("goals", "; "), parts)
        rules = [tr("Whoever gets one of these pieces to its goal wins: {goals}.", goals=listing)]
        if "p" in str(setting).lower():
            rules.append(tr("A pawn is not promoted there."))
        return sentences(rules)


def _places_in_words(places: tuple[str, ...]) -> str:
    words = []
    for place in places:
        if place[0] == "*":
            words.append(tr("rank {n}", n=place[1]))
        else:
            words.append(tr("file {n}", n=place[0]) if place[1] == "*" else untranslated(place))
    return join_list(words, OR)


_STALEMATES = {
    "draw": (tr("If Black is stalemated, the game is a draw."), tr("Black stalemated draws")),
    "loss": (tr("If Black is stalemated, Black loses."), tr("Black stalemated loses")),
    "win": (tr("If Black is stalemated, Black wins."), tr("Black stalemated wins")),
}

# Declarations are formatted by hand, with each text beside the name of its value.
# fmt: off
ENDINGS = (
    Flag(
        name="flag", title=tr("Squares that win"),
        source=HILL, default="none",
        values=(Blank("none", tr("No square wins the game."), tr("no square wins")),),
        drawn=tr("Whoever gets one of these pieces to its goal wins."),
    ),
    Toggle(
        name="flag_when", title=tr("When reaching a goal wins"),
        source=HILL, default="at-once",
        has_no_effect_when=(
            NoEffect({"flag": ("none",)}, tr("flag_when has no effect without flag, such as Kk d4 e4 d5 e5")),
        ),
        values=(
            Value("at-once", tr("The game is won as soon as a piece reaches its goal."), tr("goal at once")),
            Value("end-of-round", tr("If White reaches its goal, Black may still reply; if Black is then at its goal, "
                                     "too, the game is a draw. Black wins at once by reaching its goal."),
                  tr("Black may reply to White's goal")),
        ),
    ),
    Toggle(
        name="checks_to_win", title=tr("Checks that win"),
        source=THREE_CHECKS, default=0,
        has_no_effect_when=(
            NoEffect({"king": ("capture", "ordinary")}, tr("there is no check to count: write checks_to_win: 0 "
                                                           "or king: checkmate")),
        ),
        values=(Blank(0, tr("The number of checks does not matter."), tr("checks are not counted")),),
        span=Span(1, 9, tr("The player whose colour has given check {n} times wins; a double check counts once.")),
    ),
    Toggle(
        name="bare_king", title=tr("A king without other pieces"),
        source=SHATRANJ, default="plays-on",
        has_no_effect_when=(
            NoEffect({"king": ("ordinary",)}, tr("a king that is a piece like any other is never bare: write "
                                                 "bare_king: plays-on")),
        ),
        values=(
            Blank("plays-on", tr("A lone king may play on."), tr("a bare king plays on")),
            Value("loses", tr("A player whose colour has nothing left but the king loses."), tr("a bare king loses")),
            Value("loses-unless-bared", tr("A player whose colour has nothing left but the king loses, unless the next "
                                           "ply also bares the other king, in which case the game is a draw."),
                  tr("a bare king loses, unless it bares the other")),
        ),
    ),
    Toggle(
        name="checks_of_black", title=tr("Checks that win for Black"),
        source=tr("no source: an asymmetric rule for unequal armies"), default="as-white",
        has_no_effect_when=(NoEffect({"checks_to_win": (0,)}, tr("it needs checks_to_win, which then applies "
                                                                 "only to White")),),
        values=(
            Blank("as-white", tr("Both colours win with the same number of checks, if checks win."),
                  tr("equal checks for both colours"), code=0),
        ),
        span=Span(1, 9, tr("Black wins with {n} checks, whatever the number is for White.")),
    ),
    Toggle(
        name="stalemate_black", title=tr("Stalemate of Black"),
        source=tr("no source: an asymmetric rule for unequal armies"), default="as-white",
        values=(
            Blank("as-white", tr("The stalemate rule is the same for both colours."), tr("one stalemate")),
            *(Value(name, sentence, label) for name, (sentence, label) in _STALEMATES.items()),
        ),
    ),
)
# fmt: on


GRAND = tr("C. Freeling, Grand Chess, 1984, MindSports")
LOS_ALAMOS = tr("P. Stein, S. Ulam, Experiments in Chess on Electronic Computing Machines, 1957: Los Alamos chess")
CRAZYHOUSE = tr("Crazyhouse, Free Internet Chess Server, 1995; lichess.org, variants; P. Benko, Pre-Chess, 1978")
ATOMIC = tr("Atomic chess, German Internet Chess Server, 1995; lichess.org, variants")
HORDE = tr("Lord Dunsany, Dunsany's Chess, 1942; Horde, lichess.org; R. W. Schmittberger, Extinction Chess, 1985")


class Extinction(NamedTuple):
    """A colour's pieces, and the largest number of them that counts as extinct."""

    letters: str
    """The FEN letters of the kinds."""
    number: int
    """The maximum number of pieces that counts as extinct."""


def extinctions(text: str) -> list[Extinction]:
    """Return the rules in a setting of the toggle `extinction`."""
    matches = (re.fullmatch("([PNBRQKpnbrqk]+)([0-9]*)", word) for word in text.split())
    return [Extinction(match[1], int(match[2] or 0)) for match in matches if match]


@dataclass(frozen=True)
class Extinct(Text):
    """Pieces that a colour may not lose, such as ``PNBRQ`` or ``K1 k1``."""

    form: str = r"([PNBRQK]{1,6}|[pnbrqk]{1,6})[0-9]?( ([PNBRQK]{1,6}|[pnbrqk]{1,6})[0-9]?)*"
    what: str = tr(
        "pieces of one colour such as PNBRQ, optionally with a number such as K1, and further groups after a space"
    )
    pattern: str = "^[PNBRQKpnbrqk]+[0-9]?( [PNBRQKpnbrqk0-9 ]+)?$"

    def sentence(self, setting: Setting) -> str:
        """Return the rule book's sentence, with the pieces in words."""
        if not self.is_drawn(setting) or not re.fullmatch(self.form, str(setting)):
            return super().sentence(setting)
        parts = [
            tr("{pieces}: {n} or fewer", pieces=pieces_in_words(rule.letters, AND), n=rule.number)
            if rule.number
            else tr("{pieces}: none", pieces=pieces_in_words(rule.letters, AND))
            for rule in extinctions(str(setting))
        ]
        listing = join(trc("goals", "; "), parts)
        text = tr("The game ends when a colour has too few of some of its pieces, on the board and in hand: {pieces}.")
        return text.format(pieces=listing)


@dataclass(frozen=True)
class Promotions(Text):
    """The kinds to which pawns can promote, such as ``RBN``."""

    form: str = "[NBRQK]{1,5}"
    what: str = tr("piece letters such as RBN")
    pattern: str = "^[NBRQK]+$"

    def validate(self, text: str) -> None:
        """Check that no letter is repeated.

        Raises:
            DrawingError: a letter is repeated.
        """
        if len(set(text)) < len(text):
            raise DrawingError(tr("each letter once"), f"'{text}'")

    def sentence(self, setting: Setting) -> str:
        """Return the rule book's sentence, with the pieces in words."""
        if not self.is_drawn(setting):
            return super().sentence(setting)
        names = [name for letter, name in _PROMOTED.items() if letter in str(setting)]
        return tr("A promoted pawn becomes a {pieces}.", pieces=join_list(names, OR))


_PROMOTED = {"N": tr("knight"), "B": tr("bishop"), "R": tr("rook"), "Q": tr("queen"), "K": tr("king")}

# Declarations are formatted by hand, with each text beside the name of its value.
# fmt: off
MOVES = (
    Promotions(
        name="promotion_to", title=tr("What a pawn becomes"),
        source=LOS_ALAMOS, default="usual",
        values=(
            Blank("usual", tr("A pawn becomes a queen, rook, bishop or knight, or a king if kings are ordinary "
                              "pieces."), tr("the usual promotions")),
        ),
        drawn=tr("A promoted pawn becomes one of these pieces."),
    ),
    Toggle(
        name="promotion_rank", title=tr("Where a pawn is promoted"),
        source=GRAND, default="last",
        values=(
            Blank("last", tr("A pawn is promoted on its last rank."), tr("promotion on the last rank")),
            Value("seventh", tr("A pawn is promoted as soon as it reaches its last rank but one."),
                  tr("promotion on the last rank but one")),
        ),
    ),
    Toggle(
        name="promotion_limit", title=tr("Limit on promotion"),
        source=GRAND, default="none",
        values=(
            Blank("none", tr("There is no limit on promotion."), tr("promotion without limit")),
            Value("captured", tr("A pawn may be promoted only to a piece of which its colour has fewer than at "
                                 "the start; if there is none, it may not move to its last rank."),
                  tr("promotion to captured pieces")),
        ),
    ),
    Toggle(
        name="drops", title=tr("Pieces in hand"),
        source=CRAZYHOUSE, default="none",
        values=(
            Blank("none", tr("Captured pieces leave the game."), tr("no drops")),
            Value("captured", tr("A captured piece changes colour and goes to the captor's hand; instead of "
                                 "moving, a player may drop one on an empty square, but not a pawn on the "
                                 "first or last rank. Promoted pawns go to the hand as pawns."),
                  tr("captured pieces may be dropped")),
            Value("captured-as-they-are", tr("A captured piece changes colour and goes to the captor's hand, a "
                                             "promoted pawn as the piece that it became; instead of moving, a "
                                             "player may drop one on an empty square, but not a pawn on the "
                                             "first or last rank."),
                  tr("captured pieces may be dropped, promoted ones unchanged")),
            Value("placement", tr("At the start the pieces of both first ranks, except pawns, are in hand. "
                                  "Until all of them are placed, a player places one on an empty square of "
                                  "their own first rank instead of moving, with bishops on alternating "
                                  "colours. King and rook may castle if they are placed on their usual squares."),
                  tr("pieces are placed before the game")),
        ),
    ),
    Toggle(
        name="blast", title=tr("Captures that explode"),
        source=ATOMIC, default="none",
        values=(
            Blank("none", tr("A capture removes one piece."), tr("captures do not explode")),
            Value("around", tr("A capture removes the captured piece, the capturing one and all adjacent "
                               "pieces except pawns. A player may not blow up their own king, so kings do not "
                               "capture, and adjacent kings give no check; a player whose king is blown up "
                               "loses, even while giving check."), tr("captures explode")),
        ),
    ),
    Toggle(
        name="giving_check", title=tr("Giving check"),
        source=PARTON, default="allowed",
        has_no_effect_when=(
            NoEffect({"king": ("capture", "ordinary")}, tr("there is no check to forbid: write giving_check: "
                                                           "allowed or king: checkmate")),
        ),
        values=(
            Blank("allowed", tr("A ply may give check."), tr("check may be given")),
            Value("forbidden", tr("A ply may not give check."), tr("check may not be given")),
        ),
    ),
    Extinct(
        name="extinction", title=tr("Pieces that may not be lost"),
        source=HORDE, default="none",
        values=(Blank("none", tr("Any piece except the king may be lost."), tr("no extinction")),),
        drawn=tr("The game ends when a colour has too few of these pieces."),
    ),
    Toggle(
        name="extinction_result", title=tr("Result of having too few pieces"),
        source=HORDE, default="loss",
        has_no_effect_when=(
            NoEffect({"extinction": ("none",)}, tr("extinction_result has no effect without extinction, such "
                                                   "as PNBRQ or K1 k1")),
        ),
        values=(
            Value("loss", tr("Whoever has too few of them loses."), tr("extinction loses")),
            Value("win", tr("Whoever has too few of them wins."), tr("extinction wins")),
        ),
    ),
)
# fmt: on

OTHER_TURNS = ("triple", "balanced", "progressive")
"""Turns in which players move enemy pieces."""
OWN_TURNS = ("double", "double-balanced", "progressive-own")
OF_ENEMY_PIECES = tr("the rules for moving enemy pieces do not cover this: write turns: single, or remove it")
DROPPED = ("captured", "captured-as-they-are")
IN_HAND = (*DROPPED, "placement")
_CHANGED = {
    "promotion_rank": ("seventh",),
    "promotion_limit": ("captured",),
    "drops": IN_HAND,
    "blast": ("around",),
    "giving_check": ("forbidden",),
}
_NO_RULE = tr("no rule states how these two combine: remove one of them")
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
"""Rules under which material that is insufficient in chess may mate."""
