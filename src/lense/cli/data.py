"""``lense data``: the paper's graphs."""

from typing import Annotated

import typer

from lense.cli.session import Json, Quiet, Verbose, print_json, print_table, session

app = typer.Typer(help="The paper's graphs: which are at hand, and fetching the others.", no_args_is_help=True)


@app.command("list")
def list_datasets(as_json: Json = False, quiet: Quiet = False, verbose: Verbose = False) -> None:
    """Show the paper's graphs and which of them are at hand."""
    from lense.graph.datasets import available

    with session(quiet=quiet, verbose=verbose):
        found = available()
        if as_json:
            print_json(
                [
                    {
                        "name": dataset.name,
                        "vertices": dataset.vertices,
                        "edges": dataset.edges,
                        "directed": dataset.directed,
                        "train_fraction": dataset.train_fraction(),
                        "path": None if path is None else str(path),
                    }
                    for dataset, path in found
                ]
            )
            return
        print_table(
            "Graphs of the paper",
            ("name", "vertices", "edges", "directed", "train share", "at hand"),
            [
                (
                    dataset.name,
                    f"{dataset.vertices:,}",
                    f"{dataset.edges:,}",
                    "yes" if dataset.directed else "no",
                    f"{100 * dataset.train_fraction():.0f} %",
                    "no" if path is None else path.name,
                )
                for dataset, path in found
            ],
        )
        folders = sorted({str(path.parent) for _, path in found if path is not None})
        print(
            f"  Files lie in {' and '.join(folders)}." if folders else "  LENSE_DATA and the cache hold none of them."
        )
        if any(path is None for _, path in found):
            print("  Fetch one that is missing with: lense data get NAME")


@app.command("get")
def get(
    name: Annotated[str, typer.Argument(help="A name from 'lense data list'.")],
    force: Annotated[bool, typer.Option("--force", help="Fetch it again even if it is in the cache.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Download a graph from SNAP into the cache folder, resuming where an earlier try stopped, and verify it."""
    from lense.graph.download import download_dataset

    with session(quiet=quiet, verbose=verbose):
        path = download_dataset(name, force=force)
    if not quiet:
        print(f"{name} is at {path}")
