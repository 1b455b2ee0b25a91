"""Diagnostics: conditions under which a table should not be trusted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import chdtrc, fdtrc

from workbench import games
from workbench.questions.measures import FAIRNESS
from workbench.statistics.intervals import holm
from workbench.statistics.plan import AnalysisPlan
from workbench.statistics.search_games import SearchGames
from workbench.statistics.sequential import games_for_equivalence, games_for_precision
from workbench.store.trials import CELL, Trials

BLOCKS = 10
"""Parts of equal size into which the games of a cell are cut, in the order of their numbers."""
STEADINESS_ALPHA = 0.001
"""The chance, over all cells together, of calling steady games unsteady."""
LEAST_EFFECTIVE_SHARE = 0.5
"""The share of its games that a cell should be worth at least."""

WARNING_CODES = {
    "no_games": "The cell has no games.",
    "no_finished_games": "Every game of the cell was stopped at the cap: it has no score.",
    "few_games": "The cell has too few games to show that it differs from another one by less than the margin, even if "
    "no difference at all is found; where nothing is compared, too few for an interval of the margin on either side. "
    "Not said of armies and the like, which are no proposals, of random players beside others, and of questions about "
    "no share.",
    "copies": "Many games are copies of one another: `value` is what they are worth if a copy tells nothing new.",
    "unsteady": "Results or lengths differ between parts of the cell by more than chance: its seeds, its workers or "
    "the machine are at fault.",
    "toggle_never_fired": "The ruleset changes the toggle `subject`, but what the rule is about never happened, "
    "neither here nor under the baseline.",
    "event_never": "The event `subject`, which tells of a toggle in which rulesets of the family differ, never "
    "happened in any of their cells; not said where `toggle_never_fired` says as much.",
    "equal_fingerprints": "The ruleset has the same rules as `subject`: their games are draws of the same lot.",
    "copied_player": "A search by nodes played the same games as the player `subject` under every ruleset: what is "
    "said of strong play leaves it out.",
    "not_reproducible": "A player of the cell comes from outside, and its author does not assure that the same seed "
    "gives the same game.",
    "left_out": "A combination that the rules refuse was left out of the design.",
}
"""Every diagnostic and its meaning."""
WARNING_COLUMNS = ["code", *CELL, "subject", "value", "limit", "p"]


def warning_table(trials: Trials | pd.DataFrame, cells: pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """One row for each condition under which a table should not be trusted; see `WARNING_CODES`.

    ``value`` is what was found, ``limit`` what it should not pass, ``p`` the p-value of a test, where there is one.

    Source: see `steadiness_tests` for ``unsteady``; Holm 1979 over all cells.
    Limits: finds what is wrong with the records as numbers; whether the players make sense is another question.
    """
    trials = Trials.of(trials)
    rows: list[tuple[str, str, str, str, str, float, float, float]] = []
    for row in cells.to_dict("records"):
        cell = (str(row["ruleset"]), str(row["first"]), str(row["second"]))
        if any(label in plan.agents and not plan.agents[label].reproducible for label in cell[1:]):
            rows.append(("not_reproducible", *cell, "", math.nan, math.nan, math.nan))
        if row["games"] == 0:
            rows.append(("no_games", *cell, "", 0, 1, math.nan))
            continue
        if row["finished"] == 0:
            rows.append(("no_finished_games", *cell, "", 0, 1, math.nan))
        if row["effective_games"] < LEAST_EFFECTIVE_SHARE * row["games"]:
            rows.append(("copies", *cell, "", row["effective_games"], LEAST_EFFECTIVE_SHARE * row["games"], math.nan))
        needed = _games_needed(row, plan)
        if row["games"] < needed and not plan.player_choices and cell[1:] not in plan.yardsticks:
            rows.append(("few_games", *cell, "", row["games"], needed, math.nan))
    steady = steadiness_tests(trials, plan)
    if len(steady):
        for row in steady[holm(steady["p"]) <= STEADINESS_ALPHA].to_dict("records"):
            subject = (row["ruleset"], row["first"], row["second"], row["subject"])
            rows.append(("unsteady", *subject, row["statistic"], math.nan, row["p"]))
    first_of_rules: dict[tuple[str, str], str] = {}
    for ruleset in plan.rulesets:
        if ruleset.fingerprint:
            earlier = first_of_rules.setdefault((ruleset.game, ruleset.fingerprint), ruleset.name)
            if earlier != ruleset.name:
                rows.append(("equal_fingerprints", ruleset.name, "", "", earlier, math.nan, math.nan, math.nan))
    rows += [
        (code, name, "", "", subject, 0.0, math.nan, math.nan)
        for code, name, subject in idle_toggles_and_events(trials, plan)
    ]
    rows += [
        ("copied_player", "", label, label, other, math.nan, math.nan, math.nan)
        for label, other in SearchGames(trials, plan).copies.items()
    ]
    rows += [("left_out", "", "", "", note, math.nan, math.nan, math.nan) for note in plan.experiment.left_out]
    return pd.DataFrame(rows, columns=WARNING_COLUMNS)


def _games_needed(row: Mapping[Any, Any], plan: AnalysisPlan) -> int:
    """The games of a cell without which no comparison shows that there is no difference; 0 for what is no share."""
    asked = plan.question_measure
    if asked.name == FAIRNESS:
        margin, variance = plan.margin, 0.25 * (1 - row["draw_rate"])
    elif not asked.is_share or math.isnan(share := row.get(asked.name, math.nan)):
        return 0
    else:
        margin, variance = plan.share_margin, share * (1 - share)
    if not plan.proposals:
        return games_for_precision(margin, variance)
    return games_for_equivalence(
        margin, analyses=plan.verdict_analyses, variances=(variance, variance), stage=plan.number
    )


def steadiness_tests(trials: Trials | pd.DataFrame, plan: AnalysisPlan) -> pd.DataFrame:
    """Tests per cell of "all parts of the cell are alike": of the ``result`` (χ²) and of the ``plies`` (F).

    The games are cut into `BLOCKS` parts in the order of their numbers; cells with fewer than 20 games a part are left
    out, and so are results that occur fewer than 5 times a part on average.

    Source: K. Pearson's χ² test of homogeneity; R. A. Fisher's analysis of variance. Plies are taken as
    ranks, so that rare long games do not decide (W. J. Conover, R. L. Iman, The American Statistician 35, 1981).
    Limits: sees drifts and jumps along the order of the games, not seeds that were wrong from the first game on.
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
    """χ² of a table of counts, each row a part, and its p-value."""
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    chi_squared = float(((counts - expected) ** 2 / expected).sum())
    return chi_squared, float(chdtrc((counts.shape[0] - 1) * (counts.shape[1] - 1), chi_squared))


def _variance_between(values: npt.NDArray[Any], part: npt.NDArray[np.int64]) -> tuple[float, float]:
    """F of the values' parts, which are numbered from 0, and its p-value."""
    sizes = np.bincount(part)
    means = np.bincount(part, values) / sizes
    between, within = len(sizes) - 1, len(values) - len(sizes)
    residual = float(((values - means[part]) ** 2).sum()) / within
    f = float((sizes * (means - values.mean()) ** 2).sum()) / between / residual if residual else math.inf
    return f, float(fdtrc(between, within, f))


def silent_proposals(idle: Iterable[tuple[str, str]], plan: AnalysisPlan) -> frozenset[str]:
    """The proposals of which nothing happened that any of their changes is about.

    ``idle``: ruleset and toggle of each ``toggle_never_fired`` of `WARNING_CODES`.
    """
    still, base = set(idle), plan.ruleset(plan.baseline).settings if plan.baseline else {}
    changed = {
        name: [each for each, setting in plan.ruleset(name).settings.items() if base.get(each, setting) != setting]
        for name in plan.proposals
    }
    return frozenset(name for name, own in changed.items() if own and all((name, each) in still for each in own))


def idle_toggles_and_events(trials: Trials, plan: AnalysisPlan) -> list[tuple[str, str, str]]:
    """Toggles and events that did nothing: code, ruleset, and the toggle or event."""
    columns = [name for name in trials.columns if name.startswith("event_")]
    counts = ((trials.column(cell, name).to_numpy(dtype=np.float64) for name in columns) for cell in trials.cells)
    fired = pd.DataFrame(
        [[bool((each > 0).any()) for each in of_cell] for of_cell in counts],
        columns=columns, index=pd.Index([cell[0] for cell in trials.cells], dtype=object),
    ).groupby(level=0).any()  # fmt: skip
    endings_by_ruleset: dict[str, dict[str, bool]] = {cell[0]: {} for cell in trials.cells}
    for cell in trials.cells:
        endings_by_ruleset[cell[0]] |= {
            f"ended_by_{ending}": True for ending in trials.cell(cell)["termination"].unique()
        }
    ended = pd.DataFrame.from_dict(endings_by_ruleset, orient="index").notna()
    idle: list[tuple[str, str, str]] = []
    installed = set(games.names())
    for game in dict.fromkeys(ruleset.game for ruleset in plan.rulesets):
        names = [ruleset.name for ruleset in plan.rulesets if ruleset.game == game and ruleset.name in fired.index]
        if game not in installed or not names:
            continue
        declaration = games.declaration(game)
        by_column = {f"event_{event.name}": event for event in declaration.events}
        by_column |= {f"ended_by_{ending.name}": ending for ending in declaration.terminations.values()}
        endings = [name for name in by_column if name.startswith("ended_by_")]
        happened = pd.concat([fired, ended.reindex(columns=endings, fill_value=False)], axis=1)
        reported: set[str] = set()
        for name in names if plan.baseline in names else []:
            base = plan.ruleset(plan.baseline)
            for toggle, setting in plan.ruleset(name).settings.items():
                event_columns = [
                    column for column, event in by_column.items() if toggle in event.toggles and column in happened
                ]
                changed = toggle in base.settings and base.settings[toggle] != setting
                if (
                    changed
                    and event_columns
                    and not happened.loc[[name, plan.baseline], event_columns].to_numpy().any()
                ):
                    idle.append(("toggle_never_fired", name, toggle))
                    reported.add(toggle)
        varied = {
            toggle
            for toggle in declaration.defaults()
            if len({str(plan.ruleset(name).settings.get(toggle)) for name in names}) > 1
        }
        idle += [
            ("event_never", "", event.name)
            for event in declaration.events
            if (column := f"event_{event.name}") in fired
            and not fired.loc[names, column].any()
            and varied & set(event.toggles)
            and not varied & set(event.toggles) <= reported
        ]
    return idle
