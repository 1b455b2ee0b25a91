"""Positions in which two settings of a toggle differ, with the moves that only one of them allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench import games
from workbench.base.errors import InputError
from workbench.base.language import bilingual, join_list, tr
from workbench.games import drawings, results
from workbench.games.declaration import Setting, Toggle, equal_settings, setting_text
from workbench.games.drawings import DrawingError
from workbench.games.wording import is_picture, setting_words
from workbench.positions.game_state import GameState, IllegalMove
from workbench.report.model import Position, Squares
from workbench.rules import rulebook
from workbench.rules.rulebook import Witness
from workbench.rules.rulesets import Ruleset

SHOWN_MOVES = 5
"""The most moves in a caption."""
CONTINUES = tr("the game continues")


def change_position(family: str, toggle: Toggle, old: Setting, settings: Mapping[str, Setting]) -> Position | None:
    """Return a position that shows a changed setting: the setting's drawing or its witness."""
    new = settings[toggle.name]
    if not is_picture(toggle, new):
        return witness_position(family, toggle, old, new)
    try:
        drawing = drawings.shown(family, toggle, settings)
    except DrawingError:
        return None
    marks: dict[str, Squares] = {} if toggle.pieces else {"open": frozenset(drawing.signs)}
    words = setting_words(family, toggle, settings)
    return Position(toggle.drawn, words, drawing.board, marks, "", None, None, None)


def rule_position(ruleset: Ruleset, name: str, old: Setting) -> Position | None:
    """Return the witness of a changed setting if it is true under all of a ruleset's settings, else None."""
    family, new = games.declaration(ruleset.game), ruleset.settings[name]
    witness = rulebook.witness_between(ruleset.game, name, old, new)
    if witness is None or not equal_settings(witness.value, new) or not witness.holds_under(ruleset):
        return None
    position = witness_position(ruleset.game, family.toggle(name), old, new)
    start = GameState(ruleset.game, ruleset.codes()).board()
    # A start without a mark shows nothing of the rule.
    shows = position and (any(position.highlights.values()) or position.board.cells != start.cells)
    return position if shows else None


def witness_position(family: str, toggle: Toggle, old: Setting, new: Setting) -> Position | None:
    """Return the witness of ``new``, or else of ``old``, and compare its moves; None if neither has one."""
    witness = rulebook.witness_between(family, toggle.name, old, new)
    if witness is None:
        return None
    before, after = (_witness_state(witness, family, setting) for setting in (old, new))
    shown = after if after is not None else before
    if shown is None:
        return None
    opened: list[str] = []
    shut: list[str] = []
    highlights: dict[str, Squares] = {}
    outcome = None
    # On boards of different sizes the same move text denotes different cells.
    if before is not None and after is not None and _frame(before) == _frame(after):
        before_moves, after_moves = before.legal_texts(), after.legal_texts()
        opened = [move for move in after_moves if move not in before_moves]
        shut = [move for move in before_moves if move not in after_moves]
        same_board = before.board().cells == after.board().cells
        changed = _changed_squares(after, opened), _changed_squares(before, shut) if same_board else frozenset()
        highlights = {"open": changed[0] - changed[1], "shut": changed[1] - changed[0]}
        if _outcome_text(before) != _outcome_text(after):
            outcome = tr("Baseline: {was}; proposal: {now}.", was=_outcome_text(before), now=_outcome_text(after))
            opened, shut, highlights = [], [], {}
    return Position(
        bilingual(en=witness.sentence, ja=witness.sentence_ja), setting_text(witness.value), shown.board(), highlights,
        " ".join(witness.moves) if witness.setup is None else "", _move_list(opened), _move_list(shut), outcome,
    )  # fmt: skip


def _witness_state(witness: Witness, family: str, setting: Setting) -> GameState | None:
    """Return the witness's position under a setting, or None if it is illegal or cannot be reached."""
    try:
        return witness.game_state(family, setting)
    except (IllegalMove, InputError):
        return None


def _frame(game_state: GameState) -> tuple[tuple[str, ...], tuple[str, ...]]:
    board = game_state.board()
    return board.columns, board.rows


def _outcome_text(game_state: GameState) -> str:
    result, termination = game_state.outcome()
    if termination is None:
        return CONTINUES
    return tr("{result} ({termination})").format(
        result=results.RESULT_WORDS[results.RESULTS[result]],
        termination=results.ending_text(game_state.declaration, termination),
    )


def _changed_squares(game_state: GameState, moves: Sequence[str]) -> Squares:
    """Return the cells on which the moves place a piece."""
    squares: set[tuple[int, int]] = set()
    before = game_state.board()
    move_texts = set(moves)
    for move in game_state.legal():
        if game_state.format(move) in move_texts:
            game_state.push(move)
            after = game_state.board()
            squares |= {(y, x) for y, x in before.changes(after) if after.cells[y][x]}
            game_state.undo()
    return frozenset(squares)


def _move_list(moves: Sequence[str]) -> str | None:
    if not moves:
        return None
    return join_list(list(moves)) if len(moves) <= SHOWN_MOVES else tr("{count} moves", count=len(moves))
