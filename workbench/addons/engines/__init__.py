"""Programs of others: players that speak UCI, and the rules in a file of Fairy-Stockfish's variants.

How a ruleset is written for such programs is said by its family (`workbench.games.uci_variants`), beside its toggles.
"""

from typing import Any

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Adds the command of `workbench.addons.engines.command`."""
    from workbench.addons.engines import command  # noqa: F401


@offers
def programs() -> Any:
    """The module that implements `workbench.players.external.Programs`."""
    from workbench.addons.engines import players

    return players
