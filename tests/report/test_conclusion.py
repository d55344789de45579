"""What results come to, in a few lines computed from the records."""

from dataclasses import replace
from typing import Any

from lense.experiments.comparison import OneGraph
from lense.report.conclusion import conclusion_section
from tests.experiments.test_comparison import failed, record, whole


def compared(graph: str, **points: tuple[float, float]) -> OneGraph:
    """Ratios and shares of vertices pruned of pruners on a graph; half as many edges are pruned."""
    records = [whole(50, 0.5), *(record(name, 0, point) for name, point in points.items()), failed("gcn", 0)]
    return OneGraph([replace(one, graph=graph) for one in records])


TWO = [
    compared("a", core=(1.0, 0.8), lense=(0.99, 0.6), random=(0.5, 0.9)),
    compared("b", core=(0.98, 0.8), lense=(0.98, 0.6), random=(0.4, 0.7)),
]


def table1(mark: str, edges: float) -> dict[str, Any]:
    ours = {"vertices_pruned_pct": 50.0, "edges_pruned_pct": edges}
    return {"method": "LeNSE", "mark": mark, **ours, "paper_vertices_pruned_pct": 50, "paper_edges_pruned_pct": 70}


def scaling(pruner: str, speed_up: float | None, ratio: float | None) -> dict[str, Any]:
    names = {"problem": "im", "graph": "wiki", "edges_pct": 60}
    return {**names, "pruner": pruner, "speed_up": speed_up, "ratio": ratio}


def lines(*given: Any) -> list[str]:
    (made,) = conclusion_section(*given)
    found: list[str] = made["blocks"][0]["lines"]
    return found


def test_five_lines_say_what_the_records_have() -> None:
    rows = [table1("better", 70), table1("worse", 60), table1("equal", 66)]
    speeds = [scaling("lense", 30.0, 0.9), scaling("lense", 20.0, 0.96), scaling("core", None, None)]
    paper, best, fronts, times, speed = lines(TWO, rows, speeds)
    assert "in 2 of 3 rows" in paper
    assert paper.endswith("less 5 points, in 2.")
    assert "Over 2 graphs and problems, core prunes 40.0 % of the edges at 0.990" in best
    assert "LeNSE prunes 30.0 % of the edges at 0.985" in best
    assert "than core in 2, random in 1 of 2" in fronts
    assert "0.5 times for core and 0.5 times for LeNSE" in times
    assert "LeNSE is up to 20 times as fast, at 0.960 (im on wiki, 60 % of its edges)" in speed
    assert "core is" not in speed


def test_a_pruner_that_misses_a_graph_is_not_called_best() -> None:
    some = [*TWO, compared("c", lense=(0.99, 0.6))]
    assert "LeNSE prunes 30.0 % of the edges" in lines(some, [], [])[0]
    assert "core prunes" not in lines(some, [], [])[0]


def test_where_none_is_good_that_is_said() -> None:
    poor = [compared(name, core=(0.9, 0.8)) for name in "ab"]
    assert lines(poor, [], [])[0] == "No pruner keeps a mean ratio of 0.98 over all 2 graphs and problems."


def test_several_graphs_come_with_a_figure_and_too_little_with_nothing() -> None:
    (section,) = conclusion_section(TWO, [], [])
    assert [block["kind"] for block in section["blocks"]] == ["text", "image", "text"]
    assert section["blocks"][1]["source"].startswith("data:image/png;base64,")
    assert conclusion_section(TWO[:1], [], []) == []
    assert conclusion_section([OneGraph([failed("gcn", 0)])] * 2, [], []) == []
