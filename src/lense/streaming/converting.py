"""Convert large files to sorted Parquet in a stream, and describe graphs on disk by one pass."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np

from lense._util.files import system_errors
from lense._util.progress import progress
from lense._util.types import AnyArray, Bools, Float32s, Int32s
from lense.errors import LenseError
from lense.graph import Graph, Scan, open_graph, write_graph
from lense.graph.datasets import find_graph
from lense.graph.files import FORMATS, check_options, graph_format
from lense.graph.formats.edge_list import reading_edges
from lense.graph.formats.options import ReadOptions, parse_columns
from lense.graph.formats.parquet import Ids, Metadata, open_parts
from lense.graph.formats.parts import edge_files, is_many
from lense.graph.formats.streams import COMPRESSIONS
from lense.graph.generate import generator_arguments, make_graph
from lense.graph.labels import in_order, renumber
from lense.graph.structure import describe
from lense.kernels.streaming import NO_WEIGHTS, add_degrees, add_out_degrees, component_sizes, edge_keys, join
from lense.streaming.memory import MemoryBudget, parse_memory, scan_if_needed
from lense.streaming.writing import RUN, KeySorter, check_target, is_folder, write_rmat, write_shards

_PAIRS_AT_A_TIME = 1 << 20
_BYTES_PER_LINE, _COMPRESSED = 12, 4
"""About what an edge takes as text, and how much smaller compressed text is."""


@dataclass(frozen=True)
class Converted:
    """What was written."""

    vertices: int
    edges: int
    directed: bool
    rows: int
    """Edges that were read or drawn, repeats and self loops among them."""

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"Graph({self.vertices:,} vertices, {self.edges:,} edges left of {self.rows:,}, {kind})"


@dataclass(frozen=True)
class _Spool:
    """Edges on disk as they were read, with their weights if they have any, until ``target`` is written."""

    file: IO[bytes]
    target: Path

    def add(self, us: Int32s, vs: Int32s, weights: Float32s | None) -> None:
        bits = [] if weights is None else [np.ascontiguousarray(weights, np.float32).view(np.int32)]
        with system_errors(self.target, "written"):
            self.file.write(np.column_stack([us, vs, *bits]).tobytes())

    def edges(self, weighted: bool) -> Iterator[tuple[Int32s, Int32s, Float32s]]:
        width, total = 3 if weighted else 2, self.file.tell()
        self.file.seek(0)
        with progress("sorting runs", total) as advance:
            while data := self.file.read(4 * width * _PAIRS_AT_A_TIME):
                rows = np.frombuffer(data, np.int32).reshape(-1, width)
                weights = rows[:, 2].copy().view(np.float32) if weighted else NO_WEIGHTS
                yield rows[:, 0].copy(), rows[:, 1].copy(), weights
                advance(len(data))


@dataclass
class _Read:
    """What a file says: its vertices, their ids (None if those are the numbers), and the number that each gets."""

    vertices: int
    labels: AnyArray | None
    new: Int32s | None
    directed: bool
    weighted: bool


def convert(
    source: str, target: Path, reading: Mapping[str, Any], *, out_format: str | None = None, stream: bool | None = None
) -> Graph | Converted:
    """Write a graph in another format; in a stream to a folder, or to a .parquet file where memory would not do.

    ``reading`` are the options of :func:`lense.open_graph`; ``stream`` forces either way.
    """
    to_folder = is_folder(target) and out_format is None
    if stream is False and to_folder:
        raise LenseError(f"{target} names a folder, which is written in a stream: leave out stream=False.")
    if stream and out_format is not None:
        raise LenseError("A graph is written in a stream as Parquet: leave out out_format=.")
    to_parquet = out_format is None and target.suffix.lower() == ".parquet"
    if stream is None and not to_folder and to_parquet and (path := Path(source)).is_file():
        size = path.stat().st_size * (_COMPRESSED if path.suffix.lower() in COMPRESSIONS else 1)
        stream = not MemoryBudget.of(None).holds_whole(size // _BYTES_PER_LINE)
    if not (stream or to_folder):
        graph = open_graph(source, **reading)
        write_graph(graph, target, format=out_format)
        return graph
    options = {**reading, "columns": parse_columns(reading.get("columns"))}
    file_format = options.pop("format", None)
    return convert_streamed(find_graph(source), target, ReadOptions(**options), file_format=file_format)


def generate(
    kind: str, target: Path, settings: Mapping[str, Any], seed: int, *, out_format: str | None = None
) -> Graph | Converted:
    """Write a random graph; an rmat that goes to a folder or a .parquet file is written as it is drawn.

    ``settings`` are the generator's parameters, by name.
    """
    to_parquet = target.suffix.lower() == ".parquet" and out_format is None
    if kind == "rmat" and (is_folder(target) or to_parquet):
        arguments = generator_arguments(kind, settings)
        if not arguments.pop("drop_isolated", False):
            edges = write_rmat(target, **arguments, rng=np.random.default_rng(seed))
            return Converted(1 << arguments["scale"], edges, arguments.get("directed", True), arguments["num_edges"])
    if is_folder(target):
        raise LenseError(f"{target} names a folder, and only an rmat with all its vertices goes to one: name a file.")
    graph = make_graph(kind, settings, seed)
    write_graph(graph, target, format=out_format)
    return graph


def convert_streamed(
    source: str, target: Path, options: ReadOptions | None = None, *, file_format: str | None = None, run: int = RUN
) -> Converted:
    """Write the graph in ``source`` as sorted Parquet, to a folder or a ``.parquet`` file, with constant memory.

    An edge list (compressed or not) and Parquet are streamed: what is held are the ids and a buffer. Files of other
    formats are read into memory first. Of repeated edges, the weight of the first one listed is kept.
    """
    options = ReadOptions() if options is None else options
    check_target(target)
    if options.keep_duplicates or options.keep_self_loops:
        raise LenseError(
            "A stream drops repeated edges and self loops: leave out keep_duplicates= and keep_self_loops=."
        )
    with system_errors(target, "written"), TemporaryFile(dir=target.absolute().parent) as file:
        spool = _Spool(file, target)
        with system_errors(Path(source), "read"):
            read = _spooled(source, file_format, options, spool)
        with KeySorter(target, run, weighted=read.weighted) as sorter:
            return _written(read, spool, sorter, target)


def _spooled(source: str, file_format: str | None, options: ReadOptions, spool: _Spool) -> _Read:
    """Add the edges of a file to ``spool``."""
    path = Path(source)
    kind = FORMATS["parquet"] if is_many(source) else graph_format(path, file_format)
    check_options(path, kind, options)
    if kind is FORMATS["edge-list"]:
        read = _from_text(path, options, spool)
    elif kind is FORMATS["parquet"]:
        read = _from_parquet(source, options, spool)
    else:
        graph = kind.read(path, options)
        spool.add(*graph.edges())
        return _Read(graph.num_vertices, _unless_numbers(graph.labels), None, graph.directed, graph.weights is not None)
    if read.labels is not None:
        read.labels = _unless_numbers(options.as_asked(path, read.labels))
    read.directed = read.directed if options.directed is None else options.directed
    return read


def _from_text(path: Path, options: ReadOptions, spool: _Spool) -> _Read:
    with reading_edges(path, options) as (head, parser, blocks):
        if head.duplicates_kept or head.self_loops_kept:
            raise LenseError(f"{path} says that it keeps repeated edges or self loops, which a stream does not.")
        weighted = parser.is_weighted and options.weights is not False
        for block in blocks:
            us, vs, weights = parser.edges(block)
            spool.add(us, vs, weights if weighted else None)
        labels, new = parser.labels(head)
        return _Read(labels.size, labels, new, bool(head.directed), weighted)


def _from_parquet(source: str, options: ReadOptions, spool: _Spool) -> _Read:
    parts = open_parts(source, edge_files(source) if is_many(source) else (Path(source),), options)
    weighted, ids = parts.is_weighted and options.weights is not False, Ids(parts)
    with progress(f"reading {source}", parts.num_rows) as advance:
        for columns in parts.batches(weighted=weighted):
            spool.add(*ids.ends(columns), parts.checked_weights(columns) if weighted else None)
            advance(len(columns[0]))
    ids.close()
    labels = np.arange(ids.count) if ids.labels is None and options.ids == "str" else ids.labels
    return _Read(ids.count, labels, ids.new, parts.metadata.directed, weighted)


def _unless_numbers(labels: AnyArray) -> AnyArray | None:
    are_numbers = labels.dtype.kind in "iu" and labels.size > 0 and np.array_equal(labels, np.arange(labels.size))
    return None if are_numbers else labels


def _written(read: _Read, spool: _Spool, sorter: KeySorter, target: Path) -> Converted:
    labels, new = read.labels, read.new
    has_ids = labels is not None and not is_folder(target)
    if labels is not None and has_ids:  # edges rise by the ids that a file holds
        labels, places = in_order(labels)
        new = places if new is None else places[new]
    joined: Bools = np.zeros(read.vertices, np.bool_)
    rows = 0
    for us, vs, weights in spool.edges(read.weighted):
        rows += us.size
        if new is not None:
            renumber(us, new)
            renumber(vs, new)
        differ = us != vs
        sorter.add(edge_keys(us, vs, read.directed), weights[differ] if read.weighted else NO_WEIGHTS)
        joined[us[differ]] = joined[vs[differ]] = True
    about = Metadata(directed=read.directed, simple=True, vertices=read.vertices)
    if labels is not None and has_ids:
        about = replace(about, vertices=None, isolated=labels[~joined].tolist())
    edges = write_shards(target, sorter.edges(), about, labels, weighted=read.weighted)
    return Converted(read.vertices, edges, read.directed, rows)


def describe_graph(
    graph: str, reading: Mapping[str, Any], *, stream: bool | None = None, memory_limit: str | None = None
) -> tuple[dict[str, Any], AnyArray]:
    """The figures that ``lense graph info`` shows of a graph in memory or on disk, and the (out-)degrees (n)."""
    limit = None if memory_limit is None else parse_memory(memory_limit)
    scan = scan_if_needed(graph, reading, stream, limit)
    if scan is not None:
        return describe_scan(scan, limit)
    opened = open_graph(graph, **reading)
    return describe(opened), opened.out_degrees


def describe_scan(scan: Scan, memory_limit: int | None = None) -> tuple[dict[str, Any], Int32s]:
    """As :func:`describe_graph`, by one pass."""
    n = scan.num_vertices
    MemoryBudget.of(memory_limit).check_vertices(n)
    if n == 0:
        raise LenseError("The graph is empty: it has no vertices.")
    degrees, parents = np.zeros(n, np.int32), np.arange(n, dtype=np.int32)
    out_degrees = np.zeros(n, np.int32) if scan.directed else degrees
    low, high = np.inf, -np.inf
    for sources, targets, weights in scan.batches("counting degrees and components", weighted=True):
        low, high = min(low, weights.min(initial=low)), max(high, weights.max(initial=high))
        add_degrees(sources, targets, degrees)
        if scan.directed:
            add_out_degrees(sources, targets, out_degrees)
        join(sources, targets, parents)
    sizes = component_sizes(parents)
    facts = {
        "vertices": n,
        "edges": scan.num_edges,
        "directed": scan.directed,
        "weights": [float(low), float(high)] if low <= high else None,
        "self_loops": 0,
        "isolated_vertices": int(np.count_nonzero(degrees == 0)),
        "largest_degree": int(out_degrees.max()),
        "mean_degree": float(out_degrees.mean()),
        "median_degree": float(np.median(out_degrees)),
        "components": int(sizes.size),
        "largest_component": int(sizes.max()),
        "ids": scan.ids,
        "megabytes": scan.num_bytes / 1e6,
    }
    return facts, out_degrees
