"""Parquet: columns source, target and perhaps weight; direction and isolated vertices are in the metadata.

What a file, a column of ids and a column of weights must be is checked here, for graphs that are read into memory and
for those that pass by in batches.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lense._util.files import parse_json
from lense._util.progress import progress
from lense._util.types import AnyArray, Float32s, Int32s
from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.options import ENDS, WEIGHTS, ReadOptions, check_claims, find_columns, single_precision
from lense.graph.labels import LONGEST_LABEL, bad_text, check_labels, ids_of, in_order, longest_label
from lense.graph.structure import count_repeats, isolated_vertices

KEY = b"lense"
LABELS = "_labels.parquet"
"""The file, in a folder of parts, with the ids of the vertices."""

File = Path | str
"""A path on this machine, or an address such as ``s3://bucket/edges/part-00000.parquet``."""


@dataclass(frozen=True)
class Metadata:
    """``isolated`` are ids that no edge has.

    With ``vertices`` the columns hold vertex numbers, and all of 0..vertices - 1 are there. Their ids are then in the
    file ``labels`` of the same folder, or are the numbers themselves where there is none. ``simple`` says that the
    edges are sorted, without repeats or self-loops; whoever relies on it checks it on the way.
    """

    directed: bool = False
    isolated: list[Any] = field(default_factory=list)
    simple: bool = False
    vertices: int | None = None
    labels: str | None = None

    def encoded(self) -> dict[bytes, str]:
        """For the schema of a table."""
        noted: dict[str, Any] = {"directed": self.directed, "isolated": self.isolated}
        if self.simple:
            noted["simple"] = True
        if self.vertices is not None:
            noted["vertices"] = self.vertices
        if self.labels is not None:
            noted["labels"] = self.labels
        return {KEY: json.dumps(noted)}


def opened(file: File) -> Any:
    """What pyarrow reads: the path itself, or a file that fsspec has opened."""
    if isinstance(file, Path):
        return file
    import fsspec

    return fsspec.open(file, "rb").open()


def size_of(file: File) -> int:
    """Bytes on disk."""
    if isinstance(file, Path):
        return file.stat().st_size
    import fsspec

    system, path = fsspec.core.url_to_fs(file)
    return int(system.size(path))


def read_metadata(metadata: Mapping[bytes, bytes] | None, path: object) -> Metadata:
    """What the metadata of the file at ``path`` say; that of files from elsewhere is all defaults."""
    try:
        about = parse_json((metadata or {}).get(KEY, b"{}"))
        found = Metadata(
            directed=about.get("directed", False),
            isolated=about.get("isolated", []),
            simple=about.get("simple", False),
            vertices=about.get("vertices"),
            labels=about.get("labels"),
        )
    except (ValueError, AttributeError) as error:
        raise damaged(path) from error
    kinds = isinstance(found.directed, bool) and isinstance(found.simple, bool) and isinstance(found.isolated, list)
    numbered = type(found.vertices) is int and found.vertices >= 0 and not found.isolated
    if not kinds or found.labels not in (None, LABELS):
        raise damaged(path)
    if not numbered and (found.vertices is not None or found.labels is not None):
        raise damaged(path)
    return found


def damaged(path: object) -> LenseError:
    return LenseError(f"{path} has damaged metadata of lense: write it again.")


_EDGES_AT_A_TIME = 1 << 20

Column = Any
"""A column of pyarrow; the library is imported only when a file of this format is read or written."""


@dataclass(frozen=True)
class Footer:
    """What the end of a file of edges says: the names of its columns, two ends and perhaps a weight, and its rows."""

    metadata: Metadata
    columns: tuple[str, ...]
    is_text: bool
    groups: tuple[int, ...]
    """Rows of each row group."""
    size: int

    @property
    def rows(self) -> int:
        return sum(self.groups)


@contextmanager
def reading(path: File, texts: tuple[str, ...] = ()) -> Iterator[Any]:
    """A Parquet file; where it is none, or not whole, one sentence.

    The columns ``texts`` stay numbered, so that a long id that a small file repeats does not fill the memory.
    """
    import pyarrow as pa
    from pyarrow import parquet

    if isinstance(path, Path) and path.exists() and not path.is_file():
        raise LenseError(f"{path} is not a file: remove it, or put a Parquet file there.")
    try:
        with parquet.ParquetFile(
            opened(path), read_dictionary=list(texts), page_checksum_verification=True, pre_buffer=False
        ) as file:
            yield file
    except FileNotFoundError as error:
        raise LenseError(f"{path} cannot be read: there is no such file.") from error
    except MemoryError as error:
        raise LenseError(f"{path} cannot be read: it does not fit into memory.") from error
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        raise not_whole(path) from error


def not_whole(path: File) -> LenseError:
    return LenseError(f"{path} is not a whole Parquet file: fetch or make it again.")


def read_footer(path: File, options: ReadOptions) -> Footer:
    """The footer of a file of edges, with columns of types that edges can have."""
    with reading(path) as file:
        schema, size = file.schema_arrow, size_of(path)
        groups = tuple(file.metadata.row_group(i).num_rows for i in range(file.num_row_groups))
        check_claims(path, size, edges=max(sum(groups), file.metadata.num_rows))
        if min(groups, default=0) < 0 or sum(groups) != file.metadata.num_rows:
            raise not_whole(path)
        about = read_metadata(schema.metadata, path)
        columns = _edge_columns(schema.names, options, path)
        kinds = [_kind(schema.field(name).type) for name in columns]
    is_text = [_is_text_type(kind, path) for kind in kinds[:2]]
    if is_text[0] != is_text[1]:
        raise LenseError(f"{path} has a source and a target of different types: store both as integers or text.")
    if about.vertices is not None and is_text[0]:
        raise damaged(path)
    _check_isolated(about, is_text[0], path)
    if len(columns) == 3:
        _check_weight_type(kinds[2], columns[2], path)
    return Footer(about, columns, is_text[0], groups, size)


def _edge_columns(names: list[str], options: ReadOptions, path: File) -> tuple[str, ...]:
    if len(names) < 2:
        raise LenseError(f"{path} has fewer than two columns: an edge needs a source and a target.")
    columns = [names[place] for place in find_columns(names, options, Path(path)) if place is not None]
    for name in columns:
        if names.count(name) > 1:
            raise LenseError(f"{path} has several columns called '{name}': rename them.")
    return tuple(columns)


def _kind(kind: Any) -> Any:
    """The type of the values of a column."""
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text_type(kind: Any, path: File) -> bool:
    """Whether ids of this type are text; if not, they are integers."""
    import pyarrow as pa

    is_text = bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
    if not is_text and not pa.types.is_integer(kind):
        raise LenseError(f"{path} has ids of type {kind}: store them as integers or text.")
    return is_text


def _check_isolated(about: Metadata, is_text: bool, path: File) -> None:
    """Raise unless the ids in the metadata could be in the columns."""
    try:
        ids = ids_of(about.isolated, path)
    except LenseError as error:
        raise damaged(path) from error
    if ids.size and (ids.dtype.kind == "U") != is_text:
        raise damaged(path)
    longest = max((len(text.encode()) for text in about.isolated), default=0) if is_text else 0
    if longest > LONGEST_LABEL or (not is_text and ids.min(initial=0) < 0):
        raise damaged(path)


def _check_weight_type(kind: Any, name: str, path: File) -> None:
    import pyarrow as pa

    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise _no_weights(name, path)


def checked_ids(column: Column, path: File, *, negative: bool = False) -> Column:
    """A chunked array of ids as int64 or as a dictionary of texts; ``negative`` ones are errors unless allowed."""
    import pyarrow as pa
    from pyarrow import compute

    if column.null_count:
        raise LenseError(f"{path} has edges without a source or a target: remove the empty cells.")
    if _is_text_type(_kind(column.type), path):
        encoded = column.dictionary_encode()
        for texts in (chunk.dictionary for chunk in encoded.chunks):
            if texts.null_count or compute.any(compute.match_substring(texts, "\0")).as_py():
                raise bad_text(path)
            if (compute.max(compute.binary_length(texts)).as_py() or 0) > LONGEST_LABEL:
                raise LenseError(f"{path} has an id of more than {LONGEST_LABEL} bytes: shorten it.")
        return encoded.cast(pa.dictionary(pa.int32(), pa.large_string()))
    try:
        ids = column.cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise LenseError(f"{path} has ids that do not fit into 64 bits: store them as text.") from error
    if not negative and len(ids) and compute.min(ids).as_py() < 0:
        raise LenseError(f"{path} has negative ids: number vertices from 0, or store ids as text.")
    return ids


def texts_in(column: Column) -> tuple[Column, Int32s]:
    """The different texts that occur in a dictionary of them, and which of these stands in each row."""
    import pyarrow as pa

    whole = column.unify_dictionaries().combine_chunks()
    whole = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
    numbers = np.asarray(whole.indices).astype(np.int32)
    is_used = np.zeros(len(whole.dictionary), np.bool_)
    is_used[numbers] = True
    if is_used.all():
        return whole.dictionary, numbers
    place = np.cumsum(is_used, dtype=np.int32) - np.int32(1)
    return whole.dictionary.filter(pa.array(is_used)), place[numbers]


def checked_numbers(source: Column, target: Column, vertices: int, path: File) -> tuple[Int32s, Int32s]:
    """Columns of integers as vertex numbers, if they are below ``vertices``."""
    ends = []
    for column in (source, target):
        if column.null_count:
            raise LenseError(f"{path} has edges without a source or a target: remove the empty cells.")
        values = np.asarray(column)
        if values.dtype.kind not in "iu" or (values.size and not 0 <= values.min() <= values.max() < vertices):
            raise damaged(path)
        ends.append(values.astype(np.int32, copy=False))
    return ends[0], ends[1]


def checked_weights(column: Column, name: str, path: File) -> Float32s:
    """A column as weights, if it holds finite numbers."""
    if column.null_count:
        raise _no_weights(name, path)
    weights = single_precision(np.asarray(column))
    if not np.isfinite(weights).all():
        raise LenseError(
            f"{path} has weights that are not finite numbers (NaN or infinite); weights=False (--no-weights) ignores "
            "them."
        )
    return weights


def _no_weights(name: str, path: File) -> LenseError:
    return LenseError(
        f"{path} has weights in the column '{name}' that are not all numbers; weights=False (--no-weights) ignores "
        "them."
    )


def check_labels_file(path: File, vertices: int | None) -> tuple[str, bool]:
    """The name of the column that has the ids of so many vertices, and whether they are text."""
    with reading(path) as file:
        if file.metadata.num_rows != vertices or not file.schema_arrow.names:
            raise LenseError(f"{path} has {file.metadata.num_rows:,} ids for {vertices:,} vertices: write it again.")
        return file.schema_arrow.names[0], _is_text_type(_kind(file.schema_arrow.field(0).type), path)


def read_labels(path: File, vertices: int) -> AnyArray:
    """The ids of so many vertices, in the first column of a file."""
    import pyarrow as pa

    name, texts = check_labels_file(path, vertices)
    with reading(path, (name,) if texts else ()) as file:
        table = file.read([name])
        table.validate(full=True)
        if table.column(0).null_count:
            raise LenseError(f"{path} has vertices without an id: write it again.")
        ids = checked_ids(table.column(0), path, negative=True)
        if texts:
            return check_labels(np.array(ids.cast(pa.large_string()).to_pylist(), np.str_), path)
        return check_labels(ids.to_numpy(), path)


def write(graph: Graph, path: Path) -> None:
    """Write a table of edges, each once."""
    import pyarrow as pa
    from pyarrow import parquet

    graph = _in_order(graph)
    labels = id_column(graph.labels)
    isolated = graph.labels[isolated_vertices(graph)].tolist()
    is_simple = not graph.num_self_loops and not count_repeats(graph)
    about = Metadata(directed=graph.directed, isolated=isolated, simple=is_simple)
    fields = [(name, labels.type) for name in ENDS[0]]
    fields += [] if graph.weights is None else [(WEIGHTS[0], pa.float32())]
    schema = pa.schema(fields, metadata=about.encoded())
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


def _in_order(graph: Graph) -> Graph:
    """The graph with its labels in rising order, as reading it gives it back, so that its edges rise too."""
    if graph.labels.size < 2 or (graph.labels[1:] > graph.labels[:-1]).all():
        return graph
    labels, new = in_order(graph.labels)
    sources, targets, weights = graph.edges()
    return Graph.from_edges(
        new[sources],
        new[targets],
        weights,
        directed=graph.directed,
        labels=labels,
        keep_duplicates=True,
        keep_self_loops=True,
    )


def id_column(labels: AnyArray, *, negative: bool = False) -> Column:
    """Labels as a column of ids, if it can hold them; ``negative`` ones are errors unless allowed."""
    import pyarrow as pa

    column = pa.array(labels)
    if not pa.types.is_integer(column.type):
        if longest_label(labels) > LONGEST_LABEL:
            raise LenseError(f"A Parquet file holds ids of at most {LONGEST_LABEL} bytes: write .npz, or shorten them.")
    elif not negative and labels.min(initial=0) < 0:
        raise LenseError("A Parquet file cannot hold negative ids: write .npz, or relabel the vertices.")
    return column
