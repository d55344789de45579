"""Figures of the paper (Ireland and Montana, ICML 2022): its hyper-parameters and its results, in ``paper.toml``."""

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Any, NamedTuple


class Hyperparameters(NamedTuple):
    """One row of the table in the appendix on architectures, under the names of ``Settings``."""

    roots: int
    samples_per_class: int
    vertex_dim: int
    embedding_dim: int
    train_steps: int
    episodes: int
    guidance: float
    update_every: int
    reward_scale: float
    test_steps: int


class Result(NamedTuple):
    """A row of the paper's table 1; shares of vertices and edges pruned. Only LeNSE has a standard error."""

    ratio: float
    ratio_stderr: float | None
    vertices_pruned: float
    edges_pruned: float


BUDGET = 100
CUTOFFS = (0.95, 0.8, 0.6)
PAPER_CHOICES: Mapping[str, Any] = MappingProxyType(
    {
        "ranks": False,
        "shaped": False,
        "corrects_ranks": False,
        "sees_subgraph": True,
        "keep": "last",
    }
)
"""What the paper chose where this package departs from it, by the names of the settings."""
_PAPER = tomllib.loads(files("lense").joinpath("paper.toml").read_text(encoding="utf-8"))


def _rows(table: Mapping[str, Mapping[str, list[Any]]]) -> Iterator[tuple[tuple[str, str], list[Any]]]:
    """Problem and graph of each row, and its figures."""
    return (((problem, graph), row) for problem, graphs in table.items() for graph, row in graphs.items())


HYPERPARAMETERS = {key: Hyperparameters(*row) for key, row in _rows(_PAPER["hyperparameters"])}
RESULTS = {key: Result(*row) for key, row in _rows(_PAPER["results"]["lense"])}
COMPARED = tuple(_PAPER["results"])
"""The pruners of table 1."""
RIVALS = {
    (*key, pruner): Result(row[0], None, *row[1:])
    for pruner, table in _PAPER["results"].items()
    if pruner != "lense"
    for key, row in _rows(table)
}
"""The other pruners of that table, by problem, graph and name."""
BUDGETS = (1, 10, 25, 50, 75, 100)
MULTI_BUDGET: dict[tuple[str, str], tuple[float, ...]] = {key: tuple(row) for key, row in _rows(_PAPER["budgets"])}
"""LeNSE's ratios for each of these budgets on the subgraphs found for the last of them, to two digits."""
LOSSES = ("infonce", "cross-entropy", "ordinal")
LOSS_RATIOS = {key: dict(zip(LOSSES, row, strict=True)) for key, row in _rows(_PAPER["losses"])}
"""LeNSE's ratios with each loss of the encoder."""

STUDY_PROBLEMS = ("domination", "bmc", "im")
"""What the studies of later pruners call cover, cut and im; their im has p = 0.01 everywhere."""
PUBLISHED: Mapping[str, list[tuple[float, float]]] = _PAPER["study"]["shares"]
"""Ratio and share of vertices pruned, as ground sets, for each of those problems.

They are means over eight graphs at k = 100 in the study of QuickPrune's authors (arXiv 2410.17945).
"""
PUBLISHED_C: Mapping[str, list[float]] = _PAPER["study"]["c"]
"""C, ratio times share pruned, in the same study. The last two are products of the means above."""


def published(problem: str, graph: str | None, pruner: str) -> Result | None:
    """Return the paper's row of table 1, if there is one.

    Parameters
    ----------
    problem, graph, pruner
        Their names; the graph is None for one that the paper does not have.
    """
    if graph is None:
        return None
    return RESULTS.get((problem, graph)) if pruner == "lense" else RIVALS.get((problem, graph, pruner))
