"""A paper of one graph, "tiny", small enough to be reproduced within seconds."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense import paper
from lense.experiments import EXPERIMENTS, Experiment, Study, comparison, rivals
from lense.experiments.study import Source
from lense.graph import DATASETS, power_law, write_graph
from lense.graph.datasets import Dataset
from lense.pruners import _networks as networks

BUDGET = 8
GRAPH = power_law(260, 6, 2.3, np.random.default_rng(1))
SETTINGS = {
    "cutoffs": paper.CUTOFFS,
    "samples_per_class": 15,
    "epochs": 4,
    "patience": 4,
    "evaluations": 1,
    "enough": 2.0,  # so that walks take all their steps
}
TRAIN_EDGES = round(0.45 * GRAPH.num_edges)
RIVALS = ("lense", "degree-walk", "random-walk", "top-degree")
SOURCE = Source("tiny", "mvc")


def install(patch: pytest.MonkeyPatch, data: Path) -> None:
    """Make it the paper: its graph in ``data`` beside one that is not at hand, its settings and its table."""
    write_graph(GRAPH, data / "tiny.txt")
    patch.setenv("LENSE_DATA", str(data))
    patch.setenv("LENSE_CACHE", str(data / "none"))
    split = (TRAIN_EDGES, GRAPH.num_edges - TRAIN_EDGES)
    known = Dataset("tiny", "", GRAPH.num_vertices, GRAPH.num_edges, directed=False, split=split)
    patch.setitem(DATASETS, "tiny", known)
    patch.setitem(DATASETS, "absent", replace(known, name="absent"))
    row = paper.Hyperparameters(16, 15, 8, 4, 20, 4, 0.3, 2, 20.0, 6)
    for problem in ("mvc", "bmc", "im"):
        patch.setitem(paper.HYPERPARAMETERS, (problem, "tiny"), row)
    patch.setitem(paper.RESULTS, ("mvc", "tiny"), paper.Result(0.5, 0.001, 0.3, 0.6))
    patch.setitem(paper.RIVALS, ("mvc", "tiny", "gnn-r"), paper.Result(2.0, None, 0.3, 0.6))
    for module in (comparison, rivals):
        patch.setattr(module, "BUDGET", BUDGET)
    patch.setattr(comparison, "all_pruners", lambda: RIVALS)
    patch.setattr(networks, "_PATIENCE", 5)
    for experiment in EXPERIMENTS.values():
        patch.setattr(type(experiment), "pairs", (("tiny", "mvc"), ("absent", "mvc")))


def study(out: Path, *seeds: int, problem: str = "mvc", **changes: Any) -> Study:
    made = Study(out, (Source("tiny", problem),), seeds or (0,), BUDGET, episodes=2, settings=SETTINGS)
    return replace(made, **changes)


def experiment(name: str) -> Experiment:
    return EXPERIMENTS[name]
