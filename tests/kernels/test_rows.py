"""Rows of a CSR: what entries count, their sums, and some of the rows by themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph import Graph, power_law
from lense.kernels import rows as kernels
from lense.kernels.rows import neighbour_sums, rows_between, weighted_degrees
from tests.strategies import PROBABILITIES, graphs

KINDS = graphs(weighted=True, weights=PROBABILITIES, min_vertices=2, min_edges=1, loops=True, duplicates=True)


@given(KINDS)
def test_sums_are_those_of_the_rows(graph: Graph) -> None:
    assert graph.weights is not None
    rows = np.split(graph.weights.astype(np.float64), graph.indptr[1:-1])
    sums, counts = weighted_degrees(graph.outgoing), weighted_degrees(graph.outgoing._replace(weights=None))
    assert (sums.dtype.name, counts.dtype.name) == ("float64", "int32")
    assert np.allclose(sums, [row.sum() for row in rows])
    assert counts.tolist() == [row.size for row in rows]


@given(KINDS)
def test_the_values_of_neighbours_are_summed(graph: Graph) -> None:
    values = np.random.default_rng(0).random(graph.num_vertices)
    rows = np.split(values[graph.indices], graph.indptr[1:-1])
    assert np.allclose(neighbour_sums(graph.indptr, graph.indices, values), [row.sum() for row in rows])


def test_threads_change_no_bit_of_the_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = power_law(500, 10, 2.5, np.random.default_rng(1))
    values = np.random.default_rng(0).random(graph.num_vertices)
    alone = neighbour_sums(graph.indptr, graph.indices, values)
    monkeypatch.setattr(kernels, "_ENTRIES_FOR_THREADS", 0)
    monkeypatch.setattr(kernels, "_ROWS_AT_ONCE", 7)
    monkeypatch.setenv("LENSE_THREADS", "3")
    assert neighbour_sums(graph.indptr, graph.indices, values).tobytes() == alone.tobytes()


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
