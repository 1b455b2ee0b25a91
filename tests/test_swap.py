"""The rules of all families: sides that may be swapped (the pie rule), and what a draw counts."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import workbench as wb
from tests import few
from tests.command_line import as_json, printed
from tests.conftest import leave_out_charts
from tests.toy import games as records
from tests.toy import plan_for
from workbench import games
from workbench.addons.solver import solving
from workbench.base import project as projects
from workbench.engine import contract, trials
from workbench.engine.players import BlockArguments, Player
from workbench.engine.trials import OFFERED, OPEN, best_move
from workbench.players import agents, library
from workbench.players.external import WorkbenchPlayer, play_game
from workbench.players.judgement import Judge, Search
from workbench.players.match import Match
from workbench.positions.game_state import GameState, IllegalMove
from workbench.rules import rulesets
from workbench.rules.rulesets import Ruleset
from workbench.statistics.openings import even_opening_table

PIE = rulesets.load_ruleset("star/pie")
SWAP = contract.SWAP
FIRST, SECOND, DRAW = contract.FIRST, contract.SECOND, contract.DRAW


def player(label: str, ruleset: Ruleset = PIE) -> Player:
    return library.engine_player(agents.agent_from_text(label, [games.declaration(ruleset.game)]), ruleset)


def block(
    ruleset: Ruleset, label: str, seeds: int | list[int] = 30, plies: int = 60, lines: Any = None, second: str = ""
) -> dict[str, Any]:
    one, two = player(label, ruleset), player(second or label, ruleset)
    words = np.array([*range(seeds)] if isinstance(seeds, int) else seeds, np.uint64)
    asked = BlockArguments(ruleset.game, ruleset.codes(), one, two, words, plies, keep=plies, lines=lines)
    return trials.run_block(asked)


def moves_of(arrays: dict[str, Any], game: int) -> list[int]:
    return [int(move) for move in arrays["opening"][game] if move >= 0]


def replayed(ruleset: Ruleset, moves: list[int]) -> GameState:
    state = GameState(ruleset.game, ruleset.codes())
    for move in moves:
        assert move in state.legal()
        state.push(move)
    return state


@pytest.mark.kernel
@pytest.mark.parametrize("swap", ["after-first", "after-second", 3, 4])
@pytest.mark.parametrize("label", ["random", "greedy", "alphabeta-2"])
def test_only_the_second_player_swaps_and_only_at_the_first_turn_after_the_ply(label: str, swap: str | int) -> None:
    ruleset = PIE.derive(swap=swap)
    after = {"after-first": 1, "after-second": 2}.get(str(swap), swap)
    arrays = block(ruleset, label, 12)
    for game, swapped in enumerate(arrays["swapped"]):
        moves = moves_of(arrays, game)
        assert moves.count(SWAP) == swapped and len(moves) == arrays["plies"][game]
        # In the star game the players take turns: the second one's turns come after odd numbers of plies.
        if swapped:
            assert moves.index(SWAP) == (after if int(after) % 2 else int(after) + 1)
        state = replayed(ruleset, moves)
        assert state.result == arrays["result"][game]
        sides = [int(contract.seat(state.rules, state.before(ply))) for ply in range(state.plies)]
        turns = [side for ply, side in enumerate(sides) if moves[ply] != SWAP]
        assert turns == [ply % 2 for ply in range(len(turns))]


@pytest.mark.kernel
def test_at_random_sides_are_swapped_half_of_the_time_and_neither_player_gains() -> None:
    arrays = block(PIE, "random", 600)
    assert abs(arrays["swapped"].mean() - 0.5) < 3 * 0.5 / 600**0.5
    finished = arrays["result"] != contract.ONGOING
    assert abs((arrays["result"][finished] == FIRST).mean() - 0.5) < 3 * 0.5 / finished.sum() ** 0.5


@pytest.mark.kernel
def test_players_swap_by_what_they_think_of_the_sides_and_the_first_makes_them_even() -> None:
    """By the rule text: the greedy player's look at the best answer to each first move."""
    weights = np.array(player("greedy").weights)

    def lead(state: GameState) -> float:
        """The first side's advantage as the greedy second side sees it: after its own best answer."""
        answers = []
        for move in [one for one in state.legal() if one != SWAP]:
            state.push(move)
            features = np.zeros(len(weights))
            contract.features(state.rules, state.state, features)
            answers.append(float(weights @ features))
            state.undo()
        return min(answers)

    start = GameState("star", PIE.codes())
    leads = {}
    for move in start.legal():
        start.push(move)
        leads[move] = lead(start)
        start.undo()
    least = min(map(abs, leads.values()))
    arrays = block(PIE, "greedy", 12)
    for game in range(12):
        first, *rest = moves_of(arrays, game)
        assert abs(leads[first]) == pytest.approx(least)
        assert (rest[0] == SWAP) == (leads[first] > 0)
    # A player who plays at random makes no sides even: the greedy one takes what is better of any.
    arrays = block(PIE, "random", 40, second="greedy")
    seen = set()
    for game in range(40):
        first, *rest = moves_of(arrays, game)
        assert (rest[0] == SWAP) == (leads[first] > 0)
        seen.add(rest[0] == SWAP)
    assert len(seen) == len({value > 0 for value in leads.values()})


PINNED = {"greedy": "7f08c8dac971880a", "alphabeta-2": "a08f9c42e2f9943a", "alphabeta-200n": "22173f4429ea9e47",
          "best-first-200n": "94822f9dd3924726"}  # fmt: skip


@pytest.mark.kernel
@pytest.mark.parametrize("label", PINNED)
def test_games_are_the_same_in_any_block_and_with_and_without_machine_code(label: str) -> None:
    arrays = block(PIE, label, 6, 24)
    assert f"{int(arrays['game_hash'].sum(dtype=np.uint64)):016x}" == PINNED[label]
    for game in (5, 2):
        alone = block(PIE, label, [game], 24)
        assert alone["game_hash"][0] == arrays["game_hash"][game] and alone["result"][0] == arrays["result"][game]
        # By the moves alone, as records that keep them are played again.
        again = block(PIE, "random", [game], 24, alone["opening"])
        assert again["game_hash"][0] == alone["game_hash"][0]
        assert (again["result"][0], again["swapped"][0]) == (alone["result"][0], alone["swapped"][0])


@pytest.mark.kernel
def test_advisers_swap_as_in_a_block() -> None:
    for label in ("greedy", "alphabeta-2"):
        arrays = block(PIE, label, 4, 24)
        for game in range(4):
            seats = [WorkbenchPlayer(player(label), 24), WorkbenchPlayer(player(label), 24)]
            assert play_game("star", PIE.codes(), seats, game, 24, []) == moves_of(arrays, game)


@pytest.mark.kernel
def test_lines_as_long_as_the_ply_leave_no_swap() -> None:
    (line,) = [replayed(PIE, []).legal()[:1]]
    lines = np.array([line] * 20, np.int32)
    assert not block(PIE, "random", 20, lines=lines)["swapped"].any()
    plain = PIE.unswapped
    assert plain.fingerprint == rulesets.load_ruleset("star/default").fingerprint and not plain.swap_ply
    hashes = [block(rules, "greedy", 8, lines=lines[:8])["game_hash"].tolist() for rules in (PIE, plain)]
    assert hashes[0] == hashes[1]
    # After the ply of the swap a player has chosen.
    assert block(PIE.derive(swap=3), "random", 40, lines=lines.repeat(2, axis=0))["swapped"].any()


def test_a_game_in_play_has_seats_and_sides() -> None:
    state = GameState("star", PIE.codes())
    assert (state.seat, state.side, state.swap) == (0, 0, OPEN)
    assert state.why_not("swap") == "sides cannot be swapped here"
    state.push_text("b2")
    assert (state.seat, state.side, state.swap) == (1, 1, OFFERED)
    assert state.legal_texts()[-1] == "swap"
    before = state.board()
    state.push_text("Swap")
    assert (state.texts, state.seat, state.side, state.swapped) == (["b2", "swap"], 0, 1, True)
    assert state.board() == before and "swap" not in state.legal_texts()
    assert state.touched() == {(1, 1)}
    copied = state.copy()
    state.undo()
    assert (state.seat, copied.seat) == (1, 0)
    state.push_text("a2")
    assert "swap" not in state.legal_texts() and (state.seat, state.side) == (0, 0)
    with pytest.raises(IllegalMove, match="sides cannot be swapped here"):
        state.push_text("swap")
    assert GameState("star", PIE.unswapped.codes()).swap == 0


def test_a_swap_is_no_repetition_of_the_position() -> None:
    ruleset = PIE.derive(repetition=2)
    state = replayed(ruleset, [])
    for text in ("b2", "swap", "a2"):
        state.push_text(text)
    assert state.outcome() == (contract.ONGOING, None)
    arrays = block(ruleset, "random", 40)
    assert all(replayed(ruleset, moves_of(arrays, game)).result == arrays["result"][game] for game in range(40))


def test_a_person_swaps_at_the_terminal() -> None:
    waiting = iter(["b2", "swap", "a2", "undo", "resign"])
    console = Console(file=io.StringIO(), width=100)
    Match(PIE, (None, None), 0, 60, console, lambda: next(waiting, None)).play()
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "Second (●), ply 2>" in shown and "Second (●), ply 3>" in shown and "First (○), ply 4>" in shown
    assert "Second (●) resigns: First (○) (second) wins." in shown, "the first player has the second side by now"


@pytest.mark.family("chess")
def test_games_that_are_exchanged_say_who_played_which_side() -> None:
    ruleset = rulesets.load_ruleset("chess/orthodox").derive(swap="after-first")
    game = wb.Game(ruleset, "f3 swap e5 g4 Qh4")
    outcome = game.outcome()
    assert outcome is not None and (outcome.result, game.seat) == ("first", "second")
    pgn = game.pgn("Ada", "Bob")
    assert '[White "Bob (White)"]' in pgn and '[Result "0-1"]' in pgn and '[Swap "after ply 1"]' in pgn
    assert "1. f3 e5 2. g4 Qh4# 0-1" in pgn


@pytest.mark.parametrize("name", few.first(1, ["star/two-pieces", "draughts/english-4x4", "star/default"]))
@pytest.mark.thorough
def test_on_solved_boards_the_second_player_never_loses(name: str, tmp_path: Path) -> None:
    base = rulesets.load_ruleset(name)
    ruleset = base.derive(swap="after-first")
    plain, swapped = solving.solve_ruleset(base), solving.solve_ruleset(ruleset)
    words, values = swapped.book
    np.savez(tmp_path / "book.npz", words=words, values=values)
    assert np.array_equal(values, plain.book[1])
    best = player("alphabeta-2", ruleset)
    optimal = agents.agent_from_text("optimal").player(games.declaration(base.game))
    optimal = optimal._replace(solution=str(tmp_path / "book.npz"))
    for first in (optimal, best, player("random", ruleset)):
        arrays = trials.run_block(BlockArguments(ruleset.game, ruleset.codes(), first, optimal, np.arange(40), 120))
        # Play without end is no result, and nobody's loss.
        assert not (arrays["result"] == FIRST).any()
    # What is known of the first move decides: a drawn one if there is one.
    state = GameState(base.game, base.codes())
    known = {abs(value) > 1 for _, value in library.moves_with_values(state, plain.book)}
    assert swapped.exact.value == ("draw" if False in known else "second")
    assert swapped.exact.random is None


def test_who_looks_at_an_offered_swap_answers_with_a_ply_that_is_legal() -> None:
    """The swap is none of the moves that a search plays: it was taken for a place in an array."""
    for label in ("greedy", "alphabeta-2", "alphabeta-200n", "best-first-200n"):
        search = Search(agents.agent_from_text(label, [games.declaration("star")]), PIE)
        for move in GameState("star", PIE.codes()).legal():
            plain, state = (replayed(rules, [move]) for rules in (PIE.unswapped, PIE))
            ply, first = search.analyse(state)
            answer, alone = search.analyse(plain)
            assert (ply == SWAP) == (alone > 0.5) and first == min(alone, 1 - alone)
            assert ply in state.legal() and ply in (SWAP, answer)


def test_a_first_move_is_worth_what_it_leaves_after_the_swap() -> None:
    """On a solved board the first move wins nothing, since the second player takes whatever has won."""
    judge = Judge(PIE, projects.shipped_project())
    start = GameState("star", PIE.codes())
    assert judge.name == "optimal" and judge.standing(start) == (0.0, True)
    assert {worth.score for worth in judge.worths(start, start.legal())} == {0.0}
    for move in start.legal():
        start.push(move)
        worths = {worth.move: worth for worth in judge.worths(start, start.legal())}
        best = judge.best(start)
        assert best is not None and best.score == 1.0
        assert (worths[SWAP].score == 1.0) == all(worth.score == 0 for one, worth in worths.items() if one != SWAP)
        start.undo()


@pytest.mark.parametrize("move", [SWAP, -1, 10**6])
def test_what_is_no_legal_move_reaches_no_kernel(move: int) -> None:
    state = GameState("star", PIE.codes())
    with pytest.raises(IllegalMove, match="is not a legal move"):
        state.push(move)
    assert not state.played and state.legal() == GameState("star", PIE.codes()).legal()


def test_what_one_counts_of_moves_leaves_the_swap_out() -> None:
    counted = as_json("perft", "star/pie", "2", "--moves", "b2", "--divide", "--json")
    assert sum(counted["divide"].values()) == counted["counts"][1] and "swap" not in counted["divide"]


@pytest.mark.family("draughts")
@pytest.mark.parametrize(("value", "winner"), [(0, "second"), (1, "first")])
def test_a_drawn_game_is_won_where_draws_are(value: int, winner: str) -> None:
    base = rulesets.load_ruleset("draughts/english-4x4")
    drawn = solving.solve_ruleset(base).exact
    assert drawn.value == "draw"
    exact = solving.solve_ruleset(base.derive(draw_value=value)).exact
    assert exact.value == winner
    assert exact.terminals == drawn.terminals


@pytest.mark.kernel
def test_draws_are_wins_where_the_rules_say_so_and_players_know_it() -> None:
    base = rulesets.load_ruleset("star/stuck-draws")
    arrays = {value: block(base.derive(draw_value=value), "random", 200) for value in (0, 1)}
    arrays[2] = block(base, "random", 200)
    assert (arrays[2]["result"] == DRAW).any()
    # Random players play on as they did: the same games count otherwise.
    for value, winner in ((0, SECOND), (1, FIRST)):
        assert arrays[value]["game_hash"].tolist() == arrays[2]["game_hash"].tolist()
        assert arrays[value]["termination"].tolist() == arrays[2]["termination"].tolist()
        expected = np.where(arrays[2]["result"] == DRAW, winner, arrays[2]["result"])
        assert arrays[value]["result"].tolist() == expected.tolist()


@pytest.mark.family("chess")
@pytest.mark.kernel
@pytest.mark.parametrize("label", ["greedy", "alphabeta-2", "alphabeta-300n", "best-first-300n"])
def test_players_go_for_a_draw_that_wins(label: str) -> None:
    """White stalemates with Kb6 (a8 is cornered by the pawn on a7) or moves elsewhere."""
    orthodox = rulesets.load_ruleset("chess/orthodox")
    position = {"fen": "k7/P7/8/1K6/8/8/8/8 w - - 0 1"}

    def chosen(value: float) -> str:
        ruleset = orthodox.derive(draw_value=value)
        state = GameState("chess", ruleset.codes(), position)
        move = best_move("chess", ruleset.codes(), player(label, ruleset), 1, [], state.state)
        text = state.format(move)
        state.push(move)
        return text if state.outcome()[0] == contract.ONGOING else f"{text} {state.outcome()}"

    assert chosen(1) == f"Kb6 {(FIRST, 'stalemate')}"
    assert chosen(0).split()[0] != "Kb6"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("project") / "mine"
    with pytest.MonkeyPatch.context() as patch:
        printed("init", str(path))
        patch.chdir(path)
        leave_out_charts(patch)
        (path / "experiments" / "pie.yaml").write_text(QUESTION, encoding="utf-8")
        printed("run", "pie", "--workers", "1")
    return path


QUESTION = """
title: Does the pie rule make the star game even?
rulesets: [star/default, star/pie]
agents: [random, greedy]
games: 60
seed: 3
block: 20
"""


@pytest.fixture
def there(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(project)
    return project


@pytest.mark.thorough
def test_records_say_whether_sides_were_swapped(there: Path) -> None:
    played = wb.load("pie")
    assert played[played["ruleset"] == "star/default"]["swapped"].max() == 0
    assert played[played["ruleset"] == "star/pie"]["swapped"].max() == 1
    words = played["opening"].str.split()
    assert ((words.str[1] == "swap") == (played["swapped"] == 1)).all()
    swapped = played[(played["swapped"] == 1) & (played["first"] == "greedy")].head(3)
    for _, row in swapped.iterrows():
        again = wb.replay(row)
        assert again.moves[1] == "swap" and again.result == row["result"] and again.plies == row["plies"]
    plies = wb.moves(swapped.head(1))
    assert plies["seat"].tolist()[:3] == ["first", "second", "first"]


def test_the_report_tells_of_swaps_and_of_first_moves(there: Path) -> None:
    report = there / "reports" / "pie"
    swaps = pd.read_csv(report / "tables" / "swaps.csv").set_index("first")
    played = wb.load("pie")
    summary = pd.read_csv(report / "summary.csv")
    for agent in ("random", "greedy"):
        told = {name: float(swaps[name][agent]) for name in ("share", "side_score", "score_without")}
        mine = played[(played["ruleset"] == "star/pie") & (played["first"] == agent)]
        finished = mine[mine["result"] != "unfinished"]
        first_side = (finished["result"] == "first") == (finished["swapped"] == 0)
        plain = summary[(summary["ruleset"] == "star/default") & (summary["first"] == agent)]["first_score"]
        expected = {"share": mine["swapped"].mean(), "side_score": first_side.mean(), "score_without": plain.iloc[0]}
        assert told == pytest.approx(expected, abs=1e-5, nan_ok=True)
    assert set(swaps["without"]) == {"star/default"}
    moves = pd.read_csv(report / "tables" / "first_moves.csv")
    of_random = moves[moves["first"] == "random"]
    assert set(of_random["move"]) == {"b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"} & set(of_random["move"])
    assert of_random["games"].sum() == 60 and set(moves["ruleset"]) == {"star/pie"}


@pytest.mark.thorough
def test_even_openings_are_those_whose_interval_lies_in_the_target(there: Path) -> None:
    played = wb.load("pie")
    every = wb.even_openings("pie", 1, every=True)
    assert set(every["status"]) <= {"balanced", "first", "second", "undecided"} and not wb.even_openings("pie", 1).size
    row = every[(every["ruleset"] == "star/pie") & (every["first"] == "greedy")].iloc[0]
    mine = played[(played["ruleset"] == "star/pie") & (played["first"] == "greedy")]
    began = mine[mine["opening"].str.split().str[0] == row["opening"]]
    assert row["games"] == len(began) >= 30
    assert wb.Game("star/default", row["opening"]).ply == 1
    # The swap is no ply of an opening.
    assert not wb.even_openings("pie", 2, every=True)["opening"].str.contains("swap").any()
    with pytest.raises(wb.InputError, match="expected"):
        wb.even_openings("pie", 7)


def test_lines_of_many_games_are_found_even() -> None:
    line = [0] * 2000 + [1] * 2000
    played = records("wl" * 1000 + "w" * 1900 + "l" * 100).assign(line=line)
    plan = plan_for("toy/base", line_texts={"toy/base": ("a b", "c d")}, margin=0.05)
    table = even_opening_table(played, plan, 2)
    assert table[["opening", "status"]].values.tolist() == [["a b", "balanced"], ["c d", "first"]]


def test_lines_that_leave_no_swap_are_warned_of(there: Path) -> None:
    (there / "experiments" / "lines.yaml").write_text(QUESTION + "openings: {plies: 2, lines: 20}\n", encoding="utf-8")
    assert "will not be swapped" in printed("plan", "lines", "--seconds", "0.1")
