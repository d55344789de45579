"""Graph files by parsers that share nothing with lense: slow, strict, and written from the formats' definitions."""

import bz2
import codecs
import gzip
import json
import lzma
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import zstandard
from pyarrow import parquet

_PAIRS = (("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"))
_WEIGHTS = ("weight", "w", "p")
_MOST_VERTICES = 1_200_000
Edge = tuple[Any, Any, Any]
Options = Mapping[str, Any]
"""Those of ``read_graph``."""
Listed = tuple[bool, Iterable[Any], Iterable[Edge]]
"""Whether edges are directed, vertices that need not have an edge, and the edges in the order of the file."""


class NotAGraphError(Exception):
    """A file that has no meaning."""


@dataclass(frozen=True)
class Known:
    """A graph as plain values: the weight of each edge, or None, by its ends."""

    directed: bool
    vertices: frozenset[Any]
    edges: dict[Any, float | None]


@dataclass(frozen=True)
class Dialect:
    """What the writer of an edge list knows of it: the separator, "" for blanks, and whether names come first.

    A ``title`` may be meant as names, but there is no way to know.
    """

    separator: str = ""
    header: bool = False
    title: bool = False


def known(listed: Listed, *, directed: bool | None = None, weights: bool | None = None, ids: str = "auto") -> Known:
    """Without self-loops; of repeated edges the first counts, and a weight that is missing is 1."""
    is_directed = listed[0] if directed is None else directed
    rows = [(u, v, None if weights is False else weight) for u, v, weight in listed[2]]
    vertices = [*listed[1], *(end for row in rows for end in row[:2])]
    called = {one: str(one) if ids == "str" else one for one in vertices}
    is_weighted = any(weight is not None for _, _, weight in rows)
    found: dict[Any, float | None] = {}
    for u, v, weight in rows:
        number = _weight(1 if weight is None else weight) if is_weighted else None
        if u != v:
            ends = called[u], called[v]
            found.setdefault(ends if is_directed else frozenset(ends), number)
    return Known(is_directed, frozenset(called.values()), found)


def _weight(value: Any) -> float:
    if isinstance(value, bool | bytes) or (isinstance(value, str) and "_" in value):
        raise NotAGraphError("a weight that is no number")
    with np.errstate(over="ignore"):
        number = float(np.float32(float(value)))
    if not np.isfinite(number):
        raise NotAGraphError("a weight that is not finite")
    return number


def _same_kind(ids: Iterable[Any]) -> None:
    kinds = {type(one) for one in ids}
    if len(kinds) > 1 or not kinds <= {int, str}:
        raise NotAGraphError(f"ids of the types {kinds}")


def _integers_if_all(ids: Sequence[Any], options: Options) -> dict[Any, Any]:
    """Texts as whole numbers if all are, unless they are to stay text."""
    are_numbers = options.get("ids") != "str" and all(
        re.fullmatch("[0-9]+", str(one)) and int(one) < 2**63 for one in ids
    )
    return {one: int(one) if are_numbers else str(one) for one in ids}


def plain(path: Path) -> bytes:
    """What a file holds, decompressed."""
    data = path.read_bytes()
    match path.suffix:
        case ".gz":
            return gzip.decompress(data)
        case ".xz":
            return lzma.decompress(data)
        case ".bz2":
            return bz2.decompress(data)
        case ".zst":
            return zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    return data


def _decoded(line: bytes) -> str:
    """Ids must be UTF-8; comments may be in any encoding."""
    return line.decode(errors="replace" if line.lstrip().startswith((b"#", b"%")) else "strict")


def read_edge_list(path: Path, options: Options, dialect: Dialect) -> Listed:
    lines = [_decoded(line) for line in plain(path).removeprefix(codecs.BOM_UTF8).split(b"\n")]
    first = next((i for i, line in enumerate(lines) if _is_data(line)), len(lines))
    comments = [line.strip(" \t\r").lstrip("#% \t") for line in lines[:first]]
    said = [re.match(r"(un)?directed graph\b|(a?sym)\b", comment, re.IGNORECASE) for comment in comments]
    directed = next((found[0].lower() in ("directed graph", "asym") for found in said if found), None)
    lists = [comment[9:] for comment in comments if comment.startswith("Isolated:")]
    isolated = [one for text in lists for one in re.findall(r"\S+", text, re.A)]  # ids may hold other blanks
    rows = _rows([line for line in lines[first:] if _is_data(line)], dialect.separator)
    if dialect.title:
        ends = {field for row in rows[1:] for field in row[:2]}
        if len(rows[0]) > 1 and not ends.isdisjoint(rows[0][:2]):
            raise NotAGraphError("what comes again is not a name of a column")
        del rows[0]
    places, kind = (0, 1, 2), None
    if dialect.header:
        names = [name.strip().lower() for name in rows.pop(0)]
        places, kind = _places(names), names.index("type") if "type" in names else None
    edges = []
    for row in rows:
        if len(row) != len(rows[0]):
            raise NotAGraphError("rows of different lengths")
        edges.append((row[places[0]], row[places[1]], row[places[2]] if places[2] < len(row) else None))
    if kind is not None and rows:
        said_so = {row[kind].lower() for row in rows}
        if len(said_so) > 1 and options.get("directed") is None:
            raise NotAGraphError("directed and undirected edges")
        directed = said_so == {"directed"} if directed is None else directed
    new = _integers_if_all([*isolated, *(one for edge in edges for one in edge[:2])], options)
    if dialect.separator == ";":
        edges = [(u, v, w and w.replace(",", ".")) for u, v, w in edges]
    return bool(directed), [new[one] for one in isolated], [(new[u], new[v], w) for u, v, w in edges]


def _is_data(line: str) -> bool:
    return bool(line.strip(" \t\r")) and line.strip(" \t\r")[0] not in "#%"


def _rows(lines: list[str], separator: str) -> list[list[str]]:
    """The fields of lines; without a separator by blanks, or else by the one that gives all as many."""
    if not separator:
        plain_lines = [re.sub(r"(?<=\s)[#%].*", "", line, flags=re.A) for line in lines]
        field = re.compile(r'"((?:[^"]|"")*)"(?=\s|$)|(\S+)', re.A)
        rows = [
            [one[2] if one[1] is None else one[1].replace('""', '"') for one in field.finditer(line)]
            for line in plain_lines
        ]
        others = (_rows(lines, one) for one in "\t," if all(one in line for line in lines))
        even = (found for found in (rows, *others) if len({*map(len, found)}) == 1 and len(found[0]) > 1)
        return next(even, rows)
    field = re.compile(rf' *(?:"((?:[^"]|"")*)" *\r?|((?!")[^{separator}]*))({separator}|$)')
    rows = []
    for line in lines:
        found = list(field.finditer(line + separator))[:-1]
        if "".join(one[0] for one in found) != line + separator:
            raise NotAGraphError("quotes")
        rows.append([one[2].strip(" \t\r") if one[1] is None else one[1].replace('""', '"') for one in found])
    return rows


def _places(names: Sequence[str]) -> tuple[int, int, int]:
    """Where the ends and the weight are, which is beyond the columns if there is none."""
    for pair in _PAIRS:
        if set(pair) <= set(names):
            weight = next((i for i, name in enumerate(names) if name in _WEIGHTS), len(names))
            return names.index(pair[0]), names.index(pair[1]), weight
    weight = next((i for i, name in enumerate(names) if name in _WEIGHTS), 2)
    first, second = [i for i in range(min(len(names), 3)) if i != weight][:2]
    return first, second, weight


def read_matrix_market(path: Path, options: Options) -> Listed:
    lines = plain(path).decode("utf-8-sig", errors="replace").split("\n")
    banner = next(line for line in lines if line.startswith("%%")).lower().split()
    if banner[:3] != ["%%matrixmarket", "matrix", "coordinate"] or banner[4] not in ("general", "symmetric"):
        raise NotAGraphError("another kind of matrix")
    no_data = re.compile(r"\s*(?:[#%]|$)")
    comments = takewhile(no_data.match, lines)
    rows = [line.split() for line in lines if not no_data.match(line)]
    n, columns, entries = map(int, rows[0])
    if n != columns or len(rows) - 1 != entries or n > _MOST_VERTICES:
        raise NotAGraphError("other sizes")
    labels = _labels_in(comments) or list(range(1, n + 1))
    weighted = banner[3] != "pattern"
    edges = []
    for row in rows[1:]:
        u, v = int(row[0]), int(row[1])
        if not (1 <= u <= n and 1 <= v <= n and len(row) == 2 + weighted):
            raise NotAGraphError("an entry outside the matrix")
        u, v = (u, v) if banner[4] == "general" else sorted((u, v))
        edges.append((labels[u - 1], labels[v - 1], row[2] if weighted else None))
    return banner[4] == "general", labels, edges


def _labels_in(comments: Iterable[str]) -> list[Any]:
    texts = [comment.lstrip("% \t") for comment in comments]
    labels = [one for text in texts if text.startswith("lense labels:") for one in json.loads(text[13:])]
    _same_kind(labels)
    if len(set(labels)) < len(labels):
        raise NotAGraphError("a label occurs twice")
    return labels


def read_npz(path: Path, options: Options) -> Listed:
    with np.load(path, allow_pickle=False) as arrays:
        found = {name: arrays[name] for name in arrays.files}
    header = json.loads(str(found["header"]))
    indptr, indices, labels = found["indptr"], found["indices"], found["labels"].tolist()
    _same_kind(labels)
    if header["format"] != "lense-graph" or len(set(labels)) < len(labels) or type(header["directed"]) is not bool:
        raise NotAGraphError("the header or the labels")
    rows = [indices[start:stop].tolist() for start, stop in pairwise(indptr)]
    weights = found["weights"].tolist() if "weights" in found else [None] * indices.size
    ends = [(u, v) for u, row in enumerate(rows) for v in row]
    edges = [(labels[u], labels[v], w) for (u, v), w in zip(ends, weights, strict=True) if header["directed"] or u <= v]
    return header["directed"], labels, edges


def read_parquet(path: Path, options: Options) -> Listed:
    """One file, or all that are in a folder."""
    files = sorted(path.glob("[!_.]*.parquet")) if path.is_dir() else [path]
    tables = [parquet.ParquetFile(file).read() for file in files]
    abouts = [json.loads((table.schema.metadata or {}).get(b"lense", b"{}")) for table in tables]
    about, isolated = abouts[0], [one for about in abouts for one in about.get("isolated", [])]
    edges: list[Edge] = []
    for table in tables:
        places = _places([name.lower() for name in table.column_names])
        sources, targets = (table.column(place).to_pylist() for place in places[:2])
        weights: list[Any] = [None] * table.num_rows
        if places[2] < table.num_columns:
            column = table.column(places[2])
            is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
            weights = (
                [float("nan") if one is None else one for one in column.to_pylist()]
                if is_number
                else ["x"] * len(weights)
            )
        edges += zip(sources, targets, weights, strict=True)
    ids = [one for edge in edges for one in edge[:2]]
    isolated = [] if about.get("vertices") is not None else isolated
    _same_kind(ids + isolated)
    if any(type(one) is int and not 0 <= one < 2**63 for one in ids + isolated):
        raise NotAGraphError("ids outside the range, or none")
    if len({(one.get("directed", False), one.get("vertices"), one.get("labels")) for one in abouts}) > 1:
        raise NotAGraphError("metadata that differ")
    if about.get("vertices") is None:
        return about.get("directed", False), isolated, edges
    labels: Any = range(about["vertices"])
    if about.get("labels") is not None:
        labels = parquet.ParquetFile(files[0].with_name(about["labels"])).read().column(0).to_pylist()
        _same_kind(labels)
    if not len(set(labels)) == len(labels) == about["vertices"] or len(labels) > _MOST_VERTICES:
        raise NotAGraphError("labels that are not those of the vertices")
    return about.get("directed", False), labels, [(labels[u], labels[v], w) for u, v, w in edges]


READERS: dict[str, Callable[[Path, Options], Listed]] = {
    ".mtx": read_matrix_market,
    ".npz": read_npz,
    ".parquet": read_parquet,
    "": read_parquet,
}


def read(path: Path, dialect: Dialect | None, **options: Any) -> list[Known | str]:
    """What a file may mean, or why it means nothing; the options are some of those of ``read_graph``."""
    if dialect is None:
        suffix = path.with_suffix("").suffix if path.suffix in (".gz", ".xz", ".bz2", ".zst") else path.suffix
        readers = [READERS[suffix]]
    else:
        dialects = [dialect, *([] if dialect.header else [replace(dialect, title=True)])]
        readers = [partial(read_edge_list, dialect=one) for one in dialects]
    found: list[Known | str] = []
    for reader in readers:
        try:
            found.append(known(reader(path, options), **options))
        except Exception as error:  # whatever a parser meets that it did not expect is not a graph
            found.append(f"{type(error).__name__}: {error}")
    return found
