"""What each player chooses for himself: equilibria, the value of the choice, and first placements."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.toy import drawn, games, plan_for, ruleset, with_keys
from workbench.records.trials import CELL
from workbench.statistics.intervals import score_interval
from workbench.statistics.styles import equilibrium, placement_table, score_matrices, value_bound
from workbench.statistics.tables import cell_table

SEED = 20080209


def rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def test_equilibria_of_known_games() -> None:
    mine, theirs, value = equilibrium([[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]])
    assert list(mine) == pytest.approx([1 / 3] * 3) and list(theirs) == pytest.approx([1 / 3] * 3)
    assert value == pytest.approx(0.5)
    # Matching pennies with unequal stakes: value (ad - bc) / (a + d - b - c).
    mine, theirs, value = equilibrium([[0.9, 0.2], [0.4, 0.6]])
    assert value == pytest.approx((0.9 * 0.6 - 0.2 * 0.4) / (0.9 + 0.6 - 0.2 - 0.4))
    assert list(mine) == pytest.approx([2 / 9, 7 / 9]) and list(theirs) == pytest.approx([4 / 9, 5 / 9])
    mine, theirs, value = equilibrium([[0.6, 0.7], [0.5, 0.9]])
    assert list(mine) == list(theirs) == [1, 0] and value == pytest.approx(0.6)


def met(scores: dict[tuple[str, str], float], n: int, rng: np.random.Generator) -> pd.DataFrame:
    parts = []
    for (first, second), score in scores.items():
        parts.append(drawn(rng, n, score).assign(first=first, second=second))
    return pd.concat(parts)


def test_the_equilibrium_of_styles_that_met() -> None:
    styles = {("a", "a"): 0.6, ("a", "b"): 0.4, ("b", "a"): 0.45, ("b", "b"): 0.65}
    plan = with_keys(plan_for("toy/base"), pairings=tuple(styles))
    table, equilibria = score_matrices(cell_table(met(styles, 400, np.random.default_rng(SEED))), plan)
    value = equilibria.iloc[0]
    assert len(table) == 4 and not value["pure"]
    assert value["value_low"] < value["value"] < value["value_high"]
    assert list(equilibria["seat"]) == ["first", "first", "second", "second"]
    assert equilibria.groupby("seat")["share"].sum().tolist() == pytest.approx([1, 1])


@pytest.mark.thorough
def test_the_value_of_the_matrix_is_covered() -> None:
    covered, _, width = value_covered(np.array([[0.6, 0.4], [0.45, 0.65]]), 400, 30)
    assert covered >= 0.93 and width < 0.12


def value_covered(true: np.ndarray, n: int, times: int) -> tuple[float, float, float]:
    """How often the interval of the value holds it, the value's bias, and how wide the interval is on average."""
    options = [f"{i}" for i in range(len(true))]
    cell = [("toy/base", one, other) for one in options for other in options]
    plan = with_keys(plan_for("toy/base"), pairings=tuple((one, other) for _, one, other in cell))
    value = equilibrium(true)[2]
    rng = np.random.default_rng(SEED)
    intervals = []
    for _ in range(times):
        wins = rng.binomial(n, true).ravel()
        low, high = score_interval(wins, 0, n - wins)
        table = pd.DataFrame(cell, columns=CELL).assign(
            games=n, finished=n, first_wins=wins, draws=0, second_wins=n - wins, first_score=wins / n,
            first_score_low=low, first_score_high=high,
        )  # fmt: skip
        first = score_matrices(table, plan)[1].iloc[0]
        intervals.append((first["value"], first["value_low"], first["value_high"]))
    values, lows, highs = np.array(intervals).T
    return (float(np.mean((lows <= value) & (value <= highs))), float(np.mean(values) - value),
            float((highs - lows).mean()))  # fmt: skip


def matrix_of(kind: str) -> np.ndarray:
    """Eight options of both seats: one row is best by 10 points, in every column or but for one; or none is."""
    true = np.full((8, 8), 0.5 if kind == "even" else 0.4)
    if kind != "even":
        true[0] = 0.5
    if kind == "hole":
        true[0] = 0.6
        true[0, 3] = 0.4
    return true


def test_the_value_is_covered_where_one_choice_of_eight_is_best() -> None:
    """The columns that look bad for the best row are chosen for their luck: the value itself is far too low."""
    covered, bias, width = value_covered(matrix_of("row"), 100, 5)
    assert bias < -0.03 and covered == 1.0 and width < 0.3


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["row", "hole", "even"])
def test_the_value_is_covered_whichever_choice_is_best(kind: str) -> None:
    covered, _, width = value_covered(matrix_of(kind), 100, 200)
    assert covered >= 0.93 and width < 0.3


def test_a_value_bound_is_that_of_the_entries_where_nothing_is_to_be_chosen() -> None:
    room = np.array([[0.03]])
    assert value_bound(np.array([[0.5]]), room) == pytest.approx(0.53)
    # Equal rows: mixing both halves the variance, yet one alone has the larger bound.
    assert value_bound(np.array([[0.5], [0.5]]), np.full((2, 1), 0.1)) == pytest.approx(0.6)
    # Equal columns: the worst of both.
    assert value_bound(np.array([[0.5, 0.4]]), np.full((1, 2), 0.1)) == pytest.approx(0.5)
    scores, wide = np.array([[0.9, 0.2], [0.4, 0.6]]), np.full((2, 2), 0.05)
    mixtures = np.linspace(0, 1, 20_001)
    means = mixtures[:, None] * scores[0] + (1 - mixtures[:, None]) * scores[1]
    brute = (means + 0.05 * np.hypot(mixtures, 1 - mixtures)[:, None]).min(axis=1).max()
    assert value_bound(scores, wide) == pytest.approx(brute, abs=2e-4)


def test_armies_of_rulesets_that_differ_in_nothing_else_make_a_matrix() -> None:
    scores = {("a", "a"): 0.5, ("a", "b"): 0.8, ("b", "a"): 0.2, ("b", "b"): 0.5}
    rng = np.random.default_rng(SEED)
    rulesets, trials = [], []
    for board in ("go9", "othello8"):
        for (one, other), score in scores.items():
            name = f"rengo/{board}-{one}{other}"
            settings = {"board": board, "first_army": one, "second_army": other}
            rulesets.append(ruleset(name, "rengo", settings))
            trials.append(drawn(rng, 300, score if board == "go9" else 1 - score, ruleset=name))
    plan = with_keys(plan_for(rulesets[0].name), rulesets=tuple(rulesets))
    table, equilibria = score_matrices(cell_table(pd.concat(trials)), plan)
    assert list(dict.fromkeys(zip(table["ruleset"], table["choice"], table["agents"], strict=True))) == [
        ("rengo/go9-aa", "army", "greedy"), ("rengo/othello8-aa", "army", "greedy"),
    ]  # fmt: skip
    best = equilibria[equilibria["share"] > 0.99]
    assert list(best["option"]) == ["a", "a", "b", "b"] and best["pure"].all()
    assert table.set_index(["ruleset", "row", "column"])["score"]["rengo/othello8-aa", "a", "b"] < 0.4


def test_only_agents_who_all_met_make_a_matrix() -> None:
    rng = np.random.default_rng(SEED)
    scores = dict.fromkeys(itertools.product("ab", "ab"), 0.5) | {("c", "c"): 0.5, ("a", "c"): 0.5}
    table, _ = score_matrices(cell_table(met(scores, 20, rng)), plan_for("toy/base"))
    assert set(table["row"]) == {"a", "b"}
    assert score_matrices(cell_table(met({("c", "c"): 0.5, ("a", "a"): 0.5}, 20, rng)), plan_for("toy/base"))[0].empty


@pytest.mark.parametrize(
    ("names", "called"),
    [((("x-1k-a", "x-1k-b"), ("y-1k-a", "y-1k-b")), ["x-1k", "y-1k"]), ((("a", "b"), ("c", "d")), ["a, b", "c, d"])],
)
def test_sets_that_never_meet_have_a_matrix_each(names: tuple[tuple[str, str], ...], called: list[str]) -> None:
    scores: dict[tuple[str, str], float] = {}
    for (one, other), best in zip(names, (0.9, 0.1), strict=True):
        scores |= {(one, one): best, (one, other): best, (other, one): best, (other, other): best}
    table, equilibria = score_matrices(cell_table(met(scores, 60, np.random.default_rng(SEED))), plan_for("toy/base"))
    assert list(table["agents"].drop_duplicates()) == called
    values = equilibria.groupby("agents", sort=False)["value"].first()
    assert values.iloc[0] > 0.7 and values.iloc[1] < 0.3


def test_placements_score_the_first_choice_of_each_seat() -> None:
    plan = with_keys(plan_for("chatra/x"), rulesets=(ruleset("chatra/x", "chatra"),))
    lines = ["f9 Ok2 Oc3 Od4 Oc2", "f9 Ok2 Oc3", "f9 Oa1 Oc3", "f9 Oa1", "f9"]
    trials = games("wdlwu", "chatra/x", opening=lines)  # type: ignore[arg-type]
    of_choice = {(row["seat"], row["cell"]): row for row in rows(placement_table(trials, plan))}
    assert {key: (row["games"], row["score"]) for key, row in of_choice.items()} == {
        ("first", "c3"): (3, 0.5), ("second", "a1"): (2, 0.5), ("second", "k2"): (2, 0.75),
    }  # fmt: skip
    k2 = of_choice["second", "k2"]
    assert (k2["column"], k2["row"], k2["share"], k2["landmark"]) == ("k", "2", 0.4, "object")


def test_squares_that_are_the_same_from_another_side_are_one_place() -> None:
    sized = ruleset("chatra/x", "chatra", {"size": 12})
    plan = with_keys(plan_for("chatra/x"), rulesets=(sized,))
    lines = ["f9 Ok2 Oc3", "f9 Ok11 Oj3", "f9 Ob2 Oc10", "f9 Oe1 Od4", "f9 Oa8 Ol1"]
    table = placement_table(games("wwwll", "chatra/x", opening=lines), plan)  # type: ignore[arg-type]
    of_choice = {(row["seat"], row["cell"]): row for row in rows(table)}
    assert {(seat, tuple(row["cells"].split()), row["games"]) for (seat, _), row in of_choice.items()} == {
        ("second", ("b2", "b11", "k2", "k11"), 3), ("second", ("a5", "a8", "e1", "e12", "h1", "h12", "l5", "l8"), 2),
        ("first", ("c3", "c10", "j3", "j10"), 3), ("first", ("d4", "d9", "i4", "i9"), 1),
        ("first", ("a1", "a12", "l1", "l12"), 1)
    }  # fmt: skip
    # Three wins of three: 2 · (1/2)³; of the five places the smallest p counts five times.
    assert of_choice["first", "c3"]["p"] == pytest.approx(0.25)
    assert of_choice["first", "c3"]["p_holm"] == 1.0


@pytest.mark.thorough
def test_noise_hardly_ever_colours_a_square() -> None:
    """Even games: of 100 experiments with 21 squares, one in twenty at most calls a square lopsided."""
    rng = np.random.default_rng(SEED)
    plan = with_keys(plan_for("chatra/x"), rulesets=(ruleset("chatra/x", "chatra", {"size": 12}),))
    seen = 0
    for _ in range(100):
        squares = [f"f9 O{column}{row}" for column, row in zip(rng.choice(list("abcdefghijkl"), 200),
                                                              rng.integers(1, 13, 200), strict=True)]  # fmt: skip
        trials = games("".join(rng.choice(["w", "l"], 200)), "chatra/x", opening=squares)  # type: ignore[arg-type]
        table = placement_table(trials, plan)
        assert len(table) <= 21, "a board of 12×12 has 21 squares that are not images of one another"
        seen += bool((table["p_holm"] < 0.05).any())
    assert seen <= 10
    lines = ["f9 Oa1"] * 60 + ["f9 Ob1"] * 60
    tilted = games("w" * 60 + "l" * 60, "chatra/x", opening=lines)  # type: ignore[arg-type]
    assert (placement_table(tilted, plan)["p_holm"] < 0.05).all()
