"""Who makes the passes: this machine, or a cluster."""

from typing import Protocol

from lense._util.types import Float64s, Int32s, Int64s
from lense.graph import Scan
from lense.streaming import passes
from lense.streaming.passes import Edges, Tally
from lense.streaming.room import Room


class Engine(Protocol):
    """Each method is one pass over the edges of a scan, and gives the same on every engine: sums of weights
    that are no whole numbers up to rounding, all else bit for bit."""

    def degrees(self, scan: Scan) -> Int32s:
        """(n): the edges at each vertex."""

    def tally(self, scan: Scan) -> Tally:
        """What the edges at each vertex count by their weights."""

    def weights_into(self, scan: Scan, vertices: Int64s) -> Float64s:
        """(n): the weights of the edges between each vertex and ``vertices``."""

    def edges_between(self, scan: Scan, vertices: Int64s, room: Room, weighted: bool = False) -> Edges:
        """The edges between two of ``vertices``, in rising order, and their weights if wanted."""

    def edges_at(self, scan: Scan, vertices: Int64s, room: Room, weighted: bool = False) -> Edges:
        """The edges with an end among ``vertices``, in rising order, and their weights if wanted."""

    def neighbour_sums(self, scan: Scan, values: Float64s) -> Float64s:
        """(k, n): ``values`` (k, n) summed over each vertex and its neighbours."""


class OneMachine:
    """Passes in this process: pyarrow reads the next batches while compiled loops work on the last one."""

    def degrees(self, scan: Scan) -> Int32s:
        return passes.degrees_of(scan)

    def tally(self, scan: Scan) -> Tally:
        return passes.tally_of(scan)

    def weights_into(self, scan: Scan, vertices: Int64s) -> Float64s:
        return passes.weights_into(scan, vertices)

    def edges_between(self, scan: Scan, vertices: Int64s, room: Room, weighted: bool = False) -> Edges:
        return passes.edges_between(scan, vertices, room, weighted)

    def edges_at(self, scan: Scan, vertices: Int64s, room: Room, weighted: bool = False) -> Edges:
        return passes.edges_at(scan, vertices, room, weighted)

    def neighbour_sums(self, scan: Scan, values: Float64s) -> Float64s:
        return passes.neighbour_sums(scan, values)
