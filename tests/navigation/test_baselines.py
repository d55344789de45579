"""LeNSE's swaps without learning."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from lense.graph import Graph, power_law
from lense.graph.subgraph import subgraph
from lense.navigation import LeNSE
from lense.navigation.baselines import DegreeWalk, RandomWalk, RankWalk, SwapWalk
from lense.navigation.environment import Policy, inverse_ranks, largest_gain, random_swaps, roots_after
from lense.navigation.inference import greedy
from lense.problems import Problem, get_problem
from lense.pruners.ranking import importance
from tests import learning

UNSEEN = power_law(300, 6, 2.3, np.random.default_rng(1))


KINDS: list[type[SwapWalk]] = [RandomWalk, DegreeWalk, RankWalk]
WALKS = pytest.mark.parametrize("kind", KINDS)


def walk_by(kind: type[SwapWalk], problem: str | Problem = "mvc", budget: float = 4, **sizes: Any) -> SwapWalk:
    """A walk that is ready to prune."""
    return kind(problem, budget, **sizes).fit(learning.graph())


def roots_of(walk: SwapWalk, *, episodes: int, seed: int) -> list[list[int]]:
    return [part.roots.tolist() for part in walk.parts(UNSEEN, episodes=episodes, seed=seed)]


def followed(model: LeNSE, graph: Graph, policy: Policy, steps: int) -> list[list[int]]:
    """The roots that the model's own walks from seed 3 on end with, by another policy."""
    sizes = {"num_roots": learning.ROOTS, "places": [steps]}
    found = roots_after(graph.incident, model.features(graph), policy, seeds=range(3, 7), **sizes)  # type: ignore[arg-type]
    ends: list[list[int]] = np.sort(found[0]).tolist()
    return ends


@WALKS
def test_a_walk_ends_where_the_models_walk_by_the_same_rule_does(kind: type[SwapWalk], trained: LeNSE) -> None:
    feature = trained.values_.feature
    by_rank = inverse_ranks(trained.features(UNSEEN)[:, feature], UNSEEN.num_vertices)
    rules = {RandomWalk: random_swaps, DegreeWalk: largest_gain(importance(trained.problem_, UNSEEN))}
    policy = rules.get(kind, largest_gain(by_rank))
    walk = walk_by(kind, budget=learning.BUDGET, roots=learning.ROOTS, steps=25)
    assert roots_of(walk, episodes=4, seed=3) == followed(trained, UNSEEN, policy, 25)
    assert feature == getattr(walk, "feature_", feature)


def test_before_it_has_learnt_anything_the_network_of_lense_is_the_rank_walk_of_its_train_graph(trained: LeNSE) -> None:
    graph = learning.graph()
    by_rank = RankWalk("mvc", learning.BUDGET, roots=learning.ROOTS, steps=25).fit(graph)
    start = greedy(trained.values_.weakened(0.0), lambda _: np.empty(0, np.float32))
    parts = [part.roots.tolist() for part in by_rank.parts(graph, episodes=4, seed=3)]
    assert followed(trained, graph, start, 25) == parts


@WALKS
def test_the_part_is_the_subgraph_of_the_roots(kind: type[SwapWalk]) -> None:
    part = walk_by(kind).prune(UNSEEN)
    assert part.graph.equals(subgraph(UNSEEN, part.roots).graph)
    assert part.roots.size == 12


@WALKS
def test_each_step_swaps_at_most_one_root(kind: type[SwapWalk]) -> None:
    visited = [set(walk_by(kind, roots=10, steps=steps).prune(UNSEEN, seed=1).roots.tolist()) for steps in range(8)]
    assert [len(before - after) <= 1 for before, after in pairwise(visited)] == [True] * 7
    assert visited[0] == set(np.random.default_rng(1).choice(300, 10, replace=False).tolist())
    assert visited[7] != visited[0]


def test_a_degree_walk_for_influence_follows_out_weights() -> None:
    im = get_problem("im")
    graph = im.prepare(UNSEEN)
    values = importance(im, graph)
    start, end = (values[DegreeWalk(im, 4, steps=s).prune(graph, prepared=True).roots].sum() for s in (0, 12))
    assert end > start


@WALKS
def test_sizes_grow_with_a_larger_budget(kind: type[SwapWalk]) -> None:
    assert walk_by(kind, roots=10).prune(UNSEEN, budget=8).roots.size == 20
    assert walk_by(kind, roots=10).prune(UNSEEN, budget=2).roots.size == 10
    longer = walk_by(kind, roots=20, steps=14).prune(UNSEEN, seed=2)
    assert walk_by(kind, roots=10, steps=7).prune(UNSEEN, budget=8, seed=2).roots.tolist() == longer.roots.tolist()


@WALKS
def test_a_graph_as_small_as_the_roots_is_kept_whole(kind: type[SwapWalk]) -> None:
    small = power_law(12, 3, 2.3, np.random.default_rng(0))
    parts = walk_by(kind).parts(small, episodes=3)
    assert [part.graph for part in parts] == [small]
    assert parts[0].roots.tolist() == list(range(12))
