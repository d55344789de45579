"""Pruners that rank the vertices by a rule and keep the first ones."""

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from lense._util.types import Float32s, Float64s, Int32s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, kept_part
from lense.kernels.rows import row_sums
from lense.problems import Problem
from lense.pruners.base import Pruner

ROOTS_PER_BUDGET = 3


@dataclass(kw_only=True, repr=False, eq=False)
class RankingPruner(Pruner):
    """Keeps the first ``vertices`` of a ranking; the first ``roots`` of them are the ground set.

    Both sizes can be those of another pruner's part, such as LeNSE's. Without them it keeps three vertices for each
    unit of the budget. With a budget larger than its own it keeps more in proportion.
    """

    vertices: int | None = None
    roots: int | None = None

    @abstractmethod
    def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
        """The ``count`` vertices of a prepared graph that rank first, best first."""

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        roots, vertices = self.sizes(graph.num_vertices, budget)
        order = self.ranking(graph, vertices, seed)
        return kept_part(graph, order, order[:roots])

    def sizes(self, most: int, budget: float) -> tuple[int, int]:
        """How many roots and vertices are kept of a graph that has ``most``."""
        roots = math.ceil(ROOTS_PER_BUDGET * self.budget) if self.roots is None else self.roots
        vertices = roots if self.vertices is None else self.vertices
        if not 1 <= roots <= vertices:
            raise LenseError(
                f"{type(self).__name__} keeps at least one root, and as many vertices as roots or more, "
                f"not {roots:,} and {vertices:,}."
            )
        factor = max(1.0, budget / self.budget)
        return min(math.ceil(factor * roots), most), min(math.ceil(factor * vertices), most)


def importance(problem: Problem, graph: Graph) -> Float64s:
    """(n): the degree of each vertex, or the sum of weights in its place.

    Out-weights are summed if the problem uses direction, and the weights of all edges if it counts weights.
    """
    if problem.uses_direction and graph.weights is not None:
        sums: Float64s = row_sums(graph.indptr, graph.weights)
        return sums
    return problem.degrees(graph).astype(np.float64)


def largest(values: Float64s | Int32s, count: int) -> Int64s:
    """The vertices of the ``count`` largest values, in falling order; of equal ones the first number comes first."""
    if not 0 < count < values.size:
        return np.argsort(-values, kind="stable")[:count]
    least = np.partition(values, values.size - count)[values.size - count]
    above, equal = np.flatnonzero(values > least), np.flatnonzero(values == least)
    return np.concatenate([above[np.argsort(-values[above], kind="stable")], equal[: count - above.size]])


def standing(features: Float32s) -> Float32s:
    """Features (n, k) as ranks, log(n / r) / log n, where r vertices have a value at least as large: 0 for the least
    value, 1 for the largest.

    A rank means the same in a small and in a large graph, in a sparse and in a dense one. Scaled by the largest value,
    the features of a graph with hubs would nearly all be close to 0, and a network would learn slowly from them.
    """
    n = len(features)
    if n < 2:
        return np.zeros_like(features)
    as_large = [_as_large(column) for column in features.T]
    standings: Float32s = (np.log(n / np.column_stack(as_large)) / np.log(n)).astype(np.float32)
    return standings


def _as_large(values: Float32s) -> Int64s:
    """(n): how many of the ``values`` (n) are at least as large as each."""
    order = np.argsort(values)
    ascending = values[order]
    begins_run = np.concatenate([[True], ascending[1:] != ascending[:-1]])
    below = np.maximum.accumulate(np.where(begins_run, np.arange(values.size), 0))
    counts: Int64s = np.empty(values.size, np.int64)
    counts[order] = values.size - below
    return counts
