"""Playthroughs: all that can be observed of one game under each ruleset.

A change of behaviour shows as a diff: of hashes, and of the games of `few.ONE_EACH`, which are files to be read. If it
is meant, ``python -m tests.generated --write`` writes them again (with ``--ruleset NAME`` only that one); the commit
says why. `playthrough` gives the text of any.

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

from tests import few
from workbench.engine import contract
from workbench.games.declaration import Board
from workbench.games.results import RESULTS, SEATS
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

FOLDER = Path(__file__).parent
PLIES = 60


def path_of(name: str) -> Path:
    """The file of a ruleset's playthrough, if it is one of `few.ONE_EACH`."""
    return FOLDER / f"{name}.txt"


def recorded() -> dict[str, str]:
    """The recorded hash of each ruleset's playthrough."""
    path = FOLDER / "hashes.txt"
    return dict(line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()) if path.exists() else {}


def hash_of(text: str) -> str:
    """The hash that stands for a playthrough."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_current(name: str, text: str) -> bool:
    """Whether this is the recorded game of a ruleset."""
    path = path_of(name)
    readable = path.read_text(encoding="utf-8") if path.exists() else ""
    return recorded().get(name) == hash_of(text) and (name not in few.ONE_EACH or readable == text)


def record(name: str, text: str) -> None:
    """Writes a ruleset's playthrough; an empty text takes it away."""
    hashes = (
        recorded() | {name: hash_of(text)} if text else {one: kept for one, kept in recorded().items() if one != name}
    )
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "hashes.txt").write_text("".join(f"{one} {hashes[one]}\n" for one in sorted(hashes)), encoding="utf-8")
    if text and name in few.ONE_EACH:
        path_of(name).parent.mkdir(exist_ok=True)
        path_of(name).write_text(text, encoding="utf-8")


def playthrough(name: str) -> str:
    """The text of the game that is played under a ruleset."""
    return "".join(line.rstrip() + "\n" for line in _lines(rulesets.load_ruleset(name)))


def _lines(ruleset: rulesets.Ruleset) -> Iterator[str]:
    game_state = GameState(ruleset.game, ruleset.codes())
    names = [event.name for event in game_state.declaration.events]
    counts = np.zeros(len(names), np.int32)
    chance = random.Random(ruleset.name)
    yield f"{ruleset.name}, fingerprint {ruleset.fingerprint}"
    yield ""
    yield "ply  seat    move      of  hash      then"
    while True:
        result, termination = game_state.outcome()
        legal = sorted(game_state.legal_texts())
        if termination or game_state.plies == PLIES:
            break
        move, seat, earlier, before = (
            _choose(game_state, legal, chance),
            SEATS[game_state.seat],
            counts.copy(),
            game_state.state,
        )
        notes = game_state.board().notes
        game_state.push_text(move)
        if game_state.played[-1] != contract.SWAP:
            contract.events(game_state.rules, before, game_state.played[-1], game_state.state, counts)
        happened = [f"{event} +{n}" for event, n in zip(names, counts - earlier, strict=True) if n]
        happened += [note for note in game_state.board().notes if note not in notes]
        hashed = hashlib.sha256(" ".join(legal).encode()).hexdigest()[:8]
        yield f"{game_state.plies:3}  {seat:6}  {move:8}  {len(legal):3}  {hashed}  {'; '.join(happened)}"
    yield ""
    yield from _drawn(game_state.board())
    yield ""
    yield f"{RESULTS[result]}, {termination or 'cut off'}, {len(legal)} legal moves"
    yield from (f"{name} {n}" for name, n in zip(names, counts, strict=True))


def _choose(game_state: GameState, legal: list[str], chance: random.Random) -> str:
    """The move that leaves the fewest replies, now and then, and always if it leaves none; else any.

    Of any moves the kind is drawn first: the many drops of Chatra would leave no room for anything else.
    """
    replies = {move: _replies(game_state, move) for move in legal}
    tightest = min(legal, key=lambda move: replies[move])
    if replies[tightest] == 0 or chance.random() < 0.4:
        return tightest
    kind = chance.choice(sorted({_kind(move) for move in legal}))
    return chance.choice([move for move in legal if _kind(move) == kind])


def _replies(game_state: GameState, move: str) -> int:
    """The number of legal moves after a move; 0 if it ends the game."""
    state = game_state.state.copy()
    moves = np.zeros(int(contract.max_moves(game_state.rules)), np.int32)
    if (code := game_state.parse(move)) != contract.SWAP:
        contract.play(game_state.rules, state, code)
    n = contract.legal_moves(game_state.rules, state, moves)
    result, _ = contract.outcome(game_state.rules, state, n)
    return n if result == contract.ONGOING else 0


def _kind(move: str) -> str:
    """A move without its squares."""
    return re.sub(r"[a-z]?\d+", "", move)


def _drawn(board: Board) -> Iterator[str]:
    yield "    " + " ".join(board.columns)
    for name, row in zip(board.rows, board.pieces(), strict=True):
        yield f"{name:>3} " + " ".join(("v" if owner == 1 else "") + (symbol or ".") for symbol, owner in row)
    yield from board.notes
