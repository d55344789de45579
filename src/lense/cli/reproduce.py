"""``lense reproduce``: the paper's tables and figures again, beside the paper's own figures."""

import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lense.cli.models import whole_if_possible
from lense.cli.options import (
    Device,
    Running,
    Settings,
    Sharing,
    grouped,
    problem_option,
    pruning_option,
    running_option,
)
from lense.cli.session import parse_settings, print_json, print_table
from lense.cli.stopping import can_go_on
from lense.errors import LenseError, choose, printable

if TYPE_CHECKING:
    from lense.experiments.experiment import Experiment, Made
    from lense.experiments.study import Source, Study
    from lense.experiments.tables import Row

Names = tuple[str, ...]

ALL, STATUS = "all", "status"


@grouped(without=("seed",))
def reproduce(
    name: Annotated[
        str, typer.Argument(help=f"An experiment such as table1 (a wrong name lists them), {ALL}, or {STATUS}.")
    ],
    *,
    graphs: Annotated[
        str | None, problem_option(help="Names or files separated by commas; those of the paper's table unless given.")
    ] = None,
    problems: Annotated[
        str | None, problem_option(help="Problems separated by commas; the paper's unless given.")
    ] = None,
    budget: Annotated[
        float, problem_option("--budget", "-b", help="How many vertices to choose; 100 in the paper.")
    ] = 100,
    settings: Settings = None,
    episodes: Annotated[int, pruning_option("--episodes", "-e", min=1, help="Walks of each model.")] = 10,
    device: Device = "auto",
    out: Annotated[
        Path, running_option("--out", "-o", help="The folder for results; what is there is not run again.")
    ] = Path("results"),
    seeds: Annotated[str, running_option(help="Seeds separated by commas.")] = "0,1,2",
    sharing: Sharing,
    running: Running,
) -> None:
    """Make a table or a figure of the paper again, with ours beside the paper's.

    Models are trained once and shared by all experiments; interrupted, the same command goes on. --set is for
    scalability and sets an option of its problem, such as solver=mip.
    """
    options = parse_settings(settings)
    with running.session():
        from lense.experiments import EXPERIMENTS, Study

        choose(name, dict.fromkeys([*EXPERIMENTS, ALL, STATUS]), "experiment")
        if options and name != "scalability":
            raise LenseError("--set is for scalability alone: the other experiments are run as the paper has them.")
        wanted_graphs, wanted_problems = _names("--graphs", graphs), _names("--problems", problems)
        _check_names(wanted_graphs, wanted_problems)
        asked_for = (_numbers(seeds), whole_if_possible(budget), episodes, device, sharing.jobs)
        study = Study(out, (), *asked_for, backend=sharing.backend)
        experiments = list(EXPERIMENTS.values()) if name in (ALL, STATUS) else [EXPERIMENTS[name]]
        if name == STATUS:
            _show_status(study, experiments, wanted_graphs, wanted_problems, running.as_json)
            return
        asked = [
            (one, replace(study, sources=_sources(one, wanted_graphs, wanted_problems, options, own=name == ALL)))
            for one in experiments
        ]
        can_go_on()
        _run([(one, its) for one, its in asked if its.sources], running.as_json, running.quiet)


def _sources(
    experiment: "Experiment", graphs: Names, problems: Names, options: Mapping[str, str], *, own: bool
) -> "tuple[Source, ...]":
    """Every graph with every problem, the experiment's where none are named; ``own`` chooses among these."""
    pairs = experiment.pairs
    if own or not graphs:
        pairs = tuple(
            (graph, problem)
            for graph, problem in pairs
            if (not graphs or graph in graphs) and (not problems or problem in problems)
        )
    else:
        wanted = problems or dict.fromkeys(problem for _, problem in pairs)
        pairs = tuple((graph, problem) for problem in wanted for graph in graphs)
    return tuple(experiment.source(graph, problem, options) for graph, problem in pairs)


def _check_names(graphs: Names, problems: Names) -> None:
    """Raise unless there are such graphs and problems."""
    from lense.experiments.study import check_graph
    from lense.problems.base import problem_class

    for problem in problems:
        problem_class(problem)
    for graph in graphs:
        check_graph(graph)


def _names(option: str, text: str | None) -> Names:
    """The names that an option was given; none if it was not given at all."""
    names = tuple(dict.fromkeys(name.strip() for name in (text or "").split(",") if name.strip()))
    if text is not None and not names:
        raise LenseError(f"{option} names nothing: name one or more, separated by commas, or leave it out.")
    return names


def _numbers(text: str) -> tuple[int, ...]:
    names = _names("--seeds", text)
    try:
        return tuple(sorted({int(name) for name in names}))
    except ValueError:
        raise LenseError(f"--seeds takes whole numbers separated by commas, not '{text}'.") from None


def _run(asked: "Sequence[tuple[Experiment, Study]]", as_json: bool, quiet: bool) -> None:
    from lense.experiments.experiment import DONE
    from lense.experiments.experiment import reproduce as run

    if not asked:
        raise LenseError("None of the paper's tables has such a graph and problem: name an experiment to run it there.")
    records: list[Row] = []
    for experiment, study in asked:
        made = run(experiment, study)
        rows = experiment.states(study)
        records.append({"experiment": experiment.name, "rows": rows, "files": [str(file) for file in made.files]})
        if not as_json:
            _show(made, experiment.notes, rows, quiet)
    if as_json:
        print_json(records)
    found = [state for record in records for row in record["rows"] for state in row["cells"]]
    if DONE not in found:
        raise LenseError(f"Nothing of this could be run ({found[0]}).")


def _show(made: "Made", notes: Sequence[str], rows: "Sequence[Row]", quiet: bool) -> None:
    from lense.experiments.experiment import undone
    from lense.experiments.tables import is_text

    for title, headings, lines in made.tables:
        print_table(title, headings, lines, left=[i for i, name in enumerate(headings) if is_text(name)])
    for line in [*notes, *undone(rows)]:
        _print_line(line)
    if not quiet and made.files:
        _print_line(f"Written to {made.files[-1].parent}: {', '.join(file.name for file in made.files)}.")


def _print_line(text: str, indent: str = "  ") -> None:
    """A line below a table, folded at words in a terminal; in a file or a pipe it stays as long as it is."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    text = printable(text)
    print(textwrap.fill(text, width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False))


def _show_status(
    study: "Study", experiments: "Sequence[Experiment]", graphs: Names, problems: Names, as_json: bool
) -> None:
    from lense.experiments.experiment import SUMMARY, status, summary, undone

    found = status(study, experiments, graphs, problems)
    if as_json:
        print_json(found)
        return
    print_table(f"Results in {study.out}", SUMMARY, summary(found))
    for line in undone(found):
        _print_line(line)
