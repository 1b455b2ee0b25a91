"""Which texts say the same."""

from __future__ import annotations

import pytest

from tests.alike import apart


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("52.3 % (46.8–57.8)", "52.3 % (46.9–57.8)"),
        ("chatra/C,0.30000000000000004,x", "chatra/C,0.3,x"),
        ("−0.1 points", "0.0 points"),
        ("1,204.5", "1,204.4"),
        ('<path d="M0 100V0H373V6.0z"/>', '<path d="M0 100V0H372V6.1z"/>'),
        ("1.5e-07", "1.6e-07"),
    ],
)
def test_a_last_digit_makes_no_other_text(one: str, other: str) -> None:
    assert not apart(one, other) and not apart(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("52.3 % (46.8–57.8)", "52.3 % (46.6–57.8)"),
        ("52.3 % undecided", "52.3 % balanced"),
        ("4,200 games", "4,201 games"),
        ('<path d="M0 100V0H373V6.0z"/>', '<path d="M0 100V0H373V6.0H380V9.0z"/>'),
        ('<path d="M0 100V0H373V6.0z"/>', '<path d="M0 100V0H375V6.0z"/>'),
        ("0.5", "0.5 and more"),
    ],
)
def test_all_else_does(one: str, other: str) -> None:
    assert apart(one, other) and apart(other, one)
