"""Model folders of which one file is damaged: a core, a classifier's arrays and a LeNSE."""

import atexit
import json
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from lense.graph import Graph, power_law
from lense.pruners import load
from lense.pruners.model_files import SHIPPED
from tests.fuzz.mutations import Rng, changed_json, damaged, json_text

_MOST_STEPS = 300


@cache
def graph() -> Graph:
    return power_law(300, 6, 2.3, np.random.default_rng(1))


@cache
def folders() -> tuple[Path, ...]:
    """Good models, in a folder of their own."""
    from lense.navigation import LeNSE
    from tests import learning
    from tests.conftest import tiny_settings

    home = Path(mkdtemp(prefix="lense-fuzz-models-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    LeNSE("mvc", learning.BUDGET, settings=tiny_settings()).fit(learning.graph(), source="a test").save(home / "lense")
    for problem in ("mvc", "im"):
        shutil.copytree(SHIPPED / f"core-{problem}", home / f"core-{problem}")
    return tuple(sorted(home.iterdir()))


def run_case(folder: Path, rng: Rng) -> None:
    """Load the model and use all that is in it."""
    model = folder / "model"
    shutil.copytree(folders()[rng.integers(len(folders()))], model)
    files = sorted(model.iterdir())
    chosen = files[rng.integers(len(files))]
    if rng.random() < 0.03:
        chosen.unlink()
        if rng.random() < 0.5:
            chosen.mkdir()
    else:
        chosen.write_bytes(_changed(chosen, rng))
    use(model)


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


def _changed(path: Path, rng: Rng) -> bytes:
    data = path.read_bytes()
    if path.suffix == ".json" and rng.random() < 0.8:
        return json_text(changed_json(json.loads(data), rng), rng)
    return damaged(data, rng)


def warm_up() -> None:
    for folder in folders():
        use(folder)
