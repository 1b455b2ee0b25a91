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
STRONG_PLAY = Text("strong play", "強いプレイヤー")
MOST_COLUMNS = 4
"""Of more pairings the table shows the strongest one, and another table all of them."""
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
        few = names.plan.pairings if len(names.plan.pairings) <= MOST_COLUMNS else (names.strongest,)
        parts += [Bullets(_counts(of, str(measure), few, names)), _table(of, str(measure), few, names)]
        if len(few) < len(names.plan.pairings):
            parts.append(_all_players(of, str(measure), names))
    return Section("published", Text("Beside published results", "公表された結果との比較"), parts)


def _counts(of: pd.DataFrame, measure: str, pairings: Sequence[Pairing], names: Names) -> list[Text]:
    """For strong play and each of these pairings, how many published directions it has, too."""
    text = Text(
        "{measure}, {players}: of {usable} published directions {yes} agree, {no} contradict, {open} undecided.",
        "{measure}、{players}：公表された{usable}件の向きのうち、一致{yes}、逆{no}、未判定{open}。",
    )
    usable = of[of["usable"].astype(bool)]
    judged = [
        (pairing_text(pair), usable.loc[(usable["first"] == pair[0]) & (usable["second"] == pair[1]), "agrees"])
        for pair in pairings
    ]
    if (of["strong"] != "").any():
        judged.insert(0, (STRONG_PLAY, usable.drop_duplicates("ruleset")["strong_agrees"]))
    told = []
    for players, agrees in judged:
        yes, no = (int((agrees == code).sum()) for code in ("yes", "no"))
        counts = {"usable": len(agrees), "yes": yes, "no": no, "open": len(agrees) - yes - no}
        said = {name: str(count) for name, count in counts.items()}
        told.append(text.format(measure=names.measure(measure), players=players, **said))
    return told


def _table(of: pd.DataFrame, measure: str, wanted: Sequence[Pairing], names: Names) -> Table:
    """A row for each ruleset, a column for strong play and each of these pairings."""
    caption = Text(
        "Difference from {baseline} in points, with its 95 % interval ({measure}). Agrees or contradicts: both "
        "intervals leave 0 out, on the same side or on different ones; of strong play: its verdict has a direction.",
        "{baseline}との差（ポイント）と95%信頼区間（{measure}）。一致・逆：どちらの区間も0を含まず、同じ側か反対側か。"
        "強いプレイヤーについては、その判定に向きがある場合。",
    ).format(measure=names.measure(measure), baseline=names.short(names.plan.baseline))
    pairings = [pair for pair in wanted if pair in set(zip(of["first"], of["second"], strict=True))]
    strong = (of["strong"] != "").any()
    heads = [
        TableCell(Text("ruleset", "ルール")),
        TableCell(Text("published", "公表された差"), kind="number"),
        *([TableCell(STRONG_PLAY)] if strong else []),
        *(TableCell(pairing_text(pair)) for pair in pairings),
    ]
    rows = []
    for ruleset in dict.fromkeys(of["ruleset"]):
        cells = {(row["first"], row["second"]): row for row in of[of["ruleset"] == ruleset].to_dict("records")}
        any_row = next(iter(cells.values()))
        rows.append(
            [
                names.cell(str(ruleset)),
                _theirs(any_row),
                *([_strong(any_row)] if strong else []),
                *(_ours(cells.get(pair)) for pair in pairings),
            ]
        )
    return Table(caption, heads, rows)


def _all_players(of: pd.DataFrame, measure: str, names: Names) -> Table:
    """A row for each ruleset and pairing, shown when asked."""
    caption = Text("All players: {measure}.", "全プレイヤー：{measure}。").format(measure=names.measure(measure))
    heads = [
        TableCell(Text("ruleset", "ルール")),
        TableCell(Text("players", "プレイヤー")),
        TableCell(Text("published", "公表された差"), kind="number"),
        TableCell(Text("here", "この実験")),
    ]
    rows = []
    for row in of.to_dict("records"):
        pair = (str(row["first"]), str(row["second"]))
        players = TableCell(pairing_text(pair), sort=float(names.series(pair)))
        rows.append([names.cell(str(row["ruleset"])), players, _theirs(row), _ours(row)])
    return Table(caption, heads, rows, folded=True)


def _theirs(row: Record) -> TableCell:
    """A published difference, and whether it has a direction."""
    number = verbatim(difference(row["published"], row["published_low"], row["published_high"]))
    return TableCell(number, EMPTY if row["usable"] else NOT_USABLE, float(row["published"]), "number")


def _strong(row: Record) -> TableCell:
    """The verdict about strong play, and what it says of the published difference."""
    if not row["strong"]:
        return TableCell()
    verdict, _, _ = WORDS[str(row["strong"])]
    now = difference(row["strong_now"], row["strong_low"], row["strong_high"])
    if not row["strong_agrees"]:
        return TableCell(verdict, verbatim(now), float(row["strong_now"]), "verdict open")
    words, kind = AGREEMENTS[str(row["strong_agrees"])]
    both = Text("{verdict}: {now}", "{verdict}：{now}").format(verdict=verdict, now=now)
    return TableCell(words, both, float(row["strong_now"]), kind)


def _ours(row: Record | None) -> TableCell:
    """A difference of this experiment, and what it says of the published one."""
    if row is None:
        return TableCell()
    number = verbatim(difference(row["difference"], row["low"], row["high"]))
    if not row["usable"]:
        return TableCell(number, sort=float(row["difference"]))
    words, kind = AGREEMENTS[str(row["agrees"])]
    return TableCell(words, number, float(row["difference"]), kind)
