"""Graphs to and from tables of edges (pandas, polars, Arrow) and arrays of edges; ids and weights as users have them.

Each library is imported only when its converter is called.
"""

import importlib
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lense._util.types import AnyArray, Float32s
from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.column_names import Columns, find_columns
from lense.graph.formats.options import ReadOptions, parse_columns, single_precision
from lense.graph.labels import check_labels, id_array, ids_of, relabel

ColumnNames = str | Sequence[str | int] | None

_EXTRAS = {"torch": "learn", "torch_geometric": "learn"}
"""The extra of this package that brings a library; it is ``convert`` for all others."""


def to_pandas(graph: Graph) -> Any:
    """A pandas ``DataFrame`` with the columns source, target and, where there are weights, weight; a row is an edge."""
    return library("pandas").DataFrame(_edge_columns(graph))


def from_pandas(
    frame: Any,
    *,
    columns: ColumnNames = None,
    directed: bool = False,
    keep_duplicates: bool = False,
    keep_self_loops: bool = False,
) -> Graph:
    """The graph of a pandas ``DataFrame`` with an edge in each row; its labels are the ids there, in rising order.

    ``columns`` are the two ends and, if wanted, the weight, as for :func:`lense.graph.read_graph`.
    """
    names = [str(name) for name in frame.columns]
    return _from_table(
        names,
        lambda i: frame.iloc[:, i].to_numpy(),
        columns,
        directed=directed,
        keep_duplicates=keep_duplicates,
        keep_self_loops=keep_self_loops,
    )


def to_polars(graph: Graph) -> Any:
    """A polars ``DataFrame`` with the columns that :func:`to_pandas` has."""
    return library("polars").DataFrame(_edge_columns(graph))


def from_polars(
    frame: Any,
    *,
    columns: ColumnNames = None,
    directed: bool = False,
    keep_duplicates: bool = False,
    keep_self_loops: bool = False,
) -> Graph:
    """The graph of a polars ``DataFrame`` or ``LazyFrame`` with an edge in each row; see :func:`from_pandas`."""
    table = collected(frame)
    return _from_table(
        list(table.columns),
        lambda i: table.to_series(i).to_numpy(),
        columns,
        directed=directed,
        keep_duplicates=keep_duplicates,
        keep_self_loops=keep_self_loops,
    )


def collected(frame: Any) -> Any:
    """A polars ``DataFrame``, where a ``LazyFrame`` was given too."""
    return frame.collect() if hasattr(frame, "collect") else frame


def to_arrow(graph: Graph) -> Any:
    """An Arrow ``Table`` with the columns that :func:`to_pandas` has."""
    return library("pyarrow").table(_edge_columns(graph))


def from_arrow(
    table: Any,
    *,
    columns: ColumnNames = None,
    directed: bool = False,
    keep_duplicates: bool = False,
    keep_self_loops: bool = False,
) -> Graph:
    """The graph of an Arrow ``Table`` with an edge in each row; see :func:`from_pandas`."""
    names = list(table.column_names)
    return _from_table(
        names,
        lambda i: table.column(i).to_numpy(),
        columns,
        directed=directed,
        keep_duplicates=keep_duplicates,
        keep_self_loops=keep_self_loops,
    )


def to_array(graph: Graph) -> AnyArray:
    """The edges as an array (m, 2) of labels; weights have no place in it."""
    sources, targets, _ = graph.edges()
    return np.column_stack([graph.labels[sources], graph.labels[targets]])


def from_array(
    edges: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    directed: bool = False,
    keep_duplicates: bool = False,
    keep_self_loops: bool = False,
) -> Graph:
    """The graph of an array (m, 2) of ids with an edge in each row, or (2, m) with an edge in each column.

    An array (2, 2) has its edges in rows. The ids are integers or strings, and become the labels, in rising order.
    """
    rows = edge_rows(edges)
    sources, targets, labels = relabel(rows[:, 0], rows[:, 1])
    return Graph.from_edges(
        sources,
        targets,
        weights,
        directed=directed,
        labels=labels,
        keep_duplicates=keep_duplicates,
        keep_self_loops=keep_self_loops,
    )


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


def table_ids(values: AnyArray) -> AnyArray:
    """Ids in a column of a table, as integers or strings."""
    return values if values.dtype.kind in "iuU" else _by_text(values.tolist())


def _edge_columns(graph: Graph) -> dict[str, AnyArray]:
    sources, targets, weights = graph.edges()
    ends = {"source": graph.labels[sources], "target": graph.labels[targets]}
    return ends if weights is None else {**ends, "weight": weights}


def _from_table(
    names: Sequence[str],
    values: Callable[[int], AnyArray],
    columns: ColumnNames,
    *,
    directed: bool,
    keep_duplicates: bool,
    keep_self_loops: bool,
) -> Graph:
    source, target, weight = table_columns(names, columns)
    sources, targets, labels = relabel(table_ids(values(source)), table_ids(values(target)))
    return Graph.from_edges(
        sources,
        targets,
        None if weight is None else as_weights(values(weight)),
        directed=directed,
        labels=labels,
        keep_duplicates=keep_duplicates,
        keep_self_loops=keep_self_loops,
    )


def library(name: str) -> Any:
    """A library that is not always there."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        package = name.partition(".")[0]
        extra = _EXTRAS.get(package, "convert")
        raise LenseError(f"This needs {package}, which is missing: pip install 'lense[{extra}]'.") from error


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
