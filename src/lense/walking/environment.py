"""The Markov decision process: subgraphs as states, swaps of a root for a neighbour as actions.

The roots X of a state induce the subgraph xi(X). For each v in X a candidate u is drawn uniformly from the neighbours
of v outside X; action i swaps the i-th pair. The reward is -beta |g* - psi(xi(X'))| for the next roots X'. Time runs
out after a number of steps; there is no terminal state.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from torch import Tensor

from lense.errors import LenseError
from lense.threads import num_threads
from lense.torch_device import on_device
from lense.types import Int64s
from lense.walking.batches import GraphTensors, SubgraphBatch, induce
from lense.walking.encoder import Encoder
from lense.walking.parallel import in_threads
from lense.walking.random_numbers import keys_from, uniforms
from lense.walking.room import Room

Observation = dict[str, Tensor]
Info = dict[str, Any]


class SubgraphWalks(VectorEnv[Observation, Tensor, Tensor]):
    """Many walks side by side, under gymnasium's conventions for vector environments but on tensors of one device.

    An observation holds ``embedding`` (B, d); for each of the M actions of a walk ``leaving`` and ``entering``
    (B, M, 2k), the features of the two vertices and the means of their neighbours' features in the subgraph, which
    determine their vectors in the encoder's first layer; and ``mask`` (B, M), false where there is no candidate. The
    information holds ``distance`` (B) to the goal, the vertices ``roots`` and ``candidates`` (B, M), and, if the
    ``solution`` is known, ``guided`` (B, M): the swaps that bring in a solution vertex for one that is not.

    Unless the environment ``embeds``, embeddings, distances and rewards are nan: most of a step's time goes into them,
    and a policy that chooses by the vertices alone needs none.

    All walks end together and are started again by :meth:`reset`. What a walk draws depends on its seed alone.

    Where the environment is ``padded``, as it is on a GPU unless told otherwise, shapes inside it do not depend on the
    subgraphs, and a step asks nothing of the device (but for one step in many, see :class:`lense.subgraphs.Room`).
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
        embeds: bool = True,
        padded: bool | None = None,
    ) -> None:
        if not 0 < num_roots < graph.num_vertices:
            raise LenseError(
                f"A walk needs fewer roots than the graph's {graph.num_vertices:,} vertices, and not {num_roots:,}."
            )
        self.graph, self.encoder, self.goal = graph, encoder, goal.to(graph.device)
        self.num_roots, self.num_envs, self.max_steps = num_roots, num_envs, max_steps
        self.reward_scale, self.embeds = reward_scale, embeds
        self._is_solution = None if solution is None else _marked(solution, graph)
        self._seeds: list[int] = []
        self._room = Room(graph, num_envs, num_roots) if (graph.is_far if padded is None else padded) else None
        numbers = 2 * (encoder.num_features + encoder.marks_roots)
        embedding = spaces.Box(-np.inf, np.inf, (encoder.output.out_features,))
        pairs = spaces.Box(-np.inf, np.inf, (num_roots, numbers))
        self.single_observation_space = spaces.Dict(
            {"embedding": embedding, "leaving": pairs, "entering": pairs, "mask": spaces.MultiBinary(num_roots)}
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
        self._keys = keys_from(self._seeds, self.graph.device)
        self._step = 0
        if options and "roots" in options:
            self._roots = torch.as_tensor(options["roots"], dtype=torch.int64, device=self.graph.device).clone()
            self._check_start()
        else:
            self._roots = random_roots(self.graph, self.num_roots, self._seeds)
        return self._observe(anew=True)

    def _check_start(self) -> None:
        """Raise unless the roots given are as many different vertices for each walk as it needs."""
        wanted, ordered = (self.num_envs, self.num_roots), self._roots.sort(dim=-1).values
        if tuple(self._roots.shape) != wanted or bool((ordered.diff(dim=-1) == 0).any()):
            raise LenseError(f"Walks start from {wanted[1]:,} different roots each, for {wanted[0]:,} walks.")
        if bool((ordered < 0).any() or (ordered >= self.graph.num_vertices).any()):
            raise LenseError(f"Roots must lie between 0 and {self.graph.num_vertices - 1}, the graph's last vertex.")

    def _next_seeds(self, seed: int | Sequence[int] | None) -> list[int]:
        if isinstance(seed, int | np.integer):
            return [int(seed) + i for i in range(self.num_envs)]
        if seed is not None:
            return [int(s) for s in seed]
        if self._seeds:
            return [s + self.num_envs for s in self._seeds]
        return [int(word) for word in np.random.SeedSequence().generate_state(self.num_envs)]

    def step(self, actions: Tensor) -> tuple[Observation, Tensor, Tensor, Tensor, Info]:
        """Swap the chosen pair of each walk; an action that the mask rules out changes nothing."""
        chosen = torch.as_tensor(actions, device=self.graph.device)
        self._roots = swapped(self._roots, self._candidates, self._mask, chosen)
        self._step += 1
        observation, info = self._observe()
        reward = -self.reward_scale * info["distance"]
        ended = torch.zeros(self.num_envs, dtype=torch.bool, device=self.graph.device)
        return observation, reward, ended, ended | (self._step >= self.max_steps), info

    def _observe(self, *, anew: bool = False) -> tuple[Observation, Info]:
        room = None if self._room is None else self._room.of(self._roots, anew=anew)
        groups = min(num_threads(), self.num_envs) if room is None and not self.graph.is_far else 1
        walks = torch.arange(self.num_envs, device=self.graph.device).tensor_split(groups)
        parts = in_threads(partial(self._observe_some, room), walks)
        seen = {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
        self._mask, self._candidates = seen["mask"], seen.pop("candidates")
        return seen, self._information(seen["embedding"])

    @torch.no_grad()
    def _observe_some(self, room: int | None, walks: Tensor) -> dict[str, Tensor]:
        """The observation of some of the walks, and their candidates' vertices."""
        batch = induce(self.graph, self._roots[walks], room)
        own, mean = self.encoder.vertex_features(self.graph, batch)
        lots = uniforms(self._keys[walks], self._step, self.num_roots)
        candidates, mask = draw_candidates(batch, lots)
        numbers = torch.cat([own, mean], dim=1)
        return {
            "embedding": self.encoder(batch, own, mean) if self.embeds else self._unknown(walks.numel()),
            "leaving": numbers[batch.roots],
            "entering": numbers[candidates],
            "mask": mask,
            "candidates": batch.vertices[candidates],
        }

    def _unknown(self, num_walks: int) -> Tensor:
        return torch.full((num_walks, self.encoder.output.out_features), torch.nan, device=self.graph.device)

    def _information(self, embedding: Tensor) -> Info:
        info: Info = {
            "distance": (embedding - self.goal).norm(dim=1),
            "roots": self._roots,
            "candidates": self._candidates,
        }
        if self._is_solution is not None:
            info["guided"] = self._mask & self._is_solution[self._candidates] & ~self._is_solution[self._roots]
        return info

    @property
    def seeds(self) -> list[int]:
        """The seed (B) of each walk."""
        return self._seeds

    @property
    def state(self) -> dict[str, Tensor]:
        """What :meth:`restore` needs to go on from here."""
        seeds = torch.tensor(self._seeds, dtype=torch.int64)
        return {"roots": self._roots.cpu(), "seeds": seeds, "step": torch.tensor(self._step)}

    def restore(self, state: dict[str, Tensor]) -> tuple[Observation, Info]:
        """Stand again where :attr:`state` was taken, and observe."""
        self._seeds = state["seeds"].tolist()
        self._keys = keys_from(self._seeds, self.graph.device)
        self._roots, self._step = state["roots"].to(self.graph.device), int(state["step"])
        return self._observe(anew=True)


def random_roots(graph: GraphTensors, num_roots: int, seeds: Sequence[int]) -> Tensor:
    """Different vertices (B, M) drawn uniformly for each of the seeds (B)."""
    starts = [np.random.default_rng(seed).choice(graph.num_vertices, num_roots, replace=False) for seed in seeds]
    return on_device(np.stack(starts), graph.device)


def swapped(roots: Tensor, candidates: Tensor, mask: Tensor, actions: Tensor) -> Tensor:
    """``roots`` (B, M) after the ``actions`` (B), of which those that the ``mask`` (B, M) rules out change nothing."""
    chosen = actions.view(-1, 1)
    entering = torch.where(mask.gather(1, chosen), candidates.gather(1, chosen), roots.gather(1, chosen))
    return roots.scatter(1, chosen, entering)


def draw_candidates(batch: SubgraphBatch, lots: Tensor) -> tuple[Tensor, Tensor]:
    """For each root (B, M) a vertex of the batch outside X, and whether there is one, by ``lots`` (B, M) in [0, 1).

    It is one of the root's different neighbours outside X, each as likely; where it has none, one of the subgraph's
    vertices outside X.
    """
    roots, lots = batch.roots.flatten(), lots.flatten()
    begins, neighbour = batch.root_rows
    # parallel edges stand side by side in a root's row, and count once
    is_free = ~batch.is_root.index_select(0, neighbour)
    is_first = torch.ones(neighbour.numel() + 1, dtype=torch.bool, device=neighbour.device)
    torch.ne(neighbour[1:], neighbour[:-1], out=is_first[1:-1])
    is_first.index_fill_(0, begins, True)
    up_to = torch.zeros(neighbour.numel() + 1, dtype=torch.int64, device=neighbour.device)
    torch.cumsum(is_free & is_first[:-1], 0, out=up_to[1:])
    before = up_to[begins]
    count = before.diff()
    place = torch.searchsorted(up_to, before[:-1] + (lots * count).long(), right=True) - 1
    beside = neighbour[place.clamp(max=neighbour.numel() - 1)] if neighbour.numel() else roots

    outside = torch.zeros(batch.num_vertices + 1, dtype=torch.int64, device=roots.device)
    torch.cumsum(~batch.is_root, 0, out=outside[1:])
    sets = torch.arange(batch.num_sets + 1, device=roots.device)
    before = outside[torch.searchsorted(batch.set_of, sets)]
    set_of_root = batch.set_of[roots]
    choices = before.diff()[set_of_root]
    anywhere = torch.searchsorted(outside, before[set_of_root] + (lots * choices).long(), right=True) - 1
    drawn = torch.where(count > 0, beside, torch.where(choices > 0, anywhere, roots))
    return drawn.view_as(batch.roots), (choices > 0).view_as(batch.roots)


def _marked(vertices: Int64s, graph: GraphTensors) -> Tensor:
    mask = torch.zeros(graph.num_vertices, dtype=torch.bool, device=graph.device)
    mask[torch.from_numpy(np.asarray(vertices)).to(graph.device)] = True
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
        return _single(observation), _single(info)

    def step(self, action: np.int64) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self._walks.step(torch.tensor([int(action)]))
        return _single(observation), float(reward[0]), bool(terminated[0]), bool(truncated[0]), _single(info)


def _single(batched: dict[str, Any]) -> dict[str, Any]:
    """The only element of every tensor, as numpy; truth values as gymnasium's MultiBinary has them."""
    return {
        name: (value[0].to(torch.int8) if value.dtype == torch.bool else value[0]).cpu().numpy()
        for name, value in batched.items()
    }
