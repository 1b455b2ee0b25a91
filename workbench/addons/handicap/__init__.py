"""Handicaps: finds the amount that makes a game even."""

from __future__ import annotations

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.handicap import command as command
