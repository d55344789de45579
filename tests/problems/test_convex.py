"""The tangent of a concave program bounds every set, and decides only what it may."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

from lense.graph import Graph, barabasi_albert
from lense.kernels.bounds import DROPPED, FORCED, Pairs
from lense.problems.relaxation import Relaxation, convex_bound, convex_work
from tests.brute_force import cut, graphs_with_budgets, optimum
from tests.kernels.test_cliques import pairs_of

Case = tuple[Graph, int]


@given(case=graphs_with_budgets())
@settings(max_examples=60, deadline=None)
def test_the_bound_holds_wherever_it_starts_from(case: Case) -> None:
    graph, budget = case
    best = optimum(graph, budget, cut)
    for start in (0.0, 0.5, 1.0):
        bound = convex_bound(pairs_of(graph), budget, np.full(graph.num_vertices, start), best).dual.bound
        assert bound >= best * (1 - 1e-9)


@given(case=graphs_with_budgets(weighted=False))
@settings(max_examples=60, deadline=None)
def test_no_set_that_matters_goes_against_what_is_decided(case: Case) -> None:
    graph, budget = case
    cutoff = optimum(graph, budget, cut) - 1e-6
    state = convex_bound(pairs_of(graph), budget, np.zeros(graph.num_vertices), cutoff).dual.decided(cutoff)
    for size in range(budget + 1):
        for chosen in combinations(range(graph.num_vertices), size):
            if cut(graph, chosen) >= cutoff:
                assert not (state[list(chosen)] == DROPPED).any()
                assert set(np.flatnonzero(state == FORCED).tolist()) <= set(chosen)


def test_the_point_where_it_touches_is_a_choice_in_parts_within_the_budget() -> None:
    x = convex_bound(pairs_of(barabasi_albert(60, 4, np.random.default_rng(2))), 7, np.zeros(60), 0.0).x
    assert x.min() >= 0
    assert x.max() <= 1
    assert x.sum() == pytest.approx(7, rel=1e-6)


def test_it_is_tighter_than_cliques_where_a_graph_is_dense_without_being_one() -> None:
    rng = np.random.default_rng(4)
    sources, targets = np.nonzero(np.triu(rng.random((60, 60)) < 0.5, 1))
    pairs = pairs_of(Graph.from_edges(sources, targets, num_vertices=60))
    relaxation = Relaxation(pairs, 20)
    relaxation.bundle()
    for _ in range(20):
        relaxation.descend()
    assert convex_bound(pairs, 20, relaxation.x, 0.0).dual.bound < relaxation.bound


def test_the_work_grows_with_the_cube_of_the_size() -> None:
    assert 6 < convex_work(2000) / convex_work(1000) < 8


def test_where_no_pair_costs_anything_the_bound_is_the_optimum() -> None:
    stars = pairs_of(Graph.from_edges([0, 0, 4], [1, 2, 5], num_vertices=6))
    free = Pairs(stars.profit, np.zeros_like(stars.indptr), stars.indices[:0], stars.cost[:0])
    assert convex_bound(free, 2, np.zeros(6), 0.0).dual.bound == np.sort(stars.profit)[-2:].sum()
