"""Toggles that have no effect beside other settings: rule books leave them out, and games are the same without them."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator

import pytest

from tests import few
from tests.command_line import printed
from workbench import games
from workbench.engine import jit
from workbench.games.declaration import Declaration, NoEffect, Setting, Toggle, all_match, equal_settings
from workbench.games.drawings import Drawing
from workbench.positions.game_state import GameState
from workbench.report.sections.rules import distinct_changes
from workbench.rules import rulebook, rulesets
from workbench.rules.settings import find_conflicts

Settings = dict[str, Setting]
SET_UP = "B......../........./..b.b..../........./........./........./....w.w../........./........W"
DRAWN: dict[str, list[Settings]] = {
    "chatra": [{"size": 9, "start_position": SET_UP}],
    "chess": [{"start_position": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w -"},
              {"start_position": "4k3/8/8/8/8/8/8/R3K2R w KQ"}],
    "draughts": [{"start_position": "B:W21-30:BK2,5-12"}],
}  # fmt: skip
"""Drawings that settle other toggles."""
GAMES, PLIES = 1 if jit.DISABLED else 3, 40


def declared() -> Iterator[tuple[str, Toggle, NoEffect]]:
    for family in map(games.declaration, games.names()):
        for toggle in family.toggles:
            for idle in toggle.has_no_effect_when:
                yield family.name, toggle, idle


def settled() -> Iterator[tuple[str, Settings, str]]:
    for name, drawings in DRAWN.items():
        family = games.declaration(name)
        for changes in drawings:
            settings = family.defaults() | changes
            for toggle in family.toggles:
                for each in toggle.makes_irrelevant(settings[toggle.name]):
                    yield name, settings, each


def others(toggle: Toggle, now: Setting) -> list[Setting]:
    numbers = list(toggle.span.numbers()) if toggle.span else []
    every = [*(value.name for value in toggle.values), *numbers[:1], *numbers[-1:]]
    return [setting for setting in every if not equal_settings(setting, now)]


def places(family: Declaration, idle: NoEffect) -> Iterator[Settings]:
    """Rules in which the settings hold and that may be played."""
    made = (dict(zip(idle.settings, each, strict=True)) for each in itertools.product(*idle.settings.values()))
    shipped = (dict(one.settings) for one in rulesets.load_all_rulesets() if one.game == family.name)
    for changes in (*made, *shipped):
        settings = family.defaults() | changes
        if all_match(idle.settings, settings) and not find_conflicts(family, settings):
            yield settings


def play(family: str, settings: Settings, seed: int) -> list[object]:
    """All that a player at random sees: the legal moves and the outcome, ply by ply.

    As the kernel has them: how moves are written may depend on more, such as who numbers the squares of draughts.
    """
    chance, game = random.Random(seed), GameState(family, rulesets.kernel_codes(family, settings))
    seen: list[object] = []
    for _ in range(PLIES):
        moves = sorted(game.legal())
        seen.append((moves, game.outcome()))
        if not moves:
            break
        game.push(chance.choice(moves))
    return seen


def same_games(family: str, toggle: Toggle, settings: Settings) -> None:
    for setting, seed in itertools.product(others(toggle, settings[toggle.name]), range(GAMES)):
        assert play(family, settings, seed) == play(family, settings | {toggle.name: setting}, seed), setting


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("family", "toggle", "idle"),
    few.one_in(5, declared()),
    ids=lambda part: getattr(part, "name", "") or str(getattr(part, "settings", part)),
)
def test_what_is_declared_to_have_no_effect_has_none(family: str, toggle: Toggle, idle: NoEffect) -> None:
    found = list(places(games.declaration(family), idle))
    assert found, "no rules have these settings"
    for settings in (found[0], found[-1]):
        same_games(family, toggle, settings)


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("family", "settings", "name"), list(settled()), ids=lambda part: part if isinstance(part, str) else ""
)
def test_what_a_drawing_settles_has_no_effect(family: str, settings: Settings, name: str) -> None:
    same_games(family, games.declaration(family).toggle(name), settings)


def test_every_drawing_that_settles_is_tried() -> None:
    for family in map(games.declaration, games.names()):
        for toggle in (one for one in family.toggles if isinstance(one, Drawing)):
            for form in toggle.settled:
                drawn = (str(one.get(toggle.name)) for one in DRAWN[family.name])
                assert any(re.search(form, each) for each in drawn), (family.name, form)


@pytest.mark.parametrize("family", games.names())
def test_no_toggle_is_idle_where_it_was_seen_to_matter(family: str) -> None:
    declaration = games.declaration(family)
    for witness in rulebook.family_witnesses(family):
        for setting in (witness.value, declaration.toggle(witness.toggle).default):
            settings = {**declaration.defaults(), **witness.base, witness.toggle: setting}
            assert witness.toggle not in declaration.without_effect(settings), str(witness)


class TestRuleBooks:
    def test_of_breakthrough_say_nothing_of_kings_that_never_move(self) -> None:
        assert "A king " not in "\n".join(rulesets.load_ruleset("draughts/breakthrough").text())
        assert "A king moves any number" in "\n".join(rulesets.load_ruleset("draughts/brazilian").text())

    @pytest.mark.family("draughts")
    def test_of_reports_name_no_change_that_has_no_effect(self) -> None:
        def recorded(name: str) -> dict[str, object]:
            ruleset = rulesets.load_ruleset(name)
            return {"name": name, "game": ruleset.game, "settings": dict(ruleset.settings)}

        names = ["draughts/breakthrough", "draughts/kingscourt", "draughts/english"]
        changes = distinct_changes([recorded(name) for name in names], names[0])
        kings = ("king_move", "king_capture", "quiet_limit")
        assert {change.proposals for change in changes if change.toggle in kings} == {("draughts/english",)}

    def test_show_marks_the_settings(self) -> None:
        assert "    castling_moves: king  # no effect here" in printed("show", "chess/orthodox").splitlines()

    @pytest.mark.parametrize("family", games.names())
    def test_list_each_conflict_once(self, family: str) -> None:
        lines = printed("rules", family).partition("Incompatible settings:")[2]
        messages = [" ".join(each.split()) for each in re.split(r"\n {4}(?! )", lines)[1:]]
        assert len(messages) == len(set(messages))
