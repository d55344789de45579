"""What the page may ask for, checked before any work is done for it, and what there is to choose from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, TypeAdapter, ValidationError

from lense._util.classes import known_class, known_names
from lense.errors import LenseError, choose
from lense.graph import GENERATORS, Graph, open_graph
from lense.graph.datasets import DATASETS, graph_files
from lense.graph.files import graph_format
from lense.graph.formats.streams import without_compression
from lense.graph.generate import EXAMPLES, make_graph
from lense.problems.base import GROUP as PROBLEMS
from lense.problems.base import problem_class
from lense.pruners.calibration import GRID, Expected
from lense.pruners.registry import pruner_class
from lense.pruners.shipped import DEFAULTS
from lense.solving.options import find_setup, options_for, pruners_for, ways

Name = Annotated[str, Field(max_length=200)]
Seed = Annotated[int, Field(ge=0, le=2**31)]


@dataclass(frozen=True)
class Limits:
    """What one page, one user and one request may take."""

    running: int = 2
    """Jobs that run at once, and as many short ones that only read a graph; the others wait in line."""
    waiting: int = 6
    """Jobs of one user that wait or run."""
    kept: int = 100
    """Jobs that are done and can be looked at again; the oldest goes first."""
    uploads: int = 30
    """Files that are kept; the oldest goes first."""
    upload_bytes: int = 1 << 30
    all_upload_bytes: int = 1 << 33
    """Those of all files together."""
    body_bytes: int = 1 << 16
    """The most that any other request may hold."""
    vertices: int = 5_000_000
    edges: int = 50_000_000
    """The largest graph that is generated."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class NamedGraph(_Part):
    """A graph in the data folder, by its name in 'lense data list' or that of its file."""

    kind: Literal["named"]
    name: Name


class OpenedGraph(_Part):
    """The graph that the page was opened with."""

    kind: Literal["given"]


class UploadedGraph(_Part):
    """A file that the user dropped."""

    kind: Literal["upload"]
    upload: Name


class GeneratedGraph(_Part):
    """A random graph."""

    kind: Literal["generated"]
    generator: Name
    settings: dict[Name, FiniteFloat] = Field(max_length=10)
    seed: Seed = 0

    @property
    def parameters(self) -> dict[str, float]:
        """All parameters; whole numbers are integers, as Python's generators want counts to be."""
        usual = {name: value for name, (_, value) in EXAMPLES[self.generator].items()}
        values = usual | self.settings
        return {name: int(value) if float(value).is_integer() else value for name, value in values.items()}

    @property
    def reading(self) -> dict[str, Any]:
        """How to read a file of the graph: im takes each line of one as an arc unless told otherwise."""
        has_arcs = "directed" in signature(GENERATORS[self.generator]).parameters
        return {} if has_arcs else {"directed": False}

    def make(self) -> Graph:
        return make_graph(self.generator, self.parameters, self.seed)


class ReadingRequest(_Part):
    """How to read a file; what is left out is what the file says."""

    directed: bool | None = None
    columns: Name | None = None
    ids: Literal["auto", "int", "str"] = "auto"
    weights: bool = True

    def options(self) -> dict[str, Any]:
        """The arguments of :func:`lense.open_graph`."""
        return {name: value for name, value in self.model_dump(exclude_defaults=True).items() if value != ""}


class _Request(_Part):
    graph: Annotated[NamedGraph | OpenedGraph | UploadedGraph | GeneratedGraph, Field(discriminator="kind")]
    reading: ReadingRequest = ReadingRequest()


class LookRequest(_Request):
    """Read a graph and say what it is."""

    kind: Literal["look"]


class _Question(_Request):
    problem: Name
    budget: int = Field(ge=1, le=10_000_000)
    solver: Name
    seed: Seed = 0


class SolveRequest(_Question):
    """Solve a problem on a graph: on the whole of it, on a part, or exactly."""

    kind: Literal["solve"]
    target: float = Field(gt=0, le=1)
    way: Name = "auto"
    """One of :func:`lense.solving.options.ways`."""
    seconds: float = Field(default=60, gt=0, le=86_400)
    """After which an exact search gives the best that it has."""

    def options(self) -> dict[str, Any]:
        """The arguments of :func:`lense.solve` that say how."""
        return options_for(self.way, self.target, self.seconds)


class CompareRequest(_Question):
    """Compare pruners on a graph."""

    kind: Literal["compare"]
    pruners: tuple[Name, ...] = Field(min_length=1, max_length=40)

    @property
    def needs_model(self) -> bool:
        """Whether a bundled LeNSE is among the pruners."""
        return "lense" in self.pruners and self.problem in DEFAULTS


AnyRequest = LookRequest | SolveRequest | CompareRequest
_ADAPTER: TypeAdapter[AnyRequest] = TypeAdapter(Annotated[AnyRequest, Field(discriminator="kind")])


class OwnClasses(_Part):
    """Classes in files that were named on the command line of ``lense app``, by what requests call them."""

    problems: dict[str, str] = {}
    pruners: dict[str, str] = {}

    def load(self) -> None:
        """Import the files, so that requests can name their classes."""
        for text in self.problems.values():
            problem_class(text)
        for text in self.pruners.values():
            pruner_class(text)


class JobSpec(_Part):
    """A request with what the server adds: the file that is meant, what its user calls it, and a folder for results."""

    ask: Annotated[AnyRequest, Field(discriminator="kind")]
    own: OwnClasses = OwnClasses()
    source: str
    """The path of a file, or the name of a data set; "" for a generated graph."""
    title: str
    folder: str

    def open_graph(self, *, arcs: bool = False) -> Graph:
        """The graph, read or made; with ``arcs`` each line of a file is one arc."""
        if isinstance(self.ask.graph, GeneratedGraph):
            return self.ask.graph.make()
        return open_graph(self.source, arcs=arcs, **self.ask.reading.options())


def parsed(body: bytes, limits: Limits) -> AnyRequest:
    """The request in a body; raises for what no process should be started for."""
    try:
        ask = _ADAPTER.validate_json(body)
    except (RecursionError, ValidationError) as error:
        raise _unknown(error) from None
    if isinstance(ask.graph, NamedGraph):
        choose(ask.graph.name, graph_files(), "graph")
    if isinstance(ask.graph, GeneratedGraph):
        _check_generated(ask.graph, limits)
    if isinstance(ask, SolveRequest | CompareRequest):
        _check_question(ask)
    return ask


def _unknown(error: RecursionError | ValidationError) -> LenseError:
    """One sentence about the first thing that is wrong."""
    what = "it is nested too deeply"
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False, include_url=False)[0]
        what = ": ".join([".".join(map(str, first["loc"])), first["msg"]]).removeprefix(": ")
    return LenseError(f"The page asked for something that is not known: {what}.")


def _check_generated(graph: GeneratedGraph, limits: Limits) -> None:
    known = choose(graph.generator, EXAMPLES, "generator")
    for name in graph.settings:
        choose(name, known, f"parameter of {graph.generator}")
    vertices, edges = _size(graph.generator, graph.parameters)
    if vertices > limits.vertices or edges > limits.edges:
        raise LenseError(
            f"The page generates graphs of at most {limits.vertices:,} vertices and {limits.edges:,} edges: "
            "make a larger one with 'lense graph generate' and open it with 'lense app FILE'."
        )


def _size(generator: str, values: Mapping[str, float]) -> tuple[float, float]:
    """About how many vertices and edges a generated graph has."""
    if generator == "rmat":
        return 2 ** min(values["scale"], 64), values["num_edges"]
    n = values["n"]
    if generator == "barabasi-albert":
        return n, n * values["m"]
    degree = values["average_degree"] if generator == "power-law" else values["degree_in"] + values["degree_out"]
    return n, n * degree / 2


def _check_question(ask: SolveRequest | CompareRequest) -> None:
    """Raise for names that are not known, and for ways that are not for the problem."""
    kind = known_class(ask.problem, PROBLEMS)
    choose(ask.solver, kind.heuristics, f"solver of {ask.problem}")
    if isinstance(ask, CompareRequest):
        for name in ask.pruners:
            choose(name, pruners_for(ask.problem), f"pruner for {ask.problem}")
    else:
        choose(ask.way, ways(ask.problem), f"way to solve {ask.problem}")


def choices() -> dict[str, Any]:
    """The graphs in the data folder, problems with their solvers and ways, and generators with their parameters."""
    return {
        "graphs": [
            {"name": name, "about": f"{known.vertices:,} vertices, {known.edges:,} edges" if known else ""}
            for name, known in ((name, DATASETS.get(name)) for name in graph_files())
        ],
        "problems": list(_problems()),
        "generators": [
            {
                "name": name,
                "fields": [
                    {"name": key, "title": title, "value": f"{value:g}"} for key, (title, value) in known.items()
                ],
            }
            for name, known in EXAMPLES.items()
        ],
    }


def _problems() -> Iterator[dict[str, Any]]:
    default = find_setup(None, None, prunes=False).problem.name
    for name in sorted(known_names(PROBLEMS), key=lambda name: (name != default, name)):
        kind = known_class(name, PROBLEMS)
        yield {
            "name": name,
            "about": kind.goal,
            "solvers": list(kind.heuristics),
            "ways": [{"name": way, "about": about} for way, about in ways(name).items()],
            "rivals": [{"name": pruner, "is_chosen": is_ready} for pruner, is_ready in pruners_for(name).items()],
        }


class _Expected(BaseModel):
    problem: Name
    budget: float = Field(ge=1, le=1e9)
    target: float = Field(gt=0, le=1)


def expectations(query: Mapping[str, str]) -> dict[str, Any]:
    """Roots against the ratio to expect, by the calibration of the core that ships, and what the target would take."""
    try:
        ask = _Expected.model_validate(query)
    except ValidationError as error:
        raise _unknown(error) from None
    core = core_for(choose(ask.problem, {name: name for name in known_names(PROBLEMS)}, "problem"))
    if core is None:
        return {"points": [], "chosen": None}
    calibration, budget, target = core.calibration_, ask.budget, ask.target
    found = [calibration.of_size(budget, target, max(1, round(share * budget))) for share in GRID]
    chosen = calibration.smallest(budget, target, core.confidence)
    return {"points": [_point(one) for one in found], "chosen": _point(chosen)}


def _point(expected: Expected) -> dict[str, float]:
    return {"roots": expected.roots, "ratio": round(expected.ratio, 5), "sure": round(expected.confidence, 3)}


@cache
def core_for(problem: str) -> Any:
    """The core that ships for a problem, if any."""
    return find_setup(problem, None).pruner


def suffix_of(name: str) -> str:
    """The endings of a file's name that say its format and compression; nothing else of a name is ever used."""
    path = Path(Path(name.replace("\\", "/")).name)
    graph_format(path, None)  # raises where the endings say none
    plain = without_compression(path)
    return (plain.suffix + path.name[len(plain.name) :]).lower()
