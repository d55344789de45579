"""Fixtures that several parts of the specification share."""

import gc
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from lense._util import classes
from lense.cli import main

if TYPE_CHECKING:
    from lense.navigation import LeNSE

# no deadline, since the compiler's time would count
settings.register_profile("lense", settings(), max_examples=60, deadline=None)
settings.load_profile("lense")


def pytest_collection_finish() -> None:
    """Let the collector pass over all that imports made: measuring memory has it look at everything that is left."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _own_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes that a test loads from files are not known to the next one."""
    monkeypatch.setattr(classes, "_known", dict(classes._known))


@dataclass(frozen=True)
class Outcome:
    """What one command printed, and how it ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def assert_refused(self, *words: str) -> None:
        """Assert that the command ended with exit status 2 and one sentence, which has these words."""
        assert (self.status, self.out, self.err.count("\n")) == (2, "", 1), self.err
        assert self.err.startswith("lense: ")
        assert all(word in self.err for word in words), self.err


Command = Callable[..., Outcome]


@pytest.fixture
def lense(capfd: pytest.CaptureFixture[str]) -> Command:
    """Run the command line in this process: ``lense("graph", "info", path)``."""

    def run(*arguments: object) -> Outcome:
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Outcome(int(stopped.value.code or 0), out, err)

    return run


@pytest.fixture(scope="session")
def trained() -> "LeNSE":
    """A tiny model for mvc, learnt from ``learning.graph()``."""
    from lense.navigation import LeNSE
    from tests import learning

    model = LeNSE("mvc", learning.BUDGET, settings=tiny_settings())
    return model.fit(learning.graph(), source="a test")


def tiny_settings() -> dict[str, Any]:
    """Settings to train a model with in a second or two, with some updates before the first look."""
    from tests import learning

    return {**learning.SETTINGS.as_dict(), "episodes": 10, "train_steps": 60, "update_every": 16, "evaluations": 2}


@pytest.fixture(scope="session")
def model_folder(trained: "LeNSE", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That model in files, which no test may change."""
    folder = tmp_path_factory.mktemp("models") / "mvc"
    trained.save(folder)
    return folder


@pytest.fixture(scope="session")
def graph_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph that the model has not seen, with ids that are not its vertex numbers."""
    import numpy as np

    from lense.graph import power_law, write_graph

    graph = power_law(300, 6, 2.3, np.random.default_rng(1))
    path = tmp_path_factory.mktemp("graphs") / "graph.txt"
    write_graph(replace(graph, labels=graph.labels + 1000), path)
    return path


@pytest.fixture
def tiny_of_paper(graph_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A data set "tiny" with figures in the paper, whose test side is the whole of ``graph_file``."""
    from lense.graph import DATASETS
    from lense.paper import RESULTS, Result

    monkeypatch.setitem(RESULTS, ("mvc", "tiny"), Result(0.987, 0.001, 0.5, 0.6))
    monkeypatch.setattr("lense.evaluation.is_dataset", lambda name: name == "tiny")
    monkeypatch.setattr("lense.evaluation.DATASETS", {"tiny": DATASETS["facebook"]})
    monkeypatch.setattr("lense.evaluation.split", lambda whole, *_: (whole, whole))
    (tmp_path / "tiny.txt").write_bytes(graph_file.read_bytes())
    monkeypatch.setenv("LENSE_DATA", str(tmp_path))


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A tiny paper in place of the real one: see ``tests.experiments.tiny_paper``."""
    from tests.experiments import tiny_paper

    tiny_paper.install(monkeypatch, tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny paper's models of two seeds, its table 1 and its rivals, which no test may change."""
    from lense.experiments import reproduce
    from tests.experiments import tiny_paper

    out = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        tiny_paper.install(patch, tmp_path_factory.mktemp("data"))
        for name in ("table1", "rivals"):
            reproduce(tiny_paper.experiment(name), tiny_paper.study(out, 0, 1))
    return out


@pytest.fixture
def results(tiny: None, finished: Path, tmp_path: Path) -> Path:
    """A copy of them for one test."""
    return Path(shutil.copytree(finished, tmp_path / "results"))
