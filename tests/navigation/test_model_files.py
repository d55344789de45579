"""A learnt LeNSE in a folder, of which only what is needed is read, and the folder of a training as it goes."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from lense.errors import LenseError
from lense.navigation import LeNSE
from lense.navigation.checkpoint import load_tensors, save_tensors
from lense.navigation.model_files import Stages, Stored
from lense.pruners import load
from tests.learning import same_weights


@pytest.fixture
def copied(model_folder: Path, tmp_path: Path) -> Path:
    """A model to damage."""
    return Path(shutil.copytree(model_folder, tmp_path / "copied"))


def stored(folder: Path) -> Stored:
    return Stored(folder, json.loads((folder / "config.json").read_text()))


def test_what_is_stored_is_what_was_learnt(trained: LeNSE, model_folder: Path) -> None:
    found, learnt = stored(model_folder), trained.learnt_
    assert same_weights(found.network, learnt.network)
    assert same_weights(found.map.encoder, learnt.map.encoder)
    assert same_weights(found.map.picture, learnt.map.picture)
    assert torch.equal(found.map.goal, learnt.map.goal)
    assert found.map.cutoffs == learnt.map.cutoffs
    for name in ("points", "labels", "goal"):
        assert np.array_equal(getattr(found.map.samples, name), getattr(learnt.map.samples, name))
    assert (found.plan, found.settings) == (learnt.plan, learnt.settings)
    assert found.report == json.loads(json.dumps(learnt.report))
    assert found.log.series("navigator", "ratio") == learnt.log.series("navigator", "ratio")


def test_the_map_is_read_when_it_is_asked_for(copied: Path) -> None:
    found = stored(copied)
    for name in ("encoder.safetensors", "goal.safetensors", "map.safetensors", "training.csv"):
        (copied / name).write_text("nothing of the kind")
    with pytest.raises(LenseError, match=r"encoder.safetensors is damaged"):
        _ = found.map


MAPS: dict[str, tuple[Callable[[Path], object], str]] = {
    "encoder of another model": (
        lambda f: shutil.copy(f / "goal.safetensors", f / "encoder.safetensors"),
        r"encoder.safetensors does not belong to this model",
    ),
    "goal of another model": (
        lambda f: shutil.copy(f / "encoder.safetensors", f / "goal.safetensors"),
        r"goal.safetensors does not belong to this model: it holds no goal of 4 numbers",
    ),
    "map without samples": (
        lambda f: shutil.copy(f / "goal.safetensors", f / "map.safetensors"),
        r"map.safetensors does not belong to this model: it holds no samples",
    ),
}


@pytest.mark.parametrize("name", MAPS)
def test_a_map_that_does_not_belong_to_the_model_is_refused(copied: Path, name: str) -> None:
    damage, words = MAPS[name]
    damage(copied)
    with pytest.raises(LenseError, match=words):
        _ = stored(copied).map


@pytest.mark.parametrize(
    "name", ["encoder.safetensors", "goal.safetensors", "map.safetensors", "navigator.safetensors", "training.csv"]
)
def test_a_file_that_is_missing_is_reported_at_once(copied: Path, name: str) -> None:
    (copied / name).unlink()
    with pytest.raises(LenseError, match=f"There is no file .*{name}"):
        stored(copied)


@pytest.mark.parametrize("text", ["[]", '{"trained_on": {}}', '{"trained_on": {}, "navigator": 3}'])
def test_a_report_of_something_else_is_refused(text: str, copied: Path) -> None:
    (copied / "report.json").write_text(text)
    with pytest.raises(LenseError, match="not the report of a model"):
        stored(copied)


def test_what_is_stored_is_written_again_bit_by_bit(model_folder: Path, tmp_path: Path) -> None:
    stored(model_folder).write(tmp_path)
    for file in tmp_path.iterdir():
        assert file.read_bytes() == (model_folder / file.name).read_bytes()
    assert {file.name for file in model_folder.iterdir()} - {file.name for file in tmp_path.iterdir()} == {
        "config.json"
    }


def test_without_a_folder_no_stage_has_a_file() -> None:
    assert Stages(None, {}).file("ratios.json") is None


def test_a_folder_belongs_to_the_training_that_began_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "stages"
    first = Stages(folder, {"seed": 1})
    assert first.file("ratios.json") == folder / "ratios.json"
    Stages(folder, {"seed": 2})  # the first has labelled nothing yet
    (folder / "ratios.json").write_text("{}")
    Stages(folder, {"seed": 2})
    with pytest.raises(LenseError, match="another training"):
        Stages(folder, {"seed": 1})


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LenseError, match="cannot be written"):
        Stages(tmp_path / "file" / "stages", {})


def changed_config(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize(
    "changes",
    [
        {"budget": float("nan")},
        {"num_features": 10**8},
        {"num_features": 10**30},
        {"cutoffs": "high"},
        {"cutoffs": [float("nan")]},
        {"settings": {"embedding_dim": 10**9}},
        {"settings": {"embedding_dim": None}},
        {"settings": []},
    ],
)
def test_a_configuration_that_says_what_cannot_be_is_refused(changes: dict[str, object], copied: Path) -> None:
    changed_config(copied, **changes)
    with pytest.raises(LenseError):
        assert load(copied).map_ is not None


@pytest.mark.parametrize(
    "report",
    [
        {"trained_on": {}, "navigator": {"ratio": 1.0}},
        {"trained_on": {"vertices": "many", "edges": 1, "digest": ""}, "navigator": {"ratio": 1.0}},
        {"trained_on": {"vertices": 1, "edges": 1, "digest": ""}, "navigator": {}},
        {"trained_on": {"vertices": 1, "edges": 1, "digest": "", "source": 3}, "navigator": {"ratio": 1.0}},
        [[[]]],
    ],
)
def test_a_report_without_counts_or_with_other_types_is_refused(report: object, copied: Path) -> None:
    (copied / "report.json").write_text(json.dumps(report))
    with pytest.raises(LenseError, match="is not the report of a model"):
        load(copied)


@pytest.mark.parametrize(
    ("name", "tensor", "value"),
    [
        ("navigator", "feature", torch.tensor(99)),
        ("navigator", "feature", torch.tensor(-1)),
        ("navigator", "value.bias", torch.tensor([torch.nan])),
        ("navigator", "vectors.weight", torch.zeros(10**8, 0)),
        ("encoder", "output.bias", torch.full((4,), torch.inf)),
        ("goal", "goal", torch.full((4,), torch.nan)),
        ("map", "samples.points", torch.zeros(3)),
        ("map", "samples.labels", torch.zeros(2, 2)),
        ("map", "samples.goal", torch.tensor([torch.nan, 0.0])),
    ],
)
def test_tensors_that_cannot_be_are_refused(name: str, tensor: str, value: torch.Tensor, copied: Path) -> None:
    path = copied / f"{name}.safetensors"
    tensors, _ = load_tensors(path)
    assert tensor in tensors
    save_tensors(path, {**tensors, tensor: value})
    with pytest.raises(LenseError, match=str(path)):
        assert load(copied).map_ is not None


def test_a_folder_where_a_file_should_be_is_refused(copied: Path) -> None:
    (copied / "training.csv").unlink()
    (copied / "training.csv").mkdir()
    with pytest.raises(LenseError, match=r"There is no file .*training.csv"):
        load(copied)
