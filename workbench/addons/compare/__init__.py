"""Comparison of rulesets from several reports in one table."""

from __future__ import annotations

from typing import Any

from workbench.base.addons import offers


@offers
def studio_page() -> Any:
    """Return the comparison page."""
    from workbench.addons.compare import page

    return page
