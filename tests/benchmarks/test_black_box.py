"""The problems that lense does not know: objectives against values by hand, and answers of the heuristics."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from benchmarks import black_box, black_box_problems
from benchmarks.black_box_graphs import Instance, simple
from benchmarks.black_box_problems import DEVELOP, TEST, BlackBox, Cell
from benchmarks.black_box_table import Row, draw, page, rows, targets

PROBLEMS = (*DEVELOP, *TEST)
CHOOSING = [problem for problem in PROBLEMS if black_box.accepts_candidates(problem)]


def instance(problem: type[BlackBox], graph: nx.Graph, **attributes: Any) -> Instance:
    matrix = sparse.csr_matrix(nx.to_scipy_sparse_array(graph, sorted(graph), dtype=float))
    values = {name: np.array(value) for name, value in attributes.items()}
    return Instance(problem.kind, matrix, problem.directed, problem.kind == "pandas", values)


STAR = nx.star_graph(4)
PATH = nx.path_graph(7)
BOTH = nx.disjoint_union(nx.complete_graph(4), nx.path_graph(3))
ARCS = nx.DiGraph([(0, 1), (1, 2), (2, 3), (3, 4), (5, 0)])
TRIANGLE_CASES = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)])
BY_HAND: tuple[tuple[str, nx.Graph, list[int], float, dict[str, Any]], ...] = (
    ("GroupCloseness", STAR, [0], 1 + 4 / 2, {}),
    ("GroupCloseness", PATH, [1, 5], 2 + 4 / 2 + 1 / 3, {}),
    ("Dismantling", STAR, [0], 1, {}),
    ("Dismantling", PATH, [2], 4, {}),
    ("Immunization", STAR, [0], 2, {}),
    ("Immunization", nx.complete_graph(5), [3], 1, {}),
    ("KMedian", PATH, [1, 5], 1 + 0 + 1 + 2 + 1 + 0 + 1, {}),
    ("Contagion", STAR, [0], 5, {}),
    ("Contagion", STAR, [1, 2], 5, {}),
    ("Contagion", STAR, [1], 1, {}),
    ("TwoHopDomination", PATH, [0], 3, {}),
    ("TwoHopDomination", PATH, [3, 4], 6, {}),
    ("GroupBetweenness", STAR, [0], 1, {}),
    ("DirectedReach", ARCS, [0], 4, {}),
    ("DirectedReach", ARCS, [4, 5], 5, {}),
    ("KnapsackCover", STAR, [1], 3, {"value": [1, 2, 4, 8, 16], "cost": [1] * 5}),
    ("WeightedCover", BOTH, [0, 5], 3 + 2, {}),
    ("DensestSubgraph", BOTH, [0, 1, 2, 5], 3, {}),
    ("AnchoredCore", BOTH, [], 4, {}),
    ("AnchoredCore", BOTH, [4, 6], 4 + 2, {}),
    ("AnchoredCore", nx.Graph([(0, 2), (1, 2), (2, 3), (3, 0)]), [0, 1, 3], 4, {}),
    ("Resistance", STAR, [0], 4, {}),
    ("IndependentCover", PATH, [1, 4], 6, {}),
    ("AttributeLocation", STAR, [0, 1], 3, {"x": [[1, 0], [0, 1], [-1, 0], [0, 1], [0, -1]]}),
    ("TriangleCover", TRIANGLE_CASES, [2], 2, {}),
    ("TriangleCover", TRIANGLE_CASES, [3, 4], 1, {}),
    ("WalkAbsorption", nx.complete_graph(2), [0], 1, {}),
    ("BalancedCover", PATH, [1, 6], 3**0.5 + 2**0.5, {"district": [0, 0, 0, 1, 1, 2, 2]}),
)


@pytest.mark.parametrize(("name", "graph", "vertices", "expected", "attributes"), BY_HAND)
def test_an_objective_is_what_one_counts_by_hand(
    name: str, graph: nx.Graph, vertices: list[int], expected: float, attributes: dict[str, Any]
) -> None:
    problem: type[BlackBox] = getattr(black_box_problems, name)
    if "x" in attributes:
        attributes = {"x": np.array(attributes["x"], np.float32)}
    theirs = instance(problem, graph, **attributes).make()
    assert problem.objective(theirs, vertices) == pytest.approx(expected, rel=1e-6)


def test_every_problem_has_a_case_by_hand() -> None:
    assert {problem.__name__ for problem in PROBLEMS} == {case[0] for case in BY_HAND}


def name_of(problem: type[BlackBox]) -> str:
    return problem.__name__


@pytest.fixture(params=PROBLEMS, ids=name_of)
def question(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> black_box.Question:
    """A problem on a graph of 120 vertices in place of its own."""
    graph = nx.relabel_nodes(nx.barabasi_albert_graph(120, 3, seed=2), lambda vertex: (7 * vertex) % 120)
    matrix = nx.to_scipy_sparse_array(graph, nodelist=range(120))
    monkeypatch.setattr(black_box_problems, "read", lambda name, directed: simple(matrix, directed))
    return black_box.Question(request.param, replace(request.param.cells[0], graph="small", budget=12, ball=None))


def test_every_method_returns_vertices_of_the_whole_graph_within_the_budget(question: black_box.Question) -> None:
    for method in black_box.METHODS:
        if method == "lense" or (
            question.problem is black_box_problems.Resistance and method not in ("whole", "top b")
        ):
            continue  # parts need not be connected
        answer = question.answer(method)
        takes = black_box.accepts_candidates(question.problem)
        assert (answer is None) == (method.startswith("candidates") and not takes)
        if answer is not None:
            assert set(answer.vertices) <= set(range(120))
            assert len(answer.vertices) <= 12
            if question.problem.__name__ != "IndependentCover":  # a part hides edges, and top b does not look at them
                assert question.score(answer.vertices) is not None


def test_a_heuristic_beats_random_vertices(question: black_box.Question) -> None:
    problem = question.problem
    own = question.answer("whole")
    assert own is not None
    rng = np.random.default_rng(1)
    best = question.score(own.vertices)
    costs = question.instance.attributes.get("cost", np.ones(120))
    for _ in range(20):
        order = rng.permutation(120)
        chosen = order[np.cumsum(costs[order]) <= 12].tolist()
        found = problem.objective(question.graph, chosen)
        assert best is not None
        assert best <= found if problem.minimise else best >= found


@pytest.mark.parametrize("question", CHOOSING, indirect=True, ids=name_of)
def test_candidates_limit_the_choice(question: black_box.Question) -> None:
    pool = list(range(0, 120, 3))
    assert set(question.problem.heuristic(question.graph, 12, candidates=pool)) <= set(pool)


def test_a_ratio_of_a_minimum_is_the_inverse() -> None:
    whole = {"cpu_seconds": 4.0, "score": 10.0}
    assert black_box.compared({"cpu_seconds": 2.0, "score": 20.0}, whole, True)["ratio"] == 0.5
    assert black_box.compared({"cpu_seconds": 2.0, "score": 20.0}, whole, False)["ratio"] == 2
    assert black_box.compared({"cpu_seconds": 2.0, "score": None}, whole, False)["ratio"] is None
    assert black_box.compared({"cpu_seconds": 2.0, "score": 20.0}, whole, False)["saving"] == 2


def test_what_is_measured_is_not_measured_again(tmp_path: Path) -> None:
    problem, store = DEVELOP[0], tmp_path / "some.jsonl"
    cell: Cell = problem.cells[0]
    assert black_box.missing(problem, cell, ["lense"], store) == ["whole", "lense"]
    for method in ("whole", "lense", "top b"):
        black_box.add(store, black_box.what_is_measured(problem, cell) | {"method": method})
    assert black_box.missing(problem, cell, ["whole", "lense", "top b"], store) == []
    assert black_box.missing(problem, cell, ["lense", "induced 10%"], store) == ["whole", "induced 10%"]
    other = [json.loads(line) for line in store.read_text().splitlines()]
    other[1]["code"]["lense"] = other[2]["code"]["lense"] = "another"
    store.write_text("".join(json.dumps(one) + "\n" for one in other))
    assert black_box.missing(problem, cell, ["whole", "lense", "top b"], store) == ["whole", "lense"]


def test_the_halves_share_no_problem() -> None:
    assert not set(DEVELOP) & set(TEST)
    assert len(DEVELOP) == len(TEST)


def cell(split: str, **methods: tuple[float | None, float | None]) -> dict[str, dict[str, Any]]:
    """The records of one problem on one graph: saving and ratio of each method."""
    common = {"problem": split, "graph": "small", "split": split, "budget": 5, "cpu_seconds": 4.0, "score": 1.0}
    known = {"whole": (1.0, 1.0)} | {name.replace("_", " "): figures for name, figures in methods.items()}
    said = {"met_target": True, "found_by": "f", "reason": ""}
    return {name: common | said | {"method": name, "saving": x, "ratio": y} for name, (x, y) in known.items()}


def rows_of(*cells: dict[str, dict[str, Any]]) -> list[Row]:
    return rows([record | {"graph": f"graph {i}"} for i, methods in enumerate(cells) for record in methods.values()])


def test_the_best_rule_is_the_fastest_that_keeps_the_score_or_else_the_best_score() -> None:
    kept = cell("develop", lense=(2, 1), top_b=(90, 0.5), **{"one-hop_3b": (8, 0.99), "one-hop_10b": (4, 1.0)})
    missed = cell("develop", lense=(2, 1), top_b=(90, 0.5), **{"one-hop_3b": (8, 0.9), "one-hop_10b": (None, None)})
    assert [row.rule and row.rule["method"] for row in rows_of(kept, missed)] == ["one-hop 3b", "one-hop 3b"]
    assert [row.rule_saves() for row in rows_of(kept, missed)] == [8, None]


def test_targets_count_what_they_say() -> None:
    found = rows_of(
        cell("develop", lense=(8, 0.995), top_b=(16, 1.0)),
        cell("develop", lense=(100, 0.5), top_b=(2, 1.0)),
        cell("test", lense=(0.5, 1.0), **{"one-hop_3b": (4, 1.0)}),
    )
    found[1].lense["met_target"] = False
    fast, worst, cost, mean, rules, calling = targets(found)
    assert "1 of 3" in fast
    assert "0.995" in worst
    assert "0 of 2" in worst
    assert "2.00" in cost
    assert "1 of 3" in cost
    assert f"{(8 * 1 * 0.5) ** (1 / 3):.2f}×" in mean
    assert "in 1 of 2 cells" in rules
    assert "in 0 of 1 cells" in calling


def test_an_error_of_lense_is_shown_and_saves_nothing(tmp_path: Path) -> None:
    broken = cell("test", lense=(None, None), top_b=(2, 1.0))
    broken["lense"]["error"] = "LenseError: no."
    assert rows_of(broken)[0].counted == 1
    text = page(rows_of(broken, cell("develop", lense=(4, 1.0))), "# Title")
    assert "Error in test on graph 0: LenseError: no." in text
    draw(rows_of(broken, cell("develop", lense=(4, 0.3))), tmp_path / "some.png")
    assert (tmp_path / "some.png").stat().st_size > 1000
