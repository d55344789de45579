"""Orders of vertices by quick rules, each a few passes over the edges."""

from typing import TYPE_CHECKING

import numpy as np

from lense._util.types import Int64s
from lense.graph import Graph
from lense.kernels.buckets import degrees, greedy
from lense.kernels.discount import degree_discount
from lense.problems.edge_weights import counted_degrees, counted_rows, greedy_order, leading_out

if TYPE_CHECKING:
    from lense.problems.base import Problem


def pair_order(graph: Graph, count: int, pair_loss: int) -> Int64s:
    """The first ``count`` vertices of a greedy choice, where f is as :attr:`Problem.pair_loss` says."""
    everyone = np.arange(graph.num_vertices, dtype=np.int32)
    return greedy_order(counted_rows(graph), counted_degrees(graph, pair_loss), everyone, count, pair_loss)


def discount_order(problem: "Problem", graph: Graph, count: int) -> Int64s:
    """The first ``count`` vertices of a greedy choice by degree, where edges to vertices already taken do not count.

    Where the problem uses direction and the arcs have probabilities, a vertex counts its one-step influence, less what
    the vertices taken reach already (see :func:`lense.kernels.discount.degree_discount`). Otherwise each neighbour
    taken lowers the degree by what the edges to it count, the single discount of Chen, Wang and Yang (2009). Of equal
    degrees, the vertex that came down to it last goes first.
    """
    chosen: Int64s
    everyone = np.arange(graph.num_vertices, dtype=np.int32)
    if problem.counts_weights and graph.weights is not None:
        return greedy_order(counted_rows(graph), counted_degrees(graph, 1), everyone, count, 1)
    if not problem.uses_direction or graph.weights is None:
        rows = graph.incident
        gain = degrees(rows.indptr) + leading_out(graph, everyone).astype(np.int32)
        chosen = greedy(rows.indptr, rows.indices, gain, everyone, count, 1)
        return chosen
    out, into = graph.outgoing, graph.incoming
    assert out.weights is not None
    assert into.weights is not None
    chosen = degree_discount(
        out.indptr, out.indices, out.weights, into.indptr, into.indices, into.weights, everyone, count
    )
    return chosen
