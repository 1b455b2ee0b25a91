"""Portraits of each cell's games: the course of the lead, decision and comebacks; and the depth of a ladder.

The traces of a cell's first games (`workbench.records.records`) contain the **evaluation**: the first seat's expected
score, -1 to 1, by the players' own heuristic or learned weights, without search.

* *Courses*: the median of the evaluation over the games, with the tenth and the ninetieth percentile, at each twentieth
  of a game's length; from the view of the later winner (decisive games only), and of the first seat (all games). The
  same for legal moves, ply by ply, as long as at least half of the games last.
* *Decided*: a game is decided at the ply after which the winner's evaluation stays above `CLEAR_LEAD`; ``decided_at``
  is that ply as a share of the game's plies, ``plies_after_decision`` the number of later plies.
* *Comebacks*: the share of decisive games (all on record) whose winner was behind by more than `CLEAR_LEAD`.
* *Depth*: the number of steps from a ladder's weakest player to the strongest player of a kind, where each step wins
  60 % of the points.

Source: C. Browne, "Automatic Generation and Evaluation of Recombination Games", 2008, for decisiveness (few plies after
the winner passes a threshold), drama and lead change; his threshold is the largest lead of a loser, which differs
between rulesets: here it is fixed, so that rulesets can be compared. S. Tavener's reports of Ai Ai have the courses and
the levels of play; J. M. Thompson, "Defining the Abstract", The Games Journal 2000, and F. Lantz, A. Isaksen, A. Jaffe,
A. Nealen, J. Togelius, "Depth in Strategic Games", AAAI workshop 2017, depth as a chain of skill.
Limits: an evaluation is what these players believe, not the truth: weak weights make early games even and late ones
sudden. The last evaluation is of the final position, by the same weights. Winners are known in hindsight: their course
lies above 0 wherever weights are informative.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from workbench.players.agent_kinds import find_kind
from workbench.records.records import CELL_COLUMNS
from workbench.records.trials import CELL, CellName, Trials
from workbench.statistics import intervals
from workbench.statistics.analysis_plan import AnalysisPlan
from workbench.statistics.intervals import CLUSTER, ELO, Floats, clustered_critical, game_clusters, median_interval

CLEAR_LEAD = 0.5
"""The evaluation of a clear lead, from -1 to 1: an expected score of three quarters."""
FEWEST_TRACED = 20
"""The fewest traced games whose spread is reported."""
COURSE_PARTS = 20
"""The number of parts in the course of a game."""
QUANTILES = (0.1, 0.5, 0.9)
STEP_SCORE = 0.6
"""The expected score of one step in a chain of skill."""
WINNER_VIEW, FIRST_VIEW, LEGAL_MOVES_VIEW = "winner", "first", "legal_moves"
"""Views of a course: the later winner's or the first seat's evaluation, or legal moves."""

PORTRAIT_COLUMNS = [
    *CELL, "traced", "traced_decided", "decided_at", "decided_at_low", "decided_at_high", "plies_after_decision",
    "comebacks", "comeback_rate", "comeback_rate_low", "comeback_rate_high", "won_games",
]  # fmt: skip
COURSE_COLUMNS = [*CELL, "view", "at", "lower_decile", "median", "upper_decile", "games"]


def portraits(
    trials: Trials | pd.DataFrame, traces: pd.DataFrame | None, plan: AnalysisPlan
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return one row per cell with games, and the courses of cells with enough traced games.

    A trace counts if its game is on record with as many plies and was traced to its end. ``decided_at`` and
    ``plies_after_decision`` are medians, the first with its interval; they are NaN with fewer than `FEWEST_TRACED`
    traced decisive games, and the share of comebacks is NaN if no game on record has the winner's largest deficit.

    Source: the interval of a median follows from that of the share of games below it (order statistics); with shared
    lines, the design effect of this share applies (`workbench.statistics.intervals`).
    """
    trials = Trials.of(trials)
    by_cell: dict[Any, pd.DataFrame] = {}
    if traces is not None and len(traces):
        by_cell = dict(iter(traces.groupby(list(CELL_COLUMNS), sort=False)))
    rows: list[list[Any]] = []
    courses: list[list[Any]] = []
    for cell in plan.cells:
        games = trials.cell(cell)
        if not len(games):
            continue
        matched = _match_traces(by_cell.get(cell), games)
        evaluations = [np.asarray(course, np.float64) / 1000 for course in matched["evaluations"]]
        signs = matched["result"].map({"first": 1, "second": -1}).fillna(0).to_numpy(dtype=np.float64)
        winner_courses = [sign * course for sign, course in zip(signs, evaluations, strict=True) if sign]
        decisions = np.array([decision_ply(course) for course in winner_courses], dtype=np.float64)
        lengths = np.array([len(course) for course in winner_courses], dtype=np.float64)
        medians = [math.nan] * 4
        if len(winner_courses) >= FEWEST_TRACED:
            decided_at = decisions / lengths
            early = (decided_at <= np.median(decided_at)).astype(np.float64)
            z = clustered_critical(plan.critical(len(decided_at)), early, game_clusters(matched[signs != 0]))
            low, high = median_interval(decided_at, z=z[0])
            medians = [float(np.median(decided_at)), low, min(high, 1.0), float(np.median(lengths - decisions))]
        rows.append(
            [
                *cell,
                len(matched),
                len(winner_courses),
                *medians,
                *_comeback_rate(trials, cell, plan.critical(len(games))),
            ]
        )
        parts = np.arange(COURSE_PARTS + 1) / COURSE_PARTS
        for view, view_courses in ((WINNER_VIEW, winner_courses), (FIRST_VIEW, evaluations)):
            if len(view_courses) >= FEWEST_TRACED:
                quantiles = np.quantile([sample_course(course) for course in view_courses], QUANTILES, axis=0)
                courses += [[*cell, view, *row, len(view_courses)] for row in zip(parts, *quantiles, strict=True)]
        courses += [[*cell, LEGAL_MOVES_VIEW, *row] for row in _legal_move_course(list(matched["legal_moves"]))]
    return pd.DataFrame(rows, columns=PORTRAIT_COLUMNS), pd.DataFrame(courses, columns=COURSE_COLUMNS)


def _match_traces(traced: pd.DataFrame | None, games: pd.DataFrame) -> pd.DataFrame:
    """Return the complete traces of games on record, with their results."""
    extras = ["result", *([CLUSTER] if CLUSTER in games else [])]
    columns = ["evaluations", "legal_moves", *extras]
    if traced is None:
        return pd.DataFrame(columns=columns)
    merged = traced.merge(games[["game", "plies", *extras]], on=["game", "plies"])
    is_complete = merged["evaluations"].map(len) == merged["plies"]
    return merged.loc[is_complete & (merged["plies"] > 0), columns]


def decision_ply(course: Floats) -> int:
    """Return the ply (from 1) after which the winner's evaluation stays above `CLEAR_LEAD`, at most the last one."""
    undecided = np.flatnonzero(course <= CLEAR_LEAD)
    return min(int(undecided[-1]) + 2 if len(undecided) else 1, len(course))


def sample_course(course: Floats) -> Floats:
    """Return the course at each twentieth of its length, rounded up to a ply."""
    n = len(course)
    plies = -(-np.arange(COURSE_PARTS + 1) * n // COURSE_PARTS)
    return np.asarray(course[np.maximum(plies, 1) - 1])


def _legal_move_course(courses: list[Any]) -> list[list[float]]:
    """Return quantiles of the number of legal moves before each ply, as long as enough games last."""
    rows: list[list[float]] = []
    fewest_games = max(FEWEST_TRACED, len(courses) / 2)
    for ply in range(max(map(len, courses), default=0)):
        counts = [course[ply] for course in courses if len(course) > ply]
        if len(counts) < fewest_games:
            break
        rows.append([ply + 1, *np.quantile(counts, QUANTILES), len(counts)])
    return rows


def _comeback_rate(trials: Trials, cell: CellName, z: float) -> list[float]:
    """Return a cell's number of comebacks, their share of won games with its interval, and the number of won games."""
    no_games = [0, math.nan, math.nan, math.nan, 0]
    if "drama_max" not in trials.columns:
        return no_games
    worst_leads = trials.column(cell, "drama_max")
    recorded = worst_leads.notna().to_numpy() & trials.cell(cell)["result"].isin(["first", "second"]).to_numpy()
    n = int(recorded.sum())
    was_behind = (worst_leads.to_numpy(dtype=np.float64)[recorded] > CLEAR_LEAD).astype(np.float64)
    if n == 0:
        return no_games
    critical = clustered_critical(z, was_behind, game_clusters(trials.cell(cell)[recorded]))
    low, high = intervals.wilson(was_behind.sum(), n, critical[0])
    return [int(was_behind.sum()), float(was_behind.mean()), float(low), float(high), n]


@dataclass(frozen=True)
class Depth:
    """The depth of the chain of skill for a kind of player under a ruleset."""

    kind: str
    strongest: str  # The strongest player of this kind
    weakest: str  # The weakest player of the ladder, from which steps are counted
    steps: float
    low: float | None  # The interval, where the ladder has one of this distance; an open end is None
    high: float | None


def ladder_depths(ladder: Mapping[str, Any]) -> list[Depth]:
    """Return each kind's depth on a saved ladder: the number of 60 % steps above the weakest player.

    A step is the distance in Elo at which the stronger player scores `STEP_SCORE` over both seats, with the ladder's
    own draws and first move; without these it is 70 Elo. The interval is that of the strength if the ladder's ``zero``
    is the weakest player (on most ladders the random one).

    Source: see the head of the module; the model is that of `workbench.addons.ladder.statistics`.
    Limits: additive strengths; steps beyond an unbeaten player are bounded on one side only. A ladder ends with its
    strongest player, so depth is a lower bound for the game.
    """
    players = list(ladder["players"])
    weakest = players[0]
    step = step_in_elo(float(ladder["draws"]["value"]), float(ladder["first_move"]["value"]))
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for entry in players[1:]:
        if entry["options"] != weakest["options"]:
            kind = str(entry["options"].get("kind") or entry["options"].get("uci") or "outside")
            # With a budget of nodes, a kind may use a different search.
            limit = "nodes" if entry["options"].get("nodes") else "depth"
            kinds.setdefault(f"{kind}, {limit}" if find_kind(kind).search_by_nodes else kind, []).append(entry)
    depths = []
    for kind, entries in kinds.items():
        strongest = entries[-1]
        weakest_elo = float(weakest["elo"]["value"])
        ends = [strongest["elo"][end] if weakest["player"] == ladder["zero"] else None for end in ("low", "high")]
        low, high = (None if end is None else (float(end) - weakest_elo) / step for end in ends)
        steps = (float(strongest["elo"]["value"]) - weakest_elo) / step
        depths.append(Depth(kind, str(strongest["player"]), str(weakest["player"]), steps, low, high))
    return sorted(depths, key=lambda depth: -depth.steps)


def depth_table(depths: Mapping[str, Sequence[Depth]]) -> pd.DataFrame:
    """Return one row per ruleset and kind of player."""
    rows = [
        (ruleset, depth.kind, depth.weakest, depth.strongest, depth.steps, depth.low, depth.high)
        for ruleset, ruleset_depths in depths.items()
        for depth in ruleset_depths
    ]
    columns = ["ruleset", "kind", "weakest", "strongest", *(f"depth_steps{end}" for end in ("", "_low", "_high"))]
    return pd.DataFrame(rows, columns=columns)


def step_in_elo(draws: float, first_move: float) -> float:
    """Return the distance in Elo at which the stronger player scores `STEP_SCORE` over both seats.

    ``draws`` is the share of draws between equal players without the advantage of moving first, ``first_move`` that
    advantage in Elo.
    """
    nu = 2 * draws / max(1 - draws, 1e-6)

    def score(distance: float) -> float:
        points = 0.0
        for order in (first_move, -first_move):
            half = (distance + order) / ELO / 2
            win, loss = math.exp(half), math.exp(-half)
            points += (win + nu / 2) / (win + nu + loss) / 2
        return points

    return float(brentq(lambda distance: score(distance) - STEP_SCORE, 0.0, 20 * ELO, xtol=1e-6))
