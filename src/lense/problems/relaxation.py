"""The linear relaxation of what is left of a problem, and the vertices that its bound decides."""

from copy import copy
from dataclasses import dataclass

import numpy as np

from lense._util.types import Bools, Float64s, Int8s
from lense.kernels.bounds import DROPPED, FORCED, LIVE, Pairs, narrowed
from lense.kernels.cliques import Cliques, clique_work, partition, restricted, single_edges
from lense.kernels.relaxation import descend, reduced_profits

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
