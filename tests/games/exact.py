"""Small games solved by their twins alone: every position that can be reached, who wins, and in how many plies.

It shares nothing with the solver of the engine. Rules about repetition are left aside: no position has a history.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tests.games.star import twin as star

RESULTS = {"first": 0, "second": 1}


@dataclass(frozen=True)
class Truth:
    value: str
    plies: int | None
    states: int
    transitions: int
    endings: dict[str, int]


def identity(twin: ModuleType, settings: Any) -> Callable[[Any], Hashable]:
    if twin is star:
        return lambda position: position
    return lambda position: twin.repetition_key(settings, position)


def ending(twin: ModuleType, settings: Any, position: Any) -> tuple[str, str | None]:
    return twin.outcome(settings, position) if twin is star else twin.outcome(settings, position, [])  # type: ignore[no-any-return]


def solve(twin: ModuleType, settings: Any) -> Truth:
    """The value of the start; a winner hurries, a loser delays."""
    known = identity(twin, settings)
    states = [twin.start(settings)]
    numbers = {known(states[0]): 0}
    successors: list[list[int]] = []
    values: list[tuple[int, int] | None] = []
    endings: dict[str, int] = {}
    for position in states:
        result, termination = ending(twin, settings, position)
        values.append((RESULTS[result], 0) if result in RESULTS else None)
        reached: list[int] = []
        if termination is None:
            for text in sorted(twin.legal_moves(settings, position)):
                after = twin.play(settings, position, text)
                reached.append(numbers.setdefault(known(after), len(states)))
                if reached[-1] == len(states):
                    states.append(after)
        else:
            endings[termination] = endings.get(termination, 0) + 1
        successors.append(reached)
    movers = [twin.seat(settings, position) for position in states]
    plies, changed = 0, True
    while changed:
        plies += 1
        settled: dict[int, tuple[int, int]] = {}
        for here, reached in enumerate(successors):
            if values[here] is not None or not reached:
                continue
            after = [values[one] for one in reached]
            if (movers[here], plies - 1) in after:
                settled[here] = movers[here], plies
            elif all(value is not None and value[0] != movers[here] for value in after):
                settled[here] = 1 - movers[here], plies
        for here, value in settled.items():
            values[here] = value
        changed = bool(settled)
    start = values[0]
    return Truth(
        ("first", "second")[start[0]] if start else "draw",
        start[1] if start else None,
        len(states),
        sum(map(len, successors)),
        endings,
    )
