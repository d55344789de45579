"""Pruners that learn, from the heuristic's solution of a train graph, which vertices are worth keeping."""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from lense._util.progress import progress
from lense._util.torch_device import torch_device, torch_threads
from lense._util.types import AnyArray, Float32s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, kept_part
from lense.pruners.base import Pruner

LEARNING_RATE = 0.001
THRESHOLD = 0.5
_SMOOTHING = 0.98
_PATIENCE = 100
_LEAST_GAIN = 0.001
_REPORT = "report."

Rng = np.random.Generator


class VertexClassifier(Pruner):
    """Gives each vertex a probability of being in the solution, and keeps those with 0.5 or more.

    ``fit`` solves the train graph with the problem's heuristic within the budget. The vertices of that solution are the
    class "in", all others "out". At most ``epochs`` steps of Adam follow, fewer if the loss settles before (see
    :func:`minimise`). The network does not see the budget, so :meth:`prune` keeps the same part for every budget.

    Subclass it as a dataclass with the parameters declared here and a :meth:`network`, and a :meth:`learn` for another
    loss. ``first_weights`` names the weights (width, k) of the first layer; their shape says how many features a saved
    model takes. Parameters in ``counts`` are at least 1.
    """

    learns: ClassVar[bool] = True
    first_weights: ClassVar[str]
    counts: ClassVar[tuple[str, ...]] = ("epochs",)

    epochs: int
    seed: int
    device: str

    @abstractmethod
    def network(self, num_features: int) -> nn.Module:
        """A fresh network from features (n, k) and the :func:`adjacency` (n, n) to logits (n)."""

    def learn(self, network: nn.Module, features: Tensor, matrix: Tensor, is_in: Tensor) -> float:
        """Train the network on a graph whose vertices ``is_in`` (n, bool) are the solution; the loss at the end.

        By default the loss is the binary cross-entropy over all vertices, where each class has half of the weight.
        """
        weights, wanted = class_weights(is_in), is_in.float()

        def loss() -> Tensor:
            return binary_cross_entropy_with_logits(network(features, matrix), wanted, weights, reduction="sum")

        return minimise(network, loss, self.epochs, description="learning which vertices are in the solution")

    def features(self, graph: Graph, rng: Rng) -> Float32s:
        """What the network sees of each vertex (n, k), by default the problem's features."""
        return self.problem_.features(graph)

    @property
    def is_fitted(self) -> bool:
        return hasattr(self, "network_")

    def fit_graph(self, graph: Graph) -> None:
        """Learn from a training graph.

        ``report_`` has the loss, and the shares of the solution and of all vertices that are kept, but no times: it is
        saved, and the same seed must write the same bytes.
        """
        self._check_parameters()
        device = torch_device(self.device)
        solution = self.problem_.search(graph, self.budget, np.random.default_rng(self.seed)).indices
        is_in = np.zeros(graph.num_vertices, np.bool_)
        is_in[solution] = True
        features = self.features(graph, np.random.default_rng([self.seed, 1]))
        inputs = torch.from_numpy(features).to(device), adjacency(graph, device)
        with torch.random.fork_rng(devices=[]), torch_threads(1):
            torch.manual_seed(self.seed)
            network = self.network(features.shape[1]).to(device)
            loss = self.learn(network, *inputs, torch.from_numpy(is_in).to(device))
        with torch.no_grad():
            is_kept = (network(*inputs).sigmoid() >= THRESHOLD).cpu().numpy()
        self.network_ = network.requires_grad_(False).cpu()
        self.report_ = {
            "loss": loss,
            "solution_kept": float(is_kept[solution].mean()),
            "vertices_kept": float(is_kept.mean()),
        }

    def _check_parameters(self) -> None:
        for name in self.counts:
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise LenseError(f"The {name} of a {self.name} must be a whole number from 1 on, not {value!r}.")

    @torch.no_grad()
    def logits(self, graph: Graph, *, seed: int = 0) -> Float32s:
        """log(p / (1 - p)) of each vertex (n) of a prepared graph; ``seed`` is for networks that draw features."""
        self.check_fitted()
        features = self.features(graph, np.random.default_rng([self.seed, 2, seed]))
        _, known = self.network_.state_dict()[self.first_weights].shape
        if features.shape[1] != known:
            raise LenseError(
                f"The model knows {known} features of a vertex, but the problem {self.problem_.name} has "
                f"{features.shape[1]}: train a model for it."
            )
        device = torch_device(self.device)
        with progress("judging vertices"), torch_threads(1):
            logits: Tensor = self.network_.to(device)(torch.from_numpy(features).to(device), adjacency(graph, device))
        return logits.cpu().numpy()

    def probabilities(self, graph: Graph, *, seed: int = 0, prepared: bool = False) -> Float32s:
        """The probability of each vertex (n) to be in the solution, by the network."""
        whole = graph if prepared else self.problem_.prepare(graph)
        return torch.from_numpy(self.logits(whole, seed=seed)).sigmoid().numpy()

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        """Return the part of vertices judged "in": all, a few or none."""
        return kept_part(graph, np.flatnonzero(self.probabilities(graph, seed=seed, prepared=True) >= THRESHOLD))

    def learnt(self) -> Mapping[str, AnyArray]:
        if not self.is_fitted:
            return {}
        weights = {name: tensor.cpu().numpy() for name, tensor in self.network_.state_dict().items()}
        return {**weights, **{_REPORT + name: np.array(figure) for name, figure in self.report_.items()}}

    def restore(self, learnt: Mapping[str, AnyArray]) -> None:
        weights = {name: torch.from_numpy(a) for name, a in learnt.items() if not name.startswith(_REPORT)}
        _, num_features = weights[self.first_weights].shape
        network = self.network(num_features)
        network.load_state_dict(weights)
        self.report_ = {name.removeprefix(_REPORT): float(a) for name, a in learnt.items() if name not in weights}
        self.network_ = network.requires_grad_(False)


def adjacency(graph: Graph, device: torch.device | str) -> Tensor:
    """The symmetric adjacency matrix (n, n) of edges in both directions, in sparse rows without weights.

    Two opposite arcs are two entries.
    """
    rows, n = graph.incident, graph.num_vertices
    # half the memory, where so many entries can be counted with it
    narrow = np.int32 if rows.indices.size <= np.iinfo(np.int32).max else np.int64
    indptr, indices = (torch.from_numpy(a.astype(narrow)).to(device) for a in (rows.indptr, rows.indices))
    ones = torch.ones(indices.numel(), device=device)
    return torch.sparse_csr_tensor(indptr, indices, ones, (n, n), check_invariants=False)


def class_weights(is_in: Tensor) -> Tensor:
    """A weight for each vertex (n), so that each class has a weight of 1/2 in all, however few vertices it has."""
    counts = torch.where(is_in, is_in.sum(), (~is_in).sum())
    weights = counts.float().reciprocal()
    return weights / weights.sum()


def minimise(
    network: nn.Module,
    loss: Callable[[], Tensor],
    epochs: int,
    *,
    description: str,
    learning_rate: float = LEARNING_RATE,
    weight_decay: float = 0.0,
) -> float:
    """Minimise ``loss`` with Adam, one call and one step for each epoch, and return its smoothed value at the end.

    The smoothed value is l_t = 0.98 l_{t-1} + 0.02 loss_t with l_0 = 0, divided by 1 - 0.98^t. Training ends after
    ``epochs``, or when the smoothed value has not fallen by 0.001 below its lowest value for 100 epochs.
    """
    optimiser = torch.optim.Adam(network.parameters(), lr=learning_rate, weight_decay=weight_decay)
    total, smoothed, lowest, since_lowest = 0.0, math.inf, math.inf, 0
    with progress(description, epochs) as advance:
        for epoch in range(1, epochs + 1):
            optimiser.zero_grad()
            value = loss()
            value.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            total = _SMOOTHING * total + (1 - _SMOOTHING) * float(value.detach())
            smoothed = total / (1 - _SMOOTHING**epoch)
            if not math.isfinite(smoothed):
                raise LenseError("The loss is no longer a number: try another seed, or check the vertex features.")
            since_lowest += 1
            if smoothed < lowest - _LEAST_GAIN:
                lowest, since_lowest = smoothed, 0
            advance(1, f"loss {smoothed:.3g}")
            if since_lowest == _PATIENCE:
                advance(epochs - epoch)
                break
    return smoothed
