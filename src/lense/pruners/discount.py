"""Keep vertices of large degree that are not neighbours of one another."""

from typing import ClassVar

import numpy as np

from lense.graph import Graph
from lense.kernels.buckets import degrees, greedy
from lense.kernels.discount import degree_discount
from lense.kernels.rows import row_sums
from lense.problems import Problem
from lense.problems.edge_weights import counted_rows, greedy_order
from lense.pruners.ranking import RankingPruner
from lense.types import Int64s


class DegreeDiscount(RankingPruner):
    """Keeps the vertices that a greedy choice by degree takes first; edges to vertices already taken do not count.

    Where the problem uses direction and the arcs have probabilities, a vertex counts its one-step influence, less what
    the vertices taken reach already (see :func:`lense.kernels.discount.degree_discount`). Otherwise each neighbour
    taken lowers the degree by what the edges to it count, the single discount of Chen, Wang and Yang (2009). Of equal
    degrees, the vertex that came down to it last goes first.
    """

    name: ClassVar[str] = "degree-discount"

    def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
        return discount_order(self.problem_, graph, count)


def discount_order(problem: Problem, graph: Graph, count: int) -> Int64s:
    """The first ``count`` vertices of a greedy choice by discounted degree."""
    chosen: Int64s
    everyone = np.arange(graph.num_vertices, dtype=np.int32)
    if problem.counts_weights and graph.weights is not None:
        rows = counted_rows(graph)
        assert rows.weights is not None
        return greedy_order(rows, row_sums(rows.indptr, rows.weights), everyone, count, 1)
    if not problem.uses_direction or graph.weights is None:
        rows = graph.incident
        chosen = greedy(rows.indptr, rows.indices, degrees(rows.indptr), everyone, count, 1)
        return chosen
    out, into = graph.outgoing, graph.incoming
    assert out.weights is not None
    assert into.weights is not None
    chosen = degree_discount(
        out.indptr, out.indices, out.weights, into.indptr, into.indices, into.weights, everyone, count
    )
    return chosen
