"""The options that commands share, in groups; a command takes a whole group as one object.

A group is a frozen dataclass whose fields are options of typer. :func:`grouped` shows the fields as options of the
command, and hands the group to it.
"""

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial, wraps
from inspect import Parameter, Signature, cleandoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from lense.cli.session import parse_settings, session
from lense.cli.standard_input import from_standard_input
from lense.errors import LenseError, printable

if TYPE_CHECKING:
    from lense.solving import SolveOptions

problem_option = partial(typer.Option, rich_help_panel="Problem")
pruning_option = partial(typer.Option, rich_help_panel="Pruning")
reading_option = partial(typer.Option, rich_help_panel="Reading the graph")
running_option = partial(typer.Option, rich_help_panel="Output and running")

GraphName = Annotated[
    str,
    typer.Argument(
        help="A graph file, a name from 'lense data list', or - for standard input.", callback=from_standard_input
    ),
]
PROBLEMS = "mvc (cover edges), bmc (cut edges), im (spread influence), domination, or your own: ./mine.py:MyProblem"
ProblemName = Annotated[str, problem_option("--problem", "-p", help=f"{PROBLEMS}.")]
Settings = Annotated[
    list[str] | None, problem_option("--set", metavar="NAME=VALUE", help="Set an option; may be repeated.")
]
PrunerName = Annotated[
    str | None,
    pruning_option(
        help="Another pruner than core, such as lense, quickprune or ./mine.py:Mine; a wrong name lists them."
    ),
]
Device = Annotated[str, pruning_option(help="cpu, cuda, or auto for a GPU if there is one.")]
OutFormat = Annotated[str | None, running_option("--to", help="Format to write, if the name does not say it.")]


@dataclass(frozen=True)
class Reading:
    """How to read a graph file."""

    directed: Annotated[
        bool | None,
        reading_option(
            "--directed/--undirected", help="What the file's edges are, if it does not say.", show_default=False
        ),
    ] = None
    file_format: Annotated[
        str | None, reading_option("--format", help="Format of the graph file, if its name does not say it.")
    ] = None
    columns: Annotated[
        str | None,
        reading_option(metavar="A,B[,W]", help="The columns with the two ends of an edge, and with its weight."),
    ] = None
    header: Annotated[
        bool | None,
        reading_option(
            "--header/--no-header",
            help="Whether the first line of an edge list names its columns.",
            show_default=False,
        ),
    ] = None
    ids: Annotated[str, reading_option(help="Ids in a text file: int, str, or auto to decide by the first lines.")] = (
        "auto"
    )
    no_weights: Annotated[
        bool, reading_option("--no-weights", help="Ignore weights, and columns after the second.")
    ] = False
    keep_duplicates: Annotated[bool, reading_option("--keep-duplicates", help="Keep repeated edges.")] = False
    keep_self_loops: Annotated[
        bool, reading_option("--keep-self-loops", help="Keep edges from a vertex to itself.")
    ] = False

    def options(self) -> dict[str, Any]:
        """The arguments of ``open_graph`` that were asked for; the file decides about all others."""
        given = {
            "directed": self.directed,
            "format": self.file_format,
            "columns": self.columns,
            "header": self.header,
            "ids": self.ids,
            "weights": False if self.no_weights else None,
            "keep_duplicates": self.keep_duplicates or None,
            "keep_self_loops": self.keep_self_loops or None,
        }
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class Running:
    """What a command prints, from which seed, and with how many threads it runs."""

    seed: Annotated[int, running_option(min=0, help="Seed of all random numbers.")] = 0
    threads: Annotated[int | None, running_option(min=1, help="Threads to use; all cores unless given.")] = None
    as_json: Annotated[bool, running_option("--json", help="Print JSON for machines instead of tables.")] = False
    quiet: Annotated[bool, running_option("--quiet", "-q", help="Print results and errors only.")] = False
    verbose: Annotated[bool, running_option("--verbose", "-v", help="Also log what is done, with counts.")] = False

    def session(self) -> AbstractContextManager[None]:
        """Logging, progress and threads as asked for."""
        return session(quiet=self.quiet, verbose=self.verbose, threads=self.threads)

    def say(self, line: str) -> None:
        """Print a line about what was done, unless results alone were asked for."""
        if not self.quiet:
            print(printable(line))


@dataclass(frozen=True)
class Sharing:
    """Who runs the cells of an experiment."""

    jobs: Annotated[int, running_option("--jobs", "-j", min=1, help="How many cells to run at a time.")] = 1
    backend: Annotated[
        str | None,
        running_option(help="Where cells run: loky (processes of this machine, as --jobs alone) or dask."),
    ] = None


@dataclass(frozen=True)
class Task:
    """The problem to solve."""

    problem: Annotated[
        str | None,
        problem_option("--problem", "-p", help=f"{PROBLEMS}; that of --model unless given."),
    ] = None
    budget: Annotated[
        float | None,
        problem_option(
            "--budget", "-b", help="How many vertices to choose; what --model was trained for unless given."
        ),
    ] = None
    settings: Settings = None

    def options(self) -> dict[str, str]:
        """What ``--set`` gave, by name."""
        return parse_settings(self.settings)

    def check_problem(self) -> None:
        """Raise unless a problem is named."""
        if self.problem is None:
            raise LenseError("Missing --problem: what to solve, or --model: what was trained for it.")

    def check(self, model: Path | None) -> None:
        """Raise unless problem and budget are given, or a model that was trained for both."""
        if model is None:
            self.check_problem()
            if self.budget is None:
                raise LenseError("Missing --budget: the number of vertices to choose.")


Solver = Annotated[
    str | None, problem_option("--solver", "-s", help="The heuristic; the problem's first unless given.")
]
Certify = Annotated[
    bool, problem_option("--certify/--no-certify", help="Bound the optimum, to say how good the answer is at least.")
]
Target = Annotated[
    float | None,
    pruning_option(help="The share of the heuristic's score on the whole graph that a core is to keep; 0.99."),
]


@dataclass(frozen=True)
class Solving:
    """How to solve: on what, and with which proof."""

    certify: Certify = True
    exact: Annotated[
        bool, problem_option("--exact", help="Find an optimum of mvc or bmc and prove it, on the whole graph.")
    ] = False
    time_limit: Annotated[
        float | None,
        problem_option(
            "--time-limit",
            help="Seconds after which --exact gives the best found, with a bound, and no larger core is tried.",
        ),
    ] = None
    prune: Annotated[
        bool | None,
        pruning_option(
            "--prune/--no-prune",
            help="Solve on a part of the graph, or on all of it; whichever takes less time unless given.",
            show_default=False,
        ),
    ] = None
    mode: Annotated[
        str,
        pruning_option(
            help="subgraph: solve on the part alone; ground-set: on the whole graph, choosing from the part."
        ),
    ] = "subgraph"


@dataclass(frozen=True)
class Pruning:
    """What to prune with."""

    model: Annotated[
        Path | None,
        pruning_option("--model", "-m", help="A folder that 'lense train' wrote, or a name from 'lense models list'."),
    ] = None
    pruner: PrunerName = None
    target: Target = None
    size: Annotated[int | None, pruning_option(help="How many roots a core has, whatever the target says.")] = None
    stop: Annotated[
        str, pruning_option(help="The subgraph of a walk that counts: final, nearest (to the goal), or settled.")
    ] = "final"
    swaps: Annotated[
        int, pruning_option(help="Swaps that a step of LeNSE's walk makes, which divides the number of steps.")
    ] = 1
    device: Device = "auto"


@dataclass(frozen=True)
class Streaming:
    """Whether the graph stays on disk."""

    stream: Annotated[
        bool | None,
        reading_option(
            "--stream/--no-stream",
            help="Leave the graph on disk and read it in passes; by itself where it would not fit into memory.",
            show_default=False,
        ),
    ] = None
    memory_limit: Annotated[
        str | None,
        reading_option("--memory-limit", metavar="SIZE", help="The most memory to take: 4 (GiB), 4GB or 500MB."),
    ] = None
    engine: Annotated[
        str, reading_option(help="Who reads a graph in passes: local, or dask for the workers of a Dask cluster.")
    ] = "local"
    scheduler: Annotated[
        str | None,
        reading_option(
            metavar="ADDRESS", help="The scheduler of --engine dask, tcp://host:8786; workers on this machine if none."
        ),
    ] = None


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
        groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
        shown = {name: [one.name for one in fields(group) if one.name not in without] for name, group in groups.items()}

        @wraps(command)
        def run(**given: Any) -> None:
            made = {name: group(**{one: given.pop(one) for one in shown[name]}) for name, group in groups.items()}
            command(**given, **made)

        parameters = list(_expanded(command, hints, groups, shown))
        run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        run.__doc__ = re.sub(r"(?<!\n)\n(?!\n)", " ", cleandoc(command.__doc__ or ""))
        return run

    return decorate


def _expanded(
    command: Command, hints: dict[str, Any], groups: dict[str, Any], shown: dict[str, list[str]]
) -> Iterator[Parameter]:
    """The parameters of a command, with the fields of each group in the group's place."""
    for parameter in signature(command).parameters.values():
        if group := groups.get(parameter.name):
            of_fields, defaults = _hints(group), group()
            for name in shown[parameter.name]:
                default = getattr(defaults, name)
                yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=of_fields[name])
        else:
            yield parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])


@cache
def _hints(group: type) -> dict[str, Any]:
    return get_type_hints(group, include_extras=True)
