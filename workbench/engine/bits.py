"""Bits of 64-bit words, and the packing of small numbers into arrays of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from workbench.engine.jit import inline_ir


@intrinsic
def _popcount(typingctx: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), codegen


@intrinsic
def _lowest(typingctx: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@intrinsic
def _highest(typingctx: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))
        return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

    return types.int64(types.int64), codegen


def popcount(word: int) -> int:
    """Return the number of set bits of a 64-bit word."""
    return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_count()


def lowest(word: int) -> int:
    """Return the index of the lowest set bit of a word that is not zero."""
    word = int(word) & 0xFFFFFFFFFFFFFFFF
    return (word & -word).bit_length() - 1


def highest(word: int) -> int:
    """Return the index of the highest set bit of a word that is not zero."""
    return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_length() - 1


# Numba compares the signatures of an overload and of its implementation, annotations included: these have none.
@overload(popcount, inline="always")
def _popcount_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: _popcount(np.int64(word))


@overload(lowest, inline="always")
def _lowest_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: _lowest(np.int64(word))


@overload(highest, inline="always")
def _highest_compiled(word):  # type: ignore[no-untyped-def]
    return lambda word: _highest(np.int64(word))


@inline_ir
def bits_for(most: int) -> int:
    """How many bits the numbers from 0 to ``most`` take."""
    bits = 0
    while most >> bits:
        bits += 1
    return bits


@inline_ir
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


@inline_ir
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
