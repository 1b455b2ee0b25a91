"""Texts that say and draw the same: a number may differ in the last digit that is written, and nothing else.

Libraries and processors round in ways of their own, so that the last digit is not the same everywhere.
"""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import zip_longest

PIECES = re.compile(r'( d="[^"]*"|[-−]?\d[\d,]*\.\d+(?:e[-+]?\d+)?)')
"""Outlines of drawings, whose places are whole numbers, too, and numbers with a decimal point."""
NUMBERS = re.compile(r"([-−]?\d+(?:\.\d+)?)")


def apart(one: str, other: str) -> list[tuple[str, str]]:
    """The pieces in which two texts differ by more than the last digit of a number; none where they say the same."""
    both = zip_longest(PIECES.split(one), PIECES.split(other), fillvalue="")
    return [(mine, theirs) for mine, theirs in both if mine != theirs and not _near(mine, theirs)]


def _near(one: str, other: str) -> bool:
    if one.startswith(' d="') and other.startswith(' d="'):
        places = zip_longest(NUMBERS.split(one), NUMBERS.split(other), fillvalue="")
        return all(mine == theirs or _near_numbers(mine, theirs) for mine, theirs in places)
    return bool(PIECES.fullmatch(one) and PIECES.fullmatch(other)) and _near_numbers(one, other)


def _near_numbers(one: str, other: str) -> bool:
    """Whether the numbers differ by no more than one in the last digit of the one that has fewer of them."""
    if not (NUMBERS.match(one) and NUMBERS.match(other)):
        return False
    values = [Decimal(text.replace(",", "").replace("−", "-")) for text in (one, other)]
    exponents = [exponent for value in values if isinstance(exponent := value.as_tuple().exponent, int)]
    return abs(values[0] - values[1]) <= Decimal(1).scaleb(max(exponents))
