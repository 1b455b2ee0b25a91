"""What the tables say of games whose results are known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from tests.toy import games, plan_for, write_records
from workbench import report, statistics
from workbench.base.errors import InputError
from workbench.records import provenance


def only(trials: pd.DataFrame) -> pd.Series:
    table = statistics.cell_table(trials)
    assert len(table) == 1
    return table.iloc[0]


def test_counts_and_score_of_a_cell() -> None:
    cell = only(games("wwwlldddduu"))
    assert list(cell[["games", "finished", "first_wins", "second_wins", "draws", "unfinished"]]) == [11, 9, 3, 2, 4, 2]
    assert cell["first_score"] == pytest.approx((3 + 4 / 2) / 9)
    assert cell["first_score_lowest"] == pytest.approx(5 / 11)
    assert cell["first_score_highest"] == pytest.approx(7 / 11)
    rates = cell[["first_win_rate", "second_win_rate", "draw_rate", "capped_rate"]]
    assert list(rates) == pytest.approx([3 / 11, 2 / 11, 4 / 11, 2 / 11])
    assert list(cell[["ended_by_mate", "ended_by_stuck", "ended_by_cap"]]) == [5, 4, 2]
    assert cell["ended_by_mate_rate_low"] < cell["ended_by_mate_rate"] == pytest.approx(5 / 11)


def test_a_cap_is_not_a_draw() -> None:
    capped, drawn = only(games("wlu")), only(games("wld"))
    assert (capped["draw_rate"], drawn["draw_rate"]) == (0, pytest.approx(1 / 3))
    assert capped["first_score_surely_low"] < capped["first_score_low"]
    assert capped["first_score_surely_high"] > capped["first_score_high"]
    assert drawn["first_score_surely_low"] == drawn["first_score_low"]


def test_wilson_agrees_with_the_formula_and_stays_within_bounds() -> None:
    # 15 of 20, worked by hand from the formula with z = 1.959964.
    low, high = statistics.wilson([15, 0, 7, 0], [20, 9, 7, 0])
    assert (low[0], high[0]) == (pytest.approx(0.531299, abs=1e-6), pytest.approx(0.888138, abs=1e-6))
    assert low[1] == 0 and 0 < high[1] < 1
    assert high[2] == 1 and 0 < low[2] < 1
    assert math.isnan(low[3]) and math.isnan(high[3])


def test_median_interval_covers_the_true_median() -> None:
    rng = np.random.default_rng(7)
    samples = rng.exponential(size=(2_000, 51))
    ends = [statistics.median_interval(sample) for sample in samples]
    assert 0.95 <= np.mean([low <= math.log(2) <= high for low, high in ends]) <= 0.975


def test_median_interval_is_open_where_it_is_not_known() -> None:
    assert statistics.median_interval(range(1, 6)) == (0, math.inf)
    assert statistics.median_interval(range(1, 7)) == (1, 6)
    assert statistics.median_interval(range(1, 7), capped=1) == (1, math.inf)
    assert all(math.isnan(end) for end in statistics.median_interval([]))


def test_lengths_and_legal_moves() -> None:
    cell = only(games("wwlld", plies=[10, 20, 30, 40, 100], legal_moves=[1.0, 1.0, 1.0, 1.0, 5.0]))
    assert list(cell[["plies_lower_quartile", "plies_median", "plies_upper_quartile"]]) == [20, 30, 40]
    assert cell["legal_moves"] == pytest.approx((100 * 1 + 100 * 5) / 200), "a mean over plies, not over games"


def test_distinct_games() -> None:
    cell = only(games("wwld", game_hash=["a", "a", "b", "a"]))  # type: ignore[list-item]
    assert (cell["distinct_games"], cell["distinct_share"]) == (2, 0.5)


def test_events() -> None:
    other = games("wl", "other/game")
    table = statistics.cell_table(pd.concat([games("wldw", event_checks=[0, 3, 0, 1]), other])).set_index("ruleset")
    cell = table.loc["toy/base"]
    assert cell["event_checks_mean"] == 1
    assert cell["event_checks_share"] == 0.5
    assert cell["event_checks_when_fired"] == 2
    assert table.loc[["other/game"], "event_checks_mean"].isna().all(), "the other family has no such event"


def test_cells_without_games_have_rows_in_the_order_asked_for() -> None:
    trials = games("wl", "toy/b", event_checks=[1, 2])
    table = statistics.cell_table(trials, ["toy/a", "toy/b"], [("greedy", "greedy"), ("random", "random")], "toy/a")
    assert list(zip(table["ruleset"], table["first"], strict=True)) == [
        ("toy/a", "greedy"), ("toy/a", "random"), ("toy/b", "greedy"), ("toy/b", "random"),
    ]  # fmt: skip
    assert list(table["games"]) == [0, 0, 2, 0]
    assert list(table["baseline"]) == [True, True, False, False]
    empty = table.iloc[0].drop(["ruleset", "first", "second", "baseline", "balance"])
    assert {name for name, value in empty.items() if value != 0 and not math.isnan(value)} == set()
    assert table.iloc[0]["balance"] == ""


def test_a_cell_of_capped_games_only_has_no_score() -> None:
    cell = only(games("uuuu"))
    assert math.isnan(cell["first_score"]) and math.isnan(cell["first_score_low"])
    assert (cell["first_score_lowest"], cell["first_score_highest"], cell["balance"]) == (0, 1, "undecided")


def test_no_records_at_all() -> None:
    none = games("")
    assert statistics.cell_table(none).empty
    assert statistics.strength_table(none).empty
    assert statistics.target_table(statistics.cell_table(none), {"plies": [1, 2]}).empty


def test_few_games_are_never_balanced() -> None:
    assert [only(games("d" * n))["balance"] for n in (1, 3, 30)] == ["undecided"] * 3, "draws prove no balance"
    assert only(games("wl" * 100))["balance"] == "undecided"
    assert only(games("wl" * 1_000))["balance"] == "balanced"
    # 51.8 % of 2,500 games: the interval contains 50 %, but also 53.7 %.
    assert only(games("w" * 1_295 + "l" * 1_205))["balance"] == "undecided"
    assert only(games("wl" * 1_000 + "u" * 60))["balance"] == "undecided", "capped games widen the interval"
    assert only(games("w" * 58 + "l" * 42))["balance"] == "undecided"
    assert only(games("w" * 70 + "l" * 30))["balance"] == "first"
    assert only(games("w" * 30 + "l" * 70))["balance"] == "second"


@pytest.mark.thorough
def test_what_lies_within_the_margin_is_balanced_even_where_half_is_left_out() -> None:
    """51.0 % of 100,000 games: surely not 50 %, and surely too little to matter."""
    trials = games("w" * 51_000 + "l" * 49_000)
    assert only(trials)["first_score_low"] > 0.5 and only(trials)["balance"] == "balanced"
    low, high = (float(only(trials)[name]) for name in ("first_score_low", "first_score_high"))
    for margin, word in ((0.025, "balanced"), (0.014, "balanced"), (0.013, "first"), (0.005, "first")):
        assert statistics.balance_verdicts([low], [high], margin) == [word]
        assert statistics.balance_verdicts([1 - high], [1 - low], margin) == [word.replace("first", "second")]
        analysis = statistics.analyse(trials, plan_for("toy/base", games=100_000, margin=margin))
        assert list(analysis.cells["balance"]) == [word], "the experiment's margin counts"


def verdicts(trials: pd.DataFrame, **targets: object) -> list[tuple[str, str]]:
    judged = statistics.target_table(statistics.cell_table(trials), targets)  # type: ignore[arg-type]
    return list(zip(judged["verdict"], judged["reason"], strict=True))


def test_targets_for_scores_and_rates() -> None:
    fair = games("wl" * 2_000)
    assert verdicts(fair, first_score=[0.48, 0.52], draw_rate="<0.05") == [("met", ""), ("met", "")]
    assert verdicts(fair, first_score=">0.6") == [("missed", "")]
    assert verdicts(games("wl" * 50), first_score=[0.48, 0.52]) == [("undecided", "too_few_games")]
    assert verdicts(games("wl" * 2_000 + "u" * 400), first_score=[0.48, 0.52]) == [("undecided", "capped_games")]
    assert verdicts(games("wl" * 2_000 + "u" * 400), draw_rate="<0.05") == [("undecided", "capped_games")]
    assert verdicts(games("uuuuuu"), first_score=[0.48, 0.52]) == [("undecided", "capped_games")]
    assert verdicts(games("wl" * 2_000 + "u" * 400), capped_rate="<0.05") == [("missed", "")]


def test_targets_for_lengths() -> None:
    trials = games("wl" * 50, plies=range(1, 101))
    assert verdicts(trials, plies=[30, 70]) == [("met", "")]
    assert verdicts(trials, plies=[45, 55]) == [("undecided", "too_few_games")]
    assert verdicts(trials, plies=">70") == [("missed", "")]
    mostly_capped = games("u" * 90 + "w" * 10, cap=100)
    assert verdicts(mostly_capped, plies=[40, 120]) == [("undecided", "capped_games")]
    assert verdicts(mostly_capped, plies=">=40") == [("met", "")]
    assert verdicts(mostly_capped, plies="<80") == [("missed", "")]
    # A limit itself is allowed only if the target says so.
    of_ten = games("w" * 20)
    assert verdicts(of_ten, plies="<10") == [("missed", "")]
    assert verdicts(of_ten, plies="<=10") == verdicts(of_ten, plies=[10, 12]) == [("met", "")]


def test_a_cell_without_games_is_undecided() -> None:
    table = statistics.cell_table(games("w"), ["toy/none"], [("greedy", "greedy")])
    judged = statistics.target_table(table, {"first_score": [0.4, 0.6], "draw_rate": "<0.1", "plies": [1, 2]})
    assert set(judged["verdict"]) == {"undecided"} and set(judged["reason"]) == {"no_games"}


@pytest.mark.parametrize("wrong", ["0.05", "<", "< x", [0.5], [0.6, 0.4], [0.1, 0.2, 0.3], 0.5, ["a", "b"]])
def test_what_is_no_target_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="expected"):
        statistics.target_band(wrong)  # type: ignore[arg-type]


def test_an_unknown_target_is_refused() -> None:
    with pytest.raises(ValueError, match="first_scor"):
        statistics.target_table(statistics.cell_table(games("w")), {"first_scor": [0, 1]})


def test_strength_adds_both_ways_of_seating() -> None:
    trials = pd.concat(
        [games("wwwl", first="alphabeta-4", second="random"), games("lldu", first="random", second="alphabeta-4"),
         games("wwww", first="random", second="random")]
    )  # fmt: skip
    (pair,) = statistics.strength_table(trials).to_dict("records")
    assert (pair["agent"], pair["opponent"], pair["games"], pair["games_as_first"]) == ("alphabeta-4", "random", 8, 4)
    assert (pair["wins"], pair["losses"], pair["draws"], pair["unfinished"]) == (5, 1, 1, 1)
    assert pair["score"] == pytest.approx((5 + 1 / 2 + 1 / 2) / 8)
    assert pair["score_low"] < pair["score"] < pair["score_high"]


def test_strength_names_the_stronger_agent_first_whatever_the_results() -> None:
    def pairs(*met: tuple[str, str]) -> list[tuple[str, str]]:
        table = statistics.strength_table(pd.concat([games("l", first=a, second=b) for a, b in met]))
        return list(zip(table["agent"], table["opponent"], strict=True))

    told = pairs(("alphabeta-2", "greedy"), ("alphabeta-2", "alphabeta-4"))
    assert told == [("alphabeta-2", "greedy"), ("alphabeta-4", "alphabeta-2")]


def folder(path: Path, trials: pd.DataFrame, **experiment: object) -> Path:
    rulesets = list(dict.fromkeys(trials["ruleset"]))
    pairings = list(dict.fromkeys(zip(trials["first"], trials["second"], strict=True)))
    content: Mapping[str, object] = {
        "experiment": {"title": "Which is [fairer]?", "games": 40, "max_plies": 99, **experiment},
        "rulesets": [{"name": name, "title": "A title", "title_ja": "題", "fingerprint": "0"} for name in rulesets],
        "pairings": [{"first": first, "second": second} for first, second in pairings],
    }
    path.mkdir(exist_ok=True)
    provenance.save_provenance(path, content)
    return path


def shown(made: report.Report) -> str:
    stream = StringIO()
    report.print_report(made, Console(file=stream, width=100), tables=True)
    return stream.getvalue()


@pytest.mark.thorough
def test_report_of_a_finished_run(tmp_path: Path) -> None:
    trials = pd.concat([games("wl" * 20, "toy/a"), games("wu" * 20, "toy/b")])
    place = folder(tmp_path, trials, baseline="toy/a", targets={"first_score": [0.1, 0.9], "plies": "<5"})
    write_records(place, trials)
    made = report.write_report(place)
    assert not made.partial
    summary = pd.read_csv(place / "summary.csv")
    assert list(summary["ruleset"]) == ["toy/a", "toy/b"]
    assert list(summary["target_first_score"]) == ["met", "undecided"]
    assert list(summary["target_plies"]) == ["missed", "missed"]
    assert "(35.2–64.8)" in shown(made) and max(map(len, shown(made).splitlines())) <= 100
    before = {path.name: path.read_bytes() for path in made.files}
    assert {path.name: path.read_bytes() for path in report.write_report(place).files} == before


def test_report_of_an_interrupted_run_counts_up_to_the_first_gap(tmp_path: Path, no_charts: None) -> None:
    trials = games("w" * 40)
    place = folder(tmp_path, trials)
    for start in (10, 0, 30):
        write_records(place, trials.iloc[start : start + 10])
    made = report.write_report(place)
    assert made.partial and list(made.trials.games["game"]) == list(range(20))
    assert "The run is unfinished: 20 of 40 games" in shown(made)


def test_a_folder_without_records_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"provenance\.json"):
        report.write_report(tmp_path)
    with pytest.raises(InputError, match="it contains no games yet"):
        report.write_report(folder(tmp_path, games("w")))
    (tmp_path / "trials").mkdir()
    (tmp_path / "trials" / f"{0:016x}-{0:08d}-{0:016x}.parquet").write_bytes(b"not a table")
    with pytest.raises(InputError, match="cannot be read"):
        report.write_report(tmp_path)
