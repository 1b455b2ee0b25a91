"""Comparison of reports: shows rulesets of several reports in one table."""

from __future__ import annotations

from typing import Any

from workbench.base.addons import offers


@offers
def studio_page() -> Any:
    """Return the page of the comparison."""
    from workbench.addons.compare import page

    return page
