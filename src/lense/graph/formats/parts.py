"""The Parquet files of one graph: which there are, whether all are there, and their edges batch by batch."""

import glob
import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lense._util.files import parse_json
from lense._util.progress import progress
from lense._util.threads import num_threads
from lense._util.types import AnyArray, Float32s, Int32s
from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.options import ReadOptions, check_claims
from lense.graph.formats.parquet import (
    File,
    Footer,
    Metadata,
    check_labels_file,
    checked_ids,
    checked_numbers,
    checked_weights,
    not_whole,
    opened,
    read_footer,
    read_labels,
    reading,
    size_of,
    texts_in,
)
from lense.graph.labels import IntegerNumbering, StringNumbering, renumber
from lense.kernels.streaming import NO_WEIGHTS, loops_in_order

log = logging.getLogger(__name__)

MANIFEST = "_manifest.json"
_FORMAT, _VERSION = "lense-parts", 1
_FOOTER_END = 8
"""Bytes at the end of a Parquet file: the length of its footer, and a magic word."""


def is_remote(name: str) -> bool:
    """Whether it is an address rather than a path."""
    return "://" in name


def is_many(name: str) -> bool:
    """Whether a name means several files: it is an address, a folder, or a pattern."""
    path = Path(name)
    return is_remote(name) or path.is_dir() or (glob.has_magic(name) and not path.exists())


def beside(file: File, name: str) -> File:
    """The file called ``name`` in the same folder."""
    return file.with_name(name) if isinstance(file, Path) else f"{file.rpartition('/')[0]}/{name}"


def edge_files(name: str) -> tuple[File, ...]:
    """The Parquet files of edges that ``name`` means: itself, those in that folder, or those that fit the pattern."""
    if is_remote(name):
        return _remote_files(name)
    path = Path(name)
    if path.is_dir():
        found = [one for one in path.iterdir() if one.suffix.lower() == ".parquet"]
    elif is_many(name):
        found = [Path(one) for one in glob.glob(name)]
    elif path.suffix.lower() == ".parquet":
        found = [path]
    else:
        raise LenseError(
            f"{name} cannot be streamed: 'lense graph convert {name} FOLDER' makes a folder of it that can."
        )
    files = tuple(sorted(one for one in found if not _is_hidden(one.name)))
    if not files and path.is_dir():
        raise LenseError(f"{name} is a folder: name a graph file in it, or a folder of .parquet files.")
    return _some(name, files)


def is_one(name: str, files: Sequence[File]) -> bool:
    """Whether ``name`` is that of a single file, and not of a folder or a pattern."""
    return len(files) == 1 and files[0] in (name, Path(name))


def _remote_files(name: str) -> tuple[File, ...]:
    try:
        import fsspec

        system, path = fsspec.core.url_to_fs(name)
        if not glob.has_magic(path):
            path = f"{path.rstrip('/')}/*.parquet" if system.isdir(path) else path
        found = sorted(map(str, system.glob(path)))
    except (ImportError, OSError, ValueError) as error:
        raise LenseError(f"{name} cannot be read: {error}.") from error
    files = (system.unstrip_protocol(one) for one in found if not _is_hidden(_name_of(one)))
    return _some(name, tuple(files))


def _some(name: str, files: tuple[File, ...]) -> tuple[File, ...]:
    if not files:
        raise LenseError(f"No .parquet file fits {name}, so there are no edges to read.")
    return files


def _is_hidden(name: str) -> bool:
    """Whether a file is not one of edges by convention."""
    return name.startswith(("_", "."))


def write_manifest(folder: Path) -> None:
    """List all files of ``folder``; call it when they are written."""
    files = {file.name: _described(file) for file in sorted(folder.iterdir())}
    noted = {"format": _FORMAT, "version": _VERSION, "files": files}
    (folder / MANIFEST).write_text(json.dumps(noted, indent=1) + "\n", encoding="utf-8")


def check_manifest(name: str, files: Sequence[File]) -> None:
    """Raise unless ``files``, those that ``name`` means, are all that the manifest beside them lists, unchanged.

    If there is none, and ``name`` is not that of a single file, a warning is logged once.
    """
    manifests = {beside(file, MANIFEST) for file in files}
    listed = {manifest: noted for manifest in manifests if (noted := _read_manifest(manifest)) is not None}
    for manifest, noted in listed.items():
        known = {beside(manifest, each): described for each, described in noted.items()}
        for file in files:
            if file not in known:
                raise LenseError(f"{file} is not in the list of {manifest}: move it to another folder.")
        for file, described in known.items():
            try:
                is_same = described == _described(file)
            except FileNotFoundError as error:
                raise LenseError(f"{file} is missing, which {manifest} lists: copy the folder again.") from error
            if not is_same:
                raise LenseError(f"{file} is not the file that {manifest} lists: copy the folder again.")
            if file not in files and not _is_hidden(_name_of(file)):
                raise LenseError(f"{name} is a part of a graph, and leaves out {file}: name the folder instead.")
    if not listed and not is_one(name, files):
        _warn_unchecked(name)


def _read_manifest(file: File) -> dict[str, Any] | None:
    """What a manifest says of each file, by name; None if there is no manifest."""
    try:
        noted = parse_json(_read(file))
        if noted["format"] != _FORMAT or noted["version"] != _VERSION:
            raise ValueError("another format")
        files: dict[str, Any] = noted["files"]
        if not all(each == Path(each).name for each in files):
            raise ValueError("names of files in other folders")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise LenseError(f"{file} is damaged: copy the folder again, or convert the graph again.") from error
    return files


def _described(file: File) -> dict[str, Any]:
    """What a manifest says of a Parquet file."""
    size = size_of(file)
    end = _read(file, max(0, size - _FOOTER_END))
    footer = _read(file, max(0, size - _FOOTER_END - int.from_bytes(end[:4], "little")))
    return {"bytes": size, "footer": hashlib.sha256(footer).hexdigest()}


def _read(file: File, start: int = 0) -> bytes:
    with file.open("rb") if isinstance(file, Path) else opened(file) as stream:
        stream.seek(start)
        content: bytes = stream.read()
    return content


def _name_of(file: File) -> str:
    return file.name if isinstance(file, Path) else file.rpartition("/")[2]


@cache
def _warn_unchecked(name: str) -> None:
    log.warning("%s has no %s, so a missing or repeated part would go unnoticed", name, MANIFEST)


_BATCH = 1 << 18
_AHEAD = 4
"""Batches that are read while another is worked on."""

Column = Any
"""An array of pyarrow."""
Columns = tuple[Column, ...]
Groups = Sequence[Sequence[int]]
"""Row groups of each file."""
Seen = list[tuple[int, tuple[int, int], tuple[int, int]]]
"""Of each batch of sorted edges: the row where it starts, its first and its last edge."""


@dataclass(frozen=True)
class EdgeFiles:
    """Files of edges, all alike, and the names of their columns; that of ``weights`` is None where there are none."""

    name: str
    files: tuple[File, ...]
    metadata: Metadata
    columns: tuple[str, str]
    weights: str | None
    is_text: bool
    groups: tuple[tuple[int, ...], ...]
    """Rows of each row group of each file."""

    @property
    def num_rows(self) -> int:
        return sum(map(sum, self.groups))

    @property
    def is_weighted(self) -> bool:
        return self.weights is not None

    @property
    def says_simple(self) -> bool:
        """Whether its rows are said to be different edges between numbered vertices; a first pass checks it."""
        return self.metadata.simple and self.metadata.vertices is not None

    def batches(self, groups: Groups | None = None, *, weighted: bool = False) -> Iterator[Columns]:
        """Sources and targets as integers or strings, and weights if wanted; the next are read meanwhile.

        ``groups`` are the row groups to read of each file, all of them unless given. No batch has rows of two.
        """
        with ThreadPoolExecutor(1) as reader:
            read = self._read(self.all_groups if groups is None else groups, weighted)
            coming = [reader.submit(next, read, None) for _ in range(_AHEAD)]
            while (batch := coming.pop(0).result()) is not None:
                coming.append(reader.submit(next, read, None))
                yield batch

    def _read(self, groups: Groups, weighted: bool) -> Iterator[Columns]:
        for number, some in enumerate(groups):
            yield from self.read_file(number, some, weighted=weighted)

    def read_file(
        self, number: int, groups: Sequence[int], *, weighted: bool = False, batch_size: int = _BATCH
    ) -> Iterator[Columns]:
        """Some row groups of one file, a few rows at a time."""
        if not groups:
            return
        path = self.files[number]
        names = [*self.columns, *((self.weights,) if weighted and self.weights is not None else ())]
        with reading(path, self.columns if self.is_text else ()) as file:
            for group in groups:
                rows = 0
                for batch in file.iter_batches(batch_size, [group], names, use_threads=num_threads() > 1):
                    batch.validate(full=True)
                    rows += batch.num_rows
                    yield tuple(batch.column(name) for name in names)
                if rows != self.groups[number][group]:
                    raise not_whole(path)

    @property
    def all_groups(self) -> Groups:
        return [range(len(groups)) for groups in self.groups]

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
        """Vertex numbers, which must be those of vertices."""
        assert self.metadata.vertices is not None
        return checked_numbers(source, target, self.metadata.vertices, self.name)

    def checked_weights(self, columns: Columns) -> Float32s:
        """The weights among the columns of a batch; none where they were not asked for."""
        if len(columns) < 3 or self.weights is None:
            return NO_WEIGHTS
        return checked_weights(columns[2], self.weights, self.name)

    def read_labels(self) -> AnyArray | None:
        """The ids of all vertices by their numbers, or None where those are the ids."""
        if self.metadata.labels is None or self.metadata.vertices is None:
            return None
        return read_labels(beside(self.files[0], self.metadata.labels), self.metadata.vertices)


def read(path: Path, options: ReadOptions) -> Graph:
    """Read a table of edges, see :func:`lense.graph.read_graph`."""
    return _read_whole(str(path), (path,), options)


def read_parts(name: str, options: ReadOptions) -> Graph:
    """All the edges of the files that ``name`` means, as one graph in memory."""
    return _read_whole(name, edge_files(name), options)


def _read_whole(name: str, files: tuple[File, ...], options: ReadOptions) -> Graph:
    if not all(isinstance(path, Path) for path in files):
        raise LenseError(f"{name} is not on this machine: take --stream, which reads it in passes.")
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
    vertices, labels = parts.metadata.vertices, parts.read_labels()
    if vertices is None:
        ids.close()
        labels = ids.labels
        for end in (sources, targets):
            renumber(end, ids.new)
    numbered = np.arange(vertices or 0) if labels is None else labels
    counted = weights if parts.is_weighted else None
    return options.build(Path(name), sources, targets, counted, numbered, directed=parts.metadata.directed)


def open_parts(name: str, files: tuple[File, ...], options: ReadOptions) -> EdgeFiles:
    """The files that make up one graph, once their footers agree with each other, the manifest and their sizes."""
    footers = [read_footer(path, options) for path in files]
    first, size = footers[0], sum(footer.size for footer in footers)
    for path, footer in zip(files, footers, strict=True):
        if _graph_of(footer) != _graph_of(first):
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
        check_labels_file(labels, about.vertices)
        size += size_of(labels)
    check_claims(name, size, vertices=about.vertices or 0)
    check_manifest(name, files)
    source, target, *weights = first.columns
    groups = tuple(footer.groups for footer in footers)
    parts = EdgeFiles(name, files, about, (source, target), weights[0] if weights else None, first.is_text, groups)
    if not parts.num_rows and not about.vertices and not about.isolated:
        raise LenseError(f"{name} holds no edges: give it one edge a row, as source and target.")
    return parts


def _graph_of(footer: Footer) -> tuple[Any, ...]:
    """What all files of one graph have in common."""
    about = footer.metadata
    return about.directed, about.vertices, about.labels, footer.columns, footer.is_text


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
            loops = self._loops_of_texts(sources, targets)
        if loops < 0 or (loops and self._parts.says_simple):
            raise self._parts.unsorted()
        self.loops += loops

    def _loops_of_texts(self, sources: Column, targets: Column) -> int:
        """As the kernel does for integers."""
        import pyarrow as pa
        from pyarrow import compute

        us, vs = (column.cast(pa.large_string()) for column in (sources, targets))
        loops = compute.sum(compute.equal(us, vs)).as_py()
        is_sorted = self._parts.metadata.directed or compute.all(compute.less_equal(us, vs)).as_py()
        if self._last is not None:
            us, vs = (pa.concat_arrays([pa.array(self._last[i : i + 1], us.type), (us, vs)[i]]) for i in (0, 1))
        self._last = us[-1].as_py(), vs[-1].as_py()
        rises, same = compute.greater(us[1:], us[:-1]), compute.equal(us[1:], us[:-1])
        after = compute.or_(rises, compute.and_(same, compute.greater(vs[1:], vs[:-1])))
        return int(loops) if is_sorted and compute.all(after, min_count=0).as_py() else -1


class Ids:
    """The ids of a graph's edges: numbered as they come, and once all are known, in rising order."""

    labels: AnyArray

    new: Int32s

    def __init__(self, parts: EdgeFiles) -> None:
        self._parts = parts
        self._numbering = StringNumbering() if parts.is_text else IntegerNumbering()
        self.loops = 0

    @property
    def count(self) -> int:
        return self._numbering.count

    def values(self, column: Column) -> Any:
        """Ids of a batch, checked: integers of numpy, or texts in a dictionary."""
        import pyarrow as pa

        whole = checked_ids(pa.chunked_array([column]), self._parts.name)
        return whole.combine_chunks() if self._parts.is_text else np.ascontiguousarray(whole.to_numpy(), np.int64)

    def ends(self, columns: Columns) -> tuple[Int32s, Int32s]:
        """The vertex numbers of a batch's edges, or of their ids in the order in which they first occur."""
        if self._parts.metadata.vertices is not None:
            return self._parts.checked(*columns[:2])
        source, target = (self.first_numbers(self.values(column)) for column in columns[:2])
        return source, target

    def first_numbers(self, values: Any) -> Int32s:
        """Numbers, in the order in which ids first occur, of what :meth:`values` gives."""
        import pyarrow as pa

        if isinstance(self._numbering, IntegerNumbering):
            return self._numbering.number(values)
        text, places = texts_in(pa.chunked_array([values]))
        _, offsets, data = text.buffers()
        ends = np.frombuffer(offsets, np.int64, len(text) + 1, text.offset * 8)
        characters = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
        numbers = self._numbering.number(
            characters[ends[0] : ends[-1]],
            (ends[:-1] - ends[0]).astype(np.int32),
            (ends[1:] - ends[0]).astype(np.int32),
        )
        return numbers[places]

    def close(self) -> None:
        """Number in rising order from here on."""
        import pyarrow as pa

        if self._parts.metadata.isolated:
            self.first_numbers(self.values(pa.array(self._parts.metadata.isolated)))
        self.labels, self.new = self._numbering.in_order()

    def numbers(self, column: Column) -> Int32s:
        """The vertices that have these ids."""
        return self.new[self.first_numbers(self.values(column))]
