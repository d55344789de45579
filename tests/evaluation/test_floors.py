"""What needs no learning, each against a plain loop."""

import numpy as np
import torch

from lense.evaluation import importance
from lense.evaluation.floors import largest, largest_gain, random_swaps, untrained_network
from lense.graph import Graph
from lense.problems import get_problem
from lense.pruners import LeNSE
from tests import learning


def test_importance_is_the_degree_whatever_the_direction() -> None:
    graph = Graph.from_edges([0, 1, 2, 0], [1, 0, 0, 3], directed=True)
    ends = [end for pair in zip(*graph.edges()[:2], strict=True) for end in pair]
    assert importance(get_problem("mvc"), graph).tolist() == [ends.count(v) for v in range(4)] == [4, 2, 1, 1]


def test_importance_is_the_out_weight_where_direction_and_weights_matter() -> None:
    graph = Graph.from_edges([0, 0, 2], [1, 2, 0], [0.5, 0.25, 1.0], directed=True)
    assert importance(get_problem("im"), graph).tolist() == [0.75, 0.0, 1.0]
    assert importance(get_problem("mvc"), graph).tolist() == [3, 1, 2]


def test_the_largest_are_in_order_and_of_equals_the_first() -> None:
    assert largest(np.array([1.0, 3.0, 2.0, 3.0]), 3).tolist() == [1, 3, 2]


def test_random_swaps_are_allowed_ones_each_as_likely_and_told_by_the_seed() -> None:
    mask = torch.tensor([[True, False, True, True]]).repeat(2000, 1)
    drawn = random_swaps(2000, seed=1)({"mask": mask}, {})
    counts = torch.bincount(drawn, minlength=4)
    assert counts[1] == 0
    assert (counts[[0, 2, 3]] - 2000 / 3).abs().max() < 100
    assert torch.equal(drawn, random_swaps(2000, seed=1)({"mask": mask}, {}))
    assert not torch.equal(drawn, random_swaps(2000, seed=2)({"mask": mask}, {}))


def test_random_swaps_change_from_step_to_step() -> None:
    policy, mask = random_swaps(5, seed=1), torch.ones(5, 1000, dtype=torch.bool)
    assert not torch.equal(policy({"mask": mask}, {}), policy({"mask": mask}, {}))


def test_the_largest_gain_is_that_of_a_loop() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 50, 30).astype(float)
    roots, candidates = rng.integers(0, 30, (4, 6)), rng.integers(0, 30, (4, 6))
    mask = rng.random((4, 6)) < 0.7
    info = {"roots": torch.from_numpy(roots), "candidates": torch.from_numpy(candidates)}
    chosen = largest_gain(values)({"mask": torch.from_numpy(mask)}, info)
    for row, action in enumerate(chosen.tolist()):
        gains = {i: values[candidates[row, i]] - values[roots[row, i]] for i in range(6) if mask[row, i]}
        assert gains[action] == max(gains.values())


def test_an_untrained_network_is_told_by_its_seed_and_is_not_the_trained_one(trained: LeNSE) -> None:
    def ends(**options: object) -> list[list[int]]:
        roots: list[list[int]] = trained.walk(learning.graph(), episodes=2, steps=30, **options).roots.tolist()  # type: ignore[arg-type]
        return roots

    untrained = ends(policy=untrained_network(trained, 0))
    assert untrained == ends(policy=untrained_network(trained, 0))
    assert untrained != ends(policy=untrained_network(trained, 1))
    assert untrained != ends()
