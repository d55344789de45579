"""What the paper's experiments are run with, and the names under which their results are kept."""

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lense.errors import LenseError, choose
from lense.experiments.cases import Source
from lense.experiments.plan import file_digest
from lense.experiments.store import Record, Store
from lense.files import system_errors
from lense.graph import DATASETS, Graph
from lense.graph.datasets import find_dataset, graph_files
from lense.graph.files import GRAPH_SUFFIXES
from lense.graph.formats.streams import without_compression
from lense.paper import BUDGET
from lense.walking.settings import Settings

DEFAULT_LOSS = Settings.loss
TRAIN_SHARE = 0.05
"""The share of the edges to learn from where the paper does not tell; of its large graphs it took 1 to 6 %."""


@dataclass(frozen=True)
class Study:
    """Everything that is asked of the experiments: ``sources`` and ``seeds`` to do, and how.

    Results lie in the folder ``out``, trained models among them. ``settings`` changes hyper-parameters of every LeNSE.
    """

    out: Path
    sources: tuple[Source, ...]
    seeds: tuple[int, ...] = (0, 1, 2)
    budget: float = BUDGET
    episodes: int = 10
    device: str = "cpu"
    jobs: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Raise for what no cell could mend."""
        from lense.torch_device import torch_device

        self.check_request()
        torch_device(self.device)
        for source in self.sources:
            check_graph(source.graph)
            source.problem_for(0)

    def check_request(self) -> None:
        """Raise for what could not even be looked up."""
        if not self.seeds or min(self.seeds) < 0:
            raise LenseError("Name at least one seed; seeds are whole numbers from 0 on.")
        if self.episodes < 1 or self.jobs < 1:
            raise LenseError("There must be at least one episode and one job.")
        if not 0 < self.budget < math.inf:
            raise LenseError(f"The budget must be a positive number, not {self.budget:g}.")
        if self.out.exists() and not self.out.is_dir():
            raise LenseError(f"{self.out} is a file: name a folder for the results.")

    def model_plan(self) -> Record:
        """What the models depend on."""
        return {
            "budget": self.budget,
            "settings": {name: str(value) for name, value in sorted(self.settings.items())},
        }

    def common_plan(self) -> Record:
        """What every result depends on, whatever the experiment."""
        return {**self.model_plan(), "episodes": self.episodes}


@dataclass(frozen=True)
class Cell:
    """One piece of an experiment: a graph with a problem, a seed, and where there are several, a variant."""

    source: Source
    seed: int
    variant: str = ""

    @property
    def name(self) -> str:
        return f"{pair_name(self.source)}-{self.seed}{self.variant and f'.{self.variant}'}"

    @property
    def label(self) -> str:
        """What tells the cell from others of the same graph and problem."""
        return f"{self.seed} {self.variant}".strip()

    def config(self) -> Record:
        source = self.source
        return {
            "graph": source.graph if isinstance(source.graph, str) else source.title,
            "problem": source.problem,
            "options": {name: str(value) for name, value in sorted(source.options.items())},
            "train_share": None if source.paper_graph else source.train_share,
            "seed": self.seed,
            "variant": self.variant,
            "file": file_digest(source.graph),
        }


def source_of(config: Record) -> Source:
    """The source of a cell whose :meth:`Cell.config` this is, or of the comparison whose plan it is."""
    return make_source(config["graph"], config["problem"], config["options"], config["train_share"])


def make_source(
    graph: str, problem: str, options: Mapping[str, Any] | None = None, train_share: float | None = None
) -> Source:
    share = TRAIN_SHARE if train_share is None else train_share
    return Source(graph, problem, options=dict(options or {}), train_share=share)


def graph_name(source: Source) -> str:
    """The name of the graph, or of its file without suffixes, with nothing in it that a file's name cannot have."""
    plain = without_compression(Path(source.title))
    name = plain.stem if plain.suffix.lower() in GRAPH_SUFFIXES else plain.name
    return re.sub(r"[^\w.+-]+", "-", name).strip("-")


def problem_label(source: Source) -> str:
    """The problem with its options, such as "bmc+solver-mip"."""
    options = "".join(f"+{name}-{value}" for name, value in sorted(source.options.items()))
    return re.sub(r"[^\w.+-]+", "-", f"{source.problem}{options}")


def pair_name(source: Source) -> str:
    """The name of files about a graph and a problem."""
    return f"{graph_name(source)}-{problem_label(source)}"


def without_options(source: Source) -> Source:
    """The same with the problem as it is by default, which is what models are trained for."""
    return replace(source, options={})


def check_graph(graph: str | Graph) -> None:
    """Raise unless there is such a graph; one of the paper's need not be at hand."""
    if isinstance(graph, str) and not Path(graph).is_file():
        choose(graph, dict.fromkeys([*DATASETS, *graph_files()]), "graph file or data set")


def check_writable(folder: Path) -> None:
    """Make the folder for results, or raise where nothing can be written, before long work is done for it."""
    with system_errors(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise LenseError(f"{folder} cannot be written: the folder is read-only.")


def is_at_hand(source: Source) -> bool:
    """Whether the graph can be read here."""
    if isinstance(source.graph, Graph) or Path(source.graph).is_file():
        return True
    return find_dataset(source.graph) is not None if source.paper_graph else source.graph in graph_files()


def merged(*groups: Iterable[Source]) -> tuple[Source, ...]:
    """The sources of all groups, each once, by the names of their files."""
    return tuple({pair_name(source): source for group in groups for source in group}.values())


def model_store(study: Study) -> Store:
    """The folder of the models, with a record of each training."""
    return Store(study.out / "models", {"experiment": "models", **study.model_plan()})


def model_pattern(study: Study, source: Source) -> str:
    """Where the models for a graph and a problem lie; ``{seed}`` stands for the seed."""
    return str(study.out / "models" / f"{pair_name(without_options(source))}-{{seed}}")


def model_folder(study: Study, source: Source, seed: int, loss: str = DEFAULT_LOSS) -> Path:
    folder = Path(model_pattern(study, source).replace("{seed}", str(seed)))
    return folder if loss == DEFAULT_LOSS else folder.with_name(f"{folder.name}.{loss}")
