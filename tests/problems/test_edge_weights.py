"""Weights that can be counted are, others are refused; quick orders are greedy by what edges count."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph import Graph
from lense.problems import Problem, get_problem
from lense.problems.base import min_max
from lense.problems.bmc import BudgetedMaxCut
from lense.problems.edge_weights import edge_counts
from lense.problems.mvc import MaxVertexCover
from lense.pruners.ranking import importance
from tests.brute_force import all_edges, covered, cut, graphs_with_budgets, optimum

ANY_WEIGHTS = st.floats(0, 2.0**100, width=32, allow_subnormal=False)
PROBLEMS = pytest.mark.parametrize("problem", [get_problem("mvc"), get_problem("bmc")], ids=lambda p: p.name)
USES: dict[str, Callable[[Problem, Graph], object]] = {
    "prepare": lambda problem, graph: problem.prepare(graph),
    "objective": lambda problem, graph: problem.objective(graph, [0]),
    "search": lambda problem, graph: problem.search(graph, 1, np.random.default_rng(0)),
    "gains": lambda problem, graph: problem.gains(graph, 1),
    "features": lambda problem, graph: problem.features(graph),
    "importance": importance,
}


def weighted_path(*weights: float, directed: bool = False) -> Graph:
    return Graph.from_edges([0, 1, 2], [1, 2, 3], directed=directed).reweighted(
        weights if directed else [weights[0], weights[0], weights[1], weights[1], weights[2], weights[2]]
    )


@pytest.mark.parametrize("use", list(USES))
@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
@PROBLEMS
def test_weights_that_cannot_be_counted_are_refused(problem: Problem, weight: float, use: str) -> None:
    graph = weighted_path(1, weight, 2)
    sentence = (
        rf"^An edge has the weight {weight:g}, but only weights from 0 up can be counted; "
        r"weights=False counts every edge as 1, as does graph\.reweighted\(None\)\.$"
    )
    with pytest.raises(LenseError, match=sentence):
        USES[use](problem, graph)
    USES[use](problem, graph.reweighted(None))


@pytest.mark.parametrize(
    "problem",
    [
        *(get_problem("mvc", solver=solver) for solver in MaxVertexCover.heuristics),
        *(get_problem("bmc", solver=solver, gap=0.0) for solver in BudgetedMaxCut.heuristics),
    ],
    ids=lambda p: f"{p.name}-{p.solver}",
)
@given(case=graphs_with_budgets(weighted=True, weights=ANY_WEIGHTS))
@settings(max_examples=30, deadline=None)
def test_rounding_does_not_lift_a_score_above_its_bounds(problem: Problem, case: tuple[Graph, int]) -> None:
    """The score is at most the optimum, the bound at least that, and mip finds it."""
    graph, budget = case
    is_cover = problem.name == "mvc"
    best = optimum(graph, budget, covered) / all_edges(graph) if is_cover else optimum(graph, budget, cut)
    solution = problem.solve(graph, budget, np.random.default_rng(0))
    assert solution.upper_bound is not None
    assert solution.score <= best * (1 + 1e-12)
    # sets that are better by less than a billionth do not count as better
    assert solution.upper_bound >= max(best * (1 - 2e-9), solution.score * (1 - 1e-15))
    if problem.solver == "mip":
        assert solution.score == pytest.approx(best, rel=1e-5)


@PROBLEMS
def test_degrees_features_and_importance_are_by_weight(problem: Problem) -> None:
    graph = weighted_path(0.5, 2, 4, directed=True)
    degrees = [0.5, 2.5, 6, 4]
    assert problem.degrees(graph).tolist() == degrees
    assert importance(problem, graph).tolist() == degrees
    np.testing.assert_array_equal(problem.features(graph)[:, 0], min_max(degrees))


def test_influence_does_not_count_weights_but_has_them_as_probabilities() -> None:
    problem, graph = get_problem("im"), weighted_path(0.5, 1, 0.25, directed=True)
    assert problem.degrees(graph).tolist() == [1, 2, 2, 1]
    assert importance(problem, graph).tolist() == [0.5, 1, 0.25, 0]
    np.testing.assert_array_equal(problem.features(graph)[:, 0], min_max([1, 1, 1, 0]))


@pytest.mark.parametrize(
    ("weights", "whole"), [(None, True), ([1, 2, 3], True), ([0.5, 1, 1], False), ([2e9, 1, 1], False)]
)
def test_whole_numbers_are_those_whose_sums_show_a_difference_of_one(weights: list[float] | None, whole: bool) -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], weights)
    assert edge_counts(graph).are_whole == whole
