"""The compiled kernel and the naive twin play the same draughts: compared ply by ply over random games."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable

import pytest

from tests.naive import draughts as twin
from tests.test_draughts_rules import Settings, full_moves
from workbench import rulesets
from workbench.engine import contract
from workbench.games.declaration import Setting
from workbench.games.draughts.rules import DECLARATION
from workbench.session import RESULTS, Session, terminations
from workbench.yamlfile import InputError

NAMES = [name for name in rulesets.names() if name.startswith("draughts/")]
KNOWN = terminations(DECLARATION)
BLOCK = 50
"""Games that one slow test plays; 20 such blocks make the thousand of each ruleset."""


def session_of(settings: Settings, fen: str = "") -> Session:
    codes = tuple(toggle.code(settings[toggle.name]) for toggle in DECLARATION.toggles)
    return Session("draughts", codes, {"fen": fen} if fen else None)


def compare(settings: Settings, seed: int, fen: str = "", plies: int = 1000) -> tuple[int, str | None]:
    """Plays a random game on both; returns the positions compared and how the game ended."""
    chance = random.Random(seed)
    session = session_of(settings, fen)
    position = twin.from_setup(settings, {"fen": fen}) if fen else twin.start(settings)
    history: list[Hashable] = []
    keys: Counter[int] = Counter()
    for ply in range(plies):
        where = (seed, fen, session.texts, twin.fen(settings, position))
        moves = full_moves(settings, session)
        legal = twin.legal_moves(settings, position)
        assert contract.seat(session.rules, session.state) == twin.seat(settings, position), where
        key = int(contract.key(session.rules, session.state))
        keys[key] += 1
        result, termination = contract.outcome(session.rules, session.state, len(moves))
        if result == contract.ONGOING:
            result, termination = contract.repetition(session.rules, session.state, keys[key])
        found = (RESULTS[result], KNOWN[int(termination)].name) if result else ("ongoing", None)
        assert found == twin.outcome(settings, position, history), where
        if found[1] != "royal-captured":
            assert set(moves) == legal, (*where, set(moves) ^ legal)
        if found[1]:
            return ply + 1, found[1]
        move = chance.choice(sorted(legal))
        history.append(twin.repetition_key(settings, position))
        position = twin.play(settings, position, move)
        session.push(moves[move])
    return plies, None


def random_fen(settings: Settings, chance: random.Random) -> str:
    """A position with pieces anywhere, a few or many, more of them kings than games have."""
    every_square = twin.squares(settings)
    cells = chance.sample(every_square, chance.randint(2, len(every_square) * 2 // 3))
    kings = chance.random()
    board: twin.Board = {}
    for cell in cells:
        colour = chance.choice([twin.BLACK, twin.WHITE])
        crowned = cell[1] == twin.last_row(settings, colour) or chance.random() < kings
        board[cell] = twin.Piece(colour, twin.KING if crowned else twin.MAN)
    if settings["royal"] == "back-centre":
        for cell, colour in zip(cells, (twin.BLACK, twin.WHITE), strict=False):
            board[cell] = twin.Piece(colour, twin.ROYAL)
    return twin.fen(settings, twin.Position(board, chance.choice([twin.BLACK, twin.WHITE])))


def random_settings(chance: random.Random) -> dict[str, Setting]:
    """Rules put together by chance, without conflicts; small boards come up more often than large ones."""
    base = rulesets.load("draughts/english")
    while True:
        changes: dict[str, Setting] = {}
        for toggle in DECLARATION.toggles:
            if chance.random() < 0.5:
                changes[toggle.name] = chance.choice([value.name for value in toggle.values] or [toggle.default])
        changes["rows"] = chance.randint(1, 4)
        changes["quiet_limit"] = chance.choice([0, 1, 8, 30])
        try:
            return dict(rulesets.derive(base, changes, "mixture", "mixture").settings)
        except InputError:
            continue


# --- Random games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_kernel_and_twin_agree_on_every_shipped_ruleset(name: str) -> None:
    settings = rulesets.load(name).settings
    ends = [compare(settings, seed)[1] for seed in range(2)]
    assert all(ends)


@pytest.mark.kernel
@pytest.mark.parametrize("name", NAMES)
def test_kernel_and_twin_agree_on_random_positions(name: str) -> None:
    settings = rulesets.load(name).settings
    chance = random.Random(name)
    for seed in range(20):
        compare(settings, seed, random_fen(settings, chance), plies=3)


@pytest.mark.kernel
@pytest.mark.parametrize("seed", range(25))
def test_kernel_and_twin_agree_on_mixed_toggles(seed: int) -> None:
    chance = random.Random(seed)
    settings = random_settings(chance)
    compare(settings, seed, plies=60)
    compare(settings, seed, random_fen(settings, chance), plies=10)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
@pytest.mark.parametrize("name", NAMES)
def test_kernel_and_twin_agree_on_a_thousand_games(name: str, block: int) -> None:
    settings = rulesets.load(name).settings
    for seed in range(1000 + BLOCK * block, 1000 + BLOCK * (block + 1)):
        assert compare(settings, seed)[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_kernel_and_twin_agree_on_thousands_of_random_positions(name: str) -> None:
    settings = rulesets.load(name).settings
    chance = random.Random(name)
    for seed in range(1000):
        compare(settings, seed, random_fen(settings, chance), plies=3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 2000))
def test_kernel_and_twin_agree_on_random_rules(seed: int) -> None:
    chance = random.Random(seed)
    settings = random_settings(chance)
    compare(settings, seed, plies=150)
    for _ in range(5):
        compare(settings, seed, random_fen(settings, chance), plies=10)
