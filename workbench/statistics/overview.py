"""The overview of an experiment: scorecard, flips between strengths, robustness of verdicts, and warnings."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import chdtrc, fdtrc

from workbench import games as families
from workbench.experiments.measures import FAIRNESS
from workbench.records.records import STOPPED
from workbench.records.trials import CELL, Trials
from workbench.statistics.analysis_plan import AnalysisPlan, games_for_equivalence, games_for_precision, prepare_trials
from workbench.statistics.comparisons import comparison_table
from workbench.statistics.intervals import Floats, Z, holm, score_interval, t_from_normal
from workbench.statistics.metrics import METRICS
from workbench.statistics.search_games import SearchGames
from workbench.statistics.tables import error_inflation, fewest_lines, tally, target_band

CRITERIA = ("changed_toggles", "rule_words", "unfairness", "variety", "decisive_rate", "length_off_target")
"""The criteria of the Pareto set; `METRICS` has the better direction of each."""
SCORE_COLUMNS = ("games", "first_score", "first_score_surely_low", "first_score_surely_high")
INTERVAL_COLUMNS = tuple(f"{name}{end}" for name in ("variety", "decisive_rate") for end in ("", "_low", "_high"))
BOOTSTRAP_DRAWS = 400
"""Bootstrap samples for ``pareto_share``."""

SCORECARD_COLUMNS = [
    *CELL, "baseline", "changed_toggles", "rule_words", "first_score", "unfairness", "unfairness_low",
    "unfairness_high", "variety", "variety_low", "variety_high", "variety_ply", "plies_median",
    "length_off_target", "decisive_rate", "decisive_rate_low", "decisive_rate_high", "drama", "lead_changes",
    "verdict", "pareto", "beaten_by", "pareto_share",
]  # fmt: skip
FLIP_COLUMNS = ["ruleset", "agents", "verdicts", "balances", "verdict_flips", "side_flips"]
SEPARATOR = " | "
"""Separates the strengths in a row of `flip_table`."""
SENSITIVITY_COLUMNS = [
    *CELL, "variant", "games", "score", "score_low", "score_high", "gain", "gain_low", "gain_high", "verdict", "same",
]  # fmt: skip

VARIANTS = ("main", "draws_zero", "draws_out", "capped_half", "unadjudicated", "first_half", "second_half", "distinct")


def flip_table(cells: pd.DataFrame, compared: pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """Return one row per ruleset: its verdicts and balances at every strength, in the order of the self-playing agents.

    ``agents``, ``verdicts`` and ``balances`` have as many parts, joined by `SEPARATOR`; the baseline has no verdicts.
    ``verdict_flips`` is true for fairer (more) at one strength and less fair (less) at another, ``side_flips`` if the
    first seat is ahead at one strength and the second at another. Undecided verdicts and yardsticks do not count.

    Source: none; it combines the verdicts of `comparison_table` and `balance_verdicts`.
    Limits: agents are in the order of the file, which should be from weak to strong.
    """
    verdicts = compared[compared["measure"] == plan.question_measure.name].set_index(CELL)["verdict"].to_dict()
    balances = cells.set_index(CELL)["balance"].to_dict()
    agents = SEPARATOR.join(first for first, _ in plan.mirrors)
    rows = []
    for name in plan.names:
        verdict_words = [str(verdicts.get((name, *pair), "")) for pair in plan.mirrors]
        sides = [str(balances.get((name, *pair), "")) for pair in plan.mirrors]
        is_flipped = {"fairer", "less_fair"} <= set(verdict_words) or {"more", "less"} <= set(verdict_words)
        tested = {side for pair, side in zip(plan.mirrors, sides, strict=True) if pair not in plan.yardsticks}
        texts = [agents, SEPARATOR.join(verdict_words) if any(verdict_words) else "", SEPARATOR.join(sides)]
        rows.append([name, *texts, is_flipped, {"first", "second"} <= tested])
    return pd.DataFrame(rows, columns=FLIP_COLUMNS)


def sensitivity_table(trials: Trials | pd.DataFrame, compared: pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """Return one row per cell and variant of the analysis: the first seat's score, the gain and the resulting verdict.

    ``gain`` is the ``difference`` of `comparison_table` in the measure of the question.

    * ``main``: the usual analysis;
    * ``draws_zero``: a draw is a loss of the first seat; ``draws_out``: draws are removed (both only if the question is
      about the score);
    * ``capped_half``: a game that was stopped, adjudicated or not, counts as a draw;
    * ``unadjudicated``: adjudicated games count as unfinished (only if the experiment adjudicates);
    * ``first_half``, ``second_half``: half of each cell's games, by their numbers, that is, by their seeds;
    * ``distinct``: every distinct game counts once.

    ``same`` is true if the verdict is that of ``main``. Half of the games often cannot decide what all of them
    decide, so only a reversal matters.

    Source: the methods of `comparison_table`, without interim analyses.
    Limits: variants are other questions, not corrections; ``distinct`` is not a sample of the games as they are played.
    """
    trials = prepare_trials(trials, plan)
    rows: list[list[object]] = []
    question = plan.question_measure.name
    experiment = dataclasses.replace(plan.experiment, until="", precision=None, games=0, measures=())
    single_analysis = dataclasses.replace(plan, experiment=experiment, earlier_games=())
    main_verdicts: dict[tuple[str, ...], str] = {}
    for variant in VARIANTS if plan.experiment.adjudicator else [name for name in VARIANTS if name != "unadjudicated"]:
        if question != FAIRNESS and variant.startswith("draws_"):
            continue
        variant_trials = _variant_trials(trials, variant)
        counts = tally(variant_trials, plan.cells)
        finished = counts["games"] - counts["unfinished"]
        z = t_from_normal(Z, fewest_lines(counts, counts)) * error_inflation(counts, "first_score")
        low, high = score_interval(counts["first"], counts["draw"], counts["second"], z)
        with np.errstate(divide="ignore", invalid="ignore"):
            score = (counts["first"] + counts["draw"] / 2) / finished
        differences = compared if variant == "main" else comparison_table(variant_trials, single_analysis, (question,))
        # Two variants of very many games would not fit in memory.
        del variant_trials
        gains = differences[differences["measure"] == question].set_index(CELL).to_dict("index")
        for i, cell in enumerate(plan.cells):
            gain: Mapping[Hashable, Any] = gains.get(cell, {})
            verdict = str(gain.get("verdict", ""))
            estimates = [gain.get(name, math.nan) for name in ("difference", "low", "high")]
            same = main_verdicts.setdefault(cell, verdict) == verdict
            rows.append([*cell, variant, int(counts["games"][i]), score[i], low[i], high[i], *estimates, verdict, same])
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
            for cell, positions in trials.positions.items():
                once[positions] = ~trials.column(cell, "game_hash").duplicated()
            return trials.select(once)
    return trials


def _replace_results(games: pd.DataFrame, selected: pd.Series, result: str) -> pd.Series:
    """Return the results with those of the selected games replaced."""
    results = games["result"]
    if isinstance(results.dtype, pd.CategoricalDtype) and result not in results.cat.categories:
        results = results.cat.add_categories(result)
    return results.mask(selected, result)


def scorecard_table(
    cells: pd.DataFrame, openings: pd.DataFrame, compared: pd.DataFrame, plan: AnalysisPlan
) -> pd.DataFrame:
    """Return one row per ruleset and self-playing agent: the criteria side by side, and Pareto dominance.

    * ``changed_toggles``: toggles that differ from the baseline's (without one, from the family's defaults);
      ``rule_words``: words of the ruleset's whole text. Both measure simplicity.
    * ``unfairness``: |first_score - ½|; ``variety``: the effective number of openings at ply ``variety_ply``;
      ``decisive_rate``: games with a winner; ``length_off_target``: plies between the median and the target.
    * ``pareto``: no other ruleset of its game is at least as good on all of `CRITERIA` and better on one;
      ``beaten_by``: the first that is. ``pareto_share``: how often it is in that set when the estimates are resampled
      from normal distributions with their standard errors: for unfairness the score, for variety the entropy.

    Source: Seki's three criteria (simple, fair, varied), comments below R. Konuma's Chatra rules, mixi community;
    V. Pareto's order. Resampling is a parametric bootstrap: B. Efron, R. Tibshirani, "An Introduction to the
    Bootstrap", 1993.
    Limits: the more criteria, the larger the set. Random differences keep rulesets in it: see ``pareto_share``. A short
    text may still be hard to play.
    """
    compared_openings = openings[openings["shown"].astype(bool)].set_index(CELL)
    verdicts = compared[compared["measure"] == plan.question_measure.name].set_index(CELL)["verdict"]
    table = cells.set_index(CELL).reindex([(name, *pair) for pair in plan.mirrors for name in plan.names])
    variety = compared_openings.reindex(table.index)
    simplicity = {ruleset.name: _simplicity(plan, ruleset.name) for ruleset in plan.rulesets}
    names = table.index.get_level_values("ruleset")
    table = table.assign(
        changed_toggles=[simplicity[name][0] for name in names], rule_words=[simplicity[name][1] for name in names],
        variety=variety["effective"], variety_low=variety["effective_low"], variety_high=variety["effective_high"],
        variety_ply=variety["ply"],
        length_off_target=_length_off_target(table["plies_median"].to_numpy(dtype=np.float64), plan),
        verdict=verdicts.reindex(table.index).fillna("").astype(object), pareto=True, beaten_by="", pareto_share=1.0,
    )  # fmt: skip
    table = table.reset_index().reindex(columns=SCORECARD_COLUMNS)
    games = np.array([plan.ruleset(name).game for name in table["ruleset"]])
    for pair, game in itertools.product(plan.mirrors, dict.fromkeys(games)):
        in_group = ((table["first"] == pair[0]) & (table["second"] == pair[1])).to_numpy() & (games == game)
        group = table[in_group].merge(cells[[*CELL, *SCORE_COLUMNS]], on=CELL, how="left", suffixes=("_", ""))
        undominated, first_dominating, share = _pareto(group, plan)
        table.loc[in_group, "pareto"] = undominated
        table.loc[in_group, "beaten_by"] = first_dominating
        table.loc[in_group, "pareto_share"] = share
    return table


def _simplicity(plan: AnalysisPlan, name: str) -> tuple[float, float]:
    """Return the number of changed toggles and the length of the rules in words; NaN if the family is missing."""
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
    """Return the distance of median lengths from their target, in plies; 0 if there is no target."""
    if "plies" not in plan.experiment.targets:
        return np.where(np.isnan(median), np.nan, 0.0)
    low, high = target_band(plan.experiment.targets["plies"])
    plies_off: Floats = np.maximum(np.maximum(low - median, median - high), 0.0)
    return plies_off


def _pareto(table: pd.DataFrame, plan: AnalysisPlan) -> tuple[list[bool], list[str], list[float]]:
    """Return membership in the Pareto set, the first ruleset that beats each, and the bootstrap share."""
    values = table[list(CRITERIA)].to_numpy(dtype=np.float64)
    columns = {name: table[name].to_numpy(dtype=np.float64) for name in (*SCORE_COLUMNS, *INTERVAL_COLUMNS)}
    z = np.array([plan.critical(int(games)) for games in columns["games"]])

    def error(name: str, ends: str = "") -> Floats:
        """Return the standard error implied by an interval, or 0 if there is no interval."""
        return np.asarray(np.nan_to_num((columns[f"{name}{ends}_high"] - columns[f"{name}{ends}_low"]) / (2 * z)))

    with np.errstate(divide="ignore"):
        columns |= {name: np.log2(columns[name]) for name in ("variety", "variety_low", "variety_high")}
    # Each criterion on the scale on which its interval is symmetric; that of |score - ½| is not.
    centres: dict[str, tuple[Floats, Floats, Callable[[Floats], Floats]]] = {
        "unfairness": (columns["first_score"], error("first_score", "_surely"), lambda score: np.abs(score - 0.5)),
        "variety": (columns["variety"], error("variety"), np.exp2),
        "decisive_rate": (columns["decisive_rate"], error("decisive_rate"), lambda rate: rate),
    }
    signs = np.array([-1.0 if METRICS[name].direction == "more" else 1.0 for name in CRITERIA])

    def beats(numbers: Floats) -> npt.NDArray[np.bool_]:
        # Unknown values rank last.
        cost = np.nan_to_num(numbers * signs, nan=np.inf, posinf=np.inf)
        own, other = cost[:, None, :], cost[None, :, :]
        return np.asarray((own <= other).all(axis=2) & (own < other).any(axis=2))

    beaten = beats(values)
    names = table["ruleset"].tolist()
    beaten_by = [names[int(np.argmax(beaten[:, i]))] if beaten[:, i].any() else "" for i in range(len(names))]
    rng = np.random.default_rng(0)
    undominated_counts = np.zeros(len(names))
    for _ in range(BOOTSTRAP_DRAWS):
        resampled = values.copy()
        for name, (centre, spread, inverse) in centres.items():
            resampled[:, CRITERIA.index(name)] = inverse(centre + spread * rng.standard_normal(len(names)))
        undominated_counts += ~beats(resampled).any(axis=0)
    return [not other for other in beaten_by], beaten_by, list(undominated_counts / BOOTSTRAP_DRAWS)


BLOCKS = 10
"""Equal parts of a cell's games, in the order of their numbers."""
STEADINESS_ALPHA = 0.001
"""The probability of a false alarm over all cells together."""
LEAST_EFFECTIVE_SHARE = 0.5
"""The least share of effective games."""

WARNING_COLUMNS = ["code", *CELL, "subject", "value", "limit", "p"]


def warning_table(trials: Trials | pd.DataFrame, cells: pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """Return one row, with a ``code``, for each condition that makes a table unreliable.

    ``value`` is the number that triggers the warning, ``limit`` its limit, ``p`` the p-value of a test, if any.
    ``few_games``: too few to show that a cell differs from another by less than the margin, even if no difference at
    all is observed; without comparisons, too few for an interval of the margin on either side. Not given for players'
    own choices, such as armies, for yardsticks, or if the question's measure is not a share. ``event_never``: an event
    related to a toggle in which rulesets differ never happened; not given in addition to ``toggle_never_fired``.

    Source: see `steadiness_tests` for ``unsteady``; Holm 1979 over all cells.
    Limits: detects numerical problems of the records, but not unsuitable players.
    """
    trials = Trials.of(trials)
    rows: list[tuple[object, ...]] = []

    def warn(
        code: str, cell: Iterable[str] = ("", "", ""), subject: str = "", value: float = math.nan,
        limit: float = math.nan, p: float = math.nan,
    ) -> None:  # fmt: skip
        rows.append((code, *cell, subject, value, limit, p))

    for row in cells.to_dict("records"):
        cell = (str(row["ruleset"]), str(row["first"]), str(row["second"]))
        if any(label in plan.agents and not plan.agents[label].reproducible for label in cell[1:]):
            warn("not_reproducible", cell)
        if row["games"] == 0:
            warn("no_games", cell, value=0, limit=1)
            continue
        if row["finished"] == 0:
            warn("no_finished_games", cell, value=0, limit=1)
        if row["effective_games"] < (least := LEAST_EFFECTIVE_SHARE * row["games"]):
            warn("copies", cell, value=row["effective_games"], limit=least)
        needed = _games_needed(row, plan)
        if row["games"] < needed and not plan.player_choices and cell[1:] not in plan.yardsticks:
            warn("few_games", cell, value=row["games"], limit=needed)
    steady = steadiness_tests(trials, plan)
    if len(steady):
        for row in steady[holm(steady["p"]) <= STEADINESS_ALPHA].to_dict("records"):
            warn("unsteady", (row[name] for name in CELL), row["subject"], row["statistic"], p=row["p"])
    first_names: dict[tuple[str, str], str] = {}
    for ruleset in plan.rulesets:
        if ruleset.fingerprint:
            earlier = first_names.setdefault((ruleset.game, ruleset.fingerprint), ruleset.name)
            if earlier != ruleset.name:
                warn("equal_fingerprints", (ruleset.name, "", ""), earlier)
    for code, name, subject in idle_toggles_and_events(trials, plan):
        warn(code, (name, "", ""), subject, 0.0)
    for label, other in SearchGames(trials, plan).copies.items():
        warn("copied_player", ("", label, label), other)
    for note in plan.experiment.left_out:
        warn("left_out", subject=note)
    return pd.DataFrame(rows, columns=WARNING_COLUMNS)


def _games_needed(row: Mapping[Any, Any], plan: AnalysisPlan) -> int:
    """Return the fewest games of a cell that can show equivalence; 0 if the measure is not a share."""
    measure = plan.question_measure
    if measure.name == FAIRNESS:
        margin, variance = plan.margin, 0.25 * (1 - row["draw_rate"])
    elif not measure.is_share or math.isnan(share := row.get(measure.name, math.nan)):
        return 0
    else:
        margin, variance = plan.share_margin, share * (1 - share)
    if not plan.proposals:
        return games_for_precision(margin, variance)
    return games_for_equivalence(margin, 1, plan.verdict_analyses, (variance, variance), stage=plan.stage_number)


def steadiness_tests(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """Test whether the parts of each cell are alike: the ``result`` by χ², and the ``plies`` by F.

    The games are split into `BLOCKS` parts in the order of their numbers; cells with fewer than 20 games per part are
    omitted, and so are results with fewer than 5 games per part on average.

    Source: K. Pearson's χ² test of homogeneity; R. A. Fisher's analysis of variance. Plies are replaced by ranks, so
    that rare long games do not dominate (W. J. Conover, R. L. Iman, The American Statistician 35, 1981).
    Limits: detects drifts and jumps in the order of the games, but not wrong seeds from the first game on.
    """
    rows = []
    trials = Trials.of(trials)
    for cell in plan.cells:
        part = trials.cell(cell)
        if len(part) < 20 * BLOCKS:
            continue
        part = part[["game", "result", "plies"]]
        if not part["game"].is_monotonic_increasing:
            part = part.sort_values("game", kind="stable")
        block = np.arange(len(part)) * BLOCKS // len(part)
        codes, words = pd.factorize(part["result"].to_numpy(dtype=object), sort=True)
        counts = np.bincount(block * len(words) + codes, minlength=BLOCKS * len(words)).reshape(BLOCKS, len(words))
        counts = counts[:, counts.sum(axis=0) >= 5 * BLOCKS]
        if counts.shape[1] > 1 and (counts.sum(axis=1) > 0).all():
            rows.append((*cell, "result", *_homogeneity(counts)))
        ranks = part["plies"].rank().to_numpy(np.float64)
        if ranks.min() < ranks.max():
            rows.append((*cell, "plies", *_variance_between(ranks, block)))
    return pd.DataFrame(rows, columns=[*CELL, "subject", "statistic", "p"])


def _homogeneity(counts: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Return χ² of a table of counts (rows are parts), and its p-value."""
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    chi_squared = float(((counts - expected) ** 2 / expected).sum())
    return chi_squared, float(chdtrc((counts.shape[0] - 1) * (counts.shape[1] - 1), chi_squared))


def _variance_between(values: npt.NDArray[Any], part: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Return the F statistic between parts of the values, and its p-value."""
    sizes = np.bincount(part)
    means = np.bincount(part, values) / sizes
    between, within = len(sizes) - 1, len(values) - len(sizes)
    residual = float(((values - means[part]) ** 2).sum()) / within
    f = float((sizes * (means - values.mean()) ** 2).sum()) / between / residual if residual else math.inf
    return f, float(fdtrc(between, within, f))


def silent_proposals(idle: Iterable[tuple[str, str]], plan: AnalysisPlan) -> frozenset[str]:
    """Return the proposals whose changes had no effect.

    ``idle`` contains the ruleset and the toggle of each warning ``toggle_never_fired``.
    """
    without_effect, base = set(idle), plan.ruleset(plan.baseline).settings if plan.baseline else {}
    changed = {
        name: [key for key, setting in plan.ruleset(name).settings.items() if base.get(key, setting) != setting]
        for name in plan.proposals
    }
    return frozenset(
        name for name, toggles in changed.items() if toggles and {(name, key) for key in toggles} <= without_effect
    )


def idle_toggles_and_events(trials: Trials, plan: AnalysisPlan) -> list[tuple[str, str, str]]:
    """Return the toggles and events that never had an effect, each as a warning code, a ruleset and a name."""
    events = [name for name in trials.columns if name.startswith("event_")]
    happened: dict[str, set[str]] = {}
    for cell in trials.cells:
        columns = happened.setdefault(cell[0], set())
        columns |= {name for name in events if (trials.column(cell, name).to_numpy(dtype=np.float64) > 0).any()}
        columns |= {f"ended_by_{ending}" for ending in trials.cell(cell)["termination"].unique()}
    idle: list[tuple[str, str, str]] = []
    installed = set(families.names())
    for game in dict.fromkeys(ruleset.game for ruleset in plan.rulesets):
        names = [ruleset.name for ruleset in plan.rulesets if ruleset.game == game and ruleset.name in happened]
        if game not in installed or not names:
            continue
        declaration = families.declaration(game)
        related = {f"event_{event.name}": set(event.toggles) for event in declaration.events}
        related = {name: toggles for name, toggles in related.items() if name in events}
        related |= {f"ended_by_{ending.name}": set(ending.toggles) for ending in declaration.terminations.values()}
        reported: set[str] = set()
        for name in names if plan.baseline in names else []:
            base = plan.ruleset(plan.baseline).settings
            for toggle, setting in plan.ruleset(name).settings.items():
                columns = {column for column, toggles in related.items() if toggle in toggles}
                is_idle = columns and not columns & (happened[name] | happened[plan.baseline])
                if base.get(toggle, setting) != setting and is_idle:
                    idle.append(("toggle_never_fired", name, toggle))
                    reported.add(toggle)
        settings = [plan.ruleset(name).settings for name in names]
        varied = {toggle for toggle in declaration.defaults() if len({str(each.get(toggle)) for each in settings}) > 1}
        for event in declaration.events:
            column, toggles = f"event_{event.name}", varied & set(event.toggles)
            never_happened = column in events and not any(column in happened[name] for name in names)
            if never_happened and toggles and not toggles <= reported:
                idle.append(("event_never", "", event.name))
    return idle
