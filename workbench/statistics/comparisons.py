"""Proposals against the baseline, and the effects of varied factors: differences, their certainty, and verdicts.

Fairness is the distance of the first seat's score from one half: the smaller, the fairer. The *gain* of a proposal is
the baseline's distance less its own. It is not linear in the two scores, and its estimate is biased where a score is
near one half; `fairness_gain` explains why its intervals and tests are valid all the same.
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
from workbench.statistics import analysis_plan, intervals, tables
from workbench.statistics.analysis_plan import ALPHA, AnalysisPlan, critical_value, error_share
from workbench.statistics.intervals import Estimate, Floats, Range, Z
from workbench.statistics.openings import opening_tables
from workbench.statistics.tables import Tally, TallyPair, fewest_lines, measure_estimate, measure_ranges

COMPARISON_COLUMNS = [
    *CELL, "measure", "games", "baseline_games", "value", "baseline_value", "difference", "least", "most", "low",
    "high", "simultaneous_low", "simultaneous_high", "p", "p_holm", "chosen", "p_equivalent", "p_equivalent_holm",
    "margin", "verdict", "reason", "games_needed", "chance_left",
]  # fmt: skip

OPEN_END = 1e9
"""Stands for an open end: larger than any difference."""
FUTILITY_CHANCE = 0.05
"""The least chance of a decision at the ceiling for which a comparison gets more games."""


def fairness_gain(difference: Range, total: Range) -> Range:
    """Return |b - ½| - |p - ½| with its interval, for a baseline's score b and a proposal's p; above 0 p is fairer.

    ``difference`` is A = b - p and ``total`` is B = b + p - 1. The gain is positive if and only if A and B have the
    same sign. So "fairer" requires the intervals of A and of B on the same side of 0, and the lower end is
    max(min(low A, low B), min(-high A, -high B)); the upper end likewise with p and b swapped.

    Source: two tests that must both succeed, each at the full level, keep that level: R. L. Berger, "Multiparameter
    hypothesis testing and acceptance sampling", Technometrics 24, 1982; for cones of this shape S. Sasabuchi, "A test
    of a multivariate normal mean with composite hypotheses determined by linear inequalities", Biometrika 67, 1980.
    The intervals of A and B are those of `difference_interval` and `sum_interval`.
    Limits: with a 95 % interval, a proposal that is not fairer is called fairer in at most 5 % of experiments, usually
    in 2.5 %. If a true score is near ½, the estimate of the gain is too small (proposal) or too large (baseline) by up
    to 0.8 standard errors of that score. The interval covers at least 95 %, except for a fraction of a percent.
    With capped games the intervals of `imbens_manski` keep the 5 % for the *sign* of the gain, where two tests must err
    at once. An end beyond 0, and equivalence, need the usual intervals, because one error is enough there: with those
    of `imbens_manski` the coverage would be 90 % at a score of ½.
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
    """Return one row per proposal, pairing and measure: proposal minus baseline, with the verdict.

    ``measures`` are by default the `compared_measures`. The measure of the experiment's ``question`` is first; it is
    ``fairness`` by default (see `fairness_gain`).

    * ``games``, ``baseline_games``: the games with a value.
    * ``difference``; ``least`` and ``most``: its bounds over all outcomes of capped games; ``low``, ``high``: its 95 %
      interval for any true value between the bounds; ``simultaneous_low``, ``simultaneous_high``: the simultaneous
      interval for the whole family.
    * ``p``: p-value of "there is no difference", whatever the outcomes of capped games: the smallest level at which the
      interval excludes 0, including earlier analyses. ``p_equivalent``: p-value of "the difference is ``margin`` or
      more, in either direction" (the question only).
    * ``p_holm``, ``p_equivalent_holm``: corrected for the family. There are two families: the question over all
      proposals and pairings, with the measures that the experiment names (``chosen``), and all other measures.
    * ``verdict`` on the question: ``no_meaningful_difference`` if p_equivalent_holm ≤ 5 %, else ``more`` or ``less``
      (of fairness ``fairer`` or ``less_fair``) if p_holm ≤ 5 %, else ``undecided``; of other measures ``higher`` or
      ``lower`` (``fairer``, ``less_fair``) if p_holm ≤ 5 %, else ``no_difference_shown``. Random players are a
      ``yardstick``: outside of all families, with p alone (see `AnalysisPlan.yardsticks`).
    * ``reason`` of an undecided verdict: ``no_games``, ``not_finished`` (no verdict before all games are played),
      ``no_look`` (no analysis was reached yet), ``capped_games`` (which leave more open than chance, or so much that no
      number of games would decide), ``too_few_lines`` (no number of games with the same lines would decide),
      ``together`` (the pointwise interval excludes 0, but p_holm is above 5 %) or ``too_few_games``.
    * ``games_needed``: further games per cell that probably decide, if the games so far are typical; 0 if decided.
      ``chance_left``: the chance that the games up to the ceiling still decide.

    Verdicts are only reached at analyses: with ``until`` at those fixed in advance, otherwise when all games are
    played. A comparison uses the last analysis that both cells reached; before the first it has no verdict. If
    ``games`` was raised after the folder had been judged, earlier verdicts remain valid, because each of the
    `AnalysisPlan.stages` has its `error_share` of the error.

    Source: `fairness_gain`, `difference_interval`, `imbens_manski`, `crossing_probability`, `corrected_p_values`;
    lines: `workbench.statistics.intervals`; with interim analyses: Y. Ye, A. Li, L. Liu, B. Yao, "A group sequential
    Holm procedure with multiple primary endpoints", Statistics in Medicine 32, 2013; equivalence: D. J. Schuirmann, J.
    Pharmacokinetics and Biopharmaceutics 15, 1987, with the 95 % interval, since at ½ both of its sides can err. The
    question before the other measures: A. Dmitrienko, A. C. Tamhane, F. Bretz (eds.), "Multiple Testing Problems in
    Pharmaceutical Statistics", 2009, on primary and secondary endpoints.
    Limits: of twenty experiments one makes a wrong claim about its question, and one about other measures. All
    comparisons of a pairing share the baseline's games; the correction allows for it. A margin relative to the
    baseline's value is as certain as that value. ``plies_mean`` and events are counted up to the cap. Variety is
    measured at the ply at which each analysis compares openings (`opening_tables`), with intervals scaled on the
    logarithmic scale. After an early end the estimates are slightly too extreme. ``games_needed`` is right four times
    out of five on average over rule changes of the size that `decision_chance` assumes, not for each: state no
    probability with it.
    """
    trials = analysis_plan.prepare_trials(trials, plan)
    question = plan.question_measure.name
    recorded = [
        name
        for name in (compared_measures() if measures is None else measures)
        if set(measure_by_name(name).columns) <= set(trials.columns)
    ]
    measures = list(dict.fromkeys((question, *recorded)))
    rows = [(name, *pairing) for name in plan.proposals for pairing in plan.pairings]
    if not rows:
        dtypes = dict.fromkeys((*CELL, "measure", "verdict", "reason"), object) | {"chosen": bool}
        return pd.DataFrame({name: pd.Series(dtype=dtypes.get(name, float)) for name in COMPARISON_COLUMNS})
    analyses = _Analyses(plan)
    final_tallies = _tally_rows(trials, rows, plan)
    games = np.minimum(final_tallies[0]["games"], final_tallies[1]["games"])
    played = int(trials.games["game"].max()) + 1 if len(trials) else 0
    snapshots = [_tally_rows(trials, rows, plan, size) if size < played else final_tallies for size in analyses.sizes]
    reached = analyses.reached(games)
    # The index of each row's last analysis; the last index if there was none.
    reached_count = reached[:, :-1].sum(axis=1)
    last_analysis = np.where(reached_count > 0, reached_count - 1, len(analyses.sizes)).astype(np.int64)
    pairs, row_indices = [*snapshots, final_tallies], np.arange(len(rows))
    last_proposals, last_baselines = (
        {name: np.stack([pair[side][name] for pair in pairs])[last_analysis, row_indices] for name in pairs[0][side]}
        for side in (0, 1)
    )
    critical_values = analyses.critical(last_analysis, games)
    tested = np.array([row[1:] not in plan.yardsticks for row in rows])
    primary = len(set(plan.primary_measures) & set(measures))

    def equivalence(a: Tally, b: Tally) -> tuple[Floats, Floats]:
        margins = plan.question_margins(measure_estimate(b, question))
        return _equivalence(a, b, margins, question), np.ones(len(rows))

    parts = []
    for measure in measures:
        chosen = measure in plan.primary_measures
        p, sign = analyses.p_value(_at_each_analysis(pairs, partial(_separation, measure=measure)), reached)
        equivalence_p, margins = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
        if measure == question:
            margins = plan.question_margins(measure_estimate(last_baselines, measure))
            equivalence_p = analyses.p_value(_at_each_analysis(pairs, equivalence), reached)[0]
        value, baseline_value = (measure_estimate(tally, measure) for tally in (last_proposals, last_baselines))
        has_estimate = ~np.isnan(value - baseline_value)
        family = int(tested.sum()) * (primary if chosen else len(measures) - primary)
        part = pd.DataFrame(rows, columns=CELL).assign(
            measure=measure, p=np.where(has_estimate, p, np.nan), sign=sign, tested=tested, chosen=chosen & tested,
            p_equivalent=np.where(has_estimate & tested, equivalence_p, np.nan), margin=margins,
            unseen=(last_analysis == len(snapshots)) & ~reached[:, -1],
        )  # fmt: skip
        parts.append(part.join(_estimates(last_proposals, last_baselines, measure, critical_values, family)))
    table = pd.concat(parts, ignore_index=True)
    next_factor = _add_corrected_p_values(table)
    _add_verdicts(table, plan, next_factor)
    order = table[CELL].apply(tuple, axis=1).map({row: index for index, row in enumerate(rows)})
    return table.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)[COMPARISON_COLUMNS]


def shaffer_factors(comparisons: int, claims: int) -> npt.NDArray[np.int64]:
    """Return the correction factors for the sorted p-values of ``claims`` claims about ``comparisons`` comparisons.

    A comparison may have two claims: that there is a difference, and that it is smaller than the margin. At most one of
    them is wrong, so there are never more wrong claims than comparisons.

    Source: J. P. Shaffer, "Modified sequentially rejective multiple test procedures", JASA 81, 1986, with the bound
    of all steps, on S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian J. of Statistics
    6, 1979, which it equals if each comparison has one claim.
    """
    return np.minimum(comparisons, claims - np.arange(claims))


def corrected_p_values(p_different: Floats, p_equivalent: Floats) -> tuple[Floats, Floats]:
    """Return a family's p-values, corrected for a familywise error of 5 % over both kinds of claim.

    ``p_equivalent`` are p-values of "no meaningful difference", NaN if that is not claimed. A comparison without
    games has no p-value, but still belongs to the family.

    Source: `shaffer_factors`.
    Limits: p-values may depend on each other in any way.
    """
    two_claims = ~np.isnan(p_equivalent)
    values = np.concatenate([np.nan_to_num(p_different, nan=1.0), p_equivalent[two_claims]])
    corrected = intervals.step_down(values, shaffer_factors(len(p_different), len(values)))
    corrected_equivalent = np.full(len(p_equivalent), np.nan)
    corrected_equivalent[two_claims] = corrected[len(p_different) :]
    return np.where(np.isnan(p_different), np.nan, corrected[: len(p_different)]), corrected_equivalent


def _add_corrected_p_values(table: pd.DataFrame) -> int:
    """Add the corrected p-values, and return the correction factor of the next claim about the question."""
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
    """Return the tallies of the proposals, and those of their baselines, row by row."""
    cells = [*rows, *((plan.baseline, first, second) for _, first, second in rows)]
    a, b = tables.tally_pairs(trials, cells, stop, (plan.question_measure.name,))
    if plan.question_measure.estimator is Estimator.OPENINGS:
        included_trials = trials if stop is None else trials.select(trials.games["game"] < stop)
        varieties = _variety_estimates(included_trials, cells, plan)
        a = {**a, **{name: values[: len(rows)] for name, values in varieties.items()}}
        b = {**b, **{name: values[len(rows) :] for name, values in varieties.items()}}
    return a, b


def _variety_estimates(trials: Trials, cells: Sequence[CellName], plan: AnalysisPlan) -> dict[str, Floats]:
    """Return each cell's effective number of openings, and the factors between it and each end per standard error."""
    table = opening_tables(trials, plan)[0]
    shown = table[table["shown"].astype(bool)].set_index(CELL).reindex(pd.MultiIndex.from_tuples(cells, names=CELL))
    value, low, high = (_column(shown, f"effective{end}") for end in ("", "_low", "_high"))
    z = np.array([plan.critical(0 if math.isnan(n) else int(n)) for n in shown["games"]])
    # Every cell has at least one kind of opening.
    spread_low, spread_high = (np.maximum(low, 1e-9) / value) ** (1 / z), (high / value) ** (1 / z)
    return {"variety": value, "variety_spread_low": spread_low, "variety_spread_high": spread_high}


def _at_each_analysis(
    analyses: Sequence[TallyPair], statistic: Callable[[Tally, Tally], tuple[Floats, Floats]]
) -> list[tuple[Floats, Floats]]:
    """Return a statistic at every analysis, computed once for analyses of the same games."""
    computed = {key: statistic(*pair) for key, pair in {id(pair): pair for pair in analyses}.items()}
    return [computed[id(pair)] for pair in analyses]


def _difference_interval(a: Tally, b: Tally, measure: str, z: npt.ArrayLike) -> Range:
    """Return the difference (or gain) of proposals ``a`` from their baselines ``b``, with its interval."""
    sign_interval = _sign_interval(a, b, measure)(z)
    if measure != FAIRNESS:
        return sign_interval
    usual = fairness_gain(*_difference_and_sum(a, b, z))
    low = np.where(sign_interval.low > 0, sign_interval.low, usual.low)
    return sign_interval._replace(low=low, high=np.where(sign_interval.high < 0, sign_interval.high, usual.high))


def _sign_interval(a: Tally, b: Tally, measure: str) -> Callable[[npt.ArrayLike], Range]:
    """Return the interval as a function of z; for ``fairness`` only the signs of the ends count (`fairness_gain`)."""
    if measure != FAIRNESS:
        return intervals.imbens_manski(lambda c: _difference(a, b, measure, c))
    if not (a["unfinished"].any() or b["unfinished"].any()):
        return lambda z: fairness_gain(*_difference_and_sum(a, b, z))
    difference = intervals.imbens_manski(lambda c: _difference_and_sum(a, b, c)[0])
    total = intervals.imbens_manski(lambda c: _difference_and_sum(a, b, c)[1])
    return lambda z: fairness_gain(difference(z), total(z))


def _difference(a: Tally, b: Tally, measure: str, z: npt.ArrayLike) -> Range:
    correlation = tables.estimate_correlation(a, measure)
    return intervals.difference_interval(measure_ranges(a, measure, z), measure_ranges(b, measure, z), correlation)


def _difference_and_sum(a: Tally, b: Tally, z: npt.ArrayLike) -> tuple[Range, Range]:
    """Return the arguments of `fairness_gain`, with ends ``z`` standard errors beyond their bounds."""
    proposal, baseline = measure_ranges(a, FAIRNESS, z), measure_ranges(b, FAIRNESS, z)
    correlation = tables.estimate_correlation(a, FAIRNESS)
    total = intervals.sum_interval(baseline, proposal, correlation)
    return intervals.difference_interval(baseline, proposal, correlation), Range(*(end - 1 for end in total))


def _separation(a: Tally, b: Tally, measure: str) -> tuple[Floats, Floats]:
    """Return the largest critical value at which the interval excludes 0, and the sign of the difference."""
    interval = _sign_interval(a, b, measure)

    def distance_from_zero(z: Floats) -> Floats:
        ends = interval(z)
        return np.fmax(np.maximum(ends.low, -OPEN_END), np.maximum(-ends.high, -OPEN_END))

    estimates = interval(0.0)
    sign = np.where(estimates.least > 0, 1.0, np.where(estimates.most < 0, -1.0, 0.0))
    critical = intervals.largest_critical(distance_from_zero, estimates.least)
    return intervals.normal_from_t(critical, fewest_lines(a, b)), sign


def _equivalence(a: Tally, b: Tally, margin: Floats | float, measure: str = FAIRNESS) -> Floats:
    """Return the largest critical value at which the interval of the difference lies within ± ``margin``."""

    def room_within_margin(z: Floats) -> Floats:
        is_fairness = measure == FAIRNESS
        ends = fairness_gain(*_difference_and_sum(a, b, z)) if is_fairness else _difference(a, b, measure, z)
        return np.maximum(np.minimum(ends.low + margin, margin - ends.high), -OPEN_END)

    critical = intervals.largest_critical(room_within_margin, np.zeros(len(a["games"])))
    return intervals.normal_from_t(critical, fewest_lines(a, b))


def _estimates(
    a: Tally, b: Tally, measure: str, critical_values: Callable[[float], Floats], family: int
) -> pd.DataFrame:
    """Return the numeric columns of `comparison_table` except the p-values."""
    value, baseline_value = measure_estimate(a, measure), measure_estimate(b, measure)
    pointwise, simultaneous = (
        intervals.t_from_normal(critical_values(alpha), fewest_lines(a, b)) for alpha in (ALPHA, ALPHA / max(1, family))
    )
    ends, simultaneous_ends = (_difference_interval(a, b, measure, z) for z in (pointwise, simultaneous))
    games, baseline_games = (tally.get(f"{measure}_games", tally["games"]).astype(int) for tally in (a, b))
    return pd.DataFrame({
        "games": games, "baseline_games": baseline_games, "value": value, "baseline_value": baseline_value,
        "difference": baseline_value - value if measure == FAIRNESS else value - baseline_value,
        **ends._asdict(), "simultaneous_low": simultaneous_ends.low, "simultaneous_high": simultaneous_ends.high,
        "critical": pointwise, "lasting": tables.lasting_share(a, b, measure),
    })  # fmt: skip


def _add_verdicts(table: pd.DataFrame, plan: AnalysisPlan, next_factor: int) -> None:
    """Add verdicts, reasons and the games needed; ``next_factor`` corrects the p-value of the next claim."""
    is_fairness = (table["measure"] == FAIRNESS).to_numpy()
    is_question = (table["measure"] == plan.question_measure.name).to_numpy()
    tested = table["tested"].to_numpy(dtype=bool)
    positive = _column(table, "sign") > 0
    significant = (_column(table, "p_holm") <= ALPHA) & (_column(table, "sign") != 0)
    equivalent = is_question & (_column(table, "p_equivalent_holm") <= ALPHA)
    verdicts = np.where(is_question, np.where(positive, "more", "less"), np.where(positive, "higher", "lower"))
    verdicts = np.where(is_fairness, np.where(positive, "fairer", "less_fair"), verdicts)
    verdicts = np.where(significant, verdicts, np.where(is_question, "undecided", "no_difference_shown"))
    verdicts = np.where(equivalent, "no_meaningful_difference", verdicts)
    table["verdict"] = np.where(tested, verdicts, "yardstick").astype(object)
    missing = ((table["games"] == 0) | (table["baseline_games"] == 0)).to_numpy()
    needed, chance_left = np.full(len(table), np.nan), np.full(len(table), np.nan)
    needed[is_question], chance_left[is_question] = _forecast(table[is_question], plan, next_factor)
    decided = significant | equivalent
    is_question = is_question & tested
    least, most, low, high = (_column(table, name) for name in ("least", "most", "low", "high"))
    # Without capped games, an infinite number means that the end is unknown.
    limited_by_lines = np.isinf(needed) & ~(most > least) & (_column(table, "lasting") > 0)
    needed = np.where(np.isinf(needed) & ~(most > least) & ~limited_by_lines & ~missing, np.nan, needed)
    excludes_zero = (low > 0) | (high < 0)
    is_wide = most - least > (high - most) + (least - low)
    limited_by_caps = np.isinf(needed) & (most > least) | ~excludes_zero & is_wide
    not_analysed = table["unseen"].to_numpy(dtype=bool) & ~missing
    needed = np.where(decided, 0.0, np.where(not_analysed, np.nan, needed))
    table["games_needed"] = np.where(is_question, needed, np.nan)
    table["chance_left"] = np.where(is_question & ~decided, chance_left, np.nan)
    reason = np.select(
        [~is_question | decided, missing, not_analysed, limited_by_caps, limited_by_lines, excludes_zero],
        ["", "no_games", "no_look" if plan.experiment.until else "not_finished", "capped_games", "too_few_lines",
         "together"], "too_few_games",
    )  # fmt: skip
    table["reason"] = reason.astype(object)
    table.loc[~table["tested"], ["simultaneous_low", "simultaneous_high"]] = np.nan


def _forecast(table: pd.DataFrame, plan: AnalysisPlan, next_factor: int) -> tuple[Floats, Floats]:
    """Return the further games per cell that a decision probably needs, and its chance before the ceiling.

    Games beyond the ceiling are an extension with its own `error_share`.
    """
    names = ("least", "most", "games", "margin", "lasting")
    least, most, games, margin, lasting = (_column(table, name) for name in names)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = (_column(table, "high") - most + least - _column(table, "low")) / (2 * _column(table, "critical"))
        ceiling = np.maximum(plan.games / games, 1.0)
    estimate = least, most, error

    def effective_factor(times: Floats) -> Floats:
        """Return the factor for games with new lines that is worth ``times`` as many games with the same lines."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(lasting > 0, 1 / (lasting + (1 - lasting) / times), times)

    def same_line_factor(times: Floats) -> Floats:
        """Return the inverse of `effective_factor`; it is infinite if the same lines never suffice."""
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(1 / times > lasting, (1 - lasting) / (1 / times - lasting), np.inf)
        return np.where(lasting > 0, needed, times)

    # For other units than shares, a typical change is of the order of the margin, as it is for shares.
    typical = analysis_plan.TYPICAL_CHANGE if plan.question_measure.is_share else 2 * margin
    stage = plan.stages[-1]
    critical = np.full(len(table), critical_value(ALPHA * stage.share / next_factor, stage.analyses))
    chance_left = analysis_plan.decision_chance(
        *estimate, effective_factor(ceiling), critical, critical, margin, typical
    )
    within_ceiling = same_line_factor(
        analysis_plan.times_to_decide(*estimate, critical, critical, margin, typical, last_analysis=ceiling)
    )
    critical = np.full(len(table), critical_value(ALPHA * error_share(plan.stage_number + 1) / next_factor))
    times = same_line_factor(analysis_plan.times_to_decide(*estimate, critical, critical, margin, typical))
    # No extension is needed if the games up to the ceiling may decide.
    times = np.where(within_ceiling <= ceiling, within_ceiling, np.maximum(times, ceiling))
    never = np.isnan(error) | (most - least >= 1) | np.isinf(times)
    more_games = np.maximum(np.ceil(games * (np.where(never, 2.0, times) - 1)), 1.0)
    needed = np.where(games > 0, np.where(never, np.inf, more_games), np.nan)
    chance_left = np.where(np.isnan(chance_left) | (most - least >= 1) | (ceiling <= 1), 0.0, chance_left)
    # An open interval allows no forecast.
    return needed, np.where(np.isinf(error) & (ceiling > 1), np.nan, chance_left)


class _Analyses:
    """The analyses of a plan's comparisons, stage by stage; the last index is the analysis of all games."""

    def __init__(self, plan: AnalysisPlan) -> None:
        self.stages, self.finished = plan.stages, plan.finished
        self.sizes = [size for stage in plan.stages for size in stage.sizes]
        """Games per cell, in ascending order."""
        self.indices = [[self.sizes.index(size) for size in stage.sizes] or [len(self.sizes)] for stage in plan.stages]
        """The indices of each stage's analyses."""

    def reached(self, games: Floats) -> npt.NDArray[np.bool_]:
        """Return a mask of the analyses for which each row has enough games (rows x analyses)."""
        complete = (games > 0) & (self.finished and not self.sizes)
        return np.column_stack([games[:, None] >= np.array(self.sizes)[None, :], complete])

    def p_value(
        self, analyses: Sequence[tuple[Floats, Floats]], reached: npt.NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """Return each row's p-value over all its analyses, and the sign at the decisive one.

        ``analyses`` are the rows' critical values and signs at each analysis.
        """
        p, sign = np.full(len(reached), np.nan), np.zeros(len(reached))
        for row, is_reached in enumerate(reached):
            for stage, indices in zip(self.stages, self.indices, strict=True):
                bounds = [
                    (math.sqrt(number / stage.analyses) * analyses[index][0][row], analyses[index][1][row])
                    for number, index in enumerate(indices, start=1)
                    if is_reached[index]
                ]
                if not bounds:
                    continue
                bound, bound_sign = bounds[int(np.argmax([value for value, _ in bounds]))]
                stage_p = min(1.0, float(analysis_plan.crossing_probability(bound, stage.analyses)) / stage.share)
                if not p[row] <= stage_p:
                    p[row], sign[row] = stage_p, bound_sign
        return p, sign

    def critical(self, last_analysis: npt.NDArray[np.int64], games: Floats) -> Callable[[float], Floats]:
        """Return a function from the error level to the critical values for the rows' last analyses."""

        def critical_values(alpha: float) -> Floats:
            values = []
            for index, count in zip(last_analysis, games, strict=True):
                matching = (each for each, indices in zip(self.stages, self.indices, strict=True) if index in indices)
                stage = next(matching, self.stages[-1])
                size = self.sizes[index] if index < len(self.sizes) else max([count, *stage.sizes[:1]])
                information = min(size / stage.sizes[-1], 1.0) if stage.sizes else 1.0
                values.append(critical_value(stage.share * alpha, stage.analyses) / math.sqrt(information))
            return np.array(values)

        return critical_values


PUBLISHED_COLUMNS = [
    "ruleset", "measure", "first", "second", "published", "published_low", "published_high", "usable",
    "strong", "difference", "low", "high", "agrees",
]  # fmt: skip


def published_differences(
    published: Published | None, comparisons: pd.DataFrame, strong_verdicts: pd.DataFrame, plan: AnalysisPlan
) -> pd.DataFrame:
    """Return a row for each published ruleset, measure (first_score, draw_rate) and pairing.

    ``published`` is the ruleset's value minus the baseline's, with its 95 % interval; ``usable`` is true if the
    interval excludes 0. ``difference``, ``low`` and ``high`` are the experiment's own (see `comparison_table`). If both
    intervals exclude 0, ``agrees`` is yes or no, otherwise "".

    ``strong`` is the verdict about strong play (see `strong_play_tables`), in a row without players, whose
    ``difference`` is that of the strongest players.

    Source: two independent samples, normal approximation of their shares.
    Limits: intervals are pointwise; of twenty differences that are 0, one gets a direction on average.
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
    for entry in differences_from_baseline(published, plan):
        columns = {"published": entry.difference, "published_low": entry.low, "published_high": entry.high}
        for row in results:
            if (row["ruleset"], row["measure"]) == (entry.ruleset, entry.measure):
                agrees = {1: "yes", -1: "no", 0: ""}[row["direction"] * entry.direction]
                rows.append(row | columns | {"usable": bool(entry.direction), "agrees": agrees})
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
        """1 for more, -1 for less; 0 if the interval contains 0."""
        return (self.low > 0) - (self.high < 0)


def differences_from_baseline(published: Published, plan: AnalysisPlan) -> Iterator[PublishedDifference]:
    """Yield the published differences of the proposals, ruleset by ruleset."""
    base = published.results.get(plan.baseline, {})
    for ruleset in plan.proposals:
        for measure in PUBLISHED_MEASURES:
            estimate, reference = published.results.get(ruleset, {}).get(measure), base.get(measure)
            if estimate is not None and reference is not None:
                half_width = NORMAL_95 * math.hypot(estimate.error, reference.error)
                difference = Estimate.around(estimate.value - reference.value, half_width)
                yield PublishedDifference(ruleset, measure, *difference)


EFFECT_MEASURES = ("first_score", "draw_rate", "plies_mean")
"""Measures whose effects are estimated in every experiment, besides that of its question."""
TOLERANCE = 1e-8

EFFECT_COLUMNS = [
    "first", "second", "measure", "kind", "factor", "level", "reference", "factor2", "level2", "reference2", "effect",
    "low", "high", "p", "p_holm", "games",
]  # fmt: skip
MEAN_COLUMNS = ["first", "second", "measure", "factor", "level", "factor2", "level2", "mean", "low", "high"]

Point = tuple[str, ...]
"""A level of each factor."""
Factors = Mapping[str, Sequence[str]]


def factorial_effects(trials: pd.DataFrame, plan: AnalysisPlan) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the effects of the varied factors, and the means behind them, per pairing and measure.

    In the model, a game's number (the first seat's score; 1 for a draw; its plies up to the cap) is a sum of terms for
    each level of a factor and each pair of levels of two factors. Means over the full grid weight all points equally:

    * ``main``: mean at ``level`` minus mean at ``reference`` (the first level), over all levels of the other factors;
    * ``interaction``: the effect of ``level`` at ``level2`` minus that at ``reference2``.

    ``p_holm`` is corrected over all effects, of all pairings and measures; random players beside others are a yardstick
    and have none (`AnalysisPlan.yardsticks`). The measure of the experiment's question comes first, if it has a value
    for each game, unlike openings and the ratio of legal moves to plies. Means of one level have ``factor2`` = "". An
    effect that the design confounds with others, as fractional ones may, has no row; if it confounds main effects with
    interactions, the model omits all interactions.

    Source: Holm 1979; linear probability model by least squares over all games. An effect is then a weighted sum of the
    means of the rulesets, each with its own variance: B. L. Welch, Biometrika 34, 1947; with their correlations by
    lines: `workbench.statistics.intervals`. Effects are differences in points, not odds ratios: J. D. Angrist,
    J.-S. Pischke, "Mostly Harmless Econometrics", 2009, section 3.4.
    Limits: higher interactions are assumed to be 0, which is only true far from scores of 0 and 1. Capped games have no
    score and are omitted; if there are many, see the bounds of the cells. An effect has no interval and no verdict if
    the mean of one of its rulesets has no interval (`mean_interval`).
    """
    points = {
        name: tuple(levels[factor] for factor in plan.experiment.factors)
        for name, levels in plan.experiment.levels.items()
        if plan.experiment.factors and all(factor in levels for factor in plan.experiment.factors)
    }
    question = plan.question_measure
    ratios = (Estimator.RATIO, Estimator.WEIGHTED_MEAN, Estimator.OPENINGS)
    question_names = () if question.estimator in ratios else (tables.underlying_score(question.name),)
    effects: list[list[object]] = []
    means: list[list[object]] = []
    for first, second in plan.pairings if len(points) > 1 else []:
        games = trials[(trials["first"] == first) & (trials["second"] == second)]
        games = games[games["ruleset"].isin(list(points))]
        for measure in dict.fromkeys((*question_names, *EFFECT_MEASURES)):
            fit = _LinearModel.from_games(games, (first, second), measure, points, plan)
            if fit is not None:
                effects += [[first, second, measure, *row] for row in fit.effects(plan)]
                means += [[first, second, measure, *row] for row in fit.marginal_means()]
    table = pd.DataFrame(effects, columns=EFFECT_COLUMNS)
    tested = [pair not in plan.yardsticks for pair in zip(table["first"], table["second"], strict=True)]
    if any(tested):
        table.loc[tested, "p_holm"] = intervals.holm(table.loc[tested, "p"])
    return table, pd.DataFrame(means, columns=MEAN_COLUMNS)


class _LinearModel:
    """A linear model of a game's number: a coefficient for each level, and for each pair of levels of two factors."""

    def __init__(
        self, tally: Tally, measure: str, correlations: Floats, points: Sequence[Point], factors: Factors,
        has_interactions: bool,
    ) -> None:  # fmt: skip
        """Fit the means of a measure, with their correlations, in cells at these points of the design."""
        design = np.array([_design_row(point, factors, has_interactions) for point in points])
        self.correlations = correlations
        self.factors = factors
        self.has_interactions = has_interactions
        games = tally.get(f"{measure}_games", tally["games"])
        self.games = int(games.sum())
        # Without lines, each mean takes one degree of freedom from all games.
        self.lines = min(float(tally["lines"].min()), max(self.games - len(games), 1) + 1.0)
        self.means, self.errors = _means_and_errors(tally, measure, games)
        # Confounded columns would make the regressors collinear: an orthonormal basis of their span replaces them.
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
        """Return the model for a pairing's games, or None if there is no difference to estimate."""
        question = plan.question_measure
        extra_measures = (question.name,) if question.columns and question.name == measure else ()
        if measure == "first_score":
            games = games[games["result"] != "unfinished"]
        elif extra_measures:
            games = games[games[question.columns[0]].notna()]
        names = sorted(games["ruleset"].astype(str).unique())
        if len(names) < 2:
            return None
        cells = [(name, *pairing) for name in names]
        tally, correlations = tables.tally_with_correlations(games, cells, extra_measures=extra_measures)
        if measure != "capped_rate":
            # Capped games never count in a share.
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
        """Return whether the design identifies this combination of coefficients."""
        projection = contrast @ self.basis @ self.basis.T
        return bool(np.abs(contrast - projection).max() < TOLERANCE * max(1.0, np.abs(contrast).max()))

    def value(self, contrast: Floats) -> tuple[float, float]:
        """Return a combination of coefficients and its standard error; NaN if the design does not identify it."""
        if not self.is_estimable(contrast):
            return math.nan, math.nan
        weights = contrast @ self.cell_weights
        weights[np.abs(weights) < TOLERANCE] = 0.0
        is_used = weights != 0
        parts = weights[is_used] * self.errors[is_used]
        variance = parts @ self.correlations[np.ix_(is_used, is_used)] @ parts if np.isfinite(parts).all() else math.inf
        return float(weights @ self.means), math.sqrt(variance)

    def mean_weights(self, levels: Mapping[str, str]) -> Floats:
        """Return the coefficients' weights in the mean over the grid, with some factors fixed at ``levels``."""
        grid = itertools.product(*([levels[name]] if name in levels else full for name, full in self.factors.items()))
        return np.asarray(np.mean([_design_row(point, self.factors, self.has_interactions) for point in grid], axis=0))

    def contrasts(self) -> list[tuple[str, list[object], Floats]]:
        """Return the kind, the names (as in `EFFECT_COLUMNS`) and the weights of every effect."""
        contrasts: list[tuple[str, list[object], Floats]] = []
        mean = self.mean_weights
        for name, levels in self.factors.items():
            for level in levels[1:]:
                names: list[object] = [name, level, levels[0], "", "", ""]
                contrasts.append(("main", names, mean({name: level}) - mean({name: levels[0]})))
        pairs = itertools.combinations(self.factors.items(), 2) if self.has_interactions else ()
        for (factor, (reference, *levels)), (factor2, (reference2, *levels2)) in pairs:
            for a, b in itertools.product(levels, levels2):
                at_level = mean({factor: a, factor2: b}) - mean({factor: reference, factor2: b})
                at_reference = mean({factor: a, factor2: reference2}) - mean({factor: reference, factor2: reference2})
                names = [factor, a, reference, factor2, b, reference2]
                contrasts.append(("interaction", names, at_level - at_reference))
        return contrasts

    def effects(self, plan: AnalysisPlan) -> list[list[object]]:
        """Return every identified effect with its interval and its p-value."""
        z = float(intervals.t_from_normal(plan.critical(self.games), self.lines))
        rows: list[list[object]] = []
        for kind, names, contrast in self.contrasts():
            value, error = self.value(contrast)
            if not math.isnan(value):
                p = float(2 * ndtr(-intervals.normal_from_t(abs(value) / error, self.lines)))
                rows.append([kind, *names, value, value - z * error, value + z * error, p, math.nan, self.games])
        return rows

    def marginal_means(self) -> list[list[object]]:
        """Return the mean at each level and at each pair of levels of two factors, with intervals."""
        points: list[dict[str, str]] = [{name: level} for name, levels in self.factors.items() for level in levels]
        if self.has_interactions:
            for (factor, levels), (factor2, levels2) in itertools.combinations(self.factors.items(), 2):
                points += [{factor: a, factor2: b} for a, b in itertools.product(levels, levels2)]
        rows: list[list[object]] = []
        for point in points:
            value, error = self.value(self.mean_weights(point))
            if not math.isnan(value):
                names = [name for pair in point.items() for name in pair]
                half_width = float(intervals.t_from_normal(Z, self.lines)) * error
                rows.append([*names, *[""] * (4 - len(names)), value, value - half_width, value + half_width])
        return rows


def _means_and_errors(tally: Tally, measure: str, games: Floats) -> tuple[Floats, Floats]:
    """Return the mean of a measure in each cell, and its standard error.

    Errors of shares and scores include one more game of either kind, so that unobserved results remain possible. Errors
    of other means are infinite without an interval (`mean_interval`).
    """
    means = measure_estimate(tally, measure)
    if f"{measure}_error" in tally:
        ends = measure_ranges(tally, measure, 1.0)
        return means, ends.high - means
    draws = tally["draw"] if measure == "first_score" else 0.0
    squares = games * means * (1 - means) - draws / 4
    errors = np.sqrt((squares + means**2 + (1 - means) ** 2) / (games * (games + 1)))
    return means, np.asarray(errors * tables.error_inflation(tally, measure))


def _design_row(point: Point, factors: Factors, has_interactions: bool) -> Floats:
    """Return a point's row: 1, an indicator for each level but the first, and products of two factors' indicators."""
    columns = [
        [float(level == point_level) for level in levels[1:]]
        for point_level, levels in zip(point, factors.values(), strict=True)
    ]
    row = [1.0, *itertools.chain.from_iterable(columns)]
    if has_interactions:
        row += [a * b for left, right in itertools.combinations(columns, 2) for a, b in itertools.product(left, right)]
    return np.array(row)
