"""``python -m tests.simulations WORLD --experiments N --seed S``: plays experiments, and prints how they came out."""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.simulations.scoring import outcome_of
from tests.simulations.worlds import Experiment, World
from workbench.statistics.intervals import Floats

SMALL: Mapping[str, Any] = {"score": 0.68}
LARGE: Mapping[str, Any] = {"levels": (3, 2, 2, 2), "kinds": ("own", "learned"), "score": 0.71}
"""24 rulesets, which combine five changes, among eight players."""
SINGLE: Mapping[str, Any] = {"levels": (2,) * 5, "combined": False, "score": 0.55}
COMMON: Mapping[str, Any] = {"kinds": ("own", "shared", "shared")}
MIXED = (0.93, 0.54, 0.73, 0.1)
"""Games that are identical where the move rules of Chatra change, by change, among players with weights in common."""
RUNGS: Mapping[str, Any] = {"nodes": (250, 700, 2_000), "kinds": ("own", "learned"), "games": 150, "change": 1.5}
FEW: Mapping[str, Any] = {"levels": (2, 2), "combined": False, "games": 60, "family": 1.0, "rule": 4.0, "change": 0.4}
RACE: Mapping[str, Any] = {
    "levels": (2,) * 11, "combined": False, "kinds": ("own", "learned"), "nodes": (1_000, 2_000), "games": 400,
    "score": 0.63, "rule": 4.0, "family": 1.0, "looks": 4, "margin": 0.03, "untouched": MIXED,
}  # fmt: skip
EDGES = {"fairer": (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0), "fairest": (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)}
"""Of bins of probabilities."""
WORLDS: Mapping[str, World | tuple[World, ...]] = {
    "plain": World(**SMALL),
    "games-20": World(games=20, **SMALL),
    "games-150": World(games=150, **SMALL),
    "wide": World(line=30, training=3, **SMALL),
    "families-2": World(family=2, **SMALL),
    "families-4": World(family=4, **SMALL),
    "twenty-lines": World(pool=20, games=60, family=4, **SMALL),
    "score-90": World(score=0.9),
    "lines-all": World(line_ruleset=7, line_player=7, line_cell=5, **SMALL),
    "draws-7": World(draws=0.073, score=0.68),
    "draws-58": World(draws=0.58, score=0.68),
    "capped": World(capped=0.05, missing=0.15, margin=0.06, **SMALL),
    "two": World(levels=(2,), **SMALL),
    "large": World(**LARGE, games=150),
    "large-wide": World(**LARGE, line=30, family=4, training=3),
    "large-90": World(**{**LARGE, "score": 0.9}, three=1, games=150),
    "large-draws": World(**LARGE, draws=0.3),
    "three-budgets": World(**SMALL, **RUNGS),
    "bent": World(**SMALL, **RUNGS, curve=0.7),
    "changing": World(**SMALL, change=2, change_apart=0.5),
    "pairs": World(levels=(2, 2, 2), family=4, three=1, games=200, **SMALL),
    "common": World(**SMALL, **COMMON, untouched=MIXED, games=150),
    "common-three": World(levels=(2, 2, 2), **SMALL, **COMMON, untouched=MIXED, family=2),
    "common-lines": World(**SMALL, **COMMON, untouched=MIXED, line_ruleset=7, line_player=7),
    "mixed": World(**SMALL, untouched=MIXED, kinds=("own", "shared", "learned", "learned")),
    "single": World(**SINGLE, **COMMON, untouched=MIXED),
    "probabilities": tuple(World(**SINGLE, rule=rule, remainder=0, training=0.7) for rule in (0.5, 2, 4)),
    "forecasts": tuple(World(**FEW, training=training) for training in (1, 2, 3)),
    "race": World(**RACE),
    "race-equal": World(**{**RACE, "rule": 0.0, "remainder": 0.0}),
}


def world_of(name: str, seed: int, shared: int = 0) -> World:
    """The world of an experiment, perhaps with so many lines that all players play."""
    worlds = WORLDS[name]
    world = worlds if isinstance(worlds, World) else worlds[seed % len(worlds)]
    if not shared:
        return world
    return replace(world, own_lines=False, pool=shared, games=max(world.games, shared))


class Share(NamedTuple):
    """A mean over experiments, with its Monte Carlo error: by how much experiments differ."""

    value: float
    error: float

    @classmethod
    def of(cls, sums: Floats, counts: Floats) -> Share:
        """From the sum and the count of each experiment."""
        value, n = float(sums.sum() / counts.sum()), len(counts)
        spread = float(np.sqrt(np.square(sums - value * counts).sum() * n / max(n - 1, 1)) / counts.sum())
        return cls(value, spread)

    def __str__(self) -> str:
        return f"{100 * self.value:6.1f} ± {100 * self.error:4.1f}"


class Covered(NamedTuple):
    """How intervals of one kind of number did."""

    single: Share
    """Those that stand alone."""
    together: Share
    """Experiments in which all simultaneous ones held."""
    bias: Share
    """The mean error, in shares."""
    half_width: float
    """Of single intervals."""


Outcomes = Sequence[Mapping[str, Any]]


def coverage(outcomes: Outcomes) -> dict[str, Covered]:
    """How intervals did, by the kind of number."""
    of_kinds = [each["coverage"] for each in outcomes]
    rows: dict[str, Covered] = {}
    for name in dict.fromkeys(name for each in of_kinds for name in each):
        of, single, _, together, error, width = np.array([each[name] for each in of_kinds if name in each], float).T
        shares = Share.of(single, of), Share.of(together, np.ones(len(of))), Share.of(error, of)
        rows[name] = Covered(*shares, float(width.sum() / of.sum()))
    return rows


def verdicts(outcomes: Outcomes) -> dict[str, list[int]]:
    """Numbers judged; decided; wrong ones of them; "no difference"; wrong ones of them: by the kind of number."""
    of_kinds = [each["verdicts"] for each in outcomes]
    names = dict.fromkeys(name for each in of_kinds for name in each)
    return {name: np.sum([each[name] for each in of_kinds if name in each], axis=0).tolist() for name in names}


class Bin(NamedTuple):
    """Probabilities between two edges."""

    low: float
    high: float
    said: float
    """The mean."""
    right: Share
    probabilities: int


def calibration(outcomes: Outcomes, name: str) -> list[Bin]:
    """What was said against how often it is so."""
    of_each = [np.array(each["said"].get(name, ()), float).reshape(-1, 2) for each in outcomes]
    bins = []
    for low, high in itertools.pairwise(EDGES[name]):
        chosen = [each[(each[:, 0] >= low) & ((each[:, 0] < high) | (high == 1))] for each in of_each]
        chosen = [each for each in chosen if len(each)]
        if chosen:
            counts, sums = np.array([len(each) for each in chosen], float), [each.sum(axis=0) for each in chosen]
            said, right = np.array(sums).T
            share, total = Share.of(right, counts), int(counts.sum())
            # Where all are right, or few, nobody knows how experiments differ.
            least = math.sqrt(max(share.value * (1 - share.value), 1 / (total + 4)) / total)
            bins.append(Bin(low, high, float(said.sum() / total), Share(share.value, max(share.error, least)), total))
    return bins


def forecasts(outcomes: Outcomes) -> dict[float, Share]:
    """By how many times as many games would tell, how often they did (infinite: how often 16 times as many did)."""
    said = np.array([one for each in outcomes for one in each.get("forecasts", ())], float).reshape(-1, 2)
    return {
        times: Share.of(said[said[:, 0] == times, 1], np.ones(int((said[:, 0] == times).sum())))
        for times in np.unique(said[:, 0]).tolist()
    }


def show(outcomes: Outcomes) -> None:
    """Prints what came out."""
    print(
        f"{len(outcomes)} experiments; % covered ± Monte Carlo error: single, all at once; bias, half width in points"
    )
    for name, of in coverage(outcomes).items():
        print(f"  {name:40} {of.single} {of.together} {of.bias} {100 * of.half_width:6.2f}")
    for name, (judged, decided, wrong, none, none_wrong) in verdicts(outcomes).items():
        print(f"  verdicts, {name}: {judged}, decided {decided}, wrong {wrong}; none {none}, wrong {none_wrong}")
    for name in EDGES:
        for low, high, said, right, count in calibration(outcomes, name):
            print(f"  said {name} {low:.2f}-{high:.2f}: {count:4} times {100 * said:5.1f} %, right {right} %")
    for times, share in forecasts(outcomes).items():
        asked = sum(times == said for each in outcomes for said, _ in each.get("forecasts", ()))
        print(f"  said that {times:g} times as many games decide: {asked}, did {share} %")
    races = [each["race"] for each in outcomes if "race" in each]
    for name in races[0] if races else ():
        print(f"  race, {name}: {Share.of(np.array([each[name] for each in races]), np.ones(len(races)))} %")


def main() -> None:
    """Plays, adds up, prints."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulations", description=__doc__)
    parser.add_argument("world", choices=WORLDS)
    parser.add_argument("--experiments", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0, help="of the first experiment; each next one has the next seed")
    parser.add_argument("--forecasts", action="store_true", help="also play as many games as are said to tell")
    parser.add_argument("--shared", type=int, default=0, metavar="LINES", help="every player plays the same lines")
    parser.add_argument("--json", type=Path, help="the file in which outcomes accumulate, by world and seed")
    asked = parser.parse_args()
    name = asked.world + (f", {asked.shared} lines shared" if asked.shared else "")
    known = json.loads(asked.json.read_text()) if asked.json and asked.json.exists() else {}
    outcomes = {int(each["seed"]): each for each in known.get(name, ())}
    begin = time.process_time()
    seeds = [seed for seed in range(asked.seed, asked.seed + asked.experiments) if seed not in outcomes]
    for seed in seeds:
        experiment = Experiment(world_of(asked.world, seed, asked.shared), seed)
        outcomes[seed] = outcome_of(experiment, asked.forecasts).plain()
    print(f"{name}: {(time.process_time() - begin) / max(1, len(seeds)):.1f} CPU s an experiment")
    if asked.json:
        asked.json.write_text(json.dumps(known | {name: list(outcomes.values())}))
    show(list(outcomes.values()))


if __name__ == "__main__":
    main()
