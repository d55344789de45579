"""Graphs from files and to files; the name of a file gives its format and its compression."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path

from lense._util.files import replacing, system_errors
from lense.errors import LenseError, choose
from lense.graph.csr import Graph
from lense.graph.formats import edge_list, markup, matrix_market, npz, parquet, parts
from lense.graph.formats.options import Ids, ReadOptions, check_written, parse_columns
from lense.graph.formats.parts import is_many
from lense.graph.formats.streams import COMPRESSIONS, without_compression
from lense.graph.labels import LONGEST_LABEL, longest_label


@dataclass(frozen=True)
class Format:
    """How one kind of file is read and written; text may be compressed as a whole."""

    suffixes: tuple[str, ...]
    read: Callable[[Path, ReadOptions], Graph]
    write: Callable[[Graph, Path], None]
    is_text: bool = True
    has_columns: bool = False


FORMATS = {
    "edge-list": Format(
        (".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el"), edge_list.read, edge_list.write, has_columns=True
    ),
    "matrix-market": Format((".mtx",), matrix_market.read, matrix_market.write),
    "graphml": Format((".graphml",), markup.read_graphml, partial(markup.write, kind="graphml")),
    "gml": Format((".gml",), markup.read_gml, partial(markup.write, kind="gml")),
    "npz": Format((".npz",), npz.read, npz.write, is_text=False),
    "parquet": Format((".parquet",), parts.read, parquet.write, is_text=False, has_columns=True),
}
GRAPH_SUFFIXES = tuple(suffix for kind in FORMATS.values() for suffix in kind.suffixes)
"""The endings that name a format, without those of compression."""

_IDS: dict[str, Ids] = {"auto": "auto", "int": "int", "str": "str"}


def read_graph(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    directed: bool | None = None,
    weights: bool | None = None,
    ids: str = "auto",
    keep_duplicates: bool | None = None,
    keep_self_loops: bool | None = None,
    columns: str | Sequence[str | int] | None = None,
    header: bool | None = None,
) -> Graph:
    """The graph in a file: an edge list, Matrix Market, GraphML, GML, Parquet or our own ``.npz``.

    A folder, or a pattern such as ``edges/*.parquet``, stands for all the Parquet files in it.

    The name gives the format unless ``format`` does, and for text also the compression (``.gz``, ``.xz``, ``.bz2``
    or ``.zst``). The file says whether edges are directed (undirected where it does not), whether there are weights,
    and whether ids are integers or strings; ``directed``, ``weights`` and ``ids`` override it. Read as directed, an
    undirected file gives one arc for each edge, as listed. Repeated edges and self loops are dropped, unless you keep
    them or the file says that they were kept, as a ``.npz`` or an edge list that lense wrote does.

    ``columns`` says which columns of an edge list or a Parquet file to read: the two ends of an edge and, if it has
    one, its weight, as ``("a", "b", "w")`` or ``"a,b,w"``, by name or by number from 1 on. Without it, known names
    such as source, target and weight decide, else the order of the columns. ``header`` says whether the first line of
    an edge list names its columns, where lense does not find that out.
    """
    file = Path(path)
    options = read_options(directed, weights, ids, keep_duplicates, keep_self_loops, columns, header)
    if format is None and is_many(str(path)):
        check_options(file, FORMATS["parquet"], options)
        with system_errors(file, "read"):
            return parts.read_parts(str(path), options)
    kind = graph_format(file, format)
    check_options(file, kind, options)
    with system_errors(file, "read"):
        return kind.read(file, options)


def read_options(
    directed: bool | None = None,
    weights: bool | None = None,
    ids: str = "auto",
    keep_duplicates: bool | None = None,
    keep_self_loops: bool | None = None,
    columns: str | Sequence[str | int] | None = None,
    header: bool | None = None,
) -> ReadOptions:
    """The options of :func:`read_graph`, checked."""
    return ReadOptions(
        directed=directed,
        weights=weights,
        ids=choose(ids, _IDS, "kind of ids"),
        keep_duplicates=keep_duplicates,
        keep_self_loops=keep_self_loops,
        columns=parse_columns(columns),
        header=header,
    )


def check_options(file: Path, kind: Format, options: ReadOptions) -> None:
    """Raise where an option has no meaning for files of this kind."""
    if options.columns is not None and not kind.has_columns:
        raise LenseError(f"{file} has no columns to choose from: only edge lists and Parquet files take columns.")
    if options.header is not None and kind is not FORMATS["edge-list"]:
        raise LenseError(f"{file} has no line of names: header (--header, --no-header) is for edge lists.")


def write_graph(graph: Graph, path: str | PathLike[str], *, format: str | None = None) -> None:
    """Write a graph so that :func:`read_graph` gives it back; the name gives format and compression.

    A ``.csv`` has a line of names and no comments, so that every program opens it. It holds edges, weights and
    direction alone: vertices without an edge are not in it, which is logged.
    """
    file = Path(path)
    kind = graph_format(file, format)
    if file.is_dir():
        raise LenseError(f"{file} is a folder: name a file to write in it.")
    if kind is not FORMATS["npz"] and longest_label(graph.labels) > LONGEST_LABEL:
        raise LenseError(f"An id has at most {LONGEST_LABEL} bytes in {file}: write .npz, or relabel the vertices.")
    with system_errors(file, "written"), replacing(file) as part:
        kind.write(graph, part)
        check_written(file, part.stat().st_size, graph.num_vertices)


def graph_format(path: Path, name: str | None) -> Format:
    """The format called ``name``, or that of the file's name."""
    suffix = without_compression(path).suffix.lower()
    by_suffix = {suffix: kind for kind in FORMATS.values() for suffix in kind.suffixes}
    if name is not None:
        kind = choose(name, FORMATS, "graph format")
    elif suffix in by_suffix:
        kind = by_suffix[suffix]
    else:
        known = ", ".join(GRAPH_SUFFIXES)
        raise LenseError(
            f"The name of {path} does not say which format it has: end it in one of {known}, or name a format."
        )
    if not kind.is_text and path.suffix.lower() in COMPRESSIONS:
        raise LenseError(f"{path} is compressed a second time: name and keep it without {path.suffix}.")
    return kind
