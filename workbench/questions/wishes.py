"""What a designer wishes for in a few words: which measures should change, in which direction, and which stay.

`read_wish` reads sentences such as "fewer draws, same length" and 「引き分けを減らし、長さは同じ」 by a small
vocabulary, and the names of measures with a direction, such as ``draw_rate:less``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from workbench.errors import InputError
from workbench.language import listed, tr
from workbench.questions.measures import FAIRNESS, FIRST_SCORE, MEASURES, measure_by_name

MORE, LESS, SAME = 1, -1, 0
Thing = TypeVar("Thing", str, int)

MEASURE_WORDS: Mapping[str, str] = {
    FAIRNESS: r"fair(?:er|ness)?|balanced?|even(?:er)?|公平|五分|互角",
    FIRST_SCORE: r"first(?: player| mover| move)?|opening advantage|先手|先番|先攻",
    "draw_rate": r"draws?|drawn|ties?|引き分け|引分け?|ドロー",
    "capped_rate": r"unfinished|endless|never end\w*|終わらない|打ち切り",
    "decisive_rate": r"decisive|winners?|decided|決着|勝敗",
    "plies_mean": r"lengths?|long(?:er)?|short(?:er)?|plies|duration|quick(?:er)?|長さ|手数|長く|長い|短く|短い|時間",
    "legal_moves": r"legal moves|choices?|options|合法手|選択肢",
    "variety": r"var(?:iety|ied)|openings|多様|変化",
}
"""How each measure may be called: regular expressions, of whole words where letters are Latin."""
DIRECTION_WORDS: Mapping[int, str] = {
    SAME: r"same|keep\w*|unchanged|as (?:long|many|much)|equal|同じ|そのまま|変え|保|維持",
    LESS: r"fewer|less|lower|shorter|short|quick(?:er)?|reduce\w*|decrease\w*|rarer|no|without|avoid|"
    r"少な|減|短|下げ|低|抑え|なし|無し|なく",
    MORE: r"more|higher|longer|increase\w*|raise\w*|多く|多い|増|長く|高|上げ",
}
"""How directions are said; a word such as "shorter" is both a measure and a direction."""
IMPLIED = (FAIRNESS, "decisive_rate", "variety")
"""Measures of which more is meant where no direction is said."""
FORMAL: Mapping[str, int] = {"more": MORE, "less": LESS, "same": SAME}


@dataclass(frozen=True)
class Wish:
    """What should change, and what should not."""

    toward: Mapping[str, int]
    """Measure -> `MORE` or `LESS`."""
    keep: tuple[str, ...] = ()
    """Measures that should stay as they are."""


def read_wish(text: str) -> Wish:
    """The wish of a sentence.

    Raises:
        InputError: a part of it says no measure, no direction, or nothing should change.

    >>> read_wish("fewer draws, same length")
    Wish(toward={'draw_rate': -1}, keep=('plies_mean',))
    >>> read_wish("引き分けを減らしたい").toward, read_wish("plies:less, fairness:more").toward
    ({'draw_rate': -1}, {'plies_mean': -1, 'fairness': 1})
    """
    said: dict[str, int] = {}
    for clause in re.split(r"[,;、，。]|\b(?:and|but|with)\b", text):
        if clause.strip():
            said |= _clause(clause.strip())
    toward = {measure: direction for measure, direction in said.items() if direction != SAME}
    if not toward:
        raise _problem(text)
    return Wish(toward, tuple(measure for measure in said if measure not in toward))


def _clause(text: str) -> dict[str, int]:
    """Measures and directions of a clause, the first measure with the first direction."""
    if formal := re.fullmatch(r"(\w+)\s*[:：]\s*(more|less|same)", text):
        return {_measure(formal[1], text): FORMAL[formal[2]]}
    measures, directions = _matches(MEASURE_WORDS, text), _matches(DIRECTION_WORDS, text)
    implied = [one for one in measures if one in IMPLIED] if len(directions) < len(measures) else []
    spoken = [one for one in measures if one not in implied]
    if not measures or len(spoken) != len(directions):
        raise _problem(text)
    return dict(zip(spoken, directions, strict=True)) | dict.fromkeys(implied, MORE)


def _measure(name: str, text: str) -> str:
    by_key = {one.question_key: one.name for one in MEASURES.values()} | {name: name for name in MEASURES}
    try:
        return by_key.get(name) or measure_by_name(name).name
    except ValueError:
        raise _problem(text) from None


def _matches(words: Mapping[Thing, str], text: str) -> list[Thing]:
    """What is named, each once, in the order of the text."""
    places: dict[Thing, int] = {}
    for thing, pattern in words.items():
        # Latin words are whole; signs of Japanese stand in a row with others.
        if match := re.search(rf"(?<![a-z])(?:{pattern})(?![a-z])", text, re.IGNORECASE):
            places[thing] = match.start()
    return sorted(places, key=lambda thing: places[thing])


def _problem(text: str) -> InputError:
    message = tr("expected wishes such as “fewer draws, same length”, found “{text}”", text=text)
    hint = tr("measures, with :more, :less or :same, are {names}", names=listed(list(MEASURES)))
    return InputError.of(message, hint)
