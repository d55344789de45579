"""What the heuristic reaches with a part of a graph, measured against what it reaches on the whole graph."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from lense._util.measuring import standard_error
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, shares_pruned
from lense.problems import Problem, Solution
from lense.problems.parts import search_part

_QUICK = 1.0


@dataclass(frozen=True)
class Measured:
    """One part S of G: the ``score`` on G of what the heuristic chose, its ``ratio`` to f(H(G)), the shares of G's
    vertices and edges that were pruned, and the ``seconds`` the heuristic took.

    Used as a subgraph, S is all that the heuristic sees. Used as a ground set, all vertices but the roots count as
    pruned, and no edge does.
    """

    score: float
    ratio: float
    vertices_pruned: float
    edges_pruned: float
    seconds: float

    @property
    def combined(self) -> float:
        """C = ratio x share of vertices pruned; of b vertices chosen from n it is at most 1 - b / n."""
        return self.ratio * self.vertices_pruned


class Yardstick:
    """Measures parts of a prepared graph against H(G), the heuristic's solution ``best`` of the whole graph.

    The heuristic's random numbers, on the graph and on each part of it, depend on ``seed``. ``best`` is computed unless
    it is given.
    """

    def __init__(
        self, problem: Problem, graph: Graph, budget: float, *, seed: int = 0, best: Solution | None = None
    ) -> None:
        self.problem, self.graph, self.budget, self.seed = problem, graph, budget, seed
        self.best = self._solved() if best is None else best
        if not self.best.score > 0:
            raise LenseError("The score of the whole graph's solution is not above 0, so ratios to it mean nothing.")

    def _solved(self) -> Solution:
        best = self.problem.solve(self.graph, self.budget, np.random.default_rng(self.seed), certify=False)
        if best.seconds >= _QUICK:
            return best
        # the first run also loads code and builds arrays of the graph, which would count as the heuristic's time
        again = self.problem.search(self.graph, self.budget, np.random.default_rng(self.seed))
        return replace(best, seconds=min(best.seconds, again.seconds))

    def measure(self, part: Subgraph, episode: int = 0, mode: str = "subgraph") -> Measured:
        """The part of an ``episode``, used as ``mode`` says."""
        found = self._found(part, episode, mode)
        if found.seconds < _QUICK:
            found = replace(found, seconds=min(found.seconds, self._found(part, episode, mode).seconds))
        score = self.problem.objective_value(self.graph, found.indices)
        if mode == "subgraph":
            vertices, edges = shares_pruned(self.graph, part)
        else:
            vertices, edges = 1 - part.roots.size / max(self.graph.num_vertices, 1), 0.0
        return Measured(score, score / self.best.score, vertices, edges, found.seconds)

    def nothing(self, part: Subgraph) -> Measured:
        """The figures of a part in which there is nothing to solve."""
        return Measured(0.0, 0.0, *shares_pruned(self.graph, part), 0.0)

    def ratio(self, part: Subgraph, episode: int = 0) -> float:
        """Only the ratio of :meth:`measure`; quick heuristics are not run twice to be timed."""
        score = self.problem.objective_value(self.graph, self._found(part, episode, "subgraph").indices)
        return score / self.best.score

    def _found(self, part: Subgraph, episode: int, mode: str) -> Solution:
        rng = np.random.default_rng([self.seed, episode])
        return search_part(self.problem, self.graph, part, self.budget, rng, mode=mode)


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
            ratio_stderr=standard_error(ratios.tolist()),
            vertices_pruned=float(np.mean([one.vertices_pruned for one in measured])),
            edges_pruned=float(np.mean([one.edges_pruned for one in measured])),
        )

    def as_dict(self) -> dict[str, Any]:
        """The figures by name."""
        return {field.name: getattr(self, field.name) for field in fields(Figures)}
