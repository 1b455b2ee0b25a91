"""What each proposal changes in the baseline, and a position in which each change shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from workbench import games
from workbench.files.yamlfile import InputError
from workbench.games.declaration import Setting, Toggle, same, text
from workbench.games.game_state import RESULTS, GameState, IllegalMove
from workbench.questions import witnesses
from workbench.questions.witnesses import Witness
from workbench.report.boards import Pieces, svg
from workbench.report.words import Words, either, joined

SHOWN_MOVES = 5
"""Moves that a caption lists."""
GOES_ON = Words("the game goes on", "対局は続く")
OUTCOMES = {
    "first": Words("the first player wins", "先手の勝ち"),
    "second": Words("the second player wins", "後手の勝ち"),
    "draw": Words("a draw", "引き分け"),
}
Cells = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Position:
    """A witness as a picture."""

    sentence: Words
    about: str
    """The setting that the sentence speaks of."""
    picture: Markup
    plays: str
    """The moves that led here from the start; empty for a position that was set up."""
    opened: Words | None
    """The moves that only the proposal allows."""
    shut: Words | None
    """The moves that only the baseline allows."""
    outcome: Words | None
    """How the game stands under the baseline and under the proposal, where that differs."""
    marked: bool
    """Whether the picture has marks for them."""


@dataclass(frozen=True)
class Change:
    """A toggle that at least one proposal sets otherwise than the baseline."""

    number: int
    """From 1, in the order of the family's declaration."""
    toggle: str
    title: Words
    was: tuple[str, Words]
    """The baseline's setting and its sentence."""
    now: tuple[str, Words]
    proposals: tuple[str, ...]
    position: Position | None


def changes(variants: Sequence[Mapping[str, Any]], baseline: str, pieces: Pieces) -> list[Change]:
    """The distinct changes of all proposals, in the order of the families' toggles.

    ``variants`` are the rulesets as provenance holds them. A proposal of another game than the baseline's changes more
    than toggles, and is left out.
    """
    of_name = {str(variant["name"]): variant for variant in variants}
    base = of_name.get(baseline)
    if base is None or base.get("game") not in games.names():
        return []
    declaration = games.declaration(str(base["game"]))
    found: list[Change] = []
    for toggle in declaration.toggles:
        was = base["settings"].get(toggle.name, toggle.default)
        users: dict[Setting, list[str]] = {}
        for name, variant in of_name.items():
            now = variant.get("settings", {}).get(toggle.name, toggle.default)
            if variant.get("game") == base["game"] and not same(was, now):
                users.setdefault(now, []).append(name)
        for now, names in users.items():
            position = _position(declaration.name, toggle, was, now, pieces, f"position-{len(found) + 1}")
            found.append(
                Change(
                    len(found) + 1,
                    toggle.name,
                    either(toggle.title, toggle.title_ja),
                    (text(was), _sentence(toggle, was)),
                    (text(now), _sentence(toggle, now)),
                    tuple(names),
                    position,
                )
            )
    return found


def _sentence(toggle: Toggle, setting: Setting) -> Words:
    return Words(toggle.sentence(setting), toggle.sentence(setting, "ja"))


def _position(family: str, toggle: Toggle, was: Setting, now: Setting, pieces: Pieces, label: str) -> Position | None:
    witness = witnesses.between(family, toggle.name, was, now)
    if witness is None:
        return None
    before, after = (_reached(witness, family, setting) for setting in (was, now))
    shown = after if after is not None else before
    if shown is None:
        return None
    opened: list[str] = []
    shut: list[str] = []
    marks: dict[str, Cells] = {}
    outcome = None
    # On boards of different sizes a move's name means different cells.
    if before is not None and after is not None and _frame(before) == _frame(after):
        here, there = before.legal_texts(), after.legal_texts()
        opened = [move for move in there if move not in here]
        shut = [move for move in here if move not in there]
        same_board = before.board().cells == after.board().cells
        touched = _touched(after, opened), _touched(before, shut) if same_board else frozenset()
        marks = {"open": touched[0] - touched[1], "shut": touched[1] - touched[0]}
        if _standing(before) != _standing(after):
            outcome = Words("Baseline: {was}; proposal: {now}.", "基準では{was}、案では{now}。").format(
                was=_standing(before), now=_standing(after)
            )
            opened, shut, marks = [], [], {}
    return Position(
        either(witness.sentence, witness.sentence_ja),
        text(witness.value),
        svg(shown.board(), pieces, marks, label),
        " ".join(witness.moves) if witness.setup is None else "",
        _listed(opened),
        _listed(shut),
        outcome,
        any(marks.values()),
    )


def _reached(witness: Witness, family: str, setting: Setting) -> GameState | None:
    """The witness's position under a setting; None if the rules then refuse it, or a move on the way."""
    try:
        return witness.game_state(family, setting)
    except (IllegalMove, InputError):
        return None


def _frame(game_state: GameState) -> tuple[tuple[str, ...], tuple[str, ...]]:
    board = game_state.board()
    return board.columns, board.rows


def _standing(game_state: GameState) -> Words:
    result, termination = game_state.outcome()
    if termination is None:
        return GOES_ON
    return Words("{result} ({termination})", "{result}（{termination}）").format(
        result=OUTCOMES[RESULTS[result]], termination=termination
    )


def _touched(game_state: GameState, moves: Sequence[str]) -> Cells:
    """The cells on which the moves put something."""
    found: set[tuple[int, int]] = set()
    before = game_state.board()
    wanted = set(moves)
    for move in game_state.legal():
        if game_state.format(move) in wanted:
            game_state.push(move)
            after = game_state.board()
            found |= {(y, x) for y, x in before.changes(after) if after.cells[y][x]}
            game_state.undo()
    return frozenset(found)


def _listed(moves: Sequence[str]) -> Words | None:
    if not moves:
        return None
    some = joined(list(moves[:SHOWN_MOVES]))
    if len(moves) <= SHOWN_MOVES:
        return some
    return Words("{some} … ({count} moves)", "{some}…（{count}手）").format(
        some=", ".join(moves[:SHOWN_MOVES]), count=len(moves)
    )
