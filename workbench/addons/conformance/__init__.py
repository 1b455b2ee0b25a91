"""Laws that every shipped or added game must obey: of rulesets in `positions`, of families' files in `families`."""

from __future__ import annotations

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.conformance import command as command
