"""Speed of the engine, and hashes of its games that show changed behaviour."""

from __future__ import annotations

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the commands."""
    from workbench.addons.bench import command as command
