"""One pass over the edges of a scan each: degrees, and the edges between or at some vertices."""

from collections.abc import Callable

import numpy as np

from lense.graph import Scan
from lense.kernels import streaming as kernels
from lense.streaming.room import Room
from lense.types import AnyArray, Bools, Float64s, Int32s, Int64s

Edges = tuple[Int32s, Int32s]
Kernel = Callable[[Int32s, Int32s, Bools], Edges]


def degrees_of(scan: Scan) -> Int32s:
    """(n): the edges at each vertex whatever their direction, by one pass."""
    degrees = np.zeros(scan.num_vertices, np.int32)
    for sources, targets in scan.batches("counting degrees"):
        kernels.add_degrees(sources, targets, degrees)
    return degrees


def edges_between(scan: Scan, vertices: Int64s, room: Room) -> Edges:
    """The edges between two of ``vertices``, in rising order, by one pass that leaves out what cannot hold any."""
    return _kept(scan, vertices, kernels.edges_between, room, f"edges between {vertices.size:,} vertices", True)


def edges_at(scan: Scan, vertices: Int64s, room: Room) -> Edges:
    """The edges with an end among ``vertices``, in rising order, by one pass."""
    return _kept(scan, vertices, kernels.edges_at, room, f"edges at {vertices.size:,} vertices", False)


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


def _kept(scan: Scan, vertices: Int64s, kernel: Kernel, room: Room, what: str, both: bool) -> Edges:
    marked: Bools = np.zeros(scan.num_vertices, np.bool_)
    marked[vertices] = True
    us, vs = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    held = 0
    for sources, targets in scan.batches(f"collecting the {what}", vertices if both else None):
        u, v = kernel(sources, targets, marked)
        if u.size:
            held += u.size
            room.check_edges(held)
            us.append(u)
            vs.append(v)
    return np.concatenate(us), np.concatenate(vs)
