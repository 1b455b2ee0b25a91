"""Betza's notation: a text such as ``NC`` or ``BfW`` that says how a piece moves.

A capital letter is a leap in all its directions, W one square straight and N that of a knight; small letters before it
choose directions, or captures alone; what is doubled, or has a number behind it, goes on in its direction:

    W (0, 1)   F (1, 1)   D (0, 2)   N (1, 2)   A (2, 2)   H (0, 3)   C or L (1, 3)   Z or J (2, 3)   G (3, 3)
    K is WF    R is WW    B is FF    Q is RB    R4 goes four squares at most    NN is a rider of knight's leaps
    f b l r forward, backward, left, right   s sideways   v forward and backward   m only moves   c only captures
    before N, C, Z: ff the two steep leaps forward, fs the two flat ones, fh all four; ll the two flat ones to the left

What authors read differently is refused, such as fN: two leaps to some, four to others.

Source: R. Betza, Funny Notation, 1990s, The Chess Variant Pages; H. G. Muller, Extended Betza notation, XBoard.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from workbench.games.declaration import Setting, Value
from workbench.games.drawings import Drawing, Misdrawn

ATOMS = {
    "W": (0, 1),
    "F": (1, 1),
    "D": (0, 2),
    "N": (1, 2),
    "A": (2, 2),
    "H": (0, 3),
    "C": (1, 3),
    "L": (1, 3),
    "Z": (2, 3),
    "J": (2, 3),
    "G": (3, 3),
}
"""The leap of each letter: squares to the side and ahead, in this order or the other."""
TOGETHER = {"K": "WF", "R": "W", "B": "F", "Q": "WF"}
"""Letters that stand for others; all but K go on in their direction."""
LETTERS = "W, F, D, N, A, H, C, Z, G, R, B, Q or K"
FARTHEST = 7
"""Squares from one edge of the board to the other."""

_PART = re.compile(r"([a-z]*)([A-Z])(\2|[0-9]+)?")
_REFUSED = {
    "p": ("a piece that hops over nothing, such as R", "hops over a piece"),
    "g": ("a piece that hops over nothing, such as R", "hops over a piece"),
    "n": ("a leap that nothing blocks, such as N", "a leap that can be blocked"),
    "j": ("a leap that nothing blocks, such as D", "a leap that must jump"),
    "i": ("a move that a piece has at all times, such as W", "a first move only"),
    "o": ("a board with edges, such as R has", "a board without edges"),
    "q": ("a straight way, such as that of NN", "a circular way"),
    "z": ("a straight way, such as that of B", "a crooked way"),
    "a": ("one way a move, such as that of W", "a second way in the same move"),
    "y": ("one way a move, such as that of W", "a second way in the same move"),
    "d": ("captures of enemy pieces, or the toggle self_capture", "captures of own pieces"),
    "u": ("moves and captures of the piece itself, such as Q", "a move of another piece"),
    "e": ("captures by going there, such as cF", "a capture in passing"),
    "t": ("a piece that hops over nothing, such as R", "hops over a piece"),
    "x": ("moves and captures of the piece itself, such as Q", "a move of another piece"),
}
"""What a letter means that the kernel cannot play, and the nearest that can be said."""

_STRAIGHT = re.compile(r"[fblrsv]")
_DIAGONAL = re.compile(r"[fb][lr]|[lr][fb]|[fblr]")
_OBLIQUE = re.compile(r"(?:ff|bb)(?:[lr](?![lrh]))?|ll|rr|[fb]s|[fblr]h|[vs]")


class Ray(NamedTuple):
    """A direction as White sees it, and how often in a row the piece may leap there; Black's is turned round."""

    right: int
    ahead: int
    moves: int
    """Leaps by which it reaches an empty square; 0: it only captures there."""
    takes: int
    """Leaps by which it captures; 0: it does not."""


class Part(NamedTuple):
    """A capital letter with what stands before and behind it."""

    text: str
    letter: str
    directions: tuple[str, ...]
    """Empty for all of them."""
    mode: str
    """``m`` only moves, ``c`` only captures, or nothing."""
    leaps: int
    """How many in a row; 0 for any number."""


def rays(text: str) -> tuple[Ray, ...]:
    """Where a piece goes, in an order that does not depend on that of the letters.

    Raises:
        Misdrawn: the text is none of Betza's notation, or says what cannot be played.
    """
    reach: dict[tuple[int, int], tuple[int, int]] = {}
    for part in parts(text):
        for letter in TOGETHER.get(part.letter, part.letter):
            for right, ahead in _chosen(part, ATOMS[letter]):
                most = FARTHEST // max(abs(right), abs(ahead))
                leaps = min(part.leaps or most, most)
                moves, takes = reach.get((right, ahead), (0, 0))
                reach[right, ahead] = (
                    moves if part.mode == "c" else max(moves, leaps),
                    takes if part.mode == "m" else max(takes, leaps),
                )
    return tuple(Ray(*direction, *reach[direction]) for direction in sorted(reach))


def parts(text: str) -> list[Part]:
    """The capital letters of a text with what belongs to them.

    Raises:
        Misdrawn: the text is none of Betza's notation, or says what cannot be played.
    """
    if not re.fullmatch(f"(?:{_PART.pattern.replace(chr(92) + '2', '[A-Z]')})+", text):
        raise Misdrawn("letters of Betza's notation such as NC or BfW", f"'{text}'")
    return [_part(match) for match in _PART.finditer(text)]


def _part(match: re.Match[str]) -> Part:
    text, (before, letter, behind) = match[0], match.groups()
    if letter not in ATOMS and letter not in TOGETHER:
        raise Misdrawn(LETTERS, f"'{letter}'")
    for sign in before:
        if sign in _REFUSED:
            nearest, meaning = _REFUSED[sign]
            raise Misdrawn(nearest, f"'{sign}' in '{text}': {meaning}")
        if sign not in "fblrsvhmc":
            raise Misdrawn("f, b, l, r, s, v, m or c before a capital letter", f"'{sign}' in '{text}'")
    mode = "".join(sign for sign in before if sign in "mc")
    if len(mode) > 1:
        raise Misdrawn("m or c, or neither for moves and captures", f"'{text}'")
    leaps = 0 if letter in "RBQ" else 1
    if behind and behind.isdigit():
        leaps = int(behind)
        if leaps > FARTHEST:
            raise Misdrawn(f"a number from 1 to {FARTHEST}, or 0 for any", f"'{text}'")
    elif behind:
        if letter in "RBQ":
            raise Misdrawn(f"{letter} once, since it goes any number of squares", f"'{text}'")
        leaps = 0
    directions = before.translate({ord("m"): None, ord("c"): None})
    return Part(text, letter, _directions(text, letter, directions), mode, leaps)


def _directions(text: str, letter: str, written: str) -> tuple[str, ...]:
    """The directions that small letters choose."""
    if letter in "KQ":
        if len(written) > 1 or written in ("s", "v", "h"):
            raise Misdrawn(f"the directions of {' and '.join(_split(letter))} one by one", f"'{text}'")
        return tuple(written)
    side, ahead = ATOMS[TOGETHER.get(letter, letter)]
    form, such = {
        0: (_STRAIGHT, "f, b, l, r, s or v"),
        ahead: (_DIAGONAL, "f, b, l, r, or two of them such as fl,"),
    }.get(side, (_OBLIQUE, "ff (steep), fs (flat), fh (both), v or s,"))
    tokens = form.findall(written)
    if "".join(tokens) != written or len(set(tokens)) != len(tokens):
        raise Misdrawn(f"directions such as {such} before {letter}", f"'{text}'")
    return tuple(tokens)


def _split(letter: str) -> tuple[str, str]:
    return ("W", "F") if letter == "K" else ("R", "B")


def _chosen(part: Part, leap: tuple[int, int]) -> list[tuple[int, int]]:
    """The leaps of a letter in the directions that are chosen, to the right and ahead."""
    near, far = leap
    every = {(x * i, y * j) for x, y in ((near, far), (far, near)) for i in (1, -1) for j in (1, -1)}
    oblique = 0 < near < far
    return [
        one
        for one in every
        if not part.directions or any(_points(one, direction, oblique) for direction in part.directions)
    ]


def _points(leap: tuple[int, int], direction: str, oblique: bool) -> bool:
    """Whether a leap goes in a direction."""
    right, ahead = leap
    steep = abs(ahead) > abs(right)
    halves = {"f": ahead > 0, "b": ahead < 0, "l": right < 0, "r": right > 0}
    if not oblique:
        if direction in ("s", "v"):
            return (ahead if direction == "s" else right) == 0
        return all(halves[sign] for sign in direction)
    if direction in ("s", "v"):
        return steep == (direction == "v")
    first, second = direction[0], direction[1]
    if second == "h":
        return halves[first]
    if second == "s":
        return halves[first] and not steep
    return halves[first] and steep == (first in "fb") and all(halves[sign] for sign in direction[2:])


# --- In words ---------------------------------------------------------------------------------------------------------

_KINDS = {
    "W": ("straight", "縦横に"),
    "F": ("diagonally", "斜めに"),
    "K": ("in any direction", "八方に"),
    "R": ("straight", "縦横に"),
    "B": ("diagonally", "斜めに"),
    "Q": ("in any direction", "八方に"),
}
_LEAPS = {
    "D": ("two squares straight", "縦横二マス先へ"),
    "N": ("one square and two", "一マスと二マス"),
    "A": ("two squares diagonally", "斜め二マス先へ"),
    "H": ("three squares straight", "縦横三マス先へ"),
    "C": ("one square and three", "一マスと三マス"),
    "Z": ("two squares and three", "二マスと三マス"),
    "G": ("three squares diagonally", "斜め三マス先へ"),
}
_WAYS = {
    "f": ("forward", "前"),
    "b": ("backward", "後ろ"),
    "l": ("to the left", "左"),
    "r": ("to the right", "右"),
    "s": ("sideways", "左右"),
    "v": ("forward or backward", "前後"),
    "h": ("", ""),
}
_STEEP, _FLAT = ("steeply", "縦長に"), ("flatly", "横長に")


def in_words(text: str, lang: str = "en") -> str:
    """What a text says, in English (en) or Japanese (ja)."""
    which = int(lang == "ja")
    return ("; or they ", "、または")[which].join(_said(part, which) for part in parts(text))


def _said(part: Part, which: int) -> str:
    letter = {"L": "C", "J": "Z"}.get(part.letter, part.letter)
    oblique = letter in "NCZ"
    ways = (", ", "・")[which].join(_way(direction, oblique, which) for direction in part.directions)
    if letter in _KINDS:
        far = {0: ("any number of squares", "何マスでも"), 1: ("one square", "一マス")}.get(
            part.leaps, (f"up to {part.leaps} squares", f"{part.leaps}マスまで")
        )[which]
        said = (f"go {far} {_KINDS[letter][0]}", f"{_KINDS[letter][1]}{far}進む")[which]
    else:
        often = {0: (", once or more often", "ことを繰り返せる"), 1: ("", "")}.get(
            part.leaps, (f", up to {part.leaps} times", f"ことを{part.leaps}回まで繰り返せる")
        )[which]
        said = (f"leap {_LEAPS[letter][0]}{often}", f"{_LEAPS[letter][1]}跳ぶ{often}")[which]
    if ways:
        said = (f"{said}, {ways}", f"{ways}へ{said}")[which]
    mode = {"m": (", not capturing", "（駒は取れない）"), "c": (", only to capture", "（駒を取るときだけ）")}
    return said + mode.get(part.mode, ("", ""))[which]


def _way(direction: str, oblique: bool, which: int) -> str:
    if not oblique:
        return (" ", "")[which].join(_WAYS[sign][which] for sign in direction)
    if direction in ("s", "v"):
        return (_FLAT if direction == "s" else _STEEP)[which]
    first, second = direction[0], direction[1]
    words = [] if second == "h" else [(_STEEP if second in "fb" else _FLAT)[which]]
    words += [_WAYS[first][which], *(_WAYS[sign][which] for sign in direction[2:])]
    return (" ", "")[which].join(words)


@dataclass(frozen=True)
class Moves(Drawing):
    """A toggle that says how pieces of a kind move: its named value as usual, or any text of Betza's notation."""

    form: str = r"[A-Za-z][A-Za-z0-9]{0,59}"
    what: str = "moves in Betza's notation such as NC or BfW"
    painted: bool = False
    pattern: str = r"^[A-Za-z][A-Za-z0-9]*$"

    def understand(self, text: str) -> None:
        """Sees whether it is Betza's notation.

        Raises:
            Misdrawn: it is not.
        """
        rays(text)

    def sentence(self, setting: Setting, lang: str = "en") -> str:
        """The rule book's sentence, with the notation in words where it can be read."""
        said = super().sentence(setting, lang)
        if not self.is_drawn(setting):
            return said
        try:
            words = in_words(str(setting), lang)
        except Misdrawn:
            return said
        return f"{said.removesuffix('。')}：{words}。" if lang == "ja" else f"{said.removesuffix('.')}: they {words}."


def moves_of(kind: str, kind_ja: str, letter: str, source: str) -> Moves:
    """The toggle that says how the pieces of a kind move; ``letter``: how they do as usual."""
    plural = f"{kind.capitalize()}s"
    return Moves(
        name=f"{kind}_moves",
        title=f"How {kind}s move",
        title_ja=f"{kind_ja}の動き",
        source=source,
        default=letter,
        values=(Value(letter, f"{plural} {in_words(letter)}.", ja=f"{kind_ja}は{in_words(letter, 'ja')}。"),),
        drawn=f"{plural} move as {{n}} in Betza's notation.",
        drawn_ja=f"{kind_ja}はベッツァの記法で{{n}}と動く。",
    )
