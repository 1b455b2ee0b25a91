"""Effects: which changes of rules serve a wish, by the games of all kept reports."""

from __future__ import annotations

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.effects import command as command
