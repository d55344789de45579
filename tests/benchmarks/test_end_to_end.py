"""The whole graph against the default: the heuristics that are compared, and the rows."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.cover import plain_greedy
from benchmarks.end_to_end import CASES, HEADINGS, cells, measured, plain_celf, plain_naive
from lense.graph import power_law, to_networkx, write_graph
from lense.problems import get_problem
from tests.skips import NO_NETWORKX

GRAPH = power_law(300, 6, 2.3, np.random.default_rng(1))


def test_plain_python_finds_what_greedy_finds() -> None:
    pytest.importorskip("networkx", reason=NO_NETWORKX)
    mvc, theirs = get_problem("mvc"), to_networkx(GRAPH)
    ours = mvc.solve(GRAPH, 10, np.random.default_rng(0)).score
    for plain in (plain_greedy, plain_celf, plain_naive):
        assert mvc.objective(GRAPH, plain(theirs, 10)) == pytest.approx(ours, rel=0.01)


@pytest.mark.parametrize("name", ["greedy", "bmc-mip-5", "plain-greedy"])
def test_a_measurement_has_a_time_a_score_and_a_reason(name: str, tmp_path: Path) -> None:
    pytest.importorskip("networkx", reason=NO_NETWORKX)
    write_graph(GRAPH, tmp_path / "graph.txt")
    found = measured(str(tmp_path / "graph.txt"), name, 10, None)
    assert found["seconds"] > 0
    assert found["score"] > 0
    assert found["reason"]
    assert name in CASES


def test_a_row_compares_times_and_scores() -> None:
    default, whole = ({"seconds": s, "score": f, "reason": "why"} for s, f in ((2.0, 99.0), (20.0, 100.0)))
    assert cells("g", "h", default, whole, 60) == ("g", "h", "20 s", "2 s", "10", "0.9900", "why")
    assert cells("g", "h", default, None, 60)[2:6] == ("> 60 s", "2 s", "> 30", "")
    assert len(cells("g", "h", None, whole, 60)) == len(HEADINGS)
