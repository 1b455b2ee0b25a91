"""Random numbers that are the same with and without machine code: SplitMix64 in an array of one word.

Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; bounded
draws: D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.jit import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32, S11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32), np.uint64(11)
LOW_32 = np.uint64(0xFFFFFFFF)
UNIT = 1.0 / 9007199254740992.0
"""2 to the power of -53."""


@njit
def mix(word: np.uint64) -> np.uint64:
    """Return a hash of a 64-bit word: SplitMix64's finaliser."""
    word = (word ^ (word >> S30)) * MIX_1
    word = (word ^ (word >> S27)) * MIX_2
    return word ^ (word >> S31)


@njit
def draw(rng: Any) -> np.uint64:
    """Return the next 64 random bits; ``rng`` is a uint64 array of one word."""
    rng[0] = rng[0] + GOLDEN
    return mix(rng[0])


@njit
def below(rng: Any, n: int) -> int:
    """Return a uniformly distributed whole number from 0 to n - 1; 1 <= n < 2**32."""
    bound = np.uint64(n)
    product = (draw(rng) >> S32) * bound
    if (product & LOW_32) < bound:
        threshold = (LOW_32 + np.uint64(1) - bound) % bound
        while (product & LOW_32) < threshold:
            product = (draw(rng) >> S32) * bound
    return np.int64(product >> S32)


@njit
def unit(word: np.uint64) -> float:
    """Map 64 random bits to a number in [0, 1)."""
    return np.float64(word >> S11) * UNIT


def random_words(count: int, seed: int) -> Any:
    """Return ``count`` random int64 words for hash tables: equal in every process, and generated without a compiler."""
    words = np.uint64(seed) + GOLDEN * np.arange(1, count + 1, dtype=np.uint64)
    words = (words ^ (words >> S30)) * MIX_1
    words = (words ^ (words >> S27)) * MIX_2
    return (words ^ (words >> S31)).view(np.int64)
