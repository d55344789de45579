"""The options that commands share, in groups; a command takes a whole group as one object.

A group is a frozen dataclass whose fields are options. :func:`grouped` shows the fields as options of the command, and
hands the group to it.
"""

import atexit
import logging
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial, wraps
from inspect import Parameter, Signature, cleandoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from lense._util.files import remove, scratch_folder
from lense._util.progress import announcing, reporting_to, silent
from lense._util.threads import num_threads
from lense.cli.output import StandardError, print_facts, print_json
from lense.errors import LenseError, printable

if TYPE_CHECKING:
    from lense.solving import SolveOptions

problem_option = partial(typer.Option, rich_help_panel="Problem")
pruning_option = partial(typer.Option, rich_help_panel="Pruning")
reading_option = partial(typer.Option, rich_help_panel="Reading the graph")
running_option = partial(typer.Option, rich_help_panel="Output and running")


def _field(option: Callable[..., Any], text: str, *flags: str, default: Any = None, **more: Any) -> Any:
    """A field of a group: an option with its help ``text``."""
    return field(default=default, metadata={"option": option(*flags, help=f"{text}.", **more)})


problem_field, pruning_field = partial(_field, problem_option), partial(_field, pruning_option)
reading_field, running_field = partial(_field, reading_option), partial(_field, running_option)

_ENDINGS = {
    b"\x1f\x8b": ".txt.gz",
    b"\xfd7zXZ\0": ".txt.xz",
    b"BZh": ".txt.bz2",
    b"\x28\xb5\x2f\xfd": ".txt.zst",
    b"PK\x03\x04": ".npz",
    b"PAR1": ".parquet",
    b"%%MatrixMarket": ".mtx",
}
"""How content begins, and how a file with it is called; anything else is an edge list unless ``--format`` says more."""


def from_standard_input(graph: str | None) -> str | None:
    """``graph``, or where that is "-" or a pipe, the path of a file with what comes in, gone when the command ends."""
    if graph is None or (graph != "-" and not Path(graph).is_fifo()):
        return graph
    if graph == "-" and (sys.stdin is None or sys.stdin.isatty()):
        raise LenseError("- reads the graph from standard input, and nothing is piped into it.")
    folder = scratch_folder()
    atexit.register(remove, folder)
    copy = folder / "standard-input"
    with nullcontext(sys.stdin.buffer) if graph == "-" else open(graph, "rb") as source, copy.open("wb") as file:
        first = source.read(max(map(len, _ENDINGS)))
        file.write(first)
        shutil.copyfileobj(source, file)
    by_content = next((ending for magic, ending in _ENDINGS.items() if first.startswith(magic)), ".txt")
    ending = "".join(Path(graph).suffixes) or by_content
    return str(copy.rename(copy.with_name(f"standard-input{ending}")))


def whole_if_possible(value: float) -> float:
    """A number without a fraction as an integer, as people and JSON like to see it."""
    return int(value) if float(value).is_integer() else value


def parse_settings(settings: Sequence[str] | None) -> dict[str, str]:
    """``name=value`` pairs as a dictionary."""
    pairs = [setting.partition("=") for setting in settings or ()]
    for name, equals, _ in pairs:
        if not equals or not name:
            raise LenseError(f"--set takes NAME=VALUE, not '{name}'.")
        if name == "seed":
            raise LenseError("There is one seed for everything: give it as --seed, not with --set.")
    return {name.replace("-", "_"): value for name, _, value in pairs}


GRAPH = "A graph file, a name from 'lense data list', or - for standard input"
GraphName = Annotated[str, typer.Argument(help=f"{GRAPH}.", callback=from_standard_input)]
PROBLEMS = "A problem such as mvc (cover edges) or im (spread influence), or ./mine.py:Mine; a wrong name lists them"
ProblemName = Annotated[str, problem_option("--problem", "-p", help=f"{PROBLEMS}.")]
Budget = Annotated[
    float, problem_option("--budget", "-b", help="Number of vertices to choose.", callback=whole_if_possible)
]
Settings = Annotated[list[str] | None, problem_option("--set", metavar="NAME=VALUE", help="Set an option; repeatable.")]
PrunerName = Annotated[
    str | None,
    pruning_option(
        help="A pruner such as lense, quickprune or ./mine.py:Mine; a wrong name lists them (default: core)."
    ),
]
Device = Annotated[str, pruning_option(help="cpu, cuda, or auto for a GPU if there is one.")]
Episodes = Annotated[
    int, pruning_option("--episodes", "-e", min=1, help="Number of prunings, if they depend on the seed.")
]
OutFormat = Annotated[str | None, running_option("--to", help="Format to write (default: by the name).")]


@dataclass(frozen=True)
class Reading:
    """How to read a graph file."""

    directed: bool | None = reading_field(
        "Edges have a direction, or none (default: as the file)", "--directed/--undirected"
    )
    format: str | None = reading_field("Format of the graph file (default: by its name)", "--format")
    columns: str | None = reading_field("Columns of the two ends of an edge, and of its weight", metavar="A,B[,W]")
    header: bool | None = reading_field(
        "The first line of an edge list names its columns, or not", "--header/--no-header"
    )
    ids: str = reading_field("Vertex ids in a text file: int, str, or auto to detect them", default="auto")
    weights: bool = reading_field(
        "Ignore weights, and columns after the second", " /--no-weights", default=True, show_default=False
    )
    keep_duplicates: bool = reading_field("Keep repeated edges", "--keep-duplicates", default=False)
    keep_self_loops: bool = reading_field("Keep edges from a vertex to itself", "--keep-self-loops", default=False)

    def options(self) -> dict[str, Any]:
        """The arguments of ``open_graph`` that were asked for; the file decides about all others."""
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name)) != one.default}


@dataclass(frozen=True)
class Running:
    """What a command prints, from which seed, and with how many threads it runs."""

    seed: int = running_field("Seed of all random numbers", min=0, default=0)
    threads: int | None = running_field("Number of threads (default: all cores)", min=1)
    as_json: bool = running_field("Print JSON instead of tables", "--json", default=False)
    quiet: bool = running_field("Print results and errors only", "--quiet", "-q", default=False)
    verbose: bool = running_field("Also log what is done, with counts", "--verbose", "-v", default=False)

    @contextmanager
    def session(self) -> Iterator[None]:
        """Set up logging, progress and threads for one command."""
        if self.quiet and self.verbose:
            raise LenseError("Choose one of --quiet and --verbose.")
        level = logging.ERROR if self.quiet else logging.INFO if self.verbose else logging.WARNING
        logging.basicConfig(level=level, format="lense: %(message)s", handlers=[StandardError()], force=True)
        if self.threads is not None:
            os.environ["LENSE_THREADS"] = str(self.threads)
        num_threads()  # refuses a LENSE_THREADS that is no number
        announcing["compiling"] = sys.stderr.isatty() and not self.quiet
        try:
            with reporting_to(silent) if self.quiet else nullcontext():
                yield
        finally:
            announcing["compiling"] = False

    def show(self, title: str, record: Any, facts: Mapping[str, str], *, is_written: bool = False) -> None:
        """Print the record as JSON if asked for, else the facts; ``quiet`` leaves out those that a file has."""
        if self.as_json:
            print_json(record)
        elif not (self.quiet and is_written):
            print_facts(title, facts)

    def say(self, line: str) -> None:
        """Print a line about what was done, unless results alone were asked for."""
        if not self.quiet:
            print(printable(line))


@dataclass(frozen=True)
class Sharing:
    """Who runs the cells of an experiment."""

    jobs: int = running_field("How many cells to run at a time", "--jobs", "-j", min=1, default=1)
    backend: str | None = running_field("Where cells run: loky (processes of this machine) or dask (default: loky)")


@dataclass(frozen=True)
class Task:
    """The problem to solve."""

    problem: str | None = problem_field(f"{PROBLEMS} (default: the model's)", "--problem", "-p")
    budget: float | None = problem_field("Number of vertices to choose (default: the model's)", "--budget", "-b")
    settings: Settings = None

    def options(self) -> dict[str, str]:
        """What ``--set`` gave, by name."""
        return parse_settings(self.settings)

    def check(self, model: Path | None = None, *, needs_budget: bool = True) -> None:
        """Raise unless problem and budget are given, or a model that was trained for both."""
        if model is None and self.problem is None:
            raise LenseError("Missing --problem: what to solve, or --model: what was trained for it.")
        if model is None and self.budget is None and needs_budget:
            raise LenseError("Missing --budget: the number of vertices to choose.")


Solver = Annotated[str | None, problem_option("--solver", "-s", help="The heuristic (default: the problem's first).")]
Certify = Annotated[
    bool, problem_option("--certify/--no-certify", help="Bound the optimum, to say how good the answer is at least.")
]
Target = Annotated[
    float | None, pruning_option(help="Share of the heuristic's score that a core must keep (default: 0.99).")
]


@dataclass(frozen=True)
class Solving:
    """How to solve: on what, and with which proof."""

    certify: Certify = True
    exact: bool = problem_field("Find a proven optimum of mvc or bmc, on the whole graph", "--exact", default=False)
    time_limit: float | None = problem_field(
        "Seconds until --exact returns its best answer, and no larger core is tried"
    )
    prune: bool | None = pruning_field(
        "Solve a part of the graph, or all of it (default: the faster)", "--prune/--no-prune"
    )
    mode: str = pruning_field(
        "subgraph: solve the part alone; ground-set: choose from it on the whole graph", default="subgraph"
    )


@dataclass(frozen=True)
class Pruning:
    """What to prune with."""

    model: Path | None = pruning_field("A folder of 'lense train', or a name from 'lense models list'", "--model", "-m")  # noqa: RUF009
    pruner: PrunerName = None
    target: Target = None
    size: int | None = pruning_field("Number of roots of a core, whatever the target")
    swaps: int = pruning_field("Swaps in each step of LeNSE's walk; N swaps take N times fewer steps", default=1)
    device: Device = "auto"


@dataclass(frozen=True)
class Streaming:
    """Whether the graph stays on disk."""

    stream: bool | None = reading_field(
        "Leave the graph on disk and read it in passes (default: if it does not fit into memory)",
        "--stream/--no-stream",
    )
    memory_limit: str | None = reading_field("The most memory to take: 4 (GiB), 4GB or 500MB", metavar="SIZE")
    engine: str = reading_field("Where passes run: local, or dask for the workers of a Dask cluster", default="local")
    scheduler: str | None = reading_field(
        "Scheduler of --engine dask: tcp://host:8786 (default: workers on this machine)", metavar="ADDRESS"
    )


def solve_options(*groups: Any) -> "SolveOptions":
    """What the library's front door takes of these groups of options: each has the name that it has there."""
    from lense.solving import SolveOptions

    known = {one.name for one in fields(SolveOptions)} - {"reading", "settings"}
    values = {one.name: getattr(group, one.name) for group in groups for one in fields(group) if one.name in known}
    reading = next((group.options() for group in groups if isinstance(group, Reading)), {})
    settings = next((group.options() for group in groups if isinstance(group, Task)), {})
    return SolveOptions(**values, reading=reading, settings=settings)


Command = Callable[..., None]


def grouped(*, without: Collection[str] = ()) -> Callable[[Command], Command]:
    """Show the fields of a command's groups as its options, but for those in ``without``, which keep their defaults.

    The paragraphs of its docstring become one line each, so that the help fills the width of the terminal.
    """

    def decorate(command: Command) -> Command:
        hints = get_type_hints(command, include_extras=True)
        groups: dict[str, tuple[Any, list[str]]] = {}
        parameters: list[Parameter] = []
        for name, parameter in signature(command).parameters.items():
            if is_dataclass(group := hints[name]):
                own = [one for one in _parameters(group) if one.name not in without]
                groups[name] = group, [one.name for one in own]
                parameters += own
            else:
                parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=group))

        @wraps(command)
        def run(**given: Any) -> None:
            made = {name: group(**{one: given.pop(one) for one in own}) for name, (group, own) in groups.items()}
            command(**given, **made)

        run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        run.__doc__ = re.sub(r"(?<!\n)\n(?!\n)", " ", cleandoc(command.__doc__ or ""))
        return run

    return decorate


def _parameters(group: Any) -> Iterator[Parameter]:
    """The fields of a group with their options, as typer takes them."""
    hints = get_type_hints(group, include_extras=True)
    for one in fields(group):
        option = one.metadata.get("option")
        kind = Annotated[hints[one.name], option] if option else hints[one.name]
        yield Parameter(one.name, Parameter.KEYWORD_ONLY, default=one.default, annotation=kind)
