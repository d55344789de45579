"""Counter-based random numbers for kernels: a stream is a hash of its coordinates, not of who ran before.

Whoever draws number i of stream (seed, a, b) gets the same bits, whatever the threads or the order of the draws.
The mixer is the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
"""

import numpy as np
from numba import njit

# Odd steps along two axes of a stream: word i of substream j is key + j * GOLDEN + i * SILVER, then mixed.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
SILVER = np.uint64(0xD1B54A32D192ED03)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S12 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(12)
_UNIT = 2.0**-52


@njit(cache=True, nogil=True, inline="always")
def mix(x: np.uint64) -> np.uint64:
    """A bijection of 64-bit words whose output bits all depend on every input bit."""
    x = (x ^ (x >> _S30)) * _M1
    x = (x ^ (x >> _S27)) * _M2
    return x ^ (x >> _S31)


@njit(cache=True, nogil=True, inline="always")
def substream(key: np.uint64, index: int) -> np.uint64:
    """The key of stream number ``index`` below ``key``."""
    return mix(key + (np.uint64(index) + np.uint64(1)) * GOLDEN)


@njit(cache=True, nogil=True, inline="always")
def uniform(word: np.uint64) -> float:
    """A random word as a number strictly between 0 and 1."""
    return (np.float64(word >> _S12) + 0.5) * _UNIT


def seed_from(rng: np.random.Generator) -> np.uint64:
    """A stream key drawn from ``rng``."""
    return np.uint64(rng.integers(0, 2**64, dtype=np.uint64))
