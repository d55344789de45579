"""LeNSE: learn a map of subgraphs and how to walk on it, then walk to a good subgraph of any graph."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from lense._util.environment import has_learn, need_learn
from lense._util.files import write_json
from lense._util.options import is_number
from lense._util.progress import progress
from lense._util.types import Float32s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, subgraph
from lense.navigation.environment import roots_after
from lense.navigation.inference import WalkPlan, greedy, mean_degree, values_of
from lense.navigation.model_files import SubgraphMap, TrainingLog, read_map, read_report
from lense.problems import Problem
from lense.pruners.base import Pruner, check_num_features
from lense.pruners.calibration import describe, differences, num_affordable
from lense.pruners.model_files import SHIPPED, check_numbers, read_arrays, write_arrays
from lense.pruners.ranking import standing
from lense.pruners.shipped import shipped_core

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from torch import Tensor

    from lense.navigation.training import Settings

_RENAMED = {"looks": "evaluations"}
"""Settings that models of earlier versions have under other names."""


@dataclass(frozen=True)
class Walk:
    """B walks at P places: their ``roots`` (P, B, M), ``embeddings`` (P, B, d) and ``distances`` (P, B) to the goal."""

    roots: Int64s
    embeddings: "Tensor"
    distances: "Tensor"


@dataclass(kw_only=True, repr=False, eq=False)
class LeNSE(Pruner):
    """The paper's pruner, which walks to a good subgraph.

    Training and everything on the map need the extra ``learn``. Pruning does not, unless the policy sees the subgraph
    (the setting ``sees_subgraph``).

    Parameters
    ----------
    problem, budget
        As for :class:`Pruner`.
    preset
        The hyper-parameters: "auto" from the train graph and the budget, "quick" the same for a minute or two, "paper"
        those of the paper's graph called ``paper_graph``, "literal" those with every switch at the paper's choice.
    paper_graph
        The graph of the paper that the presets "paper" and "literal" are for.
    settings
        Changes to some hyper-parameters by name; see ``lense.navigation.training.Settings``.
    seed
        Of all random numbers in training.
    device
        "cpu", "cuda", or "auto" for a GPU if there is one. Policies walk on the CPU; the map uses the device.
    swaps
        How many swaps of its offer a step of a walk makes, which divides the number of steps. In training it is one.

    Examples
    --------
    Train one with ``lense.LeNSE("mvc", 100).fit(train_graph)``, or load a bundled one:

    >>> import lense, numpy as np
    >>> graph = lense.graph.barabasi_albert(2000, 3, np.random.default_rng(0))
    >>> lense.load("facebook-mvc").prune(graph).roots.size
    300
    """

    name: ClassVar[str] = "lense"
    title: ClassVar[str] = "LeNSE"
    description: ClassVar[str] = "The subgraph that a learnt walk ends with."
    place: ClassVar[int] = 0
    is_star: ClassVar[bool] = True
    randomised: ClassVar[bool] = True
    learns: ClassVar[bool] = True
    needs_learn: ClassVar[bool] = True

    preset: str = "auto"
    paper_graph: str | None = None
    settings: Mapping[str, Any] | None = None
    seed: int = 0
    device: str = "cpu"
    swaps: int = 1

    @classmethod
    def setting_names(cls) -> set[str]:
        """The settings of its training; none where it cannot be trained."""
        if not has_learn():
            return set()
        from lense.navigation.training import SETTING_NAMES

        return set(SETTING_NAMES)

    def fit_graph(
        self,
        graph: Graph,
        *,
        source: str | Mapping[str, Any] | None = None,
        checkpoint: str | Path | None = None,
        tensorboard: str | Path | None = None,
    ) -> None:
        """Learn from a prepared training graph: label subgraphs, train the encoder, train the navigator.

        Parameters
        ----------
        graph : Graph
            The training graph.
        source : str or dict, optional
            Describes the graph in the model's configuration.
        checkpoint : path, optional
            A folder that keeps the training as it goes, so the same call after an interruption continues to the same
            result; delete it afterwards.
        tensorboard : path, optional
            A folder for TensorBoard.
        """
        from lense.navigation.training import preset_settings, train_lense

        name, paper_graph = self.problem_.name, self.paper_graph
        preset = preset_settings(self.preset, name, paper_graph, graph.num_vertices, self.budget)
        settings = preset.changed(**(self.settings or {}))
        learnt = train_lense(self, graph, settings, source=source, checkpoint=checkpoint, tensorboard=tensorboard)
        self.values_, self.plan_, self.map_, self.log_, self.report_ = learnt
        self.settings_ = settings
        self._stored: tuple[Path, Mapping[str, Any]] | None = None

    @cached_property
    def settings_(self) -> "Settings":
        """What it was trained with."""
        need_learn("Reading LeNSE's training settings")
        from lense.navigation.training import Settings

        folder, config = self._folder_and_config()
        try:
            known = config["settings"].items()
            return Settings().changed(**{_RENAMED.get(name, name): value for name, value in known})
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise LenseError(f"{folder / 'config.json'} is damaged: {error}; copy the model again.") from error

    @cached_property
    def map_(self) -> SubgraphMap:
        """The map of subgraphs: encoder, goal, and the training samples on it."""
        need_learn("The map of a LeNSE")
        return read_map(*self._folder_and_config(), self.settings_.encoder)

    @cached_property
    def log_(self) -> TrainingLog:
        """Losses, distances and ratios over the training."""
        return TrainingLog(self._folder_and_config()[0] / "training.csv")

    def _folder_and_config(self) -> tuple[Path, Mapping[str, Any]]:
        """Where the model was loaded from: the map, the settings and the log are read when they are first asked for."""
        self.check_fitted()
        assert self._stored is not None
        return self._stored

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        return self.prune_seeds(graph, budget, range(seed, seed + 1))[0]

    def prune_seeds(self, graph: Graph, budget: float, seeds: range) -> list[Subgraph]:
        if self.num_roots(budget) >= graph.num_vertices:
            everything = np.arange(graph.num_vertices)
            return [Subgraph(graph, everything, everything)]
        found = self.find_roots(graph, episodes=len(seeds), budget=budget, seed=seeds[0])
        return [subgraph(graph, roots) for roots in found]

    def warning(self, graph: Graph, budget: float) -> str:
        # the LeNSEs that ship learnt from the same graphs as the cores
        is_shipped = self._stored is not None and self._stored[0].parent == SHIPPED
        core = shipped_core(self.problem_) if is_shipped else None
        if core is None:
            return ""
        known = describe(self.problem_, graph, num_affordable(self.problem_, graph, budget))
        found = differences(known, core.calibration_.described)
        return f"the graph is unlike those that the model learnt from ({', '.join(found)})" if found else ""

    def num_roots(self, budget: float | None = None) -> int:
        """Return M, in proportion to a budget larger than the one fitted for.

        Parameters
        ----------
        budget : float, optional
            Another budget than the one it was fitted for.
        """
        self.check_fitted()
        return self.plan_.num_roots((budget or self.budget) / self.budget)

    def num_steps(self, graph: Graph, budget: float | None = None) -> int:
        """Return the steps of a walk, in proportion to the number of roots: all swaps over those of a step.

        Parameters
        ----------
        graph : Graph
            The graph; a much denser one than the training graph takes more steps.
        budget : float, optional
            Another budget than the one it was fitted for.
        """
        self.check_fitted()
        if isinstance(self.swaps, bool) or not isinstance(self.swaps, int) or self.swaps < 1:
            raise LenseError(f"swaps must be a whole number of at least 1 (got {self.swaps!r}).")
        degree, factor = mean_degree(graph.incident), (budget or self.budget) / self.budget
        return -(-self.plan_.num_steps(degree, factor) // self.swaps)

    def find_roots(
        self,
        graph: Graph,
        *,
        episodes: int = 10,
        budget: float | None = None,
        seed: int = 0,
        places: Sequence[int] | None = None,
    ) -> Int64s:
        """Return the roots (episodes, M) that walks end with, or those (P, episodes, M) that they have at ``places``.

        Parameters
        ----------
        graph : Graph
            The graph, prepared for the problem.
        episodes : int
            The number of walks.
        budget : float, optional
            Another budget than the one it was fitted for.
        seed : int
            Of the first walk; the others follow it.
        places : sequence of int (P), optional
            Rising numbers of steps.
        """
        self.check_fitted()
        policy = self.values_
        found = roots_after(
            graph.incident,
            self.features(graph),
            greedy(policy, self._embedder(graph) if policy.sees_subgraph else None, swaps=self.swaps),
            seeds=range(seed, seed + episodes),
            num_roots=self.num_roots(budget),
            places=[self.num_steps(graph, budget)] if places is None else places,
        )
        return found[0] if places is None else found

    def walk(
        self,
        graph: Graph,
        *,
        episodes: int = 10,
        budget: float | None = None,
        seed: int = 0,
        places: Sequence[int] | None = None,
    ) -> Walk:
        """Return walks across the map, after each step or at ``places``.

        Parameters
        ----------
        graph, episodes, budget, seed, places
            As for :meth:`find_roots`.
        """
        from torch import from_numpy, stack

        places = range(self.num_steps(graph, budget) + 1) if places is None else places
        met = self.find_roots(graph, episodes=episodes, budget=budget, seed=seed, places=places)
        embedded, embeddings = self._embedder(graph), []
        with progress("placing walks on the map", len(met)) as advance:
            for roots in met:
                embeddings.append(from_numpy(embedded(roots)))
                advance(1)
        placed = stack(embeddings)
        return Walk(met, placed, (placed - self.map_.goal).norm(dim=2))

    def features(self, graph: Graph) -> Float32s:
        """Return what the policy and the encoder are given of each vertex (n, k).

        Parameters
        ----------
        graph : Graph
            The graph, prepared for the problem.
        """
        self.check_fitted()
        features = self.problem_.features(graph)
        check_num_features(self.problem_, features.shape[1], self.values_.num_features)
        return standing(features) if self.plan_.ranks else features

    def _embedder(self, graph: Graph) -> Callable[[Int64s], Float32s]:
        """What finds the embeddings (N, d) of the subgraphs of root sets (N, M) of a prepared graph."""
        need_learn("The map of a LeNSE")
        from lense._util.torch_device import torch_device
        from lense.navigation.encoder import GraphTensors, embed

        device = torch_device(self.device)
        encoder, tensors = self.map_.encoder.to(device), GraphTensors.of(graph, self.features(graph), device)
        return lambda roots: embed(encoder, tensors, roots).cpu().numpy()

    def draw_map(self) -> "Figure":
        """Draw the training samples on the two-dimensional map."""
        from lense.plots import draw_map

        samples = self.map_.samples
        return draw_map(samples.points, samples.labels, samples.goal, self.map_.cutoffs)

    def draw_walks(self, walked: Walk) -> "Figure":
        """Draw walks across the map, and their distances to the goal.

        Parameters
        ----------
        walked : Walk
            What :meth:`walk` returned.
        """
        from lense.plots import draw_walks

        known, samples = self.map_, self.map_.samples
        paths = known.picture(walked.embeddings).numpy()
        return draw_walks(samples.points, samples.labels, samples.goal, known.cutoffs, paths, walked.distances.numpy())

    def draw_training(self) -> "Figure":
        """Draw losses, distances to the goal and ratios over the training."""
        from lense.plots import draw_training

        log = self.log_
        held_out, ratios = dict(log.series("encoder", "held_out_loss")), dict(log.series("navigator", "ratio"))
        epochs = [(epoch, loss, held_out[epoch]) for epoch, loss in log.series("encoder", "loss")]
        evaluations = [(step, distance, ratios[step]) for step, distance in log.series("navigator", "distance")]
        return draw_training(epochs, evaluations)

    def save_pictures(self, folder: Path) -> None:
        """Draw the map and the training into a folder.

        Parameters
        ----------
        folder : Path
            Where ``map.png`` and ``training.png`` go.
        """
        from lense.plots import save_figure

        save_figure(self.draw_map(), folder / "map.png")
        save_figure(self.draw_training(), folder / "training.png")

    def _write(self, target: Path) -> None:
        from lense.navigation.checkpoints import arrays_of

        for name, tensors in {"navigator": self.values_.weights, **self.map_.files()}.items():
            write_arrays(target / f"{name}.safetensors", arrays_of(tensors), facts={})
        self.log_.write(target / "training.csv")
        write_json(target / "report.json", self.report_)
        write_json(target / "config.json", self._config())

    def _config(self) -> dict[str, Any]:
        """The constructor's arguments as given, and besides them what was learnt or decided in training."""
        return {
            **super()._config(),
            "num_features": self.map_.encoder.num_features,
            "settings": self.settings_.as_dict(),
            "cutoffs": list(self.map_.cutoffs),
            "walks": asdict(self.plan_),
            "trained_on": self.report_["trained_on"],
        }

    @classmethod
    def read(cls, folder: Path, config: Mapping[str, Any], problem: Problem, device: str) -> "LeNSE":
        path, params, weights = folder / "config.json", config["params"], folder / "navigator.safetensors"
        check_numbers(path, {"swaps": 1, **params}, seed=0, swaps=1)
        check_numbers(path, config, num_features=1)
        check_numbers(path, config["walks"], roots=1, steps=0, longest=0)
        for name in ("encoder.safetensors", "goal.safetensors", "map.safetensors", "training.csv"):
            if not (folder / name).is_file():
                raise LenseError(f"There is no file {folder / name}, which a model needs.")
        model = cls(problem, config["budget"], **params, device=device)
        model._stored = folder, config
        model.plan_ = WalkPlan(**config["walks"])
        if not is_number(model.plan_.train_degree) or not isinstance(model.plan_.ranks, bool):
            raise LenseError(f"{path} is damaged: its walks are not right; copy the model again.")
        model.values_, model.report_ = values_of(read_arrays(weights), weights), read_report(folder / "report.json")
        return model
