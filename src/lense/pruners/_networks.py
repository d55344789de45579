"""All that pruners need torch for: layers on symmetric sparse matrices, networks that judge vertices, and training."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid
from torch_geometric.nn import GCNConv, SAGEConv

from lense._util.progress import progress
from lense._util.torch_device import on_device
from lense.errors import LenseError
from lense.graph import Graph

LAYERS = 3
LEARNING_RATE = 0.001
_SMOOTHING = 0.98
_PATIENCE = 100
_LEAST_GAIN = 0.001


class _NeighbourSum(torch.autograd.Function):
    """A x for a symmetric sparse A (N, N), which needs no transpose."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, x: Tensor) -> Tensor:
        ctx.save_for_backward(matrix)
        return matrix @ x

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor]:
        return None, ctx.saved_tensors[0] @ gradients[0]


def neighbour_sum(matrix: Tensor, x: Tensor) -> Tensor:
    """The sum of x (N, k) over the neighbours of each vertex."""
    result: Tensor = _NeighbourSum.apply(matrix, x)  # type: ignore[no-untyped-call]
    return result


def neighbour_mean(matrix: Tensor, x: Tensor) -> Tensor:
    """The mean of x (N, k) over the neighbours of each vertex, 0 where it has none."""
    return neighbour_sum(matrix, x) * matrix.crow_indices().diff().clamp(min=1).to(x.dtype).reciprocal().unsqueeze(1)


class SymmetricSAGE(SAGEConv):  # type: ignore[misc]
    """GraphSAGE on a symmetric sparse matrix: x_v -> W_r x_v + W_l mean of x_u over the neighbours u + b."""

    def forward(self, x: Tensor, matrix: Tensor) -> Tensor:
        return torch.addmm(self.lin_l(neighbour_mean(matrix, x)), x, self.lin_r.weight.t())


class SymmetricGCN(GCNConv):  # type: ignore[misc]
    """D^-1/2 (A + I) D^-1/2 x W + b, where A (n, n) is symmetric and sparse and D are the row sums of A + I."""

    def forward(self, x: Tensor, matrix: Tensor) -> Tensor:
        scale = (matrix.crow_indices().diff() + 1).to(x.dtype).rsqrt().unsqueeze(1)
        scaled = scale * self.lin(x)
        result: Tensor = scale * (neighbour_sum(matrix, scaled) + scaled) + self.bias
        return result


class GCN(nn.Module):
    """Graph convolutions from ``widths[0]`` features to ``widths[-1]`` numbers, with ReLU between them; logits (n)."""

    def __init__(self, widths: Sequence[int]) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(SymmetricGCN(wide, next_wide) for wide, next_wide in pairwise([*widths, 1]))

    def forward(self, features: Tensor, matrix: Tensor) -> Tensor:
        x: Tensor = self.convolutions[0](features, matrix)
        for convolution in self.convolutions[1:]:
            x = convolution(x.relu(), matrix)
        return x.squeeze(1)


class VertexSAGE(nn.Module):
    """z = h_3 w + c in R^n with h_l = ReLU(GraphSAGE(h_{l-1})) in R^(n x d'), where h_0 are the features (n, k)."""

    def __init__(self, num_features: int, vertex_dim: int) -> None:
        super().__init__()
        widths = [num_features] + [vertex_dim] * (LAYERS - 1)
        self.convolutions = nn.ModuleList(SymmetricSAGE(width, vertex_dim) for width in widths)
        self.output = nn.Linear(vertex_dim, 1)

    def forward(self, features: Tensor, matrix: Tensor) -> Tensor:
        x = features
        for convolution in self.convolutions:
            x = convolution(x, matrix).relu()
        logits: Tensor = self.output(x).squeeze(1)
        return logits


def adjacency(graph: Graph, device: torch.device | str) -> Tensor:
    """The symmetric adjacency matrix (n, n) without weights, where two opposite arcs are two entries."""
    rows, n = graph.incident, graph.num_vertices
    # half the memory
    narrow = np.int32 if rows.indices.size <= np.iinfo(np.int32).max else np.int64
    indptr, indices = (on_device(a.astype(narrow), device) for a in (rows.indptr, rows.indices))
    ones = torch.ones(indices.numel(), device=device)
    return torch.sparse_csr_tensor(indptr, indices, ones, (n, n), check_invariants=False)


def class_weights(is_in: Tensor) -> Tensor:
    """A weight for each vertex (n), so that each class has a weight of 1/2 in all, however few vertices it has."""
    weights = torch.where(is_in, is_in.sum(), (~is_in).sum()).float().reciprocal()
    return weights / weights.sum()


def minimise(
    network: nn.Module, loss: Callable[[], Tensor], epochs: int, *, description: str, weight_decay: float = 0.0
) -> float:
    """Minimise ``loss`` with Adam, a step for each epoch, and return its smoothed value at the end.

    The smoothed value is l_t / (1 - 0.98^t) with l_t = 0.98 l_{t-1} + 0.02 loss_t. Training ends early when it has not
    fallen by 0.001 for 100 epochs.
    """
    optimiser = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE, weight_decay=weight_decay)
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


def cross_entropy(logits: Tensor, is_in: Tensor, weights: Tensor) -> Tensor:
    """The weighted mean of -log p(v) over vertices that are in and -log (1 - p(v)) over those that are out."""
    return binary_cross_entropy_with_logits(logits, is_in.float(), weights, reduction="sum") / weights.sum()


def distillation(student: Tensor, teacher: Tensor, weights: Tensor, temperature: float) -> Tensor:
    """T^2 times the weighted mean over vertices of KL(q || p) for the classes in and out.

    q = sigmoid(teacher / T) and p = sigmoid(student / T); T^2 keeps the size of the gradient independent of T.
    """
    s, t = student / temperature, teacher / temperature
    q = t.sigmoid()
    divergence = q * (logsigmoid(t) - logsigmoid(s)) + (1 - q) * (logsigmoid(-t) - logsigmoid(-s))
    return temperature**2 * (weights * divergence).sum() / weights.sum()


def boosted(weights: Tensor, misjudged: Tensor) -> Tensor:
    """AdaBoost's step: ``misjudged`` vertices (n, bool) get as much weight as all others, if they had less."""
    error = float(weights[misjudged].sum() / weights.sum())
    return torch.where(misjudged, weights * (1 - error) / error, weights) if 0 < error < 0.5 else weights
