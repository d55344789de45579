"""Several comparisons side by side."""

import json
from pathlib import Path

import pytest

from lense.errors import LenseError
from lense.experiments.overview import QUICKPRUNE_STUDY, Overview, as_markdown
from lense.experiments.rows import comma_separated, rows
from tests.experiments.test_rows import failed, record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two graphs for mvc, one for im, on which a pruner failed."""
    for problem, graph, records in (
        ("im", "wiki", [record("lense", 0, (0.9, 0.5)), failed("gcn", 0)]),
        ("mvc", "wiki", [record("lense", 0, (0.8, 0.5)), record("gcn", 0, (1.0, 0.5))]),
        ("mvc", "facebook", [record("lense", 0, (0.6, 0.5)), record("gcn", 0, (1.0, 0.7))]),
    ):
        place = tmp_path / f"{graph}-{problem}"
        place.mkdir()
        source: dict[str, object] = {"graph": graph, "problem": problem, "options": {}, "train_share": None}
        (place / "plan.json").write_text(json.dumps({"experiment": "compare", **source, "budget": 10}))
        (place / "table.csv").write_text(comma_separated(rows(records)))
    return tmp_path


def test_each_problem_has_a_table_by_graphs(folder: Path) -> None:
    for made in (Overview(folder).subgraphs(), Overview(folder).ground_sets()):
        assert [(title, headings) for title, headings, _ in made] == [
            ("mvc", ("pruner", "facebook", "wiki")),
            ("im", ("pruner", "wiki")),
        ]


def test_subgraphs_tell_ratio_and_both_shares(folder: Path) -> None:
    (_, _, cover), (_, _, spread) = Overview(folder).subgraphs()
    assert cover[0] == ("lense", "0.600 at 50 / 25", "0.800 at 50 / 25")
    assert spread == [("lense", "0.900 at 50 / 25"), ("gcn", "failed")]


def test_ground_sets_tell_c_and_ratio(folder: Path) -> None:
    (_, _, cover), (_, _, spread) = Overview(folder).ground_sets()
    assert (cover[0], spread[0]) == (("lense", "0.300 (0.600)", "0.400 (0.800)"), ("lense", "0.450 (0.900)"))


def test_the_study_stands_beside_our_means(folder: Path) -> None:
    ((_, _, (lense, gcn)),) = Overview(folder).beside_the_study()
    cover, _, spread = QUICKPRUNE_STUDY["lense"]
    assert lense == ("lense", f"0.350, {cover:.3f}", f"0.450, {spread:.3f}")
    assert gcn[2].startswith("failed")


def test_in_a_page_the_problems_are_titles() -> None:
    made = as_markdown([("mvc", ("pruner", "wiki"), [("lense", "1")]), ("", ("pruner",), [("gcn",)])])
    assert made == "mvc:\n\n| pruner | wiki |\n| --- | ---: |\n| lense | 1 |\n\n| pruner |\n| --- |\n| gcn |\n"


def test_a_damaged_plan_is_told(folder: Path) -> None:
    (folder / "wiki-im" / "plan.json").write_text("{}")
    with pytest.raises(LenseError, match=r"wiki-im/plan.json is damaged"):
        Overview(folder)


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(LenseError, match="no comparisons"):
        Overview(tmp_path)
