"""The models that come with the package, one for each of its problems."""

from importlib.resources import as_file, files
from typing import Any

from lense.problems import Problem
from lense.pruners.lense import LeNSE
from lense.pruners.model_files import is_model, read_config
from lense.pruners.registry import load


def shipped_model(problem: Problem, device: str = "cpu") -> LeNSE | None:
    """The model shipped for ``problem``, or None where there is none, as for a problem of the user's."""
    folder = files("lense") / "models" / problem.name
    if not folder.is_dir():
        return None
    with as_file(folder) as path:
        model: LeNSE = load(path, problem=problem, device=device)
        return model


def shipped_models() -> list[dict[str, Any]]:
    """What each model that ships was trained for, by the names of their folders."""
    with as_file(files("lense") / "models") as folder:
        return [_told(path.name, read_config(path)) for path in sorted(folder.iterdir()) if is_model(path)]


def _told(name: str, config: dict[str, Any]) -> dict[str, Any]:
    trained_on, settings = config["trained_on"], config["settings"]
    source = trained_on["source"]
    graph = source.get("graph") if isinstance(source, dict) else source
    return {
        "name": name,
        "problem": config["problem"],
        "trained on": f"{graph}, {trained_on['edges']:,} edges",
        "budget": config["budget"],
        "seed": config["seed"],
        "roots": settings["roots"],
        "steps": settings["test_steps"],
    }
