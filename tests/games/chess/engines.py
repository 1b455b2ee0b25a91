"""Names for rules, positions and moves of chess in tests, and what is asked of twin and kernel besides."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from tests import engines
from tests.engines import Engine, Settings, Twin, full_moves, with_defaults
from workbench.games.chess.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

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
    "goal": "lose-all", "capture": "obligatory", "king": "ordinary", "castling": "never", "stalemate": "win",
    "insufficient_material": "play-on",
}  # fmt: skip
ENDLESS: dict[str, Setting] = {"repetition": 0, "move_limit": 0}

SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]
"""Knights out and home: the board of the start comes back."""

rules = functools.partial(with_defaults, DECLARATION)
engine = engines.engines("chess")

LIKE_CHESS = (
    *("start_position", "pawn_moves", "pawn_double_step", "pawn_extra", "promotion_to", "promotion_rank", "drops"),
    *("blast", "giving_check", "extinction", "self_capture", "king"),
    *("knight_moves", "bishop_moves", "rook_moves", "queen_moves", "king_moves"),
)
"""Where these toggles are at their defaults, python-chess knows the moves."""


def read_by_python_chess(name: str) -> bool:
    settings = rulesets.load_ruleset(name).settings
    own_turns = settings["turns"] in ("double", "double-balanced", "progressive-own")
    return not own_turns and all(settings[toggle] == DECLARATION.toggle(toggle).default for toggle in LIKE_CHESS)


def begin(settings: Settings, setup: Mapping[str, Any] | None = None) -> GameState:
    return engines.begin("chess", settings, setup)


def in_uci(game_state: GameState) -> dict[int, str]:
    return {move: text for text, move in full_moves(game_state).items()}


def fen(engine: Engine, settings: Settings, moves: Sequence[str] = (), setup: dict[str, str] | None = None) -> str:
    """The first two fields of a position's FEN: the pieces, and the colour to move."""
    if isinstance(engine, Twin):
        text = engine.played(settings, moves, setup)[-1].fen()
    else:
        game_state = engine.played(settings, moves, setup)  # type: ignore[attr-defined]
        text = game_state.notation.position(game_state.rules, game_state.state)["fen"]
    return " ".join(text.split()[:2])


def at(fen: str, run: str = "1/1") -> dict[str, str]:
    return {"fen": fen, "run": run}
