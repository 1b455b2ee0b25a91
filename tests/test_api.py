"""``import workbench as wb``: rulesets, games and their errors, and what the import costs."""

from __future__ import annotations

import copy
import dataclasses
import doctest
import importlib
import inspect
import pickle
import pydoc
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import workbench as wb
from workbench.errors import without_internals
from workbench.games.game_state import GameState

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"numpy", "numba", "pandas", "matplotlib", "scipy", "statsmodels", "pyarrow", "typer", "yaml", "joblib"}
DOCUMENTED = [
    "workbench.api.games",
    "workbench.api.rulesets",
    "workbench.questions.rulesets",
    "workbench.files.yamlfile",
    "workbench.statistics.tables",
    "workbench.language",
    "workbench.console",
]
"""Modules whose examples are quick."""


@pytest.mark.thorough
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


@pytest.mark.parametrize(("name", "about"), [("play", "Plays games between two"), ("run", "Plays the games of an")])
def test_functions_that_are_called_as_packages_are_shown_as_functions(name: str, about: str) -> None:
    package = importlib.import_module(f"workbench.{name}")
    importlib.import_module(f"workbench.{name}.errors" if name == "run" else f"workbench.{name}.match")
    function = getattr(wb, name)
    assert inspect.isfunction(function) and package is sys.modules[f"workbench.{name}"]
    shown = pydoc.plain(pydoc.render_doc(function))
    assert f"function {name} in module workbench.api" in shown and about in shown and "ruleset" in shown.split("->")[0]
    assert "PACKAGE CONTENTS" not in shown


@pytest.mark.parametrize("name", DOCUMENTED)
def test_examples_of_docstrings_do_what_they_say(name: str, in_the_checkout: None) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried and not failed


def test_only_public_names_are_listed() -> None:
    assert dir(wb) == wb.__all__ and dir(wb.plot) == ["board", "difference", "first_score", "lengths"]


@pytest.mark.parametrize(
    "kind", [name for name in wb.__all__ if dataclasses.is_dataclass(getattr(wb, name))] + ["Outcome"]
)
def test_help_says_what_the_fields_of_a_class_are(kind: str) -> None:
    found = getattr(wb, kind)
    shown = pydoc.plain(pydoc.render_doc(found))
    names = found._fields if kind == "Outcome" else [each.name for each in dataclasses.fields(found)]
    assert [name for name in names if f" {name}: " not in shown.partition("Methods")[0]] == []
    assert kind != "Progress" or ("Games a second" in shown and "Seconds left" in shown)


@pytest.mark.parametrize(
    ("told", "in_python"),
    [
        ("or begin again with --fresh.", "or begin again with fresh=True."),
        ("To allow it: workbench.run('x') --allow-programs", "To allow it: workbench.run('x', allow_programs=True)"),
        ("別の名前か、--freshで", "別の名前か、fresh=Trueで"),
        ("name another one, or say --into-existing: files", "name another one, or say into_existing=True: files"),
        ("--under", "under"),
        ("To compare them: workbench train --force", "To compare them: workbench train --force"),
    ],
)
def test_errors_name_arguments_instead_of_options(told: str, in_python: str) -> None:
    def raises() -> None:
        raise wb.WorkbenchError(told)

    with pytest.raises(wb.WorkbenchError) as caught:
        without_internals(raises)()
    assert str(caught.value) == in_python


def test_errors_of_games_name_arguments(in_the_checkout: None) -> None:
    with pytest.raises(wb.InputError, match="^run: a place in a run needs a position$"):
        wb.Game("chess/007", run="1/1")
    with pytest.raises(wb.InputError, match="^position:1: is not YAML"):
        wb.Game("chess/007", position="{fen: [")


class Cautious:
    """A player of this file, as a cell of a notebook defines one."""

    def choose(self, position: GameState) -> int:
        return position.legal()[-1]


class Broken(Cautious):
    def choose(self, position: GameState) -> int:
        raise KeyError("nothing")


def test_a_class_of_the_program_plays(in_the_checkout: None) -> None:
    (game,) = wb.play("star/default", Cautious, "random")
    assert (game.first, game.moves[0]) == ("Cautious", "c3")
    assert wb.Game("star/default").choose(Cautious) == "c3"
    with pytest.raises(wb.WorkbenchError, match=r"Broken: choose raised KeyError: 'nothing' .*test_api.py:\d+"):
        wb.play("star/default", Broken)
    with pytest.raises(wb.InputError, match='{"python": "players.mine:Cautious"}'):
        wb.run("own", rulesets=["star/default"], agents=[Cautious], games=2)
    with pytest.raises(wb.InputError, match='{"python": "players.mine:Cautious"}'):
        wb.play("star/default", Cautious())  # type: ignore[arg-type]


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

    def test_are_called_by_a_label(self, in_the_checkout: None) -> None:
        base = wb.ruleset("star/default")
        few = base.derive(pieces=2, stuck="draw", label="few pieces")
        assert (few.name, few.label) == ("star/few pieces", "few pieces")
        assert few.fingerprint == base.derive(pieces=2, stuck="draw").fingerprint
        assert few.title == base.derive(pieces=2, stuck="draw").title
        named = base.derive("mine", label="few", pieces=2)
        assert (named.name, named.label) == ("star/mine", "few")
        # What is made of it is something else.
        assert few.derive(pieces=3).label == ""

    def test_are_keys_of_dictionaries(self, in_the_checkout: None) -> None:
        base = wb.ruleset("star/default")
        assert {base: 1}[wb.ruleset(Path("rulesets/star/default.yaml"))] == 1
        assert len({base, base.derive(pieces=2), base.derive(pieces=2)}) == 2

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


def _everything() -> dict[str, object]:
    """An object of every kind that a program may have in its hands."""
    played = wb.play("star/default", "random", seed=1)[0]
    game = wb.Game("star/default", position="★□○/●○○/●□●")
    game.push(game.legal_moves()[-1])
    game.choose("greedy")
    with pytest.raises(wb.InputError) as input_error:
        wb.ruleset("star/defalt")
    with pytest.raises(wb.IllegalMove) as illegal_move:
        wb.Game("star/default").push("z9")
    ruleset = wb.ruleset("rengo/go9")
    return {
        "Game": game, "Outcome": played.after().outcome(), "PlayedGame": played, "Ruleset": ruleset,
        "derived": wb.ruleset("chatra/C").derive(subjects=7, label="seven"), "Progress": wb.Progress(5, 2),
        "InputError": input_error.value, "Problem": input_error.value.problems[0], "IllegalMove": illegal_move.value,
        "WorkbenchError": wb.WorkbenchError("words"),
        **{kind.__name__: error for kind, error in _stopped().items()},
        **{name: getattr(wb, name) for name in wb.__all__ if inspect.isfunction(getattr(wb, name))},
        "plot": wb.plot.first_score, "wb": wb,
    }  # fmt: skip


def _stopped() -> dict[type[wb.Stopped], wb.Stopped]:
    """An error of every kind of ends of a run."""
    from workbench.files.output import Unwritable
    from workbench.run import errors
    from workbench.store import records

    path = Path("reports/x")
    made: list[wb.Stopped] = [
        wb.Stopped("words"),
        errors.FolderMismatch(path, ["a", "b"]),
        errors.ProgramsNotAllowed(["a program"], "workbench run x"),
        errors.FolderBusy(path),
        errors.FolderUnwritable(path, Unwritable(path, "full"), 1, 2, "workbench run x"),
        errors.FolderUnreadable(records.Unavailable("locked"), "workbench run x"),
        errors.RunInterrupted(1, 2, "workbench run x"),
    ]
    return {type(each): each for each in made}


def test_whatever_a_program_has_in_hands_can_be_sent_and_copied(in_the_checkout: None) -> None:
    for name, sent in _everything().items():
        for came in (pickle.loads(pickle.dumps(sent)), copy.deepcopy(sent), copy.copy(sent)):
            assert type(came) is type(sent), name
            if inspect.isfunction(sent) or inspect.ismodule(sent):
                assert came is sent
            elif isinstance(sent, Exception):
                assert isinstance(came, wb.WorkbenchError) and isinstance(sent, wb.WorkbenchError)
                assert (str(came), came.told("ja"), vars(came)) == (str(sent), sent.told("ja"), vars(sent)), name
            elif isinstance(sent, wb.Game):
                assert isinstance(came, wb.Game)
                assert (came.text(), came.moves, came.ruleset) == (sent.text(), sent.moves, sent.ruleset)
                assert came.legal_moves() == sent.legal_moves() and came.choose("greedy") == sent.choose("greedy")
                came.push(came.legal_moves()[0])
                came.undo()
                came.undo()
                assert came.ply == 0 and sent.ply == 1
            else:
                assert came == sent, name


@pytest.mark.thorough
def test_workers_of_a_notebook_take_games_and_the_workbench_itself(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import joblib, workbench as wb\n"
        "def replies(game, ruleset):\n"
        "    game.push(wb.Game(ruleset).legal_moves()[0])\n"
        "    return game.moves, len(game.legal_moves())\n"
        "few = wb.ruleset('star/default').derive(pieces=2, label='few')\n"
        "jobs = [joblib.delayed(replies)(wb.Game(few, move), few) for move in ('b2', 'c2')]\n"
        "print(joblib.Parallel(n_jobs=2)(jobs))\n"
    )  # fmt: skip
    done = subprocess.run([sys.executable, str(script)], cwd=ROOT, capture_output=True, text=True, check=False)
    few = wb.ruleset("star/default").derive(pieces=2)
    here = [(moves, len(wb.Game(few, moves).legal_moves())) for moves in (("b2", "b1"), ("c2", "b1"))]
    assert done.stdout.strip() == str(here), done.stderr


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

    def test_name_the_agent_that_has_won(self, in_the_checkout: None) -> None:
        for game in wb.play("star/default", "alphabeta-4", "random", games=3):
            assert (game.result, game.winner) == ("first", "alphabeta-4")
        assert wb.play("star/default", "random", max_plies=1)[0].winner is None


WRONG = [
    (lambda: wb.ruleset("star/defalt"), r"expected the name of a ruleset, .*did you mean 'star/default'"),
    (lambda: wb.ruleset("star/default").derive(pieces=object()), "rules.pieces: expected text, .*found object$"),
    (lambda: wb.Game("star/default", position="xx"), "expected 3 rows"),
    (lambda: wb.Game("star/default").push(3), "move: expected a move"),  # type: ignore[arg-type]
    (lambda: wb.play("star/default", second={"greedy": {"epsilon": 3}}), "second.greedy.epsilon: expected a number"),
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
