"""The log of a training run: a CSV file that a resumed run goes on with, and TensorBoard if wanted."""

import builtins
import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.errors import LenseError
from lense.navigation.training_log import TrainingLog
from tests.skips import NO_TENSORBOARD


def rows(file: Path) -> list[list[str]]:
    with file.open(newline="") as stream:
        return list(csv.reader(stream))


def test_each_value_is_a_row(tmp_path: Path) -> None:
    log = TrainingLog(tmp_path / "log.csv")
    log("encoder", 1, loss=0.5, held_out_loss=0.75)
    log("navigator", 1, distance=0.1 + 0.2)
    log.close()
    assert rows(tmp_path / "log.csv") == [
        ["stage", "step", "quantity", "value"],
        ["encoder", "1", "loss", "0.5"],
        ["encoder", "1", "held_out_loss", "0.75"],
        ["navigator", "1", "distance", "0.30000000000000004"],
    ]


def test_a_series_is_one_quantity_by_step() -> None:
    log = TrainingLog()
    for step in (3, 1, 2):
        log("encoder", step, loss=10.0 * step, other=0.0)
        log("navigator", step, loss=-1.0)
    assert log.series("encoder", "loss") == [(1, 10.0), (2, 20.0), (3, 30.0)]
    assert log.series("encoder", "ratio") == []


def test_a_resumed_run_keeps_the_rows_there_are_and_writes_those_it_repeats_only_once(tmp_path: Path) -> None:
    first = TrainingLog(tmp_path / "log.csv")
    for step in (1, 2, 3):
        first("encoder", step, loss=float(step))
    first.close()
    again = TrainingLog(tmp_path / "log.csv")
    again("encoder", 3, loss=3.5)
    again("encoder", 4, loss=4.0)
    again.close()
    resumed = TrainingLog(tmp_path / "log.csv")
    assert resumed.series("encoder", "loss") == [(1, 1.0), (2, 2.0), (3, 3.5), (4, 4.0)]
    assert [row[1] for row in rows(tmp_path / "log.csv")[1:]] == ["1", "2", "3", "4"]


def test_values_that_are_no_numbers_survive(tmp_path: Path) -> None:
    log = TrainingLog(tmp_path / "log.csv")
    log("navigator", 1, loss=float("nan"))
    log.write()
    [(step, value)] = TrainingLog(tmp_path / "log.csv").series("navigator", "loss")
    assert step == 1
    assert np.isnan(value)


def test_without_a_file_nothing_is_written_unless_one_is_named(tmp_path: Path) -> None:
    log = TrainingLog()
    log("encoder", 1, loss=0.5)
    log.close()
    assert not list(tmp_path.iterdir())
    log.write(tmp_path / "elsewhere.csv")
    assert len(rows(tmp_path / "elsewhere.csv")) == 2


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


def test_pictures_without_tensorboard_are_passed_over() -> None:
    TrainingLog().picture("map", np.zeros((2, 2, 3), np.uint8))


def test_tensorboard_gets_the_values_and_the_pictures(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator", reason=NO_TENSORBOARD)
    log = TrainingLog(tensorboard=tmp_path / "board")
    log("encoder", 1, loss=0.5)
    log("encoder", 2, loss=0.25)
    log.picture("map", np.zeros((4, 5, 3), np.uint8))
    log.close()
    events = accumulator.EventAccumulator(str(tmp_path / "board")).Reload()
    assert [(event.step, event.value) for event in events.Scalars("encoder/loss")] == [(1, 0.5), (2, 0.25)]
    assert [(image.width, image.height) for image in events.Images("map")] == [(5, 4)]


def test_a_missing_tensorboard_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def without_tensorboard(name: str, *rest: Any, **options: Any) -> Any:
        if "tensorboard" in name:
            raise ModuleNotFoundError(name)
        return real_import(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without_tensorboard)
    with pytest.raises(LenseError, match="TensorBoard is missing"):
        TrainingLog(tensorboard=tmp_path)
