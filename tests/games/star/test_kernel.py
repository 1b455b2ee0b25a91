"""The compiled kernel and the naive twin play the same Star: compared ply by ply over random games."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import product
from typing import Any

import pytest

from tests import engines, few
from tests.engines import Settings, Setup
from tests.games.star import twin
from tests.games.star import twin_exact as exact
from workbench.games.declaration import Setting
from workbench.games.star.rules import DECLARATION
from workbench.rules import rulesets

READINGS = ("no-undo", "shape", "own-pieces", "off")
NAMES = ("size", "pieces", "foul", "opponent_completes", "stuck")
EVERY_COMBINATION: list[dict[str, Setting]] = [
    {**dict(zip(NAMES, values, strict=True)), "repetition": (0, 2, 3)[number % 3]}
    for number, values in enumerate(product((3, 4, 5), (2, 3, 4), READINGS, ("wins", "ignored"), ("loss", "draw")))
]


def compare(settings: Settings, seed: int, plies: int, setup: Setup | None = None) -> int:
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
    chance = random.Random(seed)
    compared = 0
    for _ in range(games):
        compared += compare(settings, chance.randrange(1 << 30), plies=60)
        compared += compare(settings, chance.randrange(1 << 30), plies=3, setup=scattered(settings, chance))
        compared += compare(settings, chance.randrange(1 << 30), plies=3, setup=interrupted(settings, chance))
    assert compared > 5 * games


@few.every_ruleset("star/")
def test_kernel_and_twin_agree_on_every_shipped_ruleset(name: str) -> None:
    # The value of a draw is no rule of this game alone: tests/test_swap.py.
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


@lru_cache(maxsize=1)
def graph(foul: str) -> exact.Graph:
    """All states under a reading of the foul; only the last is kept, for each takes some 400 MB."""
    return exact.enumerate_states(DECLARATION.defaults() | {"foul": foul})


def value(solved: exact.Graph) -> tuple[int, int]:
    values, plies = exact.solve(solved)
    return values[0], plies[0]


@pytest.mark.thorough
def test_game_without_foul() -> None:
    solved = graph("off")
    assert len(solved.states) == solved.count(exact.position) == 22_657
    assert solved.count(exact.board) == 12_217
    assert value(solved) == (exact.DRAW, 0)
    chances = exact.random_play(solved)
    assert chances["first"] == pytest.approx(0.514804420035, abs=5e-13)
    assert chances["plies"] == pytest.approx(14.848426363, abs=5e-10)
    assert chances["draw"] == 0


@pytest.mark.parametrize("foul", ["off", pytest.param("no-undo", marks=pytest.mark.slow)])
def test_opponent_never_completes_a_surrounding(foul: str) -> None:
    # What opponent_completes asks: the piece that a jump passes over stands next to the star's new place, and a piece
    # that is placed or moved is not the other player's.
    assert not any(twin.surrounds(state, state.to_move) for state in graph(foul).states)


@pytest.mark.slow
def test_default_game_has_the_published_size() -> None:
    solved = graph("no-undo")
    assert solved.count(exact.board) == 12_217
    assert solved.count(exact.position) == 22_657
    assert solved.count(exact.state_without_past_at_its_end) == 462_411
    assert solved.count(exact.state_with_last_actions) == 287_609
    assert solved.transitions() == 2_042_636
    assert solved.count(exact.state_without_past_at_its_end, "surrounded") == 1_528
    assert solved.count(lambda state: state, "stuck") == 6_792


@pytest.mark.slow
@pytest.mark.parametrize(
    ("foul", "first", "plies"),
    [
        ("no-undo", 0.511133708735, 11.778382126),
        ("shape", 0.510871235924, 11.900780242),
        ("own-pieces", 0.511131901467, 11.778290972),
    ],
)
def test_first_wins_in_29_plies_and_random_play_is_nearly_even(foul: str, first: float, plies: float) -> None:
    solved = graph(foul)
    assert value(solved) == (twin.FIRST, 29)
    chances = exact.random_play(solved)
    assert chances["first"] == pytest.approx(first, abs=5e-13)
    assert chances["second"] == pytest.approx(1 - first, abs=5e-13)
    assert chances["plies"] == pytest.approx(plies, abs=5e-10)
    assert chances["draw"] == 0
