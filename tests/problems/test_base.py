"""What every problem has in common, and how a user's own joins in."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import ArrayLike

from lense._util.options import converted
from lense._util.types import Float64s, Int64s
from lense.errors import LenseError
from lense.graph import Graph
from lense.problems import Problem, Solution, get_problem, heuristic
from lense.problems.base import Rng, format_score, min_max, vertex_set
from lense.problems.bmc import BudgetedMaxCut
from lense.problems.centrality import eigenvector_centrality
from lense.problems.mvc import MaxVertexCover
from tests.brute_force import graphs_with_candidates
from tests.conftest import Command
from tests.problems.samples import LargestNumbers
from tests.strategies import graphs

EXAMPLES = Path(__file__).parents[2] / "examples"
PATH = Graph.from_edges([0, 1, 2], [1, 2, 3])


def rng() -> Rng:
    return np.random.default_rng(0)


def test_a_solution_carries_vertices_in_order_score_and_bounds() -> None:
    solution = LargestNumbers(factor=2.0).solve(PATH, 2, rng())
    assert solution.indices.tolist() == [3, 2]
    assert solution.indices.dtype == np.int64
    assert (solution.problem, solution.solver, solution.budget) == ("largest-numbers", "last-first", 2)
    assert (solution.score, solution.stderr, solution.lower_bound, solution.upper_bound) == (10.0, 0.0, 10.0, 9.0)
    assert solution.seconds >= 0


@pytest.mark.parametrize(("general", "expected"), [(9.0, 6.0), (5.5, 5.5), (None, 6.0)])
def test_the_lower_of_the_two_upper_bounds_counts(general: float | None, expected: float) -> None:
    solution = LargestNumbers(solver="informed", general_bound=general).solve(PATH, 2, rng())
    assert solution.upper_bound == expected
    assert solution.certified == 5 / expected
    assert solution.details == {"steps": 2}


@pytest.mark.parametrize(
    ("lower", "upper", "expected"), [(None, None, None), (None, 8.0, 0.5), (2.0, 8.0, 0.25), (None, 0.0, 1.0)]
)
def test_the_certified_share_is_the_lower_bound_over_the_upper(
    lower: float | None, upper: float | None, expected: float | None
) -> None:
    solution = replace(LargestNumbers().solve(PATH, 2, rng()), score=4.0, lower_bound=lower, upper_bound=upper)
    assert solution.certified == expected


@pytest.mark.parametrize("budget", [0, -1, 5, 1.5, float("nan"), float("inf"), "5", None, True])
def test_a_budget_that_cannot_be_spent_is_refused(budget: Any) -> None:
    with pytest.raises(LenseError, match=r"^The budget must be a (finite|whole) number.*, not "):
        LargestNumbers().solve(PATH, budget, rng())


def test_a_graph_without_edges_is_refused() -> None:
    with pytest.raises(LenseError, match="no edges"):
        LargestNumbers().solve(Graph.from_edges([], [], num_vertices=3), 1, rng())


def test_a_subclass_adds_a_heuristic_to_those_it_inherits() -> None:
    class First(MaxVertexCover):
        @heuristic("first")
        def first(self, graph: Graph, budget: int, rng: Rng) -> range:
            return range(budget)

    class Other(First):
        @heuristic("greedy")
        def other(self, graph: Graph, budget: int, rng: Rng) -> range:
            return range(1, budget + 1)

    assert list(First.heuristics) == ["first", *MaxVertexCover.heuristics]
    assert list(Other.heuristics) == ["greedy", "first", *list(MaxVertexCover.heuristics)[1:]]
    assert First().solve(PATH, 2, rng()).indices.tolist() == [0, 1]
    assert Other().solve(PATH, 2, rng()).indices.tolist() == [1, 2]
    assert "first" not in MaxVertexCover.heuristics


@dataclass(frozen=True, kw_only=True)
class PricedNumbers(LargestNumbers):
    """As above, where the costs may be given, by heuristics that keep what they promise or not."""

    prices: tuple[float, ...] = ()

    def costs(self, graph: Graph) -> Float64s | None:
        return np.array(self.prices) if self.prices else None

    @heuristic("held")
    def held(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        return (np.arange(graph.num_vertices) if candidates is None else candidates)[::-1][:budget]

    @heuristic("heedless")
    def heedless(self, graph: Graph, budget: int, rng: Rng, candidates: Int64s | None = None) -> range:
        return self.last_first(graph, budget, rng)

    @heuristic("within-budget")
    def within_budget(self, graph: Graph, budget: float, rng: Rng, costs: Float64s) -> Int64s:
        chosen = np.flatnonzero(costs.cumsum() <= budget)
        costs[:] = 0  # what is done to them must not matter
        return chosen

    @heuristic("spendthrift")
    def spendthrift(self, graph: Graph, budget: float, rng: Rng, candidates: Int64s | None = None) -> Int64s:
        return np.arange(graph.num_vertices) if candidates is None else candidates

    @heuristic("twice")
    def twice(self, graph: Graph, budget: int, rng: Rng) -> list[int]:
        return [1, 1]


def test_a_heuristic_is_held_to_candidates_by_an_argument_of_that_name() -> None:
    problem = PricedNumbers(solver="held")
    assert problem.search(PATH, 2, rng()).indices.tolist() == [3, 2]
    found = problem.search(PATH, 3, rng(), candidates=[1, 0, 1])
    assert (found.indices.tolist(), found.budget) == ([1, 0], 3)


PRICES = (1.0, 2.0, 3.0, 4.0)


@pytest.mark.parametrize(
    ("solver", "prices", "budget", "candidates", "complaint"),
    [
        ("held", (), 2, [], r"^There are no candidates to choose from\.$"),
        ("held", (), 2, [1, 4], r"^Vertices must lie between 0 and 3, the last of the graph\.$"),
        (
            "last-first",
            (),
            2,
            [1, 2],
            "^The solver last-first of largest-numbers cannot be limited .* called candidates",
        ),
        ("heedless", (), 2, [1, 2], r"heedless of largest-numbers chose a vertex that is not a candidate, .* in it\.$"),
        ("twice", (), 2, None, "a vertex twice"),
        ("spendthrift", (), 3, None, r"^The solver spendthrift of largest-numbers spent 4 of a budget of 3, "),
        ("spendthrift", PRICES, 8.5, None, r"spent 10 of a budget of 8\.5, which is a fault in it\.$"),
        ("spendthrift", PRICES, 8.5, [1, 2, 3], r"spent 9 of a budget of 8\.5, which is a fault in it\.$"),
        ("spendthrift", PRICES, 2.5, [2, 3], r"^A budget of 2\.5 buys no vertex: the cheapest costs 3\.$"),
    ],
)
def test_what_cannot_be_done_and_faults_of_a_solver_are_said(
    solver: str, prices: tuple[float, ...], budget: float, candidates: list[int] | None, complaint: str
) -> None:
    with pytest.raises(LenseError, match=complaint):
        PricedNumbers(solver=solver, prices=prices).search(PATH, budget, rng(), candidates=candidates)


class TestCosts:
    @pytest.mark.parametrize(("prices", "budget"), [(PRICES, 6.5), ((), 3)], ids=["of the problem", "ones"])
    def test_a_heuristic_with_an_argument_of_that_name_is_given_them(
        self, prices: tuple[float, ...], budget: float
    ) -> None:
        found = PricedNumbers(prices=prices, solver="within-budget").search(PATH, budget, rng())
        assert found.indices.tolist() == [0, 1, 2]

    def test_a_budget_just_met_is_not_exceeded_by_rounding(self) -> None:
        tenths = PricedNumbers(prices=(0.1,) * 4, solver="spendthrift")
        assert tenths.search(PATH, 0.1 + 0.1 + 0.1 + 0.1 - 1e-16, rng()).indices.size == 4

    @pytest.mark.parametrize(
        "prices",
        [(1.0,), (1.0, 2.0, 3.0, 0.0), (1.0, 2.0, 3.0, -4.0), (1.0, np.nan, 3.0, 4.0), (1.0, 2.0, np.inf, 4.0)],
    )
    def test_they_are_one_positive_finite_number_for_each_vertex(self, prices: tuple[float, ...]) -> None:
        with pytest.raises(LenseError, match=r"^The costs of largest-numbers must be one positive, finite number for "):
            PricedNumbers(prices=prices).search(PATH, 8, rng())


@given(graphs(min_vertices=1, loops=True))
@settings(max_examples=30, deadline=None)
def test_features_are_the_scaled_degree_and_the_centrality(graph: Graph) -> None:
    features = LargestNumbers().features(graph)
    assert features.dtype == np.float32
    np.testing.assert_array_equal(features[:, 0], min_max(np.diff(graph.incident.indptr)))
    np.testing.assert_allclose(features[:, 1], eigenvector_centrality(graph, along_arcs=False), atol=1e-6)


@pytest.mark.parametrize("vertices", [[4], [-1, 2], [0.5], [True, False, True, False]])
def test_what_is_not_a_vertex_of_the_graph_is_refused(vertices: ArrayLike) -> None:
    with pytest.raises(LenseError, match="Vertices"):
        vertex_set(PATH, vertices)


def test_problems_are_found_by_name_and_take_options_as_text() -> None:
    assert get_problem("mvc") == MaxVertexCover()
    asked = get_problem("bmc", solver="mip", gap="0.1", time_limit="none", draws="3")
    assert asked == BudgetedMaxCut(solver="mip", gap=0.1, time_limit=None, draws=3)


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("mcv", {}, r"no problem called 'mcv': choose from .*; did you mean 'mvc'\?"),
        ("mvc", {"epsilom": "1"}, r"no option of mvc called 'epsilom': .*; did you mean 'epsilon'\?"),
        ("mvc", {"name": "x"}, "no option of mvc called 'name'"),
        ("mvc", {"epsilon": "few"}, "option epsilon takes a number, not 'few'"),
        ("bmc", {"draws": "2.5"}, "option draws takes a whole number, not '2.5'"),
        ("bmc", {"draws": 2.5}, "option draws takes a whole number, not 2.5"),
        ("im", {"probability": 0.05}, "option probability is for the model constant"),
        ("im", {"seed": None}, "option seed takes a whole number, not None"),
        ("im", {"worlds": True}, "option worlds takes a whole number, not True"),
        ("im", {"epsilon": [1]}, r"option epsilon takes a number, not \[1\]"),
        ("im", {"cascade": [1, 1]}, r"no cascade called '\[1, 1\]'"),
        ("im", {"cascade": "linear"}, "no cascade called 'linear': choose from independent, threshold"),
        ("mvc", {"epsilon": 0.0}, "option epsilon must"),
        ("mvc", {"gap": -0.1}, "option gap must"),
        ("mvc", {"gap": float("nan")}, "option gap must"),
        ("mvc", {"solver": "greed"}, "did you mean 'greedy'"),
        ("bmc", {"gap": float("inf")}, "option gap must"),
        ("bmc", {"draws": 0}, "option draws must"),
        ("domination", {"time_limit": 0.0}, "option time_limit must"),
        ("im", {"epsilon": 0.0}, "epsilon"),
        ("im", {"delta": -1.0}, "delta"),
        ("im", {"worlds": 1}, "worlds"),
        ("im", {"memory_gib": 0.0}, "memory_gib"),
        ("im", {"ell": np.inf}, "ell"),
    ],
)
def test_wrong_names_and_values_are_refused(name: str, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(LenseError, match=complaint):
        get_problem(name, **options)


@pytest.mark.parametrize(
    ("given", "hint", "value"),
    [
        ("yes", bool, True),
        ("0", bool, False),
        ("7", int, 7),
        ("1e3", int, 1000),
        ("x", str, "x"),
        ("", int | None, None),
        (3.0, int, 3),
        (np.int32(3), int | None, 3),
        (3, float, 3),
        (None, int | None, None),
    ],
)
def test_a_field_holds_its_own_type(given: object, hint: Any, value: object) -> None:
    assert repr(converted("field", given, hint)) == repr(value)


@pytest.fixture
def costed_cover_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of the documentation, as the installation of a package would register it."""
    metadata = tmp_path / "costed_cover-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: costed-cover\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[lense.problems]\ncosted-cover = costed_cover:CostedCover\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(EXAMPLES))


@pytest.mark.usefixtures("costed_cover_installed")
class TestYourOwnProblem:
    @given(graph=graphs(min_vertices=2, min_edges=1))
    def test_it_spends_no_more_than_the_budget_and_leaves_nothing_worth_buying(self, graph: Graph) -> None:
        problem = get_problem("costed-cover", per_edge="0.5")
        costs, budget = 1 + 0.5 * np.diff(graph.incident.indptr), 4.0
        solution = problem.solve(graph, budget, rng())
        chosen = solution.indices.tolist()
        left = budget - costs[chosen].sum()
        assert left >= 0
        for v in set(range(graph.num_vertices)) - set(chosen):
            assert costs[v] > left or problem.objective(graph, [*chosen, v]) == solution.score

    def test_every_command_knows_it(self, lense: Command, tmp_path: Path) -> None:
        graph = tmp_path / "star.txt"
        graph.write_text("1 2\n1 3\n1 4\n")
        answer = lense("solve", graph, "-p", "costed-cover", "-b", 1.5, "--set", "per_edge=0.1", "--json").json
        assert (answer["vertices"], answer["budget"], answer["certified"]) == ([1], 1.5, None)
        parts = tmp_path / "train.txt", tmp_path / "test.txt"
        assert lense("graph", "split", graph, *parts, "-f", 0.5, "-p", "costed-cover").status == 0


def test_a_problem_without_a_heuristic_is_refused() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Idle(Problem):
        name: ClassVar[str] = "idle"

        def objective(self, graph: Graph, vertices: ArrayLike) -> float:
            return 0.0

    with pytest.raises(LenseError, match="@heuristic"):
        Idle()


class TestForced:
    def test_a_heuristic_that_does_not_know_of_them_gives_way_from_the_end_of_its_order(self) -> None:
        found = LargestNumbers().search(PATH, 2, rng(), forced=[0])
        assert found.indices.tolist() == [0, 3]
        assert LargestNumbers().search(PATH, 2, rng(), forced=[2]).indices.tolist() == [3, 2]

    @pytest.mark.parametrize(
        ("name", "solver"), [("mvc", "greedy"), ("mvc", "mip"), ("bmc", "local-search"), ("bmc", "mip")]
    )
    @given(case=graphs_with_candidates())
    @settings(max_examples=25, deadline=None)
    def test_those_that_do_choose_them_and_the_best_beside_them(
        self, name: str, solver: str, case: tuple[Graph, int, list[int]]
    ) -> None:
        graph, budget, forced = case
        forced = forced[:budget]
        found = get_problem(name, solver=solver).search(graph, budget, rng(), forced=forced)
        assert set(forced) <= set(found.indices.tolist())
        assert found.indices.size <= budget

    def test_they_must_be_candidates_within_the_budget_and_without_costs(self) -> None:
        problem = get_problem("mvc")
        with pytest.raises(LenseError, match="2 vertices are forced"):
            problem.search(PATH, 1, rng(), forced=[0, 1])
        with pytest.raises(LenseError, match="must be candidates"):
            problem.search(PATH, 1, rng(), forced=[0], candidates=[1, 2])


def test_a_solution_is_optimal_only_by_proof() -> None:
    solution = LargestNumbers(general_bound=5.0).solve(PATH, 2, rng())
    assert solution.optimal
    assert not replace(solution, upper_bound=6.0).optimal
    assert not replace(solution, upper_bound=None).optimal
    assert not replace(solution, stderr=0.1).optimal


@pytest.mark.parametrize(
    ("score", "unit", "stderr", "text"),
    [
        (0.14137, "% of edges covered", 0.0, "14.14 % of edges covered"),
        (3515, "vertices dominated", 0.0, "3,515 vertices dominated"),
        (123.14, "vertices reached", 0.513, "123.1 ± 0.51 vertices reached"),
        (2.5, "", 0.0, "2.5"),
        (1.0, "% of edge weight covered", 0.0, "100 % of edge weight covered"),
    ],
)
def test_a_score_is_shown_with_its_unit(score: float, unit: str, stderr: float, text: str) -> None:
    assert format_score(score, unit, stderr) == text


def test_the_unit_of_a_score_says_whether_weights_count() -> None:
    for weights, unit in ((None, "% of edges covered"), ([2.0, 3.0], "% of edge weight covered")):
        graph = Graph.from_edges([0, 1], [1, 2], weights)
        solution = get_problem("mvc").solve(graph, 1, np.random.default_rng(0))
        assert solution.unit == unit
        assert solution.optimal
        assert solution.quality_text == "optimal (proven)"


def test_solutions_compare_by_what_they_found_and_name_vertices_by_the_users_ids() -> None:
    graph = Graph.from_edges([0, 1, 1], [1, 2, 3], labels=np.array(["a", "b", "c", "d"]))
    first, again = (get_problem("mvc").solve(graph, 1, np.random.default_rng(0)) for _ in range(2))
    assert first == again
    assert first != get_problem("mvc").solve(graph, 2, np.random.default_rng(0))
    assert (first.vertices, first.indices.tolist()) == (["b"], [1])


class Undefined(LargestNumbers):
    """Returns what ``values`` has under its own name."""

    name: ClassVar[str] = "undefined"
    values: ClassVar[dict[str, Any]] = {}

    def objective(self, graph: Graph, vertices: ArrayLike) -> float:
        return self.values.get("objective", 1.0)  # type: ignore[no-any-return]

    def upper_bound(self, graph: Graph, budget: float, solution: Solution, rng: Rng) -> float | None:
        return self.values.get("upper bound", 9.0)  # type: ignore[no-any-return]

    def lower_bound(self, graph: Graph, solution: Solution, rng: Rng) -> float:
        return self.values.get("lower bound", 1.0)  # type: ignore[no-any-return]


@pytest.mark.parametrize("what", ["objective", "upper bound", "lower bound"])
@pytest.mark.parametrize(
    "value", [float("nan"), -float("inf"), np.float32("nan"), "3", b"3", 1j, 10**400, [1.0], np.ones(2), object()]
)
def test_what_is_not_a_finite_number_is_refused(what: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Undefined, "values", {what: value})
    with pytest.raises(LenseError, match=f"The {what} of undefined must be a finite number, not "):
        Undefined().solve(PATH, 2, np.random.default_rng(0))


@pytest.mark.parametrize("value", [3, True, np.int8(3), np.array(3.0), np.array([3.0])])
def test_any_number_becomes_a_float(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Undefined, "values", {"objective": value, "upper bound": None})
    found = Undefined().solve(PATH, 2, np.random.default_rng(0))
    assert (found.score, type(found.score)) == (float(np.sum(value)), float)
