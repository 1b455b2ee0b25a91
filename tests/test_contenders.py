"""Which rulesets an experiment with ``until`` gives more games to; `tests.test_simulations` has races of many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from tests.test_strong_play import specs
from tests.toy import plan_for
from workbench.players.agents import AgentSpec
from workbench.statistics.analysis import InterimAnalyses, decides_by_strong_play
from workbench.statistics.analysis_plan import AnalysisPlan

PLAYERS = specs(nodes=(1_000, 2_000), trainings=(0, 1))
SIZES = [100, 200, 300, 400]


def plan_of(names: tuple[str, ...], players: list[AgentSpec] = PLAYERS, **options: Any) -> AnalysisPlan:
    looks: dict[str, Any] = {"until": "decided", "looks": len(SIZES)} | options
    return plan_for(*names, agents=players, games=SIZES[-1], margin=0.03, **looks)


def trials_of(scores: dict[str, float], seed: int, differs: float = 0.0) -> pd.DataFrame:
    chance = np.random.default_rng(seed)
    families = {kind: chance.normal(0, differs, len(scores)) for kind in ("alphabeta", "best-first")}
    parts = []
    for number, (name, score) in enumerate(scores.items()):
        for each in PLAYERS:
            of_player = score + families[each.kind][number]
            won = chance.random(SIZES[-1]) < of_player
            cell: dict[str, Any] = {"ruleset": name, "first": each.label, "second": each.label}
            cell |= {"game": range(SIZES[-1]), "result": np.where(won, "first", "second"), "termination": "mate"}
            cell |= {"plies": 30, "legal_moves": 5.0}
            parts.append(pd.DataFrame(cell | {"game_hash": [f"{game:016x}" for game in range(SIZES[-1])]}))
    return pd.concat(parts, ignore_index=True)


def games_by_ruleset(plan: AnalysisPlan, trials: pd.DataFrame) -> dict[str, int]:
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
