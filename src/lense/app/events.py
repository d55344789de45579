"""What a job says while it runs: lines of JSON on a pipe, which the server makes stages of."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Any, TextIO

from lense._util.progress import Advance

_LEAST_SECONDS = 0.1
"""Between two lines about the same stage."""


class Events:
    """Writes events; ``task`` is a ``lense._util.progress.Reporter``."""

    def __init__(self, out: TextIO) -> None:
        self._out, self._lock = out, Lock()
        self._last_id, self._depth = 0, 0

    def send(self, **event: Any) -> None:
        """One line."""
        with self._lock:
            self._out.write(json.dumps(event, allow_nan=False) + "\n")
            self._out.flush()

    @contextmanager
    def task(self, description: str, total: float | None) -> Iterator[Advance]:
        """A stage: where it begins, how far it is, where it ends."""
        self._last_id += 1
        number, done, latest, said = self._last_id, 0.0, "", monotonic()
        self.send(begin=number, name=description, total=total, depth=self._depth)

        def advance(amount: float, /, note: str = "") -> None:
            nonlocal done, latest, said
            done, latest = done + amount, note or latest
            if monotonic() - said >= _LEAST_SECONDS:
                said = monotonic()
                self.send(at=number, done=done, note=latest)

        self._depth += 1
        try:
            yield advance
        finally:
            self._depth -= 1
            self.send(end=number)

    @contextmanager
    def stage(self, name: str, seconds: float | None = None) -> Iterator[None]:
        """A stage that is expected to take so many seconds, if that is known."""
        self._last_id += 1
        number = self._last_id
        self.send(begin=number, name=name, total=None, depth=self._depth, seconds=seconds)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            self.send(end=number)
