"""Divergences are those of their definition, pair by pair."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph import Graph
from lense.kernels.sparsification import Divergences
from lense.problems import Problem, get_problem
from tests.brute_force import graphs_with_budgets
from tests.kernels.samples import ROWS, Rows, covering, union


def pairwise_divergence(problem: Problem, graph: Graph, u: int, v: int) -> float:
    """f(v | {u}) - f(u | all others)."""
    everything = np.arange(graph.num_vertices)
    last = problem.objective(graph, everything) - problem.objective(graph, np.delete(everything, u))
    return problem.objective(graph, [u, v]) - problem.objective(graph, [u]) - last


@given(graphs_with_budgets(), st.sampled_from(["mvc", "bmc"]), st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_divergences_on_edges_are_the_least_over_the_sample(case: tuple[Graph, int], name: str, seed: int) -> None:
    (graph, size), problem = case, get_problem(name)
    gains = problem.gains(graph, 1)
    assert gains is not None
    order = np.random.default_rng(seed).permutation(graph.num_vertices)
    sample, left = order[:size], np.sort(order[size:])
    expected = [min(pairwise_divergence(problem, graph, u, v) for u in sample.tolist()) for v in left.tolist()]
    assert np.allclose(gains.scale * Divergences(gains)(sample, left), expected)


@given(ROWS, st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_divergences_on_sets_are_the_least_over_the_sample_round_after_round(rows: Rows, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(rows))
    everything = list(range(len(rows)))
    find = Divergences(covering(rows))
    while order.size:
        sample, left = order[:2], np.sort(order[2:])
        expected = [
            min(
                union(rows, [u, v])
                - len(rows[u])
                - union(rows, everything)
                + union(rows, [w for w in everything if w != u])
                for u in sample.tolist()
            )
            for v in left.tolist()
        ]
        assert find(sample, left).tolist() == expected
        order = np.random.default_rng(seed).permutation(left)[left.size // 2 :]
