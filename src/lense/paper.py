"""Figures of the paper (Ireland and Montana, ICML 2022): what it trained with, and what it reached."""

from typing import NamedTuple


class Hyperparameters(NamedTuple):
    """One row of the table in the appendix on architectures, under the names of :class:`lense.settings.Settings`."""

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
    """LeNSE in the paper's table 1: mean ratio, its standard error, and the shares of vertices and edges pruned."""

    ratio: float
    ratio_stderr: float
    vertices_pruned: float
    edges_pruned: float


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
