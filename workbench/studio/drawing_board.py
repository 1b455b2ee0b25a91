"""What a ruleset draws, as a picture and to be painted: its squares, what is on them, and what a stroke changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from workbench.errors import text_of
from workbench.games import drawings
from workbench.games.declaration import Setting, Toggle
from workbench.games.drawings import MARKED, Drawing, Misdrawn
from workbench.games.wording import setting_words
from workbench.language import without_stop
from workbench.questions.ruleset_texts import RulesetReading
from workbench.report.render.boards import CELL, EDGE, Pieces, board_svg
from workbench.studio.visitor import Visitor
from workbench.studio.words import WORDS

View = dict[str, Any]
ACTIONS = {
    "all": "paint_all",
    "none": "paint_none",
    "invert": "paint_invert",
    "across": "paint_across",
    "down": "paint_down",
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
            {"name": name, "text": visitor.translate(WORDS[key])}
            for name, key in ACTIONS.items()
            if name in FOR_PIECES or not toggle.pieces
        ],
        "count": visitor.translate(_told(toggle, reading)),
    }


def _told(toggle: Drawing, reading: RulesetReading) -> str:
    """What is drawn, or what a drawing would take the place of."""
    now = reading.settings[toggle.name]
    if toggle.is_drawn(now):
        return setting_words(reading.family.name, toggle, reading.settings)
    return WORDS["not_drawn_yet"].format(value=toggle.label(now) or without_stop(toggle.sentence(now)))


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
