"""The map xi: from a set X of vertices to the subgraph of X, its neighbours, and the edges with an end in X."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.csr import Adjacency
from lense.kernels.rows import rows_between
from lense.types import AnyArray, Float32s, Int64s


@dataclass(frozen=True, repr=False)
class Subgraph:
    """A part of a graph as a graph of its own: xi(X), or what is left when vertices are taken out.

    ``graph`` has the parent's direction, weights and labels; its vertex i is ``vertices[i]`` in the parent, in rising
    order; ``roots`` is X, the vertices that the part is about, also in the parent's numbers.
    """

    graph: Graph
    vertices: Int64s
    roots: Int64s

    def __repr__(self) -> str:
        return (
            f"Subgraph({self.graph.num_vertices:,} vertices, {self.graph.num_edges:,} edges, {self.roots.size:,} roots)"
        )


@dataclass(frozen=True)
class GraphTensors:
    """A graph on a device: its incident adjacency (edges whatever their direction) and its vertex features.

    ``indptr`` (n + 1) int64, ``indices`` int32, ``features`` (n, k) float32.
    """

    indptr: Tensor
    indices: Tensor
    features: Tensor

    @classmethod
    def of(cls, graph: Graph, features: Float32s, device: torch.device | str = "cpu") -> "GraphTensors":
        rows = graph.incident
        return cls(
            indptr=_tensor(rows.indptr, device),
            indices=_tensor(rows.indices, device),
            features=_tensor(features, device),
        )

    @property
    def num_vertices(self) -> int:
        return self.indptr.numel() - 1

    @property
    def device(self) -> torch.device:
        return self.indptr.device


@dataclass(frozen=True)
class SubgraphBatch:
    """xi(X_1), ..., xi(X_B) as one disconnected graph on N vertices, sorted by set and then by parent id.

    ``vertices`` (N) are the ids in the parent and ``set_of`` (N) the sets they belong to; ``roots`` (B, M) and
    ``is_root`` (N) say which of them are in X. Row v of the CSR arrays ``indptr`` (N + 1), ``indices`` (A) lists the
    neighbours of v; every edge stands in the rows of both ends, so that the matrix is symmetric. ``root_rows`` are the
    rows of the roots alone, one after the other in the order of ``roots``: where each begins (B M + 1), and neighbours.
    """

    vertices: Tensor
    set_of: Tensor
    roots: Tensor
    is_root: Tensor
    root_rows: tuple[Tensor, Tensor]
    indptr: Tensor
    indices: Tensor

    @property
    def num_sets(self) -> int:
        return self.roots.shape[0]

    @property
    def num_vertices(self) -> int:
        return self.vertices.numel()


def row_entries(indptr: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Where the entries of ``rows`` (R) stand in a CSR's indices: (number in ``rows``, position) of each entry."""
    first = indptr.index_select(0, rows)
    counts = indptr.index_select(0, rows + 1) - first
    owner = torch.repeat_interleave(counts)
    before = counts.cumsum(0) - counts
    return owner, torch.arange(owner.numel(), device=owner.device) + (first - before).index_select(0, owner)


def induce(graph: GraphTensors, roots: Tensor) -> SubgraphBatch:
    """xi of each row of ``roots`` (B, M), int64 with distinct vertices in a row; the cost is that of the result."""
    num_sets, num_roots = roots.shape
    n, num_keys = graph.num_vertices, roots.numel()
    flat = roots.flatten()
    owner, position = row_entries(graph.indptr, flat)
    first_key = n * torch.arange(num_sets, device=roots.device).repeat_interleave(num_roots)
    reached = first_key.index_select(0, owner) + graph.indices.index_select(0, position)
    keys = torch.cat([first_key + flat, reached])
    # half the bits sort in little more than half the time
    sorted_keys, order = (keys.int() if n * num_sets < 1 << 31 else keys).sort(stable=True)

    is_new = torch.ones_like(sorted_keys, dtype=torch.bool)
    torch.ne(sorted_keys[1:], sorted_keys[:-1], out=is_new[1:])
    number = is_new.cumsum(0) - 1
    distinct = sorted_keys.masked_select(is_new).long()
    local = torch.empty_like(order).scatter_(0, order, number)
    root, neighbour = local[:num_keys], local[num_keys:]
    is_root = torch.zeros_like(distinct, dtype=torch.bool).index_fill_(0, root, True)

    # The rows of roots are whole rows of the parent. Those of other vertices list roots alone: they are the transpose
    # of the entries that do not lead to a root, which the sort has brought into order already.
    leads_out = (~is_root.index_select(0, number)).nonzero().squeeze(1)
    to = number.index_select(0, leads_out)
    back = order.index_select(0, leads_out) - num_keys
    counts = torch.bincount(to, minlength=distinct.numel())
    before = counts.cumsum(0) - counts
    first = graph.indptr.index_select(0, flat)
    degrees = graph.indptr.index_select(0, flat + 1) - first
    indptr = _begins(counts.scatter_(0, root, degrees))

    indices = torch.empty(owner.numel() + to.numel(), dtype=torch.int64, device=roots.device)
    indices.scatter_(0, (indptr.index_select(0, root) - first).index_select(0, owner) + position, neighbour)
    place = torch.arange(to.numel(), device=to.device) + (indptr[:-1] - before).index_select(0, to)
    indices.scatter_(0, place, root.index_select(0, owner.index_select(0, back)))
    return SubgraphBatch(
        vertices=distinct % n,
        set_of=distinct // n,
        roots=root.view(num_sets, num_roots),
        is_root=is_root,
        root_rows=(_begins(degrees), neighbour),
        indptr=indptr,
        indices=indices,
    )


def _begins(counts: Tensor) -> Tensor:
    """Where rows of these lengths (R) begin, and where the last one ends (R + 1)."""
    begins = torch.zeros(counts.numel() + 1, dtype=torch.int64, device=counts.device)
    torch.cumsum(counts, 0, out=begins[1:])
    return begins


def subgraph(graph: Graph, roots: ArrayLike) -> Subgraph:
    """xi(``roots``) of ``graph`` with its direction, weights and labels."""
    chosen = _checked(graph, roots)
    is_root = np.zeros(graph.num_vertices, np.bool_)
    is_root[chosen] = True
    sources, targets, weights = _entries(graph.outgoing, chosen)
    if graph.directed:
        # in-arcs from other roots are among their out-arcs already
        heads, tails, tail_weights = _entries(graph.incoming, chosen)
        others = ~is_root[tails]
        sources, targets = np.append(sources, tails[others]), np.append(targets, heads[others])
        weights = None if weights is None or tail_weights is None else np.append(weights, tail_weights[others])
    else:
        once = ~is_root[targets] | (sources <= targets)
        sources, targets = sources[once], targets[once]
        weights = None if weights is None else weights[once]
    vertices = np.unique(np.concatenate([chosen, sources, targets]))
    compact = Graph.from_edges(
        np.searchsorted(vertices, sources),
        np.searchsorted(vertices, targets),
        weights,
        directed=graph.directed,
        labels=graph.labels[vertices],
        keep_duplicates=True,
        keep_self_loops=True,
    )
    return Subgraph(graph=compact, vertices=vertices, roots=chosen)


def kept_part(graph: Graph, vertices: ArrayLike, roots: ArrayLike | None = None) -> Subgraph:
    """``graph`` without the vertices that are not among ``vertices``, and without their edges.

    ``roots``, the vertices that an answer may consist of, are all of ``vertices`` unless given.
    """
    kept = _checked(graph, vertices)
    given = np.empty(0, np.float32) if graph.weights is None else graph.weights
    indptr, indices, weights = rows_between(graph.indptr, graph.indices, given, kept)
    compact = Graph(
        indptr=indptr,
        indices=indices,
        weights=None if graph.weights is None else weights,
        directed=graph.directed,
        labels=graph.labels[kept],
    )
    return Subgraph(graph=compact, vertices=kept, roots=kept if roots is None else _checked(graph, roots))


def _checked(graph: Graph, vertices: ArrayLike) -> Int64s:
    """Different vertices of ``graph``, in rising order."""
    distinct = np.unique(np.asarray(vertices, dtype=np.int64))
    if distinct.size and not 0 <= distinct[0] <= distinct[-1] < graph.num_vertices:
        raise LenseError(f"Vertices must lie between 0 and {graph.num_vertices - 1}, the last vertex of the graph.")
    return distinct


def _entries(rows: Adjacency, vertices: Int64s) -> tuple[Int64s, Int64s, Float32s | None]:
    """The entries of the rows of ``vertices``: (row, index, weight) of each."""
    owner, position = row_entries(_tensor(rows.indptr, "cpu"), torch.from_numpy(vertices))
    where = position.numpy()
    weights = None if rows.weights is None else rows.weights[where]
    return vertices[owner.numpy()], rows.indices[where].astype(np.int64), weights


def _tensor(array: AnyArray, device: torch.device | str) -> Tensor:
    # a copy: torch knows no read-only memory, which a graph's arrays are
    return torch.from_numpy(array.copy()).to(device)
