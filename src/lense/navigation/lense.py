"""LeNSE: learn a map of subgraphs and how to walk on it, then walk to a good subgraph of any graph."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from lense._util.environment import has_learn, need_learn
from lense._util.files import write_json
from lense._util.progress import progress
from lense._util.types import Float32s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.graph.subgraph import Subgraph, subgraph
from lense.navigation.inference import QValues, greedy, mean_degree
from lense.navigation.model_files import Learnt, Stored, SubgraphMap, TrainingLog, write_files
from lense.navigation.walks import roots_after
from lense.problems import Problem
from lense.pruners.base import Pruner, check_num_features
from lense.pruners.calibration import describe, differences, num_affordable
from lense.pruners.model_files import SHIPPED, check_numbers
from lense.pruners.ranking import standing
from lense.pruners.shipped import shipped_core

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from torch import Tensor

    from lense.navigation.training import Settings


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
        """Learn from a train graph: label subgraphs, train the encoder, train the navigator.

        ``source`` describes the graph in the model's configuration. The folder ``checkpoint`` keeps the training as it
        goes, so the same call after an interruption continues to the same result; delete it afterwards.
        ``tensorboard`` is a folder for TensorBoard.
        """
        from lense.navigation.training import train_lense

        self.learnt_: Learnt | Stored = train_lense(
            self.problem_,
            graph,
            self.budget,
            self.chosen_settings(graph),
            seed=self.seed,
            device=self.device,
            source=source,
            checkpoint=checkpoint,
            tensorboard=tensorboard,
        )

    def chosen_settings(self, graph: Graph) -> "Settings":
        """What training on ``graph`` depends on, by ``preset`` and ``settings``."""
        from lense.navigation.training import preset_settings

        preset = preset_settings(self.preset, self.problem_.name, self.paper_graph, graph.num_vertices, self.budget)
        return preset.changed(**(self.settings or {}))

    @property
    def _fitted(self) -> Learnt | Stored:
        self.check_fitted()
        return self.learnt_

    @property
    def settings_(self) -> "Settings":
        """What it was trained with."""
        return self._fitted.settings

    @property
    def report_(self) -> dict[str, Any]:
        """What training found of the map and of the policy that was kept."""
        return self._fitted.report

    @property
    def values_(self) -> QValues:
        """The policy: the value of each swap."""
        return self._fitted.values

    @property
    def map_(self) -> SubgraphMap:
        """The map of subgraphs: encoder, goal, and the training samples on it."""
        return self._fitted.map

    @property
    def log_(self) -> TrainingLog:
        """Losses, distances and ratios over the training."""
        return self._fitted.log

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        return self.prune_seeds(graph, budget, range(seed, seed + 1))[0]

    def prune_seeds(self, graph: Graph, budget: float, seeds: range) -> list[Subgraph]:
        if self.num_roots(budget) >= graph.num_vertices:
            everything = np.arange(graph.num_vertices)
            return [Subgraph(graph, everything, everything)]
        found = self.find_roots(graph, episodes=len(seeds), budget=budget, seed=seeds[0])
        return [subgraph(graph, roots) for roots in found]

    def warning(self, graph: Graph, budget: float) -> str:
        """How a prepared ``graph`` differs from all that the LeNSEs that ship learnt from, as the cores did."""
        folder = self._fitted.folder
        core = shipped_core(self.problem_) if folder is not None and folder.parent == SHIPPED else None
        if core is None:
            return ""
        known = describe(self.problem_, graph, num_affordable(self.problem_, graph, budget))
        found = differences(known, core.calibration_.described)
        return f"the graph is unlike those that the model learnt from ({', '.join(found)})" if found else ""

    def num_roots(self, budget: float | None = None) -> int:
        """M, in proportion to a budget larger than the one fitted for."""
        return self._fitted.plan.num_roots((budget or self.budget) / self.budget)

    def num_steps(self, graph: Graph, budget: float | None = None) -> int:
        """The steps of a walk on a graph, in proportion to the number of roots: all swaps over those of a step."""
        if isinstance(self.swaps, bool) or not isinstance(self.swaps, int) or self.swaps < 1:
            raise LenseError(f"swaps must be a whole number of at least 1 (got {self.swaps!r}).")
        degree, factor = mean_degree(graph.incident), (budget or self.budget) / self.budget
        return -(-self._fitted.plan.num_steps(degree, factor) // self.swaps)

    def find_roots(
        self,
        graph: Graph,
        *,
        episodes: int = 10,
        budget: float | None = None,
        seed: int = 0,
        places: Sequence[int] | None = None,
    ) -> Int64s:
        """The roots (episodes, M) that walks on a prepared graph end with.

        With ``places`` (P), rising numbers of steps, they are those (P, episodes, M) that the walks have by then.
        """
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
        """``episodes`` walks across the map of a prepared graph, after each step or at ``places`` (P)."""
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
        """What the policy and the encoder are given of each vertex (n, k) of a prepared graph."""
        features = self.problem_.features(graph)
        check_num_features(self.problem_, features.shape[1], self.values_.num_features)
        return standing(features) if self._fitted.plan.ranks else features

    def _embedder(self, graph: Graph) -> Callable[[Int64s], Float32s]:
        """What finds the embeddings (N, d) of the subgraphs of root sets (N, M) of a prepared graph."""
        need_learn("The map of a LeNSE")
        from lense._util.torch_device import torch_device
        from lense.navigation.encoder import GraphTensors, embed

        device = torch_device(self.device)
        encoder, tensors = self.map_.encoder.to(device), GraphTensors.of(graph, self.features(graph), device)
        return lambda roots: embed(encoder, tensors, roots).cpu().numpy()

    def draw_map(self) -> "Figure":
        """The training samples on the two-dimensional map, as a matplotlib figure."""
        from lense.plots import draw_map

        samples = self.map_.samples
        return draw_map(samples.points, samples.labels, samples.goal, self.map_.cutoffs)

    def draw_walks(self, walked: Walk) -> "Figure":
        """Walks across the map, and their distances to the goal, as a matplotlib figure."""
        from lense.plots import draw_walks

        known, samples = self.map_, self.map_.samples
        paths = known.picture(walked.embeddings).numpy()
        return draw_walks(samples.points, samples.labels, samples.goal, known.cutoffs, paths, walked.distances.numpy())

    def draw_training(self) -> "Figure":
        """Losses, distances to the goal and ratios over the training, as a matplotlib figure."""
        from lense.plots import draw_training

        log = self.log_
        held_out, ratios = dict(log.series("encoder", "held_out_loss")), dict(log.series("navigator", "ratio"))
        epochs = [(epoch, loss, held_out[epoch]) for epoch, loss in log.series("encoder", "loss")]
        evaluations = [(step, distance, ratios[step]) for step, distance in log.series("navigator", "distance")]
        return draw_training(epochs, evaluations)

    def save_pictures(self, folder: Path) -> None:
        """Draw the map and the training into a folder."""
        from lense.plots import save_figure

        save_figure(self.draw_map(), folder / "map.png")
        save_figure(self.draw_training(), folder / "training.png")

    def _write(self, target: Path) -> None:
        write_files(self.learnt_, target)
        write_json(target / "config.json", self._config())

    def _config(self) -> dict[str, Any]:
        """The constructor's arguments as given, and besides them what was learnt or decided in training."""
        fitted = self._fitted
        return {
            **super()._config(),
            "num_features": fitted.map.encoder.num_features,
            "settings": fitted.settings.as_dict(),
            "cutoffs": list(fitted.map.cutoffs),
            "walks": asdict(fitted.plan),
            "trained_on": fitted.report["trained_on"],
        }

    @classmethod
    def read(cls, folder: Path, config: Mapping[str, Any], problem: Problem, device: str) -> "LeNSE":
        params = config["params"]
        check_numbers(folder / "config.json", {"swaps": 1, **params}, seed=0, swaps=1)
        model = LeNSE(problem, config["budget"], **params, device=device)
        model.learnt_ = Stored(folder, config)
        return model
