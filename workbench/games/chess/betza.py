"""Betza's notation: a text such as ``NC`` or ``BfW`` that describes how a piece moves.

A capital letter is a leap in all its directions: W is one square straight, N a knight's leap. Preceding small letters
select directions, or quiet moves or captures only. A doubled letter or a number after it repeats the leap:

    W (0, 1)   F (1, 1)   D (0, 2)   N (1, 2)   A (2, 2)   H (0, 3)   C or L (1, 3)   Z or J (2, 3)   G (3, 3)
    K is WF    R is WW    B is FF    Q is RB    R4 goes up to four squares    NN repeats knight's leaps
    f b l r forward, backward, left, right   s sideways   v forward and backward   m only moves   c only captures
    before N, C, Z: ff the two steep leaps forward, fs the two flat ones, fh all four; ll the two flat ones to the left

Texts that authors interpret differently are refused, such as fN, which means two leaps or four.

Source: R. Betza, Funny Notation, 1990s, The Chess Variant Pages; H. G. Muller, Extended Betza notation, XBoard.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from workbench.base.language import AND, capitalized, join, quoted, tr, trc, untranslated, words
from workbench.games.declaration import Setting, Value
from workbench.games.drawings import Drawing, DrawingError

ATOMS = {
    "W": (0, 1), "F": (1, 1), "D": (0, 2), "N": (1, 2), "A": (2, 2), "H": (0, 3), "C": (1, 3), "L": (1, 3),
    "Z": (2, 3), "J": (2, 3), "G": (3, 3),
}  # fmt: skip
"""The leap of each letter: squares sideways and ahead, or vice versa."""
TOGETHER = {"K": "WF", "R": "W", "B": "F", "Q": "WF"}
"""The atoms that each abbreviation combines; all but K repeat their leaps."""
LETTERS = "W, F, D, N, A, H, C, Z, G, R, B, Q or K"
FARTHEST = 7
"""The number of steps from one edge of the board to the other."""

_PART = re.compile(r"([a-z]*)([A-Z])(\2|[0-9]+)?")
_REFUSED = {
    "p": (tr("a piece that does not hop, such as R"), tr("a hop over a piece")),
    "g": (tr("a piece that does not hop, such as R"), tr("a hop over a piece")),
    "n": (tr("a leap that cannot be blocked, such as N"), tr("a leap that can be blocked")),
    "j": (tr("a leap that cannot be blocked, such as D"), tr("a leap that must jump over a piece")),
    "i": (tr("a move that is always available, such as W"), tr("an initial move")),
    "o": (tr("a board with edges, as for R"), tr("a board without edges")),
    "q": (tr("a straight path, such as that of NN"), tr("a circular path")),
    "z": (tr("a straight path, such as that of B"), tr("a crooked path")),
    "a": (tr("a move with one leg, such as W"), tr("a second leg in the same move")),
    "y": (tr("a move with one leg, such as W"), tr("a second leg in the same move")),
    "d": (tr("captures of enemy pieces, or the toggle self_capture"), tr("captures of friendly pieces")),
    "u": (tr("moves and captures of the piece itself, such as Q"), tr("a move of another piece")),
    "e": (tr("captures by displacement, such as cF"), tr("a capture in passing")),
    "t": (tr("a piece that does not hop, such as R"), tr("a hop over a piece")),
    "x": (tr("moves and captures of the piece itself, such as Q"), tr("a move of another piece")),
}
"""The nearest supported alternative to each unsupported letter, and the letter's meaning."""

_STRAIGHT = re.compile(r"[fblrsv]")
_DIAGONAL = re.compile(r"[fb][lr]|[lr][fb]|[fblr]")
_OBLIQUE = re.compile(r"(?:ff|bb)(?:[lr](?![lrh]))?|ll|rr|[fb]s|[fblr]h|[vs]")


class Ray(NamedTuple):
    """A direction, from White's view, with the number of consecutive leaps; Black's rays are rotated."""

    right: int
    ahead: int
    moves: int
    """The number of leaps for quiet moves; 0 for none."""
    takes: int
    """The number of leaps for captures; 0 for none."""


class Part(NamedTuple):
    """A capital letter with its modifiers."""

    text: str
    letter: str
    directions: tuple[str, ...]
    """The selected directions; empty for all."""
    mode: str
    """``m`` for quiet moves only, ``c`` for captures only, or empty."""
    leaps: int
    """The number of consecutive leaps; 0 for any."""


def rays(text: str) -> tuple[Ray, ...]:
    """Return the rays of a piece, regardless of the order of letters in the text.

    Raises:
        DrawingError: the text is invalid or unsupported.
    """
    reach: dict[tuple[int, int], tuple[int, int]] = {}
    for part in parts(text):
        for letter in TOGETHER.get(part.letter, part.letter):
            for right, ahead in _selected_leaps(part, ATOMS[letter]):
                limit = FARTHEST // max(abs(right), abs(ahead))
                leaps = min(part.leaps or limit, limit)
                moves, takes = reach.get((right, ahead), (0, 0))
                reach[right, ahead] = (
                    moves if part.mode == "c" else max(moves, leaps),
                    takes if part.mode == "m" else max(takes, leaps),
                )
    return tuple(Ray(*direction, *reach[direction]) for direction in sorted(reach))


def parts(text: str) -> list[Part]:
    """Split a text into its capital letters with their modifiers."""
    if not re.fullmatch(f"(?:{_PART.pattern.replace(chr(92) + '2', '[A-Z]')})+", text):
        raise DrawingError(tr("letters of Betza notation, such as NC or BfW"), quoted(text))
    return [_part(match) for match in _PART.finditer(text)]


def _part(match: re.Match[str]) -> Part:
    text, (modifiers, letter, suffix) = match[0], match.groups()
    if letter not in ATOMS and letter not in TOGETHER:
        raise DrawingError(LETTERS, quoted(letter))
    for modifier in modifiers:
        if modifier in _REFUSED:
            nearest, meaning = _REFUSED[modifier]
            problem = tr("'{sign}' in '{notation}': {meaning}", sign=modifier, notation=text, meaning=meaning)
            raise DrawingError(nearest, problem)
        if modifier not in "fblrsvhmc":
            problem = tr("'{sign}' in '{notation}'", sign=modifier, notation=text)
            raise DrawingError(tr("f, b, l, r, s, v, m or c before a capital letter"), problem)
    mode = "".join(modifier for modifier in modifiers if modifier in "mc")
    if len(mode) > 1:
        raise DrawingError(tr("m or c, or neither for both moves and captures"), quoted(text))
    leaps = 0 if letter in "RBQ" else 1
    if suffix and suffix.isdigit():
        leaps = int(suffix)
        if leaps > FARTHEST:
            raise DrawingError(tr("a number from 1 to {farthest}, or 0 for any", farthest=FARTHEST), quoted(text))
    elif suffix:
        if letter in "RBQ":
            raise DrawingError(tr("{letter} once, since it moves any number of squares", letter=letter), quoted(text))
        leaps = 0
    directions = modifiers.translate({ord("m"): None, ord("c"): None})
    return Part(text, letter, _directions(text, letter, directions), mode, leaps)


def _directions(text: str, letter: str, modifiers: str) -> tuple[str, ...]:
    """Return the directions that the lower-case letters ``modifiers`` select."""
    if letter in "KQ":
        if len(modifiers) > 1 or modifiers in ("s", "v", "h"):
            raise DrawingError(
                tr("separate directions for {split}", split=AND.join("WF" if letter == "K" else "RB")), quoted(text)
            )
        return tuple(modifiers)
    side, ahead = ATOMS[TOGETHER.get(letter, letter)]
    pattern, example = {
        0: (_STRAIGHT, "f, b, l, r, s or v"),
        ahead: (_DIAGONAL, tr("f, b, l, r or two of them, such as fl,")),
    }.get(side, (_OBLIQUE, tr("ff (steep), fs (flat), fh (both), v or s,")))
    tokens = pattern.findall(modifiers)
    if "".join(tokens) != modifiers or len(set(tokens)) != len(tokens):
        raise DrawingError(tr("directions such as {such} before {letter}", such=example, letter=letter), quoted(text))
    return tuple(tokens)


def _selected_leaps(part: Part, leap: tuple[int, int]) -> list[tuple[int, int]]:
    """Return a letter's leaps in its selected directions, as (right, ahead)."""
    short, long = leap
    leaps = {(x * i, y * j) for x, y in ((short, long), (long, short)) for i in (1, -1) for j in (1, -1)}
    oblique = 0 < short < long
    directions = part.directions
    return [leap for leap in leaps if not directions or any(_has_direction(leap, d, oblique) for d in directions)]


def _has_direction(leap: tuple[int, int], direction: str, oblique: bool) -> bool:
    """Return whether a leap goes in a direction."""
    right, ahead = leap
    steep = abs(ahead) > abs(right)
    halves = {"f": ahead > 0, "b": ahead < 0, "l": right < 0, "r": right > 0}
    if not oblique:
        if direction in ("s", "v"):
            return (ahead if direction == "s" else right) == 0
        return all(halves[letter] for letter in direction)
    if direction in ("s", "v"):
        return steep == (direction == "v")
    first, second = direction[0], direction[1]
    if second == "h":
        return halves[first]
    if second == "s":
        return halves[first] and not steep
    return halves[first] and steep == (first in "fb") and all(halves[letter] for letter in direction[2:])


# --- In words ---------------------------------------------------------------------------------------------------------

_KINDS = {
    "W": tr("go {far} straight"),
    "F": tr("go {far} diagonally"),
    "K": tr("go {far} in any direction"),
    "R": tr("go {far} straight"),
    "B": tr("go {far} diagonally"),
    "Q": tr("go {far} in any direction"),
}
_LEAPS = {
    "D": tr("leap two squares straight"),
    "N": tr("leap two squares along a row or column and one to the side"),
    "A": tr("leap two squares diagonally"),
    "H": tr("leap three squares straight"),
    "C": tr("leap three squares along a row or column and one to the side"),
    "Z": tr("leap three squares along a row or column and two to the side"),
    "G": tr("leap three squares diagonally"),
}
_WAYS = {
    "f": tr("forward"), "b": tr("backward"), "l": tr("to the left"), "r": tr("to the right"), "s": tr("sideways"),
    "v": tr("forward or backward"), "h": "",
}  # fmt: skip
_STEEP, _FLAT = tr("steeply"), tr("flatly")


def in_words(text: str) -> str:
    """Return the meaning of Betza notation in words, such as ``go one square straight``."""
    return join(trc("betza", "; or they "), (_in_words(part) for part in parts(text)))


def _in_words(part: Part) -> str:
    letter = {"L": "C", "J": "Z"}.get(part.letter, part.letter)
    oblique = letter in "NCZ"
    if letter in _KINDS:
        if part.leaps == 0:
            distance = tr("any number of squares")
        else:
            distance = tr("one square") if part.leaps == 1 else tr("up to {n} squares", n=part.leaps)
        phrase = _KINDS[letter].format(far=distance)
    else:
        phrase = _LEAPS[letter]
        if part.leaps == 0:
            phrase = tr("{leap}, once or more", leap=phrase)
        elif part.leaps > 1:
            phrase = tr("{leap}, up to {n} times", leap=phrase, n=part.leaps)
    if part.directions:
        ways = join(trc("directions", ", "), (_way(direction, oblique) for direction in part.directions))
        phrase = tr("{move}, {ways}", move=phrase, ways=ways)
    if part.mode == "m":
        return tr("{move}, not capturing", move=phrase)
    return tr("{move}, only to capture", move=phrase) if part.mode == "c" else phrase


def _way(direction: str, oblique: bool) -> str:
    if not oblique:
        return words(_WAYS[letter] for letter in direction)
    if direction in ("s", "v"):
        return _FLAT if direction == "s" else _STEEP
    first, second = direction[0], direction[1]
    slope = "" if second == "h" else _STEEP if second in "fb" else _FLAT
    return words([slope, _WAYS[first], *(_WAYS[letter] for letter in direction[2:])])


def by_colour(text: str) -> tuple[str, str]:
    """Return the texts for White's and Black's pieces, which differ only if the text contains a /."""
    white, _, black = text.partition("/")
    return white, black or white


@dataclass(frozen=True)
class Moves(Drawing):
    """A toggle for the moves of a kind of piece: the standard moves or any moves in Betza notation.

    Two texts separated by / are White's and Black's moves.
    """

    form: str = r"[A-Za-z][A-Za-z0-9]{0,59}(/[A-Za-z][A-Za-z0-9]{0,59})?"
    what: str = tr("moves in Betza notation, such as NC or BfW, or N/NC for White and Black")
    painted: bool = False
    pattern: str = r"^[A-Za-z][A-Za-z0-9]*(/[A-Za-z][A-Za-z0-9]*)?$"

    def validate(self, text: str) -> None:
        """Raise `DrawingError` if the text is not valid Betza notation."""
        for notation in by_colour(text):
            rays(notation)

    def sentence(self, setting: Setting) -> str:
        """Return the rule book's sentence, which puts valid notation into words."""
        if not self.is_drawn(setting):
            return super().sentence(setting)
        try:
            white, black = map(in_words, by_colour(str(setting)))
        except DrawingError:
            return super().sentence(setting)
        fields = {"title": self.title, "notation": untranslated(setting)}
        if white == black:
            return tr("{title} ({notation}): they {words}.", words=white, **fields)
        return tr("{title} ({notation}): White's {white}. Black's {black}.", white=white, black=black, **fields)


def moves_toggle(kind: str, plural: str, letter: str, source: str, sentence: str = "") -> Moves:
    """Return the toggle for the moves of a kind of piece.

    ``letter`` is the Betza letter for the piece's standard moves, ``plural`` its name in rule books; a ``sentence``
    says these moves better than the notation in words.
    """
    sentence = sentence or capitalized(tr("{pieces} {words}.", pieces=plural, words=in_words(letter)))
    return Moves(
        name=f"{kind}_moves",
        title=tr("How {pieces} move", pieces=plural),
        source=source,
        default=letter,
        values=(Value(letter, sentence),),
        drawn=capitalized(tr("{pieces} move as given in Betza notation.", pieces=plural)),
    )
