"""What armies of the mixed game cost, written from the articles: slow, and without the declaration.

An army is what its YAML file says; prices are as a ruleset's file writes them, one mapping after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

TABLE = {
    # The first article: king, adjutants, elephants, horses, chariots, cannons, soldiers of each game.
    "玉": 0, "金": 6, "角": 8, "銀": 5, "桂": 3, "飛": 10, "香": 3, "歩": 1,
    "王": 0, "后": 18, "僧": 8, "騎": 6, "城": 11, "兵": 1,
    "帥": -4, "仕": 2, "相": 2, "傌": 4, "俥": 10, "炮": 6, "卒": 1,
    "楚": -4, "士": 4, "象": 3, "马": 5, "车": 11, "包": 6, "卆": 1,
    "君": 0, "種": 4, "根": 5, "午": 6, "船": 10, "貝": 1,
    # The second article: 碁 from the 51st on.
    "平": 3, "冠": 9, "碁": 1, "翻": 1, "珠": 2,
}  # fmt: skip
FREE = {"碁": 50}
Prices = Mapping[str, Any]


def units(army: Mapping[str, Any]) -> Counter[str]:
    """How many units of each kind an army sets up."""
    numbers: Counter[str] = Counter()
    for key in ("king", "pieces", "stones"):
        for letter, cells in (army.get(key) or {}).items():
            numbers[letter] += len(cells) if isinstance(cells, list) else 1
    for letter, number in (army.get("hand") or {}).items():
        numbers[letter] += number
    return numbers


def price(letter: str, prices: Iterable[Prices]) -> tuple[int, int]:
    """What one unit of a kind costs, and how many cost nothing: what a later list does not say an earlier one does."""
    each, free = TABLE[letter], FREE.get(letter, 0)
    for one in prices:
        said = one.get(letter, {})
        said = said if isinstance(said, dict) else {"each": said}
        each, free = said.get("each", each), said.get("free", free)
    return each, free


def cost(army: Mapping[str, Any], prices: Iterable[Prices] = ()) -> int:
    """The points that an army costs, unit by unit."""
    lists, points = list(prices), 0
    for letter, number in units(army).items():
        each, free = price(letter, lists)
        for one in range(1, number + 1):
            points += each if one > free else 0
    return points
