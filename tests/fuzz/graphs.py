"""Graph files in every format and compression, damaged before or after they are compressed."""

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lense.errors import LenseError
from lense.graph import Graph, read_graph, write_graph
from lense.graph.formats.streams import writing
from lense.graph.structure import first_one_way_arc
from tests.fuzz.mutations import Rng, changed_json, damaged, json_text

SUFFIXES = (".txt", ".csv", ".mtx", ".npz", ".parquet")
COMPRESSED = (".gz", ".xz", ".bz2", ".zst")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {"directed": True},
    {"directed": False},
    {"weights": True},
    {"weights": False},
    {"ids": "str"},
    {"ids": "int"},
    {"keep_duplicates": True, "keep_self_loops": True},
    {"keep_duplicates": False, "keep_self_loops": False},
    {"columns": "1,2"},
    {"columns": "source,target"},
    {"columns": "9" * 5000 + ",2"},
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
    data = _made(suffix, rng)
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


def _made(suffix: str, rng: Rng) -> bytes:
    good = seeds(suffix)
    data = good[rng.integers(len(good))]
    if rng.random() < 0.5 and (special := {".npz": _changed_npz, ".parquet": _changed_parquet}.get(suffix)):
        return special(rng)
    return damaged(data, rng, good)


def _changed_npz(rng: Rng) -> bytes:
    """Whole arrays in a whole archive, but arrays that are no graph."""
    graph = sample_graphs()[rng.integers(5)]
    header: Any = {"format": "lense-graph", "version": 1, "directed": graph.directed}
    if rng.random() < 0.3:
        header = changed_json(header, rng)
    arrays: dict[str, Any] = {"indptr": graph.indptr, "indices": graph.indices, "labels": graph.labels}
    if graph.weights is not None:
        arrays["weights"] = graph.weights
    name = list(arrays)[rng.integers(len(arrays))]
    arrays[name] = _changed_array(arrays[name].copy(), rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED if rng.random() < 0.95 else zipfile.ZIP_DEFLATED) as archive:
        for key, array in {"header": np.array(json_text(header, rng).decode(errors="replace")), **arrays}.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)
            archive.writestr(f"{key}.npy", member.getvalue())
    return out.getvalue()


def _changed_array(array: Any, rng: Rng) -> Any:
    if array.dtype.kind == "U" and rng.random() < 0.3:
        array.view(np.uint32)[rng.integers(array.size)] = rng.choice(np.array([0xD800, 0x110000, 0], np.uint32))
        return array
    way = rng.integers(6)
    if way == 0:
        array[rng.integers(array.size)] = array[rng.integers(array.size)]
    elif way == 1:
        array = array[: rng.integers(array.size + 1)]
    elif way == 2 and array.dtype.kind != "U":
        array = array.astype([np.int8, np.float64, np.uint64, np.int64][rng.integers(4)])
    elif way == 3 and array.dtype.kind in "iu":
        array[rng.integers(array.size)] = rng.integers(-3, 100)
    elif way == 4 and array.dtype.kind == "f":
        array[rng.integers(array.size)] = rng.choice([np.nan, np.inf, -1, 0, 1e30])
    else:
        array = np.concatenate([array, array])
    return array


def _changed_parquet(rng: Rng) -> bytes:
    """A whole Parquet file with other columns or metadata."""
    import pyarrow as pa
    from pyarrow import parquet

    length = int(rng.integers(0, 5))
    kinds: tuple[Callable[[], Any], ...] = (
        lambda: pa.array(rng.integers(0, 9, length)),
        lambda: pa.array(rng.integers(-9, 9, length), pa.int8()),
        lambda: pa.array([f"v{i}" for i in range(length)]),
        lambda: pa.array([f"v{i % 2}" for i in range(length)]).dictionary_encode(),
        lambda: pa.array([None] * length, pa.string()),
        lambda: pa.array(rng.random(length)),
        lambda: pa.array([[1]] * length),
        lambda: pa.array(["x" * 300] * length),
        lambda: pa.array([b"\xff"] * length),
        lambda: pa.array([2**63 + i for i in range(length)], pa.uint64()),
    )
    names = [["source", "target"], ["source", "target", "weight"], ["a", "b", "c"], ["source", "source"], ["x"]]
    chosen = names[rng.integers(len(names))]
    columns = [kinds[int(rng.integers(len(kinds)))]() for _ in chosen]
    if rng.random() < 0.5 and len(columns) > 1:
        columns[1] = columns[0]
    about = changed_json({"directed": False, "isolated": [7, 8] if rng.random() < 0.5 else ["a", "b"]}, rng)
    table = pa.table(columns, schema=pa.schema([(n, c.type) for n, c in zip(chosen, columns, strict=True)]))
    out = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata({"lense": json_text(about, rng)}), out)
    data = out.getvalue()
    return damaged(data, rng) if rng.random() < 0.1 else data


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
