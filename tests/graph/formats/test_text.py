"""Fields and numbers by the byte, against Python's own parsers."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph.formats.text import Fields, Place, is_data, split_line


def column(texts: list[str], separator: str = "") -> Fields:
    """One field a line, as integers and as text."""
    block = "".join(f"{text}\n" for text in texts).encode()
    return Fields(block, 1, Place(Path("a.txt")), (0,), separator=separator)


def weights(texts: list[str], separator: str = "") -> np.ndarray:
    block = "".join(f"{text}\n" for text in texts).encode()
    return Fields(block, 1, Place(Path("a.txt")), (), (0,), separator=separator).weights(0)


def rows_of(text: str, separator: str = "", width: int = 2) -> list[tuple[str, ...]]:
    place, columns = Place(Path("a.txt")), tuple(range(width))
    fields = Fields(text.encode(), width, place, (), columns, separator=separator)
    return list(zip(*(fields.texts(column).to_pylist() for column in columns), strict=True))


@pytest.mark.parametrize("line", ["a", "a b c", "a\x01 b", 'a "b', '"a"b c', '"a\x1fb" c'])
def test_a_line_with_other_columns_is_refused(line: str) -> None:
    with pytest.raises(LenseError, match=r"a.txt, line 2: expected"):
        rows_of(f"x y\n{line}\nz z\n")


@pytest.mark.parametrize("line", ["a", "a;b;c", "a,b", 'a;"b', '"a"b;c', '"a;b', 'a;"b\nc"'])
def test_a_delimited_line_with_other_columns_is_refused(line: str) -> None:
    with pytest.raises(LenseError, match=r"a.txt, line 2: expected"):
        rows_of(f"x;y\n{line}\nz;z\n", ";")


SIGNS = st.text(st.sampled_from("ab \t,;#%\"'é0x"), max_size=6)


@given(lines=st.lists(st.lists(SIGNS, min_size=2, max_size=2), max_size=4), separator=st.sampled_from(["", ",", "\t"]))
def test_pyarrow_and_the_reader_line_by_line_agree(lines: list[list[str]], separator: str) -> None:
    text = "".join(f"{(separator or ' ').join(line)}\n" for line in lines)
    split = [split_line(line, separator) for line in text.encode().splitlines(keepends=True) if is_data(line)]
    if all(len(fields) == 2 for fields in split):
        assert rows_of(text, separator) == [(u.decode(), v.decode()) for u, v in split]
    else:
        with pytest.raises(LenseError, match="expected"):
            rows_of(text, separator)


@pytest.mark.parametrize("separator", [" ", "\t", ","])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_quotes_around_fields_are_not_part_of_them(separator: str, end: str) -> None:
    given = "" if separator == " " else separator
    for row in ('"a" b', 'a "b"', '"a" "b"'):
        assert rows_of(row.replace(" ", separator) + end, given) == [("a", "b")]
    for row in ('"a"x b', '"a b', '"a,"b",c"'):
        with pytest.raises(LenseError, match="expected"):
            rows_of(row.replace(" ", separator) + end, given)
    assert rows_of(f'"a{separator}" "b"{end}'.replace(" ", separator), given) == [(f"a{separator}", "b")]


@given(st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=5))
def test_integers(values: list[int]) -> None:
    assert column(list(map(str, values))).integers(0, str).tolist() == values


@pytest.mark.parametrize("text", ["-1", "+1", "1.0", "a", "1e3", str(2**63), "9" * 30, "１", "0x10"])
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
        assert weights(texts).tolist() == expected
    else:
        with pytest.raises(LenseError, match=f"line {np.isfinite(expected).argmin() + 1}: .* single precision"):
            weights(texts)


def test_a_decimal_comma_counts_only_where_it_is_expected() -> None:
    assert weights(["0,5", "-1,25e1", "2.5", "3"], ";").tolist() == [0.5, -12.5, 2.5, 3]
    for text, separator in (("0,5", "\t"), ("1,000,000", ";")):
        with pytest.raises(LenseError, match=f"the weight '{text}' in column 1 is not a finite number"):
            weights([text], separator)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "a", ".", "-", "1e", "1e+", "1.2.3", "0x10", "--1"])
def test_what_is_no_finite_decimal_is_refused(text: str) -> None:
    with pytest.raises(LenseError, match=rf"line 2: the weight '{re.escape(text)}' in column 1 is not a finite number"):
        weights(["+1", text, "x"])
