"""What is asked of the experiments, and the names of what they find."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lense.errors import LenseError
from lense.experiments.study import Cell, is_at_hand, make_source, merged, pair_name, source_of
from tests.experiments import tiny_paper


@pytest.mark.parametrize(
    ("graph", "options", "name"),
    [
        ("wiki", {}, "wiki-bmc"),
        ("web-Google", {"solver": "mip"}, "web-Google-bmc+solver-mip"),
        ("/some/folder/my graph.v2.txt.gz", {}, "my-graph.v2-bmc"),
    ],
)
def test_files_are_named_by_graph_problem_and_options(graph: str, options: dict[str, str], name: str) -> None:
    source = make_source(graph, "bmc", options)
    assert pair_name(source) == name
    assert Cell(source, 3).name == f"{name}-3"
    assert Cell(source, 3, "40").name == f"{name}-3.40"


def test_a_cell_tells_in_its_record_what_it_is_of() -> None:
    source = make_source("web-Google", "bmc", {"solver": "mip"})
    assert source_of(Cell(source, 1).config()) == source


def test_each_source_counts_once() -> None:
    first, second = make_source("wiki", "mvc"), make_source("wiki", "im")
    assert merged([first], [second, first]) == (first, second)


def test_a_graph_of_the_paper_may_be_missing(tiny: None) -> None:
    assert is_at_hand(make_source("tiny", "mvc"))
    assert not is_at_hand(make_source("absent", "mvc"))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"seeds": ()}, "at least one seed"),
        ({"seeds": (-1,)}, "whole numbers from 0"),
        ({"episodes": 0}, "at least one episode"),
        ({"budget": math.nan}, "positive number, not nan"),
        ({"budget": -3}, "positive number, not -3"),
        ({"jobs": 0}, "one job"),
        ({"device": "tpu"}, "device"),
        ({"sources": (make_source("tinny", "mvc"),)}, "did you mean 'tiny'"),
        ({"sources": (make_source("tiny", "mvcc"),)}, "no problem called"),
    ],
)
def test_what_no_cell_could_mend_is_told_at_once(
    tiny: None, tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(LenseError, match=sentence):
        replace(tiny_paper.study(tmp_path), **changes).check()


def test_a_file_is_no_folder_for_results(tiny: None, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(LenseError, match="is a file"):
        tiny_paper.study(tmp_path / "out").check()
