"""The compiled kernel and the naive twin play the same draughts, and write positions and games as PDN does."""

from __future__ import annotations

import random

import pytest

from tests import engines, few
from tests.engines import Settings
from tests.games.draughts import twin
from workbench.base.errors import InputError
from workbench.games.declaration import COMMON, Setting
from workbench.games.draughts import notation
from workbench.games.draughts.rules import DECLARATION
from workbench.positions.game_state import GameState, IllegalMove
from workbench.rules import rulesets

NAMES = [name for name in rulesets.ruleset_names() if name.startswith("draughts/")]
BLOCK = 50
"""Games that one slow test plays; 20 such blocks make the thousand of each ruleset."""


def game_state_of(settings: Settings, fen: str = "") -> GameState:
    return engines.begin("draughts", settings, fen or None)


def same_pieces(settings: Settings, game_state: GameState, positions: list[twin.Position], where: str) -> None:
    here = twin.fen(settings, positions[-1])
    assert notation.pieces_fen(game_state.rules, game_state.state) == here, where


def compare(settings: Settings, seed: int, fen: str = "", plies: int = 1000) -> tuple[int, str | None]:
    return engines.compare("draughts", settings, seed, plies, fen or None, look=same_pieces)


def random_fen(settings: Settings, chance: random.Random) -> str:
    """A position with pieces anywhere, a few or many, more of them kings than games have."""
    every_square = twin.squares(settings)
    cells = chance.sample(every_square, chance.randint(2, len(every_square) * 2 // 3))
    kings = chance.random()
    board: twin.Board = {}
    for i, cell in enumerate(cells):
        # Both sides have a piece, and the royal one if there is such.
        colour = (twin.BLACK, twin.WHITE)[i] if i < 2 else chance.choice([twin.BLACK, twin.WHITE])
        crowned = cell[1] == twin.last_row(settings, colour) or chance.random() < kings
        royal = i < 2 and settings["royal"] == "back-centre"
        board[cell] = twin.Piece(colour, twin.ROYAL if royal else twin.KING if crowned else twin.MAN)
    return twin.fen(settings, twin.Position(board, chance.choice([twin.BLACK, twin.WHITE])))


def random_settings(chance: random.Random) -> dict[str, Setting]:
    """Rules put together by chance, without conflicts; small boards come up more often than large ones."""
    base = rulesets.load_ruleset("draughts/english")
    while True:
        changes: dict[str, Setting] = {}
        for toggle in DECLARATION.toggles:
            # What the driver does with every game the twin knows nothing of.
            if chance.random() < 0.5 and toggle not in COMMON:
                changes[toggle.name] = chance.choice([value.name for value in toggle.values] or [toggle.default])
        changes["king_run"] = chance.choice([0, 0, 1, 3])
        changes["rows"] = chance.randint(1, 4)
        changes["quiet_limit"] = chance.choice([0, 1, 8, 30])
        try:
            return dict(rulesets.derive_ruleset(base, changes, "mixture", "mixture").settings)
        except InputError:
            continue


@few.every_ruleset("draughts/")
def test_kernel_and_twin_agree_on_every_shipped_ruleset(name: str) -> None:
    settings = rulesets.load_ruleset(name).settings
    ends = [compare(settings, seed)[1] for seed in range(2)]
    assert all(ends)


@pytest.mark.kernel
@pytest.mark.parametrize("name", few.first(8, NAMES))
def test_kernel_and_twin_agree_on_random_positions(name: str) -> None:
    settings = rulesets.load_ruleset(name).settings
    chance = random.Random(name)
    for seed in range(20):
        compare(settings, seed, random_fen(settings, chance), plies=3)


@pytest.mark.kernel
@pytest.mark.parametrize("seed", few.first(8, range(25)))
def test_kernel_and_twin_agree_on_mixed_toggles(seed: int) -> None:
    chance = random.Random(seed)
    settings = random_settings(chance)
    compare(settings, seed, plies=60)
    compare(settings, seed, random_fen(settings, chance), plies=10)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
@pytest.mark.parametrize("name", NAMES)
def test_kernel_and_twin_agree_on_a_thousand_games(name: str, block: int) -> None:
    settings = rulesets.load_ruleset(name).settings
    for seed in range(1000 + BLOCK * block, 1000 + BLOCK * (block + 1)):
        assert compare(settings, seed)[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_kernel_and_twin_agree_on_thousands_of_random_positions(name: str) -> None:
    settings = rulesets.load_ruleset(name).settings
    chance = random.Random(name)
    for seed in range(1000):
        compare(settings, seed, random_fen(settings, chance), plies=3)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(25, 50))
def test_kernel_and_twin_agree_on_random_rules(block: int) -> None:
    for seed in range(40 * block, 40 * (block + 1)):
        chance = random.Random(seed)
        settings = random_settings(chance)
        compare(settings, seed, plies=150)
        for _ in range(5):
            compare(settings, seed, random_fen(settings, chance), plies=10)


@pytest.mark.thorough
@pytest.mark.parametrize("seeds", few.first(1, [range(20), range(20, 80)]), ids=str)
def test_kernel_and_twin_agree_from_drawn_starts(seeds: range) -> None:
    begun = 0
    for seed in seeds:
        chance = random.Random(seed)
        settings = random_settings(chance)
        drawn: dict[str, Setting] = {"start_position": random_fen(settings, chance)}
        base = {name: value for name, value in settings.items() if name != "start_position"} | drawn
        try:
            settings = dict(
                rulesets.derive_ruleset(rulesets.load_ruleset("draughts/english"), base, "drawn", "drawn").settings
            )
        except InputError as error:
            assert "royal" in str(error) or "first king wins" in str(error) or "two win" in str(error)
            continue
        begun += 1
        compare(settings, seed, plies=60)
    assert begun > len(seeds) * 3 // 8


@pytest.mark.parametrize(
    ("name", "fen", "texts"),
    [
        ("english", "B:W15,22:B11", "11x25"), ("english", "B:W6,7,14,15:B2", "2x9x18 2x11x18"),
        ("english", "B:W18,19,26,27:BK22", "22x22"), ("english", "B:W15,16:B11,12", "11x18 11x20 12x19"),
        ("international", "W:WK47:B20,29,38", "47x15"), ("turkish", "W:Wd4:Bd5,e6", "d4xf6"),
        ("tobishogo", "W:WRe5,a1:BRe9,d4", "e5xc3"),
    ],
)  # fmt: skip
def test_squares_on_the_way_are_written_only_where_they_tell_captures_apart(name: str, fen: str, texts: str) -> None:
    game_state = game_state_of(rulesets.load_ruleset(f"draughts/{name}").settings, fen)
    assert set(game_state.legal_texts()) == set(texts.split())


def test_a_capture_with_too_few_squares_is_refused() -> None:
    game_state = game_state_of(DECLARATION.defaults(), "B:W6,7,14,15:B2")
    with pytest.raises(IllegalMove, match=r"2x9x18 or 2x11x18"):
        game_state.push_text("2x18")


ROUND = "W:WK19:B7,8,15,16,23"
"""The king takes 23, or goes round over 16, 8, 7 and 15 and takes it last: two captures from 19 to 26."""


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("19x26", "19x26:23"), ("19x26:23", "19x26:23"), ("19x12x3x10x19x26", "19x26:7,8,15,16,23"),
        ("19x10x26", "19x26:7,8,15,16,23"), ("19:10:26", "19x26:7,8,15,16,23"),
        ("19x26:23,16,15,8,7", "19x26:7,8,15,16,23"),
    ],
)  # fmt: skip
def test_a_short_capture_is_told_from_a_longer_one_with_the_same_ends(text: str, whole: str) -> None:
    game_state = game_state_of(DECLARATION.defaults(), ROUND)
    assert {"19x26", "19x12x3x10x19x26"} == set(game_state.legal_texts())
    start = game_state.state
    game_state.push_text(text)
    assert notation.full(game_state.rules, start, game_state.played[0]) == whole


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("19x26:23,24", "the captured pieces do not match: write 19x26:7,8,15,16,23 or 19x26:23"),
        ("19x25:23", "Legal captures from 19: "),
        ("19x26:33", "there is no square 33"),
        ("19x26:", "is not a move; write 11-15"),
        ("19-26:23", "is not a move; write 11-15"),
    ],
)
def test_captured_squares_that_are_not_captured_are_refused(text: str, message: str) -> None:
    assert message in game_state_of(DECLARATION.defaults(), ROUND).why_not(text)
