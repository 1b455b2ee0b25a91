"""Boards of hexagons, with holes, and with edges that are goals: in pages, at the terminal and to be clicked."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests import hexgame
from tests.hexapawn import User
from tests.studio import opened, page_of
from workbench.games.declaration import Board
from workbench.players.match import position_text
from workbench.report.render import matplotlib
from workbench.report.render.svg import CELL, Grid, Pieces, board_svg


def board(n: int = 4, **more: object) -> Board:
    cells = [[""] * n for _ in range(n)]
    cells[1][2] = "●"
    names = tuple("abcdefgh"[:n])
    return Board(tuple(map(tuple, cells)), names, tuple(str(y + 1) for y in range(n)), **more)  # type: ignore[arg-type]


def corners(grid: Grid, y: int, x: int) -> set[tuple[float, float]]:
    at = [0.0, 0.0]
    found = set()
    for command, numbers in re.findall(r"([Mmlhvz])([^Mmlhvz]*)", grid.outline(y, x)):
        values = [float(number) for number in re.findall(r"-?[\d.]+", numbers)]
        if command in "hv":
            at["hv".index(command)] += values[0]
            found.add((round(at[0], 1), round(at[1], 1)))
            continue
        for dx, dy in zip(values[::2], values[1::2], strict=True):
            at = [dx, dy] if command == "M" else [at[0] + dx, at[1] + dy]
            if command != "M" or not grid.hexagonal:
                found.add((round(at[0], 1), round(at[1], 1)))
    return found


@pytest.mark.parametrize("hexagonal", [False, True])
def test_neighbours_share_an_edge_and_no_others_do(hexagonal: bool) -> None:
    grid = Grid(4, 4, hexagonal)
    steps = {(0, 1), (1, 0), (1, -1)} if hexagonal else {(0, 1), (1, 0)}
    for (y, x), (v, u) in itertools.combinations(itertools.product(range(4), repeat=2), 2):
        close = [a for a in corners(grid, y, x) for b in corners(grid, v, u) if math.dist(a, b) < 0.15]
        assert (len(close) == 2) == ((v - y, u - x) in steps), (y, x, v, u)
    assert len(corners(grid, 1, 1)) == (6 if hexagonal else 4)


def test_a_picture_holds_all_that_is_position_text() -> None:
    grid = Grid(5, 5, True)
    assert grid.width == 7 * CELL and grid.height == pytest.approx(4 * CELL * math.sqrt(3) / 2 + CELL, abs=0.1)
    page = board_svg(board(goals=(0, 1, 0, 1), hexagonal=True), Pieces())
    assert page.count('class="goal owner-0"') == page.count('class="goal owner-1"') == 2
    assert 'data-shift="5"' in page and "data-shift" not in board_svg(board(), Pieces())


def test_places_outside_of_the_board_are_not_position_text() -> None:
    whole, holed = board(outside=frozenset()), board(outside=frozenset({(0, 0), (3, 3)}))
    ground = re.search(r'<path d="([^"]*)" class="ground"', board_svg(holed, Pieces()))
    assert ground and ground[1].count("M") == 14
    assert position_text(whole).plain.count("·") == 15 and position_text(holed).plain.count("·") == 13
    assert len(matplotlib.draw_board(whole).patches) == 16 and len(matplotlib.draw_board(holed).patches) == 14


def test_rows_of_hexagons_are_shifted_at_the_terminal() -> None:
    rows = position_text(board(hexagonal=True)).plain.splitlines()[1:5]
    assert [len(row) - len(row.lstrip()) for row in rows] == [0, 2, 4, 6]


@pytest.mark.thorough
def test_hexagons_are_clicked(chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user, project = User(tmp_path / "home"), hexgame.project(tmp_path / "mine")
    for name, value in user.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("WORKBENCH_TRUST", str(project / "games" / "hex"))
    with opened(project, user=user.home) as studio, page_of(chromium, studio, "/play/file/hex/3x3") as page:
        page.select_option("[data-seat='0']", "human")
        page.select_option("[data-seat='1']", "human")
        cells = page.locator("svg.touch path.cell")
        expect(cells).to_have_count(9)
        boxes = [page.locator(f"[data-cell={name}]").bounding_box() for name in ("a1", "a2", "b1")]
        left, below, right = (box["x"] for box in boxes if box)
        assert below - left == pytest.approx((right - left) / 2, rel=0.02)
        page.click("[data-cell=b2]")
        expect(page.locator(".side .moves li")).to_have_text(["b2"])
