"""The Markov decision process: subgraphs as states, swaps of a root for a neighbour as actions.

The roots X of a state induce the subgraph xi(X). For each v in X a candidate u is drawn (see ``Offer``); action i
swaps the i-th pair. The reward is -beta |g* - psi(xi(X'))| for the next roots X', or what the swap gained in distance.
Time runs out after a number of steps; there is no terminal state.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from torch import Tensor

from lense._util.torch_device import on_device
from lense._util.types import Int64s
from lense.navigation.encoder import Encoder, GraphTensors, embed
from lense.navigation.walks import Offer, RootSets, check_num_roots

Observation = dict[str, Tensor]
"""``embedding`` (B, d), and of the offer ``leaving`` and ``entering`` (B, M, 2k) and ``mask`` (B, M), false where there
is no candidate."""


class SubgraphWalks:
    """B walks side by side, on tensors of one device, towards the ``goal`` (d) of the map.

    After :meth:`start` and :meth:`step` the ``observation``, the ``offer`` and the ``distance`` (B) to the goal are
    those of the present states. With ``shaped`` rewards a swap earns beta (d - d'), the distance that it gained.
    """

    observation: Observation
    offer: Offer
    distance: Tensor

    def __init__(
        self,
        graph: GraphTensors,
        encoder: Encoder,
        goal: Tensor,
        *,
        num_roots: int,
        reward_scale: float = 1.0,
        shaped: bool = False,
    ) -> None:
        check_num_roots(num_roots, graph.num_vertices)
        self.graph, self.encoder, self.goal, self.num_roots = graph, encoder, goal.to(graph.device), num_roots
        self.reward_scale, self.shaped = reward_scale, shaped

    def start(self, seeds: Sequence[int], roots: Int64s | None = None, step: int = 0) -> None:
        """Start a walk for each seed from M random vertices, or from ``roots`` (B, M) met after ``step`` steps."""
        rows, features = self.graph.rows, self.graph.vertex_features
        self._sets = RootSets(rows, features, seeds, self.num_roots, starts=roots, step=step)
        self._observe()

    def step(self, actions: Int64s) -> Tensor:
        """Swap the chosen pair of each walk; the rewards (B). An action that the mask rules out changes nothing."""
        self._sets.swap(self.offer, actions)
        before = self.distance
        self._observe()
        return self.reward_scale * (before - self.distance) if self.shaped else -self.reward_scale * self.distance

    def _observe(self) -> None:
        offer, device = self._sets.offer(), self.graph.device
        embedding = embed(self.encoder, self.graph, offer.roots).to(device)
        numbers = {"leaving": offer.leaving, "entering": offer.entering, "mask": offer.allowed}
        self.observation = {"embedding": embedding, **{key: on_device(one, device) for key, one in numbers.items()}}
        self.offer, self.distance = offer, (embedding - self.goal).norm(dim=1)


class SubgraphWalk(gym.Env[dict[str, Any], np.int64]):
    """One walk of ``max_steps`` steps as a gymnasium environment on numpy arrays; see :class:`SubgraphWalks`.

    The information holds the ``distance`` to the goal, the ``roots`` and the ``candidates``.
    """

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, graph: GraphTensors, encoder: Encoder, goal: Tensor, *, max_steps: int, **options: Any) -> None:
        self._walks, self._steps, self.max_steps = SubgraphWalks(graph, encoder, goal, **options), 0, max_steps
        num_roots = self._walks.num_roots
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
        self._walks.start([int(self.np_random.integers(2**31)) if seed is None else seed], roots)
        self._steps = 0
        return self._observed()

    def step(self, action: np.int64) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        reward = float(self._walks.step(np.array([action])))
        self._steps += 1
        observation, facts = self._observed()
        return observation, reward, False, self._steps >= self.max_steps, facts

    def _observed(self) -> tuple[dict[str, Any], dict[str, Any]]:
        walks = self._walks
        tensors = {name: tensor[0].cpu() for name, tensor in walks.observation.items()}
        tensors["mask"] = tensors["mask"].to(torch.int8)  # as MultiBinary has it
        facts = {"roots": walks.offer.roots[0], "candidates": walks.offer.candidates[0]}
        distance = walks.distance[0].cpu().numpy()
        return {name: tensor.numpy() for name, tensor in tensors.items()}, {"distance": distance, **facts}
