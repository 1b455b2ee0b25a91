"""Which rulesets stand for all in quick tests: they have every value that any ruleset gives to a toggle."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest

from workbench import games
from workbench.engine import jit
from workbench.questions import rulesets

FIRST = (
    *("chatra/15x15", "chatra/9x9", "chatra/B+C+E", "chatra/limited-7"),
    *("chess/orthodox", "chess/007-detente", "chess/007-owner-promotes"),
    *("draughts/canadian", "draughts/italian", "draughts/russian", "draughts/turkish"),
    *("rengo/go9", "rengo/othello8"),
    *("star/default", "star/5x5"),
)
"""A few of every family, whatever others have."""
AGAIN = (
    ("chatra/9x9", "chess/orthodox", "draughts/italian", "rengo/othello8", "star/default") if jit.DISABLED else FIRST
)
"""Those of `FIRST` that are asked with bounds checks, too, and the one of each family without machine code."""


def values(ruleset: rulesets.Ruleset) -> set[tuple[str, str, str]]:
    """What a ruleset sets its toggles to; all numbers and drawings but the default count as one."""
    found = set()
    for toggle in games.declaration(ruleset.game).toggles:
        setting = ruleset.settings[toggle.name]
        known = setting == toggle.default or any(setting == value.name for value in toggle.values)
        found.add((ruleset.game, toggle.name, str(setting) if known else "another"))
    return found


def _covering() -> frozenset[str]:
    every = {ruleset.name: values(ruleset) for ruleset in rulesets.load_all_rulesets()}
    chosen = list(FIRST)
    missing = set().union(*every.values()).difference(*(every[name] for name in chosen))
    while missing:
        chosen.append(max(every, key=lambda name: len(every[name] & missing)))
        missing -= every[chosen[-1]]
    return frozenset(chosen)


FEW = _covering()


def first(count: int, values: Iterable[Any]) -> list[Any]:
    """The values of a test's parameters, of which the first ``count`` are quick and the others thorough."""
    return [
        each
        if number < count
        else pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=pytest.mark.thorough)
        for number, each in enumerate(values)
    ]


def every_ruleset(
    family: str = "", first: tuple[pytest.MarkDecorator, ...] = (), quick: Collection[str] = FEW
) -> pytest.MarkDecorator:
    """A test of every ruleset, or of a family's, as ``name``: quick for `FEW` or fewer, thorough for the others.

    Those of `AGAIN` have some marks besides.
    """

    def marked(name: str) -> Any:
        marks = first if name in AGAIN else ()
        return pytest.param(name, marks=marks if name in quick else (*marks, pytest.mark.thorough))

    names = [name for name in rulesets.ruleset_names() if name.startswith(family)]
    return pytest.mark.parametrize("name", [marked(name) for name in names])
