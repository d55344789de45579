"""Time that work took, without compilation."""

from time import perf_counter
from typing import Self

from numba.core import event

_COMPILING = "numba:compile"


class Stopwatch:
    """``with Stopwatch() as watch: work()``, then ``watch.seconds``: what a second run would take.

    The first call of a kernel compiles it; numba reports that time, and it is subtracted.
    """

    def __enter__(self) -> Self:
        self._compiler = event.TimingListener()  # type: ignore[no-untyped-call]
        event.register(_COMPILING, self._compiler)  # type: ignore[no-untyped-call]
        self._start = perf_counter()
        return self

    def __exit__(self, *_error: object) -> None:
        elapsed = perf_counter() - self._start
        event.unregister(_COMPILING, self._compiler)  # type: ignore[no-untyped-call]
        self.seconds = elapsed - (self._compiler.duration if self._compiler.done else 0.0)
