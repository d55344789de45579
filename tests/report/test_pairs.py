"""The models in a folder of results: one of each graph and problem, with the walks that the folder keeps of it."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.errors import LenseError
from lense.experiments.reproduce import reproduce
from lense.navigation import Walk
from lense.pruners import LeNSE, load
from lense.report import kept, results_page
from lense.report.pairs import models_section
from lense.report.samples import on_the_map
from tests.experiments import tiny_paper
from tests.report.pages import titles

PAIR, MODEL, EPISODES = "tiny-mvc", "tiny-mvc-0", 2


@pytest.fixture
def model(results: Path) -> LeNSE:
    found: LeNSE = load(results / "models" / MODEL)
    return found


@pytest.fixture
def walked(results: Path, model: LeNSE) -> Walk:
    """The walks of table 1 once more."""
    (source,) = tiny_paper.study(results).sources
    return model.walk(source.case(0).test, episodes=EPISODES, seed=0)


@pytest.fixture
def too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if these walks took long."""
    monkeypatch.setattr(kept, "MOST_SWAPS", 0)


def choices(results: Path) -> list[dict[str, Any]]:
    (found,) = models_section(results)
    listed: list[dict[str, Any]] = found["choices"]
    return listed


def drawn(results: Path) -> tuple[list[str], dict[str, Any]]:
    """The titles of what is shown of the only model, and its map."""
    (choice,) = choices(results)
    return titles(choice), choice["sections"][0]["blocks"][0]


def piece(results: Path) -> Any:
    """What the comparison of pruners found for the model."""
    return json.loads((results / "rivals" / PAIR / "pieces" / "lense.0.json").read_text())


def median(walked: Walk) -> int:
    return int(walked.distances[-1].argsort(stable=True)[(EPISODES - 1) // 2])


def points(model: LeNSE, walked: Walk) -> Any:
    return on_the_map(model, model.picture_(walked.embeddings).numpy())


def change_model(results: Path) -> None:
    (results / "models" / MODEL / "note.txt").write_text("another model now")


def test_a_model_has_map_walk_subgraph_training_and_configuration(results: Path) -> None:
    (choice,) = choices(results)
    assert (choice["name"], choice["group"]) == ("mvc on tiny", "mvc")
    assert titles(choice) == ["Map and walks", "Pruned subgraph", "Training", "Configuration"]
    assert "Models" in titles(results_page(results))


def test_a_short_walk_is_walked_anew_to_the_end_that_was_compared(results: Path, walked: Walk) -> None:
    shown, known = median(walked), piece(results)
    _, block = drawn(results)
    places, ends = block["walks"]["places"], block["walks"]["ends"]
    assert [place["step"] for place in places] == list(range(len(walked.distances)))
    assert [place["distance"] for place in places] == pytest.approx(walked.distances[:, shown].tolist(), rel=1e-3)
    assert places[-1]["ratio"] == pytest.approx(known["subgraph"][shown]["ratio"])
    assert [places[-1][name] for name in ("vertices", "edges")] == [
        known["parts"][shown][name] for name in ("vertices", "edges")
    ]
    assert [end["ratio"] for end in ends] == [one["ratio"] for i, one in enumerate(known["subgraph"]) if i != shown]


def test_places_and_curves_are_linked_for_each_model_alone(results: Path) -> None:
    (choice,) = choices(results)
    block, *curves = choice["sections"][0]["blocks"]
    assert {block["link"], *(curve["link"] for curve in curves)} == {f"walk-{MODEL}"}
    assert [curve["title"] for curve in curves] == ["Ratio along the walk", "Distance to the goal along the walk"]


@pytest.mark.usefixtures("too_long")
def test_of_long_walks_starts_and_ends_are_joined(results: Path, model: LeNSE, walked: Walk) -> None:
    shown, known, on_map = median(walked), piece(results), points(model, walked)
    found, block = drawn(results)
    walks = block["walks"]
    assert walks["is_straight"]
    np.testing.assert_allclose(walks["shown"], on_map[[0, -1], shown], atol=1e-2 * np.abs(on_map).max())
    first, last = walks["places"]
    assert (first["step"], first["ratio"], last["step"]) == (0, None, len(walked.distances) - 1)
    assert last["ratio"] == known["subgraph"][shown]["ratio"]
    assert [first["distance"], last["distance"]] == pytest.approx(walked.distances[[0, -1], shown].tolist(), rel=1e-3)
    assert "Pruned subgraph" in found


@pytest.mark.usefixtures("too_long")
def test_the_experiment_of_walks_tells_the_whole_way(results: Path, model: LeNSE, walked: Walk) -> None:
    reproduce(tiny_paper.experiment("walk"), tiny_paper.study(results))
    _, block = drawn(results)
    shown, on_map = median(walked), points(model, walked)
    np.testing.assert_allclose(block["walks"]["shown"], on_map[:, shown], atol=1e-2 * np.abs(on_map).max())
    places = block["walks"]["places"]
    assert [place["ratio"] for place in places] == [None] * (len(places) - 1) + [
        piece(results)["subgraph"][shown]["ratio"]
    ]


@pytest.mark.usefixtures("too_long")
def test_recorded_walks_that_end_elsewhere_than_the_kept_ones_are_not_mixed_with_them(results: Path) -> None:
    reproduce(tiny_paper.experiment("walk"), tiny_paper.study(results))
    path = results / "walk" / "pieces" / f"{MODEL}.json"
    record = json.loads(path.read_text())
    record["distances"][-1] = [9.0] * EPISODES
    path.write_text(json.dumps(record))
    assert drawn(results)[1]["walks"]["is_straight"]


def test_without_the_graph_only_recorded_walks_are_drawn(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reproduce(tiny_paper.experiment("walk"), tiny_paper.study(results))
    monkeypatch.setenv("LENSE_DATA", str(tmp_path))
    found, block = drawn(results)
    assert found == ["Map and walks", "Training", "Configuration"]
    assert len(block["walks"]["others"]) == EPISODES - 1
    shutil.rmtree(results / "walk")
    (choice,) = choices(results)
    assert titles(choice) == ["Map", "Training", "Configuration"]
    assert "lense data get tiny" in choice["sections"][0]["lead"]


def test_walks_of_another_model_or_graph_are_not_drawn(results: Path) -> None:
    path = results / "walks" / "pieces" / f"{MODEL}.json"
    path.write_text(path.read_text().replace(json.loads(path.read_text())["graph"], "0" * 64))
    assert "another graph" in choices(results)[0]["sections"][0]["lead"]
    change_model(results)
    (choice,) = choices(results)
    assert titles(choice) == ["Map", "Training", "Configuration"]
    assert "keeps no walks" in choice["sections"][0]["lead"]


def test_of_each_pair_the_lowest_seed_is_shown_and_no_other_loss(results: Path) -> None:
    models = results / "models"
    for name in ("other-mvc-10", "other-mvc-9", "other-mvc-0.ordinal"):
        shutil.copytree(models / MODEL, models / name)
    assert [(choice["name"], choice["note"].rpartition("seed ")[2]) for choice in choices(results)] == [
        ("mvc on tiny", "0."),
        ("mvc on other", "9."),
    ]


def test_models_alone_are_results(results: Path) -> None:
    for path in results.iterdir():
        if path.name != "models":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert titles(results_page(results)) == ["Models"]


def test_damaged_walks_are_told_in_one_sentence(results: Path) -> None:
    path = results / "walks" / "pieces" / f"{MODEL}.json"
    record = json.loads(path.read_text())
    del record["roots"]
    path.write_text(json.dumps(record))
    with pytest.raises(LenseError, match=r"tiny-mvc-0.json is damaged, since it lacks roots"):
        models_section(results)
