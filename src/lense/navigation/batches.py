"""Subgraphs as tensors: xi of many root sets at once, as one disconnected graph."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lense._util.torch_device import on_device
from lense._util.types import Float32s
from lense.graph import Graph
from lense.kernels.rows import Adjacency


@dataclass(frozen=True)
class GraphTensors:
    """A graph on a device: its incident adjacency (edges whatever their direction) and its vertex features.

    ``indptr`` (n + 1) int64, ``indices`` int32, ``features`` (n, k) float32; ``rows`` and ``vertex_features`` are the
    same in numpy, on which swaps are made.
    """

    rows: Adjacency
    vertex_features: Float32s
    indptr: Tensor
    indices: Tensor
    features: Tensor

    @classmethod
    def of(cls, graph: Graph, features: Float32s, device: torch.device | str = "cpu") -> "GraphTensors":
        rows = graph.incident
        # copies: a graph's arrays are read-only, and torch has no such memory
        tensors = (on_device(array.copy(), device) for array in (rows.indptr, rows.indices, features))
        return cls(rows, features, *tensors)

    @property
    def num_vertices(self) -> int:
        return self.indptr.numel() - 1

    @property
    def device(self) -> torch.device:
        return self.indptr.device

    def entries_of(self, sets: Tensor) -> Tensor:
        """The number (N) of entries in the rows of the vertices of each of the ``sets`` (N, M)."""
        return (self.indptr[sets + 1] - self.indptr[sets]).sum(dim=-1)


@dataclass(frozen=True)
class SubgraphBatch:
    """xi(X_1), ..., xi(X_B) as one disconnected graph on N vertices, sorted by set and then by parent id.

    ``vertices`` (N) are the ids in the parent; set i has those from ``begins`` (B + 1)[i] on. Row v of the CSR arrays
    ``indptr`` (N + 1), ``indices`` (A) lists the neighbours of v; every edge stands in the rows of both ends, so that
    the matrix is symmetric.
    """

    vertices: Tensor
    begins: Tensor
    indptr: Tensor
    indices: Tensor

    @property
    def num_sets(self) -> int:
        return self.begins.numel() - 1

    @property
    def num_vertices(self) -> int:
        return self.vertices.numel()


def joined(batches: Sequence[SubgraphBatch]) -> SubgraphBatch:
    """All sets of several batches as one batch, in that order."""
    sizes = [batch.num_vertices for batch in batches]
    entries = [batch.indices.numel() for batch in batches]
    first = np.cumsum([0, *sizes])[:-1]
    return SubgraphBatch(
        vertices=torch.cat([batch.vertices for batch in batches]),
        begins=_chained([batch.begins for batch in batches], sizes),
        indptr=_chained([batch.indptr for batch in batches], entries),
        indices=torch.cat([batch.indices for batch in batches])
        + on_device(np.repeat(first, entries), batches[0].indices.device),
    )


def _chained(begins: Sequence[Tensor], ends: Sequence[int]) -> Tensor:
    """Where parts begin, each sequence counting from where the one before it ended."""
    device, counts = begins[0].device, [one.numel() - 1 for one in begins]
    starts = on_device(np.repeat(np.cumsum([0, *ends])[:-1], counts), device)
    last = on_device(np.array([sum(ends)]), device)
    return torch.cat([torch.cat([one[:-1] for one in begins]) + starts, last])


def row_entries(indptr: Tensor, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Where the entries of ``rows`` (R) stand in a CSR's indices.

    That is where each row begins among all of them (R + 1), and of each entry the number in ``rows`` and the position.
    """
    first = indptr.index_select(0, rows)
    begins = begins_of(indptr.index_select(0, rows + 1) - first)
    owner = torch.repeat_interleave(begins.diff())
    position = torch.arange(owner.numel(), device=rows.device) + (first - begins[:-1]).index_select(0, owner)
    return begins, owner, position


def induce(graph: GraphTensors, roots: Tensor) -> SubgraphBatch:
    """xi of each row of ``roots`` (B, M), int64 with distinct vertices in a row; the cost is that of the result."""
    num_sets, num_roots = roots.shape
    n, num_keys = graph.num_vertices, roots.numel()
    flat = roots.flatten()
    begins, owner, position = row_entries(graph.indptr, flat)
    first_key = torch.arange(num_keys, device=roots.device) // num_roots * n
    reached = first_key.index_select(0, owner) + graph.indices.index_select(0, position)
    keys = torch.cat([first_key + flat, reached])
    # half the bits sort in little more than half the time
    keys = keys.int() if n * (num_sets + 1) < 1 << 31 else keys
    distinct, first_place, number, place = _numbered(keys)
    root, neighbour = number[:num_keys], number[num_keys:]

    # The rows of roots are whole rows of the parent. Those of other vertices list roots alone: they are the transpose
    # of the entries that do not lead to a root, which the sort has brought into order already.
    indptr = begins_of(first_place.diff().scatter_(0, root, begins.diff()))
    num_entries = int(indptr[-1])
    indices = root.new_empty(num_entries + 1)
    to = (indptr.index_select(0, root) - begins[:-1]).index_select(0, owner)
    indices.scatter_(0, to + torch.arange(to.numel(), device=to.device), neighbour)
    # what leads to a root stands in that root's row already: it goes past the end
    back = (indptr[:-1] - first_place[:-1]).index_fill_(0, root, num_entries).index_select(0, neighbour)
    indices.scatter_(0, (back + place[num_keys:]).clamp_(max=num_entries), root.index_select(0, owner))
    set_of = distinct // n
    return SubgraphBatch(
        vertices=distinct % n,
        begins=torch.searchsorted(set_of, torch.arange(num_sets + 1, device=roots.device)),
        indptr=indptr,
        indices=indices[:-1],
    )


def _numbered(keys: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The different ``keys`` (N) rising, and where each is first when all are sorted (N + 1); of each key (K) its
    number among the different ones and its place when all are sorted.
    """
    sorted_keys, order = keys.sort(stable=True)
    is_new = torch.ones_like(sorted_keys, dtype=torch.bool)
    torch.ne(sorted_keys[1:], sorted_keys[:-1], out=is_new[1:])
    number = is_new.cumsum(0) - 1
    first = torch.cat([is_new.nonzero().squeeze(1), number.new_full((1,), keys.numel())])
    place = torch.empty_like(order).scatter_(0, order, torch.arange(keys.numel(), device=keys.device))
    return sorted_keys.index_select(0, first[:-1]).long(), first, number.index_select(0, place), place


def begins_of(counts: Tensor) -> Tensor:
    """Where rows of these lengths (R) begin, and where the last one ends (R + 1)."""
    begins = torch.zeros(counts.numel() + 1, dtype=torch.int64, device=counts.device)
    torch.cumsum(counts, 0, out=begins[1:])
    return begins
