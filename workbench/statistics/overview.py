"""The tables that a reader looks at first: scorecard, flips between strengths, and how robust the verdicts are."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench import games as families
from workbench.questions.measures import FAIRNESS
from workbench.statistics.clusters import t_from_normal
from workbench.statistics.comparisons import comparison_table
from workbench.statistics.intervals import Floats, Z, score_interval
from workbench.statistics.metrics import METRICS
from workbench.statistics.plan import AnalysisPlan, prepare_trials
from workbench.statistics.tallies import error_inflation, fewest_lines, tally
from workbench.statistics.verdicts import target_band
from workbench.store.records import STOPPED
from workbench.store.trials import CELL, Trials

CRITERIA = ("changed_toggles", "rule_words", "unfairness", "variety", "decisive_rate", "length_off_target")
"""What the Pareto set is about; `METRICS` says whether more or less of it is better."""
SCORE_COLUMNS = ("games", "first_score", "first_score_surely_low", "first_score_surely_high")
INTERVAL_COLUMNS = tuple(f"{name}{end}" for name in ("variety", "decisive_rate") for end in ("", "_low", "_high"))
BOOTSTRAP_DRAWS = 400
"""How often the numbers are drawn anew for ``pareto_share``."""

SCORECARD_COLUMNS = [
    *CELL, "baseline", "changed_toggles", "rule_words", "first_score", "unfairness", "unfairness_low",
    "unfairness_high", "variety", "variety_low", "variety_high", "variety_ply", "plies_median",
    "length_off_target", "decisive_rate", "decisive_rate_low", "decisive_rate_high", "drama", "lead_changes",
    "verdict", "pareto", "beaten_by", "pareto_share",
]  # fmt: skip
FLIP_COLUMNS = ["ruleset", "agents", "verdicts", "balances", "verdict_flips", "side_flips"]
SEPARATOR = " | "
"""Stands between the levels of a row of `flip_table`."""
SENSITIVITY_COLUMNS = [
    *CELL, "variant", "games", "score", "score_low", "score_high", "gain", "gain_low", "gain_high", "verdict", "same",
]  # fmt: skip

VARIANTS = ("main", "draws_zero", "draws_out", "capped_half", "unadjudicated", "first_half", "second_half", "distinct")


def flip_table(cells: pd.DataFrame, compared: pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """One row per ruleset: the verdicts and balances at every strength, from the first agent that plays itself on.

    ``agents``, ``verdicts`` and ``balances`` have as many parts, with `SEPARATOR` between them; the baseline has no
    verdicts.
    ``verdict_flips``: fairer (more) at one strength and less fair (less) at another. ``side_flips``: the first seat is
    ahead at one strength and the second at another. Both count what is sure, not what is undecided, and leave out
    players that are a yardstick.

    Source: none; it puts the verdicts of `comparison_table` and `balance_verdicts` side by side.
    Limits: agents count as in the file, weak to strong by the author's order.
    """
    verdicts = compared[compared["measure"] == plan.question_measure.name].set_index(CELL)["verdict"].to_dict()
    balances = cells.set_index(CELL)["balance"].to_dict()
    agents = SEPARATOR.join(first for first, _ in plan.mirrors)
    rows = []
    for name in plan.names:
        verdicts_of_ruleset = tuple(str(verdicts.get((name, *pair), "")) for pair in plan.mirrors)
        balances_of_ruleset = tuple(str(balances.get((name, *pair), "")) for pair in plan.mirrors)
        texts = [
            agents,
            SEPARATOR.join(verdicts_of_ruleset) if any(verdicts_of_ruleset) else "",
            SEPARATOR.join(balances_of_ruleset),
        ]
        is_flipped = {"fairer", "less_fair"} <= set(verdicts_of_ruleset) or {"more", "less"} <= set(verdicts_of_ruleset)
        tested_balances = {
            side for pair, side in zip(plan.mirrors, balances_of_ruleset, strict=True) if pair not in plan.yardsticks
        }
        rows.append([name, *texts, is_flipped, {"first", "second"} <= tested_balances])
    return pd.DataFrame(rows, columns=FLIP_COLUMNS)


def sensitivity_table(trials: Trials | pd.DataFrame, compared: pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """One row per cell and variant of the analysis: the first seat's score, the gain and the verdict it would give.

    ``gain`` is the ``difference`` of `comparison_table` in the measure of the question.

    * ``main``: as everywhere else;
    * ``draws_zero``: a draw is worth nothing to the first seat; ``draws_out``: draws are left out (both only where the
      question is about the score);
    * ``capped_half``: a game that was stopped, adjudicated or not, counts as a draw;
    * ``unadjudicated``: games that were adjudicated count as unfinished (only where the experiment adjudicates);
    * ``first_half``, ``second_half``: only these games of each cell, by their numbers, that is, by their seeds;
    * ``distinct``: every different game counts once.

    ``same``: whether the verdict is that of ``main``. Half the games often leave undecided what all of them decide:
    what counts is whether a verdict turns round.

    Source: the methods of `comparison_table`, without interim analyses.
    Limits: variants are other questions, not corrections; ``distinct`` is no sample of games as they are played.
    """
    trials = prepare_trials(trials, plan)
    rows: list[list[object]] = []
    question = plan.question_measure.name
    asked_once = dataclasses.replace(plan.experiment, until="", precision=None, games=0, measures=())
    single_analysis = dataclasses.replace(plan, experiment=asked_once, earlier_games=())
    main_verdicts: dict[tuple[str, ...], str] = {}
    for variant in VARIANTS if plan.experiment.adjudicator else [each for each in VARIANTS if each != "unadjudicated"]:
        if question != FAIRNESS and variant.startswith("draws_"):
            continue
        variant_trials = _variant_trials(trials, variant)
        counts = tally(variant_trials, plan.cells)
        finished = counts["games"] - counts["unfinished"]
        z = t_from_normal(Z, fewest_lines(counts, counts)) * error_inflation(counts, "first_score")
        low, high = score_interval(counts["first"], counts["draw"], counts["second"], z)
        with np.errstate(divide="ignore", invalid="ignore"):
            score = (counts["first"] + counts["draw"] / 2) / finished
        of_variant = compared if variant == "main" else comparison_table(variant_trials, single_analysis, (question,))
        # Of very many games there is no room for those of two variants.
        del variant_trials
        gains = of_variant[of_variant["measure"] == question].set_index(CELL)[["difference", "low", "high", "verdict"]]
        numbers_of = gains.to_dict("index")
        for i, cell in enumerate(plan.cells):
            gain: Mapping[Hashable, Any] = numbers_of.get(cell, {})
            verdict = str(gain.get("verdict", ""))
            numbers = [gain.get(name, math.nan) for name in ("difference", "low", "high")]
            same = main_verdicts.setdefault(cell, verdict) == verdict
            rows.append([*cell, variant, int(counts["games"][i]), score[i], low[i], high[i], *numbers, verdict, same])
    return pd.DataFrame(rows, columns=SENSITIVITY_COLUMNS)


def _variant_trials(trials: Trials, variant: str) -> Trials:
    games = trials.games
    match variant:
        case "draws_zero":
            return trials.assign(result=_replace_results(games, games["result"] == "draw", "second"))
        case "draws_out":
            return trials.select(games["result"] != "draw")
        case "capped_half":
            return trials.assign(result=_replace_results(games, games["termination"].isin(STOPPED), "draw"))
        case "unadjudicated":
            return trials.assign(result=_replace_results(games, games["termination"] == "adjudicated", "unfinished"))
        case "first_half" | "second_half":
            size = games.groupby(CELL, observed=True)["game"].transform("size")
            early = games["game"] < size / 2
            return trials.select(early if variant == "first_half" else ~early)
        case "distinct":
            once = np.zeros(len(games), dtype=np.bool_)
            for cell, places in trials.places.items():
                once[places] = ~trials.column(cell, "game_hash").duplicated()
            return trials.select(once)
    return trials


def _replace_results(games: pd.DataFrame, selected: pd.Series, result: str) -> pd.Series:
    """The results, with another one in some games."""
    results = games["result"]
    if isinstance(results.dtype, pd.CategoricalDtype) and result not in results.cat.categories:
        results = results.cat.add_categories(result)
    return results.mask(selected, result)


def scorecard_table(
    cells: pd.DataFrame, openings: pd.DataFrame, compared: pd.DataFrame, plan: AnalysisPlan
) -> pd.DataFrame:
    """One row per ruleset and agent that plays itself: the criteria side by side, and who is beaten on all of them.

    * ``changed_toggles``: toggles that differ from the baseline's (without one, from the family's defaults);
      ``rule_words``: words of the ruleset's whole text. Both stand for simplicity.
    * ``unfairness``: |first_score - ½|; ``variety``: the effective number of openings at ply ``variety_ply``;
      ``decisive_rate``: games that somebody won; ``length_off_target``: plies between the median and the target.
    * ``pareto``: no other ruleset of its game is at least as good on all of `CRITERIA` and better on one;
      ``beaten_by``: the first that is. ``pareto_share``: how often it would be in that set, were the estimates drawn
      anew, each from a normal distribution with its own standard error: of unfairness the score, of variety the
      entropy.

    Source: Seki's three criteria (simple, fair, varied), comments below R. Konuma's Chatra rules, mixi community;
    V. Pareto's order. The draws are a parametric bootstrap: B. Efron, R. Tibshirani, "An Introduction to the
    Bootstrap", 1993.
    Limits: the more criteria, the larger the set. Differences by chance keep rulesets in it: see ``pareto_share``.
    A short text may still be hard to play.
    """
    compared_openings = openings[openings["shown"].astype(bool)].set_index(CELL)
    verdicts = compared[compared["measure"] == plan.question_measure.name].set_index(CELL)["verdict"]
    table = cells.set_index(CELL).reindex([(name, *pair) for pair in plan.mirrors for name in plan.names])
    variety = compared_openings.reindex(table.index)
    simplicity = {ruleset.name: _simplicity(plan, ruleset.name) for ruleset in plan.rulesets}
    names = table.index.get_level_values("ruleset")
    table = table.assign(
        changed_toggles=[simplicity[name][0] for name in names],
        rule_words=[simplicity[name][1] for name in names],
        variety=variety["effective"],
        variety_low=variety["effective_low"],
        variety_high=variety["effective_high"],
        variety_ply=variety["ply"],
        length_off_target=_length_off_target(table["plies_median"].to_numpy(dtype=np.float64), plan),
        verdict=verdicts.reindex(table.index).fillna("").astype(object),
        pareto=True,
        beaten_by="",
        pareto_share=1.0,
    )
    table = table.reset_index().reindex(columns=SCORECARD_COLUMNS)
    games = np.array([plan.ruleset(name).game for name in table["ruleset"]])
    for pair, game in itertools.product(plan.mirrors, dict.fromkeys(games)):
        of_game = ((table["first"] == pair[0]) & (table["second"] == pair[1])).to_numpy() & (games == game)
        of_pair = table[of_game].merge(cells[[*CELL, *SCORE_COLUMNS]], on=CELL, how="left", suffixes=("_", ""))
        undominated, first_dominating, share = _pareto(of_pair, plan)
        table.loc[of_game, "pareto"] = undominated
        table.loc[of_game, "beaten_by"] = first_dominating
        table.loc[of_game, "pareto_share"] = share
    return table


def _simplicity(plan: AnalysisPlan, name: str) -> tuple[float, float]:
    """Toggles that the ruleset changes, and words of its text; NaN if its family is not here."""
    ruleset = plan.ruleset(name)
    if ruleset.game not in families.names():
        return math.nan, math.nan
    family = families.declaration(ruleset.game)
    base_settings = family.defaults()
    if plan.baseline in plan.names and plan.ruleset(plan.baseline).game == ruleset.game:
        base_settings = {**base_settings, **plan.ruleset(plan.baseline).settings}
    settings = {**family.defaults(), **ruleset.settings}
    relevant_settings = {**settings, **{t.name: t.default for t in family.toggles if not t.allows(settings[t.name])}}
    text = [*family.summary, *(sentence for _, sentence in family.sentences(relevant_settings))]
    changed = sum(settings[toggle.name] != base_settings[toggle.name] for toggle in family.toggles)
    return float(changed), float(len(" ".join(text).split()))


def _length_off_target(median: Floats, plan: AnalysisPlan) -> Floats:
    """Plies by which the median lies outside of its target; 0 without a target."""
    if "plies" not in plan.experiment.targets:
        return np.where(np.isnan(median), np.nan, 0.0)
    low, high = target_band(plan.experiment.targets["plies"])
    plies_off: Floats = np.maximum(np.maximum(low - median, median - high), 0.0)
    return plies_off


def _pareto(table: pd.DataFrame, plan: AnalysisPlan) -> tuple[list[bool], list[str], list[float]]:
    """For each ruleset whether it is in the set, the first that beats it, and how often it is under redrawn numbers."""
    values = table[list(CRITERIA)].to_numpy(dtype=np.float64)
    columns = {name: table[name].to_numpy(dtype=np.float64) for name in (*SCORE_COLUMNS, *INTERVAL_COLUMNS)}
    z = np.array([plan.critical(int(games)) for games in columns["games"]])

    def error(name: str, ends: str = "") -> Floats:
        """The standard error that made an interval: its width in critical values of its cell; 0 where it has none."""
        standard_error: Floats = np.nan_to_num((columns[f"{name}{ends}_high"] - columns[f"{name}{ends}_low"]) / (2 * z))
        return standard_error

    with np.errstate(divide="ignore"):
        columns |= {name: np.log2(columns[name]) for name in ("variety", "variety_low", "variety_high")}
    # Each criterion on the scale on which its interval lies evenly around it: |score - ½| does not, it is folded.
    centres: dict[str, tuple[Floats, Floats, Callable[[Floats], Floats]]] = {
        "unfairness": (columns["first_score"], error("first_score", "_surely"), lambda score: np.abs(score - 0.5)),
        "variety": (columns["variety"], error("variety"), np.exp2),
        "decisive_rate": (columns["decisive_rate"], error("decisive_rate"), lambda rate: rate),
    }
    signs = np.array([-1.0 if METRICS[name].direction == "more" else 1.0 for name in CRITERIA])

    def beats(numbers: Floats) -> npt.NDArray[np.bool_]:
        # What is not known is worse than anything that is.
        cost = np.nan_to_num(numbers * signs, nan=np.inf, posinf=np.inf)
        no_worse = (cost[:, None, :] <= cost[None, :, :]).all(axis=2)
        better = (cost[:, None, :] < cost[None, :, :]).any(axis=2)
        beaten: npt.NDArray[np.bool_] = no_worse & better
        return beaten

    beaten = beats(values)
    names = table["ruleset"].tolist()
    beaten_by = [names[int(np.argmax(beaten[:, i]))] if beaten[:, i].any() else "" for i in range(len(names))]
    rng = np.random.default_rng(0)
    undominated_draws = np.zeros(len(names))
    for _ in range(BOOTSTRAP_DRAWS):
        resampled = values.copy()
        for name, (centre, spread, inverse) in centres.items():
            resampled[:, CRITERIA.index(name)] = inverse(centre + spread * rng.standard_normal(len(names)))
        undominated_draws += ~beats(resampled).any(axis=0)
    return [not each for each in beaten_by], beaten_by, list(undominated_draws / BOOTSTRAP_DRAWS)
