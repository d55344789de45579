"""The heuristic on a part of a graph: its answer is given, priced and scored in the whole graph."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import ArrayLike

from lense._util.types import Float64s, Int64s
from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.graph.subgraph import kept_part, subgraph
from lense.problems import Problem, heuristic
from lense.problems.base import Rng
from lense.problems.mvc import MaxVertexCover
from lense.problems.parts import MODES, solve_part
from tests.brute_force import all_edges, covered, graphs_with_candidates, is_greedy

PROBLEM, BUDGET = MaxVertexCover(), 8
GRAPH = power_law(200, 5, 2.3, np.random.default_rng(0))
ROOTS = np.random.default_rng(0).choice(200, 16, replace=False)


def test_the_answer_is_that_of_the_subgraph_in_the_numbers_of_the_graph() -> None:
    part = subgraph(GRAPH, ROOTS)
    within = solve_part(PROBLEM, GRAPH, part, BUDGET, np.random.default_rng(0))
    alone = PROBLEM.solve(part.graph, BUDGET, np.random.default_rng(0))
    assert within.indices.tolist() == part.vertices[alone.indices].tolist()


def test_a_bound_of_the_subgraph_is_left_out_and_one_of_the_graph_given_on_request() -> None:
    problem = MaxVertexCover(solver="mip")
    part = subgraph(GRAPH, ROOTS)
    within = solve_part(problem, GRAPH, part, 3, np.random.default_rng(0))
    assert problem.solve(part.graph, 3, np.random.default_rng(0)).upper_bound is not None
    assert within.upper_bound is None
    certified = solve_part(problem, GRAPH, part, 3, np.random.default_rng(0), certify=True)
    optimum = problem.solve(GRAPH, 3, np.random.default_rng(0)).score
    assert certified.upper_bound is not None
    assert certified.upper_bound >= optimum >= certified.score


@pytest.mark.parametrize(("mode", "lack"), [("subgraph", "has no vertices"), ("ground-set", "no candidates")])
def test_a_part_of_nothing_is_refused(mode: str, lack: str) -> None:
    star = Graph.from_edges([0, 0], [1, 2])
    with pytest.raises(LenseError, match=lack):
        solve_part(MaxVertexCover(), star, kept_part(star, []), 1, np.random.default_rng(0), mode=mode)


def test_the_score_is_that_on_the_whole_graph() -> None:
    two_stars = Graph.from_edges([0, 0, 3], [1, 2, 4])
    solution = solve_part(MaxVertexCover(), two_stars, subgraph(two_stars, [4]), 1, np.random.default_rng(0))
    assert solution.score == 1 / 3


@given(graphs_with_candidates())
def test_among_the_roots_the_heuristic_sees_the_whole_graph(case: tuple[Graph, int, list[int]]) -> None:
    """Greedy on the coverage of every edge; the subgraph of the roots, or of more, makes no difference."""
    whole, budget, roots = case
    everything = kept_part(whole, np.arange(whole.num_vertices), roots)
    among = [
        solve_part(MaxVertexCover(), whole, part, budget, np.random.default_rng(0), mode="ground-set")
        for part in (kept_part(whole, roots), subgraph(whole, roots), everything)
    ]
    chosen = among[0].indices.tolist()
    assert len(chosen) == min(budget, len(roots))
    assert is_greedy(whole, chosen, roots, covered)
    assert among[0].score == covered(whole, chosen) / all_edges(whole)
    assert among[0].budget == budget
    assert among[1].indices.tolist() == among[2].indices.tolist() == chosen


@dataclass(frozen=True, kw_only=True)
class PricedByDegree(Problem):
    """f(X) = |X|, where a vertex costs as much as it has edges."""

    name: ClassVar[str] = "priced"

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        return float(np.size(vertices))

    def costs(self, graph: Graph) -> Float64s:
        return np.diff(graph.incident.indptr).astype(np.float64)

    @heuristic("informed")
    def informed(
        self, graph: Graph, budget: float, rng: Rng, costs: Float64s, candidates: Int64s | None = None
    ) -> Int64s:
        pool = np.arange(graph.num_vertices) if candidates is None else candidates
        return pool[costs[pool].cumsum() <= budget]

    @heuristic("uninformed")
    def uninformed(self, graph: Graph, budget: float, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        return self.informed(graph, budget, rng, self.costs(graph), candidates)


class TestCosts:
    # 0 has three edges, 1 and 4 have two; in the part of 0, 1 and 4 each of them has fewer
    GRAPH = Graph.from_edges([0, 0, 0, 1, 4], [1, 2, 3, 4, 5])
    PART = kept_part(GRAPH, [0, 1, 4])

    def solve(self, solver: str, budget: float, mode: str) -> list[int]:
        problem = PricedByDegree(solver=solver)
        answer = solve_part(problem, self.GRAPH, self.PART, budget, np.random.default_rng(0), mode=mode)
        return list(answer.indices)

    @pytest.mark.parametrize("mode", MODES)
    def test_a_vertex_costs_what_it_costs_in_the_whole_graph(self, mode: str) -> None:
        assert self.solve("informed", 5, mode) == [0, 1]
        assert self.solve("informed", 7, mode) == [0, 1, 4]

    def test_a_heuristic_that_takes_no_costs_is_refused_on_a_part_alone(self) -> None:
        sentence = (
            r"^The solver uninformed of priced cannot solve on a part of a graph, .* or solve in the mode ground-set\.$"
        )
        with pytest.raises(LenseError, match=sentence):
            self.solve("uninformed", 5, "subgraph")
        assert self.solve("uninformed", 5, "ground-set") == [0, 1]

    @pytest.mark.parametrize("mode", MODES)
    def test_a_part_of_which_nothing_can_be_bought_is_refused(self, mode: str) -> None:
        with pytest.raises(LenseError, match=r"^A budget of 1 buys no vertex: the cheapest costs 2\.$"):
            self.solve("informed", 1, mode)


@pytest.mark.parametrize(("budget", "is_of_roots"), [(1, True), (2, True), (3, False)])
def test_an_answer_consists_of_roots_where_they_are_as_many_as_the_budget(budget: int, is_of_roots: bool) -> None:
    two_leaves_of_stars = Graph.from_edges([0, 0, 0, 5, 5, 5], [1, 2, 3, 6, 7, 8])
    part = subgraph(two_leaves_of_stars, [1, 6], only_roots=True)
    found = solve_part(PROBLEM, two_leaves_of_stars, part, budget, np.random.default_rng(0))
    assert ({*found.indices.tolist()} <= {1, 6}) == is_of_roots
