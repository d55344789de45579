"""The models that come with the package: one for each problem and each of several graphs, named ``wiki-mvc``."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lense.files import read_json
from lense.problems import Problem
from lense.pruners.model_files import SHIPPED, read_config, shipped_folders
from lense.pruners.registry import load

if TYPE_CHECKING:
    from lense.pruners.lense import LeNSE

DEFAULTS = {"mvc": "facebook-mvc", "bmc": "deezer-bmc", "im": "deezer-im"}
"""The models taken where none is named; ``python -m benchmarks.shipped`` shows how they and others do elsewhere."""


def shipped_model(problem: Problem, device: str = "cpu") -> "LeNSE | None":
    """The model shipped for ``problem``, or None where there is none, as for a problem of the user's."""
    name = DEFAULTS.get(problem.name)
    return None if name is None else load(SHIPPED / name, problem=problem, device=device)


def shipped_models() -> list[dict[str, Any]]:
    """What each model that ships was trained for, in the order of their names."""
    return [
        _described(folder.name, read_config(folder), read_json(folder / "report.json")) for folder in shipped_folders()
    ]


def _described(name: str, config: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, Any]:
    """Walks take ``steps``, and on graphs much denser than the train graph the ``longest``."""
    trained_on, walks = config["trained_on"], config["walks"]
    source = trained_on["source"]
    graph = source.get("graph") if isinstance(source, dict) else source
    return {
        "name": name,
        "problem": config["problem"],
        "is_default": name in DEFAULTS.values(),
        "trained on": f"{graph}, {trained_on['edges']:,} edges",
        "train_edges": trained_on["edges"],
        "train_ratio": report["navigator"]["ratio"],
        "budget": config["budget"],
        "seed": config["params"]["seed"],
        "roots": walks["roots"],
        "steps": walks["steps"],
        "longest": walks["longest"],
    }
