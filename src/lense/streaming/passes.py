"""One pass over the edges of a scan each: degrees, and the edges between or at some vertices."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lense._util.types import AnyArray, Bools, Float32s, Float64s, Int32s, Int64s
from lense.graph import Scan
from lense.kernels import streaming as kernels
from lense.problems.edge_weights import check_counted
from lense.streaming.room import Room

Edges = tuple[Int32s, Int32s, Float32s]
"""Two ends, and weights, which are empty where they do not count."""
Kernel = Callable[[Int32s, Int32s, Float32s, Bools], Edges]
NOTHING: Edges = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32)


@dataclass(frozen=True)
class Tally:
    """What the edges at each vertex count."""

    degrees: Int32s
    """(n): their number."""
    sums: Float64s
    """(n): the sum of their weights."""
    total: float
    """The sum over all edges."""
    is_whole: bool
    """Whether all weights are whole numbers."""

    def __add__(self, other: "Tally") -> "Tally":
        """That of the edges of both."""
        return Tally(
            self.degrees + other.degrees,
            self.sums + other.sums,
            self.total + other.total,
            self.is_whole and other.is_whole,
        )


def degrees_of(scan: Scan) -> Int32s:
    """(n): the edges at each vertex whatever their direction, by one pass."""
    degrees = np.zeros(scan.num_vertices, np.int32)
    for sources, targets in scan.batches("counting degrees"):
        kernels.add_degrees(sources, targets, degrees)
    return degrees


def tally_of(scan: Scan) -> Tally:
    """What the edges at each vertex count by their weights, by one pass."""
    return tally(scan.num_vertices, scan.weighted_batches("summing weights"))


def tally(num_vertices: int, batches: Iterable[Edges]) -> Tally:
    """What the edges in ``batches`` count at each of so many vertices."""
    degrees, sums = np.zeros(num_vertices, np.int32), np.zeros(num_vertices)
    total, is_whole = 0.0, True
    for sources, targets, weights in batches:
        check_counted(weights)
        total += kernels.add_weights(sources, targets, weights, degrees, sums)
        is_whole = is_whole and bool((weights == np.rint(weights)).all())
    return Tally(degrees, sums, total, is_whole)


def weights_into(scan: Scan, vertices: Int64s) -> Float64s:
    """(n): the weights of the edges between each vertex and ``vertices``, by one pass."""
    return sum_into(scan.num_vertices, vertices, scan.weighted_batches("summing weights into hubs"))


def sum_into(num_vertices: int, vertices: Int64s, batches: Iterable[Edges]) -> Float64s:
    """The weights of the edges in ``batches`` between each of so many vertices and ``vertices``."""
    marked, sums = _marks(num_vertices, vertices), np.zeros(num_vertices)
    for sources, targets, weights in batches:
        kernels.add_weights_into(sources, targets, weights, marked, sums)
    return sums


def edges_between(scan: Scan, vertices: Int64s, room: Room, weighted: bool = False) -> Edges:
    """The edges between two of ``vertices``, in rising order, by one pass that leaves out what cannot hold any."""
    batches = scan.weighted_batches(_collecting("between", vertices), vertices, weighted=weighted)
    return kept(scan.num_vertices, vertices, batches, kernels.edges_between, room)


def edges_at(scan: Scan, vertices: Int64s, room: Room, weighted: bool = False) -> Edges:
    """The edges with an end among ``vertices``, in rising order, by one pass."""
    batches = scan.weighted_batches(_collecting("at", vertices), weighted=weighted)
    return kept(scan.num_vertices, vertices, batches, kernels.edges_at, room)


def neighbour_sums(scan: Scan, values: Float64s) -> Float64s:
    """(k, n): ``values`` (k, n) summed over each vertex and its neighbours, by one pass."""
    sums = values.copy()
    for sources, targets in scan.batches("summing over neighbours"):
        kernels.add_products(sources, targets, values, sums)
    return sums


def most_edges_between(degrees: AnyArray, vertices: Int64s, num_edges: int, most_between: int) -> int:
    """At most so many edges join two of ``vertices``."""
    k = vertices.size
    at_them = int(np.minimum(degrees[vertices], most_between * (k - 1)).sum(dtype=np.int64)) // 2
    return min(num_edges, at_them)


def kept(
    num_vertices: int, vertices: Int64s, batches: Iterable[Edges], kernel: Kernel, room: Room | None = None
) -> Edges:
    """What ``kernel`` keeps of ``batches`` for ``vertices``; raises where that does not fit into ``room``."""
    marked, found, held = _marks(num_vertices, vertices), [NOTHING], 0
    for batch in batches:
        edges = kernel(*batch, marked)
        if edges[0].size:
            held += edges[0].size
            if room is not None:
                room.check_edges(held)
            found.append(edges)
    return joined(found)


def joined(edges: Sequence[Edges]) -> Edges:
    us, vs, ws = (np.concatenate(arrays) for arrays in zip(*edges, strict=True))
    return us, vs, ws


def _marks(num_vertices: int, vertices: Int64s) -> Bools:
    marked: Bools = np.zeros(num_vertices, np.bool_)
    marked[vertices] = True
    return marked


def _collecting(where: str, vertices: Int64s) -> str:
    return f"collecting the edges {where} {vertices.size:,} vertices"
