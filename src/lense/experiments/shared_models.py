"""The trained models that experiments share: one for each graph, problem and seed."""

import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lense.circumstances import circumstances
from lense.errors import LenseError
from lense.experiments.cases import Source
from lense.experiments.kept_walks import kept_walks
from lense.experiments.plan import Comparison, folder_digest
from lense.experiments.store import Record, sentence
from lense.experiments.study import DEFAULT_LOSS, Study, model_folder, model_store, without_options
from lense.parts import Subgraph
from lense.pruners import LeNSE, load
from lense.pruners.model_files import graph_digest, is_model
from lense.stopwatch import Stopwatch
from lense.torch_device import torch_device


def shared_model(study: Study, source: Source, seed: int, loss: str = DEFAULT_LOSS) -> LeNSE:
    """The model for one seed with the problem of ``source``, trained first where there is none yet.

    It is trained for the problem's default options, with the paper's preset for a row of the paper. An interrupted
    training goes on where it was.
    """
    folder = model_folder(study, source, seed, loss)
    if not is_model(folder):
        _train(study, without_options(source), seed, loss, folder)
    model = load(folder, problem=source.problem_for(seed), device=study.device)
    if not isinstance(model, LeNSE):
        raise LenseError(f"The model in {folder} is no LeNSE: move it away to have one trained.")
    if model.budget != study.budget:
        raise LenseError(f"The model in {folder} is for the budget {model.budget:g}, not for {study.budget:g}.")
    if model.settings_.loss != loss:
        raise LenseError(
            f"The model in {folder} was trained with the loss {model.settings_.loss}, not with {loss}: move it away."
        )
    if model.report_["trained_on"]["digest"] != graph_digest(without_options(source).case(seed).train):
        raise LenseError(f"The model in {folder} was trained on another graph or split: move it away.")
    return model


def shared_parts(study: Study, source: Source, seed: int, loss: str = DEFAULT_LOSS) -> list[Subgraph]:
    """What the walks of the shared model on the test graph end with; walked once, whichever experiment asks."""
    folder, model = model_folder(study, source, seed, loss), shared_model(study, source, seed, loss)
    options: dict[str, Any] = {"episodes": study.episodes, "budget": study.budget, "seed": seed}
    depends_on, graph = {"model": folder_digest(folder)}, source.case(seed).test
    return kept_walks(study.out / "walks", folder.name, model, depends_on, graph, **options).parts


def _train(study: Study, source: Source, seed: int, loss: str, folder: Path) -> None:
    """Train, save, and write a record of it; a training that fails leaves a record that says why."""
    store, config = model_store(study), {"graph": source.title, "problem": source.problem, "seed": seed, "loss": loss}
    checkpoint = study.out / "training" / folder.name
    try:
        figures = _fitted(study, source, seed, loss, folder, checkpoint)
    except Exception as error:
        store.write(folder.name, {"status": "failed", "error": sentence(error), "config": config, **circumstances()})
        raise
    store.write(
        folder.name,
        {"status": "done", "config": config, **figures, "device": torch_device(study.device).type, **circumstances()},
    )
    shutil.rmtree(checkpoint, ignore_errors=True)


def _fitted(study: Study, source: Source, seed: int, loss: str, folder: Path, checkpoint: Path) -> Record:
    case, was_interrupted = source.case(seed), checkpoint.is_dir()
    # losses are compared by what is learnt with them, and a prior owes nothing to any
    changes: dict[str, Any] = dict(study.settings) | ({} if loss == DEFAULT_LOSS else {"loss": loss, "prior": "never"})
    model = LeNSE(
        case.problem,
        study.budget,
        preset=Comparison(source, study.budget, (), settings=changes).lense_preset,
        paper_graph=source.paper_graph,
        settings=changes,
        seed=seed,
        device=study.device,
    )
    part = "train side of the paper's split" if source.paper_graph else "train side of a split"
    about = {"graph": source.title, "part": part, "split_seed": seed}
    with Stopwatch() as watch:
        model.fit(case.train, prepared=True, source=about, checkpoint=checkpoint)
    model.save(folder)
    report = model.report_
    return {
        "seconds": watch.seconds,
        "resumed": was_interrupted,
        "preset": model.preset,
        "settings": asdict(model.settings_),
        "train": {"vertices": case.train.num_vertices, "edges": case.train.num_edges},
        "classes": report["classes"],
        "train_ratio": report["navigator"]["ratio"],
        "learnt": report["navigator"]["learnt"],
    }
