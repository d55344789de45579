"""HiGHS on what bounds leave finds the best of at most k vertices."""

import numpy as np
from hypothesis import given, settings

from lense.graph import Graph
from lense.problems.mip import best_of_core
from tests.brute_force import cut, graphs_with_budgets, optimum
from tests.kernels.test_cliques import pairs_of


@given(case=graphs_with_budgets())
@settings(max_examples=60, deadline=None)
def test_the_best_is_that_of_brute_force(case: tuple[Graph, int]) -> None:
    graph, budget = case
    whole = graph.weights is None
    nothing = np.zeros(graph.num_vertices, np.bool_)
    best = best_of_core(pairs_of(graph), budget, nothing, np.inf, whole=whole, seed=0, time_limit=None)
    wanted = optimum(graph, budget, cut)
    assert best.status == "Optimal"
    assert best.inside is not None
    assert np.count_nonzero(best.inside) <= budget
    assert abs(cut(graph, np.flatnonzero(best.inside).tolist()) - wanted) <= 1e-5 * wanted
    assert best.value <= wanted * (1 + 1e-12)
    assert wanted <= best.upper_bound * (1 + 2e-9)
    assert not whole or best.upper_bound == wanted


def test_a_bound_that_is_known_is_kept_out_of_time() -> None:
    rng = np.random.default_rng(5)
    graph = Graph.from_edges(*rng.integers(0, 200, (2, 4000)), num_vertices=200)
    start = np.arange(200) < 40
    best = best_of_core(pairs_of(graph), 40, start, 2500.0, whole=True, seed=0, time_limit=1e-9)
    assert best.status == "Time limit reached"
    assert best.upper_bound <= 2500
