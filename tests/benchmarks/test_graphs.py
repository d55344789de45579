from pathlib import Path

import numpy as np
import pytest

from benchmarks.graphs import large_graph
from benchmarks.influence import GRAPHS, SPREAD_GRAPHS, imm, opim_c, spread


def test_a_large_graph_has_ten_edges_for_each_vertex_and_the_size_asked_for() -> None:
    graph = large_graph(50_000, seed=3)
    assert graph.num_vertices == 5_000
    assert graph.num_edges == pytest.approx(50_000, rel=0.03)


def test_the_numbers_of_a_large_graph_say_nothing_about_degrees() -> None:
    graph = large_graph(50_000, seed=3)
    early, late = np.split(graph.out_degrees, 2)
    assert early.mean() == pytest.approx(late.mean(), rel=0.1)


def test_graphs_that_are_not_at_hand_give_rows_that_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LENSE_DATA", raising=False)
    monkeypatch.setenv("LENSE_CACHE", str(tmp_path))
    rows = [row for benchmark in (imm, opim_c, spread) for row in benchmark(True)]
    assert len(rows) == 2 * len(GRAPHS) + len(SPREAD_GRAPHS)
    assert all("not at hand" in row.cells() and not row.missed for row in rows)
