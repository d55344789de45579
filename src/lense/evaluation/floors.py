"""A walk by a network that has learnt nothing."""

import torch

from lense.navigation import QNetwork
from lense.navigation.walk import Policy, greedy_policy
from lense.pruners import LeNSE


def untrained_network(model: LeNSE, seed: int, device: torch.device | str = "cpu") -> Policy:
    """The swap of largest value by a network that has learnt nothing."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = QNetwork(model.settings_.embedding_dim, model.settings_.vertex_dim)
    return greedy_policy(network.to(device), model.encoder_.to(device))
