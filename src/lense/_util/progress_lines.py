"""Progress as lines, for pipes and files: one each ten seconds, with the time left."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic

from lense._util.formatting import duration
from lense._util.progress import Advance


@dataclass
class _Task:
    name: str
    total: float | None
    begun: float = field(default_factory=monotonic)
    done: float = 0.0
    note: str = ""

    def __str__(self) -> str:
        if not self.total:
            return self.name
        share = min(self.done / self.total, 1.0)
        left = (monotonic() - self.begun) * (1 / share - 1) if share > 0 else None
        return f"{self.name} {share:.0%}" + ("" if left is None else f", about {duration(left, 2)} left")


class ProgressLines:
    """Lines on the standard error stream for work that lasts ten seconds or more, written as it advances."""

    every = 10.0

    def __init__(self) -> None:
        self._tasks: list[_Task] = []
        self._last = 0.0

    @contextmanager
    def task(self, description: str, total: float | None) -> Iterator[Advance]:
        """One task; a ``lense._util.progress.Reporter``."""
        if not self._tasks:
            self._last = monotonic()
        task = _Task(description, total)

        def advance(amount: float, /, note: str = "") -> None:
            task.done += amount
            task.note = note or task.note
            is_done = task is self._tasks[0] and total is not None and task.done >= total
            if not is_done and monotonic() - self._last >= self.every:
                self._last = monotonic()
                self._say()

        self._tasks.append(task)
        try:
            yield advance
        finally:
            self._tasks.remove(task)

    def _say(self) -> None:
        tasks = list(self._tasks)
        note = next((task.note for task in reversed(tasks) if task.note), "")
        line = "; ".join(map(str, tasks)) + (f" ({note})" if note else "")
        print(f"lense: {line}", file=sys.stderr, flush=True)
