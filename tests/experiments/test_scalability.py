"""What pruning saves or costs on growing shares of a graph."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from lense.evaluation import evaluate
from lense.experiments.reproduce import chosen_sources, reproduce
from lense.experiments.scalability import Scalability, share_of_edges
from lense.experiments.study import Cell, make_source
from lense.pruners import load
from tests.experiments import tiny_paper


@pytest.fixture
def few_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scalability, "variants", ("50", "100"))


def test_a_share_of_the_edges_and_the_vertices_they_touch() -> None:
    part = share_of_edges(tiny_paper.GRAPH, 0.5, 3)
    assert part.num_edges == round(0.5 * tiny_paper.GRAPH.num_edges)
    assert (part.incident.indptr[1:] > part.incident.indptr[:-1]).all()
    assert share_of_edges(tiny_paper.GRAPH, 1, 3) is tiny_paper.GRAPH


def test_ratios_and_sizes_are_those_of_single_walks(results: Path, few_shares: None) -> None:
    study, source = tiny_paper.study(results, 0), make_source("tiny", "mvc")
    reproduce(Scalability(), study)
    record = Scalability().record(study, Cell(source, 0, "50"))
    assert record is not None
    case = source.case(0)
    graph = share_of_edges(case.test, 0.5, 0)
    assert record["graph"] == {"vertices": graph.num_vertices, "edges": graph.num_edges}
    model = load(results / "models" / "tiny-mvc-0", problem=case.problem)
    found = evaluate(model, graph, episodes=1, floors=False, prepared=True)
    first = record["episodes"][0]
    assert first["ratio"] == found.ratio
    assert 1 - first["vertices"] / graph.num_vertices == pytest.approx(found.vertices_pruned)
    assert 1 - first["edges"] / graph.num_edges == pytest.approx(found.edges_pruned)


def test_the_speed_up_is_the_whole_graphs_time_over_that_of_pruning_and_solving(
    results: Path, few_shares: None
) -> None:
    study = tiny_paper.study(results, 0)
    made = reproduce(Scalability(), study)
    with (results / "scalability.csv").open() as file:
        half, whole, *_ = csv.DictReader(file)
    assert (half["edges_pct"], whole["edges_pct"]) == ("50", "100")
    record = Scalability().record(study, Cell(make_source("tiny", "mvc"), 0, "100"))
    assert record is not None
    ratios = [
        record["heuristic_on_graph"] / (record["features"] + one["walk"] + one["heuristic"])
        for one in record["episodes"]
    ]
    assert float(whole["speed_up"]) == pytest.approx(sum(ratios) / len(ratios))
    assert float(whole["seconds_on_graph"]) == pytest.approx(record["heuristic_on_graph"])
    assert {file.name for file in made.files} >= {"scalability-tiny-mvc.pdf", "scalability-tiny-mvc.png"}
    ((title, _, lines),) = made.tables
    assert title.startswith("Scalability in seconds: mvc on tiny, heuristic ")
    assert [line[0] for line in lines] == ["50 %", "100 %"]


def test_another_heuristic_has_cells_of_its_own_and_the_same_model(results: Path, few_shares: None) -> None:
    sources = chosen_sources(Scalability(), ["tiny"], ["mvc"], {"solver": "stochastic-greedy"})
    study = replace(tiny_paper.study(results, 0), sources=sources)
    reproduce(Scalability(), study)
    record = Scalability().record(study, Cell(sources[0], 0, "100"))
    assert record is not None
    assert record["solver"] == "stochastic-greedy"
    assert (results / "scalability" / "pieces" / "tiny-mvc+solver-stochastic-greedy-0.100.json").exists()
    assert not (results / "models" / "tiny-mvc+solver-stochastic-greedy-0").exists()


def test_cells_with_another_number_of_walks_stand_beside_each_other(results: Path, few_shares: None) -> None:
    study = tiny_paper.study(results, 0)
    reproduce(Scalability(), study)
    fewer = replace(study, episodes=1, seeds=(0, 1))
    reproduce(Scalability(), fewer)
    with (results / "scalability.csv").open(newline="") as file:
        walks = {int(row["walks"]) for row in csv.DictReader(file) if row["graph"] == "tiny"}
    assert walks == {study.episodes + fewer.episodes}


def test_times_are_never_measured_side_by_side() -> None:
    assert Scalability().is_timed
