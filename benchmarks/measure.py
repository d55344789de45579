"""Times of several ways to do the same thing, measured in one run."""

import math
from collections.abc import Callable, Sequence
from time import perf_counter

SEED = 1
"""The seed of all random numbers in the benchmarks."""


TURN = 0.05
"""Seconds that a side's turn takes at least. A quick side runs several times, so that its caches are as warm."""


def best_times(turns: int, *sides: Callable[[], object], clock: Callable[[], float] | None = None) -> list[float]:
    """The least time of each side, in seconds; they take turns, so that a busy moment of the machine affects all."""
    rounds = [[_best_of_turn(side, clock or perf_counter) for side in sides] for _ in range(turns)]
    return [min(times) for times in zip(*rounds, strict=True)]


def _best_of_turn(side: Callable[[], object], clock: Callable[[], float]) -> float:
    best, begin = math.inf, clock()
    start = begin
    while True:
        side()
        end = clock()
        best = min(best, end - start)
        if end - begin >= TURN:
            return best
        start = end


def log_log_slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The exponent s of the law value = c * size^s that fits best in logarithms; 1 is linear growth."""
    x = [math.log(size) for size in sizes]
    y = [math.log(value) for value in values]
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    covariance = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return covariance / math.fsum((a - mean_x) ** 2 for a in x)
