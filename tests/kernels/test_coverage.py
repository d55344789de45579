"""Covered edges are counted, bounded and drawn as defined."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from lense._util.types import AnyArray, Int32s
from lense.graph import Graph
from lense.kernels.coverage import probabilistic_greedy
from lense.kernels.rows import weighted_degrees
from tests.brute_force import covered, graphs_with_candidates


def everyone(graph: Graph) -> Int32s:
    return np.arange(graph.num_vertices, dtype=np.int32)


def degrees(graph: Graph) -> AnyArray:
    return weighted_degrees(graph.incident)


@given(graphs_with_candidates(), st.integers(0, 1000))
def test_probabilistic_greedy_takes_gainful_candidates_as_long_as_there_are_any(
    case: tuple[Graph, int, list[int]], seed: int
) -> None:
    graph, budget, candidates = case
    numbers = np.random.default_rng(seed).random(min(budget, len(candidates)))
    order = probabilistic_greedy(graph.incident, degrees(graph), np.array(candidates, np.int32), numbers).tolist()
    assert len(set(order)) == numbers.size
    assert set(order) <= set(candidates)
    reachable = covered(graph, candidates)
    for i in range(numbers.size):
        nothing_to_gain = covered(graph, order[:i]) == reachable
        assert nothing_to_gain or covered(graph, order[: i + 1]) > covered(graph, order[:i])


def test_probabilistic_greedy_draws_in_proportion_to_the_gain() -> None:
    # two hubs and a triangle: degrees 4, 3, 2, 2, 2 and seven leaves
    graph = Graph.from_edges([0, 0, 0, 0, 1, 1, 1, 9, 10, 11], [2, 3, 4, 5, 6, 7, 8, 10, 11, 9])
    numbers = np.random.default_rng(0).random((6000, 2))
    pairs = [probabilistic_greedy(graph.incident, degrees(graph), everyone(graph), both) for both in numbers]
    first = np.bincount([pair[0] for pair in pairs], minlength=12)
    assert chisquare(first, graph.out_degrees / graph.out_degrees.sum() * first.sum()).pvalue > 1e-4

    after_hub_0 = np.bincount([pair[1] for pair in pairs if pair[0] == 0], minlength=12)
    gains = np.array([0, 3, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    assert not after_hub_0[gains == 0].any()
    expected = gains[gains > 0] / gains.sum() * after_hub_0.sum()
    assert chisquare(after_hub_0[gains > 0], expected).pvalue > 1e-4

    some = np.array([0, 1, 6, 9], dtype=np.int32)
    drawn = [probabilistic_greedy(graph.incident, degrees(graph), some, both[:1])[0] for both in numbers]
    assert chisquare(np.bincount(drawn)[some], np.array([4, 3, 1, 2]) / 10 * len(numbers)).pvalue > 1e-4
