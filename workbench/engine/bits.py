"""Operations on the bits of 64-bit words, and packing of small numbers into byte arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from workbench.engine.jit import inline_ir


def popcount(word: int) -> int:
    """Return the number of set bits in a 64-bit word."""
    return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_count()


def lowest(word: int) -> int:
    """Return the index of the lowest set bit of a nonzero word."""
    word = int(word) & 0xFFFFFFFFFFFFFFFF
    return (word & -word).bit_length() - 1


def highest(word: int) -> int:
    """Return the index of the highest set bit of a nonzero word."""
    return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_length() - 1


def _compile_as(function: Any, emit: Callable[[Any, Any], Any]) -> None:
    """Make compiled code replace calls to ``function`` with the instructions that ``emit(builder, word)`` adds."""

    @intrinsic
    def instruction(typingctx: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return emit(builder, arguments[0])

        return types.int64(types.int64), codegen

    # Numba compares the annotated signatures of an overload and its implementation, so both are left unannotated.
    @overload(function, inline="always")
    def compiled(word):  # type: ignore[no-untyped-def]
        return lambda word: instruction(np.int64(word))


_compile_as(popcount, lambda builder, word: builder.ctpop(word))
_compile_as(lowest, lambda builder, word: builder.cttz(word, ir.Constant(ir.IntType(1), 1)))
_compile_as(
    highest,
    lambda builder, word: builder.sub(
        ir.Constant(ir.IntType(64), 63), builder.ctlz(word, ir.Constant(ir.IntType(1), 1))
    ),
)


@inline_ir
def bits_for(maximum: int) -> int:
    """Return the number of bits needed for whole numbers from 0 to ``maximum``."""
    bits = 0
    while maximum >> bits:
        bits += 1
    return bits


@inline_ir
def put_bits(packed: Any, start: int, bits: int, number: int) -> int:
    """Write the lowest ``bits`` bits of a number at bit ``start``, where bits must be 0; return the next position."""
    written = 0
    while written < bits:
        shift = (start + written) & 7
        width = min(8 - shift, bits - written)
        part = (number >> written) & ((1 << width) - 1)
        packed[(start + written) >> 3] = np.uint8(packed[(start + written) >> 3] | np.uint8(part << shift))
        written += width
    return start + bits


@inline_ir
def get_bits(packed: Any, start: int, bits: int) -> Any:
    """Return the number stored in the ``bits`` bits that start at bit ``start``; a 64-bit number is signed."""
    number, read = np.int64(0), 0
    while read < bits:
        shift = (start + read) & 7
        width = min(8 - shift, bits - read)
        part = (np.int64(packed[(start + read) >> 3]) >> np.int64(shift)) & np.int64((1 << width) - 1)
        number |= part << np.int64(read)
        read += width
    return number
