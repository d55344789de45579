"""``lense app``: the local page."""

from typing import Annotated

import typer

from lense.cli.options import running_option
from lense.errors import LenseError


def open_page(
    graph: Annotated[
        str | None, typer.Argument(help="A graph file, or a name from 'lense data list', to begin with.")
    ] = None,
    *,
    port: Annotated[
        int | None, running_option(min=1, max=65535, help="The port; 8642 unless given, or one that is free.")
    ] = None,
    host: Annotated[
        str, running_option(help="The address to serve at. Any but this machine's own needs the token that is printed.")
    ] = "127.0.0.1",
    no_browser: Annotated[bool, running_option("--no-browser", help="Print the address and open no browser.")] = False,
) -> None:
    """Open a page in the browser: choose a graph and a problem, watch it being solved, and look at the answer.

    For example: lense app graph.txt.gz
    """
    given = None if graph is None else _at_hand(graph)
    try:
        from lense.app.serving import serve
    except ImportError as error:
        raise LenseError(f"The page needs {error.name}, which is not installed: pip install 'lense[app]'") from error

    def ready(address: str) -> None:
        print(f"lense is at {address} (Ctrl-C ends it)", flush=True)
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    serve(given, host=host, port=port, ready=ready)


def _at_hand(graph: str) -> str:
    """The path of a file, or a name that can be opened; raises with the sentence that reading it would give."""
    from pathlib import Path

    from lense.errors import choose
    from lense.graph.datasets import DATASETS, find_dataset, graph_files, load_dataset

    path = Path(graph)
    if path.is_file():
        return str(path.resolve())
    if path.name != graph or path.suffix:
        raise LenseError(f"{graph} cannot be read: there is no such file.")
    choose(graph, dict.fromkeys(DATASETS) | dict.fromkeys(graph_files()), "graph file or data set")
    if graph in DATASETS and find_dataset(graph) is None:
        load_dataset(graph)  # which says how to get it
    return graph
