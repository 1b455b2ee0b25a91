"""Bits of 64-bit words, and the packing of small numbers into arrays of bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from workbench.engine.jit import inline_ir


def popcount(word: int) -> int:
    """Return the number of set bits of a 64-bit word."""
    return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_count()


def lowest(word: int) -> int:
    """Return the index of the lowest set bit of a nonzero word."""
    word = int(word) & 0xFFFFFFFFFFFFFFFF
    return (word & -word).bit_length() - 1


def highest(word: int) -> int:
    """Return the index of the highest set bit of a nonzero word."""
    return (int(word) & 0xFFFFFFFFFFFFFFFF).bit_length() - 1


def _compile_as(function: Any, emit: Callable[[Any, Any], Any]) -> None:
    """Compile a function of a word as the instructions that ``emit(builder, word)`` adds."""

    @intrinsic
    def instruction(typingctx: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return emit(builder, arguments[0])

        return types.int64(types.int64), codegen

    # Numba compares the signatures of an overload and of its implementation, annotations included: these have none.
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
def bits_for(most: int) -> int:
    """Return the number of bits of the numbers from 0 to ``most``."""
    bits = 0
    while most >> bits:
        bits += 1
    return bits


@inline_ir
def put_bits(packed: Any, at: int, bits: int, number: int) -> int:
    """Write the lowest ``bits`` of a number at bit ``at``, where all bits are 0; return the next bit."""
    done = 0
    while done < bits:
        offset = (at + done) & 7
        width = min(8 - offset, bits - done)
        part = (number >> done) & ((1 << width) - 1)
        packed[(at + done) >> 3] = np.uint8(packed[(at + done) >> 3] | np.uint8(part << offset))
        done += width
    return at + bits


@inline_ir
def get_bits(packed: Any, at: int, bits: int) -> Any:
    """Return the number of ``bits`` bits at bit ``at``; a number of 64 bits is signed."""
    number, done = np.int64(0), 0
    while done < bits:
        offset = (at + done) & 7
        width = min(8 - offset, bits - done)
        part = (np.int64(packed[(at + done) >> 3]) >> np.int64(offset)) & np.int64((1 << width) - 1)
        number |= part << np.int64(done)
        done += width
    return number
