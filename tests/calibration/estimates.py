"""Do the estimates agree with the truth? Random games of solved rulesets against their exact values.

Three questions are asked of each cell: does the 95 % interval of one large experiment hold the exact score, how often
do the intervals of many small experiments, and do lengths and results follow the exact distribution (Pearson's χ²)?
The same questions are asked of games with a slightly biased player: they must be answered no, or the method is blind.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from workbench import statistics
from workbench.addons.solver import solving
from workbench.base.language import untranslated
from workbench.base.project import Project
from workbench.engine.players import BlockArguments
from workbench.engine.trials import run_block
from workbench.experiments import experiment
from workbench.experiments.experiment import Cell, Experiment
from workbench.games.results import RESULTS
from workbench.players import library
from workbench.records import records
from workbench.report.labels import format_signed, points_label, short_names
from workbench.report.model import Chart, Dot, Interval, Line, Panel, Row, Series, SmallMultiples, fit_scale
from workbench.report.render import matplotlib as drawing

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS, SIZE = 200, 1000
"""Small experiments, cut from the first games of the large one, and the games of each."""
COVERAGE = (0.92, 0.98)
"""How many of the small experiments' 95 % intervals should hold the exact value."""
ALPHA = 0.01
"""Chance that some cell of honest games is called wrong, all rulesets and questions together."""
LEAST = 10.0
"""Expected games in each class of the χ² test; rarer lengths are taken together."""
_RANDOM = ("random", 0.0)


@dataclass(frozen=True)
class Calibration:
    """Estimates beside the exact values of the same games."""

    question: Experiment
    table: pd.DataFrame
    """A row for each cell: ``ruleset``, ``first``, ``second``; ``honest``: whether both seats play at random;
    ``games``; the ``exact`` score of the first seat in random play, its estimate ``first_score`` with
    ``first_score_low`` and ``first_score_high``, whether the exact score lies ``inside``, and the distance in exact
    standard errors
    ``score_z``; the same for the mean length: ``plies_exact``, ``plies_mean``, ``plies_z``; ``coverage``, the share of
    the small experiments whose interval holds the exact score; ``p``, the χ² test's; ``agrees``: whether all questions
    together are answered yes."""

    @property
    def passed(self) -> bool:
        """Whether every cell of honest games agrees with the truth, and no cell of biased games does."""
        return bool((self.table["agrees"] == self.table["honest"]).all())


def question() -> Experiment:
    """What is played: rulesets that are solved, random pairings, and pairings with a slightly biased player."""
    return experiment.load_experiment(Path(__file__).with_name("calibration.yaml"), Project(ROOT))


def calibrate(question: Experiment) -> Calibration:
    """Plays a question's cells and compares them with the exact values of random play."""
    solved: dict[str, solving.Solution] = {}
    rows = []
    for cell in question.cells():
        if cell.ruleset.name not in solved:
            solved[cell.ruleset.name] = solving.solve_ruleset(cell.ruleset)
        rows.append(_compare(cell, _games(question, cell), solved[cell.ruleset.name]))
    table = pd.DataFrame(rows)
    # Each honest cell is asked for its score, its length and its distribution.
    limit = ALPHA / max(3 * int(table["honest"].sum()), 1)
    score, plies = (_two_sided(table[name].to_numpy()) for name in ("score_z", "plies_z"))
    table["agrees"] = (np.minimum(np.minimum(score, plies), table["p"].to_numpy()) >= limit).tolist()
    return Calibration(question, table)


def _games(question: Experiment, cell: Cell) -> pd.DataFrame:
    """The games of a cell as the runner would record them, as far as statistics look at them."""
    codes = cell.ruleset.codes()
    players = [library.solved_player(agent, cell.ruleset) for agent in (cell.first, cell.second)]
    parts = []
    for start in range(0, question.games, question.block_size(cell)):
        stop = min(start + question.block_size(cell), question.games)
        seeds = question.seeds(cell, start, stop)
        arrays = run_block(BlockArguments(cell.ruleset.game, codes, players[0], players[1], seeds, question.max_plies))
        parts.append({name: arrays[name] for name in ("result", "plies", "legal_moves", "game_hash")})
    columns: dict[str, Any] = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    columns["game"] = np.arange(len(columns["result"]))
    words = pd.Categorical.from_codes(columns["result"].astype(int), pd.Index(RESULTS))
    return pd.DataFrame(columns | {"result": words, "termination": "", "first": "", "second": ""})


def _compare(cell: Cell, games: pd.DataFrame, solution: solving.Solution) -> dict[str, Any]:
    exact, n = solution.exact, len(games)
    lengths = solution.lengths
    ends = np.arange(len(lengths))
    chances = lengths.sum(axis=1)
    score = exact.first_score
    assert score is not None and exact.random is not None
    spread = np.sqrt(exact.random["first"] + exact.random["draw"] / 4 - score**2)
    plies = exact.random["plies"]
    plies_spread = np.sqrt(chances @ ends**2 - plies**2)
    large = statistics.cell_table(games.assign(ruleset="")).iloc[0]
    small = games.iloc[: min(EXPERIMENTS, n // SIZE) * SIZE]
    small = statistics.cell_table(small.assign(ruleset=np.arange(len(small)) // SIZE))
    covers = (small["first_score_low"] <= score) & (score <= small["first_score_high"])
    kinds = {(agent.kind, agent.epsilon) for agent in (cell.first, cell.second)}
    return {
        "ruleset": cell.ruleset.name,
        "first": cell.first.label,
        "second": cell.second.label,
        "honest": kinds == {_RANDOM},
        "games": n,
        "exact": score,
        **{name: float(large[name]) for name in ("first_score", "first_score_low", "first_score_high")},
        "inside": bool(large["first_score_low"] <= score <= large["first_score_high"]),
        "score_z": float((large["first_score"] - score) / (spread / np.sqrt(n))),
        "plies_exact": plies,
        "plies_mean": float(games["plies"].mean()),
        "plies_z": float((games["plies"].mean() - plies) / (plies_spread / np.sqrt(n))),
        "coverage": float(covers.mean()),
        "p": _chi_square(games, lengths),
    }


def _chi_square(games: pd.DataFrame, lengths: Any) -> float:
    """The p-value of Pearson's test that lengths and results together follow the exact distribution.

    Limits: 1 where there are so few games that only one class of them is expected often enough.
    """
    from scipy.stats import chisquare

    result = games["result"].cat.codes.to_numpy()
    finished = result > 0
    plies = np.minimum(games["plies"].to_numpy()[finished], len(lengths) - 1)
    observed = np.zeros(lengths.shape)
    np.add.at(observed, (plies, result[finished] - 1), 1)
    expected = lengths * finished.sum() / lengths.sum()
    often = expected >= LEAST
    seen, awaited = [*observed[often], observed[~often].sum()], [*expected[often], expected[~often].sum()]
    if awaited[-1] < LEAST and len(awaited) > 1:
        seen[-2:], awaited[-2:] = [seen[-2] + seen[-1]], [awaited[-2] + awaited[-1]]
    if len(awaited) == 1 or not sum(seen):
        return 1.0
    return float(chisquare(seen, np.array(awaited) * sum(seen) / sum(awaited)).pvalue)


def _two_sided(z: Any) -> Any:
    from scipy.stats import norm

    return 2 * norm.sf(np.abs(z))


def write(calibration: Calibration, folder: Path) -> str:
    """Writes the page, its table and its picture; returns the page."""
    page = _page(calibration)
    (folder / "calibration.md").write_text(page, encoding="utf-8")
    (folder / "calibration.csv").write_text(records.to_csv(calibration.table, "%.9g"), encoding="utf-8", newline="")
    drawing.save_figure(drawing.draw_figure(_charts(calibration)), folder / "calibration")
    return page


def _charts(calibration: Calibration) -> SmallMultiples:
    """How far the estimates are from the exact score, and how often intervals hold it."""
    names = list(dict.fromkeys(calibration.table["ruleset"]))
    differences: dict[str, list[Line]] = {name: [] for name in names}
    coverages: dict[str, list[Line]] = {name: [] for name in names}
    ends = []
    for row in calibration.table.to_dict("records"):
        series, label = (0, "random") if row["honest"] else (1, "biased")
        middle, low, high = (float(row[f"first_score{end}"] - row["exact"]) for end in ("", "_low", "_high"))
        share = float(row["coverage"])
        text = untranslated(format_signed(100 * middle, 2))
        differences[row["ruleset"]].append(Line(series, (Interval(low, high), Dot(middle)), text, label))
        coverages[row["ruleset"]].append(Line(series, (Dot(share),), untranslated(f"{100 * share:.0f} %"), label))
        ends += [low, high]
    shares = calibration.table["coverage"].tolist()
    short = short_names(names)
    series_of_both = [Series(0, untranslated("random play")), Series(1, untranslated("one biased move in a hundred"))]

    def rows(lines: dict[str, list[Line]]) -> tuple[Row, ...]:
        labelled = zip(names, short, strict=True)
        return tuple(Row(name, untranslated(label), tuple(lines[name])) for name, label in labelled)

    return SmallMultiples(
        untranslated(
            "Of each ruleset, with 95 % intervals. Shaded: where the share of small experiments whose interval holds "
            "the exact score should lie."
        ),
        [
            Chart(
                "calibration-difference",
                Panel(fit_scale(ends, points_label, 0.0), rows(differences)),
                "",
                series_of_both,
                title=untranslated("Estimate less exact score, in points"),
            ),
            Chart(
                "calibration-coverage",
                Panel(fit_scale(shares, lambda share: f"{100 * share:.3g} %", band=COVERAGE), rows(coverages)),
                "",
                title=untranslated("Small experiments whose interval holds it"),
            ),
        ],
        "calibration",
        untranslated("Calibration: estimates beside exact values"),
    )


def _page(calibration: Calibration) -> str:
    honest = calibration.table[calibration.table["honest"]]
    biased = calibration.table[~calibration.table["honest"]]
    rulesets, games = len(honest), f"{calibration.question.games:,}"
    least, most = (f"{100 * share:.1f}" for share in (honest["coverage"].min(), honest["coverage"].max()))
    low, high = (f"{100 * share:.0f}" for share in COVERAGE)
    lines = [
        "# Calibration: do the estimates agree with the truth?\n",
        "The star game is small enough to be solved exactly (`workbench solve star/default`), so the true probability",
        "of each result of random play is known to twelve digits. Here the workbench's estimates stand beside it.\n",
        f"* **{honest['inside'].sum()} of {rulesets}** 95 % intervals from {games} random games hold the exact score "
        "of the first seat (of twenty, one misses on average). Score, mean length and the whole distribution of "
        f"lengths and results agree with the truth in **{honest['agrees'].sum()} of {rulesets}** rulesets "
        f"(all together wrongly doubted in {100 * ALPHA:.0f} % of such pages).",
        f"* Of {EXPERIMENTS} experiments of {SIZE:,} games each, between {least} and {most} % have an interval that "
        f"holds the exact score: within {low}–{high} % for "
        f"**{honest['coverage'].between(*COVERAGE).sum()} of {rulesets}** rulesets.",
        "* A player who lets a heuristic choose one of a hundred of its moves is "
        f"**caught in {(~biased['agrees']).sum()} of {len(biased)}** rulesets.\n",
        "![Differences from the exact score, and coverage](calibration.png)\n",
        "| ruleset | first seat | exact score | estimate (95 %) | exact plies | estimate | coverage | χ² p | agrees |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in calibration.table.to_dict("records"):
        interval = f"{100 * row['first_score_low']:.3f}–{100 * row['first_score_high']:.3f}"
        lines.append(
            f"| {row['ruleset']} | {row['first']} | {100 * row['exact']:.4f} % | {100 * row['first_score']:.3f} % "
            f"({interval}) | {row['plies_exact']:.4f} | {row['plies_mean']:.4f} | {100 * row['coverage']:.1f} % | "
            f"{row['p']:.2g} | {'yes' if row['agrees'] else 'no'} |"
        )
    made = f"\nMade by `python -m tests.calibration`: {games} games a cell, seed {calibration.question.seed}.\n"
    return "\n".join([*lines, made])
