"""A graph in the type that its owner has, its parts in that type or another, and vertices by their owner's ids."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import signature
from os import PathLike
from typing import Any

import numpy as np

from lense._util.types import AnyArray, Int32s, Int64s
from lense.errors import LenseError, choose
from lense.graph import convert
from lense.graph.convert import as_labels, collected, edge_rows, table_columns, table_ids, table_names
from lense.graph.csr import Graph
from lense.graph.datasets import open_file
from lense.graph.labels import relabel
from lense.graph.own_parts import OWN_PARTS, Cut
from lense.kernels.rows import arc_places

GRAPH_TYPES = {
    "graph": "lense.Graph",
    "networkx": "a networkx graph",
    "igraph": "an igraph graph",
    "networkit": "a NetworKit graph",
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
    "networkit": "networkit",
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
    what the owner calls each: nodes of networkx and ids in a table may be anything.
    """

    graph: Graph
    type: str
    original: Any = None
    ids: Sequence[Hashable] | None = field(default=None, repr=False)

    def names(self, labels: AnyArray) -> list[Any]:
        """The owner's ids of vertices with these labels."""
        return labels.tolist() if self.ids is None else list(map(self.ids.__getitem__, labels.tolist()))

    @cached_property
    def row_ends(self) -> tuple[Int32s, Int32s]:
        """The numbers of the ends of the edge in each row of a table or an array of edges."""
        if self.type == "array":
            rows = edge_rows(self.original)
            ends = rows[:, 0], rows[:, 1]
        else:
            source, target, _ = table_columns(table_names(self.original))
            ends = table_ids(self.original, source), table_ids(self.original, target)
        sources, targets, _ = relabel(*ends)
        return sources, targets

    def numbers(self, labels: AnyArray) -> Int64s:
        """The vertices of ``graph`` that have these labels, all of which it has."""
        if self.ids is not None:
            return labels.astype(np.int64)
        order = self._by_label
        return order[np.searchsorted(self.graph.labels, labels, sorter=order)]

    @cached_property
    def _by_label(self) -> Int64s:
        return np.argsort(self.graph.labels, kind="stable")  # which is quick where they rise already


AnyGraph = Any
"""A :class:`Graph`, a file, a data set's name, or an object of any of ``GRAPH_TYPES``."""


def open_graph(graph: AnyGraph, *, arcs: bool = False, **options: Any) -> Graph:
    """Open a graph: a file, a data set by name, or an object of another library.

    Parameters
    ----------
    graph
        A file, the name of a data set or of a file in ``LENSE_DATA``, a :class:`Graph`, a graph of networkx, igraph or
        NetworKit, a scipy sparse matrix, a PyTorch Geometric ``Data``, or edges in a table (pandas, polars, Arrow) or
        an array.
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


def adapt(graph: AnyGraph, *, arcs: bool = False, directed: bool | None = None) -> AdaptedGraph:
    """Any graph that :func:`open_graph` takes, with what its owner has.

    ``directed`` says whether edges have a direction, where the type of the object does not.
    """
    if isinstance(graph, AdaptedGraph):
        return graph
    options = {} if directed is None else {"directed": directed}
    if isinstance(graph, Graph | str | PathLike):
        return AdaptedGraph(open_graph(graph, arcs=arcs, **options), "graph")
    kind = graph_type_of(graph)
    original = collected(graph) if kind == "polars" else graph
    ids: Sequence[Hashable] | None
    if kind == "networkx":
        made, ids = _converted(graph, kind, arcs, {**options, "labelled": False}), list(graph)
    elif kind == "igraph":
        made = _converted(graph, kind, arcs, {**options, "labelled": False})
        ids = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
    else:
        made = _converted(original, kind, arcs, options)
        ids = convert.row_objects(original, made.labels) if kind in _TABLES else None
        if ids is not None:
            made = replace(made, labels=np.arange(made.num_vertices))
    return AdaptedGraph(made, kind, original, ids)


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
        f"A graph is a file, a Graph of lense, a graph of networkx, igraph, NetworKit, scipy or PyTorch Geometric, a "
        f"table of pandas, polars or Arrow, or an array (m, 2) of edges, not an object of the type "
        f"{type(graph).__name__}."
    )


class View:
    """A given graph and its parts as objects of one type, and vertices of them back as numbers.

    In networkx and in tables a vertex is its id. In all other types it is its number in the object, 0 to n - 1; in a
    whole NetworKit graph that is its node id, which may have gaps.
    """

    def __init__(self, given: AdaptedGraph, graph_type: str | None = None) -> None:
        if graph_type is not None:
            choose(graph_type, GRAPH_TYPES, "type of graph")
        if graph_type == given.type == "array" and given.ids is None:
            given = replace(given, original=edge_rows(given.original))
        self.given, self.type = given, graph_type or given.type

    def converts(self, graph: Graph) -> bool:
        """Whether :meth:`of` makes a new object."""
        return self.type != "graph" and not (graph is self.given.graph and self._is_own)

    def of(self, graph: Graph) -> Any:
        """``graph``, which is the given one or has some of its vertices and edges, as an object of the type.

        In the type that was given, the whole graph is the user's own object, and a part is cut out of it: it keeps
        everything but vertices and edges that ``graph`` lacks. Self-loops stay at their vertices, and parallel edges
        with the edge they repeat. Weights are the user's unless the problem drew others for ``graph``. A list, a tensor
        or an array (2, m) stays one, unless ``graph_type`` asks for an array (m, 2).
        """
        given = self.given
        if self.type == "graph":
            return graph
        if self._is_own and graph is given.graph:
            return given.original
        if not self._is_own or graph.directed != given.graph.directed:
            return self._made(graph)
        n, vertices = given.graph.num_vertices, given.numbers(graph.labels)
        rewrites = self._has_other_weights(graph, vertices)
        is_whole = graph.num_arcs == given.graph.num_arcs and vertices.size == n and not rewrites
        return OWN_PARTS[self.type](given, Cut(n, vertices, None if is_whole else graph, rewrites))

    def induced(self, vertices: Int64s, whole: Graph | None = None) -> "InducedPart":
        """What the whole graph is on different ``vertices`` alone, as an object of the type: all edges between them.

        ``whole`` is the whole graph as the problem prepared it, if that is not the given one; its weights count.
        """
        given, graph = self.given, self.given.graph if whole is None else whole
        kept = np.sort(np.asarray(vertices, np.int64))
        rewrites = self._is_own and self._has_other_weights(graph, None)
        if self._is_own and not rewrites and graph.directed == given.graph.directed:
            return InducedPart(self, kept, OWN_PARTS[self.type](given, Cut(graph.num_vertices, kept)))
        return InducedPart(self, kept, self.of(graph.among(kept)))

    def attribute(self, name: str) -> list[Any]:
        """The values of a vertex attribute, one for each vertex of the given graph."""
        original, kind, n = self.given.original, self.given.type, self.given.graph.num_vertices
        found: Any = None
        if kind == "networkx":
            found = [data.get(name) for _, data in original.nodes(data=True)]
        elif kind == "igraph" and name in original.vs.attributes():
            found = original.vs[name]
        elif kind == "pyg" and name in original:
            found = original[name].tolist()
        if found is None or len(found) != n or None in found:
            raise LenseError(f"Not every vertex has the attribute {name!r}.")
        return list(found)

    def numbers(self, graph: Graph, answer: Any, who: str) -> Int64s:
        """The vertices that ``who`` returned for :meth:`of` the ``graph``, by their numbers in ``graph``."""
        is_whole = graph.num_vertices == self.given.graph.num_vertices
        vertices = np.arange(graph.num_vertices) if is_whole else self.given.numbers(graph.labels)
        return self.places(answer, vertices, who)

    def places(self, answer: Any, vertices: Int64s, who: str) -> Int64s:
        """The vertices that ``who`` returned for an object with these ``vertices``, by their places among those."""
        if isinstance(answer, str | bytes) or not hasattr(answer, "__iter__"):
            raise LenseError(f"{who} must return a list of vertices, not {answer!r}.")
        found = answer.tolist() if isinstance(answer, np.ndarray) else list(answer)
        if self._names_vertices(vertices.size):
            kind, number = "ids", self._number
            numbers = np.array([number.get(one, -1) if isinstance(one, Hashable) else -1 for one in found], np.int64)
            is_known, places = np.isin(numbers, vertices), np.searchsorted(vertices, numbers)
        else:
            kind = f"numbers from 0 to {vertices.size - 1}"
            places = np.array([one if _is_number(one, vertices.size) else -1 for one in found], np.int64)
            is_known = places >= 0
        if not is_known.all():
            raise LenseError(
                f"{who} returned {found[is_known.argmin()]!r}, which is no vertex of the graph it was given: vertices "
                f"of {GRAPH_TYPES[self.type]} are returned as {kind}."
            )
        if np.unique(places).size < places.size:
            raise LenseError(f"{who} returned a vertex more than once.")
        return places

    def vertices(self, graph: Graph, numbers: Int64s) -> list[Any]:
        """Undo :meth:`numbers`."""
        is_named = self._names_vertices(graph.num_vertices)
        return self._names(graph.labels[numbers]) if is_named else numbers.tolist()

    def _names_vertices(self, size: int) -> bool:
        """Whether objects of the type with so many vertices call them by their ids."""
        is_whole = size == self.given.graph.num_vertices
        return self.type in _NAMED or (self.type == "networkit" and self._is_own and is_whole)

    @cached_property
    def _number(self) -> dict[Any, int]:
        """The number of every vertex of the given graph by what objects of the type call it."""
        names = self._names(self.given.graph.labels)
        return dict(zip(names, range(len(names)), strict=True))

    def _names(self, labels: AnyArray) -> list[Any]:
        """What vertices are called in objects of the type: their ids, as text where an object made here needs that."""
        if self.given.ids is None or self._is_own:
            return self.given.names(labels)
        names: list[Any] = self._made_ids[labels].tolist()
        return names

    @cached_property
    def _made_ids(self) -> AnyArray:
        """The owner's ids in objects made here: as integers, or if there is anything else by their text."""
        assert self.given.ids is not None
        return as_labels(list(self.given.ids))

    @property
    def _is_own(self) -> bool:
        return self.type == self.given.type and self.given.original is not None

    def _has_other_weights(self, graph: Graph, vertices: Int64s | None) -> bool:
        """Whether ``graph``, on these ``vertices`` of the given one or all, has weights that the user's has not."""
        given = self.given.graph
        if graph is given or graph.weights is None or self.type == "array":
            return False
        if given.weights is None:
            return True
        if vertices is None or graph.num_arcs == given.num_arcs:
            return not np.array_equal(graph.weights, given.weights)
        rows = np.repeat(vertices, graph.out_degrees)
        at = arc_places(given.indptr, given.indices, rows, vertices[graph.indices])
        return not np.array_equal(graph.weights[at >= 0], given.weights[at[at >= 0]])

    def _made(self, graph: Graph) -> Any:
        """A new object with the vertices, edges and weights of ``graph`` and the owner's ids."""
        own = graph if self.given.ids is None else replace(graph, labels=self._made_ids[graph.labels])
        return getattr(convert, f"to_{self.type}")(own)


@dataclass(frozen=True)
class InducedPart:
    """An induced part of a given graph: the object for a user's function, and its vertices' numbers, rising."""

    view: View
    vertices: Int64s
    graph: Any = field(repr=False)

    def ids(self, chosen: Int64s) -> list[Any]:
        """What ``graph`` calls vertices of the part, given by their numbers in the whole graph."""
        view = self.view
        if view._names_vertices(self.vertices.size):
            return view._names(view.given.graph.labels[chosen])
        places: list[Any] = np.searchsorted(self.vertices, chosen).tolist()
        return places

    def numbers(self, answer: Any, who: str) -> Int64s:
        """The vertices that ``who`` returned for ``graph``, in the same order, by their numbers in the whole graph."""
        return self.vertices[self.view.places(answer, self.vertices, who)]


def _is_number(one: Any, n: int) -> bool:
    """Whether it is a whole number from 0 to n - 1."""
    return isinstance(one, int | np.integer) and not isinstance(one, bool) and bool(0 <= one < n)
