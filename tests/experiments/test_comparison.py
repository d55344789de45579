"""Pruners on one graph: from records to rows and tables."""

import numpy as np
import pytest

from lense.experiments import Source
from lense.experiments.comparison import OneGraph, all_pruners, left_out, takes_part
from lense.paper import BUDGET, published
from tests import learning
from tests.experiments.records import WHOLES, failed, record, rows


def test_a_row_is_the_mean_over_seeds_of_the_means_over_parts() -> None:
    (row,) = rows(record("random", 0, (0.2, 0.5), (0.4, 0.7)), record("random", 1, (0.9, 0.8)))
    assert row["subgraph"]["ratio"] == pytest.approx((0.3 + 0.9) / 2)
    assert row["subgraph"]["ratio_stderr"] == pytest.approx(np.std([0.3, 0.9], ddof=1) / np.sqrt(2))
    assert row["ground-set"]["combined"] == pytest.approx(((0.2 * 0.5 + 0.4 * 0.7) / 2 + 0.9 * 0.8) / 2)
    assert (row["seeds"], row["failed"], row["error"]) == (2, 0, None)
    assert (row["fit_seconds"], row["prune_seconds"], row["peak_bytes"]) == (2.0, 0.25, 2**21)


def test_the_front_is_what_no_other_beats_in_ratio_and_share() -> None:
    rng = np.random.default_rng(0)
    points = [(float(r), float(p)) for r, p in rng.integers(0, 6, (30, 2)) / 5]
    found = rows(*(record(f"p{i}", 0, point) for i, point in enumerate(points)))
    for row in found:
        ratio, pruned = points[int(row["pruner"][1:])]
        beaten = any(r >= ratio and p >= pruned and (r > ratio or p > pruned) for r, p in points)
        assert row["subgraph"]["front"]["vertices_pruned"] is not beaten


def test_a_pruner_that_always_failed_has_a_row_that_says_so() -> None:
    found = OneGraph([WHOLES[0], failed("gcn", 0), failed("gcn", 1), record("random", 0, (0.5, 0.5))])
    bad, good = found.rows
    assert (bad["seeds"], bad["failed"], bad["subgraph"], bad["fit_seconds"]) == (0, 2, None, None)
    assert good["subgraph"]["front"] == {"vertices_pruned": True, "edges_pruned": True}
    assert found.failures() == ["failed: gcn (2 of 2 seeds): There is no such thing."]
    assert found.tables()[0][2][0] == ("gcn", "failed", "–", "–", "–")


def test_what_happened_to_several_is_said_once_and_so_are_seeds_not_run() -> None:
    records = [failed("gcn", 0), failed("k-core", 0), *(record("random", seed, (0.5, 0.5)) for seed in (0, 1))]
    assert OneGraph([*WHOLES, *records]).failures() == [
        "failed: gcn (1 of 1 seeds), k-core (1 of 1 seeds): There is no such thing.",
        "not run with all 2 seeds: gcn, k-core",
    ]


def test_the_ceiling_of_c_is_that_of_the_solution_alone_kept() -> None:
    assert OneGraph(WHOLES).ceiling == pytest.approx((0.9 + 0.95) / 2)


def test_the_papers_figures_for_its_budget_stand_beside_ours() -> None:
    theirs = published("mvc", "wiki", "gnn-t")
    assert theirs is not None
    for budget, expected in ((BUDGET, [1.094, theirs.ratio, None]), (BUDGET + 1, [None] * 3)):
        records = [record(name, 0, (0.9, 0.5), graph="wiki", budget=budget) for name in ("lense", "gnn-t", "random")]
        assert [row["paper"] and row["paper"]["ratio"] for row in rows(*records)] == expected


def test_times_are_in_seconds_or_in_multiples_of_the_heuristics() -> None:
    found = OneGraph([*WHOLES, record("random", 0, (0.5, 0.5))])
    assert found.tables()[2][2][0][1:3] == ("2.0 s", "250 ms")
    assert found.tables(relative=True)[2][2][0][1:3] == ("0.5", "0.062")


def test_all_pruners_are_those_registered_lense_first() -> None:
    assert all_pruners()[0] == "lense"
    assert {"gnn-r", "gnn-t", "gcomb-p", "quickprune", "sparsification", "combhelper", "gcn"} <= set(all_pruners())
    assert [name for name in all_pruners() if name.startswith("top-roots")] == [
        *("top-roots", "top-roots:roots_per_budget=1", "top-roots:roots_per_budget=1.5"),
        *("top-roots:roots_per_budget=3", "top-roots:target=0.99"),
    ]


def test_a_pruner_is_left_out_where_the_problem_is_not_for_it() -> None:
    sources = tuple(Source(learning.graph(), problem) for problem in ("mvc", "im"))
    assert [takes_part("bounds", source) for source in sources] == [True, False]
    assert left_out(["bounds", "top-degree"], sources) == ["left out, not being for im: bounds"]
