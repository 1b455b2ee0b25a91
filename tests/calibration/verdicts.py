"""Are verdicts about strong play right? Asked of solved rulesets, whose best play is known, and of stronger players.

It is asked of each ruleset whether the first seat scores more than one half, and of each difference between a ruleset
and the first one of its game which way it goes. First the strongest budget of the experiment is *hidden*: what do the
others say, and do the hidden players say the same? Then all players speak, and *best play* answers. Where an experiment
names *published* results of stronger players, those that have a direction answer, too, for scores and for draws.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from workbench.base import project
from workbench.base.language import join_list, untranslated
from workbench.experiments import experiment_files
from workbench.experiments.experiment_files import Published
from workbench.games.results import SCORES
from workbench.records import records
from workbench.records.trials import Trials
from workbench.report import folders
from workbench.report.folders import load_best_play
from workbench.report.labels import format_signed
from workbench.report.model import Chart, Interval, Line, Panel, Row, Series, SmallMultiples, fit_scale
from workbench.report.render import matplotlib as drawing
from workbench.report.verdicts import DIRECTIONS, VERDICTS
from workbench.statistics import AnalysisPlan
from workbench.statistics.analysis_plan import prepare_trials
from workbench.statistics.comparisons import PublishedDifference, differences_from_baseline
from workbench.statistics.intervals import wilson
from workbench.statistics.search_games import SearchGames
from workbench.statistics.strong_play import StrongPlay, budget_estimate, ruleset_verdict

COLUMNS = [
    "experiment", "game", "ruleset", "baseline", "measure", "asked", "verdict", "direction", "reason", "now", "truth",
    "truth_low", "truth_high", "outcome",
]  # fmt: skip
HIDDEN, BEST_PLAY, PUBLISHED = ASKED = ("hidden", "best_play", "published")
PLAYED = ["experiment", "ruleset", "player", "games", "first_wins", "second_wins", "draws", "capped"]
WRONG, GIVEN = 0.05, 0.5
"""At most so many of the verdicts given may be wrong, and at least so many must be given."""
OUTCOMES = ("right", "not_settled", "wrong")
QUESTIONS = {
    HIDDEN: "What stronger players say, who were hidden",
    BEST_PLAY: "What best play says",
    PUBLISHED: "What others published",
}
SHORT = {HIDDEN: "hidden players", BEST_PLAY: "best play", PUBLISHED: "others"}
REASONS = {
    "games": "too few games",
    "players": "the two families of search contradict each other",
    "evaluations": "players of one evaluation say the opposite",
    "strength": "still changing with strength",
    "capped_games": "too many games without an end",
    "one_strength": "too few budgets",
    "one_search": "one family of search alone",
    "not_finished": "games are missing",
}
INTRODUCTION = """\
# Calibration: are verdicts about strong play right?

Of the rulesets of these experiments it is known who wins with best play, or others have published what
strong players did:
"""
ASKED_OF = """
Of each ruleset it was asked whether the first seat scores more than one half, and of each difference from
the first ruleset of its game which way it goes. First the strongest budget was hidden, and what the others
foretold was compared with what the hidden players did; then all spoke, and best play answered, or those
published results that have a direction. A balanced score, or no meaningful difference, is wrong where best
play wins: players may agree, hardly change from budget to budget, and still not see it. Right means: not surely
contradicted. Each verdict stands alone here and knows of no other ruleset, since these are no
proposals for one game; the first two questions are asked of the same rulesets, and so are no independent trials.
"""
SIZES = ((0.0, 0.05), (0.05, 0.15), (0.15, 0.25), (0.25, 1.01))
"""Of what is true: from, and below."""


@dataclass(frozen=True)
class StrongCalibration:
    """Verdicts about strong play beside the truth."""

    table: pd.DataFrame
    """A row for each question (`COLUMNS`): ``asked`` is one of `ASKED`; ``truth``, of hidden players and of published
    results with its interval, in the unit of ``now``: a score less one half, or a difference of two rulesets;
    ``outcome`` is ``right``, ``wrong`` or ``not_settled``."""
    budgets: Mapping[str, tuple[int, ...]]
    """Of each experiment, weakest first."""
    played: pd.DataFrame
    """The records in short: a row for each ruleset and player who played itself (`PLAYED`); a game stopped at the cap
    is none of the others."""
    digests: Mapping[str, str]
    """Of each experiment that of its records."""

    def counts(self, asked: str) -> dict[str, int]:
        """How many outcomes of each kind there are."""
        of = self.table.loc[self.table["asked"] == asked, "outcome"]
        return {outcome: int((of == outcome).sum()) for outcome in OUTCOMES}

    @property
    def passed(self) -> bool:
        """Whether few enough verdicts are wrong, and enough are given; none may contradict what was published."""
        for asked in (HIDDEN, BEST_PLAY):
            counts = self.counts(asked)
            given = counts["right"] + counts["wrong"]
            if not given or counts["wrong"] > WRONG * given or given < GIVEN * sum(counts.values()):
                return False
        return not self.counts(PUBLISHED)["wrong"]


def of_folder(folder: Path) -> StrongCalibration:
    """The verdicts of the records in a report folder."""
    provenance = folders.read_run_provenance(folder)
    plan = AnalysisPlan.from_provenance(provenance)
    trials = folders.read_report_trials(folder, provenance, plan.pairings)
    known = load_best_play(project.find_project())
    values = {each.name: known[each.fingerprint].best_play for each in plan.rulesets if each.fingerprint in known}
    theirs = experiment_files.published_from_provenance(provenance["experiment"].get("published"))
    return calibrate(trials, plan, values, theirs, folder.resolve().name, trials.digest())


def together(calibrations: Sequence[StrongCalibration]) -> StrongCalibration:
    """Those of several experiments as one."""
    return StrongCalibration(
        pd.concat([each.table for each in calibrations], ignore_index=True),
        {name: each for calibration in calibrations for name, each in calibration.budgets.items()},
        pd.concat([each.played for each in calibrations], ignore_index=True),
        {name: each for calibration in calibrations for name, each in calibration.digests.items()},
    )


def calibrate(
    trials: Trials | pd.DataFrame,
    plan: AnalysisPlan,
    values: Mapping[str, str],
    theirs: Published | None = None,
    experiment: str = "",
    digest: str = "",
) -> StrongCalibration:
    """The verdicts of an experiment's records.

    ``values`` are those of best play, first, second or draw, for each ruleset of which it is known; ``theirs`` is what
    others published; ``experiment`` is the name of the experiment, ``digest`` that of its records.
    """
    prepared = prepare_trials(trials, plan)
    strengths = SearchGames(prepared, plan)
    budgets = tuple(sorted({rung.nodes for rung in strengths.rungs.values()}))
    weaker = SearchGames(prepared, plan, most_nodes=budgets[-2]) if len(budgets) >= 3 else None
    by_game: dict[str, list[str]] = {}
    for ruleset in plan.rulesets:
        by_game.setdefault(ruleset.game, []).append(ruleset.name)
    rows: list[dict[str, Any]] = []
    for game, names in by_game.items():
        for name in names:
            for baseline in ("", names[0]) if name != names[0] else ("",):
                # Rulesets that have nothing in common say nothing of one another.
                both = [name, baseline] if baseline else [name]
                play = _strong_play(strengths, both, "first_score")
                hidden = _strong_play(weaker, both, "first_score") if weaker else None
                about = {"game": game, "ruleset": name, "baseline": baseline, "measure": "first_score"}
                if hidden:
                    rows.append(about | _hidden(hidden, play, name, baseline))
                terms = {name: 1.0, **({baseline: -1.0} if baseline else {})}
                if all(each in values for each in terms):
                    truth = sum(factor * SCORES[values[each]] for each, factor in terms.items())
                    rows.append(about | _best_play(play, name, baseline, truth - (0.0 if baseline else 0.5)))
    games = {ruleset.name: ruleset.game for ruleset in plan.rulesets}
    plays: dict[tuple[str, str], StrongPlay] = {}
    for each in differences_from_baseline(theirs, plan) if theirs else ():
        if each.direction:
            key = games[each.ruleset], each.measure
            if key not in plays:
                plays[key] = _strong_play(strengths, by_game[key[0]], each.measure)
            about = {"ruleset": each.ruleset, "baseline": plan.baseline, "measure": each.measure}
            rows.append({"game": key[0]} | about | _published(plays[key], each))
    table = pd.DataFrame(rows, columns=COLUMNS).assign(experiment=experiment)
    played = _played(Trials.of(trials), {rung.label for rung in strengths.rungs.values()}).assign(experiment=experiment)
    return StrongCalibration(table, {experiment: budgets}, played[PLAYED], {experiment: digest})


def _played(trials: Trials, players: Collection[str]) -> pd.DataFrame:
    """How the games of these players with themselves ended."""
    rows = []
    for ruleset, first, second in trials.cells:
        if first == second and first in players:
            results = trials.column((ruleset, first, second), "result").astype(str)
            counts = {name: int((results == name).sum()) for name in ("first", "second", "draw", "unfinished")}
            numbers = dict(zip(PLAYED[3:], (len(results), *counts.values()), strict=True))
            rows.append({"ruleset": ruleset, "player": first} | numbers)
    return pd.DataFrame(rows, columns=PLAYED)


def _strong_play(games: SearchGames, names: Sequence[str], measure: str) -> StrongPlay:
    means = games.means(names, measure)
    assert means is not None, f"no game has {measure}"
    return StrongPlay(games, means, measure)


def _hidden(weaker: StrongPlay, play: StrongPlay, name: str, baseline: str) -> dict[str, Any]:
    """What the weaker players say beside what the strongest do.

    A verdict is wrong if the strongest surely say otherwise: that the direction is another, or, of what has settled,
    that it moved by more than the margin for each doubling.
    """
    verdict = ruleset_verdict(weaker, name, baseline)
    columns = play.means.columns(name, baseline)
    cells = [each for rung, each in columns.items() if rung.nodes == play.most_nodes]
    spread = play.player_spread([name, baseline] if baseline else [name])
    strongest = budget_estimate(play.means, cells, spread, play.single).plus(0.0 if baseline else -0.5)
    margin = play.plan.margin
    outcome = "not_settled"
    if verdict["verdict"] != "not_settled":
        _, low, high = strongest
        otherwise = {"more": high <= 0, "less": low >= 0, "none": low > margin or high < -margin}[verdict["direction"]]
        most = margin * np.log2(play.most_nodes / weaker.most_nodes)
        moved = verdict["verdict"] == "settled" and (
            low > verdict["now_high"] + most or high < verdict["now_low"] - most
        )
        outcome = "wrong" if otherwise or moved else "right"
    return _row(HIDDEN, verdict, *strongest, outcome)


def _best_play(play: StrongPlay, name: str, baseline: str, truth: float) -> dict[str, Any]:
    """What all players say beside best play."""
    verdict = ruleset_verdict(play, name, baseline)
    return _row(BEST_PLAY, verdict, truth, truth, truth, _outcome(verdict, truth, play.plan.margin))


def _published(play: StrongPlay, theirs: PublishedDifference) -> dict[str, Any]:
    """What all players say beside the players of others, whose difference has a direction."""
    verdict = ruleset_verdict(play, theirs.ruleset, play.plan.baseline)
    outcome = _outcome(verdict, theirs.difference, play.plan.margin)
    return _row(PUBLISHED, verdict, theirs.difference, theirs.low, theirs.high, outcome)


def _outcome(told: Mapping[str, Any], truth: float, margin: float) -> str:
    """Whether a verdict's direction is that of the truth."""
    if told["verdict"] == "not_settled":
        return "not_settled"
    right = {"more": truth > 0, "less": truth < 0, "none": abs(truth) <= margin}[told["direction"]]
    return "right" if right else "wrong"


def _row(asked: str, told: Mapping[str, Any], truth: float, low: float, high: float, outcome: str) -> dict[str, Any]:
    said = {name: told[name] for name in ("verdict", "direction", "reason", "now")}
    return {"asked": asked} | said | {"truth": truth, "truth_low": low, "truth_high": high, "outcome": outcome}


def write(calibration: StrongCalibration, folder: Path) -> str:
    """Writes the page, its tables and its picture; returns the page."""
    page = _page(calibration)
    (folder / "strong-play.md").write_text(page, encoding="utf-8")
    for name, table in (("strong-play", calibration.table), ("strong-play-games", calibration.played)):
        (folder / f"{name}.csv").write_text(records.to_csv(table, "%.6g"), encoding="utf-8", newline="")
    drawing.save_figure(drawing.draw_figure(_charts(calibration)), folder / "strong-play")
    return page


def _charts(calibration: StrongCalibration) -> SmallMultiples:
    """How many verdicts are right, not settled and wrong, game by game."""
    series = [Series(i, untranslated(outcome.replace("_", " "))) for i, outcome in enumerate(OUTCOMES)]
    charts = []
    for asked, title in QUESTIONS.items():
        table = calibration.table[calibration.table["asked"] == asked]
        rows = []
        for game, of in [("", table), *table.groupby("game", sort=False)]:
            counts = [(i, outcome, int((of["outcome"] == outcome).sum())) for i, outcome in enumerate(OUTCOMES)]
            bars = (
                Line(i, (Interval(0.0, count / max(1, len(of))),), untranslated(count), outcome)
                for i, outcome, count in counts
            )
            rows.append(Row(str(game) or "all", untranslated(game or "all games"), tuple(bars)))
        if len(table):
            scale = fit_scale([0.0, 1.0], lambda share: f"{100 * share:.0f} %", from_zero=True)
            charts.append(
                Chart(f"strong-play-{asked}", Panel(scale, tuple(rows)), "", series, title=untranslated(title))
            )
    caption = "Verdicts about strong play beside the truth, game by game: how many were right, not settled, and wrong."
    return SmallMultiples(untranslated(caption), charts, "strong-play", untranslated("Are verdicts right?"))


def _page(calibration: StrongCalibration) -> str:
    table, played = calibration.table, calibration.played
    lines = [INTRODUCTION]
    for name, budgets in calibration.budgets.items():
        rulesets = table.loc[table["experiment"] == name, "ruleset"].nunique()
        games = played.loc[played["experiment"] == name, "games"].sum()
        lines.append(
            f"* `{name}`: {rulesets} rulesets; players search {join_list([f'{nodes:,}' for nodes in budgets])} nodes a "
            f"move; {games:,} games, digest {calibration.digests[name]}"
        )
    lines.append(ASKED_OF)
    lines += [_counted(calibration, asked) for asked in ASKED if (table["asked"] == asked).any()]
    lines += ["\n![Right, not settled and wrong verdicts](strong-play.png)\n"]
    lines += ["| game | asked of | right | not settled | wrong |", "|---|---|---:|---:|---:|"]
    for (game, asked), of in table.groupby(["game", "asked"], sort=False):
        counts = (str((of["outcome"] == outcome).sum()) for outcome in OUTCOMES)
        lines.append(f"| {game} | {SHORT[str(asked)]} | {' | '.join(counts)} |")
    lines += _by_size(table)
    reasons = table.loc[table["outcome"] == "not_settled", "reason"].value_counts()
    if len(reasons):
        words = join_list([f"{REASONS[str(reason)]} ({count})" for reason, count in reasons.items()])
        lines.append(f"\nWhy nothing was settled: {words}.")
    wrong = table[table["outcome"] == "wrong"]
    if len(wrong):
        lines += ["\nThe wrong ones:\n", "| ruleset | less | measure | asked of | verdict | now | truth |"]
        lines.append("|---|---|---|---|---|---:|---:|")
    for _, row in wrong.iterrows():
        direction = DIRECTIONS[row["measure"], bool(row["baseline"])][row["direction"]]
        measure = {"first_score": "score", "draw_rate": "draws"}[row["measure"]]
        now, truth = (format_signed(100 * float(row[name])) for name in ("now", "truth"))
        lines.append(
            f"| {row['ruleset']} | {row['baseline'] or '½'} | {measure} | {SHORT[row['asked']]} | "
            f"{VERDICTS[row['verdict']].text}, {direction} | {now} | {truth} |"
        )
    folders = " ".join(f"reports/{name}" for name in calibration.budgets)
    made = "how the games of each ruleset and player ended is in [strong-play-games.csv](strong-play-games.csv)"
    return "\n".join([*lines, f"\nMade by `python -m tests.calibration {folders}`; {made}.\n"])


def _by_size(table: pd.DataFrame) -> list[str]:
    """How many verdicts are right, by the true size of what they are about, with the share of wrong ones."""
    lines = [
        "\nLarge differences are easily right. By the size of the true one:\n",
        "| true difference (points) | asked of | right | wrong | not settled | wrong of those given (95 %) |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for least, most in SIZES:
        of_size = table[table["truth"].abs().between(least, most, inclusive="left")]
        for asked, of in of_size.groupby("asked", sort=False):
            counts = {outcome: int((of["outcome"] == outcome).sum()) for outcome in OUTCOMES}
            given = counts["right"] + counts["wrong"]
            low, high = (float(end) for end in wilson(counts["wrong"], given)) if given else (0.0, 1.0)
            size = f"{100 * least:.0f} to {100 * most:.0f}" if most < 1 else f"{100 * least:.0f} and more"
            share = f"{100 * low:.0f} to {100 * high:.0f} %" if given else "–"
            counts_text = " | ".join(str(counts[outcome]) for outcome in ("right", "wrong", "not_settled"))
            lines.append(f"| {size} | {SHORT[str(asked)]} | {counts_text} | {share} |")
    return lines


def _counted(calibration: StrongCalibration, asked: str) -> str:
    """How many verdicts are right, beside what is wanted."""
    counts = calibration.counts(asked)
    every, given = sum(counts.values()), counts["right"] + counts["wrong"]
    share = f"{100 * counts['wrong'] / given:.1f} % of them were wrong" if given else "none could be wrong"
    enough, most = f" (wanted: at least {100 * GIVEN:.0f} %)", f"at most {100 * WRONG:.0f} %"
    if asked == PUBLISHED:
        enough, most = "", "none"
    told = ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in counts.items())
    return (
        f"* {QUESTIONS[asked]}: **{told}** of {every}. Verdicts were given in {100 * given / every:.0f} % of the cases"
        f"{enough}, and {share} (wanted: {most})."
    )
