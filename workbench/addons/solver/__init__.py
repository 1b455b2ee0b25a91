"""Exact values: solves small games, or proves their values forwards."""

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Adds the command of `workbench.addons.solver.command`."""
    from workbench.addons.solver import command  # noqa: F401
