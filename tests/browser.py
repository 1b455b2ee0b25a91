"""The Chromium that tests look at reports with: the installed one, without network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.patience import PATIENCE

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OFF = (
    # What Playwright switches off: a second list would take the place of the first.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay"),
    *("HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"),
    *("AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled"),
    # Pages of its own for the address bar, loaded anew for each context: half of the time that a context takes.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"),
    # A process of its own for each frame in a sandbox; the sandbox itself stays.
    "IsolateSandboxedIframes",
)
"""Features of Chromium that no test needs."""


def path() -> str:
    """Where Chromium is: ``CHROMIUM`` of the environment, or the first of `NAMES` on the path."""
    executable = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not executable:
        pytest.fail(
            "These tests need Chromium: install it (Debian: apt-get install chromium) or set CHROMIUM to its path. "
            "To leave them out: pytest.",
            pytrace=False,
        )
    return executable


@contextmanager
def chromium() -> Iterator[Browser]:
    # Chromium refuses its sandbox to the root user, who runs tests in containers.
    options = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    options.append(f"--disable-features={','.join(OFF)}")
    where = path()
    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=where, args=options)
        yield browser
        browser.close()
