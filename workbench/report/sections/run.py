"""How an experiment was run: what is needed to run it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench import statistics
from workbench.base.language import COMMA, join, tr, trc, trn, untranslated
from workbench.experiments import measures
from workbench.players.agent_kinds import PEOPLE
from workbench.records.provenance import openings_in_words
from workbench.report.labels import format_amount, format_difference, pairing_text
from workbench.report.model import Bullets, Column, Facts, Paragraph, Part, Section, Table, TableCell, numeric_cell
from workbench.report.names import UNITS, Names, pairing_rows, unit_factor
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


def run_section(provenance: Mapping[str, Any], names: Names) -> Section:
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
        (tr("openings"), openings_in_words(experiment.get("openings")) if experiment.get("openings") else ""),
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
        Column.plain(tr("ruleset"), lambda variant: names.ruleset_cell(variant.name, titled=True)),
        Column.text(tr("full name"), lambda variant: untranslated(variant.name)),
        Column.text(tr("fingerprint"), lambda variant: untranslated(variant.fingerprint)),
    )
    caption = tr("The rules that were played: equal fingerprints are equal rules. All settings are in provenance.json.")
    outside = any(pair.get("reproducible") is False for pair in pairings)
    seeds = tr(
        "Every game has its own seed, made from the seed of the experiment, the fingerprint, the players and the "
        "number of the game: the same command plays the same games on any machine and with any number of workers."
    )
    parts: list[Part] = [
        Facts([(name, untranslated(value)) for name, value in facts if value], code=True),
        *([Paragraph(READ, "note")] if of_people else []),
        *([Paragraph(seeds, "note")] if pairings else []),
        *([Paragraph(OUTSIDE, "note")] if outside else []),
        Table.of(
            caption,
            columns,
            names.plan.rulesets,
            names.rulesets.index(names.plan.baseline) if names.plan.baseline else None,
            folded=len(names.plan.rulesets) > MOST_SHOWN,
        ),
    ]
    return Section("run", tr("How this was run"), parts)


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
    """What became of the games that reached the cap, as the provenance says it."""
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


def metrics_section() -> Section:
    """How to read the numbers, and the definition of each."""

    def in_words(part: str) -> str:
        return WORDS.get(part, untranslated(part))

    columns = (
        Column.text(tr("column"), lambda metric: untranslated(metric.name)),
        Column.text(tr("meaning"), lambda metric: metric.sentence),
        Column.text(tr("formula"), lambda metric: untranslated(metric.formula)),
        Column.text(tr("unit"), lambda metric: in_words(metric.unit)),
        Column.text(tr("better"), lambda metric: in_words(metric.direction)),
        Column.text(tr("source"), lambda metric: in_words(metric.source)),
    )
    caption = tr("All numbers of the tables: meaning, formula, unit, the better direction, source.")
    parts: list[Part] = [Bullets(GUIDE), Table.of(caption, columns, statistics.METRICS.values(), folded=True)]
    return Section("numbers", tr("What the numbers mean"), parts)


def added_measures_section(analysis: Analysis, names: Names) -> Section | None:
    """A table for each measure: what it is between the strongest players, and how it differs from the baseline."""
    parts: list[Part] = []
    compared = pairing_rows(analysis.comparisons, names.strongest)
    for one in measures.added_measures():
        rows = compared[compared["measure"] == one.name].to_dict("records")
        heads = [
            TableCell(tr("Ruleset")),
            TableCell(tr("Value")),
            TableCell(tr("Difference, {unit}", unit=names.unit_name(one.name))),
            TableCell(tr("Verdict")),
        ]
        factor = unit_factor(one.name)
        cells = [
            [
                names.ruleset_cell(str(row["ruleset"])),
                numeric_cell(format_amount(factor * row["value"], 2), row["value"]),
                numeric_cell(format_difference(row["difference"], row["low"], row["high"], factor), row["difference"]),
                VERDICTS[str(row["verdict"])].cell(),
            ]
            for row in rows
        ]
        if cells:
            played = pairing_rows(analysis.cells, names.strongest)[["games", f"{one.name}_games"]].sum()
            without = int(played["games"] - played[f"{one.name}_games"])
            caption = (
                tr("{measure} between {players}; {without:,} of {games:,} games have no value")
                if without
                else tr("{measure} between {players}")
            )
            players = pairing_text(names.strongest)
            text = caption.format(measure=one.title, players=players, without=without, games=int(played["games"]))
            parts.append(Table(text, heads, cells))
    return Section("added-measures", tr("Measures of one's own"), parts) if parts else None
