"""What pieces depend on."""

from pathlib import Path

import pytest

from lense.experiments.plan import folder_digest, model_digest


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "encoder.safetensors").write_bytes(b"weights")
    return tmp_path


def test_a_model_is_known_by_its_files_whatever_pictures_lie_beside_them(model: Path) -> None:
    before = model_digest(model)
    (model / "map.png").write_bytes(b"a picture")
    assert model_digest(model) == before == folder_digest(model)


@pytest.mark.parametrize("change", ["encoder.safetensors", "another.json"])
def test_a_model_with_other_files_is_another_one(model: Path, change: str) -> None:
    before = model_digest(model)
    (model / change).write_bytes(b"other weights")
    assert model_digest(model) != before


def test_without_a_configuration_there_is_no_model(model: Path) -> None:
    (model / "config.json").unlink()
    assert model_digest(model) is None
