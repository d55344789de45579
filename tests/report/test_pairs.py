"""The models in a folder of results: one of each graph and problem, with the walks that the folder keeps of it."""

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lense.experiments import Study, reproduce
from lense.experiments.comparison import WHOLE
from lense.experiments.maps import WalkPicture
from lense.experiments.models import walks
from lense.experiments.rivals import Rivals
from lense.experiments.store import Record, Store
from lense.experiments.study import Cell
from lense.graph.subgraph import subgraph
from lense.navigation import LeNSE
from lense.navigation.walk import Walk
from lense.problems import get_problem
from lense.pruners import load
from lense.report import kept, results_page
from lense.report.kept import SharedTensors
from lense.report.pairs import models_section
from lense.report.samples import on_the_map
from tests.experiments import tiny_paper
from tests.report.pages import titles

PAIR, MODEL, EPISODES = "tiny-mvc", "tiny-mvc-0", 2


@pytest.fixture(scope="module")
def finished_seeing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of a model whose choices need the embedding, which no test may change."""
    out = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        tiny_paper.install(patch, tmp_path_factory.mktemp("data"))
        reproduce(tiny_paper.experiment("rivals"), seeing_study(out))
    return out


@pytest.fixture
def seeing(tiny: None, finished_seeing: Path, tmp_path: Path) -> Path:
    """A copy of them for one test."""
    return Path(shutil.copytree(finished_seeing, tmp_path / "seeing"))


@pytest.fixture
def too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if walks that need the embedding took long."""
    monkeypatch.setattr(kept, "MOST_SWAPS", 0)


def seeing_study(out: Path) -> Study:
    return tiny_paper.study(out, settings={**tiny_paper.SETTINGS, "sees_subgraph": True})


def walk_again(results: Path) -> tuple[LeNSE, Walk]:
    """The model in a folder, and the walks of its table 1 once more, all the way with embeddings."""
    model: LeNSE = load(results / "models" / MODEL)
    (source,) = tiny_paper.study(results).sources
    return model, model.walk(source.case(0).test, episodes=EPISODES, seed=0)


def choices(results: Path) -> list[dict[str, Any]]:
    (block,) = models_section(results)
    listed: list[dict[str, Any]] = block["choices"]
    return listed


def drawn(results: Path) -> tuple[list[str], dict[str, Any]]:
    """The titles of what is shown of the only model, and its map."""
    (choice,) = choices(results)
    return titles(choice), choice["sections"][0]["blocks"][0]


def found(store: Store[Any], variant: str = "") -> Record[Any]:
    """What a folder keeps of the model's cell."""
    return store.records()[Cell(tiny_paper.SOURCE, 0, variant).key]


def pruned(results: Path) -> Any:
    """What the comparison of pruners found for the model."""
    return found(Rivals().store(results), "lense").found


def ratios(results: Path) -> list[Any]:
    """The ratios at the places along the only model's walk."""
    return [place["ratio"] for place in drawn(results)[1]["walks"]["places"]]


def change(store: Store[Any], variant: str = "", **changes: Any) -> None:
    """Change figures that the folder keeps."""
    record = found(store, variant)
    store.keep(replace(record, figures=replace(record.found, **changes)))


def median(walked: Walk) -> int:
    return int(walked.distances[-1].argsort(stable=True)[(EPISODES - 1) // 2])


def points(model: LeNSE, walked: Walk) -> Any:
    return on_the_map(model, model.map_.picture(walked.embeddings).numpy())


def change_model(results: Path) -> None:
    (results / "models" / MODEL / "note.txt").write_text("another model now")


def test_a_model_has_map_walk_subgraph_training_and_configuration(results: Path) -> None:
    (choice,) = choices(results)
    assert (choice["name"], choice["group"]) == ("mvc on tiny", "mvc")
    assert titles(choice) == ["Map and walks", "Pruned subgraph", "Training", "Configuration"]
    assert "Models" in titles(results_page(results))


@pytest.mark.usefixtures("too_long")
def test_the_median_walk_is_walked_anew_to_the_end_that_was_compared(results: Path) -> None:
    assert_walked_anew(results)


def test_a_short_walk_that_needs_the_embedding_is_walked_anew_too(seeing: Path) -> None:
    assert_walked_anew(seeing)


def assert_walked_anew(results: Path) -> None:
    (model, walked), known = walk_again(results), pruned(results)
    shown, on_map = median(walked), points(model, walked)
    _, block = drawn(results)
    places, ends = block["walks"]["places"], block["walks"]["ends"]
    assert [place["step"] for place in places] == list(range(len(walked.distances)))
    assert [place["distance"] for place in places] == pytest.approx(walked.distances[:, shown].tolist(), rel=1e-3)
    np.testing.assert_allclose(block["walks"]["shown"], on_map[:, shown], atol=1e-2 * np.abs(on_map).max())
    assert places[-1]["ratio"] == pytest.approx(known.subgraph.ratio[shown])
    assert places[-1]["vertices"] == known.parts.vertices[shown]
    assert places[-1]["edges"] == known.parts.edges[shown]
    assert [end["ratio"] for end in ends] == [ratio for i, ratio in enumerate(known.subgraph.ratio) if i != shown]


def test_ratios_are_to_the_solution_that_the_comparison_kept(results: Path) -> None:
    before = ratios(results)
    store = Rivals().store(results)
    change(store, WHOLE, score=2 * found(store, WHOLE).found.score)
    assert ratios(results) == pytest.approx([ratio / 2 for ratio in before])


def test_a_slow_heuristic_is_run_at_few_places(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everywhere = ratios(results)
    change(Rivals().store(results), WHOLE, seconds=kept.SLOW + 1)
    monkeypatch.setattr(kept, "MOST_MEASURED_SLOWLY", 3)
    measured = [0, 3, 6]
    (choice,) = choices(results)
    _, curve, _ = choice["sections"][0]["blocks"]
    assert curve["series"][0]["points"] == [
        (step, ratio if step in measured else None) for step, ratio in enumerate(everywhere)
    ]
    assert "7 places along it. At 3 of them" in choice["sections"][0]["lead"]


def test_what_no_comparison_kept_is_found_on_small_graphs_alone(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everywhere = ratios(results)
    path = Rivals().store(results).path
    path.write_text("".join(line + "\n" for line in path.read_text().splitlines() if WHOLE not in line))
    assert ratios(results) == everywhere
    monkeypatch.setattr(kept, "MOST_EDGES_SOLVED", 0)
    assert ratios(results) == [*[None] * (len(everywhere) - 1), pytest.approx(everywhere[-1])]
    (choice,) = choices(results)
    assert [curve["title"] for curve in choice["sections"][0]["blocks"][1:]] == ["Distance to the goal along the walk"]
    assert "Ratios along it are not measured" in choice["sections"][0]["lead"]


def test_a_walk_that_ends_elsewhere_than_the_kept_one_says_so(results: Path) -> None:
    assert "another end" not in choices(results)[0]["sections"][0]["lead"]
    other = [list(range(1, 17)), list(range(2, 18))]
    change(walks(results), roots=other)
    (choice,) = choices(results)
    assert "another end" in choice["sections"][0]["lead"]
    (source,) = tiny_paper.study(results).sources
    sizes = [subgraph(source.case(0).test, roots).graph.num_vertices for roots in other]
    assert [end["vertices"] for end in choice["sections"][0]["blocks"][0]["walks"]["ends"]] == sizes


def test_a_graph_of_too_few_vertices_to_walk_on_is_not_walked_on(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LeNSE, "num_roots", lambda _: tiny_paper.GRAPH.num_vertices)
    assert "too few vertices" in choices(results)[0]["sections"][0]["lead"]


def test_places_and_curves_are_linked_for_each_model_alone(results: Path) -> None:
    (choice,) = choices(results)
    block, *curves = choice["sections"][0]["blocks"]
    assert {block["link"], *(curve["link"] for curve in curves)} == {f"walk-{MODEL}"}
    assert [curve["title"] for curve in curves] == ["Ratio along the walk", "Distance to the goal along the walk"]


@pytest.mark.usefixtures("too_long")
def test_of_long_walks_that_need_the_embedding_starts_and_ends_are_joined(seeing: Path) -> None:
    model, walked = walk_again(seeing)
    shown, known, on_map = median(walked), pruned(seeing), points(model, walked)
    headings, block = drawn(seeing)
    walks = block["walks"]
    assert walks["is_straight"]
    np.testing.assert_allclose(walks["shown"], on_map[[0, -1], shown], atol=1e-2 * np.abs(on_map).max())
    first, last = walks["places"]
    assert (first["step"], first["ratio"], last["step"]) == (0, None, len(walked.distances) - 1)
    assert last["ratio"] == known.subgraph.ratio[shown]
    assert [first["distance"], last["distance"]] == pytest.approx(walked.distances[[0, -1], shown].tolist(), rel=1e-3)
    assert "Pruned subgraph" in headings


@pytest.mark.usefixtures("too_long")
def test_the_experiment_of_walks_says_the_whole_way_of_long_ones(seeing: Path) -> None:
    reproduce(tiny_paper.experiment("walk"), seeing_study(seeing))
    model, walked = walk_again(seeing)
    _, block = drawn(seeing)
    shown, on_map = median(walked), points(model, walked)
    np.testing.assert_allclose(block["walks"]["shown"], on_map[:, shown], atol=1e-2 * np.abs(on_map).max())
    places = block["walks"]["places"]
    assert [place["ratio"] for place in places] == [None] * (len(places) - 1) + [pruned(seeing).subgraph.ratio[shown]]


@pytest.mark.usefixtures("too_long")
def test_recorded_walks_that_end_elsewhere_than_the_kept_ones_are_not_mixed_with_them(seeing: Path) -> None:
    reproduce(tiny_paper.experiment("walk"), seeing_study(seeing))
    store = WalkPicture().store(seeing)
    change(store, distances=[*found(store).found.distances[:-1], [9.0] * EPISODES])
    assert drawn(seeing)[1]["walks"]["is_straight"]


def test_without_the_graph_only_recorded_walks_are_drawn(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reproduce(tiny_paper.experiment("walk"), tiny_paper.study(results))
    monkeypatch.setenv("LENSE_DATA", str(tmp_path))
    shown, block = drawn(results)
    assert shown == ["Map and walks", "Training", "Configuration"]
    assert len(block["walks"]["others"]) == EPISODES - 1
    (results / "walk.jsonl").unlink()
    (choice,) = choices(results)
    assert titles(choice) == ["Map", "Training", "Configuration"]
    assert "lense data get tiny" in choice["sections"][0]["lead"]


def test_walks_of_another_model_or_graph_are_not_drawn(results: Path) -> None:
    change(walks(results), graph="0" * 64)
    assert "another graph" in choices(results)[0]["sections"][0]["lead"]
    change_model(results)
    (choice,) = choices(results)
    assert titles(choice) == ["Map", "Training", "Configuration"]
    assert "keeps no walks" in choice["sections"][0]["lead"]


def test_of_each_pair_the_lowest_seed_is_shown_and_no_other_loss(results: Path) -> None:
    models = results / "models"
    for name in ("other-mvc-10", "other-mvc-9", "other-mvc-0.loss-ordinal"):
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


def test_where_the_folder_has_no_model_the_one_that_ships_is_shown_if_the_walks_are_its_own(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = (results / "models").rename(tmp_path / "away")
    assert models_section(results) == []
    monkeypatch.setattr("lense.report.pairs.shipped_folder", lambda *_: away / MODEL)
    assert [choice["name"] for choice in choices(results)] == ["mvc on tiny"]
    change_to = away / MODEL / "note.txt"
    change_to.write_text("another model now")
    assert models_section(results) == []


def test_problems_that_say_the_same_of_a_vertex_share_the_features_of_a_graph() -> None:
    def model(problem: str, ranks: bool = True) -> Any:
        about = SimpleNamespace(encoder=SimpleNamespace(ranks=ranks))
        return SimpleNamespace(problem_=get_problem(problem), settings_=about, tensors=lambda graph: [graph])

    shared, graph, other = SharedTensors(), tiny_paper.GRAPH, tiny_paper.GRAPH
    first = shared.of(model("mvc"), graph, "one")
    assert shared.of(model("im"), graph, "one") is not first
    assert shared.of(model("bmc"), graph, "one") is first
    assert shared.of(model("bmc", ranks=False), graph, "one") is not first
    assert shared.of(model("bmc"), other, "another") is not first
