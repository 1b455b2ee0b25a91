"""Games that somebody else has played, replayed by the kernel in blocks: words are read, moves checked and counted.

Compiled code, beside the engine and not in it: it chooses no move, so nothing that plays depends on it. Words come as
patterns of moves; one that does not fit just one legal move is left to the family's notation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.contract import (
    DRAW,
    MOST_UNITS,
    MOVE,
    ONGOING,
    counts_positions,
    event_count,
    events,
    key,
    legal_moves,
    max_moves,
    plain_outcome,
    plain_repetition,
    play,
    seat,
    start,
    state_size,
    terminal,
    units,
)
from workbench.engine.jit import copy, inline_ir, njit
from workbench.engine.rng import mix

STATUS, PLIES, TURNS, RESULT, TERMINATION, DRAWN_AT, AT, FORCED, FORCED_BY, FIELDS = range(10)
"""The fields of a game: its status, plies and turns; result and termination of its last position; the ply before which
it was first drawn by the rules, though people went on, or -1; the number of words that were read; and the result and
termination to which every legal move of its last position leads, if any."""
PENDING, WHOLE, UNMATCHED, OVER, LONG = range(5)
"""Statuses: still to be read; read to its end; a word that did not match exactly one legal move; a move after the end
of the game; more plies than there is room for."""
PATTERN = 4
"""Numbers by which a word is matched with moves: see `matched`."""


@njit
def matched(pattern: Any, moves: Any, n: int) -> int:
    """Return the place of the one of n legal moves that fits a pattern; -1 if none does, or more than one.

    A pattern is a mask, the bits that a move has under it, a set of 64 squares of which one is in the lowest six bits
    of the move, and the least number of a move. A mask of zeros fits nothing.
    """
    found = -1
    if pattern[0] == 0:
        return found
    for i in range(n):
        move = np.int64(moves[i])
        if move & pattern[0] == pattern[1] and (pattern[2] >> (move & 63)) & 1 and move >= pattern[3]:
            if found >= 0:
                return -1
            found = i
    return found


@inline_ir
def _seen(keys: Any, plies: int) -> int:
    """Return how often the last key occurs."""
    count = 0
    last = keys[plies]
    for i in range(plies + 1):
        if keys[i] == last:
            count += 1
    return count


@njit
def _alike(rules: Any, state: Any, base: Any, other: Any, words: Any) -> bool:
    """Return whether the same units stand in both positions."""
    n = units(rules, state, words[0])
    if units(base, other, words[1]) != n:
        return False
    same = 0
    for i in range(n):
        same += words[0, i] == words[1, i]
    return same == n


@njit
def _read_games(
    rules: Any,
    words: Any,
    patterns: Any,
    forgiven_from: Any,
    base: Any,
    played: Any,
    unsure_from: int,
    sure_to: Any,
    states: Any,
    buffers: Any,
    keys: Any,
    standing: Any,
    moves: Any,
    found: Any,
    legal: Any,
    hashes: Any,
    counts: Any,
) -> None:
    room = moves.shape[1]
    counting = counts_positions(rules)
    state, before, other = states[0], states[1], states[2]
    buffer, others = buffers[0], buffers[1]
    for game in range(words.shape[0]):
        about, line, events_of = found[game], moves[game], counts[game]
        if about[STATUS] != PENDING:
            continue
        known = about[PLIES]
        start(rules, state)
        start(base, other)
        events_of[:] = 0
        plies, turns, last_seat, listed, hashed = 0, 0, -1, 0.0, np.uint64(0)
        about[STATUS], about[DRAWN_AT] = WHOLE, -1
        while True:
            who = seat(rules, state)
            n = legal_moves(rules, state, buffer)
            result, termination = plain_outcome(rules, state, n)
            if counting:
                keys[plies] = key(rules, state)
                if result == ONGOING:
                    result, termination = plain_repetition(rules, state, _seen(keys, plies))
            about[RESULT], about[TERMINATION] = result, termination
            if plies == known and (about[AT] == words.shape[1] or words[game, about[AT]] < 0):
                break
            if plies + 1 >= room:
                about[STATUS] = LONG
                break
            # A draw that nobody has claimed does not end a game.
            if result != ONGOING and not (result == DRAW and n > 0 and forgiven_from[game] <= plies):
                about[STATUS] = OVER
                break
            if plies < known:
                move = line[plies]
            else:
                place = matched(patterns[words[game, about[AT]]], buffer, n)
                if place < 0:
                    about[STATUS] = UNMATCHED
                    break
                move = buffer[place]
                known += 1
                about[AT] += 1
            if result == DRAW and about[DRAWN_AT] < 0:
                about[DRAWN_AT] = plies
            listed += n
            if who != last_seat:
                turns += 1
                last_seat = who
            copy(state, before)
            play(rules, state, MOVE(move))
            events(rules, before, MOVE(move), state, events_of)
            if unsure_from > 0:
                play(base, other, MOVE(played[game, plies]))
                if move >= unsure_from and plies > sure_to[game] and not _alike(rules, state, base, other, standing):
                    about[STATUS] = UNMATCHED
                    break
            line[plies] = move
            hashed = mix(hashed ^ np.uint64(move + 1))
            plies += 1
        about[PLIES], about[TURNS] = plies, turns
        about[FORCED], about[FORCED_BY] = ONGOING, 0
        for i in range(n if about[RESULT] == ONGOING else 0):
            copy(state, before)
            play(rules, before, MOVE(buffer[i]))
            result, termination = terminal(rules, before, others)
            if result == ONGOING or (i > 0 and result != about[FORCED]):
                about[FORCED] = ONGOING
                break
            about[FORCED], about[FORCED_BY] = result, termination
        legal[game] = listed / plies if plies > 0 else 0.0
        hashes[game] = hashed


class Replayer:
    """The kernel of a variant, with room for blocks of games of at most so many plies."""

    def __init__(self, rules: Any, room: int, captures_from: int = 0) -> None:
        """From ``captures_from`` on, the same number may be another capture under other rules; 0: nowhere."""
        self.rules, self.room, self.captures_from = rules, room, captures_from
        self._states = np.zeros((3, int(state_size(rules))), np.int64)
        self._buffers = np.zeros((2, int(max_moves(rules))), np.int32)
        self._keys = np.zeros(room + 1, np.uint64)

    def block(self, games: int) -> Block:
        """Room for so many games."""
        return Block(
            np.full((games, self.room), -1, np.int32),
            np.zeros((games, FIELDS), np.int64),
            np.zeros(games, np.float64),
            np.zeros(games, np.uint64),
            np.zeros((games, int(event_count(self.rules))), np.int32),
        )

    def read(self, words: Any, patterns: Any, block: Block) -> None:
        """Replays the moves that a block knows of each pending game, and goes on with its words.

        ``words`` are int32, games x words, -1 after the last one: each is the place of its pattern in ``patterns``
        (int64, patterns x `PATTERN`).
        """
        nowhere = np.zeros(len(words), np.int64)
        self._read(words, patterns, nowhere, self.rules, block.moves, 0, nowhere, block)

    def follow(self, base: Any, moves: Any, played: Any, plies: Any, drawn_at: Any, sure_to: Any = None) -> Block:
        """Plays games of ``base`` by these rules, as far as they can be: `STATUS` and `PLIES` of each say how far.

        ``moves`` are ``played``, numbered as here. From ``captures_from`` on the same number may be another capture: it
        has to leave the same units, but for plies up to ``sure_to``. A draw is not claimed where that of ``base`` was
        not, from the ply ``drawn_at`` on (-1: nowhere).
        """
        there, words = np.arange(moves.shape[1]) < plies[:, None], np.full(moves.shape, -1, np.int32)
        numbers, words[there] = np.unique(moves[there], return_inverse=True)
        patterns = np.array([[-1, number, -1, -(1 << 31)] for number in numbers.tolist()] or [[0] * PATTERN], np.int64)
        block = self.block(len(moves))
        sure_to = np.full(len(moves), -1, np.int64) if sure_to is None else sure_to
        forgiven_from = np.where(drawn_at < 0, self.room, drawn_at)
        self._read(words, patterns, forgiven_from, base, played, self.captures_from, sure_to, block)
        return block

    def _read(self, *given: Any) -> None:
        *known, block = given
        everything: Any = (
            self.rules, *known, self._states, self._buffers, self._keys, np.zeros((2, MOST_UNITS), np.int64),
            block.moves, block.found, block.legal, block.hashes, block.counts,
        )  # fmt: skip
        _read_games(*everything)


class Block:
    """Some games: their moves (int32, games x plies, -1 after the end), and what was noted of each."""

    def __init__(self, moves: Any, found: Any, legal: Any, hashes: Any, counts: Any) -> None:
        self.moves, self.found, self.legal, self.hashes, self.counts = moves, found, legal, hashes, counts

    def part(self, games: Any) -> Block:
        """Some of the games."""
        return Block(*(every[games] for every in (self.moves, self.found, self.legal, self.hashes, self.counts)))


def replayed_hashes(rules: Any, lines: Any) -> Any:
    """The hash of each list of moves (int32, -1 after its end), as records have it; 0 where a move is not legal."""
    plies = np.count_nonzero(lines >= 0, axis=1)
    block = Replayer(rules, lines.shape[1] + 1).follow(rules, lines, lines, plies, np.zeros(len(lines), np.int64))
    return np.where(block.found[:, STATUS] == WHOLE, block.hashes, np.uint64(0))
