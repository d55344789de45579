"""Parts of a graph: the map xi, the vertices that are kept, and how much of the graph they leave out.

The subgraph of a set X is X, its neighbours, and every edge with an end in X.
"""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import kept_part, shares_pruned, subgraph
from tests.strategies import graphs

Edges = list[tuple[Any, ...]]


def edge_list(graph: Graph, vertices: Int64s) -> Edges:
    """The edges of ``graph`` as (end, end, weight) in the numbers ``vertices``, in rising order."""
    sources, targets, weights = graph.edges()
    ends = zip(vertices[sources].tolist(), vertices[targets].tolist(), strict=True)
    return sorted(
        (*(pair if graph.directed else sorted(pair)), weight)
        for pair, weight in zip(ends, weights if weights is not None else [0.0] * graph.num_edges, strict=True)
    )


def xi(graph: Graph, roots: set[int]) -> tuple[set[int], Edges]:
    """The definition, by networkx."""
    whole = nx.MultiDiGraph() if graph.directed else nx.MultiGraph()
    whole.add_nodes_from(range(graph.num_vertices))
    whole.add_weighted_edges_from(edge_list(graph, np.arange(graph.num_vertices)))
    kept = [edge for edge in whole.edges(data="weight") if roots & set(edge[:2])]
    return roots | {end for edge in kept for end in edge[:2]}, sorted(kept)


@st.composite
def graphs_with_roots(draw: st.DrawFn) -> tuple[Graph, list[int]]:
    graph = draw(graphs(loops=True, duplicates=True, labels=None))
    return graph, draw(st.lists(st.integers(0, graph.num_vertices - 1), max_size=6))


@pytest.mark.parametrize("takes_neighbours", [True, False])
@given(case=graphs_with_roots())
def test_a_part_has_its_vertices_and_edges_as_they_are(takes_neighbours: bool, case: tuple[Graph, list[int]]) -> None:
    """Direction, weights, parallel edges, opposite arcs and self loops are all kept."""
    graph, chosen = case
    if takes_neighbours:
        part, (vertices, edges) = subgraph(graph, chosen), xi(graph, set(chosen))
    else:
        part, vertices = kept_part(graph, chosen), set(chosen)
        edges = [edge for edge in edge_list(graph, np.arange(graph.num_vertices)) if {*edge[:2]} <= vertices]
    assert part.vertices.tolist() == sorted(vertices)
    assert part.roots.tolist() == sorted(set(chosen))
    assert edge_list(part.graph, part.vertices) == edges
    assert part.graph.directed == graph.directed
    assert (part.graph.weights is None) == (graph.weights is None)
    assert part.graph.labels.tolist() == graph.labels[part.vertices].tolist()


def test_the_roots_of_a_kept_part_may_be_fewer() -> None:
    part = kept_part(Graph.from_edges([0, 1, 2], [1, 2, 3]), [0, 1, 3], roots=[3, 1, 3])
    assert (part.vertices.tolist(), part.roots.tolist()) == ([0, 1, 3], [1, 3])
    assert part.graph.num_edges == 1


@pytest.mark.parametrize("vertices", [[3], [-1], [0, 7]])
def test_vertices_that_are_not_there_are_refused(vertices: list[int]) -> None:
    path = Graph.from_edges([0, 1], [1, 2])
    for build in (subgraph, kept_part, lambda graph, roots: kept_part(graph, [0], roots)):
        with pytest.raises(LenseError, match="between 0 and 2"):
            build(path, vertices)


def test_shares_pruned_count_what_is_left_out() -> None:
    star = Graph.from_edges([0, 0, 0, 4], [1, 2, 3, 5])
    assert shares_pruned(star, subgraph(star, [4])) == pytest.approx((4 / 6, 3 / 4))


def test_a_part_says_how_large_it_is_and_what_is_forced() -> None:
    star = Graph.from_edges([0, 0, 0], [1, 2, 3])
    plain = subgraph(star, [0, 1])
    assert repr(plain) == "Subgraph(4 vertices, 3 edges, 2 roots)"
    assert plain.forced.tolist() == []
    assert not plain.only_roots
    assert repr(subgraph(star, [0, 1], [0])) == "Subgraph(4 vertices, 3 edges, 2 roots, 1 forced)"
    kept = kept_part(star, [0, 1])
    assert (kept.forced.size, kept.only_roots) == (0, False)
