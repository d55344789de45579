"""Broken graph files: lense in memory, lense in a stream and another parser give one graph, or lense a sentence."""

import contextlib
import os
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from lense.errors import LenseError
from lense.graph import Graph, read_graph, scan
from lense.graph.formats.options import ReadOptions
from lense.streaming.converting import convert_streamed
from tests.fuzz import parsers
from tests.fuzz.graphs import check_sound
from tests.fuzz.harness import wrong_with
from tests.fuzz.outside import nothing_outside
from tests.fuzz.parsers import Known
from tests.fuzz.values import Rng, one
from tests.fuzz.writers import WRITERS, Made, edges, make_case

_OPTIONS: tuple[dict[str, Any], ...] = (
    *({}, {}, {}, {}, {}),
    *({}, {"directed": True}, {"directed": False}, {"weights": False}, {"ids": "str"}),
)
_ONLY_IN_MEMORY = re.compile(r"graph convert|stream=False|write \.npz")
"""Why a stream may reject a file that memory takes: edges that are not sorted or are repeated, ids not for Parquet."""


def run_case(folder: Path, rng: Rng) -> None:
    """Read the file in memory, in a stream and by another parser: all give the same graph, or lense a sentence."""
    os.chdir(folder)
    made, options = make_case(folder, rng), dict(one(_OPTIONS, rng))
    try:
        compare(made, options, folder)
    except Exception as error:
        error.add_note(f"{made.path.name} {options or ''}")
        raise


def compare(made: Made, options: dict[str, Any], folder: Path) -> None:
    is_scanned = not options and made.path.suffix in (".parquet", ".npz", "")
    with nothing_outside(folder, processes=True):
        memory = _attempt(lambda: read_graph(made.path, **options))
        streams = [_attempt(lambda: _converted(made.path, folder / "streamed", options))]
        streams += [_attempt(lambda: _scanned(made.path))] if is_scanned else []
    if isinstance(memory, Known) and not made.is_bomb:
        expected = parsers.read(made.path, made.dialect, **options)
        if made.original is not None:
            expected = [parsers.known(_listed(made.original), **options)]
        assert memory in expected, f"another graph than in the file: {_difference(memory, expected[0])}"
    assert isinstance(memory, Known) or not made.is_valid, f"a valid file is rejected: {memory}"
    for stream in streams:
        if isinstance(memory, Known) and isinstance(stream, Known):
            assert stream == memory, f"another graph in a stream: {_difference(stream, memory)}"
        elif isinstance(memory, Known) or isinstance(stream, Known):
            assert _ONLY_IN_MEMORY.search(str(stream)), f"in memory: {memory!s:.200}; streamed: {stream!s:.200}"
    if isinstance(memory, LenseError):
        raise memory


def _attempt(read: Callable[[], Graph]) -> Known | LenseError:
    try:
        graph = read()
    except LenseError as error:
        if wrong := wrong_with(error):
            raise AssertionError(wrong) from error
        return error
    check_sound(graph)
    return parsers.known(_listed(graph))


def _listed(graph: Graph) -> parsers.Listed:
    sources, targets, weights = graph.edges()
    labels = graph.labels.tolist()
    values = [None] * sources.size if weights is None else weights.tolist()
    ends = zip(sources.tolist(), targets.tolist(), values, strict=True)
    return graph.directed, labels, [(labels[u], labels[v], weight) for u, v, weight in ends]


def _converted(path: Path, target: Path, options: dict[str, Any]) -> Graph:
    """By way of a folder of sorted parts; nothing is left of one that could not be written."""
    try:
        convert_streamed(str(path), target, ReadOptions(**options))
    except LenseError:
        assert not target.exists(), "a folder is half written"
        raise
    return _scanned(target)


def _scanned(path: Path) -> Graph:
    """The graph of a stream, whose sizes must be those that the stream announces."""
    streamed = scan(path)
    sizes = streamed.num_vertices, streamed.num_edges
    graph = streamed.read()
    assert streamed.ids == ("integers" if graph.labels.dtype.kind in "iu" else "strings")
    assert sizes == (graph.num_vertices, graph.num_edges), f"{sizes} announced, but {graph}"
    return graph


def _difference(found: Known, expected: Known | str) -> str:
    if isinstance(expected, str):
        return f"{len(found.vertices)} vertices, where there are none ({expected:.100})"
    if found.directed != expected.directed:
        return f"{found.directed=}"
    parts = (found.vertices, expected.vertices), (found.edges.items(), expected.edges.items())
    return "; ".join(f"{set(a - b)!s:.150}, not {set(b - a)!s:.150}" for a, b in parts if a != b)


def warm_up(folder: Path) -> None:
    """Compile what valid files need, before processes are forked."""
    rng = np.random.default_rng(0)
    for number, (write, options, _) in enumerate(product(WRITERS.values(), _OPTIONS[-5:], range(8))):
        case = folder / str(number)
        case.mkdir()
        os.chdir(case)
        with contextlib.suppress(Exception):  # the cases say what is wrong
            compare(write[1](case, edges(rng), rng), options, case)
