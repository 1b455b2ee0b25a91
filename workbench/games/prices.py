"""Price lists: the costs of units for games in which each player sets up units within a budget.

Prices limit the setup and nothing else: kernels ignore them, and players value units independently of them.

A ruleset file contains a list as a mapping of its differences from the default table. As a setting it is a line of
text, ``飛 12; 碁 2 free 30``: 12 points for each 飛, and 2 for each 碁 after the first 30.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from workbench.base.language import tr, trc
from workbench.games.declaration import Setting, Toggle

EACH, FREE = "each", "free"
"""The keys of a unit in a price list."""
MOST = 1000
"""The highest price and budget, in points; a unit with this price is practically forbidden."""
_ENTRY = re.compile(r"(\S+)(?: (-?[0-9]{1,4}))?(?: free ([0-9]{1,4}))?")

Changes = Mapping[str, Mapping[str, int]]
"""Prices by unit, with the keys `EACH`, `FREE` or both."""


class Price(NamedTuple):
    """The price of a kind of unit."""

    each: int
    """Points for each unit that is not free."""
    free: int = 0
    """The number of free units."""

    def of(self, number: int) -> int:
        """Return the cost of a number of units, in points."""
        return max(0, number - self.free) * self.each

    def words(self) -> str:
        """Return the price in words."""
        if self.free == 0 or self.each == 0:
            return trc("price", "{points}", points=self.each)
        return tr("{free} free, then {each}", free=self.free, each=self.each)


@dataclass(frozen=True)
class Unit:
    """A kind of unit that can be set up."""

    name: str
    group: str
    """The group in which it is listed."""
    price: Price
    """The price in the default table."""
    most: int
    """The maximum number per player."""
    gives_back: bool = False
    """True if the price may be negative."""

    def bounds(self, key: str) -> tuple[int, int]:
        """Return the lowest and the highest number that a list may contain for `EACH` or `FREE`."""
        return (0, self.most) if key == FREE else (-MOST if self.gives_back else 0, MOST)


@dataclass(frozen=True)
class PriceList(Toggle):
    """A toggle whose setting is the default table of prices or a price list."""

    units: tuple[Unit, ...] = ()
    budget: str = ""
    """The name of the toggle for the players' budget."""
    paid: tuple[str, ...] = ()
    """The toggles that select the first and the second player's setup files. The module that reads these files has
    ``unit_counts(root, settings)``, which counts a file's units of each kind, and ``content_counts(content)``, for the
    kernel's content."""
    differs: str = ""
    """The rule sentence for a price list, with the placeholder ``{prices}``."""

    def unit(self, name: str) -> Unit | None:
        """Return the unit with this name, or None."""
        return next((unit for unit in self.units if unit.name == name), None)

    def changes(self, setting: object) -> Changes | None:
        """Return a setting's price changes by unit, or None if it is not a valid price list."""
        if setting == self.default:
            return {}
        changes: dict[str, dict[str, int]] = {}
        for entry in setting.split("; ") if isinstance(setting, str) else [""]:
            match = _ENTRY.fullmatch(entry)
            unit = self.unit(match[1]) if match else None
            if match is None or unit is None or unit.name in changes or not (match[2] or match[3]):
                return None
            numbers = {key: int(number) for key, number in ((EACH, match[2]), (FREE, match[3])) if number}
            for key, number in numbers.items():
                low, high = unit.bounds(key)
                if not low <= number <= high:
                    return None
            changes[unit.name] = numbers
        return changes

    def text(self, changes: Changes) -> str:
        """Return the setting for price changes, with the units in table order."""
        entries = []
        for unit in self.units:
            if numbers := changes.get(unit.name):
                words = [unit.name, *([str(numbers[EACH])] if EACH in numbers else [])]
                entries.append(" ".join([*words, *([f"free {numbers[FREE]}"] if FREE in numbers else [])]))
        return "; ".join(entries) or str(self.default)

    def merged(self, settings: Iterable[Setting]) -> str:
        """Return the setting for several price lists applied in order, each to the prices that the previous ones leave.

        Equal prices have equal settings. The name of the default table resets all prices.
        """
        changed: dict[str, dict[str, int]] = {}
        for setting in settings:
            if setting == self.default:
                changed.clear()
            for name, numbers in (self.changes(setting) or {}).items():
                changed[name] = {**changed.get(name, {}), **numbers}
        differing: dict[str, dict[str, int]] = {}
        for unit in self.units:
            price = unit.price._replace(**changed.get(unit.name, {}))
            if price.each == 0 or price.free >= unit.most:
                # There are several ways to write that a unit is free; use one.
                price = Price(0, unit.price.free)
            new, old = price._asdict(), unit.price._asdict()
            differing[unit.name] = {key: number for key, number in new.items() if number != old[key]}
        return self.text(differing)

    def table(self, setting: Setting) -> dict[str, Price]:
        """Return the price of every unit under a setting."""
        changes = self.changes(setting) or {}
        return {unit.name: unit.price._replace(**changes.get(unit.name, {})) for unit in self.units}

    def costs(self, counts: Mapping[str, int], setting: Setting) -> dict[str, int]:
        """Return the points spent on each kind of unit."""
        table = self.table(setting)
        return {name: table[name].of(count) for name, count in counts.items()}

    def code(self, setting: Setting) -> int:
        """Return 0, since kernels do not use prices."""
        if not self.allows(setting):
            raise ValueError(f"{self.name} cannot be {setting!r}")
        return 0

    def allows(self, setting: object) -> bool:
        """Return whether a setting is the name of the default table or a valid price list."""
        return self.changes(setting) is not None

    def sentence(self, setting: Setting) -> str:
        """Return the rule book's sentence, which compares each changed price with the table's."""
        changes = self.changes(setting)
        if not changes:
            return super().sentence(self.default)
        table = self.table(setting)
        prices = (
            tr(
                "{unit} {price} (instead of {old})",
                unit=unit.name,
                price=table[unit.name].words(),
                old=unit.price.words(),
            )
            for unit in self.units
            if unit.name in changes
        )
        return self.differs.format(prices=trc("prices", "; ").join(prices))

    def choices(self) -> str:
        """Return the allowed values in words, for messages."""
        return tr("{default} or prices such as {example}", default=self.default, example=self.example())

    def example(self) -> str:
        """Return an example of a price list, as written in a ruleset file."""
        priced = next(unit for unit in self.units if unit.price.each > 0)
        free = [unit for unit in self.units if unit.price.free > 0]
        entries = [f"{priced.name}: {priced.price.each + 1}", *(f"{unit.name}: {{free: 0}}" for unit in free[:1])]
        return f"{{{', '.join(entries)}}}"
