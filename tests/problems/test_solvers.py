"""What every built-in solver keeps: the budget, the candidates, its guarantee, and bounds that hold."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from lense.graph import Graph
from lense.graph.generate import barabasi_albert
from lense.problems import Problem, get_problem
from lense.problems.base import Rng, problem_class
from tests.brute_force import (
    Measure,
    all_edges,
    covered,
    cut,
    dominated,
    graphs_with_budgets,
    graphs_with_candidates,
    is_greedy,
    optimum,
)

Case = tuple[Graph, int]
MEASURES: dict[str, Measure] = {
    "mvc": lambda graph, chosen: covered(graph, chosen) / all_edges(graph),
    "bmc": cut,
    "domination": dominated,
}


def rng(seed: int = 0) -> Rng:
    return np.random.default_rng(seed)


def solvers(*names: str) -> list[Problem]:
    return [get_problem(name, solver=one) for name in names for one in problem_class(name).heuristics]


def named(problem: Problem) -> str:
    return f"{problem.name}-{problem.solver}"


@pytest.mark.parametrize("name", MEASURES)
@given(case=graphs_with_candidates())
def test_the_objective_is_its_definition(name: str, case: tuple[Graph, int, list[int]]) -> None:
    """Directed or not, with or without weights, self loops and parallel edges; a vertex given twice counts once."""
    graph, _, chosen = case
    problem = get_problem(name)
    assert problem.objective(graph, [*chosen, chosen[0]]) == pytest.approx(MEASURES[name](graph, chosen))
    assert problem.objective(graph, []) == 0
    plain = graph.reweighted(None)
    assert problem.objective(plain, chosen) == pytest.approx(MEASURES[name](plain, chosen))


@pytest.mark.parametrize("problem", solvers(*MEASURES), ids=named)
@given(case=graphs_with_budgets())
@settings(max_examples=30, deadline=None)
def test_every_solver_keeps_to_the_budget_and_bounds_the_optimum(problem: Problem, case: Case) -> None:
    graph, budget = case
    solution = problem.solve(graph, budget, rng())
    best = optimum(graph, budget, MEASURES[problem.name])
    chosen = solution.indices.tolist()
    fewer_may_be_better = problem.name == "bmc" and problem.solver != "hassin-rubinstein"
    assert len(set(chosen)) <= budget if fewer_may_be_better else len(set(chosen)) == budget
    assert solution.score == pytest.approx(MEASURES[problem.name](graph, chosen))
    assert solution.upper_bound is not None
    assert solution.score <= best + 1e-12
    assert solution.upper_bound >= best - 1e-12


@pytest.mark.parametrize("name", ["mvc", "domination"])
@given(case=graphs_with_budgets())
def test_greedy_reaches_its_guarantee_and_its_prefixes_are_greedy(name: str, case: Case) -> None:
    graph, budget = case
    problem, smaller = get_problem(name), max(1, budget - 1)
    solution = problem.solve(graph, budget, rng())
    assert solution.score >= (1 - 1 / math.e) * optimum(graph, budget, MEASURES[name])
    measure = covered if name == "mvc" else dominated  # without the rounding of shares
    assert is_greedy(graph, solution.indices.tolist(), range(graph.num_vertices), measure)
    assert problem.solve(graph, smaller, rng()).indices.tolist() == solution.indices.tolist()[:smaller]


@pytest.mark.parametrize(
    ("name", "solver"), [("mvc", "mip"), ("bmc", "local-search"), ("bmc", "mip"), ("domination", "mip")]
)
@given(case=graphs_with_candidates())
@settings(max_examples=30, deadline=None)
def test_the_order_is_greedy_within_the_solution_and_mip_is_optimal(
    name: str, solver: str, case: tuple[Graph, int, list[int]]
) -> None:
    graph, budget, candidates = case
    problem = get_problem(name, solver=solver, gap=0.0)
    order = problem.search(graph, budget, rng(), candidates=candidates).indices.tolist()
    measure = {"mvc": covered, "bmc": cut, "domination": dominated}[name]
    assert is_greedy(graph, order, order, measure)
    if solver == "mip":
        assert measure(graph, order) == optimum(graph, min(budget, len(candidates)), measure, candidates)


@pytest.mark.parametrize("problem", solvers(*MEASURES), ids=named)
def test_the_seed_decides_everything(problem: Problem) -> None:
    graph = barabasi_albert(200, 3, rng(3))
    first, again = (problem.solve(graph, 15, rng(7)) for _ in range(2))
    assert first.indices.tolist() == again.indices.tolist()


BUILT_IN = [
    problem_class(name)(solver=solver, **options)
    for name, options in {"mvc": {}, "bmc": {}, "im": {"worlds": 10, "model": "constant", "probability": 0.3}}.items()
    for solver in problem_class(name).heuristics
]


@pytest.mark.parametrize("problem", BUILT_IN, ids=lambda p: f"{p.name}-{p.solver}")
class TestEveryBuiltInSolverHeldToCandidates:
    @given(case=graphs_with_candidates())
    @settings(max_examples=25, deadline=None)
    def test_it_chooses_candidates_only_and_all_of_them_where_the_budget_pays_for_more(
        self, problem: Problem, case: tuple[Graph, int, list[int]]
    ) -> None:
        graph, budget, candidates = case
        found = problem.search(problem.prepare(graph), budget, rng(), candidates=candidates)
        assert set(found.indices.tolist()) <= set(candidates)
        most = min(budget, len(candidates))
        fewer_may_be_better = problem.name == "bmc" and problem.solver != "hassin-rubinstein"
        assert found.indices.size <= most if fewer_may_be_better else found.indices.size == most
        assert found.budget == budget

    @given(case=graphs_with_candidates())
    @settings(max_examples=25, deadline=None)
    def test_with_every_vertex_a_candidate_it_answers_as_without(
        self, problem: Problem, case: tuple[Graph, int, list[int]]
    ) -> None:
        graph, budget, _ = case
        prepared, everyone = problem.prepare(graph), np.arange(graph.num_vertices)
        among, without = (problem.search(prepared, budget, rng(), candidates=c) for c in (everyone, None))
        assert among.indices.tolist() == without.indices.tolist()
        assert (among.details, among.upper_bound) == (without.details, without.upper_bound)

    def test_the_order_of_the_candidates_and_repeats_do_not_matter(self, problem: Problem) -> None:
        graph = problem.prepare(barabasi_albert(30, 2, rng()))
        one, other = (
            problem.search(graph, 3, rng(), candidates=c).indices.tolist() for c in ([2, 5, 7, 11], [11, 5, 5, 2, 7])
        )
        assert one == other
