"""A report folder: from the records that a run left in it to the report, its charts and tables, and the terminal.

`reading` reads the records, `workbench.statistics.analyse` makes tables of them, `sections` say in both languages what
these tables hold, as values of `model` and `marks`, and `render` draws and writes those down.

What stands below is imported when it is asked for: who needs a text or the picture of a board loads no statistics.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from workbench.report.model import Report
    from workbench.report.writing import write_report

__all__ = ["Report", "print_report", "write_report"]

_HOMES = {"Report": "model", "write_report": "writing"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def print_report(report: Report, console: Console) -> None:
    """Prints the answer and the main tables of a report."""
    from workbench.report.render.terminal import print_document as printed
    from workbench.report.sections.printout import build_printout

    printed(report.title, report.answer, build_printout(report), console)
