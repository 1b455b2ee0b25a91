"""Programs of others: players that speak UCI, and the rules in a file of Fairy-Stockfish's variants."""

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Adds the command of `workbench.addons.engines.command`."""
    from workbench.addons.engines import command  # noqa: F401
