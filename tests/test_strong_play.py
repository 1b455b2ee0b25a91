"""What is said of strong play, where the truth is known: players drawn from a model, and verdicts by construction."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.toy import drawn, plan_for
from workbench.questions.agents import AgentSpec
from workbench.questions.lines import DrawnLines
from workbench.statistics.plan import prepare_trials
from workbench.statistics.strong_play import (
    Rung,
    RungEstimates,
    SearchGames,
    fit_trend,
    judge_strong_play,
    rung_estimates,
    strong_play_tables,
)

NODES = (1_000, 3_000, 9_000)


def specs(
    nodes: tuple[int, ...] = NODES,
    searches: tuple[str, ...] = ("alphabeta", "best-first"),
    trainings: tuple[int, ...] = (0, 1, 2),
) -> list[AgentSpec]:
    """A player of every kind of search, training and budget."""
    return [AgentSpec.of(s, nodes=n, training=t) for s in searches for t in trainings for n in nodes]


def said_by(value: Callable[[Rung], float], players: list[AgentSpec], error: float = 0.004) -> RungEstimates:
    """Estimates that are what ``value`` says of each rung, with the same standard error."""
    rungs = tuple(Rung((one.kind, one.training, ()), one.nodes, one.label) for one in players)
    n = len(rungs)
    return RungEstimates(
        rungs, np.array([value(rung) for rung in rungs]), np.eye(n) * error**2, np.full(n, 1e4), math.inf
    )


def verdict(value: Callable[[Rung], float], players: list[AgentSpec] | None = None, **options: Any) -> tuple[str, str]:
    """The verdict with its direction, or with the reason why it is not settled."""
    told = judge_strong_play(said_by(value, players or specs(), **options), 0.025)
    return told["verdict"], told["direction"] or told["reason"]


def doublings(rung: Rung) -> float:
    return math.log2(rung.nodes / NODES[-1])


def test_what_stays_is_settled() -> None:
    assert verdict(lambda rung: 0.08) == ("settled", "more")
    assert verdict(lambda rung: -0.08) == ("settled", "less")
    assert verdict(lambda rung: 0.0) == ("settled", "none")


def test_what_moves_is_told_by_where_it_moves() -> None:
    assert verdict(lambda rung: 0.15 + 0.04 * doublings(rung)) == ("grows", "more")
    assert verdict(lambda rung: -0.15 - 0.04 * doublings(rung)) == ("grows", "less")
    assert verdict(lambda rung: 0.12 - 0.04 * doublings(rung)) == ("shrinks", "more")


def test_what_turns_round_is_said_to() -> None:
    turning = {1_000: -0.06, 3_000: 0.01, 9_000: 0.08}
    assert verdict(lambda rung: turning[rung.nodes]) == ("reverses", "more")
    # It will turn round after one more doubling at best: the strongest players say nothing yet.
    late = {1_000: -0.15, 3_000: -0.07, 9_000: 0.0}
    assert verdict(lambda rung: late[rung.nodes])[0] == "not_settled"


def test_one_strength_or_one_search_settle_nothing() -> None:
    assert verdict(lambda rung: 0.08, specs(nodes=(9_000,))) == ("not_settled", "one_strength")
    assert verdict(lambda rung: 0.08, specs(nodes=(100, 9_000))) == ("not_settled", "one_strength")
    assert verdict(lambda rung: 0.08, specs(searches=("alphabeta",))) == ("not_settled", "one_search")


def test_searches_that_contradict_each_other_settle_nothing() -> None:
    by_search = {"alphabeta": 0.08, "best-first": -0.05}
    assert verdict(lambda rung: by_search[rung.config[0]]) == ("not_settled", "players")


def test_noise_asks_for_more_games_and_says_how_many() -> None:
    few = said_by(lambda rung: 0.0, specs(), error=0.05)
    told = judge_strong_play(few, 0.025)
    assert (told["verdict"], told["reason"]) == ("not_settled", "games")
    times = told["more_games"]
    assert 2 <= times < math.inf
    # With so many more games it is settled; the errors shrink with their root.
    more = said_by(lambda rung: 0.0, specs(), error=0.05 / math.sqrt(times))
    assert judge_strong_play(more, 0.025)["verdict"] == "settled"


def test_the_answer_allows_for_how_much_players_differ() -> None:
    """The more players of one strength differ, the wider the interval, though games are as many."""
    chance = np.random.default_rng(2)
    own = {(s, t): chance.normal() for s in ("alphabeta", "best-first") for t in (0, 1, 2)}
    widths = []
    for spread in (0.0, 0.03, 0.1):
        level = said_by(lambda rung: own[rung.config[:2]], specs())
        found = dataclasses.replace(level, values=0.1 + spread * level.values)
        low, high = found.trend().now.interval()
        widths.append(high - low)
    assert widths[0] < widths[1] / 1.5 < widths[2] / 2


def coverage(replicates: int, seed: int) -> tuple[dict[str, float], float]:
    """How often intervals hold the truth, players drawn from the model; and the share of wrong verdicts of those given.

    The truth of a verdict is what the mean of all players says after one more doubling.
    """
    chance = np.random.default_rng(seed)
    players = specs()
    kinds = [(one.kind, one.training) for one in players]
    held = dict.fromkeys(("now", "change", "next", "predictive"), 0)
    given = wrong = 0
    for _ in range(replicates):
        now, change = chance.choice([0.0, 0.03, 0.1]), chance.choice([-0.03, 0.0, 0.0, 0.03])
        of_player, of_rung = chance.choice([0.01, 0.03, 0.05]), chance.choice([0.0, 0.02])
        own = {kind: chance.normal(0, of_player) for kind in dict.fromkeys(kinds)}
        found = said_by(doublings, players, error=0.015)
        noise = np.array([own[rung.config[:2]] + chance.normal(0, of_rung) for rung in found.rungs])
        errors = chance.normal(0, 0.015, len(noise))
        found = dataclasses.replace(found, values=now + change * found.values + noise + errors)
        said = found.trend()
        another = now + change + chance.normal(0, math.hypot(of_player, of_rung))
        truths = {"now": now, "change": change, "next": now + change, "predictive": another}
        for name, truth in truths.items():
            low, high = getattr(said, name).interval()
            held[name] += low <= truth <= high
        told = judge_strong_play(found, 0.025)
        if told["verdict"] != "not_settled":
            given += 1
            after = now + change
            right = {"more": after > 0, "less": after < 0, "none": abs(after) <= 0.025 + 1e-9}[told["direction"]]
            # Who says that it has settled says that the next doubling is too small to matter.
            wrong += not (right and (told["verdict"] != "settled" or abs(change) <= 0.025))
    assert given >= 0.3 * replicates
    return {name: count / replicates for name, count in held.items()}, wrong / given


@pytest.mark.thorough
def test_intervals_hold_the_truth_and_verdicts_are_seldom_wrong() -> None:
    held, wrong = coverage(200, seed=1)
    assert min(held.values()) >= 0.9
    assert wrong <= 0.05


@pytest.mark.slow
def test_intervals_hold_the_truth_in_many_experiments() -> None:
    held, wrong = coverage(3_000, seed=2)
    assert all(0.93 <= share <= 0.99 for share in held.values()), held
    assert wrong <= 0.03


def records(
    score: Callable[[str, AgentSpec, np.ndarray], np.ndarray], players: list[AgentSpec], games: int, lines: int,
    seed: int, names: tuple[str, ...] = ("toy/base", "toy/new"),
) -> pd.DataFrame:  # fmt: skip
    """Games of all rulesets and players; ``score`` is the chance of the first seat by ruleset, player and line."""
    chance = np.random.default_rng(seed)
    parts = []
    for name in names:
        for player in players:
            line = np.arange(games) % lines
            won = chance.random(games) < score(name, player, line)
            cell: dict[str, Any] = {"ruleset": name, "first": player.label, "second": player.label}
            cell |= {"game": range(games), "result": np.where(won, "first", "second"), "termination": "mate"}
            cell |= {"plies": 30, "legal_moves": 5.0, "line": line}
            parts.append(pd.DataFrame(cell | {"game_hash": [f"{number:016x}" for number in range(games)]}))
    return pd.concat(parts, ignore_index=True)


def _of_line(worth: Mapping[str, np.ndarray], name: str, player: AgentSpec, line: np.ndarray) -> np.ndarray:
    """What each line is worth under a ruleset, to every player."""
    return np.asarray(worth[name][line])


def plan_of(
    players: list[AgentSpec], lines: int = 0, names: tuple[str, ...] = ("toy/base", "toy/new"), **options: Any
) -> Any:
    """The plan of some toy rulesets."""
    of_lines: dict[str, Any] = {}
    if lines:
        texts = tuple(f"l{k}" for k in range(lines))
        of_lines = {"openings": DrawnLines(2, lines), "line_texts": dict.fromkeys(names, texts)}
    return plan_for(*names, agents=players, **of_lines, **options)


def test_shared_lines_make_players_err_together() -> None:
    """All players play the same lines: the error of their mean is that of lines, and is told so."""
    players = specs(nodes=(1_000,))
    lines, games = 40, 80
    plan = plan_of(players, lines)
    ends, means = [], []
    for seed in range(60):
        chance = np.random.default_rng(1_000 + seed)
        # What a line is worth differs between the rulesets, and is the same for all players.
        worth = {name: np.clip(chance.normal(0.5, 0.3, lines), 0.0, 1.0) for name in ("toy/base", "toy/new")}
        trials = records(functools.partial(_of_line, worth), players, games, lines, seed)
        found = rung_estimates(
            SearchGames(prepare_trials(trials, plan), plan), "first_score", {"toy/new": 1.0, "toy/base": -1.0}
        )
        means.append(found.values.mean())
        one = np.ones(len(players)) / len(players)
        ends.append(math.sqrt(one @ found.covariance @ one))
    told, true = float(np.mean(ends)), float(np.std(means))
    assert 0.7 < told / true < 1.3
    # Were they independent, their mean would seem far surer than it is.
    assert told > 2 * math.sqrt(float(np.mean(np.diag(found.covariance))) / len(players)) * 0.8


def test_lines_on_which_nothing_differs_are_lines_too() -> None:
    """Nobody ever draws, whatever the line: that is known from all lines, not from none."""
    players = specs(nodes=(500, 2_000))
    lines = 150
    plan = plan_of(players, lines)
    trials = records(lambda name, player, line: np.full(len(line), 0.6), players, lines, lines, 5)
    found = rung_estimates(
        SearchGames(prepare_trials(trials, plan), plan), "draw_rate", {"toy/new": 1.0, "toy/base": -1.0}
    )
    low, high = found.trend().now.interval()
    assert found.lines == lines and -0.03 < low < 0 < high < 0.03
    assert (
        judge_strong_play(found, 0.04)["verdict"] == "settled" and judge_strong_play(found, 0.04)["direction"] == "none"
    )


def test_players_that_learned_nothing_better_count_once() -> None:
    players = specs(nodes=(1_000, 3_000))
    trials = records(lambda name, player, line: np.full(len(line), 0.5), players, 50, 50, 1)
    everyone = strong_play_tables(trials.drop(columns="line"), plan_of(players))[1]
    refused = {"toy/base": frozenset({1, 2}), "toy/new": frozenset({1})}
    fewer = strong_play_tables(trials.drop(columns="line"), plan_of(players, refused_trainings=refused))[1]

    def counted(table: pd.DataFrame) -> list[int]:
        of = table[table["measure"] == "first_score"]
        base = of[(of["ruleset"] == "toy/base") & ~of["compared"]]
        return [int(base["players"].iloc[0]), int(of[of["compared"]]["players"].iloc[0])]

    assert counted(everyone) == [6, 6]
    # Refused under both rulesets they play as the one without training does; under one of them, they are left out too.
    assert counted(fewer) == [2, 2]


def test_all_tables_of_an_experiment() -> None:
    players = specs(trainings=(0, 1))
    scores = {"toy/base": 0.5, "toy/new": 0.65}
    trials = records(lambda name, player, line: np.full(len(line), scores[name]), players, 1_500, 1_500, 3)
    random = pd.concat([drawn(np.random.default_rng(1), 50, 0.5, ruleset=name, agent="random") for name in scores])
    trials = pd.concat([trials.drop(columns="line"), random], ignore_index=True)
    said, rungs, verdicts = strong_play_tables(trials, plan_of([*players, AgentSpec.of("random")]))
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


def test_a_draw_is_half_a_win_and_no_decisive_game() -> None:
    """Of each player's 100 games 50 are won, 20 drawn and 30 lost by the first seat."""
    players = specs(trainings=(0, 1))
    trials = records(lambda name, player, line: np.full(len(line), 0.5), players, 100, 100, 3).drop(columns="line")
    trials["result"] = np.select([trials["game"] % 10 < 5, trials["game"] % 10 < 7], ["first", "draw"], "second")
    table = strong_play_tables(trials, plan_of(players))[0]
    of_each = table[~table["compared"]].groupby("measure")["value"]
    assert of_each.min().to_dict() == pytest.approx(of_each.max().to_dict())
    assert of_each.mean().to_dict() == pytest.approx({"first_score": 0.6, "draw_rate": 0.2, "decisive_first": 0.625})


def test_capped_games_of_the_strongest_settle_nothing() -> None:
    players = specs(trainings=(0, 1))
    trials = records(lambda name, player, line: np.full(len(line), 0.5), players, 1_500, 1_500, 3).drop(columns="line")
    plan = plan_of(players)
    capped = trials["first"].eq(players[2].label) & (trials["game"] < 100)
    trials.loc[capped, "result"] = "unfinished"
    verdicts = strong_play_tables(trials, plan)[2]
    assert set(verdicts["reason"]) == {"capped_games"}


def test_a_run_that_goes_on_settles_nothing() -> None:
    players = specs(trainings=(0,))
    trials = records(lambda name, player, line: np.full(len(line), 0.5), players, 60, 60, 3).drop(columns="line")
    verdicts = strong_play_tables(trials, plan_of(players, finished=False))[2]
    assert set(verdicts["verdict"]) == {"not_settled"} and set(verdicts["reason"]) == {"not_finished"}


def test_nothing_is_said_without_searches_by_nodes() -> None:
    trials = drawn(np.random.default_rng(1), 50, 0.5)
    assert all(table.empty for table in strong_play_tables(trials, plan_for("toy/base")))


def test_one_budget_says_nothing_of_change() -> None:
    said = fit_trend(np.array([0.1, 0.12]), np.eye(2) * 1e-4, np.array([0, 1]), np.zeros(2))
    low, high = said.change.interval()
    assert low < -0.3 and high > 0.3
