"""A report folder: from the records that a run left in it to the report, its charts and tables, and the terminal.

`reading` reads the records, `workbench.statistics.analyse` makes tables of them, `sections` say in both languages what
these tables hold, as values of `model` and `marks`, and `render` draws and writes those down.
"""

from rich.console import Console

from workbench.report.model import Report
from workbench.report.render import terminal as _terminal
from workbench.report.sections.printout import printout
from workbench.report.writing import write

__all__ = ["Report", "terminal", "write"]


def terminal(report: Report, console: Console) -> None:
    """Prints the answer and the main tables of a report."""
    _terminal.terminal(report.title, report.answer, printout(report), console)
