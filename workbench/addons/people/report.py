"""Games of people in reports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from workbench import games
from workbench.addons.people.reading import KINDS, REMARKS
from workbench.base.language import bilingual, join_list, sentences, tr, untranslated
from workbench.games.results import SCORES, ending
from workbench.players.agent_kinds import PEOPLE
from workbench.records.trials import Trials
from workbench.report import labels
from workbench.report.model import (
    Chart,
    Column,
    Dot,
    Interval,
    Line,
    Panel,
    Paragraph,
    Part,
    Row,
    Section,
    Survival,
    Table,
    TableCell,
    fit_scale,
    interval_ends,
    numeric_cell,
)
from workbench.report.names import Names, Pairing, Record, score_text
from workbench.statistics import Analysis
from workbench.statistics.intervals import score_interval, wilson

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
        found += [sentence.format(kinds=join_list(kinds))] if kinds else []
    return Paragraph(sentences(found))


def _beside_table(trials: Trials, analysis: Analysis, names: Names) -> Table:
    """Players and people in the same rows: score, draws, length, first move."""

    def draws(cell: Record) -> TableCell:
        share = cell["draws"] / cell["finished"] if cell["finished"] else math.nan
        low, high = (float(end) for end in wilson(cell["draws"], cell["finished"]))
        return numeric_cell(labels.format_share(share, low, high), share)

    def commonest(cell: Record) -> str:
        moves = _moves_of(trials, (str(cell["ruleset"]), str(cell["first"]), str(cell["second"])))
        counts = moves["move"].value_counts()
        if not len(counts):
            return ""
        share = labels.format_percent(counts.iloc[0] / counts.sum(), 0)
        return tr("{move} ({share})", move=untranslated(str(counts.index[0])), share=share)

    columns = (
        *names.cell_columns(),
        Column.amount(tr("games"), "games"),
        Column.number(
            tr("first player's score"),
            lambda cell: TableCell(score_text(cell), sort=float(cell["first_score"]), kind="number"),
        ),
        Column.number(tr("draws"), draws),
        Column.amount(tr("half of the games end by ply"), "plies_median"),
        Column.text(tr("commonest first move"), commonest),
    )
    caption = tr(
        "People, by the mean of both ratings, and players of the workbench under the same rules, with 95 % intervals. "
        "People resign, agree on draws and run out of time; players go on to the end."
    )
    played = analysis.cells[analysis.cells["games"] > 0]
    return Table.of(caption, columns, played.to_dict("records"))


def _moves_of(trials: Trials, cell: tuple[str, str, str]) -> pd.DataFrame:
    """Return the first move of each game of a cell, and its result."""
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
    rows, records = [], []
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
            text = labels.format_share(score, low, high)
            lines.append(names.pairing_line(pair, text, Interval(low, high), Dot(score)))
            records.append(
                {"move": str(move), "first": pair[0], "second": pair[1], "games": n, "share": share}
                | {"score": score, "score_low": low, "score_high": high}
            )
        of_all = untranslated(labels.format_percent(total[move] / total.sum()))
        rows.append(Row(str(move), untranslated(str(move)), tuple(lines), of_all))
    scale = fit_scale([*interval_ends(rows), 0.45, 0.55], labels.percent_tick, 0.5)
    caption = tr(
        "The first moves that people choose most often, with their share among all people’s games: dot and bar are the "
        "first player's score after them and its 95 % interval."
    )
    stem = f"people-first-moves-{names.rulesets.index(ruleset)}"
    title = tr("First moves of people: {ruleset}", ruleset=names.short(ruleset))
    chart = Chart(f"chart-{stem}", Panel(scale, tuple(rows)), caption, names.pairing_series(pairings), stem, title)
    columns = (
        Column.text(tr("first move"), lambda row: untranslated(row["move"])),
        names.players_column(),
        Column.amount(tr("games"), "games"),
        Column.percent(tr("share"), "share"),
        Column.share(tr("first player's score"), "score"),
    )
    return [chart, Table.of(title, columns, records, folded=True)]


def _rungs(found: Mapping[str, Any], names: Names) -> list[Part]:
    """Which players of a ladder people resemble."""
    if not found:
        return []
    bands = [pair for pair in names.plan.pairings if any(pair[0] in one["agrees"] for one in found.values())]
    said = []
    for pair in bands:
        agrees = {label: one["agrees"][pair[0]] for label, one in found.items() if pair[0] in one["agrees"]}
        best = max(agrees, key=lambda label: agrees[label][0] / agrees[label][1])
        share = labels.format_share(agrees[best][0] / agrees[best][1], *map(float, wilson(*agrees[best])))
        text = tr("{people} most often make the move of {player}: {share} of {asked} positions.")
        said.append(
            text.format(people=labels.pairing_text(pair), player=untranslated(best), share=share, asked=agrees[best][1])
        )

    def of_people(pair: Pairing) -> Column:
        def rate_cell(row: tuple[str, Record]) -> TableCell:
            agreed, asked = row[1]["agrees"].get(pair[0], (0, 0))
            rate = agreed / asked if asked else math.nan
            return numeric_cell(labels.format_share(rate, *map(float, wilson(agreed, asked))), rate)

        return Column.number(labels.pairing_text(pair), rate_cell)

    columns = (
        Column.text(tr("player of the ladder"), lambda row: untranslated(row[0])),
        Column.number("Elo", lambda row: numeric_cell(labels.format_elo(row[1]["elo"]), row[1]["elo"])),
        *map(of_people, bands),
    )
    caption = tr(
        "How often each player of the ladder that was kept of these rules makes the move that people made, in one "
        "position of each game after ply {ply}, with 95 % intervals. Elo is the ladder's, and no rating of people.",
        ply=8,
    )
    return [Paragraph(sentences(said)), Table.of(caption, columns, found.items())]


def _under(said: Mapping[str, Any], ruleset: str, names: Names) -> list[Part]:
    """Which games would have been legal under proposals, and where the others differ."""
    under: Mapping[str, Any] = said.get("under") or {}
    if not under:
        return []
    records, rows = [], []
    kinds: list[Record] = []
    longest = max([1, *(int(ply) for of_cells in under.values() for one in of_cells.values() for ply in one["plies"])])
    for proposal, of_cells in under.items():
        title = bilingual(en=said["titles"][proposal][0], ja=said["titles"][proposal][1])
        lines = []
        for pair in names.plan.pairings:
            if pair[0] not in of_cells:
                continue
            one = of_cells[pair[0]]
            n = one["games"]
            stays = one["legal"] + one["other_result"]
            low, high = (float(end) for end in wilson(stays, n))
            records.append(
                {"title": title, "proposal": proposal, "first": pair[0], "second": pair[1], "games": n}
                | {"legal": stays / n, "legal_low": low, "legal_high": high, "other": one["other_result"] / n}
                | {"ply": _median_ply(one["plies"])}
            )
            steps, left = [], n
            for ply, count in sorted((int(ply), count) for ply, count in one["plies"].items()):
                left -= count
                steps.append((float(ply), left / n))
            curve = Survival((*_thinned(steps), (float(longest), stays / n)))
            text = untranslated(labels.format_percent(stays / n))
            lines.append(Line(names.series_number(pair), (curve,), text, labels.pairing_text(pair)))
        rows.append(Row(proposal, title, tuple(lines), untranslated(proposal)))
        kinds += _kind_rows(of_cells, title, proposal, ruleset, names)
    scale = fit_scale([float(longest)], lambda value: f"{value:.0f}", from_zero=True, whole=True)
    pairings = [pair for pair in names.plan.pairings if any(pair[0] in of_cells for of_cells in under.values())]
    stem = f"people-under-{names.rulesets.index(ruleset)}"
    heading = tr("People’s games of {ruleset} under other rules", ruleset=names.short(ruleset))
    shaded = tr(
        "Shaded: the share of people’s games that are still possible after so many plies under a proposal; beside it "
        "the share that stays possible to the end."
    )
    chart = Chart(f"chart-{stem}", Panel(scale, tuple(rows)), shaded, names.pairing_series(pairings), stem, heading)
    proposal_column = Column.plain(tr("proposal"), lambda row: TableCell(row["title"], untranslated(row["proposal"])))
    columns = (
        proposal_column,
        names.players_column(),
        Column.amount(tr("games"), "games"),
        Column.share(tr("legal to the end"), "legal"),
        Column.percent(tr("of these with another result"), "other"),
        Column.amount(tr("first impossible move: median ply"), "ply"),
    )
    caption = tr(
        "Would these games have been legal? People would have played otherwise had they known the other rules: this "
        "says how often a proposal interferes, and not how good it is."
    )
    kind_columns = (
        proposal_column,
        Column.text(tr("where the first difference is"), lambda row: row["words"]),
        Column.amount(tr("games"), "games"),
        Column.percent(tr("share"), "share"),
        Column.plain(tr("example"), lambda row: TableCell(row["where"], row["reason"])),
    )
    kind_caption = tr("The first move that a proposal does not allow: what it is counted as, or why the game was over.")
    parts: list[Part] = [chart, Table.of(caption, columns, records)]
    return [*parts, Table.of(kind_caption, kind_columns, kinds)] if kinds else parts


def _thinned(steps: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the steps of a curve that are drawn: those that move it by at least a fiftieth."""
    kept: list[tuple[float, float]] = []
    last = 1.0
    for ply, share in steps:
        if last - share >= 0.02 or not kept:
            kept.append((ply, share))
            last = share
    return kept


def _median_ply(plies: Mapping[str, int]) -> float:
    """Return the median of the plies of first differences; NaN where there are none."""
    total, seen = sum(plies.values()), 0
    for ply, count in sorted((int(ply), count) for ply, count in plies.items()):
        seen += count
        if 2 * seen >= total:
            return float(ply)
    return float("nan")


def _kind_rows(of_cells: Mapping[str, Any], title: str, proposal: str, ruleset: str, names: Names) -> Sequence[Record]:
    """Return the kinds of differences from a proposal, the commonest first, each with an example."""
    declaration = games.declaration(names.plan.ruleset(ruleset).game)
    events = {event.name: event for event in declaration.events}
    total: dict[str, int] = {}
    examples: dict[str, Mapping[str, Any]] = {}
    for one in of_cells.values():
        for kind, count in one["kinds"].items():
            total[kind] = total.get(kind, 0) + count
            examples.setdefault(kind, one["examples"][kind][0])
    everything = sum(one["games"] for one in of_cells.values())
    records = []
    for kind, count in sorted(total.items(), key=lambda each: -each[1])[:MOST_KINDS]:
        if kind.startswith(":"):
            named = ending(declaration, kind[1:])
            words = tr("the game is over: {sentence}", sentence=named.sentence if named else kind[1:])
        elif kind:
            counted = [labels.event_title(events[name]) if name in events else name for name in kind.split(",")]
            words = tr("a move counted as: {events}", events=join_list(counted))
        else:
            words = tr("an ordinary move")
        example = examples[kind]
        at = {"game": example["game"], "ply": example["ply"]}
        at |= {name: untranslated(example[name]) for name in ("file", "move")}
        where = tr("{file}, game {game}, ply {ply}: {move}", **at)
        reason = bilingual(**example["reason"]) if example["reason"].get("en") else ""
        records.append(
            {"title": title, "proposal": proposal, "words": words, "games": count, "share": count / everything}
            | {"where": where, "reason": reason}
        )
    return records
