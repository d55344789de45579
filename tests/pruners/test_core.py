"""The core: it starts as the quick order, is corrected only where that pays, and says what to expect."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import ArrayLike

from lense._util.types import Float64s, Int64s
from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.problems import Problem, get_problem, heuristic
from lense.problems.mvc import MaxVertexCover
from lense.problems.parts import solve_part
from lense.pruners import load
from lense.pruners.calibration import num_affordable
from lense.pruners.core import NAMES, Core, places
from lense.pruners.model_files import write_arrays

GRAPH = power_law(2000, 8, 2.3, np.random.default_rng(1))
UNSEEN = power_law(3000, 8, 2.3, np.random.default_rng(2))


@pytest.fixture(scope="module")
def fitted() -> Core:
    return Core("bmc", 20).fit(GRAPH)


@dataclass(frozen=True, kw_only=True)
class FewNeighbours(Problem):
    """Wants the vertices with fewest edges, which a greedy choice by degree takes last."""

    name: ClassVar[str] = "few-neighbours"

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        return float((1 / (1 + np.diff(graph.indptr)[np.asarray(vertices, np.int64)])).sum())

    @heuristic("smallest")
    def smallest(self, graph: Graph, budget: int, rng: np.random.Generator) -> Int64s:
        return np.argsort(np.diff(graph.indptr), kind="stable")[: int(budget)]


@dataclass(frozen=True, kw_only=True)
class Priced(MaxVertexCover):
    name: ClassVar[str] = "priced"

    def costs(self, graph: Graph) -> Float64s:
        return np.arange(graph.num_vertices) % 3 + np.ones(graph.num_vertices)

    @heuristic("by-degree")
    def by_degree(self, graph: Graph, budget: float, rng: np.random.Generator, costs: Float64s) -> Int64s:
        order = np.argsort(-np.diff(graph.indptr) / costs, kind="stable")
        return order[: np.searchsorted(np.cumsum(costs[order]), budget, side="right")]


def test_the_part_keeps_the_target_with_few_roots(fitted: Core) -> None:
    part = fitted.prune(UNSEEN)
    expected = fitted.expected(UNSEEN)
    assert part.roots.size == expected.roots <= 25
    assert part.only_roots
    whole = get_problem("bmc").solve(UNSEEN, 20, np.random.default_rng(0), certify=False)
    found = solve_part(get_problem("bmc"), UNSEEN, part, 20, np.random.default_rng(0))
    assert found.score >= 0.99 * whole.score
    assert 0.9 <= expected.confidence < 1


def test_a_higher_target_never_needs_fewer_roots(fitted: Core) -> None:
    roots = [Core("bmc", 20, target=target) for target in (0.8, 0.95, 0.99, 1.0)]
    for core in roots:
        core.restore(fitted.learnt())
    sizes = [core.expected(UNSEEN).roots for core in roots]
    assert sizes == sorted(sizes)
    assert sizes[0] >= 20


def test_where_the_quick_order_is_the_heuristic_there_is_no_correction(fitted: Core) -> None:
    assert not fitted.report_["keeps_correction"]
    assert fitted.weights_[fitted.get_feature_names_out() == "quick order"] == fitted.weights_.sum() == 1
    order = get_problem("bmc").quick_order(UNSEEN, 20, fitted.expected(UNSEEN).roots)
    assert fitted.prune(UNSEEN).roots.tolist() == sorted(order.tolist())


def test_a_correction_is_learnt_where_the_quick_order_is_poor() -> None:
    core = Core(FewNeighbours(), 20, size=20).fit(GRAPH)
    assert core.report_["keeps_correction"]
    assert core.report_["corrected"] > core.report_["rule"] + 0.01
    problem, plain = FewNeighbours(), Core(FewNeighbours(), 20, size=20)
    plain.restore({**core.learnt(), "weights": np.eye(core.weights_.size)[0]})
    scores = [problem.objective(UNSEEN, one.prune(UNSEEN).roots) for one in (core, plain)]
    assert scores[0] > scores[1]


def test_vertices_that_cost_are_taken_by_worth_for_cost() -> None:
    core = Core(Priced(), 30, size=40).fit(GRAPH)
    part = core.prune(GRAPH)
    worth = np.diff(GRAPH.indptr) / Priced().costs(GRAPH)
    assert worth[part.roots].min() >= np.sort(worth)[-40]
    assert num_affordable(Priced(), GRAPH, 30) <= 30


def test_the_whole_graph_is_kept_where_all_vertices_are_roots(fitted: Core) -> None:
    tiny = power_law(60, 4, 2.3, np.random.default_rng(3))
    assert fitted.prune(tiny, budget=60).graph is tiny


def test_it_is_saved_and_loaded(fitted: Core, tmp_path: Path) -> None:
    fitted.save(tmp_path / "core")
    again = load(tmp_path / "core")
    assert again.prune(UNSEEN).roots.tolist() == fitted.prune(UNSEEN).roots.tolist()
    assert again.expected(UNSEEN) == fitted.expected(UNSEEN)
    write_arrays(tmp_path / "core" / "learnt.safetensors", {**fitted.learnt(), "weights": np.ones(3)})
    with pytest.raises(LenseError, match="does not belong"):
        load(tmp_path / "core")


def test_a_graph_too_small_to_learn_from_is_refused() -> None:
    with pytest.raises(LenseError, match="too small"):
        Core("mvc", 20).fit(power_law(40, 4, 2.3, np.random.default_rng(4)))


STAR_AND_EDGE = Graph.from_edges(np.array([0, 0, 0, 1]), np.array([1, 2, 3, 4]))
"""0 has degree 3, 1 has 2 (0 and 4), the others 1."""


def ranks(problem: str, graph: Graph, budget: int, name: str) -> list[int]:
    values = places(get_problem(problem), graph, budget)[:, NAMES.index(name)]
    return [round(budget / float(np.exp(value))) for value in values]


def test_a_place_counts_the_vertices_that_are_at_least_as_large() -> None:
    assert ranks("mvc", STAR_AND_EDGE, 1, "importance") == [1, 2, 5, 5, 5]
    assert ranks("mvc", STAR_AND_EDGE, 1, "quick order")[:2] == [1, 2]


def test_direction_and_probabilities_count_where_the_problem_uses_them() -> None:
    arcs = Graph.from_edges(
        np.array([0, 1, 1]), np.array([1, 2, 3]), np.array([0.9, 0.1, 0.1], np.float32), directed=True
    )
    assert ranks("im", arcs, 1, "importance")[:2] == [1, 2]
    assert ranks("im", arcs, 1, "incoming")[1] == 1
