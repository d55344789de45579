"""``lense app``: the local page."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from lense.cli.options import running_option
from lense.errors import LenseError


def open_page(
    graph: Annotated[
        str | None, typer.Argument(help="A graph file, or a name from 'lense data list', to begin with.")
    ] = None,
    *,
    port: Annotated[
        int | None, running_option(min=1, max=65535, help="The port (default: 8642, or a free one).")
    ] = None,
    host: Annotated[str, running_option(help="The address to serve at.")] = "127.0.0.1",
    problem: Annotated[
        list[str] | None, running_option(help="Offer your own problem: ./mine.py:MyProblem; repeatable.")
    ] = None,
    pruner: Annotated[
        list[str] | None, running_option(help="Offer your own pruner: ./mine.py:MyPruner; repeatable.")
    ] = None,
    no_browser: Annotated[bool, running_option("--no-browser", help="Print the address and open no browser.")] = False,
) -> None:
    """Open a page in the browser: choose a graph and a problem, follow the solver, and inspect the answer.

    The printed address contains a token, which every request needs, on this machine too.

    For example: lense app graph.txt.gz
    """
    from lense.problems.base import problem_class
    from lense.pruners.registry import pruner_class

    given = None if graph is None else _openable(graph)
    try:
        from lense.app.requests import OwnClasses
        from lense.app.server import serve
    except ImportError as error:
        raise LenseError(f"The page needs {error.name}, which is not installed: pip install 'lense[app]'") from error

    def ready(address: str) -> None:
        print(f"lense is at {address} (Ctrl-C ends it)", flush=True)
        if not no_browser:
            open_browser(address)

    own = OwnClasses(problems=_by_name(problem, problem_class), pruners=_by_name(pruner, pruner_class))
    serve(given, own=own, host=host, port=port, ready=ready)


def _by_name(typed: list[str] | None, find: Callable[[str], Any]) -> dict[str, str]:
    """What requests may call the classes that were named on the command line."""
    return {find(text).name: text for text in typed or ()}


def open_browser(address: str) -> None:
    """Open the address by way of a private file: other accounts can read the arguments of a browser's process."""
    import atexit
    import os
    import tempfile
    import webbrowser
    from pathlib import Path

    descriptor, name = tempfile.mkstemp(prefix="lense-app-", suffix=".html")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={address}">\n')
    path = Path(name)
    atexit.register(path.unlink, missing_ok=True)
    webbrowser.open(path.as_uri())


def _openable(graph: str) -> str:
    """The path of a file, or a name that can be opened; raises for what is not there, as reading it would."""
    from pathlib import Path

    from lense.graph.datasets import find_graph

    path = Path(find_graph(graph))
    if not path.is_file():
        raise LenseError(f"{graph} cannot be read: there is no such file.")
    return str(path.resolve()) if Path(graph).is_file() else graph
