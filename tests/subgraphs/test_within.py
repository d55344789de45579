"""The heuristic on a subgraph: its answer is told and scored in the whole graph."""

import numpy as np

from lense.graph import Graph
from lense.problems.mvc import MaxVertexCover
from lense.subgraphs import subgraph
from lense.subgraphs.within import solve_within
from tests.learning import BUDGET, PROBLEM, graph, root_sets


def test_the_answer_is_that_of_the_subgraph_in_the_numbers_of_the_graph() -> None:
    part = subgraph(graph(), root_sets(1)[0])
    within = solve_within(PROBLEM, graph(), part, BUDGET, np.random.default_rng(0))
    alone = PROBLEM.solve(part.graph, BUDGET, np.random.default_rng(0))
    assert within.vertices.tolist() == part.vertices[alone.vertices].tolist()


def test_the_score_is_that_on_the_whole_graph() -> None:
    """The subgraph of a star's leaf 1 is one edge of three: either end covers all of it, but not of the star."""
    star = Graph.from_edges([0, 0, 0], [1, 2, 3])
    solution = solve_within(MaxVertexCover(), star, subgraph(star, [1]), 1, np.random.default_rng(0))
    assert solution.score == MaxVertexCover().objective(star, solution.vertices)
    two_stars = Graph.from_edges([0, 0, 3], [1, 2, 4])
    solution = solve_within(MaxVertexCover(), two_stars, subgraph(two_stars, [4]), 1, np.random.default_rng(0))
    assert solution.score == 1 / 3


def test_a_bound_of_the_subgraph_is_left_out_and_one_of_the_graph_given_on_request() -> None:
    problem = MaxVertexCover(solver="mip")
    part = subgraph(graph(), root_sets(1)[0])
    within = solve_within(problem, graph(), part, 3, np.random.default_rng(0))
    assert problem.solve(part.graph, 3, np.random.default_rng(0)).upper_bound is not None
    assert within.upper_bound is None
    certified = solve_within(problem, graph(), part, 3, np.random.default_rng(0), certify=True)
    optimum = problem.solve(graph(), 3, np.random.default_rng(0)).score
    assert certified.upper_bound is not None
    assert certified.upper_bound >= optimum >= certified.score
