"""The rules of a page as plain data in one language, for ``rules.js``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from workbench.base.errors import input_error, text_of
from workbench.base.language import SEMICOLON, bilingual, join, strip_period, tr, trc
from workbench.base.project import Project
from workbench.games import drawings
from workbench.games.declaration import Conflict, Declaration, Setting, Toggle, all_match, equal_settings, setting_text
from workbench.games.drawings import MARKED, Drawing, Misdrawn
from workbench.games.prices import EACH, FREE, PriceList
from workbench.games.wording import change_words, is_picture, sentence_beside, setting_words
from workbench.report.render.svg import CELL, EDGE, Pieces, board_svg
from workbench.rules import rulebook
from workbench.rules.edits import RulesetReading
from workbench.rules.settings import visible_entries
from workbench.studio.drafts import Draft
from workbench.studio.visitor import Visitor, ruleset_problem_view, with_titles

View = dict[str, Any]


def draft_view(draft: Draft, names: Collection[str], visitor: Visitor) -> View:
    """All that changes on the page while its user chooses and types; ``names``: the rulesets that there are."""
    reading = draft.read()
    family = reading.family
    excluded, idle = family.excluded(), family.without_effect(reading.settings)
    return {
        "text": draft.text,
        "title": visitor.translate(draft.title(reading)),
        "untouched": draft.kind == "new" and not draft.dirty,
        "file_name": draft.file_name(reading, names),
        "base": _base_text(reading, visitor),
        "problems": [ruleset_problem_view(problem, visitor, family) for problem in reading.problems],
        "changes": [_change_view(toggle, reading, visitor) for toggle in family.toggles if reading.is_changed(toggle)],
        "groups": [
            {
                "title": visitor.translate(title),
                "now": visitor.translate(_group_words(toggles, reading, idle)),
                "toggles": [
                    _toggle_view(toggle, draft, reading, excluded, visitor)
                    | {"idle": visitor.translate(_idle_words(toggle, reading)) if toggle.name in idle else ""}
                    for toggle in toggles
                ],
            }
            for title, toggles in family.grouped()
        ],
        "book": list(rule_book_view(reading, visitor)),
        "undo": draft.place > 0,
        "redo": draft.place < len(draft.texts) - 1,
        "dirty": draft.dirty,
    }


def _group_words(toggles: Sequence[Toggle], reading: RulesetReading, idle: Collection[str]) -> str:
    """What the toggles of a group are set to, in words; not those without effect."""
    family, settings = reading.family.name, reading.settings
    return join(SEMICOLON, [change_words(family, one, settings) for one in toggles if one.name not in idle])


def _idle_words(toggle: Toggle, reading: RulesetReading) -> str:
    """What leaves a toggle without effect, in words."""
    family, settings = reading.family, reading.settings
    why = {one.name for one in family.toggles if toggle.name in one.makes_irrelevant(settings[one.name])}
    why.update(*(one.settings for one in toggle.has_no_effect_when if all_match(one.settings, settings)))
    because = join(SEMICOLON, [change_words(family.name, one, settings) for one in family.toggles if one.name in why])
    return tr("no effect here: {because}", because=because)


def legend_view(family: Declaration, visitor: Visitor) -> View:
    """How pictures of a family are read: the signs on boards, and how moves are written."""
    return {
        "signs": visitor.translate(family.legend),
        "moves": [visitor.translate(sentence) for sentence in family.notation],
    }


def _base_text(reading: RulesetReading, visitor: Visitor) -> str:
    if not reading.understood:
        return ""
    parents = {name for name, _ in reading.file.parents}
    titles = [bilingual(en=one.title, ja=one.title_ja) for one in reading.file.ancestry if one.name in parents]
    if titles:
        return visitor.translate(tr("Base: {name}", name=join(SEMICOLON, titles)))
    return visitor.translate(tr("Base: the defaults of {name}", name=reading.family.title))


def _change_view(toggle: Toggle, reading: RulesetReading, visitor: Visitor) -> View:
    return {
        "toggle": toggle.name,
        "words": visitor.translate(change_words(reading.family.name, toggle, reading.settings)),
        "value": "" if is_picture(toggle, now := reading.settings[toggle.name]) else setting_text(now),
    }


def _toggle_view(
    toggle: Toggle, draft: Draft, reading: RulesetReading, excluded: Sequence[Conflict], visitor: Visitor
) -> View:
    now = reading.settings[toggle.name]
    view: View = {
        "name": toggle.name,
        "title": _title(toggle, visitor),
        "source": visitor.translate(toggle.source),
        "changed": reading.is_changed(toggle),
        "own": toggle.name in reading.file.own,
        "setting": setting_text(now),
        "options": [_option_view(toggle, place, reading, excluded, visitor) for place in range(len(toggle.values))],
        "clashes": _clashes(toggle, excluded, reading, reading.settings, visitor),
        "position": _compared_settings(toggle, reading),
    }
    named = any(equal_settings(value.name, now) for value in toggle.values)
    if toggle.span:
        span = toggle.span
        limits = visitor.translate(tr("A number from {low} to {high}", low=span.low, high=span.high))
        if span.step != 1:
            limits += " " + visitor.translate(tr("in steps of {step}", step=f"{span.step:g}"))
        view["span"] = {
            "low": span.low,
            "high": span.high,
            "step": span.step,
            "limits": limits,
            "chosen": not named,
            "value": now if not named else _number(toggle, reading),
            "sentence": visitor.translate(toggle.sentence(now)) if not named else span_sentence(toggle, visitor),
            "clash": _clash_of_other(toggle, _number(toggle, reading), excluded, reading, visitor) if named else "",
        }
    if isinstance(toggle, PriceList):
        view["prices"] = _prices_view(toggle, reading, visitor)
    if isinstance(toggle, Drawing):
        view["drawable"] = visitor.translate(toggle.drawn) if toggle.painted else ""
        if toggle.is_drawn(now):
            view["drawn"] = {
                "words": visitor.translate(setting_words(reading.family.name, toggle, reading.settings)),
                "sentence": visitor.translate(sentence_beside(toggle, now)),
                "picture": picture(toggle, reading.family.name, reading.settings),
            }
    if toggle.files:
        folder = f"rulesets/{draft.game}/{toggle.files.folder}"
        view["files"] = {
            "names": file_names(reading.family, toggle, draft.project),
            "value": str(now),
            "limits": visitor.translate(tr("A file of the folder {folder}", folder=folder)),
            "sentence": visitor.translate(toggle.sentence(now)),
        }
    return view


def _prices_view(toggle: PriceList, reading: RulesetReading, visitor: Visitor) -> View:
    """What every unit costs, in its groups, and what it costs in the base."""
    now, base = (toggle.table(settings[toggle.name]) for settings in (reading.settings, reading.inherited))
    groups: dict[str, list[View]] = {}
    for unit in toggle.units:
        groups.setdefault(visitor.translate(unit.group), []).append(
            {
                "name": unit.name,
                "numbers": [
                    {"what": what, "value": value, "low": unit.bounds(what)[0], "high": unit.bounds(what)[1]}
                    for what, value in zip((EACH, FREE), now[unit.name], strict=True)
                    if what == EACH or unit.price.free or value
                ],
                "changed": now[unit.name] != base[unit.name],
            }
        )
    return {
        "groups": [{"name": name, "units": units} for name, units in groups.items()],
        "sentence": visitor.translate(toggle.sentence(reading.settings[toggle.name])),
        "listed": bool(toggle.changes(reading.settings[toggle.name])),
    }


def span_sentence(toggle: Toggle, visitor: Visitor) -> str:
    """The sentence of a range, with n for its number."""
    assert toggle.span
    return visitor.translate(toggle.span.sentence.format(n="n"))


def _number(toggle: Toggle, reading: RulesetReading) -> Setting:
    """The number that stands in the field while a named value is chosen."""
    assert toggle.span
    for setting in (reading.inherited[toggle.name], toggle.default):
        if toggle.span.allows(setting):
            return setting
    return toggle.span.low


def _clashes(
    toggle: Toggle,
    excluded: Sequence[Conflict],
    reading: RulesetReading,
    settings: Mapping[str, Setting],
    visitor: Visitor,
) -> list[str]:
    """Why a toggle's setting does not go together with others."""
    mine = (conflict for conflict in excluded if toggle.name in conflict.settings)
    told = [visitor.translate(conflict.message) for conflict in mine if all_match(conflict.settings, settings)]
    return [with_titles(text, reading.family, visitor) for text in told]


def _clash_of_other(
    toggle: Toggle, setting: Setting, excluded: Sequence[Conflict], reading: RulesetReading, visitor: Visitor
) -> str:
    """Why another setting of a toggle would not go together with the others; "" if it would."""
    told = _clashes(toggle, excluded, reading, {**reading.settings, toggle.name: setting}, visitor)
    return next(iter(told), "")


def _option_view(
    toggle: Toggle, place: int, reading: RulesetReading, excluded: Sequence[Conflict], visitor: Visitor
) -> View:
    value = toggle.values[place]
    chosen = equal_settings(value.name, reading.settings[toggle.name])
    return {
        "place": place,
        "label": setting_text(value.name),
        "sentence": visitor.translate(toggle.sentence(value.name)),
        "chosen": chosen,
        "base": equal_settings(value.name, reading.inherited[toggle.name]),
        "default": equal_settings(value.name, toggle.default),
        "clash": "" if chosen else _clash_of_other(toggle, value.name, excluded, reading, visitor),
    }


def _compared_settings(toggle: Toggle, reading: RulesetReading) -> View | None:
    """Which two settings are compared, and which is chosen: the base's and the chosen one, or the chosen and another.

    None where no position shows the difference, or a picture shows what is drawn.
    """
    now, was = reading.settings[toggle.name], reading.inherited[toggle.name]
    changed = not equal_settings(now, was)
    if not changed:
        others = [value.name for value in toggle.values if not equal_settings(value.name, now)]
        if not equal_settings(now, toggle.default):
            others.insert(0, toggle.default)
        was, now = now, others[0] if others else now
    if is_picture(toggle, now) or rulebook.witness_between(reading.family.name, toggle.name, was, now) is None:
        return None
    return {"was": setting_text(was), "now": setting_text(now), "chosen": "now" if changed else "was"}


def rule_book_view(reading: RulesetReading, visitor: Visitor) -> Iterable[View]:
    """The rule book, sentence by sentence: its toggle, what the base says if that differs, what is drawn.

    The first sentence of a group of toggles has the group's title as its ``heading``.
    """
    heading = visitor.translate(trc("rule book", "Overview"))
    for text in (*reading.family.summary, *reading.family.square_naming(reading.settings)):
        yield {"text": visitor.translate(text), "toggle": "", "was": "", "heading": heading}
        heading = ""
    changed = [toggle.name for toggle in reading.family.toggles if reading.is_changed(toggle)]
    said = {toggle.name: text for toggle, text in reading.family.sentences(reading.settings, named=changed)}
    for title, toggles in reading.family.grouped():
        heading = visitor.translate(title)
        for toggle in toggles:
            if toggle.name not in said:
                continue
            was = visitor.translate(sentence_beside(toggle, reading.inherited[toggle.name]))
            drawn = is_picture(toggle, now := reading.settings[toggle.name])
            yield {
                "text": visitor.translate(sentence_beside(toggle, now) if drawn else said[toggle.name]),
                "toggle": toggle.name,
                "title": _title(toggle, visitor),
                "was": was if reading.is_changed(toggle) else "",
                "picture": picture(toggle, reading.family.name, reading.settings) if drawn else "",
                "heading": heading,
            }
            heading = ""


def file_names(family: Declaration, toggle: Toggle, project: Project) -> list[str]:
    """The files that a setting of a toggle may name."""
    assert toggle.files
    folder = project.rulesets / family.name / toggle.files.folder
    return [name.removesuffix(".yaml") for name in visible_entries(folder) if name.endswith(".yaml")]


def _title(toggle: Toggle, visitor: Visitor) -> str:
    return visitor.translate(toggle.title)


def setting_of(reading: RulesetReading, chosen: Mapping[str, Any]) -> tuple[str, Setting]:
    """The toggle and the setting that the page says were chosen.

    Raises:
        InputError: there is no such toggle, or it does not allow that.
    """
    toggle = next((one for one in reading.family.toggles if one.name == chosen.get("toggle")), None)
    place, other = chosen.get("place"), chosen.get("other")
    if toggle is not None and isinstance(place, int) and 0 <= place < len(toggle.values):
        return toggle.name, toggle.values[place].name
    if isinstance(toggle, PriceList) and "unit" in chosen:
        table = {name: price._asdict() for name, price in toggle.table(reading.settings[toggle.name]).items()}
        table[str(chosen["unit"])] = table.get(str(chosen["unit"]), {}) | {str(chosen["what"]): other}
        other = toggle.text(table)
        if toggle.allows(other):
            return toggle.name, toggle.merged([toggle.default, other])
    if isinstance(toggle, Drawing) and toggle.painted and ("cells" in chosen or "action" in chosen):
        try:
            return toggle.name, repainted(toggle, reading, chosen)
        except Misdrawn as error:
            raise input_error(text_of(error), key=f"rules.{toggle.name}") from None
    if isinstance(other, float) and other.is_integer():
        other = int(other)
    if toggle is not None and toggle.allows(other):
        assert isinstance(other, str | int | float)
        return toggle.name, other
    expected = (
        tr("expected {expected}, found {other}", expected=toggle.choices(), other=other)
        if toggle
        else tr("is no toggle")
    )
    raise input_error(expected, key=f"rules.{chosen.get('toggle')}")


def parse_setting(toggle: Toggle, text: str) -> Setting | None:
    """The setting of a toggle that YAML writes so; None if it allows no such one."""
    from workbench.base.yamlfile import parse_scalar

    for value in toggle.values:
        if setting_text(value.name) == text:
            return value.name
    read = parse_scalar(text)
    for setting in (read, text):
        if setting is not None and toggle.allows(setting):
            return setting
    return None


def localized_position(
    position: Mapping[str, Any] | None, labels: tuple[str, str], chosen: str, visitor: Visitor
) -> View | None:
    """A drawn position with its words in the language of the page; ``chosen``: the setting that the rules have."""
    if position is None:
        return None
    was, now = map(visitor.translate, labels)
    sentence = position["sentence"]
    if position["about"] != chosen:
        sentence = tr("With the other choice: {sentence}", sentence=sentence)
    captions = [("", visitor.translate(sentence))]
    if position["plays"]:
        captions.append(("", visitor.translate(tr("Moves: {moves}", moves=position["plays"]))))
    for key, mark, text in (
        ("opened", "open", tr("Only “{now}” allows: {moves}")),
        ("shut", "shut", tr("Only “{was}” allows: {moves}")),
    ):
        if position[key]:
            captions.append((mark, visitor.translate(text.format(was=was, now=now, moves=position[key]))))
    if position["outcome"]:
        captions.append(("", visitor.translate(position["outcome"])))
    return {
        "picture": position["picture"],
        "captions": [{"mark": mark, "text": text} for mark, text in captions],
        "notes": [visitor.translate(note) for note in position["notes"]],
    }


ACTIONS = {
    "all": tr("All"),
    "none": tr("None"),
    "invert": tr("Invert"),
    "across": tr("Mirror left to right"),
    "down": tr("Mirror top to bottom"),
}
"""What is done to all squares, and its words; mirrored are the left half and the upper one."""


FOR_PIECES = ("none", "across")


def board_views(reading: RulesetReading, wanted: Collection[str], visitor: Visitor) -> View:
    """By name the toggles among those that are wanted whose settings can be painted."""
    toggles = [toggle for toggle in reading.family.toggles if isinstance(toggle, Drawing) and toggle.painted]
    return {toggle.name: board_view(toggle, reading, visitor) for toggle in toggles if toggle.name in wanted}


def board_view(toggle: Drawing, reading: RulesetReading, visitor: Visitor) -> View:
    """What a setting draws, to be painted on: the picture, its squares, and the pieces that there are."""
    family = reading.family.name
    try:
        drawn = drawings.shown(family, toggle, reading.settings)
    except Misdrawn as error:
        return {"problem": visitor.translate(text_of(error))}
    symbols = drawings.symbols(family)
    return {
        "picture": _picture(toggle, drawn),
        "size": (len(drawn.board.cells), len(drawn.board.cells[0]), CELL, EDGE),
        "cells": [
            {"y": y, "x": x, "name": name, "sign": drawn.signs.get((y, x), "")} for (y, x), name in drawn.names.items()
        ],
        "palette": [{"sign": sign, "symbol": symbols[sign]} for sign in toggle.pieces],
        "actions": [
            {"name": name, "text": visitor.translate(text)}
            for name, text in ACTIONS.items()
            if name in FOR_PIECES or not toggle.pieces
        ],
        "count": visitor.translate(_told(toggle, reading)),
    }


def _told(toggle: Drawing, reading: RulesetReading) -> str:
    """What is drawn, or what a drawing would take the place of."""
    now = reading.settings[toggle.name]
    if toggle.is_drawn(now):
        return setting_words(reading.family.name, toggle, reading.settings)
    return tr(
        "Nothing of your own is drawn: it is “{value}”, until you draw.",
        value=toggle.label(now) or strip_period(toggle.sentence(now)),
    )


def picture(toggle: Toggle, family: str, settings: Mapping[str, Setting]) -> str:
    """The picture of what the rules draw; "" where nothing is drawn, or nothing can be shown."""
    if not (isinstance(toggle, Drawing) and toggle.pictured and toggle.is_drawn(settings[toggle.name])):
        return ""
    try:
        return _picture(toggle, drawings.shown(family, toggle, settings))
    except Misdrawn:
        return ""


def _picture(toggle: Drawing, drawn: drawings.Shown) -> str:
    pieces = Pieces(f"drawn-{toggle.name}")
    marked = frozenset(cell for cell, sign in drawn.signs.items() if sign == MARKED)
    board = board_svg(drawn.board, pieces, {} if toggle.pieces else {"open": marked})
    return str(pieces.definitions() + board)  # what is defined is what the board uses


def repainted(toggle: Drawing, reading: RulesetReading, stroke: Mapping[str, Any]) -> Setting:
    """The setting after a stroke: ``cells`` that get a ``sign``, or an ``action`` on all of them.

    It is a named value where one says the same.

    Raises:
        Misdrawn: the setting says nothing that could be shown.
    """
    family = reading.family.name
    drawn = drawings.shown(family, toggle, reading.settings)
    signs = dict(drawn.signs)
    height, width = len(drawn.board.cells), len(drawn.board.cells[0])
    match stroke:
        case {"action": "none"}:
            signs = {}
        case {"action": "all" | "invert" as action} if not toggle.pieces:
            signs = {cell: MARKED for cell in drawn.names if action == "all" or cell not in signs}
        case {"action": "across" | "down" as action}:
            for y, x in drawn.names:
                of = (y, min(x, width - 1 - x)) if action == "across" else (min(y, height - 1 - y), x)
                signs.pop((y, x), None)
                if sign := drawn.signs.get(of):
                    signs[y, x] = sign
        case {"cells": [*cells], "sign": str(sign)} if sign in {"", *(toggle.pieces or MARKED)}:
            for y, x in ((int(y), int(x)) for y, x in cells):
                signs.pop((y, x), None)
                if sign and (y, x) in drawn.names:
                    signs[y, x] = sign
    text = drawings.drawn_text(family, toggle, reading.settings, signs)
    try:
        named = toggle.named(drawings.read(family, toggle, text, reading.settings))
    except Misdrawn:  # as it is half way through painting
        named = None
    return text if named is None else named
