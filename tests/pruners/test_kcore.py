"""Pruning by core numbers: the rule, sizes and ties."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from lense.graph import Graph, power_law
from lense.problems import get_problem
from lense.pruners import get_pruner, load
from lense.pruners.kcore import KCore
from lense.pruners.ranking import importance


@pytest.fixture(scope="module")
def graph() -> Graph:
    return power_law(400, 8, 2.3, np.random.default_rng(0))


def by_the_rule(problem: str, graph: Graph) -> list[int]:
    """Every vertex: by core number, then importance, then number."""
    sources, targets, _ = graph.edges()
    simple = nx.Graph(zip(sources.tolist(), targets.tolist(), strict=True))
    depth, values = nx.core_number(simple), importance(get_problem(problem), graph)
    return sorted(range(graph.num_vertices), key=lambda v: (-depth.get(v, 0), -values[v], v))


@pytest.mark.parametrize("count", [1, 2, 17, 100, 399, 400])
def test_vertices_rank_by_core_number_then_degree_then_number(graph: Graph, count: int) -> None:
    assert KCore("mvc", 4).ranking(graph, count, 0).tolist() == by_the_rule("mvc", graph)[:count]


def test_out_weights_break_ties_where_direction_matters() -> None:
    """A directed triangle is a 2-core; its out-weights order its vertices, and the tail comes last."""
    graph = Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3], [0.1, 0.3, 0.2, 0.05], directed=True)
    assert KCore("im", 1).ranking(graph, 4, 0).tolist() == [1, 2, 0, 3]


def test_a_hub_of_leaves_is_not_deep() -> None:
    star_beside_triangle = Graph.from_edges([0, 0, 0, 0, 5, 6, 7], [1, 2, 3, 4, 6, 7, 5])
    assert KCore("mvc", 1, vertices=3).prune(star_beside_triangle).vertices.tolist() == [5, 6, 7]


def test_parts_are_as_large_as_asked_for_and_nested(graph: Graph) -> None:
    kept = [set(KCore("mvc", 4, vertices=size, roots=1).prune(graph).vertices.tolist()) for size in (5, 50, 200)]
    assert [len(part) for part in kept] == [5, 50, 200]
    assert kept[0] < kept[1] < kept[2]


def test_it_is_registered_saved_and_loaded(graph: Graph, tmp_path: Path) -> None:
    pruner = get_pruner("k-core", "mvc", 4, vertices=30, roots=10)
    pruner.save(tmp_path / "core")
    again = load(tmp_path / "core")
    assert again.get_params() == {**pruner.get_params(), "problem": get_problem("mvc")}
    assert again.prune(graph).vertices.tolist() == pruner.prune(graph).vertices.tolist()
