"""The programs given to HiGHS have the right optimum, and a run that fails does no harm."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
from hypothesis import given

from lense._util.progress import Advance, reporting_to
from lense.graph import Graph
from lense.kernels.domination import closed_rows
from lense.problems.mip import Optimum, best_choice, best_domination, best_of_core
from tests.brute_force import (
    Measure,
    covered,
    cut,
    dominated,
    graphs_with_budgets,
    graphs_with_candidates,
    optimum,
    pairs_of,
)

Solve = Callable[..., Optimum]
best_cover, best_cut = partial(best_choice, loss=1), partial(best_choice, loss=2)
PROGRAMS = pytest.mark.parametrize(("solve", "measure"), [(best_cover, covered), (best_cut, cut)])


def random_graph(n: int, m: int) -> Graph:
    return Graph.from_edges(*np.random.default_rng(5).integers(0, n, (2, m)), num_vertices=n)


def assert_bounds(found: Optimum, best: float, graph: Graph) -> None:
    """The bound of whole numbers is exact, and that of others nearly."""
    assert found.upper_bound is not None
    assert found.upper_bound >= best
    whole = graph.weights is None or (graph.weights == np.rint(graph.weights)).all()
    assert found.upper_bound == (best if whole else pytest.approx(best, rel=1e-5, abs=1e-5))


@pytest.mark.parametrize("limited", [False, True], ids=["all", "candidates"])
@PROGRAMS
@given(case=graphs_with_candidates())
def test_the_optimum_and_the_bound_are_those_of_brute_force(
    solve: Solve, measure: Measure, limited: bool, case: tuple[Graph, int, list[int]]
) -> None:
    graph, budget, drawn = case
    candidates = drawn if limited else list(range(graph.num_vertices))
    budget = min(budget, len(candidates))
    start = np.array(candidates[:budget])
    found = solve(graph, budget, start, seed=0, candidates=candidates if limited else None)
    best = optimum(graph, budget, measure, candidates)
    assert found.vertices.size == budget if measure is covered else found.vertices.size <= budget
    assert set(found.vertices.tolist()) <= set(candidates)
    assert measure(graph, found.vertices.tolist()) == best
    assert_bounds(found, best, graph)
    assert found.details["status"] == "Optimal"


@PROGRAMS
@given(case=graphs_with_candidates())
def test_forced_vertices_are_chosen(solve: Solve, measure: Measure, case: tuple[Graph, int, list[int]]) -> None:
    graph, budget, forced = case
    forced = forced[:budget]
    found = solve(graph, budget, np.array(forced), seed=0, forced=forced)
    assert set(forced) <= set(found.vertices.tolist())
    assert measure(graph, found.vertices.tolist()) == optimum(graph, budget, measure, forced=forced)


@pytest.mark.parametrize("scale", [1e-20, 1e-6, 1e6, 1e20])
@PROGRAMS
def test_very_small_and_very_large_weights_have_the_same_optimum(solve: Solve, measure: Measure, scale: float) -> None:
    rng = np.random.default_rng(1)
    ends, weights = rng.integers(0, 9, (2, 20)), rng.random(20).astype(np.float32)
    graph = Graph.from_edges(ends[0], ends[1], weights * np.float32(scale), num_vertices=9)
    found = solve(graph, 3, np.arange(3), seed=0)
    best = optimum(graph, 3, measure)
    assert measure(graph, found.vertices.tolist()) == pytest.approx(best)
    assert found.upper_bound == pytest.approx(best, rel=1e-5)


@PROGRAMS
def test_out_of_time_the_start_is_kept(solve: Solve, measure: Measure) -> None:
    graph = random_graph(300, 3000)
    start = np.argsort(-graph.out_degrees)[:50]
    found = solve(graph, 50, start, seed=0, time_limit=1e-9)
    assert found.details["status"] == "Time limit reached"
    assert measure(graph, found.vertices.tolist()) >= measure(graph, start.tolist())
    assert found.upper_bound is None or found.upper_bound >= measure(graph, found.vertices.tolist())


def test_without_a_solution_the_start_is_returned_and_said_to_be() -> None:
    graph = random_graph(10, 20)
    found = best_cover(graph, 11, np.arange(10)[::-1], seed=0)
    assert found.vertices.tolist() == list(range(10))
    assert found.details["status"] == "Infeasible"
    assert "start" in str(found.details["note"])
    assert found.upper_bound is None


def test_an_interrupt_is_not_kept_waiting() -> None:
    @contextmanager
    def impatient(description: str, total: float | None) -> Iterator[Advance]:
        def advance(seconds: float, /, note: str = "") -> None:
            raise KeyboardInterrupt

        yield advance

    with reporting_to(impatient), pytest.raises(KeyboardInterrupt):
        best_cut(random_graph(120, 400), 30, np.arange(30), seed=0, time_limit=60.0)


@given(case=graphs_with_budgets())
def test_the_best_is_that_of_brute_force(case: tuple[Graph, int]) -> None:
    graph, budget = case
    whole = graph.weights is None
    nothing = np.zeros(graph.num_vertices, np.bool_)
    best = best_of_core(pairs_of(graph), budget, nothing, np.inf, whole=whole, seed=0, time_limit=None)
    wanted = optimum(graph, budget, cut)
    assert best.status == "Optimal"
    assert best.inside is not None
    assert np.count_nonzero(best.inside) <= budget
    assert abs(cut(graph, np.flatnonzero(best.inside).tolist()) - wanted) <= 1e-5 * wanted
    assert best.value <= wanted * (1 + 1e-12)
    assert wanted <= best.upper_bound * (1 + 2e-9)
    assert not whole or best.upper_bound == wanted


def test_a_bound_that_is_known_is_kept_out_of_time() -> None:
    rng = np.random.default_rng(5)
    graph = Graph.from_edges(*rng.integers(0, 200, (2, 4000)), num_vertices=200)
    start = np.arange(200) < 40
    best = best_of_core(pairs_of(graph), 40, start, 2500.0, whole=True, seed=0, time_limit=1e-9)
    assert best.status == "Time limit reached"
    assert best.upper_bound <= 2500


@given(graphs_with_candidates())
def test_it_is_the_optimum_and_its_own_bound_from_any_start(case: tuple[Graph, int, list[int]]) -> None:
    graph, budget, candidates = case
    rows = closed_rows(graph.incident)
    start = np.array(candidates[:budget], np.int64)
    found = best_domination(*rows, np.array(candidates, np.int32), start, seed=0)
    best = optimum(graph, start.size, dominated, candidates)
    assert dominated(graph, found.vertices.tolist()) == found.upper_bound == best
    assert found.details["status"] == "Optimal"
