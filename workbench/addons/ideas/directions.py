"""The direction of an idea, such as fewer draws or a smaller board, and of a change of the rules, as far as declared.

The direction of a change is read off its numbers and its sentences: a larger board, a draw that is another result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from workbench.base.language import translated
from workbench.experiments.measures import FAIRNESS
from workbench.experiments.wishes import read_wish
from workbench.games.declaration import SWAP, Setting, Toggle, setting_text

BOARD, DRAWS, LENGTH = "board", "draw_rate", "plies_mean"
"""The names of goals: the board or a measure."""
WORDS: Mapping[int, str] = {
    -1: r"\b(?:small|tiny|narrow)\w*.{0,12}\bboard|\bboard.{0,16}\b(?:small|tiny|narrow)"
    r"|盤\w{0,5}(?:小さ|狭|縮)|(?:小さ|狭)\w{0,2}盤|小型",
    1: r"\b(?:big|larg|wide)\w*.{0,12}\bboard|\bboard.{0,16}\b(?:big|larg|wide)"
    r"|盤\w{0,5}(?:大き|広)|(?:大き|広)\w{0,2}盤|大型",
}
"""Regular expressions of the words for a smaller and a larger board."""
_DRAW = re.compile(r"\bdraws?\b", re.IGNORECASE)
SOLVED = "small enough to be solved"
"""Words of settings that are no game for players."""
_END = re.compile(r"\b(?:wins|win at once|loses|draws?)\b")
_GIFT = re.compile(r"(?:second player receives|White makes) {n}")
"""Words of a number that the second player is given."""


def goals(idea: str) -> dict[str, int]:
    """Return what should become more (1) or less (-1) according to an idea; empty if it names no direction.

    >>> goals("fewer draws, on a smaller board"), goals("1局を短くしたい")
    ({'board': -1, 'draw_rate': -1}, {'plies_mean': -1})
    >>> goals("no castling"), goals("引き分けが多すぎる")
    ({}, {'draw_rate': -1})
    """
    board = [{BOARD: sign} for sign, words in WORDS.items() if re.search(words, idea, re.IGNORECASE)]
    return {**next(iter(board), {}), **read_wish(idea, lenient=True).toward}


def direction(goal: str, toggle: Toggle, before: Setting, after: Setting) -> int:
    """Return whether a change means more (1) or less (-1) of a goal, or 0 if that is not declared.

    More of `FAIRNESS` is more for the second player.
    """
    # What is as for the other side is not said here.
    if str(before).startswith("as-"):
        return 0
    larger = _sign(area(toggle, after) - area(toggle, before))
    if goal == BOARD:
        return larger
    if goal == FAIRNESS:
        if toggle.name in (SWAP, "draw_value"):
            return int(before == toggle.default) * (-1 if after == 1 else 1)
        return _sign(_gift(toggle, after) - _gift(toggle, before))
    if goal == LENGTH:
        later = _sign(_limit(toggle, after) - _limit(toggle, before))
        return larger or later or _says(_END, toggle, before) - _says(_END, toggle, after)
    # Boards differ in more than their draws.
    if goal != DRAWS or area(toggle, before):
        return 0
    if toggle.name == "draw_value":
        return -int(before == toggle.default)
    sooner = _sign(_limit(toggle, before) - _limit(toggle, after))
    return sooner or _says(_DRAW, toggle, after) - _says(_DRAW, toggle, before)


def area(toggle: Toggle, setting: Setting) -> int:
    """Return the number of squares that a setting of the board's size names, such as 24 for ``4x6``; else 0."""
    if not re.search(r"\b(?:board|size)\b", translated(toggle.title, "en"), re.IGNORECASE):
        return 0
    numbers = [int(digits) for digits in re.findall(r"\d+", setting_text(setting))]
    return math.prod(numbers) if len(numbers) > 1 else sum(numbers) ** 2


def numbers(goal: str, toggle: Toggle, now: Setting) -> Iterator[Setting]:
    """Yield the numbers of a toggle's range to suggest for a goal.

    They are all sizes, half or twice a limit of today, one more or less than the second player is given, and the middle
    of the range of a new end of the game.
    """
    if toggle.span is None:
        return
    given, middle = _gift(toggle, now), (toggle.span.low + toggle.span.high) // 2
    if area(toggle, now):
        yield from toggle.span.numbers()
    elif goal == FAIRNESS:
        yield from (n for n in (given + 1, given - 1) if toggle.span.allows(n))
    elif goal == LENGTH and isinstance(now, int) and _says(_END, toggle, now):
        yield from (n for n in (now // 2, now * 2) if toggle.span.allows(n))
    elif goal == LENGTH and "wins" in translated(toggle.span.sentence, "en"):
        yield middle


def _says(words: re.Pattern[str], toggle: Toggle, setting: Setting) -> bool:
    return bool(words.search(translated(toggle.sentence(setting), "en")))


def _gift(toggle: Toggle, setting: Setting) -> float:
    """Return the number that a toggle gives to the second player, such as points or moves."""
    is_gift = toggle.span is not None and _GIFT.search(translated(toggle.span.sentence, "en"))
    return setting if is_gift and type(setting) in (int, float) else 0  # type: ignore[return-value]


def _limit(toggle: Toggle, setting: Setting) -> float:
    """Return the number after which a toggle's rule ends the game in a draw, infinite without such a limit."""
    if toggle.span is None or type(setting) is not int or not _DRAW.search(translated(toggle.span.sentence, "en")):
        return 0
    return setting if _says(_DRAW, toggle, setting) else math.inf


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
