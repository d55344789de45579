"""What to run: graphs and how they are split, seeds, cells, and the trained models that experiments share."""

import hashlib
import math
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from lense._util.classes import known_class, name_of
from lense._util.environment import device_type, environment
from lense._util.files import read_json
from lense._util.measuring import Stopwatch
from lense._util.processes import BACKENDS
from lense.errors import LenseError, choose
from lense.evaluation import Yardstick
from lense.experiments.store import Found, Key, Record, Size, Store, label
from lense.graph import DATASETS, Graph, open_graph, split
from lense.graph.datasets import find_dataset, graph_files, is_dataset
from lense.graph.files import GRAPH_SUFFIXES
from lense.graph.formats.streams import without_compression
from lense.graph.subgraph import Subgraph
from lense.navigation import LeNSE
from lense.paper import BUDGET, HYPERPARAMETERS
from lense.problems import Problem, seeded_problem
from lense.problems.base import GROUP as PROBLEMS
from lense.problems.base import problem_class
from lense.pruners import load
from lense.pruners.model_files import SHIPPED, graph_digest
from lense.solving.training import check_preset

TRAIN_SHARE = 0.3
"""The share of a graph's edges to learn from, as the paper has it for its smaller graphs."""
LARGE_TRAIN_SHARE = 0.05
"""The same for large graphs that are not the paper's: of its own large ones it took 1 to 6 %."""


@dataclass(frozen=True)
class Case:
    """One seed of an experiment: the problem with its random numbers, a train and a test graph, both prepared."""

    problem: Problem
    train: Graph
    test: Graph


@dataclass(frozen=True)
class Source:
    """A graph and a problem, and how a train and a test graph are made of it.

    One of the paper's graphs is split as there.

    Parameters
    ----------
    graph
        A data set, a file, or the graph itself.
    problem
        A name, or a class, of which the name is kept.
    options
        Options of the problem.
    train
        A separate graph to learn from; then the test graph is the whole ``graph``.
    train_share
        Otherwise the share of the edges to learn from, drawn at random; the rest is the test graph.
    reading
        Options of :func:`lense.open_graph`.
    from_file
        Whether it was read from a record, which may be a stranger's: then it can name a data set and a registered
        problem, but no file to open or import.
    """

    graph: str | Graph
    problem: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    train: str | Graph | None = None
    train_share: float = TRAIN_SHARE
    reading: Mapping[str, Any] = field(default_factory=dict, hash=False)
    from_file: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "problem", name_of(self.problem, PROBLEMS, Problem))
        if not 0 < self.train_share < 1:
            raise LenseError(f"The train share must lie between 0 and 1, not at {self.train_share}.")

    @property
    def paper_graph(self) -> str | None:
        """The name of one of the paper's graphs, if it is one."""
        return self.graph if isinstance(self.graph, str) and is_dataset(self.graph) else None

    @property
    def title(self) -> str:
        return Path(self.graph).name if isinstance(self.graph, str) else repr(self.graph)

    @property
    def graph_name(self) -> str:
        """The name of the graph, or of its file without suffixes, fit for the name of a file."""
        plain = without_compression(Path(self.title))
        return _file_name(plain.stem if plain.suffix.lower() in GRAPH_SUFFIXES else plain.name).strip("-")

    @property
    def text_options(self) -> dict[str, str]:
        return {name: str(value) for name, value in sorted(self.options.items())}

    @property
    def problem_label(self) -> str:
        """The problem with its options, such as "bmc+solver-mip"."""
        return _file_name(label(self.problem, self.text_options))

    @property
    def pair_name(self) -> str:
        """The name of files about the graph and the problem."""
        return f"{self.graph_name}-{self.problem_label}"

    @property
    def is_available(self) -> bool:
        """Whether the graph can be read here."""
        if isinstance(self.graph, Graph) or (not self.from_file and Path(self.graph).is_file()):
            return True
        return find_dataset(self.graph) is not None if self.paper_graph else self.graph in graph_files()

    @property
    def how_to_get(self) -> str:
        return f"lense data get {self.paper_graph}" if self.paper_graph else f"{self.graph_name} is not here"

    @property
    def file_digest(self) -> str | None:
        return None if self.from_file else file_digest(self.graph)

    def problem_for(self, seed: int) -> Problem:
        problem = known_class(self.problem, PROBLEMS) if self.from_file else self.problem
        return seeded_problem(problem, seed, self.options)

    def opened(self, graph: str | Graph, problem: Problem) -> Graph:
        """A graph, read from its file if need be, prepared for the problem."""
        if isinstance(graph, str):
            graph = open_graph(graph, arcs=problem.uses_direction, **self.reading)
        return problem.prepare(graph)

    # the cells of one seed follow one another, and each of them needs the graphs
    @lru_cache(maxsize=1)  # noqa: B019
    def case(self, seed: int, *, on_whole: bool = False) -> Case:
        """The problem and the graphs of one seed; the test graph is the whole one where that is to prune."""
        problem, name = self.problem_for(seed), self.paper_graph
        whole = self.opened(self.graph, problem)
        if self.train is not None:
            return Case(problem, self.opened(self.train, problem), whole)
        share = self.train_share if name is None else DATASETS[name].train_fraction(arcs=problem.uses_direction)
        train, test = split(whole, share, seed)
        return Case(problem, train, whole if on_whole else test)


def source_of(record: Record[Any]) -> Source:
    """The graph and problem that a record is about."""
    share = record.train_share or TRAIN_SHARE
    return Source(record.graph, record.problem, record.options, train_share=share, from_file=True)


@dataclass(frozen=True)
class Cell:
    """One piece of an experiment: a graph with a problem, a seed and a variant, where there are several."""

    source: Source
    seed: int
    variant: str = ""

    @property
    def key(self) -> Key:
        source = self.source
        return named(source.graph), label(source.problem, source.text_options), self.seed, self.variant

    @property
    def name(self) -> str:
        return f"{self.source.pair_name}-{self.seed}{self.variant and f'.{self.variant}'}"

    @property
    def case(self) -> Case:
        return self.source.case(self.seed)

    def yardstick(self, budget: float, graph: Graph | None = None) -> Yardstick:
        """What parts of the test graph, or of another ``graph``, are measured by."""
        whole = self.case.test if graph is None else graph
        return Yardstick(self.case.problem, whole, budget, seed=self.seed)


@dataclass(frozen=True)
class Study:
    """Everything that is asked for: what to run, and how.

    Parameters
    ----------
    out
        The folder for results, trained models among them.
    sources, seeds
        Graphs with problems, and the seeds of each.
    budget, episodes
        How many vertices a solution has, and how many prunings by pruners that use random numbers.
    device, jobs, backend
        Where to train, how many cells run at a time, and where (see :mod:`lense._util.processes`).
    preset, settings
        How LeNSE is trained; the preset is the paper's on its graphs unless given.
    model
        The folder of a trained LeNSE, so that none is trained; ``{seed}`` in its name stands for the seed.
    """

    out: Path
    sources: tuple[Source, ...]
    seeds: tuple[int, ...] = (0, 1, 2)
    budget: float = BUDGET
    episodes: int = 10
    device: str = "cpu"
    jobs: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)
    preset: str = ""
    model: str | None = None
    backend: str | None = None

    def check(self) -> None:
        """Raise for what would make every cell fail."""
        if not self.seeds or min(self.seeds) < 0:
            raise LenseError("Name at least one seed; seeds are whole numbers from 0 on.")
        if self.episodes < 1 or self.jobs < 1:
            raise LenseError("There must be at least one episode and one job.")
        if not 0 < self.budget < math.inf:
            raise LenseError(f"The budget must be a positive number, not {self.budget:g}.")
        if self.backend is not None:
            choose(self.backend, BACKENDS, "backend")
        is_shared = self.jobs > 1 or self.backend is not None
        if is_shared and any(isinstance(graph, Graph) for one in self.sources for graph in (one.graph, one.train)):
            raise LenseError("Several jobs and backend= need the graph in a file: processes are sent its path.")
        if self.out.exists() and not self.out.is_dir():
            raise LenseError(f"{self.out} is a file: name a folder for the results.")
        for source in self.sources:
            _check_graph(source.graph)
            source.problem_for(0)
            if self.preset:
                check_preset(self.preset, source.paper_graph)
        if self.sources:  # else nothing is run, and torch takes seconds to load
            device_type(self.device)

    def record(
        self, cell: Cell, figures: Found | None = None, *, error: str | Exception | None = None, **known: Any
    ) -> Record[Found]:
        """What a cell found, or why it failed, with all that it depends on and where it ran."""
        source = cell.source
        if isinstance(error, Exception):  # in one line; faults of the package itself with the name of their kind
            text = " ".join(str(error).split())
            is_fault = not isinstance(error, LenseError)
            error = ": ".join(filter(None, (type(error).__name__, text))) if is_fault else text
        return Record(
            graph=named(source.graph),
            problem=source.problem,
            options=source.text_options,
            seed=cell.seed,
            variant=cell.variant,
            train_share=None if source.paper_graph else source.train_share,
            file=source.file_digest,
            budget=self.budget,
            episodes=self.episodes,
            figures=figures,
            error=error,
            device=device_type(self.device),
            **known,
            **environment(),
        )


def _check_graph(graph: str | Graph) -> None:
    """Raise unless there is such a graph; one of the paper's need not be here yet."""
    if isinstance(graph, str) and not Path(graph).is_file():
        choose(graph, dict.fromkeys([*DATASETS, *graph_files()]), "graph file or data set")


def check_names(graphs: Iterable[str], problems: Iterable[str]) -> None:
    """Raise unless there are such graphs and problems."""
    for problem in problems:
        problem_class(problem)
    for graph in graphs:
        _check_graph(graph)


def named(graph: str | Graph) -> str:
    """What records call a graph."""
    return graph if isinstance(graph, str) else f"sha256 {graph_digest(graph)}"


def file_digest(graph: str | Graph | None) -> str | None:
    """A sha256 of a graph's file; the paper's graphs are known by their names."""
    if not isinstance(graph, str) or is_dataset(graph) or not Path(graph).is_file():
        return None
    known = Path(graph).stat()
    return _digest_of_file(graph, known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=8)  # keyed by what shows that the file is still the same
def _digest_of_file(path: str, _modified: int, _size: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", text)


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


def trainings(out: Path) -> Store[Training]:
    return Store(out / "trainings.jsonl", Training)


@dataclass(frozen=True)
class SharedModel:
    """The model of a graph, problem and seed, whichever experiment asks for it: trained once.

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
        """Where the model lies, if there is one: where seed 0 has none of its own, it is the bundled one."""
        study = self.study
        if (self.own_folder / "config.json").is_file():
            return self.own_folder
        is_usual = not (self.changes or study.settings or study.preset or study.model)
        return shipped_folder(self.source, study.budget) if self.seed == 0 and is_usual else None

    @property
    def digest(self) -> str | None:
        return model_digest(self.folder)

    def load(self) -> LeNSE:
        """The model, trained first where there is none yet; an interrupted training continues."""
        folder = self.folder if self.study.model is None else self.own_folder
        model = None if folder is None else self._read(folder)
        if model is None:
            model = self._train()
        return model

    def parts(self) -> list[Subgraph]:
        """What the walks on the test graph end with."""
        study, graph = self.study, self.source.case(self.seed).test
        return self.load().parts(graph, episodes=study.episodes, budget=study.budget, seed=self.seed, prepared=True)

    def _read(self, folder: Path) -> LeNSE | None:
        """The model in a folder; None if it is bundled and was trained on another graph."""
        model = load(folder, problem=self.source.problem_for(self.seed), device=self.study.device)
        if not isinstance(model, LeNSE):
            raise LenseError(f"The model in {folder} is a {model.name}: only a LeNSE can be given, others are fitted.")
        if self.study.model is not None:
            return model
        if model.report_["trained_on"]["digest"] != graph_digest(self.source.case(self.seed).train):
            if self.study.out in folder.parents:
                raise LenseError(f"The model in {folder} was trained on another graph or split: move it away.")
            return None
        if model.budget != self.study.budget:
            budgets = f"the budget {model.budget:g}, not for {self.study.budget:g}"
            raise LenseError(f"The model in {folder} is for {budgets}.")
        return model

    def _train(self) -> LeNSE:
        """Train, save, and keep a record of it; a training that fails leaves a record that says why."""
        study, source, folder, store = self.study, self.source, self.own_folder, trainings(self.study.out)
        checkpoint, case = study.out / "training" / folder.name, source.case(self.seed)
        was_interrupted = checkpoint.is_dir()
        usual = "paper" if (source.problem, source.paper_graph) in HYPERPARAMETERS else "auto"
        settings = {"preset": study.preset or usual, **study.settings, **self.changes}
        model = LeNSE(
            case.problem,
            study.budget,
            preset=settings.pop("preset"),
            settings=settings,
            paper_graph=source.paper_graph,
            seed=self.seed,
            device=study.device,
        )
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
        trained = self._read(folder)  # what a later run has, to the bit
        assert trained is not None
        return trained


def shipped_folder(source: Source, budget: float) -> Path | None:
    """The folder of the bundled model of seed 0 for a graph and problem of the paper."""
    folder = SHIPPED / source.pair_name
    config = read_json(folder / "config.json") if (folder / "config.json").is_file() else {}
    return folder if (config.get("params", {}).get("seed"), config.get("budget")) == (0, budget) else None


def model_digest(folder: Path | None) -> str | None:
    """A sha256 of the files of a model but for pictures, which are drawn from the others."""
    if folder is None or not (folder / "config.json").is_file():
        return None
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.suffix != ".png"):
        digest.update(f"{path.name} {path.stat().st_size}".encode() + path.read_bytes())
    return digest.hexdigest()
