"""GCOMB-P: learn from many solutions how far down the ranking by degree they reach."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from lense._util.progress import progress
from lense._util.types import AnyArray
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, kept_part
from lense.pruners.base import Pruner
from lense.pruners.ranking import importance, largest

STOCHASTIC_SOLVERS = ("probabilistic-greedy", "hassin-rubinstein", "imm")
_ROUNDING = 1e-9


@dataclass(kw_only=True, repr=False, eq=False)
class GCOMB(Pruner):
    """The pruning of GCOMB (Manchanda et al. 2020), as appendix E of the LeNSE paper describes it.

    rank(v) is the place of v, from 1, in the order of falling degree or out-weight. A stochastic solver, the first that
    the problem has of probabilistic-greedy, hassin-rubinstein and imm, else its own, runs ``runs`` times on the train
    graph of n vertices; r_b' is the largest rank among the first b' vertices of all solutions. On another graph the
    vertices are kept up to the rank that is interpolated between the pairs (b' / n, r_b' / n), b' = 1, ..., b.

    Where a budget does not count vertices, the i-th of the m vertices of the longest solution stands for b' = i b / m.
    """

    name: ClassVar[str] = "gcomb-p"
    title: ClassVar[str] = "GCOMB-P"
    description: ClassVar[str] = "The largest degrees, as far down as solutions reach."
    learns: ClassVar[bool] = True

    runs: int = 30
    seed: int = 0

    def fit_graph(self, graph: Graph) -> None:
        if self.runs < 1:
            raise LenseError(f"GCOMB needs at least one run, not {self.runs}.")
        solver = next((name for name in STOCHASTIC_SOLVERS if name in self.problem_.heuristics), self.problem_.solver)
        problem, n = replace(self.problem_, solver=solver), graph.num_vertices
        rank = np.empty(n)
        rank[largest(importance(problem, graph), n)] = np.arange(1, n + 1)
        deepest = np.zeros(n)
        longest = 0
        with progress(f"solving by {solver}", self.runs) as advance:
            for run in range(self.runs):
                solution = problem.search(graph, self.budget, np.random.default_rng([self.seed, run])).indices
                np.maximum(deepest[: solution.size], rank[solution], out=deepest[: solution.size])
                longest = max(longest, solution.size)
                advance(1)
        if not longest:
            raise LenseError("The solver chose no vertex of the train graph, so there is nothing to learn from.")
        self.budgets_ = self.budget * np.arange(1, longest + 1) / longest / n
        self.ranks_ = np.maximum.accumulate(deepest[:longest]) / n

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        n = graph.num_vertices
        count = min(max(int(n * self.interpolated(budget / n) + _ROUNDING), 1), n)
        return kept_part(graph, largest(importance(self.problem_, graph), count))

    def interpolated(self, budget: float) -> float:
        """The rank for a budget, both as shares of the vertices; beyond the budgets seen it grows in proportion."""
        last = float(self.budgets_[-1])
        if budget > last:
            return float(self.ranks_[-1]) * budget / last
        return float(np.interp(budget, np.append(0.0, self.budgets_), np.append(0.0, self.ranks_)))

    def learnt(self) -> Mapping[str, AnyArray]:
        return {"budgets": self.budgets_, "ranks": self.ranks_}

    def restore(self, learnt: Mapping[str, AnyArray]) -> None:
        budgets, found = (np.asarray(learnt[name], np.float64) for name in ("budgets", "ranks"))
        if budgets.ndim != 1 or budgets.size < 1 or budgets.shape != found.shape:
            raise ValueError("one rank is needed for each budget, and one budget at least")
        if not (np.isfinite([budgets, found]).all() and budgets[0] > 0 and (np.diff(budgets) > 0).all()):
            raise ValueError("budgets must be positive and rise, and ranks be numbers")
        self.budgets_, self.ranks_ = budgets, found
