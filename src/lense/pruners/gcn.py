"""The GCN pruner of the QuickPrune study: two graph convolutions on random features."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch_geometric.nn import GCNConv

from lense._util.types import Float32s
from lense.graph import Graph
from lense.pruners.classifier import Rng, VertexClassifier


class _NeighbourSum(torch.autograd.Function):
    """A x for a symmetric sparse A (n, n), which is its own adjoint, so that no transpose is formed."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, x: Tensor) -> Tensor:
        ctx.save_for_backward(matrix)
        return matrix @ x

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor]:
        return None, ctx.saved_tensors[0] @ gradients[0]


class SymmetricGCN(GCNConv):  # type: ignore[misc]
    """D^-1/2 (A + I) D^-1/2 x W + b, where A (n, n) is symmetric and sparse and D are the row sums of A + I.

    x is scaled before and after the sum over neighbours, so that A itself needs no values.
    """

    def forward(self, x: Tensor, matrix: Tensor) -> Tensor:
        scale = (matrix.crow_indices().diff() + 1).to(x.dtype).rsqrt().unsqueeze(1)
        scaled = scale * self.lin(x)
        summed: Tensor = _NeighbourSum.apply(matrix, scaled)  # type: ignore[no-untyped-call]
        result: Tensor = scale * (summed + scaled) + self.bias
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


@dataclass(kw_only=True, repr=False, eq=False)
class GCNPruner(VertexClassifier):
    """Two graph convolutions of ``width`` hidden units on ``num_features`` random features of each vertex.

    The features are uniform on 0..1. They are drawn from ``seed`` for the train graph, and again for every graph to
    prune.
    """

    name: ClassVar[str] = "gcn"
    title: ClassVar[str] = "GCN"
    description: ClassVar[str] = "Vertices that a two-layer GCN on random features puts in the solution."
    family: ClassVar[str] = "later"
    randomised: ClassVar[bool] = True
    first_weights: ClassVar[str] = "convolutions.0.lin.weight"
    counts: ClassVar[tuple[str, ...]] = ("epochs", "width", "num_features")

    width: int = 16
    num_features: int = 16
    epochs: int = 2000
    seed: int = 0
    device: str = "cpu"

    def features(self, graph: Graph, rng: Rng) -> Float32s:
        return rng.random((graph.num_vertices, self.num_features), dtype="float32")

    def network(self, num_features: int) -> nn.Module:
        return GCN([num_features, self.width])
