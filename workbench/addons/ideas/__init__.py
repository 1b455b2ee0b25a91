"""Ideas: the toggles and rulesets that come closest to a sentence."""

from __future__ import annotations

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.ideas import command as command
