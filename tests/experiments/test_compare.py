"""Many pruners on one footing: same cases, same heuristic, all or nothing for each cell; and a folder that goes on."""

import json
import shutil
from dataclasses import asdict, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import lense
from lense._util import classes
from lense.errors import LenseError
from lense.evaluation import Yardstick
from lense.experiments import Source, Study
from lense.experiments.comparison import FILES, WHOLE, Comparison, PrunerFigures, rounded, run_comparison, size_taken
from lense.experiments.store import Record
from lense.experiments.study import Cell
from lense.graph import Graph, power_law, write_graph
from lense.graph.subgraph import Subgraph, kept_part, subgraph
from lense.navigation import LeNSE
from lense.problems.parts import MODES
from lense.pruners import Pruner, load, registry
from lense.pruners.degree import TopDegree
from tests import learning

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


def test_the_whole_graph_has_the_ceiling_of_its_own_solution(study: Study) -> None:
    run_comparison(study, ["top-degree"])
    whole, case = found(study, WHOLE).found, SOURCE.case(0)
    yardstick = Yardstick(case.problem, case.test, learning.BUDGET, seed=0)
    top = yardstick.measure(subgraph(case.test, np.array(whole.vertices)))
    assert whole.ceiling.vertices_pruned == rounded("vertices_pruned", top.vertices_pruned)
    assert whole.vertices == yardstick.best.indices.tolist()


def test_those_that_take_a_size_get_that_of_lense(study: Study) -> None:
    run_comparison(study, ["lense", "top-degree", "degree-walk", "quickprune"])
    size = found(study, "lense").found.size
    assert size["vertices"] == round(float(np.mean(found(study, "lense").found.parts.vertices)))
    assert found(study, "top-degree").found.given_size == {name: size[name] for name in ("vertices", "roots")}
    assert found(study, "degree-walk").found.given_size == {name: size[name] for name in ("roots", "steps")}
    assert size_taken("lense", size) is None
    assert found(study, "quickprune").found.given_size is found(study, "lense").found.given_size is None


def test_a_pruner_may_come_with_parameters_of_its_own(study: Study) -> None:
    names = ["top-roots", "top-roots:roots_per_budget=3", "top-degree:roots=5"]
    assert [row["pruner"] for row in run_comparison(study, ["lense", *names]).rows] == ["lense", *names]
    roots = [found(study, name).found.size["roots"] for name in names]
    assert roots == [10, 24, 5]
    assert found(study, names[0]).found.given_size is None
    assert found(study, names[2]).found.given_size.keys() == {"vertices"}


def test_steps_are_those_of_a_walk_with_the_budget_compared(study: Study, model_folder: Path) -> None:
    study = replace(study, budget=2 * learning.BUDGET)
    run_comparison(study, ["lense"])
    model, test = load(model_folder), SOURCE.case(0).test
    assert found(study, "lense").found.size["steps"] == model.num_steps(test, study.budget) > model.num_steps(test)


def test_without_lense_they_take_their_own_and_change_when_it_comes(study: Study) -> None:
    run_comparison(study, ["top-degree"])
    before = found(study, "top-degree").found
    assert before.given_size == {}
    assert before.parts.vertices == [3 * learning.BUDGET]
    rows = {row["pruner"]: row["roots"] for row in run_comparison(study, ["lense"]).rows}
    assert rows == dict.fromkeys(("lense", "top-degree"), found(study, "lense").found.size["roots"])


def test_a_pruner_that_fails_says_so_and_the_others_go_on(study: Study) -> None:
    run_comparison(study, ["broken", "top-degree"])
    assert found(study, "broken").error == "ZeroDivisionError: by nought"
    assert found(study, "top-degree").error is None


def test_a_part_without_edges_fails_as_a_subgraph_and_serves_as_a_ground_set(study: Study) -> None:
    run_comparison(study, ["loner"])
    figures = found(study, "loner").found
    assert figures.subgraph.ratio == [None]
    assert figures.subgraph.errors == ["The pruned graph has no edges, so there is nothing to solve."]
    assert 0 < figures.ground_set.ratio[0] < 1


def test_what_is_done_is_not_done_again_but_what_failed_is(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    run_comparison(study, ["broken", "top-degree"])
    first = found(study, "top-degree")
    monkeypatch.setattr(TopDegree, "prune", Broken.prune)
    monkeypatch.setattr(Broken, "prune", Loner.prune)
    run_comparison(study, ["broken", "top-degree"])
    assert found(study, "broken").error is None
    assert found(study, "top-degree") == first


def test_cells_side_by_side_find_the_same(study: Study, tmp_path: Path) -> None:
    path, ratios = tmp_path / "graph.txt", []
    write_graph(GRAPH, path)
    for jobs in (1, 2):
        its = replace(study, out=tmp_path / str(jobs), sources=(Source(str(path), "mvc"),), jobs=jobs)
        run_comparison(its, ["lense", "random"])
        ratios.append([found(its, name).found.subgraph.ratio for name in ("lense", "random")])
    assert ratios[0] == ratios[1]


def test_lense_is_trained_once_and_kept(tmp_path: Path) -> None:
    settings = {**learning.SETTINGS.as_dict(), "train_steps": 4, "epochs": 2, "looks": 1}
    path = tmp_path / "graph.txt"
    write_graph(learning.graph(), path)
    study = Study(tmp_path / "out", (Source(str(path), "mvc"),), (0,), learning.BUDGET, 1, settings=settings)
    run_comparison(study, ["lense"])
    first = found(study, "lense").found
    assert first.fit.seconds is not None
    assert isinstance(load(tmp_path / "out" / "models" / "graph-mvc-0"), LeNSE)
    (tmp_path / "out" / "records.jsonl").unlink()
    run_comparison(study, ["lense"])
    again = found(study, "lense").found
    assert (again.fit.note, again.subgraph.ratio) == ("given", first.subgraph.ratio)


def test_a_model_that_changed_is_walked_with_anew(study: Study, model_folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(model_folder, tmp_path / "model")
    study = replace(study, model=str(copy))
    run_comparison(study, ["lense"])
    before = found(study, "lense").model
    (copy / "training.csv").write_text((copy / "training.csv").read_text() + "\n")
    run_comparison(study, ["lense"])
    assert found(study, "lense").model != before


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


def test_all_is_written_as_tables_and_a_plot(plain: Study) -> None:
    found = run_comparison(plain, ["random", "top-degree"])
    assert [row["pruner"] for row in found.rows] == ["random", "top-degree"]
    json.dumps(found.rows, allow_nan=False)
    assert all((plain.out / name).stat().st_size > 0 for name in FILES)
    assert sorted(path.name for path in plain.out.iterdir()) == sorted([*FILES, ".lock", "plan.json", "records.jsonl"])


def test_from_python_it_takes_a_graph_and_names(graph_file: Path, tmp_path: Path) -> None:
    found = lense.compare(str(graph_file), "mvc", 5, ["top-degree", "random"], out=tmp_path, seeds=[0], episodes=1)
    assert [row["pruner"] for row in found.rows] == ["random", "top-degree"]
    assert (tmp_path / "table.csv").is_file()
