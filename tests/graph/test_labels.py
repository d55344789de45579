"""Numbering of ids: integers and strings, many and few."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lense.errors import LenseError
from lense.graph import Graph, relabel
from lense.graph.labels import IntegerNumbering, StringNumbering, check_labels, ids_of
from tests.strategies import WORDS

INTEGERS = st.integers(-(2**63), 2**63 - 1)


@given(st.one_of(st.lists(st.tuples(INTEGERS, INTEGERS)), st.lists(st.tuples(WORDS, WORDS))), st.data())
def test_relabel_numbers_ids_in_rising_order(edges: list[tuple[int | str, int | str]], data: st.DataObject) -> None:
    is_text = bool(edges) and isinstance(edges[0][0], str)
    isolated: list[Any] = data.draw(st.lists(WORDS if is_text else INTEGERS, max_size=3))
    sources, targets = [u for u, _ in edges], [v for _, v in edges]
    numbered_sources, numbered_targets, labels = relabel(sources, targets, isolated)
    assert labels.tolist() == sorted({*sources, *targets, *isolated})
    assert labels[numbered_sources].tolist() == sources
    assert labels[numbered_targets].tolist() == targets
    assert numbered_sources.dtype == np.int32


@pytest.mark.parametrize("step", [1, 3, -1, -(2**30), 2**20, 2**40 + 1])
def test_many_integers_far_apart_or_close_keep_their_numbers(step: int) -> None:
    ids = (np.random.default_rng(0).permutation(200_000) - 1000) * step
    numbering = IntegerNumbering()
    assert np.array_equal(numbering.number(ids), np.arange(ids.size))
    assert np.array_equal(numbering.number(ids[::-1].copy()), np.arange(ids.size)[::-1])
    labels, new = numbering.in_order()
    assert np.array_equal(labels, np.sort(ids))
    assert np.array_equal(labels[new], ids)


def test_many_strings_given_in_blocks_keep_their_numbers() -> None:
    words = [f"vertex-{i * 7919 % 100_003}-é" for i in range(20_000)]
    numbering = StringNumbering()
    for _ in range(2):
        for start in range(0, len(words), 3000):
            part = words[start : start + 3000]
            numbers = numbering.number(pa.array(part))
            assert numbers.tolist() == list(range(start, start + len(part)))
    labels, new = numbering.in_order()
    assert labels.tolist() == sorted(words)
    assert labels[new].tolist() == words


BAD_LABELS: list[tuple[Any, str]] = [
    (["a", "a"], "gives the id 'a' to two vertices"),
    ([7, 7], "gives the id '7' to two vertices"),
    (["a", "a\0"], "is not valid text"),
    (np.array(["a\0b", "b"]), "is not valid text"),
    (["\ud800", "b"], "is not valid text"),
    (np.array(["\ud800", "b"]), "is not valid text"),
    (np.array([0x61, 0x110000, 0x62, 0], np.uint32).view("U2"), "is not valid text"),
    (np.array([2**63, 1], np.uint64), "do not fit into 64 bits"),
    ([0.5, 1.5], "all integers or all strings"),
    ([float("nan"), 1.0], "all integers or all strings"),
    (np.array([b"a", b"b"]), "all integers or all strings"),
    (np.array(["a", None], object), "all integers or all strings"),
    ([[1], [2]], "all integers or all strings"),
]


@pytest.mark.parametrize(("labels", "said"), BAD_LABELS, ids=str)
def test_what_cannot_name_vertices_is_refused(labels: Any, said: str) -> None:
    for make in (check_labels, lambda labels: Graph.from_edges([0], [1], labels=labels)):
        with pytest.raises(LenseError, match=said):
            make(labels)


@given(st.one_of(st.lists(INTEGERS, unique=True), st.lists(WORDS, unique=True, min_size=1)))
def test_labels_come_back_in_their_order(values: list[Any]) -> None:
    assert check_labels(ids_of(values)).tolist() == values


def test_labels_of_the_other_byte_order_are_read() -> None:
    assert check_labels(np.array(["b", "a"], ">U3")).tolist() == ["b", "a"]
