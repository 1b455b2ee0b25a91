"""All that a report says: its sections in their order, and what the terminal shows of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

import workbench
from workbench import games, statistics
from workbench.base import project
from workbench.base.language import COMMA, current, join, sentences, tr, translated, trc, trn, untranslated
from workbench.experiments.experiment_files import published_from_provenance
from workbench.records.trials import Trials
from workbench.report.labels import format_rough_percent, pairing_label, table_pairings
from workbench.report.model import Column, Document, Listing, Paragraph, Printout, Remark, ReplayList, RuleChanges
from workbench.report.names import Names, pairing_rows
from workbench.report.reading import Report
from workbench.report.sections import rules, scores
from workbench.report.sections.answer import answer_section
from workbench.report.sections.choices import prices_section, styles_section, unit_worth_section
from workbench.report.sections.elsewhere import best_play_section, people_section, published_section
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
    people = people_section(trials, provenance, analysis, names)
    main = [section for section in (first, people, rules.rule_effects_section(analysis, names)) if section is not None]
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
        strength_section(standings or {}, names),
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


MAIN_COLUMNS = {
    tr("ruleset"): 13,
    tr("first_score (95 %)"): 18,
    tr("balance"): 9,
    tr("draws"): 6,
    tr("capped"): 12,
    tr("plies"): 13,
    tr("legal"): 5,
    tr("distinct"): 8,
}
"""Columns of the main table and the characters that they take."""
AHEAD = {
    "first": trc("ahead", "first"),
    "second": trc("ahead", "second"),
    "balanced": tr("balanced"),
    "undecided": tr("undecided"),
}
VERDICTS = {"met": tr("met"), "missed": tr("missed"), "undecided": tr("undecided")}
"""What became of a target."""
EVENTS_AT_ONCE = 5
"""Event columns that fit beside each other."""


def build_printout(report: Report) -> Printout:
    """What is shown below the answer; the tables fit 100 columns where the names of the rulesets are short."""
    short = Names(report.analysis.plan).short_names
    baseline = report.provenance["experiment"].get("baseline")
    shown: list[Listing | Remark] = []
    if count := report.provenance["experiment"].get("quick_look"):
        shown.append(Remark(translated(QUICK_LOOK.format(count=f"{int(count):,}"), current()), "yellow"))
    if report.analysis.plan.player_choices:
        return [*shown, Remark(tr("Who beats whom is a table of the report; all numbers are in summary.csv."))]
    if report.partial:
        text = tr(
            "Not finished: {count:,} of {planned:,} games. The same command that began the run "
            "continues it; until then these are the numbers of the finished blocks.",
            count=len(report.trials),
            planned=report.planned,
        )
        shown.append(Remark(text, "yellow"))
    for pairing in table_pairings(report.cells):
        shown += _cell_tables(report, pairing, short)
    text = tr(
        "first_score: wins and half the draws of the first seat, of the finished games. balance: balanced if its "
        "interval lies within {margin:.3g} points of 50 %, else the seat that is ahead. capped: games stopped at "
        "the cap, and the first_score in % if all of them were lost or won. plies: median (quartiles), a + or an "
        "open end where it falls among the games stopped at the cap. legal: moves to choose from, the mean over "
        "plies. distinct: games that differ.{adjudication}",
        margin=100 * report.analysis.plan.margin,
        adjudication=_adjudication(report),
    )
    if baseline:
        text = sentences([text, tr("Bold: the baseline {short}.", short=short.get(baseline, baseline))])
    shown.append(Remark(text))
    return [
        *shown,
        *_exact_table(report, short),
        *_best_play_table(report, short),
        *_target_table(report, short),
        *_strength_table(report),
        *_event_table(report, short),
    ]


def _cell_tables(report: Report, pairing: tuple[str, str], short: Mapping[str, str]) -> Printout:
    """The main table of a pairing, and how its games ended."""
    cells = pairing_rows(report.cells, pairing)
    experiment = report.provenance["experiment"]
    cap, baseline = int(experiment.get("max_plies") or 0), experiment.get("baseline")
    counts = sorted(set(cells["games"]))
    games = counts[0] if len(counts) == 1 else tr("{counts:,} to {counts2:,}", counts=counts[0], counts2=counts[-1])
    rows: list[list[str | tuple[str, str]]] = [
        [(short[cell["ruleset"]], "bold" if cell["ruleset"] == baseline else ""), *_cell(cell, cap)]
        for cell in cells.to_dict("records")
    ]
    columns = [Column(head, width, right=width <= 8) for head, width in MAIN_COLUMNS.items()]
    listing = Listing(
        tr("{pairing_label}: {games} games per ruleset", pairing_label=pairing_label(*pairing), games=games),
        columns,
        rows,
    )
    return [listing, Remark(tr("Ended by {endings}.", endings=_endings(cells)))]


def _adjudication(report: Report) -> str:
    """What became of the games that reached the cap; nothing to say where none did."""
    games, at_cap = int(report.cells["games"].sum()), int(statistics.stopped_games(report.cells).sum())
    if not at_cap:
        return ""
    names = Names(report.analysis.plan)
    adjudicated = at_cap - int(report.cells["unfinished"].sum())
    share = (
        tr(" {rough_percent} of all games were adjudicated.", rough_percent=format_rough_percent(adjudicated / games))
        if names.plan.experiment.adjudicator
        else ""
    )
    return join(" ", ("", names.capped_method_sentence())) + share


def _endings(of_pairing: pd.DataFrame) -> str:
    """How the games of a pairing ended, all rulesets together, the commonest first."""
    total = of_pairing["games"].sum()
    counts = {
        str(column).removeprefix("ended_by_"): int(of_pairing[column].sum())
        for column in of_pairing
        if str(column).startswith("ended_by_") and not str(column).endswith(("_rate", "_low", "_high"))
    }
    ranked = sorted(((count, ending) for ending, count in counts.items() if count), reverse=True)
    return ", ".join(f"{ending} {format_rough_percent(count / total)}" for count, ending in ranked) or tr("nothing yet")


def _cell(cell: Mapping[Any, Any], cap: int) -> list[str]:
    """The columns of the main table, after the name."""
    if not cell["games"]:
        return [tr("no games yet"), "", "", "", "", "", ""]
    score = tr("no game finished")
    if cell["finished"]:
        low, high = 100 * cell["first_score_low"], 100 * cell["first_score_high"]
        score = f"{100 * cell['first_score']:.1f} % ({low:.1f}–{high:.1f})"
    capped = "–"
    if cell["unfinished"]:
        low, high = 100 * cell["first_score_lowest"], 100 * cell["first_score_highest"]
        capped = f"{format_rough_percent(cell['capped_rate'])} ({low:.0f}–{high:.0f})"
    lower, median, upper = (
        "" if np.isinf(cell[f"plies_{which}"]) else f"{cell[f'plies_{which}']:.0f}"
        for which in ("lower_quartile", "median", "upper_quartile")
    )
    middle = median or f"{cap}+"
    plies = f"{middle} ({lower}–{upper})" if lower else middle
    legal = "" if np.isnan(cell["legal_moves"]) else f"{cell['legal_moves']:.1f}"
    distinct = "100 %" if cell["distinct_games"] == cell["games"] else f"{100 * cell['distinct_share']:.1f} %"
    draws = f"{100 * cell['draw_rate']:.1f} %"
    return [score, AHEAD.get(cell["balance"], ""), draws, capped, plies, legal, distinct]


def _exact_table(report: Report, short: Mapping[str, str]) -> Printout:
    """The estimates beside what is known exactly."""
    if report.exact.empty:
        return []
    rows: list[list[str | tuple[str, str]]] = []
    for row in report.exact.to_dict("records"):
        low, high = 100 * row["first_score_low"], 100 * row["first_score_high"]
        rows.append(
            [
                short[row["ruleset"]],
                pairing_label(row["first"], row["second"]),
                f"{100 * row['first_score']:.2f} % ({low:.2f}–{high:.2f})",
                (f"{100 * row['exact']:.4f} %", "" if row["inside"] else "yellow"),
                f"{row['plies_mean']:.2f}",
                "" if np.isnan(row["plies_exact"]) else f"{row['plies_exact']:.4f}",
            ]
        )
    heads = (tr("ruleset"), tr("agents"), tr("first_score (95 %)"), tr("exact"), tr("plies"), tr("exact"))
    columns = [Column(head, right=place > 1) for place, head in enumerate(heads)]
    return [
        Listing(tr("Solved games: the estimates beside the exact values"), columns, rows),
        Remark(tr("plies: the mean. Of twenty 95 % intervals one misses on average.")),
    ]


def _best_play_table(report: Report, short: Mapping[str, str]) -> Printout:
    """What is known of best play, beside what the players scored."""
    if report.best_play.empty:
        return []
    rows = []
    for row in report.best_play.to_dict("records"):
        value, low, high = (100 * row[f"first_score{end}"] for end in ("", "_low", "_high"))
        rows.append(
            [
                short[str(row["ruleset"])],
                str(row["best_play"]),
                pairing_label(str(row["first"]), str(row["second"])),
                "" if np.isnan(value) else f"{value:.1f} % ({low:.1f}–{high:.1f})",
                str(row["agrees"]) if row["agrees"] else VERDICTS["undecided"],
            ]
        )
    heads = (tr("ruleset"), tr("best play"), tr("agents"), tr("first_score (95 %)"), tr("like best play?"))
    sources = report.best_play.drop_duplicates("ruleset")
    return [
        Listing(tr("What is known of best play"), [Column(head) for head in heads], rows),
        *(Remark(join(": ", (short[str(row["ruleset"])], row["source"]))) for row in sources.to_dict("records")),
    ]


def _target_table(report: Report, short: Mapping[str, str]) -> Printout:
    """For each ruleset and target in how many pairings it is met."""
    if report.analysis.targets.empty:
        return []
    goals = report.analysis.targets.drop_duplicates("target")
    columns = [Column(tr("ruleset"), 13)]
    columns += [Column(f"{name} {goal}", 20) for name, goal in zip(goals["target"], goals["wanted"], strict=True)]
    rows = []
    for ruleset, of_ruleset in report.analysis.targets.groupby("ruleset", sort=False):
        row: list[str] = [short[str(ruleset)]]
        for name in goals["target"]:
            verdicts = list(of_ruleset.loc[of_ruleset["target"] == name, "verdict"])
            words = VERDICTS | ({"undecided": "?"} if len(verdicts) > 1 else {})
            counts = {words[code]: verdicts.count(code) for code in VERDICTS if code in verdicts}
            row.append(
                COMMA.join(join(" ", (word, str(n))) if len(verdicts) > 1 else word for word, n in counts.items())
            )
        rows.append(row)
    pairings = len(table_pairings(report.cells))
    title = tr("Targets: in how many of the {pairings} pairings", pairings=pairings) if pairings > 1 else tr("Targets")
    reasons = sorted(reason.replace("_", " ") for reason in set(report.analysis.targets["reason"]) - {""})
    undecided = "?" if pairings > 1 else VERDICTS["undecided"]
    shown: list[Listing | Remark] = [Listing(title, columns, rows)]
    if reasons:
        text = tr("{undecided}: the interval lies partly in the target ({reasons}).")
        shown.append(Remark(text.format(undecided=undecided, reasons=", ".join(reasons))))
    return shown


def _strength_table(report: Report) -> Printout:
    """How agents score against each other."""
    if report.analysis.strength.empty:
        return []
    rows = [
        [
            str(pair["agent"]),
            str(pair["opponent"]),
            f"{100 * pair['score']:.1f} % ({100 * pair['score_low']:.1f}–{100 * pair['score_high']:.1f})",
            f"{pair['games']:,}",
        ]
        for pair in report.analysis.strength.to_dict("records")
    ]
    columns = [Column(tr("agent")), Column(tr("opponent")), Column(tr("score (95 %)")), Column(tr("games"), right=True)]
    return [
        Listing(tr("Strength: both ways of seating and all rulesets added together"), columns, rows),
        Remark(tr("Draws and capped games count half.")),
    ]


def _event_table(report: Report, short: Mapping[str, str]) -> Printout:
    """How often those events fired that differ between rulesets, for the last agent that plays itself.

    Those that are counted per another are ratios: the page and ``events.csv`` have them.
    """
    pairings = table_pairings(report.cells)
    pairing = next((pair for pair in reversed(pairings) if pair[0] == pair[1]), pairings[-1])
    played = {str(ruleset.get("game")) for ruleset in report.provenance.get("rulesets", ())} & {*games.names()}
    ratios = {f"event_{event.name}" for game in played for event in games.declaration(game).events if event.per}
    differing = statistics.differing_events(report.trials, pairing)
    events = [event for event in differing if event not in ratios]
    title = tr("Events that differ between rulesets, {pairing_label}", pairing_label=pairing_label(*pairing))
    shown: list[Listing | Remark] = []
    for start in range(0, len(events), EVENTS_AT_ONCE):
        some = events[start : start + EVENTS_AT_ONCE]
        columns = [Column(tr("ruleset"), 13)]
        columns += [Column(event.removeprefix("event_").replace("_", " "), 12, 15) for event in some]
        rows = [
            [short[cell["ruleset"]], *(_event(cell, event) for event in some)]
            for cell in pairing_rows(report.cells, pairing).to_dict("records")
        ]
        shown.append(Listing(title, columns, rows))
    if events:
        text = tr("Mean over the games in which it happened (share of these games, where it is not all).")
        shown.append(Remark(tr("{text} Other pairings: summary.csv.", text=text) if len(pairings) > 1 else text))
    if len(events) < len(differing):
        shown.append(Remark(tr("Ratios of events, such as drops per ply: the report's tables, events.csv.")))
    return shown


def _event(cell: Mapping[Any, Any], event: str) -> str:
    share = cell[f"{event}_share"]
    if np.isnan(share):
        return ""
    if share == 0:
        return "–"
    shown = f"{cell[f'{event}_when_fired']:.1f}"
    return shown if share >= 0.9995 else f"{shown} ({format_rough_percent(share)})"
