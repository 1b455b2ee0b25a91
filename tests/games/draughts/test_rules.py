"""The rules of the draughts family, game by game, asked of every engine that plays them.

Positions are reached by moves, or set up when the moves would hide the point. Moves are written in full, with the
captured squares behind a colon; the numbers of the squares are drawn in workbench/games/draughts/witnesses.yaml.
"""

from __future__ import annotations

import functools

import pytest

from tests.engines import Engine, Settings, engines, with_defaults
from workbench.base.errors import InputError
from workbench.games.declaration import Setting
from workbench.games.draughts.rules import DECLARATION
from workbench.rules import rulesets

rules = functools.partial(with_defaults, DECLARATION)
"""Every toggle: the defaults, which are English draughts, then the changes."""


def shipped(name: str) -> Settings:
    return rulesets.load_ruleset(f"draughts/{name}").settings


engine = engines("draughts")


def moves_of(square: str, moves: set[str]) -> set[str]:
    return {move.split("-")[1] for move in moves if move.startswith(square + "-")}


def test_a_king_rests_after_three_moves_while_a_man_is_left(engine: Engine) -> None:
    settings = rules({"king_run": 3, "repetition": 0})
    line = ["1-6", "32-28", "6-1", "28-32", "1-6", "32-28"]
    assert engine.legal(settings, line, "B:WK32:BK1,12") == {"12-16"}
    assert moves_of("1", engine.legal(settings, line[:4], "B:WK32:BK1,12")) == {"5", "6"}
    # Another piece moves, and the king is free again. Who has kings alone moves on, and so does another king.
    assert "6-1" in engine.legal(settings, [*line, "12-16", "28-32"], "B:WK32:BK1,12")
    assert "6-1" in engine.legal(settings, line, "B:WK32:BK1")
    assert moves_of("4", engine.legal(settings, line, "B:WK32:BK1,K4,12")) == {"8"}
    # It captures, whatever it did before; and whoever cannot move otherwise has lost.
    assert engine.legal(settings, [*line[:5], "18-15"], "B:W18,K32:BK1,12") != set()
    assert engine.outcome(settings, line, "B:WK32,19,16:BK1,12") == ("second", "stuck")


def test_other_endings_come_before_the_quiet_limit_and_this_before_repetition(engine: Engine) -> None:
    assert engine.outcome(rules({"quiet_limit": 1}), ["11-16"], "W:WK11,19:B12") == ("second", "stuck")
    shuffle = ["1-6", "32-28", "6-1", "28-32"] * 2
    assert engine.outcome(rules({"quiet_limit": 8}), shuffle, "B:WK32:BK1") == ("draw", "quiet-limit")


TO_AND_FRO = ["1-6", "32-28", "6-1", "28-32"]


def to_and_fro(plies: int) -> list[str]:
    return (TO_AND_FRO * plies)[:plies]


def limited(value: str) -> Settings:
    return rules({"endgame_limits": value, "repetition": 0, "quiet_limit": 0})


@pytest.mark.parametrize(
    ("value", "fen", "plies"),
    [
        ("international", "B:WK32,K31,K30:BK1", 32), ("international", "B:WK32,21,22:BK1", 32),
        ("international", "B:WK32,K31:BK1", 10), ("international", "B:WK32,21:BK1", 10),
        ("international", "B:WK32:BK1", 10), ("international", "B:WK32:BK1,K4", 10), ("russian", "B:WK32,K31:BK1", 10),
        ("russian", "B:WK32:BK1", 10), ("russian", "B:WK32,K31,K30:BK1", 30),
        ("russian", "B:WK32,K31,K30,K29,K21:BK1", 30), ("russian", "B:WK32:BK1,K2,K3,K4", 30),
        ("russian", "B:WK32,K31,30:BK1", 60), ("russian", "B:WK32,K31,30:BK1,4", 60),
        ("russian", "B:WK32,31,30:BK1,4,3,12", 120), ("pool", "B:WK32,K31,K30:BK1", 26),
        ("pool", "B:WK32:BK1,K2,K3", 26),
    ],
)  # fmt: skip
def test_an_ending_is_a_draw_after_the_moves_that_its_rule_gives_it(
    engine: Engine, value: str, fen: str, plies: int
) -> None:
    assert engine.outcome(limited(value), to_and_fro(plies - 1), fen) == ("ongoing", None)
    assert engine.outcome(limited(value), to_and_fro(plies), fen) == ("draw", "endgame-limit")
    assert engine.outcome(limited("none"), to_and_fro(plies), fen) == ("ongoing", None)


@pytest.mark.parametrize(
    ("value", "fen"),
    [
        ("international", "B:WK32,K31,K30,K29:BK1"), ("international", "B:WK32,K31:BK1,4"),
        ("russian", "B:WK32,K31,K30,29,21:BK1,4,3"), ("pool", "B:WK32,K31,30:BK1"), ("pool", "B:WK32,K31:BK1"),
        ("pool", "B:WK32,K31,K30,K29:BK1"),
    ],
)  # fmt: skip
def test_other_endings_have_no_limit(engine: Engine, value: str, fen: str) -> None:
    assert engine.outcome(limited(value), to_and_fro(130), fen) == ("ongoing", None)


@pytest.mark.parametrize(("value", "spent", "more"), [("international", 26, 1), ("russian", 22, 10)])
def test_a_capture_lengthens_an_ending_of_russian_draughts_alone(
    engine: Engine, value: str, spent: int, more: int
) -> None:
    # Three kings against one, until a king goes to 9 and is taken from 5: two are left, which have 5 moves of each
    # player in Russian draughts, and in international what is left of 16.
    line = [*to_and_fro(spent), "6-1", "14-9", "1-5", "28-32", "5x14:9"]
    fen, after = "B:WK32,K31,K14:BK1", ["32-28", "14-10", "28-32", "10-14"] * 3
    assert engine.outcome(limited(value), [*line, *after[: more - 1]], fen) == ("ongoing", None)
    assert engine.outcome(limited(value), [*line, *after[:more]], fen) == ("draw", "endgame-limit")


def test_a_new_king_begins_the_count_of_russian_draughts_anew(engine: Engine) -> None:
    # The third ply makes a king on 1: three pieces as before, and 5 moves of each player from there.
    fen, line = "W:WK32,5:BK4", ["32-28", "4-8", "5-1", "8-4"]
    after = ["28-32", "4-8", "32-28", "8-4"] * 3
    assert engine.outcome(limited("russian"), [*line, *after[:8]], fen) == ("ongoing", None)
    assert engine.outcome(limited("russian"), [*line, *after[:9]], fen) == ("draw", "endgame-limit")
    assert engine.outcome(limited("international"), [*line, *after[:6]], fen) == ("draw", "endgame-limit")


def test_a_turkish_king_each_is_a_draw_unless_one_can_be_taken(engine: Engine) -> None:
    turkish = shipped("turkish")
    assert engine.outcome(turkish, setup="W:WKa1:BKh8") == ("draw", "endgame-limit")
    assert engine.outcome(turkish, setup="B:WKa1:BKh8") == ("draw", "endgame-limit")
    assert engine.outcome(turkish, setup="W:WKa1:BKa4") == ("ongoing", None)
    assert engine.outcome(turkish, ["a1xa5:a4"], "W:WKa1:BKa4") == ("first", "no-pieces")
    assert engine.outcome(turkish, setup="W:WKa1:Bh6") == ("ongoing", None)
    assert engine.outcome(turkish, ["a1xa5:a4"], "W:WKa1:Ba4,Kh8") == ("draw", "endgame-limit")


@pytest.mark.parametrize(
    "changes",
    [
        {"king_capture": "flying"}, {"endgame_limits": "international", "goal": "first-king"},
        {"endgame_limits": "turkish", "goal": "first-king"}, {"capture": "optional", "capture_choice": "most-pieces"},
        {"rows": 4}, {"empty_back_rows": 1}, {"size": 4}, {"size": 4, "rows": 2},
        {"size": 4, "rows": 1, "empty_back_rows": 1}, {"size": 6}, {"size": 10, "rows": 5},
        {"size": 12, "rows": 5, "empty_back_rows": 1}, {"royal": "back-centre"}, {"royal": "back-centre", "size": 10},
        {"royal": "back-centre", "size": 9, "empty_back_rows": 1}, {"royal": "back-centre", "size": 4, "rows": 1},
        {"royal": "back-centre", "size": 9, "goal": "first-king"}, {"men_step": "forward-and-sideways"},
    ],
    ids=str,
)  # fmt: skip
def test_conflicts_are_refused(changes: dict[str, Setting]) -> None:
    with pytest.raises(InputError):
        rulesets.derive_ruleset(rulesets.load_ruleset("draughts/english"), changes, "test", "test")
