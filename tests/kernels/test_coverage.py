"""Covered edges are counted, bounded and drawn as defined."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from lense.graph import Graph
from lense.kernels.buckets import degrees
from lense.kernels.coverage import coverage_bound, covered_edges, probabilistic_greedy, stochastic_greedy
from tests.brute_force import covered, graphs_with_budgets, is_greedy, optimum

Case = tuple[Graph, int]
CASES = graphs_with_budgets()
SEEDS = st.integers(0, 2**64 - 1).map(np.uint64)


@given(CASES, st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_covered_edges_have_an_end_in_the_set(case: Case, seed: int) -> None:
    graph, size = case
    chosen = np.random.default_rng(seed).permutation(graph.num_vertices)[:size]
    assert covered_edges(graph.incident.indptr, graph.incident.indices, chosen) == covered(graph, chosen.tolist())


@given(CASES, st.integers(0, 1000), st.integers(0, 7))
@settings(max_examples=100, deadline=None)
def test_the_bound_is_the_least_over_all_prefixes(case: Case, seed: int, length: int) -> None:
    graph, budget = case
    n, rows = graph.num_vertices, graph.incident
    order = np.random.default_rng(seed).permutation(n)[:length]
    bounds = []
    for i in range(order.size + 1):
        prefix = order[:i].tolist()
        base = covered(graph, prefix)
        gains = sorted((covered(graph, [*prefix, v]) - base for v in range(n)), reverse=True)
        bounds.append(base + sum(gains[:budget]))
    bound = coverage_bound(rows.indptr, rows.indices, degrees(rows.indptr), order, budget)
    assert bound == min(bounds)
    assert bound >= optimum(graph, budget, covered)


def test_a_vertex_repeated_in_the_order_changes_nothing_in_the_bound() -> None:
    graph = Graph.from_edges([0, 0, 0, 3], [1, 2, 3, 4])
    bounds = [
        coverage_bound(graph.indptr, graph.indices, degrees(graph.indptr), np.array(order), 1)
        for order in ([0, 3], [0, 0, 3, 3, 0])
    ]
    assert bounds[0] == bounds[1]


@given(CASES, SEEDS)
@settings(max_examples=60, deadline=None)
def test_stochastic_greedy_that_samples_everybody_is_greedy(case: Case, seed: np.uint64) -> None:
    graph, budget = case
    n, rows = graph.num_vertices, graph.incident
    order = stochastic_greedy(rows.indptr, rows.indices, budget, n, seed)
    assert is_greedy(graph, order.tolist(), range(n), covered)


@given(CASES, SEEDS, st.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_stochastic_greedy_takes_different_vertices_of_the_graph(case: Case, seed: np.uint64, sample: int) -> None:
    graph, budget = case
    rows = graph.incident
    order = stochastic_greedy(rows.indptr, rows.indices, budget, sample, seed).tolist()
    assert len(set(order)) == budget
    assert set(order) <= set(range(graph.num_vertices))


def test_stochastic_greedy_samples_uniformly() -> None:
    graph = Graph.from_edges([0, 2, 4], [1, 3, 5])
    counts = np.bincount(
        [stochastic_greedy(graph.indptr, graph.indices, 1, 1, np.uint64(seed))[0] for seed in range(3000)], minlength=6
    )
    assert chisquare(counts).pvalue > 1e-4


@given(CASES, st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_probabilistic_greedy_takes_gainful_vertices_as_long_as_there_are_any(case: Case, seed: int) -> None:
    graph, budget = case
    rows = graph.incident
    order = probabilistic_greedy(rows.indptr, rows.indices, np.random.default_rng(seed).random(budget)).tolist()
    assert len(set(order)) == budget
    for i in range(budget):
        everything_covered = covered(graph, order[:i]) == graph.num_edges
        assert everything_covered or covered(graph, order[: i + 1]) > covered(graph, order[:i])


def test_probabilistic_greedy_draws_in_proportion_to_the_gain() -> None:
    # two hubs and a triangle: degrees 4, 3, 2, 2, 2 and seven leaves
    graph = Graph.from_edges([0, 0, 0, 0, 1, 1, 1, 9, 10, 11], [2, 3, 4, 5, 6, 7, 8, 10, 11, 9])
    lots = np.random.default_rng(0).random((6000, 2))
    pairs = [probabilistic_greedy(graph.indptr, graph.indices, both) for both in lots]
    first = np.bincount([pair[0] for pair in pairs], minlength=12)
    assert chisquare(first, graph.out_degrees / graph.out_degrees.sum() * first.sum()).pvalue > 1e-4

    after_hub_0 = np.bincount([pair[1] for pair in pairs if pair[0] == 0], minlength=12)
    gains = np.array([0, 3, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    assert not after_hub_0[gains == 0].any()
    expected = gains[gains > 0] / gains.sum() * after_hub_0.sum()
    assert chisquare(after_hub_0[gains > 0], expected).pvalue > 1e-4
