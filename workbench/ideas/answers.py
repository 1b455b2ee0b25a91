"""What rulesets of a family can say of an idea that somebody has in a few words, in English or Japanese.

An idea becomes terms (`terms`), and so does all that the family declares: titles, names and sentences of toggles,
and what ``ideas.yaml`` adds. The more of an idea's terms speak of a setting, the more surely it is meant; rare terms
count more, and those that nobody has heard of, most. Numbers, areas, start positions, moves of pieces and prices are
read, not looked up (`idea_drawings`). A draft then shows whether that goes together (`workbench.questions.idea_trial`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal

from workbench import games
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.ideas import idea_drawings, rule_book
from workbench.ideas.rule_book import Written
from workbench.ideas.spoken import LIGHT, Family, Spoken, family_terms
from workbench.ideas.terms import Token, bigrams, plain, whole_words, without_reasons

Verdict = Literal["can", "near", "cannot"]

# Chosen by the list of ideas that the tests hold, `tests/ideas.yaml`.
ENOUGH, LEAST = 0.72, 0.35
"""The share of an idea that has to be said for a verdict, and to be shown at all."""
CLOSELY, HALF = 0.8, 0.5
"""How near a setting has to be to what is asked for, and how much of its phrase an idea has to say to be near to it."""
DENIED = 0.66
"""The same for phrases that say no: what they deny has to be what the idea denies."""
ANCHORED = 0.3
"""The weight of an idea's terms that a toggle's title has to have, or what it is called; half of the idea is enough."""
ELSEWHERE = 0.7
"""What a term counts that other sentences of the setting have."""
CLOSE, CALLED = 0.3, 0.1
"""How much it counts that a setting says nothing beyond the idea, and that players call it so."""
MAX_NEAREST = 3
"""Toggles that are shown beside those that an idea sets."""
_RANKS = {"cannot": 0, "near": 1, "can": 2}
_DEEDS = {"not", "capture", "win", "lose", "draw", "drop", "promote", "jump"}
"""Terms that the setting itself has to say, not only other sentences of the toggle."""
_SMOOTH = 0.2
"""What is added to the weight of a phrase, so that one word more or less is not everything."""
_BETWEEN = re.compile(
    r"[,;:。、+&]|\.(?!\d)|\band\b|\bwith\b|\bbut\b|そして|かつ|さらに|で、|(?<=[盤路])で|\b(?=without\b)"
)
"""What may stand between two ideas."""
_MOST_PARTS = 5
_RELATIVE = {"many", "fewer", "change by"}
"""Terms behind a number that is counted from another one."""


@dataclass(frozen=True)
class Answer:
    """What can be said of an idea."""

    verdict: Verdict
    settings: Mapping[str, Setting] = field(default_factory=dict)
    """The toggles that the idea sets."""
    nearest: tuple[Toggle, ...] = ()
    """Those that speak of it, nearest first; among them those that it sets."""
    unsaid: tuple[str, ...] = ()
    """Words of the idea that nothing says."""
    open: Literal["", "value", "number", "base"] = ""
    """What of the nearest toggle the idea leaves open, which it speaks of and of nothing else.

    Of a number that is counted from another toggle's, that one, which then stands before it.
    """
    rulesets: tuple[str, ...] = ()
    """Rulesets in which the same is said."""
    written: Written | None = None
    """What the rule book says of it as it is."""


@dataclass(frozen=True)
class Reading:
    """A part of an idea as something that a ruleset says."""

    settings: Mapping[str, Setting]
    toggles: tuple[Toggle, ...]
    """Those that it is about."""
    said: float
    """The share of the idea that it says."""
    unsaid: tuple[Token, ...] = ()
    fits: float = 0.0
    """The same, with less for what the setting says beyond the idea."""
    meant: float = 1.0
    """The share of what the setting is about, or of its phrase, that the idea says."""
    read: bool = False
    """Whether the setting is a number that the idea says, or does not say."""
    bare: bool = False
    """Whether it only names the toggle."""
    counted: bool = False
    """Whether its number is counted from that of another toggle, which has none."""
    besides: float = 0.0
    """The share that it says of all but numbers, sizes and seats; 0 where none of these could be meant."""

    @property
    def verdict(self) -> Verdict:
        """What that makes of the idea: it can be said only if nothing of it is left unsaid."""
        sure = (self.fits >= CLOSELY or self.read) and self.meant >= HALF
        if self.settings and self.said >= ENOUGH and sure and not any(map(_is_content, self.unsaid)):
            return "can"
        measured = any(map(_is_measure, self.unsaid))
        near = (
            self.besides >= ENOUGH and self.meant >= ANCHORED if measured else not self.settings and self.said >= ENOUGH
        )
        return "near" if near else "cannot"


def _is_content(token: Token) -> bool:
    """Whether an idea means something else without a token."""
    return token.term == "not" or token.term not in LIGHT


def _is_measure(token: Token) -> bool:
    """Whether a token says how many, how large or whose."""
    return token.kind in ("number", "size") or token.term.startswith("seat") or token.term == "different"


Ruleset = tuple[str, Sequence[str], Mapping[str, Setting]]
"""Name, titles and settings."""


def answer_idea(family: str, idea: str, settings: Mapping[str, Setting], rulesets: Sequence[Ruleset] = ()) -> Answer:
    """What the toggles of a family can say of an idea beside the settings that there are.

    An idea may be one of ``rulesets``.
    """
    custom = games.declaration(family).fitting_custom(settings)
    known = family_terms(family, custom is not None and custom.turned)
    text = without_reasons(plain(idea))
    answer = _answer(known, text, settings, rulesets)
    found = idea_drawings.redrawn(known.declaration, answer.settings, settings)
    book = None
    if answer.verdict != "can" and not answer.open:
        tokens = [token for token in known.words.tokens(text) if token.term not in known.title]
        book = rule_book.written(known.declaration, known.words, tokens, settings)
    if book and book.same:
        return Answer("can", written=book)
    return replace(
        answer,
        settings=found,
        unsaid=whole_words(idea, answer.unsaid),
        rulesets=_saying(answer, found, settings, rulesets),
        written=book if answer.verdict == "cannot" else None,
    )


def _saying(
    answer: Answer, found: Mapping[str, Setting], settings: Mapping[str, Setting], rulesets: Sequence[Ruleset]
) -> tuple[str, ...]:
    """The rulesets that say the same, or give the number that an idea leaves open; those with fewest changes first."""
    unnumbered = answer.nearest[0] if answer.open == "number" else None
    there = []
    for name, _, sets in rulesets:
        changes = sum(not equal_settings(one, settings[key]) for key, one in sets.items())
        same = bool(found) and all(equal_settings(sets.get(key), one) for key, one in found.items())
        if changes and (same or (unnumbered and not equal_settings(sets[unnumbered.name], unnumbered.default))):
            there.append((changes, name))
    return tuple(name for _, name in sorted(there)[:MAX_NEAREST])


def _answer(known: Family, text: str, settings: Mapping[str, Setting], rulesets: Sequence[Ruleset]) -> Answer:
    """What can be said of a plain text without reasons."""
    tokens = known.words.tokens(text)
    if named := _named(known, tokens):
        first, rest = named
        unsaid = tuple(token for token in rest if token.term == "not" or token.term not in _said_by(known, first))
        about = frozenset().union(*(one.about for one in known.toggles if one.toggle in first.toggles)) - {"not"}
        others = (rest, [token for token in rest if token.term not in about])
        other = max((_part(known, part, settings, ()) for part in others), key=_worth)
        if not unsaid and other.verdict != "can":
            return _combined([first])
        return _combined([first, replace(other, unsaid=tuple(token for token in other.unsaid if token in unsaid))])
    whole = _combined([_whole(known, tokens, settings, rulesets)])
    parts = [
        part
        for part in map(known.words.tokens, _BETWEEN.split(text))
        if not known.title.issuperset(token.term for token in part)
    ]
    if whole.verdict == "can" or not 1 < len(parts) <= _MOST_PARTS:
        return whole
    return max(whole, _combined([_part(known, part, settings, rulesets) for part in parts]), key=_clear)


def _whole(
    known: Family, tokens: Sequence[Token], settings: Mapping[str, Setting], rulesets: Sequence[Ruleset]
) -> Reading | None:
    """The best that a ruleset says of an idea, or that which it names; None if nothing has to do with it."""
    reading = _read(known, tokens, settings)
    if reading and reading.verdict == "can":
        return reading
    return _ruleset(known, tokens, settings, rulesets) or reading


def _part(
    known: Family, tokens: Sequence[Token], settings: Mapping[str, Setting], rulesets: Sequence[Ruleset]
) -> Reading:
    """The same of one of several parts; of one that does more than name a toggle, and cannot be said, all is unsaid."""
    reading = _whole(known, tokens, settings, rulesets)
    if reading and (reading.verdict == "can" or reading.bare):
        return reading
    return replace(reading or Reading({}, (), 0.0), unsaid=tuple(tokens))


def _clear(answer: Answer) -> tuple[int, bool]:
    """How much there is to an answer."""
    return _RANKS[answer.verdict], bool(answer.settings)


def _combined(readings: Sequence[Reading | None]) -> Answer:
    """What several parts of an idea come to."""
    there = [reading for reading in readings if reading]
    settings: dict[str, Setting] = {}
    clash = False
    for reading in there:
        if reading.verdict == "can":
            clash |= any(not equal_settings(settings.get(name, one), one) for name, one in reading.settings.items())
            settings |= {name: one for name, one in reading.settings.items() if name not in settings}
    verdicts = {reading.verdict if reading else "cannot" for reading in readings}
    verdict: Verdict = (
        "can" if verdicts == {"can"} and not clash else "near" if verdicts & {"can", "near"} else "cannot"
    )
    there.sort(key=lambda reading: reading.verdict != "can" if verdict == "can" else reading.verdict == "cannot")
    shown = [one for one in there if one.verdict != "cannot" or one.said >= HALF or not settings]
    unsaid = tuple(dict.fromkeys(token.text for one in there for token in one.unsaid if _is_content(token)))
    only = there[0] if len(readings) == 1 and verdict == "near" and not unsaid else None
    return Answer(
        verdict,
        settings,
        tuple({toggle.name: toggle for one in shown for toggle in one.toggles}.values()),
        unsaid,
        "value" if only and only.bare else "base" if only and only.counted else "number" if only and only.read else "",
    )


def _read(known: Family, tokens: Sequence[Token], settings: Mapping[str, Setting]) -> Reading | None:
    """The best that a ruleset says of a part of an idea; None if nothing of the family has to do with it."""
    if all(token.kind in ("number", "ordinal") for token in tokens):
        return None
    # A wish of one word is a wish only where nothing else is said: "a short game" is, "short castling" is not.
    found = [
        _nearby(known, name, place, tokens, settings)
        for name, place in _calls(known, tokens, "near")
        if len(place) > 1 or len(tokens) == 1
    ]
    found = [one for one in found if one.toggles]
    for said in (_paraphrased(known, tokens), tokens):
        words = [token for token in said if token.term not in known.title]
        for read in idea_drawings.read_drawings(known.declaration, known.words, words, settings):
            spoken = next(one for one in known.toggles if one.toggle is read.toggle)
            found.append(_reading(known, spoken, read.setting, frozenset(), words, read.used))
        for spoken in known.toggles:
            found += _settings_said(known, spoken, words, settings)
        if said is tokens:
            break
    found = sorted((one for one in found if max(one.said, one.besides) >= LEAST), key=_worth, reverse=True)
    if found and found[0].verdict == "cannot":
        found = [one for one in found if one.said >= HALF or _has_to_do(known, one, tokens)]
    if not found:
        return None
    best = found[0]
    rest = [one for one in found[1:] if best.bare or best.verdict in ("cannot", one.verdict)]
    others = [toggle for one in rest for toggle in one.toggles if one.fits > best.fits / 2]
    toggles = {toggle.name: toggle for toggle in (*best.toggles, *others)}
    return replace(best, toggles=tuple(toggles.values())[: max(MAX_NEAREST, len(best.toggles))])


def _has_to_do(known: Family, reading: Reading, tokens: Sequence[Token]) -> bool:
    """Whether an idea names enough of what the toggles of a reading are about, be it said or not."""
    terms = {token.term for token in tokens} - _DEEDS - LIGHT.keys()
    headings = (text for one in known.toggles if one.toggle in reading.toggles for text in one.headings if text)
    return any(
        sum(map(known.term_weight, text & terms)) >= ANCHORED * sum(map(known.term_weight, text)) for text in headings
    )


def _nearby(
    known: Family, name: Mapping[str, Any], place: range, tokens: Sequence[Token], settings: Mapping[str, Setting]
) -> Reading:
    """What comes near to a wish that no setting is: toggles that a name gives, and those that bring it about."""
    toggles = [one for one in known.declaration.toggles if one.name in name["near"]]
    if about := name.get("about"):
        speak = [
            one for one in known.declaration.toggles if about in known.words.terms(one.sentence(settings[one.name]))
        ]
        toggles += [one for one in speak if one not in toggles]
    unsaid = tuple(token for n, token in enumerate(tokens) if n not in place)
    return Reading({}, tuple(toggles), 1.0, unsaid, fits=1.0)


def _worth(reading: Reading) -> tuple[int, float]:
    return _RANKS["can" if reading.bare else reading.verdict], reading.fits


def _place(call: Sequence[Token], tokens: Sequence[Token]) -> range | None:
    """Where some terms stand among those of an idea."""
    terms = [token.term for token in tokens]
    wanted = [token.term for token in call]
    for start in range(len(terms) - len(wanted) + 1) if wanted else ():
        if terms[start : start + len(wanted)] == wanted:
            return range(start, start + len(wanted))
    return None


def _calls(known: Family, tokens: Sequence[Token], what: str) -> Iterator[tuple[Mapping[str, Any], range]]:
    """The names in an idea that set something, or say something."""
    for name in (*known.words.own.get("names", []), *known.words.general["names"]):
        places = (_place(known.words.tokens(plain(str(call))), tokens) for call in name["call"] if what in name)
        if place := next(filter(None, places), None):
            yield name, place


def _paraphrased(known: Family, tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens with what a name means instead of it."""
    for name, place in _calls(known, tokens, "says"):
        return [*tokens[: place.start], *known.words.tokens(plain(name["says"])), *tokens[place.stop :]]
    return tokens


def _named(known: Family, tokens: Sequence[Token]) -> tuple[Reading, Sequence[Token]] | None:
    """What names in an idea set, and the tokens besides."""
    found: dict[str, Setting] = {}
    used: set[int] = set()
    for name, place in _calls(known, tokens, "set"):
        used |= set(place)
        if "array" in name:
            numbers = (
                int(token.term) for token in tokens[place.stop :] if token.kind == "number" and token.term.isdigit()
            )
            found["start_position"] = idea_drawings.shuffled_array(next(numbers, 534))
        found |= name["set"]
    if not found:
        return None
    return _reading_of_all(known, found), [token for n, token in enumerate(tokens) if n not in used]


def _ruleset(
    known: Family, tokens: Sequence[Token], settings: Mapping[str, Setting], rulesets: Sequence[Ruleset]
) -> Reading | None:
    """What the ruleset sets whose name or title has the words of an idea, all of them."""
    named = []
    for name, titles, sets in rulesets:
        texts = (name.rpartition("/")[2], *(re.split("[:,：、（(]", title)[0] for title in titles))
        named.append((frozenset().union(*(known.words.terms(plain(text)) for text in texts)), texts, sets))
    often = Counter(term for terms, _, _ in named for term in terms)
    for _, texts, sets in named:
        for text in texts:
            own = known.words.terms(text) - known.title
            rare = {term for term in own if len(term) > 1 and term.isalpha() and known.weights.get(term, 1.0) > 0.8}
            if any(often[term] <= 2 for term in rare) and own <= {token.term for token in tokens}:
                changed = {key: one for key, one in sets.items() if not equal_settings(one, settings[key])}
                reading = _reading_of_all(known, changed or sets)
                said = own | _said_by(known, reading) - _DEEDS
                return reading if all(token.term in said or token.term in LIGHT for token in tokens) else None
    return None


def _reading_of_all(known: Family, found: Mapping[str, Setting]) -> Reading:
    return Reading(found, tuple(known.declaration.toggle(name) for name in found), 1.0, fits=1.0)


def _said_by(known: Family, reading: Reading) -> frozenset[str]:
    """All that speaks of the settings of a reading, their sizes too."""
    said = known.title
    for spoken in (one for one in known.toggles if one.toggle.name in reading.settings):
        setting = reading.settings[spoken.toggle.name]
        sizes = {size for size, value in spoken.sizes.items() if equal_settings(value, setting)}
        said |= spoken.every | sizes | {setting_text(setting)}
    return said


def _settings_said(
    known: Family, spoken: Spoken, tokens: Sequence[Token], settings: Mapping[str, Setting]
) -> Iterator[Reading]:
    """What a toggle may say of a part of an idea, if that is about the toggle at all."""
    terms = {token.term for token in tokens}
    sizes = [token for token in tokens if token.kind == "size"] if spoken.sizes else []
    anchors = sum(known.weight(token) for token in tokens if token.term in spoken.about and token.term not in LIGHT)
    words = sum(known.weight(one) for one in tokens if one.kind == "word" and one.term not in _RELATIVE)
    anchored = 0 < anchors >= min(ANCHORED, words / 2)
    named = any(call <= terms for call in spoken.called)
    if (
        words
        and not named
        and (terms in spoken.headings or (terms <= spoken.about - {"not"} and not any(map(_is_measure, tokens))))
    ):
        yield _bare(known, spoken, tokens, settings)
        return
    if not (anchored or sizes or named):
        return
    numbers = [n for n, token in enumerate(tokens) if token.kind != "word" and token.term not in spoken.about]
    span = spoken.toggle.span
    for setting, phrase, more in spoken.phrases:
        used = set()
        if not {term for term in phrase if _is_number(term) and term != "1"} <= terms:
            phrase = frozenset(term for term in phrase if not _is_number(term))
        if setting is None:
            if span and len(numbers) == 1:
                number = _number(tokens[numbers[0]], spoken, more)
                step = 0 if _RELATIVE & phrase else _step(tokens[numbers[0] :])
                if isinstance(number, int | float) and step:
                    yield _counted(known, spoken, step * number, phrase, tokens, numbers[0], settings)
                elif number is not None and span.allows(number):
                    yield replace(_reading(known, spoken, number, phrase, tokens, {numbers[0]}), read=True)
            elif span and not numbers:
                yield replace(_reading(known, spoken, None, phrase, tokens, ()), read=True)
            continue
        for n in numbers:
            size = spoken.sizes.get(tokens[n].term)
            if equal_settings(size, setting) or setting_text(setting) == tokens[n].term:
                used.add(n)
        phrase -= {token.term for token in sizes}
        said = _reading(known, spoken, setting, phrase, tokens, used)
        # That all stays as it is is an answer only to who says so.
        kept = equal_settings(setting, settings[spoken.toggle.name]) and not used and not phrase <= terms
        yield replace(said, settings={}, said=min(said.said, ENOUGH / 2)) if kept else said
    yield _reading(known, spoken, None, frozenset(), tokens, set())


def _bare(known: Family, spoken: Spoken, tokens: Sequence[Token], settings: Mapping[str, Setting]) -> Reading:
    """An idea that only names a toggle: by its whole title, and of two values, it asks for that which is not usual."""
    toggle, said = spoken.toggle, [term for term, _ in groupby(token.term for token in tokens)]
    terms = set(said)
    others = [value.name for value in toggle.values if not equal_settings(value.name, settings[toggle.name])]
    switched = len(toggle.values) == 2 and len(others) == 1 and type(toggle) is Toggle and not toggle.span
    # A word that comes back says more than a title does: men that jump men.
    switched &= terms in spoken.headings and len(said) == len(terms)
    switched &= not equal_settings(toggle.default, next(iter(others), None))
    title = terms if terms in spoken.headings else spoken.about
    share = sum(map(known.term_weight, terms)) / sum(map(known.term_weight, title))
    return Reading({toggle.name: others[0]} if switched else {}, (toggle,), 1.0, fits=CLOSELY + share / 2, bare=True)


def _step(tokens: Sequence[Token]) -> int:
    """1 where a number is said to be that much more, -1 where it is less, 0 where it is the number itself."""
    word = tokens[1] if len(tokens) > 1 else tokens[0]
    return 0 if word.term not in _RELATIVE else -1 if word.term == "fewer" or word.text.startswith("減") else 1


def _counted(
    known: Family, spoken: Spoken, more: float, phrase: frozenset[str], tokens: Sequence[Token], place: int,
    settings: Mapping[str, Setting],
) -> Reading:  # fmt: skip
    """A number that is so many more than another one: than that of another toggle, or than the present one."""
    toggle, than = spoken.toggle, spoken.than or spoken.toggle
    base = settings[than.name]
    number = base + more if isinstance(base, int | float) and not isinstance(base, bool) else None
    if number is not None and float(number).is_integer():
        number = int(number)
    fits = number is not None and toggle.span is not None and toggle.span.allows(number)
    reading = _reading(known, spoken, number if fits else None, phrase, tokens, {place, place + 1})
    if spoken.than and not fits:
        return replace(reading, toggles=(spoken.than, toggle), read=True, meant=1.0, counted=True)
    return replace(reading, read=True, meant=1.0)


def _is_number(term: str) -> bool:
    return term.lstrip("-").replace(".", "").isdigit()


def _number(token: Token, spoken: Spoken, more: int) -> Setting | None:
    """The number that a token means for a range: of a size its side, if the range is one of sizes."""
    if token.kind == "size":
        wide, _, high = token.term.partition("x")
        return int(wide) if wide == high and spoken.sizes else None
    if not _is_number(token.term.removesuffix("th")):
        return None
    number = float(token.term.removesuffix("th")) + more
    return int(number) if number.is_integer() else number


def _reading(
    known: Family, spoken: Spoken, setting: Setting | None, phrase: frozenset[str], tokens: Sequence[Token],
    used: Collection[int],
) -> Reading:  # fmt: skip
    """How far a setting says a part of an idea; ``used`` are the places of tokens that were read already."""
    shares = dict.fromkeys(used, 1.0)
    terms = {token.term for token in tokens}
    denied = "not" in phrase and not shares
    every = spoken.every if setting is None else spoken.said.get(setting_text(setting), spoken.said[""])
    for n, token in enumerate(tokens):
        shares.setdefault(n, _share(spoken, token, phrase, every))
    weights = [known.weight(token) for token in tokens]
    whole = sum(weights) or 1.0
    said = sum(weights[n] * share for n, share in shares.items()) / whole
    unsaid = tuple(token for n, token in enumerate(tokens) if not shares[n])
    measures = sum(known.weight(token) for token in unsaid if _is_measure(token))
    # "No" may deny any of the words beside it.
    own = phrase if "not" in phrase else phrase - spoken.about
    both, whole_phrase = (sum(map(known.term_weight, some)) + _SMOOTH for some in (own & terms, own))
    close = both / whole_phrase
    denied = denied and (close < DENIED or "not" not in terms)
    named = phrase in spoken.called and phrase <= terms
    texts = [[term for term in text if not _is_number(term)] for text in (phrase, *spoken.headings)]
    meant = [
        sum(known.term_weight(t) for t in text if t in terms) / sum(map(known.term_weight, text))
        for text in texts
        if text
    ]
    counts = spoken.toggle.span or spoken.sizes or any(map(_is_number, spoken.every - {"1"}))
    return Reading(
        settings={} if setting is None else {spoken.toggle.name: setting},
        toggles=(spoken.toggle,),
        said=said,
        unsaid=unsaid,
        fits=said * (1 - CLOSE + CLOSE * (close + CALLED * (named + any(one <= terms for one in spoken.headings)))),
        meant=0.0
        if denied
        else 1.0
        if used and (not phrase or any(tokens[n].kind == "size" for n in used))
        else max(meant),
        besides=said * whole / (whole - measures) if (counts or (own and close > HALF)) and whole > measures else 0.0,
    )


def _share(spoken: Spoken, token: Token, phrase: frozenset[str], every: frozenset[str]) -> float:
    """How far a toggle says a token with a phrase of one of its settings, all of whose terms are ``every``."""
    if token.term in phrase or (token.term in spoken.about and token.term != "not"):
        return 1.0
    if token.kind != "word" or _is_measure(token) or token.term in _DEEDS:
        return 0.0
    written = bigrams(token.text) if not token.known and not token.text.isascii() else {"?"}
    known = written <= spoken.pairs or any(len(token.text) == 1 and token.text in pair for pair in spoken.pairs)
    return ELSEWHERE if known or token.term in every else 0.0
