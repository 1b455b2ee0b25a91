"""Every sentence, table and chart of four reports is what it was: a change of words is a diff that is read."""

from __future__ import annotations

import pytest

from tests import golden
from tests.alike import apart


@pytest.mark.parametrize("name", golden.EXPERIMENTS)
def test_a_report_says_what_it_said(name: str, in_the_checkout: None) -> None:
    kept = (golden.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert apart(golden.EXPERIMENTS[name](), kept) == [], "python -m tests.golden --write writes it anew"
