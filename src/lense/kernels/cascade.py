"""Cascades as reachability in live-edge worlds: the search, and which arcs are live in the independent cascade.

In world w each arc a is live with its probability p_a, independently. Which of v's arcs are live in w is decided by
the random stream (seed, w, v) alone, so a world is never stored: every visit to v in w sees the same live arcs.
Live arcs are found by skipping: with rates l_a = -ln(1 - p_a), an exponential variate E passes over arcs while the
sum of their rates stays below E, and the arc where it ends is live. Over a run of k arcs of equal probability that
is one division (a geometric skip) instead of k draws, and a vertex without a live arc costs a single draw. The linear
threshold model has other live arcs (:mod:`lense.kernels.threshold`), and the compiler chooses by the type of the arcs.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from lense._util.jit import kernel
from lense._util.random_streams import GOLDEN, SILVER, exponential, mix
from lense._util.types import AnyArray, Bools, Float32s, Int32s, Int64s
from lense.kernels.adjacency import Adjacency
from lense.kernels.threshold import PickedArcs, PickingArcs, enter_picked, enter_picking

# A sure arc (p = 1) has an infinite rate; any rate above the largest variate, 7.7 + ln 2^53 = 44.5, is as good.
_SURE_RATE = 64.0
BLOCKED = np.int32(np.iinfo(np.int32).max)


VERTEX = np.dtype([("rate", np.float64), ("first_run", np.int64), ("end_run", np.int64)])
RUN = np.dtype([("rate", np.float64), ("per_rate", np.float64), ("first_arc", np.int64), ("end_arc", np.int64)])


class LiveArcs(NamedTuple):
    """Arcs of each vertex in runs of equal probability; what is read together lies together.

    ``vertices[v]`` holds the sum of the rates of v's arcs and the range of its runs, ``runs[r]`` the rate of each of
    the run's arcs, 1 / rate, and the range of arcs, which lead to ``ends[first_arc:end_arc]``.
    """

    vertices: AnyArray
    runs: AnyArray
    ends: Int32s

    @property
    def num_vertices(self) -> int:
        return self.vertices.size


Arcs = LiveArcs | PickingArcs | PickedArcs
"""Arcs to search along, of either model."""


def live_arcs(adjacency: Adjacency) -> LiveArcs:
    """``adjacency``, whose weights are probabilities, arranged for skipping."""
    if adjacency.weights is None:
        raise ValueError("live arcs need probabilities")
    vertices = np.zeros(adjacency.indptr.size - 1, VERTEX)
    runs = np.zeros(adjacency.indices.size, RUN)
    ends = np.empty(adjacency.indices.size, np.int32)
    num_runs, num_arcs = _arrange_runs(adjacency.indptr, adjacency.indices, adjacency.weights, vertices, runs, ends)
    return LiveArcs(vertices, runs[:num_runs].copy(), ends[:num_arcs].copy())


@kernel
def _arrange_runs(
    indptr: Int64s, indices: Int32s, weights: Float32s, vertices: AnyArray, runs: AnyArray, ends: Int32s
) -> tuple[int, int]:
    """Sort each row by probability, leave out arcs of probability 0, and mark the runs; how many runs and arcs."""
    arc = 0
    run = 0
    for v in range(vertices.size):
        row = weights[indptr[v] : indptr[v + 1]]
        vertices[v].first_run = run
        last = np.float32(-1.0)
        for i in np.argsort(row, kind="mergesort"):
            p = row[i]
            if p <= 0.0:
                continue
            if p != last:
                runs[run].rate = -np.log1p(-np.float64(p)) if p < 1.0 else _SURE_RATE
                runs[run].per_rate = 1.0 / runs[run].rate
                runs[run].first_arc = arc
                run += 1
                last = p
            ends[arc] = indices[indptr[v] + i]
            arc += 1
            runs[run - 1].end_arc = arc
            vertices[v].rate += runs[run - 1].rate
        vertices[v].end_run = run
    return run, arc


class Scratch(NamedTuple):
    """Memory of one worker: ``queue`` (n + 1) holds a search's vertices in order, ``stamp`` (1) the search's number,
    ``mark`` (n) the last search that visited each vertex; a vertex marked ``BLOCKED`` is never entered."""

    queue: Int32s
    mark: Int32s
    stamp: Int32s


def new_scratch(num_vertices: int) -> Scratch:
    return Scratch(np.empty(num_vertices + 1, np.int32), np.zeros(num_vertices, np.int32), np.zeros(1, np.int32))


@kernel
def begin_search(scratch: Scratch) -> int:
    """A stamp above that of every vertex not blocked."""
    if scratch.stamp[0] == BLOCKED - 1:
        for v in range(scratch.mark.size):
            if scratch.mark[v] != BLOCKED:
                scratch.mark[v] = 0
        scratch.stamp[0] = 0
    scratch.stamp[0] += 1
    return int(scratch.stamp[0])


@kernel
def grow(live: Arcs, world: np.uint64, scratch: Scratch, tail: int) -> int:
    """Search on from the ``tail`` marked vertices at the head of the queue; the number then reached.

    ``world`` is the key of the world's streams. Vertices that carry the current stamp, or are blocked, are not entered.
    """
    return grow_into(live, world, scratch.queue, scratch.mark, scratch.stamp[0], 0, tail)


@kernel
def grow_into(live: Arcs, world: np.uint64, queue: Int32s, mark: Int32s, stamp: int, head: int, tail: int) -> int:
    """As :func:`grow`, with ``queue[head:tail]`` to search on from and room for n + 1 behind ``head``; the new tail."""
    # unsigned positions spare numba the test for negative ones, which is felt in a loop this tight
    front, back = np.uint64(head), np.uint64(tail)
    one = np.uint64(1)
    while front < back:
        back = _entered(live, world, np.uint64(queue[front]), queue, mark, stamp, back)
        front += one
    return np.int64(back)  # type: ignore[return-value]  # numba's int() would leave it unsigned


@kernel
def grow_until(
    live: Arcs,
    world: np.uint64,
    queue: Int32s,
    mark: Int32s,
    stamp: int,
    head: int,
    tail: int,
    wanted: Bools,
    enough: int,
) -> int:
    """As :func:`grow_into`, but -1 as soon as ``enough`` of the vertices reached are ``wanted`` (n)."""
    front, back = np.uint64(head), np.uint64(tail)
    one = np.uint64(1)
    while front < back:
        v = np.uint64(queue[front])
        enough -= wanted[v]
        if enough <= 0:
            return -1
        back = _entered(live, world, v, queue, mark, stamp, back)
        front += one
    return np.int64(back)  # type: ignore[return-value]


def _entered(
    live: Arcs, world: np.uint64, v: np.uint64, queue: Int32s, mark: Int32s, stamp: int, back: np.uint64
) -> np.uint64:
    """Put what ``v`` reaches by live arcs, and has no stamp yet, into the queue from ``back`` on; the new end of it."""
    raise NotImplementedError("this is for compiled callers alone")


@overload(_entered, inline="always")
def _choose_by_type(
    live: Any, world: Any, v: Any, queue: Any, mark: Any, stamp: Any, back: Any
) -> Callable[..., np.uint64]:
    kinds: dict[type, Callable[..., np.uint64]] = {
        LiveArcs: _enter_live,
        PickingArcs: enter_picking,
        PickedArcs: enter_picked,
    }
    enter = kinds[live.instance_class]

    def entered(
        live: Any, world: Any, v: Any, queue: Any, mark: Any, stamp: Any, back: Any
    ) -> np.uint64:  # what numba compiles in place of the call
        return enter(live, world, v, queue, mark, stamp, back)

    return entered


@kernel(inline="always")
def _enter_live(
    live: LiveArcs, world: np.uint64, v: np.uint64, queue: Int32s, mark: Int32s, stamp: int, back: np.uint64
) -> np.uint64:
    """Put what ``v`` reaches by live arcs, and has no stamp yet, into the queue from ``back`` on; the new end of it."""
    word = world + v * GOLDEN
    skip = exponential(mix(word))
    vertex = live.vertices[v]
    if skip < vertex.rate:
        for r in range(np.uint64(vertex.first_run), np.uint64(vertex.end_run)):
            run = live.runs[r]
            rate, at, end = run.rate, run.first_arc, run.end_arc
            while skip < rate * (end - at):
                at = min(at + np.int64(skip * run.per_rate), end - 1)  # the product may round up to the run's end
                w = np.uint64(live.ends[np.uint64(at)])
                # whether w is new cannot be predicted, so it is written without a branch and kept or not
                queue[back] = w
                back += np.uint64(mark[w] < stamp)
                mark[w] = max(mark[w], stamp)
                at += 1
                word += SILVER
                skip = exponential(mix(word))
            skip -= rate * (end - at)
    return back
