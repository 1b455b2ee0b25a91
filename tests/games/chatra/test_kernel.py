"""The compiled kernel and the naive twin play the same Chatra: compared ply by ply over random games."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests import engines, few
from tests.engines import Settings
from tests.games.chatra import twin, twin_events
from workbench.engine import contract
from workbench.games.chatra.rules import DECLARATION
from workbench.games.declaration import Setting
from workbench.positions.game_state import GameState
from workbench.rules import rulesets

EVENTS = [event.name for event in DECLARATION.events]
DRAWN = ".B......./...b...../........./........./.b.....w./........./...w...../......W../........."
"""A board to begin with, of 9×9 squares."""
MIXTURES: list[dict[str, Setting]] = [
    {"offside": "front"},
    {"size": 9, "subjects": 1, "repetition_count": 2},
    {"offside": "any-two", "limits_end": "never"},
    {"offside": "off", "limits_end": "never"},
    {"offside_line": "segment", "limits_end": "never"},
    {"offside": "front", "offside_line": "segment", "limits_end": "never"},
    {"offside": "any-two", "offside_line": "segment", "adjacent_drops": "allowed", "limits_end": "never"},
    {"offside_exemption": "rows-columns-diagonals", "limits_end": "never", "offside": "any-two"},
    {
        "offside_exemption": "rows-columns-diagonals",
        "offside": "any-two",
        "offside_line": "segment",
        "drop_check": "allowed",
    },
    {"offside_exemption": "rows-columns-diagonals", "offside": "front", "limits_end": "never"},
    {"limits_end": "never", "object_into_centre": "after-first-check"},
    {"adjacent_drops": "allowed", "drop_check": "allowed"},
    {"adjacent_drops": "allowed", "middle_piece": "no-links-on-that-line"},
    {"enemy_object_cuts": False, "adjacent_drops": "allowed"},
    {"enemy_object_cuts": False, "middle_piece": "no-links-on-that-line", "adjacent_drops": "allowed"},
    {"size": 9, "subjects": 5, "stuck": "loss", "repetition": "draw", "repetition_count": 2},
    {"size": 9, "subjects": 3, "adjacent_drops": "allowed", "drop_check": "allowed", "opening": "objects-first"},
    {"size": 15, "subjects": 20, "repetition": "off", "offside": "front"},
    {"size": 9, "object_area": "........./.xxxxxxx./.xxxxxxx./.xx...xx./.xx...xx.", "opening": "objects-first"},
    {"size": 9, "object_area": ".xx../x..../..x../...../....x", "later_object": "outside-enemy-zone"},
    {"drop_area": "xx..../xxxxxx/xxxxxx/x....x/x....x/x....x"},
    {"size": 9, "drop_area": "xxxxx/x.x.x/xxxxx/x.x.x/xxxxx", "adjacent_drops": "allowed", "limits_end": "never"},
    {"size": 9, "start_position": DRAWN, "subjects": 6, "limits_end": "never"},
    {"size": 9, "start_position": DRAWN, "drop_area": "xxxx.xxxx/" * 8 + "xxxxxxxxx", "offside": "front"},
    {"size": 9, "start_position": DRAWN.replace("B", ".").replace("W", "."), "opening": "objects-first", "subjects": 9},
    {"size": 9, "subjects": 4, "white_supply": 7, "white_extra_moves": 2, "adjacent_drops": "allowed"},
    {"size": 9, "link_moves": "flights", "adjacent_drops": "allowed", "drop_check": "allowed", "row_wins": 4},
    {"size": 9, "link_moves": "slides", "adjacent_drops": "allowed", "drop_check": "allowed", "row_wins": 5},
    {"size": 9, "link_moves": "slides", "start_position": DRAWN, "enemy_object_cuts": False},
    {"size": 9, "flight_captures": "flown-over", "adjacent_drops": "allowed", "drop_check": "allowed", "subjects": 12},
    {"size": 9, "flight_captures": "flown-over", "start_position": DRAWN, "middle_piece": "no-links-on-that-line"},
    {"size": 9, "link_moves": "flights", "flight_captures": "flown-over", "start_position": DRAWN, "row_wins": 3},
    {"size": 6, "white_extra_moves": 3, "row_wins": 3, "opening": "objects-first"},
]


def moving(chance: random.Random, legal: list[str], position: twin.Position) -> str:
    """A move; captures and object moves are rare among the many drops, and a fair share of them finds more."""
    some = [move for move in legal if "-" in move or move.startswith("O")]
    return chance.choice(some if some and chance.random() < 0.5 else legal)


def same_events(settings: Settings, game_state: GameState, positions: list[twin.Position], where: str) -> None:
    if game_state.plies:
        counts = np.zeros(len(EVENTS), np.int32)
        contract.events(game_state.rules, game_state.before(-2), game_state.played[-1], game_state.state, counts)
        counted = {name: int(n) for name, n in zip(EVENTS, counts, strict=True) if n}
        assert counted == +twin_events.of_move(settings, positions[-2], game_state.texts[-1], positions[-1]), where


def compare(settings: Settings, seed: int, plies: int) -> int:
    return engines.compare("chatra", settings, seed, plies, choose=moving, look=same_events)[0]


LONG = pytest.param(70, marks=pytest.mark.slow)
"""The twin takes longer, the more pieces there are: the second half of so long a game costs three times the first."""


@pytest.mark.parametrize("plies", [36, LONG])
@few.every_ruleset("chatra/", quick=few.ONE_EACH, nightly_in=3)
def test_kernel_and_twin_agree_on_every_shipped_ruleset(name: str, plies: int) -> None:
    assert compare(rulesets.load_ruleset(name).settings, seed=1, plies=plies) > 3


@pytest.mark.kernel
@pytest.mark.parametrize("plies", [36, LONG])
@pytest.mark.parametrize("changes", few.first(2, MIXTURES, thorough=8), ids=str)
def test_kernel_and_twin_agree_on_mixed_toggles(changes: dict[str, Setting], plies: int) -> None:
    assert compare(DECLARATION.defaults() | changes, seed=2, plies=plies) > 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(120))
def test_kernel_and_twin_agree_on_random_rules(seed: int) -> None:
    chance = random.Random(seed)
    settings = DECLARATION.defaults()
    for toggle in DECLARATION.toggles:
        if chance.random() < 0.4:
            choices = [value.name for value in toggle.values]
            if toggle.name == "repetition_count":
                choices = [2, 3]
            elif span := toggle.span:
                choices += [n for n in (1, 3, 6, 10) if span.low <= n <= span.high and not (n - span.low) % span.step]
            settings[toggle.name] = chance.choice(choices)
    if settings["subjects"] == "unlimited":
        settings["white_supply"] = "as-black"  # To limit White alone is refused.
    compare(settings, seed, plies=70)
