"""The whole training in the paper's order: label subgraphs, learn the map, learn to walk on it."""

import logging
from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lense._util.torch_device import torch_threads
from lense._util.types import Int64s
from lense.graph import Graph, split
from lense.graph.structure import largest_component_share
from lense.graph.subgraph import subgraph
from lense.navigation.batches import GraphTensors
from lense.navigation.encoder_training import TrainedEncoder, train_encoder
from lense.navigation.inference import WalkPlan, mean_degree
from lense.navigation.labels import LabelledSubgraphs, label_subgraphs
from lense.navigation.looks import Ground, Judgement
from lense.navigation.model_files import Learnt, MapSamples, Stages, SubgraphMap
from lense.navigation.picture import PictureMap
from lense.navigation.q_learning import Navigator, train_navigator
from lense.navigation.settings import Settings
from lense.navigation.training_log import TrainingLog
from lense.problems import Problem
from lense.problems.parts import solve_part
from lense.pruners.model_files import graph_digest

log = logging.getLogger(__name__)

_GOOD = 0.8
_LEARN_LONGER = "learn longer, with the preset auto, more train_steps or a smaller update_every"
_IN_PIECES = "that graph is in pieces, between which no walk leads, so learn from more edges if there are any"
_MOST = 0.5


def train(
    problem: Problem,
    graph: Graph,
    budget: float,
    settings: Settings,
    *,
    seed: int = 0,
    device: torch.device,
    source: str | Mapping[str, Any] | None = None,
    stages: Stages,
    tensorboard: Path | None = None,
) -> Learnt:
    """Learn from a prepared train graph; what is done already lies in the files of ``stages``."""
    training_log = TrainingLog(stages.file("training.csv"), tensorboard)
    report = partial(_kept, training_log)
    try:
        with torch_threads(1):
            samples = label_subgraphs(
                problem, graph, budget, settings.labels, seed=seed, journal=stages.file("ratios.json")
            )
            tensors = train_tensors(problem, graph, settings, device)
            learnt = train_encoder(
                tensors,
                samples,
                settings.encoder,
                seed=seed,
                checkpoint=stages.file("encoder.safetensors"),
                report=report,
            )
            navigator = train_navigator(
                Ground(tensors, partial(_judged, problem, graph, budget, samples.score)),
                learnt.encoder,
                learnt.goal,
                samples.solution,
                settings.q_learning,
                elsewhere=_half(problem, graph, budget, settings, seed, device),
                num_roots=settings.labels.roots,
                seed=seed,
                checkpoint=stages.file("navigator.safetensors"),
                report=report,
            )
            found = Learnt(
                navigator.network.cpu(),
                _plan(settings, graph, navigator.look.steps),
                _map(learnt, samples, seed),
                settings,
                training_log,
                _report(graph, source, samples, learnt, navigator),
            )
    finally:
        training_log.close()
    _warn(graph, navigator)
    return found


def _plan(settings: Settings, graph: Graph, steps: int) -> WalkPlan:
    return WalkPlan(
        roots=settings.labels.roots,
        steps=steps,
        longest=settings.q_learning.test_steps,
        train_degree=mean_degree(graph.incident),
        ranks=settings.encoder.ranks,
    )


def _map(learnt: TrainedEncoder, samples: LabelledSubgraphs, seed: int) -> SubgraphMap:
    picture, goal = PictureMap.fitted(learnt.embeddings, seed), learnt.goal.cpu()
    drawn = MapSamples(picture(learnt.embeddings).numpy(), samples.labels, picture(goal).numpy())
    return SubgraphMap(learnt.encoder.cpu(), goal, picture, drawn, samples.cutoffs)


def _report(
    graph: Graph,
    source: str | Mapping[str, Any] | None,
    samples: LabelledSubgraphs,
    learnt: TrainedEncoder,
    navigator: Navigator,
) -> dict[str, Any]:
    kept, start = navigator.look, navigator.start
    return {
        "trained_on": {
            "source": source,
            "vertices": graph.num_vertices,
            "edges": graph.num_edges,
            "digest": graph_digest(graph),
        },
        "classes": samples.classes,
        "heuristic_score": samples.score,
        "encoder": learnt.report.as_dict(),
        "navigator": {
            "distance": kept.distance,
            **kept.judged._asdict(),
            "steps": kept.steps,
            "kept_after_updates": kept.updates,
            "strength": kept.strength,
            "start": None if start is None else {"steps": start.steps, **start.judged._asdict()},
            "transitions": navigator.transitions,
            "updates": navigator.updates,
        },
        "versions": {name: version(name) for name in ("lense", "torch", "torch_geometric", "numpy")},
    }


def _warn(graph: Graph, navigator: Navigator) -> None:
    """Say what the figures on the train graph mean for the use of the model."""
    ratio, start = navigator.look.judged.ratio, navigator.start
    if not navigator.updates:
        log.warning("the training is so short that nothing was learnt: more train_steps or a smaller update_every")
    if ratio < _GOOD:
        in_pieces = largest_component_share(graph) <= _MOST
        log.warning(
            "the walks on the train graph reach only %.0f %% of the heuristic's score: %s",
            100 * ratio,
            _IN_PIECES if in_pieces else _LEARN_LONGER,
        )
    if start is not None and start.judged.ratio > ratio:
        log.warning(
            "on the train graph the walk by rank, which learns no network, reaches %.3f and what was learnt %.3f: "
            "try the pruner rank-walk",
            start.judged.ratio,
            ratio,
        )


def train_tensors(problem: Problem, graph: Graph, settings: Settings, device: torch.device) -> GraphTensors:
    """A prepared graph as the encoder takes it."""
    return GraphTensors.of(graph, _plan(settings, graph, 0).given_features(problem.features(graph)), device)


def _half(
    problem: Problem, graph: Graph, budget: float, settings: Settings, seed: int, device: torch.device
) -> Ground | None:
    """A random half of the train graph's edges, if it is needed and large enough for walks.

    It has other degrees and another solution, so that it shows whether what was learnt carries over.
    """
    half = split(graph, 0.5, seed)[0]
    if not settings.q_learning.chooses_strength or half.num_vertices <= settings.labels.roots:
        return None
    score = problem.solve(half, budget, np.random.default_rng(seed), certify=False).score
    return Ground(train_tensors(problem, half, settings, device), partial(_judged, problem, half, budget, score))


def _judged(problem: Problem, graph: Graph, budget: float, score: float, roots: Int64s) -> Judgement:
    """The part of these roots, by the ``score`` of the whole graph."""
    part = subgraph(graph, roots)
    found = solve_part(problem, graph, part, budget, np.random.default_rng(0))
    return Judgement(found.score / score, part.graph.num_edges / graph.num_edges)


def _kept(training_log: TrainingLog, stage: str, step: int, **figures: float) -> None:
    """Log figures, and bring the file up to date."""
    training_log(stage, step, **figures)
    training_log.write()
