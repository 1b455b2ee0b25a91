"""Laws of rulesets, checked on kernel and notation in the positions of a random game and in complete games."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from workbench import games, report
from workbench.base.errors import InputError, NotCompiled, WorkbenchError, error_text, error_with_line, one_line
from workbench.base.language import tr
from workbench.engine import contract, jit, trials
from workbench.engine.folds import SAME, apply_symmetry
from workbench.engine.players import BlockArguments
from workbench.experiments.experiment import experiment_from_values
from workbench.games.declaration import NO_SWAP
from workbench.games.results import all_endings
from workbench.players.agent_kinds import KINDS, AgentKind
from workbench.players.agents import AgentSpec
from workbench.players.judgement import Search
from workbench.positions.game_state import GameState, IllegalMove, apply_ply, count_events, without_swap
from workbench.rules.rulesets import Ruleset
from workbench.runs import runner

LONGEST_WALK = 60
"""Maximum number of plies in a random game."""


def _quick_agent(kind: AgentKind) -> AgentSpec:
    """Return a fast agent, which makes random errors if it evaluates moves without a limit of depth."""
    options: dict[str, Any] = {"depth": {"depth": 1}, "nodes": {"nodes": 100}}.get(kind.size, {})
    return AgentSpec.of(kind.name, **options, epsilon=0.1 if kind.evaluates and kind.size != "depth" else 0.0)


PLAYING = [kind for kind in KINDS.values() if not kind.solved]
"""The kinds of players that need no solved game."""
PLAYERS = {kind.name: _quick_agent(kind) for kind in PLAYING} | {"alphabeta-2": AgentSpec.of("alphabeta", depth=2)}
"""One player of each kind, and a search that uses its transposition table."""
PAIRINGS = {
    (stronger.name, weaker.name): {"": (4, 200), "depth": (2, 60)}.get(stronger.size, (1, 30))
    for weaker, stronger in itertools.pairwise(PLAYING)
}
"""The number of games of each player against the next weaker one, and their cap in plies."""

PLAN = {("random", "random"): (4, 150), ("random", "greedy"): (2, 200), **PAIRINGS}
"""The number of checked games and their cap in plies, by pair of players."""
PLAIN_PLAN = {("random", "random"): (2, 150), ("greedy", "random"): (2, 60), ("alphabeta", "best-first"): (1, 10)}
"""`PLAN` for use without machine code."""


class Broken(Exception):
    """Raised if a law is broken; the text is the finding."""


class WrongAnswer(Broken):
    """Raised if a return value is invalid for a function with any arguments."""


class Position(NamedTuple):
    """A position of a game."""

    state: Any
    legal: list[int]
    moves: tuple[str, ...]
    """The moves from the start in the family's notation."""


@dataclass(frozen=True)
class Breach:
    """A breach of a law, with the position or game that shows it."""

    law: str
    """The name of the law."""
    ruleset: str
    """The ruleset; "" if the breach is in the family's files."""
    finding: str
    """The fault as a sentence."""
    seed: int
    players: str = ""
    """The two agents of the game; "" for a random game of the checks."""
    moves: tuple[str, ...] | None = None
    """The moves that led to the position; None if the breach concerns no position."""


class Subject:
    """A ruleset to check; the seed determines all games."""

    def __init__(self, ruleset: Ruleset, seed: int = 0) -> None:
        self.ruleset, self.seed = ruleset, seed
        self.game = ruleset.game
        self.codes = ruleset.codes()
        self.declaration = games.declaration(self.game)
        self.at: tuple[int, str, tuple[str, ...] | None] = (seed, "", None)
        """The seed, the players and the moves of the position being checked."""

    @functools.cached_property
    def rules(self) -> Any:
        """The kernel's rules."""
        return trials.make_rules(self.game, self.codes)

    def new_game(self) -> GameState:
        """Return a game from the start."""
        return GameState(self.game, self.codes)

    def legal_moves(self, state: Any) -> list[int]:
        """Return the legal moves of a position in the kernel's order."""
        # The array has room for two moves more than max_moves, to detect kernels that need them.
        moves = np.full(int(contract.max_moves(self.rules)) + 2, -7, np.int32)
        legal: list[int] = moves[: contract.legal_moves(self.rules, state, moves)].tolist()
        if wrong := [move for move in legal if move < 0 or move == contract.SWAP]:
            message = tr("legal_moves lists {move}; moves are non-negative integers other than {swap}")
            raise WrongAnswer(message.format(move=wrong[0], swap=contract.SWAP))
        return legal

    def after_move(self, state: Any, move: int) -> Any:
        """Return the position after a move."""
        after = state.copy()
        apply_ply(self.rules, after, move)
        return after

    def text(self, position: Position, move: int) -> str:
        """Return a move in the family's notation."""
        return str(games.notation(self.game).format_move(self.rules, position.state, move))

    @functools.cached_property
    def walk(self) -> list[Position]:
        """The positions of a random game up to its end under the rules."""
        rng = random.Random(f"{self.ruleset.name} {self.seed}")
        game_state = self.new_game()
        positions = []
        for _ in range(LONGEST_WALK):
            self.at = self.seed, "", tuple(game_state.texts)
            legal = self.legal_moves(game_state.state)
            positions.append(Position(game_state.state.copy(), legal, tuple(game_state.texts)))
            if game_state.outcome()[0] != contract.ONGOING:
                break
            if not legal:
                raise Broken(tr("no move is legal, but the game continues: outcome(rules, state, 0) must end it"))
            game_state.push(rng.choice(sorted(legal)))
        return positions

    def positions(self, selection: slice = slice(None)) -> Iterator[Position]:
        """Yield positions of the random game, recording each in ``at``."""
        for position in self.walk[selection]:
            self.at = self.seed, "", position.moves
            yield position

    def block(self, first: str, second: str, seeds: list[int], max_plies: int) -> dict[str, Any]:
        """Return a block of games with complete move lists."""
        players = [PLAYERS[player].player(self.declaration) for player in (first, second)]
        seed_array = np.array(seeds, np.uint64)
        return trials.run_block(
            BlockArguments(self.game, self.codes, players[0], players[1], seed_array, max_plies, keep=max_plies)
        )

    @functools.cached_property
    def blocks(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Games of every kind of player, by pair of players."""
        by_pair = {}
        for pair, (count, plies) in (PLAIN_PLAN if jit.DISABLED else PLAN).items():
            self.at = self.seed, " ".join(pair), None
            by_pair[pair] = self.block(*pair, [self.seed + i for i in range(count)], plies)
        return by_pair

    def replayed(self) -> Iterator[tuple[GameState, dict[str, Any]]]:
        """Yield every game of the players, replayed by `GameState`, with its record."""
        for pair, arrays in self.blocks.items():
            for i in range(len(arrays["result"])):
                game_state = self.new_game()
                for move in arrays["opening"][i][arrays["opening"][i] >= 0]:
                    self.at = self.seed + i, " ".join(pair), tuple(game_state.texts)
                    if move not in game_state.legal():
                        raise Broken(tr("a player made the illegal move {move}", move=int(move)))
                    game_state.push(move)
                self.at = self.seed + i, " ".join(pair), tuple(game_state.texts)
                yield game_state, {column: values[i] for column, values in arrays.items() if column != "nodes"}

    def breach(self, law: str, check: Callable[[Subject], None]) -> Breach | None:
        """Return the breach of a law, or None if it holds."""
        self.at = self.seed, "", None
        try:
            check(self)
        except Broken as broken:
            law = "answers" if isinstance(broken, WrongAnswer) else law
            return Breach(law, self.ruleset.name, str(broken), *self.at)
        except Exception as error:  # a family's code may raise anything
            return Breach(law, self.ruleset.name, describe_error(error, games.folder(self.game)), *self.at)
        return None


@dataclass(frozen=True)
class Law:
    """A law of every game."""

    name: str
    sentence: str
    check: Callable[[Subject], None] | None = None
    """Raises `Broken` if a ruleset breaks the law; None for laws of a family's files or of two processes."""


RULESETS: list[Law] = []
"""The laws of rulesets in the order of their checks."""
_Check = Callable[..., None]


def law(name: str, sentence: str) -> Callable[[_Check], _Check]:
    """Return a decorator that registers a function as the check of a law."""

    def register(check: _Check) -> _Check:
        RULESETS.append(Law(name, sentence, check))
        return check

    return register


def same_games(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Return True if two blocks have the same games, regardless of node counts; NaN equals NaN."""
    return all(
        np.array_equal(first[column], second[column], equal_nan=first[column].dtype.kind == "f")
        for column in first
        if column != "nodes"
    )


def describe_error(error: BaseException, folder: Path) -> str:
    """Describe an exception in one line, with the last line of the family's code in its traceback."""
    translated = error if isinstance(error, WorkbenchError) else NotCompiled.of(error)
    return error_text(translated) if translated else error_with_line(error, folder) or one_line(error)


@law("distinct_moves", tr("Each legal move is listed once, always in the same order, and max_moves is large enough."))
def check_move_list(subject: Subject) -> None:
    rules, limit = subject.rules, int(contract.max_moves(subject.rules))
    for position in subject.positions():
        if len(position.legal) >= limit:
            message = tr("{count} moves are legal, but max_moves is {most}; it must exceed every possible count")
            raise Broken(message.format(count=len(position.legal), most=limit))
        for move in position.legal:
            if position.legal.count(move) > 1:
                raise Broken(tr("{subject} is listed twice", subject=subject.text(position, move)))
        if subject.legal_moves(position.state.copy()) != position.legal:
            raise Broken(tr("listing the legal moves twice gives different moves or a different order"))
        count = contract.count_moves(rules, position.state.copy(), np.zeros(limit, np.int32))
        if count != len(position.legal):
            message = tr("count_moves returns {counted}, but {listed} moves are listed")
            raise Broken(message.format(counted=count, listed=len(position.legal)))


@law("no_change", tr("Queries leave a position unchanged."))
def check_queries(subject: Subject) -> None:
    rules = subject.rules
    moves = np.zeros(int(contract.max_moves(rules)), np.int32)
    out = np.zeros(int(contract.feature_count(rules)))
    for position in subject.positions():
        state = position.state.copy()
        for name, query in (
            ("legal_moves", lambda state: contract.legal_moves(rules, state, moves)),
            ("tactical_moves", lambda state: contract.tactical_moves(rules, state, moves)),
            ("followed_moves", lambda state: contract.followed_moves(rules, state, moves)),
            ("quiet", lambda state: contract.quiet(rules, state, moves)),
            ("outcome", lambda state: contract.terminal(rules, state, moves)),
            ("seat", lambda state: contract.seat(rules, state)),
            ("key", lambda state: contract.key(rules, state)),
            ("features", lambda state: contract.features(rules, state, out)),
            ("sample_move", lambda state: contract.sample_move(rules, state, np.ones(1, np.uint64))),
        ):
            if name != "sample_move" or position.legal:
                query(state)
            if not np.array_equal(state, position.state):
                raise Broken(tr("{name} modifies the position", name=name))


@law("same_move", tr("A move always changes a position in the same way and has no other effects."))
def check_moves(subject: Subject) -> None:
    rules = subject.rules
    counts = np.zeros(int(contract.event_count(rules)), np.int32)
    for position in subject.positions():
        parent = position.state.copy()
        for move in position.legal[:: 1 + len(position.legal) // 8]:
            child = subject.after_move(parent, move)
            if np.array_equal(child, parent):
                raise Broken(tr("{subject} changes nothing", subject=subject.text(position, move)))
            if not np.array_equal(child, subject.after_move(parent, move)):
                message = tr("{subject}, played twice from the same position, leads to different positions")
                raise Broken(message.format(subject=subject.text(position, move)))
            count_events(rules, parent, move, child.copy(), counts)
            if not np.array_equal(parent, position.state):
                raise Broken(tr("events modifies the position before {subject}", subject=subject.text(position, move)))


@law("keys", tr("Different positions after a move have different keys."))
def check_keys(subject: Subject) -> None:
    # Two moves may lead to the same position, as when a pawn on b7 captures one of its own pawns on a6 and c6.
    for position in subject.positions(slice(None, None, 5)):
        by_key: dict[int, tuple[int, bytes]] = {}
        for move in position.legal:
            after = subject.after_move(position.state, move)
            key = int(contract.key(subject.rules, after))
            other, content = by_key.setdefault(key, (move, after.tobytes()))
            if content != after.tobytes():
                first, second = subject.text(position, other), subject.text(position, move)
                raise Broken(tr("key is the same after {first} and {second}", first=first, second=second))


@law("folds", tr("Each fold of units maps a hex board's cells, neighbours and goals onto themselves."))
def check_folds(subject: Subject) -> None:
    board, last = subject.new_game().board(), int(contract.board_size(subject.rules)) - 1
    places = ((x, y) for y, row in enumerate(board.cells) for x in range(len(row)) if (y, x) not in board.outside)
    cells = frozenset((2 * x - last, 2 * y - last) for x, y in places)
    neighbours = frozenset({(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)})
    # The cells of each edge share a row or a column.
    edges = [frozenset(cell for cell in cells if cell[axis] == end)
             for axis, end in ((1, -last), (0, last), (1, last), (0, -last))]  # fmt: skip
    goals = [{edge for edge, goal in zip(edges, board.goals, strict=True) if goal == seat} for seat in range(2)]
    fixed = [{cells}, {neighbours}]
    # Seats with different numbers of goals cannot exchange them.
    exchanged = [*fixed, *(goals[::-1] if len(goals[0]) == len(goals[1]) else ())]
    for unit in subject.declaration.units if board.hexagonal else ():
        required = [(symmetry, [*fixed, *goals]) for symmetry in unit.fold.symmetries]
        required += [(unit.fold.second, exchanged)] if unit.fold.second != SAME else []
        for symmetry, images in required:
            for parts, image in zip([*fixed, *goals], images, strict=False):
                if {frozenset(apply_symmetry(symmetry, *cell) for cell in part) for part in parts} != image:
                    text = tr("the fold of {unit} changes the board's cells, neighbours or goals", unit=unit.name)
                    raise Broken(text)


@law("samples", tr("sample_move draws a legal move, or -1."))
def check_samples(subject: Subject) -> None:
    rng = np.array([1], np.uint64)
    for position in subject.positions():
        if contract.outcome(subject.rules, position.state, len(position.legal))[0] == contract.ONGOING:
            for _ in range(20):
                move = int(contract.sample_move(subject.rules, position.state, rng))
                if move not in (*position.legal, -1):
                    raise Broken(tr("sample_move draws the illegal move {move}", move=move))


@law(
    "features",
    tr(
        "features writes every value; tactical_moves lists only legal moves, and all of them "
        "unless the search may stop."
    ),
)
def check_features(subject: Subject) -> None:
    rules = subject.rules
    moves = np.zeros(int(contract.max_moves(rules)), np.int32)
    for position in subject.positions():
        out = np.full(int(contract.feature_count(rules)), np.nan)
        contract.features(rules, position.state, out)
        for feature, value in zip(subject.declaration.features, out, strict=True):
            if not np.isfinite(value):
                raise Broken(tr("features writes no value for {feature}", feature=feature.name))
        n, may_stop = contract.tactical_moves(rules, position.state, moves)
        listed_moves = {int(move) for move in moves[:n]}
        if not listed_moves <= set(position.legal):
            raise Broken(tr("tactical_moves lists an illegal move"))
        if not may_stop and listed_moves != set(position.legal):
            raise Broken(tr("tactical_moves omits legal moves although the search may not stop"))


@law("units", tr("units writes only units of declared kinds, each on a cell of the board."))
def check_units(subject: Subject) -> None:
    kinds, size = len(subject.declaration.units), int(contract.board_size(subject.rules))
    packed_units = np.zeros(contract.MOST_UNITS, np.int64)
    for position in subject.positions():
        for unit in packed_units[: contract.units(subject.rules, position.state, packed_units)].tolist():
            kind, cell = contract.unit_kind(unit), contract.unit_cell(unit)
            y, x = cell >> 5, cell & 31
            if kind >= kinds or (max(y, x) >= size and cell != contract.HAND):
                raise Broken(tr("units writes a unit of kind {kind} on row {y}, column {x}", kind=kind, y=y, x=x))


@law(
    "followed",
    tr("followed_moves adds legal moves to the tactical ones, and agrees with quiet on whether a search may stop."),
)
def check_followed_moves(subject: Subject) -> None:
    rules = subject.rules
    moves = np.zeros(int(contract.max_moves(rules)), np.int32)
    for position in subject.positions():
        n, stops = contract.tactical_moves(rules, position.state, moves)
        tactical = {int(move) for move in moves[:n]}
        n, also_stops = contract.followed_moves(rules, position.state, moves)
        followed = [int(move) for move in moves[:n]]
        if len(set(followed)) != n or not set(followed) <= set(position.legal):
            raise Broken(tr("followed_moves lists a move twice, or an illegal one"))
        if not tactical <= set(followed):
            raise Broken(tr("followed_moves omits a tactical move"))
        if also_stops != stops or contract.quiet(rules, position.state, moves) != stops:
            raise Broken(tr("tactical_moves, followed_moves and quiet disagree on whether a search may stop"))


@law("ends_seen", tr("The end of a game is detected with and without a list of moves."))
def check_endings(subject: Subject) -> None:
    rules = subject.rules
    moves = np.zeros(int(contract.max_moves(rules)), np.int32)
    for position in subject.positions(slice(-1 if jit.DISABLED else -12, None)):
        for state in [position.state, *(subject.after_move(position.state, move) for move in position.legal)]:
            n, before = len(subject.legal_moves(state)), state.copy()
            expected = contract.outcome(rules, state, n)
            if contract.terminal(rules, state, moves) != expected:
                raise Broken(tr("outcome with has_move differs from outcome with the list of moves"))
            if expected[0] == contract.ONGOING and contract.has_move(rules, state, moves) != (n > 0):
                raise Broken(tr("has_move is wrong: {n} moves are listed", n=n))
            if not np.array_equal(state, before):
                raise Broken(tr("has_move or outcome changes the position"))


@law("texts", tr("Each legal move has a unique notation, which is parsed back to the same move."))
def check_notation(subject: Subject) -> None:
    notation = subject.new_game().notation
    for position in subject.positions(slice(None, None, 3)):
        by_text: dict[str, int] = {}
        for move in position.legal:
            text = notation.format_move(subject.rules, position.state, move)
            if text in by_text:
                raise Broken(tr("two legal moves are written '{written}'", written=text))
            by_text[text] = move
            if (parsed := notation.parse_move(subject.rules, position.state, text)) != move:
                message = tr("'{written}' is parsed as move {read} but was written for move {move}").format(
                    written=text, read=parsed, move=move
                )
                raise Broken(message)


@law("typed", tr("Every legal move can be typed as shown; any other move is rejected with a reason."))
def check_typed_moves(subject: Subject, plies: int = 40, sample_size: int = 8) -> None:
    game_state, rng = subject.new_game(), random.Random(f"{subject.ruleset.name} {subject.seed}")
    texts: list[str] = []
    while game_state.plies < plies and (legal := game_state.legal()):
        subject.at = subject.seed, "", tuple(game_state.texts)
        for text in ["?", *texts][-sample_size:]:
            game_state.why_not(text)
        texts += game_state.legal_texts()
        for move in legal if not sample_size else rng.sample(legal, min(len(legal), sample_size)):
            _check_typed_move(game_state, move)
            game_state.undo()
        _check_typed_move(game_state, rng.choice(legal))


@law("set_up", tr("set_up raises a ValueError for unknown keys."))
def check_set_up(subject: Subject) -> None:
    try:
        GameState(subject.game, subject.codes, {"no such thing": 1})
    except IllegalMove:
        return
    raise Broken(tr("set_up accepts an unknown key: it must raise a ValueError that states what it expects"))


@law("repetition", tr("A game ends by repetition only when a position recurs and counts_positions is True."))
def check_repetition(subject: Subject) -> None:
    rules = subject.rules
    for position in subject.positions(slice(None, None, 5)):
        ends = {n: contract.plain_repetition(rules, position.state, n)[0] for n in range(1, 12)}
        ends = {count: result for count, result in ends.items() if result != contract.ONGOING}
        if 1 in ends:
            raise Broken(tr("repetition ends the game when a position occurs for the first time (count 1)"))
        if ends and not contract.counts_positions(rules):
            raise Broken(tr("repetition ends the game at count {n} although counts_positions is not True", n=min(ends)))
        if contract.repetition_draws(rules) and {*ends.values()} - {contract.DRAW}:
            raise Broken(tr("repetition_draws is True, but a repetition can win the game: the solver would be wrong"))


def _check_typed_move(game_state: GameState, move: int) -> None:
    text = game_state.format(move)
    game_state.push_text(text)
    if game_state.played[-1] != move:
        message = tr("'{written}' is parsed as move {played} but was written for move {move}")
        raise Broken(message.format(written=text, played=game_state.played[-1], move=move))


@law("packed", tr("Packing and unpacking a state preserves its continuations."))
def check_packing(subject: Subject, plies: int = 60) -> None:
    """Raise `Broken` if a packed and unpacked state has another continuation, seat, outcome or key."""
    rng = np.random.default_rng(subject.seed)
    original = subject.new_game()
    rules = subject.rules
    for _ in range(plies):
        subject.at = subject.seed, "", tuple(original.texts)
        # Swaps of sides are not part of a position.
        if not (legal := without_swap(original.legal())):
            break
        copy = subject.new_game()
        packed = _packed(original)
        copy.state[:] = -1
        contract.unpack(rules, packed, copy.state)
        if _packed(copy).tobytes() != packed.tobytes():
            raise Broken(tr("a state packs differently after unpacking"))
        if sorted(map(int, copy.legal())) != sorted(map(int, legal)):
            raise Broken(tr("an unpacked state has different legal moves"))
        n = len(legal)
        for name, unpacked, expected in (
            ("seat", contract.seat(rules, copy.state), contract.seat(rules, original.state)),
            ("key", contract.key(rules, copy.state), contract.key(rules, original.state)),
            ("outcome", contract.outcome(rules, copy.state, n), contract.outcome(rules, original.state, n)),
        ):
            if unpacked != expected:
                raise Broken(tr("{name} returns a different value for an unpacked state", name=name))
        move = legal[int(rng.integers(n))]
        apply_ply(rules, copy.state, int(move))
        original.push(move)
        if _packed(copy).tobytes() != _packed(original).tobytes():
            raise Broken(tr("a move from an unpacked state leads to a state that packs differently"))


def _packed(game_state: GameState) -> np.ndarray:
    content = np.full(contract.packed_bytes(game_state.rules), 255, np.uint8)
    contract.pack(game_state.rules, game_state.state, content)
    return content


@law("records", tr("Players make legal moves, and the records of their games are correct."))
def check_records(subject: Subject) -> None:
    endings = all_endings(subject.declaration)
    for game_state, record in subject.replayed():
        _, termination = game_state.outcome()
        seats, counts = [], np.zeros_like(record["events"])
        for ply, move in enumerate(game_state.played):
            seats.append(contract.seat(game_state.rules, game_state.before(ply)))
            after = game_state.before(ply + 1)
            count_events(game_state.rules, game_state.before(ply), move, after, counts)
        turns = sum(a != b for a, b in zip([-1, *seats], seats, strict=False))
        for field, value, replayed in (
            ("plies", record["plies"], game_state.plies),
            ("result", record["result"], game_state.result),
            ("termination", endings[int(record["termination"])].name, termination or "cap"),
            ("turns", record["turns"], turns),
        ):
            if value != replayed:
                message = tr("{event}: {recorded} in the record, but {replayed} in a replay")
                raise Broken(message.format(event=field, recorded=value, replayed=replayed))
        if not np.array_equal(counts, record["events"]):
            raise Broken(tr("events counted in a replay differ from the record"))


@law("ends", tr("Every game ends with a declared ending or at the cap."))
def check_game_ends(subject: Subject) -> None:
    endings = all_endings(subject.declaration)
    for pair, arrays in subject.blocks.items():
        cap = arrays["opening"].shape[1]
        for i, (result, ending, plies, legal) in enumerate(
            zip(arrays["result"], arrays["termination"], arrays["plies"], arrays["legal_moves"], strict=True)
        ):
            subject.at = subject.seed + i, " ".join(pair), None
            if int(ending) not in endings:
                text = tr("a game ends with code {ending}, which the declaration does not define", ending=ending)
                raise Broken(text)
            if plies > cap or (ending == contract.CAP) != (result == contract.ONGOING):
                message = tr("a game of {plies} plies has result {result} and ending {ending}")
                raise Broken(message.format(plies=plies, result=result, ending=ending))
            if not legal > 0:
                raise Broken(tr("there was no legal move at the start"))


@law("finished", tr("A finished game stays finished until its last move is undone."))
def check_finished_games(subject: Subject) -> None:
    for game_state, record in subject.replayed():
        if record["result"] == contract.ONGOING or not game_state.played:
            continue
        before, last = game_state.outcome(), game_state.texts[-1]
        if game_state.legal():
            raise Broken(tr("the game is over, but moves are legal"))
        try:
            game_state.push_text(last)
            raise Broken(tr("a move is accepted after the end of the game"))
        except IllegalMove as refused:
            if tr("the game is over") not in str(refused):
                raise
        if record["termination"] != contract.REPETITION:
            if game_state.perft(1) or game_state.perft(2):
                raise Broken(tr("perft counts moves after the end of the game"))
            n = len(subject.legal_moves(game_state.state))
            outcome = contract.outcome(game_state.rules, game_state.state, n)
            again = contract.outcome(game_state.rules, game_state.state, n)
            if outcome != again or outcome[0] != before[0] or game_state.result != record["result"]:
                raise Broken(tr("outcome returns a different value when called again"))
        game_state.undo()
        if last not in game_state.legal_texts():
            raise Broken(tr("{last} ended the game, but is no longer legal after undo", last=last))


@law("seeds", tr("A game depends only on its seed."))
def check_seeds(subject: Subject) -> None:
    """Raise `Broken` if games depend on the size or order of their block, for every kind of player."""
    if jit.DISABLED:
        return  # it would take minutes
    seeds = [3, 1 << 63, 2, 0, 12345678901234567890]
    pairings = {pair: 40 if count > 1 else 16 for pair, (count, _) in PAIRINGS.items()}
    for (first, second), plies in {("random", "random"): 100, **pairings}.items():
        subject.at = subject.seed, f"{first} {second}", None
        together = subject.block(first, second, seeds, plies)
        parts = [subject.block(first, second, part[::-1], plies) for part in (seeds[4:], seeds[1:4], seeds[:1])]
        columns = [column for column in together if column != "nodes"]
        reassembled = {column: np.concatenate([part[column] for part in parts])[::-1] for column in columns}
        if not same_games(reassembled, together):
            raise Broken(tr("games with the same seeds differ when played in different blocks"))


@law("searches", tr("A search carries nothing over from earlier games."))
def check_searches(subject: Subject) -> None:
    if jit.DISABLED:
        return  # it would take minutes
    # This depth uses the transposition table, in which entries of an earlier game contain that game's noise.
    seeds = list(range(8))
    together = subject.block("alphabeta-2", "alphabeta-2", seeds, 6)
    for i in seeds:
        subject.at = i, "alphabeta-2 alphabeta-2", None
        alone = subject.block("alphabeta-2", "alphabeta-2", [i], 6)
        if not same_games(alone, {column: values[i : i + 1] for column, values in together.items()}):
            raise Broken(tr("a game depends on the games before it: key must distinguish positions"))


def short_games(subject: Subject, searched: bool, deep: bool = False) -> Iterator[str]:
    """Yield short games as text for comparison between processes, in which NaN equals NaN.

    Random players always play; the others play only if ``searched``.
    """
    for kind in PLAYING:
        seeds, plies = ([3], 25 if deep else 6) if kind.is_fast else ([4], 8 if deep else 2)
        if kind.at_random:
            seeds, plies = [1, 2], 150
        if kind.at_random or searched:
            for column, values in subject.block(kind.name, kind.name, seeds, plies).items():
                yield f"{subject.ruleset.name} {kind.name} {column} {json.dumps(values.tolist())}"


def check_pie_rule(rulesets: Sequence[Ruleset]) -> None:
    """Play, judge and report games of the first ruleset that allows the pie rule; raises an error on failure."""
    for ruleset in rulesets:
        with contextlib.suppress(InputError):  # a family may exclude the pie rule
            plain, pie = (ruleset.derive(swap=swap, label=swap) for swap in (NO_SWAP, "after-first"))
            break
    else:
        return
    game_state = GameState(pie.game, pie.codes())
    game_state.push(game_state.legal()[0])
    for spec in PLAYERS.values():
        if spec.declared.evaluates and Search(spec, pie).analyse(game_state)[0] not in game_state.legal():
            raise Broken(tr("{player} chooses an illegal ply when sides may be swapped", player=spec.label))
    keys = {"rulesets": [plain, pie], "baseline": plain, "agents": ["random", "greedy"], "games": 4, "max_plies": 40}
    with tempfile.TemporaryDirectory() as folder:
        runner.run_experiment(experiment_from_values(keys, "pie-rule"), Path(folder, "pie-rule"), workers=1)
        report.write_report(Path(folder, "pie-rule"))
