"""LeNSE: learn a map of subgraphs and how to walk on it, then walk to a good subgraph of any graph."""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch

from lense.errors import LenseError
from lense.files import read_json, write_json
from lense.graph import Graph
from lense.graph.structure import largest_component_share
from lense.parts import Subgraph, subgraph
from lense.parts.solving import solve_part
from lense.problems import Problem
from lense.pruners.base import Pruner
from lense.pruners.model_files import check_numbers, graph_digest
from lense.pruners.ranking import standing
from lense.torch_device import torch_device
from lense.types import Float32s, Int64s
from lense.walking.batches import GraphTensors
from lense.walking.checkpoint import load_module, load_tensors, save_tensors
from lense.walking.encoder import Encoder
from lense.walking.encoder_training import train_encoder
from lense.walking.environment import SubgraphWalks
from lense.walking.labels import LabelledSubgraphs, label_subgraphs
from lense.walking.looks import Judgement
from lense.walking.model_files import MapSamples, Stages, read_goal, read_map
from lense.walking.picture import PictureMap
from lense.walking.q_learning import train_navigator
from lense.walking.q_network import FeatureGain, q_network
from lense.walking.settings import Settings, preset_settings
from lense.walking.training_log import TrainingLog
from lense.walking.unmapped import roots_after
from lense.walking.walk import Policy, Walk, greedy_policy, walk

logger = logging.getLogger(__name__)

_GOOD = 0.8
_LEARN_LONGER = "learn longer, with the preset auto, more train_steps or a smaller update_every"
_IN_PIECES = "that graph is in pieces, between which no walk leads, so learn from more edges if there are any"
_DENSER = 2.5
"""Times the train graph's mean degree: a train side of 30 % of the edges makes a test side 2.3 times as dense at most,
and there what was enough in training still is."""
_MOST = 0.5
_REPORTED = ("trained_on", "navigator")
_BEFORE = {
    "hubs": 0.0,
    "ranks": False,
    "marks_roots": False,
    "restart": 10**9,
    "sampled_starts": False,
    "shaped": False,
    "sees_subgraph": True,
    "prior": "never",
}
"""Settings that models from before they existed were trained with."""


class LeNSE(Pruner):
    """The paper's pruner: ``LeNSE(problem="mvc", budget=100).fit(train_graph).prune(graph)``.

    ``preset`` chooses the hyper-parameters: "auto" from the train graph and the budget, "quick" the same for a minute
    or two, "paper" those of the paper's graph called ``paper_graph``, "literal" those with every switch at the paper's
    choice; ``settings`` changes some of them by name (see ``lense.walking.settings``). ``device`` is "cpu",
    "cuda", or "auto" for a GPU if there is one.
    """

    name: ClassVar[str] = "lense"
    randomised: ClassVar[bool] = True
    learns: ClassVar[bool] = True

    def __init__(
        self,
        problem: str | Problem = "mvc",
        budget: float = 100,
        *,
        preset: str = "auto",
        paper_graph: str | None = None,
        settings: Mapping[str, Any] | None = None,
        seed: int = 0,
        device: str = "cpu",
    ) -> None:
        self.problem = problem
        self.budget = budget
        self.preset = preset
        self.paper_graph = paper_graph
        self.settings = settings
        self.seed = seed
        self.device = device

    @property
    def is_fitted(self) -> bool:
        return hasattr(self, "navigator_")

    def fit(
        self,
        graph: Graph,
        *,
        prepared: bool = False,
        source: str | Mapping[str, Any] | None = None,
        checkpoint: str | Path | None = None,
        tensorboard: str | Path | None = None,
    ) -> Self:
        """Learn from a train graph: label subgraphs, train the encoder, train the navigator.

        ``source`` says in the model's configuration what the graph is. In the folder ``checkpoint`` everything is kept
        as it comes, so that the same call after an interruption goes on to the same result; delete it afterwards.
        ``tensorboard`` is a folder for TensorBoard.
        """
        problem, device = self.problem_, torch_device(self.device)
        if not isinstance(graph, Graph):
            raise LenseError(
                f"LeNSE learns from a Graph, as lense.open_graph reads it, not from a {type(graph).__name__}."
            )
        if self.seed < 0:
            raise LenseError(f"The seed of a training must not be negative, so not {self.seed}.")
        whole = graph if prepared else problem.prepare(graph)
        problem.check_budget(whole, self.budget)
        preset = preset_settings(self.preset, problem.name, self.paper_graph, whole.num_vertices, self.budget)
        settings = _suited(preset.changed(**(self.settings or {})), whole)
        stages = Stages(checkpoint, self._fingerprint(problem, whole, settings))
        log = TrainingLog(stages.file("training.csv"), None if tensorboard is None else Path(tensorboard))
        try:
            samples = label_subgraphs(
                problem,
                whole,
                self.budget,
                num_roots=settings.roots,
                per_class=settings.samples_per_class,
                cutoffs=settings.cutoffs,
                hubs=settings.hubs,
                seed=self.seed,
                journal=stages.file("ratios.json"),
            )
            tensors = GraphTensors.of(whole, _features(problem, whole, settings), device)
            learnt = train_encoder(
                tensors,
                samples,
                settings,
                seed=self.seed,
                checkpoint=stages.file("encoder.safetensors"),
                report=partial(_kept, log),
            )
            navigator = train_navigator(
                tensors,
                learnt.encoder,
                learnt.goal,
                samples.solution,
                settings,
                seed=self.seed,
                checkpoint=stages.file("navigator.safetensors"),
                report=partial(_kept, log),
                judge=partial(_judged, problem, whole, self.budget, samples),
                starts=samples.roots if settings.sampled_starts else None,
            )
            picture = PictureMap.fitted(learnt.embeddings, self.seed)
            self.settings_ = replace(settings, cutoffs=samples.cutoffs, test_steps=navigator.steps)
            self.encoder_, self.goal_ = learnt.encoder.cpu(), learnt.goal.cpu()
            self.navigator_, self.picture_ = navigator.network.cpu(), picture
            self.samples_ = MapSamples(picture(learnt.embeddings).numpy(), samples.labels, picture(self.goal_).numpy())
            self.log_ = log
            self.report_: dict[str, Any] = {
                "trained_on": {
                    "source": source,
                    "vertices": whole.num_vertices,
                    "edges": whole.num_edges,
                    "digest": graph_digest(whole),
                },
                "classes": samples.classes,
                "heuristic_score": samples.score,
                "encoder": learnt.report.as_dict(),
                "navigator": {
                    "distance": navigator.distance,
                    "ratio": navigator.ratio,
                    "learnt": not isinstance(navigator.network, FeatureGain),
                    "longest": settings.test_steps,
                    "transitions": navigator.transitions,
                    "updates": navigator.updates,
                },
                "versions": _versions(),
            }
            if navigator.ratio < _GOOD:
                logger.warning(
                    "the walks on the train graph reach only %.0f %% of the heuristic's score: %s",
                    100 * navigator.ratio,
                    _IN_PIECES if _is_in_pieces(whole) else _LEARN_LONGER,
                )
            if tensorboard is not None:
                from lense.plots import as_image

                log.picture("map", as_image(self.draw_map()))
        finally:
            log.close()
        return self

    def _fingerprint(self, problem: Problem, graph: Graph, settings: Settings) -> dict[str, Any]:
        return {
            "problem": problem.name,
            "options": asdict(problem),
            "budget": self.budget,
            "settings": asdict(settings),
            "seed": self.seed,
            "graph": graph_digest(graph),
        }

    def prune(
        self, graph: Graph, *, budget: float | None = None, seed: int = 0, stop: str = "final", prepared: bool = False
    ) -> Subgraph:
        """The subgraph that a walk of ``num_steps`` steps from a random start ends with; for ``stop`` see ``walk``.

        A graph with no more vertices than the walk has roots is returned whole.
        """
        whole = graph if prepared else self.problem_.prepare(graph)
        if budget is not None:
            self.problem_.check_budget(whole, budget)
        if self.num_roots(budget) >= whole.num_vertices:
            everything = np.arange(whole.num_vertices)
            return Subgraph(whole, everything, everything)
        return subgraph(whole, self.find_roots(whole, episodes=1, budget=budget, seed=seed, stop=stop)[0])

    def parts(
        self, graph: Graph, *, episodes: int = 10, budget: float | None = None, seed: int = 0, prepared: bool = False
    ) -> list[Subgraph]:
        """As for every pruner, but with all walks side by side."""
        whole = graph if prepared else self.problem_.prepare(graph)
        if self.num_roots(budget) >= whole.num_vertices:
            return super().parts(whole, episodes=1, budget=budget, seed=seed, prepared=True)
        return [subgraph(whole, roots) for roots in self.find_roots(whole, episodes=episodes, budget=budget, seed=seed)]

    def num_roots(self, budget: float | None = None) -> int:
        """M, in proportion to a budget larger than the one fitted for."""
        self.check_fitted()
        factor = 1.0 if budget is None else max(1.0, budget / self.budget)
        return math.ceil(self.settings_.roots * factor)

    def num_steps(self, graph: Graph | GraphTensors, budget: float | None = None) -> int:
        """The steps of a walk on a graph, in proportion to the number of roots.

        They are as many as were enough on the train graph, and on a graph that is much denser than that all that a
        walk may take, since there what is enough is not known.
        """
        self.check_fitted()
        steps, trained_on = self.settings_.test_steps, self.report_["trained_on"]
        if _mean_degree(graph) > _DENSER * 2 * trained_on["edges"] / trained_on["vertices"]:
            steps = self.report_["navigator"].get("longest", steps)
        return math.ceil(steps * self.num_roots(budget) / self.settings_.roots)

    def walk(
        self,
        graph: Graph | GraphTensors,
        *,
        episodes: int = 10,
        budget: float | None = None,
        seed: int = 0,
        stop: str = "final",
        policy: Policy | None = None,
        steps: int | None = None,
    ) -> Walk:
        """``episodes`` walks side by side on a prepared graph or its ``tensors``, by the policy learnt or another."""
        tensors = graph if isinstance(graph, GraphTensors) else self.tensors(graph)
        environment = self._environment(tensors, episodes, budget, steps)
        return walk(environment, self._policy() if policy is None else policy, seed=seed, stop=stop)

    def find_roots(
        self,
        graph: Graph | GraphTensors,
        *,
        episodes: int = 10,
        budget: float | None = None,
        seed: int = 0,
        stop: str = "final",
    ) -> Int64s:
        """The roots (episodes, M) that the same walks end with, found without the map where it is not needed."""
        tensors = graph if isinstance(graph, GraphTensors) else self.tensors(graph)
        if stop != "final":
            return self.walk(tensors, episodes=episodes, budget=budget, seed=seed, stop=stop).roots.numpy()
        last = [self.num_steps(tensors, budget)]
        roots: Int64s = self.roots_along(tensors, last, episodes=episodes, budget=budget, seed=seed)[0]
        return roots

    def roots_along(
        self,
        graph: Graph | GraphTensors,
        places: Sequence[int],
        *,
        episodes: int = 10,
        budget: float | None = None,
        seed: int = 0,
    ) -> Int64s:
        """The roots (P, episodes, M) of the same walks after so many steps each of the rising ``places`` (P)."""
        tensors = graph if isinstance(graph, GraphTensors) else self.tensors(graph)
        embeds = self.settings_.sees_subgraph
        environment = self._environment(tensors, episodes, budget, steps=places[-1], embeds=embeds)
        return roots_after(environment, self._policy(), seed, places)

    def _policy(self) -> Policy:
        device = torch_device(self.device)
        return greedy_policy(self.navigator_.to(device), self.encoder_.to(device))

    def _environment(
        self,
        tensors: GraphTensors,
        episodes: int,
        budget: float | None = None,
        steps: int | None = None,
        embeds: bool = True,
    ) -> SubgraphWalks:
        return SubgraphWalks(
            tensors,
            self.encoder_.to(torch_device(self.device)),
            self.goal_,
            num_roots=self.num_roots(budget),
            num_envs=episodes,
            max_steps=self.num_steps(tensors, budget) if steps is None else steps,
            embeds=embeds,
        )

    def tensors(self, graph: Graph) -> GraphTensors:
        """A prepared graph on the device, with its vertex features."""
        features = _features(self.problem_, graph, self.settings_)
        if features.shape[1] != self.encoder_.num_features:
            raise LenseError(
                f"The model knows {self.encoder_.num_features} features of a vertex, but the problem "
                f"{self.problem_.name} has {features.shape[1]}: train a model for it."
            )
        return GraphTensors.of(graph, features, torch_device(self.device))

    def draw_map(self) -> Any:
        """The training samples on the two-dimensional map, as a matplotlib figure."""
        from lense.plots import draw_map

        self.check_fitted()
        return draw_map(self.samples_.points, self.samples_.labels, self.samples_.goal, self.settings_.cutoffs)

    def draw_walks(self, walked: Walk) -> Any:
        """Walks across the map, and their distances to the goal, as a matplotlib figure."""
        from lense.plots import draw_walks

        self.check_fitted()
        samples, paths = self.samples_, self.picture_(walked.embeddings).numpy()
        cutoffs, distances = self.settings_.cutoffs, walked.distances.numpy()
        return draw_walks(samples.points, samples.labels, samples.goal, cutoffs, paths, distances)

    def draw_training(self) -> Any:
        """Losses, distances to the goal and ratios over the training, as a matplotlib figure."""
        from lense.plots import draw_training

        self.check_fitted()
        held_out = dict(self.log_.series("encoder", "held_out_loss"))
        epochs = [(epoch, loss, held_out[epoch]) for epoch, loss in self.log_.series("encoder", "loss")]
        ratios = dict(self.log_.series("navigator", "ratio"))
        looks = [(step, d, ratios.get(step, math.nan)) for step, d in self.log_.series("navigator", "distance")]
        return draw_training(epochs, looks)

    def _write(self, target: Path) -> None:
        from lense.plots import save_figure

        save_tensors(target / "encoder.safetensors", self.encoder_.state_dict())
        save_tensors(target / "navigator.safetensors", self.navigator_.state_dict())
        save_tensors(target / "goal.safetensors", {"goal": self.goal_})
        samples = {"points": self.samples_.points, "labels": self.samples_.labels, "goal": self.samples_.goal}
        drawn = {f"samples.{name}": torch.from_numpy(np.asarray(value)) for name, value in samples.items()}
        save_tensors(target / "map.safetensors", {**self.picture_.state_dict(), **drawn})
        self.log_.write(target / "training.csv")
        save_figure(self.draw_map(), target / "map.png")
        save_figure(self.draw_training(), target / "training.png")
        write_json(target / "report.json", self.report_)
        write_json(target / "config.json", self._config())

    def _config(self) -> dict[str, Any]:
        return {
            **self._identity(),
            "preset": self.preset,
            "paper_graph": self.paper_graph,
            "seed": self.seed,
            "num_features": self.encoder_.num_features,
            "settings": asdict(self.settings_),
            "trained_on": self.report_["trained_on"],
        }

    @classmethod
    def read(cls, folder: Path, config: Mapping[str, Any], problem: Problem, device: str) -> "LeNSE":
        check_numbers(folder / "config.json", config, num_features=1, seed=0)
        settings = Settings(**{**_BEFORE, **config["settings"], "cutoffs": tuple(config["settings"]["cutoffs"])})
        model = LeNSE(
            problem,
            config["budget"],
            preset=config["preset"],
            paper_graph=config["paper_graph"],
            settings=config["settings"],
            seed=config["seed"],
            device=device,
        )
        encoder = Encoder(
            config["num_features"],
            settings.vertex_dim,
            settings.embedding_dim,
            normalised=settings.normalised,
            marks_roots=settings.marks_roots,
        )
        report = read_json(folder / "report.json")
        if not isinstance(report, dict) or not all(isinstance(report.get(key), dict) for key in _REPORTED):
            raise LenseError(f"{folder / 'report.json'} is not the report of a model: copy the model anew.")
        navigator = q_network(settings) if report["navigator"].get("learnt", True) else FeatureGain()
        for module, name in ((encoder, "encoder.safetensors"), (navigator, "navigator.safetensors")):
            load_module(module, load_tensors(folder / name)[0], folder / name)
            module.requires_grad_(False)
        model.settings_, model.encoder_, model.navigator_ = settings, encoder, navigator
        model.goal_ = read_goal(folder / "goal.safetensors", settings)
        model.picture_, model.samples_ = read_map(folder / "map.safetensors", settings)
        model.log_ = TrainingLog(folder / "training.csv")
        model.report_ = report
        return model


def _mean_degree(graph: Graph | GraphTensors) -> float:
    """How many edges a vertex has on average, whatever their direction."""
    entries = graph.incident.indices.size if isinstance(graph, Graph) else graph.indices.numel()
    return entries / max(graph.num_vertices, 1)


def _suited(settings: Settings, graph: Graph) -> Settings:
    """The settings with the use of a prior decided.

    In a train graph in pieces, such as a few per cent of a graph's edges, walks get nowhere near the goal, and how good
    a policy is there says little of how good it is elsewhere.
    """
    if settings.prior != "auto":
        return settings
    return replace(settings, prior="preferred" if _is_in_pieces(graph) else "equal")


def _is_in_pieces(graph: Graph) -> bool:
    return largest_component_share(graph) <= _MOST


def _features(problem: Problem, graph: Graph, settings: Settings) -> Float32s:
    """What the encoder is told of each vertex, (n, k)."""
    features = problem.features(graph)
    return standing(features) if settings.ranks else features


def _judged(problem: Problem, graph: Graph, budget: float, samples: LabelledSubgraphs, roots: Int64s) -> Judgement:
    part = subgraph(graph, roots)
    found = solve_part(problem, graph, part, budget, np.random.default_rng(0))
    return Judgement(found.score / samples.score, part.graph.num_edges / graph.num_edges)


def _kept(log: TrainingLog, stage: str, step: int, **figures: float) -> None:
    """Log figures, and bring the file up to date."""
    log(stage, step, **figures)
    log.write()


def _versions() -> dict[str, str]:
    return {name: version(name) for name in ("lense", "torch", "torch_geometric", "numpy")}
