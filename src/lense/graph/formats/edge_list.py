"""Edge lists: one edge a line, two ids and perhaps a weight, with comments anywhere.

The text is parsed in blocks while the next one is read and decompressed, so a file of any size needs little
more memory than its edges. A header as SNAP writes it gives the direction; ours lists isolated vertices too,
so that a graph comes back as it was written. A ``.csv`` has a line of names instead, and of a directed graph the
column ``type`` that Gephi knows. The first lines show how the rest is laid out: what separates fields, which columns
count, and what ids are.
"""

import io
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lense._util.progress import progress
from lense._util.types import AnyArray, Float32s, Int32s
from lense.errors import LenseError
from lense.graph.csr import Graph
from lense.graph.formats.options import (
    ENDS,
    TYPE,
    WEIGHTS,
    Columns,
    ReadOptions,
    column_number,
    find_columns,
    is_index,
    known_columns,
    listed,
    type_column,
)
from lense.graph.formats.streams import reading_chunks, without_compression, writing
from lense.graph.formats.text import Fields, Place, excerpt, is_data, read_comments, split_line
from lense.graph.labels import LONGEST_LABEL, IntegerNumbering, StringNumbering, renumber
from lense.graph.structure import count_repeats, isolated_vertices

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger(__name__)

Row = list[str]

_ISOLATED, _STRING_IDS = "Isolated:", "Ids: str"
_KEPT_REPEATS, _KEPT_LOOPS = "Kept: repeated edges", "Kept: self loops"
_DIRECTION = re.compile(r"(un)?directed graph\b|.*\((un)?directed\b|(?P<konect>a?sym)\b", re.IGNORECASE)
_WANTED = re.compile(rb"isolated:|ids: str|kept: |directed|sym")
_DIRECTIONS = {"directed": True, "undirected": False}
_SAMPLE = 100
"""Lines that are looked at."""
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_IDS_A_LINE = 1000
_EDGES_AT_A_TIME = 1 << 18
_UNWRITABLE = r'[\x00-\x20,"]|^[#%]|^$'


def read(path: Path, options: ReadOptions) -> Graph:
    """Read an edge list, see :func:`lense.graph.read_graph`."""
    with reading_edges(path, options) as (head, parser, blocks):
        edges = [parser.edges(block) for block in blocks]
        labels, new = parser.labels(head)
    sources, targets = (np.concatenate(ends) for ends in list(zip(*edges, strict=True))[:2])
    weights = np.concatenate([w for *_, w in edges if w is not None]) if parser.is_weighted else None
    del edges
    for end in (sources, targets):
        renumber(end, new)
    return options.build(
        path,
        sources,
        targets,
        weights,
        labels,
        directed=bool(head.directed),
        duplicates_kept=head.duplicates_kept,
        self_loops_kept=head.self_loops_kept,
    )


@contextmanager
def reading_edges(path: Path, options: ReadOptions) -> Iterator[tuple["Head", "EdgeParser", Iterator[bytes]]]:
    """The head of an edge list, and a parser for the blocks of text that follow."""
    place = Place(path)
    with reading_chunks(path, is_text=True) as blocks:
        comments, text = read_comments(blocks, place, _WANTED)
        text = text if text.count(b"\n") >= _SAMPLE else text + next(blocks, b"")
        head = Head()
        for line, comment in comments:
            head.note(comment, line)
        layout = find_layout(text, head.string_ids or bool(head.isolated), head.string_ids, options, place)
        if head.directed is None:
            head.directed = layout.directed
        parser = EdgeParser(layout, place)
        first, rest = text[: layout.skip], text[layout.skip :]
        place.line += first.count(b"\n")
        blocks = chain([rest], blocks)
        yield head, parser, parser.with_first_line(first, blocks) if layout.doubtful else blocks


@dataclass
class Head:
    """What the comments at the top say; ``isolated`` are lists of ids, the first of them in line ``isolated_line``."""

    directed: bool | None = None
    string_ids: bool = False
    duplicates_kept: bool = False
    self_loops_kept: bool = False
    isolated: list[bytes] = field(default_factory=list)
    isolated_line: int = 0

    def note(self, comment: bytes, line: int) -> None:
        """Take in one comment; of several that give the direction the first counts."""
        said = comment.strip(b" \t\r\n").lstrip(b"#% \t")
        text = said.decode(errors="replace")
        if text.startswith(_ISOLATED):
            self.isolated_line = self.isolated_line or line
            self.isolated.append(said.removeprefix(_ISOLATED.encode()))
        elif self.directed is None and (found := _DIRECTION.match(text)):
            self.directed = found["konect"].lower() == "asym" if found["konect"] else not (found[1] or found[2])
        self.string_ids |= text == _STRING_IDS
        self.duplicates_kept |= text == _KEPT_REPEATS
        self.self_loops_kept |= text == _KEPT_LOOPS


@dataclass(frozen=True)
class Layout:
    """Which of the ``width`` fields of a line to read, and whether ids are strings.

    ``separator`` is empty where blanks separate fields. The first ``skip`` bytes name the columns; where that is
    ``doubtful`` they do if no other line has one of their ids, and are an edge otherwise. ``type`` is the column that
    says the direction, and ``directed`` what it says in the first edge.
    """

    columns: Columns
    width: int
    separator: str
    string_ids: bool
    skip: int = 0
    type: int | None = None
    directed: bool | None = None
    doubtful: bool = False


def find_layout(text: bytes, is_ours: bool, string_ids: bool, options: ReadOptions, place: Place) -> Layout:
    """The layout by the first lines of ``text``, which starts with a line of data, and by the options.

    A file that ``is_ours`` names no columns; ``string_ids`` if a comment says so.
    """
    lines = list(islice(filter(is_data, io.BytesIO(text)), _SAMPLE))
    nothing = Layout(Columns(0, 1), 2, "", string_ids, skip=len(text))
    if not lines:
        return nothing
    separator, names_none = _separator(lines), is_ours and options.header is None
    rows = [_texts(line, separator) for line in lines]
    is_table = bool(separator) or b"\t" in lines[0]
    is_table |= without_compression(place.path).suffix.lower() in (".csv", ".tsv")
    has_names = False if names_none else _has_names(rows, options, is_table)
    if len(rows) == 1 and has_names:
        return nothing
    if has_names is None and len(rows) == 1:
        problem = f"'{excerpt(lines[0])}' is an edge or the names of the columns: pass header=False"
        raise place.error(f"{problem} or header=True.")
    if has_names:
        log.info("%s, line %d: '%s' is taken for the names of the columns", place.path, place.line, excerpt(lines[0]))
    names, skip, at = None, 0, place
    if has_names is not False:
        names, rows, lines = rows[0], rows[1:], lines[1:]
        skip = text.index(b"\n") + 1
        at = Place(place.path, place.line + text.count(b"\n", 0, text.index(lines[0], skip)))
    row, columns = rows[0], _find_columns(names, rows, lines[0], options, at)
    type_ = None
    if names is not None and len(names) == len(row) and options.directed is None:
        type_ = type_column(names, columns)
    ends = [[other[columns.source], other[columns.target]] for other in rows if len(other) == len(row)]
    is_doubtful = has_names is None and (options.ids == "str" or not all(map(_are_integers, ends)))
    are_texts = string_ids or is_doubtful or not _are_integers(ends[0])
    return Layout(
        columns,
        len(row),
        separator,
        are_texts if options.ids == "auto" else options.ids == "str",
        skip,
        type_,
        None if type_ is None else _DIRECTIONS.get(row[type_].lower()),
        is_doubtful,
    )


def _texts(line: bytes, separator: str) -> Row:
    return [field.decode(errors="replace") for field in split_line(line, separator)]


def _separator(lines: Sequence[bytes]) -> str:
    """What separates fields by the first two lines; "" for blanks."""
    blanks = [_texts(line, "") for line in lines[:2]]
    is_even = len(blanks[0]) == len(blanks[-1]) > 1
    for separator in ("\t", ";", ","):
        rows = [_texts(line, separator) for line in lines[:2]]
        if len(rows[0]) == len(rows[-1]) > 1:
            texts = [text for row in blanks for text in row]
            if separator == ";" and is_even and not any(text.startswith(";") or text.endswith(";") for text in texts):
                continue  # semicolons are part of ids
            return "" if is_even and rows == blanks else separator
    return ""


def _has_names(rows: Sequence[Row], options: ReadOptions, is_table: bool) -> bool | None:
    """Whether the first row names columns; None if it does unless other lines have its ids."""
    first, others = rows[0], rows[1:]
    wanted = {name.lower() for name in options.columns or () if not name.isdecimal()}
    if options.header is not None or wanted:
        return wanted <= {name.lower() for name in first} if options.header is None else options.header
    if _has_known_names(rows):
        return True
    ends = _numbers(options.columns or (), len(first))[:2] or [0, 1]
    names = [first[end] for end in ends if end < len(first)]
    if any(map(_NUMBER.fullmatch, names)):
        return False
    # one row of numbers may be ids of text, too
    if len(others) > (options.ids == "str") and all(
        _are_integers([row[e] for e in ends if e < len(row)]) for row in others
    ):
        return True
    if options.ids == "int" or not all(len(row) == len(first) for row in others[:1]) or len(set(names)) < 2:
        return False
    ids = {row[end] for row in others for end in ends if end < len(row)}
    if not ids.isdisjoint(names) or any(map(_NUMBER.fullmatch, first)):
        return False
    below = [
        next(filter(None, column), "")
        for column in zip(*(row for row in others if len(row) == len(first)), strict=True)
    ]
    if below and is_index(first[0]) and _INTEGER.fullmatch(below[0]):
        return True
    return None if is_table or any(map(_NUMBER.fullmatch, below[2:])) else False


def _has_known_names(rows: Sequence[Row]) -> bool:
    """Whether the first row has known names that are not ids: vertices called u and v have other edges too."""
    first = rows[0]
    known = known_columns(first)
    if known is None or any(map(_NUMBER.fullmatch, first)):
        return False
    names = {first[known.source].lower(), first[known.target].lower()}
    ids = {row[end].lower() for row in rows[1:] for end in known[:2] if len(row) == len(first)}
    return names.isdisjoint(ids) and (names != {"u", "v"} or known.source < known.target)


def _find_columns(names: Row | None, rows: Sequence[Row], line: bytes, options: ReadOptions, place: Place) -> Columns:
    """The columns of a file that has these ``names`` or none; ``line``, at ``place``, is the first of the ``rows``."""
    edge, has_many = rows[0], len(rows[0]) > 3
    takes_all = names is None and options.columns is None and options.weights is not False
    if len(edge) < 2 or (has_many and takes_all):
        hint = " (weights=False ignores the other columns, columns='2,3' reads others)" if has_many else ""
        raise place.error(f"an edge is two ids and perhaps a weight{hint}, but this line reads '{excerpt(line)}'.")
    if names is not None and len(names) == len(edge):
        return find_columns(names, options, place.path, first_counts=_first_counts(rows))
    if options.columns is not None or (names is not None and len(edge) == 2):
        return find_columns([""] * len(edge), options, place.path)
    if names is not None:
        problem = f"this line has {len(edge)} fields, but the line of names has {listed(names)}"
        raise place.error(f"{problem}: give the numbers of those to read by columns='2,3'.")
    if len(edge) == 2 and options.weights:
        raise LenseError(f"{place.path} has no third column, so no weights: read it without weights=True.")
    return Columns(0, 1, 2 if len(edge) == 3 and takes_all else None)


def _first_counts(rows: Sequence[Row]) -> bool:
    """Whether the first column numbers the rows from 0 or 1 on, and the last may hold ids."""
    if len(rows) < 3 or not all(len(row) == 3 and _INTEGER.fullmatch(row[2]) for row in rows):
        return False
    return any([row[0] for row in rows] == list(map(str, range(first, first + len(rows)))) for first in (0, 1))


def _numbers(wanted: Sequence[str], width: int) -> list[int]:
    """The places that are given by number, from 0 on."""
    return [number - 1 for text in wanted if 1 <= (number := column_number(text)) <= width]


def _are_integers(fields: Sequence[str]) -> bool:
    return len(fields) == 2 and all(_INTEGER.fullmatch(text) for text in fields)


class EdgeParser:
    """Parses blocks of text; vertices are numbered in the order in which they first occur."""

    def __init__(self, layout: Layout, place: Place) -> None:
        self._layout, self._place = layout, place
        self._numbering = StringNumbering() if layout.string_ids else IntegerNumbering()

    @property
    def is_weighted(self) -> bool:
        return self._layout.columns.weight is not None

    def edges(self, block: bytes) -> tuple[Int32s, Int32s, Float32s | None]:
        """Sources, targets and weights in a block of whole lines."""
        fields, (source, target, weight) = self._fields(block), self._layout.columns
        sources, targets = self._vertices(fields, source), self._vertices(fields, target)
        weights = None if weight is None else fields.weights(weight)
        if self._layout.type is not None:
            self._check_type(fields, self._layout.type)
        self._place.line += block.count(b"\n")
        return sources, targets, weights

    def _fields(self, block: bytes) -> Fields:
        layout = self._layout
        source, target, weight = layout.columns
        ends, others = (source, target), [c for c in (weight, layout.type) if c is not None]
        return Fields(
            block,
            layout.width,
            self._place,
            () if layout.string_ids else ends,
            (*ends, *others) if layout.string_ids else others,
            separator=layout.separator,
            expected=f"{layout.width} columns, as in the first edge",
        )

    def with_first_line(self, first: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The blocks behind the ``first`` line, then that line, unless no other has its ids: then it names columns."""
        place, at = self._place, self._place.line - 1
        yield from blocks
        place.line = at
        fields, columns = self._fields(first), self._layout.columns
        assert isinstance(self._numbering, StringNumbering)
        if any(fields.field(end, 0).decode(errors="replace") in self._numbering for end in columns[:2]):
            yield first
            return
        log.warning(
            "%s, line %d: '%s' is taken for the names of the columns, since its ids are in no other line; pass "
            "header=False (--no-header) if it is an edge",
            place.path,
            at,
            excerpt(first),
        )

    def _check_type(self, fields: Fields, column: int) -> None:
        """Raise where an edge says another direction than the first."""
        from pyarrow import compute

        words = fields.texts(column).cast("binary")
        for word in words.unique():
            said = word.as_py()
            if _DIRECTIONS.get(said.decode(errors="replace").lower()) is not self._layout.directed:
                problem = f"the column '{TYPE}' says '{excerpt(said)}', unlike the first edge: pass "
                raise fields.error(compute.index(words, word).as_py(), f"{problem}directed=True or directed=False.")

    def labels(self, head: Head) -> tuple[AnyArray, Int32s]:
        """The ids in rising order and each vertex's new number; call it once, since it frees what the parser held."""
        if head.isolated:
            self._place.line = head.isolated_line
            self._vertices(Fields.of_list(b" ".join(head.isolated), self._place), 0)
        labels, new = self._numbering.in_order()
        del self._numbering
        if labels.size == 0:
            hint = "; header=False reads its first line as one" if self._layout.skip else ""
            raise LenseError(f"{self._place.path} holds no edges: give it one edge a line, as two ids{hint}.")
        return labels, new

    def _vertices(self, fields: Fields, column: int) -> Int32s:
        if isinstance(self._numbering, IntegerNumbering):
            return self._numbering.number(fields.integers(column, _what_is_wrong_with_id))
        texts, lengths = fields.texts(column), fields.lengths(column)
        if lengths.max(initial=0) > LONGEST_LABEL:
            raise fields.error(int(lengths.argmax()), f"an id has at most {LONGEST_LABEL} bytes: shorten it.")
        if not lengths.all():
            raise fields.error(int(lengths.argmin()), _what_is_wrong_with_id(b""))
        return self._numbering.number(texts)


def _what_is_wrong_with_id(text: bytes) -> str:
    shown = excerpt(text)
    if not text:
        return "an end of this edge is missing: fill it in or remove the line."
    if text[:1] == b"-" and text[1:].isdigit():
        return f"the id '{shown}' is negative; number vertices from 0, or take ids as text by ids='str'."
    if text.isdigit():
        return f"the id '{shown}' does not fit into 64 bits; pass ids='str' to take ids as text."
    return f"'{shown}' is not a whole number; pass ids='str' if the ids of this file are text."


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
            columns = {"source": labels.take(pa.array(sources[part])), "target": labels.take(pa.array(targets[part]))}
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
        yield f"# {_STRING_IDS}\n"
    if graph.num_self_loops:
        yield f"# {_KEPT_LOOPS}\n"
    if count_repeats(graph):
        yield f"# {_KEPT_REPEATS}\n"
    isolated = graph.labels[isolated_vertices(graph)]
    for start in range(0, isolated.size, _IDS_A_LINE):
        yield f"# {_ISOLATED} {' '.join(map(str, isolated[start : start + _IDS_A_LINE].tolist()))}\n"


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
