"""Conditions under which a number should not be trusted, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from workbench.language.text import Text, joined, verbatim
from workbench.questions.design import LeftOut, group_left_out
from workbench.report.labels import pairing_text
from workbench.report.model import Paragraph, Part
from workbench.report.names import Names, Pairing
from workbench.report.numbers import amount
from workbench.report.sections.lookup import Record
from workbench.report.sections.phrases import named
from workbench.statistics import Analysis

WARNINGS = {
    "unsteady": Text(
        "{where}: {subject} change along the run by more than chance allows.",
        "{where}：{subject}が、偶然の範囲を超えて途中で変化している。",
    ),
    "toggle_never_fired": Text(
        "{where}: what the rule “{subject}” is about never happened, neither here nor under the baseline: the games "
        "say nothing of this change.",
        "{where}：「{subject}」に関わる出来事が、基準でも案でも一度も起きていない。この変更については何も言えない。",
    ),
    "event_never": Text("Never happened in any game: {subject}.", "どの対局でも一度も起きなかった出来事：{subject}。"),
    "no_finished_games": Text(
        "{where}: no game finished, so there is no score.", "{where}：決着した対局がなく、得点率を出せない。"
    ),
    "no_games": Text("{where}: there are no games.", "{where}：対局がない。"),
    "equal_fingerprints": Text("{where} has the same rules as {subject}.", "{where}は{subject}と同じルールである。"),
    "copies": Text(
        "{where}: games repeat each other so often that they are worth only {value} different ones.",
        "{where}：同じ棋譜が多く、実質的な対局数は{value}局にとどまる。",
    ),
    "few_games": Text(
        "{where}: {value} games are too few to tell a difference of the size that matters.",
        "{where}：{value}局では、問題となる大きさの差を見分けるには足りない。",
    ),
    "not_reproducible": Text(
        "Not reproducible: {where}. A player comes from outside, and nobody assures that the same seed gives the same "
        "game again.",
        "再現できない対局：{where}。外部のプレイヤーが指しており、同じ乱数の種から同じ棋譜が得られる保証はない。",
    ),
    "left_out": Text(
        "Left out, since the rules refuse them: {subject}.", "ルール上ありえないので除いた組み合わせ：{subject}。"
    ),
}
TOLD_TOGETHER = ("event_never", "left_out", "not_reproducible")
"""Warnings of which there may be many, in one sentence each."""


def warnings_of(analysis: Analysis, names: Names) -> list[Part]:
    """What keeps a reader from believing a number; the same of many cells is said once."""
    rows: dict[tuple[str, str], list[Record]] = {}
    for row in analysis.warnings.to_dict("records"):
        rows.setdefault((row["code"], "" if row["code"] in TOLD_TOGETHER else row["subject"]), []).append(row)
    texts: list[Part] = []
    for (code, subject), group in rows.items():
        values = [float(row["value"]) for row in group if not math.isnan(row["value"])]
        low, high = (amount(end(values)) if values else "" for end in (min, max))
        about = names.subject(subject)
        if code == "event_never":
            events = [names.event(row["subject"]) for row in group]
            about = joined([Text(f"“{event.en}”", f"「{event.ja}」") for event in events])
        elif code == "left_out":
            about = Text("; ", "。").join(
                Text(text.en, text.ja) for text in map(_left_out, group_left_out([row["subject"] for row in group]))
            )
        text = WARNINGS[code].format(
            where=_where(group, names), subject=about, value=low if low == high else f"{low}–{high}"
        )
        texts.append(Paragraph(text, "note" if code in TOLD_TOGETHER else "warning"))
    return texts


def _left_out(group: LeftOut) -> Text:
    """Combinations that were left out for one reason."""
    if group.count == 1:
        return verbatim(f"{group.shared}: {group.reason}")
    if not group.shared:
        return Text(f"{group.count} combinations: {group.reason}", f"{group.count}通り（{group.reason}）")
    return Text(
        f"all {group.count} combinations with {group.shared}: {group.reason}",
        f"{group.shared}を含む{group.count}通り（{group.reason}）",
    )


def _where(group: Sequence[Record], names: Names) -> Text:
    """The cells of a warning, as few words as tell them."""
    of_pair: dict[Pairing, list[str]] = {}
    for row in group:
        of_pair.setdefault((row["first"], row["second"]), []).append(row["ruleset"])
    of_rulesets: dict[tuple[str, ...], list[Pairing]] = {}
    for pair, rulesets in of_pair.items():
        of_rulesets.setdefault(tuple(rulesets), []).append(pair)
    texts = []
    for group_of, pairs in of_rulesets.items():
        which = named(group_of, names)
        if set(group_of) >= set(names.rulesets) and len(group_of) > 1:
            which = Text("All rulesets", "すべてのルール")
        players = joined([pairing_text(pair) for pair in pairs if any(pair)])
        texts.append(
            Text("{which} ({players})", "{which}（{players}）").format(which=which, players=players)
            if players.en
            else which
        )
    return Text("; ", "、").join(texts)
