"""Pruning by degree."""

from pathlib import Path

import numpy as np

from lense.graph import Graph, power_law
from lense.problems import get_problem
from lense.pruners import get_pruner, load
from lense.pruners.degree import TopDegree

GRAPH = power_law(120, 6, 2.3, np.random.default_rng(0))


def test_vertices_rank_by_degree_and_then_number() -> None:
    degrees = np.diff(GRAPH.incident.indptr).tolist()
    expected = sorted(range(GRAPH.num_vertices), key=lambda v: (-degrees[v], v))
    for count in (1, 30, 120):
        assert TopDegree("bmc", 4).ranking(GRAPH, count, 0).tolist() == expected[:count]


def test_out_weights_count_for_influence() -> None:
    graph = Graph.from_edges([0, 0, 0, 1], [1, 2, 3, 0], [0.1, 0.1, 0.1, 0.9], directed=True)
    assert TopDegree("im", 1).ranking(graph, 2, 0).tolist() == [1, 0]
    assert TopDegree("mvc", 1).ranking(graph, 2, 0).tolist() == [0, 1]


def test_it_draws_no_random_numbers() -> None:
    pruner = TopDegree("mvc", 4)
    assert pruner.prune(GRAPH, seed=1).vertices.tolist() == pruner.prune(GRAPH, seed=2).vertices.tolist()
    assert len(pruner.parts(GRAPH, episodes=5)) == 1


def test_it_is_registered_saved_and_loaded(tmp_path: Path) -> None:
    pruner = get_pruner("top-degree", get_problem("im", seed=3), 4, vertices=30, roots=7)
    pruner.save(tmp_path / "degree")
    again = load(tmp_path / "degree")
    assert again.problem_ == pruner.problem_
    assert again.prune(GRAPH).roots.tolist() == pruner.prune(GRAPH).roots.tolist()
