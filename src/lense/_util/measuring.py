"""Measure the time and the memory that work takes, and average what was measured."""

import ctypes
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple, Self

import numpy as np

from lense._util.jit import compiling_seconds
from lense._util.types import AnyArray

_STATUS = Path("/proc/self/status")
_REFERENCES = Path("/proc/self/clear_refs")
"""Where Linux forgets the peak of a process that writes a 5."""


class Stopwatch:
    """``with Stopwatch() as watch: work()``, then ``watch.seconds``: what a second run would take.

    The first call of a kernel compiles it; numba reports that time, and it is subtracted. ``cpu`` are the CPU seconds
    of all threads and of child processes that have ended, which do not depend on what else the machine does.
    """

    def __enter__(self) -> Self:
        self._compiled, self._start, self._cpu = compiling_seconds(), perf_counter(), cpu_seconds()
        return self

    def __exit__(self, *_error: object) -> None:
        elapsed, used = perf_counter() - self._start, cpu_seconds() - self._cpu
        compiling = compiling_seconds() - self._compiled
        self.seconds, self.cpu = elapsed - compiling, max(used - compiling, 0.0)


def cpu_seconds() -> float:
    """The CPU seconds of this process so far, and of its children that have ended."""
    children = os.times()
    return process_time() + children.children_user + children.children_system


def highest_memory() -> int:
    """The most bytes that this process has had in memory, since its start or since the peak was last forgotten."""
    if _STATUS.exists():
        # not ru_maxrss, into which Linux counts what the parent held when it started this process
        return _status("VmHWM")
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class PeakMemory:
    """``with PeakMemory() as peak: work()``, then ``peak.bytes``: what the work held at once beyond what was there.

    Memory of a GPU counts too where torch has used one. Outside Linux a process knows only the peak of its whole life,
    and ``bytes`` says how far the work raised it.
    """

    bytes: int

    def __enter__(self) -> Self:
        gc.collect()
        _return_free_memory()
        self._before = _forget_peak()
        self._gpu_before = _gpu_memory(reset=True)
        return self

    def __exit__(self, *_error: object) -> None:
        self.bytes = max(0, highest_memory() - self._before) + max(0, _gpu_memory() - self._gpu_before)


def _forget_peak() -> int:
    """Let the peak be what is held now, if the system can; the bytes to count from."""
    try:
        _REFERENCES.write_text("5", encoding="utf-8")
    except OSError:
        return highest_memory()
    return _status("VmRSS")


def _return_free_memory() -> None:
    """Let the allocator return free memory to the system, which it would otherwise use again unnoticed."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def _status(name: str) -> int:
    line = next(line for line in _STATUS.read_text(encoding="utf-8").splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024


def _gpu_memory(*, reset: bool = False) -> int:
    """The most bytes that torch has had on the GPU, or those that it has now and counts from after a ``reset``."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return 0
    if reset:
        torch.cuda.reset_peak_memory_stats()
    return int(torch.cuda.max_memory_allocated())


def standard_error(values: Sequence[float] | AnyArray) -> float | None:
    """s / sqrt(N) with s the sample's standard deviation; None for a single value, which has none."""
    array = np.asarray(values, np.float64)
    return float(array.std(ddof=1) / np.sqrt(array.size)) if array.size > 1 else None


def undominated(points: Sequence[tuple[float, ...]]) -> list[bool]:
    """Whether each of the points is on the front: no other is as large in every coordinate."""
    return [
        not any(other != point and all(a >= b for a, b in zip(other, point, strict=True)) for other in points)
        for point in points
    ]


class Mean(NamedTuple):
    """A mean over seeds of means over starts with its standard error, each None where there is none."""

    value: float | None = None
    stderr: float | None = None

    @classmethod
    def of(cls, by_seed: Sequence[Sequence[float]]) -> "Mean":
        """The standard error is that over the seeds, or over the starts if there is but one seed."""
        if not by_seed:
            return cls()
        means = np.array([np.mean(values) for values in by_seed])
        return cls(float(means.mean()), standard_error(means if means.size > 1 else np.array(by_seed[0])))
