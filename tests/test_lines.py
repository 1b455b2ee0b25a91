"""Lines, the opening moves that are played before the players choose: in the engine, in files, drawn, and in a run."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from tests.command_line import printed
from tests.report_folders import record_bytes
from tests.test_planning import alike
from workbench import games
from workbench import report as reports
from workbench.base.errors import InputError
from workbench.engine import contract, trials
from workbench.engine.players import BlockArguments
from workbench.experiments import experiment
from workbench.experiments.experiment import Experiment
from workbench.experiments.experiment_files import JUDGE, DrawnLines, GivenLines
from workbench.players import agents
from workbench.players.match import Match
from workbench.positions.game_state import GameState, opening_moves, opening_texts
from workbench.records import provenance
from workbench.report.sections.games import replay_games
from workbench.rules import rulesets
from workbench.runs import planning, progress, runner
from workbench.runs.executor import Executor
from workbench.runs.lines import RulesetLines, _LineSource, draw_experiment_lines
from workbench.statistics import AnalysisPlan
from workbench.statistics.analysis import games_per_cell
from workbench.statistics.analysis_plan import games_for_precision, prepare_trials
from workbench.statistics.intervals import CLUSTER

pytestmark = pytest.mark.thorough
EXACT = ("result", "termination", "plies", "turns", "game_hash", "events", "opening", "lead_changes", "drama")
SEEDS = np.arange(6, dtype=np.uint64)
CAP = 40


def block(name: str, first: str, second: str, lines: np.ndarray | None = None, cap: int = CAP) -> dict[str, np.ndarray]:
    ruleset = rulesets.load_ruleset(name)
    one, other = (agents.agent_from_text(words).player(games.declaration(ruleset.game)) for words in (first, second))
    codes = ruleset.codes()
    return trials.run_block(BlockArguments(ruleset.game, codes, one, other, SEEDS, cap, keep=cap, lines=lines))


@pytest.mark.kernel
@pytest.mark.parametrize(("name", "player"), [("star/4x4", "random"), ("star/4x4", "greedy"), ("chatra/9x9", "greedy")])
def test_a_game_given_as_its_whole_line_is_the_same_game(name: str, player: str) -> None:
    played = block(name, player, player)
    again = block(name, player, player, played["opening"])
    for column in EXACT:
        np.testing.assert_array_equal(again[column], played[column], column)
    assert (played["plies"] > 5).any()
    stopped = block(name, player, player, played["opening"], cap=5)
    np.testing.assert_array_equal(stopped["plies"], np.minimum(played["plies"], 5))
    np.testing.assert_array_equal(stopped["opening"], played["opening"][:, :5])


@pytest.mark.kernel
@pytest.mark.parametrize("player", ["random", "greedy", "alphabeta-1"])
def test_the_players_go_on_where_the_line_ends(player: str) -> None:
    lines = block("star/4x4", "random", "random")["opening"][:, :4].copy()
    lines[0, 1:], lines[1] = -1, -1
    found = block("star/4x4", player, player, lines)
    length = (lines >= 0).sum(axis=1)
    for game, line in enumerate(lines):
        np.testing.assert_array_equal(found["opening"][game, : length[game]], line[: length[game]])
    assert (found["plies"] > length).all()
    assert (found["legal_moves"] > 1).all()
    free = block("star/4x4", player, player)
    assert found["game_hash"][1] == free["game_hash"][1], "a line without moves changes nothing"
    np.testing.assert_array_equal(block("star/4x4", player, player, lines[:, :0])["game_hash"], free["game_hash"])


@pytest.mark.kernel
def test_a_move_that_is_not_legal_is_an_error() -> None:
    lines = block("star/4x4", "random", "random")["opening"][:, :3].copy()
    lines[2, 2] = lines[2, 0]
    with pytest.raises(ValueError, match=r"game 2: illegal move at ply 3"):
        block("star/4x4", "random", "random", lines)


def written(folder: Path, openings: str, name: str = "beginnings", **changes: str) -> Experiment:
    content = {
        "title": "How do games begin?", "rulesets": "[star/default, star/4x4, star/5x5]", "agents": "[random, greedy]",
        "games": "50", "seed": "3", "openings": openings, **changes,
    }  # fmt: skip
    path = folder / f"{name}.yaml"
    path.write_text("".join(f"{key}: {value}\n" for key, value in content.items()), encoding="utf-8")
    return experiment.load_experiment(path)


def wrong(folder: Path, openings: str, **changes: str) -> str:
    with pytest.raises(InputError) as error:
        draw_experiment_lines(written(folder, openings, **changes))
    return str(error.value)


def test_both_forms_of_openings(tmp_path: Path) -> None:
    assert written(tmp_path, "{plies: 4}").openings == DrawnLines(4, 500, 0.9, JUDGE)
    full = written(tmp_path, "{plies: 4, lines: 30, threshold: 0.8, judge: {greedy: {temperature: 3}}}")
    assert full.openings == DrawnLines(4, 30, 0.8, agents.agent_from_text("greedy").judge())
    given = written(tmp_path, '["b2  b3 a3", "c3"]')
    assert given.openings == GivenLines(("b2 b3 a3", "c3")) and given.line_count == 2
    assert given.line_numbers(*given.pairings[0], 3, 8).tolist() == [1, 0, 1, 0, 1]
    for loaded in (full, given):
        plan = AnalysisPlan(loaded)
        said = json.loads(json.dumps(loaded.canonical()))["openings"]
        recorded = {"experiment": {"openings": said}, "rulesets": [], "pairings": []}
        assert AnalysisPlan.from_provenance(recorded).experiment.openings == plan.experiment.openings


@pytest.mark.parametrize(
    ("openings", "message"),
    [("4", "openings: expected random lines, such as {plies: 4, lines: 500}, or a list of lines"),
     ("{lines: 30}", "openings.plies: expected this key, found none"),
     ("{plies: 0}", "openings.plies: expected a whole number from 1 to 100, found 0"),
     ("{plies: 3, lines: 5}", "openings.lines: expected a whole number from 20 to 10000, found 5"),
     ("{plies: 3, threshold: 90}", "openings.threshold: expected an expected score from 0.6 to 1, found 90"),
     ("{plies: 3, jugde: greedy}", "found the unknown key 'jugde' (did you mean 'judge'?)"),
     ("{plies: 3, judge: random}", "expected a player that can evaluate a position, found 'random'"),
     ("{plies: 3, judge: {greedy: {weights: {nose: 1}}}}", "expected a feature of star, found 'nose'"),
     ("[]", "openings: expected 1 to 1,000 lines, found 0"),
     ('["b2 b3", "b2  b3"]', "openings[1]: expected each line once, found 'b2 b3' again"),
     ("[{a: b}]", 'openings[0]: expected a line such as "f9 Ok2 Oi4", found a mapping'),
     ("{plies: 50}", "openings.plies: expected fewer plies than max_plies (40), found 50"),
     ('["b2 b9"]', "line 1, 'b2 b9', is not legal under star/default: move 2, b9: "),
     ('["b2 c3 b2"]', "is not legal under star/5x5: move 3, b2: ")],
)  # fmt: skip
def test_what_is_wrong_with_openings_is_told_in_words(tmp_path: Path, openings: str, message: str) -> None:
    assert message in wrong(tmp_path, openings, max_plies="40")
    chosen = "expected a different question, because the file sets the openings"
    assert chosen in wrong(tmp_path, "{plies: 3}", question="variety")


def test_a_line_says_which_rule_forbids_it_and_where_it_stands(tmp_path: Path) -> None:
    given = '["f9 Ok2 Oi4", "f9 Oh4 Oi10", "f9 Oi3 Oi5"]'
    lines = wrong(tmp_path, given, rulesets="[chatra/2007-09, chatra/A, chatra/B]").splitlines()
    assert len(lines) == 3 and all(":6: openings[" in line for line in lines)
    assert "openings[0]: line 1, 'f9 Ok2 Oi4', is not legal under chatra/A: move 3, Oi4: The object placed" in lines[0]
    assert "openings[2]: line 3, 'f9 Oi3 Oi5', is not legal under chatra/B: move 3, Oi5: " in lines[2]


def plays(name: str, text: str) -> GameState:
    ruleset = rulesets.load_ruleset(name)
    game_state = GameState(ruleset.game, ruleset.codes())
    for move in text.split():
        game_state.push_text(move)
    return game_state


def test_lines_are_alike_as_far_as_rules_allow(tmp_path: Path) -> None:
    loaded = written(tmp_path, "{plies: 3, lines: 40, judge: alphabeta-2}")
    drawn = draw_experiment_lines(loaded)
    base = drawn["star/default"]
    assert base.shared == 40 and len(set(base.texts)) > 30 and base.left_out["won"] > 0
    for name, lines in drawn.items():
        assert len(set(lines.positions)) > 30 and lines.moves.shape == (40, 3)
        assert lines.shared == sum(one == other for one, other in zip(lines.positions, base.positions, strict=True))
        ruleset = rulesets.load_ruleset(name)
        assert opening_texts(ruleset.game, ruleset.codes(), lines.moves) == list(lines.texts)
        np.testing.assert_array_equal(opening_moves(ruleset.game, ruleset.codes(), lines.texts), lines.moves)
        for text in lines.texts:
            assert plays(name, text).outcome()[0] == contract.ONGOING


def test_a_line_comes_to_the_same_place_in_another_order(tmp_path: Path) -> None:
    """Chatra's proposal C places the objects first: the moves are others, and yet the position is the same one."""
    names = "[chatra/2007-09, chatra/C, chatra/A, chatra/A+C]"
    loaded = written(tmp_path, "{plies: 4, lines: 40, judge: greedy}", rulesets=names, max_plies="99")
    drawn = draw_experiment_lines(loaded)
    base, reordered = drawn["chatra/2007-09"], drawn["chatra/C"]
    assert reordered.shared >= 20
    assert not set(base.texts) & set(reordered.texts)
    for i, (one, other) in enumerate(zip(base.texts, reordered.texts, strict=True)):
        same = base.positions[i] == reordered.positions[i]
        assert same == (plays("chatra/2007-09", one).board().cells == plays("chatra/C", other).board().cells)
        assert not same or sorted(one.split()) == sorted(other.split())
    pairs = zip(drawn["chatra/A+C"].positions, reordered.positions, strict=True)
    assert sum(mine == theirs for mine, theirs in pairs) >= 20


def test_lines_of_one_position_are_one_cluster(tmp_path: Path) -> None:
    loaded = written(tmp_path, "{plies: 2, lines: 20}", rulesets="[star/default, star/4x4]")
    texts = {"star/default": ("b2 c3", "a1 b2"), "star/4x4": ("c3 b2", "a1 c1")}
    plan = AnalysisPlan(loaded, texts, {"star/default": ("p", "q"), "star/4x4": ("p", "r")})
    frame = pd.DataFrame({"ruleset": np.repeat(["star/default", "star/4x4"], 2), "line": [0, 1, 0, 1]})
    frame = frame.assign(first="greedy", second="greedy", result="first")
    assert prepare_trials(frame, plan).games[CLUSTER].tolist() == [0, 1, 0, 2]


def test_random_lines_are_as_often_one_move_as_another(tmp_path: Path) -> None:
    loaded = written(tmp_path, "{plies: 1, lines: 20}", rulesets="[star/default]")
    drawing = _LineSource(loaded, DrawnLines(1, 20), loaded.rulesets[0])
    seeds = loaded.line_seeds(loaded.rulesets[0], 0, 0, 3_000)
    counts = pd.Series([drawing._draw(int(seed)).text for seed in seeds]).value_counts()
    expected = 3_000 / len(counts)
    assert len(counts) == len(plays("star/default", "").legal())
    assert ((counts - expected).abs() < 5 * expected**0.5).all()


def test_the_first_lines_are_the_same_however_many_there_are_and_whoever_else_is_there(tmp_path: Path) -> None:
    loaded = written(tmp_path, "{plies: 3, lines: 40, judge: greedy}", games="20")
    few = draw_experiment_lines(loaded)
    turned = written(tmp_path, "{plies: 3, lines: 40, judge: greedy}", rulesets="[star/5x5, star/default]")
    many = draw_experiment_lines(turned)
    had = sorted({number for pair in loaded.pairings for number in loaded.line_numbers(*pair, 0, 20).tolist()})
    assert 20 < len(had) < 40
    for name in many:
        assert [number for number, text in enumerate(few[name].texts) if text] == had, "those that some game has"
        assert (few[name].moves[had] >= 0).all() and few[name].moves.shape == (had[-1] + 1, 3)
        assert [few[name].texts[number] for number in had] == [many[name].texts[number] for number in had]
    openings = "{plies: 3, lines: 20, judge: greedy}"
    seeds = {draw_experiment_lines(written(tmp_path, openings, seed=seed))["star/5x5"].texts for seed in ("3", "4")}
    assert len(seeds) == 2


def wins(game_state: GameState, plies: int) -> int:
    """1 if the first seat can force its win within so many plies, -1 if the second can, else 0: looked up nowhere."""
    result, _ = game_state.outcome()
    if result != contract.ONGOING or plies == 0:
        return {contract.FIRST: 1, contract.SECOND: -1}.get(result, 0)
    values = []
    for move in game_state.legal():
        game_state.push(move)
        values.append(wins(game_state, plies - 1))
        game_state.undo()
    return max(values) if game_state.seat == 0 else min(values)


def test_a_line_is_left_out_if_a_side_has_won_as_the_judge_sees_it(tmp_path: Path) -> None:
    options = "{plies: 5, lines: 20, threshold: 1, judge: alphabeta-3}"
    lines = draw_experiment_lines(written(tmp_path, options, rulesets="[star/default]"))["star/default"]
    assert lines.left_out["won"] > 0
    assert not any(wins(plays("star/default", text), 3) for text in lines.texts)
    strict = draw_experiment_lines(written(tmp_path, options.replace("1,", "0.6,"), rulesets="[star/default]"))
    assert strict["star/default"].left_out["won"] > lines.left_out["won"]


def test_lines_that_all_end_the_game_are_an_error_in_words(tmp_path: Path) -> None:
    message = wrong(tmp_path, "{plies: 90, lines: 30, judge: greedy}", rulesets="[star/default]")
    assert "expected 30 lines of 90 plies under star/default, found a line that failed in 200 attempts" in message


def run(loaded: Experiment, folder: Path, **options: Any) -> runner.RunOutcome:
    return runner.run_experiment(loaded, folder, workers=options.pop("workers", 1), **options)


def test_a_run_begins_with_its_lines_and_says_so(tmp_path: Path, no_charts: None) -> None:
    loaded = written(tmp_path, "{plies: 3, lines: 20, judge: greedy}", block="7")
    folder = tmp_path / "one"
    run(loaded, folder)
    table = pd.read_parquet(folder / "trials")
    said = provenance.load_provenance(folder)
    order = {one.label: loaded.line_numbers(one, other, 0, 20) for one, other in loaded.pairings}
    games_of = zip(table["first"], table["game"], strict=True)
    assert table["line"].tolist() == [order[player][game % 20] for player, game in games_of]
    for row in table.to_dict("records"):
        text = said["openings"][row["ruleset"]]["lines"][row["line"]]
        assert row["opening"].split()[:3] == text.split()
    drawn = draw_experiment_lines(loaded)
    assert said["openings"] == json.loads(json.dumps({name: lines.as_json() for name, lines in drawn.items()}))
    plan = AnalysisPlan.from_provenance(said)
    texts, places = ({name: getattr(each, what) for name, each in drawn.items()} for what in ("texts", "positions"))
    assert alike(plan, AnalysisPlan(loaded, texts, places))
    run(loaded, tmp_path / "two", workers=2)
    assert record_bytes(tmp_path / "two") == record_bytes(folder)
    report = reports.write_report(folder)
    assert report.cells["lines"].tolist() == [len(set(drawn[name].positions)) for name in report.cells["ruleset"]]


@pytest.mark.parametrize("ending", [{"until": "decided"}, {"precision": "0.1"}])
def test_interim_analyses_know_the_lines(tmp_path: Path, ending: dict[str, str]) -> None:
    options = {"games": "80", "looks": "4", "agents": "[greedy]", **ending}
    loaded = written(tmp_path, "{plies: 3, lines: 20, judge: greedy}", **options)
    run(loaded, tmp_path / "out")
    trials_of = pd.read_parquet(tmp_path / "out" / "trials")
    said = provenance.load_provenance(tmp_path / "out")
    wanted = games_per_cell(trials_of, AnalysisPlan.from_provenance(said))
    played = trials_of.groupby(["ruleset", "first", "second"]).size().to_dict()
    assert played == wanted and all(count % 20 == 0 for count in played.values())


def test_a_run_goes_on_with_the_lines_that_it_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two = {"rulesets": "[star/default, star/4x4]"}
    loaded = written(tmp_path, "{plies: 3, lines: 20, judge: greedy}", games="25", **two)
    folder = tmp_path / "out"
    run(loaded, folder)
    more = written(tmp_path, "{plies: 3, lines: 20, judge: greedy}", **two)
    whole = tmp_path / "whole"
    run(more, whole)

    def refuse(*_: Any) -> RulesetLines:
        raise AssertionError("lines that are known are not drawn again")

    before = provenance.read_provenance(folder)
    with monkeypatch.context() as patched:
        patched.setattr(_LineSource, "take_lines", refuse)
        assert draw_experiment_lines(loaded, before)["star/4x4"].texts
        run(loaded, folder)
    outcome = run(more, folder)
    assert outcome.resumed == 100 and outcome.played == 100
    assert record_bytes(folder) == record_bytes(whole)
    assert provenance.load_provenance(folder)["openings"] == provenance.load_provenance(whole)["openings"]


def test_other_openings_are_another_experiment(tmp_path: Path) -> None:
    first = written(tmp_path, "{plies: 3, lines: 20, judge: greedy}", games="20")
    folder = tmp_path / "out"
    run(first, folder)
    for openings, changes, message in (
        ("{plies: 4, lines: 20, judge: greedy}", {}, "openings: was 20 lines of 3 plies, excluding scores of 0.9"),
        ('["c3"]', {}, "is now c3"),
        ("{plies: 3, lines: 20, judge: greedy}", {"seed": "4"}, "seed: was 3, is now 4"),
    ):
        other = written(tmp_path, openings, games="20", **changes)
        assert {cell.digest for cell in other.cells()}.isdisjoint(cell.digest for cell in first.cells())
        with pytest.raises(progress.FolderMismatch, match=message):
            run(other, folder)


def test_every_two_players_meet_drawn_lines_in_an_order_of_their_own(tmp_path: Path) -> None:
    drawn = written(tmp_path, "{plies: 3, lines: 20}", agents="[random, greedy, {greedy: {temperature: 3, name: odd}}]")
    random, greedy, noisy = dict.fromkeys(first for first, _ in drawn.pairings)
    pairs = ((random, random), (random, greedy), (noisy, noisy))
    orders = [drawn.line_numbers(*pair, 0, 40).tolist() for pair in pairs]
    assert all(sorted(order[:20]) == list(range(20)) and order[20:] == order[:20] for order in orders)
    assert len(set(map(tuple, orders))) == 3
    assert drawn.line_numbers(greedy, random, 0, 40).tolist() == orders[1], "the seats are no matter"
    fewer = written(tmp_path, "{plies: 3, lines: 20}", name="fewer", agents="[greedy, random]", rulesets="[star/4x4]")
    assert fewer.line_numbers(random, random, 5, 9).tolist() == orders[0][5:9], "nor are rulesets and other players"


def test_a_plan_knows_how_much_games_of_a_line_resemble_each_other(tmp_path: Path) -> None:
    """The engine of this test decides 36 of 100 lines, and gives all others to chance: a correlation of 0.36."""
    rng = np.random.default_rng(1)
    decided = rng.random(200) < 0.36
    winner = rng.integers(1, 3, 200)
    seen: list[Any] = []

    def play(block: BlockArguments) -> dict[str, Any]:
        seeds, moves = block.seeds, block.lines
        seen.append(moves)
        number = np.array([place[tuple(line)] for line in moves.tolist()])
        result = np.where(decided[number], winner[number], rng.integers(1, 3, len(seeds)))
        return {"result": result, "plies": np.full(len(seeds), 9)}

    options = {"rulesets": "[star/4x4, star/5x5]", "agents": "[greedy]", "block": "1600"}
    loaded = written(tmp_path, "{plies: 3, lines: 200, judge: greedy}", games="5000", **options)
    drawn = draw_experiment_lines(loaded).values()
    place = {tuple(line): k for lines in drawn for k, line in enumerate(lines.moves.tolist())}
    ticks = iter(range(100))
    clock, precisions = (lambda: float(next(ticks))), (0.05, 0.02)
    made = planning.plan_experiment(loaded, 10, Executor(2), precisions=precisions, play=play, clock=clock)
    (pace,) = made.paces
    assert pace.lines == 200 and 0.25 < pace.alike < 0.47
    few, many = (wish for wish in made.wishes if wish.kind == "precision")
    independent = games_for_precision(0.05, pace.variance)
    expected = independent * (1 - pace.alike) / (1 - independent * pace.alike / 200)
    needed = few.games[0] or 0
    assert needed == pytest.approx(expected, abs=1) and needed > 1.5 * independent
    assert many.games == (None,), "200 lines do not tell a score to two points"
    assert "with 5,000 games from 200 lines per cell, the power is lower" in planning.describe_power(loaded)[-1]
    alone = written(tmp_path, "{plies: 3, lines: 200, judge: greedy}", games="200", **options)
    assert "lines" not in " ".join(planning.describe_power(alone))


def test_games_at_the_terminal_begin_after_an_opening() -> None:
    opening = "b2 b3 a3"
    moves = printed("moves", "star/default", "--opening", opening)
    assert moves == printed("moves", "star/default", "--moves", opening) and "at ply 4" in moves
    options = ("--first", "greedy", "--second", "random", "--games", "3", "--json")
    found = [json.loads(line) for line in printed("play", "star/default", "--opening", opening, *options).splitlines()]
    assert [" ".join(game["moves"][:3]) for game in found] == [opening] * 3
    assert len({" ".join(game["moves"]) for game in found}) > 1


def test_a_person_plays_on_from_an_opening_and_does_not_take_it_back() -> None:
    ruleset = rulesets.load_ruleset("star/default")
    waiting = iter(["undo", "quit"])
    console = Console(file=io.StringIO(), width=100)
    match = Match(ruleset, (None, None), 0, 99, console, lambda: next(waiting, None), None, ["b2", "b3"])
    match.play()
    assert isinstance(console.file, io.StringIO)
    told = console.file.getvalue()
    assert "after b2 b3" in told and "ply 3>" in told and "There is no move to take back." in told
    assert match.game_state.texts == ["b2", "b3"]


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory, no_charts_in_module: None) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("lines")
    given = written(folder, '["b2 b3", "c3 b2 a2"]', "given", games="60", targets="{first_score: [0.4, 0.6]}")
    drawn = written(folder, "{plies: 3, lines: 20, judge: greedy}", "drawn", games="60")
    for name, loaded in (("given", given), ("drawn", drawn)):
        run(loaded, folder / name)
        reports.write_report(folder / name)
    return {name: folder / name for name in ("given", "drawn")}


def test_the_report_says_which_lines_were_drawn_shared_and_left_out(reported: dict[str, Path]) -> None:
    said = provenance.load_provenance(reported["drawn"])
    part = (reported["drawn"] / "report.md").read_text(encoding="utf-8").split("## Openings")[1].split("\n## ")[0]
    labels = {
        "default": "The star game as its author plays it", "4x4": "4×4 cells", "5x5": "5×5 cells, four pieces each",
    }  # fmt: skip
    for ruleset, label in labels.items():
        entry = said["openings"][f"star/{ruleset}"]
        row = next(line for line in part.splitlines() if line.startswith(f"| {label} "))
        counts = [int(word) for word in row.strip("| ").split("|")[1:]]
        expected = [entry["left_out"].get(name, 0) for name in ("won", "ended")]
        assert counts == [20, entry["shared"], *expected]
    assert said["openings"]["star/default"]["lines"][0] in part
    assert "openings" not in {path.stem for path in (reported["drawn"] / "tables").iterdir()}


@pytest.mark.parametrize("name", ["given", "drawn"])
def test_replays_begin_with_their_line(reported: dict[str, Path], name: str) -> None:
    said = provenance.load_provenance(reported[name])
    plan = AnalysisPlan.from_provenance(said)
    chosen = pd.read_parquet(reported[name] / "trials").iloc[::37]
    chosen = chosen.assign(reasons=[""] * len(chosen))
    for one, row in zip(replay_games(chosen, plan, said["weights"]), chosen.to_dict("records"), strict=True):
        assert one.moves is not None, "the engine plays the same game again"
        text = plan.line_texts[row["ruleset"]][row["line"]]
        assert " ".join(one.game_state.texts).startswith(text)
