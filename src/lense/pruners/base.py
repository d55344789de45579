"""The interface of all pruners: fitted on a training graph, a pruner finds the part of any graph worth solving."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import version
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_type_hints

import numpy as np

from lense._util.environment import need_learn
from lense._util.files import check_folder, replacing_folder, system_errors, write_json
from lense._util.measuring import Stopwatch
from lense._util.options import check_budget_is_number, check_seed, converted, is_number
from lense._util.types import AnyArray
from lense.errors import LenseError, choose
from lense.graph import AnyGraph, Graph, Scan
from lense.graph.adapters import AdaptedGraph, adapt
from lense.graph.convert import as_labels
from lense.graph.subgraph import Subgraph, shares_pruned
from lense.problems import Problem, Solution, get_problem
from lense.problems.base import Pruned
from lense.problems.parts import MODES, solve_part
from lense.pruners.model_files import FILES, FORMAT, read_arrays, write_arrays

if TYPE_CHECKING:
    from lense.pruners.calibration import Expected
    from lense.streaming.graph import StreamedGraph


@dataclass(repr=False, eq=False)
class Pruner(ABC):
    """A pruner for one problem and budget.

    Subclass it with a ``name`` and :meth:`prune_graph`. A pruner that learns also sets ``learns`` and has
    :meth:`fit_graph`, :meth:`learnt` and :meth:`restore`. These hooks get a :class:`Graph` that is checked and prepared
    for the problem (edge probabilities, say).

    Parameters are stored under their own names; what is learnt ends in ``_``. A subclass adds parameters as a
    keyword-only dataclass (``@dataclass(kw_only=True, repr=False, eq=False)``) or in an ``__init__``.

    Parameters
    ----------
    problem : str or Problem
        What to solve.
    budget : float
        How much to spend: the number of vertices, or the sum of their costs.

    Examples
    --------
    >>> import lense
    >>> class FirstVertices(lense.Pruner):
    ...     name = "first-vertices"
    ...
    ...     def prune_graph(self, graph, budget, seed):
    ...         return lense.subgraph(graph, range(int(budget)))
    >>> path = lense.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    >>> FirstVertices("mvc", 2).prune(path)
    Subgraph(3 vertices, 2 edges, 2 roots)
    """

    name: ClassVar[str]
    """What commands and files call it."""
    title: ClassVar[str] = ""
    """What tables and figures call it, by default its name."""
    description: ClassVar[str] = ""
    """What it keeps, in one line, by default the first paragraph of its docstring."""
    place: ClassVar[int] = 100
    """Lists and tables show pruners in the order of their places, those of one place by name."""
    is_star: ClassVar[bool] = False
    """Whether figures draw it as a larger star above all others."""
    variants: ClassVar[tuple[str, ...]] = ()
    """Other settings that comparisons of all pruners show too, as "roots_per_budget=3"."""
    learns: ClassVar[bool] = False
    """Whether it must be fitted before it can prune."""
    needs_learn: ClassVar[bool] = False
    """Whether it needs the extra ``learn`` to be fitted or read, but not to be imported."""
    randomised: ClassVar[bool] = False
    """Whether two seeds may prune one graph differently."""
    forces: ClassVar[bool] = False
    """Whether it finds vertices that every optimum contains."""

    problem: str | Problem = "mvc"
    budget: float = 100

    @classmethod
    def get_title(cls) -> str:
        """Return its own title, else its name."""
        return vars(cls).get("title") or cls.name

    @classmethod
    def get_description(cls) -> str:
        """Return its own description, else the first paragraph of its docstring."""
        return vars(cls).get("description") or " ".join((cls.__doc__ or "").partition("\n\n")[0].split())

    @classmethod
    def setting_names(cls) -> set[str]:
        """Return what ``--set`` and keyword arguments may set."""
        return set(signature(cls).parameters) - {"problem", "budget", "seed", "device"}

    @classmethod
    def supports(cls, problem: Problem) -> bool:
        """Return whether it can prune for a problem; comparisons leave it out where it cannot.

        Parameters
        ----------
        problem : Problem
            The problem to prune for.
        """
        return True

    # What a subclass overrides: the graph is prepared and the pruner is fitted.

    @abstractmethod
    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        """Return the part of a graph to solve on.

        Parameters
        ----------
        graph : Graph
            The graph, prepared for the problem.
        budget : float
            How much to spend.
        seed : int
            Of the pruner's random numbers.
        """

    def prune_stream(self, graph: "StreamedGraph", budget: float) -> Subgraph:
        """Return the same part of a graph that stays on disk; override it where passes can.

        Parameters
        ----------
        graph : StreamedGraph
            The graph, which is read in passes.
        budget : float
            How much to spend.
        """
        raise LenseError(
            f"The pruner {self.name} needs the whole graph in memory: take one such as core or top-degree."
        )

    def prune_seeds(self, graph: Graph, budget: float, seeds: range) -> list[Subgraph]:
        """Return a part for each seed; override it where they share work.

        Parameters
        ----------
        graph, budget
            As for :meth:`prune_graph`.
        seeds : range
            A seed for each part.
        """
        return [self.prune_graph(graph, budget, seed) for seed in seeds]

    def fit_graph(self, graph: Graph) -> None:  # noqa: B027 (most pruners learn nothing)
        """Learn from a training graph.

        Parameters
        ----------
        graph : Graph
            The training graph, prepared for the problem.
        """

    def expected_on(self, graph: Graph, budget: float) -> "Expected | None":
        """Return what to expect of the part of a graph, if the pruner knows.

        Parameters
        ----------
        graph, budget
            As for :meth:`prune_graph`.
        """
        return None

    def learnt(self) -> Mapping[str, AnyArray]:
        """Return what :meth:`fit_graph` learnt as arrays by name."""
        return {}

    def restore(self, learnt: Mapping[str, AnyArray]) -> None:
        """Undo :meth:`learnt`.

        Parameters
        ----------
        learnt : dict of str to array
            The arrays. For those of something else, raise KeyError or ValueError.
        """
        raise NotImplementedError(f"{type(self).__name__} learns, so it must say how to restore what it learnt.")

    def warning(self, graph: Graph, budget: float) -> str:
        """Return in words how a graph differs from those it was trained on; "" where it does not.

        Parameters
        ----------
        graph, budget
            As for :meth:`prune_graph`.
        """
        return ""

    @property
    def is_fitted(self) -> bool:
        """Whether it can prune: one that learns has attributes whose names end in ``_``."""
        return not self.learns or any(name.endswith("_") for name in vars(self))

    # What callers use: any graph that :func:`lense.open_graph` takes.

    def fit(self, graph: AnyGraph, *, prepared: bool = False, **options: Any) -> Self:
        """Learn from a training graph, if the pruner learns.

        Parameters
        ----------
        graph : Graph, path, data set or object
            Anything :func:`lense.open_graph` takes.
        prepared : bool
            Whether the graph is prepared for the problem already.
        **options
            Those of :meth:`fit_graph`.
        """
        if self.needs_learn:
            need_learn(f"Training {self.get_title()}")
        _, whole, _ = self._opened(graph, "fit", prepared, seed=getattr(self, "seed", 0))
        self.fit_graph(whole, **options)
        return self

    def prune(self, graph: AnyGraph, *, budget: float | None = None, seed: int = 0, prepared: bool = False) -> Subgraph:
        """Return the part of ``graph`` to solve on.

        Parameters
        ----------
        graph : Graph, path, data set or object
            Anything :func:`lense.open_graph` takes. The part keeps the ids and attributes of an object.
        budget : float, optional
            Another budget than the one it was fitted for.
        seed : int
            Of the pruner's random numbers.
        prepared : bool
            Whether the graph is prepared for the problem already.

        Returns
        -------
        Subgraph
            The part, as a graph with its ``vertices`` and ``roots`` in the whole graph.
        """
        adapted, whole, spent = self._opened(graph, "prune", prepared, budget, seed)
        return _part_of(adapted, self.prune_graph(whole, spent, seed))

    def parts(
        self, graph: AnyGraph, *, episodes: int = 10, budget: float | None = None, seed: int = 0, prepared: bool = False
    ) -> list[Subgraph]:
        """Return what :meth:`prune` finds with several seeds.

        Parameters
        ----------
        graph, budget, prepared
            As for :meth:`prune`.
        episodes : int
            How many parts; without random numbers there is one.
        seed : int
            The first seed; the others follow it.
        """
        adapted, whole, spent = self._opened(graph, "parts", prepared, budget, seed)
        seeds = range(seed, seed + (episodes if self.randomised else 1))
        return [_part_of(adapted, part) for part in self.prune_seeds(whole, spent, seeds)]

    def expected(self, graph: AnyGraph, *, budget: float | None = None, prepared: bool = False) -> "Expected | None":
        """Return what to expect of the part that :meth:`prune` would keep, if the pruner knows.

        Parameters
        ----------
        graph, budget, prepared
            As for :meth:`prune`.
        """
        _, whole, spent = self._opened(graph, "expected", prepared, budget)
        return self.expected_on(whole, spent)

    def solve(
        self,
        graph: AnyGraph,
        *,
        budget: float | None = None,
        seed: int = 0,
        mode: str = "subgraph",
        certify: bool = True,
        prepared: bool = False,
    ) -> Solution:
        """Run the heuristic on the part; score and bound its answer on the whole graph.

        Parameters
        ----------
        graph, budget, prepared
            As for :meth:`prune`.
        seed : int
            Of the pruner's and the heuristic's random numbers.
        mode : str
            In "subgraph" the heuristic sees the part alone; in "ground-set" it sees the whole graph but chooses only
            roots of the part.
        certify : bool
            Whether to bound the optimum.

        Returns
        -------
        Solution
            Its ``pruned`` describes the part; it is None where the pruner kept the whole graph.
        """
        choose(mode, MODES, "mode")
        adapted, whole, spent = self._opened(graph, "solve", prepared, budget, seed)
        with Stopwatch() as watch:
            part = self.prune_graph(whole, spent, seed)
        problem, rng = self.problem_, np.random.default_rng(seed)
        if part.graph is whole:
            found = problem.solve(whole, spent, rng, certify=certify)
        else:
            sizes = part.graph.num_vertices, part.graph.num_edges
            shares = shares_pruned(whole, part)
            pruned = Pruned(*sizes, *shares, watch.seconds, mode, part.roots.size, self.name)
            solution = solve_part(problem, whole, part, spent, rng, mode=mode, certify=certify)
            found = replace(solution, part=part, pruned=pruned)
        return found if adapted.type == "graph" else replace(found, vertices=adapted.names(whole.labels[found.indices]))

    @property
    def problem_(self) -> Problem:
        """The problem itself, where the parameter is its name."""
        if isinstance(self.problem, str):
            return _named_problem(self.problem)
        if not isinstance(self.problem, Problem):
            raise LenseError(f"A problem is given by its name or as a Problem (got {self.problem!r}).")
        return self.problem

    def prepared(self, graph: AnyGraph, prepared: bool, budget: float | None = None, seed: int = 0) -> Graph:
        """Return a graph as the problem needs it; raise unless it can be pruned.

        Parameters
        ----------
        graph, prepared, budget, seed
            As for :meth:`prune`.
        """
        return self._opened(graph, "prune", prepared, budget, seed)[1]

    def check_fitted(self) -> None:
        """Raise unless there is something to prune with."""
        if not self.is_fitted:
            raise LenseError(
                f"This {type(self).__name__} is not fitted yet: call fit with a train graph, or load a model."
            )

    def _opened(
        self, graph: AnyGraph, method: str, prepared: bool, budget: float | None = None, seed: int = 0
    ) -> tuple[AdaptedGraph, Graph, float]:
        """What the caller gave, that graph as the problem needs it, and the budget, once they are checked."""
        if isinstance(graph, Scan):
            raise LenseError(
                f"{type(self).__name__}.{method} takes a graph in memory: for a scan, call lense.prune(scan, pruner=…)."
            )
        arcs = self.problem_.uses_direction
        adapted = AdaptedGraph(graph, "graph") if isinstance(graph, Graph) else adapt(graph, arcs=arcs)
        if method != "fit":
            self.check_fitted()
        spent = self.budget if budget is None else budget
        check_budget_is_number(spent)
        check_seed(seed)
        whole = adapted.graph if prepared else self.problem_.prepare(adapted.graph)
        self.problem_.check_budget(whole, spent)
        return adapted, whole, spent

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments by name, as scikit-learn's tools ask for them.

        Parameters
        ----------
        deep : bool
            Makes no difference.
        """
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Change arguments of the constructor: all of them, or none where one is wrong.

        Parameters
        ----------
        **params
            New values by name.
        """
        known = self.get_params()
        for name, value in params.items():
            choose(name, known, f"parameter of {type(self).__name__}")
            if check := {"budget": check_budget_is_number, "seed": check_seed}.get(name):
                check(value)
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        fitted = "" if not self.learns else ", fitted" if self.is_fitted else ", not fitted"
        budget = f"{self.budget:g}" if is_number(self.budget) else repr(self.budget)
        return f"{type(self).__name__}(problem={self.problem_.name!r}, budget={budget}{fitted})"

    def _repr_html_(self) -> str:
        from lense._util.cards import card  # for notebooks alone

        facts = {name: str(value) for name, value in self.get_params().items()}
        facts["problem"] = f"{self.problem_.name}, solved by {self.problem_.solver}"
        if self.learns:
            facts["fitted"] = "yes" if self.is_fitted else "no"
        return card(type(self).__name__, facts)

    def save(self, folder: str | Path, *, beside: Callable[[Path], None] | None = None) -> None:
        """Write everything needed to prune to a folder; :func:`lense.load` reads it.

        At any moment there is the old model or the new one.

        Parameters
        ----------
        folder : path
            The folder of the model, which is made or replaced.
        beside : callable, optional
            Writes more into the folder it is given.
        """
        self.check_fitted()
        target = Path(folder)
        with system_errors(target, "written"):
            target.parent.mkdir(parents=True, exist_ok=True)
            check_folder(target, "config.json", "model")
            with replacing_folder(target, FILES) as made:
                self._write(made)
                if beside is not None:
                    beside(made)

    @classmethod
    def read(cls, folder: Path, config: Mapping[str, Any], problem: Problem, device: str) -> Self:
        """Return the pruner saved in a folder; see :func:`lense.load`.

        Parameters
        ----------
        folder : Path
            The folder of the model.
        config : dict
            Its configuration, read already.
        problem : Problem
            The problem that it is for.
        device : str
            Where torch runs.
        """
        if cls.needs_learn:
            need_learn(f"Reading {cls.get_title()}")
        hints = get_type_hints(cls.__init__)
        params = {name: converted(name, value, hints.get(name, Any)) for name, value in config["params"].items()}
        if "device" in signature(cls).parameters:
            params["device"] = device
        make: Any = cls  # whose constructor takes more than this one's
        pruner: Self = make(problem, config["budget"], **params)
        if pruner.learns:
            path = folder / "learnt.safetensors"
            learnt = read_arrays(path)
            try:
                pruner.restore(learnt)
            except (KeyError, ValueError, TypeError, RuntimeError) as error:
                raise LenseError(f"{path} does not belong to a {cls.name} with this configuration.") from error
        return pruner

    def _write(self, target: Path) -> None:
        if self.learns:
            write_arrays(target / "learnt.safetensors", self.learnt())
        write_json(target / "config.json", self._config())

    def _config(self) -> dict[str, Any]:
        problem, elsewhere = self.problem_, ("problem", "budget", "device")
        return {
            "format": FORMAT,
            "lense": version("lense"),
            "pruner": self.name,
            "problem": problem.name,
            "options": asdict(problem),
            "budget": self.budget,
            "params": {name: value for name, value in self.get_params().items() if name not in elsewhere},
        }


def _part_of(adapted: AdaptedGraph, part: Subgraph) -> Subgraph:
    """``part`` with the ids of the object that was given."""
    if adapted.type == "graph":
        return part
    if adapted.ids is None:
        return replace(part, given=adapted)
    return replace(part, given=adapted, graph=replace(part.graph, labels=as_labels(adapted.names(part.vertices))))


@cache  # finding a problem by its name looks through all packages installed
def _named_problem(name: str) -> Problem:
    return get_problem(name)


def check_num_features(problem: Problem, found: int, known: int) -> None:
    """Raise unless ``problem`` gives a vertex as many features as a model knows."""
    if found != known:
        raise LenseError(
            f"The model knows {known} features of a vertex, but the problem {problem.name} has {found}: "
            "train a model for it."
        )
