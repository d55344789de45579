"""Max vertex cover: the share of the edges that a set touches, and how the solvers find it."""

import numpy as np
import pytest
from hypothesis import given

from lense.graph import Graph
from lense.graph.generate import barabasi_albert
from lense.problems.mvc import MaxVertexCover
from tests.brute_force import all_edges, covered, graphs_with_candidates, is_greedy


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    "problem", [MaxVertexCover(), MaxVertexCover(solver="stochastic-greedy", epsilon=1e-9)], ids=lambda p: p.solver
)
@given(case=graphs_with_candidates())
def test_greedy_among_candidates_counts_the_edges_of_the_whole_graph(
    problem: MaxVertexCover, case: tuple[Graph, int, list[int]]
) -> None:
    """So does stochastic greedy where its sample takes in every candidate."""
    graph, budget, candidates = case
    found = problem.search(graph, budget, rng(), candidates=candidates)
    order = found.indices.tolist()
    assert len(order) == min(budget, len(candidates))
    assert is_greedy(graph, order, candidates, covered)
    assert problem.score(graph, found).score == covered(graph, order) / all_edges(graph)


def test_the_sample_of_stochastic_greedy_is_a_share_of_the_candidates() -> None:
    """A sample of 10 / 5 ln 2, rounded up to 2, may miss the best of 10 candidates; one of 1000 / 5 ln 2 would not."""
    graph, candidates = barabasi_albert(1000, 3, rng(4)), np.arange(0, 100, 10)
    problem = MaxVertexCover(solver="stochastic-greedy", epsilon=0.5)
    first = {int(problem.search(graph, 5, rng(seed), candidates=candidates).indices[0]) for seed in range(20)}
    assert len(first) > 1
