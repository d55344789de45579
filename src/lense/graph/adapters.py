"""A graph in the type that its owner has, its parts in that type or another, and vertices by their owner's ids."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from os import PathLike
from typing import Any

import numpy as np

from lense._util.types import AnyArray, Bools, Float32s, Int64s
from lense.errors import LenseError, choose
from lense.graph import convert
from lense.graph.convert import as_labels, collected, edge_rows, table_columns, table_ids, table_names
from lense.graph.csr import Graph
from lense.graph.datasets import open_file

GRAPH_TYPES = {
    "graph": "lense.Graph",
    "networkx": "a networkx graph",
    "igraph": "an igraph graph",
    "scipy": "a sparse matrix of scipy",
    "pyg": "a Data of PyTorch Geometric",
    "pandas": "a pandas DataFrame of edges",
    "polars": "a polars DataFrame of edges",
    "arrow": "an Arrow Table of edges",
    "array": "an array (m, 2) of edges",
}
"""The types a graph may have, by the names that ``graph_type`` takes."""
_PACKAGES = {
    "networkx": "networkx",
    "igraph": "igraph",
    "scipy": "scipy",
    "torch_geometric": "pyg",
    "pandas": "pandas",
    "polars": "polars",
    "pyarrow": "arrow",
    "numpy": "array",
    "torch": "array",
}
_TABLES = ("pandas", "polars", "arrow", "array")
_NAMED = ("networkx", *_TABLES)
"""Types in which vertices are called by their ids; in all others they are numbered."""


@dataclass(frozen=True)
class AdaptedGraph:
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


AnyGraph = Any
"""A :class:`Graph`, a file, a data set's name, or an object of any of ``GRAPH_TYPES``."""


def open_graph(graph: AnyGraph, *, arcs: bool = False, **options: Any) -> Graph:
    """Open a graph: a file, a data set by name, or an object of another library.

    Parameters
    ----------
    graph
        A file, the name of a data set or of a file in ``LENSE_DATA``, a :class:`Graph`, a graph of networkx or igraph,
        a scipy sparse matrix, a PyTorch Geometric ``Data``, or edges in a table (pandas, polars, Arrow) or an array.
    arcs
        Whether each line of a file and each row of a table is one arc, unless ``directed`` says otherwise.
    **options
        Those of :func:`~lense.graph.read_graph` or of the converter, such as ``from_networkx``. The paper's data sets
        take none, since they are read as in the paper.

    Returns
    -------
    Graph
        Its labels are your ids.

    Raises
    ------
    LenseError
        For what is no graph or cannot be read, and for options that do not apply to it.

    Examples
    --------
    >>> import lense
    >>> lense.open_graph([["ann", "bob"], ["bob", "cid"]])
    Graph(3 vertices, 2 edges, undirected)
    """
    if isinstance(graph, Graph):
        _check_options(options, "a Graph of lense", ())
        return graph
    if isinstance(graph, str | PathLike):
        return open_file(graph, arcs=arcs, **options)
    return _converted(graph, graph_type_of(graph), arcs, options)


def adapt(graph: AnyGraph, *, arcs: bool = False) -> AdaptedGraph:
    """Any graph that :func:`open_graph` takes, with what its owner has."""
    if isinstance(graph, AdaptedGraph):
        return graph
    if isinstance(graph, Graph | str | PathLike):
        return AdaptedGraph(open_graph(graph, arcs=arcs), "graph")
    kind = graph_type_of(graph)
    if kind == "networkx":
        return AdaptedGraph(convert.from_networkx(graph, labelled=False), kind, graph, list(graph))
    if kind == "igraph":
        names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
        return AdaptedGraph(convert.from_igraph(graph, labelled=False), kind, graph, names)
    original = collected(graph) if kind == "polars" else edge_rows(graph) if kind == "array" else graph
    return AdaptedGraph(_converted(original, kind, arcs, {}), kind, original)


def _converted(graph: Any, kind: str, arcs: bool, options: dict[str, Any]) -> Graph:
    make = getattr(convert, f"from_{kind}")
    _check_options(options, GRAPH_TYPES[kind], [*list(signature(make).parameters)[1:-1], *convert.Kept.__annotations__])
    given = {**({"directed": True} if arcs and kind in _TABLES else {}), **options}
    made: Graph = make(graph, **given)
    return made


def _check_options(options: dict[str, Any], what: str, known: Sequence[str]) -> None:
    wrong = [name for name in options if name not in known]
    if wrong:
        raise LenseError(f"{what[0].upper()}{what[1:]} is not read with {' and '.join(wrong)}: leave that out.")


def graph_type_of(graph: object) -> str:
    """The name in ``GRAPH_TYPES`` of the type of an object that is no :class:`Graph`."""
    if isinstance(graph, list | tuple):
        return "array"
    for base in type(graph).__mro__:
        if kind := _PACKAGES.get(base.__module__.partition(".")[0]):
            return kind
    raise LenseError(
        f"A graph is a file, a Graph of lense, a graph of networkx, igraph, scipy or PyTorch Geometric, a table of "
        f"pandas, polars or Arrow, or an array (m, 2) of edges, not an object of the type {type(graph).__name__}."
    )


class View:
    """Parts of a given graph as objects of one type, and vertices of them back as numbers.

    In the type ``graph``, and in igraph, scipy and PyTorch Geometric, a vertex is its number in the object, 0 to n - 1.
    In networkx and in tables it is its id.
    """

    def __init__(self, given: AdaptedGraph, graph_type: str | None = None) -> None:
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
        elif self.type in _TABLES:
            named = replace(graph, labels=as_labels(names))
            return getattr(convert, f"to_{self.type}")(named)
        return made


def counts_of(graph: Any) -> tuple[int, ...]:
    """Numbers of vertices and of arcs or edges of an object that a function could change by mistake, quickly."""
    if hasattr(graph, "_adj"):  # networkx
        return len(graph), sum(map(len, graph._adj.values()))
    if hasattr(graph, "ecount"):  # igraph
        return graph.vcount(), graph.ecount()
    return ()


def _listed(answer: Any, who: str) -> list[Any]:
    if isinstance(answer, str | bytes) or not hasattr(answer, "__iter__"):
        raise LenseError(f"{who} must return a list of vertices, not {answer!r}.")
    return answer.tolist() if isinstance(answer, np.ndarray) else list(answer)


def _is_number_below(value: Any, n: int) -> bool:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_whole and 0 <= value < n


def _networkx_part(given: AdaptedGraph, graph: Graph) -> Any:
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


def _igraph_part(given: AdaptedGraph, graph: Graph) -> Any:
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


def _pyg_part(given: AdaptedGraph, graph: Graph) -> Any:
    """The owner's data cut down to the vertices and edges of ``graph``, with the weights of that.

    Attributes of vertices and edges keep the rows that are left; ``labels`` and ``directed`` are those of ``graph``.
    """
    import torch

    original, whole = given.original, given.graph.labels
    place = np.argsort(whole)
    rows = place[np.searchsorted(whole, graph.labels, sorter=place)]
    heads, tails = original.edge_index.cpu().numpy()
    sources = np.repeat(rows, graph.out_degrees)
    kept = _keys(sources, rows[graph.indices], whole.size, directed=True)
    order = np.argsort(kept)
    listed = _keys(heads, tails, whole.size, directed=True)
    at = order[np.minimum(np.searchsorted(kept, listed, sorter=order), max(kept.size - 1, 0))]
    is_kept = kept[at] == listed if kept.size else np.zeros(listed.size, np.bool_)
    part = original.edge_subgraph(torch.from_numpy(is_kept)).subgraph(torch.from_numpy(np.sort(rows)))
    made = convert.to_pyg(graph)
    part.labels, part.directed = made.labels, made.directed
    if graph.weights is not None and (given.graph.weights is None or "edge_weight" in original):
        part.edge_weight = torch.from_numpy(graph.weights[at[is_kept]])
    return part


def _pandas_part(given: AdaptedGraph, graph: Graph) -> Any:
    """The rows of the owner's table that are edges of ``graph``, with the weights of that."""
    is_kept, weights, _, name = _rows_of(given, graph)
    part = given.original[is_kept]
    return part if weights is None else part.assign(**{name: weights})


def _arrow_part(given: AdaptedGraph, graph: Graph) -> Any:
    """As for pandas."""
    is_kept, weights, place, name = _rows_of(given, graph)
    part = given.original.filter(is_kept)
    if weights is None:
        return part
    return part.append_column(name, [weights]) if place is None else part.set_column(place, name, [weights])


def _polars_part(given: AdaptedGraph, graph: Graph) -> Any:
    """As for pandas."""
    import polars

    is_kept, weights, _, name = _rows_of(given, graph)
    part = given.original.filter(polars.Series(is_kept))
    return part if weights is None else part.with_columns(polars.Series(name, weights))


def _rows_of(given: AdaptedGraph, graph: Graph) -> tuple[Bools, Float32s | None, int | None, str]:
    """Which rows of the owner's table are edges of ``graph``, their weights there, and the column of weights."""
    names = table_names(given.original)
    source, target, place = table_columns(names)
    whole = given.graph.labels
    u, v = (np.searchsorted(whole, table_ids(given.original, i).astype(whole.dtype)) for i in (source, target))
    numbers = np.searchsorted(whole, graph.labels)
    sources, targets, weights = graph.edges()
    kept = _keys(numbers[sources], numbers[targets], whole.size, graph.directed)  # these rise, as the edges do
    listed = _keys(u, v, whole.size, graph.directed)
    is_kept: Bools = np.isin(listed, kept)
    own = None if weights is None else weights[np.searchsorted(kept, listed[is_kept])]
    return is_kept, own, place, "weight" if place is None else names[place]


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
    "polars": _polars_part,
    "arrow": _arrow_part,
}
