"""Games that reach the cap: what may be said of them by bounds, and how they are adjudicated."""

from __future__ import annotations

import dataclasses
import itertools
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from scipy.optimize import brentq
from scipy.stats import norm

from tests import few
from tests.report_folders import record_bytes
from tests.toy import drawn, games, plan_for
from workbench import games as families
from workbench.addons.solver import solving
from workbench.base import project, yamlfile
from workbench.base.errors import InputError
from workbench.engine import contract, trials
from workbench.engine.players import BlockArguments, Judge
from workbench.experiments import experiment, workspace
from workbench.players import agents, library
from workbench.players.agents import AgentSpec
from workbench.records import provenance
from workbench.rules import rulesets
from workbench.runs import progress, runner
from workbench.statistics import AnalysisPlan, cell_table, comparison_table, target_table
from workbench.statistics.analysis_plan import analysis_sizes, critical_value
from workbench.statistics.comparisons import _difference_interval, _equivalence, _separation
from workbench.statistics.intervals import Range, bounded_score, bounded_share, imbens_manski
from workbench.statistics.tables import Tally

ROOT = Path(__file__).parent.parent
SEED = 20041100
Z = 1.959964


def counted(
    rng: np.random.Generator, n: int, score: float, draws: float, capped: float, hidden: float, times: int
) -> Tally:
    """Counts of ``times`` cells with this true score of *all* games, of which a part is capped.

    ``hidden`` is the true score of the capped games: at 0 and 1 the truth lies at a bound of what is identified.
    """
    wins = score - capped * hidden - draws / 2
    chances = [wins, 1 - capped - draws - wins, draws, capped]
    if min(chances) < 0:
        raise ValueError(f"there is no such game: {chances}")
    names = ("first", "second", "draw", "unfinished")
    counts = dict(zip(names, rng.multinomial(n, chances, size=times).T.astype(np.float64), strict=True))
    return {**counts, "games": np.full(times, float(n))}


def surely(counts: Tally, z: float = Z) -> Range:
    w, lost, d, c = (counts[name] for name in ("first", "second", "draw", "unfinished"))
    return imbens_manski(lambda each: bounded_score(w, d, lost, c, each))(z)


def rate(count: np.ndarray, capped: np.ndarray, n: int) -> Range:
    sizes = np.full(len(count), float(n))
    return imbens_manski(lambda z: bounded_share(count, capped, sizes, z))(Z)


def covered(ends: Range, true: float) -> float:
    return float(np.mean((ends.low <= true + 1e-12) & (true - 1e-12 <= ends.high)))


@pytest.mark.parametrize("z", [1.0, Z, 3.0, 6.0])
@pytest.mark.parametrize("distance", [0.0, 1e-3, 0.4, 1.0, 2.5, 30.0])
def test_the_critical_value_solves_the_equation_of_imbens_and_manski(z: float, distance: float) -> None:
    """The equation in the words of the paper, solved by another program; `imbens_manski` hands the value over."""
    asked: list[float] = []

    def interval(c: Any) -> Range:
        asked.append(float(np.ravel(c)[0]))
        least, most = np.array([0.4]), np.array([0.4 + 0.01 * distance])
        return Range(least, most, least - 0.01 * c, most + 0.01 * c)

    imbens_manski(interval)(z)
    level = 1 - 2 * norm.sf(z)
    wanted = brentq(lambda c: norm.cdf(c + distance) - norm.cdf(-c) - level, 0, 10, xtol=1e-13)
    assert asked[-1] == pytest.approx(wanted, abs=2e-6 if z > 5 else 1e-8)
    assert asked[-1] <= z + 1e-12


def test_without_capped_games_nothing_changes_and_with_many_one_side_counts() -> None:
    plain = cell_table(games("wwld" * 100)).iloc[0]
    for end in ("low", "high"):
        assert plain[f"first_score_surely_{end}"] == pytest.approx(plain[f"first_score_{end}"])
    bounds = surely({"first": np.array([400.0]), "second": np.array([400.0]), "draw": np.zeros(1),
                    "unfinished": np.array([200.0]), "games": np.array([1000.0])})  # fmt: skip
    assert (bounds.least[0], bounds.most[0]) == (0.4, 0.6)
    # Wilson's lower end of 400 of 1,000, one-sided at 5 %.
    z = norm.isf(0.05)
    low = (0.4 + z * z / 2000 - z * math.sqrt(0.24 / 1000 + (z / 2000) ** 2)) / (1 + z * z / 1000)
    assert (bounds.low[0], bounds.high[0]) == pytest.approx((low, 1 - low), abs=1e-5)


@pytest.mark.parametrize("capped", few.first(1, [0.05, 0.0, 0.01, 0.2]))
def test_the_interval_of_a_score_covers_wherever_the_truth_lies(capped: float) -> None:
    """And no more often than it should where the truth lies at a bound: the two-sided intervals covered 97.5 %."""
    rng = np.random.default_rng(SEED)
    for n, (score, draws) in itertools.product((200, 2_000), ((0.5, 0.0), (0.6, 0.2), (0.75, 0.1))):
        for hidden in (0.0, 0.5, 1.0):
            share = covered(surely(counted(rng, n, score, draws, capped, hidden, 4_000)), score)
            assert share >= 0.935
            assert share <= 0.965 or hidden == 0.5 or (n, capped) == (200, 0.01)


def test_the_interval_of_a_rate_covers_wherever_the_truth_lies() -> None:
    rng = np.random.default_rng(SEED)
    for n, capped, hidden in itertools.product((400, 3_000), (0.05, 0.2), (0.0, 0.5, 1.0)):
        seen = 0.3
        count, open_ones, _ = rng.multinomial(n, (seen, capped, 0.7 - capped), size=4_000).T.astype(np.float64)
        interval = rate(count, open_ones, n)
        share = covered(interval, seen + capped * hidden)
        assert share >= 0.935 and (share <= 0.965 or hidden == 0.5)


@pytest.mark.thorough
@pytest.mark.parametrize(("capped", "other"), few.first(1, [(0.05, 0.05), (0.0, 0.05), (0.01, 0.0)]))
def test_the_intervals_of_a_difference_and_of_a_gain_cover(capped: float, other: float) -> None:
    """With ½ among the scores, where the interval of the gain is hardest to keep."""
    rng = np.random.default_rng(SEED)
    for (base, mine), n in itertools.product(((0.6, 0.5), (0.5, 0.55), (0.56, 0.52)), (400, 2_500)):
        for each in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)):
            hidden = (each[0] if capped else 0.0, each[1] if other else 0.0)
            b = counted(rng, n, base, 0.1, capped, hidden[0], 2_000)
            p = counted(rng, n, mine, 0.1, other, hidden[1], 2_000)
            assert covered(_difference_interval(p, b, "first_score", Z), mine - base) >= 0.93
            assert covered(_difference_interval(p, b, "fairness", Z), abs(base - 0.5) - abs(mine - 0.5)) >= 0.93


@pytest.mark.thorough
def test_what_is_no_fairer_is_called_fairer_in_one_of_twenty_experiments_at_worst() -> None:
    """At worst: the capped games would all have been won here and lost there. Two-sided tests erred in 2.5 %."""
    rng = np.random.default_rng(SEED)
    errors = []
    for base, mine in ((0.5, 0.5), (0.55, 0.55), (0.6, 0.6), (0.53, 0.47), (0.52, 0.55)):
        for hidden in ((0.0, 1.0), (1.0, 0.0), (0.5, 0.5)):
            b = counted(rng, 2_500, base, 0.1, 0.05, hidden[0], 3_000)
            p = counted(rng, 2_500, mine, 0.1, 0.05, hidden[1], 3_000)
            errors.append(float(np.mean(_difference_interval(p, b, "fairness", Z).low > 0)))
    assert 0.035 < max(errors) <= 0.063


@pytest.mark.thorough
def test_interim_analyses_keep_the_level_with_capped_games() -> None:
    """The truth at the bound, where one side alone can err, and looked at five times."""
    rng = np.random.default_rng(SEED)
    analyses, times = 5, 1_500
    sums: dict[str, dict[str, np.ndarray]] = {"b": {}, "p": {}}
    away, sign, before = np.zeros(times), np.zeros(times), 0
    for number, size in enumerate(analysis_sizes(2_500, analyses), start=1):
        for side, hidden in (("b", 0.0), ("p", 1.0)):
            new = counted(rng, size - before, 0.56, 0.1, 0.05, hidden, times)
            sums[side] = {name: sums[side].get(name, 0) + new[name] for name in new}
        before = size
        z, towards = _separation(sums["p"], sums["b"], "fairness")
        z *= math.sqrt(number / analyses)
        sign = np.where(z > away, towards, sign)
        away = np.maximum(z, away)
    wrong = float(np.mean((away >= critical_value(0.05, analyses)) & (sign > 0)))
    assert 0.03 < wrong <= 0.065


def test_p_and_interval_agree_with_capped_games() -> None:
    rng = np.random.default_rng(SEED)
    cells = {"toy/base": (0.66, 0.01)}
    cells |= {f"toy/{pair}": pair for pair in itertools.product((0.55, 0.625, 0.64), (0.002, 0.01, 0.05))}
    parts = [drawn(rng, 1_500, score, capped=capped, ruleset=name) for name, (score, capped) in cells.items()]
    compared = comparison_table(pd.concat(parts), plan_for(*cells))
    outside = (compared["low"] > 0) | (compared["high"] < 0)
    assert list(outside) == list(compared["p"] < 0.05)
    assert 3 <= outside[compared["measure"] == "fairness"].sum() <= 7, "some of them lie on either side of the limit"


def test_equivalence_is_kept_with_capped_games() -> None:
    rng = np.random.default_rng(SEED)
    for (base, mine), hidden in itertools.product(((0.52, 0.5), (0.5, 0.52)), ((1.0, 0.0), (0.0, 1.0))):
        b = counted(rng, 30_000, base, 0.1, 0.005, hidden[0], 2_000)
        p = counted(rng, 30_000, mine, 0.1, 0.005, hidden[1], 2_000)
        assert np.mean(_equivalence(p, b, 0.02) >= Z) <= 0.06


def test_an_adjudicated_game_has_a_result_but_its_length_stays_open() -> None:
    records = games("wwwwllll" + "u" * 8, cap=99)
    records.loc[records.index[8:14], ["result", "termination"]] = ["first", "adjudicated"]
    cell = cell_table(records).iloc[0]
    assert (cell["finished"], cell["unfinished"], cell["ended_by_adjudicated"]) == (14, 2, 6)
    assert cell["first_score"] == pytest.approx(10 / 14)
    assert cell["plies_upper_quartile"] == math.inf and cell["plies_median_high"] == math.inf
    verdict = target_table(cell_table(records), {"plies": "<50"}).iloc[0]
    assert (verdict["verdict"], verdict["reason"]) == ("undecided", "capped_games")


Load = Callable[..., experiment.Experiment]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    shutil.copytree(ROOT / "rulesets" / "star", tmp_path / "rulesets" / "star")
    (tmp_path / "experiments").mkdir()

    def loaded(more: str = "", players: str = "[random, greedy, {alphabeta: {depth: 2}}]") -> experiment.Experiment:
        path = tmp_path / "experiments" / "test.yaml"
        text = "title: T\nrulesets: [star/default, star/no-foul]\ngames: 60\nmax_plies: 9\n"
        path.write_text(f"{text}agents: {players}\n{more}\n", encoding="utf-8")
        return experiment.load_experiment(path, project.Project(tmp_path))

    return loaded


@pytest.mark.parametrize(
    ("line", "threshold"),
    [("", None), ("capped: bounds", None), ("capped: adjudicate", 0.9), ("capped: {adjudicate: }", 0.9),
     ("capped: {adjudicate: {}}", 0.9), ("capped: {adjudicate: {threshold: 1}}", 1.0)],
)  # fmt: skip
def test_the_file_decides_on_capped_games(load: Load, tmp_path: Path, line: str, threshold: float | None) -> None:
    loaded = load(line)
    assert loaded.adjudicate == threshold
    assert (loaded.judge is None) == (threshold is None)
    assert ("capped" in loaded.canonical()) == (threshold is not None)
    validator = Draft202012Validator(workspace.file_schema(workspace.EXPERIMENT))
    validator.validate(yamlfile.read_yaml(tmp_path / "experiments" / "test.yaml").plain())


@pytest.mark.parametrize(
    ("line", "message"),
    [("capped: adjudicated", "did you mean 'adjudicate'?"),
     ("capped: {bounds: {}}", "expected bounds or adjudicate, found"),
     ("capped: {adjudicate: 0.9}", "expected keys of adjudicate, found 0.9"),
     ("capped: {adjudicate: {treshold: 0.9}}", "found the unknown key 'treshold'"),
     ("capped: {adjudicate: {threshold: 0.5}}", "expected an expected score from 0.6 to 1, found")],
)  # fmt: skip
def test_what_is_wrong_is_said(load: Load, line: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        load(line)
    assert message in str(refused.value) and "test.yaml:6" in str(refused.value)


def test_random_players_judge_nothing(load: Load) -> None:
    with pytest.raises(InputError, match="a player that can evaluate a position"):
        load("capped: adjudicate", players="[random]")
    assert agents.strongest_player([]) is None and agents.strongest_player([AgentSpec.of("random")]) is None


@pytest.mark.parametrize(
    ("players", "judge"),
    [("[random, greedy]", "greedy"), ("[{alphabeta: {depth: 3}}, greedy, {alphabeta: {depth: 2}}]", "alphabeta-3"),
     ("[{best-first: {nodes: 50}}, {alphabeta: {depth: 2}}]", "best-first-50n"),
     ("[{alphabeta: {depth: 2, epsilon: 0.1, name: tired}}, {alphabeta: {depth: 2, name: keen}}]", "keen"),
     ("[{alphabeta: {depth: 2, name: one, weights: {tempo: 1}}}, {alphabeta: {depth: 2, name: two}}]",
      "one")],
)  # fmt: skip
def test_the_strongest_player_judges(load: Load, players: str, judge: str) -> None:
    loaded = load("capped: adjudicate", players=players)
    assert loaded.judge is not None and loaded.judge.label == judge
    noiseless = loaded.judge.judge()
    assert (noiseless.epsilon, noiseless.temperature, noiseless.style) == (0.0, 0.0, "")
    assert loaded.canonical()["capped"]["judge"] == judge


def test_who_judges_and_from_where_on_decides_which_cells_they_are(load: Load) -> None:
    def keys(loaded: experiment.Experiment) -> list[str]:
        return [cell.digest for cell in loaded.cells()]

    plain = keys(load())
    assert keys(load("capped: bounds")) == plain
    judged = [keys(load("capped: adjudicate")), keys(load("capped: {adjudicate: {threshold: 0.95}}")),
              keys(load("capped: adjudicate", "[random, greedy, {alphabeta: {depth: 3}}]"))]  # fmt: skip
    for one, other in itertools.combinations([plain, *judged], 2):
        assert not set(one) & set(other)
    assert keys(load("capped: {adjudicate: {threshold: 0.9}}")) == judged[0]


def numbers(kind: str, **options: Any) -> Any:
    return AgentSpec.of(kind, **options).player(families.declaration("star"))


def played(ruleset: str, judge: Judge | None, players: str = "random", count: int = 200, **options: Any) -> Any:
    codes = rulesets.load_ruleset(ruleset).codes()
    seeds = np.arange(options.pop("start", 0), count, dtype=np.uint64)
    one = numbers(players)
    return trials.run_block(BlockArguments("star", codes, one, one, seeds, options.pop("max_plies", 9), 30, judge))


JUDGES: dict[str, dict[str, Any]] = {"greedy": {"temperature": 0.0}, "alphabeta": {"depth": 3, "temperature": 0.0},
                                     "best-first": {"nodes": 200, "temperature": 0.0}}  # fmt: skip


@pytest.mark.kernel
@pytest.mark.parametrize("kind", JUDGES)
def test_adjudication_changes_results_of_capped_games_and_no_move(kind: str) -> None:
    plain = played("star/default", None)
    capped = plain["termination"] == contract.CAP
    assert 0.2 < capped.mean() < 0.9
    before = np.ones(200, dtype=bool)
    for threshold in (0.6, 0.9, 1.0):
        adjudicated = played("star/default", (numbers(kind, **JUDGES[kind]), threshold))
        for name in ("game_hash", "plies", "turns", "events", "opening", "legal_moves"):
            np.testing.assert_array_equal(adjudicated[name], plain[name], err_msg=name)
        judged = adjudicated["termination"] == contract.ADJUDICATED
        assert judged.any() and (judged <= capped).all() and (judged <= before).all()
        assert np.isin(adjudicated["result"][judged], (contract.FIRST, contract.SECOND)).all()
        np.testing.assert_array_equal(adjudicated["result"][~judged], plain["result"][~judged])
        np.testing.assert_array_equal(adjudicated["termination"][~judged], plain["termination"][~judged])
        before = judged


@pytest.mark.kernel
@pytest.mark.parametrize("kind", JUDGES)
def test_a_judgement_depends_on_the_game_alone(kind: str) -> None:
    judge = (numbers(kind, **JUDGES[kind]), 0.9)
    whole = played("star/no-foul", judge, count=60)
    for start, stop in ((0, 17), (17, 18), (18, 60)):
        part = played("star/no-foul", judge, count=stop, start=start)
        np.testing.assert_array_equal(part["result"], whole["result"][start:stop])


@pytest.mark.thorough
def test_what_a_search_has_seen_through_is_what_the_solution_says(tmp_path: Path) -> None:
    """Wins that searches are certain of are won with best play, and perfect play is a judge, too."""
    two = rulesets.load_ruleset("star/two-pieces")
    where = project.Project(tmp_path)
    solving.save_solution(solving.solve_ruleset(two), two, where)
    perfect = library.solved_player(AgentSpec.of("optimal"), two, where)
    known = played("star/two-pieces", (perfect, 1.0), max_plies=6)
    judged = known["termination"] == contract.ADJUDICATED
    assert judged.mean() > 0.3
    for kind in ("alphabeta", "best-first"):
        seen = played("star/two-pieces", (numbers(kind, **JUDGES[kind]), 1.0), max_plies=6)
        sure = seen["termination"] == contract.ADJUDICATED
        assert sure.sum() >= 10 and (sure <= judged).all()
        np.testing.assert_array_equal(seen["result"][sure], known["result"][sure])


@pytest.mark.thorough
@pytest.mark.kernel
def test_a_run_adjudicates_on_any_number_of_workers_and_says_so(load: Load, tmp_path: Path) -> None:
    what = load("capped: {adjudicate: {threshold: 0.95}}\nblock: 25")
    one, two = tmp_path / "reports" / "one", tmp_path / "reports" / "two"
    runner.run_experiment(what, one, workers=1)
    runner.run_experiment(dataclasses.replace(what, block=60), two, workers=2)
    assert record_bytes(one) == record_bytes(two)
    table = pd.read_parquet(one / "trials")
    judged = table["termination"] == "adjudicated"
    assert judged.sum() > 20 and set(table.loc[judged, "result"]) <= {"first", "second"}
    assert ((table["result"] == "unfinished") == (table["termination"] == "cap")).all()
    assert (table.loc[judged, "plies"] == 9).all()

    kept = provenance.load_provenance(one)
    said = kept["experiment"]["capped"]
    assert (said["threshold"], said["judge"]) == (0.95, "alphabeta-2")
    assert said["options"] == {"kind": "alphabeta", "epsilon": 0.0, "temperature": 0.0, "depth": 2}
    plan = AnalysisPlan.from_provenance(kept)
    assert (plan.experiment.adjudicator, plan.experiment.adjudicate) == ("alphabeta-2", 0.95)

    plain = tmp_path / "reports" / "plain"
    runner.run_experiment(load("capped: bounds"), plain, workers=1)
    left_open = pd.read_parquet(plain / "trials")
    assert list(left_open["game_hash"]) == list(table["game_hash"]) and list(left_open["seed"]) == list(table["seed"])
    assert (left_open.loc[judged, "termination"] == "cap").all()
    with pytest.raises(progress.FolderMismatch, match="was bounds, is now adjudicated by alphabeta-2 .* at 0.95"):
        runner.run_experiment(what, plain, workers=1)
