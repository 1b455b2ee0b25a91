"""Draughts rulesets on 4×4 squares with the exact result of random play: a space whose truth is known, for the search.

``python -m tests.calibration.solved_space`` writes ``solved_space.csv`` anew: the combinations of `TOGGLES` on
``draughts/solved/4x4-one-row-all-first-king`` that make sense, can be solved within `MOST_STATES`, and whose random
games all end (11 minutes).
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator
from pathlib import Path

from workbench import games
from workbench.addons.solver.solving import solve_ruleset
from workbench.base.errors import InputError
from workbench.rules import rulesets

BASE = "draughts/solved/4x4-one-row-all-first-king"
TOGGLES = (
    "squares", "men_step", "men_capture", "capture", "capture_choice", "stuck", "goal", "crowning_in_capture",
)  # fmt: skip
MOST_STATES = 150_000
FILE = Path(__file__).with_name("solved_space.csv")
RESULTS = ("first", "second", "draw")


def solved() -> Iterator[list[object]]:
    """The settings of each ruleset, its probabilities of `RESULTS`, the mean number of plies, and its states."""
    base, family = rulesets.load_ruleset(BASE), games.declaration("draughts")
    for settings in itertools.product(*([value.name for value in family.toggle(name).values] for name in TOGGLES)):
        changes = dict(zip(TOGGLES, settings, strict=True)) | {"repetition": 0}
        try:
            exact = solve_ruleset(rulesets.derive_ruleset(base, changes, "x", "x"), MOST_STATES).exact
        except InputError:
            continue
        if exact.random and not exact.random.get("unfinished"):
            shares = [f"{exact.random[name]:.6f}" for name in RESULTS]
            yield [*settings, *shares, f"{exact.random['plies']:.3f}", exact.states]


if __name__ == "__main__":
    with FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[*TOGGLES, *RESULTS, "plies", "states"], *solved()])
