"""Star's rules, example by example, asked of every engine that plays it.

The boards are those that the rule text prints: rows from the top, ○ First, ● Second, ★ the star, □ an empty cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol

import pytest

from tests.engines import ONGOING, Outcome, Settings, in_turn, outcome_of
from tests.naive import star as twin
from tests.test_witnesses import holds
from workbench.games.declaration import Setting
from workbench.games.game_state import GameState
from workbench.games.star.rules import DECLARATION
from workbench.questions import witnesses
from workbench.questions.witnesses import Witness

Setup = Mapping[str, Any]

READINGS = ("no-undo", "shape", "own-pieces", "off")


def rules(**changes: Setting) -> dict[str, Setting]:
    """Every toggle: the defaults, then the changes."""
    return DECLARATION.defaults() | changes


def setup(board: str, to_move: str = "first", before: Sequence[str] = ()) -> dict[str, Any]:
    """A position, and the boards that led to it."""
    return {"board": board, "to_move": to_move, "before": list(before)}


class Engine(Protocol):
    """What a test may ask of an engine after some moves from the start, or from a set-up position.

    Settings name every toggle. An illegal move, or one after the end, raises ValueError.
    """

    def legal(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> set[str]:
        """The legal moves."""

    def outcome(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> Outcome:
        """Result and termination."""

    def board(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
        """The board as the rule text prints it."""


class Twin:
    """The slow twin behind the interface of the tests."""

    def positions(self, settings: Settings, moves: Sequence[str], setup: Setup | None) -> list[twin.Position]:
        begin = twin.from_setup(settings, setup) if setup else None
        return list(twin.positions(settings, moves, begin))

    def position(self, settings: Settings, moves: Sequence[str], setup: Setup | None) -> twin.Position:
        return self.positions(settings, moves, setup)[-1]

    def legal(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> set[str]:
        return twin.legal_moves(settings, self.position(settings, moves, setup))

    def outcome(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> Outcome:
        *before, now = self.positions(settings, moves, setup)
        return twin.outcome(settings, now, [twin.repetition_key(settings, position) for position in before])

    def board(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
        return twin.drawn(self.position(settings, moves, setup))


class Kernel:
    """The compiled kernel behind the interface of the tests."""

    def game_state(self, settings: Settings, moves: Sequence[str], setup: Setup | None) -> GameState:
        codes = DECLARATION.codes(settings)
        game_state = GameState("star", codes, setup)
        for move in moves:
            game_state.push_text(move)
        return game_state

    def legal(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> set[str]:
        game_state = self.game_state(settings, moves, setup)
        listed = [game_state.format(move) for move in game_state._generate()]
        assert len(listed) == len(set(listed)), "a move is listed twice"
        return set(listed)

    def outcome(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> Outcome:
        return outcome_of(self.game_state(settings, moves, setup))

    def board(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
        rows = self.game_state(settings, moves, setup).board().cells
        return "/".join("".join(symbol or "□" for symbol in row) for row in rows)


engine = in_turn(Twin(), Kernel())


def placements(moves: set[str]) -> set[str]:
    """The cells on which a piece may be placed."""
    return {move for move in moves if "-" not in move and "*" not in move}


def jumps(moves: set[str]) -> set[str]:
    """The cells to which the star may jump."""
    return {move[1:] for move in moves if move.startswith("*")}


def moves_of(cell: str, moves: set[str]) -> set[str]:
    """The cells to which the piece on a cell may move."""
    return {move.split("-")[1] for move in moves if move.startswith(cell + "-")}


# --- The printed examples ---------------------------------------------------------------------------------------------


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
    assert engine.board(rules(), [move], begin) == after
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
    assert [engine.board(settings, moves[:ply], begin) for ply in range(3)] == list(boards)
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
    assert [engine.board(rules(), moves[:ply], begin) for ply in (1, 2)] == ["★□○/●○○/●●□", "★○□/●○○/●●□"]
    for reading in READINGS:
        left = {"b3-c3"} if reading == "off" else set()
        assert engine.legal(rules(foul=reading), moves, begin) == left
        assert engine.outcome(rules(foul=reading), moves, begin) == (ONGOING if left else ("first", "stuck"))


def test_second_could_have_won_in_the_second_remark(engine: Engine) -> None:
    begin = setup("★□○/●○○/●□●", "second")
    for reply in engine.legal(rules(), ["a3-b3"], begin):
        assert engine.outcome(rules(), ["a3-b3", reply, "*a3"], begin) == ("second", "surrounded")


SAMPLE = (
    ("b1", "★○□/□□□/□□□"),
    ("a2", "★○□/●□□/□□□"),
    ("c2", "★○□/●□○/□□□"),
    ("c1", "★○●/●□○/□□□"),
    ("b3", "★○●/●□○/□○□"),
    ("b2", "★○●/●●○/□○□"),
    ("c2-c3", "★○●/●●□/□○○"),
    ("*a3", "□○●/●●□/★○○"),
    ("b1-a1", "○□●/●●□/★○○"),
    ("c1-c2", "○□□/●●●/★○○"),
)
SAMPLE_MOVES = [move for move, _ in SAMPLE]


def test_sample_game(engine: Engine) -> None:
    assert engine.board(rules()) == "★□□/□□□/□□□"
    for ply, (_, board) in enumerate(SAMPLE, start=1):
        assert engine.board(rules(), SAMPLE_MOVES[:ply]) == board
        if ply < len(SAMPLE):
            assert engine.outcome(rules(), SAMPLE_MOVES[:ply]) == ONGOING
    assert engine.legal(rules(), SAMPLE_MOVES) == set()
    assert engine.outcome(rules(), SAMPLE_MOVES) == ("second", "stuck")


def test_first_has_exactly_one_legal_action_in_the_sample_game(engine: Engine) -> None:
    assert engine.legal(rules(), SAMPLE_MOVES[:8]) == {"b1-a1"}
    begin = setup(SAMPLE[7][1], before=[board for _, board in SAMPLE[:7]])
    assert engine.legal(rules(), setup=begin) == {"b1-a1"}


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


# --- Actions ----------------------------------------------------------------------------------------------------------


def test_start_has_placements_only(engine: Engine) -> None:
    assert engine.legal(rules()) == {"b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"}


def test_all_kinds_of_action_together(engine: Engine) -> None:
    # ○ a2 and b3, one piece in hand; ● is never moved or jumped over by First.
    legal = engine.legal(rules(), setup=setup("★●□/○□●/□○□"))
    assert placements(legal) == {"c1", "b2", "a3", "c3"}
    assert moves_of("a2", legal) == {"b2", "a3"}
    assert moves_of("b3", legal) == {"b2", "a3", "c3"}
    assert jumps(legal) == {"a3"}
    assert len(legal) == 4 + 2 + 3 + 1


def test_no_placement_with_an_empty_hand(engine: Engine) -> None:
    assert placements(engine.legal(rules(), setup=setup("★□□/○○○/□□□"))) == set()
    assert placements(engine.legal(rules(), setup=setup("★□□/○○○/□□□", "second"))) == {"b1", "c1", "a3", "b3", "c3"}


@pytest.mark.parametrize(
    ("board", "first", "second"),
    [
        ("★○□/●□□/□□□", {"c1"}, {"a3"}),
        ("★○●/○□□/□□□", {"a3"}, set()),
        ("★□□/□○□/□□□", set(), set()),
        ("□○★/□□●/□□□", {"a1"}, {"c3"}),
        ("□□□/○□□/★●□", {"a1"}, {"c3"}),
        ("□□○/□□●/●○★", set(), set()),
    ],
)
def test_star_jumps_over_an_adjacent_own_piece_to_an_empty_cell(
    engine: Engine, board: str, first: set[str], second: set[str]
) -> None:
    assert jumps(engine.legal(rules(), setup=setup(board, "first"))) == first
    assert jumps(engine.legal(rules(), setup=setup(board, "second"))) == second


def test_pieces_in_hand(engine: Engine) -> None:
    boards = {2: "★□□/○○□/□□□", 3: "★□□/○○○/□□□", 4: "★□□/○○○/□□○"}
    for pieces in (2, 3, 4):
        for on_board, board in boards.items():
            if on_board <= pieces:
                legal = engine.legal(rules(pieces=pieces), setup=setup(board))
                assert bool(placements(legal)) is (on_board < pieces)


# --- The foul ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reading", READINGS)
def test_star_may_not_jump_straight_back(engine: Engine, reading: str) -> None:
    legal = engine.legal(rules(foul=reading), ["b1", "a2", "*c1", "b2"])
    assert jumps(legal) == ({"a1"} if reading == "off" else set())
    assert {"b1-a1", "c2", "c3"} <= legal


@pytest.mark.parametrize("reading", READINGS)
def test_star_may_jump_on_when_the_opponent_has_moved_it(engine: Engine, reading: str) -> None:
    moves = ["b1", "c2", "b3", "b2", "*c1", "*c3"]
    assert engine.board(rules(), moves) == "□○□/□●●/□○★"
    assert jumps(engine.legal(rules(foul=reading), moves)) == (set() if reading == "own-pieces" else {"a3"})


@pytest.mark.parametrize("reading", READINGS)
def test_jump_after_a_move_and_move_after_a_jump_undo_nothing(engine: Engine, reading: str) -> None:
    settings = rules(foul=reading)
    moves = ["b1", "c2", "b3", "c3", "b3-a3", "b2"]
    assert "*c1" in engine.legal(settings, moves)
    assert "a3-b3" in engine.legal(settings, [*moves, "*c1", "b2-a2"])


@pytest.mark.parametrize("reading", READINGS)
def test_only_the_own_previous_turn_is_remembered(engine: Engine, reading: str) -> None:
    # First's only piece walks round the block c3, c2, b2, b3. Back on c3 it undoes nothing; back to b2 it would.
    moves = ["c3", "a3", "c3-c2", "c1", "c2-b2", "a2", "b2-b3", "c1-c2"]
    legal = engine.legal(rules(foul=reading), moves)
    assert moves_of("b3", legal) == ({"c3"} if reading != "off" else {"c3", "b2"})


def test_both_players_are_bound(engine: Engine) -> None:
    moves = ["c2", "b2", "c2-c3", "b2-b3"]
    assert moves_of("c3", engine.legal(rules(), moves)) == set()
    assert moves_of("b3", engine.legal(rules(), [*moves, "a3"])) == set()
    assert moves_of("b3", engine.legal(rules(foul="off"), [*moves, "a3"])) == {"b2"}


# --- The end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("to_move", ["first", "second"])
def test_star_between_both_players_is_not_surrounded(engine: Engine, to_move: str) -> None:
    assert engine.outcome(rules(), setup=setup("★○□/●□□/□□□", to_move)) == ONGOING


def test_surrounding_by_each_kind_of_action(engine: Engine) -> None:
    assert engine.outcome(rules(), ["a2"], setup("★○□/□□●/□□●")) == ("first", "surrounded")
    assert engine.outcome(rules(), ["b2-a2"], setup("★○□/□○●/□□●")) == ("first", "surrounded")
    assert engine.outcome(rules(), ["*c3"], setup("□○★/□○●/□□□", "second")) == ONGOING
    assert engine.outcome(rules(), ["*c3"], setup("□○★/□○●/○●□", "second")) == ("second", "surrounded")


def test_surrounding_goes_before_having_no_action(engine: Engine) -> None:
    # The board is full.
    settings = rules(pieces=4, stuck="draw")
    assert engine.outcome(settings, setup=setup("★○○/○○●/●●●", "second")) == ("first", "surrounded")
    assert engine.outcome(settings, setup=setup("★●●/●●○/○○○", "first")) == ("second", "surrounded")


@pytest.mark.parametrize(("to_move", "winner"), [("first", "second"), ("second", "first")])
def test_full_board(engine: Engine, to_move: str, winner: str) -> None:
    full = setup("★○●/●○●/○●○", to_move)
    assert engine.legal(rules(pieces=4), setup=full) == set()
    assert engine.outcome(rules(pieces=4), setup=full) == (winner, "stuck")
    assert engine.outcome(rules(pieces=4, stuck="draw"), setup=full) == ("draw", "stuck")


def test_stuck_is_a_draw_where_the_rules_say_so(engine: Engine) -> None:
    assert engine.outcome(rules(stuck="draw"), SAMPLE_MOVES) == ("draw", "stuck")


def test_surrounding_counts_for_the_player_who_acted_last(engine: Engine) -> None:
    board, ignored = "★○□/○●□/●□□", rules(opponent_completes="ignored")
    for settings in (rules(), ignored):
        assert engine.outcome(settings, setup=setup(board, "second")) == ("first", "surrounded")
    assert engine.outcome(rules(), setup=setup(board, "first")) == ("first", "surrounded")
    assert engine.outcome(ignored, setup=setup(board, "first")) == ONGOING
    # The star is still surrounded after First has acted elsewhere, and no longer after First has opened it.
    assert engine.outcome(ignored, ["c3"], setup(board, "first")) == ("first", "surrounded")
    assert engine.outcome(ignored, ["b1-c1"], setup(board, "first")) == ONGOING


# --- Repetition -------------------------------------------------------------------------------------------------------


def test_a_position_may_repeat_without_end_by_default(engine: Engine) -> None:
    there, back = ["b2-b3", "c1-c2"], ["b3-b2", "c2-c1"]
    begin = setup("★□●/□○□/□□□", "first")
    moves = 6 * (there + back)
    assert engine.outcome(rules(foul="off"), moves, begin) == ONGOING
    assert engine.board(rules(foul="off"), moves, begin) == begin["board"]


@pytest.mark.parametrize("times", [2, 3, 5])
def test_the_given_occurrence_of_a_position_is_a_draw(engine: Engine, times: int) -> None:
    there, back = ["b2-b3", "c1-c2"], ["b3-b2", "c2-c1"]
    begin = setup("★□●/□○□/□□□", "first")
    settings = rules(foul="off", repetition=times)
    moves = (times - 1) * (there + back)
    assert engine.outcome(settings, moves[:-1], begin) == ONGOING
    assert engine.outcome(settings, moves, begin) == ("draw", "repetition")
    with pytest.raises(ValueError, match="b2"):
        engine.outcome(settings, [*moves, "b2-b3"], begin)


def test_a_position_is_the_same_if_the_foul_rule_remembers_the_same(engine: Engine) -> None:
    settings, begin = rules(repetition=2), setup("★□□/○□□/□□●", "first")
    moves = ["a2-b2", "c3-c2", "b2-b3", "c2-b2", "b3-a3", "b2-b3", "a3-a2", "b3-c3", "a2-b2"]
    # At first there was no earlier turn of Second's; now Second may not go back to b3.
    assert engine.board(settings, moves, begin) == engine.board(settings, moves[:1], begin)
    assert engine.outcome(settings, moves, begin) == ONGOING
    assert engine.outcome(settings, [*moves, "c3-c2"], begin) == ("draw", "repetition")


def test_the_other_player_to_move_makes_another_position(engine: Engine) -> None:
    # The star goes round once while both sides' pieces come back: the board is the same, the turn is not.
    settings = rules(foul="off", repetition=2)
    begin = setup("★○□/□□□/□□●", "first")
    moves = ["*c1", "c3-b3", "*a1"]
    assert engine.board(settings, [*moves, "b3-c3"], begin) == begin["board"]
    assert engine.outcome(settings, [*moves, "b3-c3"], begin) == ("draw", "repetition")
    assert engine.outcome(settings, ["*c1", "c3-b3", "b1-a1"], begin) == ONGOING


# --- Larger boards ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [4, 5])
def test_star_on_a1_of_a_larger_empty_board(engine: Engine, size: int) -> None:
    settings = rules(size=size)
    assert engine.board(settings) == "/".join(["★" + "□" * (size - 1)] + ["□" * size] * (size - 1))
    assert engine.legal(settings) == {twin.name(cell) for cell in twin.cells(size)} - {"a1"}


@pytest.mark.parametrize(
    ("board", "first", "second"),
    [
        ("□○★○/□□●□/□□□□/□□□□", {"a1"}, {"c3"}),
        ("□□□□/□□○□/□○★○/□□●□", {"c1", "a3"}, set()),
        ("□□□●/□□□○/□○★○/□□●□", {"a3"}, set()),
        ("□□□□□/□□○□□/□○★○□/□□●□□/□□□□□", {"c1", "a3", "e3"}, {"c5"}),
        ("□□○□□/□□○□□/●●★○○/□□●□□/□□●□□", set(), set()),
        ("□○□○★/□□□□●/□□□□□/□□□□□/□□□□□", {"c1"}, {"e3"}),
        ("□□□□□/□□□□□/○□★□○/□□□□□/□□□□□", set(), set()),
    ],
)
def test_star_jumps_on_larger_boards(engine: Engine, board: str, first: set[str], second: set[str]) -> None:
    settings = rules(size=board.count("/") + 1, pieces=4)
    assert jumps(engine.legal(settings, setup=setup(board, "first"))) == first
    assert jumps(engine.legal(settings, setup=setup(board, "second"))) == second


def test_pieces_do_not_leave_the_sides_of_larger_boards(engine: Engine) -> None:
    four = engine.legal(rules(size=4), setup=setup("★□□□/□□□○/○□□□/□□□○"))
    assert [moves_of(cell, four) for cell in ("d2", "a3", "d4")] == [
        {"d1", "c2", "d3"},
        {"a2", "b3", "a4"},
        {"d3", "c4"},
    ]
    five = engine.legal(rules(size=5), setup=setup("★□□□□/□□□□○/○□□□□/□□□□□/□□□□○"))
    assert [moves_of(cell, five) for cell in ("e2", "a3", "e5")] == [
        {"e1", "d2", "e3"},
        {"a2", "b3", "a4"},
        {"e4", "d5"},
    ]


@pytest.mark.parametrize(
    ("board", "result"),
    [
        ("★○□□/○□□□/□□□□/□□□□", "first"),
        ("□●★●/□□●□/□□□□/□□□□", "second"),
        ("□●★●/□□□□/□□●□/□□□□", None),
        ("□□□□/□□○□/□○★○/□□○□", "first"),
        ("□□□□/□□○□/□○★○/□□●□", None),
        ("□□□□□/□□●□□/□●★●□/□□●□□/□□□□□", "second"),
        ("□□□□□/□□●□□/□●★□●/□□●□□/□□□□□", None),
        ("□□□□□/□□□□□/□□□□○/□□□○★/□□□□○", "first"),
    ],
)
def test_surrounding_on_larger_boards(engine: Engine, board: str, result: str | None) -> None:
    settings = rules(size=board.count("/") + 1, pieces=4)
    for to_move in ("first", "second"):
        expected = (result, "surrounded") if result else ONGOING
        assert engine.outcome(settings, setup=setup(board, to_move)) == expected


def test_star_walks_over_a_larger_board(engine: Engine) -> None:
    moves = ["b1", "d1", "b2", "d2", "*c1", "*e1"]
    assert engine.board(rules(size=5), moves) == "□○□●★/□○□●□/□□□□□/□□□□□/□□□□□"
    # Only the straight way back is a foul, and it is Second's.
    assert jumps(engine.legal(rules(size=5), [*moves, "a1"])) == set()
    assert jumps(engine.legal(rules(size=5, foul="off"), [*moves, "a1"])) == {"c1"}


# --- What the twin promises -------------------------------------------------------------------------------------------


def test_twin_play_leaves_the_given_position_alone() -> None:
    before = twin.start(rules())
    after = twin.play(rules(), before, "b1")
    assert before == twin.start(rules())
    assert (twin.seat(rules(), before), twin.seat(rules(), after)) == (0, 1)


def test_twin_reads_the_boards_it_draws() -> None:
    played = list(twin.positions(rules(), SAMPLE_MOVES))
    for earlier, now in pairwise(played):
        begin = setup(twin.drawn(now), twin.SEATS[now.to_move], [twin.drawn(earlier)])
        own = twin.from_setup(rules(), begin)
        assert (own.pieces, own.star, own.to_move) == (now.pieces, now.star, now.to_move)
        assert own.seen[earlier.to_move] == now.seen[earlier.to_move]
    *_, third, second, first = map(twin.drawn, played)
    assert twin.from_setup(rules(), setup(first, "first", [third, second])) == played[-1]


# --- Every value of every toggle --------------------------------------------------------------------------------------


def seen(engine: Engine, settings: Settings, witness: Witness) -> tuple[set[str], Outcome]:
    """Legal moves and outcome at the end of the witness's game."""
    game = (settings, witness.moves * witness.times, witness.setup)
    return engine.legal(*game), engine.outcome(*game)


@pytest.mark.parametrize("witness", witnesses.family_witnesses("star"), ids=str)
def test_witness_tells_the_value_from_the_default(engine: Engine, witness: Witness) -> None:
    base = DECLARATION.defaults() | dict(witness.base)
    legal, outcome = seen(engine, base | {witness.toggle: witness.value}, witness)
    assert (legal, outcome) != seen(engine, base, witness)
    holds(witness, legal, outcome)
