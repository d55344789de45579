"""The trained models that experiments share, one for each graph, problem and seed, and the walks of each."""

import hashlib
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lense._util.files import read_json
from lense._util.measuring import Stopwatch
from lense.errors import LenseError
from lense.experiments.store import Size, Store
from lense.experiments.study import Cell, Source, Study
from lense.paper import HYPERPARAMETERS

if TYPE_CHECKING:
    from lense.graph.subgraph import Subgraph
    from lense.navigation import LeNSE


@dataclass(frozen=True)
class Training:
    """How a model was trained: its settings, how long it took, and its ratio on the train graph."""

    seconds: float
    preset: str
    settings: dict[str, Any]
    train: Size
    classes: list[int]
    train_ratio: float
    resumed: bool = False


@dataclass(frozen=True)
class Walks:
    """Walks of a model on a test ``graph`` (a sha256): the roots (B, M) that they end with."""

    graph: str
    roots: list[list[int]]
    seconds: float


def trainings(out: Path) -> Store[Training]:
    return Store(out / "trainings.jsonl", Training)


def walks(out: Path) -> Store[Walks]:
    """Those of seed 0, which the page of results shows; those of other seeds and settings lie beside the models."""
    return Store(out / "walks.jsonl", Walks)


@dataclass(frozen=True)
class SharedModel:
    """The model of a graph, problem and seed, whichever experiment asks for it.

    ``changes`` are settings that differ from the usual ones, or another ``preset``.
    """

    study: Study
    source: Source
    seed: int
    changes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cell(self) -> Cell:
        """Its variant names the changes, such as "loss-infonce"."""
        texts = (f"{name}-{value}" for name, value in sorted(self.changes.items()))
        return Cell(self.source, self.seed, re.sub(r"(?:-|[^\w.+])+", "-", "+".join(texts)).strip("-"))

    @property
    def own_folder(self) -> Path:
        """Where the model lies, or will lie."""
        if self.study.model is not None:
            return Path(self.study.model.replace("{seed}", str(self.seed)))
        return self.study.out / "models" / self.cell.name

    @property
    def folder(self) -> Path | None:
        """Where the model lies, if there is one: where seed 0 has none of its own, it is the one that ships."""
        study = self.study
        if (self.own_folder / "config.json").is_file():
            return self.own_folder
        is_usual = not (self.changes or study.settings or study.preset or study.model)
        return shipped_folder(self.source, study.budget) if self.seed == 0 and is_usual else None

    @property
    def digest(self) -> str | None:
        return model_digest(self.folder)

    def load(self) -> "LeNSE":
        """The model, trained first where there is none yet; an interrupted training goes on where it was."""
        folder = self.folder if self.study.model is None else self.own_folder
        model = None if folder is None else self._read(folder)
        if model is None:
            self._train()
            model = self._read(self.own_folder)
        assert model is not None
        return model

    def parts(self) -> "list[Subgraph]":
        """What the walks on the test graph end with; they are walked once."""
        from lense.graph.subgraph import subgraph
        from lense.pruners.model_files import graph_digest

        study, model, graph = self.study, self.load(), self.source.case(self.seed).test
        is_shown = self.seed == 0 and not self.changes
        store, digest, test = walks(study.out if is_shown else study.out / "models"), self.digest, graph_digest(graph)
        known, asked = store.get(self.cell.key), (digest, study.budget, study.episodes, test)
        if known and (known.model, known.budget, known.episodes, known.found.graph) == asked:
            return [subgraph(graph, roots) for roots in known.found.roots]
        with Stopwatch() as watch:
            parts = model.parts(graph, episodes=study.episodes, budget=study.budget, seed=self.seed, prepared=True)
        found = Walks(test, [part.roots.tolist() for part in parts], watch.seconds)
        store.keep(study.record(self.cell, found, model=digest))
        return parts

    def _read(self, folder: Path) -> "LeNSE | None":
        """The model in a folder, if it is what its place says; None if it ships and is not that."""
        from lense.navigation import LeNSE
        from lense.pruners import load
        from lense.pruners.model_files import graph_digest

        model = load(folder, problem=self.source.problem_for(self.seed), device=self.study.device)
        if not isinstance(model, LeNSE):
            raise LenseError(f"The model in {folder} is no LeNSE: only that can be given, the others are fitted anew.")
        if self.study.model is not None:
            return model
        if model.report_["trained_on"]["digest"] != graph_digest(self.source.case(self.seed).train):
            if self.study.out in folder.parents:
                raise LenseError(f"The model in {folder} was trained on another graph or split: move it away.")
            return None
        if model.budget != self.study.budget:
            raise LenseError(
                f"The model in {folder} is for the budget {model.budget:g}, not for {self.study.budget:g}."
            )
        return model

    def _train(self) -> None:
        """Train, save, and keep a record of it; a training that fails leaves a record that says why."""
        from lense.navigation import LeNSE

        study, source, folder, store = self.study, self.source, self.own_folder, trainings(self.study.out)
        checkpoint, case = study.out / "training" / folder.name, source.case(self.seed)
        is_paper_row, was_interrupted = (source.problem, source.paper_graph) in HYPERPARAMETERS, checkpoint.is_dir()
        preset = study.preset or ("paper" if is_paper_row else "auto")
        settings = {"preset": preset, **study.settings, **self.changes}
        known: dict[str, Any] = {"paper_graph": source.paper_graph, "seed": self.seed, "device": study.device}
        model = LeNSE(case.problem, study.budget, preset=settings.pop("preset"), settings=settings, **known)
        part = "train side of the paper's split" if source.paper_graph else "train side of a split"
        about = {"graph": source.title, "part": part, "split_seed": self.seed}
        try:
            with Stopwatch() as watch:
                model.fit(case.train, prepared=True, source=about, checkpoint=checkpoint)
            model.save(folder)
        except Exception as error:
            store.keep(study.record(self.cell, error=error))
            raise
        figures = Training(
            watch.seconds,
            model.preset,
            read_json(folder / "config.json")["settings"],
            Size(case.train.num_vertices, case.train.num_edges),
            model.report_["classes"],
            model.report_["navigator"]["ratio"],
            was_interrupted,
        )
        store.keep(study.record(self.cell, figures, model=model_digest(folder)))
        shutil.rmtree(checkpoint, ignore_errors=True)


def shipped_folder(source: Source, budget: float) -> Path | None:
    """The folder of the model of seed 0 that ships for a graph and problem of the paper."""
    folder = Path(str(files("lense"))) / "models" / source.pair_name
    config = read_json(folder / "config.json") if (folder / "config.json").is_file() else {}
    seed = config.get("params", {}).get("seed")
    return folder if (seed, config.get("budget")) == (0, budget) else None


def model_digest(folder: Path | None) -> str | None:
    """A sha256 of the files of a model but for pictures, which are drawn from the others and may be left out."""
    if folder is None or not (folder / "config.json").is_file():
        return None
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.suffix != ".png"):
        digest.update(f"{path.name} {path.stat().st_size}".encode() + path.read_bytes())
    return digest.hexdigest()
