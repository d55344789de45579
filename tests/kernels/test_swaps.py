"""What each vertex sees of a set of roots that changes, each kernel against a plain loop."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lense._util.types import Float32s, Int32s, Int64s
from lense.graph import Graph
from lense.kernels.swaps import count_root, offered, row_mean
from tests.strategies import graphs

KINDS = graphs(min_vertices=2, loops=True, duplicates=True, weighted=False)
SCALE = 2.0**40


def some_features(graph: Graph, seed: int = 0) -> Float32s:
    return np.random.default_rng(seed).normal(size=(graph.num_vertices, 2)).astype(np.float32)


def rows_of(graph: Graph) -> tuple[Int64s, Int32s]:
    return graph.incident.indptr, graph.incident.indices


def neighbours(graph: Graph, vertex: int) -> list[int]:
    """The entries of a row: an edge that stands twice is there twice."""
    indptr, indices = rows_of(graph)
    return [int(w) for w in indices[indptr[vertex] : indptr[vertex + 1]]]


class Counted:
    """Which vertices are roots, and what ``count_root`` has counted of them."""

    def __init__(self, graph: Graph, features: Float32s, roots: list[int]) -> None:
        self.graph, self.features = graph, features
        self.is_root = np.zeros(graph.num_vertices, np.bool_)
        self.entries = np.zeros(graph.num_vertices, np.int32)
        self.sums = np.zeros((graph.num_vertices, 2), np.int64)
        for root in roots:
            self.count(root, 1)

    def count(self, root: int, sign: int) -> None:
        self.is_root[root] = sign > 0
        count_root(*rows_of(self.graph), self.features, SCALE, root, sign, self.entries, self.sums)


@given(KINDS, st.data())
def test_of_every_row_the_entries_that_are_roots_are_counted_and_their_features_added_up(
    graph: Graph, data: st.DataObject
) -> None:
    roots = data.draw(st.lists(st.integers(0, graph.num_vertices - 1), unique=True))
    counted = Counted(graph, some_features(graph), roots)
    for vertex in range(graph.num_vertices):
        beside = [w for w in neighbours(graph, vertex) if w in roots]
        assert counted.entries[vertex] == len(beside)
        np.testing.assert_allclose(counted.sums[vertex] / SCALE, counted.features[beside].sum(axis=0), atol=1e-6)


@given(KINDS, st.data())
def test_what_came_and_went_leaves_nothing_behind_in_any_bit(graph: Graph, data: st.DataObject) -> None:
    """Whatever the order: so a walk that is restored from its roots alone goes on as it would have."""
    vertices = st.integers(0, graph.num_vertices - 1)
    roots, others = data.draw(st.lists(vertices, unique=True)), data.draw(st.lists(vertices))
    features = (
        some_features(graph) * np.where(np.arange(graph.num_vertices) % 2, np.float32(1), np.float32(1e-12))[:, None]
    )
    direct, roundabout = Counted(graph, features, roots), Counted(graph, features, roots[::-1])
    for vertex in others:
        roundabout.count(vertex, 1)
    for vertex in others[::-1]:
        roundabout.count(vertex, -1)
    assert np.array_equal(direct.sums, roundabout.sums)
    assert np.array_equal(direct.entries, roundabout.entries)


@given(KINDS, st.integers(0, 7))
def test_the_mean_over_a_row_counts_parallel_edges_and_is_0_where_it_is_empty(graph: Graph, vertex: int) -> None:
    features, vertex = some_features(graph), vertex % graph.num_vertices
    row = neighbours(graph, vertex)
    expected = features[row].mean(axis=0) if row else np.zeros(2)
    np.testing.assert_allclose(row_mean(*rows_of(graph), features, vertex), expected, rtol=1e-6, atol=1e-6)


def choices(graph: Graph, roots: list[int], root: int) -> set[int]:
    """The different neighbours of a root outside X; where there are none, all vertices outside X beside a root."""
    beside = {v: set(neighbours(graph, v)) - set(roots) for v in roots}
    return beside[root] or set().union(*beside.values())


@given(KINDS, st.data())
def test_each_root_is_offered_a_free_neighbour_or_one_from_the_fringe_or_nothing(
    graph: Graph, data: st.DataObject
) -> None:
    roots = data.draw(st.lists(st.integers(0, graph.num_vertices - 1), unique=True, min_size=1))
    counted = Counted(graph, some_features(graph), roots)
    seen: list[set[int]] = [set() for _ in roots]
    for step in range(60):
        candidates, allowed = offered(
            *rows_of(graph), counted.is_root, counted.entries, np.array(roots), np.uint64(7), step
        )
        for place, root in enumerate(roots):
            assert allowed[place] == bool(choices(graph, roots, root))
            assert allowed[place] or candidates[place] == root
            seen[place].add(int(candidates[place]))
    for root, drawn in zip(roots, seen, strict=True):
        assert drawn <= (choices(graph, roots, root) or {root})


@pytest.mark.parametrize(
    ("edges", "roots", "of_first"),
    [
        ([(0, 1), (0, 1), (0, 1), (0, 2), (0, 3), (0, 0)], [0], [1, 2, 3]),
        ([(0, 1), (0, 2), (0, 3), (0, 4), (4, 5)], [0, 4], [1, 2, 3]),
        ([(0, 1), (1, 2), (1, 2), (1, 3), (1, 4)], [0, 1], [2, 3, 4]),
    ],
    ids=["parallel edges", "other roots", "the fringe"],
)
def test_every_vertex_that_may_be_offered_is_as_likely(
    edges: list[tuple[int, int]], roots: list[int], of_first: list[int]
) -> None:
    graph = Graph.from_edges(*zip(*edges, strict=True), keep_duplicates=True, keep_self_loops=True)
    counted = Counted(graph, some_features(graph), roots)
    drawn = Counter(
        int(offered(*rows_of(graph), counted.is_root, counted.entries, np.array(roots), np.uint64(3), step)[0][0])
        for step in range(3000)
    )
    assert sorted(drawn) == of_first
    chi_square = sum((count - 1000) ** 2 / 1000 for count in drawn.values())
    assert chi_square < 13.8  # 2 degrees of freedom, one chance in a thousand
