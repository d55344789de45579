"""Progress of long work, reported to a listener.

The library calls :func:`progress` around anything that may take long. Unless :func:`reporting_to` names a listener, a
terminal or a notebook shows bars after two seconds, and a pipe gets a line every ten seconds. ``LENSE_PROGRESS=0`` in
the environment, or ``with reporting_to(silent)``, shows nothing. Processes that the library starts show nothing.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from multiprocessing import parent_process
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from lense._util.formatting import duration
from lense.errors import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Advance(Protocol):
    """Called with the ``amount`` of work just done, and optionally with a ``note`` such as "loss 0.23, distance 0.31",
    which stands until the next one.
    """

    def __call__(self, amount: float, /, note: str = "") -> None: ...


Reporter = Callable[[str, float | None], AbstractContextManager[Advance]]
announcing = {"compiling": False}
"""Whether a line says that kernels are being compiled: a first command at a terminal would seem to hang."""


@dataclass(eq=False)
class _Work:
    name: str
    total: float | None
    begun: float = field(default_factory=monotonic)
    done: float = 0.0
    note: str = ""
    bar: "TaskID | None" = None
    timer: Timer | None = None

    def __str__(self) -> str:
        if not self.total:
            return self.name
        share = min(self.done / self.total, 1.0)
        left = (monotonic() - self.begun) * (1 / share - 1) if share > 0 else None
        return f"{self.name} {share:.0%}" + ("" if left is None else f", about {duration(round(left), 2)} left")


class _Display:
    """Shows the work under way, of which the outer parts come first."""

    def __init__(self) -> None:
        self._open: list[_Work] = []

    @contextmanager
    def task(self, description: str, total: float | None) -> Iterator[Advance]:
        """Show one task; a :data:`Reporter`."""
        work = _Work(description, total)

        def advance(amount: float, /, note: str = "") -> None:
            work.done += amount
            work.note = note or work.note
            self._advanced(work)

        self._open.append(work)
        self._opened(work)
        try:
            yield advance
        finally:
            self._open.remove(work)
            self._closed(work)

    def _opened(self, work: _Work) -> None: ...
    def _advanced(self, work: _Work) -> None: ...
    def _closed(self, work: _Work) -> None: ...


class ProgressLines(_Display):
    """Lines on the standard error stream, for pipes and files: one every ten seconds, with the time left."""

    every = 10.0
    _last = 0.0

    def _opened(self, work: _Work) -> None:
        if work is self._open[0]:
            self._last = monotonic()

    def _advanced(self, work: _Work) -> None:
        is_done = work is self._open[0] and work.total is not None and work.done >= work.total
        if is_done or monotonic() - self._last < self.every:
            return
        self._last = monotonic()
        under_way = list(self._open)
        note = next((one.note for one in reversed(under_way) if one.note), "")
        line = "; ".join(map(str, under_way)) + (f" ({note})" if note else "")
        print(f"lense: {line}", file=sys.stderr, flush=True)


class ProgressBars(_Display):
    """Bars with the time left and the latest note, on the standard error stream, for tasks that last over two seconds.

    A task within a task stands indented below it. The display goes when no task is left.
    """

    delay = 2.0

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._display: Progress | None = None

    def _opened(self, work: _Work) -> None:
        work.timer = Timer(self.delay, self._show, (work, "  " * (len(self._open) - 1)))
        work.timer.daemon = True
        work.timer.start()

    def _show(self, work: _Work, indent: str) -> None:
        with self._lock:
            if work in self._open:
                if self._display is None:
                    self._display = _empty_display()
                    self._display.start()
                work.bar = self._display.add_task(
                    indent + work.name, total=work.total, completed=int(work.done), note=work.note
                )

    def _advanced(self, work: _Work) -> None:
        if work.bar is not None and self._display is not None:
            self._display.update(work.bar, completed=work.done, note=work.note)

    def _closed(self, work: _Work) -> None:
        assert work.timer is not None
        work.timer.cancel()
        with self._lock:
            if self._display is None:
                return
            if work.bar is not None:
                self._display.remove_task(work.bar)
            if not self._open:
                self._display.stop()
                self._display = None


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
        """The column that gets narrower first; a TextColumn would fold the note, or take the room of the others."""

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


def silent(_description: str, _total: float | None) -> AbstractContextManager[Advance]:
    """Show nothing."""
    return nullcontext(lambda _amount, /, note="": None)


_bars, _lines = cache(ProgressBars), cache(ProgressLines)


def _default(description: str, total: float | None) -> AbstractContextManager[Advance]:
    """Bars in a terminal or a notebook, else lines."""
    if os.environ.get("LENSE_PROGRESS") == "0" or parent_process() is not None or sys.stderr is None:
        return silent(description, total)
    is_notebook = "ipykernel" in sys.modules
    shows_bars = find_spec("ipywidgets") is not None if is_notebook else sys.stderr.isatty()
    return (_bars() if shows_bars else _lines()).task(description, total)


_reporter: ContextVar[Reporter] = ContextVar("lense_progress_reporter", default=_default)


def progress(description: str, total: float | None = None) -> AbstractContextManager[Advance]:
    """Context whose value is an :class:`Advance`; ``total`` is None when unknown. Tasks may be nested."""
    return _reporter.get()(printable(description), total)


@contextmanager
def reporting_to(reporter: Reporter) -> Iterator[None]:
    """Send the progress of everything inside the context to ``reporter``."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)
