"""Converters: every graph comes back as it went."""

import sys
from collections.abc import Callable
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from torch_geometric.data import Data

from lense.errors import LenseError
from lense.graph import (
    Graph,
    from_array,
    from_igraph,
    from_networkx,
    from_pandas,
    from_polars,
    from_pyg,
    from_scipy,
    open_graph,
    to_array,
    to_igraph,
    to_networkx,
    to_polars,
    to_pyg,
    to_scipy,
)
from tests.strategies import graphs

ANY_GRAPH = graphs(labels=None, loops=True, duplicates=True)
KEEP: Any = {"keep_duplicates": True, "keep_self_loops": True}


BACK: dict[str, Callable[[Graph], Graph]] = {
    "networkx": lambda graph: from_networkx(to_networkx(graph), **KEEP),
    "igraph": lambda graph: from_igraph(to_igraph(graph), **KEEP),
    "scipy, given what a matrix cannot hold": lambda graph: from_scipy(
        to_scipy(graph), directed=graph.directed, weights=graph.weights is not None, labels=graph.labels, **KEEP
    ),
    "pyg": lambda graph: from_pyg(to_pyg(graph), **KEEP),
}


@pytest.mark.parametrize("library", BACK)
@given(graph=ANY_GRAPH)
def test_a_graph_comes_back_as_it_went(library: str, graph: Graph) -> None:
    assert BACK[library](graph).equals(graph)


WEIGHTED = Graph.from_edges([0, 1], [1, 2], [0.5, 2], labels=np.array(["a", "b", "c", "d"]))


def test_networkx_sees_the_same_graph() -> None:
    converted = to_networkx(WEIGHTED)
    assert type(converted) is nx.Graph
    assert list(converted) == ["a", "b", "c", "d"]
    assert sorted(converted.edges(data="weight")) == [("a", "b", 0.5), ("b", "c", 2)]
    assert type(to_networkx(Graph.from_edges([0], [1], directed=True))) is nx.DiGraph


def test_networkx_weights_default_to_one_and_odd_nodes_become_text() -> None:
    other = nx.Graph([((0, 1), (0, 2), {"cost": 3}), ((0, 2), (5, 5))])
    assert from_networkx(other).labels.tolist() == ["(0, 1)", "(0, 2)", "(5, 5)"]
    assert from_networkx(other).weights is None
    assert from_networkx(other, weight="cost").edges()[2].tolist() == [3, 1]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(1, 2, {"weight": "heavy"})], "numbers"),
        ([(1, 2, {"weight": float("nan")})], "finite"),
        ([(1, "1")], "rename"),
    ],
)
def test_networkx_graphs_that_cannot_be_taken(edges: list[Any], message: str) -> None:
    with pytest.raises(LenseError, match=message):
        from_networkx(nx.Graph(edges))


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT], ids=str)
def test_an_end_without_an_id_is_refused(missing: Any) -> None:
    with pytest.raises(LenseError, match="a vertex without an id"):
        from_pandas(pd.DataFrame({"source": pd.Series(["a", missing], dtype=object), "target": ["b", "c"]}))


@pytest.mark.parametrize("ids", [("a", "a\0"), (2**70, 1)], ids=str)
@pytest.mark.parametrize(
    "make",
    [
        lambda ids: from_networkx(nx.Graph([ids])),
        lambda ids: from_pandas(pd.DataFrame({"source": [ids[0]], "target": [ids[1]]})),
        lambda ids: open_graph([ids, ids]),
        lambda ids: from_scipy(sp.csr_array(np.eye(2)), labels=list(ids)),
    ],
    ids=["networkx", "pandas", "list", "scipy"],
)
def test_ids_that_would_become_others_are_refused(make: Callable[[Any], Graph], ids: tuple[Any, Any]) -> None:
    with pytest.raises(LenseError):
        make(ids)


def test_igraph_without_names_is_labelled_by_number() -> None:
    graph = from_igraph(igraph.Graph(n=3, edges=[(2, 0)], directed=True))
    assert graph.labels.tolist() == [0, 1, 2]
    assert graph.directed
    assert graph.weights is None


def test_scipy_symmetric_means_undirected_and_ones_mean_no_weights() -> None:
    symmetric = sp.csr_array(np.array([[0, 1], [1, 0]]))
    assert repr(from_scipy(symmetric)) == "Graph(2 vertices, 1 edges, undirected)"
    assert repr(from_scipy(symmetric, directed=True)) == "Graph(2 vertices, 2 edges, directed)"
    assert repr(from_scipy(2 * symmetric)) == "Graph(2 vertices, 1 edges, undirected, weighted)"
    one_way = sp.csr_array(np.array([[0, 3], [1, 0]]))
    assert repr(from_scipy(one_way)) == "Graph(2 vertices, 2 edges, directed, weighted)"
    assert repr(from_scipy(one_way, directed=False)) == "Graph(2 vertices, 1 edges, undirected, weighted)"


def test_scipy_matrix_that_is_no_graph() -> None:
    with pytest.raises(LenseError, match="square"):
        from_scipy(sp.csr_array(np.ones((2, 3))))
    with pytest.raises(LenseError, match="complex"):
        from_scipy(sp.csr_array(np.array([[0, 1j], [1j, 0]])))


def test_pyg_lists_an_undirected_edge_both_ways() -> None:
    data = to_pyg(WEIGHTED)
    assert data.num_nodes == 4
    assert data.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert data.edge_weight.tolist() == [0.5, 0.5, 2, 2]
    assert data.labels == ["a", "b", "c", "d"]
    assert data.validate()


def test_pyg_data_of_others() -> None:
    both_ways = torch.tensor([[0, 1], [1, 0]])
    assert repr(from_pyg(Data(edge_index=both_ways, num_nodes=3))) == "Graph(3 vertices, 1 edges, undirected)"
    assert from_pyg(Data(edge_index=both_ways, num_nodes=2), directed=True).num_edges == 2
    one_way = Data(edge_index=torch.tensor([[0], [1]]), edge_attr=torch.tensor([[7.0]]), num_nodes=2)
    graph = from_pyg(one_way)
    assert graph.directed
    assert graph.weights is not None
    assert graph.weights.tolist() == [7]
    features = Data(edge_index=both_ways, edge_attr=torch.ones(2, 3), num_nodes=2)
    assert from_pyg(features).weights is None
    with pytest.raises(LenseError, match="edge_weight has several columns: keep one of them"):
        from_pyg(Data(edge_index=both_ways, edge_weight=torch.ones(2, 3), num_nodes=2))


@pytest.mark.parametrize(
    ("convert", "library"),
    [(to_networkx, "networkx"), (to_igraph, "igraph"), (to_scipy, "scipy.sparse"), (to_pyg, "torch_geometric.data")],
)
def test_a_missing_library_is_named(
    convert: Callable[[Graph], Any], library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        LenseError, match=rf"This needs {library.split('.')[0]}, .*pip install 'lense\[(convert|learn)\]'"
    ):
        convert(WEIGHTED)


@given(graphs(labels=None, ordered_labels=True))
def test_arrays_and_polars_and_back(graph: Graph) -> None:
    known = graph.without_isolated()
    if known.num_edges:
        again = from_array(to_array(known), directed=graph.directed)
        assert again == known.reweighted(None)
        assert from_polars(to_polars(known), directed=graph.directed) == known


def test_an_array_has_its_edges_in_rows_or_in_columns() -> None:
    rows = np.array([[3, 5], [5, 9], [9, 3]])
    assert from_array(rows) == from_array(rows.T) == from_array(rows.tolist())
    assert from_array([[1, 2], [1, 3]]).labels.tolist() == [1, 2, 3]


@pytest.mark.parametrize("wrong", [[1, 2, 3], [[0.5, 1.0]], [[1, 2, 3]], [[1, 2], [3]], [], [[1, 2, 3]] * 3], ids=str)
def test_what_is_no_array_of_edges_is_refused(wrong: Any) -> None:
    with pytest.raises(LenseError, match="Edges are given as pairs of ids"):
        from_array(wrong)
