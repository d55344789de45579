"""The trained models that experiments share, one for each graph, problem and seed, and the walks of each."""

import hashlib
import math
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lense.errors import LenseError
from lense.experiments.records import Map, Size
from lense.experiments.store import Store
from lense.experiments.study import Cell, Source, Study
from lense.files import read_json
from lense.paper import HYPERPARAMETERS
from lense.stopwatch import Stopwatch

if TYPE_CHECKING:
    from lense.parts import Subgraph
    from lense.pruners import LeNSE

_DECIMALS = 4
NO_CHANGES: Mapping[str, Any] = {}


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
    """Those of seed 0 are kept for good, for the page of results; those of other seeds as pieces alone."""
    return Store(out / "walks.jsonl", Walks)


def variant_of(changes: Mapping[str, Any]) -> str:
    """The name of a model whose settings differ, such as "loss-infonce"; of one as by default none."""
    texts = (f"{name}-{value}" for name, value in sorted(changes.items()))
    return re.sub(r"(?:-|[^\w.+])+", "-", "+".join(texts)).strip("-")


def model_folder(study: Study, source: Source, seed: int, variant: str = "") -> Path:
    """Where the model lies, or will lie."""
    if study.model is not None:
        return Path(study.model.replace("{seed}", str(seed)))
    return study.out / "models" / Cell(source, seed, variant).name


def known_model(study: Study, source: Source, seed: int, variant: str = "") -> Path | None:
    """The folder of the model if there is one: its own, or where seed 0 has none, that of the model that ships."""
    own = model_folder(study, source, seed, variant)
    if (own / "config.json").is_file():
        return own
    ships = seed == 0 and not variant and not study.settings and not study.preset and study.model is None
    return shipped_folder(source, study.budget) if ships else None


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


def shared_model(study: Study, source: Source, seed: int, changes: Mapping[str, Any] = NO_CHANGES) -> "LeNSE":
    """The model for one seed, trained first where there is none yet; an interrupted training goes on where it was.

    ``changes`` are settings that differ from the usual ones, or another ``preset``.
    """
    variant = variant_of(changes)
    own = model_folder(study, source, seed, variant)
    folder = known_model(study, source, seed, variant) if study.model is None else own
    model = None if folder is None else _loaded(study, source, seed, folder)
    if model is None:
        _train(study, Cell(source, seed, variant), {**study.settings, **changes}, own)
        model = _loaded(study, source, seed, own)
    assert model is not None
    return model


def shared_parts(study: Study, source: Source, seed: int, changes: Mapping[str, Any] = NO_CHANGES) -> "list[Subgraph]":
    """What the walks of a shared model on the test graph end with; walked once, whichever experiment asks."""
    from lense.parts import subgraph
    from lense.pruners.model_files import graph_digest

    model, graph = shared_model(study, source, seed, changes), source.case(seed).test
    store, cell = walks(study.out), Cell(source, seed, variant_of(changes))
    digest, test = model_digest(known_model(study, source, seed, cell.variant)), graph_digest(graph)
    known = store.get(cell.key)
    asked = (digest, study.budget, study.episodes, test)
    if known and (known.model, known.budget, known.episodes, known.found.graph) == asked:
        return [subgraph(graph, roots) for roots in known.found.roots]
    with Stopwatch() as watch:
        parts = model.parts(graph, episodes=study.episodes, budget=study.budget, seed=seed, prepared=True)
    found = Walks(test, [part.roots.tolist() for part in parts], watch.seconds)
    store.keep(study.record(cell, found, model=digest))
    return parts


def fold_shared(out: Path) -> None:
    """Move records of trainings, and of those walks that the page of results shows, from pieces into their files."""
    trainings(out).fold()
    walks(out).fold(lambda record: record.seed == 0 and not record.variant)


def map_of(model: "LeNSE") -> Map:
    """The map of a model, to as many digits as a figure can show."""
    samples = model.map_.samples
    return Map(list(model.map_.cutoffs), samples.labels.tolist(), rounded(samples.points), rounded(samples.goal))


def rounded(values: Any) -> list[Any]:
    """An array as nested lists of numbers with few digits."""
    listed: list[Any] = np.round(np.asarray(values, np.float64), _DECIMALS).tolist()
    return listed


def encoder_of(model: "LeNSE") -> dict[str, float | None]:
    """How well the map keeps the classes apart; None for what is no number."""
    return {name: value if math.isfinite(value) else None for name, value in model.report_["encoder"].items()}


def _loaded(study: Study, source: Source, seed: int, folder: Path) -> "LeNSE | None":
    """The model in a folder, if it is what its place says; None if it ships and is not that."""
    from lense.pruners import LeNSE, load
    from lense.pruners.model_files import graph_digest

    model = load(folder, problem=source.problem_for(seed), device=study.device)
    if not isinstance(model, LeNSE):
        raise LenseError(f"The model in {folder} is no LeNSE: only that can be given, the others are fitted anew.")
    if study.model is not None:
        return model
    if model.report_["trained_on"]["digest"] != graph_digest(source.case(seed).train):
        if study.out in folder.parents:
            raise LenseError(f"The model in {folder} was trained on another graph or split: move it away.")
        return None
    if model.budget != study.budget:
        raise LenseError(f"The model in {folder} is for the budget {model.budget:g}, not for {study.budget:g}.")
    return model


def _train(study: Study, cell: Cell, settings: Mapping[str, Any], folder: Path) -> None:
    """Train, save, and keep a record of it; a training that fails leaves a record that says why."""
    from lense.pruners import LeNSE

    source, checkpoint, store = cell.source, study.out / "training" / folder.name, trainings(study.out)
    was_interrupted, case = checkpoint.is_dir(), source.case(cell.seed)
    is_paper_row = (source.problem, source.paper_graph) in HYPERPARAMETERS
    usual = {"preset": study.preset or ("paper" if is_paper_row else "auto"), **settings}
    model = LeNSE(
        case.problem,
        study.budget,
        preset=usual.pop("preset"),
        paper_graph=source.paper_graph,
        settings=usual,
        seed=cell.seed,
        device=study.device,
    )
    part = "train side of the paper's split" if source.paper_graph else "train side of a split"
    about = {"graph": source.title, "part": part, "split_seed": cell.seed}
    try:
        with Stopwatch() as watch:
            model.fit(case.train, prepared=True, source=about, checkpoint=checkpoint)
        model.save(folder)
    except Exception as error:
        store.keep(study.record(cell, error=error))
        raise
    size, report = Size(case.train.num_vertices, case.train.num_edges), model.report_
    figures = (
        model.preset,
        read_json(folder / "config.json")["settings"],
        size,
        report["classes"],
        report["navigator"]["ratio"],
    )
    store.keep(study.record(cell, Training(watch.seconds, *figures, was_interrupted), model=model_digest(folder)))
    shutil.rmtree(checkpoint, ignore_errors=True)
