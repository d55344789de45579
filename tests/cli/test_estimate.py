"""Time and memory before the work."""

import os
from pathlib import Path

import numpy as np
import pytest

from lense.graph import power_law, write_graph
from tests.conftest import Command


@pytest.fixture
def graph_file(tmp_path: Path) -> Path:
    write_graph(power_law(600, 6, 2.4, np.random.default_rng(1)), tmp_path / "graph.txt")
    return tmp_path / "graph.txt"


def test_a_graph_that_is_to_come_is_estimated_in_proportion(lense: Command) -> None:
    small, large = (
        lense("estimate", "--edges", edges, "-p", "mvc", "-b", 5, "--json").json for edges in (50_000, 50_000_000)
    )
    assert (large["vertices"], large["edges"]) == (5_000_000, 50_000_000)
    assert large["sampled_edges"] < 200_000
    assert large["graph_bytes"] > 500 * small["graph_bytes"]
    assert set(large["costs"]) == {"read", "solve", "certify", "learn core"}
    assert large["costs"]["solve"]["seconds"] > small["costs"]["solve"]["seconds"] > 0


def test_a_graph_at_hand_is_estimated_with_what_lense_takes_to_learn(lense: Command, graph_file: Path) -> None:
    done = lense("estimate", graph_file, "-p", "mvc", "-b", 5)
    assert done.status == 0
    for words in ("to hold it", "to solve it whole", "to learn LeNSE with --preset quick"):
        assert words in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Name a graph, or say with --edges"),
        (("--vertices", "5"), "Name a graph, or say with --edges"),
        (("--edges", "0", "--budget", "1"), "at least two vertices and one edge"),
        (("--edges", "100"), "Say with --budget"),
    ],
)
def test_what_is_missing_is_said(lense: Command, arguments: tuple[str, ...], words: str) -> None:
    done = lense("estimate", *arguments, "-p", "mvc")
    assert (done.status, done.out) == (2, "")
    assert words in done.err


def test_training_lense_says_first_how_long_it_takes_and_what_is_quicker(
    lense: Command, graph_file: Path, tmp_path: Path
) -> None:
    tiny = ["samples_per_class=10", "epochs=2", "train_steps=20", "roots=30", "test_steps=20", "looks=1"]
    settings = [word for one in tiny for word in ("--set", one)]
    done = lense("train", graph_file, "-p", "mvc", "-b", 5, "--pruner", "lense", "--out", tmp_path / "m", *settings)
    assert done.status == 0, done.err
    first = done.err.splitlines()[0]
    assert first.startswith("lense: training takes about ")
    assert "--preset quick takes about" in first
    assert os.path.isdir(tmp_path / "m")
