"""What needs no learning, each against a plain loop."""

import numpy as np
import torch

from lense.evaluation.floors import largest_gain, random_swaps, untrained_network
from lense.pruners import LeNSE
from tests import learning


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
