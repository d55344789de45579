"""Every optimum survives, and what is proven is so."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from lense._util.types import Float64s, Int8s
from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.kernels.bounds import LIVE
from lense.problems import bounds, get_problem
from lense.problems.bounds import Round, lossless_core
from lense.problems.mvc import MaxVertexCover
from lense.streaming.graph import StreamedGraph
from lense.streaming.memory import MemoryBudget
from tests.problems.samples import NAMES, LargestNumbers, collaboration
from tests.problems.small_graphs import violations
from tests.streaming.graphs import graph_of, scan_of


def test_every_optimum_survives_the_intervals_on_thousands_of_small_graphs() -> None:
    assert list(violations(500, seed=2, efforts=(0.0,))) == []


def test_every_optimum_survives_all_rules_on_hundreds_of_small_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a fifth of the steps that so small a graph is given; ``make fuzz`` takes them all."""
    monkeypatch.setattr(bounds, "_LEAST_WORK", bounds._LEAST_WORK / 5)
    assert list(violations(30, seed=3)) == []


@NAMES
def test_rounds_add_up(name: str) -> None:
    graph = collaboration(60, 1)
    core = lossless_core(get_problem(name), graph, 8, beyond=True)
    live = graph.num_vertices
    for done in core.rounds:
        assert done.live == live - done.dropped - done.forced
        live = done.live
    assert core.forced.size == sum(done.forced for done in core.rounds)
    assert core.left == 8 - core.forced.size


@pytest.mark.parametrize(
    ("name", "weighted", "papers", "budget", "effort", "beyond", "live", "gap"),
    [
        ("mvc", False, 40, 8, 300, False, 5, 0),
        ("mvc", False, 40, 8, 300, True, 0, 0),
        ("mvc", True, 40, 8, 300, False, 0, 0),
        ("mvc", True, 40, 15, 300, True, 0, 0),
        ("mvc", False, 90, 15, 1000, False, 3, 0),
        ("bmc", False, 40, 8, 300, True, 21, 3),
        ("bmc", False, 40, 8, 3000, False, 0, 0),
        ("bmc", True, 40, 8, 3000, True, 0, 0),
        ("bmc", False, 40, 15, 3000, False, 60, 8),
        ("bmc", False, 90, 8, 8000, False, 0, 0),
        ("bmc", True, 90, 8, 2000, False, 0, 0),
    ],
)
def test_the_rules_decide_no_less_than_they_did(
    name: str,
    weighted: bool,
    papers: int,
    budget: int,
    effort: float,
    beyond: bool,
    live: int,
    gap: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At most ``live`` vertices are left, and the bound is at most ``gap`` above the best set, with little work."""
    monkeypatch.setattr(bounds, "_LEAST_WORK", 0.0)
    graph = collaboration(papers, 3)
    if weighted:
        sources, targets, _ = graph.edges()
        graph = Graph.from_edges(sources, targets, np.random.default_rng(0).random(sources.size).astype(np.float32))
    core = lossless_core(get_problem(name), graph, budget, effort=effort, beyond=beyond)
    assert core.live.size <= live
    assert core.upper_bound is not None
    assert core.upper_bound <= core.value + gap + 1e-6 * core.value


def test_of_a_truncated_graph_the_first_round_counts_those_that_their_degrees_rule_out(tmp_path: Path) -> None:
    graph, problem = graph_of("rmat"), get_problem("mvc")
    part = StreamedGraph(scan_of(graph, tmp_path / "g"), MemoryBudget.of(None)).truncated_for(1, 5)
    assert part.num_left_out > 0
    rounds, whole = lossless_core(problem.within(part), part.graph, 5).rounds, lossless_core(problem, graph, 5).rounds
    assert rounds[0].dropped + rounds[0].forced + rounds[0].live == graph.num_vertices
    assert rounds == whole


def test_after_the_deadline_no_rule_is_begun_but_the_bound_holds() -> None:
    graph = collaboration(60, 3)
    core = lossless_core(get_problem("mvc"), graph, 8, deadline=0.0)
    assert {done.rule for done in core.rounds} == {"intervals"}
    assert core.upper_bound is not None
    assert core.upper_bound >= core.value


@dataclass(frozen=True, kw_only=True)
class Thirds(LargestNumbers):
    """f(X) = a third of the sum of the vertices' numbers, which has to be rounded."""

    def intervals(self, graph: Graph, state: Int8s, left: int) -> tuple[Float64s, Float64s]:
        values = np.flatnonzero(state == LIVE) / 3
        return values, values


@dataclass(frozen=True, kw_only=True)
class Costed(Thirds):
    def costs(self, graph: Graph) -> Float64s:
        return np.ones(graph.num_vertices)


def test_a_problem_of_ones_own_takes_part_by_its_intervals() -> None:
    core = lossless_core(Thirds(), Graph.from_edges([0, 1, 2], [1, 2, 3]), 2)
    assert core.rounds == (Round("intervals", 2, 2, 0),)
    assert core.forced.tolist() == [2, 3]


@dataclass(frozen=True, kw_only=True)
class Between(LargestNumbers):
    """Each vertex adds at least ``lo`` and at most ``hi``, whatever else is chosen."""

    lo: tuple[float, ...] = ()
    hi: tuple[float, ...] = ()

    def intervals(self, graph: Graph, state: Int8s, left: int) -> tuple[Float64s, Float64s]:
        live = np.flatnonzero(state == LIVE)
        return np.array(self.lo)[live], np.array(self.hi)[live]


@pytest.mark.parametrize(
    ("lo", "hi", "live"),
    [
        ((1e10 + 1, 1e10, 0), (1e10 + 1, 1e10, 0), []),
        ((0.1 + 0.2, 0.3, 0), (0.1 + 0.2, 0.3, 0), [0, 1]),
        ((0.1 + 0.2, 0, 0), (1, 0.3, 0), [0, 1]),
        ((1, 0, 0), (1 + 1e-11, 1 - 1e-11, 0), [0, 1]),
        ((0.3 + 1e-6, 0.3, 0), (0.3 + 1e-6, 0.3, 0), []),
    ],
    ids=["whole numbers are exact", "sums are rounded", "only lower ends are", "only upper ends are", "more than that"],
)
def test_only_what_rounding_cannot_have_done_decides(
    lo: tuple[float, ...], hi: tuple[float, ...], live: list[int]
) -> None:
    core = lossless_core(Between(lo=lo, hi=hi), Graph.from_edges([0, 1], [1, 2]), 1)
    assert core.live.tolist() == live
    assert core.forced.tolist() == ([] if live else [0])


def test_problems_without_intervals_and_costs_are_refused_in_a_sentence() -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    im = get_problem("im")
    with pytest.raises(LenseError, match="im does not say"):
        lossless_core(im, im.prepare(graph), 1)
    with pytest.raises(LenseError, match="costs"):
        lossless_core(Costed(), graph, 2)


@NAMES
def test_every_answer_is_certified_by_the_core(name: str) -> None:
    graph = collaboration(90, 2)
    found = get_problem(name).solve(graph, 10, np.random.default_rng(0))
    assert found.certified is not None
    assert found.certified > 0.97
    hubs = power_law(3000, 8, 2.1, np.random.default_rng(1))
    assert get_problem(name).solve(hubs, 10, np.random.default_rng(0)).optimal
    assert lossless_core(get_problem(name), hubs, 10).rounds[0].dropped > 2000


def test_a_worse_answer_is_not_said_to_be_optimal() -> None:
    stars = Graph.from_edges([0, 0, 0, 4, 4], [1, 2, 3, 5, 6])
    poor = replace(get_problem("mvc").search(stars, 1, np.random.default_rng(0)), indices=np.array([4]))
    problem = get_problem("mvc")
    certified = problem.certify(stars, problem.score(stars, poor), np.random.default_rng(0))
    assert certified.certified == pytest.approx(2 / 3)
    assert not certified.optimal


def test_with_costs_there_is_no_certificate_by_bounds() -> None:
    @dataclass(frozen=True, kw_only=True)
    class CostedCover(MaxVertexCover):
        def costs(self, graph: Graph) -> Float64s:
            return np.ones(graph.num_vertices)

    found = CostedCover().solve(Graph.from_edges([0, 1, 3], [1, 2, 4]), 1, np.random.default_rng(0))
    assert (found.score, found.upper_bound) == (2 / 3, 1.0)
