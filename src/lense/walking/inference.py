"""What walking with a learnt policy takes: a network, sizes and features; no map, and no library of graph networks."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from lense.errors import LenseError
from lense.graph.csr import Adjacency
from lense.pruners.ranking import standing
from lense.torch_device import torch_threads, use_one_thread
from lense.types import Float32s, Int64s
from lense.walking.checkpoint import loaded
from lense.walking.policies import roots_after
from lense.walking.q_network import QNetwork, QPolicy

_DENSER = 2.5
"""Times the train graph's mean degree: a train side of 30 % of the edges makes a test side 2.3 times as dense at most,
and there what was enough in training still is."""


@dataclass(frozen=True)
class WalkPlan:
    """How walks are made: M ``roots`` and ``steps`` for a budget like that of training, ``longest`` on a graph much
    denser than the train graph, whose mean degree was ``train_degree``; features given by their ``ranks``.
    """

    roots: int
    steps: int
    longest: int
    train_degree: float
    ranks: bool

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def num_roots(self, factor: float = 1.0) -> int:
        """M, in proportion to a budget ``factor`` times the one of training, if it is larger."""
        return math.ceil(self.roots * max(1.0, factor))

    def num_steps(self, mean_degree: float, factor: float = 1.0) -> int:
        """The steps of a walk, in proportion to the number of roots.

        They are as many as were enough on the train graph, and on a graph that is much denser than that all that a
        walk may take, since there what is enough is not known.
        """
        steps = self.longest if mean_degree > _DENSER * self.train_degree else self.steps
        return math.ceil(steps * self.num_roots(factor) / self.roots)

    def given_features(self, features: Float32s) -> Float32s:
        """What the encoder and the policy are given of a problem's ``features`` (n, k)."""
        return standing(features) if self.ranks else features


def mean_degree(rows: Adjacency) -> float:
    """How many edges a vertex has on average, by the incident rows of a graph."""
    return rows.indices.size / max(rows.indptr.size - 1, 1)


def find_roots(
    rows: Adjacency,
    features: Float32s,
    network: QNetwork,
    *,
    seeds: Sequence[int],
    num_roots: int,
    places: Sequence[int],
    embedded: Callable[[Int64s], Tensor],
    swaps: int = 1,
) -> Int64s:
    """The roots (P, B, M) of walks by the network after so many steps, each of so many ``swaps``, as the rising
    ``places`` (P) say.

    ``embedded`` finds the embeddings (B, d) of the subgraphs of roots (B, M), for a network that sees them.
    """
    with torch_threads(1):
        return roots_after(
            rows,
            features,
            QPolicy(network, embedded, swaps=swaps),
            seeds=seeds,
            num_roots=num_roots,
            places=places,
            together=network.value.weight.device.type != "cpu",
            in_each_thread=use_one_thread,
        )


def network_of(tensors: Mapping[str, Tensor], path: Path) -> QNetwork:
    """The network whose ``tensors`` the file at ``path`` holds; its sizes are those of the tensors."""
    matrices = [tensors[name] for name in ("vectors.weight", "subgraph.weight") if name in tensors]
    if "vectors.weight" not in tensors or any(matrix.dim() != 2 or not matrix.numel() for matrix in matrices):
        raise LenseError(f"{path} does not belong to this model: it holds no network that values swaps.")
    vertex_dim, num_numbers = tensors["vectors.weight"].shape
    embedding_dim = tensors["subgraph.weight"].shape[1] if "subgraph.weight" in tensors else None
    feature = 0 if "feature" in tensors else None
    network = loaded(lambda: QNetwork(num_numbers, vertex_dim, embedding_dim, feature=feature), tensors, path)
    if network.corrects_ranks and not (0 <= int(network.feature) < num_numbers // 2 and network.steepness > 0):
        raise LenseError(f"{path} does not belong to this model: the vertices that it knows have no such feature.")
    return network.requires_grad_(False)
