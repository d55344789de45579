"""Parts of a graph, and how much of the graph they leave out."""

import pytest

from lense.graph import Graph
from lense.parts import shares_pruned, subgraph


def test_shares_pruned_count_what_is_left_out() -> None:
    star = Graph.from_edges([0, 0, 0, 4], [1, 2, 3, 5])
    assert shares_pruned(star, subgraph(star, [4])) == pytest.approx((4 / 6, 3 / 4))
