"""Positions of the mixed game that tests set up by hand.

A position is written as rows from the top; a cell is a dot or a unit, the second player's units have an apostrophe.
Most have no kings: what is tested is then not mixed up with check.
"""

from __future__ import annotations

import functools
from typing import Any

from workbench import rulesets
from workbench.games.declaration import Setting
from workbench.games.rengo import kernel_board as b
from workbench.games.rengo import kernel_units as u
from workbench.session import RESULTS, Session

SIZES = {"go9": 9, "go13": 13, "go19": 19, "othello8": 8, "renju15": 15, "draughts10": 10}


@functools.cache
def codes(changes: tuple[tuple[str, Setting], ...]) -> Any:
    base = rulesets.load("rengo/go9")
    return tuple(rulesets.derive(base, dict(changes), "test", "test").codes().values())


def position(board: str, where: str = "go9", to_move: str = "first", rules: Any = None, **setup: Any) -> Session:
    """A set-up position; ``board`` may leave out empty rows at the bottom and be indented."""
    n = SIZES[where]
    lines = board.split()
    lines += ["." * n] * (n - len(lines))
    changes = {"board": where, **(rules or {})}
    return Session(
        "rengo", codes(tuple(sorted(changes.items()))), {"board": "/".join(lines), "to_move": to_move, **setup}
    )


def legal(session: Session) -> set[str]:
    return set(session.legal_texts())


def moves_of(session: Session, square: str) -> set[str]:
    """The cells that the unit on a square can move to, promotions and what is jumped left out."""
    found = (move.partition("-") for move in session.legal_texts())
    return {target.partition(":")[0].partition("=")[0].rstrip("+") for origin, _, target in found if origin == square}


def played(session: Session, *moves: str) -> Session:
    for move in moves:
        session.push_text(move)
    return session


def rows(session: Session) -> list[list[str]]:
    """The board as positions are written: the second player's units have an apostrophe."""
    return [[symbol + "'" * (owner == 1) for symbol, owner in row] for row in session.board().pieces()]


def at(session: Session, square: str) -> str:
    return rows(session)[int(square[1:]) - 1]["abcdefghijklmnopqrs".index(square[0])]


def outcome(session: Session) -> tuple[str, str | None]:
    result, termination = session.outcome()
    return RESULTS[result], termination


def hand(session: Session, seat: int, letter: str) -> int:
    return int(session.state[b.HAND + u.SLOTS * seat + u.HELD.index(letter)])


def prisoners(session: Session, seat: int) -> int:
    return int(session.state[b.PRISONERS + seat])


def moves_as_cells(session: Session) -> set[str]:
    """The legal moves without their promotions."""
    return {move.rstrip("+") for move in session.legal_texts()}
