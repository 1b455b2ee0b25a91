"""The solver against the twins, its limits, and the solved rulesets that are shipped with their values."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer

from tests import few
from tests.calibration import estimates
from tests.command_line import call, printed
from tests.games import exact
from tests.games.chatra import twin as chatra
from tests.games.chess import twin as chess
from tests.games.draughts import twin as draughts
from tests.games.star import twin as star
from workbench.addons.solver import solving
from workbench.addons.solver.command import progress_bar
from workbench.addons.solver.solving import SolutionStep, StateGraph
from workbench.base import project
from workbench.base.errors import InputError
from workbench.engine import contract, trials
from workbench.engine.players import BlockArguments
from workbench.players import library
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState
from workbench.rules import rulesets
from workbench.rules.ruleset_files import Library

ROOT = Path(__file__).parents[3]
ENTRIES: dict[str, dict[str, Any]] = {
    entry["ruleset"]: entry for entry in json.loads((ROOT / "rulesets" / "solutions.json").read_text(encoding="utf-8"))
}
SHIPPED = {name: entry for name, entry in ENTRIES.items() if "/solved/" in name}
TWINS = {"star": star, "chatra": chatra, "chess": chess, "draughts": draughts}


@pytest.mark.parametrize(
    "name",
    [
        *few.first(
            1,
            [
                *("star/solved/two-no-foul", "draughts/solved/4x4-one-row", "chatra/solved/3x3-one"),
                *("chatra/solved/3x3-one-stuck-loses-drop-checks-check-frees", "draughts/solved/4x4-one-row-lose-all"),
                *("draughts/solved/4x4-one-row-first-king", "draughts/solved/4x4-one-row-optional"),
                "draughts/solved/4x4-one-row-flying-far-captures-backwards",
                *("draughts/solved/4x4-one-row-all-first-king", "chess/solved/antichess-bishop-against-knight"),
            ],
        ),
        pytest.param("chess/solved/antichess-pawn-against-king", marks=pytest.mark.slow),
    ],
)
@pytest.mark.thorough
def test_the_twin_alone_comes_to_the_same(name: str) -> None:
    ruleset = rulesets.load_ruleset(name)
    solved = solving.solve_ruleset(ruleset, random=False).exact
    truth = exact.solve(TWINS[ruleset.game], ruleset.settings)
    assert (solved.value, solved.plies) == (truth.value, truth.plies)
    assert (solved.states, solved.transitions) == (truth.states, truth.transitions)
    assert dict(solved.terminals) == truth.endings


def graph(name: str, kept: bool) -> StateGraph:
    listed = StateGraph(rulesets.load_ruleset(name).rules(), 1_000_000, 1 << 30)
    if not kept:
        listed.targets = None
    listed.list_states()
    listed.value_states()
    return listed


@pytest.mark.thorough
def test_without_kept_transitions_the_values_are_the_same() -> None:
    kept, made_again = (graph("star/solved/two-no-foul", one) for one in (True, False))
    assert made_again.targets is None and kept.transitions == made_again.transitions
    assert (kept.states == made_again.states).all() and (kept.values == made_again.values).all()
    assert Counter(np.sign(kept.values).tolist())[1] > 100
    now = again = np.eye(1, kept.found)[0]
    for _ in range(4):
        now, again = kept.random_step(now), made_again.random_step(again)
    assert np.allclose(now, again, rtol=1e-12) and 0.9 < now.sum() < 1.0  # some games have ended


def test_the_command_says_what_memory_it_will_take_and_stops_at_its_limit() -> None:
    result = call("solve", "star/default", "--memory", "0.002")
    assert result.exit_code == 2
    assert "a state takes 7 bytes" in result.output and "2.0 MiB holds about" in result.output
    assert "star/default cannot be solved: more than 2.0 MiB of memory is needed" in result.output


@pytest.mark.thorough
def test_king_and_rook_mate_as_is_known() -> None:
    """T. Ströhlein, 1970: in no more than 16 moves. There are 216 mates and 68 stalemates."""
    solved = graph("chess/solved/king-and-rook", True)
    assert solved.values.max() == 1 + 2 * 16  # plies, Black to move first
    entry = SHIPPED["chess/solved/king-and-rook"]
    assert (entry["terminals"]["mate"], entry["terminals"]["stalemate"]) == (216, 68)
    assert (entry["plies"], SHIPPED["chess/solved/king-against-rook"]["plies"]) == (21, 28)


@pytest.mark.family("draughts")
def test_repetition_that_draws_changes_no_value() -> None:
    """A win needs no repetition, and a draw is a draw with and without the rule."""
    for name in ("draughts/solved/4x4-one-row", "draughts/solved/4x4-one-row-lose-all"):
        drawing = rulesets.load_ruleset(name)
        endless = rulesets.derive_ruleset(drawing, {"repetition": 0}, name, name)
        with_rule, without = (solving.solve_ruleset(one).exact for one in (drawing, endless))
        assert with_rule.random is None and without.random is not None
        assert (with_rule.value, with_rule.plies) == (without.value, without.plies)


def test_progress_tells_states_then_values() -> None:
    steps: list[SolutionStep] = []
    solving.solve_ruleset(rulesets.load_ruleset("star/solved/two-no-foul"), progress=steps.append, random=False)
    stages = list(dict.fromkeys(step.stage for step in steps))
    assert stages == ["states", "values", "positions"]
    assert steps[0].share is None and all(0 <= (step.share or 0) <= 1 for step in steps)
    assert steps[-1].states == 6_297


def test_ctrl_c_ends_it_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        with progress_bar() as progress:
            progress(SolutionStep("states", 1_234_567, "", None, 1 << 20))
            raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as stopped:
        interrupted()
    assert stopped.value.exit_code == 130
    assert capsys.readouterr().err.strip() == "Stopped after 1,234,567 states were found: nothing was saved."


def test_every_solved_ruleset_has_its_value_and_there_are_enough_of_each() -> None:
    names = [name for name in Library(project.Project(ROOT)).unlisted if "/solved/" in name]
    assert names == sorted(SHIPPED)
    assert len(names) >= 60
    assert {name.partition("/")[0] for name in names} == {"star", "chatra", "chess", "draughts", "rengo"}
    values = Counter(entry["value"] for entry in SHIPPED.values())
    assert min(values[value] for value in ("first", "second", "draw")) >= 10
    for name in names:
        ruleset = rulesets.load_ruleset(name)
        assert ruleset.known is not None and ruleset.known.best_play == SHIPPED[name]["value"]
        assert ruleset.title and ruleset.title_ja
    prints = [entry["fingerprint"] for entry in SHIPPED.values()]
    assert len(set(prints)) == len(prints)


def test_no_list_of_rulesets_shows_them() -> None:
    assert not {*rulesets.ruleset_names()} & {*SHIPPED}
    assert not [one for one in rulesets.load_all_rulesets() if "/solved/" in one.name]


QUICK = [
    *("star/solved/two-shape", "star/solved/three-no-foul-stuck-draws", "chatra/solved/3x3-three"),
    *("chatra/solved/3x3-two-stuck-loses-adjacent-limits-stay", "draughts/solved/4x4-one-row-all-first-king"),
    *("draughts/solved/6x6-two-rows-first-king", "rengo/solved/knight-against-king"),
    *("chess/solved/king-and-rook", "chess/solved/antichess-two-pawns-each"),
]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.thorough if name in QUICK else pytest.mark.slow) for name in sorted(ENTRIES)],
)
def test_what_is_shipped_is_solved_again(name: str) -> None:
    kept = {key: value for key, value in ENTRIES[name].items() if key not in ("ruleset", "fingerprint")}
    again = solving.solve_ruleset(rulesets.load_ruleset(name), 20_000_000).exact.as_json()
    of_random, as_kept = again.pop("random"), kept.pop("random")
    assert again == kept
    assert (of_random is None) == (as_kept is None)
    assert as_kept is None or of_random == pytest.approx(as_kept, rel=1e-9)


@pytest.fixture(scope="module")
def small() -> solving.Solution:
    return solving.solve_ruleset(rulesets.load_ruleset("star/two-pieces"))


@pytest.mark.thorough
def test_the_default_game_is_what_is_known_of_it() -> None:
    solution = solving.solve_ruleset(rulesets.load_ruleset("star/default"))
    exact = solution.exact
    assert (exact.value, exact.plies) == ("first", 29) and exact.random is not None
    assert (exact.positions, exact.states, exact.transitions) == (22_657, 462_411, 2_042_636)
    assert exact.terminals == {"surrounded": 1_528, "stuck": 6_792}
    assert f"{exact.random['first']:.12f} {exact.random['second']:.12f}" == "0.511133708735 0.488866291265"
    assert (exact.random["draw"], f"{exact.random['plies']:.9f}") == (0.0, "11.778382126")
    # Columns of a state: pieces of both, star, turn, and what the foul rule remembers.
    assert len(np.unique(solution.states[:, :3], axis=0)) == 12_217
    assert set(exact.random) == {"first", "second", "draw", "plies"}


def test_the_shipped_values_are_of_rulesets_that_are_shipped() -> None:
    for name, entry in ENTRIES.items():
        assert entry["fingerprint"] == rulesets.load_ruleset(name).fingerprint, name


def test_too_many_states_and_rules_that_look_at_the_history_are_refused() -> None:
    with pytest.raises(InputError, match=r"more than 10,000 states .*--max-states"):
        solving.solve_ruleset(rulesets.load_ruleset("star/default"), max_states=10_000)
    with pytest.raises(InputError, match=r"chatra/9x9 cannot be solved: repeating a position can lose"):
        solving.solve_ruleset(rulesets.load_ruleset("chatra/9x9"))


@pytest.fixture
def saved(small: solving.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> project.Project:
    shutil.copytree(ROOT / "rulesets", tmp_path / "rulesets")
    monkeypatch.chdir(tmp_path)
    where = project.find_project()
    solving.save_solution(small, rulesets.load_ruleset("star/two-pieces"), where)
    return where


def test_perfect_players_play_the_game_that_was_foretold_and_nobody_beats_them(saved: project.Project) -> None:
    two = rulesets.load_ruleset("star/two-pieces")
    optimal, random = (library.solved_player(AgentSpec.of(kind), two, saved) for kind in ("optimal", "random"))
    arrays = trials.run_block(BlockArguments("star", two.codes(), optimal, optimal, np.arange(50), 100))
    assert (arrays["result"] == contract.FIRST).all()
    assert (arrays["plies"] == 19).all()
    assert len(set(arrays["game_hash"].tolist())) > 1, "among equal moves the choice is random"
    arrays = trials.run_block(BlockArguments("star", two.codes(), optimal, random, np.arange(200), 200))
    assert (arrays["result"] == contract.FIRST).all()
    assert (arrays["plies"] <= 19).all()


def test_a_perfect_player_without_a_solution_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"needs the solution of star/shape.*workbench solve star/shape --save"):
        library.solved_player(AgentSpec.of("optimal"), rulesets.load_ruleset("star/shape"), project.Project(tmp_path))


def test_the_value_of_each_legal_move_is_told(saved: project.Project) -> None:
    two = rulesets.load_ruleset("star/two-pieces")
    game_state = GameState("star", two.codes())
    told = library.moves_with_values(game_state, library.load_or_solve(two, saved))
    assert sorted(text for text, _ in told) == sorted(game_state.legal_texts())
    assert library.describe_value(told[0][1], ("First", "Second"), played=1) == "First wins in 19"
    assert [value for _, value in told] == sorted((value for _, value in told), reverse=True)
    assert "First (○) wins in 19:" in printed("play", "star/two-pieces", "--first", "optimal", "--explain")


@pytest.mark.thorough
def test_a_report_shows_what_is_known_beside_the_estimate(
    saved: project.Project, tmp_path: Path, no_charts: None
) -> None:
    file = tmp_path / "known.yaml"
    file.write_text(
        "title: Known\nrulesets: [star/default, star/4x4]\nagents: [random]\ngames: 2000\nmax_plies: 1000\n",
        encoding="utf-8",
    )
    printed("run", str(file), "--out", str(tmp_path / "out"), "--workers", "1")
    shown = printed("report", str(tmp_path / "out"), "--tables")
    assert "51.11\xa0%" in shown and "11.78" in shown
    lines = (tmp_path / "out" / "tables" / "exact.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0] for line in lines] == ["ruleset", "star/default"]


def calibrated(games: int, *names: str) -> estimates.Calibration:
    asked = estimates.question()
    chosen = tuple(one for one in asked.rulesets if one.name in names) if names else asked.rulesets
    return estimates.calibrate(dataclasses.replace(asked, games=games, rulesets=chosen, baseline=chosen[0].name))


@pytest.mark.thorough
def test_random_games_agree_with_the_exact_values_and_biased_ones_do_not() -> None:
    made = calibrated(200_000, "star/default", "star/two-pieces")
    honest = made.table[made.table["honest"]]
    # Of 200 lots of a thousand games; three Monte Carlo errors.
    assert honest["agrees"].all() and honest["coverage"].between(0.9, 0.995).all()
    assert not made.table[~made.table["honest"]]["agrees"].any()


@pytest.mark.slow
def test_a_million_random_games_of_every_solved_ruleset_agree_with_the_exact_values() -> None:
    made = calibrated(1_000_000)
    honest = made.table[made.table["honest"]]
    assert len(honest) == 7
    assert honest["inside"].all()
    assert honest["coverage"].between(*estimates.COVERAGE).all()
    assert made.passed


def test_so_few_games_that_no_lengths_can_be_told_apart() -> None:
    lengths = np.array([[0.0, 0.0, 0.0], [0.5, 0.3, 0.2]])
    results = pd.Categorical(["first"], categories=["unfinished", "first", "second", "draw"])
    assert estimates._chi_square(pd.DataFrame({"result": results, "plies": [1]}), lengths) == 1.0
    results = pd.Categorical(["unfinished"], categories=["unfinished", "first", "second", "draw"])
    assert estimates._chi_square(pd.DataFrame({"result": results, "plies": [1]}), lengths) == 1.0
