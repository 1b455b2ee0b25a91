"""Which rulesets an experiment with ``until`` gives more games to, where players can tell what strong play says."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from tests.test_strong_play import specs
from tests.toy import plan_for
from workbench.questions.agents import AgentSpec
from workbench.statistics.plan import AnalysisPlan
from workbench.statistics.stopping import InterimAnalyses, decides_by_strong_play
from workbench.statistics.strong_play import strong_play_tables

PLAYERS = specs(nodes=(1_000, 2_000), trainings=(0, 1))
SIZES = [100, 200, 300, 400]


def plan_of(names: tuple[str, ...], players: list[AgentSpec] = PLAYERS, **options: Any) -> AnalysisPlan:
    """An experiment that is looked at four times."""
    looks: dict[str, Any] = {"until": "decided", "looks": len(SIZES)} | options
    return plan_for(*names, agents=players, games=SIZES[-1], margin=0.03, **looks)


def trials_of(scores: dict[str, float], seed: int, spread: float = 0.0, differs: float = 0.0) -> pd.DataFrame:
    """All games of all cells; players stray by ``spread`` in each ruleset, families by ``differs``."""
    chance = np.random.default_rng(seed)
    families = {kind: chance.normal(0, differs, len(scores)) for kind in ("alphabeta", "best-first")}
    parts = []
    for number, (name, score) in enumerate(scores.items()):
        strays = {(each.kind, each.training): chance.normal(0, spread) for each in PLAYERS}
        for each in PLAYERS:
            of_player = score + families[each.kind][number] + strays[each.kind, each.training]
            won = chance.random(SIZES[-1]) < of_player
            cell: dict[str, Any] = {"ruleset": name, "first": each.label, "second": each.label}
            cell |= {"game": range(SIZES[-1]), "result": np.where(won, "first", "second"), "termination": "mate"}
            cell |= {"plies": 30, "legal_moves": 5.0}
            parts.append(pd.DataFrame(cell | {"game_hash": [f"{game:016x}" for game in range(SIZES[-1])]}))
    return pd.concat(parts, ignore_index=True)


def games_by_ruleset(plan: AnalysisPlan, trials: pd.DataFrame) -> dict[str, int]:
    """The games that the cells of each ruleset have in the end."""
    games: dict[str, set[int]] = {}
    for (name, *_), wanted in InterimAnalyses(plan).games_per_cell(trials).items():
        games.setdefault(name, set()).add(wanted)
    assert all(len(wanted) == 1 for wanted in games.values()), "all players of a ruleset go on together"
    return {name: wanted.pop() for name, wanted in games.items()}


def test_games_go_to_those_that_may_be_the_fairest() -> None:
    scores = {"toy/base": 0.68, "toy/worse": 0.74, "toy/alike": 0.68, "toy/good": 0.58, "toy/better": 0.57}
    plan = plan_of(tuple(scores))
    assert decides_by_strong_play(plan)
    games = games_by_ruleset(plan, trials_of(scores, 1))
    assert games["toy/worse"] == games["toy/alike"] == SIZES[0]
    assert games["toy/base"] == games["toy/good"] == games["toy/better"] > SIZES[0]


def test_nothing_is_played_on_where_all_is_settled() -> None:
    scores = {"toy/base": 0.75, "toy/good": 0.5}
    assert set(games_by_ruleset(plan_of(tuple(scores)), trials_of(scores, 1)).values()) == {SIZES[0]}


def test_what_players_disagree_on_more_games_do_not_tell() -> None:
    scores = {"toy/base": 0.6, "toy/odd": 0.57}
    games = games_by_ruleset(plan_of(tuple(scores)), trials_of(scores, 3, differs=0.15))
    assert games["toy/odd"] < SIZES[-1]


def test_one_family_or_one_budget_decides_nothing() -> None:
    names = ("toy/base", "toy/new")
    assert not decides_by_strong_play(plan_of(names, specs(nodes=(1_000,))))
    assert not decides_by_strong_play(plan_of(names, specs(searches=("alphabeta",))))
    assert not decides_by_strong_play(plan_of(names, question="plies"))
    assert decides_by_strong_play(plan_of(names, question="draw_rate"))


class Outcome(NamedTuple):
    """What became of many experiments."""

    games: float
    """As a share of those without looks."""
    missed: float
    """How often the ruleset that is most likely the fairest in the end is less fair than another by over the margin."""
    missed_without_looks: float
    """The same with all games of all rulesets."""
    wrong: float
    """How often any ruleset was settled the wrong way round."""


def simulate(experiments: int, seed: int) -> Outcome:
    """Experiments of twelve rulesets whose scores lie between 51 and 66 %."""
    chance = np.random.default_rng(seed)
    used, missed, wrong = 0.0, [0, 0], 0
    for number in range(experiments):
        scores = {"toy/base": 0.63} | {f"toy/r{k}": 0.63 + chance.normal(0, 0.04) for k in range(11)}
        distance = {name: abs(score - 0.5) for name, score in scores.items()}
        plan = plan_of(tuple(scores))
        trials = trials_of(scores, seed + number, spread=0.015, differs=0.01)
        games = games_by_ruleset(plan, trials)
        used += sum(games.values()) / (len(games) * SIZES[-1])
        played = trials[trials["game"] < trials["ruleset"].map(games)]
        tables = strong_play_tables(played, plan)
        for k, ranks in enumerate((tables.ranks, strong_play_tables(trials, plan_of(tuple(scores), until="")).ranks)):
            taken = ranks.set_index("ruleset")["fairest"].idxmax()
            missed[k] += distance[str(taken)] - min(distance.values()) > plan.margin
        verdicts = tables.verdicts
        verdicts = verdicts[verdicts["compared"] & (verdicts["measure"] == "first_score")]
        truth = {name: each - distance["toy/base"] for name, each in distance.items()}
        wrong += any(
            (word == "fairer" and truth[name] >= 0) or (word == "less_fair" and truth[name] <= 0)
            for name, word in zip(verdicts["ruleset"], verdicts["fairness"], strict=True)
        )
    return Outcome(used / experiments, missed[0] / experiments, missed[1] / experiments, wrong / experiments)


@pytest.mark.slow
def test_the_fairest_is_hardly_ever_left_out() -> None:
    result = simulate(100, 1)
    print(result)
    assert result.games < 0.7 and result.wrong <= 0.05, result
    assert result.missed <= result.missed_without_looks + 0.05 and result.missed <= 0.08, result
