"""Counter-based random numbers for kernels: a stream depends on its coordinates alone, not on earlier draws.

Number i of stream (seed, a, b) always has the same bits, whatever the threads or the order of the draws.
The mixer is the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
"""

import math

import numpy as np
from numpy.typing import NDArray

from lense._util.jit import kernel
from lense._util.types import Float64s

# Odd steps along two axes of a stream: word i of substream j is key + j * GOLDEN + i * SILVER, then mixed.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
SILVER = np.uint64(0xD1B54A32D192ED03)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31 = np.uint64(27), np.uint64(30), np.uint64(31)
_S11, _S12, _S255 = np.uint64(11), np.uint64(12), np.uint64(255)
_UNIT = 2.0**-52


@kernel(inline="always")
def mix(x: np.uint64) -> np.uint64:
    """A bijection of 64-bit words whose output bits all depend on every input bit."""
    x = (x ^ (x >> _S30)) * _M1
    x = (x ^ (x >> _S27)) * _M2
    return x ^ (x >> _S31)


@kernel(inline="always")
def substream(key: np.uint64, index: int) -> np.uint64:
    """The key of stream number ``index`` below ``key``."""
    return mix(key + (np.uint64(index) + np.uint64(1)) * GOLDEN)


@kernel(inline="always")
def uniform(word: np.uint64) -> float:
    """A random word as a number strictly between 0 and 1."""
    return (np.float64(word >> _S12) + 0.5) * _UNIT


def _ziggurat() -> tuple[Float64s, NDArray[np.uint64], Float64s]:
    """Tables of 256 layers of equal area under e^-x (Marsaglia and Tsang 2000): (scale, sure, height).

    Layer i >= 1 reaches to x_i, layer 0 to x_1 and on into the tail; m < 2^53 stands for x = scale[i] * m, which lies
    under the curve for certain if m < sure[i]; height[i] = e^-x_i.
    """
    area = (_TAIL + 1.0) * math.exp(-_TAIL)
    reach = [area / math.exp(-_TAIL), _TAIL]
    while len(reach) < 256:
        reach.append(-math.log(math.exp(-reach[-1]) + area / reach[-1]))
    edges = np.array([*reach, 0.0])
    sure = np.floor(edges[1:] / edges[:-1] * 2.0**53).astype(np.uint64)
    return edges[:-1] * 2.0**-53, sure, np.exp(-edges)


_TAIL = 7.697117470131050  # where 256 layers close at the top of the curve
_SCALE, _SURE, _HEIGHT = _ziggurat()


@kernel(inline="always")
def exponential(word: np.uint64) -> float:
    """A random word as an exponential variate of mean 1; one comparison nearly always, and no logarithm."""
    layer, m = word & _S255, word >> _S11
    if m < _SURE[layer]:
        return float(np.float64(m) * _SCALE[layer])
    return _unsure_exponential(word)


@kernel
def _unsure_exponential(word: np.uint64) -> float:
    while True:
        layer, m = word & _S255, word >> _S11
        x = float(np.float64(m) * _SCALE[layer])
        if m < _SURE[layer]:
            return x
        word = mix(word + GOLDEN)
        if layer == 0:
            return _TAIL - math.log(uniform(word))
        low, high = _HEIGHT[layer], _HEIGHT[layer + np.uint64(1)]
        if low + uniform(word) * (high - low) < math.exp(-x):
            return x
        word = mix(word + GOLDEN)


def seed_from(rng: np.random.Generator) -> np.uint64:
    """A stream key drawn from ``rng``."""
    return np.uint64(rng.integers(0, 2**64, dtype=np.uint64))
