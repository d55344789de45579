"""LeNSE's whole training in the paper's order, its settings and presets."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import numpy as np

from lense._util.options import converted
from lense._util.torch_device import torch_device, torch_threads
from lense._util.types import Int64s
from lense.errors import LenseError, choose
from lense.graph import Graph, split
from lense.graph.structure import largest_component_share
from lense.graph.subgraph import subgraph
from lense.navigation.encoder import EncoderSettings, GraphTensors, PictureMap, TrainedEncoder, train_encoder
from lense.navigation.inference import QValues, WalkPlan, mean_degree
from lense.navigation.labels import LabelledSubgraphs, LabelSettings, label_subgraphs
from lense.navigation.model_files import DrawnSamples, Stages, SubgraphMap, TrainingLog
from lense.navigation.policy_evaluation import Evaluator, Judgement
from lense.navigation.q_learning import Navigator, QSettings, train_navigator
from lense.paper import HYPERPARAMETERS, PAPER_CHOICES
from lense.problems.parts import score_part
from lense.pruners.model_files import graph_digest
from lense.pruners.ranking import standing

if TYPE_CHECKING:
    from lense.navigation.lense import LeNSE

log = logging.getLogger(__name__)

PRESETS = ("auto", "quick", "paper", "literal")
_SMALL_GRAPH = 6000
_GOOD = 0.8
_LEARN_LONGER = "learn longer, with the preset auto, more train_steps or a smaller update_every"
_IN_PIECES = "that graph is in pieces, between which no walk leads, so learn from more edges if there are any"
_MOST = 0.5


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that training depends on besides the graph, the problem, the budget and the seed."""

    labels: LabelSettings = field(default_factory=LabelSettings)
    encoder: EncoderSettings = field(default_factory=EncoderSettings)
    q_learning: QSettings = field(default_factory=QSettings)

    def changed(self, **changes: Any) -> "Settings":
        """These settings with some replaced, by name; text becomes what the field expects."""
        for name in changes:
            choose(name, SETTING_NAMES, "setting")
        parts = {}
        for part in fields(self):
            own = getattr(self, part.name)
            hints = get_type_hints(type(own))
            values = {name: _value(name, value, hints[name]) for name, value in changes.items() if name in hints}
            parts[part.name] = replace(own, **values)
        return Settings(**parts)

    def as_dict(self) -> dict[str, Any]:
        """All settings by name, in types that JSON knows."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for part in asdict(self).values()
            for name, value in part.items()
        }


SETTING_NAMES = {name: part for part, values in asdict(Settings()).items() for name in values}
"""The names of all settings, and to what they belong."""


def _value(name: str, value: Any, hint: Any) -> Any:
    if name != "cutoffs":
        return converted(name, value, hint)
    try:
        return tuple(float(part) for part in (value.split(",") if isinstance(value, str) else value))
    except (TypeError, ValueError) as error:
        raise LenseError(f"The setting {name} takes numbers separated by commas, not '{value}'.") from error


def preset_settings(preset: str, problem: str, paper_graph: str | None, num_vertices: int, budget: float) -> Settings:
    """The settings of a preset, by the paper's graph of that name or by the train graph and the budget.

    "quick" is "auto" for a minute or two; "literal" is "paper" with the paper's choice in everything else too.
    """
    choose(preset, dict.fromkeys(PRESETS), "preset")
    if preset in ("auto", "quick"):
        auto = _auto_settings(num_vertices, budget)
        if preset == "auto":
            return auto
        less = {"samples_per_class": 20, "epochs": 40, "patience": 10, "train_steps": 300}
        return auto.changed(**less, update_every=10, evaluations=3)
    if paper_graph is None:
        raise LenseError(f"The preset {preset} is for the paper's graphs: name one as paper_graph, or take auto.")
    rows = {name: row for (its_problem, name), row in HYPERPARAMETERS.items() if its_problem == problem}
    if paper_graph not in rows:
        where = f"on '{paper_graph}', only on {', '.join(rows)}" if rows else "on any graph"
        raise LenseError(f"The paper has no hyper-parameters for {problem} {where}: use the preset auto.")
    settings = Settings().changed(**rows[paper_graph]._asdict())
    return settings.changed(**PAPER_CHOICES) if preset == "literal" else settings


def _auto_settings(num_vertices: int, budget: float) -> Settings:
    """Three to twelve roots for each vertex of the solution, and as many steps, so that each can be exchanged once.

    As in the paper's rows for b = 100, with M = 300 roots for train graphs of a few thousand vertices and 1,000 for
    some 60,000, M grows with the square root of the vertices.
    """
    most = num_vertices // 3
    per_choice = min(max(3 * (num_vertices / _SMALL_GRAPH) ** 0.5, 3), 12)
    roots = int(min(max(per_choice * budget, 30), max(most, budget + 1)))
    return Settings().changed(roots=roots, test_steps=max(roots, 100))


def train_lense(
    model: "LeNSE",
    graph: Graph,
    settings: Settings,
    *,
    source: str | Mapping[str, Any] | None = None,
    checkpoint: str | Path | None = None,
    tensorboard: str | Path | None = None,
) -> tuple[QValues, WalkPlan, SubgraphMap, TrainingLog, dict[str, Any]]:
    """The policy, its walks, the map, the log and a report, learnt from a prepared graph; see ``LeNSE.fit_graph``."""
    problem, budget, seed, device = model.problem_, model.budget, model.seed, torch_device(model.device)
    known = {"problem": problem.name, "options": asdict(problem), "budget": budget}
    fingerprint = {**known, "settings": settings.as_dict(), "seed": seed, "graph": graph_digest(graph)}
    stages = Stages(checkpoint, fingerprint)
    report = TrainingLog(stages.file("training.csv"), tensorboard)

    def tensors_of(whole: Graph) -> GraphTensors:
        features = problem.features(whole)
        return GraphTensors.of(whole, standing(features) if settings.encoder.ranks else features, device)

    def evaluator(whole: Graph, tensors: GraphTensors, score: float) -> Evaluator:
        def judge(roots: Int64s) -> Judgement:
            part = subgraph(whole, roots)
            found = score_part(problem, whole, part, budget, np.random.default_rng(0), score, estimate=True)
            return Judgement(found.ratio, part.graph.num_edges / whole.num_edges)

        return Evaluator(tensors, judge, learnt.encoder, learnt.goal, settings.q_learning, settings.labels.roots, seed)

    try:
        with torch_threads(1):
            journal = stages.file("ratios.json")
            samples = label_subgraphs(problem, graph, budget, settings.labels, seed=seed, journal=journal)
            tensors, kept = tensors_of(graph), stages.file("encoder.safetensors")
            learnt = train_encoder(tensors, samples, settings.encoder, seed=seed, checkpoint=kept, report=report)
            elsewhere = None
            if (half := _half(graph, settings, seed)) is not None:
                score = problem.solve(half, budget, np.random.default_rng(seed), certify=False).score
                elsewhere = evaluator(half, tensors_of(half), score)
            navigator = train_navigator(
                evaluator(graph, tensors, samples.score),
                samples.solution,
                elsewhere=elsewhere,
                seed=seed,
                checkpoint=stages.file("navigator.safetensors"),
                report=report,
            )
            picture, goal = PictureMap.fitted(learnt.embeddings, seed), learnt.goal.cpu()
            drawn = DrawnSamples(picture(learnt.embeddings).numpy(), samples.labels, picture(goal).numpy())
    finally:
        report.close()
    _warn(graph, navigator)
    plan = WalkPlan(
        roots=settings.labels.roots,
        steps=navigator.kept.steps,
        longest=settings.q_learning.test_steps,
        train_degree=mean_degree(graph.incident),
        ranks=settings.encoder.ranks,
    )
    drawn_map = SubgraphMap(learnt.encoder.cpu(), goal, picture, drawn, samples.cutoffs)
    return navigator.kept.policy, plan, drawn_map, report, _report(graph, source, samples, learnt, navigator)


def _report(
    graph: Graph,
    source: str | Mapping[str, Any] | None,
    samples: LabelledSubgraphs,
    learnt: TrainedEncoder,
    navigator: Navigator,
) -> dict[str, Any]:
    kept, start = navigator.kept, navigator.start
    return {
        "trained_on": {
            "source": source,
            "vertices": graph.num_vertices,
            "edges": graph.num_edges,
            "digest": graph_digest(graph),
        },
        "classes": samples.classes,
        "heuristic_score": samples.score,
        "encoder": learnt.report,
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
    """Warn where the figures on the train graph are poor."""
    ratio, start = navigator.kept.judged.ratio, navigator.start
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


def _half(graph: Graph, settings: Settings, seed: int) -> Graph | None:
    """A random half of the train graph's edges, which shows what carries over, if it is large enough for walks."""
    half = split(graph, 0.5, seed)[0] if settings.q_learning.chooses_strength else None
    return half if half is not None and half.num_vertices > settings.labels.roots else None
