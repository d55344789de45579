"""Experiments by name, what is chosen of them, and how far they are."""

from pathlib import Path

import pytest

from lense.cli.reproduce import NAMES
from lense.errors import LenseError
from lense.experiments.reproduce import EXPERIMENTS, check_results, chosen_sources, status
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
    with pytest.raises(LenseError, match=r"lense.1.json is damaged: delete it"):
        check_results(results)
