"""Walks through the space of subgraphs: the environment, the Q-network, its training, and walks with it."""

from lense.navigation.dqn import Navigator, train_navigator
from lense.navigation.environment import SubgraphWalk, SubgraphWalks
from lense.navigation.network import QNetwork
from lense.navigation.walk import Walk, walk

__all__ = ["Navigator", "QNetwork", "SubgraphWalk", "SubgraphWalks", "Walk", "train_navigator", "walk"]
