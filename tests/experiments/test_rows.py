"""From records of pieces to rows and tables."""

import csv
import io
from typing import Any

import numpy as np
import pytest

from lense.experiments.rows import MODES, ceiling, comma_separated, failures, markdown, markdown_lines, rows, tables
from lense.paper import published
from lense.parts import solving as within


def figures(ratio: float, pruned: float) -> dict[str, Any]:
    return {
        "score": 9.0,
        "ratio": ratio,
        "vertices_pruned": pruned,
        "edges_pruned": pruned / 2,
        "seconds": 0.5,
        "combined": ratio * pruned,
    }


def record(pruner: str, seed: int, *parts: tuple[float, float], fit: float | None = 2.0) -> dict[str, Any]:
    return {
        "pruner": pruner,
        "seed": seed,
        "status": "done",
        "fit": {"seconds": fit, "peak_bytes": None if fit is None else 2**21},
        "prune": {"seconds": 0.25, "peak_bytes": 2**20},
        "parts": [{"vertices": 40, "edges": 90, "roots": 20} for _ in parts],
        **{mode: [figures(*part) for part in parts] for mode in MODES},
    }


def failed(pruner: str, seed: int) -> dict[str, Any]:
    return {"pruner": pruner, "seed": seed, "status": "failed", "error": "There is no such thing."}


WHOLES = [
    {"seed": 0, "seconds": 3.0, "vertices": [0] * 5, "test": {"vertices": 50}},
    {"seed": 1, "seconds": 5.0, "vertices": [0] * 5, "test": {"vertices": 100}},
]


def test_a_row_is_the_mean_over_seeds_of_the_means_over_parts() -> None:
    (row,) = rows([record("random", 0, (0.2, 0.5), (0.4, 0.7)), record("random", 1, (0.9, 0.8))])
    assert row["subgraph"]["ratio"] == pytest.approx((0.3 + 0.9) / 2)
    assert row["subgraph"]["ratio_stderr"] == pytest.approx(np.std([0.3, 0.9], ddof=1) / np.sqrt(2))
    assert row["ground-set"]["combined"] == pytest.approx(((0.2 * 0.5 + 0.4 * 0.7) / 2 + 0.9 * 0.8) / 2)
    assert (row["seeds"], row["failed"], row["error"]) == (2, 0, None)
    assert (row["fit_seconds"], row["prune_seconds"], row["peak_bytes"]) == (2.0, 0.25, 2**21)


def test_one_seed_has_the_standard_error_of_its_parts_and_one_part_has_none() -> None:
    (row,) = rows([record("random", 0, (0.2, 0.5), (0.4, 0.5))])
    assert row["subgraph"]["ratio_stderr"] == pytest.approx(0.1)
    (row,) = rows([record("random", 0, (0.2, 0.5))])
    assert row["subgraph"]["ratio_stderr"] is None


def test_the_front_is_what_no_other_beats_in_ratio_and_share() -> None:
    rng = np.random.default_rng(0)
    points = [(float(r), float(p)) for r, p in rng.integers(0, 6, (30, 2)) / 5]
    found = rows([record(f"p{i}", 0, point) for i, point in enumerate(points)])
    for row, (ratio, pruned) in zip(found, points, strict=True):
        beaten = any(r >= ratio and p >= pruned and (r > ratio or p > pruned) for r, p in points)
        assert row["subgraph"]["front"]["vertices_pruned"] is not beaten
    assert any(row["subgraph"]["front"]["vertices_pruned"] for row in found)


def test_a_pruner_that_always_failed_has_a_row_that_says_so() -> None:
    bad, good = rows([failed("gcn", 0), failed("gcn", 1), record("random", 0, (0.5, 0.5))])
    assert (bad["seeds"], bad["failed"], bad["subgraph"], bad["fit_seconds"]) == (0, 2, None, None)
    assert good["subgraph"]["front"] == {"vertices_pruned": True, "edges_pruned": True}
    assert failures([bad, good], 1) == ["failed: gcn (2 of 2 seeds): There is no such thing."]
    assert tables([bad, good], WHOLES)[0][2][0] == ("gcn", "failed", "–", "–", "–")


def test_a_part_that_could_not_be_solved_is_told_and_the_others_count() -> None:
    one = record("gnn-t", 0, (0.5, 0.5), (0.7, 0.5))
    one["subgraph"][0] = {"error": "The graph has no edges."}
    (row,) = rows([one])
    assert row["subgraph"]["ratio"] == pytest.approx(0.7)
    assert failures([row], 1) == ["failed: gnn-t: The graph has no edges."]


def test_what_happened_to_several_is_told_once_and_so_are_seeds_not_run() -> None:
    found = rows(
        [failed("gcn", 0), failed("k-core", 0), record("random", 0, (0.5, 0.5)), record("random", 1, (0.5, 0.5))]
    )
    assert failures(found, 2) == [
        "failed: gcn (1 of 1 seeds), k-core (1 of 1 seeds): There is no such thing.",
        "not run with all 2 seeds: gcn, k-core",
    ]


def test_the_ceiling_of_c_is_that_of_the_solution_alone_kept() -> None:
    assert ceiling(WHOLES) == pytest.approx((0.9 + 0.95) / 2)


def test_the_papers_figures_stand_beside_ours() -> None:
    records = [record("lense", 0, (0.9, 0.5)), record("gnn-t", 0, (0.9, 0.5)), record("random", 0, (0.9, 0.5))]
    found = rows(records, "mvc", "wiki")
    theirs = published("mvc", "wiki", "gnn-t")
    assert theirs is not None
    assert found[1]["paper"] == theirs._asdict()
    assert [line[-1] for line in tables(found, WHOLES)[0][2]] == ["1.094, 34 / 51", "0.371, 93 / 83", "–"]


def test_tables_tell_ratio_error_front_times_and_memory() -> None:
    found = rows([record("random", 0, (0.2, 0.5), (0.4, 0.5)), record("k-core", 0, (0.1, 0.1), fit=None)])
    subgraphs, ground_sets, costs = tables(found, WHOLES)
    assert subgraphs[2][0] == ("random", "0.300 ± 0.100 *", "50.0 %", "25.0 %", "–")
    assert subgraphs[2][1][1].strip() == "0.100"
    assert ground_sets[2][-1] == ("ceiling", "1.000", "92.5 %", "0.925")
    assert costs[2][0] == ("random", "2.0 s", "250 ms", "500 ms", "500 ms", "2 MiB")
    assert costs[2][1][1] == "–"
    given = record("lense", 0, (0.1, 0.1), fit=None)
    given["fit"]["given"] = True
    assert tables(rows([given]), WHOLES)[2][2][0][1] == "given"
    assert costs[2][-1][3] == "4.0 s"


def test_times_can_be_told_as_multiples_of_the_whole_graphs() -> None:
    costs = tables(rows([record("random", 0, (0.2, 0.5))]), WHOLES, relative=True)[2]
    assert costs[2][0][1:5] == ("0.5", "0.062", "0.12", "0.12")
    assert costs[2][-1][3] == "1"


def test_markdown_has_a_line_for_each_row() -> None:
    text = markdown(("Title", ("pruner", "b"), [("x", "1 "), ("y", "2")]))
    assert text == "Title:\n\n| pruner | b |\n| --- | ---: |\n| x | 1 |\n| y | 2 |\n"


def test_words_are_aligned_to_the_left_wherever_they_stand_and_figures_to_the_right() -> None:
    rule = markdown_lines(("problem", "graph", "b = 1", "note"), []).splitlines()[1]
    assert rule == "| --- | --- | ---: | --- |"


def test_the_modes_are_those_that_parts_are_solved_in() -> None:
    assert tuple(within.MODES) == MODES


def test_comma_separated_values_are_all_figures() -> None:
    found = rows([record("random", 0, (0.2, 0.5)), failed("gcn", 0)])
    first, second = csv.DictReader(io.StringIO(comma_separated(found)))
    assert (first["pruner"], float(first["subgraph_ratio"]), float(first["ground_set_combined"])) == (
        "random",
        0.2,
        0.1,
    )
    assert first["subgraph_front_vertices_pruned"] == "True"
    assert (second["subgraph_ratio"], second["error"]) == ("", "There is no such thing.")
