"""Records are lines of JSON in one file, sorted, and whoever reads them can rely on their type."""

import json
import re
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from lense.errors import LenseError
from lense.experiments.store import Record, Store, as_line, from_line


@dataclass(frozen=True)
class Pair:
    a: int
    b: float | None = None
    more: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Other:
    name: str


def record(graph: str = "wiki", seed: int = 0, a: int = 1, **changes: Any) -> Record[Pair]:
    figures = None if "error" in changes else Pair(a, 0.5)
    return Record(graph=graph, problem="mvc", seed=seed, budget=100, episodes=10, figures=figures, **changes)


def test_a_line_holds_all_that_is_not_as_by_default_in_a_fixed_order() -> None:
    line = as_line(record())
    assert list(json.loads(line)) == ["graph", "problem", "seed", "budget", "episodes", "figures"]
    assert "\n" not in line
    assert from_line(line, Pair) == record()
    assert as_line(from_line(line, Pair)) == line  # whole numbers stay whole
    assert from_line(line_with('{"name":"x"}'), Pair | Other).figures == Other("x")


def line_with(figures: str) -> str:
    return as_line(record()).replace('{"a":1,"b":0.5}', figures)


@pytest.mark.parametrize(
    ("line", "kind", "fault"),
    [
        (line_with('{"a":1.5}'), Pair, "figures.a is not right (Input should be a valid integer"),
        (line_with('{"a":1,"b":NaN}'), Pair, "figures.b is not right (Input should be a finite number"),
        (line_with('{"a":1,"more":[2]}'), Pair, "figures.more.0 is not right (Input should be a valid string"),
        (line_with('{"a":1,"c":2}'), Pair, "figures.c is not right (Unexpected keyword argument"),
        (line_with('{"a":1,"more":[2]}'), Other | Pair, "figures.Pair.more.0 is not right (Input should be a valid"),
        ("{", Pair, "it is not right (Invalid JSON"),
        (as_line(record()).replace('"budget":100,', ""), Pair, "budget is not right (Field required"),
        (as_line(record()).replace(',"figures":{"a":1,"b":0.5}', ""), Pair, "it needs either figures or an error"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(line: str, kind: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(fault)}"):
        from_line(line, kind)


@pytest.fixture
def store(tmp_path: Path) -> Store[Pair]:
    return Store(tmp_path / "new" / "things.jsonl", Pair)


def test_records_lie_in_order_and_a_newer_one_replaces_an_older(store: Store[Pair]) -> None:
    for one in (record("wiki", 10), record("wiki", 2, a=2), record("dblp\u2028", 5), record("wiki", 10, a=3)):
        store.keep(one)
    expected = [record("dblp\u2028", 5), record("wiki", 2, a=2), record("wiki", 10, a=3)]
    assert store.path.read_text() == "".join(f"{as_line(one)}\n" for one in expected)
    assert list(Store(store.path, Pair).records().values()) == expected


def test_a_failure_does_not_replace_what_was_found(store: Store[Pair]) -> None:
    store.keep(record())
    store.keep(record(error="No luck."), record(seed=1, error="No luck."))
    assert [one.error for one in store.records().values()] == [None, "No luck."]
    store.keep(record(seed=1))
    assert [one.error for one in store.records().values()] == [None, None]


def test_lines_from_another_machine_may_be_put_at_the_end(store: Store[Pair]) -> None:
    store.keep(record(seed=1), record(seed=2))
    others = record(seed=0), record(seed=2, a=5), record(seed=1, error="No.")
    with store.path.open("a") as file:
        file.writelines(f"{as_line(one)}\n" for one in others)
    assert [(one.seed, one.found.a) for one in store.records().values()] == [(0, 1), (1, 1), (2, 5)]


def keep_ten(path: Path, first: int) -> None:
    for seed in range(first, first + 10):
        things: Store[Pair] = Store(path, Pair)
        things.keep(record(seed=seed))


def test_processes_may_keep_records_at_once(store: Store[Pair]) -> None:
    start = get_context("spawn").Process
    processes = [start(target=keep_ten, args=(store.path, first)) for first in (0, 10)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [one.seed for one in store.records().values()] == list(range(20))


def test_a_damaged_line_is_named_with_its_file_and_number(store: Store[Pair]) -> None:
    store.keep(record(seed=0), record(seed=1))
    store.path.write_text(store.path.read_text().replace('"seed":1', '"seed":"x"'))
    with pytest.raises(LenseError) as raised:
        store.records()
    assert str(raised.value) == (
        f"{store.path}, line 2 is damaged, since seed is not right (Input should be a valid integer): delete the line "
        "and run the command again that made it."
    )


def test_a_folder_that_cannot_be_written_is_said(store: Store[Pair]) -> None:
    store.path.parent.write_text("a file")
    with pytest.raises(LenseError, match="cannot be written"):
        store.keep(record())
