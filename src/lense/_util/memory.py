"""The most memory that work takes."""

import ctypes
import gc
import sys
from pathlib import Path
from typing import Any, Self

_STATUS = Path("/proc/self/status")
_REFERENCES = Path("/proc/self/clear_refs")
_FORGET_PEAK = "5"


def highest_memory() -> int | None:
    """The most bytes that this process has had in memory, since its start or since the peak was last forgotten.

    None where the system does not say.
    """
    if _STATUS.exists():
        # not ru_maxrss, into which Linux counts what the parent held when it started this process
        return _status("VmHWM")
    windows = getattr(ctypes, "windll", None)
    return _resource_peak() if windows is None else _windows_peak(windows)


def resident_memory() -> int:
    """The bytes that this process has in memory now; the most it ever had where the system says no more."""
    return _status("VmRSS") if _STATUS.exists() else highest_memory() or 0


class PeakMemory:
    """``with PeakMemory() as peak: work()``, then ``peak.bytes``: what the work held at once beyond what was there.

    Memory of a GPU counts too where torch has used one. Outside Linux a process knows only the peak of its whole life,
    and ``bytes`` says how far the work raised it. It is None where the system says nothing.
    """

    bytes: int | None

    def __enter__(self) -> Self:
        gc.collect()
        _give_back_free_memory()
        self._before = _forget_peak()
        self._gpu_before = _reset_gpu_peak()
        return self

    def __exit__(self, *_error: object) -> None:
        highest = highest_memory()
        if highest is None or self._before is None:
            self.bytes = None
        else:
            self.bytes = max(0, highest - self._before) + max(0, _gpu_peak() - self._gpu_before)


def _forget_peak() -> int | None:
    """Let the peak be what is held now, if the system can; the bytes to count from."""
    try:
        _REFERENCES.write_text(_FORGET_PEAK, encoding="utf-8")
    except OSError:
        return highest_memory()
    return _status("VmRSS")


def _give_back_free_memory() -> None:
    """Let the allocator hand free memory to the system, which it would otherwise use again unnoticed."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def _resource_peak() -> int | None:
    try:
        import resource
    except ModuleNotFoundError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class _MemoryCounters(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS of Windows, of which the peak working set is read."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("page_faults", ctypes.c_uint32),
        ("peak_working_set", ctypes.c_size_t),
        ("others", ctypes.c_size_t * 7),
    )


def _windows_peak(windows: Any) -> int | None:
    counters = _MemoryCounters(size=ctypes.sizeof(_MemoryCounters))
    this_process = ctypes.c_void_p(-1)
    known = windows.kernel32.K32GetProcessMemoryInfo(this_process, ctypes.byref(counters), counters.size)
    return int(counters.peak_working_set) if known else None


def _status(name: str) -> int:
    line = next(line for line in _STATUS.read_text(encoding="utf-8").splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024


def _reset_gpu_peak() -> int:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return 0
    torch.cuda.reset_peak_memory_stats()
    return int(torch.cuda.memory_allocated())


def _gpu_peak() -> int:
    torch = sys.modules.get("torch")
    return 0 if torch is None or not torch.cuda.is_initialized() else int(torch.cuda.max_memory_allocated())
