"""Games played to their end, in blocks: what the workers of an experiment do, and nothing of the Python world."""

from __future__ import annotations

import difflib
import importlib
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from workbench.base.language import SEMICOLON, tr
from workbench.engine import jit
from workbench.engine.agents import (
    FUNCTIONS,
    choose,
    choose_even,
    expected_score,
    memory_of,
    wants_to_swap,
    weight_rows,
)
from workbench.engine.contract import (
    ADJUDICATED,
    CAP,
    FIRST,
    MOVE,
    ONGOING,
    SECOND,
    SELDOM,
    SEPARATE,
    SWAP,
    compile_function,
    compile_only,
    counts_positions,
    event_count,
    events,
    feature_count,
    features,
    kernel_functions,
    kernel_name,
    key,
    legal_moves,
    max_moves,
    outcome,
    pack,
    play,
    repetition,
    sample_move,
    seat,
    start,
    state_size,
    unpack,
)
from workbench.engine.jit import copy, inline_ir, inline_source, njit
from workbench.engine.players import DRAMA, DRAMA_MAX, LEAD_CHANGES, NUMBERS, RANDOM, SEARCHES, Player, nobody
from workbench.engine.rng import mix
from workbench.engine.search.evaluation import chance, heuristic
from workbench.engine.search.memory import forget, remember

COUNT_EVERY = 17
"""Random players count the legal moves at every so many plies (an odd number, so that both sides are counted); all
others at every ply."""

RESULT, TERMINATION, PLIES, TURNS, SWAPPED = range(5)
ILLEGAL = -1
"""Stands for the termination of a game whose line has a move that is not legal; `run_block` raises it."""
EVEN = 0.05
"""A lead, from 0 to 1, that is too small to be one."""
S1, S2 = np.uint64(0x9FB21C651E98DF25), np.uint64(0xE7037ED1A0B428DB)

Judge = tuple[Player, float]
"""Who adjudicates games that reach the cap, and from which expected score on (½ to 1) a side is called the winner."""

Codes = Mapping[str, int | tuple[int, ...]]
"""A variant as plain numbers: the code of every toggle, by its name; a tuple is what the file holds that it names."""


@inline_ir
def place_of(move: int, moves: Any, n: int) -> int:
    """Where a move stands in ``moves[:n]``; n if it is not there."""
    i = 0
    while i < n and moves[i] != move:
        i += 1
    return i


@inline_source
def _play_game(
    rules: Any,
    first: Any,
    second: Any,
    weights: Any,
    seed: Any,
    line: Any,
    max_plies: int,
    judge: Any,
    threshold: float,
    ws: Any,
    buffers: Any,
    moves: Any,
    rng: Any,
    record: Any,
    counts: Any,
    played: Any,
    trace: Any,
) -> tuple[float, Any]:
    """Plays one game and fills its record; returns the mean number of legal moves and the hash of its moves.

    The moves of ``line`` (int32, up to the first -1) are played before the players choose any; they count as all others
    do. It may be as long as the game: what ends a game, or stops it, ends the line, too.

    At the first turn of the second player after ``rules.swap`` plies (0: never) that player may take the first side, if
    the last of these plies was chosen and not given: `SWAP` is then played, which counts as a ply. Up to there the
    first player makes the sides even. ``first`` and ``second`` are players by their seats; so is the result.

    ``buffers`` is two states, ``moves`` a move buffer, ``rng`` the word of the random numbers, ``record`` int32 words
    (`RESULT` …), ``counts`` the event counters, ``played`` receives as many moves as it has room for,
    ``trace`` float64 words (`LEAD_CHANGES` …), which stay as they are where both play at random. ``weights`` are those
    of the first player, the second and the judge. A game that reaches ``max_plies`` is won by the side whose expected
    score the ``judge`` thinks no smaller than ``threshold``, both from -1 to 1; if there is none, or if the judge plays
    at `RANDOM` (nobody judges), it has no result.

    A lead is the heuristic's expected score, with the mean of both players' weights, from -1 to 1. The later winner's
    drama is the mean of the root of the other's lead over the plies after which the other led, and the largest lead.
    Source: C. Browne, "Automatic Generation and Evaluation of Recombination Games", 2008, drama and lead change.
    """
    rng[0] = mix(seed ^ S1)
    salt_first, salt_second = mix(seed ^ S2), mix(seed + S2)
    state, before = buffers[0], buffers[1]
    counting = counts_positions(rules)
    if counting:
        forget(ws)
    ws.searches[:] = 0
    start(rules, state)
    counts[:] = 0
    played[:] = -1
    plies = 0
    turns = 0
    last_seat = -1
    swapped, may_swap = 0, rules.swap > 0
    legal = 0.0
    counted = 0
    hashed = np.uint64(0)
    traced = first.kind != RANDOM or second.kind != RANDOM
    leader, changes = 0, 0
    # For each seat's leads: the plies, the sum of their roots, the largest.
    plies_first, roots_first, most_first = 0, 0.0, 0.0
    plies_second, roots_second, most_second = 0, 0.0, 0.0
    while True:
        who = seat(rules, state)
        count = remember(ws, key(rules, state)) if counting else 1
        move = -1
        given = line[plies] if plies < line.shape[0] else -1
        mover = who ^ swapped
        player = first if mover == 0 else second
        offered = may_swap and who == 1 and plies >= rules.swap
        # A random player who need not list the moves does so only now and then, to count them.
        quick = player.kind == RANDOM and player.style == 0 and plies % COUNT_EVERY != 0 and not offered
        if quick and given < 0 and plies < max_plies:
            result, termination = outcome(rules, state, 1)
            if result == ONGOING:
                result, termination = repetition(rules, state, count)
            if termination == 0:
                move = sample_move(rules, state, rng)
        if move < 0:
            n = legal_moves(rules, state, moves)
            result, termination = outcome(rules, state, n)
            if result == ONGOING:
                result, termination = repetition(rules, state, count)
            if result == ONGOING and plies >= max_plies:
                termination = CAP
                if judge.kind != RANDOM:
                    # A salt of its own: what the players noted in the table was seen with other eyes.
                    score = expected_score(rules, state, moves, n, judge, weights[2], ws, mix(seed + S1), rng)
                    if abs(score) >= threshold:
                        result, termination = FIRST if score > 0 else SECOND, ADJUDICATED
            if termination != 0:
                break
            if player.kind != RANDOM or plies % COUNT_EVERY == 0:
                legal += n
                counted += 1
            if offered:
                may_swap = False
                drawn = line.shape[0] >= rules.swap and line[rules.swap - 1] >= 0
                free = given < 0 and not drawn and plies + 1 < max_plies
                if free and wants_to_swap(rules, state, moves, n, player, weights[1], ws, salt_second, rng):
                    given = SWAP
                if given == SWAP:
                    swapped, mover, player = 1, 0, first
                    if plies < played.shape[0]:
                        played[plies] = SWAP
                    hashed = mix(hashed ^ np.uint64(SWAP + 1))
                    plies += 1
                    given = line[plies] if plies < line.shape[0] else -1
            if given >= 0:
                move = given if place_of(given, moves, n) < n else -1
                if move < 0:
                    termination = ILLEGAL
                    break
            else:
                salt = salt_first if mover == 0 else salt_second
                if may_swap and mover == 0:
                    move = choose_even(rules, state, moves, n, player, weights[0], ws, salt, rng)
                else:
                    move = choose(rules, state, moves, n, player, weights[mover], ws, salt, rng)
        if who != last_seat:
            turns += 1
            last_seat = who
        copy(state, before)
        # A move of the lists' type, so that the kernel is compiled for no other.
        play(rules, state, MOVE(move))
        events(rules, before, MOVE(move), state, counts)
        if plies < played.shape[0]:
            played[plies] = move
        hashed = mix(hashed ^ np.uint64(move + 1))
        plies += 1
        if traced:
            if first.learned != 0 or second.learned != 0:
                value = 0.5 * heuristic(rules, state, first, weights[0], ws)
                value += 0.5 * heuristic(rules, state, second, weights[1], ws)
            else:
                features(rules, state, ws.features)
                value = 0.0
                for i in range(ws.features.shape[0]):
                    value += 0.5 * (weights[0, i] + weights[1, i]) * ws.features[i]
            lead = chance(value)
            if lead > EVEN:
                changes += 1 if leader == -1 else 0
                leader = 1
                plies_first += 1
                roots_first += math.sqrt(lead)
                most_first = max(most_first, lead)
            elif lead < -EVEN:
                changes += 1 if leader == 1 else 0
                leader = -1
                plies_second += 1
                roots_second += math.sqrt(-lead)
                most_second = max(most_second, -lead)
    record[RESULT] = FIRST + SECOND - result if swapped != 0 and result in (FIRST, SECOND) else result
    record[SWAPPED] = swapped
    record[TERMINATION] = termination
    record[PLIES] = plies
    record[TURNS] = turns
    if traced:
        trace[LEAD_CHANGES] = changes
        if result == FIRST:
            trace[DRAMA] = roots_second / plies_second if plies_second > 0 else 0.0
            trace[DRAMA_MAX] = most_second
        elif result == SECOND:
            trace[DRAMA] = roots_first / plies_first if plies_first > 0 else 0.0
            trace[DRAMA_MAX] = most_first
    return (legal / counted if counted > 0 else 0.0), hashed


@njit
def _play_block(
    rules: Any,
    first: Any,
    second: Any,
    weights: Any,
    seeds: Any,
    lines: Any,
    max_plies: int,
    judge: Any,
    threshold: float,
    ws: Any,
    buffers: Any,
    moves: Any,
    rng: Any,
    records: Any,
    legal: Any,
    hashes: Any,
    counts: Any,
    opening: Any,
    traces: Any,
) -> None:
    for game in range(seeds.shape[0]):
        legal[game], hashes[game] = _play_game(
            rules,
            first,
            second,
            weights,
            seeds[game],
            lines[game],
            max_plies,
            judge,
            threshold,
            ws,
            buffers,
            moves,
            rng,
            records[game],
            counts[game],
            opening[game],
            traces[game],
        )


def rules_of(game: str, codes: Codes) -> Any:
    """Return the ``Rules`` tuple of a variant, from its family's name and the codes of its toggles by name.

    Every field is a plain int, or an int64 array where the code is a tuple: what a toggle's file holds. A bool or a
    NumPy integer would compile the kernel a second time.

    Raises:
        TypeError: the codes are not given by name.
        ValueError: a toggle has no code, or there is a code for what is no toggle.
    """
    rules = importlib.import_module(f"workbench.games.{game}.kernel").Rules
    if not isinstance(codes, Mapping):
        raise TypeError(f"the rules of {game} are given by the names of their toggles, not as {codes!r}")
    problems = [tr("{name} has no code", name=name) for name in rules._fields if name not in codes]
    for name in codes:
        if name not in rules._fields:
            near = difflib.get_close_matches(name, rules._fields, 1)
            problems.append(
                tr("there is no toggle {name} (did you mean {near}?)", name=name, near=near[0])
                if near
                else tr("there is no toggle {name}", name=name)
            )
    if problems:
        raise ValueError(tr("the rules of {game}: {problems}", game=game, problems=SEMICOLON.join(problems)))
    return rules(**{name: np.array(c, np.int64) if isinstance(c, tuple) else int(c) for name, c in codes.items()})


class _Call(NamedTuple):
    """The arguments of `_play_block`."""

    rules: Any
    first: Any
    second: Any
    weights: Any
    seeds: Any
    lines: Any
    max_plies: int
    judge: Any
    threshold: float
    ws: Any
    buffers: Any
    moves: Any
    rng: Any
    records: Any
    legal: Any
    hashes: Any
    counts: Any
    opening: Any
    traces: Any


def _call_of(
    rules: Any,
    first: Player,
    second: Player,
    seeds: Any,
    max_plies: int,
    keep: int = 0,
    judge: Judge | None = None,
    lines: Any = None,
) -> _Call:
    """Return the players' memory and room for the records, with what is played; see `run_block`."""
    n = len(seeds)
    arbiter, threshold = judge or (nobody(len(first.weights)), 1.0)
    players = (first, second, arbiter)
    ws = memory_of(rules, int(max_plies), *players)
    return _Call(
        rules,
        first.agent,
        second.agent,
        weight_rows(rules, ws, *players),
        np.asarray(seeds, np.uint64),
        np.zeros((n, 0), np.int32) if lines is None else np.ascontiguousarray(lines, np.int32),
        int(max_plies),
        arbiter.agent,
        2.0 * float(threshold) - 1.0,
        ws,
        buffers=np.zeros((2, state_size(rules)), np.int64),
        moves=np.zeros(max_moves(rules), np.int32),
        rng=np.zeros(1, np.uint64),
        records=np.zeros((n, 5), np.int32),
        legal=np.zeros(n, np.float64),
        hashes=np.zeros(n, np.uint64),
        counts=np.zeros((n, event_count(rules)), np.int32),
        opening=np.zeros((n, keep), np.int32),
        traces=np.full((n, len(NUMBERS)), np.nan),
    )


def run_block(
    game: str,
    codes: Codes,
    first: Player,
    second: Player,
    seeds: Any,
    max_plies: int,
    keep: int = 0,
    judge: Judge | None = None,
    lines: Any = None,
) -> dict[str, Any]:
    """Plays one game for each seed and returns its records as arrays, one entry a game.

    ``lines`` int32 (games x plies, -1 where a line is shorter) are moves that are played before the players choose any;
    None: the players choose all. A line may be as long as the game, and longer than it.

    ``result`` (of the seats, whichever sides they played) and ``termination`` int8, ``plies``, ``turns`` and
    ``swapped`` (1 where the second player took the first side) int32, ``legal_moves`` float64 (the mean over the
    plies at which they were counted), ``game_hash`` uint64 (of the whole move list), ``events`` int32 (games x
    counters), ``opening`` int32 (games x ``keep`` moves, -1 where the game was shorter), ``nodes`` int64 (one
    number: the positions that the players looked at), and the float64 numbers of `game_numbers.NUMBERS`: see
    `_play_game`; NaN where they are not known: games between random players, and drama without a winner. Without a
    ``judge`` all games that reach ``max_plies`` stay without a result.

    Raises:
        ValueError: a line has a move that is not legal.
    """
    call = _call_of(rules_of(game, codes), first, second, seeds, max_plies, keep, judge, lines)
    _play_block(*call)
    records, ws = call.records, call.ws
    if (wrong := records[:, TERMINATION] == ILLEGAL).any():
        game_number = int(np.argmax(wrong))
        ply = int(records[game_number, PLIES]) + 1
        raise ValueError(
            tr(
                "game {game_number}: illegal move at ply {ply}",
                game_number=game_number,
                ply=ply,
            )
        )
    return {
        "result": records[:, RESULT].astype(np.int8),
        "termination": records[:, TERMINATION].astype(np.int8),
        "plies": records[:, PLIES].copy(),
        "turns": records[:, TURNS].copy(),
        "swapped": records[:, SWAPPED].copy(),
        "legal_moves": call.legal,
        "game_hash": call.hashes,
        "events": call.counts,
        "opening": call.opening,
        **{number.name: call.traces[:, place].copy() for place, number in enumerate(NUMBERS)},
        "nodes": ws.nodes,
    }


def warm_up(game: str, codes: Codes, kinds: Collection[int] = tuple(SEARCHES)) -> bool:
    """Compile what games between some kinds of players need, or loads it; returns whether it had to compile."""
    rules = rules_of(game, codes)
    player = nobody(int(feature_count(rules)))
    run_block(game, codes, player, player, np.zeros(1, np.uint64), 1)
    memory_of(rules, 1, *(player._replace(agent=player.agent._replace(kind=kind)) for kind in kinds))
    if jit.DISABLED:
        return False
    compiled: list[Any] = [_play_block, *(FUNCTIONS[kind] for kind in kinds if kind != RANDOM)]
    compiled += kernel_functions(type(rules)).values()
    return any(sum(function.stats.cache_misses.values()) for function in compiled)


KEEPS_MACHINE_CODE = jit.CACHE is not None
"""Whether what a process compiles is there for others."""
BLOCK = "block"
"""What plays games, among the `parts`."""


def parts(game: str, codes: Codes, kinds: Collection[int]) -> list[str | int]:
    """What games between some kinds of players run, in parts for several processes; the slowest to compile comes first.

    Each is a function of the kernel by its name, a kind of player by its number, or `BLOCK`.
    """
    generics: dict[Any, Any] = {}  # a kernel may have one function for two purposes
    seldom = () if any(SEARCHES[kind].worth for kind in kinds) else SELDOM
    for generic, function in kernel_functions(type(rules_of(game, codes))).items():
        if generic not in (*seldom, pack, unpack):
            generics.setdefault(function, generic)
    large = [kernel_name(one) for one in generics.values() if one in SEPARATE or one is legal_moves]
    others = [name for name in map(kernel_name, generics.values()) if name not in large]
    return [*large, *(kind for kind in kinds if kind != RANDOM), BLOCK, *others]


def compile_part(game: str, codes: Codes, part: str | int) -> None:
    """Compile one of the `parts` for other processes; this one can run none of the game's machine code any more."""
    rules = rules_of(game, codes)
    compile_only(jit.typeof(rules))
    player = nobody(int(feature_count(rules)))
    if part == BLOCK:
        call = _call_of(rules, player, player, np.zeros(1, np.uint64), 1)
        _play_block.compile(tuple(map(jit.typeof, call)))  # type: ignore[attr-defined]
    elif isinstance(part, int):
        memory_of(rules, 1, player._replace(agent=player.agent._replace(kind=part)))
    else:
        compile_function(jit.typeof(rules), part)


@njit
def _follow(
    rules: Any, lines: Any, state: Any, before: Any, counts: Any, which: Any, seats: Any, happened: Any
) -> None:
    at = 0
    for game in range(lines.shape[0]):
        start(rules, state)
        counts[:] = 0
        swapped = 0
        for ply in range(lines.shape[1]):
            if lines[game, ply] < 0:
                break
            seats[at] = seat(rules, state) ^ swapped
            copy(state, before)
            for i in range(which.shape[0]):
                happened[i, at] = -counts[which[i]]
            if lines[game, ply] == SWAP:
                swapped = 1
            else:
                play(rules, state, MOVE(lines[game, ply]))
                events(rules, before, MOVE(lines[game, ply]), state, counts)
            for i in range(which.shape[0]):
                happened[i, at] += counts[which[i]]
            at += 1


def follow(game: str, codes: Codes, lines: Any, which: Any) -> tuple[Any, Any]:
    """For each ply of games, one game behind the other, the player who moved, and what it added to some event counters.

    ``lines`` int32 (games x plies, -1 after the end) are legal moves, ``which`` the numbers of the counters; the answer
    is int8 (plies) and int32 (counters x plies).
    """
    rules = rules_of(game, codes)
    plies = int(np.count_nonzero(lines >= 0))
    state, counts = np.zeros(state_size(rules), np.int64), np.zeros(event_count(rules), np.int32)
    seats, happened = np.zeros(plies, np.int8), np.zeros((len(which), plies), np.int32)
    lines, which = np.ascontiguousarray(lines, np.int32), np.asarray(which, np.int64)
    _follow(rules, lines, state, state.copy(), counts, which, seats, happened)
    return seats, happened


@njit
def _walk(rules: Any, line: Any, states: Any, legal: Any, counts: Any) -> None:
    start(rules, states[0])
    for ply in range(states.shape[0]):
        counts[ply] = legal_moves(rules, states[ply], legal[ply])
        if ply + 1 < states.shape[0]:
            copy(states[ply], states[ply + 1])
            if line[ply] != SWAP:
                play(rules, states[ply + 1], MOVE(line[ply]))


def walk(game: str, codes: Codes, line: Any) -> tuple[Any, Any, Any]:
    """The states before each ply of a game, int64 (plies x words), with their legal moves and how many these are.

    ``line`` are its legal moves; the moves are int32 (plies x room). Swapping sides is not among them.
    """
    rules, line = rules_of(game, codes), np.ascontiguousarray(line, np.int32)
    states = np.zeros((len(line), state_size(rules)), np.int64)
    legal, counts = np.zeros((len(line), max_moves(rules)), np.int32), np.zeros(len(line), np.int32)
    _walk(rules, line, states, legal, counts)
    return states, legal, counts


CLOSED, OPEN, OFFERED = 0, 1, 2
"""Whether sides may be swapped: not, or not any more; later; or now, by the player whose turn it is."""


@njit
def _advise(
    rules: Any,
    agent: Any,
    weights: Any,
    seed: Any,
    plies: int,
    later: Any,
    ws: Any,
    state: Any,
    moves: Any,
    rng: Any,
    swapped: int,
    swap: int,
) -> int:
    """The move after the ``plies`` that led to ``state`` and those of ``later``, chosen as in `trials._play_game`.

    ``swapped`` is 1 where the seats have the other sides, ``swap`` whether they may take them (`OPEN` …).
    """
    counting = counts_positions(rules)
    if counting and plies == 0:
        remember(ws, key(rules, state))
    for ply in range(later.shape[0]):
        if later[ply] == SWAP:
            continue
        play(rules, state, later[ply])
        if counting:
            remember(ws, key(rules, state))
    plies += later.shape[0]
    quick = agent.kind == RANDOM and agent.style == 0 and plies % COUNT_EVERY != 0
    # Where sides are, or were just, offered, the game has listed the moves.
    if quick and swap != OFFERED and (later.shape[0] == 0 or later[later.shape[0] - 1] != SWAP):
        move = sample_move(rules, state, rng)
        if move >= 0:
            return move
    n = legal_moves(rules, state, moves)
    if n == 0:
        return -1
    mover = seat(rules, state) ^ swapped
    salt = mix(seed ^ S2) if mover == 0 else mix(seed + S2)
    if swap == OFFERED and wants_to_swap(rules, state, moves, n, agent, weights, ws, salt, rng):
        return SWAP
    if swap == OPEN and mover == 0:
        return choose_even(rules, state, moves, n, agent, weights, ws, salt, rng)
    return choose(rules, state, moves, n, agent, weights, ws, salt, rng)


class Adviser:
    """An agent in one game, with the memory that it keeps through the game.

    It plays as `trials.run_block` lets it play: the same seed and the same moves of a second player who draws no random
    numbers and fills no table get the same answers. Where moves were taken back, it answers again what it answered
    before; in a position that is new it goes on with an empty table, and with the random numbers that were next when
    the moves that still stand had been made.
    """

    def __init__(self, game: str, codes: Codes, player: Player, seed: int, max_plies: int, begin: Any = None) -> None:
        """Prepare a game of at most ``max_plies`` plies; ``begin`` is the state in which it begins, if not the start.

        The moves and the seed alone decide what is answered.
        """
        self._rules = rules_of(game, codes)
        self._player = player
        self._max_plies = max_plies
        self._seed = np.uint64(seed)
        self._begin = np.zeros(state_size(self._rules), np.int64)
        if begin is None:
            start(self._rules, self._begin)
        else:
            self._begin[:] = begin
        self._moves = np.zeros(max_moves(self._rules), np.int32)
        self._answers: dict[tuple[int, ...], tuple[int, int]] = {}
        """What was answered after some moves, and the word of the random numbers then."""
        self._forget(())
        self._weights = weight_rows(self._rules, self._memory, player)[0]

    def _forget(self, played: tuple[int, ...]) -> None:
        """Begin anew, with the random numbers as they were at the last answer before these moves."""
        self._memory = memory_of(self._rules, self._max_plies, self._player)
        self._state = self._begin.copy()
        self._played: tuple[int, ...] = ()
        asked = next((played[:ply] for ply in reversed(range(len(played))) if played[:ply] in self._answers), None)
        word = mix(self._seed ^ S1) if asked is None else self._answers[asked][1]
        self._random = np.full(1, word, np.uint64)

    def choose(self, played_moves: Sequence[int], swap: int = CLOSED) -> int:
        """Return the move that the agent plays after all the moves of the game so far; -1 if no move is legal there.

        ``swap`` says whether sides may be swapped (`OPEN` …): where they are offered, the answer may be `SWAP`.
        """
        played = tuple(played_moves)
        if played not in self._answers:
            known = len(self._played)
            if played[:known] != self._played:
                self._forget(played)
                known = 0
            move = _advise(
                self._rules,
                self._player.agent,
                self._weights,
                self._seed,
                known,
                np.array(played[known:], np.int32),
                self._memory,
                self._state,
                self._moves,
                self._random,
                int(SWAP in played),
                swap,
            )
            self._played = played
            self._answers[played] = int(move), int(self._random[0])
        return self._answers[played][0]


def best_move(
    game: str, codes: Codes, player: Player, seed: int, played_moves: Sequence[int], begin: Any = None
) -> int:
    """Return the first move that an `Adviser` chooses in a game, after ``played_moves`` of others."""
    return Adviser(game, codes, player, seed, len(played_moves) + 1, begin).choose(played_moves)
