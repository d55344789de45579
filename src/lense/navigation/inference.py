"""Inference: the policy that was learnt, whose values are computed in numpy, and how long its walks are."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lense._util.types import AnyArray, Float32s, Int64s
from lense.errors import LenseError
from lense.kernels.rows import Adjacency
from lense.navigation.environment import Offer, Policy, best_allowed, best_apart

HIDDEN = 128
_DENSER = 2.5
"""Times the train graph's mean degree: a train side of 30 % of the edges makes a test side 2.3 times as dense at most,
and there what was enough in training still is."""


@dataclass(frozen=True)
class WalkPlan:
    """M ``roots`` and ``steps`` for the budget of training, ``longest`` on a graph much denser than the train graph,
    whose mean degree was ``train_degree``; features are given by their ``ranks``.
    """

    roots: int
    steps: int
    longest: int
    train_degree: float
    ranks: bool

    def num_roots(self, factor: float = 1.0) -> int:
        """M, in proportion to a budget ``factor`` times the one of training, if it is larger."""
        return math.ceil(self.roots * max(1.0, factor))

    def num_steps(self, mean_degree: float, factor: float = 1.0) -> int:
        """The steps that were enough on the train graph, in proportion to the number of roots."""
        steps = self.longest if mean_degree > _DENSER * self.train_degree else self.steps
        return math.ceil(steps * self.num_roots(factor) / self.roots)


def mean_degree(rows: Adjacency) -> float:
    """The mean number of edges of a vertex, by the incident rows of a graph."""
    return rows.indices.size / max(rows.indptr.size - 1, 1)


class QValues:
    """A :class:`lense.navigation.q_learning.QNetwork` in numpy: small operations take a fraction of torch's time."""

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
        """Values (B, M) of swaps of ``leaving`` for ``entering`` (B, M, 2k) in subgraphs at ``embedding`` (B, d)."""
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
            steepness = known["steepness"]
            gain = np.exp(steepness * entering[..., self.feature]) - np.exp(steepness * leaving[..., self.feature])
            found += np.exp(known["scale"]) * (np.sign(gain) * np.log1p(np.abs(gain)) / steepness)
        return found

    def weakened(self, strength: float) -> "QValues":
        """The same with ``strength`` times what was learnt to add to the gain in rank."""
        value = {name: self.weights[name] * np.float32(strength) for name in ("value.weight", "value.bias")}
        return QValues({**self.weights, **value})


def _transposed(matrix: AnyArray) -> AnyArray:
    return np.ascontiguousarray(matrix.T)


def _layer(inputs: AnyArray, weight: AnyArray, bias: AnyArray) -> AnyArray:
    """max(0, x W + b)."""
    outputs: AnyArray = inputs @ weight
    outputs += bias
    np.maximum(outputs, 0, out=outputs)
    return outputs


def values_of(weights: Mapping[str, AnyArray], path: Path) -> QValues:
    """The network whose ``weights`` the file at ``path`` holds; raise where they are not those of one."""
    matrices = [weights[name] for name in ("vectors.weight", "subgraph.weight") if name in weights]
    if "vectors.weight" not in weights or any(matrix.ndim != 2 or not matrix.size for matrix in matrices):
        raise LenseError(f"{path} does not belong to this model: it holds no network that values swaps.")
    vertex_dim, num_numbers = matrices[0].shape
    layers = {
        "vectors": (vertex_dim, num_numbers),
        "leaving": (HIDDEN, vertex_dim),
        "entering": (HIDDEN, vertex_dim),
        "joint": (HIDDEN, (len(matrices) + 1) * HIDDEN),
        "hidden": (HIDDEN, HIDDEN),
        "value": (1, HIDDEN),
    }
    if len(matrices) > 1:
        layers["subgraph"] = (HIDDEN, matrices[1].shape[1])
    wanted: dict[str, tuple[int, ...]] = {f"{name}.weight": shape for name, shape in layers.items()}
    wanted |= {f"{name}.bias": shape[:1] for name, shape in layers.items()}
    wanted |= dict.fromkeys(("scale", "feature", "steepness"), ()) if "feature" in weights else {}
    kinds = {name: np.int64 if name == "feature" else np.float32 for name in wanted}
    if {name: (array.shape, array.dtype) for name, array in weights.items()} != {
        name: (shape, np.dtype(kinds[name])) for name, shape in wanted.items()
    }:
        raise LenseError(f"{path} does not belong to this model: its tensors have other names, shapes or types.")
    network = QValues(weights)
    if network.feature is not None and not (0 <= network.feature < num_numbers // 2 and weights["steepness"] > 0):
        raise LenseError(f"{path} does not belong to this model: the vertices that it knows have no such feature.")
    return network


def greedy(network: QValues, embedded: Callable[[Int64s], Float32s] | None, *, swaps: int = 1) -> Policy:
    """The policy that makes the swap of largest value, or the ``swaps`` of largest values with different candidates.

    ``embedded`` finds the embeddings (B, d) of root sets (B, M), for a network that sees the subgraph.
    """

    def act(offer: Offer) -> Int64s:
        embedding = embedded(offer.roots) if embedded is not None and network.sees_subgraph else None
        values = network.values(offer.leaving, offer.entering, embedding)
        if swaps > 1:
            return best_apart(values, offer.allowed, offer.candidates, swaps)
        return best_allowed(values, offer.allowed)

    return act
