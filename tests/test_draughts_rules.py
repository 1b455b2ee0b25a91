"""The rules of the draughts family, game by game, asked of every engine that plays them.

Positions are reached by moves, or set up when the moves would hide the point. Moves are written in full, with the
captured squares behind a colon; the numbers of the squares are drawn in workbench/games/draughts/witnesses.yaml.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Protocol

import pytest

from tests import few
from tests.engines import Outcome, Settings, in_turn, outcome_of, with_defaults
from tests.naive import draughts as twin
from tests.test_perft import Case, cases
from tests.test_witnesses import holds
from workbench.errors import InputError
from workbench.games.declaration import Setting
from workbench.games.draughts import notation
from workbench.games.draughts.rules import DECLARATION
from workbench.games.game_state import GameState
from workbench.questions import rulesets, witnesses
from workbench.questions.witnesses import Witness

FLYING: dict[str, Setting] = {"king_move": "flying", "king_capture": "flying"}
BACKWARDS: dict[str, Setting] = {"men_capture": "all-directions"}
MOST: dict[str, Setting] = {"capture_choice": "most-pieces"}
ORTHOGONAL: dict[str, Setting] = {"squares": "all", "men_step": "forward-and-sideways"}
ROYAL: dict[str, Setting] = {"size": 9, "royal": "back-centre"}


rules = functools.partial(with_defaults, DECLARATION)
"""Every toggle: the defaults, which are English draughts, then the changes."""


def shipped(name: str) -> Settings:
    """The settings of a shipped ruleset."""
    return rulesets.load_ruleset(f"draughts/{name}").settings


class Engine(Protocol):
    """What a test may ask of an engine; settings name every toggle, and an illegal move raises ValueError.

    A game begins from the position of ``fen``, or from the start if there is none.
    """

    def legal(self, settings: Settings, moves: Sequence[str] = (), fen: str = "") -> set[str]:
        """The legal moves after these moves."""

    def outcome(self, settings: Settings, moves: Sequence[str] = (), fen: str = "") -> Outcome:
        """Result and termination after these moves, with their repetitions."""


class Twin:
    """The slow twin behind the interface of the tests."""

    def positions(self, settings: Settings, moves: Sequence[str], fen: str) -> list[twin.Position]:
        begin = twin.from_setup(settings, {"fen": fen}) if fen else None
        return list(twin.positions(settings, moves, begin))

    def legal(self, settings: Settings, moves: Sequence[str] = (), fen: str = "") -> set[str]:
        return twin.legal_moves(settings, self.positions(settings, moves, fen)[-1])

    def outcome(self, settings: Settings, moves: Sequence[str] = (), fen: str = "") -> Outcome:
        *before, last = self.positions(settings, moves, fen)
        return twin.outcome(settings, last, [twin.repetition_key(settings, position) for position in before])


class Kernel:
    """The compiled kernel behind the interface of the tests."""

    def game_state(self, settings: Settings, moves: Sequence[str], fen: str) -> GameState:
        codes = rulesets.kernel_codes("draughts", settings)
        game_state = GameState("draughts", codes, {"fen": fen} if fen else None)
        for wanted in moves:
            moves_by_text = full_moves(game_state)
            if wanted not in moves_by_text:
                raise ValueError(f"{wanted} is not legal")
            game_state.push(moves_by_text[wanted])
        return game_state

    def legal(self, settings: Settings, moves: Sequence[str] = (), fen: str = "") -> set[str]:
        return set(full_moves(self.game_state(settings, moves, fen)))

    def outcome(self, settings: Settings, moves: Sequence[str] = (), fen: str = "") -> Outcome:
        return outcome_of(self.game_state(settings, moves, fen))


def full_moves(game_state: GameState) -> dict[str, int]:
    """The kernel's moves by their full texts."""
    listed = game_state._generate()
    moves_by_text = {notation.full(game_state.rules, game_state.state, move): move for move in listed}
    assert len(moves_by_text) == len(listed), "a move is listed twice"
    return moves_by_text


engine = in_turn(Twin(), Kernel())


def moves_of(square: str, moves: set[str]) -> set[str]:
    """The squares to which the piece on a square goes without capturing."""
    return {move.split("-")[1] for move in moves if move.startswith(square + "-")}


# --- The twin itself --------------------------------------------------------------------------------------------------


def twin_counts(case: Case, least: int, most: int) -> None:
    """Checks the counts of a perft line that lie in a range."""
    settings = {**rulesets.load_ruleset(case.ruleset).settings, **case.changes}
    position = twin.from_setup(settings, case.setup) if case.setup else twin.start(settings)
    for depth, count in enumerate(case.counts, start=1):
        if least <= count < most:
            assert twin.perft(settings, position, depth) == count


def case_name(case: Case) -> str:
    return " ".join([case.ruleset, *map(str, (case.setup or case.changes).values())])


@pytest.mark.parametrize("case", few.first(8, cases("draughts")), ids=case_name)
def test_twin_counts_what_the_perft_file_says(case: Case) -> None:
    twin_counts(case, 0, 2_000)


@pytest.mark.slow
@pytest.mark.parametrize("case", cases("draughts"), ids=case_name)
def test_twin_counts_what_the_perft_file_says_in_depth(case: Case) -> None:
    twin_counts(case, 2_000, 100_000)


# --- The games as printed ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("english", "9-13 9-14 10-14 10-15 11-15 11-16 12-16"),
        ("russian", "a3-b4 c3-b4 c3-d4 e3-d4 e3-f4 g3-f4 g3-h4"),
        ("international", "31-26 31-27 32-27 32-28 33-28 33-29 34-29 34-30 35-30"),
        ("canadian", "43-37 44-37 44-38 45-38 45-39 46-39 46-40 47-40 47-41 48-41 48-42"),
        ("turkish", "a3-a4 b3-b4 c3-c4 d3-d4 e3-e4 f3-f4 g3-g4 h3-h4"),
    ],
)
def test_first_moves(engine: Engine, name: str, expected: str) -> None:
    assert engine.legal(shipped(name)) == set(expected.split())


@pytest.mark.parametrize(
    ("name", "squares", "men"),
    [
        ("english", 32, 12),
        ("russian", 32, 12),
        ("international", 50, 20),
        ("canadian", 72, 30),
        ("turkish", 64, 16),
        ("tobishogo", 41, 13),
    ],
)
def test_twin_starts_with_the_printed_number_of_pieces(name: str, squares: int, men: int) -> None:
    settings = shipped(name)
    assert len(twin.squares(settings)) == squares
    pieces = list(twin.start(settings).board.values())
    royal = 1 if name == "tobishogo" else 0
    for colour in (twin.BLACK, twin.WHITE):
        assert pieces.count(twin.Piece(colour, twin.MAN)) == men
        assert pieces.count(twin.Piece(colour, twin.ROYAL)) == royal
    assert len(pieces) == 2 * (men + royal)


def test_english_has_the_default_rules() -> None:
    assert shipped("english") == DECLARATION.defaults()


def test_black_replies_in_english_with_white(engine: Engine) -> None:
    assert engine.legal(rules(), ["11-15"]) == {
        "21-17",
        "22-17",
        "22-18",
        "23-18",
        "23-19",
        "24-19",
        "24-20",
    }


def test_men_step_diagonally_forward(engine: Engine) -> None:
    assert engine.legal(rules(), fen="B:W29:B11") == {"11-15", "11-16"}
    assert engine.legal(rules(), fen="W:W11:B5") == {"11-7", "11-8"}
    assert engine.legal(rules(), fen="B:W29:B12,20") == {"12-16", "20-24"}


def test_capture_jumps_one_piece_and_removes_it(engine: Engine) -> None:
    fen = "B:W15,28,32:B11"
    assert engine.legal(rules(), fen=fen) == {"11x18:15"}
    assert engine.legal(rules(), ["11x18:15"], fen) == {"28-24", "32-27"}
    # Two pieces one behind the other are not jumped, nor an own piece.
    assert engine.legal(rules(), fen="B:W15,18:B11") == {"11-16"}
    assert engine.legal(rules(), fen="B:W29:B11,15") == {"11-16", "15-18", "15-19"}


def test_capture_is_obligatory(engine: Engine) -> None:
    fen = "B:W15:B11,12"
    assert engine.legal(rules(), fen=fen) == {"11x18:15"}
    optional = engine.legal(rules({"capture": "optional"}), fen=fen)
    assert optional == {"11x18:15", "11-16", "12-16"}


def test_capture_goes_on_to_its_end(engine: Engine) -> None:
    fen = "B:W15,22:B11"
    assert engine.legal(rules(), fen=fen) == {"11x25:15,22"}
    assert engine.legal(rules({"capture": "optional"}), fen=fen) == {"11x25:15,22", "11-16"}


def test_capture_may_be_chosen_freely(engine: Engine) -> None:
    assert engine.legal(rules(), fen="B:W15,16,22:B11") == {"11x25:15,22", "11x20:16"}


def test_man_is_crowned_on_the_last_row(engine: Engine) -> None:
    assert engine.legal(rules(), ["25-29", "1-6"], "B:WK1:B25") == {"29-25"}
    assert engine.legal(rules(), ["8-3", "32-27"], "W:W8:BK32") == {"3-7", "3-8"}


def test_king_steps_and_captures_in_four_directions(engine: Engine) -> None:
    assert moves_of("18", engine.legal(rules(), fen="B:W29:BK18")) == {"14", "15", "22", "23"}
    legal = engine.legal(rules(), fen="B:W14,15,22,23:BK18")
    assert legal == {"18x9:14", "18x11:15", "18x25:22", "18x27:23"}


def test_paths_of_one_capture_are_one_move(engine: Engine) -> None:
    # Round a square and back to 22, either way.
    assert engine.legal(rules(), fen="B:W18,19,26,27:BK22") == {"22x22:18,19,26,27"}
    # With other captured pieces the same way from 2 to 18 is another move.
    assert engine.legal(rules(), fen="B:W6,7,14,15,31:B2") == {"2x18:6,14", "2x18:7,15"}


def test_men_capture_backwards_only_where_the_rules_say_so(engine: Engine) -> None:
    fen = "B:W7:B11"
    assert engine.legal(rules(), fen=fen) == {"11-15", "11-16"}
    assert engine.legal(rules(BACKWARDS), fen=fen) == {"11x2:7"}


def test_kings_of_the_encyclopedia_glide_but_capture_as_in_english(engine: Engine) -> None:
    settings = shipped("encyclopedia")
    # 15 is not next to the king: it is neither captured nor jumped.
    assert moves_of("29", engine.legal(settings, fen="W:WK29:B15")) == {"25", "22", "18"}
    # Next to 18 there is nothing to choose: it lands directly behind.
    assert engine.legal(settings, fen="W:WK22:B18") == {"22x15:18"}


# --- Flying kings -----------------------------------------------------------------------------------------------------


def test_flying_king_captures_from_afar_and_lands_anywhere_behind(engine: Engine) -> None:
    assert engine.legal(rules(FLYING), fen="B:Wd4:BKa1") == {f"a1x{square}:d4" for square in ("e5", "f6", "g7", "h8")}
    assert engine.legal(rules(FLYING), fen="B:Wd4,g7:BKa1") == {"a1xh8:d4,g7"}
    assert engine.legal(rules(FLYING), fen="B:Wd4,f6,g7:BKa1") == {"a1xe5:d4"}
    # Not over two pieces in a row, nor over an own one.
    assert engine.legal(rules(FLYING), fen="B:Wd4,e5:BKa1") == {"a1-b2", "a1-c3"}
    assert moves_of("a1", engine.legal(rules(FLYING), fen="B:Wd4:BKa1,c3")) == {"b2"}


def test_flying_king_lands_where_it_can_capture_on(engine: Engine) -> None:
    # From e5 and g7 nothing is to be had; from f6 it captures g5 and lands on h4.
    legal = engine.legal(rules(FLYING), fen="B:Wd4,g5:BKa1")
    assert legal == {"a1xh4:d4,g5"}


def test_king_that_lands_directly_behind(engine: Engine) -> None:
    land: dict[str, Setting] = {"king_move": "flying", "king_capture": "land-behind"}
    assert engine.legal(rules(land), fen="B:Wd4:BKa1") == {"a1xe5:d4"}
    # From e5 it sees g7, not g5.
    assert engine.legal(rules(land), fen="B:Wd4,g5:BKa1") == {"a1xe5:d4"}
    assert engine.legal(rules(land), fen="B:Wd4,g7:BKa1") == {"a1xh8:d4,g7"}


def test_captured_pieces_stay_until_the_end_and_are_not_jumped_twice(engine: Engine) -> None:
    # 19 over 8 to 3, over 7 to 16, over 43 to 49. To take 30 first, to 35, and then go back for 8 is to pass over 30.
    ten = rules(FLYING, BACKWARDS, MOST, {"size": 10, "rows": 4})
    assert engine.legal(ten, fen="W:WK19:B7,8,30,43") == {"19x49:7,8,43"}
    assert engine.legal(ten | {"removal": "at-once"}, fen="W:WK19:B7,8,30,43") == {"19x49:7,8,30,43"}
    # Nor does a man go round a square twice.
    assert engine.legal(ten, fen="W:W38:B22,23,32,33") == {"38x38:22,23,32,33"}


# --- Which capture ----------------------------------------------------------------------------------------------------


def test_most_pieces(engine: Engine) -> None:
    fen = "B:W15,16,22:B11"
    assert engine.legal(rules(MOST), fen=fen) == {"11x25:15,22"}
    # Kings count as one, and a king need not be preferred to a man.
    both = "W:WK23:B9,18,19,K11"
    assert engine.legal(rules(MOST), fen=both) == {"23x5:9,18", "23x7:11,19"}


def test_spanish_takes_the_most_pieces_then_the_most_kings(engine: Engine) -> None:
    spanish = rules({"capture_choice": "spanish"})
    assert engine.legal(spanish, fen="W:W11:B21,14,15,K23") == {"11x27:15,23"}
    assert engine.legal(spanish, fen="W:W11:B21,14,K15") == {"11x25:14,21"}
    assert engine.legal(spanish, fen="W:W11:B21,K14,15,K23") == {"11x25:14,21", "11x27:15,23"}


def test_italian_takes_the_most_pieces_then_with_a_king(engine: Engine) -> None:
    italian = rules({"capture_choice": "italian", "men_may_take_kings": False})
    assert engine.legal(italian, fen="W:W24,K21:B12,20,18") == {"24x8:12,20"}
    assert engine.legal(italian, fen="W:W24,K21:B20,18") == {"21x14:18"}


def test_italian_then_takes_the_most_kings_then_the_king_that_comes_first(engine: Engine) -> None:
    italian = rules({"capture_choice": "italian", "men_may_take_kings": False})
    assert engine.legal(italian, fen="W:WK22:B12,19,18,K10") == {"22x6:10,18"}
    assert engine.legal(italian, fen="W:WK22:B12,K19,18,K10") == {"22x8:12,19"}
    assert engine.legal(italian, fen="W:WK22:BK12,19,18,K10") == {"22x8:12,19", "22x6:10,18"}
    # Two kings late go before one at once.
    assert engine.legal(italian, fen="W:WK30:BK27,20,12,26,K18,K10") == {"30x5:10,18,26"}


def test_italian_men_may_not_take_kings(engine: Engine) -> None:
    respect = rules({"men_may_take_kings": False})
    assert engine.legal(respect, fen="W:W23:BK18") == {"23-19"}
    assert engine.legal(respect, fen="W:W23:BK18,19") == {"23x16:19"}
    assert engine.legal(respect, fen="W:W23:B18,K9") == {"23x14:18"}
    assert engine.legal(respect, fen="W:WK23:BK18") == {"23x14:18"}


def test_czech_captures_with_a_king_if_it_can(engine: Engine) -> None:
    czech = rules(FLYING, {"capture_choice": "king-first"})
    fen = "W:Wa3,e3,Kh6:Bb6,g5,b4"
    assert engine.legal(czech, fen=fen) == {"h6xf4:g5"}
    assert engine.legal(rules(FLYING), fen=fen) == {"h6xf4:g5", "a3xa7:b4,b6"}
    # Among the captures of kings the choice is free; without one, men capture.
    assert engine.legal(czech, fen="W:Wa3,Kh2:Bb4,g3") == {
        f"h2x{square}:g3" for square in ("f4", "e5", "d6", "c7", "b8")
    }
    assert engine.legal(czech, fen="W:Wa3,Kc1:Bb6,b4") == {"a3xa7:b4,b6"}


# --- Crowning in a capture --------------------------------------------------------------------------------------------


def test_crowning_ends_the_move(engine: Engine) -> None:
    settings = rules(BACKWARDS)
    fen = "B:W26,27,13:B22"
    assert engine.legal(settings, fen=fen) == {"22x31:26"}
    assert engine.legal(settings, ["22x31:26", "13-9"], fen) == {"31x24:27"}


def test_man_that_does_not_end_on_the_last_row_stays_a_man(engine: Engine) -> None:
    settings = rules(BACKWARDS, {"crowning_in_capture": "stays-man-unless-it-ends-there"})
    fen = "B:W26,27,13:B22"
    assert engine.legal(settings, fen=fen) == {"22x24:26,27"}
    assert engine.legal(settings, ["22x24:26,27", "13-9"], fen) == {"24-27", "24-28"}
    # It ends there when men capture forwards only, or when nothing is next to it.
    forwards = settings | {"men_capture": "forward"}
    assert engine.legal(forwards, fen=fen) == {"22x31:26"}
    assert engine.legal(forwards, ["22x31:26", "13-9"], fen) == {"31x24:27"}
    assert engine.legal(settings | FLYING, fen="B:Wd2,g3:Bc3") == {"c3xe1:d2"}


def test_man_becomes_a_king_and_goes_on(engine: Engine) -> None:
    settings = rules({"crowning_in_capture": "becomes-king-and-goes-on"})
    fen = "B:W26,27,13:B22"
    assert engine.legal(settings, fen=fen) == {"22x24:26,27"}
    assert engine.legal(settings, ["22x24:26,27", "13-9"], fen) == {"24-27", "24-28", "24-19", "24-20"}
    # It captures on as its kings do: from e1 over g3 to h4.
    assert engine.legal(settings | FLYING, fen="B:Wd2,g3:Bc3") == {"c3xh4:d2,g3"}


# --- Turkish ----------------------------------------------------------------------------------------------------------


def test_turkish_men_step_and_capture_forwards_and_sideways(engine: Engine) -> None:
    turkish = shipped("turkish")
    assert engine.legal(turkish, fen="W:Wd4:Bh8") == {"d4-d5", "d4-c4", "d4-e4"}
    assert engine.legal(turkish, fen="W:Wd4:Bd5,c4,e4,d3") == {"d4xd6:d5", "d4xb4:c4", "d4xf4:e4"}
    assert engine.legal(turkish, fen="W:Wd4:Bd5,c4,e4,e6") == {"d4xf6:d5,e6"}
    assert "d4xd2:d3" in engine.legal(rules(ORTHOGONAL, BACKWARDS), fen="W:Wd4:Bd3")


def test_turkish_king_moves_like_a_rook(engine: Engine) -> None:
    legal = engine.legal(shipped("turkish"), fen="W:WKd4:Bh8")
    assert moves_of("d4", legal) == {f"{file}4" for file in "abcefgh"} | {f"d{rank}" for rank in (1, 2, 3, 5, 6, 7, 8)}


def test_turkish_man_goes_on_as_a_man_and_is_crowned_at_the_end(engine: Engine) -> None:
    turkish = shipped("turkish")
    fen = "W:Wd6:Bd7,e8,h3"
    assert engine.legal(turkish, fen=fen) == {"d6xf8:d7,e8"}
    king = engine.legal(turkish, ["d6xf8:d7,e8", "h3-h2"], fen)
    assert moves_of("f8", king) == {f"f{rank}" for rank in range(1, 8)} | {f"{file}8" for file in "abcdegh"}
    assert engine.legal(turkish, fen="W:Wd6:Bd7,f8") == {"d6xd8:d7"}


def test_removal_at_once_opens_the_way(engine: Engine) -> None:
    # Over d3 to d5, over f5 to g5, over g4 to g3; from there b3 is behind d3.
    fen = "W:WKd1:Bd3,f5,g4,b3"
    assert engine.legal(shipped("turkish"), fen=fen) == {"d1xa3:b3,d3,f5,g4"}
    assert "d1xa3:b3,d3,f5,g4" not in engine.legal(rules(ORTHOGONAL, FLYING, MOST), fen=fen)


def test_no_half_turn_within_a_capture(engine: Engine) -> None:
    fen = "W:WKd4:Bf4,b4"
    assert engine.legal(shipped("turkish"), fen=fen) == {"d4xg4:f4", "d4xh4:f4", "d4xa4:b4"}
    turning = {**shipped("turkish"), "reverse_turn": "allowed"}
    assert engine.legal(turning, fen=fen) == {"d4xa4:b4,f4", "d4xg4:b4,f4", "d4xh4:b4,f4"}
    # Nor where the king may go on another way.
    assert engine.legal(shipped("turkish"), fen="W:WKd4:Bf4,g6,b4") == {"d4xg7:f4,g6", "d4xg8:f4,g6"}
    # A half turn in two quarters is none.
    assert engine.legal(shipped("turkish"), fen="W:WKd4:Bf4,g6,b7") == {"d4xa7:b7,f4,g6"}


# --- Other lines, huffs and kings in a row ----------------------------------------------------------------------------


def test_frisian_pieces_capture_in_eight_directions_and_move_in_four(engine: Engine) -> None:
    frisian = shipped("frisian")
    assert engine.legal(frisian, fen="W:W28:B1") == {"28-22", "28-23"}
    assert engine.legal(frisian, fen="W:W28:B18") == {"28x8:18"}
    assert engine.legal(frisian, fen="W:W28:B27") == {"28x26:27"}
    assert engine.legal(frisian, fen="W:W28:B38,1") == {"28x48:38"}
    # Next to the edge nothing of the next row is behind.
    assert engine.legal(frisian, fen="W:W29:B30") == {"29-23", "29-24"}
    king = engine.legal(frisian, fen="W:WK46:B26,1")
    assert king == {"46x16:26", "46x6:26"}


def test_frisian_choice_weighs_kings_as_a_man_and_a_half_and_prefers_those_of_a_king(engine: Engine) -> None:
    frisian = shipped("frisian")
    # Two kings go before three men, and four men before them.
    assert engine.legal(frisian, fen="W:W28:BK18,K9,33,42,43") == {"28x10:9,18"}
    assert engine.legal(frisian, fen="W:W28:BK18,K9,33,42,43,27") == {"28x19:18,27,33,42,43"}
    # A king goes before a man.
    assert engine.legal(frisian, fen="W:W28:BK18,32") == {"28x8:18"}
    # Equal, and one by a king.
    assert engine.legal(frisian, fen="W:W40,K5:B34,4") == {"5x1:4", "5x2:4", "5x3:4"}


def test_a_king_rests_after_three_moves_while_a_man_is_left(engine: Engine) -> None:
    settings = rules({"king_run": 3, "repetition": 0})
    line = ["1-6", "32-28", "6-1", "28-32", "1-6", "32-28"]
    assert engine.legal(settings, line, "B:WK32:BK1,12") == {"12-16"}
    assert moves_of("1", engine.legal(settings, line[:4], "B:WK32:BK1,12")) == {"5", "6"}
    # Another piece moves, and the king is free again. Who has kings alone moves on, and so does another king.
    assert "6-1" in engine.legal(settings, [*line, "12-16", "28-32"], "B:WK32:BK1,12")
    assert "6-1" in engine.legal(settings, line, "B:WK32:BK1")
    assert moves_of("4", engine.legal(settings, line, "B:WK32:BK1,K4,12")) == {"8"}
    # It captures, whatever it did before; and whoever cannot move otherwise has lost.
    assert engine.legal(settings, [*line[:5], "18-15"], "B:W18,K32:BK1,12") != set()
    assert engine.outcome(settings, line, "B:WK32,19,16:BK1,12") == ("second", "stuck")


def test_armenian_men_step_diagonally_forward_and_capture_straight(engine: Engine) -> None:
    armenian = shipped("armenian")
    assert engine.legal(armenian, fen="W:Wd4:Bh8") == {f"d4-{square}" for square in ("c4", "e4", "d5", "c5", "e5")}
    assert engine.legal(armenian, fen="W:Wd4:Be5,h8") == {"d4-c4", "d4-e4", "d4-d5", "d4-c5"}
    assert engine.legal(armenian, fen="W:Wd4:Be4,h8") == {"d4xf4:e4"}
    king = moves_of("d4", engine.legal(armenian, fen="W:WKd4:Bh7"))
    assert {"a1", "g7", "h8", "a7", "g1", "d8", "h4"} <= king


def test_a_king_lands_right_behind_a_king_that_it_captures_last(engine: Engine) -> None:
    killer = shipped("killer")
    assert engine.legal(killer, fen="W:WK46:BK23,6") == {"46x19:23"}
    assert engine.legal(killer, fen="W:WK46:B23,6") == {"46x19:23", "46x14:23", "46x10:23", "46x5:23"}
    # Going on, it lands where it can capture more.
    assert engine.legal(killer, fen="W:WK46:BK23,20") == {"46x25:20,23"}


def test_who_does_not_capture_is_huffed_and_who_huffs_moves(engine: Engine) -> None:
    huffing, fen = shipped("huffing"), "B:W15,32:B11,1"
    assert engine.legal(huffing, fen=fen) == {"11x18:15", "11-16", "1-5", "1-6"}
    assert engine.legal(huffing, ["1-5"], fen) == {"huff11", "15x8:11", "15-10", "32-27", "32-28"}
    # The piece itself may have moved; after the huff the same side moves, and huffs no more.
    assert engine.legal(huffing, ["11-16"], fen) == {"huff16", "15-10", "15-11", "32-27", "32-28"}
    assert engine.legal(huffing, ["11-16", "huff16"], fen) == {"15-10", "15-11", "32-27", "32-28"}
    assert engine.legal(huffing, ["11-16", "huff16", "32-27"], fen) == {"1-5", "1-6"}
    # Who captured is not huffed, and who was not huffed at once is not huffed later.
    assert not any("huff" in move for move in engine.legal(huffing, ["11x18:15"], fen))
    assert not any("huff" in move for move in engine.legal(huffing, ["11-16", "32-27", "16-20"], fen))
    assert engine.outcome(huffing, ["11-16", "huff16"], "B:W15:B11") == ("second", "no-pieces")


def test_the_first_two_kings_win(engine: Engine) -> None:
    settings = rules({"goal": "two-kings"})
    assert engine.outcome(settings, ["26-31"], "B:W12,21:B26,K1") == ("first", "two-kings")
    assert engine.outcome(settings, ["26-31"], "B:W12,21:B26,1") == ("ongoing", None)
    assert engine.outcome(settings, ["22x31:26"], "B:W26:BK1,22") == ("first", "two-kings")


# --- The royal piece --------------------------------------------------------------------------------------------------


def test_royal_piece_moves_and_captures_like_a_king(engine: Engine) -> None:
    settings = rules(ROYAL)
    assert moves_of("e5", engine.legal(settings, fen="W:WRe5,a1:BRe9")) == {"d4", "f4", "d6", "f6"}
    assert engine.legal(settings, fen="W:WRe5,a1:BRe9,d4") == {"e5xc3:d4"}


def test_capture_of_the_royal_piece_wins(engine: Engine) -> None:
    settings = rules(ROYAL)
    fen = "W:Wc3,Ra1:BRd4,a7,c7"
    assert engine.outcome(settings, fen=fen) == ("ongoing", None)
    assert engine.outcome(settings, ["c3xe5:d4"], fen) == ("first", "royal-captured")
    # No other capture wins while a piece is left.
    assert engine.outcome(settings, ["c3xe5:d4"], "W:Wc3,Ra1:Bd4,Ra7") == ("ongoing", None)


def test_royal_piece_stays_royal_on_the_last_row(engine: Engine) -> None:
    settings = rules(ROYAL)
    line = ["d8-c9", "b6-a7", "c9-b8", "a7xc9:b8"]
    assert engine.outcome(settings, line, "W:WRd8,a1:BKb6,Ri9") == ("second", "royal-captured")


def test_men_reach_the_last_row_as_kings_and_not_as_royal_pieces(engine: Engine) -> None:
    settings = rules(ROYAL)
    line = ["d8-c9", "b6-a7", "c9-b8", "a7xc9:b8"]
    assert engine.outcome(settings, line, "W:Wd8,Ra1:BKb6,Ri9") == ("ongoing", None)


# --- The end ----------------------------------------------------------------------------------------------------------


def test_who_has_lost_all_pieces_loses(engine: Engine) -> None:
    assert engine.outcome(rules(), ["11x18:15"], "B:W15:B11") == ("first", "no-pieces")
    assert engine.outcome(rules(), ["15x8:11"], "W:W15:B11") == ("second", "no-pieces")


@pytest.mark.parametrize(("stuck", "result"), [("loss", "second"), ("draw", "draw")])
def test_who_cannot_move_is_stuck(engine: Engine, stuck: str, result: str) -> None:
    settings = rules({"stuck": stuck})
    assert engine.legal(settings, fen="B:W16,19:B12") == set()
    assert engine.outcome(settings, fen="B:W16,19:B12") == (result, "stuck")
    assert engine.outcome(settings, fen="B:W16,19:B12,1") == ("ongoing", None)


def test_giveaway_is_won_by_losing_all_or_being_stuck(engine: Engine) -> None:
    settings = shipped("giveaway")
    assert engine.outcome(settings, ["11x18:15"], "B:W15:B11") == ("second", "lose-all")
    assert engine.outcome(settings, fen="B:W16,19:B12") == ("first", "stuck")
    assert engine.outcome({**settings, "stuck": "draw"}, fen="B:W16,19:B12") == ("draw", "stuck")


def test_the_first_king_wins(engine: Engine) -> None:
    settings = rules({"goal": "first-king"})
    assert engine.outcome(settings, ["26-31"], "B:W5,12:B1,26") == ("first", "first-king")
    assert engine.outcome(settings, ["6-2"], "W:W6,32:B12,18") == ("second", "first-king")
    assert engine.outcome(settings, ["26-31"], "B:W18:B26") == ("first", "first-king")
    assert engine.outcome(settings, ["22-26"], "B:W5,12:B1,22") == ("ongoing", None)


def test_the_first_king_wins_also_where_its_last_victim_was_the_last_piece(engine: Engine) -> None:
    settings = rules({"goal": "first-king"})
    assert engine.outcome(settings, ["22x31:26"], "B:W26:B22") == ("first", "first-king")
    assert engine.outcome(settings, ["11x18:15"], "B:W15:B11") == ("first", "no-pieces")
    assert engine.outcome(settings, fen="B:W16,19:B12") == ("second", "stuck")


def test_a_king_made_within_a_capture_wins_where_the_rules_crown_it_there(engine: Engine) -> None:
    fen, capture = "B:W26,27,5:B22", ["22x24:26,27"]
    on_the_way: dict[str, Setting] = {"goal": "first-king", "crowning_in_capture": "becomes-king-and-goes-on"}
    assert engine.outcome(rules(on_the_way), capture, fen) == ("first", "first-king")
    stays_man = {**on_the_way, **BACKWARDS, "crowning_in_capture": "stays-man-unless-it-ends-there"}
    assert engine.outcome(rules(stays_man), capture, fen) == ("ongoing", None)
    assert engine.legal(rules({"goal": "first-king"}), fen=fen) == {"22x31:26"}


def test_quiet_limit(engine: Engine) -> None:
    settings = rules({"quiet_limit": 4})
    fen = "B:WK32,21:BK1"
    assert engine.outcome(settings, ["1-6", "32-28", "6-1"], fen) == ("ongoing", None)
    assert engine.outcome(settings, ["1-6", "32-28", "6-1", "28-32"], fen) == ("draw", "quiet-limit")


def test_man_moves_and_captures_begin_the_count_of_quiet_plies_anew(engine: Engine) -> None:
    settings = rules({"quiet_limit": 4})
    line = ["1-6", "21-17", "6-1", "32-28", "1-6", "28-32"]
    assert engine.outcome(settings, line[:-1], "B:WK32,21:BK1") == ("ongoing", None)
    assert engine.outcome(settings, line, "B:WK32,21:BK1") == ("draw", "quiet-limit")
    line = ["1-6", "21x14:17", "6-1", "32-28", "1-6", "28-32"]
    assert engine.outcome(settings, line[:-1], "B:WK32,K21:BK1,17") == ("ongoing", None)
    assert engine.outcome(settings, line, "B:WK32,K21:BK1,17") == ("draw", "quiet-limit")


def test_other_endings_come_before_the_quiet_limit_and_this_before_repetition(engine: Engine) -> None:
    assert engine.outcome(rules({"quiet_limit": 1}), ["11-16"], "W:WK11,19:B12") == ("second", "stuck")
    shuffle = ["1-6", "32-28", "6-1", "28-32"] * 2
    assert engine.outcome(rules({"quiet_limit": 8}), shuffle, "B:WK32:BK1") == ("draw", "quiet-limit")


def test_third_occurrence_is_a_draw(engine: Engine) -> None:
    shuffle = ["1-6", "32-28", "6-1", "28-32"] * 2
    for length in range(8):
        assert engine.outcome(rules(), shuffle[:length], "B:WK32:BK1") == ("ongoing", None)
    assert engine.outcome(rules(), shuffle, "B:WK32:BK1") == ("draw", "repetition")
    assert engine.outcome(rules({"repetition": 0}), shuffle, "B:WK32:BK1") == ("ongoing", None)


def test_other_side_to_move_is_a_different_position(engine: Engine) -> None:
    # Black goes a triangle while White goes to and fro, then the other way round.
    line = ["b8-c7", "g1-f2", "c7-d6", "f2-g1", "d6-b8", "g1-f2", "b8-c7", "f2-e3", "c7-b8", "e3-g1"]
    assert engine.outcome(rules(FLYING), line, "B:WKg1:BKb8") == ("ongoing", None)
    assert engine.outcome(rules(FLYING), line * 2, "B:WKg1:BKb8") == ("draw", "repetition")


# --- Limits of endings ------------------------------------------------------------------------------------------------


TO_AND_FRO = ["1-6", "32-28", "6-1", "28-32"]


def to_and_fro(plies: int) -> list[str]:
    """So many plies of the kings on 1 and 32."""
    return (TO_AND_FRO * plies)[:plies]


def limited(value: str) -> Settings:
    """English draughts with limits of endings, and without other draws."""
    return rules({"endgame_limits": value, "repetition": 0, "quiet_limit": 0})


@pytest.mark.parametrize(
    ("value", "fen", "plies"),
    [
        ("international", "B:WK32,K31,K30:BK1", 32),
        ("international", "B:WK32,21,22:BK1", 32),
        ("international", "B:WK32,K31:BK1", 10),
        ("international", "B:WK32,21:BK1", 10),
        ("international", "B:WK32:BK1", 10),
        ("international", "B:WK32:BK1,K4", 10),
        ("russian", "B:WK32,K31:BK1", 10),
        ("russian", "B:WK32:BK1", 10),
        ("russian", "B:WK32,K31,K30:BK1", 30),
        ("russian", "B:WK32,K31,K30,K29,K21:BK1", 30),
        ("russian", "B:WK32:BK1,K2,K3,K4", 30),
        ("russian", "B:WK32,K31,30:BK1", 60),
        ("russian", "B:WK32,K31,30:BK1,4", 60),
        ("russian", "B:WK32,31,30:BK1,4,3,12", 120),
        ("pool", "B:WK32,K31,K30:BK1", 26),
        ("pool", "B:WK32:BK1,K2,K3", 26),
    ],
)
def test_an_ending_is_a_draw_after_the_moves_that_its_rule_gives_it(
    engine: Engine, value: str, fen: str, plies: int
) -> None:
    assert engine.outcome(limited(value), to_and_fro(plies - 1), fen) == ("ongoing", None)
    assert engine.outcome(limited(value), to_and_fro(plies), fen) == ("draw", "endgame-limit")
    assert engine.outcome(limited("none"), to_and_fro(plies), fen) == ("ongoing", None)


@pytest.mark.parametrize(
    ("value", "fen"),
    [
        ("international", "B:WK32,K31,K30,K29:BK1"),
        ("international", "B:WK32,K31:BK1,4"),
        ("russian", "B:WK32,K31,K30,29,21:BK1,4,3"),
        ("pool", "B:WK32,K31,30:BK1"),
        ("pool", "B:WK32,K31:BK1"),
        ("pool", "B:WK32,K31,K30,K29:BK1"),
    ],
)
def test_other_endings_have_no_limit(engine: Engine, value: str, fen: str) -> None:
    assert engine.outcome(limited(value), to_and_fro(130), fen) == ("ongoing", None)


@pytest.mark.parametrize(("value", "spent", "more"), [("international", 26, 1), ("russian", 22, 10)])
def test_a_capture_lengthens_an_ending_of_russian_draughts_alone(
    engine: Engine, value: str, spent: int, more: int
) -> None:
    # Three kings against one, until a king goes to 9 and is taken from 5: two are left, which have 5 moves of each
    # player in Russian draughts, and in international what is left of 16.
    line = [*to_and_fro(spent), "6-1", "14-9", "1-5", "28-32", "5x14:9"]
    fen, after = "B:WK32,K31,K14:BK1", ["32-28", "14-10", "28-32", "10-14"] * 3
    assert engine.outcome(limited(value), [*line, *after[: more - 1]], fen) == ("ongoing", None)
    assert engine.outcome(limited(value), [*line, *after[:more]], fen) == ("draw", "endgame-limit")


def test_a_new_king_begins_the_count_of_russian_draughts_anew(engine: Engine) -> None:
    # The third ply makes a king on 1: three pieces as before, and 5 moves of each player from there.
    fen, line = "W:WK32,5:BK4", ["32-28", "4-8", "5-1", "8-4"]
    after = ["28-32", "4-8", "32-28", "8-4"] * 3
    assert engine.outcome(limited("russian"), [*line, *after[:8]], fen) == ("ongoing", None)
    assert engine.outcome(limited("russian"), [*line, *after[:9]], fen) == ("draw", "endgame-limit")
    assert engine.outcome(limited("international"), [*line, *after[:6]], fen) == ("draw", "endgame-limit")


def test_a_turkish_king_each_is_a_draw_unless_one_can_be_taken(engine: Engine) -> None:
    turkish = shipped("turkish")
    assert engine.outcome(turkish, fen="W:WKa1:BKh8") == ("draw", "endgame-limit")
    assert engine.outcome(turkish, fen="B:WKa1:BKh8") == ("draw", "endgame-limit")
    assert engine.outcome(turkish, fen="W:WKa1:BKa4") == ("ongoing", None)
    assert engine.outcome(turkish, ["a1xa5:a4"], "W:WKa1:BKa4") == ("first", "no-pieces")
    assert engine.outcome(turkish, fen="W:WKa1:Bh6") == ("ongoing", None)
    assert engine.outcome(turkish, ["a1xa5:a4"], "W:WKa1:Ba4,Kh8") == ("draw", "endgame-limit")


@pytest.mark.parametrize(
    ("name", "value", "quiet"),
    [
        ("international", "international", 50),
        ("canadian", "international", 50),
        ("russian", "russian", 30),
        ("brazilian", "russian", 30),
        ("turkish", "turkish", 80),
        ("czech", "none", 30),
        ("pool", "pool", 60),
        ("pool-unified", "none", 80),
        ("breakthrough", "none", 50),
        ("english", "none", 80),
    ],
)
def test_national_games_are_drawn_as_their_federations_have_it(name: str, value: str, quiet: int) -> None:
    settings = shipped(name)
    assert (settings["endgame_limits"], settings["quiet_limit"]) == (value, quiet)


# --- Conflicts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"king_capture": "flying"},
        {"endgame_limits": "international", "goal": "first-king"},
        {"endgame_limits": "turkish", "goal": "first-king"},
        {"capture": "optional", "capture_choice": "most-pieces"},
        {"capture": "optional", "capture_choice": "spanish"},
        {"capture": "optional", "capture_choice": "italian"},
        {"rows": 4},
        {"empty_back_rows": 1},
        {"size": 4},
        {"size": 4, "rows": 2},
        {"size": 4, "rows": 1, "empty_back_rows": 1},
        {"size": 6},
        {"size": 10, "rows": 5},
        {"size": 12, "rows": 5, "empty_back_rows": 1},
        {"royal": "back-centre"},
        {"royal": "back-centre", "size": 10},
        {"royal": "back-centre", "size": 9, "empty_back_rows": 1},
        {"royal": "back-centre", "size": 4, "rows": 1},
        {"royal": "back-centre", "size": 9, "goal": "first-king"},
        {"men_step": "forward-and-sideways"},
    ],
    ids=str,
)
def test_conflicts_are_refused(changes: dict[str, Setting]) -> None:
    with pytest.raises(InputError):
        rulesets.derive_ruleset(rulesets.load_ruleset("draughts/english"), changes, "test", "test")


@pytest.mark.parametrize(
    "changes",
    [
        {"king_capture": "flying", "king_move": "flying"},
        {"capture": "optional"},
        {"size": 10, "rows": 4},
        {"rows": 2, "empty_back_rows": 1},
        {"size": 4, "rows": 1},
        {"size": 6, "rows": 2},
        {"size": 12, "rows": 5},
        {"goal": "first-king"},
        {"royal": "back-centre", "size": 9},
        {"men_step": "forward-and-sideways", "squares": "all"},
    ],
    ids=str,
)
def test_what_makes_sense_is_not_refused(changes: dict[str, Setting]) -> None:
    assert rulesets.derive_ruleset(rulesets.load_ruleset("draughts/english"), changes, "test", "test").own == changes


# --- Every value of every toggle --------------------------------------------------------------------------------------


def seen(engine: Engine, settings: Settings, witness: Witness) -> tuple[set[str], Outcome]:
    """Legal moves and outcome at the end of the witness's game."""
    moves = witness.moves * witness.times
    fen = (witness.setup or {}).get("fen", "")
    return engine.legal(settings, moves, fen), engine.outcome(settings, moves, fen)


@pytest.mark.parametrize("witness", witnesses.family_witnesses("draughts"), ids=str)
def test_witness_tells_the_value_from_the_default(engine: Engine, witness: Witness) -> None:
    base = rules(witness.base)
    with_value = seen(engine, base | {witness.toggle: witness.value}, witness)
    assert with_value != seen(engine, base, witness)
    holds(witness, *with_value)
