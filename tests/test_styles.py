"""Styles: players who are told where to place the object in Chatra."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from workbench import games
from workbench.base.errors import InputError
from workbench.engine import jit, trials
from workbench.engine.players import BlockArguments
from workbench.players import agents
from workbench.players.agents import AgentSpec
from workbench.positions.game_state import GameState, opening_texts
from workbench.rules import rulesets

pytestmark = pytest.mark.kernel
searches = pytest.mark.skipif(jit.DISABLED, reason="thousands of positions")
CHATRA = games.declaration("chatra")
ZONES = {"corner": {(0, 0), (0, 2), (2, 0), (2, 2)}, "edge": {(0, 1), (1, 0), (1, 2), (2, 1)}, "centre": {(1, 1)}}


def played(ruleset: str, first: AgentSpec, second: AgentSpec, count: int, plies: int = 12) -> list[list[str]]:
    codes = rulesets.load_ruleset(ruleset).codes()
    numbers = [agent.player(CHATRA) for agent in (first, second)]
    seeds = np.arange(count, dtype=np.uint64)
    arrays = trials.run_block(BlockArguments("chatra", codes, numbers[0], numbers[1], seeds, plies, keep=plies))
    return [text.split() for text in opening_texts("chatra", codes, arrays["opening"])]


def square(move: str) -> tuple[int, int]:
    """Column and row, from 0."""
    match = re.fullmatch(r"O([a-l])([0-9]+)", move)
    assert match
    return ord(match[1]) - ord("a"), int(match[2]) - 1


def zone(move: str) -> tuple[int, int]:
    x, y = square(move)
    return x // 4, y // 4


def off_centre(move: str) -> int:
    x, y = square(move)
    return max(4 - x, x - 7, 4 - y, y - 7, 0)


def objects(moves: list[str], seat: int) -> list[str]:
    """The object moves of a seat; the first one places it."""
    return [move for move in moves[seat::2] if move.startswith("O")]


@pytest.mark.parametrize("kind", ["random", "greedy", "alphabeta"])
@pytest.mark.parametrize("ruleset", ["chatra/2007-09", "chatra/C"])
def test_a_style_places_the_object(kind: str, ruleset: str) -> None:
    options: dict[str, Any] = {"depth": 1} if kind == "alphabeta" else {}
    edge, corner = (AgentSpec.of(kind, style=style, **options) for style in ("edge", "corner"))
    for moves in played(ruleset, edge, corner, 1 if jit.DISABLED else 20, plies=4):
        placed = [objects(moves, seat)[0] for seat in (0, 1)]
        assert zone(placed[0]) in ZONES["edge"] and off_centre(placed[0]) > 1
        assert zone(placed[1]) in ZONES["corner"]


def choices(ruleset: str, moves: list[str]) -> Iterator[tuple[int, str, list[str]]]:
    """The seat, the move and all legal moves of every ply."""
    game_state = GameState("chatra", rulesets.load_ruleset(ruleset).codes())
    for ply, move in enumerate(moves):
        yield ply % 2, move, game_state.legal_texts()
        game_state.push_text(move)


@searches
@pytest.mark.parametrize("ruleset", ["chatra/2007-09", "chatra/C", "chatra/D", "chatra/A+C"])
def test_styles_are_kept_wherever_a_legal_move_allows_it(ruleset: str) -> None:
    centre, edge = (AgentSpec.of("greedy", style=style) for style in ("centre", "edge"))
    reached = 0
    for moves in played(ruleset, centre, edge, 20):
        at: list[str | None] = [None, None]
        for seat, move, legal in choices(ruleset, moves):
            steps = [each for each in legal if each.startswith("O")]
            here = at[seat]
            if seat == 0 and steps:
                nearest = min(map(off_centre, steps))
                if here is None or nearest < off_centre(here):
                    assert move in steps and off_centre(move) == nearest
            if seat == 1 and here is not None and not all(each in steps and not off_centre(each) for each in legal):
                assert move not in steps or off_centre(move) > 0
            if move in steps:
                at[seat] = move
        reached += at[0] is not None and off_centre(at[0]) == 0
    assert reached >= 16, "the centre style usually gets there"


def test_who_stands_near_the_centre_may_go_there_or_not() -> None:
    near = AgentSpec.of("random", style="near-centre")
    entered = stayed = 0
    for moves in played("chatra/2007-09", near, near, 60):
        for seat in (0, 1):
            first, *later = objects(moves, seat)
            assert off_centre(first) == 1
            entered += bool(later) and off_centre(later[0]) == 0
            stayed += not later or off_centre(later[0]) > 0
    assert entered >= 10 and stayed >= 10


@searches
def test_a_style_that_the_rules_forbid_does_without() -> None:
    """Under E no object may enter the centre before the first check: the style stops beside it."""
    centre = AgentSpec.of("greedy", style="centre")
    for moves in played("chatra/E", centre, centre, 10, plies=8):
        assert off_centre(objects(moves, 1)[0]) == 1 and len(moves) == 8


def test_without_a_style_all_squares_are_open() -> None:
    plain = AgentSpec.of("random")
    zones = {zone(objects(moves, 1)[0]) for moves in played("chatra/2007-09", plain, plain, 200)}
    assert len(zones) == 8


def test_styles_are_part_of_what_an_agent_is() -> None:
    agent = agents.agent_from_text("alphabeta:depth=2,style=centre", [CHATRA])
    assert (agent.style, agent.label) == ("centre", "alphabeta-2-centre")
    assert agent.canonical()["style"] == "centre" and "style" not in AgentSpec.of("greedy").canonical()
    players = [AgentSpec.of("random", style=style).player(CHATRA) for style in ("", "centre", "corner")]
    assert [player.agent.style for player in players] == [0, 1, 3]
    with pytest.raises(InputError, match="expected a style of chatra, found 'center' .did you mean 'centre'"):
        agents.agent_from_text("greedy:style=center", [CHATRA])
    with pytest.raises(InputError, match="expected an option of optimal, found 'style'"):
        agents.agent_from_text("optimal:style=centre", [CHATRA])
    with pytest.raises(InputError, match="expected a style of star, found 'centre' .it declares none"):
        agents.agent_from_text("greedy:style=centre", [games.declaration("star")])
