"""Policies that have learnt nothing."""

from itertools import count
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lense.types import Float64s
from lense.walking.environment import Observation
from lense.walking.q_network import greedy
from lense.walking.random_numbers import keys_from, uniforms
from lense.walking.walk import Policy


def random_swaps(episodes: int, seed: int, device: torch.device | str = "cpu") -> Policy:
    """Each allowed swap as likely; walk i draws its own lots, by ``seed + i``."""
    streams = [np.random.SeedSequence([seed + i, *b"random swaps"]).generate_state(1)[0] for i in range(episodes)]
    keys, steps = keys_from([int(stream) for stream in streams], device), count()

    def act(observation: Observation, _info: dict[str, Any]) -> Tensor:
        mask = observation["mask"]
        return greedy(uniforms(keys, next(steps), mask.shape[1]), mask)

    return act


def largest_gain(values: Float64s, device: torch.device | str = "cpu") -> Policy:
    """The swap of v for u with the largest ``values[u] - values[v]``, be it negative."""
    known = torch.from_numpy(values).to(device)

    def act(observation: Observation, info: dict[str, Any]) -> Tensor:
        return greedy(known[info["candidates"]] - known[info["roots"]], observation["mask"])

    return act
