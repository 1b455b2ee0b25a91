"""Who wins with best play, where the states are too many to be listed: a forward search (`workbench.engine.proof`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.exact.graph import GIB, SolutionStep
from workbench.exact.solutions import unsolvable
from workbench.language import join, tr
from workbench.questions.rulesets import Ruleset

MOST_MEMORY = GIB
"""Bytes of the table, if nobody says otherwise."""
ROUND = 50_000
"""Positions that are looked at between two signs of life."""
PLIES = 128
"""Plies that a search has room for at first."""
PLACE = 20
"""Bytes of a place in the table."""


@dataclass(frozen=True)
class Proof:
    """Who wins a ruleset with best play."""

    value: str
    """``first``, ``second`` or ``draw``."""
    looked_at: int
    """Positions that both searches looked at, some of them more than once."""

    def as_json(self) -> dict[str, Any]:
        """Plain data, as ``workbench solve --forward --json`` prints it."""
        return {"value": self.value, "looked_at": self.looked_at}


def prove_value(ruleset: Ruleset, memory: int, progress: Callable[[SolutionStep], None] = lambda step: None) -> Proof:
    """Proves who wins a ruleset with best play; ``memory`` is what the table may take, in bytes.

    Raises:
        InputError: a position can come again in a game, or the players may swap sides.
    """
    if ruleset.swap_ply:
        raise unsolvable(
            ruleset,
            tr("the players may swap sides"),
            tr("prove the rules without the swap: with it the second player does no worse than draw"),
        )
    looked_at = 0
    for seat, value in enumerate(("first", "second")):
        wins, more = _wins(ruleset, seat, memory, progress, looked_at)
        looked_at += more
        if wins:
            return Proof(value, looked_at)
    return Proof("draw", looked_at)


def _wins(
    ruleset: Ruleset, seat: int, memory: int, progress: Callable[[SolutionStep], None], before: int
) -> tuple[bool, int]:
    """Whether a seat can force a win, and how many positions were looked at."""
    from workbench import games
    from workbench.engine import contract, proof

    rules, seats = ruleset.rules(), games.declaration(ruleset.game).seats
    width = int(contract.max_moves(rules))
    places = 1 << max(10, (memory // PLACE).bit_length() - 1)
    words, table = np.zeros(places, np.uint64), np.zeros((places, 3), np.uint32)
    packed, room = np.zeros(int(contract.packed_bytes(rules)), np.uint8), np.zeros(width, np.int32)
    search, plies, looked_at = np.zeros(4, np.int64), PLIES, 0
    while True:
        states = np.zeros((plies, int(contract.state_size(rules))), np.int64)
        moves, children = np.zeros((plies, width), np.int32), np.zeros((plies, width), np.uint64)
        numbers, hashes = np.zeros((plies, width, 2), np.int64), np.zeros(plies, np.uint64)
        path = np.zeros((plies, 5), np.int64)
        contract.start(rules, states[0])
        proof.begin(rules, states, hashes, path, packed, search)
        while search[proof.END] == proof.SEARCHING:
            until = int(search[proof.LOOKED_AT]) + ROUND
            proof.prove(
                rules, seat, False, states, moves, children, numbers, hashes, path, words, table, packed, room, search,
                until,
            )  # fmt: skip
            # The table is filled evenly: a part of it tells how full it is.
            filled = float(np.mean(words[: 1 << 12] != 0))
            detail = tr("can {seat} win? table {filled:.0%} full", seat=seats[seat], filled=filled)
            here = before + looked_at + int(search[proof.LOOKED_AT])
            progress(SolutionStep("proof", here, detail, None, int(places * PLACE * filled)))
        looked_at += int(search[proof.LOOKED_AT])
        if search[proof.END] != proof.TOO_DEEP:
            break
        plies *= 2  # what the table holds by now makes the next attempt short
    if search[proof.END] == proof.RECURS:
        reason = tr("a position can come again in a game")
        raise unsolvable(ruleset, reason, tr("without --forward such rules can be solved"))
    return bool(search[proof.END] == proof.PROVED), looked_at


def describe_proof(proof: Proof, ruleset: Ruleset) -> Iterator[str]:
    """The proof in lines for a terminal."""
    from workbench import games

    seats = dict(zip(("first", "second"), games.declaration(ruleset.game).seats, strict=True))
    yield join(": ", (ruleset.name, ruleset.heading))
    if proof.value in seats:
        yield tr("With best play {winner} wins.", winner=seats[proof.value])
    else:
        yield tr("With best play neither side can force a win: a draw.")
    yield tr("{count:,} positions were looked at", count=proof.looked_at)
