"""Where an effect arises: invented curves, planted causes, null changes, and the command."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from tests.command_line import as_json, call, printed, refused
from workbench.addons.why import effects as pages
from workbench.base.errors import InputError
from workbench.cli.application import print_json
from workbench.games.declaration import Setting
from workbench.players.agents import AgentSpec
from workbench.rules import rulesets

AFTER = (0, 2, 4, 8, 16, 32, 60)


def explained(base: str, changes: dict[str, Setting], games: int, seed: int, agent: str = "greedy") -> pages.Why:
    was = rulesets.load_ruleset(base)
    now = rulesets.derive_ruleset(was, changes, f"{base} changed", "changed")
    return pages.explain(pages.play_switched(was, now, AgentSpec.of(agent), games, seed, 300))


@pytest.mark.parametrize(
    ("rise", "part", "plies"), [(1, pages.OPENING, (0, 2)), (4, pages.MIDDLE, (8, 16)), (6, pages.END, (32, 60))]
)
def test_a_curve_that_rises_at_once_has_its_effect_there(rise: int, part: str, plies: tuple[int, int]) -> None:
    """The first rows have the effect, those behind its place do not."""
    rng = np.random.default_rng(rise)
    values = np.array([rng.random(400) + 0.5 * (row < rise) for row in range(len(AFTER))])
    lengths = np.full(400, 40)
    place = pages.locate_effect("plies_mean", values, AFTER, lengths)
    assert place.is_significant and place.effect == pytest.approx(0.5, abs=0.1)
    assert (place.part, place.start, place.stop) == (part, *plies) and place.chance > 0.9 and place.share > 0.8
    assert sum(band.value for band in place.bands) == pytest.approx(place.effect)
    assert [band.low <= 0 <= band.high for band in place.bands].count(False) >= 1


def test_what_happens_more_often_is_found_with_what_goes_along() -> None:
    rng = np.random.default_rng(1)
    games = []
    for often in (0.1, 0.4):
        captures = rng.poisson(10 * often, 500)
        results = np.where(captures > 3, 3, 1)
        events = np.array([captures, rng.poisson(5, 500)]).T
        games.append(pages.GamesOfRules(results, np.full(500, 50), events, np.where(captures > 3, 8, 9)))
    columns = pages.event_columns(["captures", "checks"], {8: "stuck", 9: "mate"}, games)
    drawn = tuple((each.results == 3).astype(float) for each in games)
    found = pages.changed_events(columns, (drawn[0], drawn[1]))
    assert {event.name for event in found} == {"captures", "stuck", "mate"} and found[0].after > found[0].before
    assert ("stuck", "draw") in {(event.name, event.result) for event in found}
    stuck = next(event for event in found if event.name == "stuck")
    assert stuck.along == pytest.approx(1) and stuck.p < 1e-6


def test_what_is_the_same_in_every_game_of_both_is_no_change() -> None:
    """Games that are all stopped at the same ply, with a check each; with the change each has a castling, too."""
    games = [
        pages.GamesOfRules(np.zeros(40, int), np.full(40, 10), np.array([[1, castles]] * 40), np.ones(40, int))
        for castles in (0, 1)
    ]
    columns = pages.event_columns(["checks", "castlings"], {1: "cap"}, games)
    (event,) = pages.changed_events(columns, (np.zeros(40), np.zeros(40)))
    assert (event.name, event.size) == ("castlings", math.inf) and 0 < event.p < 1e-20
    # Of two games each, one pair in three has them sorted so by chance.
    few = {key: (before[:2], now[:2]) for key, (before, now) in columns.items()}
    assert not pages.changed_events(few, (np.zeros(2), np.zeros(2)))


def test_what_is_nearly_the_same_in_all_games_is_compared_without_a_warning() -> None:
    before, now = np.full(40, 1e9), np.full(40, 1e9)
    now[0] += 1e-3
    assert not pages.changed_events({("checks", ""): (before, now)}, (before, now))


@pytest.mark.family("draughts")
def test_games_up_to_the_switch_are_those_without_the_change() -> None:
    was = rulesets.load_ruleset("draughts/english")
    now = rulesets.derive_ruleset(was, {"stuck": "draw"}, "x", "x")
    switched = pages.play_switched(was, now, AgentSpec.of("random"), 50, 3, 300)
    again = pages.play_switched(was, now, AgentSpec.of("random"), 50, 3, 300)
    assert (switched.results == again.results).all() and switched.after[0] == 0
    # Random players do not look ahead: the same moves, and another result of games in which a player is stuck.
    before, after = switched.alone
    assert (before.plies == after.plies).all() and (before.endings == after.endings).all()
    changed = before.results != after.results
    assert changed.any() and (after.results[changed] == 3).all()
    assert (switched.results[0] == after.results).all() and (switched.results[-1] == before.results).all()
    for step, results, plies in zip(switched.after, switched.results, switched.plies, strict=True):
        over = before.plies <= step
        assert (results[over] == before.results[over]).all() and (plies[~over] > step).all()


def test_rules_that_never_part_have_no_effect_to_place() -> None:
    why = explained("star/default", {"draw_value": 0}, 20, 1, "random")
    assert not any(place.is_significant for place in why.places) and not why.events
    assert {each["part"] for each in pages.plain_why(why)["effects"]} == {None}
    assert "no effect" in pages.why_sentences(why)[0]


def test_rulesets_must_differ_and_be_of_one_game() -> None:
    star, chatra = (rulesets.load_ruleset(name) for name in ("star/default", "chatra/2008-02"))
    for other in (star, chatra):
        with pytest.raises(InputError, match="two rulesets of one game"):
            pages.play_switched(star, other, AgentSpec.of("random"), 10, 1, 100)


def test_json_has_null_for_what_is_not_finite(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": [math.nan, (math.inf, 1.5)], "b": {"c": np.float64("-inf")}, "d": None, "e": True})
    assert json.loads(capsys.readouterr().out, parse_constant=pytest.fail) == {
        "a": [None, [None, 1.5]], "b": {"c": None}, "d": None, "e": True
    }  # fmt: skip


def test_the_command_places_an_effect_and_draws_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rulesets" / "star").mkdir(parents=True)
    for name, stuck in (("one", "loss"), ("two", "draw")):
        text = f"game: star\ntitle: {name}\nrules:\n  stuck: {stuck}\n"
        (tmp_path / "rulesets" / "star" / f"{name}.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    words = ("why", "star/one", "star/two", "--agent", "random", "--games", "150")
    (told,) = as_json(*words, "--json")
    best = next(effect for effect in told["effects"] if effect["measure"] == told["clearest"])
    assert best["sure"] and best["part"] == "end" and told["events"][0]["name"] == "stuck"
    assert "towards the end of the game" in told["sentences"][0]
    files = sorted(path.name for path in (tmp_path / "reports" / "why").glob("*/*"))
    assert files == [".workbench", "why.png", "why.svg"]
    assert "plies" in printed(*words)
    assert call("why", "star/one", "star/one").exit_code == 2
    assert "at least 2, found '1'" in refused("why", "star/one", "star/two", "--games", "1")


PLANTED: tuple[tuple[str, dict[str, Setting], int, str, tuple[str, ...]], ...] = (
    ("draughts/english", {"stuck": "draw"}, 400, pages.END, ("stuck",)),
    ("draughts/english", {"repetition": 0}, 200, pages.END, ("repetition",)),
    ("draughts/english", {"quiet_limit": 8}, 400, pages.END, ("quiet-limit",)),
    ("draughts/english", {"goal": "first-king"}, 400, pages.MIDDLE, ("first-king",)),
    ("star/default", {"stuck": "draw"}, 300, pages.END, ("stuck",)),
    ("chess/orthodox", {"stalemate": "loss"}, 200, pages.END, ("stalemate",)),
    ("chess/orthodox", {"move_limit": 10}, 400, pages.END, ("move-limit",)),
    ("chess/orthodox", {"pawn_double_step": "never"}, 300, pages.OPENING, ()),
    ("chatra/2008-02", {"later_object": "away-from-enemy-zone"}, 800, pages.OPENING, ("plies_facing", "flights")),
    ("chatra/2008-02", {"opening": "objects-first"}, 300, pages.OPENING, ()),
)
"""Rules whose place in the game is known, with an event or ending that they speak of, if one is counted."""


@pytest.mark.slow
def test_planted_causes_are_placed_and_named() -> None:
    right = []
    for base, changes, games, part, names in PLANTED:
        for seed in range(3):
            why = explained(base, changes, games, seed)
            named = {event.name for event in why.events[: pages.MOST_EVENTS]}
            right.append((why.best.is_significant and why.best.part == part, not names or bool(named & set(names))))
    placed, named = np.array(right).T
    assert len(right) >= 20 and (placed & named).mean() >= 0.9
