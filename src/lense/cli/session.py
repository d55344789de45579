"""What all commands share: verbosity, progress, threads and output."""

import logging
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from lense._util.files import to_json
from lense._util.formatting import percent
from lense._util.progress import announcing, reporting_to, silent
from lense._util.threads import num_threads
from lense.errors import LenseError, printable

_UNFOLDED = 10_000
"""Columns of a table in a file."""


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
    announcing["compiling"] = sys.stderr.isatty() and not quiet
    try:
        with reporting_to(silent) if quiet else nullcontext():
            yield
    finally:
        announcing["compiling"] = False


class _StandardError(logging.Handler):
    """Writes to what ``sys.stderr`` is at the time, which prints above progress bars while there are any."""

    def emit(self, record: logging.LogRecord) -> None:
        print(printable(self.format(record)), file=sys.stderr)


def whole_if_possible(value: float) -> float:
    """A number without a fraction as an integer, as people and JSON like to see it."""
    return int(value) if float(value).is_integer() else value


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
    sure = percent(record["confidence"], 0)
    return f"{record['expected_ratio']:.3f} of the whole graph's score, {sure} sure of the target{unlike}"


def print_facts(title: str, facts: Mapping[str, str]) -> None:
    """A two-column table of names and values."""
    print_table(title, (), facts.items(), left=(0, 1))


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], left: Collection[int] = (0,)
) -> None:
    """A table whose columns are right-aligned, but for those in ``left``; without names of ``columns``, facts."""
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    style: dict[str, Any] = {"title_justify": "left", "title_style": "bold", "box": box.SIMPLE}
    table = Table(title=escape(printable(title)), show_header=bool(columns), **style)
    for i, name in enumerate(columns):
        table.add_column(name, justify="left" if i in left else "right", overflow="fold")
    if not columns:
        table.add_column(style="cyan", no_wrap=True)
        table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*(escape(printable(cell)) for cell in row))
    console = Console()
    # in a file or a pipe, lines of a table as long as they are: what is folded cannot be searched or cut
    (console if console.is_terminal or not columns else Console(width=_UNFOLDED)).print(table)
