"""What is said of strong play, where the truth is known: players drawn from a model, and verdicts by construction."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.calibration.verdicts import PLAYED, StrongCalibration, calibrate, together, write
from tests.simulations.scoring import true_effect
from tests.simulations.worlds import Experiment, World
from tests.toy import drawn, plan_for, plan_from, ruleset, with_keys
from workbench.experiments.experiment_files import DrawnLines, Published, PublishedEstimate
from workbench.experiments.measures import FIRST_SCORE
from workbench.players.agent_kinds import Program
from workbench.players.agents import AgentSpec
from workbench.statistics import strong_play as strong
from workbench.statistics.analysis_plan import prepare_trials
from workbench.statistics.intervals import Estimate
from workbench.statistics.joint_model import TYPICAL, rule_factors
from workbench.statistics.search_games import CellMeans, SearchGames, agent_rung
from workbench.statistics.strong_play import SimultaneousLevel, StrongPlay, planned_half_widths, strong_play_tables

NODES = (1_000, 3_000, 9_000)
MARGIN = 0.025
Score = Callable[[str, AgentSpec, np.ndarray], np.ndarray | float]
"""The chance of the first seat by ruleset, player and line."""


def specs(
    nodes: tuple[int, ...] = NODES, searches: tuple[str, ...] = ("alphabeta", "best-first"),
    trainings: tuple[int, ...] = (0, 1, 2),
) -> list[AgentSpec]:  # fmt: skip
    return [AgentSpec.of(s, nodes=n, training=t) for s in searches for t in trainings for n in nodes]


def verdict(
    now: float, change: float = 0.0, weakest: float | None = None, families: tuple[float, ...] = (), budgets: int = 3,
    reach: float = 0.01, evaluations: tuple[float, ...] = (), bend: float = 0.0,
) -> tuple[str, str]:  # fmt: skip
    """The verdict with its direction, or with the reason why it is not settled; all intervals are ± ``reach``."""
    of_families = [(each, reach / 2) for each in families or (now, now)]
    weak = Estimate.around(now if weakest is None else weakest, reach)
    word, direction, reason = strong.judge(
        strong.Findings(
            Estimate.around(now, reach), Estimate.around(change, reach), Estimate.around(now + change, 1.2 * reach),
            of_families, weak, budgets, evaluations, bend,
        ),
        MARGIN,
    )  # fmt: skip
    return word, direction or reason


def test_what_is_sure_is_told_by_whether_and_where_it_moves() -> None:
    assert verdict(0.08) == ("settled", "more")
    assert verdict(-0.08) == ("settled", "less")
    assert verdict(0.0) == ("settled", "none")
    assert verdict(0.15, 0.04) == ("grows", "more")
    assert verdict(-0.15, -0.04) == ("grows", "less")
    assert verdict(0.12, -0.04) == ("shrinks", "more")
    assert verdict(0.08, 0.03, weakest=-0.06) == ("reverses", "more")
    # It will turn round after one more doubling at best: the strongest players say nothing yet.
    assert verdict(0.0, 0.07, weakest=-0.15)[0] == "not_settled"


def test_what_settles_nothing_has_its_reason() -> None:
    assert verdict(0.08, budgets=1) == ("not_settled", "one_strength")
    assert verdict(0.08, families=(0.08,)) == ("not_settled", "one_search")
    assert verdict(0.03, reach=0.05) == ("not_settled", "games")
    assert verdict(0.06, -0.04, reach=0.02) == ("not_settled", "strength")
    # A line that surely bends beyond the margin.
    assert verdict(0.08, bend=0.02) == ("settled", "more")
    assert verdict(0.08, bend=-0.03) == ("not_settled", "strength")
    # Every family of search must have the direction.
    assert verdict(0.08, families=(0.12, 0.04)) == ("settled", "more")
    assert verdict(0.08, families=(0.155, 0.005)) == ("not_settled", "players")
    assert verdict(0.0, families=(0.06, -0.06)) == ("not_settled", "players")
    # No evaluation may have the opposite one.
    assert verdict(0.08, evaluations=(0.01, 0.12)) == ("settled", "more")
    assert verdict(-0.08, evaluations=(-0.2, 0.01)) == ("not_settled", "evaluations")
    assert verdict(0.0, evaluations=(0.01, -0.01)) == ("settled", "none")


def test_the_curvature_of_three_budgets_is_estimated() -> None:
    """With each doubling what a doubling adds grows by four points; two budgets say nothing of it."""
    players = specs(trainings=(0, 1))

    def score(name: str, player: AgentSpec, line: np.ndarray) -> float:
        doublings = math.log2(player.nodes / NODES[-1])
        return 0.5 + (0.1 + 0.02 * doublings**2 if name == "toy/new" else 0.0)

    for nodes in (NODES, NODES[1:]):
        chosen = [one for one in players if one.nodes in nodes]
        verdicts = strong_play_tables(records(score, chosen, 1_000), plan_of(chosen)).verdicts
        row = verdicts[verdicts["compared"] & (verdicts["measure"] == "first_score")].iloc[0]
        if nodes == NODES:
            assert 0.0 < row["curvature_low"] < 0.04 < row["curvature_high"] < 0.12
        else:
            assert np.isnan(row[["curvature", "curvature_low", "curvature_high"]].astype(float)).all()


def test_what_the_rule_on_evaluations_costs_and_finds() -> None:
    """Two players with the game's own weights, six learned and six nets, whose means have errors of 3 points."""
    chance, players = np.random.default_rng(3), np.array([2, 6, 6])

    def stopped(*effects: float) -> float:
        reasons = []
        for means in np.array(effects) + chance.normal(0, 0.03 / np.sqrt(players), (1_000, 3)):
            now = float(means @ players / players.sum())
            reasons.append(verdict(now, reach=0.018, evaluations=tuple(means))[1])
        return reasons.count("evaluations") / (reasons.count("evaluations") + reasons.count("more"))

    assert stopped(0.04, 0.04, 0.04) < 0.05
    assert stopped(0.06, 0.06, 0.06) < 0.01
    assert stopped(-0.03, 0.06, 0.06) > 0.85


def test_one_evaluation_that_says_the_opposite_leaves_a_verdict_open() -> None:
    """Learned weights find 12 points less under the new rules, the game's own 6 points more."""
    players = specs((1_000, 9_000), trainings=(0, 1, 2, 3, 4))

    def found(own: float) -> Any:
        def score(name: str, player: AgentSpec, line: np.ndarray) -> float:
            return 0.6 + ((-0.12 if player.training else own) if name == "toy/new" else 0.0)

        row = strong_play_tables(records(score, players, 2_000, seed=4), plan_of(players)).verdicts
        return row[row["compared"].astype(bool) & (row["measure"] == "first_score")].iloc[0]

    agreed, apart = found(-0.12), found(0.06)
    assert (agreed["verdict"], agreed["direction"]) == ("settled", "less")
    assert apart["evaluations"].startswith("own=0.0") and "; learned=-0.1" in apart["evaluations"]
    assert apart["verdict"] == "not_settled" and apart["reason"] in ("evaluations", "games")


def test_numbers_that_are_judged_together_reach_farther() -> None:
    """Of independent numbers the critical value is Sidak's; of equal ones that of one; looks and plans raise it."""
    chance = np.random.default_rng(1)
    independent = SimultaneousLevel.of(chance.normal(size=(40_000, 10)), 0.05, math.inf)
    assert independent.critical == pytest.approx(2.80, abs=0.04)
    alike = SimultaneousLevel.of(np.repeat(chance.normal(size=(40_000, 1)), 10, axis=1), 0.05, math.inf)
    assert alike.critical == pytest.approx(1.96, abs=0.03)
    assert SimultaneousLevel.of(chance.normal(size=(40_000, 10)), 0.01, math.inf).critical > 3.2
    assert SimultaneousLevel.of(chance.normal(size=(40_000, 10)), 0.05, 20).critical > independent.critical + 0.2


def records(
    score: Score, players: list[AgentSpec], games: int, lines: int = 0, seed: int = 3,
    names: tuple[str, ...] = ("toy/base", "toy/new"),
) -> pd.DataFrame:  # fmt: skip
    """Games of all rulesets and players, that begin with so many lines or with none."""
    chance = np.random.default_rng(seed)
    parts = []
    for name in names:
        for player in players:
            line = np.arange(games) % (lines or games)
            won = chance.random(games) < score(name, player, line)
            cell: dict[str, Any] = {"ruleset": name, "first": player.label, "second": player.label}
            cell |= {"game": range(games), "result": np.where(won, "first", "second"), "termination": "mate"}
            cell |= {"plies": 30, "legal_moves": 5.0, "line": line}
            parts.append(pd.DataFrame(cell | {"game_hash": [f"{number:016x}" for number in range(games)]}))
    played = pd.concat(parts, ignore_index=True)
    return played if lines else played.drop(columns="line")


def even(name: str, player: AgentSpec, line: np.ndarray) -> float:
    return 0.5


def plan_of(
    players: list[AgentSpec], lines: int = 0, names: tuple[str, ...] = ("toy/base", "toy/new"), **options: Any
) -> Any:
    of_lines: dict[str, Any] = {}
    if lines:
        texts = tuple(f"l{k}" for k in range(lines))
        of_lines = {"openings": DrawnLines(2, lines), "line_texts": dict.fromkeys(names, texts)}
    return plan_for(*names, agents=players, **of_lines, **options)


def means_of(games: SearchGames, measure: str = FIRST_SCORE) -> CellMeans:
    means = games.means(games.plan.names, measure)
    assert means is not None
    return means


def strong_play(trials: pd.DataFrame, plan: Any, measure: str = FIRST_SCORE) -> StrongPlay:
    games = SearchGames(prepare_trials(trials, plan), plan)
    return StrongPlay(games, means_of(games, measure), measure)


def difference(play: StrongPlay) -> dict[str, Any]:
    (row,) = strong.verdict_rows(play, ["toy/new"], "toy/base")
    return row


def test_shared_lines_make_players_err_together() -> None:
    players = specs(nodes=(1_000,))
    lines, games = 40, 80
    plan = plan_of(players, lines)
    errors, means, single = [], [], 0.0
    worth: dict[str, np.ndarray] = {}

    def score(name: str, player: AgentSpec, line: np.ndarray) -> np.ndarray:
        return np.asarray(worth[name][line])

    for seed in range(60):
        chance = np.random.default_rng(1_000 + seed)
        # What a line is worth differs between the rulesets, and is the same for all players.
        worth |= {name: np.clip(chance.normal(0.5, 0.3, lines), 0.0, 1.0) for name in ("toy/base", "toy/new")}
        estimates = means_of(SearchGames(prepare_trials(records(score, players, games, lines, seed), plan), plan))
        value, variance = estimates.contrast(list(estimates.columns("toy/new", "toy/base").values()))
        means.append(value)
        errors.append(math.sqrt(variance))
        single = math.sqrt(2 * float(np.mean(np.diag(estimates.covariance))) / len(players))
    told, true = float(np.mean(errors)), float(np.std(means))
    assert 0.7 < told / true < 1.3
    # Were they independent, their mean would seem far surer than it is.
    assert told > 1.6 * single


def test_lines_that_are_worth_the_same_under_both_rulesets_cancel() -> None:
    players, lines = specs(nodes=(1_000,), trainings=(0, 1)), 60
    worth = np.clip(np.random.default_rng(5).normal(0.5, 0.3, lines), 0.0, 1.0)
    trials = records(lambda name, player, line: np.asarray(worth[line]), players, 300, lines, 6)
    plan = plan_of(players, lines)
    estimates = means_of(SearchGames(prepare_trials(trials, plan), plan))
    # The variance of what lines are worth, less what chances beyond 0 and 1 cut off, over that of a game.
    assert estimates.shares.everywhere == pytest.approx(worth.var() / 0.25, abs=0.06)
    assert estimates.shares.ruleset + estimates.shares.player + estimates.shares.cell < 0.03
    columns = list(estimates.columns("toy/new", "toy/base").values())
    level = estimates.contrast([cells[:1] for cells in columns])[1]
    assert estimates.contrast(columns)[1] < 0.5 * level


def test_lines_on_which_nothing_differs_are_lines_too() -> None:
    players = specs(nodes=(500, 2_000))
    lines = 150
    trials = records(lambda name, player, line: 0.6, players, lines, lines, 5)
    play = strong_play(trials, plan_of(players, lines, margin=0.04), "draw_rate")
    row = difference(play)
    assert play.means.lines == lines and -0.03 < row["now_low"] < 0 < row["now_high"] < 0.03
    assert (row["verdict"], row["direction"]) == ("settled", "none")


def test_the_answer_allows_for_how_much_players_differ() -> None:
    chance = np.random.default_rng(2)
    players = specs(nodes=(1_000, 3_000))
    own = {(one.kind, one.training): chance.normal() for one in players}

    def width(spread: float) -> float:
        def score(name: str, player: AgentSpec, line: np.ndarray) -> float:
            return 0.4 + (0.1 + spread * own[player.kind, player.training] if name == "toy/new" else 0.0)

        row = difference(strong_play(records(score, players, 2_000), plan_of(players)))
        return float(row["now_high"] - row["now_low"])

    assert width(0.0) < width(0.05) / 1.5 < width(0.12) / 2


def test_players_that_differ_from_one_another_make_levels_less_sure_and_differences_hardly() -> None:
    """Trainings see the first player at 40 to 65 %, under both rulesets alike, and nobody draws."""
    players = specs(nodes=(1_000, 3_000))
    own = dict(zip(sorted({(one.kind, one.training) for one in players}), np.linspace(0.4, 0.65, 6), strict=True))
    trials = records(lambda name, player, line: float(own[player.kind, player.training]), players, 1_000)
    rungs = strong_play_tables(trials, plan_of(players)).rungs
    of_all = rungs[(rungs["search"] == "") & (rungs["nodes"] == 3_000)]
    spread = {(row["measure"], row["compared"]): row["spread"] for row in of_all.to_dict("records")}
    assert spread["first_score", False] > 0.045 and spread["first_score", True] < 0.03
    # Of games that nobody draws all are decisive.
    assert spread["decisive_first", False] == pytest.approx(spread["first_score", False], rel=0.1)
    assert spread["draw_rate", False] < 0.01


@pytest.mark.thorough
def test_noise_asks_for_more_games_and_says_how_many() -> None:
    players = specs(nodes=(1_000, 3_000), trainings=(0, 1))

    def told(games: int, seed: int) -> dict[str, Any]:
        trials = records(lambda name, player, line: 0.62 if name == "toy/new" else 0.5, players, games, seed=seed)
        return difference(strong_play(trials, plan_of(players)))

    few = told(60, 4)
    assert (few["verdict"], few["reason"]) == ("not_settled", "games")
    assert 2 <= few["more_games"] < math.inf
    many = int(60 * few["more_games"])
    assert sum(told(many, seed)["verdict"] != "not_settled" for seed in range(10, 16)) >= 3


def test_looks_and_earlier_plans_have_spent_their_part_of_the_error() -> None:
    players = specs(nodes=(1_000, 3_000), trainings=(0,))
    trials = records(even, players, 100)
    widths = []
    for options in ({"games": 400}, {"games": 400, "until": "decided", "looks": 4}):
        row = difference(strong_play(trials, plan_of(players, **options)))
        widths.append(row["now_high"] - row["now_low"])
    # At the first of four looks the critical value is twice that of the last one, and more.
    assert widths[1] > 1.9 * widths[0]


@pytest.mark.slow
def test_of_many_rulesets_none_is_ahead_by_chance() -> None:
    """Alone, each of twelve would be in one experiment of twenty: some of them in nearly half."""
    players = specs(nodes=(1_000, 3_000), trainings=(0, 1))
    names = tuple(f"toy/r{k}" for k in range(12))
    wrong = 0
    for seed in range(60):
        play = strong_play(records(even, players, 100, 0, seed, names), plan_of(players, names=names))
        rows = strong.verdict_rows(play, play.modelled)
        wrong += any(row["now_low"] > 0 or row["now_high"] < 0 for row in rows)
    assert wrong <= 6


def test_players_that_learned_nothing_better_count_once() -> None:
    players = specs(nodes=(1_000, 3_000))
    trials = records(even, players, 50, seed=1)

    def counted(**options: Any) -> list[int]:
        table = strong_play_tables(trials, plan_of(players, **options)).rungs
        of = table[table["measure"] == "first_score"]
        base = of[(of["ruleset"] == "toy/base") & ~of["compared"]]
        return [int(base["players"].iloc[0]), int(of[of["compared"]]["players"].iloc[0])]

    assert counted() == [6, 6]
    # Refused under both rulesets they play as the one without training does; under one of them, they are left out too.
    assert counted(refused_trainings={"toy/base": frozenset({"1", "2"}), "toy/new": frozenset({"1"})}) == [2, 2]


@pytest.mark.parametrize(
    ("refused", "apart"),
    [
        ((), "own learned-1 net-1 net-2"),
        (("net-1",), "own learned-1 net-2"),
        (("1", "net-1"), "own net-2"),
        # There are no weights of a second training that the second net could play by twice.
        (("net-1", "net-2"), "own learned-1 net-2"),
    ],
)
def test_of_players_that_play_alike_one_counts(refused: tuple[str, ...], apart: str) -> None:
    trained = [("own", 0), ("learned", 1), ("net", 1), ("net", 2)]
    players = [AgentSpec.of("alphabeta", nodes=1_000, training=seed, evaluation=by) for by, seed in trained]
    plan = plan_of(players, refused_trainings={"toy/base": frozenset(refused)})
    labels = [rung.label for rung in SearchGames(records(even, players, 20), plan).ruleset_rungs("toy/base")]
    assert labels == ["alphabeta-1k" if each == "own" else f"alphabeta-1k-{each}" for each in apart.split()]


def test_all_tables_of_an_experiment() -> None:
    players = specs(trainings=(0, 1))
    scores = {"toy/base": 0.5, "toy/new": 0.65}
    random = pd.concat([drawn(np.random.default_rng(1), 50, 0.5, ruleset=name, agent="random") for name in scores])
    trials = pd.concat([records(lambda name, player, line: scores[name], players, 1_500), random], ignore_index=True)
    said, rungs, verdicts, *_ = strong_play_tables(trials, plan_of([*players, AgentSpec.of("random")]))
    assert set(said["player"]) == {one.label for one in players}
    assert sorted(set(rungs["nodes"])) == list(NODES)
    of = {(row["ruleset"], row["measure"], row["compared"]): row for row in verdicts.to_dict("records")}
    proposal = of["toy/new", "first_score", True]
    assert (proposal["verdict"], proposal["direction"], proposal["fairness"]) == ("settled", "more", "less_fair")
    assert proposal["now_low"] < 0.15 < proposal["now_high"]
    assert proposal["next_positions"] == 2 * 4 * 2 * 1_500 * 30 * NODES[-1]
    draws = of["toy/new", "draw_rate", True]
    assert (draws["verdict"], draws["direction"]) == ("settled", "none")
    assert of["toy/base", "first_score", False]["direction"] in ("none", "")
    assert of["toy/new", "first_score", False]["direction"] == "more"
    score = rungs[(rungs["measure"] == "decisive_first") & (rungs["ruleset"] == "toy/new") & ~rungs["compared"]]
    assert (score["low"] < 0.65).all() and (score["high"] > 0.65).all()
    assert all(table.empty for table in strong_play_tables(random, plan_for(*scores, agents=["random"])))


def test_a_draw_is_half_a_win_and_no_decisive_game() -> None:
    """Of each player's 100 games 50 are won, 20 drawn and 30 lost by the first seat."""
    players = specs(trainings=(0, 1))
    trials = records(even, players, 100)
    trials["result"] = np.select([trials["game"] % 10 < 5, trials["game"] % 10 < 7], ["first", "draw"], "second")
    table = strong_play_tables(trials, plan_of(players))[0]
    of_each = table[~table["compared"]].groupby("measure")["value"]
    assert of_each.min().to_dict() == pytest.approx(of_each.max().to_dict())
    assert of_each.mean().to_dict() == pytest.approx({"first_score": 0.6, "draw_rate": 0.2, "decisive_first": 0.625})


def test_a_run_that_goes_on_and_capped_games_of_the_strongest_settle_nothing() -> None:
    players = specs(trainings=(0,))
    trials = records(even, players, 60)
    verdicts = strong_play_tables(trials, plan_of(players, finished=False)).verdicts
    assert set(verdicts["verdict"]) == {"not_settled"} and set(verdicts["reason"]) == {"not_finished"}
    trials.loc[trials["first"].eq(players[2].label) & (trials["game"] < 4), "result"] = "unfinished"
    assert set(strong_play_tables(trials, plan_of(players)).verdicts["reason"]) == {"capped_games"}


def test_engines_with_a_budget_of_nodes_are_a_family_of_search() -> None:
    def engine(limit: str, amount: int, skill: int = 20) -> AgentSpec:
        return AgentSpec("uci", outside=Program("engines/fish", (("Skill Level", skill),), limit, amount))

    weak, strong, other = engine("nodes", 1_000), engine("nodes", 3_000), engine("nodes", 3_000, skill=3)
    rungs = [agent_rung("fish", each) for each in (weak, strong, other)]
    found = [(rung.config[0], rung.nodes) for rung in rungs if rung]
    assert found == [("fish", 1_000), ("fish", 3_000), ("fish", 3_000)]
    assert rungs[0].config == rungs[1].config != rungs[2].config  # type: ignore[union-attr]
    assert agent_rung("fish", engine("depth", 3)) is None and agent_rung("fish", engine("movetime", 50)) is None
    players = [*specs(nodes=(1_000, 3_000), trainings=(0, 1)), weak, strong]

    def against(fish_score: float) -> tuple[str, str]:
        def score(name: str, player: AgentSpec, line: np.ndarray) -> float:
            return 0.5 if name == "toy/base" else fish_score if player.outside else 0.65

        row = difference(strong_play(records(score, players, 600), plan_of(players)))
        assert row["searches"] == 3 and row["players"] == 5
        return row["verdict"], row["direction"] or row["reason"]

    assert against(0.65) == ("settled", "more")
    assert against(0.4) == ("not_settled", "players")


def test_one_budget_says_nothing_of_change() -> None:
    players = specs(nodes=(1_000,))
    row = difference(strong_play(records(even, players, 500), plan_of(players)))
    assert row["reason"] == "one_strength" and row["change_low"] < -0.02 and row["change_high"] > 0.02


def test_what_each_rule_does_and_which_ruleset_is_the_fairest() -> None:
    """Two changes, alone and together; the first takes ten points from the first player, the second does nothing."""
    players = specs(nodes=(1_000, 3_000), trainings=(0, 1))
    settings = {f"toy/{a}{b}": {"first": a, "second": b} for a in "xy" for b in "pq"}
    scores = {"x": 0.62, "y": 0.52}
    rulesets = [ruleset(name, settings=each) for name, each in settings.items()]
    plan = plan_from(rulesets, [(one, one) for one in players], margin=0.04)
    trials = records(lambda name, player, line: scores[name[4]], players, 800, 0, 5, tuple(settings))
    tables = strong_play_tables(trials, plan)
    of_score = tables.effects[tables.effects["measure"] == "first_score"]
    rows: dict[Any, Any] = {(row["kind"], row["factor"]): row for row in of_score.to_dict("records")}
    first, second, pair = (rows[key] for key in (("main", "first"), ("main", "second"), ("pair", "first")))
    assert (first["verdict"], first["direction"], first["alone"]) == ("settled", "less", "toy/yp")
    assert first["now_low"] < -0.1 < first["now_high"] and first["now_high"] - first["now_low"] < 0.06
    assert (second["direction"], second["alone"]) == ("none", "toy/xq")
    assert abs(pair["now"]) < 0.03 and (pair["alone"], pair["alone2"]) == ("toy/yp", "toy/xq")
    ranks: dict[Any, Any] = tables.ranks.set_index("ruleset").to_dict()
    assert sum(ranks["fairest"].values()) == pytest.approx(1.0)
    assert ranks["fairest"]["toy/yp"] + ranks["fairest"]["toy/yq"] > 0.99 and ranks["loss"]["toy/xp"] > 0.07
    verdicts = tables.verdicts[tables.verdicts["compared"] & (tables.verdicts["measure"] == "first_score")]
    likely = verdicts.set_index("ruleset")["likely_fairer"]
    assert likely["toy/yp"] > 0.99 and 0.02 < likely["toy/xq"] < 0.98


def test_players_that_played_the_same_games_count_once() -> None:
    players = specs(nodes=(1_000, 3_000), trainings=(0, 1))
    trials = records(even, players, 40, seed=1)
    plan = plan_of(players)
    assert SearchGames(trials, plan).copies == {}
    first, copy = players[0].label, players[2].label
    for cell in ("first", "second"):
        trials.loc[trials[cell] == copy, cell] = "-"
    copied = trials[trials["first"] == first].assign(first=copy, second=copy)
    games = SearchGames(pd.concat([trials, copied], ignore_index=True), plan)
    assert games.copies == {copy: first} and copy not in games.rungs and len(games.rungs) == 7
    # A game that ended otherwise is one of its own.
    copied["plies"] += (copied["game"] == 0) * 1
    assert SearchGames(pd.concat([trials, copied], ignore_index=True), plan).copies == {}


WORLD = World(levels=(3, 2, 2, 2), kinds=("own", "learned"), games=60, rule=6.0)


def play(experiment: Experiment) -> StrongPlay:
    return strong_play(experiment.records(), experiment.world.plan())


def test_what_rules_do_is_found_in_a_factorial() -> None:
    experiment = Experiment(WORLD, 1)
    fitted = play(experiment)
    truth, posterior = experiment.truth(FIRST_SCORE), fitted.posterior
    effects = [true_effect(WORLD, truth, change) for change in WORLD.changes]
    for number, true in enumerate(effects):
        draws = posterior.draws @ posterior.effect(number).now
        assert abs(draws.mean() - true) < 3.5 * draws.std()
        # Eight points are known from nothing.
        assert abs(true) < 0.08 or (np.sign(draws) == np.sign(true)).mean() > 0.999
    assert max(map(abs, effects)) > 0.08
    level = posterior.draws @ posterior.level(0).now
    assert abs(level.mean() - truth[0]) < 3.5 * level.std()


@pytest.mark.thorough
def test_more_games_make_answers_surer_but_for_how_much_players_differ() -> None:
    model = play(Experiment(WORLD, 2)).model
    deviations = model.posterior().deviations
    variances = [np.diag(model.covariance(deviations, times)) for times in (1.0, 4.0, 1e9)]
    assert (variances[1] <= variances[0] + 1e-12).all() and variances[1].sum() < 0.8 * variances[0].sum()
    assert variances[2].sum() > 0.05 * variances[0].sum()


def test_changes_that_are_combined_are_factors() -> None:
    base = {"size": "8", "who": "a", "where": "x", "near": "1"}
    one, other = {"who": "b"}, {"where": "y", "near": "2"}
    factors = rule_factors([base, base | one, base | other, base | one | other], 0)
    assert factors is not None
    assert factors.names == ("who", "where, near")
    assert factors.levels == (("a", "b"), ("x, 1", "y, 2"))
    assert factors.points.tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]
    assert np.allclose(factors.mains.mean(axis=0), 0.0)
    # Single changes combine nothing.
    assert rule_factors([base, base | one, base | other], 0) is None
    assert rule_factors([base, base], 0) is None


@pytest.mark.thorough
def test_levels_are_not_drawn_away_from_one_half() -> None:
    """Lines that all players share make all cells err together; the raw mean of all cells is right on average."""
    world, off = World(levels=(2, 2, 2), games=60, pool=20, own_lines=False, score=0.68), []
    for seed in range(8):
        fitted = play(Experiment(world, seed))
        off.append(fitted.posterior.draws[:, fitted.posterior.slices["now"]].mean() - fitted.means.values.mean())
    assert abs(np.mean(off)) < 0.01, off


def test_more_games_and_more_players_tell_more() -> None:
    players = specs(nodes=(1_000, 3_000), trainings=(0, 1))
    reaches = [planned_half_widths(plan_of(which, games=games)) for which, games in ((players, 100), (players, 400))]
    more = planned_half_widths(plan_of(specs(nodes=(1_000, 3_000), trainings=(0, 1, 2, 3)), games=100))
    assert reaches[0] and reaches[1] and more
    assert reaches[1].proposals < 0.8 * reaches[0].proposals and more.proposals < 0.85 * reaches[0].proposals
    assert reaches[0].effects is None, "one change is no combination"
    # Nothing is foretold without searches, nor without proposals.
    assert planned_half_widths(plan_for("toy/base", "toy/new", games=100)) is None
    assert planned_half_widths(plan_for("toy/base", agents=[AgentSpec.of("alphabeta", nodes=100)], games=100)) is None


@pytest.mark.thorough
def test_it_comes_out_as_foretold() -> None:
    """An experiment whose players differ as typical ones do: its intervals are as wide as was said, to a quarter."""
    points = {name: 100 * deviation for name, deviation in TYPICAL.items()}
    world = World(
        levels=(3, 2, 2, 2), kinds=("learned", "learned"), games=80, pool=80, own_lines=False, pair=points["pair"],
        remainder=points["remainder"], change=points["change"], family=points["family"],
        training=points["rule by configuration"], player=points["ruleset by player"],
    )  # fmt: skip
    posterior = play(Experiment(world, 4)).posterior
    now, effects = (posterior.draws[:, posterior.slices[name]] for name in ("now", "effects"))
    foretold = planned_half_widths(world.plan())
    assert foretold and foretold.effects
    for draws, reach in ((now[:, 1:] - now[:, :1], foretold.proposals), (effects, foretold.effects)):
        critical = SimultaneousLevel.of(draws, 0.05, np.inf).critical
        assert reach == pytest.approx(float(critical * draws.std(axis=0).mean()), rel=0.25)


NAMES = ("toy/a", "toy/b", "toy/c")


def calibrated(
    scores: dict[str, dict[int, float]], best_play: dict[str, str], published: Published | None = None
) -> StrongCalibration:
    """The calibration of players that all score the same by ruleset and budget."""
    players = specs()
    trials = records(lambda name, player, line: scores[name][player.nodes], players, 2_000, 0, 5, NAMES)
    plan = with_keys(plan_of(players, names=NAMES), rulesets=tuple(ruleset(name) for name in NAMES))
    return calibrate(trials, plan, best_play, published, "controls", "0123abcd")


STEADY = {name: dict.fromkeys(NODES, value) for name, value in zip(NAMES, (0.5, 0.7, 0.3), strict=True)}


@pytest.mark.thorough
def test_players_that_play_as_best_play_does_are_right_and_experiments_are_told_together(tmp_path: Path) -> None:
    checked = calibrated(STEADY, {"toy/a": "draw", "toy/b": "first", "toy/c": "second"})
    # Three rulesets, and two differences from the first one.
    assert checked.counts("hidden") == {"right": 5, "not_settled": 0, "wrong": 0}
    assert checked.counts("best_play") == {"right": 5, "not_settled": 0, "wrong": 0}
    assert checked.passed
    truths = checked.table[checked.table["asked"] == "best_play"].set_index(["ruleset", "baseline"])["truth"].to_dict()
    assert truths == {
        ("toy/a", ""): 0.0, ("toy/b", ""): 0.5, ("toy/b", "toy/a"): 0.5, ("toy/c", ""): -0.5, ("toy/c", "toy/a"): -0.5,
    }  # fmt: skip
    other = dataclasses.replace(checked, table=checked.table.assign(experiment="others"),
                                budgets={"others": (500, 2_000)}, played=checked.played.assign(experiment="others"),
                                digests={"others": "4567"})  # fmt: skip
    both = together([checked, other])
    assert both.counts("best_play") == {"right": 10, "not_settled": 0, "wrong": 0}
    assert "search 500 and 2,000 nodes a move; 108,000 games, digest 4567" in write(both, tmp_path)


@pytest.mark.thorough
def test_what_turns_round_where_nobody_looked_is_wrong() -> None:
    late = STEADY | {"toy/b": {1_000: 0.7, 3_000: 0.7, 9_000: 0.3}}
    table = calibrated(late, {}).table
    of = table[table["ruleset"] == "toy/b"]
    assert list(of["asked"]) == ["hidden", "hidden"] and list(of["outcome"]) == ["wrong", "wrong"]
    jumped = STEADY | {"toy/b": {1_000: 0.6, 3_000: 0.6, 9_000: 0.9}}
    table = calibrated(jumped, {}).table
    of = table[(table["ruleset"] == "toy/b") & (table["baseline"] == "")]
    assert list(of["outcome"]) == ["wrong"], "its direction is right, but it had not settled"


@pytest.mark.thorough
def test_best_play_that_says_otherwise_makes_a_verdict_wrong_and_the_page_names_it(tmp_path: Path) -> None:
    checked = calibrated(STEADY, {"toy/a": "draw", "toy/b": "second", "toy/c": "second"})
    assert checked.counts("best_play") == {"right": 3, "not_settled": 0, "wrong": 2}
    assert not checked.passed
    page = write(checked, tmp_path)
    assert "40.0 % of them were wrong (wanted: at most 5 %)" in page
    assert "| toy/b | ½ | score | best play | settled, first player ahead | +20." in page
    ended = pd.read_csv(tmp_path / "strong-play-games.csv")
    assert ended.columns.tolist() == PLAYED and len(ended) == len(NAMES) * 18
    of = ended[(ended["ruleset"] == "toy/b") & (ended["games"] == 2_000)].iloc[0]
    assert of["first_wins"] / 2_000 == pytest.approx(0.7, abs=0.05)
    assert (ended["games"] == ended[PLAYED[4:]].sum(axis=1)).all()


def test_published_results_answer_where_they_have_a_direction() -> None:
    """That b scores more is right and that c scores more is not; a difference within its error asks nothing."""
    told = {name: PublishedEstimate(value, 0.01) for name, value in zip(NAMES, (0.5, 0.6, 0.6), strict=True)}
    results = {name: {"first_score": each, "draw_rate": PublishedEstimate(0.2, 0.05)} for name, each in told.items()}
    checked = calibrated(STEADY, {}, Published("S", results))
    of = checked.table[checked.table["asked"] == "published"].set_index("ruleset")
    assert set(of["measure"]) == {"first_score"}
    assert dict(of["outcome"]) == {"toy/b": "right", "toy/c": "wrong"}
    assert of["truth"].tolist() == pytest.approx([0.1, 0.1])
    assert not checked.passed, "one of them contradicts what was published"
