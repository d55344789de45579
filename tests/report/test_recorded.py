"""The models in a folder of results: one of each graph and problem, with a walk of it."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lense.experiments.comparison import WHOLE
from lense.experiments.rivals import Rivals
from lense.experiments.store import Record, Store
from lense.experiments.study import Cell
from lense.navigation import LeNSE
from lense.report import recorded
from lense.report.recorded import models_section
from tests.experiments import tiny_paper

MODEL = "tiny-mvc-0"


def choices(results: Path) -> list[dict[str, Any]]:
    (block,) = models_section(results)
    listed: list[dict[str, Any]] = block["choices"]
    return listed


def first_section(results: Path) -> Any:
    """The map of the only model."""
    (choice,) = choices(results)
    return choice["sections"][0]


def places(results: Path) -> Any:
    """Where its walk has been."""
    return first_section(results)["blocks"][0]["walks"]["places"]


def ratios(results: Path) -> list[Any]:
    return [place["ratio"] for place in places(results)]


def found(store: Store[Any], variant: str = "") -> Record[Any]:
    """The record of the model's cell."""
    return store.records()[Cell(tiny_paper.SOURCE, 0, variant).key]


def change(store: Store[Any], variant: str = "", **changes: Any) -> None:
    """Change recorded figures."""
    record = found(store, variant)
    store.keep(replace(record, figures=replace(record.found, **changes)))


def test_the_walk_ends_with_the_part_that_was_compared(results: Path) -> None:
    known, walk = found(Rivals().store(results), "lense").found, places(results)
    assert [place["step"] for place in walk] == list(range(7))
    assert (walk[-1]["vertices"], walk[-1]["edges"]) == (known.parts.vertices[0], known.parts.edges[0])
    assert walk[-1]["ratio"] == pytest.approx(known.subgraph.ratio[0])


def test_ratios_are_to_the_recorded_solution_of_the_whole_graph(results: Path) -> None:
    before, store = ratios(results), Rivals().store(results)
    change(store, WHOLE, score=2 * found(store, WHOLE).found.score)
    assert ratios(results) == pytest.approx([ratio / 2 for ratio in before])
    change(store, WHOLE, seconds=4.0)  # too slow for all seven places
    assert [ratio is None for ratio in ratios(results)] == [False, *[True] * 5, False]
    store.path.write_text("".join(line + "\n" for line in store.path.read_text().splitlines() if WHOLE not in line))
    assert set(ratios(results)) == {None}


def test_walks_that_cannot_be_drawn_say_why(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(LeNSE, "num_roots", lambda _: tiny_paper.GRAPH.num_vertices)
        assert "too few vertices" in first_section(results)["lead"]
    with monkeypatch.context() as patch:
        patch.setenv("LENSE_DATA", str(tmp_path))
        assert "lense data get tiny" in first_section(results)["lead"]
    monkeypatch.setattr(recorded, "graph_digest", lambda _: "another")
    assert "another graph" in first_section(results)["lead"]


def test_of_each_pair_the_lowest_seed_is_shown_and_no_other_loss(results: Path) -> None:
    models = results / "models"
    for name in ("other-mvc-10", "other-mvc-9", "other-mvc-0.loss-ordinal"):
        shutil.copytree(models / MODEL, models / name)
    assert [(choice["name"], choice["note"].rpartition("seed ")[2]) for choice in choices(results)] == [
        ("mvc on tiny", "0."),
        ("mvc on other", "9."),
    ]


def test_where_the_folder_has_no_model_the_bundled_one_is_shown_if_the_walks_are_its_own(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = (results / "models").rename(tmp_path / "away")
    assert models_section(results) == []
    monkeypatch.setattr("lense.report.recorded.shipped_folder", lambda *_: away / MODEL)
    assert [choice["name"] for choice in choices(results)] == ["mvc on tiny"]
    (away / MODEL / "note.txt").write_text("another model now")
    assert models_section(results) == []
