"""Conditions under which a number should not be trusted, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from workbench.language import listed, tr, trc, verbatim
from workbench.questions.design import LeftOut, group_left_out
from workbench.report.labels import pairing_text
from workbench.report.model import Paragraph, Part
from workbench.report.names import Names, Pairing
from workbench.report.numbers import format_amount
from workbench.report.sections.lookup import Record, primary_comparisons
from workbench.report.sections.phrases import list_rulesets
from workbench.statistics import Analysis

WARNINGS = {
    "unsteady": tr("{where}: {subject} change along the run by more than chance allows."),
    "toggle_never_fired": tr(
        "{where}: what the rule “{subject}” is about never happened, neither here nor under the "
        "baseline: the games say nothing of this change."
    ),
    "event_never": tr("Never happened in any game: {subject}."),
    "no_finished_games": tr("{where}: no game finished, so there is no score."),
    "no_games": tr("{where}: there are no games."),
    "equal_fingerprints": tr("{where} has the same rules as {subject}."),
    "copied_player": tr("Played the same games as another player, so that strong play counts both once: {subject}."),
    "copies": tr("{where}: games repeat each other so often that they are worth only {value} different ones."),
    "few_games": tr("{where}: {value} games are too few to tell a difference of the size that matters."),
    "not_reproducible": tr(
        "Not reproducible: {where}. A player comes from outside, and nobody assures that the "
        "same seed gives the same game again."
    ),
    "left_out": tr("Left out, since the rules refuse them: {subject}."),
}
GROUPED_WARNINGS = ("copied_player", "event_never", "left_out", "not_reproducible")
"""Warnings of which there may be many, in one sentence each."""


def warning_parts(analysis: Analysis, names: Names) -> list[Part]:
    """What keeps a reader from believing a number; the same of many cells is said once."""
    rows: dict[tuple[str, str], list[Record]] = {}
    decided = _decided_cells(analysis)
    for row in analysis.warnings.to_dict("records"):
        if row["code"] == "few_games" and (row["ruleset"], row["first"], row["second"]) in decided:
            continue
        rows.setdefault((row["code"], "" if row["code"] in GROUPED_WARNINGS else row["subject"]), []).append(row)
    texts: list[Part] = []
    for (code, subject), group in rows.items():
        values = [float(row["value"]) for row in group if not math.isnan(row["value"])]
        low, high = (format_amount(end(values)) if values else "" for end in (min, max))
        about = names.subject_name(subject)
        if code == "event_never":
            events = [names.event_sentence(row["subject"]) for row in group]
            about = listed([tr("“{event}”", event=event) for event in events])
        elif code == "copied_player":
            about = listed([tr("{player} (as {other})", player=row["first"], other=row["subject"]) for row in group])
        elif code == "left_out":
            groups = group_left_out([row["subject"] for row in group])
            about = trc("warnings", "; ").join(map(_left_out_sentence, groups))
        text = WARNINGS[code].format(
            where=_cells_text(group, names), subject=about, value=low if low == high else f"{low}–{high}"
        )
        texts.append(Paragraph(text, "note" if code in GROUPED_WARNINGS else "warning"))
    return texts


def _decided_cells(analysis: Analysis) -> set[tuple[str, str, str]]:
    """Cells whose comparison has its verdict, and those of a baseline all of whose comparisons have theirs."""
    compared = primary_comparisons(analysis)
    if compared.empty:
        return set()
    is_open = compared["verdict"] == "undecided"
    open_pairs = set(compared.loc[is_open, ["first", "second"]].itertuples(index=False, name=None))
    cells = set(compared.loc[~is_open, ["ruleset", "first", "second"]].itertuples(index=False, name=None))
    pairs = {(first, second) for _, first, second in cells} - open_pairs
    return cells | {(analysis.plan.baseline, first, second) for first, second in pairs}


def _left_out_sentence(group: LeftOut) -> str:
    """Combinations that were left out for one reason."""
    if group.count == 1:
        return verbatim(f"{group.shared}: {group.reason}")
    if not group.shared:
        return tr("{count} combinations: {reason}", count=group.count, reason=group.reason)
    return tr(
        "all {count} combinations with {shared}: {reason}", count=group.count, shared=group.shared, reason=group.reason
    )


def _cells_text(group: Sequence[Record], names: Names) -> str:
    """The cells of a warning, as few words as tell them."""
    of_pair: dict[Pairing, list[str]] = {}
    for row in group:
        of_pair.setdefault((row["first"], row["second"]), []).append(row["ruleset"])
    of_rulesets: dict[tuple[str, ...], list[Pairing]] = {}
    for pair, rulesets in of_pair.items():
        of_rulesets.setdefault(tuple(rulesets), []).append(pair)
    texts = []
    for group_of, pairs in of_rulesets.items():
        which = list_rulesets(group_of, names)
        if set(group_of) >= set(names.rulesets) and len(group_of) > 1:
            which = tr("All rulesets")
        players = listed([pairing_text(pair) for pair in pairs if any(pair)])
        texts.append(tr("{which} ({players})").format(which=which, players=players) if players else which)
    return tr("; ").join(texts)
