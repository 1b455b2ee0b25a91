"""Which rulesets stand for all in quick tests: they have every value that any ruleset gives to a toggle."""

from __future__ import annotations

from typing import Any

import pytest

from workbench import games
from workbench.questions import rulesets

FIRST = (
    *("chatra/15x15", "chatra/9x9", "chatra/B+C+E", "chatra/limited-7"),
    *("chess/orthodox", "chess/007-detente", "chess/007-owner-promotes"),
    *("draughts/canadian", "draughts/italian", "draughts/russian", "draughts/turkish"),
    *("rengo/go9", "rengo/othello8"),
    *("star/default", "star/5x5"),
)
"""A few of every family, whatever others have."""


def values(name: str) -> set[tuple[str, str, str]]:
    """What a ruleset sets its toggles to; all numbers and drawings but the default count as one."""
    ruleset = rulesets.load_ruleset(name)
    found = set()
    for toggle in games.declaration(ruleset.game).toggles:
        setting = ruleset.settings[toggle.name]
        known = setting == toggle.default or any(setting == value.name for value in toggle.values)
        found.add((ruleset.game, toggle.name, str(setting) if known else "another"))
    return found


def _covering() -> frozenset[str]:
    every = {name: values(name) for name in rulesets.ruleset_names()}
    chosen = list(FIRST)
    missing = set().union(*every.values()).difference(*(every[name] for name in chosen))
    while missing:
        chosen.append(max(every, key=lambda name: len(every[name] & missing)))
        missing -= every[chosen[-1]]
    return frozenset(chosen)


FEW = _covering()


def every_ruleset(family: str = "", first: tuple[pytest.MarkDecorator, ...] = ()) -> pytest.MarkDecorator:
    """A test of every ruleset, or of a family's, as ``name``: quick for `FEW`, thorough for the others.

    Those of `FIRST` have some marks besides.
    """

    def marked(name: str) -> Any:
        return pytest.param(name, marks=first if name in FIRST else () if name in FEW else pytest.mark.thorough)

    names = [name for name in rulesets.ruleset_names() if name.startswith(family)]
    return pytest.mark.parametrize("name", [marked(name) for name in names])
