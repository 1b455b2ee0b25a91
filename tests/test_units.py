"""What the kernels say of the units on the board and in hand, by the board that is shown, and of captures."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import chess
import numpy as np
import pytest

from workbench.engine import contract
from workbench.games import declaration, notation
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

KERNEL = ("chatra/C", "chess/orthodox", "draughts/turkish", "rengo/go9")
NAMES = [pytest.param(name, marks=[pytest.mark.kernel] * (name in KERNEL)) for name in rulesets.ruleset_names()]
NEUTRAL = {"star": ("★", "*")}


def units_of(rules: Any, state: Any) -> list[tuple[int, int, int, int]]:
    words = np.zeros(contract.MOST_UNITS, np.int64)
    n = contract.units(rules, state, words)
    return [
        (int(contract.unit_kind(word)), int(contract.unit_owner(word)), int(contract.unit_cell(word)),
         int(contract.unit_count(word)))
        for word in words[:n]
    ]  # fmt: skip


def positions(name: str, plies: int = 60) -> Iterator[GameState]:
    chance = random.Random(name)
    game = GameState(name.partition("/")[0], rulesets.load_ruleset(name).codes())
    for ply in range(plies):
        if ply % 4 == 0:
            yield game
        if game.outcome()[0] != contract.ONGOING:
            return
        game.push(chance.choice(game.legal()))


@pytest.mark.parametrize("name", NAMES)
def test_units_are_those_that_the_board_shows(name: str) -> None:
    family = name.partition("/")[0]
    meaning: dict[tuple[str, int], tuple[int, int]] = {}
    for game in positions(name):
        board = notation(family).board(game.rules, game.state)
        rows = board.pieces()
        if family == "draughts" and notation(family).black_first(game.rules):
            # Shown with White below, while the first seat is Black.
            rows = tuple(row[::-1] for row in rows[::-1])
        if family == "draughts" and notation(family).mirrored(game.rules):
            rows = tuple(row[::-1] for row in rows)
        cells = {(y << 5 | x): piece for y, row in enumerate(rows) for x, piece in enumerate(row) if piece[0]}
        shown = {cell: piece for cell, piece in cells.items() if piece[0] not in NEUTRAL.get(family, ())}
        found = units_of(game.rules, game.state)
        on_board = {cell: (kind, owner) for kind, owner, cell, _ in found if cell != contract.HAND}
        assert on_board.keys() == shown.keys(), board
        assert len(on_board) == sum(cell != contract.HAND for _, _, cell, _ in found)
        for cell, unit in on_board.items():
            assert meaning.setdefault(shown[cell], unit) == unit
        assert all(kind < len(declaration(family).units) for kind, _, _, _ in found)
        assert contract.board_size(game.rules) == max(len(board.cells), len(board.cells[0]))
    assert len(set(meaning.values())) == len(meaning)


@pytest.mark.parametrize(("name", "hand"), [("star/default", 3), ("chatra/limited-15", 15)])
def test_units_in_hand_are_counted(name: str, hand: int) -> None:
    game = GameState(name.partition("/")[0], rulesets.load_ruleset(name).codes())
    held = [(owner, count) for _, owner, cell, count in units_of(game.rules, game.state) if cell == contract.HAND]
    assert sorted(held) == [(0, hand), (1, hand)]


WORTH = np.array([1.0, 3.25, 3.25, 5.0, 9.75, 100.0])


def coordinates(move: int) -> str:
    promotion = (move >> 15) & 7
    return chess.Move(move & 63, (move >> 6) & 63, promotion + 1 if promotion else None).uci()


def exchange(board: chess.Board, move: chess.Move) -> float:
    """The same, move by move: after the capture either side may recapture with its least valuable piece, or stop."""

    def worth_of(kind: chess.PieceType) -> float:
        return float(WORTH[kind - 1])

    def recapture(board: chess.Board, colour: chess.Color) -> float:
        """What the colour wins on the square if it likes to."""
        takers = sorted(board.attackers(colour, move.to_square), key=lambda s: (board.piece_type_at(s), s))
        if not takers:
            return 0.0
        taker = takers[0]
        kind = board.piece_type_at(taker)
        if kind == chess.KING and board.attackers(not colour, move.to_square):
            return 0.0
        after = board.copy(stack=False)
        victim = after.remove_piece_at(move.to_square)
        piece = after.remove_piece_at(taker)
        assert victim is not None and piece is not None
        after.set_piece_at(move.to_square, piece)
        return max(0.0, worth_of(victim.piece_type) - recapture(after, not colour))

    after = board.copy(stack=False)
    victim = board.piece_type_at(move.to_square)
    won = worth_of(chess.PAWN) if board.is_en_passant(move) else worth_of(victim) if victim else 0.0
    if move.promotion:
        won += worth_of(move.promotion) - worth_of(chess.PAWN)
    colour = board.turn
    if board.is_en_passant(move):
        # The pawn that falls stays in the way of sliders, which the quick look does not notice.
        piece = after.remove_piece_at(move.from_square)
        after.set_piece_at(move.to_square, piece)
    else:
        piece = after.remove_piece_at(move.from_square)
        assert piece is not None
        after.set_piece_at(move.to_square, chess.Piece(move.promotion or piece.piece_type, colour))
    return won - recapture(after, not colour)


@pytest.mark.family("chess")
def test_exchanges_as_played_move_by_move() -> None:
    chance = random.Random(5)
    seen = 0
    for _ in range(12):
        game = GameState("chess", rulesets.load_ruleset("chess/orthodox").codes())
        board = chess.Board()
        for _ in range(80):
            legal = game.legal()
            if game.outcome()[0] != contract.ONGOING or not legal:
                break
            for code in legal:
                move = chess.Move.from_uci(coordinates(code))
                if board.is_capture(move) or move.promotion:
                    won = float(contract.gain(game.rules, game.state, code, WORTH, game.state.copy()))
                    assert won == pytest.approx(exchange(board, move), abs=0.051), (board.fen(), move)
                    seen += 1
            code = chance.choice(legal)
            game.push(code)
            board.push(chess.Move.from_uci(coordinates(code)))
    assert seen > 300


@pytest.mark.family("chess")
def test_who_moves_an_enemy_piece_wins_what_it_loses() -> None:
    """007 chess: Black chooses White's first ply of his own run; a capture by White's piece costs him his."""
    worth = np.array([1.0, 3.0, 3.0, 5.0, 9.0, 0.0])
    tested = 0
    for game in positions("chess/007", 200):
        rules = game.rules
        seat, colour = contract.seat(rules, game.state), int(game.state[9])
        before = balance(units_of(rules, game.state), worth)
        for move in game.legal():
            after = game.state.copy()
            contract.play(rules, after, move)
            change = balance(units_of(rules, after), worth) - before
            expected = change if seat == 0 else -change
            assert contract.gain(rules, game.state, move, worth, after.copy()) == pytest.approx(expected)
            tested += seat != colour and change != 0
    assert tested > 0


def balance(units: list[tuple[int, int, int, int]], worth: Any) -> float:
    return float(sum((1 - 2 * owner) * worth[kind] * count for kind, owner, _, count in units))


@pytest.mark.parametrize(
    "name", ["draughts/english", "draughts/turkish", "chatra/2008-02", "rengo/go9", "star/default"]
)
def test_gain_of_other_families_is_what_the_move_does_to_the_units(name: str) -> None:
    kinds = len(declaration(name.partition("/")[0]).units)
    worth = np.array([1.0 + 0.25 * kind for kind in range(kinds)])
    changed = 0
    for game in positions(name, 90):
        rules = game.rules
        before = balance(units_of(rules, game.state), worth)
        sign = 1 - 2 * contract.seat(rules, game.state)
        for move in game.legal()[:20]:
            after = game.state.copy()
            contract.play(rules, after, move)
            expected = sign * (balance(units_of(rules, after), worth) - before)
            assert contract.gain(rules, game.state, move, worth, after.copy()) == pytest.approx(expected)
            changed += expected != 0
    assert changed > 0 or name == "star/default"
