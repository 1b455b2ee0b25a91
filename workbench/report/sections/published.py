"""Differences from the baseline beside those that others published, direction by direction."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from workbench.language.text import EMPTY, Text, bilingual, verbatim
from workbench.questions.published import Published
from workbench.report.labels import pairing_text
from workbench.report.model import Bullets, Paragraph, Part, Section, Table, TableCell
from workbench.report.names import Names, Pairing
from workbench.report.numbers import difference
from workbench.report.sections.lookup import Record
from workbench.report.sections.strong import WORDS

AGREEMENTS = {
    "yes": (Text("agrees", "一致"), "verdict good"),
    "no": (Text("contradicts", "逆"), "verdict bad"),
    "": (Text("undecided", "未判定"), "verdict open"),
}
STRONG_PLAY = ("", "")
"""What stands in the place of a pairing."""
MOST_COLUMNS = 4
"""Of more pairings the table shows the strongest one."""
NOT_USABLE = Text("not significant: no direction", "有意でなく、向きは比べられない")


def published(table: pd.DataFrame, said: Published | None, names: Names) -> Section | None:
    """The table of `statistics.published_differences`; nothing where nothing was published."""
    if said is None or table.empty:
        return None
    about = [
        Text(
            "What others published ({source}), beside the same differences of this experiment.",
            "公表された結果（{source}）と、この実験での同じ差。",
        ).format(source=said.source)
    ]
    if said.players:
        players = bilingual(said.players, said.players_ja)
        about.append(Text(" Players: {players}.", "公表結果の対局者：{players}。").format(players=players))
    parts: list[Part] = [Paragraph(EMPTY.join(about))]
    shown = names.plan.pairings if len(names.plan.pairings) <= MOST_COLUMNS else (names.strongest,)
    for measure, of in table.groupby("measure", sort=False):
        players_of = set(zip(of["first"], of["second"], strict=True))
        columns = [pair for pair in (STRONG_PLAY, *shown) if pair in players_of]
        parts += [Bullets([_count(of, str(measure), pair, names) for pair in columns])]
        parts += [_table(of, str(measure), columns, names)]
    return Section("published", Text("Beside published results", "公表された結果との比較"), parts)


def _players(pair: Pairing) -> Text:
    return Text("strong play", "強いプレイヤー") if pair == STRONG_PLAY else pairing_text(pair)


def _count(of: pd.DataFrame, measure: str, pair: Pairing, names: Names) -> Text:
    """How many published directions these players have, too."""
    agrees = of.loc[of["usable"].astype(bool) & (of["first"] == pair[0]) & (of["second"] == pair[1]), "agrees"]
    yes, no = (int((agrees == code).sum()) for code in ("yes", "no"))
    return Text(
        "{measure}, {players}: of {usable} published directions {yes} agree, {no} contradict, {open} undecided.",
        "{measure}、{players}：公表された{usable}件の向きのうち、一致{yes}、逆{no}、未判定{open}。",
    ).format(
        measure=names.measure(measure), players=_players(pair),
        usable=len(agrees), yes=yes, no=no, open=len(agrees) - yes - no,
    )  # fmt: skip


def _table(of: pd.DataFrame, measure: str, columns: Sequence[Pairing], names: Names) -> Table:
    """A row for each ruleset, a column for strong play and each pairing."""
    caption = Text(
        "Difference from {baseline} in points, with its 95 % interval ({measure}). Agrees or contradicts: both "
        "intervals leave 0 out, on the same side or on different ones; of strong play: its verdict has a direction.",
        "{baseline}との差（ポイント）と95%信頼区間（{measure}）。一致・逆：どちらの区間も0を含まず、同じ側か反対側か。"
        "強いプレイヤーについては、その判定に向きがある場合。",
    ).format(measure=names.measure(measure), baseline=names.short(names.plan.baseline))
    heads = [TableCell(Text("ruleset", "ルール")), TableCell(Text("published", "公表された差"), kind="number")]
    heads += [TableCell(_players(pair)) for pair in columns]
    rows = []
    for ruleset, theirs in of.groupby("ruleset", sort=False):
        cells = {(row["first"], row["second"]): row for row in theirs.to_dict("records")}
        row = theirs.iloc[0]
        number = verbatim(difference(row["published"], row["published_low"], row["published_high"]))
        note = EMPTY if row["usable"] else NOT_USABLE
        rows.append([names.cell(str(ruleset)), TableCell(number, note, float(row["published"]), "number")])
        rows[-1] += [_ours(cells[pair]) if pair in cells else TableCell() for pair in columns]
    return Table(caption, heads, rows)


def _ours(row: Record) -> TableCell:
    """A difference of this experiment, and what it says of the published one."""
    number, sort = verbatim(difference(row["difference"], row["low"], row["high"])), float(row["difference"])
    words, kind = AGREEMENTS[str(row["agrees"])]
    if row["strong"]:
        verdict, _, _ = WORDS[str(row["strong"])]
        if not row["agrees"]:
            return TableCell(verdict, number, sort, kind)
        number = Text("{verdict}: {now}", "{verdict}：{now}").format(verdict=verdict, now=number)
    elif not row["usable"]:
        return TableCell(number, sort=sort)
    return TableCell(words, number, sort, kind)
