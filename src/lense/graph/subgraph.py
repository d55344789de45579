"""The map xi: from a set X of vertices to the subgraph of X, its neighbours, and the edges with an end in X."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lense._util.types import Float32s, Int64s
from lense.errors import LenseError
from lense.graph.adapters import AdaptedGraph, View
from lense.graph.csr import Graph
from lense.kernels.rows import Adjacency


@dataclass(frozen=True, repr=False)
class Subgraph:
    """A part of a graph as a compact graph: xi(X), or what is left when vertices are taken out.

    Parameters
    ----------
    graph
        The part, with the direction, weights and labels of the whole graph.
    vertices
        The number in the whole graph of each vertex of the part, in rising order.
    roots
        X, the vertices that the part was built from, in the numbers of the whole graph.
    forced
        The roots that every optimum contains.
    only_roots
        Whether an answer consists of roots, as far as they suffice.
    given
        The object that was pruned, if it was no :class:`Graph`: :meth:`to_networkx` and the like keep its ids and, in
        an object of the same type, the attributes of vertices and edges.

    Examples
    --------
    >>> import lense
    >>> path = lense.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    >>> part = lense.subgraph(path, [3])
    >>> part, part.vertices.tolist()
    (Subgraph(3 vertices, 2 edges, 1 roots), [2, 3, 4])
    """

    graph: Graph
    vertices: Int64s
    roots: Int64s
    forced: Int64s = field(default_factory=lambda: np.empty(0, np.int64))
    only_roots: bool = False
    given: AdaptedGraph | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        forced = f", {self.forced.size:,} forced" if self.forced.size else ""
        sizes = f"{self.graph.num_vertices:,} vertices, {self.graph.num_edges:,} edges"
        return f"Subgraph({sizes}, {self.roots.size:,} roots{forced})"

    def _repr_html_(self) -> str:
        from lense._util.cards import card  # for notebooks alone

        counts = {
            "vertices": self.graph.num_vertices,
            "edges": self.graph.num_edges,
            "roots": self.roots.size,
            "forced": self.forced.size,
        }
        return card("Subgraph", {name: f"{count:,}" for name, count in counts.items()})

    def to_networkx(self) -> Any:
        """The part as a networkx graph; nodes are ids."""
        return self._as("networkx")

    def to_igraph(self) -> Any:
        """The part as an igraph graph; the ids are the vertex attribute ``name``."""
        return self._as("igraph")

    def to_networkit(self) -> Any:
        """The part as a NetworKit graph; node i is ``vertices[i]`` of the whole graph."""
        return self._as("networkit")

    def to_scipy(self) -> Any:
        """The adjacency matrix of the part, a ``csr_array`` or of the given type; row i is ``vertices[i]``."""
        return self._as("scipy")

    def to_pyg(self) -> Any:
        """The part as a ``Data`` of PyTorch Geometric, with the rows that its vertices have in node attributes."""
        return self._as("pyg")

    def to_pandas(self) -> Any:
        """The edges of the part as a pandas ``DataFrame``."""
        return self._as("pandas")

    def to_polars(self) -> Any:
        """The edges of the part as a polars ``DataFrame``."""
        return self._as("polars")

    def to_arrow(self) -> Any:
        """The edges of the part as an Arrow ``Table``."""
        return self._as("arrow")

    def to_array(self) -> Any:
        """The edges of the part as an array (m, 2) of ids."""
        return self._as("array")

    def _as(self, graph_type: str) -> Any:
        given = self.given or AdaptedGraph(self.graph, "graph")
        # where vertices may be called anything, the owner's objects know them by their numbers
        graph = self.graph if given.ids is None else replace(self.graph, labels=self.vertices)
        return View(given, graph_type).of(graph)


def subgraph(graph: Graph, roots: ArrayLike, forced: ArrayLike = (), *, only_roots: bool = False) -> Subgraph:
    """Return xi(``roots``): the roots, their neighbours, and the edges with an end in ``roots``.

    Parameters
    ----------
    graph
        The whole graph.
    roots
        The numbers of vertices.
    forced
        The roots that every optimum contains, to be noted in the result.
    only_roots
        Whether an answer is to consist of roots, to be noted in the result.

    Returns
    -------
    Subgraph
        The part, with the direction, weights and labels of ``graph``.

    Raises
    ------
    LenseError
        For numbers that are not those of vertices.

    Examples
    --------
    >>> import lense
    >>> path = lense.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    >>> lense.subgraph(path, [0, 3]).graph
    Graph(5 vertices, 3 edges, undirected)
    """
    chosen, pinned = _checked(graph, roots), _checked(graph, forced)
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
    is_in = is_root  # sorting the ends of all edges would take many times as long as these passes over the vertices
    is_in[sources] = is_in[targets] = True
    vertices = np.flatnonzero(is_in)
    place = np.empty(graph.num_vertices, np.int32)
    place[vertices] = np.arange(vertices.size, dtype=np.int32)
    compact = graph.with_edges(place[sources], place[targets], weights, graph.labels[vertices])
    return Subgraph(graph=compact, vertices=vertices, roots=chosen, forced=pinned, only_roots=only_roots)


def kept_part(graph: Graph, vertices: ArrayLike, roots: ArrayLike | None = None) -> Subgraph:
    """Return the part that some vertices induce.

    Parameters
    ----------
    graph
        The whole graph.
    vertices
        The numbers of the vertices to keep, with all edges between them.
    roots
        Those that an answer may consist of; by default all.
    """
    kept = _checked(graph, vertices)
    part = graph.among(kept)
    return Subgraph(graph=part, vertices=kept, roots=kept if roots is None else _checked(graph, roots))


def shares_pruned(graph: Graph, part: Subgraph) -> tuple[float, float]:
    """Return P_V and P_E, the shares of the vertices and of the edges that are pruned.

    Parameters
    ----------
    graph
        The whole graph.
    part
        What is left of it.
    """
    vertices = 1 - part.graph.num_vertices / max(graph.num_vertices, 1)
    return vertices, 1 - part.graph.num_edges / max(graph.num_edges, 1)


def _checked(graph: Graph, vertices: ArrayLike) -> Int64s:
    """Different vertices of ``graph``, in rising order."""
    distinct = np.unique(np.asarray(vertices, dtype=np.int64))
    if distinct.size and not 0 <= distinct[0] <= distinct[-1] < graph.num_vertices:
        raise LenseError(f"Vertices must lie between 0 and {graph.num_vertices - 1}, the last vertex of the graph.")
    return distinct


def _entries(rows: Adjacency, vertices: Int64s) -> tuple[Int64s, Int64s, Float32s | None]:
    """The entries of the rows of ``vertices``: (row, index, weight) of each."""
    first = rows.indptr[vertices]
    counts = rows.indptr[vertices + 1] - first
    begins = np.cumsum(counts) - counts
    where = np.arange(counts.sum()) + np.repeat(first - begins, counts)
    weights = None if rows.weights is None else rows.weights[where]
    return np.repeat(vertices, counts), rows.indices[where].astype(np.int64), weights
