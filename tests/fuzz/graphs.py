"""Graph files in every format and compression, damaged before or after they are compressed."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lense.errors import LenseError
from lense.graph import Graph, read_graph, write_graph
from lense.graph.formats.streams import writing
from lense.graph.structure import first_one_way_arc
from tests.fuzz.mutations import damaged
from tests.fuzz.values import Rng

SUFFIXES = (".txt", ".csv", ".mtx", ".npz", ".parquet")
COMPRESSED = (".gz", ".xz", ".bz2", ".zst")
OPTIONS: tuple[dict[str, Any], ...] = (
    *({}, {}, {}, {"directed": True}, {"directed": False}, {"weights": True}, {"weights": False}),
    *({"ids": "str"}, {"ids": "int"}, {"keep_duplicates": True, "keep_self_loops": True}),
    {"keep_duplicates": False, "keep_self_loops": False},
    *({"columns": "1,2"}, {"columns": "source,target"}, {"columns": "9" * 5000 + ",2"}),
)


def sample_graphs() -> list[Graph]:
    rng = np.random.default_rng(0)
    u, v, w = rng.integers(0, 9, 25), rng.integers(0, 9, 25), rng.random(25).astype(np.float32)
    names = np.array([f"v{i}" for i in range(10)])
    numbers = np.arange(10) * 37 + 5
    return [
        Graph.from_edges(u, v, num_vertices=10),
        Graph.from_edges(u, v, directed=True, num_vertices=10, labels=numbers),
        Graph.from_edges(u, v, np.floor(9 * w) + 1, num_vertices=10, labels=numbers),
        Graph.from_edges(u, v, w, directed=True, labels=names, keep_duplicates=True, keep_self_loops=True),
        Graph.from_edges(u, v, labels=names),
    ]


@cache
def seeds(suffix: str) -> tuple[bytes, ...]:
    """Good files of a format."""
    made = []
    with TemporaryDirectory() as folder:
        for graph in sample_graphs():
            path = Path(folder) / f"graph{suffix}"
            write_graph(graph, path)
            made.append(path.read_bytes())
    return tuple(made)


def make_case(folder: Path, rng: Rng) -> tuple[Path, dict[str, Any]]:
    """A damaged file, and options to read it with."""
    suffix = SUFFIXES[rng.integers(len(SUFFIXES))]
    good = seeds(suffix)
    data = damaged(good[rng.integers(len(good))], rng, good)
    options = OPTIONS[rng.integers(len(OPTIONS))]
    if suffix in (".npz", ".parquet") or rng.random() < 0.5:
        path = folder / f"graph{suffix}"
        path.write_bytes(data)
        return path, options
    path = folder / f"graph{suffix}{COMPRESSED[rng.integers(len(COMPRESSED))]}"
    with writing(path) as file:
        file.write(data)
    if rng.random() < 0.5:
        path.write_bytes(damaged(path.read_bytes(), rng))
    return path, options


def run_case(folder: Path, rng: Rng) -> None:
    """Read it; what is read must be a graph."""
    path, options = make_case(folder, rng)
    check_sound(read_graph(path, **options))


def check_sound(graph: Graph) -> None:
    """Raise AssertionError unless the arrays of a graph are what they should be."""
    n = graph.num_vertices
    assert graph.indptr[0] == 0
    assert graph.indptr[-1] == graph.indices.size
    assert (np.diff(graph.indptr) >= 0).all()
    assert graph.indices.size == 0 or 0 <= graph.indices.min() <= graph.indices.max() < n
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    keys = rows * max(n, 1) + graph.indices
    assert (np.diff(keys) >= 0).all(), "rows are not sorted"
    assert graph.weights is None or np.isfinite(graph.weights).all(), "weights are not finite"
    assert np.unique(graph.labels).size == n, "a label occurs twice"
    json.dumps(graph.labels.tolist(), ensure_ascii=False).encode()
    if not graph.directed:
        assert first_one_way_arc(graph.indptr, graph.indices, graph.weights) is None, "an edge leads one way"


def warm_up(folder: Path, choices: Sequence[str] = SUFFIXES) -> None:
    """Read good files, so that what is compiled is there before processes are forked."""
    for suffix in choices:
        for data in seeds(suffix):
            path = folder / f"good{suffix}"
            path.write_bytes(data)
            for options in OPTIONS[:-3]:
                try:
                    check_sound(read_graph(path, **options))
                except LenseError:
                    continue
