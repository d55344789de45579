"""Vertices ranked by a rule."""

import numpy as np

from lense.graph import Graph
from lense.problems import get_problem
from lense.pruners.ranking import importance, largest


def test_importance_is_the_degree_whatever_the_direction() -> None:
    graph = Graph.from_edges([0, 1, 2, 0], [1, 0, 0, 3], directed=True)
    ends = [end for pair in zip(*graph.edges()[:2], strict=True) for end in pair]
    assert importance(get_problem("mvc"), graph).tolist() == [ends.count(v) for v in range(4)] == [4, 2, 1, 1]


def test_importance_is_the_out_weight_where_direction_and_weights_matter() -> None:
    graph = Graph.from_edges([0, 0, 2], [1, 2, 0], [0.5, 0.25, 1.0], directed=True)
    assert importance(get_problem("im"), graph).tolist() == [0.75, 0.0, 1.0]
    assert importance(get_problem("mvc"), graph).tolist() == [3, 1, 2]


def test_the_largest_are_in_order_and_of_equals_the_first() -> None:
    assert largest(np.array([1.0, 3.0, 2.0, 3.0]), 3).tolist() == [1, 3, 2]
