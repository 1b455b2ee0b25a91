"""Places that are worth the same: the symmetries of boards of hexagons, and a game of one's own that declares them."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest

from tests import few, hexgame
from tests.hexapawn import User
from workbench.engine import folds
from workbench.engine.folds import DIAGONAL, HALF_TURN, SAME, Fold, Symmetry, apply_symmetry
from workbench.report.render.svg import Grid

RHOMBI, HEXAGONS = (2, 3, 4, 11), (3, 5, 9)
BOARDS = [
    *((fold, size, count) for fold, count in ((folds.RHOMBUS, 4), (folds.HEX, 2)) for size in RHOMBI),
    *((fold, size, count) for fold, count in ((folds.HEXAGON, 12), (folds.HEXAGON_MIRRORED, 2)) for size in HEXAGONS),
]
all_boards = pytest.mark.parametrize(("fold", "size", "count"), BOARDS)
Cell = tuple[int, int]


def group(fold: Fold) -> set[Symmetry]:
    found: set[Symmetry] = {SAME}
    while True:
        more = found | {after(one, other) for one in found for other in fold.symmetries}
        if more == found:
            return found
        found = more


def after(one: Symmetry, other: Symmetry) -> Symmetry:
    (a, c), (b, d) = (apply_symmetry(other, *apply_symmetry(one, *step)) for step in ((1, 0), (0, 1)))
    return a, b, c, d


def cells_of(fold: Fold, size: int) -> list[Cell]:
    hexagon, middle = folds.HEXAGON_LEFT_RIGHT in fold.symmetries, size // 2
    cells = itertools.product(range(size), repeat=2)
    return [(x, y) for x, y in cells if not hexagon or abs(x - middle + y - middle) <= middle]


def image(symmetry: Symmetry, size: int, cell: Cell) -> Cell:
    x, y = apply_symmetry(symmetry, *(2 * end - size + 1 for end in cell))
    assert (x + size) % 2 == (y + size) % 2 == 1, "a cell lies on cells"
    return (x + size - 1) // 2, (y + size - 1) // 2


@all_boards
def test_a_fold_is_a_group_of_permutations(fold: Fold, size: int, count: int) -> None:
    whole, cells = group(fold), cells_of(fold, size)
    assert len(whole) == count
    assert {after(one, other) for one in whole for other in whole} == whole
    for symmetry in (*whole, fold.second):
        assert sorted(image(symmetry, size, cell) for cell in cells) == sorted(cells)
    for cell in cells:
        assert fold.images(size, *cell) == {image(one, size, cell) for one in whole}


@all_boards
def test_what_is_drawn_at_some_distance_stays_there(fold: Fold, size: int, count: int) -> None:
    """Neighbours stay neighbours, by the picture of the board."""
    grid, cells = Grid(size, size, True), cells_of(fold, size)

    def distance(one: Cell, other: Cell) -> float:
        return math.dist(grid.corner(one[1], one[0]), grid.corner(other[1], other[0]))

    for symmetry in (*group(fold), fold.second):
        for one, other in itertools.combinations(cells[::2], 2):
            there = distance(image(symmetry, size, one), image(symmetry, size, other))
            assert there == pytest.approx(distance(one, other), abs=0.1)


@pytest.mark.parametrize("size", RHOMBI)
def test_folds_of_hex_keep_the_goals(size: int) -> None:
    top, bottom = ([(x, y) for x in range(size)] for y in (0, size - 1))
    left, right = ([(x, y) for y in range(size)] for x in (0, size - 1))
    moved_to = {HALF_TURN: (bottom, top, right, left), DIAGONAL: (left, right, top, bottom)}
    assert group(folds.HEX) == {SAME, HALF_TURN} and folds.HEX.second == DIAGONAL
    for symmetry, edges in moved_to.items():
        for edge, wanted in zip((top, bottom, left, right), edges, strict=True):
            assert sorted(image(symmetry, size, cell) for cell in edge) == wanted


OWN = """
import numpy as np
from tests.toy import games, plan_for, with_keys
from workbench.engine import contract, trials
from workbench.engine.search.units import unit_places
from workbench.addons.conformance.positions import check_folds
from workbench.addons.conformance.positions import Subject
from workbench.rules import rulesets
from workbench.statistics.styles import placement_table

ruleset = rulesets.load_ruleset("hex/3x3")
check_folds(Subject(ruleset))

lines = ["a1 b2", "c3 a2", "a1 c2", "a2 b2", "c2 a1"]
table = placement_table(games("wwlwl", "hex/3x3", opening=lines), with_keys(plan_for("hex/3x3"), rulesets=(ruleset,)))
for row in table.to_dict("records"):
    print(row["seat"], row["cells"].replace(" ", ","), row["games"])

places = unit_places(ruleset.rules())
print("places", places.total)
def place(owner, x, y):
    return places.by_word[contract.unit_word(0, owner, y << 5 | x, 0)]
for x in range(3):
    for y in range(3):
        assert len({place(0, x, y), place(0, 2 - x, 2 - y), place(1, y, x), place(1, 2 - y, 2 - x)}) == 1
"""
COUNTED = {
    "first a1,c3 3", "first a2,c2 2", "second b2 2", "second a1,c3 1", "second a2,c2 2", "places 6",
}  # fmt: skip


@pytest.mark.thorough
def test_a_game_of_ones_own_counts_mirrored_places_as_one(tmp_path: Path) -> None:
    user, project = User(tmp_path / "home"), hexgame.project(tmp_path / "mine")
    done = user.python("-c", OWN, folder=project, NUMBA_DISABLE_JIT="1", WORKBENCH_TRUST=str(project / "games"))
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.splitlines()) == COUNTED


@pytest.mark.thorough
@pytest.mark.parametrize("fold", few.first(1, ["MIRRORED", "RHOMBUS", "HEXAGON", "Fold((HALF_TURN,))"]))
def test_folds_that_are_not_those_of_the_board_break_a_law(fold: str, tmp_path: Path) -> None:
    user, project = User(tmp_path / "home"), hexgame.project(tmp_path / "mine")
    rules = project / "games" / "hex" / "rules.py"
    text = rules.read_text(encoding="utf-8").replace('"石", HEX', f'"石", {fold}')
    rules.write_text(text.replace("import HEX\n", "import *\n"), encoding="utf-8")
    ask = (
        "from workbench.addons.conformance.positions import check_folds as ask\n"
        "from workbench.addons.conformance.positions import Subject\n"
        "from workbench.rules import rulesets\n"
        "print(Subject(rulesets.load_ruleset('hex/4x4')).breach('folds', ask).finding)"
    )
    done = user.python("-c", ask, folder=project, NUMBA_DISABLE_JIT="1", WORKBENCH_TRUST=str(project / "games"))
    assert done.stdout.startswith("the fold of stone changes the board"), done.stdout + done.stderr
