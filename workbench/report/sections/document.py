"""All that a report says: its sections in their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

import workbench
from workbench import statistics
from workbench.base import project
from workbench.base.addons import addons
from workbench.base.language import tr, trn, untranslated
from workbench.experiments.experiment_files import published_from_provenance
from workbench.records.trials import Trials
from workbench.report.model import Document, Paragraph, ReplayList, RuleChanges
from workbench.report.names import Names
from workbench.report.sections import rules, scores
from workbench.report.sections.answer import answer_section
from workbench.report.sections.choices import prices_section, styles_section, unit_worth_section
from workbench.report.sections.elsewhere import best_play_section, published_section
from workbench.report.sections.first_screen import first_screen
from workbench.report.sections.games import games_section, with_moments
from workbench.report.sections.openings import lines_section, openings_section, swaps_section
from workbench.report.sections.portraits import Depths, events_section, portraits_section
from workbench.report.sections.run import added_measures_section, metrics_section, run_section
from workbench.report.sections.strong import Standings, strength_section, strong_play_section

QUICK_LOOK = tr(
    "A quick look: the experiment itself asks for {count} games of each ruleset and players. "
    "It has a folder of its own, and other verdicts may come out there."
)


def build_document(
    trials: Trials,
    provenance: Mapping[str, Any],
    analysis: statistics.Analysis,
    exact: pd.DataFrame,
    planned: int,
    standings: Standings | None = None,
    best_play: pd.DataFrame | None = None,
    published_table: pd.DataFrame | None = None,
    depths: Depths | None = None,
) -> Document:
    """The report on an experiment; plays the games to look at again.

    ``exact`` has what is known exactly of some cells: ``exact``, the true score, and ``plies_exact``; ``standings`` are
    where the players stand on ladders that were kept; ``best_play`` is what `best_play_table` tells, ``beside``
    what `published_differences` does; ``depths`` are those of the ladders that were kept.
    """
    names = Names(analysis.plan)
    partial = (len(trials), planned) if len(trials) < planned else None
    free_choice = styles_section(analysis, names)
    changed = None
    if names.plan.player_choices:
        # Armies that meet are no proposals: who beats whom is the answer, and the rest is there for those who ask.
        middle = [free_choice, scores.all_cells_section(analysis, names, exact)]
    else:
        changed = rules.rule_changes_section(provenance, names)
        middle = [
            scores.differences_section(analysis, names),
            scores.scorecard_section(analysis, names),
            scores.scores_section(analysis, names, exact),
            swaps_section(analysis, names),
            best_play_section(pd.DataFrame() if best_play is None else best_play, analysis, names),
            published_section(
                pd.DataFrame() if published_table is None else published_table,
                published_from_provenance(provenance["experiment"].get("published")),
                names,
            ),
            scores.lengths_section(analysis, names, exact),
            lines_section(analysis, names, provenance.get("openings") or {}) or openings_section(analysis, names),
            portraits_section(analysis, names, depths or {}),
            free_choice,
            rules.effects_section(analysis, names),
        ]
    shown_games = games_section(trials, provenance, names)
    first = answer_section(analysis, names, partial)
    details = None
    replays = next((part for part in shown_games.parts if isinstance(part, ReplayList)), None)
    changes = next((part.changes for part in changed.parts if isinstance(part, RuleChanges)), ()) if changed else ()
    cards = [] if partial else first_screen(analysis, names, changes, replays, provenance)
    shown_games = with_moments(shown_games, cards)
    if cards:
        warnings = [part for part in first.parts[:1] if isinstance(part, Paragraph) and part.kind == "warning"]
        details = replace(first, id="verdicts", title=tr("The verdicts"), parts=first.parts[len(warnings) :])
        first = replace(first, parts=[*warnings, *cards])
    if count := provenance["experiment"].get("quick_look"):
        warning = Paragraph(QUICK_LOOK.format(count=f"{int(count):,}"), "warning")
        first = replace(first, parts=[warning, *first.parts])
    added = addons().report_section(trials=trials, provenance=provenance, analysis=analysis, names=names)
    effects = rules.rule_effects_section(analysis, names)
    main = [first, *added, *([effects] if effects else [])]
    strong = strong_play_section(analysis, names, standings or {})
    appendix = [
        details,
        strong and replace(strong, parts=[*strong.parts, *rules.further_rule_tables(analysis, names)]),
        *middle,
        added_measures_section(analysis, names),
        events_section(analysis, names),
        changed,
        prices_section(names, project.find_project()),
        rules.sensitivity_section(analysis, names),
        strength_section(standings or {}, analysis, names),
        unit_worth_section(provenance, names),
        run_section(provenance, names),
        shown_games,
        metrics_section(),
    ]
    experiment = names.plan.experiment
    title = experiment.heading or untranslated(experiment.name)
    counts = {
        "rulesets": trn("{n} ruleset", "{n} rulesets", len(names.rulesets)),
        "pairings": trn("{n} pair of players", "{n} pairs of players", len(names.plan.pairings)),
        "games": trn("{n:,} game", "{n:,} games", len(trials)),
    }
    colophon = tr("Made by the rule workbench {version}.", version=workbench.__version__)
    sections = [*main, *(section for section in appendix if section is not None)]
    return Document(title, tr("{rulesets}, {pairings}, {games}.", **counts), colophon, sections, len(main))
