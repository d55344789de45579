"""Progress of long work, reported to a listener.

The library calls :func:`progress` around anything that may take long. Unless :func:`reporting_to` names a listener, a
terminal or a notebook shows bars after two seconds, and a pipe gets a line each ten seconds. ``LENSE_PROGRESS=0`` in
the environment, or ``with reporting_to(silent)``, shows nothing. Processes that the library starts show nothing.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from multiprocessing import parent_process
from typing import Protocol

from lense.errors import printable


class Advance(Protocol):
    """Called with the ``amount`` of work just done, and if there is something to say with a ``note`` such as
    "loss 0.23, distance 0.31", which stands until the next one.
    """

    def __call__(self, amount: float, /, note: str = "") -> None: ...


Reporter = Callable[[str, float | None], AbstractContextManager[Advance]]
announcing = {"compiling": False}
"""Whether a line says that kernels are being compiled: a first command at a terminal would seem to hang."""


def _ignore(_amount: float, /, note: str = "") -> None:
    return None


def silent(_description: str, _total: float | None) -> AbstractContextManager[Advance]:
    """A reporter that shows nothing."""
    return nullcontext(_ignore)


def _by_surroundings(description: str, total: float | None) -> AbstractContextManager[Advance]:
    """What suits whoever called the library and named no reporter."""
    if os.environ.get("LENSE_PROGRESS") == "0" or parent_process() is not None or sys.stderr is None:
        return silent(description, total)
    is_notebook = "ipykernel" in sys.modules
    shows_bars = find_spec("ipywidgets") is not None if is_notebook else sys.stderr.isatty()
    return (_bars() if shows_bars else _lines())(description, total)


@cache
def _bars() -> Reporter:
    from lense._util.progress_bars import ProgressBars  # which know of this module

    return ProgressBars(stays=False).task


@cache
def _lines() -> Reporter:
    from lense._util.progress_lines import ProgressLines

    return ProgressLines().task


_reporter: ContextVar[Reporter] = ContextVar("lense_progress_reporter", default=_by_surroundings)


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
