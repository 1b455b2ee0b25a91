"""All sections of a report, in their order, from the records and their analysis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

import workbench
from workbench import statistics
from workbench.files import project
from workbench.language import given, tr
from workbench.questions.published import published_from_provenance
from workbench.report.model import Document, Paragraph
from workbench.report.names import Names
from workbench.report.sections.added import added
from workbench.report.sections.answer import answer
from workbench.report.sections.changes import rule_changes
from workbench.report.sections.effects import effects
from workbench.report.sections.events import events
from workbench.report.sections.games import games_to_look_at
from workbench.report.sections.known import known
from workbench.report.sections.lengths import lengths
from workbench.report.sections.lines import lines
from workbench.report.sections.metrics import metrics
from workbench.report.sections.openings import openings
from workbench.report.sections.portraits import Depths, portraits
from workbench.report.sections.prices import prices
from workbench.report.sections.published import published
from workbench.report.sections.run import how_it_was_run
from workbench.report.sections.scorecard import scorecard
from workbench.report.sections.scores import all_cells, differences, scores
from workbench.report.sections.sensitivity import sensitivity
from workbench.report.sections.strength import strength
from workbench.report.sections.strong import strong_play
from workbench.report.sections.styles import styles
from workbench.report.sections.worth import unit_worth
from workbench.report.standings import Standings
from workbench.store.trials import Trials

QUICK_LOOK = tr(
    "A quick look: the experiment itself asks for {count} games of each ruleset and players. "
    "It has a folder of its own, and other verdicts may come out there."
)


def build(
    trials: Trials,
    provenance: Mapping[str, Any],
    analysis: statistics.Analysis,
    exact: pd.DataFrame,
    planned: int,
    standings: Standings | None = None,
    best_play: pd.DataFrame | None = None,
    beside: pd.DataFrame | None = None,
    depths: Depths | None = None,
) -> Document:
    """The report on an experiment; plays the games to look at again.

    ``exact`` has what is known exactly of some cells: ``exact``, the true score, and ``plies_exact``; ``standings`` are
    where the players stand on ladders that were kept; ``best_play`` is what `report.known_values` tells, ``beside``
    what `statistics.published_differences` does; ``depths`` are those of the ladders that were kept.
    """
    names = Names(analysis.plan)
    partial = (len(trials), planned) if len(trials) < planned else None
    free_choice = styles(analysis, names)
    changed = None
    if names.plan.player_choices:
        # Armies that meet are no proposals: who beats whom is the answer, and the rest is there for those who ask.
        middle = [free_choice, all_cells(analysis, names, exact)]
    else:
        changed = rule_changes(provenance, names)
        middle = [
            differences(analysis, names),
            scorecard(analysis, names),
            scores(analysis, names, exact),
            known(pd.DataFrame() if best_play is None else best_play, analysis, names),
            published(
                pd.DataFrame() if beside is None else beside,
                published_from_provenance(provenance["experiment"].get("published")),
                names,
            ),
            lengths(analysis, names, exact),
            lines(analysis, names, provenance.get("openings") or {}) or openings(analysis, names),
            portraits(analysis, names, depths or {}),
            free_choice,
            effects(analysis, names),
        ]
    first = answer(analysis, names, partial)
    if count := provenance["experiment"].get("quick_look"):
        warning = Paragraph(QUICK_LOOK.format(count=f"{int(count):,}"), "warning")
        first = replace(first, parts=[warning, *first.parts])
    sections = [
        first,
        strong_play(analysis, names, standings or {}),
        *middle,
        added(analysis, names),
        events(analysis, names),
        changed,
        prices(names, project.find_project()),
        sensitivity(analysis, names),
        strength(standings or {}, names),
        unit_worth(provenance, names),
        how_it_was_run(provenance, names),
        games_to_look_at(trials, provenance, names),
        metrics(),
    ]
    experiment = provenance["experiment"]
    title = given(
        en=str(experiment.get("title") or experiment.get("name") or ""), ja=str(experiment.get("title_ja") or "")
    )
    about = tr("{rulesets} rulesets, {pairings} {pairs} of players, {games} games.").format(
        rulesets=len(names.rulesets),
        pairings=len(names.plan.pairings),
        pairs="pair" if len(names.plan.pairings) == 1 else "pairs",
        games=f"{len(trials):,}",
    )
    colophon = tr("Made by the rule workbench {version}.")
    return Document(
        title,
        about,
        colophon.format(version=workbench.__version__),
        [section for section in sections if section is not None],
    )
