"""Numbers of a few bits in arrays of bytes, one behind the other: how kernels pack states for the solver."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.jit import inlined


@inlined
def bits_for(most: int) -> int:
    """How many bits the numbers from 0 to ``most`` take."""
    bits = 0
    while most >> bits:
        bits += 1
    return bits


@inlined
def put_bits(packed: Any, at: int, bits: int, number: int) -> int:
    """Write the lowest ``bits`` of a number from bit ``at`` on, where all was 0; returns the bit behind them."""
    done = 0
    while done < bits:
        offset = (at + done) & 7
        taken = min(8 - offset, bits - done)
        part = (number >> done) & ((1 << taken) - 1)
        packed[(at + done) >> 3] = np.uint8(packed[(at + done) >> 3] | np.uint8(part << offset))
        done += taken
    return at + bits


@inlined
def get_bits(packed: Any, at: int, bits: int) -> Any:
    """Return the number of so many bits from bit ``at`` on; one of 64 bits has its sign."""
    number, done = np.int64(0), 0
    while done < bits:
        offset = (at + done) & 7
        taken = min(8 - offset, bits - done)
        part = (np.int64(packed[(at + done) >> 3]) >> np.int64(offset)) & np.int64((1 << taken) - 1)
        number |= part << np.int64(done)
        done += taken
    return number
