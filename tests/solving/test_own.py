"""What ``lense.solve`` promises for a heuristic and an objective of the user's.

Heuristics are slow by a number of steps that depends on the graph alone, so that all machines decide alike.
"""

import logging
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lense
from lense import LenseError, Solution
from lense.solving.orders import Orders
from lense.solving.samples import Growth, walked_sample
from tests.skips import NO_NETWORKX

nx = pytest.importorskip("networkx", reason=NO_NETWORKX)

GRAPH = nx.barabasi_albert_graph(4000, 4, seed=1)
N, BUDGET = len(GRAPH), 10
HUBS = sorted(GRAPH, key=lambda v: -GRAPH.degree(v))
SECRET = frozenset(np.random.default_rng(0).choice(N, 150, replace=False).tolist())
"""Vertices that no order tells from others."""


def work(graph: Any, steps: int = 15_000) -> None:
    """About 0.05 ms for each edge: too much to solve the whole graph without a thought."""
    for _ in range(steps * graph.number_of_edges() // 10):
        pass


def coverage(graph: Any, vertices: Any) -> float:
    """The number of vertices next to the chosen ones."""
    return float(len({other for vertex in vertices for other in graph[vertex]}))


def greedy(graph: Any, budget: int) -> list[Any]:
    work(graph)
    return quick_greedy(graph, budget)


def slow_greedy(graph: Any, budget: int, candidates: Any) -> list[Any]:
    for _ in range(50_000 * len(candidates)):
        pass
    return quick_greedy(graph, budget, candidates)


def quick_greedy(graph: Any, budget: int, candidates: Any = None) -> list[Any]:
    covered: set[Any] = set()
    chosen: list[Any] = []
    left = dict.fromkeys(graph if candidates is None else candidates)
    while left and len(chosen) < budget:
        chosen.append(max(left, key=lambda vertex: len(graph[vertex].keys() - covered)))
        del left[chosen[-1]]
        covered.update(graph[chosen[-1]])
    return chosen


def solve(
    heuristic: Callable[..., Any] = greedy, objective: Any = coverage, graph: Any = GRAPH, **options: Any
) -> Solution:
    return lense.solve(graph, budget=BUDGET, heuristic=heuristic, objective=objective, **options)


@pytest.fixture(scope="module")
def usual() -> Solution:
    """Of a problem for which parts do."""
    return solve(slow_greedy)


def is_safe(found: Solution, whole: float) -> bool:
    """Whether an answer keeps the target, or says that it may not."""
    return found.score >= 0.985 * whole or found.met_target is False


class TestNoPoorAnswerIsSilent:
    def test_an_easy_problem_is_solved_on_a_part(self, usual: Solution) -> None:
        assert usual.decision == "pruned"
        assert usual.met_target is True
        assert usual.expected_ratio is not None
        assert usual.expected_ratio >= 0.99
        assert usual.score >= 0.99 * coverage(GRAPH, quick_greedy(GRAPH, BUDGET))
        assert usual.details["trials"]

    def test_the_heuristic_chooses_among_few(self) -> None:
        sizes: list[int] = []

        def counted(graph: Any, budget: int, candidates: Any) -> list[Any]:
            sizes.append(len(candidates))
            return slow_greedy(graph, budget, candidates)

        solve(counted)
        assert max(sizes) < N / 2

    @pytest.mark.parametrize("level", [0.0, 1000.0])
    def test_a_heuristic_that_is_good_on_the_whole_graph_alone(self, level: float) -> None:
        def knowing(graph: Any, budget: int) -> list[Any]:
            work(graph)
            known = sorted(SECRET) if len(graph) == N else []
            return [*known, *(v for v in graph if v not in SECRET)][:budget]

        def hits(graph: Any, vertices: Any) -> float:
            return level + sum(vertex in SECRET for vertex in vertices)

        assert is_safe(solve(knowing, hits), level + BUDGET)

    @pytest.mark.parametrize("level", [0.0, 10.0])
    def test_a_set_that_counts_as_a_whole(self, level: float) -> None:
        """As anchors of a core do: part of them has no effect."""
        anchors = sorted(SECRET)[:BUDGET]

        def knowing(graph: Any, budget: int) -> list[Any]:
            work(graph)
            return anchors if len(graph) == N else list(graph)[:budget]

        found = solve(knowing, lambda graph, vertices: level + 100.0 * set(anchors).issubset(vertices))
        assert is_safe(found, level + 100)

    def test_dismantling(self) -> None:
        """The vertices that hold a graph together have few edges."""
        graph = nx.disjoint_union_all([nx.barabasi_albert_graph(160, 3, seed=i) for i in range(12)])
        bridges = range(len(graph), len(graph) + 11)
        for i, bridge in enumerate(bridges):
            graph.add_edges_from([(bridge, 160 * i + 150), (bridge, 160 * i + 310)])

        def left(graph: Any, vertices: Any) -> float:
            rest = graph.copy()
            rest.remove_nodes_from(vertices)
            return float(max(map(len, nx.connected_components(rest))))

        def cuts(graph: Any, budget: int) -> list[Any]:
            work(graph, 8000)
            found = {v for v in nx.articulation_points(graph) if graph.degree(v) == 2}
            return [*sorted(found), *(v for v in graph if v not in found)][:budget]

        found = solve(cuts, left, graph, minimise=True)
        whole = solve(cuts, left, graph, minimise=True, prune=False)
        assert found.score <= whole.score / 0.985 or found.met_target is False

    def test_the_first_vertices_of_each_order_are_scored(self, usual: Solution) -> None:
        by = {one["found_by"]: one for one in usual.details["trials"]}
        assert {"degree", "PageRank", "core number"} <= set(by)
        assert by["degree"]["score"] == coverage(GRAPH, HUBS[:BUDGET])

    def test_an_order_that_beats_the_heuristic_is_returned_by_its_name(self) -> None:
        def poor(graph: Any, budget: int) -> list[Any]:
            work(graph)
            return sorted(graph, key=graph.degree)[:budget]

        found = solve(poor)
        assert found.found_by not in ("poor", "chance")
        assert found.score >= coverage(GRAPH, HUBS[:BUDGET])

    def test_a_larger_part_for_a_heuristic_than_the_budget(self) -> None:
        sizes = []

        def choosing(graph: Any, budget: int) -> list[Any]:
            sizes.append((len(graph), budget))
            return greedy(graph, budget)

        solve(choosing, prune=True)
        assert all(size > budget for size, budget in sizes)
        assert max(size for size, budget in sizes if budget == BUDGET) >= 2 * BUDGET


class TestUnknownRatios:
    @pytest.mark.parametrize("value", [-5.0, 0.0])
    def test_objectives_without_ratios(self, value: float) -> None:
        found = solve(quick_greedy, lambda graph, vertices: value)
        assert found.expected_ratio is None
        assert found.score == value
        pruned = solve(quick_greedy, lambda graph, vertices: value, prune=True)
        assert pruned.expected_ratio is None
        assert not pruned.met_target

    def test_shifted_to_below_zero(self) -> None:
        found = solve(greedy, lambda graph, vertices: coverage(graph, vertices) - 10 * N)
        assert found.expected_ratio is None
        assert found.score == coverage(GRAPH, quick_greedy(GRAPH, BUDGET)) - 10 * N

    def test_a_constant_says_nothing_of_a_part(self) -> None:
        found = solve(greedy, lambda graph, vertices: 3.0)
        assert found.expected_ratio is None or found.decision == "fell back"

    def test_nothing_chosen(self) -> None:
        def nothing(graph: Any, budget: int) -> list[Any]:
            work(graph)
            return []

        found = solve(nothing)
        assert found.expected_ratio is None
        assert found.found_by != "nothing"
        with pytest.raises(LenseError, match="found no answer: it returned 0 vertices"):
            solve(lambda graph, budget: [], prune=False)


def test_a_short_answer_is_filled_from_the_orders_and_said_to_be() -> None:
    def short(graph: Any, budget: int) -> list[Any]:
        return quick_greedy(graph, budget // 2)

    found = solve(short, prune=True)
    assert len(found.vertices) == BUDGET
    assert found.found_by != "short" or "filled up with 5 vertices" in found.reason
    assert "filled up with 5 vertices" in solve(short, prune=False).reason


class TestTimeLimit:
    @pytest.mark.parametrize("named", [True, False])
    def test_the_best_answer_so_far_and_a_warning(self, caplog: pytest.LogCaptureFixture, named: bool) -> None:
        calls = []

        def slow(graph: Any, budget: int) -> list[Any]:
            calls.append(len(graph))
            work(graph, 400_000)
            return quick_greedy(graph, budget)

        problem: dict[str, Any] = {"problem": "mvc"} if named else {"objective": coverage}
        with caplog.at_level(logging.WARNING):
            found = lense.solve(GRAPH, budget=BUDGET, heuristic=slow, time_limit=0.1, **problem)
        assert max(calls) < N
        assert len(found.vertices) == BUDGET
        assert found.score > 0
        assert (found.met_target, found.expected_ratio, found.decision) == (False, None, "stopped")
        assert "stopped at the time limit" in found.reason
        assert found.reason in caplog.text

    def test_a_large_budget_does_not_lift_the_limit(self) -> None:
        def slow(graph: Any, budget: int) -> list[Any]:
            assert len(graph) < N, "the whole graph takes too long"
            work(graph, 40_000)
            return list(graph)[:budget]

        found = lense.solve(GRAPH, budget=N // 5, heuristic=slow, objective=coverage, time_limit=0.5)
        assert found.met_target is False

    def test_forced_pruning_keeps_it_too(self) -> None:
        sizes = []

        def slow(graph: Any, budget: int) -> list[Any]:
            sizes.append(len(graph))
            work(graph, 100_000)
            return quick_greedy(graph, budget)

        found = solve(slow, prune=True, time_limit=0.3)
        assert max(sizes) < N / 4
        assert found.met_target is False


class TestFailingOnParts:
    @pytest.mark.parametrize("error", [ValueError, ZeroDivisionError, AssertionError, LenseError])
    def test_a_heuristic_that_needs_the_whole_graph(self, error: type[Exception]) -> None:
        def needy(graph: Any, budget: int) -> list[Any]:
            if len(graph) < N:
                raise error("needs more vertices")
            return quick_greedy(graph, budget)

        found = solve(needy)
        assert (found.found_by, found.decision, found.met_target) == ("needy", "fell back", True)
        assert "needs more vertices" in found.reason

    def test_an_error_on_the_whole_graph_is_the_users(self) -> None:
        def broken(graph: Any, budget: int) -> list[Any]:
            raise ZeroDivisionError("broken")

        with pytest.raises(ZeroDivisionError, match="broken"):
            solve(broken)

    @pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
    def test_an_objective_that_needs_the_whole_graph(self, value: float | None) -> None:
        def needy(graph: Any, vertices: Any) -> float:
            if len(graph) < N:
                return 1 / 0 if value is None else value
            return coverage(graph, vertices)

        found = solve(quick_greedy, needy)
        assert is_safe(found, coverage(GRAPH, quick_greedy(GRAPH, BUDGET)))


class TestSideConditions:
    @staticmethod
    def apart(graph: Any, vertices: Any) -> bool:
        assert len(graph) == N
        return not any(graph.has_edge(u, v) for u in vertices for v in vertices)

    @staticmethod
    def keeping_apart(graph: Any, budget: int) -> list[Any]:
        work(graph)
        chosen: list[Any] = []
        for vertex in sorted(graph, key=lambda v: -len(graph[v])):
            if len(chosen) < budget and not any(graph.has_edge(vertex, other) for other in chosen):
                chosen.append(vertex)
        return chosen

    @pytest.mark.parametrize("prune", [None, True, False])
    def test_an_answer_keeps_them_on_the_whole_graph(self, prune: bool | None) -> None:
        found = solve(self.keeping_apart, prune=prune, valid=self.apart)
        assert self.apart(GRAPH, found.vertices)

    def test_parts_that_hold_every_vertex_but_not_every_edge(self) -> None:
        """On all edges at some hubs: they are no changed graph."""
        star = nx.compose(nx.star_graph(600), nx.gnm_random_graph(601, 3000, seed=1))

        def by_degree(graph: Any, budget: int) -> list[Any]:
            work(graph, 60_000)
            return sorted(graph, key=graph.degree, reverse=True)[:budget]

        found = lense.solve(star, problem="mvc", budget=BUDGET, heuristic=by_degree, prune=True, certify=False)
        assert found.vertices[0] == 0

    def test_the_score_is_kept_where_orders_break_them(self) -> None:
        """Hubs are adjacent, so that no order alone gives a valid answer."""
        found = solve(self.keeping_apart, valid=self.apart)
        assert is_safe(found, coverage(GRAPH, self.keeping_apart(GRAPH, BUDGET)))

    def test_no_invalid_answer_is_returned(self) -> None:
        def never(graph: Any, vertices: Any) -> bool:
            return False

        with pytest.raises(LenseError, match="found no answer that never accepts"):
            solve(quick_greedy, valid=never)

    def test_parts_are_induced(self) -> None:
        """Unless an answer may only have vertices all of whose edges are there."""

        def trusting(graph: Any, budget: int) -> list[Any]:
            seen = graph.number_of_edges()
            among = GRAPH.subgraph(graph).number_of_edges()
            complete = sum(graph.degree(v) == GRAPH.degree(v) for v in graph)
            assert seen == among or complete >= budget
            return greedy(graph, budget)

        assert solve(trusting).found_by == "trusting"


class TestWhatTheHeuristicSees:
    def test_directions_attributes_and_weights(self) -> None:
        graph = nx.DiGraph()
        rng = np.random.default_rng(1)
        for u, v in GRAPH.edges:
            graph.add_edge(*((u, v) if rng.random() < 0.5 else (v, u)), weight=1 + rng.random() * 1e-12, since=u)
        nx.set_node_attributes(graph, {v: {"colour": -v} for v in graph})

        def seeing(part: Any, budget: int) -> list[Any]:
            assert part.is_directed()
            assert all(graph.edges[u, v] == data for u, v, data in part.edges(data=True))
            assert all(data == {"colour": -v} for v, data in part.nodes(data=True))
            return sorted(part, key=lambda v: -part.out_degree(v))[:budget]

        solve(seeing, coverage, graph, prune=True)

    def test_the_diagonal_and_the_values_of_a_matrix(self) -> None:
        matrix = nx.to_scipy_sparse_array(GRAPH, dtype=np.float64, format="csr")
        matrix.data[:] = 1 + 1e-12
        matrix.setdiag(7.0)

        def seeing(part: Any, budget: int) -> Any:
            assert type(part) is type(matrix)
            assert (part.diagonal() == 7).all()
            assert set(part.data.tolist()) == {1 + 1e-12, 7.0}
            return np.argsort(-np.diff(part.indptr), kind="stable")[:budget]

        found = solve(seeing, lambda part, vertices: float(part[vertices].sum()), matrix, prune=True)
        assert HUBS[0] in found.vertices

    def test_a_graph_of_networkit(self) -> None:
        nk = pytest.importorskip("networkit")
        graph = nk.nxadapter.nx2nk(GRAPH)

        def largest(part: Any, budget: int) -> list[int]:
            return sorted(part.iterNodes(), key=lambda v: -part.degree(v))[:budget]

        found = solve(largest, lambda part, vertices: float(sum(map(part.degree, vertices))), graph, prune=True)
        assert HUBS[0] in found.vertices

    def test_a_random_generator_and_candidates(self) -> None:
        drawn = []

        def asking(graph: Any, budget: int, candidates: Any, rng: np.random.Generator) -> list[Any]:
            drawn.append((len(graph), len(candidates), rng.random()))
            return quick_greedy(graph, budget, candidates)

        solve(asking, prune=True, seed=3)
        assert len({number for *_, number in drawn}) == 1
        assert any(size == N and BUDGET < count < N / 2 for size, count, _ in drawn)


class TestOptions:
    def test_minimise(self) -> None:
        whole = solve(quick_greedy, lambda g, s: N - coverage(g, s), minimise=True, prune=False)
        found = solve(greedy, lambda g, s: N - coverage(g, s), minimise=True)
        assert found.score <= whole.score / 0.985

    @pytest.mark.parametrize("kind", ["array", "attribute", "mapping", "function", "series"])
    def test_costs(self, kind: str) -> None:
        graph = GRAPH.copy()
        price = {v: 1.0 + graph.degree(v) / 10 for v in graph}
        nx.set_node_attributes(graph, price, "price")
        costs: Any = {"array": np.array(list(price.values())), "attribute": "price", "mapping": price}.get(kind)
        if kind == "function":
            costs = price.get
        elif kind == "series":  # by its index
            pandas = pytest.importorskip("pandas")
            costs = pandas.Series(price).iloc[::-1]

        def by_gain(part: Any, budget: float) -> list[Any]:
            left, chosen = budget, []
            for v in sorted(part, key=lambda v: -len(part[v]) / part.nodes[v]["price"]):
                if price[v] <= left:
                    left -= price[v]
                    chosen.append(v)
            return chosen

        for prune in (None, True):
            found = lense.solve(graph, budget=40.0, heuristic=by_gain, objective=coverage, costs=costs, prune=prune)
            assert sum(price[v] for v in found.vertices) <= 40 * (1 + 1e-9)

    @pytest.mark.parametrize("wrong", [{1: 2.0}, [1.0], "price", lambda v: -1.0, [None] * N])
    def test_costs_that_are_none(self, wrong: Any) -> None:
        with pytest.raises(LenseError, match=r"cost|attribute"):
            solve(costs=wrong)

    @pytest.mark.parametrize("prune", [None, True, False])
    def test_candidates_required_and_forbidden(self, prune: bool | None) -> None:
        allowed, required, forbidden = HUBS[2:600], HUBS[700:702], HUBS[2:4]
        found = solve(
            quick_greedy, prune=prune, candidates=iter(allowed), required=required, forbidden=np.array(forbidden)
        )
        chosen = set(found.vertices)
        assert set(required) <= chosen <= {*allowed, *required} - set(forbidden)
        assert len(found.vertices) <= BUDGET

    @pytest.mark.parametrize(
        "wrong",
        [
            {"required": [0], "forbidden": [0]},
            {"candidates": [N]},
            {"candidates": [[0]]},
            {"candidates": 5},
            {"forbidden": "abc"},
            {"candidates": []},
            {"required": HUBS[: BUDGET + 1]},
        ],
    )
    def test_ids_that_cannot_be(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(LenseError):
            solve(quick_greedy, **wrong)

    def test_a_heuristic_needs_an_objective_or_a_problem(self) -> None:
        with pytest.raises(LenseError, match="pass objective=, or the problem= it is for"):
            lense.solve(GRAPH, budget=BUDGET, heuristic=greedy)

    def test_an_interrupt_returns_the_best_answer(self) -> None:
        def interrupted(graph: Any, budget: int) -> list[Any]:
            if budget == BUDGET:
                raise KeyboardInterrupt
            return greedy(graph, budget)

        with pytest.raises(KeyboardInterrupt):
            solve(interrupted)
        found = solve(interrupted, on_interrupt="return")
        assert (found.decision, found.met_target, len(found.vertices)) == ("interrupted", False, BUDGET)
        assert found.reason.startswith("interrupted, and the target may be missed")


class TestFunctionsThatChangeTheGraph:
    @pytest.mark.parametrize("prune", [None, True, False])
    def test_attributes(self, prune: bool | None) -> None:
        def marking(graph: Any, budget: int) -> list[Any]:
            chosen = quick_greedy(graph, budget)
            nx.set_node_attributes(graph, dict.fromkeys(chosen, True), "chosen")
            return chosen

        with pytest.raises(LenseError, match="marking changed the graph"):
            solve(marking, graph=GRAPH.copy(), prune=prune)

    @pytest.mark.parametrize("prune", [None, True, False])
    def test_the_objective(self, prune: bool | None) -> None:
        def removing(graph: Any, vertices: Any) -> float:
            found = coverage(graph, vertices)
            if vertices[0] in graph:
                graph.remove_edges_from(list(graph.edges(vertices[0])))
            return found

        with pytest.raises(LenseError, match="changed the graph"):
            solve(quick_greedy, removing, GRAPH.copy(), prune=prune)


class TestOneClock:
    def test_the_same_seed_gives_the_same_answer_under_load(self, usual: Solution) -> None:
        is_over = threading.Event()

        def spin() -> None:
            while not is_over.is_set():
                sum(range(1000))

        busy = threading.Thread(target=spin, daemon=True)
        busy.start()
        try:
            found = solve(slow_greedy)
        finally:
            is_over.set()
            busy.join()
        assert found.vertices == usual.vertices
        assert found.score == usual.score

    def test_a_generator_is_timed_with_its_work(self) -> None:
        def lazy(graph: Any, budget: int) -> Any:
            work(graph)
            yield from quick_greedy(graph, budget)

        assert "too quick" not in solve(lazy).reason

    def test_times_are_ranges(self, usual: Solution) -> None:
        least, most = usual.details["estimated_seconds"]
        assert 0 < least < most
        assert " to " in usual.reason.partition("on the whole graph it would take ")[2]
        assert "about" not in usual.reason

    def test_one_sample_gives_no_range(self) -> None:
        growth = Growth()
        assert growth.range_at(100, 100, 10) is None
        growth.add(100, 400, 4, 0.1)
        assert growth.range_at(1000, 4000, 10) is None
        growth.add(400, 1600, 4, 0.4)
        found = growth.range_at(4000, 16_000, 4)
        assert found is not None
        assert found[0] < 4.0 < found[1]


class TestAdvice:
    def test_of_a_slow_heuristic_by_small_samples(self) -> None:
        sizes = []

        def slow(graph: Any, budget: int) -> list[Any]:
            sizes.append(len(graph))
            return greedy(graph, budget)

        advice = lense.advise(GRAPH, budget=BUDGET, heuristic=slow, objective=coverage)
        assert advice.prune
        assert max(sizes) < N / 4
        assert advice.whole_range is not None
        assert advice.whole_range[0] < advice.whole_range[1]

    def test_of_one_too_quick_and_of_one_that_fails(self) -> None:
        quick = lense.advise(GRAPH, budget=BUDGET, heuristic=lambda graph, budget: list(graph)[:1], objective=coverage)
        assert not quick.prune
        assert "too quick" in quick.reason

        def failing(graph: Any, budget: int) -> list[Any]:
            raise ValueError("needs more vertices")

        advice = lense.advise(GRAPH, budget=BUDGET, heuristic=failing, objective=coverage)
        assert not advice.prune
        assert "needs more vertices" in advice.reason


def test_a_sample_hangs_together() -> None:
    graph = lense.open_graph(GRAPH)
    vertices = walked_sample(graph, 300, np.random.default_rng(0))
    assert (np.diff(vertices) > 0).all()
    assert 150 <= vertices.size <= 300
    assert nx.is_connected(GRAPH.subgraph(vertices.tolist()))


@pytest.mark.parametrize("name", Orders(lense.open_graph(GRAPH), BUDGET, np.arange(N)).names)
def test_orders_hold_allowed_vertices_once(name: str) -> None:
    allowed = np.arange(0, N, 3)
    order = Orders(lense.open_graph(GRAPH), BUDGET, allowed).make(name)
    assert np.unique(order).size == order.size
    assert np.isin(order, allowed).all()
