"""Figures of the paper (Ireland and Montana, ICML 2022): its hyper-parameters and its results."""

from collections.abc import Mapping
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
HYPERPARAMETERS: dict[tuple[str, str], Hyperparameters] = {
    ("mvc", "facebook"): Hyperparameters(300, 100, 30, 10, 2000, 10, 0, 20, 50, 2000),
    ("mvc", "wiki"): Hyperparameters(300, 100, 75, 25, 2000, 10, 0.1, 20, 3, 300),
    ("mvc", "deezer"): Hyperparameters(500, 200, 50, 10, 2000, 10, 0, 20, 15, 300),
    ("mvc", "slashdot"): Hyperparameters(500, 200, 30, 15, 2000, 10, 0.1, 20, 20, 300),
    ("mvc", "twitter"): Hyperparameters(1000, 100, 40, 10, 1500, 10, 0.1, 2, 20, 750),
    ("mvc", "dblp"): Hyperparameters(1000, 100, 40, 10, 1500, 10, 0.1, 2, 20, 1000),
    ("mvc", "youtube"): Hyperparameters(1250, 100, 75, 25, 1500, 10, 0.1, 2, 30, 500),
    ("mvc", "skitter"): Hyperparameters(750, 250, 75, 20, 1000, 10, 0.05, 2, 30, 500),
    ("bmc", "facebook"): Hyperparameters(300, 250, 40, 10, 2000, 10, 0.05, 20, 20, 2000),
    ("bmc", "wiki"): Hyperparameters(300, 250, 30, 10, 2000, 10, 0.05, 20, 25, 100),
    ("bmc", "deezer"): Hyperparameters(500, 250, 30, 10, 2000, 10, 0.05, 20, 50, 300),
    ("bmc", "slashdot"): Hyperparameters(500, 250, 30, 15, 2000, 10, 0.05, 20, 50, 300),
    ("bmc", "twitter"): Hyperparameters(1000, 100, 40, 10, 2000, 10, 0.5, 2, 20, 250),
    ("bmc", "dblp"): Hyperparameters(1000, 100, 30, 10, 2000, 10, 0.5, 2, 50, 1000),
    ("bmc", "youtube"): Hyperparameters(1000, 200, 75, 25, 1500, 10, 0.5, 2, 5, 400),
    ("bmc", "skitter"): Hyperparameters(750, 500, 75, 25, 1000, 10, 0.05, 2, 30, 500),
    ("im", "facebook"): Hyperparameters(300, 100, 30, 10, 5000, 10, 0, 20, 50, 5000),
    ("im", "wiki"): Hyperparameters(300, 100, 50, 15, 2000, 10, 0, 20, 50, 200),
    ("im", "deezer"): Hyperparameters(500, 100, 30, 10, 2000, 10, 0, 20, 15, 1500),
    ("im", "slashdot"): Hyperparameters(500, 100, 50, 10, 2000, 10, 0, 20, 15, 300),
    ("im", "twitter"): Hyperparameters(1000, 100, 40, 10, 1500, 10, 0.5, 2, 20, 400),
    ("im", "dblp"): Hyperparameters(1000, 100, 40, 10, 1500, 10, 0.5, 2, 20, 1000),
    ("im", "youtube"): Hyperparameters(750, 100, 75, 25, 1500, 10, 0.1, 2, 20, 500),
    ("im", "skitter"): Hyperparameters(750, 250, 75, 20, 500, 25, 0.05, 2, 10, 500),
    ("im", "talk"): Hyperparameters(750, 400, 75, 25, 500, 25, 0.1, 2, 10, 100),
}

RESULTS: dict[tuple[str, str], Result] = {
    ("mvc", "facebook"): Result(0.968, 0.009, 0.07, 0.73),
    ("mvc", "wiki"): Result(1.094, 0.000, 0.34, 0.51),
    ("mvc", "deezer"): Result(0.979, 0.002, 0.75, 0.94),
    ("mvc", "slashdot"): Result(0.979, 0.001, 0.69, 0.83),
    ("mvc", "twitter"): Result(0.989, 0.001, 0.33, 0.78),
    ("mvc", "dblp"): Result(0.990, 0.001, 0.9, 0.96),
    ("mvc", "youtube"): Result(0.982, 0.002, 0.79, 0.85),
    ("mvc", "skitter"): Result(0.976, 0.002, 0.7, 0.84),
    ("bmc", "facebook"): Result(0.960, 0.004, 0.07, 0.67),
    ("bmc", "wiki"): Result(0.981, 0.001, 0.39, 0.63),
    ("bmc", "deezer"): Result(0.975, 0.002, 0.74, 0.94),
    ("bmc", "slashdot"): Result(0.990, 0.001, 0.62, 0.79),
    ("bmc", "twitter"): Result(0.987, 0.001, 0.48, 0.87),
    ("bmc", "dblp"): Result(0.993, 0.000, 0.92, 0.97),
    ("bmc", "youtube"): Result(0.987, 0.001, 0.79, 0.84),
    ("bmc", "skitter"): Result(0.974, 0.004, 0.71, 0.83),
    ("im", "facebook"): Result(0.979, 0.002, 0.09, 0.7),
    ("im", "wiki"): Result(0.960, 0.002, 0.51, 0.71),
    ("im", "deezer"): Result(0.972, 0.003, 0.76, 0.94),
    ("im", "slashdot"): Result(0.966, 0.003, 0.77, 0.9),
    ("im", "twitter"): Result(0.966, 0.001, 0.4, 0.88),
    ("im", "dblp"): Result(0.969, 0.002, 0.89, 0.96),
    ("im", "youtube"): Result(0.971, 0.001, 0.75, 0.81),
    ("im", "skitter"): Result(0.983, 0.002, 0.78, 0.85),
}

RIVALS: dict[tuple[str, str, str], Result] = {
    ("mvc", "facebook", "gnn-r"): Result(0.998, None, 0.06, 0.02),
    ("mvc", "facebook", "gnn-t"): Result(0.607, None, 0.87, 0.77),
    ("mvc", "facebook", "gcomb-p"): Result(0.927, None, 0.07, 0.01),
    ("mvc", "wiki", "gnn-r"): Result(1.003, None, 0.34, 0.05),
    ("mvc", "wiki", "gnn-t"): Result(0.371, None, 0.93, 0.83),
    ("mvc", "wiki", "gcomb-p"): Result(0.990, None, 0.03, 0.03),
    ("mvc", "deezer", "gnn-r"): Result(0.944, None, 0.75, 0.66),
    ("mvc", "deezer", "gnn-t"): Result(0.768, None, 0.99, 0.99),
    ("mvc", "deezer", "gcomb-p"): Result(0.994, None, 0.13, 0.03),
    ("mvc", "slashdot", "gnn-r"): Result(0.944, None, 0.66, 0.3),
    ("mvc", "slashdot", "gnn-t"): Result(0.410, None, 0.99, 0.95),
    ("mvc", "slashdot", "gcomb-p"): Result(1.000, None, 0.02, 0.1),
    ("mvc", "twitter", "gnn-r"): Result(0.985, None, 0.32, 0.11),
    ("mvc", "twitter", "gnn-t"): Result(0.229, None, 0.99, 0.99),
    ("mvc", "twitter", "gcomb-p"): Result(0.997, None, 0.17, 0.02),
    ("mvc", "dblp", "gnn-r"): Result(0.812, None, 0.9, 0.8),
    ("mvc", "dblp", "gnn-t"): Result(0.764, None, 0.99, 0.99),
    ("mvc", "dblp", "gcomb-p"): Result(0.999, None, 0.03, 0.01),
    ("mvc", "youtube", "gnn-r"): Result(0.417, None, 0.78, 0.75),
    ("mvc", "youtube", "gnn-t"): Result(0.317, None, 0.99, 0.99),
    ("mvc", "youtube", "gcomb-p"): Result(0.998, None, 0.07, 0.03),
    ("mvc", "skitter", "gnn-r"): Result(0.494, None, 0.7, 0.69),
    ("mvc", "skitter", "gnn-t"): Result(0.424, None, 0.99, 0.99),
    ("mvc", "skitter", "gcomb-p"): Result(0.999, None, 0.1, 0.02),
    ("bmc", "facebook", "gnn-r"): Result(0.999, None, 0.08, 0.03),
    ("bmc", "facebook", "gnn-t"): Result(0.873, None, 0.89, 0.7),
    ("bmc", "facebook", "gcomb-p"): Result(0.813, None, 0.95, 0.89),
    ("bmc", "wiki", "gnn-r"): Result(0.997, None, 0.3, 0.12),
    ("bmc", "wiki", "gnn-t"): Result(0.877, None, 0.97, 0.96),
    ("bmc", "wiki", "gcomb-p"): Result(0.920, None, 0.96, 0.91),
    ("bmc", "deezer", "gnn-r"): Result(0.990, None, 0.68, 0.55),
    ("bmc", "deezer", "gnn-t"): Result(0.938, None, 0.94, 0.92),
    ("bmc", "deezer", "gcomb-p"): Result(0.850, None, 0.99, 0.99),
    ("bmc", "slashdot", "gnn-r"): Result(0.998, None, 0.58, 0.28),
    ("bmc", "slashdot", "gnn-t"): Result(0.561, None, 0.99, 0.98),
    ("bmc", "slashdot", "gcomb-p"): Result(0.632, None, 0.99, 0.99),
    ("bmc", "twitter", "gnn-r"): Result(0.991, None, 0.44, 0.25),
    ("bmc", "twitter", "gnn-t"): Result(0.820, None, 0.99, 0.99),
    ("bmc", "twitter", "gcomb-p"): Result(0.628, None, 0.99, 0.99),
    ("bmc", "dblp", "gnn-r"): Result(0.875, None, 0.92, 0.81),
    ("bmc", "dblp", "gnn-t"): Result(0.656, None, 0.99, 0.98),
    ("bmc", "dblp", "gcomb-p"): Result(0.646, None, 0.99, 0.98),
    ("bmc", "youtube", "gnn-r"): Result(0.613, None, 0.74, 0.74),
    ("bmc", "youtube", "gnn-t"): Result(0.753, None, 0.99, 0.99),
    ("bmc", "youtube", "gcomb-p"): Result(0.536, None, 0.99, 0.97),
    ("bmc", "skitter", "gnn-r"): Result(0.502, None, 0.71, 0.6),
    ("bmc", "skitter", "gnn-t"): Result(0.407, None, 0.99, 0.99),
    ("bmc", "skitter", "gcomb-p"): Result(0.427, None, 0.99, 0.99),
    ("im", "facebook", "gnn-r"): Result(1.006, None, 0.09, 0.06),
    ("im", "facebook", "gnn-t"): Result(0.886, None, 0.91, 0.88),
    ("im", "facebook", "gcomb-p"): Result(0.951, None, 0.73, 0.63),
    ("im", "wiki", "gnn-r"): Result(0.964, None, 0.49, 0.78),
    ("im", "wiki", "gnn-t"): Result(0.973, None, 0.96, 0.95),
    ("im", "wiki", "gcomb-p"): Result(0.969, None, 0.9, 0.81),
    ("im", "deezer", "gnn-r"): Result(0.935, None, 0.76, 0.86),
    ("im", "deezer", "gnn-t"): Result(0.775, None, 0.98, 0.99),
    ("im", "deezer", "gcomb-p"): Result(0.805, None, 0.95, 0.97),
    ("im", "slashdot", "gnn-r"): Result(0.966, None, 0.74, 0.71),
    ("im", "slashdot", "gnn-t"): Result(0.951, None, 0.98, 0.95),
    ("im", "slashdot", "gcomb-p"): Result(0.966, None, 0.98, 0.93),
    ("im", "twitter", "gnn-r"): Result(0.988, None, 0.26, 0.12),
    ("im", "twitter", "gnn-t"): Result(0.921, None, 0.98, 0.97),
    ("im", "twitter", "gcomb-p"): Result(0.920, None, 0.98, 0.97),
    ("im", "dblp", "gnn-r"): Result(0.935, None, 0.89, 0.88),
    ("im", "dblp", "gnn-t"): Result(0.844, None, 0.99, 0.98),
    ("im", "dblp", "gcomb-p"): Result(0.863, None, 0.99, 0.99),
    ("im", "youtube", "gnn-r"): Result(0.918, None, 0.75, 0.75),
    ("im", "youtube", "gnn-t"): Result(0.806, None, 0.94, 0.99),
    ("im", "youtube", "gcomb-p"): Result(0.933, None, 0.99, 0.99),
    ("im", "skitter", "gnn-r"): Result(0.919, None, 0.69, 0.58),
    ("im", "skitter", "gnn-t"): Result(0.883, None, 0.99, 0.99),
    ("im", "skitter", "gcomb-p"): Result(0.883, None, 0.99, 0.99),
}
"""The other pruners of that table, by problem, graph and name."""

BUDGETS = (1, 10, 25, 50, 75, 100)
MULTI_BUDGET: dict[tuple[str, str], tuple[float, ...]] = {
    ("mvc", "facebook"): (1.00, 1.00, 0.99, 0.97, 0.97, 0.97),
    ("mvc", "wiki"): (1.00, 1.00, 1.00, 1.00, 1.04, 1.09),
    ("mvc", "deezer"): (1.00, 1.00, 1.00, 0.99, 0.99, 0.98),
    ("mvc", "slashdot"): (1.00, 1.00, 1.00, 1.00, 0.99, 0.98),
    ("mvc", "twitter"): (1.00, 1.00, 1.00, 1.00, 1.00, 0.99),
    ("mvc", "dblp"): (1.00, 1.00, 1.00, 1.00, 0.99, 0.99),
    ("mvc", "youtube"): (1.00, 1.00, 1.00, 1.00, 0.99, 0.98),
    ("mvc", "skitter"): (0.85, 0.98, 0.99, 0.99, 0.99, 0.98),
    ("bmc", "facebook"): (1.00, 1.00, 0.99, 0.98, 0.98, 0.96),
    ("bmc", "wiki"): (1.00, 1.00, 1.00, 1.00, 1.00, 0.98),
    ("bmc", "deezer"): (1.00, 1.00, 1.00, 0.99, 0.99, 0.98),
    ("bmc", "slashdot"): (1.00, 1.00, 1.00, 1.00, 1.00, 0.99),
    ("bmc", "twitter"): (0.98, 1.00, 1.00, 1.00, 0.99, 0.99),
    ("bmc", "dblp"): (1.00, 1.00, 1.00, 1.00, 1.00, 0.99),
    ("bmc", "youtube"): (1.00, 1.00, 1.00, 1.00, 0.99, 0.99),
    ("bmc", "skitter"): (0.96, 1.00, 1.00, 0.99, 0.99, 0.97),
    ("im", "facebook"): (0.86, 0.99, 0.98, 0.99, 0.99, 0.98),
    ("im", "wiki"): (1.00, 0.98, 0.99, 1.00, 0.98, 0.96),
    ("im", "deezer"): (1.00, 0.97, 0.97, 0.97, 0.97, 0.97),
    ("im", "slashdot"): (1.00, 0.99, 0.99, 0.98, 0.98, 0.98),
    ("im", "twitter"): (1.00, 0.97, 0.96, 0.96, 0.96, 0.96),
    ("im", "dblp"): (0.86, 0.96, 0.95, 0.97, 0.96, 0.97),
    ("im", "youtube"): (1.00, 0.96, 0.98, 0.98, 0.97, 0.97),
    ("im", "skitter"): (0.77, 0.97, 0.98, 0.98, 0.98, 0.98),
}
"""LeNSE's ratios for each of these budgets on the subgraphs found for the last of them, to two digits."""

LOSS_RATIOS: dict[tuple[str, str], dict[str, float]] = {
    ("mvc", "facebook"): {"infonce": 0.968, "cross-entropy": 0.907, "ordinal": 0.880},
    ("mvc", "wiki"): {"infonce": 1.094, "cross-entropy": 0.899, "ordinal": 0.931},
    ("bmc", "facebook"): {"infonce": 0.960, "cross-entropy": 0.647, "ordinal": 0.650},
    ("bmc", "wiki"): {"infonce": 0.981, "cross-entropy": 0.391, "ordinal": 0.603},
    ("im", "facebook"): {"infonce": 0.979, "cross-entropy": 0.663, "ordinal": 0.871},
    ("im", "wiki"): {"infonce": 0.960, "cross-entropy": 0.895, "ordinal": 0.914},
}
"""LeNSE's ratios with each loss of the encoder."""

STUDY_PROBLEMS = ("domination", "bmc", "im")
"""What the studies of later pruners call cover, cut and im; their im has p = 0.01 everywhere."""
PUBLISHED: dict[str, tuple[tuple[float, float], ...]] = {
    "quickprune": ((0.993, 0.987), (0.998, 0.956), (0.971, 0.947)),
    "sparsification": ((0.978, 0.974), (0.999, 0.974), (0.991, 0.974)),
    "gcn": ((0.999, 0.928), (0.999, 0.912), (0.967, 0.814)),
    "combhelper": ((1.0, 0.608), (0.970, 0.561), (0.997, 0.502)),
}
"""Ratio and share of vertices pruned, as ground sets, for each of those problems.

They are means over eight graphs at k = 100 in the study of QuickPrune's authors (arXiv 2410.17945).
"""
PUBLISHED_C: dict[str, tuple[float, float, float]] = {
    "quickprune": (0.980, 0.954, 0.918),
    "sparsification": (0.953, 0.973, 0.966),
    "lense": (0.566, 0.581, 0.600),
    "gcomb-p": (0.077, 0.667, 0.814),
    "combhelper": (0.608, 0.544, 0.501),
    "gcn": (0.927, 0.911, 0.787),
}
"""C, ratio times share pruned, in the same study. The last two are products of the means above."""


def published(problem: str, graph: str | None, pruner: str) -> Result | None:
    """The paper's row of table 1 for a pruner, if there is one."""
    if graph is None:
        return None
    return RESULTS.get((problem, graph)) if pruner == "lense" else RIVALS.get((problem, graph, pruner))
