"""Models in files: what is stored is what was learnt, damage is reported, nothing is run; logs and unfinished runs."""

import csv
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from lense.errors import LenseError
from lense.navigation.checkpoints import arrays_of, load_tensors
from lense.navigation.model_files import Stages, TrainingLog
from lense.pruners import load
from lense.pruners.model_files import write_arrays
from tests.skips import NO_TENSORBOARD

TENSORS = {
    "weights": torch.randn(3, 4, generator=torch.Generator().manual_seed(0)),
    "a number": torch.tensor(7),
    "truths": torch.tensor([True, False]),
    "nothing": torch.zeros(0, 2),
}


FACTS = {"epoch": 3, "best_loss": 0.1 + 0.2, "since": float("inf"), "name": "wiki"}


def test_what_is_saved_is_loaded_bit_by_bit(tmp_path: Path) -> None:
    write_arrays(tmp_path / "file", arrays_of(TENSORS), FACTS)
    tensors, facts = load_tensors(tmp_path / "file")
    assert facts == FACTS
    assert set(tensors) == set(TENSORS)
    for name, tensor in TENSORS.items():
        assert tensors[name].dtype == tensor.dtype
        assert torch.equal(tensors[name], tensor)


DAMAGED: dict[str, Callable[[bytes], bytes]] = {
    "cut short": lambda content: content[:-1],
    "empty": lambda _: b"",
    "another header": lambda content: content.replace(b'"dtype"', b'"dtypo"'),
    "text": lambda _: b"tensors",
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_or_foreign_file_is_reported(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_arrays(path, arrays_of(TENSORS))
    path.write_bytes(DAMAGED[damage](path.read_bytes()))
    with pytest.raises(LenseError, match="file is damaged or no safetensors file"):
        load_tensors(path)


def rows(file: Path) -> list[list[str]]:
    with file.open(newline="") as stream:
        return list(csv.reader(stream))


def test_each_value_is_a_row_and_a_resumed_run_replaces_those_it_repeats(tmp_path: Path) -> None:
    first = TrainingLog(tmp_path / "log.csv")
    first("encoder", 1, loss=0.5, held_out_loss=0.75)
    first("navigator", 1, distance=0.1 + 0.2)
    first.close()
    again = TrainingLog(tmp_path / "log.csv")
    again("navigator", 1, distance=0.25)
    again("navigator", 2, distance=0.1 + 0.2)
    again.close()
    assert TrainingLog(tmp_path / "log.csv").series("navigator", "distance") == [(1, 0.25), (2, 0.1 + 0.2)]
    assert rows(tmp_path / "log.csv") == [
        ["stage", "step", "quantity", "value"],
        ["encoder", "1", "loss", "0.5"],
        ["encoder", "1", "held_out_loss", "0.75"],
        ["navigator", "1", "distance", "0.25"],
        ["navigator", "2", "distance", "0.30000000000000004"],
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,2\n",
        b"stage,step,quantity,value\nencoder,one,loss,1\n",
        b"stage,step,quantity,value\nx\n",
        b"\xff\xfe\n",
    ],
)
def test_a_file_that_is_no_log_is_reported_and_left_alone(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_bytes(content)
    with pytest.raises(LenseError, match=r"log.csv is not a training log"):
        TrainingLog(tmp_path / "log.csv")
    assert (tmp_path / "log.csv").read_bytes() == content


def test_tensorboard_gets_the_values(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator", reason=NO_TENSORBOARD)
    log = TrainingLog(tensorboard=tmp_path / "board")
    log("encoder", 1, loss=0.5)
    log("encoder", 2, loss=0.25)
    log.close()
    events = accumulator.EventAccumulator(str(tmp_path / "board")).Reload()
    assert [(event.step, event.value) for event in events.Scalars("encoder/loss")] == [(1, 0.5), (2, 0.25)]


def test_a_missing_tensorboard_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(LenseError, match="TensorBoard is missing"):
        TrainingLog(tensorboard=tmp_path)


@pytest.fixture
def copied(model_folder: Path, tmp_path: Path) -> Path:
    """A model to damage."""
    return Path(shutil.copytree(model_folder, tmp_path / "copied"))


@pytest.mark.parametrize(
    "name", ["encoder.safetensors", "goal.safetensors", "map.safetensors", "navigator.safetensors", "training.csv"]
)
def test_a_file_that_is_missing_is_reported_at_once(copied: Path, name: str) -> None:
    (copied / name).unlink()
    with pytest.raises(LenseError, match=f"There is no file .*{name}"):
        load(copied)


def test_what_is_stored_is_written_again_bit_by_bit(model_folder: Path, tmp_path: Path) -> None:
    load(model_folder).save(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {file.name for file in model_folder.iterdir()}
    for file in tmp_path.iterdir():
        assert file.read_bytes() == (model_folder / file.name).read_bytes()


def test_settings_are_known_by_the_names_of_earlier_versions(copied: Path) -> None:
    path, known = copied / "config.json", load(copied).settings_
    path.write_text(path.read_text().replace('"evaluations"', '"looks"'))
    assert load(copied).settings_ == known


def test_a_folder_belongs_to_the_training_that_began_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "stages"
    first = Stages(folder, {"seed": 1})
    assert first.file("ratios.json") == folder / "ratios.json"
    Stages(folder, {"seed": 2})  # the first has labelled nothing yet
    (folder / "ratios.json").write_text("{}")
    Stages(folder, {"seed": 2})
    with pytest.raises(LenseError, match="another training"):
        Stages(folder, {"seed": 1})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"budget": float("nan")}, "its budget is"),
        ({"num_features": -1}, "its num_features is"),
        ({"num_features": 10**8}, "does not belong"),
        ({"num_features": 10**30}, "config.json is damaged"),
        ({"cutoffs": "high"}, "its cutoffs are"),
        ({"cutoffs": [float("nan")]}, "its cutoffs are"),
        ({"settings": {"embedding_dim": 10**9}}, "must lie between"),
        ({"settings": {"embedding_dim": None}}, "damaged"),
        ({"settings": {"rots": 3}}, "did you mean 'roots'"),
        ({"settings": []}, "damaged"),
        ({"walks": {}}, "its roots is None"),
        ({"params": {"seed": True}}, "its seed is True"),
    ],
)
def test_a_configuration_that_says_what_cannot_be_is_refused(changes: dict[str, Any], words: str, copied: Path) -> None:
    path = copied / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps({**config, **changes, "params": config["params"] | changes.get("params", {})}))
    with pytest.raises(LenseError, match=words):
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
        ("navigator", "value.bias", torch.tensor([torch.nan])),
        ("navigator", "another", torch.zeros(3)),
        ("encoder", "another", torch.zeros(3)),
        ("goal", "goal", torch.zeros(3)),
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
    write_arrays(path, arrays_of({**tensors, tensor: value}))
    with pytest.raises(LenseError, match=str(path)):
        assert load(copied).map_ is not None
