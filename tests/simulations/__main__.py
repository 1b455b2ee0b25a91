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
from typing import Any

import numpy as np

from tests.simulations.scoring import experiment
from tests.simulations.worlds import Experiment, World

SMALL: Mapping[str, Any] = {"score": 0.68}
LARGE: Mapping[str, Any] = {"levels": (3, 2, 2, 2), "kinds": ("own", "learned"), "score": 0.71}
"""24 rulesets, which combine five changes, among eight players."""
SINGLE: Mapping[str, Any] = {"levels": (2,) * 5, "combined": False, "score": 0.55}
FEW: Mapping[str, Any] = {"levels": (2, 2), "combined": False, "games": 60, "family": 1.0, "rule": 4.0}
RACE: Mapping[str, Any] = {
    "levels": (2,) * 11, "combined": False, "kinds": ("own", "learned"), "nodes": (1_000, 2_000), "games": 400,
    "score": 0.63, "rule": 4.0, "family": 1.0, "looks": 4, "margin": 0.03,
}  # fmt: skip
COMMON: Mapping[str, Any] = {"kinds": ("own", "own", "own")}
MIXED = (0.93, 0.54, 0.73, 0.1)
"""Games that are identical where the move rules of Chatra change, by change, among players with weights in common."""
WORLDS: Mapping[str, World] = {
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
    "changing": World(**SMALL, change=2, change_apart=0.5),
    "pairs": World(levels=(2, 2, 2), family=4, three=1, change=2, change_apart=0.5, **SMALL),
    "common": World(**SMALL, **COMMON, untouched=MIXED, games=150),
    "common-three": World(levels=(2, 2, 2), **SMALL, **COMMON, untouched=MIXED, family=2),
    "common-lines": World(**SMALL, **COMMON, untouched=MIXED, line_ruleset=7, line_player=7, many_of_baseline=True),
    "mixed": World(**SMALL, untouched=MIXED, kinds=("own", "own", "learned", "learned")),
    "single": World(**SINGLE, **COMMON, untouched=MIXED, many_of_baseline=True),
    "little-0.5": World(**SINGLE, rule=0.5, remainder=0, training=0.7),
    "little-2": World(**SINGLE, rule=2, remainder=0, training=0.7),
    "little-4": World(**SINGLE, rule=4, remainder=0, training=0.7),
    "few-1": World(**FEW, training=1),
    "few-2": World(**FEW, training=2),
    "few-3": World(**FEW, training=3),
    "race": World(**RACE),
    "race-equal": World(**{**RACE, "rule": 0.0, "remainder": 0.0}),
}


def proportion(held: np.ndarray, of: np.ndarray) -> tuple[float, float]:
    """A share over experiments with its Monte Carlo error, by which experiments differ."""
    share = held.sum() / of.sum()
    n = len(of)
    return float(share), float(np.sqrt(np.sum((held - share * of) ** 2) * n / max(n - 1, 1)) / of.sum())


def coverage(outcomes: Sequence[Mapping[str, Any]]) -> dict[str, tuple[float, ...]]:
    """Name -> single intervals that held, all at once, bias in points; each with its Monte Carlo error; half width."""
    rows: dict[str, tuple[float, ...]] = {}
    for name in dict.fromkeys(name for each in outcomes for name in each.get("coverage", ())):
        table = np.array([each["coverage"][name] for each in outcomes if name in each.get("coverage", ())], float)
        of, single, _, together, error, width = table.T
        bias, half = proportion(100 * error, of), 100 * width.sum() / of.sum()
        rows[name] = (*proportion(single, of), *proportion(together, np.ones(len(of))), *bias, half)
    return rows


def calibration(
    said: Sequence[tuple[float, bool]], edges: Sequence[float]
) -> list[tuple[float, float, int, float, float]]:
    """Bins of probabilities: edges, how many, the mean that was said, the share that is so."""
    values = np.array(said, float).reshape(-1, 2)
    bins = []
    for low, high in itertools.pairwise(edges):
        of = values[(values[:, 0] >= low) & ((values[:, 0] < high) | (high == 1))]
        if len(of):
            bins.append((low, high, len(of), float(of[:, 0].mean()), float(of[:, 1].mean())))
    return bins


def show(outcomes: Sequence[Mapping[str, Any]]) -> None:
    """Prints what came out."""
    print(
        f"{len(outcomes)} experiments; % covered ± Monte Carlo error: single, all at once; bias, half width in points"
    )
    for name, (single, e1, together, e2, bias, e3, width) in coverage(outcomes).items():
        print(
            f"  {name:42} {100 * single:5.1f} ± {100 * e1:3.1f}  {100 * together:5.1f} ± {100 * e2:3.1f}"
            f"  {bias:+6.2f} ± {e3:.2f}  {width:5.2f}"
        )
    for name in dict.fromkeys(name for each in outcomes for name in each.get("verdicts", ())):
        judged, decided, wrong, none, none_wrong = np.sum(
            [each["verdicts"].get(name, [0] * 5) for each in outcomes if "verdicts" in each], axis=0
        )
        print(f"  verdicts, {name}: {judged}, decided {decided}, wrong {wrong}; none {none}, wrong {none_wrong}")
    for name, edges in (
        ("fairer", (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)),
        ("fairest", (0, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0)),
    ):
        said = [one for each in outcomes for one in each.get("said", {}).get(name, ())]
        for low, high, count, mean, right in calibration(said, edges):
            error = math.sqrt(max(right * (1 - right), 0.25 / count) / count)
            print(
                f"  said {name} {low:.2f}-{high:.2f}: {count:4}, said {100 * mean:.1f}, "
                f"right {100 * right:.1f} ± {100 * error:.1f} %"
            )
    forecasts = [tuple(one) for each in outcomes for one in each.get("forecasts", ())]
    for times in sorted({times for times, _ in forecasts}):
        decided = [is_decided for of, is_decided in forecasts if of == times]
        print(f"  forecast {times}: {len(decided)}, decided {sum(decided)}")
    races = [each["race"] for each in outcomes if "race" in each]
    for name in races[0] if races else ():
        values = [each[name] for each in races]
        print(f"  race, {name}: {100 * np.mean(values):.1f} ± {100 * np.std(values) / math.sqrt(len(values)):.1f} %")


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
    world, name = WORLDS[asked.world], asked.world
    if asked.shared:
        name += f", {asked.shared} lines shared"
        world = replace(world, own_lines=False, pool=asked.shared, games=max(world.games, asked.shared))
    known = json.loads(asked.json.read_text()) if asked.json and asked.json.exists() else {}
    outcomes = {int(each["seed"]): each for each in known.get(name, ())}
    begin = time.process_time()
    seeds = [seed for seed in range(asked.seed, asked.seed + asked.experiments) if seed not in outcomes]
    for seed in seeds:
        outcomes[seed] = experiment(Experiment(world, seed), asked.forecasts).plain()
    print(f"{name}: {(time.process_time() - begin) / max(1, len(seeds)):.1f} CPU s an experiment")
    if asked.json:
        asked.json.write_text(json.dumps(known | {name: list(outcomes.values())}))
    show(list(outcomes.values()))


if __name__ == "__main__":
    main()
