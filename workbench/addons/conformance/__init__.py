"""Laws that every shipped or added game must obey: `positions` checks rulesets, `families` a family's files."""

from __future__ import annotations

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.conformance import command as command
