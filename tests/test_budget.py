"""The size of the house: a number that rises is a line of this file, with its reason in the commit."""

from __future__ import annotations

from pathlib import Path

import workbench

PACKAGE = Path(workbench.__file__).parent
TESTS = Path(__file__).parent
LINES = {
    ".": 585, "api": 1_543, "cli": 3_041, "engine": 5_724, "exact": 923, "files": 1_143, "games": 20_091,
    "language": 344, "laws": 1_078, "learning": 1_127, "outside": 942, "people": 1_767, "play": 1_272,
    "questions": 8_616, "report": 10_622, "run": 5_223, "statistics": 9_330, "store": 1_140, "studio": 9_437,
}  # fmt: skip
"""Most lines of Python in each room of the package; `.` is the package's own modules."""
MODULES = 290
SMALL_MODULES = 43
"""Modules under 100 lines, empty ones aside."""
TEST_LINES = 45_803


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
