"""``lense report``: a model or results as one HTML page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lense.cli.evaluate import paper_row, split_seed_for, test_graph_for
from lense.cli.models import is_dataset, need_model
from lense.cli.session import (
    Directed,
    FileFormat,
    Ids,
    KeepDuplicates,
    KeepLoops,
    NoWeights,
    Quiet,
    Seed,
    Threads,
    Verbose,
    check_place,
    reading,
    session,
)
from lense.errors import LenseError

if TYPE_CHECKING:
    from lense.report.blocks import Block

# what a page draws of a walk is walked a second time, and only a CPU takes the very same way twice
_DEVICE = "cpu"


def report(
    source: Annotated[
        Path,
        typer.Argument(
            help="A model of 'lense train', or a folder of results of 'lense reproduce' or 'lense compare'."
        ),
    ],
    graph: Annotated[
        str | None,
        typer.Option("--graph", "-g", help="Try the model on a file, or a name from 'lense data list'."),
    ] = None,
    episodes: Annotated[int, typer.Option("--episodes", "-e", min=1, help="How many walks.")] = 10,
    out: Annotated[Path, typer.Option("--out", "-o", help="The HTML file to write.")] = Path("report.html"),
    seed: Seed = 0,
    directed: Directed = None,
    file_format: FileFormat = None,
    ids: Ids = "auto",
    no_weights: NoWeights = False,
    keep_duplicates: KeepDuplicates = False,
    keep_self_loops: KeepLoops = False,
    threads: Threads = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Write one HTML page about a model or about results; it needs no network and no other file.

    Of a model it shows the configuration, the map and the training, and with --graph also its walks, figures and the
    pruned subgraph there; of a graph of the paper the test side of its split is taken, of a file the whole graph.
    Of results it shows tables, figures and comparisons, and the models with the walks that are kept beside them.
    """
    check_place(out)
    if not source.is_dir():
        raise LenseError(f"There is no folder {source}: name a model, or a folder of results.")
    with session(quiet=quiet, verbose=verbose, threads=threads):
        from lense.pruners.model_files import is_model
        from lense.report import results_page, write_page

        if is_model(source):
            options = reading(directed, file_format, ids, no_weights, keep_duplicates, keep_self_loops)
            page = _model_page(source, graph, episodes, seed, options)
        elif graph is not None:
            raise LenseError(f"--graph is to try a model on, and {source} is none: leave it out.")
        else:
            page = results_page(source)
        write_page(out, page)
    if not quiet:
        print(f"Written to {out}.")


def _model_page(folder: Path, graph: str | None, episodes: int, seed: int, options: dict[str, Any]) -> "Block":
    from lense.pruners import load
    from lense.report import model_page, trial

    if graph is None:
        return model_page(load(folder), folder)
    model = need_model(folder, None, {}, seed=seed, device=_DEVICE)
    split_seed = split_seed_for(model, graph, seed)
    if split_seed != seed:
        model = need_model(folder, None, {}, seed=split_seed, device=_DEVICE)
    test = test_graph_for(model, graph, split_seed, options)
    name = f"{graph}, test side of the paper's split" if is_dataset(graph) else Path(graph).name
    return model_page(
        model,
        folder,
        trial(model, test, name=name, episodes=episodes, seed=seed, paper=paper_row(model, graph)),
    )
