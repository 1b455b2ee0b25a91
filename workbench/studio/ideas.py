"""Which toggles come nearest to an idea that somebody says in a few words, in English or Japanese."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.games.declaration import Declaration, Setting, Toggle, setting_text
from workbench.language import in_all

MAX_TOGGLES = 6
"""Toggles that are shown."""
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """a an the and or of to in on at by is are be may can no not any all that it its as if for with from than then
        one this these those must has have does do who which what when where there their other own each every only""",
    )
)
_LATIN = re.compile(r"[a-z0-9]+")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")
_TITLE = 2.0
"""How much more a word of the title counts than one of a sentence."""


@dataclass(frozen=True)
class ToggleMatch:
    """A toggle that speaks of an idea."""

    toggle: Toggle
    settings: tuple[Setting, ...]
    """Its values, that whose sentence is nearest first."""
    score: float


def match_toggles(family: Declaration, idea: str) -> list[ToggleMatch]:
    """The toggles of a family that share words with an idea, nearest first; rare words count more than common ones."""
    asked = set(_terms(idea))
    texts = {toggle.name: _toggle_terms(toggle) for toggle in family.toggles}
    speaking = Counter(term for of_toggle in texts.values() for term in set().union(*of_toggle.values()))
    weight = {term: math.log(1 + len(texts) / speaking[term]) for term in asked if term in speaking}
    found = []
    for toggle in family.toggles:
        title, *_ = of_toggle = list(texts[toggle.name].values())
        score = sum(
            weight[term] * (_TITLE if term in title else 1.0)
            for term in weight
            if any(term in one for one in of_toggle)
        )
        if score > 0:
            settings = [value.name for value in toggle.values]
            settings.sort(
                key=lambda setting: -_shared_weight(texts[toggle.name].get(setting_text(setting), set()), weight)
            )
            found.append(ToggleMatch(toggle, tuple(settings), score))
    found.sort(key=lambda near: -near.score)
    best = found[0].score if found else 0.0
    return [near for near in found[:MAX_TOGGLES] if near.score >= best / 4]


def _shared_weight(terms: set[str], weight: dict[str, float]) -> float:
    return sum(weight[term] for term in weight if term in terms)


def _toggle_terms(toggle: Toggle) -> dict[str, set[str]]:
    """The terms of a toggle's title, first, and of its values by their names."""
    texts = {"": set(_terms(" ".join((*in_all(toggle.title), toggle.name))))}
    for value in toggle.values:
        name = setting_text(value.name)
        texts[name] = set(_terms(" ".join((name, *in_all(value.sentence)))))
    for place, pattern in enumerate((toggle.span, toggle.files)):
        if pattern:
            texts[f"pattern {place}"] = set(_terms(" ".join(in_all(pattern.sentence))))
    return texts


def _terms(text: str) -> Iterator[str]:
    """Stems of English words, and pairs of neighbouring letters of Japanese, which leaves no gaps between words."""
    text = unicodedata.normalize("NFKC", text).casefold()
    for word in _LATIN.findall(text):
        if word not in _COMMON:
            yield _stem(word)
    for run in _JAPANESE.findall(text):
        pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        # Two hiragana are mostly an ending, which every sentence has.
        yield from (pair for pair in pairs if not re.fullmatch(r"[\u3040-\u309f]+", pair))


def _stem(word: str) -> str:
    """What drop, drops, dropped and dropping share.

    >>> {_stem(word) for word in ("capture", "captures", "captured", "capturing")}
    {'captur'}
    """
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    if word[-1:] == word[-2:-1]:
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word
