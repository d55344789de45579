"""Problems made of a user's functions."""

import numpy as np

from lense._util.types import Int64s
from lense.graph import Graph
from lense.problems import get_problem
from lense.problems.own import own_problem, with_heuristic

STAR = Graph.from_edges([0, 0, 0, 4], [1, 2, 3, 3])


def last(graph: Graph, budget: int, candidates: Int64s | None) -> Int64s:
    return np.arange(graph.num_vertices - budget, graph.num_vertices)


def test_all_but_the_heuristic_is_the_named_problem() -> None:
    mvc = get_problem("mvc", gap=0.5)
    made = with_heuristic(mvc, "last", last)
    assert isinstance(made, type(mvc))
    assert list(made.heuristics) == ["last"]
    assert (made.name, made.solver, made.gap) == ("mvc", "last", 0.5)  # type: ignore[attr-defined]
    found = made.solve(STAR, 1, np.random.default_rng(0))
    assert found.indices.tolist() == [4]
    assert found.score == 0.25
    assert found.upper_bound == 0.75
    assert "greedy" in mvc.heuristics


def test_what_it_takes_is_not_known() -> None:
    assert get_problem("mvc").seconds(STAR, 1) is not None
    assert with_heuristic(get_problem("mvc"), "last", last).seconds(STAR, 1) is None


def test_of_an_unknown_problem_only_the_value_is_known() -> None:
    made = own_problem("last", last, lambda graph, vertices: float(vertices.sum()))
    found = made.solve(STAR, 2, np.random.default_rng(0))
    assert found.score == 7.0
    assert found.upper_bound is None
