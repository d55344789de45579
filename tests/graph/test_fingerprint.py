"""A function that changes the graph it was given is found out, and one that only reads it is not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from lense.graph import Graph, to_arrow, to_networkx
from lense.graph.fingerprint import _ENTRIES, fingerprint
from tests.graph.kinds import KINDS
from tests.skips import NO_NETWORKX


@pytest.mark.parametrize("name", KINDS)
def test_it_stays_while_a_graph_is_read(name: str) -> None:
    theirs = KINDS[name].make(True)
    before = fingerprint(theirs)
    KINDS[name].arcs(theirs)
    assert fingerprint(theirs) == before


def _assign(table: Any) -> None:
    table.loc[2, "since"] = 9


def _attribute(graph: Any) -> None:
    graph.nodes["bo"]["seen"] = True


def _polars_value(table: Any) -> None:
    table[1, "since"] = 9


CHANGES: dict[str, list[Callable[[Any], Any]]] = {
    "networkx": [
        _attribute,
        lambda graph: graph.nodes["bo"].update(age=99),
        lambda graph: graph.edges["cy", "ed"].update(weight=9.0),
        lambda graph: graph.edges["cy", "ed"].pop("since"),
        lambda graph: graph.graph.update(title="none"),
        lambda graph: graph.remove_node("di"),
        lambda graph: (graph.remove_edge("cy", "ed"), graph.add_edge("cy", "di", weight=1)),
    ],
    "networkx multigraph": [
        lambda graph: graph.edges["cy", "ed", 0].update(weight=9.0),
        lambda graph: graph.add_edge("cy", "ed"),
    ],
    "igraph": [
        lambda graph: graph.vs[3].update_attributes(age=99),
        lambda graph: graph.es[1].update_attributes(weight=9.0),
        lambda graph: graph.__setitem__("title", "none"),
        lambda graph: graph.vs.__setitem__("score", 1.0),
        lambda graph: graph.delete_vertices(4),
        lambda graph: (graph.delete_edges(0), graph.add_edge(0, 4)),
    ],
    "networkit": [
        lambda graph: graph.setWeight(0, 2, 9.0),
        lambda graph: graph.removeNode(4),
        lambda graph: (graph.removeEdge(0, 2), graph.addEdge(0, 4, 1 / 3)),
    ],
    "scipy csr_array": [
        lambda matrix: matrix.data.__setitem__(0, 9.0),
        lambda matrix: matrix.setdiag(0),
        lambda matrix: matrix.resize(4, 4),
    ],
    "scipy coo_matrix": [lambda matrix: matrix.data.__setitem__(0, 9.0)],
    "scipy lil_array": [lambda matrix: matrix.__setitem__((0, 4), 9.0)],
    "pyg": [
        lambda data: data.x.__setitem__((0, 0), 99),
        lambda data: data.edge_weight.mul_(2),
        lambda data: setattr(data, "score", 1),
        lambda data: setattr(data, "edge_index", data.edge_index[:, :3]),
    ],
    "pandas": [
        _assign,
        lambda table: table.__setitem__("score", 1),
        lambda table: table.pop("since"),
        lambda table: setattr(table, "columns", ["source", "target", "weight", "year"]),
        lambda table: setattr(table, "index", list("abcdef")),
        lambda table: table.__setitem__("source", table["source"].str.upper()),
    ],
    "polars": [
        _polars_value,
        lambda table: table.insert_column(0, table["since"].alias("year")),
        lambda table: table.extend(table),
    ],
    "array": [lambda rows: rows.__setitem__((0, 0), 3), lambda rows: rows.sort(axis=0)],
    "list": [lambda rows: rows.append((0, 3)), lambda rows: rows.reverse(), lambda rows: rows.__setitem__(0, (0, 0))],
    "list of two": [lambda ends: ends[0].reverse()],
    "tensor": [lambda rows: rows.add_(1)],
}


@pytest.mark.parametrize(
    ("name", "number"), [(name, i) for name, changes in CHANGES.items() for i in range(len(changes))]
)
def test_it_differs_after_a_change(name: str, number: int) -> None:
    theirs = KINDS[name].make(True)
    before = fingerprint(theirs)
    CHANGES[name][number](theirs)
    assert fingerprint(theirs) != before


def test_sorting_the_entries_of_a_matrix_changes_nothing() -> None:
    matrix = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 1]), np.array([0, 2, 3, 3])), shape=(3, 3))
    before = fingerprint(matrix)
    matrix.sort_indices()
    assert fingerprint(matrix) == before


def test_an_array_as_an_attribute_is_a_change_and_no_error() -> None:
    nx = pytest.importorskip("networkx", reason=NO_NETWORKX)
    graph = nx.path_graph(3)
    graph.nodes[0]["vector"] = np.zeros(2)
    before = fingerprint(graph)
    assert fingerprint(graph) == before
    graph.nodes[0]["vector"] = np.ones(2)
    assert fingerprint(graph) != before


def test_what_nobody_can_change_has_nothing_to_note() -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    assert fingerprint(graph) == fingerprint(graph)
    assert fingerprint(to_arrow(graph)) == fingerprint(to_arrow(graph))


def test_of_a_large_graph_the_edges_of_the_largest_vertices_are_compared() -> None:
    pytest.importorskip("networkx", reason=NO_NETWORKX)
    leaves = np.arange(1, _ENTRIES // 4)
    sources = np.append(np.zeros(leaves.size, np.int64), np.arange(leaves.size, 2 * _ENTRIES))
    targets = np.append(leaves, np.arange(leaves.size, 2 * _ENTRIES) + 1)
    theirs = to_networkx(Graph.from_edges(sources, targets))
    before = fingerprint(theirs)
    assert fingerprint(theirs) == before
    theirs.edges[0, 7]["weight"] = 2.0
    assert fingerprint(theirs) != before
