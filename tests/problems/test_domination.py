"""Maximum domination: the vertices that a set has among itself and its neighbours, and how the solvers find it."""

import logging

import numpy as np
import pytest

from lense.graph import Graph
from lense.graph.generate import barabasi_albert
from lense.problems.domination import Domination


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_the_objective_counts_each_vertex_once_whatever_the_direction() -> None:
    """Two opposite arcs 0 1, an arc 1 2, a self loop at 2, and an isolated vertex 3."""
    graph = Graph.from_edges(
        [0, 1, 1, 2], [1, 0, 2, 2], directed=True, num_vertices=4, keep_duplicates=True, keep_self_loops=True
    )
    problem = Domination()
    assert [problem.objective(graph, chosen) for chosen in ([], [0], [2], [1], [3], [0, 2], [1, 3])] == [
        *(0, 2, 2, 3, 1, 3, 4)
    ]
    assert problem.degrees(graph).tolist() == [1, 2, 1, 0]


def test_weights_do_not_matter_and_that_is_said(caplog: pytest.LogCaptureFixture) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], [0.0, 5.0])
    with caplog.at_level(logging.WARNING):
        assert Domination().objective(Domination().prepare(graph), [0]) == 2
    assert "the weights of edges do not matter" in caplog.text


def test_the_bound_comes_close_on_a_larger_graph() -> None:
    graph = barabasi_albert(2000, 3, rng(1))
    certified = Domination().solve(graph, 30, rng()).certified
    assert certified is not None
    assert 0.97 < certified <= 1
