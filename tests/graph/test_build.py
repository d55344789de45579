"""The counting sorts beneath `Graph.from_edges`."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph.build import count_loops, csr_from_edges, transpose

NUM_VERTICES = 5
PAIRS = st.lists(st.tuples(*[st.integers(0, NUM_VERTICES - 1)] * 2), max_size=15)
NO_WEIGHTS = np.empty(0, np.float32)


def csr_of(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows with their entries in the order listed, weighted by that order."""
    order = sorted(range(len(pairs)), key=lambda i: pairs[i][0])
    indptr = np.cumsum([0, *np.bincount([u for u, _ in pairs], minlength=NUM_VERTICES)])
    return indptr, np.array([pairs[i][1] for i in order], np.int32), np.array(order, np.float32)


@settings(max_examples=100, deadline=None)
@given(PAIRS)
def test_transpose_reverses_arcs_with_their_weights_and_sorts_rows(pairs: list[tuple[int, int]]) -> None:
    indptr, indices, weights = transpose(*csr_of(pairs))
    expected = sorted((v, u, i) for i, (u, v) in enumerate(pairs))
    sources = np.repeat(np.arange(NUM_VERTICES), np.diff(indptr))
    assert list(zip(sources.tolist(), indices.tolist(), weights.tolist(), strict=True)) == expected


@settings(max_examples=100, deadline=None)
@given(PAIRS, st.booleans())
def test_every_edge_is_kept_on_request(pairs: list[tuple[int, int]], directed: bool) -> None:
    sources, targets = (np.array([pair[i] for pair in pairs], np.int32) for i in (0, 1))
    indptr, indices, _ = csr_from_edges(
        sources, targets, NO_WEIGHTS, NUM_VERTICES, directed=directed, keep_duplicates=True, keep_self_loops=True
    )
    loops = sum(u == v for u, v in pairs)
    assert indptr[0] == 0
    assert indptr[-1] == indices.size == (len(pairs) if directed else 2 * len(pairs) - loops)
    assert count_loops(indptr, indices) == loops


def test_the_largest_vertex_may_be_isolated() -> None:
    indptr, indices, _ = csr_from_edges(
        np.array([1], np.int32),
        np.array([0], np.int32),
        NO_WEIGHTS,
        4,
        directed=True,
        keep_duplicates=False,
        keep_self_loops=False,
    )
    assert indptr.tolist() == [0, 0, 1, 1, 1]
    assert indices.tolist() == [0]
