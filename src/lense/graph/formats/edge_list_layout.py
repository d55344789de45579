"""How an edge list lays out its edges, by its first lines: what separates fields, which columns count, what ids are."""

import io
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from lense.errors import LenseError
from lense.graph.formats.column_names import (
    Columns,
    column_number,
    find_columns,
    is_index,
    known_columns,
    listed,
    type_column,
)
from lense.graph.formats.options import ReadOptions
from lense.graph.formats.place import Place, excerpt
from lense.graph.formats.streams import without_compression
from lense.graph.formats.tokens import delimited_field, plain_field

log = logging.getLogger(__name__)

Row = list[str]

_DIRECTIONS = {"directed": True, "undirected": False}

SAMPLE = 100
"""Lines that are looked at."""

_SEPARATORS = (";", "\t", ",", "")
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_SHORT_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Layout:
    """Which of the ``width`` fields of a line to read, and whether ids are strings.

    ``separator`` is empty where blanks or a comma separate fields. The first ``skip`` bytes name the columns;
    ``guessed`` are the names of the ends where only other lines show that they are names, so none of those may have
    them as ids. ``directed`` is what the column ``type`` says in the first edge, if there is one for it. The first line
    is ``doubtful`` where it may name the columns or be an edge: it names them if its two ids occur in no other line.
    """

    columns: Columns
    width: int
    separator: str
    string_ids: bool
    ignore_rest: bool
    skip: int
    guessed: frozenset[str] = frozenset()
    type: int | None = None
    directed: bool | None = None
    doubtful: bool = False


def is_data(line: bytes) -> bool:
    """Whether a line is neither blank nor a comment."""
    return not line.strip().startswith((b"#", b"%")) and not line.isspace()


def find_layout(text: bytes, ids_are_strings: bool, options: ReadOptions, place: Place) -> Layout:
    """The layout by the first lines of ``text``, which starts with a line of data, and by the options.

    ``ids_are_strings`` if a comment says so; then the file is one that lense wrote, which names no columns.
    """
    lines = list(islice(filter(is_data, io.BytesIO(text)), SAMPLE))
    is_ours = ids_are_strings and options.header is None
    if len(lines) <= (options.header is True) or (options.header is None and not is_ours and _is_header_alone(lines)):
        return Layout(Columns(0, 1), 2, "", ids_are_strings, ignore_rest=False, skip=len(text))
    separator = None if is_ours else _separator_of_header(lines, options)
    skip, type_, directed, doubtful, guessed = 0, None, None, False, frozenset[str]()
    if separator is not None:
        log.info("%s, line %d: '%s' is taken for the names of the columns", place.path, place.line, excerpt(lines[0]))
        skip = text.index(b"\n") + 1
        rows = [_fields(line, separator) for line in lines]
        place_of_edge = Place(place.path, place.line + text.count(b"\n", 0, text.index(lines[1], skip)))
        columns = _columns_of_header(rows, lines[1], options, place_of_edge)
        row = rows[1]
        if len(row) == len(rows[0]):
            type_ = type_column(rows[0], columns) if options.directed is None else None
            if options.header is None and not _wanted(options) and known_columns(rows[0]) is None:
                guessed = frozenset(rows[0][end] for end in columns[:2]) - {""}
        directed = None if type_ is None else _DIRECTIONS.get(row[type_].lower())
    else:
        separator = _separator_of_edges(lines)
        row = _fields(lines[0], separator)
        columns = _columns_of_edge(row, lines[0], options, place)
        is_table = bool(separator) or not {ord(","), ord("\t")}.isdisjoint(lines[0]) or _is_called_table(place.path)
        doubtful = is_table and not is_ours and options.header is None and _may_be_names(lines, separator, columns)
        if doubtful and len(lines) == 1:
            problem = (
                f"'{excerpt(lines[0])}' is an edge or the names of the columns: pass header=False (--no-header) or "
                "header=True (--header)."
            )
            raise place.error(b"", 0, problem)
    look_like_text = ids_are_strings or not _are_integers([row[columns.source], row[columns.target]])
    string_ids = look_like_text if options.ids == "auto" else options.ids == "str"
    ignore_rest = not separator and (options.weights is False or (not skip and options.columns is not None))
    width = 1 + max(c for c in (*columns, type_) if c is not None) if ignore_rest else len(row)
    doubtful &= string_ids
    guessed = guessed if string_ids else frozenset()
    return Layout(columns, width, separator, string_ids, ignore_rest, skip, guessed, type_, directed, doubtful)


def _fields(line: bytes, separator: str) -> Row:
    """The fields of one line; none where it is malformed, or where one is empty in a line without a separator."""
    text = np.frombuffer(line, np.uint8)
    row: Row = []
    at = 0 if separator else len(line) - len(line.lstrip())
    while True:
        start, stop, at = delimited_field(text, at, ord(separator)) if separator else plain_field(text, at)
        if start < 0 or (start == stop and not separator):
            return []
        row.append(line[start:stop].decode(errors="replace"))
        if line[at : at + 1] == b"\n" or (not separator and line[at : at + 1] in (b"#", b"%")):
            return row
        at += bool(separator)


def _separator_of_header(lines: Sequence[bytes], options: ReadOptions) -> str | None:
    """What separates the names of columns in the first line and the fields below; None where there are no names."""
    if options.header is False:
        return None
    for separator in _SEPARATORS:
        rows = [_fields(line, separator) for line in lines]
        if len(rows) < 2 or (separator and not len(rows[0]) == len(rows[1]) > 1):
            continue
        if options.header or _is_header(rows, options):
            return separator
    return None


def _separator_of_edges(lines: Sequence[bytes]) -> str:
    """What separates the fields of lines without names; "" for blanks or a comma."""
    if _has_semicolons(lines):
        return ";"
    widths = {len(_fields(line, "")) for line in lines}
    if len(widths) == 1 and widths <= {2, 3}:
        return ""
    for separator in ("\t", ","):
        rows = [_fields(line, separator) for line in lines]
        if len(rows[0]) > 1 and {len(row) for row in rows} == {len(rows[0])} and _have_blanks(rows):
            return separator
    return ""


def _have_blanks(rows: Sequence[Row]) -> bool:
    return any(" " in field for row in rows for field in row)


def _has_semicolons(lines: Sequence[bytes]) -> bool:
    """Whether semicolons separate the fields of lines without names, and are not part of ids between blanks."""
    row = _fields(lines[0], ";")
    if len(row) < 2 or _are_integers(row[:2]):
        return len(row) >= 2
    rows = [_fields(line, "") for line in lines]
    at_the_ends = any(field.startswith(";") or field.endswith(";") for row in rows for field in row)
    return at_the_ends or any(len(row) < 2 for row in rows)


def _is_header(rows: Sequence[Row], options: ReadOptions) -> bool:
    """Whether the first row names columns and the second is an edge."""
    first, second = rows[:2]
    wanted = _wanted(options)
    if wanted or not first:
        return bool(first) and wanted <= {name.lower() for name in first}
    if _has_known_names(rows):
        return True
    ends = _numbers(options.columns or (), len(first))[:2] or [0, 1]
    if _are_integers([first[end] for end in ends if end < len(first)]):
        return False
    may_be_names = not any(_NUMBER.fullmatch(first[end]) for end in ends if end < len(first))
    may_be_names &= options.ids != "str" or len(rows) > 2  # one row of numbers may be ids of text, too
    if may_be_names and all(_are_integers([row[end] for end in ends if end < len(row)]) for row in rows[1:]):
        return True
    if not len(first) == len(second) > 2:
        return False
    below = _first_values(rows)
    if _has_index(first, below):
        return True
    ids = {row[end] for row in rows[1:] for end in ends if end < len(row)}
    return ids.isdisjoint(first[end] for end in ends) and _differ_in_kind(first, below)


def _is_header_alone(lines: Sequence[bytes]) -> bool:
    return len(lines) == 1 and any(known_columns(_fields(lines[0], separator)) for separator in _SEPARATORS)


def _is_called_table(path: Path) -> bool:
    return without_compression(path).suffix.lower() in (".csv", ".tsv")


def _may_be_names(lines: Sequence[bytes], separator: str, columns: Columns) -> bool:
    """Whether the first line has no number and no id of the next lines, and so may name the columns."""
    rows = [_fields(line, separator) for line in lines]
    if columns.weight is not None or len(rows[0]) != len(rows[1 % len(rows)]):
        return False
    names, *ids = ({row[end] for end in columns[:2] if end < len(row)} for row in rows)
    return not any(map(_NUMBER.fullmatch, names)) and names.isdisjoint(set().union(*ids))


def _has_known_names(rows: Sequence[Row]) -> bool:
    """Whether the first row has known names that are not ids: vertices called u and v have other edges too."""
    first = rows[0]
    known = known_columns(first)
    if known is None or any(map(_NUMBER.fullmatch, first)):
        return False
    names = {first[known.source].lower(), first[known.target].lower()}
    ids = {row[end].lower() for row in rows[1:] for end in known[:2] if len(row) == len(first)}
    return names.isdisjoint(ids) and (names != {"u", "v"} or known.source < known.target)


def _first_values(rows: Sequence[Row]) -> Row:
    """The first field below each name that is not empty."""
    below = [row for row in rows[1:] if len(row) == len(rows[0])]
    return [next(filter(None, column), "") for column in zip(*below, strict=True)]


def _wanted(options: ReadOptions) -> set[str]:
    """The names of columns that the options give, in lower case."""
    return {name.lower() for name in options.columns or () if not name.isdecimal()}


def _has_index(first: Row, second: Row) -> bool:
    """Whether, of rows of three fields or more, the first names a column that numbers the rows."""
    is_named = bool(first[0]) and _NUMBER.fullmatch(first[2]) is not None
    return is_index(first[0]) and _INTEGER.fullmatch(second[0]) is not None and not is_named


def _differ_in_kind(first: Row, second: Row) -> bool:
    """Whether, of rows of three fields or more, the first has names, of which one stands over numbers."""
    if len(first) > 3 and any(map(_NUMBER.fullmatch, first)):
        return False
    return any(_NUMBER.fullmatch(b) and not _NUMBER.fullmatch(a) for a, b in zip(first[2:], second[2:], strict=True))


def _columns_of_header(rows: Sequence[Row], line: bytes, options: ReadOptions, place: Place) -> Columns:
    """The columns of a file that names them; ``line``, at ``place``, is its first edge."""
    names, edge = rows[:2]
    if len(edge) < 2:
        raise _not_an_edge(edge, line, place)
    if len(names) == len(edge):
        return find_columns(names, options, place.path, first_counts=_first_counts(rows[1:]))
    if len(edge) == 2 or options.columns is not None:
        return find_columns([""] * len(edge), options, place.path)
    problem = f"this line has {len(edge)} fields, but the line of names has {listed(names)}"
    raise place.error(b"", 0, f"{problem}: give the numbers of those to read by columns='2,3' (--columns 2,3).")


def _first_counts(rows: Sequence[Row]) -> bool:
    """Whether the first column numbers the rows from 0 or 1 on, and the last may hold ids."""
    if not all(len(row) == 3 and _SHORT_INTEGER.fullmatch(row[0]) and _INTEGER.fullmatch(row[2]) for row in rows):
        return False
    counted = [int(row[0]) for row in rows]
    return len(rows) > 2 and counted[0] in (0, 1) and all(b == a + 1 for a, b in pairwise(counted))


def _columns_of_edge(row: Row, line: bytes, options: ReadOptions, place: Place) -> Columns:
    """The columns of a file that does not name them."""
    if len(row) >= 2 and options.columns is not None:
        return _numbered_columns(options.columns, row, line, place)
    if len(row) >= 2 and options.weights is False:
        return Columns(0, 1)
    if len(row) == 2 and options.weights:
        raise LenseError(f"{place.path} has no third column, so no weights: read it without weights=True.")
    if len(row) not in (2, 3):
        raise _not_an_edge(row, line, place)
    return Columns(0, 1, 2 if len(row) == 3 else None)


def _not_an_edge(row: Row, line: bytes, place: Place) -> LenseError:
    hint = ""
    if len(row) > 3:
        hint = " (weights=False (--no-weights) ignores the other columns, columns='2,3' (--columns 2,3) reads others)"
    return place.error(b"", 0, f"an edge is two ids and perhaps a weight{hint}, but this line reads '{excerpt(line)}'.")


def _numbered_columns(wanted: Sequence[str], row: Row, line: bytes, place: Place) -> Columns:
    numbers = _numbers(wanted, len(row))
    if len(numbers) < len(wanted):
        problem = (
            f"this line does not name the columns '{','.join(wanted)}': name columns as it does, or give numbers "
            f"from 1 to {len(row)}; it reads '{excerpt(line)}'."
        )
        raise place.error(b"", 0, problem)
    if len(set(numbers)) < len(numbers):
        raise LenseError(f"columns (--columns) '{','.join(wanted)}' means the same column of {place.path} twice.")
    return Columns(*numbers)


def _numbers(wanted: Sequence[str], width: int) -> list[int]:
    """The places that are given by number, from 0 on."""
    return [number - 1 for text in wanted if 1 <= (number := column_number(text)) <= width]


def _are_integers(fields: Sequence[str]) -> bool:
    return len(fields) == 2 and all(_INTEGER.fullmatch(text) for text in fields)
