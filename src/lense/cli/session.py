"""What all commands share: verbosity, progress, threads and output."""

import logging
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from lense._util.files import to_json
from lense._util.progress import ProgressBars, ProgressLines, announcing, reporting_to, silent
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
    sure = f"{100 * record['confidence']:.0f} % sure of the target"
    return f"{record['expected_ratio']:.3f} of the whole graph's score, {sure}{unlike}"


def print_facts(title: str, facts: Mapping[str, str]) -> None:
    """A two-column table of names and values."""
    _print(title, [("", {"style": "cyan", "no_wrap": True}), ("", {"overflow": "fold"})], facts.items())


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    numeric: int = 1,
    left: Collection[int] | None = None,
) -> None:
    """A table whose columns from number ``numeric`` on are right-aligned, or all but those in ``left``."""
    words = range(numeric) if left is None else left
    sides = ["left" if i in words else "right" for i in range(len(columns))]
    shown = [(name, {"justify": side, "overflow": "fold"}) for name, side in zip(columns, sides, strict=True)]
    # in a file or a pipe, lines as long as they are: what is folded cannot be searched or cut
    _print(title, shown, rows, width_of_files=_UNFOLDED)


def _print(
    title: str,
    columns: Sequence[tuple[str, dict[str, Any]]],
    rows: Iterable[Sequence[str]],
    width_of_files: int | None = None,
) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    has_header = any(name for name, _ in columns)
    style: dict[str, Any] = {"title_justify": "left", "title_style": "bold", "box": box.SIMPLE}
    table = Table(title=escape(printable(title)), show_header=has_header, **style)
    for name, options in columns:
        table.add_column(name, **options)
    for row in rows:
        table.add_row(*(escape(printable(cell)) for cell in row))
    console = Console()
    (console if console.is_terminal else Console(width=width_of_files)).print(table)
