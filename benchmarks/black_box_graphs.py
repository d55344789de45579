"""The graphs of the black-box benchmark: matrices, balls of large ones, and objects of the users' libraries."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse import csgraph

import lense
from lense.graph import to_scipy

Vertices = Any
"""A sequence of ids, or of numbers."""
GRAPHS = {
    "facebook": "social network",
    "deezer": "social network",
    "deezer-RO": "social network",
    "wiki": "votes, directed",
    "p2p-Gnutella31": "peer-to-peer, directed",
    "as-caida20071105": "internet",
    "power-grid": "power grid",
    "dimacs9-NY": "roads",
    "road-riga": "roads",
    "com-amazon": "products",
    "BioGrid-Homo-Sapiens": "proteins",
    "cit-HepPh": "citations",
    "ca-CondMat": "collaboration",
    "ca-HepTh": "collaboration",
    "openflights": "airline routes",
}
"""The kind of each graph."""


@dataclass(frozen=True)
class Instance:
    """A graph as a matrix (n, n), which is the user's object of the type ``kind`` once it is made.

    ``attributes`` have a value or a row for each vertex. The ids of vertices are the rows of the whole graph's matrix.
    """

    kind: str
    matrix: Any
    directed: bool
    weighted: bool
    attributes: dict[str, Any]

    def make(self, matrix: Any = None, ids: Any = None) -> Any:
        """The whole graph, or a part of it with these vertices, as the user's object."""
        matrix = self.matrix if matrix is None else matrix
        ids = np.arange(matrix.shape[0]) if ids is None else ids
        return _MAKERS[self.kind](self, matrix, ids, {name: values[ids] for name, values in self.attributes.items()})

    @property
    def numbered(self) -> bool:
        """Whether a vertex of a part is its number in the part, and not its id."""
        return self.kind in ("igraph", "scipy", "pyg")


def _edges(graph: Instance, matrix: Any) -> tuple[Any, Any, Any]:
    found = (matrix if graph.directed else sparse.triu(matrix)).tocoo()
    return found.row, found.col, found.data


def _networkx(graph: Instance, matrix: Any, ids: Any, attributes: dict[str, Any]) -> nx.Graph:
    rows, columns, weights = _edges(graph, matrix)
    made = nx.DiGraph() if graph.directed else nx.Graph()
    made.add_nodes_from(ids.tolist())
    if graph.weighted:
        made.add_weighted_edges_from(zip(ids[rows].tolist(), ids[columns].tolist(), weights.tolist(), strict=True))
    else:
        made.add_edges_from(zip(ids[rows].tolist(), ids[columns].tolist(), strict=True))
    for name, values in attributes.items():
        nx.set_node_attributes(made, dict(zip(ids.tolist(), values.tolist(), strict=True)), name)
    return made


def _igraph(graph: Instance, matrix: Any, ids: Any, attributes: dict[str, Any]) -> Any:
    import igraph

    rows, columns, _ = _edges(graph, matrix)
    edges = np.column_stack([rows, columns]).tolist()
    return igraph.Graph(ids.size, edges, directed=graph.directed, vertex_attrs=attributes)


def _scipy(graph: Instance, matrix: Any, ids: Any, attributes: dict[str, Any]) -> Any:
    return matrix


def _pandas(graph: Instance, matrix: Any, ids: Any, attributes: dict[str, Any]) -> pd.DataFrame:
    rows, columns, weights = _edges(graph, matrix)
    return pd.DataFrame({"source": ids[rows], "target": ids[columns], "weight": weights})


def _array(graph: Instance, matrix: Any, ids: Any, attributes: dict[str, Any]) -> Any:
    rows, columns, _ = _edges(graph, matrix)
    return np.column_stack([ids[rows], ids[columns]])


def _pyg(graph: Instance, matrix: Any, ids: Any, attributes: dict[str, Any]) -> Any:
    import torch
    from torch_geometric.data import Data

    both = matrix.tocoo()
    edges = torch.from_numpy(np.stack([both.row, both.col]).astype(np.int64))
    return Data(edge_index=edges, num_nodes=ids.size, **{k: torch.from_numpy(v) for k, v in attributes.items()})


_MAKERS: dict[str, Callable[[Instance, Any, Any, dict[str, Any]], Any]] = {
    "networkx": _networkx,
    "igraph": _igraph,
    "scipy": _scipy,
    "pandas": _pandas,
    "array": _array,
    "pyg": _pyg,
}


def simple(matrix: Any, directed: bool) -> Any:
    """The matrix with ones, without loops, and symmetric unless it is directed."""
    made = sparse.csr_matrix(matrix, dtype=np.float64)
    made = made if directed else made + made.T
    made.setdiag(0)
    made.eliminate_zeros()
    made.data[:] = 1
    made.sort_indices()
    return made


def read(name: str, directed: bool) -> Any:
    """The matrix of a file in ``LENSE_DATA``: ones, without loops, and symmetric unless it is directed."""
    return simple(to_scipy(lense.open_graph(name, arcs=directed)), directed)


def ball(matrix: Any, size: int | None, rng: np.random.Generator) -> Any:
    """The first vertices in breadth-first order from a random one of the largest component, or all of that."""
    label = csgraph.connected_components(matrix, directed=True, connection="weak")[1]
    largest = np.flatnonzero(label == np.bincount(label).argmax())
    start = rng.choice(largest)
    order = csgraph.breadth_first_order(matrix + matrix.T, start, directed=False, return_predecessors=False)
    kept = np.sort(order[:size])
    return matrix[kept][:, kept]


def random_weights(matrix: Any, draw: Callable[[int], Any]) -> Any:
    """A symmetric matrix with a random weight for each edge."""
    half = sparse.triu(matrix, format="csr")
    half.data = draw(half.nnz)
    return (half + half.T).tocsr()


def by_degree(instance: Instance) -> Any:
    """The vertices from the highest degree to the lowest, in- and out-edges counted."""
    ones = instance.matrix != 0
    degree = np.asarray(ones.sum(axis=0)).ravel()
    return np.argsort(-(degree + np.asarray(ones.sum(axis=1)).ravel() * instance.directed), kind="stable")


def part(matrix: Any, roots: Any, shape: str) -> tuple[Any, Any]:
    """The matrix and the vertices of the part that roots induce, or of the part of all edges that touch them."""
    if shape == "induced":
        return matrix[roots][:, roots], roots
    all_edges, chosen = matrix.tocoo(), np.zeros(matrix.shape[0], bool)
    chosen[roots] = True
    touches = chosen[all_edges.row] | chosen[all_edges.col]
    cut = type(all_edges)(
        (all_edges.data[touches], (all_edges.row[touches], all_edges.col[touches])), shape=matrix.shape
    )
    near = chosen.copy()
    near[cut.row] = near[cut.col] = True
    ids = np.flatnonzero(near)
    return cut.tocsr()[ids][:, ids], ids
