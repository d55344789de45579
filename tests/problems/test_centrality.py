"""Eigenvector centrality is what networkx computes, and exists where networkx gives up."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from lense._util.types import Float64s
from lense.graph import Graph
from lense.problems.centrality import eigenvector_centrality
from tests.brute_force import edge_list
from tests.strategies import graphs


def from_networkx(rival: nx.Graph) -> Graph:
    ends = np.array(list(nx.convert_node_labels_to_integers(rival).edges)).reshape(-1, 2)
    return Graph.from_edges(
        ends[:, 0], ends[:, 1], directed=rival.is_directed(), num_vertices=len(rival), keep_self_loops=True
    )


def networkx_centrality(graph: Graph) -> Float64s | None:
    rival = nx.DiGraph() if graph.directed else nx.Graph()
    rival.add_nodes_from(range(graph.num_vertices))
    rival.add_edges_from(edge_list(graph))
    try:
        values = nx.eigenvector_centrality(rival, max_iter=10_000, tol=1e-12)
    except nx.PowerIterationFailedConvergence:
        return None
    return np.array([values[v] for v in range(graph.num_vertices)])


def assert_like_networkx(graph: Graph) -> None:
    expected = networkx_centrality(graph)
    assert expected is not None
    np.testing.assert_allclose(eigenvector_centrality(graph), expected, atol=1e-6)


def assert_dominant(graph: Graph) -> None:
    """The vector is a non-negative eigenvector of length 1, of the spectral radius."""
    x = eigenvector_centrality(graph)
    matrix = np.zeros((graph.num_vertices, graph.num_vertices))
    for u, v in edge_list(graph):
        matrix[v, u] = 1
        if not graph.directed:
            matrix[u, v] = 1
    radius = np.abs(np.linalg.eigvals(matrix)).max()
    assert x.min() >= 0
    assert np.linalg.norm(x) == pytest.approx(1)
    np.testing.assert_allclose(matrix @ x, radius * x, atol=1e-7)


@given(graphs(max_vertices=12, max_edges=30))
def test_whatever_the_direction_of_arcs_it_is_that_of_the_symmetric_matrix(graph: Graph) -> None:
    sources, targets, _ = graph.edges()
    symmetric = Graph.from_edges(
        np.concatenate([sources, targets]),
        np.concatenate([targets, sources]),
        directed=True,
        num_vertices=graph.num_vertices,
        keep_duplicates=graph.directed,
    )
    np.testing.assert_allclose(
        eigenvector_centrality(graph, along_arcs=False), eigenvector_centrality(symmetric), atol=1e-6
    )


@given(graphs(max_vertices=12, max_edges=30, loops=True))
@settings(max_examples=150, deadline=None)
def test_it_agrees_with_networkx_wherever_that_converges(graph: Graph) -> None:
    x, expected = eigenvector_centrality(graph), networkx_centrality(graph)
    assert x.shape == (graph.num_vertices,)
    assert x.min() >= 0
    assert np.linalg.norm(x) == pytest.approx(1)
    if expected is not None:
        np.testing.assert_allclose(x, expected, atol=1e-6)


@pytest.mark.parametrize(
    "rival",
    [
        nx.empty_graph(1),
        nx.empty_graph(5),
        nx.path_graph(2),
        nx.star_graph(6),
        nx.complete_bipartite_graph(3, 5),
        nx.cycle_graph(6),
        nx.cycle_graph(7, create_using=nx.DiGraph),
        nx.disjoint_union(nx.karate_club_graph(), nx.karate_club_graph()),
        nx.disjoint_union(nx.complete_graph(4), nx.empty_graph(3)),
        nx.disjoint_union_all([nx.cycle_graph(4, create_using=nx.DiGraph)] * 3),
        nx.empty_graph(3, create_using=nx.DiGraph),
        nx.Graph([(0, 0), (0, 1)]),
        # the power iteration takes thousands of steps, and the space it moves in has only 40 dimensions
        *(nx.disjoint_union_all([nx.path_graph(80)] * copies) for copies in (1, 2, 5)),
    ],
    ids=str,
)
def test_it_agrees_with_networkx_on(rival: nx.Graph) -> None:
    assert_like_networkx(from_networkx(rival))


@pytest.mark.parametrize(
    "rival",
    [
        nx.disjoint_union(nx.path_graph(80), nx.path_graph(81)),
        nx.path_graph(200),
        nx.barbell_graph(5, 60),
        nx.Graph([(0, 1), (1, 2), (3, 4), (4, 5)]),
    ],
    ids=["two paths of nearly equal length", "long path", "barbell", "two equal paths"],
)
def test_it_finds_the_dominant_eigenvector_of(rival: nx.Graph) -> None:
    assert_dominant(from_networkx(rival))


@pytest.mark.parametrize("seed", [2, 10, 12, 23, 25])
def test_equal_components_share_alike_however_little_memory_there_is(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lense.problems.centrality._KRYLOV_NUMBERS", 1)
    component = nx.gnp_random_graph(25, 1.6 / 25, seed=seed, directed=True)
    assert_like_networkx(from_networkx(nx.disjoint_union_all([component] * 3)))


@pytest.mark.parametrize("seed", range(3))
def test_outside_the_dominant_component_it_is_0_and_no_residue_of_rounding(seed: int) -> None:
    """Residues would have ranks, and those would differ from machine to machine."""
    trees = nx.disjoint_union_all([nx.random_labeled_tree(12, seed=100 * seed + i) for i in range(60)])
    whole = nx.disjoint_union(nx.barabasi_albert_graph(150, 3, seed=seed), trees)
    found = eigenvector_centrality(from_networkx(whole))
    assert (found[:150] > 0).all()
    assert (found[150:] == 0).all()


@given(graphs(directed=True, max_vertices=10, max_edges=25))
def test_without_cycles_it_is_katz_centrality(graph: Graph) -> None:
    sources, targets, _ = graph.edges()
    forward = Graph.from_edges(
        np.minimum(sources, targets), np.maximum(sources, targets), directed=True, num_vertices=graph.num_vertices
    )
    n = forward.num_vertices
    matrix = np.zeros((n, n))
    for u, v in edge_list(forward):
        matrix[v, u] = 1
    most_arcs = max(min(matrix.sum(axis=0).max(), matrix.sum(axis=1).max()), 1)
    katz = np.linalg.solve(np.eye(n) - 0.85 / most_arcs * matrix, np.ones(n))
    np.testing.assert_allclose(eigenvector_centrality(forward), katz / np.linalg.norm(katz), atol=1e-8)
