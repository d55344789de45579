"""Print how many bytes beyond the graph pruning takes at most, with a model that has M = 300 and ten walks at once."""

import argparse
from pathlib import Path

import numpy as np
import psutil

from benchmarks.peak import highest_memory
from lense.graph import power_law, read_graph
from lense.pruners import LeNSE

TINY = {"samples_per_class": 10, "epochs": 1, "train_steps": 2, "looks": 1, "test_steps": 20, "roots": 300}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", type=Path)
    options = parser.parse_args()
    model = LeNSE("mvc", 100, settings=TINY).fit(power_law(3000, 10.0, 2.3, np.random.default_rng(0)))
    graph = read_graph(options.graph)
    graph.indices.sum()
    before = psutil.Process().memory_info().rss
    model.walk(graph, episodes=10)
    print(max(0, highest_memory() - before))


if __name__ == "__main__":
    main()
