"""Pruners that rank the vertices by a rule: they keep the first ones, or the subgraph of these."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from lense._util.types import Float32s, Float64s, Int32s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, kept_part, subgraph
from lense.kernels.core import deepest_core
from lense.kernels.rows import row_sums
from lense.problems import Problem
from lense.pruners.base import Pruner

if TYPE_CHECKING:
    from lense.streaming.graph import StreamedGraph

ROOTS_PER_BUDGET = 3
_MOST_PER_BUDGET = 1e6


@dataclass(kw_only=True, repr=False, eq=False)
class RankingPruner(Pruner):
    """Keeps the first ``vertices`` of a ranking; the first ``roots`` of them are the ground set.

    The default is three vertices for each unit of the budget. With a budget larger than its own it keeps more in
    proportion.
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


class TopDegree(RankingPruner):
    """Keeps the vertices of largest degree, or of largest out-weight where the problem uses direction and weights."""

    name: ClassVar[str] = "top-degree"
    description: ClassVar[str] = "The vertices of largest degree."

    def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
        return largest(importance(self.problem_, graph), count)

    def prune_stream(self, graph: "StreamedGraph", budget: float) -> Subgraph:
        roots, vertices = self.sizes(graph.scan.num_vertices, budget)
        order = largest(graph.counted, vertices)
        return graph.kept_part(order, order[:roots])


class DegreeDiscount(RankingPruner):
    """Keeps the vertices that :meth:`lense.Problem.discount_order` takes first."""

    name: ClassVar[str] = "degree-discount"
    description: ClassVar[str] = "Vertices of large degree, spread over the graph."

    def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
        return self.problem_.discount_order(graph, count)

    def prune_stream(self, graph: "StreamedGraph", budget: float) -> Subgraph:
        roots, vertices = self.sizes(graph.scan.num_vertices, budget)
        order = graph.discount_order(self.problem_, vertices)
        return graph.kept_part(order, order[:roots])


class KCore(RankingPruner):
    """Keeps the vertices of largest core number, of equal ones those of largest degree or out-weight.

    A vertex has core number k if it is in the k-core, the largest part in which every vertex has k edges, but not in
    the (k + 1)-core. Edges count in both directions.
    """

    name: ClassVar[str] = "k-core"
    description: ClassVar[str] = "The innermost vertices."

    def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
        rows = graph.incident
        vertices, cores = deepest_core(rows.indptr, rows.indices, count)
        values = importance(self.problem_, graph)[vertices]
        kept: Int64s = vertices[np.lexsort((-values, -cores))[:count]]
        return kept


class RandomVertices(RankingPruner):
    """Keeps vertices drawn uniformly: what every other pruner has to beat."""

    name: ClassVar[str] = "random"
    description: ClassVar[str] = "Vertices drawn at random."
    randomised: ClassVar[bool] = True

    def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
        return np.random.default_rng(seed).permutation(graph.num_vertices)[:count]


@dataclass(kw_only=True, repr=False, eq=False)
class RootsPruner(Pruner):
    """Keeps xi(X): the roots X, their neighbours, and the edges at X. X are the first k vertices of a ranking.

    k is ``roots_per_budget`` times the budget, rounded up; no more than there are vertices, no fewer than 1.
    """

    variants: ClassVar[tuple[str, ...]] = ("roots_per_budget=1", "roots_per_budget=1.5", "roots_per_budget=3")

    roots_per_budget: float = 1.25

    @abstractmethod
    def ranking(self, graph: Graph, count: int) -> Int64s:
        """The ``count`` vertices of a prepared graph that rank first, best first."""

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        return subgraph(graph, self.ranking(graph, self.num_roots(graph.num_vertices, budget)))

    def num_roots(self, most: int, budget: float) -> int:
        """How many roots a part has of a graph that has ``most`` vertices."""
        if not 0 < self.roots_per_budget <= _MOST_PER_BUDGET:
            raise LenseError(f"The roots_per_budget of {self.name} must be above 0, not {self.roots_per_budget:g}.")
        return min(math.ceil(self.roots_per_budget * budget), most)


class TopRoots(RootsPruner):
    """The roots are the vertices of largest degree, or of largest out-weight where the problem uses direction."""

    name: ClassVar[str] = "top-roots"
    description: ClassVar[str] = "The subgraph of the 1.25 b vertices of largest degree."

    def ranking(self, graph: Graph, count: int) -> Int64s:
        return largest(importance(self.problem_, graph), count)

    def prune_stream(self, graph: "StreamedGraph", budget: float) -> Subgraph:
        return graph.subgraph(largest(graph.counted, self.num_roots(graph.scan.num_vertices, budget)))


class DiscountRoots(RootsPruner):
    """The roots are the vertices that :meth:`lense.Problem.discount_order` takes first."""

    name: ClassVar[str] = "discount-roots"
    description: ClassVar[str] = "The subgraph of 1.25 b vertices of large degree, spread over the graph."

    def ranking(self, graph: Graph, count: int) -> Int64s:
        return self.problem_.discount_order(graph, count)

    def prune_stream(self, graph: "StreamedGraph", budget: float) -> Subgraph:
        return graph.subgraph(graph.discount_order(self.problem_, self.num_roots(graph.scan.num_vertices, budget)))


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

    A rank means the same in small and large, sparse and dense graphs. Scaled by the largest value, nearly all features
    of a graph with hubs would be close to 0.
    """
    n = len(features)
    if n < 2:
        return np.zeros_like(features)
    as_large = np.empty(features.shape, np.int64)
    for column, values in enumerate(features.T):
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        as_large[:, column] = counts[::-1].cumsum()[::-1][place]
    standings: Float32s = (np.log(n / as_large) / np.log(n)).astype(np.float32)
    return standings
