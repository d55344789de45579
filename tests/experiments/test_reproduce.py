"""Experiments by name, what is chosen of them, and how far they are."""

import subprocess
import sys
from pathlib import Path

import pytest

from lense.cli.reproduce import NAMES
from lense.errors import LenseError
from lense.experiments.reproduce import (
    EXPERIMENTS,
    SUMMARY,
    chosen_sources,
    details,
    spans,
    status,
    summary,
)
from lense.experiments.store import check_results
from lense.paper import LOSS_RATIOS, MULTI_BUDGET, RESULTS
from tests.experiments import tiny_paper


def test_the_command_line_knows_every_experiment_in_its_order() -> None:
    assert tuple(EXPERIMENTS) == NAMES
    assert all(name == experiment.name for name, experiment in EXPERIMENTS.items())


def test_each_has_the_rows_of_its_table_in_the_paper() -> None:
    for name, rows in (("table1", RESULTS), ("budgets", MULTI_BUDGET), ("losses", LOSS_RATIOS), ("maps", RESULTS)):
        assert [(problem, graph) for graph, problem in EXPERIMENTS[name].pairs] == list(rows)


def names(*args: object, **options: object) -> list[tuple[object, str]]:
    return [(source.graph, source.problem) for source in chosen_sources(*args, **options)]  # type: ignore[arg-type]


def test_graphs_and_problems_named_replace_the_papers() -> None:
    walk, losses = EXPERIMENTS["walk"], EXPERIMENTS["losses"]
    assert names(walk) == [("wiki", "bmc")]
    assert names(walk, ["dblp", "web-Google"]) == [("dblp", "bmc"), ("web-Google", "bmc")]
    assert names(walk, ["dblp"], ["mvc", "im"]) == [("dblp", "mvc"), ("dblp", "im")]
    assert names(losses, (), ["im"]) == [("facebook", "im"), ("wiki", "im")]


def test_all_experiments_together_keep_to_the_papers_rows() -> None:
    losses = EXPERIMENTS["losses"]
    assert names(losses, ["wiki", "dblp"], ["mvc"], only_its_own=True) == [("wiki", "mvc")]
    assert names(losses, ["dblp"], only_its_own=True) == []


def test_status_tells_of_every_cell_what_is_done_and_what_is_not_and_why(results: Path) -> None:
    (results / "rivals" / "tiny-mvc" / "pieces" / "gnn-t.1.json").unlink()
    before = sorted(results.rglob("*"))
    found = status(tiny_paper.study(results, 0, 1, 2), [EXPERIMENTS["table1"], EXPERIMENTS["budgets"]])
    assert found == [
        {
            "experiment": "table1",
            "graph": "tiny",
            "problem": "mvc",
            "cells": {"done": ["0"], "not run: gnn-t": ["1"], "not run": ["2"]},
        },
        {
            "experiment": "table1",
            "graph": "absent",
            "problem": "mvc",
            "cells": {"data not at hand: lense data get absent": ["0", "1", "2"]},
        },
        {"experiment": "budgets", "graph": "tiny", "problem": "mvc", "cells": {"not run": ["0", "1", "2"]}},
        {
            "experiment": "budgets",
            "graph": "absent",
            "problem": "mvc",
            "cells": {"data not at hand: lense data get absent": ["0", "1", "2"]},
        },
    ]
    assert sorted(results.rglob("*")) == before


def test_status_can_be_asked_of_some_graphs_and_problems(results: Path) -> None:
    study, experiments = tiny_paper.study(results), list(EXPERIMENTS.values())
    assert {row["graph"] for row in status(study, experiments, ["tiny"])} == {"tiny"}
    assert status(study, experiments, (), ["im"]) == []


def test_a_damaged_result_is_told_before_anything_is_run(results: Path) -> None:
    (results / "rivals" / "tiny-mvc" / "pieces" / "lense.1.json").write_text("{")
    with pytest.raises(LenseError, match=r"lense.1.json is damaged, since it is not JSON: delete it"):
        check_results(results)


def test_status_lists_damaged_cells_and_logs_damage_that_is_in_no_cell(
    results: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cell, walks = results / "table1" / "pieces" / "tiny-mvc-0.json", results / "walks" / "pieces" / "tiny-mvc-1.json"
    cell.write_text(cell.read_text().replace('"ratio": ', '"ratio": "x", "was": '))
    walks.write_text(walks.read_text().replace('"seconds": ', '"took": '))
    found = status(tiny_paper.study(results, 0, 1), [EXPERIMENTS["table1"]], ["tiny"])
    assert found[0]["cells"] == {f"damaged: {cell}: ceiling.ratio is no number": ["0"], "done": ["1"]}
    assert summary(found) == [("table1", "2", "1", "1", "0", "0", "0", "0")]
    assert [record.getMessage() for record in caplog.records] == [
        f"{walks} is damaged, since it lacks seconds: delete it and run the command again that made it."
    ]


STATUS = [
    {"experiment": "a", "problem": problem, "graph": graph, "cells": cells}
    for problem, graph, cells in (
        ("mvc", "wiki", {"done": ["0", "1"], "not run": ["2"]}),
        ("im", "wiki", {"done": ["0", "1"], "not run: gnn-t": ["2"]}),
        ("mvc", "dblp", {"done": ["0", "1"], "failed: Its process died.": ["2"]}),
        ("im", "dblp", {"done": ["0", "1"], "not run: the model is another one": ["2"]}),
        ("mvc", "talk", {"data not at hand: lense data get talk": ["0", "1", "2"]}),
        ("mvc", "skitter", {"data not at hand: lense data get skitter": ["0", "1", "2"]}),
    )
]


def test_a_summary_counts_the_cells_of_each_experiment_by_what_is_with_them() -> None:
    rows = [*STATUS, {"experiment": "b", "problem": "im", "graph": "wiki", "cells": {"done": ["0 20", "0 40"]}}]
    assert SUMMARY[1:] == ("cells", "done", "failed", "not run", "partly", "outdated", "no data")
    assert summary(rows) == [("a", "18", "8", "1", "1", "1", "1", "6"), ("b", "2", "2", "0", "0", "0", "0", "0")]


def test_details_have_a_line_for_each_state_and_not_for_each_cell() -> None:
    assert details(STATUS) == [
        "done: mvc, im on wiki, dblp (seeds 0–1)",
        "not run: mvc on wiki (seed 2)",
        "not run (gnn-t): im on wiki (seed 2)",
        "failed (Its process died.): mvc on dblp (seed 2)",
        "not run (the model is another one): im on dblp (seed 2)",
        "data not at hand (lense data get NAME): mvc on talk, skitter (seeds 0–2)",
    ]


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (["3"], "seed 3"),
        (["2", "0", "1", "5", "7", "8"], "seeds 0–2, 5, 7–8"),
        (["0 20", "0 40", "1 20", "1 40"], "seeds 0–1: 20, 40"),
        (["0 infonce", "0 ordinal", "1 ordinal"], "seed 0: infonce, seeds 0–1: ordinal"),
    ],
)
def test_cells_are_told_in_ranges(labels: list[str], told: str) -> None:
    assert spans(labels) == told


def test_to_tell_how_far_experiments_are_takes_neither_torch_nor_a_graph(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lense.experiments.cases.open_graph", None)
    assert status(tiny_paper.study(results, 0, 1), list(EXPERIMENTS.values()))
    program = (
        "import sys; from pathlib import Path; from lense.experiments.reproduce import EXPERIMENTS, status; "
        f"from lense.experiments.study import Study; status(Study(Path({str(results / 'none')!r}), ()), "
        "list(EXPERIMENTS.values())); print([name for name in ('torch', 'matplotlib') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


@pytest.mark.parametrize("text", ["{", "[]", "{}"])
@pytest.mark.parametrize("folder", ["models", "table1", "rivals/tiny-mvc"])
def test_a_damaged_plan_is_told_before_anything_is_run(results: Path, folder: str, text: str) -> None:
    (results / folder / "plan.json").write_text(text)
    with pytest.raises(LenseError, match=rf"{folder}/plan.json is damaged.*: copy it anew .*, or move"):
        check_results(results)
