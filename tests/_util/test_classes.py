"""Problems and pruners without packaging: a file and the name of a class in it, or the class itself."""

import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from lense import load, solve
from lense._util import classes
from lense.errors import LenseError
from lense.graph import power_law, write_graph
from lense.problems import get_problem
from lense.problems.base import problem_class
from lense.problems.mvc import MaxVertexCover
from lense.pruners import get_pruner, pruner_class
from tests.conftest import Command

MINE = """
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lense import Problem, Pruner, heuristic
from lense.graph.subgraph import subgraph


class TwoSteps(Pruner):
    name = "two-steps"

    def __init__(self, problem="mvc", budget=100, *, roots: int = 3):
        super().__init__(problem, budget)
        self.roots = roots

    def prune_graph(self, graph, budget, seed):
        return subgraph(graph, np.argsort(-graph.out_degrees)[: self.roots])


@dataclass(frozen=True, kw_only=True)
class MostEdges(Problem):
    name: ClassVar[str] = "most-edges"
    factor: float = 1.0

    def objective(self, graph, vertices):
        return self.factor * float(graph.out_degrees[np.asarray(vertices, int)].sum())

    @heuristic("largest")
    def largest(self, graph, budget, rng, candidates=None):
        pool = np.arange(graph.num_vertices) if candidates is None else np.asarray(candidates)
        return pool[np.argsort(-graph.out_degrees[pool], kind="stable")[: int(budget)]]


class Stranger:
    pass
"""


@pytest.fixture
def mine(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(MINE)
    return str(tmp_path / "mine.py")


@pytest.fixture
def graph_file(tmp_path: Path) -> str:
    write_graph(power_law(300, 6, 2.4, np.random.default_rng(1)), tmp_path / "graph.txt")
    return str(tmp_path / "graph.txt")


def test_every_command_takes_a_problem_and_a_pruner_in_a_file(
    lense: Command, mine: str, graph_file: str, tmp_path: Path
) -> None:
    task = ("--problem", f"{mine}:MostEdges", "--budget", "3")
    pruning = ("--pruner", f"{mine}:TwoSteps", "--set", "roots=8")
    assert (
        lense("solve", graph_file, *task, "--no-prune", "--set", "factor=2", "--json").json["problem"] == "most-edges"
    )
    assert lense("solve", graph_file, *task, *pruning, "--json").json["pruned"]["roots"] == 8
    assert lense("prune", graph_file, *task, *pruning, "--out", tmp_path / "part.txt").status == 0
    assert lense("evaluate", *task, *pruning, "--graph", graph_file, "--json").json["ratio"] > 0.9


def test_a_comparison_takes_them_too_also_in_processes(
    lense: Command, mine: str, graph_file: str, tmp_path: Path
) -> None:
    names = f"top-degree,{mine}:TwoSteps:roots=8"
    words = ("--problem", f"{mine}:MostEdges", "--budget", 3, "--pruners", names, "--jobs", 2, "--seeds", 1)
    done = lense("compare", graph_file, *words, "--out", tmp_path / "out", "--json")
    rows = {row["pruner"]: row for row in done.json["rows"]}
    assert rows[f"{mine}:TwoSteps:roots=8"]["error"] is None
    assert rows[f"{mine}:TwoSteps:roots=8"]["subgraph"]["ratio"] > 0.9


def test_a_model_of_ones_own_is_loaded_once_its_class_is_known(mine: str, tmp_path: Path) -> None:
    get_pruner(f"{mine}:TwoSteps", get_problem(f"{mine}:MostEdges"), 3).save(tmp_path / "model")
    assert load(tmp_path / "model").roots == 3


def test_a_model_of_a_problem_of_ones_own_is_used_once_its_file_is_named(
    lense: Command, mine: str, graph_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, task = tmp_path / "model", ("--problem", f"{mine}:MostEdges")
    assert lense("train", graph_file, *task, "--budget", 3, "--out", model).status == 0
    options = ("--model", model)
    commands: list[tuple[object, ...]] = [
        ("solve", graph_file, *options),
        ("evaluate", "--graph", graph_file, *options),
        ("prune", graph_file, *options, "--out", tmp_path / "part.txt"),
    ]
    for command in commands:
        monkeypatch.setattr(classes, "_known", {})  # as in another process
        lense(*command).assert_refused("most-edges", "--problem")
        assert lense(*command, *task).status == 0
    problem = get_problem(f"{mine}:MostEdges")
    monkeypatch.setattr(classes, "_known", {})
    assert solve(graph_file, problem, 3, pruner=model).problem == "most-edges"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nowhere.py:TwoSteps", "nowhere.py"),
        ("{mine}:TwoStep", "mine.py.*TwoSteps"),
        ("{mine}:Stranger", "Stranger in .*mine.py.*lense.Pruner"),
        ("{mine}:MostEdges", "MostEdges in .*mine.py"),
    ],
)
def test_a_file_that_does_not_have_the_class_is_one_sentence(name: str, words: str, mine: str) -> None:
    with pytest.raises(LenseError, match=words):
        pruner_class(name.format(mine=mine))


def test_a_file_that_cannot_be_run_is_one_sentence(tmp_path: Path, lense: Command, graph_file: str) -> None:
    (tmp_path / "broken.py").write_text("import no_such_module")
    words = ("-p", "mvc", "-b", 3, "--pruner", tmp_path / "broken.py:A", "-o", tmp_path / "o.txt")
    lense("prune", graph_file, *words).assert_refused("broken.py", "ModuleNotFoundError", "no_such_module")
    assert not any(name.endswith("_broken") for name in sys.modules)


def test_an_entry_point_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("other", "no_such_package:Problem", "lense.problems")
    monkeypatch.setattr(classes, "registered", lambda group: {"other": entry})
    with pytest.raises(LenseError, match=r"other.*no_such_package:Problem"):
        get_problem("other")


def test_a_class_of_lense_needs_no_entry_point_and_none_replaces_it(monkeypatch: pytest.MonkeyPatch) -> None:
    other = EntryPoint("mvc", "no_such_package:Problem", "lense.problems")
    monkeypatch.setattr(classes, "entry_points", lambda group: [other])
    monkeypatch.setattr(sys, "path", [*sys.path, "another"])  # what is installed there is not known yet
    assert list(classes.registered("lense.problems"))[:4] == ["mvc", "bmc", "im", "domination"]
    assert get_problem("mvc").name == "mvc"


@pytest.mark.parametrize(
    ("call", "given", "own", "name"),
    [(pruner_class, "TwoSteps", "two-steps", "top-degree"), (problem_class, "MostEdges", "most-edges", "mvc")],
)
def test_a_class_in_a_file_does_not_replace_one_of_lense(
    call: Callable[[str], type], given: str, own: str, name: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE.replace(f'"{own}"', f'"{name}"'))
    with pytest.raises(LenseError, match=f"'{name}'.*{given}"):
        call(f"{file}:{given}")
    assert call(name).__module__.startswith("lense.")


def test_a_class_that_is_given_does_not_replace_one_of_lense() -> None:
    class Cover(MaxVertexCover):  # it inherits the name
        pass

    with pytest.raises(LenseError, match=r"'mvc'.*Cover"):
        get_problem(Cover)
    assert problem_class("mvc") is MaxVertexCover
