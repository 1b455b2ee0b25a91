"""The size of the house: a number that rises is a line of this file, with its reason in the commit."""

from __future__ import annotations

from pathlib import Path

import workbench

PACKAGE = Path(workbench.__file__).parent
TESTS = Path(__file__).parent
LINES = {
    ".": 161, "addons": 13_091, "api": 1_186, "base": 2_272, "cli": 1_585, "engine": 5_148, "experiments": 2_793,
    "games": 18_078, "players": 3_049, "positions": 713, "records": 956, "report": 8_212, "rules": 2_061,
    "runs": 3_024, "statistics": 6_630, "studio": 5_759,
}  # fmt: skip
"""Most lines of Python in each room of the package; `.` is the package's own modules."""
MODULES = 247
SMALL_MODULES = 46
"""Modules under 100 lines, empty ones aside."""
TEST_LINES = 39_389


def lines(path: Path) -> int:
    return len(path.read_bytes().splitlines())


def test_the_house_does_not_grow() -> None:
    modules = {path.relative_to(PACKAGE): lines(path) for path in PACKAGE.rglob("*.py")}
    rooms: dict[str, int] = {}
    for module, count in modules.items():
        room = module.parts[0] if len(module.parts) > 1 else "."
        rooms[room] = rooms.get(room, 0) + count
    counted = {
        **rooms,
        "modules": len(modules),
        "modules under 100 lines": sum(0 < count < 100 for count in modules.values()),
        "tests": sum(map(lines, TESTS.rglob("*.py"))),
    }
    most = {**LINES, "modules": MODULES, "modules under 100 lines": SMALL_MODULES, "tests": TEST_LINES}
    assert {name: count for name, count in counted.items() if count > most.get(name, 0)} == {}
