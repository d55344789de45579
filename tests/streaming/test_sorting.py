"""Sorting more keys than are held at a time."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lense.streaming.sorting import KeySorter


@pytest.mark.parametrize("run", [64, 1000, 100_000])
def test_keys_come_back_in_order_and_once_whatever_the_size_of_a_run(run: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 1500, 4000, dtype=np.uint64) ** np.uint64(3)
    seen = []
    with KeySorter(tmp_path / "g", run) as sorter:
        for part in np.array_split(keys, 7):
            sorter.add(part)
        pieces = list(sorter.merged(lambda amount, note="": seen.append(amount)))
    assert np.array_equal(np.concatenate(pieces), np.unique(keys))
    assert max(piece.size for piece in pieces) <= 3 * run + 1500
    assert sum(seen) == sorter.num_in_runs
    assert not list(tmp_path.iterdir())


def test_the_folder_of_runs_is_gone_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(TypeError), KeySorter(tmp_path / "g", 4) as sorter:
        _fail_after_ten(sorter)
    assert not list(tmp_path.iterdir())


def test_what_a_killed_sorter_left_is_removed_by_the_next(tmp_path: Path) -> None:
    program = (
        "import os, sys, pathlib, numpy; from lense.streaming.sorting import KeySorter; "
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
