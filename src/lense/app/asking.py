"""What the page may ask for, checked before any work is done for it."""

from functools import cache
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from lense._util.classes import known_class, known_names, registered
from lense.app.limits import Limits
from lense.errors import LenseError, choose
from lense.graph.datasets import graph_files
from lense.graph.formats.streams import without_compression
from lense.problems import get_problem, seeded_problem
from lense.problems.base import GROUP as PROBLEMS
from lense.problems.base import problem_class
from lense.pruners.registry import GROUP as PRUNERS
from lense.pruners.registry import pruner_class

Name = Annotated[str, Field(max_length=200)]
AUTO, WHOLE, EXACT = "auto", "whole", "exact"
"""Ways to solve besides the pruners by their names."""
GENERATED: dict[str, dict[str, float]] = {
    "power-law": {"n": 20_000, "average_degree": 12, "exponent": 2.3},
    "barabasi-albert": {"n": 20_000, "m": 6},
    "planted-communities": {"n": 20_000, "communities": 40, "degree_in": 10, "degree_out": 2},
    "rmat": {"scale": 14, "num_edges": 150_000},
}
"""The generators that the page offers, and what their parameters are at first."""
_QUICK_TO_LOAD = (
    "bounds",
    "quickprune",
    "top-roots",
    "discount-roots",
    "top-degree",
    "degree-discount",
    "k-core",
    "random",
)
"""Pruners that learn nothing and need no torch, which takes seconds to import."""
_LEARN = ("combhelper", "gcn", "gcomb-p", "gnn-r", "gnn-t")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Named(_Part):
    """A graph at hand, by its name in 'lense data list' or that of its file."""

    kind: Literal["named"]
    name: Name


class Given(_Part):
    """The graph that the page was opened with."""

    kind: Literal["given"]


class Uploaded(_Part):
    """A file that the user dropped."""

    kind: Literal["upload"]
    upload: Name


class Generated(_Part):
    """A random graph."""

    kind: Literal["generated"]
    generator: Name
    settings: dict[Name, float] = Field(max_length=10)
    seed: int = Field(default=0, ge=0, le=2**31)


class Reading(_Part):
    """How to read a file, where that is not left to it."""

    directed: bool | None = None
    columns: Name | None = None
    ids: Literal["auto", "int", "str"] = "auto"
    weights: bool = True

    def options(self) -> dict[str, Any]:
        """The arguments of :func:`lense.open_graph`."""
        given = {
            "directed": self.directed,
            "columns": self.columns or None,
            "ids": None if self.ids == "auto" else self.ids,
            "weights": None if self.weights else False,
        }
        return {name: value for name, value in given.items() if value is not None}


AnyGraph = Annotated[Named | Given | Uploaded | Generated, Field(discriminator="kind")]


class Look(_Part):
    """Read a graph and say what it is."""

    kind: Literal["look"]
    graph: AnyGraph
    reading: Reading = Reading()


class _Question(_Part):
    graph: AnyGraph
    reading: Reading = Reading()
    problem: Name
    budget: int = Field(ge=1, le=10_000_000)
    solver: Name
    seed: int = Field(default=0, ge=0, le=2**31)


class Solve(_Question):
    """Solve a problem on a graph: on the whole of it, on a part, or exactly."""

    kind: Literal["solve"]
    target: float = Field(gt=0, le=1)
    way: Name = AUTO
    seconds: float = Field(default=60, gt=0, le=86_400)
    """After which an exact search gives the best that it has."""


class Compare(_Question):
    """Compare pruners on a graph."""

    kind: Literal["compare"]
    pruners: tuple[Name, ...] = Field(min_length=1, max_length=40)


Ask = Look | Solve | Compare
_ADAPTER: TypeAdapter[Ask] = TypeAdapter(Annotated[Ask, Field(discriminator="kind")])


class Own(_Part):
    """Classes in files that were named on the command line of ``lense app``, by what requests call them."""

    problems: dict[str, str] = {}
    pruners: dict[str, str] = {}

    def load(self) -> None:
        """Import the files, so that requests can name their classes."""
        for text in self.problems.values():
            problem_class(text)
        for text in self.pruners.values():
            pruner_class(text)


class Task(_Part):
    """An ask with what the server adds: which file is meant, what the user calls it, and a folder for the results."""

    ask: Annotated[Ask, Field(discriminator="kind")]
    own: Own = Own()
    source: str
    """The path of a file, or the name of a data set; "" for a generated graph."""
    title: str
    folder: str


def parsed(body: bytes, limits: Limits) -> Ask:
    """The ask in a request; raises for what no process should be started for."""
    try:
        ask = _ADAPTER.validate_json(body)
    except (ValidationError, RecursionError) as error:
        raise LenseError(f"The page asked for something that is not known: {_first(error)}.") from None
    if isinstance(ask.graph, Named):
        choose(ask.graph.name, graph_files(), "graph at hand")
    if isinstance(ask.graph, Generated):
        _check_generated(ask.graph, limits)
    if isinstance(ask, Solve | Compare):
        _check_question(ask)
    return ask


def _first(error: ValidationError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    first = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(step) for step in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])


def _check_generated(graph: Generated, limits: Limits) -> None:
    known = choose(graph.generator, GENERATED, "generator")
    for name in graph.settings:
        choose(name, known, f"parameter of {graph.generator}")
    values = {**known, **graph.settings}
    if not all(isfinite(value) for value in values.values()):
        raise LenseError("The parameters of a generated graph must be finite numbers.")
    vertices, edges = _size(graph.generator, values)
    if vertices > limits.vertices or edges > limits.edges:
        raise LenseError(
            f"The page generates graphs of at most {limits.vertices:,} vertices and {limits.edges:,} edges: "
            "make a larger one with 'lense graph generate' and open it with 'lense app FILE'."
        )


def _size(generator: str, values: dict[str, float]) -> tuple[float, float]:
    """About how many vertices and edges a generated graph has."""
    if generator == "rmat":
        return 2 ** min(values["scale"], 64), values["num_edges"]
    n = values["n"]
    if generator == "barabasi-albert":
        return n, n * values["m"]
    degree = values["average_degree"] if generator == "power-law" else values["degree_in"] + values["degree_out"]
    return n, n * degree / 2


def _check_question(ask: Solve | Compare) -> None:
    """Raise for names that are not known, and for ways that are not for the problem."""
    kind = known_class(ask.problem, PROBLEMS)
    choose(ask.solver, kind.heuristics, f"solver of {ask.problem}")
    problem = seeded_problem(kind, ask.seed, {"solver": ask.solver})
    if isinstance(ask, Compare):
        for name in ask.pruners:
            choose(name, dict.fromkeys(rivals(ask.problem)), f"pruner for {ask.problem}")
        return
    if ask.way == EXACT and problem.pair_loss is None:
        raise LenseError(f"{problem.name} cannot be solved exactly: choose mvc or bmc, or another way to solve.")
    if ask.way not in (AUTO, WHOLE, EXACT):
        choose(ask.way, dict.fromkeys(ways(ask.problem)), f"way to solve {ask.problem}")


@cache
def ways(problem: str) -> tuple[str, ...]:
    """The pruners that can be chosen for a problem: those that ship, and those that need not be fitted."""
    from lense.pruners.shipped import DEFAULTS, shipped_core

    known = get_problem(known_class(problem, PROBLEMS))
    found = ["core"] if shipped_core(known) is not None else []
    found += ["lense"] if problem in DEFAULTS else []
    bundled = {name for name, entry in registered(PRUNERS).items() if entry.module.startswith("lense.")}
    others = sorted(set(known_names(PRUNERS)) - bundled)
    classes = {name: known_class(name, PRUNERS) for name in (*_QUICK_TO_LOAD, *others)}
    return *found, *(name for name, kind in classes.items() if not kind.learns and kind.supports(known))


def rivals(problem: str) -> tuple[str, ...]:
    """The pruners that can be compared for a problem; those that learn do so from a part of the graph."""
    from lense.pruners.registry import can_run

    able = ways(problem)
    return *able, *(name for name in _LEARN if name not in able and can_run(name))


def suffix_of(name: str) -> str:
    """The endings of a file's name that say its format and compression; nothing else of a name is ever used."""
    from lense.graph.files import GRAPH_SUFFIXES

    path = Path(Path(name.replace("\\", "/")).name)
    plain = without_compression(path)
    ending = plain.suffix.lower()
    if ending not in GRAPH_SUFFIXES:
        raise LenseError(
            f"The name of {path.name or 'the file'} does not say which format it has: end it in one of "
            f"{', '.join(GRAPH_SUFFIXES)}, plain or compressed."
        )
    return ending + path.name[len(plain.name) :].lower()
