"""What walking with a learnt policy takes: the values of swaps in numpy, sizes and features; no map and no torch."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from lense._util.threads import one_blas_thread
from lense._util.types import AnyArray, Float32s, Int64s
from lense.errors import LenseError
from lense.kernels.rows import Adjacency
from lense.navigation.policies import best_allowed, best_apart, roots_after
from lense.navigation.swaps import Offer
from lense.pruners.ranking import standing

HIDDEN = 128
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


class Valuing(Protocol):
    """What finds the values of swaps: :class:`QValues` on a CPU, ``QNetwork`` on a GPU."""

    @property
    def sees_subgraph(self) -> bool: ...

    @property
    def on_gpu(self) -> bool: ...

    def values(self, leaving: Float32s, entering: Float32s, embedding: Float32s | None) -> Float32s:
        """Values (B, M) of the swaps whose v and u are ``leaving`` and ``entering`` (B, M, 2k), in subgraphs whose
        ``embedding`` is (B, d) for a network that sees them.
        """


class QValues:
    """The Q-network in numpy. ``weights`` are those of :class:`lense.navigation.q_network.QNetwork`, which explains and
    learns them.
    """

    on_gpu = False

    def __init__(self, weights: Mapping[str, AnyArray]) -> None:
        self.weights = weights
        self.sees_subgraph = "subgraph.weight" in weights
        self.num_features = weights["vectors.weight"].shape[1] // 2
        self.feature = int(weights["feature"]) if "feature" in weights else None
        self._leaving, self._entering = self._folded("leaving"), self._folded("entering")
        joint = _transposed(weights["joint.weight"])
        *self._of_subgraph, self._of_leaving, self._of_entering = np.split(joint, len(joint) // HIDDEN)
        self._hidden, self._last = _transposed(weights["hidden.weight"]), weights["value.weight"][0]

    def _folded(self, name: str) -> tuple[AnyArray, AnyArray]:
        """The affine map of a vertex's vector and the layer ``name`` after it, as one affine map."""
        weight, vectors, bias = (self.weights[one] for one in (f"{name}.weight", "vectors.weight", "vectors.bias"))
        return _transposed(weight @ vectors), weight @ bias + self.weights[f"{name}.bias"]

    def values(self, leaving: Float32s, entering: Float32s, embedding: Float32s | None = None) -> Float32s:
        """See :class:`Valuing`."""
        known = self.weights
        joint = _layer(leaving, *self._leaving) @ self._of_leaving
        joint += _layer(entering, *self._entering) @ self._of_entering
        joint += known["joint.bias"]
        if embedding is not None:
            seen = _layer(embedding, known["subgraph.weight"].T, known["subgraph.bias"])
            joint += (seen @ self._of_subgraph[0])[..., None, :]
        hidden = _layer(np.maximum(joint, 0, out=joint), self._hidden, known["hidden.bias"])
        found: Float32s = hidden @ self._last + known["value.bias"]
        if self.feature is not None:
            found += np.exp(known["scale"]) * self._rank_gain(leaving, entering)
        return found

    def _rank_gain(self, leaving: Float32s, entering: Float32s) -> Float32s:
        steepness = self.weights["steepness"]
        gain = np.exp(steepness * entering[..., self.feature]) - np.exp(steepness * leaving[..., self.feature])
        found: Float32s = np.sign(gain) * np.log1p(np.abs(gain)) / steepness
        return found


def _transposed(matrix: AnyArray) -> AnyArray:
    return np.ascontiguousarray(matrix.T)


def _layer(inputs: AnyArray, weight: AnyArray, bias: AnyArray) -> AnyArray:
    """max(0, x W + b)."""
    outputs: AnyArray = inputs @ weight
    outputs += bias
    np.maximum(outputs, 0, out=outputs)
    return outputs


class QPolicy:
    """Always the swap of largest value, or the ``swaps`` of largest values that bring in different vertices.

    ``embedded`` finds the subgraphs' embeddings (B, d) for a network that sees them.
    """

    def __init__(self, network: Valuing, embedded: Callable[[Int64s], Float32s], *, swaps: int = 1) -> None:
        self.network, self.embedded, self.swaps = network, embedded, swaps

    def __call__(self, offer: Offer) -> Int64s:
        embedding = self.embedded(offer.roots) if self.network.sees_subgraph else None
        values = self.network.values(offer.leaving, offer.entering, embedding)
        if self.swaps > 1:
            return best_apart(values, offer.allowed, offer.candidates, self.swaps)
        return best_allowed(values, offer.allowed)


def find_roots(
    rows: Adjacency,
    features: Float32s,
    network: Valuing,
    *,
    seeds: Sequence[int],
    num_roots: int,
    places: Sequence[int],
    embedded: Callable[[Int64s], Float32s],
    swaps: int = 1,
) -> Int64s:
    """The roots (P, B, M) of walks by the network after so many steps, each of so many ``swaps``, as the rising
    ``places`` (P) say; for ``embedded`` see :class:`QPolicy`.
    """
    policy = QPolicy(network, embedded, swaps=swaps)
    with one_blas_thread():
        return roots_after(
            rows, features, policy, seeds=seeds, num_roots=num_roots, places=places, together=network.on_gpu
        )


def values_of(weights: Mapping[str, AnyArray], path: Path) -> QValues:
    """The network whose ``weights`` the file at ``path`` holds; its sizes are those of the weights."""
    matrices = [weights[name] for name in ("vectors.weight", "subgraph.weight") if name in weights]
    if "vectors.weight" not in weights or any(matrix.ndim != 2 or not matrix.size for matrix in matrices):
        raise LenseError(f"{path} does not belong to this model: it holds no network that values swaps.")
    vertex_dim, num_numbers = weights["vectors.weight"].shape
    embedding_dim = weights["subgraph.weight"].shape[1] if "subgraph.weight" in weights else None
    if {name: (array.shape, array.dtype) for name, array in weights.items()} != _wanted(
        num_numbers, vertex_dim, embedding_dim, corrects_ranks="feature" in weights
    ):
        raise LenseError(f"{path} does not belong to this model: its tensors have other names, shapes or types.")
    network = QValues(weights)
    if network.feature is not None and not (0 <= network.feature < num_numbers // 2 and weights["steepness"] > 0):
        raise LenseError(f"{path} does not belong to this model: the vertices that it knows have no such feature.")
    return network


def _wanted(
    num_numbers: int, vertex_dim: int, embedding_dim: int | None, *, corrects_ranks: bool
) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
    """The shapes and types of a network's weights by name."""
    sizes = {
        "vectors": (vertex_dim, num_numbers),
        "leaving": (HIDDEN, vertex_dim),
        "entering": (HIDDEN, vertex_dim),
        "joint": (HIDDEN, (2 if embedding_dim is None else 3) * HIDDEN),
        "hidden": (HIDDEN, HIDDEN),
        "value": (1, HIDDEN),
    }
    if embedding_dim is not None:
        sizes["subgraph"] = (HIDDEN, embedding_dim)
    single, wanted = np.dtype(np.float32), dict[str, tuple[tuple[int, ...], np.dtype[Any]]]()
    for name, (after, before) in sizes.items():
        wanted |= {f"{name}.weight": ((after, before), single), f"{name}.bias": ((after,), single)}
    if corrects_ranks:
        wanted |= {"scale": ((), single), "feature": ((), np.dtype(np.int64)), "steepness": ((), single)}
    return wanted
