"""The encoder psi: three GraphSAGE layers, each followed by top-k pooling, with readouts summed over the layers."""

import warnings
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn import SAGEConv, TopKPooling

from lense.subgraphs import GraphTensors, SubgraphBatch

LAYERS = 3
_BLOCK = 512


@dataclass(frozen=True)
class _Neighbours:
    """A symmetric adjacency in rows: ``indptr`` (N + 1), ``indices`` (A), and the row ``of`` (A) each entry is in."""

    indptr: Tensor
    indices: Tensor
    of: Tensor

    @classmethod
    def between(cls, of: Tensor, indices: Tensor, num_vertices: int) -> "_Neighbours":
        """Of entries in the order of their rows."""
        indptr = torch.zeros(num_vertices + 1, dtype=torch.int64, device=of.device)
        indptr[1:] = torch.bincount(of, minlength=num_vertices).cumsum(0)
        return cls(indptr, indices, of)

    def matrix(self) -> Tensor:
        return _matrix(self.indptr, self.indices)

    def among(self, kept: Tensor) -> "_Neighbours":
        """The entries between the vertices ``kept`` (rising), which become 0, 1, ..."""
        number = torch.full((self.indptr.numel() - 1,), -1, device=kept.device)
        number[kept] = torch.arange(kept.numel(), device=kept.device)
        of, indices = number.index_select(0, self.of), number.index_select(0, self.indices)
        stays = (torch.minimum(of, indices) >= 0).nonzero().squeeze(1)
        return self.between(of.index_select(0, stays), indices.index_select(0, stays), kept.numel())


class _NeighbourMean(torch.autograd.Function):
    """D^-1 A x for a symmetric sparse A (N, N) with row sums D; its adjoint is A D^-1, so no transpose is formed."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, x: Tensor) -> Tensor:
        weight = matrix.crow_indices().diff().clamp(min=1).to(x.dtype).reciprocal().unsqueeze(1)
        ctx.save_for_backward(matrix, weight)
        return (matrix @ x) * weight

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor]:
        matrix, weight = ctx.saved_tensors
        return None, matrix @ (gradients[0] * weight)


def neighbour_mean(matrix: Tensor, x: Tensor) -> Tensor:
    """The mean of x (N, k) over the neighbours of each vertex, 0 where it has none."""
    result: Tensor = _NeighbourMean.apply(matrix, x)  # type: ignore[no-untyped-call]
    return result


class SymmetricSAGE(SAGEConv):  # type: ignore[misc]
    """GraphSAGE on a symmetric sparse matrix: x_v -> W_r x_v + W_l mean of x_u over the neighbours u + b."""

    def forward(self, x: Tensor, matrix: Tensor) -> Tensor:
        return torch.addmm(self.lin_l(neighbour_mean(matrix, x)), x, self.lin_r.weight.t())

    def affine(self, own_and_mean: Tensor) -> Tensor:
        """The layer for vertices given as (..., 2k): own features, then the mean of the neighbours'."""
        return nn.functional.linear(own_and_mean, self.combined, self.lin_l.bias)

    @property
    def combined(self) -> Tensor:
        """[W_r || W_l] (d', 2k)."""
        return torch.cat([self.lin_r.weight, self.lin_l.weight], dim=1)


class Encoder(nn.Module):
    """psi(S) = W sum_l [mean || max](h_l) + b in R^d, of length 1 if ``normalised``.

    h_l is what top-k pooling leaves of ReLU(GraphSAGE(h_{l-1})), l = 1, 2, 3: the ceil(ratio N) vertices of each
    subgraph with the largest tanh(p h / |p|), times that number. h_0 are the vertex features (N, k): the graph's
    ``num_features``, and if the encoder ``marks_roots``, 1 for a root and 0 for other vertices. Without that mark a
    vertex whose edges the subgraph holds all looks much like one at its fringe, of whose edges it holds a few.
    """

    def __init__(
        self,
        num_features: int,
        vertex_dim: int,
        embedding_dim: int,
        *,
        pool_ratio: float = 0.8,
        normalised: bool = True,
        marks_roots: bool = True,
    ) -> None:
        super().__init__()
        widths = [num_features + marks_roots] + [vertex_dim] * (LAYERS - 1)
        self.convolutions = nn.ModuleList(SymmetricSAGE(width, vertex_dim) for width in widths)
        self.pools = nn.ModuleList(TopKPooling(vertex_dim, ratio=pool_ratio) for _ in range(LAYERS))
        self.output = nn.Linear(2 * vertex_dim, embedding_dim)
        self.num_features, self.normalised, self.marks_roots = num_features, normalised, marks_roots

    def vertex_features(self, graph: GraphTensors, batch: SubgraphBatch) -> tuple[Tensor, Tensor]:
        """Of each vertex its own features (N, k), and the mean (N, k) of its neighbours' features in the subgraph."""
        own = graph.features.index_select(0, batch.vertices)
        if self.marks_roots:
            own = torch.cat([own, batch.is_root.to(own.dtype).unsqueeze(1)], dim=1)
        return own, neighbour_mean(_matrix(batch.indptr, batch.indices), own)

    def vertex_vectors(self, own_and_mean: Tensor) -> Tensor:
        """The first layer (..., d') of vertices given as (..., 2k): own features, then the neighbours' mean."""
        vectors: Tensor = self.convolutions[0].affine(own_and_mean)  # type: ignore[operator]
        return vectors

    def forward(self, batch: SubgraphBatch, own: Tensor, mean: Tensor) -> Tensor:
        """psi (B, d) of the subgraphs of a batch whose vertices have the features ``own`` and ``mean`` (N, k)."""
        neighbours, set_of = _neighbours(batch), batch.set_of
        readout = torch.zeros((), device=own.device)
        x = self.vertex_vectors(torch.cat([own, mean], dim=-1))
        for layer, (convolution, pool) in enumerate(zip(self.convolutions, self.pools, strict=True)):
            if layer:
                x = convolution(x, neighbours.matrix())
            x, kept = _pooled(pool, x.relu(), set_of, batch.num_sets)
            set_of = set_of.index_select(0, kept)
            readout = readout + _mean_and_max(x, set_of, batch.num_sets)
            if layer + 1 < LAYERS:
                neighbours = neighbours.among(kept)
        embedding: Tensor = self.output(readout)
        return nn.functional.normalize(embedding, dim=-1) if self.normalised else embedding


def _mean_and_max(x: Tensor, set_of: Tensor, num_sets: int) -> Tensor:
    """[mean || max] (B, 2 d') of the rows of x (N, d') in each set; ``set_of`` (N) rises.

    A GPU adds up the rows of a set one after the other, since they all go to one place. So sets are cut into blocks,
    the rows of each block are added up, and then the blocks of each set.
    """
    sizes = torch.bincount(set_of, minlength=num_sets)
    blocks = (sizes + _BLOCK - 1) // _BLOCK
    rank = torch.arange(set_of.numel(), device=x.device) - (sizes.cumsum(0) - sizes).index_select(0, set_of)
    block = (blocks.cumsum(0) - blocks).index_select(0, set_of) + rank // _BLOCK
    set_of_block = torch.repeat_interleave(blocks)
    num_blocks = set_of_block.numel()
    total = _reduced(_reduced(x, block, num_blocks, "sum"), set_of_block, num_sets, "sum")
    largest = _reduced(_reduced(x, block, num_blocks, "amax"), set_of_block, num_sets, "amax")
    return torch.cat([total / sizes.clamp(min=1).unsqueeze(-1), largest], dim=-1)


def _reduced(x: Tensor, group: Tensor, num_groups: int, how: str) -> Tensor:
    """The sum or the largest of the rows of x (N, d') in each group, 0 where a group is empty."""
    where = group.unsqueeze(1).expand_as(x)
    return x.new_zeros(num_groups, x.shape[1]).scatter_reduce(0, where, x, how, include_self=False)


def _matrix(indptr: Tensor, indices: Tensor) -> Tensor:
    """The adjacency matrix (N, N), sparse; parallel edges stand in it side by side."""
    n, ones = indptr.numel() - 1, torch.ones(indices.numel(), device=indices.device)
    return torch.sparse_csr_tensor(indptr, indices, ones, (n, n), check_invariants=False)


def _neighbours(batch: SubgraphBatch) -> _Neighbours:
    return _Neighbours(batch.indptr, batch.indices, torch.repeat_interleave(batch.indptr.diff()))


def _pooled(pool: TopKPooling, x: Tensor, set_of: Tensor, num_sets: int) -> tuple[Tensor, Tensor]:
    """What top-k pooling leaves of x, and which vertices those are, in rising order so that rows stay sorted."""
    select = pool.select
    score = select.act(x @ select.weight.squeeze(0) / select.weight.norm())
    kept = _best_of_each(score.detach(), set_of, num_sets, select.ratio)
    return x.index_select(0, kept) * score.index_select(0, kept).unsqueeze(-1), kept


def _best_of_each(score: Tensor, set_of: Tensor, num_sets: int, ratio: float) -> Tensor:
    """The ceil(ratio n) vertices of largest score of each set of n, in rising order; of equal ones the first count.

    ``set_of`` (N) rises, so that one sort by set and falling score ranks the vertices of all sets. It is a sort of
    integers, several times as fast as one of numbers: the bits of a float, those of a negative one but for its sign
    turned round, are in the order of the floats.
    """
    bits = (0.0 - score).view(torch.int32)
    falling = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    order = ((set_of << 32) + falling).argsort(stable=True)
    sizes = torch.bincount(set_of, minlength=num_sets)
    quota = (ratio * sizes.to(score.dtype)).ceil().long() + sizes.cumsum(0) - sizes
    is_among = torch.arange(score.numel(), device=score.device) < quota.index_select(0, set_of)
    return torch.empty_like(is_among).scatter_(0, order, is_among).nonzero().squeeze(1)


with warnings.catch_warnings():  # torch says once that CSR matrices are young
    warnings.simplefilter("ignore")
    torch.sparse_csr_tensor([0, 1], [0], [1.0], (1, 1), check_invariants=False)
