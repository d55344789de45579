"""A walk by a network that has learnt nothing."""

import torch

from lense.pruners import LeNSE
from lense.walking.q_network import q_network
from lense.walking.walk import Policy, greedy_policy


def untrained_network(model: LeNSE, seed: int, device: torch.device | str = "cpu") -> Policy:
    """The swap of largest value by a network that has learnt nothing."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = q_network(model.settings_)
    return greedy_policy(network.to(device), model.encoder_.to(device))
