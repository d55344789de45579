"""Pruning as a transform of PyTorch Geometric, to stand in a ``Compose`` or before a loader."""

from typing import Any

from lense._util.environment import need_learn
from lense.problems import Problem

need_learn("lense.transforms")

from torch_geometric.data import Data  # noqa: E402 (what is missing is said first)
from torch_geometric.transforms import BaseTransform  # noqa: E402


class Prune(BaseTransform):  # type: ignore[misc]  # torch_geometric has no types
    """From a ``Data`` to the part of it that a heuristic needs: ``Compose([Prune("mvc", budget=100), ...])``.

    The arguments are those of :func:`lense.prune`. Node and edge attributes are cut down to the vertices and edges that
    are kept; ``labels`` (vertices) has their rows in what was given, unless that has labels of its own. With
    ``pruner`` a fitted pruner, or the folder of a model, prunes instead of the core.
    """

    def __init__(
        self,
        problem: str | Problem | type[Problem] = "mvc",
        budget: float = 100,
        **options: Any,
    ) -> None:
        self.problem, self.budget, self.options = problem, budget, options

    def forward(self, data: Data) -> Data:
        from lense.solving import prune

        return prune(data, self.problem, self.budget, **self.options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(problem={self.problem!r}, budget={self.budget:g})"
