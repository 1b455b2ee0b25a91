"""Playthroughs: all that can be observed of one game under each ruleset, as a text file.

A change of behaviour shows as a diff of these files. If it is meant, ``python -m tests.playthroughs --write`` writes
them again; the commit says why.

Moves are drawn from the sorted move texts by Python's own generator, so neither the order in which a kernel lists its
moves nor the weights of a heuristic have any part in them.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from workbench import rulesets
from workbench.engine import contract
from workbench.games.declaration import Board
from workbench.session import RESULTS, SEATS, Session

FOLDER = Path(__file__).parent
PLIES = 60


def path_of(name: str) -> Path:
    """The file of a ruleset's playthrough."""
    return FOLDER / f"{name}.txt"


def playthrough(name: str) -> str:
    """The text of the game that is played under a ruleset."""
    return "".join(line.rstrip() + "\n" for line in _lines(rulesets.load(name)))


def _lines(ruleset: rulesets.Ruleset) -> Iterator[str]:
    session = Session(ruleset.game, tuple(ruleset.codes().values()))
    names = [event.name for event in session.declaration.events]
    counts = np.zeros(len(names), np.int32)
    chance = random.Random(ruleset.name)
    yield f"{ruleset.name}, fingerprint {ruleset.fingerprint}"
    yield ""
    yield "ply  seat    move      of  hash      then"
    while True:
        result, termination = session.outcome()
        legal = sorted(session.legal_texts())
        if termination or session.plies == PLIES:
            break
        move, seat, earlier, before = _choose(session, legal, chance), SEATS[session.seat], counts.copy(), session.state
        notes = session.board().notes
        session.push_text(move)
        contract.events(session.rules, before, session.played[-1], session.state, counts)
        happened = [f"{event} +{n}" for event, n in zip(names, counts - earlier, strict=True) if n]
        happened += [note for note in session.board().notes if note not in notes]
        hashed = hashlib.sha256(" ".join(legal).encode()).hexdigest()[:8]
        yield f"{session.plies:3}  {seat:6}  {move:8}  {len(legal):3}  {hashed}  {'; '.join(happened)}"
    yield ""
    yield from _drawn(session.board())
    yield ""
    yield f"{RESULTS[result]}, {termination or 'cut off'}, {len(legal)} legal moves"
    yield from (f"{name} {n}" for name, n in zip(names, counts, strict=True))


def _choose(session: Session, legal: list[str], chance: random.Random) -> str:
    """The move that leaves the fewest replies, now and then, and always if it leaves none; else any.

    Of any moves the kind is drawn first: the many drops of Chatra would leave no room for anything else.
    """
    replies = {move: _replies(session, move) for move in legal}
    tightest = min(legal, key=lambda move: replies[move])
    if replies[tightest] == 0 or chance.random() < 0.4:
        return tightest
    kind = chance.choice(sorted({_kind(move) for move in legal}))
    return chance.choice([move for move in legal if _kind(move) == kind])


def _replies(session: Session, move: str) -> int:
    """The number of legal moves after a move; 0 if it ends the game."""
    state = session.state.copy()
    moves = np.zeros(int(contract.max_moves(session.rules)), np.int32)
    contract.play(session.rules, state, session.notation.parse_move(session.rules, session.state, move))
    n = contract.legal_moves(session.rules, state, moves)
    result, _ = contract.outcome(session.rules, state, n)
    return n if result == contract.ONGOING else 0


def _kind(move: str) -> str:
    """A move without its squares."""
    return re.sub(r"[a-z]?\d+", "", move)


def _drawn(board: Board) -> Iterator[str]:
    yield "    " + " ".join(board.columns)
    for name, row in zip(board.rows, board.pieces(), strict=True):
        yield f"{name:>3} " + " ".join(("v" if owner == 1 else "") + (symbol or ".") for symbol, owner in row)
    yield from board.notes
