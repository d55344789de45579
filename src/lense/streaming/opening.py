"""Decide whether a graph stays on disk, and who makes the passes over it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lense.errors import LenseError, choose
from lense.graph.scan import Scan, can_be_scanned, scan
from lense.streaming.engine import Engine
from lense.streaming.room import Room


def scan_if_needed(
    graph: str, reading: Mapping[str, Any], stream: bool | None = None, memory_limit: int | None = None
) -> Scan | None:
    """Return a scan of the graph if it is to stay on disk; None if it is to be read into memory.

    ``stream`` forces either; by default a graph stays on disk where it would not fit into memory. ``reading`` are the
    options of :func:`lense.open_graph`: a scan takes only some of them.
    """
    if stream is False or (stream is None and not can_be_scanned(graph)):
        if memory_limit is not None:
            raise LenseError(
                "--memory-limit is for graphs that can stay on disk: a Parquet file, a folder of them, or an .npz."
            )
        return None
    if stream is None and memory_limit is None and is_mapped(graph):
        return None  # mapped arrays need not fit
    options = _scan_options(reading, stream is True)
    if options is None:
        return None
    found = scan(graph, **options)
    if stream is None and Room.of(memory_limit).holds_whole(found.num_rows):
        return None
    return found


def is_mapped(graph: str) -> bool:
    """Whether the arrays of a graph file are mapped into memory, so that they need not fit."""
    return Path(graph).suffix.lower() == ".npz"


@contextmanager
def open_engine(engine: str, scheduler: str | None, scan: Scan | None) -> Iterator[Engine | None]:
    """Yield what makes the passes over ``scan``; None leaves them to this process."""
    choose(engine, dict.fromkeys(("local", "dask")), "engine")
    if engine == "local":
        if scheduler is not None:
            raise LenseError("--scheduler is for --engine dask.")
        yield None
        return
    if scan is None:
        raise LenseError("--engine dask is for graphs that stay on disk: add --stream.")
    from lense.streaming.on_dask import DaskEngine

    with DaskEngine(scheduler) as opened:
        yield opened


def _scan_options(reading: Mapping[str, Any], asked: bool) -> dict[str, Any] | None:
    """The options of ``scan``; where others were given, an error, or None if a stream was not asked for."""
    given = {name: value for name, value in reading.items() if (name, value) != ("ids", "auto")}
    known = {name: given.pop(name, None) for name in ("columns", "weights")}
    if not given:
        return {name: value for name, value in known.items() if value is not None}
    if asked:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise LenseError(
            f"A stream takes the graph as it was written: leave out {names}, or use 'lense graph convert'."
        )
    return None
