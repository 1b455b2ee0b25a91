"""The plies of a game in which the effect of a changed rule arises, and the events that change with it.

Games are played without the change for k plies and with it from then on, k = 0, 1, 2, 4, …, on equal seeds: what the
measure loses from one k to the next arises in the plies between, and all of it together is the effect. A game that has
ended by then, or whose next move the changed rules do not allow, counts as it was played without the change: the two
rulesets have parted before. The place is the ply at which half of the effect has arisen, of the smoothed sum; how sure
it is, is judged by drawing games anew.

Source: what acts between two times as the difference of two treatments that part at these times, J. Robins, "A new
approach to causal inference in mortality studies with a sustained exposure period", Mathematical Modelling 7, 1986;
smoothing: pool adjacent violators, R. Barlow and others, "Statistical Inference under Order Restrictions", 1972;
drawing anew: B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979.
Limits: a rule that acts early by what players expect of the end counts as early. The moves before the switch are those
of players without the change, whatever they bring about with it. Events that change together with a measure need not be
why it changes: they are associated. Effects in both directions that cancel each other are in no place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

from workbench.base.errors import input_error
from workbench.base.language import tr
from workbench.experiments.experiment import splitmix
from workbench.experiments.measures import FIRST_SCORE
from workbench.players.agents import AgentSpec
from workbench.players.external import play_against_itself
from workbench.positions.game_state import GameState
from workbench.rules.rulesets import Ruleset
from workbench.statistics.intervals import Floats, Z, holm

Pair = tuple[Floats, Floats]
"""Values of games without and with the change."""
DRAWS = 400
"""Games are drawn anew so often."""
MOST = 0.6
"""The share of an effect that is most of it."""
ENDINGS: Mapping[str, tuple[int, ...]] = {"win": (1, 2), "draw": (3,), "unfinished": (0,)}
"""Kinds of results, by the codes of records."""
OPENING, MIDDLE, END = "opening", "middle", "end"
EARLY, LATE = 0.25, 2 / 3
"""Shares of the median length up to which a ply is of the opening, and from which on it is of the end; the games are
those that the change has another value of."""
STEPS = (0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
"""Plies after which the changed rules begin: about half as many more each time."""


@dataclass(frozen=True)
class Band:
    """The part of an effect that arises between two plies, with its 95 % interval."""

    start: int
    stop: int
    """Plies, from 0 on."""
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Place:
    """The place at which the effect on a measure arises."""

    measure: str
    effect: float
    low: float
    high: float
    """The measure with the change less without it, and its 95 % interval."""
    bands: tuple[Band, ...]
    start: int
    stop: int
    """The fewest plies in which most of the effect arises."""
    share: float
    """The share of the effect that arises there."""
    part: str
    """`OPENING`, `MIDDLE` or `END`."""
    chance: float
    """The share of resamples in which it is this part."""

    @property
    def is_sure(self) -> bool:
        """Return whether these games show an effect."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Event:
    """An event that is more or less frequent with a change."""

    name: str
    result: str
    """The result of games that end by it, of `ENDINGS` (a share of games); "" for other events (times in 100 plies)."""
    before: float
    after: float
    size: float
    """The difference in standard deviations."""
    p: float
    """Corrected for all events (Holm)."""
    along: float
    """The share of the effect that goes along with it, by its slope under the same rules."""


def game_values(results: npt.NDArray[np.int64], plies: npt.NDArray[np.int64]) -> dict[str, Floats]:
    """Return the value of each game for each measure; a game that was stopped has a score of one half."""
    score = np.choose(results, [0.5, 1.0, 0.0, 0.5])
    return {FIRST_SCORE: score, "draw_rate": (results == 3).astype(float), "plies_mean": plies.astype(float)}


def effect_place(
    measure: str, values: Floats, after: Sequence[int], lengths: npt.NDArray[np.int64], seed: int = 0
) -> Place:
    """Return the place at which the effect on a measure arises.

    ``values`` are switches × games, the last row without the change; ``after`` are the plies of the switches;
    ``lengths`` those of the games without the change.
    """
    edges = np.array(after)
    games = values.shape[1]
    differences = values[:-1] - values[1:]
    total = values[0] - values[-1]
    effect, error = float(total.mean()), float(total.std(ddof=1)) / math.sqrt(games)
    errors = differences.std(axis=1, ddof=1) / math.sqrt(games)
    bands = tuple(
        Band(int(start), int(stop), float(value), float(value - Z * spread), float(value + Z * spread))
        for start, stop, value, spread in zip(edges, edges[1:], differences.mean(axis=1), errors, strict=False)
    )
    changed = np.where(total != 0, lengths, -1)
    part = _part(differences.mean(axis=1), edges, changed)
    rng = np.random.default_rng(seed)
    drawn = [rng.integers(0, games, games) for _ in range(DRAWS)]
    again = [_part(differences[:, chosen].mean(axis=1), edges, changed[chosen]) for chosen in drawn]
    start, stop, share = _most(_risen(differences.mean(axis=1)), edges)
    return Place(
        measure, effect, effect - Z * error, effect + Z * error, bands, start, stop, share, part,
        sum(one == part for one in again) / DRAWS,
    )  # fmt: skip


def _risen(parts: Floats) -> Floats:
    """Return the share of the effect that has arisen at each edge, 0 to 1, never falling: the nearest such sums."""
    total = float(parts.sum())
    if total == 0:
        return np.linspace(0, 1, len(parts) + 1)
    sums = np.concatenate([[0.0], np.cumsum(parts) / total])
    # The ends are known: no effect has arisen before the first ply, and all of it behind the last.
    inner = np.clip(optimize.isotonic_regression(sums[1:-1]).x, 0, 1) if len(sums) > 2 else []
    return np.concatenate([[0.0], inner, [1.0]])


def _part(parts: Floats, edges: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> str:
    """Return the part of a game in which half of the effect has arisen; lengths below 0 do not count."""
    risen = _risen(parts)
    upper = int(np.argmax(risen >= 0.5))
    low, high = risen[upper - 1], risen[upper]
    ply = edges[upper - 1] + (0.5 - low) / max(high - low, 1e-12) * (edges[upper] - edges[upper - 1])
    usual = float(np.median(lengths[lengths >= 0])) if (lengths >= 0).any() else float(edges[-1])
    return OPENING if ply < EARLY * usual else END if ply >= LATE * usual else MIDDLE


def _most(risen: Floats, edges: npt.NDArray[np.int64]) -> tuple[int, int, float]:
    """Return the fewest bands in a row with most of the effect; of as many the ones with more of it."""
    bands = len(risen) - 1
    runs = [(j - i, -(risen[j] - risen[i]), i, j) for i in range(bands) for j in range(i + 1, bands + 1)]
    _, share, i, j = min(run for run in runs if -run[1] >= MOST)
    return int(edges[i]), int(edges[j]), float(-share)


def clearest(places: Sequence[Place]) -> Place:
    """Return the place of the effect that is the largest beside its error."""
    return max(places, key=lambda place: abs(place.effect) / max((place.high - place.low) / 2, 1e-12))


def changed_events(columns: Mapping[tuple[str, str], Pair], values: Pair) -> list[Event]:
    """Events and endings that differ between games without and with a change, the largest difference first.

    ``columns``: for each, by name and result, what each game counts; ``values``: the measure. Of all of them those that
    differ at 5 %, corrected for all that are not the same in every game of both (Welch's test, or permutations, Holm).
    """
    varied = {key: pair for key, pair in columns.items() if np.ptp(np.concatenate(pair))}
    corrected = holm([_p_value(*pair) for pair in varied.values()])
    found = [
        Event(*key, float(pair[0].mean()), float(pair[1].mean()), _size(*pair), float(p), _along(pair, values))
        for (key, pair), p in zip(varied.items(), corrected, strict=True)
    ]
    return sorted((event for event in found if event.p <= 0.05), key=lambda event: -abs(event.size))


def event_columns(
    names: Sequence[str], endings: Mapping[int, str], games: Sequence[GamesOfRules]
) -> dict[tuple[str, str], Pair]:
    """Return the values of each game for events (in a hundred plies) and endings (1 or 0), by name and result.

    ``games``: without and with the change; ``endings``: the names of terminations by their codes.
    """
    columns: dict[tuple[str, str], Pair] = {}
    for place, name in enumerate(names):
        before, now = (100 * each.events[:, place] / np.maximum(each.plies, 1) for each in games)
        columns[name, ""] = before, now
    for code, name in endings.items():
        for result, codes in ENDINGS.items():
            before, now = (((each.endings == code) & np.isin(each.results, codes)).astype(float) for each in games)
            columns[name, result] = before, now
    return columns


def _p_value(before: Floats, now: Floats) -> float:
    if np.ptp(before) + np.ptp(now) == 0:
        return 2 / math.comb(len(before) + len(now), len(now))  # that chance sorts all games so, either way round
    # By the moments: given the values SciPy warns of those that are nearly all equal.
    moments = [moment for each in (now, before) for moment in (each.mean(), each.std(ddof=1), len(each))]
    return float(stats.ttest_ind_from_stats(*moments, equal_var=False).pvalue)


def _size(before: Floats, now: Floats) -> float:
    """Cohen's d; infinite where neither varies."""
    spread = math.sqrt((before.var(ddof=1) + now.var(ddof=1)) / 2)
    difference = float(now.mean() - before.mean())
    return difference / spread if spread else math.copysign(math.inf, difference)


def _along(events: Pair, values: Pair) -> float:
    """The slope of a measure on an event under the same rules, times the event's change, as a share of the effect."""
    centred = [np.concatenate([each - each.mean() for each in pair]) for pair in (events, values)]
    effect, square = float(values[1].mean() - values[0].mean()), float(centred[0] @ centred[0])
    if not effect or not square:
        return math.nan
    return float(centred[0] @ centred[1]) / square * float(events[1].mean() - events[0].mean()) / effect


@dataclass(frozen=True)
class GamesOfRules:
    """Games under one ruleset, arrays with an entry a game."""

    results: npt.NDArray[np.int64]
    plies: npt.NDArray[np.int64]
    events: npt.NDArray[np.int64]
    """Games × events of the family."""
    endings: npt.NDArray[np.int64]
    """Codes of terminations."""


@dataclass(frozen=True)
class SwitchedGames:
    """The games of one player against itself; ``was`` are the rules without the change, ``now`` those with it."""

    was: Ruleset
    now: Ruleset
    player: AgentSpec
    after: tuple[int, ...]
    """Plies after which ``now`` begins, from 0 on: it is played from the start. The last number is one by which all
    games have ended or parted: they are those under ``was`` alone."""
    results: npt.NDArray[np.int64]
    """The result codes of games, switches × games."""
    plies: npt.NDArray[np.int64]
    """Their lengths, likewise."""
    alone: tuple[GamesOfRules, GamesOfRules]
    """The games under ``was`` and under ``now`` alone."""


def play_switched(
    was: Ruleset, now: Ruleset, player: AgentSpec, games: int, seed: int, max_plies: int
) -> SwitchedGames:
    """Plays under both rulesets, and under the one from some ply on. In this process.

    Raises:
        InputError: the rulesets are of two games, or have the same rules.
    """
    if was.game != now.game or was.fingerprint == now.fingerprint:
        message = tr(
            "expected two rulesets of one game with different rules, found {was} and {now}", was=was.name, now=now.name
        )
        raise input_error(message)
    seeds = splitmix(("switching", seed, was.fingerprint, now.fingerprint, player.canonical()), 0, games)
    without = play_against_itself(was, player, seeds, max_plies, max_plies)
    lines, lengths = without["opening"], without["plies"]
    partings = np.array([_parting(now, line[line >= 0]) for line in lines])
    last = int(np.minimum(lengths, partings + 1).max())
    after = tuple(step for step in STEPS if step < last)
    columns = np.arange(lines.shape[1])
    results, plies = [], []
    for step in after:
        own, length = without["result"].copy(), lengths.copy()
        on = np.flatnonzero((step <= partings) & (step < lengths))
        if step == 0:
            on = np.arange(games)
        if len(on):
            given = np.where(columns[None, :] < step, lines[on], -1)
            arrays = play_against_itself(now, player, seeds[on], max_plies, lines=given[:, : max(step, 1)])
            own[on], length[on] = arrays["result"], arrays["plies"]
        if step == 0:
            with_change = arrays
        results.append(own)
        plies.append(length)
    results.append(without["result"])
    plies.append(lengths)
    return SwitchedGames(
        was, now, player, (*after, last), np.array(results, dtype=np.int64), np.array(plies, dtype=np.int64),
        (_alone(without), _alone(with_change)),
    )  # fmt: skip


def _alone(arrays: Mapping[str, Any]) -> GamesOfRules:
    return GamesOfRules(*(arrays[name].astype(np.int64) for name in ("result", "plies", "events", "termination")))


def _parting(ruleset: Ruleset, line: npt.NDArray[np.int32]) -> int:
    """Return the number of moves of a game before a ruleset forbids the next one, or the game is over."""
    state = GameState(ruleset.game, ruleset.codes())
    for ply, move in enumerate(line.tolist()):
        if move not in state.legal():
            return ply
        state.push(move)
    return len(line)
