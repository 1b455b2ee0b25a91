"""What the mixed game's heuristic sees on the board, counted again as its sentences say, cell by cell."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest

from tests.rengo_positions import SIZES, position, rows
from workbench.engine import contract, jit
from workbench.games.declaration import Setting
from workbench.games.game_state import GameState
from workbench.games.rengo.rules import DECLARATION

NAMES = [feature.name for feature in DECLARATION.features]
KINGS = "玉王帥楚君"
DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
BESIDE = [(-1, 0), (1, 0), (0, -1), (0, 1)]
CHANGES: list[dict[str, Setting]] = [
    {},
    {"go_capture": "off", "othello_flip": "stones-only"},
    {"five": "off", "flip_king": "captured"},
    {"othello_flip": "off", "five": "any-own-stones"},
]


def scattered(chance: random.Random, where: str, changes: dict[str, Setting]) -> GameState:
    """A random position of many stones, few pieces and two kings."""
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
    """A position, read for one side after the other."""

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
