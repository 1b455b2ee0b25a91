"""The order in which a search tries moves, and the random order among equals that it begins with."""

from __future__ import annotations

from typing import Any

from workbench.engine.jit import inlined, njit
from workbench.engine.rng import below


@njit
def shuffle(moves: Any, n: int, rng: Any) -> None:
    """Bring ``moves[:n]`` into a random order, each equally likely."""
    for i in range(n - 1, 0, -1):
        j = below(rng, i + 1)
        moves[i], moves[j] = moves[j], moves[i]


@inlined
def bring_best_forward(moves: Any, values: Any, i: int, n: int) -> None:
    """Swaps the move of the highest value among ``moves[i:n]`` to place i; the first among equals."""
    best = i
    for j in range(i + 1, n):
        if values[j] > values[best]:
            best = j
    moves[i], moves[best] = moves[best], moves[i]
    values[i], values[best] = values[best], values[i]


@njit
def sort_best_first(moves: Any, values: Any, n: int) -> None:
    """Sort moves by falling value; equals keep their order."""
    for i in range(1, n):
        move, value = moves[i], values[i]
        j = i - 1
        while j >= 0 and values[j] < value:
            moves[j + 1], values[j + 1] = moves[j], values[j]
            j -= 1
        moves[j + 1], values[j + 1] = move, value
