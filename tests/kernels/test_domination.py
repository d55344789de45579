"""Closed neighbourhoods and their unions."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph import Graph
from lense.kernels.domination import closed_rows, count_dominated
from tests.brute_force import dominated, graphs_with_budgets


@given(graphs_with_budgets())
@settings(max_examples=60, deadline=None)
def test_a_row_has_the_vertex_first_and_each_neighbour_once(case: tuple[Graph, int]) -> None:
    graph = case[0]
    starts, members = closed_rows(graph.incident.indptr, graph.incident.indices)
    for v in range(graph.num_vertices):
        row = members[starts[v] : starts[v + 1]].tolist()
        assert row[0] == v
        assert len(row) == len(set(row)) == dominated(graph, [v])
    assert members.size == starts[-1]


@given(graphs_with_budgets(), st.data())
@settings(max_examples=60, deadline=None)
def test_vertices_dominate_the_union_of_their_rows(case: tuple[Graph, int], data: st.DataObject) -> None:
    graph = case[0]
    chosen = data.draw(st.sets(st.integers(0, graph.num_vertices - 1)))
    rows = closed_rows(graph.incident.indptr, graph.incident.indices)
    assert count_dominated(*rows, np.array(sorted(chosen), np.int64)) == dominated(graph, chosen)
