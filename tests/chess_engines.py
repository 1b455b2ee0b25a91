"""The engines that play the 007 family of chess, behind one interface for the tests.

Moves are in UCI. Where the pawn's owner chooses the piece, the pawn's move is "e7e8" and the owner's decision "=q".
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Protocol

from tests.engines import Outcome, Settings, in_turn, outcome_of, with_defaults
from tests.naive import chess as twin
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.games.game_state import GameState
from workbench.games.results import SEATS
from workbench.questions import rulesets

Setup = Mapping[str, str]

TRIPLE: dict[str, Setting] = {"turns": "triple"}
BALANCED: dict[str, Setting] = {"turns": "balanced"}
PROGRESSIVE: dict[str, Setting] = {"turns": "progressive"}
OWNER: dict[str, Setting] = {"promotion_by": "owner"}
SAFE: dict[str, Setting] = {"moved_enemy": "safe"}
OTHER_PIECE: dict[str, Setting] = {"same_piece": "only-if-forced"}
KING_AND_ROOK: dict[str, Setting] = {"castling_moves": "king-and-rook"}
DETENTE = TRIPLE | SAFE | OTHER_PIECE
BALANCED_DETENTE = BALANCED | SAFE | OTHER_PIECE
TAKE_KINGS: dict[str, Setting] = {"king": "capture", "insufficient_material": "play-on"}
ANTICHESS: dict[str, Setting] = {
    "goal": "lose-all",
    "capture": "obligatory",
    "king": "ordinary",
    "castling": "never",
    "stalemate": "win",
    "insufficient_material": "play-on",
}
ENDLESS: dict[str, Setting] = {"repetition": 0, "move_limit": 0}

SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]
"""Knights out and home: the board of the start comes back."""

rules = functools.partial(with_defaults, DECLARATION)


class Engine(Protocol):
    """What a test may ask of an engine; settings name every toggle, and an illegal move raises ValueError."""

    def legal(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> set[str]:
        """The legal moves after these moves from the start or a set-up position."""

    def outcome(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> Outcome:
        """Result and termination there, with the repetitions on the way."""

    def seat(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
        """Who chooses the next move: "first" or "second"."""

    def fen(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
        """The first two fields of the position's FEN: the pieces, and the colour to move."""


def read_by_python_chess(name: str) -> bool:
    """Whether python-chess knows the moves of a ruleset."""
    settings = rulesets.load_ruleset(name).settings
    moves = ("start_position", "pawn_moves", "promotion_to", "promotion_rank", "drops", "blast", "giving_check")
    others = {name: DECLARATION.toggle(name).default for name in (*moves, "extinction")}
    return (
        settings["king"] == "checkmate"
        and settings["turns"] not in ("double", "double-balanced", "progressive-own")
        and all(settings[name] == usual for name, usual in others.items())
        and twin.pawns_and_captures_as_in_chess(settings)
    )


class Twin:
    """The slow twin behind the interface of the tests."""

    def played(self, settings: Settings, moves: Sequence[str], setup: Setup | None) -> list[twin.Position]:
        begin = None if setup is None else twin.from_setup(settings, setup)
        return list(twin.positions(settings, moves, begin))

    def legal(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> set[str]:
        return twin.legal_moves(settings, self.played(settings, moves, setup)[-1])

    def outcome(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> Outcome:
        played = self.played(settings, moves, setup)
        keys = [twin.repetition_key(settings, position) for position in played]
        return twin.outcome(settings, played[-1], keys[:-1])

    def seat(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
        return ("first", "second")[twin.seat(settings, self.played(settings, moves, setup)[-1])]

    def fen(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
        return " ".join(self.played(settings, moves, setup)[-1].board.fen().split()[:2])


class Kernel:
    """The compiled kernel behind the interface of the tests."""

    def game_state(self, settings: Settings, moves: Sequence[str], setup: Setup | None) -> GameState:
        game_state = begin(settings, setup)
        for move in moves:
            game_state.push_text(move.upper() if move.startswith("=") else move)
        return game_state

    def legal(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> set[str]:
        listed = list(in_uci(self.game_state(settings, moves, setup)).values())
        assert len(listed) == len(set(listed)), "a move is listed twice"
        return set(listed)

    def outcome(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> Outcome:
        return outcome_of(self.game_state(settings, moves, setup))

    def seat(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
        return SEATS[self.game_state(settings, moves, setup).seat]

    def fen(self, settings: Settings, moves: Sequence[str] = (), setup: Setup | None = None) -> str:
        game_state = self.game_state(settings, moves, setup)
        return " ".join(game_state.notation.position(game_state.rules, game_state.state)["fen"].split()[:2])


def begin(settings: Settings, setup: Setup | None = None) -> GameState:
    """A new game on the kernel."""
    codes = rulesets.kernel_codes("chess", settings)
    return GameState("chess", codes, setup)


def in_uci(game_state: GameState) -> dict[int, str]:
    """The legal moves by the kernel's number for them."""
    texts = {}
    for move in game_state._generate():
        text = game_state.notation.uci(game_state.rules, game_state.state, move)
        texts[move] = text
    return texts


def at(fen: str, run: str = "1/1") -> dict[str, str]:
    """A setup: the FEN, and the place in the run."""
    return {"fen": fen, "run": run}


def origins(moves: set[str]) -> set[str]:
    """The squares from which the moves go."""
    return {move[:2] for move in moves}


def targets(square: str, moves: set[str]) -> set[str]:
    """The squares to which the piece on a square goes."""
    return {move[2:4] for move in moves if move.startswith(square)}


engine = in_turn(Twin(), Kernel())
