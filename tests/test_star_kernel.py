"""The compiled kernel and the naive twin play the same Star: compared ply by ply over random games."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from tests import engines, few
from tests.engines import Settings, Setup
from tests.naive import star as twin
from workbench.games.declaration import Setting
from workbench.games.star.rules import DECLARATION
from workbench.questions import rulesets

READINGS = ("no-undo", "shape", "own-pieces", "off")
NAMES = ("size", "pieces", "foul", "opponent_completes", "stuck")
EVERY_COMBINATION: list[dict[str, Setting]] = [
    {**dict(zip(NAMES, values, strict=True)), "repetition": (0, 2, 3)[number % 3]}
    for number, values in enumerate(product((3, 4, 5), (2, 3, 4), READINGS, ("wins", "ignored"), ("loss", "draw")))
]


def compare(settings: Settings, seed: int, plies: int, setup: Setup | None = None) -> int:
    """Plays a random game on both, from the start or a set-up position; returns the number of positions compared."""
    return engines.compare("star", settings, seed, plies, setup)[0]


def scattered(settings: Settings, chance: random.Random) -> dict[str, Any]:
    """A position with pieces anywhere, or as near to the star as they fit.

    So the star is surrounded by the side to move, too, which no game comes to.
    """
    size = int(settings["size"])
    star = (chance.randrange(0, size, 2), chance.randrange(0, size, 2))
    free = [cell for cell in twin.cells(size) if cell != star]
    chance.shuffle(free)
    if chance.random() < 0.5:
        free.sort(key=lambda cell: -abs(cell[0] - star[0]) - abs(cell[1] - star[1]))
    board = {star: twin.STAR}
    for piece in chance.sample(twin.PIECES, 2):
        for _ in range(chance.randint(0, int(settings["pieces"]))):
            board[free.pop()] = piece
    rows = ["".join(board.get((x, y), twin.EMPTY) for x in range(size)) for y in range(size)]
    return {"board": "/".join(rows), "to_move": chance.choice(twin.SEATS)}


def interrupted(settings: Settings, chance: random.Random) -> dict[str, Any]:
    """A position of a random game, with the boards that led to it."""
    position = twin.start(settings)
    boards = [twin.drawn(position)]
    for _ in range(chance.randrange(16)):
        following = twin.continuations(settings, position)
        if twin.outcome(settings, position)[1]:
            break
        position = following[chance.choice(sorted(following))]
        boards.append(twin.drawn(position))
    *before, board = boards
    return {"board": board, "to_move": twin.SEATS[position.to_move], "before": before}


def compare_all(settings: Settings, seed: int, games: int) -> None:
    """Compares whole games, games from scattered positions and games that were interrupted."""
    chance = random.Random(seed)
    compared = 0
    for _ in range(games):
        compared += compare(settings, chance.randrange(1 << 30), plies=60)
        compared += compare(settings, chance.randrange(1 << 30), plies=3, setup=scattered(settings, chance))
        compared += compare(settings, chance.randrange(1 << 30), plies=3, setup=interrupted(settings, chance))
    assert compared > 5 * games


@few.every_ruleset("star/")
def test_kernel_and_twin_agree_on_every_shipped_ruleset(name: str) -> None:
    # What a draw counts is no rule of this game alone: tests/test_swap.py.
    compare_all({**rulesets.load_ruleset(name).settings, "draw_value": 0.5}, seed=1, games=30)


@pytest.mark.kernel
@pytest.mark.parametrize("size", few.first(1, [3, 4, 5]))
def test_kernel_and_twin_agree_on_every_combination_of_toggles(size: int) -> None:
    for seed, changes in enumerate(EVERY_COMBINATION):
        if changes["size"] == size:
            compare_all(DECLARATION.defaults() | changes, seed, games=2)


@pytest.mark.slow
@pytest.mark.parametrize("changes", EVERY_COMBINATION, ids=lambda changes: "-".join(map(str, changes.values())))
def test_kernel_and_twin_agree_on_many_games(changes: dict[str, Setting]) -> None:
    compare_all(DECLARATION.defaults() | changes, seed=2, games=60)
