"""The mixed game's kernel against itself, the long way round: shortcuts must find what trying everything finds.

Positions are random ones: units of all kinds strewn over the board tell more than games do.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests import few
from tests.games.rengo.positions import SIZES, position, rows
from workbench.engine import contract, jit
from workbench.games.declaration import Setting
from workbench.games.rengo import kernel
from workbench.games.rengo import kernel_board as b
from workbench.games.rengo import kernel_moves as m
from workbench.games.rengo.rules import DECLARATION, KIND, LETTERS
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

KINGS = "玉王帥楚君"
PIECES = [letter for letter in LETTERS if letter and letter not in KINGS]
VARIANTS: list[dict[str, Setting]] = [
    {},
    {"go_capture": "go-stones-only", "draughts_duty": "below-check", "flip_king": "captured"},
    {"go_capture": "off", "draughts_duty": "off", "othello_flip": "stones-only", "crown": "short"},
    {"five": "any-own-stones", "five_ignores_check": False, "othello_flip": "off", "facing_generals": "allowed"},
    {"passing": "never", "flip_king": "captured", "five": "any-own-stones", "ko": "allowed"},
]


def codes(board: str, changes: dict[str, Setting]) -> Any:
    base = rulesets.load_ruleset("rengo/go9")
    return rulesets.derive_ruleset(base, {"board": board, **changes}, "test", "test").codes()


def strewn(chance: random.Random, board: str, crowded: float) -> dict[str, Any]:
    n = SIZES[board]
    cells = ["."] * (n * n)
    kinds = chance.sample(PIECES, 8) + chance.sample(["碁", "碁", "碁", "翻", "珠", "平", "冠", "包"], 4)
    for place in chance.sample(range(n * n), int(n * n * crowded)):
        cells[place] = chance.choice(kinds) + chance.choice(["", "'"])
    for mark, place in zip(("", "'"), chance.sample(range(n * n), 2), strict=True):
        cells[place] = chance.choice(KINGS) + mark
    hands = {
        seat: {letter: chance.randint(1, 3) for letter in chance.sample(b.HELD, 4)} | {"碁": 2, "翻": 2}
        for seat in ("first", "second")
    }
    rows = ["".join(cells[n * y : n * y + n]) for y in range(n)]
    return {"board": "/".join(rows), "to_move": chance.choice(["first", "second"]), "hands": hands}


def positions(name: str, count: int) -> Iterator[GameState]:
    chance = random.Random(name)
    variants = [(board, codes(board, changes)) for board in ("othello8", "go9", "draughts10") for changes in VARIANTS]
    for i in range(count):
        board, its_codes = variants[i % len(variants)]
        yield GameState("rengo", its_codes, strewn(chance, board, chance.choice([0.2, 0.4, 0.7, 0.9])))


def drops(rules: Any, state: Any, side: int) -> Iterator[Any]:
    for slot, letter in enumerate(b.HELD):
        if state[b.HAND + b.SLOTS * side + slot] > 0:
            for y, x in product(range(rules.board), repeat=2):
                cell = int(b.cell_at(rules, x, y))
                if state[cell] == 0 and m.droppable(rules, state, side, KIND[letter], cell):
                    yield np.int64(m.DROP << 20 | KIND[letter] << 10 | cell)


def shut_in(chance: random.Random, board: str) -> dict[str, Any]:
    """A random position of two kings among many stones: few other cells, and many 碁 and 翻 in hand."""
    n = SIZES[board]
    cells = ["."] * (n * n)
    for place in chance.sample(range(n * n), int(n * n * chance.choice([0.5, 0.7, 0.85]))):
        letter = "碁" if chance.random() < 0.9 else chance.choice("翻歩")
        cells[place] = letter + chance.choice(["", "'"])
    for mark, place in zip(("", "'"), chance.sample(range(n * n), 2), strict=True):
        cells[place] = chance.choice("玉王") + mark
    rows = ["".join(cells[n * y : n * y + n]) for y in range(n)]
    hands = {seat: {"碁": 2, "翻": chance.choice([0, 2]), "珠": 1, "金": 1} for seat in ("first", "second")}
    return {"board": "/".join(rows), "to_move": chance.choice(["first", "second"]), "hands": hands}


@pytest.mark.thorough
@pytest.mark.kernel
def test_where_drops_are_safe_none_leaves_the_king_capturable() -> None:
    chance, count = random.Random("safe drops"), 600 if jit.DISABLED else 3000
    variants = [(board, codes(board, changes)) for board in ("othello8", "go9") for changes in VARIANTS]
    safe_positions = looked_at = 0
    for i in range(count):
        board, its_codes = variants[i % len(variants)]
        game = GameState("rengo", its_codes, shut_in(chance, board))
        rules, state = game.rules, game.state
        side = int(state[b.TURN])
        if not m.drops_are_safe(rules, state, side):
            continue
        safe_positions += 1
        for move in drops(rules, state, side):
            looked_at += 1
            assert m.drop_status(rules, state, move, True) == m.drop_status(rules, state, move, False), game.setup
    assert safe_positions > count // 20
    assert looked_at > 3 * safe_positions


@pytest.mark.kernel
def test_a_drop_beside_the_king_is_looked_at_even_where_drops_are_safe() -> None:
    # The enemy may drop 翻 above and left of the upper 碁, turn it and a stone on the king's last open side, and shut
    # the king in.
    board = "玉'......../........./........./....碁..../...碁'王..../....碁'.翻'../........./........./........."
    hands = {"first": {"碁": 1}, "second": {"翻": 1}}
    game = GameState("rengo", codes("go9", {}), {"board": board, "to_move": "first", "hands": hands})
    rules, state = game.rules, game.state
    assert m.drops_are_safe(rules, state, 0)
    for x, y, answer in ((5, 4, m.EXPOSED), (7, 7, m.LEGAL)):
        drop: Any = np.int64(m.DROP << 20 | KIND["碁"] << 10 | int(b.cell_at(rules, x, y)))
        assert [m.drop_status(rules, state, drop, safe) for safe in (True, False)] == [answer, answer]


def again(game_state: GameState) -> GameState:
    rules, state = game_state.rules, game_state.state
    setup: dict[str, Any] = {
        "board": "/".join("".join(cell or "." for cell in row) for row in rows(game_state)),
        "to_move": ("first", "second")[game_state.seat],
        "passes": int(state[b.PASSES]),
        "second_king": LETTERS[int(state[b.SECOND_KING])],
        "prisoners": {seat: int(state[b.PRISONERS + side]) for side, seat in enumerate(("first", "second"))},
        "hands": {
            seat: {
                letter: int(state[b.HAND + b.SLOTS * side + slot])
                for slot, letter in enumerate(b.HELD)
                if state[b.HAND + b.SLOTS * side + slot]
            }
            for side, seat in enumerate(("first", "second"))
        },
    }
    if state[b.KO]:
        setup["ko"] = game_state.notation.square(rules, state[b.KO])
    return GameState("rengo", game_state.codes, setup)


ARMIES = ("draughts-swarm", "othello-flippers", "stone-wall", "renju-rush", "cannon-battery", "chess-cavalry")


@pytest.mark.kernel
@pytest.mark.parametrize("board", few.first(1, SIZES))
def test_a_position_of_a_game_equals_the_one_set_up_from_its_board(board: str) -> None:
    """Hash, lists and counts that are kept up move by move are those that setting up makes."""
    chance = random.Random(board)
    kos = 0
    for _ in range(1 if jit.DISABLED else 6):
        first, second = chance.sample(ARMIES, 2)
        game_state = GameState("rengo", codes(board, {"first_army": first, "second_army": second}))
        for _ in range(20 if jit.DISABLED else 150):
            legal = game_state.legal()
            if not legal:
                break
            game_state.push(chance.choice(legal))
            kos += game_state.state[b.KO] != 0
            if (game_state.plies % 5 and not game_state.state[b.KO]) or game_state.state[b.RESULT]:
                continue
            same = again(game_state)
            assert contract.key(same.rules, same.state) == contract.key(game_state.rules, game_state.state)
            assert set(same.legal_texts()) == {game_state.format(move) for move in game_state._generate()}
            ours, others = (np.zeros(int(contract.feature_count(same.rules))) for _ in range(2))
            contract.features(game_state.rules, game_state.state.copy(), ours)
            contract.features(same.rules, same.state.copy(), others)
            np.testing.assert_allclose(ours, others)


@pytest.mark.kernel
def test_features_of_the_turned_position_are_the_negative() -> None:
    """Both sides see alike: the board turned by 180 degrees with the owners swapped has every feature's negative."""
    for game_state in positions("features", 6 if jit.DISABLED else 150):
        setup = dict(game_state.setup or {})
        turned_rows = [row[::-1] for row in rows(game_state)[::-1]]
        swap = {"first": "second", "second": "first"}
        turned = GameState(
            "rengo",
            game_state.codes,
            {
                "board": "/".join(
                    "".join((cell[:-1] if cell.endswith("'") else cell + "'") if cell else "." for cell in row)
                    for row in turned_rows
                ),
                "to_move": swap[setup["to_move"]],
                "hands": {swap[seat]: hand for seat, hand in setup["hands"].items()},
            },
        )
        ours, others = (np.zeros(int(contract.feature_count(game_state.rules))) for _ in range(2))
        contract.features(game_state.rules, game_state.state.copy(), ours)
        contract.features(turned.rules, turned.state.copy(), others)
        np.testing.assert_allclose(ours, -others)


def test_the_state_is_as_large_as_it_must_be() -> None:
    for board in SIZES:
        game_state = GameState("rengo", codes(board, {}))
        assert kernel.state_size(game_state.rules) <= b.LARGEST_STATE
    assert kernel.state_size(GameState("rengo", codes("go19", {})).rules) == b.LARGEST_STATE


NAMES = [feature.name for feature in DECLARATION.features]
DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
BESIDE = [(-1, 0), (1, 0), (0, -1), (0, 1)]
CHANGES: list[dict[str, Setting]] = [
    {},
    {"go_capture": "off", "othello_flip": "stones-only"},
    {"five": "off", "flip_king": "captured"},
    {"othello_flip": "off", "five": "any-own-stones"},
]


def scattered(chance: random.Random, where: str, changes: dict[str, Setting]) -> GameState:
    n = SIZES[where]
    cells = ["."] * (n * n)
    letters = "".join(chance.choice(["碁", "翻", "珠", "碁翻珠", "翻珠歩銀"]) for _ in range(2))
    for place in chance.sample(range(n * n), int(n * n * chance.choice([0.15, 0.3, 0.5, 0.8]))):
        cells[place] = chance.choice(letters) + chance.choice(["", "'"])
    for mark, place in zip(("", "'"), chance.sample(range(n * n), 2), strict=True):
        cells[place] = chance.choice(KINGS) + mark
    board = " ".join("".join(cells[n * y : n * y + n]) for y in range(n))
    hands = {seat: {"翻": chance.randint(0, 2)} for seat in ("first", "second")}
    return position(board, where, chance.choice(["first", "second"]), changes, hands=hands)


class Counted:
    def __init__(self, game_state: GameState, changes: dict[str, Setting]) -> None:
        self.grid = rows(game_state)
        self.n = len(self.grid)
        self.changes = changes
        self.hands = (game_state.setup or {})["hands"]
        self.all = [(y, x) for y in range(self.n) for x in range(self.n)]

    def at(self, y: int, x: int) -> str:
        """A unit, "" for an empty cell, "#" beyond the board."""
        return self.grid[y][x] if 0 <= y < self.n and 0 <= x < self.n else "#"

    def liberties(self, mark: str) -> int:
        if self.changes.get("go_capture") == "off":
            return 0
        return sum(self.at(y, x) == "" and "碁" + mark in self.beside(y, x) for y, x in self.all)

    def beside(self, y: int, x: int) -> list[str]:
        return [self.at(y + dy, x + dx) for dy, dx in BESIDE]

    def in_row(self, fewest: int, most: int, mark: str) -> int:
        if self.changes.get("five") == "off":
            return 0
        total = 0
        for y, x in self.all:
            for dy, dx in ((0, 1), (1, -1), (1, 0), (1, 1)):
                row = [self.at(y + i * dy, x + i * dx) for i in range(5)]
                held = row.count("珠" + mark)
                if held + row.count("") == 5 and fewest <= held <= most:
                    total += held - 1
        return total

    def flippable(self, mark: str) -> int:
        seat, other = ("first", "'") if mark == "" else ("second", "")
        how = self.changes.get("othello_flip", "all-units")
        if how == "off" or not self.hands[seat].get("翻"):
            return 0
        if how == "stones-only":
            turned = {"翻" + other}
        else:
            spared = "" if self.changes.get("flip_king") == "captured" else KINGS
            turned = {cell for row in self.grid for cell in row if cell and cell[1:] == other and cell[0] not in spared}
        most = 0
        for y, x in self.all:
            if self.at(y, x) != "":
                continue
            total = 0
            for dy, dx in DIRECTIONS:
                far = 1
                while self.at(y + far * dy, x + far * dx) in turned:
                    far += 1
                if self.at(y + far * dy, x + far * dx) == "翻" + mark:
                    total += far - 1
            most = max(most, total)
        return most

    def territory(self, mark: str) -> int:
        total, seen = 0, set()
        for cell in self.all:
            if cell in seen or self.at(*cell)[:1] == "碁":
                continue
            region, touched = [cell], set()
            seen.add(cell)
            for y, x in region:
                for dy, dx in BESIDE:
                    unit = self.at(y + dy, x + dx)
                    if unit[:1] == "碁":
                        touched.add(unit)
                    elif unit != "#" and (y + dy, x + dx) not in seen:
                        seen.add((y + dy, x + dx))
                        region.append((y + dy, x + dx))
            if touched == {"碁" + mark}:
                total += sum(self.at(*each) == "" for each in region)
        return total

    def stones(self, mark: str) -> int:
        return sum(row.count("翻" + mark) for row in self.grid)

    def advance(self, mark: str) -> int:
        return sum((self.n - 1 - y if mark == "" else y) for y, x in self.all if self.at(y, x) == "歩" + mark)


@pytest.mark.thorough
@pytest.mark.kernel
def test_features_of_the_board_are_what_their_sentences_say() -> None:
    chance = random.Random("features")
    met = dict.fromkeys(["liberties", "open_rows", "fours", "flippable", "territory", "othello_stones", "advance"], 0)
    for i in range(16 if jit.DISABLED else 600):
        changes = CHANGES[i % len(CHANGES)]
        game_state = scattered(chance, ("othello8", "go9", "go13", "renju15")[i // len(CHANGES) % 4], changes)
        found = np.zeros(len(NAMES))
        before = game_state.state.copy()
        contract.features(game_state.rules, game_state.state, found)
        assert (game_state.state == before).all()
        counted = Counted(game_state, changes)
        for name, count in (
            ("liberties", counted.liberties),
            ("open_rows", partial(counted.in_row, 2, 3)),
            # Five end the game: what they count is no matter, but such positions can be set up.
            ("fours", partial(counted.in_row, 4, 5)),
            ("flippable", counted.flippable),
            ("territory", counted.territory),
            ("othello_stones", counted.stones),
            ("advance", counted.advance),
        ):
            assert found[NAMES.index(name)] == count("") - count("'"), (name, changes, game_state.setup)
            met[name] += found[NAMES.index(name)] != 0
    assert jit.DISABLED or min(met.values()) > 20, met
