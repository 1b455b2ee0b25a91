"""The compiled kernel and the naive twin play the same mixed game: compared ply by ply over random games."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import yaml

from tests.naive import rengo as twin
from workbench import rulesets
from workbench.games.declaration import Setting
from workbench.games.rengo.rules import DECLARATION
from workbench.session import RESULTS, Session

ARMIES = Path(rulesets.__file__).parent.parent / "rulesets" / "rengo" / "armies"
NAMES = sorted(path.stem for path in ARMIES.glob("*.yaml"))
PAIRS = [(NAMES[i], NAMES[(i + step) % len(NAMES)]) for step in (1, 3, 5) for i in range(len(NAMES))]
BOARDS = sorted(twin.SIZES)

PLACED = "金銀桂香飛角歩后城僧騎兵仕相傌俥炮卒士象马车包卆種根午船貝核平平平冠碁碁碁碁碁翻翻翻珠珠"
PROMOTED = ("+飛", "+角", "+銀", "+歩", "+卒")
HELD = "金銀桂香飛角歩歩碁碁翻翻珠"

MIXTURES: list[dict[str, Setting]] = [
    {"draughts_duty": "below-check", "crown": "short", "board": "draughts10"},
    {"draughts_duty": "off", "board": "draughts10", "bikjang": "off"},
    {"go_capture": "go-stones-only", "board": "go9", "komi": 0.0},
    {"go_capture": "off", "five": "off", "board": "go9"},
    {"othello_flip": "stones-only", "board": "othello8", "passing": "never"},
    {"othello_flip": "off", "ko": "allowed", "board": "go9"},
    {"flip_king": "captured", "board": "othello8"},
    {"five": "any-own-stones", "five_ignores_check": False, "board": "othello8"},
    {"facing_generals": "allowed", "board": "renju15"},
]


@dataclass
class Tally:
    """What has been compared."""

    games: int = 0
    plies: int = 0
    events: Counter[str] = field(default_factory=Counter)


def army(name: str) -> dict[str, object]:
    loaded = yaml.safe_load((ARMIES / f"{name}.yaml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def codes(settings: Mapping[str, Setting]) -> tuple[object, ...]:
    defaults = DECLARATION.defaults()
    changes = {key: value for key, value in settings.items() if defaults[key] != value}
    return tuple(rulesets.derive(rulesets.load("rengo/go9"), changes, "test", "test").codes().values())


def compare(
    settings: dict[str, Setting], seed: int, plies: int, tally: Tally, setup: Mapping[str, object] | None
) -> None:
    """Plays a random game on both, from a set-up position or from the start."""
    chance = random.Random(seed)
    session = Session("rengo", codes(settings), setup)
    if setup is None:
        position = twin.start(settings, (army(str(settings["first_army"])), army(str(settings["second_army"]))))
    else:
        position = twin.from_setup(settings, setup)
    history: list[twin.Position] = []
    tally.games += 1
    for _ in range(plies):
        where = f"seed {seed}, {settings}, from {setup}, after {session.texts}"
        same_position(session, position, where)
        result, termination = session.outcome()
        expected = twin.outcome(position, history)
        assert (RESULTS[result] if result else "ongoing", termination) == expected, where
        if termination:
            tally.events[termination] += 1
            return
        generated = [session.format(move) for move in session._generate()]
        legal = twin.legal(position)
        assert len(generated) == len(set(generated)), where
        assert set(generated) == set(legal), (
            f"{where}: kernel only {set(generated) - set(legal)}, twin only {set(legal) - set(generated)}"
        )
        assert session.seat == position.to_move, where
        move = chosen(chance, position, legal)
        count(tally, position, legal[move], move)
        history.append(position)
        position = legal[move]
        # What the kernel reads is what it writes.
        session.push_text(move)


def same_position(session: Session, position: twin.Position, where: str) -> None:
    """Compares all that is seen of a position."""
    board = session.board()
    shown = {(x, y): unit for y, row in enumerate(board.cells) for x, unit in enumerate(row) if unit}
    expected = {cell: unit.kind + "'" * unit.side for cell, unit in position.stage.items()}
    assert shown == expected, f"{where}: {set(shown.items()) ^ set(expected.items())}"
    notes = "\n".join(board.notes)
    for side, seat in enumerate(("First", "Second")):
        match = re.search(rf"{seat}: in hand (.*), prisoners (\d+)", notes)
        held = {text[0]: int(text[1:]) for text in match[1].split()} if match and match[1] != "nothing" else {}
        assert held == {kind: number for kind, number in position.hands[side].items() if number}, where
        assert int(match[2] if match else 0) == position.prisoners[side], where
        if not position.won and side == position.to_move:
            assert (f"{seat} is in check" in notes) == twin.in_check(position, side), where
    ko = re.search(r"ko forbids (\S+)", notes)
    assert (ko[1] if ko else None) == (twin.name(position.ko) if position.ko else None), where


def chosen(chance: random.Random, position: twin.Position, legal: Mapping[str, twin.Position]) -> str:
    """A random move; those that change more than one or two cells are rare and preferred."""
    passes = [text for text in legal if text == "pass"]
    if passes and chance.random() < (0.5 if position.passes else 0.1):
        return "pass"
    lively = [text for text, after in legal.items() if len(position.stage.items() - after.stage.items()) > 1]
    if lively and chance.random() < 0.4:
        return chance.choice(sorted(lively))
    moves = [text for text in legal if "-" in text]
    if moves and chance.random() < 0.5:
        return chance.choice(sorted(moves))
    return chance.choice(sorted(legal))


def count(tally: Tally, before: twin.Position, after: twin.Position, move: str) -> None:
    """Adds what happens in a move to the tally."""
    tally.plies += 1
    if move == "pass":
        tally.events["passes"] += 1
    elif "翻*" in move and any(before.stage.get(cell, unit) != unit for cell, unit in after.stage.items()):
        tally.events["flipping plies"] += 1
    if ":" in move:
        tally.events["jumps"] += 1
    if "*" in move and before.stage.keys() - after.stage.keys():
        tally.events["go captures"] += 1
    if after.ko:
        tally.events["ko"] += 1
    if "+" in move or "=" in move:
        tally.events["promotions"] += 1
    if twin.in_check(after, after.to_move):
        tally.events["checks"] += 1


def scattered(chance: random.Random, settings: Mapping[str, Setting]) -> dict[str, object]:
    """A random position in which the player who has just moved is not in check."""
    size = twin.SIZES[str(settings["board"])]
    while True:
        every = list(twin.cells(size))
        chance.shuffle(every)
        grid = dict.fromkeys(every, ".")
        kinds = chance.choice(("帥帥", "楚楚", "玉君", "王帥", "楚玉", "君王", "玉玉", "帥玉"))
        for side in (0, 1):
            grid[every.pop()] = kinds[side] + "'" * side
        for _ in range(chance.randrange(8, min(34, size * size // 2))):
            kind = chance.choice(PROMOTED) if chance.random() < 0.08 else chance.choice(PLACED)
            grid[every.pop()] = kind + chance.choice(("", "'"))
        setup: dict[str, object] = {
            "board": "/".join("".join(grid[x, y] for x in range(size)) for y in range(size)),
            "to_move": chance.choice(("first", "second")),
            "hands": {
                seat: {kind: chance.randrange(1, 4) for kind in chance.sample(sorted(set(HELD)), 3)}
                for seat in ("first", "second")
            },
        }
        position = twin.from_setup(settings, setup)
        enclosed = [cell for side in (0, 1) for cell in twin.enclosed(settings, size, position.stage, side)]
        lines = any(twin.makes_five(position, position.stage, unit.side, cell) for cell, unit in position.stage.items())
        if not enclosed and not lines and not twin.in_check(position, 1 - position.to_move):
            return setup


def compare_scattered(changes: Mapping[str, Setting], seed: int, plies: int, tally: Tally) -> None:
    settings = DECLARATION.defaults() | changes
    compare(settings, seed, plies, tally, scattered(random.Random(seed), settings))


def compare_armies(board: str, pair: tuple[str, str], seed: int, plies: int, tally: Tally) -> None:
    changes = {"board": board, "first_army": pair[0], "second_army": pair[1]}
    compare(DECLARATION.defaults() | changes, seed, plies, tally, None)
