"""Walks with a learnt network: from random subgraphs towards the goal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lense.errors import choose
from lense.progress import progress
from lense.walking.encoder import Encoder
from lense.walking.environment import Observation, SubgraphWalks
from lense.walking.q_network import FeatureGain, QNetwork, greedy

Policy = Callable[[Observation, dict[str, Any]], Tensor]

_SETTLED_WINDOW = 50
_SETTLED_CHANGE = 0.01

STOPS = {"final": "the last subgraph", "nearest": "the one nearest the goal", "settled": "when the distance settles"}


@dataclass(frozen=True)
class Walk:
    """B walks of T steps: the ``roots`` (B, M) each ended with, and on the way to them the ``embeddings``
    (T + 1, B, d) and ``distances`` (T + 1, B) to the goal, nan if the environment did not embed. ``step`` (B) is the
    step those roots were met at.
    """

    roots: Tensor
    step: Tensor
    embeddings: Tensor
    distances: Tensor


def greedy_policy(network: QNetwork | FeatureGain, encoder: Encoder) -> Policy:
    """Always the swap of largest value."""

    def act(observation: Observation, _info: dict[str, Any]) -> Tensor:
        leaving, entering = observation["leaving"], observation["entering"]
        if isinstance(network, FeatureGain):
            return greedy(network(leaving, entering), observation["mask"])
        vectors = encoder.vertex_vectors(leaving), encoder.vertex_vectors(entering)
        return greedy(network(observation.get("embedding"), *vectors), observation["mask"])

    return act


@torch.no_grad()
def walk(environment: SubgraphWalks, policy: Policy, *, seed: int = 0, stop: str = "final") -> Walk:
    """Walk from the random starts of ``seed``, seed + 1, ... for the environment's number of steps.

    ``stop`` says which subgraph counts: the "final" one as in the paper, the visited one "nearest" the goal, or the
    final one but with the walks ended as soon as their distances have "settled": when, over the last 50 steps, their
    mean has fallen by less than 1 % against the 50 steps before.
    """
    choose(stop, STOPS, "end of a walk")
    observation, info = environment.reset(seed=seed)
    embeddings, distances = [observation["embedding"]], [info["distance"]]
    roots, at = info["roots"], torch.zeros(environment.num_envs, dtype=torch.int64, device=info["roots"].device)
    nearest = info["distance"]
    with progress("walking", environment.max_steps) as advance:
        for step in range(1, environment.max_steps + 1):
            observation, _, _, _, info = environment.step(policy(observation, info))
            embeddings.append(observation["embedding"])
            distances.append(info["distance"])
            counts = torch.ones_like(at, dtype=torch.bool) if stop != "nearest" else info["distance"] < nearest
            nearest = torch.where(counts, info["distance"], nearest)
            roots = torch.where(counts.unsqueeze(1), info["roots"], roots)
            at = torch.where(counts, step, at)
            advance(1)
            if stop == "settled" and step % _SETTLED_WINDOW == 0 and _has_settled(distances):
                advance(environment.max_steps - step)
                break
    return Walk(roots.cpu(), at.cpu(), torch.stack(embeddings).cpu(), torch.stack(distances).cpu())


def _has_settled(distances: list[Tensor]) -> bool:
    if len(distances) <= 2 * _SETTLED_WINDOW:
        return False
    recent = torch.stack(distances[-_SETTLED_WINDOW:]).mean()
    before = torch.stack(distances[-2 * _SETTLED_WINDOW : -_SETTLED_WINDOW]).mean()
    return bool(recent > (1 - _SETTLED_CHANGE) * before)
