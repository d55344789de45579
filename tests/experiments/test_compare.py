"""Many pruners on one footing: same cases, same heuristic, all or nothing for each piece."""

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import joblib
import numpy as np
import pytest

from lense.errors import LenseError
from lense.evaluation import Yardstick
from lense.experiments import Comparison, Source, compare
from lense.experiments.compare import all_pruners
from lense.experiments.report import summary
from lense.experiments.store import Record
from lense.graph import Graph, power_law, write_graph
from lense.parts import Subgraph, kept_part
from lense.pruners import LeNSE, Pruner, load, registry
from lense.pruners.degree import TopDegree
from tests import learning

GRAPH = power_law(300, 6, 2.3, np.random.default_rng(1))


class Broken(Pruner):
    """Always fails, with a fault of its own."""

    name: ClassVar[str] = "broken"

    def prune(self, graph: Graph, *, budget: float | None = None, seed: int = 0, prepared: bool = False) -> Subgraph:
        raise ZeroDivisionError("by nought")


class Loner(Broken):
    """Keeps two vertices that have no edge in common, on which nothing can be solved."""

    name: ClassVar[str] = "loner"

    def prune(self, graph: Graph, *, budget: float | None = None, seed: int = 0, prepared: bool = False) -> Subgraph:
        rows = graph.incident
        strangers = np.setdiff1d(np.arange(graph.num_vertices), rows.indices[rows.indptr[0] : rows.indptr[1]])
        return kept_part(graph, [0, strangers[-1]])


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pruners more, as if another package had brought them."""
    known = registry.pruner_entries()
    for kind in (Broken, Loner):
        known[kind.name] = EntryPoint(kind.name, f"{__name__}:{kind.__name__}", "lense.pruners")
    monkeypatch.setattr(registry, "pruner_entries", lambda: known)


def plan(model_folder: Path, *pruners: str, seeds: tuple[int, ...] = (0,), **changes: Any) -> Comparison:
    source = Source(GRAPH, "mvc", train_share=0.4)
    made = Comparison(source, learning.BUDGET, pruners, seeds, episodes=2, model=str(model_folder))
    return replace(made, **changes)


def test_every_pruner_gets_the_same_graph_seed_and_heuristic(model_folder: Path, tmp_path: Path) -> None:
    wanted = plan(model_folder, "lense", "top-degree", seeds=(0, 5))
    records = compare(wanted, tmp_path)
    assert [(record["pruner"], record["seed"]) for record in records] == [
        ("lense", 0),
        ("lense", 5),
        ("top-degree", 0),
        ("top-degree", 5),
    ]
    for record in records:
        case = wanted.source.case(record["seed"])
        yardstick = Yardstick(case.problem, case.test, learning.BUDGET, seed=record["seed"])
        pruner: Pruner = (
            load(model_folder, problem=case.problem)
            if record["pruner"] == "lense"
            else TopDegree(case.problem, learning.BUDGET, **record["given_size"])
        )
        parts = pruner.parts(case.test, episodes=2, seed=record["seed"], prepared=True)
        for mode in ("subgraph", "ground-set"):
            for i, part in enumerate(parts):
                again = asdict(yardstick.measure(part, i, mode))
                assert {name: record[mode][i][name] for name in again if name != "seconds"} == {
                    name: value for name, value in again.items() if name != "seconds"
                }


def test_those_that_take_a_size_get_that_of_lense(model_folder: Path, tmp_path: Path) -> None:
    walked, ranked = compare(plan(model_folder, "lense", "top-degree"), tmp_path)
    vertices = round(float(np.mean([part["vertices"] for part in walked["parts"]])))
    assert ranked["given_size"] == {"vertices": vertices, "roots": learning.SETTINGS.roots}
    assert ranked["parts"][0]["vertices"] == vertices
    assert ranked["parts"][0]["roots"] == learning.SETTINGS.roots


def test_without_lense_they_take_their_own(model_folder: Path, tmp_path: Path) -> None:
    (ranked,) = compare(plan(model_folder, "top-degree"), tmp_path)
    assert ranked["given_size"] == {}
    assert ranked["parts"][0]["vertices"] == 3 * learning.BUDGET


def test_a_size_that_comes_to_be_known_makes_the_piece_anew(model_folder: Path, tmp_path: Path) -> None:
    (before,) = compare(plan(model_folder, "top-degree"), tmp_path)
    _, after = compare(plan(model_folder, "lense", "top-degree"), tmp_path)
    assert before["parts"] != after["parts"]


def test_a_pruner_that_fails_says_so_and_the_others_go_on(model_folder: Path, tmp_path: Path) -> None:
    broken, good = compare(plan(model_folder, "broken", "top-degree"), tmp_path)
    assert (broken["status"], broken["error"]) == ("failed", "ZeroDivisionError: by nought")
    assert good["status"] == "done"


def test_a_part_without_edges_fails_as_a_subgraph_and_serves_as_a_ground_set(
    model_folder: Path, tmp_path: Path
) -> None:
    (record,) = compare(plan(model_folder, "loner"), tmp_path)
    assert record["subgraph"] == [{"error": "The pruned graph has no edges, so there is nothing to solve."}]
    assert 0 < record["ground-set"][0]["ratio"] < 1


def test_what_is_done_is_not_done_again_but_what_failed_is(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = compare(plan(model_folder, "broken", "top-degree"), tmp_path)
    monkeypatch.setattr(TopDegree, "prune", Broken.prune)
    monkeypatch.setattr(Broken, "prune", Loner.prune)
    mended, same = compare(plan(model_folder, "broken", "top-degree"), tmp_path)
    assert mended["status"] == "done"
    assert same == first[1]


def test_a_piece_left_out_by_an_interruption_is_all_that_is_run(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = compare(plan(model_folder, "lense", "random", "top-degree"), tmp_path)
    (tmp_path / "pieces" / "random.0.json").unlink()
    ran = []
    prune = Pruner.parts

    def counted(self: Pruner, *args: Any, **options: Any) -> Any:
        ran.append(self.name)
        return prune(self, *args, **options)

    monkeypatch.setattr(Pruner, "parts", counted)
    again = compare(plan(model_folder, "lense", "random", "top-degree"), tmp_path)
    assert set(ran) == {"random"}
    assert [record["subgraph"][0]["ratio"] for record in again] == [record["subgraph"][0]["ratio"] for record in whole]


def test_pieces_side_by_side_find_the_same(model_folder: Path, tmp_path: Path) -> None:
    pruners, ratios = ("lense", "random", "top-degree"), []
    for jobs in (1, 2):
        records = compare(plan(model_folder, *pruners, seeds=(0, 1)), tmp_path / str(jobs), jobs=jobs)
        ratios.append(
            [one["ratio"] for record in records for mode in ("subgraph", "ground-set") for one in record[mode]]
        )
    assert ratios[0] == ratios[1]


def test_what_learns_is_fitted_once_and_kept(tmp_path: Path) -> None:
    settings = {**asdict(learning.SETTINGS), "train_steps": 4, "epochs": 2, "looks": 1}
    wanted = Comparison(Source(learning.graph(), "mvc"), learning.BUDGET, ("lense",), (0,), 1, "auto", settings)
    (record,) = compare(wanted, tmp_path)
    assert record["fit"]["seconds"] > 0
    model = load(tmp_path / "models" / "lense.0")
    assert isinstance(model, LeNSE)
    assert not (tmp_path / "training" / "lense.0").exists()
    (tmp_path / "pieces" / "lense.0.json").unlink()
    (again,) = compare(wanted, tmp_path)
    assert again["fit"] == record["fit"]
    assert again["subgraph"][0]["ratio"] == record["subgraph"][0]["ratio"]


def test_another_budget_needs_another_folder(model_folder: Path, tmp_path: Path) -> None:
    compare(plan(model_folder, "top-degree"), tmp_path)
    with pytest.raises(LenseError, match=r"an experiment with another budget"):
        compare(plan(model_folder, "top-degree", budget=7), tmp_path)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"pruners": ()}, "at least one pruner"),
        ({"seeds": ()}, "at least one pruner and one seed"),
        ({"episodes": 0}, "at least one episode"),
        ({"pruners": ("top-degre",)}, "top-degree"),
        ({"budget": 10_000}, "budget must be a whole number"),
    ],
)
def test_what_cannot_be_compared_is_told(
    changes: dict[str, Any], sentence: str, model_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(LenseError, match=sentence):
        compare(plan(model_folder, "top-degree", **changes), tmp_path)


def test_a_later_comparison_of_a_few_adds_to_what_is_there(model_folder: Path, tmp_path: Path) -> None:
    before = compare(plan(model_folder, "lense", "top-degree"), tmp_path)
    (again,) = compare(plan(model_folder, "top-degree"), tmp_path)
    assert again == before[1]
    (new,) = compare(plan(model_folder, "random"), tmp_path)
    assert new["given_size"] == again["given_size"]
    found = summary(plan(model_folder, "random"), tmp_path)
    assert [row["pruner"] for row in found["rows"]] == ["lense", "random", "top-degree"]


def test_lense_added_later_brings_those_that_are_there_to_its_size(model_folder: Path, tmp_path: Path) -> None:
    compare(plan(model_folder, "top-degree"), tmp_path)
    (walked,) = compare(plan(model_folder, "lense"), tmp_path)
    sizes = {row["pruner"]: row["roots"] for row in summary(plan(model_folder, "lense"), tmp_path)["rows"]}
    assert sizes == {"lense": walked["size"]["roots"], "top-degree": walked["size"]["roots"]}


def file_plan(path: Path, **reading: Any) -> Comparison:
    return Comparison(Source(str(path), "mvc", reading=reading), learning.BUDGET, ("top-degree",), (0,))


def test_a_file_that_changed_or_is_read_otherwise_needs_another_folder(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    write_graph(GRAPH, path)
    compare(file_plan(path), tmp_path / "out")
    with pytest.raises(LenseError, match=r"with another reading"):
        compare(file_plan(path, keep_duplicates=True), tmp_path / "out")
    write_graph(learning.graph(), path)
    with pytest.raises(LenseError, match=r"with another files"):
        compare(file_plan(path), tmp_path / "out")


def test_a_model_that_changed_is_walked_with_anew(model_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(model_folder, copy)
    (before,) = compare(plan(copy, "lense"), tmp_path / "out")
    (copy / "training.csv").write_text((copy / "training.csv").read_text() + "\n")
    (after,) = compare(plan(copy, "lense"), tmp_path / "out")
    assert before["given_model"] != after["given_model"]


def test_a_model_that_is_lost_is_fitted_anew(tmp_path: Path) -> None:
    wanted = Comparison(Source(learning.graph(), "mvc"), learning.BUDGET, ("gcomb-p",), (0,))
    (record,) = compare(wanted, tmp_path)
    shutil.rmtree(tmp_path / "models")
    (tmp_path / "pieces" / "gcomb-p.0.json").unlink()
    (again,) = compare(wanted, tmp_path)
    assert again["subgraph"][0]["ratio"] == record["subgraph"][0]["ratio"]


def test_a_start_that_fails_leaves_no_trace(model_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(LenseError, match="budget"):
        compare(plan(model_folder, "top-degree", budget=10_000), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_pruner_whose_process_dies_gets_a_row_and_the_others_go_on(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_pieces(work: Any, pieces: Sequence[Any], _jobs: int | None, died: Any) -> Iterator[Record]:
        for piece in pieces:
            yield died(piece) if "random" in piece else work(*piece)

    monkeypatch.setattr(sys.modules["lense.experiments.compare"], "run_pieces", run_pieces)
    records = compare(plan(model_folder, "random", "top-degree"), tmp_path)
    assert [(record["pruner"], record["status"]) for record in records] == [
        ("random", "failed"),
        ("top-degree", "done"),
    ]
    assert records[0]["error"] == "Its process died."
    assert json.loads((tmp_path / "pieces" / "random.0.json").read_text())["status"] == "failed"


def test_jobs_are_those_of_joblibs_configuration_unless_given(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def parallel(**options: Any) -> joblib.Parallel:
        asked.append(options["n_jobs"])
        return joblib.Parallel(**options)

    monkeypatch.setattr("lense.experiments.workers.Parallel", parallel)
    compare(plan(model_folder, "top-degree"), tmp_path)
    assert set(asked) == {None}


def test_all_pruners_are_those_registered_lense_first() -> None:
    names = all_pruners()
    assert names[0] == "lense"
    assert {"gnn-r", "gnn-t", "gcomb-p", "quickprune", "sparsification", "combhelper", "gcn"} <= set(names)


def test_the_summary_is_written_as_tables_and_pictures(model_folder: Path, tmp_path: Path) -> None:
    wanted = plan(model_folder, "lense", "broken", "top-degree")
    compare(wanted, tmp_path)
    found = summary(wanted, tmp_path)
    assert sorted(found["files"]) == ["front.png", "front.svg", "table.csv", "table.md"]
    assert all((tmp_path / name).stat().st_size > 0 for name in found["files"])
    page = (tmp_path / "table.md").read_text()
    assert "failed: broken (1 of 1 seeds): ZeroDivisionError: by nought" in page
    assert "| top-degree |" in page
    assert [row["pruner"] for row in found["rows"]] == ["lense", "top-degree", "broken"]
    json.dumps(found, allow_nan=False)
