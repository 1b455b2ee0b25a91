"""The commands that play, measure and sign: moves, perft, play, run, bench, signature."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from tests import few
from tests.command_line import EXPERIMENT, MATE, ROOT, SMALL, as_json, call, printed, refused
from workbench.addons.bench import speeds
from workbench.base import project
from workbench.engine import trials
from workbench.experiments import experiment
from workbench.experiments.experiment_files import DrawnLines
from workbench.players import agents
from workbench.records import records
from workbench.rules import rulesets
from workbench.statistics import AnalysisPlan
from workbench.statistics.analysis import decides_by_strong_play

pytestmark = pytest.mark.usefixtures("in_the_checkout")


# Positions


def test_the_shape_of_moves() -> None:
    output = as_json("moves", SMALL, "--json")
    assert len(output.pop("moves")) == 72
    assert output == {"ruleset": SMALL, "ply": 0, "seat": "first", "result": None, "termination": None}


def test_moves_of_a_finished_game() -> None:
    output = as_json("moves", SMALL, "--moves", MATE, "--json")
    over = {"moves": [], "result": "first", "termination": "mate"}
    assert output == {"ruleset": SMALL, "ply": 11, "seat": "second", **over}
    text = printed("moves", SMALL, "--moves", "a1 Oh8")
    assert "8 │ :  :  :  ·  ·  ·  : [☆] : │ 8" in text and "Black (first) has 62 legal moves at ply 3." in text


def test_the_shape_of_perft() -> None:
    output = as_json("perft", SMALL, "2", "--json")
    assert output == {"ruleset": SMALL, "counts": [72, 4672]}
    divided = as_json("perft", SMALL, "2", "--divide", "--json")
    assert sum(divided["divide"].values()) == 4672
    assert as_json("perft", SMALL, "1", "--moves", "a1", "--json")["counts"] == [divided["divide"]["a1"]]
    assert as_json("perft", SMALL, "2", "--moves", MATE, "--json")["counts"] == [0, 0]
    assert printed("perft", SMALL, "2") == "1 72\n2 4672\n"


@pytest.mark.family("chess")
def test_a_position_is_typed_as_the_game_writes_it() -> None:
    kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    assert printed("perft", "chess/orthodox", "2", "--position", kiwipete) == "1 48\n2 2039\n"
    words = ("moves", "chess/007", "--position", kiwipete, "--json", "--run")
    seats = [as_json(*words, place)["seat"] for place in ("3/1", "3/2")]
    assert seats == ["first", "second"], "the colour to move is White's: ply 1 of White's run, ply 2 of Black's"
    for position, seat in (("★□○/●○○/●□●", "first"), ("{board: ★□○/●○○/●□●, to_move: second}", "second")):
        assert as_json("moves", "star/default", "--position", position, "--json")["seat"] == seat
    assert "a place within a run needs --position" in " ".join(refused("moves", "chess/007", "--run", "3/2").split())


OTHERS = "white: [], black_object: a1, white_object: i9, to_move: first"


@pytest.mark.family("chess", "draughts", "rengo")
@pytest.mark.parametrize(
    ("name", "position", "message"),
    [
        ("chess/007", "nonsense", "the position cannot be set up: FEN"),
        ("chess/007", "{run: 3/2}", "fen: expected text, found nothing"),
        ("chess/007", "8/8/8/8/8/8/8/K1k5 w - - 99999999999999999999 1", "at most five digits"),
        ("chess/007", "٨/8/8/8/8/8/8/K1k5 w", "'٨' in rank 8 is not a piece"),
        ("draughts/english", "{fen: 'B:W31:B1', quiet: -1}", "quiet: expected a whole number from 0"),
        ("star/default", "{board: 1}", "board: expected rows of ★ □ ○ ● separated by /, found 1"),
        ("star/default", "{bord: ★□○/●○○/●□●}", "found the unknown key 'bord' (did you mean 'board'?)"),
        ("star/default", "{board: ★□○/●○○/●□●, to_move: third}", "expected first or second"),
        ("star/default", "{a: " * 30 + "1" + "}" * 30, "expected at most 24 levels"),
        ("star/default", "★" * 5000, "expected at most 4,000 characters, found 5,000"),
        ("chatra/A", "f9", "expected YAML in braces"),
        (SMALL, f"{{black: [z9], {OTHERS}}}", "each a square on the 9×9 board"),
        (SMALL, f"{{black: [a1], {OTHERS}}}", "two pieces on a1"),
        ("rengo/go9", "{board: ........., to_move: first, hands: {first: {玉: 1}}}", "expected any of first, second"),
    ],
)
def test_a_wrong_position_is_refused(name: str, position: str, message: str) -> None:
    assert message in " ".join(refused("moves", name, "--position", position).replace("│", " ").split())


# Games


def games(*words: str) -> list[Any]:
    return [json.loads(line) for line in printed("play", SMALL, *words, "--json").splitlines()]


def test_the_shape_of_play() -> None:
    both = ("--first", "random", "--second", "greedy", "--max-plies", "60")
    played = games(*both, "--games", "3", "--seed", str(2**64 - 1))
    assert [(game["game"], game["seed"]) for game in played] == [(0, 2**64 - 1), (1, 0), (2, 1)]
    assert games(*both, "--seed", "1") == [played[2] | {"game": 0}]
    for game in played:
        assert list(game) == ["game", "seed", "moves", "result", "termination", "plies"]
        assert game["plies"] == len(game["moves"])
        assert (game["result"] == "unfinished") == (game["termination"] == "cap") == (game["plies"] == 60)


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


@pytest.mark.family("chess", "draughts")
def test_games_are_exported_in_the_format_of_the_game(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    assert "wrote 2 games as PGN" in printed("play", "chess/007", "--games", "2", "--export", str(file))
    text = file.read_text(encoding="utf-8")
    assert text.count('[White "greedy (White)"]') == 2 and "{W} 1." in text
    draughts = tmp_path / "games.pdn"
    printed("play", "draughts/english", "--second", "random", "--export", str(draughts))
    assert '[White "random (' in draughts.read_text(encoding="utf-8")
    for ruleset, out, said in (
        ("chess/007", file, "exists already"), ("chess/007", tmp_path / "no" / "x.pgn", "there is no folder"),
        ("star/default", tmp_path / "x", "no file format"),
    ):  # fmt: skip
        assert said in " ".join(refused("play", ruleset, "--games", "10000000", "--export", str(out)).split())


# Speed, and the signature


def test_the_shape_of_bench() -> None:
    output = as_json("bench", SMALL, "--agents", "random best-first:nodes=20", "--seconds", "0.01", "--json")
    assert set(output) == {"machine", "seconds", "speeds"}
    random, best_first = output["speeds"]
    assert (random["ruleset"], random["agent"], best_first["agent"]) == (SMALL, "random", "best-first-20n")
    assert random["plies_per_second"] > random["games_per_second"] > 0 and random["nodes_per_second"] is None
    assert best_first["nodes_per_second"] > best_first["plies_per_second"]
    assert "CPU (s)" in printed("bench", SMALL, "--agents", "random", "--seconds", "0.01")
    versus = as_json("bench", "--vs", "chess", "--seconds", "0.05", "--json")["versus"]
    assert [row["work"] for row in versus] == ["random plies", "perft nodes"]
    assert all(row["ratio"] == pytest.approx(row["workbench"] / row["other"], rel=0.1) for row in versus)


def test_bench_counts_the_time_of_its_own_process_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    worked, play = [0.0], trials.run_block

    def slowly(block: Any) -> dict[str, Any]:
        worked[0] += 0.5 * len(block.seeds)
        return play(block)

    # Other programs take 99 hundredths of the time of this machine.
    clocks = SimpleNamespace(process_time=lambda: worked[0], perf_counter=lambda: 100 * worked[0])
    monkeypatch.setattr(speeds, "time", clocks)
    monkeypatch.setattr(trials, "run_block", slowly)
    speed = speeds.measure_speed(rulesets.load_ruleset(SMALL), agents.agent_from_text("random"), 10.0)
    assert speed["games_per_second"] == 2
    assert speed["wall_seconds"] == 100 * speed["cpu_seconds"] == 50 * speed["games_per_round"]
    assert speed["cpu_seconds"] * speed["rounds"] == 10

    def seven_units() -> int:
        worked[0] += 0.25
        return 7

    assert speeds._measure_rate(seven_units, 10.0) == 28


def test_bench_measures_the_default_of_every_game() -> None:
    from workbench.games import declaration, names

    defaults = speeds.benchmark_rulesets(project.find_project())
    assert [ruleset.game for ruleset in defaults] == names()
    for ruleset in defaults:
        assert ruleset.settings == declaration(ruleset.game).defaults()


def test_signature_compares_with_a_file(own: Path) -> None:
    for path in [*own.rglob("*.yaml")]:
        path.unlink()
    (own / "rulesets/chatra/9x9.yaml").write_text("game: chatra\ntitle: t\nrules: {size: 9}\n", encoding="utf-8")
    lines = printed("signature")
    file = own / "signature.txt"
    file.write_text(lines, encoding="utf-8")
    assert printed("signature", "--check", str(file)) == f"All {len(lines.splitlines())} lines match {file}.\n"
    first, *others = lines.splitlines()
    file.write_text("\n".join([first[:-1] + "!", *others]), encoding="utf-8")
    result = call("signature", "--check", str(file))
    assert (result.exit_code, result.stdout) == (1, f"- {first[:-1]}!\n+ {first}\n")


LARGE = ("rengo/go13", "rengo/go19", "rengo/renju15")
"""Rulesets whose games of players that look at every move take nine tenths of the time of the whole signature."""


@pytest.mark.parametrize(
    "whole", [pytest.param(False, marks=pytest.mark.thorough), pytest.param(True, marks=pytest.mark.slow)]
)
def test_behaviour_is_as_signed(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behaviour changed if this fails: rules, agents, weights or random numbers.

    If that is wanted, write the file again with ``workbench signature > tests/signature.txt`` in the same commit, say
    why in its message, and tell in CHANGELOG.md whose results are touched.
    """
    signed = (ROOT / "tests/signature.txt").read_text(encoding="utf-8").splitlines()
    if whole:
        lines = printed("signature").splitlines()
    else:
        small = [name for name in rulesets.ruleset_names() if name not in LARGE]
        lines = list(speeds.signature_lines(map(rulesets.load_ruleset, small)))
        monkeypatch.setattr(speeds, "SIGNATURE_GAMES", speeds.SIGNATURE_GAMES[:1])
        lines += speeds.signature_lines(rulesets.load_ruleset(name) for name in LARGE)
        by_others = tuple(f"{name} {agent} " for name in LARGE for agent in ("greedy", "alphabeta-1"))
        signed = [line for line in signed if not line.startswith(by_others)]
    changed = sorted(set(lines) ^ set(signed))
    assert not changed, "behaviour changed; to update: workbench signature > tests/signature.txt"


# Experiments


@pytest.mark.thorough
def test_play_plays_the_games_of_an_experiment(tmp_path: Path) -> None:
    path = tmp_path / "tiny.yaml"
    path.write_text(EXPERIMENT, encoding="utf-8")
    out = tmp_path / "out"
    text = printed("run", str(path), "--out", str(out), "--workers", "1")
    assert "2 cells, 3 games each: 6 games" in text
    assert "Played 6 games." in text
    charts = [f"{chart}.{kind}" for chart in ("first_score", "lengths") for kind in ("png", "svg")]
    for name in ("report.html", "report.md", "summary.csv", *charts):
        assert (out / name).stat().st_size > 0
    assert f"{out.name}/report.html\n" in text
    trial = pd.read_parquet(out / records.TRIALS).iloc[4]
    assert (trial["first"], trial["second"]) == ("random", "greedy")
    words = ("--first", trial["first"], "--second", trial["second"], "--seed", str(int(trial["seed"])))
    game = json.loads(printed("play", SMALL, *words, "--max-plies", "40", "--json"))
    assert all(game[about] == trial[about] for about in ("result", "termination", "plies"))
    assert " ".join(game["moves"][: records.OPENING_PLIES]) == trial["opening"]
    # The same command again plays nothing; records are only deleted by those who mean it.
    assert "nothing to do" in printed("run", str(path), "--out", str(out))
    assert "--yes" in refused("run", str(path), "--out", str(out), "--fresh")
    assert (out / records.TRIALS).exists()
    path.write_text(EXPERIMENT.replace("seed: 5", "seed: 6"), encoding="utf-8")
    assert "seed: was 5, is now 6" in refused("run", str(path), "--out", str(out))
    assert "A test of the command line" in printed("report", str(out))


def test_strong_players_are_asked_in_a_folder_of_their_own(own: Path) -> None:
    asked = experiment.load_experiment(experiment.find_experiment("chatra-centre-unlock"))
    strong = experiment.with_strong_players(asked)
    assert (strong.name, strong.rulesets, strong.margin) == (
        "chatra-centre-unlock.strong",
        asked.rulesets,
        asked.margin,
    )
    assert isinstance(strong.openings, DrawnLines) and not strong.until and len(strong.pairings) == 16
    assert not decides_by_strong_play(AnalysisPlan(asked)) and decides_by_strong_play(AnalysisPlan(strong))
    (own / "experiments/tiny.strong.yaml").write_text(EXPERIMENT, encoding="utf-8")
    assert "strong players or search results" in refused("check", str(own / "experiments/tiny.strong.yaml"))


@pytest.mark.parametrize("columns", few.first(0, ["60", None]))
def test_pipes_lose_nothing_of_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_charts: None, columns: str | None
) -> None:
    monkeypatch.delenv("COLUMNS")
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    vary = "{base: chatra/9x9, middle_piece: [no-links, no-links-on-that-line], enemy_object_cuts: [true, false]}"
    text = f"title: Long names\nvary: {vary}\nagents: [random]\ngames: 2\nmax_plies: 8\n"
    (tmp_path / "long.yaml").write_text(text, encoding="utf-8")
    printed("run", str(tmp_path / "long.yaml"), "--out", str(tmp_path / "out"), "--workers", "1")
    text = printed("report", str(tmp_path / "out"), "--tables").replace("\xa0", " ")
    assert any(line.rstrip().endswith("100.0 %") for line in text.splitlines())
    assert "(0.0–65.8)" in text, "an interval is never broken"
    name = "middle_piece=no-links-on-that-line + enemy_object_cuts=false"
    assert any(line.startswith(name) and "100.0 %" in line for line in text.splitlines()) == (columns is None)
