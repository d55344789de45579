"""The linear threshold model as reachability in live-edge worlds (Kempe, Kleinberg and Tardos 2003).

In world w each vertex v picks at most one of its in-arcs: the arc (u, v) with probability w(u, v), and none with what
its in-weights lack of 1. The arcs picked are live. What v picks is decided by one number U(w, v), uniform in 0..1: with
c the cumulative sums of v's in-weights, the arc a with c(a - 1) <= U < c(a). So a world is never stored, and both ways
to search in it see the same arcs.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lense._util.jit import kernel
from lense._util.random_streams import GOLDEN, mix, uniform
from lense._util.types import AnyArray, Float64s, Int32s, Int64s
from lense.kernels.adjacency import Adjacency

if TYPE_CHECKING:
    from lense.graph import Graph

VERTEX = np.dtype([("first_arc", np.int64), ("end_arc", np.int64)])


class PickingArcs(NamedTuple):
    """In-arcs of each vertex: ``vertices[v]`` their range, ``upto`` (arcs) c, ``ends`` (arcs) where they come from."""

    vertices: AnyArray
    upto: Float64s
    ends: Int32s

    @property
    def num_vertices(self) -> int:
        return self.vertices.size


class PickedArcs(NamedTuple):
    """Out-arcs of each vertex: an arc is live where U of its end in ``ends`` is from ``above`` up to ``below``."""

    vertices: AnyArray
    above: Float64s
    below: Float64s
    ends: Int32s

    @property
    def num_vertices(self) -> int:
        return self.vertices.size


def picking_arcs(graph: "Graph") -> PickingArcs:
    """The in-arcs of ``graph``, to search backwards."""
    into = graph.incoming
    return PickingArcs(_ranges(into), _cumulated(into), into.indices)


def picked_arcs(graph: "Graph") -> PickedArcs:
    """The out-arcs of ``graph``, to search forwards."""
    out, into = graph.outgoing, graph.incoming
    above, below = _picked_at(into.indptr, into.indices, _cumulated(into), out.indptr)
    return PickedArcs(_ranges(out), above, below, out.indices)


def _ranges(arcs: Adjacency) -> AnyArray:
    ranges = np.empty(arcs.indptr.size - 1, VERTEX)
    ranges["first_arc"], ranges["end_arc"] = arcs.indptr[:-1], arcs.indptr[1:]
    return ranges


def _cumulated(into: Adjacency) -> Float64s:
    if into.weights is None:
        raise ValueError("the linear threshold model needs weights")
    found: Float64s = _row_sums(into.indptr, into.weights.astype(np.float64))
    return found


@kernel
def _row_sums(indptr: Int64s, weights: Float64s) -> Float64s:
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


@kernel(inline="always")
def enter_picking(
    live: PickingArcs, world: np.uint64, v: np.uint64, queue: Int32s, mark: Int32s, stamp: int, back: np.uint64
) -> np.uint64:
    """Put what ``v`` picks, if it has no stamp yet, into the queue at ``back``; the new end of it."""
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


@kernel(inline="always")
def enter_picked(
    live: PickedArcs, world: np.uint64, v: np.uint64, queue: Int32s, mark: Int32s, stamp: int, back: np.uint64
) -> np.uint64:
    """Put all that pick ``v``, and have no stamp yet, into the queue from ``back`` on; the new end of it."""
    for a in range(live.vertices[v].first_arc, live.vertices[v].end_arc):
        w = live.ends[a]
        if mark[w] < stamp:
            at = uniform(mix(world + np.uint64(w) * GOLDEN))
            if live.above[a] <= at < live.below[a]:
                mark[w] = stamp
                queue[back] = w
                back += np.uint64(1)
    return back
