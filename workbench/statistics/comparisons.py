"""Proposals against the baseline: how much they differ, how surely, and the verdict.

Fairness is the distance of the first seat's score from one half: the smaller, the fairer. The *gain* of a proposal is
the baseline's distance less its own. It is no linear function of the two scores, and its estimate strays to one side
where a score is near one half; `gain` says why its intervals and tests hold all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import pandas as pd

from workbench.questions.measures import FAIRNESS, Estimator, compared
from workbench.statistics.clusters import narrowed, widened
from workbench.statistics.corrections import step_down
from workbench.statistics.intervals import Floats, Range, difference, imbens_manski, reach, total
from workbench.statistics.plan import AnalysisPlan, Stage, prepared
from workbench.statistics.sequential import (
    ALPHA,
    TYPICAL,
    Schedule,
    critical,
    crossing,
    decision_chance,
    share,
    times_to_decide,
)
from workbench.statistics.tallies import Pair, Tally, correlation, estimate, lasting, lines_of, pair, ranges
from workbench.statistics.variety import openings
from workbench.store.trials import CELL, CellName, Trials

COLUMNS = [
    *CELL, "measure", "games", "baseline_games", "value", "baseline_value", "difference", "least", "most", "low",
    "high", "simultaneous_low", "simultaneous_high", "p", "p_holm", "chosen", "p_equivalent", "p_equivalent_holm",
    "margin", "verdict", "reason", "games_needed", "chance_left",
]  # fmt: skip

BEYOND = 1e9
"""Farther than any difference: stands for an end that is open."""

FUTILE = 0.05
"""A comparison whose ceiling decides with less than this chance is not played on for."""


def gain(apart: Range, added: Range) -> Range:
    """|b - ½| - |p - ½| with its interval, of a baseline's score b and a proposal's p; above 0 the proposal is fairer.

    ``apart`` is A = b - p and ``added`` is B = b + p - 1. The gain is positive if and only if A and B are both positive
    or both negative. So "fairer" is claimed only if the intervals of A and of B lie on the same side of 0, and the
    lower end is max(min(low A, low B), min(-high A, -high B)); the upper end likewise with p and b in each other's
    place.

    Source: two tests that must both succeed, each at the full level, keep that level: R. L. Berger, "Multiparameter
    hypothesis testing and acceptance sampling", Technometrics 24, 1982; for cones of this shape S. Sasabuchi, "A test
    of a multivariate normal mean with composite hypotheses determined by linear inequalities", Biometrika 67, 1980.
    The intervals of A and B are those of `difference` and `total`.
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

    bare = ends(apart.least, apart.most, added.least, added.most)
    return Range(*bare, *ends(apart.low, apart.high, added.low, added.high))


def comparisons(
    trials: Trials | pd.DataFrame, plan: AnalysisPlan, measures: Iterable[str] | None = None
) -> pd.DataFrame:
    """One row per proposal, pairing and measure: proposal less baseline, and the verdict on what was asked.

    ``measures``: by default all that are `compared`. The measure of the experiment's ``question`` comes first:
    ``fairness`` (see `gain`) unless it asks for another.

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
    with no verdict. Analyses under earlier designs of the same folder count, each design with its `share` of the error:
    see `AnalysisPlan.stages`.

    Source: `gain`, `difference`, `imbens_manski`, `crossing`, `corrected`; lines: `workbench.statistics.clusters`;
    with interim analyses: Y. Ye, A. Li, L. Liu, B. Yao, "A group sequential Holm procedure with multiple primary
    endpoints", Statistics in Medicine 32, 2013; equivalence: D. J. Schuirmann, J. Pharmacokinetics and Biopharmaceutics
    15, 1987, with the 95 % interval, since at ½ both of its sides can err. The question before the other measures: A.
    Dmitrienko, A. C. Tamhane, F. Bretz (eds.), "Multiple Testing Problems in Pharmaceutical Statistics", 2009, on
    primary and secondary endpoints.
    Limits: of twenty experiments one makes some wrong claim about its question, and one about other measures. The
    baseline's games take part in all comparisons of a pairing; the correction holds for that. A margin that is a part
    of the baseline's value is as sure as that value. ``plies_mean`` and events count what happened up to the cap.
    Variety is that of the ply at which each analysis compares openings (`openings`), its intervals stretched on the
    scale of the logarithm. After an early end the estimates stray a little to the far side. ``games_needed`` comes true
    four times out of five on average over rule changes of the size that `decision_chance` assumes, and not for every
    single one: say no likelihood with it.
    """
    trials = prepared(trials, plan)
    asked = plan.asked.name
    measures = list(dict.fromkeys((asked, *(compared() if measures is None else measures))))
    rows = [(name, *pairing) for name in plan.proposals for pairing in plan.pairings]
    if not rows:
        return _empty()
    history = _History.of(rows, plan)
    every = _pair(trials, rows, plan)
    games = np.minimum(every[0]["games"], every[1]["games"])
    # An analysis's games belong to the analyses after it: what is compared is what the last one saw.
    played = int(trials.games["game"].max()) + 1 if len(trials) else 0
    snapshots = [_pair(trials, rows, plan, size) if size < played else every for size in history.sizes]
    reached = history.reached(games, plan)
    which = history.last(reached)
    final = _chosen_analysis([*snapshots, every], which)
    z_of = history.critical(which, games)
    tested = np.array([row[1:] not in plan.yardsticks for row in rows])
    primary = len(set(plan.chosen) & set(measures))
    parts = []
    for measure in measures:
        chosen = measure in plan.chosen
        p, sign = history.p_value(
            _at_each([*snapshots, every], partial(_separation, measure=measure)),
            reached,
            measure if chosen else "",
        )
        equal, margins = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
        if measure == asked:
            near = _at_each(
                [*snapshots, every],
                lambda a, b: (_closeness(a, b, plan.margins(estimate(b, asked)), asked), np.ones(len(rows))),
            )
            equal = history.p_value(near, reached, measure, plan.design.equality)[0]
            margins = plan.margins(estimate(final[1], measure))
        known = ~np.isnan(estimate(final[0], measure) - estimate(final[1], measure))
        family = int(tested.sum()) * (primary if chosen else len(measures) - primary)
        part = pd.DataFrame(rows, columns=CELL).assign(
            measure=measure,
            p=np.where(known, p, np.nan),
            sign=sign,
            tested=tested,
            chosen=chosen & tested,
            p_equivalent=np.where(known & tested, equal, np.nan),
            margin=margins,
            row=range(len(rows)),
            unseen=(which == len(snapshots)) & ~reached[:, -1],
        )
        parts.append(part.join(_estimates(*final, measure, z_of, family)))
    table = pd.concat(parts, ignore_index=True)
    claims = _correct(table)
    _judge(table, plan, history, claims)
    order = {row: place for place, row in enumerate(rows)}
    row = table[CELL].apply(tuple, axis=1).map(order)
    return table.iloc[np.argsort(row, kind="stable")].reset_index(drop=True)[COLUMNS]


def steps(comparisons: int, claims: int) -> npt.NDArray[np.int64]:
    """By how much the smallest, second smallest … of ``claims`` p-values about so many ``comparisons`` is multiplied.

    A comparison may have two claims: that there is a difference, and that there is none of the margin's size. Whatever
    the truth, at most one of them is wrong. So of the claims that are left never more are wrong than comparisons.

    Source: J. P. Shaffer, "Modified sequentially rejective multiple test procedures", JASA 81, 1986, with the bound
    of all steps, on S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian J. of Statistics
    6, 1979, which it is where each comparison has one claim.
    """
    return np.minimum(comparisons, claims - np.arange(claims))


def corrected(different: Floats, equal: Floats) -> tuple[Floats, Floats]:
    """The p-values of a family of comparisons, so that a wrong claim of either kind is made in at most 5 % of families.

    ``different`` has one for each comparison, ``equal`` those of "no meaningful difference", NaN where none is made.
    Of what has no games there is no p-value, but it belongs to the family all the same.

    Source: `steps`.
    Limits: p-values may depend on each other in any way.
    """
    two_claims = ~np.isnan(equal)
    values = np.concatenate([np.nan_to_num(different, nan=1.0), equal[two_claims]])
    raised = step_down(values, steps(len(different), len(values)))
    both = np.full(len(equal), np.nan)
    both[two_claims] = raised[len(different) :]
    return np.where(np.isnan(different), np.nan, raised[: len(different)]), both


def _correct(table: pd.DataFrame) -> int:
    """Adds the corrected p-values; returns the factor that corrects the next p-value about the question."""
    table["p_holm"] = table["p_equivalent_holm"] = np.nan
    for chosen in (True, False):
        family = (table["tested"] & (table["chosen"] == chosen)).to_numpy()
        if family.any():
            corrected_p = corrected(_column(table[family], "p"), _column(table[family], "p_equivalent"))
            table.loc[family, "p_holm"], table.loc[family, "p_equivalent_holm"] = corrected_p
    ours = table[table["chosen"]]
    made = int((ours[["p_holm", "p_equivalent_holm"]] <= ALPHA).to_numpy().sum())
    left = steps(len(ours), len(ours) + int(ours["p_equivalent"].notna().sum()))
    return int(left[min(made, len(left) - 1)])


def _empty() -> pd.DataFrame:
    words = (*CELL, "measure", "verdict", "reason")
    kinds: dict[str, type] = {**dict.fromkeys(COLUMNS, float), **dict.fromkeys(words, object), "chosen": bool}
    return pd.DataFrame({name: pd.Series(dtype=kinds[name]) for name in COLUMNS})


def _column(rows: pd.DataFrame, name: str) -> Floats:
    return rows[name].to_numpy(dtype=np.float64)


def _pair(trials: Trials, rows: Sequence[CellName], plan: AnalysisPlan, stop: int | None = None) -> Pair:
    """The tallies of the proposals, and those of the baseline that belong to them, row by row."""
    cells = [*rows, *((plan.baseline, first, second) for _, first, second in rows)]
    a, b = pair(trials, cells, stop, (plan.asked.name,))
    if plan.asked.estimator is Estimator.OPENINGS:
        both = _variety(trials if stop is None else trials.select(trials.games["game"] < stop), cells, plan)
        a = {**a, **{name: each[: len(rows)] for name, each in both.items()}}
        b = {**b, **{name: each[len(rows) :] for name, each in both.items()}}
    return a, b


def _variety(trials: Trials, cells: Sequence[CellName], plan: AnalysisPlan) -> dict[str, Floats]:
    """The effective number of openings of each cell, and the factors by which a standard error moves its ends."""
    table = openings(trials, plan)[0]
    shown = table[table["shown"].astype(bool)].set_index(CELL).reindex(pd.MultiIndex.from_tuples(cells, names=CELL))
    value, low, high = (_column(shown, f"effective{end}") for end in ("", "_low", "_high"))
    z = np.array([plan.critical(0 if math.isnan(n) else int(n)) for n in shown["games"]])
    # No cell has fewer kinds of openings than one.
    return {
        "variety": value,
        "variety_spread_low": (np.maximum(low, 1e-9) / value) ** (1 / z),
        "variety_spread_high": (high / value) ** (1 / z),
    }


def _at_each(
    analyses: Sequence[Pair], statistic: Callable[[Tally, Tally], tuple[Floats, Floats]]
) -> list[tuple[Floats, Floats]]:
    """The statistic at every analysis, computed once for those that are the same games."""
    distinct = {id(pair): pair for pair in analyses}
    computed = {key: statistic(*pair) for key, pair in distinct.items()}
    return [computed[id(pair)] for pair in analyses]


def _chosen_analysis(analyses: Sequence[Pair], which: npt.NDArray[np.int64]) -> Pair:
    """For each row the tallies of the analysis that ``which`` names."""
    rows = np.arange(len(which))
    one, two = (
        {name: np.stack([pair[side][name] for pair in analyses])[which, rows] for name in analyses[0][side]}
        for side in (0, 1)
    )
    return one, two


def _ends(a: Tally, b: Tally, measure: str, z: npt.ArrayLike) -> Range:
    """The difference (or gain) of a measure and its interval; ``a`` are the proposals, ``b`` their baselines."""
    sharp = _sharp(a, b, measure)(z)
    if measure != "fairness":
        return sharp
    usual = gain(*_apart_and_added(a, b, z))
    low = np.where(sharp.low > 0, sharp.low, usual.low)
    return Range(sharp.least, sharp.most, low, np.where(sharp.high < 0, sharp.high, usual.high))


def _sharp(a: Tally, b: Tally, measure: str) -> Callable[[npt.ArrayLike], Range]:
    """As `_ends`, but for ``fairness`` the ends tell no more than the sign of the gain; see `gain`."""
    if measure != "fairness":
        return imbens_manski(
            lambda c: difference(ranges(a, measure, c), ranges(b, measure, c), correlation(a, measure))
        )
    if not (a["unfinished"].any() or b["unfinished"].any()):
        return lambda z: gain(*_apart_and_added(a, b, z))
    apart = imbens_manski(lambda c: _apart_and_added(a, b, c)[0])
    added = imbens_manski(lambda c: _apart_and_added(a, b, c)[1])
    return lambda z: gain(apart(z), added(z))


def _apart_and_added(a: Tally, b: Tally, z: npt.ArrayLike) -> tuple[Range, Range]:
    """What `gain` takes, from ends ``z`` standard errors outside of their bounds."""
    proposal, baseline = ranges(a, "fairness", z), ranges(b, "fairness", z)
    alike = correlation(a, "first_score")
    added = total(baseline, proposal, alike)
    return difference(baseline, proposal, alike), Range(*(end - 1 for end in added))


def _separation(a: Tally, b: Tally, measure: str) -> tuple[Floats, Floats]:
    """The largest critical value at which the interval leaves 0 out, and the sign of the difference."""
    sharp = _sharp(a, b, measure)

    def apart(z: Floats) -> Floats:
        ends = sharp(z)
        return np.fmax(np.maximum(ends.low, -BEYOND), np.maximum(-ends.high, -BEYOND))

    bare = sharp(0.0)
    return narrowed(reach(apart, bare.least), lines_of(a, b)), np.where(
        bare.least > 0, 1.0, np.where(bare.most < 0, -1.0, 0.0)
    )


def _closeness(a: Tally, b: Tally, margin: Floats | float, measure: str = FAIRNESS) -> Floats:
    """The largest critical value at which the interval of the difference lies within ± ``margin``."""

    def within(z: Floats) -> Floats:
        if measure == FAIRNESS:
            ends = gain(*_apart_and_added(a, b, z))
        else:
            ends = difference(ranges(a, measure, z), ranges(b, measure, z), correlation(a, measure))
        return np.maximum(np.minimum(ends.low + margin, margin - ends.high), -BEYOND)

    return narrowed(reach(within, np.zeros(len(a["games"]))), lines_of(a, b))


def _estimates(a: Tally, b: Tally, measure: str, z_of: Callable[[float], Floats], family: int) -> pd.DataFrame:
    """The columns of numbers of `comparisons`, p-values aside."""
    value, other = estimate(a, measure), estimate(b, measure)
    single, many = (widened(z_of(alpha), lines_of(a, b)) for alpha in (ALPHA, ALPHA / max(1, family)))
    ends, together = _ends(a, b, measure, single), _ends(a, b, measure, many)
    return pd.DataFrame({
        "games": a["games"].astype(int),
        "baseline_games": b["games"].astype(int),
        "value": value,
        "baseline_value": other,
        "difference": other - value if measure == "fairness" else value - other,
        "least": ends.least,
        "most": ends.most,
        "low": ends.low,
        "high": ends.high,
        "simultaneous_low": together.low,
        "simultaneous_high": together.high,
        "critical": single,
        "lasting": lasting(a, b, measure),
    })  # fmt: skip


def _judge(table: pd.DataFrame, plan: AnalysisPlan, history: _History, claims: int) -> None:
    """Adds verdicts, reasons and the games needed; ``claims`` is the factor by which the next p-value is corrected."""
    fairness = (table["measure"] == FAIRNESS).to_numpy()
    ours = (table["measure"] == plan.asked.name).to_numpy()
    tested = table["tested"].to_numpy(dtype=bool)
    up = np.where(_column(table, "sign") > 0, True, False)
    clear = (_column(table, "p_holm") <= ALPHA) & (_column(table, "sign") != 0)
    equal = ours & (_column(table, "p_equivalent_holm") <= ALPHA)
    words = np.where(ours, np.where(up, "more", "less"), np.where(up, "higher", "lower"))
    words = np.where(fairness, np.where(up, "fairer", "less_fair"), words)
    words = np.where(clear, words, np.where(ours, "undecided", "no_difference_shown"))
    words = np.where(equal, "no_meaningful_difference", words)
    table["verdict"] = np.where(tested, words, "yardstick").astype(object)
    missing = ((table["games"] == 0) | (table["baseline_games"] == 0)).to_numpy()
    needed, left = np.full(len(table), np.nan), np.full(len(table), np.nan)
    needed[ours], left[ours] = _forecast(table[ours], plan, history, claims)
    decided = clear | equal
    ours = ours & tested
    least, most, low, high = (_column(table, name) for name in ("least", "most", "low", "high"))
    # Without capped games, what has no end is not known.
    by_lines = np.isinf(needed) & ~(most > least) & (_column(table, "lasting") > 0)
    needed = np.where(np.isinf(needed) & ~(most > least) & ~by_lines & ~missing, np.nan, needed)
    alone = (low > 0) | (high < 0)
    reason = np.where(alone, "together", "too_few_games")
    by_caps = np.isinf(needed) & (most > least) | ~alone & (most - least > (high - most) + (least - low))
    reason = np.where(by_lines, "too_few_lines", reason)
    reason = np.where(by_caps, "capped_games", reason)
    unseen = table["unseen"].to_numpy(dtype=bool) & ~missing
    table["games_needed"] = np.where(ours, np.where(decided, 0.0, np.where(unseen, np.nan, needed)), np.nan)
    table["chance_left"] = np.where(ours & ~decided, left, np.nan)
    reason = np.where(unseen, "no_look" if plan.until else "not_finished", reason)
    reason = np.where(missing, "no_games", reason)
    table["reason"] = np.where(ours & ~decided, reason, "").astype(object)
    table.loc[~table["tested"], ["simultaneous_low", "simultaneous_high"]] = np.nan


def _forecast(table: pd.DataFrame, plan: AnalysisPlan, history: _History, claims: int) -> tuple[Floats, Floats]:
    """Further games per cell after which each comparison is probably decided, and the chance that the ceiling does it.

    Games beyond the ceiling are another design, and have its `share` of the error.
    """
    least, most, games, margin = (_column(table, name) for name in ("least", "most", "games", "margin"))
    lasting_part = _column(table, "lasting")
    stages = [history.stages[row] for row in table["row"]]
    with np.errstate(divide="ignore", invalid="ignore"):
        error = (_column(table, "high") - most + least - _column(table, "low")) / (2 * _column(table, "critical"))
        ceiling = np.maximum(plan.games / games, 1.0)

    def worth(times: Floats) -> Floats:
        """As many times as many games of other lines would do what ``times`` as many games of the same ones do."""
        with np.errstate(divide="ignore", invalid="ignore"):
            equal = 1 / (lasting_part + (1 - lasting_part) / times)
        return np.where(lasting_part > 0, equal, times)

    def of_same_lines(times: Floats) -> Floats:
        """Turns `worth` round; infinite where the same lines never do as much."""
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = (1 - lasting_part) / (1 / times - lasting_part)
        return np.where(lasting_part > 0, np.where(1 / times > lasting_part, needed, np.inf), times)

    # At the last analysis of each row's present design, and at the only one of an extension.
    last = [of_row[-1] for of_row in stages]

    def limit(spent: Sequence[float], schedules: Sequence[Schedule]) -> Floats:
        """The critical values of the next claim, after designs with these shares of the error."""
        return np.array([critical(ALPHA * part / claims, each) for part, each in zip(spent, schedules, strict=True)])

    # Of what is no share, a change is typically of the order of its margin, as it is of shares.
    typical = TYPICAL if plan.asked.is_share else 2 * margin
    next_one = limit([stage.share for stage in last], [stage.schedule for stage in last])
    left = decision_chance(least, most, error, worth(ceiling), next_one, next_one, margin, typical)
    inside = of_same_lines(times_to_decide(least, most, error, next_one, next_one, margin, typical))
    next_one = limit([share(len(of_row) + 1) for of_row in stages], [1] * len(stages))
    times = of_same_lines(times_to_decide(least, most, error, next_one, next_one, margin, typical))
    # What the present design may still decide needs no extension.
    times = np.where(inside <= ceiling, inside, np.maximum(times, ceiling))
    never = np.isnan(error) | (most - least >= 1) | np.isinf(times)
    further = np.maximum(np.ceil(games * (np.where(never, 2.0, times) - 1)), 1.0)
    needed = np.where(games > 0, np.where(never, np.inf, further), np.nan)
    left = np.where(np.isnan(left) | (most - least >= 1) | (ceiling <= 1), 0.0, left)
    # Of an open interval nobody knows what more games will make.
    return needed, np.where(np.isinf(error) & (ceiling > 1), np.nan, left)


@dataclass(frozen=True)
class _History:
    """The analyses of every comparison, design by design."""

    stages: list[tuple[Stage, ...]]
    """Of each row."""
    sizes: list[int]
    """Games per cell at all analyses of all rows."""

    @classmethod
    def of(cls, rows: Sequence[CellName], plan: AnalysisPlan) -> _History:
        """The analyses that the present and the earlier designs of the folder allow."""
        stages = [plan.stages(row) for row in rows]
        return cls(stages, sorted({size for of_row in stages for stage in of_row for size in stage.sizes}))

    def reached(self, games: Floats, plan: AnalysisPlan) -> npt.NDArray[np.bool_]:
        """Whether each row has the games of each analysis; in the last place, whether all games are one themselves."""
        whole = [not of_row[-1].sizes and plan.finished and n > 0 for of_row, n in zip(self.stages, games, strict=True)]
        return np.column_stack([games[:, None] >= np.array(self.sizes)[None, :], np.array(whole, dtype=bool)])

    def last(self, reached: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """For each row the place of its last analysis; the last place where there was none, or all games are one."""
        places = []
        for row, of_row in enumerate(self.stages):
            own = [self.sizes.index(size) for stage in of_row for size in stage.sizes]
            taken = [place for place in own if reached[row, place]]
            places.append(len(self.sizes) if reached[row, -1] or not taken else max(taken))
        return np.array(places, dtype=np.int64)

    def p_value(
        self,
        analyses: Sequence[tuple[Floats, Floats]],
        reached: npt.NDArray[np.bool_],
        chosen: str,
        equality: tuple[object, ...] | None = None,
    ) -> tuple[Floats, Floats]:
        """The p-value of each row over all its analyses, and the sign at the one that gave it.

        ``analyses`` has the critical value that each row reached, and the sign, at each of the sizes and over all
        games. A design gives no p-value for a measure that is now ``chosen`` (empty: it is not) and was not then, nor
        for another `Design.equality`.
        """
        p, sign = np.full(len(self.stages), np.nan), np.zeros(len(self.stages))
        for row, of_row in enumerate(self.stages):
            for stage in of_row:
                own = [self.sizes.index(size) for size in stage.sizes] or [len(self.sizes)]
                own = [place for place in own if reached[row, place]]
                if not own or (equality is not None and stage.equality != equality):
                    continue
                if chosen and chosen not in stage.measures:
                    continue
                ends = stage.sizes[-1] if stage.sizes else 1
                sizes = [self.sizes[place] if stage.sizes else 1 for place in own]
                steps = [
                    math.sqrt((stage.sizes.index(size) + 1) / stage.steps if stage.steps else size / ends)
                    for size in sizes
                ]
                away = [analyses[place][0][row] * step for place, step in zip(own, steps, strict=True)]
                best = int(np.argmax(away))
                stage_p = min(1.0, float(crossing(away[best], stage.schedule)) / stage.share)
                if not p[row] <= stage_p:
                    p[row] = stage_p
                    sign[row] = analyses[own[best]][1][row]
        return p, sign

    def critical(self, which: npt.NDArray[np.int64], games: Floats) -> Callable[[float], Floats]:
        """The critical values of the rows' intervals at their last analyses, as a function of the error."""

        def value(alpha: float) -> Floats:
            critical_values = []
            for row, of_row in enumerate(self.stages):
                at = self.sizes[which[row]] if which[row] < len(self.sizes) else None
                stage = next((each for each in reversed(of_row) if at in each.sizes), of_row[-1])
                if stage.sizes:
                    size = at if at is not None else max(float(games[row]), stage.sizes[0])
                    time = min(size / stage.sizes[-1], 1.0)
                else:
                    time = 1.0
                critical_values.append(critical(stage.share * alpha, stage.schedule) / math.sqrt(time))
            return np.array(critical_values)

        return value
