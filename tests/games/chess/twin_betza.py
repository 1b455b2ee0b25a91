"""How pieces move by Betza's notation: slow, and written from its definition, for the naive twin of chess.

Source: R. Betza, Funny Notation, 1990s; H. G. Muller, Extended Betza notation (the order of two letters before N).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

Leap = tuple[int, int]
"""Squares to the right and ahead, as the owner sees the board."""

LEAPS = {"W": "10", "F": "11", "D": "20", "N": "21", "A": "22", "H": "30", "C": "31", "L": "31", "Z": "32", "J": "32"}
LEAPS["G"] = "33"
WORDS = {"K": "WF", "R": "W0", "B": "F0", "Q": "W0F0"}
"""Letters that others can be written for, with their number of leaps (0 for any)."""


def leaps_of(letter: str) -> set[Leap]:
    """All leaps of a letter, from the two numbers of squares."""
    a, b = (int(digit) for digit in LEAPS[letter])
    return {(i * x, j * y) for x, y in ((a, b), (b, a)) for i in (-1, 1) for j in (-1, 1)}


COMPASS = {"f": (0, 1), "b": (0, -1), "l": (-1, 0), "r": (1, 0)}


def towards(leap: Leap, way: str) -> int:
    """How far a leap goes in a direction."""
    return leap[0] * COMPASS[way][0] + leap[1] * COMPASS[way][1]


def chosen(letter: str, ways: str) -> set[Leap]:
    """The leaps of a letter that small letters leave."""
    every = leaps_of(letter)
    if not ways:
        return every
    if letter in "WDH":
        ways = ways.replace("s", "lr").replace("v", "fb")
        return {leap for leap in every for way in ways if towards(leap, way) > 0}
    kept: set[Leap] = set()
    if letter in "FAG":
        while ways:
            # Of an upright and a level letter in a row both must hold; others stand for themselves.
            together = ways[:2] if len({letter in "fb" for letter in ways[:2]}) == 2 else ways[:1]
            kept |= {leap for leap in every if all(towards(leap, way) > 0 for way in together)}
            ways = ways[len(together) :]
        return kept
    far = max(int(digit) for digit in LEAPS[letter])
    while ways:
        if ways[0] in "sv":
            kept |= {leap for leap in every for way in ("lr" if ways[0] == "s" else "fb") if towards(leap, way) == far}
            ways = ways[1:]
            continue
        first, second, ways = ways[0], ways[1], ways[2:]
        ahead = {leap for leap in every if towards(leap, first) > 0}
        if second == "h":
            kept |= ahead
        elif second == "s":
            kept |= {leap for leap in ahead if towards(leap, first) < far}
        else:
            assert second == first, "a letter twice: straight on"
            steep = {leap for leap in ahead if towards(leap, first) == far}
            if ways[:1] in ("l", "r") and first in "fb" and ways[:2] not in ("ll", "rr", "lh", "rh"):
                steep = {leap for leap in steep if towards(leap, ways[0]) > 0}
                ways = ways[1:]
            kept |= steep
    return kept


def spelled(text: str) -> Iterator[tuple[str, str, int]]:
    """The small letters, the capital letter and the number of leaps (0: any) of each part of a text."""
    small, at = "", 0
    while at < len(text):
        letter = text[at]
        at += 1
        if letter.islower():
            small += letter
            continue
        number = 1
        if at < len(text) and text[at] == letter:
            number, at = 0, at + 1
        elif at < len(text) and text[at].isdigit():
            number, at = int(text[at]), at + 1
        elif letter in "RBQ":
            number = 0
        for each in WORDS.get(letter, letter).replace("0", ""):
            yield small, each, number
        small = ""


@functools.cache
def ways(text: str) -> tuple[tuple[Leap, int, bool, bool], ...]:
    """The leaps of a text, each with how often it may be made in a row, whether it may just go, and may capture."""
    return tuple(
        (leap, number or 7, "c" not in small, "m" not in small)
        for small, letter, number in spelled(text)
        for leap in chosen(letter, small.replace("m", "").replace("c", ""))
    )
