"""What every pruner can do: parameters, parts, solving in two ways, files."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import networkx as nx
import numpy as np
import pytest

from lense._util.types import AnyArray
from lense.errors import LenseError
from lense.graph import Graph, from_array, power_law, to_pandas, to_pyg
from lense.graph.subgraph import Subgraph, kept_part, shares_pruned, subgraph
from lense.problems import Problem, get_problem
from lense.problems.parts import MODES
from lense.pruners import Pruner
from lense.pruners.gcomb import GCOMB
from lense.pruners.ranking import RandomVertices, TopDegree
from tests import learning

UNSEEN = power_law(120, 5, 2.3, np.random.default_rng(1))


class FirstVertices(Pruner):
    """Keeps the subgraph of the first ``budget`` vertices, good or bad."""

    name: ClassVar[str] = "first"

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        return subgraph(graph, np.arange(int(budget)))


class Remembered(Pruner):
    """Learns the number of vertices of its train graph, and keeps as many."""

    name: ClassVar[str] = "remembered"
    learns: ClassVar[bool] = True

    def __init__(self, problem: str | Problem = "mvc", budget: float = 100, *, share: float = 1.0) -> None:
        super().__init__(problem, budget)
        self.share = share

    def fit_graph(self, graph: Graph) -> None:
        self.size_ = np.array([graph.num_vertices])

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        return kept_part(graph, np.arange(min(int(self.share * self.size_[0]), graph.num_vertices)))

    def learnt(self) -> Mapping[str, AnyArray]:
        return {"size": self.size_}


def test_the_answer_lies_in_the_part_and_is_scored_on_the_whole() -> None:
    pruner, graph = FirstVertices("bmc", 4), learning.graph()
    answer = pruner.solve(graph)
    assert set(answer.indices.tolist()) <= set(pruner.prune(graph).vertices.tolist())
    assert answer.score == pruner.problem_.objective(graph, answer.indices)
    assert answer.certified is not None
    assert pruner.solve(graph, certify=False).certified is None


@pytest.mark.parametrize("problem", ["mvc", "bmc", "im"])
def test_as_a_ground_set_the_heuristic_sees_all_but_may_choose_roots_alone(problem: str) -> None:
    pruner = TopDegree(problem, 4, vertices=30, roots=9)
    whole = pruner.problem_.prepare(UNSEEN)
    part = pruner.prune(whole, prepared=True)
    assert part.graph.equals(pruner.prune(UNSEEN).graph)
    roots = part.roots
    answer = pruner.solve(UNSEEN, mode="ground-set", seed=3)
    held = pruner.problem_.search(whole, 4, np.random.default_rng(3), candidates=roots)
    assert answer.indices.tolist() == held.indices.tolist()
    assert set(answer.indices.tolist()) <= set(roots.tolist())
    assert answer.score == pruner.problem_.objective(whole, answer.indices)


def test_parts_are_those_of_seed_after_seed_and_one_alone_without_random_numbers() -> None:
    drawn = RandomVertices("im", 4).parts(UNSEEN, episodes=3, seed=2)
    alone = [RandomVertices("im", 4).prune(UNSEEN, seed=seed) for seed in (2, 3, 4)]
    assert [part.vertices.tolist() for part in drawn] == [part.vertices.tolist() for part in alone]
    assert all(one.graph.equals(other.graph) for one, other in zip(drawn, alone, strict=True))
    assert len(FirstVertices("mvc", 4).parts(UNSEEN, episodes=3)) == 1


@pytest.mark.parametrize("call", ["prune", "solve", "parts", "save"])
def test_one_that_learns_must_be_fitted_first(call: str, tmp_path: Path) -> None:
    with pytest.raises(LenseError, match="Remembered is not fitted yet: call fit with a train graph, or load a model"):
        getattr(Remembered("mvc", 4), call)(tmp_path / "model" if call == "save" else UNSEEN)
    assert not (tmp_path / "model").exists()


PATH = [(f"p{i}", f"p{i + 1}") for i in range(9)]
HELD: dict[str, Callable[[], Any]] = {
    "array": lambda: np.array(PATH),
    "networkx": lambda: nx.Graph(PATH),
    "pandas": lambda: to_pandas(from_array(PATH)),
    "pyg": lambda: to_pyg(from_array(PATH)),
}


@pytest.mark.parametrize("kind", HELD)
def test_a_graph_is_pruned_and_solved_as_its_owner_has_it_by_its_owners_ids(kind: str) -> None:
    pruner, held = TopDegree("mvc", 2, vertices=6).fit(HELD[kind]()), HELD[kind]()
    part, same = pruner.prune(held), pruner.prune(from_array(PATH))
    assert sorted(part.graph.labels) == sorted(same.graph.labels)
    assert set(part.to_networkx()) == set(same.graph.labels)
    assert set(pruner.solve(held).vertices) <= {f"p{i}" for i in range(10)}
    assert [sorted(one.graph.labels) for one in pruner.parts(held)] == [sorted(same.graph.labels)]


@pytest.mark.parametrize("call", ["fit", "prune", "parts", "solve"])
def test_what_is_no_graph_no_budget_or_no_seed_is_refused(call: str) -> None:
    with pytest.raises(LenseError, match="not an object of the type set"):
        getattr(TopDegree("mvc", 4), call)({1, 2})
    budgets: list[Any] = ["5", math.nan, math.inf, True, None]
    for budget in budgets:
        with pytest.raises(LenseError, match=f"budget .*{budget!r}"):
            getattr(TopDegree("mvc", budget), call)(UNSEEN)
        if budget is not None and call != "fit":
            with pytest.raises(LenseError, match=f"budget .*{budget!r}"):
                getattr(TopDegree("mvc", 4), call)(UNSEEN, budget=budget)
    seeds: list[Any] = [None, 1.5, -1, "3", True]
    for seed in seeds:
        pruner = GCOMB("mvc", 4, seed=seed) if call == "fit" else RandomVertices("mvc", 4)
        with pytest.raises(LenseError, match=f"seed .*{seed!r}"):
            getattr(pruner, call)(UNSEEN, **({} if call == "fit" else {"seed": seed}))


def test_numbers_of_numpy_are_numbers() -> None:
    pruner = RandomVertices("mvc", 4)
    given = pruner.solve(UNSEEN, budget=np.float32(4), seed=np.int64(3))  # type: ignore[arg-type]
    assert given.indices.tolist() == pruner.solve(UNSEEN, seed=3).indices.tolist()


def test_parameters_are_changed_all_or_none() -> None:
    pruner = GCOMB("mvc", 4, runs=2)
    assert pruner.set_params(runs=2) is pruner
    with pytest.raises(LenseError, match=r"no parameter of GCOMB called 'run': choose from .*did you mean 'runs'"):
        pruner.set_params(run=7)
    for wrong in ({"budget": "5"}, {"budget": math.nan}, {"seed": None}, {"seed": 1.5}, {"run": 1}):
        with pytest.raises(LenseError):
            pruner.set_params(runs=7, **wrong)
    assert pruner.get_params() == {"problem": "mvc", "budget": 4, "runs": 2, "seed": 0}


def test_the_solution_describes_the_part_it_was_found_with() -> None:
    pruner, graph = TopDegree("mvc", 4, vertices=30, roots=9), UNSEEN
    part = pruner.prune(graph)
    for mode in MODES:
        pruned = pruner.solve(graph, mode=mode).pruned
        assert pruned is not None
        assert (pruned.vertices, pruned.edges) == (part.graph.num_vertices, part.graph.num_edges)
        assert (pruned.vertices_pruned, pruned.edges_pruned) == shares_pruned(graph, part)
        assert pruned.seconds > 0
        assert pruned.mode == mode


class Everything(Pruner):
    """Keeps the
    whole graph.

    More of it is described here.
    """

    name: ClassVar[str] = "everything"

    def prune_graph(self, graph: Graph, budget: float, seed: int) -> Subgraph:
        return Subgraph(graph, np.arange(graph.num_vertices), np.arange(graph.num_vertices))


def test_where_nothing_is_pruned_the_solution_is_that_of_the_whole_graph() -> None:
    found = Everything("mvc", 4).solve(UNSEEN)
    whole = get_problem("mvc").solve(UNSEEN, 4, np.random.default_rng(0))
    assert found.pruned is None
    assert found.indices.tolist() == whole.indices.tolist()
    assert (found.score, found.upper_bound) == (whole.score, whole.upper_bound)


def test_titles_and_descriptions_default_to_the_name_and_the_docstring_and_are_not_inherited() -> None:
    class Titled(Everything):
        """Is described in one way."""

        title, description = "A title", "Is described in another way."

    assert (Everything.get_title(), Everything.get_description()) == ("everything", "Keeps the whole graph.")
    assert (Titled.get_title(), Titled.get_description()) == ("A title", "Is described in another way.")


def test_a_foreign_folder_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    (tmp_path / "file").write_text("not a folder")
    for target, words in ((tmp_path, "exists and is no model"), (tmp_path / "file", "name a folder for the model")):
        with pytest.raises(LenseError, match=words):
            TopDegree("mvc", 4).save(target)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "thesis.tex"]
