"""Replay of external games by the kernel in blocks: matches words with legal moves and counts events.

This is compiled code outside the engine because it chooses no moves. Words are given as patterns of moves; a word that
does not match exactly one legal move is left to the family's notation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from workbench.engine import contract
from workbench.engine.contract import units
from workbench.engine.jit import copy, inline_ir, njit
from workbench.engine.rng import mix

STATUS, PLIES, TURNS, RESULT, TERMINATION, DRAWN_AT, AT, FORCED, FORCED_BY, FIELDS = range(10)
"""Fields of a game: status, plies and turns; result and termination of the last position; the ply before which the game
was first drawn by the rules although it continued, or -1; the number of words read; and the result and termination to
which every legal move in the last position leads, if there is one."""
PENDING, WHOLE, UNMATCHED, OVER, LONG = range(5)
"""Statuses: unfinished; read to the end; a word without exactly one matching legal move; a move after the end; too many
plies."""
PATTERN = 4
"""The length of a pattern; see `match_move`."""


@njit
def match_move(pattern: Any, moves: Any, n: int) -> int:
    """Return the index of the only legal move among n that matches a pattern, or -1 if none or several match.

    A pattern consists of a mask, the move's bits under the mask, a set of 64 squares that contains the move's lowest
    six bits, and the smallest code of a move. A mask of zeros matches nothing.
    """
    match_index = -1
    if pattern[0] == 0:
        return match_index
    for i in range(n):
        move = np.int64(moves[i])
        if move & pattern[0] == pattern[1] and (pattern[2] >> (move & 63)) & 1 and move >= pattern[3]:
            if match_index >= 0:
                return -1
            match_index = i
    return match_index


@inline_ir
def _repetitions(keys: Any, plies: int) -> int:
    """Count the occurrences of the last key."""
    count = 0
    last_key = keys[plies]
    for i in range(plies + 1):
        if keys[i] == last_key:
            count += 1
    return count


@njit
def _same_units(rules: Any, state: Any, base: Any, other: Any, words: Any) -> bool:
    """Return True if both positions have the same units."""
    n = units(rules, state, words[0])
    if units(base, other, words[1]) != n:
        return False
    equal = 0
    for i in range(n):
        equal += words[0, i] == words[1, i]
    return equal == n


@njit
def _read_games(
    rules: Any, words: Any, patterns: Any, unclaimed_from: Any, base: Any, played: Any, captures_from: int,
    confirmed_to: Any, states: Any, buffers: Any, keys: Any, unit_words: Any, moves: Any, fields: Any, legal: Any,
    hashes: Any, counts: Any,
) -> None:  # fmt: skip
    max_plies = moves.shape[1]
    keeps_keys = contract.counts_positions(rules)
    state, before, other = states[0], states[1], states[2]
    buffer, other_buffer = buffers[0], buffers[1]
    for game in range(words.shape[0]):
        game_fields, line, event_counts = fields[game], moves[game], counts[game]
        if game_fields[STATUS] != PENDING:
            continue
        known_plies = game_fields[PLIES]
        contract.start(rules, state)
        contract.start(base, other)
        event_counts[:] = 0
        plies, turns, last_seat, legal_total, game_hash = 0, 0, -1, 0.0, np.uint64(0)
        game_fields[STATUS], game_fields[DRAWN_AT] = WHOLE, -1
        while True:
            current_seat = contract.seat(rules, state)
            n = contract.legal_moves(rules, state, buffer)
            result, termination = contract.plain_outcome(rules, state, n)
            if keeps_keys:
                keys[plies] = contract.key(rules, state)
                if result == contract.ONGOING:
                    result, termination = contract.plain_repetition(rules, state, _repetitions(keys, plies))
            game_fields[RESULT], game_fields[TERMINATION] = result, termination
            if plies == known_plies and (game_fields[AT] == words.shape[1] or words[game, game_fields[AT]] < 0):
                break
            if plies + 1 >= max_plies:
                game_fields[STATUS] = LONG
                break
            # A draw that was not claimed does not end a game.
            if result != contract.ONGOING and not (result == contract.DRAW and n > 0 and unclaimed_from[game] <= plies):
                game_fields[STATUS] = OVER
                break
            if plies < known_plies:
                move = line[plies]
            else:
                move_index = match_move(patterns[words[game, game_fields[AT]]], buffer, n)
                if move_index < 0:
                    game_fields[STATUS] = UNMATCHED
                    break
                move = buffer[move_index]
                known_plies += 1
                game_fields[AT] += 1
            if result == contract.DRAW and game_fields[DRAWN_AT] < 0:
                game_fields[DRAWN_AT] = plies
            legal_total += n
            if current_seat != last_seat:
                turns += 1
                last_seat = current_seat
            copy(state, before)
            contract.play(rules, state, contract.MOVE(move))
            contract.events(rules, before, contract.MOVE(move), state, event_counts)
            if captures_from > 0:
                contract.play(base, other, contract.MOVE(played[game, plies]))
                if (
                    move >= captures_from
                    and plies > confirmed_to[game]
                    and not _same_units(rules, state, base, other, unit_words)
                ):
                    game_fields[STATUS] = UNMATCHED
                    break
            line[plies] = move
            game_hash = mix(game_hash ^ np.uint64(move + 1))
            plies += 1
        game_fields[PLIES], game_fields[TURNS] = plies, turns
        game_fields[FORCED], game_fields[FORCED_BY] = contract.ONGOING, 0
        for i in range(n if game_fields[RESULT] == contract.ONGOING else 0):
            copy(state, before)
            contract.play(rules, before, contract.MOVE(buffer[i]))
            result, termination = contract.terminal(rules, before, other_buffer)
            if result == contract.ONGOING or (i > 0 and result != game_fields[FORCED]):
                game_fields[FORCED] = contract.ONGOING
                break
            game_fields[FORCED], game_fields[FORCED_BY] = result, termination
        legal[game] = legal_total / plies if plies > 0 else 0.0
        hashes[game] = game_hash


class Replayer:
    """A replayer of a ruleset's games with at most ``room`` plies."""

    def __init__(self, rules: Any, room: int, captures_from: int = 0) -> None:
        """``captures_from``: smallest code of moves whose capture may differ under other rules; 0 for none."""
        self.rules, self.room, self.captures_from = rules, room, captures_from
        self._states = np.zeros((3, int(contract.state_size(rules))), np.int64)
        self._buffers = np.zeros((2, int(contract.max_moves(rules))), np.int32)
        self._keys = np.zeros(room + 1, np.uint64)

    def block(self, games: int) -> Block:
        """Return an empty block for a number of games."""
        return Block(
            np.full((games, self.room), -1, np.int32),
            np.zeros((games, FIELDS), np.int64),
            np.zeros(games, np.float64),
            np.zeros(games, np.uint64),
            np.zeros((games, int(contract.event_count(self.rules))), np.int32),
        )

    def read(self, words: Any, patterns: Any, block: Block) -> None:
        """Replay the moves of each pending game in a block and continue with the game's words.

        ``words`` (int32, games x words, padded with -1) are indices of ``patterns`` (int64, patterns x `PATTERN`).
        """
        zeros = np.zeros(len(words), np.int64)
        self._read(words, patterns, zeros, self.rules, block.moves, 0, zeros, block)

    def follow(self, base: Any, moves: Any, played: Any, plies: Any, drawn_at: Any, confirmed_to: Any = None) -> Block:
        """Replay games of ``base`` under these rules as far as possible; see `STATUS` and `PLIES` of the block.

        ``moves`` are the ``played`` moves in the codes of these rules. A move of at least ``captures_from`` must leave
        the same units, except for plies up to ``confirmed_to``. From the ply ``drawn_at`` (-1: never), draws are not
        claimed.
        """
        played_plies, words = np.arange(moves.shape[1]) < plies[:, None], np.full(moves.shape, -1, np.int32)
        numbers, words[played_plies] = np.unique(moves[played_plies], return_inverse=True)
        patterns = np.array([[-1, number, -1, -(1 << 31)] for number in numbers.tolist()] or [[0] * PATTERN], np.int64)
        block = self.block(len(moves))
        confirmed = np.full(len(moves), -1, np.int64) if confirmed_to is None else confirmed_to
        unclaimed_from = np.where(drawn_at < 0, self.room, drawn_at)
        self._read(words, patterns, unclaimed_from, base, played, self.captures_from, confirmed, block)
        return block

    def _read(self, *arguments: Any) -> None:
        *leading, block = arguments
        units = np.zeros((2, contract.MOST_UNITS), np.int64)
        all_arguments: Any = (self.rules, *leading, self._states, self._buffers, self._keys, units, *block)
        _read_games(*all_arguments)


class Block(NamedTuple):
    """Games and their statistics as arrays with a row for each game."""

    moves: Any
    """int32, games x plies, padded with -1."""
    fields: Any
    legal: Any
    """The mean number of legal moves."""
    hashes: Any
    counts: Any
    """The counts of events, games x events."""

    def part(self, games: Any) -> Block:
        """Return a block of only the selected games."""
        return Block(*(array[games] for array in self))


def replayed_hashes(rules: Any, lines: Any) -> Any:
    """Return the hash of each list of moves (int32, padded with -1); 0 if a move is illegal."""
    plies = np.count_nonzero(lines >= 0, axis=1)
    block = Replayer(rules, lines.shape[1] + 1).follow(rules, lines, lines, plies, np.zeros(len(lines), np.int64))
    return np.where(block.fields[:, STATUS] == WHOLE, block.hashes, np.uint64(0))
