"""The models that come with the package: one for each problem and each of several graphs, named ``wiki-mvc``."""

from importlib.resources import as_file, files
from typing import Any

from lense.files import read_json
from lense.problems import Problem
from lense.pruners.lense import LeNSE
from lense.pruners.model_files import is_model, read_config
from lense.pruners.registry import load

DEFAULTS = {"mvc": "facebook-mvc", "bmc": "deezer-bmc", "im": "deezer-im"}
"""The models taken where none is named; docs/method.md tells how they and others do on graphs of other kinds."""


def shipped_model(problem: Problem, device: str = "cpu") -> LeNSE | None:
    """The model shipped for ``problem``, or None where there is none, as for a problem of the user's."""
    return named_model(DEFAULTS.get(problem.name, ""), problem, device)


def named_model(name: str, problem: Problem | None = None, device: str = "cpu") -> LeNSE | None:
    """The model that ships under ``name``, or None if there is no such model."""
    with as_file(files("lense") / "models") as folder:
        if name not in _names(folder):
            return None
        model: LeNSE = load(folder / name, problem=problem, device=device)
        return model


def shipped_models() -> list[dict[str, Any]]:
    """What each model that ships was trained for, by their names."""
    with as_file(files("lense") / "models") as folder:
        return [
            _told(name, read_config(folder / name), read_json(folder / name / "report.json")) for name in _names(folder)
        ]


def _names(folder: Any) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if is_model(path))


def _told(name: str, config: dict[str, Any], report: dict[str, Any]) -> dict[str, Any]:
    """Walks take ``steps``, and on graphs much denser than the train graph the ``longest``."""
    trained_on, settings, walks = config["trained_on"], config["settings"], report["navigator"]
    source = trained_on["source"]
    graph = source.get("graph") if isinstance(source, dict) else source
    return {
        "name": name,
        "problem": config["problem"],
        "is_default": name in DEFAULTS.values(),
        "trained on": f"{graph}, {trained_on['edges']:,} edges",
        "train_edges": trained_on["edges"],
        "train_ratio": walks["ratio"],
        "budget": config["budget"],
        "seed": config["seed"],
        "roots": settings["roots"],
        "steps": settings["test_steps"],
        "longest": walks.get("longest", settings["test_steps"]),
    }
