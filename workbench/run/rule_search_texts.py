"""What a search tells before and while it plays: its space, its budget, and how far it is."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from scipy import stats

from workbench.language import tr, translated
from workbench.questions.rule_search import Candidates, RuleSearch
from workbench.run.rule_search import CONFIRMATION, Report, Search
from workbench.statistics.rule_search import RACING, ROUNDS, SAMPLE, SIEVE

if TYPE_CHECKING:
    from rich.console import Console


def describe_space(search: RuleSearch, candidates: Candidates) -> list[str]:
    """How many rulesets there are, and what is refused and why, in sentences."""
    said = [
        tr(
            "{combinations:,} combinations: {count:,} rulesets that differ.",
            combinations=candidates.combinations,
            count=len(candidates),
        )
    ]
    if not candidates.complete:
        said.append(tr("That is too many: a random part of them is looked at, and all that is near the base."))
    for group in candidates.refused:
        which = tr("{count:,} combinations ({shared})", count=group.count, shared=group.shared)
        said.append(tr("Refused: {which}: {reason}", which=which, reason=group.reason))
    if candidates.unwanted:
        said.append(tr("Not wanted: {count:,} combinations.", count=candidates.unwanted))
    if candidates.repeated:
        said.append(tr("The same rules as another: {count:,} combinations.", count=candidates.repeated))
    if candidates.base is None:
        said.append(tr("The base itself is not in the space; it is a finalist all the same."))
    return said


def describe_budget(begun: Search) -> list[str]:
    """How many games there will be, and which differences they can tell, in sentences."""
    budget, search = begun.budget, begun.search
    players = len(search.players_of_confirmation())
    each = begun.confirm_games / (search.finalists + 1)
    # The half-width of a simultaneous interval of a score, with a third of the games drawn.
    reach = float(stats.norm.ppf((1 + 0.95 ** (1 / search.finalists)) / 2)) * math.sqrt(0.17 / each)
    said = [
        tr(
            "{models:,} rulesets are searched by {games:,} games of {players} players; {fresh:,} fresh games confirm.",
            models=len(begun.places),
            games=budget.strong,
            players=len(search.players_of_rounds()),
            fresh=begun.confirm_games,
        ),
        tr(
            "Scores of finalists will be known to about ±{points:.1f} points, besides what the {players} players "
            "differ by.",
            points=100 * reach,
            players=players,
        ),
    ]
    if reach > search.indifferent:
        said.append(
            tr(
                "That is more than the {points:g} points that do not matter: for these it takes about {games:,} games.",
                points=100 * search.indifferent,
                games=int(round((budget.strong + begun.confirm_games) * (reach / search.indifferent) ** 2, -2)),
            )
        )
    if names := begun.idle_factors():
        said.append(
            tr("None of {games:,} random games depends on: {names}.", games=begun.idle.games, names=", ".join(names))
        )
    return said


STAGES: Mapping[str, str] = {
    SIEVE: tr("what cannot be played"),
    SAMPLE: tr("first sample"),
    ROUNDS: tr("what may be the best"),
    RACING: tr("race of the most promising"),
    CONFIRMATION: tr("confirmation"),
}


@contextlib.contextmanager
def progress_display(console: Console | None) -> Iterator[Report]:
    """A bar in a terminal, with the stage and the time left."""
    if console is None or not console.is_terminal:
        yield lambda status: None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    text = translated(tr("{task.completed:,.0f} of {task.total:,.0f} games"))
    columns = (BarColumn(), TextColumn(text), TimeRemainingColumn(), TextColumn("{task.fields[stage]}"))
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=1, stage="")
        yield lambda status: bar.update(
            task, completed=status.games, total=status.total, stage=translated(STAGES[status.stage])
        )
