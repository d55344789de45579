"""The relaxation's bound falls, holds, and decides only what it may."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

from lense.graph import Graph
from lense.kernels.bounds import DROPPED, FORCED, LIVE
from lense.problems.relaxation import Relaxation
from tests.brute_force import cut, graphs_with_budgets, optimum
from tests.kernels.test_cliques import pairs_of

Case = tuple[Graph, int]


@pytest.mark.parametrize("bundled", [False, True])
@given(case=graphs_with_budgets())
@settings(max_examples=40, deadline=None)
def test_the_bound_falls_and_holds(bundled: bool, case: Case) -> None:
    graph, budget = case
    relaxation = Relaxation(pairs_of(graph), budget)
    if bundled:
        relaxation.bundle()
    best = optimum(graph, budget, cut)
    for _ in range(4):
        before = relaxation.bound
        relaxation.descend()
        assert best * (1 - 1e-9) <= relaxation.bound <= before
    assert relaxation.is_bundled == bundled
    assert relaxation.work > 0


@given(case=graphs_with_budgets(weighted=False))
@settings(max_examples=60, deadline=None)
def test_no_set_that_matters_goes_against_what_is_decided(case: Case) -> None:
    graph, budget = case
    relaxation = Relaxation(pairs_of(graph), budget)
    relaxation.descend()
    cutoff = optimum(graph, budget, cut) - 1e-6
    state = relaxation.dual.decided(cutoff)
    for size in range(budget + 1):
        for chosen in combinations(range(graph.num_vertices), size):
            if cut(graph, chosen) >= cutoff:
                assert not (state[list(chosen)] == DROPPED).any()
                assert set(np.flatnonzero(state == FORCED).tolist()) <= set(chosen)


@given(case=graphs_with_budgets(weighted=False))
@settings(max_examples=40, deadline=None)
def test_supposing_bounds_the_sets_with_or_without_a_vertex(case: Case) -> None:
    graph, budget = case
    relaxation = Relaxation(pairs_of(graph), budget)
    relaxation.descend()
    before = relaxation.bound
    chosen, left_out = relaxation.supposing(0, FORCED), relaxation.supposing(0, DROPPED)
    with_it = optimum(graph, budget, cut, forced=[0])
    others = range(1, graph.num_vertices)
    assert relaxation.pairs.profit[0] + chosen.bound >= with_it - 1e-9
    assert left_out.bound >= optimum(graph, min(budget, len(others)), cut, others) - 1e-9
    assert (relaxation.bound, relaxation.left) == (before, budget)


def test_narrowing_keeps_the_bound_of_what_is_left() -> None:
    star = Graph.from_edges([0, 0, 0, 1], [1, 2, 3, 4])
    relaxation = Relaxation(pairs_of(star), 2)
    relaxation.narrow(np.array([FORCED, LIVE, LIVE, DROPPED, LIVE], np.int8))
    assert relaxation.left == 1
    assert relaxation.pairs.profit.tolist() == [0, -1, 1]
    assert relaxation.bound == 1
