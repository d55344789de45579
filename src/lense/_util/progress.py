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
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from lense._util.formatting import duration
from lense.errors import printable

if TYPE_CHECKING:
    from rich.table import Table


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

    def progress(self) -> str:
        """The share that is done and the time left, or nothing where the total is unknown."""
        if not self.total:
            return ""
        share = min(self.done / self.total, 1.0)
        left = (monotonic() - self.begun) * (1 / share - 1) if share > 0 else None
        return f"{share:.0%}" + ("" if left is None else f", about {duration(round(left), 2)} left")


class _Display:
    """Shows the tasks under way, outer ones first."""

    def __init__(self) -> None:
        self._open: list[_Work] = []

    @contextmanager
    def task(self, description: str, total: float | None) -> Iterator[Advance]:
        """Show one task; a :data:`Reporter`."""
        work = _Work(description, total)

        def advance(amount: float, /, note: str = "") -> None:
            work.done += amount
            work.note = note or work.note
            self._advanced()

        self._open.append(work)
        if len(self._open) == 1:
            self._begin()
        try:
            yield advance
        finally:
            self._open.remove(work)
            if not self._open:
                self._end()

    def _begin(self) -> None: ...
    def _advanced(self) -> None: ...
    def _end(self) -> None: ...


class ProgressLines(_Display):
    """Lines on the standard error stream, for pipes and files: one every ten seconds, with the time left."""

    every = 10.0
    _last = 0.0

    def _begin(self) -> None:
        self._last = monotonic()

    def _advanced(self) -> None:
        if monotonic() - self._last < self.every:
            return
        self._last = monotonic()
        under_way = list(self._open)
        note = next((one.note for one in reversed(under_way) if one.note), "")
        line = "; ".join(f"{one.name} {one.progress()}".rstrip() for one in under_way)
        print(f"lense: {line}" + (f" ({note})" if note else ""), file=sys.stderr, flush=True)


class ProgressBars(_Display):
    """Bars with the time left and the latest note, on the standard error stream, for tasks that last over two seconds.

    A task within a task stands indented below it. The display goes when no task is left.
    """

    delay = 2.0

    def _begin(self) -> None:
        self._over = Event()
        self._thread = Thread(target=self._show, args=(self._over,), daemon=True)
        self._thread.start()

    def _end(self) -> None:
        self._over.set()
        self._thread.join()

    def _show(self, over: Event) -> None:
        if over.wait(self.delay):
            return
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True)
        is_terminal = sys.stdout.isatty()  # results in a pipe or a file stay there
        options: dict[str, Any] = {"console": console, "transient": True, "redirect_stdout": is_terminal}
        with Live(get_renderable=lambda: self._bars(console.width), auto_refresh=False, **options) as live:
            while not over.wait(0.1):
                live.refresh()

    def _bars(self, width: int) -> "Table":
        """Where the terminal is narrow, first the bar gets shorter, then the end of the note is left out."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 1))
        for is_fixed in (True, True, True, False):
            table.add_column(no_wrap=is_fixed)
        for depth, work in enumerate(list(self._open)):
            if monotonic() - work.begun >= self.delay:
                bar = ProgressBar(work.total, work.done, min(max(10, width - 80), 40), pulse=work.total is None)
                note = Text(work.note, no_wrap=True, overflow="ellipsis")
                table.add_row(Text("  " * depth + work.name), bar, work.progress(), note)
        return table


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
