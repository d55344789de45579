"""The bounds of the linear relaxation and of the concave program hold, and so does what they decide."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from lense.graph import Graph
from lense.kernels.bounds import DROPPED, FORCED, Pairs
from lense.problems.relaxation import Dual, Relaxation, convex_bound
from tests.brute_force import cut, graphs_with_budgets, optimum, pairs_of

Case = tuple[Graph, int]


@pytest.mark.parametrize("bundled", [False, True])
@given(case=graphs_with_budgets())
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


def linear(graph: Graph, budget: int, cutoff: float) -> Dual:
    relaxation = Relaxation(pairs_of(graph), budget)
    relaxation.descend()
    return relaxation.dual


def concave(graph: Graph, budget: int, cutoff: float) -> Dual:
    return convex_bound(pairs_of(graph), budget, np.zeros(graph.num_vertices), cutoff).dual


@pytest.mark.parametrize("bound", [linear, concave])
@given(case=graphs_with_budgets(weighted=False))
def test_no_set_that_matters_goes_against_what_is_decided(
    bound: Callable[[Graph, int, float], Dual], case: Case
) -> None:
    graph, budget = case
    cutoff = optimum(graph, budget, cut) - 1e-6
    state = bound(graph, budget, cutoff).decided(cutoff)
    for size in range(budget + 1):
        for chosen in combinations(range(graph.num_vertices), size):
            if cut(graph, chosen) >= cutoff:
                assert not (state[list(chosen)] == DROPPED).any()
                assert set(np.flatnonzero(state == FORCED).tolist()) <= set(chosen)


@given(case=graphs_with_budgets(weighted=False))
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


@given(case=graphs_with_budgets())
def test_the_bound_holds_wherever_it_starts_from(case: Case) -> None:
    graph, budget = case
    best = optimum(graph, budget, cut)
    for start in (0.0, 0.5, 1.0):
        bound = convex_bound(pairs_of(graph), budget, np.full(graph.num_vertices, start), best).dual.bound
        assert bound >= best * (1 - 1e-9)


def test_where_no_pair_costs_anything_the_bound_is_the_optimum() -> None:
    stars = pairs_of(Graph.from_edges([0, 0, 4], [1, 2, 5], num_vertices=6))
    free = Pairs(stars.profit, np.zeros_like(stars.indptr), stars.indices[:0], stars.cost[:0])
    assert convex_bound(free, 2, np.zeros(6), 0.0).dual.bound == np.sort(stars.profit)[-2:].sum()
