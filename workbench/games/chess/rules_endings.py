"""How a game of chess may end besides by mate: goals on the board, checks, pieces lost, a bare king."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from workbench.base.language import OR, join, join_list, sentences, tr, trc, untranslated
from workbench.games.declaration import Blank, NoEffect, Setting, Span, Toggle, Value
from workbench.games.drawings import Text

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
    """As in FEN: upper case for White's kinds, lower case for Black's."""
    places: tuple[str, ...]
    """Squares such as d4, a rank as ``*8``, a file as ``d*``."""

    def squares(self) -> Iterator[tuple[int, int]]:
        """File and rank of each square, from 0."""
        for place in self.places:
            files = range(8) if place[0] == "*" else ["abcdefgh".index(place[0])]
            ranks = range(8) if place[1] == "*" else [int(place[1]) - 1]
            yield from ((x, y) for x in files for y in ranks)


def goals(text: str) -> list[Goal]:
    """What the text of the toggle `flag` says."""
    return [Goal(words[0], tuple(words[1:])) for words in (part.split() for part in text.split(";"))]


def pieces_in_words(letters: str, last: str = OR) -> str:
    """``white king or black king``, as a list; of pieces that both colours have, only the kind."""
    names = []
    for letter, name in zip(LETTERS, PIECES, strict=True):
        sides = [colour for colour, each in enumerate((letter, letter.lower())) if each in letters]
        if len(sides) == 2:
            names.append(name)
        elif sides:
            names.append((tr("white {piece}"), tr("black {piece}"))[sides[0]].format(piece=name))
    return join_list(names, last)


@dataclass(frozen=True)
class Flag(Text):
    """Pieces that win on squares, such as ``Kk d4 e4 d5 e5``."""

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
        told = [tr("Who gets one of these pieces to its goal wins: {goals}.", goals=listing)]
        if "p" in str(setting).lower():
            told.append(tr("A pawn does not become another piece there."))
        return sentences(told)


def _places_in_words(places: tuple[str, ...]) -> str:
    words = []
    for place in places:
        if place[0] == "*":
            words.append(tr("rank {n}", n=place[1]))
        else:
            words.append(tr("file {n}", n=place[0]) if place[1] == "*" else untranslated(place))
    return join_list(words, OR)


_STALEMATES = {
    "draw": (tr("Where Black is stalemated, the game is a draw."), tr("Black stalemated draws")),
    "loss": (tr("Where Black is stalemated, Black loses."), tr("Black stalemated loses")),
    "win": (tr("Where Black is stalemated, Black wins."), tr("Black stalemated wins")),
}

ENDINGS = (
    Flag(
        name="flag",
        title=tr("Squares that win"),
        source=HILL,
        default="none",
        values=(Blank("none", tr("No square wins the game."), tr("no square wins")),),
        drawn=tr("Who gets one of these pieces to its goal wins."),
    ),
    Toggle(
        name="flag_when",
        title=tr("When a square wins"),
        source=HILL,
        default="at-once",
        has_no_effect_when=(
            NoEffect(
                {"flag": ("none",)},
                tr("flag_when is about squares that win and would do nothing: it needs flag, such as Kk d4 e4 d5 e5"),
            ),
        ),
        values=(
            Value("at-once", tr("The game is won as soon as a piece has reached its goal."), tr("goal at once")),
            Value(
                "end-of-round",
                tr(
                    "If White reaches its goal, Black may still answer; if Black is then at its goal, too, the game is "
                    "a draw. Black's goal wins at once."
                ),
                tr("Black may answer at the goal"),
            ),
        ),
    ),
    Toggle(
        name="checks_to_win",
        title=tr("Checks that win"),
        source=THREE_CHECKS,
        default=0,
        has_no_effect_when=(
            NoEffect(
                {"king": ("capture", "ordinary")},
                tr("where there is no check none can be counted: write checks_to_win: 0 or king: checkmate"),
            ),
        ),
        values=(Blank(0, tr("The number of checks does not matter."), tr("checks are not counted")),),
        span=Span(
            1,
            9,
            tr("The player whose colour has given check with {n} plies wins; two pieces that check at once are one."),
        ),
    ),
    Toggle(
        name="bare_king",
        title=tr("A king without other pieces"),
        source=SHATRANJ,
        default="plays-on",
        has_no_effect_when=(
            NoEffect(
                {"king": ("ordinary",)},
                tr("a king that is a piece like any other is never bare: write bare_king: plays-on"),
            ),
        ),
        values=(
            Blank("plays-on", tr("A king may be left alone."), tr("a bare king plays on")),
            Value("loses", tr("A player whose colour has nothing left but the king loses."), tr("a bare king loses")),
            Value(
                "loses-unless-bared",
                tr(
                    "A player whose colour has nothing left but the king loses, unless the next ply bares the other "
                    "king, too: then the game is a draw."
                ),
                tr("a bare king loses, unless it bares the other"),
            ),
        ),
    ),
    Toggle(
        name="checks_of_black",
        title=tr("Checks of Black that win"),
        source=tr("no source: an asymmetric rule, for armies that are not equal"),
        default="as-white",
        has_no_effect_when=(NoEffect({"checks_to_win": (0,)}, tr("it needs checks_to_win, which are White's then")),),
        values=(
            Blank(
                "as-white",
                tr("Both colours win by the same number of checks, if checks win."),
                tr("as many checks of either colour"),
                code=0,
            ),
        ),
        span=Span(1, 9, tr("Black wins with {n} checks, whatever the number is for White.")),
    ),
    Toggle(
        name="stalemate_black",
        title=tr("Stalemate of Black"),
        source=tr("no source: an asymmetric rule, for armies that are not equal"),
        default="as-white",
        values=(
            Blank("as-white", tr("The rule about stalemate is the same for both colours."), tr("one stalemate")),
            *(Value(name, sentence, label) for name, (sentence, label) in _STALEMATES.items()),
        ),
    ),
)
