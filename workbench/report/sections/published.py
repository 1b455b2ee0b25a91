"""Differences from the baseline beside those that others published, direction by direction."""

from __future__ import annotations

import pandas as pd

from workbench.questions.published import Published
from workbench.report.labels import pairing_text
from workbench.report.model import Bullets, Paragraph, Part, Section, Table, TableCell
from workbench.report.names import Names
from workbench.report.numbers import difference
from workbench.report.sections.lookup import Record
from workbench.report.text import EMPTY, Text, bilingual, verbatim

AGREEMENTS = {
    "yes": (Text("agrees", "一致"), "verdict good"),
    "no": (Text("contradicts", "逆"), "verdict bad"),
    "": (Text("undecided", "未判定"), "verdict open"),
}
NOT_USABLE = Text("not significant: no direction", "有意でなく、向きは比べられない")


def published(table: pd.DataFrame, said: Published | None, names: Names) -> Section | None:
    """The table of `statistics.published_differences`; nothing where nothing was published."""
    if said is None or table.empty:
        return None
    about = Text(
        "What others published ({source}), beside the same differences of this experiment. Players: {players}.",
        "公表された結果（{source}）と、この実験での同じ差。公表結果の対局者：{players}。",
    )
    if not said.players:
        about = Text(
            "What others published ({source}), beside the same differences of this experiment.",
            "公表された結果（{source}）と、この実験での同じ差。",
        )
    parts: list[Part] = [Paragraph(about.format(source=said.source, players=bilingual(said.players, said.players_ja)))]
    for measure in dict.fromkeys(table["measure"]):
        of = table[table["measure"] == measure]
        parts += [Bullets(list(_counts(of, str(measure), names))), _table(of, str(measure), names)]
    return Section("published", Text("Beside published results", "公表された結果との比較"), parts)


def _counts(of: pd.DataFrame, measure: str, names: Names) -> list[Text]:
    """For each pairing, how many published directions it has, too."""
    text = Text(
        "{measure}, {players}: of {usable} published directions {yes} agree, {no} contradict, {open} undecided.",
        "{measure}、{players}：公表された{usable}件の向きのうち、一致{yes}、逆{no}、未判定{open}。",
    )
    told = []
    for pair in names.plan.pairings:
        usable = of[(of["first"] == pair[0]) & (of["second"] == pair[1]) & of["usable"].astype(bool)]
        yes, no = (int((usable["agrees"] == code).sum()) for code in ("yes", "no"))
        counts = {"usable": len(usable), "yes": yes, "no": no, "open": len(usable) - yes - no}
        told.append(
            text.format(
                measure=names.measure(measure),
                players=pairing_text(pair),
                **{name: str(count) for name, count in counts.items()},
            )
        )
    return told


def _table(of: pd.DataFrame, measure: str, names: Names) -> Table:
    """A row for each ruleset, a column for each pairing."""
    caption = Text(
        "{measure}: difference from {baseline} in points, with its 95 % interval. Agrees or contradicts: both "
        "intervals leave 0 out, on the same side or on different ones.",
        "{measure}：{baseline}との差（ポイント）と95%信頼区間。一致・逆：どちらの区間も0を含まず、同じ側か反対側か。",
    ).format(measure=names.measure(measure), baseline=names.short(names.plan.baseline))
    pairings = [pair for pair in names.plan.pairings if pair in set(zip(of["first"], of["second"], strict=True))]
    heads = [
        TableCell(Text("ruleset", "ルール")),
        TableCell(Text("published", "公表された差"), kind="number"),
        *(TableCell(pairing_text(pair)) for pair in pairings),
    ]
    rows = []
    for ruleset in dict.fromkeys(of["ruleset"]):
        cells = {(row["first"], row["second"]): row for row in of[of["ruleset"] == ruleset].to_dict("records")}
        any_row = next(iter(cells.values()))
        theirs = verbatim(difference(any_row["published"], any_row["published_low"], any_row["published_high"]))
        rows.append(
            [
                names.cell(str(ruleset)),
                TableCell(theirs, EMPTY if any_row["usable"] else NOT_USABLE, float(any_row["published"]), "number"),
                *(_ours(cells.get(pair)) for pair in pairings),
            ]
        )
    return Table(caption, heads, rows)


def _ours(row: Record | None) -> TableCell:
    """A difference of this experiment, and what it says of the published one."""
    if row is None:
        return TableCell()
    number = verbatim(difference(row["difference"], row["low"], row["high"]))
    if not row["usable"]:
        return TableCell(number, sort=float(row["difference"]))
    words, kind = AGREEMENTS[str(row["agrees"])]
    return TableCell(words, number, float(row["difference"]), kind)
