"""Whole or pruned, and how often: with a clock that the tests turn."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, count, repeat
from typing import Any, ClassVar

import numpy as np
import pytest

import lense
from benchmarks.kinds import OTHERS
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.problems import Found, Problem, Solution, get_problem, heuristic
from lense.problems.mvc import MaxVertexCover
from lense.pruners.core import Core
from lense.pruners.shipped import shipped_core
from lense.solving import Advice, SolveOptions, deciding
from lense.solving.deciding import Clock, part_edges

GRAPH = power_law(3000, 8, 2.3, np.random.default_rng(1))
LARGER = power_law(40_000, 8, 2.3, np.random.default_rng(1))
GRID = OTHERS["grid"](3000, np.random.default_rng(0))
"""Unlike the graphs that sizes were learnt on."""


@dataclass(frozen=True, kw_only=True)
class Fussy(MaxVertexCover):
    """Greedy, but it takes the worst vertices of any graph with fewer than ``enough`` vertices."""

    name: ClassVar[str] = "mvc"
    enough: int = 0
    takes: float | None = None
    """Seconds on any graph."""
    ordering: float = 0.0
    """Seconds of the quick order."""

    @heuristic("fussy")
    def fussy(self, graph: Graph, budget: int, rng: np.random.Generator) -> Int64s:
        best = self.quick_order(graph, int(budget), graph.num_vertices)
        return (best if graph.num_vertices >= self.enough else best[::-1])[: int(budget)]

    def seconds(self, graph: Graph, budget: float) -> float | None:
        return self.takes

    def quick_seconds(self, graph: Graph, budget: float) -> float:
        return self.ordering

    def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: np.random.Generator) -> float:
        return 1.0


class FarReaching(Fussy):
    reaches_far: ClassVar[bool] = True


def advise(problem: Problem, graph: Graph = GRAPH, budget: float = 20, **options: Any) -> Advice:
    found = deciding.advise(problem, graph, budget, **options)
    assert found is not None
    return found


def solve_prepared(
    problem: Problem,
    graph: Graph,
    budget: float,
    options: SolveOptions | None = None,
    core: Core | None = None,
    *,
    ticks: Iterator[float] | None = None,
) -> Solution:
    """With a clock that stands, or moves as the ``ticks`` say."""
    clock: Clock = (lambda: 0.0) if ticks is None else lambda: next(ticks)
    found = deciding.solve_prepared(problem, graph, budget, options, core, clock=clock)
    assert found is not None
    return found


@pytest.mark.parametrize(("problem", "solver"), [("mvc", "greedy"), ("bmc", "local-search"), ("domination", "greedy")])
def test_a_cheap_heuristic_gets_the_whole_graph_at_once(problem: str, solver: str) -> None:
    advice = advise(get_problem(problem, solver=solver))
    assert not advice.prune
    assert solver in advice.reason
    assert advice.expected_ratio == 1.0
    assert advice.spent == 0


def test_what_takes_no_longer_than_the_quick_order_gets_the_whole_graph_without_a_look_at_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Core, "expected", lambda self, graph, **given: pytest.fail("a look at all degrees"))
    found = advise(Fussy(takes=0.05, ordering=0.04))
    assert (found.prune, found.prune_seconds) == (False, None)
    assert "too quick" in found.reason


def test_an_exact_solver_gets_a_part() -> None:
    advice = advise(get_problem("bmc", solver="mip"))
    assert advice.prune
    assert advice.expected_ratio is not None
    assert advice.expected_ratio > 0.98
    assert advice.part_edges is not None
    assert advice.part_edges < GRAPH.num_edges


def test_pruning_must_halve_the_time() -> None:
    part = advise(Fussy(takes=100.0)).part_seconds
    assert part is not None
    assert advise(Fussy(takes=100.0, ordering=49.0 - part)).prune
    refused = advise(Fussy(takes=100.0, ordering=51.0 - part, solver="fussy"), time_limit=1000.0)
    assert not refused.prune
    assert "save too little" in refused.reason


def test_a_time_limit_that_the_whole_graph_would_pass_asks_for_less() -> None:
    close = Fussy(takes=100.0, ordering=60.0)
    assert advise(close, time_limit=99.0).prune
    assert not advise(close, time_limit=101.0).prune


def test_parts_that_may_mislead_must_be_ten_times_cheaper_and_that_is_said() -> None:
    part = advise(Fussy(takes=100.0), GRID).part_seconds
    assert part is not None
    cover, spread = (advise(kind(takes=100.0, ordering=30.0 - part), GRID) for kind in (Fussy, FarReaching))
    assert cover.prune
    assert "the core is larger" in cover.reason
    assert not spread.prune
    assert spread.unlike in spread.reason
    assert advise(FarReaching(takes=100.0, ordering=30.0 - part), GRID, time_limit=50.0).prune
    assert advise(FarReaching(takes=100.0, ordering=9.0 - part), GRID).prune


def test_where_the_target_is_not_sure_more_rounds_are_counted_in() -> None:
    sure, unsure = (advise(Fussy(takes=100.0), core=_core(confidence)) for confidence in (0.5, 1.0))
    assert sure.part_seconds is not None
    assert unsure.part_seconds == pytest.approx(3 * sure.part_seconds)


def _core(confidence: float) -> Core:
    core = shipped_core(get_problem("mvc"))
    assert core is not None
    return core.set_params(confidence=confidence, size=30)


def test_a_graph_of_few_vertices_is_not_pruned() -> None:
    assert not advise(Fussy(takes=100.0), power_law(60, 4, 2.3, np.random.default_rng(3)), 60).prune


@dataclass(frozen=True, kw_only=True)
class Unknown(Problem):
    """Max vertex cover under a name that no core ships for, by a heuristic of which nobody knows what it takes."""

    name: ClassVar[str] = "unknown"
    takes: float | None = None

    def objective(self, graph: Graph, vertices: Any) -> float:
        return get_problem("mvc").objective(graph, vertices)

    def seconds(self, graph: Graph, budget: float) -> float | None:
        return self.takes

    @heuristic("largest")
    def largest(self, graph: Graph, budget: int, rng: np.random.Generator) -> Found:
        order = np.argsort(-graph.out_degrees, kind="stable")
        sum(range(20 * (graph.num_vertices + graph.num_edges)))  # takes a while
        return Found(order[:budget], upper_bound=float(graph.num_edges), details={"looked at": graph.num_vertices})


class TestWhatNobodyKnows:
    def test_it_is_searched(self) -> None:
        for problem in (Unknown(), Unknown(takes=100.0), Fussy()):
            assert deciding.advise(problem, GRAPH, 20) is None
            assert deciding.solve_prepared(problem, GRAPH, 20) is None
        assert not advise(Unknown(takes=0.001)).prune

    def test_the_front_door_searches_it(self) -> None:
        whole = lense.solve(LARGER, Unknown(), 20, prune=False)
        found = lense.solve(LARGER, Unknown(), 20)
        pruned = lense.solve(LARGER, Unknown(), 20, prune=True)
        assert "trials" in found.details
        assert found.solver == pruned.solver == "largest"
        assert found.score >= 0.99 * whole.score
        assert pruned.pruned is not None
        assert pruned.found_by == "largest"

    def test_a_ground_set_needs_a_heuristic_that_takes_candidates(self) -> None:
        with pytest.raises(LenseError, match="candidates"):
            lense.solve(GRAPH, Unknown(), 20, mode="ground-set")

    def test_what_it_says_of_the_whole_graph_is_kept(self) -> None:
        small = power_law(100, 4, 2.3, np.random.default_rng(3))
        found = lense.solve(small, Unknown(), 20)
        assert (found.decision, found.upper_bound) == ("advised whole", small.num_edges)
        assert found.details["looked at"] == 100

    def test_its_part_and_advice_are_the_searchs(self) -> None:
        part = lense.solving.find_part(LARGER, Unknown(), 20)
        assert (part.found_by, part.says_forced) == ("search", False)
        assert 20 <= part.subgraph.graph.num_vertices < LARGER.num_vertices
        assert lense.advise(LARGER, Unknown(), 20).prune_seconds is None


def test_the_advice_is_the_same_each_time() -> None:
    problem = get_problem("im", solver="celf", worlds=200)
    graph = problem.prepare(GRAPH)
    assert advise(problem, graph, 20) == advise(problem, graph, 20)


def test_chances_unlike_those_that_cores_learnt_from_get_the_whole_graph() -> None:
    def advice(**model: object) -> Advice:
        problem = get_problem("im", epsilon=0.1, **model)
        return advise(problem, problem.prepare(LARGER), 20)

    known, strange = advice(model="trivalency"), advice(model="constant", probability=0.05)
    assert (known.prune, known.unlike) == (True, "")
    assert not strange.prune
    assert strange.unlike in strange.reason


def test_the_edges_of_a_part_are_those_at_the_largest_vertices_at_most() -> None:
    star = Graph.from_edges([0, 0, 0, 4], [1, 2, 3, 3])
    assert part_edges(star, 1) == 3
    assert part_edges(star, 5) == 4
    assert part_edges(Graph.from_edges([0, 1, 2], [3, 3, 3], directed=True), 1) == 3


def test_a_wrong_budget_is_said_first() -> None:
    with pytest.raises(LenseError, match="budget must be a whole number"):
        advise(Fussy(), GRAPH, 0)


def test_by_default_a_cheap_heuristic_solves_the_whole_graph() -> None:
    found = solve_prepared(get_problem("mvc"), GRAPH, 20)
    assert found.pruned is None
    assert found.expected_ratio == 1.0
    assert "greedy is too quick" in found.reason


def test_by_default_an_expensive_heuristic_solves_a_part() -> None:
    found = solve_prepared(get_problem("bmc", solver="mip"), GRAPH, 20)
    assert found.pruned is not None
    assert found.pruned.pruner == "core"
    assert found.reason.startswith("pruned to ")
    assert found.expected_ratio == pytest.approx(1, abs=0.01)


def test_a_part_that_is_the_whole_graph_has_all_of_it() -> None:
    path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    assert (
        "pruned to 100 % of the edges"
        in solve_prepared(get_problem("mvc"), path, 1, SolveOptions(prune=True, size=3)).reason
    )


def test_both_ways_can_be_asked_for() -> None:
    whole, part = (solve_prepared(get_problem("mvc"), GRAPH, 20, SolveOptions(prune=prune)) for prune in (False, True))
    assert (whole.pruned, whole.decision) == (None, "whole")
    assert part.pruned is not None
    assert part.score >= 0.99 * whole.score


def test_a_graph_unlike_those_of_the_core_gets_a_larger_one_and_that_is_said() -> None:
    found = solve_prepared(Fussy(), GRID, 20, SolveOptions(prune=True))
    assert found.details["rounds"][0]["roots"] == 40
    assert "the graph is unlike those that sizes were learnt on (fewer of its edges are at" in found.reason
    assert found.reason.endswith("so the core is larger")
    sized = solve_prepared(Fussy(), GRID, 20, SolveOptions(prune=True, size=20))
    assert "larger" not in sized.reason


def test_a_good_part_is_solved_once() -> None:
    found = solve_prepared(Fussy(), GRAPH, 20, SolveOptions(prune=True))
    assert "rounds" not in found.details


def test_a_part_that_scores_less_than_the_quick_order_is_doubled() -> None:
    first = solve_prepared(Fussy(), GRAPH, 20, SolveOptions(prune=True))
    assert first.pruned is not None
    fussy = Fussy(enough=first.pruned.vertices + 1)
    found = solve_prepared(fussy, GRAPH, 20, SolveOptions(prune=True))
    rounds = found.details["rounds"]
    assert [one["roots"] for one in rounds[:2]] == [first.pruned.roots, 2 * first.pruned.roots]
    assert found.score == max(one["score"] for one in rounds) > rounds[0]["score"]
    assert found.reason.endswith(f"in {len(rounds)} rounds")
    assert found.certified is not None


def test_up_to_the_whole_graph() -> None:
    class Growing(Fussy):
        """Better on every larger graph."""

        def score(self, graph: Graph, solution: Solution) -> Solution:
            self_rounds.append(solution)
            return replace(super().score(graph, solution), score=0.001 * len(self_rounds))

    self_rounds: list[Solution] = []
    found = solve_prepared(Growing(enough=10**9), GRAPH, 20, SolveOptions(prune=True, certify=False))
    rounds = found.details["rounds"]
    assert rounds[-1]["roots"] == GRAPH.num_vertices
    assert found.pruned is None
    assert found.decision == "fell back"


def test_a_size_that_was_asked_for_is_not_doubled() -> None:
    found = solve_prepared(Fussy(enough=10**9), GRAPH, 20, SolveOptions(prune=True, size=30))
    assert found.pruned is not None
    assert found.pruned.roots == 30
    assert "rounds" not in found.details


def test_no_round_begins_that_would_pass_the_time_limit() -> None:
    ticks = map(float, count())
    found = solve_prepared(Fussy(enough=10**9), GRAPH, 20, SolveOptions(prune=True, time_limit=5), ticks=ticks)
    assert "rounds" not in found.details
    ticks = map(float, count())
    found = solve_prepared(Fussy(enough=10**9), GRAPH, 20, SolveOptions(prune=True, time_limit=50), ticks=ticks)
    assert len(found.details["rounds"]) >= 2


def test_rounds_that_would_cost_what_was_saved_are_not_begun() -> None:
    """The whole graph takes about 140 s, and each look at the clock is 20 s later."""
    ticks = (20.0 * i for i in count())
    found = solve_prepared(Fussy(enough=10**9, takes=140.0), GRAPH, 20, ticks=ticks)
    assert found.pruned is not None
    assert "rounds" not in found.details


def test_in_doubt_the_whole_graph_is_solved_if_the_rounds_took_little_of_its_time() -> None:
    """The whole graph takes about 140 s: a second round of 100 s is too much, the first one was not."""
    ticks = chain([0.0, 0.0, 1.0], repeat(25.0))
    found = solve_prepared(Fussy(enough=GRAPH.num_vertices, takes=140.0), GRAPH, 20, ticks=ticks)
    assert found.pruned is None
    assert found.details["rounds"][-1]["roots"] == GRAPH.num_vertices
    assert found.decision == "fell back"


def test_a_certificate_that_meets_the_target_ends_the_rounds() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Sure(Fussy):
        def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: np.random.Generator) -> float:
            return solution.score

    found = solve_prepared(Sure(enough=10**9), GRAPH, 20, SolveOptions(prune=True))
    assert found.optimal
    assert "rounds" not in found.details


def test_a_core_of_the_users_is_taken() -> None:
    core = Core("mvc", 20, size=40).fit(GRAPH)
    found = solve_prepared(get_problem("mvc"), GRAPH, 20, SolveOptions(prune=True, size=40), core)
    assert found.pruned is not None
    assert found.pruned.roots == 40


@pytest.mark.parametrize("wrong", [{"time_limit": 0}, {"target": 0}, {"target": 1.5}])
def test_a_wrong_limit_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(LenseError):
        SolveOptions(**wrong)
