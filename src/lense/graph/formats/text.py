"""Lines of text to columns, by pyarrow: comments, fields, numbers, and errors that name the line.

A comment begins with ``#`` or ``%``. In plain lines (no separator) blanks separate the fields, none is empty, and a
comment may follow. In delimited lines one given character does, as in CSV: fields may hold blanks or be empty, and
blanks around them do not count. Either way a field may be in double quotes.
"""

import codecs
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np

from lense._util.types import Float32s, Int64s
from lense.errors import LenseError, printable

Comment = tuple[int, bytes]
"""The number of a line and its text."""

_LONGEST_EXCERPT = 40
_MOST_COMMENTS, _BYTES_PER_COMMENT = 10_000, 4
"""Comments that say something are written for many vertices each: there are few, or one in so many bytes on disk."""
_DATA = re.compile(rb"^[\x00-\x09\x0b-\x20]*+[^\x00-\x20#%]", re.MULTILINE)
"""Finds the first line that is neither blank nor a comment."""
_BLANKS, _AMONG_BLANKS = b" \t\r", bytes.maketrans(b"\t\r", b"  ")
_USUAL = bytes(sorted({*range(0x21, 0x100), *b"\n"} - {*b'"#%'}))
"""Neither blanks nor quotes, signs of comments or control characters."""
_COMMENT_LINE = re.compile(rb"^[ \t\r]*+[#%].*", re.MULTILINE)
_TABS_ALONE = re.compile(rb"^[ \t\r]*\t[ \t\r]*$", re.MULTILINE)
_PLAIN_FIELD = re.compile(rb'(?:"((?:[^"]|"")*+)"|([^\x00-\x20"#%][^\x00-\x20]*+))(?:[ \t\r]+|$)')
_CONTROL = re.compile(rb"[^\t\r\x20-\xff]")
_ODD_NUMBER = re.compile(rb"0[xX]|(?<![0-9eE.])-0")
"""What pyarrow takes for whole numbers, and is none here: 0x1F and -0."""
_UNIT = "\x1f"
_LARGEST, _MOST_DIGITS = np.iinfo(np.int64).max, 19
_LARGEST_WEIGHT = float(np.finfo(np.float32).max)


@dataclass
class Place:
    """A file, and the number of the line where the block that is being parsed starts."""

    path: Path
    line: int = 1

    def error(self, problem: str, line: int = 0) -> LenseError:
        """An error about a line of the block, the first one unless another is given."""
        return LenseError(f"{self.path}, line {self.line + line}: {problem}")


def excerpt(text: bytes) -> str:
    """A piece of a file that is fit to be shown in a message."""
    shown = printable(text.decode(errors="replace")).strip()
    return shown if len(shown) <= _LONGEST_EXCERPT else shown[: _LONGEST_EXCERPT - 3] + "..."


def read_comments(blocks: Iterator[bytes], place: Place, wanted: re.Pattern[bytes]) -> tuple[list[Comment], bytes]:
    """The comments before the first line of data in which ``wanted`` occurs, and the block from that line on.

    ``wanted`` is looked for in lower case. ``place`` moves to the line of data.
    """
    comments: list[Comment] = []
    size = place.path.stat().st_size if place.path.is_file() else None
    for block in blocks:
        text = block.removeprefix(codecs.BOM_UTF8) if place.line == 1 else block
        data = _DATA.search(text)
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


def is_data(line: bytes) -> bool:
    """Whether a line is neither blank nor a comment."""
    return line.strip(_BLANKS + b"\n")[:1] not in (b"", b"#", b"%")


@cache
def _delimited(separator: str) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Find a field, and a quote that pyarrow might misread."""
    sign = re.escape(separator.encode())
    blanks = rb"[ \t\r]*+" if separator != "\t" else rb"[ \r]*+"
    field = rb'%b(?:"((?:[^"]|"")*+)"%b|((?!")[^%b]*+))(%b|$)' % (blanks, blanks, sign, sign)
    quote = rb'[ \t]"|"[ \t]|(?:^|%b)"(?!(?:[^"\n]|"")*+"(?:%b|\r?$))' % (sign, sign)
    return re.compile(field), re.compile(quote, re.MULTILINE)


def split_line(line: bytes, separator: str) -> list[bytes]:
    """The fields of a line of data; none where it is malformed."""
    fields, at, line = [], 0, line.rstrip(b"\r\n") if separator else line.strip(_BLANKS + b"\n")
    field = _delimited(separator)[0] if separator else _PLAIN_FIELD
    while found := field.match(line, at):
        fields.append(found[2].strip(_BLANKS) if found[1] is None else found[1].replace(b'""', b'"'))
        at = found.end()
        if not found[3] if separator else at == len(line) or line[at] in b"#%":
            return fields
    return []


def _ways(block: bytes, separator: str) -> Iterator[tuple[bytes, str, bool]]:
    """How pyarrow may split a block: its text, the separator, and whether fields may be in quotes."""
    sign = separator or ("\t" if b"\t" in block else " ")
    odd = block.translate(None, _USUAL + sign.encode())
    if separator:
        if sign == "\t" and _TABS_ALONE.search(block):
            return
        if b'"' not in odd:
            yield block, sign, False
        elif plain := _unquoted(block, sign):
            yield plain, sign, False
        elif not _delimited(separator)[1].search(block):
            yield block, sign, True
        return
    if not odd:
        yield block, sign, False
    if odd.strip(_BLANKS + b'"'):
        return
    if odd:
        block = block.translate(_AMONG_BLANKS)
    sign = " " if odd else sign
    byte = sign.encode()
    while 2 * byte in block:
        block = block.replace(2 * byte, byte)
    block = block.replace(byte + b"\n", b"\n").replace(b"\n" + byte, b"\n").removeprefix(byte)
    if b'"' in odd:
        block = b"" if b'""' in block else _unquoted(block, sign)
    if block:
        yield block, sign, False


def _unquoted(block: bytes, sign: str) -> bytes:
    """The block without quotes, if all that it has are around whole fields without separators; else nothing."""
    byte = sign.encode()
    lines = b"\n" + (block.replace(b"\r\n", b"\n") if b"\r" in block else block)
    half, quotes = block.count(b'"') / 2, block.translate(None, bytes(sorted({*range(256)} - {*b'"\n', *byte})))
    are_around = half == lines.count(byte + b'"') + lines.count(b'\n"') == lines.count(b'"' + byte) + lines.count(
        b'"\n'
    ) and b'"' not in quotes.replace(b'""', b"")
    blanks = [blank for blank in (b" ", b"\t") if blank != byte and blank in block]
    if not are_around or any(blank + b'"' in block or b'"' + blank in block for blank in blanks):
        return b""
    return block.translate(None, b'"')


def _parsed(text: bytes, sign: str, width: int, kinds: Mapping[int, str], *, quotes: bool = False) -> dict[int, Any]:
    """The columns that ``kinds`` gives a type, of lines of ``width`` fields; ValueError where it cannot be."""
    import pyarrow as pa
    from pyarrow import csv

    table = csv.read_csv(
        pa.BufferReader(b"\n" + text),  # since a byte order mark in front would be dropped
        csv.ReadOptions(column_names=list(map(str, range(width))), use_threads=False, block_size=len(text) + 2),
        csv.ParseOptions(delimiter=sign, quote_char='"' if quotes else False),
        csv.ConvertOptions(
            column_types={str(column): kind for column, kind in kinds.items()},
            include_columns=list(map(str, kinds)),
            null_values=[],
            strings_can_be_null=False,
        ),
    )
    return {column: table.column(str(column)).combine_chunks() for column in kinds}


class Fields:
    """Columns of a block of whole lines, read by pyarrow; line by line where it refuses or would misread them.

    Every line that has data has ``width`` fields.
    """

    def __init__(
        self,
        block: bytes,
        width: int,
        place: Place,
        integers: Sequence[int] = (),
        texts: Sequence[int] = (),
        *,
        separator: str = "",
        expected: str = "",
    ) -> None:
        from pyarrow import compute

        if not _DATA.search(block):
            block = b"\n" * block.count(b"\n")
        elif b"#" in block or b"%" in block:
            block = _COMMENT_LINE.sub(b"", block)  # which leaves rows in their lines
        self._text, self._place, self._decimal_comma = block, place, separator == ";"
        is_odd = any(sign in block for sign in (b"x", b"X", b"-")) and _ODD_NUMBER.search(block)
        kinds = {**dict.fromkeys(texts, "string"), **dict.fromkeys(integers, "string" if is_odd else "int64")}
        for text, sign, has_quotes in _ways(block, separator):
            try:
                self._columns = _parsed(text, sign, width, kinds, quotes=has_quotes)
            except ValueError:
                continue
            for column, values in self._columns.items():
                if separator and values.type == "string":
                    self._columns[column] = compute.utf8_trim(values, " \t\r")
            for column in integers if is_odd else ():
                with suppress(ValueError):
                    if not compute.any(compute.match_substring_regex(self._columns[column], "[xX-]")).as_py():
                        self._columns[column] = self._columns[column].cast("int64")
            if separator or all(self.lengths(column).all() for column in texts):
                return
        by_line = bytearray()
        for number, line in enumerate(io.BytesIO(block)):
            by_line += self._line(line, number, width, separator, expected)
        self._text = bytes(by_line)
        self._columns = _parsed(self._text, _UNIT, width, dict.fromkeys(kinds, "binary"))

    @classmethod
    def of_list(cls, text: bytes, place: Place) -> Self:
        """What blanks separate in a line of text, as a single column."""
        import pyarrow as pa

        if _CONTROL.search(text):
            raise place.error("an id must hold no control characters: rename the vertex.")
        fields = cls(b"", 1, place)
        fields._columns[0] = pa.array(text.split(), "binary")
        return fields

    def _line(self, line: bytes, number: int, width: int, separator: str, expected: str) -> bytes:
        """The fields of a line, separated by what is in none of them."""
        if not is_data(line):
            return b"\n"
        fields = split_line(line, separator)
        if len(fields) != width or _UNIT.encode() in line:
            raise self._place.error(f"expected {expected}, not '{excerpt(line)}'.", number)
        return _UNIT.encode().join(fields) + b"\n"

    def error(self, row: int, problem: str) -> LenseError:
        """An error about one row."""
        lines = [i for i, line in enumerate(self._text.split(b"\n")) if line.strip(b"\r")]
        return self._place.error(problem, lines[row] if lines else 0)

    def field(self, column: int, row: int) -> bytes:
        value = self._columns[column][row].as_py()
        return value.encode() if isinstance(value, str) else bytes(value)

    def integers(self, column: int, complaint: Callable[[bytes], str]) -> Int64s:
        """A column of integers from 0 to 2^63 - 1; ``complaint`` says what is wrong with a field that is not one."""
        values = self._columns[column]
        if values.type == "int64":
            numbers: Int64s = values.to_numpy()
            if numbers.min(initial=0) < 0:
                row = int(np.argmax(numbers < 0))
                raise self.error(row, complaint(b"%d" % numbers[row]))
            return numbers
        fields = values.cast("binary").to_pylist()
        for row, field in enumerate(fields):
            digits = field.lstrip(b"0")
            if not field.isdigit() or len(digits) > _MOST_DIGITS or int(digits or b"0") > _LARGEST:
                raise self.error(row, complaint(field))
        return np.array([int(field.lstrip(b"0") or b"0") for field in fields], np.int64)

    def lengths(self, column: int) -> Int64s:
        """The bytes of each field of a column of text."""
        from pyarrow import compute

        return np.asarray(compute.binary_length(self._columns[column]))

    def texts(self, column: int) -> Any:
        """A column as an array of strings of pyarrow."""
        values = self._columns[column]
        try:
            return values.cast("string")
        except ValueError as error:
            fields = enumerate(values.to_pylist())
            row = next(i for i, field in fields if field.decode(errors="replace").encode() != field)
            problem = "this is not UTF-8 text: convert the file, or check that it is an edge list."
            raise self.error(row, problem) from error

    def weights(self, column: int) -> Float32s:
        """A column of decimal numbers, each rounded as Python and numpy would round it."""
        from pyarrow import compute

        texts = self.texts(column)
        texts = compute.replace_substring(texts, ",", ".") if self._decimal_comma else texts
        try:
            values = texts.cast("double").to_numpy()
        except ValueError:
            values = np.array([_as_float(text) for text in texts.to_pylist()])
        with np.errstate(over="ignore"):
            weights: Float32s = values.astype(np.float32)
        if not np.isfinite(weights).all():
            row = int(np.isfinite(weights).argmin())
            problem = f"the weight '{excerpt(self.field(column, row))}' in column {column + 1} is not a finite number"
            raise self.error(row, f"{problem} of single precision; weights=False ignores it.")
        return weights


def _as_float(text: str) -> float:
    try:
        return float(text.replace("_", "x"))  # Python would take 1_000
    except ValueError:
        return np.nan
