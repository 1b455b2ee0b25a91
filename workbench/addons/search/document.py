"""Documents of searches in the studio, and their page as plain data for ``search.js``."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench import games
from workbench.addons.search import question
from workbench.addons.search.question import KEYS, RuleSearch
from workbench.base import yamlfile
from workbench.base.errors import display_path
from workbench.base.language import tr, translated, untranslated
from workbench.base.project import Project
from workbench.experiments import workspace
from workbench.experiments.measures import FIRST_SCORE, PLIES
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.games.wording import sentence_beside
from workbench.rules import edits
from workbench.studio.documents import DocumentStore, FileDocument, FileReading, as_yaml, plain_number, plain_word
from workbench.studio.documents.rulesets import DraftStore, named_settings
from workbench.studio.pages.rules.view import span_sentence
from workbench.studio.visitor import View, Visitor, problem_view

RANGE = ("from", "to", "step")
RANGE_STEPS = 2
"""The number of steps on either side of the base's number in a new range."""
GOALS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    FIRST_SCORE: (tr("Fairness"), {
        "[0.47, 0.53]": tr("as even as possible (the first player wins 47–53 %)"),
        "[0.45, 0.55]": tr("fairly even (45–55 %)"),
    }),
    "draw_rate": (tr("How many draws"), {
        '"<0.05"': tr("hardly any (below 5 %)"), '"<0.15"': tr("few (below 15 %)"), '"<0.3"': tr("some (below 30 %)"),
    }),
    PLIES: (tr("Length of a game"), {
        "[20, 40]": tr("short (20–40 moves)"), "[40, 80]": tr("medium (40–80 moves)"),
        "[80, 160]": tr("long (80–160 moves)"),
    }),
}  # fmt: skip
"""The goals in words: by measure, a title, and texts of the file with their words."""


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
        if declared := reading.toggle(toggle):
            values, ends = reading.levels(toggle)
            chosen = {*map(setting_text, values)} - {text} | ({text} if on else set())
            offered = self.offered(declared, values)
            self._set_levels(toggle, [value for value in offered if setting_text(value) in chosen], ends)

    def offered(self, toggle: Toggle, values: Collection[Setting]) -> list[Setting]:
        """Return the settings of a toggle that the page offers: the named ones, and others that the file has."""
        named = named_settings(toggle, self.project, games.declaration(self.read().base.partition("/")[0]))
        names = set(map(setting_text, named))
        return [*named, *(value for value in values if setting_text(value) not in names and toggle.allows(value))]

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

    def set_goal(self, measure: str, value: str) -> None:
        """Set a measure's target, given in file notation; "" removes it."""
        if value in ("", *GOALS[measure][1]):
            self.step(self.with_entry(self.text, "targets", measure, value or None))

    def set_hours(self, hours: float) -> None:
        """Limit the time instead of the number of games."""
        self.step(self.with_entry(self.with_entry(self.text, "budget", "games", None), "budget", "hours", f"{hours:g}"))

    def proposed_name(self) -> str:
        """Return an unused file name derived from the base and the varied toggles."""
        reading = self.read()
        parts = [*reading.base.split("/"), *reading.mapping("space")]
        return edits.unused_name(parts if len(parts) > 1 else [self.unnamed], question.search_names(self.project))


def new_search(store: DocumentStore, base: str, language: str, is_fresh: bool) -> SearchDocument:
    """Return the autosaved new search, or a fresh one with this base if ``is_fresh``."""
    title = json.dumps(translated(tr("Which small set of changes meets the targets?"), language), ensure_ascii=False)
    text = (
        f"{'title_ja' if language == 'ja' else 'title'}: {title}\n"
        f"base: {as_yaml(base)}\n"
        "space:\n"
        'must: {capped_rate: "<0.02"}\n'
        'targets: {first_score: [0.47, 0.53], draw_rate: "<0.05"}\n'
        "indifferent: 0.02\nplayers: {quick: [greedy]}\nopenings: {plies: 4, lines: 400}\n"
        "budget: {hours: 1, confirm: 0.4}\nfinalists: 4\nseed: 1\n"
    )
    return store.open_new(SearchDocument, text, text if is_fresh else "")


# The page


def search_view(document: SearchDocument, store: DraftStore, visitor: Visitor) -> View:
    """Return the part of the page that depends on the text as plain data."""
    reading = document.read()
    family, settings = reading.family, base_settings(store, reading)
    # A new search without a space is incomplete, not invalid.
    is_incomplete = (
        document.new and not reading.mapping("space") and {problem.key for problem in reading.problems} == {"space"}
    )
    problems = [] if is_incomplete else reading.problems
    budget = reading.mapping("budget")
    view = {
        **document.view(),
        "title": reading.title,
        "proposed": {"title": reading.title, "name": document.proposed_name()},
        "begins": is_incomplete,
        "problems": [problem_view(problem, visitor, own=display_path(document.path)) for problem in problems],
        "base": reading.base,
        "varied": [
            _varied_view(name, document, reading, settings.get(name))
            for name in map(str, reading.mapping("space") if family else ())
        ],
        "groups": _offered_views(family, reading, settings) if family else [],
        "goals": [_goal_view(measure, reading) for measure in GOALS],
        "hours": plain_number(budget.get("hours")),
        "games": plain_number(budget.get("games")),
    }
    return visitor.localize(view)


def base_settings(store: DraftStore, reading: SearchReading) -> Mapping[str, Setting]:
    """Return the settings of a search's base, or an empty mapping if it cannot be read."""
    if reading.search:
        return reading.search.base.settings
    candidates = store.family_rulesets(reading.base.partition("/")[0]) if reading.family else []
    return next((ruleset.settings for ruleset in candidates if ruleset.name == reading.base), {})


def _varied_view(name: str, document: SearchDocument, reading: SearchReading, current: Setting | None) -> View:
    """Return a factor of the space, whose values may be chosen unless it sets several toggles together."""
    toggle = reading.toggle(name)
    if toggle is None:
        text = tr("Several rules that change together, as defined in the file.")
        return {"name": name, "title": name, "told": text, "values": [], "span": None}
    values, ends = reading.levels(name)
    selected = set(map(setting_text, values))
    options = [
        {
            "text": setting_text(value), "sentence": sentence_beside(toggle, value),
            "chosen": setting_text(value) in selected,
            "base": current is not None and equal_settings(value, current),
        }
        for value in document.offered(toggle, values)
    ]  # fmt: skip
    view: View = {"name": name, "title": toggle.title, "told": "", "values": options, "span": None}
    if span := toggle.span:
        view["span"] = {
            "low": span.low, "high": span.high, "step": span.step, "sentence": span_sentence(toggle),
            "now": current if current is not None and span.allows(current) else None,
            "from": ends.get("from"), "to": ends.get("to"), "by": ends.get("step"),
        }  # fmt: skip
    return view


def _offered_views(family: Declaration, reading: SearchReading, settings: Mapping[str, Setting]) -> list[View]:
    """Return the toggles that may be varied, by group, with the base's sentences."""
    return [
        {"title": title, "toggles": [
            {
                "name": toggle.name, "title": toggle.title, "chosen": toggle.name in reading.mapping("space"),
                "now": sentence_beside(toggle, settings[toggle.name]) if toggle.name in settings else "",
            }
            for toggle in toggles
            if len(toggle.values) > 1 or toggle.span or toggle.files
        ]}
        for title, toggles in family.grouped()
    ]  # fmt: skip


def _goal_view(measure: str, reading: SearchReading) -> View:
    """Return a goal with its options; a target that the file alone can have is an option, too."""
    title, options = GOALS[measure]
    target = reading.mapping("targets").get(measure)
    chosen = json.dumps(target) if target is not None else ""
    own = {} if chosen in ("", *options) else {chosen: tr("as in the file: {target}", target=untranslated(target))}
    choices = [{"value": value, "text": text} for value, text in {**options, **own, "": tr("does not matter")}.items()]
    return {"name": measure, "title": title, "chosen": chosen, "options": choices}
