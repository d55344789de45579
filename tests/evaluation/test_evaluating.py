"""The evaluation of a pruner: its figures, and the ceiling and floors around them."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense._util.types import Int64s
from lense.errors import LenseError
from lense.evaluation import BASELINES, Evaluation, Figures, Yardstick, evaluate
from lense.graph import Graph, power_law
from lense.graph.subgraph import Subgraph, subgraph
from lense.navigation import LeNSE
from lense.navigation.baselines import DegreeWalk, RandomWalk, RankWalk
from lense.problems import get_problem
from lense.pruners import Pruner
from lense.pruners.ranking import TopDegree
from tests import learning

EPISODES = 3


@pytest.fixture(scope="module")
def graph() -> Graph:
    return power_law(300, 6, 2.3, np.random.default_rng(1))


@pytest.fixture(scope="module")
def evaluation(trained: LeNSE, graph: Graph) -> Evaluation:
    return evaluate(trained, graph, episodes=EPISODES, seed=2)


def test_figures_are_those_of_the_subgraphs_that_the_walks_end_with(
    trained: LeNSE, graph: Graph, evaluation: Evaluation
) -> None:
    yardstick = Yardstick(trained.problem_, graph, trained.budget, seed=2)
    parts = [trained.prune(graph, seed=2 + episode) for episode in range(EPISODES)]
    measured = [yardstick.measure(part, episode) for episode, part in enumerate(parts)]
    assert evaluation.ratios == tuple(one.ratio for one in measured)
    assert evaluation.ratio == pytest.approx(np.mean(evaluation.ratios))
    assert evaluation.vertices_pruned == pytest.approx(np.mean([one.vertices_pruned for one in measured]))
    assert evaluation.edges_pruned == pytest.approx(np.mean([one.edges_pruned for one in measured]))


def test_the_ceiling_is_the_subgraph_of_the_whole_graphs_solution(
    trained: LeNSE, graph: Graph, evaluation: Evaluation
) -> None:
    best = trained.problem_.solve(graph, trained.budget, np.random.default_rng(2))
    part = subgraph(graph, best.indices).graph
    assert evaluation.ceiling.ratio == 1.0
    assert evaluation.ceiling.vertices_pruned == pytest.approx(1 - part.num_vertices / graph.num_vertices)
    assert evaluation.ceiling.edges_pruned == pytest.approx(1 - part.num_edges / graph.num_edges)


@pytest.mark.parametrize(("name", "size"), [("top_roots", learning.ROOTS), ("top_budget", learning.BUDGET)])
def test_top_baselines_are_subgraphs_of_the_largest_degrees(
    graph: Graph, evaluation: Evaluation, name: str, size: int
) -> None:
    by_degree = sorted(range(graph.num_vertices), key=lambda v: (-graph.out_degrees[v], v))
    part = subgraph(graph, by_degree[:size]).graph
    assert evaluation.baselines[name].edges_pruned == pytest.approx(1 - part.num_edges / graph.num_edges)
    assert evaluation.baselines[name].ratio_stderr is None


def test_walking_baselines_are_those_pruners_with_the_sizes_of_the_model(
    trained: LeNSE, graph: Graph, evaluation: Evaluation
) -> None:
    yardstick = Yardstick(trained.problem_, graph, trained.budget, seed=2)
    sizes: dict[str, Any] = {"roots": trained.num_roots(), "steps": trained.num_steps(graph)}
    by_rank = RankWalk("mvc", trained.budget, **sizes).fit(learning.graph())
    for walk in (RandomWalk("mvc", trained.budget, **sizes), DegreeWalk("mvc", trained.budget, **sizes), by_rank):
        parts = walk.parts(graph, episodes=EPISODES, seed=2)
        expected = Figures.of([yardstick.measure(part, episode) for episode, part in enumerate(parts)])
        assert evaluation.baselines[walk.name.replace("-", "_")] == expected


@pytest.mark.parametrize(
    ("pruner", "episodes"), [(TopDegree("mvc", learning.BUDGET), 1), (RandomWalk("mvc", learning.BUDGET), EPISODES)]
)
def test_any_pruner_is_evaluated_as_often_as_it_may_prune_in_different_ways(
    pruner: Pruner, episodes: int, graph: Graph
) -> None:
    found = evaluate(pruner, graph, episodes=EPISODES, seed=2)
    yardstick = Yardstick(pruner.problem_, graph, pruner.budget, seed=2)
    parts = pruner.parts(graph, episodes=EPISODES, seed=2)
    assert found.episodes == episodes
    assert found.ratios == tuple(yardstick.measure(part, episode).ratio for episode, part in enumerate(parts))
    assert not set(found.baselines) & {"random_walk", "degree_walk", "rank_walk"}


def test_baselines_of_as_many_vertices_as_are_kept_are_cut_out_of_the_graph(graph: Graph) -> None:
    pruner = TopDegree("mvc", learning.BUDGET)
    found = evaluate(pruner, graph)
    assert "top_vertices" not in found.baselines  # which is the very pruner
    assert found.baselines["random_vertices"].vertices_pruned == found.vertices_pruned
    assert found.baselines["random_vertices"].ratio < found.ratio
    assert "top_roots" not in found.baselines  # whose roots are all that is kept


def test_a_part_in_which_there_is_nothing_to_solve_is_worth_nothing() -> None:
    """Two stars, and a pruner that keeps leaves of them alone."""
    stars = Graph.from_edges([0] * 9 + [10] * 9, [*range(1, 10), *range(11, 20)])

    class Leaves(TopDegree):
        def ranking(self, graph: Graph, count: int, seed: int) -> Int64s:
            return np.arange(1, 1 + count)

    assert evaluate(Leaves("mvc", 1, vertices=3), stars, baselines=False).ratio == 0


def test_the_seed_decides(trained: LeNSE, graph: Graph, evaluation: Evaluation) -> None:
    def without_times(found: Evaluation) -> dict[str, object]:
        return {name: value for name, value in found.as_dict().items() if name != "seconds"}

    assert without_times(evaluation) == without_times(evaluate(trained, graph, episodes=EPISODES, seed=2))
    assert evaluation.ratios != evaluate(trained, graph, episodes=EPISODES, seed=9, baselines=False).ratios


def test_it_is_json(evaluation: Evaluation) -> None:
    record = json.loads(json.dumps(evaluation.as_dict(), allow_nan=False))
    assert list(record["baselines"]) == list(BASELINES)
    assert set(record["seconds"]) == {"prune", "heuristic_on_subgraph", "heuristic_on_graph"}
    assert record["episodes"] == len(record["ratios"]) == EPISODES
    assert all(value > 0 for value in record["seconds"].values())


def test_a_prepared_graph_is_not_prepared_again(graph: Graph) -> None:
    im = get_problem("im", worlds=50)
    prepared, walk = im.prepare(graph), RandomWalk(im, 4)
    found = evaluate(walk, prepared, episodes=1, baselines=False, prepared=True)
    assert found.ratios == evaluate(walk, graph, episodes=1, baselines=False).ratios


def test_what_cannot_be_evaluated_says_so(trained: LeNSE, graph: Graph) -> None:
    with pytest.raises(LenseError, match="episode"):
        evaluate(trained, graph, episodes=0)
    with pytest.raises(LenseError, match="nothing to prune in a graph of 16 vertices, of which lense keeps all"):
        evaluate(trained, power_law(16, 3, 2.3, np.random.default_rng(0)))
    with pytest.raises(LenseError, match="not fitted"):
        evaluate(LeNSE("mvc", 5), graph)


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


def test_the_whole_graph_as_a_part_has_ratio_one_and_nothing_pruned() -> None:
    graph = learning.graph()
    everything = np.arange(graph.num_vertices)
    measured = Yardstick(get_problem("mvc"), graph, 5).measure(Subgraph(graph, everything, everything))
    assert (measured.ratio, measured.vertices_pruned, measured.edges_pruned) == (1.0, 0.0, 0.0)


def test_a_solution_worth_nothing_is_no_yardstick() -> None:
    problem = get_problem("bmc")
    loops = Graph.from_edges([0, 1], [0, 1], keep_self_loops=True)
    with pytest.raises(LenseError, match="not above 0"):
        Yardstick(problem, loops, 1)
