"""The few vertices of a large graph that can matter for mvc or bmc, chosen by their degrees.

Let f(S) = the sum of degrees over S - a times the edges within S, as for mvc (a = 1) and bmc (a = 2), with at most m
edges between two vertices. Whatever k vertices are taken, each other one of degree d still adds d - a k m or more. At
least k of the 2 k vertices of largest degree are not among those taken. So one that adds t = d_2k - a k m is always to
be had, where d_2k is the 2 k-th largest degree. A vertex of degree below t is never the best to take, to swap in or to
stand in a bound: greedy, local search, intervals and the bound by submodularity do the same without it, tie for tie.
"""

import numpy as np

from lense.graph import Excerpt, Graph, Scan
from lense.streaming.engine import Engine, OneMachine
from lense.streaming.passes import Edges, most_edges_between
from lense.streaming.room import Room
from lense.types import AnyArray, Int32s, Int64s


class Excerpts:
    """Excerpts of a scan, with the degrees and the last one kept; see :class:`lense.graph.Excerpt`."""

    def __init__(self, scan: Scan, room: Room, engine: Engine | None = None) -> None:
        self.scan, self.room = scan, room
        self.engine: Engine = OneMachine() if engine is None else engine
        self._degrees: Int32s | None = None
        self._last: Excerpt | None = None

    @property
    def degrees(self) -> Int32s:
        """(n): by one pass, the first time."""
        if self._degrees is None:
            self.room.check_vertices(self.scan.num_vertices)
            self._degrees = self.engine.degrees(self.scan)
        return self._degrees

    def for_choices(self, loss: int, count: int, also: Int64s | None = None) -> Excerpt:
        """What decides about ``count`` choices with the loss a, and the vertices ``also``."""
        least = least_degree(self.degrees, count, loss * self.scan.most_between)
        chosen = np.flatnonzero(self.degrees >= least)
        return self.of(chosen if also is None else np.union1d(chosen, also))

    def of(self, vertices: Int64s) -> Excerpt:
        """The excerpt of ``vertices``, in rising order; the last one if that has all of them."""
        last = self._last
        if last is None or not np.isin(vertices, last.vertices, assume_unique=True).all():
            scan, degrees = self.scan, self.degrees
            self.room.check_edges(most_edges_between(degrees, vertices, scan.num_edges, scan.most_between))
            last = excerpt(scan, degrees, vertices, self.engine.edges_between(scan, vertices, self.room))
            self._last = last
        return last


def least_degree(degrees: AnyArray, count: int, most_loss: int) -> int:
    """The degree t below which no vertex matters for ``count`` choices; 0 where all of them may.

    ``most_loss`` is what a chosen vertex takes from another one at most.
    """
    if 2 * count >= degrees.size:
        return 0
    last = int(np.partition(degrees, degrees.size - 2 * count)[degrees.size - 2 * count])
    return max(0, last - count * most_loss)


def excerpt(scan: Scan, degrees: AnyArray, vertices: Int64s, edges: Edges) -> Excerpt:
    """``vertices`` with the ``edges`` between them."""
    ends = (np.searchsorted(vertices, end).astype(np.int32) for end in edges)
    listed = Graph.from_edges(*ends, num_vertices=vertices.size, keep_duplicates=True)
    return Excerpt(
        indptr=listed.indptr,
        indices=listed.indices,
        weights=None,
        directed=False,
        labels=scan.labels_of(vertices),
        vertices=vertices,
        cut_off=degrees[vertices].astype(np.int64) - listed.out_degrees,
        whole_vertices=scan.num_vertices,
        whole_edges=scan.num_edges,
        whole_arcs=scan.num_arcs,
    )
