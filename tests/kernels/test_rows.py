"""Rows of a CSR: their sums, and some of them by themselves."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph import Graph
from lense.kernels.rows import row_sums, rows_between
from tests.strategies import PROBABILITIES, graphs

KINDS = graphs(weighted=True, weights=PROBABILITIES, min_vertices=2, min_edges=1, loops=True, duplicates=True)


@given(KINDS)
@settings(max_examples=50, deadline=None)
def test_sums_are_those_of_the_rows(graph: Graph) -> None:
    assert graph.weights is not None
    rows = np.split(graph.weights.astype(np.float64), graph.indptr[1:-1])
    assert np.allclose(row_sums(graph.indptr, graph.weights), [row.sum() for row in rows])


@given(KINDS, st.data())
@settings(max_examples=80, deadline=None)
def test_rows_between_vertices_are_those_rows_less_what_leads_out(graph: Graph, data: st.DataObject) -> None:
    assert graph.weights is not None
    chosen = sorted(data.draw(st.sets(st.integers(0, graph.num_vertices - 1))))
    vertices = np.array(chosen, np.int64)
    begins, entries, weights = rows_between(graph.indptr, graph.indices, graph.weights, vertices)
    for place, v in enumerate(chosen):
        here = range(graph.indptr[v], graph.indptr[v + 1])
        inside = [a for a in here if graph.indices[a] in chosen]
        row = slice(begins[place], begins[place + 1])
        assert [chosen[i] for i in entries[row]] == [graph.indices[a] for a in inside]
        assert weights[row].tolist() == [graph.weights[a] for a in inside]
    assert begins[-1] == entries.size == weights.size
    _, same, none = rows_between(graph.indptr, graph.indices, np.empty(0, np.float32), vertices)
    assert same.tolist() == entries.tolist()
    assert none.size == 0
