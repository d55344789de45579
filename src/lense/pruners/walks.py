"""LeNSE's swaps without learning: at random, or always towards more edges."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch

from lense.errors import LenseError
from lense.graph import Graph
from lense.parts import Subgraph, subgraph
from lense.problems import Problem
from lense.progress import progress
from lense.pruners.base import Pruner
from lense.pruners.ranking import ROOTS_PER_BUDGET, importance
from lense.torch_device import torch_device
from lense.types import Int64s
from lense.walking.batches import GraphTensors, induce
from lense.walking.environment import draw_candidates, random_roots, swapped
from lense.walking.policies import largest_gain, random_swaps
from lense.walking.random_numbers import keys_from, uniforms
from lense.walking.room import Room
from lense.walking.unmapped import unmapped_walks
from lense.walking.walk import Policy


class SwapWalk(Pruner):
    """From M random ``roots``, T ``steps``: each root is offered a neighbour, as LeNSE's are, and one pair is swapped.

    Without ``roots`` there are three for each unit of the budget, without ``steps`` as many as roots; both grow in
    proportion to a budget larger than its own. A graph with no more vertices than roots is kept whole. ``device`` is
    "cpu", "cuda", or "auto" for a GPU if there is one.
    """

    randomised: ClassVar[bool] = True

    def __init__(
        self,
        problem: str | Problem = "mvc",
        budget: float = 100,
        *,
        roots: int | None = None,
        steps: int | None = None,
        device: str = "cpu",
    ) -> None:
        super().__init__(problem, budget)
        self.roots = roots
        self.steps = steps
        self.device = device

    @abstractmethod
    def policy(self, graph: Graph, episodes: int, seed: int) -> Policy:
        """Which pair to swap in each of ``episodes`` walks on a prepared graph; walk i has the seed ``seed + i``."""

    def prune(self, graph: Graph, *, budget: float | None = None, seed: int = 0, prepared: bool = False) -> Subgraph:
        return self.parts(graph, episodes=1, budget=budget, seed=seed, prepared=prepared)[0]

    def parts(
        self, graph: Graph, *, episodes: int = 10, budget: float | None = None, seed: int = 0, prepared: bool = False
    ) -> list[Subgraph]:
        """As for every pruner, but with all walks side by side."""
        whole = self.prepared(graph, prepared, budget)
        num_roots, steps = self._sizes(budget)
        if num_roots >= whole.num_vertices:
            everything = np.arange(whole.num_vertices)
            return [Subgraph(whole, everything, everything)]
        tensors = GraphTensors.of(whole, np.empty((whole.num_vertices, 0), np.float32), torch_device(self.device))
        options: dict[str, Any] = {
            "num_roots": num_roots,
            "seeds": range(seed, seed + episodes),
        }
        if tensors.is_far:
            walked = _side_by_side(tensors, self.policy(whole, episodes, seed), steps=steps, **options)
        else:
            walked = unmapped_walks(tensors, lambda own: self.policy(whole, 1, own), places=[steps], **options)[0]
        return [subgraph(whole, roots) for roots in walked]

    def _sizes(self, budget: float | None) -> tuple[int, int]:
        """M and T for a budget."""
        roots = math.ceil(ROOTS_PER_BUDGET * self.budget) if self.roots is None else self.roots
        steps = roots if self.steps is None else self.steps
        if roots < 1 or steps < 0:
            raise LenseError(
                f"{type(self).__name__} needs at least one root, and no negative number of steps, "
                f"not {roots:,} and {steps:,}."
            )
        factor = 1.0 if budget is None else max(1.0, budget / self.budget)
        num_roots = math.ceil(factor * roots)
        return num_roots, math.ceil(steps * num_roots / roots)


class RandomWalk(SwapWalk):
    """Swaps a pair at random."""

    name: ClassVar[str] = "random-walk"

    def policy(self, graph: Graph, episodes: int, seed: int) -> Policy:
        return random_swaps(episodes, seed, torch_device(self.device))


class DegreeWalk(SwapWalk):
    """Swaps the pair with the largest gain in degree or out-weight, be it negative."""

    name: ClassVar[str] = "degree-walk"

    def policy(self, graph: Graph, episodes: int, seed: int) -> Policy:
        return largest_gain(importance(self.problem_, graph), torch_device(self.device))


@torch.no_grad()
def _side_by_side(graph: GraphTensors, policy: Policy, num_roots: int, steps: int, seeds: Sequence[int]) -> Int64s:
    """As :func:`unmapped_walks`, for a GPU: with one policy for all walks, and the subgraphs built anew."""
    roots, keys = random_roots(graph, num_roots, seeds), keys_from(seeds, graph.device)
    room = Room(graph, len(seeds), num_roots)
    with progress("walking", steps) as advance:
        for step in range(steps):
            batch = induce(graph, roots, room.of(roots))
            places, mask = draw_candidates(batch, uniforms(keys, step, num_roots))
            candidates = batch.vertices[places]
            chosen = policy({"mask": mask}, {"roots": roots, "candidates": candidates})
            roots = swapped(roots, candidates, mask, chosen)
            advance(1)
    return roots.cpu().numpy()
