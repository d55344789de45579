"""Which columns hold the edges, by the names of all."""

from pathlib import Path
from typing import Any

import pytest

from lense.errors import LenseError
from lense.graph.formats.options import ReadOptions, find_columns, parse_columns

PATH = Path("a.csv")


def found(names: str, *, first_counts: bool = False, **options: Any) -> tuple[int, int, int | None]:
    """The columns of a table with these names, which commas separate."""
    return find_columns(names.split(","), ReadOptions(**options), PATH, first_counts=first_counts)


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        ("source,target", (0, 1, None)),
        ("Target,SOURCE", (1, 0, None)),
        (",source,target", (1, 2, None)),
        ("from,to,weight", (0, 1, 2)),
        ("w,src,dst", (1, 2, 0)),
        ("u,v,p,time", (0, 1, 2)),
        ("Source,Target,Type,Id,Label,timeset,Weight", (0, 1, 6)),
        ("source,target,rating", (0, 1, None)),
    ],
)
def test_known_names_decide_in_any_case_and_order(names: str, columns: tuple[int, int, int | None]) -> None:
    assert found(names) == columns
    assert found(names, weights=False) == (*columns[:2], None)


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        ("node1,node2", (0, 1, None)),
        ("v,w", (0, 1, None)),
        (",friend", (0, 1, None)),
        ("Source Node,Target Node,weight", (0, 1, 2)),
        ("weight,a,b", (1, 2, 0)),
        ("who,whom,strength", (0, 1, 2)),
        ("source,source", (0, 1, None)),
    ],
)
def test_two_columns_are_plain_and_so_are_three(names: str, columns: tuple[int, int, int | None]) -> None:
    assert found(names) == columns


@pytest.mark.parametrize(
    "names", [",a,b", "Unnamed: 0,a,b", "index,a,b", "Id,a,b", "a,b,c,d", "u,v,from,to", "u,v,u", "u,v,weight,p"]
)
def test_else_the_columns_are_listed_to_choose_from(names: str) -> None:
    first, second, third = names.split(",")[:3]
    with pytest.raises(LenseError, match=f"a.csv has the columns 1 '{first}', 2 '{second}', 3 '{third}'.*columns="):
        found(names)


def test_a_first_column_that_counts_the_rows_is_no_end_unless_the_names_say_so() -> None:
    with pytest.raises(LenseError, match="has the columns 1 'n', 2 'a', 3 'b'"):
        found("n,a,b", first_counts=True)
    assert found("n,a,weight", first_counts=True) == (0, 1, 2)
    assert found("source,target,b", first_counts=True) == (0, 1, None)


def test_of_two_weights_none_is_guessed_but_none_may_be_wanted() -> None:
    assert found("u,v,weight,p", weights=False) == (0, 1, None)
    assert found("u,v,weight,p", columns=("u", "v", "p")) == (0, 1, 3)


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ("a,z", "'z', but the columns 1 'a', 2 'b', 3 'b'"),
        ("0,a", "'0'"),
        ("4,a", "'4'"),
        ("a,b", "several columns called 'b'"),
        ("a,1", "'a,1' means the same column"),
        *((wrong, f"not '{wrong}'") for wrong in ("a", "a,b,c,d", "a,,c", "a,a")),
    ],
)
def test_a_choice_that_cannot_be_met(columns: str, complaint: str) -> None:
    with pytest.raises(LenseError, match=complaint):
        found("a,b,b", columns=parse_columns(columns))


def test_the_choice_must_agree_with_the_wish_for_weights() -> None:
    with pytest.raises(LenseError, match=r"names a column of weights, but weights=False: change one of the two\.$"):
        found("a,b,c", columns=("a", "b", "c"), weights=False)
    with pytest.raises(LenseError, match="names no column of weights, but weights=True"):
        found("a,b,c", columns=("a", "b"), weights=True)
