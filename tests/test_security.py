"""Nothing that is read is run: files built to run code do not."""

import io
import json
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lense.errors import LenseError
from lense.experiments import EXPERIMENTS
from lense.graph import read_graph
from lense.pruners import load
from lense.pruners.model_files import SHIPPED


class Canary:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return open, (str(self.path), "w")


@pytest.fixture
def canary(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "the code was run"
    pickle.loads(pickle.dumps(Canary(path))).close()
    assert path.exists()
    path.unlink()
    yield path
    assert not path.exists()


def hostile(path: Path) -> dict[str, bytes]:
    """Code in each way in which files are known to carry it."""
    made = {"pickle": pickle.dumps(Canary(path))}
    archive = io.BytesIO()
    np.savez(archive, header=np.array([Canary(path)], dtype=object), indptr=np.array([Canary(path)], dtype=object))
    made["objects of numpy"] = archive.getvalue()
    saved = io.BytesIO()
    torch.save(Canary(path), saved)
    made["torch"] = saved.getvalue()
    made["text"] = f"__import__('pathlib').Path({str(path)!r}).touch()".encode()
    made["json"] = json.dumps({"py/reduce": [{"py/type": "builtins.open"}, [str(path), "w"]]}).encode()
    return made


@pytest.mark.parametrize("name", ["a.npz", "a.parquet", "a.mtx", "a.txt", "a.txt.gz"])
def test_a_graph_runs_no_code(name: str, tmp_path: Path, canary: Path) -> None:
    for content in hostile(canary).values():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(LenseError):
            read_graph(tmp_path / name)


@pytest.mark.parametrize(
    ("model", "file"),
    [
        ("core-mvc", "config.json"),
        ("core-mvc", "learnt.safetensors"),
        *(("facebook-mvc", name) for name in ("config.json", "navigator.safetensors", "report.json")),
        *(("facebook-mvc", name) for name in ("encoder.safetensors", "map.safetensors", "training.csv")),
    ],
)
def test_a_model_runs_no_code(model: str, file: str, tmp_path: Path, canary: Path) -> None:
    for kind, content in hostile(canary).items():
        folder = tmp_path / kind
        shutil.copytree(SHIPPED / model, folder)
        (folder / file).write_bytes(content)
        with pytest.raises(LenseError):
            use(load(folder))


def use(model: Any) -> None:
    assert model.map_ is not None
    assert model.log_ is not None


def test_a_name_in_a_model_is_one_that_is_registered(tmp_path: Path, canary: Path) -> None:
    for key, value in (("pruner", "os:system"), ("problem", "os:system"), ("options", {"solver": "os:system"})):
        folder = tmp_path / key
        shutil.copytree(SHIPPED / "core-mvc", folder)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, key: value}))
        with pytest.raises(LenseError):
            load(folder)


def test_results_run_no_code(tmp_path: Path, canary: Path) -> None:
    store = EXPERIMENTS["table1"].store(tmp_path)
    for content in hostile(canary).values():
        store.path.write_bytes(content)
        with pytest.raises(LenseError):
            store.records()
