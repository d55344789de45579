"""An optimum with its proof, or the best found with a bound."""

import numpy as np
import pytest
from hypothesis import given

from lense.errors import LenseError
from lense.graph import Graph
from lense.problems import get_problem
from lense.problems.exact import solve_exactly
from tests.brute_force import all_edges, covered, cut, graphs_with_budgets, is_greedy, optimum
from tests.problems.samples import NAMES, collaboration


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@NAMES
@given(case=graphs_with_budgets(weighted=False))
def test_it_is_the_optimum_of_brute_force_and_proven(name: str, case: tuple[Graph, int]) -> None:
    graph, budget = case
    found = solve_exactly(get_problem(name), graph, budget, rng())
    measure, unit = (covered, all_edges(graph)) if name == "mvc" else (cut, 1)
    assert found.score == optimum(graph, budget, measure) / unit
    assert found.indices.size <= budget
    assert (found.certified, found.optimal) == (1.0, True)
    assert is_greedy(graph, found.indices.tolist(), found.indices.tolist(), measure)


@given(case=graphs_with_budgets(weighted=True))
def test_with_weights_it_is_the_optimum_up_to_rounding(case: tuple[Graph, int]) -> None:
    graph, budget = case
    found = solve_exactly(get_problem("bmc"), graph, budget, rng())
    assert found.score == pytest.approx(optimum(graph, budget, cut), rel=2e-9)
    assert (found.certified, found.optimal) == (1.0, True)


@NAMES
def test_what_highs_proves_of_weights_that_are_no_whole_numbers_is_optimal(name: str) -> None:
    rng_ = np.random.default_rng(5)
    (sources, targets), weights = rng_.integers(0, 45, (2, 300)), rng_.random(300, np.float32)
    graph = Graph.from_edges(sources, targets, weights, num_vertices=45)
    found = solve_exactly(get_problem(name), graph, 18, rng())
    assert found.details["status"] == "Optimal"
    assert (found.certified, found.optimal) == (1.0, True)


@NAMES
def test_out_of_time_it_is_not_worse_than_a_plain_answer(name: str) -> None:
    graph, problem = collaboration(90, 2), get_problem(name)
    plain = problem.solve(graph, 10, rng())
    found = solve_exactly(problem, graph, 10, rng(), time_limit=1e-6)
    assert plain.upper_bound is not None
    assert found.upper_bound is not None
    assert found.score >= plain.score
    assert found.upper_bound <= plain.upper_bound


def test_problems_of_another_kind_and_limits_that_make_no_sense_are_refused() -> None:
    im, graph = get_problem("im"), Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(LenseError, match=r"Solving exactly is for .*, not for im"):
        solve_exactly(im, im.prepare(graph), 1, rng())
    with pytest.raises(LenseError, match="time_limit"):
        solve_exactly(get_problem("mvc"), graph, 1, rng(), time_limit=-1)
