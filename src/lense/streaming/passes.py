"""One pass over the edges of a scan each: degrees, and the edges between or at some vertices."""

from collections.abc import Callable

import numpy as np

from lense.graph import Scan
from lense.kernels.streaming import add_degrees, edges_with
from lense.streaming.room import Room
from lense.types import AnyArray, Bools, Int32s, Int64s

Edges = tuple[Int32s, Int32s]
BYTES_PER_EDGE_HELD = 64
"""What an edge takes at most while a part of the graph is put together."""


def degrees_of(scan: Scan) -> Int32s:
    """(n): the edges at each vertex whatever their direction, by one pass."""
    degrees = np.zeros(scan.num_vertices, np.int32)
    for sources, targets in scan.batches("counting degrees"):
        add_degrees(sources, targets, degrees)
    return degrees


def edges_between(scan: Scan, vertices: AnyArray, room: Room) -> Edges:
    """The edges between two of ``vertices``, by one pass."""
    return _kept(scan, _marked(scan, vertices), True, room, f"edges between {vertices.size:,} vertices")


def edges_at(scan: Scan, vertices: AnyArray, room: Room) -> Edges:
    """The edges with an end among ``vertices``, by one pass."""
    return _kept(scan, _marked(scan, vertices), False, room, f"edges at {vertices.size:,} vertices")


def most_edges_between(degrees: AnyArray, vertices: Int64s, num_edges: int, most_between: int) -> int:
    """At most so many edges join two of ``vertices``."""
    k = vertices.size
    at_them = int(np.minimum(degrees[vertices], most_between * (k - 1)).sum(dtype=np.int64)) // 2
    return min(num_edges, at_them)


def _marked(scan: Scan, vertices: AnyArray) -> Bools:
    marked = np.zeros(scan.num_vertices, np.bool_)
    marked[vertices] = True
    return marked


def _kept(scan: Scan, marked: Bools, both: bool, room: Room, what: str) -> Edges:
    us, vs = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    held = 0
    grown: Callable[[int], None] = room.check_edges
    for sources, targets in scan.batches(f"collecting the {what}"):
        u, v = edges_with(sources, targets, marked, both)
        if u.size:
            held += u.size
            grown(held)
            us.append(u)
            vs.append(v)
    return np.concatenate(us), np.concatenate(vs)
