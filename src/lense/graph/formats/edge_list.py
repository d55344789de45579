"""Edge lists: one edge a line, two ids and perhaps a weight, with comments anywhere.

The text is parsed in blocks while the next one is read and decompressed, so a file of any size needs little
more memory than its edges. A header as SNAP writes it tells the direction; ours lists isolated vertices too,
so that a graph comes back as it was written.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.edge_list_head import ISOLATED, STRING_IDS, Head, Layout, find_layout, read_head
from lense.graph.formats.options import ReadOptions
from lense.graph.formats.place import Place, excerpt
from lense.graph.formats.streams import reading_lines, without_compression, writing
from lense.graph.formats.tokens import Bytes, parse_decimals, parse_integers, split_lines
from lense.graph.labels import LONGEST_LABEL, IntegerNumbering, StringNumbering, in_order, renumber
from lense.graph.structure import isolated_vertices
from lense.progress import progress
from lense.types import Float32s, Int32s

if TYPE_CHECKING:
    import pyarrow as pa

_IDS_A_LINE = 1000
_EDGES_AT_A_TIME = 1 << 18
_LINE_PER_ID = bytes.maketrans(b" \t\r", b"\n\n\n")
_UNWRITABLE = r'[\s,"\x00]|^[#%]|^$'


def read(path: Path, options: ReadOptions) -> Graph:
    """Read an edge list, see :func:`lense.graph.read_graph`."""
    place = Place(path)
    with reading_lines(path) as blocks:
        head, text = read_head(blocks, place)
        layout = find_layout(text, head, options, place)
        edges = _Edges(layout, place)
        place.line += layout.skip > 0
        for block in chain([text[layout.skip :]], blocks):
            edges.add(block)
    return edges.graph(head, options)


class _Edges:
    """The edges read so far, their vertices numbered in the order met."""

    def __init__(self, layout: Layout, place: Place) -> None:
        self._layout = layout
        self._place = place
        self._numbering: IntegerNumbering | StringNumbering
        self._numbering = StringNumbering() if layout.string_ids else IntegerNumbering()
        self._sources: list[Int32s] = []
        self._targets: list[Int32s] = []
        self._weights: list[Float32s] = []

    def add(self, block: bytes) -> None:
        """Parse a block of whole lines."""
        text = np.frombuffer(block, np.uint8)
        lines = block.count(b"\n")
        starts = np.empty((self._layout.columns, lines), np.int32)
        stops = np.empty((self._layout.columns, lines), np.int32)
        end, found = split_lines(text, self._layout.columns, self._layout.ignore_rest, starts, stops)
        starts, stops = starts[:, :found], stops[:, :found]
        self._sources.append(self._vertices(block, text, starts[0], stops[0]))
        self._targets.append(self._vertices(block, text, starts[1], stops[1]))
        if self._layout.columns == 3:
            self._weights.append(self._parsed_weights(block, text, starts[2], stops[2]))
        if end < len(block):
            line = excerpt(block[end : block.index(b"\n", end)])
            raise self._place.error(
                block, end, f"expected {self._layout.columns} columns, as in the first edge, not '{line}'."
            )
        self._place.line += lines

    def graph(self, head: Head, options: ReadOptions) -> Graph:
        """The graph of all edges; what the parser held is gone afterwards."""
        for line, ids in head.isolated:
            self._add_isolated(line, ids)
        labels, new = in_order(self._numbering.labels())
        del self._numbering
        if labels.size == 0:
            raise LenseError(f"{self._place.path} holds no edges: give it one edge a line, as two ids.")
        sources, targets = _joined(self._sources), _joined(self._targets)
        weights = _joined(self._weights) if self._weights else None
        renumber(sources, new)
        renumber(targets, new)
        return options.build(self._place.path, sources, targets, weights, labels, directed=head.directed)

    def _add_isolated(self, line: int, ids: bytes) -> None:
        text = np.frombuffer(ids.translate(_LINE_PER_ID) + b"\n", np.uint8)
        starts, stops = np.empty((1, text.size), np.int32), np.empty((1, text.size), np.int32)
        _, found = split_lines(text, 1, False, starts, stops)
        self._place.line = line
        self._vertices(ids, text, starts[0, :found], stops[0, :found])

    def _vertices(self, block: bytes, text: Bytes, starts: Int32s, stops: Int32s) -> Int32s:
        if isinstance(self._numbering, StringNumbering):
            self._check_strings(block, starts, stops)
            return self._numbering.number(text, starts, stops)
        ids = np.empty(starts.size, np.int64)
        good = parse_integers(text, starts, stops, ids)
        if good < starts.size:
            problem = _what_is_wrong_with_id(block[starts[good] : stops[good]])
            raise self._place.error(block, starts[good], problem)
        return self._numbering.number(ids)

    def _check_strings(self, block: bytes, starts: Int32s, stops: Int32s) -> None:
        try:
            block.decode()
        except UnicodeDecodeError as error:
            problem = "this is not UTF-8 text: convert the file, or check that it is an edge list."
            raise self._place.error(block, error.start, problem) from error
        lengths = stops - starts
        if lengths.max(initial=0) > LONGEST_LABEL:
            at = starts[np.argmax(lengths)]
            raise self._place.error(block, at, f"an id has at most {LONGEST_LABEL} bytes: shorten it.")

    def _parsed_weights(self, block: bytes, text: Bytes, starts: Int32s, stops: Int32s) -> Float32s:
        weights = np.empty(starts.size, np.float32)
        parse_decimals(text, starts, stops, weights)
        for i in np.flatnonzero(~np.isfinite(weights)):
            weights[i] = self._exact_weight(block, starts[i], stops[i])
        return weights

    def _exact_weight(self, block: bytes, start: int, stop: int) -> float:
        """The weight by Python's own parser, for the few that float64 arithmetic cannot decide."""
        shown = excerpt(block[start:stop])
        try:
            weight = float(block[start:stop])
        except ValueError as error:
            problem = f"'{shown}' is not a number; weights=False ignores the third column."
            raise self._place.error(block, start, problem) from error
        if not abs(weight) <= np.finfo(np.float32).max:
            problem = f"the weight '{shown}' is not a finite number of single precision; weights=False ignores it."
            raise self._place.error(block, start, problem)
        return weight


def _what_is_wrong_with_id(text: bytes) -> str:
    shown = excerpt(text)
    if text[:1] == b"-" and text[1:].isdigit():
        return f"the id '{shown}' is negative; number vertices from 0, or pass ids='str' to take ids as text."
    if text.isdigit():
        return f"the id '{shown}' does not fit into 64 bits; pass ids='str' to take ids as text."
    return f"'{shown}' is not a whole number; pass ids='str' if the ids of this file are text."


def _joined(parts: list[Any]) -> Any:
    """The parts as one array; they are let go, so that little is held twice."""
    whole = np.concatenate(parts)
    parts.clear()
    return whole


def write(graph: Graph, path: Path) -> None:
    """Write an edge list with a SNAP header, commas in ``.csv`` and tabs elsewhere."""
    import pyarrow as pa
    from pyarrow import csv

    labels = pa.array(graph.labels)
    _check_writable(labels)
    separator = "," if without_compression(path).suffix.lower() == ".csv" else "\t"
    layout = csv.WriteOptions(include_header=False, delimiter=separator, quoting_style="none")
    sources, targets, weights = graph.edges()
    with writing(path) as file, progress("writing edges", sources.size) as advance:
        file.write("".join(_header(graph)).encode())
        for start in range(0, sources.size, _EDGES_AT_A_TIME):
            part = slice(start, start + _EDGES_AT_A_TIME)
            columns = {
                "source": labels.take(pa.array(sources[part])),
                "target": labels.take(pa.array(targets[part])),
            }
            if weights is not None:
                columns["weight"] = pa.array(weights[part])
            text = pa.BufferOutputStream()
            csv.write_csv(pa.table(columns), text, layout)
            file.write(text.getvalue())
            advance(sources[part].size)


def _header(graph: Graph) -> Iterator[str]:
    yield f"# {'Directed' if graph.directed else 'Undirected'} graph\n"
    yield f"# Nodes: {graph.num_vertices} Edges: {graph.num_edges}\n"
    if np.issubdtype(graph.labels.dtype, np.str_):
        yield f"# {STRING_IDS}\n"
    isolated = graph.labels[isolated_vertices(graph)]
    for start in range(0, isolated.size, _IDS_A_LINE):
        yield f"# {ISOLATED} {' '.join(map(str, isolated[start : start + _IDS_A_LINE].tolist()))}\n"


def _check_writable(labels: "pa.Array") -> None:
    """Raise where a label, written as it is, would be read as something else."""
    import pyarrow as pa
    from pyarrow import compute

    if pa.types.is_integer(labels.type):
        wrong = compute.less(labels, 0)
    elif pa.types.is_string(labels.type):
        too_long = compute.greater(compute.binary_length(labels), LONGEST_LABEL)
        wrong = compute.or_(compute.match_substring_regex(labels, _UNWRITABLE), too_long)
    else:
        raise LenseError("An edge list holds ids that are integers or strings: relabel the graph's vertices.")
    bad = labels.filter(wrong)
    if len(bad):
        raise LenseError(f"An edge list cannot hold the id '{bad[0]}': write .npz, or relabel the vertices.")
