"""METIS: a header "vertices edges [fmt [ncon]]", then a line with the neighbours of each vertex 1..n.

``fmt`` says with three digits whether there are vertex sizes and vertex weights, which are ignored, and edge
weights. Such graphs are undirected: each edge stands in the rows of both ends, and the header counts it once.
"""

import re
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from lense._util.jit import kernel
from lense._util.progress import progress
from lense._util.types import Float32s, Int32s, Int64s
from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.columns import Growing
from lense.graph.formats.label_comments import LABELS, label_comments, labels_from_comments
from lense.graph.formats.options import ReadOptions, check_claims
from lense.graph.formats.place import Place, excerpt, read_comments
from lense.graph.formats.streams import reading_lines, writing
from lense.graph.formats.tokens import Bytes
from lense.graph.structure import first_one_way_arc

_LONGEST_ROW, _ALWAYS_ALLOWED, _LARGEST_RATIO = 1 << 31, 1 << 24, 32
"""A row of a compressed file has at most so many times the bytes of the file, but it may be long in any file."""
_MOST_HEADER_DIGITS = 18
_ARCS_AT_A_TIME = 1 << 18
_MOST_DIGITS = 10
_LARGEST_WEIGHT = 2**31 - 1

_PERCENT, _ZERO, _LINE_FEED, _SPACE, _TAB, _RETURN = (ord(c) for c in "%0\n \t\r")
_WORD = re.compile(rb"[^ \t\r\n]+")
_GOOD, _NO_NUMBER, _NO_VERTEX, _TOO_SHORT, _TOO_MANY_ROWS = range(5)


@dataclass(frozen=True)
class _Header:
    num_vertices: int
    num_edges: int
    ignored: int
    """Numbers at the start of a row that say something about its vertex."""
    weighted: bool


def read(path: Path, options: ReadOptions) -> Graph:
    """Read a METIS file, see :func:`lense.graph.read_graph`."""
    place = Place(path)
    longest_row = min(_LONGEST_ROW, _ALWAYS_ALLOWED + _LARGEST_RATIO * path.stat().st_size)
    with reading_lines(path, longest_row) as blocks:
        comments, text = read_comments(blocks, place, LABELS)
        first_line, _, text = text.partition(b"\n")
        header = _parse_header(first_line, place)
        place.line += 1
        rows = _Rows(header, place)
        for block in chain([text], blocks):
            rows.add(block)
    sources, targets, weights = rows.edges()
    labels = labels_from_comments(comments, header.num_vertices, path)
    return options.build(path, sources, targets, weights, labels, directed=False)


def _parse_header(line: bytes, place: Place) -> _Header:
    if not line:
        raise LenseError(f"{place.path} is empty: a METIS file starts with the numbers of vertices and edges.")
    fields = line.split()
    flags = fields[2].zfill(3) if len(fields) > 2 else b"000"
    if not (
        2 <= len(fields) <= 4
        and all(f.isdigit() and len(f) <= _MOST_HEADER_DIGITS for f in fields)
        and len(flags) == 3
        and set(flags) <= set(b"01")
    ):
        problem = f"a METIS header reads 'vertices edges [fmt [ncon]]', not '{excerpt(line)}'."
        raise place.error(b"", 0, problem)
    sizes, vertex_weights, edge_weights = (flag == ord("1") for flag in flags)
    constraints = int(fields[3]) if len(fields) == 4 else 1
    check_claims(place.path, place.path.stat().st_size, vertices=int(fields[0]), edges=int(fields[1]))
    return _Header(int(fields[0]), int(fields[1]), sizes + vertex_weights * constraints, edge_weights)


@kernel
def _number(text: Bytes, at: int) -> tuple[int, int]:
    """The number that starts at ``at``, or -1 where there is none, and the position after it."""
    value = 0
    start = at
    while _ZERO <= text[at] < _ZERO + 10 and value <= _LARGEST_WEIGHT:
        value = 10 * value + int(text[at]) - _ZERO
        at += 1
    if at == start or text[at] > _SPACE or value > _LARGEST_WEIGHT:
        return -1, start
    return value, at


@kernel
def _parse_rows(
    text: Bytes,
    most_rows: int,
    num_vertices: int,
    ignored: int,
    degrees: Int64s,
    indices: Int32s,
    weights: Float32s,
) -> tuple[int, int, int, int]:
    """Parse whole lines; the rows and arcs found, what is wrong and where.

    An empty ``weights`` stands for a file without edge weights.
    """
    rows = arcs = line = 0
    while line < text.size:
        at = line
        before = arcs
        fields = 0
        comment = text[at] == _PERCENT
        while text[at] != _LINE_FEED:
            if comment or text[at] == _SPACE or text[at] == _TAB or text[at] == _RETURN:
                at += 1
                continue
            start = at
            value, at = _number(text, at)
            if value < 0:
                return rows, arcs, _NO_NUMBER, start
            if rows == most_rows:
                return rows, arcs, _TOO_MANY_ROWS, start
            fields += 1
            if fields > ignored and weights.size and (fields - ignored) % 2 == 0:
                weights[arcs - 1] = value
            elif fields > ignored:
                if not 1 <= value <= num_vertices:
                    return rows, arcs, _NO_VERTEX, start
                indices[arcs] = value - 1
                arcs += 1
        if not comment and rows < most_rows:
            if fields < ignored or (weights.size and (fields - ignored) % 2 == 1):
                return rows, arcs, _TOO_SHORT, line
            degrees[rows] = arcs - before
            rows += 1
        line = at + 1
    return rows, arcs, _GOOD, line


class _Rows:
    """The rows read so far."""

    def __init__(self, header: _Header, place: Place) -> None:
        self._header = header
        self._place = place
        self._read = 0
        self._degrees = Growing(np.int64)
        self._indices = Growing(np.int32)
        self._weights = Growing(np.float32)

    def add(self, block: bytes) -> None:
        """Parse a block of whole lines."""
        lines = block.count(b"\n")
        degrees = np.empty(lines, np.int64)
        indices = np.empty(len(block) // 2 + 1, np.int32)
        weights = np.empty(indices.size if self._header.weighted else 0, np.float32)
        rows, arcs, wrong, at = _parse_rows(
            np.frombuffer(block, np.uint8),
            self._header.num_vertices - self._read,
            self._header.num_vertices,
            self._header.ignored,
            degrees,
            indices,
            weights,
        )
        if wrong != _GOOD:
            word = _WORD.match(block, at)
            raise self._place.error(block, at, self._problem(wrong, excerpt(word[0] if word else b"")))
        self._degrees.append(degrees[:rows])
        self._indices.append(indices[:arcs])
        self._weights.append(weights[:arcs])
        self._read += rows
        self._place.line += lines

    def _problem(self, wrong: int, shown: str) -> str:
        vertices = f"{self._header.num_vertices:,}"
        return {
            _NO_NUMBER: f"'{shown}' is not a whole number from 0 to {_LARGEST_WEIGHT:,}.",
            _NO_VERTEX: f"the vertices are 1 to {vertices}, so there is no vertex {shown}.",
            _TOO_SHORT: "this row has fewer numbers than the header's fmt asks for.",
            _TOO_MANY_ROWS: f"the header announces {vertices} vertices, but here is one row more.",
        }[wrong]

    def edges(self) -> tuple[Int32s, Int32s, Float32s | None]:
        """Each edge once, after checking that the rows keep what the header and the format promise."""
        header, path = self._header, self._place.path
        if self._read < header.num_vertices:
            raise LenseError(f"{path} announces {header.num_vertices:,} vertices, but has {self._read:,} rows.")
        degrees, targets = self._degrees.array(), self._indices.array()
        weights = self._weights.array() if header.weighted else None
        sources = np.repeat(np.arange(header.num_vertices, dtype=np.int32), degrees)
        loops = np.count_nonzero(sources == targets)
        if 2 * header.num_edges not in (targets.size, targets.size + loops):
            promised = f"announces {header.num_edges:,} edges, so {2 * header.num_edges:,} neighbours in its rows"
            raise LenseError(f"{path} {promised}, but they list {targets.size:,}.")
        indptr = np.concatenate([[0], np.cumsum(degrees)])
        if one_way := first_one_way_arc(indptr, targets, weights):
            u, v = one_way[0] + 1, one_way[1] + 1
            raise LenseError(f"{path} has an edge from {u} to {v} that row {v} does not list in the same way.")
        once = sources <= targets
        return sources[once], targets[once], None if weights is None else weights[once]


@kernel
def _write_number(out: Bytes, at: int, number: int) -> int:
    """Write a positive number and a blank; the position after them."""
    end = at
    rest = number
    while rest > 0:
        rest //= 10
        end += 1
    for i in range(end - 1, at - 1, -1):
        out[i] = _ZERO + number % 10
        number //= 10
    out[end] = _SPACE
    return end + 1


@kernel
def _format_rows(indptr: Int64s, indices: Int32s, weights: Float32s, first: int, last: int, out: Bytes) -> int:
    """Write rows ``first`` to ``last - 1``; the number of bytes."""
    at = 0
    for v in range(first, last):
        for a in range(indptr[v], indptr[v + 1]):
            at = _write_number(out, at, indices[a] + 1)
            if weights.size:
                at = _write_number(out, at, int(weights[a]))
        at -= indptr[v] < indptr[v + 1]
        out[at] = _LINE_FEED
        at += 1
    return at


def write(graph: Graph, path: Path) -> None:
    """Write an undirected graph without self loops whose weights, if any, are positive integers."""
    _check_writable(graph)
    indptr = graph.indptr
    weights = np.empty(0, np.float32) if graph.weights is None else graph.weights
    with writing(path) as file, progress("writing edges", graph.num_arcs) as advance:
        file.write("".join(f"% {line}\n" for line in label_comments(graph.labels)).encode())
        fmt = "" if graph.weights is None else " 001"
        file.write(f"{graph.num_vertices} {graph.num_edges}{fmt}\n".encode())
        first = 0
        while first < graph.num_vertices:
            last = max(first + 1, int(np.searchsorted(indptr, indptr[first] + _ARCS_AT_A_TIME, "right")) - 1)
            arcs = int(indptr[last] - indptr[first])
            numbers = arcs if graph.weights is None else 2 * arcs
            out = np.empty((_MOST_DIGITS + 1) * numbers + last - first, np.uint8)
            file.write(out[: _format_rows(indptr, graph.indices, weights, first, last, out)].data)
            advance(arcs)
            first = last


def _check_writable(graph: Graph) -> None:
    if graph.directed:
        raise LenseError("METIS files hold undirected graphs: write another format, or read it as undirected.")
    if graph.num_self_loops:
        raise LenseError("METIS files hold no self loops: drop them, or write another format.")
    if (
        graph.weights is not None
        and not (
            (graph.weights == np.rint(graph.weights)) & (graph.weights >= 1) & (graph.weights <= _LARGEST_WEIGHT)
        ).all()
    ):
        raise LenseError(f"METIS files hold weights that are whole numbers from 1 to {_LARGEST_WEIGHT:,}.")
