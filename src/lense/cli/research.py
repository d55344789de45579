"""Research: ``lense compare`` pruners, ``reproduce`` the paper, ``report`` on models and results."""

import json
import shutil
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from lense._util.files import check_place
from lense.cli.options import (
    Budget,
    Device,
    Episodes,
    GraphName,
    ProblemName,
    Reading,
    Running,
    Settings,
    Sharing,
    grouped,
    parse_settings,
    problem_option,
    pruning_field,
    pruning_option,
    running_option,
)
from lense.cli.output import print_json, print_table
from lense.cli.stopping import can_go_on
from lense.errors import LenseError, choose, printable

ALL, STATUS = "all", "status"


@dataclass(frozen=True)
class Learning:
    """What the pruners that learn are trained on, and how LeNSE is."""

    train: str | None = pruning_field("A separate graph to train on")
    train_share: float = pruning_field(
        "Share of the edges to train on; ignored for the paper's graphs and --train", default=0.3
    )
    preset: str = pruning_field("Settings of LeNSE (default: paper for the paper's graphs, else auto)", default="")
    model: Path | None = pruning_field(  # noqa: RUF009
        "A trained LeNSE; {seed} in its name stands for the seed", "--model", "-m"
    )
    device: Device = "auto"


@grouped()
def compare(
    graph: GraphName,
    *,
    problem: ProblemName,
    budget: Budget = 100,
    settings: Settings = None,
    pruners: Annotated[
        str, pruning_option(help="all, or names separated by commas; top-roots:roots_per_budget=3 sets a parameter.")
    ] = "all",
    episodes: Episodes = 10,
    learning: Learning,
    reading: Reading,
    out: Annotated[
        Path, running_option("--out", "-o", help="Folder for results; the same command continues an interrupted run.")
    ],
    seeds: Annotated[int, running_option(min=1, help="Number of seeds, from --seed on.")] = 3,
    sharing: Sharing,
    running: Running,
) -> None:
    """Prune a test graph with every pruner, solve on what each keeps, and show ratio against share pruned.

    A graph of the paper is split into train and test graph as there. What a pruner keeps is used in two ways: as a
    subgraph, which is all that the heuristic sees, and as a ground set, from which it must choose for the whole graph.
    """
    with running.session():
        from lense.experiments import comparison
        from lense.experiments.store import as_line

        can_go_on()
        found = comparison.compare(
            graph,
            problem,
            budget,
            None if pruners == "all" else [name.strip() for name in pruners.split(",") if name.strip()],
            out=out,
            seeds=range(running.seed, running.seed + seeds),
            episodes=episodes,
            settings=parse_settings(settings),
            **vars(learning),
            **vars(sharing),
            reading=reading.options(),
        )
    source, first, name = found.source, found.wholes[0].found, printable(Path(graph).name)
    if running.as_json:
        record = {"graph": Path(graph).name, "problem": source.problem, "budget": budget, "episodes": episodes}
        record |= {"rows": found.rows, "solver": first.solver}
        record |= {"wholes": [json.loads(as_line(whole)) for whole in found.wholes], "combined_ceiling": found.ceiling}
        print_json(record | {"left_out": found.left_out, "folder": str(out), "files": comparison.FILES})
        return
    if not running.quiet:
        print(
            f"\n{source.problem} by {first.solver}, budget {budget:g}, on {name}: {first.test.vertices:,} vertices and "
            f"{first.test.edges:,} edges to prune; means over {len(found.wholes)} seed(s)\n"
        )
    for title, headings, lines in found.tables():
        print_table(title, headings, lines)
    for line in [*found.failures(), *found.left_out]:
        print(f"  {printable(line)}")
    if not running.quiet:
        print("  * no other pruner has as high a ratio with as many vertices pruned.")
        print(f"  Written to {printable(str(out))}: {', '.join(comparison.FILES)}.")


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
    episodes: Episodes = 10,
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
        from lense.experiments import EXPERIMENTS, Study, check_options, reproduce_all
        from lense.experiments.experiment import SUMMARY, status, summary, undone
        from lense.experiments.tables import is_text

        choose(name, dict.fromkeys([*EXPERIMENTS, ALL, STATUS]), "experiment")
        wanted = _names("--graphs", graphs), _names("--problems", problems)
        asked_for = (_numbers(seeds), budget, episodes, device, sharing.jobs)
        study = Study(out, (), *asked_for, backend=sharing.backend)
        experiments = list(EXPERIMENTS.values()) if name in (ALL, STATUS) else [EXPERIMENTS[name]]
        check_options(experiments, options)
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


@grouped(without=("as_json",))
def report(
    source: Annotated[
        Path,
        typer.Argument(
            help="A model of 'lense train', a name from 'lense models list', or a folder of results of "
            "'lense reproduce' or 'lense compare'."
        ),
    ],
    *,
    graph: Annotated[
        str | None, pruning_option("--graph", "-g", help="Try the model on a file, or a name from 'lense data list'.")
    ] = None,
    episodes: Episodes = 10,
    reading: Reading,
    out: Annotated[Path, running_option("--out", "-o", help="HTML file to write.")] = Path("report.html"),
    running: Running,
) -> None:
    """Write one HTML page about a model or about results; it needs no network and no other file.

    Of a model it shows the configuration, the map and the training, and with --graph also its walks, figures and the
    pruned subgraph there; of a graph of the paper the test side of its split is taken, of a file the whole graph.
    Of results it shows tables, figures and comparisons.
    """
    check_place(out)
    with running.session():
        from lense.report import page_of, write_page

        page = page_of(source, graph, episodes=episodes, seed=running.seed, reading=reading.options())
        write_page(out, page)
    running.say(f"Written to {out}.")
