"""Pruners that learn, from the heuristic's solution of a train graph, which vertices are worth keeping."""

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from lense._util.progress import progress
from lense._util.types import AnyArray, Float32s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, kept_part
from lense.problems.base import Rng
from lense.pruners.base import Pruner, check_num_features

if TYPE_CHECKING:
    from torch import Tensor, nn

THRESHOLD = 0.5
_REPORT = "report."


class VertexClassifier(Pruner):
    """Gives each vertex a probability of being in the solution, and keeps those with 0.5 or more.

    ``fit`` learns from the heuristic's solution of the train graph in at most ``epochs`` steps of Adam. The network
    does not see the budget, so :meth:`prune` keeps the same part for every budget.

    Subclass it as a dataclass with the parameters declared here, a :meth:`network` other than a GCN with one hidden
    layer of ``width``, and a :meth:`learn` for another loss. Whole numbers but the seed are at least 1.
    """

    learns: ClassVar[bool] = True
    needs_learn: ClassVar[bool] = True

    epochs: int
    width: int
    seed: int
    device: str

    def network(self, num_features: int) -> "nn.Module":
        """A fresh network from features (n, k) and the adjacency matrix (n, n) to logits (n)."""
        from lense.pruners._networks import GCN

        return GCN([num_features, self.width])

    def learn(self, network: "nn.Module", features: "Tensor", matrix: "Tensor", is_in: "Tensor") -> float:
        """Train on a graph whose vertices ``is_in`` (n, bool) are the solution; return the loss at the end.

        By default it is the binary cross-entropy over all vertices, where each class has half of the weight.
        """
        from torch.nn.functional import binary_cross_entropy_with_logits

        from lense.pruners._networks import class_weights, minimise

        weights, wanted = class_weights(is_in), is_in.float()

        def loss() -> "Tensor":
            return binary_cross_entropy_with_logits(network(features, matrix), wanted, weights, reduction="sum")

        return minimise(network, loss, self.epochs, description="learning which vertices are in the solution")

    def features(self, graph: Graph, rng: Rng) -> Float32s:
        """What the network sees of each vertex (n, k), by default the problem's features."""
        return self.problem_.features(graph)

    def fit_graph(self, graph: Graph) -> None:
        """Learn from a training graph; ``report_`` has the loss and the shares of vertices that are kept."""
        for name in (field.name for field in fields(self) if field.type is int and field.name != "seed"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise LenseError(f"The {name} of a {self.name} must be a whole number from 1 on, not {value!r}.")
        import torch

        from lense._util.torch_device import on_device, torch_threads

        features, matrix = self._inputs(graph, np.random.default_rng([self.seed, 1]))
        solution = self.problem_.search(graph, self.budget, np.random.default_rng(self.seed)).indices
        is_in = np.zeros(graph.num_vertices, np.bool_)
        is_in[solution] = True
        with torch.random.fork_rng(devices=[]), torch_threads(1):
            torch.manual_seed(self.seed)
            network = self.network(features.shape[1]).to(features.device)
            loss = self.learn(network, features, matrix, on_device(is_in, features.device))
        is_kept = (network.requires_grad_(False)(features, matrix).sigmoid() >= THRESHOLD).cpu().numpy()
        self.network_ = network.cpu()
        self.report_ = {
            "loss": loss,
            "solution_kept": float(is_kept[solution].mean()),
            "vertices_kept": float(is_kept.mean()),
        }

    def _inputs(self, graph: Graph, rng: Rng) -> "tuple[Tensor, Tensor]":
        """The features (n, k) and the adjacency matrix (n, n) on the device."""
        from lense._util.torch_device import on_device, torch_device
        from lense.pruners._networks import adjacency

        device = torch_device(self.device)
        return on_device(self.features(graph, rng), device), adjacency(graph, device)

    def logits(self, graph: Graph, *, seed: int = 0) -> Float32s:
        """log(p / (1 - p)) of each vertex (n) of a prepared graph; ``seed`` is of features that are drawn."""
        self.check_fitted()
        from lense._util.torch_device import torch_threads

        features, matrix = self._inputs(graph, np.random.default_rng([self.seed, 2, seed]))
        check_num_features(self.problem_, features.shape[1], _num_features(self.network_.state_dict()))
        with progress("judging vertices"), torch_threads(1):
            logits: Tensor = self.network_.to(features.device)(features, matrix)
        return logits.cpu().numpy()

    def probabilities(self, graph: Graph, *, seed: int = 0, prepared: bool = False) -> Float32s:
        """The probability of each vertex (n) to be in the solution."""
        whole = graph if prepared else self.problem_.prepare(graph)
        logits = self.logits(whole, seed=seed)
        from torch import from_numpy

        return from_numpy(logits).sigmoid().numpy()

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        """Return the part of vertices judged "in": all, a few or none."""
        return kept_part(graph, np.flatnonzero(self.probabilities(graph, seed=seed, prepared=True) >= THRESHOLD))

    def learnt(self) -> Mapping[str, AnyArray]:
        weights = {name: tensor.cpu().numpy() for name, tensor in self.network_.state_dict().items()}
        return {**weights, **{_REPORT + name: np.array(figure) for name, figure in self.report_.items()}}

    def restore(self, learnt: Mapping[str, AnyArray]) -> None:
        from torch import from_numpy

        weights = {name: from_numpy(a) for name, a in learnt.items() if not name.startswith(_REPORT)}
        network = self.network(_num_features(weights))
        network.load_state_dict(weights)
        self.report_ = {name.removeprefix(_REPORT): float(a) for name, a in learnt.items() if name not in weights}
        self.network_ = network.requires_grad_(False)


def _num_features(weights: "Mapping[str, Tensor]") -> int:
    """How many features of a vertex the first layer takes."""
    num_features, *_ = (tensor.shape[1] for tensor in weights.values() if tensor.dim() == 2)
    return num_features
