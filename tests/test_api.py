"""``import workbench as wb``: rulesets, games and their errors, and what the import costs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import workbench as wb

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"numpy", "numba", "pandas", "matplotlib", "scipy", "statsmodels", "pyarrow", "typer", "yaml", "joblib"}
DOCUMENTED = [
    "workbench.api.games",
    "workbench.api.rulesets",
    "workbench.questions.rulesets",
    "workbench.files.yamlfile",
    "workbench.statistics.verdicts",
    "workbench.language",
    "workbench.console",
]
"""Modules whose examples are quick."""


def test_the_import_loads_nothing_heavy_and_every_promised_name_is_there() -> None:
    script = (
        "import sys, workbench as wb\n"
        "before = sorted({name.partition('.')[0] for name in sys.modules})\n"
        "assert all(getattr(wb, name) is not None for name in wb.__all__)\n"
        "assert set(wb.__all__) <= set(dir(wb))\n"
        "print(*before)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())
    assert "workbench" in done.stdout.split()


def test_a_name_that_there_is_not_is_told_as_of_any_module() -> None:
    with pytest.raises(AttributeError, match="module 'workbench' has no attribute 'rulset'"):
        _ = wb.rulset  # type: ignore[attr-defined]


def test_packages_that_are_functions_too_stay_packages() -> None:
    package = importlib.import_module("workbench.play")
    assert sys.modules["workbench.play"] is package
    assert importlib.import_module("workbench.play.match").__name__ == "workbench.play.match"
    assert list(inspect.signature(wb.play).parameters)[:3] == ["ruleset", "first", "second"]


@pytest.mark.parametrize("name", DOCUMENTED)
def test_examples_of_docstrings_do_what_they_say(name: str, in_the_checkout: None) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried and not failed


class TestRulesets:
    def test_are_found_by_name_and_by_path(self, in_the_checkout: None) -> None:
        named = wb.ruleset("star/default")
        assert wb.ruleset(Path("rulesets/star/default.yaml")) == named
        assert (named.game, named.settings["pieces"]) == ("star", 3)
        assert wb.rulesets("star") == sorted(f"star/{path.stem}" for path in ROOT.glob("rulesets/star/*.yaml"))
        assert set(wb.rulesets("star")) < set(wb.rulesets())

    def test_are_derived_with_real_toggles(self, in_the_checkout: None) -> None:
        fewer = wb.ruleset("star/default").derive(pieces=2)
        assert fewer.fingerprint == wb.ruleset("star/two-pieces").fingerprint
        assert fewer.name == "star/default pieces=2"
        assert fewer.derive(stuck="draw").name == "star/default pieces=2, stuck=draw"
        assert fewer.derive("mine", "My rules", stuck="draw").title == "My rules"
        assert fewer.derive("mine").name == "star/mine"
        assert wb.ruleset("chatra/C").derive(subjects=7).settings["subjects"] == 7

    def test_take_what_a_file_may_write_for_a_list_of_prices(self, in_the_checkout: None) -> None:
        base = wb.ruleset("rengo/go9")
        cheaper = base.derive(prices={"珠": 1})
        assert cheaper.fingerprint != base.fingerprint
        assert "珠 1" in str(cheaper.settings["prices"])

    def test_of_a_notebook_are_short_to_look_at(self, in_the_checkout: None) -> None:
        assert repr(wb.ruleset("star/default")) == "<Ruleset star/default: The star game as its author plays it>"


class TestGames:
    def test_know_their_moves_and_take_them_back(self, in_the_checkout: None) -> None:
        game = wb.Game("star/default", "b2 c2")
        assert (game.ply, game.seat, game.moves) == (2, "first", ("b2", "c2"))
        before = str(game)
        other = game.copy()
        other.push(other.legal_moves()[0])
        assert game.undo() == "c2" and game.undo() == "b2" and game.ply == 0
        with pytest.raises(wb.IllegalMove, match="no move to take back"):
            game.undo()
        assert other.ply == 3
        game.push("b2")
        game.push("c2")
        assert str(game) == before and "[●]" in before

    def test_end_with_who_has_won_and_why(self, in_the_checkout: None) -> None:
        played = wb.play("star/default", "random", seed=1)[0]
        game = played.after()
        outcome = game.outcome()
        assert outcome is not None
        assert (outcome.result, outcome.termination) == (played.result, played.termination)
        assert outcome.sentence.endswith(".")
        assert game.legal_moves() == [] and game.why_not("b2") == "the game is over"
        assert played.result in repr(game)

    def test_begin_in_a_position(self, in_the_checkout: None) -> None:
        assert wb.Game("star/default", position="★□○/●○○/●□●").text().count("○") == 3 + 1
        assert "♔" in wb.Game("chess/orthodox", position="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").text()

    def test_say_which_rule_forbids_a_move(self, in_the_checkout: None) -> None:
        game = wb.Game("star/default", "b2")
        assert game.why_not("c2") == ""
        assert game.why_not("b2") == "b2 is occupied by ○."
        with pytest.raises(wb.IllegalMove, match="ply 2, b2: b2 is occupied by ○."):
            game.push("b2")

    def test_are_written_down_where_the_family_has_a_format(self, in_the_checkout: None) -> None:
        import io

        import chess.pgn

        game = wb.Game("chess/orthodox", "e4 e5 Nf3")
        read = chess.pgn.read_game(io.StringIO(game.pgn("me", "you")))
        assert read is not None
        assert [move.uci() for move in read.mainline_moves()] == ["e2e4", "e7e5", "g1f3"]
        assert read.headers["White"] == "me (White)" and read.headers["Result"] == "*"
        assert '[Result "*"]' in wb.Game("draughts/international").pdn()
        with pytest.raises(wb.InputError, match=r"pdn: there is no PDN of games of chess \(it is written as PGN\)"):
            game.pdn()

    def test_are_drawn_as_one_picture_that_stands_by_itself(self, in_the_checkout: None) -> None:
        game = wb.Game("star/default", "b2 c2")
        picture = ET.fromstring(game._repr_svg_())
        ids = [each.get("id") for each in picture.iter() if each.get("id")]
        used = {each.get("href", "")[1:] for each in picture.iter() if each.tag.endswith("use")}
        assert used and used <= set(ids) and len(ids) == len(set(ids))
        assert "var(" not in game._repr_svg_()
        # Styles concern this picture alone, and another position is another picture.
        style = next(each for each in picture.iter() if each.tag.endswith("style")).text or ""
        assert all(rule.startswith(f"[id^={picture.get('id')}] ") for rule in style.split("}")[:-1])
        assert ET.fromstring(wb.Game("star/default")._repr_svg_()).get("id") != picture.get("id")
        assert wb.Game("star/default", "b2 c2")._repr_svg_() == game._repr_svg_()

    def test_ask_agents_for_moves_that_depend_on_moves_and_seed_alone(self, in_the_checkout: None) -> None:
        game = wb.Game("star/default", "b2")
        answers = [game.choose("random", seed=seed) for seed in range(8)]
        assert set(answers) <= set(game.legal_moves()) and len(set(answers)) > 1
        assert [wb.Game("star/default", "b2").choose("random", seed=seed) for seed in range(8)] == answers
        assert game.ply == 1


class TestGamesOfAgents:
    def test_are_those_of_the_command_line(self, in_the_checkout: None) -> None:
        import json

        from tests.command_line import printed

        lines = printed("play", "star/default", "--first", "random", "--second", "greedy", "--games", "3", "--seed",
                        "7", "--json").splitlines()  # fmt: skip
        told = [json.loads(line) for line in lines if line.startswith("{")]
        played = wb.play("star/default", "random", "greedy", games=3, seed=7)
        assert [list(game.moves) for game in played] == [game["moves"] for game in told]
        assert [(game.seed, game.result, game.termination, game.plies) for game in played] == [
            (game["seed"], game["result"], game["termination"], game["plies"]) for game in told
        ]

    def test_begin_with_an_opening_and_can_be_walked_through(self, in_the_checkout: None) -> None:
        (game,) = wb.play("star/default", "greedy", "random", opening="b2 c2", max_plies=6)
        assert game.moves[:2] == ("b2", "c2")
        positions = list(game.positions())
        assert [each.ply for each in positions] == list(range(game.plies + 1))
        assert str(positions[3]) == str(game.after(3))
        assert positions[-1].moves == game.moves
        with pytest.raises(wb.InputError, match="ply: expected a whole number from 0 to"):
            game.after(99)

    def test_take_agents_as_files_describe_them(self, in_the_checkout: None) -> None:
        (game,) = wb.play("star/default", {"greedy": {"epsilon": 1, "name": "drunk"}})
        assert game.first == game.second == "drunk"


WRONG = [
    (lambda: wb.ruleset("star/defalt"), r"expected the name of a ruleset, .*did you mean 'star/default'"),
    (lambda: wb.ruleset(5), "ruleset: expected a ruleset or the name of one, found 5"),  # type: ignore[arg-type]
    (lambda: wb.rulesets("sta"), "expected a game, found 'sta' .did you mean 'star'"),
    (lambda: wb.ruleset("star/default").derive(pices=2), "rules.pices: .*did you mean 'pieces'"),
    (lambda: wb.ruleset("star/default").derive(pieces=99), "rules.pieces: expected a whole number from 2 to 4"),
    (lambda: wb.ruleset("star/default").derive(pieces=object()), "rules.pieces: expected text, .*found object$"),
    (lambda: wb.Game("star/default", position="xx"), "expected 3 rows"),
    (lambda: wb.Game("chatra/C", position="xx"), "^position: expected YAML in braces"),
    (lambda: wb.Game("star/default").push(3), "move: expected a move"),  # type: ignore[arg-type]
    (lambda: wb.Game("star/default").choose("gredy"), "agent: expected an agent .*did you mean 'greedy'"),
    (lambda: wb.play("star/default", "gredy"), "first: expected an agent .*did you mean 'greedy'"),
    (lambda: wb.play("star/default", second={"greedy": {"epsilon": 3}}), "second.greedy.epsilon: expected a number"),
    (lambda: wb.play("star/default", games=0), "games: expected a whole number from 1 to"),
    (lambda: wb.play("star/default", opening="b2 b2"), "ply 2, b2: b2 is occupied"),
]


@pytest.mark.parametrize(("call", "words"), WRONG)
def test_what_is_wrong_is_told_in_words_from_the_line_that_said_it(
    call: object, words: str, in_the_checkout: None
) -> None:
    assert callable(call)
    with pytest.raises(wb.WorkbenchError, match=words) as caught:
        call()
    # The caller's own lines, and the function that it called: nothing of what lies below that.
    inside = {Path(entry.path) for entry in caught.traceback if Path(entry.path).is_relative_to(ROOT / "workbench")}
    assert inside <= {ROOT / "workbench" / "__init__.py", ROOT / "workbench" / "errors.py"}
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
