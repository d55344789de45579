"""Columns of a text file: the fields of a block of lines as numbers, and arrays that grow block by block."""

import re
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from lense._util.types import Float32s, Int32s, Int64s
from lense.errors import LenseError
from lense.graph.formats.place import Place, excerpt
from lense.graph.formats.tokens import parse_decimals, parse_integers, split_delimited_lines, split_lines

T = TypeVar("T", bound=np.generic)

_CONTROL = re.compile(rb"[^\t\r\x20-\xff]")
_LARGEST_WEIGHT = float(np.finfo(np.float32).max)


class Fields:
    """The fields of a block of whole lines: ``text[starts[c, i]:stops[c, i]]`` is column c of the i-th line with any.

    Lines count up to the first that has not exactly ``columns`` fields (or at least those, if the rest is ignored).
    Without a ``separator`` blanks or one comma separate fields; see :mod:`lense.graph.formats.tokens`.
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
