"""What all commands share: verbosity, progress, threads and output."""

import logging
import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from lense._util.files import to_json
from lense._util.progress import ProgressBars, ProgressLines, announcing, reporting_to, silent
from lense._util.threads import num_threads
from lense.errors import LenseError, printable


@contextmanager
def session(*, quiet: bool = False, verbose: bool = False, threads: int | None = None) -> Iterator[None]:
    """Set up logging, progress and threads for one command."""
    if quiet and verbose:
        raise LenseError("Choose one of --quiet and --verbose.")
    level = logging.ERROR if quiet else logging.INFO if verbose else logging.WARNING
    logging.basicConfig(level=level, format="lense: %(message)s", handlers=[_StandardError()], force=True)
    if threads is not None:
        os.environ["LENSE_THREADS"] = str(threads)
    num_threads()  # refuses a LENSE_THREADS that is no number
    if quiet:
        with reporting_to(silent):
            yield
        return
    if not sys.stderr.isatty():
        with reporting_to(ProgressLines().task):
            yield
        return
    bars = ProgressBars()
    announcing["compiling"] = True
    try:
        with reporting_to(bars.task):
            yield
    finally:
        announcing["compiling"] = False
        bars.stop()


class _StandardError(logging.Handler):
    """Writes to what ``sys.stderr`` is at the time, which prints above progress bars while there are any."""

    def emit(self, record: logging.LogRecord) -> None:
        print(printable(self.format(record)), file=sys.stderr)


def parse_settings(settings: Sequence[str] | None) -> dict[str, str]:
    """``name=value`` pairs as a dictionary."""
    pairs = [setting.partition("=") for setting in settings or ()]
    for name, equals, _ in pairs:
        if not equals or not name:
            raise LenseError(f"--set takes NAME=VALUE, not '{name}'.")
        if name == "seed":
            raise LenseError("There is one seed for everything: give it as --seed, not with --set.")
    return {name.replace("-", "_"): value for name, _, value in pairs}


def print_json(values: Mapping[str, Any] | Sequence[Any]) -> None:
    print(to_json(values))


def expectation(record: Mapping[str, Any]) -> str:
    """What a pruner that has a target says before it prunes."""
    unlike = f"; {record['unlike']}" if record["unlike"] else ""
    sure = f"{100 * record['confidence']:.0f} % sure of the target"
    return f"{record['expected_ratio']:.3f} of the whole graph's score, {sure}{unlike}"


def print_facts(title: str, facts: Mapping[str, str]) -> None:
    """A two-column table of names and values."""
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    title = escape(printable(title))
    table = Table(title=title, title_justify="left", show_header=False, box=box.SIMPLE, title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts.items():
        table.add_row(name, escape(printable(value)))
    Console().print(table)


_UNFOLDED = 10_000


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    numeric: int = 1,
    left: Collection[int] | None = None,
) -> None:
    """A table whose columns from number ``numeric`` on are right-aligned, or all but those in ``left``."""
    words = range(numeric) if left is None else left
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    title = escape(printable(title))
    table = Table(title=title, title_justify="left", box=box.SIMPLE, title_style="bold")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i in words else "right", overflow="fold")
    for row in rows:
        table.add_row(*(escape(printable(cell)) for cell in row))
    console = Console()
    # in a file or a pipe, lines as long as they are: what is folded cannot be searched or cut
    (console if console.is_terminal else Console(width=_UNFOLDED)).print(table)
