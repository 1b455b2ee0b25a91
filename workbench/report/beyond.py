"""What a search was asked besides: rulesets one step beyond its space, and kept effects near to a missing rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workbench.language import given, listed, tr
from workbench.questions.rulesets import Ruleset
from workbench.questions.wishes import LESS, MORE, Wish
from workbench.report.kept_effects import effect_words, words_of
from workbench.report.model import Section, Table, TableCell, numeric_cell
from workbench.statistics import kept_effects, pooled_effects

NEAREST = 3
"""Kept effects that are named where a rule is missing."""
OF_SEARCH = {"plies": "plies_mean"}
"""What reports call the measures of a search."""


def texts(kept: Mapping[str, Any], name: str) -> list[str]:
    """Sentences that were kept in all languages."""
    return [given(**{lang: str(text) for lang, text in each.items()}) for each in kept.get(name) or ()]


def beyond_section(
    kept: Mapping[str, Any],
    shown: Mapping[str, str],
    value: Callable[[str, Mapping[str, float]], str],
    targets: Callable[[Mapping[str, Any]], str],
) -> list[Section]:
    """What lies one step beyond the space, beside the finalists; nothing if it was not asked.

    ``shown``: measures and their titles; ``value`` and ``targets`` write a measure and which targets are met.
    """
    rows = kept.get("beyond")
    if not rows:
        return []
    heads = [
        TableCell(tr("ruleset")),
        TableCell(tr("the step beyond")),
        *(TableCell(title, kind="number") for title in shown.values()),
        TableCell(tr("targets")),
    ]
    body = []
    for row in rows:
        (title,), step = texts({"title": [row["title"]]}, "title"), texts({"change": [row["change"]]}, "change")[0]
        cells = [TableCell(title), TableCell(step if row["beside"] else tr("none: a finalist"))]
        cells += [numeric_cell(value(name, row["values"][name]), row["values"][name]["value"]) for name in shown]
        body.append([*cells, TableCell(targets(row))])
    caption = tr(
        "Rulesets that change one thing of a finalist which the space does not have, beside the finalists, by fresh "
        "games of the players of the search; those that miss the targets by least come first. All intervals of a "
        "column hold at once with 95 %."
    )
    return [Section("beyond", tr("One step beyond the space"), [Table(caption, heads, body)])]


def nearest_effects(kept: Mapping[str, Any], base: Ruleset, best: Ruleset) -> list[str]:
    """Where no finalist meets a target: the changes of which kept reports let expect most of what is missing."""
    outcome = (kept.get("result") or {"finalists": []})["finalists"]
    missed = [name for name, state in outcome[0]["targets"].items() if state == "missed"] if outcome else []
    if not missed or base.project is None:
        return []
    target, value = {**kept["targets"], **kept["must"]}[missed[0]], outcome[0]["values"][missed[0]]["value"]
    low = 0.0 if isinstance(target, str) else target[0]
    rises = target.startswith(">") if isinstance(target, str) else value < low
    measure = OF_SEARCH.get(missed[0], missed[0])
    estimates = kept_effects.kept_estimates([base.project.reports], base.project, base.game)
    changes = pooled_effects.known_changes(estimates, best, [measure])
    found = pooled_effects.serve(Wish({measure: MORE if rises else LESS}), changes, best)
    if not found:
        return [tr("No kept report has a change that would do this.")]
    named = [
        tr("“{change}” {effect}", change=words_of(change, best), effect=effect_words(measure, change.effects[measure]))
        for change in found[:NEAREST]
    ]
    return [tr("By the kept reports these come nearest to it: {changes}.", changes=listed(named))]
