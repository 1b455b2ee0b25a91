"""Documents of searches in the studio, and their page as plain data for ``search.js``."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workbench import games
from workbench.addons.search import question
from workbench.addons.search.question import FIELDS, KEYS, PRICE, STANDARD, RuleSearch
from workbench.base import yamlfile
from workbench.base.errors import Problem, display_path
from workbench.base.language import SEMICOLON, join, tr, translated, trc
from workbench.base.project import Project
from workbench.experiments import workspace
from workbench.experiments.measures import PLIES, TARGETS
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.games.wording import change_words, sentence_beside
from workbench.rules import edits
from workbench.studio.documents import (
    DocumentStore,
    FileDocument,
    FileReading,
    as_yaml,
    plain_item,
    plain_number,
    plain_word,
)
from workbench.studio.documents.rulesets import DraftStore, named_settings
from workbench.studio.pages.rules.view import span_sentence
from workbench.studio.visitor import View, Visitor, problem_view, with_titles

RANGE = ("from", "to", "step")
RANGE_STEPS = 2
"""The number of steps on either side of the base's number in a new range."""
NEW_TARGETS: Mapping[str, str] = {"first_score": "[0.45, 0.55]", PLIES: "[40, 80]"}
NEW_LIMIT = '"<0.05"'
"""Values of new targets; `NEW_LIMIT` applies to all other measures."""
STRONG_PLAYERS = ("alphabeta-2", "alphabeta-10k")
MAX_NEVER = 6
SCALARS = ("finalists", "seed", "max_plies")
"""Keys of whole numbers that have a field on the page."""
TITLES: Mapping[str, str] = {
    "first_score": tr("First player's score"),
    "first_win_rate": tr("Wins by the first player"),
    "second_win_rate": tr("Wins by the second player"),
    "draw_rate": trc("search words", "Draws"),
    "capped_rate": tr("Unfinished games"),
    PLIES: tr("Plies per game"),
}

Role = Literal["", "target", "must"]
ROLES: Mapping[str, str] = {"target": "targets", "must": "must"}
"""Roles of a measure -> their keys in the file."""
Strength = Literal["quick", "strong"]


@dataclass(frozen=True)
class SearchReading(FileReading):
    """The parsed content of a search's text."""

    search: RuleSearch | None
    """None if the text has problems."""

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Return the entries of a mapping in the text, or an empty mapping."""
        value = self.keys.get(key)
        return value if isinstance(value, dict) else {}

    @property
    def base(self) -> str:
        """The name of the base ruleset."""
        return plain_word(self.keys.get("base"))

    @property
    def family(self) -> Declaration | None:
        """The base's family, or None if its game is unknown."""
        game = self.base.partition("/")[0]
        return games.declaration(game) if game in games.names() else None

    def toggle(self, name: str) -> Toggle | None:
        """Return the family's toggle called ``name``, or None if there is none."""
        toggles = self.family.toggles if self.family else ()
        return next((toggle for toggle in toggles if toggle.name == name), None)

    def levels(self, toggle: str) -> tuple[list[Setting], dict[str, float]]:
        """Return a toggle's named levels and the ends of its range."""
        values, ends = self.mapping("space").get(toggle), {}
        if isinstance(values, dict):
            ends = {key: values[key] for key in RANGE if isinstance(values.get(key), int | float)}
            values = values.get("values")
        values = values if isinstance(values, list) else []
        return [value for value in values if isinstance(value, str | int | float)], ends


def search_path(project: Project, name: str) -> Path:
    """Return the path of a search's file, which need not exist."""
    return project.searches / f"{name}.yaml"


@dataclass(kw_only=True)
class SearchDocument(FileDocument[SearchReading]):
    """The text of a search's file with its history."""

    folder = autosaved = "searches"
    unnamed = "my-search"
    keys = KEYS
    names = staticmethod(question.search_names)
    path_of = staticmethod(search_path)
    new_path = staticmethod(functools.partial(workspace.new_path, workspace.KINDS["search"]))
    load = staticmethod(question.load_search)
    reading = SearchReading

    def with_entry(self, text: str, key: str, name: str, value: str | None) -> str:
        """Return the text with an entry of a mapping set or removed; an optional mapping without entries is removed."""
        text = edits.set_entry(text, key, name, value, self.before(key))
        is_empty = value is None and not yamlfile.parse_yaml(text, "").plain().get(key)
        return edits.set_value(text, key, None) if is_empty and not KEYS[key].required else text

    def set_entry(self, key: str, name: str, value: str | float | None, instead: str = "") -> None:
        """Set an entry of a mapping, or remove it if ``value`` is None, and remove the entry ``instead``."""
        text = self.with_entry(self.text, key, instead, None) if instead else self.text
        self.step(self.with_entry(text, key, name, None if value is None else as_yaml(value)))

    def set_base(self, name: str) -> None:
        """Change the base; if the game changes, remove the keys that refer to toggles."""
        text = self.with_key(self.text, "base", as_yaml(name))
        if name.partition("/")[0] != self.read().base.partition("/")[0]:
            text = re.sub(r"(?m)^space: $", "space:", self.with_key(text, "space", ""))
            for key in ("never", "price"):
                text = self.with_key(text, key, None)
        self.step(text)

    def vary(self, name: str, base: Mapping[str, Setting]) -> None:
        """Add a toggle to the space with levels around the base's setting, or remove a varied factor."""
        reading = self.read()
        toggle, current = reading.toggle(name), base.get(name)
        if toggle is None or name in reading.mapping("space"):
            text = self.with_entry(self.text, "space", name, None)
            self.step(self.with_entry(text, "price", name, None))
            return
        values, ends = [value.name for value in toggle.values], {}
        if current is not None and toggle.span and toggle.span.allows(current):
            assert isinstance(current, int | float)
            distance = RANGE_STEPS * toggle.span.step
            ends = {"from": max(toggle.span.low, current - distance), "to": min(toggle.span.high, current + distance)}
        elif current is not None and not any(equal_settings(current, value) for value in values):
            values.insert(0, current)
        self._set_levels(name, values, ends)

    def choose(self, toggle: str, text: str, on: bool) -> None:
        """Add a value to a toggle's levels, or remove it."""
        reading = self.read()
        declared, setting = reading.toggle(toggle), self._setting(reading, toggle, text)
        if declared is None or setting is None:
            return
        values, ends = reading.levels(toggle)
        values = [value for value in values if setting_text(value) != text] + ([setting] if on else [])
        rank = {setting_text(value.name): i for i, value in enumerate(declared.values)}
        self._set_levels(toggle, sorted(values, key=lambda value: rank.get(setting_text(value), len(rank))), ends)

    def _setting(self, reading: SearchReading, name: str, text: str) -> Setting | None:
        """Return the setting that the page offers for a toggle as ``text``, or None."""
        toggle = reading.toggle(name)
        if toggle is None or reading.family is None:
            return None
        candidates = [*named_settings(toggle, self.project, reading.family), *reading.levels(name)[0]]
        return next((value for value in candidates if setting_text(value) == text and toggle.allows(value)), None)

    def set_range(self, toggle: str, ends: Mapping[str, float | None]) -> None:
        """Set a toggle's range by ``from``, ``to`` and ``step``; if all are None, only named values remain."""
        limits = {key: end for key, end in ends.items() if end is not None}
        self._set_levels(toggle, self.read().levels(toggle)[0], limits)

    def _set_levels(self, toggle: str, values: Collection[Setting], ends: Mapping[str, float]) -> None:
        """Write a toggle's levels as a list of values, or as a range that includes the values."""
        levels = f"[{', '.join(map(edits.yaml_scalar, values))}]"
        if ends:
            parts = [f"values: {levels}"] if values else []
            levels = f"{{{', '.join([*parts, *(f'{key}: {ends[key]:g}' for key in RANGE if key in ends)])}}}"
        self.step(self.with_entry(self.text, "space", toggle, levels))

    def set_price(self, toggle: str, value: float | None, by_step: bool) -> None:
        """Set the price of changing a toggle or, if ``by_step``, of each step; None means the default price."""
        price = self.read().mapping("price").get(toggle)
        maximum = price.get("most") if isinstance(price, dict) else None
        text = None if value is None else f"{value:g}"
        if text is not None and by_step:
            text = f"{{step: {text}{f', most: {maximum}' if maximum is not None else ''}}}"
        self.step(self.with_entry(self.text, "price", toggle, text))

    def set_target(self, measure: str, role: Role, low: float | None, high: float | None) -> None:
        """Set the band or limit of a target or a required measure; an empty role removes it."""
        text = self.text
        for other_role, key in ROLES.items():
            if role != other_role:
                text = self.with_entry(text, key, measure, None)
        if not role:
            self.step(self.with_entry(text, "weights", measure, None))
            return
        if low is None and high is None:
            value = NEW_TARGETS.get(measure, NEW_LIMIT)
        elif low is None or high is None:
            value = json.dumps(f"<{high:g}" if low is None else f">{low:g}")
        else:
            value = f"[{low:g}, {high:g}]"
        self.step(self.with_entry(text, ROLES[role], measure, value))

    def weigh(self, on: bool) -> None:
        """Weigh targets and price against each other, or give targets precedence."""
        names = [*self.read().mapping("targets"), PRICE]
        mapping = f"{{{', '.join(f'{name}: 1' for name in names)}}}"
        self.step(self.with_key(self.text, "weights", mapping if on else None))

    def add_never(self, levels: Iterable[tuple[str, str]]) -> None:
        """Exclude a combination of levels, given as pairs of a toggle's name and a setting as text."""
        reading = self.read()
        entries = []
        for name, text in list(levels)[:MAX_NEVER]:
            toggle, setting = reading.toggle(name), self._setting(reading, name, text)
            if toggle is not None and setting is None and toggle.span:
                setting = next((number for number in toggle.span.numbers() if setting_text(number) == text), None)
            if setting is not None:
                entries.append(f"{name}: {edits.yaml_scalar(setting)}")
        if entries:
            self.step(edits.add_item(self.text, "never", f"{{{', '.join(entries)}}}", self.before("never")))

    def remove_never(self, index: int) -> None:
        """Allow an excluded combination again."""
        text = edits.remove_item(self.text, "never", index)
        self.step(text if edits.list_items(text, "never") else self.with_key(text, "never", None))

    def tick(self, strength: Strength, player: str) -> None:
        """Add or remove a player; if strong players were the standard ones, they become a list."""
        players = self.players(strength)
        remaining = [item for item in players if plain_item(item) != player]
        self.set_players(strength, remaining if len(remaining) < len(players) else [*players, as_yaml(player)])

    def set_players(self, strength: Strength, players: list[str]) -> None:
        """Set the players in file notation; an empty list means no quick players or the standard strong players."""
        self.step(self.with_entry(self.text, "players", strength, f"[{', '.join(players)}]" if players else None))

    def players(self, strength: Strength) -> list[str]:
        """Return the players in file notation; the list is empty for standard players."""
        value = self.read().mapping("players").get(strength)
        items = value if isinstance(value, list) else [] if value in (None, STANDARD) else [value]
        return [as_yaml(item) if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items]

    def proposed_name(self) -> str:
        """Return an unused file name derived from the base and the varied toggles."""
        reading = self.read()
        parts = [*reading.base.split("/"), *reading.mapping("space")]
        return edits.unused_name(parts if len(parts) > 1 else [self.unnamed], question.search_names(self.project))


def new_search(store: DocumentStore, base: str, language: str, is_fresh: bool) -> SearchDocument:
    """Return the autosaved new search, or a fresh one with this base if ``is_fresh``."""
    text = new_search_text(base, language)
    return store.open_new(SearchDocument, text, text if is_fresh else "")


def new_search_text(base: str, language: str) -> str:
    """Return the text of a new search."""
    title = json.dumps(translated(tr("Which small set of changes meets the targets?"), language), ensure_ascii=False)
    return (
        f"{'title_ja' if language == 'ja' else 'title'}: {title}\n"
        f"base: {as_yaml(base)}\n"
        "space:\n"
        'must: {capped_rate: "<0.02"}\n'
        'targets: {first_score: [0.47, 0.53], draw_rate: "<0.05"}\n'
        "indifferent: 0.02\n"
        "players: {quick: [greedy]}\n"
        "openings: {plies: 4, lines: 400}\n"
        "budget: {hours: 1, confirm: 0.4}\n"
        "finalists: 4\n"
        "seed: 1\n"
    )


# The page


def search_view(document: SearchDocument, store: DraftStore, visitor: Visitor) -> View:
    """Return the part of the page that depends on the text as plain data."""
    reading = document.read()
    file, family = display_path(document.path), reading.family
    settings = base_settings(store, reading)
    # A new search without a space is incomplete, not invalid.
    is_incomplete = (
        document.new and not reading.mapping("space") and {problem.key for problem in reading.problems} == {"space"}
    )
    problems = [] if is_incomplete else reading.problems
    openings, budget = reading.mapping("openings"), reading.mapping("budget")
    view = {
        **document.view(),
        "title": reading.title,
        "proposed": {"title": reading.title, "name": document.proposed_name()},
        "begins": is_incomplete,
        "problems": [problem_view(problem, visitor, own=file) for problem in problems],
        "at": problems_at(problems, visitor, family),
        "base": reading.base,
        "varied": _varied_views(document, reading, family, settings) if family else [],
        "groups": _offered_views(family, reading, settings) if family else [],
        "never": _never_views(reading, family, settings),
        "price": reading.mapping("price").get("each", 1),
        "targets": [_target_view(name, reading) for name in TARGETS],
        "weights": _weights_view(reading),
        "indifferent": _scaled(reading.keys.get("indifferent", FIELDS["indifferent"].default), 100),
        "quick": list(map(plain_item, document.players("quick"))),
        "strong": list(map(plain_item, document.players("strong"))),
        "openings": {key: plain_number(openings.get(key)) for key in ("plies", "lines")},
        "budget": {key: plain_number(budget.get(key)) for key in ("hours", "games")}
        | {"confirm": _scaled(budget.get("confirm", 0.4), 100)},
        **{key: plain_number(reading.keys.get(key, FIELDS[key].default)) for key in SCALARS},
    }
    return visitor.localize(view)


def problems_at(
    problems: Sequence[Problem], visitor: Visitor, family: Declaration | None = None
) -> dict[str, list[str]]:
    """Return the problems by field: a key of the file, or an entry of a key such as ``space.stuck``."""
    by_field: dict[str, list[str]] = {}
    for problem in problems:
        key, *inner = re.split(r"[.\[\]]+", problem.key or "")
        view = problem_view(problem, visitor)
        text = " ".join(filter(None, (view["message"], view["hint"] and f"({view['hint']})")))
        entry = f"{key}.{inner[0]}" if inner and key in ("space", *ROLES.values()) else key
        by_field.setdefault(entry, []).append(with_titles(text, family, visitor))
    return by_field


def base_settings(store: DraftStore, reading: SearchReading) -> Mapping[str, Setting]:
    """Return the settings of a search's base, or an empty mapping if it cannot be read."""
    if reading.search:
        return reading.search.base.settings
    candidates = store.family_rulesets(reading.base.partition("/")[0]) if reading.family else []
    return next((ruleset.settings for ruleset in candidates if ruleset.name == reading.base), {})


def _varied_views(
    document: SearchDocument, reading: SearchReading, family: Declaration, settings: Mapping[str, Setting]
) -> list[View]:
    """Return views of the factors in file order."""
    text = tr("Several rules that change together, as defined in the file.")
    return [
        _toggle_view(toggle, document, reading, family, settings.get(name))
        if (toggle := reading.toggle(name))
        else {"name": name, "title": name, "told": text, "values": [], "span": None}
        for name in map(str, reading.mapping("space"))
    ]


def _toggle_view(
    toggle: Toggle, document: SearchDocument, reading: SearchReading, family: Declaration, current: Setting | None
) -> View:
    values, ends = reading.levels(toggle.name)
    selected = set(map(setting_text, values))
    named_values = named_settings(toggle, document.project, family)
    names = set(map(setting_text, named_values))
    # Unnamed values are numbers and drawings in the file.
    unnamed_values = [value for value in values if setting_text(value) not in names and toggle.allows(value)]
    price = reading.mapping("price").get(toggle.name)
    view: View = {
        "name": toggle.name,
        "title": toggle.title,
        "told": "",
        "values": [
            {
                "text": setting_text(value),
                "sentence": sentence_beside(toggle, value),
                "chosen": setting_text(value) in selected,
                "base": current is not None and equal_settings(value, current),
            }
            for value in (*named_values, *unnamed_values)
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
            "now": current if current is not None and span.allows(current) else None,
            "from": ends.get("from"),
            "to": ends.get("to"),
            "by": ends.get("step"),
        }
    return view


def _offered_views(family: Declaration, reading: SearchReading, settings: Mapping[str, Setting]) -> list[View]:
    """Return the toggles that may be varied, by group, with the base's sentences."""
    varied = reading.mapping("space")
    groups = []
    for title, toggles in family.grouped():
        entries = [
            {
                "name": toggle.name,
                "title": toggle.title,
                "now": sentence_beside(toggle, settings[toggle.name]) if toggle.name in settings else "",
                "chosen": toggle.name in varied,
            }
            for toggle in toggles
            if len(toggle.values) > 1 or toggle.span or toggle.files
        ]
        if entries:
            groups.append({"title": title, "toggles": entries})
    return groups


def _never_views(reading: SearchReading, family: Declaration | None, settings: Mapping[str, Setting]) -> list[str]:
    """Return the excluded combinations in words."""

    def describe(name: str, setting: Any) -> str:
        toggle = reading.toggle(name)
        if family is None or toggle is None or not toggle.allows(setting):
            return f"{name}: {setting}"
        return change_words(family.name, toggle, {**settings, name: setting})

    never = reading.keys.get("never")
    return [
        join(SEMICOLON, [describe(str(name), setting) for name, setting in combination.items()])
        if isinstance(combination, dict)
        else str(combination)
        for combination in (never if isinstance(never, list) else [])
    ]


def _target_view(name: str, reading: SearchReading) -> View:
    role = next((role for role, key in ROLES.items() if name in reading.mapping(key)), "")
    low, high = _ends(reading.mapping(ROLES[role]).get(name)) if role else (None, None)
    factor = page_factor(name)
    return {
        "name": name,
        "title": TITLES[name],
        "told": TARGETS[name],
        "unit": trc("shelf words", "plies") if name == PLIES else "%",
        "role": role,
        "low": _scaled(low, factor),
        "high": _scaled(high, factor),
    }


def page_factor(measure: str) -> int:
    """Return the factor from a measure in the file to its value on the page, which shows shares in percent."""
    return 1 if measure == PLIES else 100


def _ends(target: Any) -> tuple[float | None, float | None]:
    if isinstance(target, list) and len(target) == 2:
        return plain_number(target[0]), plain_number(target[1])
    if isinstance(target, str) and (match := re.fullmatch(r"([<>])=?\s*([0-9.]+)", target.strip())):
        limit = float(match[2])
        return (None, limit) if match[1] == "<" else (limit, None)
    return None, None


def _weights_view(reading: SearchReading) -> View:
    weights, targets = reading.mapping("weights"), reading.mapping("targets")
    template = tr("for missing “{measure}” by half the target's width")
    texts = {name: template.format(measure=TITLES[name]) for name in TARGETS if name in targets}
    texts[PRICE] = tr("for a price of 1")
    rows = [{"name": name, "told": text, "value": plain_number(weights.get(name))} for name, text in texts.items()]
    return {"on": bool(weights), "rows": rows}


def _scaled(value: Any, factor: float) -> float | None:
    number = plain_number(value)
    return None if number is None else float(f"{number * factor:.10g}")
