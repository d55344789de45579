"""The versions and the machine of a run, its optional packages and its devices."""

import platform
import shutil
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lense._util.threads import available_cores, num_threads
from lense.errors import LenseError, choose

DEVICES = ("cpu", "cuda", "auto")
"""Where torch may run; "auto" takes a GPU if there is one."""
LEARN = ("torch", "torch_geometric", "sklearn")
"""The modules that training LeNSE and the pruners with neural networks need."""
_PACKAGES = ("lense", "torch", "torch_geometric", "numpy", "numba")
_DRIVERS = ("/dev/nvidiactl", "/dev/nvmap", "/dev/dxg", "/dev/kfd")
_INSTALL = "pip install 'lense[learn]'"


def environment() -> dict[str, Any]:
    """Return the versions and the machine of this run; a GPU counts only where torch is loaded."""
    torch, versions = sys.modules.get("torch"), {"python": platform.python_version()}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):  # of the packages that are installed
            versions[name] = version(name)
    return {
        "versions": versions,
        "machine": {
            "platform": f"{platform.system()} on {platform.machine()}",
            "cores": available_cores(),
            "threads": num_threads(),
            "gpu": torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else None,
        },
    }


def has_learn() -> bool:
    """Whether the extra ``learn`` is installed; nothing is imported."""
    return all(find_spec(name) is not None for name in LEARN)


def need_learn(who: str) -> None:
    """Raise unless the extra ``learn`` is installed."""
    missing = [name for name in LEARN if find_spec(name) is None]
    if missing:
        raise LenseError(f"{who} needs {missing[0]}, which a plain install leaves out: {_INSTALL}.")


def sentence_for(error: ImportError) -> str | None:
    """What to say of a module that could not be imported, if it is one of those of the extra."""
    module = (error.name or "").partition(".")[0]
    return f"This needs {module}, which a plain install leaves out: {_INSTALL}." if module in LEARN else None


def may_have_gpu() -> bool:
    """Whether there is a driver for a GPU; known without torch, which takes seconds to import."""
    return shutil.which("nvidia-smi") is not None or any(Path(driver).exists() for driver in _DRIVERS)


def device_type(name: str) -> str:
    """What a device called "cpu", "cuda" or "auto" is here, "cpu" or "cuda"; without torch "auto" is "cpu"."""
    choose(name, dict.fromkeys(DEVICES), "device")
    if name == "cpu" or (name == "auto" and (find_spec("torch") is None or not may_have_gpu())):
        return "cpu"
    if name == "cuda":
        need_learn("The device cuda")
    import torch

    if name == "cuda" and not torch.cuda.is_available():
        raise LenseError("There is no CUDA device here: take the device cpu, or auto.")
    return "cuda" if torch.cuda.is_available() else "cpu"
