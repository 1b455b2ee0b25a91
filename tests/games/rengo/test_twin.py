"""The compiled kernel and the naive twin play the same mixed game: compared ply by ply over random games."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests import engines, few
from tests.engines import outcome_of
from tests.games.rengo import twin, twin_board
from tests.games.rengo.positions import rows
from workbench.games.declaration import Setting
from workbench.games.rengo.rules import DECLARATION
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

ARMIES = Path(rulesets.__file__).parents[2] / "rulesets" / "rengo" / "armies"
NAMES = sorted(path.stem for path in ARMIES.glob("*.yaml"))
PAIRS = [(NAMES[i], NAMES[(i + step) % len(NAMES)]) for step in (1, 3, 5) for i in range(len(NAMES))]
BOARDS = sorted(twin_board.SIZES)

PIECES = "金銀桂香飛角歩歩歩后城僧騎兵兵仕相傌俥炮卒卒士象马车包卆種根午船貝核"
THEMES = {
    "pieces": (PIECES + "平冠碁碁翻翻珠", "歩歩桂角香銀"),
    "draughts": (PIECES + "平" * 30 + "冠" * 8, "歩碁"),
    "go": ("碁" * 60 + "飛騎歩翻珠平", "碁"),
    "othello": ("翻" * 20 + PIECES + "碁" * 30 + "平珠珠", "翻翻碁"),
    "renju": ("珠" * 60 + "翻碁翻飛", "珠珠翻"),
}
"""What stands on the board and what is in hand in random positions that are about one of the games."""
PROMOTED = ("+飛", "+角", "+銀", "+桂", "+香", "+歩", "+卒")

MIXTURES: list[dict[str, Setting]] = [
    {"draughts_duty": "below-check", "crown": "short", "board": "draughts10"},
    {"draughts_duty": "off", "board": "draughts10", "bikjang": "off"},
    {"go_capture": "go-stones-only", "board": "go9", "komi": 0},
    {"go_capture": "off", "five": "off", "board": "go9"},
    {"othello_flip": "stones-only", "board": "othello8", "passing": "never"},
    {"othello_flip": "off", "ko": "allowed", "board": "go9"},
    {"flip_king": "captured", "board": "othello8"},
    {"five": "any-own-stones", "five_ignores_check": False, "board": "othello8"},
    {"facing_generals": "allowed", "board": "renju15"},
]


def compare(settings: Mapping[str, Setting], seed: int, plies: int, setup: Mapping[str, object] | None = None) -> int:
    """Plays a random game on both, from a set-up position or from the start; returns the positions compared."""
    chance = random.Random(seed)

    def look(_: object, game_state: GameState, positions: list[twin.Position], where: str) -> None:
        position = positions[-1]
        same_position(game_state, position, where)
        if outcome_of(game_state)[1]:
            return
        legal = twin.legal(position)
        for move in chance.sample(lively(position), min(4, len(lively(position)))):
            game_state.push_text(move)
            same_position(game_state, legal[move], f"{where} and {move}")
            game_state.undo()
        past[:] = positions[:-1]

    def choose(chance: random.Random, legal: list[str], position: twin.Position) -> str:
        return chosen(chance, position, past)

    past: list[twin.Position] = []
    return engines.compare("rengo", settings, seed, plies, setup, choose, look)[0]


def lively(position: twin.Position) -> list[str]:
    """The moves that change more than where one unit stands, or win."""
    texts = []
    for text, after in twin.legal(position).items():
        changed = position.stage.items() - after.stage.items()
        if after.won or after.ko or len(changed) > ("*" not in text):
            texts.append(text)
    return sorted(texts)


def same_position(game_state: GameState, position: twin.Position, where: str) -> None:
    """Compares all that is seen of a position."""
    board = game_state.board()
    shown = {(x, y): unit for y, row in enumerate(rows(game_state)) for x, unit in enumerate(row) if unit}
    expected = {cell: unit.kind + "'" * unit.side for cell, unit in position.stage.items()}
    assert shown == expected, f"{where}: {set(shown.items()) ^ set(expected.items())}"
    notes = "\n".join(board.notes)
    for side, seat in enumerate(("First", "Second")):
        match = re.search(rf"{seat}: in hand (.*), prisoners (\d+)", notes)
        held = {text[0]: int(text[2:]) for text in match[1].split()} if match and match[1] != "nothing" else {}
        assert held == {kind: number for kind, number in position.hands[side].items() if number}, where
        assert int(match[2] if match else 0) == position.prisoners[side], where
        if side == position.to_move and not position.won and not position.facing_goes_on:
            assert (f"{seat} is in check" in notes) == twin.in_check(position, side), where
    ko = re.search(r"ko forbids (\S+)", notes)
    assert (ko[1] if ko else None) == (twin_board.name(position.ko) if position.ko else None), where


def chosen(chance: random.Random, position: twin.Position, history: Sequence[twin.Position]) -> str:
    """A random move; what is rare among the many drops is preferred."""
    legal = twin.legal(position)
    if "pass" in legal and chance.random() < (0.3 if position.passes else 0.04):
        return "pass"
    if len(position.stage) < 8 and history:
        # Few units come back to where they were only if they mean to.
        checks = [text for text, after in legal.items() if twin.in_check(after, after.to_move)]
        known = {twin.identity(before) for before in history}
        back = [text for text, after in legal.items() if twin.identity(after) in known]
        again = sorted(set(checks) & set(back)) or sorted(checks) or sorted(back)
        if again and chance.random() < 0.8:
            return chance.choice(again)
    quiet = [text for text, after in legal.items() if not after.won] or list(legal)
    effects = [text for text in lively(position) if text in quiet or chance.random() < 0.1]
    if effects and chance.random() < 0.4:
        return chance.choice(effects)
    moves = [text for text in quiet if "-" in text]
    if moves and chance.random() < 0.5:
        return chance.choice(sorted(moves))
    return chance.choice(sorted(quiet))


def scattered(chance: random.Random, settings: Mapping[str, Setting]) -> dict[str, object]:
    """A random position in which the player who has just moved is not in check."""
    size = twin_board.SIZES[str(settings["board"])]
    while True:
        placed, held = THEMES[chance.choice(sorted(THEMES))]
        window = min(size, chance.choice((5, 6, 7, 9)))
        left, top = chance.randrange(size - window + 1), chance.randrange(size - window + 1)
        inside = [(x, y) for x in range(left, left + window) for y in range(top, top + window)]
        grid = dict.fromkeys(twin_board.cells(size), ".")
        for cell in chance.sample(inside, int(len(inside) * chance.choice((0.3, 0.5, 0.7)))):
            kind = chance.choice(PROMOTED) if chance.random() < 0.06 else chance.choice(placed)
            grid[cell] = kind + chance.choice(("", "'"))
        hands = {seat: {chance.choice(held): chance.randrange(1, 5)} for seat in ("first", "second")}
        setup = with_kings(chance, settings, grid, hands)
        if setup is not None:
            return setup


def bare(chance: random.Random, settings: Mapping[str, Setting]) -> dict[str, object]:
    """A random position of kings and up to four pieces, in which repetition is likely."""
    size = twin_board.SIZES[str(settings["board"])]
    while True:
        grid = dict.fromkeys(twin_board.cells(size), ".")
        for cell in chance.sample(list(grid), chance.randrange(1, 5)):
            grid[cell] = chance.choice("飛后俥城炮") + chance.choice(("", "'"))
        setup = with_kings(chance, settings, grid, {})
        if setup is not None:
            position = twin.from_setup(settings, setup)
            if not twin.in_check(position, position.to_move):
                return setup


def stuck(chance: random.Random, settings: Mapping[str, Setting]) -> dict[str, object]:
    """A random position in which the player to move has nothing to do but pass."""
    size = twin_board.SIZES[str(settings["board"])]
    while True:
        grid = dict.fromkeys(twin_board.cells(size), ".")
        mover = chance.choice(("", "'"))
        other = "" if mover else "'"
        for cell in chance.sample(list(grid), chance.randrange(size // 2, size)):
            grid[cell] = chance.choice("后后俥飛角") + other
        setup = with_kings(chance, settings, grid, {}, to_move="second" if mover else "first")
        if setup is not None and not twin.legal_moves(settings, twin.from_setup(settings, setup)) - {"pass"}:
            return setup


def with_kings(
    chance: random.Random,
    settings: Mapping[str, Setting],
    grid: dict[twin_board.Square, str],
    hands: dict[str, dict[str, int]],
    to_move: str | None = None,
    king_at: twin_board.Square | None = None,
) -> dict[str, object] | None:
    """The position with a king of each side added; None if the last move cannot have led to it."""
    size = twin_board.SIZES[str(settings["board"])]
    kings = chance.choice(("帥帥", "楚楚", "玉君", "王帥", "楚玉", "君王", "玉玉", "帥玉", "楚楚"))
    for side, cell in enumerate(chance.sample(list(grid), 2)):
        grid[king_at if king_at and side else cell] = kings[side] + "'" * side
    setup: dict[str, object] = {
        "board": "/".join("".join(grid[x, y] for x in range(size)) for y in range(size)),
        "to_move": to_move or chance.choice(("first", "second")),
        "hands": hands,
    }
    position = twin.from_setup(settings, setup)
    stage = position.stage
    five = any(twin.makes_five(position, stage, unit.side, cell) for cell, unit in stage.items())
    enclosed = any(twin_board.enclosed(settings, size, stage, side) for side in (0, 1))
    return None if five or enclosed or twin.in_check(position, 1 - position.to_move) else setup


def checked(chance: random.Random, settings: Mapping[str, Setting]) -> dict[str, object]:
    """A random position in which the player to move is in check."""
    while True:
        setup = scattered(chance, settings)
        position = twin.from_setup(settings, setup)
        if twin.in_check(position, position.to_move):
            return setup


def pawn_mates(chance: random.Random, settings: Mapping[str, Setting]) -> dict[str, object]:
    """A random position in which a drop of 歩 would mate, were that allowed."""
    size = twin_board.SIZES[str(settings["board"])]
    while True:
        grid = dict.fromkeys(twin_board.cells(size), ".")
        # The mover's strong pieces stand where the enemy king has little room.
        for x, y in chance.sample([(x, y) for x in range(6) for y in range(4)], 7):
            grid[x, y] = chance.choice(("俥", "飛", "金", "銀", "騎", "桂", "午", "平'", "兵'", "金'"))
        setup = with_kings(
            chance, settings, grid, {"first": {"歩": 1}}, to_move="first", king_at=(chance.randrange(6), 0)
        )
        if setup is not None:
            position = twin.from_setup(settings, setup)
            candidates = twin.legal_but_for_pawn_mates(position)
            if any(twin.mates_by_pawn(position, text, after) for text, after in candidates.items()):
                return setup


SETUPS = {"scattered": scattered, "bare": bare, "stuck": stuck, "checked": checked, "pawn mates": pawn_mates}


def compare_setup(kind: str, changes: Mapping[str, Setting], seed: int, plies: int) -> None:
    settings = {**DECLARATION.defaults(), **changes}
    compare(settings, seed, plies, SETUPS[kind](random.Random(seed), settings))


def perft(position: twin.Position, depth: int) -> int:
    return sum(perft(after, depth - 1) for after in twin.legal(position).values()) if depth else 1


def test_twin_counts_othello_games() -> None:
    grid = dict.fromkeys(twin_board.cells(8), ".") | {(3, 3): "翻'", (4, 4): "翻'", (3, 4): "翻", (4, 3): "翻"}
    board = "/".join("".join(grid[x, y] for x in range(8)) for y in range(8))
    hands = {"first": {"翻": 30}, "second": {"翻": 30}}
    settings = {**DECLARATION.defaults(), "board": "othello8"}
    position = twin.from_setup(settings, {"board": board, "to_move": "first", "hands": hands})
    assert [perft(position, depth) for depth in range(1, 5)] == [4, 12, 56, 244]


@pytest.mark.parametrize("board", ["go9", "othello8"])
def test_kernel_and_twin_agree_on_drops_of_pawns_that_mate(board: str) -> None:
    compare_setup("pawn mates", {"board": board}, seed=4, plies=2)


@pytest.mark.kernel
@pytest.mark.parametrize("seed", range(24))
def test_kernel_and_twin_agree_on_all_boards(seed: int) -> None:
    kind = ("scattered", "checked", "bare", "stuck")[seed % 4]
    compare_setup(kind, {"board": BOARDS[seed // 4]}, seed, plies=8)


@pytest.mark.parametrize("board", ["go9", "othello8", "draughts10"])
def test_kernel_and_twin_agree_on_armies(board: str) -> None:
    first, second = PAIRS[BOARDS.index(board)]
    changes = {"board": board, "first_army": first, "second_army": second}
    assert compare({**DECLARATION.defaults(), **changes}, seed=1, plies=4) == 4


@pytest.mark.parametrize("changes", MIXTURES, ids=str)
def test_kernel_and_twin_agree_on_mixed_toggles(changes: dict[str, Setting]) -> None:
    compare_setup("scattered", changes, seed=2, plies=8)


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(21))
def test_kernel_and_twin_agree_on_whole_games_of_armies(turn: int) -> None:
    """All pairs on all boards by the default rules, then every other time by mixed ones."""
    board = BOARDS[turn % 6]
    for seed, (first, second) in enumerate(PAIRS, start=turn * len(PAIRS)):
        chance = random.Random(seed)
        changes: dict[str, Setting] = {"board": board}
        if turn >= 6 and seed % 2:
            changes |= mixed(chance)
        settings = {**DECLARATION.defaults(), **changes, "first_army": first, "second_army": second}
        compare(settings, seed, 200 if twin_board.SIZES[board] < 13 else 80)


@pytest.mark.parametrize("block", few.first(0, range(24), thorough=1))
def test_kernel_and_twin_agree_on_random_rules(block: int) -> None:
    kinds = ("scattered", "scattered", "checked", "bare", "scattered", "stuck", "checked", "pawn mates")
    for seed in range(30 * block, 30 * (block + 1)):
        changes: dict[str, Setting] = {"board": BOARDS[seed % 6], **mixed(random.Random(seed))}
        kind = kinds[seed // 6 % 8]
        compare_setup(kind, changes, seed, plies=40 if kind == "bare" else 12)


def mixed(chance: random.Random) -> dict[str, Setting]:
    """Some toggles, the board aside, at random values that go together."""
    changes: dict[str, Setting] = {
        toggle.name: chance.choice(toggle.values).name
        for toggle in DECLARATION.toggles
        if toggle.values and toggle.name != "board" and chance.random() < 0.25
    }
    for dropped in conflicting(changes):
        del changes[dropped]
    return changes


def conflicting(changes: Mapping[str, Setting]) -> list[str]:
    """What must be left out so that nothing is asked for that would do nothing."""
    without = []
    if changes.get("othello_flip", "all-units") != "all-units" and changes.get("flip_king") == "captured":
        without.append("flip_king")
    if changes.get("five") == "off" and changes.get("five_ignores_check") is False:
        without.append("five_ignores_check")
    if changes.get("go_capture") == "off" and changes.get("ko") == "allowed":
        without.append("ko")
    return without
