"""Games for programs: positions, moves, results; and games between agents."""

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
from workbench.players.external import Outsider, SeatPlayer, WorkbenchPlayer, open_player, probe_outsiders
from workbench.players.match import between_agents, drawn, written_down
from workbench.positions.game_state import GameState, IllegalMove, setup_of
from workbench.rules.rulesets import Ruleset

__all__ = ["Game", "Outcome", "PlayedGame", "play"]

MAX_PLIES = 2000
"""Plies of a game in which agents are asked for moves."""
MAX_GAMES = 1_000_000


class Outcome(NamedTuple):
    """The ending of a game."""

    result: str
    """``first`` or ``second``, the seat that has won, or ``draw``."""
    termination: str
    """The name of the ending, as records have it."""
    sentence: str
    """The meaning of the termination."""


class Game:
    """A game under a ruleset: a position and how it came about.

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
            ruleset: a ruleset, or the name of one.
            moves: legal moves that are made at once; a text has spaces between them.
            position: where to begin instead of the start: FEN (chess, draughts), rows (star), or YAML in braces.
            run: with a position in 007 chess, the place in a run of plies: ``3/2`` is ply 2 of 3.

        Raises:
            InputError: there is no such ruleset, or the position cannot be read.
            IllegalMove: a move is not legal, or the position is not possible.
        """
        self._ruleset = to_ruleset(ruleset)
        setup = setup_of(self._ruleset.game, position, run)
        self._state = GameState(self._ruleset.game, self._ruleset.codes(), setup)
        self._players: dict[tuple[object, int], SeatPlayer] = {}
        for move in moves.split() if isinstance(moves, str) else moves:
            self._state.push_text(_move_text(move))

    @property
    def ruleset(self) -> Ruleset:
        """The rules that it is played by."""
        return self._ruleset

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that were made, as players write them."""
        return tuple(self._state.texts)

    @property
    def ply(self) -> int:
        """The number of moves made."""
        return self._state.plies

    @property
    def seat(self) -> str:
        """The seat that chooses the next move: ``first`` or ``second``."""
        return SEATS[self._state.seat]

    @property
    def player(self) -> str:
        """The name of the side that moves next."""
        return self._state.declaration.seats[self._state.side]

    def legal_moves(self) -> list[str]:
        """Return the legal moves as players write them; none after the game has ended."""
        return self._state.legal_texts()

    def why_not(self, move: str) -> str:
        """Return the rule that forbids a move, in a sentence; empty if it is legal."""
        if self._state.outcome()[0] != contract.ONGOING:
            return tr("the game is over")
        return self._state.why_not(_move_text(move))

    @hide_internal_frames
    def push(self, move: str) -> None:
        """Make a move.

        Raises:
            IllegalMove: with the rule that forbids it.
        """
        self._state.push_text(_move_text(move))

    @hide_internal_frames
    def undo(self) -> str:
        """Take back the last move, and returns it.

        Raises:
            IllegalMove: there is none.
        """
        if not self._state.played:
            raise IllegalMove(tr("there is no move to take back"))
        last = self._state.texts[-1]
        self._state.undo()
        return last

    def outcome(self) -> Outcome | None:
        """Return the ending of the game; None while it goes on."""
        result, termination = self._state.outcome()
        if result == contract.ONGOING:
            return None
        endings = {ending.name: ending.sentence for ending in all_endings(self._state.declaration).values()}
        return Outcome(RESULTS[self._state.result], str(termination), endings[str(termination)])

    @hide_internal_frames
    def choose(self, agent: Agent = "greedy", seed: int = 0) -> str:
        """Return the move that an agent chooses here; it is not made.

        The moves of the game and the seed decide it, as they do in `play`.

        Examples:
            >>> game = Game("star/default", "b2 c2")
            >>> game.choose("alphabeta-4", seed=1) in game.legal_moves()
            True

        Args:
            agent: such as ``alphabeta-2`` or ``{"greedy": {"epsilon": 0.1}}``.
            seed: where its chance comes from.

        Raises:
            InputError: there is no such agent, or it has not learned what it plays by.
            IllegalMove: the game is over.
        """
        if self._state.outcome()[0] != contract.ONGOING:
            raise IllegalMove(tr("the game is over: no agent has a move"))
        if self.ply >= MAX_PLIES:
            raise IllegalMove(
                tr("agents choose moves up to ply {longest:,}, found ply {ply:,}", longest=MAX_PLIES, ply=self.ply + 1)
            )
        spec, seed = to_agent(agent, self._ruleset, "agent"), to_whole_number(seed, "seed", 0, MOST_SEED)
        if spec.outside:
            return self._choose_outside(spec, seed)

        if (spec, seed) not in self._players:
            player = WorkbenchPlayer(library.engine_player(spec, self._ruleset), MAX_PLIES)
            player.new_game(self._state.seat, seed)
            self._players[spec, seed] = player
        return self._state.format(self._players[spec, seed].choose(self._state))

    def _choose_outside(self, spec: AgentSpec, seed: int) -> str:
        """Return the move of a program or class, which is started for it and ends with it."""
        outsider = Outsider.of(spec, self._ruleset)
        assert outsider is not None
        _probe_programs([spec], self._ruleset)
        with open_player(outsider) as player:
            player.new_game(self._state.seat, seed)
            return self._state.format(player.choose(self._state))

    def copy(self) -> Game:
        """Return the same game in other hands: moves that are made in the copy leave this one alone."""
        other = object.__new__(Game)
        other.__setstate__({**self.__getstate__(), "_state": self._state.copy()})
        return other

    def __getstate__(self) -> dict[str, Any]:
        # Players make themselves ready anew, in another process, too.
        return {**self.__dict__, "_players": {}}

    def __setstate__(self, held: dict[str, Any]) -> None:
        self.__dict__.update(held)

    def __copy__(self) -> Game:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Game:
        return self.copy()

    def text(self) -> str:
        """Return the position as text: brackets around what the last move touched, in colons what is shaded."""
        return drawn(self._state.board(), self._state.touched()).plain

    @hide_internal_frames
    def fen(self) -> str:
        """Return the position as FEN, for games of chess and draughts; ``Game(ruleset, position=…)`` reads it.

        Examples:
            >>> Game("chess/orthodox", "e4 e5").fen()
            'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'

        Raises:
            InputError: the family has no FEN.
        """
        if text := self._state.fen():
            return text
        raise input_error(tr("there is no FEN of games of {game}", game=self._ruleset.game), key="fen")

    def pgn(self, first: str = "?", second: str = "?") -> str:
        """Return the game so far in PGN, for games of chess; ``first`` and ``second`` name the players.

        A game from a position has it in the tag ``FEN``.

        Raises:
            InputError: the family is not written so.
        """
        return self._export_text("PGN", first, second)

    def pdn(self, first: str = "?", second: str = "?") -> str:
        """Return the game so far in PDN, for games of draughts; otherwise as `pgn`."""
        return self._export_text("PDN", first, second)

    @hide_internal_frames
    def _export_text(self, kind: str, first: str, second: str) -> str:
        known = getattr(games.notation(self._ruleset.game), "EXPORT", "")
        if known != kind:
            hint = tr("it is written as {known}", known=known) if known else tr("its moves are in 'moves'")
            raise input_error(
                tr("there is no {kind} of games of {game}", kind=kind, game=self._ruleset.game), hint, key=kind.lower()
            )
        result = self.outcome()
        tags = {"Termination": result.termination} if result else {}
        score = result.result if result else RESULTS[0]
        state = self._state
        return written_down(self._ruleset, state.played, state.texts, score, first, second, tags, state.setup)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        ended = self.outcome()
        what = f"{ended.result} ({ended.termination})" if ended else tr("{player} to move", player=self.player)
        return f"<Game of {self._ruleset.name} after {self.ply} plies: {what}>"

    def _repr_svg_(self) -> str:
        from workbench.report.render.svg import standalone_board_svg

        return standalone_board_svg(self._state.board(), {"last": self._state.touched()})


@dataclass(frozen=True)
class PlayedGame:
    """A game that was played to its end, or stopped; see `play` and `replay`."""

    ruleset: Ruleset
    """The rules that it was played by."""
    first: str
    """The agent in the first seat."""
    second: str
    """The agent in the second seat."""
    game: int
    """Its number among those that were played together, from 0."""
    seed: int
    """The number from which its chance came."""
    moves: tuple[str, ...]
    """Its moves, as players write them."""
    result: str
    """``first`` or ``second``, the seat that has won, ``draw``, or ``unfinished`` if it was stopped."""
    termination: str
    """The name of the ending, as records have it; ``cap`` if it was stopped."""

    @property
    def plies(self) -> int:
        """The number of moves."""
        return len(self.moves)

    @property
    def winner(self) -> str | None:
        """The agent that has won; None if neither has."""
        return {"first": self.first, "second": self.second}.get(self.result)

    @hide_internal_frames
    def after(self, ply: int | None = None) -> Game:
        """Return the game after a number of plies, to look at or to go on from; by default at its end.

        Examples:
            >>> played = play("star/default", "random", seed=3)[0]
            >>> played.after(2).moves == played.moves[:2]
            True

        Raises:
            InputError: it has not so many plies.
        """
        count = self.plies if ply is None else to_whole_number(ply, "ply", 0, self.plies)
        return Game(self.ruleset, self.moves[:count])

    def positions(self) -> Iterator[Game]:
        """Yield the game before the first move, after it, and so on to its end; each may be kept."""
        game = Game(self.ruleset)
        yield game.copy()
        for move in self.moves:
            game.push(move)
            yield game.copy()

    def text(self) -> str:
        """Return the last position as text."""
        return self.after().text()

    def pgn(self) -> str:
        """Return the game in PGN, for games of chess; see `Game.pgn`."""
        return self._export_text("PGN")

    def pdn(self) -> str:
        """Return the game in PDN, for games of draughts."""
        return self._export_text("PDN")

    @hide_internal_frames
    def _export_text(self, kind: str) -> str:
        return self.after()._export_text(kind, self.first, self.second)

    def __str__(self) -> str:
        return tr(
            "{first} – {second}, {ruleset}, seed {seed}: {result} ({termination}), {plies} plies: {moves}",
            first=self.first,
            second=self.second,
            ruleset=self.ruleset.name,
            seed=self.seed,
            result=self.result,
            termination=self.termination,
            plies=self.plies,
            moves=" ".join(self.moves),
        )

    def _repr_svg_(self) -> str:
        return self.after()._repr_svg_()


@hide_internal_frames
def play(
    ruleset: str | Path | Ruleset,
    first: Agent = "greedy",
    second: Agent | None = None,
    *,
    games: int = 1,
    seed: int = 0,
    max_plies: int = DEFAULT_MAX_PLIES,
    opening: str | Sequence[str] = (),
) -> list[PlayedGame]:
    """Plays games between two agents, in this process.

    Game k has the seed ``seed + k``, and is the one that ``workbench play`` and an experiment play with it.

    Examples:
        >>> [game.result for game in play("star/default", "alphabeta-4", "random", games=3)]
        ['first', 'first', 'first']

    Args:
        ruleset: a ruleset, or the name of one.
        first: who sits first: an agent such as ``alphabeta-2`` or ``{"greedy": {"epsilon": 0.1}}``.
        second: who sits second; the same agent, if left out.
        games: how many games.
        seed: the seed of the first game.
        max_plies: games are stopped here.
        opening: legal moves that all games begin with; a text has spaces between them.

    Raises:
        InputError: there is no such ruleset or agent, or an agent has not learned what it plays by (workbench train).
        IllegalMove: the opening is not legal, or leaves nothing to play.
    """
    rules = to_ruleset(ruleset)
    one = to_agent(first, rules, "first")
    two = one if second is None else to_agent(second, rules, "second")
    count = to_whole_number(games, "games", 1, MAX_GAMES)
    begin, most = to_whole_number(seed, "seed", 0, MOST_SEED), to_whole_number(max_plies, "max_plies", 1, MOST_PLIES)
    start = Game(rules, opening)
    if start.outcome() is not None:
        raise IllegalMove(tr("the game is over after the opening"))
    _probe_programs([one, two], rules)
    return [
        PlayedGame(rules, one.label, two.label, each.game, each.seed, each.moves, each.result, each.termination)
        for each in between_agents(rules, one, two, begin, count, most, opening=start._state.played)
    ]


def _probe_programs(agents: Sequence[AgentSpec], ruleset: Ruleset) -> None:
    """Let programs show that they play by a ruleset, and warns of those that cannot.

    Raises:
        PlayerFailed: one plays by other rules.
    """
    if any(agent.outside for agent in agents):
        for note in probe_outsiders([Outsider.of(agent, ruleset) for agent in agents], ruleset):
            warnings.warn(note, stacklevel=4)


def _move_text(value: object) -> str:
    """Return a move as it was written.

    Raises:
        InputError: it is no text.
    """
    if not isinstance(value, str):
        raise input_error(expected(tr("a move as players write it"), repr(value)), key="move")
    return value
