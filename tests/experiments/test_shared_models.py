"""Models are trained once, with the paper's settings, and kept with a record of the training."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lense.errors import LenseError
from lense.experiments.shared_models import shared_model
from lense.experiments.study import make_source, model_folder, model_pattern
from lense.pruners import LeNSE
from tests.experiments import tiny_paper
from tests.learning import Stopped, same_weights

SOURCE = make_source("tiny", "mvc")


def test_a_model_is_read_from_where_it_lies(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LeNSE, "fit", None)
    model = shared_model(tiny_paper.study(results), SOURCE, 0)
    assert (model.preset, model.paper_graph, model.seed, model.budget) == ("paper", "tiny", 0, tiny_paper.BUDGET)
    assert model.settings_.roots == 16
    assert model.settings_.epochs == tiny_paper.SETTINGS["epochs"]
    assert model.report_["trained_on"]["edges"] == tiny_paper.TRAIN_EDGES


def test_the_record_tells_settings_time_machine_and_versions(results: Path) -> None:
    record = json.loads((results / "models" / "pieces" / "tiny-mvc-1.json").read_text())
    assert record["status"] == "done"
    assert record["seconds"] > 0
    assert record["config"] == {"graph": "tiny", "problem": "mvc", "seed": 1, "loss": "ranked"}
    assert record["settings"]["roots"] == 16
    assert record["learnt"] in (True, False)
    assert record["versions"]["lense"]
    assert record["machine"]["cores"]


def test_folders_are_named_by_graph_problem_seed_and_loss(tmp_path: Path) -> None:
    study, source = tiny_paper.study(tmp_path), make_source("tiny", "bmc", {"solver": "mip"})
    assert model_pattern(study, source) == str(tmp_path / "models" / "tiny-bmc-{seed}")
    assert model_folder(study, source, 2) == tmp_path / "models" / "tiny-bmc-2"
    assert model_folder(study, source, 2, "ordinal") == tmp_path / "models" / "tiny-bmc-2.ordinal"


def test_an_interrupted_training_goes_on_to_the_same_model(
    tiny: None, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise Stopped

    study = tiny_paper.study(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("lense.pruners.lense.train_navigator", stop)
        with pytest.raises(Stopped):
            shared_model(study, SOURCE, 0)
    record = tmp_path / "models" / "pieces" / "tiny-mvc-0.json"
    assert json.loads(record.read_text())["error"] == "Stopped"
    assert (tmp_path / "training" / "tiny-mvc-0" / "encoder.safetensors").exists()
    model, known = shared_model(study, SOURCE, 0), shared_model(tiny_paper.study(finished), SOURCE, 0)
    assert same_weights(model.navigator_, known.navigator_)
    assert json.loads(record.read_text())["resumed"]
    assert not (tmp_path / "training" / "tiny-mvc-0").exists()


def test_a_model_for_another_budget_is_refused(results: Path) -> None:
    (results / "models" / "plan.json").unlink()
    with pytest.raises(LenseError, match="is for the budget 8, not for 9"):
        shared_model(replace(tiny_paper.study(results), budget=9), SOURCE, 0)


@pytest.mark.parametrize(
    ("graph", "seed", "loss", "complaint"),
    [("tiny-mvc-1", 0, "ranked", "another graph or split"), ("tiny-mvc-0", 0, "ordinal", "with the loss ranked")],
)
def test_a_model_that_is_not_what_its_place_says_is_refused(
    results: Path, tmp_path: Path, graph: str, seed: int, loss: str, complaint: str
) -> None:
    study = tiny_paper.study(tmp_path)
    shutil.copytree(results / "models" / graph, model_folder(study, SOURCE, seed, loss))
    with pytest.raises(LenseError, match=complaint):
        shared_model(study, SOURCE, seed, loss)
