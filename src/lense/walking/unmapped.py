"""Walks without a map: for policies that choose a swap by its two vertices, where nobody asks for the embeddings."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from lense.kernels.swaps import count_root, offered, row_mean, seen_by_others, seen_by_roots
from lense.progress import progress
from lense.types import AnyArray, Float64s, Int64s
from lense.walking.batches import GraphTensors
from lense.walking.environment import SubgraphWalks, random_roots
from lense.walking.parallel import in_threads
from lense.walking.random_numbers import keys_from, uniforms
from lense.walking.walk import Policy


def roots_after(environment: SubgraphWalks, policy: Policy, seed: int, places: Sequence[int]) -> Int64s:
    """The roots (P, B, M) of walks after so many steps each of the rising ``places`` (P), found without the map where
    the environment has none.
    """
    if environment.embeds or environment.graph.device.type != "cpu":
        return _stepwise(environment, policy, seed, places)
    return unmapped_walks(
        environment.graph,
        lambda _: policy,
        num_roots=environment.num_roots,
        places=places,
        seeds=range(seed, seed + environment.num_envs),
        marks_roots=environment.encoder.marks_roots,
    )


@torch.no_grad()
def _stepwise(environment: SubgraphWalks, policy: Policy, seed: int, places: Sequence[int]) -> Int64s:
    observation, info = environment.reset(seed=seed)
    met = {0: info["roots"]}
    with progress("walking", places[-1]) as advance:
        for step in range(1, places[-1] + 1):
            observation, _, _, _, info = environment.step(policy(observation, info))
            if step in places:
                met[step] = info["roots"]
            advance(1)
    return torch.stack([met[place] for place in places]).cpu().numpy()


def unmapped_walks(
    graph: GraphTensors,
    policy_of: Callable[[int], Policy],
    *,
    num_roots: int,
    places: Sequence[int],
    seeds: Sequence[int],
    marks_roots: bool = False,
) -> Int64s:
    """The roots (P, B, M) that walks of :class:`SubgraphWalks` with these ``seeds`` (B) have after so many steps each
    of the rising ``places`` (P), on a processor.

    The policy of a walk, by its seed, gets the observation and information of that walk alone, less embedding and
    distance. A swap changes what the neighbours of two vertices see, and only that is brought up to date. So a step
    takes the time of the policy and of a look at the roots' neighbours, and no subgraph is built.
    """
    with progress("walking", len(seeds) * places[-1]) as advance:

        @torch.no_grad()
        def walked(seed: int) -> Int64s:
            own = _Walk(graph, random_roots(graph, num_roots, [seed])[0].numpy(), marks_roots)
            policy, keys, met = policy_of(seed), keys_from([seed]), {0: own.roots.copy()}
            for step in range(places[-1]):
                own.step(policy, uniforms(keys, step, num_roots)[0].numpy())
                if step + 1 in places:
                    met[step + 1] = own.roots.copy()
                advance(1)
            return np.stack([met[place] for place in places])

        return np.stack(in_threads(walked, seeds), axis=1)


class _Walk:
    """Roots (M), and of every vertex how many of its row's entries are roots and the sum of their features."""

    def __init__(self, graph: GraphTensors, roots: Int64s, marks_roots: bool) -> None:
        self.rows = graph.indptr.numpy(), graph.indices.numpy()
        self.features, self.marks_roots = graph.features.numpy(), marks_roots
        self.roots = roots.copy()
        num_vertices, num_features = self.features.shape
        self.is_root = np.zeros(num_vertices, np.bool_)
        self.root_entries = np.zeros(num_vertices, np.int32)
        self.root_sums = np.zeros((num_vertices, num_features))
        self.row_means = np.empty((roots.size, num_features))
        for place, root in enumerate(self.roots.tolist()):
            self._bring_in(place, root)

    def step(self, policy: Policy, lots: Float64s) -> None:
        """Swap the pair that the policy chooses, of those drawn by ``lots`` (M)."""
        candidates, allowed = offered(*self.rows, self.is_root, self.root_entries, self.roots, lots)
        information = {"roots": _only(self.roots), "candidates": _only(candidates)}
        chosen = int(policy({"mask": _only(allowed), **self._seen(candidates)}, information))
        if allowed[chosen]:
            self._swap(chosen, int(candidates[chosen]))

    def _seen(self, candidates: Int64s) -> dict[str, Tensor]:
        """What the encoder's first layer takes of the roots and of the candidates, (1, M, 2k) each."""
        leaving = seen_by_roots(
            self.rows[0], self.features, self.root_entries, self.row_means, self.roots, self.marks_roots
        )
        entering = seen_by_others(self.features, self.root_entries, self.root_sums, candidates, self.marks_roots)
        return {"leaving": _only(leaving), "entering": _only(entering)}

    def _swap(self, place: int, entering: int) -> None:
        leaving = int(self.roots[place])
        self.is_root[leaving] = False
        count_root(*self.rows, self.features, leaving, -1, self.root_entries, self.root_sums)
        self._bring_in(place, entering)

    def _bring_in(self, place: int, root: int) -> None:
        self.roots[place], self.is_root[root] = root, True
        count_root(*self.rows, self.features, root, 1, self.root_entries, self.root_sums)
        self.row_means[place] = row_mean(*self.rows, self.features, root)


def _only(array: AnyArray) -> Tensor:
    """An array (...) as a batch of one, (1, ...)."""
    return torch.from_numpy(array).unsqueeze(0)
