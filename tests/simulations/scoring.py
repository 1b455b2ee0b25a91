"""How what is told about strong play holds in an experiment whose true values are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from tests.simulations.worlds import Experiment, World
from workbench.experiments.measures import FIRST_SCORE, Measure
from workbench.statistics import search_games
from workbench.statistics import strong_play as told
from workbench.statistics.analysis import InterimAnalyses
from workbench.statistics.analysis_plan import AnalysisPlan, prepare_trials
from workbench.statistics.intervals import Estimate, Floats
from workbench.statistics.search_games import MEASURES

FORECAST_ALL = 16
"""As many times as many games are played where "no number of games would tell"."""
MOST_PLAYED = 16
"""A forecast of more games is not tried."""


class Outcome:
    """What became of an experiment; plain data, so that files of them can be added up."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.coverage: dict[str, list[float]] = {}
        """Numbers told; single intervals that held, simultaneous ones, all at once; sums of errors, half widths."""
        self.verdicts: dict[str, list[int]] = {}
        """Numbers judged; those decided, the wrong ones of them; "no difference", the wrong ones of them."""
        self.said: dict[str, list[tuple[float, bool]]] = {}
        """Probabilities, and whether it is so."""
        self.forecasts: list[tuple[float, bool]] = []
        """Times as many games that were said to tell, and whether they, or 16 times as many, did."""
        self.race: dict[str, float] = {}

    def cover(self, name: str, truth: float | Floats, told: Estimate, single: Estimate | None = None) -> None:
        """Counts one number; ``truth`` may be several, of which the share that is covered counts."""
        entry = self.coverage.setdefault(name, [0, 0, 0, 1, 0.0, 0.0])
        single = single or told
        held = float(np.mean((told.low <= truth) & (truth <= told.high)))
        entry[0] += 1
        entry[1] += float(np.mean((single.low <= truth) & (truth <= single.high)))
        entry[2] += held
        entry[3] = int(entry[3] and held == 1)
        entry[4] += told.value - float(np.mean(truth))
        entry[5] += (single.high - single.low) / 2

    def judged(self, name: str, row: Mapping[Any, Any], truth: float, margin: float) -> None:
        """Counts one verdict."""
        entry = self.verdicts.setdefault(name, [0, 0, 0, 0, 0])
        entry[0] += 1
        if row["direction"] and row["verdict"] != "not_settled":
            right = {"more": truth > 0, "less": truth < 0, "none": abs(truth) <= margin}[row["direction"]]
            entry[1] += 1
            entry[2] += not right
            entry[3] += row["direction"] == "none"
            entry[4] += row["direction"] == "none" and not right

    def plain(self) -> dict[str, Any]:
        """Its content."""
        return {name: value for name, value in vars(self).items() if value or name == "seed"}


@contextmanager
def recorded(measures: Sequence[Measure], forecasts: bool) -> Iterator[list[told.StrongPlay]]:
    """The models that are fitted meanwhile: of some measures alone and, if nobody asks, without forecasts."""
    plays: list[told.StrongPlay] = []

    class Recorded(told.StrongPlay):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            plays.append(self)

        def _more_games(self, *arguments: Any) -> float:
            return float(super()._more_games(*arguments)) if forecasts else float("nan")

    with patch.object(told, "StrongPlay", Recorded), patch.object(search_games, "MEASURES", measures):
        yield plays


def outcome_of(experiment: Experiment, forecasts: bool = False) -> Outcome:
    """Plays an experiment, and compares all that is told with the truth."""
    world = experiment.world
    outcome, plan, trials = Outcome(experiment.seed), experiment.world.plan(), experiment.records()
    if world.looks:
        games = InterimAnalyses(plan).games_per_cell(trials)
        cells = zip(trials["ruleset"], trials["first"], trials["second"], strict=True)
        kept = trials["game"].to_numpy() < np.array([games[cell] for cell in cells])
        at_once = world.plan(until="", looks=0)
        with recorded([MEASURES[0]], False):
            ranks = told.strong_play_tables(prepare_trials(trials, at_once), at_once).ranks
        outcome.race = {"games": float(kept.mean()), "missed_with_all": _missed(experiment, ranks)}
        trials = trials[kept]
    measures = [each for each in MEASURES if world.draws or each.name == FIRST_SCORE]
    with recorded(measures, forecasts) as plays:
        tables = told.strong_play_tables(prepare_trials(trials, plan), plan)
    for play in plays:
        _levels_and_differences(outcome, experiment, play, tables)
        if play.factors:
            _effects(outcome, experiment, play, tables)
    _budgets(outcome, experiment, tables.rungs)
    _probabilities(outcome, experiment, tables)
    if world.looks:
        outcome.race["missed"] = _missed(experiment, tables.ranks)
    if forecasts:
        _forecasts(outcome, experiment, plan, tables.verdicts)
    return outcome


def _estimate(row: Any, name: str) -> Estimate:
    return Estimate(row[name], row[f"{name}_low"], row[f"{name}_high"])


def _levels_and_differences(
    outcome: Outcome, experiment: Experiment, play: told.StrongPlay, tables: told.StrongPlayTables
) -> None:
    now, after = (experiment.truth(play.measure, doublings) for doublings in (0.0, 1.0))
    further, names, kind = experiment.further_players(play.measure), experiment.world.names, _kind(play.measure)
    for row in tables.verdicts[tables.verdicts["measure"] == play.measure].to_dict("records"):
        r, name = names.index(row["ruleset"]), kind + ("difference" if row["compared"] else "level")
        zero = 0.5 if name == "level" else 0.0
        true, later, others = (values[r] - (values[0] if row["compared"] else zero) for values in (now, after, further))
        contrast = play.contrast(names[r], names[0] if row["compared"] else "")
        single = play.estimate(contrast.now, play.single, -zero)
        outcome.cover(name, true, _estimate(row, "now"), single)
        outcome.cover(f"change of {name}", later - true, _estimate(row, "change"))
        outcome.cover(
            f"{name}, a doubling later", later, _estimate(row, "next"), play.estimate(contrast.next, play.single, -zero)
        )
        further_player = Estimate(row["next"], row["player_low"], row["player_high"])
        outcome.cover(f"{name}, one more player", others, further_player)
        outcome.judged(name, row, true, play.plan.margin)
        if not np.isnan(row["curvature"]):
            budgets = np.unique(experiment.world.doublings)
            course = np.array([experiment.truth(play.measure, each) for each in budgets])
            bends = 2 * np.polyfit(budgets, course, 2)[0]
            bend = bends[r] - (bends[0] if row["compared"] else 0.0)
            outcome.cover(f"curvature of {name}", bend, _estimate(row, "curvature"))
        if row["fairness"]:
            gain = abs(now[0] - 0.5) - abs(now[r] - 0.5)
            word = {"fairer": "more", "less_fair": "less", "same": "none"}[row["fairness"]]
            outcome.judged("fairness", {"direction": word, "verdict": ""}, gain, play.plan.margin)
    if f"{kind}level" not in outcome.coverage:
        # Nothing is told of them together.
        for r, name in enumerate(names):
            single = play.estimate(play.contrast(name).now, play.single)
            outcome.cover(f"{kind}level", now[r], single)


def _kind(measure: str) -> str:
    return "" if measure == FIRST_SCORE else "draws: "


def _effects(outcome: Outcome, experiment: Experiment, play: told.StrongPlay, tables: told.StrongPlayTables) -> None:
    factors, kind = play.factors, _kind(play.measure)
    assert factors is not None
    now, after = (experiment.truth(play.measure, doublings) for doublings in (0.0, 1.0))
    for row in tables.effects[tables.effects["measure"] == play.measure].to_dict("records"):
        change = factors.names.index(row["factor"]), int(row["level"])
        columns = factors.columns
        if row["kind"] == "main":
            contrast = play.posterior.effect(columns.index(change))
            true, later = (true_effect(experiment.world, values, change) for values in (now, after))
            outcome.cover(f"{kind}effect", true, _estimate(row, "now"), play.estimate(contrast.now, play.single))
            outcome.cover(f"change of {kind}effect", later - true, _estimate(row, "change"))
            outcome.judged(f"{kind}effect", row, true, play.plan.margin)
        else:
            other = factors.names.index(row["factor2"]), int(row["level2"])
            number = factors.pairs.index((columns.index(change), columns.index(other)))
            single = play.estimate(play.posterior.pair(number), play.single)
            true = true_effect(experiment.world, now, change, {other[0]: other[1]}) - true_effect(
                experiment.world, now, change, {other[0]: 0}
            )
            outcome.cover(f"{kind}pair", true, _estimate(row, "now"), single)
            outcome.judged(f"{kind}pair", row, true, play.plan.margin)


def true_effect(world: World, values: Floats, change: tuple[int, int], fixed: Mapping[int, int] | None = None) -> float:
    """The mean over all combinations of the others, of which some may be fixed, with the change less without."""
    points = np.array(world.combinations)
    chosen = np.all([points[:, k] == level for k, level in (fixed or {}).items()] or [points[:, 0] >= 0], axis=0)
    k, level = change
    return float(values[chosen & (points[:, k] == level)].mean() - values[chosen & (points[:, k] == 0)].mean())


def _budgets(outcome: Outcome, experiment: Experiment, rungs: pd.DataFrame) -> None:
    """What the players of the largest budget say by themselves."""
    whole = (rungs["search"] == "") & (rungs["evaluation"] == "")
    rungs = rungs[whole & (rungs["nodes"] == max(experiment.world.nodes))]
    for row in rungs.to_dict("records"):
        truth = experiment.truth(row["measure"])
        true = truth[experiment.world.names.index(row["ruleset"])] - (truth[0] if row["compared"] else 0.0)
        told_of = Estimate(row["value"], row["low"], row["high"])
        outcome.cover(f"budget: {row['measure']}{', compared' if row['compared'] else ''}", true, told_of)


def _distance(experiment: Experiment) -> Floats:
    return np.abs(experiment.truth(FIRST_SCORE) - 0.5)


def _missed(experiment: Experiment, ranks: pd.DataFrame) -> float:
    """1 if the ruleset taken is less fair than another by over the margin."""
    distance, taken = _distance(experiment), ranks.set_index("ruleset")["fairest"].idxmax()
    return float(distance[experiment.world.names.index(str(taken))] - distance.min() > experiment.world.margin)


def _probabilities(outcome: Outcome, experiment: Experiment, tables: told.StrongPlayTables) -> None:
    distance, names = _distance(experiment), experiment.world.names
    fairer = tables.verdicts[tables.verdicts["likely_fairer"].notna()]
    for name, likely in zip(fairer["ruleset"], fairer["likely_fairer"], strict=True):
        is_fairer = bool(distance[names.index(name)] < distance[0])
        outcome.said.setdefault("fairer", []).append((max(likely, 1 - likely), is_fairer == (likely > 0.5)))
    ranks = tables.ranks.set_index("ruleset")["fairest"]
    taken = str(ranks.idxmax())
    outcome.said["fairest"] = [(float(ranks.max()), bool(names[int(distance.argmin())] == taken))]


def _forecasts(outcome: Outcome, experiment: Experiment, plan: AnalysisPlan, verdicts: pd.DataFrame) -> None:
    """Plays as many games as differences are said to take."""
    asked = verdicts[verdicts["compared"] & (verdicts["measure"] == FIRST_SCORE) & (verdicts["reason"] == "games")]
    wanted = {row["ruleset"]: float(row["more_games"]) for row in asked.to_dict("records")}
    for times in sorted({min(each, FORECAST_ALL) for each in wanted.values() if not MOST_PLAYED < each < np.inf}):
        larger = experiment.world.plan(times)
        later = told.strong_play_tables(prepare_trials(experiment.records(times), larger), larger).verdicts
        decided = later[later["compared"] & (later["measure"] == FIRST_SCORE)].set_index("ruleset")["verdict"]
        for name, said in wanted.items():
            if min(said, FORECAST_ALL) == times and not MOST_PLAYED < said < np.inf:
                outcome.forecasts.append((said, bool(decided[name] != "not_settled")))
