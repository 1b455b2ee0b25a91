"""A search and its results as plain data in one language, for ``search.js``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.addons.search.document import ROLES, SearchDocument, SearchReading
from workbench.addons.search.question import FIELDS, PRICE
from workbench.base.errors import Problem, display_path
from workbench.base.language import SEMICOLON, join, tr, trc
from workbench.experiments.measures import PLIES, TARGETS
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.games.wording import change_words, sentence_beside
from workbench.studio.documents import plain_item, plain_number
from workbench.studio.documents.rulesets import DraftStore, named_settings
from workbench.studio.pages.rules.view import span_sentence
from workbench.studio.visitor import View, Visitor, problem_view, with_titles

TITLES: Mapping[str, str] = {
    "first_score": tr("First player's score"),
    "first_win_rate": tr("Wins of the first player"),
    "second_win_rate": tr("Wins of the second player"),
    "draw_rate": trc("search words", "Draws"),
    "capped_rate": tr("Games without an end"),
    PLIES: tr("Plies of a game"),
}
"""Measures for which a target may be set."""
SCALARS = ("finalists", "seed", "max_plies")
"""Keys of whole numbers that have a field of their own."""


def search_view(document: SearchDocument, store: DraftStore, visitor: Visitor) -> View:
    """All that changes on the page while its user chooses and types."""
    reading = document.read()
    own, family = display_path(document.path), reading.family
    settings = base_settings(store, reading)
    # Nobody has done anything wrong yet.
    begins = document.new and not reading.mapping("space") and {each.key for each in reading.problems} == {"space"}
    problems = [] if begins else reading.problems
    openings, budget = reading.mapping("openings"), reading.mapping("budget")
    view = {
        **document.view(),
        "title": reading.title,
        "proposed": {"title": reading.title, "name": document.proposed_name()},
        "begins": begins,
        "problems": [problem_view(each, visitor, own=own) for each in problems],
        "at": problems_at(problems, visitor, family),
        "base": reading.base,
        "varied": _varied_views(document, reading, family, settings) if family else [],
        "groups": _offered_views(family, reading, settings) if family else [],
        "never": _never_views(reading, family, settings),
        "price": reading.mapping("price").get("each", 1),
        "targets": [_target_view(name, reading) for name in TARGETS],
        "weights": _weights_view(reading),
        "indifferent": _scaled(reading.keys.get("indifferent", FIELDS["indifferent"].default), 100),
        "quick": [plain_item(one) for one in document.players("quick")],
        "strong": [plain_item(one) for one in document.players("strong")],
        "openings": {key: plain_number(openings.get(key)) for key in ("plies", "lines")},
        "budget": {key: plain_number(budget.get(key)) for key in ("hours", "games")}
        | {"confirm": _scaled(budget.get("confirm", 0.4), 100)},
        **{key: plain_number(reading.keys.get(key, FIELDS[key].default)) for key in SCALARS},
    }
    return visitor.localize(view)


def problems_at(
    problems: Sequence[Problem], visitor: Visitor, family: Declaration | None = None
) -> dict[str, list[str]]:
    """The problems, by the field that each is about: a key of the file, or an entry of one such as ``space.stuck``."""
    at: dict[str, list[str]] = {}
    for problem in problems:
        key, *inner = re.split(r"[.\[\]]+", problem.key or "")
        view = problem_view(problem, visitor)
        told = " ".join(filter(None, (view["message"], view["hint"] and f"({view['hint']})")))
        entry = f"{key}.{inner[0]}" if inner and key in ("space", *ROLES.values()) else key
        at.setdefault(entry, []).append(with_titles(told, family, visitor))
    return at


def base_settings(store: DraftStore, reading: SearchReading) -> Mapping[str, Setting]:
    """Return the settings of the base of a search, as far as it can be read."""
    if reading.search:
        return reading.search.base.settings
    listed = store.family_rulesets(reading.base.partition("/")[0]) if reading.family else []
    return next((one.settings for one in listed if one.name == reading.base), {})


def _varied_views(
    document: SearchDocument, reading: SearchReading, family: Declaration, settings: Mapping[str, Setting]
) -> list[View]:
    """Return the factors of the file, in its order."""
    told = tr("Several rules that are changed together, as the file says.")
    return [
        _toggle_view(toggle, document, reading, family, settings.get(name))
        if (toggle := reading.toggle(name))
        else {"name": name, "title": name, "told": told, "values": [], "span": None}
        for name in map(str, reading.mapping("space"))
    ]


def _toggle_view(
    toggle: Toggle, document: SearchDocument, reading: SearchReading, family: Declaration, now: Setting | None
) -> View:
    values, ends = reading.levels(toggle.name)
    chosen = {setting_text(one) for one in values}
    named = named_settings(toggle, document.project, family)
    # Others are numbers and drawings that the file writes.
    others = [one for one in values if setting_text(one) not in set(map(setting_text, named)) and toggle.allows(one)]
    price = reading.mapping("price").get(toggle.name)
    view: View = {
        "name": toggle.name,
        "title": toggle.title,
        "told": "",
        "values": [
            {
                "text": setting_text(one),
                "sentence": sentence_beside(toggle, one),
                "chosen": setting_text(one) in chosen,
                "base": now is not None and equal_settings(one, now),
            }
            for one in (*named, *others)
        ],
        "span": None,
        "price": plain_number(price.get("step") if isinstance(price, dict) else price),
        "by_step": isinstance(price, dict),
    }
    if span := toggle.span:
        view["span"] = {
            "low": span.low,
            "high": span.high,
            "step": span.step,
            "sentence": span_sentence(toggle),
            "now": now if now is not None and span.allows(now) else None,
            "from": ends.get("from"),
            "to": ends.get("to"),
            "by": ends.get("step"),
        }
    return view


def _offered_views(family: Declaration, reading: SearchReading, settings: Mapping[str, Setting]) -> list[View]:
    """Return the toggles that may be chosen, in their groups, with their sentences in the base."""
    chosen = reading.mapping("space")
    groups = []
    for title, toggles in family.grouped():
        offered = [
            {
                "name": toggle.name,
                "title": toggle.title,
                "now": sentence_beside(toggle, settings[toggle.name]) if toggle.name in settings else "",
                "chosen": toggle.name in chosen,
            }
            for toggle in toggles
            if len(toggle.values) > 1 or toggle.span or toggle.files
        ]
        if offered:
            groups.append({"title": title, "toggles": offered})
    return groups


def _never_views(reading: SearchReading, family: Declaration | None, settings: Mapping[str, Setting]) -> list[str]:
    """Return the excluded combinations in words."""

    def told(name: str, setting: Any) -> str:
        toggle = reading.toggle(name)
        if family is None or toggle is None or not toggle.allows(setting):
            return f"{name}: {setting}"
        return change_words(family.name, toggle, {**settings, name: setting})

    never = reading.keys.get("never")
    return [
        join(SEMICOLON, [told(str(name), setting) for name, setting in one.items()])
        if isinstance(one, dict)
        else str(one)
        for one in (never if isinstance(never, list) else [])
    ]


def _target_view(name: str, reading: SearchReading) -> View:
    role = next((role for role, key in ROLES.items() if name in reading.mapping(key)), "")
    low, high = _ends(reading.mapping(ROLES[role]).get(name)) if role else (None, None)
    factor = scale_of(name)
    return {
        "name": name,
        "title": TITLES[name],
        "told": TARGETS[name],
        "unit": trc("shelf words", "plies") if name == PLIES else "%",
        "role": role,
        "low": _scaled(low, factor),
        "high": _scaled(high, factor),
    }


def scale_of(measure: str) -> int:
    """By what the page multiplies what files write of a measure: shares are percent."""
    return 1 if measure == PLIES else 100


def _ends(target: Any) -> tuple[float | None, float | None]:
    if isinstance(target, list) and len(target) == 2:
        return plain_number(target[0]), plain_number(target[1])
    if isinstance(target, str) and (found := re.fullmatch(r"([<>])=?\s*([0-9.]+)", target.strip())):
        limit = float(found[2])
        return (None, limit) if found[1] == "<" else (limit, None)
    return None, None


def _weights_view(reading: SearchReading) -> View:
    weights, targets = reading.mapping("weights"), reading.mapping("targets")
    missed = tr("for missing “{measure}” by half its width")
    told = {name: missed.format(measure=TITLES[name]) for name in TARGETS if name in targets}
    told[PRICE] = tr("for a price of 1")
    rows = [{"name": name, "told": text, "value": plain_number(weights.get(name))} for name, text in told.items()]
    return {"on": bool(weights), "rows": rows}


def _scaled(value: Any, factor: float) -> float | None:
    number = plain_number(value)
    return None if number is None else float(f"{number * factor:.10g}")
