"""Searches for rulesets in the making."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workbench import games
from workbench.addons.search import question
from workbench.addons.search.question import KEYS, STANDARD, RuleSearch
from workbench.base import yamlfile
from workbench.base.language import tr, translated
from workbench.base.project import Project
from workbench.experiments import workspace
from workbench.experiments.measures import PLIES
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.rules import edits
from workbench.studio.documents import (
    DocumentStore,
    FileDocument,
    FileReading,
    as_yaml,
    plain_item,
    plain_word,
)
from workbench.studio.documents.rulesets import named_settings

RANGE = ("from", "to", "step")
NEAR = 2
"""Steps around the number of the base at which a range begins."""
FIRST_TARGETS: Mapping[str, str] = {"first_score": "[0.45, 0.55]", PLIES: "[40, 80]"}
"""The first value of a target; `FIRST_LIMIT` elsewhere."""
FIRST_LIMIT = '"<0.05"'
STRONG_PLAYERS = ("alphabeta-2", "alphabeta-10k")
"""The strong players of a new list."""
MOST_NEVER = 6
"""Levels of an excluded combination."""

Role = Literal["", "target", "must"]
ROLES: Mapping[str, str] = {"target": "targets", "must": "must"}
"""The roles of a measure, and the keys of the file for them."""
Seat = Literal["quick", "strong"]


@dataclass(frozen=True)
class SearchReading(FileReading):
    """The meaning of the text of a search."""

    search: RuleSearch | None
    """None while there are problems."""

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Return the entries of a mapping of the text."""
        value = self.keys.get(key)
        return value if isinstance(value, dict) else {}

    @property
    def base(self) -> str:
        """The name of the ruleset that is changed."""
        return plain_word(self.keys.get("base"))

    @property
    def family(self) -> Declaration | None:
        """The family of the base; None for a base that is no ruleset."""
        game = self.base.partition("/")[0]
        return games.declaration(game) if game in games.names() else None

    def toggle(self, name: str) -> Toggle | None:
        """Return a toggle of the family by its name."""
        return next((one for one in self.family.toggles if one.name == name), None) if self.family else None

    def levels(self, toggle: str) -> tuple[list[Setting], dict[str, float]]:
        """Return the values of a toggle that are tried by name, and the ends of its range."""
        values, ends = self.mapping("space").get(toggle), {}
        if isinstance(values, dict):
            ends = {key: values[key] for key in RANGE if isinstance(values.get(key), int | float)}
            values = values.get("values")
        return [one for one in values if isinstance(one, str | int | float)] if isinstance(values, list) else [], ends


def search_path(project: Project, name: str) -> Path:
    """Return the file of the search of a name, be it there or not."""
    return project.searches / f"{name}.yaml"


@dataclass(kw_only=True)
class SearchDocument(FileDocument[SearchReading]):
    """The text of a search's file and its history."""

    folder = autosaved = "searches"
    unnamed = "my-search"
    keys = KEYS
    names = staticmethod(question.search_names)
    path_of = staticmethod(search_path)
    new_path = staticmethod(functools.partial(workspace.new_path, workspace.KINDS["search"]))
    load = staticmethod(question.load_search)
    reading = SearchReading

    def with_entry(self, text: str, key: str, name: str, written: str | None) -> str:
        """Return a text with an entry of a mapping; a mapping left without entries goes, unless files need it."""
        text = edits.set_entry(text, key, name, written, self.before(key))
        emptied = written is None and not yamlfile.parse_yaml(text, "").plain().get(key)
        return edits.set_value(text, key, None) if emptied and not KEYS[key].required else text

    def set_entry(self, key: str, name: str, value: str | float | None, instead: str = "") -> None:
        """Set an entry of a mapping to a word or a number; None removes it, as does one the entry ``instead``."""
        text = self.with_entry(self.text, key, instead, None) if instead else self.text
        self.step(self.with_entry(text, key, name, None if value is None else as_yaml(value)))

    def set_base(self, name: str) -> None:
        """Change the base; keys about toggles of another game go."""
        text = self.with_key(self.text, "base", as_yaml(name))
        if name.partition("/")[0] != self.read().base.partition("/")[0]:
            text = re.sub(r"(?m)^space: $", "space:", self.with_key(text, "space", ""))
            for key in ("never", "price"):
                text = self.with_key(text, key, None)
        self.step(text)

    def vary(self, name: str, base: Mapping[str, Setting]) -> None:
        """Add a toggle to those that are changed, at first by its setting in the base; or remove a factor."""
        reading = self.read()
        toggle, now = reading.toggle(name), base.get(name)
        if toggle is None or name in reading.mapping("space"):
            text = self.with_entry(self.text, "space", name, None)
            self.step(self.with_entry(text, "price", name, None))
            return
        named, ends = [value.name for value in toggle.values], {}
        if now is not None and toggle.span and toggle.span.allows(now):
            assert isinstance(now, int | float)
            reach = NEAR * toggle.span.step
            ends = {"from": max(toggle.span.low, now - reach), "to": min(toggle.span.high, now + reach)}
        elif now is not None and not any(equal_settings(now, one) for one in named):
            named.insert(0, now)
        self._set_levels(name, named, ends)

    def choose(self, toggle: str, text: str, on: bool) -> None:
        """Add a value to those of a toggle that are tried, or remove it."""
        reading = self.read()
        declared, setting = reading.toggle(toggle), self._setting(reading, toggle, text)
        if declared is None or setting is None:
            return
        values, ends = reading.levels(toggle)
        values = [one for one in values if setting_text(one) != text] + ([setting] if on else [])
        order = [setting_text(value.name) for value in declared.values]
        values.sort(key=lambda one: order.index(setting_text(one)) if setting_text(one) in order else len(order))
        self._set_levels(toggle, values, ends)

    def _setting(self, reading: SearchReading, name: str, text: str) -> Setting | None:
        """Return the setting of a toggle that the page offers under a text."""
        toggle = reading.toggle(name)
        if toggle is None or reading.family is None:
            return None
        offered = [*named_settings(toggle, self.project, reading.family), *reading.levels(name)[0]]
        return next((one for one in offered if setting_text(one) == text and toggle.allows(one)), None)

    def set_range(self, toggle: str, ends: Mapping[str, float | None]) -> None:
        """Set the numbers of a toggle that are tried: ``from``, ``to`` and ``step``; none leaves the named values."""
        set_ends = {key: end for key, end in ends.items() if end is not None}
        self._set_levels(toggle, self.read().levels(toggle)[0], set_ends)

    def _set_levels(self, toggle: str, values: Collection[Setting], ends: Mapping[str, float]) -> None:
        """Write a list of values, or a range with the values beside it."""
        written = f"[{', '.join(edits.yaml_scalar(one) for one in values)}]"
        if ends:
            parts = [f"values: {written}"] if values else []
            written = f"{{{', '.join([*parts, *(f'{key}: {ends[key]:g}' for key in RANGE if key in ends)])}}}"
        self.step(self.with_entry(self.text, "space", toggle, written))

    def set_price(self, toggle: str, value: float | None, by_step: bool) -> None:
        """Set the price of a toggle's change, or of each step of a number; None: the price of all others."""
        old = self.read().mapping("price").get(toggle)
        most = old.get("most") if isinstance(old, dict) else None
        written = None if value is None else f"{value:g}"
        if written is not None and by_step:
            written = f"{{step: {written}{f', most: {most}' if most is not None else ''}}}"
        self.step(self.with_entry(self.text, "price", toggle, written))

    def set_target(self, measure: str, role: Role, low: float | None, high: float | None) -> None:
        """Set the band or limit that a measure should or must reach; without a role none."""
        text = self.text
        for other, key in ROLES.items():
            if role != other:
                text = self.with_entry(text, key, measure, None)
        if not role:
            self.step(self.with_entry(text, "weights", measure, None))
            return
        if low is None and high is None:
            written = FIRST_TARGETS.get(measure, FIRST_LIMIT)
        elif low is None or high is None:
            written = json.dumps(f"<{high:g}" if low is None else f">{low:g}")
        else:
            written = f"[{low:g}, {high:g}]"
        self.step(self.with_entry(text, ROLES[role], measure, written))

    def weigh(self, on: bool) -> None:
        """Weigh targets and price against each other, or put targets first."""
        names = [*self.read().mapping("targets"), question.PRICE]
        written = f"{{{', '.join(f'{name}: 1' for name in names)}}}"
        self.step(self.with_key(self.text, "weights", written if on else None))

    def add_never(self, levels: Iterable[tuple[str, str]]) -> None:
        """Exclude a combination of levels, each a toggle and the text of a setting."""
        reading = self.read()
        written = []
        for name, text in list(levels)[:MOST_NEVER]:
            toggle, setting = reading.toggle(name), self._setting(reading, name, text)
            if toggle is not None and setting is None and toggle.span:
                setting = next((one for one in toggle.span.numbers() if setting_text(one) == text), None)
            if setting is not None:
                written.append(f"{name}: {edits.yaml_scalar(setting)}")
        if written:
            self.step(edits.add_item(self.text, "never", f"{{{', '.join(written)}}}", self.before("never")))

    def remove_never(self, place: int) -> None:
        """Allow an excluded combination again."""
        text = edits.remove_item(self.text, "never", place)
        self.step(text if edits.list_items(text, "never") else self.with_key(text, "never", None))

    def tick(self, seat: Seat, player: str) -> None:
        """Add a quick or a strong player, or remove it; strong ones that were standard become a list."""
        players = self.players(seat)
        left = [one for one in players if plain_item(one) != player]
        self.set_players(seat, left if len(left) < len(players) else [*players, as_yaml(player)])

    def set_players(self, seat: Seat, players: list[str]) -> None:
        """Set the quick or the strong players, as files write them; none: no quick ones, standard strong ones."""
        self.step(self.with_entry(self.text, "players", seat, f"[{', '.join(players)}]" if players else None))

    def players(self, seat: Seat) -> list[str]:
        """Return the quick or the strong players as the file writes them; none for standard ones."""
        value = self.read().mapping("players").get(seat)
        listed = value if isinstance(value, list) else [] if value in (None, STANDARD) else [value]
        return [as_yaml(one) if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in listed]

    def proposed_name(self) -> str:
        """Return a name for the file that no search has: the base and the toggles that are changed."""
        reading = self.read()
        parts = [*reading.base.split("/"), *reading.mapping("space")]
        return edits.unused_name(parts if len(parts) > 1 else [self.unnamed], question.search_names(self.project))


def new_search(store: DocumentStore, base: str, language: str, begin: bool) -> SearchDocument:
    """Return the new search as it was left; ``begin``: another one with this base."""
    text = new_search_text(base, language)
    return store.open_new(SearchDocument, text, text if begin else "")


def new_search_text(base: str, language: str) -> str:
    """Return the text of a new search."""
    title = json.dumps(translated(tr("Which few changes reach the targets?"), language), ensure_ascii=False)
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
