"""Compiled games: blocks of games for experiments, replayed games, and single moves against other players."""

from __future__ import annotations

import difflib
import importlib
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from workbench.base.language import SEMICOLON, tr
from workbench.engine import contract, jit
from workbench.engine.agents import (
    FUNCTIONS,
    choose,
    choose_even,
    expected_score,
    prepare_workspace,
    wants_to_swap,
    weight_rows,
)
from workbench.engine.jit import by_reference, copy, inline_ir, inline_source, njit
from workbench.engine.players import (
    DRAMA,
    DRAMA_MAX,
    LEAD_CHANGES,
    NUMBERS,
    RANDOM,
    SEARCHES,
    BlockArguments,
    Codes,
    Player,
    random_player,
)
from workbench.engine.rng import mix
from workbench.engine.search.evaluation import heuristic, win_score
from workbench.engine.search.memory import clear_positions, count_position

COUNT_EVERY = 17
"""Interval in plies at which a random player's legal moves are counted. It is odd, so that both sides are counted."""
RESULT, TERMINATION, PLIES, TURNS, SWAPPED = range(5)
"""Words of a game's record."""
ILLEGAL = -1
"""Termination of a game whose line has an illegal move; `run_block` raises an error."""
EVEN = 0.05
"""Largest lead, from 0 to 1, that counts as even."""
S1, S2 = np.uint64(0x9FB21C651E98DF25), np.uint64(0xE7037ED1A0B428DB)
CLOSED, OPEN, OFFERED = 0, 1, 2
"""Whether sides may be swapped: no longer or never; later; now, by the player to move."""
HAS_CACHE = jit.CACHE is not None
"""Whether other processes can load the code that this process compiles."""
BLOCK = "block"
"""The part of `compiled_parts` that plays blocks of games."""


@by_reference
class _Block(NamedTuple):
    """A block of games in compiled code: input, buffers and records, with a row per game."""

    seeds: Any
    lines: Any
    max_plies: int
    threshold: float
    """The judge's minimum lead for a win, from -1 to 1."""
    buffers: Any
    """Two states."""
    moves: Any
    rng: Any
    records: Any
    """int32, indexed by `RESULT` and so on."""
    legal: Any
    """Mean number of legal moves."""
    hashes: Any
    """Hash of all moves."""
    counts: Any
    """Event counters."""
    opening: Any
    """The first moves."""
    traces: Any
    """float64, indexed by `LEAD_CHANGES` and so on; NaN if both players are random."""


@inline_ir
def move_index(move: int, moves: Any, n: int) -> int:
    """Return the index of a move in ``moves[:n]``; n if it is missing."""
    i = 0
    while i < n and moves[i] != move:
        i += 1
    return i


@inline_source
def _play_game(
    rules: Any, first: Any, second: Any, judge: Any, weights: Any, ws: Any, block: Any, game: int
) -> tuple[float, Any]:
    """Play one game and fill its record; return the mean number of legal moves and the hash of all moves.

    The moves of the game's line are played before the players choose any, and count like all others. Moves after the
    end of the game are ignored.

    At the second player's first turn after ``rules.swap`` plies (0: never) that player may take the first side, unless
    the line contains the last of these plies. `SWAP` is then played and counts as a ply. Until then the first player
    chooses even positions. ``first``, ``second`` and the result refer to players by their seats. ``weights`` has a row
    each for first player, second player and judge. A game that reaches ``max_plies`` is won by the side whose expected
    score by the judge is at least ``threshold``. Without such a side, or with a `RANDOM` judge, it has no result.

    A lead is the heuristic's expected score, from -1 to 1, by the mean of both players' weights. The winner's drama is
    the mean square root of the opponent's lead, over the plies with such a lead, and the largest lead. Source: C.
    Browne, "Automatic Generation and Evaluation of Recombination Games", 2008, drama and lead change.
    """
    seed, line, moves, rng = block.seeds[game], block.lines[game], block.moves, block.rng
    record, counts, played, trace = block.records[game], block.counts[game], block.opening[game], block.traces[game]
    state, before, max_plies = block.buffers[0], block.buffers[1], block.max_plies
    rng[0] = mix(seed ^ S1)
    salt_first, salt_second = mix(seed ^ S2), mix(seed + S2)
    counting = contract.counts_positions(rules)
    if counting:
        clear_positions(ws)
    ws.searches[:] = 0
    contract.start(rules, state)
    counts[:] = 0
    played[:] = -1
    plies = 0
    turns = 0
    last_seat = -1
    swapped, may_swap = 0, rules.swap > 0
    legal = 0.0
    counted_plies = 0
    game_hash = np.uint64(0)
    traced = first.kind != RANDOM or second.kind != RANDOM
    leader, changes = 0, 0
    # Each seat's leads: number of plies, sum of roots, maximum.
    plies_first, roots_first, most_first = 0, 0.0, 0.0
    plies_second, roots_second, most_second = 0, 0.0, 0.0
    while True:
        side = contract.seat(rules, state)
        count = count_position(ws, contract.key(rules, state)) if counting else 1
        move = -1
        line_move = line[plies] if plies < line.shape[0] else -1
        mover = side ^ swapped
        player = first if mover == 0 else second
        offered = may_swap and side == 1 and plies >= rules.swap
        # A random player needs no list of moves, which is only made at intervals to count them.
        may_sample = player.kind == RANDOM and player.style == 0 and plies % COUNT_EVERY != 0 and not offered
        if may_sample and line_move < 0 and plies < max_plies:
            result, termination = contract.outcome(rules, state, 1)
            if result == contract.ONGOING:
                result, termination = contract.repetition(rules, state, count)
            if termination == 0:
                move = contract.sample_move(rules, state, rng)
        if move < 0:
            n = contract.legal_moves(rules, state, moves)
            result, termination = contract.outcome(rules, state, n)
            if result == contract.ONGOING:
                result, termination = contract.repetition(rules, state, count)
            if result == contract.ONGOING and plies >= max_plies:
                termination = contract.CAP
                if judge.kind != RANDOM:
                    # A separate salt keeps the judge from using the players' table entries.
                    score = expected_score(rules, state, moves, n, judge, weights[2], ws, mix(seed + S1), rng)
                    if abs(score) >= block.threshold:
                        result, termination = contract.FIRST if score > 0 else contract.SECOND, contract.ADJUDICATED
            if termination != 0:
                break
            if player.kind != RANDOM or plies % COUNT_EVERY == 0:
                legal += n
                counted_plies += 1
            if offered:
                may_swap = False
                from_line = line.shape[0] >= rules.swap and line[rules.swap - 1] >= 0
                may_choose = line_move < 0 and not from_line and plies + 1 < max_plies
                if may_choose and wants_to_swap(rules, state, moves, n, player, weights[1], ws, salt_second, rng):
                    line_move = contract.SWAP
                if line_move == contract.SWAP:
                    swapped, mover, player = 1, 0, first
                    if plies < played.shape[0]:
                        played[plies] = contract.SWAP
                    game_hash = mix(game_hash ^ np.uint64(contract.SWAP + 1))
                    plies += 1
                    line_move = line[plies] if plies < line.shape[0] else -1
            if line_move >= 0:
                move = line_move if move_index(line_move, moves, n) < n else -1
                if move < 0:
                    termination = ILLEGAL
                    break
            else:
                salt = salt_first if mover == 0 else salt_second
                if may_swap and mover == 0:
                    move = choose_even(rules, state, moves, n, player, weights[0], ws, salt, rng)
                else:
                    move = choose(rules, state, moves, n, player, weights[mover], ws, salt, rng)
        if side != last_seat:
            turns += 1
            last_seat = side
        copy(state, before)
        # Moves have the type of move lists, so that the kernel is compiled for one type.
        contract.play(rules, state, contract.MOVE(move))
        contract.events(rules, before, contract.MOVE(move), state, counts)
        if plies < played.shape[0]:
            played[plies] = move
        game_hash = mix(game_hash ^ np.uint64(move + 1))
        plies += 1
        if traced:
            if first.learned != 0 or second.learned != 0:
                value = 0.5 * heuristic(rules, state, first, weights[0], ws)
                value += 0.5 * heuristic(rules, state, second, weights[1], ws)
            else:
                contract.features(rules, state, ws.features)
                value = 0.0
                for i in range(ws.features.shape[0]):
                    value += 0.5 * (weights[0, i] + weights[1, i]) * ws.features[i]
            lead = win_score(value)
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
    record[RESULT] = result
    if swapped != 0 and result in (contract.FIRST, contract.SECOND):
        record[RESULT] = contract.FIRST + contract.SECOND - result
    record[SWAPPED] = swapped
    record[TERMINATION] = termination
    record[PLIES] = plies
    record[TURNS] = turns
    if traced:
        trace[LEAD_CHANGES] = changes
        if result == contract.FIRST:
            trace[DRAMA] = roots_second / plies_second if plies_second > 0 else 0.0
            trace[DRAMA_MAX] = most_second
        elif result == contract.SECOND:
            trace[DRAMA] = roots_first / plies_first if plies_first > 0 else 0.0
            trace[DRAMA_MAX] = most_first
    return (legal / counted_plies if counted_plies > 0 else 0.0), game_hash


@njit
def _play_block(rules: Any, first: Any, second: Any, judge: Any, weights: Any, ws: Any, block: Any) -> None:
    for game in range(block.seeds.shape[0]):
        block.legal[game], block.hashes[game] = _play_game(rules, first, second, judge, weights, ws, block, game)


def make_rules(game: str, codes: Codes) -> Any:
    """Return the ``Rules`` tuple of a variant from its family's name and its toggle codes.

    Every field is a plain int, or an int64 array if the code is a tuple, because a bool or a NumPy integer would
    compile the kernel a second time.

    Raises:
        TypeError: the codes are not a mapping.
        ValueError: a toggle has no code, or a code has no toggle.
    """
    rules = importlib.import_module(f"workbench.games.{game}.kernel").Rules
    if not isinstance(codes, Mapping):
        raise TypeError(f"the rules of {game} are given by the names of their toggles, not as {codes!r}")
    problems = [tr("{name} has no code", name=name) for name in rules._fields if name not in codes]
    for name in codes:
        if name not in rules._fields:
            similar = difflib.get_close_matches(name, rules._fields, 1)
            problems.append(
                tr("there is no toggle {name} (did you mean {near}?)", name=name, near=similar[0])
                if similar
                else tr("there is no toggle {name}", name=name)
            )
    if problems:
        raise ValueError(tr("the rules of {game}: {problems}", game=game, problems=SEMICOLON.join(problems)))
    return rules(**{name: np.array(c, np.int64) if isinstance(c, tuple) else int(c) for name, c in codes.items()})


def _compiled_arguments(block: BlockArguments) -> tuple[Any, ...]:
    """Return the arguments of `_play_block`, including memory for players and records."""
    rules, n, max_plies = make_rules(block.game, block.codes), len(block.seeds), int(block.max_plies)
    judge, threshold = block.judge or (random_player(len(block.first.weights)), 1.0)
    players = block.first, block.second, judge
    ws = prepare_workspace(rules, max_plies, *players)
    memory = _Block(
        np.asarray(block.seeds, np.uint64),
        np.zeros((n, 0), np.int32) if block.lines is None else np.ascontiguousarray(block.lines, np.int32),
        max_plies,
        2.0 * float(threshold) - 1.0,
        buffers=np.zeros((2, contract.state_size(rules)), np.int64),
        moves=np.zeros(contract.max_moves(rules), np.int32),
        rng=np.zeros(1, np.uint64),
        records=np.zeros((n, 5), np.int32),
        legal=np.zeros(n, np.float64),
        hashes=np.zeros(n, np.uint64),
        counts=np.zeros((n, contract.event_count(rules)), np.int32),
        opening=np.zeros((n, block.keep), np.int32),
        traces=np.full((n, len(NUMBERS)), np.nan),
    )
    return rules, *(player.agent for player in players), weight_rows(rules, ws, *players), ws, memory


def run_block(block: BlockArguments) -> dict[str, Any]:
    """Play one game per seed and return the records as arrays with one entry per game.

    ``result`` (by seats, whichever sides they played) and ``termination`` are int8. ``plies``, ``turns`` and
    ``swapped`` (1 if the second player took the first side) are int32. ``legal_moves`` is float64, a mean over counted
    plies. ``game_hash`` is a uint64 hash of all moves. ``events`` (games × counters) and ``opening`` (games × moves,
    padded with -1) are int32. ``nodes`` is one int64, the number of positions searched. The `NUMBERS` are float64, NaN
    for games between random players and for the drama of a game without a winner.

    Raises:
        ValueError: a line has an illegal move.
    """
    *_, ws, played = arguments = _compiled_arguments(block)
    _play_block(*arguments)
    records = played.records
    if (wrong := records[:, TERMINATION] == ILLEGAL).any():
        game_number = int(np.argmax(wrong))
        ply = int(records[game_number, PLIES]) + 1
        raise ValueError(tr("game {game_number}: illegal move at ply {ply}", game_number=game_number, ply=ply))
    return {
        "result": records[:, RESULT].astype(np.int8),
        "termination": records[:, TERMINATION].astype(np.int8),
        "plies": records[:, PLIES].copy(),
        "turns": records[:, TURNS].copy(),
        "swapped": records[:, SWAPPED].copy(),
        "legal_moves": played.legal,
        "game_hash": played.hashes,
        "events": played.counts,
        "opening": played.opening,
        **{number.name: played.traces[:, index].copy() for index, number in enumerate(NUMBERS)},
        "nodes": ws.nodes,
    }


# Compiling ahead


def _smallest_block(game: str, codes: Codes) -> BlockArguments:
    player = random_player(contract.feature_count(make_rules(game, codes)))
    return BlockArguments(game, codes, player, player, np.zeros(1, np.uint64), 1)


def _compile_players(block: BlockArguments, kinds: Collection[int]) -> None:
    players = [block.first._replace(agent=block.first.agent._replace(kind=kind)) for kind in kinds]
    prepare_workspace(make_rules(block.game, block.codes), 1, *players)


def warm_up(game: str, codes: Codes, kinds: Collection[int] = tuple(SEARCHES)) -> bool:
    """Compile or load all code for games between players of the given kinds; return whether anything was compiled."""
    block = _smallest_block(game, codes)
    run_block(block)
    _compile_players(block, kinds)
    if jit.DISABLED:
        return False
    compiled: list[Any] = [_play_block, *(FUNCTIONS[kind] for kind in kinds if kind != RANDOM)]
    compiled += contract.kernel_functions(type(make_rules(game, codes))).values()
    return any(sum(function.stats.cache_misses.values()) for function in compiled)


def compiled_parts(game: str, codes: Codes, kinds: Collection[int]) -> list[str | int]:
    """Return the parts of the code for games between some kinds of players, slowest first, for parallel compiling.

    A part is the name of a kernel function, the number of a kind of player, or `BLOCK`.
    """
    generics: dict[Any, Any] = {}  # a kernel may use one function for two purposes
    unused = () if any(SEARCHES[kind].worth for kind in kinds) else contract.RARELY_CALLED
    for generic, function in contract.kernel_functions(type(make_rules(game, codes))).items():
        if generic not in (*unused, contract.pack, contract.unpack):
            generics.setdefault(function, generic)
    large = [contract.kernel_name(g) for g in generics.values() if g in contract.SEPARATE or g is contract.legal_moves]
    others = [name for name in map(contract.kernel_name, generics.values()) if name not in large]
    return [*large, *(kind for kind in kinds if kind != RANDOM), BLOCK, *others]


def compile_part(game: str, codes: Codes, part: str | int) -> None:
    """Compile one of the `compiled_parts` for other processes; this process can then no longer run the game."""
    block, rules = _smallest_block(game, codes), jit.typeof(make_rules(game, codes))
    contract.link_to_dummies(rules)
    if part == BLOCK:
        _play_block.compile(tuple(map(jit.typeof, _compiled_arguments(block))))  # type: ignore[attr-defined]
    elif isinstance(part, int):
        _compile_players(block, [part])
    else:
        contract.compile_function(rules, part)


# Replaying


@njit
def _follow(rules: Any, lines: Any, state: Any, before: Any, counts: Any, ids: Any, seats: Any, changes: Any) -> None:
    column = 0
    for game in range(lines.shape[0]):
        contract.start(rules, state)
        counts[:] = 0
        swapped = 0
        for ply in range(lines.shape[1]):
            if lines[game, ply] < 0:
                break
            seats[column] = contract.seat(rules, state) ^ swapped
            copy(state, before)
            for i in range(ids.shape[0]):
                changes[i, column] = -counts[ids[i]]
            if lines[game, ply] == contract.SWAP:
                swapped = 1
            else:
                contract.play(rules, state, contract.MOVE(lines[game, ply]))
                contract.events(rules, before, contract.MOVE(lines[game, ply]), state, counts)
            for i in range(ids.shape[0]):
                changes[i, column] += counts[ids[i]]
            column += 1


def follow(game: str, codes: Codes, lines: Any, counters: Any) -> tuple[Any, Any]:
    """Replay games; return the player who moved and the changes in event counters at each ply, concatenated.

    ``lines`` (int32, games × plies, padded with -1) are legal moves, and ``counters`` has the counters' indices. The
    results are int8 (plies) and int32 (counters × plies).
    """
    rules = make_rules(game, codes)
    plies = int(np.count_nonzero(lines >= 0))
    state, counts = np.zeros(contract.state_size(rules), np.int64), np.zeros(contract.event_count(rules), np.int32)
    seats, changes = np.zeros(plies, np.int8), np.zeros((len(counters), plies), np.int32)
    lines, counters = np.ascontiguousarray(lines, np.int32), np.asarray(counters, np.int64)
    _follow(rules, lines, state, state.copy(), counts, counters, seats, changes)
    return seats, changes


@njit
def _walk(rules: Any, line: Any, states: Any, legal: Any, counts: Any) -> None:
    contract.start(rules, states[0])
    for ply in range(states.shape[0]):
        counts[ply] = contract.legal_moves(rules, states[ply], legal[ply])
        if ply + 1 < states.shape[0]:
            copy(states[ply], states[ply + 1])
            if line[ply] != contract.SWAP:
                contract.play(rules, states[ply + 1], contract.MOVE(line[ply]))


def walk(game: str, codes: Codes, line: Any) -> tuple[Any, Any, Any]:
    """Return the states before each ply of a line of legal moves, their legal moves (without `SWAP`) and move counts.

    States are int64 (plies × words), moves int32 (plies × `contract.max_moves`), counts int32.
    """
    rules, line = make_rules(game, codes), np.ascontiguousarray(line, np.int32)
    states = np.zeros((len(line), contract.state_size(rules)), np.int64)
    legal, counts = np.zeros((len(line), contract.max_moves(rules)), np.int32), np.zeros(len(line), np.int32)
    _walk(rules, line, states, legal, counts)
    return states, legal, counts


# Single moves


@njit
def _advise(
    rules: Any, agent: Any, weights: Any, seed: Any, plies: int, later: Any, ws: Any, state: Any, moves: Any, rng: Any,
    swapped: int, swap: int,
) -> int:  # fmt: skip
    """Play the moves ``later`` from ``state`` and return the agent's next move, chosen as in `_play_game`.

    ``plies`` is the ply of ``state``; ``swapped`` is 1 after a swap; ``swap`` is `CLOSED`, `OPEN` or `OFFERED`.
    """
    counting = contract.counts_positions(rules)
    if counting and plies == 0:
        count_position(ws, contract.key(rules, state))
    for ply in range(later.shape[0]):
        if later[ply] == contract.SWAP:
            continue
        contract.play(rules, state, later[ply])
        if counting:
            count_position(ws, contract.key(rules, state))
    plies += later.shape[0]
    may_sample = agent.kind == RANDOM and agent.style == 0 and plies % COUNT_EVERY != 0
    # If a swap is offered or was just made, `_play_game` lists the moves, too.
    if may_sample and swap != OFFERED and (later.shape[0] == 0 or later[later.shape[0] - 1] != contract.SWAP):
        move = contract.sample_move(rules, state, rng)
        if move >= 0:
            return move
    n = contract.legal_moves(rules, state, moves)
    if n == 0:
        return -1
    mover = contract.seat(rules, state) ^ swapped
    salt = mix(seed ^ S2) if mover == 0 else mix(seed + S2)
    if swap == OFFERED and wants_to_swap(rules, state, moves, n, agent, weights, ws, salt, rng):
        return contract.SWAP
    if swap == OPEN and mover == 0:
        return choose_even(rules, state, moves, n, agent, weights, ws, salt, rng)
    return choose(rules, state, moves, n, agent, weights, ws, salt, rng)


class Adviser:
    """An agent that plays one game move by move, against a person or an external player.

    It chooses the same moves as in `run_block` if the seed and the opponent's moves are the same, and the opponent
    draws no random numbers and fills no table. If moves are taken back, it repeats its earlier answers. In a new
    position it continues with an empty table and the random state that followed the remaining moves.
    """

    def __init__(self, game: str, codes: Codes, player: Player, seed: int, max_plies: int, initial: Any = None) -> None:
        """Prepare a game of at most ``max_plies`` plies from the state ``initial``, by default the initial position.

        Answers depend only on the moves and the seed.
        """
        self._rules = make_rules(game, codes)
        self._player = player
        self._max_plies = max_plies
        self._seed = np.uint64(seed)
        self._begin = np.zeros(contract.state_size(self._rules), np.int64)
        if initial is None:
            contract.start(self._rules, self._begin)
        else:
            self._begin[:] = initial
        self._moves = np.zeros(contract.max_moves(self._rules), np.int32)
        self._answers: dict[tuple[int, ...], tuple[int, int]] = {}
        """The answer after a sequence of moves, and the random state at that time."""
        self._restart(())
        self._weights = weight_rows(self._rules, self._memory, player)[0]

    def _restart(self, played: tuple[int, ...]) -> None:
        """Start over with the random state after the last answer to a proper prefix of ``played``."""
        self._memory = prepare_workspace(self._rules, self._max_plies, self._player)
        self._state = self._begin.copy()
        self._played: tuple[int, ...] = ()
        prefix = next((played[:ply] for ply in reversed(range(len(played))) if played[:ply] in self._answers), None)
        random_state = mix(self._seed ^ S1) if prefix is None else self._answers[prefix][1]
        self._rng = np.full(1, random_state, np.uint64)

    def choose(self, played_moves: Sequence[int], swap: int = CLOSED) -> int:
        """Return the agent's move after all moves of the game so far, or -1 if there is no legal move.

        ``swap`` is `CLOSED`, `OPEN` or `OFFERED`; if a swap is offered, the answer may be `SWAP`.
        """
        played = tuple(played_moves)
        if played not in self._answers:
            previous = len(self._played)
            if played[:previous] != self._played:
                self._restart(played)
                previous = 0
            later, swapped = np.array(played[previous:], np.int32), int(contract.SWAP in played)
            agent, memory, state, moves, rng = self._player.agent, self._memory, self._state, self._moves, self._rng
            move = _advise(
                self._rules, agent, self._weights, self._seed, previous, later, memory, state, moves, rng, swapped, swap
            )
            self._played = played
            self._answers[played] = int(move), int(rng[0])
        return self._answers[played][0]


def best_move(
    game: str, codes: Codes, player: Player, seed: int, played_moves: Sequence[int], initial: Any = None
) -> int:
    """Return the move that an `Adviser` chooses after ``played_moves``."""
    return Adviser(game, codes, player, seed, len(played_moves) + 1, initial).choose(played_moves)
