"""Laws that every game must obey, shipped or added: `positions` has those of rulesets, `families` those of files."""

from __future__ import annotations

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.conformance import command as command
