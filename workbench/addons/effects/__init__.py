"""Effects: which changes of rules serve a wish, by the games of all kept reports."""

from __future__ import annotations

from typing import Any

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.effects import command as command


@offers
def suggest_changes(ruleset: Any, measure: str, more: bool) -> list[str]:
    """Return which changes of kept reports promise most for a measure, in sentences."""
    from workbench.addons.effects import kept_effects, report

    if ruleset.project is None:
        return []
    estimates = kept_effects.kept_estimates([ruleset.project.reports], ruleset.project, ruleset.game)
    changes = kept_effects.known_changes(estimates, ruleset, [measure])
    wish = kept_effects.Wish({measure: kept_effects.MORE if more else kept_effects.LESS})
    return report.suggestions(kept_effects.serve(wish, changes, ruleset), measure, ruleset)
