"""Lines of text to fields and fields to numbers, by the byte.

A block of text is an array of bytes that ends with a line feed. Fields are stretches ``text[start:stop]``, perhaps
in double quotes; a comment begins with ``#`` or ``%``. There are two kinds of lines. In plain lines blanks or one
comma separate the fields, and none is empty. In delimited lines one given character does, as in CSV: fields may hold
blanks or be empty, and blanks around them do not count.
"""

import numpy as np
from numpy.typing import NDArray

from lense._util.jit import kernel
from lense._util.types import Float32s, Int32s, Int64s

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
