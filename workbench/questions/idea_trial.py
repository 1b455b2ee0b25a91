"""An idea tried out: the text of a ruleset that says it, and what else has to change for its rules to go together."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from workbench.errors import Problem
from workbench.files.project import Project
from workbench.games import drawings
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings
from workbench.games.drawings import Drawing, Misdrawn
from workbench.questions import price_lists
from workbench.questions.ruleset_texts import RulesetText, read_ruleset_text
from workbench.questions.settings import combine_settings, find_conflicts

MOST_CHANGES = 6
"""Toggles that change beside those of an idea."""
KEPT = 5
"""Ways that are followed at a time."""
MOST_NUMBERS = 25
"""Numbers of a range that are tried, those next to the present one first."""

Settings = dict[str, Setting]


@dataclass(frozen=True)
class Trial:
    """The text of a ruleset that says an idea."""

    text: str
    also: Mapping[str, Setting]
    """Toggles that the idea does not speak of, and that change with it."""
    problems: tuple[Problem, ...]
    """What does not go together even so."""


def try_settings(rules: RulesetText, wanted: Mapping[str, Setting]) -> Trial:
    """The rules with these settings; where they do not go with others, the others change as little as may be."""
    reading = rules.read()
    family = reading.family
    before = combine_settings(family, reading.settings, wanted)
    after = dict(_mended(family, before, wanted))
    after |= _affordable(family, after, wanted, rules.project)
    also = {name: one for name, one in after.items() if not equal_settings(one, before[name])}
    text = rules.text_with({**also, **wanted})
    return Trial(text, also, read_ruleset_text(rules.project, rules.name, text).problems)


def _affordable(family: Declaration, settings: Settings, wanted: Mapping[str, Setting], project: Project) -> Settings:
    """For armies that cost too much those that do not, and whose names are most like theirs."""
    prices = price_lists.price_list(family)
    offers = price_lists.army_offers(family, settings, project) if prices else []
    cheap = [offer.name for offer in offers if offer.left >= 0]
    dear = [name for name in (prices.paid if prices else ()) if name not in wanted and settings[name] not in cheap]
    if not cheap:
        return {}

    def alike(name: str, army: str) -> float:
        return difflib.SequenceMatcher(None, str(settings[name]), army).ratio()

    return {name: max(cheap, key=functools.partial(alike, name)) for name in dear}


def _mended(family: Declaration, settings: Settings, wanted: Mapping[str, Setting]) -> Settings:
    """The settings with others than those wanted changed, one by one, until all goes together."""
    clashes, states = _clashes(family, settings), [settings]
    for _ in range(MOST_CHANGES if clashes else 0):
        tried = [
            {**state, toggle.name: value}
            for state in states
            for toggle in _free(
                family, state, {name for name in state if state[name] is not settings[name]} | {*wanted}
            )
            for value in _others(toggle, state[toggle.name])
        ]
        states = sorted(tried, key=lambda one: _clashes(family, one))[:KEPT]
        if states and not _clashes(family, states[0]):
            return states[0]
    return settings


def _free(family: Declaration, settings: Settings, kept: Collection[str]) -> list[Toggle]:
    """The toggles to change: those that do not go together, or else all of them."""
    clashing = {name for conflict in find_conflicts(family, settings) for name in conflict.settings}
    return [one for one in family.toggles if one.name not in kept and (not clashing or one.name in clashing)]


def _others(toggle: Toggle, now: Setting) -> Iterator[Setting]:
    """The settings that may stand instead of the present one, those with names and the nearest numbers."""
    yield from (value.name for value in toggle.values if not equal_settings(value.name, now))
    if toggle.span and isinstance(now, int | float):
        numbers = [one for one in toggle.span.numbers() if not equal_settings(one, now)]
        yield from sorted(numbers, key=lambda one: abs(float(one) - now))[:MOST_NUMBERS]


def _clashes(family: Declaration, settings: Mapping[str, Setting]) -> int:
    """How many things do not go together."""
    misdrawn = 0
    for toggle in family.toggles:
        if isinstance(toggle, Drawing) and toggle.is_drawn(settings[toggle.name]):
            try:
                drawings.read(family.name, toggle, settings[toggle.name], settings)
            except Misdrawn:
                misdrawn += 1
    return len(find_conflicts(family, settings)) + misdrawn
