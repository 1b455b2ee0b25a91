"""Full-text search for toggles and rulesets, in English or Japanese.

Texts are compared word by word, Japanese ones by words in katakana, kanji and pairs of characters. Rare words weigh
more, and words also match similar spellings. All numbers are equivalent, and function words do not count: the search
neither understands an idea nor judges it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rapidfuzz import fuzz, process
from rapidfuzz.distance import JaroWinkler

from workbench import games
from workbench.base.errors import InputError, Problem
from workbench.base.keys import ByName, Key, ListOf, Text, read_file
from workbench.base.language import in_all, tr
from workbench.base.yamlfile import read_yaml
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import Drawing
from workbench.games.wording import sentence_beside

LONGEST = 300
"""Maximum length of an idea, in characters."""

# Chosen by the ideas of `tests/addons/ideas/ideas.yaml` that were not held out.
IN_SENTENCES = 0.5
"""Weight of a word that occurs in no heading."""
LENGTH = 0.2
"""The strength of length normalization, from 0 to 1."""
PHRASE = 0.4
"""Weight of the most similar heading as a whole."""
SIMILAR = 0.88
"""Minimum similarity of two spellings of one word."""
LEAST = 0.2
"""Minimum score of a result."""

_NUMBER = re.compile(
    r"[0-9一二三四五六七八九十百]+(?:\.[0-9]+)?"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|twice)\b"
)
_TIMES = re.compile(r"(?<=0)(?:[- ]by[- ]| ?[x×✕*] ?|かける)(?=0)")
_WORD = re.compile(r"0x0|0|[a-zà-ÿ]+|[ァ-ヺー]{2,}|(?:(?![ァ-ヺー]{2})[々ぁ-ゟァ-ヺー㐀-鿿★])+")


class Document(NamedTuple):
    """A searchable item: its names, titles and synonyms, and its sentences."""

    name: str
    headings: Sequence[str]
    sentences: Sequence[str]


class Index:
    """A full-text index of a game's documents."""

    def __init__(self, documents: Iterable[Document], synonyms: Synonyms) -> None:
        self._synonyms = synonyms
        self._phrases: dict[str, list[str]] = {}
        self._weights: dict[str, dict[str, float]] = {}
        for document in documents:
            self._phrases[document.name] = [_plain(text) for text in document.headings if len(text) > 1]
            weights = dict.fromkeys(self._words(_plain(" / ".join(document.sentences))), IN_SENTENCES)
            weights |= dict.fromkeys(self._words(_plain(" / ".join(document.headings))), 1.0)
            self._weights[document.name] = weights
        total = len(self._weights)
        counts = Counter(word for weights in self._weights.values() for word in weights)
        self._rarity = {word: math.log(1 + (total - count + 0.5) / (count + 0.5)) for word, count in counts.items()}
        lengths = {name: sum(weights.values()) for name, weights in self._weights.items()}
        mean = sum(lengths.values()) / max(1, total)
        self._divisors = {name: math.sqrt(1 - LENGTH + LENGTH * length / mean) for name, length in lengths.items()}

    def nearest(self, text: str) -> dict[str, float]:
        """Return the documents that match best, sorted by descending score."""
        plain = _plain(text[:LONGEST])
        spellings = {word: self._spellings(word) for word in self._words(plain)}
        # An unknown word counts as rare, but an unknown pair of characters is usually not a word.
        words = [matches for word, matches in spellings.items() if matches or len(word) != 2 or word.isascii()]
        rarest = max(self._rarity.values(), default=1)
        highest = sum(max(matches.values(), default=rarest) for matches in words) or 1
        scores = {}
        for name, weights in self._weights.items():
            total = sum(max((weights.get(word, 0) * n for word, n in matches.items()), default=0) for matches in words)
            phrase = max((_phrase_similarity(plain, heading) for heading in self._phrases[name]), default=0)
            scores[name] = total / highest / self._divisors[name] + PHRASE * phrase**3
        ranked = sorted(scores.items(), key=lambda entry: -entry[1])
        return {name: score for name, score in ranked if score >= LEAST}

    def _spellings(self, word: str) -> dict[str, float]:
        """Return the indexed words with a similar spelling, including the word itself, and their weights."""
        if len(word) < 3 or word.startswith("="):
            return {word: self._rarity[word]} if word in self._rarity else {}
        similar = process.extract(
            word, list(self._rarity), scorer=JaroWinkler.normalized_similarity, score_cutoff=SIMILAR, limit=None
        )
        return {match: similarity * self._rarity[match] for match, similarity, _ in similar}

    def _words(self, plain: str) -> list[str]:
        """Return the distinct words in a text, and a token for each group of synonyms that it matches."""
        words: dict[str, None] = {}
        for part in _WORD.findall(plain):
            if re.fullmatch(r"[0a-zà-ÿ]+|[ァ-ヺー]{2,}", part):
                words[part] = None
                continue
            kanji = (char for char in part if "㐀" <= char <= "鿿" or char == "★")
            pairs = (part[i : i + 2] for i in range(len(part) - 1))
            words |= dict.fromkeys((*kanji, *(pair for pair in pairs if not re.fullmatch(r"[ぁ-ゟ]+", pair))))
        groups = (f"={i}" for i, group in enumerate(self._synonyms.words) if group.search(plain))
        return [*(word for word in words if word not in self._synonyms.chatter), *groups]


@dataclass(frozen=True)
class Synonyms:
    """Players' vocabulary for the words of a game's declaration."""

    chatter: frozenset[str]
    words: tuple[re.Pattern[str], ...]
    """Groups of synonyms."""
    toggles: Mapping[str, Sequence[str]]
    rulesets: Mapping[str, Sequence[str]]
    """By name without the game."""


@cache
def read_synonyms(game: str) -> Synonyms:
    """Return the synonyms of one game, including those common to all games."""
    paths = (Path(__file__).with_name("synonyms.yaml"), games.folder(game) / "synonyms.yaml")
    files = [_read_file(path, game) for path in paths if path.is_file()]

    def merged(key: str) -> dict[str, list[str]]:
        return {
            name: [text for file in files for text in file[key].get(name, ())] for file in files for name in file[key]
        }

    groups = [[re.escape(_plain(word)) for word in (name, *synonyms)] for name, synonyms in merged("words").items()]
    return Synonyms(
        frozenset(word for words in merged("chatter").values() for word in words),
        tuple(re.compile("|".join(rf"\b{word}\b" if word.isascii() else word for word in group)) for group in groups),
        merged("toggles"),
        merged("rulesets"),
    )


def _read_file(path: Path, game: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return a file's sections, each of which maps names to lists of texts."""
    words, problems = ListOf(tr("words"), Text()), list[Problem]()
    kinds = {name: ByName(tr("lists of words, by name"), words) for name in ("chatter", "words", "rulesets")}
    toggles = [toggle.name for toggle in games.declaration(game).toggles]
    kinds["toggles"] = ByName(tr("lists of words, by name"), words, toggles, tr("a toggle of {family}", family=game))
    keys = {name: Key(name, kind, "", {}, default={}) for name, kind in kinds.items()}
    sections = read_file(read_yaml(path, problems), keys, tr("a file of synonyms"), problems)
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))
    return sections


def _plain(text: str) -> str:
    """Return a text in normalized spelling, with every number replaced by 0.

    >>> _plain("Nine by nine, 9路, 七かける七")
    '0x0, 0路, 0x0'
    """
    normalized = _NUMBER.sub("0", unicodedata.normalize("NFKC", text).casefold())
    return _TIMES.sub("x", normalized)


def _phrase_similarity(text: str, phrase: str) -> float:
    """Return the similarity of a phrase to the best-matching part of a text, from 0 to 1."""
    ratio = fuzz.token_set_ratio if phrase.isascii() else fuzz.partial_ratio
    # Both ratios are 1 even if the text is only a part of the phrase.
    return ratio(text, phrase) / 100 * min(1, len(text) / len(phrase))


@cache
def toggle_index(game: str) -> Index:
    """Return the index of a game's toggles by name."""
    synonyms = read_synonyms(game)
    return Index((_toggle_document(toggle, synonyms) for toggle in games.declaration(game).toggles), synonyms)


def _toggle_document(toggle: Toggle, synonyms: Synonyms) -> Document:
    values = [setting_text(value.name).replace("-", " ") for value in toggle.values]
    sentences = [entry.sentence for entry in (*toggle.values, toggle.span, toggle.files) if entry]
    sentences += [toggle.drawn] if isinstance(toggle, Drawing) else []
    headings = (toggle.name.replace("_", " "), *in_all(toggle.title), *synonyms.toggles.get(toggle.name, ()))
    return Document(toggle.name, headings, (*values, *(text for sentence in sentences for text in in_all(sentence))))


def ruleset_index(game: str, rulesets: Iterable[tuple[str, Sequence[str], Mapping[str, Setting]]]) -> Index:
    """Return the index of a game's rulesets, each with its name, titles and settings."""
    synonyms, toggles = read_synonyms(game), games.declaration(game).toggles

    def document(name: str, titles: Sequence[str], settings: Mapping[str, Setting]) -> Document:
        stem = name.partition("/")[2]
        changed = [
            toggle
            for toggle in toggles
            if not equal_settings(settings.get(toggle.name, toggle.default), toggle.default)
        ]
        sentences = [text for toggle in changed for text in in_all(sentence_beside(toggle, settings[toggle.name]))]
        return Document(name, (stem.replace("-", " "), *titles, *synonyms.rulesets.get(stem, ())), sentences)

    return Index((document(*ruleset) for ruleset in rulesets), synonyms)
