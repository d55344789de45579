"""The same passes on a Dask cluster: each worker reads its own files, and what they count is added up in a tree.

What is sent are names of files, vertex numbers and arrays over the vertices, never edges that nobody asked for. If a
worker dies, Dask runs its tasks again elsewhere. Whole numbers add up to the same in any order, and edges are put
together in the order of the files, so that answers are those of one machine.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import TracebackType
from typing import Any, Self

import numpy as np

from lense.errors import LenseError
from lense.graph import Scan
from lense.graph.formats.parts import Parts
from lense.graph.scan import ParquetScan
from lense.kernels import streaming as kernels
from lense.progress import progress
from lense.streaming.passes import Edges
from lense.streaming.room import Room
from lense.types import AnyArray, Bools, Float64s, Int32s, Int64s

TASK = 1 << 25
"""Edges of one task; few large ones, since each returns an array over the vertices."""
_TASKS_PER_WORKER = 4
_LOCAL_WORKERS = 2
_SECONDS_TO_CONNECT = 10
_FAILURES = 10
"""Workers that may die under one task before it is given up."""


@dataclass(frozen=True)
class Task:
    """Some row groups of the files of a graph: (file, its first and its last row group but one) each."""

    parts: Parts
    pieces: tuple[tuple[int, int, int], ...]
    rows: int

    def batches(self, with_source: AnyArray | None = None) -> Any:
        for number, first, last in self.pieces:
            for source, target in self.parts.read_file(number, range(first, last), with_source):
                yield self.parts.checked(source, target)


class DaskEngine:
    """Passes by the workers of a Dask cluster, that of ``scheduler`` or one of processes on this machine.

    Use it as a context; the workers need lense and must see the files under the same names.
    """

    def __init__(self, scheduler: str | None = None, workers: int = _LOCAL_WORKERS) -> None:
        try:
            distributed: Any = import_module("distributed")
        except ModuleNotFoundError as error:
            raise LenseError("--engine dask needs Dask: install lense[dask].") from error
        logging.getLogger("distributed").setLevel(logging.ERROR)  # which speaks of every worker that comes and goes
        self._cluster: Any = None
        self.client: Any
        try:
            if scheduler is None:
                self._cluster = distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    dashboard_address=":0",
                    processes=True,
                    silence_logs=logging.ERROR,
                )
            self.client = distributed.Client(
                self._cluster if scheduler is None else scheduler, timeout=_SECONDS_TO_CONNECT
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise LenseError(f"There is no Dask scheduler at {scheduler}: start one with 'dask scheduler'.") from error
        if not self.client.scheduler_info()["workers"] and scheduler is not None:
            self.close()
            raise LenseError(f"The Dask scheduler at {scheduler} has no workers: start some with 'dask worker'.")
        self.client.run_on_scheduler(_allow_failures)

    def close(self) -> None:
        """End the connection, and the cluster if it is ours."""
        self.client.close()
        if self._cluster is not None:
            self._cluster.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def degrees(self, scan: Scan) -> Int32s:
        counted = partial(count_degrees, scan.num_vertices)
        total: Int32s = self._summed("counting degrees", scan, counted)
        return total

    def edges_between(self, scan: Scan, vertices: Int64s, room: Room) -> Edges:
        kept = partial(keep_edges, scan.num_vertices, vertices, True)
        return self._collected(f"collecting the edges between {vertices.size:,} vertices", scan, kept, room)

    def edges_at(self, scan: Scan, vertices: Int64s, room: Room) -> Edges:
        kept = partial(keep_edges, scan.num_vertices, vertices, False)
        return self._collected(f"collecting the edges at {vertices.size:,} vertices", scan, kept, room)

    def neighbour_sums(self, scan: Scan, values: Float64s) -> Float64s:
        sent = self.client.scatter(values, broadcast=True)
        total: Float64s = self._summed("summing over neighbours", scan, _add_values, sent)
        return values + total

    def _summed(self, what: str, scan: Scan, work: Callable[..., AnyArray], *others: Any) -> AnyArray:
        """The sum of what ``work`` makes of each task, added up by the workers two by two."""
        tasks = self._tasks(scan)
        level = [self.client.submit(work, task, *others, pure=False) for task in tasks]
        with progress(what, scan.num_rows) as advance:
            self._watch(level, tasks, advance)
            while len(level) > 1:
                pairs = [
                    self.client.submit(_add, *pair, pure=False) for pair in zip(level[::2], level[1::2], strict=False)
                ]
                level = pairs + (level[-1:] if len(level) % 2 else [])
            total: AnyArray = level[0].result()
        return total

    def _collected(self, what: str, scan: Scan, work: Callable[[Task], Edges], room: Room) -> Edges:
        tasks = self._tasks(scan)
        coming = [self.client.submit(work, task, pure=False) for task in tasks]
        us, vs, held = [np.empty(0, np.int32)], [np.empty(0, np.int32)], 0
        with progress(what, scan.num_rows) as advance:
            for future, task in zip(coming, tasks, strict=True):
                u, v = future.result()
                held += u.size
                room.check_edges(held)
                us.append(u)
                vs.append(v)
                advance(task.rows)
        return np.concatenate(us), np.concatenate(vs)

    def _watch(self, futures: Sequence[Any], tasks: Sequence[Task], advance: Any) -> None:
        distributed: Any = import_module("distributed")
        rows = {future.key: task.rows for future, task in zip(futures, tasks, strict=True)}
        for future in distributed.as_completed(futures):
            advance(rows[future.key])

    def _tasks(self, scan: Scan) -> list[Task]:
        """All row groups, in order, in about as many tasks as keep the workers busy."""
        if not isinstance(scan, ParquetScan) or scan.parts.about.vertices is None or not scan.parts.about.simple:
            raise LenseError(
                f"--engine dask is for Parquet files of numbered vertices: "
                f"'lense graph convert {scan.name} FOLDER' writes such."
            )
        workers = max(1, len(self.client.scheduler_info(n_workers=-1)["workers"]))
        size = min(TASK, max(1, -(-scan.num_rows // (_TASKS_PER_WORKER * workers))))
        return split_tasks(scan.parts, size)


def split_tasks(parts: Parts, size: int) -> list[Task]:
    """The row groups of ``parts`` in order, in tasks of ``size`` rows or a row group more."""
    tasks, pieces, rows = list[Task](), list[tuple[int, int, int]](), 0
    for number, groups in enumerate(parts.row_groups()):
        for group, count in enumerate(groups):
            if pieces and pieces[-1][0] == number:
                pieces[-1] = (number, pieces[-1][1], group + 1)
            else:
                pieces.append((number, group, group + 1))
            rows += count
            if rows >= size:
                tasks.append(Task(parts, tuple(pieces), rows))
                pieces, rows = [], 0
    return [*tasks, Task(parts, tuple(pieces), rows)] if pieces or not tasks else tasks


def count_degrees(num_vertices: int, task: Task) -> Int32s:
    """(n): the edges of the task at each vertex."""
    degrees = np.zeros(num_vertices, np.int32)
    for sources, targets in task.batches():
        kernels.add_degrees(sources, targets, degrees)
    return degrees


def keep_edges(num_vertices: int, vertices: Int64s, both: bool, task: Task) -> Edges:
    """The edges of the task between two of ``vertices``, or at one of them."""
    marked: Bools = np.zeros(num_vertices, np.bool_)
    marked[vertices] = True
    kernel: Any = kernels.edges_between if both else kernels.edges_at
    kept = [kernel(*ends, marked) for ends in task.batches(vertices if both else None)]
    nothing = np.empty(0, np.int32)
    return np.concatenate([nothing, *(u for u, _ in kept)]), np.concatenate([nothing, *(v for _, v in kept)])


def _add_values(task: Task, values: Float64s) -> Float64s:
    sums = np.zeros_like(values)
    for sources, targets in task.batches():
        kernels.add_products(sources, targets, values, sums)
    return sums


def _add(first: AnyArray, second: AnyArray) -> AnyArray:
    total: AnyArray = first + second
    return total


def _allow_failures(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = max(dask_scheduler.allowed_failures, _FAILURES)
