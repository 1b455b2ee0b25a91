"""What rulesets and pairings are called for short."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench import games
from workbench.games.declaration import Named
from workbench.games.wording import changes_words
from workbench.language import given, tr, translated, verbatim
from workbench.questions.agent_kinds import PEOPLE
from workbench.questions.rulesets import Ruleset, is_tried, title_head

if TYPE_CHECKING:
    import pandas as pd


def short_names(names: Sequence[str]) -> list[str]:
    """Names without the family, if all are of one, and without the ruleset, if all vary the same one.

    Of several factors only those are named whose level is not that of the first name, which is called by its ruleset.
    """
    if len({name.partition("/")[0] for name in names}) == 1:
        names = [name.partition("/")[2] or name for name in names]
    # Rulesets of several factors: what they vary, then each level.
    parts = [[name.partition(" ")[0], *name.partition(" ")[2].split(", ")] for name in names]
    counts = {len(each) for each in parts}
    if len(counts) == 1 and counts.pop() > 2 and all("=" in level for each in parts for level in each[1:]):
        return [
            " + ".join(one for one, first in zip(each, parts[0], strict=True) if one != first) or parts[0][0]
            for each in parts
        ]
    if len({name.partition(" ")[0] for name in names}) == 1 and all(" " in name for name in names):
        names = [name.partition(" ")[2] for name in names]
    return list(names)


def ruleset_labels(rulesets: Sequence[Ruleset]) -> dict[str, str]:
    """Full names -> what the rulesets are called for short: their own labels, or the shortest that tells them apart.

    In Japanese they are called by the head of their titles, if each has its own. Rules that were tried out before they
    had a name are called by what they change in the first ruleset.
    """
    short = short_names([each.name for each in rulesets])
    heads = [title_head(each) for each in rulesets]
    labels = {
        each.name: each.label or (given(en=name, ja=head) if head and heads.count(head) == 1 else name)
        for each, name, head in zip(rulesets, short, heads, strict=True)
    }
    for each in rulesets[1:]:
        if is_tried(each.name) and not each.label:
            known = games.declaration(each.game).toggles if each.game in games.names() else ()
            changes = changes_words(each.game, known, rulesets[0].settings, each.settings)
            label = tr("“{changes}”", changes=changes) if changes else ""
            labels[each.name] = label if label and label not in labels.values() else labels[each.name]
    return labels


def table_pairings(table: pd.DataFrame) -> list[tuple[str, str]]:
    """The pairings of a table's rows, (first, second), in order of appearance."""
    return list(dict.fromkeys((str(a), str(b)) for a, b in zip(table["first"], table["second"], strict=True)))


def pairing_label(first: str, second: str) -> str:
    """A pairing in a word: an agent that plays itself, or who plays whom."""
    return first if first == second else f"{first} v {second}"


_BAND = re.compile(rf"{PEOPLE}-([0-9]+)-([0-9]+)")


def pairing_text(pairing: tuple[str, str]) -> str:
    """A pairing in a word or three."""
    first, second = pairing
    if first != second:
        return tr("{first} v {second}", first=first, second=second)
    if band := _BAND.fullmatch(first):
        return tr("people rated {low}–{high}", low=band[1], high=band[2])
    return tr("people") if first == PEOPLE else verbatim(first)


LEARNED_IN_WORDS = tr("{ruleset}, training {training}")
"""What a training is called."""

_COUNTED = re.compile("（.*）|。|の?回数|(?:(?<=[いうくたるん])|の)数|のは何手目か")
"""What makes a sentence about a counter of what happened."""


def event_title(event: Named) -> str:
    """What an event is called where it happens: its name, and in Japanese its sentence without what counts it.

    >>> sentence = given(en="Ply after which …", ja="制限が解除されたのは何手目か（解除されなければ0）。")
    >>> event = Named("limits_ended", sentence)
    >>> in_all(happened(event))
    ('limits ended', '制限が解除された')
    """
    return given(en=event.name.replace("_", " "), ja=_COUNTED.sub("", translated(event.sentence, "ja")))


def games_command(ruleset: str, pairing: tuple[str, str], game: int | None = None) -> str:
    """The command that gives games of a cell, or one of them, in the folder of the report."""
    first, second = pairing
    agents = ["--agent", first] if first == second else ["--first", first, "--second", second]
    which = ["--game", str(game)] if game else []
    return shlex.join(["workbench", "games", ".", "--ruleset", ruleset, *agents, *which])
