"""Whole or pruned, and how often: with a clock that the tests turn."""

import re
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
from lense.problems.mvc import MaxVertexCover
from lense.pruners.core import Core
from lense.solving import Way, solve_prepared
from lense.solving.advice import Advice, Timer

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


class Instantly(Timer):
    def seconds(self, problem: Problem, graph: Graph, budget: float, rng: np.random.Generator) -> float:
        return 0.0


class Slowly(Timer):
    def seconds(self, problem: Problem, graph: Graph, budget: float, rng: np.random.Generator) -> float:
        return 0.01 * (graph.num_vertices + graph.num_edges)


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


def test_an_estimate_that_a_part_alone_exceeds_is_said_to_be_wrong() -> None:
    advice = Advice(True, "", whole_seconds=1e-9, prune_seconds=0.0, part_seconds=0.0)
    found = solve_prepared(get_problem("bmc", solver="mip"), GRAPH, 20, advice=advice)
    assert re.search(
        r"mip took \d+ ms there, so that the 1 ms estimated for the whole graph were too few", found.reason
    )


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
    assert re.search(r"fixed took [\d.]+ m?s, and the whole graph seems to take hardly longer$", found.reason)


def test_a_part_that_is_the_whole_graph_has_all_of_it() -> None:
    path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    assert "pruned to 100 % of the edges" in solve_prepared(get_problem("mvc"), path, 1, Way(prune=True, size=3)).reason


def test_both_ways_can_be_asked_for() -> None:
    whole, part = (solve_prepared(get_problem("mvc"), GRAPH, 20, Way(prune=prune)) for prune in (False, True))
    assert (whole.pruned, whole.reason) == (None, "solved on the whole graph, as asked")
    assert part.pruned is not None
    assert "instead of" not in part.reason
    assert part.score >= 0.99 * whole.score


def test_a_graph_unlike_those_of_the_core_gets_a_larger_one_and_that_is_said() -> None:
    grid = OTHERS["grid"](3000, np.random.default_rng(0))
    found = solve_prepared(Fussy(), grid, 20, Way(prune=True, clock=still()))
    assert found.details["rounds"][0]["roots"] == 40
    assert "the graph is unlike those that sizes were learnt on (fewer of its edges are at" in found.reason
    assert found.reason.endswith("so the core is larger")
    sized = solve_prepared(Fussy(), grid, 20, Way(prune=True, size=20, clock=still()))
    assert "larger" not in sized.reason


def test_a_good_part_is_solved_once() -> None:
    found = solve_prepared(Fussy(), GRAPH, 20, Way(prune=True, clock=still()))
    assert "rounds" not in found.details


def test_a_part_that_scores_less_than_the_quick_order_is_doubled() -> None:
    first = solve_prepared(Fussy(), GRAPH, 20, Way(prune=True, clock=still()))
    assert first.pruned is not None
    fussy = Fussy(enough=first.pruned.vertices + 1)
    found = solve_prepared(fussy, GRAPH, 20, Way(prune=True, clock=still()))
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
    found = solve_prepared(Growing(enough=10**9), GRAPH, 20, Way(prune=True, clock=still(), certify=False))
    rounds = found.details["rounds"]
    assert rounds[-1]["roots"] == GRAPH.num_vertices
    assert found.pruned is None
    assert "every smaller part was poor" in found.reason


def test_a_size_that_was_asked_for_is_not_doubled() -> None:
    found = solve_prepared(Fussy(enough=10**9), GRAPH, 20, Way(prune=True, size=30, clock=still()))
    assert found.pruned is not None
    assert found.pruned.roots == 30
    assert "rounds" not in found.details


def test_no_round_begins_that_would_pass_the_time_limit() -> None:
    ticks = map(float, count())
    found = solve_prepared(Fussy(enough=10**9), GRAPH, 20, Way(prune=True, time_limit=5, clock=still(ticks)))
    assert "rounds" not in found.details
    ticks = map(float, count())
    found = solve_prepared(Fussy(enough=10**9), GRAPH, 20, Way(prune=True, time_limit=50, clock=still(ticks)))
    assert len(found.details["rounds"]) >= 2


def test_rounds_that_would_cost_what_was_saved_are_not_begun() -> None:
    """The whole graph takes about 140 s by ``Slowly``, and each look at the clock is 20 s later."""
    ticks = (20.0 * i for i in count())
    found = solve_prepared(Fussy(enough=10**9), GRAPH, 20, Way(timer=Slowly(), clock=still(ticks)))
    assert found.pruned is not None
    assert "rounds" not in found.details


def test_in_doubt_the_whole_graph_is_solved_if_the_rounds_took_little_of_its_time() -> None:
    """The whole graph takes about 140 s by ``Slowly``: a second round of 100 s is too much, the first one was not."""
    ticks = chain([0.0, 0.0, 1.0], repeat(25.0))
    found = solve_prepared(Fussy(enough=GRAPH.num_vertices), GRAPH, 20, Way(timer=Slowly(), clock=still(ticks)))
    assert found.pruned is None
    assert found.details["rounds"][-1]["roots"] == GRAPH.num_vertices
    assert "every smaller part was poor" in found.reason


def test_a_certificate_that_meets_the_target_ends_the_rounds() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Sure(Fussy):
        def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: np.random.Generator) -> float:
            return solution.score

    found = solve_prepared(Sure(enough=10**9), GRAPH, 20, Way(prune=True, clock=still()))
    assert found.optimal
    assert "rounds" not in found.details


def test_a_core_is_fitted_where_none_ships() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Unknown(Fussy):
        name: ClassVar[str] = "unknown"

    whole = solve_prepared(Unknown(), LARGER, 20, Way(timer=Instantly()))
    pruned = solve_prepared(Unknown(), LARGER, 20, Way(timer=Slowly(), clock=still()))
    small = solve_prepared(Unknown(), GRAPH, 20, Way(timer=Slowly()))
    forced = solve_prepared(Unknown(), GRAPH, 20, Way(prune=True, timer=Instantly(), clock=still()))
    assert whole.pruned is None
    assert pruned.pruned is not None
    assert forced.pruned is not None
    assert small.reason.endswith("no core ships for this problem, and to learn one would not pay")
    assert pruned.score >= 0.99 * whole.score


def test_a_core_of_the_users_is_taken() -> None:
    core = Core("mvc", 20, size=40).fit(GRAPH)
    found = solve_prepared(get_problem("mvc"), GRAPH, 20, Way(prune=True, size=40), core)
    assert found.pruned is not None
    assert found.pruned.roots == 40


@pytest.mark.parametrize("wrong", [{"time_limit": 0}, {"target": 0}, {"target": 1.5}])
def test_a_wrong_limit_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(LenseError):
        Way(**wrong)
