"""A game on the Python side: moves as text, history, undo, results in words."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench import games
from workbench.base import yamlfile
from workbench.base.errors import WorkbenchError, abbreviated, expected, input_error, text_of
from workbench.base.language import quoted, tr
from workbench.engine import contract
from workbench.engine.players import Codes
from workbench.engine.trials import CLOSED, OFFERED, OPEN, make_rules
from workbench.games.declaration import Board
from workbench.games.results import all_endings, with_sides
from workbench.positions import playing

LONGEST_POSITION, LONGEST_MOVE = 4000, 200
"""Characters."""


class IllegalMove(WorkbenchError, ValueError):
    """A typed move that is not legal; the text says which rule forbids it."""


def setup_of(game: str, position: str, run: str = "") -> dict[str, Any] | None:
    """A typed position, and the place in a run of plies, as the family's notation reads them; None for the start."""
    key = getattr(games.notation(game), "POSITION", "")
    # A tag of PGN or PDN may be pasted as it is, and one without a position means the start.
    position = re.sub(r'^\s*(?:\[\s*FEN\s*)?"(.*)"\s*\]?\s*$', r"\1", position or "")
    if position.strip() in ("", "-", "?", "startpos"):
        if run:
            raise input_error(tr("a place in a run needs a --position"), file="--run")
        return None
    if len(position) > LONGEST_POSITION:
        message = expected(tr("at most {longest:,} characters", longest=LONGEST_POSITION), f"{len(position):,}")
        raise input_error(message, file="--position")
    setup: dict[str, Any]
    if position.lstrip().startswith("{"):
        setup = yamlfile.parse_yaml(position, "--position").plain()
    elif key:
        setup = {key: position}
    else:
        message = expected(tr("YAML in braces"), quoted(abbreviated(position)))
        raise input_error(message, file="--position")
    return setup | {"run": run} if run else setup


@dataclass
class GameState:
    """A game in play: a position and how it came about."""

    game: str
    codes: Codes
    setup: Mapping[str, Any] | None = None
    """A position to begin from instead of the start, as the family's ``notation.set_up`` reads it."""
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
                raise IllegalMove(tr("the position cannot be set up: {error}", error=text_of(error))) from error
        self._states = [state]
        self._keys: list[int | None] = [int(contract.key(self.rules, state))]

    @property
    def state(self) -> Any:
        """The kernel's state of the position."""
        return self._states[-1]

    @property
    def plies(self) -> int:
        """Moves made so far."""
        return len(self.played)

    @property
    def side(self) -> int:
        """The side that chooses the next move, as the kernel counts seats: 0 for the one that moved first."""
        return int(contract.seat(self.rules, self.state))

    @property
    def swapped(self) -> bool:
        """True if the players have swapped sides: the second player has the side that moved first."""
        return contract.SWAP in self.played

    @property
    def seat(self) -> int:
        """The player who chooses the next move: 0 or 1, in the order in which they sat down."""
        return self.side ^ self.swapped

    @property
    def swap(self) -> int:
        """The state of the pie rule: no swap, or none any more (0), later (1), or now instead of a move (2)."""
        after = int(self.rules.swap)
        if not after or self.setup is not None or self.swapped:
            return CLOSED
        if any(contract.seat(self.rules, state) == 1 for state in self._states[after:-1]):
            return CLOSED
        return OFFERED if self.plies >= after and self.side == 1 else OPEN

    def before(self, ply: int) -> Any:
        """Return the kernel's state before a ply that was played, from 0 on."""
        return self._states[ply]

    def happened(self) -> list[tuple[str, ...]]:
        """For each ply that was played, the events of the family's declaration that it brought, by their names."""
        counts = np.zeros(len(self.declaration.events), np.int32)
        found = []
        for ply, move in enumerate(self.played):
            before = counts.copy()
            playing.count_events(self.rules, self._states[ply], move, self._states[ply + 1], counts)
            changed = np.flatnonzero(counts != before)
            found.append(tuple(self.declaration.events[int(place)].name for place in changed))
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        # Rules and notation are found anew, in another process, too.
        return _replayed, (self.game, self.codes, self.setup, tuple(self.played))

    def __copy__(self) -> GameState:
        return self.copy()

    def __deepcopy__(self, memo: object) -> GameState:
        return self.copy()

    def copy(self) -> GameState:
        """Return the same game in other hands: moves that are played in the copy leave this one alone."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._states = [*self._states[:-1], self.state.copy()]
        other._keys, other.played, other.texts = list(self._keys), list(self.played), list(self.texts)
        other._buffer = self._buffer.copy()
        return other

    def legal(self) -> list[int]:
        """The legal plies in the kernel's order, behind them the swap if it is one; none after the game has ended."""
        if self.outcome()[0] != contract.ONGOING:
            return []
        return self._generate() + [contract.SWAP] * (self.swap == OFFERED)

    def legal_texts(self) -> list[str]:
        """Return the legal moves as players write them, in the kernel's order."""
        return [self.format(move) for move in self.legal()]

    def outcome(self) -> tuple[int, str | None]:
        """Return the result code and the name of the termination; ``(ONGOING, None)`` while the game goes on.

        The result is for the sides; where players have swapped, theirs is the other one (`result`).
        """
        result, termination = contract.terminal(self.rules, self.state, self._buffer)
        if result == contract.ONGOING:
            result, termination = contract.repetition(self.rules, self.state, self._keys.count(self._keys[-1]))
        if result == contract.ONGOING:
            return contract.ONGOING, None
        return int(result), all_endings(self.declaration)[int(termination)].name

    @property
    def result(self) -> int:
        """The result code for the players, in the order in which they sat down, as records have it."""
        result, _ = self.outcome()
        return with_sides(result, self.swapped)

    def push(self, move: int) -> None:
        """Play a legal move.

        Raises:
            IllegalMove: it is none. A kernel writes where a number tells it to.
        """
        if not self._is_legal(move):
            raise IllegalMove(tr("ply {plies}: no legal move has the number {move}", plies=self.plies + 1, move=move))
        self.texts.append(self.format(move))
        state = self.state.copy()
        playing.play(self.rules, state, move)
        self._states.append(state)
        # Where only the sides are swapped, the position has not occurred once more.
        self._keys.append(int(contract.key(self.rules, state)) if move != contract.SWAP else None)
        self.played.append(int(move))

    def push_text(self, text: str) -> None:
        """Play a move written as text.

        Raises:
            IllegalMove: with the rule that forbids the move, and the number of the ply.
        """
        named = {"plies": self.plies + 1, "abbreviated": abbreviated(text)}
        if self.outcome()[0] != contract.ONGOING:
            raise IllegalMove(tr("ply {plies}, {abbreviated}: the game is over", **named))
        if reason := self.why_not(text):
            raise IllegalMove(tr("ply {plies}, {abbreviated}: {reason}", reason=reason, **named))
        self.push(self.parse(text))

    def parse(self, text: str) -> int:
        """Return the move that a text stands for.

        Raises:
            ValueError: it is no text of a move here; whether the move is legal is not asked.
        """
        return playing.parsed(self.notation, self.rules, self.state, text)

    def why_not(self, text: str) -> str:
        """Why a move that was typed is not legal: the rule that forbids it, in a sentence; "" if it is legal."""
        if len(text) > LONGEST_MOVE:
            return tr("'{abbreviated}' is not a move", abbreviated=abbreviated(text))
        try:
            move = self.parse(text)
        except ValueError as problem:
            return text_of(problem)
        if self._is_legal(move):
            return ""
        if move == contract.SWAP:
            return tr("sides cannot be swapped here")
        why: str = self.notation.explain(self.rules, self.state, text, move)
        return why

    def undo(self) -> None:
        """Take back the last move, if there is one."""
        if self.played:
            self._states.pop()
            self._keys.pop()
            self.played.pop()
            self.texts.pop()

    def format(self, move: int) -> str:
        """Return a move as players write it."""
        return playing.formatted(self.notation, self.rules, self.state, int(move))

    def board(self, before: int | None = None) -> Board:
        """Return the position, or that ``before`` a ply that was played (from 0 on), as a grid of symbols."""
        drawn = self.notation.board(self.rules, self.state if before is None else self.before(before))
        assert isinstance(drawn, Board)
        return drawn

    def fen(self) -> str:
        """Return the position in one line, as `setup_of` reads it; "" where the family has no such text."""
        write = getattr(self.notation, "fens", None)
        return str(write(self.rules, self._states, self.setup)[-1]) if write else ""

    def touched(self) -> frozenset[tuple[int, int]]:
        """Return the cells of the board, as (row, column), that the last moves of one side in a row changed."""
        # A swap touches nothing; what the move before it did is still shown.
        end = self.plies - (contract.SWAP in self.played[-1:])
        side = functools.partial(contract.seat, self.rules)
        turn = itertools.takewhile(lambda ply: side(self.before(ply)) == side(self.before(end - 1)), range(end)[::-1])
        return frozenset(cell for ply in turn for cell in self.board(ply).changes(self.board(ply + 1)))

    def perft(self, depth: int) -> int:
        """Return the number of move sequences of ``depth`` plies from here; games that have ended are not continued."""
        from workbench.engine.solver import perft

        return int(perft(self.rules, self.state, depth))

    def sequences(self, plies: int, positions: int = 500) -> tuple[int, ...]:
        """Return the numbers of sequences of 1, 2, … moves that the game allows from here, for at most ``plies`` moves.

        The list ends before the first number for which more ``positions`` than that would have to be looked at.
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
        return self.swap == OFFERED if move == contract.SWAP else move in self._generate()


def _replayed(game: str, codes: Codes, setup: Mapping[str, Any] | None, played: Sequence[int]) -> GameState:
    """Return the game after some legal moves."""
    game_state = GameState(game, codes, setup)
    for move in played:
        game_state.push(move)
    return game_state
