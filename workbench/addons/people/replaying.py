"""Replays external games by the kernel in blocks: matches words with legal moves, and counts events.

This is compiled code outside the engine, since it chooses no move. Words are given as patterns of moves; a word that
does not match exactly one legal move is left to the family's notation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
"""Fields of a game: status, plies and turns; result and termination of its last position; the ply before which it was
first drawn by the rules although it continued, or -1; the number of words read; and the result and termination to which
every legal move of its last position leads, if any."""
PENDING, WHOLE, UNMATCHED, OVER, LONG = range(5)
"""Statuses: not finished; read to the end; a word that does not match exactly one legal move; a move after the end; too
many plies."""
PATTERN = 4
"""Length of a pattern; see `match_move`."""


@njit
def match_move(pattern: Any, moves: Any, n: int) -> int:
    """Return the index of the only one of n legal moves that matches a pattern; -1 if none or several do.

    A pattern is a mask, the bits of the move under the mask, a set of 64 squares that contains the lowest six bits of
    the move, and the least code of a move. A mask of zeros matches nothing.
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
def _repetitions(keys: Any, plies: int) -> int:
    """Return the number of occurrences of the last key."""
    count = 0
    last = keys[plies]
    for i in range(plies + 1):
        if keys[i] == last:
            count += 1
    return count


@njit
def _same_units(rules: Any, state: Any, base: Any, other: Any, words: Any) -> bool:
    """Return True if both positions have the same units."""
    n = units(rules, state, words[0])
    if units(base, other, words[1]) != n:
        return False
    same = 0
    for i in range(n):
        same += words[0, i] == words[1, i]
    return same == n


@njit
def _read_games(
    rules: Any, words: Any, patterns: Any, forgiven_from: Any, base: Any, played: Any, unsure_from: int, sure_to: Any,
    states: Any, buffers: Any, keys: Any, standing: Any, moves: Any, fields: Any, legal: Any, hashes: Any,
    counts: Any,
) -> None:  # fmt: skip
    room = moves.shape[1]
    counting = counts_positions(rules)
    state, before, other = states[0], states[1], states[2]
    buffer, others = buffers[0], buffers[1]
    for game in range(words.shape[0]):
        game_fields, line, event_counts = fields[game], moves[game], counts[game]
        if game_fields[STATUS] != PENDING:
            continue
        known = game_fields[PLIES]
        start(rules, state)
        start(base, other)
        event_counts[:] = 0
        plies, turns, last_seat, listed, hashed = 0, 0, -1, 0.0, np.uint64(0)
        game_fields[STATUS], game_fields[DRAWN_AT] = WHOLE, -1
        while True:
            who = seat(rules, state)
            n = legal_moves(rules, state, buffer)
            result, termination = plain_outcome(rules, state, n)
            if counting:
                keys[plies] = key(rules, state)
                if result == ONGOING:
                    result, termination = plain_repetition(rules, state, _repetitions(keys, plies))
            game_fields[RESULT], game_fields[TERMINATION] = result, termination
            if plies == known and (game_fields[AT] == words.shape[1] or words[game, game_fields[AT]] < 0):
                break
            if plies + 1 >= room:
                game_fields[STATUS] = LONG
                break
            # A draw that was not claimed does not end a game.
            if result != ONGOING and not (result == DRAW and n > 0 and forgiven_from[game] <= plies):
                game_fields[STATUS] = OVER
                break
            if plies < known:
                move = line[plies]
            else:
                place = match_move(patterns[words[game, game_fields[AT]]], buffer, n)
                if place < 0:
                    game_fields[STATUS] = UNMATCHED
                    break
                move = buffer[place]
                known += 1
                game_fields[AT] += 1
            if result == DRAW and game_fields[DRAWN_AT] < 0:
                game_fields[DRAWN_AT] = plies
            listed += n
            if who != last_seat:
                turns += 1
                last_seat = who
            copy(state, before)
            play(rules, state, MOVE(move))
            events(rules, before, MOVE(move), state, event_counts)
            if unsure_from > 0:
                play(base, other, MOVE(played[game, plies]))
                if (
                    move >= unsure_from
                    and plies > sure_to[game]
                    and not _same_units(rules, state, base, other, standing)
                ):
                    game_fields[STATUS] = UNMATCHED
                    break
            line[plies] = move
            hashed = mix(hashed ^ np.uint64(move + 1))
            plies += 1
        game_fields[PLIES], game_fields[TURNS] = plies, turns
        game_fields[FORCED], game_fields[FORCED_BY] = ONGOING, 0
        for i in range(n if game_fields[RESULT] == ONGOING else 0):
            copy(state, before)
            play(rules, before, MOVE(buffer[i]))
            result, termination = terminal(rules, before, others)
            if result == ONGOING or (i > 0 and result != game_fields[FORCED]):
                game_fields[FORCED] = ONGOING
                break
            game_fields[FORCED], game_fields[FORCED_BY] = result, termination
        legal[game] = listed / plies if plies > 0 else 0.0
        hashes[game] = hashed


class Replayer:
    """Replays games of a ruleset with at most ``room`` plies."""

    def __init__(self, rules: Any, room: int, captures_from: int = 0) -> None:
        """``captures_from``: least code of moves that may be another capture under other rules; 0 for none."""
        self.rules, self.room, self.captures_from = rules, room, captures_from
        self._states = np.zeros((3, int(state_size(rules))), np.int64)
        self._buffers = np.zeros((2, int(max_moves(rules))), np.int32)
        self._keys = np.zeros(room + 1, np.uint64)

    def block(self, games: int) -> Block:
        """Return an empty block."""
        return Block(
            np.full((games, self.room), -1, np.int32),
            np.zeros((games, FIELDS), np.int64),
            np.zeros(games, np.float64),
            np.zeros(games, np.uint64),
            np.zeros((games, int(event_count(self.rules))), np.int32),
        )

    def read(self, words: Any, patterns: Any, block: Block) -> None:
        """Replay the moves in a block of each pending game, and continue with its words.

        ``words`` (int32, games x words, -1 after the last one) are indices of ``patterns`` (int64, patterns x
        `PATTERN`).
        """
        nowhere = np.zeros(len(words), np.int64)
        self._read(words, patterns, nowhere, self.rules, block.moves, 0, nowhere, block)

    def follow(self, base: Any, moves: Any, played: Any, plies: Any, drawn_at: Any, sure_to: Any = None) -> Block:
        """Play games of ``base`` by these rules as far as possible; see `STATUS` and `PLIES` of the block.

        ``moves`` are the ``played`` moves in the codes of these rules. A move of at least ``captures_from`` has to
        leave the same units, except for plies up to ``sure_to``. Draws are not claimed starting at the ply ``drawn_at``
        (-1 for none).
        """
        played_plies, words = np.arange(moves.shape[1]) < plies[:, None], np.full(moves.shape, -1, np.int32)
        numbers, words[played_plies] = np.unique(moves[played_plies], return_inverse=True)
        patterns = np.array([[-1, number, -1, -(1 << 31)] for number in numbers.tolist()] or [[0] * PATTERN], np.int64)
        block = self.block(len(moves))
        sure_to = np.full(len(moves), -1, np.int64) if sure_to is None else sure_to
        forgiven_from = np.where(drawn_at < 0, self.room, drawn_at)
        self._read(words, patterns, forgiven_from, base, played, self.captures_from, sure_to, block)
        return block

    def _read(self, *arguments: Any) -> None:
        *leading, block = arguments
        units = np.zeros((2, MOST_UNITS), np.int64)
        everything: Any = (self.rules, *leading, self._states, self._buffers, self._keys, units, *block)
        _read_games(*everything)


class Block(NamedTuple):
    """Games and their statistics: arrays with a row for each game."""

    moves: Any
    """int32, games x plies, padded with -1."""
    fields: Any
    legal: Any
    """Mean number of legal moves."""
    hashes: Any
    counts: Any
    """Numbers of events: games x events."""

    def part(self, games: Any) -> Block:
        """Return a selection of the games."""
        return Block(*(array[games] for array in self))


def replayed_hashes(rules: Any, lines: Any) -> Any:
    """Return the stored hash of each list of moves (int32, padded with -1); 0 if a move is illegal."""
    plies = np.count_nonzero(lines >= 0, axis=1)
    block = Replayer(rules, lines.shape[1] + 1).follow(rules, lines, lines, plies, np.zeros(len(lines), np.int64))
    return np.where(block.fields[:, STATUS] == WHOLE, block.hashes, np.uint64(0))
