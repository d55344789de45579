"""The versions and the machine that a result comes from."""

import platform
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from lense._util.threads import available_cores, num_threads

_PACKAGES = ("lense", "torch", "torch_geometric", "numpy", "numba")


def circumstances() -> dict[str, Any]:
    """Versions and machine of this run; a GPU counts only where torch is loaded."""
    torch = sys.modules.get("torch")
    return {
        "versions": {"python": platform.python_version(), **_versions()},
        "machine": {
            "platform": f"{platform.system()} on {platform.machine()}",
            "cores": available_cores(),
            "threads": num_threads(),
            "gpu": torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else None,
        },
    }


def _versions() -> dict[str, str]:
    """Of the packages that are installed."""
    found = {}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
