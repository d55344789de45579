"""``lense models list``: the models that come with the package."""

from collections.abc import Mapping
from typing import Any

import typer

from lense.cli.options import Running, grouped
from lense.cli.session import print_json, print_table

app = typer.Typer(help="The bundled models.", no_args_is_help=True)


@app.command("list")
@grouped(without=("seed", "threads"))
def list_models(running: Running) -> None:
    """List the bundled models, and what each was trained for."""
    with running.session():
        from lense.pruners.shipped import shipped_cores, shipped_models

        cores, models = shipped_cores(), shipped_models()
    if running.as_json:
        print_json([*({"pruner": "core", **row} for row in cores), *({"pruner": "lense", **row} for row in models)])
        return
    about_cores = [
        (
            row["name"],
            row["solver"],
            f"{row['graphs_and_budgets']} graphs and budgets",
            f"{row['least_budget']:,} to {row['largest_budget']:,}",
        )
        for row in cores
    ]
    print_table("Cores, the default", ("name", "heuristic", "calibrated on", "budgets"), about_cores)
    names = ("name", "train edges", "budget", "seed", "roots", "steps", "ratio")
    print_table("LeNSE", names, [_cells(row) for row in models])
    running.say("  * taken by --pruner lense. Ratios are of walks on the train graph;")
    running.say("  on graphs that are much denser, walks take the steps in brackets.")


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """A row for people, no wider than a terminal."""
    name = f"{row['name']}{' *' if row['is_default'] else ''}"
    steps = f"{row['steps']:,}" + ("" if row["longest"] == row["steps"] else f" ({row['longest']:,})")
    counts = (f"{row[key]:,}" for key in ("train_edges", "budget", "seed", "roots"))
    return name, *counts, steps, f"{row['train_ratio']:.3f}"
