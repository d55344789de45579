"""Records lie in one file, sorted, and newer ones beside it until they are folded in."""

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from lense.errors import LenseError
from lense.experiments.records import Record, as_line
from lense.experiments.store import DamagedError, Store
from tests.experiments.test_records import Pair


def record(graph: str = "wiki", seed: int = 0, a: int = 1, **changes: Any) -> Record[Pair]:
    figures = None if "error" in changes else Pair(a)
    return Record(graph=graph, problem="mvc", seed=seed, budget=8, episodes=2, figures=figures, **changes)


@pytest.fixture
def store(tmp_path: Path) -> Store[Pair]:
    return Store(tmp_path / "new" / "things.jsonl", Pair)


def test_a_store_that_is_only_read_leaves_no_trace(store: Store[Pair]) -> None:
    assert not store.records()
    store.fold()
    assert not store.path.parent.exists()


def test_records_added_lie_in_one_file_in_order(store: Store[Pair]) -> None:
    added = [record("wiki", 10), record("wiki", 2), record("dblp", 5)]
    store.add(added)
    assert store.path.read_text().splitlines() == [as_line(added[i]) for i in (2, 1, 0)]
    assert not store.pieces.exists()
    assert Store(store.path, Pair).get(added[0].key) == added[0]


def test_a_piece_counts_before_it_is_folded_and_replaces_what_was_there(store: Store[Pair]) -> None:
    store.add([record(a=1)])
    store.keep(record(a=2))
    assert store.records()[record().key].found.a == 2
    store.fold()
    assert store.path.read_text() == as_line(record(a=2)) + "\n"


def test_of_two_pieces_of_one_cell_the_later_counts(store: Store[Pair]) -> None:
    store.keep(record(a=1))
    other = store.pieces / "from-another-machine.jsonl"
    other.write_text(f"{as_line(record(a=3))}\n{as_line(record(seed=1))}\n")
    os.utime(other, ns=(0, 0))
    assert [one.found.a for one in store.records().values()] == [1, 1]
    os.utime(other)
    assert [one.found.a for one in store.records().values()] == [3, 1]


def test_a_failure_does_not_replace_what_was_found(store: Store[Pair]) -> None:
    store.add([record(a=1)])
    store.add([record(error="No luck."), record(seed=1, error="No luck.")])
    assert [one.error for one in store.records().values()] == [None, "No luck."]
    store.add([record(seed=1)])
    assert [one.error for one in store.records().values()] == [None, None]


def test_only_what_is_wanted_is_folded(store: Store[Pair]) -> None:
    store.keep(record(seed=0))
    store.keep(record(seed=1))
    store.fold(lambda one: one.seed == 0)
    assert len(store.path.read_text().splitlines()) == 1
    assert len(list(store.pieces.iterdir())) == 1
    assert len(store.records()) == 2


def test_a_damaged_line_is_named_with_its_file_and_number(store: Store[Pair]) -> None:
    store.add([record(seed=0), record(seed=1)])
    store.path.write_text(store.path.read_text().replace('"seed":1', '"seed":"x"'))
    with pytest.raises(DamagedError) as raised:
        store.records()
    told = f"{store.path}, line 2 is damaged, since seed is no whole number: delete the line and run the command again"
    assert str(raised.value) == str(pickle.loads(pickle.dumps(raised.value))) == f"{told} that made it."


def test_a_folder_that_cannot_be_written_is_said(store: Store[Pair]) -> None:
    store.path.parent.write_text("a file")
    with pytest.raises(LenseError, match="cannot be written"):
        store.keep(record())
