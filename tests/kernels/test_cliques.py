"""Cliques share out the costs of all pairs, and no more."""

import numpy as np
import pytest
from hypothesis import given, settings

from lense._util.types import Float64s
from lense.graph import Graph
from lense.kernels.bounds import LIVE, Pairs, gain_intervals, live_pairs
from lense.kernels.relaxation import Cliques, clique_work, partition, restricted, single_edges
from tests.brute_force import graphs_with_budgets


def pairs_of(graph: Graph, loss: int = 2) -> Pairs:
    rows, everyone, state = graph.incident, np.arange(graph.num_vertices), np.full(graph.num_vertices, LIVE)
    profit = gain_intervals(rows, state, everyone, 1, loss)[1]
    program: Pairs = live_pairs(rows, state, everyone, profit, loss)
    return program


def cost_matrix(pairs: Pairs) -> Float64s:
    n = pairs.profit.size
    matrix = np.zeros((n, n))
    matrix[np.repeat(np.arange(n), np.diff(pairs.indptr)), pairs.indices] = pairs.cost
    return matrix


def shared_out(cliques: Cliques, n: int) -> Float64s:
    """What the groups cost each pair (n, n)."""
    matrix = np.zeros((n, n))
    for j, price in enumerate(cliques.price):
        members = cliques.members[cliques.starts[j] : cliques.starts[j + 1]]
        matrix[np.ix_(members, members)] += price
    np.fill_diagonal(matrix, 0)
    return matrix


@pytest.mark.parametrize("bundle", [single_edges, partition])
@given(case=graphs_with_budgets())
@settings(max_examples=100, deadline=None)
def test_the_groups_cost_what_the_edges_cost(bundle: type, case: tuple[Graph, int]) -> None:
    pairs = pairs_of(case[0])
    cliques = bundle(pairs)
    assert np.allclose(shared_out(cliques, pairs.profit.size), cost_matrix(pairs))
    assert cliques.members.size <= 2 * pairs.indices.size


def test_two_cliques_that_share_a_vertex_are_found() -> None:
    both = [(u, v) for clique in (range(5), range(4, 9)) for u in clique for v in clique if u < v]
    cliques = partition(pairs_of(Graph.from_edges(*np.array(both).T)))
    groups = [sorted(cliques.members[a:b].tolist()) for a, b in zip(cliques.starts, cliques.starts[1:], strict=False)]
    assert sorted(groups) == [[0, 1, 2, 3, 4], [4, 5, 6, 7, 8]]


def test_the_work_is_the_shorter_row_of_each_edge_twice() -> None:
    star = Graph.from_edges([0, 0, 0], [1, 2, 3])
    assert clique_work(pairs_of(star)) == 6


def test_a_forced_member_takes_the_price_from_the_slope() -> None:
    triangle = partition(pairs_of(Graph.from_edges([0, 0, 1], [1, 2, 2])))
    place, forced = np.array([-1, 0, 1], np.int32), np.array([True, False, False])
    kept, slopes = restricted(triangle, np.array([3.0]), place, forced)
    assert sorted(kept.members.tolist()) == [0, 1]
    assert (kept.price.tolist(), slopes.tolist()) == ([2.0], [1.0])
    nothing, _ = restricted(triangle, np.array([3.0]), np.array([-1, -1, 0], np.int32), forced)
    assert nothing.price.size == 0


def test_a_group_that_loses_a_member_is_no_steeper_than_its_size_allows() -> None:
    triangles = partition(pairs_of(Graph.from_edges([0, 0, 1, 3, 3, 4], [1, 2, 2, 4, 5, 5])))
    place = np.array([-1, 0, 1, -1, 2, 3], np.int32)
    kept, slopes = restricted(triangles, np.array([4.0, 1.0]), place, np.zeros(6, np.bool_))
    assert kept.starts.tolist() == [0, 2, 4]
    assert slopes.tolist() == [2.0, 1.0]
    _, both = restricted(triangles, np.array([4.0, 4.0]), place, np.zeros(6, np.bool_))
    assert both.tolist() == [2.0, 2.0]
