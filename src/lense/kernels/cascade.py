"""The independent cascade as reachability in live-edge worlds.

In world w each arc a is live with its probability p_a, independently. Which of v's arcs are live in w is decided by
the random stream (seed, w, v) alone, so a world is never stored: whoever visits v in w sees the same live arcs.
Live arcs are found by skipping: with rates l_a = -ln(1 - p_a), an exponential variate E passes over arcs while the
sum of their rates stays below E, and the arc where it ends is live. Over a run of k arcs of equal probability that
is one division (a geometric skip) instead of k draws, and a vertex without a live arc costs a single draw.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from lense.counter import GOLDEN, SILVER, exponential, mix
from lense.graph import Adjacency
from lense.types import Float32s, Float64s, Int32s, Int64s

# A sure arc (p = 1) has an infinite rate; any rate above the largest variate, 7.7 + ln 2^53 = 44.5, is as good.
_SURE_RATE = 64.0
BLOCKED = np.int32(np.iinfo(np.int32).max)


class LiveArcs(NamedTuple):
    """Arcs of each vertex in runs of equal probability.

    Run r of vertex v, ``run_ptr[v] <= r < run_ptr[v + 1]``, is the arcs to ``ends[run_arc[r]:run_arc[r + 1]]``, all of
    rate ``run_rate[r]``; ``total_rate[v]`` sums the rates of v's arcs.
    """

    run_ptr: Int64s
    run_arc: Int64s
    run_rate: Float64s
    ends: Int32s
    total_rate: Float64s

    @property
    def num_vertices(self) -> int:
        return self.total_rate.size


def live_arcs(adjacency: Adjacency) -> LiveArcs:
    """``adjacency``, whose weights are probabilities, arranged for skipping."""
    if adjacency.weights is None:
        raise ValueError("live arcs need probabilities")
    return LiveArcs(*_arrange_runs(adjacency.indptr, adjacency.indices, adjacency.weights))


@njit(cache=True, nogil=True)
def _arrange_runs(
    indptr: Int64s, indices: Int32s, weights: Float32s
) -> tuple[Int64s, Int64s, Float64s, Int32s, Float64s]:
    """Sort each row by probability, leave out arcs of probability 0, and mark the runs."""
    n = indptr.size - 1
    ends = np.empty(indices.size, np.int32)
    run_ptr = np.zeros(n + 1, np.int64)
    run_arc = np.zeros(indices.size + 1, np.int64)
    run_rate = np.empty(indices.size, np.float64)
    total_rate = np.zeros(n, np.float64)
    arc = 0
    run = 0
    for v in range(n):
        row = weights[indptr[v] : indptr[v + 1]]
        last = np.float32(-1.0)
        for i in np.argsort(row, kind="mergesort"):
            p = row[i]
            if p <= 0.0:
                continue
            if p != last:
                run_rate[run] = -np.log1p(-np.float64(p)) if p < 1.0 else _SURE_RATE
                run += 1
                last = p
            ends[arc] = indices[indptr[v] + i]
            arc += 1
            run_arc[run] = arc
            total_rate[v] += run_rate[run - 1]
        run_ptr[v + 1] = run
    return run_ptr, run_arc[: run + 1].copy(), run_rate[:run].copy(), ends[:arc].copy(), total_rate


class Scratch(NamedTuple):
    """Memory of one worker: ``queue`` (n + 1) holds a search's vertices in order, ``stamp`` (1) the search's number,
    ``mark`` (n) the last search that visited each vertex; a vertex marked ``BLOCKED`` is never entered."""

    queue: Int32s
    mark: Int32s
    stamp: Int32s


def new_scratch(num_vertices: int) -> Scratch:
    return Scratch(np.empty(num_vertices + 1, np.int32), np.zeros(num_vertices, np.int32), np.zeros(1, np.int32))


@njit(cache=True, nogil=True)
def begin_search(scratch: Scratch) -> int:
    """A stamp above that of every vertex not blocked."""
    if scratch.stamp[0] == BLOCKED - 1:
        for v in range(scratch.mark.size):
            if scratch.mark[v] != BLOCKED:
                scratch.mark[v] = 0
        scratch.stamp[0] = 0
    scratch.stamp[0] += 1
    return int(scratch.stamp[0])


@njit(cache=True, nogil=True)
def grow(live: LiveArcs, world: np.uint64, scratch: Scratch, tail: int) -> int:
    """Search on from the ``tail`` marked vertices at the head of the queue; the number then reached.

    ``world`` is the key of the world's streams. Vertices that carry the current stamp, or are blocked, are not entered.
    """
    return grow_into(live, world, scratch.queue, scratch.mark, scratch.stamp[0], 0, tail)


@njit(cache=True, nogil=True)
def grow_into(live: LiveArcs, world: np.uint64, queue: Int32s, mark: Int32s, stamp: int, head: int, tail: int) -> int:
    """As :func:`grow`, with ``queue[head:tail]`` to search on from and room for n + 1 behind ``head``; the new tail."""
    while head < tail:
        v = queue[head]
        head += 1
        word = world + np.uint64(v) * GOLDEN
        skip = exponential(mix(word))
        if skip >= live.total_rate[v]:
            continue
        for run in range(live.run_ptr[v], live.run_ptr[v + 1]):
            rate, at, end = live.run_rate[run], live.run_arc[run], live.run_arc[run + 1]
            while skip < rate * (end - at):
                at = min(at + np.int64(skip / rate), end - 1)  # the quotient may round up to the run's end
                w = live.ends[at]
                # whether w is new cannot be predicted, so it is written without a branch and kept or not
                queue[tail] = w
                tail += mark[w] < stamp
                mark[w] = max(mark[w], stamp)
                at += 1
                word += SILVER
                skip = exponential(mix(word))
            skip -= rate * (end - at)
    return tail
