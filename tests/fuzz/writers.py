"""Graph files written by the libraries of others, then broken in their meaning."""

import bz2
import contextlib
import gzip
import io
import json
import lzma
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pyarrow as pa
import zstandard
from pyarrow import csv, parquet
from scipy import sparse
from scipy.io import mmwrite

from lense.graph import Graph, write_graph
from tests.fuzz.mutations import changed_json
from tests.fuzz.parsers import Dialect
from tests.fuzz.values import COUNTS, UNSAFE_NAMES, Rng, odd_id, odd_text, odd_weight, one
from tests.streaming.graphs import write_graph_as_parts

_VALID, _BOMBS = 0.15, 0.01
_COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lambda data: lzma.compress(data, preset=1),
    ".bz2": bz2.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
_MOST_TRIES = 20
_UNWRITABLE = (
    *(TypeError, ValueError, LookupError, OverflowError, MemoryError),
    *(nx.NetworkXException, pa.ArrowException, igraph.InternalError, SystemError),
)
"""What libraries raise for what they cannot write; LenseError is a ValueError."""
_WORD = re.compile(r"[^\s<>\"=,;\[\]]+")
_NUMBER = re.compile(r"\b\d+\b")
_LINES = ("\n", "# x\n", "% x\n", "x\n")
_LINES_OF = {".mtx": (*_LINES, "1 2 3 4\n", '% lense labels: ["a", "a"]\n')}
"""Lines that are put in."""


@dataclass
class Edges:
    """What is written: the ends and weights of edges in their order, and vertices without an edge."""

    directed: bool
    sources: list[Any]
    targets: list[Any]
    weights: list[Any] | None
    isolated: list[Any]
    is_valid: bool = True

    def ids(self) -> list[Any]:
        return sorted({*self.sources, *self.targets, *self.isolated})

    def graph(self) -> Graph:
        number = {vertex: i for i, vertex in enumerate(self.ids())}
        sources, targets = ([number[vertex] for vertex in column] for column in (self.sources, self.targets))
        labels, weights = np.array(self.ids()), None if self.weights is None else np.array(self.weights, np.float32)
        if weights is not None and weights.ndim != 1:
            raise ValueError("weights that are no numbers")
        return Graph.from_edges(sources, targets, weights, directed=self.directed, labels=labels)


@dataclass(frozen=True)
class Made:
    """A file, how its text is to be understood if it is an edge list, and whether it must be accepted.

    A bomb is too long for the other parser. The parts of ``original`` were changed in a way that lense can know: where
    they are accepted, the graph is the same.
    """

    path: Path
    dialect: Dialect | None = None
    is_valid: bool = False
    is_bomb: bool = False
    original: Graph | None = None


def edges(rng: Rng) -> Edges:
    """A small random graph, with repeated edges and self-loops at times."""
    n, m = int(rng.integers(2, 12)), int(rng.integers(1, 25))
    kinds: tuple[list[Any], ...] = (
        list(range(n + 2)),
        rng.choice(2**40, n + 2, replace=False).tolist(),
        [f"v{i}" for i in range(n + 2)],
        [f"n{'é' * (i % 2)}{i}" for i in range(n + 2)],
    )
    ids = one(kinds, rng)
    ends = rng.integers(0, n, (m, 2))
    weights: list[Any] | None = None
    if rng.random() < 0.5:
        weights = rng.integers(1, 9, m).tolist() if rng.random() < 0.5 else rng.random(m).round(4).tolist()
    sources, targets = ([ids[i] for i in ends[:, side]] for side in (0, 1))
    return Edges(bool(rng.integers(2)), sources, targets, weights, ids[n:] if rng.random() < 0.4 else [])


def broken(given: Edges, rng: Rng) -> None:
    """Change what edges mean: one id, a whole column, a weight, the vertices without an edge."""
    given.is_valid = False
    ends = given.sources if rng.random() < 0.5 else given.targets
    at = int(rng.integers(len(ends)))
    match int(rng.integers(7)):
        case 0 | 1:
            old, new = ends[at], odd_id(rng)
            for column in (given.sources, given.targets) if rng.random() < 0.5 else (ends,):
                column[:] = [new if value == old else value for value in column]
        case 2:
            kind: Any = one(
                (str, float, lambda _: None, lambda value: f"{value} ", lambda value: str(value).encode()), rng
            )
            ends[:] = [kind(value) if isinstance(value, int) or kind is not float else value for value in ends]
        case 3 | 4:
            weights = given.weights = given.weights or [1] * len(ends)
            weights[at] = odd_weight(rng)
        case 5:
            given.isolated.append(one((ends[at], odd_id(rng)), rng))
        case 6:
            ends[:] = ends[::-1]


def _network(given: Edges, rng: Rng) -> Any:
    """A graph of networkx, with attributes that have names of fields."""
    theirs = (nx.DiGraph if given.directed else nx.Graph)()
    for number, vertex in enumerate([*given.sources, *given.targets, *given.isolated]):
        theirs.add_node(vertex)
        if not given.is_valid and rng.random() < 0.05:
            name = one(("id", "label", "name", "weight", "source"), rng)
            theirs.nodes[vertex][name] = one((number, "same", odd_text(rng)), rng)
    weights = given.weights or [None] * len(given.sources)
    for u, v, weight in zip(given.sources, given.targets, weights, strict=True):
        if not theirs.has_edge(u, v):
            theirs.add_edge(u, v, **({} if weight is None else {"weight": weight}))
    return theirs


def _by_igraph(given: Edges, rng: Rng) -> bytes:
    path = Path("by-igraph")  # in the folder of the case
    weights = None if given.weights is None else "weight"
    igraph.Graph.from_networkx(_network(given, rng)).write_ncol(str(path), names="_nx_name", weights=weights)
    return path.read_bytes()


def _matrix(given: Edges, rng: Rng) -> bytes:
    ids = given.ids()
    number = {vertex: i for i, vertex in enumerate(ids)}
    rows, columns = ([number[vertex] for vertex in ends] for ends in (given.sources, given.targets))
    values = np.array(given.weights or [1] * len(rows))
    matrix = sparse.coo_array((values, (rows, columns)), shape=(len(ids), len(ids))).tocsr()
    out, labels = io.BytesIO(), "" if rng.random() < 0.5 else f"lense labels: {json.dumps(ids)}"
    matrix = matrix if given.directed else matrix + matrix.T
    mmwrite(
        out,
        matrix,
        comment=labels,
        field="pattern" if given.weights is None else None,
        symmetry="general" if given.directed else "symmetric",
    )
    return out.getvalue()


def _recurs(given: Edges) -> bool:
    """Whether both names of the first edge come again, so that they cannot be taken for those of columns."""
    rest, ends = [*given.sources[1:], *given.targets[1:]], (given.sources[0], given.targets[0])
    return all(type(end) is int or (re.fullmatch(r"\w+", str(end)) and end in rest) for end in ends)


def _edge_list(given: Edges, rng: Rng) -> tuple[bytes, Dialect, str]:
    """By pyarrow with names, else by networkx or igraph, with a header as SNAP or KONECT write it."""
    if rng.random() < 0.5 or not _recurs(given):
        names = list(one((("source", "target"), ("From", "To"), ("src", "dst"), ("buyer", "seller")), rng))
        columns = {names[0]: _array(given.sources), names[1]: _array(given.targets)}
        columns |= {} if given.weights is None else {"weight": _array(given.weights)}
        if given.directed and names[0] != "buyer":  # of columns with unknown names lense asks which to read
            columns["type"] = ["Directed"] * len(given.sources)
        separator = one((",", ";", "\t"), rng)
        out = pa.BufferOutputStream()
        csv.write_csv(pa.table(columns), out, csv.WriteOptions(delimiter=separator, quoting_style="needed"))
        return out.getvalue().to_pybytes(), Dialect(separator, header=True), ".csv"
    head = one(("# {} graph\n# Nodes: {} Edges: {}\n", "% {}\n% {} {}\n"), rng)
    kind = ("Directed" if given.directed else "Undirected") if head[0] == "#" else "asym" if given.directed else "sym"
    text = head.format(kind, len({*given.sources, *given.targets}), len(given.sources))
    if given.isolated:
        text += f"# Isolated: {' '.join(map(str, given.isolated))}\n"
    if rng.random() < 0.3:
        return text.encode() + _by_igraph(given, rng), Dialect(), ".txt"
    data = False if given.weights is None else ["weight"]
    body = io.BytesIO()
    nx.write_edgelist(_network(given, rng), body, delimiter=one((" ", "\t", ","), rng), data=data)
    return text.encode() + body.getvalue(), Dialect(), one((".txt", ".edges", ".tsv", ".csv"), rng)


def _text(folder: Path, given: Edges, rng: Rng, suffix: str) -> Made:
    """A text file, its words and lines changed unless it is to be valid, and perhaps compressed."""
    dialect = None
    if suffix == ".txt":
        data, dialect, suffix = _edge_list(given, rng)
    else:
        data = _matrix(given, rng)
    if not given.is_valid and rng.random() < 0.7:
        data = _changed_text(data, rng, suffix, is_list=dialect is not None)
    is_bomb, ending = rng.random() < _BOMBS, one(tuple(_COMPRESS), rng)
    if is_bomb:
        many = one((b"% x\n", b"#\n", b"\n", b" "), rng) * (1 << 18)
        data = _COMPRESS[ending](many) * int(10 ** rng.uniform(0, 2.3)) + _COMPRESS[ending](data)
        suffix, given.is_valid = suffix + ending, False
    elif rng.random() < 0.3 or len(data) > 100_000:
        suffix, data = suffix + ending, _COMPRESS[ending](data)
    path = folder / f"graph{suffix}"
    path.write_bytes(data)
    return Made(path, dialect, given.is_valid, is_bomb)


def _changed_text(data: bytes, rng: Rng, suffix: str, *, is_list: bool) -> bytes:
    """Other words, numbers, lines or letters; the first edge of a list or its names of columns stay as they are."""
    text, added = data.decode(), _LINES_OF.get(suffix, _LINES)
    first = next(re.finditer(r"^[^#%\n].*\n", text, re.MULTILINE), None) if is_list else None
    before, kept, after = (text[: first.start()], first[0], text[first.end() :]) if first else ("", "", text)
    for _ in range(int(rng.integers(1, 3))):
        if before and rng.random() < 0.3:
            before = (
                re.sub(r"^(?![#%])", "# ", changed_lines(before, rng, added).rstrip("\n"), flags=re.MULTILINE) + "\n"
            )
        else:
            after = changed_lines(after, rng, added)
    encoding = one(("latin-1", "utf-16", "utf-8-sig"), rng) if rng.random() < 0.1 else "utf-8"
    return (before + kept + after).encode(encoding, errors="replace")


def changed_lines(text: str, rng: Rng, added: Sequence[str] = _LINES) -> str:
    """Another word, or a line that is missing, new, twice or in another place."""
    lines = text.splitlines(keepends=True) or [""]
    at, other = rng.integers(len(lines), size=2).tolist()
    match int(rng.integers(7)):
        case 0 | 1 | 2:
            found = list((_NUMBER if rng.random() < 0.6 else _WORD).finditer(text))
            if not found:
                return text
            word = one(found, rng)
            near = int(word[0]) + one((1, -1, 1000, -1000), rng) if word[0].isdecimal() else odd_text(rng)
            new = one((odd_text(rng), str(near), word[0] + one(UNSAFE_NAMES, rng), one(found, rng)[0]), rng)
            if added is _LINES and not new.strip():
                new = "x"  # parsers disagree on blanks between blanks
            return text[: word.start()] + new + text[word.end() :]
        case 3:
            del lines[at]
        case 4:
            lines.insert(other, lines[at])
        case 5:
            lines[at], lines[other] = lines[other], lines[at]
        case 6:
            lines.insert(at, one(added, rng))
    return "".join(lines)


def _npz(folder: Path, given: Edges, rng: Rng) -> Made:
    """As lense writes it or by numpy, or a sparse matrix by scipy, which is not a graph of lense."""
    path = folder / "graph.npz"
    graph = given.graph()
    if given.is_valid:
        write_graph(graph, path)
        return Made(path, is_valid=True)
    if rng.random() < 0.1:
        values = np.ones(graph.indices.size) if graph.weights is None else graph.weights
        sparse.save_npz(path, sparse.csr_array((values, graph.indices, graph.indptr)), compressed=False)
        return Made(path)
    header: Any = {"format": "lense-graph", "version": 1, "directed": bool(rng.integers(2))}
    header = changed_json(header, rng) if rng.random() < 0.1 else header
    arrays: dict[str, Any] = {"indptr": graph.indptr, "indices": graph.indices, "labels": graph.labels}
    arrays |= {} if graph.weights is None else {"weights": graph.weights}
    name = one(tuple(arrays), rng)
    with np.errstate(invalid="ignore"):
        arrays[name] = _changed_array(arrays[name].copy(), rng)
    with open(path, "wb") as file:
        np.savez(file, header=np.array(json.dumps(header)), **arrays)
    return Made(path)


def _changed_array(array: Any, rng: Rng) -> Any:
    """Other numbers, text that is none, another type, order or size."""
    at, is_text = rng.integers(array.size), array.dtype.kind == "U"
    match int(rng.integers(6)):
        case 0 if is_text:
            array.view(np.uint32)[rng.integers(array.view(np.uint32).size)] = one((0xD800, 0x110000, 0), rng)
        case 0 | 1:
            array[at] = one((0, -1, array.size, array[0], 2**31 - 1), rng)
        case 2 if array.dtype.kind == "f":
            array[at] = one((np.nan, np.inf, 1e30), rng)
        case 2 | 3 if not is_text:
            return array.astype(one((np.int8, np.float64, np.uint64, np.int64), rng))
        case 4:
            return one((array[:at], np.concatenate([array, array]), array.reshape(1, -1)), rng)
        case _:
            return rng.permutation(array)
    return array


def _array(values: list[Any], kind: Any = None) -> Any:
    """An array of pyarrow, of the type if it can hold the values, else of their own, else of text."""
    for wanted in (kind, None):
        with contextlib.suppress(pa.ArrowException, TypeError, ValueError, OverflowError):
            return pa.array(values, wanted)
    return pa.array([None if value is None else str(value) for value in values])


def _column(values: list[Any], rng: Rng, valid: bool) -> Any:
    """An array of pyarrow: of the type of the values, of one that holds them as well, or of another."""
    types = [pa.int64(), pa.int32(), pa.uint64(), pa.string(), pa.large_string()]
    if not valid:
        types += [pa.float64(), pa.decimal128(9, 2), pa.timestamp("s"), pa.bool_(), pa.binary(), pa.string_view()]
        types += [pa.date32(), pa.list_(pa.int64()), pa.float16(), pa.int8(), pa.null()]
        values = [str(value) for value in values] if rng.random() < 0.1 else values
    array = _array(values, None if rng.random() < 0.5 else one(types, rng))
    return array.dictionary_encode() if rng.random() < 0.15 and not pa.types.is_nested(array.type) else array


def _parquet(folder: Path, given: Edges, rng: Rng) -> Made:
    """One file, or a folder of parts, by pyarrow."""
    names = one((("source", "target"), ("Src", "Dst"), ("u", "v"), ("a", "b")), rng)
    about = {"directed": given.directed, "isolated": given.isolated}
    for _ in range(0 if given.is_valid else int(rng.integers(3))):
        _change_about(about, rng)
    is_noted = given.directed or given.isolated or not given.is_valid
    metadata = {"lense": json.dumps(about, default=str)} if is_noted else {}
    columns = [_column(ends, rng, given.is_valid) for ends in (given.sources, given.targets)]
    if given.is_valid and columns[0].type != columns[1].type:
        columns = [pa.array(ends) for ends in (given.sources, given.targets)]
    if given.weights is not None:
        columns.append(_array(given.weights) if given.is_valid else _column(given.weights, rng, valid=False))
    table = pa.table(dict(zip([*names, "weight"], columns, strict=False))).replace_schema_metadata(metadata)
    if not given.is_valid and rng.random() < 0.05:
        bad = {"lense": metadata.get("lense", "{}").encode() + one((b"\xff", b" ", b"\0", b"[" * 5000), rng)}
        table = table.replace_schema_metadata(bad)
    path, count = folder / "graph.parquet", int(rng.integers(1, 4))
    if rng.random() < 0.7:
        parquet.write_table(table, path, row_group_size=int(rng.integers(1, 30)))
        return Made(path, is_valid=given.is_valid)
    path = folder / "parts"
    path.mkdir()
    for number in range(count):
        start, stop = (at * table.num_rows // count for at in (number, number + 1))
        rows = table.slice(start, stop - start)
        if not given.is_valid and rng.random() < 0.1:
            rows = rows.cast(pa.schema([(name, pa.string()) for name in rows.column_names], metadata), safe=False)
        parquet.write_table(rows, path / f"part-{number}.parquet")
    return Made(path)


def _change_about(about: dict[str, Any], rng: Rng) -> None:
    """Other metadata of lense in the footer."""
    name = one(("vertices", "vertices", "simple", "directed", "isolated", "labels", "format"), rng)
    values: dict[str, tuple[Any, ...]] = {
        "vertices": (*COUNTS, 5, 20, 1.0, "5", True, None),
        "simple": (True, True, False, 1, "true"),
        "labels": ("_labels.parquet", "graph.parquet", "../outside.parquet", "", "x", 1),
        "isolated": (
            *([value] for value in (2**70, -1, 2**63, None, 1.5, "é", True, [1])),
            ["a\0", "a"],
            [7, 7],
            "abc",
        ),
    }
    about[name] = one(values.get(name, (True, False, None, 1, "directed", [])), rng)


def _folder(folder: Path, given: Edges, rng: Rng) -> Made:
    """A folder that lense wrote: a part missing or twice, ids that are not ids, metadata that differ."""
    graph = given.graph()
    path = folder / "parts"
    write_graph_as_parts(graph, path, part=int(rng.integers(1, 9)))
    parts, labels = sorted(path.glob("part-*.parquet")), path / "_labels.parquet"
    if given.is_valid:
        return Made(path, is_valid=True)
    match int(rng.integers(5)):
        case 0:
            parts[int(rng.integers(len(parts)))].unlink()
        case 1:
            shutil.copy(one(parts, rng), path / one(("part-99999.parquet", "part-0.parquet", "x.parquet"), rng))
        case 2 if labels.exists():
            values = parquet.read_table(labels).column(0).to_pylist()
            values[int(rng.integers(len(values)))] = one((odd_id(rng), values[0], None), rng)
            values = values if rng.random() < 0.8 else values[1:]
            parquet.write_table(pa.table({"id": _column(values, rng, valid=False)}), labels)
            return Made(path)
        case 3:
            write_graph_as_parts(graph, folder / "other", part=1)
            shutil.copy(one(sorted((folder / "other").glob("part-*")), rng), parts[0])
        case _:
            table = parquet.read_table(parts[0])
            about = json.loads(table.schema.metadata[b"lense"])
            _change_about(about, rng)
            parquet.write_table(table.replace_schema_metadata({"lense": json.dumps(about)}), parts[0])
            return Made(path)
    return Made(path, original=graph)


WRITERS: dict[str, tuple[float, Callable[[Path, Edges, Rng], Made]]] = {
    "parquet": (0.3, _parquet),
    "folder": (0.12, _folder),
    "npz": (0.06, _npz),
    ".txt": (0.3, lambda folder, given, rng: _text(folder, given, rng, ".txt")),
    ".mtx": (0.14, lambda folder, given, rng: _text(folder, given, rng, ".mtx")),
}


def make_case(folder: Path, rng: Rng) -> Made:
    """A file in one of the formats; what a library cannot write is tried again with other edges."""
    names, shares = list(WRITERS), [share for share, _ in WRITERS.values()]
    kind = str(rng.choice(names, p=np.array(shares) / sum(shares)))
    is_valid = rng.random() < _VALID
    for _ in range(_MOST_TRIES):
        given = edges(rng)
        given.is_valid = is_valid
        if not is_valid and kind not in ("npz", "folder") and rng.random() < 2 * _BOMBS:  # those hold arrays anyway
            given.isolated = [f"{given.sources[0]}{i}" for i in range(3000)]
            given.sources = ["x" * 50_000, *map(str, given.sources[1:])]
            given.targets = [*map(str, given.targets)]
        elif not is_valid and rng.random() < 0.6:
            broken(given, rng)
        with contextlib.suppress(*_UNWRITABLE):
            return WRITERS[kind][1](folder, given, rng)
        shutil.rmtree(folder / "parts", ignore_errors=True)
    return WRITERS[kind][1](folder, edges(rng), rng)
