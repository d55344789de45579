"""Sorting more keys than are held at a time."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lense.streaming.writing import KeySorter


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("run", [64, 1000, 100_000])
def test_edges_come_back_in_order_and_once_with_their_first_weight(run: int, weighted: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 1500, 4000, dtype=np.uint64) ** np.uint64(4)
    weights = rng.random(keys.size if weighted else 0, np.float32)
    with KeySorter(tmp_path / "g", run, weighted=weighted) as sorter:
        for part in np.array_split(np.arange(4000), 7):
            sorter.add(keys[part], weights[part] if weighted else weights)
        pieces = list(sorter.edges())
    sources, targets, *kept = (np.concatenate(arrays) for arrays in zip(*pieces, strict=True))
    expected, first = np.unique(keys, return_index=True)
    assert np.array_equal(sources, expected >> np.uint64(32))
    assert np.array_equal(targets, expected.astype(np.uint32).view(np.int32))
    assert [one.tolist() for one in kept] == ([weights[first].tolist()] if weighted else [])
    assert max(piece[0].size for piece in pieces) <= 3 * run + 1500
    assert not list(tmp_path.iterdir())


def test_the_folder_of_runs_is_gone_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(AttributeError), KeySorter(tmp_path / "g", 4) as sorter:
        sorter.add(None)  # type: ignore[arg-type]
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
