"""What pruning saves, or costs, on growing shares of a graph's edges."""

from pathlib import Path

from lense.experiments import reproduce
from lense.experiments.scalability import OneWalk, Scalability, ScalingFigures
from lense.experiments.store import Size
from lense.experiments.study import Source
from tests.experiments import tiny_paper

FIGURES = ScalingFigures("greedy", Size(9, 9), 6.0, [OneWalk(1, 1, 0.9, 3, 4)], 2.0)


def test_speed_up_is_the_whole_graphs_time_over_that_of_pruning_and_solving() -> None:
    figures = ScalingFigures("mip", Size(9, 9), 6.0, [OneWalk(1.0, 1.0, 0.9, 3, 4), OneWalk(1.0, 3.0, 0.8, 4, 5)])
    assert Scalability().values(figures)["speed_up"] == [3.0, 1.5]
    assert Scalability().values(figures)["edges"] == [4, 5]


def test_every_share_is_timed_with_the_heuristic_asked_for_and_both_pruners(results: Path) -> None:
    source = Source("tiny", "mvc", {"solver": "mip"})
    study = tiny_paper.study(results, sources=(source,), episodes=1)
    made = reproduce(Scalability(), study)
    ((_, _, lines),) = made.tables
    assert [line[2:4] for line in lines[::9]] == [("20 %", "lense"), ("100 %", "core")]
    lense, core = (Scalability().done(study, source, name)[0] for name in ("100", "100+core"))
    assert lense.score == core.score
    test = source.case(0).test
    assert lense.solver == "mip"
    assert lense.graph == core.graph == Size(test.num_vertices, test.num_edges)
    assert (results / "scalability-tiny-mvc+solver-mip.png").is_file()
    assert not (results / "models" / "tiny-mvc+solver-mip-0").exists()


def test_cells_with_other_numbers_of_walks_may_stand_in_one_table(results: Path) -> None:
    study = tiny_paper.study(results, episodes=1)
    Scalability().store(results).keep(*(study.record(cell, FIGURES) for cell in Scalability().cells(study)))
    assert len(Scalability().rows(tiny_paper.study(results, episodes=9))) == 10
