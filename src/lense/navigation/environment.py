"""The Markov decision process: subgraphs as states, swaps of a root for a neighbour as actions.

The roots X of a state induce the subgraph xi(X). For each v in X a candidate u is drawn (see ``Offer``); action i
swaps the i-th pair. The reward is -beta |g* - psi(xi(X'))| for the next roots X'. Time runs out after a number of
steps; there is no terminal state.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from torch import Tensor

from lense._util.torch_device import on_device
from lense._util.types import Bools, Int64s
from lense.navigation.batches import GraphTensors
from lense.navigation.encoder import Encoder
from lense.navigation.encoder_training import embed
from lense.navigation.swaps import Walks, check_num_roots

Observation = dict[str, Tensor]
Info = dict[str, Any]


class SubgraphWalks(VectorEnv[Observation, Tensor, Tensor]):
    """Many walks side by side, under gymnasium's conventions for vector environments but on tensors of one device.

    An observation holds ``embedding`` (B, d), and of the offer ``leaving`` and ``entering`` (B, M, 2k) and ``mask``
    (B, M), false where there is no candidate. The information holds ``distance`` (B) to the goal, the ``offer`` itself,
    and, if the ``solution`` is known, ``guided`` (B, M): the swaps that bring in a solution vertex for one that is not.

    All walks end together and are started again by :meth:`reset`. What a walk draws depends on its seed alone.
    """

    metadata = {"autoreset_mode": AutoresetMode.DISABLED, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        graph: GraphTensors,
        encoder: Encoder,
        goal: Tensor,
        *,
        num_roots: int,
        num_envs: int,
        max_steps: int,
        reward_scale: float = 1.0,
        solution: Int64s | None = None,
    ) -> None:
        check_num_roots(num_roots, graph.num_vertices)
        self.graph, self.encoder, self.goal = graph, encoder, goal.to(graph.device)
        self.num_roots, self.num_envs, self.max_steps = num_roots, num_envs, max_steps
        self.reward_scale = reward_scale
        self._is_solution = None if solution is None else _marked(solution, graph.num_vertices)
        self._seeds: list[int] = []
        pairs = spaces.Box(-np.inf, np.inf, (num_roots, 2 * encoder.num_features))
        self.single_observation_space = spaces.Dict(
            {
                "embedding": spaces.Box(-np.inf, np.inf, (encoder.output.out_features,)),
                "leaving": pairs,
                "entering": pairs,
                "mask": spaces.MultiBinary(num_roots),
            }
        )
        self.single_action_space = spaces.Discrete(num_roots)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start every walk from M random vertices, or from ``options["roots"]`` (B, M).

        An integer seed gives walk i the seed ``seed + i``; without one, a walk goes on with the seed after its last.
        """
        self._seeds = self._next_seeds(seed)
        starts = None if not options or "roots" not in options else np.asarray(options["roots"], np.int64)
        return self._started(starts, 0)

    def _started(self, starts: Int64s | None, step: int) -> tuple[Observation, Info]:
        self._walks = Walks(
            self.graph.rows,
            self.graph.vertex_features,
            self._seeds,
            self.num_roots,
            starts=starts,
            step=step,
        )
        return self._observe()

    def _next_seeds(self, seed: int | Sequence[int] | None) -> list[int]:
        if isinstance(seed, int | np.integer):
            return [int(seed) + i for i in range(self.num_envs)]
        if seed is not None:
            return [int(s) for s in seed]
        if self._seeds:
            return [s + self.num_envs for s in self._seeds]
        return [int(word) for word in np.random.SeedSequence().generate_state(self.num_envs)]

    def step(self, actions: Tensor | Int64s) -> tuple[Observation, Tensor, Tensor, Tensor, Info]:
        """Swap the chosen pair of each walk, or pairs; an action that the mask rules out changes nothing."""
        self._walks.swap(self._offer, torch.as_tensor(actions).cpu().numpy())
        observation, info = self._observe()
        reward = -self.reward_scale * info["distance"]
        ended = torch.zeros(self.num_envs, dtype=torch.bool, device=self.graph.device)
        return observation, reward, ended, ended | (self._walks.step >= self.max_steps), info

    def _observe(self) -> tuple[Observation, Info]:
        self._offer = offer = self._walks.offer()
        device = self.graph.device
        embedding = embed(self.encoder, self.graph, offer.roots).to(device)
        observation = {
            "embedding": embedding,
            "leaving": on_device(offer.leaving, device),
            "entering": on_device(offer.entering, device),
            "mask": on_device(offer.allowed, device),
        }
        info: Info = {"distance": (embedding - self.goal).norm(dim=1), "offer": offer}
        if self._is_solution is not None:
            info["guided"] = offer.allowed & self._is_solution[offer.candidates] & ~self._is_solution[offer.roots]
        return observation, info

    @property
    def seeds(self) -> list[int]:
        """The seed (B) of each walk."""
        return self._seeds

    @property
    def state(self) -> dict[str, Tensor]:
        """What :meth:`restore` needs to go on from here."""
        return {
            "roots": torch.from_numpy(self._walks.roots),
            "seeds": torch.tensor(self._seeds, dtype=torch.int64),
            "step": torch.tensor(self._walks.step),
        }

    def restore(self, state: dict[str, Tensor]) -> tuple[Observation, Info]:
        """Stand again where :attr:`state` was taken, and observe."""
        self._seeds = state["seeds"].tolist()
        return self._started(state["roots"].numpy(), int(state["step"]))


def _marked(vertices: Int64s, num_vertices: int) -> Bools:
    mask = np.zeros(num_vertices, np.bool_)
    mask[vertices] = True
    return mask


class SubgraphWalk(gym.Env[dict[str, Any], np.int64]):
    """One walk as a plain gymnasium environment, on numpy arrays; see :class:`SubgraphWalks`."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, graph: GraphTensors, encoder: Encoder, goal: Tensor, **options: Any) -> None:
        self._walks = SubgraphWalks(graph, encoder, goal, num_envs=1, **options)
        self.observation_space = self._walks.single_observation_space
        self.action_space = self._walks.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        walk_seed = int(self.np_random.integers(2**31)) if seed is None else seed
        if options and "roots" in options:
            options = {"roots": np.asarray(options["roots"])[None]}
        observation, info = self._walks.reset(seed=[walk_seed], options=options)
        return _single(observation), _facts(info)

    def step(self, action: np.int64) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self._walks.step(torch.tensor([int(action)]))
        return _single(observation), float(reward[0]), bool(terminated[0]), bool(truncated[0]), _facts(info)


def _single(observation: Observation) -> dict[str, Any]:
    """The only element of every tensor, as numpy; truth values as gymnasium's MultiBinary has them."""
    return {
        name: (value[0].to(torch.int8) if value.dtype == torch.bool else value[0]).cpu().numpy()
        for name, value in observation.items()
    }


def _facts(info: Info) -> dict[str, Any]:
    """What is known of the only walk: its distance to the goal, roots, candidates, and guided swaps if any."""
    offer = info["offer"]
    guided = {"guided": info["guided"][0]} if "guided" in info else {}
    distance = info["distance"][0].cpu().numpy()
    return {"distance": distance, "roots": offer.roots[0], "candidates": offer.candidates[0], **guided}
