"""What to run: graphs and how they are split, names, what is refused, and models that are trained and walked once."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lense.errors import LenseError
from lense.experiments.study import TRAIN_SHARE, Cell, SharedModel, Source, model_digest, source_of, trainings
from lense.graph import write_graph
from lense.navigation import LeNSE
from tests.experiments import tiny_paper
from tests.learning import Stopped, same_weights

pytestmark = pytest.mark.usefixtures("tiny")
GRAPH = tiny_paper.GRAPH


def test_a_graph_of_the_paper_is_split_as_there_and_of_others_a_share_of_the_edges_is_learnt_from() -> None:
    case = tiny_paper.SOURCE.case(0)
    assert case.train.num_edges == tiny_paper.TRAIN_EDGES
    assert case.test.num_edges == GRAPH.num_edges - tiny_paper.TRAIN_EDGES
    case = Source(GRAPH, "mvc", train_share=0.4).case(0)
    assert case.train.num_edges == round(0.4 * GRAPH.num_edges)
    assert Source(GRAPH, "mvc", train=GRAPH).case(0).test.num_edges == GRAPH.num_edges


def test_a_record_knows_its_cell_and_where_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    write_graph(GRAPH, path)
    study, cell = tiny_paper.study(tmp_path), Cell(Source(str(path), "bmc", {"solver": "mip"}), 3, "x")
    record = study.record(cell, {"a": 1}, model="digest", seconds=2.0)
    assert record.key == cell.key
    assert source_of(record) == replace(cell.source, from_file=True)
    assert record.file
    assert (record.budget, record.episodes, record.train_share) == (tiny_paper.BUDGET, 2, TRAIN_SHARE)
    assert record.versions["lense"]
    assert record.machine["cores"]


def test_errors_are_kept_in_a_line_faults_with_their_kind(tmp_path: Path) -> None:
    errors = LenseError("No such\nthing."), ZeroDivisionError("by nought"), KeyError()
    study, cell = tiny_paper.study(tmp_path), Cell(tiny_paper.SOURCE, 0)
    kept = [study.record(cell, error=error).error for error in errors]
    assert kept == ["No such thing.", "ZeroDivisionError: by nought", "KeyError"]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"seeds": ()}, "at least one seed"),
        ({"seeds": (-1,)}, "from 0 on"),
        ({"episodes": 0}, "at least one episode"),
        ({"budget": float("nan")}, "positive number"),
        ({"device": "tpu"}, "device"),
        ({"sources": (Source("tinny", "mvc"),)}, "did you mean 'tiny'"),
        ({"sources": (Source(GRAPH, "mvc"),), "jobs": 2}, "the graph in a file"),
    ],
)
def test_what_no_cell_could_mend_is_refused(tmp_path: Path, changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(LenseError, match=complaint):
        replace(tiny_paper.study(tmp_path), **changes).check()


SOURCE = tiny_paper.SOURCE


def test_a_model_is_read_from_where_it_lies(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LeNSE, "fit", None)
    model = SharedModel(tiny_paper.study(results), SOURCE, 0).load()
    assert (model.preset, model.paper_graph, model.seed, model.budget) == ("paper", "tiny", 0, tiny_paper.BUDGET)
    assert model.num_roots() == 16
    assert model.report_["trained_on"]["edges"] == tiny_paper.TRAIN_EDGES
    record = trainings(results).records()[Cell(SOURCE, 1).key]
    assert record.found.settings["roots"] == 16
    assert record.model == model_digest(results / "models" / "tiny-mvc-1")


def test_where_seed_0_has_none_it_is_the_model_that_ships(tmp_path: Path) -> None:
    study = replace(tiny_paper.study(tmp_path), budget=100, settings={})
    wiki = Source("wiki", "mvc")
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
