"""Causes: where in a game, and through which events, a change of rules has its effect."""

from __future__ import annotations

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.why import command as command
