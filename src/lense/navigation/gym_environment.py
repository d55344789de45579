"""The decision process as an environment of gymnasium, to try another learner; training does not use it."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from torch import Tensor

from lense.navigation.encoder import Encoder, GraphTensors, embed
from lense.navigation.environment import RootSets, rewards

Named = dict[str, Any]
"""What is seen, or told, by name."""


class SubgraphWalk(gym.Env[Named, np.int64]):
    """One walk through the subgraphs of a graph, as an environment of gymnasium.

    An action is the number of the pair to swap, see :class:`lense.navigation.environment.Offer`. An observation holds
    the subgraph's ``embedding`` (d), the pairs' ``leaving`` and ``entering`` (M, 2k), and the ``mask`` (M), 0 where
    there is no candidate: such an action changes nothing. The information holds the ``distance`` to the goal, the
    ``roots`` (M) and the ``candidates`` (M).

    Parameters
    ----------
    graph, encoder, goal
        The graph with its features, the map of its subgraphs, and the goal (d) on that map.
    num_roots, max_steps
        M, and the steps after which the walk is truncated; no state is terminal.
    reward_scale, shaped
        As for :func:`lense.navigation.environment.rewards`.

    Examples
    --------
    >>> import lense, numpy as np
    >>> model = lense.load("facebook-mvc")
    >>> graph = lense.graph.barabasi_albert(2000, 3, np.random.default_rng(0))
    >>> tensors = GraphTensors.of(graph, model.features(graph))
    >>> walk = SubgraphWalk(tensors, model.map_.encoder, model.map_.goal, num_roots=50, max_steps=10)
    >>> observation, info = walk.reset(seed=0)
    >>> action = walk.action_space.sample(observation["mask"])
    >>> observation, reward, terminated, truncated, info = walk.step(action)
    """

    def __init__(
        self,
        graph: GraphTensors,
        encoder: Encoder,
        goal: Tensor,
        *,
        num_roots: int,
        max_steps: int,
        reward_scale: float = 1.0,
        shaped: bool = False,
    ) -> None:
        self.graph, self.encoder, self.goal = graph, encoder, goal.to(graph.device)
        self.num_roots, self.max_steps = num_roots, max_steps
        self.reward_scale, self.shaped = reward_scale, shaped
        embedding = spaces.Box(-np.inf, np.inf, (encoder.output.out_features,))
        pairs, mask = spaces.Box(-np.inf, np.inf, (num_roots, 2 * encoder.num_features)), spaces.MultiBinary(num_roots)
        named = {"embedding": embedding, "leaving": pairs, "entering": pairs, "mask": mask}
        self.observation_space, self.action_space = spaces.Dict(named), spaces.Discrete(num_roots)

    def reset(self, *, seed: int | None = None, options: Named | None = None) -> tuple[Named, Named]:
        """Start from M random vertices, or from ``options["roots"]`` (M)."""
        super().reset(seed=seed)
        starts = np.asarray(options["roots"], np.int64)[None] if options and "roots" in options else None
        drawn = int(self.np_random.integers(2**31)) if seed is None else seed
        self._sets = RootSets(self.graph.rows, self.graph.vertex_features, [drawn], self.num_roots, starts=starts)
        return self._observed()

    def step(self, action: np.int64) -> tuple[Named, float, bool, bool, Named]:
        """Swap the pair of that number."""
        before = self._distance
        self._sets.swap(self._offer, np.array([action]))
        observation, information = self._observed()
        reward = float(rewards(before, self._distance, self.reward_scale, self.shaped))
        return observation, reward, False, self._sets.step >= self.max_steps, information

    def _observed(self) -> tuple[Named, Named]:
        self._offer = offer = self._sets.offer()
        (embedding,) = embed(self.encoder, self.graph, offer.roots)
        self._distance = (embedding - self.goal).norm()
        pairs = {"leaving": offer.leaving[0], "entering": offer.entering[0], "mask": offer.allowed[0].astype(np.int8)}
        information = {"distance": float(self._distance), "roots": offer.roots[0], "candidates": offer.candidates[0]}
        return {"embedding": embedding.cpu().numpy(), **pairs}, information
