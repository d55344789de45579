"""GraphSAGE on symmetric sparse matrices: the layer of LeNSE's encoder and of the vertex classifiers."""

from typing import Any

import torch
from torch import Tensor
from torch_geometric.nn import SAGEConv

LAYERS = 3


class _NeighbourMean(torch.autograd.Function):
    """D^-1 A x for a symmetric sparse A (N, N) and a diagonal D (N); its adjoint is A D^-1: no transpose is formed."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, counts: Tensor, x: Tensor) -> Tensor:
        weight = counts.clamp(min=1).to(x.dtype).reciprocal().unsqueeze(1)
        ctx.save_for_backward(matrix, weight)
        return (matrix @ x) * weight

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, None, Tensor]:
        matrix, weight = ctx.saved_tensors
        return None, None, matrix @ (gradients[0] * weight)


def neighbour_mean(matrix: Tensor, x: Tensor) -> Tensor:
    """The mean of x (N, k) over the neighbours of each vertex, 0 where it has none."""
    result: Tensor = _NeighbourMean.apply(matrix, matrix.crow_indices().diff(), x)  # type: ignore[no-untyped-call]
    return result


class SymmetricSAGE(SAGEConv):  # type: ignore[misc]
    """GraphSAGE on a symmetric sparse matrix: x_v -> W_r x_v + W_l mean of x_u over the neighbours u + b."""

    def forward(self, x: Tensor, matrix: Tensor) -> Tensor:
        return torch.addmm(self.lin_l(neighbour_mean(matrix, x)), x, self.lin_r.weight.t())
