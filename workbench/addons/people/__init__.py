"""Games that people played: files of games become records of a run, to be read beside those of players."""

from workbench.base.addons import offers


@offers
def add_commands() -> None:
    """Adds the command of `workbench.addons.people.command`."""
    from workbench.addons.people import command  # noqa: F401
