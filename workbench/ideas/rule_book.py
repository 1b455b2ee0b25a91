"""What the rule book says of an idea already, be it a toggle's sentence or one that no toggle changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.games.declaration import Declaration, Setting, Toggle
from workbench.ideas.terms import Meanings, Token
from workbench.language import LANGUAGES, given, in_all

_SENTENCE = re.compile(r"(?<=。)|(?<=[.;]) ")
_CLAUSE, _PART = re.compile(r"(?:[。.,;:：]|(?<!は)、)\s*"), re.compile(r"[（()）]")
_GRAMMAR = {"may", "must", "also", "player"}
"""Terms that a sentence need not have."""
_PLACES = {"zone", "square", "board", "piece", "1"}
"""Terms of what a sentence denies that an idea need not have."""
_ALIKE = {"place": "drop", "region centre zone": "center"}


@dataclass(frozen=True)
class Written:
    """A sentence of the rule book that speaks of all that an idea does."""

    sentence: str
    toggle: Toggle | None
    same: bool
    """Whether it says the idea, rather than the opposite."""


def written(
    declaration: Declaration, words: Meanings, tokens: Sequence[Token], settings: Mapping[str, Setting]
) -> Written | None:
    """The sentence of the rules with these settings that says an idea, or else one that no setting changes denies."""
    asked = _terms({token.term for token in tokens})
    fixed = None
    for sentence, toggle in _sentences(declaration, settings):
        for text in in_all(sentence):
            for clause in _CLAUSE.split(text):
                said = _terms(words.terms(clause))
                if not asked - {"not"} or not asked - {"not"} <= said:
                    continue
                denied = [part for part in (_terms(words.terms(one)) for one in _PART.split(clause)) if "not" in part]
                whole = any(part - asked <= _PLACES | {"not"} for part in denied)
                if (whole if "not" in asked else not denied) and len(asked) > len(said) / 2:
                    return Written(sentence, toggle, True)
                if toggle is None and ("not" in asked or whole):
                    fixed = fixed or Written(sentence, None, False)
    return fixed


def _sentences(declaration: Declaration, settings: Mapping[str, Setting]) -> Iterator[tuple[str, Toggle | None]]:
    for paragraph in declaration.summary:
        texts = [[one for one in _SENTENCE.split(text) if one] for text in in_all(paragraph)]
        if len({len(one) for one in texts}) == 1:
            yield from ((given(**dict(zip(LANGUAGES, parts, strict=True))), None) for parts in zip(*texts, strict=True))
        else:  # other sentences in another language
            yield paragraph, None
    for toggle, sentence in declaration.sentences(settings, told=settings):
        yield sentence, toggle


def _terms(terms: set[str] | frozenset[str]) -> set[str]:
    return {_ALIKE.get(term, term) for term in terms} - _GRAMMAR
