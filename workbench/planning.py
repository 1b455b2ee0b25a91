"""What an experiment would cost: a short pilot, and the games and the time that a wanted certainty takes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from workbench import provenance
from workbench.experiment import Block, Cell, Experiment
from workbench.questions import FIRST_SCORE
from workbench.runner import arguments, duration
from workbench.statistics.sequential import games_for_gain, games_for_precision
from workbench.statistics.setup import Setup

if TYPE_CHECKING:
    from rich.console import Console

PRECISIONS = (0.05, 0.03, 0.02, 0.01)
GAINS = (0.1, 0.05, 0.03, 0.02)
"""What is planned for if nobody says; shares: 0.05 is five points."""
CHUNKS = 8
"""Parts into which a block is cut for the pilot, so that slow agents, too, are timed in more than one ruleset."""

Play = Callable[..., Mapping[str, Any]]


@dataclass(frozen=True)
class Pace:
    """What the pilot saw of a pairing, over all rulesets."""

    first: str
    second: str
    games: int
    seconds: float
    """A game, on one core."""
    draw_rate: float
    capped_rate: float
    plies: float
    """The mean length, up to the cap."""

    @property
    def variance(self) -> float:
        """Of one finished game's score, at most: that of a score of one half with as many draws."""
        finished = 1 - self.capped_rate
        return 0.25 * (1 - (self.draw_rate / finished if finished > 0 else 0.0))

    def variance_of(self, question: str) -> float | None:
        """Of one game's number in what an experiment asks about; None if the pilot cannot say it."""
        shares = {"draw_rate": self.draw_rate, "capped_rate": self.capped_rate,
                  "decisive": 1 - self.draw_rate - self.capped_rate}  # fmt: skip
        if question not in shares:
            return self.variance if question == FIRST_SCORE else None
        # A share of which the pilot saw next to nothing is not taken to be none.
        share = min(max(shares[question], 0.02), 0.98)
        return share * (1 - share)


@dataclass(frozen=True)
class Wish:
    """A certainty, and what it costs."""

    kind: str
    """``precision`` (the interval of each score reaches so far), ``gain`` (a gain in fairness of this size is found
    with a chance of 80 %, over all proposals together), ``difference`` (the same, of the share that is asked about) or
    ``file`` (the number of games that the file says)."""
    size: float
    games: tuple[int | None, ...]
    """Games per cell, for each pairing; None: no number will do, since too many games are stopped at the cap."""
    total: int
    """Games in all cells."""
    seconds: float
    """With all workers."""


@dataclass(frozen=True)
class Plan:
    """A pilot and its consequences."""

    paces: tuple[Pace, ...]
    wishes: tuple[Wish, ...]
    workers: int
    cells: int
    comparisons: int
    """Proposals times pairings: the verdicts that are corrected for one another."""

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def plan(
    experiment: Experiment,
    seconds: float = 30.0,
    workers: int | None = None,
    precisions: Sequence[float] = (),
    gains: Sequence[float] = (),
    play: Play | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Plan:
    """Plays a pilot for about so many seconds on one core and says what a wanted certainty costs; keeps no records.

    Each pairing gets an equal share of the time, spread over the rulesets. The games are the first ones of the
    experiment itself. Time is what the pilot took, times games, through workers: starting up is not in it.

    Source: `games_for_precision`, `games_for_gain`.
    Limits: rates from a pilot are rough; times of rulesets with longer games are as good as the pilot saw them.
    """
    if play is None:
        from workbench.engine import trials

        for ruleset in {ruleset.game: ruleset for ruleset in experiment.rulesets}.values():
            trials.warm_up(ruleset.game, tuple(ruleset.codes().values()))
        play = trials.run_block
    workers = workers or os.cpu_count() or 1
    of_pairing: dict[tuple[str, str], list[Cell]] = {}
    for cell in experiment.cells():
        of_pairing.setdefault((cell.first.label, cell.second.label), []).append(cell)
    share = seconds / len(of_pairing)
    paces = tuple(_pilot(experiment, cells, share, play, clock) for cells in of_pairing.values())
    setup = Setup.of(provenance.of(experiment, experiment.cells(), workers, ""))
    rulesets, comparisons = len(experiment.rulesets), setup.family
    looks = (experiment.looks or 1) if experiment.until else 1
    wishes = [_wish("file", 0.0, [experiment.games] * len(paces), paces, rulesets, workers)]
    for size in precisions or (() if gains else PRECISIONS):
        needed = [_finished(games_for_precision(size, pace.variance), pace) for pace in paces]
        wishes.append(_wish("precision", size, needed, paces, rulesets, workers))
    kind = "gain" if setup.question == FIRST_SCORE else "difference"
    told = all(pace.variance_of(setup.question) for pace in paces)
    for size in (gains or (() if precisions else GAINS)) if comparisons and told else ():
        tested = [pace for pace in paces if (pace.first, pace.second) not in setup.yardsticks]
        found = {pace: _for_gain(size, comparisons, looks, pace, setup.question) for pace in tested}
        # All cells of an experiment have the same number of games: the pairing that needs most decides.
        most = max((n for n in found.values() if n), default=None)
        needed_for = [most if found.get(pace, most) else None for pace in paces]
        wishes.append(_wish(kind, size, needed_for, paces, rulesets, workers))
    return Plan(paces, tuple(wishes), workers, len(experiment.cells()), comparisons)


def _pilot(
    experiment: Experiment, cells: Sequence[Cell], seconds: float, play: Play, clock: Callable[[], float]
) -> Pace:
    """Plays parts of blocks, one ruleset after the other, until the time is up."""
    counts = dict.fromkeys(("games", "draws", "capped", "plies"), 0)
    size = max(1, experiment.block_size(cells[0]) // CHUNKS)
    begin = clock()
    start = 0
    while start < experiment.games and (start == 0 or clock() - begin < seconds):
        for cell in cells:
            arrays = play(*arguments(experiment, Block(cell, start, min(start + size, experiment.games))))
            counts["games"] += len(arrays["result"])
            counts["draws"] += int((arrays["result"] == 3).sum())
            counts["capped"] += int((arrays["result"] == 0).sum())
            counts["plies"] += int(arrays["plies"].sum())
            if clock() - begin >= seconds:
                break
        start += size
    spent, n = clock() - begin, counts["games"]
    rates = (counts["draws"] / n, counts["capped"] / n, counts["plies"] / n)
    return Pace(cells[0].first.label, cells[0].second.label, n, spent / n, *rates)


def _for_gain(size: float, comparisons: int, looks: int, pace: Pace, question: str) -> int | None:
    """The games that show a difference of that size, whatever the games that are stopped would have been."""
    left = size if question == "capped_rate" else size - pace.capped_rate
    variance = pace.variance_of(question)
    return games_for_gain(left, comparisons, looks, (variance, variance)) if variance and left > size / 4 else None


def _finished(needed: int, pace: Pace) -> int:
    """As many games that, stopped ones aside, the needed number is left."""
    return round(needed / max(1 - pace.capped_rate, 0.01))


def _wish(
    kind: str, size: float, needed: Sequence[int | None], paces: Sequence[Pace], rulesets: int, workers: int
) -> Wish:
    total = sum((n or 0) * rulesets for n in needed)
    spent = sum((n or 0) * rulesets * pace.seconds for n, pace in zip(needed, paces, strict=True))
    return Wish(kind, size, tuple(needed), total, spent / workers)


def show(made: Plan, title: str, console: Console) -> None:
    """Prints a plan."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console.print(Text(title, style="bold"))
    paces = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in ("agents", "pilot games", "games/s a core", "draws", "stopped at the cap", "plies"):
        paces.add_column(header, justify="left" if header == "agents" else "right")
    for pace in made.paces:
        name = pace.first if pace.first == pace.second else f"{pace.first} v {pace.second}"
        paces.add_row(
            Text(name), f"{pace.games:,}", f"{1 / pace.seconds:,.3g}", f"{100 * pace.draw_rate:.1f} %",
            f"{100 * pace.capped_rate:.1f} %", f"{pace.plies:.0f}",
        )  # fmt: skip
    console.print(paces)
    wishes = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for header in ("what you get", "games per cell", "games in all", f"time, {made.workers} workers"):
        wishes.add_column(header, justify="left" if header == "what you get" else "right")
    words = {
        "file": "what the file asks for",
        "precision": "each score to ±{:.3g} points",
        "gain": "a gain in fairness of {:.3g} points is found (80 %)",
        "difference": "a difference of {:.3g} points in what is asked is found (80 %)",
    }
    for wish in made.wishes:
        what = words[wish.kind].format(100 * wish.size)
        possible = sorted({n for n in wish.games if n})
        games = " to ".join(f"{n:,}" for n in dict.fromkeys(possible[:1] + possible[-1:])) or "no number will do"
        wishes.add_row(what, games, f"{wish.total:,}", duration(wish.seconds))
    console.print(wishes)
    never = {pace.first for wish in made.wishes for pace, n in zip(made.paces, wish.games, strict=True) if n is None}
    if never:
        note = f"Without {', '.join(sorted(never))} where too many games are stopped at the cap to show a gain at all."
        console.print(Text(note, style="dim"))
    if made.comparisons and not {"gain", "difference"} & {wish.kind for wish in made.wishes}:
        note = "A pilot does not say what a difference in this question costs; a report on a first run does."
        console.print(Text(note, style="dim"))
    if made.comparisons > 1:
        words_of = f"{made.comparisons} verdicts are corrected for one another; {made.cells} cells."
        console.print(Text(words_of, style="dim"))
