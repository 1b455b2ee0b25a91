"""Games in Python: plies, their texts and swaps of sides; openings and traces; and a game in play, with undo."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from workbench import games
from workbench.base.errors import WorkbenchError, abbreviated, error_text, expected, input_error
from workbench.base.language import quoted, tr
from workbench.engine import contract
from workbench.engine.agents import prepare_workspace, weight_rows
from workbench.engine.contract import SWAP
from workbench.engine.players import RANDOM, Codes, Player
from workbench.engine.search.evaluation import heuristic, win_score
from workbench.engine.trials import CLOSED, OFFERED, OPEN, make_rules
from workbench.games import results
from workbench.games.declaration import Board
from workbench.games.results import all_endings, with_sides


def format_ply(notation: ModuleType, rules: Any, state: Any, move: int) -> str:
    """Return a ply in the family's notation."""
    return results.SWAP if move == SWAP else str(notation.format_move(rules, state, move))


def parse_ply(notation: ModuleType, rules: Any, state: Any, text: str) -> int:
    """Return the ply that a text describes, legal or not; raise `ValueError` if it describes no move here."""
    return SWAP if text.strip().casefold() == results.SWAP else int(notation.parse_move(rules, state, text))


def apply_ply(rules: Any, state: Any, ply: int) -> None:
    """Apply a legal ply in place; a swap changes nothing on the board."""
    if ply != SWAP:
        contract.play(rules, state, ply)  # noqa: TID251


def count_events(rules: Any, before: Any, ply: int, after: Any, counts: Any) -> None:
    """Add a ply's events to the int32 counters of the game; a swap has none."""
    if ply != SWAP:
        contract.events(rules, before, ply, after, counts)  # noqa: TID251


def without_swap(moves: Iterable[int]) -> list[int]:
    """Return the moves of a game, omitting a swap of sides."""
    return [int(move) for move in moves if move != SWAP]


def opening_texts(game: str, codes: Codes, openings: Any) -> list[str]:
    """Return the first moves of each game in the family's notation, separated by spaces.

    ``openings`` has a row of move codes for each game, padded with -1. A position common to several games is computed
    once.
    """
    rules = make_rules(game, codes)
    notation = games.notation(game)
    openings = np.asarray(openings)
    lines, game_lines = np.unique(openings, axis=0, return_inverse=True)
    # The position before each ply of the current line; a sorted line shares its beginning with the previous one.
    positions = np.zeros((openings.shape[1] + 1, int(contract.state_size(rules))), np.int64)
    contract.start(rules, positions[0])
    previous: list[int] = []
    moves: list[str] = []
    texts = []
    for line in lines.tolist():
        moves_before, previous = previous, [move for move in line if move >= 0]
        pairs = enumerate(itertools.zip_longest(moves_before, previous))
        shared = next((ply for ply, (before, now) in pairs if before != now), len(previous))
        del moves[shared:]
        for ply, move in enumerate(previous[shared:], start=shared):
            moves.append(format_ply(notation, rules, positions[ply], move))
            positions[ply + 1] = positions[ply]
            apply_ply(rules, positions[ply + 1], move)
        texts.append(" ".join(moves))
    return [texts[number] for number in game_lines.reshape(-1).tolist()]


def opening_moves(game: str, codes: Codes, texts: Sequence[str]) -> Any:
    """Return the move codes of lines written by `opening_texts`: int32 (lines x plies), padded with -1."""
    rules = make_rules(game, codes)
    notation = games.notation(game)
    lines = [text.split() for text in texts]
    moves = np.full((len(lines), max(map(len, lines), default=0)), -1, np.int32)
    state = np.zeros(int(contract.state_size(rules)), np.int64)
    for line, words in zip(moves, lines, strict=True):
        contract.start(rules, state)
        for ply, word in enumerate(words):
            line[ply] = parse_ply(notation, rules, state, word)
            apply_ply(rules, state, int(line[ply]))
    return moves


UNIT = 1000
"""The reciprocal of the resolution of stored evaluations."""


class Trace(NamedTuple):
    """The course of one game, ply by ply."""

    evaluations: Any
    """The first seat's expected score after each ply, from -1 to 1, in thousandths: int16."""
    legal_moves: Any
    """The number of legal moves before each ply: int32."""


def traces(game: str, codes: Codes, first: Player, second: Player, moves: Any) -> list[Trace]:
    """Return the trace of each game, or an empty list if both players move at random.

    ``moves`` has a row of move codes for each game, padded with -1. A position is evaluated by the mean of both
    players' weights, without noise, as `trials._play_game` does for lead changes and drama.
    """
    if first.agent.kind == RANDOM and second.agent.kind == RANDOM:
        return []
    rules = make_rules(game, codes)
    games.kernel(game)
    # Nothing is searched, so the players' transposition tables need not be allocated.
    searchless = [player._replace(agent=player.agent._replace(kind=RANDOM), solution="") for player in (first, second)]
    ws = prepare_workspace(rules, 1, *searchless)
    rows = weight_rows(rules, ws, *searchless)
    # Without learned weights the value is linear in the weights, so that one evaluation suffices.
    evaluators = [(first.agent, rows.mean(axis=0), 1.0)]
    if first.agent.learned or second.agent.learned:
        evaluators = [(first.agent, rows[0], 0.5), (second.agent, rows[1], 0.5)]
    state = np.zeros(int(contract.state_size(rules)), np.int64)
    buffer = np.zeros(int(contract.max_moves(rules)), np.int32)
    game_traces = []
    for line in np.asarray(moves):
        contract.start(rules, state)
        evaluations, legal = [], []
        for move in line[line >= 0]:
            legal.append(contract.legal_moves(rules, state, buffer))
            apply_ply(rules, state, move)
            value = sum(share * heuristic(rules, state, agent, row, ws) for agent, row, share in evaluators)
            evaluations.append(win_score(value))
        thousandths = np.rint(UNIT * np.array(evaluations, np.float64)).astype(np.int16)
        game_traces.append(Trace(thousandths, np.array(legal, np.int32)))
    return game_traces


LONGEST_POSITION, LONGEST_MOVE = 4000, 200
"""Characters."""


class IllegalMove(WorkbenchError, ValueError):
    """A typed move that is not legal; the text names the rule that forbids it."""


def parse_setup(game: str, position: str, run: str = "") -> dict[str, Any] | None:
    """Parse a typed position, with its place in a run of plies, for ``notation.set_up``; return None for the start."""
    key = getattr(games.notation(game), "POSITION", "")
    # A PGN or PDN tag may be pasted unchanged; an empty one means the start.
    position = re.sub(r'^\s*(?:\[\s*FEN\s*)?"(.*)"\s*\]?\s*$', r"\1", position or "")
    if position.strip() in ("", "-", "?", "startpos"):
        if run:
            raise input_error(tr("a place within a run needs --position"), file="--run")
        return None
    if len(position) > LONGEST_POSITION:
        message = expected(tr("at most {longest:,} characters", longest=LONGEST_POSITION), f"{len(position):,}")
        raise input_error(message, file="--position")
    setup: dict[str, Any]
    if position.lstrip().startswith("{"):
        from workbench.base.yamlfile import parse_yaml  # workers write moves without it

        setup = parse_yaml(position, "--position").plain()
    elif key:
        setup = {key: position}
    else:
        message = expected(tr("YAML in braces"), quoted(abbreviated(position)))
        raise input_error(message, file="--position")
    return setup | {"run": run} if run else setup


@dataclass
class GameState:
    """A game in progress: a position and its history."""

    game: str
    codes: Codes
    setup: Mapping[str, Any] | None = None
    """A starting position other than the usual one, as the family's ``notation.set_up`` reads it."""
    played: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.declaration = games.declaration(self.game)
        self.rules: Any = make_rules(self.game, self.codes)
        games.kernel(self.game)
        self.notation = games.notation(self.game)
        self._buffer = np.zeros(int(contract.max_moves(self.rules)), np.int32)
        state = np.zeros(int(contract.state_size(self.rules)), np.int64)
        contract.start(self.rules, state)
        if self.setup is not None:
            try:
                self.notation.set_up(self.rules, state, self.setup)
            except ValueError as error:
                raise IllegalMove(tr("the position cannot be set up: {error}", error=error_text(error))) from error
        self._states = [state]
        self._keys: list[int | None] = [int(contract.key(self.rules, state))]

    @property
    def state(self) -> Any:
        """The kernel's state of the position."""
        return self._states[-1]

    @property
    def plies(self) -> int:
        """The number of plies so far."""
        return len(self.played)

    @property
    def side(self) -> int:
        """The side to move, as the kernel counts seats: 0 for the one that moved first."""
        return int(contract.seat(self.rules, self.state))

    @property
    def swapped(self) -> bool:
        """True if the players have swapped sides: the second player has the side that moved first."""
        return SWAP in self.played

    @property
    def seat(self) -> int:
        """The player to move, 0 or 1, counted before any swap of sides."""
        return self.side ^ self.swapped

    @property
    def swap(self) -> int:
        """The state of the pie rule: impossible (0), possible later (1), or possible now instead of a move (2)."""
        after = int(self.rules.swap)
        if not after or self.setup is not None or self.swapped:
            return CLOSED
        if any(contract.seat(self.rules, state) == 1 for state in self._states[after:-1]):
            return CLOSED
        return OFFERED if self.plies >= after and self.side == 1 else OPEN

    def before(self, ply: int) -> Any:
        """Return the kernel's state before a ply of the game, counted from 0."""
        return self._states[ply]

    def ply_events(self) -> list[tuple[str, ...]]:
        """Return the names of the declared events that each ply caused."""
        counts = np.zeros(len(self.declaration.events), np.int32)
        events = []
        for ply, move in enumerate(self.played):
            before = counts.copy()
            count_events(self.rules, self._states[ply], move, self._states[ply + 1], counts)
            changed = np.flatnonzero(counts != before)
            events.append(tuple(self.declaration.events[int(index)].name for index in changed))
        return events

    def __reduce__(self) -> tuple[Any, ...]:
        # The copy looks up its rules and notation again, as another process must.
        return _replay, (self.game, self.codes, self.setup, tuple(self.played))

    def __copy__(self) -> GameState:
        return self.copy()

    def __deepcopy__(self, memo: object) -> GameState:
        return self.copy()

    def copy(self) -> GameState:
        """Return an independent copy of the game."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._states = [*self._states[:-1], self.state.copy()]
        other._keys, other.played, other.texts = list(self._keys), list(self.played), list(self.texts)
        other._buffer = self._buffer.copy()
        return other

    def legal(self) -> list[int]:
        """Return the legal plies in the kernel's order, a legal swap last; empty after the end of the game."""
        if self.outcome()[0] != contract.ONGOING:
            return []
        return self._generate() + [SWAP] * (self.swap == OFFERED)

    def legal_texts(self) -> list[str]:
        """Return the legal moves in the family's notation, in the kernel's order."""
        return [self.format(move) for move in self.legal()]

    def outcome(self) -> tuple[int, str | None]:
        """Return the result code and the name of the termination, ``(ONGOING, None)`` during the game.

        The result refers to the sides; after a swap the players' own `result` is the opposite one.
        """
        result, termination = contract.terminal(self.rules, self.state, self._buffer)
        if result == contract.ONGOING:
            result, termination = contract.repetition(self.rules, self.state, self._keys.count(self._keys[-1]))
        if result == contract.ONGOING:
            return contract.ONGOING, None
        return int(result), all_endings(self.declaration)[int(termination)].name

    @property
    def result(self) -> int:
        """The result code for the players, counted before any swap, as in the records."""
        return with_sides(self.outcome()[0], self.swapped)

    def push(self, move: int) -> None:
        """Play a legal move; raise `IllegalMove` for any other, which could make the kernel write out of bounds."""
        if not self._is_legal(move):
            raise IllegalMove(tr("ply {ply}: {move} is not a legal move", ply=self.plies + 1, move=move))
        self.texts.append(self.format(move))
        state = self.state.copy()
        apply_ply(self.rules, state, move)
        self._states.append(state)
        # A swap of sides does not repeat the position.
        self._keys.append(int(contract.key(self.rules, state)) if move != SWAP else None)
        self.played.append(int(move))

    def push_text(self, text: str) -> None:
        """Play a move written as text; raise `IllegalMove` with the ply and the rule that forbids the move."""
        fields = {"ply": self.plies + 1, "text": abbreviated(text)}
        if self.outcome()[0] != contract.ONGOING:
            raise IllegalMove(tr("ply {ply}, {text}: the game is over", **fields))
        if reason := self.why_not(text):
            raise IllegalMove(tr("ply {ply}, {text}: {reason}", reason=reason, **fields))
        self.push(self.parse(text))

    def parse(self, text: str) -> int:
        """Return the move that a text describes, legal or not; raise `ValueError` if it describes no move here."""
        return parse_ply(self.notation, self.rules, self.state, text)

    def why_not(self, text: str) -> str:
        """Return a sentence on the rule that forbids a typed move; "" if the move is legal."""
        if len(text) > LONGEST_MOVE:
            return tr("'{text}' is not a move", text=abbreviated(text))
        try:
            move = self.parse(text)
        except ValueError as problem:
            return error_text(problem)
        if self._is_legal(move):
            return ""
        if move == SWAP:
            return tr("sides cannot be swapped here")
        reason: str = self.notation.explain(self.rules, self.state, text, move)
        return reason

    def undo(self) -> None:
        """Undo the last move, if there is one."""
        if self.played:
            self._states.pop()
            self._keys.pop()
            self.played.pop()
            self.texts.pop()

    def format(self, move: int) -> str:
        """Return a move in the family's notation."""
        return format_ply(self.notation, self.rules, self.state, int(move))

    def board(self, before: int | None = None) -> Board:
        """Return the position, or the one ``before`` a ply of the game (from 0), as a grid of symbols."""
        board: Board = self.notation.board(self.rules, self.state if before is None else self.before(before))
        return board

    def fen(self) -> str:
        """Return the position in one line that `parse_setup` reads; "" if the family has no such format."""
        write = getattr(self.notation, "fens", None)
        return str(write(self.rules, self._states, self.setup)[-1]) if write else ""

    def touched(self) -> frozenset[tuple[int, int]]:
        """Return the cells (row, column) changed by the last move, or by all consecutive moves of the same side."""
        # A swap changes no cell, so the move before it remains marked.
        end = self.plies - (SWAP in self.played[-1:])
        side = functools.partial(contract.seat, self.rules)
        turn = itertools.takewhile(lambda ply: side(self.before(ply)) == side(self.before(end - 1)), range(end)[::-1])
        return frozenset(cell for ply in turn for cell in self.board(ply).changes(self.board(ply + 1)))

    def perft(self, depth: int) -> int:
        """Count the move sequences of ``depth`` plies from here; finished games are not continued."""
        from workbench.engine.solver import perft

        return int(perft(self.rules, self.state, depth))

    def sequences(self, plies: int, positions: int = 500) -> tuple[int, ...]:
        """Return the numbers of legal sequences of 1, 2, … moves from here, up to ``plies`` moves.

        The result ends before the first number that would require visiting more than ``positions`` positions.
        """
        counts: list[int] = []
        while len(counts) < plies and (not counts or 0 < counts[-1] <= positions):
            counts.append(self._count(len(counts) + 1))
        return tuple(counts)

    def _count(self, depth: int) -> int:
        legal = self.legal()
        if depth == 1:
            return len(legal)
        total = 0
        for move in legal:
            self.push(move)
            total += self._count(depth - 1)
            self.undo()
        return total

    def _generate(self) -> list[int]:
        n = contract.legal_moves(self.rules, self.state, self._buffer)
        moves: list[int] = self._buffer[:n].tolist()
        return moves

    def _is_legal(self, move: int) -> bool:
        return self.swap == OFFERED if move == SWAP else move in self._generate()


def _replay(game: str, codes: Codes, setup: Mapping[str, Any] | None, played: Sequence[int]) -> GameState:
    game_state = GameState(game, codes, setup)
    for move in played:
        game_state.push(move)
    return game_state
