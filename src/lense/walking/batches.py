"""The map xi: from a set X of vertices to the subgraph of X, its neighbours, and the edges with an end in X."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lense.graph import Graph
from lense.types import AnyArray, Float32s

_PADDING_ROW = 64
"""Entries that a vertex of the padding has at most: a long row takes a GPU long."""


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

    @property
    def is_far(self) -> bool:
        """Whether the host has to wait for what it asks of the device."""
        return self.device.type != "cpu"

    def entries_of(self, sets: Tensor) -> Tensor:
        """The number (N) of entries in the rows of the vertices of each of the ``sets`` (N, M)."""
        return (self.indptr[sets + 1] - self.indptr[sets]).sum(dim=-1)


@dataclass(frozen=True)
class SubgraphBatch:
    """xi(X_1), ..., xi(X_B) as one disconnected graph on N vertices, sorted by set and then by parent id.

    ``vertices`` (N) are the ids in the parent and ``set_of`` (N) the sets they belong to; ``roots`` (B, M) and
    ``is_root`` (N) say which of them are in X. Row v of the CSR arrays ``indptr`` (N + 1), ``indices`` (A) lists the
    neighbours of v; every edge stands in the rows of both ends, so that the matrix is symmetric. ``root_rows`` are the
    rows of the roots alone, one after the other in the order of ``roots``: where each begins (B M + 1), and neighbours.

    A batch that is ``padded`` has shapes that do not depend on numbers, so that a GPU need not be waited for. Its last
    vertices, of the set B, and the last entries of ``root_rows`` are nothing but padding; edges lead from padding to
    padding alone.
    """

    vertices: Tensor
    set_of: Tensor
    roots: Tensor
    is_root: Tensor
    root_rows: tuple[Tensor, Tensor]
    indptr: Tensor
    indices: Tensor
    padded: bool = False

    @property
    def num_sets(self) -> int:
        return self.roots.shape[0]

    @property
    def num_vertices(self) -> int:
        return self.vertices.numel()


def row_entries(indptr: Tensor, rows: Tensor, room: int | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Where the entries of ``rows`` (R) stand in a CSR's indices.

    That is where each row begins among all of them (R + 1), and of each entry the number in ``rows`` and the position.
    With ``room`` there are so many entries: the last ones are in the row of number R, at a position past the end.
    """
    first = torch.cat([indptr.index_select(0, rows), indptr[-1:]])
    begins = begins_of(indptr.index_select(0, rows + 1) - first[:-1])
    if room is None:
        owner = torch.repeat_interleave(begins.diff())
    else:
        owner = torch.searchsorted(begins[1:], torch.arange(room, device=rows.device), right=True)
    position = torch.arange(owner.numel(), device=rows.device) + (first - begins).index_select(0, owner)
    return begins, owner, position


def induce(graph: GraphTensors, roots: Tensor, room: int | None = None, vertices: int | None = None) -> SubgraphBatch:
    """xi of each row of ``roots`` (B, M), int64 with distinct vertices in a row; the cost is that of the result.

    How large the result is only the device knows, which is asked, and waited for. Not so with ``room`` for a number of
    entries in the rows of the roots, no fewer than there are: then the batch is padded, and costs as much as so many.
    It is padded less if the number of ``vertices`` in all of xi is known.
    """
    num_sets, num_roots = roots.shape
    n, num_keys = graph.num_vertices, roots.numel()
    flat = roots.flatten()
    if room is not None:
        room = min(room, num_sets * graph.indices.numel())
    begins, owner, position = row_entries(graph.indptr, flat, room)
    if room is not None:
        position.clamp_(max=graph.indices.numel() - 1)
    first_key = torch.arange(num_keys + 1, device=roots.device) // num_roots * n
    reached = first_key.index_select(0, owner) + graph.indices.index_select(0, position)
    keys = torch.cat([first_key[:-1] + flat, reached])
    # half the bits sort in little more than half the time
    keys = keys.int() if n * (num_sets + 1) < 1 << 31 else keys
    most = n * num_sets if vertices is None else vertices
    num_vertices = None if room is None else _vertices_within(room, num_keys, most)
    distinct, first_place, number, place = _numbered(keys, num_vertices, n * num_sets)
    root, neighbour = number[:num_keys], number[num_keys:]
    set_of, last = distinct // n, distinct.numel() - 1

    # The rows of roots are whole rows of the parent. Those of other vertices list roots alone: they are the transpose
    # of the entries that do not lead to a root, which the sort has brought into order already.
    counts = first_place.diff().scatter_(0, root, begins.diff())
    indptr = begins_of(counts if room is None else counts.masked_fill_(set_of == num_sets, 0))
    end = indptr[-1:].clone()
    num_entries = int(end) if room is None else 2 * room
    if room is not None:
        indptr += _shares(num_entries - end, set_of == num_sets)
    indices = root.new_full((num_entries + 1,), last)
    to = (torch.cat([indptr.index_select(0, root), end]) - begins).index_select(0, owner)
    indices.scatter_(0, to + torch.arange(to.numel(), device=to.device), neighbour)
    # what leads to a root stands in that root's row already: it goes past the end
    back = (indptr[:-1] - first_place[:-1]).index_fill_(0, root, num_entries).index_select(0, neighbour)
    of = torch.cat([root, root.new_full((1,), last)]).index_select(0, owner)
    indices.scatter_(0, (back + place[num_keys:]).clamp_(max=num_entries), of)
    return SubgraphBatch(
        vertices=distinct % n,
        set_of=set_of,
        roots=root.view(num_sets, num_roots),
        is_root=torch.zeros_like(distinct, dtype=torch.bool).index_fill_(0, root, True),
        root_rows=(begins, neighbour),
        indptr=indptr,
        indices=indices[:-1],
        padded=room is not None,
    )


def _numbered(keys: Tensor, room: int | None, filling: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The different ``keys`` (N) rising, and where each is first when all are sorted (N + 1); of each key (K) its
    number among the different ones and its place when all are sorted.

    With ``room`` for so many different keys, the ``filling`` takes what they leave of it.
    """
    sorted_keys, order = keys.sort(stable=True)
    is_new = torch.ones_like(sorted_keys, dtype=torch.bool)
    torch.ne(sorted_keys[1:], sorted_keys[:-1], out=is_new[1:])
    number = is_new.cumsum(0) - 1
    size = int(number[-1]) + 1 if room is None else room
    distinct = sorted_keys.new_full((size,), filling).scatter_(0, number, sorted_keys)
    places = torch.arange(keys.numel(), device=keys.device)
    first = places.new_full((size + 2,), keys.numel())
    first.scatter_(0, torch.where(is_new, number, size + 1), places)
    place = torch.empty_like(order).scatter_(0, order, places)
    return distinct.long(), first[:-1], number.index_select(0, place), place


def _vertices_within(room: int, num_roots: int, most: int) -> int:
    """Room for the vertices of a batch, and for some more, among which the entries that are none are shared."""
    return min(room + num_roots, most) + 2 * room // _PADDING_ROW + 1


def _shares(entries: Tensor, is_padding: Tensor) -> Tensor:
    """How many of the ``entries`` (1) stand before each row and after the last (N + 1), if padding has equal shares."""
    rank = begins_of(is_padding)
    return entries * rank // rank[-1:]


def begins_of(counts: Tensor) -> Tensor:
    """Where rows of these lengths (R) begin, and where the last one ends (R + 1)."""
    begins = torch.zeros(counts.numel() + 1, dtype=torch.int64, device=counts.device)
    torch.cumsum(counts, 0, out=begins[1:])
    return begins


def _tensor(array: AnyArray, device: torch.device | str) -> Tensor:
    # a copy: torch knows no read-only memory, which a graph's arrays are
    return torch.from_numpy(array.copy()).to(device)
