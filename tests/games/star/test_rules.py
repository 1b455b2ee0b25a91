"""Star's rules, example by example, asked of every engine that plays it.

The boards are those that the rule text prints: rows from the top, ○ First, ● Second, ★ the star, □ an empty cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.engines import ONGOING, Engine, Kernel, Settings, Twin, engines
from tests.games.star import twin
from workbench.games.declaration import Setting
from workbench.games.star.rules import DECLARATION

Setup = Mapping[str, Any]

READINGS = ("no-undo", "shape", "own-pieces", "off")


def rules(**changes: Setting) -> dict[str, Setting]:
    return DECLARATION.defaults() | changes


def setup(board: str, to_move: str = "first", before: Sequence[str] = ()) -> dict[str, Any]:
    return {"board": board, "to_move": to_move, "before": list(before)}


engine = engines("star")


def board_of(engine: Engine, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
    if isinstance(engine, Twin):
        return twin.drawn(engine.played(settings, moves, setup)[-1])
    assert isinstance(engine, Kernel)
    rows = engine.played(settings, moves, setup).board().cells
    return "/".join("".join(symbol or "□" for symbol in row) for row in rows)


@pytest.mark.parametrize(
    ("before", "move", "after"),
    [
        ("★□□/□□□/□□□", "b2", "★□□/□○□/□□□"),
        ("★□□/□○●/□□□", "b2-b1", "★○□/□□●/□□□"),
        ("★○□/●□●/□□□", "*c1", "□○★/●□●/□□□"),
    ],
)
def test_actions(engine: Engine, before: str, move: str, after: str) -> None:
    begin = setup(before)
    assert move in engine.legal(rules(), setup=begin)
    assert board_of(engine, rules(), [move], begin) == after
    assert engine.outcome(rules(), [move], begin) == ONGOING


def test_won_positions(engine: Engine) -> None:
    for to_move in ("first", "second"):
        assert engine.outcome(rules(), setup=setup("□○★/●□○/●●○", to_move)) == ("first", "surrounded")
        assert engine.outcome(rules(), setup=setup("●○□/●○□/★●○", to_move)) == ("second", "surrounded")


FOUL_BY_FIRST = ("□○★/●○●/○□●", "□○★/●○●/□○●", "●○★/□○●/□○●")
FOUL_BY_SECOND = ("□●★/○●○/●○□", "★●□/○●○/●○□", "★●□/○●□/●○○")


@pytest.mark.parametrize(
    ("boards", "player", "moves", "foul", "others"),
    [
        (FOUL_BY_FIRST, "first", ["a3-b3", "a2-a1"], "b3-a3", {"b2-a2"}),
        (FOUL_BY_SECOND, "second", ["*a1", "c2-c3"], "*c1", {"b1-c1", "b2-c2"}),
    ],
)
@pytest.mark.parametrize("reading", READINGS)
def test_printed_fouls_are_fouls_under_every_reading(
    engine: Engine, boards: Sequence[str], player: str, moves: list[str], foul: str, others: set[str], reading: str
) -> None:
    *earlier, last = boards
    settings, begin = rules(foul=reading), setup(boards[0], player)
    assert [board_of(engine, settings, moves[:ply], begin) for ply in range(3)] == list(boards)
    expected = others if reading != "off" else others | {foul}
    assert engine.legal(settings, moves, begin) == expected
    assert engine.legal(settings, setup=setup(last, player, earlier)) == expected


def test_printed_foul_is_none_without_the_boards_before_it(engine: Engine) -> None:
    first, second, third = FOUL_BY_FIRST
    assert "b3-a3" in engine.legal(rules(), setup=setup(third))
    # The board before the last belongs to the other player's previous turn.
    assert "b3-a3" in engine.legal(rules(), setup=setup(third, before=[second]))
    # Boards further back are forgotten.
    assert "b3-a3" in engine.legal(rules(), setup=setup(third, before=[first, second, third, second]))


def test_second_cannot_hold_the_position_of_the_remark(engine: Engine) -> None:
    begin = setup("★○□/●□○/●●○", "second")
    replies = engine.legal(rules(), setup=begin)
    assert replies == {"a2-b2", "b3-b2"}
    for reply in replies:
        assert engine.outcome(rules(), [reply, "*c1"], begin) == ("first", "surrounded")


def test_second_runs_out_of_actions_in_the_second_remark(engine: Engine) -> None:
    begin, moves = setup("★□○/●○○/●□●", "second"), ["c3-b3", "c1-b1"]
    assert [board_of(engine, rules(), moves[:ply], begin) for ply in (1, 2)] == ["★□○/●○○/●●□", "★○□/●○○/●●□"]
    for reading in READINGS:
        left = {"b3-c3"} if reading == "off" else set()
        assert engine.legal(rules(foul=reading), moves, begin) == left
        assert engine.outcome(rules(foul=reading), moves, begin) == (ONGOING if left else ("first", "stuck"))


def test_second_could_have_won_in_the_second_remark(engine: Engine) -> None:
    begin = setup("★□○/●○○/●□●", "second")
    for reply in engine.legal(rules(), ["a3-b3"], begin):
        assert engine.outcome(rules(), ["a3-b3", reply, "*a3"], begin) == ("second", "surrounded")


SAMPLE = (
    ("b1", "★○□/□□□/□□□"), ("a2", "★○□/●□□/□□□"), ("c2", "★○□/●□○/□□□"), ("c1", "★○●/●□○/□□□"), ("b3", "★○●/●□○/□○□"),
    ("b2", "★○●/●●○/□○□"), ("c2-c3", "★○●/●●□/□○○"), ("*a3", "□○●/●●□/★○○"), ("b1-a1", "○□●/●●□/★○○"),
    ("c1-c2", "○□□/●●●/★○○"),
)  # fmt: skip
SAMPLE_MOVES = [move for move, _ in SAMPLE]


def test_sample_game(engine: Engine) -> None:
    assert board_of(engine, rules()) == "★□□/□□□/□□□"
    for ply, (_, board) in enumerate(SAMPLE, start=1):
        assert board_of(engine, rules(), SAMPLE_MOVES[:ply]) == board
        if ply < len(SAMPLE):
            assert engine.outcome(rules(), SAMPLE_MOVES[:ply]) == ONGOING
    assert engine.legal(rules(), SAMPLE_MOVES) == set()
    assert engine.outcome(rules(), SAMPLE_MOVES) == ("second", "stuck")


@pytest.mark.parametrize(
    ("reading", "eighth", "last"),
    [
        ("no-undo", {"b1-a1"}, set()),
        # The star has jumped since First moved c2-c3: the literal reading does not give the sample's only action.
        ("shape", {"b1-a1", "c3-c2"}, set()),
        ("own-pieces", {"b1-a1"}, set()),
        ("off", {"b1-a1", "c3-c2"}, {"a1-b1"}),
    ],
)
def test_sample_game_under_every_reading(engine: Engine, reading: str, eighth: set[str], last: set[str]) -> None:
    settings = rules(foul=reading)
    assert engine.legal(settings, SAMPLE_MOVES[:8]) == eighth
    assert engine.legal(settings, SAMPLE_MOVES) == last


def test_second_action_of_the_sample_game_is_forced(engine: Engine) -> None:
    replies = engine.legal(rules(), ["b1"])
    assert replies == {"c1", "a2", "b2", "c2", "a3", "b3", "c3"}
    for reply in replies - {"a2"}:
        assert engine.outcome(rules(), ["b1", reply, "a2"]) == ("first", "surrounded")


def test_a_position_is_the_same_if_the_foul_rule_remembers_the_same(engine: Engine) -> None:
    settings, begin = rules(repetition=2), setup("★□□/○□□/□□●", "first")
    moves = ["a2-b2", "c3-c2", "b2-b3", "c2-b2", "b3-a3", "b2-b3", "a3-a2", "b3-c3", "a2-b2"]
    # At first there was no earlier turn of Second's; now Second may not go back to b3.
    assert board_of(engine, settings, moves, begin) == board_of(engine, settings, moves[:1], begin)
    assert engine.outcome(settings, moves, begin) == ONGOING
    assert engine.outcome(settings, [*moves, "c3-c2"], begin) == ("draw", "repetition")
