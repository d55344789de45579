"""Says that kernels are being compiled, which happens once on a machine: a first command would seem to hang."""

import sys
from time import monotonic
from typing import Any

_PATIENCE = 2.0
"""Seconds of compiling before it is said."""
_wanted = {"is": False}


def say_when_compiling(wanted: bool) -> None:
    """Whether a line says so on the standard error stream, from here on."""
    _wanted["is"] = wanted


def watch_compiling() -> None:
    """Look at what numba compiles from here on; what it finds compiled does not count."""
    from numba.core import event

    class Watch(event.Listener):
        seconds, depth, begun = 0.0, 0, 0.0

        def on_start(self, event: Any) -> None:
            if self.depth == 0:
                self.begun = monotonic()
            self.depth += 1
            if _wanted["is"] and self.seconds + monotonic() - self.begun >= _PATIENCE:
                _wanted["is"] = False
                print("lense: compiling for this machine, which is done once", file=sys.stderr)

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            if self.depth == 0:
                self.seconds += monotonic() - self.begun

    event.register("numba:compile", Watch())  # type: ignore[no-untyped-call]
