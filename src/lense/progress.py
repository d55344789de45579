"""Progress of long work, reported to a listener.

The library calls :func:`progress` around anything that may take long. Nothing is shown until a
reporter is installed with :func:`reporting_to`, as the command line does.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Protocol


class Advance(Protocol):
    """Called with the ``amount`` of work just done, and if there is something to say with a ``note`` such as
    "loss 0.23, distance 0.31", which stands until the next one.
    """

    def __call__(self, amount: float, /, note: str = "") -> None: ...


Reporter = Callable[[str, float | None], AbstractContextManager[Advance]]


def _ignore(_amount: float, /, note: str = "") -> None:
    return None


def _silent(_description: str, _total: float | None) -> AbstractContextManager[Advance]:
    return nullcontext(_ignore)


_reporter: ContextVar[Reporter] = ContextVar("lense_progress_reporter", default=_silent)


def progress(description: str, total: float | None = None) -> AbstractContextManager[Advance]:
    """Context whose value is an :class:`Advance`; ``total`` is None when unknown. Tasks may be nested."""
    return _reporter.get()(description, total)


@contextmanager
def reporting_to(reporter: Reporter) -> Iterator[None]:
    """Send the progress of everything inside the context to ``reporter``."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)
