"""What work holds at once, beyond what was there before."""

import ctypes
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lense._util import memory
from lense._util.memory import PeakMemory, highest_memory
from tests.skips import NO_RESOURCE

MIB = 2**20


def bytes_held(peak: PeakMemory) -> int:
    assert peak.bytes is not None
    return peak.bytes


def test_what_was_held_and_given_back_counts() -> None:
    with PeakMemory() as peak:
        np.ones(8 * MIB)
    assert 60 * MIB < bytes_held(peak) < 100 * MIB


def test_what_was_there_before_does_not_count() -> None:
    kept = np.ones(8 * MIB)
    with PeakMemory() as peak:
        assert kept[0] == 1
    assert bytes_held(peak) < 8 * MIB


def test_memory_used_a_second_time_counts_again() -> None:
    for _ in range(2):
        with PeakMemory() as peak:
            np.ones(8 * MIB)
        assert bytes_held(peak) > 60 * MIB


UNFORGETTABLE = """
from pathlib import Path
from lense._util import memory
memory._REFERENCES = Path("/no/such/file")
with memory.PeakMemory() as peak:
    bytearray(memory.highest_memory())
print(peak.bytes)
"""


def test_where_the_system_cannot_forget_the_peak_what_raised_it_counts() -> None:
    """In a fresh process, whose peak so far is small."""
    ran = subprocess.run([sys.executable, "-c", UNFORGETTABLE], capture_output=True, text=True, check=True)
    assert int(ran.stdout) > 0


def no_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_STATUS", "_REFERENCES"):
        monkeypatch.setattr(memory, name, Path("/no/such/file"))


@pytest.mark.skipif(sys.platform == "win32", reason=NO_RESOURCE)
def test_without_proc_the_module_resource_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    no_proc(monkeypatch)
    highest = highest_memory()
    assert highest is not None
    assert highest > 10 * MIB


def test_windows_is_asked_for_the_peak_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def answer(process: ctypes.c_void_p, counters: Any, size: int) -> int:
        asked.append((process.value, size))
        counters._obj.peak_working_set = 123 * MIB
        return 1

    no_proc(monkeypatch)
    kernel = SimpleNamespace(K32GetProcessMemoryInfo=answer)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel), raising=False)
    assert highest_memory() == 123 * MIB
    word = ctypes.sizeof(ctypes.c_size_t)
    assert asked == [(ctypes.c_void_p(-1).value, 8 + 8 * word)]
    kernel.K32GetProcessMemoryInfo = lambda *_: 0
    assert highest_memory() is None


def test_where_nothing_is_known_the_bytes_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    no_proc(monkeypatch)
    monkeypatch.setitem(sys.modules, "resource", None)
    assert highest_memory() is None
    with PeakMemory() as peak:
        np.ones(MIB)
    assert peak.bytes is None


def test_comparing_and_reproducing_import_without_the_module_resource() -> None:
    # psutil, which torch_geometric imports, needs that module on Linux and has another one on Windows
    without = "import sys, torch_geometric; sys.modules['resource'] = None"
    script = f"{without}; import lense.experiments.compare, lense.cli.reproduce"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
