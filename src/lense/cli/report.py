"""``lense report``: a model or results as one HTML page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lense._util.files import check_place
from lense.cli.options import Reading, Running, grouped, pruning_option, running_option
from lense.errors import LenseError

if TYPE_CHECKING:
    from lense.report.blocks import Block

# what a page draws of a walk is walked a second time, and only a CPU takes the very same way twice
_DEVICE = "cpu"


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
    episodes: Annotated[int, pruning_option("--episodes", "-e", min=1, help="Number of walks.")] = 10,
    reading: Reading,
    out: Annotated[Path, running_option("--out", "-o", help="HTML file to write.")] = Path("report.html"),
    running: Running,
) -> None:
    """Write one HTML page about a model or about results; it needs no network and no other file.

    Of a model it shows the configuration, the map and the training, and with --graph also its walks, figures and the
    pruned subgraph there; of a graph of the paper the test side of its split is taken, of a file the whole graph.
    Of results it shows tables, figures and comparisons, and the models with the walks that are kept beside them.
    """
    check_place(out)
    with running.session():
        from lense.pruners.model_files import is_model, model_folder
        from lense.report import results_page, write_page

        folder = model_folder(source)
        if not folder.is_dir():
            raise LenseError(f"{source} is a file: name a model, or a folder of results.")
        if is_model(folder):
            page = _model_page(folder, graph, episodes, running.seed, reading)
        elif graph is not None:
            raise LenseError(f"--graph is to try a model on, and {source} is none: leave it out.")
        else:
            page = results_page(folder)
        write_page(out, page)
    running.say(f"Written to {out}.")


def _model_page(folder: Path, graph: str | None, episodes: int, seed: int, reading: Reading) -> "Block":
    from lense.evaluation import find_test_side
    from lense.pruners import load
    from lense.report import model_page, trial
    from lense.solving import SolveOptions

    if graph is None:
        return model_page(load(folder), folder)
    options = SolveOptions(model=folder, device=_DEVICE, seed=seed, reading=reading.options())
    side = find_test_side(graph, options=options)
    name = Path(graph).name if side.split_seed is None else f"{graph}, test side of the paper's split"
    tried = trial(side.pruner, side.graph, name=name, episodes=episodes, seed=seed, paper=side.paper)
    return model_page(side.pruner, folder, tried)
