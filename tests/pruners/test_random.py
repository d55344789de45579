"""Pruning at random."""

from pathlib import Path

import numpy as np

from lense.graph import power_law
from lense.pruners import get_pruner, load
from lense.pruners.random import RandomVertices

GRAPH = power_law(60, 4, 2.3, np.random.default_rng(0))


def test_the_seed_says_what_is_kept() -> None:
    pruner = RandomVertices("mvc", 3, vertices=20, roots=5)
    one, again, other = (pruner.prune(GRAPH, seed=seed) for seed in (1, 1, 2))
    assert one.vertices.tolist() == again.vertices.tolist() != other.vertices.tolist()
    assert (one.vertices.size, one.roots.size) == (20, 5)
    assert set(one.roots.tolist()) < set(one.vertices.tolist())


def test_a_larger_part_of_one_seed_holds_the_smaller_one() -> None:
    small, large = (RandomVertices("mvc", 3).ranking(GRAPH, size, 4).tolist() for size in (10, 30))
    assert large[:10] == small


def test_every_vertex_is_kept_as_often() -> None:
    pruner = RandomVertices("mvc", 3)
    counts = np.bincount(np.concatenate([pruner.ranking(GRAPH, 15, seed) for seed in range(2000)]), minlength=60)
    assert np.abs(counts - 500).max() < 100  # five standard deviations of 19


def test_parts_are_those_of_seed_after_seed() -> None:
    pruner = RandomVertices("mvc", 3)
    parts = pruner.parts(GRAPH, episodes=3, seed=7)
    assert [part.vertices.tolist() for part in parts] == [
        pruner.prune(GRAPH, seed=seed).vertices.tolist() for seed in (7, 8, 9)
    ]


def test_it_is_registered_saved_and_loaded(tmp_path: Path) -> None:
    pruner = get_pruner("random", "mvc", 4, vertices=30)
    pruner.save(tmp_path / "random")
    again = load(tmp_path / "random")
    assert again.prune(GRAPH, seed=5).vertices.tolist() == pruner.prune(GRAPH, seed=5).vertices.tolist()
