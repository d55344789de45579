"""Fields and numbers by the byte, against Python's own parsers."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lense.graph.formats.text import parse_decimals, parse_integers, split_lines

quickly = settings(max_examples=200, deadline=None)


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


def parse(fields: list[str], parser: str) -> list[float]:
    text = "\n".join(fields).encode() + b"\n"
    stops = np.cumsum([len(field.encode()) + 1 for field in fields], dtype=np.int32) - np.int32(1)
    starts = np.concatenate([[0], stops[:-1] + 1]).astype(np.int32)
    if parser == "integers":
        integers = np.empty(len(fields), np.int64)
        good = parse_integers(np.frombuffer(text, np.uint8), starts, stops, integers)
        return list(integers[:good].tolist())
    decimals = np.empty(len(fields), np.float32)
    parse_decimals(np.frombuffer(text, np.uint8), starts, stops, parser == "decimals with a comma", decimals)
    return list(decimals.tolist())


@pytest.mark.parametrize(
    "text",
    [
        "a b\n",
        "a\tb\n",
        "a,b\n",
        "  a  ,  b  \n",
        "a \t b\r\n",
        '"a","b"\n',
        "\n \r\n# c\na b\n  % c\n",
        "a b # comment\n",
        'a "b"  % comment\n',
    ],
)
def test_separators_quotes_comments_and_blank_lines(text: str) -> None:
    assert split(text) == ([["a", "b"]], "")


def test_quoted_fields_may_hold_separators() -> None:
    assert split('"a, b" #c\n"a#" "% d"\n') == ([], '"a, b" #c\n"a#" "% d"\n')
    assert split('"a, b" "#c"\n"a#" "% d"\n') == ([["a, b", "#c"], ["a#", "% d"]], "")


@pytest.mark.parametrize("line", ["a\n", "a b c\n", "a,,b\n", "a,\n", ",a\n", "a,b,\n", 'a "b\n', '"a"b c\n', '"" b\n'])
def test_the_parser_stops_at_a_line_with_other_columns(line: str) -> None:
    assert split("x y\n" + line + "z z\n") == ([["x", "y"]], line + "z z\n")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("a|b", ["a", "b"]),
        ("  a b | c d  \r", ["a b", "c d"]),
        ("|b", ["", "b"]),
        ("a|", ["a", ""]),
        ('"a | b" | "c"', ["a | b", "c"]),
        ('"say ""hi"""|""', ['say ""hi""', ""]),
        ("a # b|50%", ["a # b", "50%"]),
    ],
)
def test_delimited_fields_may_hold_blanks_or_be_empty(separator: str, line: str, fields: list[str]) -> None:
    text = "# comment\n\n" + line.replace("|", separator) + "\n  \n"
    expected = [field.replace("|", separator) for field in fields]
    assert split(text, separator=separator) == ([expected], "")


@pytest.mark.parametrize("line", ["a\n", "a;b;c\n", "a,b\n", 'a;"b\n', '"a"b;c\n', '"a;b\n'])
def test_delimited_lines_with_other_columns_stop_the_parser(line: str) -> None:
    assert split("x;y\n" + line + "z;z\n", separator=";") == ([["x", "y"]], line + "z;z\n")


@quickly
@given(st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=5))
def test_integers(values: list[int]) -> None:
    assert parse([str(value) for value in values], "integers") == values


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", "a", "1e3", str(2**63), "9" * 30, "１"])
def test_the_first_field_that_is_no_integer_ends_the_parsing(text: str) -> None:
    assert parse(["5", text, "6"], "integers") == [5]


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(lambda x: str(np.float32(x))),
    st.from_regex(r"[+-]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.from_regex(r"-?\.[0-9]{1,25}(e-?[0-9]{1,2})?", fullmatch=True),
)


@quickly
@given(NUMBERS)
def test_decimals_equal_the_exact_ones_or_are_left_to_the_exact_parser(text: str) -> None:
    (value,) = parse([text], "decimals")
    with np.errstate(over="ignore"):
        exact = np.float32(float(text))
    assert math.isnan(value) or value == exact


def test_few_decimals_are_left_to_the_exact_parser() -> None:
    values = np.random.default_rng(0).random(5000)
    assert not np.isnan(parse([repr(value) for value in values.tolist()], "decimals")).any()


def test_a_decimal_comma_counts_only_where_it_is_expected() -> None:
    assert parse(["0,5", "-1,25e1", "2.5", "3"], "decimals with a comma") == [0.5, -12.5, 2.5, 3]
    assert math.isnan(parse(["0,5"], "decimals")[0])
    assert math.isnan(parse(["1,000,000"], "decimals with a comma")[0])


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "a", ".", "-", "1e", "1e+", "1.2.3", "0x10", "1_0", "--1"])
def test_what_is_no_decimal_number_becomes_nan(text: str) -> None:
    assert math.isnan(parse([text], "decimals")[0])
