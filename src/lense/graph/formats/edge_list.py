"""Edge lists: one edge a line, two ids and perhaps a weight, with comments anywhere.

The text is parsed in blocks while the next one is read and decompressed, so a file of any size needs little
more memory than its edges. A header as SNAP writes it gives the direction; ours lists isolated vertices too,
so that a graph comes back as it was written. A ``.csv`` has a line of names instead, and of a directed graph the
column ``type`` that Gephi knows.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lense._util.progress import progress
from lense._util.types import AnyArray, Float32s, Int32s
from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.column_names import ENDS, TYPE, WEIGHTS
from lense.graph.formats.columns import Fields, Growing
from lense.graph.formats.edge_list_head import ISOLATED, KEPT_LOOPS, KEPT_REPEATS, STRING_IDS, Head, read_head
from lense.graph.formats.edge_list_layout import Layout, find_layout
from lense.graph.formats.options import ReadOptions
from lense.graph.formats.place import Place, excerpt
from lense.graph.formats.streams import reading_lines, without_compression, writing
from lense.graph.formats.tokens import first_other_kind
from lense.graph.labels import LONGEST_LABEL, IntegerNumbering, StringNumbering, renumber
from lense.graph.structure import count_repeats, isolated_vertices

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger(__name__)

_DIRECTED, _UNDIRECTED = (np.frombuffer(word, np.uint8) for word in (b"directed", b"undirected"))
_IDS_A_LINE = 1000
_EDGES_AT_A_TIME = 1 << 18
_UNWRITABLE = r'[\x00-\x20,"]|^[#%]|^$'


def read(path: Path, options: ReadOptions) -> Graph:
    """Read an edge list, see :func:`lense.graph.read_graph`."""
    sources, targets, weights = Growing(np.int32), Growing(np.int32), Growing(np.float32)
    with reading_edges(path, options) as (head, parser, blocks):
        for block in blocks:
            us, vs, ws = parser.edges(block)
            sources.append(us)
            targets.append(vs)
            if ws is not None:
                weights.append(ws)
        labels, new = parser.labels(head)
    ends = sources.array(), targets.array()
    for end in ends:
        renumber(end, new)
    return options.build(
        path,
        *ends,
        weights.array() if parser.is_weighted else None,
        labels,
        directed=bool(head.directed),
        duplicates_kept=head.duplicates_kept,
        self_loops_kept=head.self_loops_kept,
    )


@contextmanager
def reading_edges(path: Path, options: ReadOptions) -> Iterator[tuple[Head, "EdgeParser", Iterator[bytes]]]:
    """The head of an edge list, and a parser for the blocks of text that follow."""
    place = Place(path)
    with reading_lines(path) as blocks:
        head, text = read_head(blocks, place)
        layout = find_layout(text, head.string_ids, options, place)
        if head.directed is None:
            head.directed = layout.directed
        parser = EdgeParser(layout, place)
        if layout.doubtful and not head.isolated:  # which only lense writes
            first, _, text = text.partition(b"\n")
            yield head, parser, parser.with_first_line(first + b"\n", chain([text], blocks))
        else:
            place.line += layout.skip > 0
            yield head, parser, chain([text[layout.skip :]], blocks)


class EdgeParser:
    """Parses blocks of text; vertices are numbered in the order in which they first occur."""

    def __init__(self, layout: Layout, place: Place) -> None:
        self._layout = layout
        self._place = place
        self._names_at = Place(place.path, place.line)
        self._numbering: IntegerNumbering | StringNumbering
        self._numbering = StringNumbering() if layout.string_ids else IntegerNumbering()

    @property
    def is_weighted(self) -> bool:
        return self._layout.columns.weight is not None

    def edges(self, block: bytes) -> tuple[Int32s, Int32s, Float32s | None]:
        """Sources, targets and weights in a block of whole lines."""
        layout = self._layout
        fields = Fields(block, layout.width, self._place, separator=layout.separator, ignore_rest=layout.ignore_rest)
        sources = self._vertices(fields, layout.columns.source)
        targets = self._vertices(fields, layout.columns.target)
        weights = None if layout.columns.weight is None else fields.weights(layout.columns.weight)
        if layout.type is not None:
            self._check_type(fields, layout.type)
        fields.check_all_read(f"{layout.width} columns, as in the first edge")
        self._place.line += block.count(b"\n")
        return sources, targets, weights

    def with_first_line(self, first: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The blocks behind the ``first`` line, then that line, unless no other has its ids: then it names columns."""
        at = Place(self._place.path, self._place.line)
        self._place.line += 1
        yield from blocks
        before = self._numbering.count
        self._place.line = at.line
        self.edges(first)
        if self._numbering.count < before + 2:
            self._place.line = at.line
            yield first
            return
        self._numbering.count = before
        log.warning(
            "%s, line %d: '%s' is taken for the names of the columns, since its ids are in no other line; pass "
            "header=False (--no-header) if it is an edge",
            at.path,
            at.line,
            excerpt(first),
        )

    def _check_names(self) -> None:
        """Raise where a name in what was taken for the names of columns is an id, too: that line may be an edge."""
        before = self._numbering.count
        for name in self._layout.guessed:
            assert isinstance(self._numbering, StringNumbering)
            text = np.frombuffer(name.encode(), np.uint8)
            if self._numbering.number(text, np.zeros(1, np.int32), np.full(1, text.size, np.int32))[0] < before:
                problem = (
                    f"this line names the columns or is an edge with a bad weight, and '{excerpt(name.encode())}' is "
                    "an id in other lines: pass header=True or False (--header, --no-header)."
                )
                raise self._names_at.error(b"", 0, problem)
        self._numbering.count = before

    def _check_type(self, fields: Fields, column: int) -> None:
        """Raise where an edge says another direction than the first."""
        kind = -1 if self._layout.directed is None else int(self._layout.directed)
        line = first_other_kind(fields.text, fields.starts[column], fields.stops[column], _DIRECTED, _UNDIRECTED, kind)
        if line < fields.starts.shape[1]:
            problem = (
                f"the column '{TYPE}' says '{excerpt(fields.field(column, line))}', unlike the first edge: pass "
                "directed=True or False (--directed, --undirected)."
            )
            raise fields.error(column, line, problem)

    def labels(self, head: Head) -> tuple[AnyArray, Int32s]:
        """The ids in rising order and each vertex's new number; call it once, since it frees what the parser held."""
        if head.isolated:
            self._place.line = head.isolated_line
            self._vertices(Fields.of_list(b" ".join(head.isolated), self._place), 0)
        self._check_names()
        labels, new = self._numbering.in_order()
        del self._numbering
        if labels.size == 0:
            hint = "; header=False (--no-header) reads its first line as one" if self._layout.skip else ""
            raise LenseError(f"{self._place.path} holds no edges: give it one edge a line, as two ids{hint}.")
        return labels, new

    def _vertices(self, fields: Fields, column: int) -> Int32s:
        if isinstance(self._numbering, IntegerNumbering):
            return self._numbering.number(fields.integers(column, _what_is_wrong_with_id))
        self._check_strings(fields, column)
        return self._numbering.number(fields.text, fields.starts[column], fields.stops[column])

    def _check_strings(self, fields: Fields, column: int) -> None:
        try:
            fields.block.decode()
        except UnicodeDecodeError as error:
            problem = "this is not UTF-8 text: convert the file, or check that it is an edge list."
            raise self._place.error(fields.block, error.start, problem) from error
        lengths = fields.stops[column] - fields.starts[column]
        if lengths.max(initial=0) > LONGEST_LABEL:
            problem = f"an id has at most {LONGEST_LABEL} bytes: shorten it."
            raise fields.error(column, int(np.argmax(lengths)), problem)
        if not lengths.all():
            raise fields.error(column, int(np.argmin(lengths)), _what_is_wrong_with_id(b""))
        quoted = fields.first_with_doubled_quote(column)
        if quoted is not None:
            raise fields.error(column, quoted, "an id must hold no quotes: rename the vertex.")


def _what_is_wrong_with_id(text: bytes) -> str:
    shown = excerpt(text)
    if not text:
        return "an end of this edge is missing: fill it in or remove the line."
    if text[:1] == b"-" and text[1:].isdigit():
        return f"the id '{shown}' is negative; number vertices from 0, or take ids as text by ids='str' (--ids str)."
    if text.isdigit():
        return f"the id '{shown}' does not fit into 64 bits; pass ids='str' (--ids str) to take ids as text."
    return f"'{shown}' is not a whole number; pass ids='str' (--ids str) if the ids of this file are text."


def write(graph: Graph, path: Path) -> None:
    """Write an edge list: with commas and a line of names in ``.csv``, with tabs and a SNAP header elsewhere."""
    import pyarrow as pa
    from pyarrow import csv

    labels = pa.array(graph.labels)
    _check_writable(labels)
    is_csv = without_compression(path).suffix.lower() == ".csv"
    top = _names(graph) if is_csv else "".join(_header(graph))
    layout = csv.WriteOptions(include_header=False, delimiter="," if is_csv else "\t", quoting_style="none")
    sources, targets, weights = graph.edges()
    with writing(path) as file, progress("writing edges", sources.size) as advance:
        file.write(top.encode())
        for start in range(0, sources.size, _EDGES_AT_A_TIME):
            part = slice(start, start + _EDGES_AT_A_TIME)
            columns = {
                "source": labels.take(pa.array(sources[part])),
                "target": labels.take(pa.array(targets[part])),
            }
            if weights is not None:
                columns["weight"] = pa.array(weights[part])
            if is_csv and graph.directed:
                columns[TYPE] = pa.repeat("Directed", sources[part].size)
            text = pa.BufferOutputStream()
            csv.write_csv(pa.table(columns), text, layout)
            file.write(text.getvalue())
            advance(sources[part].size)


def _names(graph: Graph) -> str:
    """The line of names of a ``.csv``, which has no room for anything else."""
    names = [*ENDS[0], *([] if graph.weights is None else WEIGHTS[:1]), *([TYPE] if graph.directed else [])]
    if np.isin(graph.labels.astype(np.str_), names).any():
        raise LenseError("A .csv names its columns source and target, so no vertex can be called that: write .txt.")
    if graph.num_edges == 0:
        raise LenseError("A .csv holds edges, and this graph has none: write .txt or .npz.")
    if isolated := int(np.count_nonzero(isolated_vertices(graph))):
        log.warning("%d vertices without an edge are not in a .csv: write .txt or .npz to keep them", isolated)
    return ",".join(names) + "\n"


def _header(graph: Graph) -> Iterator[str]:
    yield f"# {'Directed' if graph.directed else 'Undirected'} graph\n"
    yield f"# Nodes: {graph.num_vertices} Edges: {graph.num_edges}\n"
    if np.issubdtype(graph.labels.dtype, np.str_):
        yield f"# {STRING_IDS}\n"
    if graph.num_self_loops:
        yield f"# {KEPT_LOOPS}\n"
    if count_repeats(graph):
        yield f"# {KEPT_REPEATS}\n"
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
        wrong = compute.match_substring_regex(labels, _UNWRITABLE)
    else:
        raise LenseError("An edge list holds ids that are integers or strings: relabel the graph's vertices.")
    bad = labels.filter(wrong)
    if len(bad):
        raise LenseError(f"An edge list cannot hold the id '{bad[0]}': write .npz, or relabel the vertices.")
