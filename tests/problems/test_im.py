"""Influence maximisation: spread, seeds and certificates against exact enumeration and against each other."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph, barabasi_albert
from lense.kernels.spread import SpreadSample
from lense.problems import im
from lense.problems.im import TRIVALENCY, InfluenceMaximisation, with_probabilities

SOLVERS = ("imm", "opim-c", "celf", "fresh-walks", "degree-discount")


def exact_spread(graph: Graph, seeds: tuple[int, ...]) -> float:
    """The expectation over all 2^m live-edge worlds."""
    sources, targets, weights = graph.edges()
    assert weights is not None
    total = 0.0
    for live in product((False, True), repeat=sources.size):
        kept = np.array(live, dtype=bool)
        chance = float(np.prod(np.where(kept, weights, 1 - weights)))
        reached, frontier = set(seeds), set(seeds)
        while frontier:
            frontier = {
                int(v) for u, v in zip(sources[kept], targets[kept], strict=True) if u in frontier and v not in reached
            }
            reached |= frontier
        total += chance * len(reached)
    return total


@st.composite
def tiny_cascades(draw: st.DrawFn) -> Graph:
    """Directed graphs of at most 6 vertices and 7 arcs with any probabilities, sure and impossible ones included."""
    n = draw(st.integers(2, 6))
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
    arcs = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=7, unique=True))
    weights = draw(st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.5, 1.0]), min_size=len(arcs), max_size=len(arcs)))
    sources, targets = zip(*arcs, strict=True)
    return Graph.from_edges(sources, targets, weights, directed=True, num_vertices=n)


@pytest.fixture(scope="module")
def social() -> Graph:
    return InfluenceMaximisation(model="constant", probability=0.05).prepare(
        barabasi_albert(600, 4, np.random.default_rng(1))
    )


def solve(graph: Graph, budget: int, seed: int = 0, **options: object) -> Int64s:
    problem = InfluenceMaximisation(**options)  # type: ignore[arg-type]
    return problem.solve(graph, budget, np.random.default_rng(seed), certify=False).indices


@given(tiny_cascades(), st.data())
def test_spread_is_the_exact_expectation_within_its_error(graph: Graph, data: st.DataObject) -> None:
    seeds = tuple(data.draw(st.sets(st.integers(0, graph.num_vertices - 1), min_size=1, max_size=3)))
    mean, stderr = InfluenceMaximisation(worlds=20_000).evaluate(graph, list(seeds))
    assert mean == pytest.approx(exact_spread(graph, seeds), abs=5 * stderr + 1e-6)


def rare(*chain: float, leaves: int = 2000, leaf: float = 1.0, besides: tuple[float, ...] = ()) -> tuple[Graph, float]:
    """Vertex 0, a ``chain`` of arcs from it to a hub, arcs from the hub to ``leaves``, and arcs ``besides`` from 0 to
    other vertices, by their probabilities; and the spread of {0}."""
    hub = len(chain)
    arcs = [(i, i + 1, p) for i, p in enumerate(chain)]
    arcs += [(hub, hub + 1 + i, leaf) for i in range(leaves)]
    arcs += [(0, hub + leaves + 1 + i, p) for i, p in enumerate(besides)]
    sources, targets, weights = zip(*arcs, strict=True)
    spread = 1 + float(np.cumprod(chain).sum() + np.prod(chain) * leaves * leaf + sum(besides))
    return Graph.from_edges(sources, targets, weights, directed=True), spread


@pytest.mark.parametrize("cascade", ["independent", "threshold"])
@pytest.mark.parametrize(
    ("graph", "spread"),
    [
        rare(0.01),
        rare(0.001),
        rare(0.01, 0.01),
        rare(0.2, 0.005),
        rare(0.001, besides=(0.5, 0.5, 0.1)),
        rare(0.001, leaf=0.5, besides=(0.01,) * 50),
        rare(0.99, leaf=0.5),
        rare(0.999),
    ],
    ids=["hub", "rarer", "chain", "chance and chain", "noise", "two hubs", "nearly sure", "rarely fails"],
)
def test_the_error_covers_cascades_that_no_world_shows(graph: Graph, spread: float, cascade: str) -> None:
    found = [InfluenceMaximisation(cascade=cascade, seed=seed).estimate(graph, [0]) for seed in range(20)]
    off = np.array([abs(score - spread) / error for score, error in found])
    assert (off < 3).mean() >= 0.9
    assert off.max() < 5


def test_an_error_of_0_means_that_the_spread_is_exact() -> None:
    sure, spread = rare(1.0)
    impossible, _ = rare(0.0)
    problem = InfluenceMaximisation()
    assert problem.estimate(sure, [0]) == (spread, 0.0)
    assert problem.estimate(impossible, [0]) == (1.0, 0.0)
    assert problem.evaluate(impossible, [0, 1]) == (2002.0, 0.0)
    assert problem.estimate(sure, []) == (0.0, 0.0)
    for almost in (1e-9, 1 - 1e-7):
        assert problem.estimate(rare(almost)[0], [0])[1] > 0


def test_a_score_takes_as_many_worlds_as_its_precision_needs(social: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []

    class Counted(SpreadSample):
        def extend_to(self, num_worlds: int) -> None:
            super().extend_to(num_worlds)
            taken.append(num_worlds)

    monkeypatch.setattr(im, "SpreadSample", Counted)
    worlds = {}
    for precision in (0.5, 0.05, 1e-9):
        mean, error = InfluenceMaximisation(precision=precision).estimate(social, [0, 9])
        worlds[precision] = taken[-1]
        assert error <= precision * mean or taken[-1] == 1000
    assert worlds[0.5] == 64 < worlds[0.05] < 1000 == worlds[1e-9]
    assert InfluenceMaximisation().evaluate(social, [0, 9])[0] == InfluenceMaximisation().objective(social, [0, 9])


@given(tiny_cascades(), st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_the_bound_is_not_below_the_optimum_nor_the_certificate_above_the_truth(graph: Graph, budget: int) -> None:
    assume(budget <= graph.num_vertices)
    optimum = max(exact_spread(graph, c) for c in combinations(range(graph.num_vertices), budget))
    problem = InfluenceMaximisation(delta=1e-6)
    solution = problem.solve(graph, budget, np.random.default_rng(0))
    assert solution.upper_bound is not None
    assert solution.certified is not None
    truth = exact_spread(graph, tuple(solution.indices.tolist()))
    assert solution.upper_bound >= optimum - 1e-6
    assert solution.certified <= truth / optimum + 1e-6


@given(tiny_cascades(), st.data())
def test_imm_and_opim_c_keep_their_guarantee_among_candidates(graph: Graph, data: st.DataObject) -> None:
    candidates = data.draw(
        st.just(list(range(graph.num_vertices)))
        | st.sets(st.integers(0, graph.num_vertices - 1), min_size=1, max_size=4).map(sorted)
    )
    size = min(2, len(candidates))
    optimum = max(exact_spread(graph, c) for c in combinations(candidates, size))
    for solver, epsilon in (("imm", 0.5), ("opim-c", 0.1)):
        problem = InfluenceMaximisation(solver=solver, epsilon=epsilon, delta=1e-4, ell=2.0)
        found = problem.search(graph, 2, np.random.default_rng(0), candidates=candidates)
        assert set(found.indices.tolist()) <= set(candidates)
        share = exact_spread(graph, tuple(found.indices.tolist())) / optimum
        assert share >= 1 - 1 / np.e - epsilon - 1e-9
        assert share >= float(found.details.get("guarantee", 0)) - 1e-9


def reach(graph: Graph, seeds: list[int]) -> set[int]:
    reached, frontier = set(seeds), set(seeds)
    while frontier:
        frontier = {int(w) for v in frontier for w in graph.indices[graph.indptr[v] : graph.indptr[v + 1]]} - reached
        reached |= frontier
    return reached


@given(tiny_cascades(), st.integers(1, 6), st.data())
def test_celf_among_candidates_is_greedy_on_what_they_reach_in_the_whole_graph(
    arcs: Graph, budget: int, data: st.DataObject
) -> None:
    """Where every arc is sure there is one world only."""
    graph = arcs.reweighted(np.ones(arcs.num_edges, np.float32))
    candidates = data.draw(st.sets(st.integers(0, graph.num_vertices - 1), min_size=1).map(sorted))
    budget = min(budget, graph.num_vertices)
    problem = InfluenceMaximisation(solver="celf", worlds=2)
    chosen = problem.search(graph, budget, np.random.default_rng(0), candidates=candidates).indices.tolist()
    assert len(chosen) == min(budget, len(candidates))
    for i, v in enumerate(chosen):
        left = [u for u in candidates if u not in chosen[:i]]
        assert len(reach(graph, [*chosen[:i], v])) == max(len(reach(graph, [*chosen[:i], u])) for u in left)


def test_imm_opim_c_and_discount_come_close_to_celf(social: Graph) -> None:
    judge = InfluenceMaximisation(worlds=4000, seed=99)
    best = judge.objective(social, solve(social, 20, solver="celf", worlds=300))
    for solver, share in (("imm", 0.95), ("opim-c", 0.9), ("degree-discount", 0.95), ("fresh-walks", 0.95)):
        assert judge.objective(social, solve(social, 20, solver=solver)) >= share * best


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_same_seed_gives_the_same_answer_in_any_number_of_threads(
    solver: str, social: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []
    for threads in ("1", "3"):
        monkeypatch.setenv("LENSE_THREADS", threads)
        problem = InfluenceMaximisation(solver=solver, worlds=100)
        # a bound takes seconds and is found in one way, whichever heuristic has chosen
        answers.append(problem.solve(social, 10, np.random.default_rng(5), certify=solver == "imm"))
    np.testing.assert_array_equal(answers[0].indices, answers[1].indices)
    assert answers[0].score == answers[1].score
    assert answers[0].upper_bound == answers[1].upper_bound
    assert answers[0].certified == answers[1].certified
    assert (answers[0].certified is None) == (solver != "imm")


def test_certainty_and_more_candidates_cost_sets_and_without_probabilities_there_are_none(social: Graph) -> None:
    def drawn(candidates: Int64s | None = None, **options: float) -> float:
        problem = InfluenceMaximisation(**options)  # type: ignore[arg-type]
        return float(problem.search(social, 5, np.random.default_rng(0), candidates=candidates).details["reverse_sets"])

    assert drawn(epsilon=0.2) > 2 * drawn()
    assert drawn(ell=3.0) > drawn() > drawn(np.argsort(-social.out_degrees, kind="stable")[:100])
    with pytest.raises(LenseError, match=r"prepare\(\)"):
        solve(social.reweighted(None), 3)


def test_memory_can_be_capped(social: Graph) -> None:
    for solver in ("imm", "opim-c", "celf"):
        with pytest.raises(LenseError, match="memory_gib"):
            solve(social, 5, solver=solver, memory_gib=1e-6)


class TestLinearThreshold:
    """``cascade="threshold"``; tests/kernels/test_cascade.py has its spread by brute force."""

    GRAPH = barabasi_albert(60, 2, np.random.default_rng(5))

    @pytest.mark.parametrize("solver", ["imm", "opim-c", "celf", "fresh-walks", "degree-discount"])
    def test_every_solver_solves_it_and_the_certificate_holds(self, solver: str) -> None:
        problem = InfluenceMaximisation(cascade="threshold", solver=solver)
        found = problem.solve(problem.prepare(self.GRAPH), 3, np.random.default_rng(1))
        assert found.certified is not None
        assert 0.5 < found.certified <= 1
        assert found.score > 3

    def test_weights_that_sum_to_more_than_one_are_refused(self) -> None:
        graph = Graph.from_edges([0, 1], [2, 2], [0.7, 0.5], directed=True, labels=np.array(["a", "b", "c"]))
        with pytest.raises(LenseError, match=r"enter the vertex 'c' sum to 1\.2, .* weighted-cascade"):
            InfluenceMaximisation(cascade="threshold").prepare(graph)


@pytest.fixture(params=[False, True], ids=["undirected", "directed"])
def graph(request: pytest.FixtureRequest) -> Graph:
    made = barabasi_albert(2000, 3, np.random.default_rng(0))
    sources, targets, _ = made.edges()
    return Graph.from_edges(sources, targets, directed=request.param)


def test_trivalency_draws_the_three_values_equally_often_and_by_its_seed(graph: Graph) -> None:
    _, _, weights = with_probabilities(graph, "trivalency", 7, 0.0).edges()
    assert weights is not None
    assert chisquare([np.count_nonzero(weights == p) for p in TRIVALENCY]).pvalue > 1e-4
    assert with_probabilities(graph, "trivalency", 7, 0.0).equals(with_probabilities(graph, "trivalency", 7, 0.0))
    assert not with_probabilities(graph, "trivalency", 8, 0.0).equals(with_probabilities(graph, "trivalency", 7, 0.0))


def test_both_directions_of_an_undirected_edge_share_their_probability() -> None:
    graph = with_probabilities(barabasi_albert(300, 3, np.random.default_rng(0)), "trivalency", 1, 0.0)
    dense = np.zeros((300, 300), np.float32)
    dense[np.repeat(np.arange(300), graph.out_degrees), graph.indices] = graph.weights
    np.testing.assert_array_equal(dense, dense.T)


def test_weighted_cascade_gives_each_vertex_a_total_of_one(graph: Graph) -> None:
    weighted = with_probabilities(graph, "weighted-cascade", 0, 0.0).incoming
    totals = np.add.reduceat(weighted.weights, weighted.indptr[:-1][np.diff(weighted.indptr) > 0])  # type: ignore[arg-type]
    np.testing.assert_allclose(totals, 1, rtol=1e-4)


def test_constant_and_file(graph: Graph) -> None:
    constant = with_probabilities(graph, "constant", 0, 0.25)
    assert constant.weights is not None
    assert (constant.weights == 0.25).all()
    assert with_probabilities(constant, "file", 0, 0.0) is constant
    assert with_probabilities(constant, "auto", 0, 0.0) is constant
    with pytest.raises(LenseError, match="no weights"):
        with_probabilities(graph, "file", 0, 0.0)


@pytest.mark.parametrize("bad", [1.5, -0.1])
def test_weights_that_are_no_probabilities_are_refused(bad: float) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], [0.5, bad], directed=True)
    with pytest.raises(LenseError, match=f"{bad:g} is not a probability"):
        with_probabilities(graph, "auto", 0, 0.0)
