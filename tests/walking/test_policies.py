"""What needs no learning, each against a plain loop."""

import numpy as np
import torch

from lense.walking.policies import largest_gain, random_swaps


def test_random_swaps_are_allowed_ones_each_as_likely_and_told_by_the_seed() -> None:
    mask = torch.tensor([[True, False, True, True]]).repeat(2000, 1)
    drawn = random_swaps(2000, seed=1)({"mask": mask}, {})
    counts = torch.bincount(drawn, minlength=4)
    assert counts[1] == 0
    assert (counts[[0, 2, 3]] - 2000 / 3).abs().max() < 100
    assert torch.equal(drawn, random_swaps(2000, seed=1)({"mask": mask}, {}))
    assert not torch.equal(drawn, random_swaps(2000, seed=2)({"mask": mask}, {}))


def test_random_swaps_of_a_walk_are_the_same_alone_and_beside_others() -> None:
    mask = torch.ones(3, 1000, dtype=torch.bool)
    together = random_swaps(3, seed=5)({"mask": mask}, {})
    alone = [int(random_swaps(1, seed=seed)({"mask": mask[:1]}, {})) for seed in (5, 6, 7)]
    assert together.tolist() == alone


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
