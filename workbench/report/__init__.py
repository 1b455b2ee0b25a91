"""A report folder: from the records that a run left in it to the report, its charts and tables, and the terminal.

`reading` reads the records, `workbench.statistics.analyse` makes tables of them, `sections` say in both languages what
these tables hold, as values of `model`, and `render` draws and writes those down.

What stands below is imported when it is asked for: who needs a text or the picture of a board loads no statistics.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.report.reading import Report
    from workbench.report.writing import print_report, write_report

__all__ = ["Report", "print_report", "write_report"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module(f"{__name__}.writing"), name)
