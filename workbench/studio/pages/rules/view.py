"""The rules on a page as plain data with messages, for ``rules.js``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from workbench.base.errors import error_text, expected, input_error
from workbench.base.language import SEMICOLON, bilingual, join, strip_period, tr, trc
from workbench.base.project import Project
from workbench.base.yamlfile import parse_scalar
from workbench.games import drawings
from workbench.games.declaration import Conflict, Setting, Toggle, all_match, equal_settings, setting_text
from workbench.games.drawings import MARKED, Drawing, DrawingError
from workbench.games.prices import EACH, FREE, PriceList
from workbench.games.wording import change_words, is_picture, sentence_beside, setting_words
from workbench.positions.board_input import piece_title
from workbench.report.render.svg import Pieces, board_svg
from workbench.rules import rulebook
from workbench.rules.edits import RulesetReading
from workbench.studio.documents.rulesets import RulesetDocument, file_names
from workbench.studio.game_tasks import grid_view, sign_picture
from workbench.studio.visitor import View, Visitor, problem_view, with_titles

ACTIONS = {
    "all": tr("All"), "none": tr("None"), "invert": tr("Invert"),
    "across": tr("Mirror left to right"), "down": tr("Mirror top to bottom"),
}  # fmt: skip
"""Actions on all squares with their labels; mirroring copies the left or the upper half."""
PIECE_ACTIONS = ("none", "across")


@dataclass(frozen=True)
class RulesView:
    """The rules of a document as translatable messages."""

    reading: RulesetReading
    project: Project
    visitor: Visitor
    boards: Collection[str] = ()
    """The toggles whose drawings are open for painting."""

    @cached_property
    def _excluded(self) -> list[Conflict]:
        return self.reading.family.excluded()

    def page(self, draft: RulesetDocument) -> View:
        """Return the state of the page."""
        reading, family = self.reading, self.reading.family
        inert = family.without_effect(reading.settings)
        return {
            "text": draft.text,
            "undo": draft.place > 0,
            "redo": draft.place < len(draft.texts) - 1,
            "changed": draft.dirty,
            "dirty": draft.dirty or draft.new,
            "title": draft.title(reading),
            "untouched": draft.new and not draft.dirty,
            "switches": [
                {"short": proposal.short, "title": proposal.heading, "on": proposal.in_force(reading.settings)}
                for proposal in draft.named
            ],
            "base": self._base(),
            "problems": [problem_view(problem, self.visitor, family) for problem in reading.problems],
            "groups": [
                {
                    "title": title,
                    "now": self._words(toggle for toggle in toggles if toggle.name not in inert),
                    "toggles": [
                        self._toggle(toggle) | {"idle": self._no_effect(toggle) if toggle.name in inert else ""}
                        for toggle in toggles
                    ],
                }
                for title, toggles in family.grouped()
            ],
            "book": list(self.book()),
        }

    @cached_property
    def _files(self) -> dict[str, dict[str, str]]:
        """The files that settings may name, with their titles, by toggle."""
        family = self.reading.family
        return {each.name: file_names(family, each, self.project) for each in family.toggles if each.files}

    def _told(self, settings: Mapping[str, Setting]) -> dict[str, Setting]:
        """Return settings with the titles of files instead of their names."""
        return {name: self._files.get(name, {}).get(str(setting), setting) for name, setting in settings.items()}

    def _words(self, toggles: Iterable[Toggle]) -> str:
        family, settings = self.reading.family.name, self._told(self.reading.settings)
        return join(SEMICOLON, [change_words(family, toggle, settings) for toggle in toggles])

    def _no_effect(self, toggle: Toggle) -> str:
        """Return a sentence about the settings that leave a toggle without effect."""
        family, settings = self.reading.family, self.reading.settings
        causes = {other.name for other in family.toggles if toggle.name in other.makes_irrelevant(settings[other.name])}
        causes.update(*(case.settings for case in toggle.has_no_effect_when if all_match(case.settings, settings)))
        toggles = (other for other in family.toggles if other.name in causes)
        return tr("no effect here: {because}", because=self._words(toggles))

    def _base(self) -> str:
        parents = {name for name, _ in self.reading.file.parents}
        bases = [base for base in self.reading.file.ancestry if base.name in parents]
        titles = [bilingual(en=base.title, ja=base.title_ja) for base in bases]
        return tr("Based on {name}", name=join(SEMICOLON, titles)) if titles else ""

    def _toggle(self, toggle: Toggle) -> View:
        reading, family = self.reading, self.reading.family.name
        return {
            "name": toggle.name,
            "title": toggle.title,
            "source": toggle.source,
            "changed": reading.is_changed(toggle),
            "words": self._words([toggle]),
            "options": list(self._options(toggle)),
            "prices": self._prices(toggle) if isinstance(toggle, PriceList) else None,
            "clashes": self._clashes(toggle, reading.settings),
            "position": _position_address(toggle, reading),
            "picture": picture(toggle, family, reading.settings),
            "board": self.board(toggle) if isinstance(toggle, Drawing) and toggle.name in self.boards else None,
        }

    def _options(self, toggle: Toggle) -> Iterator[View]:
        """Yield what a toggle can be set to: its named values, a number, a drawing, and a file."""
        family, settings = self.reading.family, self.reading.settings
        now, was = settings[toggle.name], self.reading.inherited[toggle.name]
        is_named = any(equal_settings(value.name, now) for value in toggle.values)

        def option(setting: Setting, chosen: bool) -> View:
            return {
                "setting": setting_text(setting), "sentence": toggle.sentence(setting),
                "chosen": chosen, "base": equal_settings(setting, was), "note": "",
                "clash": "" if chosen else next(iter(self._clashes(toggle, {**settings, toggle.name: setting})), ""),
            }  # fmt: skip

        for value in toggle.values:
            yield option(value.name, equal_settings(value.name, now)) | {"label": setting_text(value.name)}
        if span := toggle.span:
            # While a named value is chosen, the field contains a default number.
            number = next((n for n in (was, toggle.default) if span.allows(n)), span.low) if is_named else now
            limits = tr("A number from {low} to {high}", low=span.low, high=span.high)
            if span.step != 1:
                limits = join(" ", (limits, tr("in steps of {step}", step=f"{span.step:g}")))
            bounds = {"min": span.low, "max": span.high, "step": span.step}
            general = {"sentence": span.sentence.format(n="n")} if is_named else {}
            yield option(number, not is_named) | {"number": bounds, "note": limits} | general
        if isinstance(toggle, Drawing) and ((toggle.painted and toggle.drawn) or toggle.is_drawn(now)):
            is_drawn = toggle.is_drawn(now)
            custom = tr("A custom drawing: {sentence}", sentence=toggle.drawn)
            sentence = sentence_beside(toggle, now) if is_drawn else custom
            note = setting_words(family.name, toggle, settings) if is_drawn else ""
            yield {"setting": "", "sentence": sentence, "chosen": is_drawn, "draw": toggle.painted, "note": note}
        if toggle.files:
            folder = f"rulesets/{family.name}/{toggle.files.folder}"
            yield option(now, True) | {
                "names": self._files[toggle.name],
                "sentence": toggle.sentence(self._told(settings)[toggle.name]),
                "note": tr("A file in the folder {folder}", folder=folder),
            }

    def _prices(self, toggle: PriceList) -> View:
        setting = self.reading.settings[toggle.name]
        now, base_table = toggle.table(setting), toggle.table(self.reading.inherited[toggle.name])
        groups: dict[str, list[View]] = {}
        for unit in toggle.units:
            numbers = [
                {"free": kind == FREE, "value": value, "min": unit.bounds(kind)[0], "max": unit.bounds(kind)[1]}
                for kind, value in zip((EACH, FREE), now[unit.name], strict=True)
                if kind == EACH or unit.price.free or value
            ]
            changed = now[unit.name] != base_table[unit.name]
            groups.setdefault(unit.group, []).append({"name": unit.name, "numbers": numbers, "changed": changed})
        return {
            "groups": [{"name": name, "units": units} for name, units in groups.items()],
            "sentence": toggle.sentence(setting),
            "listed": bool(toggle.changes(setting)),
        }

    def _clashes(self, toggle: Toggle, settings: Mapping[str, Setting]) -> list[str]:
        """Return the conflicts between a toggle's setting and others."""
        return [
            with_titles(self.visitor.translate(conflict.message), self.reading.family, self.visitor)
            for conflict in self._excluded
            if toggle.name in conflict.settings and all_match(conflict.settings, settings)
        ]

    def book(self) -> Iterator[View]:
        """Yield the rule book's sentences with their toggles, the base's sentences if these differ, and drawings.

        The ``heading`` of a group's first sentence is the group's title.
        """
        reading, family = self.reading, self.reading.family
        heading: str = trc("rule book", "Overview")
        namings = [family.square_naming(settings) for settings in (reading.inherited, reading.settings)]
        was = "".join(namings[0]) if namings[0] != namings[1] else ""
        for text in (*family.summary, *namings[1]):
            yield {"text": text, "toggle": "", "was": was if text in namings[1] else "", "heading": heading}
            heading = ""
        changed = [toggle.name for toggle in family.toggles if reading.is_changed(toggle)]
        told = [toggle.name for toggle, _ in family.sentences(reading.settings, named=changed)]
        inherited, settings = self._told(reading.inherited), self._told(reading.settings)
        for heading, toggles in family.grouped():
            for toggle in (toggle for toggle in toggles if toggle.name in told):
                was = sentence_beside(toggle, inherited[toggle.name])
                yield {
                    "text": sentence_beside(toggle, settings[toggle.name]),
                    "toggle": toggle.name,
                    "was": was if toggle.name in changed else "",
                    "picture": picture(toggle, family.name, reading.settings),
                    "heading": heading,
                }
                heading = ""

    def board(self, toggle: Drawing) -> View:
        """Return a drawing for painting: its picture, its squares and the pieces."""
        family, settings = self.reading.family.name, self.reading.settings
        try:
            drawing = drawings.shown(family, toggle, settings)
        except DrawingError as error:
            return {"problem": error_text(error)}
        symbols, now = drawings.symbols(family), settings[toggle.name]
        problems = [problem_view(problem, self.visitor, self.reading.family) for problem in self.reading.problems]
        count = setting_words(family, toggle, settings)
        if not toggle.is_drawn(now):
            value = toggle.label(now) or strip_period(toggle.sentence(now))
            count = tr("No custom drawing yet: the setting is “{value}”.", value=value)
        actions = PIECE_ACTIONS if toggle.pieces else ACTIONS
        return {
            "pictures": [_picture(toggle, drawing)],
            "grid": grid_view(drawing.board),
            "cells": [
                {"y": y, "x": x, "name": name, "sign": drawing.signs.get((y, x), "")}
                for (y, x), name in drawing.names.items()
            ],
            "palette": [
                {"sign": sign, "title": piece_title(family, symbols[sign]), "picture": sign_picture(symbols[sign])}
                for sign in toggle.pieces
            ],
            "actions": [{"name": name, "text": ACTIONS[name]} for name in actions],
            "count": count,
            "problem": problems[0]["message"] if problems else "",
        }


def _position_address(toggle: Toggle, reading: RulesetReading) -> str:
    """Return the address of a position that shows two settings: the base's and the chosen one, or it and another.

    It is "" if no position shows the difference or the setting is a drawing.
    """
    family, now, was = reading.family.name, reading.settings[toggle.name], reading.inherited[toggle.name]
    if is_picture(toggle, now):
        return ""
    witnesses = (witness.value for witness in rulebook.family_witnesses(family) if witness.toggle == toggle.name)
    others = [other for other in (toggle.default, *witnesses) if not is_picture(toggle, other)]
    changed = reading.is_changed(toggle)
    pairs = [(was, now)] if changed else [(now, other) for other in others if not equal_settings(other, now)]
    shown = next((pair for pair in pairs if rulebook.witness_between(family, toggle.name, *pair)), None)
    if shown is None:
        return ""
    query = {"was": setting_text(shown[0]), "now": setting_text(shown[1]), "chosen": "now" if changed else "was"}
    return f"/position/{family}/{toggle.name}?{urlencode(query)}"


def chosen_setting(reading: RulesetReading, name: str, choice: str | Mapping[str, Any]) -> Setting:
    """Return a toggle's setting after a choice on the page: its text, some prices, or a stroke of a drawing."""
    toggle = reading.family.toggle(name)
    if isinstance(toggle, Drawing) and not isinstance(choice, str):
        try:
            return painted_setting(toggle, reading, choice)
        except DrawingError as error:
            raise input_error(error_text(error), key=f"rules.{name}") from None
    setting = parse_setting(toggle, str(choice))
    if setting is None:
        raise input_error(expected(toggle.choices(), choice), key=f"rules.{name}")
    return toggle.merged([reading.settings[name], setting]) if isinstance(toggle, PriceList) else setting


def parse_setting(toggle: Toggle, text: str) -> Setting | None:
    """Return a toggle's setting from YAML text, or None if it is not allowed."""
    for value in toggle.values:
        if setting_text(value.name) == text:
            return value.name
    return next((value for value in (parse_scalar(text), text) if value is not None and toggle.allows(value)), None)


def picture(toggle: Toggle, family: str, settings: Mapping[str, Setting]) -> str:
    """Return a drawing's picture, or "" if the drawing is invalid."""
    if not (isinstance(toggle, Drawing) and toggle.pictured and toggle.is_drawn(settings[toggle.name])):
        return ""
    try:
        return _picture(toggle, drawings.shown(family, toggle, settings))
    except DrawingError:
        return ""


def _picture(toggle: Drawing, drawing: drawings.Shown) -> str:
    pieces = Pieces(f"drawn-{toggle.name}")
    marked = frozenset(cell for cell, sign in drawing.signs.items() if sign == MARKED)
    board = board_svg(drawing.board, pieces, {} if toggle.pieces else {"open": marked})
    return str(pieces.definitions() + board)  # The definitions are collected while the board is drawn.


def painted_setting(toggle: Drawing, reading: RulesetReading, stroke: Mapping[str, Any]) -> Setting:
    """Return the setting after a stroke, which sets a ``sign`` on ``cells`` or applies an ``action`` to all cells.

    If the result is equivalent to a named value, that value is returned.
    """
    family = reading.family.name
    drawing = drawings.shown(family, toggle, reading.settings)
    height, width = len(drawing.board.cells), len(drawing.board.cells[0])
    cells = [tuple(cell) for cell in stroke.get("cells", ())]

    def sign(y: int, x: int) -> str:
        match stroke.get("action"):
            case "none":
                return ""
            case "all":
                return MARKED
            case "invert":
                return "" if (y, x) in drawing.signs else MARKED
            case "across":
                x = min(x, width - 1 - x)
            case "down":
                y = min(y, height - 1 - y)
            case None if (y, x) in cells:
                return str(stroke["sign"])
        return drawing.signs.get((y, x), "")

    signs = {cell: painted for cell in drawing.names if (painted := sign(*cell))}
    text = drawings.replace_signs(family, toggle, reading.settings, signs)
    try:
        named_value = toggle.named(drawings.read(family, toggle, text, reading.settings))
    except DrawingError:  # The painting may be incomplete.
        named_value = None
    return text if named_value is None else named_value
