"""Parquet: one file or the parts of one graph, read into memory or batch by batch by the same checks.

Columns are source, target and perhaps weight; direction and isolated vertices are in the metadata. pyarrow is imported
only when a file of this format is read or written.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import eq, le, lt
from pathlib import Path
from typing import Any

import numpy as np

from lense._util.files import parse_json
from lense._util.progress import progress
from lense._util.threads import num_threads
from lense._util.types import AnyArray, Float32s, Int32s
from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.options import ENDS, WEIGHTS, ReadOptions, check_claims, find_columns, single_precision
from lense.graph.formats.parts import File, beside, check_manifest, is_one, opened, size_of
from lense.graph.formats.streams import read_ahead
from lense.graph.labels import (
    LONGEST_LABEL,
    IntegerNumbering,
    StringNumbering,
    bad_text,
    check_labels,
    ids_of,
    in_order,
    longest_label,
    renumber,
)
from lense.graph.structure import count_repeats, isolated_vertices
from lense.kernels.streaming import NO_WEIGHTS, loops_in_order

KEY = b"lense"
LABELS = "_labels.parquet"
"""The file, in a folder of parts, with the ids of the vertices."""

_BATCH = 1 << 18
_AHEAD = 4
"""Batches that are read while another is worked on."""
_EDGES_AT_A_TIME = 1 << 20

Column = Any
"""An array of pyarrow."""
Batch = tuple[Column, ...]
"""Sources, targets and perhaps weights of some edges."""
Groups = Sequence[Sequence[int]]
"""Row groups of each file."""
Seen = list[tuple[int, tuple[int, int], tuple[int, int]]]
"""Of each batch of sorted edges: the row where it starts, its first and its last edge."""


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
        noted = {name: value for name, value in vars(self).items() if value is not None}
        if not self.simple:
            del noted["simple"]
        return {KEY: json.dumps(noted)}


def read_metadata(metadata: Mapping[bytes, bytes] | None, path: object) -> Metadata:
    """What the metadata of the file at ``path`` say; that of files from elsewhere is all defaults."""
    try:
        noted = parse_json((metadata or {}).get(KEY, b"{}"))
        if not isinstance(noted, dict):
            raise TypeError("an object of JSON")
        found = Metadata(**{name: noted[name] for name in Metadata.__annotations__ if name in noted})
    except (ValueError, TypeError) as error:
        raise _damaged(path) from error
    kinds = isinstance(found.directed, bool) and isinstance(found.simple, bool) and isinstance(found.isolated, list)
    numbered = type(found.vertices) is int and found.vertices >= 0 and not found.isolated
    named = found.vertices is not None or found.labels is not None
    if not kinds or found.labels not in (None, LABELS) or (named and not numbered):
        raise _damaged(path)
    return found


def _damaged(path: object) -> LenseError:
    return LenseError(f"{path} has damaged metadata of lense: write it again.")


def _not_whole(path: File) -> LenseError:
    return LenseError(f"{path} is not a whole Parquet file: fetch or make it again.")


@contextmanager
def _reading(path: File, texts: tuple[str, ...] = ()) -> Iterator[Any]:
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
        raise _not_whole(path) from error


@dataclass(frozen=True)
class EdgeFiles:
    """Files of edges, all alike: ``columns`` are the names of the two ends and perhaps of the weight."""

    name: str
    files: tuple[File, ...]
    metadata: Metadata
    columns: tuple[str, ...]
    is_text: bool
    groups: tuple[tuple[int, ...], ...]
    """Rows of each row group of each file."""

    @property
    def num_rows(self) -> int:
        return sum(map(sum, self.groups))

    @property
    def is_weighted(self) -> bool:
        return len(self.columns) == 3

    @property
    def says_simple(self) -> bool:
        """Whether its rows are said to be different edges between numbered vertices; a first pass checks it."""
        return self.metadata.simple and self.metadata.vertices is not None

    @property
    def all_groups(self) -> Groups:
        return [range(len(groups)) for groups in self.groups]

    def batches(self, groups: Groups | None = None, *, weighted: bool = False) -> Iterator[Batch]:
        """Sources and targets as integers or strings, and weights if wanted; the next are read meanwhile.

        ``groups`` are the row groups to read of each file, all of them unless given. No batch has rows of two.
        """
        wanted = self.all_groups if groups is None else groups
        rows = (row for number, some in enumerate(wanted) for row in self.read_file(number, some, weighted=weighted))
        yield from read_ahead(rows, _AHEAD)

    def read_file(self, number: int, groups: Sequence[int], *, weighted: bool = False) -> Iterator[Batch]:
        """Some row groups of one file, a few rows at a time."""
        if not groups:
            return
        path, names = self.files[number], self.columns if weighted else self.columns[:2]
        with _reading(path, self.columns[:2] if self.is_text else ()) as file:
            for group in groups:
                rows = 0
                for batch in file.iter_batches(_BATCH, [group], names, use_threads=num_threads() > 1):
                    batch.validate(full=True)
                    rows += batch.num_rows
                    yield tuple(batch.column(name) for name in names)
                if rows != self.groups[number][group]:
                    raise _not_whole(path)

    def unsorted(self) -> LenseError:
        return LenseError(
            f"{self.name} may hold repeated edges (it is not sorted, or has self-loops): "
            f"'lense graph convert {self.name} FOLDER' sorts it once."
        )

    def groups_with(self, sources: AnyArray, seen: Seen) -> Groups:
        """The row groups that have an edge from one of the vertices ``sources`` (in rising order).

        It goes by what a pass has ``seen``. The footers say so too, but may be wrong, and pyarrow aborts on some.
        """
        batches = [(row, first, last) for row, (first, _), (last, _) in seen]
        starts, firsts, lasts = np.array(batches, np.int64).reshape(-1, 3).T
        some = np.searchsorted(sources, firsts) < np.searchsorted(sources, lasts, side="right")
        ends = np.cumsum([rows for groups in self.groups for rows in groups])
        wanted = np.zeros(ends.size, np.bool_)
        wanted[np.searchsorted(ends, starts[some], side="right")] = True
        files = np.split(wanted, np.cumsum([len(groups) for groups in self.groups])[:-1])
        return [np.flatnonzero(groups).tolist() for groups in files]

    def checked(self, source: Column, target: Column) -> tuple[Int32s, Int32s]:
        """Columns of vertex numbers, which must be those of vertices."""
        assert self.metadata.vertices is not None
        ends = []
        for column in (source, target):
            _check_no_empty(column, self.name)
            values = np.asarray(column)
            if values.dtype.kind not in "iu":
                raise _damaged(self.name)
            if values.size and not 0 <= values.min() <= values.max() < self.metadata.vertices:
                raise _damaged(self.name)
            ends.append(values.astype(np.int32, copy=False))
        return ends[0], ends[1]

    def checked_weights(self, columns: Batch) -> Float32s:
        """The weights among the columns of a batch, which must be finite; none where they were not asked for."""
        if len(columns) < 3:
            return NO_WEIGHTS
        if columns[2].null_count:
            raise _no_weights(self.columns[2], self.name)
        weights = single_precision(np.asarray(columns[2]))
        if not np.isfinite(weights).all():
            raise LenseError(
                f"{self.name} has weights that are not finite numbers (NaN or infinite); weights=False ignores them."
            )
        return weights

    def read_labels(self) -> AnyArray | None:
        """The ids of all vertices by their numbers, or None where those are the ids."""
        import pyarrow as pa

        if self.metadata.labels is None:
            return None
        path = beside(self.files[0], self.metadata.labels)
        name, is_text = _label_column(path, self.metadata.vertices)
        with _reading(path, (name,) if is_text else ()) as file:
            table = file.read([name])
            table.validate(full=True)
            if table.column(0).null_count:
                raise LenseError(f"{path} has vertices without an id: write it again.")
            ids = _checked_ids(table.column(0), path, negative=True)
            if is_text:
                return check_labels(np.array(ids.cast(pa.large_string()).to_pylist(), np.str_), path)
            return check_labels(ids.to_numpy(), path)


def open_parts(name: str, files: tuple[File, ...], options: ReadOptions) -> EdgeFiles:
    """The files that make up one graph, once their footers agree with each other, the manifest and their sizes."""
    footers = [_read_footer(path, options) for path in files]
    first, size = footers[0], sum(map(size_of, files))
    for path, footer in zip(files, footers, strict=True):
        if _in_common(footer) != _in_common(first):
            raise LenseError(
                f"{path} does not belong to the same graph as {files[0]}: their columns or metadata differ."
            )
    about = replace(
        first.metadata,
        isolated=[label for footer in footers for label in footer.metadata.isolated],
        simple=all(footer.metadata.simple for footer in footers),
    )
    if about.labels is not None:
        if is_one(name, files):
            raise LenseError(f"{name} is one part of a graph: name the folder {Path(name).parent} instead.")
        labels = beside(files[0], about.labels)
        _label_column(labels, about.vertices)
        size += size_of(labels)
    check_claims(name, size, vertices=about.vertices or 0)
    check_manifest(name, files)
    groups = tuple(groups for footer in footers for groups in footer.groups)
    parts = replace(first, name=name, files=files, metadata=about, groups=groups)
    if not parts.num_rows and not about.vertices and not about.isolated:
        raise LenseError(f"{name} holds no edges: give it one edge a row, as source and target.")
    return parts


def _in_common(footer: EdgeFiles) -> tuple[Any, ...]:
    """What all files of one graph have in common."""
    about = footer.metadata
    return about.directed, about.vertices, about.labels, footer.columns, footer.is_text


def _read_footer(path: File, options: ReadOptions) -> EdgeFiles:
    """What one file of edges says of itself, with columns of types that edges can have."""
    import pyarrow as pa

    with _reading(path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
        groups = tuple(file.metadata.row_group(i).num_rows for i in range(file.num_row_groups))
        check_claims(path, size_of(path), edges=max(sum(groups), rows))
        if min(groups, default=0) < 0 or sum(groups) != rows:
            raise _not_whole(path)
        about = read_metadata(schema.metadata, path)
        if len(schema.names) < 2:
            raise LenseError(f"{path} has fewer than two columns: an edge needs a source and a target.")
        places = find_columns(schema.names, options, Path(path))
        columns = tuple(schema.names[place] for place in places if place is not None)
        for name in columns:
            if schema.names.count(name) > 1:
                raise LenseError(f"{path} has several columns called '{name}': rename them.")
        kinds = [schema.field(name).type for name in columns]
    is_text, *others = (_is_text(kind, path) for kind in kinds[:2])
    if others != [is_text]:
        raise LenseError(f"{path} has a source and a target of different types: store both as integers or text.")
    if (about.vertices is not None and is_text) or not _could_be_ids(about.isolated, is_text, path):
        raise _damaged(path)
    for weight in map(_values_type, kinds[2:]):
        if not (pa.types.is_integer(weight) or pa.types.is_floating(weight)):
            raise _no_weights(columns[2], path)
    return EdgeFiles(str(path), (path,), about, columns, is_text, (groups,))


def _could_be_ids(isolated: list[Any], is_text: bool, path: File) -> bool:
    """Whether ids in the metadata could be in the columns."""
    try:
        ids = ids_of(isolated, path)
    except LenseError:
        return False
    if not ids.size:
        return True
    if is_text:
        return ids.dtype.kind == "U" and longest_label(ids) <= LONGEST_LABEL
    return ids.dtype.kind != "U" and int(ids.min()) >= 0


def _values_type(kind: Any) -> Any:
    """The type of the values of a column."""
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: Any, path: File) -> bool:
    """Whether ids of this type are text; if not, they are integers."""
    import pyarrow as pa

    kind = _values_type(kind)
    is_text = bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
    if not is_text and not pa.types.is_integer(kind):
        raise LenseError(f"{path} has ids of type {kind}: store them as integers or text.")
    return is_text


def _no_weights(name: str, path: File) -> LenseError:
    return LenseError(
        f"{path} has weights in the column '{name}' that are not all numbers; weights=False ignores them."
    )


def _check_no_empty(column: Column, path: File) -> None:
    if column.null_count:
        raise LenseError(f"{path} has edges without a source or a target: remove the empty cells.")


def _label_column(path: File, vertices: int | None) -> tuple[str, bool]:
    """The name of the column that has the ids of so many vertices, and whether they are text."""
    with _reading(path) as file:
        if file.metadata.num_rows != vertices or not file.schema_arrow.names:
            raise LenseError(f"{path} has {file.metadata.num_rows:,} ids for {vertices:,} vertices: write it again.")
        return file.schema_arrow.names[0], _is_text(file.schema_arrow.field(0).type, path)


def _checked_ids(column: Column, path: File, *, negative: bool = False) -> Column:
    """A chunked array of ids as int64 or as a dictionary of texts; ``negative`` ones are errors unless allowed."""
    import pyarrow as pa
    from pyarrow import compute

    _check_no_empty(column, path)
    if _is_text(column.type, path):
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


class Ids:
    """The vertices of a graph's edges: those that have ids are numbered as they come, then in rising order of ids."""

    labels: AnyArray | None = None
    """The ids by vertex number, once they are known; None where those are the ids."""
    new: Int32s | None = None
    """The vertices in the order in which their ids first occurred; None where the columns hold numbers."""

    def __init__(self, parts: EdgeFiles) -> None:
        self._parts, self._numbered = parts, parts.metadata.vertices is not None
        self._numbering = StringNumbering() if parts.is_text else IntegerNumbering()
        self.loops = 0

    @property
    def count(self) -> int:
        return self._parts.metadata.vertices if self._parts.metadata.vertices is not None else self._numbering.count

    def _values(self, column: Column) -> Any:
        """Ids of a batch, checked: integers of numpy, or texts in a dictionary."""
        import pyarrow as pa

        whole = _checked_ids(pa.chunked_array([column]), self._parts.name)
        return whole.combine_chunks() if self._parts.is_text else np.ascontiguousarray(whole.to_numpy(), np.int64)

    def add(self, columns: Batch) -> tuple[Any, Any]:
        """Number the new ids of a batch; its ends, by numbers of vertices if it has them."""
        if self._numbered:
            return self._parts.checked(*columns[:2])
        source, target = map(self._values, columns[:2])
        for values in (source, target):
            self._numbering.number(values)
        return source, target

    def ends(self, columns: Batch) -> tuple[Int32s, Int32s]:
        """The vertex numbers of a batch's edges, or of their ids in the order in which they first occur."""
        if self._numbered:
            return self._parts.checked(*columns[:2])
        source, target = (self._numbering.number(self._values(column)) for column in columns[:2])
        return source, target

    def close(self) -> None:
        """Number in rising order from here on."""
        import pyarrow as pa

        if self._numbered:
            self.labels = self._parts.read_labels()
            return
        if self._parts.metadata.isolated:
            self._numbering.number(self._values(pa.array(self._parts.metadata.isolated)))
        self.labels, self.new = self._numbering.in_order()

    def final_ends(self, columns: Batch) -> tuple[Int32s, Int32s]:
        """The vertex numbers of a batch's edges, once all ids are known."""
        source, target = self.ends(columns)
        return (source, target) if self.new is None else (self.new[source], self.new[target])


class Order:
    """Checks that edges come sorted, each once, and those of an undirected graph from their smaller end."""

    def __init__(self, parts: EdgeFiles, row: int = 0) -> None:
        self._parts, self._row = parts, row
        self._last: tuple[Any, Any] | None = None
        self.loops, self.seen = 0, Seen()

    def check(self, sources: Any, targets: Any) -> None:
        """Raise unless these edges, integers of numpy or texts of pyarrow, come after those before."""
        if not len(sources):
            return
        if isinstance(sources, np.ndarray):
            loops = int(loops_in_order(sources, targets, self._parts.metadata.directed, self._last or (-1, -1)))
            first, self._last = ((int(sources[i]), int(targets[i])) for i in (0, -1))
            self.seen.append((self._row, first, self._last))
            self._row += len(sources)
        else:
            loops = self._loops_of_texts(sources.to_pylist(), targets.to_pylist())
        if loops < 0 or (loops and self._parts.says_simple):
            raise self._parts.unsorted()
        self.loops += loops

    def _loops_of_texts(self, sources: list[str], targets: list[str]) -> int:
        """As the kernel does for integers."""
        edges = list(zip(sources, targets, strict=True))
        before = [edges[0] if self._last is None else self._last, *edges[:-1]]
        is_sorted = all(map(lt, before[self._last is None :], edges[self._last is None :]))
        self._last = edges[-1]
        from_smaller = self._parts.metadata.directed or all(map(le, sources, targets))
        return sum(map(eq, sources, targets)) if is_sorted and from_smaller else -1


def read(path: Path, options: ReadOptions) -> Graph:
    """Read a table of edges, see :func:`lense.graph.read_graph`."""
    return read_files(str(path), (path,), options)


def read_files(name: str, files: tuple[File, ...], options: ReadOptions) -> Graph:
    """All the edges of the files that ``name`` means, as one graph in memory."""
    if not all(isinstance(path, Path) for path in files):
        raise LenseError(f"{name} is not on this machine: take stream=True, which reads it in passes.")
    parts = open_parts(name, files, options)
    ids = Ids(parts)
    none = np.empty(0, np.int32)
    edges = [(none, none, NO_WEIGHTS)]
    with progress(f"reading {name}", parts.num_rows) as advance:
        for columns in parts.batches(weighted=True):
            edges.append((*ids.ends(columns), parts.checked_weights(columns)))
            advance(len(columns[0]))
    sources, targets, weights = (np.concatenate(arrays) for arrays in zip(*edges, strict=True))
    del edges
    ids.close()
    if ids.new is not None:
        renumber(sources, ids.new)
        renumber(targets, ids.new)
    labels = np.arange(ids.count) if ids.labels is None else ids.labels
    counted = weights if parts.is_weighted else None
    return options.build(Path(name), sources, targets, counted, labels, directed=parts.metadata.directed)


def write(graph: Graph, path: Path) -> None:
    """Write a table of edges, each once."""
    import pyarrow as pa
    from pyarrow import parquet

    if graph.labels.size > 1 and not (graph.labels[1:] > graph.labels[:-1]).all():
        names, new = in_order(graph.labels)  # as reading it gives it back, so that its edges rise too
        sources, targets, weights = graph.edges()
        graph = graph.with_edges(new[sources], new[targets], weights, names)
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
