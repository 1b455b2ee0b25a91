"""The rule changes of each proposal, and a position in which each one shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench import games
from workbench.files.yamlfile import InputError
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.games.game_state import GameState, IllegalMove
from workbench.games.results import RESULTS
from workbench.questions import witnesses
from workbench.questions.witnesses import Witness
from workbench.report.model import Part, Position, RuleChange, RuleChanges, Section, Squares, Table, TableCell
from workbench.report.names import Names
from workbench.report.text import Text, bilingual, joined

SHOWN_MOVES = 5
"""Moves that a caption lists."""
GOES_ON = Text("the game goes on", "対局は続く")
OUTCOMES = {
    "first": Text("the first player wins", "先手の勝ち"),
    "second": Text("the second player wins", "後手の勝ち"),
    "draw": Text("a draw", "引き分け"),
}


def distinct_changes(variants: Sequence[Mapping[str, Any]], baseline: str) -> list[RuleChange]:
    """The distinct changes of all proposals, in the order of the families' toggles.

    ``variants`` are the rulesets as provenance holds them. A proposal of another game than the baseline's changes more
    than toggles, and is left out.
    """
    of_name = {str(variant["name"]): variant for variant in variants}
    base = of_name.get(baseline)
    if base is None or base.get("game") not in games.names():
        return []
    declaration = games.declaration(str(base["game"]))
    changes: list[RuleChange] = []
    for toggle in declaration.toggles:
        was = base["settings"].get(toggle.name, toggle.default)
        users: dict[Setting, list[str]] = {}
        for name, variant in of_name.items():
            now = variant.get("settings", {}).get(toggle.name, toggle.default)
            if variant.get("game") == base["game"] and not equal_settings(was, now):
                users.setdefault(now, []).append(name)
        for now, names in users.items():
            position = _position(declaration.name, toggle, was, now)
            changes.append(
                RuleChange(
                    len(changes) + 1,
                    toggle.name,
                    bilingual(toggle.title, toggle.title_ja),
                    (setting_text(was), _sentence(toggle, was)),
                    (setting_text(now), _sentence(toggle, now)),
                    tuple(names),
                    position,
                )
            )
    return changes


def _sentence(toggle: Toggle, setting: Setting) -> Text:
    return Text(toggle.sentence(setting), toggle.sentence(setting, "ja"))


def _position(family: str, toggle: Toggle, was: Setting, now: Setting) -> Position | None:
    witness = witnesses.between(family, toggle.name, was, now)
    if witness is None:
        return None
    before, after = (_reached(witness, family, setting) for setting in (was, now))
    shown = after if after is not None else before
    if shown is None:
        return None
    opened: list[str] = []
    shut: list[str] = []
    highlights: dict[str, Squares] = {}
    outcome = None
    # On boards of different sizes a move's name means different cells.
    if before is not None and after is not None and _frame(before) == _frame(after):
        here, there = before.legal_texts(), after.legal_texts()
        opened = [move for move in there if move not in here]
        shut = [move for move in here if move not in there]
        same_board = before.board().cells == after.board().cells
        touched = _touched(after, opened), _touched(before, shut) if same_board else frozenset()
        highlights = {"open": touched[0] - touched[1], "shut": touched[1] - touched[0]}
        if _standing(before) != _standing(after):
            outcome = Text("Baseline: {was}; proposal: {now}.", "基準では{was}、案では{now}。").format(
                was=_standing(before), now=_standing(after)
            )
            opened, shut, highlights = [], [], {}
    return Position(
        bilingual(witness.sentence, witness.sentence_ja),
        setting_text(witness.value),
        shown.board(),
        highlights,
        " ".join(witness.moves) if witness.setup is None else "",
        _listed(opened),
        _listed(shut),
        outcome,
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


def _standing(game_state: GameState) -> Text:
    result, termination = game_state.outcome()
    if termination is None:
        return GOES_ON
    return Text("{result} ({termination})", "{result}（{termination}）").format(
        result=OUTCOMES[RESULTS[result]], termination=termination
    )


def _touched(game_state: GameState, moves: Sequence[str]) -> Squares:
    """The cells on which the moves put something."""
    squares: set[tuple[int, int]] = set()
    before = game_state.board()
    chosen = set(moves)
    for move in game_state.legal():
        if game_state.format(move) in chosen:
            game_state.push(move)
            after = game_state.board()
            squares |= {(y, x) for y, x in before.changes(after) if after.cells[y][x]}
            game_state.undo()
    return frozenset(squares)


def _listed(moves: Sequence[str]) -> Text | None:
    if not moves:
        return None
    some = joined(list(moves[:SHOWN_MOVES]))
    if len(moves) <= SHOWN_MOVES:
        return some
    return Text("{some} … ({count} moves)", "{some}…（{count}手）").format(
        some=", ".join(moves[:SHOWN_MOVES]), count=len(moves)
    )


def rule_changes(provenance: Mapping[str, Any], names: Names) -> Section | None:
    """What each proposal changes, and each distinct change with a position; nothing without a baseline."""
    changes = distinct_changes(provenance["rulesets"], names.plan.baseline)
    if not changes:
        return None
    rows = []
    for name in names.proposals:
        own = [change for change in changes if name in change.proposals]
        what = [Text(f"{change.number}. {change.title.en}", f"{change.number}. {change.title.ja}") for change in own]
        if names.plan.ruleset(name).game != names.plan.ruleset(names.plan.baseline).game:
            what = [Text("another game", "別のゲーム")]
        rows.append([names.cell(name, titled=True), TableCell(Text("; ", "、").join(what))])
    caption = Text("What each proposal changes in {baseline}.", "各案が{baseline}から変えるところ。")
    heads = [TableCell(Text("proposal", "案")), TableCell(Text("changes", "変更点"))]
    table = Table(caption.format(baseline=names.short(names.plan.baseline)), heads, rows)
    parts: list[Part] = [table, RuleChanges(changes, names.short_names)]
    return Section("changes", Text("What the proposals change", "各案のルール変更"), parts)
