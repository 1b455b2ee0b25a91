"""What a family says, as terms: of each toggle its title, its sentences and what players call it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from workbench import games
from workbench.games.declaration import Declaration, Setting, Toggle, setting_text
from workbench.games.drawings import Drawing
from workbench.ideas.terms import Meanings, Token, bigrams, meanings
from workbench.language import in_all

SIZE, ENDING = 1.5, 0.3
"""What a size counts, and what hiragana that nobody has heard of, which mostly are an ending."""
LIGHT = {
    "not": 0.8,
    "must": 0.5,
    "only": 0.4,
    "may": 0.3,
    "also": 0.3,
    "like": 0.3,
    "player": 0.3,
    "many": 0.3,
    "1": 0.4,
}
"""Terms whose rarity says nothing of what they count."""


@dataclass(frozen=True)
class Spoken:
    """What it says of a toggle."""

    toggle: Toggle
    about: frozenset[str]
    """The terms of its title and name, and of what players call it."""
    headings: tuple[frozenset[str], ...]
    """The same one by one."""
    phrases: tuple[tuple[Setting | None, frozenset[str], int], ...]
    """What says a setting; None where it is a number to be read, to which the last is added."""
    every: frozenset[str]
    said: Mapping[str, frozenset[str]]
    """All terms of each setting that has a name, and of those that are read, by ""."""
    called: tuple[frozenset[str], ...]
    """What players call its settings."""
    pairs: frozenset[str]
    """Pairs of letters of its Japanese."""
    sizes: Mapping[str, Setting]
    """By sizes of the board the values that say them."""
    than: Toggle | None
    """Whose number "one more" is counted from, if that is not its own."""


@dataclass(frozen=True)
class Family:
    """What a family says."""

    declaration: Declaration
    words: Meanings
    toggles: tuple[Spoken, ...]
    weights: Mapping[str, float]
    title: frozenset[str]

    def weight(self, token: Token) -> float:
        """How much a word or number of an idea counts."""
        if token.kind == "size":
            return SIZE
        if not token.known and re.fullmatch(r"[\u3040-\u309f]+", token.text):
            return ENDING
        return self.term_weight(token.term) if token.kind == "word" else LIGHT.get(token.term, 1.0)

    def term_weight(self, term: str) -> float:
        """How much a term counts: the more, the fewer toggles have it."""
        return LIGHT.get(term, self.weights.get(term, 1.0))


@cache
def family_terms(family: str, turned: bool = False) -> Family:
    """What a family says, as terms; ``turned``: its second colour moves first."""
    declaration, words = games.declaration(family), meanings(family, turned)
    called = words.own.get("game", (*in_all(declaration.title), family))
    title = frozenset(term for text in called for term in words.terms(text))
    toggles = tuple(_spoken_toggle(toggle, declaration, words, title) for toggle in declaration.toggles)
    often = Counter(term for one in toggles for term in one.every)
    weights = {term: max(0.2, 1 - math.log(count) / math.log(len(toggles) + 1)) for term, count in often.items()}
    return Family(declaration, words, toggles, weights, title)


def _spoken_toggle(toggle: Toggle, declaration: Declaration, words: Meanings, title: frozenset[str]) -> Spoken:
    own = {setting_text(name): texts for name, texts in words.own.get("toggles", {}).get(toggle.name, {}).items()}
    headings = [toggle.name.replace("_", " "), *in_all(toggle.title), *own.get("about", [])]
    about = frozenset[str]().union(*map(words.terms, headings))
    patterns = [*(in_all(one.sentence) for one in (toggle.span, toggle.files) if one)]
    patterns += [in_all(toggle.drawn)] if isinstance(toggle, Drawing) else []
    said: list[tuple[Setting | None, str]] = [(None, text.format(n="")) for texts in patterns for text in texts]
    called: list[tuple[Setting | None, str]] = []
    counts = [
        key
        for key in own
        if toggle.span and key.isdigit() and key not in {setting_text(value.name) for value in toggle.values}
    ]
    called += [(int(key), text) for key in counts for text in own[key]]
    counted: list[tuple[Setting | None, frozenset[str], int]] = [
        (None, words.terms(text) - title - {"n"}, int(key[1:] or 0))
        for key in own if re.fullmatch(r"n([+-]\d+)?", key) for text in own[key]
    ]  # fmt: skip
    sizes: dict[str, Setting] = {}
    for value in toggle.values:
        name = setting_text(value.name)
        said += [(value.name, text) for text in in_all(value.sentence)]
        said.append((value.name, " ".join((name.replace("-", " "), *headings))))
        called += [(value.name, text) for text in own.get(name, [])]
        sizes |= {token.term: value.name for token in words.tokens(value.sentence)[::-1] if token.kind == "size"}
    if toggle.span and "{n}×{n}" in toggle.span.sentence.format(n="{n}"):
        sizes = {f"{n}x{n}": n for n in toggle.span.numbers()}
    calls = [(setting, words.terms(text) - title) for setting, text in called]
    phrases = [(setting, words.terms(text) - title) for setting, text in said]
    # What players call a setting is not the name of another one.
    phrases = [one for one in phrases if all(one[0] == setting or one[1] != call for setting, call in calls)]
    alike: dict[str, frozenset[str]] = {"": about}
    for setting, terms in (*phrases, *calls, *((setting, terms) for setting, terms, _ in counted)):
        key = "" if setting is None else setting_text(setting)
        alike[key] = alike.get(key, about) | terms
    japanese = re.findall(r"[\u3040-\u30ff\u3400-\u9fff]+", " ".join([*headings, *(text for _, text in said)]))
    return Spoken(
        toggle=toggle,
        about=about,
        headings=tuple(map(words.terms, headings)),
        phrases=(*((setting, terms, 0) for setting, terms in (*phrases, *calls)), *counted),
        every=about.union(*(terms for _, terms in (*phrases, *calls))),
        said=alike,
        called=(*(terms for _, terms in calls), *(terms for _, terms, _ in counted)),
        pairs=frozenset(pair for run in japanese for pair in bigrams(run)),
        sizes=sizes,
        than=declaration.toggle(own["than"]) if "than" in own else None,
    )
