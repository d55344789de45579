"""The subgraph of the first vertices of a ranking, as LeNSE's is that of the roots its walk ends with."""

import math
from abc import abstractmethod
from typing import ClassVar

from lense.errors import LenseError
from lense.graph import AnyGraph, Graph
from lense.parts import Subgraph, subgraph
from lense.problems import Problem
from lense.problems.orders import discount_order
from lense.pruners.base import Pruner
from lense.pruners.ranking import importance, largest
from lense.types import Int64s

ROOTS_PER_BUDGET = 1.25
_MOST_PER_BUDGET = 1e6


class RootsPruner(Pruner):
    """Keeps xi(X): the roots X, their neighbours, and the edges at X. X are the first k vertices of a ranking.

    k is ``roots_per_budget`` times the budget, rounded up; no more than there are vertices, no fewer than 1.
    """

    def __init__(
        self, problem: str | Problem = "mvc", budget: float = 100, *, roots_per_budget: float = ROOTS_PER_BUDGET
    ) -> None:
        super().__init__(problem, budget)
        self.roots_per_budget = roots_per_budget

    @abstractmethod
    def ranking(self, graph: Graph, count: int) -> Int64s:
        """The ``count`` vertices of a prepared graph that rank first, best first."""

    def prune(self, graph: AnyGraph, *, budget: float | None = None, seed: int = 0, prepared: bool = False) -> Subgraph:
        wanted = self.num_roots(self.budget if budget is None else budget)
        whole = self.prepared(graph, prepared, budget, seed)
        return subgraph(whole, self.ranking(whole, min(wanted, whole.num_vertices)))

    def num_roots(self, budget: float) -> int:
        """How many roots a part has, if the graph has so many vertices."""
        if not 0 < self.roots_per_budget <= _MOST_PER_BUDGET:
            raise LenseError(f"The roots_per_budget of {self.name} must be above 0, not {self.roots_per_budget:g}.")
        return math.ceil(self.roots_per_budget * budget)


class TopRoots(RootsPruner):
    """The roots are the vertices of largest degree, or of largest out-weight where the problem uses direction."""

    name: ClassVar[str] = "top-roots"

    def ranking(self, graph: Graph, count: int) -> Int64s:
        return largest(importance(self.problem_, graph), count)


class DiscountRoots(RootsPruner):
    """The roots are the vertices that :func:`lense.problems.orders.discount_order` takes first."""

    name: ClassVar[str] = "discount-roots"

    def ranking(self, graph: Graph, count: int) -> Int64s:
        return discount_order(self.problem_, graph, count)
