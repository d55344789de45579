"""The models in a folder of results: one of each graph and problem, with the walks recorded of it."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.experiments import reproduce
from lense.experiments.comparison import WHOLE
from lense.experiments.rivals import Rivals
from lense.experiments.store import Record, Store
from lense.experiments.study import Cell, walks
from lense.graph.subgraph import subgraph
from lense.navigation import LeNSE
from lense.pruners import load
from lense.report import recorded, results_page
from lense.report.recorded import models_section
from lense.report.walks import on_the_map
from tests.experiments import tiny_paper
from tests.report.pages import titles

MODEL, EPISODES = "tiny-mvc-0", 2


@pytest.fixture(scope="module")
def finished_seeing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of a model whose choices need the embedding, which no test may change."""
    out = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        tiny_paper.install(patch, tmp_path_factory.mktemp("data"))
        settings = {**tiny_paper.SETTINGS, "sees_subgraph": True}
        reproduce(tiny_paper.experiment("rivals"), tiny_paper.study(out, settings=settings))
    return out


@pytest.fixture
def seeing(tiny: None, finished_seeing: Path, tmp_path: Path) -> Path:
    """A copy of them for one test."""
    return Path(shutil.copytree(finished_seeing, tmp_path / "seeing"))


def choices(results: Path) -> list[dict[str, Any]]:
    (block,) = models_section(results)
    listed: list[dict[str, Any]] = block["choices"]
    return listed


def lead(results: Path) -> str:
    """What the page says of the only model's map."""
    (choice,) = choices(results)
    said: str = choice["sections"][0]["lead"]
    return said


def drawn_walks(results: Path) -> dict[str, Any]:
    """What the map of the only model shows of its walks."""
    (choice,) = choices(results)
    found: dict[str, Any] = choice["sections"][0]["blocks"][0]["walks"]
    return found


def ratios(results: Path) -> list[Any]:
    return [place["ratio"] for place in drawn_walks(results)["places"]]


def found(store: Store[Any], variant: str = "") -> Record[Any]:
    """The record of the model's cell."""
    return store.records()[Cell(tiny_paper.SOURCE, 0, variant).key]


def change(store: Store[Any], variant: str = "", **changes: Any) -> None:
    """Change recorded figures."""
    record = found(store, variant)
    store.keep(replace(record, figures=replace(record.found, **changes)))


def change_model(results: Path) -> None:
    (results / "models" / MODEL / "note.txt").write_text("another model now")


def test_a_model_has_map_walk_subgraph_training_and_configuration(results: Path) -> None:
    (choice,) = choices(results)
    assert (choice["name"], choice["group"]) == ("mvc on tiny", "mvc")
    assert titles(choice) == ["Map and walks", "Pruned subgraph", "Training", "Configuration"]
    assert "Models" in titles(results_page(results))
    block, *curves = choice["sections"][0]["blocks"]
    assert {block["link"], *(curve["link"] for curve in curves)} == {f"walk-{MODEL}"}
    assert [curve["title"] for curve in curves] == ["Ratio along the walk", "Distance to the goal along the walk"]


@pytest.mark.parametrize("kind", ["results", "seeing"])
def test_the_median_walk_is_walked_again_to_the_end_that_was_compared(
    kind: str, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(kind)
    model, known = load(folder / "models" / MODEL), found(Rivals().store(folder), "lense").found
    (source,) = tiny_paper.study(folder).sources
    walked = model.walk(source.case(0).test, episodes=EPISODES, seed=0)
    shown = int(walked.distances[-1].argsort(stable=True)[(EPISODES - 1) // 2])
    on_map, drawn = on_the_map(model, walked.embeddings), drawn_walks(folder)
    places = drawn["places"]
    assert [place["step"] for place in places] == list(range(len(walked.distances)))
    assert [place["distance"] for place in places] == pytest.approx(walked.distances[:, shown].tolist(), rel=1e-3)
    np.testing.assert_allclose(drawn["shown"], on_map[:, shown], atol=1e-2 * np.abs(on_map).max())
    assert places[-1]["ratio"] == pytest.approx(known.subgraph.ratio[shown])
    assert places[-1]["vertices"] == known.parts.vertices[shown]
    assert places[-1]["edges"] == known.parts.edges[shown]
    assert [end["ratio"] for end in drawn["ends"]] == [r for i, r in enumerate(known.subgraph.ratio) if i != shown]


def test_ratios_are_to_the_recorded_solution_of_the_whole_graph(results: Path) -> None:
    before, store = ratios(results), Rivals().store(results)
    change(store, WHOLE, score=2 * found(store, WHOLE).found.score)
    assert ratios(results) == pytest.approx([ratio / 2 for ratio in before])
    store.path.write_text("".join(line + "\n" for line in store.path.read_text().splitlines() if WHOLE not in line))
    assert ratios(results) == [*[None] * (len(before) - 1), pytest.approx(before[-1])]
    assert "Ratios along it are not measured" in lead(results)


def test_a_slow_heuristic_is_run_at_few_places(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everywhere = ratios(results)
    change(Rivals().store(results), WHOLE, seconds=recorded.SLOW + 1)
    monkeypatch.setattr(recorded, "MOST_MEASURED_SLOWLY", 3)
    (choice,) = choices(results)
    _, curve, _ = choice["sections"][0]["blocks"]
    assert curve["series"][0]["points"] == [
        (step, ratio if step in (0, 3, 6) else None) for step, ratio in enumerate(everywhere)
    ]
    assert "7 places along it. At 3 of them" in choice["sections"][0]["lead"]


def test_a_walk_that_ends_elsewhere_than_the_recorded_one_says_so(results: Path) -> None:
    assert "another end" not in lead(results)
    other = [list(range(1, 17)), list(range(2, 18))]
    change(walks(results), roots=other)
    assert "another end" in lead(results)
    (source,) = tiny_paper.study(results).sources
    sizes = [subgraph(source.case(0).test, roots).graph.num_vertices for roots in other]
    assert [end["vertices"] for end in drawn_walks(results)["ends"]] == sizes


def test_walks_that_cannot_be_drawn_say_why(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(LeNSE, "num_roots", lambda _: tiny_paper.GRAPH.num_vertices)
        assert "too few vertices" in lead(results)
    with monkeypatch.context() as patch:
        patch.setenv("LENSE_DATA", str(tmp_path))
        (choice,) = choices(results)
        assert titles(choice) == ["Map", "Training", "Configuration"]
        assert "lense data get tiny" in lead(results)
    change(walks(results), graph="0" * 64)
    assert "another graph" in lead(results)
    change_model(results)
    assert "keeps no walks" in lead(results)


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
