"""Your own problem: cover as many edges as your money buys, where popular vertices cost more."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lense import Graph, Problem, heuristic


@dataclass(frozen=True, kw_only=True)
class CostedCover(Problem):
    """f(X) = edges with an end in X; a vertex costs 1, and ``per_edge`` more for each of its edges."""

    name: ClassVar[str] = "costed-cover"
    per_edge: float = 0.01

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        sources, targets, _ = graph.edges()
        return float(np.count_nonzero(np.isin(sources, vertices) | np.isin(targets, vertices)))

    def costs(self, graph: Graph) -> NDArray[np.float64]:
        return 1 + self.per_edge * np.diff(graph.incident.indptr)

    @heuristic("gain-per-cost")
    def greedy(
        self,
        graph: Graph,
        budget: float,
        rng: np.random.Generator,
        costs: NDArray[np.float64],
        candidates: ArrayLike | None = None,
    ) -> list[int]:
        edges, chosen = graph.incident, list[int]()
        gains = np.diff(edges.indptr).astype(float)
        if candidates is not None:
            gains[np.setdiff1d(np.arange(graph.num_vertices), candidates)] = 0
        while (worth := np.where(costs <= budget, gains / costs, 0)).max() > 0:
            best = int(worth.argmax())
            chosen.append(best)
            budget -= costs[best]
            np.subtract.at(gains, edges.indices[edges.indptr[best] : edges.indptr[best + 1]], 1)
            gains[chosen] = 0
        return chosen
