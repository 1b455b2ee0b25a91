"""The engines that play Chatra, behind one interface for the tests, and names for positions, moves and areas."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tests.engines import Outcome, Settings, in_turn, outcome_of, with_defaults
from tests.naive import chatra as twin
from workbench.games.chatra.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.games.game_state import GameState
from workbench.questions import rulesets

Setup = Mapping[str, Any]

RULES_2007_09: dict[str, Setting] = {"limits_end": "check"}
A: dict[str, Setting] = {"later_object": "outside-enemy-zone"}
B: dict[str, Setting] = {"later_object": "away-from-enemy-zone"}
C: dict[str, Setting] = {"opening": "objects-first"}
D: dict[str, Setting] = {"object_area": "away-from-centre"}
E: dict[str, Setting] = {"object_into_centre": "after-first-check"}


rules = functools.partial(with_defaults, DECLARATION)


class Engine(Protocol):
    """What a test may ask of an engine; settings name every toggle, and an illegal move raises ValueError."""

    def legal(self, settings: Settings, moves: Sequence[str]) -> set[str]:
        """The legal moves after these moves from the start."""

    def legal_from(self, settings: Settings, setup: Setup, moves: Sequence[str] = ()) -> set[str]:
        """The legal moves after these moves from a set-up position."""

    def outcome(self, settings: Settings, moves: Sequence[str]) -> Outcome:
        """Result and termination after these moves from the start, with their repetitions."""

    def outcome_from(self, settings: Settings, setup: Setup, moves: Sequence[str] = ()) -> Outcome:
        """Result and termination after these moves from a set-up position."""


class Twin:
    """The slow twin behind the interface of the tests."""

    def legal(self, settings: Settings, moves: Sequence[str]) -> set[str]:
        return twin.legal_moves(settings, list(twin.positions(settings, moves))[-1])

    def legal_from(self, settings: Settings, setup: Setup, moves: Sequence[str] = ()) -> set[str]:
        return twin.legal_moves(settings, list(twin.positions(settings, moves, set_up(settings, setup)))[-1])

    def outcome(self, settings: Settings, moves: Sequence[str]) -> Outcome:
        return outcome_at_end(settings, list(twin.positions(settings, moves)))

    def outcome_from(self, settings: Settings, setup: Setup, moves: Sequence[str] = ()) -> Outcome:
        return outcome_at_end(settings, list(twin.positions(settings, moves, set_up(settings, setup))))


def set_up(settings: Settings, setup: Setup) -> twin.Position:
    """A position of the free play after the opening, as the twin holds it."""
    side = {"first": twin.BLACK, "second": twin.WHITE}[setup["to_move"]]
    stones = {twin.cell_of(square): twin.BLACK for square in setup["black"]}
    stones |= {twin.cell_of(square): twin.WHITE for square in setup["white"]}
    hands = setup.get("hands") if settings["subjects"] != "unlimited" else None
    position = twin.Position(
        size=int(settings["size"]),
        stones=stones,
        objects=[twin.cell_of(setup["black_object"]), twin.cell_of(setup["white_object"])],
        to_move=side,
        limits_ended=setup.get("limits_ended", False),
        checked=setup.get("checked", False),
        hands=(hands[0], hands[1]) if hands else (None, None),
        plies=4 if side == twin.BLACK else 5,
    )
    assert not twin.attacked(settings, position, 1 - side), "the side that has just moved stands in check"
    return position


def outcome_at_end(settings: Settings, played: list[twin.Position]) -> Outcome:
    """The outcome of the last position of a game."""
    keys = [twin.repetition_key(settings, position) for position in played]
    return twin.outcome(settings, played[-1], keys[:-1])


class Kernel:
    """The compiled kernel behind the interface of the tests."""

    def game_state(self, settings: Settings, setup: Setup | None, moves: Sequence[str]) -> GameState:
        codes = rulesets.kernel_codes("chatra", settings)
        game_state = GameState("chatra", codes, setup)
        for move in moves:
            game_state.push_text(move)
        return game_state

    def legal(self, settings: Settings, moves: Sequence[str]) -> set[str]:
        return self.legal_from(settings, None, moves)

    def legal_from(self, settings: Settings, setup: Setup | None, moves: Sequence[str] = ()) -> set[str]:
        game_state = self.game_state(settings, setup, moves)
        listed = [game_state.format(move) for move in game_state._generate()]
        assert len(listed) == len(set(listed)), "a move is listed twice"
        return set(listed)

    def outcome(self, settings: Settings, moves: Sequence[str]) -> Outcome:
        return self.outcome_from(settings, None, moves)

    def outcome_from(self, settings: Settings, setup: Setup | None, moves: Sequence[str] = ()) -> Outcome:
        return outcome_of(self.game_state(settings, setup, moves))


def position(black: str = "", white: str = "", to_move: str = "first", **more: Any) -> dict[str, Any]:
    """A setup; squares are separated by spaces, and the objects stand in far corners unless told otherwise."""
    corners = {"black_object": "a12", "white_object": "l12"}
    return corners | {"black": black.split(), "white": white.split(), "to_move": to_move} | more


def drops(moves: set[str]) -> set[str]:
    """The drops among the moves."""
    return {move for move in moves if not move.startswith("O") and "-" not in move}


def object_moves(moves: set[str]) -> set[str]:
    """The squares to which the object goes."""
    return {move[1:] for move in moves if move.startswith("O")}


def moves_of(square: str, moves: set[str]) -> set[str]:
    """The squares to which the subject on a square goes."""
    return {move.split("-")[1] for move in moves if move.startswith(square + "-")}


def block(corners: str) -> set[str]:
    """The squares of a rectangle such as "a1-d4"."""
    (left, top), (right, bottom) = (twin.cell_of(corner) for corner in corners.split("-"))
    return {twin.name((x, y)) for y in range(top, bottom + 1) for x in range(left, right + 1)}


def around(square: str) -> set[str]:
    """The neighbours of a square on 12×12."""
    return {twin.name(cell) for cell in twin.neighbours(12, twin.cell_of(square))}


CENTRE = block("e5-h8")
UPPER_LEFT, UPPER_CENTRE, UPPER_RIGHT = block("a1-d4"), block("e1-h4"), block("i1-l4")
LEFT, RIGHT = block("a5-d8"), block("i5-l8")
LOWER_LEFT, LOWER_CENTRE, LOWER_RIGHT = block("a9-d12"), block("e9-h12"), block("i9-l12")
BOARD = block("a1-l12")

engine = in_turn(Twin(), Kernel())
