"""The kernel's moves are those of pydraughts in random games of every variant that both know, ply by ply.

It chooses among captures by its own rules, keeps its own squares (counted from the second seat's side, whoever it is),
and ends games otherwise: only moves are compared.
"""

from __future__ import annotations

import random

import draughts
import pytest

from tests import few
from tests.games.draughts.test_kernel import game_state_of
from workbench.games.declaration import Setting
from workbench.games.draughts import notation
from workbench.games.draughts.rules_squares import squares
from workbench.rules import rulesets

VARIANTS: dict[str, tuple[str, dict[str, Setting]]] = {
    "frisian": ("frisian", {}),
    "frysk!": ("frisian", {"rows": 1}),
    "standard": ("international", {}),
    "antidraughts": ("international", {"goal": "lose-all"}),
    "breakthrough": ("international", {"goal": "first-king", "endgame_limits": "none"}),
    "brazilian": ("brazilian", {}),
    "russian": ("russian", {}),
    "english": ("english", {}),
    "italian": ("italian", {}),
}
"""What it calls them, the ruleset here, and what differs; its Turkish kings (0.6.7) move over pieces."""
Move = tuple[int, int, frozenset[int]]
"""Origin, destination and what is captured."""


@pytest.mark.parametrize(("variant", "seed"), few.first(2, [(name, seed) for seed in range(4) for name in VARIANTS]))
def test_moves_are_those_of_pydraughts(variant: str, seed: int) -> None:
    name, changes = VARIANTS[variant]
    base = rulesets.load_ruleset(f"draughts/{name}")
    settings = rulesets.derive_ruleset(base, changes, "test", "test").settings
    game_state = game_state_of(settings)
    places = squares(settings)
    mirror = -1 if notation.mirrored(game_state.rules) else 1
    order = sorted(places, key=lambda square: (-places[square].y, mirror * places[square].x))
    number = {bit: order.index(square) + 1 for bit, square in notation.names(game_state.rules).items()}
    game, chance = draughts.Board(variant)._game, random.Random(seed)
    for _ in range(120):
        ways, taken = game.legal_moves()
        theirs: dict[Move, list[list[int]]] = {}
        for way, captured in zip(ways, taken, strict=True):
            theirs[way[0][0], way[-1][1], frozenset(square for square in captured if square is not None)] = way
        ours: dict[Move, int] = {}
        for move in game_state._generate():
            prey = notation.captured(game_state.rules, game_state.state, move)
            ours[number[(move >> 8) & 255], number[move & 255], frozenset(number[bit] for bit in prey)] = move
        assert set(ours) == set(theirs), (variant, seed, game_state.texts)
        if not ours or game_state.outcome()[0]:
            break
        chosen = chance.choice(sorted(ours, key=lambda move: (move[0], move[1], sorted(move[2]))))
        game_state.push(ours[chosen])
        game.push(theirs[chosen])
