"""The Parquet files of one graph, read batch by batch, and the ids in them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.about import About, damaged, read_about
from lense.graph.formats.edge_files import File, beside, edge_files, opened
from lense.graph.formats.options import ReadOptions
from lense.graph.formats.parquet import (
    checked_ids,
    checked_numbers,
    checked_weights,
    edge_columns,
    graph_of,
    read_table,
)
from lense.graph.labels import IntegerNumbering, StringNumbering
from lense.kernels.streaming import NO_WEIGHTS, first_out_of_order
from lense.threads import num_threads
from lense.types import AnyArray, Float32s, Int32s

LABELS = "_labels.parquet"
"""The file, in a folder of parts, with the ids of the vertices."""
_BATCH = 1 << 18
_AHEAD = 4
"""Batches that are read while another is worked on."""

Column = Any
"""An array of pyarrow."""
Columns = tuple[Column, ...]


@dataclass(frozen=True)
class Parts:
    """Files of edges, all alike, and the names of their columns; that of ``weights`` is None where there are none."""

    name: str
    files: tuple[File, ...]
    about: About
    columns: tuple[str, str]
    num_rows: int
    weights: str | None
    _groups: tuple[int, ...]
    """Row groups of each file."""

    @property
    def is_weighted(self) -> bool:
        return self.weights is not None

    def batches(self, with_source: AnyArray | None = None, *, weighted: bool = False) -> Iterator[Columns]:
        """Sources and targets as int64, int32 or strings, and weights if wanted; the next are read meanwhile.

        Row groups whose range of sources has none of the numbers ``with_source`` (in rising order) are passed over.
        """
        with ThreadPoolExecutor(1) as reader:
            read = self._read(with_source, weighted)
            coming = [reader.submit(next, read, None) for _ in range(_AHEAD)]
            while (batch := coming.pop(0).result()) is not None:
                coming.append(reader.submit(next, read, None))
                yield batch

    def _read(self, with_source: AnyArray | None, weighted: bool) -> Iterator[Columns]:
        for number, groups in enumerate(self._groups):
            yield from self.read_file(number, range(groups), with_source, weighted=weighted)

    def read_file(
        self, number: int, groups: range, with_source: AnyArray | None = None, *, weighted: bool = False
    ) -> Iterator[Columns]:
        """Some row groups of one file."""
        import pyarrow as pa
        from pyarrow import parquet

        path = self.files[number]
        names = [*self.columns, *((self.weights,) if weighted and self.weights is not None else ())]
        try:
            with parquet.ParquetFile(opened(path), page_checksum_verification=True, pre_buffer=False) as file:
                wanted = [i for i in groups if self._may_hold(file, i, with_source)]
                for batch in file.iter_batches(_BATCH, row_groups=wanted, columns=names, use_threads=num_threads() > 1):
                    yield tuple(batch.column(name) for name in names)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _not_whole(path) from error

    def row_groups(self) -> list[list[int]]:
        """The rows of each row group of each file."""
        from pyarrow import parquet

        found = []
        for path in self.files:
            with parquet.ParquetFile(opened(path)) as file:
                found.append([file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)])
        return found

    def _may_hold(self, file: Any, group: int, sources: AnyArray | None) -> bool:
        if sources is None:
            return True
        column = file.metadata.row_group(group).column(file.schema_arrow.names.index(self.columns[0]))
        known = column.statistics
        if known is None or not known.has_min_max:
            return True
        first, last = np.searchsorted(sources, known.min), np.searchsorted(sources, known.max, side="right")
        return bool(first < last)

    def checked(self, source: Column, target: Column) -> tuple[Int32s, Int32s]:
        """Vertex numbers, which must be those of vertices."""
        assert self.about.vertices is not None
        return checked_numbers(source, target, self.about.vertices, Path(self.name))

    def checked_weights(self, columns: Columns) -> Float32s:
        """The weights among the columns of a batch; none where they were not asked for."""
        if len(columns) < 3 or self.weights is None:
            return NO_WEIGHTS
        found = checked_weights(columns[2], self.weights, Path(self.name))
        if not np.isfinite(found).all():
            raise LenseError(f"{self.name} has weights that are not finite numbers; --no-weights ignores them.")
        return found

    def read_labels(self) -> AnyArray | None:
        """The ids of all vertices by their numbers, or None where those are the ids."""
        import pyarrow as pa
        from pyarrow import parquet

        if self.about.labels is None:
            return None
        path = beside(self.files[0], self.about.labels)
        try:
            with parquet.ParquetFile(opened(path)) as file:
                labels = file.read().column(0)
        except (pa.ArrowException, OSError) as error:
            raise _not_whole(path) from error
        if len(labels) != self.about.vertices:
            raise damaged(path)
        array: AnyArray = labels.to_numpy()
        return array.astype(np.str_) if array.dtype.kind == "O" else array


def read_parts(name: str, options: ReadOptions) -> Graph:
    """All the edges of the files that ``name`` means, as one graph in memory."""
    import pyarrow as pa

    files = edge_files(name)
    parts = open_parts(name, files, options)
    tables = [read_table(path, options) for path in files if isinstance(path, Path)]
    if not tables:
        raise LenseError(f"{name} is not on this machine: take --stream, which reads it in passes.")
    whole = pa.concat_tables([table for table, _ in tables])
    return graph_of(Path(name), whole, tables[0][1], options, parts.read_labels())


def _not_whole(path: File) -> LenseError:
    return LenseError(f"{path} is not a whole Parquet file: fetch or make it again.")


def open_parts(name: str, files: tuple[File, ...], options: ReadOptions) -> Parts:
    """The files that make up one graph, once their metadata agree."""
    import pyarrow as pa
    from pyarrow import parquet

    rows, groups, first = 0, list[int](), None
    for path in files:
        try:
            with parquet.ParquetFile(opened(path)) as file:
                schema, count = file.schema_arrow, file.metadata.num_rows
                groups.append(file.num_row_groups)
        except FileNotFoundError as error:
            raise LenseError(f"{path} cannot be read: there is no such file.") from error
        except (pa.ArrowException, OSError) as error:
            raise _not_whole(path) from error
        columns = edge_columns(schema.names, options, Path(path))
        about = read_about(schema.metadata, path)
        kinds = [schema.field(column).type for column in columns[:2]]
        seen = about, columns, kinds
        if first is None:
            first = seen
            for kind in kinds:
                checked_ids(pa.chunked_array([], kind), Path(path))
        elif (first[0].directed, first[0].vertices, first[1:]) != (about.directed, about.vertices, seen[1:]):
            raise LenseError(
                f"{path} does not belong to the same graph as {files[0]}: their columns or metadata differ."
            )
        rows += count
    assert first is not None
    about, columns, _ = first
    if len(files) > 1 and about.vertices is None:
        # parts from elsewhere, each of which may be sorted by itself
        about = About(directed=about.directed, isolated=about.isolated)
    return Parts(
        name, files, about, (columns[0], columns[1]), rows, columns[2] if len(columns) == 3 else None, tuple(groups)
    )


class Ids:
    """The ids of a graph's edges: numbered as they come, and once all are known, in rising order."""

    labels: AnyArray

    new: Int32s

    def __init__(self, parts: Parts, numbering: IntegerNumbering | StringNumbering) -> None:
        self._parts, self._numbering = parts, numbering
        self._last = -1, -1
        self.loops = 0

    @property
    def count(self) -> int:
        return self._numbering.count

    def add(self, source: Column, target: Column) -> None:
        ends = self._values(source), self._values(target)
        if not self._parts.about.simple:
            self._check_order(*ends)
            self.loops += int(np.count_nonzero(ends[0] == ends[1]))
        if self._parts.about.vertices is None:
            for values in (source, target):
                self.first_numbers(values)

    def close(self) -> None:
        """Number in rising order from here on."""
        import pyarrow as pa

        if self._parts.about.vertices is None:
            if self._parts.about.isolated:
                self.first_numbers(pa.array(self._parts.about.isolated))
            self.labels, self.new = self._numbering.in_order()

    def numbers(self, values: Column) -> Int32s:
        """The vertices that have these ids."""
        return self.new[self.first_numbers(values)]

    def first_numbers(self, values: Column) -> Int32s:
        """Numbers in the order in which ids first occur."""
        import pyarrow as pa

        if isinstance(self._numbering, IntegerNumbering):
            return self._numbering.number(self._values(values))
        text = checked_ids(pa.chunked_array([values]), Path(self._parts.name)).combine_chunks()
        text = text if isinstance(text, pa.Array) else pa.concat_arrays(text.chunks)
        _, offsets, data = text.cast(pa.large_string()).buffers()
        ends = np.frombuffer(offsets, np.int64, len(text) + 1, text.offset * 8)
        characters = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
        return self._numbering.number(
            characters[ends[0] : ends[-1]],
            (ends[:-1] - ends[0]).astype(np.int32),
            (ends[1:] - ends[0]).astype(np.int32),
        )

    def _values(self, column: Column) -> AnyArray:
        import pyarrow as pa

        if isinstance(self._numbering, StringNumbering):
            return np.asarray(column)
        whole = checked_ids(pa.chunked_array([column]), Path(self._parts.name))
        return np.ascontiguousarray(whole.to_numpy(), np.int64)

    def _check_order(self, sources: AnyArray, targets: AnyArray) -> None:
        is_text = isinstance(self._numbering, StringNumbering)
        if is_text or first_out_of_order(sources, targets, self._parts.about.directed, self._last) >= 0:
            raise LenseError(
                f"{self._parts.name} may hold repeated edges, since nothing says that it is sorted: "
                f"'lense graph convert {self._parts.name} FOLDER' sorts it once."
            )
        if sources.size:
            self._last = int(sources[-1]), int(targets[-1])


def numbering_of(parts: Parts) -> Ids:
    """Numbers for the ids of ``parts``, none of them known yet."""
    import pyarrow as pa
    from pyarrow import parquet

    with parquet.ParquetFile(opened(parts.files[0])) as file:
        kind = file.schema_arrow.field(parts.columns[0]).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return Ids(parts, IntegerNumbering() if pa.types.is_integer(kind) else StringNumbering())
