"""Core numbers against a plain peeling, and against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense._util.types import Int64s
from lense.graph import Graph, power_law
from lense.kernels.core import core_numbers, deepest_core, likely_members
from tests.strategies import graphs

KINDS = graphs(max_vertices=12, max_edges=40, loops=True, duplicates=True)


def peeled(graph: Graph, k: int) -> set[int]:
    """The k-core: vertices with fewer than k entries among those left go until there are none."""
    rows = graph.incident
    left = set(range(graph.num_vertices))
    while True:
        short = {v for v in left if sum(u in left for u in rows.indices[rows.indptr[v] : rows.indptr[v + 1]]) < k}
        if not short:
            return left
        left -= short


def reference(graph: Graph) -> list[int]:
    depth = [0] * graph.num_vertices
    for k in range(1, graph.num_arcs + 2):
        for v in peeled(graph, k):
            depth[v] = k
    return depth


def everyone(graph: Graph) -> Int64s:
    return np.arange(graph.num_vertices)


@given(KINDS, st.integers(0, 6))
@settings(max_examples=80, deadline=None)
def test_the_k_core_is_enough_to_say_the_core_numbers_in_it(graph: Graph, k: int) -> None:
    rows, truth = graph.incident, reference(graph)
    candidates = likely_members(rows.indptr, rows.indices, k)
    assert candidates.tolist() == sorted(set(candidates.tolist()))
    assert set(candidates.tolist()) >= peeled(graph, k)
    numbers = core_numbers(rows.indptr, rows.indices, candidates, k)
    assert numbers.tolist() == [max(truth[v], k - 1) for v in candidates.tolist()]


@given(KINDS, st.data())
@settings(max_examples=80, deadline=None)
def test_the_deepest_core_is_one_with_enough_vertices(graph: Graph, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, graph.num_vertices))
    rows, truth = graph.incident, reference(graph)
    vertices, numbers = deepest_core(rows.indptr, rows.indices, count)
    assert vertices.size >= count
    assert numbers.tolist() == [truth[v] for v in vertices.tolist()]
    outside = set(range(graph.num_vertices)) - set(vertices.tolist())
    assert all(truth[v] < numbers.min() for v in outside)


@pytest.mark.parametrize("seed", range(3))
def test_core_numbers_are_those_of_networkx(seed: int) -> None:
    graph = power_law(2000, 12, 2.2, np.random.default_rng(seed))
    sources, targets, _ = graph.edges()
    theirs = nx.Graph(zip(sources.tolist(), targets.tolist(), strict=True))
    theirs.add_nodes_from(range(graph.num_vertices))
    known = nx.core_number(theirs)
    rows = graph.incident
    numbers = core_numbers(rows.indptr, rows.indices, everyone(graph), 0)
    assert numbers.tolist() == [known[v] for v in range(graph.num_vertices)]
    vertices, numbers = deepest_core(rows.indptr, rows.indices, 30)
    assert 30 <= vertices.size < graph.num_vertices
    assert numbers.tolist() == [known[v] for v in vertices.tolist()]
