"""Closed neighbourhoods, their unions, and the greedy choice of them."""

import numpy as np
from hypothesis import given

from lense.graph import Graph, power_law
from lense.kernels.domination import closed_rows, greedy_domination
from lense.kernels.hitting import greedy_hitting
from tests.brute_force import dominated, graphs_with_budgets


@given(graphs_with_budgets())
def test_a_row_has_the_vertex_first_and_each_neighbour_once(case: tuple[Graph, int]) -> None:
    graph = case[0]
    starts, members = closed_rows(graph.incident)
    for v in range(graph.num_vertices):
        row = members[starts[v] : starts[v + 1]].tolist()
        assert row[0] == v
        assert len(row) == len(set(row)) == dominated(graph, [v])
    assert members.size == starts[-1]


def test_greedy_is_that_of_the_closed_rows_as_sets_to_hit() -> None:
    graph = power_law(3000, 8, 2.3, np.random.default_rng(5))
    rows, everyone = graph.incident, np.arange(graph.num_vertices, dtype=np.int32)
    closed = closed_rows(rows)
    theirs = greedy_hitting(*closed, graph.num_vertices, everyone, 200, bounded=False).vertices
    np.testing.assert_array_equal(greedy_domination(rows, everyone, 200), theirs)
