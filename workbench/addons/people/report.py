"""The section of a report on human games."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from workbench import games
from workbench.addons.people.reading import KINDS, REMARKS
from workbench.base.language import bilingual, join_list, sentences, tr, untranslated
from workbench.games.results import SCORES, ending
from workbench.players.agent_kinds import PEOPLE
from workbench.records.trials import Trials
from workbench.report import labels
from workbench.report import model as m
from workbench.report.names import Names, Pairing, Record, score_text
from workbench.statistics import Analysis
from workbench.statistics.intervals import score_interval, wilson

MOST_MOVES = 8
MOST_KINDS = 12


def people_section(trials: Trials, provenance: Mapping[str, Any], analysis: Analysis, names: Names) -> m.Section | None:
    """Return the section about human games, or None if there are none."""
    imports: Mapping[str, Any] = provenance.get(PEOPLE) or {}
    if not imports:
        return None
    parts: list[m.Part] = [_import_paragraph(entry, str(ruleset), names) for ruleset, entry in imports.items()]
    parts.append(_cell_table(trials, analysis, names))
    for ruleset, entry in imports.items():
        parts += _first_move_parts(trials, str(ruleset), names)
        parts += _agreement_parts(entry.get("rungs") or {}, names)
        parts += _legality_parts(entry, str(ruleset), names)
    return m.Section("people", tr("People’s games"), parts)


def _import_paragraph(entry: Mapping[str, Any], ruleset: str, names: Names) -> m.Paragraph:
    """Return a paragraph about the numbers of recorded and excluded games."""
    text = tr("{ruleset}: {games:,} of {read:,} human games were recorded.")
    lines = [text.format(ruleset=names.short(ruleset), read=entry["read"], games=entry["games"])]
    for texts, counts, sentence in (
        (KINDS, entry["left_out"], tr("Excluded: {kinds} (listed in left-out.csv).")),
        (REMARKS, entry["remarks"], tr("Recorded despite: {kinds}.")),
    ):
        kinds = [tr("{kind}: {count:,}", kind=texts.get(kind, kind), count=count) for kind, count in counts.items()]
        lines += [sentence.format(kinds=join_list(kinds))] if kinds else []
    return m.Paragraph(sentences(lines))


def _cell_table(trials: Trials, analysis: Analysis, names: Names) -> m.Table:
    """Return a table of score, draws, length and first move with rows for people and computer players."""

    def draws(cell: Record) -> m.TableCell:
        share = cell["draws"] / cell["finished"] if cell["finished"] else math.nan
        return m.numeric_cell(labels.format_share(share, *map(float, wilson(cell["draws"], cell["finished"]))), share)

    def first_move(cell: Record) -> str:
        moves = _first_move_results(trials, (str(cell["ruleset"]), str(cell["first"]), str(cell["second"])))
        counts = moves["move"].value_counts()
        if not len(counts):
            return ""
        share = labels.format_percent(counts.iloc[0] / counts.sum(), 0)
        return tr("{move} ({share})", move=untranslated(str(counts.index[0])), share=share)

    columns = (
        *names.cell_columns(),
        m.Column.amount(tr("games"), "games"),
        m.Column.number(
            tr("first player's score"),
            lambda cell: m.TableCell(score_text(cell), sort=float(cell["first_score"]), kind="number"),
        ),
        m.Column.number(tr("draws"), draws),
        m.Column.amount(tr("median length (plies)"), "plies_median"),
        m.Column.text(tr("commonest first move"), first_move),
    )
    caption = tr(
        "Human players by mean rating, and workbench players under the same rules, with 95 % intervals. People "
        "resign, agree to draws and run out of time; workbench players play to the end."
    )
    cells = analysis.cells[analysis.cells["games"] > 0]
    return m.Table.of(caption, columns, cells.to_dict("records"))


def _first_move_results(trials: Trials, cell: tuple[str, str, str]) -> pd.DataFrame:
    """Return the first move and the result of each of a cell's games."""
    openings = trials.column(cell, "opening").astype(str)
    move = openings.str.split(" ", n=1).str[0]
    return pd.DataFrame({"move": move, "result": trials.cell(cell)["result"].astype(str)})[move.str.len() > 0]


def _first_move_parts(trials: Trials, ruleset: str, names: Names) -> list[m.Part]:
    """Return a chart and a table of first moves by rating."""
    pairings = [pair for pair in names.plan.pairings if (ruleset, *pair) in trials.positions]
    counts = {}
    for pair in pairings:
        moves = _first_move_results(trials, (ruleset, *pair))
        finished = moves[moves["result"].isin(list(SCORES))]
        table = finished.groupby(["move", "result"]).size().unstack(fill_value=0)
        counts[pair] = (moves["move"].value_counts(), table.reindex(columns=list(SCORES), fill_value=0))
    human_counts = [counts[pair][0] for pair in pairings if names.plan.agents[pair[0]].kind == PEOPLE]
    if not human_counts:
        return []
    total = pd.concat(human_counts).groupby(level=0).sum().sort_values(ascending=False, kind="stable")
    rows, records = [], []
    for move in total.index[:MOST_MOVES]:
        lines = []
        for pair in pairings:
            frequencies, cells = counts[pair]
            n = int(frequencies.get(move, 0))
            if not n:
                continue
            share = n / frequencies.sum()
            wins, draws, losses = (int(cells.loc[move, name]) for name in SCORES) if move in cells.index else (0, 0, 0)
            low, high = (float(end) for end in score_interval(wins, draws, losses))
            finished_games = wins + draws + losses
            score = (wins + draws / 2) / finished_games if finished_games else float("nan")
            text = labels.format_share(score, low, high)
            lines.append(names.pairing_line(pair, text, m.Interval(low, high), m.Dot(score)))
            records.append(
                {"move": str(move), "first": pair[0], "second": pair[1], "games": n, "share": share}
                | {"score": score, "score_low": low, "score_high": high}
            )
        total_share = untranslated(labels.format_percent(total[move] / total.sum()))
        rows.append(m.Row(str(move), untranslated(str(move)), tuple(lines), total_share))
    scale = m.fit_scale([*m.interval_ends(rows), 0.45, 0.55], labels.percent_tick, 0.5)
    caption = tr(
        "The most frequent human first moves, with their shares of all human games. Dot and bar: the first "
        "player's score after the move and its 95 % interval."
    )
    stem = f"people-first-moves-{names.rulesets.index(ruleset)}"
    title = tr("Human first moves: {ruleset}", ruleset=names.short(ruleset))
    chart = m.Chart(f"chart-{stem}", m.Panel(scale, tuple(rows)), caption, names.pairing_series(pairings), stem, title)
    columns = (
        m.Column.text(tr("first move"), lambda row: untranslated(row["move"])),
        names.players_column(),
        m.Column.amount(tr("games"), "games"),
        m.Column.percent(tr("share"), "share"),
        m.Column.share(tr("first player's score"), "score"),
    )
    return [chart, m.Table.of(title, columns, records, folded=True)]


def _agreement_parts(players: Mapping[str, Any], names: Names) -> list[m.Part]:
    """Return a paragraph and a table of the rates at which ladder players choose the same move as people."""
    if not players:
        return []
    bands = [pair for pair in names.plan.pairings if any(pair[0] in entry["agrees"] for entry in players.values())]

    def rate_text(agreed: int, positions: int) -> str:
        rate = agreed / positions if positions else math.nan
        return labels.format_share(rate, *map(float, wilson(agreed, positions)))

    lines = []
    for pair in bands:
        agrees = {label: entry["agrees"][pair[0]] for label, entry in players.items() if pair[0] in entry["agrees"]}
        closest = max(agrees, key=lambda label: agrees[label][0] / agrees[label][1])
        lines.append(
            tr("{people} agree most often with {player}: in {share} of {asked} positions.",
               people=labels.pairing_text(pair), player=untranslated(closest), share=rate_text(*agrees[closest]),
               asked=agrees[closest][1])
        )  # fmt: skip

    def band_column(pair: Pairing) -> m.Column:
        def rate_cell(row: tuple[str, Record]) -> m.TableCell:
            agreed, positions = row[1]["agrees"].get(pair[0], (0, 0))
            return m.numeric_cell(rate_text(agreed, positions), agreed / positions if positions else math.nan)

        return m.Column.number(labels.pairing_text(pair), rate_cell)

    columns = (
        m.Column.text(tr("ladder player"), lambda row: untranslated(row[0])),
        m.Column.number("Elo", lambda row: m.numeric_cell(labels.format_elo(row[1]["elo"]), row[1]["elo"])),
        *map(band_column, bands),
    )
    caption = tr(
        "How often each player on the saved ladder chooses the human move, in one position per game after ply "
        "{ply}, with 95 % intervals. Elo ratings are from the ladder, not human ratings.",
        ply=8,
    )
    return [m.Paragraph(sentences(lines)), m.Table.of(caption, columns, players.items())]


def _legality_parts(entry: Mapping[str, Any], ruleset: str, names: Names) -> list[m.Part]:
    """Return a chart and tables of the games that are legal under proposals, and of the first differences."""
    under: Mapping[str, Any] = entry.get("under") or {}
    if not under:
        return []
    records, rows = [], []
    kinds: list[Record] = []
    longest = max([1, *(int(ply) for cells in under.values() for cell in cells.values() for ply in cell["plies"])])
    for proposal, cells in under.items():
        title = bilingual(en=entry["titles"][proposal][0], ja=entry["titles"][proposal][1])
        lines = []
        for pair in names.plan.pairings:
            if pair[0] not in cells:
                continue
            cell = cells[pair[0]]
            n = cell["games"]
            legal = cell["legal"] + cell["other_result"]
            low, high = (float(end) for end in wilson(legal, n))
            plies = sorted((int(ply), count) for ply, count in cell["plies"].items())
            first_plies = np.repeat(*np.array(plies).T) if plies else np.array([math.nan])
            records.append(
                {"title": title, "proposal": proposal, "first": pair[0], "second": pair[1], "games": n}
                | {"legal": legal / n, "legal_low": low, "legal_high": high, "other": cell["other_result"] / n}
                | {"ply": float(np.quantile(first_plies, 0.5, method="inverted_cdf"))}
            )
            steps, remaining = [], n
            for ply, count in plies:
                remaining -= count
                steps.append((float(ply), remaining / n))
            curve = m.Survival((*_thinned(steps), (float(longest), legal / n)))
            text = untranslated(labels.format_percent(legal / n))
            lines.append(m.Line(names.series_number(pair), (curve,), text, labels.pairing_text(pair)))
        rows.append(m.Row(proposal, title, tuple(lines), untranslated(proposal)))
        kinds += _kind_rows(cells, title, proposal, ruleset, names)
    scale = m.fit_scale([float(longest)], lambda value: f"{value:.0f}", from_zero=True, whole=True)
    pairings = [pair for pair in names.plan.pairings if any(pair[0] in cells for cells in under.values())]
    stem = f"people-under-{names.rulesets.index(ruleset)}"
    heading = tr("Human games of {ruleset} under other rules", ruleset=names.short(ruleset))
    legend = tr(
        "Shaded: the share of human games still legal under a proposal, by ply. Number: the share legal to the end."
    )
    chart = m.Chart(f"chart-{stem}", m.Panel(scale, tuple(rows)), legend, names.pairing_series(pairings), stem, heading)
    proposal_column = m.Column.plain(
        tr("proposal"), lambda row: m.TableCell(row["title"], untranslated(row["proposal"]))
    )
    columns = (
        proposal_column,
        names.players_column(),
        m.Column.amount(tr("games"), "games"),
        m.Column.share(tr("legal to the end"), "legal"),
        m.Column.percent(tr("of these, with a different result"), "other"),
        m.Column.amount(tr("median ply of the first illegal move"), "ply"),
    )
    caption = tr(
        "Would these games have been legal? People would have played differently under other rules, so this "
        "shows how often a proposal has an effect, not how good it is."
    )
    kind_columns = (
        proposal_column,
        m.Column.text(tr("first difference"), lambda row: row["words"]),
        m.Column.amount(tr("games"), "games"),
        m.Column.percent(tr("share"), "share"),
        m.Column.plain(tr("example"), lambda row: m.TableCell(row["where"], row["reason"])),
    )
    kind_caption = tr("The first move that is illegal under a proposal: its events, or why the game was already over.")
    parts: list[m.Part] = [chart, m.Table.of(caption, columns, records)]
    return [*parts, m.Table.of(kind_caption, kind_columns, kinds)] if kinds else parts


def _thinned(steps: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the steps of a curve, except those less than 2 percentage points below the last one kept."""
    result: list[tuple[float, float]] = []
    previous = 1.0
    for ply, share in steps:
        if previous - share >= 0.02 or not result:
            result.append((ply, share))
            previous = share
    return result


def _kind_rows(cells: Mapping[str, Any], title: str, proposal: str, ruleset: str, names: Names) -> Sequence[Record]:
    """Return a row with an example for each kind of difference under a proposal, most common first."""
    declaration = games.declaration(names.plan.ruleset(ruleset).game)
    events = {event.name: event for event in declaration.events}
    total: Counter[str] = Counter()
    examples: dict[str, Mapping[str, Any]] = {}
    for cell in cells.values():
        total.update(cell["kinds"])
        examples = {kind: entries[0] for kind, entries in cell["examples"].items()} | examples
    all_games = sum(cell["games"] for cell in cells.values())
    records = []
    for kind, count in total.most_common(MOST_KINDS):
        if kind.startswith(":"):
            rule = ending(declaration, kind[1:])
            words = tr("the game is over: {sentence}", sentence=rule.sentence if rule else kind[1:])
        elif kind:
            event_titles = [labels.event_title(events[name]) if name in events else name for name in kind.split(",")]
            words = tr("a move with events: {events}", events=join_list(event_titles))
        else:
            words = tr("an ordinary move")
        example = examples[kind]
        location = {"game": example["game"], "ply": example["ply"]}
        location |= {name: untranslated(example[name]) for name in ("file", "move")}
        place = tr("{file}, game {game}, ply {ply}: {move}", **location)
        reason = bilingual(**example["reason"]) if example["reason"].get("en") else ""
        records.append(
            {"title": title, "proposal": proposal, "words": words, "games": count, "share": count / all_games}
            | {"where": place, "reason": reason}
        )
    return records
