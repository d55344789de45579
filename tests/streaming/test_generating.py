"""R-MAT graphs that are written as they are drawn."""

from pathlib import Path

import numpy as np
import pytest

from lense.graph import read_graph, rmat, scan
from lense.streaming.writing import write_rmat


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", ["folder", "one.parquet"])
def test_the_graph_is_the_one_that_memory_gives(directed: bool, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    left = write_rmat(path, 9, 5000, np.random.default_rng(3), directed=directed, run=1000)
    whole = rmat(9, 5000, np.random.default_rng(3), directed=directed)
    assert left == whole.num_edges < 5000
    assert read_graph(path).equals(whole)
    assert scan(path).read().equals(whole)
