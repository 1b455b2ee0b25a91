"""The order of a report's sections, and the sections on the run and on the numbers."""

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
from workbench.report.names import UNITS, Names, Record, Results, unit_factor
from workbench.report.sections import answer, games, rules, scores, strong
from workbench.report.verdicts import VERDICTS

OUTSIDE = tr(
    "This holds for the workbench's own players and for external players whose author guarantees it with "
    "reproducible: true."
)
READ = tr(
    "The human games were read from files, and every move was checked against the rules. People are grouped by "
    "the mean of both players' ratings."
)
MOST_SHOWN = 20
"""Longer tables of rulesets are collapsed."""


def run_section(provenance: Mapping[str, Any], names: Names) -> m.Section:
    """Return a section with the run's command, seed, players, machine and rules."""
    experiment = provenance["experiment"]
    players: dict[str, str] = {}
    for pair in provenance["pairings"]:
        for seat in ("first", "second"):
            players[str(pair[seat])] = _options_text(pair.get(f"{seat}_options", {}))
    for label, entry in provenance.get("players", {}).items():
        if label in players:
            players[label] += f" ({entry['name']})"
    machine: list[str] = []
    # A recreated provenance file lacks both.
    if {"cpu", "workers"} <= set(provenance):
        machine = [provenance["cpu"], trn("{n} worker", "{n} workers", int(provenance["workers"]))]
    pairings = [pair for pair in provenance["pairings"] if (pair.get("first_options") or {}).get("kind") != PEOPLE]
    people = provenance.get(PEOPLE) or {}
    openings, targets = experiment.get("openings"), experiment.get("targets")
    facts = [
        (tr("command"), str(provenance.get("command", ""))),
        (tr("seed"), str(experiment.get("seed", "")) if pairings else ""),
        (tr("files of human games"), ", ".join(file for entry in people.values() for file in entry["files"])),
        (tr("may end early"), _early_end_text(experiment)),
        (tr("targets"), json.dumps(targets, ensure_ascii=False) if targets else ""),
        (tr("maximum games per cell"), f"{experiment.get('games') or ''}"),
        (tr("stopped after plies"), f"{experiment.get('max_plies') or ''}"),
        (tr("openings"), describe_openings(openings) if openings else ""),
        (tr("capped games"), _adjudication_text(experiment.get("capped"))),
        *((untranslated(label), options) for label, options in players.items()),
        *_training_facts(provenance.get("learned") or {}),
        (tr("started"), str(provenance.get("started", ""))),
        *((tr("continued"), f"{entry['started']}: {entry['command']}") for entry in provenance.get("continued", [])),
        (tr("machine"), join(COMMA, machine)),
        (tr("versions"), ", ".join(map(" ".join, provenance.get("versions", {}).items()))),
        (tr("digest of the kernels"), ", ".join(map(" ".join, provenance.get("engines", {}).items()))),
    ]
    columns = (
        m.Column.plain(tr("ruleset"), lambda ruleset: names.ruleset_cell(ruleset.name, titled=True)),
        m.Column.text(tr("full name"), lambda ruleset: untranslated(ruleset.name)),
        m.Column.text(tr("fingerprint"), lambda ruleset: untranslated(ruleset.fingerprint)),
    )
    caption = tr(
        "The rules that were played; equal fingerprints mean equal rules. All settings are in provenance.json."
    )
    external = any(pair.get("reproducible") is False for pair in pairings)
    seeds = tr(
        "Each game has its own seed, derived from the experiment's seed, the fingerprint, the players and the "
        "game's number: the same command plays the same games on any machine and with any number of workers."
    )
    rulesets = names.plan.rulesets
    baseline = names.rulesets.index(names.plan.baseline) if names.plan.baseline else None
    parts: list[m.Part] = [
        m.Facts([(name, untranslated(value)) for name, value in facts if value], code=True),
        *([m.Paragraph(READ, "note")] if people else []),
        *([m.Paragraph(seeds, "note")] if pairings else []),
        *([m.Paragraph(OUTSIDE, "note")] if external else []),
        m.Table.of(caption, columns, rulesets, baseline, folded=len(rulesets) > MOST_SHOWN),
    ]
    return m.Section("run", tr("How this was run"), parts)


def _training_facts(learned: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Describe each training run's weights: digest, score in the match, and acceptance."""
    facts = []
    for ruleset, runs in learned.items():
        entries = []
        for training, weights in runs.items():
            match = weights["match"]
            score = 100 * (match["wins"] + match["draws"] / 2) / max(1, sum(match.values()))
            verdict = "" if weights["accepted"] else ", not accepted: the game's own weights"
            verdict += "" if weights.get("prunes", True) else ", searches leave nothing out"
            entries.append(f"{training}: {weights['digest']} ({score:.1f} % of {sum(match.values())} games{verdict})")
        facts.append((tr("learned weights of {ruleset}, by training run", ruleset=ruleset), "; ".join(entries)))
    return facts


def _adjudication_text(capped: Mapping[str, Any] | None) -> str:
    if not capped:
        return tr("no result; intervals allow for a win by either side")
    return f"adjudicate: threshold {capped['threshold']}, {capped['judge']} ({_options_text(capped['options'])})"


def _early_end_text(experiment: Mapping[str, Any]) -> str:
    """Return the conditions under which cells may end early, or "" if there are none."""
    conditions = [tr("as soon as the question is decided")] if experiment.get("until") else []
    if precision := experiment.get("precision"):
        conditions.append(tr("as soon as intervals reach ±{precision}", precision=precision))
    if conditions and (count := experiment.get("looks")):
        conditions.append(trn("checked {n} time", "checked {n} times", int(count)))
    return join(COMMA, conditions)


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
    tr("Read the verdict before the numbers. “Cannot tell yet” means too few games, never “no difference”."),
    tr("Compare bars, not dots: a bar is a number's 95 % interval, which contains the true value in 19 of 20 cases."),
    tr("Trust the strongest players most. Random players do not exploit unfair rules."),
    tr(
        "Capped games were stopped at the ply limit and are not draws: if there are many, the score is known "
        "only within the bounds shown. An experiment may have them adjudicated by its strongest player; the "
        "report then states how many were, and the others remain open."
    ),
)
WORDS = {
    "games": tr("games"), "share": tr("share"), "plies": UNITS["plies"], "moves": UNITS["moves"],
    "count": trc("metrics", "number"), "a count": trc("metrics", "a count"),
    "less": trc("metrics", "less"), "more": trc("metrics", "more"), "near 1/2": trc("metrics", "near 1/2"),
    "target": trc("metrics", "target"), "none": trc("metrics", "none"),
}  # fmt: skip
"""Units, directions and sources of `METRICS` as text."""


def metrics_section() -> m.Section:
    """Return a guide to the numbers with the definition of each one."""

    def column(heading: str, field: str) -> m.Column:
        def text(metric: Any) -> str:
            return WORDS.get(getattr(metric, field)) or untranslated(getattr(metric, field))

        return m.Column.text(heading, text)

    columns = (
        m.Column.text(tr("column"), lambda metric: untranslated(metric.name)),
        m.Column.text(tr("meaning"), lambda metric: metric.sentence), column(tr("formula"), "formula"),
        column(tr("unit"), "unit"), column(tr("better"), "direction"), column(tr("source"), "source"),
    )  # fmt: skip
    caption = tr("All numbers in the tables: meaning, formula, unit, better direction, source.")
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


def added_measures_section(results: Results) -> m.Section | None:
    """Return a table for each added measure with its value between the strongest players and its differences."""
    parts: list[m.Part] = []
    compared = results.strongest_rows("comparisons")
    for measure in measures.added_measures():
        if rows := compared[compared["measure"] == measure.name].to_dict("records"):
            played = results.strongest_rows("cells")[["games", f"{measure.name}_games"]].sum()
            count, missing = int(played["games"]), int(played["games"] - played[f"{measure.name}_games"])
            caption = tr("{measure} between {players}")
            if missing:
                caption = tr("{measure} between {players}; no value for {without:,} of {games:,} games")
            caption = caption.format(measure=measure.title, players=results.level, without=missing, games=count)
            parts.append(m.Table.of(caption, _added_measure_columns(measure.name, results), rows))
    return m.Section("added-measures", tr("Custom measures"), parts) if parts else None


QUICK_LOOK = tr(
    "A quick look: the full experiment plans {count} games per ruleset and pair of players. It has its own "
    "folder and may reach different verdicts."
)


def build_document(
    trials: Trials,
    provenance: Mapping[str, Any],
    analysis: statistics.Analysis,
    exact: pd.DataFrame,
    planned: int,
    standings: strong.Standings | None = None,
    best_play: pd.DataFrame | None = None,
    published_table: pd.DataFrame | None = None,
    depths: games.Depths | None = None,
) -> m.Document:
    """Build the report on an experiment and replay its sample games.

    ``exact`` is from `exact_score_table`, ``standings`` and ``depths`` are from saved ladders, ``best_play`` is from
    `best_play_table`, and ``published_table`` is from `published_differences`.
    """
    results, empty = Results.of(analysis), pd.DataFrame()
    standings = standings or {}
    partial = (len(trials), planned) if len(trials) < planned else None
    free_choice = rules.styles_section(results)
    changed = None
    if results.plan.player_choices:
        # Armies are not proposals: their scores against each other are the answer, the rest is detail.
        middle = [free_choice, scores.all_cells_section(results, exact)]
    else:
        changed = rules.rule_changes_section(provenance, results)
        source = published_from_provenance(provenance["experiment"].get("published"))
        lines = scores.lines_section(results, provenance.get("openings") or {})
        middle = [
            scores.differences_section(results),
            scores.scorecard_section(results),
            scores.scores_section(results, exact),
            scores.swaps_section(results),
            strong.best_play_section(empty if best_play is None else best_play, results),
            strong.published_section(empty if published_table is None else published_table, source, results),
            scores.lengths_section(results, exact),
            lines or scores.openings_section(results),
            games.portraits_section(results, depths or {}),
            free_choice,
            rules.effects_section(results),
        ]
    sample_games = games.games_section(trials, provenance, results)
    replays = next((part for part in sample_games.parts if isinstance(part, m.ReplayList)), None)
    changes = next((part.changes for part in changed.parts if isinstance(part, m.RuleChanges)), ()) if changed else ()
    first, details = answer.answer_sections(results, changes, replays, provenance, partial)
    if count := provenance["experiment"].get("quick_look"):
        warning = m.Paragraph(QUICK_LOOK.format(count=f"{int(count):,}"), "warning")
        first = replace(first, parts=[warning, *first.parts])
    added = addons().report_section(trials=trials, provenance=provenance, analysis=analysis, names=results)
    effects = rules.rule_effects_section(results)
    main = [first, *added]
    stronger = strong.strong_play_section(results, standings)
    appendix = [
        details,
        effects,
        stronger and replace(stronger, parts=[*stronger.parts, *rules.further_rule_tables(results)]),
        *middle,
        added_measures_section(results),
        games.events_section(results),
        changed,
        rules.prices_section(results, project.find_project()),
        rules.sensitivity_section(results),
        strong.strength_section(standings, results),
        rules.unit_worth_section(provenance, results),
        run_section(provenance, results),
        games.with_moments(sample_games, first.parts),
        metrics_section(),
    ]
    experiment = results.plan.experiment
    counts = {
        "rulesets": trn("{n} ruleset", "{n} rulesets", len(results.rulesets)),
        "pairings": trn("{n} pair of players", "{n} pairs of players", len(results.plan.pairings)),
        "games": trn("{n:,} game", "{n:,} games", len(trials)),
    }
    return m.Document(
        experiment.heading or untranslated(experiment.name),
        tr("{rulesets}, {pairings}, {games}.", **counts),
        tr("Made by the rule workbench {version}.", version=workbench.__version__),
        [*main, *(section for section in appendix if section is not None)],
        len(main),
    )
