"""What the processes beside the server do for a game in play: each function runs in one of them, on plain data."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.files.project import Project
    from workbench.games.game_state import GameState
    from workbench.outside.players import Seated
    from workbench.play.touch import Touch
    from workbench.questions.rulesets import Ruleset

MOST_PLIES = 2000
KEPT = 8
"""Games and players that a process remembers."""
_states: OrderedDict[tuple[str, str], GameState] = OrderedDict()
_players: OrderedDict[tuple[str, str, int, int], Seated] = OrderedDict()


def position(ruleset: Ruleset, start: str, played: tuple[int, ...]) -> dict[str, Any]:
    """The position after some moves from the start, or from a position as `setup_of` reads it.

    Its picture, and what may be touched.

    Raises:
        UserError: the position cannot be set up.
    """
    from markupsafe import Markup

    from workbench.engine import contract
    from workbench.games.results import RESULTS
    from workbench.play.touch import names, touches
    from workbench.report.render.boards import CELL, EDGE, Pieces, svg
    from workbench.report.render.wording import DRAWN, WON, termination
    from workbench.report.text import Text

    game_state = _reached(ruleset, start, played)
    board, touched = game_state.board(), touches(game_state)
    last = frozenset[tuple[int, int]]()
    if played:
        move = game_state.played[-1]
        game_state.undo()
        last = game_state.board().changes(board)
        game_state.push(move)
    pieces = Pieces("play")
    picture = svg(board, pieces, {"last": last})
    result, ending = game_state.outcome()
    over = None
    if result != contract.ONGOING:
        told = DRAWN if result == contract.DRAW else WON
        winner = game_state.declaration.seats[result == contract.SECOND]
        player = Text(winner, "後手" if result == contract.SECOND else "先手")
        over = {
            "result": RESULTS[result],
            "told": told.format(plies=len(played), player=player),
            "why": termination(game_state.declaration, str(ending)),
            "termination": str(ending),
        }
    return {
        "picture": str(Markup("{}{}").format(pieces.definitions(), picture)),
        "size": (len(board.cells), len(board.cells[0]), CELL, EDGE),
        "names": [(y, x, name) for (y, x), name in names(game_state).items()],
        "cells": [list(row) for row in board.cells],
        "moves": [touch._asdict() for touch in touched],
        "hands": _hands(game_state, touched),
        "texts": list(game_state.texts),
        "seat": game_state.seat,
        "seats": list(game_state.declaration.seats),
        "notes": (list(board.notes), list(board.notes_ja or board.notes)),
        "over": over,
    }


def _hands(game_state: GameState, touched: Sequence[Touch]) -> list[tuple[str, str]]:
    """What may be placed from the hand, each with the sign that it is on the board."""
    signs: dict[str, str] = {}
    for touch in touched:
        if touch.target and not touch.origin and touch.hand not in signs:
            game_state.push(touch.move)
            y, x = touch.target
            signs[touch.hand] = game_state.board().cells[y][x] or touch.text
            game_state.undo()
    return list(signs.items())


def why_not(
    ruleset: Ruleset,
    start: str,
    played: tuple[int, ...],
    origin: tuple[int, int] | None,
    target: tuple[int, int],
    hand: str,
) -> str:
    """Which rule forbids what somebody touched, in a sentence."""
    from workbench.play.touch import attempt

    game_state = _reached(ruleset, start, played)
    return game_state.why_not(attempt(game_state, origin, target, hand))


def opponents(ruleset: Ruleset, project: Project) -> list[str]:
    """Players that there are for some rulesets only: who plays by the solution, or by what was learned of the rules."""
    from workbench import games
    from workbench.errors import UserError
    from workbench.learning import library
    from workbench.questions import agents

    there = []
    for name in ("optimal", *(f"alphabeta-10k-learned-{seed}" for seed in (1, 2, 3))):
        with contextlib.suppress(UserError):
            library.player(agents.agent(name, [games.declaration(ruleset.game)]), ruleset, project)
            there.append(name)
    return there


def reply(
    ruleset: Ruleset, start: str, played: tuple[int, ...], agent: str, seat: int, seed: int, project: Project
) -> int:
    """The move of a player of the workbench."""
    from workbench import games
    from workbench.learning import library
    from workbench.outside.players import Own
    from workbench.questions import agents

    key = (f"{ruleset.fingerprint} {start}", agent, seat, seed)
    if key not in _players:
        spec = agents.agent(agent, [games.declaration(ruleset.game)], "player", project)
        player = Own(library.player(spec, ruleset, project), MOST_PLIES)
        player.new_game(seat, seed)
        _kept(_players, key, player)
    return int(_players[key].choose(_reached(ruleset, start, played)))


def must_compile(game: str, agent: str) -> bool:
    """Whether a player's machine code for a game is still to be made."""
    from workbench.engine import jit
    from workbench.questions import agents

    return jit.must_compile({"advice._advise", agents.agent(agent).function} - {""}, [game])


def record(ruleset: Ruleset, played: tuple[int, ...], result: str, ending: str, names: tuple[str, str]) -> str:
    """A game from the start as players exchange it (PGN, PDN)."""
    from workbench.play.match import Played, exported

    texts = tuple(_reached(ruleset, "", played).texts)
    return exported(ruleset, Played(0, 0, played, texts, result, ending), *names)


def _reached(ruleset: Ruleset, start: str, played: tuple[int, ...]) -> GameState:
    """The game after these moves; what two calls share is not played again."""
    from workbench.games.game_state import GameState, setup_of

    key = (ruleset.fingerprint, start)
    game_state = _states.get(key) or GameState(ruleset.game, ruleset.codes(), setup_of(ruleset.game, start))
    _kept(_states, key, game_state)
    while game_state.played and tuple(game_state.played) != played[: len(game_state.played)]:
        game_state.undo()
    for move in played[len(game_state.played) :]:
        game_state.push(move)
    return game_state


def _kept(kept: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > KEPT:
        kept.popitem(last=False)
