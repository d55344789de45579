"""The whole training: what it reports, warns of and keeps, and that nothing but its arguments decides it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lense._util.threads import num_threads
from lense.graph import Graph
from lense.graph.subgraph import subgraph
from lense.navigation import LeNSE, training
from lense.navigation.looks import Judgement, Look
from lense.navigation.q_learning import Navigator
from lense.navigation.settings import SETTING_NAMES
from tests import learning
from tests.conftest import tiny_settings


def test_subgraphs_are_judged_by_their_ratio_and_their_share_of_the_edges() -> None:
    samples, graph = learning.samples(), learning.graph()
    judge = partial(training._judged, learning.PROBLEM, graph, learning.BUDGET, samples.score)
    for roots, ratio in zip(samples.roots[:5], samples.ratios, strict=False):
        assert judge(roots) == (ratio, subgraph(graph, roots).graph.num_edges / graph.num_edges)


def test_what_was_learnt_is_also_tried_on_a_random_half_of_the_train_graphs_edges() -> None:
    graph, device = learning.graph(), torch.device("cpu")
    given = (learning.PROBLEM, graph, learning.BUDGET)
    half = training._half(*given, learning.SETTINGS, 3, device)
    assert half is not None
    assert half.graph.rows.indices.size == 2 * (graph.num_edges // 2)
    assert half.judge(np.arange(half.graph.num_vertices)) == (1.0, 1.0)
    for changes in ({"keep": "last"}, {"corrects_ranks": False}, {"roots": graph.num_vertices}):
        assert training._half(*given, learning.SETTINGS.changed(**changes), 3, device) is None


def test_the_report_says_what_was_learnt_from_and_how_well(trained: LeNSE) -> None:
    report = trained.report_
    assert report["trained_on"]["source"] == "a test"
    assert report["trained_on"]["vertices"] == learning.graph().num_vertices
    assert report["classes"] == [1, 2, 3, 4]
    assert report["heuristic_score"] == learning.samples().score
    assert report["encoder"]["order"] > 0
    navigator = report["navigator"]
    assert navigator["kept_after_updates"] > 0
    assert 0 < navigator["ratio"] <= 1
    assert 0 < navigator["edges"] < 1
    assert navigator["strength"] in (1.0, 0.5, 0.25, 0.125, 0.0625)
    assert set(navigator["start"]) == {"steps", "ratio", "edges"}
    assert navigator["steps"] == trained.learnt_.plan.steps
    assert set(report["versions"]) == {"lense", "torch", "torch_geometric", "numpy"}


def test_the_log_has_every_epoch_and_every_look(trained: LeNSE) -> None:
    log = trained.log_
    assert [epoch for epoch, _ in log.series("encoder", "loss")] == list(range(1, 13))
    assert [step for step, _ in log.series("navigator", "ratio")] == [0, 15, 60]
    assert [step for step, _ in log.series("navigator", "loss")] == [15, 60]


def test_what_walks_are_is_planned_by_the_settings_and_the_train_graph(trained: LeNSE) -> None:
    plan = trained.learnt_.plan
    assert (plan.roots, plan.longest, plan.ranks) == (learning.ROOTS, 6, True)
    assert plan.steps <= plan.longest
    assert plan.train_degree == 2 * learning.graph().num_edges / learning.graph().num_vertices


@contextmanager
def stopping_at(stage: str, step: int) -> Iterator[None]:
    """Interrupt a training when that step is reported."""
    keep = training._kept

    def kept(log: Any, reported: str, number: int, **figures: float) -> None:
        keep(log, reported, number, **figures)
        if (reported, number) == (stage, step):
            raise learning.Stopped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "_kept", kept)
        yield


def same_files(one: Path, other: Path) -> bool:
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in (one, other))
    return first == second


def new_model() -> LeNSE:
    return LeNSE("mvc", learning.BUDGET, settings=tiny_settings())


def test_a_training_that_is_interrupted_again_and_again_gives_the_same_model_bit_by_bit(
    model_folder: Path, tmp_path: Path
) -> None:
    for stage, step in (("encoder", 5), ("navigator", 0), ("navigator", 60)):
        with pytest.raises(learning.Stopped), stopping_at(stage, step):
            new_model().fit(learning.graph(), source="a test", checkpoint=tmp_path / "stages")
    resumed = new_model().fit(learning.graph(), source="a test", checkpoint=tmp_path / "stages")
    resumed.save(tmp_path / "model")
    assert same_files(tmp_path / "model", model_folder)


def test_the_number_of_threads_changes_no_bit_of_the_model(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LENSE_THREADS", "1" if num_threads() > 1 else "2")
    new_model().fit(learning.graph(), source="a test").save(tmp_path / "model")
    assert same_files(tmp_path / "model", model_folder)


def navigator(ratio: float, start: float | None) -> Navigator:
    def look(ratio: float) -> Look:
        return Look(6, 0.1, Judgement(ratio, 0.5), 3, None)  # type: ignore[arg-type]

    return Navigator(None, look(ratio), None if start is None else look(start), 1, 1)  # type: ignore[arg-type]


IN_PIECES = Graph.from_edges(np.arange(0, 20, 2), np.arange(1, 20, 2))


@pytest.mark.parametrize(
    ("graph", "found", "words"),
    [
        (learning.graph(), navigator(0.7, None), "reach only 70 % of the heuristic's score: learn longer"),
        (IN_PIECES, navigator(0.7, None), "that graph is in pieces"),
        (learning.graph(), navigator(0.9, 0.95), "reaches 0.950 and what was learnt 0.900: try the pruner rank-walk"),
    ],
)
def test_figures_that_are_not_good_warn_and_say_what_to_try(
    graph: Graph, found: Navigator, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        training._warn(graph, found)
    assert words in caplog.text
    assert len(caplog.records) == 1


@pytest.mark.parametrize("start", [None, 0.9, 0.95])
def test_good_ones_are_silent(start: float | None, caplog: pytest.LogCaptureFixture) -> None:
    training._warn(learning.graph(), navigator(0.95, start))
    assert not caplog.records


def test_the_model_is_drawn_by_the_cut_offs_that_were_used(caplog: pytest.LogCaptureFixture) -> None:
    """Where those given part nothing, others are laid, and the settings still say what was given."""
    given = (0.03, 0.02, 0.01)
    hasty = tiny_settings() | {"epochs": 1, "train_steps": 4, "looks": 1, "cutoffs": given}
    with caplog.at_level(logging.WARNING):
        model = LeNSE("mvc", learning.BUDGET, settings=hasty).fit(learning.graph())
    assert model.settings_.labels.cutoffs == given
    assert model.map_.cutoffs[-1] > given[0]
    assert "so their classes are separated at" in caplog.text


def test_the_settings_are_all_those_there_are(trained: LeNSE) -> None:
    assert set(trained.settings_.as_dict()) == set(SETTING_NAMES)
    assert trained.settings_ == replace(learning.SETTINGS).changed(**tiny_settings())
