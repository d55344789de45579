"""What the heuristic reaches on a subgraph, measured against what it reaches on the whole graph."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from lense.errors import LenseError
from lense.graph import Graph
from lense.problems import Problem
from lense.subgraphs import Subgraph
from lense.subgraphs.within import solve_within

_QUICK = 1.0


@dataclass(frozen=True)
class Measured:
    """One subgraph S of G: the ``score`` f(H(S)) on G, the ``ratio`` f(H(S)) / f(H(G)), the shares of G's vertices and
    edges that S leaves out, and the ``seconds`` the heuristic took on S.
    """

    score: float
    ratio: float
    vertices_pruned: float
    edges_pruned: float
    seconds: float


class Yardstick:
    """H(G), the heuristic's solution ``best`` on the whole prepared graph; every ratio is computed here.

    The lots that the heuristic draws, on the graph and on each subgraph, are told by ``seed``.
    """

    def __init__(self, problem: Problem, graph: Graph, budget: float, *, seed: int = 0) -> None:
        self.problem, self.graph, self.budget, self.seed = problem, graph, budget, seed
        self.best = problem.solve(graph, budget, np.random.default_rng(seed), certify=False)
        if self.best.seconds < _QUICK:
            # the first run also loads code and arranges the graph's arrays, which would hide what the heuristic takes
            again = problem.search(graph, budget, np.random.default_rng(seed))
            self.best = replace(self.best, seconds=min(self.best.seconds, again.seconds))
        if not self.best.score > 0:
            raise LenseError("The solution of the whole graph is worth nothing, so that ratios to it mean nothing.")

    def measure(self, part: Subgraph, episode: int = 0) -> Measured:
        """The subgraph that an ``episode`` ended with, or one that comes of no episode."""
        rng = np.random.default_rng([self.seed, episode])
        found = solve_within(self.problem, self.graph, part, self.budget, rng)
        vertices, edges = shares_pruned(self.graph, part)
        return Measured(found.score, found.score / self.best.score, vertices, edges, found.seconds)


def shares_pruned(graph: Graph, part: Subgraph) -> tuple[float, float]:
    """P_V and P_E: the shares of the graph's vertices and of its edges that are not in the subgraph."""
    vertices = 1 - part.graph.num_vertices / max(graph.num_vertices, 1)
    return vertices, 1 - part.graph.num_edges / max(graph.num_edges, 1)


@dataclass(frozen=True)
class Figures:
    """Means over one or several subgraphs; ``ratio_stderr`` is None for a single one."""

    ratio: float
    ratio_stderr: float | None
    vertices_pruned: float
    edges_pruned: float

    @classmethod
    def of(cls, measured: Sequence[Measured]) -> "Figures":
        ratios = np.array([one.ratio for one in measured])
        return cls(
            ratio=float(ratios.mean()),
            ratio_stderr=float(ratios.std(ddof=1) / np.sqrt(ratios.size)) if ratios.size > 1 else None,
            vertices_pruned=float(np.mean([one.vertices_pruned for one in measured])),
            edges_pruned=float(np.mean([one.edges_pruned for one in measured])),
        )

    def as_dict(self) -> dict[str, Any]:
        """The figures by name, the standard error only where there is one."""
        return {name: value for name, value in asdict(self).items() if value is not None}
