"""Games of people: how they went beside those of players, with which moves they began, and under other rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from workbench import games
from workbench.games.results import SCORES, ending
from workbench.language import given, listed, sentences, tr, verbatim
from workbench.people.reading import KINDS, REMARKS
from workbench.questions.agent_kinds import PEOPLE
from workbench.report.labels import event_title, format_amount, format_elo, format_percent, format_share, pairing_text
from workbench.report.marks import Dot, Interval, Line, Panel, Row, Survival, fit_scale
from workbench.report.model import Chart, Paragraph, Part, Section, Table, TableCell, numeric_cell
from workbench.report.names import Names
from workbench.report.sections.rows import cell_headings, pairing_line, pairing_series, score_text
from workbench.statistics import Analysis
from workbench.statistics.intervals import score_interval, wilson
from workbench.store.trials import Trials

MOST_MOVES = 8
"""First moves that are shown, the most frequent ones."""
MOST_KINDS = 12
"""Kinds of differences from a proposal that are shown."""


def people_section(trials: Trials, provenance: Mapping[str, Any], analysis: Analysis, names: Names) -> Section | None:
    """What there is to say of people's games; nothing where there are none."""
    imports: Mapping[str, Any] = provenance.get(PEOPLE) or {}
    if not imports:
        return None
    parts: list[Part] = [_import_paragraph(said, str(ruleset), names) for ruleset, said in imports.items()]
    parts.append(_beside_table(trials, analysis, names))
    for ruleset, said in imports.items():
        parts += _first_moves(trials, str(ruleset), names)
        parts += _rungs(said.get("rungs") or {}, names)
        parts += _under(said, str(ruleset), names)
    return Section("people", tr("People’s games"), parts)


def _import_paragraph(said: Mapping[str, Any], ruleset: str, names: Names) -> Paragraph:
    """How many games were read, and how many were left out for what."""
    found = [
        tr(
            "{ruleset}: of {read:,} games that people have played, {games:,} are on record.",
            ruleset=names.short(ruleset),
            read=said["read"],
            games=said["games"],
        )
    ]
    for texts, counts, sentence in (
        (KINDS, said["left_out"], tr("Left out: {kinds} (left-out.csv names them).")),
        (REMARKS, said["remarks"], tr("On record despite: {kinds}.")),
    ):
        kinds = [tr("{kind}: {count:,}", kind=texts.get(kind, kind), count=count) for kind, count in counts.items()]
        found += [sentence.format(kinds=listed(kinds))] if kinds else []
    return Paragraph(sentences(found))


def _beside_table(trials: Trials, analysis: Analysis, names: Names) -> Table:
    """Players and people in the same rows: score, draws, length, first move."""
    rows = []
    for cell in analysis.cells.to_dict("records"):
        if not cell["games"]:
            continue
        name = (str(cell["ruleset"]), str(cell["first"]), str(cell["second"]))
        moves = _moves_of(trials, name)["move"].value_counts()
        commonest = (
            tr(
                "{move} ({share})",
                move=verbatim(str(moves.index[0])),
                share=format_percent(moves.iloc[0] / moves.sum(), 0),
            )
            if len(moves)
            else ""
        )
        low, high = (float(end) for end in wilson(cell["draws"], cell["finished"]))
        draws = cell["draws"] / cell["finished"] if cell["finished"] else float("nan")
        rows.append(
            [
                *cell_headings(names, cell),
                numeric_cell(f"{cell['games']:,}", cell["games"]),
                TableCell(score_text(cell), sort=float(cell["first_score"]), kind="number"),
                numeric_cell(format_share(draws, low, high), draws),
                numeric_cell(format_amount(cell["plies_median"]), cell["plies_median"]),
                TableCell(commonest),
            ]
        )
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("players")),
        TableCell(tr("games"), kind="number"),
        TableCell(tr("first player's score"), kind="number"),
        TableCell(tr("draws"), kind="number"),
        TableCell(tr("half of the games end by ply"), kind="number"),
        TableCell(tr("commonest first move")),
    ]
    caption = tr(
        "People, by the mean of both ratings, and players of the workbench under the same rules, with 95 % intervals. "
        "People resign, agree on draws and run out of time; players go on to the end."
    )
    return Table(caption, heads, rows)


def _moves_of(trials: Trials, cell: tuple[str, str, str]) -> pd.DataFrame:
    """The first move of each game of a cell, and its result."""
    openings = trials.column(cell, "opening").astype(str)
    move = openings.str.split(" ", n=1).str[0]
    return pd.DataFrame({"move": move, "result": trials.cell(cell)["result"].astype(str)})[move.str.len() > 0]


def _first_moves(trials: Trials, ruleset: str, names: Names) -> list[Part]:
    """With which moves people begin, and how these do, by rating."""
    pairings = [pair for pair in names.plan.pairings if (ruleset, *pair) in trials.places]
    counts = {}
    for pair in pairings:
        first = _moves_of(trials, (ruleset, *pair))
        finished = first[first["result"].isin(list(SCORES))]
        table = finished.groupby(["move", "result"]).size().unstack(fill_value=0)
        counts[pair] = (first["move"].value_counts(), table.reindex(columns=list(SCORES), fill_value=0))
    of_people = [counts[pair][0] for pair in pairings if names.plan.agents[pair[0]].kind == PEOPLE]
    if not of_people:
        return []
    total = pd.concat(of_people).groupby(level=0).sum().sort_values(ascending=False, kind="stable")
    rows, cells, values = [], [], []
    for move in total.index[:MOST_MOVES]:
        lines = []
        for pair in pairings:
            how_often, results = counts[pair]
            n = int(how_often.get(move, 0))
            if not n:
                continue
            share = n / how_often.sum()
            won, drawn, lost = (int(results.loc[move, name]) for name in SCORES) if move in results.index else (0, 0, 0)
            low, high = (float(end) for end in score_interval(won, drawn, lost))
            played = won + drawn + lost
            score = (won + drawn / 2) / played if played else float("nan")
            text = format_share(score, low, high)
            lines.append(pairing_line(names, pair, text, Interval(low, high), Dot(score)))
            values += [low, high]
            cells.append(
                [
                    TableCell(verbatim(str(move))),
                    TableCell(pairing_text(pair), sort=float(names.series_number(pair))),
                    numeric_cell(f"{n:,}", n),
                    numeric_cell(format_percent(share), share),
                    numeric_cell(text, score),
                ]
            )
        rows.append(
            Row(str(move), verbatim(str(move)), tuple(lines), verbatim(format_percent(total[move] / total.sum())))
        )
    scale = fit_scale([*values, 0.45, 0.55], lambda value: f"{100 * value:.3g} %", 0.5)
    caption = tr(
        "The first moves that people choose most often, with their share among all people’s games: dot and bar are the "
        "first player's score after them and its 95 % interval."
    )
    stem = f"people-first-moves-{names.rulesets.index(ruleset)}"
    title = tr("First moves of people: {ruleset}", ruleset=names.short(ruleset))
    chart = Chart(f"chart-{stem}", Panel(scale, tuple(rows)), caption, pairing_series(names, pairings), stem, title)
    heads = [
        TableCell(tr("first move")),
        TableCell(tr("players")),
        TableCell(tr("games"), kind="number"),
        TableCell(tr("share"), kind="number"),
        TableCell(tr("first player's score"), kind="number"),
    ]
    return [chart, Table(title, heads, cells, folded=True)]


def _rungs(found: Mapping[str, Any], names: Names) -> list[Part]:
    """Which players of a ladder people resemble."""
    if not found:
        return []
    bands = [pair for pair in names.plan.pairings if any(pair[0] in one["agrees"] for one in found.values())]
    said = []
    for pair in bands:
        agrees = {label: one["agrees"][pair[0]] for label, one in found.items() if pair[0] in one["agrees"]}
        best = max(agrees, key=lambda label: agrees[label][0] / agrees[label][1])
        share = format_share(agrees[best][0] / agrees[best][1], *map(float, wilson(*agrees[best])))
        said.append(
            tr(
                "{people} most often make the move of {player}: {share} of {asked} positions.",
                people=pairing_text(pair),
                player=verbatim(best),
                share=share,
                asked=agrees[best][1],
            )
        )
    rows = []
    for label, one in found.items():
        cells = []
        for pair in bands:
            agreed, asked = one["agrees"].get(pair[0], (0, 0))
            rate = agreed / asked if asked else float("nan")
            cells.append(numeric_cell(format_share(rate, *map(float, wilson(agreed, asked))), rate))
        rows.append([TableCell(verbatim(label)), numeric_cell(format_elo(one["elo"]), one["elo"]), *cells])
    heads = [TableCell(tr("player of the ladder")), TableCell("Elo", kind="number")]
    heads += [TableCell(pairing_text(pair), kind="number") for pair in bands]
    caption = tr(
        "How often each player of the ladder that was kept of these rules makes the move that people made, in one "
        "position of each game after ply {ply}, with 95 % intervals. Elo is the ladder's, and no rating of people.",
        ply=8,
    )
    return [Paragraph(sentences(said)), Table(caption, heads, rows)]


def _under(said: Mapping[str, Any], ruleset: str, names: Names) -> list[Part]:
    """Which games would have been legal under proposals, and where the others differ."""
    under: Mapping[str, Any] = said.get("under") or {}
    if not under:
        return []
    rows, panel, kinds = [], [], []
    longest = 1
    for proposal, of_cells in under.items():
        title = given(en=said["titles"][proposal][0], ja=said["titles"][proposal][1])
        lines = []
        for pair in names.plan.pairings:
            if pair[0] not in of_cells:
                continue
            one = of_cells[pair[0]]
            n = one["games"]
            stays = one["legal"] + one["other_result"]
            low, high = (float(end) for end in wilson(stays, n))
            first = _median_ply(one["plies"])
            rows.append(
                [
                    TableCell(title, verbatim(proposal)),
                    TableCell(pairing_text(pair), sort=float(names.series_number(pair))),
                    numeric_cell(f"{n:,}", n),
                    numeric_cell(format_share(stays / n, low, high), stays / n),
                    numeric_cell(format_percent(one["other_result"] / n), one["other_result"] / n),
                    numeric_cell(format_amount(first), first),
                ]
            )
            steps, left = [], n
            for ply, count in sorted((int(ply), count) for ply, count in one["plies"].items()):
                left -= count
                steps.append((float(ply), left / n))
                longest = max(longest, ply)
            lines.append((pair, steps, stays / n))
        panel.append((proposal, title, lines))
        kinds += _kind_rows(of_cells, title, proposal, ruleset, names)
    scale = fit_scale([float(longest)], lambda value: f"{value:.0f}", from_zero=True, whole=True)
    chart_rows = [
        Row(
            proposal,
            title,
            tuple(
                Line(
                    names.series_number(pair),
                    (Survival((*_thinned(steps), (float(longest), share))),),
                    verbatim(format_percent(share)),
                    pairing_text(pair),
                )
                for pair, steps, share in lines
            ),
            verbatim(proposal),
        )
        for proposal, title, lines in panel
    ]
    pairings = [pair for pair in names.plan.pairings if any(pair[0] in of_cells for of_cells in under.values())]
    stem = f"people-under-{names.rulesets.index(ruleset)}"
    heading = tr("People’s games of {ruleset} under other rules", ruleset=names.short(ruleset))
    chart = Chart(
        f"chart-{stem}",
        Panel(scale, tuple(chart_rows)),
        tr(
            "Shaded: the share of people’s games that are still possible after so many plies under a proposal; beside "
            "it the share that stays possible to the end."
        ),
        pairing_series(names, pairings),
        stem,
        heading,
    )
    heads = [
        TableCell(tr("proposal")),
        TableCell(tr("players")),
        TableCell(tr("games"), kind="number"),
        TableCell(tr("legal to the end"), kind="number"),
        TableCell(tr("of these with another result"), kind="number"),
        TableCell(tr("first impossible move: median ply"), kind="number"),
    ]
    caption = tr(
        "Would these games have been legal? People would have played otherwise had they known the other rules: this "
        "says how often a proposal interferes, and not how good it is."
    )
    kind_heads = [
        TableCell(tr("proposal")),
        TableCell(tr("where the first difference is")),
        TableCell(tr("games"), kind="number"),
        TableCell(tr("share"), kind="number"),
        TableCell(tr("example")),
    ]
    kind_caption = tr("The first move that a proposal does not allow: what it is counted as, or why the game was over.")
    parts: list[Part] = [chart, Table(caption, heads, rows)]
    return [*parts, Table(kind_caption, kind_heads, kinds)] if kinds else parts


def _thinned(steps: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The steps of a curve that are drawn: those that move it by at least a fiftieth."""
    kept: list[tuple[float, float]] = []
    last = 1.0
    for ply, share in steps:
        if last - share >= 0.02 or not kept:
            kept.append((ply, share))
            last = share
    return kept


def _median_ply(plies: Mapping[str, int]) -> float:
    """The median of the plies of first differences; NaN where there are none."""
    total, seen = sum(plies.values()), 0
    for ply, count in sorted((int(ply), count) for ply, count in plies.items()):
        seen += count
        if 2 * seen >= total:
            return float(ply)
    return float("nan")


def _kind_rows(
    of_cells: Mapping[str, Any], title: str, proposal: str, ruleset: str, names: Names
) -> list[list[TableCell]]:
    """The kinds of differences from a proposal, the commonest first, each with an example."""
    declaration = games.declaration(names.plan.ruleset(ruleset).game)
    events = {event.name: event for event in declaration.events}
    total: dict[str, int] = {}
    examples: dict[str, Mapping[str, Any]] = {}
    for one in of_cells.values():
        for kind, count in one["kinds"].items():
            total[kind] = total.get(kind, 0) + count
            examples.setdefault(kind, one["examples"][kind][0])
    everything = sum(one["games"] for one in of_cells.values())
    rows = []
    for kind, count in sorted(total.items(), key=lambda each: -each[1])[:MOST_KINDS]:
        if kind.startswith(":"):
            named = ending(declaration, kind[1:])
            words = tr("the game is over: {sentence}", sentence=named.sentence if named else kind[1:])
        elif kind:
            words = tr(
                "a move counted as: {events}",
                events=listed([event_title(events[name]) if name in events else name for name in kind.split(",")]),
            )
        else:
            words = tr("an ordinary move")
        example = examples[kind]
        where = tr(
            "{file}, game {game}, ply {ply}: {move}",
            file=verbatim(example["file"]),
            game=example["game"],
            ply=example["ply"],
            move=verbatim(example["move"]),
        )
        rows.append(
            [
                TableCell(title, verbatim(proposal)),
                TableCell(words),
                numeric_cell(f"{count:,}", count),
                numeric_cell(format_percent(count / everything), count / everything),
                TableCell(where, given(**example["reason"]) if example["reason"].get("en") else ""),
            ]
        )
    return rows
