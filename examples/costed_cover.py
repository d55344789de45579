"""Your own problem: cover as much edge weight as your money buys, where popular vertices cost more.

Registered in the ``pyproject.toml`` of your own package, it works in every command by its name:

    [project.entry-points."lense.problems"]
    costed-cover = "costed_cover:CostedCover"
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from lense.errors import LenseError
from lense.graph import Graph
from lense.problems import Problem, heuristic
from lense.types import AnyArray


@dataclass(frozen=True, kw_only=True)
class CostedCover(Problem):
    """f(X) = weight of the edges with an end in X; a vertex costs 1, and ``per_edge`` for each of its edges."""

    name: ClassVar[str] = "costed-cover"
    per_edge: float = 0.01

    def costs(self, graph: Graph) -> AnyArray:
        return 1.0 + self.per_edge * graph.out_degrees

    def prepare(self, graph: Graph) -> Graph:
        return graph.as_undirected()

    def check_budget(self, graph: Graph, budget: float) -> None:
        cheapest = self.costs(graph).min(initial=np.inf)
        if not budget >= cheapest:
            raise LenseError(f"A budget of {budget:g} buys no vertex: the cheapest costs {cheapest:g}.")

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        sources, targets, weights = graph.edges()
        covered = np.isin(sources, vertices) | np.isin(targets, vertices)
        return float(covered.sum() if weights is None else weights[covered].sum())

    @heuristic("gain-per-cost")
    def greedy(self, graph: Graph, budget: float, rng: np.random.Generator) -> list[int]:
        n, costs, chosen = graph.num_vertices, self.costs(graph), list[int]()
        weights: AnyArray = np.ones(graph.num_arcs) if graph.weights is None else graph.weights
        gains: AnyArray = np.bincount(np.repeat(np.arange(n), graph.out_degrees), weights, n)
        while True:
            worth = np.where(costs <= budget, gains / costs, 0.0)
            best = int(worth.argmax())
            if worth[best] < 1e-9:
                return chosen
            chosen.append(best)
            budget -= costs[best]
            row = slice(graph.indptr[best], graph.indptr[best + 1])
            gains[graph.indices[row]] -= weights[row]
            gains[best] = 0.0


if __name__ == "__main__":
    from lense.graph.generate import barabasi_albert

    rng = np.random.default_rng(0)
    print(CostedCover().solve(barabasi_albert(10_000, 5, rng), 100.0, rng))
