"""Labelled subgraphs: random root sets, classed by how good the heuristic's answer on their subgraphs is."""

import logging
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lense.errors import LenseError
from lense.graph import Graph, barabasi_albert
from lense.graph.subgraph import subgraph
from lense.navigation.labels import LabelledSubgraphs, LabelSettings, classify, label_subgraphs
from lense.paper import CUTOFFS as PAPER_CUTOFFS
from lense.problems import Problem
from tests.learning import BUDGET, PROBLEM, SETTINGS, Stopped, graph, samples

Search = Callable[..., Any]
PER_CLASS = SETTINGS.labels.samples_per_class


def labelled(*, seed: int = 0, journal: Path | None = None, **changes: Any) -> LabelledSubgraphs:
    settings = replace(SETTINGS.labels, **changes)
    return label_subgraphs(PROBLEM, graph(), BUDGET, settings, seed=seed, journal=journal)


def few(roots: int, **changes: Any) -> LabelSettings:
    return LabelSettings(roots=roots, samples_per_class=10, **changes)


def same(one: LabelledSubgraphs, other: LabelledSubgraphs) -> bool:
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in fields(LabelledSubgraphs))


def test_the_classes_are_the_papers_and_a_cut_off_belongs_to_the_class_below() -> None:
    assert PAPER_CUTOFFS == (0.95, 0.8, 0.6)
    ratios = np.array([1.02, 0.9501, 0.95, 0.81, 0.8, 0.61, 0.6, 0.0])
    assert classify(ratios, PAPER_CUTOFFS).tolist() == [1, 1, 2, 2, 3, 3, 4, 4]


def test_a_ratio_is_the_score_of_the_answer_on_the_subgraph_over_that_on_the_graph() -> None:
    """Both scores are taken on the whole graph; greedy draws no random numbers, so they can be found again."""
    score = PROBLEM.solve(graph(), BUDGET, np.random.default_rng(5)).score
    assert samples().score == score
    for roots, ratio in zip(samples().roots, samples().ratios, strict=True):
        part = subgraph(graph(), roots)
        answer = part.vertices[PROBLEM.solve(part.graph, BUDGET, np.random.default_rng(5)).indices]
        assert ratio == PROBLEM.objective(graph(), answer) / score


def test_there_are_as_many_samples_of_each_class_and_labels_follow_the_ratios() -> None:
    assert samples().classes == [1, 2, 3, 4]
    assert np.bincount(samples().labels).tolist() == [0, *[PER_CLASS] * 4]
    expected = [1 + sum(ratio <= cutoff for cutoff in PAPER_CUTOFFS) for ratio in samples().ratios]
    assert samples().labels.tolist() == expected


def test_a_class_that_cannot_be_reached_is_dropped_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        drawn = labelled(cutoffs=(0.95, 0.8, 0.01))
    assert drawn.classes == [1, 2, 3]
    assert [record.getMessage().split(" is dropped")[0] for record in caplog.records] == ["class 4 of the subgraphs"]


def test_where_the_cut_offs_part_nothing_they_are_laid_evenly_over_what_is_reached(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        drawn = labelled(cutoffs=(0.03, 0.02, 0.01))
    high, middle, low = drawn.cutoffs
    assert high - middle == pytest.approx(middle - low, abs=2e-4)
    assert 0.03 < low < high < drawn.ratios.max()
    assert {1, 2, 3} <= set(drawn.classes)
    assert "so their classes are separated at" in caplog.records[0].getMessage()


def test_a_single_class_teaches_nothing_and_is_refused() -> None:
    """Any three of these vertices cover as much as any others."""
    ring = Graph.from_edges(np.arange(60), (np.arange(60) + 1) % 60)
    with pytest.raises(LenseError, match="nothing to learn: take fewer roots"):
        label_subgraphs(PROBLEM, ring, 3, few(20))


@pytest.mark.parametrize("roots", [BUDGET, graph().num_vertices - BUDGET + 1])
def test_roots_must_outnumber_the_solution_and_leave_room_for_it(roots: int) -> None:
    with pytest.raises(LenseError, match="more roots than solution vertices"):
        labelled(roots=roots)


def test_the_other_roots_may_all_be_isolated() -> None:
    """The only edges join the solution's vertices; the subgraph of one that is drawn with them is as good as all."""
    pairs = Graph.from_edges([0, 2], [1, 3], num_vertices=40)
    drawn = label_subgraphs(PROBLEM, pairs, 4, few(5, cutoffs=(0.9,)))
    assert drawn.classes == [1, 2]


def test_a_graph_whose_solution_is_worth_nothing_is_refused() -> None:
    loops = Graph.from_edges([0, 1], [0, 1], num_vertices=9, keep_self_loops=True)
    from lense.problems.bmc import BudgetedMaxCut

    with pytest.raises(LenseError, match="worth nothing"):
        label_subgraphs(BudgetedMaxCut(), loops, 1, few(2))


def stop_after(calls: int | None, monkeypatch: pytest.MonkeyPatch) -> list[Graph]:
    """Let the heuristic be run that often and no more; the list fills with the graphs it was run on."""
    seen: list[Graph] = []
    search: Search = Problem.search

    def counted(self: Problem, graph: Graph, *rest: Any, **options: Any) -> Any:
        if calls is not None and len(seen) >= calls:
            raise Stopped
        seen.append(graph)
        return search(self, graph, *rest, **options)

    monkeypatch.setattr(Problem, "search", counted)
    return seen


@pytest.mark.parametrize("calls", [0, 5, 60, 150])
def test_an_interrupted_run_goes_on_from_its_journal_to_the_same_result(
    calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LENSE_THREADS", "1")  # joblib leaves threads behind that would search on, and be counted
    journal = tmp_path / "journal.json"
    with monkeypatch.context() as patch:
        whole = stop_after(None, patch)
        assert same(labelled(), samples())
    with monkeypatch.context() as patch:
        stop_after(calls, patch)
        with pytest.raises(Stopped):
            labelled(journal=journal)
    with monkeypatch.context() as patch:
        again = stop_after(None, patch)
        assert same(labelled(journal=journal), samples())
    assert len(again) <= len(whole)
    assert len(again) < len(whole) or calls < 60


@pytest.mark.parametrize("text", ['{"class 1 from 0": [0.5', "\x00\x01", "[]"])
def test_a_damaged_journal_is_reported(text: str, tmp_path: Path) -> None:
    (tmp_path / "journal.json").write_text(text)
    with pytest.raises(LenseError, match=r"journal.json is damaged: delete it"):
        labelled(journal=tmp_path / "journal.json")


def test_other_problems_and_directed_graphs_can_be_labelled() -> None:
    from lense.problems.bmc import BudgetedMaxCut

    sources, targets, _ = barabasi_albert(200, 3, np.random.default_rng(0)).edges()
    arcs = Graph.from_edges(sources, targets, directed=True)
    drawn = label_subgraphs(BudgetedMaxCut(), arcs, 6, few(12, cutoffs=(0.9, 0.6)))
    assert np.bincount(drawn.labels).tolist() == [0, 10, 10, 10]
