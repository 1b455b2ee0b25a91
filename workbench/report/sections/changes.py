"""The rule changes of each proposal, and a position in which each one shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench import games
from workbench.games.declaration import Setting, equal_settings
from workbench.games.wording import sentence_beside, setting_words
from workbench.language import tr
from workbench.report.model import Part, RuleChange, RuleChanges, Section, Table, TableCell
from workbench.report.names import Names
from workbench.report.witness_positions import shown_position


def distinct_changes(variants: Sequence[Mapping[str, Any]], baseline: str) -> list[RuleChange]:
    """The distinct changes of all proposals, in the order of the families' toggles.

    ``variants`` are the rulesets as provenance holds them. A proposal of another game than the baseline's changes more
    than toggles, and is left out; so is what has no effect in either of two rulesets.
    """
    of_name = {str(variant["name"]): variant for variant in variants}
    base = of_name.get(baseline)
    if base is None or base.get("game") not in games.names():
        return []
    declaration = games.declaration(str(base["game"]))
    settings = {
        name: declaration.defaults() | variant.get("settings", {})
        for name, variant in of_name.items()
        if variant.get("game") == base["game"]
    }
    idle = {name: declaration.idle(each) for name, each in settings.items()}
    changes: list[RuleChange] = []
    for toggle in declaration.toggles:
        was = settings[baseline][toggle.name]
        users: dict[Setting, list[str]] = {}
        for name, each in settings.items():
            now = each[toggle.name]
            if not equal_settings(was, now) and toggle.name not in idle[baseline] & idle[name]:
                users.setdefault(now, []).append(name)
        for now, names in users.items():
            position = shown_position(declaration.name, toggle, was, settings[names[0]])
            changes.append(
                RuleChange(
                    len(changes) + 1,
                    toggle.name,
                    toggle.title,
                    (
                        setting_words(declaration.name, toggle, settings[baseline]),
                        sentence_beside(toggle, was),
                    ),
                    (setting_words(declaration.name, toggle, settings[names[0]]), sentence_beside(toggle, now)),
                    tuple(names),
                    position,
                )
            )
    return changes


def rule_changes_section(provenance: Mapping[str, Any], names: Names) -> Section | None:
    """What each proposal changes, and each distinct change with a position; nothing without a baseline."""
    changes = distinct_changes(provenance["rulesets"], names.plan.baseline)
    if not changes:
        return None
    rows = []
    for name in names.proposals:
        own = [change for change in changes if name in change.proposals]
        what = [tr("{number}. {change}", number=change.number, change=change.title) for change in own]
        if names.plan.ruleset(name).game != names.plan.ruleset(names.plan.baseline).game:
            what = [tr("another game")]
        rows.append([names.ruleset_cell(name, titled=True), TableCell(tr("; ").join(what))])
    caption = tr("What each proposal changes in {baseline}.")
    heads = [TableCell(tr("proposal")), TableCell(tr("changes"))]
    table = Table(caption.format(baseline=names.short(names.plan.baseline)), heads, rows)
    parts: list[Part] = [table, RuleChanges(changes, names.short_names)]
    return Section("changes", tr("What the proposals change"), parts)
