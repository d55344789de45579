"""Pruning by discounted degrees, against plain loops."""

from pathlib import Path

import numpy as np
import pytest

from lense.graph import Graph, power_law
from lense.problems import get_problem
from lense.pruners import get_pruner, load
from lense.pruners.discount import DegreeDiscount

GRAPH = power_law(120, 6, 2.3, np.random.default_rng(0))


def edges_to_others(graph: Graph, v: int, taken: set[int]) -> int:
    rows = graph.incident
    return sum(u not in taken for u in rows.indices[rows.indptr[v] : rows.indptr[v + 1]].tolist())


@pytest.mark.parametrize("problem", ["mvc", "bmc"])
def test_the_next_vertex_always_has_most_edges_to_those_not_taken(problem: str) -> None:
    order, taken = DegreeDiscount(problem, 4).ranking(GRAPH, 40, 0).tolist(), set[int]()
    for v in order:
        others = set(range(GRAPH.num_vertices)) - taken
        assert edges_to_others(GRAPH, v, taken) == max(edges_to_others(GRAPH, u, taken) for u in others)
        taken.add(v)
    assert len(taken) == 40


def test_a_neighbour_of_the_hub_is_discounted() -> None:
    """1 has two edges but one leads to the hub 0, so that 5, with two of its own, goes before it."""
    graph = Graph.from_edges([0, 0, 0, 1, 5, 5], [1, 2, 3, 4, 6, 7])
    assert DegreeDiscount("mvc", 1).ranking(graph, 2, 0).tolist() == [0, 5]


def test_with_probabilities_it_is_the_heuristic_of_that_name() -> None:
    im = get_problem("im", solver="degree-discount")
    graph = im.prepare(GRAPH)
    found = im.search(graph, 25, np.random.default_rng(0)).indices
    assert DegreeDiscount(im, 4).ranking(graph, 25, 0).tolist() == found.tolist()
    assert DegreeDiscount("mvc", 4).ranking(graph, 25, 0).tolist() != found.tolist()


@pytest.mark.parametrize("problem", ["mvc", "im"])
def test_parts_are_as_large_as_asked_for_and_nested(problem: str) -> None:
    kept = [set(DegreeDiscount(problem, 4, vertices=k, roots=1).prune(GRAPH).vertices.tolist()) for k in (5, 50, 120)]
    assert [len(part) for part in kept] == [5, 50, 120]
    assert kept[0] < kept[1] < kept[2]


def test_it_is_registered_saved_and_loaded(tmp_path: Path) -> None:
    pruner = get_pruner("degree-discount", "im", 4, vertices=30)
    pruner.save(tmp_path / "discount")
    assert load(tmp_path / "discount").prune(GRAPH).vertices.tolist() == pruner.prune(GRAPH).vertices.tolist()


def test_a_problem_that_counts_weights_ranks_by_them() -> None:
    heavy = Graph.from_edges([0, 2, 2], [1, 3, 4], np.array([1000.0, 1.0, 1.0], np.float32))
    ranked = get_pruner("degree-discount", "mvc", 1).ranking(heavy, 2, seed=0)  # type: ignore[attr-defined]
    assert ranked.tolist() == [0, 2]
