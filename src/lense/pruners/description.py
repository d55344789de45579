"""What a graph looks like to a calibration: a few numbers, much the same on small and on large graphs of a kind.

They need the vertex arrays and one pass over the weights. Graphs whose numbers are outside the range of all that a
calibration knows are unlike them, and what it says need not hold there.
"""

from math import log

import numpy as np

from lense._util.types import AnyArray, Float32s, Float64s

NAMES = ("hubs", "largest", "spread", "chance")
MARGINS = np.array([0.05, 0.25, log(2), log(2)])
"""How far outside the range a graph may lie: about as far as one of the six train graphs lies from the other five."""
_LESS_AND_MORE = (
    ("more of its edges are at the largest vertices", "fewer of its edges are at the largest vertices"),
    ("its largest vertices are more alike", "one vertex is far larger than the others"),
    ("its weights differ less", "its weights differ more"),
    ("its arcs have lower probabilities", "its arcs have higher probabilities"),
)


def describe_values(
    values: AnyArray, count: int, weights: Float32s | None = None, *, are_chances: bool = False
) -> Float64s:
    """(4), from the degree or out-weight (n) of each vertex, of which N are not 0, and the weights of the arcs, if any.

    - hubs: h, where the b = ``count`` largest have the share (b / N)^h of the whole; 1 where all are the same
    - largest: log(x_1 / x_b) / log b, where x_1 is the largest value and x_b the b-th or the mean, if that is larger
    - spread: log of the mean square of the weights over the square of their mean; 0 where all are the same
    - chance: log of the mean weight, where weights are chances; 0 where only their proportions count
    """
    n, whole = max(int(np.count_nonzero(values)), 1), float(values.sum(dtype=np.float64))
    if whole <= 0:
        return np.zeros(len(NAMES))
    count = min(count, values.size)
    top = np.partition(values, values.size - count)[values.size - count :].astype(np.float64)
    hubs = log(whole / top.sum()) / log(max(n / count, 2.0))
    largest = log(top.max() / max(top.min(), whole / n)) / log(max(count, 2))
    mean = 0.0 if weights is None else float(weights.mean(dtype=np.float64))
    if weights is None or mean <= 0:
        return np.array([hubs, largest, 0.0, 0.0])
    spread = log(float(np.square(weights / np.float32(mean)).mean(dtype=np.float64)))
    return np.array([hubs, largest, spread, log(mean) if are_chances else 0.0])


def differences(described: Float64s, known: Float64s) -> list[str]:
    """In words, how a graph differs from all R graphs that are ``known`` (R, 4); from none it does not."""
    if not len(known):
        return []
    low, high = known.min(axis=0) - MARGINS, known.max(axis=0) + MARGINS
    return [
        words[int(value > most)]
        for words, value, least, most in zip(_LESS_AND_MORE, described, low, high, strict=True)
        if value < least or value > most
    ]
