"""``import workbench as wb``: rulesets, games and their errors, what the import costs, and experiments with charts."""

from __future__ import annotations

import copy
import dataclasses
import doctest
import importlib
import inspect
import io
import json
import os
import pickle
import pydoc
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import workbench as wb
from tests import report_folders
from tests.command_line import printed
from tests.conftest import leave_out_charts
from tests.report_folders import record_bytes
from workbench.base.errors import hide_internal_frames
from workbench.positions.game_state import GameState
from workbench.records import records

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"numpy", "numba", "pandas", "matplotlib", "scipy", "statsmodels", "pyarrow", "typer", "yaml", "joblib"}
DOCUMENTED = ("api.games", "api.rulesets", "rules.rulesets", "base.yamlfile", "statistics.tables", "base.language",
              "base.console")  # fmt: skip
"""Modules whose examples are quick."""


@pytest.mark.thorough
def test_the_import_loads_nothing_heavy_and_every_promised_name_is_there() -> None:
    script = (
        "import sys, workbench as wb\n"
        "before = sorted({name.partition('.')[0] for name in sys.modules})\n"
        "assert all(getattr(wb, name) is not None for name in wb.__all__)\n"
        "print(*before)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())
    assert "workbench" in done.stdout.split()


@pytest.mark.family("chess")
@pytest.mark.parametrize("name", DOCUMENTED)
def test_examples_of_docstrings_do_what_they_say(name: str, in_the_checkout: None) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"workbench.{name}"))
    assert tried and not failed


@pytest.mark.thorough
def test_examples_of_docstrings_about_experiments_do_what_they_say(there: Path) -> None:
    failed, tried = doctest.testmod(importlib.import_module("workbench.api.experiments"))
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


@pytest.mark.parametrize(
    ("told", "in_python"),
    [
        ("or begin again with --fresh.", "or begin again with fresh=True."),
        ("To allow it: workbench.run('x') --allow-programs", "To allow it: workbench.run('x', allow_programs=True)"),
        ("別の名前か、--freshで", "別の名前か、fresh=Trueで"),
        ("or say --into-existing: files", "or say into_existing=True: files"),
        ("--under", "under"),
        ("To compare them: workbench train --force", "To compare them: workbench train --force"),
    ],
)
def test_errors_name_arguments_instead_of_options(told: str, in_python: str) -> None:
    def raises() -> None:
        raise wb.WorkbenchError(told)

    with pytest.raises(wb.WorkbenchError) as caught:
        hide_internal_frames(raises)()
    assert str(caught.value) == in_python


def test_errors_of_games_name_arguments(in_the_checkout: None) -> None:
    with pytest.raises(wb.InputError, match=r"pdn: there is no PDN format for chess \(available formats: PGN\)"):
        wb.Game("chess/007").pdn()
    with pytest.raises(wb.InputError, match="ply: expected a whole number from 0 to"):
        wb.play("star/default", "greedy", max_plies=6)[0].after(99)
    with pytest.raises(wb.InputError, match="^run: a place within a run needs position$"):
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


class TestGames:
    def test_know_their_moves_and_take_them_back(self, in_the_checkout: None) -> None:
        game = wb.Game("star/default", "b2 c2")
        assert (game.ply, game.seat, game.moves) == (2, "first", ("b2", "c2"))
        before = str(game)
        other = game.copy()
        other.push(other.legal_moves()[0])
        assert game.undo() == "c2" and game.undo() == "b2" and game.ply == 0
        with pytest.raises(wb.IllegalMove, match="no moves to undo"):
            game.undo()
        assert other.ply == 3
        assert str(wb.Game("star/default", "b2 c2")) == before and "[●]" in before

    def test_end_with_who_has_won_and_why(self, in_the_checkout: None) -> None:
        played = wb.play("star/default", "random", seed=1)[0]
        game = played.after()
        outcome = game.outcome()
        assert outcome is not None
        assert (outcome.result, outcome.termination) == (played.result, played.termination)
        assert game.legal_moves() == [] and game.why_not("b2") == "the game is over"

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


def _everything() -> dict[str, object]:
    played = wb.play("star/default", "random", seed=1)[0]
    game = wb.Game("star/default", position="★□○/●○○/●□●")
    game.push(game.legal_moves()[-1])
    game.choose("greedy")
    with pytest.raises(wb.InputError) as input_error:
        wb.ruleset("star/defalt")
    with pytest.raises(wb.IllegalMove) as illegal_move:
        wb.Game("star/default").push("z9")
    return {
        "Game": game, "Outcome": played.after().outcome(), "PlayedGame": played, "Ruleset": wb.ruleset("rengo/go9"),
        "derived": wb.ruleset("chatra/C").derive(subjects=7, label="seven"), "Progress": wb.Progress(5, 2),
        "InputError": input_error.value, "Problem": input_error.value.problems[0], "IllegalMove": illegal_move.value,
        "WorkbenchError": wb.WorkbenchError("words"),
        **{type(error).__name__: error for error in _stopped()},
        **{name: getattr(wb, name) for name in wb.__all__ if inspect.isfunction(getattr(wb, name))},
        "plot": wb.plot.first_score, "wb": wb,
    }  # fmt: skip


def _stopped() -> list[wb.Stopped]:
    from workbench.base.output import Unwritable
    from workbench.runs import progress

    path = Path("reports/x")
    return [
        wb.Stopped("words"),
        progress.FolderMismatch(path, ["a", "b"]),
        progress.ProgramsNotAllowed(["a program"], "workbench run x"),
        progress.FolderBusy(path),
        progress.FolderUnwritable(path, Unwritable(path, "full"), 1, 2, "workbench run x"),
        progress.FolderUnreadable(records.Unavailable("locked"), "workbench run x"),
        progress.RunInterrupted(1, 2, "workbench run x"),
    ]


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
                came.undo()
                assert came.ply == 0 and sent.ply == 1
            else:
                assert came == sent, name


class TestGamesOfAgents:
    def test_are_those_of_the_command_line(self, in_the_checkout: None) -> None:
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
    assert inside <= {ROOT / "workbench" / "__init__.py", ROOT / "workbench" / "base" / "errors.py"}
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


# Experiments


KEYS = {
    "rulesets": ["star/default", "star/two-pieces"], "agents": ["random", {"greedy": {"epsilon": 0.2}}], "games": 30,
    "seed": 3, "title": "Two pieces or three?", "targets": {"first_score": [0.4, 0.6]},
}  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("project") / "mine"
    with pytest.MonkeyPatch.context() as patch:
        printed("init", str(path))
        (path / "experiments" / "pieces.yaml").write_text(json.dumps(KEYS), encoding="utf-8")
        patch.chdir(path)
        leave_out_charts(patch)
        printed("run", "pieces", "--workers", "1")
    return path


@pytest.fixture
def there(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(project)
    return project


@pytest.fixture
def played(there: Path) -> pd.DataFrame:
    return wb.load("pieces")


class TestRunning:
    @pytest.mark.thorough
    def test_gives_the_records_of_the_command_line_byte_for_byte(self, there: Path) -> None:
        trials = wb.run("pieces", out="of-file", workers=1)
        by_arguments = wb.run("pieces", **KEYS, out="of-arguments", workers=1)  # type: ignore[arg-type]
        of_command = record_bytes(there / "reports" / "pieces")
        assert record_bytes(Path("of-file")) == record_bytes(Path("of-arguments")) == of_command
        by_pandas = pd.read_parquet("of-file/trials").drop(columns=[column.name for column in records.TRACES])
        pd.testing.assert_frame_equal(trials.drop(columns="winner"), by_pandas)
        pd.testing.assert_frame_equal(trials, by_arguments)

    @pytest.mark.thorough
    def test_plays_nothing_twice_and_a_quick_look_apart(self, there: Path) -> None:
        seen: list[wb.Progress] = []
        wb.run("pieces", games=4, workers=1, progress=seen.append)
        assert seen[-1].done == seen[-1].total == 16 and str(seen[-1]).startswith("16 of 16 games played")
        before = len(seen)
        again = wb.run("pieces", games=4, workers=1, progress=seen.append)
        assert all(progress.played == 0 for progress in seen[before:])
        assert again.attrs["folder"].endswith("pieces.games-4")
        with pytest.raises(wb.Stopped, match="contains the games of a different question"):
            wb.run("pieces", **{**KEYS, "seed": 4}, out="reports/pieces", workers=1)  # type: ignore[arg-type]

    def test_compares_rulesets_that_have_no_file(self, there: Path) -> None:
        base = wb.ruleset("star/default")
        trials = wb.run(rulesets=[base, base.derive(pieces=2)], agents=["random"], games=30, seed=3, workers=1)
        assert trials["ruleset"].unique().tolist() == ["star/default", "star/default pieces=2"]
        assert Path(trials.attrs["folder"]).name.startswith("unnamed-")
        # The rules decide the games, not what they are called.
        shipped = wb.load("pieces")
        two = shipped[(shipped["ruleset"] == "star/two-pieces") & (shipped["first"] == "random")]
        assert two["game_hash"].tolist() == trials.loc[trials["ruleset"] != "star/default", "game_hash"].tolist()
        # The folder knows its rules: who reads it needs no file.
        assert set(wb.compare(trials.attrs["folder"])["ruleset"]) == {"star/default pieces=2"}
        assert wb.replay(trials.iloc[-1]).ruleset.settings["pieces"] == 2

    @pytest.mark.thorough
    def test_calls_rulesets_by_their_labels(self, there: Path, no_charts: None) -> None:
        base = wb.ruleset("star/default")
        variants = [base.derive(pieces=2, label="2 pieces"), base.derive(pieces=4, label="4 pieces")]
        trials = wb.run(rulesets=[base, *variants], agents=["random"], games=30, seed=3, workers=1)
        assert trials["ruleset"].unique().tolist() == ["star/default", "star/2 pieces", "star/4 pieces"]
        assert "2 pieces" in (wb.write_report(trials).parent / "report.md").read_text(encoding="utf-8")
        same = [base.derive("a", label="x", pieces=2), base.derive("b", label="x", pieces=4)]
        with pytest.raises(wb.InputError, match=r"^rulesets\[1\]: expected rulesets with distinct labels"):
            wb.run(rulesets=same, agents=["random"], games=2)

    @pytest.mark.parametrize(
        ("keys", "words"),
        [
            ({"experiment": 5}, "expected an experiment's name or path, or rulesets and agents, found 5"),
            ({"experiment": "pieces", "workers": 0}, "workers: expected a whole number from 1"),
            ({**KEYS, "rulesets": ["star/defalt"]}, r"^rulesets\[0\]: .*did you mean 'star/default'"),
            ({**KEYS, "agents": [object()]}, r"^agents\[0\]: expected text, .* found object"),
            ({**KEYS, "games": -1, "seed": -1}, "games: expected .*\nseed: expected"),
        ],
    )
    def test_says_what_is_wrong_all_at_once(self, keys: dict[str, object], words: str, there: Path) -> None:
        with pytest.raises(wb.InputError, match=words):
            wb.run(**keys)  # type: ignore[arg-type]


def test_frames_name_the_agent_that_has_won(there: Path) -> None:
    both = [["alphabeta-4", "random"], ["random", "alphabeta-4"]]
    trials = wb.run("seats", rulesets=["star/default"], pairings=both, games=20, seed=1, workers=1)
    assert trials["winner"].tolist() == trials.apply(lambda row: row.get(row["result"]), axis=1).tolist()
    won = trials["winner"].value_counts()
    assert won["alphabeta-4"] > won.get("random", 0)
    stopped = wb.run("stopped", rulesets=["star/default"], agents=["random"], games=5, max_plies=1, workers=1)
    assert stopped["winner"].isna().all()
    some = wb.load("seats", columns=["winner", "plies"])
    assert some.columns.tolist() == ["winner", "plies"] and some["winner"].equals(trials["winner"])
    assert "winner" not in wb.load("seats", columns=["plies"])


class TestTables:
    def test_are_those_of_the_report(self, played: pd.DataFrame, there: Path) -> None:
        folder = there / "reports" / "pieces"
        for table, name in ((wb.compare(played), "tables/comparisons.csv"), (wb.summary(played), "summary.csv")):
            # The file has a command beside its numbers.
            written = pd.read_csv(folder / name).drop(columns="games_again", errors="ignore")
            pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(records.to_csv(table, "%.6g"))), written)
        assert "target_first_score" in wb.summary("pieces")

    def test_have_one_measure_if_that_is_asked(self, played: pd.DataFrame) -> None:
        fairness = wb.compare(played, "fairness")
        assert fairness["measure"].unique().tolist() == ["fairness"]
        assert set(fairness["ruleset"]) == {"star/two-pieces"}
        assert {"difference", "low", "high", "verdict"} <= set(fairness.columns)
        with pytest.raises(wb.InputError, match="measure: .*did you mean 'fairness'"):
            wb.compare(played, "fairnes")

    def test_may_be_asked_in_any_order_of_games_but_not_without_some(self, played: pd.DataFrame) -> None:
        shuffled = played.sample(frac=1, random_state=1)
        pd.testing.assert_frame_equal(wb.compare(shuffled), wb.compare(played))
        for some in (played[played["plies"] > 5], played.head(3), pd.concat([played, played])):
            some.attrs["folder"] = played.attrs["folder"]
            with pytest.raises(wb.InputError, match="expected all 120 unchanged records of the run"):
                wb.compare(some)

    @pytest.mark.parametrize("said", [5, pd.DataFrame({"a": [1]}), "", None])
    def test_are_not_made_of_anything_else(self, said: object, there: Path) -> None:
        with pytest.raises(wb.InputError, match="trials: expected records returned by 'run' or 'load'"):
            wb.compare(said)  # type: ignore[arg-type]


class TestReplays:
    def test_are_the_games_of_the_records(self, played: pd.DataFrame) -> None:
        for _, trial in played.iloc[[0, 45, 119]].iterrows():
            game = wb.replay(trial)
            assert (game.ruleset.name, game.first, game.second) == (trial["ruleset"], trial["first"], trial["second"])
            assert (game.seed, game.game, game.plies) == (trial["seed"], trial["game"], trial["plies"])
            assert (game.result, game.termination) == (trial["result"], trial["termination"])
            # The moves lead, by the rules, to the end that was recorded.
            outcome = game.after().outcome()
            assert outcome is not None and (outcome.result, outcome.termination) == (game.result, game.termination)
            assert " ".join(game.moves).startswith(trial["opening"])

    def test_say_why_a_game_cannot_be_had(self, played: pd.DataFrame) -> None:
        row = played.iloc[0]
        Path("reports/why").mkdir()
        for trial, words in (
            ({**row, "game_hash": "0" * 16}, "has changed"),
            ({"seed": 1}, "trial: expected rows from the records, found one without experiment,"),
            ({**row, "ruleset": "star/5x5"}, "expected rulesets in the run, found 'star/5x5'"),
            ({**row, "experiment": "nothing"}, r"no such report folder \(there are (?!.*\bwhy\b).*\bpieces\b"),
        ):
            with pytest.raises(wb.WorkbenchError, match=words):
                wb.replay(trial)


class TestMoves:
    @pytest.fixture
    def kept(self, there: Path) -> pd.DataFrame:
        keys = {**KEYS, "pairings": [["random", "alphabeta-2"]], "keep_moves": True}
        return wb.run("kept", **keys, workers=1)  # type: ignore[arg-type]

    def test_add_up_to_the_records(self, played: pd.DataFrame) -> None:
        plies = wb.moves(played)
        assert plies.columns.tolist()[:4] == ["trial", "ply", "seat", "move"]
        by_game = plies.groupby("trial")
        assert by_game.size().tolist() == played["plies"].tolist() == by_game["ply"].max().tolist()
        assert plies["trial"].is_monotonic_increasing
        events = [name for name in map(str, plies) if name.startswith("event_")]
        assert len(events) > 1 and played[events].to_numpy().any()
        pd.testing.assert_frame_equal(by_game[events].sum(), played[events], check_names=False, check_dtype=False)
        assert plies.loc[plies["ply"] == 1, "seat"].eq("first").all()

    def test_are_those_of_single_games(self, played: pd.DataFrame) -> None:
        some = played.sample(8, random_state=2)
        plies = wb.moves(some, columns=["text", "trial"])
        assert plies.columns.tolist() == ["text", "trial"]
        assert plies["trial"].drop_duplicates().tolist() == some.index.tolist()
        for label, trial in some.iterrows():
            assert tuple(plies.loc[plies["trial"] == label, "text"]) == wb.replay(trial).moves

    def test_that_are_kept_need_no_player(self, kept: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
        from workbench.engine import trials

        again = wb.moves(kept.drop(columns="moves"))
        looked: list[int] = []
        run_block = trials.run_block

        def counted(block: Any) -> Any:
            arrays = run_block(block)
            looked.append(int(arrays["nodes"].sum()))
            return arrays

        monkeypatch.setattr(trials, "run_block", counted)
        pd.testing.assert_frame_equal(wb.moves(kept), again)
        assert looked and not any(looked)
        assert wb.replay(kept.iloc[-1]).moves == wb.replay(kept.drop(columns="moves").iloc[-1]).moves

    @pytest.mark.thorough
    def test_that_are_kept_change_no_game_and_may_be_asked_for_later(self, there: Path) -> None:
        keys = {**KEYS, "agents": ["random"]}
        plain = wb.run("later", **{**keys, "games": 10}, block=10, workers=1)  # type: ignore[arg-type]
        assert "moves" not in plain
        more = wb.run("later", **{**keys, "games": 20}, block=10, keep_moves=True, workers=2)  # type: ignore[arg-type]
        assert more["moves"].isna().tolist() == (more["game"] < 10).tolist()
        fresh = wb.run("at-once", **{**keys, "games": 20}, keep_moves=True, workers=1)  # type: ignore[arg-type]
        same = ["game_hash", "seed", "result", "plies"]
        pd.testing.assert_frame_equal(more[same], fresh[same])
        assert more.loc[more["game"] >= 10, "moves"].tolist() == fresh.loc[fresh["game"] >= 10, "moves"].tolist()
        pd.testing.assert_frame_equal(wb.moves(more), wb.moves(fresh))
        # Without them from now on: those that there are stay out.
        less = wb.run("later", **{**keys, "games": 30}, block=10, workers=1)  # type: ignore[arg-type]
        assert "moves" not in less and len(less) == 60

    @pytest.mark.family("chess")
    def test_come_with_positions_and_legal_moves(self, there: Path) -> None:
        keys = {"rulesets": ["chess/orthodox"], "agents": ["random"], "games": 3, "max_plies": 40, "workers": 1}
        trials = wb.run("positions", **keys)  # type: ignore[arg-type]
        plies = wb.moves(trials, columns=["trial", "ply", "move", "text", "fen", "legal"])
        for label, of_game in plies.groupby("trial"):
            game = wb.Game("chess/orthodox")
            ply: Any
            for ply in of_game.itertuples():
                assert (ply.fen, len(ply.legal)) == (game.fen(), len(game.legal_moves())), label
                assert ply.move in ply.legal
                game.push(ply.text)
        with pytest.raises(wb.InputError, match="columns: there is no FEN for star"):
            wb.moves("pieces", columns=["fen"])

    def test_say_what_is_wrong(self, played: pd.DataFrame) -> None:
        for trials, columns, words in (
            (
                pd.DataFrame({"seed": [1]}),
                None,
                "trials: expected rows from the records, found one without experiment,",
            ),
            (played, ["sear"], "columns: there is no column named 'sear' .did you mean 'seat'"),
            (pd.concat([played, played]), None, "expected rows with distinct labels"),
            (played.assign(game_hash="0" * 16), None, "has changed"),
            ("peaces", None, "peaces: there is no such report folder .did you mean 'pieces'"),
        ):
            with pytest.raises(wb.WorkbenchError, match=words):
                wb.moves(trials, columns=columns)
        assert wb.moves(played[played["plies"] < 0]).empty


class TestCharts:
    @pytest.mark.parametrize("lang", ["en", "ja"])
    def test_are_drawn_on_the_axes_that_are_given(self, lang: str, played: pd.DataFrame) -> None:
        charts: list[Callable[..., Axes]] = [wb.plot.first_score, wb.plot.difference, wb.plot.lengths]
        pyplot.close("all")
        for number, draw in enumerate(charts):
            axes = Figure().subplots()
            assert draw(played, ax=axes, lang=lang) is axes
            assert axes.get_title(loc="left") != ""
            rows = [label.get_text().split("\n")[0] for label in axes.get_yticklabels()]
            names = {
                "en": ["The star game as its author plays it", "Two pieces each"],
                "ja": ["★のゲーム（作者のルール）", "駒は各2つ"],
            }[lang]
            assert rows == (names[1:] if number == 1 else names)
        assert not pyplot.get_fignums()

    def test_draw_a_board(self, there: Path) -> None:
        axes = wb.plot.board(wb.Game("star/default", "b2 c2"), ax=Figure().subplots())
        pieces = {text.get_gid(): text.get_text() for text in axes.texts}
        assert pieces == {"piece/0/0": "★", "piece/1/1": "○", "piece/1/2": "●"}
        # The squares of the board, and the one that the last move changed.
        assert [patch.get_gid() for patch in axes.patches].count("last") == 1

    def test_say_what_they_cannot_draw(self, played: pd.DataFrame) -> None:
        with pytest.raises(wb.InputError, match="pairing: expected players in the run, found 'radnom' .*'random'"):
            wb.plot.lengths(played, "radnom")
        with pytest.raises(wb.InputError, match="game: expected a game, found str"):
            wb.plot.board("b2")  # type: ignore[arg-type]
        one = wb.run("alone", rulesets=["star/default"], agents=["random"], games=5, workers=1)
        with pytest.raises(wb.InputError, match="expected a run that compares rulesets"):
            wb.plot.difference(one)


@pytest.mark.thorough
def test_the_records_come_out_the_same_in_a_plain_script(there: Path) -> None:
    script = there / "script.py"
    script.write_text("import workbench as wb\nprint(wb.run('pieces', out='by-script', workers=2).shape[0])\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(script)], cwd=there, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "120", done.stderr
    assert record_bytes(there / "by-script") == record_bytes(there / "reports" / "pieces")


def test_too_many_games_for_one_table_are_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = report_folders.run(report_folders.load(tmp_path), tmp_path / "r").trials.parent
    whole = wb.load(folder)
    some = ["ruleset", "game", "game_hash"]
    pd.testing.assert_frame_equal(wb.load(folder, columns=some, ruleset="chatra/C"),
                                  whole.loc[whole["ruleset"] == "chatra/C", some])  # fmt: skip
    monkeypatch.setattr("workbench.api.experiments.MAX_VALUES", 160 * 10)
    assert len(wb.load(folder, columns=some)) == 160
    with pytest.raises(wb.WorkbenchError, match=r"160 games in .* columns exceed the limit.*columns="):
        wb.load(folder)
    for wrong, name in (({"columns": ["plys"]}, "plys"), ({"ruleset": "chatra/D"}, "chatra/D")):
        with pytest.raises(wb.WorkbenchError, match=f"the records have no (column|ruleset) named '{name}'"):
            wb.load(folder, **wrong)
