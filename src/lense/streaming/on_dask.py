"""The same passes on a Dask cluster: each worker reads its own files, and what they count is added up in a tree.

What is sent are names of files, vertex numbers and arrays over the vertices, never edges that nobody asked for. If a
worker dies, Dask runs its tasks again elsewhere. Whole numbers add up to the same in any order, and edges are put
together in the order of the files, so that answers are those of one machine. Weights that are no whole numbers add up
to the same but for rounding.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import pairwise
from types import TracebackType
from typing import Any, Self

import numpy as np

from lense._util.processes import dask_client
from lense._util.progress import progress
from lense._util.types import AnyArray, Float64s, Int32s, Int64s
from lense.errors import LenseError
from lense.graph import Scan
from lense.graph.formats.parts import EdgeFiles, Groups, Order, Seen
from lense.graph.scan import ParquetScan
from lense.kernels import streaming as kernels
from lense.streaming.passes import NOTHING, Edges, Tally, joined, kept, sum_into, tally
from lense.streaming.room import Room

TASK = 1 << 25
"""Edges of one task; few large ones, since each returns an array over the vertices."""
_TASKS_PER_WORKER = 4
_LOCAL_WORKERS = 2
_FAILURES = 10
"""Workers that may die under one task before it is given up."""


@dataclass(frozen=True)
class Task:
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


@dataclass(frozen=True)
class Counted:
    """What a first pass counted, and the batches that it saw."""

    value: Any
    seen: Seen

    def __add__(self, other: "Counted") -> "Counted":
        return Counted(self.value + other.value, self.seen + other.seen)


class DaskEngine:
    """Passes by the workers of a Dask cluster: see :func:`lense._util.processes.dask_client`.

    Use it as a context; the workers need lense and must see the files under the same names.
    """

    def __init__(self, scheduler: str | None = None, workers: int = _LOCAL_WORKERS) -> None:
        self._opened = ExitStack()
        self.client, _ = self._opened.enter_context(dask_client("--engine dask", workers, scheduler))
        self.client.run_on_scheduler(_allow_failures)

    def close(self) -> None:
        """End the connection, and the cluster if it is ours."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def degrees(self, scan: Scan) -> Int32s:
        total: Int32s = self._first_pass("counting degrees", scan, partial(count_degrees, scan.num_vertices))
        return total

    def tally(self, scan: Scan) -> Tally:
        total: Tally = self._first_pass("summing weights", scan, partial(count_weights, scan.num_vertices))
        return total

    def weights_into(self, scan: Scan, vertices: Int64s) -> Float64s:
        counted = partial(count_weights_into, scan.num_vertices, vertices)
        total: Float64s = self._summed("summing weights into hubs", scan, counted)
        return total

    def edges_between(self, scan: Scan, vertices: Int64s, room: Room, weighted: bool = False) -> Edges:
        some, tasks = partial(keep_edges, scan.num_vertices, vertices, True, weighted), self._tasks(scan, vertices)
        return self._collected(f"collecting the edges between {vertices.size:,} vertices", tasks, some, room)

    def edges_at(self, scan: Scan, vertices: Int64s, room: Room, weighted: bool = False) -> Edges:
        some, tasks = partial(keep_edges, scan.num_vertices, vertices, False, weighted), self._tasks(scan)
        return self._collected(f"collecting the edges at {vertices.size:,} vertices", tasks, some, room)

    def neighbour_sums(self, scan: Scan, values: Float64s) -> Float64s:
        sent = self.client.scatter(values, broadcast=True)
        total: Float64s = self._summed("summing over neighbours", scan, _add_values, sent)
        return values + total

    def _first_pass(self, what: str, scan: Scan, work: Callable[[Task], Counted]) -> Any:
        """As :meth:`_summed`; each task has checked the order of its edges, and here they are compared."""
        counted: Counted = self._summed(what, scan, work)
        assert isinstance(scan, ParquetScan)
        seen = sorted(counted.seen)
        if any(last >= first for (_, _, last), (_, first, _) in pairwise(seen)):
            raise scan.parts.unsorted()
        scan.seen = seen
        return counted.value

    def _summed(self, what: str, scan: Scan, work: Callable[..., Any], *others: Any) -> Any:
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
            return level[0].result()

    def _collected(self, what: str, tasks: list[Task], work: Callable[[Task], Edges], room: Room) -> Edges:
        coming = [self.client.submit(work, task, pure=False) for task in tasks]
        found, held = [NOTHING], 0
        with progress(what, sum(task.rows for task in tasks)) as advance:
            for future, task in zip(coming, tasks, strict=True):
                found.append(future.result())
                held += found[-1][0].size
                room.check_edges(held)
                advance(task.rows)
        return joined(found)

    def _watch(self, futures: Sequence[Any], tasks: Sequence[Task], advance: Any) -> None:
        distributed: Any = import_module("distributed")
        rows = {future.key: task.rows for future, task in zip(futures, tasks, strict=True)}
        for future in distributed.as_completed(futures):
            advance(rows[future.key])

    def _tasks(self, scan: Scan, sources: AnyArray | None = None) -> list[Task]:
        """All row groups, or those with edges from ``sources``, in about as many tasks as keep the workers busy."""
        if not isinstance(scan, ParquetScan) or not scan.parts.says_simple:
            raise LenseError(
                f"--engine dask is for Parquet files of numbered vertices: "
                f"'lense graph convert {scan.name} FOLDER' writes such."
            )
        workers = max(1, len(self.client.scheduler_info(n_workers=-1)["workers"]))
        size = min(TASK, max(1, -(-scan.num_rows // (_TASKS_PER_WORKER * workers))))
        return split_tasks(scan.parts, scan.groups_with(sources), size)


def split_tasks(parts: EdgeFiles, groups: Groups, size: int) -> list[Task]:
    """Row groups of ``parts`` in order, in tasks of ``size`` rows or a row group more."""
    tasks, pieces, rows, row = list[Task](), list[tuple[int, int, int]](), 0, 0
    for number, some in enumerate(groups):
        for group in some:
            if pieces and pieces[-1][::2] == (number, group):
                pieces[-1] = (number, pieces[-1][1], group + 1)
            else:
                pieces.append((number, group, group + 1))
            rows += parts.groups[number][group]
            if rows >= size:
                tasks.append(Task(parts, tuple(pieces), row, rows))
                pieces, rows, row = [], 0, row + rows
    return [*tasks, Task(parts, tuple(pieces), row, rows)] if pieces or not tasks else tasks


def count_degrees(num_vertices: int, task: Task) -> Counted:
    """(n): the edges of the task at each vertex."""
    degrees, order = np.zeros(num_vertices, np.int32), Order(task.parts, task.row)
    for sources, targets, _ in task.batches(order):
        kernels.add_degrees(sources, targets, degrees)
    return Counted(degrees, order.seen)


def count_weights(num_vertices: int, task: Task) -> Counted:
    """What the edges of the task at each vertex count by their weights."""
    order = Order(task.parts, task.row)
    return Counted(tally(num_vertices, task.batches(order, weighted=True)), order.seen)


def count_weights_into(num_vertices: int, vertices: Int64s, task: Task) -> Float64s:
    """(n): the weights of the edges of the task between each vertex and ``vertices``."""
    return sum_into(num_vertices, vertices, task.batches(weighted=True))


def keep_edges(num_vertices: int, vertices: Int64s, both: bool, weighted: bool, task: Task) -> Edges:
    """The edges of the task between two of ``vertices``, or at one of them, and their weights if wanted."""
    batches = task.batches(weighted=weighted)
    return kept(num_vertices, vertices, batches, kernels.edges_between if both else kernels.edges_at)


def _add_values(task: Task, values: Float64s) -> Float64s:
    sums = np.zeros_like(values)
    for sources, targets, _ in task.batches():
        kernels.add_products(sources, targets, values, sums)
    return sums


def _add(first: Any, second: Any) -> Any:
    return first + second


def _allow_failures(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = max(dask_scheduler.allowed_failures, _FAILURES)
