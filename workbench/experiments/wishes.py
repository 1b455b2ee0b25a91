"""Wishes in words: measures that should change, and measures that should stay the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from workbench.base.errors import InputError, expected, input_error
from workbench.base.language import join_list, quoted, tr
from workbench.experiments.measures import FAIRNESS, FIRST_SCORE, MEASURES, measure_by_name

MORE, LESS, SAME = 1, -1, 0
Word = TypeVar("Word", str, int)
MEASURE_WORDS: Mapping[str, str] = {
    FAIRNESS: r"fair(?:er|ness)?|balanced?|even(?:er)?|公平|五分|互角",
    FIRST_SCORE: r"first(?: player| mover| move)?|(?:opening |dis)?advantages?|先手|先番|先攻|有利|不利",
    "draw_rate": r"draws?|drawn|ties?|引き分け|引分け?|ドロー",
    "capped_rate": r"unfinished|endless|never end\w*|終わらない|打ち切り",
    "decisive_rate": r"decisive|winners?|decided|決着|勝敗",
    "plies_mean": r"lengths?|long(?:er)?|short(?:er)?|plies|duration|quick(?:er)?|fast(?:er)?|brief(?:er)?"
    "|長さ|手数|長く|長い|長すぎ|短く|短い|短すぎ|早く|時間",
    "legal_moves": r"legal moves|choices?|options|合法手|選択肢",
    "variety": r"var(?:iety|ied)|openings|多様|変化",
}
"""Regular expressions of words for each measure; words in Latin letters are matched whole."""
DIRECTION_WORDS: Mapping[int, str] = {
    SAME: r"same|keep\w*|unchanged|as (?:long|many|much)|equal|同じ|そのまま|変え|保|維持",
    LESS: r"fewer|less|lower|shorter|(?<!too )short|quick(?:er)?|fast(?:er)?|brief(?:er)?|reduc\w+|decrease\w*|"
    r"rarer|no|without|avoid\w*|too (?!few|short|little|low)\w+"
    r"|少な(?!すぎ)|減|短(?!すぎ)|早く|下げ|低(?!すぎ)|抑え|なし|無し|なく|避け|(?<![短少低]|な)すぎ",
    MORE: r"more|higher|longer|too (?:few|short|little|low)|increas\w+|raise\w*"
    r"|多く|多い|増|長く|高(?!すぎ)|上げ|[短低]すぎ|少なすぎ",
}
"""Regular expressions of words for directions; "shorter" is both a measure and a direction."""
IMPLIED = (FAIRNESS, "decisive_rate", "variety")
"""Measures that mean "more" if no direction is given."""
FORMAL: Mapping[str, int] = {"more": MORE, "less": LESS, "same": SAME}


@dataclass(frozen=True)
class Wish:
    """Measures that should change (1: more, -1: less) and measures that should stay the same."""

    toward: Mapping[str, int]
    keep: tuple[str, ...] = ()


def read_wish(text: str, lenient: bool = False) -> Wish:
    """Parse a wish; ``lenient`` skips the parts that are none.

    Raises:
        InputError: a part has no measure or direction, or nothing should change.

    >>> read_wish("fewer draws, same length")
    Wish(toward={'draw_rate': -1}, keep=('plies_mean',))
    >>> read_wish("引き分けを減らしたい").toward, read_wish("plies:less, fairness:more").toward
    ({'draw_rate': -1}, {'plies_mean': -1, 'fairness': 1})
    >>> read_wish("too many draws, on a smaller board", lenient=True).toward
    {'draw_rate': -1}
    """
    directions: dict[str, int] = {}
    for clause in re.split(r"[,;、，。]|\b(?:and|but|with)\b", text):
        try:
            directions |= _parse_clause(clause.strip()) if clause.strip() else {}
        except InputError:
            if not lenient:
                raise
    toward = {measure: direction for measure, direction in directions.items() if direction != SAME}
    if not toward and not lenient:
        raise _problem(text)
    return Wish(toward, tuple(measure for measure in directions if measure not in toward))


def _parse_clause(text: str) -> dict[str, int]:
    """Return a clause's directions by measure; measures and directions are paired in order."""
    if formal := re.fullmatch(r"(\w+)\s*[:：]\s*(more|less|same)", text):
        return {_measure(formal[1], text): FORMAL[formal[2]]}
    directions = _matches(DIRECTION_WORDS, text)
    measures = [measure for measure in _matches(MEASURE_WORDS, text) if directions or measure in IMPLIED]
    implied = [measure for measure in measures if measure in IMPLIED] if len(directions) < len(measures) else []
    explicit = [measure for measure in measures if measure not in implied]
    if not measures or len(explicit) != len(directions):
        raise _problem(text)
    found = dict(zip(explicit, directions, strict=True))
    if found.get(FIRST_SCORE) == LESS:
        # The first player's advantage should not turn into the second player's.
        del found[FIRST_SCORE]
        implied.append(FAIRNESS)
    return found | dict.fromkeys(implied, MORE)


def _measure(name: str, text: str) -> str:
    by_key = {measure.question_key: measure.name for measure in MEASURES.values()} | {name: name for name in MEASURES}
    try:
        return by_key.get(name) or measure_by_name(name).name
    except ValueError:
        raise _problem(text) from None


def _matches(words: Mapping[Word, str], text: str) -> list[Word]:
    """Return the keys whose words occur in a text, in order of occurrence."""
    positions: dict[Word, int] = {}
    for key, pattern in words.items():
        # Latin words must be whole; Japanese words need no separators.
        if match := re.search(rf"(?<![a-z])(?:{pattern})(?![a-z])", text, re.IGNORECASE):
            positions[key] = match.start()
    return sorted(positions, key=lambda key: positions[key])


def _problem(text: str) -> InputError:
    message = expected(tr("goals such as “fewer draws, same length”"), quoted(text))
    hint = tr("use these measures with :more, :less or :same: {names}", names=join_list(list(MEASURES)))
    return input_error(message, hint)
