"""What ``lense graph info`` shows of a graph on disk."""

from pathlib import Path

import pytest

from lense.graph.structure import describe
from lense.streaming.converting import describe_scan
from tests.streaming.graphs import KINDS, graph_of, scan_of


@pytest.mark.parametrize("kind", KINDS)
def test_the_figures_are_those_of_memory(kind: str, tmp_path: Path) -> None:
    graph = graph_of(kind)
    facts, degrees = describe_scan(scan_of(graph, tmp_path / "g"))
    expected = describe(graph)
    assert {name: facts[name] for name in expected if name != "megabytes"} == {
        name: value for name, value in expected.items() if name != "megabytes"
    }
    assert degrees.tolist() == graph.out_degrees.tolist()
