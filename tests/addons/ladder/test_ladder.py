"""The command ladder: what it plays and keeps, how it goes on, its page, and what other reports make of it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.command_line import as_json, call, printed, refused
from tests.report_folders import record_bytes
from workbench.addons.ladder import report as pages
from workbench.addons.ladder import run as ladders
from workbench.addons.ladder.run import Ladder
from workbench.engine import trials
from workbench.engine.players import BlockArguments
from workbench.experiments import experiment
from workbench.experiments.experiment_files import DrawnLines
from workbench.players import agents
from workbench.records import provenance, records
from workbench.records.provenance import LADDER_FILE, load_ladder
from workbench.report.model import Bounds, Chart, Interval
from workbench.report.sections.strong import ladder_standings
from workbench.rules import rulesets
from workbench.runs import progress, runner
from workbench.runs.executor import Executor

ROOT = Path(__file__).resolve().parents[3]
PLAYERS = ("random", "greedy", "alphabeta-1")
LADDER = ("ladder", "star/default", "--agents")
QUICK = ("--plies", "2", "--lines", "20", "--max-plies", "60", "--workers", "1")


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")


def small(*players: str, seed: int = 0, lines: int = 20) -> Ladder:
    named = tuple(agents.agent_from_text(player) for player in players or PLAYERS)
    return Ladder(rulesets.load_ruleset("star/default"), named, DrawnLines(2, lines), seed, 60)


def play(ladder: Ladder, place: Path, games: int = 160, **options: Any) -> ladders.LadderResult:
    return ladders.play_ladder(ladder, place / "reports", precision=1, games=games, executor=Executor(1), **options)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ladders.LadderResult:
    return play(small(), tmp_path_factory.mktemp("ladder"))


def test_it_prints_a_ladder_and_keeps_it(tmp_path: Path, no_charts: None) -> None:
    result = call(*LADDER, " ".join(PLAYERS), "--games", "130", *QUICK)
    assert result.exit_code == 0, result.output
    assert "random is 0" in result.output
    order = [line.split()[0] for line in result.output.splitlines() if line.startswith(PLAYERS)]
    assert order[-1] == "random" and sorted(order[-3:]) == sorted(PLAYERS)
    assert "oving first is worth" in result.output
    (folder,) = (tmp_path / "reports" / "ladders" / "star" / "default").iterdir()
    assert all((folder / name).exists() for name in ("trials", "provenance.json", "report.html", "report.md"))
    content = load_ladder(folder / LADDER_FILE)
    assert content is not None and content["games"] == 130 and content["fingerprint"] == folder.name
    (folder / "report.md").unlink()
    assert "先手の価値" in printed("report", str(folder), "--lang", "ja")
    again = call(*LADDER, " ".join(PLAYERS), "--games", "130", *QUICK)
    assert "All 130 games have already been played" in again.output


def test_json_says_everything_in_one_line(no_charts: None) -> None:
    (ladder,) = as_json(*LADDER, "random greedy", "--games", "40", "--json", *QUICK)["ladders"]
    assert ladder["players"][0]["player"] == "random"
    assert ladder["players"][0]["elo"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert set(ladder["first_move"]) == {"value", "low", "high"}
    assert ladder["games"] == 40 and ladder["folder"].startswith("reports/ladders/star/default/")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("random",), "expected at least two players, found random"),
        (("random greedy greedy",), "found greedy again"),
        (("random greedy greedy:temperature=1",), "two 'greedy' with different options"),
        (("random gready",), "did you mean 'greedy'"),
        (("random greedy", "--zero", "gredy"), "did you mean 'greedy'"),
        ((" ".join(PLAYERS), "--games", "100"), "at least 120 games"),
    ],
)
def test_what_cannot_be_played_is_refused_in_words(words: tuple[str, ...], told: str) -> None:
    assert told in " ".join(refused(*LADDER, *words).split())


def test_every_line_is_played_in_both_seats(made: ladders.LadderResult) -> None:
    table = pd.read_parquet(made.folder / records.TRIALS)
    for _, games in table.groupby(table[["first", "second"]].agg(sorted, axis=1).astype(str)):
        seatings = games.groupby("first")["line"].agg(list)
        assert len(seatings) == 2
        assert seatings.iloc[0] == seatings.iloc[1]
    assert len(table) == made.content["games"] == 160
    assert made.content["lines"] == 20


def test_a_killed_ladder_goes_on_and_becomes_the_same(made: ladders.LadderResult, tmp_path: Path) -> None:
    blocks = 0

    def dies(block: BlockArguments) -> Any:
        nonlocal blocks
        blocks += 1
        if blocks == 8:
            raise KeyboardInterrupt
        return trials.run_block(block)

    with pytest.raises(progress.RunInterrupted):
        play(small(), tmp_path, play_block=dies)
    again = play(small(), tmp_path)
    assert 0 < again.games_played < 160
    assert record_bytes(again.folder) == record_bytes(made.folder)
    assert (again.folder / LADDER_FILE).read_bytes() == (made.folder / LADDER_FILE).read_bytes()


def test_more_games_add_to_a_ladder_and_fewer_take_nothing_back(tmp_path: Path) -> None:
    assert play(small(), tmp_path, 120).games_played == 120
    more = play(small(), tmp_path, 160)
    assert (more.games_played, more.content["games"]) == (40, 160)
    less = play(small(), tmp_path, 120)
    assert (less.games_played, less.content["games"]) == (0, 160)


def test_the_fingerprint_is_of_all_that_decides_the_games() -> None:
    base = small()
    others = [
        *(small(seed=1), small(lines=21), small("random", "greedy", "alphabeta-2")),
        small("random", "greedy", "alphabeta:depth=1,temperature=0.2"),
        *(replace(base, max_plies=61), replace(base, openings=DrawnLines(3, 20))),
        replace(base, ruleset=rulesets.load_ruleset("star/no-foul")),
    ]
    assert len({base.fingerprint, *(each.fingerprint for each in others)}) == 1 + len(others)
    assert small().fingerprint == base.fingerprint


def test_players_that_would_take_too_long_are_left_out() -> None:
    ladder = small("random", "greedy", "alphabeta-1", "alphabeta-2")
    seconds = {0: 0.1, 1: 0.1, 2: 0.1, 3: 8.0}
    now, player = 0.0, -1

    def work(*arguments: Any) -> dict[str, Any]:
        nonlocal now, player
        player += 1
        now += seconds[player]
        return {}

    kept_players, left_out = ladders.drop_slow_players(ladder, 60, 2, work, lambda: now)
    assert [each.label for each in kept_players.players] == ["random", "greedy", "alphabeta-1"]
    # 120 games of 0.05 s, and 80 of the mean of 0.05 s and 4 s, on two cores
    assert left_out == {"alphabeta-2": pytest.approx((120 * 0.05 + 80 * (0.05 + 4) / 2) / 2)}


def test_the_rungs_are_players_that_differ() -> None:
    rungs = [agents.agent_from_text(word) for word in ladders.default_rungs()]
    assert len({rung.label for rung in rungs}) == len(rungs) >= 5
    labels = {rung.label for rung in rungs}
    assert {"random", "greedy", "alphabeta-1k", "alphabeta-100k", "best-first-10k-learned-1"} <= labels
    Ladder(rulesets.load_ruleset("star/default"), tuple(rungs), DrawnLines(2, 20)).check_players(4_000)


def entry(player: str, value: float, low: float | None, high: float | None, **options: Any) -> dict[str, Any]:
    ends = {"value": value, "low": low, "high": high}
    return {
        "player": player, "options": options, "games": 80, "elo": ends, "above": None, "step": None, "score": None,
        "first_move": {"value": 10.0, "low": -20.0, "high": 40.0}, "draw_rate": 0.1,
    }  # fmt: skip


def by_nodes() -> dict[str, Any]:
    """A ladder of two families of search, the first step of which nothing bounds from above."""
    step = {"value": 120.0, "low": 80.0, "high": 160.0}
    players = [
        entry("random", 0.0, 0.0, 0.0, kind="random"),
        entry("alphabeta-1k", 900.0, 500.0, None, kind="alphabeta", nodes=1_000)
        | {"above": "random", "step": {"value": 900.0, "low": 500.0, "high": None}, "score": 0.99},
        entry("best-first-1k", 1_020.0, 620.0, None, kind="best-first", nodes=1_000)
        | {"above": "alphabeta-1k", "step": step, "score": 0.66},
        entry("alphabeta-10k", 1_140.0, 740.0, None, kind="alphabeta", nodes=10_000)
        | {"above": "best-first-1k", "step": step | {"low": -5.0}, "score": 0.66},
    ]
    pair = {"player": "alphabeta-1k", "other": "random", "games": 40, "score": 1.0, "predicted": 0.99, "z": 0.4}
    return {
        "ruleset": "star/default", "title": "Star", "title_ja": "星", "rules": {"game": "star", "fingerprint": "f"},
        "fingerprint": "abc", "engine": "e", "seed": 0, "max_plies": 60, "games": 120, "stopped": 3, "adjudicated": 1,
        "openings": {"lines": 20, "plies": 2, "judge": "alphabeta-3"}, "zero": "random", "players": players,
        "first_move": {"value": 30.0, "low": 10.0, "high": 50.0}, "first_score": 0.54, "lines": 20, "misfit": 0.01,
        "draws": {"value": 0.2, "low": 0.1, "high": 0.3}, "pairs": [pair], "irreproducible": ["stockfish-400"],
    }  # fmt: skip


def test_a_chart_has_a_row_for_each_budget_and_a_line_for_each_family() -> None:
    document = pages.build_ladder_document(by_nodes())
    elo, first_move = (part for part in document.parts if isinstance(part, Chart))
    assert [row.label for row in elo.panel.rows] == ["random", "1,000 nodes", "10,000 nodes"]
    assert [[line.name for line in row.lines] for row in elo.panel.rows][1] == ["alphabeta-1k", "best-first-1k"]
    assert [series.label for series in elo.series] == ["no search", "alphabeta", "best-first"]
    whole, step, _ = elo.panel.rows[1].lines[1].marks
    assert isinstance(whole, Bounds) and whole.low == 620 and whole.high > elo.panel.scale.high
    assert step == Interval(1_020 - 40, 1_020 + 40)
    assert first_move.panel.scale.band == (10, 50)


@pytest.mark.parametrize(("most", "logarithmic"), [(3_000, True), (10_000, False)])
def test_rows_are_in_the_order_of_their_budgets(most: int, logarithmic: bool) -> None:
    ladder = by_nodes()
    ladder["players"][3]["options"]["nodes"] = most
    deep = entry("alphabeta-2", 1_200.0, 700.0, 1_900.0, kind="alphabeta", depth=2)
    ladder["players"].append(deep | {"above": "alphabeta-10k", "step": deep["first_move"], "score": 0.6})
    elo = next(part for part in pages.build_ladder_document(ladder).parts if isinstance(part, Chart))
    assert [row.label for row in elo.panel.rows] == ["random", "depth 2", "1,000 nodes", f"{most:,} nodes"]
    assert ("logarithmic" in elo.caption) == logarithmic


def test_the_answer_says_what_is_sure_and_what_is_not() -> None:
    said = " ".join(text for text in pages.ladder_answer(by_nodes()))
    assert "alphabeta-10k is the strongest of 4 players, +1,140 (at least +740) Elo above random." in said
    assert "order of these players is not settled: alphabeta-10k and best-first-1k" in said
    assert "Moving first is worth +30 (+10…+50) Elo: between equal players, the first scores 54.0" in said
    for words in ("alphabeta-1k lost", "fit all pairs (p = 0.01)", "3 of 120 games", "players stockfish-400"):
        assert words in said


@pytest.mark.thorough
def test_the_page_is_written_in_both_languages_with_its_pictures(tmp_path: Path) -> None:
    files = pages.write_ladder(tmp_path / "ladder", by_nodes(), "ja")
    assert {path.name for path in files} == {*pages.FILES, "elo.png", "elo.svg", "first-move.png", "first-move.svg"}
    page = (tmp_path / "ladder" / "report.html").read_text(encoding="utf-8")
    assert '<html lang="ja"' in page
    assert "The value of moving first" in page and "先手の価値" in page
    assert "プレイヤーの強さ" in (tmp_path / "ladder" / "report.md").read_text(encoding="utf-8")
    table = pd.read_csv(tmp_path / "ladder" / "players.csv")
    assert table["elo_high"].isna().tolist() == [False, True, True, True]


def test_a_ladder_of_another_engine_or_other_players_says_nothing(made: ladders.LadderResult, tmp_path: Path) -> None:
    text = "title: A test\nrulesets: [star/default, star/no-foul]\nagents: [greedy]\ngames: 4\nmax_plies: 60\n"
    (tmp_path / "test.yaml").write_text(text, encoding="utf-8")
    reports = tmp_path / "reports"
    shutil.copytree(made.folder, reports / made.folder.relative_to(made.folder.parents[3]))
    runner.run_experiment(experiment.load_experiment(tmp_path / "test.yaml"), reports / "test", workers=1)
    content = dict(provenance.load_provenance(reports / "test"))
    assert ladder_standings(content)
    assert not ladder_standings(content | {"engines": {"star": "another"}})
    other = {"kind": "greedy", "epsilon": 0.0, "temperature": 0.5}
    assert not ladder_standings(
        content | {"pairings": [{"first": "greedy", "second": "greedy", "first_options": other}]}
    )


@pytest.mark.parametrize("text", ["", "{", "[]", '{"players": 3}', '{"players": [], "rules": {}}'])
def test_a_ladder_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / LADDER_FILE).write_text(text, encoding="utf-8")
    assert load_ladder(tmp_path / LADDER_FILE) is None
