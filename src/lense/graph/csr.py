"""The graph type: immutable CSR arrays, how edges become them, and what follows from them."""

import logging
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from lense._util.jit import kernel
from lense._util.types import AnyArray, Float32s, Int32s, Int64s
from lense.errors import LenseError
from lense.graph.labels import MAX_VERTICES, check_labels
from lense.kernels.rows import Adjacency, rows_between

log = logging.getLogger(__name__)

_NO_WEIGHTS = np.empty(0, np.float32)
_HASHED = 64


CSR = tuple[Int64s, Int32s, Float32s]
"""``indptr``, ``indices`` and weights, an empty array of which stands for none, so that one kernel serves both."""


def _counters(num_vertices: int, num_arcs: int) -> AnyArray:
    """Zeros for a counting sort, of 4 bytes where they suffice, since they should fit into the processor's cache."""
    return np.zeros(num_vertices + 1, np.int32 if num_arcs <= np.iinfo(np.int32).max else np.int64)


@kernel
def _starts(counters: AnyArray) -> Int64s:
    """Turn counts, each one place to the right, into the starts of groups; ``indptr`` is a copy of them."""
    indptr = np.empty(counters.size, np.int64)
    total = 0
    for v in range(counters.size):
        total += counters[v]
        counters[v] = total
        indptr[v] = total
    return indptr


@kernel
def _group_by_target(
    sources: Int32s, targets: Int32s, weights: Float32s, cursor: AnyArray, both_ways: bool, keep_loops: bool
) -> CSR:
    """Arcs grouped by their target, in edge order within a group.

    With ``both_ways`` each edge gives an arc per direction; a self loop gives only one arc.
    """
    for e in range(sources.size):
        u, v = sources[e], targets[e]
        if u != v:
            cursor[v + 1] += 1
            if both_ways:
                cursor[u + 1] += 1
        elif keep_loops:
            cursor[v + 1] += 1
    indptr = _starts(cursor)
    ends = np.empty(indptr[-1], np.int32)
    kept = np.empty(indptr[-1] if weights.size else 0, np.float32)
    for e in range(sources.size):
        u, v = sources[e], targets[e]
        if u == v and not keep_loops:
            continue
        ends[cursor[v]] = u
        if weights.size:
            kept[cursor[v]] = weights[e]
        cursor[v] += 1
        if both_ways and u != v:
            ends[cursor[u]] = v
            if weights.size:
                kept[cursor[u]] = weights[e]
            cursor[u] += 1
    return indptr, ends, kept


@kernel
def _transpose(indptr: Int64s, indices: Int32s, weights: Float32s, cursor: AnyArray) -> CSR:
    for a in range(indices.size):
        cursor[indices[a] + 1] += 1
    flipped = _starts(cursor)
    ends = np.empty(indices.size, np.int32)
    moved = np.empty(weights.size, np.float32)
    for v in range(indptr.size - 1):
        for a in range(indptr[v], indptr[v + 1]):
            u = indices[a]
            ends[cursor[u]] = v
            if weights.size:
                moved[cursor[u]] = weights[a]
            cursor[u] += 1
    return flipped, ends, moved


@kernel
def _drop_repeats(indptr: Int64s, indices: Int32s, weights: Float32s) -> int:
    """Keep the first of equal arcs in each sorted row, in place; the number of arcs left."""
    write = 0
    start = indptr[0]
    for v in range(indptr.size - 1):
        end = indptr[v + 1]
        last = -1
        for a in range(start, end):
            if indices[a] != last:
                last = indices[a]
                indices[write] = last
                if weights.size:
                    weights[write] = weights[a]
                write += 1
        indptr[v + 1] = write
        start = end
    return write


@kernel
def count_loops(indptr: Int64s, indices: Int32s) -> int:
    """The number of arcs from a vertex to itself."""
    loops = 0
    for v in range(indptr.size - 1):
        for a in range(indptr[v], indptr[v + 1]):
            loops += indices[a] == v
    return loops


def csr_from_edges(
    sources: Int32s,
    targets: Int32s,
    weights: Float32s | None,
    num_vertices: int,
    *,
    directed: bool,
    keep_duplicates: bool = True,
    keep_self_loops: bool = True,
) -> Adjacency:
    """The sorted CSR of an edge list over vertices 0..num_vertices - 1.

    It takes two counting sorts: linear time, no comparisons. Of repeated edges the first listed is kept, and with it
    its weight.
    """
    given = _NO_WEIGHTS if weights is None else weights
    cursor = _counters(num_vertices, sources.size if directed else 2 * sources.size)
    by_target = _group_by_target(sources, targets, given, cursor, not directed, keep_self_loops)
    indptr, indices, moved = _transpose(*by_target, _counters(num_vertices, by_target[1].size))
    if not keep_duplicates:
        arcs = _drop_repeats(indptr, indices, moved)
        if arcs < indices.size:
            indices, moved = indices[:arcs].copy(), moved[:arcs].copy()
    return Adjacency(indptr, indices, None if weights is None else moved)


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A frozen graph on vertices 0..n - 1 in compressed sparse rows; every array is read-only.

    An undirected graph stores both directions of an edge, and a self loop once. :meth:`from_edges` builds one.

    Parameters
    ----------
    indptr, indices
        The out-arcs of each vertex in rising order: int64 (n + 1) and int32.
    weights
        The weight of each arc (float32), or None.
    directed
        Whether edges have a direction.
    labels
        The ids of the vertices (n), integers or strings.

    Examples
    --------
    >>> import lense
    >>> graph = lense.Graph.from_edges([0, 0, 0, 3], [1, 2, 3, 4])
    >>> graph
    Graph(5 vertices, 4 edges, undirected)
    >>> graph.neighbors(0).tolist()
    [1, 2, 3]
    """

    indptr: Int64s
    indices: Int32s
    weights: Float32s | None
    directed: bool
    labels: AnyArray

    def __post_init__(self) -> None:
        for name, dtype in (("indptr", np.int64), ("indices", np.int32), ("weights", np.float32), ("labels", None)):
            given = getattr(self, name)
            if given is not None:
                # memory-mapped arrays stay mapped: asarray makes a plain view of them
                array = np.ascontiguousarray(np.asarray(given), dtype=dtype).view()
                array.setflags(write=False)
                object.__setattr__(self, name, array)
        if self.labels.ndim != 1 or self.labels.dtype.kind not in "iuU":
            raise LenseError(f"Labels are whole numbers or text, not {self.labels.ndim}-D {self.labels.dtype}.")
        if self.labels.size != self.num_vertices or self.indptr[-1] != self.indices.size:
            raise LenseError("indptr, indices and labels do not belong to one graph.")
        if self.weights is not None and self.weights.size != self.indices.size:
            raise LenseError("A graph needs one weight for each arc, or none at all.")

    @classmethod
    def from_edges(
        cls,
        sources: ArrayLike,
        targets: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        directed: bool = False,
        num_vertices: int | None = None,
        labels: AnyArray | None = None,
        keep_duplicates: bool = False,
        keep_self_loops: bool = False,
    ) -> Self:
        """Build a graph from parallel arrays of vertex numbers.

        Parameters
        ----------
        sources, targets
            The ends of each edge, from 0 on (m). Other ids go through :func:`lense.graph.relabel` first.
        weights
            The weight of each edge (m).
        directed
            Whether edges have a direction.
        num_vertices
            By default that of ``labels``, else one more than the largest vertex.
        labels
            The ids of the vertices, each different; by default their numbers.
        keep_duplicates, keep_self_loops
            Whether to keep repeated edges and self-loops. Otherwise the first listed of repeated edges counts.
        """
        u, v = _vertex_numbers(sources), _vertex_numbers(targets)
        labels = None if labels is None else check_labels(labels)
        if num_vertices is None:
            num_vertices = labels.size if labels is not None else int(max(u.max(), v.max())) + 1 if u.size else 0
        if num_vertices > MAX_VERTICES:
            raise LenseError(f"A graph holds at most {MAX_VERTICES:,} vertices, not {num_vertices:,}.")
        if u.size != v.size:
            raise LenseError(f"An edge has two ends, but there are {u.size} sources and {v.size} targets.")
        if u.size and (min(u.min(), v.min()) < 0 or max(u.max(), v.max()) >= num_vertices):
            raise LenseError(f"Edges must join vertices 0 to {num_vertices - 1}.")
        with np.errstate(over="ignore"):  # what is too large becomes infinite, which is refused below
            w = None if weights is None else np.ascontiguousarray(weights, dtype=np.float32)
        if w is not None and w.size != u.size:
            raise LenseError(f"There are {u.size} edges but {w.size} weights.")
        if w is not None and not np.isfinite(w).all():
            raise LenseError("Edge weights must be finite numbers, and some are not (NaN or infinite).")
        rows = csr_from_edges(
            np.ascontiguousarray(u, dtype=np.int32),
            np.ascontiguousarray(v, dtype=np.int32),
            w,
            num_vertices,
            directed=directed,
            keep_duplicates=keep_duplicates,
            keep_self_loops=keep_self_loops,
        )
        graph = cls(*rows, directed, np.arange(num_vertices) if labels is None else labels)
        loops = 0 if keep_self_loops else int(np.count_nonzero(u == v))
        if repeats := u.size - loops - graph.num_edges:
            log.info("removed %d repeated edges", repeats)
        if loops:
            log.info("removed %d self loops", loops)
        return graph

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weighted = "" if self.weights is None else ", weighted"
        return f"Graph({self.num_vertices:,} vertices, {self.num_edges:,} edges, {kind}{weighted})"

    def _repr_html_(self) -> str:
        from lense._util.cards import card  # for notebooks alone

        degree = "out-degree" if self.directed else "degree"
        facts = {
            "vertices": f"{self.num_vertices:,}",
            "edges": f"{self.num_edges:,}, {'directed' if self.directed else 'undirected'}",
            "weights": "none" if self.weights is None else "one for each edge",
            f"largest {degree}": f"{self.out_degrees.max(initial=0):,}",
        }
        return card("Graph", facts)

    def __len__(self) -> int:
        """The number of vertices."""
        return self.num_vertices

    def __bool__(self) -> bool:
        return True  # also a graph without vertices is there

    def __eq__(self, other: object) -> bool:
        """Same vertices with the same labels in the same order, same edges, same weights; see :meth:`equals`."""
        return self.equals(other) if isinstance(other, Graph) else NotImplemented

    def __hash__(self) -> int:
        """By the sizes and the first arcs: equal graphs have the same, and it takes no pass over a large one."""
        return hash((self.num_vertices, self.num_arcs, self.directed, self.indices[:_HASHED].tobytes()))

    def neighbors(self, vertex: int) -> Int32s:
        """Return the vertices that the arcs of a vertex lead to, in rising order.

        Parameters
        ----------
        vertex
            Its number. In an undirected graph its arcs lead to all its neighbours.
        """
        if not 0 <= vertex < self.num_vertices:
            raise LenseError(f"Vertices are numbered from 0 to {self.num_vertices - 1} (got {vertex}).")
        return self.indices[self.indptr[vertex] : self.indptr[vertex + 1]]

    @property
    def num_vertices(self) -> int:
        return self.indptr.size - 1

    @property
    def num_arcs(self) -> int:
        """Entries of ``indices``: twice the edges of an undirected graph, but for self loops."""
        return self.indices.size

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays, without in-arcs, which a directed graph gets on first use."""
        arrays = (self.indptr, self.indices, self.weights, self.labels)
        return sum(array.nbytes for array in arrays if array is not None)

    @cached_property
    def num_self_loops(self) -> int:
        return int(count_loops(self.indptr, self.indices))

    @property
    def num_edges(self) -> int:
        """Edges, each counted once."""
        return self.num_arcs if self.directed else (self.num_arcs + self.num_self_loops) // 2

    @cached_property
    def out_degrees(self) -> Int64s:
        return np.diff(self.indptr)

    @cached_property
    def in_degrees(self) -> Int64s:
        return np.diff(self.incoming.indptr)

    @property
    def outgoing(self) -> Adjacency:
        return Adjacency(self.indptr, self.indices, self.weights)

    @cached_property
    def incoming(self) -> Adjacency:
        """In-arcs of each vertex, built on first use; those of an undirected graph are its out-arcs."""
        if not self.directed:
            return self.outgoing
        given = _NO_WEIGHTS if self.weights is None else self.weights
        indptr, indices, moved = _transpose(
            self.indptr, self.indices, given, _counters(self.num_vertices, self.num_arcs)
        )
        return _frozen(Adjacency(indptr, indices, None if self.weights is None else moved))

    @cached_property
    def incident(self) -> Adjacency:
        """The other end of every edge at each vertex, whatever the edge's direction; a self loop stands once.

        Two opposite arcs of a directed graph are two edges.
        """
        if not self.directed:
            return self.outgoing
        sources, targets, weights = self.edges()
        return _frozen(csr_from_edges(sources, targets, weights, self.num_vertices, directed=False))

    def among(self, vertices: Int64s) -> Self:
        """Return the graph on some vertices, with all edges between them.

        Parameters
        ----------
        vertices
            The numbers of different vertices, in rising order.
        """
        given = _NO_WEIGHTS if self.weights is None else self.weights
        indptr, indices, weights = rows_between(self.indptr, self.indices, given, vertices)
        return type(self)(
            indptr, indices, None if self.weights is None else weights, self.directed, self.labels[vertices]
        )

    def edges(self) -> tuple[Int32s, Int32s, Float32s | None]:
        """Sources, targets and weights with each edge once (undirected: source <= target), sorted."""
        sources = np.repeat(np.arange(self.num_vertices, dtype=np.int32), self.out_degrees)
        if self.directed:
            return sources, self.indices, self.weights
        once = sources <= self.indices
        return sources[once], self.indices[once], None if self.weights is None else self.weights[once]

    def reweighted(self, weights: ArrayLike | None) -> Self:
        """Return the same graph with other weights.

        Parameters
        ----------
        weights
            The weight of each arc, in the order of ``indices``, or None. The two arcs of an undirected edge must weigh
            the same.
        """
        return replace(self, weights=weights)  # type: ignore[arg-type]

    def as_undirected(self) -> Self:
        """The graph without directions: opposite arcs merge into one edge, whose weight is the first arc's."""
        if not self.directed:
            return self
        sources, targets, weights = self.edges()
        return type(self).from_edges(
            sources, targets, weights, directed=False, labels=self.labels, keep_self_loops=True
        )

    def without_isolated(self) -> Self:
        """The graph on the vertices that have an edge."""
        sources, targets, weights = self.edges()
        used = np.zeros(self.num_vertices, np.bool_)
        used[sources] = used[targets] = True
        number = np.cumsum(used, dtype=np.int32) - np.int32(1)
        return self.with_edges(number[sources], number[targets], weights, self.labels[used])

    def with_edges(self, sources: Int32s, targets: Int32s, weights: Float32s | None, labels: AnyArray) -> Self:
        """Return a graph of other edges, directed if this one is, with its repeated edges and self-loops.

        Parameters
        ----------
        sources, targets, weights, labels
            As for :meth:`from_edges`.
        """
        return type(self).from_edges(
            sources,
            targets,
            weights,
            directed=self.directed,
            labels=labels,
            keep_duplicates=True,
            keep_self_loops=True,
        )

    def equals(self, other: "Graph") -> bool:
        """Return whether vertices, their labels, edges and weights are the same.

        Parameters
        ----------
        other
            The graph to compare with, whose vertices must come in the same order.
        """
        return self is other or (
            self.directed == other.directed
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
            and (self.weights is None) == (other.weights is None)
            and (self.weights is None or np.array_equal(self.weights, other.weights))  # type: ignore[arg-type]
            and np.array_equal(self.labels, other.labels)
        )


def _vertex_numbers(values: ArrayLike) -> AnyArray:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise LenseError(f"Vertices are given as a list of whole numbers, not as {array.ndim}-D {array.dtype}.")
    return array


def _frozen(rows: Adjacency) -> Adjacency:
    for array in rows:
        if array is not None:
            array.setflags(write=False)
    return rows
