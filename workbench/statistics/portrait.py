"""A portrait of each cell's games: who leads when, how early games are decided, comebacks; and the depth of a ladder.

What is measured, from the traces of the first games of a cell (`workbench.records.records`), is the **evaluation**: the
first seat's expected score, -1 to 1, as the players' own heuristic or learned weights see a position, without search.

* *Courses*: the median of the evaluation over the games, with the tenth and the ninetieth percentile, at each twentieth
  of a game's length; once as the later winner sees it (decided games alone), once as the first seat does (all games).
  Of legal moves the same, ply by ply, as long as half of the games go on.
* *Decided*: a game is decided from the ply on after which the winner's evaluation stays above `CLEAR_LEAD`;
  ``decided_at`` is that ply as a share of the game's plies, ``plies_after_decision`` how many follow.
* *Comebacks*: the share of decided games (all that are on record) whose winner was behind by more than `CLEAR_LEAD`.
* *Depth*: by how many steps the strongest player of a kind on a ladder stands above its weakest player, where each step
  wins 60 % of the points.

Source: C. Browne, "Automatic Generation and Evaluation of Recombination Games", 2008, for decisiveness (few plies after
the winner is clear of a threshold), drama and lead change; his threshold is the largest lead that a loser had, which is
another one in each ruleset: this one is fixed, so that rulesets can be compared. S. Tavener's reports of Ai Ai have the
courses and the levels of play; J. M. Thompson, "Defining the Abstract", The Games Journal 2000, and F. Lantz, A.
Isaksen, A. Jaffe, A. Nealen, J. Togelius, "Depth in Strategic Games", AAAI workshop 2017, depth as a chain of skill.
Limits: an evaluation is what these players believe, not what is true: weights that see little make early games even and
late ones sudden. The last evaluation is of the final position, by the same weights. Decided games are known afterwards:
a winner's course lies above 0 wherever weights tell anything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from workbench.players.agent_kinds import kind_of
from workbench.records.records import CELL_COLUMNS
from workbench.records.trials import CELL, CellName, Trials
from workbench.statistics.intervals import (
    CLUSTER,
    ELO,
    Floats,
    clustered_critical,
    clusters_of,
    median_interval,
    wilson,
)
from workbench.statistics.plan import AnalysisPlan

CLEAR_LEAD = 0.5
"""A clear lead: an evaluation of more than this, from -1 to 1, is an expected score of more than three quarters."""
FEWEST_TRACED = 20
"""Games below which nothing is said of their spread."""
COURSE_PARTS = 20
"""Places in the course of a game."""
QUANTILES = (0.1, 0.5, 0.9)
STEP_SCORE = 0.6
"""The expected score of a step of a chain of skill."""
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
    """One row per cell with games: how they went; and the courses of those cells of which enough games are traced.

    A trace counts if its game is on record with as many plies and was traced to its end. ``decided_at`` and
    ``plies_after_decision`` are medians, the first with its interval; they are NaN where fewer than `FEWEST_TRACED`
    traced games were decided, and the share of comebacks is where no game on record says how far its winner was behind.

    Source: the interval of a median is that of the share of games that it parts (order statistics); where games share
    lines, that share has as many fewer games as lines make its variance larger (`workbench.statistics.intervals`).
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
        evaluations = [np.asarray(each, np.float64) / 1000 for each in matched["evaluations"]]
        signs = matched["result"].map({"first": 1, "second": -1}).fillna(0).to_numpy(dtype=np.float64)
        winner_courses = [sign * course for sign, course in zip(signs, evaluations, strict=True) if sign]
        decisions = np.array([decision_ply(course) for course in winner_courses], dtype=np.float64)
        lengths = np.array([len(course) for course in winner_courses], dtype=np.float64)
        decided = [math.nan] * 4
        if len(winner_courses) >= FEWEST_TRACED:
            decided_at = decisions / lengths
            early = (decided_at <= np.median(decided_at)).astype(np.float64)
            z = clustered_critical(plan.critical(len(decided_at)), early, clusters_of(matched[signs != 0]))
            low, high = median_interval(decided_at, z=z[0])
            decided = [float(np.median(decided_at)), low, min(high, 1.0), float(np.median(lengths - decisions))]
        rows.append(
            [
                *cell,
                len(matched),
                len(winner_courses),
                *decided,
                *_comeback_rate(trials, cell, plan.critical(len(games))),
            ]
        )
        parts = np.arange(COURSE_PARTS + 1) / COURSE_PARTS
        for view, seen in ((WINNER_VIEW, winner_courses), (FIRST_VIEW, evaluations)):
            if len(seen) >= FEWEST_TRACED:
                spread = np.quantile([sample_course(course) for course in seen], QUANTILES, axis=0)
                courses += [[*cell, view, *each, len(seen)] for each in zip(parts, *spread, strict=True)]
        courses += [[*cell, LEGAL_MOVES_VIEW, *each] for each in _legal_move_course(list(matched["legal_moves"]))]
    return pd.DataFrame(rows, columns=PORTRAIT_COLUMNS), pd.DataFrame(courses, columns=COURSE_COLUMNS)


def _match_traces(traced: pd.DataFrame | None, games: pd.DataFrame) -> pd.DataFrame:
    """Return the traces of games on record that were traced to their end, with their results."""
    kept = ["result", *([CLUSTER] if CLUSTER in games else [])]
    columns = ["evaluations", "legal_moves", *kept]
    if traced is None:
        return pd.DataFrame(columns=columns)
    merged = traced.merge(games[["game", "plies", *kept]], on=["game", "plies"])
    is_complete = merged["evaluations"].map(len) == merged["plies"]
    return merged.loc[is_complete & (merged["plies"] > 0), columns]


def decision_ply(course: Floats) -> int:
    """The ply, from 1, after which the winner's evaluation stays above `CLEAR_LEAD`; the last one if it never does."""
    undecided = np.flatnonzero(course <= CLEAR_LEAD)
    return min(int(undecided[-1]) + 2 if len(undecided) else 1, len(course))


def sample_course(course: Floats) -> Floats:
    """Return the course at each twentieth of its length: after that ply, or the first one that is no earlier."""
    n = len(course)
    plies = -(-np.arange(COURSE_PARTS + 1) * n // COURSE_PARTS)
    return np.asarray(course[np.maximum(plies, 1) - 1])


def _legal_move_course(courses: list[Any]) -> list[list[float]]:
    """Return the spread of legal moves before each ply, as long as half of the games, and `FEWEST_TRACED`, go on."""
    rows: list[list[float]] = []
    least = max(FEWEST_TRACED, len(courses) / 2)
    for ply in range(max(map(len, courses), default=0)):
        counts = [course[ply] for course in courses if len(course) > ply]
        if len(counts) < least:
            break
        rows.append([ply + 1, *np.quantile(counts, QUANTILES), len(counts)])
    return rows


def _comeback_rate(trials: Trials, cell: CellName, z: float) -> list[float]:
    """Comebacks in a cell, their share of the won games with its interval, and the number of these."""
    none = [0, math.nan, math.nan, math.nan, 0]
    if "drama_max" not in trials.columns:
        return none
    worst_leads = trials.column(cell, "drama_max")
    recorded = worst_leads.notna().to_numpy() & trials.cell(cell)["result"].isin(["first", "second"]).to_numpy()
    n = int(recorded.sum())
    behind = (worst_leads.to_numpy(dtype=np.float64)[recorded] > CLEAR_LEAD).astype(np.float64)
    if n == 0:
        return none
    critical = clustered_critical(z, behind, clusters_of(trials.cell(cell)[recorded]))
    low, high = wilson(behind.sum(), n, critical[0])
    return [int(behind.sum()), float(behind.mean()), float(low), float(high), n]


@dataclass(frozen=True)
class Depth:
    """The depth of the chain of skill that a kind of player finds in a ruleset."""

    kind: str
    strongest: str  # The strongest player of this kind
    weakest: str  # The weakest player of the ladder, from which steps are counted
    steps: float
    low: float | None  # The interval, where the ladder has one of this distance; an open end is None
    high: float | None


def ladder_depths(ladder: Mapping[str, Any]) -> list[Depth]:
    """Return the steps of 60 % between the weakest player of a saved ladder and the strongest of each other kind.

    A step is the distance in Elo at which the stronger player scores `STEP_SCORE` over both seats, by the ladder's own
    draws and first move; without these it is 70 Elo. The interval is that of the strength, where this is counted from
    the weakest player (``zero``: on most ladders the random one).

    Source: see the head of the module; the model is that of `workbench.addons.ladder.statistics`.
    Limits: strengths that add up, as the model says; steps wider than all games won are bounded on one side alone. A
    ladder ends with its strongest player, so depth is a lower bound of what the game has.
    """
    players = list(ladder["players"])
    weakest = players[0]
    size = step_in_elo(float(ladder["draws"]["value"]), float(ladder["first_move"]["value"]))
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for entry in players[1:]:
        if entry["options"] != weakest["options"]:
            kind = str(entry["options"].get("kind") or entry["options"].get("uci") or "outside")
            # A budget of nodes may make a search another one.
            by = f", {'nodes' if entry['options'].get('nodes') else 'depth'}" if kind_of(kind).search_by_nodes else ""
            kinds.setdefault(kind + by, []).append(entry)
    depths = []
    for kind, entries in kinds.items():
        best = entries[-1]
        base = float(weakest["elo"]["value"])
        ends = [best["elo"][end] if weakest["player"] == ladder["zero"] else None for end in ("low", "high")]
        low, high = (None if end is None else (float(end) - base) / size for end in ends)
        steps = (float(best["elo"]["value"]) - base) / size
        depths.append(Depth(kind, str(best["player"]), str(weakest["player"]), steps, low, high))
    return sorted(depths, key=lambda depth: -depth.steps)


def depth_table(depths: Mapping[str, Sequence[Depth]]) -> pd.DataFrame:
    """One row per ruleset and kind of player, from the depths of each ruleset."""
    rows = [
        (ruleset, depth.kind, depth.weakest, depth.strongest, depth.steps, depth.low, depth.high)
        for ruleset, of_ruleset in depths.items()
        for depth in of_ruleset
    ]
    columns = ["ruleset", "kind", "weakest", "strongest", *(f"depth_steps{end}" for end in ("", "_low", "_high"))]
    return pd.DataFrame(rows, columns=columns)


def step_in_elo(draws: float, first_move: float) -> float:
    """Return the distance in Elo at which the stronger player scores `STEP_SCORE` over both seats.

    ``draws`` is the share of drawn games between equal players, the first move evened out, ``first_move`` its worth in
    Elo.
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
