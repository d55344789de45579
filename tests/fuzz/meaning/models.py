"""Folders of bundled models in which names, types, shapes and counts are others: an error, or a model that works."""

import json
import os
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file

from lense._util.classes import registered
from lense.pruners.model_files import SHIPPED
from tests.fuzz.meaning.outside import CANARY, nothing_outside
from tests.fuzz.meaning.values import COUNTS, odd_json, one
from tests.fuzz.meaning.writers import changed_lines
from tests.fuzz.models import use
from tests.fuzz.mutations import Rng, inside

_NAMES = ("core-bmc", "core-domination", "core-im", "core-mvc", "dblp-im", "wiki-bmc", "wiki-mvc", "facebook-im")
_TYPES = (np.float16, np.float32, np.float64, np.int8, np.int64, np.uint8, np.bool_)


def run_case(folder: Path, rng: Rng) -> None:
    """Load the model and prune with it; nothing that it names is imported, opened or written."""
    os.chdir(folder)
    model = folder / "model"
    shutil.copytree(SHIPPED / one(_NAMES, rng), model)
    (model / "canary.py").write_text(CANARY.format(str(folder / "imported")))
    for _ in range(int(rng.integers(1, 3))):
        chosen = one([path for path in sorted(model.iterdir()) if path.suffix != ".py"], rng)
        chosen = model / "config.json" if rng.random() < 0.4 else chosen
        if chosen.suffix == ".json":
            chosen.write_text(json.dumps(_changed(json.loads(chosen.read_bytes()), rng, str(folder))))
        elif chosen.suffix == ".csv":
            chosen.write_text(changed_lines(chosen.read_text(), rng))
        else:
            _change_tensors(chosen, rng)
    if rng.random() < 0.2:
        chosen = one(sorted(model.glob("*.safetensors")), rng)
        chosen.write_bytes(_changed_header(chosen.read_bytes(), rng))
    if rng.random() < 0.05:
        _exchange(model, rng)
    with nothing_outside(folder):
        use(model)


def _changed(value: Any, rng: Rng, folder: str) -> Any:
    """Another name, number or type in one place, or a key that is not known or missing."""
    holder, key = inside(value, rng)
    if holder is None:
        return odd_json(rng, folder)
    old = holder[key]
    match int(rng.integers(6)):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[str(odd_json(rng, folder))[:300]] = odd_json(rng, folder)
        case 2 if isinstance(old, str):
            holder[key] = one([*registered("lense.problems"), *registered("lense.pruners"), "infonce", "ratio"], rng)
        case 3 if isinstance(old, int | float):
            holder[key] = one((-old, old + 1, old * 1000, str(old), [old], float(old), bool(old)), rng)
        case _:
            holder[key] = odd_json(rng, folder)
    return value


def _change_tensors(path: Path, rng: Rng) -> None:
    """One tensor of another shape, type or name, with other numbers, or missing."""
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


def _exchange(model: Path, rng: Rng) -> None:
    """A file of another model in the place of one of this."""
    other = SHIPPED / one(_NAMES, rng)
    shutil.copy(one(sorted(other.iterdir()), rng), one(sorted(model.iterdir()), rng))


def warm_up() -> None:
    for name in _NAMES:
        use(SHIPPED / name)
