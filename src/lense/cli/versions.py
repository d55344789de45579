"""``lense versions``: what a bug report needs."""

import os
import platform

from lense.cli.session import Json, print_facts, print_json

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


def versions(as_json: Json = False) -> None:
    """Print the versions and the machine, for a bug report."""
    from importlib.metadata import PackageNotFoundError, version

    from lense.graph.datasets import cache_folder
    from lense.threads import available_cores

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
    if as_json:
        print_json(facts)
    else:
        print_facts("Versions", facts)


def _gpu() -> str:
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
