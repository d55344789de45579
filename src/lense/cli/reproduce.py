"""``lense reproduce``: the paper's tables and figures, beside the paper's own."""

import shutil
import sys
import textwrap
from pathlib import Path
from typing import Annotated

import typer

from lense.cli.options import (
    Budget,
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

ALL, STATUS = "all", "status"


@grouped(without=("seed",))
def reproduce(
    name: Annotated[
        str, typer.Argument(help=f"An experiment such as table1 (a wrong name lists them), {ALL}, or {STATUS}.")
    ],
    *,
    graphs: Annotated[
        str | None, problem_option(help="Names or files separated by commas (default: the paper's).")
    ] = None,
    problems: Annotated[str | None, problem_option(help="Problems separated by commas (default: the paper's).")] = None,
    budget: Budget = 100,
    settings: Settings = None,
    episodes: Annotated[int, pruning_option("--episodes", "-e", min=1, help="Number of walks of each model.")] = 10,
    device: Device = "auto",
    out: Annotated[
        Path, running_option("--out", "-o", help="Folder for results; finished cells are not run again.")
    ] = Path("results"),
    seeds: Annotated[str, running_option(help="Seeds separated by commas.")] = "0,1,2",
    sharing: Sharing,
    running: Running,
) -> None:
    """Reproduce a table or a figure of the paper, beside the paper's own figures.

    Models are trained once and shared by all experiments; an interrupted command continues. --set is for scalability
    and sets an option of its problem, such as solver=mip.
    """
    options = parse_settings(settings)
    with running.session():
        from lense.experiments import EXPERIMENTS, Study, reproduce_all
        from lense.experiments.experiment import SUMMARY, status, summary, undone
        from lense.experiments.tables import is_text

        choose(name, dict.fromkeys([*EXPERIMENTS, ALL, STATUS]), "experiment")
        if options and name != "scalability":
            raise LenseError("--set is for scalability: the other experiments run as the paper has them.")
        wanted = _names("--graphs", graphs), _names("--problems", problems)
        asked_for = (_numbers(seeds), budget, episodes, device, sharing.jobs)
        study = Study(out, (), *asked_for, backend=sharing.backend)
        experiments = list(EXPERIMENTS.values()) if name in (ALL, STATUS) else [EXPERIMENTS[name]]
        if name == STATUS:
            found = status(study, experiments, *wanted)
            if running.as_json:
                print_json(found)
                return
            print_table(f"Results in {study.out}", SUMMARY, summary(found))
            for line in undone(found):
                _print_line(line)
            return
        can_go_on()
        records = []
        for experiment, made, rows in reproduce_all(experiments, study, *wanted, options, own=name == ALL):
            records.append({"experiment": experiment.name, "rows": rows, "files": [str(file) for file in made.files]})
            if running.as_json:
                continue
            for title, headings, lines in made.tables:
                print_table(title, headings, lines, left=[i for i, name in enumerate(headings) if is_text(name)])
            for line in [*experiment.notes, *undone(rows)]:
                _print_line(line)
            if not running.quiet:
                _print_line(f"Written to {out}: {', '.join(file.name for file in made.files)}.")
        if running.as_json:
            print_json(records)


def _names(option: str, text: str | None) -> tuple[str, ...]:
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


def _print_line(text: str) -> None:
    """A line below a table, folded at words in a terminal; in a file or a pipe it stays as long as it is."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
    print(textwrap.fill(printable(text), width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False))
