"""How many games a search plays: what the hours of its file come to, by a few games and positions that are timed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from workbench.files.project import find_project
from workbench.learning import library
from workbench.questions.agent_kinds import SEEDS
from workbench.questions.agents import AgentSpec
from workbench.questions.rule_search import RuleSearch
from workbench.questions.rulesets import Ruleset
from workbench.run import training
from workbench.statistics.rule_search import RACE, Budget

LEAST_EACH = 8
"""Games that a ruleset gets each time, at least: as many for each player."""
USED = 0.85
"""The share of the time that games take: the rest is for starting processes, lines and reports."""
MOST_LEARNING = 0.3
"""The share of the time that learning for the race may take; where it takes more, the race goes without."""
LEARNING_RACE = 100
"""Games of each ruleset of a race from which on players learn its rules: fewer are not worth a training."""
MOST_ROUNDS, MOST_GAMES = 60, 10_000_000
"""Rounds of strong players, about, however many games there are; and games that hours may come to."""
PILOT_GAMES = 4


def plan_games(
    search: RuleSearch,
    count: int,
    workers: int,
    seconds_of: Callable[[Ruleset, AgentSpec], float],
    seconds_to_learn: Callable[[Ruleset], float],
) -> dict[str, int]:
    """How many games of each kind the budget comes to, for so many rulesets, and whether players of the race learn."""
    players = search.players_of_rounds()
    race = min(Budget(0).race, count)
    total, learns = search.budget.get("games"), search.players_of_race() != players
    if total is None:
        seconds = float(np.mean([seconds_of(search.base, player) for player in players]))
        left = time_left = 3600 * search.budget["hours"] * USED * workers
        if search.players_of_confirmation() != players:
            each = seconds_to_learn(search.base)
            learns = race * each <= MOST_LEARNING * time_left
            confirmed = len(SEEDS) * (search.finalists + 1)
            left -= each * (confirmed + (race - search.finalists if learns else 0))
        total = min(MOST_GAMES, int(max(left, time_left / 2) / max(seconds, 1e-9)))
    learns = learns and (1 - search.confirm) * total * (1 - RACE) >= LEARNING_RACE * race
    rounds = Budget(0).batch * MOST_ROUNDS
    most = len(search.players_of_race() if learns else players)
    each_time = math.ceil(max(LEAST_EACH, (1 - search.confirm) * total / rounds) / most) * most
    strong = max(each_time, round((1 - search.confirm) * total / each_time) * each_time)
    quick = min(20 * count, 2 * strong) if search.quick else 0
    confirm = max(1, int(total) - strong)
    return {"strong": strong, "quick": quick, "each": each_time, "confirm": confirm, "race_learns": learns}


def training_seconds(ruleset: Ruleset) -> float:
    """Seconds of one core for a training, by a short trial."""
    return training.estimate_seconds([training.Training(ruleset, SEEDS[0])], 1, find_project())


def game_seconds(ruleset: Ruleset, player: AgentSpec) -> float:
    """Seconds of one core for a game of a player against itself: the mean of a few."""
    from workbench.engine import trials

    numbers = library.engine_player(replace(player, training=0), ruleset)
    code, seeds = ruleset.codes(), np.arange(PILOT_GAMES, dtype=np.uint64)
    begin = time.perf_counter()
    trials.run_block(ruleset.game, code, numbers, numbers, seeds, 400)
    return (time.perf_counter() - begin) / PILOT_GAMES
