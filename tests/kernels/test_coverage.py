"""Covered edges are counted, bounded and drawn as defined."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from lense.graph import Graph
from lense.kernels.buckets import degrees
from lense.kernels.coverage import coverage_bound, covered_edges, probabilistic_greedy, stochastic_greedy
from lense.types import Int32s
from tests.brute_force import covered, graphs_with_budgets, graphs_with_candidates, is_greedy, optimum

Case = tuple[Graph, int]
CASES = graphs_with_budgets()
SEEDS = st.integers(0, 2**64 - 1).map(np.uint64)


def everyone(graph: Graph) -> Int32s:
    return np.arange(graph.num_vertices, dtype=np.int32)


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


@given(graphs_with_candidates(), SEEDS)
@settings(max_examples=60, deadline=None)
def test_stochastic_greedy_that_samples_every_candidate_is_greedy(
    case: tuple[Graph, int, list[int]], seed: np.uint64
) -> None:
    graph, budget, candidates = case
    rows, pool = graph.incident, np.array(candidates, np.int32)
    order = stochastic_greedy(rows.indptr, rows.indices, pool, min(budget, pool.size), pool.size, seed)
    assert is_greedy(graph, order.tolist(), candidates, covered)
    assert pool.tolist() == candidates


@given(graphs_with_candidates(), SEEDS, st.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_stochastic_greedy_takes_different_candidates(
    case: tuple[Graph, int, list[int]], seed: np.uint64, sample: int
) -> None:
    graph, budget, candidates = case
    rows, size = graph.incident, min(budget, len(candidates))
    pool = np.array(candidates, np.int32)
    order = stochastic_greedy(rows.indptr, rows.indices, pool, size, sample, seed).tolist()
    assert len(set(order)) == size
    assert set(order) <= set(candidates)


def test_stochastic_greedy_samples_uniformly() -> None:
    graph = Graph.from_edges([0, 2, 4], [1, 3, 5])
    counts = np.bincount(
        [
            stochastic_greedy(graph.indptr, graph.indices, everyone(graph), 1, 1, np.uint64(seed))[0]
            for seed in range(3000)
        ],
        minlength=6,
    )
    assert chisquare(counts).pvalue > 1e-4


@given(graphs_with_candidates(), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_probabilistic_greedy_takes_gainful_candidates_as_long_as_there_are_any(
    case: tuple[Graph, int, list[int]], seed: int
) -> None:
    graph, budget, candidates = case
    rows, lots = graph.incident, np.random.default_rng(seed).random(min(budget, len(candidates)))
    order = probabilistic_greedy(rows.indptr, rows.indices, np.array(candidates, np.int32), lots).tolist()
    assert len(set(order)) == lots.size
    assert set(order) <= set(candidates)
    reachable = covered(graph, candidates)
    for i in range(lots.size):
        nothing_to_gain = covered(graph, order[:i]) == reachable
        assert nothing_to_gain or covered(graph, order[: i + 1]) > covered(graph, order[:i])


def test_probabilistic_greedy_draws_in_proportion_to_the_gain() -> None:
    # two hubs and a triangle: degrees 4, 3, 2, 2, 2 and seven leaves
    graph = Graph.from_edges([0, 0, 0, 0, 1, 1, 1, 9, 10, 11], [2, 3, 4, 5, 6, 7, 8, 10, 11, 9])
    lots = np.random.default_rng(0).random((6000, 2))
    pairs = [probabilistic_greedy(graph.indptr, graph.indices, everyone(graph), both) for both in lots]
    first = np.bincount([pair[0] for pair in pairs], minlength=12)
    assert chisquare(first, graph.out_degrees / graph.out_degrees.sum() * first.sum()).pvalue > 1e-4

    after_hub_0 = np.bincount([pair[1] for pair in pairs if pair[0] == 0], minlength=12)
    gains = np.array([0, 3, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    assert not after_hub_0[gains == 0].any()
    expected = gains[gains > 0] / gains.sum() * after_hub_0.sum()
    assert chisquare(after_hub_0[gains > 0], expected).pvalue > 1e-4

    some = np.array([0, 1, 6, 9], dtype=np.int32)
    drawn = [probabilistic_greedy(graph.indptr, graph.indices, some, both[:1])[0] for both in lots]
    assert chisquare(np.bincount(drawn)[some], np.array([4, 3, 1, 2]) / 10 * len(lots)).pvalue > 1e-4
