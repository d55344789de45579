"""`Graph` against the plainest model there is: a list of arcs."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph import Graph
from tests.strategies import FINITE, graphs

NUM_VERTICES = 6
VERTICES = st.integers(0, NUM_VERTICES - 1)
EDGES = st.lists(st.tuples(VERTICES, VERTICES, FINITE), max_size=20)


class Arc(NamedTuple):
    source: int
    target: int
    weight: float | None


def arcs_of(graph: Graph) -> list[Arc]:
    weights = [None] * graph.num_arcs if graph.weights is None else graph.weights.tolist()
    sources = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)).tolist()
    return [Arc(*arc) for arc in zip(sources, graph.indices.tolist(), weights, strict=True)]


def expected_arcs(
    edges: list[tuple[int, int, float]], *, directed: bool, weighted: bool, duplicates: bool, loops: bool
) -> list[Arc]:
    """The arcs row by row: of equal edges the first listed counts, an undirected edge gives two arcs, a loop one."""
    seen = set()
    arcs = []
    for u, v, weight in edges:
        edge = (u, v) if directed else (min(u, v), max(u, v))
        if (u == v and not loops) or (edge in seen and not duplicates):
            continue
        seen.add(edge)
        arcs.append(Arc(u, v, weight if weighted else None))
        if not directed and u != v:
            arcs.append(Arc(v, u, weight if weighted else None))
    return sorted(arcs, key=lambda arc: arc[:2])


@given(EDGES, st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_edges_become_the_arcs_that_the_model_lists(
    edges: list[tuple[int, int, float]], directed: bool, weighted: bool, duplicates: bool, loops: bool
) -> None:
    sources, targets, weights = zip(*edges, strict=True) if edges else ((), (), ())
    graph = Graph.from_edges(
        np.array(sources, int),
        np.array(targets, int),
        weights if weighted else None,
        directed=directed,
        num_vertices=NUM_VERTICES,
        keep_duplicates=duplicates,
        keep_self_loops=loops,
    )
    expected = expected_arcs(edges, directed=directed, weighted=weighted, duplicates=duplicates, loops=loops)
    assert arcs_of(graph) == expected
    assert graph.num_vertices == NUM_VERTICES
    assert graph.num_self_loops == sum(u == v for u, v, _ in expected)
    assert graph.num_edges == sum(directed or u <= v for u, v, _ in expected)


@given(graphs(loops=True, duplicates=True))
def test_edges_lists_each_edge_once_and_makes_the_same_graph_again(graph: Graph) -> None:
    sources, targets, weights = graph.edges()
    assert sources.size == graph.num_edges
    assert graph.directed or (sources <= targets).all()
    again = Graph.from_edges(
        sources,
        targets,
        weights,
        directed=graph.directed,
        labels=graph.labels,
        keep_duplicates=True,
        keep_self_loops=True,
    )
    assert again.equals(graph)


@given(graphs(loops=True, duplicates=True))
def test_incoming_arcs_are_the_outgoing_ones_reversed(graph: Graph) -> None:
    into = graph.incoming
    incoming = Graph(into.indptr, into.indices, into.weights, directed=True, labels=graph.labels)
    reversed_arcs = [Arc(v, u, weight) for u, v, weight in arcs_of(graph)]
    assert arcs_of(incoming) == sorted(reversed_arcs, key=lambda arc: arc[:2])
    assert graph.in_degrees.tolist() == np.bincount(graph.indices, minlength=graph.num_vertices).tolist()


@given(graphs(loops=True, duplicates=True))
def test_incident_holds_the_other_end_and_the_weight_of_every_edge_and_a_loop_once(graph: Graph) -> None:
    rows: list[list[tuple[int, float]]] = [[] for _ in range(graph.num_vertices)]
    sources, targets, weights = graph.edges()
    given = np.zeros(sources.size) if weights is None else weights
    for u, v, weight in zip(sources.tolist(), targets.tolist(), given.tolist(), strict=True):
        rows[u].append((v, weight))
        if u != v:
            rows[v].append((u, weight))
    incident = graph.incident
    assert (incident.weights is None) == (graph.weights is None)
    found = np.zeros(incident.indices.size) if incident.weights is None else incident.weights
    for v, row in enumerate(rows):
        here = slice(incident.indptr[v], incident.indptr[v + 1])
        assert incident.indices[here].tolist() == sorted(u for u, _ in row)
        assert sorted(zip(incident.indices[here].tolist(), found[here].tolist(), strict=True)) == sorted(row)


@given(graphs(loops=True, duplicates=True, labels=None))
def test_without_isolated_keeps_what_has_an_edge(graph: Graph) -> None:
    kept = graph.without_isolated()
    touched = {int(v) for ends in graph.edges()[:2] for v in ends}
    assert kept.labels.tolist() == graph.labels[sorted(touched)].tolist()
    assert [(kept.labels[u], kept.labels[v], w) for u, v, w in arcs_of(kept)] == [
        (graph.labels[u], graph.labels[v], w) for u, v, w in arcs_of(graph)
    ]


@given(graphs(loops=True))
def test_as_undirected_forgets_directions_and_keeps_the_first_arc_of_two(graph: Graph) -> None:
    undirected = graph.as_undirected()
    edges = [(u, v, w) for u, v, w in arcs_of(graph)]
    assert not undirected.directed
    assert arcs_of(undirected) == expected_arcs(
        edges,  # type: ignore[arg-type]
        directed=False,
        weighted=graph.weights is not None,
        duplicates=False,
        loops=True,
    )


def test_arrays_are_read_only() -> None:
    graph = Graph.from_edges([0, 1], [1, 2], [0.5, 2])
    for array in (graph.indptr, graph.indices, graph.weights, graph.labels, graph.incident.indices):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("difference", ["directed", "labels", "weights", "edges"])
def test_graphs_that_differ_are_not_equal(difference: str) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], [1, 2], num_vertices=3)
    others = {
        "directed": Graph.from_edges([0, 1, 1, 2], [1, 0, 2, 1], [1, 1, 2, 2], directed=True),
        "labels": Graph.from_edges([0, 1], [1, 2], [1, 2], labels=np.array([5, 6, 7])),
        "weights": Graph.from_edges([0, 1], [1, 2], [1, 3]),
        "edges": Graph.from_edges([0, 0], [1, 2], [1, 2]),
    }
    assert graph.equals(Graph.from_edges([1, 2], [0, 1], [1, 2]))
    assert not graph.equals(others[difference])


@pytest.mark.parametrize(
    ("sources", "targets", "weights", "message"),
    [
        ([0, 1], [1], None, "2 sources and 1 targets"),
        ([0], [-1], None, "vertices 0 to"),
        ([0], [5], None, "vertices 0 to 2"),
        ([0], [1], [1, 2], "1 edges but 2 weights"),
        ([0], [1], [float("nan")], "finite"),
        ([0], [1], [float("inf")], "finite"),
        *((ends, ends, None, "whole numbers") for ends in (np.array([0.5, 1.7]), np.array([[0, 1]]), np.array(["a"]))),
    ],
)
def test_impossible_edges_are_refused(sources: Any, targets: Any, weights: list[float] | None, message: str) -> None:
    with pytest.raises(LenseError, match=message):
        Graph.from_edges(sources, targets, weights, num_vertices=3)
