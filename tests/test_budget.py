"""The size of the house: a number that rises is a line of this file, with its reason in the commit."""

from __future__ import annotations

from pathlib import Path

import workbench

PACKAGE = Path(workbench.__file__).parent
TESTS = Path(__file__).parent
LINES = {
    ".": 662, "api": 1_541, "cli": 2_904, "engine": 5_724, "exact": 918, "files": 1_031, "games": 20_094,
    "language": 349, "laws": 1_078, "learning": 1_126, "outside": 942, "people": 1_850, "play": 1_253,
    "questions": 8_361, "report": 10_613, "run": 5_219, "statistics": 9_327, "store": 1_139, "studio": 9_434,
}  # fmt: skip
"""Most lines of Python in each room of the package; `.` is the package's own modules."""
MODULES = 270
SMALL_MODULES = 38
"""Modules under 100 lines, empty ones aside."""
TEST_LINES = 44_565


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
