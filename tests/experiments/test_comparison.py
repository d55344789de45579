"""Pruners on one graph: cells on the same footing, a folder that continues, and from records to rows and tables."""

import json
from dataclasses import asdict, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import networkx
import numpy as np
import pytest

import lense
from lense._util import classes
from lense.errors import LenseError
from lense.evaluation import Yardstick
from lense.experiments import Source, Study
from lense.experiments.comparison import (
    FILES,
    WHOLE,
    Comparison,
    OneGraph,
    PrunerFigures,
    rounded,
    run_comparison,
    size_taken,
)
from lense.experiments.store import Record
from lense.experiments.study import Cell
from lense.graph import Graph, power_law, write_graph
from lense.graph.subgraph import Subgraph, kept_part, subgraph
from lense.problems.parts import MODES
from lense.pruners import Pruner, load, registry
from lense.pruners.ranking import TopDegree
from tests import learning
from tests.experiments.records import WHOLES, failed, record, rows


def test_a_row_is_the_mean_over_seeds_of_the_means_over_parts() -> None:
    (row,) = rows(record("random", 0, (0.2, 0.5), (0.4, 0.7)), record("random", 1, (0.9, 0.8)))
    assert row["subgraph"]["ratio"] == pytest.approx((0.3 + 0.9) / 2)
    assert row["subgraph"]["ratio_stderr"] == pytest.approx(np.std([0.3, 0.9], ddof=1) / np.sqrt(2))
    assert row["ground-set"]["combined"] == pytest.approx(((0.2 * 0.5 + 0.4 * 0.7) / 2 + 0.9 * 0.8) / 2)
    assert (row["seeds"], row["failed"], row["error"]) == (2, 0, None)
    assert (row["fit_seconds"], row["prune_seconds"], row["peak_bytes"]) == (2.0, 0.25, 2**21)


def test_the_front_is_what_no_other_beats_in_ratio_and_share() -> None:
    rng = np.random.default_rng(0)
    points = [(float(r), float(p)) for r, p in rng.integers(0, 6, (30, 2)) / 5]
    found = rows(*(record(f"p{i}", 0, point) for i, point in enumerate(points)))
    for row in found:
        ratio, pruned = points[int(row["pruner"][1:])]
        beaten = any(r >= ratio and p >= pruned and (r > ratio or p > pruned) for r, p in points)
        assert row["subgraph"]["front"]["vertices_pruned"] is not beaten


def test_a_pruner_that_always_failed_has_a_row_that_says_so() -> None:
    found = OneGraph([WHOLES[0], failed("gcn", 0), failed("gcn", 1), record("random", 0, (0.5, 0.5))])
    bad, good = found.rows
    assert (bad["seeds"], bad["failed"], bad["subgraph"], bad["fit_seconds"]) == (0, 2, None, None)
    assert good["subgraph"]["front"] == {"vertices_pruned": True, "edges_pruned": True}
    assert found.failures() == ["failed: gcn (2 of 2 seeds): There is no such thing."]
    assert found.tables()[0][2][0] == ("gcn", "failed", "–", "–", "–")


def test_times_are_in_multiples_of_the_heuristics() -> None:
    found = OneGraph([*WHOLES, record("random", 0, (0.5, 0.5))])
    assert found.ceiling == pytest.approx((0.9 + 0.95) / 2)
    assert found.failures() == ["not run with all 2 seeds: random"]
    assert found.tables()[2][2][0][1:3] == ("0.5", "0.062")


GRAPH = power_law(300, 6, 2.3, np.random.default_rng(1))
SOURCE = Source(GRAPH, "mvc", train_share=0.4)


class Broken(Pruner):
    """Always fails, with a fault of its own."""

    name: ClassVar[str] = "broken"

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        raise ZeroDivisionError("by nought")


class Loner(Broken):
    """Keeps two vertices that have no edge in common, on which nothing can be solved."""

    name: ClassVar[str] = "loner"

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        rows = graph.incident
        strangers = np.setdiff1d(np.arange(graph.num_vertices), rows.indices[rows.indptr[0] : rows.indptr[1]])
        return kept_part(graph, [0, strangers[-1]])


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pruners more, as if another package had brought them."""
    known = {name: classes.registered(name) for name in ("lense.pruners", "lense.problems")}
    for kind in (Broken, Loner):
        entry = EntryPoint(kind.name, f"{__name__}:{kind.__name__}", "lense.pruners")
        known["lense.pruners"][kind.name] = entry
    for module in (classes, registry):
        monkeypatch.setattr(module, "registered", known.__getitem__)


@pytest.fixture
def study(model_folder: Path, tmp_path: Path) -> Study:
    return Study(tmp_path / "out", (SOURCE,), (0,), learning.BUDGET, 2, model=str(model_folder))


def found(study: Study, name: str, seed: int = 0) -> Record[Any]:
    """The record of one pruner."""
    return Comparison().records(study)[Cell(study.sources[0], seed, name).key]


def test_every_pruner_gets_the_same_graph_seed_and_heuristic(study: Study, model_folder: Path) -> None:
    study = replace(study, seeds=(0, 5))
    run_comparison(study, ["lense", "top-degree"])
    for seed in study.seeds:
        case = SOURCE.case(seed)
        yardstick = Yardstick(case.problem, case.test, learning.BUDGET, seed=seed)
        whole = found(study, WHOLE, seed).found
        assert whole.vertices == yardstick.best.indices.tolist()
        top = yardstick.measure(subgraph(case.test, yardstick.best.indices))
        assert whole.ceiling.vertices_pruned == rounded("vertices_pruned", top.vertices_pruned)
        for name in ("lense", "top-degree"):
            figures: PrunerFigures = found(study, name, seed).found
            given = figures.given_size or {}
            model = load(model_folder, problem=case.problem)
            pruner: Pruner = model if name == "lense" else TopDegree(case.problem, learning.BUDGET, **given)
            for i, part in enumerate(pruner.parts(case.test, episodes=2, seed=seed, prepared=True)):
                for mode in MODES:
                    again = asdict(yardstick.measure(part, i, mode))
                    for column in ("ratio", "vertices_pruned", "edges_pruned"):
                        assert getattr(figures.measures(mode), column)[i] == rounded(column, again[column])


def test_those_that_take_a_size_get_that_of_lense(study: Study) -> None:
    run_comparison(study, ["lense", "top-degree", "degree-walk", "quickprune"])
    size = found(study, "lense").found.size
    assert size["vertices"] == round(float(np.mean(found(study, "lense").found.parts.vertices)))
    assert found(study, "top-degree").found.given_size == {name: size[name] for name in ("vertices", "roots")}
    assert found(study, "degree-walk").found.given_size == {name: size[name] for name in ("roots", "steps")}
    assert size_taken("lense", size) is None
    assert found(study, "quickprune").found.given_size is found(study, "lense").found.given_size is None


def test_a_pruner_may_come_with_parameters_of_its_own(study: Study) -> None:
    names = ["top-degree:roots=5", "top-roots", "top-roots:roots_per_budget=3"]
    assert [row["pruner"] for row in run_comparison(study, ["lense", *names]).rows] == ["lense", *names]
    roots = [found(study, name).found.size["roots"] for name in names]
    assert roots == [5, 10, 24]
    assert found(study, names[1]).found.given_size is None
    assert found(study, names[0]).found.given_size.keys() == {"vertices"}


def test_without_lense_they_take_their_own_and_change_when_it_comes(study: Study) -> None:
    run_comparison(study, ["top-degree"])
    before = found(study, "top-degree").found
    assert before.given_size == {}
    assert before.parts.vertices == [3 * learning.BUDGET]
    rows = {row["pruner"]: row["roots"] for row in run_comparison(study, ["lense"]).rows}
    assert rows == dict.fromkeys(("lense", "top-degree"), found(study, "lense").found.size["roots"])


def test_a_part_without_edges_fails_as_a_subgraph_and_serves_as_a_ground_set(study: Study) -> None:
    run_comparison(study, ["loner"])
    figures = found(study, "loner").found
    assert figures.subgraph.ratio == [None]
    assert figures.subgraph.errors == ["The pruned graph has no edges, so there is nothing to solve."]
    assert 0 < figures.ground_set.ratio[0] < 1


def test_what_is_done_is_not_done_again_but_what_failed_is(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    run_comparison(study, ["broken", "top-degree"])
    first = found(study, "top-degree")
    assert found(study, "broken").error == "ZeroDivisionError: by nought"
    monkeypatch.setattr(TopDegree, "prune_graph", Broken.prune_graph)
    monkeypatch.setattr(Broken, "prune_graph", Loner.prune_graph)
    run_comparison(study, ["broken", "top-degree"])
    assert found(study, "broken").error is None
    assert found(study, "top-degree") == first


def test_a_pruner_has_no_cell_where_the_problem_is_not_for_it(tmp_path: Path) -> None:
    study = Study(tmp_path / "out", (Source(GRAPH, "im"),), (0,), learning.BUDGET, 2)
    assert {cell.variant for cell in Comparison(pruners=["bounds", "top-degree"]).cells(study)} == {WHOLE, "top-degree"}
    with pytest.raises(LenseError, match="None of these pruners is for im: bounds"):
        run_comparison(study, ["bounds"])


@pytest.fixture
def plain(tmp_path: Path) -> Study:
    path = tmp_path / "graph.txt"
    write_graph(power_law(300, 6, 2.3, np.random.default_rng(1)), path)
    return Study(tmp_path / "out", (Source(str(path), "mvc"),), (0,), learning.BUDGET, 2)


def test_a_folder_keeps_to_its_plan(plain: Study, tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    run_comparison(plain, ["top-degree"])
    with pytest.raises(LenseError, match="a comparison with another budget"):
        run_comparison(replace(plain, budget=7), ["top-degree"])
    with pytest.raises(LenseError, match="with another reading"):
        run_comparison(replace(plain, sources=(Source(str(path), "mvc", reading={"ids": "x"}),)), ["top-degree"])
    write_graph(learning.graph(), path)
    with pytest.raises(LenseError, match="with another files"):
        run_comparison(plain, ["top-degree"])


@pytest.mark.parametrize(
    ("changes", "pruners", "complaint"),
    [
        ({}, [], "at least one pruner"),
        ({"seeds": ()}, ["top-degree"], "at least one seed"),
        ({}, ["top-degre"], "top-degree"),
        ({"budget": 10_000}, ["top-degree"], "budget must be a whole number"),
    ],
)
def test_what_cannot_be_compared_is_said_and_leaves_no_trace(
    plain: Study, changes: dict[str, Any], pruners: list[str], complaint: str
) -> None:
    with pytest.raises(LenseError, match=complaint):
        run_comparison(replace(plain, **changes), pruners)
    assert not plain.out.exists()


def test_from_python_it_takes_what_the_command_takes(graph_file: Path, tmp_path: Path) -> None:
    star = networkx.relabel_nodes(networkx.star_graph(200), str)
    words: dict[str, Any] = {"problem": "im", "budget": 3, "pruners": ["top-degree"], "seeds": [0]}
    cascade = {"model": "constant", "probability": 0.1}  # where model= is that of LeNSE
    found = lense.compare(star, **words, out=tmp_path / "out", settings=cascade)
    assert found.source.text_options == {"model": "constant", "probability": "0.1"}
    json.dumps(found.rows, allow_nan=False)
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {*FILES, ".lock", "plan.json", "records.jsonl"}
    lense.compare(graph_file, **words, out=tmp_path / "file", directed=False)
    assert json.loads((tmp_path / "file" / "plan.json").read_text())["reading"] == {"directed": False}
    with pytest.raises(LenseError, match="epsilon is for the solver imm or opim-c"):
        lense.compare(star, **words, out=tmp_path / "none", solver="celf", epsilon=0.1)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").touch()
    with pytest.raises(LenseError, match="comparison"):
        lense.compare(star, **words, out=tmp_path / "other")
