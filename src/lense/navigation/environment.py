"""The Markov decision process: subgraphs as states, swaps of a root for a neighbour as actions.

The roots X of a state induce the subgraph xi(X). For each v in X a candidate u is drawn (see ``Offer``); action i
swaps the i-th pair. The reward is -beta |g* - psi(xi(X'))| for the next roots X', or what the swap gained in distance.
Time runs out after a number of steps; there is no terminal state.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from torch import Tensor

from lense._util.torch_device import on_device
from lense.navigation.encoder import Encoder, GraphTensors, embed
from lense.navigation.walks import Offer, RootSets

Observation = dict[str, Tensor]
"""``embedding`` (B, d), and of the offer ``leaving`` and ``entering`` (B, M, 2k) and ``mask`` (B, M), false where there
is no candidate."""


def observe(graph: GraphTensors, encoder: Encoder, goal: Tensor, offer: Offer) -> tuple[Observation, Tensor]:
    """The state of walks that are made this ``offer``, on the graph's device, and their distances (B) to the goal."""
    embedding = embed(encoder, graph, offer.roots)
    numbers = {"leaving": offer.leaving, "entering": offer.entering, "mask": offer.allowed}
    tensors = {name: on_device(one, graph.device) for name, one in numbers.items()}
    return {"embedding": embedding, **tensors}, (embedding - goal.to(graph.device)).norm(dim=1)


def rewards(before: Tensor, after: Tensor, scale: float, shaped: bool) -> Tensor:
    """The rewards (B) of swaps by the distances (B) to the goal before and after them: -beta d', or beta (d - d').

    Shaped rewards have values around 0 and the same best policies: beta (d - d') is (1 - gamma) (r + gamma Phi(s') -
    Phi(s)) for r = -beta d' and the potential Phi = -beta d / (1 - gamma) (Ng, Harada and Russell 1999).
    """
    return scale * (before - after) if shaped else -scale * after


class SubgraphWalk(gym.Env[dict[str, Any], np.int64]):
    """One walk of ``max_steps`` steps as a gymnasium environment, with :func:`observe` and :func:`rewards` in numpy.

    The information holds the ``distance`` to the goal, the ``roots`` and the ``candidates``.
    """

    metadata = {"render_modes": []}  # noqa: RUF012

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
        self._map, self._reward = (graph, encoder, goal), (reward_scale, shaped)
        self.num_roots, self.max_steps = num_roots, max_steps
        pairs = spaces.Box(-np.inf, np.inf, (num_roots, 2 * encoder.num_features))
        self.observation_space = spaces.Dict(
            {
                "embedding": spaces.Box(-np.inf, np.inf, (encoder.output.out_features,)),
                "leaving": pairs,
                "entering": pairs,
                "mask": spaces.MultiBinary(num_roots),
            }
        )
        self.action_space = spaces.Discrete(num_roots)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start from M random vertices, or from ``options["roots"]`` (M)."""
        super().reset(seed=seed)
        roots = None if not options or "roots" not in options else np.asarray(options["roots"], np.int64)[None]
        own = int(self.np_random.integers(2**31)) if seed is None else seed
        graph = self._map[0]
        self._walk = RootSets(graph.rows, graph.vertex_features, [own], self.num_roots, starts=roots)
        return self._observed()

    def step(self, action: np.int64) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        before = self._distance
        self._walk.swap(self._offer, np.array([action]))
        observation, facts = self._observed()
        reward = float(rewards(before, self._distance, *self._reward))
        return observation, reward, False, self._walk.step >= self.max_steps, facts

    def _observed(self) -> tuple[dict[str, Any], dict[str, Any]]:
        self._offer = self._walk.offer()
        state, self._distance = observe(*self._map, self._offer)
        arrays = {name: tensor[0].cpu().numpy() for name, tensor in state.items()}
        arrays["mask"] = arrays["mask"].astype(np.int8)  # as MultiBinary has it
        facts = {"roots": self._offer.roots[0], "candidates": self._offer.candidates[0]}
        return arrays, {"distance": self._distance[0].cpu().numpy(), **facts}
