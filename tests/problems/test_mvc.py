"""Max vertex cover: the share of the edges that a set touches, and how the solvers find it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from lense.graph import Graph
from lense.graph.generate import barabasi_albert
from lense.problems.mvc import MaxVertexCover
from tests.brute_force import all_edges, covered, graphs_with_candidates, is_greedy

Case = tuple[Graph, int]
SOLVERS = list(MaxVertexCover.heuristics)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def with_loop(weights: list[float] | None = None) -> Graph:
    """Two opposite arcs 0 1, an arc 1 2, a self loop at 2, and an arc 3 2."""
    return Graph.from_edges(
        [0, 1, 1, 2, 3], [1, 0, 2, 2, 2], weights, directed=True, keep_duplicates=True, keep_self_loops=True
    )


def test_the_objective_counts_edges_of_either_direction_parallel_ones_and_loops() -> None:
    problem = MaxVertexCover()
    assert problem.objective(with_loop(), []) == 0
    assert problem.objective(with_loop(), [0]) == pytest.approx(2 / 5)
    assert problem.objective(with_loop(), [2]) == pytest.approx(3 / 5)
    assert problem.objective(with_loop(), [1, 2, 1]) == 1


def test_the_objective_adds_up_weights_where_there_are_any() -> None:
    problem, graph = MaxVertexCover(), with_loop([5, 1, 0.5, 3, 0.5])
    assert problem.objective(graph, [0]) == pytest.approx(6 / 10)
    assert problem.objective(graph, [2]) == pytest.approx(4 / 10)
    assert problem.objective(graph, [1, 2, 1]) == 1
    assert problem.objective(graph.reweighted(None), [0]) == pytest.approx(2 / 5)


def test_edges_that_weigh_nothing_cover_nothing() -> None:
    solution = MaxVertexCover().solve(with_loop([0, 0, 0, 0, 0]), 2, rng())
    assert (solution.score, solution.upper_bound, solution.certified) == (0, 0, 1)


def test_nothing_is_covered_where_there_are_no_edges() -> None:
    assert MaxVertexCover().objective(Graph.from_edges([], [], num_vertices=3), [1]) == 0


@pytest.mark.parametrize(
    "problem", [MaxVertexCover(), MaxVertexCover(solver="stochastic-greedy", epsilon=1e-9)], ids=lambda p: p.solver
)
@given(case=graphs_with_candidates())
@settings(max_examples=40, deadline=None)
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


def test_stochastic_greedy_stays_near_greedy() -> None:
    graph = barabasi_albert(2000, 5, rng(2))
    greedy = MaxVertexCover().solve(graph, 50, rng()).score
    scores = [MaxVertexCover(solver="stochastic-greedy", epsilon=0.01).solve(graph, 50, rng(i)).score for i in range(5)]
    assert (1 - 1 / math.e - 0.01) * greedy <= np.mean(scores) <= greedy * 1.01


@pytest.mark.parametrize("solver", ["stochastic-greedy", "probabilistic-greedy"])
def test_another_seed_gives_another_solution(solver: str) -> None:
    graph, problem = barabasi_albert(200, 3, rng(3)), MaxVertexCover(solver=solver)
    assert len({tuple(problem.solve(graph, 15, rng(seed)).indices.tolist()) for seed in range(5)}) > 1
