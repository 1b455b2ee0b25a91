"""Results from elsewhere beside the scores of the players: best play, and what others published."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from workbench.base.language import bilingual, join, join_list, tr, trc, untranslated
from workbench.experiments.experiment_files import Published
from workbench.games.results import RESULT_WORDS, SCORES
from workbench.report import labels
from workbench.report import model as m
from workbench.report.names import ByCell, Names, Pairing, Record, rows_by_cell, score_cell
from workbench.report.reading import SOLVED_BY
from workbench.report.verdicts import BALANCES, VERDICTS
from workbench.statistics import Analysis


def best_play_section(table: pd.DataFrame, analysis: Analysis, names: Names) -> m.Section | None:
    """Known values under best play, as `best_play_table` has them; None without any."""
    if table.empty:
        return None
    caption = tr(
        "Best play beside what the players of this experiment scored. Like best play: the side that wins with best "
        "play is ahead, or, where that is a draw, the score is balanced. Players who are not perfect may lean the "
        "other way: then what they score is not the value of the game."
    )
    of_cells = rows_by_cell(analysis.cells)
    records = [
        {**of_cells[str(row["ruleset"]), str(row["first"]), str(row["second"])], **row}
        for row in table.to_dict("records")
    ]
    columns = (
        names.ruleset_column(),
        m.Column.text(tr("best play"), lambda row: RESULT_WORDS[row["best_play"]]),
        m.Column.text(tr("solved here"), lambda row: RESULT_WORDS.get(row["solved"], "")),
        names.players_column(),
        m.Column.number(tr("first player's score"), score_cell),
        m.Column.percent(trc("known", "draws"), "draw_rate"),
        m.Column.text(tr("who is ahead"), lambda row: BALANCES[row["balance"]]),
        m.Column.plain(tr("like best play?"), lambda row: VERDICTS[row["agrees"] or "undecided"].unsigned_cell()),
        m.Column.number(tr("began with a winning move"), lambda row: _share_cell(row["wins"])),
        m.Column.number(tr("began with a losing move"), lambda row: _share_cell(row["loses"])),
    )
    of_rulesets = table.drop_duplicates("ruleset").to_dict("records")
    unsolved = [row for row in of_rulesets if not str(row["source"]).startswith(SOLVED_BY)]
    parts: list[m.Part] = [
        *([m.Bullets([_statement(row, names) for row in unsolved])] if unsolved else []),
        *([_random_play_table(table, of_cells, names)] if any(row["solved"] for row in of_rulesets) else []),
        m.Table.of(caption, columns, records, printed=True).without_empty_columns(),
    ]
    for row in of_rulesets:
        if row["solved"] in ("", row["best_play"]):
            continue
        text = tr("Of {ruleset} the source says: {said}. Solved here: {solved}. One of them is wrong.")
        stated, solved = RESULT_WORDS[row["best_play"]], RESULT_WORDS[row["solved"]]
        parts.append(
            m.Paragraph(text.format(ruleset=names.short(str(row["ruleset"])), said=stated, solved=solved), "warning")
        )
    return m.Section("known", tr("What is known of best play"), parts)


def _random_play_table(table: pd.DataFrame, of_cells: ByCell, names: Names) -> m.Table:
    """Return the scores of best play, of random play and of the players, for each solved ruleset."""

    def plies(row: Record) -> m.TableCell:
        value = row["best_plies"]
        return m.TableCell() if value is None or math.isnan(value) else m.numeric_cell(f"{value:.0f}", value)

    def best(row: Record) -> m.TableCell:
        return m.numeric_cell(labels.format_percent(SCORES[row["solved"]]), SCORES[row["solved"]])

    def of_players(pair: Pairing) -> m.Column:
        def score(row: Record) -> m.TableCell:
            cell = of_cells.get((str(row["ruleset"]), *pair))
            return score_cell(cell) if cell else m.TableCell()

        return m.Column.number(labels.pairing_text(pair), score)

    columns = (
        names.ruleset_column(),
        m.Column.text(tr("best play"), lambda row: RESULT_WORDS[row["solved"]]),
        m.Column.number(tr("plies of best play"), plies),
        m.Column.number(tr("score with best play"), best),
        m.Column.number(tr("score in random play, exact"), lambda row: _share_cell(row["random_score"])),
        *(of_players(pair) for pair in names.plan.pairings if pair[0] == pair[1]),
    )
    solved = table[table["solved"] != ""].drop_duplicates("ruleset").to_dict("records")
    caption = tr(
        "Solved rulesets: who wins with best play and in how many plies (the winner hurries, the loser delays), and "
        "the first player's score with best play, in random play, and of the players of this experiment."
    )
    return m.Table.of(caption, columns, solved).without_empty_columns()


def _statement(row: Record, names: Names) -> str:
    """Return the known value of a ruleset, with its source."""
    statements = [RESULT_WORDS[row["best_play"]]]
    for moves, text in (
        (row["winning_moves"], tr("first moves that win: {moves}")),
        (row["losing_moves"], tr("first moves that lose: {moves}")),
    ):
        if moves:
            statements.append(text.format(moves=join_list(str(moves).split())))
    return tr("{ruleset}: {said} ({source}).").format(
        ruleset=names.short(str(row["ruleset"])), said=trc("known", "; ").join(statements), source=row["source"]
    )


def _share_cell(value: float | None) -> m.TableCell:
    """Return the share of the games that began with one of some moves; nothing where no such moves are known."""
    if value is None or math.isnan(value):
        return m.TableCell()
    return m.numeric_cell(labels.format_percent(value), value)


STRONG_PLAY = ("", "")
"""The key of strong play among pairings."""
MOST_COLUMNS = 4
"""The most pairings in a table; of more it shows the strongest one."""
NOT_USABLE = tr("not significant: no direction")


def published_section(table: pd.DataFrame, source: Published | None, names: Names) -> m.Section | None:
    """Return the table of `statistics.published_differences`; nothing where nothing was published."""
    if source is None or table.empty:
        return None
    about = [
        tr("What others published ({source}), beside the same differences of this experiment.", source=source.source)
    ]
    if source.players:
        players = bilingual(en=source.players, ja=source.players_ja)
        about.append(tr(" Players: {players}.", players=players))
    parts: list[m.Part] = [m.Paragraph(join("", about))]
    shown = names.plan.pairings if len(names.plan.pairings) <= MOST_COLUMNS else (names.strongest,)
    for measure, of in table.groupby("measure", sort=False):
        players_of = set(zip(of["first"], of["second"], strict=True))
        columns = [pair for pair in (STRONG_PLAY, *shown) if pair in players_of]
        parts += [m.Bullets([_agreement_sentence(of, str(measure), pair, names) for pair in columns])]
        parts += [_published_table(of, str(measure), columns, names)]
    return m.Section("published", tr("Beside published results"), parts)


def _players_text(pair: Pairing) -> str:
    return tr("strong play") if pair == STRONG_PLAY else labels.pairing_text(pair)


def _agreement_sentence(of: pd.DataFrame, measure: str, pair: Pairing, names: Names) -> str:
    """Return a sentence on the number of published directions that these players confirm."""
    agrees = of.loc[of["usable"].astype(bool) & (of["first"] == pair[0]) & (of["second"] == pair[1]), "agrees"]
    yes, no = (int((agrees == code).sum()) for code in ("yes", "no"))
    return tr(
        "{measure}, {players}: of {usable} published directions {yes} agree, {no} contradict, {open} undecided.",
        measure=names.measure_name(measure),
        players=_players_text(pair),
        usable=len(agrees),
        yes=yes,
        no=no,
        open=len(agrees) - yes - no,
    )


def _published_table(of: pd.DataFrame, measure: str, columns: Sequence[Pairing], names: Names) -> m.Table:
    """Return a row for each ruleset, a column for strong play and each pairing."""
    caption = tr(
        "Difference from {baseline} in points, with its 95 % interval ({measure}). Agrees or contradicts: both "
        "intervals leave 0 out, on the same side or on different ones; of strong play: its verdict has a direction."
    ).format(measure=names.measure_name(measure), baseline=names.baseline)
    by_cell = rows_by_cell(of)

    def published(row: Record) -> m.TableCell:
        number = untranslated(labels.format_difference(row["published"], row["published_low"], row["published_high"]))
        return m.TableCell(number, "" if row["usable"] else NOT_USABLE, float(row["published"]), "number")

    def of_pair(pair: Pairing) -> m.Column:
        return m.Column.of_found(_players_text(pair), lambda row: by_cell.get((row["ruleset"], *pair)), _result_cell)

    shown = (names.ruleset_column(), m.Column.number(tr("published"), published), *map(of_pair, columns))
    return m.Table.of(caption, shown, of.drop_duplicates("ruleset").to_dict("records"))


def _result_cell(row: Record) -> m.TableCell:
    """Return a difference of this experiment, and what it says of the published one."""
    number, sort = (
        untranslated(labels.format_difference(row["difference"], row["low"], row["high"])),
        float(row["difference"]),
    )
    agreement = VERDICTS[{"yes": "agrees", "no": "contradicts", "": "undecided"}[str(row["agrees"])]]
    if row["strong"]:
        verdict = VERDICTS[str(row["strong"])].text
        if not row["agrees"]:
            return m.TableCell(verdict, number, sort, "verdict open")
        number = tr("{verdict}: {now}", verdict=verdict, now=number)
    elif not row["usable"]:
        return m.TableCell(number, sort=sort)
    return agreement.unsigned_cell(number, sort)
