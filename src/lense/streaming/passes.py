"""The passes over the edges of a graph on disk, by this process or by the workers of a Dask cluster.

On a cluster each worker reads its own files, and what they count is added up in a tree. What is sent are names of
files, vertex numbers and arrays over the vertices, never edges that nobody asked for. If a worker dies, Dask runs its
tasks again elsewhere. Whole numbers add up to the same in any order, and edges are put together in the order of the
files, so that answers are those of one machine. Weights that are not whole numbers add up to the same but for rounding.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from importlib import import_module
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np

from lense._util.processes import dask_client
from lense._util.progress import progress, reporting_to, silent
from lense._util.types import Bools, Float32s, Float64s, Int32s, Int64s
from lense.errors import LenseError, choose
from lense.graph import Scan
from lense.graph.formats.parquet import Seen
from lense.graph.scan import ParquetScan
from lense.kernels import streaming as kernels
from lense.problems.edge_weights import check_counted
from lense.streaming.memory import MemoryBudget

Edges = tuple[Int32s, Int32s, Float32s]
"""Two ends, and weights, which are empty where they do not count."""
Keep = Callable[[Iterable[Edges]], Iterator[Edges]]
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
    """(n): the sum of their weights; empty where those do not count."""
    total: float
    """The sum over all edges."""
    is_whole: bool
    """Whether all weights are whole numbers."""

    def __add__(self, other: "Tally") -> "Tally":
        """That of the edges of both."""
        degrees, sums, total = self.degrees + other.degrees, self.sums + other.sums, self.total + other.total
        return Tally(degrees, sums, total, self.is_whole and other.is_whole)


# What a pass makes of batches of edges. On a cluster, what the tasks make of theirs is added up.


def tally(num_vertices: int, weighted: bool, batches: Iterable[Edges]) -> Tally:
    degrees, sums = np.zeros(num_vertices, np.int32), np.zeros(num_vertices if weighted else 0)
    total, is_whole = 0.0, True
    for sources, targets, weights in batches:
        if weighted:
            check_counted(weights)
            total += kernels.add_weights(sources, targets, weights, degrees, sums)
            is_whole = is_whole and bool((weights == np.rint(weights)).all())
        else:
            total += sources.size - kernels.add_degrees(sources, targets, degrees)
    return Tally(degrees, sums, total, is_whole)


def sum_into(num_vertices: int, vertices: Int64s, batches: Iterable[Edges]) -> Float64s:
    """(n): the weights of the edges between each of so many vertices and ``vertices``."""
    marked, sums = _marks(num_vertices, vertices), np.zeros(num_vertices)
    for sources, targets, weights in batches:
        kernels.add_weights_into(sources, targets, weights, marked, sums)
    return sums


def _add_products(batches: Iterable[Edges], values: Float64s, sums: Float64s | None = None) -> Float64s:
    sums = np.zeros_like(values) if sums is None else sums
    for sources, targets, _ in batches:
        kernels.add_products(sources, targets, values, sums)
    return sums


def _kept(num_vertices: int, vertices: Int64s, both: bool, batches: Iterable[Edges]) -> Iterator[Edges]:
    """The edges with two ends among ``vertices``, or with one."""
    marked = _marks(num_vertices, vertices)
    edges: Iterator[Edges] = (kernels.marked_edges(*batch, marked, both) for batch in batches)
    return (some for some in edges if some[0].size)


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

    def tally(self, scan: Scan, weighted: bool) -> Tally:
        """What the edges at each vertex count, whatever their direction, by their weights if wanted."""
        what = "summing weights" if weighted else "counting degrees"
        total: Tally = self._total(what, scan, partial(tally, scan.num_vertices, weighted), weighted=weighted)
        return total

    def weights_into(self, scan: Scan, vertices: Int64s) -> Float64s:
        """(n): the weights of the edges between each vertex and ``vertices``."""
        work = partial(sum_into, scan.num_vertices, vertices)
        total: Float64s = self._total("summing weights into hubs", scan, work, weighted=True)
        return total

    def neighbour_sums(self, scan: Scan, values: Float64s) -> Float64s:
        """(k, n): ``values`` (k, n) summed over each vertex and its neighbours."""
        work = partial(_add_products, values=values, sums=values.copy())
        total: Float64s = self._total("summing over neighbours", scan, work)
        return total

    def edges_at(
        self, scan: Scan, vertices: Int64s, memory: MemoryBudget, *, both: bool = False, weighted: bool = False
    ) -> Edges:
        """The edges with an end among ``vertices``, or with ``both``, in rising order, and their weights if wanted.

        Raises where they do not fit into ``memory``.
        """
        what = f"collecting the edges {'between' if both else 'at'} {vertices.size:,} vertices"
        keep = partial(_kept, scan.num_vertices, vertices, both)
        found, held = list[Edges](), 0
        # edges between two of them come from one of them, so that row groups without such a source are left out
        for edges in self._pieces(what, scan, keep, vertices if both else None, weighted=weighted):
            held += edges[0].size
            memory.check_edges(held)
            found.append(edges)
        return _joined(found)

    def _total(self, what: str, scan: Scan, work: Callable[..., Any], *, weighted: bool = False) -> Any:
        """What ``work`` makes of all edges, and of their weights if wanted."""
        return work(scan.batches(what, weighted=weighted))

    def _pieces(self, what: str, scan: Scan, keep: Keep, sources: Int64s | None, *, weighted: bool) -> Iterator[Edges]:
        """What ``keep`` keeps; with ``sources``, row groups without an edge from one of those may be left out."""
        return keep(scan.batches(what, sources, weighted=weighted))


class DaskEngine(Engine):
    """Passes by the workers of ``client``, which need lense and must see the files under the same names."""

    def __init__(self, client: Any) -> None:
        self.client = client
        client.run_on_scheduler(_allow_failures)

    def neighbour_sums(self, scan: Scan, values: Float64s) -> Float64s:
        sent = self.client.scatter(values, broadcast=True)
        total: Float64s = self._total("summing over neighbours", scan, _add_products, shared=(sent,))
        return values + total

    def _total(
        self, what: str, scan: Scan, work: Callable[..., Any], *, weighted: bool = False, shared: tuple[Any, ...] = ()
    ) -> Any:
        """Added up by the workers two by two; the first pass also checks the order of all edges."""
        scan, tasks = self._tasks(scan)
        level = [self.client.submit(_made, work, task, weighted, *shared, pure=False) for task in tasks]
        rows = {future.key: task.num_rows for future, task in zip(level, tasks, strict=True)}
        with progress(what, scan.num_rows) as advance:
            for future in import_module("distributed").as_completed(level):
                advance(rows[future.key])
            while len(level) > 1:
                level = [self.client.submit(_added, *level[i : i + 2], pure=False) for i in range(0, len(level), 2)]
            value, seen = level[0].result()
        if scan.seen is None:
            seen.sort()
            if any(last >= first for (_, _, last), (_, first, _) in pairwise(seen)):
                raise scan.parts.unsorted()
            scan.seen = seen
        return value

    def _pieces(self, what: str, scan: Scan, keep: Keep, sources: Int64s | None, *, weighted: bool) -> Iterator[Edges]:
        _, tasks = self._tasks(scan, sources)
        coming = [self.client.submit(_made, partial(_collect, keep), task, weighted, pure=False) for task in tasks]
        with progress(what, sum(task.num_rows for task in tasks)) as advance:
            for future, task in zip(coming, tasks, strict=True):
                yield future.result()[0]
                advance(task.num_rows)

    def _tasks(self, scan: Scan, sources: Int64s | None = None) -> tuple[ParquetScan, list[ParquetScan]]:
        """The scan, and all of it or what has edges from ``sources`` in about as many tasks as keep workers busy."""
        if not isinstance(scan, ParquetScan) or not scan.parts.says_simple:
            raise LenseError(
                f"The Dask engine is for Parquet files of numbered vertices: "
                f"'lense graph convert {scan.name} FOLDER' writes such."
            )
        workers = max(1, len(self.client.scheduler_info(n_workers=-1)["workers"]))
        size = min(TASK, max(1, -(-scan.num_rows // (_TASKS_PER_WORKER * workers))))
        return scan, scan.split(size, sources)


@contextmanager
def open_engine(engine: str, scheduler: str | None, scan: Scan | None) -> Iterator[Engine]:
    """Yield what makes the passes over ``scan``: this process, or the workers of a cluster."""
    choose(engine, dict.fromkeys(("local", "dask")), "engine")
    if engine == "local":
        if scheduler is not None:
            raise LenseError("scheduler= is for the Dask engine.")
        yield Engine()
        return
    if scan is None:
        raise LenseError("The Dask engine is for graphs that stay on disk: add stream=True.")
    with dask_client("The Dask engine", _LOCAL_WORKERS, scheduler) as (client, _):
        yield DaskEngine(client)


def _made(work: Callable[..., Any], task: ParquetScan, weighted: bool, *shared: Any) -> tuple[Any, Seen]:
    """What ``work`` makes of the edges of a task, and the batches that were seen if their order was checked."""
    with reporting_to(silent):
        return work(task.batches("", weighted=weighted), *shared), task.seen or []


def _added(*made: tuple[Any, Seen]) -> tuple[Any, Seen]:
    return reduce(add, (value for value, _ in made)), [batch for _, seen in made for batch in seen]


def _collect(keep: Keep, batches: Iterable[Edges]) -> Edges:
    return _joined(keep(batches))


def _allow_failures(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = max(dask_scheduler.allowed_failures, _FAILURES)
