"""Models are trained once, with the paper's settings, and their walks are walked once."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lense.errors import LenseError
from lense.experiments.study import Cell, SharedModel, make_source, model_digest, trainings, walks
from lense.navigation import LeNSE
from tests.experiments import tiny_paper
from tests.learning import Stopped, same_weights

SOURCE = tiny_paper.SOURCE


def test_a_model_is_read_from_where_it_lies(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LeNSE, "fit", None)
    model = SharedModel(tiny_paper.study(results), SOURCE, 0).load()
    assert (model.preset, model.paper_graph, model.seed, model.budget) == ("paper", "tiny", 0, tiny_paper.BUDGET)
    assert model.num_roots() == 16
    assert model.report_["trained_on"]["edges"] == tiny_paper.TRAIN_EDGES


def test_the_record_of_a_training_has_settings_time_and_model(results: Path) -> None:
    record = trainings(results).records()[Cell(SOURCE, 1).key]
    assert record.found.seconds > 0
    assert record.found.settings["roots"] == 16
    assert record.model == model_digest(results / "models" / "tiny-mvc-1")


def test_folders_are_named_by_graph_problem_seed_and_what_differs(tmp_path: Path) -> None:
    study = tiny_paper.study(tmp_path)
    for changes, name in (
        ({}, "tiny-mvc-2"),
        ({"loss": "ordinal"}, "tiny-mvc-2.loss-ordinal"),
        ({"cutoffs": (0.95, 0.8)}, "tiny-mvc-2.cutoffs-0.95-0.8"),
    ):
        assert SharedModel(study, SOURCE, 2, changes).own_folder == tmp_path / "models" / name


def test_where_seed_0_has_none_it_is_the_model_that_ships(tmp_path: Path) -> None:
    study = replace(tiny_paper.study(tmp_path), budget=100, settings={})
    wiki = make_source("wiki", "mvc")
    shipped = SharedModel(study, wiki, 0).folder
    assert shipped is not None
    assert shipped.parts[-3:] == ("lense", "models", "wiki-mvc")
    for other in (replace(study, budget=9), replace(study, preset="quick"), replace(study, settings={"epochs": 1})):
        assert SharedModel(other, wiki, 0).folder is None
    assert SharedModel(study, wiki, 1).folder is SharedModel(study, wiki, 0, {"preset": "literal"}).folder is None


@pytest.mark.usefixtures("tiny")
def test_a_model_that_ships_for_another_split_is_not_taken(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = results / "models" / "tiny-mvc-1"
    monkeypatch.setattr("lense.experiments.study.shipped_folder", lambda *_: other)
    study = replace(tiny_paper.study(tmp_path / "new"), settings={})
    monkeypatch.setattr(LeNSE, "fit", lambda *_, **__: (_ for _ in ()).throw(Stopped()))
    with pytest.raises(Stopped):
        SharedModel(study, SOURCE, 0).load()


def test_an_interrupted_training_goes_on_to_the_same_model(
    tiny: None, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise Stopped

    study, key = tiny_paper.study(tmp_path), Cell(SOURCE, 0).key
    with monkeypatch.context() as patch:
        patch.setattr("lense.navigation.training.train_navigator", stop)
        with pytest.raises(Stopped):
            SharedModel(study, SOURCE, 0).load()
    assert trainings(tmp_path).records()[key].error == "Stopped"
    model, known = SharedModel(study, SOURCE, 0).load(), SharedModel(tiny_paper.study(finished), SOURCE, 0).load()
    assert same_weights(model.map_.encoder, known.map_.encoder)
    assert trainings(tmp_path).records()[key].found.resumed
    assert not (tmp_path / "training" / "tiny-mvc-0").exists()


def test_a_model_that_is_not_what_its_place_says_is_refused(results: Path, tmp_path: Path) -> None:
    study = tiny_paper.study(tmp_path)
    with pytest.raises(LenseError, match="is for the budget 8, not for 9"):
        SharedModel(replace(tiny_paper.study(results), budget=9), SOURCE, 0).load()
    shutil.copytree(results / "models" / "tiny-mvc-1", SharedModel(study, SOURCE, 0).own_folder)
    with pytest.raises(LenseError, match="another graph or split"):
        SharedModel(study, SOURCE, 0).load()


def test_walks_are_walked_once_until_the_model_changes(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study, known = tiny_paper.study(results), walks(results).records()[Cell(SOURCE, 0).key]
    with monkeypatch.context() as patch:
        patch.setattr(LeNSE, "parts", None)
        parts = SharedModel(study, SOURCE, 0).parts()
    assert [part.roots.tolist() for part in parts] == known.found.roots
    (results / "models" / "tiny-mvc-0" / "note.txt").write_text("another model now")
    SharedModel(study, SOURCE, 0).parts()
    assert walks(results).records()[Cell(SOURCE, 0).key].model != known.model


def test_walks_of_other_seeds_than_0_lie_beside_the_models(results: Path) -> None:
    assert [[key[2] for key in walks(folder).records()] for folder in (results, results / "models")] == [[0], [1]]
