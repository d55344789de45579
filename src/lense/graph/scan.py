"""Graphs that stay on disk: their edges pass by in batches, and only arrays over the vertices are held.

A scan knows the size of its graph from the metadata where lense wrote it, else after one pass. Vertices are numbered in
rising order of their ids, as :func:`lense.graph.read_graph` does, so that both ways give the same answers.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby
from os import PathLike, fspath
from pathlib import Path

import numpy as np

from lense._util.files import system_errors
from lense._util.progress import progress
from lense._util.types import AnyArray, Float32s, Int32s
from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats import npz
from lense.graph.formats.options import ReadOptions, parse_columns
from lense.graph.formats.parquet import EdgeFiles, Groups, Ids, Order, Seen, open_parts
from lense.graph.formats.parts import edge_files, is_many, is_remote, size_of
from lense.graph.structure import count_repeats
from lense.kernels.streaming import NO_WEIGHTS

Batch = tuple[Int32s, Int32s, Float32s]
"""Sources, targets and weights; these are empty where they were not asked for."""
_ENTRIES_AT_A_TIME = 1 << 20


class Scan(ABC):
    """A graph on disk, as :func:`scan` opens it; its self loops do not count, and each edge is there once.

    Examples
    --------
    >>> import lense
    >>> lense.write_graph(lense.Graph.from_edges([0, 0, 0, 3], [1, 2, 3, 4]), "star.npz")
    >>> star = lense.scan("star.npz")
    >>> star.num_vertices, star.num_edges
    (5, 4)
    """

    name: str
    directed: bool
    is_weighted: bool

    @property
    @abstractmethod
    def num_vertices(self) -> int: ...

    @property
    @abstractmethod
    def num_edges(self) -> int:
        """Edges, each counted once."""

    @property
    def num_rows(self) -> int:
        """Edges that pass by, self loops among them."""
        return self.num_edges

    @property
    @abstractmethod
    def num_bytes(self) -> int:
        """What the files take on disk."""

    @abstractmethod
    def _batches(self, with_source: AnyArray | None, weighted: bool) -> Iterator[Batch]: ...

    @abstractmethod
    def labels_of(self, vertices: AnyArray) -> AnyArray:
        """Return the ids of vertices.

        Parameters
        ----------
        vertices
            Their numbers.
        """

    @abstractmethod
    def read(self) -> Graph:
        """The whole graph in memory."""

    @property
    def ids(self) -> str:
        """What the vertices are called by: "integers" or "strings"."""
        return "integers" if self.labels_of(np.zeros(1, np.int64)).dtype.kind in "iu" else "strings"

    def batches(self, what: str, with_source: AnyArray | None = None, *, weighted: bool = False) -> Iterator[Batch]:
        """Pass over the edges: yield sources, targets and weights of some at a time.

        Parameters
        ----------
        what
            What the pass is for, to be shown with its progress.
        with_source
            The vertices, in rising order, whose out-edges matter; others may be left out.
        weighted
            Whether weights are wanted, if there are any.
        """
        with progress(what, self.num_rows) as advance:
            for batch in self._batches(with_source, weighted and self.is_weighted):
                yield batch
                advance(batch[0].size)

    @property
    def num_arcs(self) -> int:
        """As :attr:`lense.Graph.num_arcs`: both directions of an undirected edge count."""
        return self.num_edges if self.directed else 2 * self.num_edges

    @property
    def most_between(self) -> int:
        """The most edges that two vertices can have between them: two opposite arcs, or one edge."""
        return 2 if self.directed else 1

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"Scan({self.num_rows:,} rows of edges in {self.name}, {kind}{', weighted' if self.is_weighted else ''})"


class ParquetScan(Scan):
    """Edges in Parquet files. Ids may be 64-bit integers or strings; the first pass then numbers them."""

    def __init__(self, name: str, parts: EdgeFiles, groups: Groups | None = None, row: int = 0) -> None:
        self.name, self.parts, self._row = name, parts, row
        self._groups = parts.all_groups if groups is None else groups
        self.directed, self.is_weighted = parts.metadata.directed, parts.is_weighted
        self.seen: Seen | None = None
        """What the first pass over numbers of vertices saw, which also checked that the edges are sorted."""

    @property
    def num_vertices(self) -> int:
        vertices = self.parts.metadata.vertices
        return self._ids.count if vertices is None else vertices

    @property
    def num_edges(self) -> int:
        return self.num_rows if self.parts.says_simple else self.num_rows - self._ids.loops

    @property
    def num_rows(self) -> int:
        return sum(self.parts.groups[number][group] for number, some in enumerate(self._groups) for group in some)

    @property
    def num_bytes(self) -> int:
        return sum(map(size_of, self.parts.files))

    @cached_property
    def _ids(self) -> Ids:
        """The ids that occur, by one pass over the edges, which also checks that none is repeated."""
        ids, order = Ids(self.parts), Order(self.parts)
        with progress("numbering vertices", self.num_rows) as advance:
            for columns in self.parts.batches():
                order.check(*ids.add(columns))
                advance(len(columns[0]))
        ids.close()
        ids.loops = order.loops
        return ids

    def _groups_with(self, sources: AnyArray | None) -> Groups:
        """The row groups that have edges from one of ``sources``, or all of them, as far as is known."""
        return self._groups if sources is None or self.seen is None else self.parts.groups_with(sources, self.seen)

    def split(self, size: int, with_source: AnyArray | None = None) -> "list[ParquetScan]":
        """Scans of some row groups each, in order, of about ``size`` rows; ``with_source`` as in :meth:`batches`."""
        some = [(number, group) for number, groups in enumerate(self._groups_with(with_source)) for group in groups]
        starts = np.cumsum([0, *(self.parts.groups[number][group] for number, group in some)])
        tasks = list[ParquetScan]()
        for _, places in groupby(range(len(some)), lambda place: starts[place] // size):
            first, *rest = places
            groups = [list[int]() for _ in self.parts.files]
            for place in (first, *rest):
                groups[some[place][0]].append(some[place][1])
            tasks.append(ParquetScan(self.name, self.parts, groups, int(starts[first])))
            tasks[-1].seen = None if self.seen is None else []
        return tasks

    def _batches(self, with_source: AnyArray | None, weighted: bool) -> Iterator[Batch]:
        ids = None if self.parts.says_simple else self._ids  # which raises where edges may be repeated
        order = Order(self.parts, self._row) if self.seen is None else None
        for columns in self.parts.batches(self._groups_with(with_source), weighted=weighted):
            sources, targets = self.parts.checked(*columns[:2]) if ids is None else ids.final_ends(columns)
            if order is not None:
                order.check(sources, targets)
            yield sources, targets, self.parts.checked_weights(columns)
        self.seen = self.seen if order is None else order.seen

    def labels_of(self, vertices: AnyArray) -> AnyArray:
        labels = self._ids.labels if self.parts.metadata.vertices is None else self.parts.read_labels()
        return np.asarray(vertices, np.int64) if labels is None else labels[vertices]

    def read(self) -> Graph:
        none = np.empty(0, np.int32), np.empty(0, np.int32), NO_WEIGHTS
        batches = zip(none, *self.batches(f"reading {self.name}", weighted=True), strict=True)
        sources, targets, weights = (np.concatenate(arrays) for arrays in batches)
        labels = self.labels_of(np.arange(self.num_vertices))
        counted = weights if self.is_weighted else None
        return Graph.from_edges(sources, targets, counted, directed=self.directed, labels=labels)


class MappedScan(Scan):
    """An ``.npz`` that lense wrote, whose arrays are mapped into memory."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.graph = npz.read(path, options)
        if self.graph.num_self_loops or count_repeats(self.graph):
            raise LenseError(
                f"{path} keeps repeated edges or self loops, which a stream does not count: take stream=False."
            )
        self.name, self.directed = fspath(path), self.graph.directed
        self.is_weighted = self.graph.weights is not None

    @property
    def num_vertices(self) -> int:
        return self.graph.num_vertices

    @property
    def num_edges(self) -> int:
        return self.graph.num_edges

    @property
    def num_bytes(self) -> int:
        return Path(self.name).stat().st_size

    def _batches(self, with_source: AnyArray | None, weighted: bool) -> Iterator[Batch]:
        indptr, indices = self.graph.indptr, self.graph.indices
        all_weights = self.graph.weights if weighted and self.graph.weights is not None else NO_WEIGHTS
        first = 0
        while first < self.num_vertices:
            last = int(np.searchsorted(indptr, indptr[first] + _ENTRIES_AT_A_TIME, side="right")) - 1
            last = min(max(last, first + 1), self.num_vertices)
            sources = np.repeat(np.arange(first, last, dtype=np.int32), np.diff(indptr[first : last + 1]))
            targets: Int32s = indices[indptr[first] : indptr[last]]
            weights: Float32s = all_weights[indptr[first] : indptr[last]]
            if not self.directed:
                once = sources < targets
                sources, targets = sources[once], targets[once]
                weights = weights[once] if weights.size else weights
            yield sources, targets, weights
            first = last

    def labels_of(self, vertices: AnyArray) -> AnyArray:
        return self.graph.labels[vertices]

    def read(self) -> Graph:
        return self.graph


def scan(path: str | PathLike[str], *, columns: str | list[str] | None = None, weights: bool | None = None) -> Scan:
    """Open a graph that stays on disk.

    Nothing but metadata is read from Parquet yet. Its edges must be sorted and without repeats, as all that lense
    writes are; the first pass finds out where the metadata do not say. Convert a text file first:
    ``lense graph convert big.txt.gz folder``.

    Parameters
    ----------
    path
        A Parquet file, a folder or a pattern of them such as ``edges/*.parquet``, or an ``.npz`` that lense wrote.
        Addresses such as ``s3://bucket/edges`` are read through fsspec.
    columns, weights
        As for :func:`lense.read_graph`.

    Returns
    -------
    Scan
        What :func:`lense.solve` and :func:`lense.prune` take in place of a graph.

    Raises
    ------
    LenseError
        If the file is missing, damaged, or of a kind that must be converted first.

    Examples
    --------
    >>> import lense
    >>> lense.write_graph(lense.Graph.from_edges([0, 0, 0, 3], [1, 2, 3, 4]), "star.npz")
    >>> lense.solve(lense.scan("star.npz"), "mvc", 1).vertices
    [0]
    """
    name = fspath(path)
    options = ReadOptions(weights=weights, columns=parse_columns(columns))
    file = Path(name)
    if file.suffix.lower() == ".npz" and not is_remote(name):
        if not file.is_file():
            raise LenseError(f"{name} cannot be read: there is no such file.")
        return MappedScan(file, options)
    with system_errors(file, "read"):
        return ParquetScan(name, open_parts(name, edge_files(name), options))


def can_be_scanned(name: str) -> bool:
    """Whether :func:`scan` takes what is called ``name``."""
    path = Path(name)
    return is_many(name) or path.suffix.lower() in (".parquet", ".npz")
