"""The same graph in every type that a user may have, with everything that such an object can hold."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from tests.skips import NO_IGRAPH, NO_NETWORKIT, NO_NETWORKX, NO_PANDAS

NAMES = ["cy", "al", "ed", "bo", "di"]
"""In the order of the object, which is not that of the alphabet."""
ARCS = [(1, 0), (0, 2), (3, 1), (2, 1), (4, 3), (2, 2)]
"""Directed, with a self-loop."""
WEIGHTS = [0.1, 1 / 3, 1e-9, 2.0, 0.7, 5.0]


@dataclass(frozen=True)
class Kind:
    """How to make an object with the arcs above, and how to read the arcs of one: (source, target, weight)."""

    make: Callable[[bool], Any]
    arcs: Callable[[Any], list[Any]]
    numbered: bool = False
    """Whether vertices of a part are numbers there."""
    both_ways: bool = False
    """Whether an undirected graph lists each edge both ways."""
    lists_ends_freely: bool = False
    """Whether an undirected edge may come back with its ends exchanged."""
    weighted: bool = True


def _networkx(multi: bool) -> Callable[[bool], Any]:
    def make(directed: bool) -> Any:
        nx = pytest.importorskip("networkx", reason=NO_NETWORKX)
        made = {
            (False, False): nx.Graph,
            (False, True): nx.DiGraph,
            (True, False): nx.MultiGraph,
            (True, True): nx.MultiDiGraph,
        }[multi, directed](title="club")
        made.add_nodes_from((name, {"age": i}) for i, name in enumerate(NAMES))
        made.add_edges_from(
            (NAMES[u], NAMES[v], {"weight": w, "since": i})
            for i, ((u, v), w) in enumerate(zip(ARCS, WEIGHTS, strict=True))
        )
        return made

    return make


def _igraph(directed: bool) -> Any:
    ig = pytest.importorskip("igraph", reason=NO_IGRAPH)
    made = ig.Graph(n=5, edges=ARCS, directed=directed)
    made["title"], made.vs["name"], made.vs["age"] = "club", NAMES, range(5)
    made.es["weight"], made.es["since"] = WEIGHTS, range(6)
    return made


def _networkit(directed: bool) -> Any:
    nk = pytest.importorskip("networkit", reason=NO_NETWORKIT)
    made = nk.Graph(5, weighted=True, directed=directed)
    for (u, v), weight in zip(ARCS, WEIGHTS, strict=True):
        made.addEdge(u, v, weight)
    return made


def _matrix(make: Callable[[Any], Any]) -> Callable[[bool], Any]:
    def made(directed: bool) -> Any:
        dense = np.zeros((5, 5))
        for (u, v), weight in zip(ARCS, WEIGHTS, strict=True):
            dense[u, v] = weight
            if not directed:
                dense[v, u] = weight
        return make(dense)

    return made


def _pyg(directed: bool) -> Any:
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")
    arcs, weights = list(ARCS), list(WEIGHTS)
    if not directed:
        arcs += [(v, u) for u, v in ARCS if u != v]
        weights += [w for (u, v), w in zip(ARCS, WEIGHTS, strict=True) if u != v]
    return data.Data(
        edge_index=torch.tensor(arcs).T.contiguous(),
        edge_weight=torch.tensor(weights, dtype=torch.float64),
        x=torch.arange(10).reshape(5, 2),
        y=torch.arange(5),
        num_nodes=5,
        title="club",
    )


def _columns() -> dict[str, Any]:
    return {
        "source": [NAMES[u] for u, _ in ARCS],
        "target": [NAMES[v] for _, v in ARCS],
        "weight": WEIGHTS,
        "since": list(range(6)),
    }


def _of_networkx(graph: Any) -> list[Any]:
    return [(u, v, data["weight"]) for u, v, data in graph.edges(data=True)]


def _of_igraph(graph: Any) -> list[Any]:
    return [(*edge.tuple, edge["weight"]) for edge in graph.es]


def _of_matrix(matrix: Any) -> list[Any]:
    entries = matrix.tocoo()
    return list(zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True))


def _of_pyg(data: Any) -> list[Any]:
    return [(*ends, w) for ends, w in zip(data.edge_index.T.tolist(), data.edge_weight.tolist(), strict=True)]


def _of_table(table: Any) -> list[Any]:
    return list(zip(*(list(np.asarray(table[name]).tolist()) for name in ("source", "target", "weight")), strict=True))


def _of_rows(rows: Any) -> list[Any]:
    pairs = rows if isinstance(rows, list | tuple) else rows.tolist()
    return [(u, v, None) for u, v in pairs]


def _of_columns(ends: Any) -> list[Any]:
    return [(u, v, None) for u, v in zip(*(list(map(int, side)) for side in ends), strict=True)]


KINDS = {
    "networkx": Kind(_networkx(multi=False), _of_networkx, lists_ends_freely=True),
    "networkx multigraph": Kind(_networkx(multi=True), _of_networkx, lists_ends_freely=True),
    "igraph": Kind(_igraph, _of_igraph, numbered=True, lists_ends_freely=True),
    "networkit": Kind(_networkit, lambda graph: list(graph.iterEdgesWeights()), numbered=True, lists_ends_freely=True),
    **{
        f"scipy {form}_{kind}": Kind(_matrix(getattr(sp, f"{form}_{kind}")), _of_matrix, True, True)
        for form in ("csr", "csc", "coo", "lil", "dia", "bsr")
        for kind in ("array", "matrix")
    },
    "pyg": Kind(_pyg, _of_pyg, numbered=True, both_ways=True),
    "pandas": Kind(lambda _: pytest.importorskip("pandas", reason=NO_PANDAS).DataFrame(_columns()), _of_table),
    "polars": Kind(lambda _: pytest.importorskip("polars").DataFrame(_columns()), _of_table),
    "arrow": Kind(lambda _: pytest.importorskip("pyarrow").table(_columns()), _of_table),
    "array": Kind(lambda _: np.array(ARCS), _of_rows, weighted=False),
    "array (2, m)": Kind(lambda _: np.array(ARCS).T.copy(), _of_columns, weighted=False),
    "list": Kind(lambda _: list(ARCS), _of_rows, weighted=False),
    "list of two": Kind(lambda _: [list(ends) for ends in zip(*ARCS, strict=True)], _of_columns, weighted=False),
    "tensor": Kind(lambda _: pytest.importorskip("torch").tensor(ARCS), _of_rows, weighted=False),
}
