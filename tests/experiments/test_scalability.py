"""What pruning saves, or costs, on growing shares of a graph's edges."""

from dataclasses import replace
from pathlib import Path

import pytest

from lense.evaluation import Yardstick
from lense.experiments import reproduce
from lense.experiments.scalability import OneWalk, Scalability, ScalingFigures
from lense.experiments.store import Size
from lense.experiments.study import Cell, make_source
from lense.problems import Solution
from tests.experiments import tiny_paper

FIGURES = ScalingFigures("greedy", Size(9, 9), 6.0, [OneWalk(1, 1, 0.9, 3, 4)], 2.0)


def test_speed_up_is_the_whole_graphs_time_over_that_of_pruning_and_solving() -> None:
    figures = ScalingFigures("mip", Size(9, 9), 6.0, [OneWalk(1.0, 1.0, 0.9, 3, 4), OneWalk(1.0, 3.0, 0.8, 4, 5)])
    assert Scalability().values(figures)["speed_up"] == [3.0, 1.5]
    assert Scalability().values(figures)["edges"] == [4, 5]


def test_every_share_is_timed_with_the_heuristic_asked_for_and_both_pruners(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved, whole = [], Yardstick._solved

    def counted(self: Yardstick) -> Solution:
        solved.append(self.graph.num_edges)
        return whole(self)

    monkeypatch.setattr(Yardstick, "_solved", counted)
    source = make_source("tiny", "mvc", {"solver": "mip"})
    study = tiny_paper.study(results, sources=(source,), episodes=1)
    made = reproduce(Scalability(), study)
    ((_, headings, lines),) = made.tables
    assert [line[2:4] for line in lines] == [
        (f"{share} %", pruner) for share in (20, 40, 60, 80, 100) for pruner in ("lense", "core")
    ]
    assert headings[-3:] == ("kept", "ratio", "note")
    assert len(solved) == 5  # the whole graph is solved once for both pruners
    lense, core = (Scalability().done(study, source, name)[0] for name in ("100", "100+core"))
    assert (lense.solver, lense.seconds, lense.score) == (core.solver, core.seconds, core.score)
    test = source.case(0).test
    assert lense.solver == "mip"
    assert lense.graph == core.graph == Size(test.num_vertices, test.num_edges)
    assert (results / "scalability-tiny-mvc+solver-mip.png").is_file()
    assert not (results / "models" / "tiny-mvc+solver-mip-0").exists()


@pytest.mark.usefixtures("tiny")
def test_the_whole_graph_is_timed_again_where_it_was_timed_elsewhere_or_without_its_score(tmp_path: Path) -> None:
    study, experiment = tiny_paper.study(tmp_path, episodes=1), Scalability()
    cell = Cell(tiny_paper.SOURCE, 0, "100")
    record = study.record(cell, FIGURES)
    for known in (replace(record, machine={"cores": 999}), replace(record, figures=replace(FIGURES, score=None))):
        experiment.store(tmp_path).keep(known)
        assert experiment.run_cell(study, replace(cell, variant="100+core")).score != FIGURES.score
    experiment.store(tmp_path).keep(record)
    found = experiment.run_cell(study, replace(cell, variant="100+core"))
    assert (found.score, found.seconds) == (FIGURES.score, FIGURES.seconds)


def test_cells_with_other_numbers_of_walks_may_stand_in_one_table(results: Path) -> None:
    study = tiny_paper.study(results, episodes=1)
    Scalability().store(results).keep(*(study.record(cell, FIGURES) for cell in Scalability().cells(study)))
    assert len(Scalability().rows(tiny_paper.study(results, episodes=9))) == 10
