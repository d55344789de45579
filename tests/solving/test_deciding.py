"""Whole or pruned, and how often: with a clock that the tests turn."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, count, repeat
from time import sleep
from typing import Any, ClassVar

import numpy as np
import pytest

from benchmarks.kinds import OTHERS
from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.problems import Problem, Solution, get_problem, heuristic
from lense.problems.domination import Domination
from lense.problems.mvc import MaxVertexCover
from lense.pruners.core import Core
from lense.solving import Advice, SolveOptions, solve_prepared
from lense.solving.costs import Law
from lense.solving.deciding import advise, decided, fitted_core, fitting_edges, part_edges, size_of

GRAPH = power_law(3000, 8, 2.3, np.random.default_rng(1))
LARGER = power_law(40_000, 8, 2.3, np.random.default_rng(1))


@dataclass(frozen=True, kw_only=True)
class Fussy(MaxVertexCover):
    """Greedy, but it takes the worst vertices of any graph with fewer than ``enough`` vertices."""

    name: ClassVar[str] = "mvc"
    enough: int = 0

    @heuristic("fussy")
    def fussy(self, graph: Graph, budget: int, rng: np.random.Generator) -> Int64s:
        best = self.quick_order(graph, int(budget), graph.num_vertices)
        return (best if graph.num_vertices >= self.enough else best[::-1])[: int(budget)]

    def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: np.random.Generator) -> float:
        return 1.0


def still(ticks: Iterator[float] | None = None) -> Any:
    """A clock that stands, or moves as the ticks say."""
    return (lambda: 0.0) if ticks is None else lambda: next(ticks)


def instantly(problem: Problem, graph: Graph, budget: float, rng: np.random.Generator) -> float:
    return 0.0


def slowly(problem: Problem, graph: Graph, budget: float, rng: np.random.Generator) -> float:
    return 0.01 * size_of(graph)


@dataclass(frozen=True, kw_only=True)
class Slow(MaxVertexCover):
    """Max vertex cover by a heuristic that nobody knows; the tests say how long it takes."""

    name: ClassVar[str] = "mvc"

    @heuristic("slow")
    def slow(self, graph: Graph, budget: int, rng: np.random.Generator) -> Int64s:
        return self.quick_order(graph, int(budget), int(budget))


class taking:
    """A clock for ``Slow``: its time is in proportion to the size of the graph."""

    def __init__(self, seconds_per_size: float) -> None:
        self.each, self.sizes = seconds_per_size, list[int]()

    def __call__(self, problem: Problem, graph: Graph, budget: float, rng: np.random.Generator) -> float:
        assert problem.search(graph, budget, rng).indices.size == budget
        self.sizes.append(size_of(graph))
        return self.each * size_of(graph)


@pytest.mark.parametrize(("problem", "solver"), [("mvc", "greedy"), ("bmc", "local-search"), ("domination", "greedy")])
def test_a_cheap_heuristic_gets_the_whole_graph_at_once(problem: str, solver: str) -> None:
    advice = advise(get_problem(problem, solver=solver), GRAPH, 20)
    assert not advice.prune
    assert advice.reason.startswith(f"solved on the whole graph: {solver} takes about ")
    assert advice.expected_ratio == 1.0
    assert advice.spent == 0


def test_what_takes_no_longer_than_the_quick_order_gets_the_whole_graph_without_a_look_at_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Domination, "seconds", lambda self, graph, budget: 0.05)
    monkeypatch.setattr(Domination, "quick_seconds", lambda self, graph, budget: 0.04)
    monkeypatch.setattr(Core, "expected", lambda self, graph, **given: pytest.fail("a look at all degrees"))
    found = advise(get_problem("domination"), GRAPH, 10)
    assert not found.prune
    assert found.reason == (
        "solved on the whole graph: greedy takes about 50 ms there, and pruning would take about 40 ms or more"
    )


def test_an_exact_solver_gets_a_part() -> None:
    advice = advise(get_problem("bmc", solver="mip"), GRAPH, 20)
    assert advice.prune
    assert advice.expected_ratio is not None
    assert advice.expected_ratio > 0.98
    assert advice.part_edges is not None
    assert advice.part_edges < GRAPH.num_edges


def test_an_unknown_heuristic_is_timed_on_samples() -> None:
    slow, quick = (advise(Slow(), GRAPH, 20, time=taking(each)) for each in (1e-3, 1e-9))
    assert slow.prune
    assert slow.whole_seconds == pytest.approx(1e-3 * size_of(GRAPH), rel=0.2)
    assert "slow, which takes about" in slow.reason
    assert not quick.prune


def test_the_advice_is_the_same_each_time() -> None:
    problem = get_problem("im", solver="celf", worlds=200)
    graph = problem.prepare(GRAPH)
    assert advise(problem, graph, 20) == advise(problem, graph, 20)


def test_pruning_must_halve_the_time() -> None:
    def advice(whole: float) -> Advice:
        return decided(Advice(False, "", whole, prune_seconds=1.0, part_seconds=1.0, part_edges=9), Slow(), None)

    assert not advice(3.9).prune
    assert advice(4.1).prune
    assert (
        advice(3.9).reason
        == "solved on the whole graph: slow takes about 3.9 s there, and pruning would take about 2 s, which saves too "
        "little to be sure"
    )


def test_a_time_limit_that_the_whole_graph_would_pass_asks_for_less() -> None:
    close = Advice(False, "", 3.0, prune_seconds=1.0, part_seconds=1.0, part_edges=9)
    assert decided(close, Slow(), time_limit=2.5).prune
    assert not decided(close, Slow(), time_limit=4.0).prune


def test_parts_that_may_mislead_must_be_ten_times_cheaper_and_that_is_said() -> None:
    strange = Advice(False, "", 9.0, prune_seconds=1.0, part_seconds=1.0, part_edges=9, unlike="it is strange")
    cover, spread = decided(strange, Slow(), None), decided(strange, get_problem("im"), None)
    assert cover.prune
    assert cover.reason.endswith("on the whole graph; it is strange, so the core is larger")
    assert not spread.prune
    assert spread.reason == (
        "solved on the whole graph: imm takes about 9 s there, and pruning would take about 2 s, but it is strange"
    )
    assert decided(strange, get_problem("im"), time_limit=5.0).prune
    assert decided(replace(strange, whole_seconds=21.0), get_problem("im"), None).prune


def test_chances_unlike_those_that_cores_learnt_from_get_the_whole_graph() -> None:
    def advice(**model: object) -> Advice:
        problem = get_problem("im", epsilon=0.1, **model)
        return advise(problem, problem.prepare(LARGER), 20)

    known, strange = advice(model="trivalency"), advice(model="constant", probability=0.05)
    assert (known.prune, known.unlike) == (True, "")
    assert not strange.prune
    assert "but the graph is unlike those that sizes were learnt on (its weights differ less)" in strange.reason


def test_where_the_target_is_not_sure_a_second_round_is_counted_in() -> None:
    sure = advise(Slow(), GRAPH, 20, time=taking(1e-3))
    unsure = advise(Slow(), GRAPH, 20, target=1.0, time=taking(1e-3))
    assert sure.part_seconds is not None
    assert unsure.part_seconds is not None
    assert unsure.confidence is not None
    assert sure.confidence is not None
    assert unsure.confidence <= sure.confidence


def test_a_graph_of_few_vertices_is_not_pruned() -> None:
    tiny = power_law(60, 4, 2.3, np.random.default_rng(3))
    assert not advise(Slow(), tiny, 60, time=taking(1.0)).prune


def test_the_edges_of_a_part_are_those_at_the_largest_vertices_at_most() -> None:
    star = Graph.from_edges([0, 0, 0, 4], [1, 2, 3, 3])
    assert part_edges(star, 1) == 3
    assert part_edges(star, 5) == 4
    assert part_edges(Graph.from_edges([0, 1, 2], [3, 3, 3], directed=True), 1) == 3


def test_what_is_learnt_first_takes_a_tenth_of_the_whole_at_most() -> None:
    edges, seconds = fitting_edges(Law(size_of(LARGER), 100.0), LARGER, 10)
    assert 0 < edges < LARGER.num_edges
    assert 0 < seconds <= 10.0
    assert fitting_edges(Law(size_of(GRAPH), 100.0), GRAPH, 10) == (0, 0.0)
    assert fitting_edges(Law(size_of(LARGER), 100.0), LARGER, edges) == (0, 0.0)


def test_a_fixed_cost_is_not_saved_so_pruning_may_take_little_of_the_least_time() -> None:
    advice = Advice(False, "", 10.0, prune_seconds=1.0, part_seconds=0.1, part_edges=9)
    assert decided(replace(advice, least_seconds=5.0), Slow(), None).prune
    assert not decided(replace(advice, least_seconds=3.0), Slow(), None).prune


def test_samples_end_once_one_took_ten_times_as_long_as_pruning() -> None:
    clear, close = taking(1e-3), taking(1e-6)
    for time in (clear, close):
        advise(Slow(), LARGER, 20, time=time)
    assert len(set(clear.sizes)) == 1
    assert len(set(close.sizes)) > 1


def test_a_core_is_fitted_on_a_sample_and_prunes_the_whole() -> None:
    core = fitted_core(Slow(), GRAPH, 20, 2000, target=0.9, seed=0)
    assert core.report_["heuristic_runs"] <= 20
    assert core.prune(GRAPH).roots.size >= 16


def test_a_wrong_budget_is_said_first() -> None:
    with pytest.raises(LenseError, match="budget must be a whole number"):
        advise(Slow(), GRAPH, 0)


def test_by_default_a_cheap_heuristic_solves_the_whole_graph() -> None:
    found = solve_prepared(get_problem("mvc"), GRAPH, 20)
    assert found.pruned is None
    assert found.expected_ratio == 1.0
    assert found.reason.startswith("solved on the whole graph: greedy takes about")


def test_by_default_an_expensive_heuristic_solves_a_part() -> None:
    found = solve_prepared(get_problem("bmc", solver="mip"), GRAPH, 20)
    assert found.pruned is not None
    assert found.pruned.pruner == "core"
    assert found.reason.startswith("pruned to ")
    assert "instead of about" in found.reason
    assert found.expected_ratio == pytest.approx(1, abs=0.01)


def test_a_fixed_cost_is_not_taken_to_grow_with_the_graph() -> None:
    """The sample took as long as the part does, so the whole graph takes no longer either."""

    @dataclass(frozen=True, kw_only=True)
    class Fixed(MaxVertexCover):
        name: ClassVar[str] = "mvc"

        @heuristic("fixed")
        def fixed(self, graph: Graph, budget: int, rng: np.random.Generator) -> Int64s:
            sleep(0.2)
            return self.quick_order(graph, int(budget), int(budget))

    found = solve_prepared(Fixed(solver="fixed"), GRAPH, 20)
    assert found.pruned is not None
    assert "instead of" not in found.reason


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
    assert "instead of" not in part.reason
    assert part.score >= 0.99 * whole.score


def test_a_graph_unlike_those_of_the_core_gets_a_larger_one_and_that_is_said() -> None:
    grid = OTHERS["grid"](3000, np.random.default_rng(0))
    found = solve_prepared(Fussy(), grid, 20, SolveOptions(prune=True), clock=still())
    assert found.details["rounds"][0]["roots"] == 40
    assert "the graph is unlike those that sizes were learnt on (fewer of its edges are at" in found.reason
    assert found.reason.endswith("so the core is larger")
    sized = solve_prepared(Fussy(), grid, 20, SolveOptions(prune=True, size=20), clock=still())
    assert "larger" not in sized.reason


def test_a_good_part_is_solved_once() -> None:
    found = solve_prepared(Fussy(), GRAPH, 20, SolveOptions(prune=True), clock=still())
    assert "rounds" not in found.details


def test_a_part_that_scores_less_than_the_quick_order_is_doubled() -> None:
    first = solve_prepared(Fussy(), GRAPH, 20, SolveOptions(prune=True), clock=still())
    assert first.pruned is not None
    fussy = Fussy(enough=first.pruned.vertices + 1)
    found = solve_prepared(fussy, GRAPH, 20, SolveOptions(prune=True), clock=still())
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
    found = solve_prepared(Growing(enough=10**9), GRAPH, 20, SolveOptions(prune=True, certify=False), clock=still())
    rounds = found.details["rounds"]
    assert rounds[-1]["roots"] == GRAPH.num_vertices
    assert found.pruned is None
    assert found.decision == "fell back"


def test_a_size_that_was_asked_for_is_not_doubled() -> None:
    found = solve_prepared(Fussy(enough=10**9), GRAPH, 20, SolveOptions(prune=True, size=30), clock=still())
    assert found.pruned is not None
    assert found.pruned.roots == 30
    assert "rounds" not in found.details


def test_no_round_begins_that_would_pass_the_time_limit() -> None:
    ticks = map(float, count())
    found = solve_prepared(Fussy(enough=10**9), GRAPH, 20, SolveOptions(prune=True, time_limit=5), clock=still(ticks))
    assert "rounds" not in found.details
    ticks = map(float, count())
    found = solve_prepared(Fussy(enough=10**9), GRAPH, 20, SolveOptions(prune=True, time_limit=50), clock=still(ticks))
    assert len(found.details["rounds"]) >= 2


def test_rounds_that_would_cost_what_was_saved_are_not_begun() -> None:
    """The whole graph takes about 140 s by ``slowly``, and each look at the clock is 20 s later."""
    ticks = (20.0 * i for i in count())
    found = solve_prepared(Fussy(enough=10**9), GRAPH, 20, time=slowly, clock=still(ticks))
    assert found.pruned is not None
    assert "rounds" not in found.details


def test_in_doubt_the_whole_graph_is_solved_if_the_rounds_took_little_of_its_time() -> None:
    """The whole graph takes about 140 s by ``slowly``: a second round of 100 s is too much, the first one was not."""
    ticks = chain([0.0, 0.0, 1.0], repeat(25.0))
    found = solve_prepared(Fussy(enough=GRAPH.num_vertices), GRAPH, 20, time=slowly, clock=still(ticks))
    assert found.pruned is None
    assert found.details["rounds"][-1]["roots"] == GRAPH.num_vertices
    assert found.decision == "fell back"


def test_a_certificate_that_meets_the_target_ends_the_rounds() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Sure(Fussy):
        def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: np.random.Generator) -> float:
            return solution.score

    found = solve_prepared(Sure(enough=10**9), GRAPH, 20, SolveOptions(prune=True), clock=still())
    assert found.optimal
    assert "rounds" not in found.details


def test_a_core_is_fitted_where_none_ships() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Unknown(Fussy):
        name: ClassVar[str] = "unknown"

    whole = solve_prepared(Unknown(), LARGER, 20, time=instantly)
    pruned = solve_prepared(Unknown(), LARGER, 20, time=slowly, clock=still())
    small = solve_prepared(Unknown(), GRAPH, 20, time=slowly)
    forced = solve_prepared(Unknown(), GRAPH, 20, SolveOptions(prune=True), time=instantly, clock=still())
    assert whole.pruned is None
    assert pruned.pruned is not None
    assert forced.pruned is not None
    assert small.reason.endswith("no core ships for this problem, and to learn one would not pay")
    assert pruned.score >= 0.99 * whole.score


def test_a_core_of_the_users_is_taken() -> None:
    core = Core("mvc", 20, size=40).fit(GRAPH)
    found = solve_prepared(get_problem("mvc"), GRAPH, 20, SolveOptions(prune=True, size=40), core)
    assert found.pruned is not None
    assert found.pruned.roots == 40


@pytest.mark.parametrize("wrong", [{"time_limit": 0}, {"target": 0}, {"target": 1.5}])
def test_a_wrong_limit_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(LenseError):
        SolveOptions(**wrong)
