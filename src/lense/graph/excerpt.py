"""Some vertices of a graph that is too large to hold, with the edges between them and the number of all others."""

from dataclasses import dataclass

import numpy as np

from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.types import Int64s


@dataclass(frozen=True, eq=False, repr=False)
class Excerpt(Graph):
    """The edges between ``vertices`` of a whole graph, parallel ones kept, without weights or directions.

    Vertex i has ``cut_off[i]`` further edges, which lead to vertices that were left out. Whoever leaves those out has
    shown that no answer can hold one of them. ``num_edges`` is that of the whole graph, whose arcs are ``whole_arcs``.
    """

    vertices: Int64s
    cut_off: Int64s
    whole_vertices: int
    whole_edges: int
    whole_arcs: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.directed or self.weights is not None:
            raise LenseError("An excerpt of a graph has neither directions nor weights.")
        if not self.vertices.size == self.cut_off.size == self.num_vertices:
            raise LenseError("An excerpt of a graph needs the number and the cut-off edges of each vertex.")

    @property
    def num_edges(self) -> int:
        return self.whole_edges

    @property
    def num_listed(self) -> int:
        """The edges that are at hand."""
        return self.num_arcs // 2

    @property
    def num_left_out(self) -> int:
        """The vertices that were left out."""
        return self.whole_vertices - self.num_vertices

    def places(self, vertices: Int64s) -> Int64s:
        """Where vertices of the whole graph stand here; all of them must."""
        found = np.searchsorted(self.vertices, vertices)
        if vertices.size and not (found.max() < self.num_vertices and np.array_equal(self.vertices[found], vertices)):
            raise LenseError("Some of these vertices were left out of the excerpt.")
        return found
