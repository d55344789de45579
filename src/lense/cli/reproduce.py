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
    grouped,
    problem_option,
    pruning_option,
    running_option,
)
from lense.cli.session import parse_settings, print_json, print_table
from lense.errors import LenseError, choose

if TYPE_CHECKING:
    from lense.experiments.cases import Source
    from lense.experiments.experiment import Experiment, Made
    from lense.experiments.store import Record
    from lense.experiments.study import Study

Names = tuple[str, ...]

NAMES = ("table1", "budgets", "scalability", "losses", "walk", "maps", "rivals")
ALL, STATUS = "all", "status"


@grouped(without=("seed",))
def reproduce(
    name: Annotated[str, typer.Argument(help=f"{', '.join(NAMES)}, {ALL} of them, or {STATUS}.")],
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
    jobs: Annotated[int, running_option("--jobs", "-j", min=1, help="Processes to share the cells among.")] = 1,
    running: Running,
) -> None:
    """Make a table or a figure of the paper again, with ours beside the paper's.

    Models are trained once and shared by all experiments; interrupted, the same command goes on. --set is for
    scalability and sets an option of its problem, such as solver=mip.
    """
    choose(name, dict.fromkeys([*NAMES, ALL, STATUS]), "experiment")
    options = parse_settings(settings)
    if options and name != "scalability":
        raise LenseError("--set is for scalability alone: the other experiments are run as the paper has them.")
    with running.session():
        from lense.experiments.reproduce import EXPERIMENTS, check_names, chosen_sources
        from lense.experiments.study import Study

        wanted_graphs, wanted_problems = _names("--graphs", graphs), _names("--problems", problems)
        check_names(wanted_graphs, wanted_problems)
        study = Study(out, (), _numbers(seeds), whole_if_possible(budget), episodes, device, jobs)
        experiments = list(EXPERIMENTS.values()) if name in (ALL, STATUS) else [EXPERIMENTS[name]]
        if name == STATUS:
            _show_status(study, experiments, wanted_graphs, wanted_problems, running.as_json)
            return
        sources = {
            experiment.name: chosen_sources(
                experiment, wanted_graphs, wanted_problems, options, only_its_own=name == ALL
            )
            for experiment in experiments
        }
        _run([one for one in experiments if sources[one.name]], study, sources, running.as_json, running.quiet)


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


def _run(
    experiments: "Sequence[Experiment]",
    study: "Study",
    sources: "Mapping[str, tuple[Source, ...]]",
    as_json: bool,
    quiet: bool,
) -> None:
    from lense.experiments.experiment import DONE
    from lense.experiments.reproduce import reproduce as run
    from lense.experiments.reproduce import states

    if not experiments:
        raise LenseError("None of the paper's tables has such a graph and problem: name an experiment to run it there.")
    records: list[Record] = []
    for experiment in experiments:
        asked = replace(study, sources=sources[experiment.name])
        made = run(experiment, asked)
        records.append({**states(experiment, asked), "files": [str(file) for file in made.files]})
        if not as_json:
            _show(made, records[-1], quiet)
    if as_json:
        print_json(records)
    undone = [state for record in records for row in record["rows"] for state in row["cells"] if state != DONE]
    if not any(DONE in row["cells"] for record in records for row in record["rows"]):
        raise LenseError(f"Nothing of this could be run ({undone[0]}).")


def _show(made: "Made", record: "Record", quiet: bool) -> None:
    from lense.experiments.experiment import DONE
    from lense.experiments.reproduce import details
    from lense.experiments.rows import is_text

    for title, headings, lines in made.tables:
        print_table(title, headings, lines, left=[i for i, name in enumerate(headings) if is_text(name)])
    undone = [line for line in details(record["rows"]) if not line.startswith(f"{DONE}: ")]
    for line in [*(made.notes if made.tables else ()), *undone]:
        _print_line(line)
    if not quiet and made.files:
        shown = [file for file in made.files if file.parent == made.files[-1].parent]
        _print_line(f"Written to {made.files[-1].parent}: {', '.join(file.name for file in shown)}.")


def _print_line(text: str, indent: str = "  ") -> None:
    """A line below a table, folded at words in a terminal; in a file or a pipe it stays as long as it is."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    print(textwrap.fill(text, width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False))


def _show_status(
    study: "Study", experiments: "Sequence[Experiment]", graphs: Names, problems: Names, as_json: bool
) -> None:
    from lense.experiments.experiment import DAMAGED
    from lense.experiments.reproduce import SUMMARY, details, status, summary

    found = status(study, experiments, graphs, problems)
    if as_json:
        print_json(found)
        return
    print_table(f"Results in {study.out}", SUMMARY, summary(found))
    for name in dict.fromkeys(row["experiment"] for row in found):
        print(f"  {name}")
        for line in details([row for row in found if row["experiment"] == name]):
            _print_line(line, indent="    ")
    if any(state.startswith(DAMAGED) for row in found for state in row["cells"]):
        print("  Delete the files that are damaged and run their experiments again.")
