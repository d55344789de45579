"""The pieces of a page."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lense.report.blocks import facts, rounded, sort_key, table


@pytest.mark.parametrize(
    ("cell", "key"),
    [
        ("0.975 ± 0.008 *", 0.975),
        ("43.0 %", 43.0),
        ("33,789", 33789.0),
        ("250 ms", 0.25),
        ("1,200.5 s", 1200.5),
        ("2 KiB", 2048.0),
        ("1 MiB", 2.0**20),
        ("at most 0.984", 0.984),
        ("0.600 at 50 / 25", 0.6),
        ("–", None),
        ("failed", None),
        ("", None),
    ],
)
def test_a_cell_is_sorted_by_its_first_number_in_one_unit(cell: str, key: float | None) -> None:
    assert sort_key(cell) == (None if key is None else pytest.approx(key))


def test_a_cell_may_bring_its_own_number() -> None:
    assert table("", ("a", "b"), [("name", ("0.12", 0.1234))])["rows"] == [[["name", None], ["0.12", 0.1234]]]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_drawn_numbers_keep_three_digits_of_the_largest(values: list[float]) -> None:
    largest = max(map(abs, values))
    assert np.abs(np.array(rounded(np.array(values))) - values).max() <= 1e-3 * largest + 1e-12


def test_a_number_that_is_none_stays_none() -> None:
    assert rounded(np.array([1.5, np.nan])) == [1.5, None]


def test_facts_within_facts_stand_below_one_another() -> None:
    given = {"budget": 1000, "source": {"split_seed": 0, "part": None}, "cutoffs": [0.95, 0.8], "shaped": True}
    assert facts("", given)["facts"] == [
        ("budget", "1,000"),
        ("source: split seed", "0"),
        ("source: part", "–"),
        ("cutoffs", "0.95, 0.8"),
        ("shaped", "yes"),
    ]


def test_columns_of_words_and_the_first_stand_left() -> None:
    assert table("", ("pruner", "ratio", "graph", "P_V", "note"), [])["words"] == [0, 2, 4]
    assert table("", ("subgraph", "ratio"), [])["words"] == [0]
