"""The commands that play: moves, perft, play; and games of experiments that play repeats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.command_line import MATE, SMALL, as_json, call, printed
from workbench.engine import trials
from workbench.engine.players import nobody
from workbench.questions import rulesets

pytestmark = pytest.mark.usefixtures("in_the_checkout")


# Positions


def test_the_shape_of_moves() -> None:
    output = as_json("moves", SMALL, "--json")
    assert list(output) == ["ruleset", "ply", "seat", "moves", "result", "termination"]
    assert (output["ruleset"], output["ply"], output["seat"]) == (SMALL, 0, "first")
    assert (output["result"], output["termination"]) == (None, None)
    assert len(output["moves"]) == 72
    second = as_json("moves", SMALL, "--moves", output["moves"][0], "--json")
    assert (second["ply"], second["seat"]) == (1, "second")


def test_moves_of_a_finished_game() -> None:
    output = as_json("moves", SMALL, "--moves", MATE, "--json")
    assert output == {
        "ruleset": SMALL,
        "ply": 11,
        "seat": "second",
        "moves": [],
        "result": "first",
        "termination": "mate",
    }
    assert "first (mate)" in printed("moves", SMALL, "--moves", MATE)


def test_moves_for_people_shows_the_board() -> None:
    text = printed("moves", SMALL, "--moves", "a1 Oh8")
    assert "1 │ ●  :" in text
    assert "8 │ :  :  :  ·  ·  ·  : [☆] : │ 8" in text
    assert "Black (first) has 62 legal moves at ply 3." in text


def test_the_shape_of_perft() -> None:
    output = as_json("perft", SMALL, "2", "--json")
    assert output == {"ruleset": SMALL, "counts": [72, 4672]}
    divided = as_json("perft", SMALL, "2", "--divide", "--json")
    assert sum(divided["divide"].values()) == 4672
    assert as_json("perft", SMALL, "1", "--moves", "a1", "--json")["counts"] == [divided["divide"]["a1"]]
    assert as_json("perft", SMALL, "2", "--moves", MATE, "--json")["counts"] == [0, 0]
    assert printed("perft", SMALL, "2") == "1 72\n2 4672\n"


def test_a_position_is_typed_as_the_game_writes_it() -> None:
    kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    assert printed("perft", "chess/orthodox", "2", "--position", kiwipete) == "1 48\n2 2039\n"
    seats = [
        json.loads(printed("moves", "chess/007", "--position", kiwipete, "--run", place, "--json"))["seat"]
        for place in ("3/1", "3/2")
    ]
    assert seats == ["first", "second"], "the colour to move is White's: ply 1 of White's run, ply 2 of Black's"
    assert json.loads(printed("moves", "star/default", "--position", "★□○/●○○/●□●", "--json"))["moves"]
    rows = printed("moves", "star/default", "--position", "{board: ★□○/●○○/●□●, to_move: second}", "--json")
    assert json.loads(rows)["seat"] == "second"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chess/007", "--position", "nonsense"), "the position cannot be set up: FEN"),
        (("chess/007", "--position", "{fen"), "--position:1: is not YAML"),
        (("chess/007", "--position", "{run: 3/2}"), "fen: expected text, found nothing"),
        (("star/default", "--position", "{board: 1}"), "board: expected rows of ★ □ ○ ● with / between, found 1"),
        (("star/default", "--position", "{bord: ★□○/●○○/●□●}"), "found the unknown key 'bord' (did you mean 'board'?)"),
        (("star/default", "--position", "{board: ★□○/●○○/●□●, to_move: third}"), "expected first or second"),
        (("chess/007", "--position", "8/8/8/8/8/8/8/K1k5 w - - 99999999999999999999 1"), "at most five digits"),
        (("chess/007", "--position", "٨/8/8/8/8/8/8/K1k5 w"), "'٨' in rank 8 is no piece"),
        (("draughts/english", "--position", "{fen: 'B:W31:B1', quiet: -1}"), "quiet: expected a whole number from 0"),
        (
            (
                "chatra/9x9",
                "--position",
                "{black: [z9], white: [], black_object: a1, white_object: i9, to_move: first}",
            ),
            "each a square of the 9×9 board",
        ),
        (
            (
                "chatra/9x9",
                "--position",
                "{black: [a1], white: [], black_object: a1, white_object: i9, to_move: first}",
            ),
            "two pieces stand on a1",
        ),
        (
            ("rengo/go9", "--position", "{board: ........., to_move: first, hands: {first: {玉: 1}}}"),
            "hands: expected some of first, second",
        ),
        (
            (
                "star/default",
                "--position",
                "{a: &a [1, 1], b: &b [*a, *a, *a, *a, *a, *a, *a], c: &c "
                + "[*b, *b, *b], d: "
                + "[" * 30
                + "]" * 30
                + "}",
            ),
            "24 levels",
        ),
        (("star/default", "--position", "{" * 3000), "expected at most 24 levels"),
        (("star/default", "--position", "★" * 5000), "expected at most 4,000 characters, found 5,000"),
        (("chatra/A", "--position", "f9"), "expected YAML in braces"),
        (("chess/007", "--run", "3/2"), "a place in a run needs a --position"),
    ],
)
def test_a_wrong_position_is_refused(arguments: tuple[str, ...], message: str) -> None:
    result = call("moves", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())


# Games


def games(*words: str) -> list[Any]:
    return [json.loads(line) for line in printed("play", SMALL, *words, "--json").splitlines()]


def test_the_shape_of_play() -> None:
    played = games("--first", "random", "--second", "greedy", "--games", "3", "--seed", "8", "--max-plies", "60")
    assert [(game["game"], game["seed"]) for game in played] == [(0, 8), (1, 9), (2, 10)]
    for game in played:
        assert list(game) == ["game", "seed", "moves", "result", "termination", "plies"]
        assert game["plies"] == len(game["moves"])
        assert (game["result"] == "unfinished") == (game["termination"] == "cap")


def test_every_game_of_a_series_can_be_played_alone() -> None:
    both = ("--first", "greedy", "--second", "random", "--max-plies", "50")
    series = games(*both, "--games", "4", "--seed", str(2**64 - 2))
    assert [game["seed"] for game in series] == [2**64 - 2, 2**64 - 1, 0, 1]
    for game in series:
        alone = games(*both, "--seed", str(game["seed"]))[0]
        assert alone == game | {"game": 0}


def test_legal_moves_of_play_are_those_of_moves() -> None:
    game = games("--first", "random", "--second", "random", "--legal", "--max-plies", "12")[0]
    assert len(game["legal"]) == game["plies"] == 12
    for ply, (move, legal) in enumerate(zip(game["moves"], game["legal"], strict=True)):
        assert move in legal
        if ply in (0, 3, 11):
            played = " ".join(game["moves"][:ply])
            assert as_json("moves", SMALL, "--moves", played, "--json")["moves"] == legal


def test_play_for_people_prints_a_line_a_game_and_the_last_board() -> None:
    words = ("play", SMALL, "--first", "random", "--second", "random", "--max-plies", "5")
    text = printed(*words)
    assert text.startswith("game 0 (seed 0): unfinished (cap), 5 plies: ")
    assert "└───" in text
    assert len(printed(*words, "--games", "3").splitlines()) == 3


def test_the_engine_keeps_whole_games_for_play() -> None:
    random = nobody(99)
    codes = rulesets.load_ruleset(SMALL).codes()
    arrays = trials.run_block("chatra", codes, random, random, np.array([3], np.uint64), 30, keep=30)
    assert (arrays["opening"][0] >= 0).sum() == arrays["plies"][0]


def test_games_are_exported_in_the_format_of_the_game(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    assert "wrote 2 games as PGN" in printed("play", "chess/007", "--games", "2", "--export", str(file))
    text = file.read_text(encoding="utf-8")
    assert text.count('[White "greedy (White)"]') == 2 and "{W} 1." in text
    again = call("play", "chess/007", "--export", str(file))
    assert again.exit_code == 2 and "exists already" in again.output
    draughts = tmp_path / "games.pdn"
    printed("play", "draughts/english", "--second", "random", "--export", str(draughts))
    assert '[White "random (' in draughts.read_text(encoding="utf-8")
    nowhere = call("play", "chess/007", "--games", "10000000", "--export", str(tmp_path / "no" / "x.pgn"))
    assert nowhere.exit_code == 2 and "there is no folder" in nowhere.output
    refused = call("play", "star/default", "--export", str(tmp_path / "x"))
    assert refused.exit_code == 2 and "no format" in refused.output
