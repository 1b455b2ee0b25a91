"""Games: positions, moves, results, and games between agents."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from workbench import games
from workbench.api.rulesets import Agent, to_agent, to_ruleset, to_whole_number
from workbench.base.errors import expected, hide_internal_frames, input_error
from workbench.base.language import tr
from workbench.engine import contract
from workbench.experiments.experiment import DEFAULT_MAX_PLIES, MOST_PLIES, MOST_SEED
from workbench.games.results import RESULTS, SEATS, all_endings
from workbench.players import library
from workbench.players.agents import AgentSpec
from workbench.players.external import ExternalPlayer, SeatPlayer, WorkbenchPlayer, open_player, probe_players
from workbench.players.match import export_moves, games_between, position_text
from workbench.positions.game_state import GameState, IllegalMove, parse_setup
from workbench.rules.rulesets import Ruleset

__all__ = ["Game", "Outcome", "PlayedGame", "play"]

MAX_PLIES = 2000
"""The maximum ply at which agents choose moves."""
MAX_GAMES = 1_000_000


class Outcome(NamedTuple):
    """The end of a game."""

    result: str
    """``first`` or ``second``, the winning seat, or ``draw``."""
    termination: str
    """The name of the ending, as in the records."""
    sentence: str
    """The meaning of the termination."""


class Game:
    """A game under a ruleset: a position and its history.

    Examples:
        >>> game = Game("star/default")
        >>> game.legal_moves()
        ['b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3']
        >>> game.push("b2")
        >>> game.why_not("b2")
        'b2 is occupied by ○.'
        >>> game.player, game.moves, game.outcome()
        ('Second (●)', ('b2',), None)

    In a notebook it is shown as a board.
    """

    @hide_internal_frames
    def __init__(
        self, ruleset: str | Path | Ruleset, moves: str | Iterable[str] = (), position: str = "", run: str = ""
    ) -> None:
        """Begin a game.

        Args:
            ruleset: a ruleset or its name.
            moves: legal moves to make at once, as a list or separated by spaces.
            position: the starting position: FEN (chess, draughts), rows (star), or YAML in braces.
            run: the place in a run of plies, for a position in 007 chess: ``3/2`` is ply 2 of 3.

        Raises:
            InputError: the ruleset does not exist, or the position cannot be read.
            IllegalMove: a move is not legal, or the position is not possible.
        """
        self._ruleset = to_ruleset(ruleset)
        setup = parse_setup(self._ruleset.game, position, run)
        self._state = GameState(self._ruleset.game, self._ruleset.codes(), setup)
        self._players: dict[tuple[object, int], SeatPlayer] = {}
        for move in moves.split() if isinstance(moves, str) else moves:
            self._state.push_text(_move_text(move))

    @property
    def ruleset(self) -> Ruleset:
        """The rules of the game."""
        return self._ruleset

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves so far, in the family's notation."""
        return tuple(self._state.texts)

    @property
    def ply(self) -> int:
        """The number of moves so far."""
        return self._state.plies

    @property
    def seat(self) -> str:
        """The seat to move: ``first`` or ``second``."""
        return SEATS[self._state.seat]

    @property
    def player(self) -> str:
        """The name of the side to move."""
        return self._state.declaration.seats[self._state.side]

    def legal_moves(self) -> list[str]:
        """Return the legal moves in the family's notation; empty after the end of the game."""
        return self._state.legal_texts()

    def why_not(self, move: str) -> str:
        """Return a sentence naming the rule that forbids a move; "" if the move is legal."""
        if self._state.outcome()[0] != contract.ONGOING:
            return tr("the game is over")
        return self._state.why_not(_move_text(move))

    @hide_internal_frames
    def push(self, move: str) -> None:
        """Make a move.

        Raises:
            IllegalMove: the move is illegal; the text names the rule that forbids it.
        """
        self._state.push_text(_move_text(move))

    @hide_internal_frames
    def undo(self) -> str:
        """Take back the last move and return it.

        Raises:
            IllegalMove: no move has been made.
        """
        if not self._state.played:
            raise IllegalMove(tr("there are no moves to undo"))
        last = self._state.texts[-1]
        self._state.undo()
        return last

    def outcome(self) -> Outcome | None:
        """Return the end of the game, or None during the game."""
        result, termination = self._state.outcome()
        if result == contract.ONGOING:
            return None
        endings = {ending.name: ending.sentence for ending in all_endings(self._state.declaration).values()}
        return Outcome(RESULTS[self._state.result], str(termination), endings[str(termination)])

    @hide_internal_frames
    def choose(self, agent: Agent = "greedy", seed: int = 0) -> str:
        """Return the move that an agent chooses here, without making it.

        It depends only on the moves of the game and the seed, as in `play`.

        Examples:
            >>> game = Game("star/default", "b2 c2")
            >>> game.choose("alphabeta-4", seed=1) in game.legal_moves()
            True

        Args:
            agent: such as ``alphabeta-2`` or ``{"greedy": {"epsilon": 0.1}}``.
            seed: the seed of its random choices.

        Raises:
            InputError: the agent does not exist, or has not been trained.
            IllegalMove: the game is over.
        """
        if self._state.outcome()[0] != contract.ONGOING:
            raise IllegalMove(tr("the game is over: there are no moves to choose from"))
        if self.ply >= MAX_PLIES:
            message = tr("agents choose moves up to ply {longest:,}; this is ply {ply:,}")
            raise IllegalMove(message.format(longest=MAX_PLIES, ply=self.ply + 1))
        spec, seed = to_agent(agent, self._ruleset, "agent"), to_whole_number(seed, "seed", 0, MOST_SEED)
        if outsider := ExternalPlayer.of(spec, self._ruleset):
            _probe_programs([spec], self._ruleset)
            with open_player(outsider) as external:
                external.new_game(self._state.seat, seed)
                return self._state.format(external.choose(self._state))
        if (spec, seed) not in self._players:
            player = WorkbenchPlayer(library.engine_player(spec, self._ruleset), MAX_PLIES)
            player.new_game(self._state.seat, seed)
            self._players[spec, seed] = player
        return self._state.format(self._players[spec, seed].choose(self._state))

    def copy(self) -> Game:
        """Return an independent copy of the game."""
        other = object.__new__(Game)
        other.__setstate__({**self.__getstate__(), "_state": self._state.copy()})
        return other

    def __getstate__(self) -> dict[str, Any]:
        # Players are created again, which may happen in another process.
        return {**self.__dict__, "_players": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __copy__(self) -> Game:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Game:
        return self.copy()

    def text(self) -> str:
        """Return the position as text, with brackets around the last move's cells and colons in empty shaded cells."""
        return position_text(self._state.board(), self._state.touched()).plain

    @hide_internal_frames
    def fen(self) -> str:
        """Return the position as FEN, for chess and draughts; ``Game(ruleset, position=…)`` reads it.

        Examples:
            >>> Game("chess/orthodox", "e4 e5").fen()
            'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'

        Raises:
            InputError: the family has no FEN.
        """
        if text := self._state.fen():
            return text
        raise input_error(tr("there is no FEN for {game}", game=self._ruleset.game), key="fen")

    def pgn(self, first: str = "?", second: str = "?") -> str:
        """Return the game so far in PGN, for chess; ``first`` and ``second`` name the players.

        A starting position is recorded in the tag ``FEN``.

        Raises:
            InputError: the family has another format or none.
        """
        return self._export_text("PGN", first, second)

    def pdn(self, first: str = "?", second: str = "?") -> str:
        """Return the game so far in PDN, for draughts; see `pgn`."""
        return self._export_text("PDN", first, second)

    @hide_internal_frames
    def _export_text(self, kind: str, first: str, second: str) -> str:
        supported = getattr(games.notation(self._ruleset.game), "EXPORT", "")
        if supported != kind:
            hint = tr("available formats: {known}", known=supported) if supported else tr("its moves are in 'moves'")
            raise input_error(
                tr("there is no {kind} format for {game}", kind=kind, game=self._ruleset.game), hint, key=kind.lower()
            )
        outcome = self.outcome()
        tags = {"Termination": outcome.termination} if outcome else {}
        result = outcome.result if outcome else RESULTS[0]
        state = self._state
        return export_moves(self._ruleset, state.played, state.texts, result, first, second, tags, state.setup)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        outcome = self.outcome()
        status = f"{outcome.result} ({outcome.termination})" if outcome else tr("{player} to move", player=self.player)
        return f"<Game of {self._ruleset.name} after {self.ply} plies: {status}>"

    def _repr_svg_(self) -> str:
        from workbench.report.render.svg import standalone_board_svg

        return standalone_board_svg(self._state.board(), {"last": self._state.touched()})


@dataclass(frozen=True)
class PlayedGame:
    """A finished or stopped game; see `play` and `replay`."""

    ruleset: Ruleset
    """The rules of the game."""
    first: str
    """The agent in the first seat."""
    second: str
    """The agent in the second seat."""
    game: int
    """Its number within the call, counted from 0."""
    seed: int
    """The seed of its random choices."""
    moves: tuple[str, ...]
    """Its moves in the family's notation."""
    result: str
    """``first`` or ``second``, the winning seat, ``draw``, or ``unfinished`` if it was stopped."""
    termination: str
    """The name of the ending, as in the records; ``cap`` if it was stopped."""

    @property
    def plies(self) -> int:
        """The number of moves."""
        return len(self.moves)

    @property
    def winner(self) -> str | None:
        """The winning agent, or None if neither won."""
        return {"first": self.first, "second": self.second}.get(self.result)

    @hide_internal_frames
    def after(self, ply: int | None = None) -> Game:
        """Return the game after a number of plies; by default at its end.

        Examples:
            >>> played = play("star/default", "random", seed=3)[0]
            >>> played.after(2).moves == played.moves[:2]
            True

        Raises:
            InputError: the game is shorter.
        """
        count = self.plies if ply is None else to_whole_number(ply, "ply", 0, self.plies)
        return Game(self.ruleset, self.moves[:count])

    def positions(self) -> Iterator[Game]:
        """Yield independent copies of the game before the first move, after it, and so on to its end."""
        game = Game(self.ruleset)
        yield game.copy()
        for move in self.moves:
            game.push(move)
            yield game.copy()

    def text(self) -> str:
        """Return the last position as text."""
        return self.after().text()

    def pgn(self) -> str:
        """Return the game in PGN, for chess; see `Game.pgn`."""
        return self._export_text("PGN")

    def pdn(self) -> str:
        """Return the game in PDN, for draughts."""
        return self._export_text("PDN")

    @hide_internal_frames
    def _export_text(self, kind: str) -> str:
        return self.after()._export_text(kind, self.first, self.second)

    def __str__(self) -> str:
        text = tr("{first} – {second}, {ruleset}, seed {seed}: {result} ({termination}), {plies} plies: {moves}")
        fields = {**vars(self), "ruleset": self.ruleset.name, "plies": self.plies, "moves": " ".join(self.moves)}
        return text.format(**fields)

    def _repr_svg_(self) -> str:
        return self.after()._repr_svg_()


@hide_internal_frames
def play(
    ruleset: str | Path | Ruleset, first: Agent = "greedy", second: Agent | None = None, *, games: int = 1,
    seed: int = 0, max_plies: int = DEFAULT_MAX_PLIES, opening: str | Sequence[str] = (),
) -> list[PlayedGame]:  # fmt: skip
    """Play games between two agents in this process.

    Game k has the seed ``seed + k`` and equals the game of ``workbench play`` and of an experiment with that seed.

    Examples:
        >>> [game.result for game in play("star/default", "alphabeta-4", "random", games=3)]
        ['first', 'first', 'first']

    Args:
        ruleset: a ruleset or its name.
        first: the first player: an agent such as ``alphabeta-2`` or ``{"greedy": {"epsilon": 0.1}}``.
        second: the second player; by default the same agent.
        games: the number of games.
        seed: the seed of the first game.
        max_plies: the number of plies after which a game is stopped.
        opening: the legal moves that start every game, as a list or separated by spaces.

    Raises:
        InputError: the ruleset or agent does not exist, or an agent has not been trained (workbench train).
        IllegalMove: the opening is illegal, or the game is over after it.
    """
    rules = to_ruleset(ruleset)
    agent = to_agent(first, rules, "first")
    opponent = agent if second is None else to_agent(second, rules, "second")
    count = to_whole_number(games, "games", 1, MAX_GAMES)
    seed, limit = to_whole_number(seed, "seed", 0, MOST_SEED), to_whole_number(max_plies, "max_plies", 1, MOST_PLIES)
    start = Game(rules, opening)
    if start.outcome() is not None:
        raise IllegalMove(tr("the game is over after the opening"))
    _probe_programs([agent, opponent], rules)
    return [
        PlayedGame(rules, agent.label, opponent.label, game.game, game.seed, game.moves, game.result, game.termination)
        for game in games_between(rules, agent, opponent, seed, count, limit, opening=start._state.played)
    ]


def _probe_programs(agents: Sequence[AgentSpec], ruleset: Ruleset) -> None:
    """Verify that external players follow a ruleset, and warn if this cannot be verified."""
    if any(agent.outside for agent in agents):
        for note in probe_players([ExternalPlayer.of(agent, ruleset) for agent in agents], ruleset):
            warnings.warn(note, stacklevel=4)


def _move_text(value: object) -> str:
    """Return a move that is a string; raise `InputError` for any other value."""
    if not isinstance(value, str):
        raise input_error(expected(tr("a move as players write it"), repr(value)), key="move")
    return value
