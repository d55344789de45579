"""Places in rankings, by hand on a small graph."""

import numpy as np
import pytest

from lense.graph import Graph, power_law
from lense.problems import get_problem
from lense.pruners.core import NAMES, places

STAR_AND_EDGE = Graph.from_edges(np.array([0, 0, 0, 1]), np.array([1, 2, 3, 4]))
"""0 has degree 3, 1 has 2 (0 and 4), the others 1."""


def ranks(problem: str, graph: Graph, budget: int, name: str) -> list[int]:
    values = places(get_problem(problem), graph, budget)[:, NAMES.index(name)]
    return [round(budget / float(np.exp(value))) for value in values]


def test_a_place_counts_the_vertices_that_are_at_least_as_large() -> None:
    assert ranks("mvc", STAR_AND_EDGE, 1, "importance") == [1, 2, 5, 5, 5]
    assert ranks("mvc", STAR_AND_EDGE, 1, "quick order")[:2] == [1, 2]


def test_sums_over_neighbours() -> None:
    two_hops = [2 + 1 + 1, 3 + 1, 3, 3, 2]
    expected = [sum(other >= mine for other in two_hops) for mine in two_hops]
    assert ranks("mvc", STAR_AND_EDGE, 1, "two hops") == expected


def test_places_beyond_twenty_budgets_are_one() -> None:
    graph = power_law(500, 6, 2.3, np.random.default_rng(2))
    assert places(get_problem("mvc"), graph, 2).min() == pytest.approx(np.log(2 / 40))


def test_direction_and_probabilities_count_where_the_problem_uses_them() -> None:
    arcs = Graph.from_edges(
        np.array([0, 1, 1]), np.array([1, 2, 3]), np.array([0.9, 0.1, 0.1], np.float32), directed=True
    )
    assert ranks("im", arcs, 1, "importance")[:2] == [1, 2]
    assert ranks("im", arcs, 1, "incoming")[1] == 1
