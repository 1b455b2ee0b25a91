"""What moves are worth: exactly where a ruleset is solved, and as a search sees it elsewhere."""

from __future__ import annotations

import pytest

from workbench.base import project
from workbench.base.project import Project
from workbench.players import judgement, library
from workbench.players.judgement import Judge, Worth, _sort_key
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

MATE_IN_ONE = {"fen": "7k/8/6K1/8/8/8/8/R7 w - - 0 1"}
pytestmark = pytest.mark.usefixtures("in_the_checkout")


def judged(name: str, *played: str, setup: dict[str, str] | None = None) -> tuple[str, list[Worth]]:
    ruleset = rulesets.load_ruleset(name)
    game_state = GameState(ruleset.game, ruleset.codes(), setup)
    for text in played:
        game_state.push_text(text)
    judge = Judge(ruleset, project.find_project())
    before = list(game_state.played)
    worths = judge.worths(game_state, game_state.legal())
    assert game_state.played == before
    assert judge.best(game_state) in worths
    return judge.name, sorted(worths, key=_sort_key, reverse=True)


def test_a_solved_ruleset_is_judged_as_its_solution_says() -> None:
    name, worths = judged("star/default")
    assert name == "optimal" and all(worth.exact for worth in worths)
    # rulesets/solutions.json, from another run of the solver, says that First wins in 29 plies.
    exact = library.load_exact_results(project.find_project())[rulesets.load_ruleset("star/default").fingerprint]
    assert (exact.value, exact.plies) == ("first", 29)
    assert (worths[0].score, worths[0].plies) == (1.0, 29)
    lost = [worth for worth in worths if worth.score == 0]
    assert lost and [worth.plies for worth in lost] == sorted((worth.plies or 0 for worth in lost), reverse=True)


@pytest.mark.thorough
def test_after_a_mistake_the_other_side_wins_as_fast_as_was_said() -> None:
    _, worths = judged("star/default")
    mistake = worths[-1]
    _, answers = judged("star/default", mistake.text)
    assert mistake.score == 0 and mistake.plies is not None
    assert (answers[0].score, answers[0].plies) == (1.0, mistake.plies - 1)


@pytest.mark.thorough
def test_a_position_that_no_game_reaches_is_no_draw_by_the_solution() -> None:
    name, worths = judged("star/default", setup={"board": "★○○/□□□/●●□"})
    assert name == "optimal" and worths


@pytest.mark.family("chess")
@pytest.mark.parametrize("mover", ["w", "b"])
def test_mate_in_one_is_the_best_move_and_known(mover: str) -> None:
    fen = MATE_IN_ONE["fen"] if mover == "w" else "7K/8/6k1/8/8/8/8/r7 b - - 0 1"
    name, worths = judged("chess/orthodox", setup={"fen": fen})
    assert name == "alphabeta-10k-net-1", "a net comes with orthodox chess"
    assert worths[0] == Worth(worths[0].move, "Ra8#", 1.0, True, 1)
    assert all(0.0 <= worth.score <= 1.0 for worth in worths) and not all(worth.exact for worth in worths)


def test_how_a_position_stands_depends_on_nothing_that_was_looked_at_before() -> None:
    ruleset = rulesets.load_ruleset("star/5x5")
    here, elsewhere = (GameState(ruleset.game, ruleset.codes()) for _ in range(2))
    elsewhere.push_text("b1")
    judge = Judge(ruleset, project.find_project())
    assert judge.solution is None
    first = judge.standing(here)
    for game_state in (elsewhere, here, elsewhere):
        judge.standing(game_state)
    assert judge.standing(here) == first == Judge(ruleset, project.find_project()).standing(here)


@pytest.mark.family("chess")
def test_a_hanging_queen_is_taken() -> None:
    _, worths = judged("chess/orthodox", setup={"fen": "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"})
    assert worths[0].text == "exd5" and worths[0].score > worths[-1].score + 0.2


def test_what_takes_long_to_solve_is_searched(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    ruleset = rulesets.load_ruleset("star/default")
    here = project.find_project()
    assert judgement.solvable(ruleset, here)
    monkeypatch.setattr(judgement, "SOLVED_AT_ONCE", 1000)
    assert not judgement.solvable(ruleset, Project(here.root / "docs"))
    assert not judgement.solvable(rulesets.load_ruleset("chess/orthodox"), here)
