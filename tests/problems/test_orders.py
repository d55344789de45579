"""Quick orders: greedy where the problem is of that kind, else by discounted degree."""

import numpy as np
import pytest

from lense.graph import Graph, power_law
from lense.problems import get_problem

GRAPH = power_law(200, 8, 2.3, np.random.default_rng(1))


@pytest.mark.parametrize("name", ["mvc", "domination"])
def test_the_quick_order_of_cover_and_domination_is_greedy_itself(name: str) -> None:
    problem = get_problem(name)
    greedy = problem.search(GRAPH, 20, np.random.default_rng(0)).indices
    assert problem.quick_order(GRAPH, 20, 20).tolist() == greedy.tolist()


def test_each_vertex_of_a_pair_order_gains_most_given_those_before_it() -> None:
    cut = get_problem("bmc")
    order = cut.quick_order(GRAPH, 15, 15)
    for i, chosen in enumerate(order.tolist()):
        best = max(cut.objective(GRAPH, [*order[:i], v]) for v in range(200) if v not in order[:i])
        assert cut.objective(GRAPH, [*order[:i], chosen]) == best


def test_edges_to_vertices_taken_do_not_count_in_a_discount_order() -> None:
    """A triangle with two leaves on 0, and an edge apart: 3's edges are gone once 0 is taken."""
    graph = Graph.from_edges(np.array([0, 0, 0, 0, 1, 5]), np.array([1, 2, 3, 4, 2, 6]))
    assert get_problem("mvc").discount_order(graph, 1).tolist() == [0]
    assert set(get_problem("mvc").discount_order(graph, 3).tolist()[1:]) <= {1, 2, 5, 6}
