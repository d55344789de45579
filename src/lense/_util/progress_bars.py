"""Progress as bars: in a terminal, and in notebooks."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lense._util.progress import Advance

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class ProgressBars:
    """Bars with the time left and the latest note, on the standard error stream, for tasks that last over two seconds.

    A task within a task stands indented below it. The display goes when :meth:`stop` is called, or unless it ``stays``
    when no task is left.
    """

    delay = 2.0

    def __init__(self, *, stays: bool = True) -> None:
        self._stays = stays
        self._lock = threading.Lock()
        self._display: Progress | None = None
        self._depth = 0

    @contextmanager
    def task(self, description: str, total: float | None) -> Iterator[Advance]:
        """One task; a ``lense._util.progress.Reporter``."""
        done, latest = 0.0, ""
        name = "  " * self._depth + description
        is_open = True
        bar: TaskID | None = None

        def show() -> None:
            nonlocal bar
            with self._lock:
                if is_open:
                    bar = self._started().add_task(name, total=total, completed=int(done), note=latest)

        def advance(amount: float, /, note: str = "") -> None:
            nonlocal done, latest
            done += amount
            latest = note or latest
            if bar is not None and self._display is not None:
                self._display.update(bar, completed=done, note=latest)

        timer = threading.Timer(self.delay, show)
        timer.daemon = True
        timer.start()
        self._depth += 1
        try:
            yield advance
        finally:
            timer.cancel()
            self._depth -= 1
            with self._lock:
                is_open = False
                if bar is not None and self._display is not None:
                    self._display.remove_task(bar)
            if self._depth == 0 and not self._stays:
                self.stop()

    def stop(self) -> None:
        with self._lock:
            if self._display is not None:
                self._display.stop()
                self._display = None

    def _started(self) -> "Progress":
        if self._display is None:
            self._display = _empty_display()
            self._display.start()
        return self._display


def _empty_display() -> "Progress":
    """Where the terminal is narrow, first the bar gets shorter, then the end of the note is left out."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column
    from rich.text import Text

    class NoteColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(task.fields["note"], no_wrap=True, overflow="ellipsis")

    console = Console(stderr=True)
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=min(max(10, console.width - 80), 40), table_column=Column(no_wrap=True)),
        TaskProgressColumn(),
        TimeRemainingColumn(table_column=Column(no_wrap=True)),
        NoteColumn(),
        console=console,
        transient=True,
        redirect_stdout=sys.stdout.isatty(),  # results in a pipe or a file stay there
    )
