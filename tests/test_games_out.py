"""``workbench games``: games of a report, read back by programs that know nothing of the workbench."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import chess.pgn
import draughts
import pandas as pd
import pytest
from draughts.PDN import PDNReader

from tests import few
from tests.command_line import call, refused
from tests.engines import Twin
from tests.games.star import twin
from workbench import report
from workbench.engine import trials as engine
from workbench.experiments import experiment
from workbench.records import provenance as provenances
from workbench.rules import rulesets
from workbench.runs import runner
from workbench.runs.worker import engine_digests

pytestmark = pytest.mark.usefixtures("in_the_checkout")
RESULTS = {"first": "1-0", "second": "0-1", "draw": "1/2-1/2", "unfinished": "*"}


def played(place: Path, text: str) -> Path:
    place.mkdir(exist_ok=True)
    (place / "own.yaml").write_text(f"title: Games to hand out\nseed: 11\n{text}", encoding="utf-8")
    runner.run_experiment(experiment.load_experiment(place / "own.yaml"), place / "out", workers=1)
    return place / "out"


@pytest.fixture(scope="module")
def star(tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = "rulesets: [star/5x5, star/no-foul]\nagents: [random, greedy]\ngames: 230\nmax_plies: 60\n"
    return played(tmp_path_factory.mktemp("star"), text)


@pytest.fixture(scope="module")
def chess_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = "rulesets: [chess/orthodox]\npairings: [[greedy, random]]\ngames: 6\nmax_plies: 160\n"
    return played(tmp_path_factory.mktemp("chess"), text)


@pytest.fixture(scope="module")
def draughts_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = ", ".join(f"draughts/{name}" for name in ("international", "english", "russian", "italian", "brazilian"))
    text = f"rulesets: [{names}]\nagents: [random, greedy]\ngames: 5\nmax_plies: 200\n"
    return played(tmp_path_factory.mktemp("draughts"), text)


def trials(folder: Path, **cell: str) -> list[Any]:
    found: pd.DataFrame = pd.read_parquet(folder / "trials")
    for column, value in cell.items():
        found = found[found[column] == value]
    return found.sort_values(["cell", "game"]).to_dict("records")


def given(*words: object) -> str:
    result = call("games", *map(str, words))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_is_played_by_the_twin_and_ends_as_on_record(star: Path) -> None:
    lines = given(star, "--ruleset", "5x5", "--agent", "greedy", "--n", 30, "--export", "json").splitlines()
    kept = trials(star, ruleset="star/5x5", first="greedy")[:30]
    assert len(lines) == len(kept) == 30
    settings = rulesets.load_ruleset("star/5x5").settings
    for line, record in zip(lines, kept, strict=True):
        game = json.loads(line)
        assert list(game) == ["ruleset", "first", "second", "game", "seed", "moves", "result", "termination", "plies"]
        assert (game["game"], game["seed"], game["plies"]) == (record["game"] + 1, record["seed"], record["plies"])
        last = Twin("star").played(settings, game["moves"], None)[-1]
        end = (game["result"], game["termination"])
        assert end == (record["result"], record["termination"])
        assert game["termination"] in ("cap", "repetition") or twin.outcome(settings, last) == end


def test_text_has_a_line_about_each_game_and_its_moves(star: Path) -> None:
    text = given(star, "--ruleset", "star/no-foul", "--first", "random", "--n", 3)
    about = [line for line in text.splitlines() if line.startswith("star/no-foul | random - random | #")]
    assert len(about) == 3 and len(text.split("\n\n")) == 4
    assert given(star, "--game", 2, "--ruleset", "no-foul", "--agent", "random") in text


def test_pgn_is_read_by_python_chess(chess_games: Path, tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    told = call("games", str(chess_games), "--export", "pgn", "--out", str(file))
    assert told.exit_code == 0 and "wrote 6 games as PGN" in told.stderr and not told.stdout
    stream = io.StringIO(file.read_text(encoding="utf-8"))
    read = list(iter(lambda: chess.pgn.read_game(stream), None))
    kept = trials(chess_games)
    assert len(read) == len(kept) == 6
    for game, record in zip(read, kept, strict=True):
        assert game is not None and game.errors == []
        assert game.end().ply() == record["plies"]
        assert game.headers["Seed"] == str(record["seed"]) and game.headers["Result"] == RESULTS[record["result"]]
        assert game.headers["White"].startswith("greedy") and game.headers["Black"].startswith("random")
        if record["termination"] == "mate":
            assert game.end().board().is_checkmate()
    assert any(record["termination"] == "mate" for record in kept)


@pytest.mark.parametrize(
    ("name", "variant", "begins"),
    few.first(
        1,
        [
            ("english", "english", draughts.BLACK), ("international", "standard", draughts.WHITE),
            *((name, name, draughts.WHITE) for name in ("russian", "italian", "brazilian")),
        ],
    ),
)  # fmt: skip
def test_pdn_is_read_by_pydraughts(draughts_games: Path, name: str, variant: str, begins: int) -> None:
    read = PDNReader(given(draughts_games, "--ruleset", name, "--agent", "random", "--export", "pdn")).games
    kept = trials(draughts_games, ruleset=f"draughts/{name}", first="random")
    assert len(read) == len(kept) == 5
    begun = provenances.load_provenance(draughts_games)["started"]
    results = {"first": "2-0", "second": "0-2", "draw": "1-1", "unfinished": "*"}
    for game, record in zip(read, kept, strict=True):
        assert game.tags["Seed"] == str(record["seed"]) and game.variant == variant
        assert game.tags["Date"] == f"{begun[:4]}.{begun[5:7]}.{begun[8:10]}"
        assert game.tags["Result"] == (results if name == "international" else RESULTS)[record["result"]]
        board = draughts.Board(variant=variant)
        for text in game.moves:
            board.push(draughts.Move(board, pdn_move=text))
        assert len(game.moves) == record["plies"]
        if record["termination"] in ("stuck", "no-pieces"):
            other = draughts.WHITE + draughts.BLACK - begins
            assert board.is_over() and board.winner() == {"first": begins, "second": other}[record["result"]]


@pytest.mark.thorough
def test_any_number_of_workers_gives_the_same_games_in_the_same_order(star: Path) -> None:
    alone, shared = (given(star, "--n", 1000, "--export", "json", "--workers", workers) for workers in (1, 2))
    assert alone == shared
    assert len(alone.splitlines()) == 4 * 230


def test_games_are_chosen_by_how_they_ended(star: Path) -> None:
    kept = [record for record in trials(star, ruleset="star/5x5", first="random") if record["result"] == "second"]
    words = (star, "--ruleset", "5x5", "--agent", "random", "--result", "second", "--n", 4, "--export", "json")
    assert [json.loads(line)["seed"] for line in given(*words).splitlines()] == [one["seed"] for one in kept[:4]]


def test_games_that_come_out_otherwise_are_left_out_and_told(star: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_block = engine.run_block

    def changed(block: Any) -> dict[str, Any]:
        arrays = run_block(block)
        arrays["game_hash"][1] += 1
        return arrays

    monkeypatch.setattr(engine, "run_block", changed)
    told = call("games", str(star), "--ruleset", "5x5", "--agent", "random", "--n", "3", "--export", "json")
    assert told.exit_code == 1 and "1 of 3 games are omitted" in told.stderr
    assert [json.loads(line)["game"] for line in told.stdout.splitlines()] == [1, 3]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--ruleset", "5x6"), "--ruleset: the report has no ruleset named '5x6' (did you mean '5x5'?)"),
        (("--agent", "greeedy"), "the report has no agent named 'greeedy' in that seat (did you mean 'greedy'?)"),
        (("--first", "greedy", "--second", "random"), "greedy does not play random in this report"),
        (("--export", "jsn"), "found 'jsn' (did you mean 'json'?)"),
        (("--export", "pgn"), "--export: expected json or text for games of star, found 'pgn'"),
        (("--ending", "surounded"), "(did you mean 'surrounded'?)"),
        (("--result", "third"), "no game in"),
        (("--game", "231"), "--game: expected a number from 1 to 230, found 231"),
        (("--out", "pyproject.toml"), "exists already"),
        (("--agent", "greedy", "--first", "random"), "omit --first and --second"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_told_with_the_nearest_name(star: Path, words: tuple[str, ...], said: str) -> None:
    assert said in " ".join(refused("games", str(star), *words).replace("│", " ").split())


def test_all_that_is_wrong_is_told_at_once(star: Path) -> None:
    told = refused("games", str(star), "--ruleset", "x", "--first", "y", "--export", "z")
    assert all(option in told for option in ("--ruleset", "--first", "--export"))
    assert "did you mean 'sample'?" in refused("games", "smaple")


@pytest.mark.thorough
def test_the_report_names_the_command_of_each_cell(star: Path, no_charts: None) -> None:
    report.write_report(star)
    commands = pd.read_csv(star / "summary.csv")["games_again"]
    assert commands[0] == "workbench games . --ruleset star/5x5 --agent random"
    assert "workbench games . --ruleset star/5x5 --agent greedy --game " in (star / "report.html").read_text("utf-8")


def test_provenance_names_the_commit_and_the_kernels(star: Path) -> None:
    content = provenances.load_provenance(star)
    assert content["engines"] == engine_digests(["star"])
    assert re.fullmatch(r"[0-9a-f]{40}\+?", content["versions"]["commit"])
