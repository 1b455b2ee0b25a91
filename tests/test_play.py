"""A person at the keyboard: moves, commands, reasons, and an agent that answers."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from typer.testing import CliRunner

from tests.command_line import MATE, SMALL
from workbench import games
from workbench.cli import app
from workbench.engine.trials import best_move
from workbench.games.declaration import Board
from workbench.players import agents
from workbench.players.agents import AgentSpec
from workbench.players.match import Match, group_moves, position_text
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

RULESET = rulesets.load_ruleset(SMALL)
CODES = RULESET.codes()


def match(*lines: str, first: str = "human", second: str = "human", max_plies: int = 400) -> tuple[Match, str]:
    def player(words: str) -> AgentSpec | None:
        return None if words == "human" else agents.agent_from_text(words)

    waiting = iter(lines)
    console = Console(file=io.StringIO(), width=100)
    game = Match(RULESET, (player(first), player(second)), 0, max_plies, console, lambda: next(waiting, None))
    game.play()
    assert isinstance(console.file, io.StringIO)
    return game, console.file.getvalue()


def test_two_people_play_to_a_mate() -> None:
    game, shown = match(*MATE.split())
    assert game.game_state.texts == MATE.split()
    assert "Black (first) wins (mate)." in shown
    assert shown.rstrip().endswith(f"Moves: {MATE}")


@pytest.mark.parametrize(
    ("before", "typed", "reason"),
    [
        ("", "Oa1", "The opening requires a subject now"),
        ("", "e5", "The first subject may not be dropped in the centre zone."),
        ("a1", "Oe5", "Objects may not be placed in the centre zone."),
        ("a1 Oh8 Oa2", "a1", "a1 is occupied by Black's subject."),
        ("a1 Oh8 Oa2", "b2", "Adjacent drops are forbidden: b2 is next to the subject on a1."),
        ("a1 Oh8 Oa2 h1", "Oc3", "The object moves one step"),
        ("a1 Oh8 Oa2 h1", "a1-c3", "cannot reach c3"),
        ("a1 Oh8 Oa2 h1", "h1-h2", "it is Black's turn"),
        ("a1", "p99", "'p99' is not a move"),
    ],
)
def test_an_illegal_move_is_refused_with_its_reason(before: str, typed: str, reason: str) -> None:
    game, shown = match(*before.split(), typed)
    assert "Not allowed: " in shown and reason in shown
    assert game.game_state.texts == before.split()


@pytest.mark.family("chess")
def test_all_moves_of_one_side_in_a_row_are_marked() -> None:
    game_state = GameState("chess", rulesets.load_ruleset("chess/marseillais").codes())
    for text, squares in (("e4", 2), ("e5", 2), ("Nf6", 4), ("d4", 2)):
        game_state.push_text(text)
        assert len(game_state.touched()) == squares


def test_an_agent_answers_with_legal_moves() -> None:
    game, shown = match("f1", second="greedy")
    assert game.game_state.plies == 2 and f"White plays {game.game_state.texts[1]}" in shown
    assert match(first="random")[0].game_state.plies == 1


def test_undo_takes_back_the_answer_too_and_play_goes_on_the_same() -> None:
    played, _ = match("f1", second="greedy")
    game, _ = match("f1", "undo", "f1", second="greedy")
    assert game.game_state.texts == played.game_state.texts
    assert match("f1", "undo", second="greedy")[0].game_state.plies == 0
    assert match("a1", "Oh8", "undo")[0].game_state.texts == ["a1"], "between people one move"
    game, shown = match("undo", first="random")
    assert game.game_state.plies == 1 and "There is no move to take back." in shown


def test_moves_lists_by_square_and_by_beginning() -> None:
    _, shown = match("a1", "Oh8", "Oa2", "h1", "moves a1")
    assert "a1… (" in shown and "a1-b1" in shown
    assert "O… (" in match("a1", "moves")[1]
    assert "No legal move starts with 'zz'." in match("moves zz")[1]


def test_the_other_commands() -> None:
    _, shown = match("help", "rules", "", "movs", "BOARD", "quit", "a1")
    for words in ("takes back your last move", "nine square zones", "Did you mean the command 'moves'?"):
        assert words in shown
    assert shown.count("└──") == 2
    assert shown.rstrip().endswith("The game ends without a result.")
    assert "White resigns: Black (first) wins." in match("a1", "resign")[1]


def test_the_end_of_input_ends_the_game_politely() -> None:
    result = CliRunner().invoke(app, ["play", SMALL, "--first", "human", "--second", "random"], input="a1\n")
    assert result.exit_code == 0
    assert "End of input" in result.stdout


def test_a_game_stops_at_its_most_plies() -> None:
    assert "stopped after 2 plies" in match("a1", second="random", max_plies=2)[1]


# The agent's answer


def answer(words: str, played: list[int], seed: int = 0) -> int:
    return best_move("chatra", CODES, agents.agent_from_text(words).player(games.declaration("chatra")), seed, played)


@pytest.mark.parametrize("agent", ["random", "greedy", "alphabeta:depth=2", "best-first:nodes=300"])
def test_answers_are_legal_and_depend_on_seed_and_moves_alone(agent: str) -> None:
    game_state = GameState("chatra", CODES)
    for text in MATE.split()[:4]:
        game_state.push_text(text)
    legal = game_state.legal()
    answers = {seed: answer(agent, game_state.played, seed) for seed in (0, 2**64 - 1)}
    for seed, move in answers.items():
        assert move in legal
        assert answer(agent, game_state.played, seed) == move


def test_there_is_no_answer_where_no_move_is_legal() -> None:
    game_state = GameState("chatra", CODES)
    for text in MATE.split():
        game_state.push_text(text)
    assert answer("greedy", game_state.played) == -1


# Drawing


def test_moves_are_grouped_by_origin_or_kind() -> None:
    assert group_moves(["f9", "e12-e2", "Ok2", "e12-f12", "Ng1-f3", "31x22", "e4"]) == {
        "": ["f9", "e4"], "e12": ["e12-e2", "e12-f12"], "O": ["Ok2"], "Ng1": ["Ng1-f3"], "31": ["31x22"],
    }  # fmt: skip


def test_boards_are_drawn_with_names_marks_shades_and_notes() -> None:
    before = Board((("", "A"), ("", "")), ("a", "b"), ("10", "9"))
    after = Board((("", ""), ("A", "")), ("a", "b"), ("10", "9"), frozenset({(0, 0)}), ("in hand: 3",))
    assert before.changes(after) == {(0, 1), (1, 0)}
    assert position_text(after, before.changes(after)).plain.splitlines() == [
        "     a  b ",
        "   ┌──────┐",
        "10 │ : [·]│ 10",
        " 9 │[A] · │ 9",
        "   └──────┘",
        "     a  b ",
        "    in hand: 3",
    ]


def test_owners_that_symbols_do_not_tell_are_drawn_and_seen_to_change() -> None:
    before = Board((("王", ""),), ("a", "b"), ("1",), owners=((0, -1),))
    after = Board((("王", ""),), ("a", "b"), ("1",), owners=((1, -1),))
    assert before.changes(after) == {(0, 0)}
    assert "v王" in position_text(after).plain and "v王" not in position_text(before).plain
