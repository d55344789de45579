"""Time that work took, without compilation."""

from pathlib import Path
from time import perf_counter
from typing import Self

from numba.core import event

_COMPILING = "numba:compile"
_SCHEDULER = Path("/proc/thread-self/schedstat")
"""Where Linux counts, for a thread: nanoseconds that it ran, nanoseconds that it waited for a processor, and turns."""


class Stopwatch:
    """``with Stopwatch() as watch: work()``, then ``watch.seconds``: what a second run would take.

    The first call of a kernel compiles it; numba reports that time, and it is subtracted. ``undisturbed`` is also
    without the time in which other programs had the processor, where the system counts that and nothing was compiled:
    some of it may have passed while compiling.
    """

    def __enter__(self) -> Self:
        self._compiler = event.TimingListener()  # type: ignore[no-untyped-call]
        event.register(_COMPILING, self._compiler)  # type: ignore[no-untyped-call]
        self._start = perf_counter()
        self._delay = _delay()  # within the time that is measured, as below, so that it is never longer than that
        return self

    def __exit__(self, *_error: object) -> None:
        delay = _delay() - self._delay
        elapsed = perf_counter() - self._start
        event.unregister(_COMPILING, self._compiler)  # type: ignore[no-untyped-call]
        self.seconds = elapsed - (self._compiler.duration if self._compiler.done else 0.0)
        self.undisturbed = self.seconds if self._compiler.done else elapsed - delay


def _delay() -> float:
    """Seconds that this thread has waited for a processor so far; 0 where nobody counts them."""
    try:
        return int(_SCHEDULER.read_text(encoding="utf-8").split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0
