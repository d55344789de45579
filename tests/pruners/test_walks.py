"""LeNSE's swaps without learning."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.parts import subgraph
from lense.problems import get_problem
from lense.pruners import LeNSE, get_pruner, load
from lense.pruners.ranking import importance
from lense.pruners.walks import DegreeWalk, RandomWalk, SwapWalk
from lense.walking import room
from lense.walking.batches import GraphTensors
from lense.walking.policies import largest_gain, random_swaps
from tests import learning

UNSEEN = power_law(300, 6, 2.3, np.random.default_rng(1))
WALKS = pytest.mark.parametrize("walk", [RandomWalk, DegreeWalk])


def roots_of(walk: SwapWalk, *, episodes: int, seed: int) -> list[list[int]]:
    return [part.roots.tolist() for part in walk.parts(UNSEEN, episodes=episodes, seed=seed)]


def test_a_degree_walk_ends_where_the_models_walk_by_the_same_rule_does(trained: LeNSE) -> None:
    roots = learning.SETTINGS.roots
    policy = largest_gain(importance(trained.problem_, UNSEEN))
    theirs = trained.walk(UNSEEN, episodes=4, seed=3, policy=policy, steps=25).roots.sort(dim=1).values
    assert roots_of(DegreeWalk("mvc", learning.BUDGET, roots=roots, steps=25), episodes=4, seed=3) == theirs.tolist()


def test_so_does_a_random_walk(trained: LeNSE) -> None:
    roots = learning.SETTINGS.roots
    theirs = trained.walk(UNSEEN, episodes=3, seed=3, policy=random_swaps(3, 3), steps=25).roots.sort(dim=1).values
    assert roots_of(RandomWalk("mvc", learning.BUDGET, roots=roots, steps=25), episodes=3, seed=3) == theirs.tolist()


@WALKS
def test_a_walk_is_the_same_alone_and_beside_others(walk: type[SwapWalk]) -> None:
    together = roots_of(walk("mvc", 4), episodes=3, seed=5)
    assert together == [walk("mvc", 4).prune(UNSEEN, seed=seed).roots.tolist() for seed in (5, 6, 7)]
    assert together[0] != together[1]


@WALKS
def test_the_walks_of_a_device_that_is_far_are_the_same(walk: type[SwapWalk], monkeypatch: pytest.MonkeyPatch) -> None:
    """However often room is made for their subgraphs."""
    near = roots_of(walk("mvc", 4, steps=25), episodes=3, seed=5)
    monkeypatch.setattr(GraphTensors, "is_far", property(lambda _: True))
    monkeypatch.setattr(room, "STEPS", 4)
    assert roots_of(walk("mvc", 4, steps=25), episodes=3, seed=5) == near


@WALKS
def test_the_part_is_the_subgraph_of_the_roots(walk: type[SwapWalk]) -> None:
    part = walk("mvc", 4).prune(UNSEEN)
    assert part.graph.equals(subgraph(UNSEEN, part.roots).graph)
    assert part.roots.size == 12


@WALKS
def test_each_step_swaps_at_most_one_root(walk: type[SwapWalk]) -> None:
    visited = [set(walk("mvc", 4, roots=10, steps=steps).prune(UNSEEN, seed=1).roots.tolist()) for steps in range(8)]
    assert [len(before - after) <= 1 for before, after in pairwise(visited)] == [True] * 7
    assert visited[0] == set(np.random.default_rng(1).choice(300, 10, replace=False).tolist())
    assert visited[7] != visited[0]


def test_a_degree_walk_climbs() -> None:
    degrees = np.diff(UNSEEN.incident.indptr)
    start, end = (degrees[DegreeWalk("mvc", 4, steps=steps).prune(UNSEEN).roots].sum() for steps in (0, 12))
    random_end = degrees[RandomWalk("mvc", 4).prune(UNSEEN).roots].sum()
    assert end > start
    assert end > random_end


def test_a_degree_walk_for_influence_follows_out_weights() -> None:
    im = get_problem("im")
    graph = im.prepare(UNSEEN)
    values = importance(im, graph)
    start, end = (values[DegreeWalk(im, 4, steps=s).prune(graph, prepared=True).roots].sum() for s in (0, 12))
    assert end > start


@WALKS
def test_sizes_grow_with_a_larger_budget(walk: type[SwapWalk]) -> None:
    assert walk("mvc", 4, roots=10).prune(UNSEEN, budget=8).roots.size == 20
    assert walk("mvc", 4, roots=10).prune(UNSEEN, budget=2).roots.size == 10
    longer = walk("mvc", 4, roots=20, steps=14).prune(UNSEEN, seed=2)
    assert walk("mvc", 4, roots=10, steps=7).prune(UNSEEN, budget=8, seed=2).roots.tolist() == longer.roots.tolist()


@WALKS
def test_a_graph_as_small_as_the_roots_is_kept_whole(walk: type[SwapWalk]) -> None:
    small = power_law(12, 3, 2.3, np.random.default_rng(0))
    parts = walk("mvc", 4).parts(small, episodes=3)
    assert [part.graph for part in parts] == [small]
    assert parts[0].roots.tolist() == list(range(12))


def test_a_root_without_a_free_neighbour_stays_where_nothing_else_is_left() -> None:
    """Both ends of the only edge are roots: there is nothing to swap them for."""
    graph = Graph.from_edges([0], [1], num_vertices=3)
    starts = {seed: RandomWalk("mvc", 1, roots=2, steps=0).prune(graph, seed=seed).roots.tolist() for seed in range(20)}
    stuck = [seed for seed, roots in starts.items() if roots == [0, 1]]
    assert stuck
    assert all(RandomWalk("mvc", 1, roots=2).prune(graph, seed=seed).roots.tolist() == [0, 1] for seed in stuck)


@WALKS
def test_it_is_registered_saved_and_loaded(walk: type[SwapWalk], tmp_path: Path) -> None:
    pruner = get_pruner(walk.name, "mvc", 4, roots=15, steps=9)
    assert isinstance(pruner, walk)
    pruner.save(tmp_path / "walk")
    again = load(tmp_path / "walk")
    assert (again.roots, again.steps, again.device) == (15, 9, "cpu")
    assert again.prune(UNSEEN, seed=5).roots.tolist() == pruner.prune(UNSEEN, seed=5).roots.tolist()


@WALKS
@pytest.mark.parametrize(("roots", "steps"), [(0, None), (5, -1)])
def test_sizes_that_make_no_sense_are_refused(walk: type[SwapWalk], roots: int, steps: int | None) -> None:
    with pytest.raises(LenseError, match="at least one root, and no negative number of steps"):
        walk("mvc", 4, roots=roots, steps=steps).prune(UNSEEN)
