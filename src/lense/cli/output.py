"""What commands print: tables, facts, JSON and log lines."""

import logging
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from lense._util.files import to_json
from lense._util.formatting import percent
from lense.errors import printable

_UNFOLDED = 10_000
"""Columns of a table in a file."""


class StandardError(logging.Handler):
    """Writes to what ``sys.stderr`` is at the time, which prints above progress bars while there are any."""

    def emit(self, record: logging.LogRecord) -> None:
        print(printable(self.format(record)), file=sys.stderr)


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
