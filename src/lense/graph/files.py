"""Graphs from files and to files; the name of a file gives its format and its compression."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from lense._util.files import replacing, system_errors
from lense.errors import LenseError, choose
from lense.graph.csr import Graph
from lense.graph.formats import edge_list, matrix_market, npz, parquet
from lense.graph.formats.options import ReadOptions, check_written, parse_columns
from lense.graph.formats.parts import edge_files, is_many
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
    "npz": Format((".npz",), npz.read, npz.write, is_text=False),
    "parquet": Format((".parquet",), parquet.read, parquet.write, is_text=False, has_columns=True),
}
GRAPH_SUFFIXES = tuple(suffix for kind in FORMATS.values() for suffix in kind.suffixes)
"""The endings that name a format, without those of compression."""
_READ_BY_NETWORKX = {".graphml": "read_graphml", ".gml": "read_gml", ".gexf": "read_gexf", ".net": "read_pajek"}


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
    """Read a graph from a file: an edge list, Matrix Market, Parquet or our own ``.npz``.

    Parameters
    ----------
    path
        The file; its name gives the format, and for text also the compression (``.gz``, ``.xz``, ``.bz2`` or ``.zst``).
        A folder, or a pattern such as ``edges/*.parquet``, stands for all the Parquet files in it.
    format
        The format, if the name does not say it.
    directed, weights, ids
        Whether edges are directed, whether to read weights, and whether ids are ``"int"`` or ``"str"``. By default the
        file says so; edges are undirected where it does not. Read as directed, each line of an undirected file is one
        arc.
    keep_duplicates, keep_self_loops
        Whether to keep repeated edges and self-loops; by default only if the file says that they were kept.
    columns
        The columns of an edge list or a Parquet file to read, by name or by number from 1 on: source, target and, if
        wanted, weight, as ``("a", "b", "w")`` or ``"a,b,w"``. By default known names such as source, target and weight
        decide, else the order of the columns.
    header
        Whether the first line of an edge list names its columns, where lense does not find that out.

    Returns
    -------
    Graph
        Its labels are the ids in the file.

    Raises
    ------
    LenseError
        If the file is missing, damaged or ambiguous; the message says where and what to do.

    Examples
    --------
    >>> import lense
    >>> from pathlib import Path
    >>> _ = Path("people.csv").write_text("source,target,weight\\nann,bob,2\\nbob,cid,3\\n")
    >>> lense.read_graph("people.csv")
    Graph(3 vertices, 2 edges, undirected, weighted)
    """
    file = Path(path)
    options = ReadOptions(directed, weights, ids, keep_duplicates, keep_self_loops, parse_columns(columns), header)
    if format is None and is_many(str(path)):
        check_options(file, FORMATS["parquet"], options)
        with system_errors(file, "read"):
            return parquet.read_files(str(path), edge_files(str(path)), options)
    kind = graph_format(file, format)
    check_options(file, kind, options)
    with system_errors(file, "read"):
        return kind.read(file, options)


def check_options(file: Path, kind: Format, options: ReadOptions) -> None:
    """Raise where an option has no meaning for files of this kind."""
    if options.columns is not None and not kind.has_columns:
        raise LenseError(f"{file} has no columns to choose from: only edge lists and Parquet files take columns.")
    if options.header is not None and kind is not FORMATS["edge-list"]:
        raise LenseError(f"{file} has no line of names: header= is for edge lists.")


def write_graph(graph: Graph, path: str | PathLike[str], *, format: str | None = None) -> None:
    """Write a graph so that :func:`read_graph` gives it back.

    Parameters
    ----------
    graph
        The graph.
    path
        The file; its name gives format and compression. A ``.csv`` has a line of names and no comments, so that every
        program opens it. It holds edges, weights and direction alone: vertices without an edge are left out, with a
        warning.
    format
        The format, if the name does not say it.

    Raises
    ------
    LenseError
        If the format cannot hold the graph, or the file cannot be written.

    Examples
    --------
    >>> import lense
    >>> path = lense.Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> lense.write_graph(path, "path.txt.gz")
    >>> lense.read_graph("path.txt.gz") == path
    True
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
    elif suffix in _READ_BY_NETWORKX:
        theirs = f"networkx.{_READ_BY_NETWORKX[suffix]}({str(path)!r})"
        convert = f"lense.write_graph(lense.open_graph({theirs}), 'graph.npz')"
        raise LenseError(f"{suffix} is a format of networkx and not of lense; to convert such a file, run {convert}.")
    else:
        known = ", ".join(GRAPH_SUFFIXES)
        raise LenseError(
            f"The name of {path} does not say which format it has: end it in one of {known}, or name a format."
        )
    if not kind.is_text and path.suffix.lower() in COMPRESSIONS:
        raise LenseError(f"{path} is compressed a second time: name and keep it without {path.suffix}.")
    return kind
