"""A bound on a quadratic program by making it concave, for programs small enough for a dense matrix.

The program is: maximise f(x) = p x - x A x / 2 over 0/1 vectors x of which at most k entries are 1. There
x_v = x_v^2, so for every d,

    f(x) = g(x) = (p + d / 2) x - x (A + diag(d)) x / 2.

If A + diag(d) has no negative eigenvalue, g is concave and lies below its tangent at any y:

    f(x) <= g(y) - g'(y) y + the sum of the k largest positive entries of g'(y)

*whatever y is*. The best y is found by an accelerated gradient method. d costs the bound d_v y_v (1 - y_v) / 2,
nothing where y_v is 0 or 1, so d is made large there and small elsewhere (quadratic convex reformulation, Billionnet et
al. 2009).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lense._util.types import Float64s
from lense.kernels.bounds import LIVE, Pairs
from lense.kernels.convex import climb
from lense.problems.relaxation import Dual, bound_by

_TRIALS, _STEPS = 4, 150
_SOFTNESS = 0.02
_SAFETY = 1e-9
_MANY = 0.2


class Tangent(NamedTuple):
    """Where the tangent touches (n), and what it proves."""

    x: Float64s
    dual: Dual


def convex_work(size: int) -> float:
    """About how long :func:`convex_bound` takes for so many vertices, in entries of a sparse matrix looked at."""
    return (1 + _TRIALS) * (size**3 / 30 + _STEPS * size**2 / 8)


def convex_bound(pairs: Pairs, left: int, start: Float64s, cutoff: float) -> Tangent:
    """The best tangent found from ``start`` (n), or the first that decides about many vertices.

    Only sets worth ``cutoff`` or more matter.
    """
    best: Tangent | None = None
    for tangent in _tangents(pairs, left, start):
        if best is None or tangent.dual.bound < best.dual.bound:
            best = tangent
        if best.dual.bound < cutoff or (best.dual.decided(cutoff) != LIVE).mean() > _MANY:
            break
    assert best is not None
    return best


def _tangents(pairs: Pairs, left: int, start: Float64s) -> Iterator[Tangent]:
    n = pairs.profit.size
    matrix = np.zeros((n, n))
    matrix[np.repeat(np.arange(n), np.diff(pairs.indptr)), pairs.indices] = pairs.cost
    tangent = _touching(pairs.profit, matrix, _diagonal(matrix, np.ones(n)), left, start)
    yield tangent
    middle = tangent.x
    for _ in range(_TRIALS):
        scale = (middle * (1 - middle) + _SOFTNESS) ** -0.5
        tangent = _touching(pairs.profit, matrix, _diagonal(matrix, scale), left, tangent.x)
        yield tangent
        middle = (middle + tangent.x) / 2


def _diagonal(matrix: Float64s, scale: Float64s) -> Float64s:
    """The least multiple of ``scale`` (n) that leaves no negative eigenvalue, and a little more against rounding."""
    root = scale**-0.5
    eigenvalues = np.linalg.eigvalsh(matrix * root[:, None] * root)
    least = -eigenvalues[0] + _SAFETY * np.abs(eigenvalues).max()
    diagonal: Float64s = least * scale
    return diagonal


def _touching(profit: Float64s, matrix: Float64s, diagonal: Float64s, left: int, start: Float64s) -> Tangent:
    """The tangent at about the largest g(x) with 0 <= x <= 1 and sum at most ``left``."""
    gain, concave = profit + diagonal / 2, matrix + np.diag(diagonal)
    # no eigenvalue is above the largest sum of a row; all are 0 where nothing costs anything
    x = climb(gain, concave, left, start, float(concave.sum(1).max()) or 1.0, _STEPS)
    steepness = concave @ x
    # g(x) - g'(x) x = x (A + diag(d)) x / 2
    return Tangent(x, bound_by(float(x @ steepness) / 2, gain - steepness, left, np.empty(0)))
