"""Models on the command line: ``lense models list``, and what commands share to find a model and its graph."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from lense.cli.options import Running, grouped
from lense.cli.session import print_json, print_table
from lense.errors import LenseError, choose

if TYPE_CHECKING:
    from lense.problems import Problem

LENSE, CORE = "lense", "core"


def shared_out(
    given: Mapping[str, Any], problem: str | None, pruner: str = LENSE
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What ``--set`` gave, as settings of a pruner and as options of the problem."""
    from lense.pruners import pruner_class
    from lense.solving.options import shared_settings

    return shared_settings(given, problem, pruner_class(pruner))


def checked_preset(preset: str, graph: str) -> str:
    """The settings of LeNSE to begin with, which must be known, and fit the graph; "" leaves the choice."""
    if preset:
        from lense.navigation.training import PRESETS

        choose(preset, dict.fromkeys(PRESETS), "preset")
    if preset in ("paper", "literal") and not is_dataset(graph):
        raise LenseError(f"--preset {preset} is for the paper's graphs and {graph} is none: take --preset auto.")
    return preset


def named_problem(problem: str | None, options: Mapping[str, Any], seed: int) -> "Problem":
    """The problem that ``--problem`` names, with options by name; its random numbers depend on ``seed``."""
    from lense.solving.options import named_problem

    return named_problem(problem, options, seed)


def is_dataset(graph: str) -> bool:
    """Whether a graph is named as one of the paper's, and is no file."""
    from lense.graph import datasets

    return datasets.is_dataset(graph)


def whole_if_possible(value: float) -> float:
    """A number without a fraction as an integer, as people and JSON like to see it."""
    return int(value) if float(value).is_integer() else value


app = typer.Typer(help="The trained models that come with the package.", no_args_is_help=True)


@app.command("list")
@grouped(without=("seed", "threads"))
def list_models(running: Running) -> None:
    """Show the models that ship, and what each was trained for."""
    with running.session():
        from lense.pruners.shipped import shipped_cores, shipped_models

        cores, models = shipped_cores(), shipped_models()
    if running.as_json:
        print_json([*({"pruner": "core", **row} for row in cores), *({"pruner": "lense", **row} for row in models)])
        return
    print_table(
        "Cores, taken where no pruner is named",
        ("name", "heuristic", "calibrated on", "budgets"),
        [_core_cells(row) for row in cores],
    )
    names = ("name", "train edges", "budget", "seed", "roots", "steps", "ratio")
    print_table("LeNSE", names, [_cells(row) for row in models])
    running.say("  * taken by --pruner lense. Ratios are of walks on the train graph;")
    running.say("  on graphs that are much denser, walks take the steps in brackets.")


def _core_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    graphs = f"{row['graphs_and_budgets']} graphs and budgets"
    return row["name"], row["solver"], graphs, f"{row['least_budget']:,} to {row['largest_budget']:,}"


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """A row for people, no wider than a terminal."""
    name = f"{row['name']}{' *' if row['is_default'] else ''}"
    steps = f"{row['steps']:,}" + ("" if row["longest"] == row["steps"] else f" ({row['longest']:,})")
    counts = (f"{row[key]:,}" for key in ("train_edges", "budget", "seed", "roots"))
    return name, *counts, steps, f"{row['train_ratio']:.3f}"
