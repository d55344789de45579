"""Parquet: columns source, target and perhaps weight; direction and isolated vertices are in the metadata."""

from pathlib import Path
from typing import Any

import numpy as np

from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.about import About, damaged, read_about
from lense.graph.formats.column_names import ENDS, WEIGHTS, find_columns
from lense.graph.formats.options import ReadOptions, check_claim, single_precision
from lense.graph.labels import LONGEST_LABEL, in_order, relabel, renumber
from lense.graph.structure import count_repeats, isolated_vertices
from lense.progress import progress
from lense.types import AnyArray, Float32s, Int32s

_EDGES_AT_A_TIME = 1 << 20

Table = Any
"""A pyarrow table; the library is imported only when a file of this format is read or written."""
Column = Any
"""A column of it."""


def read(path: Path, options: ReadOptions) -> Graph:
    """Read a table of edges, see :func:`lense.graph.read_graph`."""
    return graph_of(path, *read_table(path, options), options)


def graph_of(path: Path, table: Table, columns: list[str], options: ReadOptions, ids: AnyArray | None = None) -> Graph:
    """The graph of a table of edges; ``ids`` are those of the vertices where the table has their numbers."""
    about = read_about(table.schema.metadata, path)
    if about.labels is not None and ids is None:
        raise LenseError(f"{path} is one part of a graph: name the folder {path.parent} instead.")
    source, target = (checked_ids(table.column(name), path) for name in columns[:2])
    sources, targets, labels = _numbered(source, target, about, path)
    if labels.size == 0:
        raise LenseError(f"{path} holds no edges: give it one edge a row, as source and target.")
    weights = checked_weights(table.column(columns[2]), columns[2], path) if len(columns) == 3 else None
    labels = labels if ids is None else ids
    return options.build(path, sources, targets, weights, labels, directed=about.directed)


def read_table(path: Path, options: ReadOptions) -> tuple[Table, list[str]]:
    """The columns that hold the edges, and their names: source, target and perhaps weight."""
    import pyarrow as pa
    from pyarrow import parquet

    with open(path, "rb") as file, progress(f"reading {path.name}"):
        try:
            known = parquet.ParquetFile(file)
            columns = edge_columns(known.schema_arrow.names, options, path)
            check_claim(path, known.metadata.num_rows, "edges")
            # text stays numbered, so that a long id that a small file repeats does not fill the memory
            texts = [name for name in columns[:2] if _is_text(known.schema_arrow.field(name).type)]
            content = parquet.ParquetFile(file, page_checksum_verification=True, read_dictionary=texts)
            table = content.read(columns)
            table.validate(full=True)
        except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
            raise LenseError(f"{path} is not a whole Parquet file: fetch or make it again.") from error
    return table, columns


def edge_columns(names: list[str], options: ReadOptions, path: Path) -> list[str]:
    if len(names) < 2:
        raise LenseError(f"{path} has fewer than two columns: an edge needs a source and a target.")
    columns = [names[place] for place in find_columns(names, options, path) if place is not None]
    for name in columns:
        if names.count(name) > 1:
            raise LenseError(f"{path} has several columns called '{name}': rename them.")
    return columns


def checked_ids(column: Column, path: Path) -> Column:
    """The column with ids as int64 or strings, if they can be that."""
    import pyarrow as pa
    from pyarrow import compute

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if column.null_count:
        raise LenseError(f"{path} has edges without a source or a target: remove the empty cells.")
    if pa.types.is_integer(kind):
        try:
            column = column.cast(pa.int64())
        except pa.ArrowInvalid as error:
            raise LenseError(f"{path} has ids that do not fit into 64 bits: store them as text.") from error
        if len(column) and compute.min(column).as_py() < 0:
            raise LenseError(f"{path} has negative ids: number vertices from 0, or store ids as text.")
        return column
    if _is_text(kind):
        encoded = column.dictionary_encode()
        if any(_longest(part.dictionary) > LONGEST_LABEL for part in encoded.chunks):
            raise LenseError(f"{path} has an id of more than {LONGEST_LABEL} bytes: shorten it.")
        return encoded.cast(pa.dictionary(pa.int32(), pa.large_string()))
    raise LenseError(f"{path} has ids of type {kind}: store them as integers or text.")


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _longest(texts: Column) -> int:
    from pyarrow import compute

    return compute.max(compute.binary_length(texts)).as_py() or 0


def _numbered(source: Column, target: Column, about: About, path: Path) -> tuple[Int32s, Int32s, AnyArray]:
    """The edges between vertices 0..n - 1, and the labels."""
    import pyarrow as pa

    if source.type != target.type:
        raise LenseError(f"{path} has a source and a target of different types: store both as integers or text.")
    if about.vertices is not None:
        return *checked_numbers(source, target, about.vertices, path), np.arange(about.vertices)
    is_text = not pa.types.is_integer(source.type)
    if not all(type(label) is (str if is_text else int) for label in about.isolated):
        raise damaged(path)
    try:
        extra = pa.array(about.isolated, pa.large_string() if is_text else source.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise damaged(path) from error
    if not is_text:
        return relabel(source.to_numpy(), target.to_numpy(), extra.to_numpy())
    if _longest(extra) > LONGEST_LABEL:
        raise damaged(path)
    everything = pa.chunked_array([*source.chunks, *target.chunks, extra.cast(source.type)], source.type)
    encoded = everything.unify_dictionaries().combine_chunks()
    labels, new = in_order(np.array(encoded.dictionary.to_pylist(), np.str_))
    numbers = encoded.indices.to_numpy().astype(np.int32)
    renumber(numbers, new)
    sources, targets, _ = np.split(numbers, [len(source), len(source) + len(target)])
    return sources, targets, labels


def checked_numbers(source: Column, target: Column, vertices: int, path: Path) -> tuple[Int32s, Int32s]:
    """Columns of int64 as vertex numbers, if they are below ``vertices``."""
    ends = []
    for column in (source, target):
        values = np.asarray(column)
        if values.dtype.kind != "i" or (values.size and not 0 <= values.min() <= values.max() < vertices):
            raise damaged(path)
        ends.append(values.astype(np.int32, copy=False))
    return ends[0], ends[1]


def checked_weights(column: Column, name: str, path: Path) -> Float32s:
    """A column as weights, if it holds numbers."""
    import pyarrow as pa

    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)) or column.null_count:
        raise LenseError(
            f"{path} has weights in the column '{name}' that are not all numbers; "
            "weights=False (--no-weights) ignores them."
        )
    return single_precision(np.asarray(column))


def write(graph: Graph, path: Path) -> None:
    """Write a table of edges, each once."""
    import pyarrow as pa
    from pyarrow import parquet

    labels = _checked_labels(graph.labels)
    isolated = graph.labels[isolated_vertices(graph)].tolist()
    is_simple = not graph.num_self_loops and not count_repeats(graph)
    about = About(directed=graph.directed, isolated=isolated, simple=is_simple)
    fields = [(name, labels.type) for name in ENDS[0]]
    fields += [] if graph.weights is None else [(WEIGHTS[0], pa.float32())]
    schema = pa.schema(fields, metadata=about.metadata())
    sources, targets, weights = graph.edges()
    with (
        parquet.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True) as file,
        progress("writing edges", sources.size) as advance,
    ):
        for start in range(0, sources.size, _EDGES_AT_A_TIME):
            part = slice(start, start + _EDGES_AT_A_TIME)
            columns = [labels.take(pa.array(ends[part])) for ends in (sources, targets)]
            columns += [] if weights is None else [pa.array(weights[part])]
            file.write_table(pa.table(columns, schema))
            advance(sources[part].size)


def _checked_labels(labels: AnyArray) -> Column:
    import pyarrow as pa

    column = pa.array(labels)
    is_integer = pa.types.is_integer(column.type)
    if not is_integer and not pa.types.is_string(column.type):
        raise LenseError("A Parquet file holds ids that are integers or strings: relabel the graph's vertices.")
    if is_integer and labels.size and labels.min() < 0:
        raise LenseError("A Parquet file cannot hold negative ids: write .npz, or relabel the vertices.")
    return column
