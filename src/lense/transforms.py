"""Pruning as a PyTorch Geometric transform."""

from typing import Any

from lense._util.environment import need_learn
from lense.problems import Problem

need_learn("lense.transforms")

from torch_geometric.data import Data  # noqa: E402 (what is missing is said first)
from torch_geometric.transforms import BaseTransform  # noqa: E402


class Prune(BaseTransform):  # type: ignore[misc]  # torch_geometric has no types
    """Keep the part of a ``Data`` object that a heuristic needs, as in ``Compose([Prune("mvc", budget=100), ...])``.

    Node and edge attributes are kept for the vertices and edges that stay. ``labels`` (vertices) holds each vertex's
    row in the input, unless the input has ``labels``.

    Parameters
    ----------
    problem, budget
        As in :func:`lense.prune`.
    **options
        Other arguments of :func:`lense.prune`. ``pruner`` replaces the core by a fitted pruner or a model folder.
    """

    def __init__(self, problem: str | Problem | type[Problem] = "mvc", budget: float = 100, **options: Any) -> None:
        self.problem, self.budget, self.options = problem, budget, options

    def forward(self, data: Data) -> Data:
        """Return the part of ``data`` that is kept.

        Parameters
        ----------
        data
            A graph of PyTorch Geometric.
        """
        from lense.solving import prune

        return prune(data, self.problem, self.budget, **self.options)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(problem={self.problem!r}, budget={self.budget:g})"
