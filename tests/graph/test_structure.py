"""Isolated vertices, components, repeats and symmetry, each against its definition."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from lense.graph import Graph
from lense.graph.structure import count_repeats, first_one_way_arc, isolated_vertices, largest_component_share
from tests.strategies import graphs


def arcs_of(graph: Graph) -> list[tuple[int, int, float]]:
    sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees)
    weights = np.zeros(graph.num_arcs) if graph.weights is None else graph.weights
    return list(zip(sources.tolist(), graph.indices.tolist(), weights.tolist(), strict=True))


@given(graphs(loops=True))
def test_isolated_vertices_are_in_no_arc(graph: Graph) -> None:
    touched = {v for u, w, _ in arcs_of(graph) for v in (u, w)}
    assert np.flatnonzero(~isolated_vertices(graph)).tolist() == sorted(touched)


@given(graphs(loops=True, duplicates=True))
def test_the_largest_component_is_that_of_networkx_whatever_the_direction(graph: Graph) -> None:
    known = nx.Graph([(u, v) for u, v, _ in arcs_of(graph)])
    known.add_nodes_from(range(graph.num_vertices))
    expected = max(map(len, nx.connected_components(known)), default=0) / max(graph.num_vertices, 1)
    assert largest_component_share(graph) == pytest.approx(expected)


@given(graphs(loops=True, duplicates=True))
def test_repeats_are_the_arcs_beyond_the_first_of_each_pair(graph: Graph) -> None:
    arcs = arcs_of(graph)
    assert count_repeats(graph) == len(arcs) - len({(u, v) for u, v, _ in arcs})


@given(graphs(loops=True, duplicates=True))
def test_a_one_way_arc_is_found_exactly_where_arcs_and_reversed_arcs_differ(graph: Graph) -> None:
    arcs = Counter(arcs_of(graph))
    reversed_arcs = Counter((v, u, weight) for u, v, weight in arcs_of(graph))
    found = first_one_way_arc(graph.indptr, graph.indices, graph.weights)
    if found is None:
        assert arcs == reversed_arcs
    else:
        u, v = found
        there = [weight for a, b, weight in arcs_of(graph) if (a, b) == (u, v)]
        back = [weight for a, b, weight in arcs_of(graph) if (a, b) == (v, u)]
        assert there
        assert there != back


def test_rows_need_not_be_sorted() -> None:
    indptr, indices = np.array([0, 2, 3, 4]), np.array([2, 1, 0, 0], np.int32)
    assert first_one_way_arc(indptr, indices, None) is None
    assert first_one_way_arc(indptr, indices, np.array([1, 2, 2, 1], np.float32)) is None
    assert first_one_way_arc(indptr, indices, np.array([1, 2, 1, 2], np.float32)) is not None
