"""GCOMB-P: ranks, their interpolation and what is kept, by hand."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from lense._util.types import Int64s
from lense.errors import LenseError
from lense.graph import Graph, power_law
from lense.problems import Problem, heuristic
from lense.pruners import load
from lense.pruners.gcomb import GCOMB
from lense.pruners.model_files import write_arrays
from lense.pruners.ranking import importance, largest

UNSEEN = power_law(300, 6, 2.3, np.random.default_rng(1))
SEEN = power_law(150, 6, 2.3, np.random.default_rng(2))


@dataclass(frozen=True, kw_only=True)
class Chancy(Problem):
    """A problem whose stochastic solver gives one of two solutions, as random numbers have it."""

    name: ClassVar[str] = "chancy"

    def objective(self, graph: Graph, vertices: object) -> float:
        return 1.0

    @heuristic("never")
    def never(self, graph: Graph, budget: int, rng: np.random.Generator) -> Int64s:
        raise AssertionError("the stochastic solver goes first")

    @heuristic("imm")
    def solution(self, graph: Graph, budget: int, rng: np.random.Generator) -> list[int]:
        return [[7, 4, 6], [6, 7, 1]][int(rng.integers(2))][: int(budget)]


def half_graph(n: int) -> Graph:
    """u and v are joined if u + v >= n - 1, so that degrees rise with the number of the vertex, but for one tie."""
    pairs = np.array([(u, v) for u in range(n) for v in range(u + 1, n) if u + v >= n - 1])
    return Graph.from_edges(pairs[:, 0], pairs[:, 1])


@pytest.fixture(scope="module")
def fitted() -> GCOMB:
    return GCOMB(Chancy(), 3).fit(half_graph(8))


def test_the_pairs_are_the_largest_ranks_of_all_prefixes_as_shares(fitted: GCOMB) -> None:
    """The solutions have the ranks 1, 5, 2 and 2, 1, 7: up to 2 for one vertex, 5 for two and 7 for three."""
    assert fitted.budgets_.tolist() == [1 / 8, 2 / 8, 3 / 8]
    assert fitted.ranks_.tolist() == [2 / 8, 5 / 8, 7 / 8]


@pytest.mark.parametrize(
    ("budget", "kept"),
    [
        (2, 4),  # 2 / 16 = 1 / 8, so 2 / 8 of 16
        (3, 7),  # midway between 1 / 8 and 2 / 8, so 3.5 / 8 of 16
        (5, 12),  # midway between 2 / 8 and 3 / 8, so 6 / 8 of 16
        (1, 2),  # midway between 0 and 1 / 8, so 1 / 8 of 16
        (8, 16),  # 7 / 8 times 4 / 3 is more than there is
    ],
)
def test_on_another_graph_the_interpolated_share_is_kept(fitted: GCOMB, budget: int, kept: int) -> None:
    part = fitted.prune(half_graph(16), budget=budget)
    assert part.vertices.tolist() == part.roots.tolist() == list(range(16 - kept, 16))


def test_solutions_shorter_than_a_budget_that_counts_no_vertices_are_stretched_over_it() -> None:
    class Dear(Chancy):
        def check_budget(self, graph: Graph, budget: float) -> None:
            return None

    pruner = GCOMB(Dear(), 30).fit(half_graph(8))
    assert pruner.budgets_.tolist() == [10 / 8, 20 / 8, 30 / 8]


@pytest.mark.parametrize("problem", ["mvc", "bmc", "im"])
def test_the_problems_prune_by_their_stochastic_solvers(problem: str) -> None:
    pruner = GCOMB(problem, 5, runs=4).fit(SEEN)
    assert pruner.ranks_.size == 5
    assert (np.diff(pruner.ranks_) >= 0).all()
    part, whole = pruner.prune(UNSEEN), pruner.problem_.prepare(UNSEEN)
    first = largest(importance(pruner.problem_, whole), part.vertices.size)
    assert part.vertices.tolist() == sorted(first.tolist())
    assert pruner.solve(UNSEEN).indices.size == 5


@pytest.mark.parametrize("arrays", [{"budgets": [0.1]}, {"budgets": [0.1], "ranks": [0.1, 0.2]}, {"other": [1.0]}])
def test_arrays_that_are_not_its_own_are_refused(tmp_path: Path, arrays: dict[str, list[float]]) -> None:
    GCOMB("mvc", 5, runs=1).fit(SEEN).save(tmp_path)
    write_arrays(tmp_path / "learnt.safetensors", {name: np.array(values) for name, values in arrays.items()})
    with pytest.raises(LenseError, match="does not belong to a gcomb-p with this configuration"):
        load(tmp_path)
