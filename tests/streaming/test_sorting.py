"""Sorting more keys than are held at a time."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lense.streaming.writing import KeySorter


@pytest.mark.parametrize("run", [64, 1000, 100_000])
def test_keys_come_back_in_order_and_once_whatever_the_size_of_a_run(run: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 1500, 4000, dtype=np.uint64) ** np.uint64(3)
    seen = []
    with KeySorter(tmp_path / "g", run) as sorter:
        for part in np.array_split(keys, 7):
            sorter.add(part)
        pieces = [piece for piece, _ in sorter.merged(lambda amount, note="": seen.append(amount))]
    assert np.array_equal(np.concatenate(pieces), np.unique(keys))
    assert max(piece.size for piece in pieces) <= 3 * run + 1500
    assert sum(seen) == sorter.num_in_runs
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("run", [64, 100_000])
def test_each_key_comes_back_with_the_weight_it_was_first_added_with(run: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    keys, weights = rng.integers(0, 300, 4000, dtype=np.uint64), rng.random(4000, np.float32)
    with KeySorter(tmp_path, run, weighted=True) as sorter:
        for some, theirs in zip(np.array_split(keys, 7), np.array_split(weights, 7), strict=True):
            sorter.add(some, theirs)
        pieces = list(sorter.merged(lambda amount, note="": None))
    found, kept = (np.concatenate(arrays) for arrays in zip(*pieces, strict=True))
    expected, first = np.unique(keys, return_index=True)
    assert np.array_equal(found, expected)
    assert np.array_equal(kept, weights[first])


def test_the_folder_of_runs_is_gone_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(TypeError), KeySorter(tmp_path / "g", 4) as sorter:
        _fail_after_ten(sorter)
    assert not list(tmp_path.iterdir())


def test_what_a_killed_sorter_left_is_removed_by_the_next(tmp_path: Path) -> None:
    program = (
        "import os, sys, pathlib, numpy; from lense.streaming.writing import KeySorter; "
        "KeySorter(pathlib.Path(sys.argv[1]), 4).add(numpy.arange(10, dtype=numpy.uint64)); os._exit(9)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "g")], env=environment, check=False)
    assert len(list(tmp_path.iterdir())) == 1
    with KeySorter(tmp_path / "g", 4):
        assert len(list(tmp_path.iterdir())) == 1
    assert not list(tmp_path.iterdir())


def _fail_after_ten(sorter: KeySorter) -> None:
    sorter.add(np.arange(10, dtype=np.uint64))
    raise TypeError
