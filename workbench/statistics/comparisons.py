"""Proposals against the baseline, and the effects of varied factors: differences, their certainty, and verdicts.

Fairness is the distance of the first seat's score from one half: the smaller, the fairer. The *gain* of a proposal is
the baseline's distance less its own. It is no linear function of the two scores, and its estimate strays to one side
where a score is near one half; `fairness_gain` says why its intervals and tests hold all the same.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtr

from workbench.experiments.experiment_files import NORMAL_95, PUBLISHED_MEASURES, Published
from workbench.experiments.measures import FAIRNESS, Estimator, compared_measures, measure_by_name
from workbench.records.trials import CELL, CellName, Trials
from workbench.statistics.intervals import (
    Floats,
    Range,
    Z,
    holm,
    imbens_manski,
    interval_of_difference,
    interval_of_sum,
    largest_critical,
    normal_from_t,
    step_down,
    t_from_normal,
)
from workbench.statistics.openings import opening_tables
from workbench.statistics.plan import (
    ALPHA,
    TYPICAL_CHANGE,
    AnalysisPlan,
    critical_value,
    crossing_probability,
    decision_chance,
    error_share,
    prepare_trials,
    times_to_decide,
)
from workbench.statistics.tables import (
    Tally,
    TallyPair,
    error_inflation,
    estimate_correlation,
    fewest_lines,
    lasting_share,
    measure_estimate,
    measure_ranges,
    score_behind,
    tally_pairs,
    tally_with_correlations,
)

COMPARISON_COLUMNS = [
    *CELL, "measure", "games", "baseline_games", "value", "baseline_value", "difference", "least", "most", "low",
    "high", "simultaneous_low", "simultaneous_high", "p", "p_holm", "chosen", "p_equivalent", "p_equivalent_holm",
    "margin", "verdict", "reason", "games_needed", "chance_left",
]  # fmt: skip

OPEN_END = 1e9
"""Farther than any difference: stands for an end that is open."""

FUTILITY_CHANCE = 0.05
"""A comparison whose ceiling decides with less than this chance is not played on for."""


def fairness_gain(difference: Range, total: Range) -> Range:
    """|b - ½| - |p - ½| with its interval, of a baseline's score b and a proposal's p; above 0 the proposal is fairer.

    ``difference`` is A = b - p and ``total`` is B = b + p - 1. The gain is positive if and only if A and B are both
    positive or both negative. So "fairer" is claimed only if the intervals of A and of B lie on the same side of 0, and
    the lower end is max(min(low A, low B), min(-high A, -high B)); the upper end likewise with p and b in each other's
    place.

    Source: two tests that must both succeed, each at the full level, keep that level: R. L. Berger, "Multiparameter
    hypothesis testing and acceptance sampling", Technometrics 24, 1982; for cones of this shape S. Sasabuchi, "A test
    of a multivariate normal mean with composite hypotheses determined by linear inequalities", Biometrika 67, 1980.
    The intervals of A and B are those of `interval_of_difference` and `interval_of_sum`.
    Limits: a proposal that is no fairer is called fairer by a 95 % interval in at most 5 % of experiments, usually in
    2.5 %. Where a true score is near ½ the estimate of the gain is too small (proposal) or too large (baseline) by up
    to 0.8 standard errors of that score. The interval covers at least 95 % but for a fraction of a percent.
    With capped games the intervals of `imbens_manski` keep the 5 % for the *sign* of the gain, where both of two tests
    must err at once; an end on the far side of 0 (and equivalence) needs the usual ones, since there either of the two
    may err: with those of `imbens_manski` it would cover 90 % where a score is ½.
    """

    def ends(a_low: Floats, a_high: Floats, b_low: Floats, b_high: Floats) -> tuple[Floats, Floats]:
        low = np.maximum(np.minimum(a_low, b_low), np.minimum(-a_high, -b_high))
        high = np.minimum(np.maximum(a_high, -b_low), np.maximum(-a_low, b_high))
        return low, high

    estimates = ends(difference.least, difference.most, total.least, total.most)
    return Range(*estimates, *ends(difference.low, difference.high, total.low, total.high))


def comparison_table(
    trials: Trials | pd.DataFrame, plan: AnalysisPlan, measures: Iterable[str] | None = None
) -> pd.DataFrame:
    """One row per proposal, pairing and measure: proposal less baseline, and the verdict on what was asked.

    ``measures``: by default all that are `compared_measures`. The measure of the experiment's ``question`` comes first:
    ``fairness`` (see `fairness_gain`) unless it asks for another.

    * ``games``, ``baseline_games``: the games that have the number.
    * ``difference``; ``least`` and ``most``: what capped games could make of it; ``low``, ``high``: its 95 % interval,
      wherever between these two the truth lies; ``simultaneous_low``, ``simultaneous_high``: the same for its family
      at once.
    * ``p``: of "there is no difference", whatever the capped games; the smallest level at which the interval leaves 0
      out, analyses of fewer games included. ``p_equivalent``: of "the difference is ``margin`` or more, in either
      direction" (the question only).
    * ``p_holm``, ``p_equivalent_holm``: corrected for the family. There are two: the question over all proposals and
      pairings, with the measures that the experiment names (``chosen``), and all other measures.
    * ``verdict`` on the question: ``no_meaningful_difference`` if p_equivalent_holm ≤ 5 %, else ``more`` or ``less``
      (of fairness ``fairer`` or ``less_fair``) if p_holm ≤ 5 %, else ``undecided``; of other measures ``higher`` or
      ``lower`` (``fairer``, ``less_fair``) if p_holm ≤ 5 %, else ``no_difference_shown``. What random players do is a
      ``yardstick``: outside of all families, with p alone (see `AnalysisPlan.yardsticks`).
    * ``reason`` of an undecided verdict: ``no_games``, ``not_finished`` (no verdict before all games are there),
      ``no_look`` (no analysis was reached yet), ``capped_games`` (they leave open more than chance does, or so much
      that no number of games would decide), ``too_few_lines`` (no number of games that begin with the same lines would
      decide), ``together`` (the interval, that of one comparison, leaves 0 out, but p_holm is above 5 %) or
      ``too_few_games``; ``games_needed``: further games per cell that probably decide, should these games be typical; 0
      if decided. ``chance_left``: the chance that the games up to the ceiling still decide.

    A verdict is reached at analyses alone: in an experiment with ``until`` at those fixed beforehand, else when all
    games are there. A comparison is that of the last analysis that both cells reached, and without one, an estimate
    with no verdict. Where ``games`` was raised after the folder had been judged, earlier verdicts stand: each of the
    `AnalysisPlan.stages` has its `error_share` of the error.

    Source: `fairness_gain`, `interval_of_difference`, `imbens_manski`, `crossing_probability`, `corrected_p_values`;
    lines: `workbench.statistics.intervals`; with interim analyses: Y. Ye, A. Li, L. Liu, B. Yao, "A group sequential
    Holm procedure with multiple primary endpoints", Statistics in Medicine 32, 2013; equivalence: D. J. Schuirmann, J.
    Pharmacokinetics and Biopharmaceutics 15, 1987, with the 95 % interval, since at ½ both of its sides can err. The
    question before the other measures: A. Dmitrienko, A. C. Tamhane, F. Bretz (eds.), "Multiple Testing Problems in
    Pharmaceutical Statistics", 2009, on primary and secondary endpoints.
    Limits: of twenty experiments one makes some wrong claim about its question, and one about other measures. The
    baseline's games take part in all comparisons of a pairing; the correction holds for that. A margin that is a part
    of the baseline's value is as sure as that value. ``plies_mean`` and events count what happened up to the cap.
    Variety is that of the ply at which each analysis compares openings (`opening_tables`), its intervals stretched on
    the scale of the logarithm. After an early end the estimates stray a little to the far side. ``games_needed`` comes
    true four times out of five on average over rule changes of the size that `decision_chance` assumes, and not for
    every single one: say no likelihood with it.
    """
    trials = prepare_trials(trials, plan)
    question = plan.question_measure.name
    recorded = [
        name
        for name in (compared_measures() if measures is None else measures)
        if set(measure_by_name(name).columns) <= set(trials.columns)
    ]
    measures = list(dict.fromkeys((question, *recorded)))
    rows = [(name, *pairing) for name in plan.proposals for pairing in plan.pairings]
    if not rows:
        kinds = dict.fromkeys((*CELL, "measure", "verdict", "reason"), object) | {"chosen": bool}
        return pd.DataFrame({name: pd.Series(dtype=kinds.get(name, float)) for name in COMPARISON_COLUMNS})
    analyses = _Analyses(plan)
    final_tallies = _tally_rows(trials, rows, plan)
    games = np.minimum(final_tallies[0]["games"], final_tallies[1]["games"])
    # An analysis's games belong to the analyses after it: what is compared is what the last one saw.
    played = int(trials.games["game"].max()) + 1 if len(trials) else 0
    snapshots = [_tally_rows(trials, rows, plan, size) if size < played else final_tallies for size in analyses.sizes]
    reached = analyses.reached(games)
    # The place of each row's last analysis; the last place where there was none.
    count = reached[:, :-1].sum(axis=1)
    last_analysis = np.where(count > 0, count - 1, len(analyses.sizes)).astype(np.int64)
    every, places = [*snapshots, final_tallies], np.arange(len(rows))
    last_proposals, last_baselines = (
        {name: np.stack([pair[side][name] for pair in every])[last_analysis, places] for name in every[0][side]}
        for side in (0, 1)
    )
    z_of = analyses.critical(last_analysis, games)
    tested = np.array([row[1:] not in plan.yardsticks for row in rows])
    primary = len(set(plan.primary_measures) & set(measures))
    parts = []
    for measure in measures:
        chosen = measure in plan.primary_measures
        p, sign = analyses.p_value(_at_each_analysis(every, partial(_separation, measure=measure)), reached)
        equivalence_p, margins = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
        if measure == question:

            def equivalence_of(a: Tally, b: Tally) -> tuple[Floats, Floats]:
                margins = plan.question_margins(measure_estimate(b, question))
                return _equivalence(a, b, margins, question), np.ones(len(rows))

            equivalence_p = analyses.p_value(_at_each_analysis(every, equivalence_of), reached)[0]
            margins = plan.question_margins(measure_estimate(last_baselines, measure))
        value, baseline_value = (measure_estimate(tallied, measure) for tallied in (last_proposals, last_baselines))
        has_estimate = ~np.isnan(value - baseline_value)
        family = int(tested.sum()) * (primary if chosen else len(measures) - primary)
        part = pd.DataFrame(rows, columns=CELL).assign(
            measure=measure, p=np.where(has_estimate, p, np.nan), sign=sign, tested=tested, chosen=chosen & tested,
            p_equivalent=np.where(has_estimate & tested, equivalence_p, np.nan), margin=margins,
            unseen=(last_analysis == len(snapshots)) & ~reached[:, -1],
        )  # fmt: skip
        parts.append(part.join(_estimates(last_proposals, last_baselines, measure, z_of, family)))
    table = pd.concat(parts, ignore_index=True)
    claims = _add_corrected_p_values(table)
    _add_verdicts(table, plan, claims)
    row = table[CELL].apply(tuple, axis=1).map({row: place for place, row in enumerate(rows)})
    return table.iloc[np.argsort(row, kind="stable")].reset_index(drop=True)[COMPARISON_COLUMNS]


def shaffer_factors(comparisons: int, claims: int) -> npt.NDArray[np.int64]:
    """Return the factors for the smallest, second smallest … of ``claims`` p-values about so many ``comparisons``.

    A comparison may have two claims: that there is a difference, and that there is none of the margin's size. Whatever
    the truth, at most one of them is wrong. So of the claims that are left never more are wrong than comparisons.

    Source: J. P. Shaffer, "Modified sequentially rejective multiple test procedures", JASA 81, 1986, with the bound
    of all steps, on S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian J. of Statistics
    6, 1979, which it is where each comparison has one claim.
    """
    return np.minimum(comparisons, claims - np.arange(claims))


def corrected_p_values(p_different: Floats, p_equivalent: Floats) -> tuple[Floats, Floats]:
    """The p-values of a family of comparisons, so that a wrong claim of either kind is made in at most 5 % of families.

    ``p_different`` has one for each comparison, ``p_equivalent`` those of "no meaningful difference", NaN where none is
    made. Of what has no games there is no p-value, but it belongs to the family all the same.

    Source: `shaffer_factors`.
    Limits: p-values may depend on each other in any way.
    """
    two_claims = ~np.isnan(p_equivalent)
    values = np.concatenate([np.nan_to_num(p_different, nan=1.0), p_equivalent[two_claims]])
    corrected = step_down(values, shaffer_factors(len(p_different), len(values)))
    corrected_equivalent = np.full(len(p_equivalent), np.nan)
    corrected_equivalent[two_claims] = corrected[len(p_different) :]
    return np.where(np.isnan(p_different), np.nan, corrected[: len(p_different)]), corrected_equivalent


def _add_corrected_p_values(table: pd.DataFrame) -> int:
    """Add the corrected p-values; returns the factor that corrects the next p-value about the question."""
    table["p_holm"] = table["p_equivalent_holm"] = np.nan
    for chosen in (True, False):
        family = (table["tested"] & (table["chosen"] == chosen)).to_numpy()
        if family.any():
            corrected_p = corrected_p_values(_column(table[family], "p"), _column(table[family], "p_equivalent"))
            table.loc[family, "p_holm"], table.loc[family, "p_equivalent_holm"] = corrected_p
    primary = table[table["chosen"]]
    claims_made = int((primary[["p_holm", "p_equivalent_holm"]] <= ALPHA).to_numpy().sum())
    factors = shaffer_factors(len(primary), len(primary) + int(primary["p_equivalent"].notna().sum()))
    return int(factors[min(claims_made, len(factors) - 1)])


def _column(rows: pd.DataFrame, name: str) -> Floats:
    return rows[name].to_numpy(dtype=np.float64)


def _tally_rows(trials: Trials, rows: Sequence[CellName], plan: AnalysisPlan, stop: int | None = None) -> TallyPair:
    """Return the tallies of the proposals, and those of the baseline that belong to them, row by row."""
    cells = [*rows, *((plan.baseline, first, second) for _, first, second in rows)]
    a, b = tally_pairs(trials, cells, stop, (plan.question_measure.name,))
    if plan.question_measure.estimator is Estimator.OPENINGS:
        seen = trials if stop is None else trials.select(trials.games["game"] < stop)
        varieties = _variety_estimates(seen, cells, plan)
        a = {**a, **{name: each[: len(rows)] for name, each in varieties.items()}}
        b = {**b, **{name: each[len(rows) :] for name, each in varieties.items()}}
    return a, b


def _variety_estimates(trials: Trials, cells: Sequence[CellName], plan: AnalysisPlan) -> dict[str, Floats]:
    """The effective number of openings of each cell, and the factors by which a standard error moves its ends."""
    table = opening_tables(trials, plan)[0]
    shown = table[table["shown"].astype(bool)].set_index(CELL).reindex(pd.MultiIndex.from_tuples(cells, names=CELL))
    value, low, high = (_column(shown, f"effective{end}") for end in ("", "_low", "_high"))
    z = np.array([plan.critical(0 if math.isnan(n) else int(n)) for n in shown["games"]])
    # No cell has fewer kinds of openings than one.
    return {
        "variety": value,
        "variety_spread_low": (np.maximum(low, 1e-9) / value) ** (1 / z),
        "variety_spread_high": (high / value) ** (1 / z),
    }


def _at_each_analysis(
    analyses: Sequence[TallyPair], statistic: Callable[[Tally, Tally], tuple[Floats, Floats]]
) -> list[tuple[Floats, Floats]]:
    """Return the statistic at every analysis, computed once for those that are the same games."""
    distinct = {id(pair): pair for pair in analyses}
    computed = {key: statistic(*pair) for key, pair in distinct.items()}
    return [computed[id(pair)] for pair in analyses]


def _difference_interval(a: Tally, b: Tally, measure: str, z: npt.ArrayLike) -> Range:
    """Return the difference (or gain) of a measure and its interval; ``a`` are the proposals, ``b`` their baselines."""
    sign_interval = _sign_interval(a, b, measure)(z)
    if measure != "fairness":
        return sign_interval
    usual = fairness_gain(*_difference_and_sum(a, b, z))
    low = np.where(sign_interval.low > 0, sign_interval.low, usual.low)
    return sign_interval._replace(low=low, high=np.where(sign_interval.high < 0, sign_interval.high, usual.high))


def _sign_interval(a: Tally, b: Tally, measure: str) -> Callable[[npt.ArrayLike], Range]:
    """As `_difference_interval`, but for ``fairness`` the ends give the sign of the gain alone; see `fairness_gain`."""
    if measure != "fairness":
        return imbens_manski(lambda c: _difference(a, b, measure, c))
    if not (a["unfinished"].any() or b["unfinished"].any()):
        return lambda z: fairness_gain(*_difference_and_sum(a, b, z))
    difference = imbens_manski(lambda c: _difference_and_sum(a, b, c)[0])
    total = imbens_manski(lambda c: _difference_and_sum(a, b, c)[1])
    return lambda z: fairness_gain(difference(z), total(z))


def _difference(a: Tally, b: Tally, measure: str, z: npt.ArrayLike) -> Range:
    correlation = estimate_correlation(a, measure)
    return interval_of_difference(measure_ranges(a, measure, z), measure_ranges(b, measure, z), correlation)


def _difference_and_sum(a: Tally, b: Tally, z: npt.ArrayLike) -> tuple[Range, Range]:
    """Return the arguments of `fairness_gain`, with ends ``z`` standard errors outside of their bounds."""
    proposal, baseline = measure_ranges(a, "fairness", z), measure_ranges(b, "fairness", z)
    correlation = estimate_correlation(a, "first_score")
    total = interval_of_sum(baseline, proposal, correlation)
    return interval_of_difference(baseline, proposal, correlation), Range(*(end - 1 for end in total))


def _separation(a: Tally, b: Tally, measure: str) -> tuple[Floats, Floats]:
    """Return the largest critical value at which the interval leaves 0 out, and the sign of the difference."""
    interval = _sign_interval(a, b, measure)

    def distance_from_zero(z: Floats) -> Floats:
        ends = interval(z)
        return np.fmax(np.maximum(ends.low, -OPEN_END), np.maximum(-ends.high, -OPEN_END))

    estimates = interval(0.0)
    sign = np.where(estimates.least > 0, 1.0, np.where(estimates.most < 0, -1.0, 0.0))
    return normal_from_t(largest_critical(distance_from_zero, estimates.least), fewest_lines(a, b)), sign


def _equivalence(a: Tally, b: Tally, margin: Floats | float, measure: str = FAIRNESS) -> Floats:
    """Return the largest critical value at which the interval of the difference lies within ± ``margin``."""

    def room_within_margin(z: Floats) -> Floats:
        fair = measure == FAIRNESS
        ends = fairness_gain(*_difference_and_sum(a, b, z)) if fair else _difference(a, b, measure, z)
        return np.maximum(np.minimum(ends.low + margin, margin - ends.high), -OPEN_END)

    return normal_from_t(largest_critical(room_within_margin, np.zeros(len(a["games"]))), fewest_lines(a, b))


def _estimates(a: Tally, b: Tally, measure: str, z_of: Callable[[float], Floats], family: int) -> pd.DataFrame:
    """Return the columns of numbers of `comparison_table`, p-values aside."""
    value, baseline_value = measure_estimate(a, measure), measure_estimate(b, measure)
    levels = (ALPHA, ALPHA / max(1, family))
    pointwise, simultaneous = (t_from_normal(z_of(alpha), fewest_lines(a, b)) for alpha in levels)
    ends, at_once = (_difference_interval(a, b, measure, critical) for critical in (pointwise, simultaneous))
    return pd.DataFrame({
        "games": a.get(f"{measure}_games", a["games"]).astype(int),
        "baseline_games": b.get(f"{measure}_games", b["games"]).astype(int),
        "value": value,
        "baseline_value": baseline_value,
        "difference": baseline_value - value if measure == "fairness" else value - baseline_value,
        "least": ends.least,
        "most": ends.most,
        "low": ends.low,
        "high": ends.high,
        "simultaneous_low": at_once.low,
        "simultaneous_high": at_once.high,
        "critical": pointwise,
        "lasting": lasting_share(a, b, measure),
    })  # fmt: skip


def _add_verdicts(table: pd.DataFrame, plan: AnalysisPlan, claims: int) -> None:
    """Add verdicts, reasons and the games needed; ``claims`` is the factor by which the next p-value is corrected."""
    fairness = (table["measure"] == FAIRNESS).to_numpy()
    of_question = (table["measure"] == plan.question_measure.name).to_numpy()
    tested = table["tested"].to_numpy(dtype=bool)
    positive = _column(table, "sign") > 0
    significant = (_column(table, "p_holm") <= ALPHA) & (_column(table, "sign") != 0)
    equivalent = of_question & (_column(table, "p_equivalent_holm") <= ALPHA)
    verdicts = np.where(of_question, np.where(positive, "more", "less"), np.where(positive, "higher", "lower"))
    verdicts = np.where(fairness, np.where(positive, "fairer", "less_fair"), verdicts)
    verdicts = np.where(significant, verdicts, np.where(of_question, "undecided", "no_difference_shown"))
    verdicts = np.where(equivalent, "no_meaningful_difference", verdicts)
    table["verdict"] = np.where(tested, verdicts, "yardstick").astype(object)
    missing = ((table["games"] == 0) | (table["baseline_games"] == 0)).to_numpy()
    needed, chance_left = np.full(len(table), np.nan), np.full(len(table), np.nan)
    needed[of_question], chance_left[of_question] = _forecast(table[of_question], plan, claims)
    decided = significant | equivalent
    of_question = of_question & tested
    least, most, low, high = (_column(table, name) for name in ("least", "most", "low", "high"))
    # Without capped games, what has no end is not known.
    limited_by_lines = np.isinf(needed) & ~(most > least) & (_column(table, "lasting") > 0)
    needed = np.where(np.isinf(needed) & ~(most > least) & ~limited_by_lines & ~missing, np.nan, needed)
    excludes_zero = (low > 0) | (high < 0)
    reason = np.where(excludes_zero, "together", "too_few_games")
    wide = most - least > (high - most) + (least - low)
    limited_by_caps = np.isinf(needed) & (most > least) | ~excludes_zero & wide
    reason = np.where(limited_by_lines, "too_few_lines", reason)
    reason = np.where(limited_by_caps, "capped_games", reason)
    not_analysed = table["unseen"].to_numpy(dtype=bool) & ~missing
    needed = np.where(decided, 0.0, np.where(not_analysed, np.nan, needed))
    table["games_needed"] = np.where(of_question, needed, np.nan)
    table["chance_left"] = np.where(of_question & ~decided, chance_left, np.nan)
    reason = np.where(not_analysed, "no_look" if plan.experiment.until else "not_finished", reason)
    reason = np.where(missing, "no_games", reason)
    table["reason"] = np.where(of_question & ~decided, reason, "").astype(object)
    table.loc[~table["tested"], ["simultaneous_low", "simultaneous_high"]] = np.nan


def _forecast(table: pd.DataFrame, plan: AnalysisPlan, claims: int) -> tuple[Floats, Floats]:
    """Further games per cell after which each comparison is probably decided, and the chance that the ceiling does it.

    Games beyond the ceiling are an extension, and have its `error_share` of the error.
    """
    names = ("least", "most", "games", "margin", "lasting")
    least, most, games, margin, lasting_part = (_column(table, name) for name in names)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = (_column(table, "high") - most + least - _column(table, "low")) / (2 * _column(table, "critical"))
        ceiling = np.maximum(plan.games / games, 1.0)

    def effective_factor(times: Floats) -> Floats:
        """Return the factor for games of other lines that do as much as ``times`` as many games of the same lines."""
        with np.errstate(divide="ignore", invalid="ignore"):
            equal = 1 / (lasting_part + (1 - lasting_part) / times)
        return np.where(lasting_part > 0, equal, times)

    def factor_on_same_lines(times: Floats) -> Floats:
        """Turns `effective_factor` round; infinite where the same lines never do as much."""
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = (1 - lasting_part) / (1 / times - lasting_part)
        return np.where(lasting_part > 0, np.where(1 / times > lasting_part, needed, np.inf), times)

    # Of what is no share, a change is typically of the order of its margin, as it is of shares.
    typical = TYPICAL_CHANGE if plan.question_measure.is_share else 2 * margin
    stage = plan.stages[-1]
    critical = np.full(len(table), critical_value(ALPHA * stage.share / claims, stage.analyses))
    chance_left = decision_chance(least, most, error, effective_factor(ceiling), critical, critical, margin, typical)
    within_ceiling = factor_on_same_lines(
        times_to_decide(least, most, error, critical, critical, margin, typical, last_analysis=ceiling)
    )
    critical = np.full(len(table), critical_value(ALPHA * error_share(plan.number + 1) / claims))
    times = factor_on_same_lines(times_to_decide(least, most, error, critical, critical, margin, typical))
    # What the games up to the ceiling may still decide needs no extension.
    times = np.where(within_ceiling <= ceiling, within_ceiling, np.maximum(times, ceiling))
    never = np.isnan(error) | (most - least >= 1) | np.isinf(times)
    more_games = np.maximum(np.ceil(games * (np.where(never, 2.0, times) - 1)), 1.0)
    needed = np.where(games > 0, np.where(never, np.inf, more_games), np.nan)
    chance_left = np.where(np.isnan(chance_left) | (most - least >= 1) | (ceiling <= 1), 0.0, chance_left)
    # Of an open interval nobody knows what more games will make.
    return needed, np.where(np.isinf(error) & (ceiling > 1), np.nan, chance_left)


class _Analyses:
    """The analyses of a plan's comparisons, stage by stage; in the last place that of all games there are."""

    def __init__(self, plan: AnalysisPlan) -> None:
        self.stages, self.finished = plan.stages, plan.finished
        self.sizes = [size for stage in plan.stages for size in stage.sizes]
        """Games per cell, in ascending order."""
        self.places = [[self.sizes.index(size) for size in stage.sizes] or [len(self.sizes)] for stage in plan.stages]
        """The places of each stage's analyses."""

    def reached(self, games: Floats) -> npt.NDArray[np.bool_]:
        """True where a row has the games of an analysis (rows x analyses)."""
        whole = (games > 0) & (self.finished and not self.sizes)
        return np.column_stack([games[:, None] >= np.array(self.sizes)[None, :], whole])

    def p_value(
        self, analyses: Sequence[tuple[Floats, Floats]], reached: npt.NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """Return the p-value of each row over all its analyses, and the sign at the one that gave it.

        ``analyses`` has the critical value that each row reached, and the sign, at each of the analyses.
        """
        p, sign = np.full(len(reached), np.nan), np.zeros(len(reached))
        for row, seen in enumerate(reached):
            for stage, places in zip(self.stages, self.places, strict=True):
                farthest = [
                    (math.sqrt(number / stage.analyses) * analyses[place][0][row], analyses[place][1][row])
                    for number, place in enumerate(places, start=1)
                    if seen[place]
                ]
                if not farthest:
                    continue
                bound, its_sign = farthest[int(np.argmax([value for value, _ in farthest]))]
                stage_p = min(1.0, float(crossing_probability(bound, stage.analyses)) / stage.share)
                if not p[row] <= stage_p:
                    p[row], sign[row] = stage_p, its_sign
        return p, sign

    def critical(self, last_analysis: npt.NDArray[np.int64], games: Floats) -> Callable[[float], Floats]:
        """Return the critical values of the rows' intervals at their last analyses, as a function of the error."""

        def value(alpha: float) -> Floats:
            critical_values = []
            for place, count in zip(last_analysis, games, strict=True):
                of_place = (one for one, at in zip(self.stages, self.places, strict=True) if place in at)
                stage = next(of_place, self.stages[-1])
                size = self.sizes[place] if place < len(self.sizes) else max([count, *stage.sizes[:1]])
                time = min(size / stage.sizes[-1], 1.0) if stage.sizes else 1.0
                critical_values.append(critical_value(stage.share * alpha, stage.analyses) / math.sqrt(time))
            return np.array(critical_values)

        return value


PUBLISHED_COLUMNS = [
    "ruleset", "measure", "first", "second", "published", "published_low", "published_high", "usable",
    "strong", "difference", "low", "high", "agrees",
]  # fmt: skip


def published_differences(
    published: Published | None, comparisons: pd.DataFrame, strong_verdicts: pd.DataFrame, plan: AnalysisPlan
) -> pd.DataFrame:
    """Return a row for each ruleset, measure (first_score, draw_rate) and pairing of which results were published.

    ``published``: the ruleset's value less the baseline's, with its 95 % interval; ``usable``: whether that leaves 0
    out, and so has a direction. ``difference``, ``low``, ``high``: the same of this experiment (see
    `comparison_table`). ``agrees``: yes or no, if both intervals leave 0 out, on the same side or on different ones;
    else "".

    The verdict about strong play (see `strong_play_tables`), where there is one, is ``strong`` in a row without
    players. Its direction is compared, and its ``difference`` is that of the strongest players.

    Source: two independent samples, normal approximation of their shares.
    Limits: each interval is that of one comparison; of twenty directions that are really none, one is told on average.
    """
    if published is None:
        return pd.DataFrame(columns=PUBLISHED_COLUMNS)
    results: list[dict[Any, Any]] = [
        {"first": "", "second": "", "strong": row["verdict"], "difference": row["now"]}
        | {"low": row["now_low"], "high": row["now_high"], "ruleset": row["ruleset"], "measure": row["measure"]}
        | {"direction": {"more": 1, "less": -1}.get(row["direction"], 0)}
        for row in strong_verdicts.to_dict("records")
        if row["compared"]
    ]
    for row in comparisons.to_dict("records"):
        results.append(row | {"strong": "", "direction": (row["low"] > 0) - (row["high"] < 0)})
    rows = []
    for expected in differences_from_baseline(published, plan):
        ends = {"published_low": expected.low, "published_high": expected.high}
        published_columns = {"published": expected.difference, **ends}
        for row in results:
            if (row["ruleset"], row["measure"]) == (expected.ruleset, expected.measure):
                agrees = {1: "yes", -1: "no", 0: ""}[row["direction"] * expected.direction]
                rows.append(row | published_columns | {"usable": bool(expected.direction), "agrees": agrees})
    return pd.DataFrame(rows, columns=PUBLISHED_COLUMNS)


class PublishedDifference(NamedTuple):
    """The published difference of a ruleset from the baseline, with its 95 % interval."""

    ruleset: str
    measure: str
    difference: float
    low: float
    high: float

    @property
    def direction(self) -> int:
        """1 for more, -1 for less; 0 if the interval holds 0."""
        return (self.low > 0) - (self.high < 0)


def differences_from_baseline(published: Published, plan: AnalysisPlan) -> Iterator[PublishedDifference]:
    """Yield the published differences of the proposals, ruleset by ruleset."""
    base = published.results.get(plan.baseline, {})
    for ruleset in plan.proposals:
        for measure in PUBLISHED_MEASURES:
            estimate, reference = published.results.get(ruleset, {}).get(measure), base.get(measure)
            if estimate is not None and reference is not None:
                difference = estimate.value - reference.value
                reach = NORMAL_95 * math.hypot(estimate.error, reference.error)
                yield PublishedDifference(ruleset, measure, difference, difference - reach, difference + reach)


EFFECT_MEASURES = ("first_score", "draw_rate", "plies_mean")
"""Measures whose effects are estimated in every experiment, besides that of its question."""
TOLERANCE = 1e-8

_PAIR = ["factor", "level", "factor2", "level2"]
EFFECT_COLUMNS = [
    "first", "second", "measure", "kind", "factor", "level", "reference", "factor2", "level2", "reference2", "effect",
    "low", "high", "p", "p_holm", "games",
]  # fmt: skip
MEAN_COLUMNS = ["first", "second", "measure", *_PAIR, "mean", "low", "high"]

Point = tuple[str, ...]
"""A level of each factor."""
Factors = Mapping[str, Sequence[str]]


def factorial_effects(trials: pd.DataFrame, plan: AnalysisPlan) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the effects of the varied factors, and the means that they follow from, per pairing and measure.

    The model says that a game's number (the first seat's score; whether it is a draw; its plies up to the cap) is a sum
    of what each factor's level and each two levels of two factors add. Its means at the points of the full grid of
    levels are averaged with equal weights:

    * ``main``: mean at ``level`` less mean at ``reference`` (the first level), over all levels of the other factors;
    * ``interaction``: by how much the effect of ``level`` is larger at ``level2`` than at ``reference2``.

    ``p_holm`` is corrected over all effects, of all pairings and measures; random players beside others are a
    yardstick and have none (`AnalysisPlan.yardsticks`). The measure that the experiment asks about comes first, if it
    is a number of each game, as openings and the ratio of legal moves to plies are not. Means of one level have
    ``factor2`` = "". Where a design cannot tell an effect from others, as fractional ones may not, there is no
    row for it; if it cannot tell the main effects from interactions, the model leaves out all interactions.

    Source: Holm 1979; linear probability model by least squares over all games. An effect is then a weighted sum of the
    means of the rulesets, each with its own variance: B. L. Welch, Biometrika 34, 1947; with what lines give them in
    common: `workbench.statistics.intervals`. Effects are differences in points, not ratios of odds: J. D. Angrist,
    J.-S. Pischke, "Mostly Harmless Econometrics", 2009, section 3.4.
    Limits: higher interactions are taken to be none, which is only so if the design is far from 0 and 1. Capped games
    have no score and are left out of it; where many are, read the bounds of the cells. An effect has no interval, and
    no verdict, where the mean of one of its rulesets has none (`mean_interval`).
    """
    points = {
        name: tuple(levels[factor] for factor in plan.experiment.factors)
        for name, levels in plan.experiment.levels.items()
        if plan.experiment.factors and all(factor in levels for factor in plan.experiment.factors)
    }
    question = plan.question_measure
    ratios = (Estimator.RATIO, Estimator.WEIGHTED_MEAN, Estimator.OPENINGS)
    named = () if question.estimator in ratios else (score_behind(question.name),)
    measures = dict.fromkeys((*named, *EFFECT_MEASURES))
    effects: list[list[object]] = []
    means: list[list[object]] = []
    for first, second in plan.pairings if len(points) > 1 else []:
        games = trials[(trials["first"] == first) & (trials["second"] == second)]
        games = games[games["ruleset"].isin(list(points))]
        for measure in measures:
            fit = _LinearModel.from_games(games, (first, second), measure, points, plan)
            if fit is not None:
                effects += _effects(fit, plan, [first, second, measure])
                means += [[first, second, measure, *row] for row in fit.marginal_means()]
    table = pd.DataFrame(effects, columns=EFFECT_COLUMNS)
    tested = [pair not in plan.yardsticks for pair in zip(table["first"], table["second"], strict=True)]
    if any(tested):
        table.loc[tested, "p_holm"] = holm(table.loc[tested, "p"])
    return table, pd.DataFrame(means, columns=MEAN_COLUMNS)


def _effects(fit: _LinearModel, plan: AnalysisPlan, names: list[object]) -> list[list[object]]:
    z = float(t_from_normal(plan.critical(fit.games), fit.lines))
    rows: list[list[object]] = []
    for kind, words, contrast in fit.contrasts():
        value, error = fit.value(contrast)
        if not math.isnan(value):
            p = float(2 * ndtr(-normal_from_t(abs(value) / error, fit.lines)))
            rows.append([*names, kind, *words, value, value - z * error, value + z * error, p, math.nan, fit.games])
    return rows


class _LinearModel:
    """A linear model of a game's number: a weight for each level, and for each two levels of two factors."""

    def __init__(
        self, tally: Tally, measure: str, correlations: Floats, points: Sequence[Point], factors: Factors,
        has_interactions: bool,
    ) -> None:  # fmt: skip
        """Fit the means of a measure, and their correlations, in cells that were played at these points."""
        design = np.array([_design_row(spot, factors, has_interactions) for spot in points])
        self.correlations = correlations
        self.factors = factors
        self.has_interactions = has_interactions
        games = tally.get(f"{measure}_games", tally["games"])
        self.games = int(games.sum())
        # Without lines the quantiles are those of all games but one for each mean.
        self.lines = min(float(tally["lines"].min()), max(self.games - len(games), 1) + 1.0)
        self.means, self.errors = _means_and_errors(tally, measure, games)
        # Columns that the points cannot tell apart would make the regressors collinear: orthonormal combinations of
        # them, as many as can be told apart, stand for them.
        _, sizes, combinations = np.linalg.svd(design, full_matrices=False)
        self.basis: Floats = combinations[sizes > TOLERANCE * sizes[0]].T
        regressors = design @ self.basis
        weighted = regressors.T * games
        self.cell_weights: Floats = self.basis @ np.linalg.solve(weighted @ regressors, weighted)
        """The weight of each cell's mean in each coefficient, by least squares over all games."""

    @classmethod
    def from_games(
        cls, games: pd.DataFrame, pairing: tuple[str, str], measure: str, points: dict[str, Point], plan: AnalysisPlan
    ) -> _LinearModel | None:
        """Return the model of the games of a pairing, or None if there is nothing to tell apart."""
        asked = plan.question_measure
        question_measure = asked if asked.columns and asked.name == measure else None
        if measure == "first_score":
            games = games[games["result"] != "unfinished"]
        elif question_measure:
            games = games[games[question_measure.columns[0]].notna()]
        names = sorted(games["ruleset"].astype(str).unique())
        if len(names) < 2:
            return None
        extra_measures = (question_measure.name,) if question_measure else ()
        cells = [(name, *pairing) for name in names]
        tally, correlations = tally_with_correlations(games, cells, extra_measures=extra_measures)
        if measure != "capped_rate":
            # A game that was stopped is none of those that a share counts.
            tally = {**tally, "unfinished": np.zeros(len(names))}
        values = measure_estimate(tally, measure)
        spread = tally.get(f"{measure}_error", values * (1 - values))
        if (values == values[0]).all() and not spread.any():
            return None
        factors: Factors = {name: levels for name, levels in plan.experiment.factors.items() if len(levels) > 1}
        factor_names = list(plan.experiment.factors)
        cell_points = [tuple(points[name][factor_names.index(factor)] for factor in factors) for name in names]
        fit, correlation = None, correlations.get(measure, np.eye(len(names)))
        for has_interactions in (True, False):
            fit = cls(tally, measure, correlation, cell_points, factors, has_interactions)
            if all(fit.is_estimable(contrast) for kind, _, contrast in fit.contrasts() if kind == "main"):
                break
        return fit

    def is_estimable(self, contrast: Floats) -> bool:
        """True if the design can tell this combination of coefficients from others."""
        projection = contrast @ self.basis @ self.basis.T
        return bool(np.abs(contrast - projection).max() < TOLERANCE * max(1.0, np.abs(contrast).max()))

    def value(self, contrast: Floats) -> tuple[float, float]:
        """Return a combination of coefficients and its standard error, infinite where games do not tell it.

        Both are NaN if the design cannot tell the combination.
        """
        if not self.is_estimable(contrast):
            return math.nan, math.nan
        counts = contrast @ self.cell_weights
        counts[np.abs(counts) < TOLERANCE] = 0.0
        weighted = counts != 0
        parts = counts[weighted] * self.errors[weighted]
        variance = (
            parts @ self.correlations[np.ix_(weighted, weighted)] @ parts if np.isfinite(parts).all() else math.inf
        )
        return float(counts @ self.means), math.sqrt(variance)

    def mean_weights(self, levels: Mapping[str, str]) -> Floats:
        """Return the coefficients' weights in the mean over the grid where the given factors have these levels."""
        grid = itertools.product(*([levels[name]] if name in levels else all for name, all in self.factors.items()))
        weights: Floats = np.mean([_design_row(point, self.factors, self.has_interactions) for point in grid], axis=0)
        return weights

    def contrasts(self) -> list[tuple[str, list[object], Floats]]:
        """Kind, words (factor, level, reference, the same of a second one) and weights of every effect."""
        contrasts: list[tuple[str, list[object], Floats]] = []
        mean = self.mean_weights
        for name, levels in self.factors.items():
            for level in levels[1:]:
                words: list[object] = [name, level, levels[0], "", "", ""]
                contrasts.append(("main", words, mean({name: level}) - mean({name: levels[0]})))
        pairs = itertools.combinations(self.factors.items(), 2) if self.has_interactions else ()
        for (factor, (reference, *levels)), (factor2, (reference2, *levels2)) in pairs:
            for a, b in itertools.product(levels, levels2):
                at_level = mean({factor: a, factor2: b}) - mean({factor: reference, factor2: b})
                at_reference = mean({factor: a, factor2: reference2}) - mean({factor: reference, factor2: reference2})
                words = [factor, a, reference, factor2, b, reference2]
                contrasts.append(("interaction", words, at_level - at_reference))
        return contrasts

    def marginal_means(self) -> list[list[object]]:
        """Return the mean at each level and at each two levels of two factors, with intervals."""
        spots: list[dict[str, str]] = [{name: level} for name, levels in self.factors.items() for level in levels]
        if self.has_interactions:
            for (factor, levels), (factor2, levels2) in itertools.combinations(self.factors.items(), 2):
                spots += [{factor: a, factor2: b} for a, b in itertools.product(levels, levels2)]
        rows: list[list[object]] = []
        for level_of_factor in spots:
            value, error = self.value(self.mean_weights(level_of_factor))
            if not math.isnan(value):
                words = [word for pair in level_of_factor.items() for word in pair]
                half_width = float(t_from_normal(Z, self.lines)) * error
                rows.append([*words, *[""] * (4 - len(words)), value, value - half_width, value + half_width])
        return rows


def _means_and_errors(tally: Tally, measure: str, games: Floats) -> tuple[Floats, Floats]:
    """Return the mean of a measure in each cell, and its standard error.

    That of a share, or of a score, is made with one more game of either kind, so that what never happened is not taken
    to be impossible. That of other means is infinite where games do not tell it (`mean_interval`).
    """
    means = measure_estimate(tally, measure)
    if f"{measure}_error" in tally:
        ends = measure_ranges(tally, measure, 1.0)
        return means, ends.high - means
    draws = tally["draw"] if measure == "first_score" else 0.0
    squares = games * means * (1 - means) - draws / 4
    errors = np.sqrt((squares + means**2 + (1 - means) ** 2) / (games * (games + 1)))
    return means, np.asarray(errors * error_inflation(tally, measure))


def _design_row(point: Point, factors: Factors, has_interactions: bool) -> Floats:
    """The design's row for a point: 1, a column for each level but the first, and products of two factors' columns."""
    columns = [
        [float(level == played_level) for level in levels[1:]]
        for played_level, levels in zip(point, factors.values(), strict=True)
    ]
    row = [1.0, *itertools.chain.from_iterable(columns)]
    if has_interactions:
        row += [a * b for one, two in itertools.combinations(columns, 2) for a, b in itertools.product(one, two)]
    return np.array(row)
