"""Graphs: ``lense graph`` inspects, converts, splits and generates them, ``lense data`` gets the paper's."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lense._util.files import check_place
from lense._util.formatting import percent
from lense.cli.options import (
    GraphName,
    OutFormat,
    Reading,
    Running,
    Settings,
    Streaming,
    grouped,
    parse_settings,
    problem_option,
    running_option,
)
from lense.cli.output import print_json, print_table
from lense.errors import LenseError

if TYPE_CHECKING:
    from lense._util.types import AnyArray

app = typer.Typer(help="Inspect, convert, split and generate graphs.", no_args_is_help=True)
datasets = typer.Typer(help="List and download the paper's graphs.", no_args_is_help=True)

Out = Annotated[Path, typer.Argument(help="The file to write; its name says the format.")]


@app.command()
@grouped(without=("engine", "scheduler", "seed", "threads"))
def info(graph: GraphName, *, reading: Reading, streaming: Streaming, running: Running) -> None:
    """Show size, kind, degrees and components of a graph."""
    with running.session():
        from lense.streaming.converting import describe_graph

        stream, limit = streaming.stream, streaming.memory_limit
        facts, degrees = describe_graph(graph, reading.options(), stream=stream, memory_limit=limit)
    running.show(graph, facts, {name.replace("_", " "): _shown(value) for name, value in facts.items()})
    if not running.as_json:
        _print_histogram(degrees, "out-degree" if facts["directed"] else "degree")


@app.command()
@grouped(without=("engine", "scheduler", "memory_limit", "seed", "threads", "as_json"))
def convert(
    graph: GraphName,
    out: Out,
    *,
    reading: Reading,
    streaming: Streaming,
    out_format: OutFormat = None,
    running: Running,
) -> None:
    """Write a graph in another format; to a folder or a .parquet file also one that does not fit into memory.

    A folder gets sorted Parquet files without repeated edges, as --stream needs them.
    """
    with running.session():
        from lense.streaming.converting import convert

        made = convert(graph, out, reading.options(), out_format=out_format, stream=streaming.stream)
    running.say(f"{made!r} -> {out}")


@app.command()
@grouped(without=("threads", "as_json"))
def split(
    graph: GraphName,
    train: Annotated[Path, typer.Argument(help="File for the train graph.")],
    test: Annotated[Path, typer.Argument(help="File for the test graph.")],
    *,
    fraction: Annotated[
        float | None,
        problem_option("--train-fraction", "-f", help="Share of edges to train on; the paper's for its graphs."),
    ] = None,
    problem: Annotated[
        str | None,
        problem_option("--problem", "-p", help="Read the graph as this problem does (im: edge probabilities)."),
    ] = None,
    settings: Settings = None,
    reading: Reading,
    running: Running,
) -> None:
    """Split a graph's edges at random into a train graph and a test graph."""
    if train.resolve() == test.resolve():
        raise LenseError("The train and the test graph need two different files.")
    for path in (train, test):
        check_place(path)
    with running.session():
        from lense.graph import write_graph
        from lense.solving import split

        given = {"problem": problem, "settings": parse_settings(settings), **reading.options()}
        parts = split(graph, fraction, running.seed, **given)
        for part, path in zip(parts, (train, test), strict=True):
            write_graph(part, path)
    for name, part, path in zip(("train", "test"), parts, (train, test), strict=True):
        running.say(f"{name}: {part!r} -> {path}")


@app.command()
@grouped(without=("as_json",))
def generate(
    kind: Annotated[str, typer.Argument(help="A generator such as rmat; a wrong name lists them.")],
    out: Out,
    *,
    settings: Settings = None,
    out_format: OutFormat = None,
    running: Running,
) -> None:
    """Make a random graph: lense graph generate rmat big.npz --set scale=20 --set num_edges=10000000

    An rmat that goes to a folder or a .parquet file is written as it is drawn, however large.
    """
    with running.session():
        from lense.streaming.converting import generate

        made = generate(kind, out, parse_settings(settings), running.seed, out_format=out_format)
    running.say(f"{made!r} -> {out}")


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"{value[0]:g} to {value[1]:g}"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return value if isinstance(value, str) else f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"


def _print_histogram(degrees: "AnyArray", name: str) -> None:
    """Bars of how many vertices have a degree of 0, 1, 2-3, 4-7 and so on; bar lengths are logarithmic."""
    import numpy as np

    bins = np.zeros(degrees.size, np.int64)
    bins[degrees > 0] = np.log2(degrees[degrees > 0]).astype(np.int64) + 1
    counts = np.bincount(bins)
    print(f"  vertices by {name}, bars on a log scale")
    for i, count in enumerate(counts):
        low, high = (0, 0) if i == 0 else (2 ** (i - 1), 2**i - 1)
        label = f"{low:,}" if low == high else f"{low:,}-{high:,}"
        bar = "█" * int(np.ceil(30 * np.log1p(count) / np.log1p(counts.max()))) if count else ""
        print(f"  {label:>17} {bar} {count:,}")


@datasets.command("list")
@grouped(without=("seed", "threads"))
def list_datasets(running: Running) -> None:
    """List the paper's graphs, and the files that hold them."""
    from lense.graph.datasets import available

    with running.session():
        found = available()
    if running.as_json:
        kept = ("name", "vertices", "edges", "directed")
        print_json(
            [
                {name: getattr(one, name) for name in kept}
                | {"train_fraction": one.train_fraction(), "path": None if path is None else str(path)}
                for one, path in found
            ]
        )
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


@datasets.command("get")
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
