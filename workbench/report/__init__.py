"""A report folder: from the records of a run to the report with its charts and tables, and the terminal.

`folders` reads the records, `workbench.statistics.analyse` makes tables of them, `sections` put these into words in
both languages as values of `model`, and `render` draws and writes them.

The names below are imported on demand: the text or picture of a board needs no statistics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.report.folders import Report, print_report, write_report

__all__ = ["Report", "print_report", "write_report"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from workbench.report import folders

    return getattr(folders, name)
