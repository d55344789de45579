"""Cells are run once each; what fails is said, and the others go on."""

import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from lense.errors import LenseError
from lense.experiments import EXPERIMENTS, Experiment, Study, reproduce
from lense.experiments.experiment import SUMMARY, status, summary, undone
from lense.experiments.study import Cell, Source
from lense.experiments.tables import Row
from lense.graph import write_graph
from tests.experiments import tiny_paper

SOURCE = tiny_paper.SOURCE


@dataclass(frozen=True)
class Square:
    square: int


class Squares(Experiment):
    """The square of the seed; odd seeds fail where that is asked for."""

    name = "squares"
    title = "Squares"
    figures = Square
    pairs = (("tiny", "mvc"), ("absent", "mvc"))
    shown = (("sum of squares", "{sum}"),)
    notes = ("A note.",)

    def __init__(self, *, odd_fail: bool = False) -> None:
        self.ran: list[str] = []
        self.odd_fail = odd_fail

    def digest(self, study: Study, cell: Cell) -> None:
        return None

    def run_cell(self, study: Study, cell: Cell) -> Square:
        self.ran.append(cell.name)
        if cell.seed % 2 and self.odd_fail:
            raise LenseError("It is odd.")
        return Square(cell.seed**2)

    def row_of(self, study: Study, source: Source, line: str) -> Row:
        return {"sum": float(sum(one.square for one in self.done(study, source)))}


pytestmark = pytest.mark.usefixtures("tiny")


def test_every_cell_is_run_once_and_kept(tmp_path: Path) -> None:
    study, first, second = tiny_paper.study(tmp_path, 2, 3), Squares(), Squares()
    first.run(study)
    second.run(replace(study, seeds=(2, 3, 4)))
    assert (first.ran, second.ran) == (["tiny-mvc-2", "tiny-mvc-3"], ["tiny-mvc-4"])
    assert len((tmp_path / "squares.jsonl").read_text().splitlines()) == 3


def test_what_fails_is_kept_the_others_go_on_and_the_next_run_tries_again(tmp_path: Path) -> None:
    study = tiny_paper.study(tmp_path, 1, 2)
    bad, good = Squares(odd_fail=True), Squares()
    bad.run(study)
    assert [bad.state(study, Cell(SOURCE, seed)) for seed in (1, 2, 3)] == [
        "failed: It is odd.",
        "done",
        "not run",
    ]
    assert bad.state(study, Cell(Source("absent", "mvc"), 0)) == "data not at hand: lense data get absent"
    good.run(study)
    assert good.ran == ["tiny-mvc-1"]


def test_a_record_that_a_worker_wrote_to_a_folder_of_its_own_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, cell = tiny_paper.study(tmp_path, 2), Cell(SOURCE, 2)
    found = cell, study.record(cell, Square(4))
    monkeypatch.setattr("lense.experiments.experiment.run_pieces", lambda *_: (one for one in [found]))
    assert Squares().state(study, cell) == "not run"
    Squares().run(study)
    assert Squares().state(study, cell) == "done"


def test_an_interruption_loses_nothing_that_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study, squares = tiny_paper.study(tmp_path, 0, 1), Squares()
    run_cell = Squares.run_cell

    def interrupted(self: Squares, study: Study, cell: Cell) -> Square:
        if cell.seed == 1:
            raise KeyboardInterrupt
        return run_cell(self, study, cell)

    with monkeypatch.context() as patch:
        patch.setattr(Squares, "run_cell", interrupted)
        with pytest.raises(KeyboardInterrupt):
            squares.run(study)
    squares.run(study)
    assert squares.ran == ["tiny-mvc-0", "tiny-mvc-1"]


def test_a_graph_that_changed_makes_a_record_outdated(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    write_graph(tiny_paper.GRAPH, path)
    study = tiny_paper.study(tmp_path, sources=(Source(str(path), "mvc"),))
    Squares().run(study)
    path.write_text(path.read_text() + "1000 1001\n")
    assert Squares().state(study, Cell(study.sources[0], 0)) == "outdated: the graph has changed since"


def test_results_of_another_budget_or_number_of_walks_are_not_mixed_in(tmp_path: Path) -> None:
    study = tiny_paper.study(tmp_path)
    Squares().run(study)
    with pytest.raises(LenseError, match="another budget, 8"):
        Squares().run(replace(study, budget=9))
    with pytest.raises(LenseError, match="2 walks each"):
        Squares().run(replace(study, episodes=3))


def test_a_table_shows_what_was_asked_for_and_files_have_all(tmp_path: Path) -> None:
    Squares().run(tiny_paper.study(tmp_path, 3))
    made = reproduce(Squares(), tiny_paper.study(tmp_path, 2))
    assert made.tables == [("Squares", ("problem", "graph", "sum of squares", "note"), [("mvc", "tiny", "13.000", "")])]
    assert [file.name for file in made.files] == ["squares.csv", "squares.md", "squares.tex"]
    csv, page, _ = (file.read_text() for file in made.files)
    assert csv.splitlines() == [
        "problem,graph,sum,note",
        "mvc,tiny,13,",
        "mvc,absent,0,data not at hand: lense data get absent",
    ]
    assert page.endswith("| mvc | absent | 0.000 | data not at hand |\n\nA note.\n")


def test_status_counts_cells_by_their_state_and_runs_nothing(tmp_path: Path) -> None:
    study = tiny_paper.study(tmp_path, 1, 2)
    Squares(odd_fail=True).run(study)
    before = sorted(tmp_path.rglob("*"))
    found = status(study, [Squares()])
    names = {"experiment": "squares", "problem": "mvc"}
    missing = {"data not at hand: lense data get absent": ["absent-mvc-1", "absent-mvc-2"]}
    assert found == [
        {**names, "graph": "tiny", "cells": {"failed: It is odd.": ["tiny-mvc-1"], "done": ["tiny-mvc-2"]}},
        {**names, "graph": "absent", "cells": missing},
    ]
    assert SUMMARY == ("experiment", "cells", "done", "failed", "not run", "outdated", "no data")
    assert summary(found) == [("squares", "4", "1", "1", "0", "0", "2")]
    assert undone(found, most=1) == [
        "squares, failed: It is odd.: tiny-mvc-1",
        "squares, data not at hand: lense data get absent: absent-mvc-1 and 1 more",
    ]
    assert [row["graph"] for row in status(study, [Squares()], ["tiny"], ["mvc"])] == ["tiny"]
    assert sorted(tmp_path.rglob("*")) == before


def test_experiments_are_known_without_torch_and_matplotlib() -> None:
    program = "import sys, lense.experiments; print([one for one in ('torch', 'matplotlib') if one in sys.modules])"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_a_model_that_changed_makes_its_records_outdated(results: Path) -> None:
    study, table1 = tiny_paper.study(results), EXPERIMENTS["table1"]
    assert table1.state(study, Cell(SOURCE, 0, "lense")) == "done"
    (results / "models" / "tiny-mvc-0" / "note.txt").write_text("another model now")
    assert table1.state(study, Cell(SOURCE, 0, "lense")) == "outdated: the model has changed since"
    assert table1.state(study, Cell(SOURCE, 0, "gnn-r")) == "done"
