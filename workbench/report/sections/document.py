"""All that a report says: its sections in their order, the last of them on how the experiment was run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

import workbench
from workbench import statistics
from workbench.base import project
from workbench.base.addons import addons
from workbench.base.language import COMMA, join, tr, trc, trn, untranslated
from workbench.experiments import measures
from workbench.experiments.experiment_files import published_from_provenance
from workbench.players.agent_kinds import PEOPLE
from workbench.records.provenance import describe_openings
from workbench.records.trials import Trials
from workbench.report import model as m
from workbench.report.labels import format_amount, format_difference
from workbench.report.names import UNITS, Names, Record, pairing_rows, unit_factor
from workbench.report.sections import rules, scores
from workbench.report.sections.answer import answer_section
from workbench.report.sections.elsewhere import best_play_section, published_section
from workbench.report.sections.first_screen import first_screen
from workbench.report.sections.games import Depths, events_section, games_section, portraits_section, with_moments
from workbench.report.sections.rules import prices_section, styles_section, unit_worth_section
from workbench.report.sections.scores import lines_section, openings_section, swaps_section
from workbench.report.sections.strong import Standings, strength_section, strong_play_section
from workbench.report.verdicts import VERDICTS
from workbench.statistics import Analysis

OUTSIDE = tr(
    "That holds for the workbench's own players. Of players from outside it holds where "
    "their author assures it, by reproducible: true."
)
READ = tr(
    "People’s games were read from their files, and every move was checked by the rules. People are grouped by the "
    "mean of both ratings."
)
MOST_SHOWN = 20
"""Rulesets in the table of the run that are shown without being asked for."""


def run_section(provenance: Mapping[str, Any], names: Names) -> m.Section:
    """Command, seed, players, machine and rules of the run."""
    experiment = provenance["experiment"]
    versions, engines = provenance.get("versions", {}), provenance.get("engines", {})
    agents: dict[str, str] = {}
    for pair in provenance["pairings"]:
        for seat in ("first", "second"):
            agents[str(pair[seat])] = _options_text(pair.get(f"{seat}_options", {}))
    for label, each in provenance.get("players", {}).items():
        if label in agents:
            agents[label] += f" ({each['name']})"
    continued = provenance.get("continued", [])
    # Not there if the file was lost once and made again.
    machine = (
        [provenance["cpu"], trn("{n} worker", "{n} workers", int(provenance["workers"]))]
        if {"cpu", "workers"} <= set(provenance)
        else []
    )
    pairings = [pair for pair in provenance["pairings"] if (pair.get("first_options") or {}).get("kind") != PEOPLE]
    of_people = provenance.get(PEOPLE) or {}
    facts = [
        (tr("command"), str(provenance.get("command", ""))),
        (tr("seed"), str(experiment.get("seed", "")) if pairings else ""),
        (tr("files of people’s games"), ", ".join(file for one in of_people.values() for file in one["files"])),
        (tr("games per cell, at most"), f"{experiment.get('games') or ''}"),
        (tr("stopped after plies"), f"{experiment.get('max_plies') or ''}"),
        (tr("openings"), describe_openings(experiment.get("openings")) if experiment.get("openings") else ""),
        (tr("capped games"), _adjudication_sentence(experiment.get("capped"))),
        *((untranslated(label), options) for label, options in agents.items()),
        *_learned_facts(provenance.get("learned") or {}),
        (tr("begun"), str(provenance.get("started", ""))),
        *((tr("continued"), f"{one['started']}: {one['command']}") for one in continued),
        (tr("machine"), join(COMMA, machine)),
        (tr("versions"), ", ".join(f"{name} {version}" for name, version in versions.items())),
        (tr("digest of the kernels"), ", ".join(map(" ".join, engines.items()))),
    ]
    ends = {name: experiment[name] for name in ("until", "precision", "looks") if experiment.get(name)}
    if "until" in ends or "precision" in ends:
        facts.insert(3, (tr("may end early"), _ends_text(ends)))
    if experiment.get("targets"):
        goals = json.dumps(experiment["targets"], ensure_ascii=False)
        facts.insert(4, (tr("targets"), goals))
    columns = (
        m.Column.plain(tr("ruleset"), lambda variant: names.ruleset_cell(variant.name, titled=True)),
        m.Column.text(tr("full name"), lambda variant: untranslated(variant.name)),
        m.Column.text(tr("fingerprint"), lambda variant: untranslated(variant.fingerprint)),
    )
    caption = tr("The rules that were played: equal fingerprints are equal rules. All settings are in provenance.json.")
    outside = any(pair.get("reproducible") is False for pair in pairings)
    seeds = tr(
        "Every game has its own seed, made from the seed of the experiment, the fingerprint, the players and the "
        "number of the game: the same command plays the same games on any machine and with any number of workers."
    )
    parts: list[m.Part] = [
        m.Facts([(name, untranslated(value)) for name, value in facts if value], code=True),
        *([m.Paragraph(READ, "note")] if of_people else []),
        *([m.Paragraph(seeds, "note")] if pairings else []),
        *([m.Paragraph(OUTSIDE, "note")] if outside else []),
        m.Table.of(
            caption,
            columns,
            names.plan.rulesets,
            names.rulesets.index(names.plan.baseline) if names.plan.baseline else None,
            folded=len(names.plan.rulesets) > MOST_SHOWN,
        ),
    ]
    return m.Section("run", tr("How this was run"), parts)


def _learned_facts(learned: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The learned weights that were played by: digest, how they did in their match, and whether they were accepted."""
    facts = []
    for ruleset, trainings in learned.items():
        entries = []
        for training, each in trainings.items():
            match = each["match"]
            score = 100 * (match["wins"] + match["draws"] / 2) / max(1, sum(match.values()))
            verdict = "" if each["accepted"] else ", not accepted: the game's own weights"
            verdict += "" if each.get("prunes", True) else ", searches leave nothing out"
            entries.append(f"{training}: {each['digest']} ({score:.1f} % of {sum(match.values())} games{verdict})")
        facts.append((tr("learned weights of {ruleset}, by training", ruleset=ruleset), "; ".join(entries)))
    return facts


def _adjudication_sentence(capped: Mapping[str, Any] | None) -> str:
    """Return the treatment of games that reached the cap, from the provenance."""
    if not capped:
        return tr("no result; intervals allow for either")
    return f"adjudicate: threshold {capped['threshold']}, {capped['judge']} ({_options_text(capped['options'])})"


def _ends_text(ends: Mapping[str, Any]) -> str:
    """When cells may end before all their games are played."""
    when = [tr("as soon as the question is decided")] if "until" in ends else []
    if "precision" in ends:
        when.append(tr("as soon as intervals are ±{precision}", precision=ends["precision"]))
    if "looks" in ends:
        when.append(trn("looked at {n} time", "looked at {n} times", int(ends["looks"])))
    return join(COMMA, when)


def _options_text(options: Mapping[str, Any]) -> str:
    return ", ".join(
        str(value)
        if name == "kind"
        else f"{name} ({_options_text(value)})"
        if isinstance(value, Mapping)
        else f"{name} {value}"
        for name, value in options.items()
        if value != {}
    )


GUIDE = (
    tr("Read the verdict before the numbers. “Undecided” means too few games, never “no difference”."),
    tr("Compare bars, not dots: a bar is the 95 % interval of a number, and holds the true value in 19 of 20 cases."),
    tr("Trust the strongest players most. Random players do not use what makes a rule unfair."),
    tr(
        "Capped games were stopped at the limit of plies. They are no draws: where there are many, the score is known "
        "only within the bounds that are shown. An experiment may have them adjudicated by its strongest player; the "
        "report then says how many were, and the others stay open."
    ),
)
WORDS = {
    "games": tr("games"), "share": tr("share"), "plies": UNITS["plies"], "moves": UNITS["moves"],
    "count": trc("metrics", "number"), "a count": trc("metrics", "a count"),
    "less": trc("metrics", "less"), "more": trc("metrics", "more"), "near 1/2": trc("metrics", "near 1/2"),
    "target": trc("metrics", "target"), "none": trc("metrics", "none"),
}  # fmt: skip
"""Units, directions and sources of `METRICS` in words."""


def metrics_section() -> m.Section:
    """Return a guide to the numbers, and the definition of each."""

    def in_words(part: str) -> str:
        return WORDS.get(part, untranslated(part))

    columns = (
        m.Column.text(tr("column"), lambda metric: untranslated(metric.name)),
        m.Column.text(tr("meaning"), lambda metric: metric.sentence),
        m.Column.text(tr("formula"), lambda metric: untranslated(metric.formula)),
        m.Column.text(tr("unit"), lambda metric: in_words(metric.unit)),
        m.Column.text(tr("better"), lambda metric: in_words(metric.direction)),
        m.Column.text(tr("source"), lambda metric: in_words(metric.source)),
    )
    caption = tr("All numbers of the tables: meaning, formula, unit, the better direction, source.")
    parts: list[m.Part] = [m.Bullets(GUIDE), m.Table.of(caption, columns, statistics.METRICS.values(), folded=True)]
    return m.Section("numbers", tr("What the numbers mean"), parts)


def _added_measure_columns(measure: str, names: Names) -> list[m.Column]:
    factor = unit_factor(measure)

    def value(row: Record) -> m.TableCell:
        return m.numeric_cell(format_amount(factor * row["value"], 2), row["value"])

    def difference(row: Record) -> m.TableCell:
        text = format_difference(row["difference"], row["low"], row["high"], factor)
        return m.numeric_cell(text, row["difference"])

    return [
        names.ruleset_column(),
        m.Column.number(tr("value"), value),
        m.Column.number(tr("difference, {unit}", unit=names.unit_name(measure)), difference),
        m.Column.plain(trc("rules", "verdict"), lambda row: VERDICTS[str(row["verdict"])].cell()),
    ]


def added_measures_section(analysis: Analysis, names: Names) -> m.Section | None:
    """A table for each measure: what it is between the strongest players, and how it differs from the baseline."""
    parts: list[m.Part] = []
    compared = pairing_rows(analysis.comparisons, names.strongest)
    for one in measures.added_measures():
        rows = compared[compared["measure"] == one.name].to_dict("records")
        if rows:
            played = pairing_rows(analysis.cells, names.strongest)[["games", f"{one.name}_games"]].sum()
            without = int(played["games"] - played[f"{one.name}_games"])
            caption = (
                tr("{measure} between {players}; {without:,} of {games:,} games have no value")
                if without
                else tr("{measure} between {players}")
            )
            games = int(played["games"])
            text = caption.format(measure=one.title, players=names.level, without=without, games=games)
            parts.append(m.Table.of(text, _added_measure_columns(one.name, names), rows))
    return m.Section("added-measures", tr("Measures of one's own"), parts) if parts else None


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
) -> m.Document:
    """Return the report on an experiment; plays the games to look at again.

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
    replays = next((part for part in shown_games.parts if isinstance(part, m.ReplayList)), None)
    changes = next((part.changes for part in changed.parts if isinstance(part, m.RuleChanges)), ()) if changed else ()
    cards = [] if partial else first_screen(analysis, names, changes, replays, provenance)
    shown_games = with_moments(shown_games, cards)
    if cards:
        warnings = [part for part in first.parts[:1] if isinstance(part, m.Paragraph) and part.kind == "warning"]
        details = replace(first, id="verdicts", title=tr("The verdicts"), parts=first.parts[len(warnings) :])
        first = replace(first, parts=[*warnings, *cards])
    if count := provenance["experiment"].get("quick_look"):
        warning = m.Paragraph(QUICK_LOOK.format(count=f"{int(count):,}"), "warning")
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
    return m.Document(title, tr("{rulesets}, {pairings}, {games}.", **counts), colophon, sections, len(main))
