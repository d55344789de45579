"""Parts of a user's own graph object, cut out of it rather than built again.

Whatever the object holds besides edges stays: attributes, float64 weights, other columns, features, the diagonal of a
matrix, parallel edges and self-loops, the order of vertices and rows, and the direction in which each row lists an arc.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, repeat
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np

from lense._util.types import AnyArray, Bools, Float32s, Int32s, Int64s
from lense.graph import convert
from lense.graph.csr import Graph
from lense.kernels.rows import arc_places

if TYPE_CHECKING:
    from lense.graph.adapters import AdaptedGraph


@dataclass(frozen=True)
class Cut:
    """What to keep of a given graph of n vertices.

    ``vertices`` are the k numbers to keep, rising. ``edges``, over 0..k - 1, holds the edges to keep, and None keeps
    all between the vertices. With ``rewrites``, edges take their weights from ``edges``; otherwise they keep the
    user's, and self-loops stay at their vertices.
    """

    n: int
    vertices: Int64s
    edges: Graph | None = None
    rewrites: bool = False

    @cached_property
    def place(self) -> Int32s:
        """(n): the new number of each vertex, or -1."""
        place = np.full(self.n, -1, np.int32)
        place[self.vertices] = np.arange(self.vertices.size, dtype=np.int32)
        return place

    def kept(self, sources: AnyArray, targets: AnyArray) -> tuple[Bools, Float32s | None]:
        """Which of the edges between 0..k - 1 (-1 where an end is gone) to keep, and new weights of those."""
        if self.edges is None:
            return (sources >= 0) & (targets >= 0), None
        at = arc_places(self.edges.indptr, self.edges.indices, sources, targets)
        if self.rewrites and self.edges.weights is not None:
            return at >= 0, self.edges.weights[at[at >= 0]]
        return (at >= 0) | ((sources == targets) & (sources >= 0)), None


def _networkx_part(given: "AdaptedGraph", cut: Cut) -> Any:
    """As ``subgraph(nodes).copy()`` of networkx, which loses the order of nodes and takes many times as long."""
    original, names = given.original, given.names(given.graph.labels[cut.vertices])
    part, nodes, rows = original.__class__(), original._node, original._adj
    part.graph.update(original.graph)
    part._node.update(zip(names, map(_copied, map(nodes.__getitem__, names)), strict=True))
    copied = _copied_edges if original.is_multigraph() else _copied
    is_directed, inner, made = original.is_directed(), part.adjlist_inner_dict_factory, part._adj
    for name, allowed in zip(names, _neighbours(names, cut), strict=True):
        row = rows[name]
        listed = row.items() if len(row) <= 4 * len(allowed) else ((v, row[v]) for v in allowed if v in row)
        if is_directed:
            new = {v: copied(data) for v, data in listed if v in allowed}
        else:  # both directions of an edge share one dictionary
            new = {v: made[v][name] if v in made else copied(data) for v, data in listed if v in allowed}
        made[name] = new if inner is dict else inner(new)
    if is_directed:
        for name in names:
            part._pred[name] = inner()
        for name in names:
            for v in made[name]:
                part._pred[v][name] = made[name][v]
    if cut.edges is not None and cut.rewrites:
        sources, targets, weights = cut.edges.edges()
        assert weights is not None
        for u, v, weight in zip(sources.tolist(), targets.tolist(), weights.tolist(), strict=True):
            data = made[names[u]][names[v]]
            for one in data.values() if original.is_multigraph() else (data,):
                one["weight"] = weight
    return part


def _neighbours(names: list[Any], cut: Cut) -> Iterable[dict[Any, None]]:
    """For each vertex, the nodes that its edges may lead to, as the keys of a dictionary."""
    if cut.edges is None:
        return repeat(dict.fromkeys(names), len(names))
    heads, starts = list(map(names.__getitem__, cut.edges.indices.tolist())), cut.edges.indptr.tolist()
    ends = (heads[starts[i] : starts[i + 1]] for i in range(len(names)))
    if cut.rewrites:
        return map(dict.fromkeys, ends)
    return (dict.fromkeys([*others, name]) for name, others in zip(names, ends, strict=True))


_copied = methodcaller("copy")


def _copied_edges(keys: Any) -> dict[Any, Any]:
    """Parallel edges by their keys."""
    return {key: data.copy() for key, data in keys.items()}


def _igraph_part(given: "AdaptedGraph", cut: Cut) -> Any:
    part = given.original.induced_subgraph(cut.vertices.tolist())
    if cut.edges is None:
        return part
    ends = np.fromiter(chain.from_iterable(part.get_edgelist()), np.int64, 2 * part.ecount()).reshape(-1, 2)
    is_kept, weights = cut.kept(ends[:, 0], ends[:, 1])
    part.delete_edges(np.flatnonzero(~is_kept).tolist())
    if weights is not None:
        part.es["weight"] = weights.tolist()
    return part


def _networkit_part(given: "AdaptedGraph", cut: Cut) -> Any:
    """Nodes are 0..k - 1, unless all are kept; attributes attached to nodes and edges cannot be listed, so are lost."""
    nk = convert.library("networkit")
    original, ids = given.original, given.graph.labels[cut.vertices]
    is_smaller = cut.vertices.size < cut.n
    if cut.edges is None:
        return nk.graphtools.subgraphFromNodes(original, ids.tolist(), compact=is_smaller)
    sources, targets, given_weights = convert.networkit_edges(original)
    new = np.full(original.upperNodeIdBound(), -1, np.int64)
    new[ids] = np.arange(ids.size)
    u, v = new[sources], new[targets]
    is_kept, rewritten = cut.kept(u, v)
    weights: AnyArray | None = rewritten
    if rewritten is None and given_weights is not None:
        weights = given_weights[is_kept]
    numbers = np.arange(ids.size) if is_smaller else ids
    return convert.networkit_graph(numbers, numbers[u[is_kept]], numbers[v[is_kept]], weights, original.isDirected())


def _scipy_part(given: "AdaptedGraph", cut: Cut) -> Any:
    """A matrix or array of the same format and dtype."""
    original, k = given.original, cut.vertices.size
    if cut.edges is None and original.format in ("csr", "csc"):
        return original[cut.vertices][:, cut.vertices]
    entries = original.tocoo()
    rows, columns = cut.place[entries.row], cut.place[entries.col]
    is_kept, weights = cut.kept(rows, columns)
    values = entries.data[is_kept] if weights is None else weights
    part = type(entries)((values, (rows[is_kept], columns[is_kept])), shape=(k, k))
    # larger blocks would store zeros, which are edges of weight 0
    return part.tobsr(blocksize=(1, 1)) if original.format == "bsr" else part.asformat(original.format)


def _pyg_part(given: "AdaptedGraph", cut: Cut) -> Any:
    """``labels`` and ``directed`` are added, or cut down, so that the part still says what its vertices are called."""
    import torch

    original, graph, weights = given.original, given.graph, None
    vertices = torch.from_numpy(cut.vertices).to(original.edge_index.device)
    if cut.edges is not None:
        heads, tails = cut.place[original.edge_index.cpu().numpy()]
        is_kept, weights = cut.kept(heads, tails)
        original = original.edge_subgraph(torch.from_numpy(is_kept).to(vertices.device))
    part = original.subgraph(vertices)
    part.labels, part.directed = convert.pyg_labels(graph.labels[cut.vertices]), graph.directed
    if weights is not None:
        part.edge_weight = torch.from_numpy(weights).to(vertices.device)
    return part


def _table_part(given: "AdaptedGraph", cut: Cut) -> Any:
    """Rows of a table of pandas, polars or Arrow."""
    table, names = given.original, convert.table_names(given.original)
    place = convert.table_columns(names).weight
    name = "weight" if place is None else names[place]
    is_kept, weights = cut.kept(*(cut.place[ends] for ends in given.row_ends))
    if given.type == "pandas":
        part = table[is_kept]
        return part if weights is None else part.assign(**{name: weights})
    part = table.filter(is_kept)
    if weights is None:
        return part
    if given.type == "polars":
        return part.with_columns(**{name: weights})
    return part.append_column(name, [weights]) if place is None else part.set_column(place, name, [weights])


def _array_part(given: "AdaptedGraph", cut: Cut) -> Any:
    """Rows of an array or tensor (m, 2), columns of one (2, m), or members of a list."""
    original = given.original
    is_kept, _ = cut.kept(*(cut.place[ends] for ends in given.row_ends))
    if not hasattr(original, "shape"):
        if len(original) == is_kept.size:
            return type(original)(compress(original, is_kept))
        return type(original)(type(ends)(compress(ends, is_kept)) for ends in original)
    rows: Any = is_kept
    if not isinstance(original, np.ndarray):
        import torch

        rows = torch.from_numpy(is_kept).to(original.device)
    return original[rows] if original.shape[0] == is_kept.size else original[:, rows]


OWN_PARTS: dict[str, Callable[["AdaptedGraph", Cut], Any]] = {
    "networkx": _networkx_part,
    "igraph": _igraph_part,
    "networkit": _networkit_part,
    "scipy": _scipy_part,
    "pyg": _pyg_part,
    "pandas": _table_part,
    "polars": _table_part,
    "arrow": _table_part,
    "array": _array_part,
}
"""How to cut a part out of an object of each type."""
