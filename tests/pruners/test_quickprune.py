"""QuickPrune keeps a small part that holds a good solution."""

from dataclasses import dataclass
from itertools import combinations
from math import log
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from lense._util.types import Float64s, Int64s
from lense.graph import Graph, power_law
from lense.problems import Problem, get_problem
from lense.problems.base import Rng, heuristic, vertex_set
from lense.pruners.quickprune import QuickPrune
from tests.brute_force import Measure, covered, cut, graphs_with_budgets
from tests.pruners.examples import Hidden

Case = tuple[Graph, int]
CASES = graphs_with_budgets(max_vertices=8)
FRACTIONS = st.floats(0.02, 0.98)
MEASURES = {"mvc": covered, "bmc": cut}
NAMES = st.sampled_from(list(MEASURES))


@dataclass(frozen=True, kw_only=True)
class Reach(Problem):
    """A user's problem, known by its objective alone: the vertices in or next to the set, at a cost for each."""

    name: ClassVar[str] = "reach"
    prices: tuple[float, float] | None = None

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        chosen = vertex_set(graph, vertices)
        rows = [graph.indices[graph.indptr[v] : graph.indptr[v + 1]] for v in chosen.tolist()]
        return float(np.unique(np.concatenate([chosen, *rows])).size)

    def costs(self, graph: Graph) -> Float64s | None:
        return None if self.prices is None else np.linspace(*self.prices, graph.num_vertices)

    @heuristic("first")
    def first(self, graph: Graph, budget: int, rng: Rng) -> Int64s:
        return np.arange(int(budget))


@pytest.fixture(scope="module")
def graph() -> Graph:
    return power_law(400, 8.0, 2.3, np.random.default_rng(2))


def reference(graph: Graph, measure: Measure, budget: float, delta: float, epsilon: float) -> list[int]:
    chosen: list[int] = []
    checkpoint: list[int] = []
    for v in range(graph.num_vertices):
        value = measure(graph, chosen)
        added = measure(graph, [*chosen, v]) - value
        if added > 0 and added >= delta * value / budget:
            chosen = [*chosen, v]
            if measure(graph, chosen) * epsilon > graph.num_vertices * measure(graph, checkpoint):
                chosen = [w for w in chosen if w not in checkpoint]
                checkpoint = chosen
    best = max(range(graph.num_vertices), key=lambda v: measure(graph, [v]))
    return sorted({*chosen, best})


@given(CASES, NAMES, st.floats(0.02, 3.0), FRACTIONS)
@settings(max_examples=100, deadline=None)
def test_the_part_is_that_of_the_algorithm_as_defined(case: Case, name: str, delta: float, epsilon: float) -> None:
    graph, budget = case
    part = QuickPrune(name, budget, delta=delta, epsilon=epsilon).prune(graph)
    assert part.vertices.tolist() == reference(graph, MEASURES[name], budget, delta, epsilon)
    assert np.array_equal(part.roots, part.vertices)


@given(CASES, NAMES, st.floats(0.02, 3.0), FRACTIONS)
@settings(max_examples=100, deadline=None)
def test_few_vertices_are_kept_that_hold_a_share_of_the_optimum(
    case: Case, name: str, delta: float, epsilon: float
) -> None:
    (graph, budget), measure = case, MEASURES[name]
    kept = QuickPrune(name, budget, delta=delta, epsilon=epsilon).prune(graph).vertices.tolist()

    def best(candidates: list[int]) -> float:
        sizes = range(min(budget, len(candidates)) + 1)
        return max(measure(graph, chosen) for size in sizes for chosen in combinations(candidates, size))

    assert len(kept) < 2 * (1 + budget / delta) * log(graph.num_vertices / epsilon) + 3
    share = delta * (1 - epsilon) / (2 * (delta + 1) ** 2)
    assert best(kept) >= share * best(list(range(graph.num_vertices)))


@given(CASES, st.floats(0.05, 2.0), FRACTIONS)
@settings(max_examples=60, deadline=None)
def test_asking_for_the_objective_finds_the_same_as_the_kernel(case: Case, delta: float, epsilon: float) -> None:
    graph, budget = case
    counted, asked = (QuickPrune(name, budget, delta=delta, epsilon=epsilon) for name in ("bmc", Hidden()))
    assert counted.prune(graph).vertices.tolist() == asked.prune(graph).vertices.tolist()


def test_influence_is_pruned_to_a_part_that_holds_a_good_solution() -> None:
    problem = get_problem("im")
    graph = problem.prepare(power_law(500, 6.0, 2.3, np.random.default_rng(0)))
    pruner = QuickPrune(problem, 10)
    part = pruner.prune(graph, prepared=True)
    assert part.vertices.size < 250
    rng = np.random.default_rng(0)
    on_part = problem.search(graph, 10, rng, candidates=part.roots)
    ratio = problem.objective(graph, on_part.indices) / problem.solve(graph, 10, rng, certify=False).score
    assert ratio > 0.9


def test_with_a_least_budget_the_parts_of_a_geometric_grid_of_budgets_are_united(graph: Graph) -> None:
    united = QuickPrune("mvc", 20, least_budget=3, eta=0.5).prune(graph).vertices
    parts = [QuickPrune("mvc", 20).prune(graph, budget=20).vertices.tolist()]
    pruner = QuickPrune("mvc", 20)
    parts += [pruner.prune(graph, budget=budget).vertices.tolist() for budget in (3, 6, 12)]
    assert set(united.tolist()) == set().union(*parts)
    assert list(QuickPrune(least_budget=1, eta=0.75).budgets(100)) == [1, 4, 16, 64, 100]


def test_vertices_dearer_than_the_budget_are_passed_over() -> None:
    graph, problem = power_law(60, 4.0, 2.3, np.random.default_rng(0)), Reach(prices=(1.0, 8.0))
    costs = problem.costs(graph)
    assert costs is not None
    assert (costs[QuickPrune(problem, 4).prune(graph).vertices] <= 4).all()
    assert (costs[QuickPrune(Reach(), 4).prune(graph).vertices] > 4).any()
