"""``lense versions``: what a bug report needs."""

import os
import platform
from importlib.util import find_spec

from lense._util.environment import may_have_gpu
from lense.cli.options import Running, grouped
from lense.cli.session import print_facts, print_json

PACKAGES = (
    "lense",
    "numpy",
    "scipy",
    "numba",
    "highspy",
    "pyarrow",
    "torch",
    "torch_geometric",
    "joblib",
    "typer",
    "rich",
)


@grouped(without=("seed", "threads", "quiet", "verbose"))
def versions(running: Running) -> None:
    """Print the versions and the machine, for a bug report."""
    from importlib.metadata import PackageNotFoundError, version

    from lense._util.files import cache_folder
    from lense._util.threads import available_cores

    facts = {"python": platform.python_version(), "platform": platform.platform()}
    facts["cores"] = str(available_cores())
    for package in PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "not installed"
    facts["gpu"] = _gpu()
    facts["LENSE_DATA"] = os.environ.get("LENSE_DATA", "not set")
    facts["cache"] = str(cache_folder())
    if running.as_json:
        print_json(facts)
    else:
        print_facts("Versions", facts)


def _gpu() -> str:
    if not may_have_gpu():
        return "none"
    if not find_spec("torch"):
        return "not known without torch"
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
