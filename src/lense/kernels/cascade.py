"""Cascades as reachability in live-edge worlds, under the independent cascade or the linear threshold model.

*Independent cascade*: in world w each arc a is live with its probability p_a, independently. Which of v's arcs are live
in w is decided by the random stream (seed, w, v) alone, so a world is never stored: every visit to v in w sees the same
live arcs. Live arcs are found by skipping: with rates l_a = -ln(1 - p_a), an exponential variate E passes over arcs
while the sum of their rates stays below E, and the arc where it ends is live. Over a run of k arcs of equal probability
that is one division (a geometric skip) instead of k draws, and a vertex without a live arc costs a single draw.

*Linear threshold* (Kempe, Kleinberg and Tardos 2003): in world w each vertex v picks at most one of its in-arcs: the
arc (u, v) with probability w(u, v), and none with what its in-weights lack of 1. The arcs picked are live. What v picks
is decided by one number U(w, v), uniform in 0..1: with c the cumulative sums of v's in-weights, the arc a with
c(a - 1) <= U < c(a). Both ways to search in a world see the same arcs.

The compiler chooses the model by the type of the arcs.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from lense._util.jit import kernel
from lense._util.random_streams import GOLDEN, SILVER, exponential, mix, uniform
from lense._util.types import AnyArray, Bools, Float32s, Float64s, Int32s, Int64s
from lense.kernels.rows import Adjacency

# A sure arc (p = 1) has an infinite rate; any rate above the largest variate, 7.7 + ln 2^53 = 44.5, is as good.
_SURE_RATE = 64.0
BLOCKED = np.int32(np.iinfo(np.int32).max)


VERTEX = np.dtype([("rate", np.float64), ("first_run", np.int64), ("end_run", np.int64)])
PICKING_VERTEX = np.dtype([("first_arc", np.int64), ("end_arc", np.int64)])
RUN = np.dtype([("rate", np.float64), ("per_rate", np.float64), ("first_arc", np.int64), ("end_arc", np.int64)])


class LiveArcs(NamedTuple):
    """Arcs of each vertex in runs of equal probability; what is read together lies together.

    ``vertices[v]`` holds the sum of the rates of v's arcs and the range of its runs, ``runs[r]`` the rate of each of
    the run's arcs, 1 / rate, and the range of arcs, which lead to ``ends[first_arc:end_arc]``.
    """

    vertices: AnyArray
    runs: AnyArray
    ends: Int32s


class PickingArcs(NamedTuple):
    """In-arcs of each vertex: ``vertices[v]`` their range, ``upto`` (arcs) c, ``ends`` (arcs) where they come from."""

    vertices: AnyArray
    upto: Float64s
    ends: Int32s


class PickedArcs(NamedTuple):
    """Out-arcs of each vertex: an arc is live where U of its end in ``ends`` is from ``above`` up to ``below``."""

    vertices: AnyArray
    above: Float64s
    below: Float64s
    ends: Int32s


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


def picking_arcs(into: Adjacency) -> PickingArcs:
    """In-arcs, to search backwards."""
    return PickingArcs(_ranges(into), _cumulated(into), into.indices)


def picked_arcs(out: Adjacency, into: Adjacency) -> PickedArcs:
    """Out-arcs, to search forwards; ``into`` are the same arcs by their ends."""
    above, below = _picked_at(into.indptr, into.indices, _cumulated(into), out.indptr)
    return PickedArcs(_ranges(out), above, below, out.indices)


def _ranges(arcs: Adjacency) -> AnyArray:
    ranges = np.empty(arcs.indptr.size - 1, PICKING_VERTEX)
    ranges["first_arc"], ranges["end_arc"] = arcs.indptr[:-1], arcs.indptr[1:]
    return ranges


def _cumulated(into: Adjacency) -> Float64s:
    if into.weights is None:
        raise ValueError("the linear threshold model needs weights")
    return _cumulate(into.indptr, into.weights.astype(np.float64))


@kernel
def _cumulate(indptr: Int64s, weights: Float64s) -> Float64s:
    for v in range(indptr.size - 1):
        for a in range(indptr[v] + 1, indptr[v + 1]):
            weights[a] += weights[a - 1]
    return weights


@kernel
def _picked_at(indptr: Int64s, tails: Int32s, upto: Float64s, out_indptr: Int64s) -> tuple[Float64s, Float64s]:
    """For each out-arc, the interval of U in which its end picks it: heads rise in both orders."""
    cursor = out_indptr[:-1].copy()
    above, below = np.empty(tails.size), np.empty(tails.size)
    for v in range(indptr.size - 1):
        for a in range(indptr[v], indptr[v + 1]):
            at = cursor[tails[a]]
            above[at] = upto[a - 1] if a > indptr[v] else 0.0
            below[at] = upto[a]
            cursor[tails[a]] += 1
    return above, below


class Scratch(NamedTuple):
    """Memory of one worker: ``queue`` (n + 1 or more) holds a search's vertices in order, ``stamp`` (1) its number.

    ``mark`` (n) is the last search that visited each vertex; a vertex marked ``BLOCKED`` is never entered.
    """

    queue: Int32s
    mark: Int32s
    stamp: Int32s


def new_scratch(n: int, room: int = 0) -> Scratch:
    """Memory for searches among ``n`` vertices, with ``room`` for the results of earlier ones."""
    return Scratch(np.empty(room + n + 1, np.int32), np.zeros(n, np.int32), np.zeros(1, np.int32))


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
def grow(
    live: Arcs,
    world: np.uint64,
    queue: Int32s,
    mark: Int32s,
    stamp: int,
    head: int,
    tail: int,
    wanted: Bools | None = None,
    enough: int = 0,
) -> int:
    """Search on from ``queue[head:tail]``, which has room for n + 1 behind ``head``; the new tail.

    ``world`` is the key of the world's streams. Vertices that carry the ``stamp``, or are blocked, are not entered. It
    is -1 as soon as ``enough`` of the vertices reached are ``wanted`` (n).
    """
    # unsigned positions spare numba the test for negative ones, which is felt in a loop this tight
    front, back = np.uint64(head), np.uint64(tail)
    one = np.uint64(1)
    while front < back:
        v = np.uint64(queue[front])
        if wanted is not None:
            enough -= wanted[v]
            if enough <= 0:
                return -1
        back = _entered(live, world, v, queue, mark, stamp, back)
        front += one
    return np.int64(back)  # type: ignore[return-value]  # numba's int() would leave it unsigned


def _enter_live(
    live: LiveArcs, world: np.uint64, v: np.uint64, queue: Int32s, mark: Int32s, stamp: int, back: np.uint64
) -> np.uint64:
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


def _enter_picking(
    live: PickingArcs, world: np.uint64, v: np.uint64, queue: Int32s, mark: Int32s, stamp: int, back: np.uint64
) -> np.uint64:
    first, end = live.vertices[v].first_arc, live.vertices[v].end_arc
    at = uniform(mix(world + v * GOLDEN))
    if first == end or at >= live.upto[end - 1]:
        return back
    low, high = first, end - 1
    while low < high:
        middle = (low + high) // 2
        if at < live.upto[middle]:
            high = middle
        else:
            low = middle + 1
    w = live.ends[low]
    if mark[w] < stamp:
        mark[w] = stamp
        queue[back] = w
        back += np.uint64(1)
    return back


def _enter_picked(
    live: PickedArcs, world: np.uint64, v: np.uint64, queue: Int32s, mark: Int32s, stamp: int, back: np.uint64
) -> np.uint64:
    for a in range(live.vertices[v].first_arc, live.vertices[v].end_arc):
        w = live.ends[a]
        if mark[w] < stamp:
            at = uniform(mix(world + np.uint64(w) * GOLDEN))
            if live.above[a] <= at < live.below[a]:
                mark[w] = stamp
                queue[back] = w
                back += np.uint64(1)
    return back


_ENTERING: dict[type, Callable[..., np.uint64]] = {
    LiveArcs: _enter_live,
    PickingArcs: _enter_picking,
    PickedArcs: _enter_picked,
}


def _entered(
    live: Arcs, world: np.uint64, v: np.uint64, queue: Int32s, mark: Int32s, stamp: int, back: np.uint64
) -> np.uint64:
    """Put what ``v`` reaches by live arcs, and has no stamp yet, into the queue from ``back`` on; the new end of it."""
    raise NotImplementedError("this is for compiled callers alone")


@overload(_entered, inline="always", strict=False)
def _choose_by_type(live: Any, world: Any, v: Any, queue: Any, mark: Any, stamp: Any, back: Any) -> Any:
    return _ENTERING[live.instance_class]
