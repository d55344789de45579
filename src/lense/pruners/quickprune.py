"""QuickPrune: one pass over the vertices that keeps a small part with a guarantee."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from lense._util.progress import progress
from lense._util.types import Float64s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, kept_part
from lense.kernels.quickprune import above_bar, all_below, quickprune
from lense.problems import Problem
from lense.pruners.base import Pruner

if TYPE_CHECKING:
    from lense.streaming.graph import StreamedGraph

_FIRST_SLACK, _LOWER = 0.5, 0.25
_LEAST_SLACK = 1e-3


@dataclass(kw_only=True, repr=False, eq=False)
class QuickPrune(Pruner):
    """QuickPrune (Nath and Kuhnle, AISTATS 2025), which learns nothing.

    In one pass over the vertices, v joins the set A if f(v | A) >= delta c(v) f(A) / k, where k is the budget and c(v)
    the cost of the vertex. Whenever f(A) exceeds n / epsilon times its value at the last checkpoint, the vertices of
    that checkpoint are dropped. The best single vertex is kept as well. If f is submodular, fewer than
    2 (1 + k / delta) ln(n / epsilon) + 3 vertices are kept, and k of them are worth at least
    delta (1 - epsilon) / (2 (delta + 1)^2) of the optimum.

    With ``least_budget``, one part serves every budget from there on: the pass runs for several, each 1 / (1 - eta)
    times the last, and all that they find is kept.
    """

    name: ClassVar[str] = "quickprune"
    title: ClassVar[str] = "QuickPrune"
    description: ClassVar[str] = "Vertices whose gain passes a threshold in one pass."

    delta: float = 0.1
    epsilon: float = 0.1
    eta: float = 0.5
    least_budget: float | None = None

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        return kept_part(graph, self.chosen(graph, budget))

    def chosen(self, graph: Graph, budget: float) -> Int64s:
        """The vertices of a prepared graph that are kept."""
        problem = self.problem_
        given, gains = problem.checked_costs(graph), problem.gains(graph, budget)
        costs = np.empty(0) if given is None else given  # the kernel takes an empty array for none
        passes = [
            _measured_pass(problem, graph, costs, one, self.delta, self.epsilon)
            if gains is None
            else quickprune(gains, costs, float(one), float(self.delta), float(self.epsilon))
            for one in self.budgets(budget)
        ]
        kept = np.unique(np.concatenate(passes))
        if not kept.size:
            raise LenseError(f"QuickPrune keeps nothing, since every vertex costs more than the budget of {budget:g}.")
        return kept

    def prune_stream(self, graph: "StreamedGraph", budget: float) -> Subgraph:
        """Keep the same vertices by passes.

        A vertex is passed over if its degree is below a bar that rises with the value of A. QuickPrune runs on the
        vertices above half of a guess of it. If one that was left out is not below the bar it finds, the guess is
        lowered.
        """
        self.problem_.loss_for("In a stream, quickprune")
        return graph.kept_part(np.concatenate([self._streamed_pass(graph, one) for one in self.budgets(budget)]))

    def _streamed_pass(self, graph: "StreamedGraph", budget: float) -> Int64s:
        degrees, slack = graph.counted, _FIRST_SLACK
        while True:
            part = graph.truncated(np.flatnonzero(above_bar(degrees, self.delta / budget, slack)))
            gains = self.problem_.within(part).gains(part.graph, budget)
            assert gains is not None
            needed, numbers = np.zeros(part.vertices.size), (float(budget), float(self.delta), float(self.epsilon))
            found: Int64s = quickprune(gains, np.empty(0), *numbers, part.cut_off, part.whole_vertices, needed)
            if part.num_left_out == 0 or all_below(degrees, part.vertices, needed):
                return part.vertices[found]
            slack = slack * _LOWER if slack > _LEAST_SLACK else 0.0

    def budgets(self, budget: float) -> Iterator[float]:
        """The budgets that a pass is made for, once the parameters are checked."""
        if not 0 < self.delta < np.inf:
            raise LenseError(f"QuickPrune takes a delta above 0, not {self.delta:g}.")
        for name in ("epsilon", "eta"):
            if not 0 < getattr(self, name) < 1:
                raise LenseError(f"QuickPrune takes an {name} between 0 and 1, not {getattr(self, name):g}.")
        if self.least_budget is not None and not 0 < self.least_budget <= self.budget:
            raise LenseError(
                f"QuickPrune's least_budget must lie above 0 and not above the budget of {self.budget:g}, "
                f"not at {self.least_budget:g}."
            )
        step = budget if self.least_budget is None else self.least_budget
        while step < budget:
            yield step
            step /= 1 - self.eta
        yield budget


def _measured_pass(
    problem: Problem, graph: Graph, costs: Float64s, budget: float, delta: float, epsilon: float
) -> Int64s:
    """As :func:`lense.kernels.quickprune.quickprune`, where only the objective f is known: two calls a vertex."""
    affordable = np.arange(graph.num_vertices) if not costs.size else np.flatnonzero(costs <= budget)
    members: list[int] = []
    mark = 0
    value = checkpoint_value = problem.objective_value(graph, np.empty(0, np.int64))
    best, best_value = [], -np.inf
    with progress("QuickPrune", affordable.size) as advance:
        for v in affordable.tolist():
            single = problem.objective_value(graph, [v])
            if single > best_value:
                best, best_value = [v], single
            added = problem.objective_value(graph, [*members, v]) - value
            if added > 0 and added >= delta * (costs[v] if costs.size else 1.0) * value / budget:
                members.append(v)
                value += added
                if value * epsilon > graph.num_vertices * checkpoint_value:
                    del members[:mark]
                    mark = len(members)
                    value = checkpoint_value = problem.objective_value(graph, members)
            advance(1)
    return np.array(members + best, np.int64)
