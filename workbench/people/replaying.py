"""Games that somebody else has played, replayed by the kernel in blocks: words are read, moves checked and counted.

Compiled code, beside the engine and not in it: it chooses no move, so nothing that plays depends on it. A word that it
does not match with just one legal move is left to the family's notation, which knows all that players write.
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
    units,
)
from workbench.engine.jit import copy, inlined, njit
from workbench.engine.rng import mix

STATUS, PLIES, TURNS, RESULT, TERMINATION, DRAWN_AT, AT, WORD, WORD_END, FIELDS = range(10)
"""What is noted of a game: whether it was read, the plies that were, the turns; result and termination of its last
position; the ply before which it was drawn by the rules for the first time, though people went on, or -1; how far its
text was read; and the word at which that ended, if it was not read to its end."""
PENDING, WHOLE, UNMATCHED, OVER, LONG = range(5)
"""Statuses: still to be read; read to its end; a word with which not just one legal move was matched; a move after the
rules' end of the game; more plies than there is room for."""
BY_NONE, BY_SAN, BY_SQUARES = range(3)
"""What words are matched with here: nothing, standard algebraic notation, the squares of draughts."""
NAMES_OF_SQUARES = 27 * 64
"""Room for the squares of draughts by name: a letter, or none, and a number below 64."""


@inlined
def _space(sign: int) -> bool:
    return sign <= 32


@inlined
def _digit(sign: int) -> bool:
    return 48 <= sign <= 57


@njit
def next_word(text: Any, at: int, end: int, word: Any) -> bool:
    """Finds the next word that may be a move, and writes where it begins and ends, and where to go on, in ``word``.

    Comments, variations, numbers of moves, marks and results are passed over.
    """
    while at < end:
        sign = text[at]
        if _space(sign) or sign == 33 or sign == 63 or sign == 46 or sign == 41 or sign == 125:  # ! ? . ) }
            at += 1
        elif sign == 123:  # {
            while at < end and text[at] != 125:
                at += 1
        elif sign == 59 or (sign == 37 and (at == 0 or text[at - 1] == 10)):  # ; and % at the start of a line
            while at < end and text[at] != 10:
                at += 1
        elif sign == 40:  # (
            depth = 0
            while at < end:
                if text[at] == 40:
                    depth += 1
                elif text[at] == 41:
                    depth -= 1
                elif text[at] == 123:
                    while at < end and text[at] != 125:
                        at += 1
                at += 1
                if depth == 0:
                    break
        elif sign == 36:  # $
            at += 1
            while at < end and _digit(text[at]):
                at += 1
        else:
            begin = at
            while at < end and _digit(text[at]):
                at += 1
            if at > begin and (at == end or text[at] == 46 or _space(text[at])):
                continue  # the number of a move
            while at < end and not _space(text[at]):
                sign = text[at]
                if sign == 123 or sign == 40 or sign == 41 or sign == 59 or sign == 36:
                    break
                at += 1
            last = at
            while last > begin and (text[last - 1] == 33 or text[last - 1] == 63 or text[last - 1] == 42):  # ! ? *
                last -= 1
            if last > begin and not _result(text, begin, last) and not _passant(text, begin, last):
                word[0], word[1], word[2] = begin, last, at
                return True
    word[0], word[1], word[2] = end, end, end
    return False


@inlined
def _passant(text: Any, begin: int, end: int) -> bool:
    """Whether a word is the mark "e.p." or "ep"."""
    return text[begin] == 101 and (
        (end - begin == 4 and text[begin + 1] == 46 and text[begin + 2] == 112)
        or (end - begin == 2 and text[begin + 1] == 112)
    )


@njit
def _result(text: Any, begin: int, end: int) -> bool:
    """Whether a word is the result of a game: 1-0, 0-1, 1/2-1/2, in draughts also 2-0, 0-2 and 1-1."""
    first = text[begin]
    if end - begin == 3 and text[begin + 1] == 45:  # -
        last = text[begin + 2]
        return (
            (first == 49 and (last == 48 or last == 49))
            or (first == 48 and (last == 49 or last == 50))
            or (first == 50 and last == 48)
        )
    return end - begin >= 3 and first == 49 and text[begin + 1] == 47 and text[begin + 2] == 50


@njit
def _san(text: Any, begin: int, end: int, moves: Any, n: int) -> int:
    """The place of the one legal move of chess that a word in SAN writes; -1 if it is not one, or more than one."""
    while end > begin and (text[end - 1] == 43 or text[end - 1] == 35):  # + #
        end -= 1
    kind, promotion, file, rank, to_file, to_rank = 0, 0, -1, -1, -1, -1
    castles = 0
    if text[begin] == 79 or text[begin] == 48:  # O 0
        for i in range(begin, end):
            if text[i] == 79 or text[i] == 48:
                castles += 1
            elif text[i] != 45:
                return -1
        if castles != 2 and castles != 3:
            return -1
    else:
        at = begin
        kind = _kind(text[at])
        if kind > 0:
            at += 1
        while at < end:
            sign = int(text[at])
            if 97 <= sign <= 104:
                if to_file >= 0:
                    file = to_file
                    rank = to_rank
                    to_rank = -1
                to_file = sign - 97
            elif 49 <= sign <= 56:
                if to_file < 0:
                    rank = sign - 49  # N1f3
                elif to_rank >= 0:
                    return -1
                else:
                    to_rank = sign - 49
            elif sign == 61 or _kind(sign) > 0:  # =
                if sign == 61:
                    at += 1
                if at + 1 != end:
                    return -1
                promotion = _kind(text[at])
                if promotion == 0:
                    return -1
            elif sign != 120 and sign != 45 and sign != 58:  # x - :
                return -1
            at += 1
        if to_file < 0 or to_rank < 0:
            return -1
    found = -1
    for i in range(n):
        move = moves[i]
        origin, target = move & 63, (move >> 6) & 63
        if castles > 0:
            fits = (move >> 12) == 5 and target - origin == (2 if castles == 2 else -2)
        else:
            fits = (
                (move >> 12) == (kind | promotion << 3)
                and target == to_file + 8 * to_rank
                and origin != target
                and not (kind == 5 and abs(target - origin) == 2)
                and (file < 0 or origin & 7 == file)
                and (rank < 0 or origin >> 3 == rank)
                and (kind > 0 or file >= 0 or (target - origin) % 8 == 0)
            )
        if fits:
            if found >= 0:
                return -1
            found = i
    return found


@inlined
def _kind(sign: int) -> int:
    """The kind of piece of a letter N, B, R, Q or K; 0 of any other."""
    kind = 0
    if sign == 78:
        kind = 1
    elif sign == 66:
        kind = 2
    elif sign == 82:
        kind = 3
    elif sign == 81:
        kind = 4
    elif sign == 75:
        kind = 5
    return kind


@njit
def _by_squares(text: Any, begin: int, end: int, squares: Any, captures_from: int, moves: Any, n: int) -> int:
    """The place of the one legal move of draughts with the squares of a word as its ends; -1 if there is not just one.

    ``squares`` has the kernel's number of a square by its name, -1 where there is none; moves from ``captures_from`` on
    are captures.
    """
    at, origin, target, captures = begin, -1, -1, False
    crossed = False
    while at < end:
        letter, number = 0, 0
        if 97 <= text[at] <= 122:
            letter = int(text[at]) - 96
            at += 1
        if at == end or not _digit(text[at]):
            return -1
        while at < end and _digit(text[at]) and number < 64:
            number = 10 * number + int(text[at]) - 48
            at += 1
        target = squares[64 * letter + number] if number < 64 else -1
        if target < 0:
            return -1
        if origin < 0:
            origin = target
        if at < end:
            sign = text[at]
            if sign == 120 or (sign == 58 and not crossed):  # x :
                captures = True
                crossed |= sign == 120
            elif sign != 45 or captures:
                return -1
            at += 1
            if at == end:
                return -1
    found = -1
    for i in range(n):
        move = moves[i]
        if move & 0xFFFF == origin << 8 | target and (move >= captures_from) == captures:
            if found >= 0:
                return -1
            found = i
    return found


@inlined
def _seen(keys: Any, plies: int) -> int:
    """How often the last of so many keys occurs among them."""
    count = 0
    last = keys[plies]
    for i in range(plies + 1):
        if keys[i] == last:
            count += 1
    return count


@njit
def _read_games(
    rules: Any,
    text: Any,
    ends: Any,
    how: int,
    squares: Any,
    captures_from: int,
    states: Any,
    buffer: Any,
    keys: Any,
    word: Any,
    moves: Any,
    found: Any,
    legal: Any,
    hashes: Any,
    counts: Any,
) -> None:
    room = moves.shape[1]
    counting = counts_positions(rules)
    state, before = states[0], states[1]
    for game in range(ends.shape[0]):
        about, line, events_of = found[game], moves[game], counts[game]
        if about[STATUS] != PENDING:
            continue
        known = about[PLIES]
        start(rules, state)
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
            if plies < known:
                move = line[plies]
            else:
                if how != BY_NONE and next_word(text, about[AT], ends[game], word):
                    about[WORD], about[WORD_END], about[AT] = word[0], word[1], word[2]
                else:
                    break
                if plies + 1 >= room:
                    about[STATUS] = LONG
                    break
                if result != ONGOING and (result != DRAW or n == 0):
                    about[STATUS] = OVER
                    break
                place = -1
                if how == BY_SAN:
                    place = _san(text, word[0], word[1], buffer, n)
                elif how == BY_SQUARES:
                    place = _by_squares(text, word[0], word[1], squares, captures_from, buffer, n)
                if place < 0:
                    about[STATUS] = UNMATCHED
                    break
                move = buffer[place]
            if result == DRAW and about[DRAWN_AT] < 0:
                about[DRAWN_AT] = plies
            listed += n
            if who != last_seat:
                turns += 1
                last_seat = who
            copy(state, before)
            play(rules, state, MOVE(move))
            events(rules, before, MOVE(move), state, events_of)
            line[plies] = move
            hashed = mix(hashed ^ np.uint64(move + 1))
            plies += 1
        about[PLIES], about[TURNS] = plies, turns
        legal[game] = listed / plies if plies > 0 else 0.0
        hashes[game] = hashed


@njit
def _alike(rules: Any, state: Any, base: Any, other: Any, words: Any) -> bool:
    """Whether the same units stand in both positions."""
    n = units(rules, state, words[0])
    if units(base, other, words[1]) != n:
        return False
    same = 0
    for i in range(n):
        same += words[0, i] == words[1, i]
    return same == n


@njit
def _follow_games(
    rules: Any,
    base: Any,
    moves: Any,
    played: Any,
    plies: Any,
    drawn_at: Any,
    unsure_from: int,
    sure_to: Any,
    states: Any,
    buffer: Any,
    keys: Any,
    words: Any,
    found: Any,
) -> None:
    counting = counts_positions(rules)
    state, other = states[0], states[1]
    for game in range(moves.shape[0]):
        about = found[game]
        start(rules, state)
        start(base, other)
        ply = 0
        about[STATUS] = WHOLE
        while True:
            n = legal_moves(rules, state, buffer)
            result, termination = plain_outcome(rules, state, n)
            if counting:
                keys[ply] = key(rules, state)
                if result == ONGOING:
                    result, termination = plain_repetition(rules, state, _seen(keys, ply))
            about[RESULT], about[TERMINATION] = result, termination
            if ply == plies[game]:
                break
            # A draw that people played on after is one that they need not have claimed here either.
            forgiven = result == DRAW and n > 0 and 0 <= drawn_at[game] <= ply
            if result != ONGOING and not forgiven:
                about[STATUS] = OVER
                break
            move = moves[game, ply]
            place = 0
            while place < n and buffer[place] != move:
                place += 1
            if place == n:
                about[STATUS] = UNMATCHED
                break
            play(rules, state, MOVE(move))
            if unsure_from > 0:
                play(base, other, MOVE(played[game, ply]))
                if move >= unsure_from and ply > sure_to[game] and not _alike(rules, state, base, other, words):
                    about[STATUS] = UNMATCHED
                    break
            ply += 1
        about[PLIES] = ply


@njit
def _events_of_moves(rules: Any, moves: Any, at: Any, states: Any, counts: Any) -> None:
    state, before = states[0], states[1]
    for game in range(moves.shape[0]):
        start(rules, state)
        for ply in range(at[game]):
            play(rules, state, MOVE(moves[game, ply]))
        copy(state, before)
        move = MOVE(moves[game, at[game]])
        play(rules, state, move)
        counts[game, :] = 0
        events(rules, before, move, state, counts[game])


class Replayer:
    """The kernel of a variant, with room for blocks of games of at most so many plies."""

    def __init__(self, rules: Any, room: int, how: int = BY_NONE, squares: Any = None, captures_from: int = 0) -> None:
        """``how`` words are matched, and for those of draughts the numbers of squares and of the first capture."""
        self.rules, self.room, self.how, self.captures_from = rules, room, how, captures_from
        self.squares = np.full(NAMES_OF_SQUARES, -1, np.int64) if squares is None else squares
        self._states = np.zeros((2, int(state_size(rules))), np.int64)
        self._buffer = np.zeros(int(max_moves(rules)), np.int32)
        self._keys = np.zeros(room + 1, np.uint64)
        self._word = np.zeros(3, np.int64)

    def block(self, begins: Any) -> Block:
        """Room for games whose texts begin there."""
        n = len(begins)
        found = np.zeros((n, FIELDS), np.int64)
        found[:, AT] = begins
        return Block(
            np.full((n, self.room), -1, np.int32),
            found,
            np.zeros(n, np.float64),
            np.zeros(n, np.uint64),
            np.zeros((n, int(event_count(self.rules))), np.int32),
        )

    def read(self, text: Any, ends: Any, block: Block) -> None:
        """Replays the moves that a block knows of each pending game, and reads on in ``text`` (uint8) up to its end."""
        _read_games(
            self.rules, text, ends, self.how, self.squares, self.captures_from, self._states, self._buffer, self._keys,
            self._word, block.moves, block.found, block.legal, block.hashes, block.counts,
        )  # fmt: skip

    def follow(self, base: Any, moves: Any, played: Any, plies: Any, drawn_at: Any, sure_to: Any = None) -> Any:
        """How far games of ``base`` can be played by these rules: `STATUS`, `PLIES`, `RESULT`, `TERMINATION` of each.

        ``moves`` are ``played``, numbered as here. From ``captures_from`` on the same number may be another capture: it
        has to leave the same units, but for plies up to ``sure_to``.
        """
        found = np.zeros((len(moves), FIELDS), np.int64)
        sure_to = np.full(len(moves), -1, np.int64) if sure_to is None else sure_to
        words = np.zeros((2, MOST_UNITS), np.int64)
        _follow_games(
            self.rules, base, moves, played, plies, drawn_at, self.captures_from, sure_to, self._states, self._buffer,
            self._keys, words, found,
        )  # fmt: skip
        return found

    def events(self, moves: Any, at: Any) -> Any:
        """What the move at a ply (from 0) of each game is counted as: int32, games x counters."""
        counts = np.zeros((len(moves), int(event_count(self.rules))), np.int32)
        _events_of_moves(self.rules, moves, at, self._states, counts)
        return counts


class Block:
    """Some games: their moves (int32, games x plies, -1 after the end), and what was noted of each."""

    def __init__(self, moves: Any, found: Any, legal: Any, hashes: Any, counts: Any) -> None:
        self.moves, self.found, self.legal, self.hashes, self.counts = moves, found, legal, hashes, counts


def replayed_hashes(rules: Any, lines: Any) -> Any:
    """The hash of each list of moves (int32, -1 after its end), as records have it; 0 where a move is not legal."""
    n, room = lines.shape
    replayer = Replayer(rules, room + 1)
    plies = np.count_nonzero(lines >= 0, axis=1)
    nowhere = np.zeros(n, np.int64)
    followed = replayer.follow(rules, lines, lines, plies, nowhere)
    block = replayer.block(nowhere)
    block.moves[:, :room] = lines
    block.found[:, PLIES] = followed[:, PLIES]
    replayer.read(np.zeros(1, np.uint8), nowhere, block)
    return np.where(followed[:, STATUS] == WHOLE, block.hashes, np.uint64(0))
