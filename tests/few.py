"""The rulesets that stand for all in quick tests; witnesses see to the values of toggles."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Any

import pytest

from workbench.engine import jit
from workbench.engine.players import ALPHABETA, GREEDY, RANDOM, SEARCHES
from workbench.rules import rulesets

FIRST = (
    "chatra/15x15", "chatra/9x9", "chatra/B+C+E", "chatra/limited-7", "chess/orthodox", "chess/007-detente",
    "chess/007-owner-promotes", "draughts/canadian", "draughts/italian", "draughts/russian", "draughts/turkish",
    "rengo/go9", "rengo/othello8", "star/default", "star/5x5",
)  # fmt: skip
"""A few of every family, whatever others have."""
COMPILED = {"star": tuple(SEARCHES), "chatra": (RANDOM, GREEDY, ALPHABETA)}
"""The families that a quick run of all tests compiles, each with kinds of players; `.ci/run` asks of the others."""
ONE_EACH = ("chatra/9x9", "chess/orthodox", "draughts/italian", "rengo/othello8", "star/default")
"""One of each family."""
AGAIN = ONE_EACH if jit.DISABLED else FIRST
"""Those that are asked with bounds checks, too, and without machine code."""


def _marked(value: Any, mark: pytest.MarkDecorator = pytest.mark.thorough) -> Any:
    return pytest.param(*(value if type(value) is tuple else (value,)), marks=mark)


def first(count: int, values: Iterable[Any], thorough: int | None = None) -> list[Any]:
    """The values of a test's parameters, of which the first ``count`` are quick and the others thorough.

    If only so many are to be ``thorough``, those after them are slow.
    """
    last = math.inf if thorough is None else count + thorough
    return [
        each if number < count else _marked(each, pytest.mark.thorough if number < last else pytest.mark.slow)
        for number, each in enumerate(values)
    ]


def one_in(step: int, values: Iterable[Any]) -> list[Any]:
    """Return the values of a test's parameters, marked so that every ``step``-th is quick and the others nightly."""
    return [_marked(value, pytest.mark.nightly) if number % step else value for number, value in enumerate(values)]


def every_ruleset(
    family: str = "", first: tuple[pytest.MarkDecorator, ...] = (), quick: Collection[str] = FIRST, nightly_in: int = 1
) -> pytest.MarkDecorator:
    """Parametrize a test by the ``name`` of every ruleset of a family: quick for `FIRST` or fewer, else nightly.

    With ``nightly_in=n`` one in n of those others is nightly and the rest are slow. Those of `AGAIN` have the marks of
    ``first`` as well.
    """

    def marked(number: int, name: str) -> Any:
        marks = first if name in AGAIN else ()
        later = pytest.mark.slow if number % nightly_in else pytest.mark.nightly
        return pytest.param(name, marks=marks if name in quick else (*marks, later))

    names = [name for name in rulesets.ruleset_names() if name.startswith(family)]
    return pytest.mark.parametrize("name", [marked(number, name) for number, name in enumerate(names)])
