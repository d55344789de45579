"""Lines of text to columns of numbers: comments, fields by the byte, and errors that name the line."""

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from lense._util.jit import kernel
from lense._util.types import Float32s, Int32s, Int64s
from lense.errors import LenseError, printable

_LONGEST_EXCERPT = 40
_LINE_FEED, _SPACE, _HASH, _PERCENT = (ord(c) for c in "\n #%")
_ALWAYS_ALLOWED, _LEAST_BYTES = 10_000, 4
"""Comments that say something are written for many vertices each: there are few, or one in so many bytes on disk."""

Comment = tuple[int, bytes]
"""The number of a line and its text."""


@dataclass
class Place:
    """A file, and the number of the line where the block that is being parsed starts."""

    path: Path
    line: int = 1

    def error(self, block: bytes, at: int, problem: str) -> LenseError:
        """An error about position ``at`` of the current block."""
        line = self.line + block.count(b"\n", 0, at)
        return LenseError(f"{self.path}, line {line}: {problem}")


@kernel
def _first_data_line(text: NDArray[np.uint8], at: int, hash_starts_comment: bool) -> int:
    """The start of the first line from ``at`` on that is neither blank nor a comment, or the end of the text."""
    while at < text.size:
        line = at
        while text[at] <= _SPACE and text[at] != _LINE_FEED:
            at += 1
        if text[at] != _LINE_FEED and text[at] != _PERCENT and not (hash_starts_comment and text[at] == _HASH):
            return line
        while text[at] != _LINE_FEED:
            at += 1
        at += 1
    return at


def read_comments(
    blocks: Iterator[bytes], place: Place, wanted: re.Pattern[bytes], *, hash_starts_comment: bool = False
) -> tuple[list[Comment], bytes]:
    """The comments before the first line of data in which ``wanted`` occurs, and the block from that line on.

    ``wanted`` is looked for in lower case. ``place`` moves to the line of data.
    """
    comments: list[Comment] = []
    most = _ALWAYS_ALLOWED + place.path.stat().st_size // _LEAST_BYTES if place.path.is_file() else None
    for block in blocks:
        start = len(codecs.BOM_UTF8) if place.line == 1 and block.startswith(codecs.BOM_UTF8) else 0
        end = _first_data_line(np.frombuffer(block, np.uint8), start, hash_starts_comment)
        lower, at = block[:end].lower(), start
        while found := wanted.search(lower, at):
            first = block.rfind(b"\n", at, found.start()) + 1 or at
            place.line += block.count(b"\n", at, first)
            at = block.index(b"\n", first) + 1
            comments.append((place.line, block[first:at]))
            place.line += 1
            if most is not None and len(comments) > most:
                raise LenseError(
                    f"{place.path} has more comments about the graph than one of its size: write it again."
                )
        place.line += block.count(b"\n", at, end)
        if end < len(block):
            return comments, block[end:]
    return comments, b""


def excerpt(text: bytes) -> str:
    """A piece of a file that is fit to be shown in a message."""
    shown = printable(text.decode(errors="replace")).strip()
    return shown if len(shown) <= _LONGEST_EXCERPT else shown[: _LONGEST_EXCERPT - 3] + "..."


Bytes = NDArray[np.uint8]

_LINE_FEED, _QUOTE, _COMMA, _POINT, _PLUS, _MINUS = (ord(c) for c in '\n",.+-')
_SPACE, _TAB, _RETURN = (ord(c) for c in " \t\r")
_HASH, _PERCENT = ord("#"), ord("%")
_ZERO, _NINE, _SMALL_E, _BIG_E = (ord(c) for c in "09eE")

_LARGEST = np.iinfo(np.int64).max
_EXACT_MANTISSA, _EXACT_POWER = 2**53, 22
_POWERS_OF_TEN = tuple(float(f"1e{k}") for k in range(64))
_SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)


@kernel
def _skip_blanks(text: Bytes, at: int) -> int:
    while text[at] == _SPACE or text[at] == _TAB or text[at] == _RETURN:
        at += 1
    return at


@kernel
def _after_blanks(text: Bytes, at: int, separator: int) -> int:
    """Where the blanks end; a tab that separates fields is not a blank."""
    while text[at] != separator and (text[at] == _SPACE or text[at] == _TAB or text[at] == _RETURN):
        at += 1
    return at


@kernel
def _skip_line(text: Bytes, at: int) -> int:
    """The start of the next line."""
    while text[at] != _LINE_FEED:
        at += 1
    return at + 1


@kernel
def plain_field(text: Bytes, at: int) -> tuple[int, int, int]:
    """Start and stop of the field at ``at``, and where the next one starts; empty where there is no field."""
    quoted = text[at] == _QUOTE
    start = at + 1 if quoted else at
    stop = start
    if quoted:
        while text[stop] != _QUOTE and text[stop] != _LINE_FEED:
            stop += 1
        if text[stop] == _LINE_FEED:
            return at, at, at
    elif text[at] != _HASH and text[at] != _PERCENT:
        while text[stop] > _SPACE and text[stop] != _COMMA:
            stop += 1
    end = stop + 1 if quoted else stop
    after = _skip_blanks(text, end)
    if text[after] == _COMMA:
        comma = _skip_blanks(text, after + 1)
        return start, stop, comma if text[comma] != _LINE_FEED else after
    if after == end and text[after] != _LINE_FEED:
        return at, at, at
    return start, stop, after


@kernel
def split_lines(text: Bytes, columns: int, ignore_rest: bool, starts: Int32s, stops: Int32s) -> tuple[int, int]:
    """Find the first ``columns`` fields of each plain line that has any; where it stopped, and how many it found.

    ``starts`` and ``stops`` (columns, lines) receive the fields. It stops at a line with too few fields or,
    unless the rest is ignored, too many; else at the end of the text.
    """
    found = 0
    line = 0
    while line < text.size:
        at = _skip_blanks(text, line)
        if text[at] != _LINE_FEED and text[at] != _HASH and text[at] != _PERCENT:
            for column in range(columns):
                start, stop, at = plain_field(text, at)
                if start == stop:
                    return line, found
                starts[column, found] = start
                stops[column, found] = stop
            if not (ignore_rest or text[at] == _LINE_FEED or text[at] == _HASH or text[at] == _PERCENT):
                return line, found
            found += 1
        line = _skip_line(text, at)
    return line, found


@kernel
def delimited_field(text: Bytes, at: int, separator: int) -> tuple[int, int, int]:
    """Start and stop of the field at ``at``, and the separator or line feed behind it; start -1 where it is malformed.

    Within quotes a doubled quote does not end the field.
    """
    at = _after_blanks(text, at, separator)
    start = stop = at
    if text[at] == _QUOTE:
        start = stop = at + 1
        while text[stop] != _LINE_FEED and (text[stop] != _QUOTE or text[stop + 1] == _QUOTE):
            stop += 2 if text[stop] == _QUOTE else 1
        at = stop if text[stop] == _LINE_FEED else _after_blanks(text, stop + 1, separator)
        return (start if text[stop] == _QUOTE and text[at] in (separator, _LINE_FEED) else -1), stop, at
    while text[at] != separator and text[at] != _LINE_FEED:
        if text[at] > _SPACE:
            stop = at + 1
        at += 1
    return start, stop, at


@kernel
def split_delimited_lines(
    text: Bytes, separator: int, columns: int, ignore_rest: bool, starts: Int32s, stops: Int32s
) -> tuple[int, int]:
    """Find the first ``columns`` fields of each delimited line that is not blank, as :func:`split_lines` does."""
    found = 0
    line = 0
    while line < text.size:
        at = _skip_blanks(text, line)
        if text[at] != _LINE_FEED and text[at] != _HASH and text[at] != _PERCENT:
            at = line - 1
            for column in range(columns):
                start, stop, at = delimited_field(text, at + 1, separator)
                if start < 0 or (text[at] == _LINE_FEED and column < columns - 1):
                    return line, found
                starts[column, found] = start
                stops[column, found] = stop
            if not (ignore_rest or text[at] == _LINE_FEED):
                return line, found
            found += 1
        line = _skip_line(text, at)
    return line, found


@kernel
def _is_word(text: Bytes, start: int, stop: int, word: Bytes) -> bool:
    at = 0
    while at < word.size and start + at < stop and text[start + at] | 32 == word[at]:
        at += 1
    return at == word.size == stop - start


@kernel
def first_other_kind(text: Bytes, starts: Int32s, stops: Int32s, word: Bytes, other: Bytes, kind: int) -> int:
    """The index of the first field that is not of this kind: 1 is ``word``, 0 ``other`` and -1 neither, in any case."""
    for i in range(starts.size):
        found = -1
        if _is_word(text, starts[i], stops[i], word):
            found = 1
        elif _is_word(text, starts[i], stops[i], other):
            found = 0
        if found != kind:
            return i
    return starts.size


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


@kernel
def parse_decimals(text: Bytes, starts: Int32s, stops: Int32s, decimal_comma: bool, values: Float32s) -> None:
    """Read fields as decimal numbers; NaN where a field is not one, or where an exact parser must decide.

    With ``decimal_comma`` a comma may stand for the decimal point.
    """
    point = _COMMA if decimal_comma else _POINT
    for i in range(starts.size):
        values[i] = _decimal(text, starts[i], stops[i], point)


@kernel
def _decimal(text: Bytes, at: int, stop: int, point: int) -> float:
    """The number ``text[at:stop]``, equal to the exactly parsed one once it is rounded to float32, or NaN.

    ``point`` is one more sign that counts as a decimal point.
    """
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    mantissa, exponent = np.uint64(0), 0
    fraction, digits = False, 0
    while at < stop and (_ZERO <= text[at] <= _NINE or ((text[at] == _POINT or text[at] == point) and not fraction)):
        if text[at] == _POINT or text[at] == point:
            fraction = True
        else:
            digits += 1
            if mantissa < np.uint64(10**18):
                mantissa = np.uint64(10) * mantissa + np.uint64(text[at] - _ZERO)
                exponent -= fraction
            else:  # a twentieth digit is worth less than the margin below
                exponent += not fraction
        at += 1
    if digits == 0:
        return np.nan
    if at < stop:
        if text[at] != _SMALL_E and text[at] != _BIG_E:
            return np.nan
        power = _exponent(text, at + 1, stop)
        if power == _LARGEST:
            return np.nan
        exponent += power
    value = _scaled(mantissa, exponent)
    return -value if negative else value


@kernel
def _exponent(text: Bytes, at: int, stop: int) -> int:
    """The whole number ``text[at:stop]``, perhaps signed; the largest integer there is where it is not a number."""
    negative = at < stop and text[at] == _MINUS
    if negative or (at < stop and text[at] == _PLUS):
        at += 1
    if not 0 < stop - at <= 4:
        return _LARGEST
    value = 0
    for i in range(at, stop):
        if not _ZERO <= text[i] <= _NINE:
            return _LARGEST
        value = 10 * value + int(text[i]) - _ZERO
    return -value if negative else value


@kernel
def _scaled(mantissa: np.uint64, exponent: int) -> float:
    """mantissa * 10^exponent to float32, or NaN where four roundings in float64 leave it in doubt."""
    if mantissa == np.uint64(0):
        return 0.0
    size = abs(exponent)
    if size >= len(_POWERS_OF_TEN):
        return np.nan
    power = _POWERS_OF_TEN[size]
    value = float(mantissa) * power if exponent > 0 else float(mantissa) / power
    if mantissa <= np.uint64(_EXACT_MANTISSA) and size <= _EXACT_POWER:
        return value
    if value < _SMALLEST_NORMAL or np.float32(value * (1 - 1e-15)) != np.float32(value * (1 + 1e-15)):
        return np.nan
    return value


T = TypeVar("T", bound=np.generic)

_CONTROL = re.compile(rb"[^\t\r\x20-\xff]")
_LARGEST_WEIGHT = float(np.finfo(np.float32).max)


class Fields:
    """The fields of a block of whole lines: ``text[starts[c, i]:stops[c, i]]`` is column c of the i-th line with any.

    Lines count up to the first that has not exactly ``columns`` fields (or at least those, if the rest is ignored).
    Without a ``separator`` blanks or one comma separate fields; see :mod:`lense.graph.formats.text`.
    """

    def __init__(
        self, block: bytes, columns: int, place: Place, *, separator: str = "", ignore_rest: bool = False
    ) -> None:
        self.block = block
        self.text = np.frombuffer(block, np.uint8)
        self._place = place
        self._decimal_comma = separator == ";"
        shape = (columns, block.count(b"\n"))
        starts, stops = np.empty(shape, np.int32), np.empty(shape, np.int32)
        if separator:
            self._end, found = split_delimited_lines(self.text, ord(separator), columns, ignore_rest, starts, stops)
        else:
            self._end, found = split_lines(self.text, columns, ignore_rest, starts, stops)
        self.starts, self.stops = starts[:, :found], stops[:, :found]

    def error(self, column: int, line: int, problem: str) -> LenseError:
        """An error about one field."""
        return self._place.error(self.block, self.starts[column, line], problem)

    def check_all_read(self, expected: str) -> None:
        """Raise where a line has not the columns that it should have."""
        if self._end < len(self.block):
            line = excerpt(self.block[self._end : self.block.index(b"\n", self._end)])
            raise self._place.error(self.block, self._end, f"expected {expected}, not '{line}'.")

    @classmethod
    def of_list(cls, text: bytes, place: Place) -> "Fields":
        """What blanks separate in a line of text, as a single column."""
        if _CONTROL.search(text):
            raise place.error(text, 0, "an id must hold no control characters: rename the vertex.")
        edges = np.diff(np.frombuffer(b" " + text + b" ", np.uint8) > ord(" "))
        starts, stops = np.flatnonzero(edges).astype(np.int32).reshape(-1, 2).T
        return cls.of_spans(text, starts, stops, place)

    @classmethod
    def of_spans(cls, block: bytes, starts: Int32s, stops: Int32s, place: Place) -> "Fields":
        """The stretches ``block[start:stop]`` as a single column."""
        fields = cls(b"", 0, place)
        fields.block, fields.text = block, np.frombuffer(block, np.uint8)
        fields.starts, fields.stops = starts.reshape(1, -1), stops.reshape(1, -1)
        return fields

    def field(self, column: int, line: int) -> bytes:
        return self.block[self.starts[column, line] : self.stops[column, line]]

    def first_with_doubled_quote(self, column: int) -> int | None:
        """The first line whose field in this column holds two quotes in a row, which stand for one."""
        if b'""' not in self.block:
            return None
        quotes = self.text == ord('"')
        pairs = np.flatnonzero(quotes[:-1] & quotes[1:])
        lines = np.searchsorted(self.starts[column], pairs, side="right") - 1
        within = (lines >= 0) & (pairs < self.stops[column, lines]) if self.starts.size else np.zeros(1, np.bool_)
        return int(lines[np.argmax(within)]) if within.any() else None

    def integers(self, column: int, complaint: Callable[[bytes], str]) -> Int64s:
        """A column of integers from 0 to 2^63 - 1; ``complaint`` says what is wrong with a field that is not one."""
        values = np.empty(self.starts.shape[1], np.int64)
        good = parse_integers(self.text, self.starts[column], self.stops[column], values)
        if good < values.size:
            raise self.error(column, good, complaint(self.field(column, good)))
        return values

    def weights(self, column: int) -> Float32s:
        """A column of decimal numbers, each rounded as Python and numpy would round it."""
        values = np.empty(self.starts.shape[1], np.float32)
        parse_decimals(self.text, self.starts[column], self.stops[column], self._decimal_comma, values)
        for line in np.flatnonzero(~np.isfinite(values)).tolist():
            values[line] = self._exact_weight(column, line)
        return values

    def _exact_weight(self, column: int, line: int) -> float:
        """The weight by Python's own parser, for the few that float64 arithmetic cannot decide."""
        field = self.field(column, line)
        try:
            weight = float(field.replace(b",", b".") if self._decimal_comma else field)
        except ValueError as error:
            in_column = f" in column {column + 1}" if len(self.starts) > 1 else ""
            problem = (
                f"the weight '{excerpt(field)}'{in_column} is not a number; weights=False (--no-weights) ignores it."
            )
            raise self.error(column, line, problem) from error
        if not abs(weight) <= _LARGEST_WEIGHT:
            problem = (
                f"the weight '{excerpt(field)}' is not a finite number of single precision; "
                "weights=False (--no-weights) ignores it."
            )
            raise self.error(column, line, problem)
        return weight


class Growing(Generic[T]):
    """An array that grows at its end: in place where the system can, and by little enough to waste little."""

    def __init__(self, dtype: type[T]) -> None:
        self._values = np.empty(0, dtype)
        self._size = 0

    def append(self, values: NDArray[T]) -> None:
        end = self._size + values.size
        if end > self._values.size:
            self._values.resize(end + end // 8, refcheck=False)
        self._values[self._size : end] = values
        self._size = end

    def array(self) -> NDArray[T]:
        """The values, cut to size."""
        self._values.resize(self._size, refcheck=False)
        return self._values
