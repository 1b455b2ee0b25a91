"""Programs of others: players that speak UCI, and the rules in a file of Fairy-Stockfish's variants.

How a ruleset is written for such programs is said by its family (`workbench.games.uci_variants`), beside its toggles.
"""

from __future__ import annotations

from typing import Any

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Add the command."""
    from workbench.addons.engines import command as command


@offers
def programs() -> Any:
    """Return the functions by which programs play."""
    from workbench.addons.engines import players

    return players
