"""Ladders: strengths, order effect and draws from games whose truth is known, and what cannot be told."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from statsmodels.discrete.discrete_model import Logit

from workbench.addons.ladder.statistics import OUTCOMES, Disconnected, LadderGames, fit_ladder
from workbench.statistics.intervals import ELO

Z = 1.959964


def chances(elo: float | np.ndarray, first_move: float, nu: float, line: np.ndarray | float = 0.0) -> np.ndarray:
    """The chances of a win, a draw and a loss of the first seat, from the definition."""
    d = np.asarray(elo + first_move) / ELO + np.asarray(line)
    odds = np.stack([np.exp(d / 2), np.full_like(d, nu), np.exp(-d / 2)], axis=-1)
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def played(
    rng: np.random.Generator,
    elo: Sequence[float],
    pairs: Sequence[tuple[int, int]],
    lines: int,
    first_move: float = 60.0,
    nu: float = 0.4,
    spread: float = 0.0,
) -> pd.DataFrame:
    """Every pair plays every line in both seats; lines favour the first seat by amounts of this standard deviation."""
    of_line = rng.normal(0, spread, lines)
    parts = []
    for one, other in pairs:
        for first, second in ((one, other), (other, one)):
            shares = chances(elo[first] - elo[second], first_move, nu, of_line)
            results = (shares.cumsum(axis=1) < rng.random(lines)[:, None]).sum(axis=1)
            parts.append(pd.DataFrame({
                "first": f"p{first}", "second": f"p{second}", "game": range(lines), "line": range(lines),
                "result": np.array(OUTCOMES)[results],
            }))  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def results(*cells: tuple[str, str, str], lines: bool = False) -> pd.DataFrame:
    """Games of some cells, one letter a game: w, d, l as the first seat sees it, u for one without a result."""
    words = {"w": "first", "d": "draw", "l": "second", "u": "unfinished"}
    rows = [(first, second, words[letter], n) for first, second, letters in cells for n, letter in enumerate(letters)]
    table = pd.DataFrame(rows, columns=["first", "second", "result", "line"])
    return table if lines else table.drop(columns="line")


MIXED = results(
    ("a", "b", "wwdlwdlw" * 5), ("b", "a", "wldlwwll" * 5), ("b", "c", "wldd" * 10), ("c", "b", "wwld" * 10),
    ("a", "c", "wl" * 12), ("c", "a", "wdw" * 8),
)  # fmt: skip


def log_likelihood(table: pd.DataFrame, players: Sequence[str]) -> Callable[[np.ndarray], float]:
    """The logarithm of the likelihood of strengths (the first player's is 0), order effect and log nu, game by game."""
    counts = table.groupby(["first", "second", "result"]).size().reset_index(name="n")
    one, other = (counts[seat].map(players.index).to_numpy() for seat in ("first", "second"))
    outcomes, n = counts["result"].map(OUTCOMES.index).to_numpy(), counts["n"].to_numpy()

    def log(theta: np.ndarray) -> float:
        strengths = np.array([0.0, *theta[:-2]]) * ELO
        shares = chances(strengths[one] - strengths[other], theta[-2] * ELO, math.exp(theta[-1]))
        return float(n @ np.log(shares[np.arange(len(n)), outcomes]))

    return log


def curvature(log: Callable[[np.ndarray], float], theta: np.ndarray) -> np.ndarray:
    h, n = 1e-3, len(theta)
    steps = np.eye(n) * h
    return np.array([
        [-(log(theta + a + b) - log(theta + a - b) - log(theta - a + b) + log(theta - a - b)) / (4 * h * h)
         for b in steps] for a in steps
    ])  # fmt: skip


def test_without_draws_and_penalty_it_is_a_logit_model() -> None:
    table = played(np.random.default_rng(3), [0, 100, 250], [(0, 1), (1, 2), (0, 2)], 60, nu=1e-9)
    games = LadderGames(table, ["p0", "p1", "p2"])
    design = games.design(games.seatings)[games.rows][:, :-1]
    logit = Logit((table["result"] == "first").to_numpy(dtype=float), design).fit(disp=False)
    assert games.inference.plain_maximum[:-1] == pytest.approx(logit.params, abs=1e-4)


@pytest.mark.thorough
def test_the_estimate_maximises_the_likelihood_with_the_penalty_of_jeffreys() -> None:
    log = log_likelihood(MIXED, ["a", "b", "c"])

    def loss(theta: np.ndarray) -> float:
        return -log(theta) - 0.5 * float(np.linalg.slogdet(curvature(log, theta))[1])

    best = minimize(loss, np.zeros(4), method="Nelder-Mead", options={"xatol": 1e-5, "fatol": 1e-9, "maxiter": 4000})
    assert LadderGames(MIXED, ["a", "b", "c"]).inference.theta == pytest.approx(best.x, abs=2e-3)


def test_at_the_ends_of_an_interval_the_profile_has_fallen_by_half_the_squared_quantile() -> None:
    log = log_likelihood(MIXED, ["a", "b", "c"])
    step = fit_ladder(MIXED, ["a", "b", "c"], "a").elo["c"]
    top = -minimize(lambda theta: -log(theta), np.zeros(4)).fun
    for end in (step.low, step.high):
        profile = -minimize(lambda rest, at=end: -log(np.array([rest[0], at / ELO, *rest[1:]])), np.zeros(3)).fun
        assert top - profile == pytest.approx(Z**2 / 2, abs=2e-3)


def coverage(runs: int, lines: int, spread: float, seed: int) -> np.ndarray:
    """How often intervals hold the truth: those of two steps, of the whole ladder, of the order effect and of draws."""
    elo, pairs = [0, 150, 330, 420], [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3)]
    players = [f"p{i}" for i in range(4)]
    rng = np.random.default_rng(seed)
    # What the mixture of all lines comes to: strengths of single lines lie a little farther apart.
    truth = LadderGames(played(rng, elo, pairs, 60_000, spread=spread), players).inference.plain_maximum
    held = np.zeros(5)
    for _ in range(runs):
        games = LadderGames(played(rng, elo, pairs, lines, spread=spread), players)
        contrasts = [games.contrast(2, 1), games.contrast(3, 2), games.contrast(3, 0), *np.eye(5)[-2:]]
        for i, contrast in enumerate(contrasts):
            told = games.inference.estimate(contrast)
            held[i] += told.low <= float(contrast @ truth) <= told.high
    return np.asarray(held / runs)


@pytest.mark.thorough
@pytest.mark.parametrize(("spread", "lines"), [(0.0, 30), (0.4, 40)])
def test_intervals_hold_the_truth_about_as_often_as_they_say(spread: float, lines: int) -> None:
    shares = coverage(100, lines, spread, 1)
    assert 0.93 <= shares[:3].mean() <= 0.985
    assert shares[3:].min() >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "lines"), [(0.0, 30), (0.4, 40)])
def test_intervals_hold_the_truth_as_often_as_they_say(spread: float, lines: int) -> None:
    shares = coverage(600, lines, spread, 2)
    assert 0.93 <= shares[:3].mean() <= 0.97, shares
    assert np.all((shares >= 0.93) & (shares <= 0.985)), shares


def test_estimates_are_hardly_biased() -> None:
    rng = np.random.default_rng(5)
    estimates = [
        LadderGames(played(rng, [0, 150, 330], [(0, 1), (1, 2), (0, 2)], 30), ["p0", "p1", "p2"]).inference.theta
        for _ in range(60)
    ]
    mean, error = np.mean(estimates, axis=0), np.std(estimates, axis=0) / math.sqrt(60)
    true = [150 / ELO, 330 / ELO, 60 / ELO, math.log(0.4)]
    assert np.all(np.abs(mean - true) < 3.5 * error + 0.01)


def test_a_perfect_score_has_a_finite_estimate_and_a_lower_end_alone() -> None:
    ladder = fit_ladder(results(("a", "b", "w" * 20), ("b", "a", "l" * 20)), ["a", "b"], "b")
    step = ladder.steps["a"]
    # The chance of 40 wins in 40 games has fallen so far that the likelihood ratio rejects it.
    least = math.exp(-(Z**2) / 2 / 40)
    assert step.low == pytest.approx(ELO * math.log(least / (1 - least)), abs=2)
    assert step.low < step.value < 2_000
    assert step.high == math.inf
    assert ladder.players == ("b", "a")
    assert ladder.score("a", "b") > 0.97


def test_where_one_side_won_all_a_line_counts_as_one_game() -> None:
    cells = [("a", "b", "w" * 20), ("b", "a", "l" * 20)]
    alone, alike = (fit_ladder(results(*cells, lines=lines), ["a", "b"], "b").steps["a"] for lines in (False, True))
    assert alike.low < alone.low
    assert alike.high == math.inf


def test_lines_that_decide_their_games_are_worth_one_game_each() -> None:
    rng = np.random.default_rng(7)
    letters = rng.choice(["w", "d", "l"], 200, p=[0.5, 0.2, 0.3])
    once = fit_ladder(results(("a", "b", "".join(letters)), lines=True), ["a", "b"])
    cells = [("a", "b", "".join(letters)), ("a", "b", "".join(letters))]
    twice = fit_ladder(results(*cells, lines=True), ["a", "b"])
    assert twice.draws.high - twice.draws.low == pytest.approx(once.draws.high - once.draws.low, rel=0.04)


def test_the_first_move_is_told_apart_from_strength() -> None:
    ladder = fit_ladder(results(("a", "b", "w" * 15 + "l" * 5), ("b", "a", "w" * 15 + "l" * 5)), ["a", "b"])
    assert ladder.steps[ladder.players[1]].value == pytest.approx(0, abs=1e-3)
    assert ladder.first_move.value == pytest.approx(ELO * math.log(3), rel=0.08)
    assert ladder.first_score == pytest.approx(0.75, abs=0.015)
    assert ladder.first_move.low > 0


def test_games_without_a_result_count_as_draws() -> None:
    stopped, drawn = (
        fit_ladder(results(("a", "b", f"wl{letter}" * 8), ("b", "a", f"wl{letter}" * 8)), ["a", "b"]) for letter in "ud"
    )
    assert stopped.draws == drawn.draws
    assert drawn.draws.value == pytest.approx(1 / 3, abs=0.02)


def test_the_zero_is_the_player_that_is_asked_for_or_the_weakest() -> None:
    asked, weakest = fit_ladder(MIXED, ["a", "b", "c"], "c"), fit_ladder(MIXED, ["a", "b", "c"])
    assert asked.elo["c"].value == 0
    assert weakest.zero == weakest.players[0]
    for player in "abc":
        assert asked.elo[player].value == pytest.approx(weakest.elo[player].value - weakest.elo["c"].value, abs=0.01)


def test_players_without_a_chain_of_games_are_refused_in_words() -> None:
    table = results(("a", "b", "wl"), ("c", "d", "wl"))
    with pytest.raises(Disconnected, match="no games connect them: a, b; c, d") as refused:
        fit_ladder(table, ["a", "b", "c", "d"])
    assert "games connect them: a, b; c, d. A chain" in str(refused.value)


def test_pairs_that_do_not_fit_on_one_line_are_told() -> None:
    fits = played(np.random.default_rng(9), [0, 150, 330], [(0, 1), (1, 2), (0, 2)], 100)
    circle = results(*((a, b, letters) for a, b in ("ab", "bc", "ca") for a, b, letters in
                       ((a, b, "w" * 70 + "l" * 30), (b, a, "l" * 70 + "w" * 30))))  # fmt: skip
    good, bad = fit_ladder(fits, ["p0", "p1", "p2"]), fit_ladder(circle, ["a", "b", "c"])
    assert good.misfit is not None and good.misfit > 0.05
    assert bad.misfit is not None and bad.misfit < 1e-6
    assert bad.pairs["z"].abs().max() > 3
    assert fit_ladder(results(("a", "b", "wld")), ["a", "b"]).misfit is None


def test_predictions_are_the_scores_of_the_model() -> None:
    ladder = fit_ladder(MIXED, ["a", "b", "c"])
    for pair in ladder.pairs.to_dict("records"):
        if {pair["player"], pair["other"]} == {"a", "c"}:  # as many games in both seats
            assert pair["predicted"] == pytest.approx(ladder.score(pair["player"], pair["other"]), abs=1e-3)
            assert pair["games"] == 48
