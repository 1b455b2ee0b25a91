"""Search for rule changes that fulfil a wish, based on the games of all saved reports."""

from __future__ import annotations

from collections.abc import Mapping
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
    from workbench.experiments.wishes import LESS, MORE, Wish

    if ruleset.project is None:
        return []
    table = estimates.saved_estimates([ruleset.project.reports], ruleset.project, ruleset.game)
    changes = estimates.estimate_changes(table, ruleset, [measure])
    wish = Wish({measure: MORE if more else LESS})
    return report.suggestions(estimates.rank_changes(wish, changes, ruleset), measure, ruleset)


@offers
def fulfil_wish(ruleset: Any, wish: Any) -> Mapping[str, Any]:
    """Return the changes that fulfil a wish in the saved reports and the published results."""
    from workbench.addons.effects import estimates, report
    from workbench.base.project import shipped_project
    from workbench.experiments.measures import FIRST_SCORE

    folders = (ruleset.project.reports, shipped_project().root / "docs" / "results")
    table = estimates.saved_estimates(folders, ruleset.project, ruleset.game)
    changes = estimates.estimate_changes(table, ruleset, [*wish.toward, *wish.keep, FIRST_SCORE])
    values = estimates.measured_values(folders, ruleset)
    ranked = estimates.rank_changes(wish, changes, ruleset, values)
    return report.wish_view(wish, ranked, estimates.changes_of(changes, ruleset), values)
