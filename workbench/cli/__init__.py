"""The command ``workbench``: a thin function for each command, a module for each group.

``workbench --help`` must be quick, so these modules import only Typer, and each command imports what it needs.
"""

from __future__ import annotations

import gc
import sys

from workbench.base.addons import addons
from workbench.base.console import open_standard_streams
from workbench.base.language import tr
from workbench.cli import developers, experiments, games, players
from workbench.cli.application import app

__all__ = ["app", "developers", "experiments", "games", "main", "players", "rules"]

addons().add_commands()


def main() -> None:
    """Run the command line and end the process with its exit code."""
    gc.set_threshold(20_000, 20)  # garbage collection would take a tenth of the time of a report
    if "stdout" in open_standard_streams():
        print(tr("stdout is closed: output is lost."), file=sys.stderr)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A character that a terminal or pipe cannot encode becomes a question mark, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app()
