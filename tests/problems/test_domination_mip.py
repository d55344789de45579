"""The program of domination: its optimum, its bound, and where it stops."""

import numpy as np
from hypothesis import given, settings

from lense.graph import Graph, power_law
from lense.kernels.domination import closed_rows
from lense.problems.mip import best_domination
from tests.brute_force import dominated, graphs_with_candidates, optimum


@given(graphs_with_candidates())
@settings(max_examples=60, deadline=None)
def test_it_is_the_optimum_and_its_own_bound_from_any_start(case: tuple[Graph, int, list[int]]) -> None:
    graph, budget, candidates = case
    rows = closed_rows(graph.incident)
    start = np.array(candidates[:budget], np.int64)
    found = best_domination(*rows, np.array(candidates, np.int32), start, seed=0)
    best = optimum(graph, start.size, dominated, candidates)
    assert dominated(graph, found.vertices.tolist()) == found.upper_bound == best
    assert found.details["status"] == "Optimal"


def test_without_time_the_start_is_the_answer_or_something_better() -> None:
    graph = power_law(300, 5, 2.3, np.random.default_rng(0))
    rows, everyone = closed_rows(graph.incident), np.arange(300, dtype=np.int32)
    found = best_domination(*rows, everyone, np.arange(10), seed=0, time_limit=1e-6)
    assert found.vertices.size == 10
    assert dominated(graph, found.vertices.tolist()) >= dominated(graph, range(10))
