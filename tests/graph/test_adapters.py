"""Graphs as their owner has them; ``tests/solving/test_own.py`` says how heuristics see them."""

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph, convert
from lense.graph.adapters import View, adapt, open_graph

GRAPH = Graph.from_edges([0, 0, 1], [1, 2, 3], [0.5, 0.25, 1.0], labels=np.array([5, 6, 7, 8]))
PART = Graph.from_edges([0], [1], [0.5], labels=np.array([5, 6]))


def test_a_graph_stays_what_it_is() -> None:
    given = adapt(GRAPH)
    view = View(given)
    assert view.of(GRAPH) is GRAPH
    assert not view.converts(GRAPH)
    assert given.names(PART.labels) == [5, 6]


def test_a_table_keeps_its_columns_and_takes_the_weights_of_the_part() -> None:
    table = convert.to_arrow(GRAPH).append_column("year", [np.array([1, 2, 3])])
    given = adapt(table)
    part = View(given).of(PART.reweighted(np.array([9.0, 9.0], np.float32)))
    assert part.to_pydict() == {"source": [5], "target": [6], "weight": [9.0], "year": [1]}
    assert View(given).of(given.graph) is table


def test_rows_of_a_table_are_arcs_where_direction_counts() -> None:
    assert adapt(convert.to_arrow(GRAPH), arcs=True).graph.directed


def test_vertices_go_there_and_back() -> None:
    view = View(adapt(GRAPH), "arrow")
    assert view.vertices(PART, np.array([1, 0])) == [6, 5]
    assert view.numbers(PART, [6, 5], "f").tolist() == [1, 0]
    assert View(adapt(GRAPH), "scipy").vertices(PART, np.array([1])) == [1]


def test_vertices_of_the_whole_graph_that_are_not_in_the_part_are_unknown() -> None:
    with pytest.raises(LenseError, match="f returned 8, which is no vertex of the graph it was given"):
        View(adapt(GRAPH), "arrow").numbers(PART, [8], "f")


def test_open_graph_takes_what_its_owner_has() -> None:
    theirs = convert.to_networkx(GRAPH)
    assert open_graph(theirs) == GRAPH
    assert open_graph(convert.to_polars(GRAPH), columns=("source", "target")) == GRAPH.reweighted(None)
    assert open_graph([["a", "b"], ["b", "c"]], arcs=True).directed
    assert open_graph(GRAPH) is GRAPH


def test_options_that_an_object_has_no_use_for_are_refused() -> None:
    with pytest.raises(LenseError, match="A networkx graph is not read with ids: leave that out"):
        open_graph(convert.to_networkx(GRAPH), ids="str")
    with pytest.raises(LenseError, match="A Graph of lense is not read with directed"):
        open_graph(GRAPH, directed=True)
