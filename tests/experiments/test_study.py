"""What to run: graphs and how they are split, names, and what is refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.errors import LenseError
from lense.experiments.study import LARGE_TRAIN_SHARE, TRAIN_SHARE, Cell, Source, make_source, source_of
from lense.graph import write_graph
from tests.experiments import tiny_paper

pytestmark = pytest.mark.usefixtures("tiny")
GRAPH = tiny_paper.GRAPH


def test_a_graph_of_the_paper_is_split_as_there() -> None:
    case = tiny_paper.SOURCE.case(0)
    assert (case.train.num_edges, case.test.num_edges) == (
        tiny_paper.TRAIN_EDGES,
        GRAPH.num_edges - tiny_paper.TRAIN_EDGES,
    )


def test_of_any_other_graph_a_share_of_the_edges_is_learnt_from() -> None:
    assert (Source(GRAPH, "mvc").train_share, make_source("x", "mvc").train_share) == (TRAIN_SHARE, LARGE_TRAIN_SHARE)
    case = Source(GRAPH, "mvc", train_share=0.4).case(0)
    assert case.train.num_edges == round(0.4 * GRAPH.num_edges)
    assert Source(GRAPH, "mvc", train=GRAPH).case(0).test.num_edges == GRAPH.num_edges


def test_seeds_have_splits_and_random_numbers_of_their_own() -> None:
    first, second = (make_source("tiny", "im").case(seed).train for seed in (0, 1))
    assert not np.array_equal(first.indices, second.indices)


def test_names_are_fit_for_files() -> None:
    source = make_source("/data/my graph.txt.gz", "bmc", {"solver": "mip", "time_limit": 60})
    assert source.pair_name == "my-graph-bmc+solver-mip+time_limit-60"
    assert Cell(source, 2, "20").name == "my-graph-bmc+solver-mip+time_limit-60-2.20"


def test_a_record_knows_its_cell_and_where_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    write_graph(GRAPH, path)
    study, cell = tiny_paper.study(tmp_path), Cell(make_source(str(path), "bmc", {"solver": "mip"}), 3, "x")
    record = study.record(cell, {"a": 1}, model="digest", seconds=2.0)
    assert record.key == cell.key
    assert source_of(record) == replace(cell.source, from_file=True)
    assert record.file
    assert (record.budget, record.episodes, record.train_share) == (tiny_paper.BUDGET, 2, LARGE_TRAIN_SHARE)
    assert record.versions["lense"]
    assert record.machine["cores"]


def test_errors_are_kept_in_a_line_faults_with_their_kind(tmp_path: Path) -> None:
    errors = LenseError("No such\nthing."), ZeroDivisionError("by nought"), KeyError()
    study, cell = tiny_paper.study(tmp_path), Cell(tiny_paper.SOURCE, 0)
    kept = [study.record(cell, error=error).error for error in errors]
    assert kept == ["No such thing.", "ZeroDivisionError: by nought", "KeyError"]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"seeds": ()}, "at least one seed"),
        ({"seeds": (-1,)}, "from 0 on"),
        ({"episodes": 0}, "at least one episode"),
        ({"budget": float("nan")}, "positive number"),
        ({"device": "tpu"}, "device"),
        ({"sources": (make_source("tinny", "mvc"),)}, "did you mean 'tiny'"),
        ({"sources": (Source(GRAPH, "mvc"),), "jobs": 2}, "the graph in a file"),
    ],
)
def test_what_no_cell_could_mend_is_refused(tmp_path: Path, changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(LenseError, match=complaint):
        replace(tiny_paper.study(tmp_path), **changes).check()
