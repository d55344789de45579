"""Solving in a stream: the answer, the score and the bound that memory gives, bit for bit."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import ArrayLike

from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.problems import Problem, get_problem, heuristic
from lense.problems.domination import Domination
from lense.problems.exact import solve_exactly
from lense.pruners import get_pruner
from lense.streaming.solving import solve_scan
from tests.brute_force import all_edges, covered, cut, optimum
from tests.streaming.graphs import KINDS, MAKES, STREAMED, Make, assert_same, graph_of, pruner_of, scan_of, weighted


@MAKES
@pytest.mark.parametrize("budget", [1, 5, 40])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["mvc", "bmc"])
def test_the_answer_is_that_of_memory(name: str, kind: str, budget: int, make: Make, tmp_path: Path) -> None:
    graph, problem = make(kind), get_problem(name)
    whole = problem.solve(graph, budget, np.random.default_rng(0))
    assert_same(solve_scan(problem, scan_of(graph, tmp_path / "g"), budget), whole)


@MAKES
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "arcs"])
def test_domination_is_that_of_memory_with_its_bound(kind: str, make: Make, tmp_path: Path) -> None:
    """It ignores weights in memory too."""
    graph, problem = make(kind), get_problem("domination")
    whole = problem.solve(graph, 10, np.random.default_rng(0))
    assert_same(solve_scan(problem, scan_of(graph, tmp_path / "g"), 10), whole)


@pytest.mark.parametrize("name", ["mvc", "bmc"])
def test_an_exact_answer_is_an_optimum_by_brute_force(name: str, tmp_path: Path) -> None:
    problem = get_problem(name)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        graph = Graph.from_edges(rng.integers(0, 12, 25), rng.integers(0, 12, 25), num_vertices=12)
        found = solve_scan(problem, scan_of(graph, tmp_path / f"{name}{seed}"), 2, exact=True)
        best = optimum(graph, 2, covered) / all_edges(graph) if name == "mvc" else optimum(graph, 2, cut)
        assert found.score == pytest.approx(best)
        assert found.optimal


@pytest.mark.parametrize(
    ("name", "make", "budget"), [("mvc", graph_of, 20), ("mvc", weighted, 5), ("bmc", weighted, 5)]
)
def test_an_exact_answer_is_that_of_memory(name: str, make: Make, budget: int, tmp_path: Path) -> None:
    graph, problem = make("rmat"), get_problem(name)
    whole = solve_exactly(problem, graph, budget, np.random.default_rng(0))
    found = solve_scan(problem, scan_of(graph, tmp_path / "g"), budget, exact=True)
    assert (found.score, found.optimal) == (whole.score, whole.optimal)
    if make is graph_of:  # rounded sums may list a set in another order
        assert found.indices.tolist() == whole.indices.tolist()
        assert found.optimal


@MAKES
@pytest.mark.parametrize("mode", ["subgraph", "ground-set"])
@pytest.mark.parametrize("pruner", STREAMED)
@pytest.mark.parametrize("name", ["mvc", "bmc"])
def test_every_pruner_leads_to_the_answer_of_memory(
    name: str, pruner: str, mode: str, make: Make, tmp_path: Path
) -> None:
    graph, problem = make("arcs"), get_problem(name)
    chosen = pruner_of(pruner, problem, 7)
    whole = chosen.solve(graph, mode=mode)
    found = solve_scan(problem, scan_of(graph, tmp_path / "g"), 7, pruner=chosen, mode=mode)
    assert_same(found, whole)
    assert found.pruned is not None
    assert whole.pruned is None or (found.pruned.vertices, found.pruned.edges) == (
        whole.pruned.vertices,
        whole.pruned.edges,
    )


def test_labels_are_the_ids_of_the_file(tmp_path: Path) -> None:
    graph = graph_of("rmat")
    named = Graph(graph.indptr, graph.indices, None, False, np.array([f"v{i:04}" for i in range(graph.num_vertices)]))
    found = solve_scan(get_problem("mvc"), scan_of(named, tmp_path / "g"), 3)
    assert list(found.vertices) == named.labels[found.indices].tolist()


@pytest.mark.parametrize(
    ("name", "options", "more", "sentence"),
    [
        ("mvc", {"solver": "mip"}, {}, "solver mip needs the whole graph in memory; in a stream mvc has greedy"),
        ("domination", {}, {}, "has arcs: 'lense graph convert"),
        ("mvc", {}, {"pruner": get_pruner("k-core", "mvc", 5)}, "pruner k-core needs the whole graph"),
        ("mvc", {}, {"memory_limit": 10**6}, "need about .* of memory in all, and the limit is 977 KiB"),
    ],
)
def test_what_a_stream_cannot_do_is_one_sentence(
    name: str, options: dict[str, str], more: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    found = scan_of(graph_of("arcs"), tmp_path / "g")
    with pytest.raises(LenseError, match=sentence):
        solve_scan(get_problem(name, **options), found, 5, **more)


@dataclass(frozen=True, kw_only=True)
class TwoHops(Problem):
    """A stranger's problem, which says that its solver streams but not how."""

    name: ClassVar[str] = "two-hops"
    streamed_solvers: ClassVar[tuple[str, ...]] = ("greedy",)

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        reached, (sources, targets, _) = np.unique(np.asarray(vertices)), graph.edges()
        for _ in range(2):
            near = targets[np.isin(sources, reached)], sources[np.isin(targets, reached)]
            reached = np.unique(np.concatenate([reached, *near]))
        return float(reached.size)

    @heuristic("greedy")
    def greedy(self, graph: Graph, budget: int, rng: np.random.Generator) -> Int64s:
        return np.argsort(-graph.out_degrees, kind="stable")[: int(budget)]


class PlainCover(TwoHops):
    """One whose objective does not see the edges that lead out of a part."""

    name = "plain-cover"
    pair_loss = 1

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        sources, targets, _ = graph.edges()
        return float((np.isin(sources, vertices) | np.isin(targets, vertices)).sum())


class LazyDomination(Domination):
    """Another heuristic under the name of lense's own."""

    name = "lazy-domination"

    @heuristic("greedy")
    def lazy(self, graph: Graph, budget: int, rng: np.random.Generator) -> Int64s:
        return np.arange(int(budget))


@pytest.mark.parametrize("problem", [TwoHops(), PlainCover(), LazyDomination()], ids=lambda problem: problem.name)
@pytest.mark.parametrize("pruner", [None, "top-degree"])
def test_a_stranger_s_problem_is_not_solved_as_another(problem: Problem, pruner: str | None, tmp_path: Path) -> None:
    found, chosen = (
        scan_of(graph_of("rmat"), tmp_path / "g"),
        None if pruner is None else get_pruner(pruner, problem, 5),
    )
    with pytest.raises(LenseError, match=f"{problem.name} needs the graph in memory"):
        solve_scan(problem, found, 5, pruner=chosen)


@pytest.mark.parametrize("budget", [0, 1.5, 10**6])
def test_a_budget_must_be_within_the_graph(budget: float, tmp_path: Path) -> None:
    with pytest.raises(LenseError, match="The budget must be a whole number from 1 to the graph's 60 vertices"):
        solve_scan(get_problem("mvc"), scan_of(graph_of("star"), tmp_path / "g"), budget)
