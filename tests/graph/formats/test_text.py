"""Fields and numbers by the byte, against Python's own parsers."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph.formats.text import Fields, Place, split_lines


def split(
    text: str, columns: int = 2, *, separator: str = "", ignore_rest: bool = False
) -> tuple[list[list[str]], str]:
    """The fields of each line, and the text from where the parser stopped."""
    block = text.encode()
    shape = (columns, block.count(b"\n"))
    starts, stops = np.empty(shape, np.int32), np.empty(shape, np.int32)
    array = np.frombuffer(block, np.uint8)
    end, found = split_lines(array, ord(separator or "\0"), columns, ignore_rest, starts, stops)
    rows = [[block[starts[c, i] : stops[c, i]].decode() for c in range(columns)] for i in range(found)]
    return rows, block[end:].decode()


def column(texts: list[str], separator: str = "") -> Fields:
    """One field a line."""
    return Fields("".join(f"{text}\n" for text in texts).encode(), 1, Place(Path("a.txt")), separator=separator)


@pytest.mark.parametrize("line", ["a\n", "a b c\n", "a\x01 b\n", 'a "b\n', '"a"b c\n', '"" b\n'])
def test_the_parser_stops_at_a_line_with_other_columns(line: str) -> None:
    assert split("x y\n" + line + "z z\n") == ([["x", "y"]], line + "z z\n")


@pytest.mark.parametrize("line", ["a\n", "a;b;c\n", "a,b\n", 'a;"b\n', '"a"b;c\n', '"a;b\n'])
def test_delimited_lines_with_other_columns_stop_the_parser(line: str) -> None:
    assert split("x;y\n" + line + "z;z\n", separator=";") == ([["x", "y"]], line + "z;z\n")


@given(st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=5))
def test_integers(values: list[int]) -> None:
    assert column(list(map(str, values))).integers(0, str).tolist() == values


@pytest.mark.parametrize("text", ["-1", "+1", "1.0", "a", "1e3", str(2**63), "9" * 30, "１"])
def test_the_first_field_that_is_no_integer_is_named(text: str) -> None:
    with pytest.raises(LenseError, match=r"a.txt, line 2: bad"):
        column(["5", text, "6", "x"], ";").integers(0, lambda field: f"bad {field!r}")


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(lambda x: str(np.float32(x))),
    st.from_regex(r"[+-]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.from_regex(r"-?\.[0-9]{1,25}(e-?[0-9]{1,2})?", fullmatch=True),
)


@given(st.lists(NUMBERS, max_size=5))
def test_decimals_are_rounded_as_python_and_numpy_round_them(texts: list[str]) -> None:
    with np.errstate(over="ignore"):
        expected = [np.float32(float(text)) for text in texts]
    if np.isfinite(expected).all():
        assert column(texts).weights(0).tolist() == expected
    else:
        with pytest.raises(LenseError, match=f"line {np.isfinite(expected).argmin() + 1}: .* single precision"):
            column(texts).weights(0)


def test_a_decimal_comma_counts_only_where_it_is_expected() -> None:
    assert column(["0,5", "-1,25e1", "2.5", "3"], ";").weights(0).tolist() == [0.5, -12.5, 2.5, 3]
    for text, separator in (("0,5", "\t"), ("1,000,000", ";")):
        with pytest.raises(LenseError, match=f"the weight '{text}' is not a number"):
            column([text], separator).weights(0)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "a", ".", "-", "1e", "1e+", "1.2.3", "0x10", "--1"])
def test_what_is_no_finite_decimal_is_refused(text: str) -> None:
    with pytest.raises(LenseError, match=rf"line 2: the weight '{re.escape(text)}' is not a (finite )?number"):
        column(["+1", text, "x"]).weights(0)
