"""A ratio is f(H(S)) / f(H(G)), the score always on G."""

import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.evaluation import Figures, Measured, Yardstick
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, subgraph
from lense.problems import Problem, Solution, get_problem
from lense.problems.parts import search_part
from tests import learning


@settings(deadline=None, max_examples=25)
@given(st.sets(st.integers(0, 199), min_size=10, max_size=60), st.sampled_from(["mvc", "bmc"]))
def test_the_ratio_is_that_of_the_scores_on_the_whole_graph(roots: set[int], name: str) -> None:
    graph, problem = learning.graph(), get_problem(name)
    part = subgraph(graph, sorted(roots))
    here = problem.solve(part.graph, 5, np.random.default_rng(0))
    labels = part.graph.labels[here.indices]  # which are the whole graph's vertex numbers
    best = problem.solve(graph, 5, np.random.default_rng(0))
    measured = Yardstick(problem, graph, 5).measure(part)
    assert measured.score == pytest.approx(problem.objective(graph, labels))
    assert measured.ratio == pytest.approx(problem.objective(graph, labels) / best.score)


def test_the_ratio_alone_is_that_measured_with_the_heuristic_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, problem = learning.graph(), get_problem("mvc", solver="probabilistic-greedy")
    yardstick, part = Yardstick(problem, graph, 5, seed=3), subgraph(graph, np.arange(40))
    measured = [yardstick.measure(part, episode).ratio for episode in range(3)]
    runs: list[Subgraph] = []

    def counted(problem: Problem, graph: Graph, part: Subgraph, *args: Any, **options: Any) -> Solution:
        runs.append(part)
        return search_part(problem, graph, part, *args, **options)

    monkeypatch.setattr("lense.problems.parts.search_part", counted)
    assert [yardstick.ratio(part, episode) for episode in range(3)] == measured
    assert len(runs) == 3


def test_the_whole_graph_as_a_part_has_ratio_one_and_nothing_pruned() -> None:
    graph = learning.graph()
    everything = np.arange(graph.num_vertices)
    measured = Yardstick(get_problem("mvc"), graph, 5).measure(Subgraph(graph, everything, everything))
    assert (measured.ratio, measured.vertices_pruned, measured.edges_pruned) == (1.0, 0.0, 0.0)


def test_random_numbers_of_the_heuristic_come_of_the_seed_and_the_episode() -> None:
    graph, problem = learning.graph(), get_problem("mvc", solver="probabilistic-greedy")
    part = subgraph(graph, np.arange(40))

    def scores(seed: int) -> list[float]:
        yardstick = Yardstick(problem, graph, 5, seed=seed)
        return [yardstick.best.score, *(yardstick.measure(part, episode).score for episode in range(3))]

    assert scores(1) == scores(1)
    assert scores(1) != scores(2)
    assert len(set(scores(1)[1:])) > 1


def test_a_solution_worth_nothing_is_no_yardstick() -> None:
    problem = get_problem("bmc")
    loops = Graph.from_edges([0, 1], [0, 1], keep_self_loops=True)
    with pytest.raises(LenseError, match="not above 0"):
        Yardstick(problem, loops, 1)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(0.1, 1.1), min_size=2, max_size=12))
def test_figures_are_means_and_the_standard_error_of_the_mean(ratios: list[float]) -> None:
    figures = Figures.of([Measured(1.0, ratio, ratio / 2, ratio / 4, 0.0) for ratio in ratios])
    assert figures.ratio == pytest.approx(statistics.mean(ratios))
    assert figures.ratio_stderr == pytest.approx(statistics.stdev(ratios) / len(ratios) ** 0.5, abs=1e-12)
    assert figures.vertices_pruned == pytest.approx(statistics.mean(ratios) / 2)
    assert figures.edges_pruned == pytest.approx(statistics.mean(ratios) / 4)


def test_a_single_subgraph_has_no_standard_error() -> None:
    figures = Figures.of([Measured(1.0, 0.9, 0.5, 0.6, 0.0)])
    assert figures.as_dict() == {"ratio": 0.9, "ratio_stderr": None, "vertices_pruned": 0.5, "edges_pruned": 0.6}
