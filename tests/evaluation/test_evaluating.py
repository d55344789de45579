"""The evaluation of a model: its figures, and the ceiling and floors around them."""

import json

import numpy as np
import pytest

from lense.errors import LenseError
from lense.evaluation import Evaluation, Yardstick, evaluate
from lense.graph import Graph, power_law
from lense.parts import subgraph
from lense.pruners import LeNSE
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
    part = subgraph(graph, best.vertices).graph
    assert evaluation.ceiling.ratio == 1.0
    assert evaluation.ceiling.vertices_pruned == pytest.approx(1 - part.num_vertices / graph.num_vertices)
    assert evaluation.ceiling.edges_pruned == pytest.approx(1 - part.num_edges / graph.num_edges)


@pytest.mark.parametrize(("name", "size"), [("top_roots", learning.SETTINGS.roots), ("top_budget", learning.BUDGET)])
def test_top_floors_are_subgraphs_of_the_largest_degrees(
    graph: Graph, evaluation: Evaluation, name: str, size: int
) -> None:
    by_degree = sorted(range(graph.num_vertices), key=lambda v: (-graph.out_degrees[v], v))
    part = subgraph(graph, by_degree[:size]).graph
    assert evaluation.floor[name].edges_pruned == pytest.approx(1 - part.num_edges / graph.num_edges)
    assert evaluation.floor[name].ratio_stderr is None


def test_walking_floors_start_where_the_model_starts(trained: LeNSE, graph: Graph) -> None:
    """Without a step there is nothing that a policy could do, so all of them are the same."""
    still = LeNSE(**trained.get_params())
    vars(still).update(vars(trained), settings_=trained.settings_.changed(test_steps=0))
    found = evaluate(still, graph, episodes=2, seed=4)
    for name in ("random_swaps", "untrained_network", "largest_gain"):
        assert found.floor[name].as_dict() == {
            key: found.as_dict()[key] for key in ("ratio", "ratio_stderr", "vertices_pruned", "edges_pruned")
        }


def test_always_the_largest_gain_climbs_to_larger_degrees(evaluation: Evaluation) -> None:
    assert evaluation.floor["largest_gain"].edges_pruned < evaluation.floor["random_swaps"].edges_pruned


def test_the_seed_decides(trained: LeNSE, graph: Graph, evaluation: Evaluation) -> None:
    def without_times(found: Evaluation) -> dict[str, object]:
        return {name: value for name, value in found.as_dict().items() if name != "seconds"}

    assert without_times(evaluation) == without_times(evaluate(trained, graph, episodes=EPISODES, seed=2))
    assert evaluation.ratios != evaluate(trained, graph, episodes=EPISODES, seed=9, floors=False).ratios


def test_it_is_json(evaluation: Evaluation) -> None:
    record = json.loads(json.dumps(evaluation.as_dict(), allow_nan=False))
    assert set(record["floor"]) == {"random_swaps", "untrained_network", "largest_gain", "top_roots", "top_budget"}
    assert set(record["seconds"]) == {"features", "navigation", "heuristic_on_subgraph", "heuristic_on_graph"}
    assert record["episodes"] == len(record["ratios"]) == EPISODES
    assert all(value > 0 for value in record["seconds"].values())


def test_one_episode_has_no_standard_error_and_floors_can_be_left_out(trained: LeNSE, graph: Graph) -> None:
    found = evaluate(trained, graph, episodes=1, floors=False)
    assert found.ratio_stderr is None
    assert found.floor == {}


@pytest.mark.parametrize("stop", ["nearest", "settled"])
def test_another_end_of_the_walk_may_count(trained: LeNSE, graph: Graph, stop: str) -> None:
    found = evaluate(trained, graph, episodes=2, stop=stop, floors=False)
    assert found.walk.roots.equal(trained.walk(graph, episodes=2, stop=stop).roots)


def test_what_cannot_be_evaluated_says_so(trained: LeNSE, graph: Graph) -> None:
    with pytest.raises(LenseError, match="episode"):
        evaluate(trained, graph, episodes=0)
    with pytest.raises(LenseError, match="nothing to prune"):
        evaluate(trained, power_law(16, 3, 2.3, np.random.default_rng(0)))
    with pytest.raises(LenseError, match="nearest"):
        evaluate(trained, graph, stop="nearst")
