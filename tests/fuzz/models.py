"""Folders of models with damaged bytes, or other names, types, shapes and counts: an error, or a model that works."""

import atexit
import json
import shutil
import struct
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from lense.graph import Graph, power_law
from lense.pruners import load
from lense.pruners.model_files import SHIPPED
from tests.fuzz.mutations import changed_json, damaged, json_text
from tests.fuzz.outside import CANARY, nothing_outside
from tests.fuzz.values import COUNTS, Rng, one
from tests.fuzz.writers import changed_lines

_MOST_STEPS = 300
_SHIPPED = ("core-bmc", "core-domination", "core-im", "core-mvc", "dblp-im", "wiki-bmc", "wiki-mvc", "facebook-im")
_TYPES = (np.float16, np.float32, np.float64, np.int8, np.int64, np.uint8, np.bool_)


@cache
def graph() -> Graph:
    return power_law(300, 6, 2.3, np.random.default_rng(1))


@cache
def folders() -> tuple[Path, ...]:
    """Good models: the bundled ones, and a LeNSE trained for this."""
    from lense.navigation import LeNSE
    from tests import learning
    from tests.conftest import tiny_settings

    home = Path(mkdtemp(prefix="lense-fuzz-models-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    LeNSE("mvc", learning.BUDGET, settings=tiny_settings()).fit(learning.graph(), source="a test").save(home / "lense")
    return (*(SHIPPED / name for name in _SHIPPED), home / "lense")


def run_case(folder: Path, rng: Rng) -> None:
    """Load the model and prune with it; nothing that it names is imported, opened or written."""
    model = folder / "model"
    shutil.copytree(one(folders(), rng), model)
    files = sorted(model.iterdir())
    for chosen in sorted({one(files, rng), model / "config.json" if rng.random() < 0.3 else one(files, rng)}):
        _change(chosen, rng, str(folder))
    (model / "canary.py").write_text(CANARY.format(str(folder / "imported")))
    with nothing_outside(folder):
        use(model)


def _change(path: Path, rng: Rng, folder: str) -> None:
    """Another file in the place of this, or other values in it."""
    kind = rng.random()
    if kind < 0.03:
        path.unlink()
        if rng.random() < 0.5:
            path.mkdir()
    elif kind < 0.06:
        shutil.copy(one(sorted(one(folders(), rng).iterdir()), rng), path)
    elif kind < 0.4:
        path.write_bytes(damaged(path.read_bytes(), rng))
    elif path.suffix == ".json":
        path.write_bytes(json_text(changed_json(json.loads(path.read_bytes()), rng, folder), rng))
    elif path.suffix == ".safetensors":
        _change_tensors(path, rng)
    else:
        path.write_text(changed_lines(path.read_text(errors="replace"), rng))


def _change_tensors(path: Path, rng: Rng) -> None:
    """One tensor of another shape, type or name, with other numbers, or missing; or a header that says so."""
    if rng.random() < 0.3:
        path.write_bytes(_changed_header(path.read_bytes(), rng))
        return
    tensors = dict(load_file(path))
    name = one(sorted(tensors), rng)
    old = tensors.pop(name)
    rows, columns = rng.integers(0, 4, 2).tolist()
    with np.errstate(all="ignore"):
        new: dict[str, Any] = {
            name: lambda: old.astype(one(_TYPES, rng)),
            f"{name} ": lambda: old.reshape(one(((-1,), (1, -1), (-1, 1), (1, *old.shape)), rng)),
            f"{name}  ": lambda: np.full(old.shape, one((np.nan, np.inf, 0, 1e38, -1), rng)).astype(old.dtype),
            f"{name}   ": lambda: old[: old.shape[0] // 2] if old.ndim else old,
            f"{name}    ": lambda: np.zeros((rows, columns), old.dtype),
            f"{name}     ": lambda: np.ascontiguousarray(old.T),
            f"{name}      ": lambda: np.concatenate([old.ravel(), old.ravel()]),
            "report.seconds": lambda: old,
            "other": lambda: old,
            "x.weight": lambda: old,
        }
        chosen = one(tuple(new), rng)
        tensors[chosen.strip()] = np.ascontiguousarray(new[chosen]())
    save_file(tensors, path)


def _changed_header(data: bytes, rng: Rng) -> bytes:
    """Shapes, types and places that are not those of the numbers below."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    entry = header[one([name for name in header if name != "__metadata__"], rng)]
    match int(rng.integers(4)):
        case 0:
            entry["shape"] = [*entry["shape"][1:], one(COUNTS, rng)]
        case 1:
            entry["dtype"] = one(("F16", "F64", "I64", "BOOL", "BF16", "F8_E4M3", "X", ""), rng)
        case 2:
            entry["data_offsets"] = [one((0, 4, *COUNTS), rng), one((0, 4, *COUNTS), rng)]
        case 3:
            header["__metadata__"] = one(({"a": "b"}, {"a": 1}, "x", None), rng)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data[8 + length :]


def use(folder: Path) -> None:
    model = load(folder)
    if model.name == "lense":
        assert model.settings_ is not None
        assert model.map_.samples.points.shape[1] == 2
        model.log_.series("encoder", "loss")
        if model.num_steps(graph()) > _MOST_STEPS or model.num_roots() > _MOST_STEPS:
            return  # that is what its author wants, and it takes its time
    part = model.prune(graph(), budget=5)
    assert 0 < part.graph.num_vertices <= graph().num_vertices


def warm_up() -> None:
    for folder in folders():
        use(folder)
