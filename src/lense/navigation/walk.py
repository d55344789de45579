"""Walks with the map: from random subgraphs towards the goal, step by step."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lense._util.progress import progress
from lense.errors import choose
from lense.navigation.environment import SubgraphWalks
from lense.navigation.policies import Policy

_SETTLED_WINDOW = 50
_SETTLED_CHANGE = 0.01

STOPS = {"final": "the last subgraph", "nearest": "the one nearest the goal", "settled": "when the distance settles"}


@dataclass(frozen=True)
class Walk:
    """B walks of T steps: the ``roots`` (B, M) each ended with, and on the way to them the ``embeddings``
    (T + 1, B, d) and ``distances`` (T + 1, B) to the goal. ``step`` (B) is the step those roots were met at.
    """

    roots: Tensor
    step: Tensor
    embeddings: Tensor
    distances: Tensor


@torch.no_grad()
def walk(environment: SubgraphWalks, policy: Policy, *, seed: int = 0, stop: str = "final") -> Walk:
    """Walk from the random starts of ``seed``, seed + 1, ... for the environment's number of steps.

    ``stop`` says which subgraph counts: the "final" one as in the paper, the visited one "nearest" the goal, or the
    final one but with the walks ended as soon as their distances have "settled": when, over the last 50 steps, their
    mean has fallen by less than 1 % against the 50 steps before.
    """
    choose(stop, STOPS, "end of a walk")
    observation, info = environment.reset(seed=seed)
    embeddings, distances = [observation["embedding"].cpu()], [info["distance"].cpu()]
    roots, at = torch.from_numpy(info["offer"].roots), torch.zeros(environment.num_envs, dtype=torch.int64)
    nearest = distances[0]
    with progress("walking", environment.max_steps) as advance:
        for step in range(1, environment.max_steps + 1):
            observation, _, _, _, info = environment.step(policy(info["offer"]))
            distance = info["distance"].cpu()
            embeddings.append(observation["embedding"].cpu())
            distances.append(distance)
            counts = torch.ones_like(at, dtype=torch.bool) if stop != "nearest" else distance < nearest
            nearest = torch.where(counts, distance, nearest)
            roots = torch.where(counts.unsqueeze(1), torch.from_numpy(info["offer"].roots), roots)
            at = torch.where(counts, step, at)
            advance(1)
            if stop == "settled" and step % _SETTLED_WINDOW == 0 and _has_settled(distances):
                advance(environment.max_steps - step)
                break
    return Walk(roots, at, torch.stack(embeddings), torch.stack(distances))


def _has_settled(distances: list[Tensor]) -> bool:
    if len(distances) <= 2 * _SETTLED_WINDOW:
        return False
    recent = torch.stack(distances[-_SETTLED_WINDOW:]).mean()
    before = torch.stack(distances[-2 * _SETTLED_WINDOW : -_SETTLED_WINDOW]).mean()
    return bool(recent > (1 - _SETTLED_CHANGE) * before)
