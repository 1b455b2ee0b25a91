"""Hex as a game of one's own, with the packing of states left to the solver: files for a project in an empty folder.

The board of any size lies in an array for the largest, as one writes it at first: 122 words of a state.
"""

from __future__ import annotations

from pathlib import Path

RULES = '''"""Hex: two players join opposite sides."""

from workbench.engine.folds import HEX
from workbench.games.declaration import Declaration, Landmark, Named, Span, Toggle, UnitKind
from workbench.language import given

DECLARATION = Declaration(
    name="hex",
    title=given(en="Hex", ja="ヘックス"),
    version=1,
    source="P. Hein, 1942",
    seats=("Black", "White"),
    summary=("Players place a stone in turn; Black joins top and bottom, White left and right.",),
    notation=("b3 is column b, row 3.",),
    toggles=(
        Toggle("size", given(en="Board size", ja="盤"), "P. Hein", 3, span=Span(2, 11, "The board has {n}×{n} cells.")),
    ),
    conflicts=(),
    units=(UnitKind("stone", "石", HEX),),
    features=(Named("stones", given(en="Stones.", ja="石。"), 1.0),),
    events=(Named("stones", given(en="Stones placed.", ja="置かれた石。")),),
    terminations={8: Named("joined", given(en="A player has joined both sides.", ja="両辺がつながった。"))},
    landmarks=(
        Landmark(
            "opening", "The first stone of each player.", r"(?P<column>[a-k])(?P<row>[0-9]+)", fold=HEX, size="size"
        ),
    ),
    pace=50,
    training_nodes=2_000_000,
)
'''
KERNEL = '''"""Hex, compiled: word 0 is the turn, then 11 x 11 cells, 0, 1 or 2."""

import sys

import numpy as np

from workbench.engine.contract import FIRST, ONGOING, SECOND, implement, unit_word
from workbench.engine.jit import njit, scratch
from workbench.engine.reference import by_reference
from workbench.engine.rng import mix
from workbench.games.declaration import kernel_names, rules_type

from .rules import DECLARATION

Rules = by_reference(rules_type(DECLARATION, __name__))
TOGGLES, FEATURES, EVENTS, ENDINGS, STYLES, UNITS = kernel_names(DECLARATION)
BOARD, WIDTH, CELLS = 1, 11, 121


@njit
def state_size(rules):
    return BOARD + CELLS


@njit
def max_moves(rules):
    return CELLS


@njit
def board_size(rules):
    return rules.size


@njit
def start(rules, state):
    state[:] = 0


@njit
def legal_moves(rules, state, moves):
    n = 0
    for y in range(rules.size):
        for x in range(rules.size):
            if state[BOARD + WIDTH * y + x] == 0:
                moves[n] = WIDTH * y + x
                n += 1
    return n


@njit
def sample_move(rules, state, rng):
    return -1


@njit
def tactical_moves(rules, state, moves):
    return 0, True


@njit
def play(rules, state, move):
    state[BOARD + move] = 1 + state[0]
    state[0] = 1 - state[0]


@njit
def seat(rules, state):
    return state[0]


@njit
def joined(rules, state, side):
    seen, waiting = scratch(128), scratch(128)
    for i in range(CELLS):
        seen[i] = 0
    n = 0
    for i in range(rules.size):
        cell = i if side == 0 else WIDTH * i
        if state[BOARD + cell] == 1 + side:
            waiting[n] = cell
            seen[cell] = 1
            n += 1
    while n > 0:
        n -= 1
        y, x = waiting[n] // WIDTH, waiting[n] % WIDTH
        if (y if side == 0 else x) == rules.size - 1:
            return True
        for step in range(6):
            v = y + (-1 if step < 2 else 0 if step < 4 else 1)
            u = x + (0 if step == 0 else 1 if step == 1 else -1 if step == 2 else 1 if step == 3 else step - 5)
            if 0 <= v < rules.size and 0 <= u < rules.size:
                cell = WIDTH * v + u
                if seen[cell] == 0 and state[BOARD + cell] == 1 + side:
                    seen[cell] = 1
                    waiting[n] = cell
                    n += 1
    return False


@njit
def outcome(rules, state, n):
    if joined(rules, state, 1 - state[0]):
        return (FIRST if state[0] == 1 else SECOND), ENDINGS.joined
    return ONGOING, 0


@njit
def counts_positions(rules):
    return False


@njit
def repetition(rules, state, count):
    return ONGOING, 0


@njit
def features(rules, state, out):
    out[:] = 0.0


@njit
def units(rules, state, words):
    n = 0
    for y in range(rules.size):
        for x in range(rules.size):
            if state[BOARD + WIDTH * y + x] != 0:
                words[n] = unit_word(UNITS.stone, state[BOARD + WIDTH * y + x] - 1, y << 5 | x, 1)
                n += 1
    return n


@njit
def key(rules, state):
    hashed = np.uint64(0)
    for i in range(state.shape[0]):
        hashed = mix(hashed ^ np.uint64(state[i] + 1))
    return hashed


@njit
def events(rules, before, move, after, counts):
    counts[EVENTS.stones] += 1


implement(Rules, sys.modules[__name__], len(FEATURES), len(EVENTS), tuple(kind.fold for kind in DECLARATION.units))
'''
NOTATION = '''"""How moves and boards of Hex are written."""

from workbench.games.declaration import Board

from . import kernel as k


def format_move(rules, state, move):
    return f"{'abcdefghijk'[move % k.WIDTH]}{move // k.WIDTH + 1}"


def parse_move(rules, state, text):
    if text[:1] not in tuple("abcdefghijk"[: rules.size]) or text[1:] not in map(str, range(1, rules.size + 1)):
        raise ValueError(f"expected a cell such as b3, found '{text}'")
    return k.WIDTH * (int(text[1:]) - 1) + "abcdefghijk".index(text[0])


def explain(rules, state, text, move):
    return "The cell is taken."


def board(rules, state):
    n = rules.size
    cells = tuple(tuple(("", "●", "○")[state[k.BOARD + k.WIDTH * y + x]] for x in range(n)) for y in range(n))
    columns, rows = tuple("abcdefghijk"[:n]), tuple(str(y + 1) for y in range(n))
    return Board(cells=cells, columns=columns, rows=rows, hexagonal=True, goals=(0, 1, 0, 1))


def set_up(rules, state, setup):
    raise ValueError("Hex begins on an empty board")
'''


def project(root: Path, kernel: str = KERNEL) -> Path:
    """A project with the game and its rulesets ``hex/3x3`` and ``hex/4x4``."""
    family, rulesets = root / "games" / "hex", root / "rulesets" / "hex"
    for folder in (family, rulesets):
        folder.mkdir(parents=True)
    for name, content in (("rules", RULES), ("kernel", kernel), ("notation", NOTATION)):
        (family / f"{name}.py").write_text(content, encoding="utf-8")
    for size in (3, 4):
        ruleset = f"game: hex\ntitle: Hex {size}x{size}\nrules:\n  size: {size}\n"
        (rulesets / f"{size}x{size}.yaml").write_text(ruleset, encoding="utf-8")
    return root
