"""In how few bits the solver keeps the words of a state, where a family has no packing of its own.

A word is kept within the limits between which it was seen; what never changes takes no bits. A state beyond these
limits makes the layout wider, at least twofold for the word that left them, so this happens seldom.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_WIDEST = 62
"""Bits of a word that is kept within limits; one that needs more is kept as it is."""


def fit_layout(states: Any) -> Any:
    """The layout (int64, words x 3; see `workbench.engine.solver`) in which some states fit, a row each."""
    first = states[0]
    layout = np.stack([first, first, np.zeros_like(first)], axis=1)
    for state in (states.min(axis=0), states.max(axis=0)):
        layout = widen_layout(layout, state)
    return layout


def widen_layout(layout: Any, state: Any) -> Any:
    """The layout with room for a state, too."""
    lines = zip(layout.tolist(), state.tolist(), strict=True)
    return np.array([_widen_range(low, high, bits, word) for (low, high, bits), word in lines], np.int64)


def packed_bytes(layout: Any) -> int:
    """The bytes of a state."""
    return int(layout[:, 2].sum() + 7) // 8


def _widen_range(low: int, high: int, bits: int, word: int) -> tuple[int, int, int]:
    """The limits and the bits of a word that may have one more value; the room grows towards that value."""
    while not low <= word <= high:
        bits += 1
        if word > high:
            high = low + (1 << bits) - 1
        else:
            low = high - (1 << bits) + 1
        if bits > _WIDEST or low < _LEAST or high > _MOST:
            return _LEAST, _MOST, 64
    return low, high, bits
