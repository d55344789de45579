"""Kernels over batches of edges."""

import numpy as np
import pytest

from lense.kernels.streaming import (
    NO_WEIGHTS,
    add_degrees,
    add_products,
    add_weights,
    add_weights_into,
    component_sizes,
    edge_keys,
    edges_of,
    join,
    loops_in_order,
    marked_edges,
    sorted_unique,
)

SOURCES = np.array([3, 1, 2, 2, 0], np.int32)
TARGETS = np.array([1, 3, 2, 0, 4], np.int32)


@pytest.mark.parametrize("bits", [3, 20, 64])
def test_keys_are_sorted_and_each_is_kept_once(bits: int) -> None:
    rng = np.random.default_rng(bits)
    keys = rng.integers(0, 2**bits, 5000, dtype=np.uint64)
    assert np.array_equal(sorted_unique(keys.copy())[0], np.unique(keys))
    weights = np.arange(keys.size, dtype=np.float32)
    found, first = sorted_unique(keys.copy(), weights.copy())
    expected, places = np.unique(keys, return_index=True)
    assert np.array_equal(found, expected)
    assert np.array_equal(first, places)


@pytest.mark.parametrize("directed", [True, False])
def test_a_key_holds_an_edge_from_its_smaller_end_and_no_self_loop(directed: bool) -> None:
    ends = edges_of(edge_keys(SOURCES, TARGETS, directed))
    edges = list(zip(*(end.tolist() for end in ends), strict=True))
    listed = [(3, 1), (1, 3), (2, 0), (0, 4)]
    assert edges == (listed if directed else [tuple(sorted(edge)) for edge in listed])


def test_degrees_leave_out_self_loops() -> None:
    degrees = np.zeros(5, np.int32)
    assert add_degrees(SOURCES, TARGETS, degrees) == 1
    assert degrees.tolist() == [2, 2, 1, 2, 1]


def test_products_add_the_value_of_the_other_end() -> None:
    values = np.arange(10.0).reshape(2, 5)
    sums = np.zeros((2, 5))
    add_products(SOURCES, TARGETS, values, sums)
    assert sums[0].tolist() == [2 + 4, 3 + 3, 0, 1 + 1, 0]


def test_edges_with_one_marked_end_or_two() -> None:
    marked = np.array([True, False, True, False, False])
    for weights in (NO_WEIGHTS, np.arange(5, dtype=np.float32)):
        one, two = (
            [array.tolist() for array in marked_edges(SOURCES, TARGETS, weights, marked, both)]
            for both in (False, True)
        )
        assert one == [[2, 0], [0, 4], [3.0, 4.0] if weights.size else []]
        assert two == [[2], [0], [3.0] if weights.size else []]


def test_weights_are_summed_at_both_ends_of_an_edge_or_where_the_other_end_is_marked() -> None:
    degrees, sums, into = np.zeros(5, np.int32), np.zeros(5), np.zeros(5)
    weights = np.array([1, 2, 9, 4, 0.5], np.float32)
    assert add_weights(SOURCES, TARGETS, weights, degrees, sums) == 7.5
    assert degrees.tolist() == [2, 2, 1, 2, 1]
    assert sums.tolist() == [4.5, 3, 4, 3, 0.5]
    add_weights_into(SOURCES, TARGETS, weights, np.array([True, False, True, False, False]), into)
    assert into.tolist() == [4, 0, 4, 0, 0.5]


@pytest.mark.parametrize(
    ("sources", "targets", "directed", "loops"),
    [
        ([0, 0, 1], [1, 2, 2], False, 0),
        ([0, 0, 1], [0, 2, 1], False, 2),
        ([0, 0, 1], [1, 1, 2], False, -1),
        ([0, 1, 0], [1, 2, 2], False, -1),
        ([0, 2], [1, 1], False, -1),
        ([0, 2], [1, 1], True, 0),
    ],
)
def test_self_loops_of_edges_that_rise(sources: list[int], targets: list[int], directed: bool, loops: int) -> None:
    us, vs = np.array(sources), np.array(targets)
    assert loops_in_order(us, vs, directed, (-1, -1)) == loops
    assert loops_in_order(us, vs, directed, (us[0], vs[0])) == -1


def test_components_are_joined_edge_by_edge() -> None:
    parents = np.arange(6, dtype=np.int32)
    join(SOURCES, TARGETS, parents)
    assert sorted(component_sizes(parents).tolist()) == [1, 2, 3]
