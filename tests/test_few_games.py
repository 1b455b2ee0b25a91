"""Few games, and games that happened to be alike: no interval of them is closed, and no verdict is made of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest

from tests import few
from tests.toy import games, plan_for
from workbench.addons.ladder.statistics import fit_ladder
from workbench.base.language import bilingual
from workbench.experiments.experiment_files import DrawnLines
from workbench.report import labels
from workbench.statistics import AnalysisPlan, analyse, cell_table, comparison_table
from workbench.statistics.analysis import games_per_cell
from workbench.statistics.comparisons import factorial_effects
from workbench.statistics.intervals import FEWEST_GAMES, mean_interval

BASE, NEW = "toy/base", "toy/new"
OPEN = (0.0, math.inf)
EXPERIMENTS = 100
"""How many experiments a simulation plays; each agent is one."""


def lengths(rng: np.random.Generator, n: int) -> np.ndarray:
    """Games that end with a chance of one in seven after each second ply: 14 plies on average."""
    return 2 * rng.geometric(1 / 7, n)


def of_plies(plies: Sequence[int] | np.ndarray, ruleset: str = BASE, agent: str = "greedy") -> pd.DataFrame:
    """Games of these lengths, of which every second one is won by the first seat, with as many legal moves as plies."""
    results = "".join("wl"[number % 2] for number in range(len(plies)))
    played = games(results, ruleset, agent, agent, list(plies), event_shout=list(plies))
    return played.assign(legal_moves=played["plies"] / 3)


def interval(table: pd.DataFrame, name: str) -> tuple[float, float]:
    return float(table[f"{name}_low"].iloc[0]), float(table[f"{name}_high"].iloc[0])


@pytest.mark.parametrize(
    ("plies", "known"),
    [([12], False), ([12] * 3, False), (range(FEWEST_GAMES - 1), False), ([12] * 400, False),
     (range(1, FEWEST_GAMES + 1), True)],
    ids=["one game", "three alike", "one too few", "many alike", "enough"],
)  # fmt: skip
def test_the_mean_of_few_or_like_games_has_an_open_interval(plies: Sequence[int], known: bool) -> None:
    played = of_plies(plies)
    table = cell_table(played)
    analysis = analyse(played, plan_for(BASE))
    ends = [interval(table, "plies_mean"), interval(table, "legal_moves"), interval(analysis.events, "mean")]
    assert all((low, high) == OPEN or known for low, high in ends)
    assert all(0 < low < high < math.inf or not known for low, high in ends)
    assert table["plies_mean"].iloc[0] == pytest.approx(np.mean(plies))


def test_a_cell_without_games_has_no_mean() -> None:
    assert all(math.isnan(end) for end in mean_interval(math.nan, math.nan, 0))


@pytest.mark.parametrize("n", [1, 2, 3, FEWEST_GAMES - 1, 400])
@pytest.mark.parametrize("question", ["plies", "legal_moves", "event_shout_mean", "decisive"])
@pytest.mark.thorough
def test_games_that_are_alike_by_chance_show_no_difference(question: str, n: int) -> None:
    plan = plan_for(BASE, NEW, question=question)
    table = comparison_table(pd.concat([of_plies([12] * n), of_plies([13] * n, NEW)]), plan)
    means = table[table["measure"].isin(["plies_mean", "legal_moves", "event_shout_mean"])]
    assert len(means) == (3 if question.startswith("event") else 2)
    assert (means["low"] == -math.inf).all() and (means["high"] == math.inf).all()
    assert (means["p"] == 1).all() and set(means["verdict"]) <= {"undecided", "no_difference_shown"}
    asked = table[table["measure"] == plan.question_measure.name]
    assert set(asked.loc[asked["verdict"] == "undecided", "reason"]) <= {"too_few_games"}
    value, low, high = means[["difference", "low", "high"]].to_numpy(dtype=np.float64)[0]
    said = labels.format_change(value, low, high, bilingual(en="", ja=""), 1)
    assert labels.NO_INTERVAL in said and "∞" not in said


def test_an_experiment_goes_on_while_nothing_is_known() -> None:
    plan = plan_for(BASE, NEW, question="plies", until="decided", games=400, looks=40)
    played = pd.concat([of_plies([12] * 10), of_plies([13] * 10, NEW)])
    assert set(games_per_cell(played, plan).values()) == {20}


@pytest.mark.parametrize("n", few.first(2, [3, FEWEST_GAMES, 2, 10], thorough=0))
@pytest.mark.thorough
def test_how_often_means_of_few_games_are_wrong(n: int) -> None:
    """The truth is known: there is no difference, and lengths are 14 plies on average."""
    rng = np.random.default_rng(n)
    agents = [f"a{number}" for number in range(EXPERIMENTS)]
    plan = plan_for(BASE, NEW, agents=agents, question="plies")
    played = pd.concat([of_plies(lengths(rng, n), name, agent) for agent in agents for name in plan.names])
    compared = comparison_table(played, plan, ("plies_mean", "legal_moves"))
    for measure in ("plies_mean", "legal_moves"):
        assert (compared.loc[compared["measure"] == measure, "p"] <= 0.05).mean() <= 0.06, measure
    table = cell_table(played, plan.names, plan.pairings)
    held = (table["plies_mean_low"] <= 14) & (table["plies_mean_high"] >= 14)
    assert held.mean() >= (0.9 if n >= FEWEST_GAMES else 1)


def drawn_lines(lines: int, agents: Sequence[str] = ("greedy",)) -> AnalysisPlan:
    texts = {name: tuple(f"l{k}" for k in range(lines)) for name in (BASE, NEW)}
    return plan_for(BASE, NEW, agents=agents, openings=DrawnLines(2, lines), line_texts=texts)


def from_lines(won: np.ndarray, ruleset: str, agent: str = "greedy", copies: int = 1) -> pd.DataFrame:
    """Games from one line each, and copies of them; those of the first seat's wins are a ply longer."""
    results = "".join("wl"[not each] for each in np.tile(won, copies))
    played = games(results, ruleset, agent, agent, [20 + each for each in np.tile(won, copies).astype(int)])
    return played.assign(line=np.tile(np.arange(len(won)), copies))


@pytest.mark.parametrize("copies", [1, 10])
def test_the_same_results_from_the_same_few_lines_do_not_prove_that_rules_are_alike(copies: int) -> None:
    won = np.random.default_rng(1).random(20) < 0.6
    plan = drawn_lines(20)
    played = pd.concat([from_lines(won, name, copies=copies) for name in plan.names])
    table = comparison_table(played, plan)
    assert (table["verdict"] != "no_meaningful_difference").all()
    low, high = table.loc[table["measure"] == "first_score", ["low", "high"]].to_numpy(dtype=np.float64)[0]
    # If one line in ten differs, 20 lines show none in 12 of 100 experiments.
    assert low < -0.1 and high > 0.1


def test_how_often_a_difference_of_few_lines_is_missed() -> None:
    """One line in ten is won under the proposal only: 10 points."""
    rng = np.random.default_rng(2)
    agents = [f"a{number}" for number in range(EXPERIMENTS)]
    plan = drawn_lines(20, agents)
    parts = []
    for agent in agents:
        kind = rng.random(20)
        parts += [from_lines(kind < 0.5, BASE, agent), from_lines(kind < 0.6, NEW, agent)]
    score = comparison_table(pd.concat(parts), plan, ("first_score",))
    score = score[score["measure"] == "first_score"]
    assert ((score["low"] <= 0.1) & (score["high"] >= 0.1)).mean() >= 0.93
    assert ((score["low"] > 0) | (score["high"] < 0)).mean() <= 0.25


def test_one_line_does_not_say_how_much_lines_differ() -> None:
    cell = cell_table(from_lines(np.arange(100) % 2 == 0, BASE, "greedy").assign(plies=np.arange(1, 101), cluster=0))
    assert tuple(cell.loc[0, ["plies_mean_low", "plies_mean_high"]]) == OPEN
    rng = np.random.default_rng(3)
    met = {"first": rng.choice(["a", "b"], 200), "result": rng.choice(["first", "second"], 200)}
    played = pd.DataFrame(met).assign(second=np.where(met["first"] == "a", "b", "a"))
    lines = (np.zeros(200, int), np.arange(200))
    reach = [fit_ladder(played.assign(line=line), ["a", "b"]).first_move.wider_side for line in lines]
    assert reach[0] > 5 * reach[1]


def grid(cell: Callable[[int, int], pd.DataFrame]) -> tuple[pd.DataFrame, AnalysisPlan]:
    """Games of four rulesets that combine two levels of two factors, and the plan of that experiment."""
    points = {f"toy/{a}{b}": (a, b) for a in (0, 1) for b in (0, 1)}
    levels = {name: {"f0": str(a), "f1": str(b)} for name, (a, b) in points.items()}
    plan = plan_for(*points, factors={"f0": ("0", "1"), "f1": ("0", "1")}, levels=levels)
    return pd.concat([cell(*spot).assign(ruleset=name) for name, spot in points.items()]), plan


def test_factors_have_no_effect_on_lengths_that_are_alike_by_chance() -> None:
    effects, means = factorial_effects(*grid(lambda a, b: of_plies([12 + a] * 3)))
    plies = effects[effects["measure"] == "plies_mean"]
    assert len(plies) == 3 and (plies["p"] == 1).all()
    assert (plies["low"] == -math.inf).all() and (plies["high"] == math.inf).all()
    assert (means.loc[means["measure"] == "plies_mean", "high"] == math.inf).all()


def test_factors_are_not_certain_of_games_that_all_ended_alike() -> None:
    effects, _ = factorial_effects(*grid(lambda a, b: games("ddd" if a else "www")))
    assert (effects["p"] > 1e-9).all()
    told = effects.loc[effects["measure"] == "first_score", ["effect", "low", "high"]].to_numpy(dtype=np.float64)
    assert told[0, 0] == pytest.approx(-0.5) and told[0, 1] < -0.6 and told[0, 2] > -0.4
    assert told[1, 0] == pytest.approx(0, abs=1e-12) and told[1, 1] < -0.1 and told[1, 2] > 0.1


@pytest.mark.parametrize("n", [2, 3, 5])
def test_results_of_few_games_are_seldom_taken_for_a_difference(n: int) -> None:
    rng = np.random.default_rng(n)
    agents = [f"a{number}" for number in range(EXPERIMENTS)]
    plan = plan_for(BASE, NEW, agents=agents)
    parts = [games("".join(rng.choice(["w", "l"], n)), name, a, a) for a in agents for name in plan.names]
    compared = comparison_table(pd.concat(parts), plan, ("first_score",))
    # Of two games each one pair in eight is won here and lost there.
    assert (compared.loc[compared["measure"] == "first_score", "p"] <= 0.05).mean() <= 0.1
