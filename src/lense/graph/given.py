"""A graph in the type that its owner has, its parts in that type or another, and vertices by their owner's ids."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any

import numpy as np

from lense.errors import LenseError, choose
from lense.graph import convert
from lense.graph.csr import Graph
from lense.graph.datasets import open_graph
from lense.types import AnyArray, Bools, Float32s, Int64s

GRAPH_TYPES = {
    "graph": "lense.Graph",
    "networkx": "a networkx graph",
    "igraph": "an igraph graph",
    "scipy": "a sparse matrix of scipy",
    "pyg": "a Data of PyTorch Geometric",
    "pandas": "a pandas DataFrame of edges",
    "arrow": "an Arrow Table of edges",
}
"""The types a graph may have, by the names that ``graph_type`` takes."""
_PACKAGES = {
    "networkx": "networkx",
    "igraph": "igraph",
    "scipy": "scipy",
    "torch_geometric": "pyg",
    "pandas": "pandas",
    "pyarrow": "arrow",
}
_NAMED = ("networkx", "pandas", "arrow")
"""Types in which vertices are called by their ids; in all others they are numbered."""


@dataclass(frozen=True)
class Given:
    """A graph as it was given, and as a :class:`Graph`.

    Where ``ids`` is None the labels of ``graph`` are the ids. Otherwise they number the vertices, and ``ids`` (n) has
    what the owner calls each: nodes of networkx may be anything.
    """

    graph: Graph
    type: str
    original: Any = None
    ids: Sequence[Hashable] | None = field(default=None, repr=False)

    def names(self, labels: AnyArray) -> list[Any]:
        """The owner's ids of vertices with these labels."""
        return labels.tolist() if self.ids is None else [self.ids[i] for i in labels.tolist()]


def as_given(graph: Any, *, arcs: bool = False) -> Given:
    """A graph from a file, a data set's name, or any object of ``GRAPH_TYPES``.

    With ``arcs`` each line of a file and each row of a table is one arc.
    """
    if isinstance(graph, Given):
        return graph
    if isinstance(graph, Graph):
        return Given(graph, "graph")
    if isinstance(graph, str | PathLike):
        return Given(open_graph(graph, arcs=arcs), "graph")
    kind = graph_type_of(graph)
    if kind == "networkx":
        return Given(convert.from_networkx(graph, labelled=False), kind, graph, list(graph))
    if kind == "igraph":
        names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
        return Given(convert.from_igraph(graph, labelled=False), kind, graph, names)
    if kind == "scipy":
        return Given(convert.from_scipy(graph), kind, graph)
    if kind == "pyg":
        return Given(convert.from_pyg(graph), kind, graph)
    make = convert.from_pandas if kind == "pandas" else convert.from_arrow
    return Given(make(graph, directed=arcs), kind, graph)


def graph_type_of(graph: object) -> str:
    """The name in ``GRAPH_TYPES`` of the type of an object that is no :class:`Graph`."""
    for base in type(graph).__mro__:
        if kind := _PACKAGES.get(base.__module__.partition(".")[0]):
            return kind
    raise LenseError(
        f"A graph is a file, a Graph of lense, or a graph of networkx, igraph, scipy, PyTorch Geometric, pandas or "
        f"Arrow, not an object of the type {type(graph).__name__}."
    )


class View:
    """Parts of a given graph as objects of one type, and vertices of them back as numbers.

    In the type ``graph``, and in igraph, scipy and PyTorch Geometric, a vertex is its number in the object, 0 to n - 1.
    In networkx and in tables it is its id.
    """

    def __init__(self, given: Given, graph_type: str | None = None) -> None:
        if graph_type is not None:
            choose(graph_type, GRAPH_TYPES, "type of graph")
        self.given, self.type = given, graph_type or given.type

    def converts(self, graph: Graph) -> bool:
        """Whether :meth:`of` makes a new object."""
        return self.type != "graph" and not (graph is self.given.graph and self._is_own)

    def of(self, graph: Graph) -> Any:
        """``graph``, which is the given one or has some of its vertices and edges, as an object of the type.

        An object of the type that was given keeps what its owner had on vertices and edges besides the weights.
        """
        given = self.given
        if self.type == "graph":
            return graph
        if self._is_own and graph is given.graph:
            return given.original
        if self._is_own and (own := _OWN_PARTS.get(self.type)):
            return own(given, graph)
        made = getattr(convert, f"to_{self.type}")(graph)
        return self._with_ids(made, graph) if given.ids is not None else made

    def numbers(self, graph: Graph, answer: Any, who: str) -> Int64s:
        """The vertices that ``who`` returned for :meth:`of` the ``graph``, by their numbers in ``graph``."""
        found = _listed(answer, who)
        if self.type in _NAMED:
            number = {name: i for i, name in enumerate(self._names(graph.labels))}
            unknown = [one for one in found if not isinstance(one, Hashable) or one not in number]
            numbers = [] if unknown else [number[one] for one in found]
        else:
            unknown = [one for one in found if not _is_number_below(one, graph.num_vertices)]
            numbers = [] if unknown else [int(one) for one in found]
        if unknown:
            kind = "ids" if self.type in _NAMED else f"numbers from 0 to {graph.num_vertices - 1}"
            raise LenseError(
                f"{who} returned {unknown[0]!r}, which is no vertex of the graph it was given: vertices of "
                f"{GRAPH_TYPES[self.type]} are returned as {kind}."
            )
        if len(set(numbers)) < len(numbers):
            raise LenseError(f"{who} returned a vertex more than once.")
        return np.array(numbers, np.int64)

    def vertices(self, graph: Graph, numbers: Int64s) -> list[Any]:
        """Undo :meth:`numbers`."""
        return self._names(graph.labels[numbers]) if self.type in _NAMED else numbers.tolist()

    def _names(self, labels: AnyArray) -> list[Any]:
        """What vertices are called in objects of the type: their ids, as text in a table made of another type."""
        names = self.given.names(labels)
        return names if self.given.ids is None or self.type == "networkx" else [str(name) for name in names]

    @property
    def _is_own(self) -> bool:
        return self.type == self.given.type and self.given.original is not None

    def _with_ids(self, made: Any, graph: Graph) -> Any:
        """``made`` with the owner's ids in place of the labels, in tables as text."""
        names = self._names(graph.labels)
        if self.type == "networkx":
            from networkx import relabel_nodes

            return relabel_nodes(made, dict(zip(graph.labels.tolist(), names, strict=True)))
        if self.type == "igraph":
            made.vs["name"] = names
        elif self.type in ("pandas", "arrow"):
            named = replace(graph, labels=np.array(names))
            return getattr(convert, f"to_{self.type}")(named)
        return made


def _listed(answer: Any, who: str) -> list[Any]:
    if isinstance(answer, str | bytes) or not hasattr(answer, "__iter__"):
        raise LenseError(f"{who} must return a list of vertices, not {answer!r}.")
    return answer.tolist() if isinstance(answer, np.ndarray) else list(answer)


def _is_number_below(value: Any, n: int) -> bool:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_whole and 0 <= value < n


def _networkx_part(given: Given, graph: Graph) -> Any:
    """A graph with the attributes of vertices and edges that the owner's has, and the weights of ``graph``."""
    original, names = given.original, given.names(graph.labels)
    part, nodes, rows = original.__class__(), original._node, original._adj  # views of these take many times as long
    part.graph.update(original.graph)
    part.add_nodes_from((name, nodes[name]) for name in names)
    sources, targets, weights = graph.edges()
    ends = [(names[u], names[v]) for u, v in zip(sources.tolist(), targets.tolist(), strict=True)]
    if original.is_multigraph():
        part.add_edges_from((u, v, key, data) for u, v in ends for key, data in rows[u][v].items())
    else:
        part.add_edges_from((u, v, rows[u][v]) for u, v in ends)
        if weights is not None:
            part.add_weighted_edges_from((u, v, w) for (u, v), w in zip(ends, weights.tolist(), strict=True))
    return part


def _igraph_part(given: Given, graph: Graph) -> Any:
    """As :func:`to_igraph`, with the attributes of vertices and edges that the owner's graph has."""
    original, numbers = given.original, graph.labels.tolist()
    part = convert.to_igraph(graph)
    del part.vs["name"]
    for name in original.vs.attributes():
        values = original.vs[name]
        part.vs[name] = [values[i] for i in numbers]
    ends = [(numbers[u], numbers[v]) for u, v in part.get_edgelist()]
    edges = original.es[original.get_eids(ends)] if ends else original.es[[]]
    for name in original.es.attributes():
        if name not in part.es.attributes():
            part.es[name] = edges[name]
    return part


def _pyg_part(given: Given, graph: Graph) -> Any:
    """As :func:`to_pyg`, with the attributes of vertices that the owner's data has."""
    import torch

    original = given.original
    rows = torch.from_numpy(np.flatnonzero(np.isin(given.graph.labels, graph.labels)))
    part = convert.to_pyg(graph)
    for name in original.keys():  # noqa: SIM118 (a Data is no dictionary)
        if name not in part and original.is_node_attr(name):
            part[name] = original[name][rows]
    return part


def _pandas_part(given: Given, graph: Graph) -> Any:
    """The rows of the owner's table that are edges of ``graph``, with the weights of that."""
    frame = given.original
    names = [str(name) for name in frame.columns]
    is_kept, weights = _rows_of(given, graph, names, lambda i: frame.iloc[:, i].to_numpy())
    if weights is None:
        return frame[is_kept]
    place = convert.table_columns(names)[2]
    return frame[is_kept].assign(**{"weight" if place is None else names[place]: weights})


def _arrow_part(given: Given, graph: Graph) -> Any:
    """As for pandas."""
    table, names = given.original, given.original.column_names
    is_kept, weights = _rows_of(given, graph, names, lambda i: table.column(i).to_numpy())
    part, place = table.filter(is_kept), convert.table_columns(names)[2]
    if weights is None:
        return part
    return part.append_column("weight", [weights]) if place is None else part.set_column(place, names[place], [weights])


def _rows_of(
    given: Given, graph: Graph, names: Sequence[str], values: Callable[[int], AnyArray]
) -> tuple[Bools, Float32s | None]:
    """Which rows of the owner's table are edges of ``graph``, and the weights that those have there."""
    source, target, _ = convert.table_columns(names)
    whole = given.graph.labels
    u, v = (np.searchsorted(whole, convert.table_ids(values(i)).astype(whole.dtype)) for i in (source, target))
    numbers = np.searchsorted(whole, graph.labels)
    sources, targets, weights = graph.edges()
    kept = _keys(numbers[sources], numbers[targets], whole.size, graph.directed)  # these rise, as the edges do
    listed = _keys(u, v, whole.size, graph.directed)
    is_kept: Bools = np.isin(listed, kept)
    return is_kept, None if weights is None else weights[np.searchsorted(kept, listed[is_kept])]


def _keys(sources: AnyArray, targets: AnyArray, n: int, directed: bool) -> AnyArray:
    """One number for each edge."""
    if directed:
        return sources.astype(np.int64) * n + targets
    return np.minimum(sources, targets).astype(np.int64) * n + np.maximum(sources, targets)


_OWN_PARTS = {
    "networkx": _networkx_part,
    "igraph": _igraph_part,
    "pyg": _pyg_part,
    "pandas": _pandas_part,
    "arrow": _arrow_part,
}
