"""``lense.solve`` and ``lense.prune``: graphs and heuristics as their owner has them, answers in the owner's ids."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lense
from lense import LenseError
from lense.graph import Graph, convert, power_law, write_graph
from lense.graph.adapters import GRAPH_TYPES
from lense.problems import Problem, get_problem
from lense.solving import SolveOptions
from lense.solving.options import Setup, find_setup
from tests.skips import NO_IGRAPH, NO_NETWORKX, NO_PANDAS

NUMBERED = power_law(2000, 8, 2.3, np.random.default_rng(1))
GRAPH = Graph.from_edges(*NUMBERED.edges()[:2], labels=np.array([f"v{i}" for i in range(NUMBERED.num_vertices)]))
BUDGET = 10
LARGEST = {f"v{i}" for i in np.argsort(-np.diff(NUMBERED.indptr), kind="stable")[:3].tolist()}
BEST = lense.solve(GRAPH, "mvc", BUDGET).vertices


def by_degree(graph: Graph, budget: int) -> Any:
    """Numbers of the largest vertices of the graph that it is given, by their degree."""
    return np.argsort(-np.diff(graph.indptr), kind="stable")[:budget].tolist()


def greedy_on_networkx(graph: Any, budget: int) -> list[Any]:
    """Plain Python: the node with most uncovered edges, again and again."""
    uncovered, chosen = dict(graph.degree()), []
    for _ in range(budget):
        chosen.append(max(uncovered, key=uncovered.__getitem__))
        del uncovered[chosen[-1]]
        for node in graph[chosen[-1]]:
            if node in uncovered:
                uncovered[node] -= 1
    return chosen


@pytest.mark.parametrize("prune", [None, True, False])
def test_the_answer_is_in_the_users_ids(prune: bool | None) -> None:
    found = lense.solve(GRAPH, "mvc", BUDGET, heuristic=by_degree, prune=prune)
    assert list(found.vertices) == GRAPH.labels[found.indices].tolist()
    assert set(found.vertices[:3]) == LARGEST
    assert found.solver == "by_degree"
    assert (found.pruned is not None) == (prune is True)
    assert found.score == lense.get_problem("mvc").objective(GRAPH, found.indices)
    assert found.certified is not None


def test_a_heuristic_sees_the_part_alone() -> None:
    sizes = []

    def sized(graph: Graph, budget: int) -> Any:
        sizes.append(graph.num_edges)
        return by_degree(graph, budget)

    found = lense.solve(GRAPH, "mvc", BUDGET, heuristic=sized, prune=True)
    assert found.pruned is not None
    assert found.pruned.edges in sizes
    assert max(sizes) < GRAPH.num_edges


def test_a_heuristic_with_an_argument_candidates_chooses_among_few_or_all_vertices_of_the_whole_graph() -> None:
    seen = []

    def limited(graph: Graph, budget: int, candidates: list[int]) -> Any:
        seen.append((graph.num_vertices, sorted(candidates)))
        return sorted(candidates, key=lambda v: -int(graph.out_degrees[v]))[:budget]

    part = lense.solve(GRAPH, "mvc", BUDGET, heuristic=limited, prune=True)
    assert part.pruned is not None
    assert (part.pruned.mode, part.pruned.vertices) == ("ground-set", GRAPH.num_vertices)
    assert BUDGET < part.pruned.roots < GRAPH.num_vertices / 2
    assert part.pruned.roots in [len(pool) for size, pool in seen if size == GRAPH.num_vertices]
    seen.clear()
    lense.solve(GRAPH, "mvc", BUDGET, heuristic=limited, prune=False)
    assert seen == [(GRAPH.num_vertices, list(range(GRAPH.num_vertices)))]


def test_a_choice_that_is_no_candidate_is_an_error() -> None:
    def disobeys(graph: Graph, budget: int, candidates: list[int]) -> Any:
        return [v for v in range(graph.num_vertices) if v not in candidates][:budget]

    with pytest.raises(LenseError, match="not a candidate"):
        lense.solve(GRAPH, "mvc", BUDGET, heuristic=disobeys, prune=True)


class TestTypes:
    def test_networkx_with_any_nodes_and_their_attributes(self) -> None:
        pytest.importorskip("networkx", reason=NO_NETWORKX)
        theirs = convert.to_networkx(NUMBERED)
        import networkx as nx

        theirs = nx.relabel_nodes(theirs, {i: ("user", i) for i in theirs})
        nx.set_node_attributes(theirs, "blue", "colour")
        nx.set_edge_attributes(theirs, 7, "since")
        seen = []

        def f(graph: Any, budget: int) -> list[Any]:
            seen.append((type(graph), *next(iter(graph.edges(data="since")))[2:], graph.nodes[("user", 0)]["colour"]))
            return greedy_on_networkx(graph, budget)

        found = lense.solve(theirs, "mvc", budget=BUDGET, heuristic=f, prune=True)
        whole = lense.solve(theirs, "mvc", budget=BUDGET, heuristic=f, prune=False)
        assert set(seen) == {(nx.Graph, 7, "blue")}
        assert found.vertices[0] == ("user", 0)
        assert found.score >= 0.98 * whole.score

    def test_igraph_by_numbers_of_what_it_was_given(self) -> None:
        pytest.importorskip("igraph", reason=NO_IGRAPH)
        theirs = convert.to_igraph(GRAPH)
        theirs.vs["age"] = list(range(GRAPH.num_vertices))
        theirs.es["since"] = list(range(GRAPH.num_edges))

        def f(graph: Any, budget: int) -> list[int]:
            assert graph.vs["name"][0] == "v0"
            assert graph.vs["age"][0] == 0
            assert theirs.es[graph.es["since"][5]].tuple == tuple(graph.vs["age"][end] for end in graph.es[5].tuple)
            return sorted(range(graph.vcount()), key=lambda v: -graph.degree(v))[:budget]

        found = lense.solve(theirs, "mvc", budget=BUDGET, heuristic=f, prune=True)
        assert set(found.vertices[:3]) == LARGEST

    def test_scipy_by_rows(self) -> None:
        def f(matrix: Any, budget: int) -> Any:
            return np.argsort(-matrix.sum(axis=1), kind="stable")[:budget]

        found = lense.solve(convert.to_scipy(GRAPH), "mvc", budget=BUDGET, heuristic=f, prune=True)
        assert {f"v{i}" for i in found.vertices[:3]} == LARGEST

    def test_pytorch_geometric_with_features(self) -> None:
        torch = pytest.importorskip("torch")
        theirs = convert.to_pyg(NUMBERED)
        theirs.x = torch.arange(NUMBERED.num_vertices)[:, None]

        def f(data: Any, budget: int) -> Any:
            degrees = torch.bincount(data.edge_index[0], minlength=data.num_nodes)
            assert data.x.shape == (data.num_nodes, 1)
            return torch.argsort(-degrees, stable=True)[:budget].tolist()

        found = lense.solve(theirs, "mvc", budget=BUDGET, heuristic=f, prune=True)
        assert {f"v{i}" for i in found.vertices[:3]} == LARGEST

    @pytest.mark.parametrize("kind", ["arrow", "pandas"])
    def test_tables_with_their_other_columns(self, kind: str) -> None:
        if kind == "pandas":
            pytest.importorskip("pandas", reason=NO_PANDAS)
        theirs = getattr(convert, f"to_{kind}")(GRAPH)
        years = np.arange(GRAPH.num_edges)
        theirs = theirs.append_column("year", [years]) if kind == "arrow" else theirs.assign(year=years)

        def f(table: Any, budget: int) -> Any:
            assert len(table["year"]) == len(table["source"]) < GRAPH.num_edges
            ends = np.concatenate([np.asarray(table["source"]), np.asarray(table["target"])]).astype(str)
            names, counts = np.unique(ends, return_counts=True)
            return names[np.argsort(-counts, kind="stable")[:budget]].tolist()

        found = lense.solve(theirs, "mvc", budget=BUDGET, heuristic=f, prune=True)
        assert set(found.vertices[:3]) == LARGEST

    def test_a_file_for_a_heuristic_on_networkx(self, tmp_path: Path) -> None:
        pytest.importorskip("networkx", reason=NO_NETWORKX)
        write_graph(GRAPH, tmp_path / "graph.txt")
        found = lense.solve(
            tmp_path / "graph.txt", "mvc", BUDGET, greedy_on_networkx, graph_type="networkx", prune=True
        )
        assert found.score >= 0.98 * lense.score(GRAPH, BEST, "mvc").score

    @pytest.mark.parametrize("kind", ["graph", "networkx", "igraph", "scipy", "arrow"])
    def test_any_type_in_any_other(self, kind: str) -> None:
        pytest.importorskip("networkx", reason=NO_NETWORKX)
        pytest.importorskip("igraph", reason=NO_IGRAPH)
        theirs, seen = convert.to_networkx(GRAPH), []

        def first(graph: Any, budget: int) -> list[Any]:
            seen.append(type(graph).__name__)
            return ["v0"] if kind in ("networkx", "arrow") else [0]

        found = lense.solve(theirs, "mvc", 1, first, graph_type=kind, prune=False)
        assert list(found.vertices) == ["v0"]
        assert seen[0] in ("Graph", "csr_array", "Table")

    def test_drawn_probabilities_reach_the_heuristic(self) -> None:
        pytest.importorskip("networkx", reason=NO_NETWORKX)

        def weighted(graph: Any, budget: int) -> list[Any]:
            assert {round(w, 3) for *_, w in graph.edges(data="weight")} <= {0.1, 0.01, 0.001}
            return list(graph)[:budget]

        theirs = convert.to_networkx(NUMBERED)
        for prune in (True, False):
            lense.solve(theirs, "im", BUDGET, heuristic=weighted, prune=prune, certify=False, worlds=10)

    def test_a_wrong_type_is_one_sentence(self) -> None:
        with pytest.raises(LenseError, match="A graph is a file, a Graph of lense, a graph of networkx"):
            lense.solve(object(), "mvc", BUDGET)
        with pytest.raises(LenseError, match="no type of graph called 'nx'"):
            lense.solve(GRAPH, "mvc", BUDGET, graph_type="nx")
        assert "networkx" in GRAPH_TYPES


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ([0, 10**6], "f returned 1000000, which is no vertex"),
        (["v0"], "f returned 'v0', which is no vertex"),
        ([0, 0], "f returned a vertex more than once"),
        (list(range(11)), "f returned 11 vertices, and the budget is 10"),
        (7, "f must return a list of vertices, not 7"),
        (None, "f must return a list of vertices, not None"),
    ],
)
def test_a_wrong_answer_of_a_heuristic_is_one_sentence(answer: Any, sentence: str) -> None:
    def f(graph: Graph, budget: int) -> Any:
        return answer

    with pytest.raises(LenseError, match=sentence):
        lense.solve(GRAPH, "mvc", BUDGET, heuristic=f, prune=False)


@pytest.mark.parametrize("run", [lense.solve, lense.prune])
@pytest.mark.parametrize(
    "wrong", [{"budget": "5"}, {"budget": None}, {"seed": None}, {"seed": "3"}, {"seed": -1}, {"seed": 1.5}]
)
def test_a_budget_or_seed_that_is_no_number_is_one_sentence(run: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(LenseError, match=f"The {next(iter(wrong))} must be a "):
        run(Graph.from_edges([0, 1, 2], [1, 2, 3]), **{"budget": 1, **wrong})


def test_a_problem_that_lense_does_not_know() -> None:
    def neighbours(graph: Graph, vertices: list[int]) -> float:
        spans = zip(graph.indptr[vertices], graph.indptr[np.add(vertices, 1)], strict=True)
        return float(np.unique(np.concatenate([graph.indices[start:stop] for start, stop in spans])).size)

    found = lense.solve(GRAPH, budget=BUDGET, heuristic=by_degree, objective=neighbours, prune=True)
    whole = lense.solve(GRAPH, budget=BUDGET, heuristic=by_degree, objective=neighbours, prune=False)
    assert found.problem == "own"
    assert found.score >= 0.99 * whole.score
    assert found.certified is None


def test_an_objective_needs_a_heuristic_and_takes_no_options() -> None:
    with pytest.raises(LenseError, match="needs your heuristic too"):
        lense.solve(GRAPH, budget=BUDGET, objective=lambda graph, vertices: 1.0)
    with pytest.raises(LenseError, match="leave them out"):
        lense.solve(GRAPH, budget=BUDGET, heuristic=by_degree, objective=lambda graph, vertices: 1.0, gap=0.1)


@pytest.mark.parametrize("prune", [None, True, False])
def test_a_function_that_changes_its_graph_is_refused(prune: bool | None) -> None:
    """The score is taken on the graph of its owner, which would no longer be that."""
    networkx = pytest.importorskip("networkx", reason=NO_NETWORKX)
    graph = networkx.barabasi_albert_graph(3000, 3, seed=1)

    def removing(graph: Any, budget: int) -> list[Any]:
        chosen = greedy_on_networkx(graph, budget)
        graph.remove_nodes_from(chosen)
        return chosen

    with pytest.raises(LenseError, match=r"removing changed the graph that it was given: let it work on a copy\."):
        lense.solve(graph, "mvc", 10, removing, prune=prune)
    assert (len(graph) == 3000) == (prune is not False)


@pytest.mark.parametrize("value", [None, "x", float("nan"), [1]])
def test_an_objective_that_gives_no_number_is_one_sentence(value: Any) -> None:
    with pytest.raises(LenseError, match="<lambda> must be a finite number, not"):
        lense.solve(GRAPH, budget=5, heuristic=by_degree, objective=lambda graph, vertices: value)


@pytest.mark.parametrize("make", [float, np.float32, np.array], ids=["float", "numpy's", "an array of one"])
def test_any_number_will_do(make: Any) -> None:
    assert lense.solve(GRAPH, budget=5, heuristic=by_degree, objective=lambda *_: make(3.0), prune=False).score == 3.0


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"heuristic": 5}, "heuristic= is the name of one or a function, not 5"),
        ({"heuristic": []}, r"heuristic= is the name of one or a function, not \[\]"),
        ({"heuristic": by_degree, "objective": 5}, "objective= is a function, not 5"),
    ],
)
def test_what_is_no_function_is_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(LenseError, match=sentence):
        lense.solve(GRAPH, "mvc", 5, **wrong)


def test_what_goes_wrong_on_a_part_is_said_to_be_there() -> None:
    def choosy(graph: Graph, budget: int) -> list[int]:
        if len(graph) < len(GRAPH):
            raise RuntimeError("too small")
        return list(range(budget + 1))

    with pytest.raises(LenseError, match=r"choosy returned 6 vertices, and the budget is 5, on the whole graph\."):
        lense.solve(GRAPH, "mvc", 5, choosy)
    with pytest.raises(LenseError, match=r"returned \d+ vertices, and the budget is \d+, on a sample of"):
        lense.solve(GRAPH, "mvc", 5, lambda graph, budget: range(budget + 1))


def test_a_heuristic_of_ours_by_its_name_with_options() -> None:
    found = lense.solve(GRAPH, "bmc", BUDGET, heuristic="mip", gap=0.01)
    assert found.solver == "mip"
    assert found.pruned is not None
    with pytest.raises(LenseError, match="no solver of mvc called 'magic'"):
        lense.solve(GRAPH, "mvc", BUDGET, heuristic="magic")


def test_another_pruner_by_name_as_an_object_or_from_a_folder(tmp_path: Path) -> None:
    core = lense.pruners.core.Core("mvc", BUDGET).fit(GRAPH)
    core.save(tmp_path / "mine")
    for pruner in ("quickprune", core, tmp_path / "mine", "core"):
        found = lense.solve(GRAPH, "mvc", BUDGET, heuristic=by_degree, pruner=pruner)
        assert found.pruned is not None
        assert found.pruned.pruner == ("quickprune" if pruner == "quickprune" else "core")
    assert core.problem == "mvc"
    with pytest.raises(LenseError, match="choose one of them"):
        lense.solve(GRAPH, "mvc", BUDGET, pruner="quickprune", prune=False)
    with pytest.raises(LenseError, match="gnn-r learns"):
        lense.solve(GRAPH, "mvc", BUDGET, pruner="gnn-r")


def test_prune_gives_the_part_in_the_type_of_the_graph() -> None:
    pytest.importorskip("networkx", reason=NO_NETWORKX)
    part = lense.prune(convert.to_networkx(GRAPH), "mvc", BUDGET)
    assert type(part).__name__ == "Graph"
    assert set(part) < set(GRAPH.labels.tolist())
    ours = lense.prune(GRAPH, "mvc", BUDGET)
    assert isinstance(ours, Graph)
    assert set(part) == set(ours.labels.tolist())
    assert part.number_of_edges() == ours.num_edges < GRAPH.num_edges


class TestWhatTheCommandTakes:
    """``lense.solve`` takes what ``lense solve`` takes."""

    def test_an_optimum_is_proven(self) -> None:
        for graph in (GRAPH, convert.to_scipy(GRAPH)):
            found = lense.solve(graph, "mvc", BUDGET, exact=True)
            assert (found.found_by, found.met_target) == ("exact", True)
            assert found.optimal
            assert found.solver == "exact"
            assert found.score >= lense.solve(graph, "mvc", BUDGET).score

    @pytest.mark.parametrize(
        "given",
        [{"prune": True}, {"pruner": "core"}, {"size": 3}, {"certify": False}, {"mode": "ground-set"}],
    )
    def test_what_has_no_effect_beside_exact_is_rejected(self, given: dict[str, Any]) -> None:
        with pytest.raises(LenseError, match=f"leave out {next(iter(given))}="):
            lense.solve(GRAPH, "mvc", BUDGET, exact=True, **given)

    def test_a_heuristic_of_the_user_has_no_proof(self) -> None:
        with pytest.raises(LenseError, match="exact"):
            lense.solve(GRAPH, "mvc", BUDGET, lambda graph, budget: [0], exact=True)

    def test_a_number_of_roots_and_a_ground_set(self) -> None:
        found = lense.solve(GRAPH, "mvc", BUDGET, size=BUDGET + 3, mode="ground-set")
        assert found.pruned is not None
        assert (found.pruned.roots, found.pruned.mode) == (BUDGET + 3, "ground-set")

    def test_a_file_stays_on_disk_where_that_is_asked_for(self, tmp_path: Path) -> None:
        path = tmp_path / "graph.parquet"
        write_graph(GRAPH, path)
        here = lense.solve(path, "mvc", BUDGET)
        for options in ({"stream": True}, {"stream": True, "memory_limit": "16GB"}, {"stream": True, "exact": True}):
            streamed = lense.solve(path, "mvc", BUDGET, **options)
            assert (streamed.vertices, streamed.score) == (here.vertices, here.score)
        with pytest.raises(LenseError, match="files"):
            lense.solve(GRAPH, "mvc", BUDGET, stream=True)
        with pytest.raises(LenseError, match="memory_limit"):
            lense.solve(path, "mvc", BUDGET, stream=False, memory_limit="2GB")
        with pytest.raises(LenseError, match="engine"):
            lense.solve(path, "mvc", BUDGET, engine="abacus")

    def test_an_answer_from_elsewhere_is_scored(self) -> None:
        best = lense.solve(GRAPH, "mvc", BUDGET)
        found = lense.score(GRAPH, best.vertices, "mvc")
        assert (found.score, found.vertices, found.upper_bound) == (best.score, best.vertices, best.upper_bound)

    def test_advice_says_what_solve_does(self) -> None:
        advice = lense.advise(GRAPH, "mvc", BUDGET)
        assert advice.prune == (lense.solve(GRAPH, "mvc", BUDGET).pruned is not None)
        assert advice.reason


LABELLED = Graph.from_edges([0, 0, 0, 4], [1, 2, 3, 3], labels=np.array([10, 20, 30, 40, 50]))


def test_the_score_and_the_share_of_the_optimum_are_those_of_a_solution() -> None:
    found = lense.score(LABELLED, [20, "40"], "mvc")
    assert found.indices.tolist() == [1, 3]
    assert found.budget == 2
    assert found.score == 0.75
    assert found.upper_bound == 1.0
    assert found.certified == 0.75


def test_a_larger_budget_has_a_larger_optimum() -> None:
    assert lense.score(LABELLED, [10], "mvc").optimal
    assert not lense.score(LABELLED, [10], "mvc", 2).optimal


def test_without_a_certificate_there_is_no_bound() -> None:
    assert lense.score(LABELLED, [10], "mvc", certify=False).upper_bound is None


@pytest.mark.parametrize(
    ("labels", "budget", "sentence"),
    [
        ([99], None, "no vertex '99'"),
        ([10, 10], None, "more than once"),
        ([], None, "no vertices"),
        ([10, 20], 1, "takes 2 of a budget of 1"),
    ],
)
def test_a_wrong_answer_is_one_sentence(labels: list[int], budget: float | None, sentence: str) -> None:
    with pytest.raises(LenseError, match=sentence):
        lense.score(LABELLED, labels, "mvc", budget)


def test_a_setting_of_both_the_problem_and_the_pruner_is_named_by_its_owner() -> None:
    def setup(settings: dict[str, object], problem: str | Problem = "mvc") -> Setup:
        return find_setup(problem, 3, "stochastic-greedy", SolveOptions(pruner="quickprune", settings=settings))

    with pytest.raises(LenseError, match=r"problem\.epsilon or pruner\.epsilon"):
        setup({"epsilon": 0.3})
    both = setup({"problem.epsilon": 0.3, "pruner.epsilon": "0.2", "delta": 0.4})
    assert both.pruner is not None
    assert (both.problem.epsilon, both.pruner.epsilon, both.pruner.delta) == (0.3, 0.2, 0.4)  # type: ignore[attr-defined]
    of_object = setup({"epsilon": 0.2}, get_problem("mvc", epsilon=0.3))
    assert of_object.pruner is not None
    assert (of_object.problem.epsilon, of_object.pruner.epsilon) == (0.3, 0.2)  # type: ignore[attr-defined]
