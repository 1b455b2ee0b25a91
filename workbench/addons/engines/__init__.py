"""External programs: UCI engines as players, and the import of Fairy-Stockfish variants.

The UCI name of a ruleset is declared by its family (`workbench.games.uci_variants`).
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
    """Return the module that plays games with programs."""
    from workbench.addons.engines import uci

    return uci
