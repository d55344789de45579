"""Some vertices of a graph that is too large to hold, with the edges between them and counts of the whole graph."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lense._util.types import AnyArray, Int64s
from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.kernels.rows import row_sums


@dataclass(frozen=True, eq=False)
class TruncatedGraph:
    """The edges between ``vertices`` of a whole graph, as a ``graph`` with parallel ones kept and without directions.

    All edges at vertex i count ``counted[i]`` together, also those to vertices that were left out. Whoever leaves those
    out has shown that no answer can hold one of them. The whole graph has ``whole_vertices``, ``whole_edges`` and
    ``whole_arcs``. All edges of it count ``whole_weight``, each a whole number if ``whole_numbers`` says so.
    """

    graph: Graph
    vertices: Int64s
    counted: AnyArray
    whole_vertices: int
    whole_edges: int
    whole_arcs: int
    whole_weight: float
    whole_numbers: bool

    def __post_init__(self) -> None:
        if self.graph.directed:
            raise LenseError("A truncated graph has no directions.")
        if not self.vertices.size == self.counted.size == self.graph.num_vertices:
            raise LenseError("A truncated graph needs the number of each vertex, and what its edges count.")

    @cached_property
    def cut_off(self) -> AnyArray:
        """(n): what the edges of each vertex count that lead to vertices left out."""
        if self.graph.weights is None:
            return self.counted.astype(np.int64) - self.graph.out_degrees
        return np.maximum(self.counted - row_sums(self.graph.indptr, self.graph.weights), 0.0)

    @property
    def num_left_out(self) -> int:
        """The vertices that were left out."""
        return self.whole_vertices - self.graph.num_vertices

    def places(self, vertices: Int64s) -> Int64s:
        """Return where vertices of the whole graph stand here.

        Parameters
        ----------
        vertices
            Their numbers in the whole graph. All of them must be here.
        """
        found = np.searchsorted(self.vertices, vertices)
        is_here = found.max(initial=-1) < self.vertices.size
        if not (is_here and np.array_equal(self.vertices[found], vertices)):
            raise LenseError("Some of these vertices were left out of the truncated graph.")
        return found
