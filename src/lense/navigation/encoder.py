"""The encoder psi: three GraphSAGE layers, each followed by top-k pooling, with readouts summed over the layers."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.nn import TopKPooling

from lense.navigation.batches import GraphTensors, SubgraphBatch, begins_of
from lense.pruners.sage import LAYERS, SymmetricSAGE, neighbour_mean

_BLOCK = 512
_LARGEST = 0x7FFFFFFF


@dataclass(frozen=True)
class _Neighbours:
    """A symmetric adjacency in rows: ``indptr`` (N + 1), ``indices`` (A)."""

    indptr: Tensor
    indices: Tensor

    def matrix(self) -> Tensor:
        return _matrix(self.indptr, self.indices)

    def among(self, kept: Tensor) -> "_Neighbours":
        """The entries between the vertices ``kept`` (rising), which become 0, 1, ..."""
        number = torch.full((self.indptr.numel() - 1,), -1, device=kept.device)
        number[kept] = torch.arange(kept.numel(), device=kept.device)
        of = number.repeat_interleave(self.indptr.diff(), output_size=self.indices.numel())
        indices = number.index_select(0, self.indices)
        stays = (torch.minimum(of, indices) >= 0).nonzero().squeeze(1)
        counts = torch.bincount(of.index_select(0, stays), minlength=kept.numel())
        return _Neighbours(begins_of(counts), indices.index_select(0, stays))


class Encoder(nn.Module):
    """psi(S) = W sum_l [mean || max](h_l) + b in R^d, scaled to length 1.

    h_l is what top-k pooling leaves of ReLU(GraphSAGE(h_{l-1})), l = 1, 2, 3: the ceil(ratio N) vertices of each
    subgraph with the largest tanh(p h / |p|), times that number. h_0 are the ``num_features`` of the vertices (N, k).
    """

    def __init__(self, num_features: int, vertex_dim: int, embedding_dim: int, *, pool_ratio: float = 0.8) -> None:
        super().__init__()
        widths = [num_features] + [vertex_dim] * (LAYERS - 1)
        self.convolutions = nn.ModuleList(SymmetricSAGE(width, vertex_dim) for width in widths)
        self.pools = nn.ModuleList(TopKPooling(vertex_dim, ratio=pool_ratio) for _ in range(LAYERS))
        self.output = nn.Linear(2 * vertex_dim, embedding_dim)
        self.num_features, self.pool_ratio = num_features, pool_ratio

    def vertex_features(self, graph: GraphTensors, batch: SubgraphBatch) -> tuple[Tensor, Tensor]:
        """Of each vertex its own features (N, k), and the mean (N, k) of its neighbours' features in the subgraph."""
        own = graph.features.index_select(0, batch.vertices)
        return own, neighbour_mean(_matrix(batch.indptr, batch.indices), own)

    @property
    def first_layer(self) -> tuple[Tensor, Tensor]:
        """Weight (d', 2k) and bias (d') that map a vertex's own features and its neighbours' mean to its vector."""
        first: Any = self.convolutions[0]
        return torch.cat([first.lin_r.weight, first.lin_l.weight], dim=1), first.lin_l.bias

    def forward(self, batch: SubgraphBatch, own: Tensor, mean: Tensor) -> Tensor:
        """psi (B, d) of the subgraphs of a batch whose vertices have the features ``own`` and ``mean`` (N, k)."""
        neighbours, sets = _Neighbours(batch.indptr, batch.indices), _Sets(batch.begins)
        readout = torch.zeros((), device=own.device)
        x = nn.functional.linear(torch.cat([own, mean], dim=-1), *self.first_layer)
        for layer, (convolution, pool) in enumerate(zip(self.convolutions, self.pools, strict=True)):
            if layer:
                x = convolution(x, neighbours.matrix())
            x = x.relu()
            score = _score(pool, x)
            kept, sets = sets.best(score.detach(), self.pool_ratio)
            x = x.index_select(0, kept) * score.index_select(0, kept).unsqueeze(-1)
            if layer + 1 < LAYERS:
                neighbours = neighbours.among(kept)
            readout = readout + sets.mean_and_max(x)
        return nn.functional.normalize(self.output(readout), dim=-1)


@dataclass(frozen=True)
class _Sets:
    """Which of N vertices are in which of B sets: those of set i begin at ``begins`` (B + 1)[i]."""

    begins: Tensor

    @property
    def sizes(self) -> Tensor:
        return self.begins.diff()

    def set_of(self, num_vertices: int) -> Tensor:
        """The set (N) of each of the N vertices."""
        return torch.repeat_interleave(self.sizes, output_size=num_vertices)

    def best(self, score: Tensor, ratio: float) -> tuple[Tensor, "_Sets"]:
        """The ceil(ratio n) vertices of largest ``score`` (N) of each set of n, rising, and the sets they make.

        Of equal ones the first count. One sort by set and falling score ranks the vertices of all sets. It is a sort of
        integers, several times as fast as one of numbers: the bits of a float, those of a negative one but for its sign
        turned round, are in the order of the floats.
        """
        bits = (0.0 - score).view(torch.int32)
        falling = bits ^ ((bits >> 31) & _LARGEST)
        set_of = self.set_of(score.numel())
        order = ((set_of << 32) + falling).argsort(stable=True)
        sizes = (ratio * self.sizes.to(score.dtype)).ceil().long()
        ends = self.begins[:-1] + sizes
        is_among = torch.arange(score.numel(), device=score.device) < ends.index_select(0, set_of)
        best = torch.empty_like(is_among).scatter_(0, order, is_among)
        return best.nonzero().squeeze(1), _Sets(begins_of(sizes))

    def mean_and_max(self, x: Tensor) -> Tensor:
        """[mean || max] (B, 2 d') of the rows of x (N, d') in each set.

        A GPU adds up the rows of a set one after the other, since they all go to one place. So sets are cut into
        blocks, the rows of each block are added up, and then the blocks of each set.
        """
        num_sets, set_of = self.sizes.numel(), self.set_of(x.shape[0])
        first_block = begins_of((self.sizes + _BLOCK - 1) // _BLOCK)
        rank = torch.arange(x.shape[0], device=x.device) - self.begins.index_select(0, set_of)
        block = first_block.index_select(0, set_of) + rank // _BLOCK
        num_blocks = x.shape[0] // _BLOCK + num_sets + 1
        set_of_block = block.new_full((num_blocks,), num_sets).scatter_(0, block, set_of)
        total = _added_up(_added_up(x, block, num_blocks), set_of_block, num_sets + 1)
        largest = _largest(_largest(x, block, num_blocks), set_of_block, num_sets + 1)
        return torch.cat([total[:-1] / self.sizes.clamp(min=1).unsqueeze(-1), largest[:-1]], dim=-1)


def _added_up(x: Tensor, group: Tensor, num_groups: int) -> Tensor:
    """The sum of the rows of x (N, d') in each group."""
    return x.new_zeros(num_groups, x.shape[1]).scatter_add(0, group.unsqueeze(1).expand_as(x), x)


def _largest(x: Tensor, group: Tensor, num_groups: int) -> Tensor:
    """The largest of the rows of x (N, d') in each group, -inf where it has none."""
    where = group.unsqueeze(1).expand_as(x)
    return x.new_full((num_groups, x.shape[1]), -torch.inf).scatter_reduce(0, where, x, "amax")


def _matrix(indptr: Tensor, indices: Tensor) -> Tensor:
    """The adjacency matrix (N, N), sparse; parallel edges stand in it side by side."""
    n, ones = indptr.numel() - 1, torch.ones(indices.numel(), device=indices.device)
    return torch.sparse_csr_tensor(indptr, indices, ones, (n, n), check_invariants=False)


def _score(pool: TopKPooling, x: Tensor) -> Tensor:
    """What top-k pooling ranks the rows of x (N, d') by, tanh(p x / |p|)."""
    score: Tensor = pool.select.act(x @ pool.select.weight.squeeze(0) / pool.select.weight.norm())
    return score
