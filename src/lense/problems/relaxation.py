"""Bounds on what is left of a problem, by its linear relaxation or a concave program, and the vertices they decide.

The program is: maximise f(x) = p x - x A x / 2 over 0/1 vectors x of which at most k entries are 1. For its linear
relaxation see :mod:`lense.kernels.relaxation`. Programs small enough for a dense matrix are made concave: there
x_v = x_v^2, so for every d,

    f(x) = g(x) = (p + d / 2) x - x (A + diag(d)) x / 2.

If A + diag(d) has no negative eigenvalue, g is concave and lies below its tangent at any y:

    f(x) <= g(y) - g'(y) y + the sum of the k largest positive entries of g'(y)

*whatever y is*. The best y is found by an accelerated gradient method. d costs the bound d_v y_v (1 - y_v) / 2,
nothing where y_v is 0 or 1, so d is made large there and small elsewhere (quadratic convex reformulation, Billionnet et
al. 2009).
"""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lense._util.types import Bools, Float64s, Int8s
from lense.kernels.bounds import DROPPED, FORCED, LIVE, Pairs, narrowed
from lense.kernels.relaxation import (
    Cliques,
    climb,
    clique_work,
    descend,
    partition,
    reduced_profits,
    restricted,
    single_edges,
)

_FIRST_STEPS, _MOST_STEPS, _GROWTH = 10, 80, 1.3
_EDGE_SCALE, _CLIQUE_SCALE = 1.0, 3.0


@dataclass(frozen=True)
class Dual:
    """A constant and the ``left`` largest positive reduced profits q (n) make a bound; slopes are what led there."""

    slopes: Float64s
    bound: float
    reduced: Float64s
    left: int

    def decided(self, cutoff: float) -> Int8s:
        """The state (n) of each vertex, if only sets worth ``cutoff`` or more matter and ``bound`` is not below that.

        Let q_k be the k-th largest positive q, or 0 where there is none. A set that holds v, not among the first k, is
        worth at most bound - q_k + q_v. One without v, which is among them, is worth at most bound - q_v + q_(k+1).
        """
        top = _largest(self.reduced, self.left + 1)
        last = top[self.left - 1] if top.size >= self.left else 0.0
        following = top[self.left] if top.size > self.left else 0.0
        slack = self.bound - cutoff
        state = np.full(self.reduced.size, LIVE)
        state[self.reduced < last - slack] = DROPPED
        state[self.reduced > following + slack] = FORCED
        return state


def bound_by(constant: float, reduced: Float64s, left: int, slopes: Float64s) -> Dual:
    """The bound that a constant and reduced profits (n) make."""
    bound = constant + float(_largest(reduced, left).sum()) if left else 0.0
    return Dual(slopes, bound, reduced, left)


class Relaxation:
    """A falling bound on what at most ``left`` vertices of ``pairs`` are worth; see :mod:`lense.kernels.relaxation`.

    The bound of ``dual`` holds at any time. ``x`` is about the best choice, in parts of vertices. ``work`` counts the
    entries looked at.
    """

    def __init__(self, pairs: Pairs, left: int) -> None:
        self.pairs, self.left = pairs, left
        self.x = np.zeros(pairs.profit.size)
        self.work = 0.0
        self.is_bundled = False
        self._start(single_edges(pairs), _EDGE_SCALE)

    def bundle(self) -> None:
        """Bundle the edges into cliques, and start again from no slopes; the bound of before is forgotten."""
        self.work += clique_work(self.pairs)
        self.is_bundled = True
        self._start(partition(self.pairs), _CLIQUE_SCALE)

    def _start(self, cliques: Cliques, scale: float) -> None:
        self.cliques = cliques
        self.slopes = np.zeros(cliques.price.size)
        self.scale = scale * float(cliques.price.mean()) if cliques.price.size else 1.0
        self.steps = float(_FIRST_STEPS)
        self.dual = self._at(self.slopes)

    @property
    def bound(self) -> float:
        return self.dual.bound

    def descend(self) -> None:
        """A few steps, more from one call to the next; the bound never rises."""
        steps = int(self.steps)
        self.steps = min(self.steps * _GROWTH, _MOST_STEPS)
        self.work += (steps + 2) * (self.cliques.members.size + self.x.size)
        mean_x, mean_slopes = descend(
            self.pairs.profit, self.cliques, self.left, self.x, self.slopes, self.scale, steps
        )
        at_end, at_mean = self._at(self.slopes), self._at(mean_slopes)
        if at_mean.bound < at_end.bound:
            self.x, self.slopes = mean_x, mean_slopes
        self.dual = min(self.dual, at_end, at_mean, key=lambda dual: dual.bound)

    def _at(self, slopes: Float64s) -> Dual:
        return bound_by(*reduced_profits(self.pairs.profit, self.cliques, slopes), self.left, slopes.copy())

    def supposing(self, v: int, state: np.int8) -> "Relaxation":
        """A copy in which vertex ``v`` is dropped or forced; its bound leaves out what a forced ``v`` is worth."""
        other = copy(self)
        other.slopes, other.work, other.steps = self.dual.slopes, 0.0, float(_FIRST_STEPS)
        states = np.full(self.x.size, LIVE)
        states[v] = state
        other.narrow(states)
        return other

    def narrow(self, state: Int8s) -> None:
        """Keep the vertices that are live in ``state`` alone; the bound is on what they add to those forced."""
        alive: Bools = state == LIVE
        forced: Bools = state == FORCED
        place = np.where(alive, np.cumsum(alive) - 1, -1).astype(np.int32)
        self.left -= int(np.count_nonzero(forced))
        self.pairs = narrowed(self.pairs, state)
        best = restricted(self.cliques, self.dual.slopes, place, forced)[1]
        self.cliques, self.slopes = restricted(self.cliques, self.slopes, place, forced)
        self.x = self.x[alive]
        self.dual = self._at(best)


def _largest(values: Float64s, count: int) -> Float64s:
    """The ``count`` >= 1 largest positive values, or all of them where they are fewer, in falling order."""
    positive = values[values > 0]
    if positive.size > count:
        positive = np.partition(positive, positive.size - count)[positive.size - count :]
    return np.sort(positive)[::-1]


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
