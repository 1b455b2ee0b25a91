"""Search for rule changes that fulfil a wish, based on the games of all saved reports."""

from __future__ import annotations

from typing import Any

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.effects import command as command


@offers
def suggest_changes(ruleset: Any, measure: str, more: bool) -> list[str]:
    """Return a sentence about the most promising changes for a measure in the saved reports."""
    from workbench.addons.effects import estimates, report

    if ruleset.project is None:
        return []
    table = estimates.saved_estimates([ruleset.project.reports], ruleset.project, ruleset.game)
    changes = estimates.estimate_changes(table, ruleset, [measure])
    wish = estimates.Wish({measure: estimates.MORE if more else estimates.LESS})
    return report.suggestions(estimates.rank_changes(wish, changes, ruleset), measure, ruleset)
