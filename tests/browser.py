"""The Chromium that tests look at reports with: the installed one, without network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def path() -> str:
    """Where Chromium is: ``CHROMIUM`` of the environment, or the first of `NAMES` on the path."""
    executable = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not executable:
        pytest.fail(
            "These tests need Chromium: install it (Debian: apt-get install chromium) or set CHROMIUM to its path. "
            "To leave them out: pytest -m 'not slow and not browser'.",
            pytrace=False,
        )
    return executable


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    # Chromium refuses its sandbox to the root user, who runs tests in containers.
    options = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    where = path()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=where, args=options)
        yield browser
        browser.close()
