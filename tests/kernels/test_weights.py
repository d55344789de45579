"""An entry counts 1 or its weight, and a row the sum of its entries."""

import numpy as np

from lense.graph import Graph
from lense.kernels.rows import entry_weight, weighted_degrees

PATH = Graph.from_edges([0, 1], [1, 2], [0.5, 4.0])


def test_an_entry_counts_its_weight_or_one() -> None:
    assert [entry_weight(PATH.weights, a) for a in range(4)] == [0.5, 0.5, 4.0, 4.0]
    assert entry_weight(None, 3) == 1


def test_degrees_are_whole_numbers_without_weights_and_sums_with_them() -> None:
    counted, weighed = weighted_degrees(PATH.reweighted(None).incident), weighted_degrees(PATH.incident)
    assert counted.tolist() == [1, 2, 1]
    assert weighed.tolist() == [0.5, 4.5, 4.0]
    assert (counted.dtype.name, weighed.dtype.name) == ("int32", "float64")


def test_weights_are_summed_in_double_precision() -> None:
    many = Graph.from_edges(np.zeros(1 << 12, np.int32), np.arange(1, (1 << 12) + 1), np.full(1 << 12, 2.0**24 - 1))
    assert weighted_degrees(many.incident)[0] == (2.0**24 - 1) * 2**12
