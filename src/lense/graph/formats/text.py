"""Lines of text to columns of numbers: comments, fields by the byte, and errors that name the line.

A block of text is an array of bytes that ends with a line feed. Fields are stretches ``text[start:stop]``, perhaps
in double quotes; a comment begins with ``#`` or ``%``. In plain lines (separator 0) blanks separate the fields, none is
empty, and a comment may follow. In delimited lines one given character does, as in CSV: fields may hold blanks or be
empty, and blanks around them do not count.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lense._util.jit import kernel
from lense._util.types import Float32s, Int32s, Int64s
from lense.errors import LenseError, printable

Bytes = NDArray[np.uint8]
Comment = tuple[int, bytes]
"""The number of a line and its text."""

_LONGEST_EXCERPT = 40
_MOST_COMMENTS, _BYTES_PER_COMMENT = 10_000, 4
"""Comments that say something are written for many vertices each: there are few, or one in so many bytes on disk."""
_DATA = {signs: re.compile(rb"^[\x00-\x09\x0b-\x20]*+[^\x00-\x20%b]" % signs, re.MULTILINE) for signs in (b"%", b"#%")}
"""Finds the first line that is neither blank nor a comment, by the signs that start a comment."""
_CONTROL = re.compile(rb"[^\t\r\x20-\xff]")
_LINE_FEED, _QUOTE, _SPACE, _TAB, _RETURN, _HASH, _PERCENT, _ZERO = (ord(c) for c in '\n" \t\r#%0')
_LARGEST = np.iinfo(np.int64).max
_LARGEST_WEIGHT = float(np.finfo(np.float32).max)


@dataclass
class Place:
    """A file, and the number of the line where the block that is being parsed starts."""

    path: Path
    line: int = 1

    def error(self, block: bytes, at: int, problem: str) -> LenseError:
        """An error about position ``at`` of the current block."""
        line = self.line + block.count(b"\n", 0, at)
        return LenseError(f"{self.path}, line {line}: {problem}")


def excerpt(text: bytes) -> str:
    """A piece of a file that is fit to be shown in a message."""
    shown = printable(text.decode(errors="replace")).strip()
    return shown if len(shown) <= _LONGEST_EXCERPT else shown[: _LONGEST_EXCERPT - 3] + "..."


def read_comments(
    blocks: Iterator[bytes], place: Place, wanted: re.Pattern[bytes], signs: bytes = b"#%"
) -> tuple[list[Comment], bytes]:
    """The comments before the first line of data in which ``wanted`` occurs, and the block from that line on.

    ``wanted`` is looked for in lower case. ``place`` moves to the line of data.
    """
    comments: list[Comment] = []
    size = place.path.stat().st_size if place.path.is_file() else None
    for block in blocks:
        text = block.removeprefix(codecs.BOM_UTF8) if place.line == 1 else block
        data = _DATA[signs].search(text)
        end, at = data.start() if data else len(text), 0
        lower = text[:end].lower()
        while found := wanted.search(lower, at):
            first = text.rfind(b"\n", at, found.start()) + 1 or at
            place.line += text.count(b"\n", at, first)
            at = text.index(b"\n", first) + 1
            comments.append((place.line, text[first:at]))
            place.line += 1
            if size is not None and len(comments) > _MOST_COMMENTS + size // _BYTES_PER_COMMENT:
                raise LenseError(
                    f"{place.path} has more comments about the graph than one of its size: write it again."
                )
        place.line += text.count(b"\n", at, end)
        if data:
            return comments, text[end:]
    return comments, b""


@kernel
def _skip_blanks(text: Bytes, at: int, separator: int) -> int:
    """Where the blanks end; a tab that separates fields is not a blank."""
    while text[at] != separator and (text[at] == _SPACE or text[at] == _TAB or text[at] == _RETURN):
        at += 1
    return at


@kernel
def _ends_data(sign: int) -> bool:
    return sign in (_LINE_FEED, _HASH, _PERCENT)


@kernel
def _next_field(text: Bytes, at: int, separator: int) -> tuple[int, int, int]:
    """Start and stop of the field at ``at``, and the separator, line feed or next field behind it.

    The start is -1 where there is no field or a malformed one. Within quotes a doubled quote does not end the field.
    """
    at = _skip_blanks(text, at, separator)
    if separator == 0 and _ends_data(text[at]):
        return -1, at, at
    start = stop = at
    if text[at] == _QUOTE:
        start = stop = at + 1
        while text[stop] != _LINE_FEED and (text[stop] != _QUOTE or text[stop + 1] == _QUOTE):
            stop += 2 if text[stop] == _QUOTE else 1
        if text[stop] == _LINE_FEED:
            return -1, stop, stop
        at = _skip_blanks(text, stop + 1, separator)
        if text[at] != _LINE_FEED and (text[at] != separator if separator else at == stop + 1):
            return -1, stop, at
    elif separator:
        while text[at] != separator and text[at] != _LINE_FEED:
            if text[at] > _SPACE:
                stop = at + 1
            at += 1
    else:
        while text[stop] > _SPACE:
            stop += 1
        at = _skip_blanks(text, stop, 0)
        if at == stop and text[at] != _LINE_FEED:  # a control character
            return -1, stop, at
    return start if separator or stop > start else -1, stop, at


@kernel
def split_lines(
    text: Bytes, separator: int, columns: int, ignore_rest: bool, starts: Int32s, stops: Int32s
) -> tuple[int, int]:
    """Find the first ``columns`` fields of each line that has any; where it stopped, and how many lines it found.

    ``starts`` and ``stops`` (columns, lines) receive the fields. It stops at a line with too few fields or,
    unless the rest is ignored, too many; else at the end of the text.
    """
    found = line = 0
    while line < text.size:
        at = _skip_blanks(text, line, 0)
        if not _ends_data(text[at]):
            at = line - 1 if separator else at
            for column in range(columns):
                start, stop, at = _next_field(text, at + (separator > 0), separator)
                if start < 0 or (separator and text[at] == _LINE_FEED and column < columns - 1):
                    return line, found
                starts[column, found], stops[column, found] = start, stop
            if not (ignore_rest or text[at] == _LINE_FEED or (separator == 0 and _ends_data(text[at]))):
                return line, found
            found += 1
        while text[at] != _LINE_FEED:
            at += 1
        line = at + 1
    return line, found


def fields_of(line: bytes, separator: str) -> list[str]:
    """The fields of one line; none where it is malformed."""
    text, sign = np.frombuffer(line, np.uint8), ord(separator) if separator else 0
    row: list[str] = []
    at = -1 if separator else 0
    while True:
        start, stop, at = _next_field(text, at + (sign > 0), sign)
        if start < 0:
            return []
        row.append(line[start:stop].decode(errors="replace"))
        if text[at] == _LINE_FEED or (not separator and _ends_data(text[at])):
            return row


@kernel
def parse_integers(text: Bytes, starts: Int32s, stops: Int32s, values: Int64s) -> int:
    """Read fields as integers from 0 to 2^63 - 1; the index of the first that is not one, else their number."""
    for i in range(starts.size):
        if starts[i] == stops[i]:
            return i
        value = 0
        for at in range(starts[i], stops[i]):
            digit = int(text[at]) - _ZERO
            if not 0 <= digit <= 9 or value > (_LARGEST - digit) // 10:
                return i
            value = 10 * value + digit
        values[i] = value
    return starts.size


class Fields:
    """The fields of a block of whole lines: ``text[starts[c, i]:stops[c, i]]`` is column c of the i-th line with any.

    Lines count up to the first that has not exactly ``columns`` fields (or at least those, if the rest is ignored).
    """

    def __init__(
        self, block: bytes, columns: int, place: Place, *, separator: str = "", ignore_rest: bool = False
    ) -> None:
        self.block, self.text = block, np.frombuffer(block, np.uint8)
        self._place, self._decimal_comma = place, separator == ";"
        shape = (columns, block.count(b"\n"))
        starts, stops = np.empty(shape, np.int32), np.empty(shape, np.int32)
        sign = ord(separator) if separator else 0
        self._end, found = split_lines(self.text, sign, columns, ignore_rest, starts, stops)
        self.starts, self.stops = starts[:, :found], stops[:, :found]

    @classmethod
    def of_list(cls, text: bytes, place: Place) -> Self:
        """What blanks separate in a line of text, as a single column."""
        if _CONTROL.search(text):
            raise place.error(text, 0, "an id must hold no control characters: rename the vertex.")
        edges = np.flatnonzero(np.diff(np.frombuffer(b" " + text + b" ", np.uint8) > _SPACE)).astype(np.int32)
        fields = cls(b"", 1, place)
        fields.block, fields.text = text, np.frombuffer(text, np.uint8)
        fields.starts, fields.stops = edges[None, ::2], edges[None, 1::2]
        return fields

    def error(self, column: int, line: int, problem: str) -> LenseError:
        """An error about one field."""
        return self._place.error(self.block, self.starts[column, line], problem)

    def check_all_read(self, expected: str) -> None:
        """Raise where a line has not the columns that it should have."""
        if self._end < len(self.block):
            line = excerpt(self.block[self._end : self.block.index(b"\n", self._end)])
            raise self._place.error(self.block, self._end, f"expected {expected}, not '{line}'.")

    def field(self, column: int, line: int) -> bytes:
        return self.block[self.starts[column, line] : self.stops[column, line]]

    def integers(self, column: int, complaint: Callable[[bytes], str]) -> Int64s:
        """A column of integers from 0 to 2^63 - 1; ``complaint`` says what is wrong with a field that is not one."""
        values = np.empty(self.starts.shape[1], np.int64)
        good = parse_integers(self.text, self.starts[column], self.stops[column], values)
        if good < values.size:
            raise self.error(column, good, complaint(self.field(column, good)))
        return values

    def texts(self, column: int) -> Any:
        """A column as an array of pyarrow, which takes the text for UTF-8."""
        import pyarrow as pa

        bounds = np.stack([self.starts[column], self.stops[column]], axis=1).ravel()
        stretches = pa.StringArray.from_buffers(  # fields and what lies between them, in turn
            max(bounds.size - 1, 0), pa.py_buffer(bounds), pa.py_buffer(self.block)
        )
        return stretches.take(pa.array(np.arange(0, bounds.size, 2)))

    def weights(self, column: int) -> Float32s:
        """A column of decimal numbers, each rounded as Python and numpy would round it."""
        import pyarrow as pa
        from pyarrow import compute

        texts = self.texts(column)
        texts = compute.replace_substring(texts, ",", ".") if self._decimal_comma else texts
        try:
            with np.errstate(over="ignore"):
                values: Float32s = texts.cast(pa.float64()).to_numpy().astype(np.float32)
        except pa.ArrowInvalid:
            values = np.full(len(texts), np.nan, np.float32)
        for line in np.flatnonzero(~np.isfinite(values)).tolist():  # to say what is wrong with the first of them
            field = self.field(column, line)
            try:
                weight = float(field.replace(b",", b".") if self._decimal_comma else field)
            except ValueError as error:
                where = f" in column {column + 1}" if len(self.starts) > 1 else ""
                problem = f"the weight '{excerpt(field)}'{where} is not a number"
                raise self.error(column, line, f"{problem}; weights=False (--no-weights) ignores it.") from error
            if not abs(weight) <= _LARGEST_WEIGHT:
                problem = f"the weight '{excerpt(field)}' is not a finite number of single precision"
                raise self.error(column, line, f"{problem}; weights=False (--no-weights) ignores it.")
            values[line] = weight
        return values
