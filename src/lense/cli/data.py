"""``lense data``: the paper's graphs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lense._util.formatting import percent
from lense.cli.options import Running, grouped, running_option
from lense.cli.session import print_json, print_table

if TYPE_CHECKING:
    from lense.graph import Dataset

app = typer.Typer(help="List and download the paper's graphs.", no_args_is_help=True)


@app.command("list")
@grouped(without=("seed", "threads"))
def list_datasets(running: Running) -> None:
    """List the paper's graphs, and the files that hold them."""
    from lense.graph.datasets import available

    with running.session():
        found = available()
    if running.as_json:
        print_json([_record(dataset, path) for dataset, path in found])
        return
    rows = [
        (
            *(one.name, f"{one.vertices:,}", f"{one.edges:,}", "yes" if one.directed else "no"),
            *(percent(one.train_fraction(), 0), "no" if path is None else path.name),
        )
        for one, path in found
    ]
    print_table("Graphs of the paper", ("name", "vertices", "edges", "directed", "train share", "file"), rows)
    folders = sorted({str(path.parent) for _, path in found if path is not None})
    running.say(
        f"  Files lie in {' and '.join(folders)}." if folders else "  LENSE_DATA and the cache hold none of them."
    )
    if any(path is None for _, path in found):
        running.say("  Download a missing one: lense data get NAME")


def _record(dataset: "Dataset", path: Path | None) -> dict[str, Any]:
    return {
        "name": dataset.name,
        "vertices": dataset.vertices,
        "edges": dataset.edges,
        "directed": dataset.directed,
        "train_fraction": dataset.train_fraction(),
        "path": None if path is None else str(path),
    }


@app.command("get")
@grouped(without=("seed", "threads", "as_json"))
def get(
    name: Annotated[str, typer.Argument(help="A name from 'lense data list'.")],
    *,
    force: Annotated[bool, running_option("--force", help="Download it again even if it is in the cache.")] = False,
    running: Running,
) -> None:
    """Download a graph from SNAP into the cache folder and verify it."""
    from lense.graph.download import download_dataset

    with running.session():
        path = download_dataset(name, force=force)
    running.say(f"{name} is at {path}")
