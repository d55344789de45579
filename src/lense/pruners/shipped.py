"""The models that come with the package, one for each of its problems."""

from importlib.resources import as_file, files

from lense.problems import Problem
from lense.pruners.lense import LeNSE
from lense.pruners.registry import load


def shipped_model(problem: Problem, device: str = "cpu") -> LeNSE | None:
    """The model shipped for ``problem``, or None where there is none, as for a problem of the user's."""
    folder = files("lense") / "models" / problem.name
    if not folder.is_dir():
        return None
    with as_file(folder) as path:
        model: LeNSE = load(path, problem=problem, device=device)
        return model
