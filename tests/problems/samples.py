"""A problem and a kind of graph that several tests use."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import ArrayLike

from lense.graph import Graph
from lense.problems import Found, Problem, Solution, heuristic
from lense.problems.base import Rng

NAMES = pytest.mark.parametrize("name", ["mvc", "bmc"])


def collaboration(papers: int, seed: int) -> Graph:
    """A graph full of cliques, as joint papers make it."""
    rng = np.random.default_rng(seed)
    groups = [rng.choice(60, int(rng.integers(2, 8)), replace=False) for _ in range(papers)]
    ends = np.array([(u, v) for group in groups for u in group for v in group if u < v])
    return Graph.from_edges(ends[:, 0], ends[:, 1])


@dataclass(frozen=True, kw_only=True)
class LargestNumbers(Problem):
    """f(X) = the sum of the vertices' numbers, times ``factor``."""

    name: ClassVar[str] = "largest-numbers"

    factor: float = 1.0
    general_bound: float | None = 9.0

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        return self.factor * float(np.sum(vertices))

    def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: Rng) -> float | None:
        return self.general_bound

    @heuristic("last-first")
    def last_first(self, graph: Graph, budget: int, rng: Rng) -> range:
        return range(graph.num_vertices - 1, graph.num_vertices - 1 - budget, -1)

    @heuristic("informed")
    def informed(self, graph: Graph, budget: int, rng: Rng) -> Found:
        return Found([3, 2], upper_bound=6.0, details={"steps": 2})
