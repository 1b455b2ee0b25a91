"""The cost of an experiment: a short pilot, then the games and the time for a given precision or power."""

from __future__ import annotations

import functools
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.base import project
from workbench.base.language import join_list, tr, translated, trn
from workbench.engine import trials
from workbench.engine.players import BlockArguments
from workbench.experiments.experiment import Block, Cell, Experiment
from workbench.experiments.experiment_files import DrawnLines
from workbench.experiments.measures import FIRST_SCORE
from workbench.players.external import block_runner
from workbench.runs import runner, training
from workbench.runs.executor import Executor, format_duration
from workbench.runs.lines import ExperimentLines, draw_experiment_lines
from workbench.runs.runner import block_arguments, compile_games, game_preparation, solution_files
from workbench.runs.training import TrainingOutlook
from workbench.runs.worker import Call, PlayBlock, call_timed
from workbench.statistics.analysis_plan import (
    POWER,
    AnalysisPlan,
    PowerAnalysis,
    games_for_equivalence,
    games_for_gain,
    games_for_precision,
    power_analysis,
)
from workbench.statistics.strong_play import planned_half_widths

if TYPE_CHECKING:
    from rich.console import Console

PRECISIONS = (0.05, 0.03, 0.02, 0.01)
GAINS = (0.1, 0.05, 0.03, 0.02)
"""Default targets, as shares: 0.05 is five points."""
FEW_GAMES = 30
"""Rates from fewer pilot games are guesses."""
CHUNKS_PER_BLOCK = 8
"""Parts of a block in the pilot, so that slow agents are timed in more than one ruleset."""


@dataclass(frozen=True)
class PairingPilot:
    """Rates of a pairing in the pilot, averaged over all rulesets."""

    first: str
    second: str
    games: int
    seconds: float
    """Per game, on one core."""
    draw_rate: float
    capped_rate: float
    plies: float
    """The mean length, up to the cap."""
    alike: float = 0.0
    """The correlation of the scores of two games with the same opening line; 0 if no line is repeated."""
    lines: int = 0
    """The number of the experiment's lines if any is repeated, else 0."""

    @property
    def title(self) -> str:
        """The players, for messages."""
        return self.first if self.first == self.second else f"{self.first} – {self.second}"

    @property
    def variance(self) -> float:
        """An upper bound for the score variance of finished games, attained by a mean of ½."""
        finished = 1 - self.capped_rate
        return 0.25 * (1 - (self.draw_rate / finished if finished > 0 else 0.0))

    def question_variance(self, question: str) -> float | None:
        """Return the variance of a question's measure between games, or None if the pilot does not measure it."""
        shares = {"draw_rate": self.draw_rate, "capped_rate": self.capped_rate,
                  "decisive": 1 - self.draw_rate - self.capped_rate}  # fmt: skip
        if question not in shares:
            return self.variance if question == FIRST_SCORE else None
        # Such games may exist even if the pilot has none.
        share = min(max(shares[question], 0.02), 0.98)
        return share * (1 - share)


@dataclass(frozen=True)
class Target:
    """A precision or power target, and its cost."""

    kind: str
    """``precision`` (half-width of each score's interval), ``gain`` (a gain in fairness found with 80 % power over all
    proposals), ``difference`` (the same, in the question's share), ``equality`` (equivalence within this margin shown
    with 80 % power over all proposals) or ``file`` (the file's number of games)."""
    size: float
    games: tuple[int | None, ...]
    """Games per cell for each pairing; None if too many capped games or too few lines put it out of reach."""
    all_games: int | None
    """The value of ``games:`` that serves every pairing, if there is one."""
    total: int | None
    """Games of all cells with ``all_games``."""
    seconds: float | None
    """Their time with all workers."""


@dataclass(frozen=True)
class CostPlan:
    """A pilot, and the cost of each target at its rates."""

    paces: tuple[PairingPilot, ...]
    wishes: tuple[Target, ...]
    workers: int
    cells: int
    comparisons: int
    """Proposals times pairings: the number of verdicts in the multiplicity correction."""
    reach: PowerAnalysis | None
    """The power of the unchanged experiment; None if it compares nothing."""
    training: TrainingOutlook | None = None
    """The training runs before the first game, if any."""
    warnings: tuple[str, ...] = ()
    """Warnings about settings without effect."""

    def as_json(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        return asdict(self)

    def notes(self) -> list[str]:
        """Return the limits of these numbers and the power of the unchanged experiment, in sentences."""
        notes = [*self.warnings, *([str(self.training)] if self.training else [])]
        for index, pilot in enumerate(self.paces):
            fields: dict[str, Any] = {**asdict(pilot), "pace": pilot.title, "capped_rate": 100 * pilot.capped_rate}
            if pilot.games < FEW_GAMES:
                notes.append(
                    trn(
                        "{pace}: only {n:,} game in the pilot, so its percentages are only rough.",
                        "{pace}: only {n:,} games in the pilot, so its percentages are only rough.",
                        pilot.games, pace=pilot.title,
                    )
                )  # fmt: skip
            if pilot.lines and pilot.alike > 0:
                text = tr(
                    "{pace}: the scores of two games with the same line have a correlation of {alike:.2f}, and "
                    "the file has {lines:,} lines: more lines help more than more games per line."
                )
                notes.append(text.format(**fields))
            if pilot.capped_rate and any(target.games[index] is None for target in self.wishes):
                text = tr(
                    "{pace}: {capped_rate:.3g} % of its games were stopped at the cap, which hides smaller "
                    "differences. More plies (max_plies) may help; more games do not."
                )
                notes.append(text.format(**fields))
            elif pilot.capped_rate and self.reach:
                text = tr(
                    "{pace}: {capped_rate:.2g} % of its games were stopped at the cap. The numbers of games "
                    "above allow for this; those for the file as it is do not, so they are lower."
                )
                notes.append(text.format(**fields))
        if self.comparisons and not self.reach:
            notes.append(
                tr("A pilot cannot estimate the cost of detecting a difference for this question; a first run can.")
            )
        if self.comparisons > 1:
            text = tr("{comparisons} verdicts are corrected for multiple comparisons; {cells} cells.")
            notes.append(text.format(comparisons=self.comparisons, cells=self.cells))
        lines = self.reach.describe() if self.reach else []
        return notes + [tr("With the file as it is: {line}", line=line) for line in lines]


def plan_experiment(
    experiment: Experiment, seconds: float = 30.0, executor: Executor | None = None, precisions: Sequence[float] = (),
    gains: Sequence[float] = (), play: PlayBlock | None = None, clock: Callable[[], float] = time.perf_counter,
) -> CostPlan:  # fmt: skip
    """Play a pilot of about ``seconds`` on one core, and return the cost of each target; nothing is recorded.

    The pilot plays the first games of the experiment; each pairing gets an equal share of the time, spread over the
    rulesets. Estimated times are those of all workers of the ``executor``, without start-up.

    Source: `games_for_precision`, `games_for_gain`, `games_for_equivalence`.
    Limits: a smaller target never needs fewer games in any pairing. Every pairing plays at least part of a block,
    however slow it is. Rates from a pilot are rough.
    """
    executor = executor or Executor()
    workers, active_project = max(1, executor.size()), project.find_project()
    if executor.remote:
        remote = _RemotePlay(executor, experiment)
        play, clock = remote.play, remote.clock
    elif play is None:
        for ruleset in {ruleset.game: ruleset for ruleset in experiment.rulesets}.values():
            compile_games(ruleset, experiment.kinds, workers)
        play = trials.run_block
    outlook = training.training_outlook(experiment, active_project, workers)
    experiment = training.without_missing_trainings(experiment, active_project)
    pairings: dict[tuple[str, str], list[Cell]] = {}
    for cell in experiment.cells():
        pairings.setdefault((cell.first.label, cell.second.label), []).append(cell)
    pairing_seconds = seconds / len(pairings)
    lines = draw_experiment_lines(experiment)
    pilots = tuple(_run_pilot(experiment, cells, pairing_seconds, play, clock, lines) for cells in pairings.values())
    analysis_plan = AnalysisPlan(experiment)
    # The baseline may have more games than the others.
    rulesets = experiment.total_games / experiment.games / len(experiment.pairings)
    comparisons, power = analysis_plan.primary_comparisons, experiment_power(experiment)
    analyses = (experiment.looks or 1) if experiment.until else 1
    targets = [_target("file", 0.0, [experiment.games] * len(pilots), pilots, rulesets, workers)]
    for size in sorted(precisions, reverse=True) or (() if gains else PRECISIONS):
        # Capped games do not count towards the precision.
        needed = [
            round(games_for_precision(size, pace.variance) / (1 - pace.capped_rate)) if pace.capped_rate < 1 else None
            for pace in pilots
        ]
        counts = [_inflate_for_lines(games, pilot) for games, pilot in zip(needed, pilots, strict=True)]
        targets.append(_target("precision", size, counts, pilots, rulesets, workers))

    def target(kind: str, size: float, games_for: Callable[[float, tuple[float, float]], int]) -> Target:
        tested = {
            pilot: _inflate_for_lines(_games_despite_cap(size, pilot, experiment.question, games_for), pilot)
            for pilot in pilots
            if (pilot.first, pilot.second) not in analysis_plan.yardsticks
        }
        # Yardsticks are not tested, but their cells have as many games as the others.
        largest = None if None in tested.values() else max((n or 0 for n in tested.values()), default=0)
        return _target(kind, size, [tested.get(pilot, largest) for pilot in pilots], pilots, rulesets, workers)

    has_variance = power and all(pilot.question_variance(experiment.question) for pilot in pilots)
    kind = "gain" if experiment.question == FIRST_SCORE else "difference"
    for size in (sorted(gains, reverse=True) or (() if precisions else GAINS)) if has_variance else ():
        targets.append(target(kind, size, lambda visible, v: games_for_gain(visible, comparisons, analyses, v)))
    if power and has_variance and not precisions and not gains:
        equality = functools.partial(target, "equality", power.margin)
        targets.append(equality(lambda visible, v: games_for_equivalence(visible, comparisons, analyses, v, POWER)))
    return CostPlan(pilots, tuple(targets), workers, len(experiment.cells()), comparisons, power, outlook,
                    tuple(swap_warnings(experiment)))  # fmt: skip


class _RemotePlay:
    """Plays blocks one at a time on a worker of a cluster, and measures the seconds spent there."""

    def __init__(self, executor: Executor, experiment: Experiment) -> None:
        self.executor, self.seconds = executor, 0.0
        self.preparations = {rules.game: game_preparation(rules, experiment.kinds) for rules in experiment.rulesets}

    def clock(self) -> float:
        return self.seconds

    def play(self, block: BlockArguments) -> Mapping[str, Any]:
        code, files = self.preparations[block.game], solution_files(block)
        call = Call(call_timed, (trials.run_block, block), block.game, (block.game,), (code,), files)
        [(_, (seconds, arrays))] = self.executor.as_completed([call], lambda call: call)
        self.seconds += seconds
        played: Mapping[str, Any] = arrays
        return played


def experiment_power(experiment: Experiment, earlier_games: Sequence[int] = ()) -> PowerAnalysis | None:
    """Return the power for a question about a score or share, or None; see `AnalysisPlan` for ``earlier_games``."""
    analysis_plan = AnalysisPlan(experiment, earlier_games=tuple(earlier_games))
    if not analysis_plan.primary_comparisons or not analysis_plan.question_measure.is_share:
        return None
    return power_analysis(
        analysis_plan.games, analysis_plan.primary_comparisons, analysis_plan.share_margin,
        analysis_plan.verdict_analyses, analysis_plan.stage_number, question=experiment.question,
    )  # fmt: skip


def swap_warnings(experiment: Experiment) -> list[str]:
    """Return a warning if opening lines rule out a swap of sides, which is only offered after a player's ply."""
    openings = experiment.openings
    if openings is None:
        return []
    plies = openings.plies if isinstance(openings, DrawnLines) else min(len(line.split()) for line in openings.lines)
    names = [ruleset.name for ruleset in experiment.rulesets if 0 < ruleset.swap_ply <= plies]
    if not names:
        return []
    text = tr(
        "Sides will not be swapped under {rulesets}: the openings reach the ply after which a swap is "
        "possible, and it is offered only after a ply that a player chose."
    )
    return [text.format(rulesets=join_list(names))]


def describe_power(experiment: Experiment, before: Mapping[str, Any] | None = None) -> list[str]:
    """Describe the power of the experiment in sentences; ``before`` is the provenance of the folder to continue."""
    lines = swap_warnings(experiment)
    earlier_games = runner.earlier_games(before, experiment)
    power = experiment_power(experiment, earlier_games)
    if not power:
        return lines
    if half_widths := planned_half_widths(AnalysisPlan(experiment)):
        text = tr(
            "All strong players together measure each proposal's change in the first player's score to about ±{points} "
            "points (95 % intervals for all proposals at once), if players differ as much as in Chatra and chess."
        )
        lines.append(text.format(points=f"{100 * half_widths.proposals:.1f}"))
        if half_widths.effects is not None:
            text = tr("The effect of each rule change over all combinations: ±{points} points.")
            lines.append(text.format(points=f"{100 * half_widths.effects:.1f}"))
    else:
        lines += power.describe()
    if earlier_games:
        text = tr(
            "There were already verdicts on these games, at {games:,} per cell: later verdicts get a smaller "
            "share of the error rate, whose total stays the same."
        )
        lines.append(text.format(games=earlier_games[-1]))
    if isinstance(experiment.openings, DrawnLines) and experiment.line_count < experiment.games:
        text = tr(
            "This assumes a separate line for each game: with {games:,} games from {line_count:,} lines per "
            "cell, the power is lower if lines differ a lot (workbench plan estimates by how much)."
        )
        lines.append(text.format(games=experiment.games, line_count=experiment.line_count))
    return lines


def _run_pilot(
    experiment: Experiment, cells: Sequence[Cell], seconds: float, play: PlayBlock, clock: Callable[[], float],
    lines: ExperimentLines,
) -> PairingPilot:  # fmt: skip
    """Play parts of blocks, one ruleset after another, until the time is up, and return the pairing's rates."""
    counts: Counter[str] = Counter()
    are_drawn = isinstance(experiment.openings, DrawnLines)
    period = experiment.line_count if are_drawn and experiment.line_count < experiment.games else 0
    scores: dict[str, list[Any]] = {cell.digest: [] for cell in cells}
    size = max(1, experiment.block_size(cells[0]) // CHUNKS_PER_BLOCK)
    start_time = clock()
    start = 0
    while start < experiment.games and (start == 0 or clock() - start_time < seconds):
        for cell in cells:
            stop = min(start + size, experiment.games)
            blocks = [Block(cell, start, stop)]
            if period and start < period:
                # Later games of the experiment with the same lines.
                blocks.append(Block(cell, start + period, min(min(stop, period) + period, experiment.games)))
            results = []
            run_block = block_runner(cell.first, cell.second, cell.ruleset, play)
            for block in blocks:
                arrays = run_block(block_arguments(experiment, block, lines))
                result = arrays["result"]
                results.append(result)
                counts.update(
                    games=len(result), draws=int((result == 3).sum()), capped=int((result == 0).sum()),
                    plies=int(arrays["plies"].sum()),
                )  # fmt: skip
            if len(results) == 2:
                scores[cell.digest].append([result[: len(results[1])] for result in results])
            if clock() - start_time >= seconds:
                break
        start += size
    elapsed, n = clock() - start_time, counts["games"]
    rates = (counts["draws"] / n, counts["capped"] / n, counts["plies"] / n)
    pairing = (cells[0].first.label, cells[0].second.label)
    return PairingPilot(*pairing, n, elapsed / n, *rates, _line_correlation(list(scores.values())), period)


def _line_correlation(scores: Sequence[Sequence[Any]]) -> float:
    """Return the intraclass correlation, at least 0, of the scores of two games per line within cells.

    ``scores`` contains pairs of arrays for each cell: the result codes of two games for some lines.

    Source: R. A. Fisher, "Statistical Methods for Research Workers", 1925, section 38, for pairs.
    Limits: as rough as the pilot; lines with a capped game are omitted.
    """
    points = np.array([np.nan, 1.0, 0.0, 0.5])
    covariance = variance = 0.0
    for pairs in scores:
        if not pairs:
            continue
        first, second = (points[np.concatenate([pair[side] for pair in pairs])] for side in (0, 1))
        has_scores = ~np.isnan(first) & ~np.isnan(second)
        if has_scores.sum() > 1:
            first, second = first[has_scores], second[has_scores]
            mean = (first.mean() + second.mean()) / 2
            covariance += float(((first - mean) * (second - mean)).sum())
            variance += float(((first - mean) ** 2 + (second - mean) ** 2).sum()) / 2
    return min(max(covariance / variance, 0.0), 1.0) if variance > 0 else 0.0


def _inflate_for_lines(games: int | None, pilot: PairingPilot) -> int | None:
    """Multiply independent games by the design effect of repeated lines; None if no number suffices.

    With n games of L lines and the correlation r, a mean has the variance of n / (1 - r + r n / L) independent games.

    Source: L. Kish, "Survey Sampling", 1965, section 5.4. It overestimates for a difference of two rulesets, where
    common effects of a line cancel.
    """
    if games is None or not pilot.lines or games <= pilot.lines:
        return games
    remaining = 1 - games * pilot.alike / pilot.lines
    return math.ceil(games * (1 - pilot.alike) / remaining) if remaining > 0 else None


def _games_despite_cap(
    size: float, pilot: PairingPilot, question: str, games_for: Callable[[float, tuple[float, float]], int]
) -> int | None:
    """Return the number of games that show a difference despite capped games, or None if those conceal too much."""
    visible_size = size if question == "capped_rate" else size - pilot.capped_rate
    variance = pilot.question_variance(question)
    return games_for(visible_size, (variance, variance)) if variance and visible_size > size / 4 else None


def _target(
    kind: str, size: float, games: Sequence[int | None], pilots: Sequence[PairingPilot], rulesets: float, workers: int
) -> Target:
    """Return a target for which all cells have as many games as the most demanding pairing needs."""
    counts = [n for n in games if n is not None]
    largest = max(counts) if len(counts) == len(games) else None
    if largest is None:
        return Target(kind, size, tuple(games), None, None, None)
    seconds = sum(largest * rulesets * pilot.seconds for pilot in pilots)
    return Target(kind, size, tuple(games), largest, round(largest * rulesets * len(pilots)), seconds / workers)


def print_plan(plan: CostPlan, title: str, console: Console) -> None:
    """Print a plan, with its pilot and notes."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console.print(Text(translated(title), style="bold"))

    def table(left: int, *headings: str) -> Table:
        """Return an empty table with ``left`` left-justified columns."""
        new_table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for index, heading in enumerate(headings):
            new_table.add_column(translated(heading), justify="left" if index < left else "right", overflow="fold")
        return new_table

    pilot_table = table(
        1, tr("players"), tr("pilot games"), tr("games/s per core"), tr("draws"), tr("stopped at the cap"),
        tr("plies per game"),
    )  # fmt: skip
    for pilot in plan.paces:
        doubt = "?" if pilot.games < FEW_GAMES else ""
        pilot_table.add_row(
            Text(pilot.title), f"{pilot.games:,}", f"{1 / pilot.seconds:,.3g}", f"{100 * pilot.draw_rate:.1f} %{doubt}",
            f"{100 * pilot.capped_rate:.1f} %{doubt}", f"{pilot.plies:.0f}",
        )  # fmt: skip
    console.print(pilot_table)
    time_heading = tr("time, {workers} workers", workers=plan.workers)
    target_table = table(2, tr("what you get"), tr("players"), tr("games per cell"), tr("games in all"), time_heading)
    descriptions = {
        "file": tr("as in the file"),
        "precision": tr("each score to ±{points:.3g} points"),
        "gain": tr("a gain in fairness of {points:.3g} points is detected (80 %)"),
        "difference": tr("a difference of {points:.3g} points in the question's measure is detected (80 %)"),
        "equality": tr("equivalence to within ±{points:.3g} points is shown (80 %)"),
    }
    for target in plan.wishes:
        description = descriptions[target.kind].format(points=100 * target.size)
        costs: tuple[str, ...] = (tr("no number suffices"), "", "")
        if target.all_games is not None and target.total is not None and target.seconds is not None:
            costs = (f"{target.all_games:,}", f"{target.total:,}", format_duration(target.seconds))
        target_table.add_row(description, tr("all") if len(plan.paces) > 1 else "", *costs)
        if len(set(target.games)) > 1:
            for pilot, n in zip(plan.paces, target.games, strict=True):
                games = f"{n:,}" if n is not None else tr("no number suffices")
                target_table.add_row("", Text(pilot.title), games, "", "")
    console.print(target_table)
    for note in plan.notes():
        console.print(Text(translated(note), style="dim"))
    if any(pilot.games < FEW_GAMES for pilot in plan.paces):
        hint = tr("Percentages with a question mark are only rough. For better ones use --seconds.")
        console.print(Text(translated(hint), style="dim"))
