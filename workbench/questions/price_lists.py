"""Price lists of rulesets: reading them, and what they buy."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from workbench.errors import Problem, nearest
from workbench.files.project import Project
from workbench.files.yamlfile import Node, parse_scalar
from workbench.games.declaration import Declaration, Setting, Toggle
from workbench.games.prices import EACH, FREE, PriceList, Unit
from workbench.language import OR, tr
from workbench.questions import content_files

PRICE_KEYS = {EACH: tr("Points for each one beyond the free ones."), FREE: tr("How many of an army cost nothing.")}
"""What a list may say of a unit."""


def read_price_list(toggle: PriceList, node: Node, problems: list[Problem]) -> str | None:
    """The setting of a mapping of units and prices; None, and all problems, if it is none."""
    entries = node.value
    assert isinstance(entries, dict)
    before = len(problems)
    changes: dict[str, dict[str, int]] = {}
    if not entries:
        problems.append(node.expected(toggle.choices(), tr("write {default}", default=toggle.default)))
    for name, inner in entries.items():
        unit = toggle.unit(name)
        if unit is None:
            known = [each.name for each in toggle.units]
            hint = "" if nearest(name, known) else tr("units with a price are {known}", known=" ".join(known))
            problems.append(inner.unknown(tr("a unit that can be set up"), name, known, hint))
        elif isinstance(inner.value, dict):
            changes[name] = _read_unit(unit, inner, problems)
        else:
            changes[name] = _read_price(unit, EACH, inner, problems)
    return toggle.text(changes) if len(problems) == before else None


def _read_unit(unit: Unit, node: Node, problems: list[Problem]) -> dict[str, int]:
    """What a mapping says of a unit."""
    assert isinstance(node.value, dict)
    said: dict[str, int] = {}
    if not node.value:
        problems.append(node.expected(tr("{each}, {free} or both", each=EACH, free=FREE)))
    for what, inner in node.value.items():
        if what in PRICE_KEYS:
            said |= _read_price(unit, what, inner, problems)
        else:
            problems.append(inner.unknown(OR.join(PRICE_KEYS), what, PRICE_KEYS))
    return said


def _read_price(unit: Unit, what: str, node: Node, problems: list[Problem]) -> dict[str, int]:
    """The number that a list says of a unit; nothing, and a problem, if it is none."""
    low, high = unit.bounds(what)
    if type(node.value) is int and low <= node.value <= high:
        return {what: node.value}
    of_what = (
        tr("how many {unit} are free", unit=unit.name) if what == FREE else tr("the price of {unit}", unit=unit.name)
    )
    expected = tr("{expected}, a whole number from {low} to {high}", expected=of_what, low=low, high=high)
    problems.append(node.expected(expected, _remedy(unit, what, node)))
    return {}


def _remedy(unit: Unit, what: str, node: Node) -> str:
    low, high = unit.bounds(what)
    meant = parse_scalar(node.text) if isinstance(node.value, str) else node.value
    if isinstance(meant, float) and meant.is_integer():
        meant = int(meant)
    if type(meant) is int and type(node.value) is not int and low <= meant <= high:
        return tr("write {meant}", meant=meant)
    if type(meant) is int and meant < 0 and what == EACH:
        return tr("only a king may give points back") if not unit.gives_back else ""
    if what == FREE and type(meant) is int and meant > unit.most:
        return tr("a player has at most {most} {unit}", most=unit.most, unit=unit.name)
    return ""


def price_list_schemas(toggle: PriceList) -> list[dict[str, Any]]:
    """The JSON Schemas of a price list: as a mapping, and as text."""
    units: dict[str, Any] = {}
    for unit in toggle.units:
        numbers = {}
        for what, sentence in PRICE_KEYS.items():
            low, high = unit.bounds(what)
            default = getattr(unit.price, what)
            numbers[what] = {
                "type": "integer", "minimum": low, "maximum": high, "default": default, "description": sentence
            }  # fmt: skip
        each = {key: entry for key, entry in numbers[EACH].items() if key != "description"}
        detailed = {"type": "object", "minProperties": 1, "additionalProperties": False, "properties": numbers}
        units[unit.name] = {
            "description": tr("{group}: {price} by the rules' own table.", group=unit.group, price=unit.price.words()),
            "anyOf": [each, detailed],
        }
    names = "|".join(unit.name for unit in toggle.units)
    entry = rf"({names})(( -?[0-9]{{1,4}})( free [0-9]{{1,4}})?| free [0-9]{{1,4}})"
    return [
        {
            "type": "object",
            "description": toggle.differs.format(prices=tr("these")),
            "minProperties": 1,
            "additionalProperties": False,
            "properties": units,
        },
        {
            "type": "string",
            "pattern": f"^{entry}(; {entry})*$",
            "description": tr("The same as text, as results name it."),
        },
    ]


class Cost(NamedTuple):
    """What an army costs."""

    toggle: Toggle
    """By which it is set up; for whom."""
    name: str
    points: int
    left: int
    """Points of the budget that it leaves; below 0 if it is too dear."""


def price_list(family: Declaration) -> PriceList | None:
    """The price list of a family; None if nothing has a price in it."""
    return next((toggle for toggle in family.toggles if isinstance(toggle, PriceList)), None)


def army_costs(
    family: Declaration, settings: Mapping[str, Setting], contents: Mapping[str, tuple[int, ...]]
) -> list[Cost]:
    """What the armies cost that the two players set up; ``contents`` are those of their files, by toggle."""
    prices = price_list(family)
    spent = []
    for toggle in family.toggles:
        if prices is not None and toggle.name in prices.paid and toggle.files and toggle.name in contents:
            units = content_files.unit_counts(family, toggle.files, contents[toggle.name])
            points = sum(prices.costs(units, settings[prices.name]).values())
            budget = settings[prices.budget]
            assert isinstance(budget, int)
            spent.append(Cost(toggle, str(settings[toggle.name]), points, budget - points))
    return spent


def army_offers(
    family: Declaration,
    settings: Mapping[str, Setting],
    project: Project | None = None,
    names: Collection[str] | None = None,
) -> list[Cost]:
    """What each army of the project would cost that can be set up on the board, the dearest first.

    ``names`` are the only ones asked for.
    """
    prices = price_list(family)
    if prices is None:
        return []
    toggle = family.toggle(prices.paid[0])
    budget = settings[prices.budget]
    assert toggle.files is not None and isinstance(budget, int)
    offered = []
    for name, units in content_files.unit_counts_by_file(family, toggle.files, settings, project, names).items():
        if units is not None:
            points = sum(prices.costs(units, settings[prices.name]).values())
            offered.append(Cost(toggle, name, points, budget - points))
    return sorted(offered, key=lambda cost: (-cost.points, cost.name))


def armies_over_budget(
    family: Declaration, settings: Mapping[str, Setting], project: Project | None = None
) -> list[str]:
    """The armies of both players that cost more than the budget, in words; none if anything else is wrong with one."""
    prices = price_list(family)
    if prices is None:
        return []
    names = {str(settings[name]) for name in prices.paid}
    found = army_offers(family, settings, project, names)
    if len(found) < len(names):
        return []
    return [
        tr(
            "{army} costs {points} of {budget} points",
            army=cost.name,
            points=cost.points,
            budget=cost.points + cost.left,
        )
        for cost in found
        if cost.left < 0
    ]
