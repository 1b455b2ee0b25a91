"""Differences from the baseline beside those that others published, direction by direction."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from workbench.language import given, join, tr, verbatim
from workbench.questions.published import Published
from workbench.report.labels import pairing_text
from workbench.report.model import Bullets, Paragraph, Part, Section, Table, TableCell
from workbench.report.names import Names, Pairing
from workbench.report.numbers import format_difference
from workbench.report.sections.lookup import Record
from workbench.report.sections.strong import WORDS

AGREEMENTS = {
    "yes": (tr("agrees"), "verdict good"),
    "no": (tr("contradicts"), "verdict bad"),
    "": (tr("undecided"), "verdict open"),
}
STRONG_PLAY = ("", "")
"""What stands in the place of a pairing."""
MOST_COLUMNS = 4
"""Of more pairings the table shows the strongest one."""
NOT_USABLE = tr("not significant: no direction")


def published_section(table: pd.DataFrame, source: Published | None, names: Names) -> Section | None:
    """The table of `statistics.published_differences`; nothing where nothing was published."""
    if source is None or table.empty:
        return None
    about = [
        tr("What others published ({source}), beside the same differences of this experiment.").format(
            source=source.source
        )
    ]
    if source.players:
        players = given(en=source.players, ja=source.players_ja)
        about.append(tr(" Players: {players}.").format(players=players))
    parts: list[Part] = [Paragraph(join("", about))]
    shown = names.plan.pairings if len(names.plan.pairings) <= MOST_COLUMNS else (names.strongest,)
    for measure, of in table.groupby("measure", sort=False):
        players_of = set(zip(of["first"], of["second"], strict=True))
        columns = [pair for pair in (STRONG_PLAY, *shown) if pair in players_of]
        parts += [Bullets([_agreement_sentence(of, str(measure), pair, names) for pair in columns])]
        parts += [_table(of, str(measure), columns, names)]
    return Section("published", tr("Beside published results"), parts)


def _players_text(pair: Pairing) -> str:
    return tr("strong play") if pair == STRONG_PLAY else pairing_text(pair)


def _agreement_sentence(of: pd.DataFrame, measure: str, pair: Pairing, names: Names) -> str:
    """How many published directions these players have, too."""
    agrees = of.loc[of["usable"].astype(bool) & (of["first"] == pair[0]) & (of["second"] == pair[1]), "agrees"]
    yes, no = (int((agrees == code).sum()) for code in ("yes", "no"))
    return tr("{measure}, {players}: of {usable} published directions {yes} agree, {no} contradict, "
"{open} undecided.").format(
        measure=names.measure_name(measure), players=_players_text(pair),
        usable=len(agrees), yes=yes, no=no, open=len(agrees) - yes - no,
    )  # fmt: skip


def _table(of: pd.DataFrame, measure: str, columns: Sequence[Pairing], names: Names) -> Table:
    """A row for each ruleset, a column for strong play and each pairing."""
    caption = tr(
        "Difference from {baseline} in points, with its 95 % interval ({measure}). Agrees or "
        "contradicts: both intervals leave 0 out, on the same side or on different ones; of "
        "strong play: its verdict has a direction."
    ).format(measure=names.measure_name(measure), baseline=names.short(names.plan.baseline))
    heads = [TableCell(tr("ruleset")), TableCell(tr("published"), kind="number")]
    heads += [TableCell(_players_text(pair)) for pair in columns]
    rows = []
    for ruleset, theirs in of.groupby("ruleset", sort=False):
        cells = {(row["first"], row["second"]): row for row in theirs.to_dict("records")}
        row = theirs.iloc[0]
        number = verbatim(format_difference(row["published"], row["published_low"], row["published_high"]))
        note = "" if row["usable"] else NOT_USABLE
        rows.append([names.ruleset_cell(str(ruleset)), TableCell(number, note, float(row["published"]), "number")])
        rows[-1] += [_result_cell(cells[pair]) if pair in cells else TableCell() for pair in columns]
    return Table(caption, heads, rows)


def _result_cell(row: Record) -> TableCell:
    """A difference of this experiment, and what it says of the published one."""
    number, sort = verbatim(format_difference(row["difference"], row["low"], row["high"])), float(row["difference"])
    words, kind = AGREEMENTS[str(row["agrees"])]
    if row["strong"]:
        verdict, _, _ = WORDS[str(row["strong"])]
        if not row["agrees"]:
            return TableCell(verdict, number, sort, kind)
        number = tr("{verdict}: {now}").format(verdict=verdict, now=number)
    elif not row["usable"]:
        return TableCell(number, sort=sort)
    return TableCell(words, number, sort, kind)
