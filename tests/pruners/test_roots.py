"""The subgraphs of the largest vertices: which roots, how many, and what comes with them."""

from pathlib import Path

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph, power_law, split
from lense.graph.subgraph import subgraph
from lense.problems import get_problem
from lense.pruners import load
from lense.pruners.calibration import GRID
from lense.pruners.discount import DegreeDiscount
from lense.pruners.ranking import importance, largest
from lense.pruners.roots import DiscountRoots, RootsPruner, TopRoots

GRAPH = power_law(200, 6, 2.3, np.random.default_rng(0))
KINDS = (TopRoots, DiscountRoots)


@pytest.mark.parametrize("name", ["mvc", "im", "domination"])
def test_the_part_is_xi_of_the_largest_vertices(name: str) -> None:
    problem = get_problem(name)
    graph = problem.prepare(GRAPH)
    part = TopRoots(problem, 8).prune(GRAPH)
    expected = subgraph(graph, largest(importance(problem, graph), 10))
    assert part.roots.tolist() == expected.roots.tolist()
    assert part.vertices.tolist() == expected.vertices.tolist()
    assert part.graph.equals(expected.graph)


@pytest.mark.parametrize("problem", ["mvc", "im"])
def test_discounted_roots_are_the_first_of_the_pruner_by_discount(problem: str) -> None:
    ranked = DegreeDiscount(problem, 8, roots=10).prune(GRAPH)
    assert DiscountRoots(problem, 8).prune(GRAPH).roots.tolist() == ranked.roots.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("per_budget", "roots"), [(1, 8), (1.25, 10), (1.5, 12), (3, 24), (1e5, 200), (0.01, 1)])
def test_their_number_is_in_proportion_to_the_budget(kind: type[RootsPruner], per_budget: float, roots: int) -> None:
    pruner = kind("mvc", 8, roots_per_budget=per_budget)
    assert pruner.prune(GRAPH).roots.size == roots
    assert kind("mvc", 4, roots_per_budget=per_budget).prune(GRAPH, budget=8).roots.size == roots


@pytest.mark.parametrize("per_budget", [0, -1, float("nan"), float("inf")])
def test_sizes_that_make_no_sense_are_refused(per_budget: float) -> None:
    with pytest.raises(LenseError, match="The roots_per_budget of top-roots must be above 0"):
        TopRoots("mvc", 4, roots_per_budget=per_budget).prune(GRAPH)


def test_the_heuristic_sees_the_roots_own_edges() -> None:
    """A hub outside the roots has in the part its edges to roots alone."""
    star = Graph.from_edges([0, 0, 0, 1, 1], [1, 2, 3, 4, 5])
    part = TopRoots("mvc", 1, roots_per_budget=1).prune(star)
    assert part.vertices.tolist() == [0, 1, 2, 3]
    assert part.graph.num_edges == 3


@pytest.mark.parametrize("kind", KINDS)
def test_with_a_target_the_fewest_roots_are_taken_that_met_it_on_both_halves(kind: type[RootsPruner]) -> None:
    problem = get_problem("mvc")
    halves = split(problem.prepare(GRAPH), 0.5, 0)

    def met(per_budget: float) -> bool:
        pruner, rng = kind("mvc", 8, roots_per_budget=per_budget), np.random.default_rng(0)
        wholes = [problem.solve(half, 8, rng, certify=False).score for half in halves]
        found = [pruner.solve(half, certify=False).score for half in halves]
        return min(part / whole for part, whole in zip(found, wholes, strict=True)) >= 0.97

    enough = [per_budget for per_budget in GRID if met(per_budget)]
    assert GRID[0] < enough[0] < GRID[-1]
    fitted = kind("mvc", 8, target=0.97).fit(GRAPH)
    said = fitted.expected(GRAPH)
    assert said is not None
    assert said.roots == fitted.prune(GRAPH).roots.size == int(np.ceil(enough[0] * 8))
    assert said.ratio >= 0.97
    assert said.confidence == pytest.approx(2.5 / 3)
    assert fitted.report_["heuristic_runs"] <= 16


def test_a_target_is_learnt_first_and_kept_in_the_model(tmp_path: Path) -> None:
    pruner = TopRoots("mvc", 8, target=0.97)
    with pytest.raises(LenseError, match="not fitted yet"):
        pruner.prune(GRAPH)
    pruner.fit(GRAPH).save(tmp_path / "model")
    assert load(tmp_path / "model").prune(GRAPH).roots.tolist() == pruner.prune(GRAPH).roots.tolist()


@pytest.mark.parametrize("target", [0, 1.5, float("nan"), True])
def test_a_target_that_is_no_share_is_refused(target: float) -> None:
    with pytest.raises(LenseError, match="target of top-roots is a share above 0 and at most 1"):
        TopRoots("mvc", 8, target=target).fit(GRAPH)


def test_a_target_and_a_number_of_roots_contradict_each_other() -> None:
    with pytest.raises(LenseError, match="a target or roots_per_budget, not both"):
        TopRoots("mvc", 8, target=0.9, roots_per_budget=2).fit(GRAPH)


def test_halves_that_are_too_small_are_refused() -> None:
    with pytest.raises(LenseError, match="too small for its halves"):
        TopRoots("mvc", 8, target=0.9).fit(Graph.from_edges(np.zeros(9, int), np.arange(1, 10)))
