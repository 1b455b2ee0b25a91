"""Searches for rulesets in the making: the text of a search's file and what it means."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workbench import games
from workbench.files import project as projects
from workbench.files import yamlfile
from workbench.files.project import Project
from workbench.games.declaration import Declaration, Setting, Toggle, equal_settings, setting_text
from workbench.language import translated
from workbench.questions import edits, rule_search, workspace
from workbench.questions.measures import PLIES
from workbench.questions.rule_search import KEYS, STANDARD, RuleSearch
from workbench.studio import sheets
from workbench.studio.sheets import Files, Reading, Sheet, plain_item, plain_word, quoted
from workbench.studio.words import WORDS

UNSAVED = "my-search"
"""What a new search is called until it has a name."""
RANGE = ("from", "to", "step")
NEAR = 2
"""Steps around the number of the base that a range begins with."""
FIRST_TARGETS: Mapping[str, str] = {"first_score": "[0.45, 0.55]", PLIES: "[40, 80]"}
"""What a target begins with; `FIRST_LIMIT` elsewhere."""
FIRST_LIMIT = '"<0.05"'
STRONG_PLAYERS = ("alphabeta-2", "alphabeta-10k")
"""Strong players that a list begins with."""
MOST_NEVER = 6
"""Levels of a combination that is not wanted."""

Role = Literal["", "target", "must"]
ROLES: Mapping[str, str] = {"target": "targets", "must": "must"}
"""What a measure may be for, and the key of the file."""


@dataclass(frozen=True)
class SearchReading(Reading):
    """What the text of a search's file means."""

    search: RuleSearch | None
    """None while there are problems."""

    def mapping(self, key: str) -> Mapping[str, Any]:
        """The entries of a mapping of the text."""
        value = self.said.get(key)
        return value if isinstance(value, dict) else {}

    @property
    def base(self) -> str:
        """The ruleset that is changed, as the text calls it."""
        return plain_word(self.said.get("base"))

    @property
    def family(self) -> Declaration | None:
        """The family of the base; None of a base that is none."""
        game = self.base.partition("/")[0]
        return games.declaration(game) if game in games.names() else None


def search_path(project: Project, name: str) -> Path:
    """The file of the search of a name, whether it is there or not."""
    return project.searches / f"{name}.yaml"


def is_shipped_search(name: str) -> bool:
    """Whether a search of this name came with the workbench."""
    return search_path(projects.shipped_project(), name).is_file()


FILES = Files(
    kind="searches",
    unnamed=UNSAVED,
    keys=KEYS,
    names=rule_search.search_names,
    path=search_path,
    new_path=workspace.search_path,
    is_shipped=is_shipped_search,
    load=rule_search.load_search,
    reading=SearchReading,
)


@dataclass(kw_only=True)
class SearchSheet(Sheet[SearchReading]):
    """The text of a search's file and its history."""

    files = FILES

    def set(self, key: str, value: str | float | None) -> None:
        """Sets a key to a word or a number; None leaves it out.

        Raises:
            InputError: the text cannot be understood, so nothing can be written into it; the others raise it, too.
        """
        self.step(_with_key(self.text, key, None if value is None else _written(value)))

    def set_entry(self, key: str, name: str, value: str | float | None, instead: str = "") -> None:
        """Sets an entry of a mapping to a word or a number; None leaves it out, and so goes the entry ``instead``."""
        text = _with_entry(self.text, key, instead, None) if instead else self.text
        self.step(_with_entry(text, key, name, None if value is None else _written(value)))

    def set_base(self, base: str) -> None:
        """Takes another ruleset as the base; what speaks of toggles of another game goes."""
        text = _with_key(self.text, "base", quoted(base))
        if base.partition("/")[0] != self.read().base.partition("/")[0]:
            text = re.sub(r"(?m)^space: $", "space:", edits.set_value(text, "space", "", FILES.preceding_keys("space")))
            for key in ("never", "price"):
                text = _with_key(text, key, None)
        self.step(text)

    def vary(self, toggle: Toggle, now: Setting | None) -> None:
        """Lets a toggle be changed, beginning with what it is in the base, or lets it be."""
        reading = self.read()
        if toggle.name in reading.mapping("space"):
            text = _with_entry(self.text, "space", toggle.name, None)
            self.step(_with_entry(text, "price", toggle.name, None))
            return
        named = [value.name for value in toggle.values]
        if now is not None and not any(equal_settings(now, one) for one in named) and not _in_span(toggle, now):
            named.insert(0, now)
        ends: Mapping[str, float] = {}
        if toggle.span and now is not None and _in_span(toggle, now):
            reach = NEAR * toggle.span.step
            assert isinstance(now, int | float)
            ends = {"from": max(toggle.span.low, now - reach), "to": min(toggle.span.high, now + reach)}
        self.step(_with_entry(self.text, "space", toggle.name, _levels_text(named, ends)))

    def choose(self, toggle: Toggle, setting: Setting, chosen: bool) -> None:
        """Adds a value to those of a toggle that are tried, or removes it."""
        values, ends = self.levels(toggle.name)
        text = setting_text(setting)
        values = [one for one in values if setting_text(one) != text] + ([setting] if chosen else [])
        order = [setting_text(value.name) for value in toggle.values]
        values.sort(key=lambda one: order.index(setting_text(one)) if setting_text(one) in order else len(order))
        self.step(_with_entry(self.text, "space", toggle.name, _levels_text(values, ends)))

    def set_range(self, toggle: Toggle, ends: Mapping[str, float]) -> None:
        """Sets the numbers of a toggle that are tried: ``from``, ``to`` and ``step``; none leaves the named values."""
        values, _ = self.levels(toggle.name)
        self.step(_with_entry(self.text, "space", toggle.name, _levels_text(values, ends)))

    def levels(self, toggle: str) -> tuple[list[Setting], dict[str, float]]:
        """The values of a toggle that are tried by name, and the ends of its range."""
        said = self.read().mapping("space").get(toggle)
        if isinstance(said, dict):
            values, ends = (
                said.get("values"),
                {key: said[key] for key in RANGE if isinstance(said.get(key), int | float)},
            )
        else:
            values, ends = said, {}
        return [one for one in values if isinstance(one, str | int | float)] if isinstance(values, list) else [], ends

    def set_price(self, toggle: str, value: float | None, by_step: bool) -> None:
        """Sets what the changes of a toggle cost, each or by the step of a number; None: what all others cost."""
        said = self.read().mapping("price").get(toggle)
        most = said.get("most") if isinstance(said, dict) else None
        written = None if value is None else f"{value:g}"
        if written is not None and by_step:
            written = f"{{step: {written}{f', most: {most}' if most is not None else ''}}}"
        self.step(_with_entry(self.text, "price", toggle, written))

    def set_target(self, measure: str, role: Role, low: float | None, high: float | None) -> None:
        """Sets what a measure should or must reach, as a band or a limit; without a role nothing."""
        text = self.text
        for other in ROLES.values():
            if ROLES.get(role) != other:
                text = _with_entry(text, other, measure, None)
        if not role:
            text = _with_entry(text, "weights", measure, None)
        elif low is None and high is None:
            text = _with_entry(text, ROLES[role], measure, FIRST_TARGETS.get(measure, FIRST_LIMIT))
        elif low is None or high is None:
            limit = f"<{high:g}" if low is None else f">{low:g}"
            text = _with_entry(text, ROLES[role], measure, json.dumps(limit))
        else:
            text = _with_entry(text, ROLES[role], measure, f"[{low:g}, {high:g}]")
        self.step(text)

    def weigh(self, weighs: bool) -> None:
        """Weighs targets and price against each other, or lets targets come first."""
        names = [*self.read().mapping("targets"), rule_search.PRICE]
        written = f"{{{', '.join(f'{name}: 1' for name in names)}}}"
        self.step(_with_key(self.text, "weights", written if weighs else None))

    def add_never(self, levels: Mapping[str, Setting]) -> None:
        """Adds a combination that is not wanted."""
        written = ", ".join(f"{name}: {edits.yaml_scalar(setting)}" for name, setting in levels.items())
        self.step(edits.add_item(self.text, "never", f"{{{written}}}", FILES.preceding_keys("never")))

    def remove_never(self, place: int) -> None:
        """Removes a combination that was not wanted."""
        text = edits.remove_item(self.text, "never", place)
        self.step(text if edits.list_items(text, "never") else _with_key(text, "never", None))

    def tick(self, seat: Literal["quick", "strong"], player: str) -> None:
        """Adds a player to the quick or the strong ones, or removes it; strong ones that are standard become a list."""
        players = self.players(seat)
        left = [one for one in players if plain_item(one) != player]
        self.set_players(seat, left if len(left) < len(players) else [*players, quoted(player)])

    def set_players(self, seat: Literal["quick", "strong"], players: list[str]) -> None:
        """Sets the quick or the strong players, each as files write it; none: no quick ones, standard strong ones."""
        self.step(_with_entry(self.text, "players", seat, f"[{', '.join(players)}]" if players else None))

    def players(self, seat: Literal["quick", "strong"]) -> list[str]:
        """The quick or the strong players as the file writes them; none of standard ones."""
        said = self.read().mapping("players").get(seat)
        listed = said if isinstance(said, list) else [] if said in (None, STANDARD) else [said]
        return [quoted(one) if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in listed]

    def proposed_name(self) -> str:
        """A name for the file that no search has: the base and what may be changed."""
        reading = self.read()
        parts = [*reading.base.split("/"), *reading.mapping("space")]
        return edits.unused_name(parts if len(parts) > 1 else [UNSAVED], rule_search.search_names(self.project))


def _with_key(text: str, key: str, written: str | None) -> str:
    return edits.set_value(text, key, written, FILES.preceding_keys(key))


def _with_entry(text: str, key: str, name: str, written: str | None) -> str:
    """The text with an entry of a mapping; a mapping without entries goes, unless files need it."""
    text = edits.set_entry(text, key, name, written, FILES.preceding_keys(key))
    emptied = written is None and not yamlfile.parse_yaml(text, "").plain().get(key)
    return edits.set_value(text, key, None) if emptied and not KEYS[key].required else text


def _written(value: str | float) -> str:
    return quoted(value) if isinstance(value, str) else f"{value:.12g}"


def _in_span(toggle: Toggle, setting: Setting) -> bool:
    return toggle.span is not None and toggle.span.allows(setting)


def _levels_text(values: Collection[Setting], ends: Mapping[str, float]) -> str:
    """What ``space`` says of a toggle: a list of values, or a range with the values beside it."""
    listed = f"[{', '.join(edits.yaml_scalar(one) for one in values)}]"
    if not ends:
        return listed
    parts = [f"values: {listed}"] if values else []
    return f"{{{', '.join([*parts, *(f'{key}: {ends[key]:g}' for key in RANGE if key in ends)])}}}"


class SearchSheets(sheets.Sheets[SearchSheet]):
    """The searches of one project."""

    sheet_type = SearchSheet

    def new_sheet(self, base: str, language: str, begin: bool) -> SearchSheet:
        """The sheet of a new search, as it was left; ``begin``: another one with this base."""
        text = new_search_text(base, language)
        sheet = self.resumed(text)
        if begin:
            self.replace_text(sheet, text)
        return sheet


def new_search_text(base: str, language: str) -> str:
    """The text with which a new search begins."""
    title = json.dumps(translated(WORDS["new_search_title"], language), ensure_ascii=False)
    return (
        f"{'title_ja' if language == 'ja' else 'title'}: {title}\n"
        f"base: {quoted(base)}\n"
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
