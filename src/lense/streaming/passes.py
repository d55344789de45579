"""The passes over the edges of a graph on disk, by this process or by the workers of a Dask cluster.

On a cluster each worker reads its own files, and what they count is added up in a tree. What is sent are names of
files, vertex numbers and arrays over the vertices, never edges that nobody asked for. If a worker dies, Dask runs its
tasks again elsewhere. Whole numbers add up to the same in any order, and edges are put together in the order of the
files, so that answers are those of one machine. Weights that are not whole numbers add up to the same but for rounding.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import pairwise
from types import TracebackType
from typing import Any, Self

import numpy as np

from lense._util.processes import dask_client
from lense._util.progress import progress
from lense._util.types import AnyArray, Bools, Float32s, Float64s, Int32s, Int64s
from lense.errors import LenseError, choose
from lense.graph import Scan
from lense.graph.formats.parquet import EdgeFiles, Groups, Order, Seen
from lense.graph.scan import ParquetScan
from lense.kernels import streaming as kernels
from lense.problems.edge_weights import check_counted
from lense.streaming.memory import MemoryBudget

Edges = tuple[Int32s, Int32s, Float32s]
"""Two ends, and weights, which are empty where they do not count."""
TASK = 1 << 25
"""Edges of one task of a cluster; few large ones, since each returns an array over the vertices."""
_NOTHING: Edges = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32)
_TASKS_PER_WORKER = 4
_LOCAL_WORKERS = 2
_FAILURES = 10
"""Workers that may die under one task before it is given up."""


@dataclass(frozen=True)
class Tally:
    """What the edges at each vertex count."""

    degrees: Int32s
    """(n): their number."""
    sums: Float64s
    """(n): the sum of their weights."""
    total: float
    """The sum over all edges."""
    is_whole: bool
    """Whether all weights are whole numbers."""

    def __add__(self, other: "Tally") -> "Tally":
        """That of the edges of both."""
        return Tally(
            self.degrees + other.degrees,
            self.sums + other.sums,
            self.total + other.total,
            self.is_whole and other.is_whole,
        )


# What a pass makes of batches of edges. On a cluster, what the tasks make of theirs is added up.


def count_degrees(num_vertices: int, batches: Iterable[Edges]) -> Int32s:
    degrees = np.zeros(num_vertices, np.int32)
    for sources, targets, _ in batches:
        kernels.add_degrees(sources, targets, degrees)
    return degrees


def tally(num_vertices: int, batches: Iterable[Edges]) -> Tally:
    degrees, sums = np.zeros(num_vertices, np.int32), np.zeros(num_vertices)
    total, is_whole = 0.0, True
    for sources, targets, weights in batches:
        check_counted(weights)
        total += kernels.add_weights(sources, targets, weights, degrees, sums)
        is_whole = is_whole and bool((weights == np.rint(weights)).all())
    return Tally(degrees, sums, total, is_whole)


def sum_into(num_vertices: int, vertices: Int64s, batches: Iterable[Edges]) -> Float64s:
    """(n): the weights of the edges between each of so many vertices and ``vertices``."""
    marked, sums = _marks(num_vertices, vertices), np.zeros(num_vertices)
    for sources, targets, weights in batches:
        kernels.add_weights_into(sources, targets, weights, marked, sums)
    return sums


def _add_products(values: Float64s, sums: Float64s, batches: Iterable[Edges]) -> Float64s:
    for sources, targets, _ in batches:
        kernels.add_products(sources, targets, values, sums)
    return sums


def _kept(num_vertices: int, vertices: Int64s, both: bool, batches: Iterable[Edges]) -> Iterator[Edges]:
    """The edges with two ends among ``vertices``, or with one."""
    marked = _marks(num_vertices, vertices)
    for batch in batches:
        edges: Edges = kernels.marked_edges(*batch, marked, both)
        if edges[0].size:
            yield edges


def _marks(num_vertices: int, vertices: Int64s) -> Bools:
    marked: Bools = np.zeros(num_vertices, np.bool_)
    marked[vertices] = True
    return marked


def _joined(edges: Iterable[Edges]) -> Edges:
    us, vs, ws = (np.concatenate(arrays) for arrays in zip(_NOTHING, *edges, strict=True))
    return us, vs, ws


class Engine:
    """Each method is one pass: pyarrow reads the next batches while compiled loops work on the last one.

    All engines give the same, bit for bit, but for sums of weights that are not whole numbers.
    """

    def degrees(self, scan: Scan) -> Int32s:
        """(n): the edges at each vertex, whatever their direction."""
        total: Int32s = self._total("counting degrees", scan, partial(count_degrees, scan.num_vertices))
        return total

    def tally(self, scan: Scan) -> Tally:
        """What the edges at each vertex count by their weights."""
        total: Tally = self._total("summing weights", scan, partial(tally, scan.num_vertices), weighted=True)
        return total

    def weights_into(self, scan: Scan, vertices: Int64s) -> Float64s:
        """(n): the weights of the edges between each vertex and ``vertices``."""
        work = partial(sum_into, scan.num_vertices, vertices)
        total: Float64s = self._total("summing weights into hubs", scan, work, weighted=True)
        return total

    def neighbour_sums(self, scan: Scan, values: Float64s) -> Float64s:
        """(k, n): ``values`` (k, n) summed over each vertex and its neighbours."""
        total: Float64s = self._total("summing over neighbours", scan, partial(_add_products, values, values.copy()))
        return total

    def edges_between(self, scan: Scan, vertices: Int64s, memory: MemoryBudget, weighted: bool = False) -> Edges:
        """The edges between two of ``vertices``, in rising order, and their weights if wanted."""
        what = f"collecting the edges between {vertices.size:,} vertices"
        some = partial(_kept, scan.num_vertices, vertices, True)
        return self._collected(what, scan, some, memory, weighted, vertices)

    def edges_at(self, scan: Scan, vertices: Int64s, memory: MemoryBudget, weighted: bool = False) -> Edges:
        """The edges with an end among ``vertices``, in rising order, and their weights if wanted."""
        what = f"collecting the edges at {vertices.size:,} vertices"
        return self._collected(what, scan, partial(_kept, scan.num_vertices, vertices, False), memory, weighted)

    def _collected(
        self,
        what: str,
        scan: Scan,
        keep: Callable[[Iterable[Edges]], Iterator[Edges]],
        memory: MemoryBudget,
        weighted: bool,
        sources: Int64s | None = None,
    ) -> Edges:
        """All that ``keep`` keeps; raises where that does not fit into ``memory``."""
        found, held = list[Edges](), 0
        for edges in self._pieces(what, scan, keep, weighted, sources):
            held += edges[0].size
            memory.check_edges(held)
            found.append(edges)
        return _joined(found)

    def _total(self, what: str, scan: Scan, work: Callable[[Iterable[Edges]], Any], *, weighted: bool = False) -> Any:
        """What ``work`` makes of all edges, and of their weights if wanted."""
        return work(scan.batches(what, weighted=weighted))

    def _pieces(
        self,
        what: str,
        scan: Scan,
        keep: Callable[[Iterable[Edges]], Iterator[Edges]],
        weighted: bool,
        sources: Int64s | None,
    ) -> Iterator[Edges]:
        """What ``keep`` keeps; with ``sources``, row groups without an edge from one of those may be left out."""
        return keep(scan.batches(what, sources, weighted=weighted))


@dataclass(frozen=True)
class RowGroups:
    """Some row groups of the files of a graph: (file, its first and its last row group but one) each.

    ``row`` is the first of their rows among all rows of the graph, ``rows`` how many they have.
    """

    parts: EdgeFiles
    pieces: tuple[tuple[int, int, int], ...]
    row: int
    rows: int

    def batches(self, order: Order | None = None, *, weighted: bool = False) -> Iterator[Edges]:
        """The edges, and their weights if wanted; ``order`` checks that they rise."""
        for number, first, last in self.pieces:
            for columns in self.parts.read_file(number, range(first, last), weighted=weighted):
                sources, targets = self.parts.checked(columns[0], columns[1])
                if order is not None:
                    order.check(sources, targets)
                yield sources, targets, self.parts.checked_weights(columns)


def split_tasks(parts: EdgeFiles, groups: Groups, size: int) -> list[RowGroups]:
    """Row groups of ``parts`` in order, in tasks of ``size`` rows or a row group more."""
    tasks, pieces, rows, row = list[RowGroups](), list[tuple[int, int, int]](), 0, 0
    for number, some in enumerate(groups):
        for group in some:
            if pieces and pieces[-1][::2] == (number, group):
                pieces[-1] = (number, pieces[-1][1], group + 1)
            else:
                pieces.append((number, group, group + 1))
            rows += parts.groups[number][group]
            if rows >= size:
                tasks.append(RowGroups(parts, tuple(pieces), row, rows))
                pieces, rows, row = [], 0, row + rows
    return [*tasks, RowGroups(parts, tuple(pieces), row, rows)] if pieces or not tasks else tasks


@dataclass(frozen=True)
class _Summed:
    """What a pass made of some batches, and the batches that it saw if it checked their order."""

    value: Any
    seen: Seen

    def __add__(self, other: "_Summed") -> "_Summed":
        return _Summed(self.value + other.value, self.seen + other.seen)


class DaskEngine(Engine):
    """Passes by the workers of a Dask cluster: see :func:`lense._util.processes.dask_client`.

    Use it as a context; the workers need lense and must see the files under the same names.
    """

    def __init__(self, scheduler: str | None = None, workers: int = _LOCAL_WORKERS) -> None:
        self._opened = ExitStack()
        self.client, _ = self._opened.enter_context(dask_client("The Dask engine", workers, scheduler))
        self.client.run_on_scheduler(_allow_failures)

    def close(self) -> None:
        """End the connection, and the cluster if it is ours."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def neighbour_sums(self, scan: Scan, values: Float64s) -> Float64s:
        sent = self.client.scatter(values, broadcast=True)
        total: Float64s = self._total("summing over neighbours", scan, _add_products, values=sent)
        return values + total

    def _total(
        self,
        what: str,
        scan: Scan,
        work: Callable[..., Any],
        *,
        weighted: bool = False,
        values: Any = None,
    ) -> Any:
        """Added up by the workers two by two; the first pass also checks the order of all edges."""
        tasks, checks = self._tasks(scan), getattr(scan, "seen", None) is None
        level = [self.client.submit(_summed, work, task, weighted, checks, values, pure=False) for task in tasks]
        rows = {future.key: task.rows for future, task in zip(level, tasks, strict=True)}
        with progress(what, scan.num_rows) as advance:
            for future in import_module("distributed").as_completed(level):
                advance(rows[future.key])
            while len(level) > 1:
                pairs = zip(level[::2], level[1::2], strict=False)
                added = [self.client.submit(_Summed.__add__, *pair, pure=False) for pair in pairs]
                level = added + (level[-1:] if len(level) % 2 else [])
            summed: _Summed = level[0].result()
        if checks:
            assert isinstance(scan, ParquetScan)
            seen = sorted(summed.seen)
            if any(last >= first for (_, _, last), (_, first, _) in pairwise(seen)):
                raise scan.parts.unsorted()
            scan.seen = seen
        return summed.value

    def _pieces(
        self,
        what: str,
        scan: Scan,
        keep: Callable[[Iterable[Edges]], Iterator[Edges]],
        weighted: bool,
        sources: Int64s | None,
    ) -> Iterator[Edges]:
        tasks = self._tasks(scan, sources)
        coming = [self.client.submit(_collect, keep, task, weighted, pure=False) for task in tasks]
        with progress(what, sum(task.rows for task in tasks)) as advance:
            for future, task in zip(coming, tasks, strict=True):
                yield future.result()
                advance(task.rows)

    def _tasks(self, scan: Scan, sources: AnyArray | None = None) -> list[RowGroups]:
        """All row groups, or those with edges from ``sources``, in about as many tasks as keep the workers busy."""
        if not isinstance(scan, ParquetScan) or not scan.parts.says_simple:
            raise LenseError(
                f"The Dask engine is for Parquet files of numbered vertices: "
                f"'lense graph convert {scan.name} FOLDER' writes such."
            )
        workers = max(1, len(self.client.scheduler_info(n_workers=-1)["workers"]))
        size = min(TASK, max(1, -(-scan.num_rows // (_TASKS_PER_WORKER * workers))))
        return split_tasks(scan.parts, scan.groups_with(sources), size)


@contextmanager
def open_engine(engine: str, scheduler: str | None, scan: Scan | None) -> Iterator[Engine | None]:
    """Yield what makes the passes over ``scan``; None leaves them to this process."""
    choose(engine, dict.fromkeys(("local", "dask")), "engine")
    if engine == "local":
        if scheduler is not None:
            raise LenseError("scheduler= is for the Dask engine.")
        yield None
        return
    if scan is None:
        raise LenseError("The Dask engine is for graphs that stay on disk: add stream=True.")
    with DaskEngine(scheduler) as opened:
        yield opened


def _summed(
    work: Callable[..., Any], task: RowGroups, weighted: bool, checks: bool, values: Float64s | None
) -> _Summed:
    order = Order(task.parts, task.row) if checks else None
    shared = () if values is None else (values, np.zeros_like(values))
    value = work(*shared, task.batches(order, weighted=weighted))
    return _Summed(value, [] if order is None else order.seen)


def _collect(keep: Callable[[Iterable[Edges]], Iterator[Edges]], task: RowGroups, weighted: bool) -> Edges:
    return _joined(keep(task.batches(weighted=weighted)))


def _allow_failures(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = max(dask_scheduler.allowed_failures, _FAILURES)
