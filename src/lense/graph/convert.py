"""Graphs to and from networkx, igraph, NetworKit, scipy.sparse, PyTorch Geometric, and tables and arrays of edges.

Each library is imported only when its converter is called. Labels, weights, direction and isolated vertices are
kept both ways, and so are repeated edges and self loops if the way back is asked to keep them.
"""

import importlib
import logging
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain, repeat
from operator import methodcaller
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from lense._util.types import AnyArray, Float32s, Float64s, Int32s, Int64s
from lense.errors import LenseError
from lense.graph.csr import Graph, csr_from_edges
from lense.graph.formats.options import Columns, ReadOptions, find_columns, parse_columns, single_precision
from lense.graph.labels import check_labels, id_array, ids_of, relabel
from lense.graph.structure import count_repeats, first_one_way_arc

__all__ = [
    "from_array",
    "from_arrow",
    "from_igraph",
    "from_networkit",
    "from_networkx",
    "from_pandas",
    "from_polars",
    "from_pyg",
    "from_scipy",
    "from_table",
    "to_array",
    "to_arrow",
    "to_igraph",
    "to_networkit",
    "to_networkx",
    "to_pandas",
    "to_polars",
    "to_pyg",
    "to_scipy",
]

log = logging.getLogger(__name__)


class Kept(TypedDict, total=False):
    """What all converters keep if asked: repeated edges, self-loops."""

    keep_duplicates: bool
    keep_self_loops: bool


_values = methodcaller("values")


def to_networkx(graph: Graph) -> Any:
    """Convert to networkx.

    Parameters
    ----------
    graph
        The graph.

    Returns
    -------
    networkx.Graph
        Its nodes are the labels. It is directed if the graph is, and a multigraph where edges are repeated.
    """
    nx = library("networkx")
    kinds = {
        (False, False): nx.Graph,
        (False, True): nx.MultiGraph,
        (True, False): nx.DiGraph,
        (True, True): nx.MultiDiGraph,
    }
    result = kinds[graph.directed, count_repeats(graph) > 0]()
    result.add_nodes_from(graph.labels.tolist())
    sources, targets, weights = graph.edges()
    ends = graph.labels[sources].tolist(), graph.labels[targets].tolist()
    if weights is None:
        result.add_edges_from(zip(*ends, strict=True))
    else:
        result.add_weighted_edges_from(zip(*ends, weights.tolist(), strict=True))
    return result


def from_networkx(graph: Any, *, weight: str = "weight", labelled: bool = True, **kept: Unpack[Kept]) -> Graph:
    """Convert a networkx graph.

    Parameters
    ----------
    graph
        A graph of networkx, of any type.
    weight
        The edge attribute that holds weights; where any edge has it, the others weigh 1, as everywhere in networkx.
    labelled
        Whether the nodes are the labels, rather than 0..n - 1.
    **kept
        ``keep_duplicates`` and ``keep_self_loops``, which are dropped by default.

    Returns
    -------
    Graph
        Its vertices are the nodes in their order. Nodes that are neither all integers nor all strings are labelled by
        their text.
    """
    sources, targets, weights = _listed_edges(graph, weight) if graph.is_multigraph() else _row_edges(graph, weight)
    return Graph.from_edges(
        sources,
        targets,
        weights,
        directed=graph.is_directed(),
        labels=as_labels(list(graph)) if labelled else np.arange(len(graph)),
        **kept,
    )


def _row_edges(graph: Any, weight: str) -> tuple[Int32s, Int32s, Float32s | None]:
    """The edges of a networkx graph without repeated ones, read from its dictionaries by C iterators alone."""
    nodes, rows = list(graph), list(graph._adj.values())
    counts = np.fromiter(map(len, rows), np.int64, len(rows))
    arcs = int(counts.sum())
    ends: Iterable[Any] = chain.from_iterable(rows)
    if nodes != list(range(len(nodes))):
        ends = map(dict(zip(nodes, range(len(nodes)), strict=True)).__getitem__, ends)
    sources = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
    targets = np.fromiter(ends, np.int32, arcs)
    weights = None
    if any(chain.from_iterable(map(_values, rows))):  # most graphs have no attributes of edges at all
        weights = as_weights(list(map(dict.get, chain.from_iterable(map(_values, rows)), repeat(weight))))
    if graph.is_directed():
        return sources, targets, weights
    once = sources <= targets
    return sources[once], targets[once], None if weights is None else weights[once]


def _listed_edges(graph: Any, weight: str) -> tuple[Int32s, Int32s, Float32s | None]:
    """The edges of a networkx multigraph, in its order."""
    number = {node: i for i, node in enumerate(graph)}
    edges = [(number[u], number[v], given) for u, v, given in graph.edges(data=weight)]
    sources, targets, given = zip(*edges, strict=True) if edges else ((), (), ())
    return np.array(sources, np.int32), np.array(targets, np.int32), as_weights(given)


def to_igraph(graph: Graph) -> Any:
    """Convert to igraph.

    Parameters
    ----------
    graph
        The graph.

    Returns
    -------
    igraph.Graph
        The vertex attribute ``name`` has the labels, the edge attribute ``weight`` the weights.
    """
    ig = library("igraph")
    sources, targets, weights = graph.edges()
    result = ig.Graph(
        n=graph.num_vertices, edges=np.column_stack([sources, targets]).astype(np.int64), directed=graph.directed
    )
    result.vs["name"] = graph.labels.tolist()
    if weights is not None:
        result.es["weight"] = weights.tolist()
    return result


def from_igraph(graph: Any, *, weight: str = "weight", labelled: bool = True, **kept: Unpack[Kept]) -> Graph:
    """Convert an igraph graph.

    Parameters
    ----------
    graph
        A graph of igraph.
    weight
        The edge attribute that holds weights.
    labelled
        Whether the values of the vertex attribute ``name`` are the labels, rather than 0..n - 1.
    **kept
        ``keep_duplicates`` and ``keep_self_loops``, which are dropped by default.

    Returns
    -------
    Graph
        Its vertices are those of igraph in their order.
    """
    ends = np.fromiter(chain.from_iterable(graph.get_edgelist()), np.int32, 2 * graph.ecount()).reshape(-1, 2)
    return Graph.from_edges(
        ends[:, 0],
        ends[:, 1],
        as_weights(graph.es[weight]) if weight in graph.es.attributes() else None,
        directed=graph.is_directed(),
        labels=as_labels(graph.vs["name"])
        if labelled and "name" in graph.vs.attributes()
        else np.arange(graph.vcount()),
        **kept,
    )


def to_networkit(graph: Graph) -> Any:
    """Convert to NetworKit.

    Parameters
    ----------
    graph
        The graph.

    Returns
    -------
    networkit.Graph
        Its nodes are the numbers 0..n - 1, since NetworKit keeps no ids.
    """
    sources, targets, weights = graph.edges()
    return networkit_graph(np.arange(graph.num_vertices), sources, targets, weights, graph.directed)


def networkit_graph(
    nodes: AnyArray, sources: AnyArray, targets: AnyArray, weights: AnyArray | None, directed: bool
) -> Any:
    """A NetworKit graph with these ``nodes``, in rising order, and edges between them."""
    nk = library("networkit")
    values = np.ones(sources.size) if weights is None else weights.astype(np.float64)
    ends = sources.astype(np.uint64), targets.astype(np.uint64)  # NetworKit crashes on any other type
    room = int(nodes[-1]) + 1 if nodes.size else 0
    if values.size:
        made = nk.GraphFromCoo((values, ends), n=room, weighted=weights is not None, directed=directed)
    else:
        made = nk.Graph(room, weighted=weights is not None, directed=directed)
    for gap in np.setdiff1d(np.arange(room), nodes).tolist():
        made.removeNode(gap)
    return made


def from_networkit(graph: Any, **kept: Unpack[Kept]) -> Graph:
    """Convert a NetworKit graph.

    Parameters
    ----------
    graph
        A graph of NetworKit.
    **kept
        ``keep_duplicates`` and ``keep_self_loops``, which are dropped by default.

    Returns
    -------
    Graph
        Its labels are the node ids, which have gaps where nodes were removed.
    """
    nodes = np.fromiter(graph.iterNodes(), np.int64, graph.numberOfNodes())
    sources, targets, weights = networkit_edges(graph)
    number = np.full(graph.upperNodeIdBound(), -1, np.int32)
    number[nodes] = np.arange(nodes.size, dtype=np.int32)
    return Graph.from_edges(
        number[sources], number[targets], weights, directed=graph.isDirected(), labels=nodes, **kept
    )


def networkit_edges(graph: Any) -> tuple[Int64s, Int64s, Float64s | None]:
    """Node ids and weights of the edges of a NetworKit graph, each once."""
    if not graph.isWeighted():
        ends = np.fromiter(chain.from_iterable(graph.iterEdges()), np.int64, 2 * graph.numberOfEdges())
        return ends[::2], ends[1::2], None
    edges = np.fromiter(graph.iterEdgesWeights(), "i8,i8,f8", graph.numberOfEdges())
    return edges["f0"], edges["f1"], edges["f2"]


def to_scipy(graph: Graph) -> Any:
    """Convert to an adjacency matrix.

    Parameters
    ----------
    graph
        The graph.

    Returns
    -------
    scipy.sparse.csr_array
        The matrix (n, n) of float32, with ones where there are no weights.
    """
    sparse = library("scipy.sparse")
    values = np.ones(graph.num_arcs, np.float32) if graph.weights is None else graph.weights.copy()
    shape = (graph.num_vertices, graph.num_vertices)
    return sparse.csr_array((values, graph.indices.copy(), graph.indptr.copy()), shape=shape)


def from_scipy(
    matrix: Any,
    *,
    directed: bool | None = None,
    weights: bool | None = None,
    labels: ArrayLike | None = None,
    **kept: Unpack[Kept],
) -> Graph:
    """Convert a sparse adjacency matrix.

    Parameters
    ----------
    matrix
        A matrix (n, n) of scipy, whose entry (u, v) is the weight of the edge from u to v.
    directed
        Whether edges have a direction; by default unless the matrix is symmetric.
    weights
        Whether edges have weights; by default unless all entries are 1.
    labels
        The ids of the vertices, by default 0..n - 1.
    **kept
        ``keep_duplicates`` and ``keep_self_loops``, which are dropped by default.

    Returns
    -------
    Graph
        An undirected graph has each edge of a symmetric matrix once.

    Raises
    ------
    LenseError
        For a matrix that is not square or not real.
    """
    entries = library("scipy.sparse").coo_array(matrix)
    rows, columns = entries.shape
    if rows != columns:
        raise LenseError(f"A graph's matrix is square, but this one has {rows} rows and {columns} columns.")
    if np.iscomplexobj(entries.data):
        raise LenseError("A graph's matrix holds real numbers, but this one has complex ones.")
    if weights is None:
        weights = bool((entries.data != 1).any())
    return _from_arcs(
        entries.row.astype(np.int32),
        entries.col.astype(np.int32),
        single_precision(entries.data) if weights else None,
        directed=directed,
        labels=np.arange(rows) if labels is None else as_labels(labels),
        **kept,
    )


def to_pyg(graph: Graph) -> Any:
    """Convert to PyTorch Geometric.

    Parameters
    ----------
    graph
        The graph.

    Returns
    -------
    torch_geometric.data.Data
        Its ``edge_index`` (2, arcs) has both directions of an undirected edge. It also has ``edge_weight`` (arcs) where
        there are weights, ``labels`` (a tensor, or a list of strings) and ``directed``.
    """
    torch = library("torch")
    sources = np.repeat(np.arange(graph.num_vertices), graph.out_degrees)
    data = library("torch_geometric.data").Data(
        edge_index=torch.from_numpy(np.stack([sources, graph.indices])),
        num_nodes=graph.num_vertices,
        labels=pyg_labels(graph.labels),
        directed=graph.directed,
    )
    if graph.weights is not None:
        data.edge_weight = torch.from_numpy(graph.weights.copy())
    return data


def pyg_labels(labels: AnyArray) -> Any:
    """Labels as a tensor, or a list of strings."""
    is_text = np.issubdtype(labels.dtype, np.str_)
    return labels.tolist() if is_text else library("torch").from_numpy(labels.astype(np.int64))


def from_pyg(data: Any, *, directed: bool | None = None, **kept: Unpack[Kept]) -> Graph:
    """Convert a PyTorch Geometric ``Data``.

    Parameters
    ----------
    data
        A ``Data``; ``edge_weight``, or an ``edge_attr`` of one column, holds weights, ``labels`` the ids.
    directed
        Whether edges have a direction; by default as its attribute ``directed`` says, else unless ``edge_index`` is
        symmetric.
    **kept
        ``keep_duplicates`` and ``keep_self_loops``, which are dropped by default.

    Returns
    -------
    Graph
        Its labels are ``labels``, or 0..n - 1.
    """
    sources, targets = data.edge_index.cpu().numpy().astype(np.int32)
    weights = data.get("edge_weight")
    if weights is None and (features := data.get("edge_attr")) is not None:
        if features.numel() == sources.size:
            weights = features
        else:
            log.info("edge_attr has several columns, so it is not taken for weights")
    if weights is not None and weights.numel() != sources.size:
        raise LenseError("An edge has one weight, but edge_weight has several columns: keep one of them.")
    labels = data.get("labels")
    return _from_arcs(
        sources,
        targets,
        None if weights is None else single_precision(weights.detach().cpu().numpy().reshape(-1)),
        directed=data.get("directed") if directed is None else directed,
        labels=np.arange(data.num_nodes) if labels is None else as_labels(labels),
        **kept,
    )


def _from_arcs(
    sources: Int32s,
    targets: Int32s,
    weights: Float32s | None,
    *,
    directed: bool | None,
    labels: AnyArray,
    **kept: Unpack[Kept],
) -> Graph:
    """The graph of arcs that list an undirected edge both ways; None leaves it to their symmetry."""
    if not directed:
        arcs = csr_from_edges(sources, targets, weights, labels.size, directed=True)
        symmetric = first_one_way_arc(*arcs) is None
        if symmetric:
            once = sources <= targets
            sources, targets = sources[once], targets[once]
            weights = None if weights is None else weights[once]
        directed = directed is None and not symmetric
    return Graph.from_edges(sources, targets, weights, directed=directed, labels=labels, **kept)


ColumnNames = str | Sequence[str | int] | None

_EXTRAS = {"torch": "lense[learn]", "torch_geometric": "lense[learn]", "networkit": "networkit"}
"""What to install for a library; it is ``lense[convert]`` for all others."""


def to_pandas(graph: Graph) -> Any:
    """Convert to a table of pandas.

    Parameters
    ----------
    graph
        The graph.

    Returns
    -------
    pandas.DataFrame
        An edge in each row, with the columns source, target and, where there are weights, weight.
    """
    return library("pandas").DataFrame(_edge_columns(graph))


def from_table(table: Any, *, columns: ColumnNames = None, directed: bool = False, **kept: Unpack[Kept]) -> Graph:
    """Convert a table with an edge in each row; ``from_pandas``, ``from_polars`` and ``from_arrow`` are the same.

    Parameters
    ----------
    table
        A ``DataFrame`` of pandas, a ``DataFrame`` or ``LazyFrame`` of polars, or an Arrow ``Table``.
    columns
        Names or numbers of the two ends and, if wanted, the weight, as for :func:`lense.graph.read_graph`.
    directed
        Whether edges have a direction.
    **kept
        ``keep_duplicates`` and ``keep_self_loops``, which are dropped by default.

    Returns
    -------
    Graph
        Its labels are the ids, in rising order.
    """
    table = collected(table)
    source, target, weight = table_columns(table_names(table), columns)
    sources, targets, labels = relabel(table_ids(table, source), table_ids(table, target))
    weights = None if weight is None else as_weights(_values_of(table, weight))
    return Graph.from_edges(sources, targets, weights, directed=directed, labels=labels, **kept)


from_pandas = from_polars = from_arrow = from_table


def to_polars(graph: Graph) -> Any:
    """Convert to a table of polars.

    Parameters
    ----------
    graph
        The graph.

    Returns
    -------
    polars.DataFrame
        The columns that :func:`to_pandas` has.
    """
    return library("polars").DataFrame(_edge_columns(graph))


def collected(frame: Any) -> Any:
    """A polars ``DataFrame``, where a ``LazyFrame`` was given too."""
    return frame.collect() if hasattr(frame, "collect") else frame


def to_arrow(graph: Graph) -> Any:
    """Convert to a table of Arrow.

    Parameters
    ----------
    graph
        The graph.

    Returns
    -------
    pyarrow.Table
        The columns that :func:`to_pandas` has.
    """
    return library("pyarrow").table(_edge_columns(graph))


def to_array(graph: Graph) -> AnyArray:
    """Convert to an array of edges.

    Parameters
    ----------
    graph
        The graph.

    Returns
    -------
    ndarray
        The labels of the ends of each edge (m, 2), without weights.
    """
    sources, targets, _ = graph.edges()
    return np.column_stack([graph.labels[sources], graph.labels[targets]])


def from_array(
    edges: ArrayLike, *, weights: ArrayLike | None = None, directed: bool = False, **kept: Unpack[Kept]
) -> Graph:
    """Convert an array of edges.

    Parameters
    ----------
    edges
        Integers or strings (m, 2), an edge in each row, or (2, m), an edge in each column; (2, 2) has rows.
    weights
        The weight of each edge (m).
    directed
        Whether edges have a direction.
    **kept
        ``keep_duplicates`` and ``keep_self_loops``, which are dropped by default.

    Returns
    -------
    Graph
        Its labels are the ids, in rising order.
    """
    rows = edge_rows(edges)
    sources, targets, labels = relabel(rows[:, 0], rows[:, 1])
    return Graph.from_edges(sources, targets, weights, directed=directed, labels=labels, **kept)


def edge_rows(edges: ArrayLike) -> AnyArray:
    """An array of edges with one in each row: (m, 2)."""
    try:
        array = id_array(edges)
    except LenseError:
        raise
    except (ValueError, TypeError) as error:
        raise _no_edges("rows of different lengths") from error
    rows = array.T if array.ndim == 2 and array.shape[0] == 2 != array.shape[1] else array
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.size == 0:
        raise _no_edges(f"an array of shape {array.shape}")
    if rows.dtype.kind not in "iuU":
        raise _no_edges(f"values of the type {rows.dtype}")
    return rows


def _no_edges(found: str) -> LenseError:
    return LenseError(f"Edges are given as pairs of ids, whole numbers or text, in an array (m, 2), not as {found}.")


def table_columns(names: Sequence[str], columns: ColumnNames = None) -> Columns:
    """Where the ends of edges and their weights stand in a table with columns of these ``names``."""
    return find_columns(names, ReadOptions(columns=parse_columns(columns)), Path("The table"))


def table_names(table: Any) -> list[str]:
    """The names of the columns of a table of pandas, polars or Arrow."""
    return [str(name) for name in (table.column_names if hasattr(table, "column_names") else table.columns)]


def _values_of(table: Any, place: int) -> AnyArray:
    """The values of a column."""
    values: AnyArray = _column(table, place).to_numpy()
    return values


def _column(table: Any, place: int) -> Any:
    if hasattr(table, "iloc"):
        return table.iloc[:, place]
    return table.to_series(place) if hasattr(table, "to_series") else table.column(place)


def row_objects(edges: Any, labels: AnyArray) -> list[Hashable] | None:
    """What a table or a list of edges calls the vertices with these ``labels``; None where by integers or strings."""
    named: dict[str, Hashable] = {}
    for values, listed in _odd_ends(edges):  # of different objects with the same text the first one counts
        named = {**dict(zip(map(str, values[::-1]), listed[::-1], strict=True)), **named}
    return [named.get(str(label), label) for label in labels.tolist()] if named else None


def _odd_ends(edges: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """Of ends that are neither all integers nor all strings, the values that labels are made of, and the objects."""
    if isinstance(edges, list | tuple):
        listed = list(chain.from_iterable(edges))
        if not set(map(type, listed)) <= {str} and np.asarray(edges).dtype.kind == "U":
            yield listed, listed
    elif not hasattr(edges, "shape") or hasattr(edges, "columns") or hasattr(edges, "column_names"):
        for place in table_columns(table_names(edges))[:2]:
            values = _values_of(edges, place)
            if values.dtype.kind not in "iuU" and set(map(type, values.tolist())) not in ({int}, {str}):
                column = _column(edges, place)
                ways = (name for name in ("to_pylist", "to_list", "tolist") if hasattr(column, name))
                yield values.tolist(), getattr(column, next(ways))()


def table_ids(table: Any, place: int) -> AnyArray:
    """The ids in a column, as integers or strings."""
    values = _values_of(table, place)
    return values if values.dtype.kind in "iuU" else _by_text(values.tolist())


def _edge_columns(graph: Graph) -> dict[str, AnyArray]:
    sources, targets, weights = graph.edges()
    ends = {"source": graph.labels[sources], "target": graph.labels[targets]}
    return ends if weights is None else {**ends, "weight": weights}


def library(name: str) -> Any:
    """A library that is not always there."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        package = name.partition(".")[0]
        needed = _EXTRAS.get(package, "lense[convert]")
        raise LenseError(f"This needs {package}, which is missing: pip install '{needed}'.") from error


def as_labels(ids: ArrayLike | Sequence[Hashable]) -> AnyArray:
    """Different ids as an array of integers or strings; anything else by its text."""
    return check_labels(_by_text(ids if isinstance(ids, list) else np.asarray(ids).tolist()))


def _by_text(values: list[Any]) -> AnyArray:
    """Ids as integers, or if there is anything else by their text."""
    if set(map(type, values)) in (set(), {int}, {str}):
        return ids_of(values)
    if any(map(_is_missing, values)):
        raise LenseError("The graph has a vertex without an id (None or NaN): fill it in.")
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return ids_of([int(value) for value in values])
    return ids_of([str(value) for value in values])


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas' NA equals nothing, and differs from nothing either
        return True


def as_weights(given: Sequence[Any] | AnyArray) -> Float32s | None:
    """Weights of edges, 1 where one is missing, or None where all are."""
    if isinstance(given, np.ndarray) and given.dtype.kind in "iuf" and given.size:
        return single_precision(given)
    if all(weight is None for weight in given):
        return None
    try:
        return single_precision(np.array([1 if weight is None else weight for weight in given], np.float64))
    except (TypeError, ValueError) as error:
        raise LenseError("The weights of edges must be numbers, and some are not.") from error
